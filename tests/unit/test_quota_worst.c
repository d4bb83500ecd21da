/* test_quota_worst.c - the first victims of a consolidation, kept while leaves change: against all victims, sorted
 * anew by the rules of order; with a control that forgets a change. */
#include "policies/kai/search/search.h"
#include "sim/base/random.h"
#include "sim/scheduler/lines.h"
#include "tests/unit/test_core.h"

#include <stdlib.h>

enum { QUEUES = 40, VICTIMS = 12, LOOKS = 6, CHANGES = 4000 };

static struct world {
    struct quota_params params;
    struct quota_state q;
    struct search x;
    struct worst_list kept;
    struct quota_standing standing[QUEUES];
    struct quota_queue queue[QUEUES];
    struct leaf leaf[QUEUES];
    struct victim_candidate candidate[QUEUES][VICTIMS];
    uint32_t first[QUEUES + 2];
    struct order_node node[QUEUES + 1];
    struct order_entry heap[QUEUES + 1];
    struct order_saved saved[QUEUES + 1];
    queue_id active[QUEUES + 1], restanding[QUEUES];
    uint64_t last_change[2][QUEUES];
    struct change change[2][2 * QUEUES + 1];
    uint64_t preempts[QUEUES];
} world;

/* Few different shares: many ties. Quotas of GPUs alone. A victim may hold nothing that counts. */
static void draw_leaf(struct world *w, struct random *r, queue_id i)
{
    struct quota_queue *q = &w->queue[i];
    struct leaf *l = &w->leaf[i];
    *q = (struct quota_queue){ .parent = ID_NONE, .first_child = ID_NONE, .priority = random_below(r, 6) ? 100 : 50 };
    l->candidates.at = w->candidate[i];
    l->candidates.n = l->candidates.own = l->candidates.all = (uint32_t)random_below(r, VICTIMS + 1);
    for (enum quota_resource of = 0; of < Q_RESOURCES; of++) {
        for (size_t k = 0; k < l->candidates.n; k++) {
            int64_t holds = of == Q_MEM ? 0 : (int64_t)random_below(r, of == Q_GPU ? 4 : 2);
            w->candidate[i][k].holds.of[of] = holds;
            q->of[of].allocated += holds;
        }
        q->of[of].limit = UNLIMITED;
        q->of[of].deserved = of == Q_GPU && random_below(r, 4) ? (int64_t)random_below(r, 9) : UNLIMITED;
        q->of[of].fair = (int64_t)random_below(r, 12);
    }
}

static void begin(struct world *w, struct random *r)
{
    *w = (struct world){ .params = { .consolidation_victims = LOOKS } };
    struct quota_state *q = &w->q;
    *q = (struct quota_state){ .params = &w->params, .n_queues = QUEUES, .pass = 1, .one_measure = true,
                               .total = { { 64, 640, 0 } }, .queue = w->queue, .leaf = w->leaf, .first = w->first,
                               .restanding = w->restanding, .worst_changed = { .last = w->last_change[0], .list = w->change[0], .most = 2 * QUEUES + 1 },
                               .heads_changed = { .last = w->last_change[1], .list = w->change[1], .most = 2 * QUEUES + 1 },
                               .preempts = w->preempts };
    w->first[QUEUES + 1] = QUEUES;
    q->leaves = bitset_shape(QUEUES);
    assert_true(q->leaves.words <= QUEUES);
    q->worst = (struct order){ .q = q, .victims = true, .compares = true, .node = w->node, .heap = w->heap,
                               .active = w->active, .saved = w->saved };
    w->kept.standing = w->standing;
    w->x = (struct search){ .action = CONSOLIDATION, .job = ID_NONE, .worst = &w->kept };
    for (queue_id i = 0; i < QUEUES; i++) {
        draw_leaf(w, r, i);
        quota_standing_changed(q, i);
    }
}

struct victim_at { struct quota_standing standing; queue_id leaf; uint32_t k; };

static int worst_first(const void *a, const void *b)
{
    const struct victim_at *x = a, *y = b;
    if (x->leaf == y->leaf)
        return x->k < y->k ? -1 : 1;
    return quota_goes_before(&x->standing, &y->standing) - quota_goes_before(&y->standing, &x->standing);
}

static size_t sort_all(const struct world *w, struct victim_at *all)
{
    size_t n = 0;
    for (queue_id i = 0; i < QUEUES; i++) {
        struct quota_amount sum = { { 0 } };
        for (uint32_t k = 0; k < w->leaf[i].candidates.n; k++) {
            sum = quota_sum(&sum, &w->candidate[i][k].holds);
            all[n++] = (struct victim_at){ quota_standing(&w->queue[i], NULL, &sum, &w->q.total), i, k };
        }
    }
    qsort(all, n, sizeof *all, worst_first);
    return n;
}

/* In how many of the rounds the list is another than it should be. */
static int differences(bool forgets)
{
    struct world *w = &world;
    struct random r;
    random_init(&r, 31, "quota worst", 0);
    begin(w, &r);
    int wrong = 0;
    for (int change = 0; change < CHANGES; change++) {
        static struct victim_at all[QUEUES * VICTIMS];
        size_t n, most = sort_all(w, all) < LOOKS + 1 ? sort_all(w, all) : LOOKS + 1;
        const struct worst *list = worst_victims(NULL, &w->q, &w->x, &n);
        assert_non_null(list);
        bool same = n == most;
        for (size_t k = 0; k < n && same; k++)
            same = list[k].at.queue == all[k].leaf && list[k].k == all[k].k;
        wrong += !same;
        for (uint64_t more = random_below(&r, 4); more > 0; more--) {
            queue_id i = (queue_id)random_below(&r, QUEUES);
            draw_leaf(w, &r, i);
            quota_standing_changed(&w->q, i);
            if (forgets && random_below(&r, 4) == 0)
                w->last_change[0][i] = 0;
        }
    }
    return wrong;
}

static void stays_the_same(void **state)
{
    (void)state;
    assert_int_equal(differences(false), 0);
}

static void control_forgets_a_leaf(void **state)
{
    (void)state;
    assert_true(differences(true) > 0);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_TEST(tests, n, stays_the_same);
    ADD_TEST(tests, n, control_forgets_a_leaf);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
