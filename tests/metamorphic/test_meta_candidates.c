/* test_meta_candidates.c - the jobs of each queue that can be victims, as guaranteed quota keeps them: before each pass of random
 * worlds all of them, the worst first, against a sort of all jobs; more of them than stand in the array.
 *
 * Jobs are whole, preemptible and of one task, so the order is that of priority and submit time; with a control in which two change places. */
#include "policies/kai/quota.h"
#include "sim/base/random.h"
#include "sim/engine/run.h"
#include "tests/support/built.h"
#include "tests/support/named.h"
#include "tests/unit/test_core.h"

#include <stdio.h>
#include <stdlib.h>

enum { SEEDS = 12, QUEUES = 3, JOBS = 900, NODES = 30, NODE_GPUS = 8 };

struct world {
    struct queue_spec queue[QUEUES];
    char name[QUEUES][4];
    struct group_spec group;
    struct job_row job[JOBS];
};
static struct watch {
    const struct policy *wrapped;
    bool swaps;
    unsigned looks, wrong, most, in_lines;
} watch;

/* In place: its rows point to its names. */
static void world_make(struct world *w, uint64_t seed)
{
    struct random r;
    *w = (struct world){ .group = { .name = "node", .gpu_model = "A100", .count = NODES, .gpus = NODE_GPUS, .cpu_milli = INT64_MAX,
                                    .mem_mib = INT64_MAX } };
    random_init(&r, seed, "candidates of quota", 0);
    for (uint32_t i = 0; i < QUEUES; i++) {
        snprintf(w->name[i], sizeof w->name[i], "q%u", i);
        w->queue[i].facts = (struct queue_facts){
            .name = w->name[i], .parent = ID_NONE, .weight = 1, .cpu_weight = 1, .mem_weight = 1,
            .quota = { { (int64_t)random_below(&r, 100) * MILLI_ALL, UNLIMITED, UNLIMITED }, { UNLIMITED, UNLIMITED, UNLIMITED } },
            .preempt_min_runtime_ns = -1, .reclaim_min_runtime_ns = -1, .cohort = COHORT_RULES_UNSAID,
        };
    }
    int64_t now_s = 0;
    for (size_t j = 0; j < JOBS; j++) {
        struct job_row *x = &w->job[j];
        *x = job_row_default;
        now_s += (int64_t)random_below(&r, 2);
        x->submit_ns = now_s * NS_PER_S;
        x->duration_ns = (int64_t)(1 + random_below(&r, 1 + random_below(&r, 600))) * NS_PER_S;
        x->gpus = random_below(&r, 15) ? 1 : 1 + (uint32_t)random_below(&r, NODE_GPUS);
        x->tasks = 1;
        x->priority = (int32_t)random_below(&r, 3);
        x->queue = w->name[random_below(&r, 2 + random_below(&r, QUEUES - 1))];
        x->queue_length = (uint32_t)strlen(x->queue);
    }
}

static const struct sched *sorted_of;

/* The worst first. */
static int by_line(const void *a, const void *b)
{
    job_id i = *(const job_id *)a, k = *(const job_id *)b;
    struct line_key x = quota_key(sorted_of, i, 1), y = quota_key(sorted_of, k, 1);
    return line_key_before(x, i, y, k) - line_key_before(y, k, x, i);
}

static bool are_all(struct sched *s, struct quota_state *q, queue_id leaf)
{
    static job_id all[JOBS];
    struct leaf_candidates *c = &q->leaf[leaf].candidates;
    uint32_t n = 0, in_array = 0;
    for (job_id j = 0; j < JOBS; j++) {
        const struct quota_job *own = job_own(s, j);
        if (!own || !own->runs || job_facts(s, j)->queue != leaf)
            continue;
        in_array += own->in_array;
        all[n++] = j;
    }
    sorted_of = s;
    qsort(all, n, sizeof *all, by_line);
    bool same = c->all == n && c->own == in_array && c->own <= CANDIDATES_OWN && !candidates_get(s, q, c, n);
    for (uint32_t k = 0; k < n && same; k++) {
        const struct victim_candidate *v = candidates_get(s, q, c, k);
        same = v && v->job == all[k] && c->spot[k].job == all[k] && v->has == quota_has(s, q, all[k]) &&
               c->spot[k].node == v->has->piece[0].node;
    }
    watch.most = watch.most < n ? n : watch.most;
    watch.in_lines += n > in_array;
    return same;
}

static void swap_first(struct leaf_candidates *c)
{
    if (!watch.swaps || c->own < 2)
        return;
    struct victim_candidate first = c->at[0];
    c->at[0] = c->at[1];
    c->at[1] = first;
}

static void look_and_schedule(struct sched *s, const void *params, void *state)
{
    struct quota_state *q = ((struct quota_pools *)state)->shard;    /* of all nodes */
    for (queue_id i = 0; i < q->n_queues; i++) {
        struct leaf_candidates *c = &q->leaf[i].candidates;
        swap_first(c);
        watch.looks++;
        watch.wrong += !are_all(s, q, i);
        swap_first(c);
    }
    watch.wrapped->schedule(s, params, state);
}

static void play(const struct world *w, uint64_t seed, const char *name)
{
    struct error err = { "" };
    struct overhead overhead = { .checkpoint = CHECKPOINT_PERIODIC, .interval_ns = 100 * NS_PER_S, .restart_ns = 5 * NS_PER_S,
                                 .grace_ns = (int64_t)(seed % 3) * NS_PER_S };
    struct cluster *c = built_cluster(&w->group, w->queue, QUEUES, overhead);
    struct workload *load = built_workload(c, w->job, JOBS);
    struct named_policy named = policy_named(name);
    struct policy policy = *named.policy;
    watch.wrapped = named.policy;
    policy.schedule = look_and_schedule;
    struct run_setup setup = { .cluster = c, .workload = load, .policy = &policy, .policy_params = named.params, .seed = seed,
                               .placer = placer_named("pack"), .fruitless_most = 1000 };
    struct sched *s = run_new(&setup);
    assert_int_equal(run_execute(s, &err), 0);
    run_free(s);
    workload_free(load);
    cluster_free(c);
}

static void play_all(bool swaps)
{
    static struct world w;
    watch = (struct watch){ .swaps = swaps };
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        world_make(&w, seed);
        play(&w, seed, seed % 2 ? "quota" : "quota:consolidation=no");
    }
}

static void are_those_that_run(void **state)
{
    (void)state;
    play_all(false);
    assert_int_equal(watch.wrong, 0);
    assert_true(watch.looks > 5000 && watch.most > 2 * CANDIDATES_OWN && watch.in_lines > 1000);
}

static void control_two_change_places(void **state)
{
    (void)state;
    play_all(true);
    assert_true(watch.wrong > 1000);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_TEST(tests, n, are_those_that_run);
    ADD_TEST(tests, n, control_two_change_places);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
