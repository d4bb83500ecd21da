#!/bin/sh
# reference.sh GPUYARD - the reference pages name all that there is: docs/outputs.md the columns and metrics that the
# program can write, docs/inputs.md the keys of a cluster file, docs/traces.md the formats, the columns of the native
# trace and the keys of a workload file, docs/studies.md the keys of experiments and federations, docs/policies.md the
# policies, the placers and their parameters. The examples of these pages are accepted, and the large one runs.
set -u
gpuyard=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
check() { # WHAT STATUS
    if [ "$2" -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $1"; fi
}
words() { # PAGE: all that stands between backticks, and in blocks of YAML, as words
    { grep -o '`[^`]*`' "$1"; awk '/^```yaml/ { on = 1; next } /^```/ { on = 0 } on' "$1"; } | tr -c 'a-zA-Z0-9_\n-' '\n' | sort -u
}
example() { # PAGE FIRST-LINE: the block of YAML that begins so
    awk -v first="$2" '/^```yaml/ { start = 1; next } /^```/ { on = 0 } start { on = $0 == first; start = 0 } on' "$1"
}
lacking() { sort -u | comm -23 - "$1"; }                                       # WORDS: those on standard input that are not there
all_there() { # WHAT NAMES WORDS
    n=$(wc -l <"$2")
    missing=$(lacking "$3" <"$2")
    [ "$n" -gt 0 ] && [ -z "$missing" ]
    check "$1: $n names, not there: $missing" $?
}
for page in inputs outputs policies studies traces; do words docs/$page.md >"$work/$page"; done

# ---- Columns and metrics; wait_REASON_s stands for those that every run has, and REASON in the table of reasons
"$gpuyard" list columns --format json >"$work/columns.json"
sed -n 's/^ *"\([a-z0-9_]*\)",\{0,1\}$/\1/p' "$work/columns.json" | sed 's/^wait_\(.*\)_s$/\1/' >"$work/columns"
all_there "columns in docs/outputs.md" "$work/columns" "$work/outputs"
"$gpuyard" list metrics --format json | sed -n 's/^ *"name": "\(.*\)",$/\1/p' >"$work/metrics"
all_there "metrics in docs/outputs.md" "$work/metrics" "$work/outputs"
for name in placement_slowdown checkpoint_gpu_s power_w there_s; do
    grep -Fqx $name "$work/columns"
    check "columns of models are listed: $name" $?
done
[ "$(echo no_such_name | lacking "$work/outputs")" = no_such_name ]
check "a name that is not there is missed" $?

# ---- Keys: an unknown one is answered with all that are known
keys_in() { # PAGE WHAT FILE: one with a key qqqqqqqq
    printf '%s\n' "$3" >"$work/c.yaml"
    "$gpuyard" check "$work/c.yaml" 2>&1 | sed -n "s/.*unknown key 'qqqqqqqq': want one of //p" | tr -d ' ' | tr ',' '\n' >"$work/keys"
    all_there "keys of $2 in docs/$1.md" "$work/keys" "$work/$1"
}
keys() { keys_in inputs "$@"; }
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
keys "failures: slow" "$nodes
failures: { slow: { qqqqqqqq: 1 } }"
keys "failures: slow faults" "$nodes
failures: { faults: [ { kind: slow, qqqqqqqq: 1 } ] }"
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
keys "the top level" 'qqqqqqqq: 1'
keys "nodes" 'nodes: [ { group: g, count: 2, qqqqqqqq: 1 } ]'
keys "queues" "$nodes
queues: [ { name: a, qqqqqqqq: 1 } ]"
keys "queues: preemption" "$nodes
queues: [ { name: a, preemption: { qqqqqqqq: 1 } } ]"
for list in partitions qos accounts; do
    keys $list "$nodes
$list: [ { name: a, qqqqqqqq: 1 } ]"
done
keys "accounts: users" "$nodes
accounts: [ { name: a, users: [ { name: b, qqqqqqqq: 1 } ] } ]"
keys time_limits "$nodes
time_limits: { qqqqqqqq: 1 }"
keys_in studies "a federation" 'federation: f
qqqqqqqq: 1'
keys_in studies "an experiment" 'clusters: a.yaml
traces: b.csv
qqqqqqqq: 1'
keys_in traces "a workload" 'workload: w
qqqqqqqq: 1'
keys_in traces "services" 'workload: w
services: [ { name: a, qqqqqqqq: 1 } ]'
keys_in traces "sessions" 'workload: w
sessions: [ { group: a, qqqqqqqq: 1 } ]'
printf 'job_id,submit_s,duration_s,gpus,qqqqqqqq\n' >"$work/t.csv"
"$gpuyard" check "$work/t.csv:native" 2>&1 | sed -n "s/.*unknown column 'qqqqqqqq': want one of \(.*\), or a name.*/\1/p" |
    tr -d ' ' | tr ',' '\n' >"$work/keys"
all_there "columns of the native trace in docs/traces.md" "$work/keys" "$work/traces"

# ---- Names of what can be chosen: policies, placers, their parameters and words; formats
names() { "$gpuyard" list "$1" --format json | sed -n 's/^ *"name": "\(.*\)",\{0,1\}$/\1/p; s/^ *"\([a-z0-9-]*\)",\{0,1\}$/\1/p'; }
for what in policies placers; do
    names $what >"$work/names"
    all_there "$what and their parameters in docs/policies.md" "$work/names" "$work/policies"
done
names formats | tr -d = >"$work/names"
all_there "formats and their options in docs/traces.md" "$work/names" "$work/traces"

# ---- The examples
example docs/inputs.md 'name: small' >"$work/small.yaml"
"$gpuyard" check "$work/small.yaml" >"$work/checked" 2>"$work/err" && grep -q '13 with 87 GPUs' "$work/checked"    # 8 x 8 + 4 x 4 + 2 x 3 + 1
check "the first example of docs/inputs.md is a cluster: $(cat "$work/err")" $?
cp traces/samples/four_teams.yaml traces/samples/cloud_pool.yaml "$work"
example docs/studies.md 'federation: burst' >"$work/burst.yaml"
"$gpuyard" check "$work/burst.yaml" >"$work/checked" 2>"$work/err"
check "the federation of docs/studies.md is one: $(cat "$work/err")" $?
for name in lab big; do cp traces/samples/four_teams.yaml "$work/$name.yaml"; done
cp traces/samples/small_lab.yaml "$work/workload.yaml"
printf 'jobname,vc,gpu_num,submit_time,duration\na,vision,8,0,100\n' | zstd -q >"$work/week.csv.zst"
awk '/^```yaml/ { on = 1; next } /^```/ { if (on) exit } on' docs/studies.md >"$work/study.yaml"
"$gpuyard" check "$work/study.yaml" >"$work/checked" 2>"$work/err" && grep -q '4800 of 8640 combinations' "$work/checked"
check "the experiment of docs/studies.md is one: $(cat "$work/err")" $?    # 480 x (fifo 2 x 2, quota 3, easy 3)
example docs/inputs.md 'name: physical' >"$work/all.yaml"
"$gpuyard" check "$work/all.yaml" >"$work/checked" 2>"$work/err"
check "the large example of docs/inputs.md is a cluster: $(cat "$work/err")" $?
"$gpuyard" run -c "$work/all.yaml" -t traces/samples/four_teams.csv -p srtf -q -o "$work/run" 2>"$work/err"
check "the large example of docs/inputs.md runs: $(cat "$work/err")" $?
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
