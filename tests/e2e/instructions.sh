#!/bin/sh
# instructions.sh GPUYARD - no policy takes a tenth more instructions than in the committed table: 1,000 and 2,000 jobs at load 1.2, as
# `make bench-short` counts them. Instructions are those of a compiler: with another one than the table's there is nothing to compare.
set -u
bench=$(dirname "$(realpath "$1")")/tests/short
. "$(dirname "$0")/../support/in_folder.sh"
skip() { # WHY
    echo "skipped: instructions: $1"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
}
[ "${MODE:-release}" = release ] || skip "the table is of a release build"
command -v valgrind >/dev/null || skip "no valgrind here: make deps-check installs it"
[ -x "$bench/make_trace" ] || skip "no programs in $bench: make bench-short builds them"
of=$(cat "$root/results/baseline/compiler.txt")
here=$(cc --version | head -n 1)
[ "$here" = "$of" ] || skip "the table is of $of, this is $here"

"$root/scripts/bench-policies" --short "$G" "$bench" >"$work/table" 2>&1
status=$?
grep -e ', load ' "$work/table" >"$work/rows"
while read -r row; do
    case $row in
    *FAILS*) fail "$row" ;;
    *) ok ;;
    esac
done <"$work/rows"
check "as many rows as policies" "$([ "$(wc -l <"$work/rows")" -eq "$("$G" list policies | grep -c '^[a-z]')" ]; echo $?)"
check "the bench ends with 0: $(tail -n 1 "$work/table")" $status
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
