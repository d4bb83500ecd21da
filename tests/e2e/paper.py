#!/usr/bin/env python3
"""paper.py fonts PDF INCHES POINTS | grey PNG | bands PNG N | stack PNG N GPUS | dashes PNG | top PNG | fall PNG | inside PNG | words SVG - whether a picture is fit for a paper's column.

fonts: the page is that wide, every text has that size, and every font is in the file.
grey: no pixel has a colour.
bands: seen in grey (Rec. 601: .299 R + .587 G + .114 B), there are N fills that differ by at least a tenth of the way from black to
white from each other and from the paper. A fill is a value that at least one pixel in 50 has.
stack: N bands of two GPUs each, below the black line of all GPUs, can be told from each other in grey: by a tenth of the way from black to
white in their mean or in how far their pixels lie from it (one is hatched), or by the direction of their hatching.
dashes: the second line, in the grey 112 of common.gp, has gaps: of the columns from its first to its last at least a quarter have none of it.
top: the line of all GPUs is black over half of the width or more, whether or not it lies on a tic.
fall: a black line goes down over a sixth of the height or more.
inside: the edge of the picture is white: nothing is cut off there.
words: no text lies over another, or over the edge of the picture. A digit of DejaVu Sans is .636 of the size wide, a comma .318, a capital .73 high; other
characters are taken as half.
"""
import collections
import html
import re
import struct
import sys
import zlib


def streams(pdf):
    for start in re.finditer(rb"stream\r?\n", pdf):
        try:
            yield zlib.decompressobj().decompress(pdf[start.end():])
        except zlib.error:
            pass


def fonts(path, inches, points):
    pdf = open(path, "rb").read()
    box = re.search(rb"/MediaBox\s*\[\s*0 0 ([\d.]+)", pdf)
    width = float(box.group(1)) / 72
    assert abs(width - inches) < 0.01, f"{width} in wide"
    sizes = [abs(float(a)) + abs(float(b)) for s in streams(pdf) if b" Tf" in s
             for a, b in re.findall(rb"(-?[\d.]+) (-?[\d.]+) -?[\d.]+ -?[\d.]+ -?[\d.]+ -?[\d.]+ Tm", s)]
    assert sizes and all(abs(s - points) < 0.1 for s in sizes), f"sizes {sorted(set(sizes))}"
    assert pdf.count(b"/Type /FontDescriptor") == pdf.count(b"/FontFile2") > 0, "a font is not in the file"


def pixels(path):
    """The picture as rows of (R, G, B), of a PNG of 8 bits a channel without interlacing (PNG specification, 9.2: filters)."""
    png, at, data = open(path, "rb").read(), 8, b""
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at:at + 8])
        body = png[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", body[:10])
        data += body if kind == b"IDAT" else b""
        at += 12 + length
    assert depth == 8 and colour in (2, 6)
    step = 3 if colour == 2 else 4
    raw, line, before = zlib.decompress(data), width * step, bytearray(width * step)
    for y in range(height):
        kind, row = raw[y * (line + 1)], bytearray(raw[y * (line + 1) + 1:(y + 1) * (line + 1)])
        for i in range(line if kind else 0):
            a, b, c = row[i - step] if i >= step else 0, before[i], before[i - step] if i >= step else 0
            paeth = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
            row[i] = (row[i] + (a, b, (a + b) // 2, paeth)[kind - 1]) & 255
        before = row
        yield [tuple(row[i:i + 3]) for i in range(0, line, step)]


def grey(path):
    for row in pixels(path):
        for r, g, b in set(row):
            assert max(r, g, b) - min(r, g, b) <= 2, f"a pixel of {r} {g} {b}"


def bands(path, n):
    count, all_pixels = collections.Counter(), 0
    for row in pixels(path):
        count.update(row)
        all_pixels += len(row)
    seen = sorted(round(.299 * r + .587 * g + .114 * b) for (r, g, b), k in count.items()
                  if k * 50 >= all_pixels and (r, g, b) != (255, 255, 255) and max(r, g, b) > 0)
    gaps = [b - a for a, b in zip(seen, seen[1:] + [255])]
    assert len(seen) >= n and all(g >= 25.5 for g in gaps), f"fills {seen}"


def texture(part):
    """Mean and standard deviation of rows of greys, and how much more they change along one diagonal than along the other."""
    flat = [g for row in part for g in row]
    mean = sum(flat) / len(flat)
    spread = (sum((g - mean) ** 2 for g in flat) / len(flat)) ** 0.5
    pairs = [(abs(a[x] - b[x + 2]), abs(a[x + 2] - b[x])) for a, b in zip(part, part[2:]) for x in range(len(a) - 2)]
    down, up = (sum(p[i] for p in pairs) / len(pairs) for i in (0, 1))
    return mean, spread, (down - up) / spread if spread > 12 else 0


def stack(path, n, gpus):
    rows = [[round(.299 * r + .587 * g + .114 * b) for r, g, b in row] for row in pixels(path)]
    line = [y for y, row in enumerate(rows) if sum(g < 60 for g in row) > 0.7 * len(row)]
    axis = next(y for y in range(len(rows) - 1, 0, -1) if sum(g < 120 for g in rows[y]) > 0.7 * len(rows[y]))
    top = next(y for y in line if y + 1 not in line)
    each = (axis - top) * 2 / gpus
    inner = [range(int(axis - each * (k + 0.8)), int(axis - each * (k + 0.2))) for k in range(n)]
    clear = [x for x in range(len(rows[0]) // 4, len(rows[0]) * 9 // 10) if all(rows[y][x] < 60 for y in inner[0])]      # not on the grid
    start = next(x for x in clear if all(x + k in clear for k in range(60)))
    seen = [texture([rows[y][start:start + 60] for y in part]) for part in inner]
    for i, a in enumerate(seen):
        for j, b in enumerate(seen[:i]):
            assert any(abs(x - y) >= least for x, y, least in zip(a, b, (25.5, 25.5, 0.3))), f"bands {j + 1} and {i + 1}: {a} {b}"


def dashes(path):
    columns = {x for row in pixels(path) for x, pixel in enumerate(row) if pixel == (112, 112, 112)}
    assert columns, "no second line"
    share = len(columns) / (max(columns) - min(columns) + 1)
    assert share < 0.75, f"{share:.2f} of the columns have it"


def top(path):
    black = [sum(pixel == (0, 0, 0) for pixel in row) for row in pixels(path)]
    wide = len(next(pixels(path)))
    assert max(black) * 2 >= wide, f"{max(black)} black pixels in a row of {wide}"


def fall(path):
    rows = list(pixels(path))
    dark = [sum(max(row[x]) < 60 for row in rows) for x in range(len(rows[0]))]
    assert max(dark) * 6 >= len(rows), f"{max(dark)} dark pixels in a column of {len(rows)}"


def inside(path):
    rows = list(pixels(path))
    edge = rows[0] + rows[-1] + [row[k] for row in rows for k in (0, -1)]
    assert all(pixel == (255, 255, 255) for pixel in edge), "something lies on the edge"


def words(path):
    svg, boxes = open(path, encoding="utf-8").read(), []
    wide, high = (float(re.search(f'{side}="([0-9.]+)"', svg).group(1)) for side in ("width", "height"))
    for at, anchor, size, inner in re.findall(r'<g transform="translate\(([^)]*)\)((?: rotate\([^)]*\))?"[^>]*font-size="([\d.]+)"[^>]*>)\s*<text>(.*?)</text>', svg, re.S):
        text = html.unescape(re.sub("<[^>]*>", "", inner)).strip()
        x, y = (float(part) for part in at.split(","))
        length, up = float(size) * sum(.636 if c.isdigit() else .318 if c in ",." else .5 for c in text), 0.73 * float(size)
        start = {"middle": -length / 2, "end": -length}.get(re.search('text-anchor="([a-z]*)"', anchor).group(1), 0)
        if text:
            boxes.append((text, x - up, y - start - length, x, y - start) if "rotate" in anchor else (text, x + start, y - up, x + start + length, y))
    assert len(boxes) > 2, "no words"
    for i, a in enumerate(boxes):
        assert a[1] >= -1 and a[2] >= -1 and a[3] <= wide + 1 and a[4] <= high + 1, f"{a} leaves {wide} x {high}"
        for b in boxes[:i]:
            assert a[1] >= b[3] or b[1] >= a[3] or a[2] >= b[4] - 0.5 or b[2] >= a[4] - 0.5, f"{a} lies over {b}"


try:
    {"fonts": lambda a: fonts(a[0], float(a[1]), float(a[2])), "grey": lambda a: grey(a[0]),
     "bands": lambda a: bands(a[0], int(a[1])), "stack": lambda a: stack(a[0], int(a[1]), int(a[2])), "dashes": lambda a: dashes(a[0]), "top": lambda a: top(a[0]), "fall": lambda a: fall(a[0]), "inside": lambda a: inside(a[0]),
     "words": lambda a: words(a[0])}[sys.argv[1]](sys.argv[2:])
except AssertionError as wrong:
    sys.exit(f"{sys.argv[2]}: {wrong}")
