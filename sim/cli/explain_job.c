/* explain_job.c - the story of one job: what it asked for, why it waited and who went before it, where it ran, who stopped
 * it and whom it stopped, what that cost, how it ended and how fair that was. */
#include "sim/cli/explain.h"
#include "sim/core/intern.h"
#include "sim/core/memory.h"
#include "sim/run/run.h"

#include <stdlib.h>
#include <string.h>

enum { LATER_SHOWN = 5 };

struct teller {
    const char *name, *queue;
    int64_t submit_ns, start_ns, gone_ns;      /* gone: when it had waited and run all that it did */
    json_t *story, *steps, *stopped;
    json_t *stay;                              /* of the interval whose pieces are being read */
    int64_t stay_start_ns;
    struct { uint64_t all, others, later; int64_t gpu_milli; json_t *first_later; } meanwhile;
    struct intern *named;                      /* jobs of other rows whose queues are wanted */
    char **queue_of;                           /* [named] */
};

static bool is(const char *a, const char *b)
{
    return !strcmp(a, b);
}

/* ---- From its row ---- */

static const char *const meaning[WAIT_REASONS] = {
    [WAIT_ORDER] = "others were before it in line",
    [WAIT_LIMIT] = "its queue was at its limit",
    [WAIT_QUOTA] = "its queue was over its quota, and nobody's was idle",
    [WAIT_PROTECTED] = "its queue was owed GPUs, but those who had them were protected",
    [WAIT_GPUS] = "too few GPUs were free",
    [WAIT_FRAGMENTED] = "enough GPUs were free, but not together",
    [WAIT_TOPOLOGY] = "no domain of the level that it requires had room",
    [WAIT_TYPE] = "none of its GPU models was free",
    [WAIT_GANG] = "it had some of its tasks and lacked the others",
    [WAIT_RESERVED] = "it would have fit, but would have delayed one with a promise",
    [WAIT_RELEASING] = "it had its GPUs, and their last users were leaving",
    [WAIT_PASS] = "the scheduler's next pass, or a back-off, was to come",
    [WAIT_DEPENDENCY] = "jobs on which it depends had not ended",
    [WAIT_OTHER] = "the policy gave no other reason",
};

static json_t *waits_of(const struct told_job *j)
{
    json_t *list = json_array();
    bool told[WAIT_REASONS] = { false };
    for (;;) {                                 /* the longest first */
        unsigned most = WAIT_REASONS;
        for (unsigned i = 0; i < WAIT_REASONS; i++)
            if (!told[i] && j->waits_ns[i] > 0 && (most == WAIT_REASONS || j->waits_ns[i] > j->waits_ns[most]))
                most = i;
        if (most == WAIT_REASONS)
            return list;
        told[most] = true;
        json_array_append_new(list, json_pack("{s:s, s:o, s:s}", "reason", wait_reason_name[most], "s", explain_seconds(j->waits_ns[most]),
                                              "because", meaning[most]));
    }
}

static json_t *number_or_null(const char *text)
{
    return *text ? json_real(strtod(text, NULL)) : json_null();
}

static int take_self(void *self, const struct told_job *j, struct error *err)
{
    struct teller *t = self;
    (void)err;
    if (!is(j->name, t->name) || t->queue)
        return 0;
    t->queue = mem_text(j->queue, strlen(j->queue));
    t->submit_ns = j->submit_ns;
    t->start_ns = j->start_ns;
    t->gone_ns = j->submit_ns + j->wait_ns + j->run_ns;
    json_object_set_new(t->story, "job", explain_text(j->name));
    json_object_set_new(t->story, "queue", explain_text(j->queue));
    json_object_set_new(t->story, "user", explain_text(j->user));
    json_object_set_new(t->story, "class", explain_text(j->class));
    json_object_set_new(t->story, "gpus", json_real((double)j->gpu_milli / 1000));
    json_object_set_new(t->story, "gpu_type", explain_text(j->gpu_type));
    json_object_set_new(t->story, "tasks", number_or_null(j->tasks));
    json_object_set_new(t->story, "min_tasks", number_or_null(j->min_tasks));
    json_object_set_new(t->story, "state", explain_text(j->state));
    json_object_set_new(t->story, "submit_s", explain_seconds(j->submit_ns));
    json_object_set_new(t->story, "start_s", explain_seconds(j->start_ns));
    json_object_set_new(t->story, "end_s", explain_seconds(j->end_ns));
    json_object_set_new(t->story, "wait_s", explain_seconds(j->wait_ns));
    json_object_set_new(t->story, "run_s", explain_seconds(j->run_ns));
    json_object_set_new(t->story, "waits", waits_of(j));
    json_object_set_new(t->story, "preemptions", json_integer((json_int_t)j->preemptions));
    json_object_set_new(t->story, "restarts", json_integer((json_int_t)j->restarts));
    json_object_set_new(t->story, "lost_gpu_h", explain_gpu_hours((int128_t)j->lost_gpu_ns * 1000));
    json_object_set_new(t->story, "overhead_gpu_h", explain_gpu_hours((int128_t)j->overhead_gpu_ns * 1000));
    json_object_set_new(t->story, "slowdown", number_or_null(j->slowdown));
    json_object_set_new(t->story, "finish_time_fairness", number_or_null(j->fairness));
    return 0;
}

/* ---- From intervals.csv ---- */

static void remember(struct teller *t, const char *job)
{
    if (*job)
        intern_add(t->named, job, strlen(job));
}

static json_t *place_of(const struct told_interval *i)
{
    return json_pack("{s:o, s:I, s:o, s:f}", "node", explain_text(i->node), "gpus", (json_int_t)i->gpus, "gpu_ids",
                     explain_text(i->gpu_ids), "share", (double)i->gpu_milli / 1000);
}

static int take_interval(void *self, const struct told_interval *i, struct error *err)
{
    struct teller *t = self;
    (void)err;
    bool own = is(i->job, t->name), for_it = is(i->stopped_for, t->name);
    if (!own && !for_it) {
        t->stay = NULL;
        return 0;
    }
    const char *of = json_string_value(json_object_get(t->stay, "job"));
    if (t->stay && i->start_ns == t->stay_start_ns && of && is(of, i->job)) {
        json_array_append_new(json_object_get(t->stay, "places"), place_of(i));
        return 0;
    }
    t->stay_start_ns = i->start_ns;
    t->stay = json_pack("{s:o, s:o, s:o, s:s, s:o, s:[o]}", "job", explain_text(i->job), "start_s", explain_seconds(i->start_ns), "end_s",
                        explain_seconds(i->end_ns), "ended_as", i->why, "stopped_for", explain_text(i->stopped_for), "places", place_of(i));
    json_array_append_new(own ? t->steps : t->stopped, t->stay);
    remember(t, own ? i->stopped_for : i->job);
    return 0;
}

/* ---- From events.csv: what was decided about it ---- */

static const char *because(const char *reason)
{
    for (unsigned i = 0; i < WAIT_REASONS; i++)
        if (is(reason, wait_reason_name[i]))
            return meaning[i];
    return "";
}

/* The parts of one wait come one after the other, when it is over. */
static void add_wait(json_t *list, const struct told_event *e)
{
    json_t *last = json_array_get(list, json_array_size(list) - 1), *parts = json_object_get(last, "waited");
    double time_s = (double)e->time_ns / (double)NS_PER_S;
    if (!parts || json_number_value(json_object_get(last, "time_s")) != time_s) {
        parts = json_array();
        json_array_append_new(list, json_pack("{s:f, s:s, s:o}", "time_s", time_s, "decision", "wait", "waited", parts));
    }
    json_array_append_new(parts, json_pack("{s:f, s:o, s:o}", "s", strtod(e->reason, NULL), "reason", explain_text(e->decision), "because",
                                           explain_text(because(e->decision))));
}

static int take_event(void *self, const struct told_event *e, struct error *err)
{
    struct teller *t = self;
    json_t *list = json_object_get(t->story, "decisions");
    (void)err;
    if (!is(e->job, t->name))
        return 0;
    if (is(e->kind, "wait"))
        add_wait(list, e);
    else if (is(e->kind, "decision") || is(e->kind, "stop"))
        json_array_append_new(list, json_pack("{s:o, s:o, s:o, s:o}", "time_s", explain_seconds(e->time_ns), "decision",
                                              explain_text(e->decision), "reason", explain_text(e->reason), "because",
                                              explain_text(is(e->decision, "blocked") ? because(e->reason) : "")));
    return 0;
}

/* ---- From the rows of the others ---- */

static int take_other(void *self, const struct told_job *j, struct error *err)
{
    struct teller *t = self;
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
        json_array_append_new(t->meanwhile.first_later, explain_text(j->name));
    return 0;
}

static const char *queue_of(const struct teller *t, const json_t *job)
{
    const char *name = json_string_value(job);
    uint32_t n = name ? intern_find(t->named, name, strlen(name)) : INTERN_NONE;
    return n == INTERN_NONE ? NULL : t->queue_of[n];
}

static void add_causes(struct teller *t)
{
    json_t *step;
    size_t i;
    json_array_foreach(t->steps, i, step)
    {
        const char *why = json_string_value(json_object_get(step, "ended_as")), *by = queue_of(t, json_object_get(step, "stopped_for"));
        const char *cause = explain_cause(why, t->queue, by);
        json_object_set_new(step, "for_queue", by ? explain_text(by) : json_null());
        json_object_set_new(step, "cause", cause ? json_string(cause) : json_null());
        json_object_del(step, "job");
    }
    json_array_foreach(t->stopped, i, step)
    {
        const char *why = json_string_value(json_object_get(step, "ended_as")), *of = queue_of(t, json_object_get(step, "job"));
        const char *cause = explain_cause(why, of ? of : "", t->queue);
        json_object_set_new(step, "queue", of ? explain_text(of) : json_null());
        json_object_set_new(step, "cause", cause ? json_string(cause) : json_null());
        json_object_del(step, "stopped_for");
    }
}

/* ---- All of it ---- */

static int tell(struct teller *t, const char *directory, struct error *err)
{
    json_t *missing = json_array();
    json_object_set_new(t->story, "missing", missing);
    if (explain_read(directory, &(struct listener){ .self = t, .job = take_self }, err))
        return -1;
    int found = explain_read(directory, &(struct listener){ .self = t, .interval = take_interval }, err);
    if (found > 0)
        json_array_append_new(missing, json_string("intervals.csv"));
    int heard = found < 0 ? -1 : explain_read(directory, &(struct listener){ .self = t, .event = take_event }, err);
    if (heard > 0)
        json_array_append_new(missing, json_string("events.csv"));
    t->queue_of = mem_new(intern_count(t->named) + 1, sizeof *t->queue_of);
    if (found < 0 || heard < 0 || explain_read(directory, &(struct listener){ .self = t, .job = take_other }, err))
        return -1;
    add_causes(t);
    json_object_set_new(t->story, "meanwhile",
                        json_pack("{s:I, s:I, s:I, s:f, s:O}", "started", (json_int_t)t->meanwhile.all, "of_other_queues",
                                  (json_int_t)t->meanwhile.others, "submitted_later", (json_int_t)t->meanwhile.later, "gpus",
                                  (double)t->meanwhile.gpu_milli / 1000, "first_of_these", t->meanwhile.first_later));
    return 0;
}

json_t *explain_job(const char *directory, const char *name, struct error *err)
{
    struct teller t = { .name = name, .story = json_object(), .steps = json_array(), .stopped = json_array(), .named = intern_new() };
    t.meanwhile.first_later = json_array();
    json_object_set_new(t.story, "decisions", json_array());
    int result = tell(&t, directory, err);
    json_object_set_new(t.story, "runs", t.steps);
    json_object_set_new(t.story, "stopped", t.stopped);
    for (uint32_t i = 0; t.queue_of && i < intern_count(t.named); i++)
        free(t.queue_of[i]);
    free(t.queue_of);
    free((char *)t.queue);
    json_decref(t.meanwhile.first_later);
    intern_free(t.named);
    if (result == 0)
        return t.story;
    json_decref(t.story);
    return NULL;
}
