#!/usr/bin/env python3
"""malformed.py GPUYARD TABLE - plays every row of a table like malformed.txt, which says how to read it.

Each runs in a directory of its own, for at most CPU_LIMIT_S of work, however busy the machine is: what waits for ever is
ended after WAIT_LIMIT_S. Where the program refuses, it says exactly that on standard error, nothing on standard output,
and leaves no file behind."""
import json
import os
import re
import resource
import shlex
import signal
import subprocess
import sys
import tempfile

CPU_LIMIT_S, WAIT_LIMIT_S = 20, 900
GOOD = {
    "c.yaml": "name: tiny\nnodes:\n  - { group: a, count: 1, gpus: 8 }\n",
    "t.csv": "job_id,submit_s,duration_s,gpus\na,0,100,8\nb,10,50,4\n",
}
ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "0": "\0", "\\": "\\"}


def unescape(text, short):
    """<NAME> is what `let NAME` said; <30*x> is x thirty times; \\xHH is a byte."""
    for name, value in short.items():
        text = text.replace("<%s>" % name, value)
    text = re.sub(r"<(\d+)\*([^>]+)>", lambda m: m[2] * int(m[1]), text)
    text = re.sub(r"\\(x[0-9a-f]{2}|.)", lambda m: chr(int(m[1][1:], 16)) if m[1][0] == "x" else ESCAPES[m[1]], text)
    return text.encode("latin-1")


def rows(path, gpuyard):
    """(name, [step], status, message), a step being a word and its text; `let` lines go to every later row."""
    formats = json.loads(subprocess.check_output([gpuyard, "list", "formats", "--format", "json"]))
    short, name, steps = {"FORMATS": ", ".join(f["name"] for f in formats)}, None, []
    with open(path, encoding="latin-1") as f:
        for line in f:
            line = line.rstrip("\n")
            if not line or line.startswith("#"):
                continue
            word, _, text = line.strip().partition(" ")
            if line.startswith("let "):
                key, _, value = text.partition(" ")
                short[key] = value
            elif not line.startswith(" "):
                name, steps = line, []
            elif word.isdigit():
                yield name, steps, int(word), unescape(text, short)
            else:
                steps.append((word, text.encode() if word in ("given", "sh") else unescape(text, short)))


def arguments(word, text, format_name):
    if word == "run":
        return ["run", "-o", "out"] + shlex.split(text.decode("latin-1"))
    if word == "gpuyard":
        return shlex.split(text.decode("latin-1"))
    with open("x", "wb") as f:
        f.write(text)
    if word == "cluster":
        return ["run", "-o", "out", "-c", "x", "-t", "t.csv"]
    return ["run", "-o", "out", "-c", "c.yaml", "-t", "x:" + format_name if format_name else "x"]


def limit_work():
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_LIMIT_S, CPU_LIMIT_S + 1))


def play(gpuyard, steps):
    """(status, standard error, standard output, files that are new) of the last step."""
    for name, text in GOOD.items():
        with open(name, "w", encoding="ascii") as f:
            f.write(text)
    environment = dict(os.environ, G=gpuyard, LC_ALL="C")
    for word, text in steps:
        word, _, format_name = word.partition(":")
        if word == "given":
            subprocess.run(["sh", "-c", text], check=True, env=environment, timeout=WAIT_LIMIT_S)
            continue
        if word == "sh":
            command = ["sh", "-c", text]
        else:
            command = [gpuyard.encode()] + [a.encode("latin-1") for a in arguments(word, text, format_name)]
        before = set(os.listdir("."))
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, env=environment, timeout=WAIT_LIMIT_S,
                              check=False, preexec_fn=limit_work)
        if done.returncode in (-signal.SIGXCPU, 128 + signal.SIGXCPU):
            raise subprocess.TimeoutExpired(command, CPU_LIMIT_S)
    return done.returncode, done.stderr, done.stdout, sorted(set(os.listdir(".")) - before)


def complaint(gpuyard, steps, status, message):
    """None: all is as the row says."""
    try:
        got_status, err, out, new = play(gpuyard, steps)
    except subprocess.TimeoutExpired:
        return "it hangs"
    want = b"gpuyard: " + message + b"\n" if message else b""
    if want.endswith(b" [...]\n"):
        want = want[:-6]
        err = err[: len(want)]
    if got_status != status:
        return "want status %d, got %d: %r" % (status, got_status, err)
    if err != want:
        return "want %r\n    got  %r" % (want, err)
    if status and (out or new):
        return "want nothing but a message, got %r and the files %s" % (out[:200], new)
    return None


def main():
    gpuyard, table = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    failed = passed = 0
    for name, steps, status, message in rows(table, gpuyard):
        with tempfile.TemporaryDirectory() as directory:
            os.chdir(directory)
            why = complaint(gpuyard, steps, status, message)
            os.chdir("/")
        passed, failed = passed + (why is None), failed + (why is not None)
        if why:
            print("FAILED: %s: %s" % (name, why))
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0 or passed == 0


if __name__ == "__main__":
    sys.exit(main())
