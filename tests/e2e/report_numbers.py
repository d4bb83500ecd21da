"""report_numbers.py PAGE.html [tables] - the data of a page's figures and its tables, computed anew from the CSV files that it names.

Numbers on the page have five digits; means over steps are exact but for that, so areas must agree with the summary."""
import csv, html.parser, json, math, sys


class Page(html.parser.HTMLParser):
    """Tables as lists of rows of cell texts; what every start tag has as an end tag; no address that leads out."""
    VOID = {"meta", "link", "br", "img", "input"}

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.links, self.ids = set(), set()
        self.stack, self.tables, self.text, self.data, self.results = [], [], None, None, []
        self.feed(text)
        assert not self.stack, "never closed: %s" % self.stack

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            assert name not in ("src", "href", "onclick", "onload") or value.startswith(("#", "data:")), (tag, name, value)
        self.links |= {v[1:] for k, v in attrs if k == "href" and v.startswith("#")}
        self.ids |= {v for k, v in attrs if k == "id"}
        if tag in self.VOID:
            if self.text is not None:
                self.text += " "
            return
        self.stack.append(tag)
        if tag == "table":
            self.tables.append([])
        if tag == "tr":
            self.tables[-1].append([])
        if tag in ("td", "th", "caption", "dt", "dd") or tag == "script" and dict(attrs).get("id") == "data":
            self.text = ""

    def handle_data(self, data):
        if self.text is not None:
            self.text += data

    def handle_endtag(self, tag):
        assert self.stack and self.stack[-1] == tag, "%s closes %s" % (tag, self.stack[-1:])
        self.stack.pop()
        if tag in ("td", "th"):
            self.tables[-1][-1].append(self.text.strip())
        if tag == "dt":
            self.term = self.text
        if tag == "dd" and self.term == "results":
            self.results.append(self.text)
        if tag == "script" and self.text:
            self.data = json.loads(self.text)
            for series in (s for f in self.data["figures"] for v in f["variants"] for k in ("bands", "lines", "rows") for s in v.get(k, [])):
                for key in ("x", "y", "half", "low"):      # a number that repeats: [times, number]
                    if key in series:
                        series[key] = [y for u in series[key] for y in (u[:1] and [u[1]] * u[0] if isinstance(u, list) else [u])]
        if tag in ("td", "th", "caption", "dt", "dd", "script"):
            self.text = None


def rows(directory, name):
    return list(csv.DictReader(open("%s/%s.csv" % (directory, name), newline="")))


def close(a, b, part=2e-3, least=1e-3):
    assert abs(a - b) <= max(least, part * max(abs(a), abs(b))), (a, b)


def integral(levels, width):
    return sum(y for y in levels if y is not None) * width


def step_integral(series, end):
    """Of (time, value) pairs, each until the next."""
    return sum(v * (t - s) for (s, v), (t, _) in zip(series, series[1:] + [(end, 0)]))


def training(jobs):
    """The population of the summary: what ended and has a service time, so no replica of a service and no session."""
    return [j for j in jobs if j["state"] in ("completed", "failed", "cancelled") and j["bounded_slowdown"]]


def tables(page, directories):
    """Each row once; quotas only where there are some, from the start of the run on; as many jobs in the curves as in the means."""
    for table in page.tables:
        names = [row[0] for row in table[1:]]
        assert len(names) == len(set(names)), (table[0], names)
    figures = {f["id"]: f for f in page.data["figures"]} if page.data else {}
    for directory in directories:
        quotas = {r["queue"]: float(r["gpus_deserved"]) for r in rows(directory, "queues") if r["gpus_deserved"]}
        for v in figures.get("quota", {"variants": []})["variants"]:
            y = next(l["y"] for l in v["lines"] if l["name"] == "quota")
            assert abs(y[0] - quotas[v["name"]]) < 1e-9, (v["name"], y[:3])
        assert ("quota" in figures) == bool(quotas), quotas
        head = [t[0] for t in page.tables if t[0][:2] == ["queue", "jobs"]]
        assert all(("quota met" in row) == bool(quotas) for row in head), head
        worst = next((t for t in page.tables if t[0][:2] == ["job", "queue"]), [[]])
        longest = sorted((j for j in rows(directory, "jobs") if float(j["wait_s"] or 0) > 0), key=lambda j: (-float(j["wait_s"]), j["job_id"].encode()))[:20]
        assert [row[0] for row in worst[1:]] == [j["job_id"] for j in longest], worst[:3]
        for row, j in zip(worst[1:], longest):
            waits = {c[5:-2]: float(j[c]) for c in j if c.startswith("wait_") and c.endswith("_s") and c != "wait_s"}
            assert row[1] == (j["queue"] or "(none)") and waits[row[5]] == max(waits.values()), (row, waits)
        assert page.links <= page.ids and len(longest) == 0 or any(link.startswith("story-") for link in page.links), page.links - page.ids
        for row in figures["ledger"]["variants"][0]["rows"][:1]:
            close(sum(row["y"]), sum(float(v) for n in rows(directory, "nodes") for k, v in n.items() if k.endswith("_gpu_s")) / 3600, 1e-4)
        n = next(int(r["n"]) for r in rows(directory, "summary") if r["metric"] == "jct_mean_s" and r["scope"] == "all")
        assert n == len(training(rows(directory, "jobs"))), n
        share = figures["distributions"]["variants"][0]["lines"][0]["y"][0]      # the first step is that of the least
        values = sorted(float(j["jct_s"]) for j in training(rows(directory, "jobs")))
        assert abs(share - 100 * values.count(values[0]) / len(values)) < 0.01, share


def sweep(page, directory):
    """The figure of a sweep: each mean over seeds, and half its interval, from sweep.csv; 100 % of a share."""
    points = {}
    for r in rows(directory, "sweep"):
        if r["metric"] in ("jct_mean_s", "util_alloc") and r["scope"] == "all":
            points.setdefault((r["metric"], r["policy"], float(r["load"])), []).append(float(r["value"]) * (100 if r["metric"] == "util_alloc" else 1))
    figure = next(f for f in page.data["figures"] if f["id"] == "sweep")
    assert figure["axis"] == "load", figure["axis"]
    seen = 0
    for name, metric in (("mean completion time", "jct_mean_s"), ("GPU time allocated", "util_alloc")):
        for line in next(v for v in figure["variants"] if v["name"] == name)["lines"]:
            assert line["x"] == sorted(line["x"]), line["x"]
            for x, y, half in zip(line["x"], line["y"], line["half"]):
                values = points[metric, line["name"], x]
                mean = sum(values) / len(values)
                close(y, mean, 1e-4, 1e-9)
                close(half, t_975(len(values) - 1) * math.sqrt(sum((v - mean) ** 2 for v in values) / (len(values) - 1) / len(values)), 1e-3, 1e-6)
                seen += 1
    assert seen == len(points), (seen, len(points))


def check(page, directory, v, figures, one):
    times = rows(directory, "timeseries")
    end = float(times[-1]["time_s"])
    start = float(times[0]["time_s"])
    width = page.data["length_s"] / page.data["steps"]
    summary = {(r["metric"], r["scope"]): r["value"] for r in rows(directory, "summary")}

    # GPUs over time: each queue's area; all of them are what was allocated.
    per_queue = {}
    for r in rows(directory, "queues"):
        per_queue.setdefault(r["queue"], []).append((float(r["time_s"]), float(r["gpus_allocated"])))
    bands = {b["name"]: b["y"] for b in figures["utilisation"]["variants"][v]["bands"]}
    assert set(bands) == set(per_queue), (set(bands), set(per_queue))
    for q, series in per_queue.items():
        # The last step of a run is shorter than the others.
        y, last = bands[q], max(k for k, x in enumerate(bands[q]) if x is not None)
        got = integral(y[:last], width) + y[last] * (end - start - last * width)
        close(got, step_integral(series, end), 1e-3, 50)
    close(sum(step_integral(s, end) for s in per_queue.values()),
          step_integral([(float(r["time_s"]), float(r["gpus_allocated"])) for r in times], end), 1e-9)
    waiting = next(l for l in figures["waiting"]["variants"][0]["lines"] if one or l["name"] == figures["utilisation"]["variants"][v]["name"])["y"]
    last = max(k for k, x in enumerate(waiting) if x is not None)
    got = integral(waiting[:last], width) + waiting[last] * (end - start - last * width)
    close(got, step_integral([(float(r["time_s"]), float(r["jobs_waiting"])) for r in times], end), 1e-3, 5)

    # Distributions: at each point, the share of the jobs that ended with at most that.
    jobs = rows(directory, "jobs")
    ended = training(jobs)
    for d, column in enumerate(("jct_s", "wait_s", "bounded_slowdown", "finish_time_fairness")):
        values = sorted(float(j[column]) for j in ended if j[column])
        curve = figures["distributions"]["variants"][d]["lines"][v]
        assert len(curve["x"]) > 20 or len(set(values)) <= 20
        for x, y in zip(curve["x"], curve["y"]):
            below = sum(u <= x * (1 - 1e-4) for u in values) / len(values) * 100
            above = sum(u <= x * (1 + 1e-4) + 1e-9 for u in values) / len(values) * 100
            assert below - 0.01 <= y <= above + 0.01, (column, x, y, below, above)
        assert curve["y"][-1] == 100

    # The ledger and what jobs waited for.
    nodes = rows(directory, "nodes")
    parts = figures["ledger"]["variants"][0]["parts"]
    bar = dict(zip(parts, figures["ledger"]["variants"][0]["rows"][v]["y"]))
    for name, column in (("useful work", "useful_gpu_s"), ("lost work", "lost_gpu_s"), ("free", "free_gpu_s"), ("out of service", "down_gpu_s"),
                         ("starting", "start_gpu_s"), ("saving to leave", "save_gpu_s"), ("after a fault", "fault_gpu_s")):
        close(bar[name], sum(float(n.get(column) or 0) for n in nodes) / 3600, 1e-4)
    close(sum(bar.values()), sum(float(v) for n in nodes for k, v in n.items() if k.endswith("_gpu_s")) / 3600, 1e-4)
    reasons = [c[5:-2] for c in jobs[0] if c.startswith("wait_") and c.endswith("_s") and c != "wait_s"]
    figure = figures["reasons"]["variants"][v]
    assert figure["parts"] == reasons, (figure["parts"], reasons)
    waited = {}
    for j in jobs:
        for r in reasons:
            waited[j["queue"], r] = waited.get((j["queue"], r), 0) + float(j["wait_%s_s" % r]) / 3600
    for row in figure["rows"]:
        for r, y in zip(reasons, row["y"]):
            close(y, waited[row["name"], r], 1e-4, 1e-6)
    close(sum(waited.values()), sum(float(j["wait_s"]) for j in jobs) / 3600, 1e-9)

    # The heat map: the mean over all cells is the GPU time held.
    heat = figures["nodes"]["variants"][v]
    cells = [y for row in heat["rows"] for y in row["y"]]
    held = sum(float(i["gpus"]) * float(i["gpu_milli"]) / 1000 * (float(i["end_s"]) - float(i["start_s"])) for i in rows(directory, "intervals"))
    close(sum(cells) / len(cells) / 100, held / (end - start) / sum(float(n["gpus"]) for n in nodes), 0, 0.005)

    # The Gantt: of each queue the area of its boxes is the GPU time that it held, and no box leaves its axis or the lanes.
    gantt, of = figures["gantt"]["variants"][v], {j["job_id"]: j["queue"] for j in jobs}
    assert len(gantt["labels"]) == sum(len(b["x"]) for b in gantt["bands"]) > 100
    for b in gantt["bands"]:
        want = sum(float(i["gpus"]) * float(i["gpu_milli"]) / 1000 * (float(i["end_s"]) - float(i["start_s"]))
                   for i in rows(directory, "intervals") if of[i["job_id"]] == b["name"])
        close(sum((y - x) * (low - top) for x, y, top, low in zip(b["x"], b["y"], b["half"], b["low"])), want, 2e-3)
        assert min(b["x"]) >= 0 and max(b["y"]) <= gantt["length_s"] * 1.0001 and max(b["low"]) <= gantt["rows"][-1]["y"][1] == 48
    assert {of[name] for name in gantt["labels"]} == {b["name"] for b in gantt["bands"]}

    # Services: the mean rate over all time.
    try:
        minutes = rows(directory, "services")
    except FileNotFoundError:
        minutes = []
    for name in {m["service"] for m in minutes}:
        own = [m for m in minutes if m["service"] == name]
        kinds = {x["name"].split(": ")[-1]: {l["name"]: l["y"] for l in x["lines"]} for x in figures["services"]["variants"]}
        for kind, column in (("requests", "rate_per_s"), ("latency, 99th percentile", "latency_p99_s"), ("replicas ready", "replicas_ready")):
            y = [u for u in kinds[kind][name] if u is not None]
            close(sum(y) / len(y), sum(float(m[column]) for m in own) / len(own), 0.02)

    # Sessions over time.
    if "sessions_idle" in times[0]:
        bands = {b["name"]: b["y"] for b in figures["sessions"]["variants"][v]["bands"]}
        for name, what in (("active", "active"), ("idle, hold GPUs", "idle"), ("starting up", "starting"), ("wait for GPUs", "queued"), ("gave GPUs back", "released")):
            y, last = bands[name], max(k for k, x in enumerate(bands[name]) if x is not None)
            got = integral(y[:last], width) + y[last] * (end - start - last * width)
            close(got, step_integral([(float(r["time_s"]), float(r["sessions_" + what])) for r in times], end), 1e-3, 5)

    # Power, CO2 and cost: the areas are those of the summary.
    for variant, metric in zip(figures["rates"]["variants"], ("energy_kwh", "carbon_kg", "cost_usd")):
        y = variant["lines"][v]["y"]
        last = max(k for k, x in enumerate(y) if x is not None)
        area = (integral(y[:last], width) + y[last] * (end - start - last * width)) / 3600
        close(area, float(summary[metric, "all"]))

    # Tables.
    for table in page.tables:
        assert all(len(row) == len(table[0]) for row in table), table[0]
    queues = [t for t in page.tables if t[0][0] == "queue" and t[0][1] == "jobs"][v]
    assert {row[0]: row[1] for row in queues[1:]} == \
        {s[6:]: value for (m, s), value in summary.items() if m == "jobs_submitted" and s.startswith("queue=")}
    waits = [t for t in page.tables if t[0][:2] == ["queue", "all"]][v]
    close(float(waits[1][1].replace(",", "")), sum(waited.values()), 1e-3)


def t_975(n):
    return {1: 12.7062, 2: 4.30265, 3: 3.18245}[n]


def groups(page, runs):
    """All metrics: each cell is the mean over its runs, and half the interval."""
    table = page.tables[1]
    head = {row[0]: row[1:] for row in table[1:]}
    for metric in ("preemptions", "gpu_h_held", "queue_length_mean", "energy_kwh"):
        name = next(n for n in head if n.split()[0] == metric)
        for cell, directories in zip(head[name], runs):
            values = [float(r["value"]) for d in directories for r in rows(d, "summary") if r["metric"] == metric and r["scope"] == "all"]
            mean = sum(values) / len(values)
            words = cell.replace(",", "").split()
            close(float(words[0]), mean, 1e-3, 1e-9)
            if len(values) > 1:
                s = math.sqrt(sum((x - mean) ** 2 for x in values) / (len(values) - 1))
                assert words[1] == "\u00b1", cell
                close(float(words[2]), t_975(len(values) - 1) * s / math.sqrt(len(values)), 1e-3, 1e-9)


def sure_changes(page, base, new):
    """A change of the second column is better or worse only where Student's interval of the differences of the logarithms, seed by
    seed, is without 0 (as `compare`: models.md 10.8); rows with a value of 0 have another interval, which compare_numbers.py has."""
    coloured = 0
    for row in page.tables[1][1:]:
        pairs = [[next(float(r["value"]) for r in rows(d, "summary") if r["metric"] == row[0].split()[0] and r["scope"] == "all" and r["value"])
                  for d in pair] for pair in zip(base, new)] if row[1] != "-" and row[2] != "-" else []
        word = row[2].endswith("better") or row[2].endswith("worse")
        coloured += word
        if any(x <= 0 or y <= 0 for x, y in pairs):
            continue
        d = [math.log(y / x) for x, y in pairs]
        mean = sum(d) / len(d) if d else 0
        half = t_975(len(d) - 1) * math.sqrt(sum((x - mean) ** 2 for x in d) / (len(d) - 1) / len(d)) if len(d) > 1 else math.inf
        assert not word or abs(mean) > half, (row, d)
    return coloured


page = Page(open(sys.argv[1], encoding="utf-8").read())
if sys.argv[2:] == ["tables"]:
    tables(page, page.results if len(page.results) == 1 else [])
    if sys.argv[1] in ("swept.html", "three.html"):
        sweep(page, sys.argv[1][:-5])
    print("each row once: %d tables" % len(page.tables))
    sys.exit()
tables(page, page.results if len(page.results) == 1 else [])
figures = {f["id"]: f for f in page.data["figures"]}
assert {"utilisation", "waiting", "distributions", "ledger", "reasons", "gantt", "nodes", "rates"} == set(figures) - {"services", "sessions"}, set(figures)
assert ("services" in figures) == (sys.argv[1] == "one.html" or sys.argv[1] == "m.html"), set(figures)
for v, directory in enumerate(page.results):
    check(page, directory, v, figures, len(page.results) == 1)
groups(page, {"one": [["one"]], "two": [["set/fifo-1"], ["set/drf-1"]], "set": [["set/drf-1", "set/drf-2"], ["set/fifo-1", "set/fifo-2"]]}
       .get(sys.argv[1].split(".")[0], [["one"]]))
if sys.argv[1] == "set.html":
    sure_changes(page, ["set/drf-1", "set/drf-2"], ["set/fifo-1", "set/fifo-2"])
if sys.argv[1] == "two.html":
    assert sure_changes(page, ["set/fifo-1"], ["set/drf-1"]) == 0
print("as in the files: %d figures, %d tables" % (len(figures), len(page.tables)))
