/* quota.h - the model of the policy `quota`: guaranteed quota after
 * NVIDIA/KAI-Scheduler:pkg/scheduler (actions/, plugins/).
 *
 * Where queues have quotas of flavors, each flavor is a node pool with a shard of the scheduler: a
 * struct quota_state with its nodes, the quotas of the queues there and the jobs that count there
 * (job_flavor()). Shards see nothing of each other; pools.c says in which a job waits. Without
 * flavors there is one shard, of all nodes.
 *
 * A pass is a session of five actions, each of which can be switched off: allocate (idle GPUs to
 * the next job), consolidation (preemptible jobs move to make room), reclaim (queues within their
 * fair share take back from others), preempt (higher priority stops lower priority of the same
 * queue), eviction of stale gangs. What a pass gives on GPUs that others are leaving is tentative
 * (KAI: pipelined): the next pass decides again.
 *
 * Terms. Leaf: a queue without children; only leaves have jobs. Whole: a waiting job that holds
 * nothing. Growing: a waiting job that holds some of its tasks. Plain: every job is preemptible,
 * wants all its tasks, and no queue has a limit; then a shape fits, or not, for all its jobs alike.
 * Firm: held by non-preemptible jobs. Acted: this pass has started, placed tentatively or stopped
 * something of the job. Amounts and units: division.h. Order of queues and the rules of reclaim:
 * rules.h.
 *
 * Memory: everything lives as long as the run, grown arrays too; what says scratch lives until the
 * pass ends. */
#pragma once
#include "policies/common/changes.h"
#include "policies/common/queue_heads.h"
#include "policies/kai/jobs/candidates.h"
#include "policies/kai/queues/kept_division.h"
#include "policies/kai/queues/kept_order.h"
#include "policies/kai/queues/order.h"
#include "policies/kai/queues/rules.h"
#include "sim/contract/util/array.h"
#include "sim/contract/util/bitset.h"
#include "sim/contract/util/minmax.h"

struct quota_params {
    double allocate, consolidation, reclaim, preempt, stale, stale_s, moves, consolidation_victims,
        victims, min_runtime_of, saturation, k, half_life_h, pod_affinity;
};
enum { RUNTIME_OF_ANCESTOR, RUNTIME_OF_QUEUE };

/* ---- Jobs ---- */

/* The tasks that a job wants next: below its minimum all that it lacks of it, otherwise one.
 * SPLIT_ANY: one, the whole job. */
struct wanted {
    uint32_t n;                   /* 0: nothing */
    const uint32_t *task;         /* [n] scratch; NULL: not listed */
    struct quota_amount amount;
};
struct quota_job {                /* policy.job_size */
    uint64_t pass;                /* the last that acted on it */
    uint64_t consolidated;        /* q->ends when other jobs were last moved for it */
    uint64_t scenario;            /* the last in which some of it was evicted */
    uint32_t evicted;             /* the first of those tasks, as an index of search.evicted */
    /* by a search, and not started since: it restarts, whatever budgets say */
    bool moved;
    bool waits, runs;             /* in the waiting line of its leaf; among its candidates */
    bool in_array;                /* candidates.h: not in the line of candidates */
    bool leaves;                  /* among the candidates, and this pass took all that it holds */
    bool broken;                  /* below its minimum, and still holds something */
    bool whole;                   /* waits and holds nothing; counted with its shape */
    uint8_t marks;                /* reasons.h: of its place in the waiting line */
    /* listed there in `reasoned`; NULL: nowhere */
    const struct quota_state *listed_in;
    /* has a reason of its own there, NULL: has none; that, and the pass that gave it last: */
    const struct quota_state *why_in;
    enum wait_reason why;
    uint64_t why_pass;
    /* of this pass, if promise_pass is it: the tentative place of a job that holds nothing else;
     * scratch */
    struct placement *promise;
    uint64_t promise_pass;
    /* while it is awaited: where the search for it placed its tasks */
    struct piece *found;
    size_t n_found, found_capacity;
    uint32_t pods_place;          /* 1 + index in the list of pods.c; 0: not in it */
    uint32_t pods_heard;          /* of those that say something there, as many have been asked */
    bool pods_concern;            /* they, or its own pods, say something that counts for it */
};

/* ---- Leaves ---- */

/* A job that left a pool in vain. */
struct left_job { uint32_t tasks; int32_t priority; bool firm; };
/* The jobs of one shape that wait whole in a leaf. All of a leaf are looked through often: what
 * that does not read lies elsewhere. */
struct leaf_shape {
    shape_id shape;
    uint32_t waiting, place;      /* place: index of the leaf in admission_check.leaf */
    bool goes;                    /* pools.c: some of the jobs may go on */
    uint8_t why;                  /* enum wait_reason, as last reported */
    int64_t least_milli;          /* GPUs that more->ask has */
    struct shape_more *more;
};
/* reasons.h: how many there are; of these, preemptible ones; in pass `pass` those were told that stand
 * before `end`, ID_NONE: all. */
struct told { uint32_t n, loose; uint64_t pass; job_id end; struct line_key end_key; };
struct shape_more {
    struct quota_amount ask;      /* of the job that asks for the fewest GPUs */
    struct told told;
    /* pools.c: those that left in vain when q->turns was left_at, none of them harder than another
     * of them */
    uint64_t left_at;
    struct left_job *left;        /* [n_left] */
    size_t n_left, left_capacity;
    /* in pass coming_pass so many more may come from other pools */
    uint32_t coming;
    uint64_t coming_pass;
};
/* Its bit in sets of shapes, which it may share with others: that none of some is in a set is certain. */
static inline uint64_t quota_shape_bit(shape_id shape)
{
    return UINT64_C(1) << shape % 64;
}
/* The first of them, and what it wants. */
struct shape_head {
    job_id job;
    shape_id shape, alike;
    struct line_key key;
    uint32_t tasks, min_tasks;
    bool firm;
    struct quota_amount ask;
    uint64_t stood;               /* leaf.stood when `standing` was computed; 0: never */
    struct quota_standing standing;    /* of the leaf with this job */
};
enum { TURNS_KNOWN = 4, STALE_KNOWN = 4 };
struct leaf {                     /* [queue_id]; nothing of it is used for inner queues */
    /* A pass asks of many leaves what comes first: a cache line. */
    struct line *waiting;         /* jobs that lack tasks */
    struct leaf_shape *shape;     /* [n_shapes] ascending */
    uint64_t acted;               /* the last pass that acted on its jobs */
    uint64_t consolidated;        /* the largest of its jobs */
    /* its shares or its worst candidate, since `worst` was refreshed last; how often, from 1 on */
    uint64_t stood;
    bool standing_changed;
    bool report_due;              /* a job has come, and its reason is not reported */
    bool limited;                 /* it, or a queue above it, has a limit */
    /* its budget of the month, or that of a queue above it: it starts nothing */
    bool spent;
    uint32_t growing;             /* waiting jobs that hold something */
    uint32_t n_shapes;
    /* lower bound of what a job that waits whole asks for; INT64_MAX: none waits */
    int64_t min_gpu_milli;
    struct leaf_candidates candidates; /* of its jobs, for searches */
    /* of the heads that follow; but few: all but those of shapes stale[0] to stale[n_stale - 1] */
    enum { HEADS_UNKNOWN, HEADS_BUT_FEW, HEADS_KNOWN } heads;
    uint32_t n_stale;
    shape_id stale[STALE_KNOWN];
    /* [n_heads] of each shape that waits whole, in the order of the line; as `heads` says */
    struct shape_head *head;
    shape_id *head_shape;         /* [n_heads] of these, side by side: to look for one */
    size_t n_heads;
    uint32_t leaving;             /* candidates that are leaving */
    /* pass `acted`: on how many of its jobs it acted; and on which, as long as there are few */
    uint32_t n_turns;
    job_id turn[TURNS_KNOWN];
    int64_t reasons_fair, reasons_held;    /* milli-GPUs, when reasons were reported last */
    struct quota_amount fair;     /* as last reported; -1: not yet */
    uint32_t told;                /* reasons.h: how many jobs; q->doubts when all were judged */
    uint64_t told_at;
    size_t shapes_capacity, heads_capacity, head_shapes_capacity;
};
/* Prefetch: of thousands of leaves few are in a near cache. */
static inline void leaf_fetch(const struct leaf *l)
{
    for (size_t at = 0; at < sizeof *l; at += 64)
        __builtin_prefetch((const char *)l + at);
}
/* Some job waits there: without a look at the line, which lies elsewhere. */
static inline bool leaf_waits(const struct leaf *l)
{
    return l->growing > 0 || l->min_gpu_milli < INT64_MAX;
}

/* ---- Admission checks ---- */

/* Whether jobs of one shape find a place, and why not. The answer is a matter of the shape alone:
 * `no` stands until something makes room (q->version), `yes` until something is given away
 * (q->placements). */
struct admission_check {
    /* q->version of the last `no`; UINT64_MAX: never. It was for so many tasks: fewer may fit */
    uint64_t failed_at;
    uint32_t failed_tasks;
    enum wait_reason why;         /* of that */
    /* q->placements of the last try, for tried_tasks tasks in no groups */
    uint64_t tried_at;
    uint32_t tried_tasks;         /* 0: groups; good for that job only */
    bool fits;                    /* its answer */
    enum wait_reason why_not;     /* if it does not fit */
    uint64_t infeasible_at;       /* q->changes when a consolidation was found infeasible */
    uint64_t opened_in;           /* heads.h: the pass in which it found a place when allocate began */
    /* heads.h: the leaves where jobs wait whole for the shape, as of change heads_read of
     * q->heads_changed, but for [n_put_off] that stand with another head */
    struct kept_order order;
    uint64_t heads_read;
    struct put_off *put_off;
    size_t n_put_off, put_off_capacity;
    /* The jobs that wait whole for the shape: */
    uint32_t waiting, place;      /* place: index in q->asked */
    queue_id *leaf;               /* [n_leaves] where they wait, in no order */
    size_t n_leaves, leaves_capacity;
    uint32_t acted;               /* how many of them pass `acted_pass` acted on */
    uint64_t acted_pass;
    const struct request *ask;
    /* it fits where enough nodes have GPUs for a task or several, or all together for its total */
    bool by_numbers;
    bool has_type;                /* by_numbers: a GPU that it may use has been free once */
    struct request *pool_ask;     /* the same on nodes of the shard's pool; NULL: not made yet */
    bool grouped;                 /* since none waited, one with groups has come */
    bool alike;                   /* no groups, and all want all their tasks */
    bool uniform;                 /* no groups, and all want equally many */
    uint32_t min_tasks;           /* the smallest minimum of any of them; and what that is */
    struct quota_amount min_ask;
};

struct quota_state { /* of a shard */
    const struct quota_params *params;
    struct quota_pools *pools; /* it is one of them */
    uint32_t flavor;           /* of its nodes; ID_NONE: all nodes */
    queue_id books;            /* the books of queue i in its pool have the id i + books */
    bool *has_node;            /* [nodes] NULL: all */
    /* number of this pass; and four counters that say what stands between two looks: */
    uint64_t pass;
    uint64_t version;             /* grows with all that may make room */
    /* grows with passes and with what allocate gives: between them the same jobs find a place */
    uint64_t placements;
    /* grows with passes and successful searches: between them a search sees the same */
    uint64_t changes;
    uint64_t noted;               /* grows with failures that checks note */
    /* placements and noted when it was seen that not all that may have a turn is infeasible */
    uint64_t feasible_placements, feasible_noted;
    /* 1 + jobs that have ended: without an end, other jobs are moved for a job once only */
    uint64_t ends;
    uint64_t quota_version;       /* of the quotas in the tree */
    uint64_t seen_version;        /* sched_room_version() of the last pass */
    /* grows when room comes free, and with passes that start or stop something: between them a job
     * fares as one like it has */
    uint64_t turns;

    /* Queues and shares */
    uint32_t n_queues;
    /* [n_queues] as of now, staged changes included, once refreshed */
    struct quota_queue *queue;
    struct quota_amount total;    /* of nodes that are up */
    int64_t free_milli;           /* GPUs that are idle or being left, in whatever pieces */
    queue_id top;                 /* the first top queue */
    struct quota_kept *kept;      /* NULL: past use counts, all is divided anew */
    bool divided;                 /* fair shares, in this pass */
    struct quota_taker *taker;    /* [n_queues] scratch of a division */
    struct quota_loss *loss;      /* [n_queues] scratch of a scenario */
    uint32_t *first;              /* [n_queues + 1] of a queue's children in a heap */

    /* Leaves */
    struct leaf *leaf;            /* [n_queues] */
    struct bitset_shape leaves;   /* of the sets of leaves that follow */
    /* leaves in which a job may pass the gate of reclaim, by GPUs; no other leaf has one */
    uint64_t *claims;
    uint64_t *grows;              /* leaves with growing jobs */
    /* leaves in which a job may preempt others; and such as have changed since it was looked up */
    uint64_t *preempts;
    uint64_t *unreported;         /* leaves: their wait reasons may have changed since reported */
    uint64_t *open;               /* scratch of allocate */
    struct changes heads_changed; /* of leaves: their heads, or their standing; heads.h */
    uint64_t *asks;               /* [n_queues] bits of the shapes for which jobs wait whole there */
    /* of heads.h, in this pass: bits of open shapes; of those that one shape has, of all for which jobs
     * wait; the open shape with a bit, if it is one of these */
    uint64_t open_bits, lone_bits;
    shape_id open_by_bit[64];
    /* of the shapes for which no failure is noted, in pass unfailed_in, when q->noted was so much */
    uint64_t unfailed, unfailed_in, unfailed_noted;
    struct open_head *open_head;      /* [n_queues] of heads.h */
    struct open_shape *open_shape;    /* [n_open_shapes] of heads.h, in this pass */
    size_t n_open_shapes, open_shapes_capacity;
    uint64_t heads_ordered;       /* the last pass that put heads in order */
    queue_id one_open;            /* else: the only leaf with an open head; ID_NONE: none */
    struct leaf_head *leaf_head;  /* [n_queues] scratch of allocate */
    struct turn *turn;            /* [n_queues] scratch of the other actions */
    /* [n_acted] leaves that this pass acted on, or with leaving jobs */
    queue_id *acted;
    size_t n_acted;
    uint32_t growing;             /* jobs of all leaves */
    uint32_t n_running;           /* candidates of all leaves */

    /* Orders */
    struct order jobs;            /* of the leaves, by their next job */
    struct order again;           /* of the contenders of a scenario */
    /* of all leaves, by their worst candidate; refreshed when a search begins, which then orders
     * them by its next victims: marked, and rolled back before the next search */
    struct order worst;
    queue_id *restanding;         /* [n_restanding] queues with an old standing in `worst` */
    size_t n_restanding;

    struct changes worst_changed; /* of leaves: their victims, or the places of these; worst.c */

    /* Shapes */
    struct admission_check *check;    /* [n_checks] by shape */
    size_t n_checks;
    shape_id *asked;              /* [n_asked] shapes for which jobs wait whole, in no order */
    size_t n_asked, asked_capacity;
    uint32_t n_mixed;             /* of these, with jobs that want different numbers of tasks */

    /* Facts about all jobs and queues */
    bool shares;                  /* some job wants shares of GPUs: for good */
    bool odd;                     /* some queue has a limit, or some job is not plain: for good */
    bool budgets;                 /* some queue has a budget */
    /* no queue has a quota or a limit but of GPUs: of two allocatable shares one is within the
     * other. Else three queues that tie may each go before the next of them */
    bool one_measure;
    /* some queue has a minimum run time against reclaim; against preemption */
    bool protects, protects_within;
    int32_t min_priority, max_priority;    /* of all jobs that have joined */

    /* jobs below their minimum that hold something, the longest first */
    struct line *broken;
    struct line *misplaced;       /* jobs of inner queues */
    /* jobs for which a search made room, and jobs that it moved, in that order: served first */
    struct line *awaited;
    int64_t n_awaited;            /* ever */
    uint64_t reinstated;          /* the last pass in which one of the awaited started */
    job_id *promised;             /* [n_promised] with a promise of this pass; others, too */
    size_t n_promised, promised_capacity;
    job_id *reasoned;             /* [n_reasoned] with a reason of their own; others, too */
    size_t n_reasoned, reasoned_capacity;
    uint64_t renewed_at;          /* q->version when they were looked at last */
    /* reasons.h: leaves with told jobs; when a queue ([n_queues]), or any, last gave something up */
    uint64_t *told, *doubted;
    uint64_t doubts, all_doubted;
    bool grows_by_nodes;          /* the cluster has pools */
    bool tentative;               /* this pass has placed something tentatively */
    bool changed;                 /* this pass has started or stopped something */
    struct search *search;        /* NULL: none yet */
    struct places *places;        /* NULL: not asked for yet */
    struct quota_pods *pods;      /* NULL: no pod has labels or rules */
    struct line *owed;            /* jobs that came with a promise of before the trace */
    struct line *unheeded;        /* jobs whose pods say what cannot be heeded */
};

struct quota_pools {           /* policy.state_size */
    struct quota_state *shard; /* [n] by flavor, or one of all nodes */
    uint32_t n;
    struct line *homeless; /* jobs that no pool of their queue may have */
};

/* ---- pools.c: node pools ---- */
void pools_begin(struct sched *s, const struct quota_params *params, struct quota_pools *pools);
/* The shard of a job; NULL: none of its queue's pools may have it. */
struct quota_state *pool_of(const struct sched *s, struct quota_pools *pools, job_id j);
/* What has changed in the books, to each shard its part. */
void pools_refresh(struct sched *s, struct quota_pools *pools);
/* At the end of a pass: jobs that waited in vain go on to the next pool of their queue. */
void pools_move_on(struct sched *s, struct quota_pools *pools);

/* ---- tasks.c: a job, task by task ---- */
/* What it asks for, on nodes of the shard's pool. */
const struct request *quota_ask(struct sched *s, struct quota_state *q, job_id j);
/* What it holds, or, if nothing, its promise of this pass; NULL: neither. */
const struct placement *quota_has(struct sched *s, const struct quota_state *q, job_id j);
bool quota_is_promised(struct sched *s, const struct quota_state *q, job_id j);
/* has: what it holds, or would */
struct wanted quota_wanted(struct sched *s, job_id j, const struct placement *has);
struct quota_amount quota_of_tasks(struct sched *s, job_id j, const uint32_t *task, uint32_t n);
struct quota_amount quota_of_placement(struct sched *s, job_id j, const struct placement *p);
/* A place for these tasks; `first`: the node to try first, or ID_NONE. NULL: none. */
const struct placement *quota_place(struct sched *s, struct quota_state *q, enum free_kind in,
                                    job_id j, const uint32_t *task, uint32_t n, node_id first);
/* By whole GPUs, node by node, there is no room for so many tasks of this run: certain. */
bool quota_lacks_nodes(struct sched *s, enum free_kind in, const struct request *ask,
                       uint32_t tasks);
/* places.c: KAI's choice of nodes, GPUs and domains (places.h) applies to this job. */
bool quota_chooses(struct sched *s, struct quota_state *q, job_id j);
/* The placer is pack or spread, nothing inside nodes is asked for, and no power cap is in the way. */
bool quota_fills(struct sched *s, struct quota_state *q, job_id j);
/* A place for all these tasks; now: on idle GPUs only, and not if it is asked for as tentative.
 * where NULL: none. */
struct quota_place { const struct placement *where; bool now; };
struct quota_place quota_choose(struct sched *s, struct quota_state *q, job_id j,
                                const uint32_t *task, uint32_t n, bool tentative);
bool quota_lacks_tasks(const struct sched *s, job_id j);
/* Order in the lines of a leaf: priority, then fewer tasks than the minimum, the minimum, more;
 * then submit time. */
struct line_key quota_key(const struct sched *s, job_id j, size_t held);

/* ---- leaf.c: the lines of a leaf ---- */
/* Makes all heads known; without growing jobs. */
void leaf_heads(struct sched *s, const struct quota_state *q, struct leaf *l);
/* The standing of the leaf with that head, as of now. */
const struct quota_standing *leaf_standing(const struct quota_state *q, queue_id i,
                                           struct shape_head *h);
/* Moves a walk of the waiting line to j, as if the jobs before it had been left out shape by
 * shape. */
void leaf_walk_to(struct sched *s, const struct quota_state *q, struct line_walk *w,
                  const struct leaf *l, job_id j);
static inline const struct victim_candidate *
leaf_candidate(struct sched *s, const struct quota_state *q, struct leaf *l, size_t k)
{
    return candidates_get(s, q, &l->candidates, k);
}
/* What candidates.h knows of it. */
candidate_read leaf_candidate_of;
/* The shard has this job from now on: what it knows of all its jobs holds for this one, too. */
void quota_joins(struct sched *s, struct quota_state *q, job_id j);
/* Joins the waiting line, or gets a new key there. */
void quota_enter_waiting(struct sched *s, struct quota_state *q, job_id j);
void quota_leave_waiting(struct sched *s, struct quota_state *q, job_id j);
/* Joins the candidates, or gets a new key there. */
void quota_enter_running(struct sched *s, struct quota_state *q, job_id j);
void quota_leave_running(struct sched *s, struct quota_state *q, job_id j);
/* The job has its minimum again, or holds nothing. */
void quota_leave_broken(struct sched *s, struct quota_state *q, job_id j);
/* What candidates hold has changed. */
void quota_grew(struct sched *s, struct quota_state *q, job_id j);
void quota_mark_acted(struct sched *s, struct quota_state *q, job_id j);
/* j of l, in this pass */
bool quota_had_turn(struct sched *s, const struct quota_state *q, const struct leaf *l, job_id j);
bool quota_is_plain(const struct quota_state *q);
void quota_pass_begins(struct quota_state *q);

/* ---- promises.c: tentative places, as what jobs hold ---- */
/* Tasks of a job were placed there tentatively, with those before: if it holds nothing, it can be a
 * victim. */
void quota_promise(struct sched *s, struct quota_state *q, job_id j, const struct placement *p);
/* The same, and they are placed there; nothing, if that is not free. NULL: nowhere. */
void quota_promise_at(struct sched *s, struct quota_state *q, job_id j, const struct placement *p);
/* Where the search has placed its tasks: kept while the job is awaited. */
void quota_keep_found(struct sched *s, job_id j, const struct piece *piece, uint32_t n);
/* What was promised before the trace began, for this pass; from the next on the job is awaited. */
void quota_keep_promises(struct sched *s, struct quota_state *q);
/* A later search of the pass takes the promise. */
void quota_break_promise(struct sched *s, struct quota_state *q, job_id j);
/* A pass begins: there are no promises. */
void promises_end(struct sched *s, struct quota_state *q);

/* ---- admission.c: shapes ---- */
/* Of the leaf, made when first asked for. The pointer is good until a new shape comes there. */
struct leaf_shape *quota_leaf_shape(struct sched *s, struct leaf *l, shape_id shape);
/* The check of a shape, made when first asked for. The pointer is good until a new shape comes. */
struct admission_check *quota_check(struct sched *s, struct quota_state *q, shape_id shape);
/* 1: j waits whole; -1: no longer */
void quota_count_shape(struct sched *s, struct quota_state *q, job_id j, int by);
/* This pass acts on j, which waits whole. */
void quota_shape_acted(struct sched *s, struct quota_state *q, job_id j);
bool quota_all_acted(const struct quota_state *q, const struct admission_check *check);
/* No place for so many tasks of the shape, as far as checks know. */
static inline bool quota_has_failed(const struct quota_state *q,
                                    const struct admission_check *check, uint32_t tasks)
{
    return check->failed_at == q->version && tasks >= check->failed_tasks;
}
/* All jobs that wait whole for the shape want the same, whichever is asked. */
static inline bool quota_all_want_same(const struct quota_state *q,
                                       const struct admission_check *check)
{
    return !q->odd && check->alike && check->uniform;
}
/* It was tried since something was given away last, and there is one. */
static inline bool quota_known_to_fit(const struct quota_state *q,
                                      const struct admission_check *check, uint32_t tasks)
{
    return !quota_has_failed(q, check, tasks) && check->alike && check->fits &&
           check->tried_at == q->placements && check->tried_tasks == check->min_tasks;
}
void quota_note_failed(struct quota_state *q, struct admission_check *check, uint32_t tasks);
/* What is found for one job of this shape holds for all that wait behind it in this leaf. */
bool quota_may_skip(struct sched *s, struct quota_state *q, const struct leaf *l, shape_id shape);
/* ... of every shape that waits whole in this leaf. */
bool quota_heads_will_do(struct sched *s, struct quota_state *q, const struct leaf *l);
/* No place for any of its jobs, which is noted with the reason of the last try. */
void quota_shape_failed(struct quota_state *q, struct admission_check *check);
/* Jobs like j, of a shape with equal jobs only, find a place. */
bool quota_alike_fits(struct sched *s, struct quota_state *q, shape_id shape, job_id j);
/* A job of the shape, of leaves that this pass has not acted on, finds a place. false: or there is
 * none. Of a shape with equal jobs only. */
bool quota_one_fits(struct sched *s, struct quota_state *q, shape_id shape);
/* The shape finds a place for j, which holds nothing and has that minimum. */
bool quota_shape_fits(struct sched *s, struct quota_state *q, shape_id shape, job_id j,
                      uint32_t tasks);
/* No shape that is asked for fits, as far as checks know. */
bool quota_no_shape_fits(const struct quota_state *q);
/* No job that has not had its turn in this pass can get anything: certain, and cheap. Notes it in
 * the checks. */
bool quota_all_infeasible(struct sched *s, struct quota_state *q);
/* That would say no, as it has since anything was given away or noted last. */
static inline bool quota_some_feasible(const struct quota_state *q)
{
    return q->feasible_placements == q->placements && q->feasible_noted == q->noted;
}
/* q->open: leaves in which some job may find a place */
void quota_open_leaves(struct sched *s, struct quota_state *q);

/* ---- shares.c: shares of the queues ---- */
void quota_tree_begin(struct sched *s, struct quota_state *q);
/* Nodes came or went. */
void quota_capacity_changed(struct sched *s, struct quota_state *q);
void quota_quotas_changed(struct sched *s, struct quota_state *q);        /* deserved quotas and limits, with time */
/* The shares on its path, from the books. */
void quota_refresh(struct sched *s, struct quota_state *q, queue_id leaf);
void quota_refresh_one(struct sched *s, struct quota_state *q, queue_id i);
/* Limits (in the pool, and of the queue in all pools), and for a non-preemptible job deserved
 * shares. *why may be NULL. */
bool quota_has_capacity(struct sched *s, struct quota_state *q, const struct job_facts *f,
                        const struct quota_amount *ask, enum wait_reason *why);
/* Fair shares, once a pass. */
void quota_divide_now(struct sched *s, struct quota_state *q);
/* Asks for a pass when past use that decays first gives a waiting job a fair share that it may
 * reclaim: one that is not there now, if nothing else happens until then. */
void quota_wake_at_flip(struct sched *s, struct quota_state *q);
/* The shares of a queue have changed, or which jobs wait there. */
void quota_changed(struct quota_state *q, queue_id i);
/* The shares of a queue have changed, or its worst candidate. */
void quota_standing_changed(struct quota_state *q, queue_id i);

/* ---- allocate.c ---- */
/* In all pools before any allocates: they share the limits of queues. */
void quota_serve_awaited(struct sched *s, struct quota_state *q);
void quota_allocate(struct sched *s, struct quota_state *q);
/* Nodes have room for what it wants, and the rules of pods bar them. */
bool quota_pods_bar(struct sched *s, struct quota_state *q, job_id j);
/* Places tasks tentatively, idle GPUs last. What was placed; NULL: it does not fit. */
const struct placement *quota_place_tentatively(struct sched *s, struct quota_state *q, job_id j,
                                                const uint32_t *task, uint32_t n);

/* ---- pods.c: pods beside other pods ---- */
/* Its pods say something of others that has to be kept; with `preferred`, anything. */
bool quota_pods_say(const struct sched *s, job_id j, bool preferred);
/* What its pods say counts, or what those of a job that has come say of them: until then labels
 * mean nothing. */
bool quota_pods_concern(struct sched *s, struct quota_state *q, job_id j);
void quota_pods_arrived(struct sched *s, struct quota_state *q, job_id j);
void quota_pods_ended(struct sched *s, struct quota_state *q, job_id j);
/* A pass begins: which pods are where. */
void quota_pods_begin(struct sched *s, struct quota_state *q);
/* Tentatively; really. */
void quota_pods_placed(struct sched *s, struct quota_state *q, job_id j, const struct placement *at);
void quota_pods_started(struct sched *s, struct quota_state *q, job_id j,
                        const struct placement *at);
/* They are stopped now. */
void quota_pods_leave(struct sched *s, struct quota_state *q, job_id j, const struct piece *piece,
                      uint32_t n);
/* A promise that is broken. */
void quota_pods_forget(struct sched *s, struct quota_state *q, job_id j, const struct placement *at);
/* What was placed tentatively since is rolled back. */
size_t quota_pods_mark(const struct quota_state *q);
void quota_pods_rollback(struct quota_state *q, size_t mark);

/* ---- places.c: what stops have set free, see places.h ---- */
/* [n] for quota_note_freed(), before the tasks of these pieces of j are stopped. */
int64_t *quota_idle_before(struct sched *s, job_id j, const struct piece *piece, uint32_t n);
/* They were stopped: what of it is idle now counts as being left until the pass ends. */
void quota_note_freed(struct sched *s, struct quota_state *q, job_id j, const struct piece *piece,
                      uint32_t n, const int64_t *before);

/* ---- search.c, victims.c, scenario_bound.c, consolidation_bound.c: see search.h ---- */
enum quota_action { CONSOLIDATION, RECLAIM, PREEMPT };
/* true: j has its place */
bool quota_search(struct sched *s, struct quota_state *q, job_id j, enum quota_action action);
/* Feasibility bound: a consolidation for a job that holds nothing and wants min_tasks of these
 * tasks, in no groups, cannot succeed. Certain, and cheap. */
bool consolidation_infeasible(struct sched *s, struct quota_state *q, const struct request *ask,
                              uint32_t min_tasks);

/* ---- actions.c ---- */
void quota_act(struct sched *s, struct quota_state *q, enum quota_action action);
void quota_evict_stale(struct sched *s, struct quota_state *q);
