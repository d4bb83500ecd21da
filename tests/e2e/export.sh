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
for part in '"name":"one","pid":2,"tid":67,"cat":"a \"quoted\" \\ queue","ts":0,"dur":10000000,"args":{"task":0,"gpus":1,"gpu_milli":500,' \
            '"name":"two","pid":2,"tid":1,"cat":"Zoë","ts":1000000,"dur":5000000.001,"args":{"task":0,"gpus":1,"gpu_milli":500,' \
            '"name":"process_name","pid":3,"tid":0,"args":{"name":"node 1"}' '"name":"thread_name","pid":2,"tid":67,"args":{"name":"GPU 0"}'; do
    holds hand.perfetto "$part"
done
# "five" stops "three" at 4 s and ends at 5. "three" has lost 2 s and starts again: 5 + 0.25 + 4 = 9.25. Node 1 has GPUs 2 to 5.
says hand.batsim 'three,t.csv,training,2,4,-1,1,COMPLETED_SUCCESSFULLY,2,7.25,9.25,0,7.25,1,2-5,-1,"queue=x,y;user=;run_s=6.25;preemptions=1;restarts=1"'
says hand.batsim 'one,t.csv,training,0,1,-1,1,COMPLETED_SUCCESSFULLY,0,10,10,0,10,1,0,-1,"queue=a ""quoted"" \ queue;user=;run_s=10;preemptions=0;restarts=0"'
says hand.openmetrics 'gpuyard_jobs_submitted{queue="a \"quoted\" \\ queue"} 1'
says hand.openmetrics '# UNIT gpuyard_wait_mean_seconds seconds'
says hand.openmetrics '# TYPE gpuyard_lost_gpu_hours gauge'

sees perfetto 's/"dur":5000000.001/"dur":5000000.002/' "a slice that is too long"
sees perfetto 's/"tid":67/"tid":1/g' "slices that overlap"
sees batsim 's/,2-5,/,1-4,/' "other resources"
sees batsim 's/,7.25,9.25,/,7.5,9.25,/' "a time that does not add up"
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
    expect 0 "" "$G" export "$run" --to openmetrics -o "$run/om.txt"
    if told=$("$here/export.py" openmetrics "$run" "$run/om.txt"); then ok; else fail "$run as openmetrics: $told"; fi
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

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
