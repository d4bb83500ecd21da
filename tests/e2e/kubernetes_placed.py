#!/usr/bin/env python3
"""kubernetes_placed.py RUN FILE... - whether every pod with GPUs that runs in these dumps holds as many GPUs of its node at time 0 of
the run. Reads the dumps by itself: a job is what its pods are annotated with, or the Workload of their owner, or the pod. Workloads with
a topology assignment and no pods count by it. Prints how many pods were compared."""
import collections
import csv
import json
import sys

run, files = sys.argv[1], sys.argv[2:]
objects = [o for f in files for o in json.load(open(f))["items"]]
of_kind = collections.defaultdict(list)
for o in objects:
    of_kind[o["kind"]].append(o)
unready = {n["metadata"]["name"] for n in of_kind["Node"] if n["status"]["conditions"][0]["status"] != "True"}


def key(o, name=None):
    return o["metadata"]["namespace"] + "/" + (name or o["metadata"]["name"])


def owner(o):
    return [(r["kind"], r["name"]) for r in o["metadata"].get("ownerReferences", [])]


def job_of(pod):
    group = pod["metadata"].get("annotations", {}).get("pod-group-name")
    if group:
        return key(pod, group)
    for w in of_kind["Workload"]:
        if w["metadata"]["namespace"] == pod["metadata"]["namespace"] and set(owner(w)) & set(owner(pod)):
            return key(w)
    return key(pod)


def held(spec, notes):
    if "gpu-fraction" in notes or "gpu-memory" in notes:
        return 1
    limits = spec["containers"][0]["resources"]["limits"]
    return sum(int(v) for k, v in limits.items() if k.endswith("/gpu") or "/mig-" in k)


want, running = collections.Counter(), collections.Counter()
pods = 0
for p in of_kind["Pod"]:
    notes = p["metadata"].get("annotations", {})
    n = held(p["spec"], notes)
    where = p["spec"].get("nodeName")
    if where and where not in unready and n and p["metadata"]["labels"].get("app") != "kai-resource-reservation":
        want[job_of(p), where] += n
        running[job_of(p)] += 1
        pods += 1
for w in of_kind["Workload"]:
    spec = w["spec"]["podSets"][0]["template"]["spec"]
    for a in w.get("status", {}).get("admission", {}).get("podSetAssignments", []):
        t = a.get("topologyAssignment", {})
        places = [(d["values"][-1], d["count"]) for d in t.get("domains", [])]
        for s in t.get("slices", []):
            last = s["valuesPerLevel"][-1]["individual"]
            places += zip([last["prefix"] + r for r in last["roots"]], s["podCounts"]["individual"])
        for name, count in places:
            want[key(w), name] += held(spec, {}) * count
            running[key(w)] += count
            pods += count

names = {}
ordered = sorted((n for n in of_kind["Node"] if n["metadata"]["name"] not in unready),
                 key=lambda n: ([n["metadata"]["labels"].get(k, "~") for k in ("block", "rack")], n["metadata"]["name"]))
for i, n in enumerate(ordered):
    names[i] = n["metadata"]["name"]
got, seen = collections.Counter(), set()    # the first that a task holds, before any pass moves it or starts another task
with open(run + "/intervals.csv") as f:
    for row in csv.DictReader(f):
        first = (row["job_id"], row["task"]) not in seen and int(row["task"]) < running[row["job_id"]]
        seen.add((row["job_id"], row["task"]))
        if float(row["start_s"]) == 0 and int(row["gpus"]) and first:
            got[row["job_id"], names[int(row["node"])]] += int(row["gpus"])
wrong = [(k, want[k], got[k]) for k in sorted(want) if want[k] != got[k]]
for k, a, b in wrong:
    print("%s on %s: want %d GPUs, got %d" % (k[0], k[1], a, b))
print("%d pods compared" % pods)
sys.exit(bool(wrong) or not pods)
