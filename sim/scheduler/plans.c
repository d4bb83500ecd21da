/* plans.c - reservations: the earliest slot for a whole run, and what each job is promised. See contract/timeline.h. */
#include "sim/contract/util/minmax.h"
#include "sim/engine/on_demand.h"
#include "sim/engine/state.h"
#include "sim/scheduler/placements.h"
#include "sim/scheduler/placing.h"
#include "sim/scheduler/closed/reserved.h"
#include "sim/scheduler/stage.h"
#include "sim/scheduler/timeline.h"

#include <stdlib.h>
#include <string.h>

/* ---- The earliest slot ---- */

int64_t kind_gpus_milli(const struct cluster *c, uint32_t kind)
{
    return (int64_t)c->kind[kind].n_nodes * c->kind[kind].gpus * c->kind[kind].slot_milli;
}

/* The earliest time from which on the totals of the kinds that r may use leave enough. */
static int64_t totals_fit(const struct sched *s, const struct request *r, int64_t after_ns, int64_t length_ns)
{
    struct timeline *t = s->timeline;
    const struct shape_kinds *kinds = &s->placing->kinds[r->shape];
    int64_t need = r->next ? group_places_whole(s->idle, r) * MILLI_ALL : request_gpu_milli(r);
    if (kinds->n == 1)
        return profile_fit(t->kind_taken[kinds->kind[0]], after_ns, TIME_NEVER, TIME_NEVER, length_ns,
                           kind_gpus_milli(s->cluster, kinds->kind[0]) - need);
    while (after_ns != TIME_NEVER) {
        int64_t until_ns = length_ns > TIME_NEVER - after_ns ? TIME_NEVER : after_ns + length_ns, free = 0;
        for (uint32_t i = 0; i < kinds->n && free < need; i++)
            free += kind_gpus_milli(s->cluster, kinds->kind[i]) -
                    profile_max(t->kind_taken[kinds->kind[i]], after_ns, until_ns);
        if (free >= need)
            break;
        after_ns = timeline_next_end_ns(t, after_ns);
    }
    return after_ns;
}

static int64_t taken_at(struct timeline *t, uint32_t kind, int64_t at_ns)
{
    struct instant *last = &t->instant[kind];
    if (last->at_ns != at_ns || last->version != t->version)
        *last = (struct instant){ at_ns, profile_at(t->kind_taken[kind], at_ns), t->version };
    return last->taken_milli;
}

int64_t timeline_free_milli(const struct sched *s, uint32_t kind, int64_t at_ns)
{
    return kind_gpus_milli(s->cluster, kind) - taken_at(s->timeline, kind, at_ns);
}

/* On counted GPUs alone: where named ones are held twice, by a late job and a plan, totals say less than windows show. */
bool timeline_lacks(struct sched *s, const struct request *r, int64_t at_ns)
{
    if (at_ns < s->now_ns || at_ns == TIME_NEVER || !placing_by_totals(s, r))
        return false;
    uint32_t kind = s->placing->kinds[r->shape].kind[0];
    return request_gpu_milli(r) > timeline_free_milli(s, kind, at_ns);
}

/* ---- Gaps of named GPUs ---- */

enum { PLANS_FOR_GAPS = 8 };      /* so many plans make gaps worth their upkeep */

struct gaps *gaps_of_piece(const struct sched *s, const struct piece *p)
{
    struct gaps **gaps = s->timeline->gaps;
    if (!gaps || !p->gpu_mask)
        return NULL;
    return gaps[cluster_piece_kind(s->cluster, p)];
}

void gaps_change(struct sched *s, const struct placement *p, int64_t from_ns, int64_t until_ns, int sign)
{
    for (size_t i = 0; i < p->n; i++) {
        struct gaps *g = gaps_of_piece(s, &p->piece[i]);
        if (g)
            gaps_hold(g, s->cluster->local_of[p->piece[i].node], p->piece[i].gpu_mask, from_ns, until_ns, sign);
    }
}

/* Units that stay are held besides between the starts, and free between the ends. */
void gaps_shift(struct sched *s, const struct placement *was, int64_t was_ns, int64_t was_end_ns, const struct placement *p,
                int64_t start_ns, int64_t end_ns)
{
    uint64_t *now = s->timeline->units;               /* those that come there */
    for (size_t i = 0; i < p->n; i++)
        now[p->piece[i].node] |= p->piece[i].gpu_mask;
    for (size_t i = 0; i < was->n; i++) {
        const struct piece *piece = &was->piece[i];
        struct gaps *g = gaps_of_piece(s, piece);
        uint32_t group = s->cluster->local_of[piece->node];
        uint64_t stay = end_ns > was_ns ? piece->gpu_mask & now[piece->node] : 0;
        if (!g)
            continue;
        if (piece->gpu_mask & ~stay)
            gaps_hold(g, group, piece->gpu_mask & ~stay, was_ns, was_end_ns, -1);
        if (stay && start_ns < was_ns) {
            gaps_hold(g, group, stay, start_ns, was_ns, 1);
            gaps_hold(g, group, stay, end_ns, was_end_ns, -1);
        }
        now[piece->node] &= ~stay;
    }
    for (size_t i = 0; i < p->n; i++) {
        const struct piece *piece = &p->piece[i];
        uint64_t come = piece->gpu_mask & now[piece->node];
        struct gaps *g = come ? gaps_of_piece(s, piece) : NULL;
        if (g)
            gaps_hold(g, s->cluster->local_of[piece->node], come, start_ns, end_ns, 1);
        now[piece->node] &= ~come;
    }
}

void gaps_out_change(struct sched *s, node_id n, uint64_t gpus, int sign)
{
    struct gaps *g = gaps_of_piece(s, &(struct piece){ .node = n, .gpu_mask = gpus });
    s->timeline->outs++;
    s->timeline->changes++;
    if (g)
        gaps_hold(g, s->cluster->local_of[n], gpus, INT64_MIN, INT64_MAX, sign);
}

/* Jobs ask for whole GPUs and for nothing else that is scarce, and nothing but what is held changes where they can be. Where holds
 * overlap totals count them twice, and say more than gaps. */
static bool gaps_say_all(const struct sched *s)
{
    bool sized = false, finite = false;
    for (shape_id i = 0; i < s->workload->n_shapes; i++)
        for (const struct request *r = &s->workload->shape[i].ask; r; r = r->next) {
            sized |= r->cpu_milli || r->mem_mib;
            if (r->mig || (r->gpus && r->gpu_milli != MILLI_ALL))
                return false;
        }
    for (uint32_t t = 0; t < s->cluster->n_types; t++)
        finite |= s->cluster->type[t].cpu_milli != INT64_MAX || s->cluster->type[t].mem_mib != INT64_MAX;
    return !s->reserved && !(sized && finite) && !s->idle->headroom && !s->predicted_rates && !s->placing->gpu_mem_most_mib &&
           !s->timeline->window[0].blocks && !(s->setup.placer->needs & SEES_TENANTS);
}

static void gaps_begin(struct sched *s)
{
    struct timeline *t = s->timeline;
    const struct cluster *c = s->cluster;
    t->gaps = mem_new(c->n_kinds, sizeof *t->gaps);
    t->gaps_say_all = gaps_say_all(s);
    for (uint32_t k = 0; k < c->n_kinds; k++) {
        const struct node_kind *kind = &c->kind[k];
        if (!c->type[kind->type].counted && !kind->mig && kind->first && kind->parts == 1 && kind->gpus)
            t->gaps[k] = gaps_new(kind->n_nodes, kind->gpus);
    }
    for (node_id n = 0; n < c->n_nodes; n++)
        gaps_out_change(s, n, t->out[n].gpus, 1);
    for (size_t i = 0; i < t->n; i++)
        if (t->hold[i].shown)
            gaps_change(s, t->hold[i].p, hold_from_ns(&t->hold[i]), t->hold[i].end_ns, 1);
    if (windows_may_show_gaps(s))
        windows_by_gaps(s);
}

void gaps_end(struct sched *s)
{
    struct timeline *t = s->timeline;
    for (uint32_t k = 0; t->gaps && k < s->cluster->n_kinds; k++)
        gaps_free(t->gaps[k]);
    free(t->gaps);
}

bool gaps_bound(const struct sched *s, const struct request *r)
{
    return s->placing->kinds[r->shape].n == 1 && !r->next && !r->mig && r->gpus && r->gpu_milli == MILLI_ALL;
}

/* Those that bound when r may start; NULL: none do. */
static struct gaps *gaps_of(struct sched *s, const struct request *r)
{
    const struct shape_kinds *kinds = &s->placing->kinds[r->shape];
    struct timeline *t = s->timeline;
    if (!gaps_bound(s, r))
        return NULL;
    if (!t->gaps && t->n_plans >= PLANS_FOR_GAPS)
        gaps_begin(s);
    return t->gaps ? t->gaps[kinds->kind[0]] : NULL;
}

/* The earliest time from which on neither totals nor gaps rule r out. */
static int64_t may_fit(const struct sched *s, const struct request *r, struct gaps *gaps, int64_t after_ns, int64_t horizon_ns,
                       int64_t length_ns)
{
    int64_t need = request_gpu_milli(r) / MILLI_ALL, gap_ns = TIME_NEVER;
    do {
        after_ns = totals_fit(s, r, after_ns, length_ns);
        if (!gaps || after_ns == TIME_NEVER || after_ns > horizon_ns)
            return after_ns;
        gap_ns = gaps_fit(gaps, after_ns, horizon_ns, length_ns, need);
        if (gap_ns == after_ns)
            return after_ns;
        after_ns = gap_ns;
    } while (after_ns != TIME_NEVER);
    return after_ns;
}

/* ---- The earliest slot ---- */

/* *vain: the placer was asked in vain, or drew. */
static struct slot earliest(struct sched *s, job_id j, int64_t after_ns, int64_t horizon_ns, unsigned tries, bool *vain)
{
    struct request r = job_request(s, j);
    int64_t length_ns = timeline_length_ns(s, j);
    struct gaps *gaps = gaps_of(s, &r);
    struct random before = s->placing->random;
    for (*vain = false; tries > 0;) {
        after_ns = may_fit(s, &r, gaps, after_ns, horizon_ns, length_ns);
        if (after_ns == TIME_NEVER || after_ns > horizon_ns)
            break;
        const struct view *v = timeline_view(s, after_ns, timeline_plus(after_ns, length_ns));
        const struct placement *where = sched_place(s, v, &r);
        bool lacks = !where && placing_lacks(v, &r);
        bool drew = memcmp(&before, &s->placing->random, sizeof before) != 0;
        s->timeline->drew |= drew;
        *vain |= (!where && (gaps || !lacks)) || drew;
        if (where)
            return (struct slot){ after_ns, where };
        tries -= !lacks;
        after_ns = timeline_next_end_ns(s->timeline, after_ns);
    }
    return (struct slot){ TIME_NEVER, NULL };
}

/* A kind of which totals say all of a plan's job, and how much it needs. */
struct totals { uint32_t kind; int64_t need; };

static struct totals totals_of(const struct sched *s, const struct hold *plan)
{
    const struct request *r = ask_of(s, plan->job);
    return plan->steady ? (struct totals){ plan->kind_of_all, plan->need_milli }
                        : (struct totals){ s->placing->kinds[r->shape].kind[0], request_gpu_milli(r) };
}

bool none_in_the_way(const struct sched *s, const struct hold *plan, uint32_t kind)
{
    struct profile *taken = s->timeline->kind_taken[kind];
    int64_t all = kind_gpus_milli(s->cluster, kind);
    return profile_within(taken, all) || profile_max(taken, plan->start_ns, plan->end_ns) <= all;
}

/* Totals say all of the plan: they say it all of its job, and no other hold is in the way. */
static bool totals_say_all(const struct sched *s, const struct hold *plan)
{
    return placing_by_totals(s, ask_of(s, plan->job)) && none_in_the_way(s, plan, totals_of(s, plan).kind);
}

struct sooner *sooner_of(const struct sched *s, uint32_t kind)
{
    struct sooner **sooner = &s->timeline->sooner[kind];
    if (!*sooner)
        *sooner = sooner_new();
    return *sooner;
}

/* The first start before the plan's own that totals leave it; its own if there is none. */
static int64_t sooner_by_totals(const struct sched *s, const struct hold *plan, int64_t after_ns)
{
    struct totals of = totals_of(s, plan);
    struct sooner_ask ask = { of.need, plan->end_ns - plan->start_ns, plan->start_ns, plan->place };
    return sooner_start(sooner_of(s, of.kind), s->timeline->kind_taken[of.kind], kind_gpus_milli(s->cluster, of.kind), &ask, after_ns);
}

void plan_found_note(struct sched *s, job_id j, const struct gaps *gaps, int64_t after_ns, struct slot slot)
{
    if (s->timeline->gaps_say_all && !gaps_overlapped(gaps))
        s->timeline->found = (struct found){ j, s->totals.passes, after_ns, slot.start_ns, slot.where, gaps_mark(gaps), 0 };
}

/* The placer has one answer where totals say all, and no draw to make: that of the plan as it is. */
static bool placed_as_before(struct sched *s, const struct hold *plan)
{
    const struct request *r = ask_of(s, plan->job);
    return !s->timeline->drew && !s->predicted_rates && !request_over_limit(s, r) &&
           plan->end_ns == timeline_plus(plan->start_ns, timeline_length_ns(s, plan->job));
}

/* The slot of a plan that totals leave an earlier start. */
static struct slot moved_to(struct sched *s, const struct hold *plan, int64_t after_ns, int64_t start_ns)
{
    struct timeline *t = s->timeline;
    t->found = (struct found){ plan->job, s->totals.passes, after_ns, start_ns, plan->p, { 0, 0 }, t->version };
    return (struct slot){ start_ns, plan->p };
}

/* The earliest slot of a job that has a plan, its own plan away. */
static struct slot earliest_without(struct sched *s, struct hold *plan, int64_t after_ns, int64_t horizon_ns, unsigned tries)
{
    struct timeline *t = s->timeline;
    struct gaps *gaps = gaps_of(s, ask_of(s, plan->job));
    struct gaps_mark mark = gaps ? gaps_mark(gaps) : (struct gaps_mark){ 0, 0 };
    bool vain;
    hold_show(s, plan, false);
    struct slot found = earliest(s, plan->job, after_ns, horizon_ns, tries, &vain);
    hold_show(s, plan, true);
    if (!gaps)
        return found;
    gaps_unchanged(gaps, mark);
    bool same = found.where && found.start_ns == plan->start_ns && placement_same(found.where, plan->p);
    plan->still = (struct still){ same && !vain && t->gaps_say_all && !gaps_overlapped(gaps), false, false, 0, t->outs, after_ns, gaps_mark(gaps) };
    plan_found_note(s, plan->job, gaps, after_ns, vain ? (struct slot){ TIME_NEVER, NULL } : found);
    return found;
}

/* The earliest slot of a job without a plan: that of the last of its shape and length, while nothing has changed. */
static struct slot earliest_as_asked(struct sched *s, job_id j, int64_t after_ns, int64_t horizon_ns, unsigned tries)
{
    struct timeline *t = s->timeline;
    if (!t->last)
        t->last = arena_alloc(s->memory, (s->workload->n_shapes + 1) * sizeof *t->last);
    struct asked *last = &t->last[ask_of(s, j)->shape];
    int64_t length_ns = timeline_length_ns(s, j);
    if (last->pass == s->totals.passes && last->changes == t->changes && last->length_ns == length_ns && last->after_ns == after_ns &&
        last->horizon_ns == horizon_ns && last->tries == tries)
        return last->slot;
    struct random before = s->placing->random;
    bool vain;
    struct slot found = earliest(s, j, after_ns, horizon_ns, tries, &vain);
    bool drew = memcmp(&before, &s->placing->random, sizeof before) != 0 || s->predicted_rates;
    *last = (struct asked){ drew ? 0 : s->totals.passes, t->changes, after_ns, horizon_ns, length_ns, tries, found };
    const struct gaps *gaps = gaps_of(s, ask_of(s, j));
    if (gaps && !vain)
        plan_found_note(s, j, gaps, after_ns, found);
    return found;
}

struct slot timeline_earliest(struct sched *s, job_id j, int64_t after_ns, int64_t horizon_ns, unsigned tries)
{
    struct hold *plan = plan_of(s, j);
    s->timeline->asked = true;
    if (!plan)
        return earliest_as_asked(s, j, after_ns, horizon_ns, tries);
    if (plan->start_ns > after_ns && plan->start_ns <= horizon_ns) {
        struct slot known = plan_slot_known(s, plan, after_ns);
        if (known.where)
            return known;
        if (totals_say_all(s, plan)) {
            int64_t from_ns = sooner_by_totals(s, plan, after_ns);
            if (from_ns == plan->start_ns)
                return (struct slot){ plan->start_ns, plan->p };
            if (placed_as_before(s, plan))
                return moved_to(s, plan, after_ns, from_ns);
            after_ns = from_ns;
        }
    }
    return earliest_without(s, plan, after_ns, horizon_ns, tries);
}

/* As earliest_as_asked() and sched_fits() keep answers. */
uint64_t timeline_outlook(struct sched *s)
{
    struct outlook *o = &s->timeline->outlook;
    if (s->predicted_rates)
        return 0;
    if (o->pass != s->totals.passes || o->changes != s->timeline->changes || o->idle != s->idle->version ||
        memcmp(&o->draws, &s->placing->random, sizeof o->draws) != 0)
        *o = (struct outlook){ o->number + 1, s->totals.passes, s->timeline->changes, s->idle->version, s->placing->random };
    return o->number;
}

uint32_t timeline_without_estimate(const struct sched *s)
{
    return s->timeline && s->timeline->asked ? s->timeline->n_unknown : 0;
}

/* ---- Plans ---- */

/* Nothing has happened since that slot was found for j. */
static bool is_found(const struct sched *s, job_id j, const struct gaps *gaps, int64_t start_ns, const struct placement *p)
{
    const struct found *f = &s->timeline->found;
    if (!f->p || f->p != p || f->job != j || f->pass != s->totals.passes || f->start_ns != start_ns)
        return false;
    if (!gaps)
        return f->version == s->timeline->version;
    struct gaps_mark now = gaps_mark(gaps);
    return f->mark.changes == now.changes && f->mark.overlaps == now.overlaps;
}

/* p is free over all of [from_ns, until_ns), the job's own plan away. */
static bool room_without(struct sched *s, job_id j, int64_t from_ns, int64_t until_ns, const struct placement *p)
{
    struct hold *plan = plan_of(s, j);
    struct gaps *gaps = gaps_of(s, ask_of(s, j));
    struct gaps_mark mark = gaps ? gaps_mark(gaps) : (struct gaps_mark){ 0, 0 };
    if (plan)
        hold_show(s, plan, false);
    struct view *v = timeline_own_view(s, timeline_view(s, from_ns, until_ns));
    bool room = !reserved_denies(s, j, p, from_ns, until_ns) && placement_take_if_free(v, ask_of(s, j), p);
    if (room)
        placement_give(v, ask_of(s, j), p);
    if (plan)
        hold_show(s, plan, true);
    if (gaps)
        gaps_unchanged(gaps, mark);
    return room;
}

void promise_told(struct sched *s, job_id j, int64_t start_ns)
{
    if (!s->setup.observer.decision || timeline_rests(s->timeline, start_ns, s->now_ns))
        return;
    char text[32];
    text[decimal_format(text, start_ns, NS_PER_S)] = '\0';
    decision_log(s, j, "decision", "promise", text);
}

enum sched_result plan_set(struct sched *s, job_id j, int64_t start_ns, const struct placement *p)
{
    struct live *l = s->in_pass && j < s->n_jobs ? live_of(s, j) : NULL;
    if (!l || s->job[j].state != JOB_PENDING || start_ns < s->now_ns)
        return SCHED_WRONG_STATE;
    int64_t end_ns = timeline_plus(start_ns, timeline_length_ns(s, j));
    struct hold *plan = plan_of(s, j);
    if (plan && plan->start_ns == start_ns && plan->end_ns == end_ns && placement_same(plan->p, p))
        return SCHED_OK;
    struct gaps *gaps = gaps_of(s, ask_of(s, j));
    bool found = is_found(s, j, gaps, start_ns, p);
    if (!found && !room_without(s, j, start_ns, end_ns, p))
        return SCHED_NO_ROOM;
    plan_move(s, j, start_ns, end_ns, placement_copy(s, p));
    if (found && gaps)
        plan_of(s, j)->still = (struct still){ true, false, false, 0, s->timeline->outs, s->timeline->found.after_ns, gaps_mark(gaps) };
    plan_note(s, plan_of(s, j));
    promise_told(s, j, start_ns);
    return SCHED_OK;
}

void plan_clear(struct sched *s)
{
    while (s->timeline->n_plans)
        plan_drop(s, s->timeline->hold[s->timeline->plan[s->timeline->n_plans - 1].hold].job);
}

int64_t plan_start(const struct sched *s, job_id j)
{
    const struct hold *plan = plan_of(s, j);
    return plan ? plan->start_ns : TIME_NEVER;
}

const struct placement *plan_placement(const struct sched *s, job_id j)
{
    const struct hold *plan = plan_of(s, j);
    return plan ? plan->p : NULL;
}

bool plan_ready(struct sched *s, job_id j)
{
    const struct hold *plan = plan_of(s, j);
    if (!plan || plan->start_ns > s->now_ns ||
        reserved_denies(s, j, plan->p, s->now_ns, timeline_plus(s->now_ns, timeline_length_ns(s, j))) ||
        !placement_take_if_free(s->idle, ask_of(s, j), plan->p))
        return false;
    placement_give(s->idle, ask_of(s, j), plan->p);
    return true;
}

uint64_t timeline_version(const struct sched *s)
{
    return s->timeline->freed;
}

bool plan_is_on(const struct sched *s, const struct live *l, const struct placement *p)
{
    const struct hold *plan = plan_of(s, l->job);
    return plan && plan->p == p;
}

void timeline_told(struct sched *s, const struct live *l)
{
    struct hold *plan = plan_of(s, l->job);
    if (plan)
        plan->why = l->own_why;
}
