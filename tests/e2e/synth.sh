#!/bin/sh
# synth.sh GPUYARD - workload files from the command line: gpuyard synth, fit, and run without a trace between.
set -u
LC_ALL=C
export LC_ALL
G=${1:?usage: synth.sh PATH-TO-GPUYARD}
case $G in /*) ;; *) G=$PWD/$G ;; esac
root=$PWD
GPUYARD_SCRIPTS=$root/scripts
export GPUYARD_SCRIPTS
work=$(mktemp -d "${TMPDIR:-/tmp}/gpuyard-synth.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
. "$root/tests/support/checks.sh"
cp "$root/traces/samples/small_lab.yaml" "$root/traces/samples/four_teams.yaml" .
cat >w.yaml <<'YAML'
workload: w
jobs: 1000
arrivals: { rate_per_h: 60 }
gpus: { 1: 0.7, 2: 0.2, 8: 0.1 }
durations: { law: lognormal, mean_s: 600, median_s: 120 }
YAML
printf 'workload: w\narrivals: { rate_per_h: x }\n' >broken.yaml

# ---- What is said ----
expect 2 "gpuyard: synth: want either a workload file or --preset" "$G" synth
expect 2 "gpuyard: synth: want either a workload file or --preset" "$G" synth --preset philly w.yaml
expect 2 "gpuyard: synth: no preset 'phily', did you mean 'philly'?" "$G" synth --preset phily
expect 2 "gpuyard: synth: no preset 'xyz', see 'gpuyard list workloads'" "$G" synth --preset xyz
expect 3 "gpuyard: broken.yaml:2:25: rate_per_h: want a number above 0 up to 1000000000, got 'x'" "$G" synth broken.yaml -o bad.csv
expect 3 "gpuyard: none.yaml: cannot open: No such file or directory" "$G" synth none.yaml -o bad.csv
expect 3 "gpuyard: small_lab.yaml: load: want 'gpus' that it is of, or a cluster with more than 0" "$G" synth small_lab.yaml -o bad.csv
expect 3 "gpuyard: w.yaml: synth: jobs: want a whole number from 1 to 100000000, got '0'" "$G" run -q -c four_teams.yaml -t w.yaml:synth:jobs=0 -o bad
expect 2 "gpuyard: format synth: no option 'sed': want one of seed, jobs, gpus" "$G" run -q -c four_teams.yaml -t w.yaml:synth:sed=1 -o bad
{ cat w.yaml && printf 'models: { ' && seq -s ': 1, ' 10001 | tr -d '\n' && echo ': 1 }'; } >many.yaml
expect 3 "gpuyard: many.yaml:6:9: models: want at most 10000, got 10001" "$G" synth many.yaml -o bad.csv
if [ -e bad.csv ] || [ -e bad ]; then fail "a refused call left something"; else ok; fi
expect 1 "gpuyard: nowhere/a.csv: cannot create: No such file or directory" "$G" synth w.yaml -q -o nowhere/a.csv
expect 0 "" "$G" synth w.yaml -q -o a.csv
says a.csv 'job_id,submit_s,duration_s,gpus,user,queue'
"$G" synth w.yaml -o b.csv 2>said
holds said 'gpuyard: w: 1000 jobs in 0.'
holds said ' days, 60 arrivals/h of 1 job each; drawn '
"$G" synth w.yaml -c four_teams.yaml --load 0.5 -o loaded.csv 2>said
holds said 'load of 64 GPUs: 0.5 expected, 0.'
expect 0 "" "$G" list workloads
mv out presets
for p in philly philly-mix helios-venus helios-earth helios-saturn helios-uranus pai seren kalos openb; do
    holds presets "$p "
    expect 0 "" "$G" synth --preset $p --dump-config -o $p.yaml
    expect 0 "" "$G" synth $p.yaml --dump-config
    same out $p.yaml
done

# ---- The same bytes, and those of fewer first ----
same a.csv b.csv
expect 0 "" "$G" synth w.yaml -q --seed 2 -o other.csv
cmp -s a.csv other.csv && fail "another seed gave the same jobs" || ok
expect 0 "" "$G" synth w.yaml -q --jobs 100 -o few.csv
head -n 101 a.csv >first.csv
same first.csv few.csv
expect 0 "" "$G" synth w.yaml -q
same out a.csv
expect 0 "" "$G" synth - -q <w.yaml
same out a.csv
gzip -k w.yaml && expect 0 "" "$G" synth w.yaml.gz -q && same out a.csv
expect 0 "" "$G" convert w.yaml
same out a.csv
mkfifo pipe && { cat pipe >piped.csv & }
expect 0 "" "$G" synth w.yaml -q -o pipe
wait
same a.csv piped.csv
[ -p pipe ] && ok || fail "what -o named was replaced by a file"

# ---- Run times from a file, found beside the workload file ----
mkdir inputs && printf 'runtime,x\n10,1\n20.5,2\n' >inputs/times.csv && printf '10\n20.5\n' >inputs/bare.txt
for from in 'file: times.csv, column: runtime' 'file: bare.txt' 'values_s: [10, 20.5]'; do
    sed "s/law: lognormal.*}/law: empirical, $from }/; s/gpus: .*/gpus: { 1: 1 }/" w.yaml >inputs/w.yaml
    expect 0 "" "$G" synth inputs/w.yaml -q -o times.csv
    [ "$(sed 1d times.csv | cut -d, -f3 | sort -u | tr '\n' ' ')" = "10 20.5 " ] && ok || fail "$from: other values"
done
sed -i 's/values_s: .* }/file: times.csv, column: runtme }/' inputs/w.yaml
expect 3 "gpuyard: inputs/times.csv:1: want a column 'runtme'" "$G" synth inputs/w.yaml -q -o bad.csv

# ---- Run without a trace between: as with one, and the same jobs whatever the policy ----
drawn() { sed -n 's/.*"drawn": "\(.*\)".*/\1/p' "$1/manifest.json"; }
expect 0 "" "$G" synth small_lab.yaml -q -c four_teams.yaml --seed 3 -o lab.csv
expect 0 "" "$G" run -q -c four_teams.yaml -t lab.csv --seed 3 -o by-trace
expect 0 "" "$G" run -q -c four_teams.yaml -t small_lab.yaml --seed 3 -o by-laws
for f in jobs intervals timeseries summary queues; do same by-trace/$f.csv by-laws/$f.csv; done
expect 0 "" "$G" run -q -c four_teams.yaml -t small_lab.yaml --seed 3 -p srsf -o srsf
expect 0 "" "$G" run -q -c four_teams.yaml -t small_lab.yaml:synth:seed=3 --seed 4 -o option
expect 0 "" "$G" run -q -c four_teams.yaml -t small_lab.yaml --seed 4 -o other
[ -n "$(drawn by-laws)" ] && [ "$(drawn by-laws)" = "$(drawn srsf)" ] && ok || fail "two policies met other jobs"
[ "$(drawn by-laws)" = "$(drawn option)" ] && ok || fail "synth:seed= is not the seed"
[ "$(drawn by-laws)" != "$(drawn other)" ] && ok || fail "another seed drew the same"
[ -z "$(drawn by-trace)" ] && ok || fail "a trace has drawn nothing"
expect 0 "" "$G" check w.yaml
holds out synth
expect 0 "" "$G" check -c four_teams.yaml small_lab.yaml

# ---- Fit ----
expect 2 "gpuyard: fit: --output: want FILE" "$G" fit a.csv
expect 2 "gpuyard: fit: --plot: want a file that ends in .png, .svg or .pdf, got 'x.gif'" "$G" fit a.csv -o f.yaml --plot x.gif
expect 3 "gpuyard: none.csv: cannot open: No such file or directory" "$G" fit none.csv -o f.yaml
head -n 20 a.csv >short.csv
expect 3 "gpuyard: short.csv: want at least 20 jobs to fit laws to, got 19" "$G" fit short.csv -o f.yaml
[ -e f.yaml ] && fail "a refused fit left something" || ok
expect 0 "" "$G" fit a.csv -o f.yaml
holds out 'law of run times'
holds out 'synthetic'
expect 0 "" "$G" synth f.yaml -q -o again.csv
[ "$(wc -l <again.csv)" = 1001 ] && ok || fail "the fitted file does not give as many jobs"
expect 0 "" "$G" fit a.csv -q -o -
same out f.yaml
"$G" fit a.csv -o - 2>report >yaml
same yaml f.yaml
holds report 'training: 1000 jobs'
expect 0 "" "$G" fit a.csv -o g.yaml --law gamma --format json
python3 -c 'import json; r = json.load(open("out")); assert [l["law"] for l in r["classes"][0]["laws"] if l["chosen"]] == ["gamma"]' && ok || fail "fit --format json"
if command -v gnuplot >plotter; then
    expect 0 "" "$G" fit a.csv -q -o f.yaml --plot f.svg
    expect 0 "" "$G" fit a.csv -q -o f.yaml --plot g.svg
    same f.svg g.svg
    grep -q '<svg' f.svg && ok || fail "no plot"
else
    echo "skipped: plots of fit: no gnuplot here"
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
