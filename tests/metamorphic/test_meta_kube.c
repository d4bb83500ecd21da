/* test_meta_kube.c - kube and gang find the best node by an index and remember which pods
 * failed; a limit of pods per node that never binds makes them look at every node for every pod.
 * Both have to give the same schedule. */
#include "tests/support/named.h"
#include "tests/support/random_world.h"

enum { SEEDS = 150 };
static const struct combination *doing;
static size_t preempted, gathered;

/* Jobs of tasks that ask for CPU and memory, on nodes that have both. */
static struct world of_pods(uint64_t seed)
{
    struct world w = random_world(seed);
    struct random r;
    random_init(&r, seed, "pods", 0);
    for (size_t g = 0; g < w.n_groups; g++) {
        w.group[g].cpu_milli = 24000 + 8000 * (int64_t)g;
        w.group[g].mem_mib = 1000;
    }
    for (size_t j = 0; j < w.n_jobs; j++) {
        struct job_row *x = &w.job[j];
        if (!x->tasks)
            x->tasks = x->gpu_milli < MILLI_ALL || x->gpus <= 4 ? 1 : x->gpus;
        x->cpu_milli = random_below(&r, 3) ? 500 * (int64_t)random_below(&r, 8) * x->tasks : 0;
        x->mem_mib = random_below(&r, 3) ? 20 * (int64_t)random_below(&r, 8) * x->tasks : 0;
    }
    return w;
}

static struct outcome with_limit(struct world *w, uint32_t max_per_node, uint64_t seed)
{
    for (size_t j = 0; j < w->n_jobs; j++)
        w->job[j].max_per_node = max_per_node;
    return world_run(w, doing, seed, (struct run_observer){ 0 });
}

/* The number of jobs that differ. */
static size_t differing(const struct world *w, const struct outcome *a, const struct outcome *b)
{
    size_t n = 0;
    for (size_t j = 0; j < w->n_jobs; j++)
        n += !same_job(&a->job[j], &b->job[j]) || a->job[j].held != b->job[j].held || a->job[j].lost != b->job[j].lost;
    return n;
}

static void limit_is_no_limit(const struct policy *policy, double gpu)
{
    static struct combination all[COMBINATIONS_MOST];
    size_t n = combinations(policy, builtin_placers[0], all);
    for (size_t i = 0; i < n; i++) {
        doing = &all[i];
        if (strstr(doing->name, "ties=random") || strstr(doing->name, "sample=adaptive"))
            continue;              /* they look at every node anyway */
        for (const struct param *x = policy->params; x->name; x++)
            if (!strcmp(x->name, "gpu"))
                all[i].params[x->at / sizeof(double)] = gpu;
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            struct world w = of_pods(seed);
            struct outcome fast = with_limit(&w, 0, seed), slow = with_limit(&w, 1000, seed);
            size_t differ = differing(&w, &fast, &slow);
            for (size_t j = 0; j < w.n_jobs && differ; j++)
                assert_same_jobs(&slow.job[j], &fast.job[j], "%s, gpu %g, seed %u: job %zu", all[i].name, gpu, (unsigned)seed, j);
            if (differ)
                fail_msg("%s, gpu %g, seed %u: %zu jobs differ in GPU time", all[i].name, gpu, (unsigned)seed, differ);
            preempted += fast.totals.preemptions;
            gathered += fast.totals.account[ACCOUNT_GANG] > 0;
        }
    }
}

static void kube_index_and_scan_agree(void **state)
{
    (void)state;
    limit_is_no_limit(policy_named("kube").policy, 0);
    limit_is_no_limit(policy_named("kube").policy, 2);
    assert_true(preempted > 100 && gathered > 20);    /* it is not about nothing */
}

static void gang_index_and_scan_agree(void **state)
{
    (void)state;
    limit_is_no_limit(policy_named("gang").policy, 0);
    limit_is_no_limit(policy_named("gang").policy, 2);
}

/* The control: a limit that binds is seen. */
static void one_per_node_differs(void **state)
{
    (void)state;
    static struct combination all[COMBINATIONS_MOST];
    combinations(policy_named("kube").policy, builtin_placers[0], all);
    doing = &all[0];
    size_t differ = 0;
    for (uint64_t seed = 0; seed < 5; seed++) {
        struct world w = of_pods(seed);
        struct outcome free = with_limit(&w, 0, seed), bound = with_limit(&w, 1, seed);
        differ += differing(&w, &free, &bound);
    }
    assert_true(differ > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kube_index_and_scan_agree),
        cmocka_unit_test(gang_index_and_scan_agree),
        cmocka_unit_test(one_per_node_differs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
