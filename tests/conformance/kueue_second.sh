#!/bin/sh
# kueue_second.sh CONFORMANCE - random small situations of Kueue's quotas through the code of the policy `cohort` and through
# kueue_second.py: the same decisions, all of them. GPUYARD_ROUNDS situations a kind (50), drawn with GPUYARD_SEED (3).
set -u
command -v python3 >/dev/null || { echo "skipped: no python3"; echo "0 passed, 0 failed, 1 skipped"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 tests/conformance/kueue_second.py "$work" "${GPUYARD_ROUNDS:-50}" "${GPUYARD_SEED:-3}" || exit 1
status=0
"$1" "$work" >"$work/answers" || status=$?
grep -E '^(FAILED|skipped) ' "$work/answers"
tail -n 1 "$work/answers"
[ "$status" = 0 ] && tail -n 1 "$work/answers" | grep -q ' 0 failed, 0 skipped$'
