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
 * protected ones and trees of queues are left to the walk. See search.h.
 *
 * For the next task of the same job the order is the same, and what was read is kept: only nodes on
 * which units have been recorded since, or no longer are, count anew, and leaves are read on from
 * where they were left. */
#include "policies/kai/search.h"

/* Of a victim, all on one node. next: another of that node. */
struct ahead_piece {
    struct order_entry at;        /* of its leaf, with what it has lost when the victim is taken */
    uint32_t k;                   /* which of the leaf's candidates */
    uint32_t next;
    int64_t milli;
    bool recorded;                /* needed for the tasks so far: it leaves as it is */
};
/* first: of its pieces; lacks: milli-GPUs, with all of them; enough if that is not above 0. */
struct ahead_node { uint32_t stamp, first; int64_t lacks; };
/* What the walk over the candidates of a leaf has come to. */
struct reading {
    uint32_t stamp;
    uint32_t k;                   /* the next candidate */
    struct leaf *l;
    /* spots say all: each may be taken, nothing is recorded, and none so far holds but GPUs */
    bool by_spots;
    struct quota_amount sum;      /* of those so far */
    struct order_entry at;        /* of the leaf with the last that was looked at */
};
struct ahead {
    uint64_t search;              /* number of that for which all is read; 0: none */
    const struct request *run;    /* of its task */
    const struct view *free;      /* GPUs that are idle or being left */
    size_t most;                  /* candidates that the walk takes */
    uint32_t stamp;               /* of nodes and readings that are of it */
    struct ahead_node *node;      /* [nodes] */
    node_id *begun;               /* [n_begun] those that are of it */
    size_t n_begun;
    node_id *touched;             /* [n_touched] those with recorded units */
    size_t n_touched, touched_capacity;
    struct reading *reading;      /* [queues] */
    struct ahead_piece *piece;    /* [n_pieces] in no order */
    size_t n_pieces, piece_capacity;
    uint32_t first;               /* of the first victim that helps, so far; ID_NONE: none */
    size_t n_seen;                /* candidates that the walk would have taken by then, or more */
};

static struct ahead *ahead_of(struct sched *s, const struct quota_state *q, struct search *x)
{
    if (x->ahead)
        return x->ahead;
    node_id first, end;
    view_domain_nodes(sched_view(s, FREE_IDLE), 0, &first, &end);
    struct ahead *a = x->ahead = sched_alloc(s, sizeof *a);
    a->node = sched_alloc(s, end * sizeof *a->node);
    a->begun = sched_alloc(s, end * sizeof *a->begun);
    a->reading = sched_alloc(s, q->n_queues * sizeof *a->reading);
    return a;
}

static void begin_anew(struct sched *s, const struct quota_state *q, const struct search *x,
                       struct ahead *a)
{
    a->free = sched_view(s, FREE_OR_RELEASING);
    a->most = (size_t)q->params->victims + 1;
    a->search = x->number;
    a->run = x->run;
    a->stamp++;
    a->n_begun = a->n_touched = a->n_pieces = a->n_seen = 0;
    a->first = ID_NONE;
}

/* ---- The first that helps ---- */

static bool same_victim(const struct ahead_piece *v, const struct ahead_piece *w)
{
    return v->at.queue == w->at.queue && v->k == w->k;
}

static bool before(const struct search *x, const struct ahead *a, uint32_t i, uint32_t j)
{
    const struct ahead_piece *v = &a->piece[i], *w = &a->piece[j];
    return v->at.queue == w->at.queue ? v->k < w->k : order_above(x->order, &v->at, &w->at);
}

/* list[0] to list[n - 1] are sorted; one more. */
static void sort_in(const struct search *x, const struct ahead *a, uint32_t *list, size_t n,
                    uint32_t piece)
{
    for (; n > 0 && before(x, a, piece, list[n - 1]); n--)
        list[n] = list[n - 1];
    list[n] = piece;
}

/* The first victim with which the node has enough; with all of them it has. */
static uint32_t helps_from(struct sched *s, const struct search *x, const struct ahead *a,
                           const struct ahead_node *n)
{
    size_t n_all = 0, n_sorted = 0;
    int64_t lacks = n->lacks;
    for (uint32_t p = n->first; p != ID_NONE; p = a->piece[p].next)
        n_all++;
    uint32_t *sorted = sched_scratch(s, n_all * sizeof *sorted);
    for (uint32_t p = n->first; p != ID_NONE; p = a->piece[p].next)
        if (!a->piece[p].recorded)
            sort_in(x, a, sorted, n_sorted++, p);
    while (n_sorted > 1 && lacks + a->piece[sorted[n_sorted - 1]].milli <= 0)
        lacks += a->piece[sorted[--n_sorted]].milli;
    return sorted[n_sorted - 1];
}

static inline int64_t lacks_at_first(struct sched *s, const struct search *x,
                                     const struct ahead *a, node_id node)
{
    uint32_t each = x->run->gpus, gpus = x->n_recorded > 0
                                             ? search_whole_gpus(s, x, node)
                                             : view_gpus_for(a->free, x->run, node).whole;
    return (int64_t)(each - (gpus < each ? gpus : gpus % each)) * MILLI_ALL;
}

static void node_begins(struct sched *s, const struct search *x, struct ahead *a, node_id node)
{
    a->node[node] = (struct ahead_node){ a->stamp, ID_NONE, lacks_at_first(s, x, a, node) };
    a->begun[a->n_begun++] = node;
}

/* The node may have enough now. */
static inline void try_node(struct sched *s, const struct search *x, struct ahead *a,
                            const struct ahead_node *n)
{
    if (n->lacks > 0)
        return;
    uint32_t helps = helps_from(s, x, a, n);
    if (a->first == ID_NONE || before(x, a, helps, a->first))
        a->first = helps;
}

/* A piece of the k-th candidate of its leaf, or more of it on the same node. */
static inline void add_piece(struct sched *s, const struct search *x, struct ahead *a,
                             node_id node, const struct order_entry *at, uint32_t k, int64_t milli,
                             bool recorded)
{
    struct ahead_node *n = &a->node[node];
    if (n->stamp != a->stamp)
        node_begins(s, x, a, node);
    struct ahead_piece *last = n->first == ID_NONE ? NULL : &a->piece[n->first];
    if (last && last->k == k && last->at.queue == at->queue) {
        last->milli += milli;
    } else {
        a->piece = array_grown(sched_alloc, s, a->piece, &a->piece_capacity, a->n_pieces,
                               sizeof *a->piece);
        a->piece[a->n_pieces] = (struct ahead_piece){ *at, k, n->first, milli, recorded };
        n->first = (uint32_t)a->n_pieces++;
    }
    if (recorded)
        return;
    n->lacks -= milli;
    try_node(s, x, a, n);
}

/* NULL: none helps so far. */
static inline const struct order_entry *first_at(const struct ahead *a)
{
    return a->first == ID_NONE ? NULL : &a->piece[a->first].at;
}

/* All that come before the first that helps have been read. */
static inline bool is_late(const struct search *x, const struct ahead *a,
                           const struct order_entry *at)
{
    return a->first != ID_NONE && !order_above(x->order, at, &a->piece[a->first].at);
}

enum read { READ_ON, READ_ALL, READ_NOT };    /* not: it is not known here */

/* Candidates as far as their spots say all. Most are such. */
static enum read read_spots(struct sched *s, struct quota_state *q, const struct search *x,
                            struct ahead *a, struct reading *r)
{
    const struct victim_spot *spot = r->l->spot;
    struct quota_lessened less =
        quota_lessened(&x->order->node[r->at.queue].standing, &q->total);
    for (; r->k < r->l->n_candidates && spot[r->k].node != ID_NONE; r->k++) {
        r->at.with = quota_lessened_share(&less, r->sum.of[Q_GPU] + spot[r->k].milli);
        if (is_late(x, a, &r->at))
            return READ_ALL;
        if (a->n_seen++ >= a->most)
            return READ_NOT;
        r->sum.of[Q_GPU] += spot[r->k].milli;
        add_piece(s, x, a, spot[r->k].node, &r->at, r->k, spot[r->k].milli, false);
    }
    return READ_ON;
}

static enum read read_candidate(struct sched *s, struct quota_state *q, const struct search *x,
                                struct ahead *a, struct reading *r)
{
    const struct victim_candidate *v = leaf_candidate(s, q, r->l, r->k);
    if (!v)
        return READ_ALL;
    if (!r->by_spots && !search_may_take(s, q, x, r->l, v)) {
        r->k++;
        return READ_ON;
    }
    struct quota_amount sum = quota_sum(&r->sum, &v->holds);
    r->at = order_entry_with(x->order, r->at.queue, &sum);
    if (is_late(x, a, &r->at))
        return READ_ALL;
    if (v->surplus || a->n_seen++ >= a->most)
        return READ_NOT;
    r->sum = sum;
    r->by_spots = r->by_spots && v->holds.of[Q_CPU] == 0 && v->holds.of[Q_MEM] == 0;
    /* what the tasks so far needed of it is no unit again, and else it has none */
    bool recorded = x->n_recorded > 0 && search_has_recorded(x, v->job);
    for (size_t p = 0; p < v->has->n; p++)
        add_piece(s, x, a, v->has->piece[p].node, &r->at, r->k,
                  search_milli_of(&v->has->piece[p]), recorded);
    r->k++;
    return READ_ON;
}

static bool has_recorded(const struct search *x, queue_id leaf)
{
    bool has = false;
    for (size_t i = 0; i < x->n_recorded && !has; i++)
        has = x->recorded[i].leaf == leaf;
    return has;
}

/* The victims of a leaf, as far as they come before the first that helps. false: not known here. */
static bool read_leaf(struct sched *s, struct quota_state *q, const struct search *x,
                      struct ahead *a, queue_id leaf)
{
    struct reading *r = &a->reading[leaf];
    if (r->stamp != a->stamp) {
        *r = (struct reading){ .stamp = a->stamp, .l = &q->leaf[leaf] };
        r->by_spots = search_may_take_all(q, x, leaf);
        r->at = (struct order_entry){ x->order->node[leaf].standing.rank, 0, leaf };
    }
    r->by_spots = r->by_spots && !has_recorded(x, leaf);
    enum read done = READ_ON;
    while (done == READ_ON) {
        if (r->by_spots)
            done = read_spots(s, q, x, a, r);
        if (done == READ_ON)
            done = read_candidate(s, q, x, a, r);
    }
    return done == READ_ALL;
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

/* ---- The next task ---- */

static const struct victim_candidate *candidate_of(const struct quota_state *q,
                                                   const struct ahead_piece *v)
{
    return &q->leaf[v->at.queue].candidate[v->k];
}

static void touch_recorded(struct sched *s, const struct search *x, struct ahead *a)
{
    a->n_touched = 0;
    for (size_t i = 0; i < x->n_recorded; i++)
        for (uint32_t k = 0; k < x->recorded[i].n; k++) {
            node_id node = x->recorded[i].piece[k].node;
            a->touched = array_grown(sched_alloc, s, a->touched, &a->touched_capacity,
                                     a->n_touched, sizeof *a->touched);
            if (a->node[node].stamp == a->stamp)
                a->touched[a->n_touched++] = node;
        }
}

/* What it lacks, and which of its victims are recorded, as of now. */
static void settle_touched(struct sched *s, const struct quota_state *q, const struct search *x,
                           struct ahead *a)
{
    for (size_t i = 0; i < a->n_touched; i++) {
        struct ahead_node *n = &a->node[a->touched[i]];
        n->lacks = lacks_at_first(s, x, a, a->touched[i]);
        for (uint32_t p = n->first; p != ID_NONE; p = a->piece[p].next) {
            struct ahead_piece *v = &a->piece[p];
            v->recorded = search_has_recorded(x, candidate_of(q, v)->job);
            n->lacks -= v->recorded ? 0 : v->milli;
        }
    }
}

/* The same search, with other recorded units. */
static void go_on(struct sched *s, const struct quota_state *q, const struct search *x,
                  struct ahead *a)
{
    settle_touched(s, q, x, a);
    touch_recorded(s, x, a);
    settle_touched(s, q, x, a);
    a->first = ID_NONE;
    for (size_t i = 0; i < a->n_begun; i++)
        try_node(s, x, a, &a->node[a->begun[i]]);
}

/* ---- What a scenario needs ---- */

/* Victims up to the first that helps with tasks on nodes of that one: its units, in the order. */
static void take_victims(struct sched *s, struct quota_state *q, struct search *x,
                         const struct ahead *a)
{
    const struct placement *has = candidate_of(q, &a->piece[a->first])->has;
    size_t n = 0, most = 0;
    for (size_t i = 0; i < has->n; i++)
        for (uint32_t p = a->node[has->piece[i].node].first; p != ID_NONE; p = a->piece[p].next)
            most++;
    uint32_t *list = sched_scratch(s, most * sizeof *list);
    for (size_t i = 0; i < has->n; i++)
        for (uint32_t p = a->node[has->piece[i].node].first; p != ID_NONE; p = a->piece[p].next)
            if (!a->piece[p].recorded && !before(x, a, a->first, p))
                sort_in(x, a, list, n++, p);
    for (size_t i = 0; i < n; i++) {
        const struct ahead_piece *v = &a->piece[list[i]];
        if (i > 0 && same_victim(v, &a->piece[list[i - 1]]))
            continue;              /* it lies on several of them, or several times on one */
        struct quota_amount popped;
        uint32_t which = search_add_victim(s, x, v->at.queue, candidate_of(q, v));
        (void)search_take_unit(s, q, x, which, &popped);
    }
}

static enum ahead_answer look_ahead(struct sched *s, struct quota_state *q, struct search *x,
                                    job_id *victim)
{
    if (x->action != RECLAIM || x->moves_only || !x->lacks || q->protects ||
        !order_is_flat(x->order))
        return AHEAD_UNKNOWN;
    struct ahead *a = ahead_of(s, q, x);
    if (a->search == x->number && a->run == x->run)
        go_on(s, q, x, a);
    else
        begin_anew(s, q, x, a);
    if (!read_leaves(s, q, x, a)) {
        a->search = 0;
        return AHEAD_UNKNOWN;
    }
    if (a->first == ID_NONE)
        return AHEAD_NONE;
    touch_recorded(s, x, a);
    *victim = candidate_of(q, &a->piece[a->first])->job;
    take_victims(s, q, x, a);
    return AHEAD_FOUND;
}

/* For tests: the victim with which the walk finds the first node that has enough; ID_NONE: none. */
static job_id first_by_walk(struct sched *s, struct quota_state *q, struct search *x)
{
    job_id found = ID_NONE;
    for (uint32_t u; found == ID_NONE && search_next_victim(s, q, x, &u);)
        found = x->n_able ? x->unit[u].job : ID_NONE;
    search_victims(s, q, x);
    return found;
}

enum ahead_answer search_ahead(struct sched *s, struct quota_state *q, struct search *x,
                               job_id *victim)
{
    job_id walked = x->doubts ? first_by_walk(s, q, x) : ID_NONE;
    enum ahead_answer ahead = look_ahead(s, q, x, victim);
    if (x->doubts && ahead != AHEAD_UNKNOWN) {
        x->n_ahead++;
        x->n_wrong += walked != (ahead == AHEAD_FOUND ? *victim : ID_NONE);
    }
    return ahead;
}
