#!/bin/sh
# failures.sh GPUYARD - failures through the program: a rate of zero leaves every byte as it was, two policies meet the same
# faults, the independent checkers find nothing impossible, and the story of a job that failed reads well.
set -u
G=$(realpath "$1")
. "$(dirname "$0")/../support/checks.sh"
top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset COLUMNS
teams=$top/traces/samples/four_teams
files=jobs,intervals,timeseries,queues,nodes,summary,events

# ---- Rate zero ----
{ cat "$teams.yaml"; echo 'failures: { rate: none }'; } >none.yaml
expect 0 "" "$G" run -q -c "$teams.yaml" -t "$teams.csv" -p quota --outputs $files -o plain
expect 0 "" "$G" run -q -c none.yaml -t "$teams.csv" -p quota --outputs $files -o none
for f in jobs intervals timeseries queues nodes summary events; do same plain/$f.csv none/$f.csv; done

# ---- Much fails: the same faults under each policy, as far as their runs go ----
{ cat "$teams.yaml"
  echo 'failures: { faults_per_node_day: 0.5, scope: gpu, remediation: auto, cordon_faults: 3,'
  echo '  maintenance: [ { first: 0, count: 2, from_s: 86400, until_s: 100000, drain_s: 7200, every_s: 200000 } ] }'; } >much.yaml
for p in quota fifo:blocking=skip easy kube srtf; do
    expect 0 "" "$G" run -q -c much.yaml -t "$teams.csv" -p $p --outputs $files -o much
    if "$top/scripts/check_schedule" much >out; then ok; else fail "check_schedule, $p: $(tail -3 out)"; fi
    grep ',fault,,' much/events.csv | awk -F, '$1 < 500000 { print $1, $5, $6 }' >faults.$p
    same faults.quota faults.$p
done
[ "$(wc -l <faults.quota)" -gt 10 ] && ok || fail "only $(wc -l <faults.quota) faults"
expect 0 "" "$G" run -q -c much.yaml -t "$teams.csv" -p quota --seed 2 --outputs events -o other
grep ',fault,,' other/events.csv | awk -F, '$1 < 500000 { print $1, $5, $6 }' >faults.other
if cmp -s faults.quota faults.other; then fail "another seed, the same faults"; else ok; fi

# ---- By hand: models.md 11.2 (4), with a fault that is found after 10 s and a GPU that comes back at 150 ----
cat >cluster.yaml <<'END'
nodes: [ { group: node, count: 1, gpus: 8, gpu_model: A100-SXM4-80 } ]
preemption: { checkpoint: periodic, interval_s: 30, restart_s: 10 }
failures: { faults: [ { gpu: 2, cause: gpu, at_s: 50, repair_s: 100, detection_s: 10 } ] }
END
printf 'job_id,submit_s,duration_s,gpus\na,0,100,8\n' >trace.csv
expect 0 "" "$G" run -q -c cluster.yaml -t trace.csv -p fifo --outputs $files -o r
says r/events.csv '50,2,fault,,node 0 GPU 2,gpu'
says r/events.csv '50,3,stop,a,fault,gpu'
says r/intervals.csv 'a,0,0,8,0-7,1000,0,60,fault,'
says r/summary.csv 'node_failures,all,1,,1'
says r/summary.csv 'util_alloc,all,0.64,,1'                      # 8 x 140 of 8 x 230 - 90 GPU s
says r/summary.csv 'util_alloc_installed,all,0.6086956521739131,,1'   # 140 / 230
says r/summary.csv 'job_failures_gpu,all,1,,1'
expect 0 "" "$G" explain r a
holds out 'until a failure'
holds out 'is interrupted by a failure: gpu'
holds out 'stopped 1 time: 0.0444 GPU h of work lost'
if head -1 r/nodes.csv | grep -q ',faults,fault_gpu_s,down_gpu_s$'; then ok; else fail "nodes.csv: $(head -1 r/nodes.csv)"; fi
if tail -1 r/nodes.csv | grep -q ',1,80,90$'; then ok; else fail "nodes.csv: $(tail -1 r/nodes.csv)"; fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
