/* test_quota_kept_order.c - an order of leaves that is kept while they change: against one that is sorted anew by
 * quota_goes_before() after every change of long random sequences. */
#include "policies/kai/queues/kept_order.h"
#include "sim/base/random.h"
#include "tests/support/run_memory.h"

#include <stdlib.h>

enum { QUEUES = 60, CHANGES = 20000 };
/* Few different shares: many ties. Quotas of GPUs alone. */
static void draw_queue(struct random *r, struct quota_queue *q)
{
    *q = (struct quota_queue){ .parent = ID_NONE, .priority = random_below(r, 5) ? 100 : 50 };
    for (enum quota_resource of = 0; of < Q_RESOURCES; of++) {
        bool endless = of != Q_GPU || random_below(r, 6) == 0;
        q->of[of].allocated = (int64_t)random_below(r, of == Q_GPU ? 6 : 2);
        q->of[of].limit = UNLIMITED;
        q->of[of].deserved = endless ? UNLIMITED : (int64_t)random_below(r, 6);
        q->of[of].fair = (int64_t)random_below(r, 8);
    }
}

static struct quota_standing standing[QUEUES];

static int by_rule(const void *a, const void *b)
{
    const struct quota_standing *x = &standing[*(const queue_id *)a], *y = &standing[*(const queue_id *)b];
    return quota_goes_before(y, x) - quota_goes_before(x, y);
}

static void stays_sorted(void **state)
{
    (void)state;
    static const struct quota_amount total = { { 64, 640, 64 } };
    static struct quota_queue queue[QUEUES];
    bool in[QUEUES] = { 0 };
    struct random r;
    random_init(&r, 21, "quota kept order", 0);
    struct kept_order o = { 0 };
    struct quota_amount ask = { { 2, 1, 0 } };
    for (int change = 0; change < CHANGES; change++) {
        queue_id i = (queue_id)random_below(&r, QUEUES);
        draw_queue(&r, &queue[i]);
        standing[i] = quota_standing(&queue[i], &ask, NULL, &total);
        struct kept_entry now = kept_entry_of(&standing[i], i);
        bool leaves = in[i] && random_below(&r, 4) == 0;
        if (leaves)
            kept_drop(&o, i);
        else
            kept_put(take_block, NULL, &o, &now);
        in[i] = !leaves;
        assert_true(kept_has(&o, i) == in[i]);
        queue_id want[QUEUES];
        size_t n = 0;
        for (queue_id k = 0; k < QUEUES; k++)
            if (in[k])
                want[n++] = k;
        qsort(want, n, sizeof *want, by_rule);
        assert_int_equal(o.n, n);
        for (size_t k = 0; k < n; k++)
            assert_true(o.entry[k].leaf == want[k] && o.leaf[k] == want[k]);
    }
    free_blocks();
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_TEST(tests, n, stays_sorted);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
