# Two months of Philly (reproduction 1), and what physical models add to its plain replay.
# shellcheck disable=SC1091,SC2154    # common.sh, and what scripts/bench exports
. "$here/common.sh"
trace=$shared/traces/reproductions/philly_oct_nov.csv.zst
if [ ! -f "$trace" ]; then
    skipped "reproduction 1, policies and models on Philly: no $trace"
    finish
fi
rows=68503
replay full tests/reproductions/philly_full.yaml "$trace" -p fifo:scope=queue --placement consolidate
floor_of floor tests/reproductions/philly_full.yaml "$trace"
in_turn "$times" full floor
judge "reproduction 1, full, FIFO: jobs/s" "$(rate $rows "$(took full)")" '>=' 250000
judge "  time, to the floor" "$(ratio "$(took full)" "$(took floor)")" '<=' 3
for policy in srtf las; do
    replay $policy tests/reproductions/philly_quarter.yaml "$trace" -p $policy --placement consolidate \
        --set preemption.checkpoint=perfect
done
replay quota traces/samples/philly_teams.yaml "$trace" -p quota
in_turn "$times" srtf las quota
for policy in srtf las quota; do
    judge "reproduction 1, quarter, $policy: jobs/s" "$(rate $rows "$(took $policy)")" '>=' 50000
done

# What jobs train is not told: one of six models each, half of which exchange much.
"$gpuyard" convert "$trace:helios-sim" -o "$work/plain.csv"
awk -F, 'BEGIN { split("VGG-16 ResNet-50 BERT-large Inception-v3 LM GPT-2-XL", model, " ") }
    { print $0 "," (NR == 1 ? "model" : model[NR % 6 + 1]) }' "$work/plain.csv" >"$work/trained.csv"
echo 'nodes: [ { group: node, type: dgx1-v100, count: 96, nodes_per_rack: 8, racks_per_pod: 12, nics: 1 } ]' >"$work/racks.yaml"
against_plain() { # TITLE BOUND SECTION...: the same jobs with these sections of the cluster file, and without
    title=$1 bound=$2
    shift 2
    cp "$work/racks.yaml" "$work/world.yaml"
    printf '%s\n' "$@" >>"$work/world.yaml"
    replay modelled "$work/world.yaml" "$work/trained.csv" -p fifo:blocking=skip
    replay bare "$work/racks.yaml" "$work/trained.csv" -p fifo:blocking=skip
    in_turn "$times" modelled bare
    judge "Philly $title: to the plain replay" "$(ratio "$(took modelled)" "$(took bare)")" '<=' "$bound"
}
against_plain 'with rates from placement' 3 'progress: {}' 'fabric: { leaf_oversubscription: 4 }'
against_plain 'with shared links' 10 'progress: {}' 'fabric: { leaf_oversubscription: 4, contention: maxmin }'
against_plain 'with all models' 3 'progress: {}' 'fabric: { leaf_oversubscription: 4 }' 'storage: {}' 'sharing: { mode: mps }' \
    'failures: {}' 'power: {}' 'prices: {}' \
    'preemption: { checkpoint: periodic, interval_s: 3600, checkpoint_gib: model, grace_s: 30, start_s: 30, restart_s: 60 }'
against_plain 'with slow faults, spares, clocks, too' 4 'progress: {}' 'fabric: { leaf_oversubscription: 4 }' 'storage: {}' \
    'sharing: { mode: mps }' 'failures: { rate: llama-3, slow: {}, spares: { node: 2 } }' \
    'power: { cap_w: 250000, cap_by: clocks }' 'prices: { idle: by-use }' \
    'preemption: { checkpoint: periodic, interval_s: 3600, checkpoint_gib: model, grace_s: 30, start_s: 30, restart_s: 60 }'
finish
