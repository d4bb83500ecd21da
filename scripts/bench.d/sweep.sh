# What a sweep costs beyond its runs, and what a second worker saves.
# shellcheck disable=SC1091,SC2154    # common.sh, and what scripts/bench exports
. "$here/common.sh"
cat >"$work/small.yaml" <<Y
clusters: $PWD/traces/samples/four_teams.yaml
traces: $PWD/traces/samples/four_teams.csv
policies: [ fifo, "fifo:blocking=skip", sjf, easy ]
placements: [ pack, spread ]
seeds: 1..$(part 8000)
Y
"$bench/sweep_cost" "$gpuyard" "$work/small.yaml" "$work/swept" "$times" >"$work/figures"
read -r points runs_s sweep_s <"$work/figures"
judge "sweep of $points runs of the demo: % above the runs" \
    "$(awk -v a="$sweep_s" -v b="$runs_s" 'BEGIN { printf "%.1f", 100 * (a / b - 1) }')" '<' 5
for workers in 1 2; do
    # a folder of its own each time: a sweep goes on where another ended
    printf "#!/bin/sh\nexec '%s' sweep '%s' -q -j%d -o '%s'/out-\$\$\n" "$gpuyard" "$work/small.yaml" $workers "$work" \
        >"$work/workers$workers"
    chmod +x "$work/workers$workers"
done
in_turn "$times" workers1 workers2
judge "  two workers to one, on two idle cores" "$(ratio "$(took workers1)" "$(took workers2)")" '>=' 1.8
finish
