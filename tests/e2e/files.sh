#!/bin/sh
# files.sh PATH-TO-GPUYARD - which files a command may replace or remove: never an input, files of others only with
# --force, and in the default directory no results of another experiment.
set -u
LC_ALL=C
export LC_ALL
G=${1:?usage: files.sh PATH-TO-GPUYARD}
case $G in /*) ;; *) G=$PWD/$G ;; esac
root=$PWD
work=$(mktemp -d "${TMPDIR:-/tmp}/gpuyard-files.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
. "$root/tests/support/checks.sh"

cat >my.yaml <<'YAML'
name: tiny
nodes:
  - { group: a, count: 1, gpus: 8 }
YAML
printf 'job_id,submit_s,duration_s,gpus\na,0,100,8\nb,10,50,4\n' >jobs.csv
for f in events nodes sessions; do printf 'not of gpuyard\n' >$f.csv; done
mkdir before && cp my.yaml ./*.csv before

# kept WHAT: all files of the user are as before, and there are no others.
kept()
{
    for f in before/*.*; do same "$f" "${f##*/}"; done
    [ ! -e manifest.json ] && [ -z "$(ls -A | grep -i partial)" ] && ok || fail "$1: left something"
}

# ---- Inputs, under any name ----
input="it is an input of this run: want --output with another directory"
expect 2 "gpuyard: ./jobs.csv: $input" "$G" run -q -c my.yaml -t jobs.csv -o .
kept "a trace in the directory"
expect 2 "gpuyard: ./jobs.csv: $input" "$G" run -q -c my.yaml -t jobs.csv -o . --outputs summary
kept "a trace that would be removed"
expect 2 "gpuyard: ./jobs.csv: $input" "$G" run -q -c my.yaml -t "$PWD/jobs.csv" -o . --force
kept "a trace, with --force"
mkdir links && ln -s ../jobs.csv links/nodes.csv && ln jobs.csv links/events.csv
expect 2 "gpuyard: links/nodes.csv: $input" "$G" run -q -c my.yaml -t jobs.csv -o links --force
rm links/nodes.csv
expect 2 "gpuyard: links/events.csv: $input" "$G" run -q -c my.yaml -t jobs.csv -o links --force
kept "links to a trace"
input="it is an input of this command: want another output"
expect 1 "gpuyard: ./jobs.csv: $input" "$G" convert -q jobs.csv -o jobs.csv
kept "convert"
cat >law.yaml <<'YAML'
workload: w
jobs: 5
arrivals: { rate_per_h: 60 }
gpus: { 1: 1 }
durations: { law: lognormal, mean_s: 60, median_s: 20 }
YAML
cp law.yaml before
expect 1 "gpuyard: ./law.yaml: $input" "$G" synth -q law.yaml -o law.yaml
kept "synth"

# ---- Files of others ----
foreign="it is not of gpuyard, as the directory has no manifest of a run: want --output with another directory, or"
mkdir theirs && echo mine >theirs/jobs.csv && cp theirs/jobs.csv mine
for outputs in default summary; do
    expect 2 "gpuyard: theirs/jobs.csv: $foreign --force to replace or remove it" \
        "$G" run -q -c my.yaml -t jobs.csv -o theirs --outputs $outputs
    same theirs/jobs.csv mine
done
expect 0 "" "$G" run -q -c my.yaml -t jobs.csv -o theirs --force
[ -f theirs/manifest.json ] && ok || fail "--force: no results"
expect 0 "" "$G" run -q -c my.yaml -t jobs.csv -o theirs --outputs summary --load 2
[ ! -e theirs/jobs.csv ] && ok || fail "a file of an earlier run was not removed"
echo '{"program": "other"}' >theirs/manifest.json
expect 2 "gpuyard: theirs/summary.csv: $foreign --force to replace or remove it" "$G" run -q -c my.yaml -t jobs.csv -o theirs
mkdir beside && echo text >beside/notes.txt
expect 0 "" "$G" run -q -c my.yaml -t jobs.csv -o beside
[ -f beside/notes.txt ] && [ -f beside/jobs.csv ] && ok || fail "a directory with other files"

# ---- Files of a run are inputs of what reads them ----
cp -R beside run && cp -R beside as_it_was
input="it is an input of this command: want another output"
for f in jobs.csv queues.csv summary.json manifest.json; do
    expect 1 "gpuyard: run/$f: $input" "$G" export --to openmetrics run -o run/$f
    expect 1 "gpuyard: run/$f: $input" "$G" report run -o run/$f
    expect 1 "gpuyard: run/$f: $input" "$G" plot --kind utilisation --format csv run -o run/$f
done
diff -r run as_it_was >/dev/null && ok || fail "a file of a run was replaced"

# ---- The default directory ----
cp jobs.csv other.csv
run() { "$G" run -q -c my.yaml "$@"; }
expect 0 "" run -t jobs.csv
sum=$(cksum results/fifo-pack/jobs.csv)
another="results/fifo-pack: it has the results of another experiment"
want="want --output with another directory, or --force to replace them"
expect 2 "gpuyard: $another (in trace: 'file: \"jobs.csv\"', now 'file: \"other.csv\"'): $want" run -t other.csv
expect 2 "gpuyard: $another (in trace: 'load: 1', now 'load: 2'): $want" run -t jobs.csv --load 2
expect 2 "gpuyard: $another ('seed: 1', now 'seed: 2'): $want" run -t jobs.csv --seed 2
expect 2 "gpuyard: $another (in cluster: now with 'given: \"nodes.a.count=2\"'): $want" run -t jobs.csv --set nodes.a.count=2
expect 2 "gpuyard: $another (now with 'warmup_jobs: 1'): $want" run -t jobs.csv --warmup 1
[ "$sum" = "$(cksum results/fifo-pack/jobs.csv)" ] && ok || fail "results of another experiment were replaced"
expect 0 "" run -t jobs.csv
expect 0 "" run -t jobs.csv --outputs summary
expect 0 "" run -t other.csv --load 2 --force
expect 0 "" run -t jobs.csv -o results/fifo-pack

# ---- Sweeps ----
cat >e.yaml <<'YAML'
name: e
clusters: [my.yaml]
traces: [jobs.csv]
policies: [fifo]
seeds: [1]
YAML
"$G" sweep -q e.yaml -o s1 >out 2>err || fail "sweep: $(cat err)"
mkdir s2 && echo mine >s2/sweep.csv
theirs="it is not of gpuyard, as the directory has no sweep.json of a sweep: want --output with another directory, or"
expect 2 "gpuyard: s2/sweep.csv: $theirs --force to replace it" "$G" sweep -q e.yaml -o s2
expect 3 "gpuyard: merge: s2/sweep.csv: $theirs --force to replace it" "$G" merge -q s1 -o s2
[ "$(cat s2/sweep.csv)" = mine ] && ok || fail "sweep.csv of a user was replaced"
expect 0 "" "$G" merge -q --force s1 -o s2
same s1/sweep.csv s2/sweep.csv
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
