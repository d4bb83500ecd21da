/* ahead.h - what ahead.c (which tells the whole) and ahead_read.c share: victims that are read in the order of
 * each leaf, and what they leave on the nodes. */
#pragma once
#include "policies/kai/search/search.h"

/* Of a victim, the k-th candidate of its leaf, all on one node. next: another of that node. Small: a search
 * reads hundreds of them, and looks at few again. */
struct ahead_piece {
    union {
        int64_t lost;             /* milli-GPUs that its leaf has lost when the victim is taken */
        double with;              /* with `stands`: the share of its place, see ahead_place_of() */
    };
    queue_id leaf;
    uint32_t k, next;
    uint32_t milli;
    uint32_t gathered;            /* number of the gathering that it is of, or was */
    bool stands;
    bool recorded;                /* needed for the tasks so far: it leaves as it is */
    bool several;                 /* its victim may lie on several nodes */
};
/* first: of its pieces; lacks: milli-GPUs, with all of them, at least: so many if sure. Enough if that is not
 * above 0, and then it is sure. No node has more than a million GPUs. */
struct ahead_node { uint32_t stamp, first; int32_t lacks; bool sure; };
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
/* A leaf of which more may be read, whose next victim stands there: one that waits, and then `below` is ID_NONE; or the
 * one at that place of the heap of the order, of which nothing is read yet, nor of those below it. */
struct ahead_unread { struct order_entry at; uint32_t below; };
struct ahead {
    uint64_t search;              /* number of that for which all is read; 0: none */
    const struct request *run;    /* of its task */
    const struct view *free;      /* GPUs that are idle or being left */
    size_t most;                  /* candidates that the walk takes */
    uint32_t stamp;               /* of nodes and readings that are of it */
    int32_t lacks;                /* milli-GPUs that a node lacks at least, but for what recorded units leave */
    struct ahead_node *node;      /* [nodes] */
    node_id *begun;               /* [n_begun] those that are of it */
    size_t n_begun;
    node_id *touched;             /* [n_touched] those with recorded units */
    size_t n_touched, touched_capacity;
    struct reading *reading;      /* [queues] */
    struct ahead_unread *unread;  /* [n_unread] what came too late in this task; a heap once `unread_made` */
    size_t n_unread, unread_capacity;
    bool unread_made;
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

static inline const struct victim_candidate *ahead_candidate_of(const struct quota_state *q,
                                                                const struct ahead_piece *v)
{
    return &q->leaf[v->leaf].candidates.at[v->k];
}

/* In the order: of its leaf, with what it has lost when the victim is taken. Of most nobody asks for it. */
static inline struct order_entry ahead_place_of(const struct search *x, const struct ahead *a, uint32_t i)
{
    struct ahead_piece *v = &a->piece[i];
    const struct order_node *of = &x->order->node[v->leaf];
    if (!v->stands) {
        v->with = quota_lessened_share(&of->less, v->lost);
        v->stands = true;
    }
    return (struct order_entry){ of->standing.rank, v->with, v->leaf };
}

static inline bool ahead_same_victim(const struct ahead_piece *v, const struct ahead_piece *w)
{
    return v->leaf == w->leaf && v->k == w->k;
}

static inline bool ahead_before(const struct search *x, const struct ahead *a, uint32_t i, uint32_t j)
{
    const struct ahead_piece *v = &a->piece[i], *w = &a->piece[j];
    if (v->leaf == w->leaf)
        return v->k < w->k;
    struct order_entry one = ahead_place_of(x, a, i), other = ahead_place_of(x, a, j);
    return order_above(x->order, &one, &other);
}

static inline bool ahead_has_enough(const struct ahead *a, node_id node)
{
    return a->node[node].stamp == a->stamp && a->node[node].lacks <= 0;
}

static inline int32_t ahead_lacks_at_first(struct sched *s, const struct search *x,
                                           const struct ahead *a, node_id node)
{
    uint32_t each = x->run->gpus, gpus = x->n_recorded > 0
                                             ? search_whole_gpus(s, x, node)
                                             : view_gpus_for(a->free, x->run, node).whole;
    return (int32_t)((each - (gpus < each ? gpus : gpus % each)) * MILLI_ALL);
}

/* ---- ahead_read.c ---- */
/* a->lacks, for this task. */
void ahead_lacks_begin(const struct quota_state *q, const struct search *x, struct ahead *a);
/* All victims that come before the first that helps are read. false: not known here. */
bool ahead_read_leaves(struct sched *s, struct quota_state *q, const struct search *x, struct ahead *a);
/* The same, of the same task again, when the first that helps is another one. */
bool ahead_read_more(struct sched *s, struct quota_state *q, const struct search *x, struct ahead *a);
/* The node has enough: the first that helps may be one of its victims. */
void ahead_help_from(struct sched *s, const struct search *x, struct ahead *a, const struct ahead_node *n);
/* One more of a->sorted, in the order. */
void ahead_sort_in(struct sched *s, const struct search *x, struct ahead *a, uint32_t piece);
/* The first one has failed: the first of those after it that may help, of all that have been read; and of those
 * gathered, which may lie there with several pieces. */
void ahead_gather_read(struct sched *s, const struct quota_state *q, const struct search *x, struct ahead *a);
void ahead_gather_next(const struct search *x, struct ahead *a);
