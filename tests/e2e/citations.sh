#!/bin/sh
# citations.sh GPUYARD - what sources and documents cite of docs/ is there, and links between Markdown files lead somewhere
# (scripts/check-citations). Its controls: trees in which one reference is wrong, which must be found, with its line.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
check() { # WHAT STATUS
    if [ "$2" -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $1"; fi
}
scripts/check-citations >"$work/said"
check "the project cites what there is" $?
[ -s "$work/said" ] && grep -v ' passed, ' "$work/said"
[ "$(sed -n '$s/ passed.*//p' "$work/said")" -ge 200 ]
check "there are hundreds of citations: it has read them" $?

# ---- A small tree, all right: 12 sections are cited, two of them in the document itself, and there are 4 links ----
tree=$work/tree
cite() { printf '/* %s.md %s */\n' "$1" "$2"; }
mkdir -p "$tree/docs" "$tree/sim"
cat >"$tree/docs/laws.md" <<END
# Laws
## 1 One: _what_ \`it\` is (now)
See $(echo laws).md 2.1, and [two](#21-two), [the other](other.md#i-hpa), [a folder](../sim).
\`[no link](nowhere.md)\`
## 2 Two
### 2.1 Two
### 2.2 Two
### 2.3 Two
## 12. Twelve
$(echo laws).md 12.
END
cat >"$tree/docs/other.md" <<END
# Other
## a First
### a.3 Scores
## i HPA
[one](laws.md#1-one-what-it-is-now)
END
{
    cite laws '2.1, 80 GiB'
    cite laws '2.1 to 2.3'
    cite laws '1, 2: so'
    cite other 'a.3, i'
    printf '/* %s.md 2.2,\n * 2.3. */\n' laws
    printf '%s\n' '/* prometheus/docs: specs/laws.md 99; README.md 99; laws.md has 99 of them */'
} >"$tree/sim/a.c"
said() { scripts/check-citations "$tree" 2>&1; }
[ "$(said)" = "16 passed, 0 failed" ]
check "a tree that is all right: $(said | tail -1)" $?

# ---- Controls: one wrong reference each ----
name() { echo "$1" | sed 's/\.MD /.md /'; }          # so that this file cites nothing
wrong() { # FILE LINE WANTED, of a file that is added
    found=$(said)
    status=$?
    [ $status -eq 1 ] && echo "$found" | grep -Fqx "$1:$2: $(name "$3")" && echo "$found" | tail -1 | grep -q ', 1 failed$'
    check "found: $3 (got: $found)" $?
    rm "$tree/$1"
}
cite laws 3.9 >"$tree/sim/b.h"
wrong sim/b.h 1 "cites laws.MD 3.9: no such heading in docs/laws.md"
cite laws '2.1, 2.2 and 2.4' >"$tree/sim/b.h"
wrong sim/b.h 1 "cites laws.MD 2.4: no such heading in docs/laws.md"
cite laws '2.2 to 2.4' >"$tree/sim/b.h"
wrong sim/b.h 1 "cites laws.MD 2.4: no such heading in docs/laws.md"
printf '/* one\n * two: %s.md\n * 7.1 */\n' laws >"$tree/sim/b.h"
wrong sim/b.h 2 "cites laws.MD 7.1: no such heading in docs/laws.md"
mkdir "$tree/scripts"
printf '# one\n# docs/%s.md 2.1,\n# 7.1\n' laws >"$tree/scripts/b"
wrong scripts/b 2 "cites laws.MD 7.1: no such heading in docs/laws.md"
cite other a.4 >"$tree/sim/b.h"
wrong sim/b.h 1 "cites other.MD a.4: no such heading in docs/other.md"
cite other 'k: so' >"$tree/sim/b.h"
wrong sim/b.h 1 "cites other.MD k: no such heading in docs/other.md"
cite gone 1 >"$tree/sim/b.h"
wrong sim/b.h 1 "cites gone.MD 1: there is no docs/gone.md"
printf 'one\n[x](docs/gone.md)\n' >"$tree/README.md"
wrong README.md 2 "links to docs/gone.md: there is no docs/gone.md"
printf '[x](docs/laws.md#23-three)\n' >"$tree/README.md"
wrong README.md 1 "links to docs/laws.md#23-three: no such heading in docs/laws.md"
printf '\140\140\140\n# Not a heading\n\140\140\140\n[x](#not-a-heading)\n' >"$tree/README.md"
wrong README.md 4 "links to #not-a-heading: no such heading in README.md"

# ---- And in the project itself: a citation that is planted in a copy of it ----
cp -R docs "$work/tree/."
cp -R sim "$work/tree/."
cite models 99.9 >"$tree/sim/planted.c"
said | grep -Fqx "$(name "sim/planted.c:1: cites models.MD 99.9: no such heading in docs/models.md")"
check "found: what is planted in a copy of the project" $?

scripts/check-citations "$work" >"$work/said" 2>&1
[ $? -eq 2 ] && grep -Fqx "$work: want a folder with docs/, got one without" "$work/said"
check "a folder without documents is refused" $?
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
