#!/bin/sh
# switch.sh GPUYARD - run --switch-policy: to the same policy nothing changes, byte by byte; before the switch everything is as
# without it; a switch worked out by hand; what is wrong, and what cannot be.
set -u
. "$(dirname "$0")/../support/in_folder.sh"

# ---- The same policy goes on: those with a memory, too (attained service, usage, queues of pods) ----
for policy in fifo:blocking=skip quota quota:half_life_h=24 las multifactor kube easy elastic; do
    teams -p $policy -o plain || fail "$policy"
    teams -p $policy --switch-policy 200000:$policy --switch-policy 300000.5:$policy -o same || fail "$policy switched to itself"
    for f in $files; do same plain/$f same/$f; done
    # Another takes over: the rows of the past are the same.
    teams -p $policy --switch-policy 200000:fifo -o other || fail "$policy switched to fifo"
    for run in plain other; do awk -F, 'NR == 1 || $1 < 200000' $run/events.csv >$run.past; done
    same plain.past other.past
    awk -F, '$8 < 200000' plain/intervals.csv >plain.past
    awk -F, '$8 < 200000' other/intervals.csv >other.past
    same plain.past other.past
    case $policy in fifo* | elastic) ;; *) cmp -s plain/jobs.csv other/jobs.csv && fail "$policy, then fifo: as $policy alone" || ok ;; esac
    "$root/scripts/check_schedule" other >out 2>&1 && ok || fail "$policy, then fifo: $(tail -1 out)"
done
[ "$(grep -c ',policy,' same/events.csv)" = 0 ] && ok || fail "a switch to itself is told"
grep -q '^200000,[0-9]*,policy,,fifo,$' other/events.csv && ok || fail "the switch is not told"

# ---- By hand: one GPU. a runs 0 to 10; b (9 s), c (2 s) and d (5 s) wait in this order. fifo would be b, c, d; from 5 s on the
# shortest goes first: c 10-12, d 12-17, b 17-26. From 11 s on fifo again: c 10-12, b 12-21, d 21-26. ----
printf 'nodes:\n  - { group: a, count: 1, gpus: 1 }\n' >c.yaml
printf '%s\n' job_id,submit_s,duration_s,gpus a,0,10,1 b,1,9,1 c,2,2,1 d,3,5,1 >t.csv
ends() { awk -F, 'NR > 1 { printf "%s %s ", $1, $10 }' "$1/jobs.csv"; }
expect 0 "" "$G" run -q -c c.yaml -t t.csv --switch-policy 5:sjf -o hand
[ "$(ends hand)" = "a 10 b 26 c 12 d 17 " ] && ok || fail "sjf from 5: $(ends hand)"
expect 0 "" "$G" run -q -c c.yaml -t t.csv --switch-policy 5:sjf --switch-policy 11:fifo -o hand
[ "$(ends hand)" = "a 10 b 21 c 12 d 26 " ] && ok || fail "sjf from 5, fifo from 11: $(ends hand)"
# srtf stops whoever has longer to go: at 5 a has 5 s left; c starts with 2 and a goes on at 7. Nothing is lost with perfect checkpoints.
printf 'preemption: { checkpoint: perfect, grace_s: 1 }\n' >>c.yaml
expect 0 "" "$G" run -q -c c.yaml -t t.csv --switch-policy 5:srtf -o hand
[ "$(ends hand)" = "a 12 b 26 c 7 d 17 " ] && ok || fail "srtf from 5: $(ends hand)"
grep -q '"time_s": 5.0,' hand/manifest.json && grep -q '"policy": "srtf"' hand/manifest.json && ok || fail "the manifest does not tell the switch"

# ---- What people see ----
COLUMNS=100 "$G" run -c c.yaml -t t.csv --switch-policy 5:sjf:scope=queue --switch-policy 1000:las -o hand >out 2>err
holds out 'fifo, from 5 s on sjf:scope=queue (clairvoyant), from 1000 s on las with pack on c (1 GPU, 1'
[ "$(cat err)" = "gpuyard: warning: policy las never took over: the run ended at 26 s" ] && ok || fail "$(cat err)"
"$G" run -q -c c.yaml -t t.csv --switch-policy 5:sjf
[ -f results/fifo-5-sjf-pack/manifest.json ] && ok || fail "the default directory: $(ls results)"
"$G" run -c c.yaml -t t.csv --switch-policy 5:sjf --dump-config >out
sed -n '/^switches:/,/^placement:/p' out >part
says part '  - time_s: 5'
says part '    name: "sjf"'
says part '      scope: pool'

# ---- What is wrong, and what cannot be ----
wrong()
{
    m=$1
    shift
    expect 2 "gpuyard: run: --switch-policy: $m" "$G" run -c c.yaml -t t.csv -o bad "$@"
    none bad
}
for text in 5 5: :sjf -1:sjf soon:sjf; do
    wrong "want TIME:POLICY[:KEY=VALUE,...] with TIME in seconds, got '$text'" --switch-policy=$text
done
wrong "want ascending times, got 5 after 5" --switch-policy 5:sjf --switch-policy 5:fifo
wrong "policy kube starts single tasks and policy easy plans ahead: want no more than one of these in a run" -p easy --switch-policy 5:kube
wrong "policy elastic resizes jobs and policy gang starts single tasks: want no more than one of these in a run" -p gang \
    --switch-policy 5:fifo --switch-policy 6:elastic
wrong "policy preemptive suspends jobs and policy conservative plans ahead: want no more than one of these in a run" \
    -p preemptive:mode=suspend --switch-policy 5:conservative
expect 2 "gpuyard: no policy 'sjff', did you mean 'sjf'?" "$G" run -c c.yaml -t t.csv --switch-policy 5:sjff
expect 0 "" "$G" run -q -c c.yaml -t t.csv -p preemptive --switch-policy 5:conservative -o hand

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
