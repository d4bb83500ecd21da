#!/bin/sh
# install.sh GPUYARD - `make install` gives a tree that works by itself: a policy built against the installed headers runs
# in the installed program, which finds its own plots; the man page and the completion are there.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
check() { # WHAT STATUS
    if [ "$2" -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $1"; fi
}
make -s MODE="${MODE:-release}" install PREFIX="$work/usr" >"$work/log" 2>&1
check "make install: $(tail -n 1 "$work/log")" $?
flags=$(PKG_CONFIG_PATH=$work/usr/lib/pkgconfig pkg-config --cflags gpuyard)
check "pkg-config knows gpuyard" $?
# shellcheck disable=SC2086
cc -std=c17 -fPIC -shared $flags -o "$work/widest.so" tests/examples/widest_first.c
check "a policy builds against the installed headers" $?
printf '#include "policy.h"\n' >"$work/util.c"
for header in sim/contract/util/*.h; do
    printf '#include "util/%s"\n' "${header##*/}" >>"$work/util.c"
done
cat >>"$work/util.c" <<'EOF'
struct late { int64_t deadline_ns; job_id job; };
static bool later(const void *owner, const struct late *a, const struct late *b)
{
    (void)owner;
    return a->deadline_ns != b->deadline_ns ? a->deadline_ns > b->deadline_ns : a->job < b->job;
}
HEAP_DEFINE(latest, struct late, void, later, HEAP_NOT_PLACED);
struct state { struct late *heap; size_t n, capacity; };
static void schedule(struct sched *s, const void *params, void *state)
{
    struct state *st = state;
    (void)params;
    for (; st->n; st->n--) {
        job_id j = latest_pop(NULL, st->heap, st->n).job;
        struct request r = job_request(s, j);
        const struct placement *where = sched_place(s, sched_view(s, FREE_IDLE), &r);
        if (!where || sched_start(s, j, where) != SCHED_OK)
            sched_refuse(s, j, "finds no place at once");
    }
}
static void arrived(struct sched *s, const void *params, void *state, job_id j)
{
    struct state *st = state;
    (void)params;
    st->heap = array_grown(sched_alloc, s, st->heap, &st->capacity, st->n, sizeof *st->heap);
    latest_push(NULL, st->heap, st->n++, (struct late){ job_facts(s, j)->deadline_ns, j });
}
const struct policy policy_plugin = {
    .abi = POLICY_ABI, .name = "latest-deadline", .summary = "latest deadline first, at once or never",
    .state_size = sizeof(struct state), .schedule = schedule, .job_arrived = arrived,
};
EOF
# shellcheck disable=SC2086
cc -std=c17 -Wall -Wextra -Werror -fPIC -shared $flags -o "$work/util.so" "$work/util.c"
check "a policy builds with the installed containers" $?
unset GPUYARD_SCRIPTS
"$work/usr/bin/gpuyard" run -q -c traces/samples/four_teams.yaml -t traces/samples/four_teams.csv -p "$work/widest.so" -o "$work/out"
check "the installed program runs it" $?
"$work/usr/bin/gpuyard" run -q -c traces/samples/four_teams.yaml -t traces/samples/four_teams.csv -p "$work/util.so" -o "$work/out2"
check "the installed program runs the policy with containers" $?
"$work/usr/bin/gpuyard" plot "$work/out" --kind jct_cdf --format svg -o "$work/jct.svg" && [ -s "$work/jct.svg" ]
check "the installed program finds its plots" $?
"$work/usr/bin/gpuyard" report "$work/out" -o "$work/out.html" && grep -q '</html>' "$work/out.html"
check "the installed program writes a report" $?
grep -q '^\.TH GPUYARD 1' "$work/usr/share/man/man1/gpuyard.1"
check "there is a man page" $?
bash -n "$work/usr/share/bash-completion/completions/gpuyard"
check "the completion is bash" $?
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
