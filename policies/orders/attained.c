/* attained.c - accounts of service, and moving from stage to stage. See attained.h. */
#include "policies/orders/attained.h"

#include <math.h>

static struct account *account_of(struct sched *s, job_id j)
{
    return job_own(s, j);
}

static double rate(struct sched *s, const struct attained *a, job_id j, struct account *of)
{
    if (of->rate == 0)
        of->rate = a->by_gpus ? (double)job_size(s, j).gpu_milli / MILLI_ALL : 1;
    return of->rate;
}

double attained_service(struct sched *s, const struct attained *a, job_id j)
{
    struct account *of = account_of(s, j);
    int64_t had_ns = of->had_ns + (of->since_ns < 0 ? 0 : sched_now(s) - of->since_ns);
    return (double)had_ns * 1e-9 * rate(s, a, j, of);
}

int64_t attained_after_ns(struct sched *s, const struct attained *a, job_id j, double more)
{
    double after_ns = more * 1e9 / rate(s, a, j, account_of(s, j));
    return after_ns < 4e18 ? sched_now(s) + (int64_t)after_ns : TIME_NEVER;
}

struct line_key attained_key(struct sched *s, job_id j, const void *params)
{
    (void)params;
    return account_of(s, j)->key;
}

static int64_t moment_ns(struct sched *s, const struct attained *a, job_id j, struct account *of)
{
    double after_ns =
        of->since_ns < 0
            ? a->promote > 0 && of->stage > 0 ? ceil(a->promote * (double)of->had_ns) : INFINITY
            : ceil(a->rule->stage_end(a, of->stage) * 1e9 / rate(s, a, j, of));
    int64_t from_ns = of->since_ns >= 0 ? of->since_ns - of->had_ns
                      : a->by_lists     ? of->last_ran_ns - of->waited_ns
                                        : of->last_ran_ns;
    return after_ns < 4e18 ? from_ns + (int64_t)after_ns : TIME_NEVER;
}

int64_t attained_moment_ns(struct sched *s, const struct attained *a, job_id j)
{
    return moment_ns(s, a, j, account_of(s, j));
}

static void set_timer_and_key(struct sched *s, struct attained *a, job_id j, struct account *of)
{
    int64_t at_ns = moment_ns(s, a, j, of);
    if (at_ns < TIME_NEVER)
        timer_set(s, &a->timers, j, at_ns);
    else
        timer_drop(s, &a->timers, j);
    of->key = a->rule->key(s, a, j, of);
}

void attained_begin(struct sched *s, struct attained *a, const struct attained_rule *rule,
                    const void *params)
{
    a->rule = rule;
    timers_begin(&a->timers);
    queueing_begin(s, &a->queueing, &rule->discipline, params);
}

static void arm(struct sched *s, struct attained *a)
{
    if (a->waits && !a->by_lists)
        timers_arm(s, &a->timers);
}

void attained_arrived(struct sched *s, struct attained *a, job_id j)
{
    struct account *of = account_of(s, j);
    if (!of->known)
        *of = (struct account){
            .known = true, .since_ns = -1, .last_ran_ns = sched_now(s), .entered_ns = sched_now(s)
        };
    else
        a->waits = true;
    set_timer_and_key(s, a, j, of);
    queueing_arrived(s, &a->queueing, j);
    arm(s, a);
}

void attained_started(struct sched *s, struct attained *a, job_id j)
{
    struct account *of = account_of(s, j);
    of->since_ns = sched_now(s);
    of->waited_ns += of->had_ns > 0 ? sched_now(s) - of->last_ran_ns : 0;
    set_timer_and_key(s, a, j, of);
    queueing_started(s, &a->queueing, j);
    arm(s, a);
}

void attained_stopped(struct sched *s, struct attained *a, job_id j)
{
    struct account *of = account_of(s, j);
    of->had_ns += sched_now(s) - of->since_ns;
    of->since_ns = -1;
    of->last_ran_ns = sched_now(s);
    timer_drop(s, &a->timers, j);
    queueing_stopped(s, &a->queueing, j);
}

void attained_place(struct sched *s, struct attained *a, job_id j, uint32_t stage)
{
    struct account *of = account_of(s, j);
    const struct line_key before = of->key;
    of->stage = stage;
    set_timer_and_key(s, a, j, of);
    if (of->since_ns >= 0 && job_state(s, j) == JOB_RUNNING && line_key_before(before, j, of->key, j))
        queueing_fell(s, &a->queueing, j);
    else
        queueing_moved(s, &a->queueing, j);
}

/* Prefetch. What is kept of the jobs that move next was last read when they moved, and is in no near
 * cache. */
static void fetch_next(struct sched *s, const struct attained *a)
{
    const struct timer *next = a->timers.heap;
    size_t n = a->timers.n_near;
    for (size_t i = 1; i < 3 && i < n; i++)
        job_fetch_rows(s, next[i].job);
    if (n)
        __builtin_prefetch(account_of(s, next->job));
}

void attained_schedule(struct sched *s, struct attained *a)
{
    job_id j;
    for (int64_t time_ns; timer_due(s, &a->timers, &j, &time_ns);) {
        struct account *of = account_of(s, j);
        of->entered_ns = time_ns;
        if (of->since_ns < 0)
            of->had_ns = 0;
        attained_place(s, a, j, of->since_ns < 0 ? 0 : of->stage + 1);
    }
    fetch_next(s, a);
    a->waits = queueing_serve(s, &a->queueing);
    arm(s, a);
}
