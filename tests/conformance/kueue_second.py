#!/usr/bin/env python3
"""kueue_second.py DIR [ROUNDS] [SEED] - random small situations of Kueue's quotas, and what the rules of docs/schedulers.md c
decide in them, by a slow and obvious second implementation.

Writes a file a kind below DIR for the program `conformance`: ROUNDS (50) situations each. Flavors: one workload, and what a
search for victims would find. Cycles: classical and fair ones (kueue_second_fair.py) with preemption, partial admission and
overlapping victims; fair ones in full trees, where queues take back what others have beyond their shares; local queues
(kueue_second_local.py). Trees of up to three levels, two flavors, two resources in one or two groups. Nothing is kept up to
date here: every sum is taken anew from who holds what. Ages and times of admission differ, so that no rule leaves a choice."""
import json
import random
import sys
from pathlib import Path

from kueue_second_fair import search_fair, share

INFINITE = 10**9
FLAVORS = ["h", "s"]
RESOURCES = ["cpu_milli", "gpu_milli"]
GRAVITY = [None, "WaitingForQuota", "ExceedsMaxQuota", "NoMatchingFlavor"]


class Workload:
    def __init__(self, name, queue, use, priority, created, reserved):
        self.name, self.queue, self.use, self.priority, self.created, self.reserved = name, queue, use, priority, created, reserved


class World:
    """parent and quota by node; quota[node][cell] = (nominal, borrowing limit, lending limit); holders of quota."""

    def __init__(self):
        self.parent, self.quota, self.rules, self.lists, self.weight, self.strategy, self.holders = {}, {}, {}, {}, {}, {}, []

    def children(self, v):
        return [c for c in self.parent if self.parent[c] == v]

    def queues(self):
        return [v for v in self.parent if not self.children(v)]

    def height(self, v):
        return max([1 + self.height(c) for c in self.children(v)], default=0)

    def path(self, v):
        return [v] + (self.path(self.parent[v]) if self.parent[v] else [])

    def nominal(self, v, cell):
        return self.quota[v].get(cell, (0, None, None))[0]

    def subtree(self, v, cell):
        return self.nominal(v, cell) + sum(self.subtree(c, cell) - self.local(c, cell) for c in self.children(v))

    def local(self, v, cell):
        lending = self.quota[v].get(cell, (0, None, None))[2]
        return 0 if lending is None else max(0, self.subtree(v, cell) - lending)

    def usage(self, v, cell):
        own = sum(w.use.get(cell, 0) for w in self.holders if w.queue == v)
        return own + sum(max(0, self.usage(c, cell) - self.local(c, cell)) for c in self.children(v))

    def available(self, v, cell):
        if not self.parent[v]:
            return self.subtree(v, cell) - self.usage(v, cell)
        a, limit = self.available(self.parent[v], cell), self.quota[v].get(cell, (0, None, None))[1]
        if limit is not None:
            taken = max(0, self.usage(v, cell) - self.local(v, cell))
            a = min(a, self.subtree(v, cell) - self.local(v, cell) - taken + limit)
        return max(0, self.local(v, cell) - self.usage(v, cell)) + a

    def without_holders(self, ask):
        kept, self.holders = self.holders, []
        answer = ask()
        self.holders = kept
        return answer

    def potential(self, v, cell):
        return self.without_holders(lambda: self.available(v, cell))

    def rest_at(self, leaf, v, cell, amount):
        """What is asked of v, less what the nodes below it have for themselves."""
        for u in self.path(leaf):
            if u == v:
                return amount
            amount = max(0, amount - max(0, self.local(u, cell) - self.usage(u, cell)))

    def lowest(self, leaf, cell, amount):
        """The lowest subtree around the leaf that has the amount within its quota; else the root."""
        for v in self.path(leaf):
            if self.usage(v, cell) + self.rest_at(leaf, v, cell, amount) <= self.subtree(v, cell):
                return v
        return self.path(leaf)[-1]

    def exceeds(self, v, contested):
        return any(self.usage(v, cell) > self.subtree(v, cell) for cell in contested)

    def fits(self, queue, use):
        return all(amount <= self.available(queue, cell) for cell, amount in use.items() if amount)


# ---- c.3: victims ----

def allowed(world, p, w):
    rule = world.rules[p.queue]
    if w.queue == p.queue:
        policy = rule["within_cluster_queue"]
        return (policy != "Never" and w.priority < p.priority) or (
            policy == "LowerOrNewerEqualPriority" and w.priority == p.priority and p.created < w.created)
    policy = rule["reclaim_within_cohort"]
    return policy == "Any" or (policy == "LowerPriority" and w.priority < p.priority)


def kinds(world, p, contested):
    """Candidates with their kind and the lowest cohort above them and the preemptor."""
    found = []
    mine = world.path(p.queue)
    borrow = world.rules[p.queue].get("borrow_within_cohort")
    for w in world.holders:
        if not isinstance(w.name, str) or not any(w.use.get(cell, 0) for cell in contested) or not allowed(world, p, w):
            continue
        if w.queue == p.queue:
            found.append((w, "own", None))
            continue
        common = next((v for v in world.path(w.queue) if v in mine), None)
        if not common:
            continue
        way = world.path(w.queue)[:world.path(w.queue).index(common)]
        if not all(world.exceeds(v, contested) for v in way):
            continue
        below = mine[:mine.index(common)]
        precedence = any(all(world.usage(v, cell) + world.rest_at(p.queue, v, cell, amount) <= world.subtree(v, cell)
                             for cell, amount in p.use.items() if amount) for v in below)
        lower = borrow and borrow["policy"] != "Never" and w.priority < p.priority
        found.append((w, "hierarchical" if precedence else "borrowing" if lower else "not borrowing", common))
    return found


def admissible(world, p, borrows):
    if not borrows and any(world.usage(p.queue, c) + a > world.subtree(p.queue, c) for c, a in p.use.items() if a):
        return False
    return world.fits(p.queue, p.use)


REASON = {"own": "InClusterQueue", "hierarchical": "InCohortReclamation", "borrowing": "InCohortReclaimWhileBorrowing",
          "not borrowing": "InCohortReclamation"}


def attempt(world, p, candidates, contested, borrows):
    order = {"hierarchical": 0, "borrowing": 1, "not borrowing": 1, "own": 2}
    chosen, kept = [], list(world.holders)
    for w, kind, common in sorted(candidates, key=lambda c: (order[c[1]], c[0].priority, -c[0].reserved, c[0].name)):
        if kind == "not borrowing" and borrows:
            continue
        if kind != "own":
            way = world.path(w.queue)
            if not all(world.exceeds(v, contested) for v in way[:way.index(common)]):
                continue
        world.holders.remove(w)
        chosen.append((w, REASON[kind]))
        if admissible(world, p, borrows):
            break
    else:
        world.holders = kept
        return []
    for victim in list(reversed(chosen[:-1])):
        world.holders.append(victim[0])
        if admissible(world, p, borrows):
            chosen.remove(victim)
        else:
            world.holders.remove(victim[0])
    world.holders = kept
    return chosen


def candidates_by_share(world, p, contested):
    """Of the own queue, and of those of its tree that use a contested cell beyond their quota."""
    return [w for w in world.holders if isinstance(w.name, str) and any(w.use.get(cell, 0) for cell in contested) and allowed(world, p, w)
            and (w.queue == p.queue or (world.path(w.queue)[-1] == world.path(p.queue)[-1] and world.exceeds(w.queue, contested)))]


def search(world, p, contested, fair):
    if fair:
        return search_fair(world, p, contested, candidates_by_share(world, p, contested))
    candidates = kinds(world, p, contested)
    alone = (world.rules[p.queue].get("borrow_within_cohort") or {"policy": "Never"})["policy"] == "Never"
    under = all(world.usage(p.queue, cell) < world.nominal(p.queue, cell) for cell in contested)
    if not candidates:
        return []
    if all(kind == "own" for _, kind, _ in candidates) or (alone and not under):
        tries = [True]
    elif alone and not any(kind == "hierarchical" for _, kind, _ in candidates):
        tries = [False, True]
    else:
        tries = [True, False]
    for borrows in tries:
        victims = attempt(world, p, candidates, contested, borrows)
        if victims:
            return victims
    return []


# ---- c.2: flavors ----

def better(a, b, less_borrowing):
    """a, b: (mode, height)."""
    rank = {"fit": 4, "reclaim": 3, "preempt": 2, "no_candidates": 1, "no_fit": 0}
    if "no_fit" in (a[0], b[0]):
        return rank[a[0]] > rank[b[0]]
    if (a[0] == "no_candidates") != (b[0] == "no_candidates"):
        return b[0] == "no_candidates"
    first, second = (rank[a[0]], -a[1]), (rank[b[0]], -b[1])
    return (first[::-1] > second[::-1]) if less_borrowing else first > second


def judge(world, queue, cell, amount, fair, simulate):
    """(mode, height), reason if it does not fit, short by."""
    if amount > world.potential(queue, cell):
        return ("no_fit", 0), "ExceedsMaxQuota", 0
    v = world.lowest(queue, cell, amount)
    short = amount - world.available(queue, cell)
    if short <= 0:
        return ("fit", world.height(v)), None, 0
    rule = world.rules[queue]
    borrow = (rule.get("borrow_within_cohort") or {"policy": "Never"})["policy"] != "Never"
    if amount <= world.nominal(queue, cell) or world.parent[v] or borrow or (fair and rule["reclaim_within_cohort"] != "Never"):
        return simulate(cell, amount), None, short
    return ("no_fit", world.height(v)), "WaitingForQuota", short


def assign(world, queue, sets, fungibility, fair, simulate, only=None):
    """sets: [(count, {resource: amount of one})]; what it gets, or the reason."""
    less = fungibility.get("preference") == "PreemptionOverBorrowing"
    use, picked, height, contested, more = {}, [], 0, set(), False
    for number, (count, each) in enumerate(sets):
        got, attempts = {}, {}
        for resource in sorted(each):
            if resource in got:
                continue
            group = next((g for g in world.lists[queue] if resource in g[1]), None)
            if not group:
                return {"mode": "no_fit", "reason": "NoMatchingFlavor", "sets": picked, "use": use, "height": height, "more": more}
            flavors, covered = group
            asked = {r: count * each[r] for r in sorted(each) if r in covered}
            best, worth, last = None, ("no_fit", 0), None
            for i, flavor in enumerate(flavors):
                last = i
                if only and only[number].get(resource) != flavor:
                    continue
                looks = {r: judge(world, queue, (flavor, r), use.get((flavor, r), 0) + a, fair, simulate) for r, a in asked.items()}
                now = ("fit", 0)
                for look in looks.values():
                    now = look[0] if better(now, look[0], less) else now
                    if look[1]:
                        attempts[flavor] = max(attempts.get(flavor), look[1], key=GRAVITY.index)
                viable = now[0] in ("fit", "reclaim", "preempt")
                stops = viable and not (now[0] != "fit" and fungibility.get("when_can_preempt", "TryNextFlavor") == "TryNextFlavor")
                stops = stops and not (now[1] > 0 and fungibility.get("when_can_borrow") == "TryNextFlavor")
                if stops or better(now, worth, less):
                    best, worth = (flavor, looks), now
                if stops:
                    break
            if not best:
                by_group = [min((attempts[f] for f in g[0] if attempts.get(f)), key=GRAVITY.index, default=None) for g in world.lists[queue]]
                reason = max(by_group, key=GRAVITY.index) or "NoMatchingFlavor"
                return {"mode": "no_fit", "reason": reason, "sets": picked, "use": use, "height": height, "more": more}
            tried = -1 if last == len(flavors) - 1 else last
            for r in asked:
                got[r] = (best[0], best[1][r], tried)
        for r, (flavor, look, tried) in got.items():
            use[(flavor, r)] = use.get((flavor, r), 0) + count * each[r]
            height = max(height, look[0][1])
            more = more or tried >= 0
            if look[0][0] != "fit":
                contested.add((flavor, r))
        picked.append(got)
    return {"mode": "preempt" if contested else "fit", "sets": picked, "use": use, "height": height, "contested": contested, "more": more}


# ---- c.2: a cycle ----

class Head:
    def __init__(self, name, queue, sets, least, priority, created, fungibility):
        self.name, self.queue, self.sets, self.least, self.priority, self.created = name, queue, sets, least, priority, created
        self.fungibility, self.victims, self.answer, self.outcome = fungibility, [], None, None
        self.counts = [c for c, _ in sets]


def as_workload(head, use):
    return Workload(head.name, head.queue, use, head.priority, head.created, 0)


def nominate(world, head, fair, only=None):
    def simulate(cell, amount):
        victims = search(world, as_workload(head, {cell: amount}), {cell}, fair)
        kept = list(world.holders)
        for w, _ in victims:
            world.holders.remove(w)
        height = world.height(world.lowest(head.queue, cell, amount))
        world.holders = kept
        if not victims:
            return "no_candidates", height
        return ("preempt" if any(w.queue == head.queue for w, _ in victims) else "reclaim"), height

    def with_counts(counts):
        head.counts, head.victims = counts, []
        sets = [(n, each) for n, (_, each) in zip(counts, head.sets)]
        head.answer = assign(world, head.queue, sets, head.fungibility, fair, simulate, only)
        if head.answer["mode"] == "preempt":
            head.victims = search(world, as_workload(head, head.answer["use"]), head.answer["contested"], fair)
        return head.answer["mode"] == "fit" or head.victims

    full = [c for c, _ in head.sets]
    spare = [c - n for c, n in zip(full, head.least)]
    if with_counts(full):
        return
    low, high = 0, sum(spare) + 1
    fewer = lambda i: [c - s * i // sum(spare) for c, s in zip(full, spare)]
    while sum(spare) and low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if with_counts(fewer(middle)) else (middle + 1, high)
    if sum(spare) and low <= sum(spare) and with_counts(fewer(low)):
        return
    with_counts(full)
    head.victims = []


def tournament(world, heads):
    """The winner of the tree of the first head."""
    root = world.path(heads[0].queue)[-1]

    def seen(head, v):
        world.holders.append(as_workload(head, head.answer["use"]))
        on_asked = any(a and world.usage(v, cell) > world.subtree(v, cell) for cell, a in head.answer["use"].items())
        key = (on_asked, share(world, v), -head.priority, head.created)
        world.holders.pop()
        return key

    def sent_by(v):
        own = [h for h in heads if h.queue == v]
        if own:
            return own[0]
        sent = [(seen(h, c), h) for c in world.children(v) for h in [sent_by(c)] if h]
        return min(sent, key=lambda x: x[0])[1] if sent else None
    return sent_by(root)


def reserve(world, head):
    kept = {}
    for cell, amount in head.answer["use"].items():
        nominal, limit, _ = world.quota[head.queue].get(cell, (0, None, None))
        most = nominal - world.usage(head.queue, cell)
        if head.answer["height"] > 0:
            most = amount if limit is None else most + limit
        kept[cell] = max(0, min(amount, most))
    return kept


def cycle(world, heads, fair):
    for head in heads:
        nominate(world, head, fair)
    left, victims, before = list(heads), [], list(world.holders)
    while left:
        if fair:
            head = tournament(world, left)
        else:
            head = min(left, key=lambda h: (h.answer["height"], -h.priority, h.created, h.name))
        left.remove(head)
        deferred = False
        if any(w in victims for w, _ in head.victims):
            kept, only = list(world.holders), [{r: g[0] for r, g in got.items()} for got in head.answer["sets"]]
            world.holders = [w for w in world.holders if w not in victims]
            nominate(world, head, fair, only)
            world.holders = kept
            deferred = head.answer["mode"] == "fit"
        if head.answer["mode"] == "no_fit":
            head.outcome = "no fit"
            continue
        if head.answer["mode"] == "preempt" and not head.victims:
            head.outcome = "no victims"
            if world.rules[head.queue]["reclaim_within_cohort"] != "Any":
                world.holders.append(Workload(None, head.queue, reserve(world, head), 0, 0, 0))
            continue
        kept = list(world.holders)
        gone = victims + [w for w, _ in head.victims]
        world.holders = [w for w in world.holders if w not in gone]
        room = world.fits(head.queue, head.answer["use"])
        world.holders = kept
        if not room:
            head.outcome = "skipped"
            head.wanted = head.answer["mode"] == "preempt" or deferred
            continue
        world.holders.append(Workload(None, head.queue, head.answer["use"], 0, 0, 0))
        victims += [w for w, _ in head.victims]
        head.outcome = "deferred" if deferred else "admitted" if head.answer["mode"] == "fit" else "preempts"
    world.holders = before


# ---- Random situations ----

def draw_world(rng, fair):
    world = World()
    shape = rng.choice([["q1"], ["q1", "q2"], ["q1", "q2", "q3"], ["q1", "q2", "q3", "q4"], ["q1", "q2", "q3", "q4"]])
    for name in ["top", "low"] if len(shape) > 2 and rng.random() < .6 else ["top"] if len(shape) > 1 else []:
        world.parent[name] = "top" if name == "low" else None
    for name in shape:
        above = [v for v in ("top", "low") if v in world.parent]
        world.parent[name] = rng.choice(above) if above else None
    if "low" in world.parent and not world.children("low"):
        world.parent["q1"] = "low"
    one_group = rng.random() < .7
    for v in world.parent:
        world.weight[v] = rng.choice([1, 1, 2, 0]) if fair else 1
        world.quota[v] = {}
        leaf = v in shape
        flavors = rng.sample(FLAVORS, rng.choice([1, 2, 2]))
        for f in flavors if leaf or rng.random() < .4 else []:
            for r in RESOURCES:
                limits = [None, None, None, rng.randint(0, 4)]
                world.quota[v][(f, r)] = (rng.choice([0, 2, 3, 4, 6, 8]), rng.choice(limits) if world.parent[v] else None,
                                          rng.choice(limits) if world.parent[v] else None)
        world.lists[v] = [(flavors, RESOURCES)] if one_group else [(flavors, [r]) for r in RESOURCES]
        borrow = rng.choice(["Never", "Never", "LowerPriority"])
        reclaim = rng.choice(["Never", "LowerPriority", "Any", "Any"])
        world.rules[v] = {"within_cluster_queue": rng.choice(["Never", "LowerPriority", "LowerOrNewerEqualPriority"]),
                          "reclaim_within_cohort": reclaim}
        if not fair and borrow != "Never" and reclaim != "Never":
            world.rules[v]["borrow_within_cohort"] = {"policy": borrow}
        world.strategy[v] = rng.choice(["StrictFIFO", "BestEffortFIFO"])
    return world


def draw_fungibility(rng):
    f = {"when_can_borrow": rng.choice(["MayStopSearch", "TryNextFlavor"]), "when_can_preempt": rng.choice(["MayStopSearch", "TryNextFlavor"])}
    if rng.random() < .4:
        f["preference"] = rng.choice(["BorrowingOverPreemption", "PreemptionOverBorrowing"])
    return f


def draw_each(rng):
    each = {r: rng.randint(1, 3) for r in RESOURCES if rng.random() < .5}
    return each or {RESOURCES[0]: rng.randint(1, 4)}


def draw_holders(rng, world, crowd=None):
    """Within what is available, most of the time to the brim; all of one queue, so that others want the same victims back."""
    for number in range(rng.randint(3 if crowd else 0, 12)):
        queue = crowd or rng.choice(world.queues())
        flavor = rng.choice(world.lists[queue][0][0])
        use = {(flavor, r): min(a, world.available(queue, (flavor, r))) for r, a in draw_each(rng).items()}
        if all(a > 0 for a in use.values()):
            world.holders.append(Workload("held/%d" % number, queue, use, rng.randint(0, 3), -900 + number, -500 + 7 * number))


def said_world(world, fungibility):
    def quotas(v):
        out = []
        for g, (flavors, covered) in enumerate(world.lists[v]):
            for f in flavors:
                amounts = {}
                for r in covered:
                    if (f, r) not in world.quota[v]:
                        continue
                    nominal, borrowing, lending = world.quota[v][(f, r)]
                    amounts[r] = {"nominal": nominal}
                    if borrowing is not None:
                        amounts[r]["borrowing_limit"] = borrowing
                    if lending is not None:
                        amounts[r]["lending_limit"] = lending
                if amounts:
                    out.append({"flavor": f, "resources": amounts, "group": g})
        return out
    leaves = world.queues()
    return {"flavors": {f: {} for f in FLAVORS},
            "queues": [{"name": q, "kind": "cluster_queue", "parent": world.parent[q], "quotas": quotas(q), "preemption": world.rules[q],
                        "fungibility": fungibility[q], "strategy": world.strategy[q], "fair_weight": world.weight[q]} for q in leaves],
            "cohorts": [{"name": v, "kind": "cohort", "parent": world.parent[v], "quotas": quotas(v), "fair_weight": world.weight[v]}
                        for v in world.parent if v not in leaves]}


def said_sets(sets, least=None):
    out = []
    for i, (count, each) in enumerate(sets):
        out.append({"name": "set%d" % i, "count": count, "requests": each})
        if least and least[i] < count:
            out[i]["min_count"] = least[i]
    return out


def flavors_case(rng):
    fair = rng.random() < .3
    world = draw_world(rng, fair)
    if fair:
        for v in world.parent:
            world.rules[v]["reclaim_within_cohort"] = rng.choice(["Never", "Any"])
    draw_holders(rng, world)
    queue = rng.choice(world.queues())
    fungibility = {q: draw_fungibility(rng) for q in world.queues()}
    sets = [(rng.randint(1, 2), draw_each(rng)) for _ in range(rng.randint(1, 2))]
    found = {(f, r): (rng.choice(["preempt", "reclaim", "no_candidates"]), rng.randint(0, 2)) for f in FLAVORS for r in RESOURCES}
    answer = assign(world, queue, sets, fungibility[queue], fair, lambda cell, amount: found[cell])
    usage = {}
    for w in world.holders:
        for (f, r), amount in w.use.items():
            of = usage.setdefault(w.queue, {}).setdefault(f, {})
            of[r] = of.get(r, 0) + amount
    expect = {"mode": answer["mode"], "pod_sets": {}}
    if answer["mode"] == "no_fit":
        expect["reason"] = answer["reason"]
        expect["pod_sets"]["set%d" % len(answer["sets"])] = {"flavors": {}}
    for i, got in enumerate(answer["sets"]):
        expect["pod_sets"]["set%d" % i] = {"count": sets[i][0], "flavors": {
            r: {"flavor": f, "mode": "fit" if look[0][0] == "fit" else "preempt", "last_tried": tried} for r, (f, look, tried) in got.items()}}
    return dict(said_world(world, fungibility), usage=usage, fair_sharing=fair, workload={"pod_sets": said_sets(sets)}, queue=queue,
                preemption_search=[{"flavor": f, "resource": r, "finds": m, "borrowing_after": h} for (f, r), (m, h) in found.items()],
                expect=expect)


def said_outcome(head, expect):
    flavors = lambda got: {r: g[0] for r, g in got.items()}
    if head.outcome == "admitted":
        expect["admitted"][head.name] = {"queue": head.queue, "pod_sets": {
            "set%d" % i: {"count": head.counts[i], "flavors": flavors(got),
                          "usage": {r: head.counts[i] * head.sets[i][1][r] for r in got}} for i, got in enumerate(head.answer["sets"])}}
        return
    wait = {"no fit": {"reason": head.answer.get("reason")}, "no victims": {"reason": "WaitingForQuota"},
            "skipped": {"reason": "WaitingForQuota", "no_longer_fits": True},
            "deferred": {"reason": "WaitingForPreemptedWorkloads", "fits_after_others_preempt": True},
            "preempts": {"reason": "WaitingForPreemptedWorkloads", "victims": len(head.victims)}}
    expect["waiting"][head.name] = wait[head.outcome]
    if head.outcome == "preempts":
        expect["preempted"] += [{"workload": w.name, "reason": why, "for": head.name} for w, why in head.victims]
    if head.outcome == "skipped" and head.wanted:
        expect.setdefault("preemptions_skipped", {})[head.queue] = 1


def draw_overlap(rng):
    """One queue borrows all that two or three others are owed, in few large jobs: they want the same ones back."""
    world = World()
    cell = (FLAVORS[0], RESOURCES[1])
    for v in ["top", "q1", "q2", "q3", "q4"][:rng.choice([4, 5])]:
        world.parent[v], world.weight[v], world.strategy[v] = None if v == "top" else "top", 1, rng.choice(["StrictFIFO", "BestEffortFIFO"])
        world.quota[v] = {} if v == "top" else {cell: (rng.randint(2, 4), None, None)}
        world.lists[v] = [(FLAVORS[:1], RESOURCES[1:])]
        world.rules[v] = {"within_cluster_queue": "LowerPriority", "reclaim_within_cohort": rng.choice(["Any", "Any", "LowerPriority"])}
    for number in range(5):
        amount = min(rng.randint(1, 7), world.available("q1", cell))
        if amount > 0:
            world.holders.append(Workload("held/%d" % number, "q1", {cell: amount}, rng.randint(0, 1), -900 + number, -500 + 7 * number))
    return world


def overlap_case(rng):
    world = draw_overlap(rng)
    return play(rng, world, False, [(q, [(1, {RESOURCES[1]: rng.randint(1, 3)})], [1]) for q in world.queues() if rng.random() < .9])


def draw_shares(rng):
    """A full tree in which some queues use more than they share in, so that others take it back; one or two flavors and resources."""
    world = World()
    middle = rng.choice([[], [], ["left"], ["left", "right"]])
    world.parent = {"top": None, **{v: "top" for v in middle}, **{q: rng.choice(["top"] + middle) for q in ["q1", "q2", "q3", "q4", "q5"][:rng.randint(2, 5)]}}
    for v in middle:
        if not world.children(v):
            world.parent[rng.choice(["q1", "q2"])] = v
    world.parent = {v: up for v, up in world.parent.items() if v not in middle or world.children(v)}
    flavors, resources = FLAVORS[:rng.choice([1, 1, 2])], RESOURCES[1 - rng.choice([0, 0, 1]):]
    for v in world.parent:
        leaf = not world.children(v)
        world.quota[v] = {(f, r): (rng.randint(0, 5), None, rng.choice([None, None, None, 1])) for f in flavors for r in resources} if leaf else {}
        world.weight[v], world.strategy[v] = rng.choice([1, 1, 1, 2, 3]), rng.choice(["StrictFIFO", "BestEffortFIFO"])
        world.lists[v] = [(rng.sample(flavors, len(flavors)), resources)]
        world.rules[v] = {"within_cluster_queue": rng.choice(["Never", "LowerPriority", "LowerOrNewerEqualPriority"]),
                          "reclaim_within_cohort": rng.choice(["LowerPriority", "Any", "Any", "Any"])}
    holding = rng.sample(world.queues(), rng.randint(1, len(world.queues()) - 1)) if len(world.queues()) > 1 else world.queues()
    for number in range(10):
        queue, flavor = rng.choice(holding), rng.choice(flavors)
        use = {(flavor, r): min(rng.randint(1, 4), world.available(queue, (flavor, r))) for r in resources}
        if all(a > 0 for a in use.values()):
            world.holders.append(Workload("held/%d" % number, queue, use, rng.randint(0, 2), -900 + number, -500 + 7 * number))
    return world


def shares_case(rng):
    world = draw_shares(rng)
    return play(rng, world, True, [(q, [(n, {r: rng.randint(1, 2) for _, r in world.quota[q]})], [rng.randint(1, n) if rng.random() < .2 else n])
                                   for q in world.queues() for n in [rng.randint(1, 2)] if rng.random() < .8])


def cycle_case(rng, fair):
    world = draw_world(rng, fair)
    crowd = rng.choice(world.queues()) if rng.random() < .3 else None
    draw_holders(rng, world, crowd)
    asks = []
    for _ in range(rng.randint(1, 6)):
        sets = [(rng.randint(1, 3), draw_each(rng)) for _ in range(rng.choice([1, 1, 1, 2]))]
        least = [rng.randint(1, c) if rng.random() < .3 else c for c, _ in sets]
        asks.append((rng.choice([q for q in world.queues() if q != crowd] or world.queues()), sets, least))
    return play(rng, world, fair, asks)


def play(rng, world, fair, asks):
    """asks: queue, sets and least counts of each workload that is pending."""
    fungibility = {q: draw_fungibility(rng) for q in world.queues()}
    pending, heads = [], []
    for number, (queue, sets, least) in enumerate(asks):
        pending.append(Head("new/%d" % number, queue, sets, least, rng.randint(0, 4), -100 + number, fungibility[queue]))
    for q in world.queues():
        mine = sorted((h for h in pending if h.queue == q), key=lambda h: (-h.priority, h.created))
        heads += mine[:1]
    cycle(world, heads, fair)
    expect = {"admitted": {}, "preempted": [], "waiting": {}}
    for head in heads:
        said_outcome(head, expect)
    for head in pending:
        again = head.outcome in ("skipped", "preempts", "deferred", None) or world.strategy[head.queue] == "StrictFIFO" or head.answer["more"]
        if head.outcome != "admitted":
            expect.setdefault("left_in_queue" if again else "parked", {}).setdefault(head.queue, []).append(head.name)
    admitted = []
    for w in world.holders:
        flavor = {r: f for f, r in w.use}
        admitted.append({"name": w.name, "queue": w.queue, "priority": w.priority, "created_at_s": w.created, "quota_reserved_at_s": w.reserved,
                         "pod_sets": [], "holds": {"set0": {"count": 1, "flavors": flavor, "usage": {r: a for (_, r), a in w.use.items()}}}})
    return dict(said_world(world, fungibility), fair_sharing=fair, admitted=admitted, pending=[
        {"name": h.name, "queue": h.queue, "priority": h.priority, "created_at_s": h.created, "pod_sets": said_sets(h.sets, h.least)}
        for h in pending], expect=expect)


def preference_case(rng):
    modes = ["fit", "reclaim", "preempt", "no_candidates", "no_fit"]
    a, b = [(rng.choice(modes), rng.randint(0, 2)) for _ in range(2)]
    preference = rng.choice([None, "BorrowingOverPreemption", "PreemptionOverBorrowing"])
    say = lambda x: {"mode": x[0], "borrowing": x[1]}
    return {"a": say(a), "b": say(b), "preference": preference, "expect": {"a_preferred": better(a, b, preference == "PreemptionOverBorrowing")}}


def main():
    from kueue_second_local import local_case
    given = sys.argv[1:] + ["50", "3"][len(sys.argv) - 2:]
    to, rounds, seed = Path(given[0]), int(given[1]), int(given[2])
    kinds_drawn = {"flavors": flavors_case, "flavor-preference": preference_case, "cycle": lambda rng: cycle_case(rng, False), "cycle-overlap": overlap_case,
                   "fair-cycle": lambda rng: cycle_case(rng, True), "fair-cycle-shares": shares_case, "local-queue-fairness": local_case}
    outcomes = {}
    for kind, draw in kinds_drawn.items():
        rng = random.Random("%s %d" % (kind, seed))
        cases = [dict(draw(rng), id="kueue/%s/%d:%d" % (kind, seed, i)) for i in range(rounds)]
        for c in cases:
            for name in ("admitted", "preempted"):
                outcomes[kind, name] = outcomes.get((kind, name), 0) + len(c["expect"].get(name, []))
            reasons = {p["reason"] for p in c["expect"].get("preempted", [])} if isinstance(c["expect"].get("preempted"), list) else set()
            for reason in reasons:
                outcomes[kind, "situations with " + reason] = outcomes.get((kind, "situations with " + reason), 0) + 1
            waiting = c["expect"].get("waiting", {})
            for w in waiting.values() if isinstance(waiting, dict) else []:
                key = (kind, ", ".join(sorted(k if v is True else str(v) for k, v in w.items() if k != "victims")))
                outcomes[key] = outcomes.get(key, 0) + 1
        (to / ("%s.json" % kind)).write_text(json.dumps({"group": "kueue/" + kind, "cases": cases}))
    for key in sorted(outcomes):
        print("drawn: %s: %d %s" % (key[0], outcomes[key], key[1]))
    # victims by shares are what this kind is for
    if rounds >= 50 and 5 * outcomes.get(("fair-cycle-shares", "situations with InCohortFairSharing"), 0) < rounds:
        sys.exit("kueue_second.py: too few situations of fair-cycle-shares have victims by shares")


if __name__ == "__main__":
    main()
