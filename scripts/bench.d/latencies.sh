# How long single decisions take, at the 99th percentile.
# shellcheck disable=SC1091,SC2154    # common.sh, and what scripts/bench exports
. "$here/common.sh"
"$bench/reclaim" >"$work/figures"
read -r reclaims _ p99_ms _ <"$work/figures"
judge "$reclaims reclaims, 4000 nodes, 10000 waiting, p99: ms" "$p99_ms" '<' 5
"$bench/topology" >"$work/figures"
p99_us=$(awk '$4 > most { most = $4 } END { print most }' "$work/figures")
judge "a gang by topology, 4096 nodes in 3 levels, worst p99: us" "$p99_us" '<' 1000
"$bench/gangs" >"$work/figures"
read -r gangs _ p99_us _ <"$work/figures"
judge "$gangs gangs admitted with a place in a run, p99: us" "$p99_us" '<' 1000
finish
