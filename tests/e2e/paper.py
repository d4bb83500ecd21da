#!/usr/bin/env python3
"""paper.py fonts PDF INCHES POINTS | grey PNG | bands PNG N | dashes PNG - whether a picture is fit for a paper's column.

fonts: the page is that wide, every text has that size, and every font is in the file.
grey: no pixel has a colour.
bands: seen in grey (Rec. 601: .299 R + .587 G + .114 B), there are N fills that differ by at least a tenth of the way from black to
white from each other and from the paper. A fill is a value that at least one pixel in 50 has.
dashes: the second line, in the grey 112 of common.gp, has gaps: of the columns from its first to its last at least a quarter have none of it.
"""
import collections
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


def dashes(path):
    columns = {x for row in pixels(path) for x, pixel in enumerate(row) if pixel == (112, 112, 112)}
    assert columns, "no second line"
    share = len(columns) / (max(columns) - min(columns) + 1)
    assert share < 0.75, f"{share:.2f} of the columns have it"


try:
    {"fonts": lambda a: fonts(a[0], float(a[1]), float(a[2])), "grey": lambda a: grey(a[0]),
     "bands": lambda a: bands(a[0], int(a[1])), "dashes": lambda a: dashes(a[0])}[sys.argv[1]](sys.argv[2:])
except AssertionError as wrong:
    sys.exit(f"{sys.argv[2]}: {wrong}")
