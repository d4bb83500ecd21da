# The plain replay: a million jobs of 1 to 64 GPUs, load .9, on clusters of three sizes, in turn with the floor, which only
# reads the trace and writes the rows.
# shellcheck disable=SC1091,SC2154    # common.sh, and what scripts/bench exports
. "$here/common.sh"
for gpus in 1024 16384 131072; do
    cluster=$(cluster_of $((gpus / 8))) trace=$(trace_of "$jobs" $gpus .9)
    replay run$gpus "$cluster" "$trace" -p fifo --placement pack
    floor_of floor$gpus "$cluster" "$trace"
done
in_turn "$times" run1024 floor1024 run16384 floor16384 run131072 floor131072
bytes=$(awk -v kib="$(peak_kib run16384)" -v n="$jobs" 'BEGIN { printf "%.0f", kib * 1024 / n }')
title="$jobs jobs, load .9, fifo, pack"
judge "$title, 16384 GPUs: jobs/s" "$(rate "$jobs" "$(took run16384)")" '>=' 400000
judge "  time, to the floor" "$(ratio "$(took run16384)" "$(took floor16384)")" '<=' 1.6
judge "  peak memory: bytes a job" "$bytes" '<=' 120
for gpus in 1024 131072; do
    note "$title, $gpus GPUs: jobs/s" "$(rate "$jobs" "$(took run$gpus)")"
    judge "  time, to the floor" "$(ratio "$(took run$gpus)" "$(took floor$gpus)")" '<=' 3
done
judge "  time per job, 131072 GPUs to 1024 GPUs" "$(ratio "$(took run131072)" "$(took run1024)")" '<=' 1.15

replay kept "$(cluster_of 2048)" "$(trace_of "$jobs" 16384 .9)" -p fifo --placement pack --resident-mib 1048576
replay filed "$(cluster_of 2048)" "$(trace_of "$jobs" 16384 .9)" -p fifo --placement pack
in_turn "$times" kept filed
bytes=$(awk -v kib="$(peak_kib kept)" -v n="$jobs" 'BEGIN { printf "%.0f", kib * 1024 / n }')
note "  16384 GPUs, all tables in memory: bytes a job" "$bytes"
note "  time of that with tables in files, to it" "$(ratio "$(took filed)" "$(took kept)")"
finish
