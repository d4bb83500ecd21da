"""links.py FILE.md... - checks the links between documents: each target exists, and each #anchor is a heading there.

Anchors as GitHub makes them: the heading in lower case without its markup, of which letters, digits, - and _ stay and
blanks become -; a second equal heading gets -1. Links to other hosts are not followed. Pages that are named in LATER may
be absent: then a link to one counts as skipped.
"""
import os
import re
import sys

LATER = {"docs/architecture.md", "docs/glossary.md", "docs/models.md", "docs/reproductions.md", "docs/schedulers.md"}
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")


def lines_outside_code(path):
    inside = False
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            if line.startswith("```"):
                inside = not inside
            elif not inside:
                yield number, line


def anchors(path):
    seen, found = {}, set()
    for _, line in lines_outside_code(path):
        if not re.match(r"#{1,6} ", line):
            continue
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", line.lstrip("#").strip())
        slug = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
        found.add(slug if slug not in seen else f"{slug}-{seen[slug]}")
        seen[slug] = seen.get(slug, 0) + 1
    return found


def main(pages):
    passed = skipped = 0
    wrong = []
    for page in pages:
        paragraphs = []
        for number, line in lines_outside_code(page):
            if paragraphs and paragraphs[-1][1].strip() and line.strip():
                paragraphs[-1][1] += line
            else:
                paragraphs.append([number, line])
        for number, text in paragraphs:
            for target in LINK.findall(re.sub(r"`[^`]*`", lambda m: "x" * len(m.group()), text)):
                if re.match(r"[a-z]+:", target):
                    continue
                file, _, anchor = target.partition("#")
                path = os.path.normpath(os.path.join(os.path.dirname(page), file)) if file else page
                if not os.path.exists(path):
                    if path in LATER:
                        skipped += 1
                    else:
                        wrong.append(f"{page}:{number}: no file {path}")
                elif anchor and path.endswith(".md") and anchor not in anchors(path):
                    wrong.append(f"{page}:{number}: no heading #{anchor} in {path}")
                else:
                    passed += 1
    for line in wrong:
        print(line)
    print(f"{passed} passed, {len(wrong)} failed, {skipped} skipped")
    return 1 if wrong or not passed else 0


sys.exit(main(sys.argv[1:]))
