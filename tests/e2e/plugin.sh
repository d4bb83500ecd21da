#!/bin/sh
# plugin.sh GPUYARD - a policy and a placer built in and loaded from a .so give the same bytes; each thing that can be
# wrong with a plugin has a message of its own.
set -u
gpuyard=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
check() { # WHAT STATUS
    if [ "$2" -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $1"; fi
}
run() { # DIR OPTIONS...
    dir=$1
    shift
    "$gpuyard" run -q -c traces/samples/four_teams.yaml -t traces/samples/four_teams.csv -o "$work/$dir" "$@" 2>"$work/message"
}
same() { # A B
    for file in jobs intervals timeseries queues nodes summary; do
        cmp "$work/$1/$file.csv" "$work/$2/$file.csv" || return 1
    done
}
for policy in fifo srtf; do
    cc -std=c17 -D_XOPEN_SOURCE=700 -O1 -fPIC -shared -I. -D${policy}_policy=policy_plugin -o "$work/$policy.so" \
        policies/orders/$policy.c policies/common/*.c
    check "$policy compiles as a plugin" $?
    run built-in -p $policy:blocking=skip && run loaded -p "$work/$policy.so:blocking=skip" && same built-in loaded
    check "$policy: the same bytes built in and loaded" $?
done
cc -std=c17 -D_XOPEN_SOURCE=700 -O1 -fPIC -shared -I. -Delastic_policy=policy_plugin -o "$work/elastic.so" \
    policies/elastic/*.c policies/common/*.c -lm
check "elastic compiles as a plugin" $?
run built-in -p elastic && run loaded -p "$work/elastic.so" && same built-in loaded
check "elastic, which resizes: the same bytes built in and loaded" $?
cc -std=c17 -D_XOPEN_SOURCE=700 -O1 -fPIC -shared -I. -Dkube_policy=policy_plugin -o "$work/kube.so" policies/kubernetes/*.c policies/common/beside.c policies/common/entries.c policies/common/timers.c -lm
check "kube compiles as a plugin" $?
run built-in -p kube --pods 2 && run loaded -p "$work/kube.so" --pods 2 && same built-in loaded
check "kube, which stops single pods: the same bytes built in and loaded" $?
cc -std=c17 -O1 -fPIC -shared -I. -Dconsolidate_placer=placer_plugin -o "$work/placer.so" \
    policies/placers/consolidate.c policies/placers/filling.c
check "consolidate compiles as a plugin" $?
run built-in --placement consolidate && run loaded --placement "$work/placer.so" && same built-in loaded
check "consolidate: the same bytes built in and loaded" $?

cc -std=c17 -D_XOPEN_SOURCE=700 -O1 -fPIC -shared -I. -Dfgd_placer=placer_plugin -o "$work/fgd.so" policies/placers/fgd.c \
    policies/placers/fragments.c policies/placers/scored.c policies/placers/filling.c -lm
check "fgd compiles as a plugin" $?
run built-in --placement fgd && run loaded --placement "$work/fgd.so" && same built-in loaded
check "fgd: the same bytes built in and loaded" $?

tests/e2e/exported.py >"$work/message"
check "the program exports what the contract declares: $(cat "$work/message")" $?

build() { # NAME: the C of a plugin on stdin
    cc -std=c17 -fPIC -shared -Isim/contract -x c -o "$work/$1.so" -
}
refused() { # WHAT MESSAGE OPTIONS...
    what=$1 message=$2
    shift 2
    run refused "$@"
    [ $? -eq 3 ] && grep -q -- "$message" "$work/message" && [ ! -e "$work/refused" ]
    check "$what: '$message', got '$(cat "$work/message")'" $?
}
echo 'text' >"$work/text.so"
echo 'int nothing;' | build empty
echo '#include "policy.h"
static void s(struct sched *a, const void *p, void *b) { (void)a; (void)p; (void)b; }
const struct policy policy_plugin = { .abi = POLICY_ABI + 1, .name = "x", .schedule = s };' | build abi
echo '#include "policy.h"
static void s(struct sched *a, const void *p, void *b) { (void)a; (void)p; (void)b; }
const struct policy policy_plugin = { .abi = POLICY_ABI, .schedule = s };' | build nameless
echo '#include "policy.h"
const struct policy policy_plugin = { .abi = POLICY_ABI, .name = "x" };' | build idle
echo '#include "placement.h"
const struct placer placer_plugin = { .abi = PLACEMENT_ABI, .name = "x" };' | build placeless
refused "missing file" "No such file" -p "$work/none.so"
refused "no shared object" "text.so" -p "$work/text.so"
refused "no symbol" "policy_plugin" -p "$work/empty.so"
refused "no placer symbol" "placer_plugin" --placement "$work/empty.so"
refused "another ABI" "ABI" -p "$work/abi.so"
refused "no name" "name" -p "$work/nameless.so"
refused "no schedule()" "schedule" -p "$work/idle.so"
refused "no place()" "place" --placement "$work/placeless.so"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
