#!/bin/sh
# reference.sh GPUYARD - the reference pages name all that there is: results/README.md the columns and metrics that the program
# can write, sim/physics/PHYSICS.md the keys that it reads; and the example of the latter runs.
set -u
gpuyard=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
check() { # WHAT STATUS
    if [ "$2" -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $1"; fi
}
words() { grep -o '`[^`]*`' "$1" | tr -c 'a-zA-Z0-9_\n' '\n' | sort -u; }    # PAGE: all that stands between backticks
lacking() { sort -u | comm -23 - "$1"; }                                       # WORDS: those on standard input that are not there
all_there() { # WHAT NAMES WORDS
    n=$(wc -l <"$2")
    missing=$(lacking "$3" <"$2")
    [ "$n" -gt 0 ] && [ -z "$missing" ]
    check "$1: $n names, not there: $missing" $?
}
words results/README.md >"$work/results"
words sim/physics/PHYSICS.md >"$work/physics"

# ---- Columns and metrics; wait_REASON_s stands for those that every run has, and REASON in the table of reasons
"$gpuyard" list columns --format json >"$work/columns.json"
sed -n 's/^ *"\([a-z0-9_]*\)",\{0,1\}$/\1/p' "$work/columns.json" | sed 's/^wait_\(.*\)_s$/\1/' >"$work/columns"
all_there "columns in results/README.md" "$work/columns" "$work/results"
"$gpuyard" list metrics --format json | sed -n 's/^ *"name": "\(.*\)",$/\1/p' >"$work/metrics"
all_there "metrics in results/README.md" "$work/metrics" "$work/results"
for name in placement_slowdown checkpoint_gpu_s power_w there_s; do
    grep -Fqx $name "$work/columns"
    check "columns of models are listed: $name" $?
done
[ "$(echo no_such_name | lacking "$work/results")" = no_such_name ]
check "a name that is not there is missed" $?

# ---- Keys: an unknown one is answered with all that are known
keys() { # WHAT CLUSTER-FILE: one with a key qqqqqqqq
    printf '%s\n' "$2" >"$work/c.yaml"
    "$gpuyard" check "$work/c.yaml" 2>&1 | sed -n "s/.*unknown key 'qqqqqqqq': want one of //p" | tr -d ' ' | tr ',' '\n' >"$work/keys"
    all_there "keys of $1 in PHYSICS.md" "$work/keys" "$work/physics"
}
nodes='nodes: [ { group: g, count: 2, gpus: 8, gpu_model: A100-SXM4-80, nics: 8, nic_gbps: 25 } ]'
for section in preemption failures storage power prices elastic sharing progress fabric; do
    keys $section "$nodes
$section: { qqqqqqqq: 1 }"
done
keys "progress: factors" "$nodes
progress: { factors: { qqqqqqqq: 1 } }"
keys "fabric: ring_step_us" "$nodes
fabric: { ring_step_us: { qqqqqqqq: 1 } }"
keys "elastic: models" "$nodes
elastic: { models: { m: { qqqqqqqq: 1 } } }"
keys "elastic: models: gpus" "$nodes
elastic: { models: { bert: { gpus: { A100: { qqqqqqqq: 1 } } } } }"
keys "sharing: duties" "$nodes
sharing: { duties: { m: { qqqqqqqq: 1 } } }"
keys "failures: maintenance" "$nodes
failures: { maintenance: [ { qqqqqqqq: 1 } ] }"
keys "failures: faults" "$nodes
failures: { faults: [ { qqqqqqqq: 1 } ] }"
keys "power: groups" "$nodes
power: { groups: { g: { qqqqqqqq: 1 } } }"
keys "prices: groups" "$nodes
prices: { groups: { g: { qqqqqqqq: 1 } } }"
for list in gpu_models node_types models; do
    keys $list "$nodes
$list: [ { name: a, qqqqqqqq: 1 } ]"
done
keys "pool" "nodes: [ { group: g, count: 2, gpus: 8, pool: { qqqqqqqq: 1 } } ]"
keys "spot" "nodes: [ { group: g, count: 2, gpus: 8, pool: { spot: { qqqqqqqq: 1 } } } ]"
printf 'job_id,submit_s,duration_s,gpus,qqqqqqqq\n' >"$work/t.csv"
"$gpuyard" check "$work/t.csv:native" 2>&1 | sed -n "s/.*unknown column 'qqqqqqqq': want one of \(.*\), or a name.*/\1/p" | tr -d ' ' | tr ',' '\n' |
    sed -n '/^checkpoint$/,$p; /^\(model\|data_gib\|mig\|moldable\|m.._gpus\|max_tasks\|gpu_mem_gib\|gpu_share_mem_gib\)$/p' | grep -v '^group$' >"$work/keys"
all_there "columns of the native trace in PHYSICS.md" "$work/keys" "$work/physics"

# ---- The example
awk '/^```yaml/ { on = 1; next } /^```/ { on = 0 } on' sim/physics/PHYSICS.md >"$work/all.yaml"
"$gpuyard" check "$work/all.yaml" >"$work/checked" 2>"$work/err"
check "the example of PHYSICS.md is a cluster: $(cat "$work/err")" $?
"$gpuyard" run -c "$work/all.yaml" -t traces/samples/four_teams.csv -p srtf -q -o "$work/run" 2>"$work/err"
check "the example of PHYSICS.md runs: $(cat "$work/err")" $?
[ "$(awk -F, '$1 == "jobs_waited_for_power" { print ($3 > 0) }' "$work/run/summary.csv")" = 1 ]
check "the cap of the example is felt" $?
for column in progress_model resizes sharing_speed pull_gpu_s checkpoints gpu_energy_kwh wait_power_s failures; do
    head -1 "$work/run/jobs.csv" | tr ',' '\n' | grep -Fqx $column
    check "the example has on what writes $column" $?
done
for metric in mig_reconfigurations cost_pools_usd node_off_h mttf_h carbon_kg; do
    grep -q "^$metric," "$work/run/summary.csv"
    check "the example has on what writes $metric" $?
done

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
