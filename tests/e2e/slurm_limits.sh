#!/bin/sh
# slurm_limits.sh GPUYARD - limits of partitions, QOS and accounts under policy `slurm`, worked out by hand from the rules of
# docs/schedulers.md f.8: who starts when, and on which nodes.
set -u
gpuyard=$1
case $gpuyard in /*) ;; *) gpuyard=$PWD/$gpuyard ;; esac
. tests/support/checks.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
cd "$work" || exit 1

# plays NAME POLICY: one.yaml and jobs.csv; standard input has JOB START NODES in the order of the trace, - where it never starts.
plays()
{
    "$gpuyard" run -q -c one.yaml -t jobs.csv -p "$2" -o "run-$1" 2>err || { fail "$1: $(cat err)"; cat >/dev/null; return; }
    awk -F, 'FILENAME ~ /intervals/ { if (FNR > 1) on[$1] = on[$1] (on[$1] == "" ? "" : ";") $NODE; next }
        FNR == 1 { next } { print $1, $9 == "" ? "-" : $9, on[$1] == "" ? "-" : on[$1] }' \
        NODE="$(head -n 1 "run-$1/intervals.csv" | tr , '\n' | grep -nx node | cut -d: -f1)" \
        "run-$1/intervals.csv" "run-$1/jobs.csv" >got
    got_is "$1"
}

# 16 GPUs are two nodes: one more than the partition allows. a waits for that limit, for ever, and blocks nobody
# (EnforcePartLimits=NO; src/slurmctld/job_scheduler.c, _schedule: a configuration that is never available).
cat >one.yaml <<'END'
nodes: [{ group: g, count: 2, gpus: 8 }]
partitions: [{ name: p, nodes: all, max_nodes: 1 }]
END
cat >jobs.csv <<'END'
job_id,submit_s,duration_s,gpus,estimate_s
a,0,100,16,100
b,0,100,8,100
END
plays max_nodes slurm:scheduler=builtin <<'END'
a - -
b 0 0
END

# The nodes of the lowest weight go first, and have 8 GPUs together, but one node has to do: without the nodes that could take
# fewest GPUs the choice falls on node 2 (src/plugins/select/cons_common/job_test.c, _choose_nodes).
cat >one.yaml <<'END'
nodes: [{ group: small, count: 2, gpus: 4 }, { group: large, count: 1, gpus: 8, weight: 5 }]
partitions: [{ name: p, nodes: all, max_nodes: 1 }]
END
printf 'job_id,submit_s,duration_s,gpus,estimate_s\na,0,100,8,100\n' >jobs.csv
plays large_node slurm <<'END'
a 0 2
END

# 12 GPUs are those of two partitions together: no entry can ever be met, and c and b are not behind it.
cat >one.yaml <<'END'
nodes: [{ group: g, count: 1, gpus: 8 }, { group: h, count: 1, gpus: 4 }]
partitions: [{ name: p, nodes: { g: all } }, { name: q, nodes: { h: all } }]
END
cat >jobs.csv <<'END'
job_id,submit_s,duration_s,gpus,estimate_s,partition
a,0,100,12,100,p;q
b,0,100,8,100,p
c,0,100,4,100,q
END
plays neither_partition slurm:scheduler=builtin <<'END'
a - -
b 0 0
c 0 1
END

# a and b are not in the queue of their partition, which is too small or too short for them (job_scheduler.c,
# build_job_queue): they do not count in the depth. c and d do; the next pass of its own is sched_interval later.
cat >one.yaml <<'END'
nodes: [{ group: g, count: 2, gpus: 8 }]
partitions: [{ name: p, nodes: all, max_time_s: 600, max_nodes: 1 }]
END
cat >jobs.csv <<'END'
job_id,submit_s,duration_s,gpus,estimate_s
a,0,100,16,100
b,0,100,1,1000
c,0,100,2,100
d,0,100,2,100
e,0,100,2,100
END
plays depth slurm:scheduler=builtin,partition_job_depth=2 <<'END'
a - -
b - -
c 0 0
d 0 0
e 60 0
END

# a and b are in the queue, over a limit of their QOS, and count: c is never looked at, as in Slurm, and waits for that limit.
cat >one.yaml <<'END'
nodes: [{ group: g, count: 1, gpus: 8 }]
qos: [{ name: few, max_gpus_per_job: 2 }]
partitions: [{ name: p, nodes: all, qos: few }]
END
cat >jobs.csv <<'END'
job_id,submit_s,duration_s,gpus,estimate_s
a,0,100,4,100
b,0,100,4,100
c,0,100,2,100
END
plays held slurm:scheduler=builtin,partition_job_depth=2 <<'END'
a - -
b - -
c - -
END
"$gpuyard" run -q -c one.yaml -t jobs.csv -p slurm:scheduler=builtin,partition_job_depth=2 --outputs events -o told
holds told/events.csv 'decision,c,blocked,limit'

# SUSPEND frees no GPUs: h, of the higher tier, waits for a and b, though requeueing would start it. As its plan never expects these to
# end, it has no reservation, and c backfills beside b; with b and a ending at 60 (no preemption) h would be planned for 60 on both nodes,
# and c, which ends at 186, would wait for h (src/plugins/select/cons_common/job_test.c, _run_now and _will_run_test).
cat >one.yaml <<'END'
nodes: [{ group: g, count: 2, gpus: 4 }]
partitions: [{ name: low, nodes: all, tier: 1, preempt_mode: suspend }, { name: high, nodes: all, tier: 2, preempt_mode: "off" }]
END
cat >jobs.csv <<'END'
job_id,submit_s,duration_s,gpus,tasks,gpus_per_task,estimate_s,partition
a,0,50,4,1,4,60,low
b,0,30,2,1,2,60,low
h,5,60,8,2,4,60,high
c,6,180,2,1,2,180,low
END
every=batch_sched_delay=0,bf_interval=1,bf_resolution=1,bf_window=60,requeue_delay_s=10
plays suspend slurm:preempt=partition,preempt_mode=requeue,$every <<'END'
a 0 0
b 0 1
h 186 0;1
c 6 1
END
plays no_preemption slurm:preempt=none,$every <<'END'
a 0 0
b 0 1
h 50 0;1
c 110 0
END
sed -i 's/preempt_mode: suspend/preempt_mode: cancel/' one.yaml
plays cancel slurm:preempt=partition,preempt_mode=requeue,$every <<'END'
a 0 0
b 0 1
h 6 0;1
c 66 0
END
# Backfill plans each component on nodes of its own (SchedMD/slurm:doc/html/heterogeneous_jobs.shtml, limitations): one node is too few
# for two, and the job is refused, where c has started beside it; on two nodes it starts, each component on its own, though both fit one
# (SchedMD/slurm:src/plugins/sched/backfill/backfill.c, _foreach_het_job_start_now: used_bitmap).
cat >one.yaml <<'END'
nodes: [{ group: g, count: 1, gpus: 8 }]
partitions: [{ name: p, nodes: all }]
END
cat >jobs.csv <<'END'
job_id,submit_s,duration_s,gpus,estimate_s,group,tasks
h,0,100,2,100,a,1
h,0,100,2,100,b,1
c,1,100,4,100,,1
END
plays components_one_node slurm:$every <<'END'
h - -
c 1 0
END
sed -i 's/count: 1/count: 2/' one.yaml
plays components_two_nodes slurm:$every <<'END'
h 0 0;1
c 1 0
END
# Components in one of two partitions: both entries of h are planned at 0, and one starts, with the limit of p. By that b is reserved
# from 60 on, so that c, of 120 s, waits; by the limit of q it would not.
cat >one.yaml <<'END'
nodes: [{ group: g, count: 2, gpus: 4 }, { group: h, count: 2, gpus: 4 }]
partitions: [{ name: p, nodes: { g: all }, max_time_s: 60 }, { name: q, nodes: { h: all }, max_time_s: 6000 },
             { name: any, nodes: { g: all } }]
END
cat >jobs.csv <<'END'
job_id,submit_s,duration_s,gpus,estimate_s,group,tasks,partition
h,0,60,2,,a,1,p;q
h,0,60,2,,b,1,p;q
b,1,10,8,60,,2,any
c,2,10,4,120,,1,any
END
plays components_two_partitions slurm:$every <<'END'
h 0 0;1
b 60 0;1
c 70 0
END
! grep -q refused-requests run-components_two_partitions/manifest.json || fail "components_two_partitions: asks for what cannot be"
# A job of components longer than its account allows waits for that limit, which is no stall.
cat >one.yaml <<'END'
nodes: [{ group: g, count: 2, gpus: 8 }]
accounts: [{ name: team, max_time_s: 60, users: [{ name: u }] }]
END
cat >jobs.csv <<'END'
job_id,submit_s,duration_s,gpus,estimate_s,group,tasks,account,user
h,0,100,2,100,a,1,team,u
h,0,100,2,100,b,1,team,u
END
plays components_limit slurm:$every <<'END'
h - -
END
# A cycle of backfill tests one entry, that of a, which its QOS holds for ever: it never comes to h, which no main pass starts. h waits
# behind others, and so does c, as h has blocked q, with the nodes of r; no stall.
cat >one.yaml <<'END'
nodes: [{ group: g, count: 2, gpus: 2 }]
qos: [{ name: few, group_gpus: 1 }]
partitions: [{ name: p, nodes: all }, { name: q, nodes: all }, { name: r, nodes: all }]
END
cat >jobs.csv <<'END'
job_id,submit_s,duration_s,gpus,estimate_s,group,partition,qos
a,0,100,2,100,,p,few
h,1,100,1,100,a,p;q,
h,1,100,2,100,b,p;q,
c,2,10,1,60,,r,
END
plays components_never_tested slurm:$every,bf_max_job_test=1 <<'END'
a - -
h - -
c - -
END
"$gpuyard" run -q -c one.yaml -t jobs.csv -p slurm:$every,bf_max_job_test=1 --outputs all -o waits 2>err
[ "$(awk -F, '$3 == "wait" { printf "%s %s, ", $4, $5 }' waits/events.csv)" = "a limit, h order, c order, " ] && ok ||
    fail "components_never_tested: $(grep wait waits/events.csv)"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
