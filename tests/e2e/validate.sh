#!/bin/sh
# validate.sh GPUYARD - a simulated run against the recorded one: its numbers against validate_numbers.py, its verdicts on logs
# whose truth is known, and what it refuses.
set -u
G=$(realpath "$1")
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/tests/support/checks.sh"
shared=$(realpath -m "${GPUYARD_SHARED:-$root/../shared}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
skipped=0
numbers() { # RECORDED SIMULATED
    "$G" validate "$1" "$2" --format json >told
    if python3 "$root/tests/e2e/validate_numbers.py" "$1" "$2" <told >wrong; then ok; else fail "$1 and $2: $(head -3 wrong)"; fi
}

# ---- A log that is the run of another policy: what a cluster under easy would have written
printf 'nodes: [ { group: n, count: 4, gpus: 8 } ]\n' >c.yaml
awk 'BEGIN { srand(3); print "job_id,submit_s,duration_s,gpus,estimate_s,queue"
    for (i = 0; i < 3000; i++) { d = int(60 + 4000 * rand() ^ 3)
        print "j" i "," int(t += 300 * rand()) "," d "," int(1 + 8 * rand() ^ 2) "," 2 * d "," substr("ab", 1 + i % 2, 1) } }' >t.csv
"$G" run -q -c c.yaml -t t.csv -p easy -o easy
awk -F, 'NR == FNR { if (FNR > 1) wait[$1] = $0; else for (i = 1; i <= NF; i++) at[$i] = i; next }
         FNR == 1 { print $0 ",recorded_wait_s"; next }
         { split(wait[$1], x, ","); print $0 "," x[at["first_wait_s"]] }' easy/jobs.csv t.csv >log.csv
for p in recorded easy sjf fifo; do "$G" run -q -c c.yaml -t log.csv -p $p -o of-$p; done
expect 0 "" "$G" validate of-recorded of-easy
holds out "the mean wait is the same"
holds out "it may stand for the cluster."
for p in easy sjf fifo; do numbers of-recorded of-$p; done
# A shifted record: each wait 10 s longer, so that ranks stay and the mean does not
sed '1!s/$/+/' log.csv | awk -F, -v OFS=, 'NR > 1 { $NF = $NF + 600 } 1' >shifted.csv
printf 'nodes: [ { group: n, count: 40, gpus: 8 } ]\n' >large.yaml
"$G" run -q -c large.yaml -t shifted.csv -p recorded -o later && "$G" run -q -c c.yaml -t shifted.csv -p easy -o sooner
expect 0 "" "$G" validate later sooner
holds out "compare policies with it"
# Waits of nobody: the record says that all waited alike
awk -F, -v OFS=, 'NR > 1 { $NF = (NR * 7919) % 3001 } 1' log.csv >lots.csv
"$G" run -q -c large.yaml -t lots.csv -p recorded -o drawn && "$G" run -q -c c.yaml -t lots.csv -p easy -o plain
expect 0 "" "$G" validate drawn plain
holds out "it does not follow"
numbers drawn plain
cp out first && "$G" validate drawn plain >out && same first out

# ---- The page: the verdict, its numbers and both curves of each run of the log, as `validate` and the result files have them
"$G" report of-recorded of-easy of-sjf -o page.html || fail "no page"
for p in easy sjf; do
    "$G" validate of-recorded of-$p --format json >told-$p
    python3 - page.html told-$p of-recorded of-$p $p >wrong <<'END' && ok || fail "the page, $p: $(cat wrong)"
import csv, html, json, re, sys
page, told, was, run, name = sys.argv[1:]
text, told = open(page).read(), json.load(open(told))
part = re.search(r'<section id="trust">.*?</section>', text, re.S).group(0)
part = next(p for p in part.split('<h3>') if re.match(name + r'[,<]', p))
def want(what, this):
    if not what: sys.exit(f'lacks {this}')
sentence = html.unescape(re.search(r'<p class="verdict">(.*?)</p>', part, re.S).group(1))
want(sentence == told['verdict'], told['verdict'])
def row(head, cells):
    cells = ''.join(f'<td>{c}</td>' for c in cells)
    want(f'<th scope="row">{head}</th>{cells}' in part, head + cells)
def bounded(x, by=1, unit=''):
    return [f"{by * x['value']:.3g}{unit}", f"{by * x['low']:.3g} to {by * x['high']:.3g}{unit}"]
row('change of the mean', bounded(told['change'], 100, ' %'))
row('agreement of ranks', bounded(told['rank_correlation']))
row('within 60 s or 10 %', bounded(told['near'], 100, ' %'))
row('distance of distributions', [f"{told['distance']:.3g}", ''])
want(f"Of {told['jobs']} jobs in {told['blocks']} blocks" in part, 'the jobs')
data = json.loads(re.search(r'id="data">(.*?)</script>', text, re.S).group(1))
figure = next(f for f in data['figures'] if f['id'] == 'trust')
lines = next(v for v in figure['variants'] if re.match(name + r'(,|$)', v['name']))['lines']
for line, run in zip(lines, (was, run)):      # each point: the share of jobs that waited at most so long
    waits = [float(r['first_wait_s']) for r in csv.DictReader(open(run + '/jobs.csv'))]
    x, y = ([v for e in line[k] for v in ([e[1]] * e[0] if isinstance(e, list) else [e])] for k in 'xy')
    want(len(x) > 50 and y[-1] == 100, 'a curve of ' + run)
    for a, b in zip(x, y):
        share = 100 * sum(w <= a * 1.00005 + 1e-9 for w in waits) / len(waits)
        want(abs(share - b) < .2, f'{share} % at {a} s in {run}, {b}')
END
done
"$G" report of-easy of-sjf -o without.html && if grep -q 'id="trust"' without.html; then fail "a record of nothing"; else ok; fi

# ---- Refused
expect 3 "gpuyard: of-easy: want a run by policy recorded first, got one by 'easy'" "$G" validate of-easy of-fifo
expect 3 "gpuyard: easy: want a run of the trace of of-recorded, got one of 't.csv'" "$G" validate of-recorded easy
expect 3 "gpuyard: nowhere: want the directory of a run, with its manifest.json" "$G" validate of-recorded nowhere
expect 2 "gpuyard: validate: want RECORDED SIMULATED, see 'gpuyard validate --help'" "$G" validate of-recorded

# ---- A public log
log=$shared/traces/swf/KTH-SP2-1996-2.1-cln.swf.zst
if [ -f "$log" ]; then
    printf 'nodes: [ { group: n, count: 100, gpus: 1 } ]\n' >kth.yaml
    for p in recorded easy; do "$G" run -q -c kth.yaml -t "$log" -p $p -o kth-$p; done
    expect 0 "" "$G" validate kth-recorded kth-easy
    holds out "Of 28467 jobs in 333 blocks of 24.0 h"
    numbers kth-recorded kth-easy
else
    echo "skipped: a public log: no $log"
    skipped=1
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
