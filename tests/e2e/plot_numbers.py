#!/usr/bin/env python3
"""plot_numbers.py arrived RUN CSV | pooled CSV RUN... | ratios CSV BASE BASE NEW NEW - the CSV of a plot against the result files, by definition.

arrived: of a run to which many times its GPUs arrive each row is the mean over time of the GPUs allocated, from the row before (of the first: from the first
arrival) to its own time; it ends a hundredth of all GPUs asked for, or the last of its instant, further on.
pooled: of runs that differ in the seed alone the time that jobs of a size ran over the failures of all of them, and the service time over the time from
start to end of all their completed jobs, by GPUs.
ratios: of two pairs of runs of one seed the geometric mean of the ratios, and Student's interval of their logarithms (t(1, 0.975) = 12.7062).
"""
import csv
import math
import sys


def rows(path):
    return list(csv.DictReader(open(path, newline="")))


def near(a, b):
    assert abs(a - b) <= 1e-6 * max(1, abs(b)), (a, b)


def arrived(run, path):
    jobs = sorted((float(j["submit_s"]), float(j["gpus"])) for j in rows(run + "/jobs.csv"))
    levels = [(float(r["time_s"]), float(r["gpus_allocated"]), float(r["gpus_total"])) for r in rows(run + "/timeseries.csv")]
    total, drawn, last, asked_before = levels[0][2], rows(path), jobs[0][0], 0
    step = sum(g for _, g in jobs) / 100
    assert sum(g for _, g in jobs) > 3 * total and 20 < len(drawn) <= 101, len(drawn)
    for r in drawn:
        at = float(r["time_s"])
        asked = sum(g for t, g in jobs if t <= at)
        assert asked - asked_before >= step * (1 - 1e-9) or r is drawn[-1], (asked, asked_before)
        near(float(r["arrived_percent"]), 100 * asked / total)
        held = sum(g * max(0, min(at, until) - max(last, t)) for (t, g, _), (until, _, _) in zip(levels, levels[1:] + [(1e18, 0, 0)]))
        near(float(r["allocated_percent"]), 100 * held / (at - last) / total)
        last, asked_before = at, asked
    near(asked_before, sum(g for _, g in jobs))


def pooled(path, *runs):
    sizes = [("1", 1, "gpus<=1"), ("2-8", 8, "gpus<=8"), ("9-64", 64, "gpus<=64")]
    drawn, least, seen = rows(path), 0, 0
    for name, most, scope in sizes:
        hours = failures = service = span = without = 0
        for run in runs:
            jobs = [j for j in rows(run + "/jobs.csv") if least < float(j["gpus"]) <= most]
            own = [r for r in rows(run + "/summary.csv") if r["metric"] == "mttf_h" and r["scope"] == scope]
            failures += sum(int(r["n"]) for r in own)
            hours += sum(float(r["value"]) * int(r["n"]) for r in own) if own else sum(float(j["run_s"] or 0) for j in jobs) / 3600
            without += not own and len(jobs) > 0
            done = [j for j in jobs if j["state"] == "completed"]
            service += sum(float(j["gpus"]) * float(j["jct_s"]) / float(j["slowdown"]) for j in done)
            span += sum(float(j["gpus"]) * (float(j["end_s"]) - float(j["start_s"])) for j in done)
        least = most
        told = [r for r in drawn if r["size"] == name]
        if failures:
            near(float(next(r["mttf_h"] for r in told if r["mttf_h"])), hours / failures)
            seen += 1 + 100 * (without > 0)
        if span:
            near(float(next(r["ettr_percent"] for r in told if r["ettr_percent"])), 100 * service / span)
    assert seen > 100, "no size without a failure in one run"
    assert len({r["run"] for r in drawn}) == 1, drawn


def ratios(path, *runs):
    value = [{r["metric"]: float(r["value"]) for r in rows(run + "/summary.csv") if r["scope"] == "all" and r["value"]} for run in runs]
    drawn = rows(path)
    assert {r["metric"] for r in drawn} == {"jct_mean_s", "bounded_slowdown_mean", "wait_mean_s"} and len(drawn) == 6, drawn
    for base, new in zip(drawn[::2], drawn[1::2]):
        logs = [math.log(value[i + 2][new["metric"]] / value[i][new["metric"]]) for i in range(2)]
        mean, half = sum(logs) / 2, 12.70620474 * abs(logs[0] - logs[1]) / 2
        near(float(base["mean"]), 1)
        for column, want in (("mean", mean), ("low", mean - half), ("high", mean + half)):
            near(float(new[column]), math.exp(want))
        assert new["n"] == "2" and float(new["low"]) > 0, new


try:
    {"arrived": arrived, "pooled": pooled, "ratios": ratios}[sys.argv[1]](*sys.argv[2:])
except (AssertionError, StopIteration, ValueError, ZeroDivisionError) as wrong:
    sys.exit(f"{' '.join(sys.argv[1:3])}: {wrong!r}")
