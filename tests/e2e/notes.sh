#!/bin/sh
# notes.sh GPUYARD - the notes of a run (sim/results/notes.h): each where it applies, with its name in
# the manifest and its text on stderr, in the report and in `check`; and none where it does not.
set -u
. "$(dirname "$0")/../support/in_folder.sh"
unset NO_COLOR GPUYARD_SCRIPTS

names() { # DIRECTORY: of its notes, in their order
    python3 -c 'import json,sys; print(*[n["name"] for n in json.load(open(sys.argv[1]))["notes"]])' "$1/manifest.json"
}
texts() { # DIRECTORY
    python3 -c 'import json,sys; print(*[n["text"] for n in json.load(open(sys.argv[1]))["notes"]], sep="\n")' "$1/manifest.json"
}
# noted NAMES OPTIONS...: a run has exactly these notes; stderr and the report say their texts
noted() {
    want=$1
    shift
    rm -rf r
    "$G" run -o r "$@" >/dev/null 2>err || fail "run $*: $(cat err)"
    [ "$(names r)" = "$want" ] && ok || fail "run $*: want notes '$want', got '$(names r)'"
    texts r | grep . | while read -r line; do
        grep -Fqx "gpuyard: warning: $line" err || echo "$line"
    done >missing
    [ ! -s missing ] && ok || fail "run $*: stderr does not say '$(cat missing)'"
    "$G" report r -o r.html 2>err || fail "report: $(cat err)"
    python3 - r.html <<'END' "$(texts r)" && ok || fail "run $*: the report does not say all notes"
import html, sys
page = html.unescape(open(sys.argv[1]).read())
sys.exit(not all(line in page for line in sys.argv[2].splitlines()))
END
}

echo 'nodes: [ { group: a, count: 1, gpus: 8 } ]' >plain.yaml
cat >two.yaml <<'END'
nodes: [ { group: a, count: 1, gpus: 8, gpu_model: A100-SXM4-80 }, { group: b, count: 1, gpus: 8, gpu_model: H100-SXM5-80 } ]
END
cat >t.csv <<'END'
job_id,submit_s,duration_s,gpus
a,0,100,8
END
cat >typed.csv <<'END'
job_id,submit_s,duration_s,gpus,gpu_type
a,0,100,8,A100-SXM4-80
END

# ---- GPU models ----
noted '' -c plain.yaml -t t.csv
noted unknown-gpu-model -c plain.yaml -t t.csv --set nodes.0.gpu_model=A100
texts r | grep -q "did you mean 'A100-.*' or 'A100-.*'?" && ok || fail "entries that begin with A100"
"$G" check plain.yaml -c plain.yaml >out 2>&1
grep -q warning out && fail "check of a plain cluster warns" || ok
noted unknown-gpu-model -c plain.yaml -t t.csv --set nodes.0.gpu_model=T4-61
texts r | grep -q "did you mean 'T4-16'?" && ok || fail "the nearest GPU model"
noted equal-gpu-models -c two.yaml -t t.csv
noted '' -c two.yaml -t typed.csv
noted '' -c two.yaml -t t.csv --set progress.model=analytic
"$G" check two.yaml >out
tr -s '\n ' ' ' <out | grep -q "warning GPU models 'A100-SXM4-80' and 'H100-SXM5-80' are equally fast" && ok || fail "check of two GPU models: $(cat out)"
# ---- Preferred terms of pods: `quota` reads them with pod_affinity=yes alone ----
printf 'job_id,submit_s,duration_s,gpus,tasks,pod_labels,pod_affinity\na,0,9,1,1,app=x,5:app=x@node\n' >prefers.csv
sed 's/5:app/app/' prefers.csv >requires.csv
noted unread-pod-preferences -c plain.yaml -t prefers.csv -p quota
texts r | grep -q '^policy quota with these parameters does not read preferred terms' && ok || fail "preferred terms: $(texts r)"
noted '' -c plain.yaml -t prefers.csv -p quota:pod_affinity=yes
noted '' -c plain.yaml -t prefers.csv -p kube
noted '' -c plain.yaml -t requires.csv -p quota
noted unread-pod-rules -c plain.yaml -t prefers.csv -p fifo
# ---- Links: NICs of 25 Gbit/s without a word on RDMA, under a job on two nodes ----
printf 'nodes: [ { group: a, count: 2, type: pcie-2xP100 } ]\nprogress: {}\n' >links.yaml
printf 'job_id,submit_s,duration_s,gpus,tasks,anti_affinity,model\na,0,100,2,2,node,VGG-16\n' >apart.csv
printf 'job_id,submit_s,duration_s,gpus,tasks,model\na,0,100,2,1,VGG-16\n' >together.csv
noted transport-of-slow-nics -c links.yaml -t apart.csv
texts r | grep -q "1 job with a model ran over PCIe or several nodes, and nodes 'a' have NICs of 3.125 GB/s, which count as TCP: 0.18 of PCIe and 0.38 of the NICs" && ok || fail "NICs: $(texts r)"
noted transport-of-slow-nics -c links.yaml -t together.csv
printf 'nodes: [ { group: a, count: 2, type: pcie-2xP100 }, { group: b, count: 1, type: dgx-a100 } ]\nprogress: {}\n' >mixed.yaml
noted transport-of-slow-nics -c mixed.yaml -t apart.csv
texts r | grep -q "1 job with a model ran on several nodes, and nodes 'a' have NICs of 3.125 GB/s, which count as RDMA at 0.8" && ok || fail "NICs: $(texts r)"
noted '' -c links.yaml -t apart.csv --set fabric.transport=tcp
noted '' -c links.yaml -t apart.csv --set fabric.transport=rdma
noted '' -c links.yaml -t apart.csv --set fabric.efficiency=0.5
noted '' -c links.yaml -t apart.csv --set nodes.0.nic_gbps=25
# ---- Links without rates: docs/inputs.md, "without it `fabric` has no effect" ----
printf 'nodes: [ { group: a, count: 2, type: dgx-a100 } ]\nfabric: { rails: true }\n' >rails.yaml
noted unread-fabric -c rails.yaml -t t.csv
"$G" check rails.yaml | tr -s '\n ' ' ' | grep -q "warning 'fabric' has no effect without 'progress'" && ok || fail "check of rails without progress"

# A budget of each row of racks is told by check, and by a note where lower clocks do not keep it: 4 busy nodes draw 16.7 kW
echo 'nodes: [ { group: dgx, type: dgx-a100, count: 4, nodes_per_rack: 1, racks_per_pod: 2 } ]
power: { cap_by: rows, row_cap_w: 6000, row_clock: 0.95 }' >rows.yaml
"$G" check rows.yaml | grep -q '5.9 kW idle, 16.7 kW at most, 6.0 kW a row' && ok || fail "check of a budget of rows"
printf 'job_id,submit_s,duration_s,gpus\na,0,1000,32\n' >rows.csv
noted rows-above-budget -c rows.yaml -t rows.csv
texts r | grep -q '^rows of racks drew more than their 6000 W for up to 1053 s, 0.585 h in all: a clock of 0.95 does not keep' && ok || fail "$(texts r)"
noted '' -c rows.yaml -t rows.csv --set power.row_clock=0.5
noted '' -c rails.yaml -t t.csv --set progress.parallel=3d

# ---- Levels beyond pods, where the pace depends on the distance ----
printf 'nodes: [ { group: a, count: 8, type: dgx-a100, levels: { rack: 2, pod: 2, zone: 2 } } ]\n' >zones.yaml
noted '' -c zones.yaml -t apart.csv
printf 'progress: {}\n' >>zones.yaml
noted levels-beyond-pods -c zones.yaml -t apart.csv
texts r | grep -q '^for the pace of jobs, places in one zone but in no one pod are as far apart as the cluster, and' && ok || fail "$(texts r)"

# ---- KV caches of a flow do not go over links (docs/models.md 4.11) ----
printf 'nodes: [ { group: a, count: 2, type: dgx-a100-80 } ]\nprogress: {}\nfabric: {}\n' >fabric.yaml
cat >pools.yaml <<'END'
workload: w
span_s: 100
services:
  - { name: s, replicas: { min: 2 }, requests: { rate_per_s: 1, prompt_tokens: { law: fixed, value_s: 9 }, output_tokens: { law: fixed, value_s: 9 } },
      service_time: { llm: { model: llama-3.1-8b, gpu: A100-SXM4-80, pools: { prefill: 1, decode: 1 } } } }
END
noted kv-caches-off-links -c fabric.yaml -t pools.yaml
sed 's/replicas:/mode: requests, replicas:/' pools.yaml >loop.yaml
noted '' -c fabric.yaml -t loop.yaml
sed '/^fabric/d' fabric.yaml >none.yaml
noted '' -c none.yaml -t pools.yaml
# ---- Quotas ----
cat >quotas.yaml <<'END'
nodes: [ { group: a, count: 1, gpus: 8 } ]
queues: [ { name: x, deserved_gpus: 6 }, { name: y, deserved_gpus: 2 } ]
END
sed 's/$/,x/; 1s/,x/,queue/' t.csv >tx.csv
noted '' -c quotas.yaml -t tx.csv -p quota
noted quota-above-cluster -c quotas.yaml -t tx.csv -p quota --set queues.y.deserved_gpus=3
texts r | grep -q 'the queues deserve 9 GPUs in all, and the cluster has 8' && ok || fail "$(texts r)"

# ---- Prices are of GPUs and of the nodes of pools: three nodes of 8 CPUs without GPUs, of which two are no pool ----
cat >cpus.yaml <<'END'
nodes: [ { group: a, count: 1, gpus: 8 }, { group: cpu, count: 2, gpus: 0, cpus: 8 }, { group: rented, count: 1, gpus: 0, cpus: 8, pool: { usd_per_node_h: 1 } } ]
prices: { gpu_usd_per_h: 1 }
END
noted nodes-without-price -c cpus.yaml -t t.csv
texts r | grep -q "^prices are of GPUs: 2 nodes without GPUs (the first of group 'cpu') cost nothing but energy$" && ok || fail "$(texts r)"
sed '/^prices/d' cpus.yaml >free.yaml
noted '' -c free.yaml -t t.csv

# ---- Restarts: b takes the node from a at 50 s, and a begins anew: 50 s of 8 GPUs are 0.1 GPU h ----
cat >stop.csv <<'END'
job_id,submit_s,duration_s,gpus,priority
a,0,100,8,0
b,50,10,8,1
END
noted restarts-from-nothing -c plain.yaml -t stop.csv -p priority:preempt=yes
texts r | grep -q ': 1 restart of 1 job lost 0.1 GPU h$' && ok || fail "$(texts r)"
noted '' -c plain.yaml -t stop.csv -p priority:preempt=yes --set preemption.checkpoint=perfect
noted '' -c plain.yaml -t stop.csv -p priority:preempt=yes --set preemption.checkpoint=none
noted '' -c plain.yaml -t stop.csv -p priority

# ---- Totals: after a and b, each node has four GPUs for a job of eight ----
cat >nodes.yaml <<'END'
nodes: [ { group: a, count: 2, gpus: 8 } ]
END
cat >total.csv <<'END'
job_id,submit_s,duration_s,gpus
a,0,100,4
b,0,100,4
c,1,10,8
END
noted scattered-totals -c nodes.yaml -t total.csv --placement spread
texts r | grep -q "^1 job with only a total of GPUs ran on several nodes though it fits on one, it is 'c', at no cost" && ok || fail "$(texts r)"
noted '' -c nodes.yaml -t total.csv --placement spread --pods 8
noted '' -c nodes.yaml -t total.csv --placement pack

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
