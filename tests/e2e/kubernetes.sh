#!/bin/sh
# kubernetes.sh GPUYARD - gpuyard import kubernetes: dumps of three sizes, what they become, that running pods run where they are,
# and the messages for what cannot be read.
set -u
gpuyard=$1
root=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
. "$root/tests/support/checks.sh"
said() { # NAME REPORT LINE...: each line stands in the report
    name=$1 report=$2
    shift 2
    for line in "$@"; do
        grep -Fqx "$line" "$report"
        check "$name: $line" $?
    done
}
simulate() { # DIR: the run that its report names, into DIR.run
    $(tail -n 1 "$1/report.txt" | sed "s|^gpuyard|$gpuyard|") -o "$1.run" --outputs all >out 2>err
    check "the run of the report of $1: $(head -n 1 err)" $?
}

# ---- Small: two nodes, a pod that runs, a Job that waits, a DaemonSet, a pod that has ended; lists, several documents
mkdir small
cat >small/all.yaml <<'END'
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Node
  metadata: { name: b, labels: { nvidia.com/gpu.product: NVIDIA-A100-SXM4-80GB, disk: hdd, other: x } }
  spec: { taints: [ { key: gpu, value: "yes", effect: NoSchedule } ] }
  status: { allocatable: { cpu: 63500m, memory: 512Gi, nvidia.com/gpu: 8 } }
- apiVersion: v1
  kind: Node
  metadata: { name: a, labels: { nvidia.com/gpu.product: NVIDIA-A100-SXM4-80GB, disk: ssd } }
  status:
    allocatable: { cpu: "63", memory: 512Gi, nvidia.com/gpu: "8" }
    conditions: [ { type: Ready, status: "True", lastHeartbeatTime: 2026-03-01T12:00:00Z } ]
---
apiVersion: v1
kind: PodList
items:
- metadata: { name: train, namespace: vision, creationTimestamp: 2026-03-01T11:00:00Z }
  spec:
    nodeName: b
    nodeSelector: { disk: hdd }
    tolerations: [ { key: gpu, operator: Exists, effect: NoSchedule }, { key: else, operator: Exists } ]
    initContainers: [ { name: i, resources: { requests: { cpu: 3, memory: 1Gi } } } ]
    containers: [ { name: c, resources: { limits: { nvidia.com/gpu: 4, cpu: 2, memory: 10Gi } } } ]
  status: { phase: Running, startTime: 2026-03-01T11:30:00Z }
- metadata: { name: proxy, namespace: kube-system, ownerReferences: [ { kind: DaemonSet, name: proxy, controller: true } ] }
  spec: { nodeName: a, hostNetwork: true, containers: [ { name: c, resources: { requests: { cpu: 100m, memory: 100Mi } } } ] }
  status: { phase: Running }
- metadata: { name: old, namespace: vision, creationTimestamp: 2026-03-01T10:00:00Z }
  spec: { nodeName: a, containers: [ { name: c, resources: { limits: { nvidia.com/gpu: 1 } } } ] }
  status: { phase: Failed, startTime: 2026-03-01T10:01:00Z, containerStatuses: [ { state: { terminated: { finishedAt: 2026-03-01T10:11:00Z } } } ] }
END
cat >small/job.yml <<'END'
# a manifest
apiVersion: batch/v1
kind: Job
metadata: { generateName: big-, namespace: speech, creationTimestamp: 2026-03-01T11:50:00Z }
spec:
  parallelism: 2
  completions: 6
  activeDeadlineSeconds: 7200
  template: { spec: { priorityClassName: urgent, containers: [ { name: c, resources: { limits: { nvidia.com/gpu: 8 } } } ] } }
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: { name: urgent }
value: 1000
---
apiVersion: v1
kind: ResourceQuota
metadata: { name: gpus, namespace: speech }
spec: { hard: { requests.nvidia.com/gpu: "12", pods: "5" } }
END
"$gpuyard" import kubernetes small -o whole >shown 2>err
check "small is imported: $(cat err)" $?
[ ! -s err ] && cmp -s shown whole/report.txt
check "the report is shown, and nothing else" $?
# a: 63 CPUs less 0.1 of the DaemonSet, 512 GiB less 100 MiB = 511.90234375. speech has its quota of 12 of 16, vision the rest.
cp whole/cluster.yaml got
got_is "the cluster file" <<'END'
name: kubernetes
gpu_models: [ { name: "NVIDIA-A100-SXM4-80GB", like: A100-SXM4-80 } ]
nodes:
  - { group: "a", count: 1, gpus: 8, gpu_model: "NVIDIA-A100-SXM4-80GB", cpus: 62.9, memory_gib: 511.90234375, labels: { "disk": "ssd" } }
  - { group: "b", count: 1, gpus: 8, gpu_model: "NVIDIA-A100-SXM4-80GB", cpus: 63.5, memory_gib: 512, labels: { "disk": "hdd" }, taints: [ "gpu=yes:NoSchedule" ] }
queues:
  - { name: "speech", deserved_gpus: 12, limit_gpus: 12 }
  - { name: "vision", deserved_gpus: 4 }
END
# train began 1800 s before 12:00, the latest time, and runs as long again; its CPUs are those of the init container. The Job
# may take two hours.
cut -d, -f 1-9,13-18,20,22-24 whole/now.csv >got
got_is "what runs and waits" <<'END'
job_id,submit_s,duration_s,gpus,group,tasks,min_tasks,cpus_per_task,mem_gib_per_task,queue,user,priority,preemptible,estimate_s,status,node_selector,tolerations,running_on,started_s
vision/train,0,1800,4,,1,,3,10,vision,vision,0,yes,,completed,disk=hdd,gpu:NoSchedule;else,1,-1800
speech/big-5,0,7200,16,,2,,0,,speech,speech,1000,yes,7200,completed,,,,
END
cut -d, -f 1-4,18,25 whole/jobs.csv >got
got_is "what has ended" <<'END'
job_id,submit_s,duration_s,gpus,status,recorded_wait_s
vision/old,0,600,1,failed,60
END
cp whole/report.txt got
got_is "the report" <<'END'
8 objects of 2 files; 2 of 2 nodes, 16 GPUs; queues are namespaces
jobs: 1 run and 1 wait (now.csv), 1 have ended (jobs.csv)
guessed: the moment of the dump is 2026-03-01T12:00:00Z, the latest time in it (--at)
pods without GPUs and without a queue, of DaemonSets or of nodes: 1; their CPUs and memory are taken off their nodes
guessed: the pods of a Job without PodGroup or Workload make progress only together
guessed: a Job with more completions than pods takes that many rounds of their run time
guessed: GPU product NVIDIA-A100-SXM4-80GB is A100-SXM4-80
guessed: a namespace is a team, and each without a ResourceQuota deserves an equal part of the other GPUs, rounded down
guessed: a job that runs without a deadline runs as long again as it has run
not read of Pod: spec.initContainers[].name, spec.containers[].name (3), spec.hostNetwork
not read of Job: spec.template.spec.containers[].name
not read of ResourceQuota: spec.hard.pods
gpuyard run -c whole/cluster.yaml -t whole/now.csv -p kube
END
simulate whole
"$gpuyard" import kubernetes --at 2026-03-01T12:30:00Z --run-time 60 --queues namespaces small/all.yaml small/job.yml -o later >shown 2>err
check "other options: $(cat err)" $?
said "--at" later/report.txt "as of 2026-03-01T12:30:00Z"
[ "$(grep train later/now.csv | cut -d, -f 1,3,24)" = vision/train,3600,-3600 ]
check "--at moves what has run" $?

# ---- KAI: queues in two levels, gangs, shares of GPUs, MIG, racks; as a List and as a snapshot
"$root/tests/e2e/kubernetes_dumps.py" .
check "the dumps are made" $?
"$gpuyard" import kubernetes kai.json -o kai >shown 2>err
check "KAI is imported: $(cat err)" $?
# CPUs: four exporters of 0.5 and 512 MiB, and on g2 and g3 a pod of 1 milli-CPU and 10 MiB that keeps a shared GPU:
# 64 - 0.501 = 63.499 and 512 - 0.5 - 10/1024 = 511.490234375. m0 has two GPUs by its label, x0 is not ready. CPUs and memory of
# all queues are unlimited. `old`, `quarter` and `by-memory` have no queue of KAI, and one GPU each.
sed 's/, \(deserved\|limit\)_\(cpus\|memory_gib\): unlimited//g; s/, \(cpu\|memory\)_weight: 1//g; s/gpu_model: "[^"]*"/A100/' kai/cluster.yaml >got
got_is "the cluster file of KAI" <<'END'
name: kubernetes
gpu_models: [ { name: "NVIDIA-A100-SXM4-80GB", like: A100-SXM4-80 } ]
nodes:
  - { group: "g0-g1", count: 2, gpus: 8, A100, cpus: 63.5, memory_gib: 511.5, labels: { "rack": "r0" }, nodes_per_rack: 2 }
  - { group: "g2-g3", count: 2, gpus: 8, A100, cpus: 63.499, memory_gib: 511.490234375, labels: { "rack": "r1" }, nodes_per_rack: 2 }
  - { group: "m0", count: 1, gpus: 2, A100, mig: { 1g.10gb: 4, 3g.40gb: 3 }, cpus: 64, memory_gib: 512, labels: { "rack": "r2" }, nodes_per_rack: 1 }
queues:
  - { name: "org", deserved_gpus: 32, limit_gpus: unlimited, weight: 1, priority: 100, queues: [
      { name: "team-a", deserved_gpus: 20, limit_gpus: unlimited, weight: 2, priority: 110, reclaim_min_runtime_s: 5400 },
      { name: "team-b", deserved_gpus: 12, limit_gpus: 16, weight: 1, priority: 100 } ] }
  - { name: "idle", deserved_gpus: 0, limit_gpus: 0, weight: 0, priority: 100 }
  - { name: outside, deserved_gpus: 3, weight: 0 }
END
# Group s1 is GPU 0 of g2, s2 GPU 0 of g3; those with whole GPUs have the next ones. build is 100: not preemptible; slice is.
cut -d, -f 1,4,6,7,10-13,15,16,19,20,23 kai/now.csv >got
got_is "the jobs of KAI" <<'END'
job_id,gpus,tasks,min_tasks,gpu_milli,gpu_share_mem_gib,mig,queue,priority,preemptible,topology,node_selector,running_on
a/big,16,16,,,,,team-a,125,no,required:rack,,
a/gang,16,2,,,,,team-a,50,yes,,,0;1
b/by-memory,1,1,,,20,,outside,0,no,,,3:0
b/grows,6,3,1,,,,team-b,50,yes,,,2:1-2;2:3-4
b/more,1,1,,,,3g.40gb,team-b,50,yes,,,
b/quarter,1,1,,250,,,outside,0,no,,,2:0
b/shares,1,1,,500,,,team-b,100,no,,,2:0
b/slice,1,1,,,,1g.10gb,team-b,50,yes,,,4
legacy/old,1,1,,,,,outside,0,no,,rack=r1,3:1
END
said "KAI" kai/report.txt "left out: objects of kind Deployment (apps/v1) (2 times)" "left out: nodes that are not ready" \
    "queue idle of KAI may hold no gpus: its limit is 0 or not said" \
    "not read of PodGroup: metadata.uid (6), status (6)"
simulate kai
python3 "$root/tests/e2e/kubernetes_placed.py" kai.run kai.json >out
check "the pods of KAI run where they are: $(tail -n 1 out)" $?
[ "$(tail -n 1 out)" = "9 pods compared" ]
check "all of them" $?
sed 's/2:3-4/3:3-4/' kai/now.csv >moved.csv
"$gpuyard" run -q -c kai/cluster.yaml -t moved.csv -p quota -o moved --outputs all 2>err
python3 "$root/tests/e2e/kubernetes_placed.py" moved kai.json >out
[ $? -eq 1 ] && grep -q '^b/grows on g2: want 4 GPUs, got 2$' out
check "a pod elsewhere is noticed" $?
"$gpuyard" import kubernetes kai.zip -o snapshot >shown 2>err
check "a snapshot is imported: $(cat err)" $?
cmp -s kai/cluster.yaml snapshot/cluster.yaml && cmp -s kai/now.csv snapshot/now.csv
check "a snapshot is the same cluster" $?
# consolidation is not among its actions, and it spreads jobs over nodes
said "the snapshot" snapshot/report.txt "left out: bindRequests of the snapshot (2 times)" \
    "not read of snapshot: config.tiers[].plugins[].arguments.cpu, schedulerParams" \
    "gpuyard run -c snapshot/cluster.yaml -t snapshot/now.csv -p quota:consolidation=no --placement spread"
simulate snapshot

# ---- Kueue: a tree of cohorts, flavors, a topology, Workloads with and without pods
"$gpuyard" import kubernetes kueue -o kueue.out >shown 2>err
check "Kueue is imported: $(cat err)" $?
# Nodes by block, rack and name; those without the labels come last. GPUs are in group 0. speech has half a CPU of a flavor
# that no object describes. 2Ti are 2048 GiB.
sed 's/gpu_model: "[^"]*"/GPU/; s/cpus: 64, memory_gib: 512, //' kueue.out/cluster.yaml >got
got_is "the cluster file of Kueue" <<'END'
name: kubernetes
gpu_models: [ { name: "NVIDIA-H100-80GB-HBM3", like: H100-SXM5-80 }, { name: "NVIDIA-A100-SXM4-80GB", like: A100-SXM4-80 } ]
nodes:
  - { group: "h100-4-h100-5", count: 2, gpus: 8, GPU, labels: { "pool": "h100" }, nodes_per_rack: 2, racks_per_pod: 2 }
  - { group: "h100-6-h100-7", count: 2, gpus: 8, GPU, labels: { "pool": "h100" }, nodes_per_rack: 2, racks_per_pod: 2, joins: pod }
  - { group: "h100-0-h100-1", count: 2, gpus: 8, GPU, labels: { "pool": "h100" }, nodes_per_rack: 2, racks_per_pod: 2 }
  - { group: "h100-2-h100-3", count: 2, gpus: 8, GPU, labels: { "pool": "h100" }, nodes_per_rack: 2, racks_per_pod: 2, joins: pod }
  - { group: "a100-0", count: 1, gpus: 8, GPU, labels: { "pool": "a100" }, taints: [ "old=yes:NoSchedule" ], nodes_per_rack: 1, racks_per_pod: 1 }
  - { group: "a100-1", count: 1, gpus: 8, GPU, labels: { "pool": "a100" }, taints: [ "old=yes:NoSchedule", "node.kubernetes.io/unschedulable:NoSchedule" ], nodes_per_rack: 1, racks_per_pod: 1 }
flavors:
  - { name: "h100", node_labels: { "pool": "h100" } }
  - { name: "a100", node_labels: { "pool": "a100" }, taints: [ "old=yes:NoSchedule" ], tolerations: [ "old" ] }
  - { name: "default" }
queues:
  - { name: "org", queues: [
      { name: "research", weight: 3, flavors: [ { flavor: "h100", deserved_gpus: 8, lending_limit_gpus: 4 } ], queues: [
          { name: "vision", weight: 0.5, preemption: { within_queue: lower-priority, reclaim_within_cohort: any, borrow_within_cohort: lower-priority, borrow_priority_threshold: 100 }, fungibility: { when_can_borrow: try-next-flavor, when_can_preempt: try-next-flavor }, flavors: [ { flavor: "h100", deserved_gpus: 24, deserved_cpus: 256, deserved_memory_gib: 2048, borrowing_limit_gpus: 8 }, { flavor: "a100", deserved_gpus: 8, deserved_cpus: 64, deserved_memory_gib: 512 } ] },
          { name: "speech", queueing: strict-fifo, preemption: { within_queue: never, reclaim_within_cohort: never, borrow_within_cohort: never }, flavors: [ { flavor: "default", group: 1, deserved_cpus: 0.5 }, { flavor: "h100", deserved_gpus: 16 } ] } ] },
      { name: "ops", preemption: { within_queue: never, reclaim_within_cohort: never, borrow_within_cohort: never }, fungibility: { when_can_borrow: may-stop-search, when_can_preempt: may-stop-search }, flavors: [ { flavor: "a100", deserved_gpus: 8 } ] } ] }
  - { name: outside, flavors: [ { flavor: "h100", deserved_gpus: unlimited }, { flavor: "a100", deserved_gpus: unlimited }, { flavor: "default", deserved_gpus: unlimited } ] }
END
# notebook has run 900 of 3600 s; the others were admitted 5400 s ago. Its pods carry a host name that the Workload does not ask for.
cut -d, -f 1,3,4,6,7,13,15,17,19-24 kueue.out/now.csv >got
got_is "the jobs of Kueue" <<'END'
job_id,duration_s,gpus,tasks,min_tasks,queue,priority,estimate_s,topology,node_selector,affinity,tolerations,running_on,started_s
eve/notebook,2700,1,1,,outside,0,3600,,,pool=a100|h100,*,9,-900
ops/new,3600,2,1,,ops,0,,,,,old=yes:NoSchedule;node.kubernetes.io/not-ready:NoExecute,,
vision/job-resnet,5400,16,2,1,vision,1000,,required:rack,,,,6;7,-5400
speech/tas-old,5400,8,2,,speech,10,,,,,,2;2,-5400
vision/placeless,3600,1,1,,vision,0,,,,,,,
vision/tas-new,5400,12,3,,vision,0,,,,,,0;1;1,-5400
speech/waits,7200,32,4,,speech,1000,7200,preferred:pod,,,,,
END
# Submitted at 8:00, admitted at 9:10 (its Workload at 9:00), finished at 9:40.
[ "$(tail -n 1 kueue.out/jobs.csv | cut -d, -f 1-4,25)" = vision/done,0,1800,1,600 ]
check "a Workload that has finished" $?
said "Kueue" kueue.out/report.txt "left out: files that end neither in .json, .yaml, .yml nor .zip: 1" \
    "left out: quotas of resource pods (2 times)" "left out: stopPolicy Hold of ClusterQueue ops: it starts jobs here" \
    "left out: admission checks of ClusterQueues" "left out: Workloads that are not active" "left out: terms of affinity between pods without a selector of labels, or with one of namespaces by label" \
    "ResourceFlavor default was not read: guessed: all nodes are of it" \
    "guessed: fair sharing is on, as queues have weights of it" \
    "gpuyard run -c kueue.out/cluster.yaml -t kueue.out/now.csv -p cohort:sharing=fair,placement=wait --placement kueue-tas"
sed -i 's/deserved_cpus: 0.5/deserved_cpus: 64/' kueue.out/cluster.yaml       # else `waits`, of 16 CPUs, can never be admitted
simulate kueue.out
python3 "$root/tests/e2e/kubernetes_placed.py" kueue.out.run kueue/nodes.json kueue/workloads.json >out
check "the pods of Kueue run where they are: $(tail -n 1 out)" $?
[ "$(tail -n 1 out)" = "8 pods compared" ]
check "all of them" $?

mkdir -p nested/deeper
gzip -c kueue/nodes.json >nested/nodes.json.gz
cp kueue/queues.json nested
cp kueue/workloads.json nested/deeper/workloads.yaml
"$gpuyard" import kubernetes nested -o nested.out >shown 2>err && cmp -s nested.out/now.csv kueue.out/now.csv
check "folders in folders, and gzip: $(cat err)" $?
"$gpuyard" import kubernetes - -o piped <kai.json >shown 2>err && cmp -s piped/now.csv kai/now.csv
check "standard input: $(cat err)" $?

# ---- Manifests as Kueue's documentation has them: one queue of CPUs and memory, jobs without GPUs; a cohort with fair sharing;
# topology-aware scheduling
cat >nodes.yaml <<'END'
{ apiVersion: v1, kind: Node, metadata: { name: n1, labels: { cloud.provider.com/node-group: tas, cloud.provider.com/topology-block: b1, cloud.provider.com/topology-rack: r1 } }, status: { allocatable: { cpu: 4, memory: 16Gi } } }
---
{ apiVersion: v1, kind: Node, metadata: { name: n2, labels: { cloud.provider.com/node-group: tas, cloud.provider.com/topology-block: b1, cloud.provider.com/topology-rack: r2 } }, status: { allocatable: { cpu: 8, memory: 32Gi } } }
END
cat >documentation.yaml <<'END'
apiVersion: kueue.x-k8s.io/v1beta2
kind: Topology
metadata:
  name: "default"
spec:
  levels:
  - nodeLabel: "cloud.provider.com/topology-block"
  - nodeLabel: "cloud.provider.com/topology-rack"
  - nodeLabel: "kubernetes.io/hostname"
---
kind: ResourceFlavor
apiVersion: kueue.x-k8s.io/v1beta2
metadata:
  name: "tas-flavor"
spec:
  nodeLabels:
    cloud.provider.com/node-group: tas
  topologyName: "default"
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata:
  name: "team-a-cq"
spec:
  cohortName: "all-teams"
  namespaceSelector: {} # match all.
  fairSharing: { weight: 2 }
  preemption:
    reclaimWithinCohort: Any
    withinClusterQueue: LowerPriority
  resourceGroups:
  - coveredResources: ["cpu", "memory"]
    flavors:
    - name: "tas-flavor"
      resources:
      - name: "cpu"
        nominalQuota: 9
      - name: "memory"
        nominalQuota: 36Gi
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata:
  namespace: "default"
  name: "user-queue"
spec:
  clusterQueue: "team-a-cq"
---
apiVersion: batch/v1
kind: Job
metadata:
  generateName: tas-sample-
  labels:
    kueue.x-k8s.io/queue-name: user-queue
spec:
  parallelism: 2
  completions: 2
  suspend: true
  template:
    metadata:
      annotations:
        kueue.x-k8s.io/podset-required-topology: "cloud.provider.com/topology-rack"
    spec:
      containers:
      - name: dummy-job
        image: registry.k8s.io/e2e-test-images/agnhost:2.53
        args: ["pause"]
        resources:
          requests:
            cpu: 3
            memory: "200Mi"
      restartPolicy: Never
END
"$gpuyard" import kubernetes nodes.yaml documentation.yaml -o documented >shown 2>err
check "the documentation's manifests are imported: $(cat err)" $?
simulate documented
# Two pods of 3 CPUs in one rack: of 4 and 8 CPUs only that of n2, node 1, holds both.
tail -n +2 documented.run/intervals.csv | cut -d, -f 2,3 >got
got_is "a job of the documentation is in one rack" <<'END'
0,1
1,1
END

# ---- Pod sets of topology-aware scheduling: a leader and workers in slices of two pods on a node, by annotations and by the
# topology request of a Workload. Nodes of 4 and 8 CPUs in racks of their own: two of 3 CPUs are a slice on n2, with the leader on n1.
sed '/^kind: Job/,$d; /^apiVersion: batch/d' documentation.yaml >sets.yaml
cat >>sets.yaml <<'END'
{ apiVersion: kueue.x-k8s.io/v1beta2, kind: Workload, metadata: { name: lws, namespace: default, creationTimestamp: 2026-03-02T09:00:00Z },
  spec: { queueName: user-queue, podSets: [
    { name: leader, count: 1, topologyRequest: { required: cloud.provider.com/topology-block, podSetGroupName: g },
      template: { spec: { containers: [ { name: c, resources: { requests: { cpu: 3 } } } ] } } },
    { name: workers, count: 2, topologyRequest: { podSetGroupName: g },
      template: { metadata: { annotations: { kueue.x-k8s.io/podset-required-topology: cloud.provider.com/topology-block,
          kueue.x-k8s.io/podset-slice-required-topology: kubernetes.io/hostname, kueue.x-k8s.io/podset-slice-size: "2" } },
        spec: { containers: [ { name: c, resources: { requests: { cpu: 3 } } } ] } } } ] } }
---
{ apiVersion: kueue.x-k8s.io/v1beta2, kind: Workload, metadata: { name: odd, namespace: default, creationTimestamp: 2026-03-02T09:01:00Z },
  spec: { queueName: user-queue, podSets: [
    { name: main, count: 3, topologyRequest: { podSetSliceRequiredTopology: kubernetes.io/hostname, podSetSliceSize: 2 },
      template: { spec: { containers: [ { name: c, resources: { requests: { cpu: 1 } } } ] } } } ] } }
END
"$gpuyard" import kubernetes nodes.yaml sets.yaml -o sets >shown 2>err
check "pod sets are imported: $(cat err)" $?
cut -d, -f 1,5,6,19,26,27 sets/now.csv >got
got_is "slices, leader and workers" <<'END'
job_id,group,tasks,topology,slices,podset_group
default/lws,0-leader,1,required:pod,,1
default/lws,1-workers,2,required:pod,node:2,1
default/odd,,3,,,
END
said "pod sets" sets/report.txt \
    "left out: slices without a size or of no level of the topology below that of the job, or that the pods do not fill"
simulate sets
awk -F, '$1 == "default/lws" { print $2 "," $3 }' sets.run/intervals.csv >got
got_is "a slice is on one node" <<'END'
0,0
1,1
2,1
END

# ---- What runs against the rules: beside a taint, without the label, more than fits, in two racks, on a node that is not there
cat >odd.yaml <<'END'
{ apiVersion: v1, kind: Node, metadata: { name: a }, spec: { unschedulable: true }, status: { allocatable: { cpu: 8, memory: 8Gi, amd.com/gpu: 4 } } }
---
{ apiVersion: v1, kind: Node, metadata: { name: b }, status: { allocatable: { cpu: 8, memory: 8Gi, nvidia.com/gpu: 1 } } }
---
{ apiVersion: v1, kind: Pod, metadata: { name: cordoned }, spec: { nodeName: a, nodeSelector: { gone: "" }, containers: [ { resources: { limits: { amd.com/gpu: 1 } } } ] }, status: { phase: Running } }
---
{ apiVersion: v1, kind: Pod, metadata: { name: large }, spec: { nodeName: b, containers: [ { resources: { limits: { nvidia.com/gpu: 2 } } } ] }, status: { phase: Running } }
---
{ apiVersion: v1, kind: Pod, metadata: { name: lost }, spec: { nodeName: c, containers: [ { resources: { limits: { nvidia.com/gpu: 1 } } } ] }, status: { phase: Running } }
---
{ apiVersion: v1, kind: Pod, metadata: { name: lost }, spec: {} }
END
"$gpuyard" import kubernetes odd.yaml -o odd >shown 2>err
check "odd is imported: $(cat err)" $?
cut -d, -f 1,20-24 odd/now.csv >got
got_is "what runs against the rules" <<'END'
job_id,node_selector,affinity,tolerations,running_on,started_s
default/cordoned,,,node.kubernetes.io/unschedulable:NoSchedule,0,
default/large,,,,,
default/lost,,,,,
END
said "odd" odd/report.txt "left out: selectors of jobs that run on nodes without these labels" \
    "guessed: jobs that run beside a taint that they do not tolerate may run there again" \
    "jobs with pods that do not fit on their nodes wait instead" "pods on nodes that are not in the cluster file wait instead" \
    "left out: objects of kind Pod that were read before" "guessed: nothing has run, as no object has a time"
simulate odd

# ---- One that tolerates all taints tolerates no more by others beside it: "*" stands alone in a trace (sim/cluster/labels.h)
cat >every.yaml <<'END'
{ apiVersion: v1, kind: Node, metadata: { name: a }, spec: { taints: [ { key: gpu, effect: NoSchedule } ] }, status: { allocatable: { cpu: 8, memory: 8Gi, nvidia.com/gpu: 1 } } }
---
{ apiVersion: v1, kind: Pod, metadata: { name: p }, spec: { tolerations: [ { key: gpu, operator: Exists, effect: NoSchedule }, { operator: Exists }, { key: x } ],
  containers: [ { resources: { limits: { nvidia.com/gpu: 1 } } } ] } }
END
"$gpuyard" import kubernetes every.yaml -o every >shown 2>err
check "a toleration of all taints beside others is imported: $(cat err)" $?
cut -d, -f 1,22 every/now.csv >got
got_is "a toleration of all taints beside others" <<'END'
job_id,tolerations
default/p,*
END
simulate every

# ---- A queue of KAI with a quota above its limit, as where no limit is said, deserves its limit (resource_division.go: what it asks for
# up to that); without the memory of a GPU nothing says what a share by memory is
cat >above.yaml <<'END'
{ apiVersion: v1, kind: Node, metadata: { name: n }, status: { allocatable: { cpu: 8, memory: 64Gi, nvidia.com/gpu: 4 } } }
---
{ apiVersion: scheduling.run.ai/v2, kind: Queue, metadata: { name: q }, spec: { resources: { gpu: { quota: 4, limit: 2 }, cpu: { quota: -1, limit: 8000 }, memory: { quota: 5, limit: -1 } } } }
---
{ apiVersion: v1, kind: Pod, metadata: { name: p, labels: { kai.scheduler/queue: q } }, spec: { containers: [ { resources: { limits: { nvidia.com/gpu: 1 } } } ] } }
---
{ apiVersion: v1, kind: Pod, metadata: { name: m, annotations: { gpu-memory: "2000" }, labels: { kai.scheduler/queue: q } } }
END
"$gpuyard" import kubernetes above.yaml -o above >shown 2>err
check "a quota above its limit is imported: $(cat err)" $?
grep -o 'deserved_gpus.*limit_cpus: [0-9]*\|deserved_memory.*' above/cluster.yaml | sed 's/, [a-z]*_*weight: 0//g' >got
got_is "a quota above its limit" <<'END'
deserved_gpus: 2, limit_gpus: 2, deserved_cpus: 8, limit_cpus: 8
deserved_memory_gib: 0.004657, limit_memory_gib: unlimited, priority: 100 }
END
said "above" above/report.txt "queue q of KAI deserves no more gpus than its limit" "queue q of KAI deserves no more cpus than its limit" \
    "the memory of GPUs of some nodes is not known: jobs that ask for a share of a GPU by memory want its gpu_memory_gib in the cluster file"
sed -i 's/gpus: 4/gpus: 4, gpu_memory_gib: 16/' above/cluster.yaml
simulate above

# ---- What cannot be read
grep -v '^#' "$root/tests/e2e/kubernetes.txt" | sed 1d >table
n=0
while IFS= read -r text && IFS= read -r want; do
    n=$((n + 1))
    printf '%b' "$text" >x
    "$gpuyard" import kubernetes x -o refused >out 2>err
    status=$?
    if [ "$want" = good ]; then
        [ $status -eq 0 ] && [ ! -s err ]
    else
        [ $status -eq 3 ] && [ ! -s out ] && [ ! -e refused ] && [ "$(cat err)" = "gpuyard: $want" ]
    fi
    check "$text: $want: got $(cat err)" $?
    rm -rf refused
done <table
[ $n -ge 60 ]
check "messages: $n" $?
usage() { # MESSAGE ARGUMENTS...
    want=$1
    shift
    "$gpuyard" import "$@" -o refused >out 2>err
    [ $? -eq 2 ] && [ "$(cat err)" = "gpuyard: $want" ] && [ ! -e refused ]
    check "$*: $(cat err)" $?
}
usage "import: want files or folders of objects: kubernetes PATH..." kubernetes
usage "import: --conf is an option of slurm, not of kubernetes" kubernetes x --conf y
usage "import: --at is an option of kubernetes, not of slurm" slurm --conf y --at z
usage "import: want no operand behind slurm, got 'x'" slurm --conf y x
"$gpuyard" import kubernetes x --at noon -o refused 2>err
[ "$(cat err)" = "gpuyard: --at: want a time from 1970 to 2069 like 2017-10-09 07:01:55, got 'noon'" ]
check "--at: $(cat err)" $?
"$gpuyard" import kubernetes nowhere -o refused 2>err
[ $? -eq 3 ] && [ "$(cat err)" = "gpuyard: nowhere: cannot open: No such file or directory" ]
check "no such file: $(cat err)" $?

# ---- The guide: its commands of gpuyard, over the small cluster
mkdir guide
cp small/all.yaml guide/cluster.json
cp small/job.yml guide/queues.json
sed -n '/^## From kubectl/,/^## /p' "$root/docs/your-cluster.md" | sed -n '/^```sh$/,/^```$/p' | grep '^gpuyard ' >commands
n=0
while read -r _ arguments; do
    n=$((n + 1))
    (cd guide && eval "\"\$gpuyard\" $arguments" >../out 2>../err)
    check "the guide: gpuyard $arguments: $(head -n 1 err)" $?
done <commands
[ $n -eq 7 ]
check "the guide has its commands: $n" $?
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
