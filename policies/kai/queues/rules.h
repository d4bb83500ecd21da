/* rules.h - which queue is next, and which queue may take from which, under guaranteed quota: pure
 * rules over the shares of a tree.
 *
 * All of
 * NVIDIA/KAI-Scheduler:pkg/scheduler/plugins/proportion/{queue_order,capacity_policy,reclaimable}/.
 * UNLIMITED is more than any number and equal to itself. "Within" means in every resource; "above",
 * not within, in at least one. */
#pragma once
#include "policies/kai/queues/division.h"

bool quota_within(const struct quota_amount *a, const struct quota_amount *b);
struct quota_amount quota_sum(const struct quota_amount *a, const struct quota_amount *b);

/* ---- Capacity: whether a job of this queue may get so much, of what it asks for ---- */
enum quota_verdict { QUOTA_FITS, QUOTA_OVER_LIMIT, QUOTA_OVER_DESERVED };
/* At every queue up the tree: allocated + ask <= limit; firm (not preemptible): firm + ask <=
 * deserved too. The limits of all queues are tested first. at: the queue that says no, or ID_NONE;
 * may be NULL. */
enum quota_verdict quota_capacity(const struct quota_queue *q, queue_id leaf,
                                  const struct quota_amount *ask, bool firm, queue_id *at);

/* The second alone: what a firm job may ask for before room is made for it. */
bool quota_firm_fits(const struct quota_queue *q, queue_id leaf, const struct quota_amount *ask,
                     queue_id *at);

/* ---- Order of sibling queues ---- */
/* The standing of a queue with the best job below it (job), or, when victims are chosen, with those
 * of that job's leaf that are chosen already and the next one (victims; job is then 0). The first
 * difference decides which queue is served earlier; victims are taken from the last first:
 *   1 not holding more than the fair share of all three resources
 *   2 within deserved with the job
 *   3 higher priority
 *   4 with the job, holding nothing of which it may hold nothing
 *   5 the smaller dominant share with the job, less the victims
 *   6 the smaller dominant share as it is
 *   7 the smaller allocatable share (within, and less somewhere)
 *   8 the older queue
 * A dominant share is max allocated / allocatable: the cluster's total where that is unlimited;
 * 1000 x what is held, in GPUs, milli-CPUs and bytes, where it is 0. Equal ratios are equal
 * doubles; different ones differ while the products of their terms are below 2^53. Compute a
 * standing again when the queue's shares or its best job change; comparing them is cheap. */
struct quota_standing {
    const struct quota_queue *queue;
    uint64_t rank;                            /* 1 to 4: the lower is served earlier */
    double with, without;                     /* 5, 6 */
    struct quota_amount allocatable;          /* 7 */
};
struct quota_standing quota_standing(const struct quota_queue *queue,
                                     const struct quota_amount *job,
                                     /* NULL: none */
                                     const struct quota_amount *victims,
                                     const struct quota_amount *total);
/* The same where it is kept. A copy of all that has just been written, field by field, would wait for it. */
void quota_stand(struct quota_standing *s, const struct quota_queue *queue,
                 const struct quota_amount *job, const struct quota_amount *victims,
                 const struct quota_amount *total);
/* 5 alone, with victims and no job. The more victims, the smaller, or the same. */
double quota_share_without(const struct quota_standing *s, const struct quota_amount *victims,
                           const struct quota_amount *total);
/* The same of victims that hold GPUs alone, for many of them: what does not depend on them. */
struct quota_lessened { int64_t held; double may, least; bool barred; };
struct quota_lessened quota_lessened(const struct quota_standing *s,
                                     const struct quota_amount *total);
double quota_barred_share(enum quota_resource r, int64_t held);
static inline double quota_lessened_share(const struct quota_lessened *l, int64_t victims)
{
    int64_t held = l->held - victims;
    double share = l->barred ? quota_barred_share(Q_GPU, held) : (double)held / l->may;
    return held != 0 && share > l->least ? share : l->least;
}
/* The same, with other victims. */
void quota_standing_less(struct quota_standing *s, const struct quota_amount *victims,
                         const struct quota_amount *total);
bool quota_goes_before(const struct quota_standing *a, const struct quota_standing *b);
/* The same where 1 to 5 do not differ. */
bool quota_tie_before(const struct quota_standing *a, const struct quota_standing *b);

/* ---- Reclaim: a queue takes from another ---- */
/* The gate: allocated + ask within the leaf's fair share; firm: firm + ask within deserved too. */
bool quota_may_reclaim(const struct quota_queue *leaf, const struct quota_amount *ask, bool firm);
/* Two reasons to take from a queue that has `left` left. The queues are siblings. */
/* Above its allocatable. */
bool quota_maintain_fair_share(const struct quota_queue *victim, const struct quota_amount *left);
bool quota_guarantee_deserved(const struct quota_queue *taker, const struct quota_amount *ask,
                              const struct quota_queue *victim,
                              /* taker within deserved with ask, victim above deserved */
                              const struct quota_amount *left);
/* The two conditions of that. */
bool quota_within_deserved(const struct quota_queue *taker, const struct quota_amount *ask);
bool quota_above_deserved(const struct quota_queue *victim, const struct quota_amount *left);

/* A whole scenario: the victims of one reclaim, fed unit by unit (an elastic task each, the core of
 * a gang as one; not what is placed again), then judged. A unit may be taken if, before it is
 * taken, one of the two reasons holds between the ancestors of taker and victim just below the
 * lowest that they share. In the end, from the taker's leaf up, against each sibling that lost
 * something, in each resource that the taker or that sibling's victims ask for, unless both fair
 * shares are unlimited:
 *     not (t / fair > 1 and sibling's fair > 0 and multiplier t / fair >= left / sibling's fair),
 *         t = left + ask
 * so that the taker stays less saturated than the sibling. A firm taker stays within deserved
 * everywhere. `q` are the shares before any victim was stopped and the job placed, and do not
 * change meanwhile. */
struct quota_loss {               /* [queues], zero at first; scratch of the scenario */
    struct quota_amount lost;
    queue_id next;                /* among those that lost something */
    queue_id below;               /* on the taker's path: the next queue towards the leaf */
    bool touched, on_path, involved[Q_RESOURCES];
};
struct quota_scenario {
    const struct quota_queue *q;
    struct quota_loss *loss;
    /* of the taker; its top queue; list by quota_loss.next, ID_NONE ends */
    queue_id leaf, top, losers;
    struct quota_amount ask;
    bool firm;
    double multiplier;            /* at least 1 */
};
void quota_scenario_begin(struct quota_scenario *s, const struct quota_queue *q,
                          struct quota_loss *loss, queue_id leaf, const struct quota_amount *ask,
                          bool firm, double multiplier);
/* false: it may not */
bool quota_scenario_take(struct quota_scenario *s, queue_id victim_leaf,
                         const struct quota_amount *unit);
/* A unit of that leaf may be taken as long as `giver`, the sibling of the taker above it, has lost
 * less than so many milli-GPUs; none if that is not above 0. INT64_MAX: it may lose all. As of before
 * anything is taken. */
int64_t quota_scenario_spare(const struct quota_scenario *s, queue_id victim_leaf, queue_id *giver);
bool quota_scenario_valid(const struct quota_scenario *s);
/* Leaves loss zero. Each step costs the depth, and the judgement depth x losers. */
void quota_scenario_end(struct quota_scenario *s);
