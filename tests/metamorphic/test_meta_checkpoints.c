/* test_meta_checkpoints.c - checkpoints that take time, data and images on random workloads
 * under every policy and placer: work is conserved to the nanosecond, and where nothing costs
 * anything all is as if nothing were modelled. */
#include "sim/models/failures.h"
#include "tests/support/random_world.h"

enum { SEEDS = 3, MIB = 1 << 20 };

static struct world writing(uint64_t seed)
{
    struct world w = random_world(seed);
    w.overhead = (struct overhead){ .checkpoint = CHECKPOINT_PERIODIC, .interval_ns = 2 * NS_PER_S, .grace_ns = (int64_t)(seed % 3) * NS_PER_S,
                              .restart_ns = w.overhead.restart_ns, .blocking = 1 };
    return w;
}

static bool tasks_come_and_go(const struct combination *k)
{
    unsigned needs = k->policy->needs | (k->policy->also_needs ? k->policy->also_needs(k->params) : 0u);
    return needs & (STARTS_PARTIAL | RESIZES);
}

static struct outcome run(const struct world *w, const struct combination *k, uint64_t seed)
{
    return world_run(w, k, seed, (struct run_observer){ .self = NULL });
}

/* ---- Bandwidth without end: as if checkpoints cost nothing, reading and pulling neither ---- */

static void unlimited(struct cluster *c, uint64_t seed)
{
    int64_t bps = STORAGE_UNLIMITED;
    c->storage = (struct storage){ .on = true, .contention = seed % 2 ? CONTENTION_MAXMIN : CONTENTION_NONE, .all_bps = bps, .read_bps = bps,
                                   .write_bps = bps, .node_read_bps = bps, .node_write_bps = bps, .cache_mib = 4 };
    c->overhead.checkpoint_bytes = MIB;
    c->overhead.blocking = 0.5;
    c->overhead.save_ns = -1;
    c->overhead.restart_ns = c->overhead.start_ns = START_BY_PARTS;
    c->overhead.init_ns = c->overhead.init_doubling_ns = 0;
}

static void limited(struct cluster *c, uint64_t seed)
{
    unlimited(c, seed);
    c->storage.write_bps = 2 * MIB;
}

static struct world without_end(uint64_t seed)
{
    struct world w = writing(seed);
    w.overhead.restart_ns = 0;
    w.furnish = unlimited;
    for (size_t j = 0; j < w.n_jobs; j++)
        w.job[j].data_mib = (uint32_t)(j % 4);
    return w;
}

/* The first job that differs, and in what; the number of jobs: none. */
static size_t differs(const struct world *on, const struct combination *k, uint64_t seed, struct difference *what)
{
    struct world off = *on;
    off.furnish = NULL;
    struct outcome a = run(on, k, seed), b = run(&off, k, seed);
    for (size_t j = 0; j < on->n_jobs && !a.stalled && !b.stalled; j++)
        if (*(*what = job_difference(&b.job[j], &a.job[j])).text)
            return j;
    *what = (struct difference){ "only one of the runs stalls" };
    return a.stalled == b.stalled ? on->n_jobs : 0;
}

/* `cached` places by what the storage's caches hold: with storage it may choose other nodes. */
static void is_free(const struct combination *k, uint64_t seed)
{
    if (strcmp(k->placer->name, "cached") == 0)
        return;
    struct world w = without_end(seed);
    struct difference what;
    size_t j = differs(&w, k, seed, &what);
    if (j < w.n_jobs)
        fail_msg("%s, seed %u: free checkpoints: job %zu: %s", k->name, (unsigned)seed, j, what.text);
}

static void unlimited_bandwidth_is_free(void **state)
{
    (void)state;
    each_combination(SEEDS, is_free);
}

static unsigned noticed, played;

static void is_not_free(const struct combination *k, uint64_t seed)
{
    struct world w = without_end(seed);
    struct difference what;
    w.furnish = limited;
    noticed += differs(&w, k, seed, &what) < w.n_jobs;
    played++;
}

static void limited_bandwidth_is_noticed(void **state)      /* the negative control */
{
    (void)state;
    each_combination(1, is_not_free);
    assert_int_equal(noticed, played);
}

/* ---- Whatever it costs: what a job did, and did again, is what the ledger says. The run itself checks its accounts. ---- */

static bool failing;

static void fail_often(struct cluster *c)
{
    struct failures *f = c->failures = arena_alloc(c->memory, sizeof *f);
    *f = failures_default;
    f->faults_per_day = 86400.0 / 120;
    f->software_faults_per_day = 86400.0 / 60;
    f->weibull_scale_ns = 10 * NS_PER_S;
    f->detection_ns = NS_PER_S;
    f->hang_share = 0;
    f->max_retries = INT64_MAX;
}

static void costly(struct cluster *c, uint64_t seed)
{
    struct random r;
    if (failing)
        fail_often(c);
    random_init(&r, seed, "storage", 0);
    c->storage = (struct storage){ .on = true, .contention = random_below(&r, 2) ? CONTENTION_MAXMIN : CONTENTION_NONE,
                                   .all_bps = 20 * MIB, .read_bps = 10 * MIB, .write_bps = 10 * MIB, .node_read_bps = 7 * MIB,
                                   .node_write_bps = 3 * MIB, .cache_mib = 16, .images_per_node = 1 };
    c->storage.pull_ns = (int64_t)random_below(&r, 3) * NS_PER_S / 2;
    c->overhead.checkpoint_bytes = (int64_t)random_below(&r, 3 * MIB);
    c->overhead.write_ns = 1 + (int64_t)random_below(&r, NS_PER_S / 4);
    c->overhead.blocking = (double)random_below(&r, 5) / 4;
    c->overhead.save_ns = -1;
    c->overhead.restart_ns = START_BY_PARTS;
    c->overhead.init_ns = 0;
    c->overhead.init_doubling_ns = NS_PER_S / 10;
}

/* Alone and whole, a job that reads nothing progresses at rate 1: the time it held GPUs for,
 * without what was lost and what was not spent working, is its duration. */
static uint64_t interrupted;
static unsigned slowed;          /* jobs that read, and for which that does not hold: the negative control */

static void adds_up(const struct combination *k, uint64_t seed)
{
    struct world w = writing(seed);
    random_groups(&w, seed);
    w.furnish = costly;
    for (size_t j = 0; j < w.n_jobs; j++)
        w.job[j].data_mib = j % 3 ? 0 : 1 + (uint32_t)(j % 40);
    struct outcome o = run(&w, k, seed);
    interrupted += o.totals.account[ACCOUNT_FAULT] > 0;
    for (size_t j = 0; j < w.n_jobs && !o.stalled; j++) {
        const struct job_result *r = &o.job[j];
        bool varies = tasks_come_and_go(k) && (w.job[j].min_tasks || w.n_parts[j]);
        if (failing && strstr(k->name, "suspend"))   /* what it did before it stood still is not booked over */
            continue;
        int64_t useful_ns = r->run_ns - r->lost_ns - r->overhead_ns;
        slowed += w.job[j].data_mib && useful_ns > w.job[j].duration_ns;
        if (r->state != JOB_GONE || r->outcome != OUTCOME_COMPLETED || varies || w.job[j].data_mib)
            continue;
        if (useful_ns != w.job[j].duration_ns)
            fail_msg("%s, seed %u: job %zu worked %.9g s for %.9g s that it needs", k->name, (unsigned)seed, j + 1,
                     (double)useful_ns / NS_PER_S, (double)w.job[j].duration_ns / NS_PER_S);
    }
}

static void work_is_conserved(void **state)
{
    (void)state;
    each_combination(SEEDS, adds_up);
    assert_true(slowed > 1000);
}

static void work_is_conserved_when_nodes_fail(void **state)
{
    (void)state;
    failing = true;
    interrupted = 0;
    each_combination(SEEDS, adds_up);
    assert_true(interrupted > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unlimited_bandwidth_is_free),
        cmocka_unit_test(limited_bandwidth_is_noticed),
        cmocka_unit_test(work_is_conserved),
        cmocka_unit_test(work_is_conserved_when_nodes_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
