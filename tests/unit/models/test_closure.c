/* test_closure.c - closures against the definition in closure.h, by hand and by looking at every
 * repetition. */
#include "sim/base/random.h"
#include "sim/models/closure.h"
#include "tests/unit/test_core.h"

struct row { struct closure c; int64_t from, until; bool denied; };
/* clang-format off */
static const struct row rows[] = {
    { { 10, 20, 0, 0, false }, 0, 10, false },      /* ends as it begins */
    { { 10, 20, 0, 0, false }, 0, 11, true },       /* lasts into it */
    { { 10, 20, 0, 0, false }, 10, 11, true },
    { { 10, 20, 0, 0, false }, 19, 25, true },
    { { 10, 20, 0, 0, false }, 20, 25, false },     /* begins as it ends */
    { { 10, 20, 3, 0, false }, 6, 7, false },
    { { 10, 20, 3, 0, false }, 7, 8, true },        /* the nodes take no job any more */
    { { 10, 20, 0, 0, true }, 0, 15, false },       /* what runs stays */
    { { 10, 20, 0, 0, true }, 10, 11, true },
    { { 10, 20, 0, 0, false }, 0, INT64_MAX, false },    /* without an end: only the time itself */
    { { 10, 20, 0, 0, false }, 10, INT64_MAX, true },
    { { 10, 20, 0, 50, false }, 20, 60, false },    /* the next begins at 60 */
    { { 10, 20, 0, 50, false }, 20, 61, false },    /* longer than the 40 between two: none would do */
    { { 10, 20, 0, 50, false }, 25, 61, true },     /* 36 would have fit */
    { { 10, 20, 0, 50, false }, 60, 61, true },
    { { 10, 20, 0, 50, false }, 110, 115, true },   /* the third */
    { { 10, 20, 0, 50, false }, 120, 125, false },
};
/* clang-format on */

static void by_hand(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (closure_denies(&rows[i].c, rows[i].from, rows[i].until) != rows[i].denied)
            fail_msg("row %zu: want %d", i, rows[i].denied);
}

/* The repetitions one by one, as closure.h defines them. */
static bool denied_by_any(const struct closure *c, int64_t from, int64_t until)
{
    int64_t between = c->every_ns - (c->until_ns - c->from_ns) - c->drain_ns, later = 0;
    for (int n = 0; n < 40; n++, later += c->every_ns) {
        int64_t begins = c->from_ns + later, ends = c->until_ns + later;
        if (from >= begins - c->drain_ns && from < ends)
            return true;
        if (!c->keeps && from < begins && until > begins && !(c->every_ns && until - from > between))
            return true;
        if (!c->every_ns)
            break;
    }
    return false;
}

static void one_by_one(void **state)
{
    (void)state;
    struct random r;
    unsigned denied = 0;
    random_init(&r, 1, "closures", 0);
    for (int i = 0; i < 20000; i++) {
        struct closure c = { .from_ns = (int64_t)random_below(&r, 20), .drain_ns = (int64_t)random_below(&r, 4),
                             .keeps = random_below(&r, 4) == 0 };
        int64_t lasts = 1 + (int64_t)random_below(&r, 10), from = (int64_t)random_below(&r, 100);
        c.until_ns = c.from_ns + lasts;
        c.every_ns = random_below(&r, 2) ? lasts + c.drain_ns + 1 + (int64_t)random_below(&r, 20) : 0;
        int64_t until = from + 1 + (int64_t)random_below(&r, 15);
        assert_true(closure_denies(&c, from, until) == denied_by_any(&c, from, until));
        assert_true(closure_end_ns(&c, from) == c.until_ns + closure_later_ns(&c, from));
        assert_true(!c.every_ns || closure_end_ns(&c, from) > from);
        denied += denied_by_any(&c, from, until);
    }
    assert_in_range(denied, 4000, 16000);      /* both answers are met often */
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(by_hand), cmocka_unit_test(one_by_one) };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
