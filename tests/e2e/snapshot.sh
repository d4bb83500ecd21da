#!/bin/sh
# snapshot.sh GPUYARD - run --snapshot: nothing of the run changes; a snapshot to the letter, worked out by hand; a run of it goes on
# as the first does; what it does not say is said.
set -u
. "$(dirname "$0")/../support/in_folder.sh"
# ends SHIFT FILE: when each job that ends after SHIFT started and ended, less SHIFT; who runs then starts at 0.
ends()
{
    awk -F, -v by="$1" 'NR == 1 { next } $10 == "" || $10 > by { printf "%s %.9f %.9f %s\n", $1, ($9 > by ? $9 - by : 0), $10 - by, $22 }' "$2/jobs.csv"
}

# ---- By hand, at 20 s, on two nodes of two GPUs, where starting takes 4 s and a job has 5 s to save in. ----
cat >c.yaml <<'END'
nodes:
  - { group: a, count: 2, gpus: 2 }
queues: [ { name: red }, { name: blue } ]
preemption: { checkpoint: perfect, save_s: 5, grace_s: 10, start_s: 4, restart_s: 4 }
END
# one: on node 0 from 0, has done 16 of 30 s. two: on GPU 1 of node 1 from 2, is told to leave for four at 18, has left at 23; it has
# done 12 of 40. zero: on GPU 0 until 17. three: there from 17, is starting up, and its deadline is over. four waits for two; five for four; six comes at 25.
cat >t.csv <<'END'
job_id,submit_s,duration_s,gpus,queue,priority,estimate_s,depends_on,deadline_s,user
one,0,30,2,red,5,35,,100,x
two,2,40,1,blue,0,40,,,y
zero,2,11,1,blue,5,40,,,y
three,17,6,1,red,7,,,19,y
four,18,7,1,blue,9,9,,,x
five,19,3,1,red,0,5,four;zero,,x
six,25,1,4,blue,0,1,,,x
END
expect 0 "" "$G" run -q -c c.yaml -t t.csv -p priority:preempt=yes --snapshot 20 --outputs all -o r
cat >want <<'END'
job_id,submit_s,duration_s,gpus,user,queue,priority,estimate_s,deadline_s,depends_on,running_on,started_s,leaving_s
one,0,14,2,x,red,5,19,80,,0:0-1,-20,
two,0,28,1,y,blue,,28,,,1:1,-18,3
three,0,6,1,y,red,7,,0,,1:0,-3,
four,0,7,1,x,blue,9,9,,,,,
five,0,3,1,x,red,,5,,four,,,
six,5,1,4,x,blue,,1,,,,,
END
same r/snapshot.csv want
expect 0 "" "$G" check -c c.yaml r/snapshot.csv
expect 0 "" "$G" run -q -c c.yaml -t r/snapshot.csv -p priority:preempt=yes -o rest
ends 20 r >want
ends 0 rest >got
same got want
expect 0 "" "$G" run -q -c c.yaml -t r/snapshot.csv -p sjf -o rest

# ---- A week of four teams: nothing of the run changes, and a run of the snapshot goes on like it ----
for policy in fifo:blocking=skip priority:preempt=yes easy cohort; do
    teams -p $policy -o plain || fail "$policy"
    teams -p $policy -o whole --snapshot 250000 || fail "$policy, with a snapshot"
    for f in $files; do same plain/$f whole/$f; done
    "$G" run -q -c "$root/traces/samples/four_teams.yaml" -t whole/snapshot.csv -p $policy -o rest || fail "$policy, from the snapshot"
    ends 250000 whole >want
    ends 0 rest >got
    [ "$(wc -l <got)" -gt 1000 ] && same got want
    awk -F, 'NR > 1 && $2 == 0' whole/snapshot.csv | grep -c : >running
    [ "$(cat running)" -gt 5 ] && ok || fail "$policy: $(cat running) jobs run at the snapshot"
done
# A run without a snapshot takes the old one away.
teams -p fifo -o whole && none whole/snapshot.csv

# ---- What it does not say is said; what it cannot say is refused ----
{ cat "$root/traces/samples/four_teams.yaml"; printf 'failures: { rate: llama-3 }\n'; } >faulty.yaml
"$G" run -c faulty.yaml -t "$root/traces/samples/four_teams.csv" --snapshot 100000 -o r >out 2>err
holds err 'gpuyard: warning: snapshot: it does not record what is out of service, and what fails next'
"$G" run -c c.yaml -t t.csv -p priority:preempt=yes --set preemption.restart_s=9 --set period_s=7 --snapshot 22 -o r >out 2>err
says err 'gpuyard: warning: snapshot: waiting jobs that have run before (2) pay start_s in a run of it, instead of restart_s'
holds err 'gpuyard: warning: snapshot: passes are every 7 s from time 0; this time lies between two, so a run of it has its passes at other times'
expect 1 "gpuyard: snapshot: no job is left at 1000 s" "$G" run -c c.yaml -t t.csv --snapshot 1000 -o bad
expect 2 "gpuyard: run: --snapshot: want a time that comes before --until" "$G" run -c c.yaml -t t.csv --snapshot 10 --until 5 -o bad
none bad

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
