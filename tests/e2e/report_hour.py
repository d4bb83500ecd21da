"""report_hour.py RUN ROWS - what the page of a month shows of an hour (report_hour.js), against the files of the run: at least 12 points, each the
mean of the level over its step, from the rows of timeseries.csv and queues.csv that hold until the next."""
import csv
import re
import sys


def level(run, name, column, **where):
    rows = [(float(r["time_s"]), float(r[column])) for r in csv.DictReader(open("%s/%s.csv" % (run, name), newline=""))
            if all(r[k] == v for k, v in where.items())]
    return rows


def mean(rows, start, end, begins):
    total = 0
    for (at, value), (until, _) in zip(rows, rows[1:] + [(1e18, 0)]):
        total += value * max(0, min(until - begins, end) - max(at - begins, start))
    return total / (end - start)


run, lines = sys.argv[1], [re.sub("^hour: ", "", line.strip()) for line in open(sys.argv[2])]
begins = level(run, "timeseries", "jobs_waiting")[0][0]
for figure in ("utilisation", "waiting"):
    own = [line.split(" ", 1)[1] for line in lines if line.startswith(figure + " ")]
    corners = int(next(line for line in own if line.startswith("corners ")).split()[1])
    table = list(csv.reader(line for line in own if not line.startswith("corners ")))
    times = [float(row[0]) for row in table[1:]]
    assert corners >= 11 and 12 <= len(times) <= 62, (figure, corners, times)          # 12 steps have 11 corners between them
    width = times[1] - times[0]
    assert width <= 300 and 3600 <= times[-1] - times[0] + width <= 3600 + 2 * width, (width, times)
    seen = set()
    for k, name in enumerate(table[0][1:], 1):
        column = {"all GPUs": "gpus_total", "GPUs up": "gpus_up", "making progress": "gpus_busy"}.get(name)
        if figure == "waiting":
            if not name.startswith("fifo"):
                continue
            rows = level(run, "timeseries", "jobs_waiting")
        else:
            rows = level(run, "timeseries", column) if column else level(run, "queues", "gpus_allocated", queue=name) if name.startswith("q") else None
        for t, row in zip(times, table[1:]):
            want = mean(rows, t, t + width, begins) if rows else None
            assert rows is None or abs(float(row[k]) - want) <= 1e-3 + 1e-4 * abs(want), (figure, name, t, row[k], want)
            seen.add((name, row[k]))
    assert len(seen) > 12, seen                                            # levels that change
print("as in the files: an hour in %d steps" % len(times))
