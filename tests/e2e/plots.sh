#!/bin/sh
# plots.sh GPUYARD - every kind of plot of real small runs, in every format: the numbers in it, names of any kind, missing files.
set -u
LC_ALL=C
export LC_ALL
G=${1:?usage: plots.sh PATH-TO-GPUYARD}
case $G in /*) ;; *) G=$PWD/$G ;; esac
root=$PWD
GPUYARD_SCRIPTS=$root/scripts
COLUMNS=79
export GPUYARD_SCRIPTS COLUMNS
work=$(mktemp -d "${TMPDIR:-/tmp}/gpuyard-plots.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
. "$root/tests/support/checks.sh"
if ! command -v gnuplot >plotter; then
    echo "skipped: plots: no gnuplot here"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi

# ---- Runs: one worked out by hand, and two policies on two seeds, with power ----
cat >hand.yaml <<'YAML'
nodes: [ { group: a, count: 1, gpus: 8, gpu_model: V100-SXM2-32 } ]
YAML
cat >hand.csv <<'CSV'
job_id,submit_s,duration_s,gpus,queue,class
a,0,100,3,red_team,training
b,100,100,5,blue_team,interactive
CSV
cat >lab.yaml <<'YAML'
nodes: [ { group: a, type: dgx-a100, count: 8 } ]
queues: [ { name: "it's_100%_<b>&", deserved_gpus: 40 }, { name: long_name_of_a_team_that_goes_on_and_on_and_on, deserved_gpus: 24 } ]
power: {}
prices: {}
preemption: { checkpoint: periodic, interval_s: 600, start_s: 10, restart_s: 30, grace_s: 30, save_s: 10 }
YAML
for seed in 1 2; do
    awk -v seed=$seed 'BEGIN { srand(seed); print "job_id,submit_s,duration_s,gpus,queue,class"
        for (i = 0; i < 400; i++) print i "," int(t += 60 * rand()) "," 60 + int(3000 * rand()) "," int(1 + 8 * rand()) "," \
            (rand() < 0.5 ? "it'"'"'s_100%_<b>&" : "long_name_of_a_team_that_goes_on_and_on_and_on") "," (i % 3 ? "training" : "interactive") }' >trace.csv
    for policy in fifo quota; do
        "$G" run -q -c lab.yaml -t trace.csv -p $policy --seed $seed -o set/$policy-$seed || fail "$policy does not run"
    done
done
"$G" run -q -c hand.yaml -t hand.csv -p fifo -o hand || fail "the hand-made run does not run"

sed 's/^power:.*/failures: { faults_per_node_day: 2, repair: fixed, repair_s: 600 }/' lab.yaml >breaking.yaml
"$G" run -q -c breaking.yaml -t trace.csv -p fifo -o broken || fail "the run with failures does not run"
mkdir -p served
awk 'BEGIN { print "time_s,service,rate_per_s,arrived,served,dropped,backlog,replicas_wanted,replicas_placed,replicas_ready,latency_mean_s,latency_p50_s,latency_p99_s,first_token_p50_s,first_token_p99_s,slo_attainment,duty"
    for (i = 1; i <= 100; i++) { r = i <= 50 ? 1 : 3
        print 60 * i ",big_llm_%_<&>," r "," 60 * r "," 60 * r ",0,0,3,3,2,0.2,0.1,2,,," (i <= 50 ? 1 : 0.5) ",0.5"
        print 60 * i ",idle,0,0,0,0,0,1,1,1,,,,,,,0" } }' >served/services.csv

words() { python3 -c 'import sys, xml.etree.ElementTree as e
for n in e.parse(sys.argv[1]).getroot().iter():
    if n.tag.endswith("}text"): print("".join(n.itertext()).strip())' "$1"; }

# ---- Every kind in every format: a whole file, twice the same, with the names in it and within the columns ----
whole() { # FORMAT FILE
    case $1 in
    png) [ "$(head -c 4 "$2" | od -An -tx1 | tr -d ' \n')" = 89504e47 ] && [ "$(wc -c <"$2")" -gt 3000 ] ;;
    pdf) [ "$(head -c 5 "$2")" = %PDF- ] && tail -c 8 "$2" | grep -q EOF ;;
    svg) python3 -c 'import sys, xml.etree.ElementTree as e
t = e.parse(sys.argv[1]).getroot()
assert any(n.tag.endswith("}text") and "".join(n.itertext()).strip() for n in t.iter()), "no text"
assert sum(n.tag.endswith(("}path", "}polygon", "}image")) for n in t.iter()) > 5, "nothing drawn"' "$2" ;;
    term) [ "$(wc -l <"$2")" -gt 2 ] && awk '{ gsub(/[\200-\277]/, "") } length($0) > 79 { exit 1 }' "$2" ;;
    esac
}
for kind in jct_cdf wait_cdf slowdown_cdf utilisation utilisation_class utilisation_state ledger queue_length fairness fragmentation energy carbon cost \
    compare quota gantt nodes jct_ratio by_size by_class by_queue wait_reasons preemptions jobs normalised pareto arrived_load reliability service_load; do
    case $kind in quota|gantt|nodes) dirs=set/quota-1 ;; reliability) dirs=broken ;; service_load) dirs=served ;; *) dirs="set/quota-1 set/fifo-1" ;; esac
    for format in png svg pdf term; do
        # shellcheck disable=SC2086
        "$G" plot $dirs --kind $kind --format $format -o a.$format 2>said && whole $format a.$format && ok || fail "$kind as $format: $(cat said)"
        # shellcheck disable=SC2086
        "$G" plot $dirs --kind $kind --format $format -o b.$format 2>said
        same a.$format b.$format
    done
    cp a.svg $kind.svg
done
for kind in utilisation quota fairness gantt; do
    holds $kind.svg "it's_100%_&lt;b>&amp;"
done
if cmp -s jct_cdf.svg wait_cdf.svg; then fail "two kinds, one picture"; else ok; fi
"$G" plot set/fifo-2 set/quota-2 --kind jct_cdf -o other.svg
if cmp -s jct_cdf.svg other.svg; then fail "two runs, one picture"; else ok; fi

# ---- Numbers: 8 GPUs, 3 held for 100 s, then 5 held for 100 s ----
draw() { "$G" plot hand --kind "$1" -o hand.svg || fail "$1 of the hand-made run"; }
draw fragmentation
holds hand.svg "50 % of the GPU time free, 0 % of that 8 or more together"     # 5 x 100 s and 3 x 100 s of 8 x 200 s
holds hand.svg ">4 to 7 together<"
holds hand.svg ">2 or 3 together<"
if grep -q '>the only one<\|>8 or more together<' hand.svg; then fail "fragmentation: bands that are not there"; else ok; fi
draw ledger
holds hand.svg ">fifo, pack: 0.444 GPU h<"                                     # 8 x 200 s
holds hand.svg ">50.0<"
draw utilisation_state
holds hand.svg "50 % of the GPU time allocated, 50 % making progress"
if grep -q '>free while jobs wait<' hand.svg; then fail "nobody waited"; else ok; fi
printf 'job_id,submit_s,duration_s,gpus\na,0,100,1\n' >eighth.csv
"$G" run -q -c hand.yaml -t eighth.csv -p fifo -o eighth || fail "the run of one GPU does not run"
"$G" plot eighth --kind utilisation_state -o eighth.svg
holds eighth.svg "12.5 % of the GPU time allocated, 12.5 % making progress"     # 1 of 8
draw utilisation_class
holds hand.svg ">interactive<"
"$G" plot hand --kind utilisation_class --format term >said
[ "$(grep -c '^ *aaa*bbb*$' said)" = 0 ] && grep -q 'aaaaabbbbb\|bbbbbaaaaa' said && ok || fail "the classes do not follow each other"
"$G" plot hand --kind slowdown_cdf -o hand.svg                                # all jobs at once, at slowdown 1
holds hand.svg "fifo, pack: 2 jobs"

# ---- Rates, by hand: a node draws 100 W, a GPU 10 W when free and 50 W when it works; PUE 2; 100 g a kWh, from 3600 s on 300 g; 3 USD a GPU h and
# 1 USD a kWh. One of two GPUs works from 1800 s to 5400 s: 160 W; 0.16 x 2 x 100 = 32 g/h, then 96 g/h, in all 64 g; 3 + 0.16 x 2 USD/h ----
printf 'carbon_g_per_kwh\n100\n300\n' >grid.csv
printf 'job_id,submit_s,duration_s,gpus\na,1800,3600,1\n' >one.csv
cat >rates.yaml <<'YAML'
nodes: [ { group: x, gpus: 2, count: 1 } ]
power: { context_w: 5, most_share: 1, exponent: 1, pue: 2, carbon_file: grid.csv, node_idle_w: 100, gpu_idle_w: 10, gpu_tdp_w: 50 }
prices: { gpu_usd_per_h: 3, energy_usd_per_kwh: 1 }
YAML
"$G" run -q -c rates.yaml -t one.csv -p fifo -o rates || fail "the run of rates does not run"
cut -d, -f1,9- rates/timeseries.csv | awk -F, -v OFS=, 'NR > 1 { $NF = sprintf("%.12g", $NF) } { print }' >said
printf '%s\n' time_s,power_w,carbon_g_per_h,cost_gpus_usd_per_h,cost_pools_usd_per_h,cost_energy_usd_per_h \
    1800,160,32,3,,0.32 3600,160,96,3,,0.32 5400,120,72,0,,0.24 >want && same want said
rate() { "$G" plot rates --kind "$1" -o rates.svg && holds rates.svg "$2" || fail "$1 of the run of rates"; }
rate energy ">fifo, pack: 0.16 kWh, at most 0.16 kW<"
rate carbon ">fifo, pack: 0.064 kg CO2, at most 0.096 kg/h<"
rate carbon ">kg/h<"
rate cost ">fifo, pack: 3.32 USD, at most 3.32 USD/h<"
"$G" plot rates --kind carbon --format csv | tail -n +2 | cut -d, -f3- >said && printf '%s\n' 0,0.032 1800,0.096 3600,0.072 3600,0.072 >want && same want said
"$G" plot rates --kind cost --from 2400 --to 3600 -o rates.svg && holds rates.svg ">fifo, pack: 1.11 USD, at most 3.32 USD/h<" || fail "a part of the cost"

# A name that does not fit into its only box is no text of a paper, and no error.
"$G" plot rates --kind gantt --paper -o rates.png 2>said && whole png rates.png && ok || fail "a Gantt of one job on paper: $(cat said)"

# ---- Means and intervals: 1 .. 5 have mean 3, s = sqrt(2.5), and t(4 degrees, 0.975) = 2.776 makes it 3 +- 1.963 ----
for seed in 1 2 3 4 5; do
    mkdir -p five/$seed
    printf '{ "policy": "p", "policy_text": "p", "placement": "q", "seed": %s }\n' $seed >five/$seed/manifest.json
    printf 'metric,scope,value,unit,n\nutil_alloc,all,0.%s,,1\nwait_mean_s,all,%s,s,1\npreemptions,all,%s00,,1\n' $seed $seed $seed >five/$seed/summary.csv
done
"$G" plot five --kind compare -m wait_mean_s -m util_alloc -m preemptions -o five.svg || fail "a set does not plot"
holds five.svg ">p, q (5 runs)<"
holds five.svg ">3 ± 2 s<"
holds five.svg ">30.0 ± 19.6 %<"
holds five.svg ">300 ± 196<"
"$G" plot five/1 five/2 --kind compare -m wait_mean_s --format term >said                # t(1 degree) = 12.706, s = 0.7071: 1.5 +- 6.353
holds said "1.5 ± 6.4 s"
sed 's/"seed": 2/"seed": 1/' five/2/manifest.json >x && mv x five/2/manifest.json
"$G" plot five --kind compare -m wait_mean_s -o five.svg                       # one seed twice: they differ in something else
if grep -q '±' five.svg; then fail "runs that are no replications have an interval"; else ok; fi

# ---- A part of the time, and dates: 2026-01-05 00:00 UTC is 1767571200 (date -u -d 2026-01-05 +%s) ----
"$G" plot hand -k jobs --from 50 --to 2.5min -f csv >said
says said '"fifo, pack",0,1,' && says said '"fifo, pack",100,1,'           # of 200 s those from 50 to 150
"$G" plot hand -k utilisation --from 50 --to 150 -o a.svg && holds a.svg ">time of the run (s)<" && holds a.svg ">60<" && holds a.svg ">140<"
if grep -q '>0 s<\|>20<' a.svg; then fail "tics of another time"; else ok; fi
cp -r hand dated && sed 's/"format": "native"/&, "origin_unix_s": 1767571200/' hand/manifest.json >dated/manifest.json
"$G" plot dated -k utilisation -o a.svg && holds a.svg ">date (UTC), from 5 Jan 2026<" && holds a.svg ">00:01:00<"
"$G" plot dated -k utilisation --from "2026-01-05 00:01:00" -f csv >said && says said '"fifo, pack",red_team,0,3,3' && says said '"fifo, pack",blue_team,40,5,5'
"$G" plot dated hand -k jobs -o a.svg && holds a.svg ">time since the start (min)<"       # not all have a date
for kind in utilisation quota gantt nodes; do
    "$G" plot dated -k $kind -f term >said && grep -q '5 Jan 00:0[0-3]\|00:0[123] ' said && ok || fail "$kind in a terminal without dates: $(cat said)"
done
expect 2 "gpuyard: plot: --from: want a time of the run as these runs have no dates, or not the same, got '2026-01-05'" "$G" plot hand -k jobs --from 2026-01-05
expect 2 "gpuyard: plot: --to: want a time of the run like 3600, 90min, 12h or 2d, or a date like 2017-10-09 or '2017-10-09 07:01:55', got '1w'" \
    "$G" plot hand -k jobs --to 1w
expect 2 "gpuyard: plot: --to: want a time after --from 100, got '50'" "$G" plot hand -k jobs --from 100 --to 50
expect 3 "gpuyard: plot: --from, --to: want times between 0 and 200 s of the run" "$G" plot hand -k jobs --from 300
expect 2 "gpuyard: plot: --from, --to: jct_cdf has no axis of time" "$G" plot hand -k jct_cdf --from 100
rm -f hand/*.png && "$G" plot hand --from 100 >said && holds said hand/jobs.png && none hand/jct_cdf.png && rm hand/*.png

# ---- 40 columns: what does not fit is cut or left out, and nothing lies over anything else ----
COLUMNS=40 "$G" plot dated -k nodes -f term >said && grep -q '5 Jan 00:00  *5 Jan 00:03$' said && ok || fail "a scale of 40 columns: $(tail -n 1 said)"
unfolded() { tr -s ' \n' ' ' <"$1"; }                       # words that went on in the next line
of_40() { # KIND TEXT DIRECTORIES...: TEXT is there, in a terminal of 40 columns
    kind=$1 text=$2
    shift 2
    COLUMNS=40 "$G" plot "$@" -k "$kind" -f term >said && unfolded said | grep -qF -e "$text" && ok || fail "$kind in 40 columns has no '$text': $(cat said)"
}
of_40 jobs '* fifo, pack: mean 1 running, 0 waiting' dated
of_40 jobs 'date (UTC), from 5 Jan 2026; each step is the mean over' dated
for kind in jct_cdf wait_cdf slowdown_cdf; do of_40 $kind '# fifo, pack: 400 jobs' set/quota-1 set/fifo-1; done
of_40 jct_cdf 'Job completion time: from submission to end' set/quota-1 set/fifo-1
of_40 wait_cdf 'waited at most (log scale; the curve starts at those that' set/quota-1 set/fifo-1
of_40 jct_ratio 'Completion time of each job over that with quota, pack' set/quota-1 set/fifo-1
for kind in energy carbon cost utilisation fragmentation queue_length; do of_40 $kind 'time since the start (h); each step is the mean over' set/quota-1 set/fifo-1; done
of_40 energy 'kWh, at most' set/quota-1 set/fifo-1
for kind in utilisation utilisation_class utilisation_state fragmentation; do of_40 $kind 'fifo, pack: ' set/quota-1 set/fifo-1; done
of_40 normalised 'mean bounded slowdown, over that of quota, pack' set/quota-1 set/fifo-1
of_40 by_queue 'Time in the queue P5 P50 P95' set/quota-1 set/fifo-1
of_40 services '12,000 requests, 62.5 % kept the SLO' served
of_40 pareto 'finish-time fairness, P95; less is better' set/quota-1 set/fifo-1
grep -q '[^ ] *A' said && grep -q '[^ ] *B' said && ok || fail "two points of one letter: $(cat said)"
of_40 pareto 'B fifo, pack: ' set/quota-1 set/fifo-1
COLUMNS=40 "$G" plot set/quota-1 set/fifo-1 --label one --label "a name that has not half of 40 columns" -k compare -m wait_mean_s -f term >said
says said '  a name that has not half of 40 columns' && grep -q '^  |###' said && ok || fail "a long name of a bar: $(cat said)"

# ---- Levels of thousands have separators: 3,000 jobs wait ----
awk 'BEGIN { print "job_id,submit_s,duration_s,gpus"; for (i = 0; i < 3000; i++) print i ",0,1,8" }' >many.csv
"$G" run -q -c hand.yaml -t many.csv -p fifo -o many && "$G" plot many -k queue_length -o a.svg && holds a.svg ">1,000<"
if grep -q '>1000<\|>10000<' a.svg; then fail "thousands without separators"; else ok; fi

# The grey line of what arrives stays below the title; the least latency, of 0.04 s beside 10 s, above the axis; quotas say what they draw, in few digits.
head -n 4 many.csv >few.csv && "$G" run -q -c hand.yaml -t few.csv -p fifo -o few          # three times all GPUs arrive
"$G" plot few -k arrived_load -f term >said && sed -n 2p said >first && [ "$(tr -d ' ' <first)" = 'GPUsallocated(%)' ] && ok || fail "a line through the title: $(cat first)"
says said "  broken line: all GPUs asked for are allocated"
mkdir -p apart && { head -n 1 served/services.csv; printf '%s\n' 60,slow,10,600,600,0,0,1,1,1,5,5,10,,,1,1 60,quick,400,24000,24000,0,0,1,1,1,0.01,0.01,0.04,,,1,1; } >apart/services.csv
for columns in 40 80; do
    COLUMNS=$columns "$G" plot apart -k service_load -f term >said && sed '1,/latency, P99/d; /requests a second/,$d' said | grep -q '| *B$' && ok || fail "no least latency: $(cat said)"
done
"$G" plot hand -k quota -f term >said && says said "  # held" && holds said "fifo, pack: GPUs of each queue; each column is the mean over"
COLUMNS=40 "$G" plot set/quota-1 -k quota -f term >said && ! grep -q '^ *[0-9]*\.[0-9][0-9] |\|^ *[0-9]*[0-9]\{3\}\.' said && ok || fail "more than three digits of GPUs: $(cat said)"

# ---- The legend of bands lies beside the panels, however low these are: one column, right of the axis of time ----
beside() { # SVG NAME...: the names stand one below the other, right of all tics of the axis
    python3 - "$@" <<'END'
import re, sys, xml.etree.ElementTree as e
at = {}
for g in e.parse(sys.argv[1]).getroot().iter():
    m = re.match(r"translate\(([\d.]+),([\d.]+)\)", g.get("transform", ""))
    for t in g.findall("{http://www.w3.org/2000/svg}text") if m else []:
        at.setdefault("".join(t.itertext()).strip(), []).append((float(m[1]), float(m[2]) , t.get("text-anchor")))
names = [at[n][0] for n in sys.argv[2:]]
tics = [x for text, places in at.items() for x, y, anchor in places if re.fullmatch(r"[\d.]+", text)]
sys.exit(not (len(set(x for x, y, a in names)) == 1 and len(set(y for x, y, a in names)) == len(names) and max(tics) < names[0][0]))
END
}
"$G" plot set/* broken -k utilisation_state -o a.svg && beside a.svg "out of service" "free, no job waits" "free while jobs wait" "making progress" && ok ||
    fail "a legend over the first of five panels"

# ---- A sweep: the same numbers as lines; one that was run; what has no numbers stands side by side ----
mkdir -p made scratch
awk 'BEGIN { print "point,name,load,policy,seed,metric,scope,value,unit,n"
    for (load = 1; load <= 2; load++) for (policy = 1; policy <= 2; policy++) for (seed = 1; seed <= 5; seed++)
        print n++ ",x," load ",p" policy "," seed ",wait_mean_s,all," seed * load * policy ",s,1" }' >made/sweep.csv
near() { # FILE LINE FROM NUMBER...: the numbers of that line of CSV from column FROM on, to five digits
    awk -F, -v line="$2" -v from="$3" -v want="$(shift 3; echo "$*")" 'NR == line { n = split(want, w, " ")
            for (i = 1; i <= n; i++) { d = $(from + i - 1) - w[i]; if (d > 1e-4 || d < -1e-4) bad = 1 } }
        END { exit bad || NR < line }' "$1" && ok || fail "$1:$2: $(sed -n "$2p" "$1")"
}
"$G" plot made --kind sweep -m wait_mean_s --format csv >by_load || fail "sweep as CSV"
says by_load "metric,scope,unit,line,x,n,mean,low,high"
near by_load 2 5 1 5 3 1.03676 4.96324
near by_load 3 5 2 5 6 2.07351 9.92649
near by_load 5 5 2 5 12 4.14703 19.85297
holds by_load "wait_mean_s,all,s,p2,2,5,12,"
"$G" plot made --kind sweep -m wait_mean_s -x policy -o by_policy.csv || fail "sweep over names as CSV"
near by_policy.csv 5 6 5 12 4.14703 19.85297
holds by_policy.csv "wait_mean_s,all,s,load = 2,p2,5,12,"
near by_policy.csv 3 6 5 6 2.07351 9.92649
cat >study.yaml <<'YAML'
clusters: [ lab.yaml ]
traces: [ trace.csv ]
policies: [ fifo, sjf ]
parameters: { load: [ 1, 2, 3 ] }
seeds: 1..2
YAML
"$G" sweep study.yaml -q -o swept 2>said || fail "the sweep does not run: $(cat said)"
for format in png svg pdf term; do
    for axis in load policy; do
        "$G" plot swept --kind sweep --metric wait_mean_s --metric jct_p90_s@all -x $axis --format $format -o a.$format 2>said && whole $format a.$format && ok ||
            fail "sweep over $axis as $format: $(cat said)"
    done
    "$G" plot swept --kind sweep --metric wait_mean_s --metric jct_p90_s@all -x policy --format $format -o b.$format
    same a.$format b.$format
done
"$G" plot swept >said && says said swept/sweep.png
"$G" plot made -k sweep -m wait_mean_s -f term >said && holds said '  12 |+' && ! grep -q '^ *1[4-9] |\|^ *20 |' said && ok || fail "an axis up to an interval of 19.85 that is not drawn: $(cat said)"
"$G" plot swept --kind sweep -x load -m wait_mean_s -o a.svg                   # tics at the values of runs, and at no other
if grep -q '>1\.5<\|>2\.5<' a.svg; then fail "a tic at a load that no run had"; else ok; fi

# ---- Bars of a sweep: of sweep.csv and of the runs that it kept the same; by the parameters that differ, loads by size ----
cat >kept.yaml <<'YAML'
clusters: [ lab.yaml ]
traces: [ trace.csv ]
policies: [ fifo, sjf ]
parameters: { load: [ 0.8, 1, 1.2 ] }
seeds: 1..2
YAML
"$G" sweep kept.yaml --keep-runs -q -o kept 2>said || fail "the kept sweep does not run: $(cat said)"
"$G" plot kept --kind compare -m wait_mean_s --format csv >said || fail "bars of a sweep"
[ "$(sed -n 's/^wait_mean_s,all,s,"\(.*\)",2,.*/\1/p' said | tr '\n' ';')" = \
    "load = 0.8, fifo (2 runs);load = 0.8, sjf (2 runs);load = 1, fifo (2 runs);load = 1, sjf (2 runs);load = 1.2, fifo (2 runs);load = 1.2, sjf (2 runs);" ] &&
    ok || fail "labels of a sweep: $(cat said)"
"$G" plot kept/runs --kind compare -m wait_mean_s --format csv >said2 && same said said2
"$G" plot kept --kind jct_cdf --format csv >said && [ "$(cut -d, -f1-2 said | uniq | tr '\n' ';')" = \
    'run,jct_s;"load = 0.8, fifo";"load = 0.8, sjf";"load = 1, fifo";"load = 1, sjf";"load = 1.2, fifo";"load = 1.2, sjf";' ] || fail "curves of a sweep: $(cut -d, -f1-2 said | uniq)"
"$G" plot kept/runs/*fifo*seed=1 --kind jct_cdf --format csv >said && [ "$(cut -d, -f1 said | uniq | tr '\n' ';')" = "run;load = 0.8;load = 1.2;load = 1;" ] &&
    ok || fail "labels of runs of a sweep: $(cut -d, -f1 said | uniq)"
"$G" plot kept --kind jct_cdf -o a.svg && holds a.svg ">load = 1, sjf: 800 jobs of 2 runs<" && holds a.svg "bands: from the lowest to the highest seed"
# Over time the first seed stands for its group, and says so; runs that are named are all shown, and so are all with a label for each.
for kind in queue_length jobs utilisation utilisation_state energy cost fragmentation; do
    "$G" plot kept --kind $kind -o a.svg 2>said && holds a.svg "; seed 1 alone, of 2<" && holds a.svg ">load = 1, sjf: " && words a.svg >drawn &&
        [ "$(grep -c '^load = ' drawn)" = 6 ] && ok || fail "$kind draws each seed: $(grep '^load' drawn)"
    says said "gpuyard: plot: $kind: seed 1 alone, of 2; a run that is itself a DIR is always shown, and all are with a --label for each"
    "$G" plot kept --kind $kind -f term 2>x >said && unfolded said | grep -q "; seed 1 alone, of 2" && ok || fail "$kind in a terminal does not say which seed: $(cat said)"
done
"$G" plot kept --kind jobs --paper -o a.svg 2>x && holds a.svg ">time since the start (h); seed 1 alone, of 2<"
"$G" plot kept --kind jobs -f csv 2>x >said && [ "$(cut -d, -f1-2 said | uniq | sort -u | wc -l)" = 7 ] && ok || fail "rows of each seed: $(cut -d, -f1-2 said | uniq)"
"$G" plot kept/runs/*load=1_fifo* -k jobs -o a.svg 2>said && holds a.svg ">seed = 1: " && holds a.svg ">seed = 2: " && same said /dev/null
"$G" plot kept kept/runs/*load=1_fifo*seed=2 -k jobs -o a.svg 2>said && holds a.svg ">load = 1, fifo, seed = 2: " && holds a.svg ">load = 1, sjf: "
"$G" plot kept/runs >x 2>said && [ "$(grep -c 'seed 1 alone' said)" = 1 ] && ok || fail "all kinds of a sweep: $(cat said)"; rm -f kept/runs/*.png

# ---- Distributions of replications, by hand: 10 and 20 s with the one seed, 20 and 40 s with the other are 25 % at 10 s (half of the one, none of the
# other), 75 % at 20 s (all, half) and all at 40 s. Over the base of the same seed (10 and 20; 10 and 40) ratios are 1, 1; 2, 1 ----
ends() { # DIRECTORY POLICY SEED FIRST SECOND: a run of two jobs that took so long
    mkdir -p "$1" && printf '{ "policy": "%s", "policy_text": "%s", "placement": "pack", "seed": %s }\n' "$2" "$2" "$3" >"$1/manifest.json"
    printf 'job_id,state,bounded_slowdown,jct_s\na,completed,1,%s\nb,completed,1,%s\n' "$4" "$5" >"$1/jobs.csv"
}
ends seeds/a1 p 1 10 20; ends seeds/a2 p 2 10 40; ends seeds/b1 q 1 10 20; ends seeds/b2 q 2 20 40
"$G" plot seeds/b1 seeds/b2 -k jct_cdf -f csv >said
printf '%s\n' run,jct_s,percent,percent_low,percent_high 'q,5,0,0,0' 'q,10,25,0,50' 'q,20,75,50,100' 'q,40,100,100,100' 'q,46,100,100,100' >want
sed 's/"q, pack"/q/' said >got && same want got
"$G" plot seeds -k jct_ratio -f csv >said && sed -n 's/"q, pack",\([12]\),/\1 /p' said >got && printf '%s\n' '1 75,50,100' '2 100,100,100' >want && same want got
"$G" plot seeds/b1 seeds/b2 -k jct_cdf --label one --label two -f csv >said && says said 'one,10,50,,' && says said 'two,20,50,,'
"$G" plot seeds -k jct_cdf --label ours --label theirs -f csv >said && says said 'theirs,10,25,0,50'
# Bars of replications: GPU time 100 of 400 and 300 of 400 GPU s; 3 and 4 preemptions; waits of 10 s, and three times 30 s. Shares of 0.5 and 0.9, Jain 0.8 and 0.9.
seed_of() { # SEED USEFUL FREE PREEMPTIONS SHARE JAIN
    mkdir -p bars/$1 && cp seeds/a$1/manifest.json bars/$1
    printf 'node,useful_gpu_s,free_gpu_s\n0,%s,%s\n' "$2" "$3" >bars/$1/nodes.csv
    printf 'metric,scope,value,unit,n\npreemptions_reclaim,all,%s,,1\nfair_share_held,queue=a,%s,,1\ngpu_h_held,queue=a,1,,1\njain_index,all,%s,,1\n' "$4" "$5" "$6" >bars/$1/summary.csv
}
seed_of 1 100 300 3 0.5 0.8; seed_of 2 300 100 4 0.9 0.9
printf 'job_id,state,bounded_slowdown,finish_time_fairness,wait_quota_s\na,completed,1,1,10\n' >bars/1/jobs.csv
printf 'job_id,state,bounded_slowdown,finish_time_fairness,wait_quota_s\na,completed,1,1,30\nb,completed,1,1,30\nc,completed,1,2,30\n' >bars/2/jobs.csv
"$G" plot bars -k ledger -f csv >said && says said '"p, pack",useful work,0,50,200' && says said '"p, pack",free,50,100,200'
"$G" plot bars -k preemptions -f csv >said && says said '"p, pack",reclaim,0,3.5,3.5'
"$G" plot bars -k wait_reasons -f csv >said && says said '"p, pack",quota,0,25,25'
"$G" plot bars -k fairness -f csv >said && says said '"p, pack",,,a,0.7' && says said '"p, pack",1,75,,'       # three of four jobs
"$G" plot bars -k fairness -o a.svg && holds a.svg ">p, pack: 4 jobs of 2 runs, Jain's index 0.850<"
"$G" plot bars -k wait_reasons -o a.svg && holds a.svg ">p, pack: 25 s of 4 jobs of 2 runs<"
"$G" plot bars -k preemptions -o a.svg && holds a.svg ">p, pack: 3.5, mean of 2 runs<"
expect 3 "gpuyard: seeds/b2: no run of p, pack has its seed" "$G" plot seeds/a1 seeds/b1 seeds/b2 -k jct_ratio
"$G" plot seeds/b1 seeds/b2 -k jct_cdf --paper -o a.png 2>said && says said "gpuyard: plot: lines: the jobs of all seeds; bands: from the lowest to the highest seed"
expect 3 "gpuyard: swept: this sweep kept no runs: want one with --keep-runs, or the kinds sweep and compare" "$G" plot swept --kind jct_cdf
expect 3 "gpuyard: swept/sweep.csv: no parameter nonsense" "$G" plot swept --kind sweep -x nonsense -o x2.svg
expect 3 "gpuyard: swept/sweep.csv: no value of nonsense with scope all" "$G" plot swept --kind sweep -m nonsense -o x2.svg

# A legend of twelve lines has one column, below the pictures; boxes of several seeds are one.
below() { # SVG NAME...: the names stand below all else, each lower than the one before
    python3 - "$@" <<'END'
import re, sys, xml.etree.ElementTree as e
at = []
for g in e.parse(sys.argv[1]).getroot().iter():
    m = re.match(r"translate\(([\d.]+),([\d.]+)\)", g.get("transform", ""))
    at += [(float(m[2]), "".join(t.itertext()).strip()) for t in g.findall("{http://www.w3.org/2000/svg}text")] if m else []
last = [text for y, text in sorted(at)][-len(sys.argv) + 2:]
sys.exit(last != sys.argv[2:] or len({y for y, text in at if text in last}) != len(last))
END
}
set --
for load in 0.8 1 1.2; do for policy in fifo sjf; do for seed in 1 2; do set -- "$@" kept/runs/*load=${load}_${policy}_*seed=$seed; done; done; done
COLUMNS=40 "$G" plot "$@" --kind jobs --format term >said && holds said "  E  load = 1, fifo, seed = 1: mean" && grep '^ .*|' said | grep -q '[A-L]' ||
    fail "twelve lines without letters: $(cat said)"
COLUMNS=40 "$G" plot "$@" $(seq -f '--label=%g' 12) --kind fairness --format term >said && unfolded said | grep -q " L 12: 400 jobs" && grep '^ .*|' said | grep -q '[A-L]' ||
    fail "twelve curves of fairness without letters: $(cat said)"
"$G" plot hand --kind jobs --format term >said && says said '  *  fifo, pack: mean 1 running, 0 waiting'
set --                                                                      # 26 letters; the 27th line has the first again
while [ $# -lt 27 ]; do set -- "$@" hand; done
"$G" plot "$@" --kind jobs --format term >said && says said "  Lines of one letter: a picture tells them apart."
expect 2 "gpuyard: plot: arrived_load shows at most 12 directories, got 13" "$G" plot kept/runs/* hand --kind arrived_load
"$G" plot kept set --kind arrived_load -f csv >said 2>said2 && ok || fail "eight lines of 16 runs: $(cat said2)"
# Of a long run means over time; the controls are a run of other numbers and its instants.
"$G" plot set/fifo-1 --kind arrived_load -f csv >said && python3 "$root/tests/e2e/plot_numbers.py" arrived set/fifo-1 said && ok || fail "allocation against arrived load"
if python3 "$root/tests/e2e/plot_numbers.py" arrived set/quota-1 said 2>said2; then fail "the control: means of another run"; else ok; fi
"$G" plot set/fifo-1 --kind arrived_load -o a.svg && holds a.svg ">means over time, of a hundredth of the load each<"
# Ratios have the interval of `gpuyard compare`, never below 0; the control is the other way round.
"$G" plot set -k normalised -f csv >said && python3 "$root/tests/e2e/plot_numbers.py" ratios said set/fifo-1 set/fifo-2 set/quota-1 set/quota-2 && ok || fail "ratios: $(cat said)"
if python3 "$root/tests/e2e/plot_numbers.py" ratios said set/quota-1 set/quota-2 set/fifo-1 set/fifo-2 2>said2; then fail "the control: ratios the other way round"; else ok; fi
# Seeds of one run are one line of reliability, with the jobs and failures of all of them.  With seed 8 no job of one GPU fails.
for seed in 1 2 8; do "$G" run -q -c breaking.yaml -t trace.csv -p fifo --seed $seed -o pool/$seed || fail "seed $seed with failures does not run"; done
"$G" plot pool --kind reliability -f csv >said 2>said2 && same said2 /dev/null && python3 "$root/tests/e2e/plot_numbers.py" pooled said pool/1 pool/2 pool/8 && ok || fail "reliability of three seeds"
if python3 "$root/tests/e2e/plot_numbers.py" pooled said pool/1 2>said2; then fail "the control: reliability of one of three seeds"; else ok; fi
set --
for load in 0.8 1 1.2; do for policy in fifo sjf; do for seed in 1 2; do set -- "$@" kept/runs/*load=${load}_${policy}_*seed=$seed; done; done; done
"$G" plot "$@" --paper --kind jobs -o jobs.svg && "$G" plot "$@" --paper --kind energy -o energy.svg || fail "twelve lines on paper"
for kind in jobs energy; do
    cp $kind.svg a.svg && set -- && for load in 0.8 1 1.2; do for policy in fifo sjf; do for seed in 1 2; do
        set -- "$@" "load = $load, $policy, seed = $seed"
    done; done; done && below a.svg "$@" && ok || fail "a legend of twelve lines of $kind: $(words a.svg | tail -n 13)"
done
"$G" plot kept --kind by_size --format csv >said && [ "$(cut -d, -f1-2 said | uniq | sed -n '2,7p' | tr '\n' ';')" = \
    '"load = 0.8, fifo";"load = 0.8, sjf";"load = 1, fifo";"load = 1, sjf";"load = 1.2, fifo";"load = 1.2, sjf";' ] && ok || fail "boxes of a sweep: $(cut -d, -f1-2 said | uniq)"
[ "$(awk -F, 'NR > 1 && $3 == "jct_s" { n[$1 $2] += $5 } END { for (k in n) print n[k] }' said | uniq)" = 800 ] && ok || fail "jobs of two seeds of 400 each"

# ---- Services: 100 intervals of a minute; the share is by requests, 60 x 100 at 1 and 60 x 300 at 0.5: 62.5 % ----
for format in png svg pdf term; do
    "$G" plot served --kind services --format $format -o a.$format 2>said && whole $format a.$format && ok || fail "services as $format: $(cat said)"
    "$G" plot served --kind services --format $format -o b.$format
    same a.$format b.$format
done
holds a.svg "big_llm_%_&lt;&amp;>"
holds a.svg "12,000 requests, 62.5 % kept the SLO"
holds a.svg ">99th percentile<"
head -n 1 served/services.csv >scratch/services.csv
expect 3 "gpuyard: scratch/services.csv: no rows" "$G" plot scratch --kind services -o x2.svg

# ---- Sessions, by hand. Type 7 of 10, 20 and 30 s: P50 20 s, P90 28 s; three of four in time; 900 and 2340 of 3600 GPU s active and idle ----
mkdir -p sat none_sat
cat >sat/sessions.csv <<'CSV'
session,group,user,queue,gpus,submit_s,usable_s,end_s,outcome,time_to_start_s,patience_s,slo_met,forgotten,releases,preemptions,delayed_s,starting_gpu_s,active_gpu_s,idle_gpu_s
a,g,u,q,1,0,10,1000,closed,10,60,1,0,0,0,0,160,900,0
b,g,u,q,1,0,30,1000,culled,30,60,1,1,1,0,0,100,0,1000
c,g,u,q,1,0,20,1000,closed,20,60,1,0,0,0,0,100,0,1340
d,g,u,q,1,0,,500,abandoned,,500,0,0,0,0,0,0,0,0
CSV
cat >sat/timeseries.csv <<'CSV'
time_s,gpus_total,gpus_up,gpus_allocated,gpus_busy,jobs_running,jobs_waiting,gpus_waiting,sessions_queued,sessions_starting,sessions_active,sessions_idle,sessions_released
0,4,4,0,0,0,4,4,4,0,0,0,0
500,4,4,4,1,4,0,0,0,0,1,1,2
1000,4,4,0,0,0,0,0,0,0,0,0,0
CSV
for dirs in sat "sat sat"; do
    for format in png svg pdf term; do
        # shellcheck disable=SC2086
        "$G" plot $dirs --kind sessions --format $format -o a.$format 2>said && whole $format a.$format && ok || fail "sessions as $format: $(cat said)"
        # shellcheck disable=SC2086
        "$G" plot $dirs --kind sessions --format $format -o b.$format
        same a.$format b.$format
    done
done
"$G" plot sat --kind sessions -o a.svg
holds a.svg ">sat: 4 sessions, 75 % started in time; active 25 % of 1 GPU h held, idle 65 %<"
holds a.svg ">sat: 3 sessions, 1 never started: P50 20 s, P90 28 s; gave GPUs back once<"
holds a.svg ">2 (50 %)<"
holds a.svg ">abandoned<"
holds a.svg ">gave GPUs back<"
if grep -q '>starting up<\|>expired<\|P99 [0-9]' a.svg; then fail "sessions: what did not happen"; else ok; fi
"$G" plot sat --kind sessions --format term >said           # four wait, from half of the time on two have given their GPUs back
grep -q '^ *\(4 +\)\{0,1\}c\{34,35\}d\{34,35\}$' said && grep -q '^ *\(0 +\)\{0,1\}c\{34,35\}a\{34,35\}$' said && ok || fail "bands of sessions: $(cat said)"
COLUMNS=40 "$G" plot sat sat --label "a long name, one" --label "a long name, two" --kind sessions --format term >x && unfolded x | grep -q "a long name, two: 4 sessions" && ok || fail "names of sessions that are cut: $(cat x)"
holds said "sat: time to start P50 20 s, P90 28 s; gave GPUs back once; 2"
sed '/,closed,\|,culled,/d' sat/sessions.csv >none_sat/sessions.csv && cp sat/timeseries.csv none_sat
"$G" plot none_sat --kind sessions -o a.svg || fail "sessions of which none has started"
holds a.svg ">none has started<"
rm none_sat/timeseries.csv
expect 3 "gpuyard: none_sat/timeseries.csv: cannot read it, and sessions needs it: No such file or directory" "$G" plot none_sat --kind sessions
expect 3 "gpuyard: hand/sessions.csv: cannot read it, and sessions needs it: No such file or directory" "$G" plot hand --kind sessions
cut -d, -f1-8 sat/timeseries.csv >none_sat/timeseries.csv
expect 3 "gpuyard: none_sat/timeseries.csv:1: no column sessions_active" "$G" plot none_sat --kind sessions -o x2.svg
head -n 1 sat/sessions.csv >none_sat/sessions.csv && cp sat/timeseries.csv none_sat
expect 3 "gpuyard: none_sat/sessions.csv: no rows" "$G" plot none_sat --kind sessions -o x2.svg
none x2.svg

# ---- One queue, nothing finished, nothing at all ----
"$G" run -q -c hand.yaml -t hand.csv -p fifo --until 50 -o cut || fail "the cut run does not run"
expect 3 "gpuyard: cut/jobs.csv: no finished job" "$G" plot cut --kind jct_cdf -o x.svg
"$G" plot cut >said 2>err
status=$?
[ $status = 3 ] && holds err "no finished job" && holds said cut/ledger.png && none cut/jct_cdf.png || fail "all plots of it: status $status"
"$G" plot cut --kind utilisation_state -o x.svg && ok || fail "a run that is cut off"
cp -r hand empty; head -n 1 hand/timeseries.csv >empty/timeseries.csv; head -n 1 hand/intervals.csv >empty/intervals.csv
expect 3 "gpuyard: empty/timeseries.csv: no rows" "$G" plot empty --kind fragmentation -o x2.svg
none x2.svg
cp -r hand bare && rm -f bare/*.png && head -1 bare/jobs.csv >jobs && mv jobs bare/jobs.csv
"$G" plot bare >said && holds said bare/ledger.png && none bare/wait_cdf.png
"$G" plot hand >said && holds said hand/ledger.png && none hand/energy.png && none hand/compare.png

# ---- One job; no queue has a quota; replicas are no jobs ----
sed 2q hand.csv >one.csv
"$G" run -q -c hand.yaml -t one.csv -p fifo -o one || fail "the run of one job"
"$G" plot one >said && holds said one/jct_cdf.png && none one/quota.png
"$G" plot one --kind jct_cdf --format csv >said && says said '"fifo, pack",50,0,,' && says said '"fifo, pack",100,100,,'
for kind in preemptions wait_reasons; do                                     # nothing to draw: it says so, without an axis
    case $kind in preemptions) none="no running job was preempted" ;; *) none="no job waited" ;; esac
    "$G" plot one -k $kind -f term >said && [ "$(cat said)" = "  $none" ] && ok || fail "$kind of nothing: $(cat said)"
    "$G" plot one -k $kind -o a.svg && holds a.svg ">$none<"
    if grep -q '>0<\|>0\.5<\|>1<' a.svg; then fail "$kind of nothing has an axis"; else ok; fi
done
"$G" plot one --kind wait_cdf -o a.svg && holds a.svg "the curve starts at those that did not wait" && holds a.svg ": 1 job, 0 % waited"
printf 'job_id,submit_s,duration_s,gpus\na,0,2000,8\nb,0.5,100,8\nc,2099.7,10,8\n' >short.csv  # waits of 0, 1999.5 and 0.3 s
"$G" run -q -c hand.yaml -t short.csv -p fifo -o short || fail "short waits do not run"
"$G" plot short --kind wait_cdf -o a.svg && holds a.svg "the curve starts at those that waited 1 s or less"
"$G" run -q -c "$root/traces/samples/mixed_cluster.yaml" -t "$root/traces/samples/mixed.yaml" -p quota -o mixed || fail "the mixed week does not run"
others=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "slowdown") at = i } NR > 1 && $at == "" { n++ } END { print n }' mixed/jobs.csv)
counted=$(sed -n 's/^jct_mean_s,all,.*,s,//p' mixed/summary.csv)
for kind in jct_cdf wait_cdf slowdown_cdf fairness; do
    "$G" plot mixed --kind $kind -o a.svg
    grep -q ">quota, pack: $(echo "$counted" | sed 's/\(...\)$/,\1/') jobs[^<]*; without $others replicas and sessions" a.svg && ok ||
        fail "$kind counts other jobs than the $counted of the summary"
done

# ---- No band: all GPUs are held all the time; sessions that no row of timeseries.csv shows ----
printf 'job_id,submit_s,duration_s,gpus\na,0,100,8\n' >full.csv
"$G" run -q -c hand.yaml -t full.csv -p fifo -o full || fail "the full run does not run"
mkdir -p calm && cp sat/sessions.csv calm && awk -F, -v OFS=, 'NR > 1 { $9 = $10 = $11 = $12 = $13 = 0 } { print }' sat/timeseries.csv >calm/timeseries.csv
for format in png svg term csv; do
    "$G" plot full --kind fragmentation --format $format -o a.$format 2>said && [ -s a.$format ] && ok || fail "no band, fragmentation as $format: $(cat said)"
    "$G" plot calm --kind sessions --format $format -o a.$format 2>said && [ -s a.$format ] && ok || fail "no band, sessions as $format: $(cat said)"
done

# ---- A Gantt that shows a part says so, also without a title ----
awk 'BEGIN { print "job_id,submit_s,duration_s,gpus"; for (i = 0; i < 3000; i++) print i "," 10 * i ",10,1" }' >steady.csv
"$G" run -q -c hand.yaml -t steady.csv -p fifo -o steady && "$G" plot steady -k gantt --paper -o a.svg && words a.svg | grep -q '^the first 5.56 h of 8.33 h$' && ok ||
    fail "2000 of 3000 boxes, silently"                                  # 2,000 x 10 s of 30,000 s

# ---- Names of 40 nodes on paper: in 210 pixels there is room for 16 lines of 13 ----
sed 's/count: 1/count: 40/' hand.yaml >nodes.yaml
"$G" run -q -c nodes.yaml -t many.csv -p fifo -o nodes40 || fail "the run of 40 nodes does not run"
for kind in nodes gantt; do
    "$G" plot nodes40 -k $kind --paper -o a.svg && n=$(words a.svg | grep -c '^node [0-9]*$') && [ "$n" -gt 5 ] && [ "$n" -le 16 ] && ok || fail "$kind: $n names of nodes"
done

# ---- A narrow terminal: nothing is wider than 40 columns ----
narrow() { awk -v wide="$1" '{ gsub(/[\200-\277]/, ""); if (length($0) > wide) { print; exit 1 } }' "$2"; }
for kind in jct_cdf by_size by_class by_queue utilisation ledger jobs quota fairness fragmentation energy cost compare gantt nodes jct_ratio wait_reasons normalised pareto; do
    case $kind in quota|gantt|nodes) dirs=set/quota-1 ;; compare|normalised) dirs=set ;; *) dirs="set/quota-1 set/fifo-1" ;; esac
    # shellcheck disable=SC2086
    COLUMNS=40 "$G" plot $dirs --kind $kind --format term >said && narrow 40 said >wide && ok || fail "$kind in 40 columns: $(cat wide)"
done
COLUMNS=40 "$G" plot served --kind service_load --format term >said && narrow 40 said >wide && ok || fail "service_load in 40 columns: $(cat wide)"

# ---- Names beside what they name, where they fit: the ends of lines, points; else a legend ----
"$G" plot made -k sweep -m wait_mean_s -o a.svg && holds a.svg ">p2<" && words a.svg >said && [ "$(grep -cx p2 said)" = 1 ] && ok || fail "a sweep without names"
mkdir -p close                                                               # both lines end near 6: a legend below, of 33 pixels
awk -F, -v OFS=, 'NR > 1 { $8 = $5 * 2 + ($4 == "p2") / 10 } { print }' made/sweep.csv >close/sweep.csv
"$G" plot made -k sweep -m wait_mean_s -f png -o a.png && "$G" plot close -k sweep -m wait_mean_s -o b.png
height() { od -An -tu1 -j20 -N4 "$1" | awk '{ print $3 * 256 + $4 }'; }
[ "$(height a.png)" = "$(($(height b.png) - 33))" ] && ok || fail "no legend where ends are near: heights $(height a.png), $(height b.png)"
"$G" plot set/quota-1 set/fifo-1 -k pareto -m jct_mean_s -m util_alloc -o a.svg && words a.svg >said &&
    [ "$(grep -cx 'quota, pack\|fifo, pack' said)" = 2 ] && ok || fail "points without names"

holds a.svg 'height="460"'
# Bars on paper have the unit of their axis; what they are over stands once, whole.
"$G" plot five -k compare -m wait_mean_s --paper -o a.svg && holds a.svg ">mean time in the queue (s)<"
"$G" plot set/quota-1 set/fifo-1 --label "a base whose name has 39 characters here" --label other -k normalised --paper -o a.svg &&
    words a.svg >said && [ "$(grep -c "over that of a base whose name has 39 characters here" said)" = 1 ] && ok || fail "a base that is cut: $(cat said)"
# An axis has the unit of its longest bar, whose text is 2.5 h.
mkdir -p hours && cp five/1/manifest.json hours && printf 'metric,scope,value,unit,n\nwait_mean_s,all,9000,s,1\n' >hours/summary.csv
"$G" plot hours -k compare -m wait_mean_s --paper -o a.svg && holds a.svg ">2.5 h<" && holds a.svg ">mean time in the queue (h)<"
# The name of an axis stands left of numbers of five digits and in the picture: text of 12 pixels from x on.
sed 's/count: 1/count: 1300/' hand.yaml >wide.yaml && "$G" run -q -c wide.yaml -t hand.csv -p fifo -o broad && "$G" plot broad -k fragmentation -o a.svg && holds a.svg ">10,000<" &&
    grep -B 1 '<text>free GPUs<' a.svg | grep -q 'translate([1-9][0-9]\.' && ok || fail "the name of an axis leaves the picture: $(grep -B 1 '<text>free GPUs<' a.svg)"
# Queues are points of their own mark for each run where there is no colour.
"$G" plot set/quota-1 set/fifo-1 -k fairness --bw -o a.svg && [ "$(grep -o "href='#gpPt[0-9]*' transform='translate" a.svg | sort -u | wc -l)" = 2 ] && ok || fail "two runs of one mark"
# Short steps of a dashed line have gaps, too: 120 run times, each 5 % above the one before. The control has dashes for no line.
awk 'BEGIN { print "job_id,submit_s,duration_s,gpus"; for (i = 0; i < 120; i++) print i ",0," 10 * 1.05 ^ i ",1" }' >smooth.csv
"$G" run -q -c wide.yaml -t smooth.csv -p fifo -o smooth || fail "120 run times do not run"
dashed() { "$G" plot smooth smooth --label "a name too long for a place beside the curve" --label "and another one of that length or more" -k jct_cdf --paper -o a.png; }
dashed && python3 "$root/tests/e2e/paper.py" dashes a.png && ok || fail "a dashed line of short steps looks solid"
mkdir -p plain/plot && cp "$root"/scripts/plot/*.gp plain/plot && sed 's/^dash_of(i) = .*/dash_of(i) = 1/' "$root/scripts/plot/common.gp" >plain/plot/common.gp &&
    (GPUYARD_SCRIPTS=$work/plain && export GPUYARD_SCRIPTS && dashed) || fail "no picture without dashes"
if python3 "$root/tests/e2e/paper.py" dashes a.png 2>said; then fail "the control: a solid line has gaps"; else ok; fi
"$G" plot set -k pareto -m jct_mean_s -m util_alloc -o a.svg && ! grep -q 'height="460"' a.svg && ok || fail "names that whiskers run through"
# 99.6 is 100 to two digits, not 1e+02.
for seed in 1 2 3; do
    mkdir -p far/$seed && printf '{ "policy": "p", "policy_text": "p", "placement": "q", "seed": %s }\n' $seed >far/$seed/manifest.json
    printf 'metric,scope,value,unit,n\npreemptions,all,%s,,1\n' $((seed * 40 + 120)) >far/$seed/summary.csv      # 200, s = 40: 4.30265 x 40 / sqrt(3) = 99.37
done
"$G" plot far -k compare -m preemptions -o a.svg && holds a.svg ">200 ± 99<"
sed -i 's/,240,/,240.2,/' far/*/summary.csv                                              # 200.07, s = 40.1: 99.6
"$G" plot far -k compare -m preemptions -o a.svg && holds a.svg ">200.1 ± 100<"
# On paper also along lines, where all have room: two panels of 158 pixels and 35, at 8 of 10 points; the same run twice needs a legend, of 2 x 17.
cp -r hand hand2
"$G" plot hand -k jobs --paper -o a.svg && words a.svg >said && [ "$(grep -cx 'fifo, pack' said)" = 1 ] && holds a.svg 'height="281"' || fail "a legend for one line"
"$G" plot hand hand2 -k jobs --paper --label one --label two -o a.svg && words a.svg >said && [ "$(grep -cx 'one\|two' said)" = 2 ] && holds a.svg 'height="308"' ||
    fail "no legend for two lines that are one"
for kind in jct_cdf wait_cdf slowdown_cdf; do           # 396 x 0.6 = 237 pixels, at 8 of 10 points
    "$G" plot hand -k $kind --paper -o a.svg && words a.svg >said && [ "$(grep -cx 'fifo, pack' said)" = 1 ] && holds a.svg 'height="190"' || fail "$kind: a legend for one curve"
done
# A legend over curves hides none: this one lies at 3 % until all but one job end.
awk 'BEGIN { print "job_id,submit_s,duration_s,gpus\na,0,10,1"; for (i = 1; i <= 30; i++) print "b" i ",0," 90000 + 100 * i ",1" }' >late.csv
"$G" run -q -c hand.yaml -t late.csv -p fifo -o late && "$G" plot late -k jct_cdf -o a.svg && holds a.svg 'height="517"' || fail "a legend over a curve"
# An axis shorter than from one usual tic to the next has the values that runs had: 100 s.
"$G" plot hand -k jct_cdf -o a.svg && holds a.svg ">100 s<"

# ---- A paper's column: 3.3 inches wide, embedded fonts of 8 points, greys that differ; the control is the same in colours ----
for kind in jct_cdf wait_cdf slowdown_cdf utilisation utilisation_class utilisation_state ledger queue_length fragmentation energy carbon cost compare quota gantt nodes \
    jct_ratio by_size by_class by_queue wait_reasons preemptions jobs normalised pareto arrived_load reliability service_load; do
    case $kind in quota|gantt|nodes) dirs=set/quota-1 ;; reliability) dirs=broken ;; service_load) dirs=served ;; *) dirs="set/quota-1 set/fifo-1" ;; esac
    for format in png svg pdf; do
        # shellcheck disable=SC2086
        "$G" plot $dirs --kind $kind --paper -o paper.$format 2>said && whole $format paper.$format && ok || fail "$kind on paper as $format: $(cat said)"
    done
    python3 "$root/tests/e2e/paper.py" fonts paper.pdf 3.3 8 && ok || fail "$kind: width and fonts of the PDF"
    [ "$(wc -c <paper.pdf)" -lt 200000 ] && ok || fail "$kind: the PDF has $(wc -c <paper.pdf) bytes"
    if grep -q '<script\|gnuplot_svg' paper.svg; then fail "$kind: the frame of gnuplot"; else ok; fi
    python3 "$root/tests/e2e/paper.py" words paper.svg && ok || fail "$kind: its words"
    case $kind in wait_cdf|slowdown_cdf|utilisation_class|utilisation_state|queue_length|fragmentation|energy|carbon|cost|by_class|by_queue|preemptions|jobs|jct_ratio|normalised) continue ;; esac
    python3 "$root/tests/e2e/paper.py" grey paper.png && ok || fail "$kind: a colour in greys"
done
printf 'job_id,submit_s,duration_s,gpus,queue\na,0,1000,2,red\nb,0,900,2,blue\nc,0,800,2,green\nd,0,700,1,white\n' >four.csv
"$G" run -q -c hand.yaml -t four.csv -p fifo -o four || fail "four queues do not run"
"$G" plot four --kind utilisation --paper -o paper.png && python3 "$root/tests/e2e/paper.py" bands paper.png 4 && ok || fail "greys of four bands"
"$G" plot four --kind utilisation --width 3.3in --no-title -o paper.png
if python3 "$root/tests/e2e/paper.py" bands paper.png 4 2>said; then fail "the control: colours that greys do not tell apart"; else ok; fi
# Ten bands are more than eight greys: every second one is hatched. The control has no hatching.
awk 'BEGIN { print "job_id,submit_s,duration_s,gpus,queue"; for (i = 0; i < 10; i++) print i ",0,1000,2,q" i }' >ten.csv
sed 's/count: [0-9]*/count: 3/' hand.yaml >ten.yaml
"$G" run -q -c ten.yaml -t ten.csv -p fifo -o ten || fail "ten queues do not run"
"$G" plot ten --kind utilisation --paper -o paper.png && python3 "$root/tests/e2e/paper.py" stack paper.png 10 24 && ok || fail "ten bands in grey"
sed 's/count: [0-9]*/count: 5000/' hand.yaml >vast.yaml && printf 'job_id,submit_s,duration_s,gpus,queue\na,0,1000,10000,q\nb,0,1000,10000,r\nc,0,1000,10000,s\nd,0,1000,9000,t\n' >vast.csv
"$G" run -q -c vast.yaml -t vast.csv -p fifo -o vast || fail "40,000 GPUs do not run"
for kind in utilisation gantt; do
    "$G" plot ten --kind $kind --paper -o paper.svg && python3 "$root/tests/e2e/paper.py" words paper.svg && ok || fail "$kind of ten queues: its words"
done
for kind in quota utilisation jobs queue_length fragmentation; do
    "$G" plot vast --kind $kind --paper -o paper.svg && python3 "$root/tests/e2e/paper.py" words paper.svg && ok || fail "$kind of 40,000 GPUs: its words"
done
mkdir -p even/plot && cp "$root"/scripts/plot/*.gp even/plot && sed -i 's/^hatched(name) = .*/hatched(name) = 0/' even/plot/common.gp
GPUYARD_SCRIPTS=$PWD/even "$G" plot ten --kind utilisation --paper -o paper.png
if python3 "$root/tests/e2e/paper.py" stack paper.png 10 24 2>said; then fail "the control: bands without their hatching"; else ok; fi
"$G" plot set/quota-1 set/fifo-1 --kind jct_cdf --width 84mm --font 9 --label ours --label theirs -o paper.pdf && python3 "$root/tests/e2e/paper.py" fonts paper.pdf 3.30709 9 &&
    ok || fail "84 mm at 9 points"
"$G" plot set/quota-1 set/fifo-1 --kind jct_cdf --label ours --label theirs -o a.svg && holds a.svg ">ours: 400 jobs<"
expect 2 "gpuyard: plot: --label: want one for each of 2 runs or 2 groups, got 1" "$G" plot set/quota-1 set/fifo-1 --kind jct_cdf --label ours
expect 2 "gpuyard: plot: --width: want a length such as 3.3in, 84mm or 8.4cm, up to 40in, got '3.3'" "$G" plot hand --kind ledger --width 3.3
expect 2 "gpuyard: plot: --font: want --width with it: its points are those of the final picture" "$G" plot hand --kind ledger --font 9
expect 2 "gpuyard: plot: --paper: is for pictures; term and csv have no width in inches" "$G" plot hand --kind ledger --paper -f term
expect 2 "gpuyard: plot: --width: fairness needs at least 5.0in at 8 points, got 3.3in" "$G" plot hand --kind fairness --paper

# ---- What lies on a tic: a line of all 8 GPUs is black there, too; a number stands below its tic, without a blank before it ----
"$G" plot hand --kind utilisation -o a.png && python3 "$root/tests/e2e/paper.py" top a.png && ok || fail "the grid lies over the line of all GPUs"
for kind in ledger fairness utilisation compare; do
    if grep -q '<text> [0-9]' $kind.svg; then fail "$kind: a number beside its tic"; else ok; fi
done

# ---- A panel of quota is lower than what its queue asks for, some 230 GPUs of 64, and says so in every form; not so where nothing waits ----
"$G" plot set/fifo-1 --kind quota -o a.svg && holds a.svg "; what is asked for above a panel is cut off<" || fail "quota on a screen"
"$G" plot set/fifo-1 --kind quota --format term >said && holds said "  what is asked for above a panel is cut off" || fail "quota on a terminal"
"$G" plot set/fifo-1 --kind quota --paper -o a.svg 2>said && says said "gpuyard: plot: quota: what is asked for above a panel is cut off" || fail "quota on paper"
"$G" plot hand --kind quota -o a.svg && if grep -q 'cut off' a.svg; then fail "quota: nothing is cut off"; else ok; fi
cp -r set/quota-1 satisfied && awk -F, -v OFS=, '$1 == "quota_satisfaction" && $2 ~ /^queue=/ { $3 = ++n == 1 ? 0.98354 : 0.89 } { print }' set/quota-1/summary.csv >satisfied/summary.csv
"$G" plot satisfied --kind quota --format term >said && holds said ", 98.4 % satisfied" && holds said ", 89 % satisfied" || fail "how far a quota is satisfied"

# ---- Boxes of waits: 0 s lies on the left edge of a logarithmic axis. The longest of twenty jobs waits 1000 s, 19 do not: the 95th percentile
# of 0 ... 0, 1000 is 50 s (at 0.95 x 19 = 18.05), the only positive number; the axis begins a tenth of it or lower and ends soon above ----
awk 'BEGIN { print "job_id,submit_s,duration_s,gpus"; print "a,0,1000,8"; print "b,0,100,8"; for (i = 1; i <= 18; i++) print "c" i "," 10000 + 100 * i ",60,1" }' >waits.csv
"$G" run -q -c hand.yaml -t waits.csv -p fifo -o waits && "$G" plot waits --kind by_class -o a.svg && holds a.svg "; left edge: 0 s<" || fail "boxes of waits"
"$G" plot waits --kind by_class --format csv | grep ',wait_s,' | awk -F, -v OFS=, '{ $NF = sprintf("%.10g", $NF) } { print }' >said && says said '"fifo, pack",wait_s,training,20,0,0,0,0,50'
words a.svg >said && says said "5 s" && says said "20 s" && [ "$(sed -n '/^Job completion/,$p' said | grep -cx '2 min\|5 min')" = 0 ] && ok || fail "the axis of waits"
awk 'BEGIN { print "job_id,submit_s,duration_s,gpus"; for (i = 0; i < 100; i++) print i ",0,10,8" }' >line.csv && "$G" run -q -c hand.yaml -t line.csv -p fifo -o line &&
    "$G" plot line --kind by_class -o a.svg && if grep -q 'left edge' a.svg; then fail "the control: 95 of 100 jobs wait 50 s or longer"; else ok; fi
"$G" plot waits --kind by_class --width 1.65in --font 5 --no-title -o a.svg && holds a.svg ">left edge: 0 s<" && python3 "$root/tests/e2e/paper.py" words a.svg && ok ||
    fail "boxes of waits in half a column"
printf 'job_id,submit_s,duration_s,gpus\na,0,10000,8\nb,0,1,8\n' >ratios.csv           # sjf: b takes 1 s instead of 10001 s
for policy in fifo sjf; do "$G" run -q -c hand.yaml -t ratios.csv -p $policy -o ratios/$policy || fail "ratios: $policy"; done
"$G" plot ratios/fifo ratios/sjf --kind jct_ratio -o a.svg && words a.svg >said && says said 0.001 && says said 0.0001 || fail "ratios below a hundredth"

# ---- Nothing to draw: the sentence stands below the title, both in the middle of a low picture ----
"$G" plot hand --kind preemptions -o a.svg && holds a.svg 'height="100"' && python3 -c '
import re, sys
at = {t: float(x) for x, t in re.findall(r"translate\(([\d.]+),[^>]*>\s*<text>([^<]*)<", open("a.svg").read())}
sys.exit(abs(at["Why running jobs were stopped"] - 480) > 5 or abs(at["no running job was preempted"] - 480) > 5)' && ok || fail "nothing to draw beside its title"
# One job: jobs and GPUs are counted in whole numbers; the fall at the end is there without colours, too.
"$G" plot rates --kind jobs -o a.svg && words a.svg >said && says said 1 && if grep -qx '0\.[0-9]*' said; then fail "parts of jobs on the axis"; else ok; fi
printf 'job_id,submit_s,duration_s,gpus\na,0,1184,1\n' >odd.csv && "$G" run -q -c rates.yaml -t odd.csv -p fifo -o odd || fail "a job of 1184 s does not run"
"$G" plot odd --kind jobs --format csv >said; grep -q ',1184,0,' said && ok || fail "jobs do not end at 0"
"$G" plot odd --kind jobs --bw -o a.png && python3 "$root/tests/e2e/paper.py" fall a.png && ok || fail "the fall at the end"

# ---- What a terminal does not draw it says in words ----
"$G" plot waits --kind slowdown_cdf --format term | tr -s '\n ' ' ' >said && holds said "completion time / service time, at most (log scale; jobs under 10 s as if they took 10 s)"
"$G" plot set/quota-1 set/fifo-1 --kind fairness --format term | tr -s '\n ' ' ' >said
share=$(awk -F, '$1 == "fair_share_held" && $2 ~ /long_name/ { printf "%.3g", $3 }' set/quota-1/summary.csv)
holds said "; fair share held: " && holds said "long_name_of_a_team_th.. $share"
"$G" plot set/quota-1 set/fifo-1 --kind pareto --format term | tr -s '\n ' ' ' >said
[ "$(grep -o 'no other beats it in both' said | wc -l)" = "$("$G" plot set/quota-1 set/fifo-1 --kind pareto --format csv | grep -c ',yes$')" ] && ok || fail "the front of pareto"
"$G" plot served --kind services --format term | tr -s '\n ' ' ' >said && holds said "served; a picture has requests and replicas over time, too"
"$G" plot hand --kind ledger --format term >said && holds said "fifo, pack: 0.444 GPU h |"                 # 8 x 200 s
# Decades alone where a terminal has few lines: of latencies from 0.04 s to 1.2 s the tics of 1, 2 and 5 times a power of ten lay over each other, "00.1".
mkdir -p fast && awk -F, -v OFS=, 'NR > 1 { $13 = 1.2 } NR > 1 && $2 == "idle" { $2 = "fast"; $3 = 400; $4 = $5 = 24000; $11 = $12 = 0.01; $13 = 0.04; $16 = 1 } { print }' served/services.csv >fast/services.csv
for columns in 40 80; do
    COLUMNS=$columns LINES=24 "$G" plot fast --kind service_load --format term >said && if grep -q '00\.' said; then fail "tics over each other"; else ok; fi
done

# ---- A legend of eight accounts, of which "replicas without requests" makes the columns wide, is whole ----
mkdir -p accounts && cp hand/*.csv hand/*.json accounts && awk -F, 'NR == 1 { print $0 ",idle_gpu_s,quiet_gpu_s" } NR > 1 { print $0 ",200,300" }' broken/nodes.csv >accounts/nodes.csv
"$G" plot accounts --kind ledger --label "load = 1.2, quota, and a name so long that bars are short" -o a.png && python3 "$root/tests/e2e/paper.py" inside a.png && ok || fail "a legend that is cut off"

# ---- docs/figures.md shows every kind, in pictures that keep the repository small ----
for kind in $("$G" plot --help | sed -n 's/^ *\([a-z_]*\): .*/\1/p' | grep -vx usage); do
    grep -q "figures/$kind.png" "$root/docs/figures.md" && [ -s "$root/docs/figures/$kind.png" ] && ok || fail "docs/figures.md: no picture of $kind"
done
[ "$(cat "$root"/docs/figures/*.png | wc -c)" -lt 1500000 ] && ok || fail "docs/figures is too large"

# ---- What is wrong is said ----
expect 3 "gpuyard: hand/timeseries.csv:1: no column power_w: the cluster file had no section power" "$G" plot hand --kind energy -o x2.svg
expect 3 "gpuyard: hand/timeseries.csv:1: no column carbon_g_per_h: the cluster file had no section power" "$G" plot hand --kind carbon -o x2.svg
expect 3 "gpuyard: hand/timeseries.csv:1: no column cost_gpus_usd_per_h: the cluster file had no section prices" "$G" plot hand --kind cost -o x2.svg
expect 3 "gpuyard: summary.csv: no run has a value of nonsense with scope all" "$G" plot hand set/fifo-1 --kind compare -m nonsense -o x2.svg
expect 2 "gpuyard: plot: nodes shows one directory, got 'set/fifo-2' besides" "$G" plot set --kind nodes
rm empty/nodes.csv
expect 3 "gpuyard: empty/nodes.csv: cannot read it, and ledger needs it: No such file or directory" "$G" plot empty --kind ledger
sed '1s/bounded_slowdown/x/' hand/jobs.csv >empty/jobs.csv
expect 3 "gpuyard: empty/jobs.csv:1: no column bounded_slowdown" "$G" plot empty --kind slowdown_cdf -o x2.svg
none x2.svg
for kind in ledger fragmentation energy; do
    expect 3 "gpuyard: nowhere: no such directory" "$G" plot nowhere --kind $kind
done
expect 2 "gpuyard: plot: --format csv: want --kind with it: each kind has other columns" "$G" plot hand --format csv
mkdir -p no_gnuplot
expect 1 "gpuyard: cannot start gnuplot: is it installed?" env PATH="$work/no_gnuplot" "$G" plot hand --kind ledger -o x2.svg
none x2.svg

# ---- Numbers as CSV: 3 GPUs for 100 s, then 5 for 100 s; one job of each queue ----
"$G" plot hand --kind utilisation --format csv >said
says said "run,band,time_s,value,top"
says said "\"fifo, pack\",blue_team,0,0,0"
says said "\"fifo, pack\",blue_team,100,5,5"
says said "\"fifo, pack\",red_team,0,3,3"
says said "\"fifo, pack\",red_team,100,0,5"
says said "\"fifo, pack\",all GPUs,0,8,"
"$G" plot hand --kind jct_cdf -o hand.csv && says hand.csv "\"fifo, pack\",100,100,,"

# ---- Names that would be commands: of a directory, a queue and a class; nothing runs, and the plots have them ----
bad='it'"'"'s "$(touch ran1)" `touch ran2` @x %s ${HOME};system("touch ran3")
$data << EOD # \ | touch ran4'
mkdir "$bad" && cp hand/*.csv "$bad" || fail "no directory of that name"
printf '%s\n' 'job_id,submit_s,duration_s,gpus,queue,class' '"a`touch ran5`""q""",0,100,3,"v`touch ran6`$(touch ran7)""\ '"'"'x",training' \
    'b,100,1000,5,"!touch ran8",interactive' >bad.csv
"$G" run -q -c hand.yaml -t bad.csv -p fifo -o "$bad/in" || fail "hostile names do not run"
for kind in jct_cdf wait_cdf slowdown_cdf utilisation utilisation_class utilisation_state ledger queue_length fairness fragmentation quota gantt nodes; do
    for format in png svg pdf term csv; do
        rm -f "$bad/x"
        "$G" plot "$bad/in" --kind $kind --format $format -o "$bad/x" 2>said && [ -s "$bad/x" ] && ok || fail "hostile names, $kind as $format: $(cat said)"
    done
done
rm "$bad/in/manifest.json" && mv "$bad/in" "$bad/in $bad" 2>/dev/null || mv "$bad/in" "$bad/\`touch ran9\`'"
for dir in "$bad"/*/; do
    "$G" plot "$dir" --kind jct_cdf -o "$bad/y.svg" 2>said && whole svg "$bad/y.svg" && ok || fail "hostile directory: $(cat said)"
    "$G" plot "$dir" "$dir" --kind compare -o "$bad/y.svg" 2>said && whole svg "$bad/y.svg" && ok || fail "hostile directories: $(cat said)"
done
TMPDIR="$bad" GPUYARD_SCRIPTS=$root/scripts "$G" plot hand --kind ledger -o y.svg && whole svg y.svg && ok || fail "TMPDIR of any name"
cp -r "$root/scripts" "$bad/scripts" && GPUYARD_SCRIPTS="$bad/scripts" "$G" plot hand --kind utilisation -o z.svg && whole svg z.svg && ok ||
    fail "scripts in a folder of any name"
find . "$bad" "$root/scripts" -name 'ran[0-9]*' >ran
[ -s ran ] && fail "a name was run: $(cat ran)" || ok

# ---- Interrupted: gnuplot that takes its time; nothing is left behind ----
mkdir -p slow left
printf '#!/bin/sh\nsleep 5\n' >slow/gnuplot && chmod +x slow/gnuplot
for signal in INT:130 TERM:143; do
    TMPDIR=$work/left PATH=$work/slow:$PATH timeout --preserve-status -s ${signal%:*} 0.5 "$G" plot hand --kind ledger -o left/x.svg 2>err
    s=$?
    [ $s = "${signal#*:}" ] && [ -z "$(ls -A left)" ] && ok || fail "$signal while gnuplot draws: status $s, $(ls -A left)"
done

echo "$passed passed, $failed failed"
[ $failed = 0 ]
