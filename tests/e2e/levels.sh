#!/bin/sh
# levels.sh GPUYARD - a cluster with levels of its own above the node, from files to results: what a
# job may ask for by name, what the results call it, and what is said of a name that there is not.
set -u
. "$(dirname "$0")/../support/in_folder.sh"
is() { # WHAT WANT GOT
    [ "$2" = "$3" ] && ok || fail "$1: want '$2', got '$3'"
}

# Sixteen nodes of one GPU: leaves of 2, spines of 2 leaves, zones of 2 spines.
cat >c.yaml <<'END'
name: halls
nodes: [ { group: a, count: 16, gpus: 1, levels: { leaf: 2, spine: 2, zone: 2 } } ]
END
# Of one node; a leaf; a spine: three of four; a zone: node 7 is left in the first, so 8 to 12; all that is left.
cat >t.csv <<'END'
job_id,submit_s,duration_s,gpus,tasks,topology
one,0,10,1,1,
two,0,10,2,2,required:leaf
three,0,10,3,3,preferred:leaf
five,0,10,5,5,required:zone
rest,0,10,5,5,preferred:zone
END
"$G" run -c c.yaml -t t.csv -p fifo -o r -q >out 2>&1 || fail "run: $(cat out)"
column() { # FILE NAME: the cells of that column, in one line
    awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i } NR > 1 { printf "%s%s", s, $c; s = " " }' "$1"
}
is "level" "gpu leaf spine zone cluster" "$(column r/jobs.csv level)"
is "start_s" "0 0 0 0 0" "$(column r/jobs.csv start_s)"
is "nodes of a zone" "8 9 10 11 12" "$(awk -F, '$1 == "five" { printf "%s%s", s, $3; s = " " }' r/intervals.csv)"
is "racks" "0 0 1 1 2 2 3 3 4 4 5 5 6 6 7 7" "$(column r/nodes.csv rack)"
is "pods" "0 0 0 0 1 1 1 1 2 2 2 2 3 3 3 3" "$(column r/nodes.csv pod)"
is "zones" "0 0 0 0 0 0 0 0 1 1 1 1 1 1 1 1" "$(column r/nodes.csv level_zone)"
is "check" "2" "$("$G" check c.yaml --format json | sed -n 's/^ *"zone": \([0-9]*\),*$/\1/p')"

# Two levels by other names: no further column.
sed 's/, zone: 2//' c.yaml >two.yaml
"$G" run -c two.yaml -t t.csv -p fifo -o two -q >out 2>&1
is "a level that only another cluster has" "gpuyard: t.csv:5: want a level of cluster halls: island, numa, node, leaf (rack), spine (pod), cluster; got 'zone'" \
    "$(cat out)"
sed 's/zone/spine/' t.csv | grep -v five >t2.csv
"$G" run -c two.yaml -t t2.csv -p fifo -o two -q >out 2>&1 || fail "run: $(cat out)"
is "columns" "" "$(head -1 two/nodes.csv | tr ',' '\n' | grep level_)"

# The leaf switch of nodes 2 and 3 fails at 5 s: job two is hit and goes on in the next leaf that is free, when it is.
{ cat c.yaml && echo 'failures: { faults: [ { group: a, node: 2, cause: switch, at_s: 5, repair_s: 100, detection_s: 0 } ] }'; } >faulty.yaml
"$G" run -c faulty.yaml -t t.csv -p fifo -o faulty -q >out 2>&1 || fail "run: $(cat out)"
is "hit by the switch of a leaf" "two:2 two:3" "$(awk -F, '$9 == "fault" { printf "%s%s:%s", s, $1, $3; s = " " }' faulty/intervals.csv)"
is "its next places" "0:10 1:10" "$(awk -F, '$1 == "two" && $9 == "done" { printf "%s%s:%s", s, $3, $7; s = " " }' faulty/intervals.csv)"

# A snapshot of a run has the names, and goes on to the same end.
"$G" run -c c.yaml -t t.csv -p fifo -o early -q --snapshot 5 >out 2>&1 || fail "snapshot: $(cat out)"
grep -q 'required:zone' early/snapshot.csv && ok || fail "no zone in the snapshot: $(cat early/snapshot.csv)"
"$G" run -c c.yaml -t early/snapshot.csv -p fifo -o late -q >out 2>&1 || fail "run of the snapshot: $(cat out)"
is "level of the rest" "gpu leaf spine zone cluster" "$(column late/jobs.csv level)"
# So has a trace that is only converted.
"$G" convert t.csv -o converted.csv >out 2>&1 || fail "convert: $(cat out)"
is "converted" "$(cut -d, -f6 t.csv)" "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "topology") c = i } { print $c }' converted.csv)"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
