/* test_meta_pools.c - node pools on random workloads under every policy and placer: every job
 * makes progress, the accounts hold (the run itself checks them), a pool that is always there is
 * a group, and reclaims come at their rate, whatever the policy does. */
#include "sim/physics/pools.h"
#include "tests/support/random_power.h"
#include "tests/support/random_world.h"

#include <math.h>

enum { SEEDS = 40, FEW = 3 };

static void add_pools(struct cluster *c, uint64_t seed, bool all_there, double reclaims_per_day)
{
    c->pool = arena_alloc(c->memory, c->n_groups * sizeof *c->pool);
    for (uint32_t g = 0, n = 0; g < c->n_groups; g++) {
        uint32_t first = n;
        while (n < c->n_nodes && c->group_of[n] == g)
            n++;
        c->pool[g] = (struct pool){ .is = true, .min = all_there ? n - first : (uint32_t)(seed % 2), .provision_ns = 5 * NS_PER_S,
                                    .idle_ns = 12 * NS_PER_S, .scan_ns = 2 * NS_PER_S, .reclaims_per_day = reclaims_per_day,
                                    .notice_ns = NS_PER_S };
    }
}

static void growing(struct cluster *c, uint64_t seed) { add_pools(c, seed, false, 0); }
static void spot(struct cluster *c, uint64_t seed) { add_pools(c, seed, false, 86400 / 200.0); }
static void powered_spot(struct cluster *c, uint64_t seed)
{
    with_power(c, seed);
    c->power->off_after_ns = 4 * NS_PER_S;
    c->power->wake_ns = 2 * NS_PER_S;
    spot(c, seed);
}
static void always_there(struct cluster *c, uint64_t seed) { add_pools(c, seed, true, 0); }

static struct world world_with(uint64_t seed, void (*furnish)(struct cluster *c, uint64_t seed))
{
    struct world w = random_world(seed);
    w.overhead = (struct overhead){ .checkpoint = CHECKPOINT_PERFECT, .save_ns = w.overhead.save_ns, .grace_ns = w.overhead.grace_ns };
    w.furnish = furnish;
    return w;
}

static void gets_on(const struct combination *k, uint64_t seed, void (*furnish)(struct cluster *c, uint64_t seed))
{
    if (is_left_out(k, seed, FEW))
        return;
    struct world w = world_with(seed, furnish);
    struct outcome o = world_run(&w, k, seed, (struct run_observer){ .self = NULL });
    for (size_t j = 0; j < w.n_jobs && !o.stalled && !o.totals.deadlocked && !o.totals.never_started; j++)
        if (o.job[j].state != JOB_GONE)
            fail_msg("%s, seed %u: job %zu is still %s", k->name, (unsigned)seed, j + 1, life_state_name(o.job[j].state));
}

static void grown(const struct combination *k, uint64_t seed) { gets_on(k, seed, growing); }
static void reclaimed(const struct combination *k, uint64_t seed) { gets_on(k, seed, spot); }

static void powered(const struct combination *k, uint64_t seed) { gets_on(k, seed, powered_spot); }

static void everybody_gets_on(void **state)
{
    (void)state;
    each_combination(SEEDS, grown);
    each_combination(SEEDS, reclaimed);
    each_combination(SEEDS, powered);     /* energy with nodes that come, go, sleep and are reclaimed is conserved, too */
}

static void there(const struct combination *k, uint64_t seed)
{
    struct world pool = world_with(seed, always_there), group = world_with(seed, NULL);
    struct outcome a = world_run(&pool, k, seed, (struct run_observer){ .self = NULL }), b = world_run(&group, k, seed, (struct run_observer){ .self = NULL });
    for (size_t j = 0; j < pool.n_jobs && !a.stalled; j++)
        assert_same_jobs(&b.job[j], &a.job[j], "%s, seed %u: in a pool that is always there: job %zu", k->name, (unsigned)seed, j);
}

static void a_pool_that_is_always_there_is_a_group(void **state)
{
    (void)state;
    each_combination(2, there);
}

/* ---- Reclaims: exponential, at their rate ---- */

struct tally { uint64_t reclaims; double there_d; };

static struct tally spot_days(double per_day, const char *policy)
{
    struct error err = { "" };
    struct group_spec group = { .name = "spot", .count = 200, .gpus = 1, .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX };
    struct cluster *c = cluster_build("w", &group, 1, NULL, 0, &err);
    struct workload *load = workload_new();
    for (size_t j = 0; j < 200; j++) {
        struct job_row row = job_row_default;
        row.duration_ns = 86400 * 20 * NS_PER_S;
        row.gpus = 1;
        assert_int_equal(workload_add(load, &row, "w", j + 1, &err), 0);
    }
    assert_int_equal(workload_finish(load, "w", &err), 0);
    assert_int_equal(run_bind(c, load, &err), 0);
    add_pools(c, 0, true, per_day);
    c->overhead.checkpoint = CHECKPOINT_PERFECT;
    size_t p = 0, q = 0;
    while (strcmp(builtin_policies[p]->name, policy))
        p++;
    while (strcmp(builtin_placers[q]->name, "pack"))
        q++;
    struct sched *s = run_new(&(struct run_setup){ .cluster = c, .workload = load, .policy = builtin_policies[p],
                                                   .placer = builtin_placers[q], .seed = 7 });
    if (run_execute(s, &err))
        fail_msg("%s", err.text);
    struct tally t = { .reclaims = pools_of(s)->reclaimed };
    for (node_id n = 0; n < c->n_nodes; n++)
        t.there_d += seconds(pool_there_ns(s, n)) / 86400;
    run_free(s);
    workload_free(load);
    cluster_free(c);
    return t;
}

/* A Poisson process of that rate while nodes are there: the count is within four standard
 * errors, and that of another rate not. */
static void reclaims_come_at_their_rate(void **state)
{
    (void)state;
    struct tally t = spot_days(0.5, "fifo");
    double mean = 0.5 * t.there_d;
    assert_true(mean > 1000);
    assert_true(fabs((double)t.reclaims - mean) < 4 * sqrt(mean));
    assert_false(fabs((double)t.reclaims - 1.2 * mean) < 4 * sqrt(mean));    /* the control */
    struct tally of_another = spot_days(0.5, "srtf");
    assert_true(fabs((double)of_another.reclaims - 0.5 * of_another.there_d) < 4 * sqrt(0.5 * of_another.there_d));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everybody_gets_on),
        cmocka_unit_test(a_pool_that_is_always_there_is_a_group),
        cmocka_unit_test(reclaims_come_at_their_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
