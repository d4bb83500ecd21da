/* test_cohort_parked.c - what is called hopeless is: on random trees it fits nowhere, has no victims, and is not owed; and the first
 * of several shapes with hope is the first of them that has it alone. Rules that are spoilt on purpose are seen. */
#include "policies/kueue/parked.h"
#include "sim/contract/util/minmax.h"
#include "tests/support/cohort_world.h"
#include "tests/unit/test_core.h"

enum { SEEDS = 20000, SHAPES = 6 };

/* Each cell a flavor of the one resource; the last workload asks for `amount` of one alone. */
static struct cohort_workload ask(struct cohort_world *w, uint32_t cell, int64_t amount)
{
    struct cohort_workload p = w->workload[CW_WORKLOADS];
    int64_t used[CW_NODES * CW_CELLS];
    memset(w->resource, 0, sizeof w->resource);
    w->books.resources = 1;
    cohort_books_again(&w->books, used);
    w->rules[p.queue].borrow = BORROW_NEVER;
    for (uint32_t i = 0; i < w->cells; i++) {
        w->contested[i] = i == cell;
        w->need[CW_WORKLOADS][i] = i == cell ? amount : 0;
    }
    return p;
}

static int64_t lacks_of(const struct cohort_world *w, const struct cohort_workload *p, uint32_t cell, int64_t amount, bool by_shares)
{
    int64_t own = cohort_own_candidates(&w->search, p, w->contested, cell);
    return by_shares && own ? 0 : max_i64(0, amount - own);
}

static bool is_hopeless(struct cohort_world *w, const struct cohort_workload *p, uint32_t cell, int64_t lacks, bool reclaims, bool by_shares)
{
    int64_t of_shape[CW_CELLS], least[CW_CELLS];
    struct parked one = { .reclaims = reclaims, .by_shares = by_shares, .lacks = of_shape, .least = least };
    for (uint32_t i = 0; i < w->cells; i++)
        of_shape[i] = i == cell ? lacks : PARKED_NEVER;
    parked_keep(&w->books, &one, 0);
    parked_add(&w->books, &one);
    return parked_first_hope(&w->search, &one, p->queue, 0) == PARKED_SLEEPS;
}

static bool has_victims(struct cohort_world *w, const struct cohort_workload *p, bool by_shares)
{
    return by_shares ? cohort_search_fair(&w->search, p, w->contested, true, true) : cohort_search_classical(&w->search, p, w->contested);
}

static bool has_way(struct cohort_world *w, const struct cohort_workload *p, uint32_t cell, int64_t amount, bool by_shares)
{
    return cohort_fits(&w->books, p->queue, p->need) || has_victims(w, p, by_shares) ||
           (w->rules[p->queue].reclaim != RECLAIM_NEVER && w->books.parent[p->queue] != ID_NONE &&
            !cohort_borrows(&w->books, p->queue, cell, amount));
}

/* Of all asks: those called hopeless, those of them that are not, those with a way. */
struct tally { unsigned hopeless, wrong, ways; };

enum spoilt { NOTHING, FORGET_OWN, FORGET_RECLAIM, FORGET_SHARES };

static struct tally tally(bool by_shares, enum spoilt spoilt)
{
    static struct cohort_world w;
    struct tally t = { 0, 0, 0 };
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        cw_make_tree(&w, seed, by_shares ? 1 : 4);
        uint32_t cell = (uint32_t)(seed % w.cells);
        int64_t amount = 1 + (int64_t)(seed / 3 % 7);
        struct cohort_workload p = ask(&w, cell, amount);
        if (by_shares && w.books.parent[p.queue] == ID_NONE)
            continue;
        bool reclaims = w.rules[p.queue].reclaim != RECLAIM_NEVER && spoilt != FORGET_RECLAIM;
        bool hopeless = is_hopeless(&w, &p, cell, spoilt == FORGET_OWN ? amount : lacks_of(&w, &p, cell, amount, by_shares), reclaims,
                                    by_shares && spoilt != FORGET_SHARES);
        bool way = has_way(&w, &p, cell, amount, by_shares);
        t.hopeless += hopeless;
        t.ways += way;
        t.wrong += hopeless && way;
    }
    return t;
}

static void hopeless_means_no_way(void **state)
{
    (void)state;
    for (int by_shares = 0; by_shares < 2; by_shares++) {
        struct tally t = tally(by_shares, NOTHING);
        print_message("%s: %u hopeless, %u with a way\n", by_shares ? "by shares" : "classical", t.hopeless, t.ways);
        assert_int_equal(t.wrong, 0);
        assert_true(t.hopeless > SEEDS / 10 && t.ways > SEEDS / 10);
    }
}

static void spoilt_rules_are_seen(void **state)
{
    (void)state;
    for (int by_shares = 0; by_shares < 2; by_shares++) {
        assert_true(tally(by_shares, FORGET_OWN).wrong > 10);
        assert_true(tally(by_shares, FORGET_RECLAIM).wrong > 10);
    }
    assert_true(tally(true, FORGET_SHARES).wrong > 10);
}

/* Shapes of 1 to 9 of each cell, some of which they may not have. */
static void first_with_hope_is_the_first_alone(void **state)
{
    static struct cohort_world w;
    unsigned found = 0;
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS / 10; seed++) {
        int64_t lacks[SHAPES * CW_CELLS], least[CW_CELLS];
        struct parked p = { .lacks = lacks, .least = least };
        struct random r;
        cw_make(&w, seed);
        random_init(&r, seed, "shapes", 0);
        w.books.resources = 1;
        uint32_t queue = w.leaf[random_below(&r, w.n_leaves)], first = PARKED_SLEEPS, from = (uint32_t)random_below(&r, SHAPES);
        parked_keep(&w.books, &p, 0);
        for (uint32_t i = 0; i < SHAPES; i++) {
            for (uint32_t cell = 0; cell < w.cells; cell++) {
                int64_t x = random_below(&r, 3) ? 1 + (int64_t)random_below(&r, 9) : PARKED_NEVER;
                lacks[i * w.cells + cell] = x;
                if (i >= from && first == PARKED_SLEEPS && x != PARKED_NEVER && x <= cohort_available(&w.books, queue, cell))
                    first = i;
            }
            parked_add(&w.books, &p);
        }
        assert_int_equal(parked_first_hope(&w.search, &p, queue, from), first);
        found += first != PARKED_SLEEPS && first > from;
        parked_keep(&w.books, &p, from);
        assert_int_equal(parked_first_hope(&w.search, &p, queue, from), PARKED_SLEEPS);
    }
    assert_true(found > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hopeless_means_no_way),
        cmocka_unit_test(spoilt_rules_are_seen),
        cmocka_unit_test(first_with_hope_is_the_first_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
