#!/usr/bin/env python3
"""second.py DIR [ROUNDS] [SEED] - random small situations of guaranteed quota, and what the rules of
docs/schedulers.md b and d decide in them, by a slow and obvious second implementation.

Writes a file a kind below DIR for the program `conformance`: ROUNDS (50) situations each, of one pass of one action, or
(cycle) of all. Whole GPUs, three nodes at most, two levels of queues, CPUs and memory without end. The numbers of a rule
are those of docs/schedulers.md. Situations in which the rules leave a choice (the order in which victims of several queues
are taken, where it matters) are drawn again."""
import itertools
import json
import random
import sys
from fractions import Fraction
from pathlib import Path

UNLIMITED = -1
SEARCHES = ["consolidation", "reclaim", "preempt"]


class Choice(Exception):
    """The rules leave a choice here."""


class Task:
    def __init__(self, job, number, node):
        self.job, self.number, self.node = job, number, node
        self.state = "Pending" if node is None else "Running"
        self.home = None              # where it still is, when it is pipelined elsewhere

    def active(self):
        return self.state in ("Running", "Binding", "Pipelined")


class Job:
    def __init__(self, name, queue, age, priority, gpus, minimum, nodes):
        self.name, self.queue, self.age, self.priority, self.gpus, self.minimum = name, queue, age, priority, gpus, minimum
        self.preemptible = priority < 100
        self.task = [Task(self, i, n) for i, n in enumerate(nodes)]

    def active(self):
        return [t for t in self.task if t.active()]

    def waiting(self, virtual=False):
        return [t for t in self.task if t.state == "Pending" or (virtual and t.state in ("Evicted", "Unpromised"))]

    def wanted(self, virtual=False):
        """d: all that it lacks of its minimum, else one task."""
        lacks = self.minimum - len(self.active())
        return self.waiting(virtual)[:lacks if lacks > 0 else 1]

    def key(self, active=None):
        """b.4: order in a leaf."""
        n = len(self.active()) if active is None else active
        return (-self.priority, (n > self.minimum) + (n >= self.minimum), self.age)


class Queue:
    def __init__(self, name, parent, age, deserved, limit, weight):
        self.name, self.parent, self.age = name, parent, age
        self.deserved, self.limit, self.weight = deserved, limit, weight
        self.child = []
        if parent:
            parent.child.append(self)

    def path(self):
        return [self] + (self.parent.path() if self.parent else [])


def at_most(a, b):
    return b == UNLIMITED or (a != UNLIMITED and a <= b)


class Cluster:
    def __init__(self, gpus, queue, job):
        self.gpus, self.queue, self.job, self.acted = gpus, queue, job, set()
        self.divide([q for q in queue if not q.parent], sum(gpus))

    # ---- shares ----

    def held(self, q, firm=False):
        return sum(j.gpus * len(j.active()) for j in self.job
                   if q in j.queue.path() and not (firm and j.preemptible))

    def request(self, q):
        return sum(j.gpus * len(j.task) for j in self.job if q in j.queue.path())

    def divide(self, siblings, total):
        """b.3, one priority, no usage."""
        may = {q: self.request(q) if q.limit == UNLIMITED else min(q.limit, self.request(q)) for q in siblings}
        for q in siblings:
            q.fair = min(total if q.deserved == UNLIMITED else q.deserved, may[q])
        rest, lost = total - sum(q.fair for q in siblings), {}
        again = rest > 0
        while again and rest > 0:
            again, amount = False, rest
            weights = sum(q.weight for q in siblings if q.fair < may[q])
            for q in siblings:
                if q.fair >= may[q] or not q.weight or rest <= 0:
                    continue
                part, need = Fraction(amount * q.weight, weights), may[q] - q.fair
                give = need if need <= part else part.numerator // part.denominator
                lost.pop(q, None)
                if need > part and part > give:
                    lost[q] = part - give
                q.fair += give
                rest -= give
                again = again or need < part
        for q in sorted(lost, key=lambda q: (-lost[q], q.age)):
            if rest > 0:
                q.fair += 1
                rest -= 1
        for q in siblings:
            self.divide(q.child, q.fair)

    def allocatable(self, q):
        if q.deserved == UNLIMITED:
            return q.limit
        most = max(q.deserved, q.fair)
        return most if q.limit == UNLIMITED else min(q.limit, most)

    def share(self, q, held):
        """b.4, rule 5: of GPUs; other resources are never dominant here."""
        may = self.allocatable(q)
        if held <= 0:
            return Fraction(0)
        return Fraction(held * 1000) if may == 0 else Fraction(held, sum(self.gpus) if may == UNLIMITED else may)

    def standing(self, q, ask, victims):
        """b.4: lower is served earlier. Rule 1 never applies, as CPUs and memory have no quota."""
        held, may = self.held(q), self.allocatable(q)
        return (not at_most(held + ask, q.deserved), may == 0 and held + ask > 0, self.share(q, held + ask - victims),
                self.share(q, held), float("inf") if may == UNLIMITED else may, q.age)

    def leaf_order(self, siblings, of):
        """The first leaf below these, by what its first job asks for, or its victims hold; and those amounts."""
        best = None
        for q in siblings:
            leaf, ask, victims = self.leaf_order(q.child, of) if q.child else (q, *of(q)) if of(q) else (None, 0, 0)
            if leaf:
                s = self.standing(q, ask, victims)
                if best is None or (s > best[0] if victims else s < best[0]):
                    best = (s, leaf, ask, victims)
        return best[1:] if best else (None, 0, 0)

    def pop(self, jobs, may=lambda j: True):
        """The next job of all, in queue order. A first job that may not be served represents its queue, and queues above it, in
        the source, but not here (b.5)."""
        def of(q):
            mine = sorted((j for j in jobs if j.queue is q), key=Job.key)
            if mine and not may(mine[0]) and any(may(j) for j in jobs if j.queue.path()[-1] is q.path()[-1]):
                raise Choice
            return (mine[0].gpus * len(mine[0].wanted(True)), 0) if mine else None
        leaf = self.leaf_order([q for q in self.queue if not q.parent], of)[0]
        j = min((j for j in jobs if j.queue is leaf), key=Job.key)
        jobs.remove(j)
        return j

    # ---- capacity and places ----

    def fits_quota(self, j, ask):
        """b.5: limits, and deserved quota of jobs that are not preemptible."""
        return all(at_most(self.held(q) + ask, q.limit) and
                   (j.preemptible or at_most(self.held(q, True) + ask, q.deserved)) for q in j.queue.path())

    def on(self, n, *states):
        return sum(t.job.gpus for j in self.job for t in j.task if t.node == n and t.state in states)

    def idle(self, n):
        return self.gpus[n] - self.on(n, "Running", "Binding", "Releasing", "Evicted") - sum(
            t.job.gpus for j in self.job for t in j.task if t.home == n and t.state in ("Pipelined", "Unpromised"))

    def room(self, n):
        """Idle or being left, and not promised."""
        return self.gpus[n] - self.on(n, "Running", "Binding", "Pipelined")

    def node_for(self, gpus, really):
        """b.5: the fullest, then the first. Where it would have to wait on some and not on others, placers may differ."""
        fit = [n for n in range(len(self.gpus)) if self.room(n) >= gpus and (not really or self.idle(n) >= gpus)]
        best = min(fit, key=lambda n: (self.room(n), n), default=None)
        if not really and len({self.idle(n) >= gpus for n in fit}) > 1:
            raise Choice
        return best

    def place(self, j, really):
        """All that it wants, or nothing."""
        tasks = j.wanted(not really)
        if not tasks or not self.fits_quota(j, j.gpus * len(tasks)):
            return False
        before = self.save()
        for t in tasks:
            n = self.node_for(j.gpus, really)
            if n is None:
                self.restore(before)
                return False
            if t.state == "Evicted" and t.node == n:
                t.state, t.home = "Running", None          # it never stopped
            else:
                if t.state != "Unpromised":                # else it is still where it was before the promise
                    t.home = t.node if t.state == "Evicted" else None
                t.node, t.state = n, "Binding" if really else "Pipelined"
        return True

    def would_start(self, j):
        before = self.save()
        starts = self.place(j, True)
        self.restore(before)
        return starts

    def would_fit(self, j):
        before, limits = self.save(), [q.limit for q in self.queue]
        for q in self.queue:
            q.limit = UNLIMITED
        fits = self.place(j, False)
        for q, q.limit in zip(self.queue, limits):
            pass
        self.restore(before)
        return fits

    def save(self):
        return [(t, t.state, t.node, t.home) for j in self.job for t in j.task]

    @staticmethod
    def restore(saved):
        for t, t.state, t.node, t.home in saved:
            pass

    # ---- actions ----

    def allocate(self):
        jobs = [j for j in self.job if j.waiting()]
        while jobs:
            j = self.pop(jobs, self.would_start)
            if self.place(j, True) and j.waiting():
                jobs.append(j)

    def search(self, action):
        jobs, failed = [j for j in self.job if j.waiting() and (action != "consolidation" or j.preemptible)], []
        if action == "reclaim":           # b.7: leaves that may claim when the action begins
            jobs = [j for j in jobs if any(self.held(j.queue) + o.gpus * len(o.wanted()) <= j.queue.fair
                                           for o in jobs if o.queue is j.queue)]
        while jobs:
            j = self.pop(jobs, lambda o: o not in self.acted and self.gate(o, action))
            like = (j.gpus, len(j.task), j.minimum, not j.preemptible, None if action == "consolidation" else j.queue)
            if j in self.acted or like in failed or not self.gate(j, action):
                continue
            before = self.save()
            if not self.solve(j, action):
                failed.append(like)
            self.acted |= {t.job for t, *was in before if [t.state, t.node, t.home] != was}

    def gate(self, j, action):
        ask = j.gpus * len(j.wanted())
        firm = all(at_most(self.held(q, True) + ask, q.deserved) for q in j.queue.path())
        if action == "consolidation":
            return ask <= sum(self.room(n) for n in range(len(self.gpus)))
        if action == "preempt":
            return j.preemptible or firm
        return self.held(j.queue) + ask <= j.queue.fair and (j.preemptible or at_most(
            self.held(j.queue, True) + ask, j.queue.deserved))

    def candidates(self, j, action):
        for v in self.job:
            if v is j or not v.preemptible or not v.active():
                continue
            if v in self.acted and any(t.state != "Pipelined" for t in v.active()):
                continue                  # b.6: what this pass acted on is a victim only of what it was promised
            if action == "consolidation" or (v.queue is not j.queue if action == "reclaim" else
                                             v.queue is j.queue and v.priority < j.priority):
                yield v

    def units(self, j, action, recorded):
        """b.6: victims, the worst first, unit by unit. Each has (job, tasks it still has)."""
        left, popped = {v: list(v.active()) for v in self.candidates(j, action)}, {}
        while left:
            def of(q):
                mine = [v for v in left if v.queue is q]
                if not mine:
                    return None
                v = max(mine, key=lambda v: v.key(len(left[v])))
                return 0, popped.get(q, 0) + v.gpus * len(left[v])
            leaf = self.leaf_order([q for q in self.queue if not q.parent], of)[0]
            v = max((v for v in left if v.queue is leaf), key=lambda v: v.key(len(left[v])))
            has = left.pop(v)
            popped[leaf] = popped.get(leaf, 0) + v.gpus * len(has)
            unit = has[-1:] if len(has) > v.minimum else has
            if any(t in recorded for t in unit):
                rest, unit = [t for t in has if t not in recorded], None
            else:
                rest = [t for t in has if t not in unit]
            if rest:
                left[v] = rest
            if unit:
                yield unit

    def solve(self, j, action):
        """b.6: one task more at a time."""
        start, wanted, recorded, minimum = self.save(), j.wanted(), [], j.minimum
        reclaimed = j.gpus * len(wanted)
        held = {q: self.held(q) for q in self.queue}
        hidden = wanted[:]
        for k in range(1, len(wanted) + 1):
            for t in hidden:
                t.state = "Later"
            for t in wanted[:k]:
                t.state = "Pending"
            j.minimum = len(j.active()) + k
            chosen = self.scenarios(j, action, recorded, reclaimed, held)
            j.minimum = minimum
            if chosen is None:
                self.restore(start)
                return False
            if k < len(wanted):               # units are recorded whole, if some of them did not stay
                was = {t: (state, node) for t, state, node, _ in start}
                recorded = [u for u in chosen if any((t.state, t.node) != was[t] for t in u)]
                self.restore(start)
        return True

    def scenarios(self, j, action, recorded, ask, held):
        """The units of the first scenario that counts; None: there is none."""
        potential = []
        if recorded and self.attempt(j, action, recorded, ask, held):
            return recorded
        for unit in self.units(j, action, [t for u in recorded for t in u]):
            potential.append(unit)
            for n in sorted({t.node for t in unit[0].job.active()}):
                jobs = {u[0].job for u in potential if any(t.node == n for t in u)}
                chosen = recorded + [u for u in potential if u[0].job in jobs]
                if chosen and self.attempt(j, action, chosen, ask, held):    # b.6: none without victims
                    return chosen
        return None

    def attempt(self, j, action, chosen, ask, held):
        before = self.save()
        victims = [t for u in chosen for t in u]
        for t in victims:
            t.state = "Unpromised" if t.state == "Pipelined" else "Evicted"    # by this scenario
        again, placed = list({t.job for t in victims} | {j}), False
        while again:
            v = self.pop(again)
            if self.place(v, False):
                placed = placed or v is j
            elif v is j:
                break
        lost = [t for t in victims if t.state in ("Evicted", "Unpromised")]
        if placed and self.valid(j, action, lost, ask, held):
            for t in lost:
                if t.state == "Unpromised":
                    t.node, t.home = t.home, None
                t.state = "Releasing" if t.node is not None else "Pending"
            return True
        self.restore(before)
        return False

    def valid(self, j, action, lost, ask, held):
        if action == "consolidation":
            return not lost
        if action == "preempt":
            return True
        units = []
        for v in sorted({t.job for t in lost}, key=lambda v: v.age):
            mine = sorted((t for t in lost if t.job is v), key=lambda t: -t.number)
            stays = len(v.task) - len(mine)
            surplus = max(0, len([t for t in v.task if t.active() or t in mine]) - v.minimum)
            units.append([v.gpus] * min(surplus, len(mine)) + [v.gpus * (len(mine) - surplus)] * (len(mine) > surplus))
            units[-1] = [(v.queue, x) for x in units[-1]]
        verdicts = {self.fair_taking(j, [u for i in order for u in units[i]], ask, held)
                    for order in itertools.permutations(range(len(units)))}
        if len(verdicts) > 1:
            raise Choice
        return verdicts.pop()

    def fair_taking(self, j, units, ask, held):
        """b.7"""
        left, path = dict(held), j.queue.path()
        for q, gpus in units:
            below = next((a for a, up in zip(q.path(), q.path()[1:]) if up in path), q.path()[-1])
            mine = next((a for a in path if a.parent is below.parent), path[-1])
            if at_most(left[below], self.allocatable(below)) and not (
                    at_most(held[mine] + ask, mine.deserved) and not at_most(left[below], below.deserved)):
                return False
            for a in q.path():
                left[a] -= gpus
        for q in path:
            for s in self.queue:
                if s is q or s.parent is not q.parent or left[s] == held[s] or s.fair <= 0:
                    continue
                mine = Fraction(left[q] + ask, q.fair) if q.fair else None
                if mine is None or (mine > 1 and mine >= Fraction(left[s], s.fair)):
                    return False
            if not j.preemptible and not at_most(self.held(q, True) + (0 if j.active() else ask), q.deserved):
                return False
        return True

    def evict_stale(self):
        for j in self.job:
            used = [t for t in j.task if t.active() or t.state == "Releasing"]
            if used and len(used) < j.minimum:
                for t in j.active():
                    t.state = "Releasing"

    def act(self, action):
        if action == "allocate":
            self.allocate()
        elif action == "stalegangeviction":
            self.evict_stale()
        else:
            self.search(action)


# ---- Situations ----

def draw(r, kind):
    gpus = [4] * r.randint(1, 3)
    queue, tops = [], []
    for d in range(r.randint(1, 2)):
        tops.append(Queue(f"d{d}", None, d, r.choice([UNLIMITED, UNLIMITED, r.randint(0, 8)]), UNLIMITED, r.randint(0, 2)))
    queue += tops
    for i in range(r.randint(1 if kind == "preempt" else 2, 3)):
        deserved = r.choice([UNLIMITED, 0, 1, 2, 3, 4, 4, 5])
        limit = UNLIMITED if deserved == UNLIMITED or r.random() < .7 else deserved + r.randint(0, 4)
        queue.append(Queue(f"q{i}", r.choice(tops), i, deserved, limit, r.randint(0, 3)))
    leaves, free, jobs = queue[len(tops):], list(gpus), []
    for i in range(r.randint(2, 7)):
        n, size = r.choice([1, 1, 1, 2, 3]), r.choice([1, 1, 2, 2, 3, 4])
        if n > 1:
            size = min(size, 2)
        # gpuyard refuses a job that could never start, and then no queue asks for it
        minimum, nodes = min(r.randint(1, n), len(gpus) * (gpus[0] // size)), [None] * n
        starts = r.random() < (.3 if kind == "allocate" else .65)
        for t in range(r.randint(minimum, n) if starts else 0):
            fit = [k for k in range(len(gpus)) if free[k] >= size]
            if fit:
                nodes[t] = r.choice(fit)
                free[nodes[t]] -= size
        if kind != "stale" and 0 < sum(x is not None for x in nodes) < minimum:
            for t in range(n):
                if nodes[t] is not None:
                    free[nodes[t]] += size
            nodes = [None] * n
        jobs.append(Job(f"j{i}", r.choice(leaves), i, r.choice([50, 50, 50, 75, 100]), size, minimum, nodes))
    return gpus, queue, jobs


def share(quota, limit, weight):
    return {"quota": quota, "limit": limit, "over_quota_weight": weight}


def as_queue(q):
    return {"name": q.name, "parent": q.parent.name if q.parent else None, "created_seq": q.age, "priority": 100,
            "gpu": share(q.deserved, q.limit, q.weight), "cpu_milli": share(-1, -1, 1), "memory_mb": share(-1, -1, 1)}


def as_case(ident, action, gpus, queue, jobs):
    return {
        "id": ident, "mode": "single_action", "actions": [action],
        "nodes": {f"node{n}": {"gpus": g, "cpu_milli": 20000000, "memory_bytes": 20000000000, "gpu_memory_mib": 100}
                  for n, g in enumerate(gpus)},
        "departments": [as_queue(q) for q in queue if not q.parent], "queues": [as_queue(q) for q in queue if q.parent],
        "jobs": [{"name": j.name, "queue": j.queue.name, "priority": j.priority, "preemptible": j.preemptible, "list_seq": j.age,
                  "gpus_per_task": j.gpus, "cpu_milli_per_task": 1000, "memory_bytes_per_task": 1000000,
                  "min_available": j.minimum, "created_seq": j.age,
                  "tasks": [{"id": f"{j.name}-{t.number}", "state": t.state} |
                            ({"node": f"node{t.node}"} if t.node is not None else {}) for t in j.task]} for j in jobs],
    }


def outcome(jobs):
    return {"jobs": {}, "tasks": {f"{j.name}-{t.number}": {"state": t.state} | (
        {"node": f"node{t.node}"} if t.state in ("Running", "Binding", "Pipelined") else {}) for j in jobs for t in j.task}}


def main():
    folder, rounds, seed = Path(sys.argv[1]), int((sys.argv[2:] or [50])[0]), (sys.argv[3:] or ["1"])[0]
    kinds = {"allocate": "allocate", "consolidation": "consolidation", "reclaim": "reclaim", "preempt": "preempt",
             "stale": "stalegangeviction"}
    for kind, action in kinds.items():
        cases, r, dull = [], random.Random(f"{kind} {seed}"), 0
        while len(cases) < rounds:
            gpus, queue, jobs = draw(r, kind)
            case = as_case(f"second/{kind}/{len(cases):04}", action, gpus, queue, jobs)
            before, c = outcome(jobs), Cluster(gpus, queue, jobs)
            if action in SEARCHES and any(c.would_fit(j) for j in jobs):
                continue                  # allocate would have placed it
            try:
                c.act(action)
            except Choice:
                continue
            case["expect"] = outcome(jobs)
            if not any(t.state == "Running" for j in jobs for t in j.task):
                continue                  # a world in which nothing can happen any more
            if case["expect"] == before and dull >= len(cases) // 3:
                continue                  # most must decide something
            dull += case["expect"] == before
            cases.append(case)
        (folder / f"{kind}.json").write_text(json.dumps({"group": f"second/{kind}", "cases": cases}))


main()
