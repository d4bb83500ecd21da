/* explain_queue.c - the story of one queue: quota, demand and GPUs held, borrowers, shortfalls,
 * preemptions by and for its jobs, the longest waits and fairness. See explain.h. */
#include "sim/cli/explain/explain.h"

#include "sim/base/intern.h"
#include "sim/base/memory.h"
#include "sim/engine/run.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { WORST = 5, LONGEST = 3 };

/* A queue, by its number in `names`. */
struct other {
    struct csv_level now;        /* the latest row; without the name of the queue */
    bool has_jobs;
    /* milli-GPU ns above its quota while the quota of the queue of the story was not fully used;
     * while that queue was short */
    int128_t over_unused, over_short;
    /* preemptions of jobs of the story's queue for its jobs; the reverse */
    uint64_t stopped_ours, ours_stopped;
};
struct waiter { char *job; int64_t wait_ns, submit_ns, gpu_milli; bool started; };
struct span { int64_t start_ns, ns; bool open; };

struct queue_story {
    const char *name;
    struct intern *names, *jobs;
    struct other *other;
    size_t capacity;
    uint32_t own, *queue_of_job;
    size_t jobs_capacity;

    int64_t now_ns, first_ns;
    bool any_level, any_fair, no_intervals;
    int128_t held, demand, fair, owed, satisfied, borrowed, unused;    /* milli-GPU ns */
    bool is_short;
    int64_t short_since_ns;
    struct span longest[LONGEST];
    uint64_t shorts;
    int128_t short_ns;

    uint64_t n_jobs, completed, had_service, kept, causes[PREEMPTION_CAUSES];
    int128_t waits_ns[WAIT_REASONS];
    struct waiter worst[WORST];
    double worst_fairness;
    char *worst_off;
    char *last_job;               /* of the last row: rows of one stay are counted once */
    int64_t last_start_ns;
};



/* ==== Result files ==== */

static bool is(const char *a, const char *b)
{
    return !strcmp(a, b);
}

static uint32_t queue_number(struct queue_story *t, const char *name)
{
    uint32_t known = intern_count(t->names), n = intern_add(t->names, name, strlen(name));
    mem_grow(&t->other, &t->capacity, n, sizeof *t->other);
    if (n == known)
        t->other[n] = (struct other){ .now = { .queue = intern_text(t->names, n),
                                               .deserved_milli = -1, .fair_milli = -1 } };
    return n;
}

/* ---- From jobs.csv ---- */

static void take_wait(struct queue_story *t, const struct csv_job *j)
{
    struct waiter w = { NULL, j->wait_ns, j->submit_ns, j->gpu_milli, j->start_ns >= 0 };
    size_t at = WORST;
    while (at > 0 && (!t->worst[at - 1].job || t->worst[at - 1].wait_ns < w.wait_ns))
        at--;
    if (at == WORST || w.wait_ns == 0)
        return;
    free(t->worst[WORST - 1].job);
    memmove(&t->worst[at + 1], &t->worst[at], (WORST - 1 - at) * sizeof *t->worst);
    w.job = mem_text(j->name, strlen(j->name));
    t->worst[at] = w;
}

static int take_job(void *self, const struct csv_job *j, struct error *err)
{
    struct queue_story *t = self;
    (void)err;
    uint32_t n = intern_add(t->jobs, j->name, strlen(j->name)), q = queue_number(t, j->queue);
    mem_grow(&t->queue_of_job, &t->jobs_capacity, n, sizeof *t->queue_of_job);
    t->queue_of_job[n] = q;
    t->other[q].has_jobs = true;
    if (q != t->own)
        return 0;
    t->n_jobs++;
    t->completed += is(j->state, "completed");
    for (unsigned i = 0; i < WAIT_REASONS; i++)
        t->waits_ns[i] += j->waits_ns[i];
    take_wait(t, j);
    if (!*j->fairness)
        return 0;
    double fairness = strtod(j->fairness, NULL);
    t->had_service++;
    t->kept += fairness <= 1;
    if (fairness <= t->worst_fairness)
        return 0;
    t->worst_fairness = fairness;
    free(t->worst_off);
    t->worst_off = mem_text(j->name, strlen(j->name));
    return 0;
}

/* ---- queues.csv: the integrals of sim/accounting/quotas.c ---- */

static void short_ends(struct queue_story *t, bool open)
{
    struct span s = { t->short_since_ns, t->now_ns - t->short_since_ns, open };
    size_t at = LONGEST;
    t->shorts++;
    t->short_ns += s.ns;
    t->is_short = false;
    while (at > 0 && t->longest[at - 1].ns < s.ns)
        at--;
    if (at == LONGEST)
        return;
    memmove(&t->longest[at + 1], &t->longest[at], (LONGEST - 1 - at) * sizeof *t->longest);
    t->longest[at] = s;
}

static void advance(struct queue_story *t, int64_t to_ns)
{
    const struct csv_level *l = &t->other[t->own].now;
    int64_t dt = to_ns - t->now_ns, a = l->held_milli, q = l->deserved_milli, d = l->demand_milli,
            owed = q < d ? q : d;
    t->held += (int128_t)a * dt;
    t->demand += (int128_t)d * dt;
    t->fair += l->fair_milli > 0 ? (int128_t)l->fair_milli * dt : 0;
    if (q >= 0) {
        t->owed += (int128_t)owed * dt;
        t->satisfied += (int128_t)(a < owed ? a : owed) * dt;
        *(a > q ? &t->borrowed : &t->unused) += (int128_t)(a > q ? a - q : q - a) * dt;
        if (a < owed && !t->is_short)
            t->short_since_ns = t->now_ns;
        if (a >= owed && t->is_short)
            short_ends(t, false);
        t->is_short = a < owed;
        /* The files do not tell parents of queues: for a queue without jobs of its own, which
         * may be a parent, no borrowers are listed. */
        for (uint32_t n = 0; t->other[t->own].has_jobs && n < intern_count(t->names); n++) {
            struct other *o = &t->other[n];
            int64_t over = o->now.deserved_milli >= 0 ? o->now.held_milli - o->now.deserved_milli
                                                      : 0;
            if (over <= 0 || n == t->own || !o->has_jobs)
                continue;
            o->over_short += a < owed ? (int128_t)over * dt : 0;
            o->over_unused += a < q && a >= owed ? (int128_t)over * dt : 0;
        }
    }
    t->now_ns = to_ns;
}

/* The quota is constant, and holds before the first row of the queue. */
static int take_deserved(void *self, const struct csv_level *l, struct error *err)
{
    struct queue_story *t = self;
    (void)err;
    t->other[queue_number(t, l->queue)].now.deserved_milli = l->deserved_milli;
    return 0;
}

static int take_level(void *self, const struct csv_level *l, struct error *err)
{
    struct queue_story *t = self;
    (void)err;
    uint32_t n = queue_number(t, l->queue);
    if (!t->any_level)
        t->now_ns = t->first_ns = l->time_ns;
    t->any_level = true;
    if (l->time_ns > t->now_ns)
        advance(t, l->time_ns);
    const char *name = t->other[n].now.queue;
    t->other[n].now = *l;
    t->other[n].now.queue = name;
    t->any_fair |= n == t->own && l->fair_milli >= 0;
    return 0;
}

/* ---- From intervals.csv ---- */

static uint32_t queue_of(const struct queue_story *t, const char *job)
{
    uint32_t n = intern_find(t->jobs, job, strlen(job));
    return n == INTERN_NONE ? INTERN_NONE : t->queue_of_job[n];
}

static int take_interval(void *self, const struct csv_interval *i, struct error *err)
{
    struct queue_story *t = self;
    (void)err;
    bool same = t->last_job && is(t->last_job, i->job) && t->last_start_ns == i->start_ns;
    if (same || !(is(i->why, "preempted") || is(i->why, "moved") || is(i->why, "broken")))
        return 0;
    free(t->last_job);
    t->last_job = mem_text(i->job, strlen(i->job));
    t->last_start_ns = i->start_ns;
    uint32_t of = queue_of(t, i->job),
             by = *i->stopped_for ? queue_of(t, i->stopped_for) : INTERN_NONE;
    bool counted = by != INTERN_NONE && !is(i->why, "moved");
    if (of == t->own) {
        const char *cause = explain_cause(i->why, t->name,
                                          by == INTERN_NONE ? NULL : intern_text(t->names, by));
        for (unsigned c = 0; c < PREEMPTION_CAUSES; c++)
            t->causes[c] += is(cause, preemption_cause_name[c]);
        if (counted)
            t->other[by].stopped_ours++;
    } else if (counted && by == t->own && of != INTERN_NONE)
        t->other[of].ours_stopped++;
    return 0;
}

/* ---- All files ---- */

static int read_files(struct queue_story *t, const char *directory, struct error *err)
{
    t->names = intern_new();
    t->jobs = intern_new();
    t->own = queue_number(t, t->name);
    if (explain_read(directory, &(struct row_reader){ .self = t, .job = take_job }, err) ||
        explain_read(directory, &(struct row_reader){ .self = t, .level = take_deserved }, err) ||
        explain_read(directory, &(struct row_reader){ .self = t, .level = take_level }, err))
        return -1;
    int found = explain_read(directory, &(struct row_reader){ .self = t,
                                                              .interval = take_interval }, err);
    if (t->is_short)
        short_ends(t, true);
    t->no_intervals = found > 0;
    return found < 0 ? -1 : 0;
}

static void story_free(struct queue_story *t)
{
    for (size_t i = 0; i < WORST; i++)
        free(t->worst[i].job);
    free(t->worst_off);
    free(t->last_job);
    free(t->other);
    free(t->queue_of_job);
    intern_free(t->jobs);
    intern_free(t->names);
}

/* ==== The story ==== */

static void put_mean_gpus(const struct queue_story *t, json_t *o, const char *key,
                          int128_t milli_ns)
{
    int64_t span_ns = t->now_ns - t->first_ns;
    put_number(o, key, span_ns ? (double)milli_ns / 1000 / (double)span_ns : (double)NAN);
}

static void put_short(const struct queue_story *t, json_t *story)
{
    json_t *o = json_object(), *list = put_list(o, "longest");
    json_object_set_new(story, "short", o);
    put_count(o, "count", t->shorts);
    put_number(o, "mean_s",
               t->shorts ? (double)t->short_ns / (double)t->shorts / (double)NS_PER_S
                         : (double)NAN);
    for (size_t i = 0; i < LONGEST && t->longest[i].ns; i++) {
        json_t *one = add_entry(list);
        put_seconds(one, "start_s", t->longest[i].start_ns);
        put_seconds(one, "s", t->longest[i].ns);
        json_object_set_new(one, "open", json_boolean(t->longest[i].open));
    }
}

static void put_owed(const struct queue_story *t, json_t *story)
{
    int64_t deserved = t->other[t->own].now.deserved_milli;
    put_seconds(story, "span_s", t->now_ns - t->first_ns);
    put_number(story, "deserved_gpus", deserved >= 0 ? (double)deserved / 1000 : (double)NAN);
    put_mean_gpus(t, story, "demand_gpus_mean", t->demand);
    put_mean_gpus(t, story, "held_gpus_mean", t->held);
    if (t->any_fair)
        put_mean_gpus(t, story, "fair_share_gpus_mean", t->fair);
    if (deserved < 0)
        return;
    put_number(story, "quota_satisfaction", t->owed ? (double)t->satisfied / (double)t->owed : 1);
    put_gpu_hours(story, "owed_gpu_h", t->owed);
    put_gpu_hours(story, "unmet_gpu_h", t->owed - t->satisfied);
    put_gpu_hours(story, "unused_gpu_h", t->unused);
    put_gpu_hours(story, "borrowed_gpu_h", t->borrowed);
    put_short(t, story);
}

static void add_stops(json_t *list, const struct other *o, uint64_t stops)
{
    if (!stops)
        return;
    json_t *row = add_entry(list);
    put_text(row, "queue", o->now.queue);
    put_count(row, "stops", stops);
}

static void put_others(const struct queue_story *t, json_t *story)
{
    json_t *borrowers = put_list(story, "borrowers"), *by = put_list(story, "preempted_by"),
           *of = put_list(story, "preempted");
    for (uint32_t n = 0; n < intern_count(t->names); n++) {
        const struct other *o = &t->other[n];
        add_stops(by, o, o->stopped_ours);
        add_stops(of, o, o->ours_stopped);
        if (!o->over_unused && !o->over_short)
            continue;
        json_t *row = add_entry(borrowers);
        put_text(row, "queue", o->now.queue);
        put_gpu_hours(row, "gpu_h_while_unused", o->over_unused);
        put_gpu_hours(row, "gpu_h_while_short", o->over_short);
    }
}

static void put_causes(const struct queue_story *t, json_t *story)
{
    json_t *causes = json_object();
    json_object_set_new(story, "preemptions", causes);
    for (unsigned c = 0; c < PREEMPTION_CAUSES; c++)
        put_count(causes, preemption_cause_name[c], t->causes[c]);
}

static void put_jobs(const struct queue_story *t, json_t *story)
{
    json_t *waits = json_object(), *worst = put_list(story, "worst_waits"),
           *worst_off = json_object();
    put_count(story, "jobs", t->n_jobs);
    put_count(story, "completed", t->completed);
    json_object_set_new(story, "waits_s", waits);
    for (unsigned i = 0; i < WAIT_REASONS; i++)
        if (!explain_wait_is_rare(i) || t->waits_ns[i])
            put_number(waits, wait_reason_name[i], (double)t->waits_ns[i] / (double)NS_PER_S);
    for (size_t i = 0; i < WORST && t->worst[i].job; i++) {
        json_t *w = add_entry(worst);
        put_text(w, "job", t->worst[i].job);
        put_seconds(w, "wait_s", t->worst[i].wait_ns);
        put_seconds(w, "submit_s", t->worst[i].submit_ns);
        put_gpus(w, "gpus", t->worst[i].gpu_milli);
        json_object_set_new(w, "started", json_boolean(t->worst[i].started));
    }
    put_number(story, "fairness_kept",
               t->had_service ? (double)t->kept / (double)t->had_service : (double)NAN);
    json_object_set_new(story, "fairness_worst", worst_off);
    put_text(worst_off, "job", t->worst_off);
    put_number(worst_off, "finish_time_fairness", t->worst_off ? t->worst_fairness : (double)NAN);
}

json_t *explain_queue(const char *directory, const char *name, struct error *err)
{
    struct queue_story t = { .name = name };
    json_t *story = NULL;
    if (read_files(&t, directory, err) == 0) {
        story = json_object();
        put_text(story, "queue", name);
        put_origin(story, directory);
        json_t *missing = put_list(story, "missing");
        if (t.no_intervals)
            json_array_append_new(missing, json_string("intervals.csv"));
        put_owed(&t, story);
        put_others(&t, story);
        if (t.n_jobs && !t.no_intervals)
            put_causes(&t, story);
        put_jobs(&t, story);
    }
    story_free(&t);
    return story;
}
