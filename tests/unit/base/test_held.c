/* test_held.c - sim/base/gaps/held.h against one count a second for each unit, on random holds that overlap. */
#include "sim/base/gaps/held.h"
#include "sim/base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { UNITS = 5, SECONDS = 30, HOLDS = 24, STEPS = 400, SEEDS = 60 };

struct hold { uint64_t units; int64_t from, until; };
struct world {
    struct random r;
    struct held h;
    int holds[UNITS][SECONDS + 1];    /* the last second: from then on for ever */
    struct hold hold[HOLDS];
    size_t n;
    unsigned several;
};

static int64_t draw(struct world *w, uint64_t below)
{
    return (int64_t)random_below(&w->r, below);
}

static void change(struct world *w, const struct hold *h, int sign)
{
    bool several = false;
    for (size_t u = 0; u < UNITS; u++)
        for (int64_t t = 0; t <= SECONDS; t++) {
            bool meets = h->units >> u & 1 && t >= h->from && t < h->until;
            several |= meets && w->holds[u][t] > (sign < 0);
            w->holds[u][t] += meets ? sign : 0;
        }
    uint32_t row = held_at(&w->h, h->from);
    bool said = held_change(&w->h, &row, h->units, h->from, h->until, sign);
    assert_int_equal(row, held_at(&w->h, h->from));
    if (h->from < SECONDS)                           /* else no second tells */
        assert_int_equal(said, several);
    w->several += several;
}

static void step(struct world *w)
{
    if (w->n < HOLDS && (w->n == 0 || draw(w, 3))) {
        int64_t from = draw(w, SECONDS);
        struct hold h = { (uint64_t)draw(w, 31) + 1, draw(w, 5) ? from : INT64_MIN, draw(w, 5) ? from + 1 + draw(w, 12) : INT64_MAX };
        h.until = h.until > SECONDS ? INT64_MAX : h.until;
        w->hold[w->n++] = h;
        change(w, &h, 1);
    } else {
        size_t i = (size_t)draw(w, w->n);
        change(w, &w->hold[i], -1);
        w->hold[i] = w->hold[--w->n];
    }
}

static uint64_t units_at(const struct world *w, int64_t t)
{
    uint64_t units = 0;
    for (size_t u = 0; u < UNITS; u++)
        units |= (uint64_t)(w->holds[u][t] > 0) << u;
    return units;
}

static bool alike(const struct world *w, int64_t a, int64_t b)
{
    for (size_t u = 0; u < UNITS; u++)
        if (w->holds[u][a] != w->holds[u][b])
            return false;
    return true;
}

static void agrees(const struct world *w)
{
    uint32_t rows = 1;
    size_t crowded = 0;
    for (int64_t t = 0; t <= SECONDS; t++) {
        bool begins = t == 0 || !alike(w, t - 1, t), several = false;
        rows += t > 0 && begins;
        for (size_t u = 0; u < UNITS; u++)
            several |= w->holds[u][t] > 1;
        crowded += begins && several;
        assert_int_equal(held_units(&w->h, held_at(&w->h, t)), units_at(w, t));
    }
    if (held_time(&w->h, w->h.n > 1 ? 1 : 0) != 0)   /* else before the first second there is another row */
        assert_int_equal(w->h.n, rows);
    if (held_time(&w->h, w->h.n > 1 ? 1 : 0) != 0)
        assert_int_equal(held_crowded(&w->h), crowded);
}

static void counts(void **state)
{
    (void)state;
    unsigned several = 0, planes = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct world w = { .n = 0 };
        random_init(&w.r, seed, "held", 0);
        held_begin(&w.h);
        for (int k = 0; k < STEPS; k++) {
            step(&w);
            agrees(&w);
        }
        while (w.n)
            change(&w, &w.hold[--w.n], -1);
        assert_int_equal(w.h.n, 1);
        assert_int_equal(held_crowded(&w.h), 0);
        several += w.several;
        planes += w.h.planes > 3;
        held_end(&w.h);
    }
    assert_true(several > 1000);                     /* of 24,000 */
    assert_true(planes > 10);                        /* more than seven holds of one unit */
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(counts) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
