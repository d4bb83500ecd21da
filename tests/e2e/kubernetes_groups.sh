#!/bin/sh
# kubernetes_groups.sh GPUYARD - gpuyard import kubernetes: subgroups of KAI's PodGroups, and topologies of more than two levels above
# the node: what the trace says of them, what is left out, and where such jobs run.
set -u
gpuyard=$1
root=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
. "$root/tests/support/checks.sh"
import() { # NAME: NAME.yaml into NAME
    "$gpuyard" import kubernetes "$1.yaml" -o "$1" >shown 2>err
    check "$1 is imported: $(cat err)" $?
}
simulate() { # NAME: the run that its report names, into NAME.run
    $(tail -n 1 "$1/report.txt" | sed "s|^gpuyard|$gpuyard|") -o "$1.run" --outputs all >out 2>err
    check "the run of the report of $1: $(head -n 1 err)" $?
}
node() { # NAME LABELS: 4 GPUs
    cat <<END
---
{ apiVersion: v1, kind: Node, metadata: { name: $1, labels: { $2 } }, status: { allocatable: { cpu: 64, memory: 512Gi, nvidia.com/gpu: 4 } } }
END
}
pod() { # NAME PODGROUP GPUS LABELS SPEC
    cat <<END
---
{ apiVersion: v1, kind: Pod, metadata: { name: $1, namespace: a, creationTimestamp: 2026-03-02T09:00:00Z, annotations: { pod-group-name: $2 }, labels: { ${4-} } },
  spec: { ${5-} containers: [ { name: c, resources: { limits: { nvidia.com/gpu: $3 } } } ] } }
END
}
queue() {
    cat <<END
---
{ apiVersion: scheduling.run.ai/v2, kind: Queue, metadata: { name: team }, spec: { resources: { gpu: { quota: 32, limit: -1 }, cpu: { quota: -1, limit: -1 }, memory: { quota: -1, limit: -1 } } } }
END
}
group() { # NAME SPEC
    cat <<END
---
{ apiVersion: scheduling.run.ai/v2alpha2, kind: PodGroup, metadata: { name: $1, namespace: a, creationTimestamp: 2026-03-02T09:00:00Z }, spec: { queue: team, $2 } }
END
}
zones() { # two zones of two racks of two nodes; the label of a rack is the same in both zones
    for z in 0 1; do for r in 0 1; do for n in 0 1; do node "n$z$r$n" "zone: z$z, rack: r$r"; done; done; done
    echo '---
{ apiVersion: kai.scheduler/v1alpha1, kind: Topology, metadata: { name: t }, spec: { levels: [ { nodeLabel: zone }, { nodeLabel: rack }, { nodeLabel: kubernetes.io/hostname } ] } }'
}
leaf() { echo "kai.scheduler/subgroup-name: $1"; }

# ---- Subgroups: each has its minimum and its level, also those with subgroups below, and the PodGroup
{
    zones
    queue
    group llm 'minMember: 1, topologyConstraint: { topology: t, requiredTopologyLevel: zone }, subGroups: [
      { name: decode, minMember: 1, topologyConstraint: { topology: t, preferredTopologyLevel: rack } },
      { name: prefill, topologyConstraint: { topology: t, requiredTopologyLevel: rack } },
      { name: p0, parent: Prefill, minMember: 2 }, { name: p1, parent: prefill, minMember: 1 } ]'
    for i in 0 1 2; do pod "d$i" llm 2 "$(leaf decode)"; done
    for i in 0 1; do pod "p0-$i" llm 2 "$(leaf p0)"; done
    pod p1-0 llm 4 "$(leaf p1)"
    pod stray llm 1 "other: x"
} >subgroups.yaml
import subgroups
cut -d, -f 1,4-7,19 subgroups/now.csv >got
got_is "subgroups" <<'END'
job_id,gpus,group,tasks,min_tasks,topology
a/llm,0,.,,,required:pod
a/llm,0,prefill,,,required:rack
a/llm,6,decode,3,1,preferred:rack
a/llm,4,prefill/p0,2,,
a/llm,4,prefill/p1,1,,
END
says subgroups/report.txt "left out: pods that wait and are of no subgroup of their PodGroup, which KAI does not start"
simulate subgroups
# 8 GPUs of prefill fill a rack of two nodes; all are in one zone, of nodes 0-3 or 4-7. Tasks by group in the order of names above:
# 0-2 decode, 3-5 prefill.
awk -F, 'NR > 1 { zone[int($3 / 4)]; if ($2 > 2) rack[int($3 / 2)] } END { for (z in zone) zones++; for (r in rack) racks++; print zones, racks }' \
    subgroups.run/intervals.csv >got
got_is "a PodGroup in one zone, a subgroup in one rack" <<'END'
1 1
END

# ---- What runs: whole subgroups first. Without subgroups unequal pods share the minimum: 3 of 1 + 4 is the launcher and two workers.
# A third of `part` runs, behind a subgroup that runs in part: it waits.
{
    zones
    queue
    group runs 'subGroups: [ { name: x, minMember: 1 }, { name: y, minMember: 2 } ]'
    pod x0 runs 1 "$(leaf x)" 'nodeName: n000,'
    pod x1 runs 1 "$(leaf x)"
    pod y0 runs 2 "$(leaf y)" 'nodeName: n001,'
    pod y1 runs 2 "$(leaf y)" 'nodeName: n001,'
    group part 'subGroups: [ { name: x, minMember: 1 }, { name: y, minMember: 1 } ]'
    for s in x y; do pod "$s-0" part 1 "$(leaf $s)" 'nodeName: n100,'; pod "$s-1" part 1 "$(leaf $s)"; done
    group mpi 'minMember: 3, topologyConstraint: { topology: t, requiredTopologyLevel: rack }'
    pod launcher mpi 0
    for i in 0 1 2 3; do pod "worker$i" mpi 1; done
    group few 'minMember: 9'
    pod only few 1
    group least 'subGroups: [ { name: x, minMember: 0 } ]'
    for i in 0 1; do pod "l$i" least 1 "$(leaf x)"; done
} >runs.yaml
import runs
cut -d, -f 1,4-7,19,23 runs/now.csv >got
got_is "what runs" <<'END'
job_id,gpus,group,tasks,min_tasks,topology,running_on
a/few,1,,1,,,
a/least,2,x,2,1,,
a/mpi,0,.,1,,required:rack,
a/mpi,4,.,4,2,required:rack,
a/part,2,x,2,1,,4
a/part,2,y,2,1,,4
a/runs,4,y,2,,,1;1;0
a/runs,2,x,2,1,,1;1;0
END
holds runs/report.txt "pods that run in several unequal groups, each of which also waits for pods, wait instead"
holds runs/report.txt "guessed: a PodGroup or subgroup with fewer pods than its minMember, for which KAI waits"
holds runs/report.txt "guessed: a PodGroup or subgroup of which no pod is needed"
simulate runs
# The pods that run are on their nodes from the start: n001 is node 1, n000 node 0, n100 node 4. Tasks by group: y0, y1, x0.
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    ($1 == "a/runs" || $1 == "a/part") && $at["start_s"] == 0 && n[$1]++ < ($1 == "a/runs" ? 3 : 1) { print $1, $at["task"], $at["node"] }' \
    runs.run/intervals.csv | sort >got
got_is "subgroups run where they are" <<'END'
a/part 0 4
a/runs 0 1
a/runs 1 1
a/runs 2 0
END

# ---- Names of subgroups are exact; KAI takes that of the one above in lower case (factory.go, formatParentName),
# where none is the PodGroup
{
    node n ""
    queue
    group two 'subGroups: [ { name: x, minMember: 1 }, { name: X, minMember: 1 } ]'
    pod t0 two 1 "$(leaf x)"
    pod t1 two 1 "$(leaf X)"
    group top 'subGroups: [ { name: x, minMember: 1, parent: "" } ]'
    pod u top 1 "$(leaf x)"
    group capital 'subGroups: [ { name: Up }, { name: x, minMember: 1, parent: Up } ]'
    pod v capital 1 "$(leaf x)"
} >names.yaml
import names
says names/report.txt "left out: subgroups of PodGroup capital, whose pods are one group: a parent is not there, or they are a ring"
cut -d, -f 1,5,6 names/now.csv >got
got_is "names of subgroups with capitals" <<'END'
job_id,group,tasks
a/capital,,1
a/top,x,1
a/two,x,1
a/two,X,1
END

# ---- Subgroups that KAI refuses are left out, and so is what the trace cannot say
{
    node n ""
    queue
    group ring 'subGroups: [ { name: x, minMember: 1, parent: y }, { name: y, minMember: 1, parent: x } ]'
    group gone 'subGroups: [ { name: x, minMember: 1, parent: z } ]'
    group twice 'subGroups: [ { name: x, minMember: 1 }, { name: x, minMember: 1 } ]'
    group unsaid 'subGroups: [ { name: x } ]'
    group slash 'subGroups: [ { name: x/y, minMember: 1 } ]'
    group some 'minSubGroup: 1, subGroups: [ { name: x, minMember: 1 }, { name: y, minMember: 1 } ]'
    for g in ring gone twice unsaid slash; do pod "of-$g" $g 1 "$(leaf x)"; done
    for s in x y; do pod "some-$s" some 1 "$(leaf $s)"; done
    group mixed 'minMember: 2'
    pod m0 mixed 1 '' '' | sed 's|nvidia.com/gpu|nvidia.com/mig-1g.10gb|'
    pod m1 mixed 1
} >refused.yaml
import refused
for pair in "ring:a parent is not there, or they are a ring" "gone:a parent is not there, or they are a ring" "twice:two have one name" \
    "unsaid:one has no minMember" "slash:a name is none"; do
    says refused/report.txt "left out: subgroups of PodGroup ${pair%%:*}, whose pods are one group: ${pair#*:}"
done
says refused/report.txt "left out: minSubGroup of PodGroups: they need all their subgroups"
says refused/report.txt "left out: jobs whose pods differ in MIG profile or in a share of a GPU by memory"
cut -d, -f 1,5,6 refused/now.csv >got
got_is "PodGroups with refused subgroups" <<'END'
job_id,group,tasks
a/gone,,1
a/ring,,1
a/slash,,1
a/some,x,1
a/some,y,1
a/twice,,1
a/unsaid,,1
END
simulate refused

# ---- A topology of four levels above the node of which two need a level of the cluster file: all nodes are in one region, and each
# has a host label of its own, as on GKE (cloud.google.com/gce-topology-host)
topology() { # LEVELS
    echo '---'
    echo "{ apiVersion: kueue.x-k8s.io/v1beta2, kind: Topology, metadata: { name: t }, spec: { levels: [ $1 { nodeLabel: kubernetes.io/hostname } ] } }"
    cat <<'END'
---
{ apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: { name: f }, spec: { nodeLabels: { p: x }, topologyName: t } }
---
{ apiVersion: kueue.x-k8s.io/v1beta2, kind: ClusterQueue, metadata: { name: q }, spec: { resourceGroups: [ { coveredResources: [ nvidia.com/gpu ],
  flavors: [ { name: f, resources: [ { name: nvidia.com/gpu, nominalQuota: 64 } ] } ] } ] } }
---
{ apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: { name: q, namespace: a }, spec: { clusterQueue: q } }
END
}
job() { # NAME LEVEL PODS: of 4 GPUs
    cat <<END
---
{ apiVersion: batch/v1, kind: Job, metadata: { name: $1, namespace: a, labels: { kueue.x-k8s.io/queue-name: q } }, spec: { parallelism: $3, completions: $3, suspend: true,
  template: { metadata: { annotations: { kueue.x-k8s.io/podset-required-topology: $2 } }, spec: { containers: [ { name: c, resources: { requests: { nvidia.com/gpu: 4 } } } ] } } } }
END
}
{
    for b in 0 1; do for s in 0 1; do for n in 0 1; do node "h$b$s$n" "p: x, region: eu, block: b$b, subblock: s$s, host: h$b$s$n"; done; done; done
    topology '{ nodeLabel: region }, { nodeLabel: block }, { nodeLabel: subblock }, { nodeLabel: host },'
    n=0
    for level in region block subblock host; do n=$((n + 1)) && job "j$n-$level" $level $((5 - n)); done
} >deep.yaml
import deep
cut -d, -f 1,6,19 deep/now.csv >got
got_is "levels that need none of the cluster file" <<'END'
job_id,tasks,topology
a/j1-region,4,required:cluster
a/j2-block,3,required:pod
a/j3-subblock,2,required:rack
a/j4-host,1,required:node
END
if grep -q 'left out: topology' deep/report.txt; then fail "a level is left out"; else ok; fi
sed -n 's/.*group: \("[^"]*"\).*\(nodes_per_rack.*\) }/\1 \2/p' deep/cluster.yaml >got
got_is "racks and pods" <<'END'
"h000-h001" nodes_per_rack: 2, racks_per_pod: 2
"h010-h011" nodes_per_rack: 2, racks_per_pod: 2, joins: pod
"h100-h101" nodes_per_rack: 2, racks_per_pod: 2
"h110-h111" nodes_per_rack: 2, racks_per_pod: 2, joins: pod
END
simulate deep

# ---- Three levels that all differ: all are levels of the cluster file, the third by the end of its label. Equal labels below
# different ones are different domains: rack r0 is in each hall.
halls() {
    for z in 0 1; do for h in 0 1; do for r in 0 1; do for n in 0 1; do node "k$z$h$r$n" "p: x, example.com/zone: z$z, hall: h$h, rack: r$r"; done; done; done; done
    topology '{ nodeLabel: example.com/zone }, { nodeLabel: hall }, { nodeLabel: rack },'
}
{ halls; job in-rack rack 2; job in-hall hall 4; job in-zone example.com/zone 8; } >three.yaml
import three
cut -d, -f 1,19 three/now.csv >got
got_is "three levels" <<'END'
job_id,topology
a/in-hall,required:pod
a/in-rack,required:rack
a/in-zone,required:zone
END
if grep -q 'left out: topology' three/report.txt; then fail "a level is left out"; else ok; fi
sed -n 's/.*group: \("[^"]*"\).*\(levels.*\) }/\1 \2/p' three/cluster.yaml >got
got_is "racks, halls and zones" <<'END'
"k0000-k0001" levels: { rack: 2, pod: 2, zone: 2 }
"k0010-k0011" levels: { rack: 2, pod: 2, zone: 2 }, joins: pod
"k0100-k0101" levels: { rack: 2, pod: 2, zone: 2 }, joins: zone
"k0110-k0111" levels: { rack: 2, pod: 2, zone: 2 }, joins: pod
"k1000-k1001" levels: { rack: 2, pod: 2, zone: 2 }
"k1010-k1011" levels: { rack: 2, pod: 2, zone: 2 }, joins: pod
"k1100-k1101" levels: { rack: 2, pod: 2, zone: 2 }, joins: zone
"k1110-k1111" levels: { rack: 2, pod: 2, zone: 2 }, joins: pod
END
simulate three

# ---- Nine levels that all differ: of level a/L nodes 0 to L are one domain, and every other node is one of its own. Of the eight
# of the cluster file those are that jobs ask for, and then the finer ones. A label that ends in no name has the level's number.
{
    for n in 0 1 2 3 4 5 6 7 8 9 10 11; do
        labels="p: x"
        for l in 1 2 3 4 5 6 7 8 9; do labels="$labels, a/$l: $([ $n -le $l ] && echo x || echo n$n)"; done
        node "$(printf 'n%02d' $n)" "$labels"
    done
    topology "$(for l in 9 8 7 6 5 4 3 2 1; do printf '{ nodeLabel: a/%s },' $l; done)"
    for l in 1 9; do job "j$l" "a/$l" 2; done
} >nine.yaml
import nine
says nine/report.txt "left out: topology level a/8: the cluster file has 8 above the node, and what asks for this one may use a whole level-8"
cut -d, -f 1,19 nine/now.csv >got
got_is "nine levels" <<'END'
job_id,topology
a/j1,required:rack
a/j9,required:level-8
END
simulate nine

# ---- The third level is called level-4 by its label, and so is the fourth: that has the next number that is free.
{
    for n in 0 1 2 3 4 5; do
        of() { [ $n -le "$1" ] && echo x || echo "n$n"; }
        node "n$n" "p: x, a/1: $(of 1), a/2: $(of 2), a/level-4: $(of 3), b/level-4: $(of 4)"
    done
    topology '{ nodeLabel: b/level-4 }, { nodeLabel: a/level-4 }, { nodeLabel: a/2 }, { nodeLabel: a/1 },'
    job inner a/level-4 2
    job outer b/level-4 2
} >same.yaml
import same
cut -d, -f 1,19 same/now.csv >got
got_is "levels of one name" <<'END'
job_id,topology
a/inner,required:level-4
a/outer,required:level-5
END
simulate same

# ---- Slices in layers, as Kueue's documentation has them: an annotation of several lines, sizes as texts; in a Workload as numbers. A
# hall has 16 GPUs in 2 racks of 2 nodes of 4: 8 pods of one GPU are in one hall, of these 4 and 4 in one rack.
layered() { # NAME LAYERS
    cat <<END
---
apiVersion: batch/v1
kind: Job
metadata: { name: $1, namespace: a, labels: { kueue.x-k8s.io/queue-name: q } }
spec:
  parallelism: 16
  completions: 16
  suspend: true
  template:
    metadata:
      annotations:
        kueue.x-k8s.io/podset-required-topology: example.com/zone
        kueue.x-k8s.io/podset-slice-required-topology-constraints: |
          [
$2
          ]
    spec: { containers: [ { name: c, resources: { requests: { nvidia.com/gpu: 1 } } } ] }
END
}
{
    halls
    layered layers '            {"topology": "hall", "size": "8"},
            {"topology": "rack", "size": "4"}'
    layered uneven '            {"topology": "hall", "sizes": [ 4, 12 ]}, {"topology": "rack", "size": 4}'
    cat <<'END'
---
{ apiVersion: kueue.x-k8s.io/v1beta2, kind: Workload, metadata: { name: w, namespace: a }, spec: { queueName: q, podSets: [ { name: main, count: 8,
  topologyRequest: { podsetSliceRequiredTopologyConstraints: [ { topology: hall, size: 4 }, { topology: kubernetes.io/hostname, size: 2 } ] },
  template: { spec: { containers: [ { name: c, resources: { requests: { nvidia.com/gpu: 1 } } } ] } } } ] } }
END
} >layers.yaml
import layers
cut -d, -f 1,6,19,26 layers/now.csv >got
got_is "slices in layers" <<'END'
job_id,tasks,topology,slices
a/layers,16,required:zone,pod:8;rack:4
a/uneven,16,required:zone,rack:4
a/w,8,,pod:4;node:2
END
says layers/report.txt "left out: slices without a size or of no level of the topology below that of the job, or that the pods do not fill"
simulate layers
awk -F, '$1 == "a/layers" { pod[int($2 / 8) "," int($3 / 4)]; rack[int($2 / 4) "," int($3 / 2)] }
    END { for (x in pod) pods++; for (x in rack) racks++; print pods, racks }' layers.run/intervals.csv >got
got_is "two slices of 8 pods in a hall each, four of 4 in a rack each" <<'END'
2 4
END
layered broken '            {"topology": "hall"' >broken.yaml
expect 3 "gpuyard: broken.yaml:14:1: spec.template.metadata.annotations.kueue.x-k8s.io/podset-slice-required-topology-constraints: want a list of layers, each with topology and size, as JSON" \
    "$gpuyard" import kubernetes broken.yaml -o none

# ---- Beside which pods, and beside which not. db runs in zone b, on n3: near has to join it, which is a preference here, as db may end;
# far, of another namespace, knows no db; wide names the namespace of db. x0 and x1 share no node. A selector of namespaces by their
# labels is left out.
terms() { # NAME NAMESPACE APP AFFINITY SPEC
    cat <<END
---
{ apiVersion: v1, kind: Pod, metadata: { name: $1, namespace: $2, creationTimestamp: 2026-03-02T09:00:00Z, labels: { app: $3, other: x } },
  spec: { ${5-} affinity: { $4 }, containers: [ { name: c, resources: { limits: { nvidia.com/gpu: 1 } } } ] }, status: { phase: Pending } }
END
}
required() { # KIND TERM
    echo "$1: { requiredDuringSchedulingIgnoredDuringExecution: [ { labelSelector: { matchLabels: { app: $2 } }, $3 } ] }"
}
{
    node n1 "zone: a"
    node n2 "zone: a"
    node n3 "zone: b" | sed "s/gpu: 4/gpu: 8/"
    terms db a db '' 'nodeName: n3,' | sed 's/Pending/Running/'
    terms near a web "$(required podAffinity db 'topologyKey: zone')"
    terms far b web "$(required podAffinity db 'topologyKey: zone')"
    terms wide b web "$(required podAffinity db 'topologyKey: zone, namespaces: [ a, c ]')"
    for i in 0 1; do terms x$i a x "$(required podAntiAffinity x 'topologyKey: kubernetes.io/hostname')"; done
    terms left a web "$(required podAffinity db 'topologyKey: zone, namespaceSelector: { matchLabels: { t: u } }')"
    terms soft a web 'podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [ { weight: 7, podAffinityTerm: { topologyKey: zone,
      namespaceSelector: {}, labelSelector: { matchExpressions: [ { key: app, operator: In, values: [ db, x ] }, { key: old, operator: DoesNotExist } ] } } } ] }'
} >between.yaml
import between
cut -d, -f 1,28-30 between/now.csv >got
got_is "terms between pods" <<'END'
job_id,pod_labels,pod_affinity,pod_anti_affinity
a/db,app=db;kubernetes.io/metadata.namespace=a,,
a/left,app=web;kubernetes.io/metadata.namespace=a,,
a/near,app=web;kubernetes.io/metadata.namespace=a,100:app=db&kubernetes.io/metadata.namespace=a@zone,
a/soft,app=web;kubernetes.io/metadata.namespace=a,7:app=db|x&!old@zone,
a/x0,app=x;kubernetes.io/metadata.namespace=a,,app=x&kubernetes.io/metadata.namespace=a@node
a/x1,app=x;kubernetes.io/metadata.namespace=a,,app=x&kubernetes.io/metadata.namespace=a@node
b/far,app=web;kubernetes.io/metadata.namespace=b,100:app=db&kubernetes.io/metadata.namespace=b@zone,
b/wide,app=web;kubernetes.io/metadata.namespace=b,100:app=db&kubernetes.io/metadata.namespace=a|c@zone,
END
says between/report.txt "left out: terms of affinity between pods without a selector of labels, or with one of namespaces by label"
says between/report.txt "guessed: pods that must be beside others prefer it, by the largest weight: these may end (4 times)"
simulate between
awk -F, '{ on[$1] = $3 } END { print on["a/db"], on["a/near"], on["b/wide"], on["a/x0"] == on["a/x1"] ? "together" : "apart" }' \
    between.run/intervals.csv >got
got_is "where pods go for other pods" <<'END'
2 2 2 apart
END

# ---- How evenly pods spread: s0 to s5 over the zones, at most 1 more in one of them, so 3 and 3. t0 and t1, of another namespace, do
# not count: with them zone b would have 2 of the six. Least allocated alone, without the spread, gives n1, n2 and n3 the same.
spread() { # CONSTRAINT
    echo "topologySpreadConstraints: [ { $1 } ],"
}
{
    node n1 "zone: a"
    node n2 "zone: a"
    node n3 "zone: b" | sed "s/gpu: 4/gpu: 8/"
    for i in 0 1; do terms t$i b s '' 'nodeName: n3,' | sed 's/Pending/Running/'; done
    for i in 0 1 2 3 4 5; do
        terms s$i a s '' "$(spread 'maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: { matchLabels: { app: s } }')"
    done
} >even.yaml
import even
cut -d, -f 1,28-31 even/now.csv | sed -n '1,2p;$p' >got
got_is "a spread" <<'END'
job_id,pod_labels,pod_affinity,pod_anti_affinity,pod_spread
a/s0,app=s;kubernetes.io/metadata.namespace=a,,,1@zone
b/t1,app=s;kubernetes.io/metadata.namespace=b,,,
END
simulate even
awk -F, '$1 ~ /^a/ { n[$3 == 2 ? "b" : "a"]++ } END { print n["a"], n["b"] }' even.run/intervals.csv >got
got_is "pods in each zone" <<'END'
3 3
END
# What a spread can say, and what not: labels of the pod itself, also by matchLabelKeys (one that it has not is none: kubernetes/
# kubernetes:staging/src/k8s.io/api/core/v1/types.go, TopologySpreadConstraint); other labels, and requirements of several values, not
{
    node n1 "zone: a"
    soft='maxSkew: 2, whenUnsatisfiable: ScheduleAnyway'
    terms keys a s '' "$(spread "$soft, topologyKey: kubernetes.io/hostname, matchLabelKeys: [ other, gone ],
      labelSelector: { matchExpressions: [ { key: app, operator: In, values: [ s ] } ] }")"
    terms more a s '' "$(spread "$soft, topologyKey: zone, minDomains: 2, nodeTaintsPolicy: Honor, labelSelector: { matchLabels: { app: s } }")"
    terms others a s '' "$(spread "$soft, topologyKey: zone, labelSelector: { matchLabels: { app: x } }")"
    terms any a s '' "$(spread "$soft, topologyKey: zone, labelSelector: { matchExpressions: [ { key: app, operator: Exists } ] }")"
    terms none a s '' "$(spread "$soft, topologyKey: zone")"
    for i in 0 1; do
        terms torch$i a torch "$([ $i = 1 ] && required podAntiAffinity s 'topologyKey: zone')" |
            sed 's/labels:/ownerReferences: [ { kind: PyTorchJob, name: torch, controller: true } ], labels:/'
    done
} >sayable.yaml
import sayable
cut -d, -f 1,28,31 sayable/now.csv >got
got_is "spreads that can be said" <<'END'
job_id,pod_labels,pod_spread
a/any,app=s;other=x;kubernetes.io/metadata.namespace=a,
a/keys,app=s;other=x;kubernetes.io/metadata.namespace=a,soft:2@node
a/more,app=s;other=x;kubernetes.io/metadata.namespace=a,soft:2@zone
a/none,app=s;other=x;kubernetes.io/metadata.namespace=a,
a/others,app=s;other=x;kubernetes.io/metadata.namespace=a,
a/torch,app=torch;other=x;kubernetes.io/metadata.namespace=a,
END
says sayable/report.txt "guessed: terms between pods, where pods of one group differ in them, are those of its first"
says sayable/report.txt "left out: topology spread of pods by other labels than their own (3 times)"
says sayable/report.txt "left out: minDomains and nodeAffinityPolicy of topology spread"
says sayable/report.txt "guessed: a topology spread counts the pods that have all labels of the pod that some term asks for, not those of its selector alone"
simulate sayable

# ---- A toleration for a time: t leaves 100 s after the taint has come, f 0 s after it, s stays. The taint of upkeep comes at 200 s, by a
# reservation: no node has it in the dump. Those of five minutes that all pods have are left out; of other times, as of n, they stay
{
    node n1 ""
    for i in t:100 f:-1 s:; do
        seconds=${i#*:}
        terms ${i%:*} a x '' "nodeName: n1, tolerations: [ { key: upkeep, operator: Exists, effect: NoExecute${seconds:+, tolerationSeconds: $seconds} },
      { key: node.kubernetes.io/not-ready, operator: Exists, effect: NoExecute, tolerationSeconds: 300 } ]," | sed 's/Pending/Running/'
    done
    terms n a x '' "nodeName: n1, tolerations: [ { key: node.kubernetes.io/unreachable, operator: Exists, effect: NoExecute, tolerationSeconds: 30 } ]," |
        sed 's/Pending/Running/'
} >while.yaml
import while
cut -d, -f 1,22 while/now.csv >got
got_is "tolerations for a time" <<'END'
job_id,tolerations
a/f,upkeep:NoExecute@0
a/n,node.kubernetes.io/unreachable:NoExecute@30
a/s,upkeep:NoExecute
a/t,upkeep:NoExecute@100
END
echo 'reservations: [ { name: r, nodes: all, from_s: 200, until_s: 1000, taint: "upkeep:NoExecute" } ]' >>while/cluster.yaml
simulate while
awk -F, '$1 ~ /^a/ && !($1 in end) { end[$1] = $8 } END { print end["a/f"], end["a/t"], (end["a/s"] > 1000 ? "stays" : end["a/s"]) }' while.run/intervals.csv >got
got_is "when they leave" <<'END'
200 300 stays
END
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
