/* summary_quota.c - fairness and quota: the metrics that are made of what quotas.c and books.c have kept (models.md 10.4). */
#include "sim/base/memory.h"
#include "sim/results/statistics.h"
#include "sim/results/summary_builder.h"

#include <math.h>
#include <stdlib.h>

/* What is added up over the queues of a scope. */
struct owed {
    bool deserves;                /* it, or one of them, has a deserved quota */
    int128_t owed, satisfied, unused, borrowed;
    struct run_preemptions preemptions[PREEMPTION_CAUSES];
    struct { size_t n, open, capacity; int64_t *ns; } reclaims;
};

static bool is_leaf(const struct sched *s, queue_id q)
{
    return run_setup_of(s)->cluster->queue[q].first_child == ID_NONE;
}

static void add_quota(struct owed *t, const struct run_quota *i)
{
    t->deserves |= i->deserves;
    t->owed += i->owed;
    t->satisfied += i->satisfied;
    t->unused += i->unused;
    t->borrowed += i->borrowed;
}

static void add_preemptions(struct owed *t, const struct sched *s, queue_id q)
{
    const struct run_preemptions *p = run_queue_preemptions(s, q);
    for (unsigned i = 0; i < PREEMPTION_CAUSES; i++) {
        t->preemptions[i].n += p[i].n;
        t->preemptions[i].lost += p[i].lost;
    }
}

static void add_reclaims(struct owed *t, const struct sched *s, queue_id q)
{
    const struct run_reclaim *list;
    size_t n = run_queue_reclaims(s, q, &list);
    for (size_t i = 0; i < n; i++) {
        mem_grow(&t->reclaims.ns, &t->reclaims.capacity, t->reclaims.n, sizeof *t->reclaims.ns);
        t->reclaims.ns[t->reclaims.n++] = list[i].end_ns - list[i].start_ns;
        t->reclaims.open += list[i].open;
    }
}

static void put_reclaims(struct summary_builder *k, const char *scope, const struct owed *t)
{
    size_t n = t->reclaims.n;
    int128_t sum = 0;
    int64_t longest = 0;
    for (size_t i = 0; i < n; i++) {
        sum += t->reclaims.ns[i];
        longest = t->reclaims.ns[i] > longest ? t->reclaims.ns[i] : longest;
    }
    summary_put(k, RECLAIMS, scope, (double)n, t->deserves);
    summary_put(k, RECLAIMS_OPEN, scope, (double)t->reclaims.open, t->deserves);
    summary_put(k, RECLAIM_MEAN, scope, (double)sum / (double)n / (double)NS_PER_S, n);
    summary_put(k, RECLAIM_P90, scope, n ? quantile(t->reclaims.ns, n, .9) / (double)NS_PER_S : 0, n);
    summary_put(k, RECLAIM_MAX, scope, seconds(longest), n);
}

static void put_owed(struct summary_builder *k, const char *scope, const struct owed *t, bool satisfaction)
{
    summary_put(k, QUOTA_SATISFACTION, scope, t->owed ? (double)t->satisfied / (double)t->owed : 1, satisfaction);
    summary_put(k, QUOTA_UNMET, scope, gpu_hours(t->owed - t->satisfied), satisfaction);
    summary_put(k, QUOTA_UNUSED, scope, gpu_hours(t->unused), t->deserves);
    summary_put(k, BORROWED, scope, gpu_hours(t->borrowed), t->deserves);
    put_reclaims(k, scope, t);
}

static void put_preemptions(struct summary_builder *k, const char *scope, const struct owed *t)
{
    for (unsigned i = 0; i < PREEMPTION_CAUSES; i++)
        summary_put(k, PREEMPTED_FIRST + i, scope, (double)t->preemptions[i].n, 1);
    for (unsigned i = 0; i < PREEMPTION_CAUSES; i++)
        summary_put(k, LOST_FIRST + i, scope, gpu_hours(t->preemptions[i].lost), 1);
}

/* Of what it asked for within its fair share, and beyond: how much it held. */
static double fair_share_held(const struct run_quota *i)
{
    return i->fair ? (double)i->held / (double)i->fair : (double)NAN;
}

void summary_queue_quota(struct summary_builder *k, const char *scope, queue_id q)
{
    const struct run_quota *i = run_queue_quota(k->s, q);
    struct owed t = { .owed = 0 };
    add_quota(&t, i);
    add_reclaims(&t, k->s, q);
    put_owed(k, scope, &t, true);
    summary_put(k, FAIR_SHARE_HELD, scope, fair_share_held(i), i->fair != 0);
    if (is_leaf(k->s, q)) {
        add_preemptions(&t, k->s, q);
        put_preemptions(k, scope, &t);
    }
    free(t.reclaims.ns);
}

void summary_all_quota(struct summary_builder *k, const char *scope)
{
    uint32_t n = run_setup_of(k->s)->cluster->n_queues;
    double *share = mem_new(n, sizeof *share);
    size_t shares = 0;
    struct owed t = { .owed = 0 };
    for (queue_id q = 0; q < n; q++) {
        const struct run_quota *i = run_queue_quota(k->s, q);
        if (!is_leaf(k->s, q))
            continue;
        add_preemptions(&t, k->s, q);
        add_reclaims(&t, k->s, q);
        if (i->deserves)
            add_quota(&t, i);
        if (i->fair)
            share[shares++] = fair_share_held(i);
    }
    put_owed(k, scope, &t, t.deserves);
    summary_put(k, JAIN_INDEX, scope, jain_index(share, shares), shares);
    put_preemptions(k, scope, &t);
    free(t.reclaims.ns);
    free(share);
}
