# Memory of jobs that are drawn by laws and leave a summary only: it hardly grows with them. All that is kept of a job
# takes 190 bytes in files (docs/performance.md); a tenth of that may remain in memory. BENCH_MANY=1: a hundred million
# jobs, too, which take minutes and 23 GB of disk below TMPDIR.
# shellcheck disable=SC1091,SC2154    # common.sh, and what scripts/bench exports
. "$here/common.sh"
cat >"$work/laws.yaml" <<'Y'
workload: w
load: { target: .9 }
gpus: { 1: .5, 2: .15, 4: .12, 8: .12, 16: .06, 32: .03, 64: .02 }
durations: { law: exponential, mean_s: 3600 }
Y
drawn() { # JOBS
    command_of "drawn$1" "$gpuyard" run -q -c "$(cluster_of 2048)" -t "$work/laws.yaml:synth:jobs=$1" -p fifo --outputs summary \
        -o "$work/out-$1"
    in_turn 1 "drawn$1"
    row "$1 jobs drawn by laws, fifo, summary only: peak, MiB" "$(($(peak_kib "drawn$1") / 1024))" '' ''
    note "  jobs/s" "$(rate "$1" "$(took "drawn$1")")"
}
few=$jobs most=$((10 * jobs))
drawn "$few"
few_kib=$(peak_kib "drawn$few")
drawn "$most"
if [ "$many" ]; then
    most=$((100 * jobs))
    drawn "$most"
else
    skipped "$((100 * jobs)) jobs drawn by laws: BENCH_MANY=1 has them"
fi
bytes=$(awk -v a="$few_kib" -v b="$(peak_kib "drawn$most")" -v n=$((most - few)) 'BEGIN { printf "%.1f", (b - a) * 1024 / n }')
judge "  each job beyond $few: bytes of peak memory" "$bytes" '<=' 19
judge "  peak of $most jobs: GiB" "$(awk -v kib="$(peak_kib "drawn$most")" 'BEGIN { printf "%.2f", kib / 1048576 }')" '<=' 24
finish
