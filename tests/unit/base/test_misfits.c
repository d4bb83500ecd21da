/* test_misfits.c - sim/base/misfits.h against arrays with one number a second, on random needs and
 * holds: what is said to be no start is none, and a search from there on finds what a search from
 * `after` on finds. */
#include "sim/base/misfits.h"
#include "sim/base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { ALL = 8, SECONDS = 50, STEPS = 400, SEEDS = 200 };

struct world {
    struct random r;
    int64_t free[SECONDS];        /* and nothing from then on */
    struct misfits m;
    int64_t now;
    unsigned known, cut, whole;   /* so that a test that sees nothing fails */
};

static int64_t draw(struct world *w, uint64_t below)
{
    return (int64_t)random_below(&w->r, below);
}

/* By the definition in misfits.h. */
static bool is_start(const struct world *w, int64_t t, int64_t need, int64_t length, int64_t before)
{
    for (int64_t i = t; i < before && i - t < length; i++)
        if (i >= SECONDS || w->free[i] < need)
            return false;
    return true;
}

static int64_t first_start(const struct world *w, struct misfit q)
{
    int64_t t = q.after;
    while (t < q.until && !is_start(w, t, q.need, q.length, q.before))
        t++;
    return t;
}

/* The start of some plan, and a question about those before it. */
static void ask(struct world *w)
{
    int64_t before = w->now + 1 + draw(w, SECONDS);
    struct misfit q = { 1 + draw(w, ALL), 1 + draw(w, 15), before, w->now + draw(w, 2), before };
    q.length = draw(w, 10) ? q.length : INT64_MAX;
    q.until = q.after + draw(w, (uint64_t)(before - q.after + 1));
    int64_t known = misfits_until(&w->m, q.need, q.length, before, q.after, q.until);
    assert_true(known >= q.after);
    int64_t start = first_start(w, q);
    assert_true(start >= known || start == q.until);
    w->known += known > q.after;
    w->cut += known > q.after && known < q.until;
    w->whole += known >= q.until && q.until > q.after;
    if (start == q.until)
        misfits_note(&w->m, q);
}

static void change(struct world *w)
{
    int64_t from = draw(w, 6) ? w->now + draw(w, SECONDS) : INT64_MIN, length = 1 + draw(w, 20);
    bool freed = draw(w, 2);
    for (int64_t i = from < 0 ? 0 : from; i < SECONDS && i - (from < 0 ? 0 : from) < length; i++)
        w->free[i] = freed ? w->free[i] + draw(w, 3) : w->free[i] - draw(w, 2);
    if (freed)
        misfits_freed(&w->m, from);
}

static void says_no_start_that_is_one(void **state)
{
    (void)state;
    unsigned known = 0, cut = 0, whole = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct world w = { .now = 0 };
        random_init(&w.r, seed, "misfits", 0);
        for (int i = 0; i < SECONDS; i++)
            w.free[i] = draw(&w, ALL);
        for (int i = 0; i < STEPS; i++) {
            if (draw(&w, 12))
                ask(&w);
            else
                change(&w);
            w.now += w.now < SECONDS - 2 && !draw(&w, 15);
        }
        known += w.known;
        cut += w.cut;
        whole += w.whole;
    }
    assert_true(known > 10000 && cut > 1000 && whole > 1000);
}

/* By hand: 3 of 4 are wanted for 10 s before 50 s, and none has been found up to then. */
static void knows_what_asks_for_no_less(void **state)
{
    (void)state;
    struct misfits m = { .n = 0 };
    misfits_note(&m, (struct misfit){ 3, 10, 50, 5, 50 });
    assert_int_equal(misfits_until(&m, 3, 10, 50, 5, 50), 50);
    assert_int_equal(misfits_until(&m, 4, INT64_MAX, 90, 6, 90), 50);
    assert_int_equal(misfits_until(&m, 2, 10, 50, 5, 50), 5);      /* less */
    assert_int_equal(misfits_until(&m, 3, 9, 50, 5, 50), 5);       /* shorter */
    assert_int_equal(misfits_until(&m, 3, 10, 50, 4, 50), 4);      /* earlier than was looked */
    assert_int_equal(misfits_until(&m, 3, 12, 40, 5, 40), 31);     /* 30 s + 10 s ends by 40 s */
    misfits_freed(&m, 45);
    assert_int_equal(misfits_until(&m, 3, 10, 50, 5, 50), 36);     /* 35 s + 10 s ends by 45 s */
    misfits_freed(&m, INT64_MIN);
    assert_int_equal(misfits_until(&m, 3, 10, 50, 5, 50), 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_no_start_that_is_one),
        cmocka_unit_test(knows_what_asks_for_no_less),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
