#!/bin/sh
# budgets.sh GPUYARD - a queue starts nothing once its budget of the month is spent, but those who were only moved: recomputed from
# intervals.csv alone. Control: the same trace without budgets is found out. And months of the calendar, where a trace tells dates.
set -u
gpuyard=$1
. tests/support/checks.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Ten weeks of the four teams: months of 30 days.
awk -F, -v OFS=, 'NR > 1 { $2 *= 10; $3 *= 10 } { print }' traces/samples/four_teams.csv >"$work/trace.csv"
cluster() { # NAME BUDGETS...: of vision, language, robotics and of all
    sed -n '/^nodes/,/group/p' traces/samples/four_teams.yaml >"$work/$1.yaml"
    cat >>"$work/$1.yaml" <<END
queues:
  - name: all
    $5
    queues:
      - { name: vision, deserved_gpus: 16$2 }
      - { name: language, deserved_gpus: 16$3 }
      - { name: robotics, deserved_gpus: 16$4 }
  - { name: platform, deserved_gpus: 16 }
preemption: { checkpoint: periodic, interval_s: 600, grace_s: 30, restart_s: 60 }
END
}
b=budget_gpu_h_per_month
cluster with ", $b: 2000" ", $b: 3000.5" "" "$b: 9000"
cluster without "" "" "" ""
over_budget() { # DIR: starts of a queue whose budget, or that of the queue above it, is spent
    awk -F, '
        BEGIN { month = 2592000; budget["vision"] = 2000 * 3600; budget["language"] = 3000.5 * 3600; budget["all"] = 9000 * 3600 }
        FNR == 1 { file++; next }
        file == 1 { queue[$1] = $2; next }
        { n++; moved[$1, $8] = $9 == "moved"; job[n] = $1; gpus[n] = $4; start[n] = $7; end[n] = $8 }
        function spent(q, t,    m, i, sum, from, to) {
            m = int(t / month) * month
            for (i = 1; i <= n; i++) {
                if (start[i] >= t || end[i] <= m || (q == "all" ? queue[job[i]] == "platform" : queue[job[i]] != q))
                    continue
                from = start[i] > m ? start[i] : m
                to = end[i] < t ? end[i] : t
                sum += gpus[i] * (to - from)
            }
            return sum >= budget[q]
        }
        END {
            for (k = 1; k <= n; k++) {
                q = queue[job[k]]
                if (q != "platform" && !moved[job[k], start[k] - 1] && (spent("all", start[k]) || ((q in budget) && spent(q, start[k]))))
                    bad++
            }
            print bad + 0
        }' "$1/jobs.csv" "$1/intervals.csv"
}
for kind in with without; do
    "$gpuyard" run -q -c "$work/$kind.yaml" -t "$work/trace.csv" -p quota:consolidation=no,moves=no --outputs jobs,intervals \
        -o "$work/$kind" || fail "$kind: does not run"
done
n=$(over_budget "$work/with")
if [ "$n" = 0 ]; then ok; else fail "$n starts of queues whose budget is spent"; fi
n=$(over_budget "$work/without")
if [ "$n" -gt 100 ]; then ok; else fail "without budgets only $n starts are found"; fi

# 12 hours before the end of January 2018, UTC. February has 28 days: it ends at 12 h + 28 d = 2462400 s.
printf 'nodes:\n  - { group: n, count: 1, gpus: 2 }\nqueues:\n  - { name: v, deserved_gpus: 2, %s: 1 }\n' $b >"$work/dated.yaml"
cat >"$work/dated.csv" <<'END'
job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue
1,u,v,1,1,1,COMPLETED,2018-01-31 12:00:00,2018-01-31 12:00:00,,3600,0
2,u,v,1,1,1,COMPLETED,2018-01-31 14:00:00,2018-01-31 14:00:00,,3600,0
3,u,v,1,1,1,COMPLETED,2018-02-01 06:00:00,2018-02-01 06:00:00,,60,0
END
"$gpuyard" run -q -c "$work/dated.yaml" -t "$work/dated.csv" -p quota --outputs jobs -o "$work/dated" || fail "dated: does not run"
for want in 1:0 2:43200 3:2462400; do
    got=$(awk -F, -v j="${want%:*}" '$1 == j { print $9 }' "$work/dated/jobs.csv")
    if [ "$got" = "${want#*:}" ]; then ok; else fail "job ${want%:*} of the calendar starts at $got, want ${want#*:}"; fi
done
sed "s/$b: 1/$b: 0/" "$work/dated.yaml" >"$work/none.yaml"
"$gpuyard" run -q -c "$work/none.yaml" -t "$work/dated.csv" -o "$work/none" 2>"$work/err"
if [ $? = 3 ]; then ok; else fail "a budget of 0 is taken"; fi
holds "$work/err" "$b: want"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
