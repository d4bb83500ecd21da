/* test_meta_reasons.c - guaranteed quota looks only at jobs that may have room, and gives the
 * others the reasons to wait that a look at all of them would give.
 *
 * The same random world twice, the second time with all leaves open and no job left out as
 * infeasible: all that comes of each job is the same, each reason to the nanosecond. Jobs are
 * whole and preemptible and queues have no limits: elsewhere nothing is left out. */
#include "policies/kai/quota.h"
#include "sim/base/random.h"
#include "sim/engine/run.h"
#include "tests/support/built.h"
#include "tests/support/named.h"
#include "tests/unit/test_core.h"

#include <stdio.h>

enum { SEEDS = 700, CONTROL_SEEDS = 20, QUEUES_MOST = 40, JOBS = 200, NODE_GPUS = 8 };

struct world {
    struct queue_spec queue[QUEUES_MOST];
    char name[QUEUES_MOST][4];
    uint32_t n_queues;
    struct group_spec group;
    struct overhead overhead;
    struct job_row job[JOBS];
};

static int64_t draw(struct random *r, int64_t least, int64_t most)
{
    return least + (int64_t)random_below(r, (uint64_t)(most - least + 1));
}

/* In place: its rows point to its names. */
static void world_make(struct world *w, uint64_t seed)
{
    static const uint32_t sizes[] = { 1, 2, 3, 4, 5, 6, 7, 8, 16 };
    struct random r;
    *w = (struct world){ .overhead = { .checkpoint = CHECKPOINT_PERIODIC, .interval_ns = 1800 * NS_PER_S, .restart_ns = 30 * NS_PER_S,
                                  .grace_ns = 30 * NS_PER_S } };
    random_init(&r, seed, "reasons of quota", 0);
    w->n_queues = (uint32_t)draw(&r, QUEUES_MOST / 2, QUEUES_MOST);
    w->group = (struct group_spec){ .name = "node", .gpu_model = "A100", .count = (uint32_t)draw(&r, 2, 8), .gpus = NODE_GPUS,
                                    .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX };
    for (uint32_t i = 0; i < w->n_queues; i++) {
        snprintf(w->name[i], sizeof w->name[i], "q%u", i);
        w->queue[i].facts = (struct queue_facts){
            .name = w->name[i], .parent = ID_NONE, .weight = 1, .cpu_weight = 1, .mem_weight = 1,
            .quota = { { draw(&r, 0, 8) * MILLI_ALL, UNLIMITED, UNLIMITED }, { UNLIMITED, UNLIMITED, UNLIMITED } },
            .preempt_min_runtime_ns = -1, .reclaim_min_runtime_ns = -1, .cohort = COHORT_RULES_UNSAID,
        };
    }
    int64_t now_ms = 0, gap_most_ms = 90000 / w->group.count;
    for (size_t j = 0; j < JOBS; j++) {
        struct job_row *x = &w->job[j];
        *x = job_row_default;
        now_ms += draw(&r, 0, draw(&r, 0, gap_most_ms));
        x->submit_ns = now_ms * 1000000;
        x->duration_ns = draw(&r, 1, draw(&r, 1, 200)) * NS_PER_S;
        x->gpus = sizes[draw(&r, 0, sizeof sizes / sizeof *sizes - 1)];
        x->tasks = (x->gpus + NODE_GPUS - 1) / NODE_GPUS;
        x->queue = w->name[draw(&r, 0, w->n_queues - 1)];
        x->queue_length = (uint32_t)strlen(x->queue);
    }
}

/* ---- Plays ---- */

static const struct policy *wrapped;

/* Leaves where a job grows are looked at in any case; and where there are budgets no job is left
 * out as infeasible. */
static void pass_over_all(struct sched *s, const void *params, void *state)
{
    struct quota_state *q = ((struct quota_pools *)state)->shard;    /* of all nodes */
    q->budgets = true;
    for (queue_id i = 0; i < q->n_queues; i++)
        bitset_put(&q->leaves, q->grows, i, true);
    wrapped->schedule(s, params, state);
}

static void pass_without_memory(struct sched *s, const void *params, void *state)
{
    struct quota_state *q = ((struct quota_pools *)state)->shard;    /* of all nodes */
    for (size_t i = 0; i < q->n_checks; i++)
        q->check[i].why = WAIT_ORDER;
    wrapped->schedule(s, params, state);
}

struct outcome { struct job_result job[JOBS]; struct error err; };

static void play(const struct world *w, uint64_t seed, void (*schedule)(struct sched *, const void *, void *), struct outcome *to)
{
    struct error err = { "" };
    struct cluster *c = built_cluster(&w->group, w->queue, w->n_queues, w->overhead);
    struct workload *load = built_workload(c, w->job, JOBS);
    struct named_policy named = policy_named("quota");
    struct policy policy = *named.policy;
    wrapped = named.policy;
    if (schedule)
        policy.schedule = schedule;
    struct run_setup setup = { .cluster = c, .workload = load, .policy = &policy, .policy_params = named.params, .seed = seed,
                               .placer = placer_named("pack"), .fruitless_most = 1000 };
    struct sched *s = run_new(&setup);
    to->err = err;
    (void)run_execute(s, &to->err);    /* a livelock is an outcome, too */
    for (job_id j = 0; j < JOBS; j++)
        to->job[j] = run_job(s, j);
    run_free(s);
    workload_free(load);
    cluster_free(c);
}

struct compared { unsigned worlds, other, refused, quota; };

static void compare(struct compared *c, uint64_t seed, const struct outcome *a, const struct outcome *b, bool tell)
{
    bool same = !strcmp(a->err.text, b->err.text);
    for (job_id j = 0; j < JOBS; j++) {
        const struct job_result *x = &a->job[j], *y = &b->job[j];
        bool alike = x->state == y->state && x->start_ns == y->start_ns && x->end_ns == y->end_ns &&
                     x->preemptions == y->preemptions;
        if (!alike && tell)
            print_error("seed %u, job %u: starts at %.9g s, of a full walk at %.9g s; ends at %.9g s, of a full walk at %.9g s\n",
                        (unsigned)seed, j, (double)x->start_ns / NS_PER_S, (double)y->start_ns / NS_PER_S,
                        (double)x->end_ns / NS_PER_S, (double)y->end_ns / NS_PER_S);
        same = same && alike;
        for (unsigned r = 0; r < WAIT_REASONS; r++) {
            c->quota += x->waits[r] > 0 && r == WAIT_QUOTA;
            if (x->waits[r] != y->waits[r] && tell)
                print_error("seed %u, job %u: %s %g s, of a full walk %g s\n", (unsigned)seed, j, wait_reason_name[r],
                            (double)x->waits[r] / NS_PER_S, (double)y->waits[r] / NS_PER_S);
            same = same && x->waits[r] == y->waits[r];
        }
    }
    c->worlds++;
    c->other += !same;
    c->refused += a->err.text[0] != 0;
}

static struct compared play_both(uint64_t n, void (*schedule)(struct sched *, const void *, void *), bool tell)
{
    static struct world w;
    static struct outcome usual, other;
    struct compared c = { 0 };
    for (uint64_t seed = 0; seed < n; seed++) {
        world_make(&w, seed);
        play(&w, seed, NULL, &usual);
        play(&w, seed, schedule, &other);
        compare(&c, seed, &usual, &other, tell);
    }
    return c;
}

static void reasons_are_those_of_a_full_walk(void **state)
{
    (void)state;
    struct compared c = play_both(SEEDS, pass_over_all, true);
    assert_int_equal(c.other, 0);
    assert_true(c.refused * 20 < c.worlds && c.quota > 10 * c.worlds);
}

static void other_reasons_are_seen(void **state)
{
    (void)state;
    struct compared c = play_both(CONTROL_SEEDS, pass_without_memory, false);
    assert_true(c.other > CONTROL_SEEDS / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reasons_are_those_of_a_full_walk),
        cmocka_unit_test(other_reasons_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
