# What policies cost when 16,384 GPUs are overloaded: load 1.2, 80,000 and 20,000 jobs of 1 to 64 GPUs, as multiples of fifo.
# shellcheck disable=SC1091,SC2154    # common.sh, and what scripts/bench exports
. "$here/common.sh"
many_jobs=$((jobs * 8 / 100)) few_jobs=$((jobs * 2 / 100))
cluster=$(cluster_of 2048)
for policy in fifo preemptive quota gang; do
    replay $policy-many "$cluster" "$(trace_of $many_jobs 16384 1.2)" -p $policy
done
for policy in fifo conservative gittins themis; do
    replay $policy-few "$cluster" "$(trace_of $few_jobs 16384 1.2)" -p $policy
done
in_turn "$times" fifo-many preemptive-many quota-many gang-many fifo-few conservative-few gittins-few themis-few
note "load 1.2, 16384 GPUs, fifo, $many_jobs jobs: s" "$(took fifo-many)"
note "  fifo, $few_jobs jobs: s" "$(took fifo-few)"
for policy in preemptive quota gang; do
    judge "  $policy, $many_jobs jobs, to fifo of $many_jobs" "$(ratio "$(took $policy-many)" "$(took fifo-many)")" '<=' 5
done
judge "  conservative, $few_jobs jobs, to fifo of $few_jobs" "$(ratio "$(took conservative-few)" "$(took fifo-few)")" '<=' 25
for policy in gittins themis; do
    judge "  $policy, $few_jobs jobs, to fifo of $many_jobs" "$(ratio "$(took $policy-few)" "$(took fifo-many)")" '<=' 1.67
done

# Others, once, for the eye. Without checkpoints jobs under las and srtf lose all they did at every stop: las ends in a livelock.
for policy in easy multifactor fair-tree; do
    replay $policy "$cluster" "$(trace_of $many_jobs 16384 1.2)" -p $policy
done
for policy in las srtf; do
    replay $policy "$(teams_of 2048 1)" "$(trace_of $many_jobs 16384 1.2 1)" -p $policy
done
replay gang-1.5 "$cluster" "$(trace_of $many_jobs 16384 1.5)" -p gang
in_turn 1 fifo-many easy multifactor fair-tree las srtf gang-1.5
for policy in easy multifactor fair-tree las srtf; do
    note "  $policy, $many_jobs jobs, to fifo of $many_jobs" "$(ratio "$(took $policy)" "$(took fifo-many)")"
done
note "  gang at load 1.5, $many_jobs jobs, to fifo of $many_jobs" "$(ratio "$(took gang-1.5)" "$(took fifo-many)")"
finish
