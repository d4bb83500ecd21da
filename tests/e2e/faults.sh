#!/bin/sh
# faults.sh GPUYARD - what the machine does not give: memory, files, room on the disk, time. See faults.py.
set -u
work=$(mktemp -d)
trap 'umount "$work/full" 2>/dev/null; rm -rf "$work"' EXIT
cc -std=c17 -D_GNU_SOURCE -O1 -fPIC -shared -o "$work/faults.so" tests/support/faults.c -ldl || exit 1
cc -std=c17 -fPIC -shared -Isim/contract -o "$work/endless.so" -x c - <<'C' || exit 1
#include "policy.h"
static void schedule(struct sched *s, const void *params, void *state) { (void)s; (void)params; (void)state; for (;;) { } }
const struct policy policy_plugin = { .abi = POLICY_ABI, .name = "endless", .summary = "thinks for ever", .schedule = schedule };
C
tests/e2e/faults.py "$1" "$work"
