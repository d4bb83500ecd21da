# Queues that share 16,384 GPUs at load 1.2.
# shellcheck disable=SC1091,SC2154    # common.sh, and what scripts/bench exports
. "$here/common.sh"
replay quota "$(teams_of 2048 200)" "$(trace_of "$jobs" 16384 1.2 200)" -p quota --pods 8
in_turn 1 quota
judge "$jobs jobs, load 1.2, 200 queues, quota, --pods 8: jobs/s" "$(rate "$jobs" "$(took quota)")" '>=' 30000

some=$((jobs * 8 / 100))
for queues in 200 2000; do
    replay pods$queues "$(teams_of 2048 $queues)" "$(trace_of $some 16384 1.2 $queues)" -p quota --pods 8
    replay whole$queues "$(teams_of 2048 $queues)" "$(trace_of $some 16384 1.2 $queues)" -p quota
done
in_turn "$times" pods200 pods2000 whole200 whole2000
judge "  $some jobs, quota, --pods 8: 2000 queues to 200" "$(ratio "$(took pods2000)" "$(took pods200)")" '<=' 1.5
judge "  the same without pods: 2000 queues to 200" "$(ratio "$(took whole2000)" "$(took whole200)")" '<=' 1.5

cohort_of() { # NODES QUEUES: one cohort whose queues have an equal quota of each of three flavors, in turn
    awk -v nodes="$1" -v queues="$2" 'BEGIN {
        print "nodes:"
        for (f = 0; f < 3; f++)
            printf "  - { group: f%d, count: %d, gpus: 8, labels: { pool: f%d } }\n", f, nodes / 3, f
        print "flavors:"
        for (f = 0; f < 3; f++)
            printf "  - { name: f%d, node_labels: { pool: f%d } }\n", f, f
        print "queues:\n  - name: org\n    preemption: { reclaim_within_cohort: any }\n    queues:"
        for (q = 0; q < queues; q++) {
            printf "      - { name: q%d, flavors: [", q
            for (f = 0; f < 3; f++)
                printf "%s{ flavor: f%d, deserved_gpus: %d }", f ? ", " : " ", (q + f) % 3, int(nodes / 3) * 8 / queues
            print " ] }"
        }
        print "preemption: { checkpoint: periodic, interval_s: 1800, restart_s: 30, grace_s: 30 }"
    }' >"$work/cohort.yaml"
    echo "$work/cohort.yaml"
}
some=$((jobs / 10))
replay cohort "$(cohort_of 2048 200)" "$(trace_of $some 16384 1.2 200)" -p cohort --pods 8
in_turn "$times" cohort
judge "$some jobs, 200 queues, 3 flavors, cohort, --pods 8: jobs/s" "$(rate $some "$(took cohort)")" '>=' 20000
finish
