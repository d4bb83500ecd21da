/* test_ends.c - ends of holds that come and go: the first that still stands, against a look at all of them. */
#include "sim/scheduler/planned/ends.h"
#include "sim/base/random.h"
#include "tests/unit/test_core.h"

enum { HOLDS = 200, CHANGES = 200000, GONE = -1 };

static int64_t end_of[HOLDS];      /* GONE: there is no such hold */

static bool is_there(const void *context, struct end e)
{
    const int64_t *ends = context;
    return ends[e.hold] == e.end_ns;
}

/* The first by end, then by number, at that time or before; HOLDS: there is none. */
static uint32_t first_by(int64_t until_ns)
{
    uint32_t first = HOLDS;
    for (uint32_t i = 0; i < HOLDS; i++)
        if (end_of[i] != GONE && end_of[i] <= until_ns && (first == HOLDS || end_of[i] < end_of[first]))
            first = i;
    return first;
}

static void as_of_all(void **state)
{
    (void)state;
    struct ends_ahead ends = { .stands = is_there, .context = end_of };
    struct random r;
    random_init(&r, 5, "ends", 0);
    for (uint32_t i = 0; i < HOLDS; i++)
        end_of[i] = GONE;
    int64_t now_ns = 0;
    unsigned came = 0, stale = 0;
    size_t most = 0;
    for (int change = 0; change < CHANGES; change++) {
        uint32_t i = (uint32_t)random_below(&r, HOLDS);
        stale += end_of[i] != GONE;
        ends.gone += end_of[i] != GONE && random_below(&r, 4);    /* not all are counted */
        end_of[i] = random_below(&r, 3) ? now_ns + 1 + (int64_t)random_below(&r, 50) : GONE;
        if (end_of[i] != GONE)
            ends_add(&ends, (struct end){ end_of[i], i });
        most = ends.n > most ? ends.n : most;
        now_ns += random_below(&r, 60) == 0 ? (int64_t)random_below(&r, 8) : 0;
        for (uint32_t want; (want = first_by(now_ns)) != HOLDS; came++) {
            struct end first;
            assert_true(ends_come(&ends, now_ns));
            assert_true(ends_take(&ends, now_ns, &first));
            assert_int_equal(first.hold, want);
            assert_true(first.end_ns == end_of[want]);
            end_of[want] = random_below(&r, 2) ? now_ns + 1 + (int64_t)random_below(&r, 9) : GONE;
            if (end_of[want] != GONE)
                ends_add(&ends, (struct end){ end_of[want], want });
        }
        struct end none;
        assert_false(ends_take(&ends, now_ns, &none));
    }
    assert_true(came > 10000 && stale > 10000);
    assert_true(most < 8 * HOLDS);            /* what has gone does not pile up */
    ends_free(&ends);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(as_of_all) };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
