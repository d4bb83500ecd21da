/* quota.h - what the files of the quota policy share: its parameters, its queues, the order among them, its search.
 *
 * Guaranteed quota after NVIDIA/KAI-Scheduler:pkg/scheduler (actions/, plugins/). A pass is a session: allocate,
 * consolidation, reclaim, preempt, eviction of stale gangs, each of which can be switched off. What a pass promises on GPUs
 * that others are leaving is in pencil, and the next pass decides anew. */
#pragma once
#include "policies/common/queue_heads.h"
#include "policies/kai/quota_rules.h"
#include "sim/contract/util/array.h"
#include "sim/contract/util/bitset.h"
#include "sim/contract/util/minmax.h"

struct quota_params {
    double allocate, consolidation, reclaim, preempt, stale, stale_s, moves, consolidation_victims, victims, min_runtime_of,
        saturation, k, half_life_h;
};
enum { RUNTIME_OF_ANCESTOR, RUNTIME_OF_QUEUE };

/* The tasks that come next: below the minimum all that it takes, otherwise one. SPLIT_ANY: one, the whole job. */
struct wanted { uint32_t n; const uint32_t *task; struct quota_amount amount; };
/* Jobs of one shape that wait whole in a leaf. */
struct leaf_shape { shape_id shape; uint32_t waiting, place; struct quota_amount ask; enum wait_reason why; };    /* place: among the leaves of its shape */
/* The first of them, and what he wants. */
struct shape_head { job_id job; shape_id shape; struct line_key key; uint32_t tasks; bool firm; struct quota_amount ask; };
/* Who can be a victim: surplus, it holds more than its minimum; has: what it holds, NULL while it is leaving. A cache line. */
struct late { job_id job; bool surplus; struct line_key key; struct quota_amount holds; const struct placement *has; };
struct leaf {                     /* [queue_id]; of inner queues nothing is used */
    struct line *waiting;         /* who lacks tasks */
    struct line *running;         /* who can be a victim: preemptible, and holds something */
    struct leaf_shape *shape;
    size_t n_shapes, capacity;
    uint32_t growing;             /* of those who wait: hold something already */
    struct shape_head *head;      /* of each shape that waits whole, in the order of the line. While known */
    size_t n_heads, heads_capacity;
    enum { HEADS_UNKNOWN, HEADS_BUT_ONE, HEADS_KNOWN } heads;    /* but that of shape `stale` */
    shape_id stale;
    struct late *last;            /* of who can be a victim, from the end of the line: as many as were asked for */
    size_t n_last, last_capacity;
    uint32_t leaving;             /* of those who run */
    uint64_t acted;               /* the last pass that did something to its jobs */
    bool limited;                 /* it, or a queue above it, has a limit */
    bool spent;                   /* its budget of the month, or that of a queue above it: it starts nothing */
    bool stands_anew;             /* since the victims were ordered last, its shares or its worst have changed */
    int64_t least_gpu_milli;      /* that anyone who waits whole asks for; a lower bound */
    int64_t reasons_fair, reasons_held;    /* GPUs, when the reasons were told */
    int64_t settled_ns, settled_milli;     /* usage: since then it has held so much */
    double used;                  /* decayed GPU seconds */
    struct quota_amount fair;     /* as told; -1: not yet */
    bool retold;                  /* somebody has come, and does not know yet why he waits */
};
/* Of a shape: is there room for it, and why not. */
struct shape_room {
    uint64_t failed_at;
    uint32_t waiting, place;
    queue_id *leaf;               /* where they wait */
    size_t n_leaves, leaves_capacity;
    uint64_t tried_at;            /* q->placements, when it was seen whether somebody who wants tried_tasks, in no groups, fits */
    uint32_t tried_tasks;
    bool fits, alike;             /* alike: nobody is in groups, or starts with less than all */
    enum wait_reason why_not;     /* then */
    uint32_t acted;               /* of those who wait, had their turn in that pass */
    uint64_t acted_pass;
    enum wait_reason why;
    const struct request *ask;    /* of those who have waited since nobody did: one is in groups; the least that any wants */
    bool grouped;
    uint64_t vain_at;             /* q->changes, when moving others was seen to be in vain */
    uint32_t least_tasks;
    int64_t least_milli;
};

/* Who is next, over the tree of queues: each inner queue is represented by the best job of its best child. */
struct order_node {
    struct quota_standing standing;
    struct quota_amount amount;
    uint32_t n, at;               /* children; its place among its siblings */
    bool in, listed, stands;      /* in the heap; among the active; of victims: the standing is that of its shares */
};
struct order {
    struct quota_state *q;
    bool victims;                 /* the worst comes first, and amounts are those of victims */
    bool compares;                /* there is more than one leaf */
    struct order_node *node;      /* [queues + 1], the last the root */
    queue_id *heap;               /* children of each, at first[node] */
    queue_id *active;             /* whatever must be cleared */
    size_t n_active, n_leaves;
};

struct quota_job {                /* policy.job_size */
    uint64_t pass;                /* the last that started, pencilled or stopped something of it */
    uint64_t consolidated;        /* q->ends when others were last moved for it */
    uint64_t scenario;            /* in which some of it was evicted last */
    uint32_t evicted;             /* then: the first of those tasks */
    bool moved;                   /* by a search, and not started since: it goes on, whatever budgets say */
    bool waits, runs, leaves, broken;     /* in the lines of its leaf; and leaves what it holds; below its minimum, and still holds something */
    bool whole;                   /* counted with its shape */
};

struct quota_state {
    const struct quota_params *params;
    uint32_t n_queues;
    struct quota_queue *queue;    /* [n_queues] as of now, staged changes and all, once refreshed */
    struct quota_amount total;
    queue_id top;
    unsigned settled;             /* of the top queues, as in struct quota_queue */
    bool unsettled;               /* some siblings are not */
    struct leaf *leaf;            /* [n_queues] */
    uint32_t *first;              /* [n_queues + 1] of its children in a heap */
    struct quota_taker *taker;
    struct quota_loss *loss;
    struct order jobs, again;     /* who is served; who comes back */
    struct order victims, worst;  /* who is evicted, in a search; who would be first, kept up to date as it is asked for */
    queue_id *anew;               /* queues that stand anew there */
    size_t n_anew;
    struct bitset_shape leaves;   /* of the sets of leaves that follow */
    uint64_t *claims;             /* leaves in which somebody may pass the gate of reclaim, by GPUs; in no other leaf does anybody */
    uint64_t *grows;              /* leaves some of whose jobs wait for more */
    uint64_t *untold;             /* leaves that may have changed since it was told there why they wait */
    uint64_t *open;               /* scratch, as are the next two, [n_queues] */
    struct heads *heads;
    struct turn *turn;
    queue_id *acted;              /* leaves to whose jobs this pass did something, or some of whose jobs are leaving */
    size_t n_acted;
    bool protects, protects_within;    /* some queue has a minimum run time against reclaim; against preemption */
    struct shape_room *room;      /* [n_room] by shape */
    size_t n_room;
    shape_id *asked;              /* shapes that somebody waits for */
    size_t n_asked, asked_capacity;
    uint32_t growing;             /* of all leaves */
    uint64_t ends;                /* jobs that have gone by themselves, and one: without, others are moved for a job once only */
    uint64_t pass, version;       /* version grows with whatever may make room */
    uint64_t seen_version;
    uint64_t placements;          /* passes, and whatever allocate has given: between them the same find room */
    uint64_t changes;             /* passes, and successful searches: between them nothing that a search looks at changes */
    bool divided, pencilled;      /* in this pass */
    bool odd;                     /* some queue has a limit, some job is elastic or not preemptible: for good */
    bool budgets;                 /* some queue has one */
    int64_t free_milli;           /* GPUs, idle or being left, in whatever pieces */
    int32_t least_priority, most_priority;    /* of all jobs that have come */
    struct line *broken;          /* jobs below their minimum, the longest first */
    struct line *misplaced;       /* jobs of inner queues */
    struct line *awaited;         /* for whom a search made room, and who were moved for it, in that order: served first */
    int64_t n_awaited;
    uint64_t came_back;           /* the last pass in which one of the awaited started */
    struct search *search;
};

/* quota_jobs.c - jobs, task by task; quota_leaf.c - the lines of their leaf */
struct wanted quota_wanted(struct sched *s, job_id j, const struct placement *has);    /* has: what it holds, or would; scratch */
struct quota_amount quota_of_tasks(struct sched *s, job_id j, const uint32_t *task, uint32_t n);
struct quota_amount quota_of_placement(struct sched *s, job_id j, const struct placement *p);
const struct placement *quota_place(struct sched *s, enum free_kind in, job_id j, const uint32_t *task, uint32_t n, node_id first);
bool quota_lacks_tasks(const struct sched *s, job_id j);
struct line_key quota_key(const struct sched *s, job_id j, size_t held);    /* priority, how elastic, age */
void leaf_heads(struct sched *s, struct leaf *l);                            /* makes them known; of a leaf where nobody grows */
/* A walk of that line to j, as if it had left out all that come before, shape by shape. */
void leaf_walk_to(struct sched *s, const struct quota_state *q, struct line_walk *w, job_id j);
const struct late *leaf_late(struct sched *s, struct leaf *l, size_t k);     /* who can be a victim, from the end; NULL: not so many */
void quota_waits(struct sched *s, struct quota_state *q, job_id j);              /* enters the lines, or is keyed anew */
void quota_waits_no_more(struct sched *s, struct quota_state *q, job_id j);
void quota_runs(struct sched *s, struct quota_state *q, job_id j);
void quota_holds_anew(struct sched *s, struct quota_state *q, job_id j);         /* it has grown */
void quota_runs_no_more(struct sched *s, struct quota_state *q, job_id j);
void quota_is_whole(struct sched *s, struct quota_state *q, job_id j);     /* or holds nothing */
bool quota_has_had_turn(struct sched *s, const struct quota_state *q, const struct leaf *l, job_id j);    /* in this pass, j of l */
bool quota_is_plain(const struct quota_state *q);    /* nothing but whole preemptible jobs without limits: a shape fits or fails for all */
void quota_pass_begins(struct quota_state *q);
void quota_has_acted(struct sched *s, struct quota_state *q, job_id j);    /* this pass has started, pencilled or stopped something of it */

/* quota_room.c - shapes: who waits for them where, and whether there is room for them */
struct shape_room *quota_room(struct sched *s, struct quota_state *q, shape_id shape);
void quota_count_shape(struct sched *s, struct quota_state *q, job_id j, int by);    /* somebody more, or less, waits whole for that of j */
void quota_shape_acted(struct sched *s, struct quota_state *q, job_id j);            /* j, who does, has had his turn in this pass */
bool quota_all_acted(const struct quota_state *q, const struct shape_room *room);    /* all of them have */
bool quota_shape_fits(struct sched *s, struct quota_state *q, shape_id shape, job_id j);    /* for j, who holds nothing */
bool quota_nobody_has_room(const struct quota_state *q);
bool quota_all_in_vain(struct sched *s, struct quota_state *q);    /* who has not had his turn need not have it */
void quota_open_leaves(struct sched *s, struct quota_state *q);    /* q->open: leaves for some of whose jobs there may be room */

/* quota_tree.c - shares, and order among queues */
void quota_tree_begin(struct sched *s, struct quota_state *q);
void quota_capacity_changed(struct sched *s, struct quota_state *q);    /* nodes came or went: fair shares are divided anew */
void quota_refresh(struct sched *s, struct quota_state *q, queue_id leaf);       /* the shares on its path, from the books */
void quota_refresh_all(struct sched *s, struct quota_state *q);
void quota_divide_now(struct sched *s, struct quota_state *q);                   /* fair shares, once a pass */
void quota_changed(struct quota_state *q, queue_id i);                           /* its shares, or who waits */
void quota_stands_anew(struct quota_state *q, queue_id i);                       /* its shares, or who would be evicted first */

/* quota_order.c - order among queues. One kept up to date is told what is new; others are made of leaves. */
void order_new(struct sched *s, struct order *o, struct quota_state *q, bool victims);
void order_begin(struct order *o);
void order_add(struct order *o, queue_id leaf, const struct quota_amount *amount);    /* of its first job, or of its victims */
void order_make(struct order *o);
queue_id order_top(const struct order *o);                                 /* ID_NONE: nobody is left */
void order_set(struct order *o, queue_id leaf, const struct quota_amount *amount);    /* from now on; NULL, it has no more */
void order_anew(struct order *o, queue_id i);                              /* its shares have changed */
void order_copy(struct order *to, const struct order *from);

/* quota_allocate.c */
enum allocated { ALLOCATED_NOT, ALLOCATED_PENCIL, ALLOCATED };
void quota_allocate(struct sched *s, struct quota_state *q);
/* In pencil only: for a search. what was placed; NULL: it does not fit, or may not. */
const struct placement *quota_pencil(struct sched *s, struct quota_state *q, job_id j, const uint32_t *task, uint32_t n);
bool quota_has_capacity(struct quota_state *q, const struct job_facts *f, const struct quota_amount *ask, enum wait_reason *why);

/* quota_search.c, with quota_victims.c and quota_scenario.c: see quota_search.h */
enum quota_action { CONSOLIDATION, RECLAIM, PREEMPT };
bool quota_search(struct sched *s, struct quota_state *q, job_id j, enum quota_action action);
/* A consolidation for somebody who holds nothing and wants that many of these tasks, in no groups, cannot succeed: certain, and cheap. */
bool quota_moves_in_vain(struct sched *s, struct quota_state *q, const struct request *ask, uint32_t min_tasks);

/* quota_actions.c */
void quota_act(struct sched *s, struct quota_state *q, enum quota_action action);
void quota_evict_stale(struct sched *s, struct quota_state *q);
