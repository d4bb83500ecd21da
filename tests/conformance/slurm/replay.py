#!/usr/bin/env python3
"""Plays a recording of a real Slurm (22.05) through policy `slurm` and compares.

    replay.py GPUYARD RECORDING [WORK [PARAMETERS]]

A recording is a folder: site.conf, nodes, grid, jobs.csv, perhaps gres.conf and accounts, which were
submitted and configured; runs.csv is what came of it. Time was cut into slots: all nodes are drained
but from second OPEN to CLOSE of each slot, and a job ends when a slot begins. So what is compared
is the slot of each start, floor(start / slot), and its nodes; runs of a requeued job count one by one.
Only the inputs are read to make the cluster file and the trace; no number of the outcome is.

A component of a heterogeneous job is a line of runs.csv of its own.

PARAMETERS, KEY=VALUE,..., change the policy: a control, which has to differ.

Prints a line for the recording, and one for each run that differs. Exit 1 if one does, or if a limit
of a QOS or an association is passed at any instant of the simulation.
"""
import csv
import os
import re
import shlex
import subprocess
import sys
import tempfile


def hosts(text):
    """n[01-03,7];n9 -> names, zero padding kept."""
    names = []
    for part in re.split(r"[;,](?![^\[]*\])", text):
        found = re.match(r"(\w*?)\[(.*)\]$", part)
        span = re.match(r"([a-z]+)(\d+)-[a-z]*(\d+)$", part)
        if span:
            found = re.match(r"(\w*?)\[(.*)\]$", f"{span[1]}[{span[2]}-{span[3]}]")
        if not found:
            names.append(part)
            continue
        for piece in re.split("[;,]", found[2]):
            low, _, high = piece.partition("-")
            names += [f"{found[1]}{i:0{len(low)}d}" for i in range(int(low), int(high or low) + 1)]
    return names


def pairs(text):
    return dict(word.split("=", 1) for word in shlex.split(text) if "=" in word)


def seconds(text, unit=60):
    """Slurm's times: minutes, [D-]HH:MM:SS, UNLIMITED."""
    if text in ("UNLIMITED", "INFINITE"):
        return None
    days, _, rest = text.rpartition("-")
    parts = [int(x) for x in rest.split(":")]
    if len(parts) == 1:
        return parts[0] * unit
    while len(parts) < 3:
        parts.insert(0, 0)
    return int(days or 0) * 86400 + parts[0] * 3600 + parts[1] * 60 + parts[2]


def components(job):
    """(nodes, GPUs of each, type) of the components of a job: `extra` has those behind the first."""
    first = (job["nodes"], job["gpus_per_node"], job["gpu_type"])
    return [first] + [tuple(part.split(":")) for part in job.get("extra", "").split(";") if part]


class Site:
    """site.conf, nodes, gres.conf and accounts of a recording."""

    def __init__(self, folder):
        self.folder = folder
        self.keys, self.groups, self.partitions = {}, [], []
        count, gpus, *expire = open(os.path.join(folder, "nodes")).read().split()
        self.names = [f"n{i:02d}" for i in range(1, int(count) + 1)]
        self.expire = int(expire[0]) if expire else 120
        for line in open(os.path.join(folder, "site.conf")):
            line = line.strip()
            if line.startswith("#node "):
                first, _, rest = line[6:].partition(" ")
                self.groups.append((hosts(first), pairs(rest)))
            elif line.startswith("#last "):
                self.partitions.append(pairs(line[6:]))
            elif line and not line.startswith("#"):
                key, _, value = line.partition("=")
                self.keys[key] = value
        self.scheduler = dict(
            (word.partition("=")[0], word.partition("=")[2] or "yes")
            for word in self.keys.get("SchedulerParameters", "").split(",") if word)
        self.slot, self.open, self.close = (
            int(x) for x in open(os.path.join(folder, "grid")).read().split())
        self.qos, self.accounts, self.users = {"normal": {}}, {}, {}
        path = os.path.join(folder, "accounts")
        if os.path.exists(path):
            for line in open(path):
                if line.strip() and not line.startswith("#"):
                    self.account_line(shlex.split(line))

    def account_line(self, words):
        _, kind, name, *rest = words
        given = pairs(" ".join(shlex.quote(word) for word in rest if "=" in word))
        if kind == "qos":
            self.qos.setdefault(name, {}).update(given)
        elif kind == "account":
            self.accounts[name] = given
        elif kind == "user":
            self.users[name] = given

    # ---- the cluster file ----

    def write_cluster(self, to):
        with open(to, "w") as f:
            f.write("nodes:\n")
            for names, keys in self.groups:
                gres = keys["Gres"].split(":")
                model = f", gpu_model: {gres[1]}" if len(gres) == 3 else ""
                f.write(f"  - {{ group: {names[0]}, count: {len(names)}, gpus: {gres[-1]}{model}, "
                        f"cpus: {keys['CPUs']}, weight: {keys.get('Weight', 1)} }}\n")
            f.write("partitions:\n")
            for keys in self.partitions:
                f.write(f"  - {{ {self.partition(keys)} }}\n")
            self.write_accounts(f)
            shut = self.slot - (self.close - self.open)
            f.write("time_limits: { check_s: 30 }\nfailures:\n  rate: none\n  maintenance:\n")
            f.write(f"    - {{ from_s: 0, until_s: {self.open}, running: keep }}\n")
            f.write(f"    - {{ from_s: {self.close}, until_s: {self.close + shut}, every_s: {self.slot}, "
                    "running: keep }\n")

    def partition(self, keys):
        wanted = self.names if keys["Nodes"] == "ALL" else hosts(keys["Nodes"])
        nodes = []
        for names, _ in self.groups:
            at = [str(i) for i, name in enumerate(names) if name in wanted]
            if at:
                nodes.append(f'{names[0]}: "{",".join(at)}"')
        out = [f"name: {keys['PartitionName']}", f"nodes: {{ {', '.join(nodes)} }}"]
        if keys.get("Default") == "YES":
            out.append("default: true")
        for name, ours in (("PriorityTier", "tier"), ("PriorityJobFactor", "factor"),
                           ("GraceTime", "grace_s"), ("QOS", "qos"), ("MaxNodes", "max_nodes")):
            if name in keys:
                out.append(f"{ours}: {keys[name]}")
        for name, ours in (("MaxTime", "max_time_s"), ("DefaultTime", "default_time_s")):
            if name in keys and seconds(keys[name]):
                out.append(f"{ours}: {seconds(keys[name])}")
        if "PreemptMode" in keys:
            out.append(f"preempt_mode: {self.mode(keys['PreemptMode'])}")
        return ", ".join(out)

    @staticmethod
    def mode(text):
        return {"OFF": '"off"'}.get(text.upper(), text.lower().split(",")[0])      # "SUSPEND,GANG"

    def write_accounts(self, f):
        if not self.users:
            return
        limits = {"GrpTRES": "group_gpus", "MaxTRES": "max_gpus_per_job", "MaxTRESPU": "max_gpus_per_user",
                  "MaxTRESPA": "max_gpus_per_account", "MaxJobsPU": "max_jobs_per_user", "GrpJobs": "group_jobs",
                  "MaxJobsPA": "max_jobs_per_account", "MaxJobs": "max_jobs", "Priority": "priority",
                  "Fairshare": "shares", "DefaultQOS": "default_qos", "PreemptMode": "preempt_mode",
                  "GraceTime": "grace_s", "MinTRES": "min_gpus"}

        def keys(given, qos=False):
            out = ""
            for name, value in given.items():
                key = "max_gpus_per_job" if name == "MaxTRESPerJob" else limits.get(name)
                if name == "Preempt":
                    out += f", preempts: [ {value} ]"
                elif key == "preempt_mode":
                    out += f", {key}: {self.mode(value)}"
                elif key:
                    out += f", {key}: {value.replace('gres/gpu=', '')}"
            return out
        f.write("qos:\n")
        for name, given in self.qos.items():
            f.write(f"  - {{ name: {name}{keys(given, True)} }}\n")
        f.write("accounts:\n")
        for name, given in self.accounts.items():
            users = ", ".join(f"{{ name: {user}{keys(of)} }}" for user, of in self.users.items()
                              if of.get("Account") == name)
            f.write(f"  - {{ name: {name}{keys(given)}, users: [ {users} ] }}\n")

    # ---- the policy ----

    def policy(self):
        words = [f"{key}={value}" for key, value in self.scheduler.items()
                 if key != "bf_continue"]
        weights = {"Age": "w_age", "Assoc": "w_assoc", "FairShare": "w_fairshare", "JobSize": "w_jobsize",
                   "Partition": "w_partition", "QOS": "w_qos"}
        if self.keys.get("PriorityType") == "priority/multifactor":
            words.append("priority=multifactor")
        for name, ours in weights.items():
            if "PriorityWeight" + name in self.keys:
                words.append(f"{ours}={self.keys['PriorityWeight' + name]}")
        found = re.search(r"gres/gpu=(\d+)", self.keys.get("PriorityWeightTRES", ""))
        if found:
            words.append(f"w_tres_gpu={found[1]}")
        for name, ours in (("PriorityCalcPeriod", "calc_period_s"), ("PriorityMaxAge", "max_age_s"),
                           ("PriorityDecayHalfLife", "half_life_s")):
            if name in self.keys:
                words.append(f"{ours}={seconds(self.keys[name])}")
        preempt = {"preempt/partition_prio": "partition", "preempt/qos": "qos"}.get(
            self.keys.get("PreemptType", ""))
        if preempt:
            words += [f"preempt={preempt}", f"preempt_mode={self.mode(self.keys['PreemptMode'])}"]
        if "KillWait" in self.keys:
            words.append(f"kill_wait_s={self.keys['KillWait']}")
        words.append(f"requeue_delay_s={self.expire + 1}")
        words.append(f"clock_s={self.clock()}")
        return "slurm:" + ",".join(words)

    def clock(self):
        """Where time 0 lies in the minute: on it, but in recordings of the older kind."""
        path = os.path.join(self.folder, "sacct.txt")
        if not os.path.exists(path):
            return 0
        row = next(csv.DictReader(open(path), delimiter="|"))
        return (int(row["Submit"]) - 1) % 60

    # ---- the trace ----

    def write_trace(self, to, jobs):
        columns = ["job_id", "submit_s", "duration_s", "gpus_per_task", "tasks", "gpus", "anti_affinity",
                   "cpus_per_task", "gpu_type", "estimate_s", "user", "account", "qos", "partition", "nice"]
        if any(len(components(job)) > 1 for job in jobs):
            columns.append("group")
        with open(to, "w", newline="") as f:
            rows = csv.DictWriter(f, columns, lineterminator="\n")
            rows.writeheader()
            for job in jobs:
                account = job["account"] or self.users.get(job["user"], {}).get("Account", "")
                parts = components(job)
                rows.writerows({
                    "job_id": job["job"], "submit_s": job["submit_s"],
                    # it ends when a slot begins, if it starts when the gate opens
                    "duration_s": int(job["run_s"]) * self.slot - self.open,
                    "gpus_per_task": gpus, "tasks": nodes, "gpus": int(gpus) * int(nodes),
                    "anti_affinity": "node", "cpus_per_task": 1, "gpu_type": gpu_type,
                    "estimate_s": int(job["limit"]) * 60 if job["limit"] else "", "user": job["user"],
                    "account": account if self.users else "", "qos": job["qos"] if self.users else "",
                    "partition": job["partition"], "nice": job["nice"] or 0,
                    **({"group": f"het{k}"} if len(parts) > 1 else {})}
                    for k, (nodes, gpus, gpu_type) in enumerate(parts))


def starts_simulated(folder, site):
    """(job, slot) -> nodes, of every run."""
    runs = {}
    for row in csv.DictReader(open(os.path.join(folder, "intervals.csv"))):
        key = (row["job_id"], int(float(row["start_s"]) // site.slot))
        runs.setdefault(key, set()).add(site.names[int(row["node"])])
    return runs


def starts_recorded(folder, site):
    runs = {}
    for row in csv.DictReader(open(os.path.join(folder, "runs.csv"))):    # one for each component
        if row["start"]:
            runs.setdefault((row["job"], int(row["start"]) // site.slot), set()).update(hosts(row["nodes"]))
    return runs


def limit_of(given, *keys):
    """The number of GPUs or jobs of the first key that is there; None: no limit."""
    for key in keys:
        if key in given:
            return int(given[key].replace("gres/gpu=", ""))
    return None


def passed_limits(out, site, jobs):
    """Each start of the simulation with a limit that is then passed (sacctmgr.1: which hides which)."""
    by_name = {job["job"]: job for job in jobs}
    runs = {}
    for row in csv.DictReader(open(os.path.join(out, "intervals.csv"))):
        run = runs.setdefault((row["job_id"], float(row["start_s"])), [float(row["end_s"]), 0])
        run[1] += int(row["gpus"])
    wrong = []
    for (name, start), (_, size) in runs.items():
        me = by_name[name]
        qos, user = site.qos[me["qos"] or "normal"], site.users[me["user"]]
        there = [(by_name[other], gpus) for (other, began), (end, gpus) in runs.items() if began <= start < end]
        of_qos = [(job, gpus) for job, gpus in there if job["qos"] == me["qos"]]
        mine = [(job, gpus) for job, gpus in of_qos if job["user"] == me["user"]]
        account = [(job, gpus) for job, gpus in there
                   if site.users[job["user"]]["Account"] == user["Account"]]
        jobs_of_user = None if "MaxJobsPU" in qos else limit_of(user, "MaxJobs")
        group = None if "GrpTRES" in qos else limit_of(site.accounts[user["Account"]], "GrpTRES")
        per_job = limit_of(qos, "MaxTRESPerJob")
        if per_job is None:
            per_job = limit_of({**site.accounts[user["Account"]], **user}, "MaxTRES")
        for what, limit, held in (
                ("MaxTRESPU", limit_of(qos, "MaxTRESPU"), sum(gpus for _, gpus in mine)),
                ("MaxJobsPU", limit_of(qos, "MaxJobsPU"), len(mine)),
                ("GrpTRES of the QOS", limit_of(qos, "GrpTRES"), sum(gpus for _, gpus in of_qos)),
                ("MaxTRES", per_job, size),
                ("MaxJobs", jobs_of_user, sum(job["user"] == me["user"] for job, _ in there)),
                ("GrpTRES of the account", group, sum(gpus for _, gpus in account))):
            if limit is not None and held > limit:
                wrong.append(f"job {name} at {start:g} s: {what} {held} of {limit}")
    return wrong


def main():
    gpuyard, folder = sys.argv[1:3]
    work = sys.argv[3] if len(sys.argv) > 3 else tempfile.mkdtemp()
    os.makedirs(work, exist_ok=True)
    site = Site(folder)
    jobs = list(csv.DictReader(open(os.path.join(folder, "jobs.csv"))))
    cluster, trace, out = (os.path.join(work, name) for name in ("cluster.yaml", "jobs.csv", "out"))
    site.write_cluster(cluster)
    site.write_trace(trace, jobs)
    changes = dict(pair.split("=") for pair in (sys.argv[4].split(",") if len(sys.argv) > 4 else []))
    given = dict(pair.split("=") for pair in site.policy().removeprefix("slurm:").split(","))
    policy = "slurm:" + ",".join(f"{key}={value}" for key, value in {**given, **changes}.items())
    command = [gpuyard, "run", "-c", cluster, "-t", trace, "-p", policy, "-o", out, "--outputs", "all"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        print(f"{os.path.basename(folder)}: {' '.join(command)}\n{done.stderr}")
        return 1
    real, ours = starts_recorded(folder, site), starts_simulated(out, site)
    slots = sum(key in ours for key in real)
    nodes = sum(ours.get(key) == where for key, where in real.items())
    print(f"{os.path.basename(os.path.abspath(folder))}: {len(jobs)} jobs, {len(real)} runs: {slots} in their slot, "
          f"{nodes} on their nodes; {len(ours)} runs simulated")
    for key in sorted(set(real) | set(ours), key=lambda k: (k[1], int(k[0]))):
        if real.get(key) != ours.get(key):
            print(f"  job {key[0]} slot {key[1]}: Slurm {sorted(real.get(key, []))}, gpuyard {sorted(ours.get(key, []))}")
    wrong = passed_limits(out, site, jobs) if site.users else []
    for line in wrong:
        print(f"  {line}")
    return int(real != ours or bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
