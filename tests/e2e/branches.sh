#!/bin/sh
# branches.sh GPUYARD - switch-policy as an axis of an experiment: what each branch gives is what a run of its own gives, whether the
# past is shared or not and however many processes there are; and a shared past is run once.
set -u
. "$(dirname "$0")/../support/in_folder.sh"

# fifo as a plugin that leaves a byte in a file whenever it begins: once for each past.
cat >counted.c <<'END'
#include "policies/common/queueing.h"
#include <fcntl.h>
#include <unistd.h>
static const struct discipline in_order = { .key = key_submit };
QUEUEING_CALLBACKS(plain, &in_order)
static void counted_begin(struct sched *s, const void *params, void *state)
{
    int fd = open("begun", O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (fd < 0 || write(fd, "x", 1) != 1 || close(fd) != 0)
        _exit(9);
    plain_begin(s, params, state);
}
static const struct param params[] = { QUEUEING_PARAM_SCOPE, QUEUEING_PARAM_BLOCKING(BLOCKING_SKIP), { 0 } };
const struct policy policy_plugin = { QUEUEING_TABLE(plain), .begin = counted_begin, .name = "counted", .summary = "fifo",
                                      .params = params, .params_size = sizeof(struct queueing_params) };
END
sed -i 's/QUEUEING_TABLE(plain), .begin = counted_begin/.abi = POLICY_ABI, .state_size = sizeof(struct queueing_state), .begin = counted_begin, .schedule = plain_schedule, .job_arrived = plain_arrived, .job_started = plain_started, .job_stopped = plain_stopped/' counted.c
cc -std=c17 -D_XOPEN_SOURCE=700 -O1 -fPIC -shared -I"$root" -o counted.so counted.c "$root"/policies/common/*.c && ok ||
    fail "the plugin does not compile"

experiment()    # BRANCHES...
{
    cat <<END
clusters: $root/traces/samples/four_teams.yaml
traces: $root/traces/samples/four_teams.csv
policies: [ { name: counted, policy: ./counted.so } ]
parameters:
  switch-policy: [ $1 ]
seeds: 1..2
END
}

experiment 'none, "200000:quota", "300000:sjf:blocking=skip", "250000:las 400000:fifo"' >e.yaml
rm -f begun; expect 0 "" "$G" sweep e.yaml -q -j1 -o shared
[ "$(wc -c <begun)" = 2 ] && ok || fail "the past of four branches is run $(wc -c <begun) times for two seeds"
rm -f begun; expect 0 "" "$G" sweep e.yaml -q -j2 -o two
same shared/sweep.csv two/sweep.csv
rm -f begun; expect 0 "" "$G" sweep e.yaml -q --keep-runs -o kept
[ "$(wc -c <begun)" = 8 ] && ok || fail "runs that are kept share nothing: $(wc -c <begun)"
same shared/sweep.csv kept/sweep.csv
# Each is a run of its own.
n=0
for branch in "" "--switch-policy 200000:quota" "--switch-policy 300000:sjf:blocking=skip" "--switch-policy 250000:las --switch-policy 400000:fifo"; do
    # shellcheck disable=SC2086
    "$G" run -q -c "$root/traces/samples/four_teams.yaml" -t "$root/traces/samples/four_teams.csv" -p ./counted.so --seed 1 $branch -o alone
    run=$(find kept/runs -name '*seed=1' | LC_ALL=C sort | while read -r d; do cmp -s "$d/summary.csv" alone/summary.csv && echo "$d"; done)
    [ -n "$run" ] && n=$((n + 1)) || fail "branch '$branch' is no run of its own"
done
[ $n = 4 ] && ok || fail "$n of 4 branches are runs of their own"
[ "$(find kept/runs -name summary.csv -exec sha256sum {} + | cut -d' ' -f1 | sort -u | wc -l)" -ge 4 ] && ok || fail "branches do not differ"

# What cannot be in one run is run apart; a branch that fails, fails alone.
experiment 'none, "200000:easy", "200000:gang", "200000:elastic"' >e.yaml
rm -f begun; expect 0 "" "$G" sweep e.yaml -q -j1 -o apart
[ "$(wc -c <begun)" = 8 ] && ok || fail "what cannot be shared: $(wc -c <begun)"
cat >endless.c <<'END'
#include "policies/common/queueing.h"
#include <stdlib.h>
static void crash(struct sched *s, const void *p, void *t) { (void)s; (void)p; (void)t; abort(); }
const struct policy policy_plugin = { .abi = POLICY_ABI, .name = "crash", .summary = "ends the process", .schedule = crash };
END
cc -std=c17 -fPIC -shared -I"$root" -o crash.so endless.c || fail "the plugin does not compile"
experiment 'none, "200000:./crash.so", "200000:sjf"' >e.yaml
rm -f begun; "$G" sweep e.yaml -q -j1 -o crashed 2>err
[ $? = 1 ] && ok || fail "a branch that crashes: $(cat err)"
[ "$(grep -c . crashed/failures.csv)" = 3 ] && ok || fail "failures: $(cat crashed/failures.csv)"
awk -F, 'NR > 1' crashed/sweep.csv | grep -q sjf && ok || fail "those after a crash are not run"

# What is wrong, at its place.
experiment 'none, "200000:quotta"' >e.yaml
expect 3 "gpuyard: e.yaml:5:27: no policy 'quotta', did you mean 'quota'?" "$G" sweep e.yaml -q -o bad
experiment 'none, "200000:sjf 100000:fifo"' >e.yaml
expect 3 "gpuyard: e.yaml:5:27: --switch-policy: want ascending times, got 100000 after 200000" "$G" sweep e.yaml -q -o bad
none bad

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
