#!/bin/sh
# gpu_types.sh GPUYARD - jobs whose groups of tasks ask for different GPU types: under every policy and placer each task is on a
# GPU of its type, and all tasks of a gang start together.
set -u
LC_ALL=C
export LC_ALL
G=${1:?usage: gpu_types.sh PATH-TO-GPUYARD}
case $G in /*) ;; *) G=$PWD/$G ;; esac
root=$PWD
work=$(mktemp -d "${TMPDIR:-/tmp}/gpuyard-gpu-types.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
. "$root/tests/support/checks.sh"
cat >c.yaml <<'YAML'
nodes: [ { group: v, count: 4, gpus: 4, gpu_model: V100 }, { group: a, count: 3, gpus: 8, gpu_model: A100 }, { group: h, count: 1, gpus: 8, gpu_model: H100 } ]
queues: [ { name: p, deserved_gpus: 24 }, { name: q, deserved_gpus: 24 } ]
preemption: { checkpoint: perfect }
YAML
# Slurm plans each component on nodes of its own: at most four, of at most three nodes.
sed 's/count: [0-9]*/count: 12/g' c.yaml >wide.yaml
# Two to four groups of each job, of 1 to 3 tasks with 1, 2 or 4 GPUs of a type; estimates and priorities for policies that read
# them. Groups are placed one after the other: all fit on the empty cluster in any order.
awk 'BEGIN { srand(11); print "job_id,submit_s,duration_s,gpus,tasks,group,gpu_type,queue,priority,estimate_s"; n = split("V100 A100 H100", type, " ")
    for (j = 0; j < 120; j++) { t += int(rand() * 400); d = 60 + int(rand() * 3000); g = 2 + int(rand() * 3); q = rand() < .5 ? "p" : "q"; y = int(rand() * 3)
        for (k = 0; k < g; k++) { m = 1 + int(rand() * 3); e = 2 ^ int(rand() * 3); i = 1 + int(rand() * (n + 1))
            if (i != 2 || e == 4) m = 1
            if (i == 3 && e > 2) e = 2
            print "j" j "," t "," d "," m * e "," m ",g" k "," (i > n ? "" : type[i]) "," q "," y "," d } } }' >t.csv
cat >check.py <<'PY'
import csv, sys
want, got, starts = {}, 0, {}
for row in csv.DictReader(open("t.csv")):
    tasks = want.setdefault(row["job_id"], [])
    tasks += [row["gpu_type"]] * int(row["tasks"])
a, h = (12, 24) if sys.argv[2] == "slurm" else (4, 7)
model = lambda node: "V100" if node < a else "A100" if node < h else "H100"
for row in csv.DictReader(open(sys.argv[1] + "/intervals.csv")):
    type = want[row["job_id"]][int(row["task"])]
    got += 1
    if type and model(int(row["node"])) not in type.split("|"):
        sys.exit("%s task %s wants %s, is on node %s" % (row["job_id"], row["task"], type, row["node"]))
    starts.setdefault(row["job_id"], {}).setdefault(row["start_s"], set()).add(row["task"])
for job, at in starts.items():
    for start, tasks in at.items():
        if len(tasks) != len(want[job]) and sys.argv[2] != "quota":
            sys.exit("%s starts %d of %d tasks at %s" % (job, len(tasks), len(want[job]), start))
ended = [r for r in csv.DictReader(open(sys.argv[1] + "/jobs.csv")) if r["state"] == "completed"]
if got < 100 or len(ended) != len(want):
    sys.exit("%d pieces, %d of %d jobs completed" % (got, len(ended), len(want)))
types = {r["job_id"]: r["gpu_type"] for r in ended}
for job, tasks in want.items():
    if types[job] != ("" if set(tasks) == {""} else "+".join(dict.fromkeys(t or "any" for t in tasks))):
        sys.exit("%s: gpu_type is %s" % (job, types[job]))
PY
head -1 t.csv >/dev/null
for run in "fifo" "srtf" "las" "preemptive" "quota" "drf" "easy" "conservative" "multifactor" "fair-tree" "cohort" "themis" "priority" "slurm" \
    "fifo --placement first-fit" "fifo --placement best-fit" "fifo --placement spread" "fifo --placement rack"; do
    cluster=c.yaml
    [ "$run" = slurm ] && cluster=wide.yaml
    "$G" run -q -c $cluster -t t.csv -p $run -o out.d >out 2>err || { fail "$run: $(cat err)"; continue; }
    python3 check.py out.d "$run" >wrong 2>&1 && ok || fail "$run: $(cat wrong)"
    "$root/scripts/check_schedule" out.d >checked 2>&1 && ok || fail "$run: $(cat checked)"
done
# On the small cluster `slurm` refuses the jobs that no choice of nodes fits, each component on nodes of its own, and no others.
cat >never.py <<'PY'
import csv
from itertools import combinations
model, gpus, parts = ["V100"] * 4 + ["A100"] * 3 + ["H100"], {"V100": 4, "A100": 8, "H100": 8}, {}
for row in csv.DictReader(open("t.csv")):
    tasks = int(row["tasks"])
    parts.setdefault(row["job_id"], []).append((tasks, int(row["gpus"]) // tasks, row["gpu_type"]))
def fits(left, free):
    if not left:
        return True
    tasks, each, type = left[0]
    holds = {n: gpus[model[n]] // each for n in free if type in ("", model[n])}
    return any(sum(holds[n] for n in nodes) >= tasks and fits(left[1:], free - set(nodes))
               for k in range(1, tasks + 1) for nodes in combinations(holds, k))
state = {r["job_id"]: r["state"] for r in csv.DictReader(open("small.d/jobs.csv"))}
never = [j for j in parts if not fits(parts[j], frozenset(range(8)))]
assert 0 < len(never) < len(parts)
for j in parts:
    assert state[j] == ("rejected" if j in never else "completed"), (j, state[j], parts[j])
PY
"$G" run -q -c c.yaml -t t.csv -p slurm -o small.d >out 2>err && python3 never.py >wrong 2>&1 && ok ||
    fail "slurm, small: $(cat err; tail -1 wrong)"
# What is written is what was read; how much each type is asked for
"$G" convert t.csv -o again.csv -q >out 2>err
check "convert" $?
"$G" convert again.csv -o third.csv -q >out 2>err
same again.csv third.csv
[ "$(tail -n +2 t.csv | wc -l)" -eq "$(tail -n +2 again.csv | wc -l)" ] && ok || fail "rows are lost"
"$G" check -c c.yaml t.csv --format json >checked.json 2>err
python3 - <<'PY' >wrong 2>&1
import csv, json
jobs = {}
for row in csv.DictReader(open("t.csv")):
    jobs.setdefault(row["job_id"], set()).add(row["gpu_type"])
several = sum(len(types) > 1 for types in jobs.values())
def find(x):
    if isinstance(x, dict):
        if x.get("gpu_type") == "several":
            yield x["jobs"]
        x = list(x.values())
    if isinstance(x, list):
        for y in x:
            yield from find(y)
got = list(find(json.load(open("checked.json"))))
assert several > 20 and got == [several], (several, got)
PY
[ -s wrong ] && fail "check: $(tail -1 wrong)" || ok
# A type of one group that the cluster has not: the job can never run
printf 'job_id,submit_s,duration_s,gpus,group,gpu_type,queue\na,0,10,1,x,V100,p\na,0,10,1,y,T4,p\nb,0,10,1,x,V100,p\nb,0,10,1,y,A100,p\n' >never.csv
"$G" run -q -c c.yaml -t never.csv -o out.d >out 2>err
[ "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { printf "%s ", $at["state"] }' out.d/jobs.csv)" = "rejected completed " ] && ok ||
    fail "a type that is not there: $(cat err)"
printf 'job_id,submit_s,duration_s,gpus,group,gpu_type\na,0,10,1,x,V100\na,0,10,1,y,A||B\n' >bad.csv
expect 3 "gpuyard: bad.csv:3: gpu_type: want names with '|' between them, got 'A||B'" "$G" check bad.csv
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
