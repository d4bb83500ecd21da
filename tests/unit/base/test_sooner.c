/* test_sooner.c - sim/base/sooner.h against an array with one number a second: holds come, go and move
 * to sooner starts at random, as in a line of promises. */
#include "sim/base/random.h"
#include "sim/base/sooner.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { ALL = 12, SECONDS = 120, HOLDS = 40, STEPS = 500, SEEDS = 300 };

struct hold { bool is; int64_t need, from, until; uint32_t place; };
struct world {
    struct random r;
    struct profile *p;
    struct sooner *s;
    int64_t taken[SECONDS + 1];   /* of [i, i + 1); the last: from then on */
    int64_t now;
    struct hold hold[HOLDS];
    unsigned kept, touching, whole;       /* so that a test that sees nothing fails */
};

static int64_t draw(struct world *w, uint64_t below)
{
    return (int64_t)random_below(&w->r, below);
}

static void take(struct world *w, int64_t from, int64_t until, int64_t amount)
{
    profile_add(w->p, from, until, amount);
    for (int64_t t = from < 0 ? 0 : from; t <= SECONDS && t < until; t++)
        w->taken[t] += amount;
}

/* By the definition in sooner.h. */
static int64_t sooner_by_hand(const struct world *w, int64_t need, int64_t length, int64_t start, int64_t after)
{
    for (int64_t t = after; t < start; t++) {
        int64_t end = t;
        while (end < start && end - t < length && w->taken[end] + need <= ALL)
            end++;
        if (end == start || end - t == length)
            return t;
    }
    return start;
}

static void begin(struct world *w, struct hold *h)
{
    bool runs = draw(w, 4) == 0;
    *h = (struct hold){ true, 1 + draw(w, 6), runs ? INT64_MIN : w->now + draw(w, (uint64_t)(SECONDS - w->now)), 0, 0 };
    h->until = draw(w, 8) ? (runs ? w->now : h->from) + 1 + draw(w, 25) : INT64_MAX;
    take(w, h->from, h->until, h->need);
    if (!runs && draw(w, 4))
        h->place = sooner_enter(w->s, w->p, h->from);
}

static void end(struct world *w, struct hold *h)
{
    h->is = false;
    sooner_freed(w->s, h->from, h->until);
    take(w, h->from, h->until, -h->need);
    if (h->place)
        sooner_leave(w->s, w->p, h->from, h->place);
}

/* As what is kept of its place and what is not is taken. */
static void advance(struct world *w, struct hold *h, int64_t from)
{
    int64_t until = h->until == INT64_MAX ? INT64_MAX : h->until - (h->from - from);
    if (h->place && until < INT64_MAX && draw(w, 2)) {            /* at once */
        for (int64_t t = from; t <= SECONDS && t < h->until; t++)
            w->taken[t] += t < until && t < h->from ? h->need : t >= until && t >= h->from ? -h->need : 0;
        struct profile_hold was = { h->from, h->until, h->need };
        h->place = sooner_advance(w->s, w->p, &was, h->place, from);
        h->from = from;
        h->until = until;
        return;
    }
    take(w, from, until < h->from ? until : h->from, h->need);
    if (until < INT64_MAX) {
        int64_t free = until > h->from ? until : h->from;
        take(w, free, h->until, -h->need);
        sooner_freed(w->s, free, h->until);
    }
    if (h->place) {
        sooner_leave(w->s, w->p, h->from, h->place);
        h->place = sooner_enter(w->s, w->p, from);
    }
    h->from = from;
    h->until = until;
}

static void ask(struct world *w, struct hold *h)
{
    int64_t after = w->now + (draw(w, 5) ? 0 : draw(w, 4));
    if (h->from <= after)
        return;
    int64_t length = h->until == INT64_MAX ? INT64_MAX : h->until - h->from;
    int64_t want = sooner_by_hand(w, h->need, length, h->from, after);
    struct sooner_ask q = { h->need, length, h->from, h->place };
    assert_int_equal(sooner_start(w->s, w->p, ALL, &q, after), want);
    w->kept += want == h->from;
    w->whole += want < h->from && length <= h->from - want;
    w->touching += want < h->from && length > h->from - want;
    if (want < h->from && draw(w, 3))
        advance(w, h, want);
}

static void play(struct world *w)
{
    for (int i = 0; i < STEPS; i++) {
        struct hold *h = &w->hold[draw(w, HOLDS)];
        if (!h->is)
            begin(w, h);
        else if (draw(w, 3) == 0)
            end(w, h);
        for (int k = 0; k < HOLDS; k++)
            if (w->hold[k].is && draw(w, 3))
                ask(w, &w->hold[k]);
        w->now += w->now < SECONDS - 30 && draw(w, 8) == 0;
    }
}

static void agrees_with_an_array(void **state)
{
    (void)state;
    unsigned kept = 0, touching = 0, whole = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct world w = { .p = profile_new(), .s = sooner_new() };
        random_init(&w.r, seed, "sooner", 0);
        play(&w);
        for (int k = 0; k < HOLDS; k++)
            if (w.hold[k].is)
                end(&w, &w.hold[k]);
        assert_int_equal(profile_max(w.p, INT64_MIN, INT64_MAX), 0);
        kept += w.kept;
        touching += w.touching;
        whole += w.whole;
        sooner_free(w.s);
        profile_free(w.p);
    }
    print_message("%u keep their start, %u begin sooner up to it, %u wholly before it\n", kept, touching, whole);
    assert_true(kept > 10000 && touching > 5000 && whole > 5000);
}

/* More rooms than are kept come free between two questions, and more pairs ask than there are places at first. */
static void forgets_no_room(void **state)
{
    (void)state;
    struct profile *p = profile_new();
    struct sooner *s = sooner_new();
    profile_add(p, INT64_MIN, 1000, 10);
    for (int64_t length = 1; length < 400; length++)
        assert_int_equal(sooner_start(s, p, 10, &(struct sooner_ask){ 1, length, 1000, 0 }, 0), 1000);
    uint32_t place = sooner_enter(s, p, 1000);
    assert_int_equal(sooner_start(s, p, 10, &(struct sooner_ask){ 5, 2000, 1000, place }, 0), 1000);
    profile_add(p, 990, 1000, -5);
    sooner_freed(s, 990, 1000);
    for (int64_t t = 0; t < SOONER_ROOMS + 10; t++) {
        profile_add(p, 10 * t, 10 * t + 1, -1);
        sooner_freed(s, 10 * t, 10 * t + 1);
    }
    assert_int_equal(sooner_start(s, p, 10, &(struct sooner_ask){ 5, 2000, 1000, place }, 0), 990);
    assert_int_equal(sooner_start(s, p, 10, &(struct sooner_ask){ 1, 1, 1000, 0 }, 0), 0);
    assert_int_equal(sooner_start(s, p, 10, &(struct sooner_ask){ 1, 2, 1000, 0 }, 0), 990);
    sooner_free(s);
    profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(agrees_with_an_array), cmocka_unit_test(forgets_no_room) };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
