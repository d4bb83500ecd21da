#!/bin/sh
# cli.sh PATH-TO-GPUYARD - the command line: exit status, exact messages, what is written and what is not.
set -u
unset COLUMNS NO_COLOR GPUYARD_SCRIPTS
LC_ALL=C
export LC_ALL
G=${1:?usage: cli.sh PATH-TO-GPUYARD}
case $G in /*) ;; *) G=$PWD/$G ;; esac
root=$PWD
work=$(mktemp -d "${TMPDIR:-/tmp}/gpuyard-cli.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
. "$root/tests/support/checks.sh"

# wrong STATUS MESSAGE ARGUMENTS-OF-RUN...: one line on stderr, nothing on stdout, no directory.
wrong()
{
    s=$1 m=$2
    shift 2
    expect "$s" "gpuyard: $m" "$G" run -o bad "$@"
    if [ -s out ] || [ -e bad ] || [ -e results ]; then fail "run $*: wrote something"; rm -rf bad results; else ok; fi
}

# Two queues on one node of eight GPUs. By hand, first in first out: a 0-100, b waits for a: 100-150, c with b: 100-120;
# so 1080 of 1200 GPU-seconds, and arrivals and ends at six times.
cat >c.yaml <<'YAML'
name: tiny
nodes:
  - { group: a, count: 1, gpus: 8 }
YAML
cat >t.csv <<'CSV'
job_id,submit_s,duration_s,gpus,queue
a,0,100,8,red
b,10,50,4,blue
c,20,20,4,red
CSV
printf 'job_id,submit_s,duration_s,gpus\na,0,100,8\nb,10,x,4\n' >broken.csv
gzip -k t.csv

# ---- The program ----
expect 2 "gpuyard: want a command, see 'gpuyard --help'" "$G"
expect 2 "gpuyard: no such command 'sweeeeep', see 'gpuyard --help'" "$G" sweeeeep
expect 2 "gpuyard: no such command 'lst', did you mean 'list'?" "$G" lst
expect 2 "gpuyard: no such option '--hepl', did you mean '--help'?" "$G" --hepl
expect 0 "" "$G" --help
says out 'usage: gpuyard COMMAND [OPTION]...'
for c in run list plot help; do
    expect 0 "" "$G" $c --help
    awk 'length($0) > 80 { exit 1 }' out && ok || fail "$c --help: a line over 80 columns"
done
COLUMNS=40 "$G" plot --help | awk 'length($0) > 40 { exit 1 }' && ok || fail "plot --help: a line over 40 columns"
expect 0 "" "$G" help run
cp out one && expect 0 "" "$G" run --help && same one out
expect 2 "gpuyard: no such command 'lst', did you mean 'list'?" "$G" help lst
expect 0 "" "$G" --version
for word in gpuyard commit compiler libraries schema; do holds out "$word "; done
for library in gsl libfyaml jansson zlib zstd libcrypto; do holds out "$library "; done
expect 0 "" "$G" help --man
says out '.TH GPUYARD 1 "" "gpuyard '"$("$G" --version | sed -n '1s/gpuyard //p')"'" "User Commands"'
if command -v groff >/dev/null; then
    groff -man -Tascii -ww -z out 2>err; [ -s err ] && fail "man page: $(head -1 err)" || ok
fi
expect 0 "" "$G" help --completion bash
if command -v bash >/dev/null; then
    bash -n out && ok || fail "completion: syntax"
    got=$(bash -c '. ./out; COMP_WORDS=(gpuyard run --pol); COMP_CWORD=2; _gpuyard; echo "${COMPREPLY[*]}"')
    [ "$got" = --policy ] && ok || fail "completion: want --policy, got '$got'"
    got=$(bash -c '. ./out; COMP_WORDS=(gpuyard run --placement = sp); COMP_CWORD=4; _gpuyard; echo "${COMPREPLY[*]}"')
    [ "$got" = spread ] && ok || fail "completion: want spread, got '$got'"
fi
expect 2 "gpuyard: help: --completion: want bash, got 'fish'" "$G" help --completion fish

# ---- Wrong usage: status 2, and nothing is written ----
wrong 2 "run: --cluster: want CLUSTER"
wrong 2 "run: --trace: want TRACE[:FORMAT]" -c c.yaml
wrong 2 "run: no option '--polcy', did you mean '--policy'?" -c c.yaml -t t.csv --polcy fifo
wrong 2 "run: no option '--pol', see 'gpuyard run --help'" -c c.yaml -t t.csv --pol fifo
wrong 2 "run: --seed is given twice" -c c.yaml -t t.csv --seed 1 --seed 2
wrong 2 "run: --seed: want a whole number from 0 to 9223372036854775807, got '1.5'" -c c.yaml -t t.csv --seed 1.5
wrong 2 "run: takes no operand, got 'x'" -c c.yaml -t t.csv -- x
wrong 2 "no policy 'fio', did you mean 'fifo'?" -c c.yaml -t t.csv -p fio
wrong 2 "no policy 'lottery', see 'gpuyard list policies'" -c c.yaml -t t.csv -p lottery
wrong 2 "no placer 'pakc', did you mean 'pack'?" -c c.yaml -t t.csv --placement pakc
wrong 2 "policy fifo: no parameter 'bloking': want one of scope, blocking; did you mean 'blocking'?" \
    -c c.yaml -t t.csv -p fifo:bloking=skip
wrong 2 "policy fifo: blocking: want strict or skip, got 'yes'" -c c.yaml -t t.csv -p fifo:blocking=yes
wrong 2 "no format 'phily-csv', did you mean 'philly-csv'?" -c c.yaml -t t.csv:phily-csv
wrong 2 "no format 'excel', see 'gpuyard list formats'" -c c.yaml -t t.csv:excel
wrong 2 "run: want only one of --cluster and --trace from standard input" -c - -t -:native
wrong 2 "run: --outputs: no output 'job', did you mean 'jobs'?" -c c.yaml -t t.csv --outputs job
wrong 2 "run: --retime: want BATCH:SECONDS, jobs and the time between batches, got '0:5'" -c c.yaml -t t.csv --retime 0:5
wrong 2 "run: --estimates: want trace, perfect, uniform:F, lognormal:SIGMA, buckets, user-last2, group-quantile[:Q], or a factor from 0.001 to 1000, got 'unifrom:2'; did you mean 'uniform'?" \
    -c c.yaml -t t.csv --estimates unifrom:2
wrong 2 "run: --estimates: want uniform:F with F from 0 to 1000, got 'uniform'" -c c.yaml -t t.csv --estimates uniform
wrong 2 "run: --load: want a number above 0, at most 1000000, got '0'" -c c.yaml -t t.csv --load 0
wrong 2 "run: --stream: want a number above 0, at most 100000, got '0'" -c c.yaml -t t.csv --stream 0
wrong 2 "run: --stream: times do not matter, so want no --load, --retime or --estimates" -c c.yaml -t t.csv --stream 100 --load 2
wrong 3 "t.csv: a stream wants room for its first job" -c c.yaml -t t.csv --stream 1
wrong 2 "run: --set: preemption.grace: unknown key 'grace': want one of checkpoint, interval_s, save_s, grace_s, start_s, restart_s, checkpoint_s, checkpoint_gib, blocking, interval_law, node_mtbf_s, max_requeues, init_s, init_doubling_s" -c c.yaml -t t.csv --set preemption.grace=1
wrong 2 "run: --set: want KEY=VALUE, got 'period_s'" -c c.yaml -t t.csv --set period_s
wrong 2 "run: --set: period_s: want a number from 0 to 3153600000, got '-1'" -c c.yaml -t t.csv --set period_s=-1
wrong 2 "run: --set: period_s is given twice" -c c.yaml -t t.csv --set period_s=1 --set period_s=1
wrong 2 "run: --set: preemption.checkpoint: want one of none, perfect, periodic, got 'always'" \
    -c c.yaml -t t.csv --set preemption.checkpoint=always
wrong 2 "run: --set: preemption.checkpoint: checkpoint 'periodic' wants an 'interval_s'" \
    -c c.yaml -t t.csv --set preemption.checkpoint=periodic
wrong 2 "run: --set: nodes.0: want a key of this item, too" -c c.yaml -t t.csv --set nodes.0=3
wrong 2 "run: --set: nodes.b.count: nodes has 1 item, and none is called 'b'" -c c.yaml -t t.csv --set nodes.b.count=3
wrong 2 "run: --set: nodes.0.count: want a whole number from 1 to 10000000, got '0'" -c c.yaml -t t.csv --set nodes.0.count=0
wrong 2 "run: --set: nodes.0.labels: x: want a text of one line, got a list" -c c.yaml -t t.csv --set 'nodes.0.labels={x: [1]}'
wrong 2 "run: --set: name.x: name has no keys" -c c.yaml -t t.csv --set name.x=1
wrong 2 "run: --set: want KEY=VALUE, with dots between keys, got 'a..b'" -c c.yaml -t t.csv --set a..b=1
wrong 2 "run: --set: period_s: want a value as in YAML, got '['" -c c.yaml -t t.csv --set 'period_s=['
wrong 2 "run: --set: period_s: want a value, got an alias: aliases are not followed here" -c c.yaml -t t.csv --set 'period_s=*x'
expect 2 "gpuyard: run: --output: want a directory, got '-'" "$G" run -c c.yaml -t t.csv -o -
expect 2 "gpuyard: no list of 'polices', did you mean 'policies'?" "$G" list polices
expect 2 "gpuyard: list: --format: want text or json, got 'yaml'" "$G" list policies --format yaml
expect 2 "gpuyard: plot: want DIR..., see 'gpuyard plot --help'" "$G" plot

# ---- Bad input: status 3, and nothing is written ----
wrong 3 "no.yaml: cannot open: No such file or directory" -c no.yaml -t t.csv
wrong 3 "no.csv: cannot open: No such file or directory" -c c.yaml -t no.csv
wrong 3 "broken.csv:3: duration_s: want a number of seconds, got 'x'" -c c.yaml -t broken.csv
wrong 3 "./no.so: cannot load the plugin: cannot open shared object file: No such file or directory" \
    -c c.yaml -t t.csv -p ./no.so
wrong 3 "./c.yaml: cannot load the plugin: file too short" -c c.yaml -t t.csv --placement ./c.yaml
printf 'name: two\nnodes: [ { group: a, count: 1, gpus: 8 } ]\nqueues: [ { name: red }, { name: green } ]\n' >q.yaml
wrong 3 "cluster two: the trace has jobs in queue 'blue' (1 job): want it among the queues of the cluster" -c q.yaml -t t.csv
expect 3 "gpuyard: nowhere: no such directory" "$G" plot nowhere
expect 3 "gpuyard: .: holds no result files to plot" "$G" plot .

# ---- A run ----
expect 0 "" "$G" run -c c.yaml -t t.csv -o r
says out 'fifo with pack on tiny (8 GPUs, 1 node): 3 jobs of t.csv'
says out '  jobs         3 completed'
says out '  makespan     2.5 min (150 s)'
says out '  utilisation  90.0% allocated, 90.0% busy, 90.0% effective'
says out 'results in r'
awk 'length($0) > 80 { exit 1 }' out && ok || fail "summary: a line over 80 columns"
for f in jobs.csv intervals.csv timeseries.csv queues.csv nodes.csv summary.csv summary.json manifest.json; do
    [ -s "r/$f" ] && ok || fail "r/$f is missing"
done
none r/events.csv
COLUMNS=40 "$G" run -c c.yaml -t t.csv -o r | awk 'length($0) > 40 { exit 1 }' && ok || fail "summary: a line over 40 columns"
expect 0 "" "$G" run -c c.yaml -t t.csv -q -o quiet
[ -s out ] && fail "-q: wrote on stdout" || ok
same r/jobs.csv quiet/jobs.csv
expect 0 "" "$G" run -qc c.yaml -t t.csv.gz -or.gz
same r/jobs.csv r.gz/jobs.csv
expect 0 "" "$G" run -c c.yaml -t t.csv:native -o native -q && same r/jobs.csv native/jobs.csv
cp t.csv 'with:colon'
expect 0 "" "$G" run -c c.yaml -t with:colon -o colon -q && same r/jobs.csv colon/jobs.csv
"$G" run -c c.yaml -t - -q -o stdin <t.csv && same r/jobs.csv stdin/jobs.csv
"$G" run -c - -t t.csv -q -o stdin2 <c.yaml && same r/jobs.csv stdin2/jobs.csv
expect 0 "" "$G" run -c c.yaml -t t.csv -q -p fifo:blocking=skip --placement spread
[ -f results/fifo-blocking=skip-spread/manifest.json ] && ok || fail "the default directory: $(ls results 2>&1)"
rm -rf results
expect 0 "" "$G" run -c c.yaml -t t.csv -q --outputs summary,events -o some
[ "$(ls some | tr '\n' ' ')" = 'events.csv manifest.json summary.csv summary.json ' ] && ok || fail "--outputs: $(ls some)"
expect 0 "" "$G" run -c c.yaml -t t.csv -q --outputs jobs -o some
[ "$(ls some | tr '\n' ' ')" = 'jobs.csv manifest.json ' ] && ok || fail "--outputs again: $(ls some)"
# 8 GPUs of a node as 3, 3 and 2; b and c as 3 and 1
expect 0 "" "$G" run -c c.yaml -t t.csv -q --pods 3 -o pods
[ "$(awk -F, '$1 == "a" { printf "%s:%s ", $2, $4 }' pods/intervals.csv)" = "0:3 1:3 2:2 " ] && ok || fail "--pods: pieces"
[ "$(awk -F, 'NR > 1 { printf "%s:%s:%s ", $6, $7, $NF }' pods/jobs.csv)" = "8:3:3 4:2:2 4:2:2 " ] && ok || fail "--pods: jobs"
"$G" run -c c.yaml -t t.csv --pods 3 --dump-config | grep -qx '  pods: 3' && ok || fail "--pods: the configuration"
expect 0 "" "$G" run -c c.yaml -t t.csv -q --retime 3:60 -o retimed
[ "$(awk -F, 'NR > 1 { s += $8 } END { print s }' retimed/jobs.csv)" = 0 ] && ok || fail "--retime"
expect 0 "" "$G" run -c c.yaml -t t.csv -q --load 2 -o loaded
[ "$(awk -F, 'NR > 1 { s += $8 } END { print s }' loaded/jobs.csv)" = 15 ] && ok || fail "--load"
# 16 GPUs asked for in all: up to 200 % of 8 the jobs of 8, 4 and 4 come once, one a second.
expect 0 "" "$G" run -c c.yaml -t t.csv -q --stream 200 -p loss -o stream
[ "$(awk -F, 'NR > 1 { n++; g += $6; t += $8 != n } END { print n, g, t + 0 }' stream/jobs.csv)" = '3 16 0' ] && ok || fail "--stream"
holds stream/manifest.json 'stream_percent: 200'
expect 0 "" "$G" run -c c.yaml -t t.csv --stream 200 --dump-config
says out '  stream_percent: 200'
says out 'until_s: 3'
expect 0 "gpuyard: warning: cut off: 1 job running, 2 waiting; no mean includes them" \
    "$G" run -c c.yaml -t t.csv --until 99.5 -o cut
expect 0 "gpuyard: read 3 jobs of format native for 1 node
gpuyard: simulated 6 events in 6 passes" "$G" run -v -c c.yaml -t t.csv -o r
printf 'job_id,submit_s,duration_s,gpus\na,0,10,9\nb,5,10,1\n' >large.csv
expect 0 "gpuyard: warning: 1 job rejected; it is 'a': asks for more than the cluster has" \
    "$G" run -c c.yaml -t large.csv -o large
says out '  jobs         1 completed, 1 rejected'
says out '               of the 1 job that ended; 1 rejected: in none of these'
expect 0 "gpuyard: warning: no 'preemption.checkpoint' is given, so that jobs that are stopped begin anew: 1 restart of 1 job lost 0.0 GPU h" \
    "$G" run -c c.yaml -t t.csv -p srtf -o srtf
says out 'srtf (clairvoyant) with pack on tiny (8 GPUs, 1 node): 3 jobs of t.csv'
touch plain
# 99 years each, 3124224000 s, one after the other
printf 'nodes:\n  - { group: n, count: 1, gpus: 1 }\n' >one.yaml
printf 'job_id,submit_s,duration_s,gpus\na,0,3124224000,1\nb,0,3124224000,1\n' >years.csv
expect 1 "gpuyard: policy fifo: at 3.124224e+09 s the run is not over: want one of at most 180 years, with less work or more GPUs" \
    "$G" run -q -c one.yaml -t years.csv -o years
none years
expect 1 "gpuyard: plain: want a directory for the results" "$G" run -c c.yaml -t t.csv -o plain

# ---- The configuration, and a run from its manifest ----
expect 0 "" "$G" run -c c.yaml -t t.csv --dump-config -o dumped -p fifo:blocking=skip --set period_s=60 --load 0.1
none dumped results
says out '    blocking: skip'
says out '    scope: pool'
says out '  period_s: 60'
says out '  load: 0.1'
expect 0 "" "$G" run -c c.yaml -t t.csv --dump-config --set nodes.0.count=3 --set 'queues=[{name: red, deserved_gpus: 8}, {name: blue}]' --set queues.0.weight=2
says out '  nodes: 3'
says out '    - given: "nodes.0.count=3"'
for e in perfect uniform:2 user-last2 group-quantile:0.9; do
    "$G" run -c c.yaml -t t.csv --dump-config --estimates "$e" >out
    says out "  estimates: $e"
    case $e in perfect | uniform:*) says out '  clairvoyant: true' ;; *) says out '  clairvoyant: false' ;; esac
done
"$G" run -c c.yaml -t t.csv --dump-config -p fifo:blocking=skip --set period_s=60 --load 0.1 >out
says out "  sha256: $(sha256sum t.csv | cut -d' ' -f1)"
holds r/manifest.json "$(sha256sum c.yaml | cut -d' ' -f1)"
expect 0 "" "$G" run -c c.yaml -t t.csv -p fifo:blocking=skip --seed 7 -q -o first
sed -n '/"command": \[/,/\]/p' first/manifest.json | sed '1d;$d;s/^ *"//;s/",\{0,1\}$//' >command
set --
while read -r word; do set -- "$@" "$word"; done <command
mv first was
shift
expect 0 "" "$G" "$@"
for f in was/*.csv was/summary.json; do same "$f" "first/${f#was/}"; done

# ---- Lists ----
lists='policies placers formats workloads gpus mig duties goodput nodes models metrics columns plots'
for l in $lists; do
    expect 0 "" "$G" list $l
    [ -s out ] && ok || fail "list $l: empty"
    expect 0 "" "$G" list $l --format json
    case $(head -c 1 out)$(tail -c 2 out) in '[]') ok ;; *) fail "list $l: no JSON array" ;; esac
done
"$G" list policies --format json >out
holds out '"name": "fifo"'
holds out '"sees run time"'
# As wide as the terminal, by blocks of columns that begin with what names a row; marks are explained.
for width in 40 60 80 120 200; do
    for l in $lists; do
        COLUMNS=$width "$G" list $l | awk -v w=$width 'length($0) > w { exit 1 }' && ok || fail "list $l: a line over $width columns"
    done
done
expect 0 "" "$G" list gpus
[ "$(grep -c '^L40S-48 ' out)" = 4 ] && [ "$(grep -c '^name ' out)" = 4 ] && ok || fail "list gpus: blocks: $(cat out)"
says out "[A]  assumption: set what you know better"
COLUMNS=300 "$G" list gpus >out
[ "$(grep -c '^L40S-48 ' out)" = 1 ] && ok || fail "list gpus: blocks on a wide terminal"
COLUMNS=40 "$G" list mig >out
holds out "gpu_model     profile"
[ "$(grep -c '^A100-SXM4-40  1g.5gb' out)" -gt 1 ] && ok || fail "list mig: the profile is not repeated: $(cat out)"
"$G" list duties >out
grep -q '\[' out && fail "list duties: marks of another table" || ok
# One entry alone, in full
expect 0 "" "$G" list policies sjf
grep -q "as above" out && fail "list policies sjf: refers to another policy" || ok
holds out "strict: the first that does not fit blocks its line;"
[ "$(grep -c '^[a-z]' out)" = 1 ] && ok || fail "list policies sjf: other policies"
expect 0 "" "$G" list policies easy
holds out "jobs that get a promise (default 1 job)"
holds out "jobs looked at in a pass (default none)"
expect 0 "" "$G" list mig A100-SXM4-40 -f json
python3 -c 'import json; assert {x["gpu_model"] for x in json.load(open("out"))} == {"A100-SXM4-40"}' && ok || fail "list mig A100-SXM4-40"
expect 2 "gpuyard: list policies: no 'esay', did you mean 'easy'?" "$G" list policies esay
expect 2 "gpuyard: list gpus: no 'mine', see 'gpuyard list gpus'" "$G" list gpus mine
# The kinds of plots are those of `plot --help`, with the columns of their CSV.
"$G" list plots -f json >out
"$G" plot --help >help
python3 - <<'END' && ok || fail "list plots"
import json
kinds = json.load(open("out"))
text = " ".join(open("help").read().split())
assert len(kinds) > 15 and all(f" {k['name']}: {k['summary']}." in text for k in kinds)
assert all(k["reads"] and len(k["csv"]) > 1 for k in kinds)
assert {k["name"] for k in kinds if k["directories"] == "one"} >= {"gantt", "quota"}
END

# ---- One of a kind is a job, a GPU, a node ----
printf 'nodes: [ { group: n, count: 1, gpus: 1 } ]\n' >one.yaml
printf 'job_id,submit_s,duration_s,gpus\na,0,10,1\n' >one.csv
{
    "$G" run -v -c one.yaml -t one.csv -o alone
    "$G" check -c one.yaml one.csv
    "$G" check one.yaml
    "$G" explain alone default
    "$G" explain alone a
} >out 2>&1
holds out "(1 GPU, 1 node): 1 job of one.csv"
holds out "read 1 job of format native for 1 node"
holds out "1 GPU on 1 node"
grep -nE '(^|[^0-9.])1 (jobs|GPUs|nodes|runs|points|times|tasks)' out && fail "one is not many" || ok

# ---- Pipes and descriptors ----
"$G" list policies 2>err | head -n 1 >out
[ -s err ] && fail "list | head: $(cat err)" || ok
holds out fifo
{ "$G" list columns 2>err; echo $? >status; } | true
[ -s err ] && fail "list | true: $(cat err)" || ok
expect 1 "gpuyard: cannot write to standard output: Bad file descriptor" sh -c '"$0" list policies >&-' "$G"
if [ -w /dev/full ]; then
    expect 1 "gpuyard: cannot write to standard output: No space left on device" sh -c '"$0" list policies >/dev/full' "$G"
fi
expect 3 "gpuyard: <stdin>: cannot read: Bad file descriptor" sh -c '"$0" run -c c.yaml -t - -o bad <&-' "$G"
none bad
sh -c '"$0" run -c c.yaml -t t.csv -q -o closed >&- 2>&- <&-' "$G" && same r/jobs.csv closed/jobs.csv

# ---- Interrupted: while it reads, and while it runs ----
mkfifo pipe
for signal in INT TERM; do
    sleep 5 >pipe &
    sleeper=$!
    timeout --preserve-status -s $signal 0.5 "$G" run -c c.yaml -t pipe -o bad >out 2>err
    s=$?
    kill $sleeper 2>/dev/null
    wait $sleeper 2>/dev/null
    [ $s = 130 ] && ok || fail "$signal while reading: status $s"
    none bad
done
printf 'nodes: [ { group: a, count: 5000, gpus: 8 } ]\n' >wide.yaml
awk 'BEGIN { print "job_id,submit_s,duration_s,gpus"; for (i = 0; i < 300000; i++) print i "," i ",1000,1" }' >long.csv
for signal in INT TERM; do
    timeout --preserve-status -s $signal 3 "$G" run -c wide.yaml -t long.csv -o bad --check >out 2>err
    s=$?
    [ $s = 130 ] && ok || fail "$signal while running: status $s"
    case $(cat err) in 'gpuyard: interrupted'|'') ok ;; *) fail "$signal while running: $(cat err)" ;; esac
    none bad
done

# ---- Plots: what gnuplot is asked for, and where its picture goes ----
mkdir -p scripts/plot here
touch scripts/plot/common.gp
cat >here/gnuplot <<'SH'
#!/bin/sh
echo "$@ in $PWD"
grep -x "format = .*\|load .*"
SH
chmod +x here/gnuplot
usual=$PATH
PATH=$work/here:$PATH
GPUYARD_SCRIPTS=$work/scripts
COLUMNS=79
export GPUYARD_SCRIPTS COLUMNS
expect 0 "" "$G" plot r --kind jct_cdf --format svg
says out 'r/jct_cdf.svg'
says r/jct_cdf.svg "-d in $work/scripts/plot"
says r/jct_cdf.svg "format = 'svg'; columns = 79; lines = 24; ansi = 0"
says r/jct_cdf.svg "load 'jct_cdf.gp'"
expect 0 "" "$G" plot r srtf --kind compare -o x.pdf
[ -s out ] && fail "a plot with a name of its own is listed" || ok
says x.pdf "load 'compare.gp'"
expect 0 "" "$G" plot r --kind queue_length --format term
says out "load 'two_levels.gp'"
printf '#!/bin/sh\necho "line 1: no such thing" >&2\nexit 1\n' >here/gnuplot
expect 1 "gpuyard: gnuplot could not draw wait_cdf:
line 1: no such thing" "$G" plot r --kind wait_cdf
PATH=$usual
expect 2 "gpuyard: plot: gantt shows one directory, got 'srtf' besides" "$G" plot r srtf --kind gantt
expect 2 "gpuyard: plot: --kind: want jct_cdf, jct_ratio, wait_cdf, slowdown_cdf, by_size, by_class, by_queue, utilisation, utilisation_class, utilisation_state, ledger, wait_reasons, preemptions, jobs, queue_length, quota, fairness, fragmentation, energy, carbon, cost, arrived_load, reliability, services, service_load, sessions, gantt, nodes, compare, normalised, pareto or sweep, got 'pie'" \
    "$G" plot r --kind pie
expect 2 "gpuyard: plot: --output: want --kind with it: without one there may be several plots" "$G" plot r -o x.png
expect 3 "gpuyard: some/summary.csv: cannot read it, and compare needs it: No such file or directory" \
    "$G" plot some --kind compare
GPUYARD_SCRIPTS=$work
expect 1 "gpuyard: $work: no plotting scripts there (GPUYARD_SCRIPTS)" "$G" plot r
unset GPUYARD_SCRIPTS

echo "$passed passed, $failed failed"
[ $failed = 0 ]
