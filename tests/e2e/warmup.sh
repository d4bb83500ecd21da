#!/bin/sh
# warmup.sh GPUYARD - how many jobs MSER-5 leaves out, of series written by hand and of M/M/1 from empty; and what `run --warmup` then
# counts: means and quantiles are those of the other rows of jobs.csv, and everything else stays as it is.
set -u
. "$(dirname "$0")/../support/in_folder.sh"

# ---- Series by hand ----
hand() { # DIRECTORY SEED POLICY WAITS...: the result of a run, as far as it is read; "-" did not end
    dir=$1
    mkdir -p "$dir"
    printf '{ "policy_text": "%s", "placement_text": "pack", "seed": %s, "configuration": "policy:\\n  name: x\\nseed: %s\\ntrace:\\n  jobs: %s\\n" }\n' \
        "$3" "$2" "$2" $(($# - 3)) >"$dir/manifest.json"
    echo 'metric,scope,value,unit,n' >"$dir/summary.csv"
    shift 3
    echo 'job_id,wait_s,jct_s,bounded_slowdown' >"$dir/jobs.csv"
    i=0
    for wait do
        i=$((i + 1))
        case $wait in -) echo "j$i,,," ;; *) echo "j$i,$wait,$((wait + 100)),1" ;; esac
    done >>"$dir/jobs.csv"
}
five() { for v do echo "$v $v $v $v $v"; done; }
# shellcheck disable=SC2046
{
    hand one/1 1 fifo $(five 8 5 5 5 5 5)                       # models.md 10.6: one batch
    hand two/1 1 fifo $(five 12 7 5 5 5 5)                      # their mean is the same
    hand two/2 2 fifo $(five 4 3 5 5 5 5)
    hand most/1 1 fifo $(five 8 5 5 5 5 5)                      # one batch, and two
    hand most/2 1 sjf $(five 9 9 5 5 5 5 5 5)
    hand flat/1 1 fifo $(five 5 5 5 5 5 5)                      # the control
    hand falls/1 1 fifo $(five 9 7 6 5)
    hand gaps/1 1 fifo - $(five 8) - $(five 5 5 5) - $(five 5 5)    # jobs 1 to 6 hold the first batch
}
left_out() { "$G" warmup "$@" | sed -n 's/^--warmup \([0-9]*\) is enough for all of them$/\1/p'; }
[ "$(left_out one)" = 5 ] && ok || fail "one high batch"
[ "$(left_out one/1)" = 5 ] && ok || fail "the directory of a run"
[ "$(left_out one --of jct)" = 5 ] && ok || fail "completion times are 100 s more"
[ "$(left_out one --of slowdown)" = 0 ] && ok || fail "slowdown is the same for all"
[ "$(left_out two)" = 5 ] && ok || fail "the mean of two seeds"
"$G" warmup two >out
grep -Eq '^fifo, pack +2 +30 +5$' out && ok || fail "two seeds are one line"
[ "$(left_out most)" = 10 ] && ok || fail "the most that one of two policies needs"
[ "$(left_out flat)" = 0 ] && ok || fail "nothing to leave out"
[ "$(left_out gaps)" = 6 ] && ok || fail "jobs that did not end are passed over"
expect 3 "gpuyard: falls/1: the runs of fifo, pack are too short: they have not settled in their first half" "$G" warmup falls
expect 3 "gpuyard: nowhere: cannot read it: No such file or directory" "$G" warmup nowhere
rm one/1/jobs.csv
expect 3 "gpuyard: one/1/jobs.csv: no such file, but it is needed" "$G" warmup one

# ---- M/M/1 from empty, at 0.9: in the long run a job waits 0.9 / (1 - 0.9) = 9 service times, and the first ones less ----
cat >mm1.yaml <<'END'
workload: mm1
jobs: 2000
arrivals: { rate_per_h: 3240 }
gpus: { 1: 1 }
durations: { law: exponential, mean_s: 1 }
END
echo 'nodes: [ { group: a, count: 1, gpus: 1 } ]' >c.yaml
printf 'clusters: c.yaml\ntraces: mm1.yaml\nseeds: 1..40\n' >pilot.yaml
"$G" sweep pilot.yaml --keep-runs -q -o pilot || fail "the pilot"
n=$(left_out pilot)
[ "${n:-0}" -gt 0 ] && ok || fail "M/M/1 at 0.9 from empty has a warm-up"
printf 'clusters: c.yaml\ntraces: mm1.yaml\nparameters: { warmup: [ 0, %s ] }\nseeds: 1..40\n' "$n" >both.yaml
"$G" sweep both.yaml -q -o both || fail "with and without"
expect 3 "gpuyard: both: this sweep kept no runs: want one with --keep-runs" "$G" warmup both
# Student's t of what it adds to the mean wait, seed by seed: from 0 if nothing came of it. With it the mean is above, as it should be.
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["metric"] == "wait_mean_s" && $at["scope"] == "all" { x[$at["warmup"] > 0, $at["seed"]] = $at["value"] }
    END { for (s = 1; s <= 40; s++) { d = x[1, s] - x[0, s]; sum += d; sq += d * d }
        mean = sum / 40; print mean / sqrt((sq / 40 - mean * mean) / 39) }' both/sweep.csv >t
awk '{ exit !($1 > 3) }' t && ok || fail "what is left out is not below the rest: t = $(cat t)"

# ---- What counts ----
teams -p easy -o all
teams -p easy --warmup 300 -o less
same all/jobs.csv less/jobs.csv
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    NR > 301 && $at["jct_s"] != "" { n++; jct += $at["jct_s"]; wait += $at["wait_s"]; bounded += $at["bounded_slowdown"] }
    END { printf "jct_mean_s %d %.6f\nwait_mean_s %d %.6f\nbounded_slowdown_mean %d %.3f\n", n, jct / n, n, wait / n, n, bounded / n }' all/jobs.csv >want
awk -F, '$2 == "all" && $1 ~ /^(jct_mean_s|wait_mean_s)$/ { printf "%s %d %.6f\n", $1, $5, $3 }
    $2 == "all" && $1 == "bounded_slowdown_mean" { printf "%s %d %.3f\n", $1, $5, $3 }' less/summary.csv >got
same want got
rest() { grep -Ev '^(jct|wait|first_wait|waited|slowdown|bounded_slowdown|finish_time_fairness|fairness)[a-z0-9_]*,' "$1" | cut -d, -f1-3; }
rest all/summary.csv >all.rest
rest less/summary.csv >less.rest
grep -q '^util_alloc,all' all.rest && grep -q '^makespan_s,all' all.rest && ok || fail "utilisation and makespan are among the rest"
same all.rest less.rest
holds less/manifest.json '\nwarmup_jobs: 300\n'
if grep -q warmup all/manifest.json; then fail "without it nothing is said of it"; else ok; fi
expect 3 "gpuyard: $root/traces/samples/four_teams.csv: it has 3971 jobs: with --warmup 3971 no job remains for the means" teams --warmup 3971
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
