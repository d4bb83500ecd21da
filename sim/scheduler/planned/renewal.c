/* renewal.c - promises that stay, or move, as totals alone say, or gaps and one question to the placer: what plans_renew() does.
 * See timeline.h. */
#include "sim/contract/util/minmax.h"
#include "sim/engine/on_demand.h"
#include "sim/scheduler/placements.h"
#include "sim/scheduler/placing.h"
#include "sim/scheduler/stage.h"
#include "sim/scheduler/timeline.h"

#include <string.h>

/* A total of whole GPUs, or one, that nothing binds to nodes, and the placer chooses among lists of these. */
static bool is_plain(const struct sched *s, const struct request *r)
{
    bool total = r->tasks == SPLIT_ANY || (r->tasks == 1 && r->gpus == 1);
    return s->setup.placer->choose && total && r->gpus && r->gpu_milli == MILLI_ALL && !r->mig && !r->next &&
           r->required_level >= LEVEL_CLUSTER && r->preferred_level >= LEVEL_CLUSTER && !r->max_per_node && !r->one_island && !r->set &&
           !r->held && r->try_first == ID_NONE && !group_places_wanted(s, r);
}

void plan_note(const struct sched *s, struct hold *plan)
{
    const struct request *r = ask_of(s, plan->job);
    const struct shape_kinds *kinds = &s->placing->kinds[r->shape];
    plan->bound = gaps_bound(s, r);
    if (kinds->n != 1 || s->workload->shape[r->shape].limited != ID_NONE || s->cluster->n_flavors || s->predicted_rates ||
        on_demand(s, plan->job) || has_started(s, plan->job) || live_of(s, plan->job)->suspended || plan->end_ns == TIME_NEVER)
        return;
    plan->fixed = true;
    plan->plain = s->timeline->by_gaps && is_plain(s, r);
    plan->kind_of_all = kinds->kind[0];
    plan->need_milli = request_gpu_milli(r);
    if (!placing_by_totals(s, r))
        return;
    plan->steady = true;
    plan->place = sooner_enter(sooner_of(s, plan->kind_of_all), s->timeline->kind_taken[plan->kind_of_all], plan->start_ns);
}

/* ---- Plans of which gaps say all ---- */

static struct gaps *gaps_of_plan(const struct sched *s, const struct hold *plan)
{
    return s->timeline->gaps[plan->fixed ? plan->kind_of_all : s->placing->kinds[ask_of(s, plan->job)->shape].kind[0]];
}

static int64_t length_of(const struct hold *plan)
{
    return plan->end_ns == TIME_NEVER ? TIME_NEVER : plan->end_ns - plan->start_ns;
}

enum plan_news {
    PLAN_STAYS,
    PLAN_MAY_MOVE,                /* if the placer says so: *from_ns is the first start that gaps leave it, its own if other units
                                     may be free there */
    PLAN_UNKNOWN
};

/* sooner_by_gaps() where some of its own units are free just before it. */
static int64_t sooner_with_own(struct sched *s, const struct hold *plan, int64_t after_ns, uint32_t need)
{
    struct gaps *gaps = gaps_of_plan(s, plan);
    struct gaps_away own = { plan->start_ns, length_of(plan) };
    gaps_away_begin(gaps);
    for (size_t i = 0; i < plan->p->n; i++) {
        const struct piece *p = &plan->p->piece[i];
        if (gaps_of_piece(s, p) == gaps)
            gaps_away_add(gaps, s->cluster->local_of[p->node], p->gpu_mask, own);
    }
    return gaps_sooner(gaps, after_ns, own, need);
}

/* How many of its own units nothing holds just before it. */
static uint32_t free_before(const struct sched *s, const struct hold *plan)
{
    const struct gaps *gaps = gaps_of_plan(s, plan);
    int64_t just_before_ns = plan->start_ns - 1;
    uint32_t n = 0;
    for (size_t i = 0; i < plan->p->n; i++) {
        const struct piece *p = &plan->p->piece[i];
        if (gaps_of_piece(s, p) == gaps)
            n += (uint32_t)__builtin_popcountll(
                gaps_free_units(gaps, s->cluster->local_of[p->node], p->gpu_mask, just_before_ns, plan->start_ns));
    }
    return n;
}

/* The first start before its own at which gaps leave enough, the plan itself away; TIME_NEVER: there is none. other_ns: the first at
 * which there is a unit at all. */
static int64_t sooner_by_gaps(struct sched *s, struct hold *plan, int64_t after_ns, int64_t other_ns)
{
    struct gaps *gaps = gaps_of_plan(s, plan);
    uint32_t need = (uint32_t)((plan->fixed ? plan->need_milli : request_gpu_milli(ask_of(s, plan->job))) / MILLI_ALL);
    if (!plan->still.before)
        plan->still.before = 1 + free_before(s, plan);
    uint32_t before = plan->still.before - 1;
    if (before < need) {                              /* others make up for what is held before it, at one time or none */
        int64_t from_ns = TIME_NEVER;
        if (other_ns < plan->start_ns)
            from_ns = gaps_fit(gaps, after_ns, plan->start_ns - 1, length_of(plan), need - before);
        if (from_ns == TIME_NEVER || before == 0)
            return from_ns;
    }
    return sooner_with_own(s, plan, after_ns, need);
}

/* Gaps say where it may be: from the first start that they leave it on the placer is asked, and nothing else. Where it was asked in
 * vain last, it mostly is again, which is left to the whole search. */
static bool goes_by_gaps(struct sched *s, const struct hold *plan)
{
    const struct timeline *t = s->timeline;
    if (!plan->still.done || !plan->bound || !t->gaps || !t->gaps_say_all)
        return false;
    const struct gaps *gaps = gaps_of_plan(s, plan);
    return gaps && !gaps_overlapped(gaps) &&
           (plan->fixed || (!request_over_limit(s, ask_of(s, plan->job)) &&
                            plan->end_ns == timeline_plus(plan->start_ns, timeline_length_ns(s, plan->job))));
}

/* It was where the search from after_ns on finds it, and all that has happened since is kept. */
static bool was_there(const struct sched *s, const struct hold *plan, int64_t after_ns)
{
    const struct still *still = &plan->still;
    return after_ns >= still->after_ns && still->outs == s->timeline->outs &&
           !gaps_unknown(gaps_of_plan(s, plan), still->mark);
}

/* The placer may choose others among those that are free besides its own at its start: `none` are. Once it is asked with none, it need
 * not be asked so again. */
static bool may_be_placed_anew(struct sched *s, const struct hold *plan, bool none)
{
    if (plan->plain)
        return !none;
    struct gaps *gaps = gaps_of_plan(s, plan);
    if (plan->still.alone)
        return !none && gaps_cover(gaps, plan->start_ns, plan->end_ns);
    return (none && plan->fixed && s->timeline->by_gaps) ||
           gaps_other_units(gaps, plan->still.mark, plan->start_ns, length_of(plan));
}

static enum plan_news stays(struct hold *plan, int64_t after_ns, const struct gaps *gaps, bool none)
{
    struct still *still = &plan->still;
    still->after_ns = after_ns;
    still->mark = gaps_mark(gaps);
    still->none = none;
    return PLAN_STAYS;
}

/* What has happened to it: a start from after_ns on. Where it was found once it may begin sooner only if one other unit is free for
 * it, or one of its own has come free just before it. */
static enum plan_news plan_news(struct sched *s, struct hold *plan, int64_t after_ns, int64_t *from_ns)
{
    if (!goes_by_gaps(s, plan))
        return PLAN_UNKNOWN;
    struct gaps *gaps = gaps_of_plan(s, plan);
    bool there = was_there(s, plan, after_ns), room = !there || gaps_freed_until(gaps, plan->still.mark, plan->start_ns);
    if (!room && !gaps_news(gaps, plan->still.mark, after_ns, plan->start_ns, length_of(plan)))
        return stays(plan, after_ns, gaps, false);
    int64_t other_ns = gaps_first(gaps, after_ns, plan->start_ns, length_of(plan));
    *from_ns = TIME_NEVER;
    if (room)
        plan->still.before = 0;
    if (room || other_ns < plan->start_ns)
        *from_ns = sooner_by_gaps(s, plan, after_ns, other_ns);
    if (*from_ns != TIME_NEVER)
        return PLAN_MAY_MOVE;
    *from_ns = plan->start_ns;
    if (!there || may_be_placed_anew(s, plan, other_ns > plan->start_ns))
        return PLAN_MAY_MOVE;
    return stays(plan, after_ns, gaps, other_ns > plan->start_ns);
}

/* The plan's own units that nothing else holds from then on join what the window shows, or leave it. */
static void own_units_join(struct sched *s, struct window *w, const struct hold *plan, int64_t from_ns, bool join)
{
    bool meets = timeline_plus(from_ns, length_of(plan)) > plan->start_ns;
    if (!meets)
        return;
    if (!s->timeline->by_gaps || from_ns == plan->start_ns) {
        window_change(s, w, plan, !join);
        return;
    }
    for (size_t i = 0; i < plan->p->n; i++) {
        struct piece p = plan->p->piece[i];
        p.gpu_mask = gaps_free_units(gaps_of_piece(s, &p), s->cluster->local_of[p.node], p.gpu_mask, from_ns, plan->start_ns);
        p.gpus = (uint32_t)__builtin_popcountll(p.gpu_mask);
        if (p.gpus)
            (join ? free_index_give : free_index_take)(w->v, &p, 0, 0);
    }
}

/* What the placer says of the plan if it begins then. *drew: not by gaps alone. */
static const struct placement *placed_from(struct sched *s, const struct hold *plan, int64_t from_ns, bool *drew)
{
    const struct placement *offers = plan->plain ? plan_by_offers(s, plan, from_ns) : NULL;
    *drew = false;
    if (offers)
        return offers;
    struct random before = s->placing->random;
    struct request r = job_request(s, plan->job);
    struct window *w = window_for(s, from_ns);
    const struct view *v = timeline_view(s, from_ns, timeline_plus(from_ns, length_of(plan)));
    own_units_join(s, w, plan, from_ns, true);
    const struct placement *where = sched_place(s, v, &r);
    own_units_join(s, w, plan, from_ns, false);
    *drew = memcmp(&before, &s->placing->random, sizeof before) != 0;
    return where;
}

/* Nothing but its own units is free for it in a window of its time. */
static bool shows_its_own_alone(const struct sched *s, const struct hold *plan)
{
    return plan->fixed && !plan->plain && s->timeline->by_gaps && !gaps_cover(gaps_of_plan(s, plan), plan->start_ns, plan->end_ns);
}

/* The placer has chosen the plan's place once more. It will again while that is all that is free. */
static void is_placed_again(const struct sched *s, struct hold *plan, int64_t after_ns)
{
    bool alone = shows_its_own_alone(s, plan);
    plan->still = (struct still){ true, alone, false, plan->still.before, s->timeline->outs, after_ns, gaps_mark(gaps_of_plan(s, plan)) };
}

struct slot plan_slot_known(struct sched *s, struct hold *plan, int64_t after_ns)
{
    struct slot none = { TIME_NEVER, NULL };
    int64_t from_ns;
    enum plan_news news = plan_news(s, plan, after_ns, &from_ns);
    if (news != PLAN_MAY_MOVE)
        return news == PLAN_STAYS ? (struct slot){ plan->start_ns, plan->p } : none;
    struct placing_answer before = placing_keep(s);
    bool drew;
    const struct placement *where = placed_from(s, plan, from_ns, &drew);
    if (!where) {
        plan->still.done = false;
        placing_put_back(s, before);                  /* all of it is asked again */
        return none;
    }
    struct slot slot = { from_ns, where };
    if (drew)
        plan->still.done = false;
    else if (from_ns == plan->start_ns && placement_same(where, plan->p))
        is_placed_again(s, plan, after_ns);
    else
        plan_found_note(s, plan->job, gaps_of_plan(s, plan), after_ns, slot);
    return slot;
}

static void plan_moves(struct sched *s, struct hold *plan, struct slot to)
{
    job_id j = plan->job;
    struct placement *where = placement_copy(s, to.where);
    if (plan->fixed && !plan->summed)
        plan_shift(s, plan, to.start_ns, where);
    else
        plan_move(s, j, to.start_ns, timeline_plus(to.start_ns, length_of(plan)), where);
    struct hold *moved = plan_of(s, j);
    moved->still = (struct still){ true, false, false, 0, s->timeline->outs, s->now_ns, gaps_mark(gaps_of_plan(s, moved)) };
    if (!moved->fixed)
        plan_note(s, moved);
    moved->still.alone = shows_its_own_alone(s, moved);
    promise_told(s, j, to.start_ns);
}

/* As plan_slot_known() and plan_set(), if it is later than now and no draw is made: that would be made again. */
static bool plan_renewed_by_gaps(struct sched *s, struct hold *plan)
{
    int64_t from_ns;
    enum plan_news news = plan_news(s, plan, s->now_ns, &from_ns);
    if (news != PLAN_MAY_MOVE || from_ns <= s->now_ns || s->stage->marked)
        return news == PLAN_STAYS;
    struct placing_answer before = placing_keep(s);
    bool drew;
    const struct placement *where = placed_from(s, plan, from_ns, &drew);
    if (!where || drew) {
        plan->still.done &= where != NULL;
        placing_put_back(s, before);
        return false;
    }
    if (from_ns == plan->start_ns && placement_same(where, plan->p))
        is_placed_again(s, plan, s->now_ns);
    else
        plan_moves(s, plan, (struct slot){ from_ns, where });
    return true;
}

/* ---- Many plans, one after the other ---- */

/* What plans of one kind have in common. */
struct renewal {
    uint32_t kind;
    bool within;                  /* holds take no more than there is: none is in the way of another */
    struct profile *taken;
    struct sooner *sooner;        /* there is one where a plan is steady */
    int64_t all_milli, idle_milli;
    struct gaps *gaps;            /* of its GPUs; NULL: they have none */
    struct gaps_mark mark;        /* of these, before the first of the plans is looked at */
};

static struct renewal renewal_of(const struct sched *s, uint32_t kind)
{
    const struct timeline *t = s->timeline;
    int64_t all_milli = kind_gpus_milli(s->cluster, kind);
    struct renewal of = { kind, profile_within(t->kind_taken[kind], all_milli), t->kind_taken[kind], t->sooner[kind], all_milli,
                          s->idle->kind[kind].whole * MILLI_ALL, t->gaps ? t->gaps[kind] : NULL, { 0, 0 } };
    if (of.gaps)
        of.mark = gaps_mark(of.gaps);
    return of;
}

/* Why its job waits, if it fits wherever as many GPUs are free. */
static enum wait_reason reason_by_total(const struct hold *plan, const struct renewal *of)
{
    return of->idle_milli >= plan->need_milli ? WAIT_RESERVED : WAIT_GPUS;
}

/* As renewed_by_gaps(). */
static struct hold *renewed_by_totals(struct sched *s, struct hold *plan, const struct renewal *of)
{
    if (!of->within && !none_in_the_way(s, plan, of->kind))
        return NULL;
    struct sooner_ask ask = { plan->need_milli, plan->end_ns - plan->start_ns, plan->start_ns, plan->place };
    int64_t start_ns = sooner_start(of->sooner, of->taken, of->all_milli, &ask, s->now_ns);
    if (start_ns < plan->start_ns) {
        if (start_ns <= s->now_ns || s->timeline->drew || s->stage->marked)
            return NULL;
        plan_advance(s, plan, start_ns);
        promise_told(s, plan->job, start_ns);
    }
    enum wait_reason why = reason_by_total(plan, of);
    if (plan->why != why)
        sched_blocked(s, plan->job, why);
    return plan;
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

/* As plan_news(), of most plans: they stay, and no unit but its own is free for them. */
static bool stays_by_gaps(const struct sched *s, struct hold *plan, const struct renewal *of)
{
    struct still *still = &plan->still;
    if (!still->done || !of->gaps || still->outs != s->timeline->outs)
        return false;
    if (still->mark.changes == of->mark.changes && still->mark.overlaps == of->mark.overlaps)
        return true;
    if (!(plan->plain || still->alone) || !plan->bound || !s->timeline->gaps_say_all || s->now_ns < still->after_ns)
        return false;
    if (!(still->none && gaps_quiet(of->gaps, still->mark, s->now_ns)) &&
        !gaps_still(of->gaps, still->mark, s->now_ns, plan->start_ns, plan->end_ns - plan->start_ns))
        return false;
    stays(plan, s->now_ns, of->gaps, true);
    return true;
}

/* NULL: that is not known without a question; else what the plan is now. */
static struct hold *renewed_by_gaps(struct sched *s, struct hold *plan, const struct renewal *of, struct reasons *known)
{
    job_id job = plan->job;
    if (!stays_by_gaps(s, plan, of)) {
        if (!plan_renewed_by_gaps(s, plan))
            return NULL;
        plan = plan_of(s, job);
    }
    enum wait_reason why = plan->plain ? reason_by_total(plan, of) : reason_of(s, known, job);
    if (plan->why != why)
        sched_blocked(s, job, why);
    return plan;
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
        plan = plan->steady ? renewed_by_totals(s, plan, &of) : renewed_by_gaps(s, plan, &of, &known);
        if (!plan)
            break;
        *due_ns = min_i64(*due_ns, plan->start_ns);
        if (i + AHEAD < n)
            plan_fetch(s->timeline, jobs[i + AHEAD]);
    }
    return i;
}
