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
 * the one that helps. If its scenarios fail, the next victim for which the walk could try any lies on a
 * node that has enough, or beside a victim that lies on such a node, too: those that have been read are
 * gathered once, in a heap, and others join them as they are read. Elastic jobs, protected ones and
 * trees of queues are left to the walk. See search.h.
 *
 * For the next task of the same job the order is the same, and what was read is kept: only nodes on
 * which units have been recorded since, or no longer are, count anew, and leaves are read on from
 * where they were left. */
#include "policies/kai/search.h"
#include "sim/contract/util/heap.h"

/* Of a victim, all on one node. next: another of that node. */
struct ahead_piece {
    struct order_entry at;        /* of its leaf, with what it has lost when the victim is taken: place_of() */
    uint32_t k;                   /* which of the leaf's candidates */
    uint32_t next;
    int64_t milli;
    int64_t lost;                 /* milli-GPUs: that, if the share of `at` is still to be computed; else -1 */
    bool recorded;                /* needed for the tasks so far: it leaves as it is */
    bool several;                 /* its victim may lie on several nodes */
    uint32_t gathered;            /* number of the gathering that it is of, or was */
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
    bool waits;                   /* that is the next candidate, which came too late */
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
    /* the last that helped, without success; `first` is the first of the gathered after it. ID_NONE:
     * nothing is gathered yet */
    uint32_t failed;
    uint32_t gathering;           /* number of the last */
    uint32_t *gathered;           /* [n_gathered] a heap: victims that may help, the first on top */
    size_t n_gathered, gathered_capacity;
    uint32_t *sorted;             /* [n_sorted] pieces in their order; scratch */
    size_t n_sorted, sorted_capacity;
    uint32_t want;                /* number of the victim for which units are taken */
    uint32_t *wanted;             /* [nodes] the last that wants units of this node */
    node_id *want_node;           /* [n_want] those that it wants */
    size_t n_want;
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
    a->wanted = sched_alloc(s, end * sizeof *a->wanted);
    a->want_node = sched_alloc(s, end * sizeof *a->want_node);
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
    a->first = a->failed = ID_NONE;
}

static const struct victim_candidate *candidate_of(const struct quota_state *q,
                                                   const struct ahead_piece *v)
{
    return &q->leaf[v->at.queue].candidates.at[v->k];
}

/* ---- The first that helps ---- */

/* Of most victims nobody asks for it. */
static inline const struct order_entry *place_of(const struct search *x, const struct ahead *a,
                                                 uint32_t i)
{
    struct ahead_piece *v = &a->piece[i];
    if (v->lost >= 0) {
        v->at.with = quota_lessened_share(&x->order->node[v->at.queue].less, v->lost);
        v->lost = -1;
    }
    return &v->at;
}

/* All nodes of its victim; NULL: it has no other. */
static inline const struct placement *lies_on(const struct quota_state *q, const struct ahead *a,
                                              uint32_t piece)
{
    return a->piece[piece].several ? candidate_of(q, &a->piece[piece])->has : NULL;
}

static bool same_victim(const struct ahead_piece *v, const struct ahead_piece *w)
{
    return v->at.queue == w->at.queue && v->k == w->k;
}

static bool before(const struct search *x, const struct ahead *a, uint32_t i, uint32_t j)
{
    const struct ahead_piece *v = &a->piece[i], *w = &a->piece[j];
    return v->at.queue == w->at.queue
               ? v->k < w->k
               : order_above(x->order, place_of(x, a, i), place_of(x, a, j));
}

/* One more of a->sorted, in the order. */
static void sort_in(struct sched *s, const struct search *x, struct ahead *a, uint32_t piece)
{
    a->sorted = array_grown(sched_alloc, s, a->sorted, &a->sorted_capacity, a->n_sorted,
                            sizeof *a->sorted);
    size_t n = a->n_sorted++;
    for (; n > 0 && before(x, a, piece, a->sorted[n - 1]); n--)
        a->sorted[n] = a->sorted[n - 1];
    a->sorted[n] = piece;
}

/* Those of the node that are not recorded. */
static void sort_pieces(struct sched *s, const struct search *x, struct ahead *a,
                        const struct ahead_node *n)
{
    a->n_sorted = 0;
    for (uint32_t p = n->first; p != ID_NONE; p = a->piece[p].next)
        if (!a->piece[p].recorded)
            sort_in(s, x, a, p);
}

/* Of those sorted, the first with which the node has enough; with all of them it has. */
static size_t helps_from(const struct ahead *a, const struct ahead_node *n)
{
    size_t from = a->n_sorted;
    int64_t lacks = n->lacks;
    while (from > 1 && lacks + a->piece[a->sorted[from - 1]].milli <= 0)
        lacks += a->piece[a->sorted[--from]].milli;
    return from - 1;
}

static bool has_enough(const struct ahead *a, node_id node)
{
    return a->node[node].stamp == a->stamp && a->node[node].lacks <= 0;
}

static inline int64_t lacks_at_first(struct sched *s, const struct search *x,
                                     const struct ahead *a, node_id node)
{
    uint32_t each = x->run->gpus, gpus = x->n_recorded > 0
                                             ? search_whole_gpus(s, x, node)
                                             : view_gpus_for(a->free, x->run, node).whole;
    return (int64_t)(each - (gpus < each ? gpus : gpus % each)) * MILLI_ALL;
}

static inline struct ahead_node *node_of(struct sched *s, const struct search *x, struct ahead *a,
                                         node_id node)
{
    struct ahead_node *n = &a->node[node];
    if (n->stamp != a->stamp) {
        *n = (struct ahead_node){ a->stamp, ID_NONE, lacks_at_first(s, x, a, node) };
        a->begun[a->n_begun++] = node;
    }
    return n;
}

/* The node has enough. */
static void help_from(struct sched *s, const struct search *x, struct ahead *a,
                      const struct ahead_node *n)
{
    sort_pieces(s, x, a, n);
    uint32_t helps = a->sorted[helps_from(a, n)];
    if (a->first == ID_NONE || before(x, a, helps, a->first))
        a->first = helps;
}

/* ---- Those after one that has failed ---- */

static bool gathered_above(const struct search *x, const uint32_t *i, const uint32_t *j)
{
    return before(x, x->ahead, *i, *j);
}

HEAP_DEFINE(gathered, uint32_t, const struct search, gathered_above, HEAP_NOT_PLACED);

static void gather(struct sched *s, const struct search *x, struct ahead *a, uint32_t piece)
{
    if (a->piece[piece].gathered == a->gathering || !before(x, a, a->failed, piece))
        return;
    a->piece[piece].gathered = a->gathering;
    a->gathered = array_grown(sched_alloc, s, a->gathered, &a->gathered_capacity, a->n_gathered,
                              sizeof *a->gathered);
    gathered_push(x, a->gathered, a->n_gathered++, piece);
    a->first = a->gathered[0];
}

/* Some victim on this node lies on another one that has enough. */
static bool is_near(const struct quota_state *q, const struct ahead *a, const struct ahead_node *n)
{
    for (uint32_t p = n->first; p != ID_NONE; p = a->piece[p].next) {
        const struct placement *has = lies_on(q, a, p);
        for (size_t i = 0; has && i < has->n; i++)
            if (has_enough(a, has->piece[i].node))
                return true;
    }
    return false;
}

/* Victims of the node: all if it is near to one that has enough, else from the first on that helps. */
static void gather_node(struct sched *s, const struct quota_state *q, const struct search *x,
                        struct ahead *a, const struct ahead_node *n)
{
    bool near = is_near(q, a, n);
    if (n->lacks > 0 && !near)
        return;
    sort_pieces(s, x, a, n);
    for (size_t i = near ? 0 : helps_from(a, n); i < a->n_sorted; i++)
        gather(s, x, a, a->sorted[i]);
}

/* One more victim lies on the node, which may have enough now, or have had it before, or be near to one
 * that has. */
static void gather_around(struct sched *s, const struct quota_state *q, const struct search *x,
                          struct ahead *a, const struct ahead_node *n, bool had)
{
    gather_node(s, q, x, a, n);
    for (uint32_t p = n->lacks > 0 ? ID_NONE : n->first; p != ID_NONE;
         p = had ? ID_NONE : a->piece[p].next) {
        const struct placement *has = lies_on(q, a, p);
        for (size_t i = 0; has && i < has->n; i++)
            if (a->node[has->piece[i].node].stamp == a->stamp)
                gather_node(s, q, x, a, &a->node[has->piece[i].node]);
    }
}

/* Of all that have been read. */
static void gather_read(struct sched *s, const struct quota_state *q, const struct search *x,
                        struct ahead *a)
{
    a->gathering++;
    a->n_gathered = 0;
    a->failed = a->first;
    a->first = ID_NONE;
    for (size_t i = 0; i < a->n_begun; i++)
        gather_node(s, q, x, a, &a->node[a->begun[i]]);
}

/* The first one has failed; it may lie there with several pieces. */
static void gather_next(const struct search *x, struct ahead *a)
{
    a->failed = a->first;
    while (a->n_gathered > 0 && !before(x, a, a->failed, a->gathered[0]))
        gathered_pop(x, a->gathered, a->n_gathered--);
    a->first = a->n_gathered > 0 ? a->gathered[0] : ID_NONE;
}

/* ---- Reading ---- */

static inline void push_piece(struct sched *s, struct ahead *a, struct ahead_node *n,
                              const struct ahead_piece *p)
{
    a->piece = array_grown(sched_alloc, s, a->piece, &a->piece_capacity, a->n_pieces, sizeof *a->piece);
    a->piece[a->n_pieces] = *p;
    a->piece[a->n_pieces].next = n->first;
    n->first = (uint32_t)a->n_pieces++;
}

/* Victims with so much more on the node may leave. */
static inline void add_milli(struct sched *s, const struct quota_state *q, const struct search *x,
                             struct ahead *a, struct ahead_node *n, int64_t milli)
{
    bool enough = n->lacks <= 0;
    n->lacks -= milli;
    if (a->failed != ID_NONE)
        gather_around(s, q, x, a, n, enough);
    else if (n->lacks <= 0)
        help_from(s, x, a, n);
}

/* Of a candidate that may lie there with several pieces, which are one. */
static void add_piece(struct sched *s, const struct quota_state *q, const struct search *x,
                      struct ahead *a, node_id node, const struct ahead_piece *p)
{
    struct ahead_node *n = node_of(s, x, a, node);
    struct ahead_piece *last = n->first == ID_NONE ? NULL : &a->piece[n->first];
    if (last && same_victim(last, p))
        last->milli += p->milli;
    else
        push_piece(s, a, n, p);
    if (!p->recorded)
        add_milli(s, q, x, a, n, p->milli);
}

/* NULL: none helps so far. */
static inline const struct order_entry *first_at(const struct search *x, const struct ahead *a)
{
    return a->first == ID_NONE ? NULL : place_of(x, a, a->first);
}

/* All that come before the first that helps have been read. */
static inline bool is_late(const struct search *x, const struct ahead *a,
                           const struct order_entry *at)
{
    const struct order_entry *first = first_at(x, a);
    return first && !order_above(x->order, at, first);
}

/* late: the next comes after the first that helps; not: it is not known here */
enum read { READ_ON, READ_LATE, READ_ALL, READ_NOT };

/* While a leaf of that rank holds so many milli-GPUs, its victims come before the first that helps: by
 * more than what is rounded off, so without a division. */
static int64_t holds_early(const struct search *x, const struct ahead *a,
                           const struct quota_lessened *less, uint64_t rank)
{
    const struct order_entry *first = first_at(x, a);
    if (!first)
        return INT64_MIN;
    if (rank != first->rank)
        return rank > first->rank ? INT64_MIN : INT64_MAX;
    double held = first->with * less->may * (1 + 1e-9) + 2;
    return less->barred || !(held < 1e15) ? INT64_MAX : (int64_t)held;
}

/* Prefetch: of hundreds of leaves few are in a near cache. */
static inline void fetch_leaf(const struct quota_state *q, const struct search *x,
                              const struct ahead *a, queue_id leaf)
{
    if (leaf == ID_NONE)
        return;
    __builtin_prefetch(&q->leaf[leaf].acted);
    __builtin_prefetch(q->leaf[leaf].candidates.spot);
    __builtin_prefetch(&x->order->node[leaf].less);
    __builtin_prefetch(&x->order->node[leaf].standing.rank);
    __builtin_prefetch(&a->reading[leaf], 1);
}

static inline void fetch_node(const struct ahead *a, node_id node)
{
    if (node != ID_NONE)
        __builtin_prefetch(&a->node[node], 1);
}

/* Candidates as far as their spots say all. Most are such. */
static enum read read_spots(struct sched *s, struct quota_state *q, const struct search *x,
                            struct ahead *a, struct reading *r)
{
    const struct victim_spot *spot = r->l->candidates.spot;
    const struct quota_lessened *less = &x->order->node[r->at.queue].less;
    uint32_t first = a->first, k = r->k, n = r->l->candidates.n;
    int64_t early = holds_early(x, a, less, r->at.rank), sum = r->sum.of[Q_GPU];
    enum read done = READ_ON;
    for (; k < n && spot[k].node != ID_NONE; k++) {
        int64_t lost = sum + spot[k].milli;
        bool late = less->held - lost < early;    /* maybe */
        fetch_node(a, k + 1 < n ? spot[k + 1].node : ID_NONE);
        if (late) {
            r->at.with = quota_lessened_share(less, lost);
            if (is_late(x, a, &r->at)) {
                done = READ_LATE;
                break;
            }
        }
        if (a->n_seen++ >= a->most) {
            done = READ_NOT;
            break;
        }
        sum = lost;
        struct ahead_node *on = node_of(s, x, a, spot[k].node);
        push_piece(s, a, on, &(struct ahead_piece){ r->at, k, ID_NONE, spot[k].milli, late ? -1 : lost,
                                                    false, false, 0 });
        add_milli(s, q, x, a, on, spot[k].milli);
        if (a->first != first) {
            first = a->first;
            early = holds_early(x, a, less, r->at.rank);
        }
    }
    r->k = k;
    r->sum.of[Q_GPU] = sum;
    return done;
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
        return READ_LATE;
    if (v->surplus || a->n_seen++ >= a->most)
        return READ_NOT;
    r->sum = sum;
    r->by_spots = r->by_spots && v->holds.of[Q_CPU] == 0 && v->holds.of[Q_MEM] == 0;
    /* what the tasks so far needed of it is no unit again, and else it has none */
    bool recorded = x->n_recorded > 0 && search_has_recorded(x, v->job);
    for (size_t p = 0; p < v->has->n; p++)
        add_piece(s, q, x, a, v->has->piece[p].node,
                  &(struct ahead_piece){ r->at, r->k, ID_NONE, search_milli_of(&v->has->piece[p]), -1,
                                         recorded, v->has->n > 1, 0 });
    r->k++;
    return READ_ON;
}

static bool has_recorded(const struct search *x, queue_id leaf)
{
    for (size_t i = 0; i < x->n_recorded; i++)
        if (x->recorded[i].leaf == leaf)
            return true;
    return false;
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
    if (r->waits && is_late(x, a, &r->at))
        return true;
    enum read done = READ_ON;
    while (done == READ_ON) {
        if (r->by_spots)
            done = read_spots(s, q, x, a, r);
        if (done == READ_ON)
            done = read_candidate(s, q, x, a, r);
    }
    r->waits = done == READ_LATE;
    return done != READ_NOT;
}

static bool read_leaves(struct sched *s, struct quota_state *q, const struct search *x,
                        struct ahead *a)
{
    struct order_scan scan;
    order_scan_begin(&scan, x->order);
    for (queue_id leaf; (leaf = order_scan_next(&scan, first_at(x, a))) != ID_NONE;) {
        fetch_leaf(q, x, a, order_scan_soon(&scan));
        if (!read_leaf(s, q, x, a, leaf))
            return false;
    }
    return true;
}

/* ---- The next task ---- */

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
    a->first = a->failed = ID_NONE;
    for (size_t i = 0; i < a->n_begun; i++)
        if (has_enough(a, a->begun[i]))
            help_from(s, x, a, &a->node[a->begun[i]]);
}

/* ---- What a scenario needs ---- */

static void want_node(struct ahead *a, node_id node)
{
    if (a->wanted[node] != a->want)
        a->want_node[a->n_want++] = node;
    a->wanted[node] = a->want;
}

static void want_nodes_of(struct ahead *a, const struct placement *has)
{
    for (size_t i = 0; i < has->n; i++)
        want_node(a, has->piece[i].node);
}

static bool is_taken(const struct search *x, const struct ahead *a, uint32_t p)
{
    return !a->piece[p].recorded && !before(x, a, a->first, p);
}

/* The nodes of the first that helps; of those that lie there, too; and those of recorded units: which of
 * them has enough decides what is tried. */
static void want_nodes(const struct quota_state *q, const struct search *x, struct ahead *a)
{
    a->want++;
    a->n_want = 0;
    want_nodes_of(a, candidate_of(q, &a->piece[a->first])->has);
    size_t n = a->n_want;
    for (size_t i = 0; i < n; i++)
        for (uint32_t p = a->node[a->want_node[i]].first; p != ID_NONE; p = a->piece[p].next)
            if (a->piece[p].several && is_taken(x, a, p))
                want_nodes_of(a, candidate_of(q, &a->piece[p])->has);
    for (size_t i = 0; i < x->n_recorded; i++)
        want_node(a, x->recorded[i].piece[0].node);
}

/* Victims up to the first that helps with tasks on such nodes: their units, in the order. */
static void take_victims(struct sched *s, struct quota_state *q, struct search *x,
                         struct ahead *a)
{
    want_nodes(q, x, a);
    a->n_sorted = 0;
    for (size_t i = 0; i < a->n_want; i++) {
        const struct ahead_node *at = &a->node[a->want_node[i]];
        for (uint32_t p = at->stamp == a->stamp ? at->first : ID_NONE; p != ID_NONE;
             p = a->piece[p].next)
            if (is_taken(x, a, p))
                sort_in(s, x, a, p);
    }
    for (size_t i = 0; i < a->n_sorted; i++) {
        const struct ahead_piece *v = &a->piece[a->sorted[i]];
        if (i > 0 && same_victim(v, &a->piece[a->sorted[i - 1]]))
            continue;              /* it lies on several of them */
        struct quota_amount popped;
        uint32_t which = search_add_victim(s, x, v->at.queue, candidate_of(q, v));
        (void)search_take_unit(s, q, x, which, &popped);
    }
}

/* All up to the first that helps are read, and its units taken. */
static enum ahead_answer read_to_first(struct sched *s, struct quota_state *q, struct search *x,
                                       struct ahead *a, job_id *victim)
{
    if (!read_leaves(s, q, x, a)) {
        a->search = 0;
        return AHEAD_UNKNOWN;
    }
    touch_recorded(s, x, a);
    if (a->first == ID_NONE)
        return AHEAD_NONE;
    *victim = candidate_of(q, &a->piece[a->first])->job;
    take_victims(s, q, x, a);
    return AHEAD_FOUND;
}

enum ahead_answer search_ahead_next(struct sched *s, struct quota_state *q, struct search *x,
                                    job_id *victim)
{
    struct ahead *a = x->ahead;
    bool all = false;              /* every victim may lead to scenarios */
    for (size_t i = 0; i < x->n_recorded; i++)
        all = all || has_enough(a, x->recorded[i].piece[0].node);
    search_units_begin(x);
    if (!all && a->failed == ID_NONE)
        gather_read(s, q, x, a);
    else if (!all)
        gather_next(x, a);
    enum ahead_answer next = all ? AHEAD_UNKNOWN : read_to_first(s, q, x, a, victim);
    if (next == AHEAD_UNKNOWN)
        search_victims(s, q, x);
    return next;
}

static enum ahead_answer look_ahead(struct sched *s, struct quota_state *q, struct search *x,
                                    job_id *victim)
{
    /* any victim makes room for a task of one GPU: the walk comes to each as soon */
    if (x->action != RECLAIM || x->moves_only || !x->lacks || q->protects ||
        x->task_milli <= MILLI_ALL || !order_is_flat(x->order))
        return AHEAD_UNKNOWN;
    struct ahead *a = ahead_of(s, q, x);
    if (a->search == x->number && a->run == x->run)
        go_on(s, q, x, a);
    else
        begin_anew(s, q, x, a);
    return read_to_first(s, q, x, a, victim);
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
