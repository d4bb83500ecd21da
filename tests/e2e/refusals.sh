#!/bin/sh
# refusals.sh GPUYARD - requests that the world refuses: what the note says, of a run and of the members of a federation, in
# spite of --quiet; and no shipped policy makes any, on a cluster with faults, maintenance and drains.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/../support/in_folder.sh"

# A policy that asks for what is wrong: it stops each waiting job before it starts it, and starts it twice.
sed 's/if (where && sched_start(s, j, where) == SCHED_OK)/sched_stop(s, j, STOP_SAVE);\n        &/
     s/^            continue;/            { sched_start(s, j, where); continue; }/' "$top/tests/examples/widest_first.c" >wrong.c
cc -std=c17 -fPIC -shared -I"$top/sim/contract" -o wrong.so wrong.c 2>err && ok || fail "the plugin: $(cat err)"
echo 'nodes: [ { group: a, count: 1, gpus: 1 } ]' >c.yaml
printf 'job_id,submit_s,duration_s,gpus,queue\na,0,10,1,x\nb,5,10,1,x\nc,40,5,1,y\n' >t.csv
# By hand: passes at 0 (a is stopped, started, started), 5 (b is stopped, has no room), 10 (b: as a), 40 (c: as a).
want='policy widest-first refused: 3 start, wrong state; 4 stop, wrong state; the first stop, wrong state at 0 s of job'
expect 0 "gpuyard: warning: 7 requests of $want 'a'" "$G" run -q -c c.yaml -t t.csv -p ./wrong.so -o r
"$G" run -c c.yaml -t t.csv -p ./wrong.so -o r >/dev/null 2>err
[ "$(grep -c ' refused: ' err)" = 1 ] && ok || fail "without -q: $(cat err)"
holds r/manifest.json '"text": "7 requests of'

cat >f.yaml <<'END'
federation: both
members: [ { name: one, cluster: c.yaml }, { name: two, cluster: c.yaml } ]
route: queue
queues: { x: one, y: two }
END
two='2 requests of policy widest-first refused: 1 start, wrong state; 1 stop, wrong state; the first start, wrong state at 40 s'
expect 0 "gpuyard: warning: member one: 5 requests of policy widest-first refused: 2 start, wrong state; 3 stop, wrong state; \
the first stop, wrong state at 0 s of job 'a'
gpuyard: warning: member two: $two of job 'c'" "$G" run -q -c f.yaml -t t.csv -p ./wrong.so -o f
"$G" run -c f.yaml -t t.csv -p ./wrong.so -o f >/dev/null 2>err
[ "$(grep -c ' refused: ' err)" = 2 ] && ok || fail "a federation, without -q: $(cat err)"
# Notes of other kinds are said of each member, without -q only.
expect 0 "" "$G" run -q -c f.yaml -t t.csv -p easy -o f
"$G" run -c f.yaml -t t.csv -p easy -o f >/dev/null 2>err
says err 'gpuyard: warning: member one: 2 jobs had no estimate of their run time: to the plans of policy easy they run for ever'
says err 'gpuyard: warning: member two: 1 job had no estimate of its run time: to the plans of policy easy it runs for ever'
[ "$(grep -c 'member' err)" = 2 ] && ok || fail "more than one line a member: $(cat err)"

# ---- Every shipped policy ----
teams=$top/traces/samples/four_teams
{ cat "$teams.yaml"
  echo 'failures: { faults_per_node_day: 0.5, scope: gpu, remediation: auto, cordon_faults: 3,'
  echo '  maintenance: [ { first: 0, count: 2, from_s: 86400, until_s: 100000, drain_s: 7200, every_s: 200000 } ] }'; } >much.yaml
"$G" list policies --format json | sed -n 's/^    "name": "\(.*\)",$/\1/p' >policies
[ "$(wc -l <policies)" -gt 20 ] && ok || fail "only $(wc -l <policies) policies"
for p in $(cat policies); do
    expect 0 "" "$G" run -q -c much.yaml -t "$teams.csv" -p "$p" --outputs summary -o much
    holds much/manifest.json '"refused": {}'
done

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
