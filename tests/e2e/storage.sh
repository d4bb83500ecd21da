#!/bin/sh
# storage.sh GPUYARD - checkpoints that take time, images and data from the command line: what is said where, and nothing at all
# where they are off.
set -u
gpuyard=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
check() { # WHAT STATUS
    if [ "$2" -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $1"; fi
}
says() { # WHAT FILE PATTERN
    grep -q -e "$3" "$2"
    check "$1: want '$3'" $?
}
run() { # NAME TRACE OPTIONS...
    name=$1 trace=$2
    shift 2
    "$gpuyard" run -c "$work/$name.yaml" -t "$trace" -p srtf --outputs jobs,intervals,timeseries,queues,nodes,summary -o "$work/$name" "$@" \
        >"$work/$name.out" 2>"$work/$name.err"
    check "$name: runs" $?
}
nodes='nodes: [{ group: g, count: 2, gpus: 8 }]'
printf 'job_id,submit_s,duration_s,gpus,model,data_gib,data_set,epochs,image\na,0,40000,8,BERT-large,100,wiki,30,train:1\nb,0,50000,8,ResNet-50,150,,,\nc,100,3600,16,GPT-2 XL,,,,train:1\n' >"$work/t.csv"
printf '%s\npreemption: { checkpoint: periodic, interval_s: auto, node_mtbf_s: 86400, checkpoint_gib: model, blocking: 0.1, start_s: parts, restart_s: parts }\nstorage: { contention: maxmin, cache_gib: 500, gbps: 4 }\n' "$nodes" >"$work/on.yaml"
printf '%s\npreemption: { checkpoint: periodic, interval_s: 1800 }\n' "$nodes" >"$work/off.yaml"
printf '%s\npreemption: { checkpoint: periodic, interval_s: 1800 }\nstorage: { cache_gib: 500, contention: maxmin }\n' "$nodes" >"$work/idle.yaml"

# ---- on: in the report, in jobs.csv, in the story of a job, in the check of the cluster, in the effective configuration
run on "$work/t.csv"
says report "$work/on.out" '^  checkpoints  [0-9]* written ([0-9.]* GiB), 0 cut short'
says report "$work/on.out" '^  images       [0-9]* pulled'
says report "$work/on.out" '^  data         250.0 GiB read, 92.1% from caches of nodes'   # 2900 of 3150 GiB
says columns "$work/on/jobs.csv" '^job_id,.*,read_gib,cached_gib,pull_gpu_s,checkpoints,checkpoint_gpu_s,written_gib'
says "columns of nodes" "$work/on/nodes.csv" '^node,.*,checkpoint_gpu_s$'
scripts/check_schedule "$work/on" >"$work/schedule" || cat "$work/schedule"
says schedule "$work/schedule" '^ok: 3 jobs'
says configuration "$work/on/manifest.json" 'checkpoint_gib: model'
says configuration "$work/on/manifest.json" 'interval_s: auto'
"$gpuyard" explain "$work/on" a >"$work/story" 2>&1
says story "$work/story" '^  checkpoints   [0-9]* written; it was stalled for'
says story "$work/story" '^  image         .* of waiting for its image'
says story "$work/story" '^  data          100 GiB from the storage, 2900 GiB from the caches of its nodes'
"$gpuyard" check "$work/on.yaml" >"$work/checked" 2>&1
says check "$work/checked" "checkpoints   at Daly's interval, 14 bytes for each parameter of the model"
says check "$work/checked" 'storage       100 GB/s read, 100 GB/s written; by a node 5 GB/s and 2 GB/s; 4'

# ---- nodes.csv: what jobs stood still for by node and by job is the same and not 0, and the accounts of a node add up to 8 GPUs
# over the span from the first submit (0) to the last end
total() { # FILE COLUMNS, as a pattern
    awk -F, -v want="^($2)\$" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ want) at[i] }
                             NR > 1 { for (i in at) sum += $i } END { printf "%.3f\n", sum }' "$1"
}
jobs=$(total "$work/on/jobs.csv" checkpoint_gpu_s) nodes_stood=$(total "$work/on/nodes.csv" checkpoint_gpu_s)
[ "$jobs" = "$nodes_stood" ] && [ "$jobs" != 0.000 ]
check "checkpoint_gpu_s: $jobs by job, $nodes_stood by node" $?
held=$(total "$work/on/nodes.csv" '(free|start|useful|lost|save|gang|checkpoint)_gpu_s')
span=$(awk -F, 'NR > 1 && $10 > end { end = $10 } END { printf "%.3f\n", 16 * end }' "$work/on/jobs.csv")
[ "$held" = "$span" ]
check "accounts of nodes: $held of $span GPU-seconds" $?

# ---- twice the same bytes
cp -r "$work/on" "$work/first"
run on "$work/t.csv"
for f in jobs intervals timeseries nodes summary; do
    cmp -s "$work/first/$f.csv" "$work/on/$f.csv"
    check "on, twice: $f.csv" $?
done

# ---- off: a storage that nobody reads from or writes to leaves no byte different
cut -d, -f1-4 "$work/t.csv" >"$work/plain.csv"
run off "$work/plain.csv"
run idle "$work/plain.csv"
for f in jobs intervals timeseries queues nodes summary; do
    cmp -s "$work/off/$f.csv" "$work/idle/$f.csv"
    check "idle: $f.csv" $?
done
! grep -q -e checkpoint -e pull -e read_gib "$work/off/jobs.csv" "$work/off/summary.csv"
check "off: no column, no metric" $?

# ---- what is wrong
printf '%s\npreemption: { checkpoint: periodic, interval_s: 60, checkpoint_gib: model }\n' "$nodes" >"$work/model.yaml"
"$gpuyard" run -c "$work/model.yaml" -t "$work/plain.csv" -o "$work/model" >"$work/model.out" 2>"$work/model.err"
[ $? = 3 ]
check "a model that is not known: exit status 3" $?
says "no model" "$work/model.err" "checkpoint_gib is 'model': job 'a': want a model that is known, got none"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
