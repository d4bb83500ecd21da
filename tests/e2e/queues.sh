#!/bin/sh
# queues.sh GPUYARD - one cluster file for several policies: limits bind under each, an inner queue without a quota has that of
# its children, and what a policy does not read is said.
set -u
G=$(realpath "$1")
. "$(dirname "$0")/../support/checks.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
nodes='nodes: [ { group: node, count: 1, gpus: 8, gpu_model: A100-SXM4-80 } ]'

# A job that is not preemptible stays within the quota of its queue and of those above: 4 of 4, and of the 6 of both children.
cat >tree.yaml <<END
$nodes
queues: [ { name: org, queues: [ { name: a, deserved_gpus: 4 }, { name: b, deserved_gpus: 2 } ] } ]
END
sed 's/name: org,/name: org, deserved_gpus: 0,/' tree.yaml >none.yaml
cat >firm.csv <<'END'
job_id,submit_s,duration_s,gpus,queue,preemptible
x,0,100,4,a,no
END
for policy in quota cohort; do
    "$G" run -c tree.yaml -t firm.csv -p $policy -o $policy >out 2>err || fail "$policy: $(cat err)"
    holds $policy/summary.csv "jobs_completed,all,1,"
done
# Control: with a quota of 0 of its own it never starts, and waits for quota.
"$G" run -c none.yaml -t firm.csv -p quota -o none >out 2>err || fail "none: $(cat err)"
holds none/summary.csv "jobs_never_started,all,1,"
# Local queues in the order of wait change nothing: as if all their jobs were in the queue above. By use they do (control).
cat >local.yaml <<'END'
nodes:
  - { group: h, count: 1, gpus: 8, labels: { pool: h } }
  - { group: l, count: 1, gpus: 8, labels: { pool: l } }
flavors: [ { name: h, node_labels: { pool: h } }, { name: l, node_labels: { pool: l } } ]
queues:
  - name: org
    preemption: { reclaim_within_cohort: any }
    queues:
      - name: team
        flavors: [ { flavor: h, deserved_gpus: 2 }, { flavor: l, deserved_gpus: 4 } ]
        local_queues: fifo
        queues: [ { name: a }, { name: b } ]
      - { name: rest, flavors: [ { flavor: l, deserved_gpus: 4 }, { flavor: h, deserved_gpus: 6 } ] }
END
sed '/local_queues/d; /name: a/d' local.yaml >plain.yaml
sed 's/fifo/by-use/' local.yaml >used.yaml
awk 'BEGIN {
    print "job_id,submit_s,duration_s,gpus,queue"
    for (i = 0; i < 200; i++)
        printf "%d,%d,%d,%d,%s\n", i, 40 * i, 100 + 37 * i % 900, 2 ^ (i * 7 % 4), i % 5 < 2 ? "rest" : i % 5 < 4 ? "a" : "b"
}' >local.csv
sed 's/,[ab]$/,team/' local.csv >plain.csv
for sharing in classical fair; do
    for name in local plain used; do
        trace=local.csv
        [ $name != plain ] || trace=plain.csv
        "$G" run -q -c $name.yaml -t $trace -p "cohort:sharing=$sharing" -o $sharing-$name 2>err || fail "$sharing $name: $(cat err)"
        cut -d, -f1,3-13 $sharing-$name/jobs.csv >$name.$sharing
    done
    same local.$sharing plain.$sharing
    cmp -s local.$sharing used.$sharing && fail "$sharing: by use the order is that of wait"
done
# In a cohort a quota of its own comes on top of those below it; the sum does not: of 8 GPUs 6 are quota, and
# z, which need not borrow, goes first.
cat >all.csv <<'END'
job_id,submit_s,duration_s,gpus,queue
y,0,100,6,a
z,0,100,2,b
END
"$G" run -c tree.yaml -t all.csv -p cohort -o all >out 2>err || fail "all: $(cat err)"
awk -F, '$1 == "y" && $9 == 100 || $1 == "z" && $9 == 0' all/jobs.csv | wc -l >got
echo 2 >want
same want got

# A limit of 4: nothing of queue a is over it at any time, under any policy, and b does not wait behind it.
cat >limit.yaml <<END
$nodes
queues: [ { name: a, deserved_gpus: 4, limit_gpus: 4 }, { name: b, deserved_gpus: 4 } ]
END
cat >limit.csv <<'END'
job_id,submit_s,duration_s,gpus,queue
a1,0,100,4,a
a2,1,100,4,a
b1,2,100,4,b
END
for policy in fifo sjf easy kube gang preemptive drf quota cohort static las themis; do
    "$G" run -c limit.yaml -t limit.csv -p $policy -o l-$policy >out 2>err || fail "$policy: $(cat err)"
    awk -F, 'NR > 1 && $2 == "a" && $3 > 4 { exit 1 }' l-$policy/queues.csv && ok || fail "$policy: over the limit"
    awk -F, '$1 == "b1" && $9 == 2' l-$policy/jobs.csv | grep -q . && ok || fail "$policy: b1 waits"
done

# What changes no decision is said, once: quotas and weights under fifo, nothing under quota; a cohort of none.
cat >flat.yaml <<END
$nodes
queues: [ { name: a, deserved_gpus: 4, weight: 2 }, { name: b, deserved_gpus: 4 } ]
END
expect 0 "gpuyard: warning: policy fifo does not read the deserved quotas and weights of queues: they change no decision" \
    "$G" run -c flat.yaml -t all.csv -p fifo -o f
expect 0 "gpuyard: warning: policy drf does not read the deserved quotas of queues: they change no decision" \
    "$G" run -c flat.yaml -t all.csv -p drf -o d
expect 0 "" "$G" run -c flat.yaml -t all.csv -p quota -o q
none="gpuyard: warning: policy cohort: no queue has a cohort, so none borrows: want the queues below one, or 'cohort: all' in the cluster file"
expect 0 "gpuyard: warning: 1 job rejected; it is 'y': asks for more than its queue could ever borrow
$none" \
    "$G" run -c flat.yaml -t all.csv -p cohort -o c
sed 's/^queues/cohort: all\nqueues/' flat.yaml >below.yaml
expect 0 "" "$G" run -c below.yaml -t all.csv -p cohort -o b
holds b/summary.csv "jobs_completed,all,2,"
sed 's/name: b/name: all/' below.yaml >twice.yaml
"$G" run -c twice.yaml -t all.csv -p cohort -o t >out 2>err && fail "two queues 'all'" || ok
holds err "queue 'all'"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
