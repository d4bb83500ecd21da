#!/usr/bin/env python3
"""Records what a real Slurm does with RECORDING/jobs.csv, on a grid of slots: see replay.py.

    record.py RECORDING [WORK]

Reads site.conf, nodes, gres.conf, grid and jobs.csv of the folder, and writes runs.csv: a line for
each run of each job, in seconds from the beginning of the first slot. Starts munged, slurmctld and
a slurmd for each node with all files in WORK, on free ports of 127.0.0.1 alone, and ends them. Runs
as root, since jobs are those of several users. Needs slurmctld, slurmd, slurm-client and munge.
"""
import csv
import datetime
import getpass
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../support"))
from listens import listening
from replay import Site, components

PROGRAMS = ["munged", "slurmctld", "slurmd", "sbatch", "scontrol", "squeue", "sinfo"]
CONF = """ClusterName=recording
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
SlurmctldPort={port}
SlurmdPort={port_d}
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
AuthType=auth/munge
AuthInfo=socket={work}/munge.sock,cred_expire={expire}
CredType=cred/munge
StateSaveLocation={work}/state
SlurmdSpoolDir={work}/spool/%n
SlurmctldPidFile={work}/slurmctld.pid
SlurmdPidFile={work}/slurmd.%n.pid
SlurmctldLogFile={work}/slurmctld.log
SlurmdLogFile={work}/slurmd.%n.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
MailProg=/bin/true
ReturnToService=2
SlurmdParameters=config_overrides
TreeWidth=1024
MinJobAge=86400
JobCompType=jobcomp/filetxt
JobCompLoc={work}/jobcomp.txt
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
GresTypes=gpu
SchedulerType=sched/backfill
AccountingStorageType=accounting_storage/none
"""


class Recorder:
    def __init__(self, folder, work):
        self.folder, self.work = folder, work
        self.site = Site(folder)
        self.children = []
        self.over = threading.Event()

    def run(self, *command):
        return subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)

    def start(self, *command):
        log = open(os.path.join(self.work, "start.log"), "a")
        self.children.append(subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                                              cwd=self.work))

    def stop(self):
        self.over.set()
        for child in reversed(self.children):
            child.terminate()
        for child in reversed(self.children):
            try:
                child.wait(10)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()

    def wait_for(self, what, holds, most_s=60):
        end = time.time() + most_s
        while not holds():
            if time.time() > end:
                raise SystemExit(f"record: {what}: see {self.work}")
            time.sleep(0.2)

    def files(self):
        names = self.site.names
        sockets = [socket.socket() for _ in range(len(names) + 2)]
        for s in sockets:
            s.bind(("127.0.0.1", 0))
        ports = [s.getsockname()[1] for s in sockets]
        for s in sockets:
            s.close()
        os.chmod(self.work, 0o755)
        for folder in ["state"] + ["spool/" + name for name in names]:
            os.makedirs(os.path.join(self.work, folder))
        with open(os.path.join(self.work, "key"), "wb") as f:
            f.write(os.urandom(64))
        os.chmod(os.path.join(self.work, "key"), 0o400)
        most = max(int(keys["Gres"].split(":")[-1]) for _, keys in self.site.groups)
        for i in range(most):        # gres.conf wants files that exist; they are never opened
            open(os.path.join(self.work, f"gpu{i}"), "w").close()
        gres = open(os.path.join(self.folder, "gres.conf")).read().replace("@", self.work)
        open(os.path.join(self.work, "gres.conf"), "w").write(gres)
        with open(os.path.join(self.work, "slurm.conf"), "w") as f:
            f.write(CONF.format(host=socket.gethostname().split(".")[0], user=getpass.getuser(), work=self.work,
                                port=ports[0], port_d=ports[1], expire=self.site.expire))
            lines = open(os.path.join(self.folder, "site.conf")).read().splitlines()
            f.writelines(line + "\n" for line in lines if line and not line.startswith("#"))
            for group, keys in self.site.groups:
                for name in group:
                    words = " ".join(f"{key}={value}" for key, value in keys.items())
                    f.write(f"NodeName={name} NodeHostname={name} NodeAddr=127.0.0.1 "
                            f"Port={ports[2 + names.index(name)]} {words} State=UNKNOWN\n")
            f.writelines(line[6:] + "\n" for line in lines if line.startswith("#last "))

    def daemons(self):
        at = lambda name: os.path.join(self.work, name)
        self.start("munged", "-F", "--force", "--key-file=" + at("key"), "--socket=" + at("munge.sock"),
                   "--pid-file=" + at("munged.pid"), "--log-file=" + at("munged.log"), "--seed-file=" + at("seed"))
        self.wait_for("no munged", lambda: os.path.exists(at("munge.sock")))
        self.start("slurmctld", "-D", "-c")
        self.wait_for("no slurmctld", lambda: "UP" in self.run("scontrol", "ping").stdout)
        for name in self.site.names:
            self.start("slurmd", "-D", "-N", name)
        idle = lambda: self.run("sinfo", "-h", "-N", "-o", "%N %t").stdout
        self.wait_for("nodes are not idle", lambda: len({line for line in idle().splitlines() if line.endswith(" idle")})
                      == len(self.site.names))

    def check_loopback(self):
        """Nothing but this machine may reach what was started."""
        reached = [f"{name} at {where} port {port}" for where, port, name in listening(self.work) if not where.is_loopback]
        if reached:
            raise SystemExit(f"record: want sockets on loopback alone, got {', '.join(reached)}")

    def gate(self, state):
        self.run("scontrol", "update", "nodename=" + ",".join(self.site.names), "state=" + state, "reason=gate")

    def until(self, at):
        self.over.wait(max(0, at - time.time()))

    def open_and_close(self):
        slot = self.t0
        while not self.over.is_set():
            self.until(slot + self.site.open)
            self.gate("resume")
            self.until(slot + self.site.close)
            self.gate("drain")
            slot += self.site.slot

    def submit(self, job):
        work = (f"now=$(date +%s); exec sleep $(({self.t0} + ((now - {self.t0}) / {self.site.slot} + {job['run_s']}) "
                f"* {self.site.slot} - now))")
        options = ["-J", job["job"], "-N", job["nodes"], "--ntasks-per-node=1",
                   "-p", job["partition"].replace(";", ","), "--uid=" + job["user"], "-o", "/dev/null", "-D", "/"]
        if job["limit"]:
            options += ["-t", job["limit"]]
        if job["nice"]:
            options.append("--nice=" + job["nice"])
        words = []
        for nodes, gpus, gpu_type in components(job):
            options[options.index("-N") + 1] = nodes
            typed = gpu_type + ":" if gpu_type else ""
            words += [":"] * bool(words) + options + [f"--gpus-per-node={typed}{gpus}"]
        done = self.run("sbatch", "--parsable", *words, "--wrap", work)
        if done.returncode:
            raise SystemExit(f"record: job {job['job']}: {done.stderr}")

    def play(self, jobs):
        self.gate("drain")
        self.t0 = (int(time.time()) + 61) // 60 * 60        # plans begin at multiples of 30 s of the clock
        threading.Thread(target=self.open_and_close, daemon=True).start()
        for job in jobs:
            self.until(self.t0 + int(job["submit_s"]) + 0.2)
            self.submit(job)
        while self.run("squeue", "-h", "-o", "%i").stdout.strip():
            time.sleep(2)
        time.sleep(2)

    def write(self):
        def at(text):
            if not re.match(r"\d+-\d+-", text):
                return ""
            moment = datetime.datetime.fromisoformat(text).replace(tzinfo=datetime.timezone.utc)
            return int(moment.timestamp()) - self.t0
        runs = []
        for line in open(os.path.join(self.work, "jobcomp.txt")):
            keys = dict(word.split("=", 1) for word in line.split() if "=" in word)
            runs.append([keys["Name"], keys["JobState"], at(keys["SubmitTime"]), at(keys["StartTime"]),
                         at(keys["EndTime"]), keys["NodeList"].replace(",", ";")])
        runs.sort(key=lambda run: (run[3], int(run[0])))
        with open(os.path.join(self.folder, "runs.csv"), "w", newline="") as f:
            rows = csv.writer(f, lineterminator="\n")
            rows.writerow(["job", "state", "submit", "start", "end", "nodes"])
            rows.writerows(runs)


def main():
    missing = [name for name in PROGRAMS if not shutil.which(name)]
    if missing or os.geteuid():
        print(f"skipped: {'no ' + ', '.join(missing) + ' here' if missing else 'want root, for jobs of several users'}")
        return 0
    work = os.path.abspath(sys.argv[2] if len(sys.argv) > 2 else tempfile.mkdtemp())
    os.makedirs(work, exist_ok=True)
    os.environ.update(SLURM_CONF=os.path.join(work, "slurm.conf"), TZ="UTC", SLURM_TIME_FORMAT="%s")
    recorder = Recorder(os.path.abspath(sys.argv[1]), work)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        recorder.files()
        recorder.daemons()
        recorder.check_loopback()
        time.sleep(4)                 # the first passes are over
        recorder.play(list(csv.DictReader(open(os.path.join(recorder.folder, "jobs.csv")))))
        recorder.write()
    finally:
        recorder.stop()
    return 0


if __name__ == "__main__":
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    sys.exit(main())
