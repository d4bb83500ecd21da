#!/bin/sh
# readme.sh GPUYARD - the README shows real files: each code block that names its file is that file, the examples have
# fewer than 40 lines, and they compile and run out of the tree.
set -u
gpuyard=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
check() { # WHAT STATUS
    if [ "$2" -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $1"; fi
}
for file in tests/examples/widest_first.c tests/examples/last_fit.c traces/formats/helios_sim.c; do
    awk -v first="/* $(basename $file) - " '
        /^```/ { inside = /^```c/; if (!inside && shown) exit; next }
        inside && index($0, first) == 1 { shown = 1 }
        inside && shown' README.md >"$work/shown"
    diff "$file" "$work/shown"
    check "README shows $file as it is" $?
    [ "$(wc -l <$file)" -lt 40 ]
    check "$file has fewer than 40 lines" $?
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
scripts/demo "$gpuyard" | grep -E '^(policy|static|quota|fifo|srtf|preemptive)' >"$work/table" && grep -Fxf "$work/table" README.md | diff "$work/table" -
check "README shows the tables of the demo" $?
scripts/gangs "$gpuyard" "$work/gangs" >"$work/pair" && grep -Fxf "$work/pair" README.md | diff "$work/pair" -
check "README shows the pair of kube and gang" $?
"$gpuyard" explain results/demo/quota 778 >"$work/story"
awk '/^\$ .\/gpuyard explain/ { on = 1; next } /^```/ { on = 0 } on' README.md | diff "$work/story" -
check "README shows the story of a job as it is" $?
traces=${GPUYARD_SHARED:-../shared}/traces
if [ -f "$traces/reproductions/philly_oct_nov.csv.zst" ]; then
    scripts/quotas "$gpuyard" "$work/quotas" >"$work/table" && awk '/^\| policy \| checkpoints/ { on = 1 } /^$/ { on = 0 } on' README.md | diff "$work/table" -
    check "README shows the table of quotas" $?
else
    echo "skipped: the table of quotas of the README: no $traces/reproductions/philly_oct_nov.csv.zst"
    skipped=1
fi
shared=$traces/philly/philly.csv.zst
if [ -f "$shared" ]; then
    cp "$shared" "$work/philly.csv.zst"
    (root=$PWD && cd "$work" && "$gpuyard" run -c "$root/traces/samples/philly_quarter.yaml" -t philly.csv.zst \
        -p fifo:blocking=skip -o results/philly) >"$work/session"
    awk '/^\$ .\/gpuyard run/ { on = 1; next } /^```/ { on = 0 } on' README.md | diff "$work/session" -
    check "README shows the session as it is" $?
else
    echo "skipped: the session of the README: no $shared"
    skipped=$((${skipped:-0} + 1))
fi
echo "$passed passed, $failed failed, ${skipped:-0} skipped"
[ $failed -eq 0 ]
