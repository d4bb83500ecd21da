# Pods a second that placer fgd places or refuses (reproduction 4).
# shellcheck disable=SC1091,SC2154    # common.sh, and what scripts/bench exports
. "$here/common.sh"
nodes=$shared/traces/alibaba-openb-v2023/openb_node_list_gpu_node.csv
pods=$shared/traces/alibaba-openb-v2023/openb_pod_list_default.csv.zst
if [ ! -f "$nodes" ] || [ ! -f "$pods" ]; then
    skipped "reproduction 4, packing of pods: no $pods"
    finish
fi
"$bench/packing" "$nodes" "$pods" fgd 20 "$times" >"$work/figures"
read -r packed packed_s <"$work/figures"
judge "reproduction 4, fgd, 20 seeds, reading excluded: pods/s" "$(rate "$packed" "$packed_s")" '>=' 150000
finish
