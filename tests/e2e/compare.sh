#!/bin/sh
# compare.sh GPUYARD - sets of results compared: verdicts and exit codes, what does not match is an error and never a pass, and
# every way of saying it holds the same numbers.
set -u
gpuyard=$1
root=$(pwd)
. tests/support/checks.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
cat >cluster.yaml <<'END'
nodes: [ { group: a, count: 4, gpus: 8, gpu_model: V100-SXM2-32 } ]
END
for seed in 1 2 3 4; do
    awk -v seed=$seed 'BEGIN { srand(seed); print "job_id,submit_s,duration_s,gpus"
        for (i = 0; i < 300; i++) print i "," int(t += 40 * rand()) "," 60 + int(600 * rand()) "," int(1 + 8 * rand()) }' >trace.csv
    for policy in fifo srtf; do
        "$gpuyard" run -q -c cluster.yaml -t trace.csv -p $policy --seed $seed -o $policy/$seed || fail "$policy does not run"
    done
done

# Verdicts. srtf knows run times and has a far lower mean JCT than fifo.
expect 0 '' "$gpuyard" compare fifo srtf --fail-if 'jct_mean_s>2%'
says out PASS
expect 4 '' "$gpuyard" compare srtf fifo --fail-if 'jct_mean_s>2%'
says out FAIL
expect 4 '' "$gpuyard" compare fifo/1 srtf/1 --fail-if 'preemptions>10%'
holds out 'from 0'
expect 0 '' "$gpuyard" compare fifo fifo --fail-if 'jct_mean_s>0%' --fail-if 'util_alloc>0%'
expect 0 '' "$gpuyard" compare srtf fifo
if grep -q -e FAIL -e PASS out; then fail "a verdict without a gate"; else ok; fi
expect 0 '' "$gpuyard" compare srtf fifo -m jct_p90_s --fail-if 'jobs_completed>0%'
expect 5 '' sh -c "mkdir two two_new; cp -r fifo/1 fifo/2 two; cp -r srtf/1 fifo/2 two_new; '$gpuyard' compare two_new two --fail-if 'jct_mean_s>2%'"
holds out INCONCLUSIVE
holds out 'pairs'

# What did not end is in no mean: four jobs on one GPU, of which the policy has ended one, or two, by the cut-off.
printf 'job_id,submit_s,duration_s,gpus\na,0,100,32\nb,0,10,32\nc,0,10,32\nd,0,10,33\n' >few.csv
"$gpuyard" run -q -c cluster.yaml -t few.csv --until 105 -o few/fifo
"$gpuyard" run -q -c cluster.yaml -t few.csv --until 105 -p srtf -o few/srtf
expect 0 '' "$gpuyard" compare few/fifo few/srtf
says out 'Times are of jobs that ended: without 3 of base and 2 of new that waited or ran at the end, or were rejected.'
expect 0 '' "$gpuyard" compare srtf fifo
if grep -q 'jobs that ended' out; then fail "all jobs ended"; else ok; fi

# The same numbers in every format.
"$gpuyard" compare fifo/2 srtf/2 --fail-if 'jct_mean_s>2%' --format csv >c.csv
"$gpuyard" compare fifo/2 srtf/2 --fail-if 'jct_mean_s>2%' --format json >c.json
python3 - <<'END' && ok || fail "csv, json and summary.csv do not agree"
import csv, json, math
row = {r["metric"]: r for r in csv.DictReader(open("c.csv"))}
doc = {m["metric"]: m for m in json.load(open("c.json"))["metrics"]}
for name, r in row.items():
    for side, d in (("base", "fifo/2"), ("new", "srtf/2")):
        want = [float(s["value"]) for s in csv.DictReader(open(d + "/summary.csv")) if s["metric"] == name and s["scope"] == "all"][0]
        assert abs(float(r[side]) - want) <= 1e-12 * abs(want), name
        assert abs(doc[name][side] - want) <= 1e-12 * abs(want), name
    if float(r["base"]):
        assert abs(float(r["change"]) - (float(r["new"]) / float(r["base"]) - 1)) < 1e-9, name
END
"$gpuyard" compare srtf fifo --fail-if 'jct_mean_s>2%' --fail-if 'util_alloc@all>50%' --format junit >c.xml
python3 -c '
import xml.etree.ElementTree as e
s = e.parse("c.xml").getroot()
assert (s.get("tests"), s.get("failures"), s.get("skipped")) == ("2", "1", "0"), s.attrib
assert [len(t) for t in s] == [1, 0]' && ok || fail "the JUnit file is not as it should be"
expect 4 '' "$gpuyard" compare srtf fifo --fail-if 'jct_mean_s>2%' --format github
holds out '::error title=jct_mean_s::FAIL: '

# What does not match is an error.
expect 3 "gpuyard: fifo/1: the other set has no run under the same circumstances; srtf/2 has 'seed: 2' instead of 'seed: 1'" \
    "$gpuyard" compare fifo/1 srtf/2
mkdir less; cp -r fifo/1 fifo/2 fifo/3 less
expect 3 "gpuyard: srtf/4: the other set has no run under the same circumstances; less/1 has 'seed: 1' instead of 'seed: 4'" \
    "$gpuyard" compare less srtf
"$gpuyard" run -q -c cluster.yaml -t trace.csv -p fifo --seed 4 --load 2 -o loaded
expect 3 "gpuyard: fifo/4: the other set has no run under the same circumstances; loaded has '  load: 2' instead of '  load: 1'" \
    "$gpuyard" compare fifo/4 loaded
mkdir both; cp -r fifo/1 both/a; cp -r srtf/1 both/b
expect 3 "gpuyard: fifo/1: the other set has 2 runs under the same circumstances, which differ in policy or placement" \
    "$gpuyard" compare fifo/1 both
expect 3 "gpuyard: both/b: its set has another run under the same circumstances: both/a" "$gpuyard" compare both fifo/1
expect 3 "gpuyard: fifo/1: has no value of time_to_reclaim_mean_s in scope all" \
    "$gpuyard" compare fifo/1 srtf/1 --fail-if 'time_to_reclaim_mean_s>1%'
expect 3 "gpuyard: fifo/1: has no value of jct_mean_s in scope queue=x" "$gpuyard" compare fifo/1 srtf/1 -m jct_mean_s@queue=x
mkdir empty
expect 3 "gpuyard: empty: no result of a run in it: want a manifest.json, here or one directory below" "$gpuyard" compare empty fifo
expect 3 "gpuyard: nowhere: cannot read it: No such file or directory" "$gpuyard" compare nowhere fifo
cp -r fifo/1 broken; sed -i '5s/,all,[^,]*/,all,many/' broken/summary.csv
holds broken/summary.csv many
expect 3 "gpuyard: broken/summary.csv:5: value: want a number, got 'many'" "$gpuyard" compare broken fifo/1
cp -r fifo/1 half; head -c 300 fifo/1/manifest.json >half/manifest.json
"$gpuyard" compare half fifo/1 2>err
[ $? = 3 ] && ok || fail "half a manifest is taken"
holds err 'gpuyard: half/manifest.json:'

# Usage.
expect 2 "gpuyard: compare: --fail-if: want METRIC>N% or METRIC@SCOPE>N%, N at least 0, got 'jct_mean_s'" \
    "$gpuyard" compare fifo srtf --fail-if jct_mean_s
expect 2 "gpuyard: compare: --fail-if: want METRIC>N% or METRIC@SCOPE>N%, N at least 0, got 'jct_mean_s>-1%'" \
    "$gpuyard" compare fifo srtf --fail-if 'jct_mean_s>-1%'
expect 2 "gpuyard: compare: there is no metric 'jct', see 'gpuyard list metrics'" "$gpuyard" compare fifo srtf --fail-if 'jct>1%'
expect 2 "gpuyard: compare: --fail-if: gpu_h_held: neither a higher nor a lower value of this metric is worse" \
    "$gpuyard" compare fifo srtf --fail-if 'gpu_h_held>1%'
cd "$root" || exit 1
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
