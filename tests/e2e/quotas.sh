#!/bin/sh
# quotas.sh GPUYARD - scripts/check_quotas meets the metrics of quota of runs of every kind, and rejects each fault planted
# into a copy of one.
set -u
gpuyard=$1
. tests/support/checks.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/cluster.yaml" <<'END'
nodes:
  - { group: a, count: 4, gpus: 8, gpu_model: V100-SXM2-32 }
queues:
  - name: research
    deserved_gpus: 20
    queues:
      - { name: vision, deserved_gpus: 8 }
      - { name: language, deserved_gpus: 10.5, weight: 3 }
  - { name: robotics, deserved_gpus: 0 }
  - { name: platform }
preemption: { checkpoint: periodic, interval_s: 600, save_s: 10, grace_s: 30, restart_s: 60 }
END
awk -F, -v OFS=, 'NR == 1 { print $0 ",gpu_milli"; next } { print $0, $4 == 1 && NR % 4 == 0 ? 250 * (1 + NR % 3) : "" }' \
    traces/samples/four_teams.csv >"$work/trace.csv"

run() { # NAME OPTIONS...
    name=$1
    shift
    "$gpuyard" run -q -c "$work/$cluster.yaml" -t "$work/trace.csv" -o "$work/$name" "$@" || fail "$name: does not run"
    scripts/check_quotas "$work/$name" >"$work/said" || { sed 's/^/    /' "$work/said"; fail "$name: other metrics"; return; }
    ok
}
cluster=cluster
run good -p priority:preempt=yes
run srtf -p srtf
run kube -p kube --until 400000
run themis -p themis
run periodic -p priority:preempt=yes --set period_s=30 --set preemption.checkpoint=none
run loss -p loss
run until -p fifo --until 100000
run cancels -p preemptive:mode=cancel
(cat "$work/cluster.yaml"; echo 'failures: { faults_per_node_day: 2, max_retries: 0 }') >"$work/failures.yaml"
cluster=failures
run gives_up -p fifo
sed '/^queues/,/platform/d' "$work/cluster.yaml" >"$work/no_queues.yaml"
cluster=no_queues
run from_trace -p fifo

# plant FILE AWK WORDS: the fault is planted into a copy of the first run, and must be found with these words.
plant()
{
    rm -rf "$work/bad"
    cp -r "$work/good" "$work/bad"
    awk -F, -v OFS=, "$2" "$work/good/$1" >"$work/bad/$1"
    if cmp -s "$work/good/$1" "$work/bad/$1"; then fail "nothing planted into $1: $2"; return; fi
    if scripts/check_quotas "$work/bad" >"$work/said"; then fail "not found in $1: $2"; return; fi
    holds "$work/said" "$3"
}
plant summary.csv '/^quota_satisfaction,queue=vision/ { $3 += 1e-12 } { print }' "quota_satisfaction of queue=vision"
plant summary.csv '/^borrowed_gpu_h,all/ { $3 = "" } { print }' "borrowed_gpu_h of all"
plant summary.csv '!/^reclaims,queue=language/' "reclaims of queue=language"
plant summary.csv '/^time_to_reclaim_p90_s,all/ { $3 += 1 } { print }' "time_to_reclaim_p90_s of all"
plant intervals.csv 'NR == 100 { $8 += 1 } { print }' "borrowed_gpu_h of all"
plant intervals.csv 'NR > 1 && $10 != "" && !done { $10 = ""; done = 1 } { print }' "preemptions_policy of all"
plant jobs.csv 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR > 1 && $at["wait_s"] > 100 && !done { $at["wait_s"] -= 50; done = 1 } { print }' "queues.csv:"
plant queues.csv '$2 == "vision" { $4 = 9 } { print }' "quota_satisfaction of queue=vision"
plant queues.csv 'NR == 50 { $3 += 1 } { print }' "queues.csv: queue"
rm "$work/bad/intervals.csv"
scripts/check_quotas "$work/bad" >"$work/said" 2>&1
status=$?
[ $status -eq 2 ] || fail "a missing file: status $status"
holds "$work/said" "intervals.csv: No such file"

# ---- The plot: the same bytes twice, also of a run without quotas; a terminal's is as wide as asked for ----
plot() { "$gpuyard" plot "$3" --kind quota --format "$1" -o "$2"; }
for format in png svg pdf; do
    plot $format "$work/a" "$work/good" && plot $format "$work/b" "$work/good" && [ -s "$work/a" ] && same "$work/a" "$work/b"
done
plot svg "$work/a" "$work/from_trace" && holds "$work/a" "vision: no quota"
plot svg "$work/a" "$work/good" && holds "$work/a" "language: quota 10.5, "
awk -F, -v OFS=, 'NR > 1 { $6 = $4 } { print }' "$work/good/queues.csv" >"$work/bad/queues.csv"
plot svg "$work/a" "$work/bad" && holds "$work/a" ">fair share<"
COLUMNS=60 plot term - "$work/good" >"$work/said"
holds "$work/said" "  research: quota 20, "
awk 'length($0) > 60 { exit 1 }' "$work/said" && ok || fail "plot --format term: a line over 60 columns"
"$gpuyard" plot "$work/good" "$work/srtf" --kind quota -o "$work/a.svg" 2>"$work/said"
holds "$work/said" "gpuyard: plot: quota shows one directory, got '$work/srtf' besides"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
