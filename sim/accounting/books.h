/* books.h - what each queue holds and asks for, up the tree, and what it was owed and got. */
#pragma once
#include "sim/base/fetch.h"
#include "sim/engine/state.h"

struct queue_books {
    /* A job of thousands of queues touches books that are in no near cache: what each touches is together. */
    int64_t since_ns, short_since_ns;    /* short: of its own, see quotas.c; TIME_NEVER: it is not */
    struct amount held, pending, held_firm;
    int64_t occupied_milli;       /* GPUs held in truth: no claims, but those that are being left */
    uint32_t present;             /* its own jobs that have arrived and not gone */
    bool changed, unseen;         /* since the last instant; since the policy asked */
    queue_id parent;              /* of the tree */
    struct run_quota quota;       /* settled up to since_ns */
    int128_t deserved_before;     /* deserved quota over time, up to its last change */
    int64_t turned_ns;            /* that change */
    struct run_reclaim *reclaim;
    size_t n_reclaims, reclaim_capacity;
    struct run_preemptions preemptions[PREEMPTION_CAUSES];
    int64_t month_end_ns;         /* of the month in which it was settled last, when some queue has a budget */
    int128_t held_before_month;   /* quota.held when that month began */
    double used_milli_s;          /* decayed GPU time up to since_ns, see usage.c */
};

/* Written by sim/accounting alone. */
struct books {
    struct queue_books *queue;    /* [n] of the queues; behind them, by flavor, of their jobs that count in it */
    size_t n;                     /* n_queues * (1 + flavors) */
    bool budgets;                 /* some queue has one */
    int64_t half_life_ns;         /* of past use; 0: it is not asked for */
    struct books_capacity {       /* [1 + flavors] of all nodes, then of those of each */
        double had_milli_s;       /* decayed GPU time of nodes that were up, until has_since_ns; has_milli since then */
        int64_t has_milli, has_since_ns;
    } *capacity;
    queue_id *changed, *unseen;   /* queues that have changed since the last instant; since the policy asked */
    size_t n_changed, n_unseen;
};

/* Prefetch: what a job adds to in the books of its queue. */
static inline void books_fetch(const struct sched *s, queue_id q)
{
    fetch_lines(&s->books->queue[q], offsetof(struct queue_books, deserved_before));
}
void books_begin(struct sched *s);                                        /* when all else of the run is there */
void books_end(struct sched *s);
size_t books_unseen(struct sched *s, const queue_id **queues);            /* those that have changed since the policy asked last */
void books_fair_share(struct sched *s, queue_id q, struct amount share);  /* the fair share that the policy reports */
size_t books_changes(const struct sched *s);                              /* queues that have changed in this instant */
void books_instant_ends(struct sched *s);
void books_forget_policy(struct sched *s);                                /* no fair share is reported, and all queues are unseen */

/* books.c - queues: held and pending, up the tree. What is more from now on, or less (negative). */
struct books_change { struct amount held, pending; int64_t occupied_milli; };
void books_change(struct sched *s, job_id j, const struct books_change *c);
void books_held(struct sched *s, job_id j, struct amount size, int sign);  /* size: of the tasks in question */
void books_pending(struct sched *s, job_id j, struct amount size, int sign);
void books_count_in(struct sched *s, struct live *l, uint32_t flavor);     /* it waits, and holds nothing */
void books_given_up(struct sched *s, const struct live *l, const struct placement *p);    /* it holds p no more, and asks for all of it again */
void books_occupied(struct sched *s, job_id j, const struct placement *p, int sign);    /* held in truth from now on, or no more */
void books_present(struct sched *s, job_id j, int sign);                  /* j arrives (1) or goes (-1) */
/* Causes: enum preemption_cause, or LOST_BY(cause of interruption.h). What a stop now would be put
 * down to: `unnamed` unless l->now says more. A stop that saves loses what it loses later: the cause
 * is that of the stop. */
#define LOST_BY(strike) (PREEMPTION_CAUSES + (strike))
unsigned books_cause(const struct sched *s, const struct live *l, unsigned unnamed);
void books_preempted(struct sched *s, job_id j, unsigned cause);
void books_lost(struct sched *s, job_id j, unsigned cause, const struct placement *p,
                int64_t lost_ns);
double books_contending_ns(const struct sched *s, const struct live *l);  /* of contending queues since it arrived: the integral, up to now */
int64_t books_fairness_micro(const struct sched *s, job_id j);            /* finish-time fairness of a job; -1: it has not ended, or none */

/* usage.c - past use, with a half-life: see queue_usage_decays() */
/* has: [1 + flavors] GPUs of nodes that are up */
void books_usage_decays(struct sched *s, int64_t half_life_ns, const int64_t *has_milli);
double books_usage(const struct sched *s, queue_id q, int64_t time_ns);
void usage_settle(const struct sched *s, struct queue_books *b);          /* before its books change */
void books_note(struct sched *s, queue_id q);
static inline void books_shown(struct sched *s, queue_id q)               /* queues.csv has a row of it, and queue_changes() */
{
    const struct queue_books *b = &s->books->queue[q];
    if (!(b->changed && b->unseen))
        books_note(s, q);
}
void books_capacity(struct sched *s, node_id n, int64_t more_milli);      /* GPUs came, or went (negative) */

/* quotas.c - what each queue is owed and gets */
void quotas_begin(struct sched *s);
void quotas_end(struct sched *s);
void quotas_changed(struct sched *s);                                      /* s->queue has other quotas from now on */
bool books_budget_spent(struct sched *s, queue_id q);
int64_t books_month_end_ns(const struct sched *s);                        /* of the present month */
void quota_advance(struct sched *s, queue_id q);                          /* its integrals, up to now */
static inline void quota_settle(struct sched *s, queue_id q)              /* before its books change */
{
    if (s->books->queue[q].since_ns != s->now_ns || s->books->budgets)
        quota_advance(s, q);
}
