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

# ---- Slow faults and nodes in reserve: with the options that the run names, the rest of it is the same ----
# said FILE: the options that a run of the snapshot wants, as shell words.
said() { sed -n 's/^gpuyard: warning: snapshot: a run of it goes on as this one with the options//p' "$1"; }
# world SHIFT FILE: what happens to nodes after SHIFT, less SHIFT.
world()
{
    awk -F, -v by="$1" '$3 ~ /^(slow|detect|repair|activate|reserve)$/ && $1 > by { printf "%.9f %s %s %s\n", $1 - by, $3, $5, $6 }' "$2/events.csv"
}
# goes_on CLUSTER TRACE TIME: from a snapshot then as without; without the options it does not.
goes_on()
{
    "$G" run -c "$1" -t "$2" -p fifo --snapshot "$3" --outputs all -o whole >out 2>err || fail "$1 with a snapshot at $3"
    eval "set -- $1 $2 $3 $(said err)"
    c=$1 at=$3
    shift 3
    "$G" run -q -c "$c" -t whole/snapshot.csv -p fifo --outputs all -o rest "$@" || fail "$c from $at"
    { ends "$at" whole; world "$at" whole; } >want
    { ends 0 rest; world 0 rest; } >got
    same got want
    "$G" run -q -c "$c" -t whole/snapshot.csv -p fifo --outputs all -o other || fail "$c from $at, without its past"
    { ends 0 other; world 0 other; } >got
    cmp -s got want && fail "$c from $at: its past changes nothing" || ok
}
# Node 3 is in reserve until node 1 is found at 10, which is repaired at 60 and takes the place of node 0 at 70; node 2 is slow from
# 4 to 40. Times are of the file: at + detect + repair.
cat >slow.yaml <<'END'
nodes: [ { group: a, count: 4, gpus: 2 } ]
failures:
  spares: { a: 1 }
  faults:
    - { kind: slow, node: 0, phi: .5, at_s: 10, detect_s: 60, repair_s: 100 }
    - { kind: slow, node: 1, gpu: 1, phi: .5, at_s: 2, detect_s: 8, repair_s: 50 }
    - { kind: slow, node: 2, phi: .25, at_s: 4, detect_s: 36, then: none }
END
cat >slow.csv <<'END'
job_id,submit_s,duration_s,gpus
a,0,60,2
b,0,60,2
c,0,60,2
d,1,30,1
e,3,30,1
f,5,50,2
g,50,20,2
END
for at in 5 10 20 40 50 60 69; do goes_on slow.yaml slow.csv $at; done
# At 69, by hand: a has done 10 + 59 x .5 of 60; d, e, f wait, as node 1 is in reserve.
grep '^a,\|^d,' whole/snapshot.csv >got
printf '%s\n' a,0,20.5,2,default,0:0-1,-39.5 d,0,30,1,default,, >want
same got want
said err >got
printf " --set 'failures.slow_past={s: 69, drawn_from_s: 0}' --set 'failures.in_reserve=[1]'\n" >want
same got want
printf '%s\n' 'import json' 'print(json.load(open("whole/manifest.json"))["snapshot_options"])' >of_manifest.py
python3 of_manifest.py >got && same got want
# A snapshot of a run of a snapshot: 20 + 45 s.
"$G" run -c slow.yaml -t slow.csv -p fifo --snapshot 20 -o first >out 2>err && eval "set -- $(said err)"
"$G" run -c slow.yaml -t first/snapshot.csv -p fifo --snapshot 45 -o second "$@" >out 2>err && eval "set -- $(said err)"
"$G" run -q -c slow.yaml -t second/snapshot.csv -p fifo --outputs all -o third "$@"
said err >got
printf " --set 'failures.slow_past={s: 65, drawn_from_s: 0}' --set 'failures.in_reserve=[1]'\n" >want
same got want
{ ends 65 whole; world 65 whole; } >want
{ ends 0 third; world 0 third; } >got
same got want
# Drawn: 8 nodes, half a fault a day each, in a week whose first job comes at 64 s.
{
    cat "$root/traces/samples/four_teams.yaml"
    printf 'failures: { rate: none, repair: fixed, repair_s: 30000, max_retries: unlimited, slow: { per_node_day: .5, paces: [[.5, 1], [.75, 1]], detect_median_s: 20000, share_at_start: .2 } }\n'
} >drawn.yaml
goes_on drawn.yaml "$root/traces/samples/four_teams.csv" 100000
holds err '{s: 100000, drawn_from_s: 64}'
[ "$(world 100000 whole | wc -l)" -gt 30 ] && ok || fail "few slow faults"

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
