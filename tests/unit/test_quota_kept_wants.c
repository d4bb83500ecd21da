/* test_quota_kept_wants.c - wants in blocks against an array that is sorted anew after every change of long random sequences. */
#include "policies/kai/queues/kept_wants.h"
#include "sim/base/random.h"
#include "tests/support/run_memory.h"

#include <stdlib.h>

enum { QUEUES = 700, CHANGES = 30000 };
static int by_wants(const void *a, const void *b)
{
    const struct wanting *x = a, *y = b;
    if (x->wants != y->wants)
        return x->wants < y->wants ? -1 : 1;
    return (x->queue > y->queue) - (x->queue < y->queue);
}

/* In any number of blocks there are no more than there is room for, and none is empty. */
static void check(const struct kept_wants *w, const int64_t *wants, struct random *r)
{
    struct wanting plain[QUEUES];
    size_t n = 0;
    for (queue_id i = 0; i < QUEUES; i++)
        if (wants[i])
            plain[n++] = (struct wanting){ wants[i], i };
    qsort(plain, n, sizeof *plain, by_wants);
    assert_int_equal(w->n, n);
    assert_true(w->n_blocks <= 2 * (QUEUES / (WANTS_BLOCK / 2)) + 2);
    int64_t sum = 0;
    size_t asked = random_below(r, n + 1);
    for (size_t i = 0; i < asked; i++)
        sum += plain[i].wants;
    assert_int_equal(wants_sum(w, asked), sum);
    struct wants_walk walk = wants_from(w, asked);
    for (size_t i = asked; i < n; i++) {
        const struct wanting *one = wants_next(&walk);
        assert_int_equal(one->queue, plain[i].queue);
        assert_int_equal(one->wants, plain[i].wants);
    }
    assert_null(wants_next(&walk));
    struct wanting some = { (int64_t)random_below(r, 60), (queue_id)random_below(r, QUEUES) };
    size_t before = 0;
    while (before < n && by_wants(&plain[before], &some) < 0)
        before++;
    assert_int_equal(wants_rank(w, some.wants, some.queue), before);
    if (asked < n)
        assert_int_equal(wants_at(w, asked)->queue, plain[asked].queue);
}

/* Now most want something, now few. */
static void stays_sorted(void **state)
{
    (void)state;
    static int64_t wants[QUEUES];
    struct random r;
    random_init(&r, 22, "quota kept wants", 0);
    struct kept_wants w = wants_new(take_block, NULL, QUEUES);
    for (int change = 0; change < CHANGES; change++) {
        queue_id i = (queue_id)random_below(&r, QUEUES);
        bool few = change / 3000 % 2;
        int64_t now = random_below(&r, few ? 10 : 2) ? 0 : 1 + (int64_t)random_below(&r, 60);
        if (wants[i])
            wants_remove(&w, wants[i], i);
        if (now)
            wants_add(&w, now, i);
        wants[i] = now;
        if (change % 16 == 0)
            check(&w, wants, &r);
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
