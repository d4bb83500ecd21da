#!/bin/sh
# gate.sh GPUYARD - the policies of this repository against its committed baselines (scripts/gate); and controls: a policy that has been
# replaced by a worse one fails, and is said to in the annotations of a workflow; another cluster is an error and no pass.
set -u
gpuyard=$1
. tests/support/checks.sh
root=$(pwd)
baseline=$root/results/baseline
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if scripts/gate "$gpuyard" >"$work/said"; then ok; else cat "$work/said"; fail 'a policy has become worse than results/baseline'; fi
cd "$work" || exit 1
worse() { expect "$1" '' "$gpuyard" compare "$2" "$3" --base policy=quota --new "policy=$4" --fail-if 'quota_satisfaction>2%' --format github; }
worse 0 "$baseline/policies" "$baseline/policies" quota
worse 4 "$baseline/policies" "$baseline/policies" kube
holds out '::error'
cp "$baseline/lab_week.yaml" .
sed 's/restart_s: 60/restart_s: 90/' "$baseline/lab.yaml" >lab.yaml
sed 's/^seeds: .*/seeds: 1..10/; /^  - /d; s/^policies:/policies: quota/' "$baseline/policies.yaml" >policies.yaml
"$gpuyard" sweep -q policies.yaml -o other || fail 'the other cluster does not run'
"$gpuyard" compare "$baseline/policies" other --base policy=quota --new policy=quota --fail-if 'jct_mean_s>2%' >out 2>err
status=$?
if [ $status = 3 ] && ! grep -q PASS out; then ok; else fail "another cluster: want status 3, got $status: $(cat err)"; fi
cd "$root" || exit 1
echo "$passed passed, $failed failed"
[ $failed = 0 ]
