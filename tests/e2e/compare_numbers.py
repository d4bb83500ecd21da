#!/usr/bin/env python3
"""compare_numbers.py COMPARED.csv SWEEP.csv BASE NEW METRIC=MARGIN... - computes what `gpuyard compare --format csv` says of two
policies of a sweep anew from sweep.csv: clusters, means, intervals of Student and Fieller, BCa bootstrap, Wilcoxon's test, Holm and verdicts.

Nothing is taken from the program: Student's law is the incomplete beta function as a continued fraction (Abramowitz and Stegun
26.5.8), Wilcoxon's test goes through all signs, Fieller's bounds are searched for by bisection, and the bootstrap's draws are
those of xoshiro256++ written again. Differences of more than 1e-6 are an error."""
import csv
import itertools
import math
import statistics
import sys

NEAR = 1e-6
LEVEL = .05
FAR = 1e4
HIGHER = {"util_alloc", "util_effective", "goodput", "quota_satisfaction", "jobs_completed"}


# ---- Student's law ----

def beta_share(a, b, x):
    """The regularised incomplete beta function, by Lentz's method."""
    if x in (0, 1):
        return x
    if x > (a + 1) / (a + b + 2):
        return 1 - beta_share(b, a, 1 - x)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)) / a
    tiny, f, c, d = 1e-300, 1.0, 1.0, 0.0
    for i in range(500):
        m = i // 2
        if i == 0:
            step = 1.0
        elif i % 2 == 0:
            step = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        else:
            step = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d = 1 / (1 + step * d or tiny)
        c = 1 + step / c or tiny
        f *= c * d
        if abs(1 - c * d) < 1e-15:
            break
    return front * (f - 1)


def t_above(t, freedom):
    p = beta_share(freedom / 2, .5, freedom / (freedom + t * t)) / 2
    return p if t >= 0 else 1 - p


def bisect(low, high, wanted):
    """Where wanted() turns from true to false."""
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if wanted(middle) else (low, middle)
    return low


def t_quantile(share, freedom):
    return bisect(0, 1e6, lambda t: t_above(t, freedom) > 1 - share)


# ---- Statistics of clusters ----

def t_of(d):
    error = statistics.stdev(d) / math.sqrt(len(d))
    mean = math.fsum(d) / len(d)
    return mean / error if error else math.copysign(math.inf, mean) if mean else -math.inf


def p_above(d):
    t = t_of(d)
    return t_above(t, len(d) - 1) if math.isfinite(t) else 0.0 if t > 0 else 1.0


def student(d):
    reach = t_quantile(1 - LEVEL / 2, len(d) - 1) * statistics.stdev(d) / math.sqrt(len(d))
    return statistics.fmean(d) - reach, statistics.fmean(d) + reach


def fieller(x, more):
    """Bounds of mean(more) / mean(x), by trying ratios up to FAR beyond it; what is not found there is infinite."""
    limit, at = t_quantile(1 - LEVEL / 2, len(x) - 1), statistics.fmean(more) / statistics.fmean(x)
    apart = lambda r: t_of([m - r * b for m, b in zip(more, x)])
    low, high = bisect(at - FAR, at, lambda r: apart(r) > limit), bisect(at, at + FAR, lambda r: apart(r) > -limit)
    return -math.inf if low < at - .99 * FAR else low, math.inf if high > at + .99 * FAR else high


def wilcoxon(d):
    size = sorted(abs(x) for x in d if x)
    rank = [statistics.fmean(i + 1 for i, s in enumerate(size) if s == abs(x)) for x in d if x]
    total, got = sum(rank), sum(r for r, x in zip(rank, (x for x in d if x)) if x > 0)
    far = abs(got - total / 2) - 1e-9
    signs = list(itertools.product((0, 1), repeat=len(rank)))
    return sum(abs(sum(r for r, s in zip(rank, sign) if s) - total / 2) >= far for sign in signs) / len(signs)


MASK = (1 << 64) - 1
GOLDEN = 0x9e3779b97f4a7c15


def mix(x):                       # splitmix64
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9 & MASK
    x = (x ^ x >> 27) * 0x94d049bb133111eb & MASK
    return x ^ x >> 31


def draws(n):
    """random.h: the stream (1, "bootstrap", n), as numbers below n."""
    name = b"bootstrap"
    h = mix(1 + GOLDEN & MASK) ^ len(name) * GOLDEN & MASK
    for at in range(0, len(name), 8):
        h = mix((h ^ int.from_bytes(name[at:at + 8], "little")) + GOLDEN & MASK)
    key = mix(h ^ mix(n + GOLDEN & MASK))
    s = []
    for _ in range(4):
        key = key + GOLDEN & MASK
        s.append(mix(key))
    turn = lambda x, by: (x << by | x >> 64 - by) & MASK
    while True:
        got = turn(s[0] + s[3] & MASK, 23) + s[0] & MASK
        t = s[1] << 17 & MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = turn(s[3], 45)
        if (got * n & MASK) >= (1 << 64) % n:
            yield got * n >> 64


def bca(d):
    """Efron (1987), eq. 6.6, with the acceleration of the jackknife."""
    n, normal, stream = len(d), statistics.NormalDist(), draws(len(d))
    mean = sum(d) / n
    got = sorted(sum(d[next(stream)] for _ in range(n)) / n for _ in range(9999))
    if max(d) - min(d) < 1e-12 * abs(mean):
        return [mean, mean]
    same = 1e-9 * (got[-1] - got[0])                     # rounding, of the same numbers in another order
    below = (sum(x < mean - same for x in got) + sum(abs(x - mean) <= same for x in got) / 2) / len(got)
    others = [(sum(d) - x) / (n - 1) for x in d]
    centre = sum(others) / n
    a = sum((centre - x) ** 3 for x in others) / (6 * sum((centre - x) ** 2 for x in others) ** 1.5)
    bias, bound = normal.inv_cdf(below), []
    for share in (LEVEL / 2, 1 - LEVEL / 2):
        z = bias + normal.inv_cdf(share)
        h = (len(got) - 1) * normal.cdf(bias + z / (1 - a * z))
        low = int(h)
        bound.append(got[low] + (h - low) * (got[min(low + 1, len(got) - 1)] - got[low]))
    return bound


# ---- One metric ----

def clusters_of(rows, metric, policy):
    """seed -> values, in the order of the other columns."""
    found = {}
    for r in rows:
        if r["metric"] == metric and r["scope"] == "all" and r["policy"] == policy:
            found.setdefault(r["seed"], []).append(((r["trace"], r["load"]), float(r["value"])))
    return [[v for _, v in sorted(found[seed])] for seed in sorted(found)]


def expected(base, new, sign, margin):
    positive = all(v > 0 for side in (base, new) for values in side for v in values)
    mean = (lambda v: math.fsum(map(math.log, v)) / len(v)) if positive else statistics.fmean
    b, n = [mean(v) for v in base], [mean(v) for v in new]
    more = [y - x for x, y in zip(b, n)]
    worse = [sign * d for d in more]
    say = {"pairs": sum(map(len, base)), "clusters": len(base), "p_worse": p_above(worse), "p_wilcoxon": wilcoxon(worse),
           "base_mean": statistics.fmean(map(statistics.fmean, base)), "new_mean": statistics.fmean(map(statistics.fmean, new))}
    if positive:
        say["base"], say["new"] = (math.exp(statistics.fmean(side)) for side in (b, n))
        low, high = map(math.expm1, student(more))
        drawn = [math.expm1(x) for x in bca(more)]
        limit = math.log1p(margin) if sign > 0 else -math.log1p(-margin)
        say["p_beyond"] = p_above([d - limit for d in worse])
    else:
        say["base"], say["new"] = say["base_mean"], say["new_mean"]
        low, high = fieller(b, more)
        change = statistics.fmean(more) / statistics.fmean(b)
        drawn = bca([change + (d - change * x) / statistics.fmean(b) for d, x in zip(more, b)])
        say["p_beyond"] = p_above([w - margin * x for w, x in zip(worse, b)])
    say["change"] = say["new"] / say["base"] - 1
    say["change_low"], say["change_high"] = max(low, -1), max(high, -1)
    say["bootstrap_low"], say["bootstrap_high"] = (max(x, -1) for x in drawn)
    return say


def adjust(p):
    """Holm."""
    done, most = {}, 0
    for i, name in enumerate(sorted(p, key=p.get)):
        most = max(most, min(1, p[name] * (len(p) - i)))
        done[name] = most
    return done


def verdict(say, sign, margin):
    worse = sorted((sign * say["change_low"], sign * say["change_high"]))
    if worse[1] <= margin:
        return "PASS"
    return "FAIL" if worse[0] > margin and say["p_beyond"] < LEVEL / 2 else "INCONCLUSIVE"


def main():
    compared, sweep, base, new, *gates = sys.argv[1:]
    told = {r["metric"]: r for r in csv.DictReader(open(compared))}
    rows, margin = list(csv.DictReader(open(sweep))), {g.split("=")[0]: float(g.split("=")[1]) for g in gates}
    want = {m: expected(clusters_of(rows, m, base), clusters_of(rows, m, new), -1 if m in HIGHER else 1, margin[m]) for m in margin}
    for m, p in adjust({m: want[m]["p_beyond"] for m in want}).items():
        want[m]["p_beyond"] = p
    wrong = []
    for m, say in want.items():
        for name, value in say.items():
            got = float(told[m][name] or "inf")
            if got != value and not abs(got - value) <= NEAR * max(abs(value), 1e-3):
                wrong.append(f"{m}: {name}: want {value!r}, got {got!r}")
        wished = verdict(say, -1 if m in HIGHER else 1, margin[m])
        if told[m]["verdict"] != wished:
            wrong.append(f"{m}: want {wished}, got {told[m]['verdict']}")
    print("\n".join(wrong) or f"{len(want)} metrics of {next(iter(want.values()))['clusters']} clusters agree")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
