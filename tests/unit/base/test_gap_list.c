/* test_gap_list.c - sim/base/gaps/gap_list.h against an array that is gone through, on random gaps: many of them, so that there are many
 * blocks. */
#include "sim/base/gaps/gap_list.h"
#include "sim/base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 600, STEPS = 3000, SEEDS = 24, GROUPS = 3 };

struct item { struct gap gap; uint64_t units; };
struct world {
    struct random r;
    struct gap_list l;
    struct item item[MOST];
    size_t n;
    int64_t span;                 /* of the times */
};

static int64_t draw(struct world *w, int64_t below)
{
    return (int64_t)random_below(&w->r, (uint64_t)below);
}

static bool same(const struct gap *a, const struct gap *b)
{
    return a->from == b->from && a->until == b->until && a->group == b->group;
}

/* In the array. */
static void note(struct world *w, struct gap gap, uint64_t come, uint64_t go)
{
    size_t i = 0;
    while (i < w->n && !same(&w->item[i].gap, &gap))
        i++;
    w->n += i == w->n;
    w->item[i].gap = gap;
    w->item[i].units = (w->item[i].units & ~go) | come;
    if (!w->item[i].units)
        w->item[i] = w->item[--w->n];
    memset(&w->item[w->n], 0, sizeof w->item[w->n]);
}

static void change(struct world *w, struct gap gap, uint64_t come, uint64_t go)
{
    note(w, gap, come, go);
    gap_list_change(&w->l, gap, come, go);
}

static struct gap draw_gap(struct world *w)
{
    struct gap gap = { .from = draw(w, 12) ? draw(w, w->span) : INT64_MIN, .group = (uint32_t)draw(w, GROUPS) };
    int64_t length = 1 + (draw(w, 8) ? draw(w, 30) : draw(w, w->span));
    gap.until = draw(w, 9) ? (gap.from < 0 ? 0 : gap.from) + length : INT64_MAX;
    return gap;
}

/* Some units of a gap get another end. */
static void change_end(struct world *w)
{
    struct item x = w->item[draw(w, (int64_t)w->n)];
    uint64_t units = draw(w, 3) ? x.units : x.units & -x.units;
    struct gap now = x.gap;
    now.until = draw(w, 5) ? (x.gap.from < 0 ? 0 : x.gap.from) + 1 + draw(w, 60) : INT64_MAX;
    uint64_t has = 0;
    for (size_t i = 0; i < w->n; i++)
        has |= same(&w->item[i].gap, &now) ? w->item[i].units : 0;
    if (now.until == x.gap.until || has & units || w->n + 1 == MOST)
        return;
    note(w, x.gap, 0, units);
    note(w, now, units, 0);
    gap_list_end(&w->l, x.gap, units, now.until);
}

/* grows: more come than go. */
static void step(struct world *w, bool grows)
{
    if (w->n + 1 < MOST && (w->n == 0 || draw(w, 10) < (grows ? 8 : 2))) {
        struct gap gap = draw(w, 4) || w->n == 0 ? draw_gap(w) : w->item[draw(w, (int64_t)w->n)].gap;
        uint64_t units = 1u << draw(w, 4), has = 0;
        for (size_t i = 0; i < w->n; i++)
            has |= same(&w->item[i].gap, &gap) ? w->item[i].units : 0;
        if (units & ~has)
            change(w, gap, units & ~has, 0);
    } else {
        struct item x = w->item[draw(w, (int64_t)w->n)];
        uint64_t lowest = x.units & -x.units;
        change(w, x.gap, 0, draw(w, 2) ? x.units : lowest);
    }
}

static int64_t naive_first(const struct world *w, int64_t after, int64_t length)
{
    int64_t first = INT64_MAX;
    for (size_t i = 0; i < w->n; i++) {
        const struct gap *gap = &w->item[i].gap;
        int64_t from = gap->from > after ? gap->from : after;
        bool fits = gap->until == INT64_MAX || (gap->until > from && gap->until - from >= length);
        first = fits && from < first ? from : first;
    }
    return first;
}

/* Of what a walk tells: how many, a sum that knows gaps and units apart, and whether they were in order. */
struct told { size_t n; uint64_t sum; bool ordered; };

static uint64_t number_of(const struct gap *gap, uint64_t units)
{
    return ((uint64_t)gap->from * 31 + (uint64_t)gap->until) * 37 + gap->group * 41 + units * 43;
}

static struct told walk(struct gap_walk w, int64_t from, int64_t until, int64_t latest, int64_t length)
{
    struct told told = { 0, 0, true };
    const struct gap_items *items;
    struct gap last = { INT64_MIN, INT64_MIN, 0 };
    for (uint32_t i; (items = length ? gap_walk_longer(&w, latest, length, &i) : gap_walk_covering(&w, from, until, &i)); told.n++) {
        struct gap gap = { items->from[i], items->until[i], items->group[i] };
        told.sum += number_of(&gap, items->units[i]);
        bool same_group = gap.from == last.from && gap.group == last.group;
        told.ordered &= same_group ? gap.until >= last.until : gap.from > last.from || (gap.from == last.from && gap.group > last.group);
        last = gap;
    }
    return told;
}

static struct told naive_walk(const struct world *w, int64_t after, int64_t from, int64_t until, int64_t latest, int64_t length)
{
    struct told told = { 0, 0, true };
    for (size_t i = 0; i < w->n; i++) {
        const struct gap *gap = &w->item[i].gap;
        bool told_of = length ? gap->from > after && gap->from <= latest && gap_length(gap->from, gap->until) >= length
                              : gap->from <= from && gap->until >= until;
        told.n += told_of;
        told.sum += told_of ? number_of(gap, w->item[i].units) : 0;
    }
    return told;
}

static void assert_told(struct told told, struct told want)
{
    assert_int_equal(told.n, want.n);
    assert_int_equal(told.sum, want.sum);
    assert_true(told.ordered);
}

static void as_gone_through(void **state)
{
    (void)state;
    size_t found = 0, none = 0, blocks = 0, covering = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct world w = { .span = seed % 3 ? 1000 : 60 };
        random_init(&w.r, seed, "gap list", 0);
        int64_t after = 0;
        for (int k = 0; k < STEPS; k++) {
            step(&w, k / 700 % 2 == 0);
            if (w.n && draw(&w, 3) == 0)
                change_end(&w);
            after = draw(&w, 20) ? after : draw(&w, w.span);           /* mostly asked from the same time on */
            int64_t length = draw(&w, 9) ? 1 + draw(&w, 2 * w.span) : INT64_MAX, first = naive_first(&w, after, length);
            assert_int_equal(gap_list_first(&w.l, after, length), first);
            int64_t from = draw(&w, w.span), until = draw(&w, 5) ? from + 1 + draw(&w, 40) : INT64_MAX, latest = from + draw(&w, 200);
            struct told want = naive_walk(&w, from, from, until, latest, 0);
            assert_told(walk(gap_walk_all(&w.l), from, until, latest, 0), want);
            int64_t longer = 1 + draw(&w, 50);
            assert_told(walk(gap_walk_after(&w.l, from), from, until, latest, longer), naive_walk(&w, from, from, until, latest, longer));
            found += first != INT64_MAX && first > after;
            none += first == INT64_MAX;
            covering += want.n > 0;
            blocks = w.l.n > blocks ? w.l.n : blocks;
        }
        gap_list_free(&w.l);
    }
    print_message("%zu later, %zu never, %zu covered; %zu blocks\n", found, none, covering, blocks);
    assert_true(found > 1000);                       /* of 72,000 */
    assert_true(none > 100);
    assert_true(covering > 1000);
    assert_true(blocks > 10);
}

/* More steps than are kept: gaps of which each later one is longer. */
static void many_steps(void **state)
{
    (void)state;
    struct world w = { .span = 100000 };
    random_init(&w.r, 1, "gap list", 0);
    for (int64_t i = 0; i < 200; i++)
        change(&w, (struct gap){ i * 10, i * 10 + 100 + i * 7, 0 }, 1, 0);
    for (int k = 0; k < 400; k++) {
        int64_t after = k % 5 * 100, length = 1 + draw(&w, 1600);
        assert_int_equal(gap_list_first(&w.l, after, length), naive_first(&w, after, length));
        int64_t at = draw(&w, 2000);
        change(&w, (struct gap){ at, at + 50 + draw(&w, 1600), 1 + (uint32_t)k }, 1, 0);
        assert_int_equal(gap_list_first(&w.l, after, length), naive_first(&w, after, length));
        struct item x = w.item[draw(&w, (int64_t)w.n)];
        change(&w, x.gap, 0, x.units);
        assert_int_equal(gap_list_first(&w.l, after, length), naive_first(&w, after, length));
    }
    gap_list_free(&w.l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_gone_through),
        cmocka_unit_test(many_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
