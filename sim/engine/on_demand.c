/* on_demand.c - see on_demand.h. */
#include "sim/engine/on_demand.h"
#include "sim/accounting/books.h"
#include "sim/engine/jobs.h"
#include "sim/engine/leaving.h"
#include "sim/engine/notices.h"
#include "sim/engine/tasks.h"
#include "sim/scheduler/suspend.h"
#include "sim/scheduler/waiting.h"

#include <stdlib.h>
#include <string.h>

/* One that depends on others comes after them, whatever its time. */
static int64_t first_ns(const struct workload *w)
{
    for (job_id j = w->n_jobs; j < workload_all(w); j++)
        if (!w->depends_first || w->depends_first[j] == w->depends_first[j + 1])
            return w->facts[j].submit_ns;
    return TIME_NEVER;
}

/* The submission times of jobs on demand are the run's own. */
int64_t on_demand_begin(struct sched *s)
{
    const struct workload *w = s->setup.workload;
    int64_t begin_ns = w->facts[0].submit_ns;
    if (!w->n_on_demand)
        return begin_ns;
    if (first_ns(w) < begin_ns)
        begin_ns = first_ns(w);
    s->workload = arena_alloc(s->memory, sizeof *s->workload);
    *s->workload = *w;
    s->workload->facts = bulk_resize(NULL, s->n_jobs, sizeof *w->facts, workload_resident(w, sizeof *w->facts));
    memcpy(s->workload->facts, w->facts, s->n_jobs * sizeof *w->facts);
    bulk_filled(s->workload->facts);
    s->on_demand = mem_new(w->n_on_demand, sizeof *s->on_demand);
    for (uint32_t i = 0; i < w->n_on_demand; i++)
        s->on_demand[i].first_ns = -1;
    return begin_ns;
}

void on_demand_end(struct sched *s)
{
    if (s->on_demand)
        bulk_free(s->workload->facts);
    free(s->on_demand);
}

/* ---- Coming ---- */

static void comes_again(struct sched *s, job_id j)
{
    struct job_run *run = &s->job[j];
    uint32_t *const count[] = { [OUTCOME_COMPLETED] = &s->totals.completed, [OUTCOME_FAILED] = &s->totals.failed,
                                [OUTCOME_CANCELLED] = &s->totals.cancelled, [OUTCOME_REJECTED] = &s->totals.rejected };
    --*count[run->outcome];
    on_demand_lives(s, j)->absent_ns += s->now_ns - run->end_ns;
    run->outcome = OUTCOME_OPEN;
    run->end_ns = -1;
}

void on_demand_submit(struct sched *s, job_id j)
{
    MUST(s, on_demand(s, j) && !live_of(s, j) && (s->job[j].state == JOB_ABSENT || s->job[j].state == JOB_GONE));
    if (s->job[j].state == JOB_GONE)
        comes_again(s, j);
    else
        on_demand_lives(s, j)->first_ns = s->now_ns;
    s->workload->facts[j].submit_ns = s->now_ns;
    job_arrive(s, j);
}

bool on_demand_is_there(const struct sched *s, job_id j)
{
    const struct live *l = live_of(s, j);
    return l && !l->withdrawn && s->job[j].state != JOB_GONE;
}

/* ---- Going ---- */

void on_demand_withdraw(struct sched *s, job_id j, enum job_fate fate, const char *why)
{
    struct live *l = live_of(s, j);
    MUST(s, !s->in_pass && on_demand_is_there(s, j));
    run_changed(s);
    decision_log(s, j, "withdraw", why, "");
    if (s->job[j].state == JOB_RUNNING) {
        job_finishes(s, j, fate, why);
        return;
    }
    l->withdrawn = true;
    l->withdrawn_as = (uint8_t)fate;
    if (s->job[j].state == JOB_CLAIMED) {
        claim_give_back(s, l);
        claims_settle(s);
    } else if (s->job[j].state == JOB_GATHERING) {
        tasks_scatter(s, l);
        notice_add(s, NOTICE_STOPPED, j, STOPPED_BY_FAULT);
    }
    if (s->job[j].state == JOB_PENDING && l->part)
        state_set(s, j, JOB_RELEASING);
    else if (s->job[j].state == JOB_PENDING)
        on_demand_is_over(s, l);
}
