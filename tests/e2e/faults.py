#!/usr/bin/env python3
"""faults.py GPUYARD DIR - every allocation, open, read, write, close, mkdir and rename of a small run fails once, the disk
is full, and signals come at all moments. Each time the run either does the same as ever, or ends with one line that says
why and leaves everything as it was. DIR holds faults.so (tests/support/faults.c) and endless.so, a policy that never
returns."""
import errno
import gzip
import hashlib
import os
import resource
import shutil
import signal
import subprocess
import sys
import time

GPUYARD, WORK = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
RELEASE = os.environ.get("MODE", "release") == "release"    # a sanitizer wants to be loaded first itself
CSV = "job_id,submit_s,duration_s,gpus\na,0,100,8\nb,10,50,4\nc,20,7,0.5\n"
JSON = ('[{"status": "Pass", "vc": "v", "jobid": "j", "submitted_time": "2017-10-07 00:00:00", "attempts": [{"start_time": '
        '"2017-10-07 00:01:00", "end_time": "2017-10-07 01:00:01", "detail": [{"ip": "m", "gpus": ["gpu0"]}]}]}]\n')
FILES = {
    "nodes.csv": "sn,cpu_milli,memory_mib,gpu,model\nn1,8000,8192,8,T4\nn2,8000,8192,8,T4\n",
    "c.yaml": "nodes:\n  - { group: a, count: 2, gpus: 8 }\nqueues: [ { name: v } ]\n",
    "t.csv": CSV,
    "t.json": JSON,
}
passed = failed = skipped = 0


def check(good, what):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print("FAILED: " + what)


def skip(why):
    global skipped
    skipped += 1
    print("skipped: " + why)


def content(path):
    """A mapping of every file below path to its digest; of a manifest, without the moment it was written."""
    found = {}
    for directory, below, files in os.walk(path):
        found.update((os.path.join(directory, name) + "/", "") for name in below)
        for name in files:
            with open(os.path.join(directory, name), "rb") as f:
                lines = [line for line in f if b'"written"' not in line or name != "manifest.json"]
            found[os.path.join(directory, name)] = hashlib.sha256(b"".join(lines)).hexdigest()
    return found


def command(cluster, trace, out, more=()):
    return [GPUYARD, "run", "-q", "-c", cluster, "-t", trace, "-o", out, *more]


# ---- One call fails ----

def sweep(what, options, fault, number, said, step=1, after=False, may_crash=False):
    """Runs with the Nth call failing for N = 1, 1 + step, ... until there is no such call; out/a/b is new, or, `after`, has
    the results of a run before. `said`: whether that is a good last line."""
    shutil.rmtree("out", ignore_errors=True)
    subprocess.run(command(*options), check=True)
    good = content("out")
    if after:    # of another run
        subprocess.run(command(*options, more=["-p", "sjf", "--outputs", "all"]), check=True)
    else:
        shutil.rmtree("out")
    before, n, bad, crashed = content("out"), 1, [], 0
    while True:
        environment = dict(os.environ, LD_PRELOAD=WORK + "/faults.so", FAULT="%s:%d:%s" % (fault, n, number), FAULT_MARK="mark")
        done = subprocess.run(command(*options), env=environment, capture_output=True, timeout=900, check=False)
        if not os.path.exists("mark"):
            break
        os.unlink("mark")
        err, now = done.stderr.decode(), content("out")
        if done.returncode == 0:
            fine = now == good and not err
        else:
            fine = now == before and (done.returncode in (1, 3) and said(err) or may_crash and done.returncode == -signal.SIGSEGV)
            crashed += done.returncode < 0
        if not fine:
            bad.append("call %d: status %d, %r, %s" % (n, done.returncode, err, set(now.items()) ^ set(before.items())))
        if now != before:
            shutil.rmtree("out", ignore_errors=True)
            if after:
                subprocess.run(command(*options, more=["-p", "sjf", "--outputs", "all"]), check=True)
        n += step
    check(not bad and n > step, "%s: %d of %d: %s" % (what, len(bad), n // step, bad[:3]))
    print("%s: %d runs%s" % (what, n // step, ", %d crashed within libfyaml" % crashed if crashed else ""))


def one_line(reason):
    return lambda err: err.startswith("gpuyard: ") and err.count("\n") == 1 and err.endswith(": " + reason + "\n")


def faults():
    memory = lambda err: err == "gpuyard: out of memory\n"
    usual = ("nodes.csv", "t.csv", "out/a/b")
    sweep("no memory", usual, "alloc", errno.ENOMEM, memory)
    sweep("no memory any more, over earlier results", usual, "alloc", "%d:on" % errno.ENOMEM, memory, 5, True)
    for trace in ("t.csv.gz", "t.csv.zst", "t.json"):
        sweep("no memory for " + trace, ("nodes.csv", trace, "out"), "alloc", errno.ENOMEM, memory, 3)
    # libfyaml 0.7 does not look at what malloc() returns; it is done before anything is written
    sweep("no memory for YAML", ("c.yaml", "t.json", "out"), "alloc", errno.ENOMEM, memory, 1, False, True)
    for fault, number in (("open", errno.EMFILE), ("read", errno.EIO), ("write", errno.ENOSPC), ("write", "%d:on" % errno.EIO),
                          ("close", errno.EIO), ("mkdir", errno.EROFS), ("rename", errno.EIO)):
        reason = os.strerror(int(str(number).split(":", maxsplit=1)[0]))
        for after in (False, True):
            if fault != "mkdir" or not after:
                sweep("%s, %s%s" % (fault, reason, ", over earlier results" if after else ""), usual, fault, number,
                      one_line(reason), 1, after)
    never = lambda err: False
    for no_exchange in ("%d:on" % errno.EINVAL, "%d:on" % errno.ENOSYS):
        sweep("no exchange of names, over earlier results", usual, "exchange", no_exchange, never, 1, True)
    sweep("interrupted writes", usual, "write", errno.EINTR, never)
    sweep("interrupted reads", usual, "read", errno.EINTR, never)
    sweep("short writes", usual, "short", 0, never)


# ---- A disk that is full ----

def full_disk():
    os.mkdir("full")
    if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "none", "full"], check=False,
                                           capture_output=True).returncode != 0:
        skip("a file system of 256 kB: not allowed to mount one")
        return
    done = subprocess.run(command("nodes.csv", "long.csv", "full/r"), capture_output=True, check=False)
    check(done.returncode == 1 and done.stderr.startswith(b"gpuyard: full/r/") and
          done.stderr.endswith(b".csv: cannot write: No space left on device\n") and not os.listdir("full"),
          "full disk: %d, %r, %s" % (done.returncode, done.stderr, os.listdir("full")))
    subprocess.run(["umount", "full"], check=True)


# ---- Signals ----

def interrupted(number, share, duration_s, before, good):
    """Whether the signal, sent after that share of a run's time, stopped it; perhaps before main() did anything about it."""
    run = subprocess.Popen(command("nodes.csv", "long.csv", "out/a/b"), stderr=subprocess.PIPE)
    time.sleep(share * duration_s)
    run.send_signal(number)
    err = run.communicate(timeout=900)[1].decode()
    now = content("out")
    stopped = run.returncode in (130, -number) and now == before and err in ("", "gpuyard: interrupted\n")
    done = run.returncode in (0, 130) and now == good       # a signal may come when only the summary is not printed yet
    check(stopped or done,
          "signal %d after %.2f of a run: %d, %r, %s" % (number, share, run.returncode, err, set(now.items()) ^ set(before.items())))
    if not stopped:
        shutil.rmtree("out")
    return stopped


def signals():
    shutil.rmtree("out", ignore_errors=True)
    began = time.monotonic()
    subprocess.run(command("nodes.csv", "long.csv", "out/a/b"), check=True)
    duration_s, good, stopped = time.monotonic() - began, content("out"), 0
    shutil.rmtree("out")
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        stopped += sum(interrupted(number, k / 12, duration_s, {}, good) for k in range(1, 13))
    check(stopped > 0, "none of 36 signals stopped a run")
    print("signals: %d of 36 stopped the run" % stopped)
    subprocess.run(command("nodes.csv", "t.csv", "out/a/b"), check=True)
    before = content("out")
    interrupted(signal.SIGINT, 0.5, duration_s, before, good)


def work_s():
    """CPU time of the programs that have ended: at most the time that has passed, however busy the machine is."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def endless():
    """A policy that never returns: the program ends nonetheless, two seconds after the first signal or at the second."""
    shutil.rmtree("out", ignore_errors=True)
    shortest_s = 60
    for times in (1, 2, 2, 2):
        run = subprocess.Popen(command("nodes.csv", "t.csv", "out/a/b", ["-p", WORK + "/endless.so"]), stderr=subprocess.PIPE)
        while not os.path.exists("out/a/b/.jobs.csv.partial"):
            time.sleep(0.01)
        began_s = work_s()
        for _ in range(times):
            run.send_signal(signal.SIGTERM)
            time.sleep(0.1)
        run.communicate(timeout=900)
        took_s = work_s() - began_s
        shortest_s = min(shortest_s, took_s)
        check(run.returncode == 130 and not os.path.exists("out"),
              "an endless policy and %d signals: %d after %.1f s, %s" % (times, run.returncode, took_s, content("out")))
    check(shortest_s < 2, "an endless policy: the second signal ended none at once, but after %.1f s at least" % shortest_s)


def main():
    os.chdir(WORK)
    for name, text in FILES.items():
        with open(name, "w", encoding="ascii") as f:
            f.write(text)
    with open("t.csv.gz", "wb") as f:
        f.write(gzip.compress(CSV.encode()))
    subprocess.run(["zstd", "-q", "t.csv"], check=True)
    with open("long.csv", "w", encoding="ascii") as f:
        f.write("job_id,submit_s,duration_s,gpus\n" + "".join("%d,%d,100,1\n" % (i, 10 * i) for i in range(100000)))
    if RELEASE:
        faults()
    else:
        skip("failing calls: this build does not let them be put in between")
    full_disk()
    signals()
    endless()
    print("%d passed, %d failed, %d skipped" % (passed, failed, skipped))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
