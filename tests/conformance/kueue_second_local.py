"""kueue_second_local.py - random situations of local queues by past use (docs/schedulers.md c.5), decided by a slow and obvious
second implementation: of each queue, in every cycle, all that wait are sorted anew. Use is an exact fraction and a multiple of
the penalty's factor; situations in which two local queues have used nearly the same, but for nothing at all, are drawn again."""
import math

from kueue_second import Head, RESOURCES, Workload, cycle, draw_each, draw_world, said_sets, said_world


class TooClose(Exception):
    pass


class Lane:
    def __init__(self, name, queue, weight, usage):
        self.name, self.queue, self.weight, self.usage = name, queue, weight, usage
        self.used, self.paid = sum(usage.values()), 0

    def order(self, alpha):
        return math.inf if self.weight == 0 else (self.used + alpha * self.paid) / self.weight


def check_apart(lanes, alpha):
    for a in lanes:
        for b in lanes:
            x, y = a.order(alpha), b.order(alpha)
            if a is not b and a.queue == b.queue and x + y not in (0, math.inf) and abs(x - y) < 1e-6 * max(x, y):
                raise TooClose


def size(head):
    return sum(count * amount for count, each in head.sets for amount in each.values())


def decide(world, pending, lanes, alpha):
    """The names that are admitted."""
    waiting, parked, admitted = list(pending), [], []
    for _ in pending:
        check_apart(lanes.values(), alpha)
        heads = []
        for q in world.queues():
            mine = sorted((h for h in waiting if h.queue == q), key=lambda h: (lanes[h.lane].order(alpha), -h.priority, h.created))
            heads += mine[:1]
        cycle(world, heads, False)
        for h in heads:
            if h.outcome == "admitted":
                world.holders.append(Workload(None, h.queue, h.answer["use"], 0, 0, 0))
                lanes[h.lane].paid += size(h)
                admitted.append(h.name)
                waiting.remove(h)
            elif world.strategy[h.queue] != "StrictFIFO" and h.outcome != "skipped":
                if h.answer["more"]:
                    raise TooClose              # where it goes on is a matter of flavors, not of local queues
                waiting.remove(h)
                parked.append(h.name)
    return admitted


def draw(rng):
    world = draw_world(rng, False)
    for v in world.parent:
        world.rules[v] = {"within_cluster_queue": "Never", "reclaim_within_cohort": "Never"}
    half_life, sampling = rng.choice([10, 60, 600]), rng.choice([1, 10, 60])
    alpha = 1 - 2 ** (-sampling / half_life)
    lanes, pending = {}, []
    for q in world.queues():
        for i in range(rng.randint(1, 3)):
            usage = {r: rng.randint(0, 9) for r in RESOURCES if rng.random() < .6}
            lanes["%s/%d" % (q, i)] = Lane("%s/%d" % (q, i), q, rng.choice([1, 1, 2, 3, 0]), usage)
    fungibility = {q: {"when_can_borrow": "MayStopSearch", "when_can_preempt": "TryNextFlavor"} for q in world.queues()}
    for number in range(rng.randint(2, 9)):
        lane = rng.choice(list(lanes.values()))
        sets = [(rng.randint(1, 2), draw_each(rng))]
        pending.append(Head("new/%d" % number, lane.queue, sets, [sets[0][0]], rng.randint(0, 2), -100 + number, fungibility[lane.queue]))
        pending[-1].lane = lane.name
    admitted = decide(world, pending, lanes, alpha)
    waiting = [h.name for h in pending if h.name not in admitted]
    return dict(said_world(world, fungibility), half_life_s=half_life, sampling_s=sampling,
                local_queues=[{"name": l.name, "queue": l.queue, "weight": l.weight, "usage": l.usage} for l in lanes.values()],
                pending=[{"name": h.name, "local_queue": h.lane, "priority": h.priority, "created_at_s": h.created,
                          "pod_sets": said_sets(h.sets)} for h in pending],
                expect={"admitted": admitted, "waiting": waiting})


def local_case(rng):
    while True:
        try:
            case = draw(rng)
        except TooClose:
            continue
        if case["expect"]["waiting"]:       # else nothing depends on the order
            return case
