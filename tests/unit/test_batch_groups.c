/* test_batch_groups.c - groups of jobs that age alike (policies/slurm/groups.h), of which only the best of a shape stands in
 * line by its priority, against the obvious: no groups, and each job stands there by its own, in random worlds with users,
 * requeues and nodes that fail. */
#define account share_account     /* the engine has an enum of that name */
#include "policies/slurm/batch.h"
#undef account
#include "tests/support/random_world.h"

#include <math.h>

enum { SEEDS = 400 };
static unsigned computed[2];      /* priorities: of groups, of each alone */
static bool alone;

static double priority(struct sched *s, const struct batch *b, job_id j, const void *params)
{
    (void)params;
    const struct job_facts *f = job_facts(s, j);
    double age = fmin(1, fmax(0, (b->at_s - (double)(f->submit_ns - b->origin_ns) / 1e9) / 60)),
           part = (double)job_size(s, j).gpu_milli / (b->gpus_milli + 1);
    computed[alone]++;
    return floor(20 * age + 10 * batch_factor(b, s, j) + 3 * part + 2 * f->priority);
}

static struct batch_traits traits(struct sched *s, job_id j, const void *params)
{
    (void)params;
    return (struct batch_traits){ job_facts(s, j)->priority, 0 };
}

static void aging_begin(struct sched *s, const void *params, void *state)
{
    batch_begin(s, state, (struct batch_order){ priority, fair_tree_factors, traits, NULL, NULL }, params);
}

BATCH_CALLBACKS(aging)
static const struct policy aging = { BATCH_TABLE(aging), .name = "aging", .summary = "by age, size and share",
                                     .reads = READS_WEIGHTS, .params_size = sizeof(struct batch_params) };

static void obvious_begin(struct sched *s, const void *params, void *state)
{
    batch_begin(s, state, (struct batch_order){ priority, fair_tree_factors, NULL, NULL, NULL }, params);
}

static void obvious_schedule(struct sched *s, const void *params, void *state)
{
    (void)params;
    struct batch *b = state;
    size_t n;
    bool due = batch_catches_up(s, b);
    const job_id *job = queueing_jobs(s, &b->queueing, &n);
    for (size_t i = 0; due && i < n; i++)
        if (batch_prioritise(s, b, job[i]))
            queueing_moved(s, &b->queueing, job[i]);
    queueing_serve(s, &b->queueing);
    if (n)
        sched_wake_at(s, batch_next_ns(b));
}

static const struct policy obvious = {
    .abi = POLICY_ABI, .name = "obvious", .summary = "the same", .reads = READS_WEIGHTS,
    .params_size = sizeof(struct batch_params), .state_size = sizeof(struct batch), .job_size = sizeof(struct batch_job),
    .begin = obvious_begin, .schedule = obvious_schedule, .job_arrived = aging_arrived, .job_started = aging_started,
    .job_stopped = aging_stopped
};

/* Few shapes, and short periods. */
static struct world drawn(uint64_t seed)
{
    static const char *const user[] = { "u", "v", "w" };
    struct world w = random_world(seed);
    for (size_t j = 0; j < w.n_jobs; j++) {
        if (seed % 3) {
            w.job[j].gpus = 1 + (uint32_t)(j % 3);
            w.job[j].tasks = job_row_default.tasks;
            w.job[j].gpu_milli = MILLI_ALL;
            w.job[j].min_tasks = 0;
            w.job[j].cpu_milli = 0;
            w.job[j].priority = j % 7 == 0;
            w.job[j].duration_ns += 20 * NS_PER_S;
        }
        if (seed % 4 && j % 5) {
            w.job[j].user = user[j % (seed % 4)];
            w.job[j].user_length = 1;
        }
    }
    w.furnish = seed % 2 ? gpus_fail_often : NULL;
    return w;
}

static void as_each_alone(void **state)
{
    (void)state;
    static struct outcome out[2];
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct world w = drawn(seed);
        struct combination c = { .policy = &aging, .placer = builtin_placers[0], .name = "aging" };
        struct batch_params p = { .queueing = { .scope = (double)(seed / 2 % 2), .blocking = (double)(seed / 4 % 2) },
                                  .calc_period_s = 1 + (double)(seed % 7), .half_life_s = 30 * (double)(seed % 2) };
        memcpy(c.params, &p, sizeof p);
        for (int i = 0; i < 2; i++) {
            alone = i;
            c.policy = alone ? &obvious : &aging;
            out[i] = world_run(&w, &c, seed, (struct run_observer){ 0 });
        }
        for (size_t j = 0; j < w.n_jobs; j++)
            if (!same_job(&out[0].job[j], &out[1].job[j]))
                fail_msg("seed %u, job %u: %s", (unsigned)seed, (unsigned)j,
                         job_difference(&out[0].job[j], &out[1].job[j]).text);
    }
    print_message("%u priorities of groups, %u of each alone\n", computed[0], computed[1]);
    assert_true(computed[1] > 100000 && computed[0] < computed[1] / 3 * 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(as_each_alone) };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
