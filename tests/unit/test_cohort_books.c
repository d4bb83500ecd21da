/* test_cohort_books.c - quota and usage summed up a tree: by hand, and against what they mean on random trees. */
#include "tests/support/cohort_world.h"
#include "tests/unit/test_core.h"

#include <stdio.h>

enum { SEEDS = 2000, TREE_MOST = 5 };

/* ---- By hand: one cell; the node asked about is a leaf ---- */

#define FREE UNLIMITED
static const struct row {
    const char *name;
    uint32_t n, parent[TREE_MOST];
    struct cohort_quota quota[TREE_MOST];
    int64_t usage[TREE_MOST];     /* of the leaves */
    uint32_t leaf;
    int64_t available, potential;
    uint32_t height;              /* for one more */
} rows[] = {
    { "alone: nominal less usage", 1, { ID_NONE }, { { 6, FREE, FREE } }, { 4 }, 0, 2, 6, 0 },
    { "two lend each other all", 3, { ID_NONE, 0, 0 }, { { 0, FREE, FREE }, { 6, FREE, FREE }, { 4, FREE, FREE } }, { 0, 1, 2 }, 1,
      7, 10, 0 },
    { "over its own: the cohort's", 3, { ID_NONE, 0, 0 }, { { 0, FREE, FREE }, { 6, FREE, FREE }, { 4, FREE, FREE } }, { 0, 6, 2 }, 1,
      2, 10, 1 },
    { "a borrowing limit", 3, { ID_NONE, 0, 0 }, { { 0, FREE, FREE }, { 6, 1, FREE }, { 4, FREE, FREE } }, { 0, 6, 0 }, 1, 1, 7, 1 },
    { "a lending limit of the other", 3, { ID_NONE, 0, 0 }, { { 0, FREE, FREE }, { 6, FREE, FREE }, { 4, FREE, 1 } }, { 0, 6, 0 }, 1,
      1, 7, 1 },
    { "its own lending limit: what it keeps is there for it", 3, { ID_NONE, 0, 0 },
      { { 0, FREE, FREE }, { 6, FREE, 2 }, { 4, FREE, FREE } }, { 0, 0, 6 }, 1, 4, 10, 0 },
    { "the other uses what it keeps: not seen from here", 3, { ID_NONE, 0, 0 },
      { { 0, FREE, FREE }, { 6, FREE, FREE }, { 4, FREE, 1 } }, { 0, 0, 3 }, 1, 7, 7, 0 },
    { "quota of the cohort", 2, { ID_NONE, 0 }, { { 5, FREE, FREE }, { 1, FREE, FREE } }, { 0, 4 }, 1, 2, 6, 1 },
    { "two cohorts up", 4, { ID_NONE, 0, 1, 0 },
      { { 0, FREE, FREE }, { 2, FREE, FREE }, { 1, FREE, FREE }, { 3, FREE, FREE } }, { 0, 0, 3, 1 }, 2, 2, 6, 2 },
    { "two cohorts up, the lower suffices", 4, { ID_NONE, 0, 1, 0 },
      { { 0, FREE, FREE }, { 2, FREE, FREE }, { 1, FREE, FREE }, { 3, FREE, FREE } }, { 0, 0, 1, 1 }, 2, 4, 6, 1 },
    { "the middle cohort may not borrow", 4, { ID_NONE, 0, 1, 0 },
      { { 0, FREE, FREE }, { 2, 0, FREE }, { 1, FREE, FREE }, { 3, FREE, FREE } }, { 0, 0, 3, 0 }, 2, 0, 3, 2 },
    { "beyond a quota that has shrunk", 1, { ID_NONE }, { { 2, FREE, FREE } }, { 5 }, 0, -3, 2, 0 },
};

static void by_hand(void **state)
{
    const struct row *row = *state;
    static const uint32_t resource[] = { 0 };
    struct cohort_books b = { .n = row->n, .cells = 1, .resources = 1, .parent = row->parent, .resource = resource };
    char memory[2048] = { 0 };
    bool more_above;
    assert_true(cohort_books_size(row->n, 1, 1) <= sizeof memory);
    cohort_books_lay(&b, memory);
    memcpy(b.quota, row->quota, row->n * sizeof *b.quota);
    cohort_books_settle(&b);
    for (uint32_t v = 0; v < row->n; v++)
        cohort_use(&b, v, &row->usage[v], 1);
    assert_int_equal(cohort_available(&b, row->leaf, 0), row->available);
    assert_int_equal(b.potential[row->leaf], row->potential);
    assert_int_equal(cohort_borrow_height(&b, row->leaf, 0, 1, &more_above), row->height);
}

/* ---- On random trees ---- */

static int64_t above(int64_t usage, int64_t local)
{
    return usage > local ? usage - local : 0;
}

/* Usage of every node, from the leaves' alone and by its definition. */
static void sum_up(const struct cohort_world *w, uint32_t cell, int64_t *usage)
{
    memset(usage, 0, CW_NODES * sizeof *usage);
    for (uint32_t v = w->n; v-- > 0;) {
        for (uint32_t i = 0; i < w->members[v].n; i++)
            usage[v] += w->members[v].of[i]->need[cell];
        if (w->parent[v] != ID_NONE)
            usage[w->parent[v]] += above(usage[v], w->books.local[cohort_at(&w->books, v, cell)]);
    }
}

static bool same_usage(const struct cohort_world *w)
{
    int64_t usage[CW_NODES];
    for (uint32_t cell = 0; cell < w->cells; cell++) {
        sum_up(w, cell, usage);
        for (uint32_t v = 0; v < w->n; v++)
            if (usage[v] != w->books.usage[cohort_at(&w->books, v, cell)])
                return false;
    }
    return true;
}

/* What is kept of each node and resource is the sum of its cells beyond quota. */
static bool same_borrowed(const struct cohort_world *w)
{
    for (uint32_t v = 0; v < w->n; v++)
        for (uint32_t r = 0; r < w->books.resources; r++) {
            int64_t sum = 0;
            for (uint32_t cell = 0; cell < w->cells; cell++) {
                size_t i = cohort_at(&w->books, v, cell);
                sum += w->resource[cell] == r ? above(w->books.usage[i], w->books.subtree[i]) : 0;
            }
            if (sum != w->books.borrowed[v * w->books.resources + r])
                return false;
        }
    return true;
}

/* Nobody uses more than it may: a root its quota, any other that and its borrowing limit. */
static bool within_limits(const struct cohort_books *b, uint32_t leaf, uint32_t cell)
{
    for (uint32_t v = leaf; v != ID_NONE; v = b->parent[v]) {
        size_t i = cohort_at(b, v, cell);
        int64_t most = b->parent[v] == ID_NONE ? 0 : b->quota[i].borrowing;
        if (most != UNLIMITED && b->usage[i] > b->subtree[i] + most)
            return false;
    }
    return true;
}

static void usage_adds_up(void **state)
{
    static struct cohort_world w;
    unsigned caught = 0;
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        cw_make(&w, seed);
        assert_true(same_usage(&w) && same_borrowed(&w));
        if (w.n_workloads == 0)
            continue;
        w.books.usage[cohort_at(&w.books, w.leaf[0], 0)]++;     /* control: one unit too many is seen */
        caught += !same_usage(&w);
        w.books.usage[cohort_at(&w.books, w.leaf[0], 0)]--;
        for (uint32_t v = 0; v < w.n; v++)
            for (uint32_t i = 0; i < w.members[v].n; i++)
                cohort_use(&w.books, v, w.members[v].of[i]->need, -1);
        for (uint32_t i = 0; i < w.n * w.cells; i++)
            assert_int_equal(w.books.usage[i], 0);
    }
    assert_true(caught > SEEDS / 2);
}

/* Usage that is looked at and not written gives the shares, and the room, that it gives when it is written. */
static void as_if_is_as_written(void **state)
{
    static struct cohort_world w;
    unsigned other = 0, fitted = 0, not = 0;
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct random r;
        random_init(&r, seed, "as if", 0);
        cw_make(&w, seed);
        struct cohort_books *b = &w.books;
        uint32_t leaf = w.leaf[random_below(&r, w.n_leaves)];
        int64_t more[CW_CELLS] = { 0 }, less[CW_CELLS] = { 0 };
        for (uint32_t cell = 0; cell < w.cells; cell++) {
            more[cell] = (int64_t)random_below(&r, 7);
            less[cell] = (int64_t)random_below(&r, (uint64_t)b->usage[cohort_at(b, leaf, cell)] + 1);
        }
        struct cohort_share as_if[CW_NODES];
        bool borrows[CW_NODES];
        cohort_as_if(b, more, less);
        bool fits = cohort_as_if_fits(b, leaf, more);
        for (uint32_t v = leaf; v != ID_NONE; v = w.parent[v]) {
            as_if[v] = cohort_share_as_if(b, v, w.weight[v]);
            borrows[v] = cohort_as_if_borrows(b, v);
            cohort_as_if_up(b, v);
        }
        cohort_use(b, leaf, less, -1);
        assert_int_equal(fits, cohort_fits(b, leaf, more));
        cohort_use(b, leaf, more, 1);
        for (uint32_t v = leaf; v != ID_NONE; v = w.parent[v]) {
            struct cohort_share written = cohort_share_of(b, v, w.weight[v]);
            bool in_some = false;
            for (uint32_t cell = 0; cell < w.cells; cell++)
                in_some |= (more[cell] || less[cell]) && cohort_borrows(b, v, cell, 0);
            assert_int_equal(cohort_share_compare(as_if[v], written), 0);
            assert_int_equal(borrows[v], in_some);
        }
        assert_true(same_borrowed(&w));
        cohort_use(b, leaf, more, -1);
        other += cohort_share_compare(as_if[leaf], cohort_share_of(b, leaf, w.weight[leaf])) != 0;
        fitted += fits;
        not += !fits;
    }
    assert_true(other > SEEDS / 10 && fitted > SEEDS / 10 && not > SEEDS / 10);    /* the look does matter */
}

static void available_is_what_breaks_no_limit(void **state)
{
    static struct cohort_world w;
    unsigned fitted = 0, not = 0;
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        cw_make(&w, seed);
        for (uint32_t k = 0; k < w.n_leaves; k++)
            for (int64_t more = 1; more < 12; more++) {
                int64_t need[CW_CELLS] = { more };
                bool fits = cohort_fits(&w.books, w.leaf[k], need);
                cohort_use(&w.books, w.leaf[k], need, 1);
                assert_int_equal(fits, within_limits(&w.books, w.leaf[k], 0));
                cohort_use(&w.books, w.leaf[k], need, -1);
                fitted += fits;
                not += !fits;
            }
    }
    assert_true(fitted > SEEDS && not > SEEDS);
}

/* Potential is what is available in the same tree when it is empty. */
static void potential_is_available_of_an_empty_tree(void **state)
{
    static struct cohort_world w;
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        cw_make(&w, seed);
        cohort_books_lay(&w.books, w.memory);
        memset(w.books.usage, 0, (size_t)w.n * w.cells * sizeof *w.books.usage);
        for (uint32_t v = 0; v < w.n; v++)
            for (uint32_t cell = 0; cell < w.cells; cell++)
                assert_int_equal(w.books.potential[cohort_at(&w.books, v, cell)], cohort_available(&w.books, v, cell));
    }
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, by_hand, rows);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(usage_adds_up);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(as_if_is_as_written);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(available_is_what_breaks_no_limit);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(potential_is_available_of_an_empty_tree);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
