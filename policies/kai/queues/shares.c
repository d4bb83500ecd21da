/* shares.c - the shares of the queues as of now, from the books; fair shares, once a pass. */
#include "policies/kai/jobs/heads.h"
#include "policies/kai/search/search.h"
#include "policies/kai/jobs/reasons.h"

#include <string.h>

void quota_standing_changed(struct quota_state *q, queue_id i)
{
    if (!q->leaf[i].standing_changed)
        q->restanding[q->n_restanding++] = i;
    q->leaf[i].standing_changed = true;
    q->leaf[i].stood++;
    bitset_put(&q->leaves, q->preempts, i, true);
    heads_changed(q, i);
    worst_changed(q, i);
}

/* A waiting job of this leaf may pass the gate of reclaim with so much. Cheap, and false is
 * certain. */
static bool may_claim(const struct leaf *l, const struct quota_share *gpus, int64_t fair)
{
    return leaf_waits(l) && (l->growing || gpus->allocated + l->min_gpu_milli <= fair);
}

/* Jobs wait in leaves only. */
void quota_changed(struct quota_state *q, queue_id i)
{
    const struct leaf *l = &q->leaf[i];
    const struct quota_share *gpus = &q->queue[i].of[Q_GPU];
    bitset_put(&q->leaves, q->unreported, i, true);
    bitset_put(&q->leaves, q->preempts, i, true);
    bitset_put(&q->leaves, q->grows, i, l->growing > 0);
    bitset_put(&q->leaves, q->claims, i,
               may_claim(l, gpus, gpus->fair));
}

/* What the division knows of the queue is old. */
static void touch(struct quota_state *q, queue_id i, enum quota_resource r, bool settled)
{
    if (q->kept)
        quota_kept_touch(q->kept, i, r, settled);
}

/* One resource; true: the queue holds another amount of it. */
static bool refresh(struct quota_state *all, queue_id i, enum quota_resource r, int64_t held,
                    int64_t firm, int64_t request)
{
    struct quota_share *of = &all->queue[i].of[r];
    bool changed = of->allocated != held;
    if (held < of->allocated || firm < of->firm)
        told_doubt(all, i);
    of->firm = firm;
    if (!changed && of->request == request)
        return false;
    if (r == Q_GPU && all->queue[i].parent == ID_NONE)
        all->free_milli -= held - of->allocated;
    int64_t before = quota_requestable(of);
    of->allocated = held;
    of->request = request;
    int64_t now = quota_requestable(of);
    if (now != before)
        touch(all, i, r, quota_same_share(of, r, before, now));
    return changed;
}

void quota_refresh_one(struct sched *s, struct quota_state *q, queue_id i)
{
    struct amount held = queue_held(s, i + q->books), firm = queue_held_firm(s, i + q->books),
                  pending = queue_pending(s, i + q->books);
    bool changed =
        refresh(q, i, Q_GPU, held.gpu_milli, firm.gpu_milli, held.gpu_milli + pending.gpu_milli);
    changed |=
        refresh(q, i, Q_CPU, held.cpu_milli, firm.cpu_milli, held.cpu_milli + pending.cpu_milli);
    changed |= refresh(q, i, Q_MEM, held.mem_mib, firm.mem_mib, held.mem_mib + pending.mem_mib);
    if (!changed)
        return;
    quota_standing_changed(q, i);
    quota_changed(q, i);
}

void quota_refresh(struct sched *s, struct quota_state *q, queue_id leaf)
{
    for (queue_id i = leaf; i != ID_NONE; i = q->queue[i].parent)
        quota_refresh_one(s, q, i);
}

/* Of nodes of the pool that are up. CPUs or memory that are not modelled count as INT64_MAX / 4. */
static struct quota_amount capacity_of(struct sched *s, const struct quota_state *q)
{
    const struct view *v = sched_view(s, FREE_IDLE);
    node_id first, end;
    view_domain_nodes(v, 0, &first, &end);
    struct quota_amount sum = { { 0 } };
    for (node_id n = first; n < end; n++) {
        if (!sched_node_up(s, n) || (q->has_node && !q->has_node[n]))
            continue;
        struct quota_amount size = quota_amount(view_node_size(v, n));
        for (int r = 0; r < Q_RESOURCES; r++)
            sum.of[r] = size.of[r] == INT64_MAX || sum.of[r] == INT64_MAX / 4
                            ? INT64_MAX / 4
                            : sum.of[r] + size.of[r];
    }
    return sum;
}

static void see_measures(struct quota_state *q)
{
    q->one_measure = true;
    for (queue_id i = 0; i < q->n_queues; i++)
        for (enum quota_resource r = Q_GPU + 1; r < Q_RESOURCES; r++)
            q->one_measure = q->one_measure && q->queue[i].of[r].deserved == UNLIMITED &&
                             q->queue[i].of[r].limit == UNLIMITED;
}

void quota_tree_begin(struct sched *s, struct quota_state *q)
{
    uint32_t n = q->n_queues = queue_count(s);
    q->queue = sched_alloc(s, n * sizeof *q->queue);
    q->taker = sched_alloc(s, n * sizeof *q->taker);
    q->loss = sched_alloc(s, n * sizeof *q->loss);
    q->first = sched_alloc(s, (n + (size_t)2) * sizeof *q->first);
    for (queue_id i = 0; i < n; i++) {
        const struct queue_facts *f = queue_facts(s, i);
        struct quota quota = f->quota;
        if (q->has_node)
            queue_flavor_quota(s, i, q->flavor, &quota);
        struct quota_amount deserved = quota_amount(quota.deserved),
                            limit = quota_amount(quota.limit);
        const double weight[Q_RESOURCES] = { f->weight, f->cpu_weight, f->mem_weight };
        q->queue[i] = (struct quota_queue){ .priority = f->priority, .parent = f->parent };
        for (int r = 0; r < Q_RESOURCES; r++)
            q->queue[i].of[r] = (struct quota_share){ .deserved = deserved.of[r],
                                                      .limit = limit.of[r],
                                                      .weight = weight[r] };
        q->protects = q->protects || f->reclaim_min_runtime_ns > 0;
        q->protects_within = q->protects_within || f->preempt_min_runtime_ns > 0;
        q->first[(f->parent == ID_NONE ? n : f->parent) + 1]++;
    }
    for (uint32_t i = 0; i <= n; i++)
        q->first[i + 1] += q->first[i];
    see_measures(q);
    q->top = quota_arrange(q->queue, n);
    if (q->params->half_life_h <= 0)
        q->kept = quota_kept_new(sched_alloc, s, q->queue, n, q->top);
    q->total = capacity_of(s, q);
    q->free_milli = q->total.of[Q_GPU];
    q->restanding = sched_alloc(s, n * sizeof *q->restanding);
    changes_begin(sched_alloc, s, &q->worst_changed, n);
    changes_begin(sched_alloc, s, &q->heads_changed, n);
    q->asks = sched_alloc(s, n * sizeof *q->asks);
    q->acted = sched_alloc(s, n * sizeof *q->acted);
    q->doubted = sched_alloc(s, n * sizeof *q->doubted);
    q->leaves = bitset_shape(n);
    q->claims = sched_alloc(s, q->leaves.words * sizeof *q->claims);
    q->preempts = sched_alloc(s, q->leaves.words * sizeof *q->preempts);
    q->grows = sched_alloc(s, q->leaves.words * sizeof *q->grows);
    q->unreported = sched_alloc(s, q->leaves.words * sizeof *q->unreported);
    q->told = sched_alloc(s, q->leaves.words * sizeof *q->told);
    q->open = sched_alloc(s, q->leaves.words * sizeof *q->open);
    order_new(s, &q->jobs, q, false);
    order_new(s, &q->again, q, false);
    order_new(s, &q->worst, q, true);
    q->worst.compares = true;
}

void quota_quotas_changed(struct sched *s, struct quota_state *q)
{
    q->divided = false;
    told_doubt(q, ID_NONE);
    for (queue_id i = 0; i < q->n_queues && !q->has_node; i++) {
        struct quota_amount deserved = quota_amount(queue_facts(s, i)->quota.deserved),
                            limit = quota_amount(queue_facts(s, i)->quota.limit);
        for (enum quota_resource r = 0; r < Q_RESOURCES; r++) {
            q->queue[i].of[r].deserved = deserved.of[r];
            q->queue[i].of[r].limit = limit.of[r];
            touch(q, i, r, false);
        }
    }
    see_measures(q);
    for (queue_id i = 0; i < q->n_queues; i++)
        quota_standing_changed(q, i);
}

void quota_capacity_changed(struct sched *s, struct quota_state *q)
{
    struct quota_amount before = q->total;
    q->total = capacity_of(s, q);
    q->free_milli += q->total.of[Q_GPU] - before.of[Q_GPU];
    q->divided = false;
    for (enum quota_resource r = 0; r < Q_RESOURCES && q->kept; r++)
        quota_kept_unsettle(q->kept, ID_NONE, r);
    for (queue_id i = 0; i < q->n_queues; i++)
        quota_standing_changed(q, i);
}

static void take_usage(const struct sched *s, const struct quota_state *q,
                       struct quota_queue *queue, int64_t time_ns)
{
    for (queue_id i = 0; i < q->n_queues; i++)
        queue[i].of[Q_GPU].usage = queue_usage(s, i + q->books, time_ns);
}

/* The share in this pool, and what those in all pools come to. */
static void report_fair(struct sched *s, const struct quota_state *q, queue_id i)
{
    struct quota_amount sum = { { 0 } };
    for (uint32_t p = 0; p < q->pools->n; p++)
        for (enum quota_resource r = 0; r < Q_RESOURCES; r++)
            sum.of[r] += q->pools->shard[p].queue[i].of[r].fair;
    queue_fair_share(s, i, quota_as_amount(&sum));
    if (q->has_node)
        queue_fair_share(s, i + q->books, quota_as_amount(&q->leaf[i].fair));
}

bool quota_has_capacity(struct sched *s, struct quota_state *q, const struct job_facts *f,
                        const struct quota_amount *ask, enum wait_reason *why)
{
    if (f->preemptible && !q->leaf[f->queue].limited)
        return true;
    enum quota_verdict v = quota_capacity(q->queue, f->queue, ask, !f->preemptible, NULL);
    if (q->has_node && queue_over_limit(s, f->queue, quota_as_amount(ask)))
        v = QUOTA_OVER_LIMIT;
    if (why && v != QUOTA_FITS)
        *why = v == QUOTA_OVER_LIMIT ? WAIT_LIMIT : WAIT_QUOTA;
    return v == QUOTA_FITS;
}

static void note_fair(struct sched *s, struct quota_state *q, queue_id i)
{
    struct quota_amount fair;
    for (enum quota_resource r = 0; r < Q_RESOURCES; r++)
        fair.of[r] = q->queue[i].of[r].fair;
    if (!memcmp(&fair, &q->leaf[i].fair, sizeof fair))
        return;
    q->leaf[i].fair = fair;
    quota_changed(q, i);
    quota_standing_changed(q, i);
    report_fair(s, q, i);
}

/* Rows of so many queues later are fetched: of thousands few are in a near cache. */
enum { AHEAD = 4 };

void quota_divide_now(struct sched *s, struct quota_state *q)
{
    if (q->divided)
        return;
    q->divided = true;
    if (q->kept) {
        const queue_id *changed;
        size_t n = quota_kept_divide(q->kept, &q->total, q->taker, &changed);
        for (size_t i = 0; i < n; i++) {
            __builtin_prefetch(&q->leaf[changed[min_size(i + AHEAD, n - 1)]].fair);
            note_fair(s, q, changed[i]);
        }
        return;
    }
    take_usage(s, q, q->queue, sched_now(s));
    quota_divide_tree(q->queue, q->top, &q->total, q->params->k, q->taker);
    for (queue_id i = 0; i < q->n_queues; i++)
        note_fair(s, q, i);
}

/* ---- Fair shares that change because time passes ---- */

/* At that time, if nothing happens until then, shares are others, and some job may pass the gate
 * with its own. at: scratch, [n_queues]. */
static bool has_flipped(struct sched *s, const struct quota_state *q, struct quota_queue *at,
                        int64_t time_ns)
{
    bool other = false, claims = false;
    memcpy(at, q->queue, q->n_queues * sizeof *at);
    take_usage(s, q, at, time_ns);
    quota_divide_tree(at, q->top, &q->total, q->params->k, q->taker);
    for (queue_id i = 0; i < q->n_queues; i++) {
        const struct quota_share *gpus = &at[i].of[Q_GPU];
        other = other || gpus->fair != q->queue[i].of[Q_GPU].fair;
        claims = claims || may_claim(&q->leaf[i], gpus, gpus->fair);
    }
    return other && claims;
}

/* Looked for in steps that grow by half, from a second to 64 half-lives, when nothing of the past
 * is left; then between two steps. */
enum { NS_FIRST_STEP = 1000000000, HALF_LIVES = 64 };

void quota_wake_at_flip(struct sched *s, struct quota_state *q)
{
    int64_t now = sched_now(s), before = 0, after = NS_FIRST_STEP;
    double most = q->params->half_life_h * 3600e9 * HALF_LIVES;
    bool waits = false;
    for (queue_id i = 0; i < q->n_queues; i++)
        waits = waits || line_length(q->leaf[i].waiting) > 0;
    if (waits && q->changed) {     /* what is held from now on, the next pass knows */
        sched_wake_at(s, now + 1);
        return;
    }
    if (!waits || !q->divided || q->params->reclaim <= 0)
        return;
    struct quota_queue *at = sched_scratch(s, q->n_queues * sizeof *at);
    while (!has_flipped(s, q, at, now + after)) {
        before = after;
        after += after / 2;
        if ((double)after > most)
            return;
    }
    while (after - before > 1) {
        int64_t middle = before + (after - before) / 2;
        *(has_flipped(s, q, at, now + middle) ? &after : &before) = middle;
    }
    sched_wake_at(s, now + after);
}
