#!/bin/sh
# report.sh GPUYARD - the HTML page: its numbers against the result files, names that try to leave their place, same bytes, and, where
# there is a browser, how it looks and works at 390, 1280 and 1920 pixels, light, dark, without JavaScript and in print, and what axe-core finds.
set -u
LC_ALL=C
export LC_ALL
G=${1:?usage: report.sh PATH-TO-GPUYARD}
case $G in /*) ;; *) G=$PWD/$G ;; esac
root=$PWD
work=$(mktemp -d "${TMPDIR:-/tmp}/gpuyard-report.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
. "$root/tests/support/checks.sh"
skipped=0

# ---- Runs: two policies on two seeds, with failures and power, and queues of hostile names ----
cat >lab.yaml <<'YAML'
nodes: [ { group: a, type: dgx-a100, count: 6 } ]
power: {}
prices: {}
failures: { faults_per_node_day: 1, repair: fixed, repair_s: 1800 }
preemption: { checkpoint: periodic, interval_s: 600, start_s: 10, restart_s: 30, grace_s: 30, save_s: 10 }
YAML
cat >names <<'END'
<script>window.evil=1</script>
</script><marquee>
"a' onclick="evil=1" & &lt;
%s%n ` $(x) \ \u003c
a_name_that_is_so_long_that_it_would_push_everything_else_off_a_small_screen_if_nobody_took_care_of_it
größe_日本
END
for seed in 1 2; do
    awk -v seed=$seed 'BEGIN { srand(seed); while ((getline line < "names") > 0) { gsub(/"/, "\"\"", line); name[n++] = "\"" line "\"" }
        print "job_id,submit_s,duration_s,gpus,queue,class"
        for (i = 0; i < 600; i++) print (i % 50 ? i : "<b>" i "</b>") "," int(t += 60 * rand()) "," 60 + int(3000 * rand()) "," int(1 + 8 * rand()) "," \
            name[int(n * rand())] "," (i % 3 ? "training" : "interactive") }' >trace.csv
    for policy in fifo drf; do
        "$G" run -q -c lab.yaml -t trace.csv -p $policy --seed $seed -o set/$policy-$seed 2>said || fail "$policy does not run: $(cat said)"
    done
done
cp -r set/fifo-1 one
awk -F, 'NR == 2 { start = int($1) } END { print "time_s,service,rate_per_s,latency_p50_s,latency_p99_s,slo_attainment,replicas_ready"
    for (t = start + 60; t <= $1; t += 60) { print t ",<i>llm</i>," (t % 7) ",0.5," 1 + t % 3 ",0.9,2"; print t ",embed," 5 + t % 5 ",0.01,0.1,1,1" } }' \
    one/timeseries.csv >one/services.csv
awk -F, 'NR == 1 { print $0 ",sessions_queued,sessions_starting,sessions_active,sessions_idle,sessions_released"; next }
    { print $0 "," NR % 3 ",1," NR % 5 "," 2 + NR % 7 ",0" }' one/timeseries.csv >x && mv x one/timeseries.csv

# ---- Written whole, twice the same, to a file or standard output ----
"$G" report one -o one.html && "$G" report one -o again.html && "$G" report one -o - >third.html || fail "no page"
same one.html again.html
same one.html third.html
sed 's/"written": "[^"]*"/"written": "another day"/; s/"host": "[^"]*"/"host": "elsewhere"/' one/manifest.json >m && cp -r one moved && mv m moved/manifest.json
"$G" report moved -o moved.html
sed 's/<dd>moved</<dd>one</; s/explain moved /explain one /' moved.html >m && same m one.html                 # wall time and host are not in it
"$G" report set -o set.html || fail "no page of a set"
"$G" report set/fifo-1 set/drf-1 -o two.html || fail "no page of two runs"
if cmp -s one.html two.html; then fail "one page for all"; else ok; fi

# ---- The numbers: every figure's data and every table against the CSV files, read independently ----
for page in one set two; do
    python3 "$root/tests/e2e/report_numbers.py" $page.html >said 2>&1 && ok || fail "$page.html: $(tail -n 3 said)"
done
cp -r one bent
awk -F, -v OFS=, 'NR == 3 { $1 = $1; $(NF - 4) = $(NF - 4) + 0 } { print }' one/jobs.csv >bent/jobs.csv
sed '40,200d' one/queues.csv >bent/queues.csv
"$G" report bent -o bent.html && sed 's/<dd>bent</<dd>one</' bent.html >m.html
if python3 "$root/tests/e2e/report_numbers.py" m.html >said 2>&1; then fail "other numbers go unnoticed"; else ok; fi

# ---- A sweep: a column for each of its combinations, the mean over its seeds ----
cat >study.yaml <<'YAML'
clusters: [ lab.yaml ]
traces: [ trace.csv ]
policies: [ fifo, sjf ]
parameters: { load: [ 1, 2 ] }
seeds: 1..3
YAML
"$G" sweep study.yaml -q --keep-runs -o swept 2>said && "$G" report swept -o swept.html || fail "no page of a sweep: $(cat said)"
[ "$(grep -o '<br><span class="unit">3 runs</span>' swept.html | wc -l)" = 8 ] && ok || fail "a sweep has not four columns of three runs, in two tables"
holds swept.html "<p>12 runs</p>"
# Called by what differs, in the order of the experiment: 0.8 before 1 before 1.2, as the file says, and no name of a seed.
sed 's/load: \[ 1, 2 \]/load: [ 0.8, 1.2, 1 ]/' study.yaml >three.yaml
"$G" sweep three.yaml -q --keep-runs -o three 2>said && "$G" report three -o three.html || fail "no page of a sweep: $(cat said)"
grep -o '<th scope="col">[^<]*<br>' three.html | head -6 | sed 's/<[^>]*>//g' >labels
printf 'load = 0.8, %s\n' fifo sjf >want; printf 'load = 1.2, %s\n' fifo sjf >>want; printf 'load = 1, %s\n' fifo sjf >>want
same labels want
if sed '/"id":"data"/d' three.html | grep '<th' | grep -q 'seed='; then fail "a mean is called by one seed"; else ok; fi
# The runs of it, as a directory: the lines that differ.
"$G" report three/runs -o runs.html
holds runs.html '<th scope="col">fifo, pack (load: 0.8)<br><span class="unit">3 runs</span></th>'
# It did not keep its runs: its metrics and nothing of single runs. A point that failed is a warning.
"$G" sweep study.yaml -q -o bare 2>said
"$G" report bare -o bare.html && holds bare.html '<th scope="col">load = 1, fifo<br>' || fail "no page of a sweep without runs"
if grep -q 'id="waits"' bare.html; then fail "waits of no run"; else ok; fi
rm bare/points/$(awk -F, 'NR == 2 { print $NF }' bare/points.csv)*
"$G" report bare -o bare.html && holds bare.html "it has no result.</li>"
for page in swept three bare; do
    python3 "$root/tests/e2e/report_numbers.py" $page.html tables >said 2>&1 && ok || fail "$page.html: $(tail -n 3 said)"
done

# ---- Quotas, and a week of training, notebooks and services: each row once, no quota where there is none ----
if grep -q 'quota met\|figure-quota' one.html; then fail "quotas on a cluster without"; else ok; fi
cat >quotas.yaml <<'YAML'
nodes: [ { group: a, type: dgx-a100, count: 6 } ]
queues: [ { name: a, deserved_gpus: 20 }, { name: b, deserved_gpus: 8 }, { name: c } ]
YAML
awk 'BEGIN { srand(5); print "job_id,submit_s,duration_s,gpus,queue"
    for (i = 0; i < 300; i++) print i "," int(t += 60 * rand()) + 100 "," 60 + int(3000 * rand()) "," int(1 + 8 * rand()) "," substr("abc", i % 3 + 1, 1) }' >abc.csv
"$G" run -q -c quotas.yaml -t abc.csv -p quota -o quota 2>said && "$G" report quota -o quota.html || fail "no page with quotas: $(cat said)"
"$G" run -q -c "$root/traces/samples/mixed_cluster.yaml" -t "$root/traces/samples/mixed.yaml" -p quota -o mixed 2>said && "$G" report mixed -o mixed.html ||
    fail "no page of a mixed week: $(cat said)"
for page in quota mixed; do
    python3 "$root/tests/e2e/report_numbers.py" $page.html tables >said 2>&1 && ok || fail "$page.html: $(tail -n 3 said)"
done

# ---- 11,200 GPUs, so that tics have six characters; numbers have separators from a thousand on ----
sed 's/count: 6/count: 1400/' quotas.yaml >large.yaml
"$G" run -q -c large.yaml -t abc.csv -p fifo -o large 2>said && "$G" report large -o large.html || fail "no page of a large cluster: $(cat said)"
if grep -q '<td[^>]*>[0-9]\{4,\}[<.]' large.html mixed.html; then fail "a table has $(grep -o '<td[^>]*>[0-9]\{4,\}[<.]' large.html mixed.html | head -1)"; else ok; fi

# ---- Of many boxes the Gantt begins with the hour in which most GPUs were waited for, 18,000 s, or where it is told ----
awk 'BEGIN { print "job_id,submit_s,duration_s,gpus"; for (i = 0; i < 3000; i++) { print i "," 10 * i ",10,1"; if (i == 2000) for (k = 0; k < 99; k++) print "b" k ",20000,60,8" } }' >burst.csv
"$G" run -q -c lab.yaml -t burst.csv -p fifo -o burst 2>said && "$G" report burst -o burst.html && "$G" report burst --gantt 2h -o later.html || fail "no page of many boxes: $(cat said)"
gantt_from() { grep '"id":"gantt"' "$1" | grep -o '"from_s":[0-9]*' | sort -u; }
[ "$(gantt_from burst.html)" = '"from_s":18000' ] && [ "$(gantt_from later.html)" = '"from_s":7200' ] && [ -z "$(gantt_from one.html)" ] && ok ||
    fail "the Gantt begins at $(gantt_from burst.html), $(gantt_from later.html), $(gantt_from one.html)"
expect 2 "gpuyard: report: --gantt: want a time of the run as these runs have no dates, or not the same, got '2026-01-05'" "$G" report burst --gantt 2026-01-05 -o no.html
sed 's/count: 6/count: 40/' lab.yaml >wide.yaml                              # 320 GPUs: 256 of them, 64 at a time
"$G" run -q -c wide.yaml -t trace.csv -p fifo -o wide 2>said && "$G" report wide -o wide.html || fail "no page of 40 nodes: $(cat said)"
[ "$(grep '"id":"gantt"' wide.html | grep -o '"name":"node[^"]*to[^"]*"' | wc -l)" = 4 ] && ok || fail "not four groups of eight nodes"

# ---- A month of two runs, and 15 queues ----
awk 'BEGIN { srand(7); print "job_id,submit_s,duration_s,gpus,queue"
    for (i = 0; i < 20000; i++) print i "," int(t += 259 * rand()) "," 60 + int(2400 * rand()) "," int(1 + 8 * rand()) ",q" i % 15 }' >month.csv
for policy in fifo sjf; do
    "$G" run -q -c lab.yaml -t month.csv -p $policy -o month/$policy 2>said || fail "no month: $(cat said)"
done
"$G" report month -o month.html || fail "no page of a month"

# ---- What is missing is said, on the page or on standard error ----
mkdir part; cp one/manifest.json one/summary.csv part
"$G" report part -o part.html && holds part.html "jobs.csv is missing or has no rows" && holds part.html "Metrics over all jobs"
if grep -q '<figure' part.html; then fail "figures of nothing"; else ok; fi
cp -r one empty
for f in timeseries queues jobs intervals; do head -n 1 one/$f.csv >empty/$f.csv; done
"$G" report empty -o empty.html && ok || fail "a run without jobs"
"$G" run -q -c lab.yaml -t trace.csv -p fifo --until 3000 --seed 1 -o cut 2>said
"$G" report cut -o cut.html
grep -q 'jobs were still running at the end: no mean includes them' cut.html && ok || fail "no warning of jobs that were cut off"
"$G" run -q -c lab.yaml -t trace.csv -p sjf --seed 2 --load 2 -o other 2>said
"$G" report one other -o m.html
holds m.html "the policy was clairvoyant"
holds m.html "did not run under the circumstances of"
holds m.html "<code>trace:  sha256: "
expect 2 "gpuyard: report: --output: want FILE" "$G" report one
expect 3 "gpuyard: nowhere: cannot read it: No such file or directory" "$G" report nowhere -o no.html
mkdir nothing
expect 3 "gpuyard: nothing: no result of a run in it: want a manifest.json, here or one directory below" "$G" report nothing -o no.html
cp -r one broken; sed '5s/^[^,]*,/x,/' one/timeseries.csv >broken/timeseries.csv
expect 3 "gpuyard: broken/timeseries.csv:5: time_s: want a number, got 'x'" "$G" report broken -o no.html
cp one/timeseries.csv broken; sed '1s/gpu_milli/x/' one/intervals.csv >broken/intervals.csv
expect 3 "gpuyard: broken/intervals.csv:1: no column gpu_milli" "$G" report broken -o no.html
none no.html
expect 1 "gpuyard: nowhere/no.html: cannot create: No such file or directory" "$G" report one -o nowhere/no.html

# ---- In a browser ----
browser=
for name in chromium chromium-browser google-chrome; do
    [ -n "$browser" ] || ! command -v $name >where || browser=$name
done
look() { # PAGE WIDTH FLAG...: what the probe says of it, in ./found
    looked_at=$1 wide=$2
    shift 2
    awk -v probe="$root/tests/e2e/report_probe.js" '{ print } /^<head>$/ { print "<script>"; while ((getline line < probe) > 0) print line; print "</script>" }' \
        "$looked_at" >probed.html
    cat >frame.html <<END
<!DOCTYPE html><title>probe</title><iframe src="probed.html#$wide" width="${wide%still}" height="900" style="border:0"></iframe><pre></pre>
<script>addEventListener("message", e => { document.querySelector("pre").textContent = "\n" + e.data + "\n"; });</script>
END
    timeout 900 "$browser" --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars --user-data-dir="$work/profile" \
        --window-size=2000,1000 --virtual-time-budget=20000 "$@" --dump-dom "file://$work/frame.html" 2>browser.log | grep '^probe: ' >found
}
drawn() { # PAGE FLAG...: its document once scripts have run
    seen=$1
    shift
    timeout 300 "$browser" --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$work/profile" --window-size=1280,1000 \
        --virtual-time-budget=20000 "$@" --dump-dom "file://$work/$seen" 2>browser.log
}
judged() { # PAGE FLAG...: what axe-core says of it
    awk -v axe="$GPUYARD_AXE" '/^<\/body>/ { print "<script>"; while ((getline line < axe) > 0) print line; print "</script><script>"
            print "axe.run().then(r => { const to = document.body.appendChild(document.createElement(\"pre\"));"
            print "  to.textContent = \"\\naxe: \" + r.violations.length + \" violations\\n\" + r.violations.map(v => \"axe: \" + v.id + \": \" + v.nodes[0].html).join(\"\\n\") + \"\\n\"; });"
            print "</script>" } { print }' "$1" >judged.html
    shift
    drawn judged.html "$@" | grep '^axe: '
}
if [ -n "$browser" ] && look one.html 1280 && [ -s found ]; then
    for page in one set two cut swept mixed quota large; do
        for width in 1280 1920 390; do
            look $page.html $width
            grep -v '^probe: ok' found >bad
            [ -s found ] && [ ! -s bad ] && ok || fail "$page.html at $width: $(cat bad)"
        done
    done
    [ "$(grep -c ok found)" -gt 60 ] && ok || fail "the probe looks at too little"
    for page in set mixed; do
        sed 's|<script>|<script type="text/none">|' $page.html >still.html
        for width in 1280 1920 390; do
            look $page.html $width --blink-settings=preferredColorScheme=0
            grep -v '^probe: ok' found >bad
            [ -s found ] && [ ! -s bad ] && ok || fail "$page.html at $width in the dark: $(cat bad)"
            look still.html ${width}still
            grep -v '^probe: ok' found >bad
            [ -s found ] && [ ! -s bad ] && ok || fail "$page.html at $width without JavaScript: $(cat bad)"
        done
    done
    [ "$(grep -c ok found)" -gt 30 ] && ok || fail "the probe looks at too little of a page without JavaScript: $(cat found)"
    # A month of two runs and 15 queues, zoomed to its middle hour: steps of five minutes at most, with the means of timeseries.csv; the page stays small.
    awk '/^<\/body>/ { print "<script>"; while ((getline line < probe) > 0) print line; print "</script>" } { print }' probe="$root/tests/e2e/report_hour.js" month.html >hour.html
    drawn hour.html | grep '^hour: ' >found
    python3 "$root/tests/e2e/report_hour.py" month/fifo found >said 2>&1 && ok || fail "an hour of a month: $(tail -n 3 said)"
    [ "$(wc -c <month.html)" -lt 4000000 ] && ok || fail "the page of a month has $(wc -c <month.html) bytes"
    sed 's/^\(hour: waiting [0-9.]*,\)[0-9.]*/\17/' found >bent_hour
    if python3 "$root/tests/e2e/report_hour.py" month/fifo bent_hour >said 2>&1; then fail "other numbers of an hour go unnoticed"; else ok; fi
    # Dates, where the trace has them: 2026-01-05 00:00 UTC is 1767571200 (date -u -d 2026-01-05 +%s).
    cp -r mixed dated
    sed 's/"origin_unix_s": [0-9]*,\{0,1\}//; s/"format": "synth"/"origin_unix_s": 1767571200, &/' mixed/manifest.json >dated/manifest.json
    "$G" report dated -o dated.html
    look dated.html 1280
    grep -v '^probe: ok' found >bad
    [ -s found ] && [ ! -s bad ] && ok || fail "dated.html: $(cat bad)"
    [ "$(grep -c '>date (UTC), from 5 Jan 2026<' dated.html)" -ge 5 ] && ok || fail "static pictures of a dated trace without dates"
    drawn dated.html >dom
    holds dom 'date (UTC), from 5 Jan 2026'
    holds dated.html '2026-01-1'
    # A month has three letters, as in plots: 2026-09-01 is 1788220800.
    sed -i 's/1767571200/1788220800/' dated/manifest.json
    "$G" report dated -o autumn.html
    drawn autumn.html >dom
    holds dom 'date (UTC), from 1 Sep 2026'
    # Without JavaScript: a picture with words and colours in each figure. The page's script removes them, so it would be seen to run.
    sed 's|<script>|<script type="text/none">|' mixed.html >m.html; look m.html 1280
    grep -q 'FAILED figure-.* is drawn\|FAILED the probe' found && ok || fail "a page whose scripts do not run goes unnoticed"
    [ "$(drawn m.html | grep -c 'class="static"><svg')" = "$(grep -c '<figure' mixed.html)" ] && ok || fail "figures without a static picture"
    [ "$(drawn mixed.html | grep -c 'class="static"')" = 0 ] && ok || fail "static pictures stay beside the drawn ones"
    # Print: the page as PDF, whole.
    "$browser" --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$work/profile" --virtual-time-budget=20000 \
        --no-pdf-header-footer --print-to-pdf=page.pdf "file://$work/mixed.html" 2>browser.log
    [ -s page.pdf ] && ok || fail "no PDF: $(cat browser.log)"
    if command -v pdftotext >where; then
        pdftotext -layout page.pdf page.txt
        for words in Summary "GPUs in use" "Why jobs waited" "mean completion" "Longest waits" Configuration; do holds page.txt "$words"; done
    fi
    # WCAG by axe-core (npm install axe-core; its axe.min.js in GPUYARD_AXE), light and dark.
    if [ -f "${GPUYARD_AXE:-}" ]; then
        for page in mixed set swept dated; do
            for scheme in 1 0; do
                judged $page.html --blink-settings=preferredColorScheme=$scheme >found
                says found "axe: 0 violations" && [ "$(cat found)" = "axe: 0 violations" ] || cat found
            done
        done
        sed 's|--faint: #57606a|--faint: #b0b0b0|' mixed.html >m.html
        judged m.html >found
        grep -q 'color-contrast' found && ok || fail "axe does not see faint text"
    else
        echo "skipped: accessibility: no axe-core (npm install axe-core, GPUYARD_AXE=.../axe.min.js)"
        skipped=1
    fi
    # What the probe is there to find.
    sed 's|^</main>|<script>null.f()</script>&|' one.html >m.html; look m.html 1280
    grep -q 'FAILED no errors' found && ok || fail "an error in a script goes unnoticed"
    sed 's|^</main>|<div style="width:2000px">x</div>&|' one.html >m.html; look m.html 390
    grep -q 'FAILED nothing flows over' found && ok || fail "a page that flows over goes unnoticed"
    sed 's|^</main>|<img src="http://localhost/x.png">&|' one.html >m.html; look m.html 1280
    grep -q 'FAILED no errors: blocked' found && ok || fail "a page may load something"
    sed 's|--faint: #57606a|--faint: #b0b0b0|' one.html >m.html; look m.html 1280
    grep -q 'FAILED contrast of' found && ok || fail "faint text goes unnoticed"
    sed 's|"figures":\[|"figures":[{"id":"x"},|' one.html >m.html; look m.html 1280
    grep -q 'FAILED' found && ok || fail "figures that are not drawn go unnoticed"
else
    echo "skipped: the page in a browser: no chromium here, or it does not start (Debian: chromium)"
    skipped=1
fi

[ $skipped = 0 ] && echo "$passed passed, $failed failed" || echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
