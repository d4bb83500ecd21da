/* worst.c - the victims that a consolidation looks at first, of leaves that are siblings: kept from
 * pass to pass.
 *
 * The place of each follows from what its own leaf has lost with it. So while a leaf does not
 * change, its victims keep their places, and only those of leaves that have changed are read again,
 * as far as they come before a bound. More are kept than are looked at: as long as enough of them
 * stay, the others need not be known. Which of two with equal shares comes first is a matter of
 * what their leaves hold now, and the leaf of the bound may have changed: so what is kept are those
 * before it by rank and share alone. */
#include "policies/kai/search.h"

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

static bool is_late(const struct order *o, const struct worst_list *w, const struct order_entry *at)
{
    if (w->n < w->most)
        return w->anew ? w->bounded && order_above(o, &w->bound, at) : !is_kept(w, at);
    /* of one leaf those that hold nothing have equal entries: as late as the last is too late */
    return !order_above(o, at, &w->list[w->most - 1].at);
}

static void insert(const struct order *o, struct worst_list *w, const struct worst *v)
{
    size_t i = w->n < w->most ? w->n++ : w->most - 1;
    for (; i > 0 && order_above(o, &v->at, &w->list[i - 1].at); i--)
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
        struct worst one = { order_entry_with(x->order, leaf, &sum), k };
        if (is_late(x->order, w, &one.at))
            return true;
        if (v->surplus)
            return false;
        insert(x->order, w, &one);
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

/* None of its victims is among those kept: so says its place in the order, which is that of the first. */
static bool leaf_is_late(const struct quota_state *q, const struct search *x, queue_id leaf)
{
    const struct order_node *n = &x->order->node[leaf];
    struct order_entry first = { n->standing.rank, n->standing.with, leaf };
    return !n->in || (search_may_take_all(q, x, leaf) && is_late(x->order, x->worst, &first));
}

static bool list_all(struct sched *s, struct quota_state *q, struct search *x)
{
    struct worst_list *w = x->worst;
    search_victims(s, q, x);
    w->n = 0;
    w->anew = w->changed = true;
    bound_by_order(x->order, w);
    struct order_scan scan;
    order_scan_begin(&scan, x->order);
    for (queue_id leaf; (leaf = order_scan_next(&scan, w->bounded ? &w->bound : NULL)) != ID_NONE;)
        if (!merge_leaf(s, q, x, leaf))
            return false;
    return true;
}

static bool list_changed(struct sched *s, struct quota_state *q, struct search *x)
{
    struct worst_list *w = x->worst;
    size_t n = 0;
    w->anew = false;
    search_refresh_order(s, q, x);
    while (w->n > 0 && !is_kept(w, &w->list[w->n - 1].at))
        w->n--;
    for (size_t i = 0; i < w->n; i++) {
        bool stays = !q->leaf[w->list[i].at.queue].worst_changed;
        if (stays)
            w->list[n++] = w->list[i];
        w->changed = w->changed || (!stays && i < w->looks);
    }
    w->n = n;
    for (size_t i = 0; i < q->n_worst_changed; i++)
        if (!leaf_is_late(q, x, q->worst_changed[i]) && !merge_leaf(s, q, x, q->worst_changed[i]))
            return false;
    return true;
}

/* What a leaf that the pass has acted on may lose is a matter of this pass. */
static void acted_change(struct quota_state *q)
{
    for (size_t i = 0; i < q->n_acted; i++)
        worst_changed(q, q->acted[i]);
}

const struct worst *worst_victims(struct sched *s, struct quota_state *q, struct search *x,
                                  size_t *n)
{
    size_t most = looked_at(q);
    if (most == 0 || !order_is_flat(&q->worst))
        return NULL;
    struct worst_list *w = x->worst = x->worst ? x->worst : sched_alloc(s, sizeof *w);
    w->most = most + SPARE_WORST;
    w->looks = most;
    w->changed = false;
    acted_change(q);
    bool known = w->known && list_changed(s, q, x) &&
                 (!w->bounded || (w->n >= most && is_kept(w, &w->list[most - 1].at)));
    w->known = known || list_all(s, q, x);
    while (q->n_worst_changed)
        q->leaf[q->worst_changed[--q->n_worst_changed]].worst_changed = false;
    acted_change(q);
    *n = min_size(w->n, most);
    return w->known ? w->list : NULL;
}
