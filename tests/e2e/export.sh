#!/bin/sh
# export.sh GPUYARD - results in other tools' formats, read again by programs of their own (export.py), by hand where that is
# short, and with names of every kind; files that are whole or not there; a million rows in little memory.
set -u
G=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
. "$here/../support/checks.sh"
samples=$here/../../traces/samples
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset COLUMNS

skipped=0
# agree DIR: each format says what the results say.
agree()
{
    for format in perfetto batsim openmetrics; do
        expect 0 "" "$G" export "$1" --to $format -o "$1.$format"
        if told=$("$here/export.py" $format "$1" "$1.$format"); then ok; else fail "$1 as $format"; fi
        echo "$1 as $format: $told"
        case $told in *SKIPPED*) skipped=$((skipped + 1)) ;; esac
    done
}
# sees FORMAT SCRIPT WHAT: the reader finds the fault that sed plants in the export of `hand`.
sees()
{
    sed "$2" "hand.$1" >bad
    if cmp -s bad "hand.$1"; then fail "$3: was not planted"
    elif "$here/export.py" "$1" hand bad >/dev/null; then fail "$3: was not seen"
    else ok; fi
}

# ---- A world by hand: two nodes; a share of a GPU, a task without any; a preemption; names of every kind ----
cat >c.yaml <<'END'
nodes:
  - { group: a, count: 1, gpus: 2, cpus: 8, memory_gib: 64 }
  - { group: b, count: 1, gpus: 4, cpus: 8, memory_gib: 64 }
preemption: { restart_s: 0.25 }
END
printf '%s\n' 'job_id,submit_s,duration_s,gpus,gpu_milli,tasks,cpus_per_task,queue,priority,status' \
    'one,0,10,1,500,,1,"a ""quoted"" \ queue",0,' 'two,1,5.000000001,1,500,,1,Zoë,0,' 'three,2,4,4,,1,1,"x,y",0,' \
    'four,3,2.5,1,,1,1,Zoë,0,failed' 'five,4,1,4,,1,1,"x,y",9,' 'six,4.5,1,0,,1,1,"x,y",0,' >t.csv
expect 0 "" "$G" run -q -c c.yaml -t t.csv -p priority:preempt=yes,blocking=skip -o hand
agree hand
# "one" and "two" share GPU 0 of node 0: 0 to 10 s, and 1 to 6.000000001 s; who ends first has the first lane.
for part in '"name":"one","pid":3,"tid":67,"cat":"a \"quoted\" \\ queue","ts":0,"dur":10000000,"args":{"task":0,"gpus":1,"gpu_milli":500,' \
            '"name":"two","pid":3,"tid":1,"cat":"Zoë","ts":1000000,"dur":5000000.001,"args":{"task":0,"gpus":1,"gpu_milli":500,' \
            '"name":"process_name","pid":4,"tid":0,"args":{"name":"node 1"}' '"name":"thread_name","pid":3,"tid":67,"args":{"name":"GPU 0"}'; do
    holds hand.perfetto "$part"
done
# "five" stops "three" at 4 s and ends at 5. "three" has lost 2 s and starts again: 5 + 0.25 + 4 = 9.25. Node 1 has GPUs 2 to 5.
# Held from 2 to 4 and, asked for at 4, from 5 to 9.25: 5.25 s after it was stopped, over 4.25 s of execution
says hand.batsim 'three,t.csv,training,2,4,-1,0,COMPLETED_KILLED,2,2,4,0,2,1,2-5,-1,"queue=x,y;user=;run_s=6.25;preemptions=1;restarts=1"'
says hand.batsim 'three#1,t.csv,training,4,4,-1,1,COMPLETED_SUCCESSFULLY,5,4.25,9.25,1,5.25,1.235294,2-5,-1,"queue=x,y;user=;run_s=6.25;preemptions=1;restarts=1"'
says hand.batsim 'one,t.csv,training,0,1,-1,1,COMPLETED_SUCCESSFULLY,0,10,10,0,10,1,0,-1,"queue=a ""quoted"" \ queue;user=;run_s=10;preemptions=0;restarts=0"'
says hand.openmetrics 'gpuyard_jobs_submitted{queue="a \"quoted\" \\ queue"} 1'
says hand.openmetrics '# UNIT gpuyard_wait_mean_seconds seconds'
says hand.openmetrics '# TYPE gpuyard_lost_gpu_hours gauge'

sees perfetto 's/"dur":5000000.001/"dur":5000000.002/' "a slice that is too long"
sees perfetto 's/"tid":67/"tid":1/g' "slices that overlap"
# Job five takes the four GPUs of three: four stops, and an arrow from each to the slice of five on the same GPU.
[ "$(grep -c '"ph":"s"' hand.perfetto)" = 4 ] && [ "$(grep -c '"ph":"f"' hand.perfetto)" = 4 ] && ok || fail "arrows"
holds hand.perfetto '{"ph":"i","name":"preempted","pid":4,"tid":1,"cat":"preemption","ts":4000000,"s":"t","args":{"job":"three","stopped_for":"five"}}'
holds hand.perfetto '{"ph":"s","name":"takes its GPU","pid":4,"tid":1,"cat":"preemption","id":1,"ts":3999999.999}'
holds hand.perfetto '{"ph":"f","name":"takes its GPU","pid":4,"tid":1,"cat":"preemption","id":1,"ts":4000000,"bp":"e"}'
# three waits again from 4 to 5 s, behind five: the policy gives no other reason (wait_order_s of jobs.csv)
holds hand.perfetto '{"ph":"X","name":"three","pid":2,"tid":1,"cat":"wait","ts":4000000,"dur":1000000,"args":{"gpus":4,"queue":"x,y","mostly":"other jobs were ahead of it in the queue"}}'
sees perfetto 's/"id":1,"ts":4000000,/"id":9,"ts":4000000,/' "an arrow without its other end"
sees perfetto 's/"ts":3999999.999/"ts":4000000.001/' "an arrow from outside of its slice"
sees perfetto '/"ph":"i".*"preempted"/{s/"ts":4000000/"ts":4000001/}' "a stop at another time"
sees perfetto 's/"s":"t"/"s":"x"/' "a scope that the format does not have"
sees perfetto 's/"ph":"C"/"ph":"c"/' "a phase that the format does not have"
sees perfetto 's/"cat":"wait","ts":4000000,"dur":1000000/"cat":"wait","ts":4000000,"dur":900000/' "a wait that is too short"
sees perfetto 's/"allocated":5/"allocated":4/' "a counter with another value"
sees batsim 's/,2-5,/,1-4,/' "other resources"
sees batsim 's/,4.25,9.25,/,4.5,9.25,/' "a time that does not add up"
sees batsim 's/three#1,t.csv,training,4,/three#1,t.csv,training,3,/' "a row that begins before the stop"
sees batsim '/^three#1/d' "a row that is missing"
sees openmetrics 's/^# UNIT gpuyard_wait_mean_seconds seconds/# UNIT gpuyard_wait_mean_seconds s/' "a unit that is no suffix"
sees openmetrics 's/\\"quoted\\"/"quoted"/' "a label without escapes"
sees openmetrics 's/# EOF//' "no end"
sees openmetrics 's/^\(gpuyard_wait_mean_seconds\){class=/\1{class<=/' "a name of a label with other than letters"
sees openmetrics 's/^# HELP gpuyard_wait_mean_seconds/# TYPE gpuyard_wait_mean_seconds gauge\n&/' "a type that is told twice"
sees openmetrics '/^# UNIT gpuyard_wait_mean_seconds/{h;d};/^# HELP gpuyard_wait_mean_seconds/{G}' "a unit behind the help"
sees openmetrics '/^gpuyard_wait_mean_seconds{/d' "samples that are missing"
sees openmetrics 's/^gpuyard_wait_mean_seconds{class="training"}/gpuyard_wait_mean_seconds/' "a sample that is there twice"
sees openmetrics 's/^\(gpuyard_wait_mean_seconds .*\)/\1 soon/' "a time that is no number"

# ---- Larger ones: quotas; energy and a cut-off; counted nodes ----
expect 0 "" "$G" run -q -c "$samples/four_teams.yaml" -t "$samples/four_teams.csv" -p quota -o teams
agree teams
{ cat "$samples/four_teams.yaml"; printf 'power: {}\n'; } >powered.yaml
expect 0 "" "$G" run -q -c powered.yaml -t "$samples/four_teams.csv" -p fifo:blocking=skip --until 100000 -o powered
agree powered
holds powered.perfetto '"name":"power","pid":1'
printf 'nodes:\n  - { group: a, count: 1, gpus: 700 }\n' >counted.yaml
expect 0 "" "$G" run -q -c counted.yaml -t "$samples/four_teams.csv" -p fifo -o counted
agree counted

# ---- Every golden run as OpenMetrics, by a reader that refuses what the specification does not allow (openmetrics.py) ----
(. "$here/../support/golden_runs.sh" && cd "$here/../.." && golden_runs "$G" "$work/golden")
for run in golden/*; do
    name=${run#golden/}
    expect 0 "" "$G" export "$run" --to openmetrics -o "$run/om.txt"
    if told=$("$here/export.py" openmetrics "$run" "$run/om.txt"); then ok; else fail "$run as openmetrics: $told"; fi
    case $name in    # gangs, quotas, sessions and services, faults, pools, a federation, other kinds of jobs
    teams-kube | teams-quota | people-quota | people-preemptive | lost-priority | power-priority | federation | kinds-easy) ;;
    *) continue ;;
    esac
    for format in perfetto batsim; do
        expect 0 "" "$G" export "$run" --to $format -o "$run/export"
        if told=$("$here/export.py" $format "$run" "$run/export"); then ok; else fail "$run as $format: $told"; fi
    done
done
[ "$(ls golden | wc -l)" = "$(cat "$here"/../golden/runs.txt "$here"/../golden/small.txt | grep -vc '^#')" ] && ok || fail "golden runs"
# The scope gpus<=8 is a label with a legal name.
holds golden/lost-fifo/om.txt 'gpuyard_mttf_hours{gpus="<=8"} '

# ---- Whole or not there; standard output; what is wrong, and where ----
expect 0 "" "$G" export hand --to batsim
same out hand.batsim
expect 0 "" "$G" export hand --to perfetto -o packed.json.gz
gzip -dc packed.json.gz >out && same out hand.perfetto
mkdir broken && cp hand/*.csv broken && sed '3s/,[^,]*,[^,]*,$/,soon,done,/' hand/intervals.csv >broken/intervals.csv
echo kept >kept
expect 3 "gpuyard: broken/intervals.csv:3: end_s: want a number of seconds, got 'soon'" "$G" export broken --to perfetto -o kept
if [ "$(cat kept)" = kept ] && [ ! -e .kept.partial ]; then ok; else fail "an export that failed left something"; fi
rm broken/intervals.csv broken/summary.csv
expect 3 "gpuyard: broken/intervals.csv: no such file, but it is needed" "$G" export broken --to batsim -o not
expect 3 "gpuyard: broken/summary.csv: no such file, but it is needed" "$G" export broken --to openmetrics -o not
none not
expect 3 "gpuyard: nothing: no such directory" "$G" export nothing --to batsim
expect 2 "gpuyard: export: --to: want FORMAT" "$G" export hand
expect 2 "gpuyard: export: --to: want perfetto, batsim or openmetrics, got 'batsin'" "$G" export hand --to batsin

# ---- A million rows, of 1,000 jobs on 500 nodes: what is kept does not grow with them ----
mkdir million
awk 'BEGIN { print "job_id,task,node,gpus,gpu_ids,gpu_milli,start_s,end_s,end_reason,stopped_for"
             for (i = 0; i < 1000000; i++) printf "j%d,0,%d,1,%d,1000,%d,%d,done,\n", i % 1000, i % 500, int(i / 500) % 8, i, i + 4000 }' \
    >million/intervals.csv
[ "${MODE:-release}" = release ] && limit=100000 || limit=unlimited
if n=$( (ulimit -v $limit; "$G" export million --to perfetto) | grep -c '"ph":"X"') && [ "$n" = 1000000 ]; then ok
else fail "a million rows: $n slices"; fi

# ---- A hundred thousand rows are thinned to means over 5000 equal steps, and it is said. GPUs allocated are 4 in the first of each two
# seconds and 2 in the second, so 3 on average; a step is 20 s long, with 10 of each ----
mkdir thinned && cp hand/jobs.csv hand/intervals.csv thinned
awk 'BEGIN { print "time_s,gpus_total,gpus_up,gpus_allocated,gpus_busy,jobs_running,jobs_waiting,gpus_waiting"
             for (i = 0; i <= 100000; i++) printf "%d,4,4,%d,0,1,0,0\n", i, i % 2 ? 2 : 4 }' >thinned/timeseries.csv
expect 0 "gpuyard: warning: thinned/timeseries.csv: more than 20000 rows: its counters are means over 20 s" \
    "$G" export thinned --to perfetto -o thinned.json
python3 - <<'END' && ok || fail "counters are not thinned"
import json
c = [e for e in json.load(open("thinned.json"))["traceEvents"] if e["ph"] == "C" and e["name"] == "GPUs"]
assert len(c) == 5001 and [e["ts"] for e in c] == [20e6 * i for i in range(5001)], (len(c), c[:2])
assert all(e["args"]["allocated"] == 3 and e["args"]["up"] == 4 for e in c[:-1]) and c[-1]["args"]["allocated"] == 4
END

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
