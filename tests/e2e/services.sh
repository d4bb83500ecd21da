#!/bin/sh
# services.sh GPUYARD - inference services from the command line: small mixed workloads under several policies, and the public request
# traces under ../shared/traces (GPUYARD_SHARED), where they are.
set -u
LC_ALL=C
export LC_ALL
G=${1:?usage: services.sh PATH-TO-GPUYARD}
case $G in /*) ;; *) G=$PWD/$G ;; esac
root=$PWD
shared=${GPUYARD_SHARED:-../shared}
case $shared in /*) ;; *) shared=$PWD/$shared ;; esac
work=$(mktemp -d "${TMPDIR:-/tmp}/gpuyard-services.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
. "$root/tests/support/checks.sh"
value() { awk -F, -v m="$2" -v s="$3" '$1 == m && $2 == s { print $3 }' "$1/summary.csv"; }
drawn() { sed -n 's/.*"requests_drawn": "\(.*\)".*/\1/p' "$1/manifest.json"; }
holds_true() { # WHAT AWK-CONDITION
    if awk "BEGIN { exit !($2) }"; then ok; else fail "$1: not $2"; fi
}
cat >c.yaml <<'YAML'
nodes: [ { group: n, count: 4, gpus: 4, gpu_model: A100-SXM4-80 } ]
queues: [ { name: train, deserved_gpus: 10 }, { name: serve, deserved_gpus: 6 } ]
YAML
cat >w.yaml <<'YAML'
workload: mixed
start: 2026-01-05T00:00:00Z
jobs: 150
load: { target: 0.9 }
arrivals: { daily: [1, 1, 1, 1, 1, 1, 1, 2, 3, 4, 4, 4, 4, 4, 4, 4, 3, 2, 1, 1, 1, 1, 1, 1] }
projects: { names: [train] }
gpus: { 1: 4, 2: 1, 4: 1 }
durations: { law: lognormal, mean_s: 3000, median_s: 1000 }
services:
  - name: cnn
    queue: serve
    priority: 10
    gpus: 0.5
    replicas: { min: 1, max: 12 }
    requests: { rate_per_s: 300, arrivals: { daily: [1, 1, 1, 1, 1, 1, 1, 2, 3, 4, 4, 4, 4, 4, 4, 4, 3, 2, 1, 1, 1, 1, 1, 1] } }
    service_time: { batch: {} }
    autoscaler: { kind: hpa, metrics: { concurrency: 0.7 } }
  - name: chat
    queue: serve
    preemptible: true
    replicas: { min: 0, max: 4, initial: 1 }
    requests: { rate_per_s: 0.2, prompt_tokens: { law: lognormal, mean_s: 1155, median_s: 1020 }, output_tokens: { law: lognormal, mean_s: 211, median_s: 129 } }
    service_time: { llm: {} }
    mode: requests
    autoscaler: { kind: hpa, idle_s: 600, metrics: { duty: 0.6, queue: 2 } }
YAML

# ---- One workload, five policies: the same requests, and every check of the run holds
for p in fifo static quota preemptive kube; do
    expect 0 "" "$G" run -q -c c.yaml -t w.yaml -p $p -o $p
    [ -n "$(drawn $p)" ] && [ "$(drawn $p)" = "$(drawn fifo)" ] && ok || fail "$p met other requests"
    a=$(value $p slo_attainment service=cnn)
    holds_true "$p: attainment" "$a >= 0 && $a <= 1"
    came=$(value $p requests_arrived class=inference)
    holds_true "$p: requests" "$came > 1e6 && ($came - $(value $p requests_arrived service=cnn) - $(value $p requests_arrived service=chat)) ^ 2 < 1"
    "$root/scripts/check_schedule" $p >checked 2>&1 && ok || fail "$p: $(cat checked)"
done
expect 0 "" "$G" run -q -c c.yaml -t w.yaml -o again
for f in jobs services summary timeseries; do same fifo/$f.csv again/$f.csv; done
expect 0 "" "$G" run -q -c c.yaml -t w.yaml --seed 2 -o other
[ "$(drawn other)" != "$(drawn fifo)" ] && ok || fail "another seed drew the same requests"
says fifo/services.csv "$(head -1 again/services.csv)"
[ "$(head -1 fifo/services.csv | cut -d, -f1-3)" = time_s,service,rate_per_s ] && ok || fail "columns of services.csv"
holds_true "every minute of the day has a row for each" "$(grep -c '^[0-9.]*,cnn,' fifo/services.csv) == $(grep -c '^[0-9.]*,chat,' fifo/services.csv)"
# what stands in the rows is what the summary says, to nine digits
awk -F, 'NR > 1 { n[$2] += $4 } END { printf "%.9g %.9g\n", n["cnn"], n["chat"] }' fifo/services.csv >sums
printf '%.9g %.9g\n' "$(value fifo requests_arrived service=cnn)" "$(value fifo requests_arrived service=chat)" >wanted
same sums wanted
expect 0 "" "$G" run -q -c c.yaml -t w.yaml --outputs jobs,services -o some
[ "$(ls some | tr '\n' ' ')" = 'jobs.csv manifest.json services.csv ' ] && ok || fail "--outputs services: $(ls some)"
expect 0 "" "$G" run -q -c c.yaml -t w.yaml --outputs jobs -o some
none some/services.csv
printf 'job_id,submit_s,duration_s,gpus,queue\na,0,10,1,train\nb,5,10,1,train\n' >t.csv
expect 0 "" "$G" run -q -c c.yaml -t t.csv -o without
none without/services.csv
[ -z "$(drawn without)" ] && ok || fail "a trace without services has drawn requests"

# ---- A trace with services beside it: its jobs are those of the trace
sed '/^jobs:/,/^durations:/d; s/^services:/trace: t.csv\nspan_s: 3600\nservices:/' w.yaml >beside.yaml
expect 0 "" "$G" run -q -c c.yaml -t beside.yaml -o beside
[ "$(grep -c '^[ab],' beside/jobs.csv)" = 2 ] && ok || fail "the jobs of the trace are not there"
mkdir sub && cp beside.yaml sub/ && cp t.csv sub/t.csv
expect 0 "" "$G" run -q -c c.yaml -t sub/beside.yaml -o beside2
same beside/jobs.csv beside2/jobs.csv

# ---- What a file names is an input as well: its hash is in the manifest, and results of another content are not compared
sum=$(sha256sum <t.csv | cut -d' ' -f1)
named() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1] + "/manifest.json"))["trace"].get("named"))' "$1"; }
[ "$(named beside)" = "[{'path': 't.csv', 'sha256': '$sum'}]" ] && ok || fail "named: $(named beside)"
[ "$(named without)" = None ] && ok || fail "a trace that names none has: $(named without)"
holds beside/manifest.json "named_sha256: [ $sum ]"
expect 0 "" "$G" compare beside beside2
cp t.csv kept.csv && sed 's/,10,/,20,/' kept.csv >t.csv
expect 0 "" "$G" run -q -c c.yaml -t beside.yaml -o beside3
expect 3 "gpuyard: beside: the other set has no run under the same circumstances; beside3 has read other contents from a file that \"beside.yaml\" names" "$G" compare beside beside3
mv kept.csv t.csv
printf 'clusters: c.yaml\ntraces: beside.yaml\npolicies: [ fifo, sjf ]\nseeds: 1..2\n' >study.yaml
expect 0 "" "$G" sweep study.yaml -q --keep-runs -o study
for run in study/runs/*; do
    [ "$(named "$run")" = "$(named beside)" ] && ok || fail "$run: named: $(named "$run")"
done
sed 's/trace: t.csv/trace: nowhere.csv/' beside.yaml >bad.yaml
expect 3 "gpuyard: nowhere.csv: cannot open: No such file or directory" "$G" run -q -c c.yaml -t bad.yaml -o bad
sed '/^trace:/d; /^span_s:/d' beside.yaml >endless.yaml
expect 3 "gpuyard: endless.yaml: service cnn: want its end_s, or a span_s, where there are no jobs" "$G" run -q -c c.yaml -t endless.yaml -o bad
sed '/^trace:/d' beside.yaml >alone.yaml
expect 0 "" "$G" run -q -c c.yaml -t alone.yaml -o alone
expect 3 "gpuyard: alone.yaml: want laws of jobs, got none" "$G" synth alone.yaml -q -o bad.csv
expect 3 "gpuyard: alone.yaml: want jobs, got only services or sessions" "$G" convert alone.yaml -o bad.csv
expect 3 "gpuyard: alone.yaml: want jobs, got only services or sessions" "$G" check alone.yaml
none bad bad.csv

# ---- A service after jobs: it begins when those of its trace have ended as asked
printf 'job_id,submit_s,duration_s,gpus,queue,status\nfit,0,300,1,train,completed\ntry,5,100,1,train,failed\n' >t.csv
cat >after.yaml <<'YAML'
workload: after
trace: t.csv
services:
  - name: chat
    queue: serve
    depends_on: DEPENDS
    end_s: 600
    requests: { rate_per_s: 2 }
    service_time: { law: exponential, mean_s: 0.1 }
YAML
after() { sed "s/DEPENDS/$1/" after.yaml >after1.yaml; "$G" run -q -c c.yaml -t after1.yaml -o after; }
begins() { awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "submit_s") at = i } $1 == "chat/0" { print $at }' after/jobs.csv; }
for case in 'fit=300' 'afterok:fit=300' 'afternotok:try=105' 'after:try=5' 'afterok:fit;afternotok:try=300' 'afterany:try?fit=105'; do
    expect 0 "" after "${case%=*}"
    [ "$(begins)" = "${case#*=}" ] && ok || fail "after ${case%=*}: begins at $(begins), want ${case#*=}"
    holds_true "after ${case%=*}: 600 s of requests" "($(value after requests_arrived service=chat) - 1200) ^ 2 < 1e-6"
    for checker in check_schedule check_summary; do
        "$root/scripts/$checker" after >checked 2>&1 && ok || fail "after ${case%=*}: $(cat checked)"
    done
done
sed 's/DEPENDS/afterok:try/' after.yaml >after1.yaml
expect 0 "gpuyard: warning: policy fifo does not read the deserved quotas of queues: they change no decision
gpuyard: warning: 1 of 1 services never began, the first 'chat': it depends on afterok:try, which failed" \
    "$G" run -c c.yaml -t after1.yaml -o after
holds after/manifest.json "1 of 1 services never began, the first 'chat': it depends on afterok:try, which failed"
[ "$(value after requests_arrived service=chat)" = 0 ] && ok || fail "a service that never begins has requests"
expect 3 "gpuyard: after1.yaml:4: depends_on: no job has the job_id 'nope'" after 'afterok:nope'
expect 3 "gpuyard: after1.yaml:4: depends_on: want jobs of the trace, as others come and go in the run, got 'chat/0'" after 'chat\/0'
expect 3 "gpuyard: after1.yaml:4: depends_on: want no singleton or limit of a service, got 'limit:2:x'" after 'limit:2:x'
sed 's/DEPENDS/fit/; /end_s/d' after.yaml >after1.yaml
expect 3 "gpuyard: after1.yaml:4:5: want its end_s: so long after the jobs that it depends on it ends" "$G" run -q -c c.yaml -t after1.yaml -o bad

# ---- The public request traces, from the first to the last request
replay() { # NAME FILE REQUESTS SERVICE-TIME
    if [ ! -f "$shared/traces/$2" ]; then
        echo "skipped: replay of $1: no $shared/traces/$2"
        return
    fi
    for mode in requests fluid; do
        cat >replay.yaml <<YAML
workload: replay
services:
  - name: $1
    queue: serve
    mode: $mode
    replicas: { min: 1, max: 16, initial: 4 }
    requests: { trace: $shared/traces/$2 }
    service_time: { $4 }
    slo: { latency_s: 30 }
    autoscaler: { kind: hpa, metrics: { duty: 0.6 } }
YAML
        expect 0 "" "$G" run -q -c c.yaml -t replay.yaml -o replay
        n=$(value replay requests_arrived service=$1)
        holds_true "replay of $1, $mode" "($n - $3) ^ 2 < ($3 * 0.001) ^ 2"
        [ $mode = fluid ] || holds_true "replay of $1: every request" "$n == $3"
    done
}
replay code azure-llm-2023/AzureLLMInferenceTrace_code.csv.zst 8819 'llm: {}'            # models.md 4.1
replay conv azure-llm-2023/AzureLLMInferenceTrace_conv.csv.zst 19366 'llm: {}'
replay moon mooncake/conversation_trace.jsonl.zst 12031 'llm: {}'                        # its lines
replay tools mooncake/synthetic_trace.jsonl.zst 3993 'llm: {}'
replay lora alibaba-genai-v2026/lora_request_trace.csv.zst 26790 'recorded: true'         # of its 26823 rows 33 are PENDING or PROCESSING

# ---- A replica on a shared or cut GPU serves more slowly, and its neighbour feels its requests
cat >sv.yaml <<'YAML'
workload: w
trace: sj.csv
span_s: 3600
services:
  - { name: c, gpus: 0.5, model: ResNet-50, replicas: { min: 1, max: 1, initial: 1 }, requests: { rate_per_s: RATE }, service_time: { law: fixed, value_s: 0.1 },
      mode: requests, start_up: { was_there: true }, autoscaler: { kind: none }, slo: { share: 0.99, latency_s: 1 } }
YAML
printf 'job_id,submit_s,duration_s,gpus,gpu_milli,tasks,model\nA,100,4000,1,500,1,ResNet-50\n' >sj.csv
shared_run() { # NAME MODE RATE
    sed "s/RATE/$3/" sv.yaml >sv-$1.yaml
    printf 'nodes: [ { group: n, count: 1, type: dgx-a100 } ]\nsharing: { mode: %s }\n' $2 >cs.yaml
    expect 0 "" "$G" run -q -c cs.yaml -t sv-$1.yaml -o $1
    "$root/scripts/check_schedule" $1 >checked 2>&1 && ok || fail "$1: $(cat checked)"
    "$root/scripts/check_summary" $1 >checked 2>&1 && ok || fail "$1: $(cat checked)"
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "sharing_speed") at = i } $1 == "c/0" { print $at }' $1/jobs.csv >$1.speed
}
last=0
for mode in exclusive mps timeslice; do
    shared_run sv-$mode $mode 5
    holds_true "$mode: p50 rises as the speed falls" "$(value sv-$mode latency_p50_s service=c) > $last * 1.2"
    last=$(value sv-$mode latency_p50_s service=c)
done
holds_true "mps is faster than time slices" "$(cat sv-exclusive.speed) == 1 && $(cat sv-mps.speed) < 1 && $(cat sv-timeslice.speed) < $(cat sv-mps.speed)"
# Few requests: A has u = 1, the replica next to none: 1/(1 + .03) of a speed at most, .1/.97 = .1031 s; A goes at .97 from 100 s on
# and takes 4000/.97 s. Thresholds are 1/1024 (quantiles) and the .02 by which a duty may be off (1/1.02).
shared_run few timeslice 0.01
holds_true "few requests: time slices" "($(value few latency_p50_s service=c) / 0.1030928 - 1) ^ 2 < 0.001 ^ 2"
holds_true "few requests: the neighbour" "($(value few sharing_speed_mean all) / 0.9715 - 1) ^ 2 < 0.003 ^ 2"
# Half the GPU by a hard limit: 1 / .5 (models.md 7, fraction), whatever its duty. Without a neighbour yet: 100 of 3600 s.
shared_run half fraction 0.01
holds_true "few requests: half a GPU" "$(value half latency_p50_s service=c) > 0.1998"
# MIG: min((3/7)^.9, (4/8)/.81) = .466466 (models.md 7)
sed 's/RATE/0.01/; s/gpus: 0.5/mig: 3g.20gb/; /^trace/d' sv.yaml >mig.yaml
printf 'nodes: [ { group: n, count: 1, gpus: 2, gpu_model: A100-SXM4-40, mig: { 3g.20gb: 4 } } ]\nsharing: {}\n' >cm.yaml
expect 0 "" "$G" run -q -c cm.yaml -t mig.yaml -o mig
holds_true "an instance of MIG" "($(value mig latency_p50_s service=c) * 0.466466 / 0.1 - 1) ^ 2 < 0.001 ^ 2"

# ---- The duty of a replica is the power that its GPU draws, and util_busy. dgx-a100: 400 W, of which .9 at full duty, and 50 W idle
# (models.md 1.1, 9): at duty u, in kWh of 10 h: .5 + 3.1 u^.9, but at least 15 W above idle
watts() { # NAME RATE
    sed "/^trace/d; s/RATE/$2/; s/gpus: 0.5/gpus: 1/; s/span_s: 3600/span_s: 36000/" sv.yaml >$1.yaml
    printf 'nodes: [ { group: n, count: 1, type: dgx-a100 } ]\npower: { gpu_idle_w: 50, gpu_tdp_w: 400 }\n' >cp.yaml
    expect 0 "" "$G" run -q -c cp.yaml -t $1.yaml -o $1
    "$root/scripts/check_summary" $1 >checked 2>&1 && ok || fail "$1: $(cat checked)"
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "gpu_energy_kwh") at = i } $1 == "c/0" { print $at }' $1/jobs.csv
}
rarely=$(watts rarely 0.01) often=$(watts often 9)
holds_true "a duty of .1 %: near idle" "$rarely >= 0.65 && $rarely < 0.66"
# windows of a minute scatter around .9, and u^.9 is nearly linear there: within 1 %
holds_true "a duty of 90 %: near full" "($often / (0.5 + 3.1 * 0.9 ^ 0.9) - 1) ^ 2 < 0.01 ^ 2"
for run in rarely often; do
    # one GPU of 8; the first minute counts as without requests
    holds_true "$run: util_busy is the duty" "($(value $run util_busy all) * 8 - $(value $run replica_duty service=c)) ^ 2 < (60 / 36000) ^ 2"
done
holds_true "the duties" "$(value rarely replica_duty service=c) < 0.0012 && $(value often replica_duty service=c) > 0.89"

# ---- Several models: whole runs against a second implementation, and what a trace must say ----
"$root/tests/e2e/served_models.py" "$G" >models.log && ok || fail "several models: $(cat models.log)"
printf 'time_s,prompt_tokens,output_tokens,model\n0,9,9,small\n1,9,9,large\n' >named.csv
sed 's/,large/,/' named.csv >half.csv
several() { # TRACE MODELS
    printf 'workload: w\nservices:\n  - { name: s, queue: serve, mode: requests, requests: { trace: %s:plain }, service_time: { llm: { models: [ %s ], gpu: A100-SXM4-80 } }, end_s: 100 }\n' "$1" "$2" >several.yaml
}
several named.csv '{ model: llama-3.1-8b, name: small }'
expect 3 "gpuyard: several.yaml:3:115: models: want all models of the trace, among them 'large'" "$G" run -q -c c.yaml -t several.yaml -o several
several half.csv '{ model: llama-3.1-8b, name: small }'
expect 3 "gpuyard: several.yaml:3:114: models: want a model of each request of the trace, or of none" "$G" run -q -c c.yaml -t several.yaml -o several
several named.csv '{ model: llama-3.1-8b, name: small, share: 2 }, { model: opt-13b, name: large }'
expect 3 "gpuyard: several.yaml:3:160: share: want it only where the requests of the trace have no model" "$G" run -q -c c.yaml -t several.yaml -o several
several named.csv '{ model: opt-13b, name: large }, { model: llama-3.1-8b, name: small }'
expect 0 "" "$G" run -q -c c.yaml -t several.yaml -o several
[ "$(value several requests_served model=s/small)$(value several requests_served model=s/large)" = 11 ] && ok || fail "requests by the name of their model"
"$root/scripts/check_summary" several >checked 2>&1 && ok || fail "several models: $(cat checked)"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
