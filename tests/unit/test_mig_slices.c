/* test_mig_slices.c - where MIG instances lie: models.md 1.2, NVIDIA's MIG user guide, and every multiset by brute force. */
#include "sim/cluster/mig.h"
#include "tests/unit/test_core.h"

#include <stdio.h>

#define A100 "A100-SXM4-80"
#define LISTED 8

static const struct mig_design *design(const char *model, const char *profile)
{
    const struct mig_design *d = mig_design_find(model, profile);
    assert_non_null(d);
    return d;
}

/* What is there is put where it says ("3g.40gb@4"); then the places of `profile`, as digits, and the one it gets. */
static const struct row { const char *name, *model, *there, *profile, *places; int place; } rows[] = {
    /* models.md 1.2, the table */
    { "1g begins at 0 to 6", A100, "", "1g.10gb", "0123456", 6 },
    { "1g with two memory slices", A100, "", "1g.20gb", "0246", 6 },
    { "2g", A100, "", "2g.20gb", "024", 4 },
    { "3g", A100, "", "3g.40gb", "04", 4 },
    { "4g", A100, "", "4g.40gb", "0", 0 },
    { "7g", A100, "", "7g.80gb", "0", 0 },
    { "A30: 1g", "A30-24", "", "1g.6gb", "0123", 0 },
    { "A30: 2g", "A30-24", "", "2g.12gb", "02", 0 },
    { "A30: 4g", "A30-24", "", "4g.24gb", "0", 0 },
    { "A30: 2g beside 1g", "A30-24", "1g.6gb@1", "2g.12gb", "2", 2 },
    { "A30: full", "A30-24", "2g.12gb@0 1g.6gb@2 1g.6gb@3", "1g.6gb", "", -1 },
    { "H200", "H200-SXM-141", "3g.71gb@4", "4g.71gb", "0", 0 },
    { "B200", "B200-SXM-180", "4g.90gb@0", "3g.90gb", "4", 4 },
    /* models.md 1.2, the consequences */
    { "two of 3g fill the memory", A100, "3g.40gb@0 3g.40gb@4", "1g.10gb", "", -1 },
    { "4g and 3g", A100, "4g.40gb@0", "3g.40gb", "4", 4 },
    { "4g, then 2g", A100, "4g.40gb@0", "2g.20gb", "4", 4 },
    { "4g, 2g, then 1g", A100, "4g.40gb@0 2g.20gb@4", "1g.10gb", "6", 6 },
    { "1g at 0: no 4g", A100, "1g.10gb@0", "4g.40gb", "", -1 },
    { "1g at 0: no 7g", A100, "1g.10gb@0", "7g.80gb", "", -1 },
    { "1g at 0: still 3g", A100, "1g.10gb@0", "3g.40gb", "4", 4 },
    /* as in NVIDIA/DCGM issue #138: 3g at 4, 2g at 0, 1g at 2 and 3 */
    { "then 2g at 0", A100, "3g.40gb@4", "2g.20gb", "02", 0 },
    { "then 1g at 2", A100, "3g.40gb@4 2g.20gb@0", "1g.10gb", "23", 2 },
    { "then 1g at 3", A100, "3g.40gb@4 2g.20gb@0 1g.10gb@2", "1g.10gb", "3", 3 },
    { "seven of 1g leave a slice that nobody can use", A100,
      "1g.10gb@0 1g.10gb@1 1g.10gb@2 1g.10gb@3 1g.10gb@4 1g.10gb@5 1g.10gb@6", "1g.10gb", "", -1 },
};

static struct mig_cut as_told(const char *model, const char *there)
{
    struct mig_cut cut = { 0, 0 };
    char profile[16];
    unsigned start;
    for (int length; sscanf(there, " %15[^@]@%u%n", profile, &start, &length) == 2; there += length) {
        const struct mig_design *d = design(model, profile);
        assert_true(mig_places(d, &cut) >> start & 1);
        mig_take(&cut, d, start);
    }
    return cut;
}

static void placed(void **state)
{
    const struct row *row = *state;
    struct mig_cut cut = as_told(row->model, row->there);
    const struct mig_design *d = design(row->model, row->profile);
    unsigned places = 0;
    for (const char *c = row->places; *c; c++)
        places |= 1u << (*c - '0');
    assert_int_equal(mig_places(d, &cut), places);
    assert_int_equal(mig_place(d, &cut), row->place);
}

static uint32_t profiles_of(const char *model, const struct mig_design *all[LISTED])
{
    uint32_t n = 0;
    for (const struct mig_design *d = mig_design_whole(model); d; d = mig_design_smaller(d))
        all[n++] = d;
    return n;
}

/* Giving back what was taken leaves nothing, whatever was placed. */
static void taking_and_giving(void **state)
{
    (void)state;
    const struct mig_design *all[LISTED];
    uint32_t n = profiles_of(A100, all);
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = 0; b < n; b++) {
            struct mig_cut cut = { 0, 0 };
            int first = mig_place(all[a], &cut);
            mig_take(&cut, all[a], (unsigned)first);
            int second = mig_place(all[b], &cut);
            if (second >= 0) {
                mig_take(&cut, all[b], (unsigned)second);
                assert_int_equal(__builtin_popcount(cut.taken), all[a]->memory_slices + all[b]->memory_slices);
                mig_give(&cut, all[b], (unsigned)second);
            }
            mig_give(&cut, all[a], (unsigned)first);
            assert_true(cut.taken == 0 && cut.compute == 0);
        }
}

/* `most` of each profile, filled as often as there is a place, is what the catalogue says. */
static void as_many_as_the_guide_says(void **state)
{
    (void)state;
    for (const struct mig_design *d = mig_catalogue; d->gpu_model; d++) {
        struct mig_cut cut = { 0, 0 };
        uint32_t n = 0;
        for (int start; (start = mig_place(d, &cut)) >= 0; n++)
            mig_take(&cut, d, (unsigned)start);
        assert_int_equal(n, d->most);
    }
}

/* ---- by brute force: what one GPU can hold is tried in every way, what two can is any two of those ---- */

#define COUNTS_MOST 4096
struct holds {
    const struct mig_design *design[LISTED];
    uint32_t n, count[LISTED];
    bool can[COUNTS_MOST];        /* by count_index() */
};

static uint32_t count_index(const struct holds *h, const uint32_t count[LISTED])
{
    uint32_t index = 0;
    for (uint32_t i = 0; i < h->n; i++)
        index = index * (h->design[i]->most + 1) + count[i];
    return index;
}

/* Further instances, of the last profile beyond `start`, or of a later one. */
static void try_all(struct holds *h, const struct mig_cut *cut, uint32_t profile, unsigned start)
{
    h->can[count_index(h, h->count)] = true;
    for (uint32_t i = profile; i < h->n; i++)
        for (unsigned at = i == profile ? start : 0; at < MIG_MEMORY_SLICES; at++) {
            struct mig_cut then = *cut;
            if (!(mig_places(h->design[i], cut) >> at & 1))
                continue;
            mig_take(&then, h->design[i], at);
            h->count[i]++;
            try_all(h, &then, i, at + 1);
            h->count[i]--;
        }
}

/* Whether `count` is what one GPU can hold plus what another can (or the same, with one). */
static bool can_hold(const struct holds *h, const uint32_t count[LISTED], uint32_t gpus)
{
    uint32_t first[LISTED] = { 0 }, rest[LISTED];
    for (uint32_t i = 0; i < h->n;) {
        bool there = true;
        for (uint32_t k = 0; k < h->n; k++) {
            there = there && first[k] <= count[k] && count[k] - first[k] <= (gpus - 1) * h->design[k]->most;
            rest[k] = count[k] - first[k];
        }
        if (there && h->can[count_index(h, first)] && h->can[count_index(h, rest)])
            return true;
        for (i = 0; i < h->n && ++first[i] > h->design[i]->most; i++)
            first[i] = 0;
    }
    return false;
}

static void fits_if_it_can(const char *model, uint32_t gpus, uint32_t *fit, uint32_t *not)
{
    static struct holds h;
    h = (struct holds){ .n = 0 };
    h.n = profiles_of(model, h.design);
    try_all(&h, &(struct mig_cut){ 0, 0 }, 0, 0);
    uint32_t count[LISTED] = { 0 };
    for (uint32_t i = 0; i < h.n;) {
        struct mig_wish wish[LISTED];
        const struct mig_design *without;
        for (uint32_t k = 0; k < h.n; k++)
            wish[k] = (struct mig_wish){ h.design[k], count[k] };
        bool can = can_hold(&h, count, gpus);
        assert_true(mig_fit(wish, h.n, gpus, &without) == can);
        *(can ? fit : not) += 1;
        for (i = 0; i < h.n && ++count[i] > gpus * h.design[i]->most; i++)
            count[i] = 0;
    }
}

static void every_multiset(void **state)
{
    (void)state;
    uint32_t fit = 0, not = 0;
    fits_if_it_can(A100, 1, &fit, &not);
    fits_if_it_can(A100, 2, &fit, &not);
    fits_if_it_can("A30-24", 2, &fit, &not);
    assert_true(fit > 500 && not > 500);
}

static void who_has_no_place(void **state)
{
    (void)state;
    const struct mig_design *without = NULL;
    const struct mig_wish wish[] = { { design(A100, "1g.10gb"), 1 }, { design(A100, "3g.40gb"), 2 } };
    assert_false(mig_fit(wish, 2, 1, &without));
    assert_string_equal(without->profile, "1g.10gb");
    assert_true(mig_fit(wish, 2, 2, &without));
    assert_true(mig_fit(wish, 0, 0, &without));
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, placed, rows);
    ADD_TEST(tests, n, taking_and_giving);
    ADD_TEST(tests, n, as_many_as_the_guide_says);
    ADD_TEST(tests, n, every_multiset);
    ADD_TEST(tests, n, who_has_no_place);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
