/* test_meta_failures.c - random worlds in which much fails, under every policy: the identities
 * of release builds hold, nothing starts on what is out of service, jobs that ran there leave in
 * time, and every policy meets the same faults. */
#include "sim/models/failures.h"
#include "tests/support/random_world.h"

enum { OUTAGES = 20000, SEEDS = 12 };
struct outage { node_id node; uint32_t gpu; int64_t from_ns, until_ns; };    /* gpu ID_NONE: the node */
struct seen {
    struct outage outage[OUTAGES];
    size_t n, interrupted;
    struct world world;
    int64_t stay_ns;              /* the longest until a fault is found, or a job has saved */
    const char *name;
};
static struct seen seen, first[SEEDS];

static struct failures *wanted;

static void furnish(struct cluster *c, uint64_t seed)
{
    (void)seed;
    c->failures = wanted;
}

static struct failures random_failures(struct random *r, struct planned_outage *planned)
{
    struct failures f = failures_default;
    f.faults_per_day = 86400.0 / (20 + (double)(int64_t)random_below(r, 100));
    f.gpu_scope = (int)random_below(r, 2);
    f.switch_faults_per_year = random_below(r, 2) ? 365.0 * 86400 / 400 : 0;
    f.switch_repair_ns = (int64_t)(1 + random_below(r, 30)) * NS_PER_S;
    f.relapse_share = 0.2;
    f.relapse_mean_ns = 5 * NS_PER_S;
    f.weibull_scale_ns = (int64_t)(1 + random_below(r, 30)) * NS_PER_S;
    f.detection_ns = (int64_t)random_below(r, 4) * NS_PER_S;
    f.hang_least_ns = 5 * NS_PER_S;
    f.hang_most_ns = 9 * NS_PER_S;
    f.software_faults_per_day = random_below(r, 2) ? 86400.0 / 100 : 0;
    f.max_retries = random_below(r, 2) ? (int64_t)random_below(r, 4) : INT64_MAX;
    f.cordon_faults = random_below(r, 2) ? 3 : 0;
    f.cordon_within_ns = 200 * NS_PER_S;
    f.cordon_ns = 60 * NS_PER_S;
    planned->first = 0;
    planned->end = 1 + (uint32_t)random_below(r, 2);
    planned->when = (struct closure){ .from_ns = 60 * NS_PER_S, .until_ns = 90 * NS_PER_S };
    planned->when.drain_ns = (int64_t)random_below(r, 20) * NS_PER_S;
    planned->when.every_ns = random_below(r, 2) ? 100 * NS_PER_S : 0;
    f.planned = planned;
    f.n_planned = 1;
    return f;
}

static void on_decision(void *self, job_id j, int64_t now_ns, const char *kind, const char *decision, const char *reason)
{
    (void)self;
    unsigned node = 0, gpu = ID_NONE;
    seen.interrupted += !strcmp(kind, "stop") && !strcmp(decision, "fault");
    if (j != ID_NONE || sscanf(decision, "node %u GPU %u", &node, &gpu) < 1 || !strcmp(reason, "switch"))
        return;
    if (!strcmp(kind, "fault")) {
        assert_true(seen.n < OUTAGES);
        seen.outage[seen.n++] = (struct outage){ node, gpu, now_ns, TIME_NEVER };
    } else if (!strcmp(kind, "repair")) {
        for (size_t i = seen.n; i-- > 0;)
            if (seen.outage[i].node == node && seen.outage[i].gpu == gpu) {
                if (seen.outage[i].until_ns == TIME_NEVER)
                    seen.outage[i].until_ns = now_ns;
                break;
            }
    }
}

static bool touches(const struct outage *o, const struct piece *p)
{
    return p->node == o->node && (o->gpu == ID_NONE || (p->gpu_mask >> o->gpu & 1));
}

static void on_interval(void *self, const struct interval *i)
{
    (void)self;
    for (size_t k = 0; k < i->pieces->n; k++)
        for (size_t o = 0; o < seen.n; o++) {
            const struct outage *out = &seen.outage[o];
            if (!touches(out, &i->pieces->piece[k]))
                continue;
            if (i->start_ns >= out->from_ns && i->start_ns < out->until_ns && strcmp(i->why, "saved"))
                fail_msg("%s: a job starts at %g s on node %u, which is out from %g s", seen.name, seconds(i->start_ns), out->node,
                         seconds(out->from_ns));
            if (i->start_ns < out->from_ns && i->end_ns > out->from_ns + seen.stay_ns)
                fail_msg("%s: a job stays on node %u until %g s, which is out from %g s", seen.name, out->node, seconds(i->end_ns),
                         seconds(out->from_ns));
        }
}

static void everything_fails(const struct combination *k, uint64_t seed)
{
    struct planned_outage planned;
    struct random r;
    random_init(&r, seed, "failing", 0);
    struct world w = random_world(seed);
    if (!named(k, "gang"))                  /* its strict line may be blocked for ever by a job with groups that fit nowhere */
        random_groups(&w, seed);
    struct failures f = random_failures(&r, &planned);
    w.furnish = furnish;
    wanted = &f;
    if (strstr(k->name, "continuous=yes"))    /* round robin: where stops have a price, nobody may ever get anywhere */
        w.overhead.checkpoint = CHECKPOINT_PERFECT, w.overhead.restart_ns = 0;
    seen.n = seen.interrupted = 0;
    seen.stay_ns = f.hang_most_ns;
    seen.name = k->name;
    struct outcome out = world_run(&w, k, seed, (struct run_observer){ .interval = on_interval, .decision = on_decision });
    assert_true(out.totals.capacity + out.totals.account[ACCOUNT_DOWN] == out.totals.installed);
    if (!first[seed].n) {
        first[seed] = seen;
        printf("seed %d: %zu faults, %zu jobs interrupted\n", (int)seed, seen.n, seen.interrupted);
        assert_true(seen.n >= 2 && seen.interrupted >= 1 && out.totals.account[ACCOUNT_DOWN] > 0);
    }
    for (size_t i = 0; i < seen.n && i < first[seed].n; i++) {
        const struct outage *a = &seen.outage[i], *b = &first[seed].outage[i];
        assert_true(a->node == b->node && a->gpu == b->gpu && a->from_ns == b->from_ns);
    }
}

static void failures_under_every_policy(void **state)
{
    (void)state;
    each_combination(SEEDS, everything_fails);
}

/* Rates of zero are no failures: the same as without the section. */
static void rate_zero(const struct combination *k, uint64_t seed)
{
    struct world w = random_world(seed);
    struct failures none = failures_default;
    struct outcome plain = world_run(&w, k, seed, (struct run_observer){ .self = NULL });
    none.faults_per_day = none.switch_faults_per_year = none.software_faults_per_day = none.software_faults_per_gpu_year = 0;
    w.furnish = furnish;
    wanted = &none;
    struct outcome off = world_run(&w, k, seed, (struct run_observer){ .self = NULL });
    for (size_t j = 0; j < w.n_jobs; j++)
        assert_same_jobs(&plain.job[j], &off.job[j], "%s, seed %u: job %zu", k->name, (unsigned)seed, (size_t)j);
    assert_true(plain.totals.events == off.totals.events && plain.totals.passes == off.totals.passes);
}

/* Nor are failures so rare that none comes; but then the model is on, and nothing may differ all
 * the same. */
static void rate_almost_zero(const struct combination *k, uint64_t seed)
{
    struct world w = random_world(seed);
    struct failures rare = failures_default;
    struct outcome plain = world_run(&w, k, seed, (struct run_observer){ .self = NULL });
    rare.faults_per_day = 1e-9;
    rare.switch_faults_per_year = rare.software_faults_per_day = rare.software_faults_per_gpu_year = 1e-9;
    w.furnish = furnish;
    wanted = &rare;
    struct outcome on = world_run(&w, k, seed, (struct run_observer){ .self = NULL });
    for (size_t j = 0; j < w.n_jobs && !plain.stalled && !on.stalled; j++)
        assert_same_jobs(&plain.job[j], &on.job[j], "%s, seed %u: job %zu", k->name, (unsigned)seed, (size_t)j);
    assert_true(plain.stalled == on.stalled && on.totals.account[ACCOUNT_DOWN] == 0);
}

static void rates_of_nothing(void **state)
{
    (void)state;
    each_combination(1, rate_zero);
    each_combination(1, rate_almost_zero);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failures_under_every_policy),
        cmocka_unit_test(rates_of_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
