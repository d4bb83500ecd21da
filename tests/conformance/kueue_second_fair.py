"""Shares and the victims by shares, by docs/schedulers.md c.4, for kueue_second.py: everything is computed anew at each step."""
from fractions import Fraction


def share(world, v):
    """Weighted; (infinite?, value)."""
    parent = world.parent[v]
    if not parent:
        return (False, Fraction(0))
    cells = sorted({cell for quota in world.quota.values() for cell in quota})
    best, borrows = Fraction(0), False
    for r in sorted({r for _, r in cells}):
        of = [cell for cell in cells if cell[1] == r]
        over = sum(max(0, world.usage(v, cell) - world.subtree(v, cell)) for cell in of)
        lendable = sum(world.potential(parent, cell) for cell in of)
        borrows = borrows or over > 0
        if over and lendable:
            best = max(best, Fraction(over, lendable))
    if world.weight[v] == 0:
        return (borrows, best)
    return (False, best / Fraction(str(world.weight[v])))


class FairSearch:
    """Victims for p, which is counted as if it were admitted: one pass by S2-a, then one by S2-b over those it left."""

    def __init__(self, world, p, contested, candidates):
        """candidates: of p's queue, and of queues of its tree that use a contested cell beyond their quota."""
        self.world, self.p, self.way = world, p, world.path(p.queue)
        self.offers, self.left, self.victims, self.pruned = {}, {}, [], set()
        for w in sorted(candidates, key=lambda w: (w.priority, -w.reserved, w.name)):
            self.offers.setdefault(w.queue, []).append(w)
        self.world.holders.append(p)
        self.within = not world.exceeds(p.queue, contested)

    def spent(self, v):
        zero = share(self.world, v)[1] == 0
        if self.world.children(v):
            return zero and v not in self.way
        return not self.offers.get(v) or (zero and v != self.p.queue)

    def rank(self, v):
        """The largest goes first: by share, a cohort before a queue, another queue before the own, by their next candidates."""
        if self.world.children(v):
            return (share(self.world, v), 1, 0, 0, 0)
        w = self.offers[v][0]
        return (share(self.world, v), 0, v != self.p.queue, -w.priority, w.reserved)

    def next_queue(self):
        root = self.way[-1]
        while root not in self.pruned:
            at = root
            while self.world.children(at):
                self.pruned |= {v for v in self.world.children(at) if self.spent(v)}
                open_ones = [v for v in self.world.children(at) if v not in self.pruned]
                if not open_ones:
                    break
                at = max(open_ones, key=self.rank)
            if not self.world.children(at) and self.offers.get(at):
                return at
            self.pruned.add(at)
        return None

    def rule(self, w, final):
        """The nodes just below the lowest cohort above both."""
        theirs = self.world.path(w.queue)
        common = next(v for v in theirs if v in self.way)
        own, other = self.way[self.way.index(common) - 1], theirs[theirs.index(common) - 1]
        if not final:
            return share(self.world, own) < share(self.world, other)
        self.world.holders.remove(w)
        kept = share(self.world, own) <= share(self.world, other)
        self.world.holders.append(w)
        return kept

    def fits(self):
        self.world.holders.remove(self.p)
        fits = self.world.fits(self.p.queue, self.p.use)
        self.world.holders.append(self.p)
        return fits

    def take(self, w, reason):
        self.world.holders.remove(w)
        self.victims.append((w, reason))
        return self.fits()

    def first_pass(self):
        queue = self.next_queue()
        while queue:
            while self.offers[queue]:
                w = self.offers[queue].pop(0)
                if queue == self.p.queue or self.within:
                    reason = "InClusterQueue" if queue == self.p.queue else "InCohortReclamation"
                    if self.take(w, reason):
                        return True
                    break
                if self.rule(w, True):
                    if self.take(w, "InCohortFairSharing"):
                        return True
                    break
                self.left.setdefault(queue, []).append(w)
            queue = self.next_queue()
        return False

    def second_pass(self):
        self.offers, self.pruned = self.left, set()
        queue = self.next_queue()
        while queue:
            w = self.offers[queue].pop(0)
            if self.rule(w, False) and self.take(w, "InCohortFairSharing"):
                return True
            self.pruned.add(queue)
            queue = self.next_queue()
        return False

    def put_back(self):
        for victim in list(reversed(self.victims[:-1])):
            self.world.holders.append(victim[0])
            if self.fits():
                self.victims.remove(victim)
            else:
                self.world.holders.remove(victim[0])


def search_fair(world, p, contested, candidates):
    kept = list(world.holders)
    s = FairSearch(world, p, contested, candidates)
    found = s.first_pass() or s.second_pass()
    if found:
        s.put_back()
    world.holders = kept
    return s.victims if found else []
