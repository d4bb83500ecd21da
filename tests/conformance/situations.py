#!/usr/bin/env python3
"""situations.py DIR [--seed N] [--count N] [--kind KIND]: random small situations of KAI's placing.

Writes cases of single_action/ for `conformance DIR`, count of each kind, with what the rules of
docs/schedulers.md (b.5 node order, g.1 topology, h devices) decide. The rules are told here a second
time, slowly: nothing is indexed, each attempt works on a copy of all nodes. Shares no code with the
program. Order of numbers: nodes by domain, then name; GPUs as running tasks name them; jobs by age.
"""
import argparse
import copy
import json
import os
import random

FULL = 1000                     # thousandths of a GPU
MEM_MIB = 100                   # of a GPU

# ---- What there is ----


class Gpu:
    def __init__(self):
        self.users = []         # (milli, state): running, leaving, now, tentative
        self.label = None

    def taken(self, states):
        return sum(milli for milli, state in self.users if state in states)

    def idle(self):
        return FULL - self.taken(("running", "leaving", "now"))

    def later(self):
        return FULL - self.taken(("running", "now", "tentative"))

    def is_there(self):         # shared by tasks that are not tentative
        return any(state != "tentative" for _, state in self.users)


class Node:
    def __init__(self, name, gpus, cpu, labels):
        self.name, self.labels, self.size, self.cpu_size = name, labels, gpus, cpu
        self.gpus = [Gpu() for _ in range(gpus)]
        self.cpu = Gpu()        # users of CPUs, in milli; idle() and later() do not apply

    def cpu_left(self, states):
        return self.cpu_size - self.cpu.taken(states)

    def cpu_idle(self):
        return self.cpu_left(("running", "leaving", "now"))

    def cpu_later(self):
        return self.cpu_left(("running", "now", "tentative"))

    def whole_idle(self):
        return [g for g in self.gpus if g.idle() == FULL]

    def whole_later(self):
        return [g for g in self.gpus if g.later() == FULL]


class Task:
    def __init__(self, name, gpus, milli, cpu, group=None, allowed=None):
        self.name, self.gpus, self.milli, self.cpu = name, gpus, milli, cpu
        self.group, self.allowed = group, allowed

    def shares(self):
        return self.gpus > 0 and self.milli < FULL


# ---- h: devices ----


def shared_fits(node, task):
    return [g for g in node.gpus if 0 < g.later() < FULL and g.later() >= task.milli]


def device_is_now(gpu, task):
    return gpu.idle() == FULL if gpu.later() == FULL else gpu.is_there() and gpu.idle() >= task.milli


def used(gpu):
    return 0 if gpu.later() == FULL else FULL - min(gpu.idle(), gpu.later())


def devices_in_order(node, task, now, apart):
    whole, shared = node.whole_later(), shared_fits(node, task)
    number = {id(g): i for i, g in enumerate(node.gpus)}
    whole.sort(key=lambda g: ((g.idle() == FULL) != now, number[id(g)]))
    shared.sort(key=lambda g: (used(g) if apart else -used(g), number[id(g)]))
    return whole + shared if apart else shared + whole


# ---- b.5: the order of nodes ----


def fits_later(node, task):
    if node.cpu_later() < task.cpu or (task.allowed is not None and node.name not in task.allowed):
        return False
    have = len(node.whole_later()) + (len(shared_fits(node, task)) if task.shares() else 0)
    return have >= task.gpus


def fits_now(node, task):
    if node.cpu_idle() < task.cpu:
        return False
    have = len(node.whole_idle())
    if task.shares():
        have += sum(device_is_now(g, task) for g in shared_fits(node, task))
    return have >= task.gpus


def score(node, task, how, points, candidates):
    """The sum that KAI adds up, on its decimal scales."""
    def free(n):
        return len(n.whole_later()) if task.gpus else n.cpu_later()
    total = points.get(node.name, 0) * 10 ** 4
    if how["gathers"] and task.shares() and shared_fits(node, task):
        total += 1000
    if fits_now(node, task):
        total += 100
    if task.gpus == 0 and node.size == 0:
        total += 10
    if how["spread"]:
        return total + free(node) / (node.size if task.gpus else node.cpu_size)
    least, most = min(map(free, candidates)), max(map(free, candidates))
    return total + (9 * (1 - (free(node) - least) / (most - least)) if most > least else 9)


def place_task(nodes, task, how, points, done):
    candidates = [n for n in nodes if fits_later(n, task)]
    if not candidates:
        return False
    node = max(candidates, key=lambda n: score(n, task, how, points, candidates))  # the first of equals
    now = fits_now(node, task)
    if task.shares():
        devices = devices_in_order(node, task, now, how["apart"])[:task.gpus]
        now = now and all(device_is_now(g, task) for g in devices)
    else:
        whole = node.whole_later()
        devices = [g for g in whole if g.idle() == FULL][:task.gpus]
        now = now and len(devices) == task.gpus    # fewer: tentative shares have taken idle GPUs
        if not now:
            devices = sorted(whole, key=lambda g: g.idle() == FULL)[:task.gpus]
        assert len(devices) == task.gpus
    done.append((task, node, devices, now))
    for gpu in devices:
        gpu.users.append((task.milli, "now" if now else "tentative"))
    node.cpu.users.append((task.cpu, "now" if now else "tentative"))
    return True


# ---- g.1: domains ----


class Domain:
    def __init__(self, path, nodes):
        self.path, self.nodes = path, nodes


def ratio(domain, tasks):
    """Requested / free, of the resource that is scarcest."""
    gpu = sum(t.gpus * t.milli for t in tasks)
    cpu = sum(t.cpu for t in tasks)
    mine = [n for n in domain.nodes if tasks[0].allowed is None or n.name in tasks[0].allowed]
    free_gpu = sum(g.later() for n in mine for g in n.gpus)
    free_cpu = sum(n.cpu_later() for n in mine)
    part = [float("inf") if free <= 0 else want / free
            for want, free in ((gpu, free_gpu), (cpu, free_cpu)) if want]
    return max(part)


def copies(node, task):
    if not fits_later(node, task):
        return 0
    gpus = len(node.whole_later())
    if task.shares():
        gpus = gpus * (FULL // task.milli) + sum(g.later() // task.milli for g in node.gpus
                                                 if 0 < g.later() < FULL)
    counts = [gpus // task.gpus] if task.gpus else []
    return min(counts + ([node.cpu_later() // task.cpu] if task.cpu else []))


def can_hold(domain, tasks):
    asks = {(t.gpus, t.milli, t.cpu) for t in tasks}
    if len(asks) > 1:
        return ratio(domain, tasks) <= 1
    return sum(copies(n, tasks[0]) for n in domain.nodes) >= len(tasks)


def domains_at(levels, nodes, level, tasks):
    """Those of a level, in the order of the tree: sorted among their siblings."""
    found = [Domain((), nodes)]
    for k in range(level + 1):
        finer = []
        for parent in found:
            values = sorted({n.labels[levels[k]] for n in parent.nodes})
            parts = [Domain(parent.path + (v,), [n for n in parent.nodes if n.labels[levels[k]] == v])
                     for v in values]
            finer += sorted(parts, key=lambda d: (-ratio(d, tasks), d.path))
        found = finer
    return found


def place_group(job, group, nodes, levels, how, points, done):
    tasks = [t for t in job["next"] if within(job, t, group)]
    if not tasks:
        return True
    required, preferred = group.get("required"), group.get("preferred")
    if required is None and preferred is None:
        return place_inside(job, group, nodes, levels, how, points, done)
    finest = levels.index(preferred if preferred is not None else required)
    widest = levels.index(required) if required is not None else -1
    held = [n for t, n in job["held"] if within(job, t, group)]
    for level in range(finest, widest - 1, -1):
        found = domains_at(levels, nodes, level, tasks) if level >= 0 else [Domain((), nodes)]
        for domain in found:
            names = {n.name for n in domain.nodes}
            if required is not None and held and not names & set(held):
                continue
            if not can_hold(domain, tasks):
                continue
            here = {} if preferred is not None else points
            if preferred is not None and level < levels.index(preferred):
                parts = domains_at(levels, domain.nodes, levels.index(preferred), tasks)
                here = {n.name: (i + 1) * 10 // len(parts) for i, d in enumerate(parts)
                        for n in d.nodes}
            mark = len(done)
            if place_inside(job, group, domain.nodes, levels, how, here, done):
                return True
            undo(done, mark)
    return False


def place_inside(job, group, nodes, levels, how, points, done):
    for child in group.get("children", []):
        if not place_group(job, child, nodes, levels, how, points, done):
            return False
    if not group.get("children"):
        for task in job["next"]:
            if within(job, task, group) and not place_task(nodes, task, how, points, done):
                return False
    return True


def undo(done, mark):
    while len(done) > mark:
        task, node, devices, now = done.pop()
        for gpu in devices:
            gpu.users.remove((task.milli, "now" if now else "tentative"))
        node.cpu.users.remove((task.cpu, "now" if now else "tentative"))


def within(job, task, group):
    return task.group is None or task.group in leaves(group)


def leaves(group):
    if not group.get("children"):
        return {group["name"]}
    return set().union(*(leaves(c) for c in group["children"]))


# ---- b.5: allocate ----


def allocate(nodes, jobs, levels, how):
    """What becomes of each task: name -> (state, node, labels of its devices)."""
    outcome, fresh = {}, 0
    for job in jobs:
        done = []
        trial = copy.deepcopy(nodes)
        if not place_group(job, job["root"], trial, levels, how, {}, done):
            continue
        assert len(done) == len(job["next"])
        now = all(is_now for _, _, _, is_now in done)
        for task, node, devices, _ in sorted(done, key=lambda d: not d[0].shares()):
            real = next(n for n in nodes if n.name == node.name)
            labels = []
            taken = [real.gpus[i] for i in sorted(node.gpus.index(g) for g in devices)]
            if not now and not task.shares():    # what others leave is used up first
                taken = sorted(real.whole_later(), key=lambda g: g.idle() == FULL)[:task.gpus]
            for mine in taken:
                if task.shares() and mine.label is None:
                    mine.label, fresh = "new-%d" % fresh, fresh + 1
                labels.append(mine.label)
                mine.users.append((task.milli, "now" if now else "tentative"))
            assert len(taken) == task.gpus
            real.cpu.users.append((task.cpu, "now" if now else "tentative"))
            outcome[task.name] = ("Binding" if now else "Pipelined", node.name,
                                  labels if task.shares() and now else None)
    return outcome


# ---- Situations ----

STRATEGIES = {
    "binpack": ({"spread": False, "gathers": True, "apart": False}, None),
    "spread": ({"spread": True, "gathers": True, "apart": False}, [("nodeplacement", "spread")]),
    "apart": ({"spread": True, "gathers": False, "apart": True},
              [("gpuspread", None), ("nodeplacement", "spread")]),
    "binpack-apart": ({"spread": False, "gathers": False, "apart": True},
                      [("gpuspread", None), ("nodeplacement", "binpack")]),
}


def config_of(plugins):
    return {"actions": "allocate", "plugins": [
        {"name": name, "arguments": {"constants.GPUResource": value, "constants.CPUResource": value}
         if value else {}} for name, value in plugins]}


class Situation:
    def __init__(self, rng, strategy, levels=(), sizes=(1, 2, 3, 4), nodes=None, cpu=20000000,
                 mixed=True):
        self.rng, self.strategy, self.levels = rng, strategy, list(levels)
        self.jobs, self.pending, self.topology_asked = [], [], False
        count = nodes or rng.randint(2, 5)
        size = rng.choice(sizes)
        self.nodes = [Node("node%02d" % i, rng.choice(sizes) if mixed else size,
                           cpu if isinstance(cpu, int) else rng.choice(cpu), {})
                      for i in range(count)]
        self.label_nodes()

    def label_nodes(self):
        """Domains are runs of nodes; of several levels the finest may be the node."""
        rng, at = self.rng, [0] * len(self.levels)
        for node in self.nodes:
            for k, level in enumerate(self.levels):
                node.labels[level] = "-".join("%s%02d" % (self.levels[i], at[i])
                                              for i in range(k + 1))
            for k in range(len(self.levels)):
                last = k == len(self.levels) - 1
                if (last and self.levels[k] == "host") or rng.random() < (0.45 if last else 0.3):
                    at[k] += 1
                    at[k + 1:] = [0] * (len(at) - k - 1)
                    break

    def job(self, name, tasks, **keys):
        made = {"name": name, "queue": "queue0", "priority": 50, "preemptible": True,
                "list_seq": len(self.jobs), "created_seq": len(self.jobs), "gpus_per_task": 0,
                "cpu_milli_per_task": 1000, "memory_bytes_per_task": 1000000, "tasks": tasks,
                "min_available": len(tasks)}
        made.update(keys)
        self.jobs.append(made)
        return made

    def run(self, gpus, milli, state, cpu=1000, device=None):
        """A task that holds GPUs already, if some node has them; which node."""
        rng = self.rng
        fit = [n for n in self.nodes if n.cpu_idle() >= cpu and
               (device or len([g for g in n.gpus if not g.users]) >= gpus)]
        if not fit:
            return None
        node = rng.choice(fit)
        shared = [g for g in node.gpus if g.label and g.idle() >= milli]
        fresh = [g for g in node.gpus if not g.users]
        name = "held%02d" % len(self.jobs)
        task = {"id": name + "-0", "state": "Running" if state == "running" else "Releasing",
                "node": node.name}
        if milli < FULL:
            gpu = rng.choice(shared) if shared and rng.random() < 0.6 else (fresh or [None])[0]
            if gpu is None:
                return None
            gpu.label = gpu.label or "%s-%d" % (node.name, node.gpus.index(gpu))
            task["gpu_groups"] = [gpu.label]
            devices = [gpu]
        else:
            devices = fresh[:gpus]
        for gpu in devices:
            gpu.users.append((milli, state))
        node.cpu.users.append((cpu, state))
        self.job(name, [task], gpus_per_task=gpus if milli == FULL else milli / FULL,
                 cpu_milli_per_task=cpu)
        return node

    def ask(self, tasks, gpus=0, milli=FULL, memory=False, cpu=1000, **keys):
        name = "job%02d" % len(self.jobs)
        mine = [Task("%s-%d" % (name, i), gpus, milli, cpu) for i in range(tasks)]
        keys["cpu_milli_per_task"] = cpu
        if memory:
            keys["gpu_memory_mib_per_task"] = milli * MEM_MIB // FULL
        else:
            keys["gpus_per_task"] = milli / FULL if milli < FULL else gpus
        if milli < FULL and gpus > 1:
            keys["fraction_devices_per_task"] = gpus
        self.job(name, [{"id": t.name, "state": "Pending"} for t in mine], **keys)
        job = {"root": {"name": "."}, "held": [], "next": mine}
        self.pending.append(job)
        return job

    def constrain(self, group, target, required=None, preferred=None):
        group["required"], group["preferred"] = required, preferred
        constraint = {"topology": "tree"}
        if required:
            constraint["required_level"] = required
        if preferred:
            constraint["preferred_level"] = preferred
        if required or preferred:
            target["topology_constraint"] = constraint
            self.topology_asked = True

    def case(self, name):
        how, plugins = STRATEGIES[self.strategy]
        share = {"quota": -1, "limit": -1, "over_quota_weight": 1}
        queue = {"created_seq": 0, "priority": 100, "gpu": share, "cpu_milli": share,
                 "memory_mb": share}
        described = {n.name: {"gpus": n.size, "cpu_milli": n.cpu_size,
                              "memory_bytes": 20000000000, "gpu_memory_mib": MEM_MIB,
                              "labels": n.labels} for n in self.nodes}
        before = {t["id"]: t for j in self.jobs for t in j["tasks"]}
        outcome = allocate(self.nodes, self.pending, self.levels, how)
        expect = {}
        for name_of, task in before.items():
            state, node, labels = outcome.get(name_of, (task["state"], task.get("node"), None))
            expect[name_of] = {"state": state}
            if node:
                expect[name_of]["node"] = node
            if labels:
                expect[name_of]["gpu_groups"] = labels
        case = {"id": name, "mode": "single_action", "actions": ["allocate"], "nodes": described,
                "departments": [dict(queue, name="all", parent=None)],
                "queues": [dict(queue, name="queue0", parent="all")], "jobs": self.jobs,
                "expect": {"jobs": {}, "tasks": expect}}
        if plugins:
            case["config"] = config_of(plugins)
        if self.levels:
            case["topologies"] = [{"name": "tree", "levels": self.levels}]
        return case


def shares(rng):
    return 10 * rng.choice((10, 20, 25, 30, 40, 50, 60, 70, 80, 90))


def fill(s, rng, most, fractions, leaving=0.25, whole=(1, 2)):
    for _ in range(rng.randint(0, most)):
        state = "leaving" if rng.random() < leaving else "running"
        if fractions and rng.random() < 0.75:
            s.run(1, shares(rng), state)
        else:
            s.run(rng.choice(whole), FULL, state)


def fractions(rng, strategy):
    s = Situation(rng, strategy)
    fill(s, rng, 7, True)
    for _ in range(rng.randint(1, 3)):
        if rng.random() < 0.8:
            s.ask(rng.choice((1, 1, 2, 3)), rng.choice((1, 1, 1, 2)), shares(rng))
        else:
            s.ask(rng.choice((1, 2)), rng.choice((1, 2)))
    return s


def memory(rng, strategy):
    s = Situation(rng, strategy)
    fill(s, rng, 6, True)
    for _ in range(rng.randint(1, 3)):
        s.ask(rng.choice((1, 1, 2)), 1, shares(rng), memory=True)
    return s


def whole(rng, strategy):
    s = Situation(rng, strategy)
    fill(s, rng, 6, False, leaving=0.4)
    for _ in range(rng.randint(1, 3)):
        s.ask(rng.choice((1, 1, 2, 3)), rng.choice((1, 1, 2, 3)))
    return s


def cpus(rng, strategy):
    s = Situation(rng, strategy, sizes=(0, 0, 1, 2), cpu=(2000, 4000, 8000))
    for _ in range(rng.randint(0, 4)):
        state = "leaving" if rng.random() < 0.3 else "running"
        s.run(rng.choice((0, 1)), FULL, state, cpu=rng.choice((1000, 2000)))
    for _ in range(rng.randint(1, 3)):
        s.ask(rng.choice((1, 2, 3)), rng.choice((0, 0, 1)), cpu=rng.choice((1000, 2000, 3000)))
    return s


LEVELS = ((("rack",),), (("zone", "rack"), ("rack", "host")), (("zone", "rack", "host"), ("region", "zone", "rack")),
          (("region", "zone", "rack", "host"),))


def any_levels(rng):
    return rng.choice(rng.choice(LEVELS))


def pick_levels(rng, levels, kind):
    """(required, preferred): preferred is the finer one, or the same."""
    i, k = sorted((rng.randrange(len(levels)), rng.randrange(len(levels))))
    return {"required": (levels[i], None), "preferred": (None, levels[k]),
            "both": (levels[i], levels[k])}[kind]


def topology(rng, strategy, kind, mixed=False):
    s = Situation(rng, strategy, any_levels(rng), nodes=rng.randint(3, 8), mixed=mixed,
                  sizes=(1, 2, 4))
    fill(s, rng, 8, rng.random() < 0.3, leaving=0.2)
    for _ in range(rng.randint(1, 2)):
        if rng.random() < 0.2:
            job = s.ask(rng.choice((2, 3)), 1, shares(rng))
        else:
            job = s.ask(rng.choice((1, 2, 3, 4)), rng.choice((1, 1, 2)))
        s.constrain(job["root"], s.jobs[-1], *pick_levels(rng, s.levels, kind))
    return s


def growing(rng, strategy):
    """A job that holds one task, or two, wants one more."""
    s = Situation(rng, strategy, any_levels(rng), nodes=rng.randint(3, 7), mixed=False)
    held = [n for n in (s.run(1, FULL, "running") for _ in range(rng.randint(1, 2))) if n]
    tasks = [s.jobs.pop()["tasks"][0] for _ in held]
    kind = rng.choice(("required", "preferred", "both"))
    levels = pick_levels(rng, s.levels, kind)
    domain = {n.name: n.labels[levels[0]] if levels[0] else "" for n in s.nodes}
    tasks = [t for t in tasks if domain[t["node"]] == domain[tasks[0]["node"]]]
    for i, task in enumerate(tasks):
        task["id"] = "mine-%d" % i
    fill(s, rng, 5, False)
    name = "job%02d" % len(s.jobs)
    more = Task(name + "-more", 1, FULL, 1000)
    if not held:
        return topology(rng, strategy, "both")
    job = s.job(name, tasks + [{"id": more.name, "state": "Pending"}], gpus_per_task=1,
                min_available=len(tasks), created_seq=-1)
    mine = {"root": {"name": "."}, "next": [more],
            "held": [(Task(t["id"], 1, FULL, 1000), t["node"]) for t in tasks]}
    s.constrain(mine["root"], job, *levels)
    s.pending.append(mine)
    return s


def subgroups(rng, strategy, mixed=False):
    """A tree of one or two levels below the root, each group with a constraint or without."""
    s = Situation(rng, strategy, any_levels(rng), nodes=rng.randint(4, 8), mixed=mixed,
                  sizes=(2, 4))
    fill(s, rng, 6, False, leaving=0.2)
    name, gpus, tasks = "job%02d" % len(s.jobs), rng.choice((1, 1, 2)), []

    def group(path, depth):
        told, mine = {"name": path}, {"name": path}
        if rng.random() < 0.6:
            kind = rng.choice(("required", "preferred", "both"))
            s.constrain(mine, told, *pick_levels(rng, s.levels, kind))
        if depth > 0:
            parts = [group("%s-%d" % (path, i), depth - 1) for i in range(rng.choice((1, 2, 2)))]
            told["children"], mine["children"] = [p[0] for p in parts], [p[1] for p in parts]
        else:
            told["min_available"] = rng.choice((1, 1, 2))
            for i in range(told["min_available"]):
                tasks.append(Task("%s-%s-%d" % (name, path, i), gpus, FULL, 1000, path))
        return told, mine

    told, mine = group("all", rng.choice((1, 1, 2)))
    job = s.job(name, [{"id": t.name, "state": "Pending", "subgroup": t.group} for t in tasks],
                gpus_per_task=gpus, subgroups=told)
    del job["min_available"]
    s.pending.append({"root": mine, "held": [], "next": tasks})
    return s


def allowed(rng, strategy):
    """Jobs may use some of the nodes only."""
    levels = any_levels(rng) if rng.random() < 0.5 else ()
    s = Situation(rng, strategy, levels, nodes=rng.randint(3, 6))
    fill(s, rng, 5, False)
    for _ in range(rng.randint(1, 3)):
        job = s.ask(rng.choice((1, 2, 3)), 1)
        names = [n.name for n in s.nodes if rng.random() < 0.6] or [s.nodes[0].name]
        for task, told in zip(job["next"], s.jobs[-1]["tasks"]):
            task.allowed = told["allowed_nodes"] = names
        if levels and rng.random() < 0.7:
            s.constrain(job["root"], s.jobs[-1], *pick_levels(rng, s.levels, "both"))
    return s


KINDS = {
    "fractions-binpack": lambda r: fractions(r, "binpack"),
    "fractions-spread": lambda r: fractions(r, "spread"),
    "fractions-apart": lambda r: fractions(r, "apart"),
    "fractions-binpack-apart": lambda r: fractions(r, "binpack-apart"),
    "memory-binpack": lambda r: memory(r, "binpack"),
    "memory-spread": lambda r: memory(r, "apart"),
    "whole-binpack": lambda r: whole(r, "binpack"),
    "whole-spread": lambda r: whole(r, "spread"),
    "cpus-binpack": lambda r: cpus(r, "binpack"),
    "cpus-spread": lambda r: cpus(r, "spread"),
    "topology-required": lambda r: topology(r, "binpack", "required"),
    "topology-preferred": lambda r: topology(r, "binpack", "preferred"),
    "topology-both": lambda r: topology(r, "binpack", "both"),
    "topology-spread": lambda r: topology(r, "spread", "both"),
    "topology-growing": lambda r: growing(r, "binpack"),
    "topology-mixed": lambda r: topology(r, "binpack", "both", mixed=True),
    "topology-mixed-spread": lambda r: topology(r, "spread", "preferred", mixed=True),
    "allowed-nodes": lambda r: allowed(r, "binpack"),
    "subgroups": lambda r: subgroups(r, "binpack"),
    "subgroups-mixed": lambda r: subgroups(r, "spread", mixed=True),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("dir")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--kind", choices=sorted(KINDS))
    args = parser.parse_args()
    os.makedirs(args.dir, exist_ok=True)
    for kind, make in KINDS.items():
        if args.kind and kind != args.kind:
            continue
        cases = []
        for i in range(args.count):
            rng = random.Random("%s %d %d" % (kind, args.seed, i))
            cases.append(make(rng).case("%s/%d/%03d" % (kind, args.seed, i)))
        with open(os.path.join(args.dir, kind + ".json"), "w") as out:
            json.dump({"group": "single_action/" + kind, "cases": cases}, out, indent=1)


if __name__ == "__main__":
    main()
