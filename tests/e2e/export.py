#!/usr/bin/env python3
"""export.py FORMAT DIR FILE - does FILE say what the results in DIR say? Readers of its own, with exact decimals.

Prints what is wrong, one line each, and exits with status 1; or prints what was compared and exits with status 0."""
import bisect
import csv
import json
import math
import os
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


def members(directory):
    """The names of the members of a federation; none of another run."""
    try:
        with open(directory + "/manifest.json", encoding="utf-8") as f:
            return [m["name"] for m in json.load(f).get("members", [])]
    except OSError:
        return []


def numbers(text):
    """'0-3 6' as a list."""
    out = []
    for part in text.split():
        first, _, last = part.partition("-")
        out += range(int(first), int(last or first) + 1)
    return out


# ---- perfetto: the rules of the Trace Event Format ----

STOPS = {"preempted": "preemption", "suspended": "preemption", "moved": "preemption", "broken": "preemption",
         "fault": "fault", "maintenance": "fault", "reclaimed": "fault"}
GIVES_UP = {"released", "withdrawn", "closed", "culled", "expired", "abandoned"}
KEYS = {                                # phase: the keys that it must have, and those that it may have
    "M": ({"args"}, set()), "X": ({"ts", "dur", "args"}, {"cat"}), "C": ({"ts", "args"}, set()),
    "i": ({"ts", "s", "args", "cat"}, set()), "s": ({"ts", "id", "cat"}, set()), "f": ({"ts", "id", "cat", "bp"}, set()),
}
METADATA = {"process_name": "name", "thread_name": "name", "process_sort_index": "sort_index", "thread_sort_index": "sort_index"}


def is_number(x):
    return isinstance(x, Decimal)


def is_whole(x):
    return is_number(x) and x == x.to_integral_value() and x >= 0


def check_event(e):
    required, optional = KEYS.get(e.get("ph"), (None, None))
    if required is None:
        return must(False, f"phase {e.get('ph')!r}")
    keys = set(e) - {"ph", "name", "pid", "tid"}
    must(required <= keys <= required | optional, f"keys of an event {e}")
    must(isinstance(e.get("name"), str) and is_whole(e.get("pid")) and is_whole(e.get("tid")), f"name, pid or tid of {e}")
    must(is_number(e.get("ts", Decimal(0))) and is_number(e.get("dur", Decimal(0))) and e.get("dur", 0) >= 0, f"times of {e}")
    must(isinstance(e.get("cat", ""), str) and isinstance(e.get("args", {}), dict), f"cat or args of {e}")
    must(e.get("s", "t") in ("g", "p", "t") and e.get("bp", "e") == "e" and is_whole(e.get("id", Decimal(0))), f"scope of {e}")
    if e["ph"] == "M":
        key = METADATA.get(e["name"])
        must(key and list(e["args"]) == [key] and isinstance(e["args"][key], (str, Decimal)), f"metadata {e}")
    if e["ph"] == "C":
        must(e["args"] and all(is_number(v) for v in e["args"].values()), f"a counter that is no number {e}")


def check_nesting(slices, name_of):
    """Slices of a thread do not overlap; so each instant has at most one slice around it."""
    for thread, list_of in slices.items():
        end = None
        must(thread in name_of, f"thread {thread} has no name")
        list_of.sort(key=lambda s: (s["ts"], s["ts"] + s["dur"]))
        for e in list_of:
            must(end is None or e["ts"] >= end, f"slices of {thread} overlap at {e['ts']}")
            end = e["ts"] + e["dur"]


def around(slices, e):
    """The slice that an arrow's end belongs to: it begins at or before it and ends after it."""
    list_of = slices[e["pid"], e["tid"]]
    at = bisect.bisect_right(list_of, e["ts"], key=lambda s: s["ts"])
    for s in list_of[max(0, at - 2):at][::-1]:
        if s["ts"] <= e["ts"] < s["ts"] + s["dur"]:
            return s
    return None


def check_arrows(events, slices):
    """Each goes once from a slice that another job ended to the next one on the same GPU that another job begins."""
    begins = {e["id"]: e for e in events if e["ph"] == "s"}
    ends = {e["id"]: e for e in events if e["ph"] == "f"}
    must(len(begins) == sum(e["ph"] == "s" for e in events) and len(ends) == sum(e["ph"] == "f" for e in events), "an id twice")
    must(set(begins) == set(ends), "an arrow with one end")
    for i in set(begins) & set(ends):
        s, f = begins[i], ends[i]
        of, by = around(slices, s), around(slices, f)
        must(of and by and s["ts"] <= f["ts"], f"arrow {i} begins or ends outside of slices")
        must(s["name"] == f["name"] and s["cat"] == f["cat"] and s["pid"] == f["pid"], f"the ends of arrow {i} differ")
        if of and by:
            must(of["name"] != by["name"] and of["args"]["end_reason"] in STOPS and f["ts"] == by["ts"], f"arrow {i}: {of} to {by}")
            must(of["ts"] + of["dur"] <= by["ts"], f"arrow {i} goes back")
    return len(begins)


def check_counters(events, places, thinned):
    level = defaultdict(list)
    for e in events:
        if e["ph"] == "C":
            for key, value in e["args"].items():
                level[e["pid"], e["name"], key].append((e["ts"], value))
    for key in level:
        level[key].sort(key=lambda x: x[0])
        must(len(level[key]) <= 20001, f"counter {key} is not thinned")
    if thinned:
        return

    def value_at(pid, name, key, at):
        changes = level[pid, name, key]
        n = bisect.bisect_right(changes, at, key=lambda x: x[0])
        return changes[n - 1][1] if n else None

    for pid, directory in places:
        last = {r["time_s"]: r for r in rows(directory + "/timeseries.csv")}      # at a cut-off two rows have one time
        for r in last.values():
            at = Decimal(r["time_s"]) * 1000000
            for name, key, column in (("GPUs", "allocated", "gpus_allocated"), ("GPUs", "busy", "gpus_busy"), ("GPUs", "up", "gpus_up"),
                                      ("jobs", "running", "jobs_running"), ("jobs", "waiting", "jobs_waiting")):
                must(value_at(pid, name, key, at) == Decimal(r[column]), f"{column} at {at}: {value_at(pid, name, key, at)}")
        last = {(r["queue"], r["time_s"]): r for r in rows(directory + "/queues.csv")}
        for (queue, time), r in last.items():
            if "\ufffd" not in queue:
                got = value_at(pid, "queue " + queue, "demand", Decimal(time) * 1000000)
                must(got == Decimal(r["gpus_demand"]), f"demand of {queue} at {time}: {got}")


def check_waits(waits, member, directory):
    """The waits of a job without sessions, replicas and tasks of its own add up to wait_s, and the first begins with it."""
    reasons, most = defaultdict(set), Counter()
    for r in rows(directory + "/intervals.csv"):
        reasons[r["job_id"]].add(r["end_reason"])
        most[r["job_id"]] = max(most[r["job_id"]], int(r["task"]))
    alone = lambda j: not reasons[j["job_id"]] & (GIVES_UP | {"resized", "gang", "saved", "broken", "left"}) and j["class"] != "inference"
    for j in rows(directory + "/jobs.csv"):
        if "\ufffd" in j["job_id"] or not alone(j) or (most[j["job_id"]] > 0 and j["min_tasks"] != j["tasks"]):
            continue
        mine = waits.get((member, j["job_id"]), [])
        must(sum(w["dur"] for w in mine) == Decimal(j["wait_s"]) * 1000000, f"waits of {j['job_id']}: {sum(w['dur'] for w in mine)}, {j['wait_s']} s")
        first = min((w["ts"] for w in mine), default=None)
        must(first is None or j["first_wait_s"] in ("", "0") or first == Decimal(j["submit_s"]) * 1000000, f"first wait of {j['job_id']}")


def perfetto(directory, path):
    with open(path, encoding="utf-8") as f:
        trace = json.load(f, parse_float=Decimal, parse_int=Decimal)
    must(set(trace) == {"displayTimeUnit", "traceEvents"} and trace["displayTimeUnit"] in ("ms", "ns"), "the outer object")
    events = trace["traceEvents"]
    for e in events:
        check_event(e)
    if wrong:
        return "no events"
    process = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
    thread = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
    must(len(set(process.values())) == sum(e["name"] == "process_name" for e in events), "two processes have one name")
    slices, waits, stops, told = defaultdict(list), defaultdict(list), Counter(), Counter()
    for e in events:
        must(e["pid"] in process, f"a process without a name: {e}")
        member, _, what = process.get(e["pid"], "").rpartition("waiting")
        if e["ph"] == "X":
            slices[e["pid"], e["tid"]].append(e)
            name = process[e["pid"]]
            if name.endswith("waiting"):
                waits[member.strip(), e["name"]].append(e)
            else:
                told[e["name"], name, thread[e["pid"], e["tid"]], e["ts"], e["dur"], e["args"]["end_reason"], e["args"]["task"]] += 1
        elif e["ph"] == "i" and e["s"] == "t":
            stops[e["args"]["job"], e["ts"], e["name"], e["cat"], process[e["pid"]], thread[e["pid"], e["tid"]]] += 1
    check_nesting(slices, thread)
    places = [(m, f"{directory}/{m}") for m in members(directory)] or [("", directory)]
    want, want_stops, node_events = Counter(), Counter(), 0
    for member, at in places:
        for r in rows(at + "/intervals.csv"):
            start, end = Decimal(r["start_s"]) * 1000000, Decimal(r["end_s"]) * 1000000
            names = [f"GPU {g}" for g in numbers(r["gpu_ids"])] or ["GPUs" if r["gpus"] != "0" else "CPUs"]
            job = r["job_id"] if "\ufffd" not in r["job_id"] else "?"
            node = f"{member} node {r['node']}".strip()
            for name in names:
                want[job, node, name, start, end - start, r["end_reason"], Decimal(r["task"])] += 1
                if r["end_reason"] in STOPS:
                    want_stops[job, end, r["end_reason"], STOPS[r["end_reason"]], node, name] += 1
        check_waits(waits, member, at)
        if os.path.exists(at + "/events.csv"):
            node_events += sum(r["job_id"] == "" and r["decision"].startswith("node ") for r in rows(at + "/events.csv"))
    must(told == want, f"slices: {list((told - want).items())[:2]} instead of {list((want - told).items())[:2]}")
    must(stops == want_stops, f"stops: {list((stops - want_stops).items())[:2]} instead of {list((want_stops - stops).items())[:2]}")
    must(node_events == sum(e["ph"] == "i" and e["s"] == "p" for e in events), "events of nodes")
    pid_of = {name: pid for pid, name in process.items()}
    check_counters(events, [(pid_of[f"{m} cluster".strip()], at) for m, at in places], "--thinned" in sys.argv)
    arrows = check_arrows(events, slices)
    return (f"{sum(told.values())} slices on {len(slices)} threads of {len(process)} processes, {sum(map(len, waits.values()))} waits, "
            f"{sum(stops.values())} stops, {arrows} arrows, {sum(e['ph'] == 'C' for e in events)} counters")


# ---- batsim ----

COLUMNS = ("job_id workload_name profile submission_time requested_number_of_resources requested_time success final_state "
           "starting_time execution_time finish_time waiting_time turnaround_time stretch allocated_resources consumed_energy "
           "metadata").split()


def stays_of(places):
    """By member and job: what it held together, (start, end, GPUs), in the order of ends; and all rows of jobs.csv."""
    stays, jobs, at = defaultdict(list), {}, 0
    for member, directory in places:
        first = {}
        for r in rows(directory + "/nodes.csv"):
            first[r["node"]], at = at, at + int(r["gpus"])
        for r in rows(directory + "/intervals.csv"):
            list_of = stays[r["job_id"]]
            when = Decimal(r["start_s"]), Decimal(r["end_s"])
            stay = next((s for s in list_of if s[0] == when), None)
            if stay is None:
                list_of.append(stay := (when, set()))
            stay[1].update(first[r["node"]] + g for g in numbers(r["gpu_ids"]))
        jobs.update({r["job_id"]: r for r in rows(directory + "/jobs.csv")})
    return stays, jobs


def check_row(r, name):
    """Batsim's identities."""
    if r["finish_time"] == "":
        return must(r["stretch"] == "" and r["execution_time"] == "", f"job {name}: has not ended")
    submit, start, execution, end, wait, turnaround = (Decimal(r[c]) for c in (
        "submission_time", "starting_time", "execution_time", "finish_time", "waiting_time", "turnaround_time"))
    must(execution == end - start and wait == start - submit and turnaround == end - submit, f"job {name}: Batsim's identities")
    must(execution == 0 or abs(Decimal(r["stretch"]) - turnaround / execution) <= Decimal("0.0000005"), f"job {name}: stretch")


def check_stays(mine, stays, j, name):
    """A row a stay; what it waited for begins where the stay before ended; it ends as the job did."""
    ends = [end for (_, end), _ in stays]
    must(len(mine) in (len(stays), len(stays) + 1), f"job {name}: {len(mine)} rows, {len(stays)} stays")
    for i, (r, ((start, end), gpus)) in enumerate(zip(mine, stays)):
        asked = max([e for e in ends[:i] if e <= start], default=Decimal(j["submit_s"]))
        final = i + 1 == len(mine)
        must(Decimal(r["starting_time"]) == start and Decimal(r["submission_time"]) == asked, f"job {name}: times of row {i}")
        must(r["finish_time"] == "" and j["state"] == "running" if final and j["state"] == "running" else Decimal(r["finish_time"]) == end, f"job {name}: end of row {i}")
        must(set(numbers(r["allocated_resources"])) == gpus, f"job {name}: resources of row {i}")
        must(final or r["final_state"] == "COMPLETED_KILLED", f"job {name}: row {i} is {r['final_state']}")
    if len(mine) > len(stays):
        must(mine[-1]["starting_time"] == "" and Decimal(mine[-1]["submission_time"]) == ends[-1], f"job {name}: its last wait")


def batsim(directory, path):
    got = rows(path)
    must(list(got[0]) == COLUMNS, f"columns {list(got[0])}")
    stays, jobs = stays_of([(m, f"{directory}/{m}") for m in members(directory)] or [("", directory)])
    of = defaultdict(list)
    for r in got:
        name, _, attempt = r["job_id"].partition("#")
        must(int(attempt or 0) == len(of[name]), f"job {name}: attempt {attempt}")
        of[name].append(r)
        check_row(r, r["job_id"])
    must(set(of) == set(jobs), "other jobs")
    states = {"completed": "COMPLETED_SUCCESSFULLY", "failed": "COMPLETED_FAILED", "cancelled": "COMPLETED_KILLED",
              "rejected": "REJECTED", "running": "RUNNING", "pending": "SUBMITTED"}
    for name, mine in of.items():
        j = jobs[name]
        must(mine[0]["submission_time"] == j["submit_s"], f"job {name}: submission")
        must(len(stays[name]) > 1 or mine[0]["starting_time"] == j["start_s"], f"job {name}: start")
        must(mine[-1]["final_state"] == states[j["state"]], f"job {name}: {mine[-1]['final_state']}")
        if len(stays[name]) > 1:
            check_stays(mine, stays[name], j, name)
        else:
            must(len(mine) == 1, f"job {name}: {len(mine)} rows of one stay")
            must(set(numbers(mine[0]["allocated_resources"])) == set().union(*(g for _, g in stays[name])), f"job {name}: resources")
            ends = j["state"] in ("completed", "failed", "cancelled") and j["start_s"]
            must(mine[0]["finish_time"] == (j["end_s"] if ends else ""), f"job {name}: end")
        for r in mine:
            must(int(r["requested_number_of_resources"]) == math.ceil(Decimal(j["gpus"])), f"job {name}: size")
            must((r["success"] == "1") == (r is mine[-1] and j["state"] == "completed"), f"job {name}: success")
            must(f"run_s={j['run_s']};" in r["metadata"], f"job {name}: metadata")
            must(r is mine[-1] or r["consumed_energy"] == "-1", f"job {name}: its energy is counted twice")
        if "gpu_energy_kwh" in j and mine[-1]["consumed_energy"] != "-1":
            kwh = Decimal(j["gpu_energy_kwh"]) + Decimal(j["node_energy_kwh"])
            must(abs(Decimal(mine[-1]["consumed_energy"]) - kwh * 3600000) <= kwh / 1000 + 1, f"job {name}: energy")
        else:
            must(mine[-1]["consumed_energy"] == "-1" and not j.get("gpu_energy_kwh"), f"job {name}: energy")
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
