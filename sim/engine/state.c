/* state.c - the few things that every part of a run does with its state. See state.h. */
#include "sim/engine/state.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void engine_bug(const struct sched *s, const char *file, int line, const char *format, ...)
{
    va_list args;
    fprintf(stderr, "gpuyard: a bug, please report it: %s:%d: at %.9f s under policy %s: ", file, line,
            seconds(s->now_ns), s->force->policy->name);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    abort();
}

void state_set(struct sched *s, job_id j, enum job_state to)
{
    enum job_state from = s->job[j].state;
    if (!life_allows(from, to))
        ENGINE_BUG(s, "job %s goes from %s to %s", s->workload->truth[j].name, life_state_name(from), life_state_name(to));
    s->job[j].state = (uint8_t)to;
}

void decision_row(const struct sched *s, job_id j, const char *kind, const char *decision, const char *reason)
{
    const struct run_observer *o = &s->setup.observer;
    o->decision(o->self, j, s->now_ns, kind, decision, reason);
}

void stop_log(const struct sched *s, const struct live *l, const char *how)
{
    decision_log(s, l->job, "stop", how, l->now.stopped_for == ID_NONE ? "" : s->workload->truth[l->now.stopped_for].name);
}

static struct job_cost *cost_at(const struct sched *s, uint32_t at)
{
    return stable_at(&s->costs, at - 1, sizeof(struct job_cost));
}

struct job_cost job_cost(const struct sched *s, job_id j)
{
    uint32_t at = s->job[j].cost;
    return at ? *cost_at(s, at) : (struct job_cost){ 0, 0, 0, 0 };
}

void job_cost_add(struct sched *s, job_id j, struct job_cost more)
{
    if (!s->job[j].cost) {
        *(struct job_cost *)stable_add(&s->costs, sizeof(struct job_cost), 0) = (struct job_cost){ 0, 0, 0, 0 };
        s->job[j].cost = (uint32_t)s->costs.n;
    }
    struct job_cost *cost = cost_at(s, s->job[j].cost);
    cost->lost_ns += more.lost_ns;
    cost->overhead_ns += more.overhead_ns;
    cost->preemptions += more.preemptions;
    cost->restarts += more.restarts;
}

int64_t job_done_ns(const struct sched *s, const struct live *l)
{
    if (!l->event || l->progress.since_ns >= s->now_ns)       /* not running in truth, or still starting up */
        return l->begin_left_ns - l->progress.left_ns;
    struct progress p = l->progress;
    progress_settle(&p, s->now_ns);
    return l->begin_left_ns - p.left_ns;
}

int64_t job_left_ns(const struct sched *s, const struct live *l)
{
    return l->begin_left_ns - job_done_ns(s, l);
}
