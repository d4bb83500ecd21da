/* test_passes_by.c - placer.passes_by() against the placer itself: what is placed in one view is placed at the same GPUs in another,
 * which has no others on their nodes, if the placer passes by all that the other has free. Views are drawn: each GPU is held or not. */
#include "policies/registry.h"
#include "sim/base/random.h"
#include "sim/contract/policy.h"
#include "sim/engine/run.h"
#include "tests/unit/test_core.h"

#include <stdio.h>
#include <string.h>

enum { EACH = 4, NODES = 6, GPUS = EACH * NODES, WANTED = 12, VIEWS = 6000 };
static const char *const names[] = { "pack", "spread", "first-fit" };

static struct random draws;
static unsigned passed, moved, chosen;    /* by all; placed elsewhere; not by all, and yet placed there */
static bool done;

static union { struct placement p; unsigned char room[sizeof(struct placement) + WANTED * sizeof(struct piece)]; } first;

static uint64_t mask_on(node_id n)
{
    for (size_t i = 0; i < first.p.n; i++)
        if (first.p.piece[i].node == n)
            return first.p.piece[i].gpu_mask;
    return 0;
}

/* Job k holds GPU k. */
static void hold(struct sched *s, unsigned k)
{
    union { struct placement p; unsigned char room[sizeof(struct placement) + sizeof(struct piece)]; } at = { .p.n = 1 };
    at.p.piece[0] = (struct piece){ .node = k / EACH, .gpu_mask = UINT64_C(1) << k % EACH, .gpus = 1, .milli = MILLI_ALL };
    assert_int_equal(sched_start(s, k, &at.p), SCHED_OK);
}

static bool is_same(const struct placement *p)
{
    bool same = p && p->n == first.p.n;
    for (size_t i = 0; same && i < p->n; i++)
        same = p->piece[i].node == first.p.piece[i].node && p->piece[i].gpu_mask == first.p.piece[i].gpu_mask;
    return same;
}

static bool draw_first(struct sched *s, const struct request *r)
{
    uint64_t held_in_8 = random_below(&draws, 8);
    sched_mark_t mark = sched_mark(s);
    for (unsigned k = 0; k < GPUS; k++)
        if (random_below(&draws, 8) < held_in_8)
            hold(s, k);
    const struct placement *p = sched_place(s, sched_view(s, FREE_IDLE), r);
    if (p)
        memcpy(&first, p, sizeof *p + p->n * sizeof p->piece[0]);
    sched_rollback(s, mark);
    return p;
}

static void ask_again(struct sched *s, const struct request *r)
{
    const void *params;
    const struct placer *placer = sched_placer(s, &params);
    uint64_t held_in_8 = 3 + random_below(&draws, 6);
    bool all = true;
    sched_mark_t mark = sched_mark(s);
    for (unsigned k = 0; k < GPUS; k++) {
        uint64_t own = mask_on(k / EACH);
        if (own ? !(own >> k % EACH & 1) : random_below(&draws, 8) < held_in_8)
            hold(s, k);
    }
    for (node_id n = 0; n < NODES; n++) {
        uint32_t free = view_node(sched_view(s, FREE_IDLE), n).whole;
        if (free && !mask_on(n))
            all &= placer->passes_by(r, &first.p, n, free, params);
    }
    bool same = is_same(sched_place(s, sched_view(s, FREE_IDLE), r));
    assert_true(same || !all);
    passed += all;
    moved += !same;
    chosen += same && !all;
    sched_rollback(s, mark);
}

static void schedule(struct sched *s, const void *params, void *state)
{
    (void)params;
    (void)state;
    for (unsigned k = 0; k < VIEWS && !done; k++) {
        struct request r = job_request(s, GPUS + (job_id)random_below(&draws, WANTED));
        if (draw_first(s, &r))
            ask_again(s, &r);
    }
    done = true;
    for (job_id j = 0; j < GPUS + WANTED; j++) {
        struct request r = job_request(s, j);
        const struct placement *p = job_state(s, j) == JOB_PENDING ? sched_place(s, sched_view(s, FREE_IDLE), &r) : NULL;
        if (p)
            assert_int_equal(sched_start(s, j, p), SCHED_OK);
    }
}

/* Jobs of one GPU, and one of each number up to WANTED. */
static struct workload *load(struct cluster *c)
{
    struct error err = { "" };
    struct workload *w = workload_new();
    for (unsigned j = 0; j < GPUS + WANTED; j++) {
        struct job_row row = job_row_default;
        char name[8];
        row.job_id = name, row.job_id_length = (size_t)snprintf(name, sizeof name, "%u", j);
        row.gpus = j < GPUS ? 1 : j - GPUS + 1;
        row.duration_ns = NS_PER_S;
        if (workload_add(w, &row, "load", j + 1, &err))
            fail_msg("%s", err.text);
    }
    if (workload_finish(w, "load", &err) || run_bind(c, w, &err))
        fail_msg("%s", err.text);
    return w;
}

static const struct placer *placer_named(const char *name)
{
    for (size_t i = 0;; i++)
        if (!strcmp(builtin_placers[i]->name, name))
            return builtin_placers[i];
}

static void as_the_placer_does(void **state)
{
    struct error err = { "" };
    const struct group_spec g = { .name = "a", .count = NODES, .gpus = EACH, .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX };
    struct cluster *c = cluster_build("some", &g, 1, NULL, 0, &err);
    struct workload *w = load(c);
    const struct policy policy = { .abi = POLICY_ABI, .name = "asks", .schedule = schedule };
    struct run_setup setup = { .cluster = c, .workload = w, .policy = &policy, .placer = placer_named(*state), .check = true };
    random_init(&draws, 1, *state, 0);
    passed = moved = chosen = 0;
    done = false;
    struct sched *s = run_new(&setup);
    if (run_execute(s, &err))
        fail_msg("%s", err.text);
    print_message("%u passed by, %u moved, %u chosen again\n", passed, moved, chosen);
    assert_true(passed > 300);
    assert_true(moved > 300);
    assert_int_equal(chosen, 0);                      /* it says no more often than it must */
    run_free(s);
    workload_free(w);
    cluster_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        { "pack", as_the_placer_does, NULL, NULL, (void *)(uintptr_t)names[0] },
        { "spread", as_the_placer_does, NULL, NULL, (void *)(uintptr_t)names[1] },
        { "first-fit", as_the_placer_does, NULL, NULL, (void *)(uintptr_t)names[2] },
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
