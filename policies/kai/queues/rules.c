/* rules.c - see rules.h. */
#include "policies/kai/queues/rules.h"

#include <math.h>

static const struct quota_amount nothing;

static bool at_most(int64_t a, int64_t b) { return b == UNLIMITED || (a != UNLIMITED && a <= b); }

bool quota_within(const struct quota_amount *a, const struct quota_amount *b)
{
    for (enum quota_resource r = 0; r < Q_RESOURCES; r++)
        if (!at_most(a->of[r], b->of[r]))
            return false;
    return true;
}

struct quota_amount quota_sum(const struct quota_amount *a, const struct quota_amount *b)
{
    struct quota_amount sum;
    for (enum quota_resource r = 0; r < Q_RESOURCES; r++)
        sum.of[r] = a->of[r] + b->of[r];
    return sum;
}

/* Queue's allocated (or firm) + more within its fair share (or deserved). */
#define WITHIN(queue, field, more, bound)                                                          \
    (at_most((queue)->of[Q_GPU].field + (more)->of[Q_GPU], (queue)->of[Q_GPU].bound) &&            \
     at_most((queue)->of[Q_CPU].field + (more)->of[Q_CPU], (queue)->of[Q_CPU].bound) &&            \
     at_most((queue)->of[Q_MEM].field + (more)->of[Q_MEM], (queue)->of[Q_MEM].bound))

static bool over_limit(const struct quota_queue *q, const struct quota_amount *ask)
{
    for (enum quota_resource r = 0; r < Q_RESOURCES; r++)
        if (ask->of[r] != 0 && !at_most(q->of[r].allocated + ask->of[r], q->of[r].limit))
            return true;
    return false;
}

static bool over_deserved(const struct quota_queue *q, const struct quota_amount *ask)
{
    for (enum quota_resource r = 0; r < Q_RESOURCES; r++)
        if (ask->of[r] != 0 && !at_most(q->of[r].firm + ask->of[r], q->of[r].deserved))
            return true;
    return false;
}

bool quota_firm_fits(const struct quota_queue *q, queue_id leaf, const struct quota_amount *ask,
                     queue_id *at)
{
    queue_id none;
    at = at ? at : &none;
    for (*at = leaf; *at != ID_NONE; *at = q[*at].parent)
        if (over_deserved(&q[*at], ask))
            return false;
    return true;
}

enum quota_verdict quota_capacity(const struct quota_queue *q, queue_id leaf,
                                  const struct quota_amount *ask, bool firm, queue_id *at)
{
    queue_id none;
    at = at ? at : &none;
    for (*at = leaf; *at != ID_NONE; *at = q[*at].parent)
        if (over_limit(&q[*at], ask))
            return QUOTA_OVER_LIMIT;
    return !firm || quota_firm_fits(q, leaf, ask, at) ? QUOTA_FITS : QUOTA_OVER_DESERVED;
}

double quota_barred_share(enum quota_resource r, int64_t held)
{
    static const double barred[Q_RESOURCES] = { 1000. / MILLI_ALL, 1000, 1000. * 1024 * 1024 };
    return (double)held * barred[r];
}

/* The larger of `most` and the share of one resource. */
static double share_or(double most, enum quota_resource r, int64_t held, int64_t allocatable,
                       const struct quota_amount *total)
{
    if (held == 0)
        return most;
    int64_t may = allocatable == UNLIMITED ? total->of[r] : allocatable;
    double share = may == 0 ? quota_barred_share(r, held) : (double)held / (double)may;
    return share > most ? share : most;
}

static double dominant_share(const struct quota_queue *q, const struct quota_amount *victims,
                             const struct quota_amount *allocatable,
                             const struct quota_amount *total)
{
    double most = 0;
    for (enum quota_resource r = 0; r < Q_RESOURCES; r++)
        most = share_or(most, r, q->of[r].allocated - victims->of[r], allocatable->of[r], total);
    return most;
}

void quota_stand(struct quota_standing *s, const struct quota_queue *queue,
                 const struct quota_amount *job, const struct quota_amount *victims,
                 const struct quota_amount *total)
{
    job = job ? job : &nothing;
    victims = victims ? victims : &nothing;
    double with = 0, without = 0;
    bool over_used = true, starved = true, barred = false;
    for (enum quota_resource r = 0; r < Q_RESOURCES; r++) {
        const struct quota_share *of = &queue->of[r];
        int64_t held = of->allocated, with_job = held + job->of[r], may = quota_allocatable(of);
        s->allocatable.of[r] = may;
        over_used = over_used && of->fair < held;
        if (held == 0 && job->of[r] == 0 && victims->of[r] == 0)
            continue;              /* it holds none of it: within all, and no share */
        starved = starved && at_most(with_job, of->deserved);
        barred = barred || (may == 0 && with_job > 0);
        with = share_or(with, r, with_job - victims->of[r], may, total);
        without = share_or(without, r, held, may, total);
    }
    uint64_t by_priority = (uint64_t)((int64_t)INT32_MAX - queue->priority);    /* 32 bits */
    s->queue = queue;
    s->rank = (uint64_t)over_used << 34 | (uint64_t)!starved << 33 | by_priority << 1 | barred;
    s->with = with;
    s->without = without;
}

struct quota_standing quota_standing(const struct quota_queue *queue,
                                     const struct quota_amount *job,
                                     const struct quota_amount *victims,
                                     const struct quota_amount *total)
{
    struct quota_standing s;
    quota_stand(&s, queue, job, victims, total);
    return s;
}

double quota_share_without(const struct quota_standing *s, const struct quota_amount *victims,
                           const struct quota_amount *total)
{
    return dominant_share(s->queue, victims, &s->allocatable, total);
}

struct quota_lessened quota_lessened(const struct quota_standing *s,
                                     const struct quota_amount *total)
{
    int64_t held = s->queue->of[Q_GPU].allocated, may = s->allocatable.of[Q_GPU];
    may = may == UNLIMITED ? total->of[Q_GPU] : may;
    struct quota_amount gpus = { { held, 0, 0 } };
    bool others = s->queue->of[Q_CPU].allocated != 0 || s->queue->of[Q_MEM].allocated != 0;
    return (struct quota_lessened){ held, (double)may,
                                    others ? quota_share_without(s, &gpus, total) : 0, may == 0 };
}

void quota_standing_less(struct quota_standing *s, const struct quota_amount *victims,
                         const struct quota_amount *total)
{
    s->with = quota_share_without(s, victims, total);
}

bool quota_goes_before(const struct quota_standing *a, const struct quota_standing *b)
{
    if (a->rank != b->rank)
        return a->rank < b->rank;
    return a->with != b->with ? a->with < b->with : quota_tie_before(a, b);
}

bool quota_tie_before(const struct quota_standing *a, const struct quota_standing *b)
{
    if (a->without != b->without)
        return a->without < b->without;
    bool a_within = quota_within(&a->allocatable, &b->allocatable),
         b_within = quota_within(&b->allocatable, &a->allocatable);
    return a_within != b_within ? a_within : a->queue < b->queue;
}

bool quota_may_reclaim(const struct quota_queue *leaf, const struct quota_amount *ask, bool firm)
{
    return WITHIN(leaf, allocated, ask, fair) && (!firm || WITHIN(leaf, firm, ask, deserved));
}

bool quota_maintain_fair_share(const struct quota_queue *victim, const struct quota_amount *left)
{
    for (enum quota_resource r = 0; r < Q_RESOURCES; r++)
        if (!at_most(left->of[r], quota_allocatable(&victim->of[r])))
            return true;
    return false;
}

bool quota_within_deserved(const struct quota_queue *taker, const struct quota_amount *ask)
{
    return WITHIN(taker, allocated, ask, deserved);
}

bool quota_above_deserved(const struct quota_queue *victim, const struct quota_amount *left)
{
    for (enum quota_resource r = 0; r < Q_RESOURCES; r++)
        if (!at_most(left->of[r], victim->of[r].deserved))
            return true;
    return false;
}

bool quota_guarantee_deserved(const struct quota_queue *taker, const struct quota_amount *ask,
                              const struct quota_queue *victim, const struct quota_amount *left)
{
    return quota_within_deserved(taker, ask) && quota_above_deserved(victim, left);
}

void quota_scenario_begin(struct quota_scenario *s, const struct quota_queue *q,
                          struct quota_loss *loss, queue_id leaf, const struct quota_amount *ask,
                          bool firm, double multiplier)
{
    *s = (struct quota_scenario){ q, loss, leaf, leaf, ID_NONE, *ask, firm, multiplier };
    queue_id below = ID_NONE;
    for (queue_id i = leaf; i != ID_NONE; below = i, i = q[i].parent) {
        loss[i].on_path = true;
        loss[i].below = below;
        s->top = i;
    }
}

static struct quota_amount left_of(const struct quota_scenario *s, queue_id i)
{
    struct quota_amount left;
    for (enum quota_resource r = 0; r < Q_RESOURCES; r++)
        left.of[r] = s->q[i].of[r].allocated - s->loss[i].lost.of[r];
    return left;
}

/* The two siblings between which it is decided whether a unit of that leaf may be taken. */
struct siblings { queue_id victim, taker; };

static struct siblings siblings_of(const struct quota_scenario *s, queue_id victim_leaf)
{
    queue_id victim = victim_leaf, parent;
    while ((parent = s->q[victim].parent) != ID_NONE && !s->loss[parent].on_path)
        victim = parent;
    return (struct siblings){ victim, parent == ID_NONE ? s->top : s->loss[parent].below };
}

static bool may_take(const struct quota_scenario *s, queue_id victim_leaf)
{
    struct siblings of = siblings_of(s, victim_leaf);
    struct quota_amount left = left_of(s, of.victim);
    return quota_maintain_fair_share(&s->q[of.victim], &left) ||
           quota_guarantee_deserved(&s->q[of.taker], &s->ask, &s->q[of.victim], &left);
}

static int64_t above_by(int64_t left, int64_t bound)
{
    return at_most(left, bound) ? 0 : left == UNLIMITED ? INT64_MAX : left - bound;
}

int64_t quota_scenario_spare(const struct quota_scenario *s, queue_id victim_leaf, queue_id *giver)
{
    struct siblings of = siblings_of(s, victim_leaf);
    const struct quota_share *has = s->q[of.victim].of;
    bool owed = quota_within_deserved(&s->q[of.taker], &s->ask);
    int64_t spare = 0;
    *giver = of.victim;
    for (enum quota_resource r = 0; r < Q_RESOURCES; r++) {
        int64_t of_fair = above_by(has[r].allocated, quota_allocatable(&has[r])),
                of_deserved = owed ? above_by(has[r].allocated, has[r].deserved) : 0;
        int64_t most = of_fair > of_deserved ? of_fair : of_deserved;
        if (most > 0 && r != Q_GPU)
            return INT64_MAX;
        spare = most > spare ? most : spare;
    }
    return spare;
}

bool quota_scenario_take(struct quota_scenario *s, queue_id victim_leaf,
                         const struct quota_amount *unit)
{
    if (!may_take(s, victim_leaf))
        return false;
    for (queue_id i = victim_leaf; i != ID_NONE; i = s->q[i].parent) {
        struct quota_loss *l = &s->loss[i];
        if (!l->touched) {
            l->touched = true;
            l->next = s->losers;
            s->losers = i;
        }
        for (enum quota_resource r = 0; r < Q_RESOURCES; r++) {
            l->lost.of[r] += unit->of[r];
            l->involved[r] = l->involved[r] || unit->of[r] > 0;
        }
    }
    return true;
}

/* What is held by fair share. */
static double saturation(int64_t held, int64_t fair)
{
    if (fair == UNLIMITED)
        return 0;
    if (fair == 0)
        return held > 0 ? INFINITY : 0;
    return (double)held / (double)fair;
}

static bool stays_below(const struct quota_scenario *s, queue_id i, const struct quota_amount *held,
                        queue_id sibling)
{
    struct quota_amount left = left_of(s, sibling);
    for (enum quota_resource r = 0; r < Q_RESOURCES; r++) {
        int64_t fair = s->q[i].of[r].fair, other = s->q[sibling].of[r].fair;
        if ((s->ask.of[r] <= 0 && !s->loss[sibling].involved[r]) || other <= 0)
            continue;
        double ratio = saturation(held->of[r], fair);
        if (ratio > 1 && ratio * s->multiplier >= saturation(left.of[r], other))
            return false;
    }
    return true;
}

bool quota_scenario_valid(const struct quota_scenario *s)
{
    for (queue_id i = s->leaf; i != ID_NONE; i = s->q[i].parent) {
        struct quota_amount left = left_of(s, i), held = quota_sum(&left, &s->ask);
        for (queue_id v = s->losers; v != ID_NONE; v = s->loss[v].next)
            if (v != i && s->q[v].parent == s->q[i].parent && !stays_below(s, i, &held, v))
                return false;
        if (s->firm && !WITHIN(&s->q[i], firm, &s->ask, deserved))
            return false;
    }
    return true;
}

void quota_scenario_end(struct quota_scenario *s)
{
    for (queue_id v = s->losers, next; v != ID_NONE; v = next) {
        next = s->loss[v].next;
        s->loss[v] = (struct quota_loss){ 0 };
    }
    for (queue_id i = s->leaf; i != ID_NONE; i = s->q[i].parent)
        s->loss[i] = (struct quota_loss){ 0 };
}
