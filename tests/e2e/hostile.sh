#!/bin/sh
# hostile.sh PATH-TO-GPUYARD - names with line feeds, quotes, commands and bytes that are no UTF-8 through every writer.
set -u
command -v python3 >/dev/null || { echo "skipped: no python3"; echo "0 passed, 0 failed, 1 skipped"; exit 0; }
exec python3 tests/e2e/hostile.py "${1:?usage: hostile.sh PATH-TO-GPUYARD}"
