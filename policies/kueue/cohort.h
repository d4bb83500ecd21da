/* cohort.h - the model of the policy `cohort`: jobs that wait, jobs that hold quota, and cycles of
 * admission.
 *
 * Jobs are admitted whole, by quota alone, queue by queue; then they are placed. Between the two a
 * job holds quota and no GPU. A cycle takes one head of each queue: first each is nominated against
 * the books as they stand (nominate.c), then, in order, each is admitted, or evicts others and
 * waits for them to leave, or is set aside, against the books as those before it have left them
 * (cycle.c). A pass goes on with cycles until one changes nothing. A job that was evicted in it and
 * has left at once rests until then, and comes back to its queue for another round; the second time
 * only for the next pass, so a pass ends. In Kueue both would go on in later cycles, as would:
 * - a job that ran when the pass began goes on elsewhere in it with all its tasks or not at all;
 *   with fewer it is looked at in the next pass (cohort_moves());
 * - a job admitted with fewer tasks may be evicted from the next pass on: then all that wait in its
 *   tree are asked again, as if quota had come free.
 *
 * With placement=wait a job of alike tasks that a fault has struck keeps its quota, as in Kueue with
 * topology-aware scheduling, and is looked at before all others once it may start again (replace.c):
 * its tasks go back to their nodes, and those of one node that is down or drained to another, inside
 * a level that the job requires and a slice that would be broken. If more than one node is lost, or
 * there is no such place, it waits in its queue as one that was evicted. Until it may start others
 * may evict it, and then it does.
 *
 * A queue with local queues (lanes.c) has their jobs as its own: quota, borrowing and cycles know
 * only it. Its next head comes from one of them: by priority and wait, or first by past use
 * (usage.h). Others are one lane each. */
#pragma once
#include "policies/kueue/cycle.h"
#include "policies/kueue/parked.h"
#include "policies/kueue/usage.h"
#include "sim/contract/policy.h"

enum { COHORT_PARTS = 3 };        /* resources: GPUs, CPUs, memory */
enum sharing { SHARING_CLASSICAL, SHARING_FAIR, SHARING_FINAL_SHARE, SHARING_INITIAL_SHARE };
enum placement_rule { PLACEMENT_ADMIT, PLACEMENT_WAIT };
struct cohort_params {
    double sharing, placement;
    double half_life_h, sampling_s, use_of[COHORT_PARTS];        /* of past use; a weight a resource */
};

/* STRUCK: a fault has stopped it, and it keeps its quota; BACK: it may start again */
enum phase {
    PHASE_WAITS, PHASE_HOLDS_QUOTA, PHASE_PLACED, PHASE_LEAVING, PHASE_STRUCK, PHASE_BACK
};
/* The policy's own of a job; as a workload it is in the members of its queue while it holds quota:
 * from its admission until it has ended, or was evicted and has left */
struct entrant {
    struct cohort_workload as;    /* the first member */
    /* [cells] of the tasks that it is admitted with; behind them, for each run of its request, 1 +
     * the flavor of its nodes (cohort_runs()); 0: any */
    int64_t *need;
    uint32_t tasks;
    uint64_t rested;              /* in that pass it has come back from rest */
    enum phase phase;
    /* of a job that keeps its quota when a node fails: where its tasks were started last */
    struct task_was { uint32_t task; node_id node; } *was_on;
    uint32_t n_was_on;
    size_t was_on_capacity;
};

struct nomination {
    job_id job;                   /* ID_NONE: none */
    enum wait_reason why;         /* if it does not fit */
    struct cohort_entry entry;
    struct cohort_set *set;       /* of the head: a run of alike tasks each */
    int64_t *each;                /* [sets * COHORT_PARTS] */
    bool *allowed;                /* [sets * flavors]; NULL without flavors */
    uint16_t *runs;               /* [sets] as of an entrant */
    int32_t *tried;               /* if it goes on: where */
    bool moves;                   /* it is looked at as cohort_moves() says */
    bool goes_on;                 /* unless quota has come free since: */
    uint64_t releases;            /* of the tree, when flavors were left to try */
    enum wait_reason no_place;    /* WAIT_REASONS: it has one, or has not asked */
    uint32_t sets;                /* as many as there is memory for */
    uint64_t changes, room;       /* of the tree and the cluster, when this was found */
};
/* Cycles of a pass in which heads only went on, one after the other. Kueue would look at such heads
 * for ever, as parts of a job go on each by itself; here they are set aside as soon as all go on
 * where they did before. */
struct cohort_round {
    uint32_t went_on;             /* heads of this cycle */
    uint32_t cycles, until;       /* so many; at `until` it is kept where the heads go on */
    int32_t *now, *kept;          /* [n_kept] each head and the flavors that it has tried */
    size_t n_kept, now_capacity, kept_capacity;
};
/* Of a local queue, or of a queue that has none. */
struct cohort_lane {
    struct line *waiting, *fresh; /* fresh: waiting jobs that came since the last walk to the end */
    struct line_walk walk;
    job_id met;                   /* the walk has come to it, and it was not yet head; or ID_NONE */
    struct cohort_usage usage;
};
struct cohort_queue {
    struct cohort_lane *lane;     /* [n_lanes]; NULL: a cohort */
    uint32_t n_lanes;
    bool by_use;                  /* lanes go by past use */
    bool listed, all;             /* all: this pass walks `waiting`, not `fresh` alone */
    bool walked;                  /* the walk of this round has come to its end: no head */
    /* when the walk began; when the last one to the end did */
    struct cohort_moment { uint64_t releases, room; } opened, tried;
    job_id head;                  /* next in this pass; ID_NONE: none */
    bool settled;                 /* the head is not admitted as things stand, and stays the head */
    bool evicts;                  /* when this cycle ends */
    job_id stuck;                 /* the job with a wait reason of its own; ID_NONE */
    job_id preemptor;             /* has evicted others, and waits for them to leave; ID_NONE */
    struct nomination nomination;
    struct parked parked;
};
/* Quota came free; usage changed in any way; the cycle of this round that has an open head. */
struct cohort_tree { uint64_t releases, changes; uint32_t open_in; };

struct cohort {
    const struct cohort_params *params;
    struct cohort_books books;
    struct cohort_desk desk;
    struct cohort_rules *rules;   /* [n] as they hold */
    struct cohort_members *members;
    bool *counted;                /* [n * COHORT_PARTS] this queue counts that resource */
    /* [n] of a queue with jobs: itself, or the queue that it is a local queue of; and its lane */
    queue_id *home;
    struct cohort_lane **lane;
    bool flavored;                /* queues have quotas of flavors; else all nodes are one */
    struct cohort_queue *queue;   /* [n] */
    struct cohort_tree *tree;     /* [n] by root */
    /* [n_busy] queues in which jobs wait; [n_heads] those with a head in this cycle */
    queue_id *busy, *heads;
    queue_id *open;               /* [n_open] of the busy ones, those not yet `walked` */
    uint32_t n_busy, n_heads, n_open, n_members;
    /* the present cycle of the round; the next one in which a queue wakes */
    uint32_t cycle, next_wake;
    struct cohort_round round;
    size_t members_capacity;
    /* firm until this pass ends; see above; back after a fault */
    struct cohort_list { job_id *job; uint32_t n; size_t capacity; } sheltered, resting, struck;
    /* [shapes] jobs in lines that may do with fewer tasks than others of that shape, which may fail
     * where they do not */
    uint32_t *elastic;
    size_t n_shapes;
    struct line *unplaced;        /* hold quota and no GPU */
    uint32_t fewer_unplaced;      /* of these, with fewer tasks than they ask for */
    uint64_t unplaced_room, pass;
    uint64_t quota_version;       /* of the quotas in the books */
    bool released;                /* quota has come free since all were asked */
    struct nomination scratch;
    struct cohort_places places;
    bool searches;                /* among places */
    sched_mark_t before;          /* that search */
    uint32_t desk_sets;
    /* [n_heads] of this cycle */
    struct cohort_entry **entries;
    struct sched *sched;          /* of this pass */
    int64_t **spare_needs;        /* of jobs that have gone */
    uint32_t n_spare_needs;
    size_t spare_needs_capacity;
};

static inline bool cohort_holds_quota(const struct entrant *e)
{
    return e->phase != PHASE_WAITS;
}

static inline bool cohort_is_fair(const struct cohort *c)
{
    return c->params->sharing > SHARING_CLASSICAL;
}

static inline bool cohort_wants_place(const struct cohort *c)
{
    return c->params->placement > PLACEMENT_ADMIT;
}

static inline struct cohort_tree *cohort_tree_of(const struct cohort *c, uint32_t queue)
{
    return &c->tree[c->books.root[queue]];
}

/* The flavors of its runs. */
static inline uint16_t *cohort_runs(const struct cohort *c, const struct entrant *e)
{
    return (uint16_t *)(e->need + c->books.cells);
}

/* In scratch, on nodes of these flavors; of a broken gang: what it lacks. */
struct request cohort_request(struct sched *s, const struct cohort *c, job_id j, uint32_t tasks,
                              const uint16_t *runs);

/* ---- What a head asks for, and why it waits (nominate.c) ---- */
/* Memory that all queues share. */
void cohort_begin_desk(struct sched *s, struct cohort *c);
/* How many tasks it is admitted with. */
uint32_t cohort_tasks(const struct cohort *c, const struct cohort_entry *e);
/* Of a job that waits: it ran when the pass began, and has left at once. In this pass it goes on
 * elsewhere with all its tasks or not at all. */
bool cohort_moves(const struct sched *s, job_id j);
/* The head of the queue, as an entry of a cycle. */
void cohort_fill_entry(struct sched *s, struct cohort *c, struct cohort_queue *q);
/* Sets nomination.why once its cycle is over. */
void cohort_explain(struct cohort *c, struct cohort_queue *q);
bool cohort_never_fits(struct cohort *c, struct cohort_queue *q);
/* What so many tasks of e take where they are: they ran before the policy saw them. */
void cohort_need(struct sched *s, struct cohort *c, struct entrant *e, uint32_t tasks);
/* From the nomination into e. */
void cohort_take_flavors(const struct cohort *c, struct nomination *n, struct entrant *e);

void cohort_begin(struct sched *s, const void *params, void *state);        /* setup.c */
void cohort_begin_quotas(struct sched *s, struct cohort *c, uint32_t v);    /* those that are in force now */

/* ---- The lines of a queue (lanes.c) ---- */
/* Which queues are local queues of which; before the books. */
void cohort_begin_homes(struct sched *s, struct cohort *c);
void cohort_begin_lanes(struct sched *s, struct cohort *c, uint32_t queue);
static inline queue_id cohort_home(const struct sched *s, const struct cohort *c, job_id j)
{
    return c->home[job_facts(s, j)->queue];
}
bool cohort_is_local(const struct sched *s, queue_id q);
/* It waits, as one that has come just now. */
void lanes_push(struct sched *s, struct cohort *c, job_id j);
/* It does not wait any more; _not_fresh: it waits and has been tried. */
void lanes_remove(struct sched *s, struct cohort *c, job_id j);
void lanes_not_fresh(struct sched *s, struct cohort *c, job_id j);
size_t lanes_length(const struct cohort_queue *q);
bool lanes_has_fresh(const struct cohort_queue *q);
void lanes_open(struct cohort_queue *q);    /* a new walk */
void lanes_all_tried(struct cohort_queue *q);    /* none is fresh */
/* The first that waits; ID_NONE: none. */
job_id lanes_first(struct sched *s, const struct cohort *c, const struct cohort_queue *q);
/* The next of the walk, over all or those that are fresh. */
job_id lanes_next(struct sched *s, const struct cohort *c, struct cohort_queue *q);
/* The preemptor of the queue, or one that goes before it: of a lane that has used less. */
job_id lanes_before(struct sched *s, const struct cohort *c, struct cohort_queue *q, bool strict);
/* It may be admitted with fewer tasks. */
bool lanes_is_elastic(const struct sched *s, job_id j);
/* All others of that shape fail as j has, and are left out of the walk; not if some are elastic. */
void lanes_block_shape(struct sched *s, struct cohort_queue *q, job_id j, enum wait_reason why);
/* e holds quota from now on, or no more; `pays`: it is admitted now. */
void lanes_hold(struct sched *s, struct cohort *c, const struct entrant *e, bool pays);
void lanes_release(struct sched *s, struct cohort *c, const struct entrant *e);
/* A pass when the order changes of lanes with a head that blocks the others. */
void lanes_wake_at_flip(struct sched *s, struct cohort *c);

/* ---- Heads (heads.c) ---- */
bool cohort_is_strict(const struct cohort *c, uint32_t queue);
void cohort_begin_parked(struct sched *s, struct cohort *c, uint32_t queue);
/* Those with waiting jobs, for a new round. */
void cohort_open_queues(struct sched *s, struct cohort *c);
/* Cycles until one changes nothing. */
void cohort_run_cycles(struct sched *s, struct cohort *c);

/* ---- After a fault (replace.c) ---- */
/* It runs: of a job that keeps its quota, where. */
void replace_remember(struct sched *s, const struct cohort *c, struct entrant *e);
/* Starts it where it was, and what it has lost elsewhere. NOTHING_STAYS, NO_REPLACEMENT: it has not
 * started. */
enum replaced { REPLACED, NOTHING_STAYS, NO_REPLACEMENT };
enum replaced replace_start(struct sched *s, const struct request *all, const struct entrant *e);
/* Those tasks of the chain that are not held; NULL: none. */
const struct request *replace_lacking(struct sched *s, const struct request *run, job_id j,
                                      const struct placement *held);

/* ---- Holding quota (cohort.c) ---- */
/* `pays`: the penalty of usage.h; not if it held quota before the policy saw it. */
void cohort_hold(struct sched *s, struct cohort *c, struct entrant *e, bool pays);
void cohort_release(struct sched *s, struct cohort *c, struct entrant *e);
/* It is evicted, or struck by a fault; it holds quota until it has left. */
void cohort_leaves(struct cohort *c, struct entrant *e);
void cohort_list_add(struct sched *s, struct cohort_list *l, job_id j);
bool cohort_place(struct sched *s, struct cohort *c, job_id j);   /* true: it has started */
/* It holds quota and no GPU; or does no more. */
void cohort_unplaced(struct sched *s, struct cohort *c, const struct entrant *e);
void cohort_not_unplaced(struct sched *s, struct cohort *c, const struct entrant *e);
