/* test_gaps.c - sim/base/gaps.h against arrays with one number a second for each unit, on random holds. */
#include "sim/base/gaps.h"
#include "sim/base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { EACH = 4, GROUPS = 3, UNITS = EACH * GROUPS, SECONDS = 60, HOLDS = 40, STEPS = 300, SEEDS = 120 };

struct hold { uint64_t units; int64_t from, until; };     /* of any groups */
struct world {
    struct random r;
    struct gaps *g;
    int holds[UNITS][SECONDS + 1];    /* the last second: from then on for ever */
    struct hold hold[HOLDS];
    size_t n;
    unsigned overlaps;                /* one unit in OVERLAPS may be held twice; 0: none is */
};

static int64_t draw(struct world *w, uint64_t below)
{
    return (int64_t)random_below(&w->r, below);
}

static bool covers(const struct hold *h, size_t unit, int64_t t)
{
    return h->units >> unit & 1 && t >= h->from && t < h->until;
}

static uint64_t of_group(uint64_t units, size_t group)
{
    return units >> group * EACH & ((UINT64_C(1) << EACH) - 1);
}

static void change(struct world *w, const struct hold *h, int sign)
{
    for (size_t g = 0; g < GROUPS; g++)
        gaps_hold(w->g, g, of_group(h->units, g), h->from, h->until, sign);
    for (size_t u = 0; u < UNITS; u++)
        for (int64_t t = 0; t <= SECONDS; t++)
            w->holds[u][t] += covers(h, u, t) ? sign : 0;
}

static bool is_taken(const struct world *w, const struct hold *h)
{
    for (size_t u = 0; u < UNITS; u++)
        for (int64_t t = 0; t <= SECONDS; t++)
            if (covers(h, u, t) && w->holds[u][t])
                return true;
    return false;
}

static struct hold draw_hold(struct world *w)
{
    int64_t first = draw(w, UNITS - 3);
    struct hold h = { .units = (uint64_t)(draw(w, 7) + 1) << first };
    int64_t from = draw(w, SECONDS);
    h.from = draw(w, 5) ? from : INT64_MIN;
    h.until = draw(w, 8) ? from + draw(w, 20) : INT64_MAX;
    return h;
}

static void add(struct world *w)
{
    struct hold h = draw_hold(w);
    if (is_taken(w, &h) && (!w->overlaps || draw(w, w->overlaps)))
        return;
    w->hold[w->n++] = h;
    change(w, &h, 1);
}

static void step(struct world *w, size_t keep)
{
    if (w->n < HOLDS && (w->n <= keep || draw(w, 2))) {
        add(w);
    } else if (w->n > keep) {
        size_t i = keep + (size_t)draw(w, w->n - keep);
        change(w, &w->hold[i], -1);
        w->hold[i] = w->hold[--w->n];
    }
}

/* length above SECONDS: without end. `but` is away; NULL: none is. */
static bool is_free(const struct world *w, size_t unit, int64_t from, int64_t length, const struct hold *but)
{
    for (int64_t t = from; t <= SECONDS && t < from + length; t++)
        if (w->holds[unit][t] - (but && covers(but, unit, t)))
            return false;
    return true;
}

static uint64_t free_units(const struct world *w, int64_t from, int64_t length, const struct hold *but)
{
    uint64_t units = 0;
    for (size_t u = 0; u < UNITS; u++)
        units |= (uint64_t)is_free(w, u, from, length, but) << u;
    return units;
}

static int64_t naive_fit(const struct world *w, int64_t after, int64_t latest, int64_t length, int64_t n,
                         const struct hold *but)
{
    for (int64_t t = after; t <= latest; t++)
        if (__builtin_popcountll(free_units(w, t, length, but)) >= n)
            return t;
    return INT64_MAX;
}

static struct world begin(uint64_t seed, unsigned overlaps)
{
    struct world w = { .g = gaps_new(GROUPS, EACH), .overlaps = overlaps };
    random_init(&w.r, seed, "gaps", 0);
    return w;
}

static bool naive_overlap(const struct world *w)
{
    for (size_t u = 0; u < UNITS; u++)
        for (int64_t t = 0; t <= SECONDS; t++)
            if (w->holds[u][t] > 1)
                return true;
    return false;
}

static void the_earliest_place(void **state)
{
    (void)state;
    unsigned found = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct world w = begin(seed, seed % 3 ? 4 : 0);
        for (int k = 0; k < STEPS; k++) {
            step(&w, 0);
            int64_t after = draw(&w, SECONDS / 2), latest = after + draw(&w, SECONDS / 2 + 1), n = 1 + draw(&w, UNITS);
            bool ends = draw(&w, 6) > 0;
            int64_t length = ends ? 1 + draw(&w, 25) : SECONDS + 1;
            int64_t want = naive_fit(&w, after, latest, length, n, NULL);
            assert_int_equal(gaps_fit(w.g, after, latest, ends ? length : INT64_MAX, n), want);
            assert_int_equal(gaps_overlapped(w.g), naive_overlap(&w));
            int64_t first = gaps_first(w.g, after, latest, ends ? length : INT64_MAX);
            int64_t one = naive_fit(&w, after, latest, length, 1, NULL);
            assert_true(one == INT64_MAX ? first > latest : first == one);
            found += want != INT64_MAX && want > after;
        }
        gaps_free(w.g);
    }
    assert_true(found > 1000);                       /* of 36,000 */
}

/* Its first hold stays. */
static struct world begin_with_own(uint64_t seed)
{
    struct world w = begin(seed, seed % 4 == 3 ? 4 : 0);
    int64_t first = draw(&w, UNITS - 3);
    struct hold own = { .units = (uint64_t)(draw(&w, 7) + 1) << first, .from = 10 + draw(&w, 25) };
    own.until = own.from + 1 + draw(&w, 15);
    w.hold[w.n++] = own;
    change(&w, &own, 1);
    for (int k = 0; k < 90; k++)
        step(&w, 1);
    return w;
}

/* What is told to be the same is; what is no earlier is not. */
static void what_has_happened(void **state)
{
    (void)state;
    unsigned same = 0, other = 0, earlier = 0;
    for (uint64_t seed = 0; seed < 40 * SEEDS; seed++) {
        struct world w = begin_with_own(seed);
        struct hold own = w.hold[0];
        int64_t length = own.until - own.from, n = __builtin_popcountll(own.units);
        int64_t after = own.from - draw(&w, 9);
        int64_t was = naive_fit(&w, after, own.from, length, n, &own);
        uint64_t units = free_units(&w, own.from, length, &own);
        struct gaps_mark m = gaps_mark(w.g);
        for (int64_t k = draw(&w, 4); k >= 0; k--)
            step(&w, 1);
        after += draw(&w, (uint64_t)(own.from - after) + 1);
        if (was == own.from) {                       /* else one would have moved it */
            bool unknown = gaps_unknown(w.g, m), others = gaps_other_units(w.g, m, own.from, length);
            bool known = !unknown && !gaps_freed_until(w.g, m, own.from) && gaps_first(w.g, after, own.from, length) >= own.from;
            if (known)
                assert_int_equal(naive_fit(&w, after, own.from, length, n, &own), own.from);
            if (!unknown && !others)
                assert_int_equal(free_units(&w, own.from, length, &own), units);
            same += known && !others;
            other += known && others;
            earlier += !known;
        }
        gaps_free(w.g);
    }
    assert_true(same > 50);
    assert_true(other > 50);
    assert_true(earlier > 20);
}

/* Its first hold stays, and nothing is free in all of its time, nor just before it. */
static struct world begin_full(uint64_t seed)
{
    struct world w = begin(seed, 0);
    struct hold own = { .units = (uint64_t)draw(&w, 8) + 1, .from = 15 + draw(&w, 20) };
    int64_t length = 1 + draw(&w, 15);
    own.until = own.from + length;
    w.hold[w.n++] = own;
    for (size_t u = 0; u < UNITS; u++) {
        uint64_t unit = UINT64_C(1) << u;
        int64_t cut = own.from - draw(&w, 12), until = own.units & unit ? own.from : own.from + 1 + draw(&w, (uint64_t)length);
        w.hold[w.n++] = (struct hold){ unit, INT64_MIN, cut };
        w.hold[w.n++] = (struct hold){ unit, cut, until };
        if (!(own.units & unit) && draw(&w, 2))
            w.hold[w.n++] = (struct hold){ unit, until, INT64_MAX };
    }
    for (size_t i = 0; i < w.n; i++)
        change(&w, &w.hold[i], 1);
    return w;
}

/* Where nothing is news, and where all is quiet for one for which no other unit was free, the earliest place and what is free there
 * are as they were. */
static void no_news(void **state)
{
    (void)state;
    unsigned none = 0, news = 0, quiet = 0, after_changes = 0;
    for (uint64_t seed = 0; seed < 40 * SEEDS; seed++) {
        struct world w = seed % 2 ? begin_full(seed) : begin_with_own(seed);
        struct hold own = w.hold[0];
        int64_t length = own.until - own.from, n = __builtin_popcountll(own.units), after = own.from - draw(&w, 9);
        bool is_there = naive_fit(&w, after, own.from, length, n, &own) == own.from;
        bool alone = gaps_first(w.g, after, own.from, length) > own.from;
        uint64_t units = free_units(&w, own.from, length, &own);
        struct gaps_mark m = gaps_mark(w.g);
        for (int64_t k = draw(&w, 4); k >= 0; k--)
            step(&w, 1);
        after += draw(&w, (uint64_t)(own.from - after) + 1);
        bool same = naive_fit(&w, after, own.from, length, n, &own) == own.from && free_units(&w, own.from, length, &own) == units;
        bool known = is_there && !gaps_overlapped(w.g) && !gaps_unknown(w.g, m);
        bool is_news = gaps_freed_until(w.g, m, own.from) || gaps_news(w.g, m, after, own.from, length);
        bool is_quiet = alone && gaps_quiet(w.g, m, after);
        if (known)
            assert_true(same || (is_news && !is_quiet));
        none += known && !is_news;
        news += known && is_news;
        quiet += known && is_quiet;
        after_changes += known && is_quiet && gaps_mark(w.g).changes > m.changes;
        gaps_free(w.g);
    }
    print_message("%u without news, %u with some, %u quiet, %u of them after changes\n", none, news, quiet, after_changes);
    assert_true(none > 50);
    assert_true(news > 50);
    assert_true(quiet > 50);
    assert_true(after_changes > 50);
}

static void tell_away(struct world *w, const struct hold *own, struct gaps_away away)
{
    gaps_away_begin(w->g);
    for (size_t g = 0; g < GROUPS; g++)
        gaps_away_add(w->g, g, of_group(own->units, g), away);
}

/* A sooner place with the own hold away, to the second; where holds overlap, no later. Own units with a gap before the hold make the
 * question harder. */
static void sooner(void **state)
{
    (void)state;
    unsigned none = 0, some = 0, own_help = 0, overlapped = 0;
    for (uint64_t seed = 0; seed < 40 * SEEDS; seed++) {
        struct world w = begin(seed, seed % 4 == 3 ? 4 : 0);
        struct hold own = { .units = (uint64_t)draw(&w, 1 << UNITS) | 1, .from = 10 + draw(&w, 25) };
        bool ends = draw(&w, 6) > 0;
        int64_t length = ends ? 1 + draw(&w, 15) : SECONDS + 1, n = __builtin_popcountll(own.units);
        own.until = ends ? own.from + length : INT64_MAX;
        w.hold[w.n++] = own;
        change(&w, &own, 1);
        for (int k = 0; k < 90 && w.n < HOLDS; k++)
            add(&w);
        int64_t after = own.from - draw(&w, 9);
        struct gaps_away away = { own.from, ends ? length : INT64_MAX };
        tell_away(&w, &own, away);
        int64_t naive = naive_fit(&w, after, own.from - 1, length, n, &own);
        int64_t found = gaps_sooner(w.g, after, away, n);
        bool overlaps = naive_overlap(&w);
        assert_true(overlaps ? found <= naive : found == naive);
        none += found == INT64_MAX && after < own.from;
        some += naive != INT64_MAX;
        own_help += naive != INT64_MAX && naive_fit(&w, naive, naive, length, n, NULL) == INT64_MAX;
        overlapped += overlaps;
        gaps_free(w.g);
    }
    assert_true(none > 500);                         /* of 4,800 */
    assert_true(some > 500);
    assert_true(own_help > 100);
    assert_true(overlapped > 100);
}

/* Holds of one unit each, one after the other, that stay. */
static void fill(struct world *w)
{
    for (size_t u = 0; u < UNITS; u++)
        for (int64_t from = draw(w, 20), until; from < SECONDS; from = until + draw(w, 6)) {
            until = from + 1 + draw(w, 15);
            change(w, &(struct hold){ UINT64_C(1) << u, from, until }, 1);
        }
}

/* Which units have a gap over all of a time, each of them once. */
static void covering(void **state)
{
    (void)state;
    unsigned none = 0, some = 0, parts = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct world w = begin(seed, seed % 3 ? 4 : 0);
        fill(&w);
        for (int k = 0; k < STEPS; k++) {
            step(&w, 0);
            int64_t from = draw(&w, SECONDS), length = draw(&w, 6) ? 1 + draw(&w, 50) : SECONDS + 1;
            int64_t until = length > SECONDS ? INT64_MAX : from + length;
            uint64_t want = free_units(&w, from, length, NULL), units = 0;
            size_t n;
            const struct gaps_units *all = gaps_covering(w.g, from, until, &n);
            for (size_t i = 0; i < n; i++) {
                assert_int_equal(units & all[i].units << all[i].group * EACH, 0);
                units |= all[i].units << all[i].group * EACH;
            }
            assert_int_equal(units, want);
            assert_int_equal(gaps_cover(w.g, from, until), want != 0);
            for (size_t g = 0; g < GROUPS; g++)
                assert_int_equal(gaps_free_units(w.g, g, 5, from, until), of_group(want, g) & 5);
            none += !want;
            some += want != 0;
            parts += n > GROUPS;
        }
        gaps_free(w.g);
    }
    print_message("%u without, %u with some, %u in parts\n", none, some, parts);
    assert_true(none > 1000);                        /* of 36,000 */
    assert_true(some > 1000);
    assert_true(parts > 1000);
}

static bool is_news(const struct gaps *g, struct gaps_mark m, bool other_units)
{
    return !gaps_unknown(g, m) && !gaps_freed_until(g, m, 10) && gaps_other_units(g, m, 10, 10) == other_units;
}

/* What is taken back leaves what was kept before it. */
static void taken_back(void **state)
{
    (void)state;
    struct gaps *g = gaps_new(1, 2);
    gaps_hold(g, 0, 1, 10, 20, 1);
    struct gaps_mark before = gaps_mark(g);
    gaps_hold(g, 0, 2, 0, 15, 1);                    /* unit 1, of which [10, 20) was free */
    for (unsigned k = 0; k < GAPS_KEPT / 2; k++) {
        struct gaps_mark m = gaps_mark(g);
        gaps_hold(g, 0, 1, 10, 20, -1);
        gaps_hold(g, 0, 1, 10, 20, 1);
        gaps_unchanged(g, m);
    }
    assert_true(is_news(g, before, true));
    assert_true(is_news(g, gaps_mark(g), false));
    for (unsigned k = 0; k <= GAPS_KEPT; k++)
        gaps_hold(g, 0, 2, 30, 40, k % 2 ? -1 : 1);
    assert_true(gaps_unknown(g, before));    /* more than is kept */
    gaps_free(g);
}

/* The hold before its own goes: it may move there, though that gap alone is too short. */
static void next_to_its_own(void **state)
{
    (void)state;
    struct gaps *g = gaps_new(1, 1);
    gaps_hold(g, 0, 1, 5, 10, 1);
    gaps_hold(g, 0, 1, 10, 20, 1);
    struct gaps_mark m = gaps_mark(g);
    gaps_hold(g, 0, 1, 5, 10, -1);
    assert_false(gaps_freed_until(g, gaps_mark(g), 10));
    assert_true(gaps_freed_until(g, m, 10));
    gaps_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_earliest_place),
        cmocka_unit_test(what_has_happened),
        cmocka_unit_test(no_news),
        cmocka_unit_test(sooner),
        cmocka_unit_test(covering),
        cmocka_unit_test(taken_back),
        cmocka_unit_test(next_to_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
