"""hostile.py GPUYARD: names with bytes that end a line, a string, an element or a command, through every writer.

What each format allows is checked by its own parser or by its grammar: JSON and XML by Python's readers, HTML by
html.parser, the shell script by running it, OpenMetrics, workflow commands and terminals by their line structure.
"""
import csv, html.parser, io, json, os, re, subprocess, sys, tempfile
import xml.etree.ElementTree as xml

gpuyard = os.path.abspath(sys.argv[1])
scripts = os.path.join(os.getcwd(), "scripts")
work = tempfile.mkdtemp(prefix="gpuyard-hostile.")
os.chdir(work)
counts = {True: 0, False: 0}

NAMES = [b"two\nlines", b'quote"s', b"ap'os", b"$(touch pwned)", b"`touch pwned`", b"</script><b>", b"]]>", b"<!--",
         b"a\x1b[31mred\x07", b"bad\xff\xfeutf8", b"over\xc0\xaflong", b"sur\xed\xa0\x80rogate", b"a,b;c", b"per%0Acent",
         b"x::error::y", b"back\\slash", b"&amp;", b"\xe2\x80\xa8line", "größe".encode(), b"| pipe |"]


def check(well, *what):
    counts[bool(well)] += 1
    if not well:
        print("FAILED:", *what)


def run(*args, status=(0,)):
    p = subprocess.run([gpuyard, *args], capture_output=True, env={**os.environ, "GPUYARD_SCRIPTS": scripts})
    check(p.returncode in status, args, p.returncode, p.stderr)
    check(p.stderr.count(b"\n") <= 60 and one_line_clean(p.stderr), "stderr", args, p.stderr)
    return p.stdout


def one_line_clean(text):
    """No control characters but line feeds: what a terminal shows as it is."""
    return not re.search(rb"[\x00-\x08\x0b-\x1f\x7f]", text)


def utf8(data, *what):
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as e:
        check(False, "no UTF-8", *what, e)
        return data.decode("utf-8", "replace")


def quoted(name):
    return b'"' + name.replace(b'"', b'""') + b'"'


with open("c.yaml", "w") as f:
    f.write("name: \"c </script> ]]> \\\" ' $(touch pwned) `touch pwned`\"\nnodes:\n"
            "  - { group: \"g<b>&\\\"'$(touch pwned)\", count: 2, gpus: 8 }\n")


def trace(path):
    with open(path, "wb") as f:
        f.write(b"job_id,submit_s,duration_s,gpus,queue,user\n")
        for i, name in enumerate(NAMES):
            f.write(b"%s,%d,%d,%d,%s,%s\n" % (quoted(name), i, 50 + i, 1 + i % 8, quoted(b"q" + name),
                                             quoted(b"u" + name)))


trace("t.csv")
said = run("run", "-c", "c.yaml", "-t", "t.csv", "-o", "a", "--outputs", "all")
check(one_line_clean(said), "run: terminal", said)
run("run", "-q", "-c", "c.yaml", "-t", "t.csv", "-o", "b", "-p", "sjf")

# CSV: names come back as they were.
for file, column, before in (("jobs.csv", "job_id", b""), ("jobs.csv", "queue", b"q"), ("jobs.csv", "user", b"u")):
    with open(os.path.join("a", file), newline="", encoding="utf-8", errors="surrogateescape") as f:
        got = {row[column].encode("utf-8", "surrogateescape") for row in csv.DictReader(f)}
    check(got == {before + n for n in NAMES}, file, column, got ^ {before + n for n in NAMES})

# JSON
for path in ("a/manifest.json", "a/summary.json"):
    data = open(path, "rb").read()
    json.loads(utf8(data, path))
    check(True)
check(json.load(open("a/manifest.json"))["configuration"], "the configuration is missing")
dump = run("run", "-c", "c.yaml", "-t", "t.csv", "--dump-config")
check(one_line_clean(dump), "--dump-config", dump)
utf8(dump, "--dump-config")

for kind in ("perfetto", "batsim", "openmetrics"):
    data = utf8(run("export", "--to", kind, "a"), kind)
    if kind == "perfetto":
        check(len(json.loads(data)["traceEvents"]) > len(NAMES), kind)
    elif kind == "batsim":
        check(len(list(csv.reader(io.StringIO(data)))) == len(NAMES) + 1, kind)
    else:
        line = re.compile(r'(# (TYPE|UNIT|HELP) .*|# EOF|[a-z_0-9]+(\{([a-z_0-9]+="([^"\\\n]|\\["\\n])*",?)*\})? \S+)\Z')
        bad = [x for x in data.split("\n")[:-1] if not line.match(x)]
        check(not bad, kind, bad[:2])


# HTML: no element and no script that the page of harmless names has not.
class Elements(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.seen = {}

    def handle_starttag(self, tag, attrs):
        self.seen[tag] = self.seen.get(tag, 0) + 1


def elements(path):
    e = Elements()
    e.feed(utf8(open(path, "rb").read(), path))
    return e.seen


run("report", "a", "-o", "a.html")
run("report", "a", "b", "-o", "ab.html")
with open("plain.yaml", "w") as f:
    f.write("name: c\nnodes:\n  - { group: g, count: 2, gpus: 8 }\n")
with open("plain.csv", "w") as f:
    f.write("job_id,submit_s,duration_s,gpus,queue,user\n")
    for i in range(len(NAMES)):
        f.write("j%d,%d,%d,%d,q%d,u%d\n" % (i, i, 50 + i, 1 + i % 8, i, i))
run("run", "-q", "-c", "plain.yaml", "-t", "plain.csv", "-o", "p", "--outputs", "all")
run("report", "p", "-o", "p.html")
ours, plain = elements("a.html"), elements("p.html")
check(ours == plain, "html: other elements", {k: (ours.get(k), plain.get(k)) for k in {*ours, *plain}
                                              if ours.get(k) != plain.get(k)})
for page in ("a.html", "ab.html"):
    text = open(page, "rb").read()
    check(b"</script><b>" not in text and not re.search(rb"[\x00-\x08\x0b-\x1f\x7f]", text), page)

# compare: every format
gates = []
for name in NAMES:
    gates += ["-f", b"wait_mean_s@queue=q" + name + b">1%"]
for form in ("text", "csv", "json", "junit", "github"):
    data = run("compare", "a", "b", "--format", form, *gates, status=(0, 4, 5))
    check(len(data) > 200, "compare", form, data)
    if form != "csv":
        check(one_line_clean(data), form, data)
    if form == "json":
        rows = json.loads(utf8(data, form))["metrics"]
        check(all("scope" in r for r in rows), "json: rows without a scope")
    if form == "github":
        check(all(re.match(rb"::(notice|warning|error) title=[^,:]*::", x) for x in data.split(b"\n")[:-1]), data)
    if form == "junit":
        xml.fromstring(utf8(data, form))
    if form == "csv":
        rows = list(csv.reader(io.StringIO(data.decode("utf-8", "surrogateescape"))))
        check(len({len(r) for r in rows}) == 1, "compare csv: rows of several widths", {len(r) for r in rows})

# What is for people
for args in (["explain", "a"], ["check", "-c", "c.yaml", "-t", "t.csv"]):
    check(one_line_clean(run(*args, status=(0, 1, 2, 3))), args)
for name in NAMES:
    check(one_line_clean(run("explain", "a", name, status=(0, 2, 3))), "explain", name)
check(one_line_clean(run("plot", "a", "--kind", "gantt", "--format", "term", status=(0, 1))), "plot")

# Directories of hostile names, and the script for Slurm
with open("e.yaml", "w") as f:
    f.write("name: e\nclusters: [plain.yaml]\ntraces: [plain.csv]\npolicies: [fifo]\nseeds: [1]\n")
for name in NAMES:
    plain = name.decode("utf-8", "replace").encode() == name and one_line_clean(name) and b"\n" not in name
    name = name.replace(b"/", b"_")
    p = subprocess.run([gpuyard, "sweep", "e.yaml", "--emit", "slurm", "-o", name], capture_output=True)
    check(p.returncode == (0 if plain else 2), "emit", name, p.returncode, p.stderr)
    check(one_line_clean(p.stderr) and p.stderr.count(b"\n") == (not plain), "emit", p.stderr)
    check(plain or not p.stdout, "emit: a script for", name)
    if not plain:
        continue
    script = p.stdout.replace(b"\nexec ", b"\nprintf '%s\\0' ")
    words = subprocess.run(["sh"], input=script, capture_output=True, env={"SLURM_ARRAY_TASK_ID": "0", "PATH": os.environ["PATH"]})
    last = words.stdout.split(b"\0")[-2] if b"\0" in words.stdout else b""
    check(last == name + b"/shard-0", "emit: the shell reads", last, "wanted", name)
    check(words.stderr == b"", "emit", words.stderr)
    check(all(x.startswith(b"#") or x.startswith(b"exec ") for x in p.stdout.split(b"\n")[:-1]), "emit: lines", p.stdout)
for name in NAMES:
    name = b"d" + name.replace(b"/", b"_")
    check(one_line_clean(run("run", "-c", "plain.yaml", "-t", "plain.csv", "-o", name)), "run -o", name)
    check(one_line_clean(run("sweep", "e.yaml", "-o", b"s" + name)), "sweep -o", name)
    check(one_line_clean(run("compare", name, "p")), "compare", name)
    run("report", name, "p", "-o", "one.html")
    utf8(open("one.html", "rb").read(), "report of", name)
    json.loads(utf8(run("compare", name, "p", "--format", "json"), "compare json", name))
check(not os.path.exists("pwned"), "a name was run as a command")
print("%d passed, %d failed" % (counts[True], counts[False]))
os.chdir("/")
subprocess.run(["rm", "-rf", work])
sys.exit(counts[False] != 0)
