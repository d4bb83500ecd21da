#!/bin/sh
# tas_runs.sh GPUYARD - random small situations of topology-aware scheduling as whole runs of placer kueue-tas, and by the second
# implementation: the same nodes (tas_runs.py). GPUYARD_ROUNDS situations a kind (50), drawn with GPUYARD_SEED (3).
set -u
command -v python3 >/dev/null || { echo "skipped: no python3"; echo "0 passed, 0 failed, 1 skipped"; exit 0; }
exec python3 tests/conformance/tas_runs.py "$1" "${GPUYARD_ROUNDS:-50}" "${GPUYARD_SEED:-3}"
