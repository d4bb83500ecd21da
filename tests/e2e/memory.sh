#!/bin/sh
# memory.sh GPUYARD - what is kept of each job may lie in files: the same bytes, and memory that does not grow with the jobs.
set -u
LC_ALL=C
export LC_ALL
G=${1:?usage: memory.sh PATH-TO-GPUYARD}
case $G in /*) ;; *) G=$PWD/$G ;; esac
root=$PWD
work=$(mktemp -d "${TMPDIR:-/tmp}/gpuyard-memory.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
. "$root/tests/support/checks.sh"
. "$root/tests/support/golden_runs.sh"

# ---- Every golden run with all tables in files: the same bytes; the manifest has the command ----
cat >"$work/in_files" <<S
#!/bin/sh
exec "$G" "\$@" --resident-mib 0.000001
S
cat >"$work/in_memory" <<S
#!/bin/sh
exec "$G" "\$@" --resident-mib 1000000
S
chmod +x "$work/in_files" "$work/in_memory"
for how in in_files in_memory; do
    golden_runs "$work/$how" "$work/golden-$how" >"$work/said"
    if [ -s "$work/said" ]; then fail "$(cat "$work/said")"; else ok; fi
done
same_runs() { # A B: all files but manifests
    for f in $(cd "$1" && find . -type f ! -name manifest.json); do
        same "$1/$f" "$2/$f"
    done
}
same_runs "$work/golden-in_memory" "$work/golden-in_files"

# ---- Many blocks of jobs: pages are given back and fetched again ----
cd "$work" || exit 1
cat >cluster.yaml <<'Y'
name: two groups
nodes:
  - { group: a, count: 24, gpus: 8 }
  - { group: b, count: 8, gpus: 4 }
queues:
  - { name: project2, deserved_gpus: 100 }
  - { name: project1, deserved_gpus: 50 }
  - { name: project3, deserved_gpus: 20 }
  - { name: project4 }
  - { name: project5 }
  - { name: project6 }
  - { name: project7 }
  - { name: project8 }
  - { name: project9 }
  - { name: project10 }
Y
cat >work.yaml <<'Y'
workload: w
load: { target: .8 }
projects: { count: 3, zipf: 1 }
gpus: { 1: .5, 2: .2, 4: .2, 8: .1 }
durations: { law: exponential, mean_s: 600 }
fates: { completed: { share: .9 }, failed: { share: .1 } }
retries: { probability: .5, most: 2, median_s: 100, sigma: 1 }
arrivals: { sweeps: { probability: .05, mean_jobs: 4, within_s: 500 } }
Y
expect 0 "" "$G" synth -q -c cluster.yaml --jobs 150000 work.yaml -o trace.csv
{ head -n 1 trace.csv && tail -n +2 trace.csv | sort -t, -k1,1; } >shuffled.csv
runs() { # HOW: the same set of runs
    "./$1" run -q -c cluster.yaml -t trace.csv -p quota -o "of-$1/quota" &&
    "./$1" run -q -c cluster.yaml -t shuffled.csv -p easy --estimates uniform:2 --outputs jobs,summary,events -o "of-$1/easy" &&
    "./$1" run -q -c cluster.yaml -t work.yaml:synth:jobs=150000 --until 500000 --warmup 40000 --quantiles wait_p95_s,slowdown_p50 \
        --outputs jobs,summary -o "of-$1/cut" &&
    "./$1" run -q -c cluster.yaml -t trace.csv --stream 500 --outputs jobs,summary -o "of-$1/stream" &&
    "./$1" run -q -c cluster.yaml -t trace.csv --pods 2 --load 1.1 -p sjf:blocking=skip --snapshot 100000 -o "of-$1/snapshot"
}
runs in_files
check "runs in files" $?
runs in_memory
check "runs in memory" $?
same_runs of-in_memory of-in_files

# ---- Rows that two threads make, and one: the same bytes, the same errors, files that are whole or not there ----
if command -v taskset >/dev/null; then
    printf '#!/bin/sh\nexec taskset -c "$(taskset -cp $$ | sed "s/.*: *//; s/[-,].*//")" "%s" "$@"\n' "$G" >on_one
    chmod +x on_one
    for how in on_one in_memory; do
        "./$how" run -q -c cluster.yaml -t trace.csv -o "threads-$how"
        check "a run $how" $?
    done
    same_runs threads-in_memory threads-on_one
    for how in ./on_one "$G"; do
        expect 1 "gpuyard: refused/jobs.csv: cannot write: File too large" \
            sh -c 'ulimit -f 4096; exec "$0" run -q -c cluster.yaml -t trace.csv --outputs jobs,summary -o refused' "$how"
        none refused
    done
else
    echo "skipped: threads: no taskset here"
fi
"$G" run -q -c cluster.yaml -t trace.csv --outputs jobs,summary -o cut 2>err &
pid=$!
while kill -0 $pid 2>/dev/null && ! [ -s cut/.jobs.csv.partial ]; do :; done
kill -TERM $pid 2>/dev/null
kill -TERM $pid 2>/dev/null
wait $pid
case $? in
130) none cut ;;
0) same cut/jobs.csv threads-in_memory/jobs.csv ;;      # it had ended already
*) fail "two signals while rows are written: status $?: $(cat err)" ;;
esac

# ---- Memory does not grow with the jobs ----
cat >peak.py <<'P'
"""peak.py COMMAND...: prints the most memory that the command had, in MB."""
import resource, subprocess, sys
if subprocess.run(sys.argv[1:]).returncode:
    sys.exit(1)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
P
cat >laws.yaml <<'Y'
workload: w
load: { target: .8 }
gpus: { 1: .5, 2: .2, 4: .2, 8: .1 }
durations: { law: exponential, mean_s: 600 }
Y
peak() { # JOBS RESIDENT: of jobs drawn by laws
    python3 peak.py "$G" run -q -c cluster.yaml -t "laws.yaml:synth:jobs=$1" --outputs summary --force -o peak --resident-mib "$2"
}
few=$(peak 200000 1) many=$(peak 2000000 1) kept=$(peak 200000 1000000)
# on a busy machine the thread that gives pages back may lag: the least of three
for _ in 1 2; do
    again=$(peak 2000000 1)
    [ "$again" -ge "$many" ] || many=$again
done
grown=$((many - few)) without=$((kept - few))
# 1.8 million jobs more: 330 MB at 185 bytes a job (docs/performance.md); two blocks of 32,768 jobs are 12 MB
if [ "$grown" -le 24 ]; then ok; else fail "2,000,000 jobs take $many MB, 200,000 take $few MB"; fi
# the control: with all in memory 200,000 jobs take 38 MB more
if [ "$without" -ge 15 ]; then ok; else fail "in memory 200,000 jobs take $kept MB, in files $few MB"; fi

# ---- Errors ----
expect 0 "gpuyard: warning: /nowhere: no file for tables of jobs can be made there: No such file or directory; they stay in \
memory, TMPDIR names another directory" env TMPDIR=/nowhere ./in_files run -q -c cluster.yaml -t trace.csv -o "$work/nowhere"
expect 1 "gpuyard: ${TMPDIR:-/var/tmp}: a workload of so many jobs wants a file there: File too large; TMPDIR names another \
directory, with a larger --resident-mib less is wanted" sh -c 'ulimit -f 4096; ./in_files run -q -c cluster.yaml -t trace.csv -o refused'
none refused
expect 2 "gpuyard: run: --resident-mib: want a number above 0, at most 1048576, got '0'" "$G" run -q -c cluster.yaml -t trace.csv \
    --resident-mib 0 -o refused
none refused

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
