#!/bin/sh
# sweep.sh GPUYARD - experiments: the same bytes whatever the number of workers, shards and interruptions; every point is the run that
# its command line says; what fails fails alone; shards that do not belong together are refused.
set -u
gpuyard=$1
case $gpuyard in /*) ;; *) gpuyard=$PWD/$gpuyard ;; esac
root=$PWD
. tests/support/checks.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir in
cat >in/lab.yaml <<'END'
nodes:
  - { group: a, count: 4, gpus: 8 }
END
awk 'BEGIN { srand(7); print "job_id,submit_s,duration_s,gpus,user"
    for (i = 0; i < 300; i++) print i "," int(t += 40 * rand()) "," 60 + int(900 * rand()) "," int(1 + 8 * rand()) ",u" i % 5 }' >in/week.csv
printf 'workload: w\njobs: 200\narrivals: { rate_per_h: 60 }\ngpus: { 1: 0.7, 2: 0.2, 8: 0.1 }\ndurations: { law: lognormal, mean_s: 600, median_s: 120 }\n' \
    >in/drawn.yaml
cat >in/e.yaml <<'END'
clusters: [ lab.yaml, { name: big, file: lab.yaml } ]
traces: [ week.csv, drawn.yaml ]
policies: [ fifo, "fifo:blocking=skip", srtf, easy ]
placements: [ pack, random ]
parameters:
  load: [ 0.8, 1.2 ]
  estimates: [ perfect, "lognormal:1" ]
  policy.order: [ arrival, shortest ]
  cluster.nodes.a.count: 5
seeds: 3..4
exclude:
  - { cluster: big, policy: [ srtf, easy ] }
  - { trace: drawn, load: 1.2 }
  - { trace: drawn, cluster: big }
  - { trace: drawn, estimates: "lognormal:1" }
limit_s: 100
END
"$gpuyard" sweep in/e.yaml --list >list 2>err || fail "--list: $(cat err)"

# ---- The same bytes ----
expect 0 '' "$gpuyard" sweep in/e.yaml -q -j1 -o one
expect 0 '' "$gpuyard" sweep in/e.yaml -q -j2 -o two
expect 0 '' "$gpuyard" sweep in/e.yaml -q -j7 -o seven
expect 0 '' "$gpuyard" sweep in/e.yaml -q -j2 --shard 0/2 -o s0
expect 0 '' "$gpuyard" sweep in/e.yaml -q -j1 --shard 1/2 -o s1
expect 0 '' "$gpuyard" merge -q s1 s0 -o merged
for d in two seven merged; do same one/sweep.csv $d/sweep.csv; done
[ "$(cat s0/sweep.csv s1/sweep.csv | sed '1n;/^point,/d' | cksum)" = "$(cksum <one/sweep.csv)" ] && ok || fail "the shards are not the parts"
[ "$(cut -d, -f1 one/sweep.csv | uniq | tail -n +2)" = "$(cut -d, -f1 list | tail -n +2)" ] && ok || fail "points are not in their order"
[ "$(wc -l <one/failures.csv)" = 1 ] && ok || fail "failures: $(cat one/failures.csv)"
# Sent when some points are done and some are not; Ctrl-C goes to the whole process group.
killed() { # SIGNAL STATUS DIR
    python3 - "$1" "$gpuyard" "$3" 2>err <<'END'
import os, signal, subprocess, sys, time
number, directory = getattr(signal, "SIG" + sys.argv[1]), sys.argv[3]
p = subprocess.Popen([sys.argv[2], "sweep", "in/e.yaml", "-q", "-j2", "-o", directory], start_new_session=True)
while p.poll() is None and not (os.path.isdir(directory + "/points") and len(os.listdir(directory + "/points")) >= 5):
    time.sleep(0.002)
(os.kill if number == signal.SIGKILL else os.killpg)(p.pid, number)
status = p.wait()
sys.exit(128 - status if status < 0 else status)
END
    status=$?
    n=$(find "$3/points" -type f ! -name '.*' | wc -l)
    [ $status = "$2" ] && [ "$n" -lt "$points" ] && [ ! -e "$3/sweep.csv" ] && ok || fail "SIG$1: status $status, $n points done"
}
points=$(($(wc -l <list) - 1))
killed KILL 137 nine
touch nine/points/.half.1.partial
expect 0 '' "$gpuyard" sweep in/e.yaml -q -j2 --resume -o nine
same one/sweep.csv nine/sweep.csv
[ -z "$(find nine -name '*.partial')" ] && ok || fail "what was half written is still there: $(find nine -name '*.partial')"
killed INT 130 asked
[ "$(cat err)" = 'gpuyard: interrupted' ] && ok || fail "Ctrl-C: $(cat err)"
[ -z "$(find asked -name '*.partial')" ] && ok || fail "Ctrl-C left half a file: $(find asked -name '*.partial')"
expect 0 '' "$gpuyard" sweep in/e.yaml -j2 --resume -o asked
same one/sweep.csv asked/sweep.csv
grep -q "^$points points, [1-9][0-9]* run now, 0 failed: results in asked$" out && ok || fail "what is said of a resumed sweep: $(cat out)"
expect 0 '' "$gpuyard" sweep in/e.yaml --resume -o asked
says out "$points points, 0 run now, 0 failed: results in asked"

# ---- A point is a run ----
is_run() { # NUMBER OPTIONS...
    number=$1
    shift
    "$gpuyard" run -q -o run --outputs summary "$@" || fail "run $*"
    grep "^$number," one/sweep.csv | sed 's/.*,\([a-z0-9_]*,[^,]*,[^,]*,[^,]*,[0-9]*\)$/\1/' >point
    tail -n +2 run/summary.csv >want
    [ -s want ] && cmp -s point want && ok || fail "point $number is not: run $*"
}
number() { awk -F, -v want="$1" '{ s = $3; for (i = 4; i <= NF; i++) s = s " " $i } s == want { print $1 }' list; }
says list 'point,name,trace,cluster,cluster.nodes.a.count,load,estimates,policy,policy.order,placement,seed'
is_run "$(number 'week lab 5 0.8 lognormal:1 easy arrival random 4')" -c in/lab.yaml -t in/week.csv --set nodes.a.count=5 --load 0.8 \
    --estimates lognormal:1 -p easy:order=arrival --placement random --seed 4
is_run "$(number 'week lab 5 1.2 perfect fifo:blocking=skip  pack 3')" -c in/lab.yaml -t in/week.csv --set nodes.a.count=5 --load 1.2 \
    --estimates perfect -p fifo:blocking=skip --seed 3
is_run "$(number 'drawn lab 5 0.8 perfect fifo  pack 4')" -c in/lab.yaml -t in/drawn.yaml --set nodes.a.count=5 --load 0.8 \
    --estimates perfect -p fifo --seed 4

# ---- What is stale, and what is not ----
now() { grep -o '[0-9]* run now' out; }
cp -r one again
expect 2 "gpuyard: sweep: again has results of a sweep: want --resume to continue it, or another --output" "$gpuyard" sweep in/e.yaml -o again
awk -F, -v OFS=, 'NR == 5 { $3++ } { print }' in/week.csv >in/new.csv && mv in/week.csv in/old.csv && mv in/new.csv in/week.csv
expect 0 '' "$gpuyard" sweep in/e.yaml -j2 -o again --resume
[ "$(now)" = "$(awk -F, '$3 == "week"' list | wc -l) run now" ] && ok || fail "another trace: $(cat out)"
cmp -s one/sweep.csv again/sweep.csv && fail "another trace gives the same" || ok
mv in/old.csv in/week.csv
sed 's/seeds: 3..4/seeds: [ 3, 4, 9 ]/' in/e.yaml >in/more.yaml
expect 0 '' "$gpuyard" sweep in/more.yaml -j2 -o again --resume
[ "$(now)" = "$((points / 2)) run now" ] && ok || fail "a seed more: $(cat out)"
head -n "$(wc -l <one/sweep.csv)" again/sweep.csv >first
same first one/sweep.csv
: >"again/points/$(awk -F, 'NR == 2 { print $NF }' again/points.csv)"
expect 0 '' "$gpuyard" sweep in/more.yaml -j2 -o again --resume
[ "$(now)" = "2 run now" ] && ok || fail "an empty result, of lab and of big, which is the same: $(cat out)"

# A file that the cluster's names is an input, too.
fault() { # DAY OF THE END
    printf '[{"node_id":"a","event_time":0.01,"event_type":"fault_start","fault_type":{"Class":"GPU"}},
        {"node_id":"a","event_time":%s,"event_type":"fault_end","fault_type":{"Class":"GPU"}}]' "$1" >in/faults.json
}
fault 0.02
{ cat in/lab.yaml; echo 'failures: { trace: in/faults.json }'; } >in/faulty.yaml
printf 'clusters: faulty.yaml\ntraces: week.csv\n' >in/faulty_lab.yaml
expect 0 '' "$gpuyard" sweep in/faulty_lab.yaml -q -o faulty
expect 0 '' "$gpuyard" sweep in/faulty_lab.yaml -o faulty --resume
[ "$(now)" = "0 run now" ] && ok || fail "the same faults: $(cat out)"
fault 0.05
expect 0 '' "$gpuyard" sweep in/faulty_lab.yaml -o faulty --resume
[ "$(now)" = "1 run now" ] && ok || fail "other faults: $(cat out)"

# ---- What fails, fails alone ----
plugin() { # NAME STATEMENT
    cc -std=c17 -D_XOPEN_SOURCE=700 -fPIC -shared -I"$root/sim/contract" -o "in/$1.so" -x c - <<END || exit 1
#include "policy.h"
#include <stdlib.h>
#include <unistd.h>
static void schedule(struct sched *s, const void *params, void *state) { (void)s; (void)params; (void)state; $2; }
const struct policy policy_plugin = { .abi = POLICY_ABI, .name = "$1", .summary = "$1", .schedule = schedule };
END
}
plugin aborts 'abort()'
plugin thinks 'for (;;) { }'
plugin sleeps 'for (;;) pause()'
plugin leaves '_exit(7)'
plugin idles '(void)0'
cat >in/bad.yaml <<'END'
clusters: lab.yaml
traces: week.csv
policies: [ fifo, ./aborts.so, ./thinks.so, srtf, ./sleeps.so, ./leaves.so, ./idles.so, sjf ]
seeds: 1..2
limit_s: 2
END
reason() { # POLICY REASON: of both seeds
    [ "$(grep -c ",./$1.so,pack,[12],$2\$" bad/failures.csv)" = 2 ] && ok || fail "$1: $(grep "$1" bad/failures.csv)"
}
expect 1 '' "$gpuyard" sweep in/bad.yaml -q -j4 -o bad
reason aborts 'crashed: signal 6 (Aborted)'
reason thinks 'passed its time limit of 2 s'
reason sleeps 'passed its time limit of 2 s'
reason leaves 'its process ended with exit status 7'
reason idles '"policy idles stalls: job 0 is pending (order) at [0-9]* s, and nothing will ever happen again"'
[ "$(cut -d, -f5 bad/sweep.csv | sort -u | tr '\n' ' ')" = 'fifo policy sjf srtf ' ] && ok || fail "others than the good ones have results"
sed 's/, [.][^,]*[.]so//g' in/bad.yaml >in/good.yaml
expect 0 '' "$gpuyard" sweep in/good.yaml -q -j1 -o good
for d in bad good; do cut -d, -f3- $d/sweep.csv >$d.rows; done
same good.rows bad.rows
expect 1 '' "$gpuyard" sweep in/bad.yaml -q -j1 -o alone
same bad/failures.csv alone/failures.csv
same bad/sweep.csv alone/sweep.csv
"$gpuyard" sweep in/bad.yaml -j2 -o bad --resume >out 2>err
[ $? = 1 ] && [ "$(now)" = '10 run now' ] && [ "$(grep -c '^gpuyard: point [0-9]* (' err)" = 10 ] && ok || fail "failures are not tried again: $(cat out err)"
plugin aborts '(void)0'
"$gpuyard" sweep in/bad.yaml -q -j2 -o bad --resume
grep -q './aborts.so.*stalls' bad/failures.csv && ok || fail "another plugin of the same name is not run"

# ---- Results of runs are kept, and compared ----
expect 0 '' "$gpuyard" sweep in/good.yaml -q -j2 -o kept --keep-runs --outputs jobs,summary
same good/sweep.csv kept/sweep.csv
[ "$(ls kept/runs | wc -l)" = 6 ] && [ -f kept/runs/week_lab_fifo_pack_seed=1/jobs.csv ] && ok || fail "what is kept: $(ls kept/runs)"
rm -r kept/runs/week_lab_fifo_pack_seed=1
expect 0 '' "$gpuyard" sweep in/good.yaml -j2 -o kept --keep-runs --outputs jobs,summary --resume
[ "$(now)" = '1 run now' ] && ok || fail "a run that is no longer kept: $(cat out)"
expect 0 '' "$gpuyard" compare good kept --fail-if 'jct_mean_s>0%'
holds out '6 pairs'
expect 0 '' "$gpuyard" compare kept/runs good --fail-if 'jct_mean_s>0%'
expect 4 '' "$gpuyard" compare good good --base policy=srtf --new policy=fifo --new seed=1 --base seed=1 --fail-if 'jct_mean_s>2%'
"$gpuyard" run -q -c in/lab.yaml -t in/week.csv -p srtf --seed 2 -o srtf
expect 0 '' "$gpuyard" compare srtf good --new policy=srtf --new seed=2 --fail-if 'jct_mean_s>0%'
expect 3 "gpuyard: good/points.csv:1: there is no column 'polcy'" "$gpuyard" compare good good --base polcy=fifo
expect 3 "gpuyard: good: no point is as wanted: policy=nix" "$gpuyard" compare good good --base policy=nix
expect 3 "gpuyard: srtf: want a sweep, of which points can be chosen by policy=fifo" "$gpuyard" compare srtf good --base policy=fifo
"$gpuyard" compare bad bad 2>err
[ $? = 3 ] && ok || fail "a sweep with failures is compared"
holds err 'it failed: '

# ---- Shards that are refused ----
refused() { # MESSAGE DIR...
    message=$1
    shift
    expect 3 "gpuyard: merge: $message" "$gpuyard" merge -q -o never "$@"
    none never
}
refused "$((points / 2)) of $points points have no result, the first is point 0 (week_lab_load=0.8_estimates=perfect_fifo_pack_seed=3): shard 0/2 is missing" s1
rm "s0/points/$(awk -F, 'NR == 2 { print $NF }' s0/points.csv)"
refused "2 of $points points have no result, the first is point 0 (week_lab_load=0.8_estimates=perfect_fifo_pack_seed=3): shard 0/2 is not finished" s1 s0
expect 0 '' "$gpuyard" merge -q s1 s0 one -o never
rm -r never
sed 's/0.8, 1.2/0.8, 1.3/' in/e.yaml >in/f.yaml
cp in/e.yaml in/g.yaml
"$gpuyard" sweep in/good.yaml -q --shard 0/2 -o g0
"$gpuyard" sweep in/good.yaml -q --shard 1/2 -o g1
sed -i 's/sjf/ljf/' in/good.yaml && "$gpuyard" sweep in/good.yaml -q --shard 1/2 -o other
sha() { sha256sum "$1" | cut -c1-"$2"; }
refused "other: it has another experiment file than g0: $(sha in/good.yaml 64) instead of $(sed 's/ljf/sjf/' in/good.yaml | sha - 64)" g0 other
sed -i 's/ljf/sjf/' in/good.yaml
cp in/week.csv in/old.csv && sed -i '3s/,60/,61/;4s/,[0-9]*,u/,7,u/' in/week.csv && "$gpuyard" sweep in/good.yaml -q --shard 1/2 -o other --resume
refused "other: its trace 'week' has other bytes than in g0: SHA-256 $(sha in/week.csv 16)... instead of $(sha in/old.csv 16)..." g0 other
mv in/old.csv in/week.csv
cp -r g1 later && sed -i 's/"version": "[^"]*"/"version": "9.9"/' later/sweep.json
refused "later: it has another version of gpuyard than g0: 9.9 instead of $("$gpuyard" --version | sed -n '1s/gpuyard //p')" g0 later
refused "good: it has another experiment than one: good instead of e" one good
cp -r g1 twice
key=$(awk -F, 'END { print $NF }' twice/points.csv)
sed -i 's/^jct_mean_s,all,[^,]*/jct_mean_s,all,1/' "twice/points/$key"
refused "point 5 (week_lab_sjf_pack_seed=2): two results: g1 has '$(grep '^jct_mean_s,all' "g1/points/$key")', twice has '$(grep '^jct_mean_s,all' "twice/points/$key")'" \
    g0 g1 twice
sed -i '$d' "twice/points/$key"
refused "twice/points/$key: incomplete result of a point" g0 twice
refused "nowhere/sweep.json: cannot open: No such file or directory" g0 nowhere
expect 3 "gpuyard: merge: one: has results of another experiment: want another --output" "$gpuyard" merge -q g0 g1 -o one
expect 0 '' "$gpuyard" merge g0 g1 g1 -o whole
says out '6 points of 3 shards, 0 failed: results in whole'
same good/sweep.csv whole/sweep.csv
# ---- What is said of experiments that are none ----
wrong() { # MESSAGE LINES...: in the experiment, behind its cluster and trace
    message=$1
    shift
    { echo 'clusters: lab.yaml'; echo 'traces: week.csv'; printf '%s\n' "$@"; } >in/wrong.yaml
    expect 3 "gpuyard: $message" "$gpuyard" sweep in/wrong.yaml -o never
    expect 3 "gpuyard: $message" "$gpuyard" check in/wrong.yaml
    none never
}
wrong "in/wrong.yaml:3:13: no policy 'fiffo', did you mean 'fifo'?" 'policies: [ fiffo ]'
wrong "in/wrong.yaml:3:11: policies: policy fifo: blocking: want strict or skip, got 'x'" 'policies: fifo:blocking=x'
wrong "in/wrong.yaml:3:15: no placer 'pakc', did you mean 'pack'?" 'placements: [ pakc ]'
wrong "in/wrong.yaml:3:13: in/./none.so: cannot load the plugin: cannot open shared object file: No such file or directory" 'policies: [ ./none.so ]'
wrong "in/wrong.yaml:3:15: no option of a run 'laod', did you mean 'load'?" 'parameters: { laod: 1 }'
wrong "in/wrong.yaml:3:15: no option of a run 'seed', want load, estimates, until, ... ('gpuyard run --help'), or cluster.KEY, policy.KEY or placement.KEY" \
    'parameters: { seed: 1 }'
wrong "in/wrong.yaml:3:23: --load: want a number above 0, at most 1000000, got 'x'" 'parameters: { load: [ x ] }'
wrong "in/wrong.yaml:4:14: estimates: --estimates: want trace, perfect, uniform:F, lognormal:SIGMA, buckets, user-last2, group-quantile[:Q], or a factor from 0.001 to 1000, got 'x'" \
    parameters: '  estimates: x'
wrong "in/wrong.yaml:3:15: policy.depth: no policy of the experiment has a parameter 'depth'" 'parameters: { policy.depth: 1 }'
wrong "in/wrong.yaml:4:34: policy easy: depth: want a number from 1 to 1000000000, got '0'" 'policies: [ fifo, easy ]' 'parameters: { policy.depth: [ 1, 0 ] }'
wrong "in/wrong.yaml:4:29: policy.depth: policy easy: depth is given twice" 'policies: "easy:depth=2"' 'parameters: { policy.depth: 1 }'
expect 2 "gpuyard: sweep: --shard: want I/N, a part from 0 to N - 1 and how many there are, got '2/2'" "$gpuyard" sweep in/e.yaml --shard 2/2
expect 2 "gpuyard: sweep: --shard: want I/N, a part from 0 to N - 1 and how many there are, got '1'" "$gpuyard" sweep in/e.yaml --shard 1
expect 3 "gpuyard: in/none.yaml: cannot open: No such file or directory" "$gpuyard" sweep in/none.yaml
printf 'clusters: nowhere.yaml\ntraces: week.csv\n' >in/wrong.yaml
expect 3 "gpuyard: in/nowhere.yaml: cannot open: No such file or directory" "$gpuyard" sweep in/wrong.yaml -o never
none never
expect 0 '' "$gpuyard" check in/e.yaml
says out "  points        $points of $(awk 'BEGIN { print 2 * 2 * 4 * 2 * 2 * 2 * 2 * 2 }') combinations"
cd "$root" || exit 1
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
