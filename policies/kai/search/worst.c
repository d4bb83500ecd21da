/* worst.c - the victims that a consolidation looks at first, of leaves that are siblings: kept from
 * pass to pass.
 *
 * The place of each follows from what its own leaf has lost with it. So while a leaf does not
 * change, its victims keep their places, and only those of leaves that have changed are read again,
 * as far as they come before a bound. More are kept than are looked at: as long as enough of them
 * stay, the others need not be known. Which of two with equal shares comes first is a matter of
 * what their leaves hold now, and the leaf of the bound may have changed: so what is kept are those
 * before it by rank and share alone.
 *
 * The order of the leaves is asked only when all are listed. Else each leaf that has changed is compared by
 * its own standing, and need not move in that order in every pass. */
#include "policies/kai/search/search.h"

/* How many KAI looks at: one more than it says. 0: any number, or more than fit. */
static size_t looked_at(const struct quota_state *q)
{
    double looks = q->params->consolidation_victims;
    return looks < 0 || looks >= MOST_WORST - SPARE_WORST ? 0 : (size_t)looks + 1;
}

static bool is_kept(const struct worst_list *w, const struct order_entry *at)
{
    if (!w->bounded)
        return true;
    return at->rank != w->bound.rank ? at->rank > w->bound.rank : at->with > w->bound.with;
}

/* As order_above() of victims. */
static bool above(const struct worst_list *w, const struct order_entry *a, const struct order_entry *b)
{
    if (a->rank != b->rank)
        return a->rank > b->rank;
    if (a->with != b->with)
        return a->with > b->with;
    return quota_tie_before(&w->standing[b->queue], &w->standing[a->queue]);
}

static bool is_late(const struct worst_list *w, const struct order_entry *at)
{
    if (w->n < w->most)
        return w->anew ? w->bounded && above(w, &w->bound, at) : !is_kept(w, at);
    /* of one leaf those that hold nothing have equal entries: as late as the last is too late */
    return !above(w, at, &w->list[w->most - 1].at);
}

static void insert(struct worst_list *w, const struct worst *v)
{
    size_t i = w->n < w->most ? w->n++ : w->most - 1;
    for (; i > 0 && above(w, &v->at, &w->list[i - 1].at); i--)
        w->list[i] = w->list[i - 1];
    w->list[i] = *v;
    w->changed = w->changed || i < w->looks;
    if (w->n < w->most)
        return;
    w->bounded = true;
    w->bound = w->list[w->most - 1].at;
}

/* The victims of the leaf that are not late. false: some are elastic. */
static bool merge_leaf(struct sched *s, struct quota_state *q, const struct search *x,
                       queue_id leaf)
{
    struct worst_list *w = x->worst;
    struct quota_amount sum = { { 0 } };
    const struct victim_candidate *v;
    bool all = search_may_take_all(q, x, leaf);
    for (uint32_t k = 0; (v = leaf_candidate(s, q, &q->leaf[leaf], k)); k++) {
        if (!all && !search_may_take(s, q, x, &q->leaf[leaf], v))
            continue;
        sum = quota_sum(&sum, &v->holds);
        const struct quota_standing *now = &w->standing[leaf];
        struct worst one = { { now->rank, quota_share_without(now, &sum, &q->total), leaf }, k };
        if (is_late(w, &one.at))
            return true;
        if (v->surplus)
            return false;
        insert(w, &one);
    }
    return true;
}

/* As many leaves of the order as are kept: the last of them bounds what can be among them. */
static void bound_by_order(const struct order *o, struct worst_list *w)
{
    uint32_t root = o->q->n_queues;
    const struct order_entry *heap = &o->heap[o->q->first[root]], *last = heap;
    w->bounded = o->node[root].n >= w->most;
    for (size_t i = 1; i < w->most && w->bounded; i++)
        last = order_above(o, last, &heap[i]) ? &heap[i] : last;
    w->bound = *last;
}

/* It has victims; as of now. */
static bool leaf_stands(struct sched *s, struct quota_state *q, struct worst_list *w, queue_id leaf)
{
    const struct victim_candidate *first = leaf_candidate(s, q, &q->leaf[leaf], 0);
    if (first)
        quota_stand(&w->standing[leaf], &q->queue[leaf], NULL, &first->holds, &q->total);
    return first;
}

/* None of its victims is among those kept: so says its standing with the first. */
static bool leaf_is_late(const struct quota_state *q, const struct search *x, queue_id leaf)
{
    const struct quota_standing *now = &x->worst->standing[leaf];
    struct order_entry first = { now->rank, now->with, leaf };
    return search_may_take_all(q, x, leaf) && is_late(x->worst, &first);
}

static bool list_all(struct sched *s, struct quota_state *q, struct search *x)
{
    struct worst_list *w = x->worst;
    search_victims(s, q, x);
    w->n = 0;
    w->anew = w->changed = true;
    bound_by_order(x->order, w);
    if (w->bounded)
        (void)leaf_stands(s, q, w, w->bound.queue);
    struct order_scan scan;
    order_scan_begin(&scan, x->order);
    for (queue_id leaf; (leaf = order_scan_next(&scan, w->bounded ? &w->bound : NULL)) != ID_NONE;)
        if (leaf_stands(s, q, w, leaf) && !merge_leaf(s, q, x, leaf))
            return false;
    return true;
}

static bool list_changed(struct sched *s, struct quota_state *q, struct search *x)
{
    struct worst_list *w = x->worst;
    struct changes *c = &q->worst_changed;
    size_t n = 0;
    w->anew = false;
    while (w->n > 0 && !is_kept(w, &w->list[w->n - 1].at))
        w->n--;
    for (size_t i = 0; i < w->n; i++) {
        bool stays = c->last[w->list[i].at.queue] <= w->read;
        if (stays)
            w->list[n++] = w->list[i];
        w->changed = w->changed || (!stays && i < w->looks);
    }
    w->n = n;
    size_t at = c->n;
    for (const struct change *one; (one = changes_next(c, w->read, &at));) {
        queue_id leaf = one->of;
        if (leaf_stands(s, q, w, leaf) && !leaf_is_late(q, x, leaf) && !merge_leaf(s, q, x, leaf))
            return false;
    }
    return true;
}

/* What a leaf that the pass has acted on may lose is a matter of this pass. */
static void acted_change(struct quota_state *q)
{
    for (size_t i = 0; i < q->n_acted; i++)
        worst_changed(q, q->acted[i]);
}

static struct worst_list *worst_new(struct sched *s, const struct quota_state *q, struct search *x)
{
    x->worst = sched_alloc(s, sizeof *x->worst);
    x->worst->standing = sched_alloc(s, q->n_queues * sizeof *x->worst->standing);
    return x->worst;
}

const struct worst *worst_victims(struct sched *s, struct quota_state *q, struct search *x,
                                  size_t *n)
{
    size_t most = looked_at(q);
    if (most == 0 || !order_is_flat(&q->worst))
        return NULL;
    struct worst_list *w = x->worst ? x->worst : worst_new(s, q, x);
    w->most = most + SPARE_WORST;
    w->looks = most;
    w->changed = false;
    acted_change(q);
    bool known = w->known && list_changed(s, q, x) &&
                 (!w->bounded || (w->n >= most && is_kept(w, &w->list[most - 1].at)));
    w->known = known || list_all(s, q, x);
    w->read = changes_read(&q->worst_changed);
    acted_change(q);
    *n = min_size(w->n, most);
    return w->known ? w->list : NULL;
}
