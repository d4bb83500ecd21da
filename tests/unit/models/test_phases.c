/* test_phases.c - shares of links among jobs that send in a part of their time: models.md 2.4's
 * table, and random worlds against the definition, a filling of its own for each job. */
#include "sim/base/random.h"
#include "sim/models/network/maxmin.h"
#include "sim/models/network/phases.h"
#include "tests/unit/test_core.h"

#include <math.h>
#include <stdlib.h>

enum { JOBS = 6, LINKS = 5, CROSSED = 3 };

/* An iteration computes for compute_s and sends for fixed_s + volume / share; square root of the
 * sum of squares. */
struct trains { double compute_s, fixed_s, volume; };
struct world {
    struct phased_job job[JOBS], *list[JOBS];
    struct crossing crossing[JOBS][CROSSED];
    struct trains law[JOBS];
    double capacity[LINKS];
    size_t n;
};

static double comm_s(const struct trains *t, double share)
{
    return t->fixed_s + t->volume / share;
}

static double iteration(const struct trains *t, double share)
{
    return hypot(t->compute_s, comm_s(t, share));
}

static double sends(void *self, size_t i, const double share[REACHES])
{
    const struct trains *t = &((struct world *)self)->law[i];
    return comm_s(t, share[REACH_CLUSTER]) / iteration(t, share[REACH_CLUSTER]);
}

static unsigned solve(struct world *w, bool together)
{
    for (size_t i = 0; i < w->n; i++) {
        w->list[i] = &w->job[i];
        w->job[i].crossing = w->crossing[i];
    }
    return phases_share(&(struct phases){ .job = w->list, .n = w->n, .capacity = w->capacity, .n_links = LINKS,
                                          .together = together, .sends = sends, .self = w });
}

/* ---- The worked table: two racks of 4 nodes, NICs and uplinks of 20 GB/s of data, each job on 2 + 2 nodes; all-reduce of a
 * ring of four, 8.4 us + 6 x 14 us + 1.5 S / B; numbers of the table of 2.4, made by a script of its own ---- */

static struct world two(void)
{
    static const struct trains law[] = { { .25, 92.4e-6, 1.5 * 672e6 }, { .18, 92.4e-6, 1.5 * 553.43e6 } };
    struct world w = { .capacity = { 20e9, 20e9 }, .n = 2 };
    for (size_t i = 0; i < 2; i++) {
        w.law[i] = law[i];
        w.job[i] = (struct phased_job){ .most = 20e9, .n_crossings = 2 };
        for (uint32_t l = 0; l < 2; l++)
            w.crossing[i][l] = (struct crossing){ l, 2, REACH_POD };
    }
    return w;
}

static void worked(void **state)
{
    (void)state;
    static const double all_s[] = { .3212162, .2449415 }, mean_s[] = { .2963954, .2206976 }, alone_s[] = { .2695909, .1982593 },
                        share[] = { 6.334637e9, 6.505421e9 }, c[] = { .537180, .578622 };
    struct world w = two();
    assert_in_range(solve(&w, false), 15, 25);             /* 19 of models.md */
    for (size_t i = 0; i < 2; i++) {
        assert_near(w.job[i].share[REACH_POD], share[i], 1e-6);
        assert_near(w.job[i].share[REACH_CLUSTER], share[i], 1e-6);
        assert_near(w.job[i].share[REACH_RACK], 20e9, 1e-12);      /* what goes over no uplink */
        assert_near(w.job[i].sends, c[i], 1e-6);
        assert_near(iteration(&w.law[i], w.job[i].share[REACH_POD]), mean_s[i], 1e-6);
    }
    assert_int_equal(solve(&w, true), 1);
    for (size_t i = 0; i < 2; i++) {
        assert_near(w.job[i].share[REACH_POD], 5e9, 1e-12);
        assert_near(iteration(&w.law[i], 5e9), all_s[i], 1e-6);
    }
    for (size_t i = 0; i < 2; i++) {
        struct world alone = two();
        alone.n = 1;
        alone.law[0] = w.law[i];
        solve(&alone, false);
        assert_near(alone.job[0].share[REACH_POD], 10e9, 1e-12);
        assert_near(iteration(&w.law[i], 10e9), alone_s[i], 1e-6);
    }
}

/* ---- Random worlds ---- */

static struct world world_of(uint64_t seed, double scale)
{
    struct world w = { .n = JOBS };
    struct random r;
    random_init(&r, seed, "phases", 0);
    for (size_t l = 0; l < LINKS; l++)
        w.capacity[l] = scale * (2 + (double)random_below(&r, 20));
    for (size_t i = 0; i < JOBS; i++) {
        uint32_t first = (uint32_t)random_below(&r, LINKS);
        w.job[i] = (struct phased_job){ .most = scale * (1 + (double)random_below(&r, 12)),
                                        .n_crossings = 1 + random_below(&r, CROSSED) };
        w.law[i] = (struct trains){ 1 + (double)random_below(&r, 4), 0.01 * (double)random_below(&r, 10),
                                    scale * (double)(1 + random_below(&r, 30)) };
        for (uint32_t k = 0; k < w.job[i].n_crossings; k++)
            w.crossing[i][k] = (struct crossing){ (first + k) % LINKS, 1 + (uint32_t)random_below(&r, 3), REACH_RACK };
    }
    return w;
}

/* The definition: a filling in which `self` weighs 1 and the others weigh c. */
static double own_filling(const struct world *w, size_t self)
{
    struct maxmin_flow flow[JOBS], *list[JOBS];
    uint32_t link[JOBS][CROSSED];
    double takes[JOBS][CROSSED], left[LINKS], rising[LINKS];
    for (size_t i = 0; i < w->n; i++) {
        for (size_t k = 0; k < w->job[i].n_crossings; k++) {
            link[i][k] = w->crossing[i][k].link;
            takes[i][k] = (i == self ? 1 : w->job[i].sends) * w->crossing[i][k].flows;
        }
        flow[i] = (struct maxmin_flow){ w->job[i].most, -1, link[i], (uint32_t)w->job[i].n_crossings, takes[i] };
        list[i] = &flow[i];
    }
    maxmin_share(&(struct maxmin){ list, w->n, w->capacity, left, rising });
    return flow[self].share;
}

static void defined(void **state)
{
    (void)state;
    size_t bound = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct world w = world_of(seed, 1), large = world_of(seed, 1024);
        double mean[LINKS] = { 0 };
        assert_true(solve(&w, false) < PHASES_ROUNDS);
        solve(&large, false);
        for (size_t i = 0; i < JOBS; i++) {
            double share = w.job[i].share[REACH_CLUSTER];
            assert_near(share, own_filling(&w, i), 1e-9);
            assert_near(w.job[i].sends, sends(&w, i, w.job[i].share), 1e-11);
            assert_near(large.job[i].sends, w.job[i].sends, 1e-12);        /* scaling changes no time */
            bound += share < w.job[i].most * (1 - 1e-9);
            for (size_t k = 0; k < w.job[i].n_crossings; k++)
                mean[w.crossing[i][k].link] += w.job[i].sends * w.crossing[i][k].flows * share;
        }
        for (size_t l = 0; l < LINKS; l++)
            assert_true(mean[l] <= w.capacity[l] * (1 + 1e-9));
    }
    assert_in_range(bound, 300, 300 * JOBS - 100);         /* links bind some, and not all */
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(worked), cmocka_unit_test(defined) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
