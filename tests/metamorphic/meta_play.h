/* meta_play.h - a world of meta_world.h, played under a combination of meta_combos.h.
 *
 *   struct meta_world w = meta_random(seed);
 *   struct meta_run *r = meta_play(&w, &combo, seed);    ... r->job[i], in the order of w.job ...
 *   meta_free(r);
 *
 * Every play replays its intervals, and has an error if a GPU, CPU or memory was given twice or a gang was split up. */
#pragma once
#include "sim/engine/run.h"
#include "tests/metamorphic/meta_combos.h"
#include "tests/metamorphic/meta_replay.h"
#include "tests/metamorphic/meta_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { META_INTERVALS = 20000 };

struct meta_run {
    struct job_result job[META_JOBS];
    int64_t promise_ns[META_JOBS];      /* the first; -1: none */
    struct run_totals totals;
    uint32_t place[META_JOBS];          /* job_id -> position in the world */
    struct meta_hold *hold;
    size_t n_holds;
    atomic_bool endless;                /* more intervals than there is room for: a fight without end */
    char error[300];                    /* of run_execute; "": none */
};

static inline void meta_add(struct workload *w, const struct meta_world *world, size_t i)
{
    const struct meta_job *j = &world->job[i];
    struct job_row row = job_row_default;
    struct error err = { "" };
    char name[40], user[40];
    row.job_id = name;
    row.job_id_length = (size_t)snprintf(name, sizeof name, world->renamed ? "zz-%zu" : "%zu",
                                         world->renamed ? 1000 - i : i);
    row.user = user;
    row.user_length = (size_t)snprintf(user, sizeof user, world->renamed ? "u%zu" : "v%zu",
                                       world->renamed ? 7 - i % 7 : i % 7);
    row.pod_labels = world->labelled ? "app=x" : NULL;
    row.queue = world->queue[j->queue].facts.name;
    row.queue_length = strlen(row.queue);
    row.submit_ns = j->submit * NS_PER_S;
    row.duration_ns = j->duration * NS_PER_S;
    row.estimate_ns = j->estimate < 0 ? TIME_NEVER : j->estimate * NS_PER_S;
    row.gpus = j->gpus, row.gpu_milli = j->milli, row.tasks = j->tasks;
    row.cpu_milli = j->cpu_milli, row.mem_mib = j->mem_mib;
    row.priority = j->priority, row.required_level = j->required, row.preemptible = !j->stays;
    if (workload_add(w, &row, "meta", i + 1, &err))
        fail_msg("%s", err.text);
}

static inline void meta_interval(void *self, const struct interval *i)
{
    struct meta_run *run = self;
    size_t bytes = sizeof *i->pieces + i->pieces->n * sizeof i->pieces->piece[0];
    if (run->n_holds == META_INTERVALS) {
        run->endless = true;
        return;
    }
    struct placement *copy = malloc(bytes);
    memcpy(copy, i->pieces, bytes);
    run->hold[run->n_holds++] = (struct meta_hold){ i->job, i->start_ns, i->end_ns, !strcmp(i->why, "gang") || !strcmp(i->why, "saved"), copy };
}

static inline void meta_decision(void *self, job_id j, int64_t now_ns, const char *kind, const char *decision,
                                 const char *reason)
{
    struct meta_run *run = self;
    (void)now_ns;
    (void)kind;
    if (!strcmp(decision, "promise") && run->promise_ns[run->place[j]] < 0)
        run->promise_ns[run->place[j]] = ns_of_seconds(strtod(reason, NULL));
}

/* Jobs are numbered by (submit, position): what workload_finish promises. */
static inline void meta_number(const struct meta_world *w, struct meta_run *run)
{
    for (size_t i = 0; i < w->n_jobs; i++) {
        size_t before = 0;
        for (size_t k = 0; k < w->n_jobs; k++)
            before += w->job[k].submit < w->job[i].submit || (w->job[k].submit == w->job[i].submit && k < i);
        run->place[before] = (uint32_t)i;
        run->promise_ns[i] = -1;
    }
}

static inline struct cluster *meta_cluster(const struct meta_world *w)
{
    struct error err = { "" };
    struct queue_spec queue[3];
    memcpy(queue, w->queue, sizeof queue);
    for (size_t q = 0; q < w->n_queues; q++)
        if (w->pin[q].count)
            queue[q].pins = &w->pin[q], queue[q].n_pins = 1;
    struct cluster *c = cluster_build("meta", w->group, w->n_groups, queue, w->n_queues, &err);
    if (!c)
        fail_msg("%s", err.text);
    c->overhead = w->overhead;
    c->period_ns = w->period * NS_PER_S;
    return c;
}

static inline void meta_free(struct meta_run *run)
{
    for (size_t i = 0; i < run->n_holds; i++)
        free(run->hold[i].pieces);
    free(run->hold);
    free(run);
}

static inline struct meta_run *meta_play(const struct meta_world *world, const struct meta_combo *combo, uint64_t seed)
{
    struct error err = { "" };
    struct meta_run *run = calloc(1, sizeof *run);
    run->hold = calloc(META_INTERVALS, sizeof *run->hold);
    meta_number(world, run);
    struct cluster *c = meta_cluster(world);
    if (meta_takes_turns(combo))
        c->overhead = (struct overhead){ .checkpoint = CHECKPOINT_PERFECT };
    struct workload *w = workload_new();
    for (size_t i = 0; i < world->n_jobs; i++)
        meta_add(w, world, i);
    if (workload_finish(w, "meta", &err) || run_bind(c, w, &err))
        fail_msg("%s", err.text);
    struct sched *s = run_new(&(struct run_setup){
        .cluster = c, .workload = w, .policy = combo->policy, .placer = combo->placer, .seed = seed,
        .policy_params = combo->params, .check = world->check, .interrupted = &run->endless,
        .observer = { .self = run, .interval = meta_interval, .decision = meta_decision },
    });
    if (run_execute(s, &err))
        snprintf(run->error, sizeof run->error, "%s", err.text);
    run->totals = *run_totals(s);
    for (job_id j = 0; j < w->n_jobs; j++)
        run->job[run->place[j]] = run_job(s, j);
    const char *wrong = run->endless ? "a fight without end" : meta_replay(c, w, run->hold, run->n_holds);
    run_free(s);
    workload_free(w);
    cluster_free(c);
    if (wrong || *run->error)
        print_error("UNSOUND %s seed %llu: %s %s\n", combo->name, (unsigned long long)seed, wrong ? wrong : "", run->error);
    if (wrong && !*run->error)
        snprintf(run->error, sizeof run->error, "%s", wrong);
    return run;
}
