/* test_meta_mig.c - MIG instances behave as the GPUs that they stand for, under every policy and
 * placer: a cluster that is cut and one that is not give the same jobs the same times. */
#include "tests/support/random_world.h"
#include "tests/unit/test_core.h"

enum { WORLDS = 3, SLOTS = 5 };
enum { SMALL = 1 << 12 | 10, OTHER = 1 << 12 | 20, LARGE = 3 << 12 | 40 };

/* Where nothing is lost at a stop, no policy runs for ever. */
static struct world lossless_world(uint64_t seed)
{
    struct world w = random_world(seed);
    w.overhead = (struct overhead){ .checkpoint = CHECKPOINT_PERFECT, .save_ns = w.overhead.save_ns, .grace_ns = w.overhead.grace_ns };
    return w;
}

/* Nodes of SLOTS GPUs without NVLink, and nothing that an instance has not: shares, islands. */
static struct world plain_world(uint64_t seed)
{
    struct world w = lossless_world(seed);
    for (size_t g = 0; g < w.n_groups; g++) {
        w.group[g].gpus = SLOTS;
        w.group[g].island_gpus = 0;
    }
    for (size_t j = 0; j < w.n_jobs; j++)
        w.job[j].gpu_milli = MILLI_ALL;
    return w;
}

static void cut(struct world *w, const struct mig_spec *mig, uint32_t n, bool single)
{
    for (size_t g = 0; g < w->n_groups; g++) {
        w->group[g].mig = mig;
        w->group[g].n_mig = n;
        w->group[g].mig_single = single;
    }
}

static void same_outcome(const struct combination *k, uint64_t seed, const struct outcome *a, const struct outcome *b, size_t n)
{
    if (a->stalled != b->stalled)
        fail_msg("%s, seed %u: only one is stalled", k->name, (unsigned)seed);
    for (size_t j = 0; j < n && !a->stalled; j++)
        if (!same_job(&a->job[j], &b->job[j]))
            fail_msg("%s, seed %u: job %zu starts at %.9g and %.9g s, ends at %.9g and %.9g s", k->name, (unsigned)seed, j,
                     seconds(a->job[j].start_ns), seconds(b->job[j].start_ns), seconds(a->job[j].end_ns),
                     seconds(b->job[j].end_ns));
}

/* Each slice of a single node is a GPU, whatever its g. */
static void single_is_plain(const struct combination *k, uint64_t seed)
{
    static const struct mig_spec slices = { LARGE, SLOTS };
    static const struct run_observer no_observer = { 0 };
    struct world w = plain_world(seed);
    struct outcome plain = world_run(&w, k, seed, no_observer);
    cut(&w, &slices, 1, true);
    struct outcome is = world_run(&w, k, seed, no_observer);
    same_outcome(k, seed, &plain, &is, w.n_jobs);
    assert_true(plain.stalled || plain.totals.held == is.totals.held);
}

/* So is each instance of 1g of a mixed node, for jobs that ask for it. To fgd it is not:
 * instances do not fragment. quota sees of GPUs alone that a search cannot succeed, so a placer
 * that draws is asked another number of times. slurm refuses jobs that ask for instances. */
static void mixed_of_one_is_plain(const struct combination *k, uint64_t seed)
{
    if (!strcmp(k->placer->name, "fgd") || (named(k, "quota") && !strcmp(k->placer->name, "random")) || named(k, "slurm"))
        return;
    static const struct mig_spec instances = { SMALL, SLOTS };
    static const struct run_observer no_observer = { 0 };
    struct world w = plain_world(seed);
    struct outcome plain = world_run(&w, k, seed, no_observer);
    cut(&w, &instances, 1, false);
    for (size_t j = 0; j < w.n_jobs; j++)
        w.job[j].mig = SMALL;
    struct outcome is = world_run(&w, k, seed, no_observer);
    same_outcome(k, seed, &plain, &is, w.n_jobs);
    assert_true(plain.stalled || plain.totals.held == is.totals.held);
}

/* Two profiles on the same nodes are two clusters side by side, each of one GPU model, as long
 * as nothing else is scarce and the placer goes by free GPUs and node numbers. */
static void profiles_are_apart(const struct combination *k, uint64_t seed)
{
    static const char *const by_number[] = { "pack", "spread", "first-fit", "consolidate", "count" };
    static const struct mig_spec instances[] = { { SMALL, SLOTS }, { OTHER, SLOTS } };
    static const struct run_observer no_observer = { 0 };
    bool goes_by_number = false;
    for (size_t i = 0; i < COUNT(by_number); i++)
        goes_by_number |= !strcmp(k->placer->name, by_number[i]);
    if (named(k, "slurm"))
        return;
    bool by_queue = named(k, "quota") || named(k, "cohort");    /* queues have shares of both together */
    if (!goes_by_number || by_queue || named(k, "kube") || named(k, "gang"))
        return;
    struct world w = plain_world(seed);
    w.n_groups = 1;
    w.group[0].cpu_milli = INT64_MAX;
    w.group[0].nodes_per_rack = 0;
    struct world apart = w;
    apart.n_groups = 2;
    apart.group[1] = apart.group[0];
    apart.group[0].gpu_model = "small";
    apart.group[1].gpu_model = apart.group[1].name = "other";
    for (size_t j = 0; j < w.n_jobs; j++) {
        w.job[j].mig = j % 3 ? SMALL : OTHER;
        apart.job[j].gpu_type = j % 3 ? "small" : "other";
        apart.job[j].gpu_type_length = 5;
    }
    w.group[0].gpus = 2 * SLOTS;
    cut(&w, instances, 2, false);
    struct outcome one = world_run(&apart, k, seed, no_observer), is = world_run(&w, k, seed, no_observer);
    same_outcome(k, seed, &one, &is, w.n_jobs);
}

/* Everything at once: mixed, single and plain nodes, shares, two profiles. The host checks
 * itself and its identities. */
static void all_sorts_run(const struct combination *k, uint64_t seed)
{
    static const struct mig_spec mixed[] = { { SMALL, 4 }, { LARGE, 2 } }, slices = { OTHER, 6 };
    static const struct run_observer no_observer = { 0 };
    struct world w = lossless_world(seed);
    w.group[w.n_groups] = w.group[0];
    w.group[w.n_groups].name = "cut";
    w.group[w.n_groups].mig = seed % 3 ? mixed : &slices;
    w.group[w.n_groups].n_mig = seed % 3 ? 2 : 1;
    w.group[w.n_groups++].mig_single = seed % 3 == 0;
    for (size_t j = 0; j < w.n_jobs; j++)
        if (w.job[j].gpu_milli == MILLI_ALL && j % 3)
            w.job[j].mig = j % 3 == 1 ? SMALL : LARGE;
    struct outcome out = world_run(&w, k, seed, no_observer);
    for (size_t j = 0; j < w.n_jobs && !out.stalled; j++)
        assert_true(out.job[j].state == JOB_GONE);
}

#define FOR_ALL(property)                                                                                              \
    static void property##_for_all(void **state)                                                                       \
    {                                                                                                                  \
        (void)state;                                                                                                   \
        each_combination(WORLDS, property);                                                                            \
    }
FOR_ALL(single_is_plain)
FOR_ALL(mixed_of_one_is_plain)
FOR_ALL(profiles_are_apart)
FOR_ALL(all_sorts_run)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_is_plain_for_all),
        cmocka_unit_test(mixed_of_one_is_plain_for_all),
        cmocka_unit_test(profiles_are_apart_for_all),
        cmocka_unit_test(all_sorts_run_for_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
