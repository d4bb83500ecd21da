#!/bin/sh
# bench.sh GPUYARD - `make bench` goes through: every row is measured, nothing stops half way; what breaks off, does not hold
# or grows too fast is said, and so is what cannot be measured here. Short and on a busy machine: no second is judged. The
# programs that it calls are those of `make bench-short`, beside GPUYARD in tests/short.
set -u
bench=$(dirname "$(realpath "$1")")/tests/short
. "$(dirname "$0")/../support/in_folder.sh"
cd "$root" || exit 1
if [ ! -x "$bench/measure" ]; then
    echo "skipped: bench: no programs in $bench: make bench-short builds them"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
skipped=0
unset OLD BENCH_MANY BENCH_TIMES BENCH_JOBS
rows() { # FILE: the first columns of a table, without numbers of jobs
    cut -c 1-66 "$1" | sed 's/ *$//; s/[0-9][0-9]*/N/g'
}

# ---- Every row, on traces of a few jobs in place of the public ones ----
shared=$work/shared/traces
mkdir -p "$shared/swf-easy" "$shared/reproductions" "$shared/alibaba-openb-v2023"
awk 'BEGIN { for (i = 1; i <= 40; i++) print i, i * 10, 0, 60 + i, 4, -1, -1, 4, 120, -1, 1, 3, -1, -1, 1, -1, -1, -1 }' |
    zstd -q >"$shared/swf-easy/CEA-curie.swf.zst"
awk 'BEGIN { print "jobname,vc,gpu_num,submit_time,duration"
             for (i = 1; i <= 40; i++) print "j" i ",6214e9," i % 4 + 1 "," i * 60 ",900" }' |
    zstd -q >"$shared/reproductions/philly_oct_nov.csv.zst"
printf 'sn,cpu_milli,memory_mib,gpu,model\nn-1,64000,262144,2,P100\nn-2,64000,262144,8,T4\n' \
    >"$shared/alibaba-openb-v2023/openb_node_list_gpu_node.csv"
{
    echo name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time
    awk 'BEGIN { for (i = 0; i < 40; i++) printf "p%d,1000,1024,1,500,,LS,Running,%d,12537496,%d\n", i, i, i }'
} | zstd -q >"$shared/alibaba-openb-v2023/openb_pod_list_default.csv.zst"
if [ "${MODE:-release}" = release ]; then
    subjects=
else
    subjects="plain overload queues curie philly packing laws old"   # the others take long when they are not optimised
fi
# shellcheck disable=SC2086
GPUYARD_SHARED=$work/shared OLD=$G BENCH_MANY=1 BENCH_JOBS=1000 scripts/bench --short "$G" "$bench" $subjects \
    >"$work/table" 2>"$work/err"
check "a short bench ends with 0" $?
if [ -s "$work/err" ]; then fail "a short bench says on stderr: $(cat "$work/err")"; else ok; fi
if grep -e FAILS -e skipped "$work/table"; then fail "a short bench fails or skips something"; else ok; fi
rows "$work/table" >"$work/got"
if [ "${MODE:-release}" = release ]; then
    if diff "$root/tests/e2e/bench.txt" "$work/got"; then ok; else fail "a short bench: not the rows of tests/e2e/bench.txt"; fi
fi
if awk 'NR > 1 { v = substr($0, 68, 12); if (v !~ /[0-9]/) { print; bad = 1 } } END { exit bad }' "$work/table"; then ok
else fail "a row has no number"; fi

# ---- Without the traces, and without another build: said, and the rest is measured ----
GPUYARD_SHARED=$work/nowhere BENCH_JOBS=500 scripts/bench --short "$G" "$bench" curie philly packing plain old >"$work/table" 2>&1
check "a bench without public traces ends with 0" $?
holds "$work/table" "skipped: EASY and conservative on CEA-Curie: no $work/nowhere/traces/swf-easy/CEA-curie.swf.zst"
holds "$work/table" "skipped: reproduction 1, policies and models on Philly: no $work/nowhere/"
holds "$work/table" "skipped: reproduction 4, packing of pods: no $work/nowhere/"
holds "$work/table" "skipped: this build against another: make bench OLD="
holds "$work/table" "time per job, 131072 GPUs to 1024 GPUs"

# ---- With programs that say what we want: bounds that hold, and one that does not ----
made=$work/made
mkdir "$made"
printf '#!/bin/sh\necho 10 1 9.0 20\n' >"$made/reclaim"
printf '#!/bin/sh\necho unconstrained 2 126 246\n' >"$made/topology"
printf '#!/bin/sh\necho 3000 200 999 1253\n' >"$made/gangs"
cat >"$made/measure" <<'S'
#!/bin/sh
# a second for each command but for what MADE names: NAME=SECONDS
shift
for c; do
    [ "$c" != -- ] || continue
    name=$(basename "$c")
    case " $MADE " in *" $name="*) s=${MADE##*"$name="} s=${s%% *} ;; *) s=1 ;; esac
    echo "$s 100 .5"
done
S
cp "$bench/make_trace" "$bench/floor" "$made/"
chmod +x "$made"/*
scripts/bench "$G" "$made" latencies >"$work/table" 2>&1
[ $? -eq 1 ] && [ "$(grep -c ' FAILS$' "$work/table")" -eq 1 ] && grep -q '^10 reclaims.* 9.0 .* FAILS$' "$work/table" &&
    [ "$(grep -c ' ok$' "$work/table")" -eq 2 ]
check "a reclaim of 9 ms fails, and it alone: $(cat "$work/table")" $?
overload() { # MADE
    MADE=$1 BENCH_JOBS=1000 scripts/bench "$G" "$made" overload >"$work/table" 2>&1
}
overload fifo-few=.04
check "policies as dear as fifo hold, but for what is 25 times: $(cat "$work/table")" $?
overload 'fifo-few=.0399'
[ $? -eq 1 ] && [ "$(grep -c ' FAILS$' "$work/table")" -eq 1 ] && grep -q '^  conservative, .* 25.06 .* FAILS$' "$work/table"
check "conservative at more than 25 times fifo fails: $(cat "$work/table")" $?
BENCH_CLOCK=cpu overload 'gang-many=7 fifo-few=.01'
check "processor times are all alike: $(cat "$work/table")" $?
overload 'gang-many=5.01 themis-few=1.68'
[ $? -eq 1 ] && [ "$(grep -c ' FAILS$' "$work/table")" -eq 2 ] && grep -q '^  gang, .* FAILS$' "$work/table" &&
    grep -q '^  themis, .* FAILS$' "$work/table"
check "gang and themis beyond their bounds fail: $(cat "$work/table")" $?
MADE='before=2 now=1 gittins=1.68 themis=1.67' OLD=$G GPUYARD_SHARED=$work/shared BENCH_JOBS=100 scripts/bench "$G" "$made" old >"$work/table" 2>&1
[ $? -eq 1 ] && grep -q '^CEA-Curie, EASY: old to new *2.00  >= 2  *ok$' "$work/table" &&
    grep -q '^CEA-Curie, conservative: old to new *2.00  >= 5  *FAILS$' "$work/table" &&
    grep -q '^  gittins, .* jobs, to it *1.68  <= 1.67  *FAILS$' "$work/table" && [ "$(grep -c ' jobs, to it .* ok$' "$work/table")" -eq 5 ]
check "twice as fast as the other build is enough for EASY, not for conservative: $(cat "$work/table")" $?

# ---- What breaks off is said, and what follows is measured ----
printf '#!/bin/sh\nexit 1\n' >"$made/floor"
cp "$bench/measure" "$made/measure"
BENCH_JOBS=100 scripts/bench --short "$G" "$made" plain latencies >"$work/table" 2>"$work/err"
[ $? -eq 1 ] && grep -q '^plain: broke off, status 1 .* FAILS$' "$work/table" &&
    grep -q '^measure: .*floor1024 failed$' "$work/err" && [ "$(grep -c 'not judged$' "$work/table")" -eq 3 ]
check "a floor that fails ends its subject alone: $(cat "$work/table")" $?
printf '#!/bin/sh\necho\n' >"$made/reclaim"
scripts/bench --short "$G" "$made" latencies >"$work/table" 2>&1
[ $? -eq 1 ] && [ "$(grep -c ' FAILS$' "$work/table")" -eq 1 ]
check "a row without a number fails even if nothing is judged: $(cat "$work/table")" $?
scripts/bench "$G" "$made" speed >/dev/null 2>"$work/err"
[ $? -eq 2 ] && grep -q '^bench: there is no subject speed; want one of: curie ' "$work/err"
check "a subject that is not there is refused: $(cat "$work/err")" $?

# ---- Instructions, counted by a program that is called valgrind: those of a run are what its trace says ----
tree=$work/tree
mkdir -p "$tree/scripts" "$tree/results/baseline" "$work/bin"
cp scripts/bench-policies "$tree/scripts/"
cat >"$work/bin/valgrind" <<'S'
#!/bin/sh
# A run takes TIMES * 1000 instructions a job, for what GROWS names (kind:policy=exponent...) times its size ^ exponent. The
# job of the run that is subtracted makes exponents of 20 to 160 jobs larger by .02.
while [ "${1#--}" != "$1" ]; do shift; done
c= t= p= out=
command=$1
"$@" >/dev/null || exit
while [ $# -gt 0 ]; do
    case $1 in -c) c=$2 ;; -t) t=$2 ;; -p) p=$2 ;; -o) out=$2 ;; esac
    shift
done
jobs=$(($(wc -l <"$t") - 1))
nodes=$(basename "$c" .yaml | cut -d- -f2) queues=$(basename "$c" .yaml | cut -d- -f3)
case $c in *-limited.yaml) kind=limits ;; *) kind=$(basename "$t" .csv | awk -F- '{ print (NF > 6 ? "mixed" : "jobs") }') ;; esac
awk -v jobs="$jobs" -v kind="$kind" -v nodes="$nodes" -v queues="$queues" -v p="$p" -v grows="${GROWS-}" -v times="${TIMES:-1}" 'BEGIN {
    n = split(grows, g, " ")
    x = jobs
    for (i = 1; i <= n; i++) {
        split(g[i], w, "[:=]")
        by_jobs = w[1] != "nodes" && w[1] != "queues"
        if (w[2] == p && jobs > 1 && (!by_jobs || w[1] == kind))
            x *= (by_jobs ? jobs : w[1] == "nodes" ? nodes : queues) ^ w[3]
    }
    printf "==1== I   refs:      %d,%03d\n", times * x, 0 }'
[ "$command" != "$FAKE" ] || awk -v n="$jobs" 'BEGIN { printf "{ \"starts\": %d }\n", n ^ 1.3 }' >"$out/manifest.json"
S
cat >"$work/bin/fake" <<'S'
#!/bin/sh
case $1 in
list) printf 'fifo     arrival order\n    scope=...\nlas      least\ngang     all or none\n' ;;
run)
    while [ $# -gt 0 ]; do
        case $1 in
        -p) [ "$2" != "${REFUSED-}" ] || { echo "gpuyard: $2: no" >&2; exit 3; } ;;
        -o) mkdir -p "$2" ;;
        esac
        shift
    done ;;
esac
S
chmod +x "$work/bin"/*
FAKE=$work/bin/fake
export FAKE
counted() { # OPTION...: three policies that only seem to run
    PATH=$work/bin:$PATH "$tree/scripts/bench-policies" "$FAKE" "$bench" "$@" >"$work/table" 2>&1
}

# Every policy that is listed runs on these traces, and has its row.
PATH=$work/bin:$PATH "$tree/scripts/bench-policies" "$G" "$bench" --only jobs --loads 1.2 --scale .01 >"$work/table" 2>&1
check "instructions of all policies: $(cat "$work/table")" $?
"$G" list policies | sed -n 's/^\([a-z0-9-][a-z0-9-]*\) .*/\1/p' | sort >"$work/listed"
sed -n 's/^jobs \([a-z0-9-]*\)[:,].* ok$/\1/p' "$work/table" | sort >"$work/measured"
if [ "$(wc -l <"$work/listed")" -ge 29 ] && diff "$work/listed" "$work/measured"; then ok
else fail "not every policy has a row"; fi

# What grows too fast fails, in each kind, and nothing else.
grown() { # ROW...: these rows fail, and no other
    [ "$(grep -c FAILS "$work/table")" -eq $# ] || return 1
    for row; do grep -q "^$row, load .* FAILS: grows by " "$work/table" || return 1; done
}
counted --scale .02 --loads 1.2
check "three policies that grow with the jobs alone: $(cat "$work/table")" $?
grep -q '^16 rows, 0 fail, 0 are exceptions' "$work/table"
check "rows of three policies: $(cat "$work/table")" $?
counted --scale .02 --loads .8,1.2 --policies easy,las
[ "$(grep -c '^jobs easy --estimates perfect, load 1.2 ' "$work/table")" -eq 1 ] && [ "$(grep -c estimates "$work/table")" -eq 1 ]
check "what plans by estimates has a row with them: $(cat "$work/table")" $?
GROWS="jobs:las=.2 mixed:gang=.3 limits:las=.2 queues:fifo:scope=queue=0 queues:gang=1.2 nodes:fifo=.3" counted --scale .02 --loads 1.2
[ $? -eq 1 ] && grown 'jobs las' 'mixed gang' 'limits las' 'queues gang' 'nodes fifo'
check "planted growth is found in each kind: $(cat "$work/table")" $?
GROWS="jobs:las=.12 queues:gang=1.08 nodes:fifo=.18" counted --scale .02 --loads 1.2
check "growth below the bounds is none: $(cat "$work/table")" $?

# Exceptions are printed with their reason, and hold no more than they say.
cat >"$tree/results/baseline/exceptions.csv" <<'S'
kind,policy,load,bound,reason
jobs,las,,starts,jobs start again
jobs,gang,1.2,1.3,all is tried
jobs,fifo,1.2,1.5,none
S
GROWS="jobs:las=.3 jobs:gang=.2" counted --only jobs --scale .02 --loads 1.2
[ $? -eq 0 ] && grep -q '^jobs las.* EXCEPTION: by starts 1.0[01], at most 1.15: jobs start again$' "$work/table" &&
    grep -q '^jobs gang.* EXCEPTION: 1.2[0-2], at most 1.3: all is tried$' "$work/table" &&
    grep -q '^jobs fifo.* is listed as an exception and is none: 1.0[0-2] is at most 1.15$' "$work/table"
check "exceptions are named: $(cat "$work/table")" $?
GROWS="jobs:las=.6 jobs:gang=.4" counted --only jobs --scale .02 --loads 1.2
[ $? -eq 1 ] && grep -q '^jobs las.* FAILS: grows by starts by 1.23, as an exception at most 1.15$' "$work/table" &&
    grep -q '^jobs gang.* FAILS: grows by 1.4[0-2], as an exception at most 1.3$' "$work/table"
check "exceptions have bounds of their own: $(cat "$work/table")" $?
rm "$tree/results/baseline/exceptions.csv"

# A run that fails has its reason in the row.
REFUSED=gang counted --only jobs --scale .02 --loads 1.2
[ $? -eq 1 ] && grep -q '^jobs gang.* FAILS: no number at 20: gpuyard: gang: no$' "$work/table" &&
    [ "$(grep -c FAILS "$work/table")" -eq 1 ]
check "a run that is refused says why: $(cat "$work/table")" $?

# The committed table: written whole, then compared with; a tenth more fails.
counted --update
[ $? -eq 0 ] && grep -q 'in the committed table, which is written' "$work/table"
check "a table is written: $(cat "$work/table")" $?
# a title, 12 rows by jobs, 3 mixed, 3 with limits, 4 by queues, 3 by nodes, of 4 sizes
[ "$(wc -l <"$tree/results/baseline/instructions.csv")" -eq 101 ]
check "the table has $(wc -l <"$tree/results/baseline/instructions.csv") lines, want 101" $?
TIMES=1.09 counted --short
check "nine hundredths more than the table hold: $(cat "$work/table")" $?
TIMES=1.2 counted --short
[ $? -eq 1 ] && [ "$(grep -c 'FAILS: 1.20 times the table at ' "$work/table")" -eq 3 ]
check "a fifth more than the table fails: $(cat "$work/table")" $?
TIMES=.5 counted --short
[ $? -eq 0 ] && [ "$(grep -c ' 0.50 of the table at [0-9]*$' "$work/table")" -eq 3 ]
check "half of the table is said: $(cat "$work/table")" $?
sed -i '/^jobs,las,1.2,1000,/d' "$tree/results/baseline/instructions.csv"
counted --short
[ $? -eq 0 ] && grep -q '^jobs las.* 1 of 2 not in the table$' "$work/table" &&
    grep -q ', 1 are not whole in the committed table$' "$work/table"
check "what the table lacks is said: $(cat "$work/table")" $?
counted --update --short
[ $? -eq 2 ] && grep -q 'it goes with --only or with no other option$' "$work/table"
check "half rows are not written" $?
cp "$tree/results/baseline/instructions.csv" "$work/before.csv"
TIMES=2 counted --update --only 'jobs las'
[ $? -eq 0 ] && [ "$(wc -l <"$tree/results/baseline/instructions.csv")" -eq 101 ] &&
    [ "$(sort "$work/before.csv" "$tree/results/baseline/instructions.csv" | uniq -u | grep -vc '^jobs,las,')" -eq 0 ] &&
    [ "$(sort "$work/before.csv" "$tree/results/baseline/instructions.csv" | uniq -u | grep -c '^jobs,las,')" -eq 31 ]
check "rows of the table are written anew, and the others stay" $?

# Without valgrind it says so.
python=$(python3 -c 'import sys; print(sys.executable)')
PATH=$work/nowhere "$python" scripts/bench-policies "$G" "$bench" >"$work/table" 2>&1
[ $? -eq 0 ] && grep -q '^skipped: policies in instructions: no valgrind here' "$work/table"
check "no valgrind: $(cat "$work/table")" $?

# ---- Counted by valgrind: a policy that looks at all that waits in each pass, and fifo beside it ----
if [ "${MODE:-release}" = release ] && command -v valgrind >/dev/null; then
    sed 's/struct line_walk walk = .*/for (job_id j; line_next(\&all, \&j);) for (int i = 0; i < 9; i++) looked++;\n    &/
         s/.*struct line \*waiting = .*/&\n    struct line_walk all = { .l = waiting };/
         s/^static void schedule/static volatile long looked;\n&/' \
        tests/examples/widest_first.c >"$work/looks.c"
    cc -std=c17 -O1 -fPIC -shared -Isim/contract -o "$work/looks.so" "$work/looks.c"
    check "a policy that looks at all jobs compiles" $?
    scripts/bench-policies "$G" "$bench" --policies "fifo,$work/looks.so" --only jobs --loads 1.5 --scale .2 >"$work/table" 2>&1
    [ $? -eq 1 ] && grep -q '^jobs fifo, load 1.5 .* ok$' "$work/table" &&
        grep -q "^jobs $work/looks.so, load 1.5.* FAILS: grows by [12]" "$work/table"
    check "a policy that looks at all jobs fails: $(cat "$work/table")" $?
else
    echo "skipped: growth counted by valgrind: it is not here, or the build is an instrumented one"
    skipped=1
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
