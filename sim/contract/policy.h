/* policy.h - what a policy may see and do.
 *
 * A policy sees what a real scheduler would see, asks for changes through a few verbs, and may be wrong: every request
 * is validated by the world, and a refusal is counted and named. One pass (a call of schedule()) is one transaction. */
#pragma once
#include "placement.h"
#include "queues.h"

#define POLICY_ABI 7u
#ifndef TIME_NEVER
#define TIME_NEVER INT64_MAX
#endif

/* ---- Seeing ---- */
enum job_class { CLASS_TRAINING, CLASS_INFERENCE, CLASS_INTERACTIVE, CLASS_BATCH, CLASSES };
enum job_state {       /* staged: what it would be if the pass ended here */
    JOB_ABSENT,        /* not arrived */
    JOB_PENDING,
    JOB_CLAIMED,       /* has its GPUs; waits for their last users to leave */
    JOB_RUNNING,
    JOB_RELEASING,     /* evicted, in its grace period or saving */
    JOB_GATHERING,     /* holds tasks and makes no progress: fewer than its minimum, or still saving before it goes on */
    JOB_GONE, JOB_STATES
};
/* Tasks that belong together. The groups of a job are a tree whose root is entry 0, parents before children; only leaves own
 * tasks, each leaf some consecutive ones. */
struct task_group {
    const char *name;             /* its path, "replica1/encoder"; "." for the root */
    uint32_t parent;              /* ID_NONE for the root */
    uint32_t min_tasks;           /* of a leaf; 0 for others */
    uint8_t required_level, preferred_level;  /* enum level: all tasks below it within one such domain. Of the root: those
                                                 of the job, which stand in its requests, too */
};
struct job_facts {                /* what was submitted; never changes, the pointer is good all run long */
    const struct request *ask;    /* all tasks; one copy shared by the jobs of a shape */
    int64_t submit_ns, deadline_ns;           /* deadline TIME_NEVER: none */
    queue_id queue;
    uint32_t user;                /* interned; ID_NONE: unknown */
    uint32_t min_tasks;           /* a gang: all of them (1 under SPLIT_ANY). With groups: the sum of those of the leaves,
                                     and complete is who has the minimum of every leaf */
    int32_t priority;
    uint8_t class;                /* enum job_class */
    bool preemptible;
    uint32_t model;               /* interned: what it trains or serves; ID_NONE: unknown */
    uint32_t n_groups;            /* 0: all tasks are one group */
    uint32_t sizing;              /* 0: it has one size, that of ask; else job_sizes() says which it may have */
    const struct task_group *group;           /* [n_groups] */
};
/* How many tasks, or GPUs if it has no tasks (SPLIT_ANY), a job may have. Elastic: it can grow and shrink between least and most.
 * Moldable: it has any of these sizes, and keeps the one that it starts with first. `ask` and who knows no sizes go by the usual one. */
struct job_sizes { uint32_t min, usual, max; bool moldable; };
int64_t sched_now(const struct sched *s);
const struct job_facts *job_facts(const struct sched *s, job_id j);
enum job_state job_state(const struct sched *s, job_id j);
struct amount job_size(const struct sched *s, job_id j);      /* all that it asks for */
struct amount request_size(const struct request *r);          /* likewise, of a request */
const struct placement *job_placement(const struct sched *s, job_id j);   /* NULL: holds nothing; claims count as held */
const struct placement *job_suspended(const struct sched *s, job_id j);   /* where it may go on; NULL: not suspended */
int64_t  job_last_start_ns(const struct sched *s, job_id j);  /* minimum run times, newest first; -1: never.
                                     Before 0 for a job that ran already when the trace begins */
double   job_attained_gpu_s(const struct sched *s, job_id j); /* service so far (LAS) */
int64_t  job_estimate_ns(const struct sched *s, job_id j);    /* run time still to come by the estimate, submitted or (the run's
                                                                 option) predicted at arrival; past it: 0; TIME_NEVER: none */
int64_t  job_true_ns(struct sched *s, job_id j);              /* the truth; only with SEES_RUN_TIME: otherwise -1, and
                                                                 counted as a refusal */
int64_t  job_start_cost_ns(const struct sched *s, job_id j);  /* GPUs held without progress if it started now; of a
                                                                 running job: what is left of that */
void    *job_own(struct sched *s, job_id j);                  /* policy.job_size bytes, zero at its first arrival */
struct amount sched_capacity(const struct sched *s);          /* of nodes that are up: changes only with a node_changed notice */
bool     sched_node_up(const struct sched *s, node_id n);     /* false: out of service or drained, nothing fits there */
uint64_t sched_room_version(const struct sched *s);           /* grows when anything is released: while it stands, a
                                                                 shape that failed fails again */
uint64_t sched_random(struct sched *s);                       /* the policy's own stream */
void    *sched_alloc(struct sched *s, size_t bytes);          /* zeroed, freed with the run; never NULL */
void    *sched_scratch(struct sched *s, size_t bytes);        /* zeroed, until the pass ends; never NULL */

enum free_kind { FREE_IDLE, FREE_OR_RELEASING };              /* two indexes; the second only with SEES_RELEASING */
const struct view *sched_view(const struct sched *s, enum free_kind k);
struct request job_request(const struct sched *s, job_id j);  /* all of it */
/* ---- Sizes of elastic and moldable jobs, see struct job_sizes ---- */
struct job_sizes job_sizes(const struct sched *s, job_id j);  /* of a moldable job that has started: the one that it has */
uint32_t job_size_held(const struct sched *s, job_id j);      /* 0: it holds nothing */
struct request job_request_sized(const struct sched *s, job_id j, uint32_t size);    /* least to most, and perhaps not as usual */
/* How much faster than usual j would get on now, at this size on as few nodes as it fits on: goodput where the cluster has that
 * and the model of j is known, else in proportion to the size. 1 at the usual size. Only with SEES_SPEEDUP: otherwise 0, and
 * counted as a refusal. It knows the gradient noise of now, as training measures it, and nothing that is still to come. */
double job_speedup(struct sched *s, job_id j, uint32_t size);
int64_t job_resize_cost_ns(const struct sched *s, job_id j);  /* GPUs held without progress after a resize */
/* Asks the run's placer, run by run of the chain; levels of the job and of its groups are seen to. The answer is scratch: it
 * dies with a rollback to an earlier mark, or with the pass. */
const struct placement *sched_place(struct sched *s, const struct view *v, const struct request *r);   /* NULL: no */
bool sched_fits(struct sched *s, const struct view *v, const struct request *r);   /* would it find a place? On a counted
                                                                 pool by totals, for next to nothing */
enum wait_reason sched_why_not(const struct sched *s);        /* of the last of both that said no */
/* For a policy that places by itself: pieces for r (kept by the caller until builder_take). One at a time. */
struct builder *sched_builder(struct sched *s, const struct view *v, const struct request *r);
const struct placement *builder_take(struct builder *b);      /* its pieces as a placement; ends it */

/* ---- Doing: staged at once, checked at once. A pass that returns is carried out whole and cannot fail. ---- */
enum sched_result {
    SCHED_OK,
    SCHED_LATER,       /* accepted: starts when the releasing GPUs in it are free (a claim) */
    SCHED_NO_ROOM,     /* something in it is not free */
    SCHED_MISMATCH,    /* wrong node, model, count, level or task */
    SCHED_WRONG_STATE, /* e.g. a start of what runs, a stop of what does not */
    SCHED_NOT_ALLOWED, /* non-preemptible */
    SCHED_TOO_OFTEN,   /* a wake in the past, or too many */
    SCHED_RESULTS
};
/* Save what can be saved within the grace period; or drop at once to the last durable checkpoint; or stand still: nothing is
 * lost, GPUs and CPUs are idle at once, the memory of the nodes stays taken, and the job goes on only on the same pieces; or
 * leave as for STOP_SAVE, and be cancelled: what it did since its last start is lost, and job_stopped says STOPPED_CANCELLED.
 * The world charges grace, loss and restart. */
enum stop_mode { STOP_SAVE, STOP_RESTART, STOP_SUSPEND, STOP_CANCEL };

enum sched_result sched_start(struct sched *s, job_id j, const struct placement *p);
/* With STARTS_PARTIAL a placement may name some of the tasks only, and further ones be started while the job holds others.
 * Progress begins with the minimum, at the share of the tasks that are there. Single tasks start on idle GPUs only. */

/* Gives up all GPUs. They are releasing for as long as leaving takes, idle at once if that is no time. A job stopped and
 * started elsewhere in one pass moves when it has saved. On a claim: gives it back, free of charge. */
enum sched_result sched_stop(struct sched *s, job_id j, enum stop_mode m);
/* Of a suspended job, pending: STOP_RESTART drops it to its last durable checkpoint and frees its memory, then it starts
 * anywhere; until then sched_start() is a MISMATCH but on job_suspended(). STOP_SUSPEND is NOT_ALLOWED for a job that does not
 * hold all of its tasks, and with SEES_TIMELINE. */
/* Gives up one task, only with STARTS_PARTIAL, and by STOP_SAVE or STOP_RESTART. A job that keeps its minimum goes on, slower, and loses nothing; below it
 * progress stops at the price of a stop: that task's GPUs are releasing, the others are held on. A job whose tasks were
 * changed in this pass, or one that is gathering, cannot be stopped whole (WRONG_STATE): stop its tasks. */
enum sched_result sched_stop_task(struct sched *s, job_id j, uint32_t task, enum stop_mode m);
/* Takes back this pass's stop of j, in any order, unless its GPUs were taken since: it never stopped. NO_ROOM is an answer
 * here, and not counted as a refusal. */
enum sched_result sched_keep(struct sched *s, job_id j);
enum sched_result sched_refuse(struct sched *s, job_id j, const char *reason);    /* will never run; reason is copied */
void sched_blocked(struct sched *s, job_id j, enum wait_reason why);    /* own reason, until given anew or it starts */
enum sched_result sched_wake_at(struct sched *s, int64_t time_ns);      /* a set: equal times merge */
void sched_note(struct sched *s, job_id j, job_id for_whom);            /* who caused this pass's stop of j, or of tasks of j:
                                                                 for the log and the metrics by cause */
void sched_note_move(struct sched *s, job_id j, job_id for_whom);       /* likewise, and j is only to be placed anew: a move,
                                                                 though it starts in a later pass */

/* From now on j, which runs, holds exactly p: it grows, shrinks and moves in one step at one price, job_resize_cost_ns(); nothing
 * of its work is lost. p may use what j holds and what is idle, for whole tasks from the first on, as many as job_sizes() allows.
 * Needs RESIZES. A job that was started in this pass just starts elsewhere. Once resized it is not stopped in the same pass
 * (WRONG_STATE); resized back to where it was, nothing has happened. NOT_ALLOWED: it is not preemptible. */
enum sched_result sched_resize(struct sched *s, job_id j, const struct placement *p);
/* A place for j of that size as if it had left what it holds: for sched_resize(), or if it holds nothing, sched_start(). NULL: no. */
const struct placement *sched_place_anew(struct sched *s, job_id j, uint32_t size);

/* In pencil: p is taken from FREE_OR_RELEASING, where it must be free, and put into the books for the rest of this pass, as if j
 * (which may hold other tasks) had been started there; what of it is idle stays so. Nothing comes of it. _out: as if j had
 * left those pieces, which it holds; while any is out, no claim is accepted, and j is not stopped. For searches, and to
 * keep for whom room was made what others are leaving: the next pass decides anew. Needs SEES_RELEASING. p is kept by pointer
 * until the pass ends. NO_ROOM is an answer here, and not counted as a refusal. */
enum sched_result sched_tentative_add(struct sched *s, job_id j, const struct placement *p);
enum sched_result sched_tentative_remove(struct sched *s, job_id j, const struct placement *p);

/* Undo, in time proportional to what is undone: verbs, books, views, reasons, wakes, lines, and bytes saved with
 * sched_save. Marks nest; rolling back to one ends every later one. Stops and starts of one job net out: the same
 * pieces again is no change, other pieces are one move. */
typedef uint64_t sched_mark_t;
sched_mark_t sched_mark(struct sched *s);
void sched_rollback(struct sched *s, sched_mark_t m);
void sched_save(struct sched *s, void *own, size_t bytes);    /* before changing own state inside a search */

/* ---- The table ---- */
enum { SEES_RUN_TIME = 1, SEES_RELEASING = 2, SEES_TIMELINE = 4,      /* the last: timeline.h */
       STARTS_PARTIAL = 8,    /* starts and stops single tasks; not together with SEES_TIMELINE */
       RESIZES = 16,          /* starts jobs at any of their sizes, and resizes running ones; together with neither */
       SEES_SPEEDUP = 32,
       SUSPENDS = 64 };       /* stops by STOP_SUSPEND; not together with SEES_TIMELINE */
enum stop_cause { STOPPED_DONE, STOPPED_FAILED, STOPPED_CANCELLED, STOPPED_BY_POLICY,
                  STOPPED_BY_FAULT,   /* it failed with its GPUs, or they are needed for maintenance; job_arrived follows */
                  STOP_CAUSES };
static inline bool stopped_for_good(enum stop_cause why) { return why < STOPPED_BY_POLICY; }
struct policy {
    unsigned abi;                 /* POLICY_ABI */
    const char *name, *summary;
    unsigned needs;               /* SEES_... */
    unsigned (*also_needs)(const void *params);    /* SEES_... that depend on parameters; may be NULL */
    const struct param *params;   /* NULL: none */
    size_t params_size, state_size, job_size;
    int64_t period_ns;            /* of its passes, where neither the cluster nor the command line says; 0: whenever something
                                     changed */
    void (*begin)(struct sched *s, const void *params, void *state);    /* lines and tables; may be NULL */
    void (*schedule)(struct sched *s, const void *params, void *state);
    /* Notices: the change has happened. Only lines, own state and wake-ups may change. Any may be NULL. */
    void (*job_arrived)(struct sched *s, const void *params, void *state, job_id j);   /* wants GPUs: new or evicted. Who
                                        ran before the trace begins holds some already; if it runs, job_started follows */
    void (*job_started)(struct sched *s, const void *params, void *state, job_id j);   /* runs; claims only when they run */
    void (*job_stopped)(struct sched *s, const void *params, void *state, job_id j, enum stop_cause why);  /* holds nothing
                                                              now; evicted: job_arrived follows once it has left its GPUs */
    /* It waited, or was leaving, and its owner wants it no more: it holds nothing now, and is in no line when this returns. It may
     * come again, as a new job (job_arrived). Who is taken out while it runs is stopped for good (job_stopped). */
    void (*job_withdrawn)(struct sched *s, const void *params, void *state, job_id j);
    /* GPUs of n went out of service, or came back; those who are stopped by that are told next. What does not fit any more for that reason
     * waits: a node that is out may come back. */
    void (*node_changed)(struct sched *s, const void *params, void *state, node_id n);
};
