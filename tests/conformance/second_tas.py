#!/usr/bin/env python3
"""second_tas.py DIR [ROUNDS] [SEED] - random small situations of topology-aware scheduling, and what the rules of
docs/schedulers.md g.2 decide in them, by a slow and obvious second implementation.

Writes a file a kind below DIR for the program `conformance`: ROUNDS (50) situations each: one pod set, slices in layers,
groups of leader and workers, several pod sets, a failed node, balanced placement, preferred affinity. A domain is the tuple of
its names from the coarsest level on; all is counted anew for each question, and the smallest set of domains of balanced
placement is found by trying all."""
import itertools
import json
import math
import random
import sys
from pathlib import Path

LEVELS = ["zone", "block", "rack", "host"]


class Fails(Exception):
    def __init__(self, **what):
        self.what = what


class Part:
    """What a domain has room for, and then what it gets."""
    def __init__(self, pods=0, beside=0, slices=0, sbeside=0, leads=0, score=0):
        self.pods, self.beside, self.slices, self.sbeside, self.leads, self.score = pods, beside, slices, sbeside, leads, score


class Topology:
    def __init__(self, levels, nodes, tolerant):
        self.levels, self.tolerant = levels, tolerant
        self.hosts = levels[-1] == "host"
        self.node, self.free = {}, {}
        for n in nodes:
            if not n.get("ready", True) or n.get("unschedulable"):
                continue
            leaf = tuple(n["labels"][l] for l in levels)
            self.node[leaf] = n
            had = self.free.setdefault(leaf, {})
            for r, v in n["allocatable"].items():
                had[r] = had.get(r, 0) + v

    def at(self, level, below=()):
        return sorted({leaf[:level + 1] for leaf in self.free if leaf[:len(below)] == below})

    def children(self, d):
        return self.at(len(d), d) if len(d) < len(self.levels) else []

    def find(self, name):
        for leaf in self.free:
            if (leaf[-1] == name) if isinstance(name, str) else (list(leaf) == name):
                return leaf
        return None

    def name(self, leaf):
        return leaf[-1] if self.hosts or len(leaf) == 1 else list(leaf)

    def take(self, leaf, requests, pods):
        if leaf in self.free:
            for r, v in dict(requests, pods=1).items():
                self.free[leaf][r] = self.free[leaf].get(r, 0) - v * pods


def fitting(free, requests):
    """How many, and what binds: the first by name."""
    each = {r: max(0, free.get(r, 0) // v) for r, v in dict(requests, pods=1).items() if v}
    most = min(each.values())
    return most, min(r for r in each if each[r] == most)


def excluded_by(node, p):
    tolerated = {(t["key"], t.get("value")) for t in p.get("tolerations", [])}
    for t in node.get("taints", []):
        if t["effect"] != "PreferNoSchedule" and (t["key"], t["value"]) not in tolerated:
            return "taint", f"{t['key']}={t['value']}:{t['effect']}"
    if any(node["labels"].get(k) != v for k, v in p.get("node_selector", {}).items()):
        return "node_selector", None
    terms = p.get("node_affinity", {}).get("required", [])
    if terms and not any(all(holds(e, node["labels"]) for e in term) for term in terms):
        return "affinity", None
    return None


def holds(need, labels):
    value = labels.get(need["key"])
    return {"In": value in need.get("values", []), "NotIn": value not in need.get("values", []),
            "Exists": value is not None, "DoesNotExist": value is None}[need["operator"]]


class Question:
    def __init__(self, topo, p, leader, setting, within=()):
        self.topo, self.p, self.setting = topo, p, setting
        t = p["topology"]
        self.layers = [(topo.levels.index(s["level"]), s["pods"]) for s in t.get("slices", [])]
        self.mode = t["mode"] if t["mode"] in ("required", "preferred") else "unconstrained"
        self.least = self.mode == "unconstrained"
        self.level = topo.levels.index(t["level"]) if "level" in t else 0 if self.layers else len(topo.levels) - 1
        self.size = self.layers[0][1] if self.layers else 1
        self.slice_level = self.layers[0][0] if self.layers else len(topo.levels) - 1
        self.count, self.leads = p["count"], 1 if leader else 0
        self.part, self.excluded = {}, {}
        self.count_leaves(leader, within)
        for level in reversed(range(len(topo.levels))):
            for d in topo.at(level):
                self.count_up(d)

    # ---- Counts ----

    def exclude(self, reason, of=None):
        if of is None:
            self.excluded[reason] = self.excluded.get(reason, 0) + 1
        else:
            by = self.excluded.setdefault(reason, {})
            by[of] = by.get(of, 0) + 1

    def count_leaves(self, leader, within):
        for leaf, free in self.topo.free.items():
            self.part[leaf] = part = Part()
            node = self.topo.node[leaf]
            why = excluded_by(node, self.p) if self.topo.hosts else None
            if why:
                self.exclude(*why)
                continue
            if leaf[:len(within)] != within:
                self.exclude("outside_domain")
                continue
            part.pods, binds = fitting(free, self.p["requests"])
            if not part.pods:
                self.exclude("resource", binds)
            part.beside = part.pods
            if leader and fitting(free, leader["requests"])[0] > 0 and not (self.topo.hosts and excluded_by(node, leader)):
                part.leads = 1
                part.beside = fitting({r: v - dict(leader["requests"], pods=1).get(r, 0) for r, v in free.items()},
                                      self.p["requests"])[0]
            if self.topo.hosts and self.setting == "affinity":
                part.score = sum(t["weight"] for t in self.p.get("node_affinity", {}).get("preferred", [])
                                 if holds(t, node["labels"]))

    def inner(self, level):
        for (above, _), (here, pods) in zip(self.layers, self.layers[1:]):
            if above < level <= here:
                return pods
        return 1

    def count_up(self, d):
        level, p = len(d) - 1, self.part.setdefault(d, Part())
        below = [self.part[c] for c in self.topo.children(d)]
        if below:
            k = self.inner(level + 1)
            down = lambda n: n // k * k
            hosts = [c for c in below if c.leads or not self.leads]
            p.pods, p.slices = sum(down(c.pods) for c in below), sum(c.slices for c in below)
            p.score, p.leads = sum(c.score for c in below), max(c.leads for c in below)
            p.beside = p.pods - min(down(c.pods) - down(c.beside) for c in hosts) if hosts else 0
            p.sbeside = p.slices - min(c.slices - c.sbeside for c in hosts) if hosts else 0
        if level == self.slice_level:
            p.slices, p.sbeside = p.pods // self.size, p.beside // self.size

    # ---- Order, best fit ----

    def ordered(self, domains, with_leader=False):
        sign = 1 if self.least else -1
        def key(d):
            p = self.part[d]
            if with_leader:
                return (-p.leads, -p.score, sign * p.sbeside, p.pods if not self.leads else p.beside, d)
            return (-p.score, sign * p.slices, p.pods, d)
        return sorted(domains, key=key)

    def room(self, d, leads, pods):
        p = self.part[d]
        if pods:
            return p.beside if leads else p.pods
        return p.sbeside if leads else p.slices

    def best(self, domains, want, leads, pods=False):
        """The first with the smallest room that suffices, of the score of the first."""
        good = [d for d in domains if self.part[d].score == self.part[domains[0]].score and
                self.part[d].leads >= leads and self.room(d, leads, pods) >= want]
        return min(good, key=lambda d: self.room(d, leads, pods)) if good else domains[0]

    def leader_first(self, domains, want, pods=False):
        spare = sum(self.room(d, 0, pods) for d in domains) - want
        for d in domains:
            if self.part[d].leads and self.room(d, 0, pods) - self.room(d, 1, pods) <= spare:
                return [d] + [e for e in domains if e != d]
        return domains

    # ---- Level ----

    def fits(self, d, want):
        return self.part[d].leads >= self.leads and self.room(d, self.leads, False) >= want

    def no_fit(self, fit):
        if len(self.layers) > 1:
            level = 0 if self.mode == "preferred" else self.level
            top = min(self.topo.at(level), key=lambda d: (-self.part[d].slices, d))
            raise Fails(slices_fit_by_level=[
                {"level": self.topo.levels[l], "fit": sum(self.part[d].pods // k for d in self.topo.at(l, top)), "of": self.count // k}
                for l, k in self.layers])
        raise Fails(fit=fit, of=self.count // self.size, unit="slices" if self.size > 1 else "pods")

    def choose(self):
        want, level = self.count // self.size, self.level
        while True:
            domains = self.ordered(self.topo.at(level), with_leader=True)
            good = [d for d in (domains[:1] if self.mode == "preferred" else domains) if self.fits(d, want)]
            if good:
                return level, [good[0] if self.least else self.best(domains[domains.index(good[0]):], want, self.leads)]
            if self.mode == "required":
                self.no_fit(self.part[domains[0]].slices)
            if level == 0 or self.least:
                return level, self.several(domains, want)
            level -= 1

    def several(self, domains, want):
        chosen, left = [], want
        if self.leads:
            domains = self.leader_first(domains, want)
            if not self.part[domains[0]].leads:
                self.no_fit(0)
            first = self.best(domains, left, 1) if not self.least and self.part[domains[0]].sbeside >= left else domains[0]
            chosen.append(first)
            left -= self.part[first].sbeside
            domains = domains[1:]
        domains = self.ordered(domains)
        for i, d in enumerate(domains):
            if left <= 0:
                break
            d = self.best(domains[i:], left, 0) if not self.least and self.part[d].slices >= left else d
            chosen.append(d)
            left -= self.part[d].slices
        if left > 0:
            self.no_fit(want - left)
        return chosen

    # ---- Down ----

    def divide(self, domains, count, leads, size, pods=False):
        left, given = count // size, []
        if leads:
            domains = self.leader_first(domains, left, pods)
        for i, d in enumerate(domains):
            last = self.room(d, leads, pods) >= left and self.part[d].leads >= leads
            if last and not self.least:
                d = self.best(domains[i:], left, leads, pods)
            p, part = self.part[d], min(left, self.room(d, leads, pods))
            p.leads, p.slices, p.pods = min(p.leads, leads), part, part * size
            left, leads = left - part, leads - p.leads
            given.append(d)
            if last:
                return given
        raise Fails(fit=0, of=self.count // self.size, unit="slices" if self.size > 1 else "pods")

    def descend(self, level, chosen, balanced):
        chosen = self.divide(chosen, self.count, self.leads, self.size)
        while level < self.slice_level and not balanced:
            pool = self.ordered([c for d in chosen for c in self.topo.children(d)])
            chosen = self.divide(pool, self.count, self.leads, self.size)
            level += 1
        while level < len(self.topo.levels) - 1:
            level += 1
            size = self.inner(level) if level > self.slice_level else self.size
            found = []
            for d in chosen:
                below = self.ordered(self.topo.children(d))
                if level > self.slice_level and size > 1:
                    for c in below:
                        self.part[c].slices, self.part[c].sbeside = self.part[c].pods // size, self.part[c].beside // size
                found += self.divide(below, self.part[d].pods, self.part[d].leads, size, size == 1)
            chosen = found
        return chosen

    # ---- Balanced ----

    def greedy(self, domains):
        """How many domains, the last one, the last one with the leader; None: it does not fit."""
        left, used, last, lead = self.count // self.size, 0, None, None
        if self.leads:
            domains = self.ordered(domains, with_leader=True)
            if not domains or not self.part[domains[0]].leads:
                return None
            lead, used = domains[0], 1
            left -= self.part[lead].sbeside
            domains = domains[1:]
        for d in self.ordered(domains):
            if left > 0 and self.part[d].slices > 0:
                left, used, last = left - self.part[d].slices, used + 1, d
        return None if left > 0 or not used else (used, last, lead)

    def prune(self, d, threshold):
        below = [e for e in self.part if e[:len(d)] == d]
        if self.part[d].slices < threshold:
            for e in below:
                self.part[e] = Part(score=self.part[e].score)
        elif self.leads and self.part[d].leads and self.part[d].sbeside < threshold:
            for e in below:
                self.part[e].leads = self.part[e].beside = self.part[e].sbeside = 0

    def keep(self):
        return {d: Part(**vars(p)) for d, p in self.part.items()}

    def prune_all(self, siblings, threshold):
        for d in siblings:
            for c in self.topo.children(d):
                self.prune(c, threshold)
            self.count_up(d)
            self.prune(d, threshold)
        found = self.greedy(siblings)
        return found and found[0]

    def smallest_set(self, domains, even):
        found = self.greedy(domains)
        if not found:
            return None
        if even:
            domains = sorted(domains, key=lambda d: (-self.part[d].leads, -self.part[d].sbeside, -self.entropy(d), d))
        else:
            domains = sorted(domains)
        best = None
        for some in itertools.combinations(range(len(domains)), found[0]):
            for lead in some if self.leads else [None]:
                pods, led, ok = self.count // self.size * self.size, not self.leads, True
                for i in some:
                    p = self.part[domains[i]]
                    ok = ok and not (led and pods <= 0) and (p.leads if i == lead else p.slices > 0)
                    pods -= p.beside if i == lead else p.pods
                    led = led or i == lead
                # the same room: whose last domain comes first, without the leader on it
                key = (-pods, [(i, i == lead) for i in reversed(some)])
                if ok and pods <= 0 and (best is None or key < best[0]):
                    best = key, [domains[i] for i in some]
        return best and best[1]

    def entropy(self, d):
        below = [self.part[c].pods for c in self.topo.children(d)]
        return -sum(n / sum(below) * math.log2(n / sum(below)) for n in below if n) if sum(below) else 0.0

    def balance(self):
        want, winner, before = self.count // self.size, None, self.keep()
        groups = [self.topo.children(d) for d in self.topo.at(self.level - 1)] if self.level else [self.topo.at(0)]
        for siblings in groups:
            self.part = {d: Part(**vars(p)) for d, p in before.items()}
            lower = [c for d in siblings for c in self.topo.children(d)] if self.level < self.slice_level else siblings
            found = self.greedy(lower)
            if not found:
                continue
            used, last, lead = found
            tries = [min([want // used] + ([self.part[lead].sbeside] if lead else []) + ([self.part[last].slices] if last else []))]
            if lead and last and self.part[last].sbeside < tries[0]:
                tries.append(self.part[last].sbeside)
            for k in tries:
                if k <= 0 or (winner and k < winner[0]):
                    break
                self.part = {d: Part(**vars(p)) for d, p in before.items()}
                domains = self.prune_all(siblings, k)
                if domains:
                    if not winner or (-k, domains) < (-winner[0], winner[1]):
                        winner = k, domains, siblings, self.keep()
                    break
        chosen = None
        if winner:
            k, _, chosen, self.part = winner
            level = self.level
            if level < self.slice_level:
                chosen = self.smallest_set(chosen, True)
                chosen = chosen and [c for d in chosen for c in self.topo.children(d)]
                level += 1
            chosen = chosen and self.smallest_set(chosen, False)
        if not chosen or not self.give(chosen, k):
            self.part = before
            return None
        return level, self.ordered(chosen, with_leader=True)

    def give(self, chosen, k):
        rest, leads = self.count // self.size - k * len(chosen), self.leads
        if rest < 0:
            return False
        for d in self.ordered(chosen, with_leader=True):
            p = self.part[d]
            extra = min((p.sbeside if leads else p.slices) - k, rest)
            rest -= extra
            p.slices = p.sbeside = k + extra
            p.pods, p.leads = p.slices * self.size, leads
            p.beside, leads = p.pods - leads, 0
        return rest == 0

    def answer(self):
        """Pods by leaf, and the leaf of the leader."""
        if not self.topo.free:
            raise Fails(why="no domains at the level")
        found = self.balance() if self.setting == "balanced" and self.mode == "preferred" else None
        balanced = found is not None
        level, chosen = found if balanced else self.choose()
        leaves = self.descend(level, chosen, balanced)
        lead = [d for d in leaves if self.part[d].leads]
        return {d: self.part[d].pods for d in leaves if self.part[d].pods}, lead[0] if lead else None


# ---- A case ----

def told(topo, share):
    return {"fits": True, "domains": [{"domain": topo.name(d), "pods": n} for d, n in sorted(share.items())]}


def not_told(topo, q, fails):
    e = {"fits": False, **fails.what}
    if q.excluded:
        e |= {"nodes_considered": len(topo.free), "nodes_excluded": q.excluded}
    return e


def replaced(topo, p, held, failed, setting):
    kept = {topo.find(h["domain"]): h["pods"] for h in held if h["domain"] != failed}
    lost = next(h["pods"] for h in held if h["domain"] == failed)
    if None in kept:
        return {"fits": False, "why": "domain"}
    layers = p["topology"].get("slices", [])
    broken = [s for s in layers if lost % s["pods"]] if layers and lost % layers[0]["pods"] else []
    p, asked, within = json.loads(json.dumps(p)), p["topology"], ()
    if kept and broken:
        level = topo.levels.index(broken[-1]["level"])
        for leaf in sorted(kept):
            d = leaf[:level + 1]
            if not within and (lost + sum(n for e, n in kept.items() if e[:level + 1] == d)) % broken[-1]["pods"] == 0:
                within = d
        whole = [s for s in layers if lost % s["pods"] == 0]
        if within:
            p["topology"]["slices"] = whole[-1:]
    elif kept and p["topology"]["mode"] == "required":
        within = min(kept)[:topo.levels.index(p["topology"]["level"]) + 1]
    p["count"] = lost
    level = Question(topo, dict(p, topology=asked), None, setting).level    # that of all its pods
    q = Question(topo, p, None, setting, within)
    q.level = level
    try:
        share, _ = q.answer()
    except Fails as f:
        return not_told(topo, q, f)
    return told(topo, {d: share.get(d, 0) + kept.get(d, 0) for d in {**share, **kept}})


def decide(case, setting):
    topo = Topology(case["levels"], case["nodes"], None)
    for u in case.get("used", []):
        if topo.hosts or u["of"] == "same flavor":
            topo.take(topo.find(u["domain"]), u["requests"], u["pods"])
    out, done = {}, set()
    if "workload" in case:
        p = case["pod_sets"][0]
        return {"main": replaced(topo, p, case["workload"]["admitted"]["main"]["domains"], case["workload"]["failed_nodes"][0], setting)}
    for p in case["pod_sets"]:
        if p["name"] in done:
            continue
        group = [e for e in case["pod_sets"] if e is p or ("group" in p and e.get("group") == p["group"])]
        group.sort(key=lambda e: -e["count"])
        workers, leader = group[0], group[1] if len(group) > 1 else None
        done |= {e["name"] for e in group}
        q = Question(topo, workers, leader, setting)
        try:
            share, lead = q.answer()
        except Fails as f:
            for e in group:
                out[e["name"]] = not_told(topo, q, f)
            return out
        out[workers["name"]] = told(topo, share)
        for leaf, n in share.items():
            topo.take(leaf, workers["requests"], n)
        if leader:
            out[leader["name"]] = told(topo, {lead: 1})
            topo.take(lead, leader["requests"], 1)
    return out


# ---- Drawing ----

def draw_nodes(r, levels):
    tree, nodes = [()], []
    for _ in levels:
        tree = [d + (f"{levels[len(d)][0]}{i}",) for d in tree for i in range(r.choice([1, 2, 2, 3]))]
    tree = tree[:14]
    hosts = [f"x{i}" for i in range(len(tree))]
    r.shuffle(hosts)
    for d, host in zip(tree, hosts):
        for _ in range(1 if levels[-1] == "host" else r.choice([1, 1, 2])):
            labels = dict(zip(levels, d)) | ({"host": host} if levels[-1] == "host" else {})
            n = {"name": f"n{len(nodes)}", "labels": labels,
                 "allocatable": {"cpu_milli": 1000 * r.randint(0, 6), "gpu_milli": 1000 * r.choice([0, 2, 4, 8]), "pods": r.choice([2, 10, 10])}}
            if r.random() < .3:
                labels["disk"] = r.choice(["ssd", "hdd"])
            if r.random() < .15:
                n["taints"] = [{"key": "old", "value": "yes", "effect": r.choice(["NoSchedule", "NoExecute", "PreferNoSchedule"])}]
            nodes.append(n)
    return nodes


def draw_topology(r, levels, preferred=False):
    mode = "preferred" if preferred else r.choice(["required", "preferred", "unconstrained", "implied", "slices_only"])
    t, top = {"mode": mode}, 0
    if mode in ("required", "preferred"):
        top = r.randrange(len(levels))
        t["level"] = levels[top]
    if mode == "slices_only" or (mode != "implied" and r.random() < .5):
        at = sorted(r.sample(range(top, len(levels)), r.randint(1, min(3, len(levels) - top))))
        sizes = r.choice([[4, 2, 1], [6, 3, 1], [2, 1, 1], [3, 1, 1], [8, 4, 2], [2, 2, 2]])
        t["slices"] = [{"level": levels[l], "pods": k} for l, k in zip(at, sizes)]
    return t


def draw_wishes(r, p, kind):
    if r.random() < .2:
        p["tolerations"] = [{"key": "old", "operator": "Equal", "value": "yes"}]
    if r.random() < .15:
        p["node_selector"] = {"disk": r.choice(["ssd", "hdd"])}
    need = lambda: {"key": r.choice(["disk", "rack"]), "operator": r.choice(["In", "NotIn"]), "values": r.choice([["ssd"], ["r0"], ["hdd", "r1"]])}
    if r.random() < .15:
        p["node_affinity"] = {"required": [[need() for _ in range(r.randint(1, 2))] for _ in range(r.randint(1, 2))]}
    if kind == "affinity":
        p.setdefault("node_affinity", {})["preferred"] = [dict(need(), weight=r.choice([1, 10, 100])) for _ in range(r.randint(1, 2))]


def draw_pod_set(r, name, levels, kind, count=None):
    t = draw_topology(r, levels, kind == "balanced" or (kind == "affinity" and r.random() < .6))
    size = t["slices"][0]["pods"] if "slices" in t else 1
    p = {"name": name, "count": count or size * r.randint(1, 12 // size + 1), "topology": t,
         "requests": r.choice([{"cpu_milli": 1000}, {"cpu_milli": 2000}, {"gpu_milli": 1000}, {"gpu_milli": 2000, "cpu_milli": 1000}, {"cpu_milli": 500}])}
    draw_wishes(r, p, kind)
    return p


def draw_failure(r, case, setting):
    """The workload is placed, then one of its nodes fails; others may be used since."""
    had = decide(case, setting)["main"]
    if not had["fits"] or not had["domains"]:
        return False
    failed = r.choice(had["domains"])["domain"]
    gone = {failed} | ({r.choice(had["domains"])["domain"]} if r.random() < .1 else set())
    for n in case["nodes"]:
        if n["labels"]["host"] in gone:
            n["ready"] = False
        elif r.random() < .3:
            n["allocatable"]["cpu_milli"] += 2000
    case["workload"] = {"admitted": {"main": {"count": case["pod_sets"][0]["count"], "domains": had["domains"]}}, "failed_nodes": [failed]}
    return True


def draw(r, kind):
    levels = sorted(r.sample(range(4), r.randint(1, 4)))
    if kind == "failed" or r.random() < .7:
        levels = sorted(set(levels) | {3})
    levels = [LEVELS[l] for l in levels]
    case = {"levels": levels, "nodes": draw_nodes(r, levels)}
    if kind in ("balanced", "affinity"):
        case["placement"] = {"balanced": "balanced", "affinity": "preferred affinity respected"}[kind]
    p = draw_pod_set(r, "main", levels, kind)
    case["pod_sets"] = [p]
    if kind == "group" or (kind in ("balanced", "affinity") and r.random() < .4):
        leader = {"name": "leader", "count": 1, "topology": p["topology"],
                  "requests": r.choice([{"cpu_milli": 1000}, {"cpu_milli": 3000}, {"gpu_milli": 2000}])}
        if r.random() < .2:
            draw_wishes(r, leader, kind)
        case["pod_sets"].insert(r.randint(0, 1), leader)
        for e in case["pod_sets"]:
            e["group"] = "g"
    if kind == "several":
        case["pod_sets"] += [draw_pod_set(r, f"more{i}", levels, kind) for i in range(r.randint(1, 2))]
    leaves = Topology(levels, case["nodes"], None)
    if r.random() < .5 and leaves.free:
        case["used"] = [{"of": r.choice(["same flavor", "sibling flavor"]), "domain": leaves.name(leaf), "pods": r.randint(1, 2),
                         "requests": {"cpu_milli": 1000}} for leaf in r.sample(sorted(leaves.free), 1)]
    if kind == "failed" and not draw_failure(r, case, kind):
        return None
    return case


def main():
    folder, rounds, seed = Path(sys.argv[1]), int((sys.argv[2:] or [50])[0]), (sys.argv[3:] or ["1"])[0]
    for kind in ["single", "group", "several", "failed", "balanced", "affinity"]:
        cases, r, dull = [], random.Random(f"tas {kind} {seed}"), 0
        while len(cases) < rounds:
            case = draw(r, kind)
            if case is None:
                continue
            expect = decide(case, kind)
            fails = not all(e["fits"] for e in expect.values())
            if fails and dull >= len(cases) // 3:
                continue                  # most must find a place
            dull += fails
            cases.append({"id": f"second/tas/{kind}/{len(cases):04}", **case, "expect": {"pod_sets": expect}})
        (folder / f"tas-{kind}.json").write_text(json.dumps({"group": f"second/tas/{kind}", "cases": cases}))


if __name__ == "__main__":
    main()
