/* test_meta_groups.c - tasks that are alike, written as two runs of one group or as one, are the
 * same job: a placer that goes task by task gives the same schedule. The control: another split
 * of the GPUs is seen. */
#include "tests/support/random_world.h"

enum { SEEDS = 12 };
static size_t differed, compared;

/* The job's first task and the others; with `other` the first is one GPU larger, and another one
 * smaller. */
static void say_in_two(struct world *w, bool other)
{
    for (size_t j = 0; j < w->n_jobs; j++) {
        struct job_row *x = &w->job[j];
        x->min_tasks = 0;
        if (x->tasks < 2)
            continue;
        uint32_t gpus = x->gpus / x->tasks, more = other && gpus > 1;
        for (uint32_t i = 0; i < 2; i++)
            w->part[j][i] = (struct task_row){ .group = ".", .gpus = gpus + (i ? 0 : more), .gpu_milli = x->gpu_milli,
                                               .tasks = i ? x->tasks - 1 : 1, .cpu_milli = x->cpu_milli, .mem_mib = x->mem_mib,
                                               .required_level = LEVEL_ANY, .preferred_level = LEVEL_ANY, .line = j + 1 };
        w->n_parts[j] = 2;
    }
}

static struct world with_gangs(uint64_t seed)
{
    struct world w = random_world(seed);
    w.overhead.checkpoint = CHECKPOINT_PERFECT;    /* nobody gives way for ever */
    for (size_t j = 0; j < w.n_jobs; j++)
        w.job[j].min_tasks = 0;
    return w;
}

/* The placer takes task by task, and neither it nor the policy draws: a request that fails
 * draws, too, and every run asks. slurm refuses jobs of several runs. */
static bool task_by_task(const struct combination *k)
{
    static const char *const looks_at_all[] = { "rack", "tightest", "rate", "consolidate", "random",
                                               "kueue-tas" };
    for (size_t i = 0; i < sizeof looks_at_all / sizeof looks_at_all[0]; i++)
        if (!strcmp(k->placer->name, looks_at_all[i]))
            return false;
    return !strstr(k->name, "=random") && !named(k, "slurm");
}

static bool same(const struct world *w, const struct outcome *a, const struct outcome *b)
{
    if (a->stalled != b->stalled)
        return false;
    for (size_t j = 0; j < w->n_jobs && !a->stalled; j++)
        if (!same_job(&a->job[j], &b->job[j]) || a->job[j].held != b->job[j].held)
            return false;
    return true;
}

static void compare(const struct combination *k, uint64_t seed)
{
    if (!task_by_task(k))
        return;
    struct world w = with_gangs(seed), two = w, other = w;
    say_in_two(&two, false);
    say_in_two(&other, true);
    struct outcome a = world_run(&w, k, seed, (struct run_observer){ 0 });
    struct outcome b = world_run(&two, k, seed, (struct run_observer){ 0 });
    for (size_t j = 0; j < w.n_jobs && !a.stalled && !b.stalled; j++)
        assert_same_jobs(&a.job[j], &b.job[j], "%s, seed %u: tasks in two runs: job %zu", k->name, (unsigned)seed, j);
    if (!same(&w, &a, &b))
        fail_msg("%s, seed %u: tasks in two runs: other GPU time, or only one run stalls", k->name, (unsigned)seed);
    compared++;
    struct outcome c = world_run(&other, k, seed, (struct run_observer){ 0 });
    differed += !same(&w, &a, &c);
}

static void runs_alike_are_one(void **state)
{
    (void)state;
    each_combination(SEEDS, compare);
}

static void other_splits_are_seen(void **state)
{
    (void)state;
    assert_true(compared > 100);
    assert_true(differed * 2 > compared);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(runs_alike_are_one), cmocka_unit_test(other_splits_are_seen) };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
