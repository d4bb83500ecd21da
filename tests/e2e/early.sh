#!/bin/sh
# early.sh GPUYARD - a run that begins while its trace is read: the same bytes, messages and statuses as of a process with one
# processor, which reads the trace before; whatever a late line says. tests/unit/test_early.c shows which of them begin early.
set -u
LC_ALL=C
export LC_ALL
G=${1:?usage: early.sh PATH-TO-GPUYARD}
case $G in /*) ;; *) G=$PWD/$G ;; esac
root=$PWD
work=$(mktemp -d "${TMPDIR:-/tmp}/gpuyard-early.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
. "$root/tests/support/checks.sh"
cd "$work" || exit 1
if ! command -v taskset >/dev/null; then
    echo "early: 0 passed, 0 failed, 1 skipped: no taskset here"
    exit 0
fi
printf '#!/bin/sh\nexec taskset -c "$(taskset -cp $$ | sed "s/.*: *//; s/[-,].*//")" "%s" "$@"\n' "$G" >on_one
chmod +x on_one
cat >cluster.yaml <<'Y'
name: c
nodes: [{ group: n, count: 40, gpus: 8 }]
Y

flat_queues() { # NAME...: on standard output a cluster with these
    cat cluster.yaml
    echo "queues:"
    for q do echo "  - { name: $q, deserved_gpus: 20 }"; done
}
flat_queues q8 q1 q0 q3 q2 q4 q7 q6 q5 unused >nine.yaml
flat_queues b a >two.yaml
flat_queues a >one.yaml
flat_queues a default >usual.yaml
cat cluster.yaml - >tree.yaml <<'Y'
queues:
  - { name: a, deserved_gpus: 20 }
  - { name: top, children: [{ name: b, deserved_gpus: 20 }] }
Y
{ cat cluster.yaml; echo "queues: [{ name: b }, { name: a, limit_gpus: 100 }]"; } >limited.yaml

# 70,000 jobs, some of which wait. trace NAME COLUMNS CELLS [SED...]: columns behind the others with their cells, and one line of
# the last thousand changed.
trace()
{
    awk -v columns="$2" -v cells="$3" 'BEGIN {
        print "job_id,submit_s,duration_s,gpus" columns
        for (k = 0; k < 70000; k++) {
            more = cells
            gsub(/%/, k % 9, more)
            gsub(/@/, int(k / 100), more)
            print "j" k "," k * 2 "," (k * 7919 % 1000) + 1 "," 2 ^ (k * 31 % 4) more
        }
    }' | if [ $# -gt 3 ]; then sed "$4"; else cat; fi >"$1.csv"
}
trace plain '' ''
trace queues ,queue,user,priority,estimate_s ',q%,u%,%,%500'
trace new_users ,user ',u@'
trace new_queue ,queue ',a' '69500s/a$/b/'
trace no_queue ,queue ',a' '69500s/a$//'
trace new_request '' '' '69500s/,[0-9]*$/,3/'
trace too_large '' '' '69500s/,[0-9]*$/,4000/'
trace unsorted '' '' '69500s/,[0-9]*,/,7,/'
trace deadline ,deadline_s , '69500s/$/999999/'
trace depends ,depends_on , '69500s/$/j9/'
trace empty_line '' '' '69500s/^/\
/'
trace two_lines '' '' '69500s/^[^,]*/"a\
b"/'
trace wrong '' '' '69500s/,[^,]*,/,soon,/'
trace twice '' '' '69500s/^[^,]*/j7/'
trace unclosed '' '' '69500s/^/"/'

trace gangs ,tasks,min_tasks ',2,1' 's/,[0-9]*,[0-9]*,2,1$/,200,2,2,1/'
trace large_gangs ,tasks,min_tasks ',2,1' 's/,[0-9]*,[0-9]*,2,1$/,200,2,2,1/; 5000s/,2,2,1$/,1000,125,30/; 69500s/,2,2,1$/,1000,125,60/'

# compare TRACE OPTIONS...: everything that it leaves and says
compare()
{
    t=$1
    shift
    for how in before both; do
        if [ $how = both ]; then by=$G; else by=./on_one; fi
        rm -rf out "$how"
        mkdir "$how"
        "$by" run -c "${cluster:-cluster}.yaml" -t "$t.csv" -o out "$@" >"$how/said" 2>"$how/err"
        echo $? >"$how/status"
        if [ -d out ]; then
            sed -i '/"written"/d; s|.*/on_one"|    "G"|; s|'"\"$G\""'|"G"|' out/manifest.json
            mv out "$how"
        fi
    done
    if diff -r before both >differs; then ok; else fail "$t $*: $(head -5 differs)"; fi
}
for t in plain queues new_users new_queue new_request too_large unsorted deadline depends empty_line two_lines wrong twice unclosed; do
    compare $t -p fifo
    compare $t -p easy --outputs all
done
says both/status 3
for policy in 'fifo --placement fgd' gang quota 'sjf --resident-mib 0.01' 'fifo --quiet' 'fifo --warmup 100' 'fifo --until 100000' \
    'fifo --load 2' 'multifactor --quantiles jct_p50_s' 'fifo --pods 3' 'gang --pods 8' \
    'quota --pods 3 --resident-mib 0.01' 'easy --pods 1'; do
    compare plain -p $policy
done
compare queues -p fair-tree
for t in gangs large_gangs; do
    compare $t -p gang --outputs all
    compare $t -p quota
done
for t in new_request new_users too_large unsorted deadline empty_line wrong unclosed; do
    compare $t -p quota --pods 3 --outputs all
done

# Queues of the cluster: one that is never used, one that is used late, one that is not there, none
for cluster in nine two; do
    compare queues -p quota --outputs all
    compare queues -p quota --outputs all --pods 3
done
for cluster in one two usual tree limited; do
    for t in plain new_queue no_queue; do
        compare $t -p fifo:scope=queue
    done
done
cluster=cluster

# A run that fails says so where the trace is right, and of no other run than one of the whole.
cat >stuck.c <<'C'
#include "policy.h"
static job_id one = ID_NONE;
static void arrived(struct sched *s, const void *params, void *state, job_id j) { one = one == ID_NONE ? j : one; }
static void schedule(struct sched *s, const void *params, void *state)
{
    struct request r = job_request(s, one);
    if (job_state(s, one) == JOB_RUNNING)
        sched_stop(s, one, STOP_RESTART);
    else if (job_state(s, one) == JOB_PENDING)
        sched_start(s, one, sched_place(s, sched_view(s, FREE_IDLE), &r));
    sched_wake_at(s, sched_now(s) + 1);
}
const struct policy policy_plugin = { .abi = POLICY_ABI, .name = "stuck", .summary = "starts and stops a job", .schedule = schedule,
                                     .job_arrived = arrived };
C
if command -v cc >/dev/null; then
    cc -std=c17 -O1 -fPIC -shared -I"$root/sim/contract" -o stuck.so stuck.c
    check "a policy that is stuck compiles" $?
    for t in plain unsorted new_request wrong; do
        compare $t -p ./stuck.so
    done
    holds before/err "wrong.csv:69500: submit_s"
    compare plain -p ./stuck.so
    holds both/err "policy stuck is in a livelock"
else
    echo "skipped: a policy that is stuck: no cc here"
fi

# ---- Stopped in the middle: nothing is left ----
"$G" run -q -c cluster.yaml -t plain.csv -o cut 2>err &
pid=$!
while kill -0 $pid 2>/dev/null && ! [ -s cut/.jobs.csv.partial ]; do :; done
kill -INT $pid 2>/dev/null
wait $pid
case $? in
130) none cut ;;
0) ok ;;      # it had ended already
*) fail "a signal: status $?: $(cat err)" ;;
esac
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
