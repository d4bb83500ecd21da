#!/usr/bin/env python3
"""planted_faults.py DIR - does scripts/check_schedule see what it is there to see?

DIR is the result directory of a good run, which must be accepted. Then each fault is planted alone into a copy,
and must be rejected with its own kind of message. A fault that the run has no place for (no gang over two nodes,
no shared GPU) is skipped and said so. Last line: "N passed, N failed"; exit 1 if any failed.
"""
import csv
import os
import re
import subprocess
import sys
import tempfile

CHECKER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts", "check_schedule")
FILES = ("jobs", "intervals", "nodes")
PLANTED_LEAST = 12


class NoPlace(Exception):
    pass


def ns(text):
    whole, _, part = text.partition(".")
    return int(whole + part.ljust(9, "0")[:9])


def seconds(value):
    digits = "%010d" % abs(value)
    return ("-" if value < 0 else "") + (digits[:-9] + "." + digits[-9:]).rstrip("0").rstrip(".")


def add(row, column, nanoseconds):
    row[column] = seconds(ns(row[column] or "0") + nanoseconds)


def add_gpu_s(row, column, whole):
    """Ledger accounts may have more than nine decimals: change the whole seconds only."""
    before, dot, after = row[column].partition(".")
    row[column] = str(int(before) + whole) + dot + after


class Run:
    def __init__(self, directory):
        self.columns, self.rows = {}, {}
        for name in FILES:
            with open(os.path.join(directory, name + ".csv"), newline="", encoding="utf-8") as file:
                reader = csv.DictReader(file)
                self.rows[name] = list(reader)
                self.columns[name] = reader.fieldnames
        self.jobs, self.pieces, self.nodes = (self.rows[name] for name in FILES)
        self.job = {j["job_id"]: j for j in self.jobs}
        self.node = {n["node"]: n for n in self.nodes}

    def write(self, directory):
        for name in FILES:
            with open(os.path.join(directory, name + ".csv"), "w", newline="", encoding="utf-8") as file:
                writer = csv.DictWriter(file, self.columns[name], lineterminator="\n")
                writer.writeheader()
                writer.writerows(self.rows[name])

    def first(self, rows, wanted, what):
        for row in rows:
            if wanted(row):
                return row
        raise NoPlace(what)

    def long_piece(self, extra=lambda p: True):
        """A piece on a GPU that lasts longer than a second."""
        return self.first(self.pieces, lambda p: p["gpus"] != "0" and ns(p["end_s"]) - ns(p["start_s"]) > 10 ** 9
                          and extra(p), "no such interval that lasts over a second")

    def finished(self):
        """A finished job with one single episode longer than a second."""
        count = {}
        for p in self.pieces:
            count[p["job_id"]] = count.get(p["job_id"], 0) + 1
        return self.first(self.jobs, lambda j: j["state"] == "completed" and ns(j["run_s"]) > 10 ** 9
                          and count.get(j["job_id"]) == 1, "no completed job with one interval")

    def gang_piece(self):
        by_job = {}
        for p in self.pieces:
            by_job.setdefault((p["job_id"], p["start_s"]), []).append(p)
        several = {k for k, group in by_job.items() if len(group) > 1}
        return self.long_piece(lambda p: (p["job_id"], p["start_s"]) in several)


# Each fault changes a Run; its name in the table below says what is wrong afterwards.
def overlap_two_jobs(r):
    named = sorted((p for p in r.pieces if p["gpu_ids"] and p["gpu_milli"] == "1000"), key=lambda p: ns(p["start_s"]))
    for k, a in enumerate(named):
        for b in named[k + 1:k + 100]:
            if a["job_id"] != b["job_id"] and ns(b["start_s"]) < min(ns(a["end_s"]), ns(b["end_s"])):
                b["node"], b["gpu_ids"] = a["node"], a["gpu_ids"]
                return
    raise NoPlace("no two jobs at a time on named GPUs")

def overfill_counted_node(r):
    p = r.long_piece()
    node = r.node[p["node"]]
    for q in r.pieces:
        if q["node"] == p["node"]:
            q["gpu_ids"] = ""
    node["counted"], node["gpus"] = "1", str(int(p["gpus"]) - 1) if p["gpu_milli"] == "1000" else "0"

def overfill_shared_gpu(r):
    p = r.long_piece(lambda p: p["gpu_ids"] and int(p["gpu_milli"]) < 1000)
    copies = 1000 // int(p["gpu_milli"])      # as many more jobs with that share on that GPU
    for k in range(copies):
        r.pieces.insert(r.pieces.index(p) + 1, dict(p, job_id="planted-%d" % k))
        r.jobs.append(dict(r.job[p["job_id"]], job_id="planted-%d" % k))

def start_before_submission(r):
    j = r.finished()
    for p in r.pieces:
        if p["job_id"] == j["job_id"]:
            p["start_s"] = seconds(ns(j["submit_s"]) - 1)

def end_before_start(r):
    p = r.long_piece()
    p["start_s"], p["end_s"] = p["end_s"], p["start_s"]

def drop_piece(r):
    r.pieces.remove(r.gang_piece())

def piece_ends_late(r):
    add(r.gang_piece(), "end_s", 1)

def piece_starts_late(r):
    add(r.gang_piece(), "start_s", 1)

def task_twice(r):
    p = r.gang_piece()
    for q in r.pieces:
        if q is not p and (q["job_id"], q["start_s"]) == (p["job_id"], p["start_s"]):
            q["task"] = p["task"]

def task_missing(r):
    j = r.first(r.jobs, lambda j: j["tasks"] and j["state"] == "completed", "no job with tasks")
    j["tasks"] = j["min_tasks"] = str(int(j["tasks"]) + 1)

def job_in_two_episodes_at_once(r):
    j = r.finished()
    p = r.first(r.pieces, lambda p: p["job_id"] == j["job_id"], "")
    copy = dict(p)
    add(copy, "start_s", (ns(p["end_s"]) - ns(p["start_s"])) // 2)
    r.pieces.insert(r.pieces.index(p), copy)

def fewer_gpus_than_asked(r):
    j = r.first(r.jobs, lambda j: j["state"] == "completed" and float(j["gpus"]) > 0, "no job with GPUs")
    j["gpus"] = str(int(float(j["gpus"])) + 1)

def other_owner(r):
    p = r.long_piece()
    r.node[p["node"]]["owner"] = r.job[p["job_id"]]["queue"] + " planted"

def away_from_own_nodes(r):
    """A node that no interval uses is given to the queue of a job, whose jobs then run elsewhere."""
    p = r.long_piece(lambda p: not r.node[p["node"]]["owner"])
    r.nodes.append(dict(r.node[p["node"]], node="1000000", owner=r.job[p["job_id"]]["queue"]))

def wrong_gpu_model(r):
    r.job[r.long_piece()["job_id"]]["gpu_type"] = "no such GPU|nor such"

def gpu_outside_node(r):
    p = r.long_piece(lambda p: p["gpu_ids"])
    p["gpu_ids"] = re.sub(r"\d+$", r.node[p["node"]]["gpus"], p["gpu_ids"])

def mask_and_count_differ(r):
    p = r.long_piece(lambda p: p["gpu_ids"])
    p["gpu_ids"] = ""

def more_than_a_whole_gpu(r):
    r.long_piece()["gpu_milli"] = "1001"

def unknown_job(r):
    r.long_piece()["job_id"] = "planted, never submitted"

def unknown_node(r):
    r.long_piece()["node"] = "1000000"

def no_interval(r):
    name = r.finished()["job_id"]
    r.pieces[:] = [p for p in r.pieces if p["job_id"] != name]

def rows_out_of_order(r):
    r.pieces.append(r.pieces.pop(0))

def job_row_twice(r):
    r.jobs.append(dict(r.jobs[0]))

def part_of_wait(r):
    add(r.finished(), "wait_order_s", 1)

def wait_and_part(r):
    j = r.finished()
    add(j, "wait_s", 1)
    add(j, "wait_order_s", 1)

def start_column(r):
    add(r.finished(), "start_s", 1)

def first_wait_column(r):
    add(r.finished(), "first_wait_s", 1)

def end_column(r):
    j = r.finished()
    add(j, "end_s", -1)
    add(j, "jct_s", -1)
    add(j, "run_s", -1)

def run_column(r):
    j = r.finished()
    add(j, "run_s", -1)
    add(j, "wait_s", 1)
    add(j, "wait_order_s", 1)

def preemption_uncounted(r):
    j = r.finished()
    j["preemptions"] = str(int(j["preemptions"]) + 1)

def completed_but_preempted(r):
    name = r.finished()["job_id"]
    for p in r.pieces:
        if p["job_id"] == name:
            p["end_reason"] = "preempted"

def ledger_too_long(r):
    add_gpu_s(r.nodes[0], "free_gpu_s", 1)

def ledger_useful_was_free(r):
    n = r.first(r.nodes, lambda n: float(n["free_gpu_s"]) > 1, "no free GPU")
    add_gpu_s(n, "free_gpu_s", -1)
    add_gpu_s(n, "useful_gpu_s", 1)

def not_a_number(r):
    r.pieces[0]["start_s"] = "soon"

FAULTS = [                    # the fault, how a line of the answer begins, exit status
    (overlap_two_jobs,            r"double-booked: node \S+ GPU ", 1),
    (overfill_counted_node,       r"double-booked: node \S+ at ", 1),
    (overfill_shared_gpu,         r"double-booked: node \S+ GPU ", 1),
    (start_before_submission,     r"early-start: ", 1),
    (end_before_start,            r"backwards: ", 1),
    (drop_piece,                  r"gang: .* holds ", 1),
    (piece_ends_late,             r"gang: .* do not start and end together", 1),
    (piece_starts_late,           r"gang: .* do not start and end together", 1),
    (task_twice,                  r"gang: .* task \d+ is there ", 1),
    (task_missing,                r"gang: .* wants \d+ of the tasks ", 1),
    (job_in_two_episodes_at_once, r"overlap: ", 1),
    (fewer_gpus_than_asked,       r"gang: .* holds ", 1),
    (other_owner,                 r"owner: .* belongs to ", 1),
    (away_from_own_nodes,         r"owner: .* nodes of its own", 1),
    (wrong_gpu_model,             r"gpu-type: ", 1),
    (gpu_outside_node,            r"gpu-range: ", 1),
    (mask_and_count_differ,       r"gpu-count: ", 1),
    (more_than_a_whole_gpu,       r"share: ", 1),
    (unknown_job,                 r"unknown-job: ", 1),
    (unknown_node,                r"unknown-node: ", 1),
    (no_interval,                 r"no-interval: ", 1),
    (rows_out_of_order,           r"order: ", 1),
    (job_row_twice,               r"duplicate: ", 1),
    (part_of_wait,                r"wait-parts: ", 1),
    (wait_and_part,               r"jct: ", 1),
    (start_column,                r"start: .* start_s ", 1),
    (first_wait_column,           r"start: .* first_wait_s ", 1),
    (end_column,                  r"end: ", 1),
    (run_column,                  r"run: ", 1),
    (preemption_uncounted,        r"preemptions: ", 1),
    (completed_but_preempted,     r"state: ", 1),
    (ledger_too_long,             r"ledger: ", 1),
    (ledger_useful_was_free,      r"allocated: ", 1),
    (not_a_number,                r"check_schedule: \S*intervals.csv:2: ", 2),
]

# One GPU; a holds it from 0 to 10 s. b is there for no time at all: legal when a begins or ends, or instead of
# c at the same instant, never in between. The third number: how often it is stopped as it starts, before that.
INSTANTS = [(("0", "0", 0), 0), (("10", "10", 0), 0), (("5", "5", 0), 1), (("10", "12", 0), 0),
            (("9.999999999", "12", 0), 1), (("10", "12", 2), 0), (("10", "10", 2), 0), (("9", "12", 2), 1)]


def one_gpu(directory, start, end, stops):
    run = seconds(ns(end) - ns(start))
    files = {
        "jobs": ["job_id,queue,gpu_type,gpus,tasks,submit_s,start_s,end_s,first_wait_s,wait_s,run_s,jct_s,preemptions,"
                 "state,wait_order_s",
                 "a,q,,1,1,0,0,10,0,0,10,10,0,completed,0",
                 "b,q,,1,1,0,%s,%s,%s,%s,%s,%s,%d,completed,%s" % (start, end, start, start, run, end, stops, start)],
        "intervals": ["job_id,task,node,gpus,gpu_ids,gpu_milli,start_s,end_s,end_reason"]
                     + sorted(["a,0,0,1,0,1000,0,10,done"] + stops * ["b,0,0,1,0,1000,%s,%s,preempted" % (start, start)]
                              + ["b,0,0,1,0,1000,%s,%s,done" % (start, end)], key=lambda row: ns(row.split(",")[7])),
        "nodes": ["node,gpu_model,gpus,counted,owner,free_gpu_s,useful_gpu_s",
                  "0,V100,1,0,,0,%s" % seconds(max(ns(end), 10 ** 10))],
    }
    for name, lines in files.items():
        with open(os.path.join(directory, name + ".csv"), "w") as file:
            file.write("\n".join(lines) + "\n")


def verdict(directory):
    done = subprocess.run([sys.executable, CHECKER, directory], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def main(arguments):
    if len(arguments) != 1:
        print("usage: planted_faults.py DIR", file=sys.stderr)
        return 2
    passed = failed = planted = 0

    def result(name, good, answer):
        nonlocal passed, failed
        passed, failed = passed + bool(good), failed + (not good)
        if not good:
            print("FAILED %s: check_schedule said\n    %s" % (name, answer.strip().replace("\n", "\n    ")))

    status, answer = verdict(arguments[0])
    result("the run itself", status == 0 and answer.startswith("ok: "), answer)
    for fault, expected, wanted in FAULTS if status == 0 else []:
        run = Run(arguments[0])
        with tempfile.TemporaryDirectory() as copy:
            try:
                fault(run)
            except NoPlace as e:
                print("skipped %s: %s" % (fault.__name__, e))
                continue
            run.write(copy)
            status, answer = verdict(copy)
        planted += 1
        result(fault.__name__, status == wanted and re.search("^" + expected, answer, re.M), answer)
    for (start, end, stops), wanted in INSTANTS:
        with tempfile.TemporaryDirectory() as copy:
            one_gpu(copy, start, end, stops)
            status, answer = verdict(copy)
        result("b from %s to %s s, stopped %d times before" % (start, end, stops),
               status == wanted and bool(wanted) == ("double-booked: " in answer), answer)
    result("enough faults planted", planted >= PLANTED_LEAST, "only %d of %d" % (planted, PLANTED_LEAST))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
