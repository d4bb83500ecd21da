/* test_changes.c - what has changed since a reader looked last: against readers that each keep a set of their own, to
 * which every change adds its thing. */
#include "policies/common/changes.h"
#include "sim/base/random.h"
#include "tests/support/run_memory.h"

enum { THINGS = 30, READERS = 5, STEPS = 50000 };

/* The last first. */
static void each_is_told_once(void **state)
{
    (void)state;
    struct changes c;
    struct random r;
    uint64_t since[READERS] = { 0 };
    bool news[READERS][THINGS] = { 0 };
    random_init(&r, 17, "changes", 0);
    changes_begin(take_block, NULL, &c, THINGS);
    for (int step = 0; step < STEPS; step++) {
        if (random_below(&r, 8)) {
            uint32_t of = (uint32_t)random_below(&r, random_below(&r, 2) ? THINGS : 4);
            changes_note(&c, of);
            for (int k = 0; k < READERS; k++)
                news[k][of] = true;
            continue;
        }
        uint64_t k = random_below(&r, READERS);
        uint64_t before = UINT64_MAX;
        size_t at = c.n, told = 0, wanted = 0;
        for (uint32_t i = 0; i < THINGS; i++)
            wanted += news[k][i];
        for (const struct change *one; (one = changes_next(&c, since[k], &at)); told++) {
            assert_true(news[k][one->of] && change_counts(&c, one) && one->number < before);
            news[k][one->of] = false;
            before = one->number;
        }
        since[k] = c.number;
        assert_int_equal(told, wanted);
    }
    free_blocks();
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_TEST(tests, n, each_is_told_once);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
