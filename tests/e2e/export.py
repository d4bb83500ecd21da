#!/usr/bin/env python3
"""export.py FORMAT DIR FILE - does FILE say what the results in DIR say? Readers of its own, with exact decimals.

Prints what is wrong, one line each, and exits with status 1; or prints what was compared and exits with status 0."""
import csv
import json
import math
import re
import sys
from collections import Counter, defaultdict
from decimal import Decimal

from openmetrics import Wrong as WrongOpenMetrics, read as read_openmetrics

wrong = []


def must(condition, what):
    if not condition:
        wrong.append(what)


def rows(path):
    with open(path, newline="", encoding="utf-8", errors="replace") as f:
        return list(csv.DictReader(f))


def numbers(text):
    """'0-3 6' as a list."""
    out = []
    for part in text.split():
        first, _, last = part.partition("-")
        out += range(int(first), int(last or first) + 1)
    return out


# ---- perfetto ----

def perfetto(directory, path):
    with open(path, encoding="utf-8") as f:
        trace = json.load(f, parse_float=Decimal, parse_int=Decimal)
    events = trace["traceEvents"]
    must(trace["displayTimeUnit"] in ("ms", "ns"), "displayTimeUnit")
    process, thread, slices, counters = {}, {}, defaultdict(list), []
    for e in events:
        must(e["ph"] in "MXC" and isinstance(e["name"], str), f"an event {e}")
        if e["ph"] == "M" and e["name"] == "process_name":
            process[e["pid"]] = e["args"]["name"]
        elif e["ph"] == "M" and e["name"] == "thread_name":
            thread[e["pid"], e["tid"]] = e["args"]["name"]
        elif e["ph"] == "X":
            must(e["dur"] >= 0, f"a negative duration {e}")
            slices[e["pid"], e["tid"]].append(e)
        elif e["ph"] == "C":
            counters.append(e)
    must(len(set(process.values())) == len(process), "two processes have one name")
    told = Counter()
    for (pid, tid), list_of in slices.items():
        end = None
        must(pid in process and (pid, tid) in thread, f"thread {pid} {tid} has no name")
        for e in sorted(list_of, key=lambda s: (s["ts"], s["ts"] + s["dur"])):
            must(end is None or e["ts"] >= end, f"slices of {process[pid]} {thread[pid, tid]} overlap at {e['ts']}")
            end = e["ts"] + e["dur"]
            told[e["name"], process[pid], thread[pid, tid], e["ts"], e["dur"], e["args"]["end_reason"], e["args"]["task"]] += 1
    want = Counter()
    for r in rows(directory + "/intervals.csv"):
        start, end = Decimal(r["start_s"]) * 1000000, Decimal(r["end_s"]) * 1000000
        names = [f"GPU {g}" for g in numbers(r["gpu_ids"])] or ["GPUs" if r["gpus"] != "0" else "CPUs"]
        for name in names:
            job = r["job_id"] if "\ufffd" not in r["job_id"] else "?"
            want[job, "node " + r["node"], name, start, end - start, r["end_reason"], Decimal(r["task"])] += 1
    must(told == want, f"slices: {list((told - want).items())[:2]} instead of {list((want - told).items())[:2]}")
    level = {}
    for e in counters:
        for key, value in e["args"].items():
            level[e["ts"], e["name"], key] = value
    for r in rows(directory + "/timeseries.csv"):
        at = Decimal(r["time_s"]) * 1000000
        for name, key, column in (("GPUs", "allocated", "gpus_allocated"), ("GPUs", "busy", "gpus_busy"), ("GPUs", "up", "gpus_up"),
                                  ("jobs", "running", "jobs_running"), ("jobs", "waiting", "jobs_waiting")):
            must(level.get((at, name, key)) == Decimal(r[column]), f"{column} at {at}: {level.get((at, name, key))}")
    for r in rows(directory + "/queues.csv"):
        name = "queue " + r["queue"]
        if "\ufffd" not in name:
            must(level.get((Decimal(r["time_s"]) * 1000000, name, "demand")) == Decimal(r["gpus_demand"]), f"demand of {name}")
    return f"{sum(told.values())} slices on {len(slices)} threads of {len(process)} processes, {len(counters)} counters"


# ---- batsim ----

COLUMNS = ("job_id workload_name profile submission_time requested_number_of_resources requested_time success final_state "
           "starting_time execution_time finish_time waiting_time turnaround_time stretch allocated_resources consumed_energy "
           "metadata").split()


def batsim(directory, path):
    got = rows(path)
    must(list(got[0]) == COLUMNS, f"columns {list(got[0])}")
    jobs = {r["job_id"]: r for r in rows(directory + "/jobs.csv")}
    must(len(jobs) == len(got), "another number of jobs")
    first, at = {}, 0
    for r in rows(directory + "/nodes.csv"):
        first[r["node"]], at = at, at + int(r["gpus"])
    last = defaultdict(lambda: (None, set()))          # of each job: the rows of the allocation that ended last
    for r in rows(directory + "/intervals.csv"):
        when, gpus = last[r["job_id"]]
        now = r["start_s"], r["end_s"]
        gpus = gpus if when == now else set()
        last[r["job_id"]] = now, gpus | {first[r["node"]] + g for g in numbers(r["gpu_ids"])}
    for r in got:
        j = jobs[r["job_id"]]
        must(r["submission_time"] == j["submit_s"] and r["starting_time"] == j["start_s"], f"job {r['job_id']}: times")
        must(int(r["requested_number_of_resources"]) == math.ceil(Decimal(j["gpus"])), f"job {r['job_id']}: size")
        must((r["success"] == "1") == (j["state"] == "completed"), f"job {r['job_id']}: success")
        must(set(numbers(r["allocated_resources"])) == last[r["job_id"]][1], f"job {r['job_id']}: resources")
        must(f"run_s={j['run_s']};" in r["metadata"], f"job {r['job_id']}: metadata")
        if j["state"] not in ("completed", "failed", "cancelled"):
            must(r["finish_time"] == "" and r["stretch"] == "", f"job {r['job_id']}: has not ended")
            continue
        submit, start, execution, end, wait, turnaround = (Decimal(r[c]) for c in (
            "submission_time", "starting_time", "execution_time", "finish_time", "waiting_time", "turnaround_time"))
        must(end == Decimal(j["end_s"]) and execution == end - start and wait == start - submit and turnaround == end - submit,
             f"job {r['job_id']}: Batsim's identities")
        must(execution == 0 or abs(Decimal(r["stretch"]) - turnaround / execution) <= Decimal("0.0000005"),
             f"job {r['job_id']}: stretch")
        if "gpu_energy_kwh" in j:
            kwh = Decimal(j["gpu_energy_kwh"]) + Decimal(j["node_energy_kwh"])
            must(abs(Decimal(r["consumed_energy"]) - kwh * 3600000) <= kwh / 1000 + 1, f"job {r['job_id']}: energy")
        else:
            must(r["consumed_energy"] == "-1", f"job {r['job_id']}: energy")
    try:
        from evalys.jobset import JobSet
    except ImportError:
        return f"{len(got)} jobs; SKIPPED: evalys is not there, so it has not opened them"
    opened = JobSet.from_csv(path)
    must(len(opened.df) == len(got), "evalys reads another number of jobs")
    return f"{len(got)} jobs; evalys opens them: {opened.MaxProcs} GPUs"


# ---- openmetrics ----

def label_of(scope):
    """The scope of summary.csv as a label: its letters, and what stands behind them and '='."""
    if scope == "all":
        return ()
    name, equals, value = re.fullmatch(r"([a-zA-Z_]+)(=?)(.*)", re.sub("\ufffd", "?", scope), re.S).groups()
    return ((name, value or "(no name)"),) if equals or value else (("scope", name),)


def openmetrics(directory, path):
    with open(path, "rb") as f:
        try:
            families = read_openmetrics(f.read())
        except (WrongOpenMetrics, UnicodeDecodeError) as e:
            must(False, e)
            return "not OpenMetrics"
    values = defaultdict(set)
    for family in families:
        for (name, labels), value in family.samples.items():
            values[labels].add(value)
            must(family.type == "info" or family.told.get("HELP"), f"{name} has no help")
    want = [r for r in rows(directory + "/summary.csv") if r["value"]]
    must(len(want) + 1 == sum(len(f.samples) for f in families), "another number of samples")
    for r in want:
        must(r["value"] in values[label_of(r["scope"])], f"{r['metric']} of {r['scope']} is missing: {r['value']}")
    must(len({r["metric"] for r in want}) == len(families) - 1, "two metrics have one family")
    return f"{sum(len(f.samples) for f in families)} samples of {len(families)} families"


told = {"perfetto": perfetto, "batsim": batsim, "openmetrics": openmetrics}[sys.argv[1]](sys.argv[2], sys.argv[3])
for line in wrong[:5]:
    print("wrong:", line)
print(told)
sys.exit(1 if wrong else 0)
