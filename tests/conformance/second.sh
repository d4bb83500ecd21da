#!/bin/sh
# second.sh CONFORMANCE - random small situations through the policies and through second*.py: the same decisions.
# GPUYARD_ROUNDS situations a kind (50), drawn with GPUYARD_SEED (3);
# and those of kept.json, which the policy once decided otherwise.
set -u
command -v python3 >/dev/null || { echo "skipped: no python3"; echo "0 passed, 0 failed, 1 skipped"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for program in tests/conformance/second*.py; do
    python3 "$program" "$work" "${GPUYARD_ROUNDS:-50}" "${GPUYARD_SEED:-3}" || exit 1
done
cp tests/conformance/kept.json "$work"
"$1" "$work"
