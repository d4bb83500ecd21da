#!/bin/sh
# traces.sh PATH-TO-GPUYARD - check and convert: what they say, what they refuse, and that a converted trace is the same.
set -u
unset COLUMNS NO_COLOR
LC_ALL=C
export LC_ALL
G=${1:?usage: traces.sh PATH-TO-GPUYARD}
case $G in /*) ;; *) G=$PWD/$G ;; esac
samples=$PWD/traces/samples
shared=${GPUYARD_SHARED:-../shared}/traces
[ -d "$shared" ] && shared=$(cd "$shared" && pwd)
root=$PWD
work=$(mktemp -d "${TMPDIR:-/tmp}/gpuyard-traces.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
skipped=0
. "$root/tests/support/checks.sh"

narrow() { if awk 'length($0) > 80 { exit 1 }' "$1"; then ok; else fail "$2: a line over 80 columns"; fi; }
lines() { if [ "$(wc -l <"$2")" = "$1" ]; then ok; else fail "$2: want $1 lines, got $(wc -l <"$2")"; fi; }

cat >c.yaml <<'YAML'
name: tiny
nodes:
  - { group: a, count: 2, gpus: 8, gpu_model: V100 }
  - { group: b, count: 1, gpus: 4, gpu_model: T4 }
queues:
  - { name: red, limit_gpus: 8 }
  - { name: blue }
YAML
cat >t.csv <<'CSV'
job_id,submit_s,duration_s,gpus,tasks,queue,gpu_type,class,user,estimate_s
a,0,3600,8,1,red,,training,ann,7200
c,7200,1800,4,,blue,T4,inference,bob,60
b,3600,0,1,,blue,V100,training,ann,
d,7200,3600,16,2,red,,training,bob,3600
e,7200,3600,32,4,blue,T4,training,ann,3600
CSV
printf 'job_id,submit_s,duration_s,gpus\na,0,x,1\n' >bad1.csv
printf 'nodes: [ { group: a } ]\n' >bad2.yaml
printf 'hello\n' >hello.txt

# ---- check: of a trace. By hand: 8 + 2 + 0 + 16 + 32 GPU hours; gaps 3600 3600 0 0: mean 1800, deviation 1800 ----
for c in check convert; do
    expect 0 "" "$G" $c --help
    narrow out "$c --help"
done
expect 0 "" "$G" check t.csv
narrow out "check t.csv"
says out '  jobs          5, of format native'
says out '  submitted     over 2.0 h from 0 s'
says out '  gaps          30.0 min on average, CV 1.00'
says out '  busiest hour  3 jobs in the hour from 7200 s'
says out '  GPU time      58.0 h'
says out '  GPUs               5       12.2          8       25.6       31.4         32'
says out '  training           4          56.0'
says out '  inference          1           2.0'
says out '  warning       1 row was submitted before the one above it: sorted'
says out '  warning       1 job has no duration'
says out '  warning       1 job has an estimate below its run time'
expect 3 "gpuyard: check: 4 warnings" "$G" check --strict t.csv
printf 'job_id,submit_s,duration_s,gpus,estimate_s\na,0,1,1,1\n' >one.csv
expect 0 "" "$G" check --strict one.csv
says out '  busiest hour  1 job in the hour from 0 s'

# ---- check: of a cluster, and of both. 58 GPU h on 20 GPUs in 2 h: 145% ----
expect 0 "" "$G" check c.yaml
says out '  nodes         3 with 20 GPUs'
says out '  V100               2        16             8'
expect 0 "" "$G" check -c c.yaml t.csv
narrow out "check -c"
says out '  on            tiny: 20 GPUs on 3 nodes'
says out '  offered load  145.0% of all GPUs over the span of arrivals'
says out '  largest       job of 32 GPUs, task of 8; the largest node has 8'
says out '  any               2        24.0      20     60.0%       16'
says out '  T4                2        34.0       4    425.0%       32'
says out '  red              2       24.0     20    60.0%      16      8'
grep -q "1 job can never run; it is 'e': asks for more" out && ok || fail "check -c: job e"
tr -s ' \n' ' ' <out | grep -q "1 job can never run; it is 'd': asks for more than the limit of queue 'red'" && ok || fail "check -c: job d"
expect 0 "" "$G" check -f json -c c.yaml t.csv c.yaml
if command -v python3 >/dev/null; then
    python3 - <<'PY' && ok || fail "check --format json"
import json
trace, cluster = json.load(open("out"))
demand = trace["demand"][0]
assert trace["kind"] == "trace" and trace["gpu_h"] == 58 and trace["unsorted"] == 1, trace
assert trace["arrivals"]["gap_cv"] == 1 and trace["arrivals"]["span_s"] == 7200
assert abs(demand["offered_load"] - 1.45) < 1e-12, demand["offered_load"]
assert [n["first"] for n in demand["never"]] == ["e", "d"] or [n["first"] for n in demand["never"]] == ["d", "e"]
assert cluster["kind"] == "cluster" and cluster["gpus"] == 20
PY
fi

# ---- check: every error of every file ----
expect 3 "gpuyard: bad1.csv:2: duration_s: want a number of seconds, got 'x'
gpuyard: bad2.yaml:1:10: key 'count' is missing
gpuyard: no.csv: cannot open: No such file or directory" "$G" check bad1.csv bad2.yaml no.csv t.csv
says out '  jobs          5, of format native'
expect 2 "gpuyard: check: want FILE[:FORMAT]..., see 'gpuyard check --help'" "$G" check
expect 2 "gpuyard: no format 'philli', did you mean 'philly'?" "$G" check t.csv:philli
expect 2 "gpuyard: check: --format: want text or json, got 'xml'" "$G" check --format xml t.csv
printf 'job_id,submit_s,duration_s,gpus,queue\na,0,1,1,green\n' >green.csv
expect 3 "gpuyard: cluster tiny: the trace has jobs in queue 'green' (1 job): want it among the queues of the cluster" \
    "$G" check -c c.yaml green.csv
expect 0 "" sh -c '"$0" check - <t.csv' "$G"

# ---- convert ----
expect 0 "" "$G" convert t.csv -o one.csv
expect 0 "" "$G" convert one.csv:native
same one.csv out
says one.csv 'b,3600,0,1,,V100,ann,blue,,'
for end in gz zst; do
    expect 0 "" "$G" convert t.csv -o one.csv.$end
    cp one.csv.$end before
    expect 0 "" "$G" convert one.csv.$end
    same one.csv out
    expect 0 "" "$G" convert one.csv -o one.csv.$end
    same before one.csv.$end
done
gzip -dc one.csv.gz >out && same one.csv out
if command -v zstd >/dev/null; then zstd -qdc one.csv.zst >out && same one.csv out; fi
awk 'BEGIN { print "job_id,submit_s,duration_s,gpus,user"; for (i = 0; i < 50000; i++) print i "," i ".5," (i * 7919) % 9973 ",1,user" i % 977 }' >many.csv
for end in gz zst; do
    expect 0 "" "$G" convert many.csv -o many.csv.$end
    "$G" convert many.csv.$end >out && same many.csv out
done
cat >exact.csv <<'CSV'
job_id,submit_s,duration_s,gpus,mem_gib_per_task,user
"a, ""b""",0.000000001,3.141592653,1,0.0009765625, x
c,1234567890.123456789,0.1,0.25,29.296875,"
"
CSV
cat >exact.want <<'CSV'
job_id,submit_s,duration_s,gpus,mem_gib_per_task,gpu_milli,user
"a, ""b""",0.000000001,3.141592653,1,0.0009765625,,x
c,1234567890.123456789,0.1,1,29.296875,250,"
"
CSV
expect 0 "" "$G" convert exact.csv
same out exact.want
expect 0 "" "$G" convert t.csv --since 3600 --until 7200
lines 2 out
expect 0 "" "$G" convert t.csv --queue red,blue --user ann --class training --min-gpus 8 --max-gpus 8
says out 'a,0,3600,8,1,ann,red,7200'
lines 2 out
expect 0 "" "$G" convert t.csv --scale-load 2 --since 3600 --rebase --limit 2
says out 'b,0,0,1,V100,ann,blue,,'
says out 'c,1800,1800,4,T4,bob,blue,inference,60'
lines 3 out
printf 'job_id,submit_s,duration_s,gpus,queue,depends_on\na,0,1,1,x,\nb,1,1,1,y,a\nc,2,1,1,y,a;b\n' >deps.csv
expect 0 "" "$G" convert deps.csv
same deps.csv out
expect 0 "" "$G" convert deps.csv --queue y
says out 'b,1,1,1,y,'
says out 'c,2,1,1,y,b'
expect 2 "gpuyard: convert: --queue: no job has 'rod', did you mean 'red'?" "$G" convert t.csv --queue blue,rod
expect 2 "gpuyard: convert: --since: want seconds, or a date like 2017-10-09 or '2017-10-09 07:01:55', got 'noon'" \
    "$G" convert t.csv --since noon
expect 2 "gpuyard: convert: --until: want seconds, as this trace has no dates, got '2017-10-09'" \
    "$G" convert t.csv --until 2017-10-09
expect 2 "gpuyard: convert: none of the 5 jobs passes the filter" "$G" convert t.csv --since 1e6 -o none.csv
expect 2 "gpuyard: convert: --scale-load: want a number above 0, at most 1000000, got '0'" "$G" convert t.csv --scale-load 0
expect 2 "gpuyard: convert: want TRACE[:FORMAT], see 'gpuyard convert --help'" "$G" convert
expect 2 "gpuyard: convert: want TRACE[:FORMAT], got also 't.csv'" "$G" convert t.csv t.csv
expect 3 "gpuyard: bad1.csv:2: duration_s: want a number of seconds, got 'x'" "$G" convert bad1.csv -o none.csv
expect 1 "gpuyard: no/where.csv: cannot create: No such file or directory" "$G" convert t.csv -o no/where.csv
none none.csv .none.csv.partial
printf 'timestamp,duration,num_gpus,gpu_time,cluster\n2017-10-09 07:01:55,60,1,60,v\n2017-10-10 00:00:00,60,1,60,v\n' >p.csv
expect 0 "" "$G" convert p.csv --since 2017-10-10
lines 2 out
says out '2,61085,60,1,v'
expect 0 "" "$G" convert p.csv --until '2017-10-09 07:01:56'
lines 2 out

# ---- options of a format ----
printf 'm\tcmd\t-n\t1\t100\t0\t1\nm\tcmd\t-n\t1\t300\t5\t2\n' >g.trace
printf '{ "v100": { "('"'m'"', 1)": { "null": 2.0 }, "('"'m'"', 2)": { "null": 3.0 } } }' >g.json
expect 0 "" "$G" convert g.trace:gavel:table=g.json
says out '2,5,100,2,m'
expect 0 "" "$G" convert g.trace:gavel:table=g.json,gpu=v100,scale=1
says out '2,5,150,2,m'
expect 3 "gpuyard: g.trace: a gavel trace has no durations: want FILE:gavel:table=THROUGHPUTS.json[,gpu=v100]" \
    "$G" convert g.trace
expect 3 "gpuyard: g.json: no GPU type 'a100': want one of v100" "$G" convert g.trace:gavel:table=g.json,gpu=a100
expect 2 "gpuyard: format gavel: no option 'tabel': want one of table, gpu, scale" "$G" convert g.trace:gavel:tabel=g.json
expect 2 "gpuyard: format native takes no options, got 'x=1'" "$G" convert t.csv:native:x=1
expect 2 "gpuyard: format gavel: gpu: want gpu=VALUE" "$G" convert g.trace:gavel:gpu
expect 2 "gpuyard: format gavel: gpu is given twice" "$G" convert g.trace:gavel:gpu=a,gpu=b
expect 2 "gpuyard: no format 'gavle', did you mean 'gavel'?" "$G" convert g.trace:gavle:table=g.json
printf 'nodes: [ { group: a, count: 1, gpus: 8 } ]\n' >eight.yaml
expect 0 "" "$G" run -c eight.yaml -t g.trace:gavel:table=g.json --dump-config
says out '    table: "g.json"'
for f in native philly helios gavel shockwave swf; do
    "$G" list formats --format json | grep -q "\"name\": \"$f\"" && ok || fail "list formats: no $f"
done

# ---- a run on the converted trace is the same run ----
run_both()    # NAME CLUSTER TRACE: with a line for all, so that only the jobs matter
{
    expect 0 "" "$G" convert -q "$3" -o "$1.csv"
    "$G" run -q -c "$2" -t "$3" -p sjf:blocking=skip -o "$1.was" --outputs jobs &&
        "$G" run -q -c "$2" -t "$1.csv" -p sjf:blocking=skip -o "$1.is" --outputs jobs && same "$1.was/jobs.csv" "$1.is/jobs.csv"
}
run_both four "$samples/four_teams.yaml" "$samples/four_teams.csv"
if [ -d "$shared" ]; then
    printf 'nodes: [ { group: a, count: 88, gpus: 8 } ]\n' >plain.yaml
    printf 'nodes: [ { group: a, count: 128, gpus: 1 } ]\n' >ones.yaml
    run_both philly plain.yaml "$shared/philly/philly.csv.zst"
    run_both openb "$shared/alibaba-openb-v2023/openb_node_list_gpu_node.csv" \
        "$shared/alibaba-openb-v2023/openb_pod_list_gpuspec33.csv.zst"
    run_both sdsc ones.yaml "$shared/reproductions/sdsc5k.swf.zst"
    run_both gavel plain.yaml \
        "$shared/gavel/msr_seed0/2869ce.trace:gavel:table=$shared/gavel/simulation_throughputs.json.zst,scale=1"
else
    skipped=4
    echo "skipped: $shared is not there: say in GPUYARD_SHARED where the shared files are"
fi

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
