/* test_meta_mig_dynamic.c - GPUs that are cut as jobs ask, under every policy and placer: no two
 * instances ever overlap, each begins where its profile may, and jobs of one profile run as on
 * GPUs that were cut for it in advance. */
#include "sim/models/failures.h"
#include "sim/cluster/mig.h"
#include "tests/support/random_world.h"
#include "tests/unit/test_core.h"

enum { WORLDS = 2, HOLDS_MOST = 20000 };
static const struct run_observer no_observer = { 0 };
static const char model[] = "A100-SXM4-80";

static void cut_for_nothing(struct cluster *c, uint64_t seed)
{
    (void)seed;
    c->sharing.mig_reconfigure_ns = 0;
}

static void cut_in_three_seconds(struct cluster *c, uint64_t seed)
{
    (void)seed;
    c->sharing.mig_reconfigure_ns = 3 * NS_PER_S;
}

static void cut_and_failing(struct cluster *c, uint64_t seed)
{
    gpus_fail_often(c, seed);
    cut_in_three_seconds(c, seed);
}

/* Jobs want instances of that profile, or of any (NULL). */
static struct world dynamic_world(uint64_t seed, const char *profile)
{
    struct world w = random_world(seed);
    struct random r;
    random_init(&r, seed, "profiles", 0);
    w.overhead = (struct overhead){ .checkpoint = CHECKPOINT_PERFECT, .save_ns = w.overhead.save_ns, .grace_ns = w.overhead.grace_ns };
    for (size_t g = 0; g < w.n_groups; g++) {
        w.group[g].gpu_model = model;
        w.group[g].gpus = 1 + (uint32_t)random_below(&r, 3);
        w.group[g].island_gpus = 0;
        w.group[g].mig_dynamic = true;
    }
    for (size_t j = 0; j < w.n_jobs; j++) {
        const struct mig_design *d = mig_design_whole(model);
        for (uint64_t k = random_below(&r, 6); k > 0; k--)
            d = mig_design_smaller(d);
        w.job[j].gpu_milli = MILLI_ALL;
        w.job[j].mig = mig_profile(profile ? profile : d->profile);
        if (w.job[j].gpus > 4)
            w.job[j].gpus = w.job[j].tasks = w.job[j].min_tasks = 1 + (uint32_t)random_below(&r, 4);
    }
    return w;
}

/* ---- No two overlap ---- */

struct kept { job_id job; int64_t start_ns, end_ns; struct piece piece; };
struct keeping { struct kept hold[HOLDS_MOST]; size_t n; };

static void keep(void *self, const struct interval *i)
{
    struct keeping *x = self;
    for (size_t k = 0; k < i->pieces->n && x->n < HOLDS_MOST && i->end_ns > i->start_ns; k++)
        x->hold[x->n++] = (struct kept){ i->job, i->start_ns, i->end_ns, i->pieces->piece[k] };
}

/* All that is held at that instant on this node, put where it says. */
static bool has_places(const struct keeping *x, const struct world *w, node_id n, int64_t time_ns)
{
    struct mig_cut cut[MIG_DYNAMIC_GPUS] = { { 0, 0 } };
    for (size_t i = 0; i < x->n; i++) {
        const struct kept *h = &x->hold[i];
        char name[MIG_NAME_MAX];
        if (h->piece.node != n || h->start_ns > time_ns || h->end_ns <= time_ns)
            continue;
        const struct mig_design *d = mig_design_find(model, mig_name(w->job[h->job].mig, name));
        for (uint64_t m = h->piece.gpu_mask; m; m &= m - 1) {
            unsigned bit = (unsigned)__builtin_ctzll(m);
            if (!(mig_places(d, &cut[bit / 8]) >> bit % 8 & 1))
                return false;
            mig_take(&cut[bit / 8], d, bit % 8);
        }
    }
    return true;
}

static uint64_t holds_seen;

static void none_overlap(const struct combination *k, uint64_t seed)
{
    static struct keeping x;
    struct world w = dynamic_world(seed, NULL);
    x.n = 0;
    w.furnish = cut_in_three_seconds;
    struct outcome o = world_run(&w, k, seed, (struct run_observer){ .self = &x, .interval = keep });
    for (size_t i = 0; i < x.n; i++)
        if (!has_places(&x, &w, x.hold[i].piece.node, x.hold[i].start_ns))
            fail_msg("%s, seed %u: at %.9g s instances overlap on node %u", k->name, (unsigned)seed, seconds(x.hold[i].start_ns),
                     x.hold[i].piece.node);
    for (size_t j = 0; j < w.n_jobs && !o.stalled; j++)
        if (o.job[j].state != JOB_GONE && !named(k, "kube"))    /* gangs of kube may wait for each other for ever */
            fail_msg("%s, seed %u: job %zu is not gone", k->name, (unsigned)seed, j + 1);
    holds_seen += x.n;
}

/* Nodes fail and come back, and with them all that they are cut into. The run checks its own
 * identities. */
static void nodes_fail(const struct combination *k, uint64_t seed)
{
    static struct keeping x;
    struct world w = dynamic_world(seed, NULL);
    x.n = 0;
    w.furnish = cut_and_failing;
    (void)world_run(&w, k, seed, (struct run_observer){ .self = &x, .interval = keep });
    for (size_t i = 0; i < x.n; i++)
        if (!has_places(&x, &w, x.hold[i].piece.node, x.hold[i].start_ns))
            fail_msg("%s, seed %u: at %.9g s instances overlap on node %u", k->name, (unsigned)seed, seconds(x.hold[i].start_ns),
                     x.hold[i].piece.node);
}

static void nodes_fail_for_all(void **state)
{
    (void)state;
    each_combination(WORLDS, nodes_fail);
}

static void none_overlap_for_all(void **state)
{
    (void)state;
    each_combination(WORLDS, none_overlap);
    assert_true(holds_seen > 10000);
}

/* The same replay, with one hold moved by a slice, or its job's profile made larger, does not
 * come out: the test can tell. */
static void an_overlap_is_seen(void **state)
{
    (void)state;
    static struct keeping x;
    static struct combination fifo[COMBINATIONS_MOST];
    struct world w = dynamic_world(7, NULL);
    x.n = 0;
    (void)combinations(builtin_policies[0], builtin_placers[0], fifo);
    (void)world_run(&w, &fifo[0], 7, (struct run_observer){ .self = &x, .interval = keep });
    uint32_t seen = 0;
    for (size_t i = 0; i < x.n; i++) {
        struct kept as_it_was = x.hold[i];
        x.hold[i].piece.gpu_mask = as_it_was.piece.gpu_mask << 1;
        seen += !has_places(&x, &w, as_it_was.piece.node, as_it_was.start_ns);
        x.hold[i] = as_it_was;
    }
    assert_true(seen > x.n / 4);
}

/* ---- One profile ---- */

/* By placers that go by free GPUs and node numbers; others look at sizes, of which a node has
 * others here. Which job is preempted depends on which instances jobs were given, so only runs
 * without preemptions are compared, and without promises. */
static uint64_t compared;
static void one_profile_is_as_if_cut_before(const struct combination *k, uint64_t seed)
{
    static const char *const by_number[] = { "pack", "spread", "first-fit", "consolidate", "count" };
    static const char *const profiles[] = { "1g.10gb", "1g.20gb", "2g.20gb", "3g.40gb", "4g.40gb", "7g.80gb" };
    bool goes_by_number = false;
    for (size_t i = 0; i < COUNT(by_number); i++)
        goes_by_number |= !strcmp(k->placer->name, by_number[i]);
    if (!goes_by_number || named(k, "kube") || named(k, "gang") || named(k, "quota") || k->policy->needs & SEES_TIMELINE)
        return;
    for (size_t p = 0; p < COUNT(profiles); p++) {
        bool counts_as_many = mig_g(mig_profile(profiles[p])) * mig_design_find(model, profiles[p])->most == MIG_COMPUTE_SLICES;
        if (!counts_as_many && (named(k, "multifactor") || named(k, "themis")))
            continue;                                          /* they go by parts of the cluster */
        struct world asked = dynamic_world(seed, profiles[p]), before = asked;
        struct mig_spec cut[GROUPS_MOST];
        asked.furnish = cut_for_nothing;
        for (size_t g = 0; g < before.n_groups; g++) {
            cut[g] = (struct mig_spec){ mig_profile(profiles[p]), before.group[g].gpus * mig_design_find(model, profiles[p])->most };
            before.group[g].mig_dynamic = false;
            before.group[g].mig = &cut[g];
            before.group[g].n_mig = 1;
        }
        struct outcome a = world_run(&asked, k, seed, no_observer), b = world_run(&before, k, seed, no_observer);
        assert_int_equal(a.stalled, b.stalled);
        if (a.totals.preemptions + b.totals.preemptions + a.totals.moves + b.totals.moves)
            continue;
        compared++;
        for (size_t j = 0; j < asked.n_jobs && !a.stalled; j++)
            if (!same_job(&a.job[j], &b.job[j]))
                fail_msg("%s, seed %u, %s: job %zu starts at %.9g and %.9g s", k->name, (unsigned)seed, profiles[p], j + 1,
                         seconds(a.job[j].start_ns), seconds(b.job[j].start_ns));
    }
}

static void one_profile_is_as_if_cut_before_for_all(void **state)
{
    (void)state;
    each_combination(WORLDS, one_profile_is_as_if_cut_before);
    assert_true(compared > 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(none_overlap_for_all),
        cmocka_unit_test(nodes_fail_for_all),
        cmocka_unit_test(an_overlap_is_seen),
        cmocka_unit_test(one_profile_is_as_if_cut_before_for_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
