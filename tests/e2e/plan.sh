#!/bin/sh
# plan.sh GPUYARD - plans on M/M/c, whose answer is known (Erlang's C formula; models.md 11.1): the smallest c and the largest load that meet
# a mean wait, for several targets; what is said of targets that nothing meets; every format; the same answer by curve and by bisection.
set -u
gpuyard=$1
root=$(pwd)
. tests/support/checks.sh
skipped=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
cat >mmc.yaml <<'END'
workload: mmc
jobs: 20000
arrivals: { rate_per_h: 36000 }
gpus: { 1: 1 }
durations: { law: exponential, mean_s: 1 }
END
echo 'nodes: [ { group: a, count: 13, gpus: 1 } ]' >c.yaml
cat >size.yaml <<'END'
clusters: c.yaml
traces: mmc.yaml
parameters: { cluster.nodes.a.count: 11..26 }
seeds: 1..10
END
cat >load.yaml <<'END'
clusters: c.yaml
traces: mmc.yaml
parameters: { load: [ 0.7, 0.8, 0.9, 1, 1.1, 1.2 ] }
policies: [ fifo, sjf ]
seeds: 1..10
END
# Mean wait of M/M/c at `a` erlangs, service 1 s: B by recursion, C = B / (1 - rho (1 - B)), W = C / (c - a).
wait_of() { awk -v a="$1" -v c="$2" 'BEGIN { b = 1; for (k = 1; k <= c; k++) b = a * b / (k + a * b); print b / (1 - a / c * (1 - b)) / (c - a) }'; }
between() { awk -v x="$1" -v y="$2" 'BEGIN { printf "%.6g", sqrt(x * y) }'; }

# ---- The smallest c: the target lies half way, in logarithms, to that of one server less ----
for c in 12 13 14 15; do
    target=$(between "$(wait_of 10 $c)" "$(wait_of 10 $((c - 1)))")
    expect 0 '' "$gpuyard" plan size.yaml -o size --target "wait_mean_s<$target"
    says out "fifo: the smallest cluster.nodes.a.count with wait_mean_s<$target: $c"
    expect 0 '' "$gpuyard" plan size.yaml -o size --target "wait_mean_s<$target" --curve --format csv
    found=$(awk -F, '$12 == 1 { print $3 }' out)
    if [ "$found" = $c ] && [ "$(wc -l <out)" = 17 ]; then ok; else fail "the curve finds $found instead of $c"; fi
done
# A control: with 12 erlangs instead of 10 the same target asks for more.
sed 's/36000/43200/' mmc.yaml >more.yaml
sed 's/mmc.yaml/more.yaml/; s/11..26/13..26/' size.yaml >busier.yaml
target=$(between "$(wait_of 10 13)" "$(wait_of 10 12)")
expect 0 '' "$gpuyard" plan busier.yaml -o busier --target "wait_mean_s<$target"
says out "fifo: the smallest cluster.nodes.a.count with wait_mean_s<$target: 15"

# ---- The largest load, of two policies: sjf does with a shorter mean wait than fifo ----
for load in 0.9 1; do
    next=$(awk -v l=$load 'BEGIN { print l + .1 }')
    target=$(between "$(wait_of "$(awk -v l=$load 'BEGIN { print 10 * l }')" 13)" "$(wait_of "$(awk -v l=$next 'BEGIN { print 10 * l }')" 13)")
    expect 0 '' "$gpuyard" plan load.yaml -o load --target "wait_mean_s<$target" --format json
    python3 - "$load" <<'PY' && ok || fail "the largest load of fifo is not $load, or that of sjf is smaller"
import json, sys
of = {c['case']: c for c in json.load(open('out'))['cases']}
sys.exit(not (of['fifo']['found'] == sys.argv[1] and float(of['sjf']['found']) >= float(sys.argv[1]) and of['fifo']['monotone']))
PY
done

# ---- A load of the cluster is that of the base cluster, so that every size gets the same jobs ----
sed 's/^jobs: .*/jobs: 200/; s/^arrivals: .*/load: { target: 0.8 }/' mmc.yaml >loaded.yaml
cat >sizes.yaml <<'END'
clusters: c.yaml
traces: loaded.yaml
parameters: { cluster.nodes.a.count: [ 9, 13, 26 ] }
END
base='gpuyard: warning: the load of loaded is of the base cluster, c with 13 GPUs: clusters of all sizes get the same jobs'
expect 0 "$base" "$gpuyard" sweep -q sizes.yaml --keep-runs -o sizes
for run in sizes/runs/*; do cut -d, -f1-10 "$run/jobs.csv" | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "submit_s") c = i } { print $c }' | sha256sum; done | sort -u >jobs
[ "$(ls sizes/runs | wc -l)" = 3 ] && [ "$(wc -l <jobs)" = 1 ] && ok || fail 'sizes of one sweep have other jobs'
"$gpuyard" run -q -c c.yaml -t loaded.yaml -o alone
cmp -s alone/jobs.csv "$(ls -d sizes/runs/*13*)/jobs.csv" && ok || fail 'the jobs are not those of the base cluster'
grep -q '  load_gpus: 13' "$(ls -d sizes/runs/*26*)/manifest.json" && ok || fail 'the configuration does not say the GPUs of the load'
expect 0 "$base" "$gpuyard" plan -q sizes.yaml -o sizes-plan --target 'util_alloc<0.9'
sed 's/0.8/0.8, gpus: 13/' loaded.yaml >stated.yaml
sed 's/loaded/stated/' sizes.yaml >stated-sizes.yaml
expect 0 '' "$gpuyard" sweep -q stated-sizes.yaml -o stated

# ---- The picture: a panel for each target with its bound, tics at the values that were tried ----
if command -v gnuplot >plotter; then
    for picture in p q; do
        expect 0 '' "$gpuyard" plan size.yaml -o size --target 'wait_mean_s<0.1471' --target 'util_alloc<0.6' --plot $picture.svg
    done
    cmp -s p.svg q.svg && ok || fail "two pictures of one plan"
    for words in '>fifo: 17<' '>mean time in the queue' '>GPU time allocated (%)<' '>17<' '>cluster.nodes.a.count<'; do
        grep -qF -e "$words" p.svg && ok || fail "no $words in the picture of a plan"
    done
    [ "$(grep -c 'stroke-dasharray' p.svg)" -ge 2 ] && ok || fail "a picture without the bounds"
else
    echo "skipped: pictures of plans: no gnuplot here"
fi
expect 2 "gpuyard: plan: --plot: want a file that ends in .png, .svg or .pdf, got 'x.gif'" "$gpuyard" plan size.yaml --target 'wait_mean_s<1' --plot x.gif

# ---- Several targets, and none that meets them ----
expect 0 '' "$gpuyard" plan size.yaml -o size --target 'wait_mean_s<0.1471' --target 'util_alloc<0.6'
says out 'fifo: the smallest cluster.nodes.a.count with wait_mean_s<0.1471 and util_alloc<0.6: 17'
expect 0 '' "$gpuyard" plan size.yaml -o size --target 'wait_mean_s<-1'
says out 'fifo: the smallest cluster.nodes.a.count with wait_mean_s<-1: none of the values'
expect 0 'gpuyard: warning: there are runs without a wait_mean_s in queue=x: they do not meet the target' \
    "$gpuyard" plan size.yaml -o size --target 'wait_mean_s@queue=x<1'

# ---- Philly: eight weeks as samples of a week. More nodes, shorter waits, within the bands ----
philly=${GPUYARD_SHARED:-$root/../shared}/traces/philly/philly.csv.zst
if [ -f "$philly" ]; then
    for i in 0 1 2 3 4 5 6 7; do
        "$gpuyard" convert "$philly" --since "$(date -u -d "2017-10-02 + $((7 * i)) days" +%F)" \
            --until "$(date -u -d "2017-10-09 + $((7 * i)) days" +%F)" --rebase -o week$i.csv.gz || fail "week $i cannot be cut out"
    done
    cat >philly.yaml <<END
clusters: $root/traces/samples/philly_quarter.yaml
traces: [ week0.csv.gz, week1.csv.gz, week2.csv.gz, week3.csv.gz, week4.csv.gz, week5.csv.gz, week6.csv.gz, week7.csv.gz ]
policies: "fifo:blocking=skip"
parameters: { cluster.nodes.node.count: 40..160:20 }
END
    expect 0 '' "$gpuyard" plan philly.yaml -o philly --target 'wait_mean_s<3600' --over-traces --curve --format csv
    if awk -F, 'NR > 2 && $8 > high { exit 1 } NR > 1 { high = $9; rows++ } END { exit rows != 7 }' out; then ok
    else fail 'the curve of Philly is not monotone within its bands'; fi
else
    skipped=$((skipped + 1))
    echo "skipped: the curve of Philly: $philly is not there: say in GPUYARD_SHARED where the shared files are"
fi

# ---- Mistakes ----
expect 2 'gpuyard: plan: --target: want EXPR' "$gpuyard" plan size.yaml
expect 2 "gpuyard: plan: --target: there is no metric 'wait', see 'gpuyard list metrics'" "$gpuyard" plan size.yaml --target 'wait<1'
expect 2 "gpuyard: plan: size.yaml: the experiment has no 'load' to vary" "$gpuyard" plan size.yaml --target 'wait_mean_s<1' --vary load
expect 2 "gpuyard: plan: size.yaml: want several values of 'policy' in the experiment, in ascending order" \
    "$gpuyard" plan size.yaml --target 'wait_mean_s<1' --vary policy
expect 2 "gpuyard: plan: --confidence: want from 0.5 to less than 1, got '0.4'" "$gpuyard" plan size.yaml -t 'wait_mean_s<1' --confidence 0.4

cd "$root" || exit 1
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
