"""rows.py - the first differences of two result files, told by file, row and column.

A row is named by what it is of: a job, a node, a queue, a metric in its scope, a time. Files of
which each row has a name of
its own (jobs, nodes, sessions, summary) are matched by that name; the others row by row.
"""

# What names a row, and whether the names are unique within a file.
UNIQUE = {"jobs.csv": ["job_id"], "nodes.csv": ["node"], "sessions.csv": ["session"],
          "summary.csv": ["metric", "scope"]}
NAMES = ["job_id", "session", "service", "node", "queue", "metric", "scope", "task", "kind",
         "time_s", "start_s"]
SHOWN = 60    # characters of a value


def fields(line):
    """The fields of one line of CSV, in which a field may stand between double quotes."""
    if '"' not in line:
        return line.split(",")
    out, field, quoted, i = [], "", False, 0
    while i < len(line):
        c = line[i]
        if quoted and c == '"' and line[i + 1:i + 2] == '"':
            field, i = field + '"', i + 1
        elif c == '"':
            quoted = not quoted
        elif c == "," and not quoted:
            out.append(field)
            field = ""
        else:
            field += c
        i += 1
    return out + [field]


def shorten(value):
    return value if len(value) <= SHOWN else value[:SHOWN] + "..."


def name_of(header, row, keys):
    at = {column: i for i, column in enumerate(header)}
    return ", ".join(f"{k} {row[at[k]]}" for k in keys if k in at and at[k] < len(row)
                     and row[at[k]] != "")


def pair_up(file, header, old, new):
    """Rows that belong together: (name, old row or None, new row or None)."""
    keys = UNIQUE.get(file)
    if keys and all(k in header for k in keys):
        first = {name_of(header, r, keys): r for r in old}
        second = {name_of(header, r, keys): r for r in new}
        if len(first) == len(old) and len(second) == len(new):
            for name, row in first.items():
                yield name, row, second.get(name)
            for name, row in second.items():
                if name not in first:
                    yield name, None, row
            return
    for i in range(max(len(old), len(new))):
        a, b = (rows[i] if i < len(rows) else None for rows in (old, new))
        yield f"row {i + 1}, " + name_of(header, a or b, NAMES), a, b


def table_differences(file, old, new, most):
    """Differences of two CSV texts, as lines; at most `most` of them and one that counts the
    rest."""
    a, b = [fields(line) for line in old.splitlines()], [fields(line) for line in new.splitlines()]
    if a[:1] != b[:1]:
        gone = [c for c in a[0] if c not in b[0]] if a and b else []
        more = [c for c in b[0] if c not in a[0]] if a and b else []
        return [f"{file}: other columns: gone: {' '.join(gone) or 'none'}; new: {' '.join(more) or 'none'}"
                + ("" if gone or more else "; in another order")]
    header, lines, count = a[0], [], 0
    for name, row, other in pair_up(file, header, a[1:], b[1:]):
        if row == other:
            continue
        count += 1
        if count > most:
            continue
        if row is None or other is None:
            lines.append(
                f"{file}: {name}: {'is new' if row is None else 'is not there'}: {shorten(','.join(row or other))}")
            continue
        wide = max(len(row), len(other))
        cells = [(header[i] if i < len(header) else f"field {i + 1}",
                  row[i] if i < len(row) else "nothing", other[i] if i < len(other) else "nothing")
                 for i in range(wide)]
        lines.append(f"{file}: {name}: " + "; ".join(
            f"{c}: want {shorten(x) or 'empty'}, got {shorten(y) or 'empty'}"
                                                     for c, x, y in cells if x != y))
    if count > most:
        lines.append(f"{file}: and {count - most} rows more")
    if count == 0:
        lines.append(f"{file}: the same rows in another order, or other ends of lines")
    return lines


def text_differences(file, old, new, most):
    a, b = old.splitlines(), new.splitlines()
    lines, count = [], 0
    for i in range(max(len(a), len(b))):
        x, y = (t[i] if i < len(t) else None for t in (a, b))
        if x == y:
            continue
        count += 1
        if count <= most:
            want, got = ("no line" if t is None else shorten(t.strip()) for t in (x, y))
            lines.append(f"{file}: line {i + 1}: want {want}, got {got}")
    if count > most:
        lines.append(f"{file}: and {count - most} lines more")
    return lines or [f"{file}: other ends of lines"]


def differences(file, old, new, most=3):
    """Lines that tell how `new` differs from `old` (bytes). Empty: they are equal."""
    if old == new:
        return []
    old, new = (t.decode("utf-8", "replace") for t in (old, new))
    return (table_differences if file.endswith(".csv") else text_differences)(file, old, new, most)


def main(arguments):
    """rows.py WANT GOT: each file below the folder WANT against the one of the same name below
    GOT."""
    import os
    import sys
    if len(arguments) != 2:
        sys.exit("usage: rows.py WANT GOT")
    found = 0
    for at, _, files in sorted(os.walk(arguments[0])):
        for f in sorted(files):
            inside = os.path.relpath(os.path.join(at, f), arguments[0])
            texts = []
            for folder in arguments:
                try:
                    with open(os.path.join(folder, inside), "rb") as stream:
                        texts.append(stream.read())
                except FileNotFoundError:
                    texts.append(None)
            folder = os.path.dirname(inside)
            lines = [f"{f}: is not written"] if texts[1] is None else differences(f, *texts)
            found += len(lines)
            for line in lines:
                print("    " + (folder + "/" if folder else "") + line)
    return found > 0


if __name__ == "__main__":
    import sys
    sys.exit(main(sys.argv[1:]))
