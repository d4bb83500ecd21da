/* livelock.c - jobs that are stopped over and over, and none gets on: such a run would never end.
 *
 * A job gets on when it arrives, starts for the first time, goes, or has less work left than ever before (in the part
 * that a stop may cost, too). A run is in a livelock after FRUITLESS_MOST passes and FRUITLESS_PER_JOB more for every
 * job in the system, each of which started or stopped something, without any job getting on or running through them
 * all. So whoever makes progress at any pace goes on for as long as it takes, and so does a policy that only waits. */
#include "sim/engine/livelock.h"
#include "sim/engine/state.h"

enum { FRUITLESS_MOST = 20000, FRUITLESS_PER_JOB = 100 };

struct livelock {
    int64_t got_on_ns;            /* when a job last did */
    uint64_t fruitless_passes;    /* since then, of those that started or stopped something */
};

void livelock_begin(struct sched *s)
{
    s->livelock = arena_alloc(s->memory, sizeof *s->livelock);
}

void livelock_got_on(struct sched *s)
{
    s->livelock->fruitless_passes = 0;
    s->livelock->got_on_ns = s->now_ns;
}

void livelock_settled(struct sched *s, struct live *l)
{
    if (l->progress.left_ns >= l->least_left_ns)
        return;
    l->least_left_ns = l->progress.left_ns;
    livelock_got_on(s);
}

static bool gets_on(const struct sched *s, const struct live *l)
{
    return l->last_start_ns <= s->livelock->got_on_ns || l->begin_left_ns - job_done_ns(s, l) < l->least_left_ns;
}

int livelock_check(struct sched *s, struct error *err)
{
    uint64_t most = s->setup.fruitless_most ? s->setup.fruitless_most : FRUITLESS_MOST;
    if (++s->livelock->fruitless_passes <= most + FRUITLESS_PER_JOB * (uint64_t)s->ledger.in_system)
        return 0;
    for (job_id j = 0; j < s->n_jobs; j++)
        if (s->job[j].state == JOB_RUNNING && gets_on(s, live_of(s, j))) {
            livelock_got_on(s);
            return 0;
        }
    return error_set(err,
                     "policy %s is in a livelock at %.9g s: since %.9g s its passes have started and stopped jobs %llu times, and "
                     "none has come further than before: jobs lose at a stop (preemption: checkpoint, interval_s, restart_s) all "
                     "that they do until the next, or gangs are given up before they are complete",
                     s->force->policy->name, seconds(s->now_ns), seconds(s->livelock->got_on_ns),
                     (unsigned long long)s->livelock->fruitless_passes);
}
