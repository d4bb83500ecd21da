#!/bin/sh
# config.sh GPUYARD - the effective configuration (`run --dump-config`) has every section with every
# value, and runs again (`run --config`) to the same bytes, over all golden runs of one cluster and a
# cluster with every section; a value that is changed in it changes the run; what has other bytes
# than it tells is refused.
set -u
. "$(dirname "$0")/../support/in_folder.sh"
cd "$root" || exit 1

# again NAME OPTIONS...: the run of the options, and that of their dump, in $work/NAME-one and -two
again() {
    name=$1
    shift
    "$G" run "$@" --dump-config >"$work/$name.yaml" 2>"$work/err" || fail "$name: no dump: $(cat "$work/err")"
    "$G" run --config "$work/$name.yaml" --dump-config >"$work/$name.again" 2>"$work/err" ||
        fail "$name: the dump is not read: $(cat "$work/err")"
    cmp -s "$work/$name.yaml" "$work/$name.again" && ok || fail "$name: another dump: $(diff "$work/$name.yaml" "$work/$name.again" | head -4)"
    "$G" run -q "$@" --outputs all -o "$work/$name-one" 2>"$work/err" || fail "$name: $(cat "$work/err")"
    "$G" run -q --config "$work/$name.yaml" --outputs all -o "$work/$name-two" 2>"$work/err" || fail "$name: its dump does not run: $(cat "$work/err")"
    diff -r -x manifest.json "$work/$name-one" "$work/$name-two" >"$work/differ" && ok || fail "$name: other bytes: $(head -3 "$work/differ")"
    rm -rf "$work/$name-one" "$work/$name-two"
}

grep -v '^#' tests/golden/runs.txt >"$work/teams"
while IFS='|' read -r name options; do
    # shellcheck disable=SC2086
    again "$(echo $name)" -c traces/samples/four_teams.yaml -t traces/samples/four_teams.csv $options
done <"$work/teams"
grep -v '^#' tests/golden/small.txt >"$work/small"
while IFS='|' read -r name cluster trace options; do
    # shellcheck disable=SC2086
    case $name in
    federation*) ;;
    *) again "$(echo $name)" -c tests/golden/inputs/$(echo $cluster) -t tests/golden/inputs/$(echo $trace) $options ;;
    esac
done <"$work/small"

# ---- Every section, from the example of docs/inputs.md; and a list of nodes with sections ----
sed -n '/^## An example with every section/,/^## /{/^```yaml/,/^```$/p;}' docs/inputs.md | sed '/^```/d' >"$work/sections.yaml"
again every -c "$work/sections.yaml" -t tests/golden/inputs/teams.csv -p srtf --seed 3 --load 1.5 --until 40000 --warmup 5
for section in gpu_models node_types models progress fabric sharing elastic preemption storage failures power prices nodes; do
    grep -q "^    $section:" "$work/every.yaml" && ok || fail "the dump has no section $section"
done
for key in 'pue: 1.3' 'kappa: 1.7' 'overlap: 2' 'grace_s: 30' 'wake_s: ' 'detection_s: ' 'pull_s: '; do
    grep -q "$key" "$work/every.yaml" && ok || fail "the dump has no '$key'"
done
printf 'sn,gpu,model,cpu_milli,memory_mib\nx,8,A10,96000,524288\ny,8,A10,96000,524288\n' >"$work/list.csv"
again list -c "$work/list.csv" -t tests/golden/inputs/teams.csv -p sjf
again listed -c "$work/list.csv" -t tests/golden/inputs/teams.csv -p sjf:scope=queue --retime 3:60 --pods 4 \
    --set preemption.start_s=20 --set storage.cache_gib=100 --estimates uniform:2
again stream -c "$work/list.csv" -t tests/golden/inputs/teams.csv --stream 50 --seed 9
# What a taint that stops nothing finds stays, and the dump says so.
taints=tests/worlds/kept/taints-for-a-time
again taints -c $taints/one.yaml -t $taints/jobs.csv -p fifo:blocking=skip
grep -q 'taint: "b=c:NoSchedule".*running: keep' "$work/taints.yaml" && ok || fail "a dump of a taint that would stop: $(grep taint "$work/taints.yaml")"

# ---- A changed value changes the run, and its circumstances ----
cd "$work" || exit 1
"$G" run -q -c every.yaml -t "$root/tests/golden/inputs/teams.csv" -o whole 2>err && fail 'a dump is no cluster file' || ok
edit() { # EXPRESSION: the dump of four_teams under fifo, changed
    "$G" run -c "$root/traces/samples/four_teams.yaml" -t "$root/traces/samples/four_teams.csv" --dump-config | sed "$1" >edited.yaml
    rm -rf edited
    "$G" run -q --config edited.yaml -o edited 2>err || fail "$1: $(cat err)"
}
summary_of() { grep "^$1,all," edited/summary.csv | cut -d, -f3; }
edit ''
plain=$(summary_of jct_mean_s) sum=$(grep -o '"sha256": "[0-9a-f]*"' edited/manifest.json | head -1)
[ "$sum" = "\"sha256\": \"$(sha256sum "$root/traces/samples/four_teams.yaml" | cut -d' ' -f1)\"" ] && ok || fail "the hash of the cluster file: $sum"
edit 's/^    blocking: strict/    blocking: skip/'
[ "$(summary_of jct_mean_s)" != "$plain" ] && grep -q '"policy_text": "fifo:.*blocking=skip' edited/manifest.json && ok || fail 'another parameter of the policy'
edit 's/count: 8/count: 9/'
[ "$(summary_of jct_mean_s)" != "$plain" ] && [ "$(grep -o '"sha256": "[0-9a-f]*"' edited/manifest.json | head -1)" != "$sum" ] && ok || fail 'another node'

# ---- What is wrong ----
expect 2 "gpuyard: run: --seed: want none beside --config, which says it" "$G" run --config edited.yaml --seed 1
expect 2 "gpuyard: run: --cluster: want CLUSTER" "$G" run -t t.csv
expect 3 "gpuyard: none.yaml: cannot open: No such file or directory" "$G" run --config none.yaml
cp "$root/tests/golden/inputs/teams.csv" t.csv
cp "$root/tests/golden/inputs/teams.yaml" c.yaml
"$G" run -c c.yaml -t t.csv --dump-config >d.yaml
echo "" >>t.csv
expect 3 "gpuyard: d.yaml: the trace has other bytes than when the configuration was written: want SHA-256 $(sha256sum "$root/tests/golden/inputs/teams.csv" | cut -d' ' -f1), got $(sha256sum t.csv | cut -d' ' -f1)" "$G" run --config d.yaml
"$G" run -c "$root/tests/golden/inputs/federation.yaml" -t "$root/tests/golden/inputs/teams.csv" --dump-config >f.yaml 2>err
expect 3 "gpuyard: f.yaml:8:3: federation: want the configuration of one cluster: a federation is run again by its own file, --cluster" "$G" run --config f.yaml
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
