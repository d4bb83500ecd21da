#!/bin/sh
# golden.sh GPUYARD - the same input gives the same bytes as when tests/golden was written. The
# independent checkers find nothing impossible in any of these runs, the same metrics of quota, and
# the same summary. A mismatch is told by file, row and column; tests/golden/README.md has the runs.
# After a wanted change: golden.sh GPUYARD --update, and say in the commit which rows changed and why.
set -u
gpuyard=$1
golden=tests/golden
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
export PYTHONDONTWRITEBYTECODE=1
TEXT_MOST=40000        # bytes: longer files are kept as a sum alone
check() { # WHAT STATUS
    if [ "$2" -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $1"; fi
}
. tests/support/golden_runs.sh
mkdir "$work/runs"
golden_runs "$gpuyard" "$work/runs"
(cd "$work/runs" && find . -type f ! -name manifest.json | LC_ALL=C sort | xargs sha256sum) >"$work/sums"
if [ "${2:-}" = --update ]; then
    mv "$work/sums" $golden/sums.txt
    rm -rf $golden/runs
    (cd "$work/runs" && find . -name '*.csv' -size -${TEXT_MOST}c) | LC_ALL=C sort | while read -r file; do
        mkdir -p "$(dirname "$golden/runs/$file")"
        cp "$work/runs/$file" "$golden/runs/$file"
    done
    exit 0
fi
scripts/check_summary --names "$work/names" "$work"/runs/* >"$work/summaries" 2>&1
for name in $(cat $golden/runs.txt $golden/small.txt | grep -v '^#' | cut -d'|' -f1); do
    grep "\./$name/" $golden/sums.txt >"$work/want"
    grep "\./$name/" "$work/sums" >"$work/got"
    cmp -s "$work/want" "$work/got"
    same=$?
    if [ $same -ne 0 ]; then
        python3 $golden/rows.py "$golden/runs/$name" "$work/runs/$name"
        diff "$work/want" "$work/got" | sed -n 's/^> [0-9a-f]* /    other bytes: /p'
    fi
    check "$name: other bytes than in $golden" $same
    if [ -f "$work/runs/$name/jobs.csv" ]; then    # members of a federation span all of it
        scripts/check_schedule "$work/runs/$name"
        check "$name: the schedule is impossible" $?
        scripts/check_quotas "$work/runs/$name"
        check "$name: other metrics of quota" $?
    fi
    grep "^$work/runs/$name: ok" "$work/summaries" ||
        { grep "^$work/runs/$name: " "$work/summaries"; false; }
    check "$name: summary.csv is not what the other files say" $?
done

# Every metric has its value recomputed in these runs; those that no file tells are asserted in a
# test by their name. Quantiles that a run is asked for (_pNN) are in quantiles.sh.
"$gpuyard" list metrics --format json | sed -n 's/^ *"name": "\(.*\)",$/\1/p' | grep -v '_pNN' |
    LC_ALL=C sort -u >"$work/metrics"
[ -s "$work/names" ] && [ -s "$work/metrics" ]
check "gpuyard list metrics names some" $?
for metric in $(LC_ALL=C comm -13 "$work/names" "$work/metrics"); do
    grep -rq "\.metric = .*{ \"$metric\", [0-9]" tests --include='*.c'
    check "metric $metric: no golden run has its value recomputed, and no test asserts it" $?
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
