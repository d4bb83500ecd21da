#!/bin/sh
# links.sh - the links between the documents of this repository lead somewhere (links.py), which is shown to notice a
# missing file and a missing heading.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf '# A page\n[a](gone.md) and [b](#a-page), but not [c](#another)\n' >"$work/page.md"
python3 tests/e2e/links.py "$work/page.md" >"$work/said"
if [ "$(tail -1 "$work/said")" != '1 passed, 2 failed, 0 skipped' ]; then
    cat "$work/said"
    echo 'FAILED: links.py misses a dead link'
    echo '0 passed, 1 failed'
    exit 1
fi
find . -name build -prune -o -name .git -prune -o -path './results/*/*' -prune -o -name '*.md' -print |
    sed 's|^\./||' | LC_ALL=C sort >"$work/pages"
# shellcheck disable=SC2046
python3 tests/e2e/links.py $(cat "$work/pages")
