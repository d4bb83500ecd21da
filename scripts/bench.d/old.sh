# Another build in turn with this one: OLD=PATH names it. How often as fast this one is.
# shellcheck disable=SC1091,SC2154    # common.sh, and what scripts/bench exports
. "$here/common.sh"
if [ -z "$old" ]; then
    skipped "this build against another: make bench OLD=PATH-TO-ITS-GPUYARD"
    finish
fi
trace=$shared/traces/swf-easy/CEA-curie.swf.zst
against_old() { # TITLE BOUND TIMES CLUSTER TRACE OPTION...
    title=$1 bound=$2 n=$3
    shift 3
    by=$old replay before "$@"
    by=$gpuyard replay now "$@"
    in_turn "$n" before now
    judge "$title: old to new" "$(ratio "$(took before)" "$(took now)")" '>=' "$bound"
    note "  s, old and new" "$(took before) $(took now)"
}
if [ -f "$trace" ]; then
    against_old "CEA-Curie, EASY" 2 "$times" "$(curie_of)" "$trace" -p easy --placement count
    against_old "CEA-Curie, conservative" 5 1 "$(curie_of)" "$trace" -p conservative --placement count
else
    skipped "CEA-Curie, this build against another: no $trace"
fi
against_old "$jobs jobs, load 1.2, 200 queues, quota, --pods 8" 3 1 "$(teams_of 2048 200)" "$(trace_of "$jobs" 16384 1.2 200)" \
    -p quota --pods 8
against_old "$jobs jobs, 16384 GPUs, load .9, fifo, pack" 1 "$times" "$(cluster_of 2048)" "$(trace_of "$jobs" 16384 .9)" -p fifo \
    --placement pack

# What policies cost under overload, in units of the other build's fifo.
many_jobs=$((jobs * 8 / 100)) few_jobs=$((jobs * 2 / 100))
cluster=$(cluster_of 2048)
by=$old replay fifo "$cluster" "$(trace_of $many_jobs 16384 1.2)" -p fifo
for policy in preemptive quota gang; do
    by=$gpuyard replay $policy "$cluster" "$(trace_of $many_jobs 16384 1.2)" -p $policy
done
for policy in conservative gittins themis; do
    by=$gpuyard replay $policy "$cluster" "$(trace_of $few_jobs 16384 1.2)" -p $policy
done
in_turn "$times" fifo preemptive quota gang conservative gittins themis
note "load 1.2, 16384 GPUs, the other build's fifo, $many_jobs jobs: s" "$(took fifo)"
to_fifo() { # BOUND JOBS POLICY...
    bound=$1 n=$2
    shift 2
    for policy; do
        judge "  $policy, $n jobs, to it" "$(ratio "$(took "$policy")" "$(took fifo)")" '<=' "$bound"
    done
}
to_fifo 5 $many_jobs preemptive quota gang
to_fifo 6.67 $few_jobs conservative
to_fifo 1.67 $few_jobs gittins themis
finish
