"""instants.py - a random world whose times are few, so that many things happen at the same instant.

Each time becomes a multiple of one step, and the long ones become short; which is smaller stays so where the program asks for
it. Numbers below a second, of laws and of windows stay."""
import re

STEPS = (1, 10, 60)
MOST = 12                         # steps of the longest time
# Of these keys the program wants an order, or they are no times of the world
KEPT = {"first_token_s", "per_token_s", "value_s", "a_s", "b_s", "c_s", "d_s", "t0_s", "t1_s", "window_s", "span_s",
        "median_s", "scale_s", "from_s", "until_s", "every_s", "release_s", "delete_s", "hang_least_s", "hang_most_s",
        "drawn_from_s", "burst_s", "calm_s"}


def on_grid(value, step):
    return value if value < 1 else step * min(MOST, max(1, round(value / step)))


def number(value):
    return str(int(value)) if value == int(value) else repr(value)


def yaml(text, step):
    """Values of keys that end in _s, and whole windows: from, until, every."""
    def one(m):
        return m[0] if m[1] in KEPT else f"{m[1]}: {number(on_grid(float(m[2]), step))}"

    def window(m):
        begin, end = float(m[1]), float(m[2])
        start = on_grid(begin, step)
        lasts = on_grid(end - begin, step)
        return f"from_s: {number(start)}, until_s: {number(start + lasts)}"
    text = re.sub(r"\b([a-z_]+_s): (\d+(?:\.\d+)?)(?=[,\s}\]])", one, text)
    return re.sub(r"\bfrom_s: (\d+(?:\.\d+)?), until_s: (\d+(?:\.\d+)?)", window, text)


def csv(text, step):
    """Columns of a trace that end in _s."""
    lines = [line.split(",") for line in text.rstrip("\n").split("\n")]
    times = [i for i, name in enumerate(lines[0]) if name.endswith("_s") and name not in KEPT and name != "started_s"]
    for row in lines[1:]:
        for i in times:
            row[i] = number(on_grid(float(row[i]), step)) if row[i] else ""
    return "\n".join(",".join(row) for row in lines) + "\n"


def few(files, step):
    """The files of a world, with such times."""
    out = {}
    for name, text in files.items():
        if name.endswith(".yaml"):
            text = yaml(text, step)
        elif name == "jobs.csv":
            text = csv(text, step)
        out[name] = text
    return out
