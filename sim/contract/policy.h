/* policy.h - what a policy may see and do.
 *
 * A policy sees what a real scheduler would see, asks for changes through a few verbs, and may be
 * wrong: every request is validated, and a refusal is counted and named. One pass (a call of
 * schedule()) is one transaction: verbs take effect at once in what the policy sees, and when the
 * pass returns they are carried out whole, which cannot fail.
 *
 * Times are integer nanoseconds since time 0 of the trace; TIME_NEVER is no time. Memory from
 * sched_alloc() lives as long as the run, memory from sched_scratch() until the pass ends; neither
 * is freed by the policy. Containers: util/. */
#pragma once
#include "placement.h"
#include "queues.h"

#define POLICY_ABI 21u
#ifndef TIME_NEVER
#define TIME_NEVER INT64_MAX
#endif

/* ---- Jobs ---- */

enum job_class { CLASS_TRAINING, CLASS_INFERENCE, CLASS_INTERACTIVE, CLASS_BATCH, CLASSES };
enum job_state {       /* staged: as if the pass ended here */
    JOB_ABSENT,        /* not arrived */
    JOB_PENDING,
    JOB_CLAIMED,       /* has its GPUs, and waits for their last users to leave */
    JOB_RUNNING,
    JOB_RELEASING,     /* evicted, in its grace period or saving */
    /* holds tasks and makes no progress: fewer than its minimum, or still saving before it
     * resumes */
    JOB_GATHERING,
    JOB_GONE, JOB_STATES
};
/* Tasks that belong together. The groups of a job are a tree with its root at entry 0, parents
 * before children; only leaves own tasks, each leaf some consecutive ones. */
struct task_group {
    const char *name;             /* its path, "replica1/encoder"; "." for the root */
    uint32_t parent;              /* ID_NONE for the root */
    uint32_t min_tasks;           /* of a leaf; 0 for others */
    /* enum level: all tasks below it within one such domain. Of the root: those of the job, which
     * its requests have too */
    uint8_t required_level, preferred_level;
};
/* What was submitted; never changes, and the pointer is good as long as the run. */
struct job_facts {
    const struct request *ask;    /* all tasks; one copy shared by the jobs of a shape */
    int64_t submit_ns;
    int64_t deadline_ns;          /* TIME_NEVER: none */
    queue_id queue;
    uint32_t user;                /* interned; ID_NONE: unknown */
    /* a gang: all of them (1 under SPLIT_ANY). With groups: the sum over the leaves; a job has its
     * minimum when every leaf has */
    uint32_t min_tasks;
    int32_t priority;
    uint8_t class;                /* enum job_class */
    bool preemptible;
    /* 1 + how many of its tasks its disruption budget lets be down at once; 0: it has none */
    uint32_t max_down;
    uint32_t model;               /* interned: what it trains or serves; ID_NONE: unknown */
    uint32_t n_groups;            /* 0: all tasks are one group */
    uint32_t sizing;              /* 0: its one size is that of ask; else see job_sizes() */
    const struct task_group *group;           /* [n_groups] */
};
/* What the pods of a job say of other pods (traces.md, columns pod_...): of which labels, and in
 * which domain of a key. The world does not enforce it. */
enum pod_terms { POD_AFFINITY, POD_ANTI_AFFINITY, POD_SPREAD, POD_TERMS };
struct pod_term {
    const char *needs;            /* for pod_matches(): which pods are meant */
    const node_id *domain;        /* [nodes] the first node of the domain that it is in; ID_NONE: in
                                     none */
    int32_t weight;               /* 0: required; of POD_SPREAD 1: preferred */
    int32_t skew;                 /* of POD_SPREAD */
};
struct pod_rules {
    const char *labels;
    const struct pod_term *term[POD_TERMS];
    uint32_t n[POD_TERMS];
};
/* How many tasks a job may have, or GPUs under SPLIT_ANY. Elastic: it can grow and shrink between
 * min and max while it runs. Moldable: it starts at any of these sizes, and keeps that one. `ask`
 * is of the usual size. */
struct job_sizes { uint32_t min, usual, max; bool moldable; };

int64_t sched_now(const struct sched *s);
/* NULL: they have no labels and say nothing */
const struct pod_rules *job_pods(const struct sched *s, job_id j);
bool pod_matches(const char *needs, const char *labels);
const struct job_facts *job_facts(const struct sched *s, job_id j);
enum job_state job_state(const struct sched *s, job_id j);
struct amount job_size(const struct sched *s, job_id j);      /* all that it asks for */
struct amount request_size(const struct request *r);          /* all that the chain asks for */
/* What it holds, claims included; NULL: nothing. */
const struct placement *job_placement(const struct sched *s, job_id j);
/* What it still occupies after a stop of all that it held; NULL: it is not leaving. */
const struct placement *job_leaving(const struct sched *s, job_id j);
/* Jobs that were being stopped already when they were submitted (leaving_s), while they are: a
 * policy has no notice of them before. Returns how many; *jobs: they, in the order of submission,
 * until the policy returns. */
size_t sched_early_leavers(struct sched *s, const job_id **jobs);
/* Where it may resume; NULL: not suspended. */
const struct placement *job_suspended(const struct sched *s, job_id j);
/* -1: never. Below 0, too, for a job that ran when the trace began */
int64_t  job_last_start_ns(const struct sched *s, job_id j);
double   job_attained_gpu_s(const struct sched *s, job_id j); /* attained service, in GPU seconds */
/* Remaining run time by the estimate, submitted or (an option of the run) predicted at arrival;
 * past it: 0; TIME_NEVER: none */
int64_t  job_estimate_ns(const struct sched *s, job_id j);
/* True remaining run time, only with SEES_RUN_TIME: otherwise -1, and counted as a refusal. */
int64_t  job_true_ns(struct sched *s, job_id j);
/* When the job started in the system that wrote the trace; TIME_NEVER: not said. Only with
 * SEES_RECORD: otherwise TIME_NEVER, and counted as a refusal. */
int64_t  job_recorded_start_ns(struct sched *s, job_id j);
/* GPUs held without progress if it started now; of a running job: what remains of that. */
int64_t  job_start_cost_ns(const struct sched *s, job_id j);
/* policy.job_size bytes, zero at its first arrival */
void    *job_own(struct sched *s, job_id j);
/* Prefetch, where a job is read after a long time: first its rows, later the rest, but for its own
 * bytes. Changes nothing but the time. */
void     job_fetch_rows(const struct sched *s, job_id j);
void     job_fetch(const struct sched *s, job_id j);

/* ---- The cluster ---- */

/* Of nodes that are up: changes only with a node_changed notice. */
struct amount sched_capacity(const struct sched *s);
/* false: out of service or drained, nothing fits there */
bool     sched_node_up(const struct sched *s, node_id n);
/* Adds to a set of nodes (bit n % 64 of word n / 64) those of which view_node() of FREE_IDLE, or whether they are up, may say
 * something else than at the last call; all at the first call of a policy. O(nodes / 64). */
void     sched_take_changed(struct sched *s, uint64_t *nodes);
/* Takes out of a set of nodes (bit n % 64 of word n / 64) those that announced maintenance and
 * reservations deny to j for that time: docs/schedulers.md f.4. Returns when the first of them can
 * be had again, TIME_NEVER: all can. */
int64_t  sched_take_outages(const struct sched *s, job_id j, int64_t from_ns, int64_t until_ns,
                            uint64_t *nodes);
bool     sched_has_outages(const struct sched *s);             /* false: it never takes one out */
/* Grows when anything is released: while it stands, a shape that failed fails again. */
uint64_t sched_room_version(const struct sched *s);
uint64_t sched_random(struct sched *s);                       /* the policy's own stream */
/* Zeroed, freed with the run; never NULL. 64 bytes or more begin where a line of the cache does */
void    *sched_alloc(struct sched *s, size_t bytes);
/* Zeroed, good until the pass ends; never NULL */
void    *sched_scratch(struct sched *s, size_t bytes);

/* The second only with SEES_RELEASING */
enum free_kind { FREE_IDLE, FREE_OR_RELEASING };
const struct view *sched_view(const struct sched *s, enum free_kind k);

/* Whole ones that are idle, of all nodes: what view_node() says of FREE_IDLE, added up. Kept, but for nodes with MIG
 * instances of several profiles. */
int64_t sched_idle_gpus(const struct sched *s);

/* The cluster has rented pools: nodes may come for jobs that wait for GPUs. */
bool sched_has_pools(const struct sched *s);

/* Flavors: kinds of nodes that queues have quotas of, from 0 in the order of the cluster file. A
 * node is of all flavors that it has the labels of. */
uint32_t flavor_count(const struct sched *s);
const char *flavor_name(const struct sched *s, uint32_t flavor);
/* The labels and taints of the flavor agree with a run of the request, and nodes of it could hold
 * a task, or the total, if they were free. */
bool flavor_allows(const struct sched *s, uint32_t flavor, const struct request *run);
/* All of it, or its minimum where that may start, finds a place on nodes of the flavor alone when
 * they are empty. */
bool flavor_holds(const struct sched *s, uint32_t flavor, job_id j);
bool flavor_has_node(const struct sched *s, uint32_t flavor, node_id n);

/* ---- Sizes of elastic and moldable jobs, see struct job_sizes ---- */

/* Of a moldable job that has started: the one that it has. */
struct job_sizes job_sizes(const struct sched *s, job_id j);
uint32_t job_size_held(const struct sched *s, job_id j);      /* 0: it holds nothing */
/* Of a size from min to max. */
struct request job_request_sized(const struct sched *s, job_id j, uint32_t size);
/* Speedup of j over its usual size, at this size on as few nodes as it fits on: by goodput where
 * the cluster has it and the model of j is known, else in proportion to the size. By the gradient
 * noise of now, as training measures it. Only with SEES_SPEEDUP: otherwise 0, and counted as a
 * refusal. */
double job_speedup(struct sched *s, job_id j, uint32_t size);
/* GPUs held without progress after a resize. */
int64_t job_resize_cost_ns(const struct sched *s, job_id j);

/* ---- Placing ---- */

struct request job_request(const struct sched *s, job_id j);  /* all of it */
/* The first tasks of each group, as many as its minimum; a total whole. Scratch. */
const struct request *job_request_least(struct sched *s, job_id j);
/* Asks the run's placer, run by run of the chain; levels of the job and of its groups are kept. The
 * answer is scratch: it is good until a rollback to an earlier mark, or the end of the pass. NULL:
 * no place. */
const struct placement *sched_place(struct sched *s, const struct view *v, const struct request *r);
/* Where the job ran in the system that wrote the trace, on what is idle now; NULL: not said, or not
 * all of it is idle. Only with SEES_RECORD: otherwise NULL, and counted as a refusal. */
const struct placement *sched_place_recorded(struct sched *s, job_id j);
/* Where room was promised to it before the trace began, on what is idle or being left; NULL:
 * nowhere, it is not free then, or the job has started since. Only with SEES_RELEASING. */
bool job_promised(const struct sched *s, job_id j);           /* some place was, and it has not started */
const struct placement *sched_place_promised(struct sched *s, job_id j);
/* It would find a place. By totals on a counted pool, at little cost. */
bool sched_fits(struct sched *s, const struct view *v, const struct request *r);
/* Of the last of both that found none. */
enum wait_reason sched_why_not(const struct sched *s);
/* The run's placer and its parameters, for a policy that refines its order of nodes. */
const struct placer *sched_placer(const struct sched *s, const void **params);
/* For a policy that places by itself: pieces for r, which the caller keeps until builder_take().
 * One builder at a time. */
struct builder *sched_builder(struct sched *s, const struct view *v, const struct request *r);
/* The view is not looked at until builder_take(), once it has a piece that is all of the request: that need not be
 * visible there. */
void builder_alone(struct builder *b);
/* Its pieces as a placement; ends it. */
const struct placement *builder_take(struct builder *b);

/* ---- Verbs: staged and checked at once ---- */

enum sched_result {
    SCHED_OK,
    SCHED_LATER,       /* accepted: starts when the releasing GPUs in it are free (a claim) */
    SCHED_NO_ROOM,     /* something in it is not free */
    SCHED_MISMATCH,    /* wrong node, model, count, level or task */
    SCHED_WRONG_STATE, /* e.g. a start of a running job, a stop of a waiting one */
    SCHED_NOT_ALLOWED, /* non-preemptible */
    SCHED_TOO_OFTEN,   /* a wake-up in the past, or too many */
    SCHED_OVER_LIMIT,  /* its queue, or one above, would hold more than its limit: queues.h */
    SCHED_RESULTS
};
/* Overheads (grace, lost work, restart) are the simulator's. */
enum stop_mode {
    STOP_SAVE,         /* saves what can be saved within the grace period */
    STOP_RESTART,      /* drops at once to the last durable checkpoint */
    /* nothing is lost; GPUs and CPUs are idle at once, memory of the nodes stays taken; resumes on
     * the same pieces */
    STOP_SUSPEND,
    /* leaves as for STOP_SAVE; the work since its last start is lost; job_stopped says
     * STOPPED_CANCELLED */
    STOP_CANCEL
};

/* Starts j on p. With STARTS_PARTIAL p may name some of the tasks, and further ones may be started
 * while j holds others; progress begins with the minimum, at the share of the tasks that are there.
 * Single tasks start on idle GPUs only. */
enum sched_result sched_start(struct sched *s, job_id j, const struct placement *p);

/* Gives up all GPUs. They are releasing for as long as leaving takes, idle at once if that is no
 * time. A job stopped and started elsewhere in one pass moves when it has saved. A claim is given
 * back at no cost. Of a suspended job, pending: STOP_RESTART drops it to its last durable
 * checkpoint and frees its memory, then it starts anywhere; until then sched_start() is a MISMATCH
 * except on job_suspended(). STOP_SUSPEND is NOT_ALLOWED for a job that does not hold all of its
 * tasks, and with SEES_TIMELINE. */
enum sched_result sched_stop(struct sched *s, job_id j, enum stop_mode m);
/* Gives up one task, only with STARTS_PARTIAL, by STOP_SAVE or STOP_RESTART. A job that keeps its
 * minimum continues, slower, and loses nothing; below it progress stops at the overhead of a stop:
 * that task's GPUs are releasing, the others stay held. Of a job that is not preemptible only while
 * it is gathering. A job with tasks changed in this pass, or
 * one that is gathering, cannot be stopped whole (WRONG_STATE): stop its tasks. */
enum sched_result sched_stop_task(struct sched *s, job_id j, uint32_t task, enum stop_mode m);
/* Undoes this pass's stop of j, in any order, unless its GPUs were taken since: it never stopped.
 * NO_ROOM is an answer here, and not counted as a refusal. */
enum sched_result sched_keep(struct sched *s, job_id j);
/* It will never run; reason is copied. WRONG_STATE while it holds anything, or tasks of it save. */
enum sched_result sched_refuse(struct sched *s, job_id j, const char *reason);
/* Its own reason, until another is given or it starts. */
void sched_blocked(struct sched *s, job_id j, enum wait_reason why);
/* From now on j, which waits, holds nothing and was not touched in this pass, counts in that flavor
 * (queues.h); else WRONG_STATE, which is an answer here and not counted as a refusal. Not undone by
 * a rollback. */
enum sched_result sched_count_in(struct sched *s, job_id j, uint32_t flavor);
/* Asks for a pass; equal times merge. */
enum sched_result sched_wake_at(struct sched *s, int64_t time_ns);
/* The same, of a policy with passes of its own: this one did not look at all that has changed, those
 * up to time_ns will. Until then no node of a pool that has come counts as idle in vain. A rollback
 * takes back the pass, and not this. */
enum sched_result sched_defer(struct sched *s, int64_t time_ns);
/* For the log and the metrics by cause: this pass stopped j, or tasks of j, for `cause`; _move:
 * only to place it again, though it may start in a later pass. */
void sched_note(struct sched *s, job_id j, job_id cause);
void sched_note_move(struct sched *s, job_id j, job_id cause);
/* A pass is carried out job by job, in the order in which its verbs first named them: j is named
 * now, as by a stop that was rolled back. For a policy that knows what a search would find, and does
 * not make it. */
void sched_touch(struct sched *s, job_id j);

/* From now on j, which runs, holds exactly p: it grows, shrinks and moves in one step at one
 * overhead, job_resize_cost_ns(), and loses no work. p may use what j holds and what is idle, for
 * whole tasks from the first on, as many as job_sizes() allows. Needs RESIZES. A job that was
 * started in this pass starts elsewhere. Once resized it is not stopped in the same pass
 * (WRONG_STATE); resized back to where it was, nothing has happened. NOT_ALLOWED: it is not
 * preemptible. */
enum sched_result sched_resize(struct sched *s, job_id j, const struct placement *p);
/* A place for j of that size, as if it had left what it holds: for sched_resize(), or for
 * sched_start() if it holds nothing. NULL: none. */
const struct placement *sched_place_anew(struct sched *s, job_id j, uint32_t size);

/* Tentative pieces, for searches and to keep what others are leaving for a job: they count for the
 * rest of this pass, and nothing comes of them; the next pass decides again. _add: p is taken from
 * FREE_OR_RELEASING, where it must be free, and enters the books as if j, which may hold other
 * tasks, had been started there; what of it is idle stays idle. _remove: as if j had left those
 * pieces, which it holds (while any of these is removed, no claim is accepted, and j is not
 * stopped), or which were added for it in this pass and go back. Needs
 * SEES_RELEASING. p is kept by pointer until the pass ends. NO_ROOM is an answer here, and not
 * counted as a refusal. */
enum sched_result sched_tentative_add(struct sched *s, job_id j, const struct placement *p);
enum sched_result sched_tentative_remove(struct sched *s, job_id j, const struct placement *p);

/* Undo, in time proportional to what is undone: verbs, books, views, reasons, wakes and lines. The
 * policy's own state is not undone. Marks nest; rolling back to one ends every later one. Stops and
 * starts of one job net out: the same pieces again is no change, other pieces are one move. */
typedef uint64_t sched_mark_t;
sched_mark_t sched_mark(struct sched *s);
void sched_rollback(struct sched *s, sched_mark_t m);

/* ---- The table ---- */

enum {                            /* policy.needs */
    SEES_RUN_TIME = 1,            /* job_true_ns() */
    SEES_RELEASING = 2,           /* FREE_OR_RELEASING, tentative pieces */
    SEES_TIMELINE = 4,            /* timeline.h */
    /* starts and stops single tasks; not together with SEES_TIMELINE */
    STARTS_PARTIAL = 8,
    /* starts jobs at any of their sizes, and resizes running ones; together with neither */
    RESIZES = 16,
    SEES_SPEEDUP = 32,            /* job_speedup() */
    SUSPENDS = 64,                /* STOP_SUSPEND; not together with SEES_TIMELINE */
    /* tests the limits of queues by itself before it starts a job: sched_place() and sched_fits()
     * do not heed them, the verbs do */
    TESTS_LIMITS = 128,
    SEES_RECORD = 256,            /* job_recorded_start_ns(), sched_place_recorded() */
    /* places jobs of several groups by rules of its own: such a job is refused as one that never
     * fits only if some group finds no domain large enough for it */
    PLACES_GROUPS = 512
};
/* policy.reads: settings of queues on which its decisions depend; a run warns of others. */
enum {
    READS_QUOTAS = 1, READS_WEIGHTS = 2, READS_COHORTS = 4, READS_SITE = 8, READS_FLAVORS = 16,
    READS_PODS = 32,              /* job_pods(): required terms of pods beside pods */
    READS_SPREADS = 64,           /* POD_SPREAD */
    READS_PROMISES = 128,         /* sched_place_promised() */
    READS_PREFERENCES = 256       /* job_pods(): preferred terms of pods beside pods */
};
enum stop_cause {
    STOPPED_DONE, STOPPED_FAILED, STOPPED_CANCELLED,    /* for good */
    STOPPED_BY_POLICY,
    /* its GPUs failed, or are needed for maintenance; job_arrived follows */
    STOPPED_BY_FAULT,
    STOP_CAUSES
};
static inline bool stopped_for_good(enum stop_cause why) { return why < STOPPED_BY_POLICY; }
struct policy {
    unsigned abi;                 /* POLICY_ABI */
    const char *name, *summary;
    unsigned needs, reads;
    unsigned (*also_needs)(const void *params);    /* needs that depend on parameters; NULL: none */
    unsigned (*also_reads)(const void *params);    /* the same of what it reads */
    const struct param *params;   /* NULL: none */
    /* bytes; of state and of job_own(), zero at first */
    size_t params_size, state_size, job_size;
    /* between passes, unless the cluster or the command line says; 0: a pass after each change */
    int64_t period_ns;
    /* makes lines and tables; may be NULL */
    void (*begin)(struct sched *s, const void *params, void *state);
    void (*schedule)(struct sched *s, const void *params, void *state);
    /* Notices: the change has happened. Only lines, own state and wake-ups may change. Each may be
     * NULL. */
    /* j wants GPUs: it is new, or was evicted. A job that ran before the trace begins holds some
     * already; if it runs, job_started follows. */
    void (*job_arrived)(struct sched *s, const void *params, void *state, job_id j);
    /* it runs; a claim, when it does */
    void (*job_started)(struct sched *s, const void *params, void *state, job_id j);
    /* It holds nothing now. Evicted: job_arrived follows once it has left its GPUs. */
    void (*job_stopped)(struct sched *s, const void *params, void *state, job_id j,
                        enum stop_cause why);
    /* Its owner withdrew it while it waited or was leaving: it holds nothing now. When this returns
     * the simulator takes it out of every line, as after job_stopped for good. It may come again,
     * as a new job (job_arrived). A job withdrawn while it runs is stopped for good (job_stopped). */
    void (*job_withdrawn)(struct sched *s, const void *params, void *state, job_id j);
    /* GPUs of n went out of service, or came back; notices about the jobs stopped by that follow.
     * What does not fit any more waits: a node that is out may come back. */
    void (*node_changed)(struct sched *s, const void *params, void *state, node_id n);
};
