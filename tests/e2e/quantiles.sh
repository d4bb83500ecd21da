#!/bin/sh
# quantiles.sh GPUYARD - quantiles that a run is asked for: values by hand, each scope, compare, plan, sweeps, federations,
# the configuration run again, and names that are none.
set -u
gpuyard=$(realpath "$1")
root=$(pwd)
. tests/support/checks.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
echo 'nodes: [ { group: a, count: 1, gpus: 1 } ]' >c.yaml
# Five jobs of 20 s on one GPU, one after the other: waits 0, 20, 40, 60, 80; JCT 20 to 100; slowdowns 1 to 5. Quantile p of
# type 7 of n = 5 values that are d apart from a on: a + 4 d p. Of queue y (the second and fourth job): waits 20 and 60.
printf 'job_id,submit_s,duration_s,gpus,queue\na,0,20,1,x\nb,0,20,1,y\nc,0,20,1,x\nd,0,20,1,y\ne,0,20,1,x\n' >t.csv
all=wait_p95_s,jct_p10_s,slowdown_p90,bounded_slowdown_p25,wait_p99_s,slowdown_p99
expect 0 '' "$gpuyard" run -q -c c.yaml -t t.csv --quantiles $all -o r
value() { awk -F, -v m="$2" -v s="$3" '$1 == m && $2 == s { printf "%s %.9g %s\n", "", $3, $5 }' "$1/summary.csv" | tr -d '\n'; }
is() { got=$(value "$1" "$2" "$3"); [ "$got" = " $4" ] && ok || fail "$2 of $3: want '$4', got '$got'"; }
is r wait_p95_s all '76 5'               # 80 x .95
is r jct_p10_s all '28 5'                # 20 + 80 x .1
is r slowdown_p90 all '4.6 5'            # 1 + 4 x .9
is r bounded_slowdown_p25 all '2 5'      # 1 + 4 x .25
is r wait_p95_s queue=y '58 2'           # 20 + 40 x .95
is r slowdown_p90 queue=y '3.8 2'        # 2 + 2 x .9
says r/summary.csv 'slowdown_p99,all,,,5'
[ "$(grep -c '^wait_p99_s,all,' r/summary.csv)" = 1 ] && ok || fail "wait_p99_s is there twice"
expect 0 '' "$gpuyard" run -q -c c.yaml -t t.csv --warmup 1 --quantiles wait_p25_s -o warm
is warm wait_p25_s all '35 4'            # of 20, 40, 60, 80: 20 + 60 x .25
"$root/scripts/check_summary" r warm >out && ok || fail "check_summary: $(cat out)"
# A control: the judge computes the quantile, and does not merely accept the row.
cp -r r wrong
sed -i 's/^wait_p95_s,all,76,/wait_p95_s,all,77,/' wrong/summary.csv
"$root/scripts/check_summary" wrong >out && fail "check_summary accepts a wrong quantile" || ok

# ---- The configuration, run again ----
"$gpuyard" run -q -c c.yaml -t t.csv --quantiles $all --dump-config >dumped.yaml
says dumped.yaml 'quantiles: jct_p10_s,wait_p95_s,slowdown_p90,slowdown_p99,bounded_slowdown_p25'
expect 0 '' "$gpuyard" run -q --config dumped.yaml -o again
same r/summary.csv again/summary.csv

# ---- compare: with it, and of a run that was not asked for it ----
printf 'nodes: [ { group: a, count: 1, gpus: 1 } ]\nperiod_s: 1\n' >c2.yaml
expect 0 '' "$gpuyard" compare r r --fail-if 'wait_p95_s>0%' -m slowdown_p90@queue=y
grep -q "PASS" out && ! grep -q "INCONCLUSIVE\|FAIL" out && ok || fail "want a PASS: $(cat out)"
expect 0 '' "$gpuyard" run -q -c c.yaml -t t.csv -p sjf -o plain
expect 3 "gpuyard: plain: has no value of wait_p95_s in scope all: want a run with --quantiles wait_p95_s" \
    "$gpuyard" compare r plain --fail-if 'wait_p95_s>0%'
expect 0 '' "$gpuyard" compare r plain -m wait_mean_s
expect 2 "gpuyard: compare: there is no metric 'wait_p0_s', see 'gpuyard list metrics'" "$gpuyard" compare r r -m wait_p0_s
expect 2 "gpuyard: compare: there is no metric 'slowdown_p90_s', see 'gpuyard list metrics'" \
    "$gpuyard" compare r r -m slowdown_p90_s

expect 0 '' "$gpuyard" list metrics
grep -q '^ *slowdown_pNN ' out && ok || fail "list metrics does not say slowdown_pNN"

# ---- Names that are none ----
for name in wait_p100_s wait_p05_s wait_p95 jct_mean_s wait_p95_s,; do
    "$gpuyard" run -q -c c.yaml -t t.csv --quantiles "$name" -o no >out 2>err
    [ $? = 2 ] && grep -q "run: --quantiles: want jct_pNN_s, .*, got '" err && ok || fail "'$name': $(cat err)"
done

# ---- plan asks for the quantiles of its targets; a point without them has another key ----
cat >e.yaml <<'END'
clusters: c.yaml
traces: t.csv
parameters: { cluster.nodes.a.count: 1..5 }
END
expect 0 '' "$gpuyard" plan -q e.yaml -o p --target 'wait_mean_s<30'
expect 0 '' "$gpuyard" plan -q e.yaml -o p --target 'wait_p95_s<30' --target 'slowdown_p60<=1.4'
# By hand: 1 GPU 76; 2: waits 0 0 20 20 40: 36; 3: 0 0 0 20 20: 20, and slowdowns 1 1 1 2 2: p60 at 2.4 is 1.4.
holds out 'the smallest cluster.nodes.a.count with wait_p95_s<30 and slowdown_p60<=1.4: 3'
expect 2 "gpuyard: plan: --target: there is no metric 'wait_p0_s', see 'gpuyard list metrics'" \
    "$gpuyard" plan -q e.yaml -o p --target 'wait_p0_s<30'

# ---- Points of a sweep keep what the experiment asks for; a switch of the policy shares its past ----
cat >s.yaml <<'END'
clusters: c.yaml
traces: t.csv
policies: [ fifo, sjf ]
parameters: { quantiles: "wait_p95_s,slowdown_p90", switch-policy: [ none, "30:sjf" ] }
END
expect 0 '' "$gpuyard" sweep -q s.yaml -o s
[ "$(grep -c ',wait_p95_s,all,76,s,5$' s/sweep.csv)" = 4 ] && ok || fail "sweep: $(grep wait_p95_s s/sweep.csv)"
expect 0 '' "$gpuyard" compare s s --base policy=fifo --base switch-policy=none \
    --new policy=sjf --new switch-policy=none --fail-if 'wait_p95_s>0%'

# ---- A federation: of the whole and of each member ----
cat >f.yaml <<'END'
federation: both
members: [ { name: one, cluster: c.yaml }, { name: two, cluster: c.yaml } ]
route: queue
queues: { x: one, y: two }
END
expect 0 '' "$gpuyard" run -q -c f.yaml -t t.csv --quantiles wait_p95_s -o f
is f wait_p95_s all '36 5'               # of 0 0 20 20 40: 20 + 20 x .8
is f wait_p95_s member=one '38 3'        # of 0 20 40: 40 x .95
is f/two wait_p95_s all '19 2'           # of 0 20
"$root/scripts/check_summary" f >out && ok || fail "check_summary: $(cat out)"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
