#!/bin/sh
# dependencies.sh GPUYARD - a job after a failed one (Slurm: afterok, afterany, kill_invalid_depend), from outside: what is said,
# counted and explained; by hand: prep fails at 100 s, train wants its success, eval comes after train whatever becomes of it,
# last waits for any of two.
set -u
G=$(realpath "$1")
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/../support/checks.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
cat >cluster.yaml <<'END'
nodes:
  - { group: node, count: 1, gpus: 8, gpu_model: A100-SXM4-80 }
END
cat >trace.csv <<'END'
job_id,submit_s,duration_s,gpus,user,depends_on,status
prep,0,100,1,u,,failed
train,0,200,8,u,afterok:prep,
eval,0,50,1,u,train,
last,0,10,1,u,afterok:prep?afterok:eval,
s1,0,30,1,u,singleton:x,
s2,5,30,1,u,singleton:x,
END
warning="gpuyard: warning: 1 job cancelled, as a dependency can never be met; it is 'train': depends on afterok:prep, which failed"
expect 0 "$warning" "$G" run -c cluster.yaml -t trace.csv -p fifo --outputs all -o r
cut -d, -f1,9,10,14,22,36 r/jobs.csv >got
cat >want <<'END'
job_id,start_s,end_s,jct_s,state,wait_dependency_s
prep,0,100,100,failed,0
train,,,,cancelled,100
eval,100,150,150,completed,100
last,150,160,160,completed,150
s1,0,30,30,completed,0
s2,30,60,55,completed,25
END
same want got
holds r/summary.csv "jobs_cancelled,all,1,"
"$root/scripts/check_schedule" r >out 2>&1 && ok || fail "check_schedule: $(cat out)"
"$root/scripts/check_summary" r >out 2>&1 && ok || fail "check_summary: $(cat out)"
expect 0 "" "$G" explain r train
cat >want <<'END'
  job train of queue default, user u, training: 8 GPUs

  submitted     at 0 s
  waited        100 s, and never started
                  100 s: jobs on which it depends had not ended
  meanwhile     3 jobs with 3 GPUs started for the first time, 0 of other
                queues; 1 of them was submitted later: s2

  0 s             is held until its dependencies have ended
  100 s           is cancelled: it depends on afterok:prep, which failed

  outcome       cancelled before it arrived: a dependency can never be met
END
same want out
expect 0 "" "$G" explain r eval
says out "  100 s           arrives: its dependencies are met"

# Task i of the second array after task i of the first: the second task of the first fails, so that of the second never runs.
cat >arrays.csv <<'END'
job_id,submit_s,duration_s,gpus,depends_on,status
a_1,0,100,1,,
a_2,0,50,1,,failed
a_10,0,70,1,,
b_1,0,10,1,aftercorr:a,
b_2,0,10,1,aftercorr:a,
b_10,0,10,1,aftercorr:a;afterany:a_2,
END
expect 0 "gpuyard: warning: 1 job cancelled, as a dependency can never be met; it is 'b_2': depends on afterok:a_2, which failed" \
    "$G" run -c cluster.yaml -t arrays.csv -p fifo -o arrays
cut -d, -f1,9,10 arrays/jobs.csv >got
cat >want <<'END'
job_id,start_s,end_s
a_1,0,100
a_2,0,50
a_10,0,70
b_1,100,110
b_2,,
b_10,70,80
END
same want got
printf 'job_id,submit_s,duration_s,gpus,depends_on\na_1,0,1,1,\nb,0,1,1,aftercorr:a\n' >bad.csv
expect 3 "gpuyard: bad.csv:3: depends_on: aftercorr wants a job_id that ends in _INDEX, as tasks of an array have, got 'b'" \
    "$G" run -c cluster.yaml -t bad.csv -p fifo -o none
printf 'job_id,submit_s,duration_s,gpus,depends_on\na_1,0,1,1,\nb_2,0,1,1,aftercorr:a\n' >bad.csv
expect 3 "gpuyard: bad.csv:3: depends_on: no job has the job_id 'a_2'" "$G" run -c cluster.yaml -t bad.csv -p fifo -o none

# As Slurm without kill_invalid_depend: train waits for ever, and eval and last with it.
expect 0 "gpuyard: warning: 3 jobs never started: waiting for quota, limit, a dependency or behind a deadlock when all others were done; no mean includes them" \
    "$G" run -c cluster.yaml --set invalid_dependency=wait -t trace.csv -p fifo --outputs jobs,summary -o w
cut -d, -f1,9,22 w/jobs.csv | grep -c ',,pending' >got
echo 3 >want
same want got

# Written and read again, and from a snapshot at 10 s, when s1 runs and s2 waits for its turn: the same times.
expect 0 "" "$G" convert trace.csv -o again.csv
expect 0 "" "$G" run -q -c cluster.yaml -t again.csv -p fifo --outputs jobs -o a
same r/jobs.csv a/jobs.csv
expect 0 "" "$G" run -q -c cluster.yaml -t trace.csv -p fifo --snapshot 10 -o s
expect 0 "" "$G" run -q -c cluster.yaml -t s/snapshot.csv -p fifo --outputs jobs -o from
awk -F, 'NR > 1 && $10 != "" { print $1, $10 }' from/jobs.csv | sort >got
awk -F, 'NR > 1 && $10 != "" { print $1, $10 - 10 }' r/jobs.csv | sort >want
same want got

# The tasks of an array, two at a time, and a job after the start of one: by hand 3 follows 2 at 40 s, 4 follows 3 at 90 s, 5 follows
# 1 at 100 s. From a snapshot at 20 s, when 1 and 2 run, the same.
cat >array.csv <<'END'
job_id,submit_s,duration_s,gpus,depends_on
1,0,100,1,limit:2:a
2,0,40,1,limit:2:a
3,0,50,1,limit:2:a
4,0,30,1,limit:2:a
5,0,20,1,limit:2:a
b,0,10,1,after:3
END
printf '1 100\n2 40\n3 90\n4 120\n5 120\nb 50\n' >want
expect 0 "" "$G" run -q -c cluster.yaml -t array.csv -p fifo --snapshot 20 --outputs jobs -o array
awk -F, 'NR > 1 { print $1, $10 }' array/jobs.csv >got
same want got
expect 0 "" "$G" run -q -c cluster.yaml -t array/snapshot.csv -p fifo --outputs jobs -o from
awk -F, 'NR > 1 { print $1, $10 + 20 }' from/jobs.csv >got
same want got
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
