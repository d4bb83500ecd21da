#!/bin/sh
# slurm.sh GPUYARD - the script of `sweep --emit slurm` on a real Slurm: an array of shards, merged, is the sweep of one machine; a
# shard that was lost is noticed, and submitted again only what is missing is run.
set -u
gpuyard=$1
case $gpuyard in /*) ;; *) gpuyard=$PWD/$gpuyard ;; esac
. tests/support/checks.sh
. tests/support/slurm.sh
work=$(mktemp -d)
trap 'slurm_stop; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
if ! slurm_start "$work/slurm"; then
    echo "skipped: Slurm: $slurm_why"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
# Nothing else than this machine reaches what it starts, the step of a job among them; the control listens on all addresses.
job=$(sbatch --parsable -o /dev/null --wrap 'sleep 60')
for _ in $(seq 100); do [ "$(squeue -h -j "$job" -o %t)" = R ] && break; sleep 0.1; done
sleep 0.5
slurm_listens >"$work/listens"
[ "$(grep -c 'slurmctld$' "$work/listens")" -ge 1 ] && [ "$(grep -c 'slurmd$' "$work/listens")" -ge 1 ]
check "slurmctld and slurmd listen" $?
grep -v '^127\.' "$work/listens"
check "what Slurm starts listens on loopback alone: $(tr '\n' ';' <"$work/listens")" $((! $?))
scancel "$job"
python3 -c 'import socket, sys, time
held = open(sys.argv[1], "w")
s = socket.socket(); s.bind(("", 0)); s.listen()
time.sleep(60)' "$slurm_dir/control" &
control=$!
for _ in $(seq 100); do slurm_listens | grep -q '^0\.0\.0\.0 ' && break; sleep 0.1; done
slurm_listens | grep -q '^0\.0\.0\.0 .* python'
check "a socket on all addresses is noticed" $?
kill $control
mkdir "$work/it's here" && cd "$work/it's here" || exit 1
printf 'nodes:\n  - { group: a, count: 4, gpus: 8 }\n' >lab.yaml
awk 'BEGIN { srand(7); print "job_id,submit_s,duration_s,gpus"
    for (i = 0; i < 300; i++) print i "," int(t += 40 * rand()) "," 60 + int(900 * rand()) "," int(1 + 8 * rand()) }' >week.csv
cat >e.yaml <<'END'
clusters: lab.yaml
traces: week.csv
policies: [ fifo, srtf, easy ]
parameters: { load: [ 0.8, 1, 1.2 ] }
seeds: 1..2
END
submit() { timeout 900 sbatch --wait --quiet "$@" >batch 2>&1; }
merge() { sed -n "s/^#   //p" job.sh >merge.sh && sh merge.sh >merged 2>&1; }

expect 0 '' "$gpuyard" sweep e.yaml -q -o one
"$gpuyard" sweep e.yaml --emit slurm --shards 4 -j1 -o camp >job.sh
says job.sh '#SBATCH --array=0-3'
sh -n job.sh && ok || fail "the script is no script"
submit job.sh && ok || fail "sbatch: $(cat batch slurm-*.out)"
[ "$(ls camp | tr '\n' ' ')" = 'shard-0 shard-1 shard-2 shard-3 ' ] && ok || fail "shards: $(ls camp)"
merge && ok || fail "merge: $(cat merged)"
same one/sweep.csv camp/merged/sweep.csv

rm -r camp/merged camp/shard-2
merge && fail "merged without a shard" || ok
holds merged 'points have no result, the first is point '
holds merged 'shard 2/4 is missing'
touch -d '2001-01-01' camp/shard-?/points/*
submit job.sh && ok || fail "sbatch again: $(cat batch slurm-*.out)"
again=$(find camp -path '*/points/*' -newermt 2002-01-01 | cut -d/ -f2 | sort -u | tr '\n' ' ')
[ "$again" = 'shard-2 ' ] && ok || fail "run again: $again"
merge && ok || fail "merge again: $(cat merged)"
same one/sweep.csv camp/merged/sweep.csv

# A run that fails fails its task, and so the array, and stands in what is merged.
sed -i 's/^limit_s.*//; $a limit_s: 0.000001' e.yaml
"$gpuyard" sweep e.yaml --emit slurm --shards 2 -o late >job.sh
submit job.sh && fail "an array of runs that are too late ends well" || ok
merge
[ $? = 1 ] && ok || fail "merge of failures: $(cat merged)"
[ "$(grep -c 'passed its time limit' late/merged/failures.csv)" -gt 0 ] && ok || fail "failures.csv: $(cat late/merged/failures.csv)"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
