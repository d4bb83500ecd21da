/* ahead_read.c - leaf by leaf, victims as far as they come before the first that helps. See ahead.c. */
#include "policies/kai/search/ahead.h"
#include "sim/contract/util/heap.h"

/* ---- The first that helps ---- */

/* All nodes of its victim; NULL: it has no other. */
static inline const struct placement *lies_on(const struct quota_state *q, const struct ahead *a,
                                              uint32_t piece)
{
    return a->piece[piece].several ? ahead_candidate_of(q, &a->piece[piece])->has : NULL;
}

/* One more of a->sorted, in the order. */
void ahead_sort_in(struct sched *s, const struct search *x, struct ahead *a, uint32_t piece)
{
    a->sorted = array_grown(sched_alloc, s, a->sorted, &a->sorted_capacity, a->n_sorted,
                            sizeof *a->sorted);
    size_t n = a->n_sorted++;
    for (; n > 0 && ahead_before(x, a, piece, a->sorted[n - 1]); n--)
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
            ahead_sort_in(s, x, a, p);
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

/* Less than a task is free on each node, and not for others of it: by so many GPUs at most. */
static uint32_t most_left(const struct quota_state *q, const struct search *x, const struct ahead *a)
{
    struct request ask = *x->run;
    uint32_t each = x->run->gpus, most = 1;
    if (ask.mig || q->has_node || view_kinds(a->free) > 1)
        return each - 1;
    for (ask.gpus = 1; most < each && domain_fits(a->free, 0, &ask) > 0;)
        ask.gpus = ++most;
    return most - 1;
}

void ahead_lacks_begin(const struct quota_state *q, const struct search *x, struct ahead *a)
{
    a->lacks = (int32_t)((x->run->gpus - most_left(q, x, a)) * MILLI_ALL);
}

/* What is free there is looked up only where so much comes back that it might be enough. */
static inline struct ahead_node *node_of(struct sched *s, const struct search *x, struct ahead *a,
                                         node_id node)
{
    struct ahead_node *n = &a->node[node];
    if (n->stamp != a->stamp) {
        n->stamp = a->stamp;
        n->first = ID_NONE;
        n->sure = x->n_recorded > 0 && x->leaving[node].room == x->room.number;
        n->lacks = n->sure ? ahead_lacks_at_first(s, x, a, node) : a->lacks;
        a->begun[a->n_begun++] = node;
    }
    return n;
}

/* The node has enough. */
void ahead_help_from(struct sched *s, const struct search *x, struct ahead *a,
                      const struct ahead_node *n)
{
    sort_pieces(s, x, a, n);
    uint32_t helps = a->sorted[helps_from(a, n)];
    if (a->first == ID_NONE || ahead_before(x, a, helps, a->first))
        a->first = helps;
}

/* ---- Those after one that has failed ---- */

static bool gathered_above(const struct search *x, const uint32_t *i, const uint32_t *j)
{
    return ahead_before(x, x->ahead, *i, *j);
}

HEAP_DEFINE(gathered, uint32_t, const struct search, gathered_above, HEAP_NOT_PLACED);

static void gather(struct sched *s, const struct search *x, struct ahead *a, uint32_t piece)
{
    if (a->piece[piece].gathered == a->gathering || !ahead_before(x, a, a->failed, piece))
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
            if (ahead_has_enough(a, has->piece[i].node))
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
void ahead_gather_read(struct sched *s, const struct quota_state *q, const struct search *x,
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
void ahead_gather_next(const struct search *x, struct ahead *a)
{
    a->failed = a->first;
    while (a->n_gathered > 0 && !ahead_before(x, a, a->failed, a->gathered[0]))
        gathered_pop(x, a->gathered, a->n_gathered--);
    a->first = a->n_gathered > 0 ? a->gathered[0] : ID_NONE;
}

/* ---- Reading ---- */

/* On the node, of a victim on it alone; leaf, k, milli and its place are to be written. Field by field: gcc would
 * copy the whole of what has just been written, and wait. */
static inline struct ahead_piece *new_piece(struct sched *s, struct ahead *a, struct ahead_node *n)
{
    a->piece = array_grown(sched_alloc, s, a->piece, &a->piece_capacity, a->n_pieces, sizeof *a->piece);
    struct ahead_piece *p = &a->piece[a->n_pieces];
    p->next = n->first;
    p->gathered = 0;
    p->stands = p->recorded = p->several = false;
    n->first = (uint32_t)a->n_pieces++;
    return p;
}

/* A victim with so much more on the node leaves, too, with which it may have enough. */
static void might_help(struct sched *s, const struct quota_state *q, const struct search *x, struct ahead *a,
                       struct ahead_node *n, uint32_t milli)
{
    if (!n->sure && n->lacks <= 0) {
        n->sure = true;
        n->lacks += ahead_lacks_at_first(s, x, a, (node_id)(n - a->node)) - a->lacks;
    }
    if (a->failed != ID_NONE)
        gather_around(s, q, x, a, n, n->lacks + (int32_t)milli <= 0);
    else if (n->lacks <= 0)
        ahead_help_from(s, x, a, n);
}

static inline void add_milli(struct sched *s, const struct quota_state *q, const struct search *x,
                             struct ahead *a, struct ahead_node *n, uint32_t milli)
{
    n->lacks -= (int32_t)milli;
    if (n->lacks <= 0 || a->failed != ID_NONE)
        might_help(s, q, x, a, n, milli);
}

/* Of the next candidate of the leaf, the i-th of its pieces, which may lie there with others: these are one. */
static void add_piece(struct sched *s, const struct quota_state *q, const struct search *x, struct ahead *a,
                      const struct reading *r, const struct placement *has, size_t i, bool recorded)
{
    struct ahead_node *n = node_of(s, x, a, has->piece[i].node);
    struct ahead_piece *p = n->first == ID_NONE ? NULL : &a->piece[n->first];
    uint32_t milli = (uint32_t)search_milli_of(&has->piece[i]);
    if (p && p->leaf == r->at.queue && p->k == r->k) {
        p->milli += milli;
    } else {
        p = new_piece(s, a, n);
        p->with = r->at.with;
        p->leaf = r->at.queue;
        p->k = r->k;
        p->milli = milli;
        p->stands = true;
        p->several = has->n > 1;
        p->recorded = recorded;
    }
    if (!recorded)
        add_milli(s, q, x, a, n, milli);
}

/* The first that helps so far; NULL: none does. */
static inline const struct order_entry *first_at(const struct search *x, const struct ahead *a,
                                                 struct order_entry *at)
{
    if (a->first == ID_NONE)
        return NULL;
    *at = ahead_place_of(x, a, a->first);
    return at;
}

/* All that come before the first that helps have been read. */
static inline bool is_late(const struct search *x, const struct ahead *a,
                           const struct order_entry *at)
{
    struct order_entry place;
    const struct order_entry *first = first_at(x, a, &place);
    return first && !order_above(x->order, at, first);
}

/* late: the next comes after the first that helps; not: it is not known here */
enum read { READ_ON, READ_LATE, READ_ALL, READ_NOT };

/* As long as a leaf of that rank has lost no more milli-GPUs, its victims come before the first that helps: by
 * more than what is rounded off, so without a division. */
static int64_t early_until(const struct search *x, const struct ahead *a, const struct quota_lessened *less,
                           uint64_t rank)
{
    struct order_entry place;
    const struct order_entry *first = first_at(x, a, &place);
    if (!first)
        return INT64_MAX;
    if (rank != first->rank)
        return rank > first->rank ? INT64_MAX : INT64_MIN;
    double held = first->with * less->may * (1 + 1e-9) + 2;
    return less->barred || !(held < 1e15) ? INT64_MIN : less->held - (int64_t)held;
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

enum { SOON = 3 };                /* the node of so many candidates later is fetched */

/* Candidates as far as their spots say all. Most are such, and most of them come early. */
static enum read read_spots(struct sched *s, struct quota_state *q, const struct search *x,
                            struct ahead *a, struct reading *r)
{
    const struct victim_spot *spot = r->l->candidates.spot;
    const struct quota_lessened *less = &x->order->node[r->at.queue].less;
    uint32_t first = a->first, k = r->k;
    uint32_t end = (uint32_t)min_size(r->l->candidates.n, k + (a->most - a->n_seen));
    int64_t early = early_until(x, a, less, r->at.rank), sum = r->sum.of[Q_GPU];
    bool late = false;
    for (; k < end && spot[k].node != ID_NONE; k++) {
        int64_t lost = sum + spot[k].milli;
        if (k + SOON < end && spot[k + SOON].node != ID_NONE)
            __builtin_prefetch(&a->node[spot[k + SOON].node], 1);
        if (lost > early) {        /* maybe late */
            r->at.with = quota_lessened_share(less, lost);
            late = is_late(x, a, &r->at);
            if (late)
                break;
        }
        sum = lost;
        struct ahead_node *on = node_of(s, x, a, spot[k].node);
        struct ahead_piece *p = new_piece(s, a, on);
        p->lost = lost;
        p->leaf = r->at.queue;
        p->k = k;
        p->milli = spot[k].milli;
        add_milli(s, q, x, a, on, spot[k].milli);
        if (a->first != first) {
            first = a->first;
            early = early_until(x, a, less, r->at.rank);
        }
    }
    a->n_seen += k - r->k;
    r->k = k;
    r->sum.of[Q_GPU] = sum;
    return late ? READ_LATE : k == end && k < r->l->candidates.n ? READ_NOT : READ_ON;
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
        add_piece(s, q, x, a, r, v->has, p, recorded);
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

/* ---- Leaf by leaf ---- */

static bool unread_above(const struct search *x, const struct ahead_unread *i, const struct ahead_unread *j)
{
    return order_above(x->order, &i->at, &j->at);
}

HEAP_DEFINE(unread, struct ahead_unread, const struct search, unread_above, HEAP_NOT_PLACED);

static void leave_unread(struct sched *s, const struct search *x, struct ahead *a, const struct order_entry *at,
                         uint32_t below)
{
    a->unread = array_grown(sched_alloc, s, a->unread, &a->unread_capacity, a->n_unread, sizeof *a->unread);
    struct ahead_unread *to = &a->unread[a->n_unread++];
    to->at = *at;
    to->below = below;
    if (a->unread_made)
        unread_up(x, a->unread, a->n_unread - 1);
}

bool ahead_read_leaves(struct sched *s, struct quota_state *q, const struct search *x, struct ahead *a)
{
    struct order_scan scan;
    struct order_entry at;
    a->unread_made = false;
    order_scan_begin(&scan, x->order);
    for (queue_id leaf; (leaf = order_scan_next(&scan, first_at(x, a, &at))) != ID_NONE;) {
        fetch_leaf(q, x, a, order_scan_soon(&scan));
        if (!read_leaf(s, q, x, a, leaf))
            return false;
    }
    return true;
}

/* Of the leaf at that place of the heap of the order and those below it, down to those of which nothing is read. */
static void list_unread(struct sched *s, const struct search *x, struct ahead *a, uint32_t at)
{
    const struct order *o = x->order;
    uint32_t root = o->q->n_queues;
    if (at >= o->node[root].n)
        return;
    const struct order_entry *entry = &o->heap[o->q->first[root] + at];
    const struct reading *r = &a->reading[entry->queue];
    if (r->stamp != a->stamp) {
        leave_unread(s, x, a, entry, at);
        return;
    }
    if (r->waits)
        leave_unread(s, x, a, &r->at, ID_NONE);
    list_unread(s, x, a, 2 * at + 1);
    list_unread(s, x, a, 2 * at + 2);
}

bool ahead_read_more(struct sched *s, struct quota_state *q, const struct search *x, struct ahead *a)
{
    if (!a->unread_made) {
        a->n_unread = 0;
        list_unread(s, x, a, 0);
        unread_make(x, a->unread, a->n_unread);
        a->unread_made = true;
    }
    while (a->n_unread > 0 && !is_late(x, a, &a->unread[0].at)) {
        struct ahead_unread next = unread_pop(x, a->unread, a->n_unread--);
        queue_id leaf = next.at.queue;
        if (!read_leaf(s, q, x, a, leaf))
            return false;
        if (next.below != ID_NONE)
            list_unread(s, x, a, next.below);
        else if (a->reading[leaf].waits)
            leave_unread(s, x, a, &a->reading[leaf].at, ID_NONE);
    }
    return true;
}
