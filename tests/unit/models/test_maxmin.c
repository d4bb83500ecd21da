/* test_maxmin.c - max-min fair shares: models.md 2.4's case, cases by hand, and what defines a max-min fair share. */
#include "sim/base/random.h"
#include "sim/models/network/maxmin.h"
#include "tests/unit/test_core.h"

#include <math.h>
#include <stdbool.h>

enum { FLOWS = 8, LINKS = 6, LINKS_OF_FLOW = 3 };

static const struct row {
    const char *name;
    double capacity[LINKS];
    struct { double demand, share; uint32_t n_links, link[LINKS_OF_FLOW]; } flow[FLOWS];    /* demand 0 ends */
} rows[] = {
    { "models.md 2.4: one uplink of 25 GB/s, demands 20, 4, 100", { 25 },
      { { 20, 10.5, 1, { 0 } }, { 4, 4, 1, { 0 } }, { 100, 10.5, 1, { 0 } } } },
    { "all have what they want", { 25 }, { { 20, 20, 1, { 0 } }, { 5, 5, 1, { 0 } } } },
    /* Bertsekas and Gallager's example in small: the short flow of link 0 shares it with the long one; link 1 is wider. */
    { "a long flow and a short one on each link", { 1, 2 },
      { { INFINITY, .5, 2, { 0, 1 } }, { INFINITY, .5, 1, { 0 } }, { INFINITY, 1.5, 1, { 1 } } } },
    { "three links in a row: the narrow one first", { 6, 3, 9 },
      { { INFINITY, 1.5, 3, { 0, 1, 2 } }, { INFINITY, 4.5, 1, { 0 } }, { INFINITY, 1.5, 1, { 1 } }, { 20, 7.5, 1, { 2 } } } },
    { "no link: the demand", { 1 }, { { 7, 7, 0, { 0 } } } },
    { "a link without capacity", { 0, 5 }, { { 3, 0, 2, { 0, 1 } }, { INFINITY, 5, 1, { 1 } } } },
};

static void by_hand(void **state)
{
    const struct row *row = *state;
    struct maxmin_flow flow[FLOWS], *list[FLOWS];
    size_t n = 0;
    for (; n < FLOWS && row->flow[n].demand > 0; n++) {
        flow[n] = (struct maxmin_flow){ row->flow[n].demand, -1, row->flow[n].link, row->flow[n].n_links, NULL };
        list[n] = &flow[n];
    }
    double left[LINKS], rising[LINKS];
    maxmin_share(&(struct maxmin){ list, n, row->capacity, left, rising });
    for (size_t i = 0; i < n; i++)
        assert_near(flow[i].share, row->flow[i].share, 1e-12);
}

/* models.md 2.4's slowdowns, 1.90476, 1 and 9.52381: demand over share. */
static void slowdowns(void **state)
{
    (void)state;
    const uint32_t link[] = { 0 };
    struct maxmin_flow flow[] = { { 20, 0, link, 1, NULL }, { 4, 0, link, 1, NULL }, { 100, 0, link, 1, NULL } };
    struct maxmin_flow *list[] = { &flow[0], &flow[1], &flow[2] };
    double left[1], rising[1];
    maxmin_share(&(struct maxmin){ list, 3, (const double[]){ 25 }, left, rising });
    assert_near(flow[0].demand / flow[0].share, 1.90476, 5e-6);
    assert_near(flow[1].demand / flow[1].share, 1, 1e-12);
    assert_near(flow[2].demand / flow[2].share, 9.52381, 5e-6);
}

struct world {
    double capacity[LINKS];
    struct maxmin_flow flow[FLOWS];
    uint32_t link[FLOWS][LINKS_OF_FLOW];
};

static struct world world_of(uint64_t seed, double scale)
{
    struct world w;
    struct random r;
    random_init(&r, seed, "maxmin", 0);
    for (size_t l = 0; l < LINKS; l++)
        w.capacity[l] = scale * (1 + (double)random_below(&r, 20));
    for (size_t i = 0; i < FLOWS; i++) {
        uint32_t first = (uint32_t)random_below(&r, LINKS), n = (uint32_t)random_below(&r, LINKS_OF_FLOW) + 1;
        for (uint32_t k = 0; k < n; k++)
            w.link[i][k] = (first + k) % LINKS;
        double demand = random_below(&r, 3) ? scale * (1 + (double)random_below(&r, 30)) : INFINITY;
        w.flow[i] = (struct maxmin_flow){ demand, -1, NULL, n, NULL };
    }
    return w;
}

static void solve(struct world *w, bool backwards)
{
    struct maxmin_flow *list[FLOWS];
    double left[LINKS], rising[LINKS];
    for (size_t i = 0; i < FLOWS; i++) {
        w->flow[i].link = w->link[i];
        list[backwards ? FLOWS - 1 - i : i] = &w->flow[i];
    }
    maxmin_share(&(struct maxmin){ list, FLOWS, w->capacity, left, rising });
}

static double used(const struct world *w, uint32_t link)
{
    double sum = 0;
    for (size_t i = 0; i < FLOWS; i++)
        for (uint32_t k = 0; k < w->flow[i].n_links; k++)
            sum += w->flow[i].link[k] == link ? w->flow[i].share : 0;
    return sum;
}

/* A full link on which nobody has more: that is what stops it. */
static bool has_bottleneck(const struct world *w, const struct maxmin_flow *f)
{
    for (uint32_t k = 0; k < f->n_links; k++) {
        bool largest = used(w, f->link[k]) >= w->capacity[f->link[k]] * (1 - 1e-9);
        for (size_t i = 0; i < FLOWS && largest; i++)
            for (uint32_t o = 0; o < w->flow[i].n_links; o++)
                if (w->flow[i].link[o] == f->link[k] && w->flow[i].share > f->share * (1 + 1e-9))
                    largest = false;
        if (largest)
            return true;
    }
    return false;
}

/* Bertsekas and Gallager, Data Networks, 6.5.2: shares are max-min fair if and only if each flow has its demand or a bottleneck. */
static bool is_fair(const struct world *w)
{
    for (uint32_t l = 0; l < LINKS; l++)
        if (used(w, l) > w->capacity[l] * (1 + 1e-9))
            return false;
    for (size_t i = 0; i < FLOWS; i++)
        if (w->flow[i].share < w->flow[i].demand * (1 - 1e-9) && !has_bottleneck(w, &w->flow[i]))
            return false;
    return true;
}

static void fair_in_random_worlds(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 5000; seed++) {
        struct world w = world_of(seed, 1), reversed = w, larger = world_of(seed, 8);
        solve(&w, false);
        solve(&reversed, true);
        solve(&larger, false);
        assert_true(is_fair(&w));
        for (size_t i = 0; i < FLOWS; i++) {
            assert_near(reversed.flow[i].share, w.flow[i].share, 1e-9);
            assert_near(larger.flow[i].share, 8 * w.flow[i].share, 1e-9);    /* models.md 11.4: capacities and demands x k */
        }
    }
}

/* The property is not empty: taking a little from one and giving it to another is noticed. */
static void control(void **state)
{
    (void)state;
    unsigned noticed = 0;
    for (uint64_t seed = 0; seed < 500; seed++) {
        struct world w = world_of(seed, 1);
        solve(&w, false);
        w.flow[seed % FLOWS].share *= .99;
        noticed += !is_fair(&w);
        w.flow[seed % FLOWS].share *= 1.03;
        noticed += !is_fair(&w);
    }
    assert_true(noticed >= 900);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, by_hand, rows);
    ADD_TEST(tests, n, slowdowns);
    ADD_TEST(tests, n, fair_in_random_worlds);
    ADD_TEST(tests, n, control);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
