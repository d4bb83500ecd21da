#!/bin/sh
# golden.sh GPUYARD - the same input gives the same bytes as when tests/golden/sums.txt was written, and the independent
# checkers find nothing impossible in any of these runs, and the same metrics of quota. After a wanted change: golden.sh GPUYARD --update, and say in the
# commit which rows changed and why.
set -u
gpuyard=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
check() { # WHAT STATUS
    if [ "$2" -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $1"; fi
}
grep -v '^#' tests/golden/runs.txt | while IFS='|' read -r name options; do
    name=$(echo "$name" | tr -d ' ')
    # shellcheck disable=SC2086
    "$gpuyard" run -q -c traces/samples/four_teams.yaml -t traces/samples/four_teams.csv $options \
        --outputs jobs,intervals,timeseries,queues,nodes,summary,events -o "$work/$name" || echo "$name: run failed"
done
(cd "$work" && find . -type f ! -name manifest.json | LC_ALL=C sort | xargs sha256sum) >"$work.sums"
if [ "${2:-}" = --update ]; then
    mv "$work.sums" tests/golden/sums.txt
    exit 0
fi
for name in $(grep -v '^#' tests/golden/runs.txt | cut -d'|' -f1); do
    grep "/$name/" tests/golden/sums.txt >"$work/want"
    grep "/$name/" "$work.sums" >"$work/got"
    [ -s "$work/got" ] && diff "$work/want" "$work/got" | sed -n "s/^> [0-9a-f]* /    other: /p"
    cmp -s "$work/want" "$work/got"
    check "$name: other bytes than tests/golden/sums.txt" $?
    scripts/check_schedule "$work/$name"
    check "$name: the schedule is impossible" $?
    scripts/check_quotas "$work/$name"
    check "$name: other metrics of quota" $?
done
rm -f "$work.sums"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
