/* ahead.c - the first victim that helps a reclaim, without a walk to it.
 *
 * While no node with potential victims comes to hold one more task, no scenario is tried. Where the
 * task is wide that goes for most victims: hundreds of small jobs come before the first that
 * leaves enough on some node. Where leaves are siblings, the place of a victim in the order follows
 * from what its own leaf has lost with it, whatever the others lose: the more, the later. So leaves
 * are read one by one, each as far as its victims come before the first that is known to help, and
 * the milli-GPUs of each node are added up.
 *
 * A node helps from the first of its victims on with which, in the order, it has enough. Of all
 * that the walk would have found by then, a scenario needs only the units with tasks on nodes of
 * the one that helps. If the scenarios fail, the search begins again, and walks. Elastic jobs,
 * protected ones and trees of queues are left to the walk. See search.h. */
#include "policies/kai/search.h"

/* Pieces of one victim on one node are one. */
struct ahead_piece { uint32_t victim, next; int64_t milli; };
struct ahead_victim {
    struct order_entry at;        /* of its leaf, with what it has lost when this is taken */
    uint32_t k;                   /* which of the leaf's candidates */
    bool taken;                   /* a unit of the search */
    const struct victim_candidate *of;
};
/* first: of its pieces; milli, needs: as of struct on_node, with all of them. */
struct ahead_node { uint32_t stamp, first; int64_t milli, needs; };
struct ahead {
    struct ahead_node *node;      /* [nodes] */
    struct ahead_victim *victim;  /* [n_victims] in no order */
    size_t n_victims, victim_capacity;
    struct ahead_piece *piece;
    size_t n_pieces, piece_capacity;
    uint32_t first;               /* the first victim that helps, so far; ID_NONE: none */
    size_t n_seen;                /* candidates that the walk would have taken by then, or more */
};

static struct ahead *ahead_begin(struct sched *s, struct search *x)
{
    node_id first, end;
    view_domain_nodes(sched_view(s, FREE_IDLE), 0, &first, &end);
    if (!x->ahead) {
        x->ahead = sched_alloc(s, sizeof *x->ahead);
        x->ahead->node = sched_alloc(s, end * sizeof *x->ahead->node);
    }
    x->ahead->n_victims = x->ahead->n_pieces = x->ahead->n_seen = 0;
    x->ahead->first = ID_NONE;
    return x->ahead;
}

/* ---- The first that helps ---- */

static bool before(const struct search *x, const struct ahead *a, uint32_t i, uint32_t j)
{
    const struct ahead_victim *v = &a->victim[i], *w = &a->victim[j];
    return v->at.queue == w->at.queue ? v->k < w->k : order_above(x->order, &v->at, &w->at);
}

/* The first victim with which the node has enough; with all of them it has. */
static uint32_t helps_from(struct sched *s, const struct search *x, const struct ahead *a,
                           const struct ahead_node *n)
{
    size_t n_all = 0;
    for (uint32_t p = n->first; p != ID_NONE; p = a->piece[p].next)
        n_all++;
    uint32_t *sorted = sched_scratch(s, n_all * sizeof *sorted);
    size_t n_sorted = 0;
    int64_t milli = n->milli;
    for (uint32_t p = n->first; p != ID_NONE; p = a->piece[p].next) {
        size_t at = n_sorted++;
        for (; at > 0 && before(x, a, a->piece[p].victim, a->piece[sorted[at - 1]].victim); at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = p;
    }
    while (n_sorted > 1 && milli - a->piece[sorted[n_sorted - 1]].milli >= n->needs)
        milli -= a->piece[sorted[--n_sorted]].milli;
    return a->piece[sorted[n_sorted - 1]].victim;
}

static void add_to_node(struct sched *s, const struct search *x, struct ahead *a, uint32_t victim,
                        const struct piece *p)
{
    struct ahead_node *n = &a->node[p->node];
    int64_t milli = search_milli_of(p);
    if (n->stamp != x->stamp) {
        struct on_node begun = search_node_begun(s, x, p->node);
        *n = (struct ahead_node){ x->stamp, ID_NONE, begun.milli, begun.needs };
    }
    if (n->first != ID_NONE && a->piece[n->first].victim == victim) {
        a->piece[n->first].milli += milli;
    } else {
        a->piece =
            array_grown(sched_alloc, s, a->piece, &a->piece_capacity, a->n_pieces, sizeof *a->piece);
        a->piece[a->n_pieces] = (struct ahead_piece){ victim, n->first, milli };
        n->first = (uint32_t)a->n_pieces++;
    }
    n->milli += milli;
    if (n->milli < n->needs)
        return;
    uint32_t helps = helps_from(s, x, a, n);
    if (a->first == ID_NONE || before(x, a, helps, a->first))
        a->first = helps;
}

static void add_victim(struct sched *s, const struct search *x, struct ahead *a,
                       struct ahead_victim v)
{
    uint32_t i = (uint32_t)a->n_victims;
    a->victim =
        array_grown(sched_alloc, s, a->victim, &a->victim_capacity, i, sizeof *a->victim);
    a->victim[a->n_victims++] = v;
    for (size_t p = 0; p < v.of->has->n; p++)
        add_to_node(s, x, a, i, &v.of->has->piece[p]);
}

/* NULL: none helps so far. */
static const struct order_entry *first_at(const struct ahead *a)
{
    return a->first == ID_NONE ? NULL : &a->victim[a->first].at;
}

enum { FETCHED_AHEAD = 4 };       /* placements lie far apart */

/* The victims of a leaf, as far as they come before the first that helps. false: not known here. */
static bool read_leaf(struct sched *s, struct quota_state *q, const struct search *x,
                      struct ahead *a, queue_id leaf)
{
    struct leaf *l = &q->leaf[leaf];
    struct quota_amount sum = { { 0 } };
    const struct victim_candidate *v;
    bool all = search_may_take_all(q, x, leaf);
    for (uint32_t k = 0; (v = leaf_candidate(s, q, l, k)); k++) {
        if (k + FETCHED_AHEAD < l->n_candidates)
            __builtin_prefetch(v[FETCHED_AHEAD].has);
        if (!all && !search_may_take(s, q, x, l, v))
            continue;
        sum = quota_sum(&sum, &v->holds);
        struct order_entry at = order_entry_with(x->order, leaf, &sum);
        if (first_at(a) && !order_above(x->order, &at, first_at(a)))
            return true;
        if (v->surplus || (double)a->n_seen++ > q->params->victims)
            return false;
        /* what the tasks so far needed of it is no unit again, and else it has none */
        if (x->n_recorded == 0 || !search_has_recorded(x, v->job))
            add_victim(s, x, a, (struct ahead_victim){ at, k, false, v });
    }
    return true;
}

static bool read_leaves(struct sched *s, struct quota_state *q, const struct search *x,
                        struct ahead *a)
{
    struct order_scan scan = order_scan(x->order);
    for (queue_id leaf; (leaf = order_scan_next(&scan, first_at(a))) != ID_NONE;)
        if (!read_leaf(s, q, x, a, leaf))
            return false;
    return true;
}

/* ---- What a scenario needs ---- */

/* Victims up to the first that helps with tasks on nodes of that one: its units, in the order. */
static void take_victims(struct sched *s, struct quota_state *q, struct search *x,
                         const struct ahead *a)
{
    const struct placement *has = a->victim[a->first].of->has;
    uint32_t *list = sched_scratch(s, a->n_victims * sizeof *list);
    size_t n = 0;
    for (size_t i = 0; i < has->n; i++)
        for (uint32_t p = a->node[has->piece[i].node].first; p != ID_NONE; p = a->piece[p].next) {
            uint32_t v = a->piece[p].victim;
            if (a->victim[v].taken || before(x, a, a->first, v))
                continue;
            a->victim[v].taken = true;
            size_t at = n++;
            for (; at > 0 && before(x, a, v, list[at - 1]); at--)
                list[at] = list[at - 1];
            list[at] = v;
        }
    for (size_t i = 0; i < n; i++) {
        const struct ahead_victim *v = &a->victim[list[i]];
        struct quota_amount popped;
        (void)search_take_unit(s, q, x, search_add_victim(s, x, v->at.queue, v->of), &popped);
    }
}

enum ahead_answer search_ahead(struct sched *s, struct quota_state *q, struct search *x,
                               job_id *victim)
{
    if (x->action != RECLAIM || x->moves_only || !x->lacks || q->protects ||
        !order_is_flat(x->order))
        return AHEAD_UNKNOWN;
    struct ahead *a = ahead_begin(s, x);
    if (!read_leaves(s, q, x, a))
        return AHEAD_UNKNOWN;
    if (a->first == ID_NONE)
        return AHEAD_NONE;
    *victim = a->victim[a->first].of->job;
    take_victims(s, q, x, a);
    return AHEAD_FOUND;
}
