/* explain_queue.c - the story of one queue: what it was owed, asked for and got, who borrowed while it had quota to spare or
 * was short of its own, how fast it got that back, whom its jobs preempted and who preempted them, and who waited longest. */
#include "sim/cli/explain/explain_queue.h"

#include <math.h>

static void put_mean_gpus(const struct queue_told *t, json_t *o, const char *key, int128_t milli_ns)
{
    int64_t span_ns = t->now_ns - t->first_ns;
    put_number(o, key, span_ns ? (double)milli_ns / 1000 / (double)span_ns : (double)NAN);
}

static void put_short(const struct queue_told *t, json_t *story)
{
    json_t *o = json_object(), *list = put_list(o, "longest");
    json_object_set_new(story, "short", o);
    put_count(o, "count", t->shorts);
    put_number(o, "mean_s", t->shorts ? (double)t->short_ns / (double)t->shorts / (double)NS_PER_S : (double)NAN);
    for (size_t i = 0; i < LONGEST && t->longest[i].ns; i++) {
        json_t *one = add_entry(list);
        put_seconds(one, "start_s", t->longest[i].start_ns);
        put_seconds(one, "s", t->longest[i].ns);
        json_object_set_new(one, "open", json_boolean(t->longest[i].open));
    }
}

static void put_owed(const struct queue_told *t, json_t *story)
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

static void put_others(const struct queue_told *t, json_t *story)
{
    json_t *borrowers = put_list(story, "borrowers"), *by = put_list(story, "preempted_by"), *of = put_list(story, "preempted");
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

static void put_causes(const struct queue_told *t, json_t *story)
{
    json_t *causes = json_object();
    json_object_set_new(story, "preemptions", causes);
    for (unsigned c = 0; c < PREEMPTION_CAUSES; c++)
        put_count(causes, preemption_cause_name[c], t->causes[c]);
}

static void put_jobs(const struct queue_told *t, json_t *story)
{
    json_t *waits = json_object(), *worst = put_list(story, "worst_waits"), *worst_off = json_object();
    put_count(story, "jobs", t->n_jobs);
    put_count(story, "completed", t->completed);
    json_object_set_new(story, "waits_s", waits);
    for (unsigned i = 0; i < WAIT_REASONS; i++)
        if (i != WAIT_POWER || t->waits_ns[i])
            put_number(waits, wait_reason_name[i], (double)t->waits_ns[i] / (double)NS_PER_S);
    for (size_t i = 0; i < WORST && t->worst[i].job; i++) {
        json_t *w = add_entry(worst);
        put_text(w, "job", t->worst[i].job);
        put_seconds(w, "wait_s", t->worst[i].wait_ns);
        put_seconds(w, "submit_s", t->worst[i].submit_ns);
        put_gpus(w, "gpus", t->worst[i].gpu_milli);
        json_object_set_new(w, "started", json_boolean(t->worst[i].started));
    }
    put_number(story, "fairness_kept", t->had_service ? (double)t->kept / (double)t->had_service : (double)NAN);
    json_object_set_new(story, "fairness_worst", worst_off);
    put_text(worst_off, "job", t->worst_off);
    put_number(worst_off, "finish_time_fairness", t->worst_off ? t->worst_fairness : (double)NAN);
}

json_t *explain_queue(const char *directory, const char *name, struct error *err)
{
    struct queue_told t = { .name = name };
    json_t *story = NULL;
    if (queue_hear(&t, directory, err) == 0) {
        story = json_object();
        put_text(story, "queue", name);
        json_t *missing = put_list(story, "missing");
        if (t.no_intervals)
            json_array_append_new(missing, json_string("intervals.csv"));
        put_owed(&t, story);
        put_others(&t, story);
        if (t.n_jobs && !t.no_intervals)
            put_causes(&t, story);
        put_jobs(&t, story);
    }
    queue_forget(&t);
    return story;
}
