#!/usr/bin/env python3
"""validate_numbers.py RECORDED SIMULATED - the numbers of `gpuyard validate --format json`, read from standard input, computed
again from jobs.csv and timeseries.csv by definition: ranks by counting, distributions by counting, bounds by a bootstrap of its
own draws (Python's generator), within 15 % of their width. Prints what differs; exit 1 if something does.
"""
import bisect
import csv
import json
import math
import random
import sys


def jobs(directory):
    with open(directory + "/jobs.csv", newline="") as f:
        return {r["job_id"]: r for r in csv.DictReader(f)}


def mid_ranks(values):
    order = sorted(values)
    return [(bisect.bisect_left(order, v) + bisect.bisect_right(order, v) + 1) / 2 for v in values]


def pearson(x, y):
    mx, my = sum(x) / len(x), sum(y) / len(y)
    sxy = sum((a - mx) * (b - my) for a, b in zip(x, y))
    sxx, syy = sum((a - mx) ** 2 for a in x), sum((b - my) ** 2 for b in y)
    return sxy / math.sqrt(sxx * syy) if sxx and syy else None


def quantile(values, p):
    v = sorted(values)
    h = (len(v) - 1) * p
    i = int(h)
    return v[i] + (h - i) * (v[min(i + 1, len(v) - 1)] - v[i])


def figures(sample):
    was, now = [s[1] for s in sample], [s[2] for s in sample]
    mean = sum(was) / len(was)
    return {"change": sum(now) / len(now) / mean - 1 if mean else None,
            "rank_correlation": pearson([s[3] for s in sample], [s[4] for s in sample]),
            "error": sum(abs(a - b) for a, b in zip(was, now)) / len(was) / mean if mean else None,
            "near": sum(abs(a - b) <= max(60, .1 * a) for a, b in zip(was, now)) / len(was)}


def hours(directory, n):
    with open(directory + "/timeseries.csv", newline="") as f:
        rows = [(float(r["time_s"]), float(r["gpus_allocated"]) / float(r["gpus_total"])) for r in csv.DictReader(f)]
    mean = [0.0] * n
    for (t, level), (end, _) in zip(rows, rows[1:]):
        while t < end and t < n * 3600:
            k = int(t // 3600)
            to = min(end, (k + 1) * 3600)
            mean[k] += level * (to - t) / 3600
            t = to
    return mean


def main():
    was, now, told, wrong = jobs(sys.argv[1]), jobs(sys.argv[2]), json.load(sys.stdin), []

    def same(what, got, want, within=1e-6):
        if (got is None) != (want is None) or (got is not None and abs(got - want) > within * max(1, abs(want))):
            wrong.append(f"{what}: want {want}, got {got}")

    pairs = [(float(w["submit_s"]), float(w["first_wait_s"]), float(now[j]["first_wait_s"]), int(w["gpus"]), w["queue"])
             for j, w in was.items() if w["first_wait_s"] and j in now and now[j]["first_wait_s"]]
    same("jobs", told["jobs"], len(pairs))
    a, b = mid_ranks([p[1] for p in pairs]), mid_ranks([p[2] for p in pairs])
    sample = [(p[0], p[1], p[2], x, y) for p, x, y in zip(pairs, a, b)]
    for name, value in figures(sample).items():
        same(name, told[name]["value"], value)
    for q in told["quantiles"]:
        same(f"quantile {q['p']} of the record", q["recorded_s"], quantile([p[1] for p in pairs], q["p"]))
        same(f"quantile {q['p']} of the simulation", q["simulated_s"], quantile([p[2] for p in pairs], q["p"]))
    x, y = sorted(p[1] for p in pairs), sorted(p[2] for p in pairs)
    same("distance", told["distance"],
         max(abs(bisect.bisect_right(x, v) - bisect.bisect_right(y, v)) for v in x + y) / len(pairs))
    for g in told["by_queue"]:
        of = [p for p in pairs if p[4] == g["queue"]]
        same("queue " + g["queue"], g["error_mean_s"], sum(abs(p[1] - p[2]) for p in of) / len(of))
    same("by size", sum(g["jobs"] for g in told["by_size"]), len(pairs))
    one = [p for p in pairs if p[3] == 1]
    for g in told["by_size"]:
        if g["size"] == "1":
            same("size 1", g["simulated_mean_s"], sum(p[2] for p in one) / len(one))
    h = told["utilisation"]
    before, after = hours(sys.argv[1], h["hours"]), hours(sys.argv[2], h["hours"])
    same("hours", h["error_mean"], sum(abs(u - v) for u, v in zip(before, after)) / max(1, len(before)), 1e-5)
    same("correlation of hours", h["correlation"], pearson(before, after), 1e-4)

    first, last = min(p[0] for p in pairs), max(p[0] for p in pairs)
    length = min(86400, (last - first) / 10)
    block = {}
    for s in sample:
        block.setdefault(int((s[0] - first) / length), []).append(s)
    draws, n = random.Random(7), int((last - first) / length) + 1
    drawn = {name: [] for name in figures(sample)}
    for _ in range(400):
        some = [s for _ in range(n) for s in block.get(draws.randrange(n), [])]
        for name, value in figures(some).items():
            if value is not None:
                drawn[name].append(value)
    for name, values in drawn.items():
        low, high = quantile(values, .025), quantile(values, .975)
        for end, want in (("low", low), ("high", high)):
            if abs(told[name][end] - want) > .15 * (high - low):
                wrong.append(f"{name}, {end}: want about {want}, got {told[name][end]}")
    print("\n".join(wrong))
    return 1 if wrong else 0


sys.exit(main())
