#!/bin/sh
# malformed.sh GPUYARD - every row of malformed.txt; and that a row which expects something else is seen to fail.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for wrong in '3 x: want at least one job, got none!' '2 x: want at least one job, got none' '0'; do
    printf 'no job\n  trace job_id,submit_s,duration_s,gpus\\n\n  %s\n' "$wrong" >"$work/wrong.txt"
    if tests/e2e/malformed.py "$1" "$work/wrong.txt" >/dev/null; then
        echo "FAILED: '$wrong' passes"
        exit 1
    fi
done
tests/e2e/malformed.py "$1" tests/e2e/malformed.txt
