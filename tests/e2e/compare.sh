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

# The first line of ./out is like that, whole.
first() { if head -n 1 out | grep -qx -e "$1"; then ok; else fail "the first line is '$(head -n 1 out)', want '$1'"; fi; }

# Verdicts. srtf knows run times and has a far lower mean JCT than fifo.
expect 0 '' "$gpuyard" compare fifo srtf --fail-if 'jct_mean_s>2%'
first "Mean completion time [0-9.]* % shorter ([0-9.]* to [0-9.]* %); allowed 2 %: PASS"
expect 4 '' "$gpuyard" compare srtf fifo --fail-if 'jct_mean_s>2%'
first "Mean completion time [0-9.]* % longer ([0-9.]* to [0-9.]* %); allowed 2 %: FAIL"
says out "base: srtf, policy srtf, placement pack"
says out "new: fifo, policy fifo, placement pack"
says out "4 pairs of runs, alike in all else, each a draw of its own"
expect 4 '' "$gpuyard" compare fifo/1 srtf/1 --fail-if 'preemptions>10%'
holds out 'from 0'
first "Preemptions [0-9]* instead of 0; allowed 10 %: FAIL"
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
holds out '::error title=jct_mean_s::Mean completion time '
holds out ' %25 longer ('
expect 4 '' "$gpuyard" compare srtf fifo --fail-if 'util_alloc>50%' --fail-if 'jct_mean_s>2%' --format markdown
first '[*][*]Mean completion time .*: FAIL[*][*]'                             # the worst verdict first
says out '| metric | base | new | change | 95 % interval | | allowed | verdict |'
awk -F'|' '/^[|]/ { n++; if (NF != 10) exit 1; if ($2 ~ /jct..mean..s/ && $9 ~ /FAIL/ && $7 ~ /worse/ && $3 ~ /[0-9] s /) found++ }
    END { exit !(n > 4 && found == 1) }' out && ok || fail "the Markdown table is not as it should be: $(cat out)"

# A margin is a part of the base, whichever way is better: 1 / 1.05 is 4.76 % less.
for value in 0.95238 0.94990 1.00000; do
    cp -r fifo/1 part-$value
    sed -i "s/^util_alloc,all,[^,]*/util_alloc,all,$value/" part-$value/summary.csv
done
expect 0 '' "$gpuyard" compare part-1.00000 part-0.95238 --fail-if 'util_alloc>5%'
first "GPU time allocated 4.76 % lower; allowed 5 %: PASS"
expect 4 '' "$gpuyard" compare part-1.00000 part-0.94990 --fail-if 'util_alloc>5%'
first "GPU time allocated 5.01 % lower; allowed 5 %: FAIL"

# Three loads of a workload drawn by five seeds: 15 pairs, five draws of jobs; against numbers computed anew.
cat >laws.yaml <<'END'
workload: laws
jobs: 200
load: { target: 0.95, calibrate: realised }
gpus: { 1: 8, 2: 3, 4: 2, 8: 2 }
durations: { law: lognormal, mean_s: 7200, median_s: 1200, most_s: 259200 }
END
cat >study.yaml <<'END'
clusters: cluster.yaml
traces: laws.yaml
policies: [ fifo, "fifo:blocking=skip", srtf ]
parameters: { load: [ 0.8, 1, 1.2 ] }
seeds: 1..5
END
"$gpuyard" sweep -q study.yaml -o swept 2>err || fail "the sweep does not run: $(cat err)"
numbers() { # BASE NEW METRIC=MARGIN...: ./numbers.csv is what the program says
    base=$1 new=$2
    shift 2
    for gate do
        shift
        set -- "$@" --fail-if "${gate%%=*}>$(awk -v margin="${gate#*=}" 'BEGIN { print 100 * margin }')%"
    done
    "$gpuyard" compare swept swept --base "policy=$base" --new "policy=$new" "$@" --format csv >numbers.csv
}
recount() { python3 "$root/tests/e2e/compare_numbers.py" numbers.csv swept/sweep.csv "$@" >said 2>&1; }
for pair in 'fifo srtf' 'srtf fifo' 'fifo:blocking=skip srtf' 'fifo fifo:blocking=skip'; do
    set -- $pair jct_mean_s=.02 wait_mean_s=.05 util_alloc=.05 util_effective=.5 makespan_s=.001 bounded_slowdown_mean=.1
    numbers "$@"
    if recount "$@"; then ok; else fail "$pair: $(cat said)"; fi
done
for gates in 'srtf fifo preemptions=.1' 'fifo srtf wait_p90_s=.05 wait_p50_s=.02'; do    # some values, or all of one side, are 0
    set -- $gates
    numbers "$@"
    holds numbers.csv ',15,5,arithmetic,'
    if recount "$@"; then ok; else fail "$gates: $(cat said)"; fi
done
set -- fifo srtf jct_mean_s=.02 util_alloc=.05
numbers "$@"
awk -F, -v OFS=, 'NR == 2 { $12 *= 1.00001 } { print }' numbers.csv >bent && mv bent numbers.csv
if recount "$@"; then fail "a bent bound goes unnoticed"; else ok; fi
expect 4 '' "$gpuyard" compare swept swept --base policy=srtf --new policy=fifo --fail-if 'wait_mean_s>0%'
says out "15 pairs of runs, alike in all else; those of one draw (seed, or recorded trace) count as one: 5 draws"
expect 4 '' "$gpuyard" compare swept swept --base policy=srtf --base seed=1 --new policy=fifo --new seed=1 --fail-if 'jct_mean_s>0%'
says out "3 pairs of runs, alike in all else, of one draw: compared as it is, without statistics"

# What has not ended is said wherever people read.
printf 'job_id,submit_s,duration_s,gpus\na,0,100,32\nb,0,10,32\nc,0,10,33\n' >cut.csv
"$gpuyard" run -q -c cluster.yaml -t cut.csv --until 50 -o cut
for format in text markdown; do                       # a runs, b waits, c is too large
    "$gpuyard" compare cut cut --format $format >out
    says out 'Times are of jobs that ended: without 3 of base and 3 of new that waited or ran at the end, or were rejected.'
done

# Recorded traces of one seed: each is a draw of its own.
for seed in 1 2 3; do
    "$gpuyard" synth laws.yaml --seed $seed -c cluster.yaml -o week$seed.csv 2>err || fail "no trace: $(cat err)"
done
sed 's/^traces: .*/traces: [ week1.csv, week2.csv, week3.csv ]/; s/^seeds: .*/seeds: 1/' study.yaml >recorded.yaml
"$gpuyard" sweep -q recorded.yaml -o replayed 2>err || fail "the sweep of traces does not run: $(cat err)"
"$gpuyard" compare replayed replayed --base policy=srtf --new policy=fifo >out
says out "9 pairs of runs, alike in all else; those of one draw (seed, or recorded trace) count as one: 3 draws"

# ln 1.05, 1.07, 1.04, 1.06: mean .0535, error .0061; t above ln 1.03 is 3.91 of three degrees, p .0149. Of two metrics p is .0297,
# which is more than .025.
cp -r fifo slower
for change in 1:1.05 2:1.07 3:1.04 4:1.06; do
    awk -F, -v OFS=, -v by=${change#*:} '$1 == "jct_mean_s" && $2 == "all" { $3 = sprintf("%.12g", $3 * by) } { print }' \
        fifo/${change%:*}/summary.csv >slower/${change%:*}/summary.csv
done
expect 4 '' "$gpuyard" compare fifo slower --fail-if 'jct_mean_s>3%'
first "Mean completion time 5.49 % longer (3.46 to 7.57 %); allowed 3 %: FAIL"
expect 5 '' "$gpuyard" compare fifo slower --fail-if 'jct_mean_s>3%' --fail-if 'makespan_s>3%'
first "Mean completion time 5.49 % longer (3.46 to 7.57 %); allowed 3 %, corrected for 2 metrics: INCONCLUSIVE"
holds out 'by more than 3 % with p 0.0297 (Holm, 2 metrics)'
says out "Makespan unchanged; allowed 3 %: PASS"
expect 0 '' "$gpuyard" compare fifo slower --fail-if 'jct_mean_s>8%'
expect 5 '' "$gpuyard" compare fifo slower --fail-if 'jct_mean_s>7%'

# A report says the same of the same runs, and marks only what is sure.
"$gpuyard" report fifo srtf -o two.html && "$gpuyard" compare fifo srtf --format json >two.json || fail "no report"
python3 - <<'END' && ok || fail "the report and compare do not agree"
import html, json, re
page, shown = open("two.html").read(), 0
for m in json.load(open("two.json"))["metrics"]:
    row = re.search(r'title="%s: .*?</tr>' % m["metric"], page, re.S).group()
    change, (low, high) = m["change"], m["interval"]
    found = re.search(r'<span class="change (\w*)">(.*?)</span>', row)
    if change is None or abs(change) < .0005:
        assert not found, m
        continue
    shown += 1
    worse_if_more = m["metric"] not in ("util_alloc", "util_effective", "goodput", "quota_satisfaction")
    word = "" if low <= 0 <= high else "worse" if (change > 0) == worse_if_more else "better"
    size = "%.3g times as much" % (1 + change) if change >= 9 else "%+.1f %%" % (100 * change)
    bounds = ["no bound" if x is None else "%+.1f" % (100 * x) for x in (low, high)]
    assert found.groups() == (word, "%s (%s to %s %%)%s" % (size, *bounds, ", " + word if word else "")), (found.groups(), m)
assert shown > 5, shown
END
"$gpuyard" report fifo/1 srtf/1 -o single.html
if grep -q 'class="change \(worse\|better\)"' single.html; then fail "a single run is called better or worse"; else ok; fi
holds single.html 'class="change "'
cp -r fifo/1 long
awk -F, -v OFS=, '$1 == "jct_mean_s" && $2 == "all" { $3 *= 5000 } { print }' fifo/1/summary.csv >long/summary.csv
"$gpuyard" report fifo/1 long -o long.html && holds long.html '>5,000 times as much<' || fail "a change of many times: $(grep -o '[^>]* times as much' long.html)"

# What does not match is an error, and inputs are told by name.
expect 0 '' "$gpuyard" run -q -c cluster.yaml -t week1.csv -p fifo --seed 4 -o of_week
expect 3 "gpuyard: fifo/4: the other set has no run under the same circumstances; of_week has read \"week1.csv\" instead of \"trace.csv\", and their contents differ" \
    "$gpuyard" compare fifo/4 of_week
mkdir elsewhere
sed 's/count: 4/count: 5/' cluster.yaml >elsewhere/cluster.yaml
cp trace.csv elsewhere
(cd elsewhere && "$gpuyard" run -q -c cluster.yaml -t trace.csv -p fifo --seed 4 -o run)
expect 3 "gpuyard: fifo/4: the other set has no run under the same circumstances; elsewhere/run has read \"cluster.yaml\" with other contents" \
    "$gpuyard" compare fifo/4 elsewhere/run
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
expect 2 "gpuyard: compare: --fail-if: util_alloc: lower is worse, and no value is lower by more than 100%: want N below 100, got 'util_alloc>100%'" \
    "$gpuyard" compare fifo srtf --fail-if 'util_alloc>100%'
expect 2 "gpuyard: compare: there is no metric 'jct', see 'gpuyard list metrics'" "$gpuyard" compare fifo srtf --fail-if 'jct>1%'
expect 2 "gpuyard: compare: --fail-if: gpu_h_held: neither a higher nor a lower value of this metric is worse" \
    "$gpuyard" compare fifo srtf --fail-if 'gpu_h_held>1%'
cd "$root" || exit 1
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
