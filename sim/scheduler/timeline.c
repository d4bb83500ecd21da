/* timeline.c - see timeline.h. */
#include "sim/scheduler/timeline.h"
#include "sim/capacity/placement_form.h"
#include "sim/contract/util/minmax.h"
#include "sim/engine/models.h"
#include "sim/engine/on_demand.h"
#include "sim/engine/state.h"
#include "sim/scheduler/placements.h"
#include "sim/scheduler/placing.h"
#include "sim/scheduler/closed/reserved.h"
#include "sim/scheduler/sizes.h"
#include "sim/scheduler/stage.h"

#include <math.h>

/* ---- Holds come and go ---- */

/* Of a piece that is not out of service: that is taken already. */
static int64_t milli_in_service(const struct timeline *t, const struct piece *p)
{
    const struct node_out *out = &t->out[p->node];
    if (out->whole)
        return 0;
    return (int64_t)(p->gpu_mask & out->gpus ? (uint32_t)__builtin_popcountll(p->gpu_mask & ~out->gpus) : p->gpus) * p->milli;
}

static void profiles_change(struct sched *s, const struct placement *placement, int64_t from_ns, int64_t until_ns, int64_t sign)
{
    struct timeline *t = s->timeline;
    struct profile *last = NULL;
    int64_t sum = 0;                                  /* of the last kind: mostly all pieces are of one */
    for (size_t i = 0; from_ns < until_ns && i < placement->n; i++) {
        const struct piece *p = &placement->piece[i];
        int64_t milli = milli_in_service(t, p);
        struct profile *kind = t->kind_taken[cluster_piece_kind(s->cluster, p)], *node = t->taken[p->node];
        if (last && last != kind)
            profile_add(last, from_ns, until_ns, sign * sum);
        sum = last == kind ? sum + milli : milli;
        last = kind;
        if (node && node != kind)
            profile_add(node, from_ns, until_ns, sign * milli);
    }
    if (last)
        profile_add(last, from_ns, until_ns, sign * sum);
}

int64_t hold_from_ns(const struct hold *h)
{
    return h->kind == HOLD_PLAN ? h->start_ns : INT64_MIN;
}

void hold_show(struct sched *s, struct hold *h, bool shown)
{
    struct timeline *t = s->timeline;
    h->shown = shown;
    t->version++;
    profiles_change(s, h->p, hold_from_ns(h), h->end_ns, shown ? 1 : -1);
    gaps_change(s, h->p, hold_from_ns(h), h->end_ns, shown ? 1 : -1);
    windows_change(s, h, shown);
}

static bool is_summed(const struct sched *s, job_id j, const struct placement *p)
{
    const struct request *ask = ask_of(s, j);
    for (size_t i = 0; i < p->n && !s->timeline->by_gaps; i++) {
        const struct node_type *type = cluster_node_type(s->cluster, p->piece[i].node);
        const struct request *run = request_of_piece(ask, &p->piece[i]);
        if (!type->counted || (run->cpu_milli && type->cpu_milli != INT64_MAX) ||
            (run->mem_mib && type->mem_mib != INT64_MAX))
            return true;
    }
    return false;
}

static uint32_t *hold_slot(struct sched *s, job_id j, enum hold_kind kind)
{
    return kind == HOLD_PLAN ? &s->timeline->plan_at[j] : &live_of(s, j)->hold[kind];
}

static uint32_t hold_item(struct timeline *t)
{
    uint32_t i = t->free;
    if (i != ORDERED_NONE) {
        t->free = t->hold[i].link.up;
        return i;
    }
    mem_grow(&t->hold, &t->capacity, t->n, sizeof *t->hold);
    mem_grow(&t->end, &t->end_capacity, t->n, sizeof *t->end);
    return (uint32_t)t->n++;
}

static void plans_enter(struct timeline *t, uint32_t i)
{
    int64_t start_ns = t->hold[i].start_ns;
    mem_grow(&t->plan, &t->plan_capacity, t->n_plans, sizeof *t->plan);
    t->hold[i].plan = (uint32_t)t->n_plans;
    t->plan[t->n_plans++] = (struct plan){ start_ns, i };
    if (start_ns > t->due.after_ns)
        t->due.first_ns = min_i64(t->due.first_ns, start_ns);
}

static void plans_leave(struct timeline *t, uint32_t i)
{
    struct plan last = t->plan[--t->n_plans];
    t->plan[t->hold[i].plan] = last;
    t->hold[last.hold].plan = t->hold[i].plan;
    t->due.known &= t->due.first_ns != t->hold[i].start_ns;
}

static void end_enter(struct timeline *t, uint32_t i)
{
    struct ordered_space ends = holds_by_end(t);
    t->hold[i].by_end = true;
    ordered_add(&t->by_end[t->hold[i].summed], &ends, i, t->hold[i].job);
}

/* What goes or moves before anything asks for the order of ends is never put there. */
void hold_end_waits(struct timeline *t, uint32_t i)
{
    mem_grow(&t->unordered, &t->unordered_capacity, t->n_unordered, sizeof *t->unordered);
    t->hold[i].by_end = false;
    t->hold[i].unordered = (uint32_t)t->n_unordered;
    t->unordered[t->n_unordered++] = i;
}

static void end_leave(struct timeline *t, uint32_t i)
{
    struct ordered_space ends = holds_by_end(t);
    struct hold *h = &t->hold[i];
    if (h->by_end) {
        ordered_remove(&t->by_end[h->summed], &ends, i);
    } else {
        uint32_t last = t->unordered[--t->n_unordered];
        t->unordered[h->unordered] = last;
        t->hold[last].unordered = h->unordered;
    }
}

static void ends_complete(struct timeline *t)
{
    while (t->n_unordered)
        end_enter(t, t->unordered[--t->n_unordered]);
}

static struct hold *hold_enter(struct sched *s, job_id j, enum hold_kind kind, int64_t start_ns, int64_t end_ns, struct placement *p)
{
    struct timeline *t = s->timeline;
    uint32_t i = hold_item(t);
    t->hold[i] = (struct hold){
        .start_ns = start_ns, .end_ns = end_ns, .job = j, .kind = (uint8_t)kind, .p = p, .born = s->totals.passes,
        .summed = is_summed(s, j, p), .why = live_of(s, j)->own_why,
    };
    struct ordered_space starts = holds_by_start(t);
    if (t->hold[i].summed)
        ordered_add(&t->by_start, &starts, i, j);
    (t->hold[i].summed ? end_enter : hold_end_waits)(t, i);
    if (!t->hold[i].summed && kind != HOLD_PLAN)
        ends_add(&t->ends, (struct end){ end_ns, i });
    if (kind == HOLD_PLAN)
        plans_enter(t, i);
    *hold_slot(s, j, kind) = i;
    t->changes++;
    struct undo *u = undo_add(s, UNDO_HOLD_ADD, j);
    if (u)
        u->mode = (uint8_t)kind;
    return &t->hold[i];
}

void hold_add(struct sched *s, job_id j, enum hold_kind kind, int64_t start_ns, int64_t end_ns, struct placement *p)
{
    hold_show(s, hold_enter(s, j, kind, start_ns, end_ns, p), true);
}

/* There is one. It is shown no more, or what takes its place is. */
static void hold_leave(struct sched *s, job_id j, enum hold_kind kind)
{
    struct timeline *t = s->timeline;
    uint32_t *slot = hold_slot(s, j, kind), i = *slot;
    struct undo *u = undo_add(s, UNDO_HOLD_DROP, j);
    if (u) {
        u->mode = (uint8_t)kind;
        u->u.hold.start_ns = t->hold[i].start_ns;
        u->u.hold.end_ns = t->hold[i].end_ns;
        u->u.hold.p = t->hold[i].p;
    }
    struct ordered_space starts = holds_by_start(t);
    if (t->hold[i].summed)
        ordered_remove(&t->by_start, &starts, i);
    end_leave(t, i);
    if (t->hold[i].place)
        sooner_leave(t->sooner[t->hold[i].kind_of_all], t->kind_taken[t->hold[i].kind_of_all], t->hold[i].start_ns, t->hold[i].place);
    if (kind == HOLD_PLAN)
        plans_leave(t, i);
    t->ends.gone += kind != HOLD_PLAN && !t->hold[i].summed;
    t->hold[i].p = NULL;
    t->hold[i].link.up = t->free;
    t->free = i;
    t->freed += kind != HOLD_PLAN;
    t->changes++;
    *slot = ORDERED_NONE;
}

/* What it held is held on. */
static void hold_hand_over(struct sched *s, job_id j, enum hold_kind kind)
{
    uint32_t i = *hold_slot(s, j, kind);
    if (i == ORDERED_NONE)
        return;
    if (s->timeline->hold[i].shown)
        hold_show(s, &s->timeline->hold[i], false);
    hold_leave(s, j, kind);
}

/* A hold, which becomes one of that kind from that start on, goes on in its place, no shorter than before: nothing comes free. */
static void hold_goes_on(struct sched *s, job_id j, enum hold_kind was_kind, enum hold_kind kind, int64_t start_ns, int64_t end_ns,
                         struct placement *p)
{
    struct timeline *t = s->timeline;
    struct hold was = t->hold[*hold_slot(s, j, was_kind)];
    hold_leave(s, j, was_kind);
    struct hold *h = hold_enter(s, j, kind, start_ns, end_ns, p);
    h->shown = true;
    t->version++;
    int64_t from_ns = hold_from_ns(&was);
    profiles_change(s, p, INT64_MIN, from_ns, 1);
    profiles_change(s, p, was.end_ns, end_ns, 1);
    gaps_change(s, p, INT64_MIN, from_ns, 1);
    gaps_change(s, p, was.end_ns, end_ns, 1);
    windows_lengthen(s, &was, h);
}

/* Nothing but later holds is in [from_ns, until_ns) any more of what h, or NULL of all that there is, held. */
static void room_from(struct sched *s, const struct hold *h, int64_t from_ns, int64_t until_ns)
{
    struct timeline *t = s->timeline;
    for (uint32_t k = 0; !h && k < s->cluster->n_kinds; k++)
        if (t->sooner[k])
            sooner_freed(t->sooner[k], from_ns, until_ns);
    for (size_t i = 0; h && i < h->p->n; i++) {
        struct sooner *sooner = t->sooner[cluster_piece_kind(s->cluster, &h->p->piece[i])];
        if (sooner)
            sooner_freed(sooner, from_ns, until_ns);
    }
}

void hold_drop(struct sched *s, job_id j, enum hold_kind kind)
{
    uint32_t i = *hold_slot(s, j, kind);
    if (i == ORDERED_NONE)
        return;
    const struct hold *h = &s->timeline->hold[i];
    if (h->end_ns > s->now_ns)
        room_from(s, h, kind == HOLD_PLAN ? h->start_ns : INT64_MIN, h->end_ns);
    hold_hand_over(s, j, kind);
}

/* ---- Times ---- */

int64_t timeline_next_end_ns(struct timeline *t, int64_t after_ns)
{
    struct ordered_space ends = holds_by_end(t);
    ends_complete(t);
    int64_t next_ns = TIME_NEVER;
    for (unsigned summed = 0; summed < 2; summed++) {
        uint32_t i = ordered_search(&t->by_end[summed], &ends, hold_ends_by, &after_ns);
        if (i != ORDERED_NONE && !t->hold[i].shown)
            i = ordered_next(&ends, i);
        if (i != ORDERED_NONE && t->hold[i].end_ns < next_ns)
            next_ns = t->hold[i].end_ns;
    }
    const struct cluster *c = t->window[0].v->cluster;
    next_ns = min_i64(next_ns, reserved_next_end_ns(c, t->pass_ns, after_ns));
    return min_i64(next_ns, t->window[0].blocks ? outages_next_end_ns(c, t->pass_ns, after_ns) : TIME_NEVER);
}

int64_t timeline_length_ns(const struct sched *s, job_id j)
{
    int64_t estimate = job_estimate_ns(s, j);
    const struct live *l = live_of(s, j);
    double rate = l && l->now.held ? tasks_rate(s, l) : 1;
    if (estimate != TIME_NEVER && rate < 1)
        estimate = (int64_t)ceil((double)estimate / rate);
    int64_t wake_ns = l && l->now.held && !l->event ? models_wake_ns(s, l->now.held) : 0;
    int64_t length = estimate == TIME_NEVER ? TIME_NEVER : wake_ns + job_start_cost_ns(s, j) + estimate;
    return length > 0 ? length : 1;       /* a job of no length still needs its GPUs at one instant */
}

struct hold *plan_of(const struct sched *s, job_id j)
{
    uint32_t i = s->timeline ? s->timeline->plan_at[j] : ORDERED_NONE;
    return i == ORDERED_NONE ? NULL : &s->timeline->hold[i];
}

static void plan_stage(struct sched *s, const struct hold *plan)
{
    if (plan->born != s->totals.passes)               /* else it is among those staged in this pass */
        placement_stage(s, plan->job, plan->p);
}

void plan_drop(struct sched *s, job_id j)
{
    const struct hold *plan = plan_of(s, j);
    if (!plan)
        return;
    plan_stage(s, plan);
    hold_drop(s, j, HOLD_PLAN);
}

/* Where it was before, only what it holds no more has come free. */
void plan_move(struct sched *s, job_id j, int64_t start_ns, int64_t end_ns, struct placement *p)
{
    struct hold *plan = plan_of(s, j);
    if (plan) {
        plan_stage(s, plan);
        bool stays = start_ns <= plan->start_ns && placement_same(plan->p, p);
        room_from(s, plan, stays ? max_i64(plan->start_ns, end_ns) : plan->start_ns, plan->end_ns);
        hold_hand_over(s, j, HOLD_PLAN);
    }
    hold_add(s, j, HOLD_PLAN, start_ns, end_ns, placement_stage(s, j, p));
}

/* Out of the lists and totals of its old time, it enters those of the new one. */
static void plan_comes(struct timeline *t, uint32_t i, int64_t start_ns, int64_t end_ns)
{
    t->hold[i].start_ns = start_ns;
    t->hold[i].end_ns = end_ns;
    plans_enter(t, i);
    hold_end_waits(t, i);
    t->changes++;
    t->version++;
}

void plan_shift(struct sched *s, struct hold *plan, int64_t start_ns, struct placement *p)
{
    struct timeline *t = s->timeline;
    struct profile *taken = t->kind_taken[plan->kind_of_all];
    int64_t was_ns = plan->start_ns, was_end_ns = plan->end_ns, end_ns = start_ns + (was_end_ns - was_ns);
    int64_t was_milli = 0, milli = 0;
    uint32_t i = (uint32_t)(plan - t->hold);
    for (size_t k = 0; k < plan->p->n; k++)
        was_milli += milli_in_service(t, &plan->p->piece[k]);
    for (size_t k = 0; k < p->n; k++)
        milli += milli_in_service(t, &p->piece[k]);
    bool same = milli == was_milli;                   /* between the starts it is taken besides, and free between the ends */
    plan_stage(s, plan);
    room_from(s, plan, was_ns, was_end_ns);
    end_leave(t, i);
    plans_leave(t, i);
    gaps_shift(s, plan->p, was_ns, was_end_ns, p, start_ns, end_ns);
    profile_add(taken, same ? max_i64(was_ns, end_ns) : was_ns, was_end_ns, -was_milli);
    profile_add(taken, start_ns, same ? min_i64(was_ns, end_ns) : end_ns, milli);
    plan->p = placement_stage(s, plan->job, p);
    plan->born = s->totals.passes;
    plan_comes(t, i, start_ns, end_ns);
}

void plan_advance(struct sched *s, struct hold *plan, int64_t start_ns)
{
    struct timeline *t = s->timeline;
    struct profile_hold was = { plan->start_ns, plan->end_ns, 0 };
    uint32_t i = (uint32_t)(plan - t->hold);
    for (size_t k = 0; k < plan->p->n; k++)
        was.amount += milli_in_service(t, &plan->p->piece[k]);
    end_leave(t, i);
    plans_leave(t, i);
    plan->place = sooner_advance(t->sooner[plan->kind_of_all], t->kind_taken[plan->kind_of_all], &was, plan->place, start_ns);
    plan_comes(t, i, start_ns, start_ns + (was.until - was.from));
}

/* ---- Following the jobs ---- */

void timeline_arrived(struct sched *s, const struct live *l)
{
    if (s->timeline)
        s->timeline->n_unknown += l->estimate_ns == TIME_NEVER && !on_demand(s, l->job);
}

void timeline_started(struct sched *s, struct live *l)
{
    if (!s->timeline)
        return;
    const struct hold *plan = plan_of(s, l->job);
    int64_t end_ns = timeline_plus(s->now_ns, timeline_length_ns(s, l->job));
    if (plan && plan->end_ns <= end_ns && placement_same(plan->p, l->now.held)) {
        plan_stage(s, plan);
        hold_goes_on(s, l->job, HOLD_PLAN, HOLD_RUN, s->now_ns, end_ns, l->now.held);
        return;
    }
    plan_drop(s, l->job);
    hold_add(s, l->job, HOLD_RUN, s->now_ns, end_ns, l->now.held);
}

void timeline_leaves(struct sched *s, struct live *l, int64_t stay_ns)
{
    if (s->timeline)
        hold_add(s, l->job, HOLD_LEAVING, s->now_ns, s->now_ns + stay_ns, l->leaving);
}

void timeline_stopped(struct sched *s, struct live *l, int64_t stay_ns)
{
    if (!s->timeline)
        return;
    uint32_t i = l->hold[HOLD_RUN];
    struct placement *p = s->timeline->hold[i].p;
    l->hold_end_ns = s->timeline->hold[i].end_ns;
    hold_drop(s, l->job, HOLD_RUN);
    if (stay_ns > 0)
        hold_add(s, l->job, HOLD_LEAVING, s->now_ns, s->now_ns + stay_ns, p);
}

void timeline_kept(struct sched *s, struct live *l)
{
    if (!s->timeline)
        return;
    hold_drop(s, l->job, HOLD_LEAVING);
    hold_add(s, l->job, HOLD_RUN, l->last_start_ns, l->hold_end_ns, l->now.held);
}

void timeline_left(struct sched *s, struct live *l, enum hold_kind kind)
{
    if (s->timeline)
        hold_drop(s, l->job, kind);
}

void timeline_forget(struct sched *s, struct live *l)
{
    const struct hold *plan = plan_of(s, l->job);
    if (!plan)
        return;
    struct placement *p = plan->p;
    hold_drop(s, l->job, HOLD_PLAN);
    placement_drop(s, p);
}

/* When a hold that should have ended is expected to. The ends of extended holds follow from the first alone, so it does not
 * matter at which of them there was a pass. */
static int64_t late_end_ns(const struct sched *s, const struct hold *h)
{
    if (s->timeline->overrun == OVERRUN_LITERAL)
        return s->now_ns + 1;
    int64_t end_ns = h->end_ns;
    while (end_ns <= s->now_ns)
        end_ns = timeline_plus(end_ns, max_i64((end_ns - h->start_ns) / 2, 1));
    return end_ns;
}

static void settle(struct sched *s, const struct hold h)
{
    hold_goes_on(s, h.job, h.kind, h.kind, h.start_ns, late_end_ns(s, &h), h.p);
    s->timeline->n_late++;
}

/* Nothing comes free by it: `freed` stays. Plans are the policy's, be they past. */
static __attribute__((noinline)) void settle_ended(struct sched *s)
{
    struct timeline *t = s->timeline;
    struct ordered_space ends = holds_by_end(t);
    uint64_t freed = t->freed;
    for (struct end e; ends_take(&t->ends, s->now_ns, &e);)
        settle(s, t->hold[e.hold]);
    for (uint32_t i = t->by_end[true].first, next; i != ORDERED_NONE && t->hold[i].end_ns <= s->now_ns; i = next) {
        next = ordered_next(&ends, i);
        if (t->hold[i].kind != HOLD_PLAN)
            settle(s, t->hold[i]);
    }
    t->freed = freed;
}

void timeline_overrun(struct sched *s, enum overrun how)
{
    s->timeline->overrun = how;
}

/* The first plan after that time. While it stays, and none comes before it, it is so for all times up to it. */
static int64_t due_after_ns(struct timeline *t, int64_t after_ns)
{
    struct due *due = &t->due;
    if (due->known && due->after_ns <= after_ns && after_ns < due->first_ns)
        return due->first_ns;
    *due = (struct due){ true, after_ns, TIME_NEVER };
    for (size_t k = 0; k < t->n_plans; k++)
        if (t->plan[k].start_ns > after_ns)
            due->first_ns = min_i64(due->first_ns, t->plan[k].start_ns);
    return due->first_ns;
}

bool timeline_is_due(const struct sched *s)
{
    struct timeline *t = s->timeline;
    return t && t->n_plans && due_after_ns(t, s->now_ns - 1) == s->now_ns;
}

/* A plan that rests on the literal end of a late hold: it waits for that to end in truth, which makes a pass of its own. Plans of
 * no length may rest on each other, a nanosecond each. */
bool timeline_rests(const struct timeline *t, int64_t start_ns, int64_t now_ns)
{
    return t->overrun == OVERRUN_LITERAL && t->n_late && start_ns <= now_ns + 1 + (int64_t)t->n_plans;
}

int64_t timeline_due_ns(const struct sched *s)
{
    struct timeline *t = s->timeline;
    if (!t || !t->n_plans)
        return TIME_NEVER;
    bool rest = timeline_rests(t, s->now_ns + 1, s->now_ns);
    return due_after_ns(t, rest ? s->now_ns + 1 + (int64_t)t->n_plans : s->now_ns);
}

void timeline_pass(struct sched *s)
{
    struct timeline *t = s->timeline;
    if (!t)
        return;
    t->pass_ns = s->now_ns;
    t->n_late = 0;
    t->last_from_ns = s->now_ns + (t->last_from_ns - s->now_ns) / 2;
    if (ends_come(&t->ends, s->now_ns) || t->by_end[true].root != ORDERED_NONE)
        settle_ended(s);
}

/* ---- Nodes out of service ---- */

void profiles_on(struct sched *s, node_id n, int64_t sign)
{
    struct timeline *t = s->timeline;
    struct ordered_space ends = holds_by_end(t);
    ends_complete(t);
    for (unsigned summed = 0; summed < 2; summed++)
        for (uint32_t i = t->by_end[summed].first; i != ORDERED_NONE; i = ordered_next(&ends, i))
            if (placement_on(t->hold[i].p, n))
                profiles_change(s, t->hold[i].p, hold_from_ns(&t->hold[i]), t->hold[i].end_ns, sign);
}

void timeline_reopened(struct sched *s)
{
    struct timeline *t = s->timeline;
    if (t)
        t->freed++, t->version++, room_from(s, NULL, INT64_MIN, TIME_NEVER);
}
