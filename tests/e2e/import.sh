#!/bin/sh
# import.sh GPUYARD - gpuyard import slurm: a site by hand, what its files say, and that the trace is the log.
set -u
gpuyard=$1
root=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
. "$root/tests/support/checks.sh"
cells() { # FILE NAMES: these columns; one that the file does not have is empty
    awk -F, -v names="$2" 'BEGIN { n = split(names, name, ","); print names }
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { for (i = 1; i <= n; i++) printf "%s%s", name[i] in at ? $at[name[i]] : "", i < n ? "," : "\n" }' "$1"
}

# ---- A site of eight nodes, two types of GPUs, three switches, overlapping partitions
mkdir site
cat >site/slurm.conf <<'END'
ClusterName=lab            # a comment
SchedulerType = sched/backfill
SchedulerParameters=bf_interval=60,bf_window=1440,bf_continue
SelectTypeParameters=CR_Core_Memory
PriorityType=priority/multifactor
PriorityWeightAge=1000
PriorityWeightFairshare=5000
PriorityMaxAge=1-0
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
SlurmctldPort=6817
Include nodes.conf
PartitionName=DEFAULT MaxTime=1-00:00:00 State=UP
NodeSet=large Feature=big
NodeSet=small Nodes=n[05-06]
PartitionName=batch Nodes=large,small Default=YES DefaultTime=60
PartitionName=urgent Nodes=n[05-08] PriorityTier=5 PriorityJobFactor=3 \
  MaxTime=30 PreemptMode=OFF AllowGroups=wheel
END
cat >site/nodes.conf <<'END'
NodeName=DEFAULT Sockets=2 CoresPerSocket=8 ThreadsPerCore=2 RealMemory=65536
NodeName=n[01-04] Gres=gpu:a100:4 Feature=ib,big Weight=10
NodeName=n[05-07] Gres=gpu:2 CoreSpecCount=2
NodeName=n08 Gres=gpu:2 State=DOWN
END
echo 'NodeName=n[05-08] Name=gpu Type=v100 File=/dev/nvidia[0-1] Cores=0-15' >site/gres.conf
cat >site/topology.conf <<'END'
SwitchName=s0 Nodes=n[01-04]
SwitchName=s1 Nodes=n[05-08]
SwitchName=top Switches=s[0-1]
END
cat >accounts <<'END'
Cluster - 'lab':Fairshare=1:QOS='normal'
Parent - 'root'
Account - 'phys':Description='physics: all of it':Fairshare=3:GrpTRES=gres/gpu=20
Account - 'chem':Fairshare=1
Parent - 'phys'
User - 'ann':DefaultQOS='normal':Fairshare=2147483647:MaxJobs=3
Parent - 'chem'
User - 'bob':Fairshare=1
END
printf 'Name|Priority|GraceTime|Preempt|MaxTRESPU|MaxJobsPU|UsageFactor\nnormal|10|00:00:00|||\n' | sed '2s/$/|1.0/' >qos
echo 'fast|100|00:00:30|normal|gres/gpu=4|2|1.0' >>qos
cat >jobs <<'END'
JobID|JobIDRaw|User|Account|Partition|QOS|Submit|Eligible|Start|End|TimelimitRaw|State|ReqTRES|AllocTRES|NodeList|Constraints|Flags
1|1|ann|phys|batch|normal|1000|1000|1000|1100|2|COMPLETED|cpu=8,gres/gpu:a100=8,node=2|cpu=8,gres/gpu:a100=8,mem=2G,node=2|n[01-02]|ib|SchedMain
2_1|3|bob|chem|urgent|fast|1000|1005|1010|1020|1|TIMEOUT|cpu=1,gres/gpu=1,node=1|cpu=1,gres/gpu=1,node=1|n05||SchedBackfill
4|4|bob|chem|batch|normal|1000|1000|1030|Unknown|Partition_Limit|RUNNING|cpu=1,gres/gpu=4,node=1|cpu=1,gres/gpu=4,node=1|n02||SchedMain
5|5|bob|chem|batch,urgent|normal|1050|1050|Unknown|Unknown|10|PENDING|cpu=1,gres/gpu=4,node=1||None assigned||
7_[1-3%2]|7|bob|chem|batch|normal|1055|1055|Unknown|Unknown|10|PENDING|cpu=1,gres/gpu=4,node=1||None assigned||
6|6|eve|math|batch|normal|1060|1060|1060|1070|1|FAILED|cpu=1,gres/gpu=1,node=1|cpu=1,gres/gpu=1,node=1|n01||SchedMain
END

"$gpuyard" import slurm --conf site/slurm.conf --jobs jobs --accounts accounts --qos qos -o whole >shown 2>err
check "imported" $?
[ ! -s err ] && cmp -s shown whole/report.txt
check "the report is shown, and nothing else" $?

# Racks: of the four nodes of s0, and of the three of s1 that are up. Shares 3 and 1 of 22 GPUs: 16 and 5.
cp whole/cluster.yaml got
got_is "the cluster file" <<'END'
name: "lab"
gpu_models: [ { name: "a100", like: A100-SXM4-40 }, { name: "v100", like: V100-SXM2-16 } ]
nodes:
  - { group: "n01-n04", count: 4, gpus: 4, gpu_model: "a100", cpus: 32, memory_gib: 64, weight: 10, nodes_per_rack: 4, racks_per_pod: 2, labels: { "ib": "yes", "big": "yes" } }
  - { group: "n05-n06", count: 2, gpus: 2, gpu_model: "v100", cpus: 28, memory_gib: 64, nodes_per_rack: 3, racks_per_pod: 2, joins: pod }
  - { group: "n07", count: 1, gpus: 2, gpu_model: "v100", cpus: 28, memory_gib: 64, nodes_per_rack: 3, racks_per_pod: 2, joins: rack }
queues:
  - { name: "phys", deserved_gpus: 16 }
  - { name: "chem", deserved_gpus: 5 }
  - { name: "math", deserved_gpus: 0 }
partitions:
  - { name: "batch", nodes: { "n01-n04": all, "n05-n06": all }, default: true, tier: 1, factor: 1, max_time_s: 86400, default_time_s: 3600 }
  - { name: "urgent", nodes: { "n05-n06": all, "n07": all }, tier: 5, factor: 3, max_time_s: 1800, preempt_mode: "off" }
qos:
  - { name: "normal", priority: 10 }
  - { name: "fast", priority: 100, max_gpus_per_user: 4, max_jobs_per_user: 2, grace_s: 30, preempts: [ "normal" ] }
accounts:
  - { name: "phys", shares: 3, group_gpus: 20, users: [ { name: "ann", shares: 1, max_jobs: 3, default_qos: "normal" } ] }
  - { name: "chem", shares: 1, users: [ { name: "bob", shares: 1 } ] }
time_limits: { enforce: true, over_s: 0, check_s: 30 }
END
cp whole/report.txt got
got_is "the report" <<'END'
7 of 8 nodes, 22 GPUs, 2 partitions, 4 accounts and users, 2 QOS
6 rows of sacct: 3 jobs
jobs that run or wait at the end of the log: 5 in now.csv, as from then
not read of slurm.conf: SlurmctldPort
left out: AllowGroups=wheel of partitions
left out: key Cores of gres.conf
nodes that are down or drained are left out
left out: SchedulerParameters bf_continue
guessed: GPU type a100 is A100-SXM4-40, the first of several in the catalogue
guessed: GPU type v100 is V100-SXM2-16, the first of several in the catalogue
account math of the log is not among the accounts: it deserves nothing, and has no limits
guessed: an account deserves its part of all GPUs by Fairshare, rounded down
guessed: Fairshare=parent of an account or user is one share
gpuyard run -c whole/cluster.yaml -t whole/jobs.csv -p slurm:scheduler=backfill,priority=multifactor,w_age=1000,w_fairshare=5000,max_age_s=86400,bf_interval=60,bf_window=1440,preempt=partition,preempt_mode=requeue
END
cells whole/jobs.csv job_id,submit_s,duration_s,gpus,group,tasks,cpus_per_task,mem_gib_per_task,gpu_type,queue,user,estimate_s,status,node_selector,max_per_node,recorded_wait_s,partition,qos,account,x_partition,x_start_s,x_nodes,x_scheduler >got
got_is "the jobs that ended" <<'END'
job_id,submit_s,duration_s,gpus,group,tasks,cpus_per_task,mem_gib_per_task,gpu_type,queue,user,estimate_s,status,node_selector,max_per_node,recorded_wait_s,partition,qos,account,x_partition,x_start_s,x_nodes,x_scheduler
1,0,100,8,,2,4,1,a100,phys,ann,120,,ib=yes,1,0,batch,normal,phys,batch,0,n[01-02],main
2_1,5,10,1,,,1,,,chem,bob,60,failed,,,5,urgent,fast,chem,urgent,10,n05,backfill
6,60,10,1,,,1,,,math,eve,60,failed,,,0,batch,normal,,batch,60,n01,main
END

# ---- For every policy: partitions are labels. n02 is node 1; at 1100, the last time of the log, job 4 has run
# for 70 s of the default of an hour. 7_[1-3%2] are three tasks of 4 GPUs and
# 10 minutes, two at a time.
"$gpuyard" import slurm --plain --conf site/slurm.conf --jobs jobs --accounts accounts --qos qos -o plain >shown 2>err
check "imported --plain" $?
grep -F -q 'group: "n05-n06", count: 2, gpus: 2, gpu_model: "v100", cpus: 28, memory_gib: 64, nodes_per_rack: 3, racks_per_pod: 2, joins: pod, labels: { "partition.batch": "yes", "partition.urgent": "yes" } }' plain/cluster.yaml &&
    grep -F -q '{ name: "phys", deserved_gpus: 16, limit_gpus: 20 }' plain/cluster.yaml && ! grep -q '^partitions' plain/cluster.yaml
check "partitions are labels, a limit of GPUs is that of the queue" $?
tail -n 1 plain/report.txt >got
got_is "the policy that comes closest" <<'END'
gpuyard run -c plain/cluster.yaml -t plain/jobs.csv -p multifactor:blocking=skip,w_size=0,w_age=1000,w_fairshare=5000,max_age_s=86400
END
cells plain/now.csv job_id,submit_s,duration_s,gpus,estimate_s,status,node_selector,affinity,depends_on,running_on,started_s >got
got_is "what runs and what waits" <<'END'
job_id,submit_s,duration_s,gpus,estimate_s,status,node_selector,affinity,depends_on,running_on,started_s
4,0,3530,4,3600,,partition.batch=yes,,,1:x4,-70
5,0,600,4,600,,,partition.batch;partition.urgent,,,
7_1,0,600,4,600,,partition.batch=yes,,limit:2:7,,
7_2,0,600,4,600,,partition.batch=yes,,limit:2:7,,
7_3,0,600,4,600,,partition.batch=yes,,limit:2:7,,
END
$(tail -n 1 plain/report.txt | sed "s|^gpuyard|$gpuyard|") -o run >out 2>err
check "the run of the report" $?
"$gpuyard" run -c plain/cluster.yaml -t plain/now.csv -p quota -o now >out 2>err && awk -F, 'NR == 2 && $9 != 0 { exit 1 }' now/jobs.csv
check "a run from now on" $?

# ---- The trace that is written is the log as -t reads it, but for the labels of partitions
"$gpuyard" convert -q jobs 2>err | cut -d, -f 1-4 >one
cut -d, -f 1-4 plain/jobs.csv >two
cmp -s one two
check "the same jobs as of the log itself" $?

# ---- What scontrol shows is the same site
cat >nodes.txt <<'END'
NodeName=n01 Arch=x86_64 CPUTot=16 ActiveFeatures=ib,big Gres=gpu:a100:4(S:0-1) OS=Linux 6.1 #1 SMP RealMemory=64000 State=MIXED Weight=1 Partitions=all
NodeName=n02 Arch=x86_64 CPUTot=16 ActiveFeatures=(null) Gres=gpu:a100:4 RealMemory=64000 State=IDLE+DRAIN Weight=1
END
echo 'PartitionName=all AllowQos=ALL Default=YES QoS=N/A DefaultTime=00:02:00 MaxNodes=UNLIMITED MaxTime=UNLIMITED Nodes=n[01-02] PreemptMode=OFF State=UP' >partitions.txt
"$gpuyard" import slurm --nodes nodes.txt --partitions partitions.txt -o shown_site >out 2>err
check "imported of scontrol" $?
cp shown_site/cluster.yaml got
got_is "the cluster file of scontrol" <<'END'
name: "slurm"
gpu_models: [ { name: "a100", like: A100-SXM4-40 } ]
nodes:
  - { group: "n01", count: 1, gpus: 4, gpu_model: "a100", cpus: 16, labels: { "ib": "yes", "big": "yes" } }
partitions:
  - { name: "all", nodes: all, default: true, tier: 1, factor: 1, default_time_s: 120, preempt_mode: "off" }
time_limits: { enforce: true, over_s: 0, check_s: 30 }
END
cat >suspend.conf <<'END'
PreemptType=preempt/partition_prio
PreemptMode=SUSPEND,GANG
NodeName=n1 CPUs=8 Gres=gpu:a100:4
PartitionName=low Nodes=n1 PreemptMode=GANG,SUSPEND
PartitionName=high Nodes=n1 PriorityTier=2 PreemptMode=GANG
PartitionName=mid Nodes=n1 PreemptMode=CANCEL,WITHIN
PartitionName=late Nodes=n1 PreemptMode=WITHIN,CANCEL
END
"$gpuyard" import slurm --conf suspend.conf -o suspending >out 2>err
check "imported with SUSPEND: $(cat err)" $?
[ "$(grep -c -e 'low.*preempt_mode: suspend' -e 'high.*preempt_mode: "off"' suspending/cluster.yaml)" = 2 ]
check "partitions whose jobs are suspended, and are not: GANG alone" $?
[ "$(grep -c -e 'mid.*preempt_mode: cancel' -e 'late.*preempt_mode: cancel' suspending/cluster.yaml)" = 2 ]
check "WITHIN beside a mode leaves it" $?
grep -q ',preempt=partition,preempt_mode=suspend$' suspending/report.txt
check "the policy suspends" $?
grep -q '^left out: PreemptMode SUSPEND: that suspended jobs give their CPUs' suspending/report.txt &&
    grep -q '^left out: PreemptMode GANG: time slices' suspending/report.txt
check "what suspending does not do is said" $?
# Slurm 22.05.8 refuses a PreemptType with WITHIN, GANG or OFF alone: "PreemptType and PreemptMode values
# incompatible"; a QOS with WITHIN alone has no mode left once its bit is off (preempt_qos.c, _job_preempt_mode)
cat >qos_within <<'END'
Name|Preempt|PreemptMode
low||within
mid||cluster
high|low,mid|requeue,within
END
for mode in WITHIN GANG OFF CLUSTER; do
    printf '%s\n' PreemptType=preempt/qos PreemptMode=$mode 'NodeName=n1 CPUs=8 Gres=gpu:a100:4' 'PartitionName=all Nodes=n1' >alone.conf
    "$gpuyard" import slurm --conf alone.conf --accounts accounts --qos qos_within -o alone >out 2>err
    check "imported with $mode alone: $(cat err)" $?
    grep -q ',preempt=qos,preempt_mode=off$' alone/report.txt && grep -q '^guessed: no job is stopped: Slurm does not start' alone/report.txt
    check "$mode alone stops no job, and it is said" $?
done
sed -n 's/^  - { name: \("[lmh][a-z]*"\).*\(preempt_mode: [^,} ]*\).*/\1 \2/p' alone/cluster.yaml >got
got_is "modes of QOS: of WITHIN alone off, of cluster none" <<'END'
"low" preempt_mode: "off"
"high" preempt_mode: requeue
END
sed -i 's/^PreemptMode=.*/PreemptMode=REQUEUE,NOW/' alone.conf
"$gpuyard" import slurm --conf alone.conf -o alone2 >out 2>err
[ $? -ne 0 ] && grep -q "^gpuyard: alone.conf:2:.*PreemptMode: want OFF, .*got 'REQUEUE,NOW'" err
check "a word that is no mode is an error: $(cat err)" $?
[ ! -e shown_site/jobs.csv ] && [ ! -e shown_site/now.csv ]
check "no log, no trace" $?

# ---- Of what runs and waits only such jobs are there to depend on: job 2 has ended, and counts as met
cat >chain <<'END'
JobID|Submit|Start|End|TimelimitRaw|State|AllocTRES|ReqTRES|NodeList|SubmitLine
1|1000|1000|Unknown|10|RUNNING|cpu=1,gres/gpu=6,node=2|cpu=1,gres/gpu=6,node=2|n[01-02]|sbatch x
2|1000|1000|1010|10|FAILED|cpu=1,gres/gpu=1,node=1|cpu=1,gres/gpu=1,node=1|n03|sbatch x
3|1000|Unknown|Unknown|10|PENDING||cpu=1,gres/gpu=1,node=1|None assigned|sbatch -d afterok:1:2 x
END
"$gpuyard" import slurm --plain --conf site/slurm.conf --jobs chain -o chained >out 2>err
check "imported with dependencies" $?
cells chained/now.csv job_id,duration_s,gpus,depends_on,running_on,started_s >got
got_is "what waits for what runs" <<'END'
job_id,duration_s,gpus,depends_on,running_on,started_s
1,590,6,,0:x3;1:x3,-10
3,600,1,afterok:1,,
END
grep -q '^guessed: GPUs of jobs that run are spread evenly over their nodes$' chained/report.txt
check "an even spread is a guess" $?
"$gpuyard" run -c chained/cluster.yaml -t chained/now.csv -p fifo -o chain_run >out 2>err
check "it runs: $(head -n 1 err)" $?

# ---- A log of the past names partitions, QOS and accounts that are no more, and so may the files of the site
cat >gone.conf <<'END'
NodeName=n[1-2] CPUs=8 Gres=gpu:4
PartitionName=all Nodes=ALL Default=YES QOS=away
PartitionName=other Nodes=n1
END
cat >gone.qos <<'END'
Name|Priority|Preempt
normal|1|
high|9|away,normal
END
cat >gone.accounts <<'END'
Cluster - 'c':Fairshare=1
Parent - 'root'
Account - 'phys':Fairshare=1
Parent - 'phys'
User - 'ann':Fairshare=1:DefaultQOS='away'
User - 'bob':Fairshare=1:DefaultQOS='normal'
END
cat >gone.jobs <<'END'
JobID|User|Account|Partition|QOS|Submit|Start|End|TimelimitRaw|State|AllocTRES
1|ann|phys|old|away|100|100|200|10|COMPLETED|cpu=1,gres/gpu=1
2|bob|chem|old,other|normal|100|100|200|10|COMPLETED|cpu=1,gres/gpu=1
3|bob|phys|all|high|100|100|200|10|COMPLETED|cpu=1,gres/gpu=1
END
"$gpuyard" import slurm --conf gone.conf --qos gone.qos --accounts gone.accounts --jobs gone.jobs -o gone >out 2>err
check "imported with what is no more: $(cat err)" $?
cells gone/jobs.csv job_id,queue,partition,qos,account >got
got_is "names that the site has" <<'END'
job_id,queue,partition,qos,account
1,phys,,,phys
2,chem,other,normal,
3,phys,all,high,phys
END
grep 'away\|old\|chem' gone/report.txt >got
got_is "names that it has not" <<'END'
account chem of the log is not among the accounts: it deserves nothing, and has no limits
left out: QOS away, which is not among the QOS (3 times)
partition old of the log is not one of the site: its jobs are of the others that they name, or of the default one (2 times)
QOS away of the log is not among the QOS: its jobs have the default one
END
"$gpuyard" run -c gone/cluster.yaml -t gone/jobs.csv -p slurm -o gone_run >out 2>err
check "it runs: $(cat err)" $?
"$gpuyard" import slurm --conf gone.conf --jobs gone.jobs -o unsaid >out 2>err && "$gpuyard" run -c unsaid/cluster.yaml -t unsaid/jobs.csv -p slurm -o unsaid_run >out 2>err
check "without files of QOS and accounts it runs: $(grep -v warning err)" $?

# ---- Limits of GPUs: of one type they are of all GPUs where the site has no others; behind others of more than 255 letters, too
for type in a100 h100; do
    cat >typed.conf <<END
NodeName=n1 CPUs=8 Gres=gpu:a100:4
NodeName=n2 CPUs=8 Gres=gpu:$type:4
END
    many=$(for i in $(seq 1 30); do printf 'license/l%d=-1,' $i; done)
    printf "Cluster - 'c':Fairshare=1\nParent - 'root'\nAccount - 'x':GrpTRES=%sgres/gpu=3:MaxTRESPerJob=gres/gpu:a100=2\n" "$many" >typed.accounts
    "$gpuyard" import slurm --conf typed.conf --accounts typed.accounts -o "typed_$type" >out 2>err
    check "imported with limits of one type: $(cat err)" $?
    grep -o 'group_gpus.*[0-9]' "typed_$type/cluster.yaml"
    grep 'one type' out
done >got
got_is "limits of GPUs of one type" <<'END'
group_gpus: 3, max_gpus_per_job: 2
group_gpus: 3
left out: limits of GPUs of one type (MaxTRESPerJob=gres/gpu:a100=2)
END

# ---- Names that no cluster file can have are errors, or are not needed; a reservation ends before it comes again
refused() { # NAME MESSAGE ARGUMENT...
    name=$1 message=$2
    shift 2
    "$gpuyard" import slurm "$@" -o refused >out 2>err
    [ $? -ne 0 ] && grep -q "^gpuyard: $message" err
    check "$name: $(cat err)" $?
}
printf 'ClusterName=\nNodeName=n1 Gres=gpu:4\nPartitionName=a\001 Nodes=n1\n' >control.conf
refused "a control character" "control.conf:3:15: want a value without control characters, got 'a" --conf control.conf
echo 'NodeName=n1 Gres=gpu:4 Feature=,ib,,big,ib' >features.conf
"$gpuyard" import slurm --conf features.conf -o features >out 2>err && grep -q 'labels: { "ib": "yes", "big": "yes" } }$' features/cluster.yaml
check "features, each once: $(cat err)" $?
printf 'NodeName=n1 Gres=gpu:4\nPartitionName=a*b Nodes=n1\n' >star.conf
refused "a partition whose name is no label" "star.conf:2:1: PartitionName: want a name without = ! < > & | ; : \* , and spaces, got 'a\*b'" --conf star.conf
printf "Cluster - 'c':Fairshare=1\nParent - 'root'\nAccount - '':Fairshare=1\n" >unnamed
refused "an account without a name" "unnamed:3:11: want a name between the quotes" --conf gone.conf --accounts unnamed
printf 'Name|Priority\na\001|1\n' >control.qos
refused "a control character in a table" "control.qos:2: want text without control characters" --conf gone.conf --qos control.qos
printf 'JobID|Account|State|Start|End|AllocTRES\n1|a\001|COMPLETED|1|2|gres/gpu=1\n' >control.jobs
refused "a control character in a log" "control.jobs:2: Account: want a name without control characters" --conf gone.conf --jobs control.jobs
echo 'ReservationName=r StartTime=100 EndTime=90000 Nodes=n1 Flags=DAILY' >long.res
refused "a reservation of more than its period" "long.res:1:1: ReservationName: want a reservation that ends before it comes again" \
    --conf gone.conf --jobs gone.jobs --reservations long.res
printf 'ReservationName=r StartTime=100 EndTime=200 Nodes=n1\nReservationName=r StartTime=300 EndTime=400 Nodes=n1\n' >twice.res
refused "a reservation that is there twice" "twice.res:2:1: ReservationName: want a reservation that is not there yet" \
    --conf gone.conf --jobs gone.jobs --reservations twice.res
sed -i 3d control.conf
printf 'NodeName=n2 Gres=gpu:4 Weight=0\nNodeName=n3 Gres=gpu:4 Weight=4294967280\n' >>control.conf
"$gpuyard" import slurm --conf control.conf -o unnamed_cluster >out 2>err && grep -q '^name: "slurm"$' unnamed_cluster/cluster.yaml
check "a cluster without a name: $(cat err)" $?
[ "$(grep -c '^guessed: Weight=0 of nodes is 1$\|^guessed: Weight=4294967280 of nodes is 1000000000$' out)" = 2 ]
check "weights that a cluster file does not have" $?

# ---- What is there more than once: of default partitions the last counts (SchedMD/slurm:src/slurmctld/read_config.c), of associations the
# first, as a user has one for each partition and each cluster
cat >more.conf <<'END'
NodeName=n1 Gres=gpu:4
PartitionName=DEFAULT Default=YES Nodes=n1
PartitionName=a DefaultTime=0
PartitionName=b
END
cat >more.assoc <<'END'
Cluster|Account|User|Partition|Share|ParentName
c|phys|||2|root
c|phys|ann||1|
c|phys|ann|a|7|
d|phys|||5|root
d|phys|bob||1|
END
"$gpuyard" import slurm --conf more.conf --accounts more.assoc -o more >out 2>err
check "imported with associations of partitions and clusters: $(cat err)" $?
grep -e 'name: "[ab]"' -e phys more/cluster.yaml >got
got_is "the last default partition, the first associations" <<'END'
  - { name: "phys", deserved_gpus: 4 }
  - { name: "a", nodes: all, tier: 1, factor: 1 }
  - { name: "b", nodes: all, default: true, tier: 1, factor: 1 }
  - { name: "phys", shares: 2, users: [ { name: "ann", shares: 1 }, { name: "bob", shares: 1 } ] }
END
grep -q '^left out: associations of an account or user that is there already, of another cluster or partition (2 times)$' out &&
    grep -q '^of several default partitions the last is it$' out && grep -q '^guessed: DefaultTime=0 of partitions is none' out
check "they are named" $?
printf 'Name|Priority\nq|1\nq|2\n' >twice.qos
refused "a QOS that is there twice" "twice.qos:3:1: Name: want a QOS that is not there yet, got 'q'" --conf more.conf --qos twice.qos

# ---- Many: each association is looked up, and each colon of a value read once
awk 'BEGIN { print "Cluster - \047c\047"; print "Parent - \047root\047"
    for (a = 0; a < 300; a++) print "Account - \047a" a "\047:Fairshare=1"
    for (a = 0; a < 300; a++) { print "Parent - \047a" a "\047"; for (u = 0; u < 1000; u++) print "User - \047u" u "\047:Fairshare=1" } }' >many.assoc
(ulimit -t 10; exec "$gpuyard" import slurm --conf more.conf --accounts many.assoc -o many) >out 2>err
check "300,000 associations in 10 s of a CPU: $(cat err)" $?
[ "$(grep -o 'name: "u[0-9]*"' many/cluster.yaml | wc -l)" = 300000 ]
check "all of them are there" $?
awk 'BEGIN { for (i = 0; i < 23; i++) colons = colons (i ? colons : ":"); print "Cluster - \047c\047"; print "Account - \047a\047:GrpTRES=gres/" colons }' >colons.assoc
(ulimit -t 10; "$gpuyard" import slurm --conf more.conf --accounts colons.assoc -o colons >out 2>err; [ $? = 3 ])
check "4 million colons in 10 s of a CPU: $(cut -c1-100 err)" $?
grep -q '^gpuyard: colons.assoc:2:15: GrpTRES: want resources like' err
check "they are refused" $?

# ---- The run of the report is of the trace that has jobs, or of none; a long path stands there whole
long=$(printf 'd%.0s' $(seq 120))/$(printf 'e%.0s' $(seq 120))
mkdir -p "$long"
"$gpuyard" import slurm --conf gone.conf -o "$long/site" >out 2>err
grep -q "^gpuyard run -c $long/site/cluster.yaml -t TRACE -p slurm" out && grep -q '^no jobs were written: TRACE is a trace of yours$' out
check "no log: a trace of yours" $?
sed 2,3d gone.jobs | sed 's/|200|10|COMPLETED/|Unknown|10|RUNNING/' >gone.now
"$gpuyard" import slurm --conf gone.conf --jobs gone.now -o gone_now >out 2>err
tail -n 1 out | grep -q "^gpuyard run -c gone_now/cluster.yaml -t gone_now/now.csv -p slurm"
check "nothing has ended: now.csv" $?

# ---- The guide: its commands of gpuyard, over this site
mkdir guide
cp site/slurm.conf site/nodes.conf site/gres.conf site/topology.conf qos guide
mv guide/qos guide/qos.txt
cp accounts guide/accounts.txt
cp jobs guide/jobs.txt
sed '/^## From kubectl/,$d' "$root/docs/your-cluster.md" | sed -n '/^```sh$/,/^```$/p' | grep '^gpuyard ' >commands
n=0
while read -r _ arguments; do
    n=$((n + 1))
    (cd guide && eval "\"\$gpuyard\" $arguments" >../out 2>../err)
    check "the guide: gpuyard $arguments: $(head -n 1 err)" $?
done <commands
[ $n -eq 8 ]
check "the guide has its commands" $?

# ---- Reservations: in now.yaml, as from 1100 s, the end of the log
cat >res <<'END'
ReservationName=course StartTime=1160 EndTime=1260 Duration=00:01:40 Nodes=n[02,05-06] NodeCnt=3 CoreCnt=96 Features=(null) PartitionName=batch Flags=DAILY,SPEC_NODES TRES=cpu=96 Users=ann,eve Groups=(null) Accounts=(null) Licenses=(null) State=INACTIVE BurstBuffer=(null) Watts=n/a MaxStartDelay=(null)
ReservationName=upkeep StartTime=1970-01-01T01:20:00 EndTime=1970-01-01T01:30:00 Duration=00:10:00 Nodes=n08,n[01-04] Flags=MAINT,IGNORE_JOBS,TIME_FLOAT Users=root Groups=(null) Accounts=chem Licenses=(null)
ReservationName=early StartTime=1000 EndTime=1150 Nodes=n07 Flags= Users=(null) Accounts=-phys
ReservationName=over StartTime=100 EndTime=200 Nodes=n07 Flags= Users=ann Accounts=(null)
ReservationName=nightly StartTime=100 EndTime=200 Nodes=n07 Flags=WEEKLY Users=ann Accounts=(null)
END
"$gpuyard" import slurm --conf site/slurm.conf --jobs jobs --accounts accounts --qos qos --reservations res --zone +01:00 -o reserved >shown 2>err
check "imported with reservations: $(cat err)" $?
cmp -s reserved/cluster.yaml whole/cluster.yaml && grep -v '^reservations:\|^  - { name: ".*from_s' reserved/now.yaml | cmp -s - whole/cluster.yaml
check "the cluster file is the same, now.yaml has the section besides" $?
# 1160 - 1100 s; 20 minutes after midnight in UTC are 1200 s; 100 s and a week of 604800 s
sed -n '/^reservations:/,$p' reserved/now.yaml >got
got_is "reservations" <<'END'
reservations:
  - { name: "course", nodes: { "n01-n04": "1", "n05-n06": "0,1" }, from_s: 60, until_s: 160, every_s: 86400, users: [ "ann", "eve" ] }
  - { name: "upkeep", nodes: { "n01-n04": "0,1,2,3" }, from_s: 100, until_s: 700, running: keep, users: [ "root" ], accounts: [ "chem" ] }
  - { name: "early", nodes: { "n07": "0" }, from_s: 0, until_s: 50 }
  - { name: "nightly", nodes: { "n07": "0" }, from_s: 603800, until_s: 603900, every_s: 604800, users: [ "ann" ] }
END
grep -E 'reservation' shown >got
got_is "what is said of them" <<'END'
reservations: 4 in now.yaml, which is cluster.yaml as from the end of the log
left out: flag TIME_FLOAT of reservations
left out: Accounts of reservations that may not use them
guessed: of reservations with users and accounts one is enough
left out: reservations that are over, have no node that is up, or a name that is no label
END
"$gpuyard" run -c reserved/now.yaml -t reserved/now.csv -p easy -o reserved_run -q >out 2>err
check "it runs: $(cat err)" $?
refused() { # WANTED RECORD
    echo "$2" >bad
    "$gpuyard" import slurm --conf site/slurm.conf --jobs jobs --reservations bad -o none >out 2>err
    [ $? -eq 3 ] && [ "$(cat err)" = "gpuyard: $1" ]
    check "refused: $2: $(cat err)" $?
}
refused "bad:1:1: ReservationName: want a reservation with a StartTime and an EndTime after it, got 'a'" 'ReservationName=a Nodes=n01'
refused "bad:1:1: ReservationName: want a reservation with a StartTime and an EndTime after it, got 'a'" 'ReservationName=a StartTime=5 EndTime=5 Nodes=n01'
refused "bad:1:19: StartTime: want seconds of the epoch or a time like 2026-01-05T10:00:00, got 'now'" 'ReservationName=a StartTime=now EndTime=5 Nodes=n01'

# ---- Runs that failed are retried: 7 runs 50 s and is requeued, its retry 10 s and fails, 8 waits for the end of both
cat >retried.txt <<'END'
JobID|State|Submit|Eligible|Start|End|AllocTRES|User|SubmitLine
7|REQUEUED|100|100|100|150|gres/gpu=1,node=1|ann|sbatch a
7|FAILED|150|271|280|290|gres/gpu=1,node=1|ann|sbatch a
8|COMPLETED|101|290|300|310|gres/gpu=1,node=1|ann|sbatch -d afternotok:7 b
END
"$gpuyard" import slurm --runs each --nodes nodes.txt --jobs retried.txt -o retried >out 2>err
check "runs of their own" $?
cells retried/jobs.csv job_id,submit_s,duration_s,status,depends_on,recorded_wait_s >got
got_is "the runs" <<'END'
job_id,submit_s,duration_s,status,depends_on,recorded_wait_s
7,0,50,failed,,0
8,1,10,,afternotok:7.r1,199
7.r1,50,10,failed,7,130
END
"$gpuyard" run -q -c retried/cluster.yaml -t retried/jobs.csv -p fifo -o retried_run >out 2>err
check "the runs, run" $?
cells retried_run/jobs.csv job_id,start_s,end_s >got
got_is "one after the other" <<'END'
job_id,start_s,end_s
7,0,50
8,60,70
7.r1,50,60
END
"$gpuyard" import slurm --runs some --nodes nodes.txt --jobs retried.txt -o retried2 >out 2>err
[ $? -eq 2 ] || [ $? -eq 3 ]
cp err got
got_is "a wrong word" <<'END'
gpuyard: import: slurm: runs: want last, sum or each, got 'some'
END

# ---- A site that does not requeue, but for jobs that say so
cat >nr.conf <<'END'
NodeName=n[1-2] Gres=gpu:2
PartitionName=p Nodes=ALL
JobRequeue=0
END
cat >nr.txt <<'END'
JobID|State|Submit|Start|End|AllocTRES|SubmitLine
1|COMPLETED|1|1|2|gres/gpu=1,node=1|sbatch a
2|COMPLETED|1|1|2|gres/gpu=1,node=1|sbatch --requeue a
3|COMPLETED|1|1|2|gres/gpu=1,node=1|srun a
END
"$gpuyard" import slurm --conf nr.conf --jobs nr.txt -o nr >out 2>err
check "a site that does not requeue" $?
cells nr/jobs.csv job_id,max_requeues >got
got_is "jobs that are requeued" <<'END'
job_id,max_requeues
1,0
2,
3,0
END
grep -q 'not read of slurm.conf' nr/report.txt && fail "JobRequeue is read" || ok

# ---- The recording of a real Slurm: no lost row
forms=${GPUYARD_SHARED:-/nowhere}/slurm/forms
if [ -r "$forms/sacct.txt" ]; then
    sed 's/^#node n01-n04/NodeName=n[01-04]/; s/^#last //' "$forms/site.conf" >forms.conf
    "$gpuyard" import slurm --plain --conf forms.conf --jobs "$forms/sacct.txt" -o forms >out 2>err
    check "forms imported" $?
    # 18 rows: one of them the second run of job 9, two the components of job 13
    [ "$(($(wc -l <forms/jobs.csv) - 1))" -eq 17 ] && [ "$(tail -n +2 "$forms/sacct.txt" | wc -l)" -eq 18 ]
    check "every row of the forms is a row of the trace, or a run of one" $?
    "$gpuyard" run -c forms/cluster.yaml -t forms/jobs.csv -p easy -o forms_run >out 2>err
    check "forms run" $?
else
    echo "skipped: the recordings are not below \$GPUYARD_SHARED"
fi
head -n 1 chain >empty
"$gpuyard" import slurm --conf site/slurm.conf --jobs empty -o empty_log >out 2>err
check "a log without jobs is imported: $(cat err)" $?
"$gpuyard" import slurm --conf site/slurm.conf --jobs empty --reservations res -o empty_log >out 2>err
[ $? -ne 0 ] && grep -q '^gpuyard: --reservations: want a time in empty: theirs are as from its end$' err
check "reservations want the end of a log: $(cat err)" $?

# ---- Names are whole, however long ----
long=$(printf 'a%.0s' $(seq 150))
printf 'Name|Priority|Preempt\n%s|1|\nhigh|2|%s\n' "$long" "$long" >long_qos
printf 'ClusterName=c\nNodeName=n1 CPUs=4 Gres=gpu:4 Feature=%s\nPartitionName=p Nodes=n1\n' "$long" >long.conf
"$gpuyard" import slurm --conf long.conf --qos long_qos -o long >shown 2>err
check "imported long names" $?
grep -q "preempts: \[ \"$long\" \]" long/cluster.yaml && grep -q "labels: { \"$long\": \"yes\" }" long/cluster.yaml
check "long names are whole" $?
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
