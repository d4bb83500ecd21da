# golden_runs.sh - golden_runs GPUYARD DIR: plays every run of tests/golden into DIR/NAME. Called at the top of the tree.
golden_trim() { # TEXT: without blanks around it
    echo "$1" | sed 's/^ *//; s/ *$//'
}
golden_runs()
{
    grep -v '^#' tests/golden/runs.txt | while IFS='|' read -r name options; do
        # shellcheck disable=SC2086
        "$1" run -q -c traces/samples/four_teams.yaml -t traces/samples/four_teams.csv $options \
            --outputs jobs,intervals,timeseries,queues,nodes,summary,events -o "$2/$(golden_trim "$name")" || echo "$name: run failed"
    done
    grep -v '^#' tests/golden/small.txt | while IFS='|' read -r name cluster trace options; do
        # shellcheck disable=SC2086
        "$1" run -q -c tests/golden/inputs/"$(golden_trim "$cluster")" -t tests/golden/inputs/"$(golden_trim "$trace")" \
            $options --outputs all -o "$2/$(golden_trim "$name")" || echo "$name: run failed"
    done
}
