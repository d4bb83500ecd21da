#!/bin/sh
# same_bytes.sh GPUYARD - the same bytes twice, from gcc and clang, at -O0 and -O2.
set -u
gpuyard=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0 skipped=0

sums() { # GPUYARD: a line a file of a few runs
    rm -rf "$work/run"
    while IFS='|' read -r name options; do
        # shellcheck disable=SC2086
        "$1" run -q -c traces/samples/four_teams.yaml -t traces/samples/four_teams.csv $options \
            --outputs jobs,intervals,timeseries,queues,nodes,summary,events -o "$work/run/$(echo "$name" | tr -d ' ')"
    done <"$work/runs"
    (cd "$work/run" && find . -type f ! -name manifest.json | LC_ALL=C sort | xargs sha256sum)
}
compare() { # WHAT GPUYARD
    sums "$2" >"$work/got"
    if [ -s "$work/got" ] && diff "$work/want" "$work/got"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $1 gives other bytes"
    fi
}
grep -v '^#' tests/golden/runs.txt >"$work/runs"
sums "$gpuyard" >"$work/want"
compare "the same program" "$gpuyard"
for cc in gcc clang; do
    for level in O0 O2; do
        if ! command -v $cc >/dev/null; then
            echo "skipped: $cc -$level: no $cc here"
            skipped=$((skipped + 1))
            continue
        fi
        out=build/same-$cc-$level
        if make -s MODE=release OUT=$out LTO= CC=$cc CFLAGS="-$level -Werror -U_FORTIFY_SOURCE" $out/gpuyard >"$work/log" 2>&1; then
            compare "$cc -$level" $out/gpuyard
        else
            tail -n 20 "$work/log"
            failed=$((failed + 1))
            echo "FAILED: $cc -$level does not build without a warning"
        fi
    done
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
