/* livelock.c - see livelock.h. */
#include "sim/engine/livelock.h"
#include "sim/engine/state.h"

enum { FRUITLESS_MOST = 20000, FRUITLESS_PER_JOB = 100 };

struct livelock {
    int64_t advanced_ns;            /* when a job last advanced */
    uint64_t fruitless_passes;    /* since then, passes that started or stopped something */
};

void livelock_begin(struct sched *s)
{
    s->livelock = arena_alloc(s->memory, sizeof *s->livelock);
}

void livelock_advanced(struct sched *s)
{
    s->livelock->fruitless_passes = 0;
    s->livelock->advanced_ns = s->now_ns;
}

void livelock_settled(struct sched *s, struct live *l)
{
    if (l->progress.left_ns >= l->least_left_ns)
        return;
    l->least_left_ns = l->progress.left_ns;
    livelock_advanced(s);
}

static bool advances(const struct sched *s, const struct live *l)
{
    return l->last_start_ns <= s->livelock->advanced_ns || l->begin_left_ns - job_done_ns(s, l) < l->least_left_ns;
}

int livelock_check(struct sched *s, struct error *err)
{
    uint64_t most = s->setup.fruitless_most ? s->setup.fruitless_most : FRUITLESS_MOST;
    if (++s->livelock->fruitless_passes <= most + FRUITLESS_PER_JOB * (uint64_t)s->ledger.in_system)
        return 0;
    for (job_id j = 0; j < s->n_jobs; j++)
        if (s->job[j].state == JOB_RUNNING && advances(s, live_of(s, j))) {
            livelock_advanced(s);
            return 0;
        }
    return error_set(err,
                     "policy %s is in a livelock at %.9g s: since %.9g s its passes have started and stopped jobs %llu times, and "
                     "none has come further than before: jobs lose at a stop (preemption: checkpoint, interval_s, restart_s) all "
                     "that they do until the next, or gangs are given up before they are complete",
                     s->force->policy->name, seconds(s->now_ns), seconds(s->livelock->advanced_ns),
                     (unsigned long long)s->livelock->fruitless_passes);
}
