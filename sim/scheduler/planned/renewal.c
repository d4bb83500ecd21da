/* renewal.c - promises that stay, or move, as totals or gaps alone say: what plans_renew() does. See timeline.h. */
#include "sim/contract/util/minmax.h"
#include "sim/engine/on_demand.h"
#include "sim/scheduler/placing.h"
#include "sim/scheduler/stage.h"
#include "sim/scheduler/timeline.h"

#include <string.h>

void plan_note(const struct sched *s, struct hold *plan)
{
    const struct request *r = ask_of(s, plan->job);
    const struct shape_kinds *kinds = &s->placing->kinds[r->shape];
    if (kinds->n != 1 || s->workload->shape[r->shape].limited != ID_NONE || s->cluster->n_flavors || s->predicted_rates ||
        on_demand(s, plan->job) || has_started(s, plan->job) || live_of(s, plan->job)->suspended || plan->end_ns == TIME_NEVER)
        return;
    plan->fixed = true;
    plan->kind_of_all = kinds->kind[0];
    if (!placing_by_totals(s, r))
        return;
    plan->need_milli = request_gpu_milli(r);
    plan->steady = true;
    plan->place = sooner_enter(sooner_of(s, plan->kind_of_all), s->timeline->kind_taken[plan->kind_of_all], plan->start_ns);
}

/* What plans of one kind have in common. */
struct renewal {
    uint32_t kind;
    bool within;                  /* holds take no more than there is: none is in the way of another */
    struct profile *taken;
    struct sooner *sooner;        /* there is one where a plan is steady */
    int64_t all_milli, idle_milli;
    struct gaps_mark gaps;        /* of its GPUs, if they have any */
};

static struct renewal renewal_of(const struct sched *s, uint32_t kind)
{
    const struct timeline *t = s->timeline;
    int64_t all_milli = kind_gpus_milli(s->cluster, kind);
    struct renewal of = { kind, profile_within(t->kind_taken[kind], all_milli), t->kind_taken[kind], t->sooner[kind], all_milli,
                          s->idle->kind[kind].whole * MILLI_ALL, { 0, 0 } };
    if (t->gaps && t->gaps[kind])
        of.gaps = gaps_mark(t->gaps[kind]);
    return of;
}

/* false: that is not known without a question. */
static bool renewed_by_totals(struct sched *s, struct hold *plan, const struct renewal *of)
{
    if (!of->within && !none_in_the_way(s, plan, of->kind))
        return false;
    struct sooner_ask ask = { plan->need_milli, plan->end_ns - plan->start_ns, plan->start_ns, plan->place };
    int64_t start_ns = sooner_start(of->sooner, of->taken, of->all_milli, &ask, s->now_ns);
    if (start_ns < plan->start_ns) {
        if (start_ns <= s->now_ns || s->timeline->drew || s->stage->marked)
            return false;
        plan_advance(s, plan, start_ns);
        promise_told(s, plan->job, start_ns);
    }
    enum wait_reason why = of->idle_milli >= plan->need_milli ? WAIT_RESERVED : WAIT_GPUS;
    if (plan->why != why)
        sched_blocked(s, plan->job, why);
    return true;
}

/* Why jobs of a shape wait though they have a promise, of the shapes asked last. */
enum { REASONS = 16 };
struct reasons { shape_id shape[REASONS]; uint8_t why[REASONS]; };

static enum wait_reason reason_of(struct sched *s, struct reasons *known, job_id j)
{
    shape_id shape = ask_of(s, j)->shape, at = shape % REASONS;
    if (known->shape[at] != shape) {
        struct request r = job_request(s, j);
        known->shape[at] = shape;
        known->why[at] = (uint8_t)(sched_fits(s, s->idle, &r) ? WAIT_RESERVED : sched_why_not(s));
    }
    return known->why[at];
}

static bool renewed_by_gaps(struct sched *s, struct hold *plan, const struct renewal *of, struct reasons *known)
{
    const struct still *still = &plan->still;
    bool same = still->done && still->outs == s->timeline->outs && still->mark.changes == of->gaps.changes &&
                still->mark.overlaps == of->gaps.overlaps;
    if (!same && plan_news(s, plan, s->now_ns) != PLAN_STAYS)
        return false;
    enum wait_reason why = reason_of(s, known, plan->job);
    if (plan->why != why)
        sched_blocked(s, plan->job, why);
    return true;
}

/* So that it is near when its turn comes. */
static void plan_fetch(const struct timeline *t, job_id j)
{
    if (t->plan_at[j] == ORDERED_NONE)
        return;
    const char *plan = (const char *)&t->hold[t->plan_at[j]];
    __builtin_prefetch(plan);
    __builtin_prefetch(plan + offsetof(struct hold, steady));
}

size_t plans_renew(struct sched *s, const job_id *jobs, size_t n, int64_t *due_ns)
{
    enum { AHEAD = 4 };
    struct renewal of = { .kind = ID_NONE };
    struct reasons known;
    memset(known.shape, 0xff, sizeof known.shape);               /* ID_NONE */
    size_t i = 0;
    for (; i < n; i++) {
        struct hold *plan = plan_of(s, jobs[i]);
        if (!plan || !plan->fixed || plan->start_ns <= s->now_ns)
            break;
        if (plan->kind_of_all != of.kind)
            of = renewal_of(s, plan->kind_of_all);
        if (!(plan->steady ? renewed_by_totals(s, plan, &of) : renewed_by_gaps(s, plan, &of, &known)))
            break;
        *due_ns = min_i64(*due_ns, plan->start_ns);
        if (i + AHEAD < n)
            plan_fetch(s->timeline, jobs[i + AHEAD]);
    }
    return i;
}
