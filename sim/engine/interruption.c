/* interruption.c - see interruption.h. */
#include "sim/engine/interruption.h"
#include "sim/accounting/books.h"
#include "sim/engine/intervals.h"
#include "sim/engine/leaving.h"
#include "sim/engine/models.h"
#include "sim/engine/nodes.h"
#include "sim/engine/notices.h"
#include "sim/engine/pace.h"
#include "sim/engine/state.h"
#include "sim/engine/tasks.h"
#include "sim/scheduler/placements.h"
#include "sim/scheduler/suspend.h"
#include "sim/scheduler/timeline.h"

#include <stdlib.h>

const char *const interruption_cause_name[INTERRUPTION_CAUSES] = {
    "gpu", "stress", "unknown", "cable", "fan", "nic", "power", "task", "other", "switch", "software", "network",
    "host", "slow", "maintenance", "drain", "reclaim",
    "reservation",
};

static bool hits(const struct interruption *by, const struct placement *p)
{
    for (size_t i = 0; p && i < p->n; i++)
        if (p->piece[i].node >= by->first && p->piece[i].node < by->end &&
            (!by->gpus || (p->piece[i].gpu_mask & by->gpus)))
            return true;
    return false;
}

static const char *left_as(unsigned cause)
{
    return cause < FAULT_CAUSES         ? "fault"
           : cause == CAUSE_RECLAIM     ? "reclaimed"
           : cause == CAUSE_RESERVATION ? "reservation"
                                        : "maintenance";
}

void interrupt_job(struct sched *s, struct live *l, const struct interruption *by)
{
    job_id j = l->job;
    bool fault = by->cause < FAULT_CAUSES;
    struct placement *p = l->now.held;
    l->stop_done_ns = job_done_ns(s, l);
    bool in_time = by->cause != CAUSE_RECLAIM || pace_stop(s, l, STOP_SAVE, l->stop_done_ns).stay_ns <= by->detection_ns;
    l->now.stop_mode = fault || !in_time ? STOP_RESTART : STOP_SAVE;
    l->now.stopped_for = ID_NONE;
    l->given_up = fault && models_give_up(s, l);
    l->given_up = l->given_up || !job_requeues(s, l);
    struct stop_overhead overhead = pace_stop(s, l, l->now.stop_mode, l->stop_done_ns);
    bool at_risk = models_save_at_risk(s, l);
    if (at_risk)
        overhead = (struct stop_overhead){ job_overhead(s, j)->grace_ns, 0 };
    if (at_risk && by->cause == CAUSE_RECLAIM && overhead.stay_ns > by->detection_ns)
        overhead.stay_ns = by->detection_ns;
    if (fault)
        overhead.stay_ns = by->detection_ns;
    timeline_stopped(s, l, overhead.stay_ns);
    l->now.held = NULL;
    if (!overhead.stay_ns)
        placement_give(s->idle, ask_of(s, j), p);
    if (s->releasing)
        placement_give(s->releasing, ask_of(s, j), p);
    books_given_up(s, l, p);
    state_set(s, j, JOB_RELEASING);
    models_interrupted(s, l, by->cause);
    job_halt(s, l, p);
    job_loses(s, l, l->stop_done_ns, overhead.lost_ns);
    books_lost(s, j, LOST_BY(by->cause), p, l->split[ACCOUNT_LOST]);
    l->split[fault ? ACCOUNT_FAULT : ACCOUNT_SAVE] += overhead.stay_ns;
    l->leave_why = left_as(by->cause);
    decision_log(s, j, "stop", l->leave_why, interruption_cause_name[by->cause]);
    notice_add(s, NOTICE_STOPPED, j, l->given_up ? STOPPED_FAILED : STOPPED_BY_FAULT);
    job_departs(s, l, p, &overhead, at_risk, LOST_BY(by->cause), false);
}

/* What it was still saving is lost: back to the last durable checkpoint. */
static void interrupt_leaving(struct sched *s, struct live *l, const struct interruption *by)
{
    if (l->now.stop_mode != STOP_SAVE)
        return;
    l->now.stop_mode = STOP_RESTART;
    models_save_fails(s, l);
    if (!l->unsaved_ns)
        return;
    job_loses_wall(l, l->unsaved_ns, l->unsaved_wall_ns);
    books_lost(s, l->job, LOST_BY(by->cause), l->leaving, l->split[ACCOUNT_LOST]);
}

static void parts_save_no_more(struct sched *s, struct live *l, const struct interruption *by)
{
    for (struct part *part = l->part; part; part = part->next)
        if (hits(by, part->p))
            part_save_fails(s, l, part, LOST_BY(by->cause));
}

static void interrupt_claim(struct sched *s, struct live *l)
{
    claim_give_back(s, l);
    if (s->job[l->job].state == JOB_PENDING)
        notice_add(s, NOTICE_ARRIVED, l->job, 0);
}

static void interrupt_gathering(struct sched *s, struct live *l)
{
    tasks_scatter(s, l);
    decision_log(s, l->job, "stop", "fault", "");
    notice_add(s, NOTICE_STOPPED, l->job, STOPPED_BY_FAULT);
    notice_add(s, NOTICE_ARRIVED, l->job, 0);
}

static void interrupt_one(struct sched *s, struct live *l, const struct interruption *by)
{
    enum job_state state = s->job[l->job].state;
    if (by->cause < FAULT_CAUSES && hits(by, l->leaving))
        interrupt_leaving(s, l, by);
    if (by->cause < FAULT_CAUSES)
        parts_save_no_more(s, l, by);
    if ((by->cause < FAULT_CAUSES || by->cause == CAUSE_RECLAIM) && hits(by, l->suspended)) {
        memory_give(s->idle, ask_of(s, l->job), l->suspended);
        if (s->releasing)
            memory_give(s->releasing, ask_of(s, l->job), l->suspended);
        models_interrupted(s, l, by->cause);
        suspend_dropped(s, l, LOST_BY(by->cause), interruption_cause_name[by->cause]);
    }
    if (!hits(by, l->now.held))
        return;
    if (state == JOB_CLAIMED)
        interrupt_claim(s, l);
    else if (by->cause == CAUSE_DRAIN)
        return;
    else if (state == JOB_GATHERING)
        interrupt_gathering(s, l);
    else
        interrupt_job(s, l, by);
}

static int by_number(const void *a, const void *b)
{
    job_id x = *(const job_id *)a, y = *(const job_id *)b;
    return (x > y) - (x < y);
}

static bool hits_part(const struct interruption *by, const struct live *l)
{
    const struct part *part = l->part;
    while (part && !hits(by, part->p))
        part = part->next;
    return part;
}

typedef void interrupting(struct sched *s, struct live *l, const struct interruption *by);
static void interrupt_by(struct sched *s, const struct interruption *by, interrupted_kind *takes,
                         const void *of, interrupting *one)
{
    job_id *hit = mem_new(s->n_live + 1, sizeof *hit);
    size_t n = 0;
    for (uint32_t i = 0; i < s->n_live; i++) {
        const struct live *l = &s->live[i];
        if (job_slot(s, l->job) == i && (!takes || takes(s, l->job, of)) &&
            (hits(by, l->now.held) || hits(by, l->leaving) || hits(by, l->suspended) ||
             hits_part(by, l)))
            hit[n++] = l->job;
    }
    qsort(hit, n, sizeof *hit, by_number);
    for (size_t i = 0; i < n; i++)
        one(s, live_of(s, hit[i]), by);
    free(hit);
    claims_settle(s);
}

void interrupt_some(struct sched *s, const struct interruption *by, interrupted_kind *takes,
                    const void *of)
{
    interrupt_by(s, by, takes, of, interrupt_one);
}

static void interrupt_parts(struct sched *s, struct live *l, const struct interruption *by)
{
    for (struct part *part = l->part, *next; part; part = next) {
        next = part->next;
        if (hits(by, part->p))
            part_leaves_now(s, l, part);
    }
}

static void interrupt_last(struct sched *s, struct live *l, const struct interruption *by)
{
    parts_save_no_more(s, l, by);
    interrupt_parts(s, l, by);
    if (!hits(by, l->leaving))
        return;
    interrupt_leaving(s, l, by);
    job_leaves_now(s, l);
}

void interrupt_gone(struct sched *s, const struct interruption *by)
{
    interrupt_by(s, by, NULL, NULL, interrupt_last);
}

void interrupt_nodes(struct sched *s, const struct interruption *by)
{
    interrupt_some(s, by, NULL, NULL);
}
