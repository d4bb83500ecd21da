/* schedule.h - a small schedule as one table row: the cluster, the jobs, and when each of them has to start and end.
 *
 *   { "two of three", "fifo", ONE_NODE(2), .jobs = { { 0, 10, 1, .starts = 0 }, { 0, 5, 2, .starts = 10 } } }
 *
 * Times are seconds. Starts, ends, stops and lost work are always compared, the rest where a row mentions it. */
#pragma once
#include "sim/engine/run.h"
#include "sim/results/summary.h"
#include "tests/support/named.h"
#include "tests/unit/test_core.h"
#include "traces/native/running_on.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#pragma GCC diagnostic ignored "-Wmissing-field-initializers" /* rows leave out what is usual */

#define NEVER (-1.0)
#define NONE (-1.0)
enum { JOBS_AT_MOST = 9, GROUPS_AT_MOST = 3, QUEUES_AT_MOST = 6 };

struct job {
    double at, lasts;                                    /* submitted at; service time */
    uint32_t gpus;                                       /* in all */
    double starts, ends;                                 /* first start; ends 0: starts + lasts. NEVER */
    double shares;                                       /* of each GPU; 0: all of it */
    uint32_t tasks, min_tasks;                           /* 0: any split; all of them */
    const struct task_row *part; size_t n_parts;         /* PARTS(...): instead of gpus, tasks, min_tasks, cpus, mem_mib, levels */
    uint32_t max_per_node;                               /* 0: any number */
    int64_t cpus, mem_mib;                               /* per task */
    const char *queue, *gpu_type, *required, *preferred; /* levels: of every cluster, or of `levels` */
    const char *slices;                                  /* as in pod_sets.h */
    int32_t priority;
    uint32_t max_down;          /* 1 + max_unavailable of its disruption budget; 0: none */
    double estimate, deadline;  /* 0: none */
    bool stays;                 /* is not preemptible */
    const char *after;          /* the jobs that it depends on, counted from 1: "1;2", "afterok:1" */
    uint32_t gpu_mem_mib;       /* that each GPU must have */
    uint32_t share_mem_mib;     /* a share of each, as memory */
    const char *mig;            /* the GPUs are instances of this profile */
    double duty, bandwidth;     /* of each GPU; 0: not given, NONE: none */
    uint32_t fills_mib;         /* of each GPU's memory; 0: not given */
    const char *model;
    bool fails;                 /* for lack of GPU memory, interrupted too often, or as its fate says */
    enum job_fate fate;
    const char *took;           /* NODE:GPUS of every piece, nodes without names NODE:xCOUNT; "; " between intervals */
    uint32_t stops;             /* preemptions */
    double lost;                /* seconds of progress to be done again */
    double waits[WAIT_REASONS]; /* all of them, if any is given */
    const char *refused;
    const char *user;
    const char *selector, *affinity, *tolerations; /* as in labels.h */
    const char *pod_labels, *pod_affinity, *pod_anti_affinity, *pod_spread; /* as in pod_terms.h */
    const struct own_overhead *overhead;                 /* NULL: the cluster's */
    const char *on;                                /* where it runs already, as in running_on.h */
    const char *promised;                          /* where room is kept for it, likewise */
    uint32_t data_gib, epochs;                     /* what it reads; 0: nothing, once */
    const char *data_set, *image;
    uint32_t max_tasks, min_gpus, max_gpus; /* other sizes than the usual one; 0: none */
    bool moldable;                                 /* keeps the one that it starts with */
    double ran, leaves;                            /* for how long it has; how long it still stays, being preempted. 0: not given */
};

struct schedule {
    const char *name, *policy;
    struct group_spec group[GROUPS_AT_MOST];
    const char *placer;                      /* NULL: pack */
    struct queue_spec queue[QUEUES_AT_MOST]; /* none: as the jobs say */
    struct flavor flavor[GROUPS_AT_MOST];
    struct overhead overhead;
    struct elastic elastic;                  /* the section; none: linear */
    struct storage storage;                  /* not on: the default */
    const struct sharing *sharing;           /* NULL: off */
    double period, until;
    bool unmet_waits;                        /* invalid_dependency: wait */
    struct time_limits limits;               /* the section; none: off */
    bool pass_per_event;                     /* passes: event */
    struct level_names levels;               /* above the node; none: the usual ones */
    struct job jobs[JOBS_AT_MOST];        /* up to the first that neither lasts nor asks for anything */
    double useful, lost, startup, saving, gang, stalled; /* GPU-seconds; checked if any is given. stalled: by checkpoints */
    uint32_t deadlocked;
    struct { const char *name; double value; } metric[4];    /* of all jobs, to 1e-9 */
};

/* Of PARTS: the group, its level, and `tasks` tasks of `gpus` GPUs, at least `min` of them (0:
 * all). */
#define PART(name, level, n, g, min)                                                                                   \
    {                                                                                                                  \
        .group = (name), .gpus = (g), .gpu_milli = MILLI_ALL, .tasks = (n), .min_tasks = (min),                        \
        .required_level = (level), .preferred_level = LEVEL_ANY                                                        \
    }
#define PARTS(...)                                                                                                     \
    .part = (const struct task_row[]){ __VA_ARGS__ },                                                                  \
    .n_parts = sizeof((const struct task_row[]){ __VA_ARGS__ }) / sizeof(struct task_row)

#define NODES(n, g)                                                                                                    \
    {                                                                                                                  \
        .name = "node", .gpu_model = "A100", .count = (n), .gpus = (g), .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX   \
    }
#define ONE_NODE(g)                                                                                                    \
    {                                                                                                                  \
        NODES(1, g)                                                                                                    \
    }
#define QUEUE(n, gpus)                                                                                                 \
    {                                                                                                                  \
        .facts = {                                                                                                     \
            .name = (n),                                                                                               \
            .parent = ID_NONE,                                                                                         \
            .weight = 1,                                                                                               \
            .quota = { { INT64_C(1000) * (gpus), UNLIMITED, UNLIMITED }, { UNLIMITED, UNLIMITED, UNLIMITED } }         \
        }                                                                                                              \
    }
#define QUEUE_PINNED(n, pin)                                                                                           \
    {                                                                                                                  \
        .facts = { .name = (n),                                                                                        \
                   .parent = ID_NONE,                                                                                  \
                   .weight = 1,                                                                                        \
                   .quota = { { 0, UNLIMITED, UNLIMITED }, { UNLIMITED, UNLIMITED, UNLIMITED } } },                    \
        .pins = (pin), .n_pins = 1                                                                                     \
    }
#define PERIODIC(every, restart)                                                                                       \
    {                                                                                                                  \
        .checkpoint = CHECKPOINT_PERIODIC, .interval_ns = (every)*NS_PER_S, .restart_ns = (restart)*NS_PER_S           \
    }
#define FREE_OF_CHARGE                                                                                                 \
    {                                                                                                                  \
        .checkpoint = CHECKPOINT_PERFECT                                                                               \
    }
#define SAVE_TAKES(save)                                                                                               \
    {                                                                                                                  \
        .checkpoint = CHECKPOINT_PERFECT, .save_ns = (save)*NS_PER_S                                                   \
    }

/* ---- Setting up ---- */

static inline uint8_t level_named(struct workload *w, const char *name)
{
    uint8_t level = name ? workload_level(w, name, strlen(name), "jobs", 1) : LEVEL_ANY;
    assert(!name || level != LEVEL_ANY);
    return level;
}

static inline size_t jobs_of(const struct schedule *row)
{
    size_t n = 0;
    while (n < JOBS_AT_MOST && (row->jobs[n].lasts > 0 || row->jobs[n].gpus || row->jobs[n].cpus))
        n++;
    return n;
}

static inline uint32_t millionths(double duty)
{
    return duty == NONE ? 0 : duty > 0 ? (uint32_t)(duty * DUTY_ALL + 0.5) : DUTY_UNSAID;
}

static inline void job_add(struct workload *w, const struct job *job)
{
    struct error err = { "" };
    struct job_row row = job_row_default;
    row.submit_ns = ns_of_seconds(job->at);
    row.duration_ns = ns_of_seconds(job->lasts);
    row.gpus = job->gpus;
    row.gpu_milli = job->shares > 0 ? (uint32_t)(job->shares * MILLI_ALL + 0.5) : MILLI_ALL;
    row.tasks = job->tasks;
    row.cpu_milli = job->cpus * 1000;
    row.mem_mib = job->mem_mib;
    row.queue = job->queue;
    row.queue_length = job->queue ? strlen(job->queue) : 0;
    row.user = job->user;
    row.user_length = job->user ? strlen(job->user) : 0;
    row.gpu_type = job->gpu_type;
    row.gpu_type_length = job->gpu_type ? strlen(job->gpu_type) : 0;
    row.required_level = level_named(w, job->required);
    row.slices = job->slices;
    row.preferred_level = level_named(w, job->preferred);
    row.priority = job->priority;
    row.max_down = job->max_down;
    row.estimate_ns = job->estimate > 0 ? ns_of_seconds(job->estimate) : TIME_NEVER;
    row.deadline_ns = job->deadline > 0 ? ns_of_seconds(job->deadline) : TIME_NEVER;
    row.preemptible = !job->stays;
    row.gpu_mem_mib = job->gpu_mem_mib;
    row.share_mem_mib = job->share_mem_mib;
    row.mig = job->mig ? mig_profile(job->mig) : 0;
    row.duty = (struct duty){ millionths(job->duty), millionths(job->bandwidth) };
    row.used_mem_mib = job->fills_mib;
    row.model = job->model;
    row.model_length = job->model ? strlen(job->model) : 0;
    row.min_tasks = job->min_tasks;
    row.max_tasks = job->max_tasks;
    row.min_gpus = job->min_gpus;
    row.max_gpus = job->max_gpus;
    row.moldable = job->moldable;
    row.max_per_node = job->max_per_node;
    row.part = job->part;
    row.n_parts = job->n_parts;
    row.selector = job->selector;
    row.affinity = job->affinity;
    row.pod_labels = job->pod_labels;
    row.pod_affinity = job->pod_affinity;
    row.pod_anti_affinity = job->pod_anti_affinity;
    row.pod_spread = job->pod_spread;
    row.tolerations = job->tolerations;
    row.fate = job->fate;
    row.depends_on = job->after;
    row.depends_on_length = job->after ? strlen(job->after) : 0;
    if (job->overhead)
        row.overhead = *job->overhead;
    row.data_mib = job->data_gib * 1024;
    row.epochs = job->epochs;
    row.data_set = job->data_set;
    row.data_set_length = job->data_set ? strlen(job->data_set) : 0;
    row.image = job->image;
    row.image_length = job->image ? strlen(job->image) : 0;
    struct held_list on = { .n = 0 };
    assert(!job->on || running_on_parse(job->on, &on));
    struct held_list promised = { .n = 0 };
    assert(!job->promised || running_on_parse(job->promised, &promised));
    row.promised_on = promised.at;
    row.n_promised_on = (uint32_t)promised.n;
    row.running_on = on.at;
    row.n_running_on = (uint32_t)on.n;
    row.ran_ns = job->ran > 0 ? ns_of_seconds(job->ran) : -1;
    row.leaving_ns = job->leaves > 0 ? ns_of_seconds(job->leaves) : -1;
    if (workload_add(w, &row, "schedule", w->n_jobs + 1, &err))
        fail_msg("%s", err.text);
    free(on.at);
    free(promised.at);
}

static inline struct workload *workload_of(const struct job *jobs, size_t n)
{
    struct error err = { "" };
    struct workload *w = workload_new();
    for (size_t i = 0; i < n; i++)
        job_add(w, &jobs[i]);
    if (workload_finish(w, "schedule", &err))
        fail_msg("%s", err.text);
    return w;
}

/* flavors NULL: none */
static inline struct cluster *cluster_of_levels(const struct group_spec *groups, const struct queue_spec *queues,
                                                const struct flavor *flavors, const struct level_names *levels)
{
    struct error err = { "" };
    size_t n_groups = 0, n_queues = 0, n_flavors = 0;
    struct culprit culprit;
    while (n_groups < GROUPS_AT_MOST && groups[n_groups].count)
        n_groups++;
    while (queues && n_queues < QUEUES_AT_MOST && queues[n_queues].facts.name)
        n_queues++;
    while (flavors && n_flavors < GROUPS_AT_MOST && flavors[n_flavors].name)
        n_flavors++;
    struct cluster_given given = { .name = "small", .group = groups, .n_groups = n_groups, .queue = queues,
                                   .n_queues = n_queues, .flavor = flavors, .n_flavors = n_flavors, .levels = *levels };
    struct cluster *c = cluster_assemble(&given, &culprit, &err);
    if (!c)
        fail_msg("%s", err.text);
    return c;
}

static inline struct cluster *cluster_of_flavors(const struct group_spec *groups, const struct queue_spec *queues,
                                                 const struct flavor *flavors)
{
    return cluster_of_levels(groups, queues, flavors, &(struct level_names){ 0 });
}

static inline struct cluster *cluster_of(const struct group_spec *groups, const struct queue_spec *queues)
{
    return cluster_of_flavors(groups, queues, NULL);
}

static const char *const account_name[ACCOUNTS] = {
    [ACCOUNT_START] = "start", [ACCOUNT_USEFUL] = "useful", [ACCOUNT_LOST] = "lost",
    [ACCOUNT_SAVE] = "save", [ACCOUNT_GANG] = "gang", [ACCOUNT_CHECKPOINT] = "checkpoint",
    [ACCOUNT_FAULT] = "fault", [ACCOUNT_IDLE] = "idle", [ACCOUNT_QUIET] = "quiet",
    [ACCOUNT_DOWN] = "down",
};

/* ---- Playing ---- */

struct taken {
    char text[JOBS_AT_MOST][256];
};

static inline void note_interval(void *self, const struct interval *i)
{
    struct taken *t = self;
    char *text = t->text[i->job], *end = text + sizeof t->text[0];
    text += strlen(text);
    if (text != t->text[i->job])
        text += snprintf(text, (size_t)(end - text), "; ");
    for (size_t k = 0; k < i->pieces->n; k++) {
        const struct piece *p = &i->pieces->piece[k];
        text += snprintf(text, (size_t)(end - text), "%s%u:", k ? " " : "", p->node);
        if (!p->gpu_mask && p->gpus)
            text += snprintf(text, (size_t)(end - text), "x%u", p->gpus);
        for (unsigned gpu = 0; gpu < 64; gpu++)
            if (p->gpu_mask >> gpu & 1)
                text += snprintf(text, (size_t)(end - text), "%u", gpu);
    }
}

/* What differs: job, thing, both values. The first difference stays in err. */
static inline void same(struct error *err, const char *what, size_t job, double want_s, int64_t got_ns)
{
    if (got_ns != (want_s < 0 ? -1 : ns_of_seconds(want_s)))
        error_set(err, "job %zu: %s: want %.9g s, got %.9g s", job + 1, what, want_s,
                  got_ns < 0 ? NEVER : seconds(got_ns));
}

static inline void same_text(struct error *err, const char *what, size_t job, const char *want, const char *got)
{
    if (want && strcmp(want, got ? got : ""))
        error_set(err, "job %zu: %s: want '%s', got '%s'", job + 1, what, want, got ? got : "");
}

static inline void same_job(struct error *err, const struct job *want, size_t i, const struct job_result *got,
                            const char *took)
{
    double ends = want->ends != 0 ? want->ends : want->starts < 0 ? NEVER : want->starts + want->lasts, any = 0;
    same_text(err, "refused", i, want->refused ? want->refused : "", got->refusal);
    same(err, "starts", i, want->starts, got->start_ns);
    if (!want->refused)
        same(err, "ends", i, ends, got->end_ns);
    same_text(err, "took", i, want->took, took);
    same(err, "lost", i, want->lost, got->lost_ns);
    if (want->fails != (got->outcome == OUTCOME_FAILED))
        error_set(err, "job %zu: want it to %s", i + 1, want->fails ? "fail" : "end well");
    if (want->stops != got->preemptions)
        error_set(err, "job %zu: want %u stops, got %u", i + 1, want->stops, got->preemptions);
    for (unsigned r = 0; r < WAIT_REASONS; r++)
        any += want->waits[r];
    for (unsigned r = 0; r < WAIT_REASONS && any > 0; r++)
        same(err, wait_reason_name[r], i, want->waits[r], got->waits[r]);
}

static inline void same_accounts(struct error *err, const struct schedule *row, const struct run_totals *t)
{
    const double want[ACCOUNTS] = { [ACCOUNT_START] = row->startup,
                                    [ACCOUNT_USEFUL] = row->useful,
                                    [ACCOUNT_LOST] = row->lost,
                                    [ACCOUNT_SAVE] = row->saving,
                                    [ACCOUNT_GANG] = row->gang,
                                    [ACCOUNT_CHECKPOINT] = row->stalled };
    bool any = row->stalled + row->useful + row->lost + row->startup + row->saving + row->gang > 0;
    for (unsigned a = 0; a < ACCOUNTS && any; a++)
        if (t->account[a] != (int128_t)ns_of_seconds(want[a]) * MILLI_ALL)
            error_set(err, "%s: want %.9g GPU-s, got %.9g GPU-s", account_name[a], want[a],
                      (double)t->account[a] / NS_PER_S / MILLI_ALL);
    if (t->deadlocked != row->deadlocked)
        error_set(err, "want %u deadlocked, got %u", row->deadlocked, t->deadlocked);
}

static inline void same_metrics(struct error *err, const struct schedule *row, const struct sched *s)
{
    struct summary *m = row->metric[0].name ? summary_make(s) : NULL;
    for (size_t i = 0; i < COUNT(row->metric) && row->metric[i].name; i++) {
        double want = row->metric[i].value, got = summary_value(m, row->metric[i].name, "all");
        if (!(fabs(got - want) <= 1e-9 * fabs(want)))
            error_set(err, "%s: want %.12g, got %.12g", row->metric[i].name, want, got);
    }
    summary_free(m);
}

static inline void plays_with(const struct schedule *row, const struct policy *policy, const void *params)
{
    struct error err = { "" };
    struct taken taken = { { "" } };
    struct cluster *c = cluster_of_levels(row->group, row->queue, row->flavor, &row->levels);
    c->overhead = row->overhead;
    c->elastic = row->elastic;
    if (row->storage.on)
        c->storage = row->storage;
    c->unmet_waits = row->unmet_waits;
    c->time_limits = row->limits;
    c->time_limits = row->limits;
    c->pass_per_event = row->pass_per_event;
    c->period_ns = ns_of_seconds(row->period);
    if (row->sharing)
        c->sharing = *row->sharing;
    struct workload *w = workload_of(row->jobs, jobs_of(row));
    assert_int_equal(run_bind(c, w, &err), 0);
    struct named_placer placer = placer_with(row->placer ? row->placer : "pack");
    struct sched *s = run_new(&(struct run_setup){
        .cluster = c,
        .workload = w,
        .policy = policy,
        .policy_params = params,
        .placer = placer.placer,
        .placer_params = placer.params,
        .until_ns = ns_of_seconds(row->until),
        .check = true,
        .observer = { .self = &taken, .interval = note_interval },
    });
    if (run_execute(s, &err) == 0) {
        same_accounts(&err, row, run_totals(s));
        same_metrics(&err, row, s);
    }
    for (job_id j = 0; j < w->n_jobs && !*err.text; j++) {
        size_t i = strtoul(w->truth[j].name, NULL, 10) - 1; /* rows need not be in the order of time */
        struct job_result got = run_job(s, j);
        same_job(&err, &row->jobs[i], i, &got, taken.text[j]);
    }
    run_free(s);
    workload_free(w);
    c->sharing.pairs = NULL;               /* the row's */
    cluster_free(c);
    if (*err.text)
        fail_msg("%s", err.text);
}

/* The test of every table of struct schedule. */
static inline void plays_as_written(void **state)
{
    const struct schedule *row = *state;
    struct named_policy named = policy_named(row->policy);
    plays_with(row, named.policy, named.params);
}

/* A run of the cluster under a policy. */
__attribute__((unused)) static struct sched *schedule_placed(const struct cluster *c, struct workload *w, const char *policy,
                                                             const char *placed_by, uint64_t seed, struct run_observer o,
                                                             struct error *err)
{
    struct named_policy named = policy_named(policy);
    struct named_placer placer = placer_with(placed_by);
    struct sched *s = run_new(&(struct run_setup){ .cluster = c, .workload = w, .policy = named.policy, .policy_params = named.params,
                                                   .placer = placer.placer, .placer_params = placer.params, .seed = seed,
                                                   .check = true, .observer = o });
    run_execute(s, err);
    return s;
}

/* With packed placement. */
__attribute__((unused)) static struct sched *schedule_played(const struct cluster *c, struct workload *w, const char *policy,
                                                             uint64_t seed, struct run_observer o, struct error *err)
{
    return schedule_placed(c, w, policy, "pack", seed, o, err);
}
