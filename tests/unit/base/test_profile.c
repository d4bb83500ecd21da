/* test_profile.c - sim/base/profile.h against an array with one number a second, on random holds. */
#include "sim/base/profile.h"
#include "sim/base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SECONDS = 200, HOLDS = 60, STEPS = 400, SEEDS = 200, NEVER_HERE = -1 };

struct world {
    struct random r;
    struct profile *p;
    int64_t value[SECONDS + 1];
    bool marked[SECONDS + 1];
    int64_t seen;                 /* before it no mark is missing */
    struct { int64_t from, until, amount; } hold[HOLDS];
    size_t n;
};

static int64_t draw(struct world *w, uint64_t below)
{
    return (int64_t)random_below(&w->r, below);
}

static void change(struct world *w, size_t i, int64_t sign)
{
    profile_add(w->p, w->hold[i].from, w->hold[i].until, sign * w->hold[i].amount);
    for (int64_t t = w->hold[i].from < 0 ? 0 : w->hold[i].from; t < w->hold[i].until && t <= SECONDS; t++)
        w->value[t] += sign * w->hold[i].amount;
}

static void step(struct world *w)
{
    if (w->n < HOLDS && (w->n == 0 || draw(w, 2))) {
        int64_t from = draw(w, SECONDS), until = draw(w, 10) ? from + draw(w, 40) : INT64_MAX;
        w->hold[w->n].from = draw(w, 6) ? from : INT64_MIN;
        w->hold[w->n].until = until;
        w->hold[w->n].amount = 1 + draw(w, 5);
        change(w, w->n++, 1);
    } else {
        size_t i = (size_t)draw(w, w->n);
        change(w, i, -1);
        w->hold[i] = w->hold[--w->n];
    }
}

static int64_t naive_most(const struct world *w, int64_t from, int64_t until)
{
    int64_t most = w->value[from];
    for (int64_t t = from; t < until; t++)
        most = w->value[t] > most ? w->value[t] : most;
    return most;
}

static int64_t naive_fit(const struct world *w, int64_t after, int64_t length, int64_t most)
{
    for (int64_t t = after; t + length <= SECONDS; t++)
        if (naive_most(w, t, t + length) <= most)
            return t;
    return NEVER_HERE;
}

static int64_t naive_fit_before(const struct world *w, int64_t after, int64_t latest, int64_t before, int64_t length,
                                int64_t most)
{
    for (int64_t t = after; t < latest; t++)
        if (naive_most(w, t, t + length < before ? t + length : before) <= most)
            return t;
    return latest;
}

/* Before second 0 there are all holds from INT64_MIN on. */
static int64_t naive_peak(const struct world *w)
{
    int64_t most = naive_most(w, 0, SECONDS + 1), before = 0;
    for (size_t i = 0; i < w->n; i++)
        before += w->hold[i].from == INT64_MIN ? w->hold[i].amount : 0;
    return before > most ? before : most;
}

static void check_peak(struct profile *p, int64_t peak)
{
    assert_true(profile_within(p, peak));
    assert_false(profile_within(p, peak - 1));
    assert_true(profile_within(p, peak + 1));
}

static void check_since(struct world *w, int64_t until, int64_t after, int64_t max)
{
    int64_t want = until, before;
    while (want > after && w->value[want - 1] <= max)
        want--;
    assert_int_equal(profile_since(w->p, until, after, max, &before), want);
    assert_int_equal(before, w->value[until - 1]);
}

static void write_mark(const struct world *w, int64_t t, struct profile_mark m)
{
    assert_int_equal(*m.mark, w->marked[t] ? t : 0);
    assert_int_equal(m.before, w->value[t - 1]);
    *m.mark = (uint32_t)t;
}

/* Marks of seconds: each is the second itself. */
static void mark_some(struct world *w)
{
    int64_t t = 1 + draw(w, SECONDS - 1);
    if (w->marked[t])
        profile_unmark(w->p, t);
    else
        write_mark(w, t, profile_mark(w->p, t));
    w->marked[t] = !w->marked[t];
}

/* A hold with a mark at its beginning, which may stay there, begins sooner. */
static void advance_some(struct world *w)
{
    size_t i = w->n ? (size_t)draw(w, w->n) : 0;
    int64_t was = w->hold[i].from;
    if (!w->n || was < 2 || w->hold[i].until <= was || w->hold[i].until == INT64_MAX)
        return;
    if (!w->marked[was])
        write_mark(w, was, profile_mark(w->p, was));
    int64_t to = 1 + draw(w, (uint64_t)was - 1);
    bool last = draw(w, 2);
    struct profile_hold h = { was, w->hold[i].until, w->hold[i].amount };
    write_mark(w, to, profile_advance(w->p, &h, to, last));
    w->marked[was] = !last;
    w->marked[to] = true;
    for (int64_t t = was; t < h.until && t <= SECONDS; t++)
        w->value[t] -= h.amount;
    w->hold[i].from = to;
    w->hold[i].until = to + h.until - was;
    for (int64_t t = to; t < w->hold[i].until && t <= SECONDS; t++)
        w->value[t] += h.amount;
}

static void see_mark(void *context, uint32_t mark, int64_t before)
{
    struct world *w = context;
    while (!w->marked[w->seen])
        w->seen++;
    assert_int_equal(mark, w->seen);
    assert_int_equal(before, w->value[w->seen - 1]);
    w->seen++;
}

static void check_span(struct world *w, int64_t from, int64_t until)
{
    int64_t least = w->value[from];
    for (int64_t t = from; t < until; t++)
        least = w->value[t] < least ? w->value[t] : least;
    struct profile_span span = profile_span(w->p, from, until);
    assert_int_equal(span.least, least);
    assert_int_equal(span.behind, w->value[until]);
    if (from > 0)
        assert_int_equal(span.before, w->value[from - 1]);
}

static void check_marks(struct world *w, int64_t from, int64_t until, int64_t most)
{
    int64_t last = until;
    w->seen = from;
    profile_marks(w->p, from, until, see_mark, w);
    while (w->seen <= until)
        assert_false(w->marked[w->seen++]);
    while (last > from && !(w->marked[last] && w->value[last - 1] > most))
        last--;
    int64_t before = 0;
    assert_int_equal(profile_last_mark(w->p, from, until, most, &before), last > from ? last : 0);
    if (last > from)
        assert_int_equal(before, w->value[last - 1]);
}

static void agrees_with_an_array(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct world w = { .p = profile_new() };
        random_init(&w.r, seed, "profile", 0);
        for (int k = 0; k < STEPS; k++) {
            step(&w);
            int64_t from = draw(&w, SECONDS - 50), until = from + draw(&w, 50);
            assert_int_equal(profile_at(w.p, from), w.value[from]);
            assert_int_equal(profile_max(w.p, from, until), naive_most(&w, from, until));
            int64_t length = 1 + draw(&w, 30), most = draw(&w, 30);
            int64_t want = naive_fit(&w, from, length, most), got = profile_fit(w.p, from, INT64_MAX, INT64_MAX, length, most);
            if (want == NEVER_HERE)
                assert_true(got > SECONDS - length);
            else
                assert_int_equal(got, want);
            int64_t before = from + draw(&w, 50), latest = from + draw(&w, (uint64_t)(before - from) + 1);
            assert_int_equal(profile_fit(w.p, from, latest, before, length, most),
                             naive_fit_before(&w, from, latest, before, length, most));
            check_peak(w.p, naive_peak(&w));
            check_since(&w, from + 1 + draw(&w, 40), from, most);
            check_span(&w, from, from + 1 + draw(&w, 40));
            check_marks(&w, from + 1, from + 1 + draw(&w, 49), most);
            mark_some(&w);
            advance_some(&w);
        }
        profile_free(w.p);
    }
}

/* Some 100,000 steps at once: the array has one number a time, summed up anew from the holds. */
enum { TIMES = 400000, MANY = 60000, ASKED = 300, LONG = 3000 };
struct many {
    struct random r;
    struct profile *p;
    struct { int64_t from, until, amount; } hold[MANY];
    int64_t value[TIMES + 1];
};

static int64_t many_draw(struct many *m, int64_t below)
{
    return (int64_t)random_below(&m->r, (uint64_t)below);
}

static void many_sum(struct many *m, size_t first)
{
    memset(m->value, 0, sizeof m->value);
    for (size_t i = first; i < MANY; i++) {
        m->value[m->hold[i].from] += m->hold[i].amount;
        m->value[m->hold[i].until] -= m->hold[i].amount;
    }
    for (size_t t = 1; t <= TIMES; t++)
        m->value[t] += m->value[t - 1];
}

static int64_t many_most(const struct many *m, int64_t from, int64_t until)
{
    int64_t most = m->value[from];
    for (int64_t t = from; t < until; t++)
        most = m->value[t] > most ? m->value[t] : most;
    return most;
}

static int64_t many_fit(const struct many *m, int64_t after, int64_t latest, int64_t before,
                        int64_t length, int64_t most)
{
    for (int64_t t = after, from = after; t < before; t++) {
        if (m->value[t] > most)
            from = t + 1;
        if (from >= latest)
            break;
        if (t + 1 - from == length || t + 1 == before)
            return from;
    }
    return latest;
}

static void many_ask(struct many *m)
{
    for (int k = 0; k < ASKED; k++) {
        int64_t from = many_draw(m, TIMES - 2), until = from + 1 + many_draw(m, TIMES - from);
        assert_int_equal(profile_at(m->p, from), m->value[from]);
        assert_int_equal(profile_max(m->p, from, until), many_most(m, from, until));
        int64_t latest = from + 1 + many_draw(m, until - from), length = 1 + many_draw(m, LONG);
        int64_t most = m->value[from] + many_draw(m, 400) - 200;
        assert_int_equal(profile_fit(m->p, from, latest, until, length, most),
                         many_fit(m, from, latest, until, length, most));
    }
    check_peak(m->p, many_most(m, 0, TIMES));
}

static void agrees_at_100000_steps(void **state)
{
    (void)state;
    static struct many m;
    m.p = profile_new();
    random_init(&m.r, 7, "profile", 0);
    for (size_t i = 0; i < MANY; i++) {
        m.hold[i].from = many_draw(&m, TIMES - LONG);
        m.hold[i].until = m.hold[i].from + 1 + many_draw(&m, LONG);
        m.hold[i].amount = 1 + many_draw(&m, 64);
        profile_add(m.p, m.hold[i].from, m.hold[i].until, m.hold[i].amount);
    }
    many_sum(&m, 0);
    many_ask(&m);
    for (size_t gone = 0; gone < MANY; gone += MANY / 4) {
        for (size_t i = gone; i < gone + MANY / 4; i++)
            profile_add(m.p, m.hold[i].from, m.hold[i].until, -m.hold[i].amount);
        many_sum(&m, gone + MANY / 4);
        many_ask(&m);
    }
    profile_free(m.p);
}

static void empty(void **state)
{
    (void)state;
    struct profile *p = profile_new();
    assert_int_equal(profile_at(p, 5), 0);
    assert_int_equal(profile_max(p, 0, INT64_MAX), 0);
    assert_int_equal(profile_fit(p, 7, INT64_MAX, INT64_MAX, INT64_MAX, 0), 7);
    profile_add(p, 3, 3, 9);                         /* an empty interval */
    assert_int_equal(profile_max(p, 0, INT64_MAX), 0);
    assert_int_equal(profile_fit(p, INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX, 0), INT64_MAX);
    profile_add(p, 10, INT64_MAX, 2);
    assert_int_equal(profile_fit(p, 0, INT64_MAX, INT64_MAX, 10, 1), 0);   /* ends where the hold begins */
    assert_int_equal(profile_fit(p, 0, INT64_MAX, INT64_MAX, 11, 1), INT64_MAX);
    profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(agrees_with_an_array), cmocka_unit_test(agrees_at_100000_steps),
                                        cmocka_unit_test(empty) };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
