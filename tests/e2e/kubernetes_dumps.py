#!/usr/bin/env python3
"""kubernetes_dumps.py DIR - the dumps of kubernetes.sh: kai.json (a List), kai.zip (the same cluster as the snapshot plugin of
KAI-Scheduler writes it: a zip of snapshot.json, with rawObjects without kinds), kueue/ (a folder of lists, one a kind)."""
import io
import json
import os
import sys
import zipfile

NOW = "2026-03-02T12:00:00Z"
folder = sys.argv[1]


def meta(name, namespace=None, created="2026-03-02T08:00:00Z", **more):
    m = {"name": name, "creationTimestamp": created, "uid": "u-" + name}
    if namespace:
        m["namespace"] = namespace
    m.update(more)
    return m


def node(name, labels, allocatable, taints=None, ready="True", **spec):
    if taints:
        spec["taints"] = taints
    return {"apiVersion": "v1", "kind": "Node", "metadata": meta(name, labels=dict(labels, **{"kubernetes.io/hostname": name})),
            "spec": spec,
            "status": {"allocatable": dict({"cpu": "64", "memory": "512Gi", "pods": "110"}, **allocatable),
                       "conditions": [{"type": "Ready", "status": ready, "lastHeartbeatTime": NOW,
                                       "lastTransitionTime": "2026-03-01T00:00:00Z"}]}}


def container(**resources):
    return {"name": "main", "image": "train:1", "resources": {"limits": resources}}


def gpus(n, cpu="4", memory="16Gi"):
    return container(**{"nvidia.com/gpu": str(n), "cpu": cpu, "memory": memory})


def pod(name, namespace, box, on=None, since="2026-03-02T11:00:00Z", phase=None, owner=None, labels=None, annotations=None, **spec):
    m = meta(name, namespace, labels=labels or {}, annotations=annotations or {})
    if owner:
        m["ownerReferences"] = [{"apiVersion": "v1", "kind": owner[0], "name": owner[1], "uid": "u-" + owner[1], "controller": True}]
    status = {"phase": phase or ("Running" if on else "Pending")}
    if on:
        spec["nodeName"] = on
        status["startTime"] = since
    return {"apiVersion": "v1", "kind": "Pod", "metadata": m, "spec": dict(spec, containers=[box]), "status": status}


def of(api, kind, m, **rest):
    return dict({"apiVersion": api, "kind": kind, "metadata": m}, **rest)


def write(name, items):
    with open(os.path.join(folder, name), "w") as f:
        json.dump({"apiVersion": "v1", "kind": "List", "items": items, "metadata": {"resourceVersion": ""}}, f, indent=4)


# ---- KAI: queues in two levels, gangs, elastic gangs, shares of GPUs, MIG, a topology of racks
A100 = {"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-80GB", "nvidia.com/gpu.memory": "81920"}
RUN_AI = "scheduling.run.ai/v2"


def queue(name, parent, gpu, **more):
    free = {"quota": -1, "limit": -1, "overQuotaWeight": 1}
    return of(RUN_AI, "Queue", meta(name), spec=dict({"parentQueue": parent, "resources": {"gpu": gpu, "cpu": free, "memory": free}}, **more))


def group(name, namespace, least, of_queue, priority="train", **more):
    return of("scheduling.run.ai/v2alpha2", "PodGroup", meta(name, namespace),
              spec=dict({"minMember": least, "queue": of_queue, "priorityClassName": priority}, **more), status={"phase": "Running"})


def member(pg, **notes):
    return {"annotations": dict({"pod-group-name": pg}, **notes)}


def share(pg, of_group, **notes):
    return dict(member(pg, **notes), labels={"runai-gpu-group": of_group})


def reservation(on, of_group):
    return pod("gpu-reservation-" + of_group, "kai-resource-reservation", gpus(1, "1m", "10Mi"), on,
               labels={"app": "kai-resource-reservation", "runai-gpu-group": of_group})


racks = {"g0": "r0", "g1": "r0", "g2": "r1", "g3": "r1"}
nodes = [node(n, dict(A100, rack=r), {"nvidia.com/gpu": "8"}) for n, r in racks.items()]
nodes.append(node("m0", dict(A100, rack="r2", **{"nvidia.com/gpu.count": "2"}),
                  {"nvidia.com/gpu": "0", "nvidia.com/mig-1g.10gb": "4", "nvidia.com/mig-3g.40gb": "3"}))
nodes.append(node("x0", dict(A100, rack="r0"), {"nvidia.com/gpu": "8"}, ready="Unknown"))
queues = [queue("org", None, {"quota": 32, "limit": -1, "overQuotaWeight": 1}),
          queue("team-a", "org", {"quota": 20, "limit": -1, "overQuotaWeight": 2}, priority=110, reclaimMinRuntime="1h30m"),
          queue("team-b", "org", {"quota": 12, "limit": 16, "overQuotaWeight": 1}),
          queue("idle", None, {})]
groups = [group("gang", "a", 2, "team-a"), group("grows", "b", 1, "team-b"), group("shares", "b", 1, "team-b", "build"),
          group("slice", "b", 1, "team-b", preemptibility="preemptible"), group("more", "b", 1, "team-b"),
          group("big", "a", 16, "team-a", "inference", topologyConstraint={"topology": "racks", "requiredTopologyLevel": "rack"})]
pods = [pod("gang-%d" % i, "a", gpus(8), "g%d" % i, owner=("PyTorchJob", "gang"), schedulerName="kai-scheduler", **member("gang"))
        for i in range(2)]
pods += [pod("grows-%d" % i, "b", gpus(2), "g2" if i < 2 else None, **member("grows")) for i in range(3)]
pods += [pod("half", "b", container(cpu="1", memory="1Gi"), "g2", **share("shares", "s1", **{"gpu-fraction": "0.5"})),
         pod("quarter", "b", container(cpu="1", memory="1Gi"), "g2", **share("quarter", "s1", **{"gpu-fraction": "0.25"})),
         pod("by-memory", "b", container(cpu="1", memory="1Gi"), "g3", **share("by-memory", "s2", **{"gpu-memory": "20480"})),
         reservation("g2", "s1"), reservation("g3", "s2"),
         pod("slice", "b", container(**{"nvidia.com/mig-1g.10gb": "1", "cpu": "1"}), "m0", **member("slice")),
         pod("more", "b", container(**{"nvidia.com/mig-3g.40gb": "1", "cpu": "1"}), **member("more")),
         pod("old", "legacy", gpus(1), "g3", nodeSelector={"rack": "r1"})]
pods += [pod("big-%d" % i, "a", gpus(1), **member("big")) for i in range(16)]
pods += [pod("exporter-" + n["metadata"]["name"], "monitoring", container(cpu="500m", memory="512Mi"), n["metadata"]["name"],
             owner=("DaemonSet", "exporter")) for n in nodes[:4]]
classes = [of("scheduling.k8s.io/v1", "PriorityClass", meta(n), value=v) for n, v in (("train", 50), ("build", 100), ("inference", 125))]
topologies = [of("kai.scheduler/v1alpha1", "Topology", meta("racks"), spec={"levels": [{"nodeLabel": "rack"}, {"nodeLabel": "kubernetes.io/hostname"}]})]
others = [of("apps/v1", "Deployment", meta("web", "w"), spec={"replicas": 2}), of("apps/v1", "Deployment", meta("api", "w"), spec={"replicas": 1})]
write("kai.json", nodes + queues + groups + pods + classes + topologies + others)


def bare(items):
    return [{k: v for k, v in i.items() if k not in ("apiVersion", "kind")} for i in items]


raw = {"pods": bare(pods), "nodes": bare(nodes), "queues": bare(queues), "podGroups": bare(groups), "bindRequests": [{}, {}],
       "priorityClasses": bare(classes), "configMaps": [], "topologies": bare(topologies)}
plugins = [{"name": "predicates"}, {"name": "nodeplacement", "arguments": {"cpu": "binpack", "gpu": "spread"}}]
snapshot = {"config": {"actions": "allocate, reclaim, preempt, stalegangeviction", "tiers": [{"plugins": plugins}]},
            "schedulerParams": {"schedulerName": "kai-scheduler"}, "rawObjects": raw}


class Pipe(io.BytesIO):
    """As an HTTP response: sizes are not known when a header is written, and stand behind the data."""

    def seekable(self):
        return False

    def tell(self):
        raise io.UnsupportedOperation


pipe = Pipe()
with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as z:
    z.writestr("snapshot.json", json.dumps(snapshot))
with open(os.path.join(folder, "kai.zip"), "wb") as f:
    f.write(pipe.getvalue())

# ---- Kueue: cohorts in two levels, two flavors, a topology of blocks and racks, fair sharing
KUEUE = "kueue.x-k8s.io/"
os.makedirs(os.path.join(folder, "kueue"), exist_ok=True)
nodes = []
for i in range(8):    # two blocks of two racks of two nodes; h100-0 is in block b1, so that numbers are not names
    block = 1 - i // 4
    nodes.append(node("h100-%d" % i, {"pool": "h100", "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3", "block": "b%d" % block,
                                      "rack": "b%d-r%d" % (block, i // 2 % 2)}, {"nvidia.com/gpu": "8"}))
nodes += [node("a100-%d" % i, dict(A100, pool="a100"), {"nvidia.com/gpu": "8"},
               [{"key": "old", "value": "yes", "effect": "NoSchedule"}]) for i in range(2)]
nodes[-1]["spec"]["unschedulable"] = True
write("kueue/nodes.json", nodes)


def flavor_quota(name, gpu, cpu, memory, **limits):
    return {"name": name, "resources": [dict({"name": "cpu", "nominalQuota": cpu}), {"name": "memory", "nominalQuota": memory},
                                        dict({"name": "nvidia.com/gpu", "nominalQuota": gpu}, **limits), {"name": "pods", "nominalQuota": "99"}]}


covered = ["cpu", "memory", "nvidia.com/gpu", "pods"]
write("kueue/queues.json", [
    of(KUEUE + "v1beta2", "Cohort", meta("org"), spec={}),
    of(KUEUE + "v1beta2", "Cohort", meta("research"), spec={
        "parentName": "org", "fairSharing": {"weight": "3"},
        "resourceGroups": [{"coveredResources": ["nvidia.com/gpu"], "flavors": [
            {"name": "h100", "resources": [{"name": "nvidia.com/gpu", "nominalQuota": "8", "lendingLimit": "4"}]}]}]}),
    of(KUEUE + "v1beta2", "ClusterQueue", meta("vision"), spec={
        "cohortName": "research", "namespaceSelector": {},
        "preemption": {"withinClusterQueue": "LowerPriority", "reclaimWithinCohort": "Any",
                       "borrowWithinCohort": {"policy": "LowerPriority", "maxPriorityThreshold": 100}},
        "flavorFungibility": {"whenCanBorrow": "TryNextFlavor", "whenCanPreempt": "TryNextFlavor"},
        "fairSharing": {"weight": "500m"},
        "resourceGroups": [{"coveredResources": covered, "flavors": [flavor_quota("h100", "24", "256", "2Ti", borrowingLimit="8"),
                                                                     flavor_quota("a100", 8, 64, "512Gi")]}]}),
    of(KUEUE + "v1beta2", "ClusterQueue", meta("speech"), spec={
        "cohortName": "research", "queueingStrategy": "StrictFIFO", "namespaceSelector": {"matchLabels": {"team": "speech"}},
        "resourceGroups": [{"coveredResources": ["cpu"], "flavors": [{"name": "default", "resources": [{"name": "cpu", "nominalQuota": "500m"}]}]},
                           {"coveredResources": ["nvidia.com/gpu"], "flavors": [
                               {"name": "h100", "resources": [{"name": "nvidia.com/gpu", "nominalQuota": "16"}]}]}]}),
    of(KUEUE + "v1beta1", "ClusterQueue", meta("ops"), spec={
        "cohort": "org", "stopPolicy": "Hold", "admissionChecks": ["provision"],
        "flavorFungibility": {"whenCanBorrow": "Borrow", "whenCanPreempt": "Preempt"},
        "resourceGroups": [{"coveredResources": ["nvidia.com/gpu"], "flavors": [
            {"name": "a100", "resources": [{"name": "nvidia.com/gpu", "nominalQuota": "8"}]}]}]}),
    of(KUEUE + "v1beta2", "LocalQueue", meta("main", "vision"), spec={"clusterQueue": "vision"}),
    of(KUEUE + "v1beta2", "LocalQueue", meta("main", "speech"), spec={"clusterQueue": "speech"}),
    of(KUEUE + "v1beta1", "LocalQueue", meta("ops", "ops"), spec={"clusterQueue": "ops"}),
    of(KUEUE + "v1beta2", "ResourceFlavor", meta("h100"), spec={"nodeLabels": {"pool": "h100"}, "topologyName": "fabric"}),
    of(KUEUE + "v1beta2", "ResourceFlavor", meta("a100"), spec={
        "nodeLabels": {"pool": "a100"}, "nodeTaints": [{"key": "old", "value": "yes", "effect": "NoSchedule"}],
        "tolerations": [{"key": "old", "operator": "Exists"}]}),
    of(KUEUE + "v1beta2", "Topology", meta("fabric"), spec={"levels": [{"nodeLabel": "block"}, {"nodeLabel": "rack"},
                                                                      {"nodeLabel": "kubernetes.io/hostname"}]}),
    of(KUEUE + "v1beta2", "WorkloadPriorityClass", meta("high"), value=1000, description="first")])


def workload(name, namespace, local_queue, count, box, owner=None, created="2026-03-02T09:00:00Z", admitted=None, places=None, old=False,
             finished=None, podset=None, **spec):
    m = meta(name, namespace, created=created)
    if owner:
        m["ownerReferences"] = [{"apiVersion": "batch/v1", "kind": owner[0], "name": owner[1], "controller": True}]
    sets = [dict({"name": "main", "count": count, "template": {"spec": {"containers": [box], "restartPolicy": "Never"}}}, **(podset or {}))]
    status = {"conditions": []}
    if admitted:
        a = {"name": "main", "count": count, "flavors": {"nvidia.com/gpu": "h100"}}
        if places and old:
            a["topologyAssignment"] = {"levels": ["kubernetes.io/hostname"], "domains": [{"values": [n], "count": c} for n, c in places]}
        elif places:
            a["topologyAssignment"] = {"levels": ["block", "rack", "kubernetes.io/hostname"], "slices": [{
                "domainCount": len(places), "valuesPerLevel": [{"universal": "b0"}, {"universal": "b0-r0"}, {"individual": {
                    "prefix": "h100-", "roots": [n[5:] for n, _ in places]}}], "podCounts": {"individual": [c for _, c in places]}}]}
        status["admission"] = {"clusterQueue": local_queue if local_queue != "main" else namespace, "podSetAssignments": [a]}
        status["conditions"] += [{"type": t, "status": "True", "lastTransitionTime": admitted, "reason": "x", "message": "y"}
                                 for t in ("QuotaReserved", "Admitted")]
    if finished:
        status["conditions"].append({"type": "Finished", "status": "True", "lastTransitionTime": finished, "reason": "Succeeded"})
    version = "v1beta1" if old else "v1beta2"
    return of(KUEUE + version, "Workload", m, spec=dict({"queueName": local_queue, "podSets": sets}, **spec), status=status)


def job(name, namespace, tasks, box, **more):
    return of("batch/v1", "Job", meta(name, namespace, labels={"kueue.x-k8s.io/queue-name": "main"}, **more),
              spec={"parallelism": tasks, "completions": tasks, "suspend": False, "template": {"spec": {"containers": [box]}}})


START = "2026-03-02T10:30:00Z"
ours = ("Job", "resnet")
items = [job("resnet", "vision", 2, gpus(8)),
         workload("job-resnet", "vision", "main", 2, gpus(8), ours, admitted=START, priority=1000,
                  podset={"topologyRequest": {"required": "rack"}, "minCount": 1}),
         workload("tas-old", "speech", "main", 2, gpus(4), ("JobSet", "x"), admitted=START, places=[("h100-6", 2)], old=True, priority=10),
         workload("tas-new", "vision", "main", 3, gpus(4), ("JobSet", "y"), admitted=START, places=[("h100-4", 1), ("h100-5", 2)]),
         workload("waits", "speech", "main", 4, gpus(8), ("Job", "gone"), created="2026-03-02T11:58:00Z",
                  podset={"topologyRequest": {"preferred": "block"}}, maximumExecutionTimeSeconds=7200,
                  priorityClassRef={"kind": "WorkloadPriorityClass", "name": "high"}),
         workload("done", "vision", "main", 1, gpus(1), admitted="2026-03-02T09:10:00Z", finished="2026-03-02T09:40:00Z"),
         workload("off", "vision", "main", 1, gpus(1), active=False),
         workload("placeless", "vision", "main", 1, gpus(1), admitted=START),
         job("new", "ops", 1, gpus(2))]
items[-1]["metadata"]["labels"] = {"kueue.x-k8s.io/queue-name": "ops"}
items[-1]["spec"]["template"]["spec"]["tolerations"] = [{"key": "old", "operator": "Equal", "value": "yes", "effect": "NoSchedule"},
                                                        {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute"}]
items += [pod("resnet-%d" % i, "vision", gpus(8), "h100-%d" % (i + 2), owner=ours, since=START, labels={"job-name": "resnet"},
              nodeSelector={"kubernetes.io/hostname": "h100-%d" % (i + 2), "pool": "h100"}) for i in range(2)]
items += [pod("notebook", "eve", gpus(1), "a100-1", since="2026-03-02T11:45:00Z", owner=("StatefulSet", "notebook"), activeDeadlineSeconds=3600,
              tolerations=[{"operator": "Exists"}],
              affinity={"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
                  {"matchExpressions": [{"key": "pool", "operator": "In", "values": ["a100", "h100"]}]}]}},
                  "podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1}]}})]
write("kueue/workloads.json", items)
with open(os.path.join(folder, "kueue", "kustomize.txt"), "w") as f:
    f.write("no object\n")
