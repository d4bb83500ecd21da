#!/bin/sh
# backfill.sh GPUYARD - what easy and conservative expect of the future: jobs without an estimate, jobs that outlive theirs,
# drains and announced maintenance. Small cases worked out by hand.
set -u
. "$(dirname "$0")/../support/in_folder.sh"

start_of() { awk -F, -v job="$2" '$1 == job { print $8 == "" ? "-" : $9 }' "$1/jobs.csv"; }
starts() { # DIR JOB WANT
    got=$(start_of "$1" "$2")
    [ "$got" = "$3" ] && ok || fail "$1: job $2 starts at $got, want $3"
}
play() { # DIR POLICY CLUSTER TRACE
    "$G" run -p "$2" -c "$3" -t "$4" -o "$1" --outputs all >out 2>err || fail "$1: $(cat err)"
    "$root/scripts/check_schedule" "$1" >out 2>&1 && ok || fail "$1: $(tail -1 out)"
    grep -q refused err && fail "$1: $(cat err)" || ok
}

printf 'nodes: [ { group: n, count: 2, gpus: 8, gpu_model: A100-SXM4-80 } ]\n' >two.yaml

# ---- Without estimates. A job of 1 GPU and 200 s every 10 s from 5 s on; at 100 s one of all 16 GPUs. Nothing may start before
# it, so it starts when the last that came before, at 95 s, has ended. ----
{
    echo job_id,submit_s,duration_s,gpus,tasks
    awk 'BEGIN { for (i = 0; i < 100; i++) printf "s%d,%d,200,1,1\n", i, 5 + 10 * i }'
    echo big,100,50,16,2
} >stream.csv
for p in easy conservative easy:overrun=literal easy:order=shortest easy:tests=5 easy:depth=4 gang:blocking=reservation; do
    play "stream-$p" "$p" two.yaml stream.csv
    starts "stream-$p" big 295
    holds err "101 jobs had no estimate of their run time: to the plans of policy ${p%%:*} they run for ever"
    holds "stream-$p/manifest.json" '"without_estimate": 101'
done
play stream-fifo fifo two.yaml stream.csv
[ -s err ] && fail "fifo plans nothing: $(cat err)" || ok
"$G" report stream-easy -o page.html >out 2>&1 || fail "report: $(cat out)"
holds page.html '101 jobs had no estimate of their run time: to the plans of policy easy they run for ever'
"$G" check stream.csv >out 2>err
holds out '101 jobs have no estimate of their run time'
for p in easy conservative; do # all known: the stream goes on beside the head's promise, and nothing is said
    "$G" run -p $p -c two.yaml -t stream.csv --estimates perfect -o known-$p >out 2>err
    [ -s err ] && fail "estimates known: $(cat err)" || ok
    starts known-$p big 295
done

# ---- `head` waits for `run`, of unknown length. `same` might delay it; `beside` cannot, on other GPUs; `known` ends before
# "for ever". ----
printf 'nodes:\n  - { group: h, count: 2, gpus: 8, gpu_model: H100-SXM5-80 }\n  - { group: t, count: 1, gpus: 8, gpu_model: T4 }\n' >mixed.yaml
printf '%s\n' job_id,submit_s,duration_s,gpus,tasks,gpu_type,estimate_s run,0,1000,4,1,H100-SXM5-80, \
    head,10,100,16,2,H100-SXM5-80,100 beside,20,100,4,1,T4, same,20,100,4,1,H100-SXM5-80, known,20,30,1,1,H100-SXM5-80,30 >mixed.csv
for p in easy conservative; do
    play mixed-$p $p mixed.yaml mixed.csv
    starts mixed-$p head 1000
    starts mixed-$p beside 20
    starts mixed-$p known 20
    starts mixed-$p same 1100
done

# ---- Past the estimate: a should end at 1, then at 2, 2.5, ... (half as long again), at 17.1 or 25.6, and d, which says 10 s, fits
# before the head in none. A job more, which can only start at the end, changes nothing but its own start. ----
printf '%s\n' job_id,submit_s,duration_s,gpus,tasks,estimate_s a,0,20,1,1,1 c,0,1,16,2,1 d,0,5,1,1,10 >late.csv
{ cat late.csv; echo e,10,3,16,2,100; } >later.csv
for p in easy easy:overrun=literal conservative conservative:overrun=literal; do
    for t in late later; do
        play "$t-$p" "$p" two.yaml $t.csv
        starts "$t-$p" c 20
        starts "$t-$p" d 21
    done
done

# ---- No request is refused where most estimates are too short ----
for p in easy conservative easy:overrun=literal conservative:overrun=literal easy:order=shortest,depth=3; do
    for factor in .3 lognormal:2; do
        teams -p "$p" --estimates $factor -o "short-$p-$factor" || fail "$p with estimates $factor"
        "$G" run -q -c two.yaml -t stream.csv -p "$p" --estimates $factor -o "short" || fail "$p with estimates $factor"
        for d in "short-$p-$factor" short; do
            grep -q '"refused": {}' "$d/manifest.json" && ok || fail "$d: requests were refused"
        done
    done
done

# ---- A drain from 500 s. l1 still runs on node 0 until 1500 s, which takes nothing from node 1: s2 waits there for s1, until 900 s.
# The same where GPUs are counted, and have no names. ----
printf '%s\n' job_id,submit_s,duration_s,gpus,tasks,estimate_s l1,0,1500,4,1,1500 s1,300,600,4,1,600 s2,550,100,4,1,100 >drain.csv
maintenance() { # GPUS FROM UNTIL DRAIN
    printf 'nodes: [ { group: h, count: 2, %s } ]\npreemption: { checkpoint: perfect }\n' "$1"
    printf 'failures: { rate: none, maintenance: [ { group: h, first: 0, count: 1, from_s: %s, until_s: %s, drain_s: %s } ] }\n' "$2" "$3" "$4"
}
for gpus in 'gpus: 4, gpu_model: H100-SXM5-80' 'gpus: 4, counted: true'; do
    maintenance "$gpus" 3000 4000 2500 >drain.yaml
    for p in easy conservative; do
        play drain $p drain.yaml drain.csv
        starts drain s2 900
        grep -q ',promise,' drain/events.csv && ! grep ',promise,' drain/events.csv | grep -qv ',900$' && ok || fail "drain: a promise other than 900"
    done

    # ---- Maintenance of node 0 from 1000 s, announced. l1 would outlast it and is put on node 1, l2 is not in its way on node 0. `long` is
    # longer than what is left before it, and node 1 is free at 1500 s. Of unknown length it starts at once. ----
    maintenance "$gpus" 1000 2000 500 >ahead.yaml
    printf '%s\n' job_id,submit_s,duration_s,gpus,tasks,estimate_s l1,0,1500,4,1,1500 l2,0,100,4,1,100 long,200,900,4,1,900 >ahead.csv
    { sed 3d ahead.csv | sed 's/^long,200,900,4,1,900/long,200,100,4,1,/'; } >unknown.csv
    for p in easy conservative; do
        play ahead $p ahead.yaml ahead.csv
        starts ahead l1 0
        starts ahead long 1500
        [ "$(awk -F, '$1 == "l1" { print $3 }' ahead/intervals.csv)" = 1 ] && ok || fail "$p: l1 on the node that maintenance takes"
        play unknown $p ahead.yaml unknown.csv
        starts unknown long 200
    done
done

# ---- A promise that a late job breaks. `late` holds 2 of 4 GPUs for 13 s of an estimated 10 s, `rest` the others until 100 s. At 10 s
# `late` is expected until 15 s: `first` is promised 15 s, and `second`, behind it, 65 s in the same pass. So `third`, which comes at
# 12 s, is promised no better than 100 s. At 13 s `first` starts, `second` when that ends at 63 s, and `third` at 100 s. ----
printf 'nodes: [ { group: n, count: 1, gpus: 4, counted: true } ]\n' >four.yaml
printf '%s\n' job_id,submit_s,duration_s,gpus,estimate_s late,0,13,2,10 rest,0,100,2,100 first,1,50,2,50 second,2,50,2,50 \
    third,12,50,2,50 >broken.csv
for p in conservative conservative:order=shortest easy:depth=2; do
    play broken $p four.yaml broken.csv
    starts broken first 13
    starts broken second 63
    starts broken third 100
done

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
