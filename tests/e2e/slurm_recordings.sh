#!/bin/sh
# slurm_recordings.sh GPUYARD - what a real Slurm 22.05 did with small workloads, played by policy `slurm`: every run starts
# in the slot and on the nodes of the recording, and no limit is passed (tests/conformance/slurm/replay.py). The recordings of
# tests/conformance/slurm, and those of $GPUYARD_SHARED/slurm where it is. `make slurm-facts` records the first anew.
set -u
gpuyard=$1
. tests/support/checks.sh
command -v python3 >/dev/null || { echo "skipped: no python3"; echo "0 passed, 0 failed, 1 skipped"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
shared=${GPUYARD_SHARED:-../shared}/slurm
recordings=tests/conformance/slurm
found=
for folder in $recordings/*/ "$shared"/grid-*/; do
    folder=${folder%/}
    [ -s "$folder/runs.csv" ] || continue
    case $folder in "$shared"/*) found=yes ;; esac
    name=$(basename "$folder")
    python3 $recordings/replay.py "$gpuyard" "$folder" "$work/$name" && ok || fail "$name differs from the recording"
done
[ -n "$found" ] || { echo "skipped: no $shared"; skipped=1; }

# Controls: another order, windows of another width, nodes of no weight, victims of another order, another depth.
while read -r name change; do
    python3 $recordings/replay.py "$gpuyard" $recordings/"$name" "$work/control" "$change" >"$work/said" 2>&1
    [ $? -eq 1 ] && grep -q ' runs simulated' "$work/said" && ok || fail "$name with $change should differ: $(cat "$work/said")"
done <<END
queue w_partition=0
queue bf_max_job_test=10
queue bf_resolution=600
tiers requeue_delay_s=200
tiers preempt=none
narrow partition_job_depth=1
het bf_resolution=120
suspend preempt=none
END
echo "$passed passed, $failed failed, ${skipped:-0} skipped"
[ "$failed" -eq 0 ]
