/* test_choose.c - placer.choose() against the placer itself: of what a view has free, told node by node in any order, it takes the same
 * GPUs in the same pieces. Views are drawn: each GPU is held or not. */
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
static unsigned placed, split, in_vain;
static bool done;

/* Job k holds GPU k. */
static void hold(struct sched *s, unsigned k)
{
    union { struct placement p; unsigned char room[sizeof(struct placement) + sizeof(struct piece)]; } at = { .p.n = 1 };
    at.p.piece[0] = (struct piece){ .node = k / EACH, .gpu_mask = UINT64_C(1) << k % EACH, .gpus = 1, .milli = MILLI_ALL };
    assert_int_equal(sched_start(s, k, &at.p), SCHED_OK);
}

/* What the view has free, the nodes in a drawn order. */
static size_t offers_of(const struct view *v, struct node_offer *offer)
{
    size_t n = 0;
    for (node_id node = 0; node < NODES; node++)
        if (view_node(v, node).whole) {
            size_t at = random_below(&draws, n + 1);
            offer[n++] = offer[at];
            offer[at] = (struct node_offer){ node, view_node(v, node).whole };
        }
    return n;
}

static void compare(const struct placement *p, const struct node_offer *offer, size_t n, uint32_t gpus)
{
    assert_int_equal(n, p ? p->n : 0);
    for (size_t i = 0; i < n; i++) {
        uint32_t takes = offer[i].gpus < gpus ? offer[i].gpus : gpus;
        assert_int_equal(p->piece[i].node, offer[i].node);
        assert_int_equal(p->piece[i].gpus, takes);
        assert_true(i + 1 == n || takes == offer[i].gpus);
        gpus -= takes;
    }
    assert_true(!p || gpus == 0);
}

static void ask(struct sched *s, const struct request *r)
{
    const void *params;
    const struct placer *placer = sched_placer(s, &params);
    struct node_offer offer[NODES];
    uint64_t held_in_8 = random_below(&draws, 8);
    sched_mark_t mark = sched_mark(s);
    for (unsigned k = 0; k < GPUS; k++)
        if (random_below(&draws, 8) < held_in_8)
            hold(s, k);
    size_t n = offers_of(sched_view(s, FREE_IDLE), offer);
    const struct placement *p = sched_place(s, sched_view(s, FREE_IDLE), r);
    compare(p, offer, placer->choose(r, offer, n, params), r->gpus);
    placed += p != NULL;
    split += p && p->n > 1;
    in_vain += !p;
    sched_rollback(s, mark);
}

static void schedule(struct sched *s, const void *params, void *state)
{
    (void)params;
    (void)state;
    for (unsigned k = 0; k < VIEWS && !done; k++) {
        struct request r = job_request(s, GPUS + (job_id)random_below(&draws, WANTED));
        ask(s, &r);
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
    placed = split = in_vain = 0;
    done = false;
    struct sched *s = run_new(&setup);
    if (run_execute(s, &err))
        fail_msg("%s", err.text);
    print_message("%u placed, %u of them in pieces, %u in vain\n", placed, split, in_vain);
    assert_true(placed > 300 && split > 300 && in_vain > 300);
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
