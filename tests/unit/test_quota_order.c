/* test_quota_order.c - the order of sibling leaves, read leaf by leaf: against the walk that takes one victim after the
 * other, and against a look at each leaf. */
#include "policies/kai/quota.h"
#include "sim/base/random.h"
#include "tests/unit/test_core.h"

#include <stdlib.h>

enum { QUEUES = 40, VICTIMS = 12, ROUNDS = 3000 };

/* Siblings, the victims of each, worst first, and the order by the first of them. */
struct world {
    struct quota_state q;
    struct quota_queue queue[QUEUES];
    uint32_t first[QUEUES + 2];
    struct order_node node[QUEUES + 1];
    struct order_entry heap[QUEUES + 1];
    queue_id active[QUEUES + 1];
    struct quota_amount victim[QUEUES][VICTIMS];
    uint32_t n_victims[QUEUES];
    struct order o;
    uint32_t begun[QUEUES + 1], n[QUEUES + 1];
    struct order_step step[QUEUES + 1];
    struct quota_amount amount[QUEUES + 1];
    struct order_walk walk;
};

/* Few different shares: many ties. Quotas of GPUs alone, as ties of three queues may go round else. A victim may hold nothing that counts. */
static void draw(struct world *w, struct random *r)
{
    *w = (struct world){ .q = { .n_queues = 1 + (uint32_t)random_below(r, QUEUES), .total = { { 64, 640, 0 } } } };
    w->q.queue = w->queue;
    w->q.first = w->first;
    w->first[w->q.n_queues + 1] = w->q.n_queues;
    w->o = (struct order){ .q = &w->q, .victims = true, .compares = true, .node = w->node, .heap = w->heap, .active = w->active };
    for (queue_id i = 0; i < w->q.n_queues; i++) {
        struct quota_queue *q = &w->queue[i];
        *q = (struct quota_queue){ .parent = ID_NONE, .priority = random_below(r, 6) ? 100 : 50 };
        w->n_victims[i] = (uint32_t)random_below(r, VICTIMS + 1);
        for (uint32_t k = 0; k < w->n_victims[i]; k++)
            for (int of = 0; of < Q_MEM; of++) {
                int64_t more = (int64_t)random_below(r, of == Q_GPU ? 4 : 2);
                w->victim[i][k].of[of] = more;
                q->of[of].allocated += more;
            }
        for (int of = 0; of < Q_RESOURCES; of++) {
            q->of[of].allocated += (int64_t)random_below(r, 2);
            q->of[of].limit = UNLIMITED;
            q->of[of].deserved = of == Q_GPU && random_below(r, 4) ? (int64_t)random_below(r, 9) : UNLIMITED;
            q->of[of].fair = (int64_t)random_below(r, 12);
        }
    }
    order_begin(&w->o);
    for (queue_id i = 0; i < w->q.n_queues; i++)
        if (w->n_victims[i])
            order_add(&w->o, i, &w->victim[i][0]);
    w->o.compares = true;
    if (w->o.n_leaves > 1)
        order_make(&w->o);
}

static struct order_entry entry_of(const struct world *w, queue_id leaf, uint32_t k)
{
    struct quota_amount sum = { { 0 } };
    for (uint32_t i = 0; i <= k; i++)
        sum = quota_sum(&sum, &w->victim[leaf][i]);
    return order_entry_with(&w->o, leaf, &sum);
}

/* Each victim comes where what its own leaf has lost with it says. */
static void walks_by_entries(void **state)
{
    (void)state;
    struct random r;
    random_init(&r, 11, "quota order", 0);
    static struct world w;
    for (int round = 0; round < ROUNDS; round++) {
        draw(&w, &r);
        if (w.o.n_leaves < 2)
            continue;
        uint32_t taken[QUEUES] = { 0 };
        struct order_entry before;
        bool any = false;
        w.walk = (struct order_walk){ .begun = w.begun, .n = w.n, .step = w.step, .amount = w.amount };
        order_walk_begin(&w.walk, &w.o);
        for (queue_id leaf; (leaf = order_walk_top(&w.walk)) != ID_NONE;) {
            struct order_entry now = entry_of(&w, leaf, taken[leaf]);
            assert_true(!any || !order_above(&w.o, &now, &before));
            before = now;
            any = true;
            struct quota_amount sum = { { 0 } };
            taken[leaf]++;
            for (uint32_t i = 0; i <= taken[leaf] && taken[leaf] < w.n_victims[leaf]; i++)
                sum = quota_sum(&sum, &w.victim[leaf][i]);
            order_walk_set(&w.walk, leaf, taken[leaf] < w.n_victims[leaf] ? &sum : NULL);
        }
        for (queue_id i = 0; i < w.q.n_queues; i++)
            assert_int_equal(taken[i], w.n_victims[i]);
    }
}

/* A scan gives the leaves that are not behind the bound, each once. */
static void scans_to_bound(void **state)
{
    (void)state;
    struct random r;
    random_init(&r, 12, "quota order", 0);
    static struct world w;
    for (int round = 0; round < ROUNDS; round++) {
        draw(&w, &r);
        queue_id other = (queue_id)random_below(&r, w.q.n_queues);
        if (w.o.n_leaves < 2 || !w.n_victims[other])
            continue;
        struct order_entry bound = entry_of(&w, other, (uint32_t)random_below(&r, w.n_victims[other]));
        bool all = random_below(&r, 8) == 0, seen[QUEUES] = { 0 };
        struct order_scan scan;
        order_scan_begin(&scan, &w.o);
        for (queue_id leaf; (leaf = order_scan_next(&scan, all ? NULL : &bound)) != ID_NONE;) {
            assert_false(seen[leaf]);
            seen[leaf] = true;
        }
        for (queue_id i = 0; i < w.q.n_queues; i++) {
            struct order_entry first = { 0 };
            if (w.n_victims[i])
                first = entry_of(&w, i, 0);
            bool wanted = w.n_victims[i] && (all || !order_above(&w.o, &bound, &first));
            assert_int_equal(seen[i], wanted);
        }
    }
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_TEST(tests, n, walks_by_entries);
    ADD_TEST(tests, n, scans_to_bound);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
