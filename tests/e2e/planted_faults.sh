#!/bin/sh
# planted_faults.sh GPUYARD - the independent checker accepts a good run and rejects each fault planted into a copy of it.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf 'nodes:\n  - { group: a, count: 4, gpus: 8, gpu_model: V100-SXM2-32 }\n  - { group: b, count: 2, gpus: 8, gpu_model: A10-24 }\n  - { group: pool, count: 1, gpus: 100, gpu_model: T4-16, counted: true }\nqueues:\n  - { name: vision }\n  - { name: language, nodes: { b: 2 } }\n  - { name: robotics }\n  - { name: platform }\npreemption: { checkpoint: periodic, interval_s: 600, save_s: 10, restart_s: 60 }\n' >"$work/cluster.yaml"
awk -F, -v OFS=, 'NR == 1 { print $0 ",gpus_per_task,gpu_type"; next }
    { t = ""; type = ""; if ($4 >= 4 && NR % 3 == 0) t = $4 / 4; if ($5 != "language") type = NR % 2 ? "V100-SXM2-32" : "T4-16|V100-SXM2-32"
      print $0, t, type }' traces/samples/four_teams.csv >"$work/trace.csv"
"$1" run -q -c "$work/cluster.yaml" -t "$work/trace.csv" -p srtf -o "$work/run" || exit 1
tests/e2e/planted_faults.py "$work/run"
