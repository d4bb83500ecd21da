/* explain_queue.c - the story of one queue: what it was owed, asked for and got, who borrowed while it had quota to spare or
 * was short of its own, how fast it got that back, whom its jobs preempted and who preempted them, and who waited longest. */
#include "sim/cli/explain.h"
#include "sim/core/intern.h"
#include "sim/core/memory.h"
#include "sim/run/run.h"

#include <stdlib.h>
#include <string.h>

enum { WORST = 5, LONGEST = 3 };

/* Of one of all the queues, by number in `names`. */
struct other {
    struct told_level now;        /* its name is not kept there */
    bool has_jobs;
    int128_t over_unused, over_short;          /* milli-GPU ns over its own quota while ours was not used; while we were short */
    uint64_t stopped_ours, ours_stopped;       /* preemptions of our jobs for its; of its jobs for ours */
};
struct waiter { char *job; int64_t wait_ns, submit_ns, gpu_milli; bool started; };
struct span { int64_t start_ns, ns; bool open; };

struct teller {
    const char *name;
    struct intern *names, *jobs;
    struct other *other;
    size_t capacity;
    uint32_t own, *queue_of_job;
    size_t jobs_capacity;

    int64_t now_ns, first_ns;
    bool any_level, any_fair;
    int128_t held, demand, fair, owed, satisfied, borrowed, unused;
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
    char *last_job;               /* of the interval read last, to take its pieces for one */
    int64_t last_start_ns;
};

static bool is(const char *a, const char *b)
{
    return !strcmp(a, b);
}

static uint32_t queue_number(struct teller *t, const char *name)
{
    uint32_t known = intern_count(t->names), n = intern_add(t->names, name, strlen(name));
    mem_grow(&t->other, &t->capacity, n, sizeof *t->other);
    if (n == known)
        t->other[n] = (struct other){ .now = { .queue = intern_text(t->names, n), .deserved_milli = -1, .fair_milli = -1 } };
    return n;
}

/* ---- From jobs.csv ---- */

static void take_wait(struct teller *t, const struct told_job *j)
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

static int take_job(void *self, const struct told_job *j, struct error *err)
{
    struct teller *t = self;
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

/* ---- From queues.csv: the same integrals as the run's own (sim/run/quotas.c) ---- */

static void short_ends(struct teller *t, bool open)
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

static void advance(struct teller *t, int64_t to_ns)
{
    const struct told_level *l = &t->other[t->own].now;
    int64_t dt = to_ns - t->now_ns, a = l->held_milli, q = l->deserved_milli, d = l->demand_milli, owed = q < d ? q : d;
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
        /* which queues are below which is not in the files: of a queue without jobs nobody is known to be another */
        for (uint32_t n = 0; t->other[t->own].has_jobs && n < intern_count(t->names); n++) {
            struct other *o = &t->other[n];
            int64_t over = o->now.deserved_milli >= 0 ? o->now.held_milli - o->now.deserved_milli : 0;
            if (over <= 0 || n == t->own || !o->has_jobs)
                continue;
            o->over_short += a < owed ? (int128_t)over * dt : 0;
            o->over_unused += a < q && a >= owed ? (int128_t)over * dt : 0;
        }
    }
    t->now_ns = to_ns;
}

/* It never changes, and counts before the queue's first row. */
static int take_deserved(void *self, const struct told_level *l, struct error *err)
{
    struct teller *t = self;
    (void)err;
    t->other[queue_number(t, l->queue)].now.deserved_milli = l->deserved_milli;
    return 0;
}

static int take_level(void *self, const struct told_level *l, struct error *err)
{
    struct teller *t = self;
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

static uint32_t queue_of(const struct teller *t, const char *job)
{
    uint32_t n = intern_find(t->jobs, job, strlen(job));
    return n == INTERN_NONE ? INTERN_NONE : t->queue_of_job[n];
}

static int take_interval(void *self, const struct told_interval *i, struct error *err)
{
    struct teller *t = self;
    (void)err;
    bool same = t->last_job && is(t->last_job, i->job) && t->last_start_ns == i->start_ns;
    if (same || !(is(i->why, "preempted") || is(i->why, "moved") || is(i->why, "broken")))
        return 0;
    free(t->last_job);
    t->last_job = mem_text(i->job, strlen(i->job));
    t->last_start_ns = i->start_ns;
    uint32_t of = queue_of(t, i->job), by = *i->stopped_for ? queue_of(t, i->stopped_for) : INTERN_NONE;
    bool told = by != INTERN_NONE && !is(i->why, "moved");
    if (of == t->own) {
        const char *cause = explain_cause(i->why, t->name, by == INTERN_NONE ? NULL : intern_text(t->names, by));
        for (unsigned c = 0; c < PREEMPTION_CAUSES; c++)
            t->causes[c] += is(cause, preemption_cause_name[c]);
        if (told)
            t->other[by].stopped_ours++;
    } else if (told && by == t->own && of != INTERN_NONE)
        t->other[of].ours_stopped++;
    return 0;
}

/* ---- All of it ---- */

static json_t *mean_gpus(const struct teller *t, int128_t milli_ns)
{
    int64_t span_ns = t->now_ns - t->first_ns;
    return span_ns ? json_real((double)milli_ns / 1000 / (double)span_ns) : json_null();
}

static json_t *reclaims_of(const struct teller *t)
{
    json_t *list = json_array();
    for (size_t i = 0; i < LONGEST && t->longest[i].ns; i++)
        json_array_append_new(list, json_pack("{s:o, s:o, s:b}", "start_s", explain_seconds(t->longest[i].start_ns), "s",
                                              explain_seconds(t->longest[i].ns), "open", t->longest[i].open));
    return json_pack("{s:I, s:o, s:o}", "count", (json_int_t)t->shorts, "mean_s",
                     t->shorts ? json_real((double)t->short_ns / (double)t->shorts / (double)NS_PER_S) : json_null(), "longest", list);
}

static void put_owed(struct teller *t, json_t *story)
{
    int64_t deserved = t->other[t->own].now.deserved_milli;
    bool has = deserved >= 0;
    json_object_set_new(story, "span_s", explain_seconds(t->now_ns - t->first_ns));
    json_object_set_new(story, "deserved_gpus", has ? json_real((double)deserved / 1000) : json_null());
    json_object_set_new(story, "fair_share_gpus_mean", t->any_fair ? mean_gpus(t, t->fair) : json_null());
    json_object_set_new(story, "held_gpus_mean", mean_gpus(t, t->held));
    json_object_set_new(story, "demand_gpus_mean", mean_gpus(t, t->demand));
    json_object_set_new(story, "quota_satisfaction",
                        !has ? json_null() : json_real(t->owed ? (double)t->satisfied / (double)t->owed : 1));
    json_object_set_new(story, "owed_gpu_h", has ? explain_gpu_hours(t->owed) : json_null());
    json_object_set_new(story, "unmet_gpu_h", has ? explain_gpu_hours(t->owed - t->satisfied) : json_null());
    json_object_set_new(story, "unused_gpu_h", has ? explain_gpu_hours(t->unused) : json_null());
    json_object_set_new(story, "borrowed_gpu_h", has ? explain_gpu_hours(t->borrowed) : json_null());
    json_object_set_new(story, "short", has ? reclaims_of(t) : json_null());
}

static void put_others(struct teller *t, json_t *story, bool intervals)
{
    json_t *borrowers = json_array(), *by = json_array(), *of = json_array(), *causes = json_object();
    for (uint32_t n = 0; n < intern_count(t->names); n++) {
        const struct other *o = &t->other[n];
        if (o->over_unused || o->over_short)
            json_array_append_new(borrowers, json_pack("{s:o, s:o, s:o}", "queue", explain_text(o->now.queue), "gpu_h_while_unused",
                                                       explain_gpu_hours(o->over_unused), "gpu_h_while_short", explain_gpu_hours(o->over_short)));
        if (o->stopped_ours)
            json_array_append_new(by, json_pack("{s:o, s:I}", "queue", explain_text(o->now.queue), "stops", (json_int_t)o->stopped_ours));
        if (o->ours_stopped)
            json_array_append_new(of, json_pack("{s:o, s:I}", "queue", explain_text(o->now.queue), "stops", (json_int_t)o->ours_stopped));
    }
    for (unsigned c = 0; c < PREEMPTION_CAUSES; c++)
        json_object_set_new(causes, preemption_cause_name[c], json_integer((json_int_t)t->causes[c]));
    json_object_set_new(story, "borrowers", borrowers);
    json_object_set_new(story, "preemptions", intervals && t->n_jobs ? json_incref(causes) : json_null());
    json_decref(causes);
    json_object_set_new(story, "preempted_by", by);
    json_object_set_new(story, "preempted", of);
}

static void put_jobs(const struct teller *t, json_t *story)
{
    json_t *waits = json_object(), *worst = json_array();
    for (unsigned i = 0; i < WAIT_REASONS; i++)
        if (t->waits_ns[i])
            json_object_set_new(waits, wait_reason_name[i], json_real((double)t->waits_ns[i] / (double)NS_PER_S));
    for (size_t i = 0; i < WORST && t->worst[i].job; i++)
        json_array_append_new(worst, json_pack("{s:o, s:o, s:o, s:f, s:b}", "job", explain_text(t->worst[i].job), "wait_s",
                                               explain_seconds(t->worst[i].wait_ns), "submit_s", explain_seconds(t->worst[i].submit_ns),
                                               "gpus", (double)t->worst[i].gpu_milli / 1000, "started", t->worst[i].started));
    json_object_set_new(story, "jobs", json_integer((json_int_t)t->n_jobs));
    json_object_set_new(story, "completed", json_integer((json_int_t)t->completed));
    json_object_set_new(story, "waits_s", waits);
    json_object_set_new(story, "worst_waits", worst);
    json_object_set_new(story, "fairness_kept", t->had_service ? json_real((double)t->kept / (double)t->had_service) : json_null());
    json_object_set_new(story, "fairness_worst", t->worst_off ? json_pack("{s:o, s:f}", "job", explain_text(t->worst_off), "finish_time_fairness",
                                                                          t->worst_fairness) : json_null());
}

static int tell(struct teller *t, const char *directory, json_t *story, struct error *err)
{
    json_t *missing = json_array();
    json_object_set_new(story, "queue", explain_text(t->name));
    json_object_set_new(story, "missing", missing);
    t->own = queue_number(t, t->name);
    if (explain_read(directory, &(struct listener){ .self = t, .job = take_job }, err) ||
        explain_read(directory, &(struct listener){ .self = t, .level = take_deserved }, err) ||
        explain_read(directory, &(struct listener){ .self = t, .level = take_level }, err))
        return -1;
    int found = explain_read(directory, &(struct listener){ .self = t, .interval = take_interval }, err);
    if (found < 0)
        return -1;
    if (found > 0)
        json_array_append_new(missing, json_string("intervals.csv"));
    if (t->is_short)
        short_ends(t, true);
    put_owed(t, story);
    put_others(t, story, found == 0);
    put_jobs(t, story);
    return 0;
}

json_t *explain_queue(const char *directory, const char *name, struct error *err)
{
    struct teller t = { .name = name, .names = intern_new(), .jobs = intern_new() };
    json_t *story = json_object();
    int result = tell(&t, directory, story, err);
    for (size_t i = 0; i < WORST; i++)
        free(t.worst[i].job);
    free(t.worst_off);
    free(t.last_job);
    free(t.other);
    free(t.queue_of_job);
    intern_free(t.jobs);
    intern_free(t.names);
    if (result == 0)
        return story;
    json_decref(story);
    return NULL;
}
