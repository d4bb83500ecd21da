#!/bin/sh
# requeues.sh GPUYARD - how often a job that was stopped goes back to its queue: preemption, failures, moves, by hand; then small
# random traces under many policies, through the checkers.
set -u
LC_ALL=C
export LC_ALL
G=${1:?usage: requeues.sh PATH-TO-GPUYARD}
case $G in /*) ;; *) G=$PWD/$G ;; esac
root=$PWD
work=$(mktemp -d "${TMPDIR:-/tmp}/gpuyard-requeues.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
. "$root/tests/support/checks.sh"
# run CLUSTER TRACE POLICY: and its checkers
run() {
    "$G" run -q -c "$1" -t "$2" -p "$3" -o out.d >out 2>err || fail "$1 $2 $3: $(cat err)"
    for checker in check_schedule check_summary; do
        "$root/scripts/$checker" out.d >checked 2>&1 && ok || fail "$1 $2 $3: $(cat checked)"
    done
}
# ends NAME: job, end, status, one a word
ends() {
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { printf "%s%s=%s:%s", (NR > 2 ? " " : ""), $at["job_id"], $at["end_s"], $at["state"] }' out.d/jobs.csv >got
    [ "$(cat got)" = "$2" ] && ok || fail "$1: want $2, got $(cat got)"
}
cat >one.yaml <<'YAML'
nodes: [ { group: n, count: 1, gpus: 1 } ]
preemption: { checkpoint: perfect }
YAML

# ---- A stop for a job of a higher priority, at 10 s and, of what came back, at 40 s. b and c run 5 s each
trace() { printf 'job_id,submit_s,duration_s,gpus,priority,max_requeues\na,0,100,1,0,%s\nb,10,5,1,1,\nc,40,5,1,1,\n' "$1" >t.csv; }
trace ''
run one.yaml t.csv preemptive
ends "any number" "a=110:completed b=15:completed c=45:completed"
trace 0
run one.yaml t.csv preemptive
ends "none" "a=10:failed b=15:completed c=45:completed"
trace 1
run one.yaml t.csv preemptive
ends "one" "a=40:failed b=15:completed c=45:completed"
trace 2
run one.yaml t.csv preemptive
ends "two" "a=110:completed b=15:completed c=45:completed"
# of the cluster, unless the job says more; the world says so once
sed 's/perfect/perfect, max_requeues: 0/' one.yaml >never.yaml
trace ''
run never.yaml t.csv preemptive
ends "none in the cluster" "a=10:failed b=15:completed c=45:completed"
"$G" run -c never.yaml -t t.csv -p preemptive -o out.d >out 2>err
says err "gpuyard: warning: 1 job failed when stopped, as max_requeues lets it go back to its queue no more"
trace 5
run never.yaml t.csv preemptive
ends "but five of the job" "a=110:completed b=15:completed c=45:completed"
# a snapshot at 20 s says how many requeues are left of one and of two: c stops a at 40 s for the second time
for case in 1=20:failed 2=90:completed; do
    trace ${case%%=*}
    "$G" run -c one.yaml -t t.csv -p preemptive --snapshot 20 -o out.d >out 2>err
    check "a snapshot after one of ${case%%=*} requeues: $(cat err)" $?
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "max_requeues") column = i } $1 == "a" { print column ? $column : "" }' \
        out.d/snapshot.csv >got
    [ "$(cat got)" = $((${case%%=*} - 1)) ] && ok || fail "requeues left of ${case%%=*}: $(cat got)"
    cp out.d/snapshot.csv later.csv
    run one.yaml later.csv preemptive
    ends "from then on, of ${case%%=*}" "a=${case#*=} c=25:completed"
done
# a job that is suspended does not go back to its queue
trace 0
run one.yaml t.csv preemptive:mode=suspend
ends "suspended" "a=110:completed b=15:completed c=45:completed"

# ---- It has failed, to those that depend on it
printf 'job_id,submit_s,duration_s,gpus,priority,max_requeues,depends_on\na,0,100,1,0,0,\nb,10,5,1,1,,\nok,0,5,1,0,,afterok:a\nnot,0,5,1,0,,afternotok:a\n' >t.csv
run one.yaml t.csv preemptive
ends "dependants" "a=10:failed ok=:cancelled not=20:completed b=15:completed"

# ---- A node fails at 20 s, is found at once and back at 30 s; a is not given up by the failures themselves
cat >fault.yaml <<'YAML'
nodes: [ { group: n, count: 1, gpus: 1 } ]
preemption: { checkpoint: perfect, max_requeues: MOST }
failures: { rate: none, faults: [ { kind: fault, group: n, node: 0, at_s: 20, repair_s: 10, detection_s: 0 } ] }
YAML
printf 'job_id,submit_s,duration_s,gpus\na,0,100,1\n' >t.csv
for case in '0=20:failed' '1=110:completed' 'unlimited=110:completed'; do
    sed "s/MOST/${case%%=*}/" fault.yaml >fault1.yaml
    run fault1.yaml t.csv fifo
    ends "a failure, ${case%%=*} requeues" "a=${case#*=}"
done
sed 's/failures:.*/failures: { rate: none, maintenance: [ { from_s: 20, until_s: 30 } ] }/; s/MOST/0/' fault.yaml >upkeep.yaml
run upkeep.yaml t.csv fifo
ends "maintenance" "a=20:failed"

# ---- Slurm: the partition urgent stops jobs of batch, and requeues them where they may be
cat >tiers.yaml <<'YAML'
nodes: [ { group: n, count: 1, gpus: 1 } ]
partitions:
  - { name: batch, nodes: all, default: true, tier: 1, preempt_mode: requeue }
  - { name: urgent, nodes: all, tier: 5 }
preemption: { checkpoint: none }
YAML
printf 'job_id,submit_s,duration_s,gpus,partition,max_requeues\na,0,100,1,batch,0\nb,10,5,1,urgent,\n' >t.csv
run tiers.yaml t.csv slurm:preempt=partition,requeue_delay_s=0
ends "Slurm: --no-requeue" "a=10:failed b=16:completed"    # the nodes of a complete until 11 s

# ---- What is wrong
for value in -1 1000001 many; do
    printf 'job_id,submit_s,duration_s,gpus,max_requeues\na,0,1,1,%s\n' $value >bad.csv
    "$G" check bad.csv >out 2>err
    [ $? -eq 3 ] && grep -q "^gpuyard: bad.csv:2: max_requeues: " err && ok || fail "max_requeues $value: $(cat err)"
done
sed 's/perfect/perfect, max_requeues: -1/' one.yaml >bad.yaml
"$G" check -c bad.yaml t.csv >out 2>err
[ $? -eq 3 ] && grep -q '^gpuyard: bad.yaml:2:.*max_requeues: ' err && ok || fail "max_requeues -1: $(cat err)"

# ---- Random traces: all policies end jobs that they expected back, and every run holds
cat >many.yaml <<'YAML'
nodes: [ { group: n, count: 4, gpus: 4 } ]
queues: [ { name: p, deserved_gpus: 10 }, { name: q, deserved_gpus: 6 } ]
preemption: { checkpoint: periodic, interval_s: 60, save_s: 5, grace_s: 20, restart_s: 10 }
failures: { faults_per_node_day: 4, repair: fixed, repair_s: 600 }
YAML
awk 'BEGIN { srand(7); print "job_id,submit_s,duration_s,gpus,tasks,queue,priority,estimate_s,max_requeues"
    for (j = 0; j < 150; j++) { t += int(rand() * 240); d = 60 + int(rand() * 4000); n = 1 + int(rand() * 4)
        print "j" j "," t "," d "," 2 * n "," n "," (rand() < .5 ? "p" : "q") "," int(rand() * 3) "," d "," (rand() < .6 ? int(rand() * 3) : "") } }' >many.csv
# A job that failed by that was stopped once more than it may be requeued; no other was as often.
ended=0
for p in fifo srtf las preemptive quota kube drf easy slurm themis; do
    run many.yaml many.csv $p
    awk -F, 'FILENAME == "many.csv" { if (FNR > 1) most[$1] = $NF; next }
        FNR == 1 { for (i = 1; i <= NF; i++) at[FILENAME, $i] = i; next }
        FILENAME ~ /intervals/ { j = $at[FILENAME, "job_id"]; why = $at[FILENAME, "end_reason"]; end = $at[FILENAME, "end_s"]
            if ((why == "preempted" || why == "fault") && last[j] != end) { stops[j]++; last[j] = end }
            next }
        { j = $at[FILENAME, "job_id"]; failed = $at[FILENAME, "state"] == "failed"
            if (most[j] == "" ? failed : failed != (stops[j] > most[j]) || stops[j] > most[j] + 1) print j, most[j], stops[j] }
        END { n = 0; for (j in most) n += most[j] != "" && stops[j] > most[j]; print n >"ended" }' many.csv out.d/intervals.csv out.d/jobs.csv >wrong
    [ -s wrong ] && fail "$p: $(head -3 wrong)" || ok
    ended=$((ended + $(cat ended)))
done
[ $ended -gt 20 ] && ok || fail "only $ended jobs were ended in all"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
