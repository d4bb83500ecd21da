#!/bin/sh
# memcheck.sh GPUYARD - valgrind finds no error and no leak in runs of every kind of policy, nor in a page about one, nor in refused input.
set -u
gpuyard=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
if [ "${MODE:-release}" != release ] || ! command -v valgrind >/dev/null; then
    echo "skipped: valgrind is not here, or the build is an instrumented one"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
head -n 400 traces/samples/four_teams.csv >"$work/short.csv"
printf 'job_id,submit_s,duration_s,gpus\n1,0,1,x\n' >"$work/broken.csv"
try() { # STATUS OPTIONS-OF-RUN...
    want=$1
    shift
    checked "$want" run -q -c traces/samples/four_teams.yaml -o "$work/out" "$@"
}
checked() { # STATUS COMMAND...
    want=$1
    shift
    valgrind -q --error-exitcode=99 --leak-check=full --show-leak-kinds=definite,indirect,possible "$gpuyard" "$@" >"$work/log" 2>&1
    if [ $? -eq "$want" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $*"
        tail -n 30 "$work/log"
    fi
}
try 0 -t "$work/short.csv" -p static
try 0 -t "$work/short.csv" -p srtf --placement consolidate
try 0 -t "$work/short.csv" -p priority:preempt=yes --placement random --set period_s=60
try 3 -t "$work/broken.csv"
try 0 -t "$work/short.csv" -p quota --switch-policy 30000:kube --switch-policy 40000.5:srtf --snapshot 35000
for format in perfetto batsim openmetrics; do
    checked 0 export "$work/out" --to $format -o "$work/exported"
done
checked 0 report "$work/out" -o "$work/out.html"
sed -i '$s/,[^,]*$/,x/' "$work/out/timeseries.csv"
checked 3 report "$work/out" -o "$work/out.html"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
