#!/bin/sh
# explain.sh GPUYARD - the stories of a small run, worked out by hand (tests/schedules/test_quotas.c, "taken back, when the
# victim has saved"), to the letter; of names of every kind; and of directories that lack something.
set -u
G=$(realpath "$1")
. "$(dirname "$0")/../support/checks.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset COLUMNS
cat >cluster.yaml <<'END'
nodes:
  - { group: node, count: 1, gpus: 8, gpu_model: A100-SXM4-80 }
queues:
  - { name: X, deserved_gpus: 4 }
  - { name: Y, deserved_gpus: 4 }
preemption: { checkpoint: perfect, save_s: 5, grace_s: 30 }
END
cat >trace.csv <<'END'
job_id,submit_s,duration_s,gpus,queue,priority
a,0,100,4,X,0
b,0,100,4,X,0
X,10,20,4,Y,1
END
"$G" run -q -c cluster.yaml -t trace.csv -p priority:preempt=yes --outputs jobs,intervals,queues,events -o r || exit 1

# Job b is preempted at 10, has saved at 15 and has its GPUs again at 35, with 90 s to do.
expect 0 "" "$G" explain r b
cat >want <<'END'
  job b of queue X, training: 4 GPUs

  submitted     at 0 s
  waited        0 s until its first start, in all 20 s
                  20 s: too few GPUs were free

  0 s             starts on node 0 GPU 4-7, holds them for 15 s, until it was
                  preempted for job X of queue Y (reclaim)
  10 s            is preempted for job X
  15 s            waits from now on because too few GPUs were free
  35 s            has waited 20 s because too few GPUs were free
  35 s            runs again on node 0 GPU 4-7, holds them for 90 s, until it
                  completed

  cost          stopped 1 time: 0 GPU h of work lost, 0.00556 GPU h of starting
                and saving
  outcome       completed at 125 s, 2.1 min after it was submitted, 1.25 times
                its service time
  fairness      its completion time is 1.25 times that on an equal share of the
                GPUs, one for each queue with jobs (fair: at most 1)
END
same want out

# A name of both kinds
expect 2 "gpuyard: r: 'X' is a job and a queue: want --job or --queue" "$G" explain r X
expect 2 "gpuyard: explain: want one of --job, --queue and --service" "$G" explain r X --job --queue
expect 0 "" "$G" explain r X --job
says out "  others        job b of queue X was preempted for it (reclaim), and its GPUs"
says out "                  5 s: it had claimed GPUs that other jobs were still releasing"
expect 0 "" "$G" explain r Y
cat >want <<'END'
  queue Y: deserves 4 GPUs; 1 job, 1 completed, over 2.1 min

  asked for     0.8 GPUs on average, and held 0.6
  entitled to   0.0278 GPU h, its demand within its quota; it held 80.0% of
                that, and lacked 0.00556 GPU h
  borrowed      0 GPU h above its quota, and left 0.117 GPU h of the quota
                unused
  short         of its quota 1 time, until it held what it was entitled to: 5 s
                  5 s from 10 s

  GPU time of other queues above their quotas while this queue
                had spare      was short
  X          0.0833 GPU h  0.00556 GPU h

  preempted     none of its jobs
                its own jobs preempted jobs of X (1)
  waited most   5 s: job X, 4 GPUs, submitted at 10 s
  fairness      0.0% of its jobs took no longer than on an equal share of the
                GPUs, one for each queue with jobs; the worst, X, 1.25 times as
                long
END
same want out

# X: 4 beyond its 4 from 0 to 10 while Y has 4 to spare, to 15 while Y is short, and from 35 to 100
expect 0 "" "$G" explain r Y --format json
python3 - <<'END' && ok || fail "explain --format json: $(cat out)"
import json
s = json.load(open("out"))
x = s["borrowers"][0]
near = lambda a, b: abs(a - b) < 1e-12
assert near(s["quota_satisfaction"], .8) and near(s["unmet_gpu_h"], 20 / 3600) and near(s["unused_gpu_h"], 420 / 3600)
assert x["queue"] == "X" and near(x["gpu_h_while_unused"], (40 + 260) / 3600) and near(x["gpu_h_while_short"], 20 / 3600)
assert s["short"] == {"count": 1, "mean_s": 5, "longest": [{"start_s": 10, "s": 5, "open": False}]}
assert s["preempted"] == [{"queue": "X", "stops": 1}] and s["preempted_by"] == [] and s["missing"] == []
END
expect 0 "" "$G" explain r X --queue --format json
python3 -c 'import json; s = json.load(open("out")); assert s["preemptions"] == {"reclaim": 1, "preempt": 0, "move": 0, "broken": 0, "policy": 0}
assert s["preempted_by"] == [{"queue": "Y", "stops": 1}] and abs(s["borrowed_gpu_h"] - 320 / 3600) < 1e-12' && ok || fail "queue X: $(cat out)"

# ---- A session. By hand: 30 s of waiting, 60 of starting up; 1000 s on 2 GPUs until another queue takes them, 60 s later 1000 s more until
# it has idled too long; asked for again at 3000, 940 s until it is closed. Held for 2940 s: 3 x 60 s of starting up, 690 s active, a quarter
# of the other 2760 s
mkdir -p sat
{
    head -n 1 r/jobs.csv
    echo "nb,X,ann,interactive,,2,1,0,30,4000,30,120,2940,4000,,,1,2,0,360,,completed,node,0,0,0,0,90,0,0,0,0,0,0,30,0,0,1"
    echo "X1,Y,,training,,8,,900,1030,1090,130,130,60,190,,,0,0,0,0,,completed,node,0,0,0,0,130,0,0,0,0,0,0,0,0,0,8"
} >sat/jobs.csv
cat >sat/intervals.csv <<'END'
job_id,task,node,gpus,gpu_ids,gpu_milli,start_s,end_s,end_reason,stopped_for
nb,0,0,2,0-1,1000,30,1030,preempted,X1
nb,0,0,2,2-3,1000,1090,2090,released,
nb,0,0,2,2-3,1000,3060,4000,closed,
END
cat >sat/sessions.csv <<'END'
session,group,user,queue,gpus,submit_s,usable_s,end_s,outcome,time_to_start_s,patience_s,slo_met,forgotten,releases,preemptions,delayed_s,starting_gpu_s,active_gpu_s,idle_gpu_s
nb,notebook,ann,X,2,0,90,4000,closed,90,600,0,0,1,1,240,360,1380,4140
END
cat >sat/events.csv <<'END'
time_s,seq,kind,job_id,decision,reason
0,0,arrival,nb,,
1030,1,stop,nb,preempted,X1
3000,2,arrival,nb,,
END
expect 0 "" "$G" explain sat nb
cat >want <<'END'
  session nb of queue X, group notebook, user ann, interactive: 2 GPUs in 1 task

  submitted     at 0 s
  waited        30 s until its first start, in all 2.0 min
                  90 s: too few GPUs were free
                  30 s: the next scheduling pass, or the end of a back-off, was
                  not due yet
  usable        at 90 s, 90 s after it was submitted: its objective is missed

  30 s            starts on node 0 GPU 0-1, holds them for 16.7 min, until it
                  was preempted for job X1 of queue Y (reclaim)
  1030 s          is preempted for job X1
  1090 s          runs again on node 0 GPU 2-3, holds them for 16.7 min, until
                  it was idle and released them
  3000 s          is used again, and requests GPUs
  3060 s          runs again on node 0 GPU 2-3, holds them for 15.7 min, until
                  its user closed it

  held          its GPUs for 49.0 min: 0.383 GPU h active, 1.15 GPU h idle, 0.1
                GPU h starting up; it was active for 25.0% of that, without
                start-ups
  released      its GPUs 1 time, as it was idle
  taken         its GPUs 1 time: 1 reclaim
  delayed       its user waited 4.0 min to continue
  outcome       closed by its user at 4000 s, 66.7 min after it was submitted
END
same want out
expect 0 "" "$G" explain sat X1
holds out "  job X1 of queue Y, training: 8 GPUs"
outcome() { # OUTCOME FORGOTTEN STATE END: of the same session
    sed "2s/,closed,90,600,0,0,/,$1,90,600,0,$2,/; 2s/,4000,$1/,$4,$1/" sat/sessions.csv >x && cp -r sat ends && cp x ends/sessions.csv
    sed "s/,completed,node/,$3,node/" sat/jobs.csv >ends/jobs.csv
    "$G" explain ends nb | sed -n '/^  outcome/,$s/^ *//p' | tr '\n' ' ' >out
    rm -r ends
}
outcome culled 1 completed 4000
says out "outcome       culled: deleted for being idle at 4000 s, 66.7 min after it was submitted; its user had left without closing it "
outcome abandoned 0 cancelled 4000
says out "outcome       abandoned: given up by its user at 4000 s, 66.7 min after it was submitted; the patience to wait for GPUs was 10.0 min "
outcome expired 0 completed 4000
says out "outcome       expired: it reached its time limit at 4000 s, 66.7 min after it was submitted "
outcome lost 0 failed 4000
says out "outcome       failed once too often at 4000 s, 66.7 min after it was submitted "
outcome lost 0 rejected 4000
says out "outcome       refused by the cluster at 4000 s, 66.7 min after it was submitted "
outcome open 0 running ""
says out "outcome       not over when the run ended "

# ---- A queue that holds nothing waits for the quota of the queue above. dept deserves 4, of which job x of its queue a holds all; z
# may not be preempted and asks for 3 in queue b, which deserves 2: over quota with it, while one GPU of another queue is idle ----
cat >nested.yaml <<'END'
nodes:
  - { group: node, count: 1, gpus: 8 }
queues:
  - { name: dept, deserved_gpus: 4, queues: [ { name: a, deserved_gpus: 2 }, { name: b, deserved_gpus: 2 } ] }
  - { name: other, deserved_gpus: 4 }
END
printf 'job_id,submit_s,duration_s,gpus,queue,preemptible\nx,0,100,4,a,1\ny,0,100,3,other,0\nz,5,100,3,b,0\n' >nested.csv
expect 0 "" "$G" run -q -c nested.yaml -t nested.csv -p quota --outputs all -o nested
expect 0 "" "$G" explain nested z
tr -s ' \n' ' ' <out >flat
holds flat "with it, its queue or one above would have been over quota, and could not borrow"
grep -q "its queue was over" flat && fail "a queue that holds nothing was over its quota" || ok
expect 0 "" "$G" explain nested dept
says out "  queue dept: deserves 4 GPUs; no jobs of its own, over 100 s"

# ---- Dates: time 0 is the first submission of a trace with dates. 2026-01-05 07:01:55 is 1767596515 s after 1970 (date -d) ----
mkdir -p dated
cp r/*.csv dated
sed 's/"format": "native"/"origin_unix_s": 1767596515, &/' r/manifest.json >dated/manifest.json
expect 0 "" "$G" explain dated b
says out "  submitted     at 2026-01-05 07:01:55 UTC"
says out "  2026-01-05 07:02:30  has waited 20 s because too few GPUs were free"
holds out "  outcome       completed at 2026-01-05 07:04:00, 2.1 min after it was"
expect 0 "" "$G" explain dated b -f json
holds out '"origin_unix_s": 1767596515.0'
expect 0 "" "$G" explain dated Y
says out "                  5 s from 2026-01-05 07:02:05"
holds out "submitted at 2026-01-05 07:02:05"
for width in 40 80; do
    COLUMNS=$width "$G" explain dated b | awk -v w=$width 'length($0) > w { exit 1 }' && ok || fail "dates: a line over $width columns"
done
# The date of a workload file, and of a trace whose format has dates, is in the manifest; a trace in seconds has none.
printf 'workload: w\nstart: 2026-01-05T07:01:55Z\njobs: 3\nprojects: { names: [X] }\nload: { target: 0.5 }\ngpus: { 1: 1 }\ndurations: { law: lognormal, mean_s: 3000, median_s: 1000 }\n' >w.yaml
expect 0 "" "$G" run -q -c cluster.yaml -t w.yaml -p fifo -o drawn
holds drawn/manifest.json '"origin_unix_s": 1767596515'
printf 'job_id,user,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue,vc\n7,u,1,1,1,COMPLETED,2020-04-01 00:00:30,2020-04-01 00:00:30,2020-04-01 00:01:30,60,0,v\n' >helios.csv
printf 'nodes: [ { group: a, count: 1, gpus: 4 } ]\n' >one.yaml
expect 0 "" "$G" run -q -c one.yaml -t helios.csv:helios -p fifo -o helios
expect 0 "" "$G" explain helios 7
says out "  submitted     at 2020-04-01 00:00:30 UTC"
grep -q origin_unix_s r/manifest.json && fail "a trace in seconds has a date" || ok

# ---- A service, by hand: 60 s of 10 requests/s all in time on 2 of 2 replicas, 60 s of 20 with half in time on 2 of 4, 60 s of 20 of
# which 300 were dropped and a tenth met the objective on 3 of 4. Replica s/1 waited 50 s of the 120 behind others ----
mkdir -p served
{
    head -n 1 r/jobs.csv
    echo "s/0,X,,inference,,2,1,0,0,180,0,0,180,180,,,1,1,0,0,,completed,node,0,0,0,0,0,0,0,0,0,0,0,0,0,0,2"
    echo "s/1,X,,inference,,2,1,60,110,180,50,120,70,180,,,0,0,0,0,,completed,node,50,0,0,0,70,0,0,0,0,0,0,0,0,0,2"
    echo "s/x,X,,training,,2,1,60,110,180,50,50,70,180,,,0,0,0,0,,completed,node,50,0,0,0,0,0,0,0,0,0,0,0,0,0,2"
} >served/jobs.csv
cat >served/services.csv <<'END'
time_s,service,rate_per_s,arrived,served,dropped,backlog,replicas_wanted,replicas_placed,replicas_ready,latency_mean_s,latency_p50_s,latency_p99_s,first_token_p50_s,first_token_p99_s,slo_attainment,duty
60,s,10,600,600,0,0,2,2,2,1,1,1,,,1,0.5
60,other,10,600,600,0,0,9,2,2,1,1,1,,,0,0.5
120,s,20,1200,1200,0,0,4,2,2,1,1,1,,,0.5,1
180,s,20,1200,900,300,0,4,3,3,1,1,1,,,0.1,1
END
cat >served/summary.csv <<'END'
metric,scope,value,unit,n
requests_arrived,service=s,3000,,1
requests_served,service=s,2700,,1
requests_dropped,service=s,300,,1
requests_unfinished,service=s,0,,1
slo_attainment,service=s,0.44,,3000
latency_mean_s,service=s,1,s,2700
latency_p50_s,service=s,1,s,2700
latency_p99_s,service=s,1,s,2700
requests_arrived,service=other,600,,1
END
expect 0 "" "$G" explain served s
cat >want <<'END'
  service s of queue X: 2 replicas of 2 GPUs, over 3.0 min from 0 s

  requests      3000 arrived, 2700 served, 300 dropped, 0 unfinished
  objective     met by 44.0% of the requests
  latency       1 s on average, median 1 s, 99th percentile 1 s
  replicas      3.3 wanted on average and 4 at most, 2.3 placed and 3 at most,
                2.3 ready
  short         fewer replicas than wanted for 2.0 min
  waited        2.0 min, its replicas added up
                  70 s: too few GPUs were free
                  50 s: other jobs were ahead of it in the queue
  stopped       its replicas were preempted 1 time, and started again 1 time
  worst         120 s: for 60 s 20 requests/s, 1080 missed the objective, 10.0%
                met it; 3 of 4 replicas placed at its end
                60 s: for 60 s 20 requests/s, 600 missed the objective, 50.0%
                met it; 2 of 4 replicas placed at its end
END
same want out
expect 0 "" "$G" explain served s --service --format json
python3 -c 'import json; s = json.load(open("out")); assert abs(s["wanted_mean"] - (2 + 4 + 4) / 3) < 1e-9 and s["short_s"] == 120 and s["replicas"] == 2
assert [(x["start_s"], x["missed"]) for x in s["worst"]] == [(120, 1080), (60, 600)] and s["waits"][0]["s"] == 70' && ok || fail "service s: $(cat out)"
expect 2 "gpuyard: served: no service 'othr', did you mean 'other'?" "$G" explain served othr -s
sed 's/^s\/x,/s,/' served/jobs.csv >x && mv x served/jobs.csv
expect 2 "gpuyard: served: 's' is a job and a service: want --job or --service" "$G" explain served s
expect 0 "" "$G" explain served s --job

# ---- A federation: the member in which a job is, and each in which a queue is ----
mkdir in
printf 'nodes: [ { group: a, count: 1, gpus: 4 } ]\n' >in/home.yaml
printf 'nodes: [ { group: b, count: 1, gpus: 8 } ]\n' >in/cloud.yaml
printf 'federation: burst\nmembers: [ { name: home, cluster: home.yaml }, { name: cloud, cluster: cloud.yaml } ]\nroute: spill\nlimit_s: 10\n' >in/burst.yaml
printf 'job_id,submit_s,duration_s,gpus,queue\na,0,1000,4,q\nb,1,1000,4,q\n' >two.csv
expect 0 "" "$G" run -q -c in/burst.yaml -t two.csv -p fifo --outputs jobs,intervals,queues,events -o fed
expect 0 "" "$G" explain fed b
says out "  in member cloud:"
says out "  job b of queue q, training: 4 GPUs"
"$G" explain fed/cloud b >alone && sed 1,2d out >rest && same rest alone
expect 0 "" "$G" explain fed q
[ "$(grep '^  in member' out | tr '\n' ' ')" = "  in member home:   in member cloud: " ] && ok || fail "queue q: $(cat out)"
expect 0 "" "$G" explain fed q -f json
python3 -c 'import json; assert [(x["member"], x["jobs"]) for x in json.load(open("out"))] == [("home", 1), ("cloud", 1)]' && ok || fail "queue q: $(cat out)"
expect 2 "gpuyard: fed: no job, queue or service 'z'" "$G" explain fed z

# ---- Names ----
expect 2 "gpuyard: r: no job, queue or service 'bbbbbb'" "$G" explain r bbbbbb
printf 'job_id,submit_s,duration_s,gpus,queue\n"odd, ""name"" \033[31m",0,10,1,"a queue"\nplain-17,0,20,8,vision\nplain-18,5,1,8,"a queue"\n' >odd.csv
sed '/^queues/,/name: Y/d' cluster.yaml >plain.yaml
"$G" run -q -c plain.yaml -t odd.csv -p fifo --until 15 --outputs jobs,intervals,queues -o odd || exit 1
expect 0 "" "$G" explain odd "$(printf 'odd, "name" \033[31m')"
says out '  job odd, "name" ?[31m of queue a queue, training: 1 GPU in 1 task'
expect 2 "gpuyard: odd: no job, queue or service 'plian-17', did you mean 'plain-17'?" "$G" explain odd plian-17
expect 2 "gpuyard: odd: no queue 'visoin', did you mean 'vision'?" "$G" explain odd visoin --queue
expect 2 "gpuyard: odd: no job 'vision'" "$G" explain odd vision --job
expect 0 "" "$G" explain odd plain-18
says out "  waited        10 s, and never started"
says out "  without events.csv"
expect 0 "" "$G" explain odd "a queue"
says out "  queue a queue: no quota; 2 jobs, 1 completed, over 15 s"
for width in 40 80; do
    for what in b Y "X --job" "X --queue"; do
        # shellcheck disable=SC2086
        COLUMNS=$width "$G" explain r $what | awk -v w=$width 'length($0) > w { exit 1 }'
        [ $? -eq 0 ] && ok || fail "explain $what: a line over $width columns"
    done
done

# ---- What is not there, or broken ----
expect 3 "gpuyard: nowhere: no such directory" "$G" explain nowhere b
mkdir empty
expect 3 "gpuyard: empty/jobs.csv: no such file: want the results of a run" "$G" explain empty b
expect 2 "gpuyard: explain: want DIR NAME, see 'gpuyard explain --help'" "$G" explain r
cp r/jobs.csv empty
expect 0 "" "$G" explain empty b
says out "  without intervals.csv, events.csv"
expect 3 "gpuyard: empty/queues.csv: no such file, and the story of a queue needs it" "$G" explain empty Y
head -c 700 r/jobs.csv >empty/jobs.csv
columns=$(head -1 r/jobs.csv | tr ',' '\n' | wc -l)
"$G" explain empty b >out 2>err
status=$?
[ $status -eq 3 ] && ok || fail "a truncated jobs.csv: status $status"
holds err "gpuyard: empty/jobs.csv:4: want $columns cells as in the header, got "
cp r/jobs.csv r/queues.csv empty
sed 's/stopped_for/stopped/' r/intervals.csv >empty/intervals.csv
expect 3 "gpuyard: empty/intervals.csv:1: no column stopped_for" "$G" explain empty b
sed '2s/^[^,]*,[^,]*,/soon,X,/' r/queues.csv >empty/queues.csv
expect 3 "gpuyard: empty/queues.csv:2: time_s: want a number of seconds, got 'soon'" "$G" explain empty Y
cp sat/jobs.csv empty
sed '2s/,closed,90,/,closed,soon,/' sat/sessions.csv >empty/sessions.csv
rm empty/intervals.csv empty/queues.csv
expect 3 "gpuyard: empty/sessions.csv:2: time_to_start_s: want a number of seconds, got 'soon'" "$G" explain empty nb
rm empty/sessions.csv
expect 0 "" "$G" explain empty nb
holds out "  job nb of queue X, user ann, interactive: 2 GPUs in 1 task"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
