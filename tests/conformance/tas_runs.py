#!/usr/bin/env python3
"""tas_runs.py GPUYARD [ROUNDS] [SEED] - pod sets of traces through whole runs: random small situations of topology-aware
scheduling, as a cluster file and a job, placed by `kueue-tas` where the second implementation (second_tas.py) puts them.

ROUNDS (50) of each kind: one pod set, leader and workers, several pod sets. Domains of second_tas become zones, pods and racks of
nodes; pods of others are taken off the nodes; a job that finds no place is refused. Says what differs; exit status 1 then."""
import csv
import random
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import second_tas

NAMES = ["zone", "pod", "rack", "node"]     # in the cluster file, from coarse to fine
MANY_PODS = 1000000                        # here pods are not counted


def draw(r, kind):
    """A case whose parts a cluster file and a trace can say."""
    levels = second_tas.LEVELS[-r.choice([1, 2, 3, 3, 3, 4, 4]):]
    case = {"levels": levels, "nodes": second_tas.draw_nodes(r, levels)}
    for n in case["nodes"]:
        n["labels"].pop("disk", None)
        n.pop("taints", None)
        n["allocatable"]["pods"] = MANY_PODS
        if r.random() < .3:
            n["allocatable"]["cpu_milli"] += 4000
    names = ["main"] + ([f"more{i}" for i in range(r.randint(1, 2))] if kind == "several" else [])
    case["pod_sets"] = [second_tas.draw_pod_set(r, name, levels, kind) for name in names]
    if kind == "group":
        p = case["pod_sets"][0]
        leader = {"name": "leader", "count": 1, "topology": p["topology"],
                  "requests": r.choice([{"cpu_milli": 1000}, {"cpu_milli": 3000}, {"gpu_milli": 2000}])}
        case["pod_sets"].insert(r.randint(0, 1), leader)
        for e in case["pod_sets"]:
            e["group"] = "g"
    for p in case["pod_sets"]:
        for wish in ("tolerations", "node_selector", "node_affinity"):
            p.pop(wish, None)
    return case


def cluster(case):
    """A node a group, by domain: those of a rack join it, racks of a pod join that, and so on."""
    levels, lines, before = case["levels"], [], None
    outwards = NAMES[-len(levels):-1][::-1]
    nodes = sorted(case["nodes"], key=lambda n: [n["labels"][l] for l in levels])
    paths = [tuple(n["labels"][l] for l in levels) for n in nodes]
    for n, path in zip(nodes, paths):
        line = f'group: {n["name"]}, count: 1, gpus: {n["allocatable"]["gpu_milli"] // 1000}'
        line += f', cpus: {n["allocatable"]["cpu_milli"] / 1000:g}'
        sizes = [len({p[:len(levels) - k] for p in paths if p[:len(levels) - k - 1] == path[:len(levels) - k - 1]})
                 for k in range(len(outwards))]
        if sizes:
            sizes[0] = sum(p[:-1] == path[:-1] for p in paths)
            line += ", levels: { " + ", ".join(f"{name}: {size}" for name, size in zip(outwards, sizes)) + " }"
        joined = [name for k, name in enumerate(outwards) if before and before[:-1 - k] == path[:-1 - k]]
        if joined:
            line += f", joins: {joined[0]}"
        lines.append(f"  - {{ {line} }}\n")
        before = path
    return "nodes:\n" + "".join(lines), [p[-1] for p in paths]


def trace(case):
    level = dict(zip(case["levels"], NAMES[-len(case["levels"]):]))
    rows, several = ["job_id,submit_s,duration_s,gpus,tasks,cpus_per_task,topology,slices,podset_group,group"], len(case["pod_sets"]) > 1
    workers = max(case["pod_sets"], key=lambda p: p["count"])
    for p in case["pod_sets"]:
        t, each = p["topology"], p["requests"]
        level_asked = f'{t["mode"]}:{level[t["level"]]}' if "level" in t else ""
        slices = ";".join(f'{level[s["level"]]}:{s["pods"]}' for s in t.get("slices", []))
        if "group" in p and p is not workers:
            slices = ""                    # those of the workers count
        rows.append(f'j,0,1,{each.get("gpu_milli", 0) // 1000 * p["count"]},{p["count"]},{each.get("cpu_milli", 0) / 1000:g},'
                    f'{level_asked},{slices},{p.get("group", "")},{p["name"] if several else ""}')
    return "\n".join(rows) + "\n"


def placed(gpuyard, case, folder):
    """Nodes and pods of each pod set; None: no place."""
    text, hosts = cluster(case)
    (folder / "c.yaml").write_text(text)
    (folder / "t.csv").write_text(trace(case))
    done = subprocess.run([gpuyard, "run", "-q", "-c", folder / "c.yaml", "-t", folder / "t.csv", "-p", "fifo", "--placement", "kueue-tas",
                           "--outputs", "all", "-o", folder / "run"], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{trace(case)}{text}gpuyard: {done.returncode}: {done.stderr}")
    with open(folder / "run/intervals.csv", newline="") as f:
        at = {int(row["task"]): hosts[int(row["node"])] for row in csv.DictReader(f)}
    out, first = {}, 0
    for p in case["pod_sets"]:
        out[p["name"]] = Counter(at[k] for k in range(first, first + p["count"])) if at else None
        first += p["count"]
    return out


def main():
    gpuyard, rounds, seed = sys.argv[1], int((sys.argv[2:] or [50])[0]), (sys.argv[3:] or ["1"])[0]
    passed, failed, told = 0, 0, Counter()
    with tempfile.TemporaryDirectory() as work:
        for kind in ["single", "group", "several"]:
            r = random.Random(f"tas runs {kind} {seed}")
            for _ in range(rounds):
                case = draw(r, kind)
                decided = second_tas.decide(case, kind)
                fits = all(e["fits"] for e in decided.values())
                want = {p["name"]: Counter({d["domain"]: d["pods"] for d in decided[p["name"]]["domains"]}) if fits else None
                        for p in case["pod_sets"]}
                got = placed(gpuyard, case, Path(work))
                told[f'{kind}: {"placed" if fits else "no place"}'] += 1
                if got == want:
                    passed += 1
                    continue
                failed += 1
                print(f"FAILED {kind}: want {want}, got {got}\n{cluster(case)[0]}{trace(case)}")
    for what, n in sorted(told.items()):
        print(f"drawn: {what}: {n}")
    few = [kind for kind in ["single", "group", "several"] if told[f"{kind}: placed"] < rounds // 4]
    if few:
        print(f"FAILED: too few that find a place: {few}")
    print(f"{passed} passed, {failed + len(few)} failed, 0 skipped")
    return failed or few


sys.exit(1 if main() else 0)
