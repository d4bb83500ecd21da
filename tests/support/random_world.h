/* random_world.h - a random cluster and workload from a seed, and what a run of them gives: for
 * properties that hold for every policy and placer. Header only. */
#pragma once
#include "policies/registry.h"
#include "sim/base/memory.h"
#include "sim/base/random.h"
#include "sim/engine/run.h"
#include "sim/models/failures.h"
#include "tests/support/choices.h"
#include "tests/support/final_watch.h"
#include "tests/support/wanted.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { JOBS_MOST = 120, GROUPS_MOST = 3, QUEUES_MOST = 3, PARTS_MOST = 4, COMBINATIONS_MOST = 128 };

struct world {
    size_t n_jobs, n_groups, n_queues;
    struct job_row job[JOBS_MOST];
    struct task_row part[JOBS_MOST][PARTS_MOST];    /* of jobs with groups; pointed to when the world is run */
    size_t n_parts[JOBS_MOST];
    struct group_spec group[GROUPS_MOST];
    struct queue_spec queue[QUEUES_MOST];
    struct pin_spec pin[QUEUES_MOST];
    struct overhead overhead;
    int64_t period_ns;
    void (*furnish)(struct cluster *c, uint64_t seed);    /* what else its file would say; NULL: nothing */
    size_t n_on_demand;           /* so many of the last jobs come on demand */
    void (*prepare)(struct sched *s, uint64_t seed);      /* before it is executed; NULL: nothing */
};
struct outcome { struct job_result job[JOBS_MOST]; struct run_totals totals; bool stalled; };

/* A policy with one choice of its word parameters, and a placer. */
struct combination {
    const struct policy *policy;
    const struct placer *placer;
    double params[48];
    char name[160];
};

static inline const char *queue_name(size_t q)
{
    static const char *const name[QUEUES_MOST] = { "a", "b", "c" };
    return name[q];
}

static inline void random_job(struct world *w, struct random *r, size_t j)
{
    struct job_row *x = &w->job[j];
    *x = job_row_default;
    int64_t before = j ? w->job[j - 1].submit_ns : 0;
    x->submit_ns = before + (random_below(r, 3) ? (int64_t)random_below(r, 8) * NS_PER_S : 0);
    x->duration_ns = random_below(r, 12) ? (int64_t)random_below(r, 40) * NS_PER_S : 0;
    x->estimate_ns = x->duration_ns + (int64_t)random_below(r, 20) * NS_PER_S;
    if (random_below(r, 5) == 0)              /* outstays it, or has none */
        x->estimate_ns = random_below(r, 2) ? x->duration_ns / 2 : TIME_NEVER;
    x->gpus = 1 + (uint32_t)random_below(r, random_below(r, 4) ? 4 : 20);
    if (random_below(r, 4) == 0) {
        x->tasks = 1 + (uint32_t)random_below(r, 3);
        x->gpus = x->tasks * (1 + (uint32_t)random_below(r, 4));
        x->min_tasks = j % 2 ? 1 + (uint32_t)(j % x->tasks) : 0;
    } else if (random_below(r, 6) == 0) {
        x->gpus = 1;
        x->gpu_milli = 100 * (1 + (uint32_t)random_below(r, 9));
    }
    x->cpu_milli = random_below(r, 3) ? 0 : 1000 * (int64_t)random_below(r, 6);
    x->priority = (int32_t)random_below(r, 3);
    x->preemptible = random_below(r, 5) > 0;
    x->queue = queue_name(random_below(r, w->n_queues));
    x->queue_length = 1;
}

static inline struct world random_world(uint64_t seed)
{
    struct world w = { .n_queues = 1 + seed % QUEUES_MOST };
    struct random r;
    random_init(&r, seed, "world", 0);
    w.n_groups = 1 + random_below(&r, 2);
    for (size_t g = 0; g < w.n_groups; g++)
        w.group[g] = (struct group_spec){
            .name = queue_name(g), .count = 2 + (uint32_t)random_below(&r, 3), .gpus = random_below(&r, 2) ? 8 : 4,
            .island_gpus = random_below(&r, 2) ? 4 : 0, .nodes_per_rack = (uint32_t)random_below(&r, 3),
            .cpu_milli = random_below(&r, 2) ? 24000 : INT64_MAX, .mem_mib = INT64_MAX,
        };
    for (size_t q = 0; q < w.n_queues; q++)
        w.queue[q].facts = (struct queue_facts){
            .name = queue_name(q), .parent = ID_NONE, .weight = 1,
            .quota = { { UNLIMITED, UNLIMITED, UNLIMITED }, { UNLIMITED, UNLIMITED, UNLIMITED } },
        };
    static const unsigned modes[] = { CHECKPOINT_NONE, CHECKPOINT_PERFECT, CHECKPOINT_PERIODIC };
    w.overhead.checkpoint = modes[random_below(&r, 3)];
    w.overhead.interval_ns = 5 * NS_PER_S;
    w.overhead.save_ns = (int64_t)random_below(&r, 2) * NS_PER_S;
    w.overhead.grace_ns = 2 * NS_PER_S;
    w.overhead.restart_ns = (int64_t)random_below(&r, 3) * NS_PER_S;
    w.n_jobs = 20 + random_below(&r, JOBS_MOST - 20);
    for (size_t j = 0; j < w.n_jobs; j++)
        random_job(&w, &r, j);
    return w;
}

/* Every fourth job gets one to three runs of tasks, in groups or not, some of them in an inner
 * group with a level. */
static inline void random_groups(struct world *w, uint64_t seed)
{
    static const char *const path[][PARTS_MOST] = { { ".", ".", "." }, { "a", "b", "c" }, { "a", "a", "b" },
                                                    { "x/a", "x/b", "c", "x" }, { "a", "b", "c", "." } };
    struct random r;
    random_init(&r, seed, "groups", 0);
    for (size_t j = 0; j < w->n_jobs; j++) {
        const char *const *group = path[random_below(&r, 5)];
        size_t n = random_below(&r, 4) ? 0 : group[3] ? 4 : 1 + random_below(&r, 3);
        w->n_parts[j] = n;
        for (size_t i = 0; i < n; i++) {
            struct task_row *x = &w->part[j][i];
            bool shared = random_below(&r, 6) == 0;
            *x = (struct task_row){ .group = group[i], .gpu_milli = MILLI_ALL, .required_level = LEVEL_ANY, .preferred_level = LEVEL_ANY,
                                    .line = j + 1 };
            if (i == 3) {
                *(random_below(&r, 2) ? &x->required_level : &x->preferred_level) = (uint8_t)(LEVEL_NODE + random_below(&r, 3));
                continue;
            }
            x->tasks = 1 + (uint32_t)random_below(&r, 3);
            x->gpus = shared ? 1 : (uint32_t)random_below(&r, 4);
            x->gpu_milli = shared ? 100 * (1 + (uint32_t)random_below(&r, 9)) : MILLI_ALL;
            x->min_tasks = random_below(&r, 2) ? 1 + (uint32_t)random_below(&r, x->tasks) : 0;
            x->cpu_milli = random_below(&r, 3) ? 0 : 1000 * (int64_t)random_below(&r, 4);
        }
        if (n && group[0][0] == 'a' && group[1][0] == 'b' && random_below(&r, 2))
            w->part[j][0].required_level = (uint8_t)(LEVEL_ISLAND + random_below(&r, 3));
    }
}

/* For furnish(): each GPU of a node fails by itself, about once a minute, for some seconds. */
static inline void gpus_fail_often(struct cluster *c, uint64_t seed)
{
    static struct failures often;
    often = failures_default;
    often.faults_per_day = 86400.0 / 60;
    often.weibull_scale_ns = 9 * NS_PER_S;
    often.detection_ns = (int64_t)(seed % 2) * 3 * NS_PER_S;
    often.gpu_scope = 1;
    c->failures = &often;
}

/* All but the observer. world_done() frees what this has made. */
static inline struct run_setup world_setup(const struct world *w, const struct combination *k, uint64_t seed)
{
    struct error err = { "" };
    struct cluster *c = cluster_build("w", w->group, w->n_groups, w->queue, w->n_queues, &err);
    if (!c)
        fail_msg("%s", err.text);
    c->overhead = w->overhead;
    c->period_ns = w->period_ns;
    if (w->furnish)
        w->furnish(c, seed);
    struct workload *load = workload_new();
    for (size_t j = 0; j < w->n_jobs; j++) {
        struct job_row row = w->job[j];
        row.part = w->part[j];
        row.n_parts = w->n_parts[j];
        if ((row.on_demand = j + w->n_on_demand >= w->n_jobs))
            row.submit_ns = w->job[0].submit_ns;
        if (workload_add(load, &row, "world", j + 1, &err))
            fail_msg("%s", err.text);
    }
    if (workload_finish(load, "world", &err) || run_bind(c, load, &err))
        fail_msg("%s", err.text);
    return (struct run_setup){ .cluster = c, .workload = load, .policy = k->policy, .policy_params = k->params,
                               .placer = k->placer, .seed = seed, .check = true };
}

static inline void world_done(const struct run_setup *setup)
{
    struct cluster *c = (struct cluster *)(uintptr_t)setup->cluster;
    workload_free(setup->workload);
    cluster_free(c);
}

/* Runs w; the observer may be empty, then it is watched that final jobs are. A stall is an outcome of its own; any other error fails the
 * test. */
static inline struct outcome world_run(const struct world *w, const struct combination *k, uint64_t seed,
                                       struct run_observer observer)
{
    struct error err = { "" };
    struct outcome out = { .stalled = false };
    struct run_setup setup = world_setup(w, k, seed);
    struct final_watch watch = { .s = NULL };
    setup.observer = observer.self || observer.interval || observer.decision || observer.instant ? observer : final_watch_observer(&watch);
    struct sched *s = run_new(&setup);
    watch.s = s;
    if (w->prepare)
        w->prepare(s, seed);
    if (run_execute(s, &err)) {
        if (k->placer && strcmp(k->placer->name, "consolidate") && strcmp(k->policy->name, "wild"))
            fail_msg("%s, seed %u: %s", k->name, (unsigned)seed, err.text);
        out.stalled = true;        /* consolidate may refuse forever what other placers would split */
    }
    for (size_t j = 0; j < w->n_jobs && !out.stalled; j++)
        out.job[j] = run_job(s, (job_id)j);
    out.totals = *run_totals(s);
    (void)final_watch_end(&watch, k->name);
    run_free(s);
    world_done(&setup);
    return out;
}

/* Every choice of the words of a policy's parameters, with one placer; of a policy with many, those
 * that choices.h plays. Returns how many. */
static inline size_t combinations(const struct policy *p, const struct placer *placer, struct combination *to)
{
    size_t n = 1;
    to[0] = (struct combination){ .policy = p, .placer = placer };
    snprintf(to[0].name, sizeof to[0].name, "%s/%s", p->name, placer->name);
    bool few = choices(p) <= CHOICES_FEW;
    for (const struct param *x = p->params; x && x->name; x++)
        to[0].params[x->at / sizeof(double)] = x->default_value;
    for (const struct param *x = p->params; x && x->name; x++) {
        size_t words = 0, old = n;
        while (x->options && x->options[words])
            words++;
        for (size_t i = 0; i < old; i++)
            for (size_t v = 0; v < words; v++) {
                if (v == (size_t)x->default_value || (!few && choice_unusual(p, to[i].params)))
                    continue;
                assert_true(n + 1 < COMBINATIONS_MOST);
                to[n] = to[i];
                to[n++].params[x->at / sizeof(double)] = (double)v;
            }
        for (size_t i = 0; words && i < n; i++) {
            size_t length = strlen(to[i].name);
            snprintf(to[i].name + length, sizeof to[i].name - length, " %s=%s", x->name,
                     x->options[(size_t)to[i].params[x->at / sizeof(double)]]);
        }
    }
    return n;
}

/* Calls `check` for every policy with its usual words and every placer, for other choices
 * (choices.h) with the first placer, and every seed below `seeds`. */
static inline void each_combination(uint64_t seeds, void (*check)(const struct combination *k, uint64_t seed))
{
    static struct combination all[COMBINATIONS_MOST];
    for (size_t p = 0; builtin_policies[p]; p++)
        for (size_t q = 0; builtin_placers[q]; q++) {
            size_t n = combinations(builtin_policies[p], builtin_placers[q], all);
            for (size_t i = 0; i < n; i++)
                for (uint64_t seed = 0; seed < seeds && (choice_unusual(all[i].policy, all[i].params) == 0 ||
                                                         (q == 0 && choice_is_played(all[i].policy, all[i].params))); seed++)
                    check(&all[i], seed);
        }
}

/* Of many seeds only the first few, but with the first placer. */
static inline bool is_left_out(const struct combination *k, uint64_t seed, uint64_t few)
{
    return seed >= few && k->placer != builtin_placers[0];
}

static inline bool named(const struct combination *k, const char *policy)
{
    return !strcmp(k->policy->name, policy);
}

static inline bool same_job(const struct job_result *a, const struct job_result *b)
{
    return !*job_difference(a, b).text;
}
