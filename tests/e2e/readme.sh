#!/bin/sh
# readme.sh GPUYARD - the README and docs show real files and real output: each code block that names its file is that
# file, the examples have fewer than 40 lines, and compile and run out of the tree; tables and stories are what the
# program prints today; the commands of the README run; CITATION.cff has the version of VERSION.
set -u
gpuyard=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0 skipped=0
check() { # WHAT STATUS
    if [ "$2" -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $1"; fi
}
skip() { # WHAT
    skipped=$((skipped + 1))
    echo "skipped: $1"
}
block() { # PAGE FIRST-LINE: the rest of the code block that begins with a line that begins so
    awk -v first="$2" '/^```/ { if (on) exit; next } on; index($0, first) == 1 { on = 1 }' "$1"
}

# ---- Files shown
for file in tests/examples/widest_first.c tests/examples/last_fit.c tests/examples/slower.c traces/formats/helios_sim.c; do
    awk -v first="/* $(basename $file) - " '
        /^```/ { inside = /^```c/; if (!inside && shown) exit; next }
        inside && index($0, first) == 1 { shown = 1 }
        inside && shown' docs/plugins.md >"$work/shown"
    diff "$file" "$work/shown"
    check "docs/plugins.md shows $file as it is" $?
    [ "$(wc -l <$file)" -lt 60 ]
    check "$file has fewer than 60 lines" $?
done
for example in widest_first last_fit; do
    cc -std=c17 -Wall -fPIC -shared -Isim/contract -o "$work/$example.so" tests/examples/$example.c
    check "$example compiles" $?
done
"$gpuyard" run -q -c traces/samples/four_teams.yaml -t traces/samples/four_teams.csv -p "$work/widest_first.so" \
    --placement "$work/last_fit.so" -o "$work/out" && scripts/check_schedule "$work/out"
check "the examples schedule the sample" $?
grep -q '"policy": "widest-first"' "$work/out/manifest.json"
check "the manifest names the plugin" $?

# ---- Output shown
scripts/demo "$gpuyard" | grep -E '^(policy|static|quota|fifo|srtf|preemptive)' >"$work/tables"
awk '/^policy/ { n++ } n == 1' "$work/tables" >"$work/teams" && awk '/^policy/ { n++ } n == 2' "$work/tables" >"$work/mixed"
[ -s "$work/teams" ] && grep -Fxf "$work/teams" README.md | diff "$work/teams" -
check "README shows the table of the demo" $?
[ -s "$work/mixed" ] && grep -Fxf "$work/mixed" docs/policies.md | diff "$work/mixed" -
check "docs/policies.md shows the table of the mixed demo" $?
scripts/gangs "$gpuyard" "$work/gangs" >"$work/pair" && grep -Fxf "$work/pair" docs/policies.md | diff "$work/pair" -
check "docs/policies.md shows the pair of kube and gang" $?
"$gpuyard" explain results/demo/quota 778 >"$work/story"
block docs/studies.md '$ ./gpuyard explain' | diff "$work/story" -
check "docs/studies.md shows the story of a job as it is" $?
traces=${GPUYARD_SHARED:-../shared}/traces
if [ -f "$traces/reproductions/philly_oct_nov.csv.zst" ]; then
    scripts/quotas "$gpuyard" "$work/quotas" >"$work/table" &&
        awk '/^\| policy \| checkpoints/ { on = 1 } /^$/ { on = 0 } on' docs/policies.md >"$work/shown" &&
        grep . "$work/table" | diff - "$work/shown"
    check "docs/policies.md shows the tables of quotas" $?
else
    skip "the table of quotas of docs/policies.md: no $traces/reproductions/philly_oct_nov.csv.zst"
fi
shared=$traces/philly/philly.csv.zst
if [ -f "$shared" ]; then
    cp "$shared" "$work/philly.csv.zst"
    (root=$PWD && cd "$work" && "$gpuyard" run -c "$root/traces/samples/philly_quarter.yaml" -t philly.csv.zst \
        -p fifo:blocking=skip -o results/philly) >"$work/session"
    block README.md '$ ./gpuyard run' | diff "$work/session" -
    check "README shows the session as it is" $?
else
    skip "the session of the README: no $shared"
fi
for limit in 0 600 3600; do
    "$gpuyard" run -q -c traces/samples/burst.yaml -t traces/samples/four_teams.csv -p easy --set limit_s="$limit" -o "$work/burst"
    awk -F, -v limit="$limit" '$1 == "jobs_routed" && $2 == "member=cloud" { jobs = $3 } $2 == "all" { v[$1] = $3 }
        END { cost = sprintf("%.0f", v["cost_usd"])
              if (length(cost) > 3) cost = substr(cost, 1, length(cost) - 3) "," substr(cost, length(cost) - 2)
              wait = v["wait_mean_s"]
              printf "| %d | %d | " (wait < 10 ? "%.1f" : "%.0f") " s | %s USD |\n", limit, jobs, wait, cost }' "$work/burst/summary.csv"
done >"$work/spill"
grep -Fxf "$work/spill" docs/studies.md | diff "$work/spill" -
check "docs/studies.md shows the table of the federation" $?

# ---- Commands shown: those of "How do I", in a tree of their own
if command -v gnuplot >"$work/plotter"; then
    mkdir -p "$work/tree/results"
    for folder in scripts sim tests traces; do ln -s "$PWD/$folder" "$work/tree/$folder"; done
    cp -R results/baseline "$work/tree/results" && ln -s "$gpuyard" "$work/tree/gpuyard"
    awk '/^## / { on = /^## How do I/ } /^```/ { inside = on && /^```sh/; next } inside' README.md >"$work/commands"
    (cd "$work/tree" && sh -eu "$work/commands" >said 2>err && [ -s both.html ] && [ -s waits.pdf ] && [ -s results/mine/jobs.csv ] &&
        [ -s results/widest/jobs.csv ])
    status=$?
    [ $status = 0 ] || cat "$work/tree/err"
    check "the commands of the README run: $(wc -l <"$work/commands") lines" $status
else
    skip "the commands of the README: no gnuplot"
fi

# ---- What is said elsewhere, too
[ "$(wc -l <README.md)" -le 200 ]
check "README has 200 lines at most" $?
count() { "$gpuyard" list "$1" --format json | grep -c "^    \"$2\":"; }    # WHAT KEY: entries, by a key that each has once
policies=$(count policies needs) placers=$(count placers needs) formats=$(count formats options)
grep -Fq "has $policies [policies](docs/policies.md) and $placers placers" README.md && grep -Fq "one of $((formats - 1)) other formats" README.md &&
    grep -Fq "| $policies built in, plugins in C |" README.md
check "README has the numbers of policies ($policies), placers ($placers) and formats ($formats)" $?
grep -Fqx "version: $(cat VERSION)" CITATION.cff
check "CITATION.cff has the version of VERSION" $?
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
