#!/bin/sh
# recorded.sh GPUYARD - policy `recorded`: jobs start when and where the log says. By hand, and on public logs, whose own
# waits are the oracle.
set -u
G=$(realpath "$1")
. "$(dirname "$0")/../support/checks.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
traces=$(realpath -m "${GPUYARD_SHARED:-$root/../shared}")/traces
skipped=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
cat >c.yaml <<'END'
nodes: [ { group: n, count: 2, gpus: 2 } ]
END
waits() { # DIR: job, first wait
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { print $1 "," $at["first_wait_s"] }' "$1/jobs.csv" | LC_ALL=C sort
}

# ---- When and where: b waits although GPUs are free, a and c share node 1, d goes to the fuller node, as pack says
cat >log.csv <<'END'
job_id,submit_s,duration_s,gpus,tasks,recorded_wait_s,recorded_on
a,0,100,1,1,0,1:1
b,0,50,2,,40,0:x2
c,10,20,1,1,0,1
d,20,10,1,1,70,
END
expect 0 "" "$G" run -c c.yaml -t log.csv -p recorded -o r
waits r >got
printf '%s\n' a,0 b,40 c,0 d,70 >want
same got want
awk -F, 'NR > 1 { print $1 "," $3 "," $5 "," $7 }' r/intervals.csv | LC_ALL=C sort >got
printf "%s\n" a,1,1,0 b,0,0-1,40 c,1,0,10 d,1,0,90 >want
same got want
expect 0 "" "$G" convert log.csv -o again.csv
expect 0 "" "$G" run -q -c c.yaml -t again.csv -p recorded -o again
same r/jobs.csv again/jobs.csv
expect 0 "" "$G" convert log.csv --since 5 -o later.csv
says later.csv c,10,20,1,0,1

# ---- A log that cannot have been: at 10 s it has 5 GPUs in use. The jobs behind the late one are not held back.
cat >over.csv <<'END'
job_id,submit_s,duration_s,gpus,recorded_wait_s
a,0,30,3,0
late,0,10,2,10
c,5,5,1,15
END
expect 0 "gpuyard: warning: 1 job could not start when the log says, as GPUs were not free, it is 'late' at 10 s: the log has up to 5 GPUs in use at once, the cluster has 4" \
    "$G" run -c c.yaml -t over.csv -p recorded -o o
waits o >got
printf '%s\n' a,0 c,15 late,30 >want
same got want

# ---- Nothing said: at the submission, and said once
printf 'job_id,submit_s,duration_s,gpus\nx,3,10,1\ny,4,10,1\n' >bare.csv
expect 0 "gpuyard: warning: the trace does not say when 2 of 2 jobs started, the first 'x': policy recorded starts them when submitted" \
    "$G" run -c c.yaml -t bare.csv -p recorded -o n
waits n >got
printf '%s\n' x,0 y,0 >want
same got want

# ---- SWF: the third field; -1: unknown
cat >hand.swf <<'END'
1 0 7 10 1 -1 -1 1 -1 -1 1 1 1 1 1 1 -1 -1
2 3 -1 10 1 -1 -1 1 -1 -1 1 1 1 1 1 1 -1 -1
END
expect 0 "gpuyard: warning: the trace does not say when 1 of 2 jobs started, it is '2': policy recorded starts it when submitted" \
    "$G" run -c c.yaml -t hand.swf -p recorded -o s
waits s >got
printf '%s\n' 1,7 2,0 >want
same got want

# ---- Promised: kept through the pass at 0, given at 1 (docs/schedulers.md b.6); others say that they do not read it
cat >soon.csv <<'END'
job_id,submit_s,duration_s,gpus,tasks,promised_on
a,0,100,2,1,
b,0,100,2,1,1:0-1
END
expect 0 "" "$G" run -q -c c.yaml -t soon.csv -p quota -o p
expect 0 "" "$G" convert soon.csv -o again.csv
expect 0 "" "$G" run -q -c c.yaml -t again.csv -p quota -o p2
waits p2 >got
printf '%s\n' a,0 b,1 >want
same got want
same p/jobs.csv p2/jobs.csv
"$G" run -c c.yaml -t soon.csv -p fifo -o f 2>err >out
says err "gpuyard: warning: policy fifo does not read promised_on: those jobs wait like any other"

# ---- Wrong
wrong() { # ROW MESSAGE
    printf 'job_id,submit_s,duration_s,gpus,tasks,recorded_wait_s,recorded_on,running_on,promised_on\n%s\n' "$1" >bad.csv
    expect 3 "gpuyard: bad.csv:2: $2" "$G" run -c c.yaml -t bad.csv -p recorded -o bad
    [ ! -e bad ] && ok || fail "a run of a bad trace leaves a folder"
}
wrong a,0,1,1,1,,0,, "recorded_on: want recorded_wait_s, too"
wrong a,0,1,1,1,5,2,, "recorded_on: want nodes from 0 to 1, got 2"
wrong a,0,1,2,1,5,0:x1,, "recorded_on: want the 2 GPUs of a task on node 0, got 1"
wrong a,0,1,2,2,5,0,, "recorded_on: want a place for at least 2 of its 2 tasks, got 1"
wrong a,0,1,1,1,5,,0, "recorded_wait_s: want none of a job that runs already (running_on)"

# whole GPUs on a node that is cut as jobs ask
cat >c.yaml <<'END'
nodes: [ { group: n, count: 1, gpus: 2, gpu_model: A100-SXM4-40, mig_strategy: dynamic }, { group: m, count: 1, gpus: 2 } ]
END
wrong a,0,1,1,1,5,0,, "recorded_on: want GPUs that node 0 has for it, which has 0"
wrong a,0,1,1,1,,,0, "running_on: want GPUs that node 0 has for it, which has 0"
wrong a,0,1,1,1,,,,2 "promised_on: want nodes from 0 to 1, got 2"

# ---- Public logs: every wait as logged. KTH SP2 had 100 processors, and its log has up to 104 in use
if [ -f "$traces/swf/KTH-SP2-1996-2.1-cln.swf.zst" ]; then
    for log in KTH-SP2-1996-2.1-cln:104 wagap-2013:3000; do
        name=${log%:*}
        printf 'nodes: [ { group: n, count: %s, gpus: 1 } ]\n' "${log#*:}" >p.yaml
        "$G" run -q --force -c p.yaml -t "$traces/swf/$name.swf.zst" -p recorded --outputs jobs -o p || fail "$name does not run"
        zstd -dcq "$traces/swf/$name.swf.zst" | awk '!/^;/ && $4 > 0 && ($5 > 0 || $8 > 0) && !($11 >= 2 && $11 <= 4) { print $1 "," $3 }' |
            LC_ALL=C sort >want
        waits p >got
        [ "$(wc -l <want)" -gt 10000 ] && same got want
        "$G" run -q --force -c p.yaml -t "$traces/swf/$name.swf.zst" -p fifo --outputs jobs -o p
        waits p >got
        if cmp -s got want; then fail "fifo has the waits of $name, too: the comparison cannot fail"; else ok; fi
    done
else
    echo "skipped: waits of public logs: no $traces/swf"
    skipped=$((skipped + 1))
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
