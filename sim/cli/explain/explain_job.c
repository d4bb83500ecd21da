/* explain_job.c - the story of one job or session: request, waits and the jobs that started
 * meanwhile, places, stops by and for other jobs, costs, outcome and fairness. See explain.h. */
#include "sim/cli/explain/explain.h"

#include "sim/base/intern.h"
#include "sim/base/memory.h"
#include "sim/engine/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ==== The session, from sessions.csv ==== */

static int take_session(void *self, const struct csv_session *x, struct error *err)
{
    json_t *story = self;
    (void)err;
    if (strcmp(x->name, json_string_value(json_object_get(story, "job"))) != 0 ||
        json_object_get(story, "session"))
        return 0;
    json_t *to = json_object();
    int64_t in_use_ns = x->active_gpu_ns + x->idle_gpu_ns;
    json_object_set_new(story, "session", to);
    put_text(to, "group", x->group);
    put_text(to, "outcome", x->outcome);
    put_seconds(to, "end_s", x->end_ns);
    put_seconds(to, "usable_s", x->usable_ns);
    put_seconds(to, "time_to_start_s", x->time_to_start_ns);
    json_object_set_new(to, "slo_met",
                        *x->slo_met ? json_boolean(*x->slo_met == '1') : json_null());
    put_seconds(to, "patience_s", x->patience_ns);
    json_object_set_new(to, "forgotten", json_boolean(*x->forgotten == '1'));
    put_count(to, "releases", (uint64_t)x->releases);
    put_count(to, "preemptions", (uint64_t)x->preemptions);
    put_seconds(to, "delayed_s", x->delayed_ns);
    put_gpu_hours(to, "starting_gpu_h", (int128_t)x->starting_gpu_ns * 1000);
    put_gpu_hours(to, "active_gpu_h", (int128_t)x->active_gpu_ns * 1000);
    put_gpu_hours(to, "idle_gpu_h", (int128_t)x->idle_gpu_ns * 1000);
    put_number(to, "active_share",
               in_use_ns ? (double)x->active_gpu_ns / (double)in_use_ns : (double)NAN);
    return 0;
}

static int explain_session(json_t *story, const char *directory, struct error *err)
{
    return explain_read(directory, &(struct row_reader){ .self = story, .session = take_session },
                        err) < 0 ? -1 : 0;
}

/* ==== The job ==== */

enum { LATER_SHOWN = 5 };

struct job_story {
    const char *name;
    char *queue;
    /* gone: submission plus its whole time of waiting and running */
    int64_t submit_ns, start_ns, gone_ns;
    json_t *story, *runs, *decisions, *stopped, *later;
    json_t *reservations;         /* NULL: it has not waited for any */
    json_t *stay;                              /* the stay that the rows being read belong to */
    int64_t stay_start_ns;
    bool held;                                 /* for its dependencies */
    struct { uint64_t all, others, later; int64_t gpu_milli; } meanwhile;
    struct intern *named;                      /* jobs in other rows: their queues are needed */
    char **queue_of;                           /* [named] */
};

static bool is(const char *a, const char *b)
{
    return !strcmp(a, b);
}

/* ---- The row of the job ---- */

static double number_of(const char *text)
{
    return *text ? strtod(text, NULL) : (double)NAN;
}

/* Columns that only some runs have. */
static void put_parts(json_t *story, const struct csv_job *j)
{
    static const char *const gpu_time[JOB_PARTS] = {
        [PART_CHECKPOINT_NS] = "checkpoint_gpu_h", [PART_PULL_NS] = "pull_gpu_h"
    };
    static const char *const gib[JOB_PARTS] = {
        [PART_READ] = "read_gib", [PART_CACHED] = "cached_gib"
    };
    if (j->part[PART_CHECKPOINTS] >= 0)
        put_count(story, "checkpoints", (uint64_t)j->part[PART_CHECKPOINTS]);
    for (unsigned i = 0; i < JOB_PARTS; i++) {
        if (gpu_time[i] && j->part[i] >= 0)
            put_gpu_hours(story, gpu_time[i], (int128_t)j->part[i] * 1000);
        if (gib[i] && j->part[i] >= 0)
            put_number(story, gib[i], (double)j->part[i] / 1e6);
    }
}

static int take_self(void *self, const struct csv_job *j, struct error *err)
{
    struct job_story *t = self;
    json_t *story = t->story;
    (void)err;
    if (!is(j->name, t->name) || t->queue)
        return 0;
    t->queue = mem_text(j->queue, strlen(j->queue));
    t->submit_ns = j->submit_ns;
    t->start_ns = j->start_ns;
    t->gone_ns = j->submit_ns + j->wait_ns + j->run_ns;
    put_text(story, "job", j->name);
    put_text(story, "queue", j->queue);
    put_text(story, "user", j->user);
    put_text(story, "class", j->class);
    put_gpus(story, "gpus", j->gpu_milli);
    put_text(story, "gpu_type", j->gpu_type);
    put_number(story, "tasks", number_of(j->tasks));
    put_number(story, "min_tasks", number_of(j->min_tasks));
    put_text(story, "state", j->state);
    put_seconds(story, "submit_s", j->submit_ns);
    put_seconds(story, "start_s", j->start_ns);
    put_seconds(story, "end_s", j->end_ns);
    put_seconds(story, "wait_s", j->wait_ns);
    put_seconds(story, "run_s", j->run_ns);
    put_waits(story, j->waits_ns);
    if (j->waits_ns[WAIT_RESERVATION])
        t->reservations = put_list(story, "reservations");
    put_count(story, "preemptions", (uint64_t)j->preemptions);
    put_count(story, "restarts", (uint64_t)j->restarts);
    put_gpu_hours(story, "lost_gpu_h", (int128_t)j->lost_gpu_ns * 1000);
    put_gpu_hours(story, "overhead_gpu_h", (int128_t)j->overhead_gpu_ns * 1000);
    put_parts(story, j);
    put_number(story, "slowdown", number_of(j->slowdown));
    put_number(story, "finish_time_fairness", number_of(j->fairness));
    return 0;
}

/* ---- Stays, from intervals.csv ---- */

static void remember(struct job_story *t, const char *job)
{
    if (*job)
        intern_add(t->named, job, strlen(job));
}

static void add_place(json_t *places, const struct csv_interval *i)
{
    json_t *place = add_entry(places);
    put_text(place, "node", i->node);
    put_count(place, "gpus", (uint64_t)i->gpus);
    put_text(place, "gpu_ids", i->gpu_ids);
    put_gpus(place, "share", i->gpu_milli);
}

static int take_interval(void *self, const struct csv_interval *i, struct error *err)
{
    struct job_story *t = self;
    (void)err;
    bool own = is(i->job, t->name), for_it = is(i->stopped_for, t->name);
    if (!own && !for_it) {
        t->stay = NULL;
        return 0;
    }
    const char *of = json_string_value(json_object_get(t->stay, "job"));
    if (t->stay && i->start_ns == t->stay_start_ns && of && is(of, i->job)) {
        add_place(json_object_get(t->stay, "places"), i);
        return 0;
    }
    t->stay_start_ns = i->start_ns;
    t->stay = add_entry(own ? t->runs : t->stopped);
    put_text(t->stay, "job", i->job);
    put_seconds(t->stay, "start_s", i->start_ns);
    put_seconds(t->stay, "end_s", i->end_ns);
    put_text(t->stay, "ended_as", i->why);
    put_text(t->stay, "stopped_for", i->stopped_for);
    add_place(put_list(t->stay, "places"), i);
    remember(t, own ? i->stopped_for : i->job);
    return 0;
}

/* ---- Decisions, from events.csv ---- */

static const char *because(const char *reason)
{
    for (unsigned i = 0; i < WAIT_REASONS; i++)
        if (is(reason, wait_reason_name[i]))
            return explain_wait_meaning[i];
    return "";
}

/* events.csv has the parts of a wait in consecutive rows, at its end. */
static void add_wait(json_t *list, const struct csv_event *e)
{
    json_t *last = json_array_get(list, json_array_size(list) - 1),
           *parts = json_object_get(last, "waited");
    if (!parts || json_number_value(json_object_get(last, "time_s")) !=
                      (double)e->time_ns / (double)NS_PER_S) {
        last = add_entry(list);
        put_seconds(last, "time_s", e->time_ns);
        put_text(last, "decision", "wait");
        parts = put_list(last, "waited");
    }
    json_t *part = add_entry(parts);
    put_number(part, "s", number_of(e->reason));
    put_text(part, "reason", e->decision);
    put_text(part, "because", because(e->decision));
}

/* Reservations in force between its submission and its end. events.csv has a row for each node. */
static void take_reservation(json_t *in_force, const struct job_story *t, const struct csv_event *e)
{
    size_t at = 0;
    while (at < json_array_size(in_force) &&
           !is(e->reason, json_string_value(json_array_get(in_force, at))))
        at++;
    if (is(e->kind, "released") && e->time_ns <= t->submit_ns)
        json_array_remove(in_force, at);
    else if (is(e->kind, "reserved") && e->time_ns < t->gone_ns && at == json_array_size(in_force))
        json_array_append_new(in_force, json_string(e->reason));
}

static int take_event(void *self, const struct csv_event *e, struct error *err)
{
    struct job_story *t = self;
    (void)err;
    if (t->reservations && !*e->job)
        take_reservation(t->reservations, t, e);
    if (!is(e->job, t->name))
        return 0;
    if (is(e->kind, "wait"))
        add_wait(t->decisions, e);
    bool later = is(e->kind, "arrival") && e->time_ns > t->submit_ns;
    /* a session that had released its GPUs; else a job that was held */
    const char *again = !later ? NULL : t->held ? "met" : "again";
    t->held |= is(e->decision, "held");
    /* cancelled for a dependency; other ends are those of its intervals, and have no reason */
    bool unmet = is(e->kind, "end") && *e->reason;
    if (!again && !unmet && !is(e->kind, "decision") && !is(e->kind, "stop"))
        return 0;
    json_t *decision = add_entry(t->decisions);
    put_seconds(decision, "time_s", e->time_ns);
    put_text(decision, "decision", again ? again : e->decision);
    put_text(decision, "reason", e->reason);
    put_text(decision, "because", is(e->decision, "blocked") ? because(e->reason) : "");
    return 0;
}

/* ---- The rows of other jobs ---- */

static int take_other(void *self, const struct csv_job *j, struct error *err)
{
    struct job_story *t = self;
    (void)err;
    uint32_t n = intern_find(t->named, j->name, strlen(j->name));
    if (n != INTERN_NONE && !t->queue_of[n])
        t->queue_of[n] = mem_text(j->queue, strlen(j->queue));
    int64_t until_ns = t->start_ns >= 0 ? t->start_ns : t->gone_ns;
    if (is(j->name, t->name) || j->start_ns < t->submit_ns || j->start_ns >= until_ns)
        return 0;
    t->meanwhile.all++;
    t->meanwhile.others += !is(j->queue, t->queue);
    t->meanwhile.gpu_milli += j->gpu_milli;
    if (j->submit_ns <= t->submit_ns)
        return 0;
    if (t->meanwhile.later++ < LATER_SHOWN)
        put_text(add_entry(t->later), "job", j->name);
    return 0;
}

static const char *queue_of(const struct job_story *t, const json_t *job)
{
    const char *name = json_string_value(job);
    uint32_t n = name ? intern_find(t->named, name, strlen(name)) : INTERN_NONE;
    return n == INTERN_NONE ? NULL : t->queue_of[n];
}

static void add_causes(struct job_story *t)
{
    json_t *stay;
    size_t i;
    json_array_foreach(t->runs, i, stay)
    {
        const char *why = json_string_value(json_object_get(stay, "ended_as"));
        const char *by = queue_of(t, json_object_get(stay, "stopped_for"));
        put_text(stay, "for_queue", by);
        put_text(stay, "cause", explain_cause(why, t->queue, by));
        json_object_del(stay, "job");
    }
    json_array_foreach(t->stopped, i, stay)
    {
        const char *why = json_string_value(json_object_get(stay, "ended_as"));
        const char *of = queue_of(t, json_object_get(stay, "job"));
        put_text(stay, "queue", of);
        put_text(stay, "cause", explain_cause(why, of ? of : "", t->queue));
        json_object_del(stay, "stopped_for");
    }
}

/* ---- The story ---- */

static int read_story(struct job_story *t, const char *directory, struct error *err)
{
    json_t *missing = put_list(t->story, "missing");
    if (explain_read(directory, &(struct row_reader){ .self = t, .job = take_self }, err))
        return -1;
    json_t *meanwhile = json_object();
    json_object_set_new(t->story, "meanwhile", meanwhile);
    t->runs = put_list(t->story, "runs");
    t->decisions = put_list(t->story, "decisions");
    t->stopped = put_list(t->story, "stopped");
    t->later = json_array();
    int found = explain_read(directory, &(struct row_reader){ .self = t,
                                                              .interval = take_interval }, err);
    if (found > 0)
        json_array_append_new(missing, json_string("intervals.csv"));
    int events = found < 0 ? -1 : explain_read(directory, &(struct row_reader){ .self = t,
        .event = take_event }, err);
    if (events > 0)
        json_array_append_new(missing, json_string("events.csv"));
    t->queue_of = mem_new(intern_count(t->named) + 1, sizeof *t->queue_of);
    int others = events < 0 ? -1 : explain_read(directory, &(struct row_reader){ .self = t,
        .job = take_other }, err);
    put_count(meanwhile, "started", t->meanwhile.all);
    put_count(meanwhile, "of_other_queues", t->meanwhile.others);
    put_gpus(meanwhile, "gpus", t->meanwhile.gpu_milli);
    put_count(meanwhile, "submitted_later", t->meanwhile.later);
    json_object_set_new(meanwhile, "first_of_these", t->later);
    add_causes(t);
    return others ? -1 : explain_session(t->story, directory, err);
}

json_t *explain_job(const char *directory, const char *name, struct error *err)
{
    struct job_story t = { .name = name, .story = json_object(), .named = intern_new() };
    int result = read_story(&t, directory, err);
    put_origin(t.story, directory);
    for (uint32_t i = 0; t.queue_of && i < intern_count(t.named); i++)
        free(t.queue_of[i]);
    free(t.queue_of);
    free(t.queue);
    intern_free(t.named);
    if (result == 0)
        return t.story;
    json_decref(t.story);
    return NULL;
}
