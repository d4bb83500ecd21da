/* test_blocks.c - blocks are handed on in order, once each, whoever made them, with one processor and with several. */
#define _GNU_SOURCE /* sched_setaffinity() */
#include "sim/base/blocks.h"
#include "tests/unit/test_core.h"

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

struct work {
    size_t made[BLOCKS_THREADS];      /* the block that a thread has made and not yet handed on, from 1; 0: none */
    size_t *list, n;                  /* as handed on */
    uint64_t *sum;                    /* [block] what making it came to */
    bool twice;                       /* a thread made one before it had handed on the last */
    bool by[BLOCKS_THREADS];
};

/* Blocks take different times. */
static uint64_t sum_of(size_t block)
{
    uint64_t x = block;
    for (size_t i = 0; i < 1000 * (block % 7); i++)
        x = x * 6364136223846793005u + 1;
    return x;
}

static void make(void *self, size_t block, unsigned thread)
{
    struct work *w = self;
    if (w->made[thread])
        w->twice = true;
    w->made[thread] = block + 1;
    w->sum[block] = sum_of(block);
    w->by[thread] = true;
}

static void hand_on(void *self, size_t block, unsigned thread)
{
    struct work *w = self;
    if (w->made[thread] != block + 1)
        w->twice = true;
    w->made[thread] = 0;
    w->list[w->n++] = block;
}

static void all_in_order(size_t n)
{
    struct work w = { .list = calloc(n + 1, sizeof *w.list), .sum = calloc(n + 1, sizeof *w.sum) };
    struct blocks *b = blocks_begin(&(struct blocks_of){ &w, n, make, hand_on });
    blocks_end(b);
    assert_int_equal(w.n, n);
    assert_false(w.twice);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(w.list[i], i);
        assert_true(w.sum[i] == sum_of(i));
    }
    free(w.list);
    free(w.sum);
}

static void any_number(void **state)
{
    (void)state;
    static const size_t n[] = { 0, 1, 2, 7, 8, 9, 1000 };
    for (size_t i = 0; i < sizeof n / sizeof *n; i++)
        all_in_order(n[i]);
}

static void on_one_processor(void **state)
{
    (void)state;
    cpu_set_t was, one;
    assert_int_equal(sched_getaffinity(0, sizeof was, &was), 0);
    CPU_ZERO(&one);
    for (size_t i = 0; i < CPU_SETSIZE && !CPU_COUNT(&one); i++)
        if (CPU_ISSET(i, &was))
            CPU_SET(i, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    struct work w = { .list = calloc(100, sizeof *w.list), .sum = calloc(100, sizeof *w.sum) };
    blocks_end(blocks_begin(&(struct blocks_of){ &w, 100, make, hand_on }));
    assert_int_equal(w.n, 100);
    assert_true(w.by[0] && !w.by[1]);
    free(w.list);
    free(w.sum);
    sched_setaffinity(0, sizeof was, &was);
}

/* At first none is ready; then some are, while the caller does other things; at last all. */
static void as_they_become_ready(void **state)
{
    (void)state;
    enum { N = 200 };
    struct work w = { .list = calloc(N, sizeof *w.list), .sum = calloc(N, sizeof *w.sum) };
    struct blocks *b = blocks_begin(&(struct blocks_of){ &w, N, make, hand_on });
    for (size_t end = 0; end < N; end += 40) {
        blocks_ready(b, end);
        nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
        for (size_t i = end; i < N; i++)
            assert_true(!__atomic_load_n(&w.sum[i], __ATOMIC_RELAXED) || sum_of(i) == 0);
    }
    blocks_end(b);
    assert_int_equal(w.n, N);
    assert_false(w.twice);
    for (size_t i = 0; i < N; i++)
        assert_true(w.list[i] == i && w.sum[i] == sum_of(i));
    free(w.list);
    free(w.sum);
}

/* No more than were ready are made, and those that were handed on are the first ones, in order. */
static void abandoned(void **state)
{
    (void)state;
    enum { N = 200 };
    for (size_t ready = 0; ready <= N; ready += 50) {
        struct work w = { .list = calloc(N, sizeof *w.list), .sum = calloc(N, sizeof *w.sum) };
        struct blocks *b = blocks_begin(&(struct blocks_of){ &w, N, make, hand_on });
        blocks_ready(b, ready);
        blocks_abandon(b);
        assert_true(w.n <= ready);
        for (size_t i = 0; i < w.n; i++)
            assert_int_equal(w.list[i], i);
        free(w.list);
        free(w.sum);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number),
        cmocka_unit_test(on_one_processor),
        cmocka_unit_test(as_they_become_ready),
        cmocka_unit_test(abandoned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
