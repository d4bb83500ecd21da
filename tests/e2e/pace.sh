#!/bin/sh
# pace.sh GPUYARD - how fast jobs progress, from the command line: which fit a name means, and what a run says where there is none.
set -u
LC_ALL=C
export LC_ALL
G=${1:?usage: pace.sh PATH-TO-GPUYARD}
case $G in /*) ;; *) G=$PWD/$G ;; esac
root=$PWD
work=$(mktemp -d "${TMPDIR:-/tmp}/gpuyard-pace.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
. "$root/tests/support/checks.sh"
column() { # RUN COLUMN JOB: of jobs.csv
    awk -F, -v c="$2" -v j="$3" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == c) at = i } $1 == j { print $at }' "$1/jobs.csv"
}

# ---- Fits of goodput: a GPU model of the catalogue is the one that a fit names, a model goes by its aliases
printf 'job_id,submit_s,duration_s,gpus,min_gpus,max_gpus,model\na,0,1000,1,1,64,MODEL\n' >elastic.csv
runs_s() { # STDERR NODES MODEL [ELASTIC]
    printf '%s' "${1:+$1
}" >want
    printf 'nodes: [ { group: n, count: 8, %s } ]\n%s\n' "$2" "${4-elastic: {\}}" >elastic.yaml
    sed "s/MODEL/$3/" elastic.csv >one.csv
    "$G" run -c elastic.yaml -t one.csv -p goodput -o elastic --force >out 2>err || fail "$2, $3: $(cat err)"
    grep -v "is not in the catalogue" err | diff - "$work/want" >differs && ok || fail "$2, $3: $(cat differs)"
    run_s=$(column elastic run_s a)
}
linear="gpuyard: warning: elastic: 1 of 1 jobs of several sizes progressed in proportion to their GPUs, for want of a"
runs_s "" "gpus: 8, gpu_model: A100" bert
bert=$run_s
# bert on 64 A100 against one: 6.74 by the fit (models.md 3.6), 64 in proportion
awk "BEGIN { exit !(1000 / $bert > 6.7 && 1000 / $bert < 6.8) }" && ok || fail "bert on 64 A100 took $bert s"
for nodes in "type: dgx-a100" "type: dgx-a100-80" "gpus: 8, gpu_model: a100"; do
    runs_s "" "$nodes" bert
    [ "$run_s" = "$bert" ] && ok || fail "bert with $nodes: $run_s s, not $bert"
done
runs_s "" "type: dgx-a100" BERT-base
[ "$run_s" = "$bert" ] && ok || fail "BERT-base: $run_s s, not $bert"
runs_s "" "type: dgx-a100" bert "elastic: { reference_gpu: A100 }"
[ "$run_s" = "$bert" ] && ok || fail "reference_gpu A100: $run_s s, not $bert"
# no fit: said once, with the first job
runs_s "$linear fit of their model on their GPUs; the first is 'a', of model bert" "type: hgx-h100" bert
[ "$run_s" = 15.625 ] && ok || fail "in proportion to 64 GPUs: $run_s s"
runs_s "$linear fit of their model on their GPUs; the first is 'a', of model bert" "gpus: 8, gpu_model: A1000" bert
runs_s "$linear fit of their model on their GPUs; the first is 'a', of model CycleGAN" "type: dgx-a100" CycleGAN
runs_s "$linear section elastic; the first is 'a', of model bert" "type: dgx-a100" bert ""
runs_s "" "type: dgx-a100" bert "elastic: { scaling: linear }"
[ "$run_s" = 15.625 ] && ok || fail "scaling linear: $run_s s"

# ---- Tensor parallelism over nodes costs nothing here: said. GPT-3-13B has groups of 8 GPUs; 8 x 1 GPU, 2 x 4, and one node of 8
torn="ran with a tensor-parallel group over several nodes or islands, whose traffic costs no time here: too fast; the first is"
tensor() { # STDERR NODES GPUS
    printf 'nodes: [ { group: n, nodes_per_rack: 16, %s } ]\nprogress: {}\n' "$2" >tensor.yaml
    printf 'job_id,submit_s,duration_s,gpus,model\na,0,1000,%s,GPT-3-13B\nb,1000,10,1,ResNet-50\n' "$3" >tensor.csv
    expect 0 "$1" "$G" run -c tensor.yaml -t tensor.csv -o tensor --force
}
tensor "gpuyard: warning: progress: 1 job $torn 'a', of model GPT-3-13B (8 GPUs a group)" "count: 8, gpus: 1, gpu_model: A100-SXM4-80, nics: 1, nic_gbps: 25" 8
tensor "gpuyard: warning: progress: 1 job $torn 'a', of model GPT-3-13B (8 GPUs a group)" "count: 2, gpus: 4, gpu_model: A100-SXM4-80, nics: 4, nic_gbps: 25" 8
tensor "" "count: 2, type: dgx-a100" 8
tensor "" "count: 2, type: dgx-a100" 16

# ---- Deadlines: one GPU, in order of arrival. a ends at 10 of 10; b at 20 of 19; c at 30 of 30; d has none; e at 140 of 135; f at 240
# of 240; g can never run
printf 'job_id,submit_s,duration_s,gpus,deadline_s\na,0,10,1,10\nb,0,10,1,19\nc,0,10,1,30\nd,0,10,1,\ne,0,100,1,135\nf,0,100,1,240\ng,0,1,100,1000\n' >late.csv
printf 'nodes: [ { group: n, count: 1, gpus: 1 } ]\n' >one.yaml
deadlines() { # MET,MISSED,SHARE OPTIONS...
    want=$1
    shift
    "$G" run -q -c one.yaml -t late.csv -o late --force "$@" || fail "deadlines: $*"
    got=$(awk -F, '$1 ~ /^deadlines_/ { printf "%s%s", c, $3; c = "," }' late/summary.csv)
    [ "$got" = "$want" ] && ok || fail "deadlines with $*: $got, not $want"
    "$root/scripts/check_summary" late >checked 2>&1 && ok || fail "deadlines with $*: $(cat checked)"
}
deadlines 3,3,0.5
deadlines 2,3,0.4 --until 200                    # f runs, with 40 s to go
deadlines 2,3,0.4 --warmup 1                       # a does not count
[ "$(column late deadline_s e)" = 135 ] && [ -z "$(column late deadline_s d)" ] && ok || fail "deadline_s of d and e"
sed 's/,deadline_s//; s/,[0-9]*$//' late.csv | sed 's/^\([a-g],[0-9]*,[0-9]*\)$/\1,1/' >free.csv
"$G" run -q -c one.yaml -t free.csv -o free && ! grep -q deadline free/*.csv && ok || fail "deadlines of jobs that have none"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
