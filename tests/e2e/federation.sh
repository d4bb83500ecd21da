#!/bin/sh
# federation.sh GPUYARD - several clusters: a federation of one is the plain run to the byte, every job is in one member, spilling
# never is staying, a burst study shows cost against wait, the same bytes in experiments; and what is refused, with its place.
set -u
. "$(dirname "$0")/../support/in_folder.sh"
mkdir in
cat >in/home.yaml <<'END'
nodes:
  - { group: a, count: 2, gpus: 4 }
END
cat >in/cloud.yaml <<'END'
nodes:
  - { group: b, count: 4, gpus: 4 }
prices: { gpu_usd_per_h: 3 }
END
cat >in/burst.yaml <<'END'
# Jobs go to the cloud if they would wait longer than ten minutes at home.
federation: burst
members:
  - { name: home, cluster: home.yaml }
  - { name: cloud, cluster: cloud.yaml, policy: "sjf:blocking=skip" }
route: spill
limit_s: 600
END
cat >in/one.yaml <<'END'
federation: one
members: [ { name: home, cluster: home.yaml } ]
route: least-wait
END
awk 'BEGIN { srand(3); print "job_id,submit_s,duration_s,gpus,queue,user"
    for (i = 0; i < 300; i++) print "j" i "," int(t += 400 * rand()) "," 60 + int(2800 * rand()) "," 2 ^ int(3 * rand()) "," (rand() < .5 ? "vision" : "speech") ",u" i % 5 }' >in/t.csv
files="jobs.csv intervals.csv timeseries.csv queues.csv nodes.csv summary.csv summary.json events.csv"

# ---- One member ----
for how in "-p fifo" "-p easy" "-p las --until 30000" "-p quota --load 1.5 --estimates user-last2"; do
    "$G" run -q -c in/home.yaml -t in/t.csv $how --outputs all -o plain || fail "$how"
    "$G" run -q -c in/one.yaml -t in/t.csv $how --outputs all -o one || fail "$how: one"
    for f in $files; do same plain/$f one/home/$f; done
    none one/jobs.csv
done

# ---- Two ----
expect 0 "" "$G" run -q -c in/home.yaml -t in/t.csv -o plain
expect 0 "" "$G" run -q -c in/burst.yaml -t in/t.csv -o two
expect 0 "" "$G" run -q -c in/burst.yaml -t in/t.csv -o again
for f in summary.csv summary.json home/jobs.csv cloud/jobs.csv cloud/intervals.csv; do same two/$f again/$f; done
[ "$(cat two/home/jobs.csv two/cloud/jobs.csv | grep '^j[0-9]' | cut -d, -f1 | sort)" = "$(grep '^j[0-9]' in/t.csv | cut -d, -f1 | sort)" ] && ok || fail "not every job in one member"
says two/summary.csv "jobs_submitted,all,300,,300"
says two/summary.csv "jobs_completed,all,300,,300"
holds two/summary.csv "cost_usd,all,"
# Means are those of the jobs of both, and money is that of the cloud.
mean() { awk -F, -v column="$1" 'FNR == 1 { for (i = 1; i <= NF; i++) if ($i == column) at = i; next } { n++; sum += $at } END { printf "%.6f", sum / n }' two/home/jobs.csv two/cloud/jobs.csv; }
value() { awk -F, -v m="$2" -v s="${3:-all}" '$1 == m && $2 == s { printf "%.6f", $3 }' "$1/summary.csv"; }
[ "$(mean wait_s)" = "$(value two wait_mean_s)" ] && ok || fail "mean wait: $(mean wait_s), $(value two wait_mean_s)"
[ "$(value two cost_usd)" = "$(value two/cloud cost_usd)" ] && ok || fail "the cost is not the cloud's"
for m in home cloud; do
    [ "$(value two util_alloc member=$m)" = "$(value two/$m util_alloc)" ] && ok || fail "$m: util_alloc"
    [ "$(value two jct_p90_s member=$m)" = "$(value two/$m jct_p90_s)" ] && ok || fail "$m: jct_p90_s"
done
python3 - two/manifest.json <<'END' && ok || fail "manifest.json"
import json, sys
m = json.load(open(sys.argv[1]))
assert [(x["name"], x["policy"]) for x in m["members"]] == [("home", "fifo"), ("cloud", "sjf")], m["members"]
assert m["counts"]["completed"] == 300 and m["cluster"]["path"] == "in/burst.yaml", m["counts"]
END
# Whoever never spills stays at home, as if there were no cloud.
expect 0 "" "$G" run -q -c in/burst.yaml -t in/t.csv --set limit_s=100000000 -o stay
same plain/jobs.csv stay/home/jobs.csv
says stay/summary.csv "jobs_routed,member=cloud,0,,1"
says stay/summary.csv "cost_usd,all,0,USD,1"
# By queue: what is in the member's files is its queue's, and nothing else is.
sed 's/route:.*/route: queue/; s/limit_s:.*/queues: { vision: home }\nothers: cloud/' in/burst.yaml >in/queues.yaml
expect 0 "" "$G" run -q -c in/queues.yaml -t in/t.csv -o queues
[ "$(grep -c ,vision, queues/home/jobs.csv)" = "$(grep -c ,vision, in/t.csv)" ] && ok || fail "vision is not at home"
[ "$(grep -c ,speech, queues/home/jobs.csv)" = 0 ] && ok || fail "speech is at home"
# Jobs that nobody can run go to the last, and it is said of whom.
printf 'job_id,submit_s,duration_s,gpus,tasks\na,0,10,1,1\nb,0,10,5,1\n' >in/wide.csv
expect 0 "gpuyard: warning: member cloud: 1 rejected, 0 never started, 0 in a deadlock, 0 running and 0 waiting at the cut-off" \
    "$G" run -c in/burst.yaml -t in/wide.csv -o wide
# Of laws every member draws the same jobs, for the GPUs of all: 24 of them.
printf 'workload: w\nspan_s: 86400\nload: { target: 0.8 }\ngpus: { 1: 0.7, 2: 0.3 }\ndurations: { law: lognormal, mean_s: 6000, median_s: 1200 }\n' >in/drawn.yaml
expect 0 "" "$G" run -q -c in/burst.yaml -t in/drawn.yaml -o drawn
[ "$(grep -c drawn drawn/manifest.json)" -gt 0 ] && [ "$(grep '"drawn"' drawn/home/manifest.json)" = "$(grep '"drawn"' drawn/cloud/manifest.json)" ] && ok || fail "not the same jobs"
# The cloud as a pool that goes on without jobs until home has ended: asked for by the scan at 20 s, there from 140 s, empty from 190 s,
# gone 300 s later. 350 s at 12 USD an hour.
cat >in/pool.yaml <<'END'
nodes:
  - { group: b, count: 6, gpus: 4, pool: { provision_s: 120, idle_s: 300, scan_s: 10, usd_per_node_h: 12 } }
prices: { gpu_usd_per_h: 0 }
END
sed 's/cloud.yaml, .*/pool.yaml }/' in/burst.yaml >in/pooled.yaml
printf 'job_id,submit_s,duration_s,gpus\na,0,100000,8\nb,10,50,4\n' >in/tail.csv
expect 0 "" "$G" run -q -c in/pooled.yaml -t in/tail.csv -o tail
says tail/summary.csv "cost_usd,all,1.1666666666666667,USD,1"
says tail/summary.csv "pool_nodes_removed,member=cloud,1,,1"
[ "$(value tail wait_mean_s member=cloud)" = 130.000000 ] && ok || fail "the pool: waited $(value tail wait_mean_s member=cloud)"
# Two policies on one federation can be compared, two federations not.
expect 0 "" "$G" run -q -c in/burst.yaml -t in/t.csv -p easy -o easy
"$G" compare two easy >out 2>err
holds out "1 pair of runs"
"$G" compare two queues >out 2>err
holds err "the other set has no run under the same circumstances"
# A setting of a member is that of its file.
sed 's/count: 2/count: 3/' in/home.yaml >in/home3.yaml
sed 's/home.yaml/home3.yaml/' in/burst.yaml >in/burst3.yaml
expect 0 "" "$G" run -q -c in/burst.yaml -t in/t.csv --set home.nodes.a.count=3 -o set
expect 0 "" "$G" run -q -c in/burst3.yaml -t in/t.csv -o said
same set/summary.csv said/summary.csv

# ---- For people: notes of each member on stderr, once ----
"$G" run -c in/burst.yaml -t in/t.csv -o two >out 2>err || fail "two: $(cat err)"
[ "$(sed 's/^gpuyard: warning: member \([a-z]*\): [0-9]* jobs with only a total .*/\1/' err | tr '\n' ' ')" = "home cloud " ] &&
    ok || fail "notes of members: $(cat err)"
holds out "federation burst, fifo, pack"
holds out "  cloud "
expect 0 "" "$G" check in/burst.yaml
says out "  federation    burst, route spill"
holds out "cloud, policy sjf:blocking=skip"
expect 0 "" "$G" check -f json in/burst.yaml
"$G" check -f json -c in/home.yaml -c in/cloud.yaml in/t.csv >each
expect 0 "" "$G" check -f json -c in/burst.yaml in/t.csv
same out each
expect 0 "" "$G" compare two again

# ---- Pictures: files that only members have are those of all members, metrics are those of the whole ----
if command -v gnuplot >/dev/null; then
    expect 0 "" "$G" plot two -k jct_cdf -f csv
    [ "$(sed 1d out | cut -d'"' -f2 | sort -u | wc -l)" = 2 ] && ok || fail "plot of members: $(head -3 out)"
    expect 0 "" "$G" plot two again -k compare -m jobs_submitted -f csv
    [ "$(grep -c ',300,' out)" = 2 ] && ok || fail "compare of the whole: $(cat out)"
else echo "SKIPPED: gnuplot is not there"; fi

# ---- A burst study: the longer a job may wait at home, the less the cloud costs ----
cat >in/e.yaml <<'END'
clusters: burst.yaml
traces: t.csv
parameters:
  cluster.limit_s: [ 0, 600, 3600, 14400, 100000000 ]
END
expect 0 "" "$G" sweep in/e.yaml -q -j1 -o study
awk -F, '$10 == "all" && $9 == "cost_usd" { print $11 }' study/sweep.csv >cost
awk -F, '$10 == "all" && $9 == "wait_mean_s" { print $11 }' study/sweep.csv >wait
[ "$(wc -l <cost)" = 5 ] && ok || fail "costs: $(cat cost)"
sort -grc cost 2>err && ok || fail "cost does not fall: $(cat cost)"
sort -gc wait 2>err && ok || fail "wait does not rise: $(cat wait)"
[ "$(head -1 cost)" != 0 ] && [ "$(tail -1 cost)" = 0 ] && ok || fail "cost: $(cat cost)"

# ---- Beside a cluster in an experiment ----
cat >in/both.yaml <<'END'
clusters: [ home.yaml, burst.yaml ]
traces: t.csv
policies: [ fifo, easy ]
parameters: { load: [ 1, 1.2 ] }
seeds: 1..2
END
expect 0 "" "$G" sweep in/both.yaml -q -j1 -o s1
expect 0 "" "$G" sweep in/both.yaml -q -j2 -o s2 --keep-runs
same s1/sweep.csv s2/sweep.csv
expect 0 "" "$G" run -q -c in/burst.yaml -t in/t.csv -p easy --load 1.2 --seed 2 -o point
same point/summary.csv s2/runs/t_burst_load=1.2_easy_pack_seed=2/summary.csv
same point/cloud/jobs.csv s2/runs/t_burst_load=1.2_easy_pack_seed=2/cloud/jobs.csv
holds s1/sweep.csv "jobs_routed,member=cloud,"
[ "$(wc -l <s1/failures.csv)" = 1 ] && ok || fail "failures: $(cat s1/failures.csv)"
cat >in/size.yaml <<'END'
clusters: burst.yaml
traces: t.csv
parameters: { cluster.home.nodes.a.count: 1..6 }
END
expect 0 "" "$G" plan in/size.yaml -q -t 'cost_usd<100' -o planned

# ---- What it has not ----
for what in "--stream 50" "--snapshot 10" "--switch-policy 10:sjf"; do
    expect 2 "gpuyard: run: ${what% *}: in/burst.yaml is a federation, which has no ${what% *}" "$G" run -c in/burst.yaml -t in/t.csv -o no $what
done
expect 2 "gpuyard: run: --trace: in/burst.yaml is a federation, each member of which reads the trace: want a file, not standard input" \
    "$G" run -c in/burst.yaml -t - -o no
expect 2 "gpuyard: run: --set: nodes.a.count=3: for a federation want MEMBER.KEY=VALUE, or a key of its file" \
    "$G" run -c in/burst.yaml -t in/t.csv --set nodes.a.count=3 -o no
printf 'job_id,submit_s,duration_s,gpus,depends_on\na,0,1,1,\nb,0,1,1,a\n' >in/after.csv
expect 3 "gpuyard: in/burst.yaml: jobs of the trace depend on others, which may be routed elsewhere: want none that do" \
    "$G" run -c in/burst.yaml -t in/after.csv -o no
printf 'workload: w\njobs: 20\narrivals: { rate_per_h: 60 }\ngpus: { 1: 1 }\ndurations: { law: lognormal, mean_s: 600, median_s: 120 }\n' >in/laws.yaml
{ cat in/laws.yaml; echo 'sessions: [ { group: lab, users: 3, queue: vision } ]'; } >in/lab.yaml
expect 3 "gpuyard: in/burst.yaml: a federation routes jobs that arrive by time, want no services or sessions in the trace" \
    "$G" run -c in/burst.yaml -t in/lab.yaml -o no
none no

# ---- Mistakes in the file ----
bad() { # MESSAGE LINE...
    want=$1
    shift
    printf '%s\n' "$@" >in/bad.yaml
    expect 3 "gpuyard: in/bad.yaml:$want" "$G" check in/bad.yaml
}
home="members: [ { name: home, cluster: home.yaml } ]"
bad "1:1: key 'members' is missing" "federation: f" "route: spill"
bad "2:10: members: want 1 to 64 members, got 0" "federation: f" "members: []" "route: spill"
bad "2:12: want a mapping with name and cluster" "federation: f" "members: [ home ]" "route: spill"
bad "3:8: route: want one of queue, least-wait, spill, got 'any'" "federation: f" "$home" "route: any"
bad "3:8: route: route queue wants queues or others" "federation: f" "$home" "route: queue"
bad "4:9: queues: belongs to route queue, and this one is spill" "federation: f" "$home" "route: spill" "queues: { a: home }"
bad "4:10: limit_s: belongs to route spill, and this one is least-wait" "federation: f" "$home" "route: least-wait" "limit_s: 1"
bad "4:14: a: no member is called 'hme'" "federation: f" "$home" "route: queue" "queues: { a: hme }"
bad "4:9: others: no member is called 'away'" "federation: f" "$home" "route: queue" "others: away"
bad "4:10: limit_s: want a number from 0 to 3153600000, got '-1'" "federation: f" "$home" "route: spill" "limit_s: -1"
bad "2:20: name: want a name without '/', '.' and '=', got 'a/b'" "federation: f" "members: [ { name: a/b, cluster: home.yaml } ]" "route: spill"
bad "2:20: name: want a name that is no key of the file, got 'queues'" "federation: f" "members: [ { name: queues, cluster: home.yaml } ]" "route: spill"
bad "4:13: name: 'a' is there twice" "federation: f" "members:" "  - { name: a, cluster: home.yaml }" "  - { name: a, cluster: cloud.yaml }" "route: spill"
bad "2:51: policy: want a policy that is built in, got './p.so'" "federation: f" "members: [ { name: a, cluster: home.yaml, policy: ./p.so } ]" "route: spill"
printf '%s\n' "federation: f" "$home" "route: queue" "queues: { vision: home }" >in/bad.yaml
expect 3 "gpuyard: in/bad.yaml: queues: the trace has jobs in queue 'speech': want it there, or others" "$G" run -c in/bad.yaml -t in/t.csv -o no
printf '%s\n' "federation: f" "members: [ { name: a, cluster: gone.yaml } ]" "route: spill" >in/bad.yaml
expect 3 "gpuyard: in/gone.yaml: cannot open: No such file or directory" "$G" check in/bad.yaml
none no

# ---- Interrupted: nothing is left ----
python3 - "$G" <<'END' && ok || fail "interrupted: $(ls -R int 2>&1)"
import os, signal, subprocess, sys, time
with open("in/long.csv", "w") as f:
    f.write("job_id,submit_s,duration_s,gpus\n")
    f.writelines("%d,%d,%d,%d\n" % (i, i * 10, 2000, 1 + i % 4) for i in range(300000))
p = subprocess.Popen([sys.argv[1], "run", "-q", "-c", "in/burst.yaml", "-t", "in/long.csv", "-p", "las", "-o", "int"], stderr=subprocess.DEVNULL)
while p.poll() is None and not os.path.isdir("int"):
    time.sleep(0.002)
p.send_signal(signal.SIGINT)
assert p.wait(30) == 130 and not os.path.exists("int"), p.returncode
END

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
