/* time_limits.c - jobs end at their time limits; section `time_limits`. models.md 3.8.
 *
 * The limit of a job is its estimate as submitted, of the time since it started: start-up counts,
 * time suspended does not, and a restart begins anew. A job over its limit by more than over_s is
 * told to stop at the next multiple of check_s (0: at once), holds on for grace_s, and then fails.
 * If its work is done by then it ends as it would have. Jobs without an estimate and jobs on demand
 * have no limit. */
#include "sim/base/memory.h"
#include "sim/engine/jobs.h"
#include "sim/engine/state.h"
#include "sim/physics/physics.h"

#include <stdlib.h>

struct limited {
    event_id event;               /* 0: it does not run */
    int64_t since_ns, used_ns;    /* it runs since; used before, by the same run */
    bool timed_out;
};
struct limits { struct limited *job; uint64_t timed_out; };

static struct limits *limits_of(const struct sched *s)
{
    return model_state(s, &time_limits_model);
}

static bool wanted(const struct sched *s)
{
    return s->cluster->time_limits.enforce;
}

static void begin(struct sched *s)
{
    struct limits *x = mem_new(1, sizeof *x);
    x->job = mem_new(workload_all(s->workload) + (size_t)1, sizeof *x->job);
    model_state_set(s, &time_limits_model, x);
}

static void limits_free(struct sched *s)
{
    struct limits *x = limits_of(s);
    if (x)
        free(x->job);
    free(x);
}

static int64_t end_ns(const struct sched *s, job_id j)
{
    const struct time_limits *law = &s->cluster->time_limits;
    const struct limited *l = &limits_of(s)->job[j];
    int64_t told_ns = l->since_ns - l->used_ns + s->workload->truth[j].estimate_ns + law->over_ns;
    if (law->check_ns && told_ns % law->check_ns)
        told_ns += law->check_ns - told_ns % law->check_ns;
    told_ns += law->grace_ns;
    return told_ns > s->now_ns ? told_ns : s->now_ns;
}

static void placed(struct sched *s, struct live *l)
{
    struct limited *x = &limits_of(s)->job[l->job];
    if (l->job >= s->workload->n_jobs || s->workload->truth[l->job].estimate_ns == TIME_NEVER)
        return;
    if (l->last_start_ns == s->now_ns && !l->suspended)
        x->used_ns = 0;
    x->since_ns = s->now_ns;
    x->event = event_queue_push(s->events, (struct event){ end_ns(s, l->job), EVENT_TIME_LIMIT, l->job });
}

static void ran_before(struct sched *s, struct live *l, int64_t done_ns)
{
    struct limited *x = &limits_of(s)->job[l->job];
    (void)done_ns;
    if (!x->event)
        return;
    x->since_ns = l->last_start_ns;
    event_queue_move(s->events, x->event, end_ns(s, l->job));
}

static void left(struct sched *s, struct live *l, const struct placement *from)
{
    struct limited *x = &limits_of(s)->job[l->job];
    (void)from;
    if (!x->event)
        return;
    event_queue_cancel(s->events, x->event);
    x->event = 0;
    x->used_ns += s->now_ns - x->since_ns;
}

static void happens(struct sched *s, const struct event *e)
{
    struct limited *x = &limits_of(s)->job[e->subject];
    x->event = 0;
    x->timed_out = true;
    limits_of(s)->timed_out++;
    decision_log(s, e->subject, "stop", "time limit", "");
    job_finishes(s, e->subject, FATE_FAILED, "timeout");
}

static void job_row(struct output *o, const struct sched *s, job_id j)
{
    out_char(o, ',');
    out_integer(o, limits_of(s)->job[j].timed_out);
}

static const char *const job_columns[] = { "timed_out", NULL };
static const struct metric_kind metrics[] = {
    { "jobs_timed_out", "", "jobs that ended at their time limits; part of jobs_failed", BETTER_LOWER },
    { 0 },
};

static void summarise(struct summary_builder *b)
{
    uint64_t n = 0, of = 0;
    for (job_id j = b->s->setup.warmup_jobs; j < b->s->workload->n_jobs; j++)
        if (run_takes(b->s, j)) {
            n += limits_of(b->s)->job[j].timed_out;
            of++;
        }
    summary_put_kind(b, &metrics[0], "all", (double)n, of);
}

const struct run_model time_limits_model = {
    .place = PLACE_OF(time_limits_model),
    .name = "time_limits", .summary = "jobs end at their time limits", .wanted = wanted, .begin = begin, .free = limits_free,
    .placed = placed, .ran_before = ran_before, .left = left, .events = 1u << EVENT_TIME_LIMIT, .happens = happens,
    .job_columns = job_columns, .job_row = job_row, .metrics = metrics, .summarise = summarise,
};
