/* state.h - the state of a run: facts, and parts that have one owner each.
 *
 * struct sched holds the facts of the run, which sim/run/run.c sets once, and pointers to parts. A part is made, written and freed by
 * the file that its comment names; other files go through the functions of that file's header.
 *
 * Truth and stage are one: a verb of a pass changes job_run.state, live.now, the indexes and the books at once; what was before is
 * kept in live.was (for the commit) and, once a mark was set, in the undo log (for a rollback). */
#pragma once
#include "sim/base/event_queue.h"
#include "sim/base/memory.h"
#include "sim/base/ordered.h"
#include "sim/base/random.h"
#include "sim/base/stable.h"
#include "sim/capacity/free_index.h"
#include "sim/capacity/placement_rate.h"
#include "sim/engine/models.h"
#include "sim/models/failures.h"
#include "sim/models/overhead.h"
#include "sim/models/progress.h"
#include "sim/scheduler/predict.h"
#include "sim/workload/requests.h"

enum { MODELS_MOST = 32, MODEL_WORDS_MOST = 64 };
typedef uint32_t hook_walk;       /* bit i: model[i] is still to come */
_Static_assert(MODELS_MOST <= 32, "a bit each");

#define ENGINE_BUG(s, ...) engine_bug((s), __FILE__, __LINE__, __VA_ARGS__)
#define MUST(s, condition)                                                                                             \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            engine_bug((s), __FILE__, __LINE__, "%s", #condition);                                                       \
    } while (0)

enum hold_kind { HOLD_RUN, HOLD_LEAVING, HOLD_PLAN, HOLD_KINDS };    /* on the timeline */

/* What is kept of every job to the end: small. All 0 before it arrives. */
struct job_run {
    int64_t start_ns, end_ns;     /* -1: not yet */
    int64_t run_ns;
    double contending_ns;         /* of a job of the trace that has ended: the integral of contending queues while it was there; -1 */
    uint32_t not_slot;            /* ~ of its slot: job_slot(); 0: not arrived, or gone */
    uint32_t waits_at;            /* where its parts are kept, once it has gone: wait_parts() */
    uint32_t cost;                /* its struct job_cost, from 1; 0: it has none, as most jobs of a plain run */
    uint8_t waits, state, outcome, distance;
};

/* What starts and stops took from a job; all 0 for one that was never stopped and starts at no cost. */
struct job_cost {
    int64_t lost_ns, overhead_ns;
    uint32_t preemptions, restarts;
};

/* Tasks that have left a gang and are still saving. */
struct part {
    struct part *next;
    struct placement *p;
    struct placement *gang;       /* where the whole made the progress that is being saved; NULL: none is, or no more */
    int64_t since_ns, until_ns;
    event_id event;               /* of until_ns */
};

/* The progress rate of a running job: see pace.h. Times are of one iteration; without a training model that is a reference second. */
struct pace {
    int64_t mark_ns, mark_done_ns;    /* the last change of its rate (or when progress begins), progress until then since the start */
    double tasks;                 /* share of its tasks that run */
    double fastest;               /* the highest rate at which it made progress since its start */
    int64_t useful_ns;            /* time in which it made progress, until mark_ns */
    int64_t at_risk_ns;           /* time in which it had made progress that was not safe then */
    bool stalled;
    uint8_t stalled_on;           /* enum account */
    bool has_duty;                /* pace_duty() has said it since its GPUs last all worked */

    /* While no model is on, neutral from here to the end, and not even written for the next job. */
    double compute_s, comm_s, reference_s;     /* here, at its present share of links; together at the reference placement */
    double gamma;                 /* how far computing and communicating overlap */
    double interference;          /* speed that other tenants of its GPUs leave it, in (0, 1] */
    double slow, slow_link;       /* pace of the slowest of its GPUs, and of its nodes' links, against their usual, in (0, 1] */
    double clock;                 /* of the slowest of its GPUs, as power caps set it, in (0, 1] */
    double computing, reading;    /* processors and memory of its MIG instance, against `interference`; 1, 1 without */
    double network_s;             /* of comm_s, the time in which it sends between its units */
    double duty;                  /* share of the time in which it has work for its GPUs: of a replica, of its last window; 1 */
    /* of an LLM replica that runs step by step, of its last window: in steps, and the power of a GPU in these over its TDP; 0, 0 */
    double steps, tdp;
    double duty_owed;             /* what the last of its quiet GPUs were rounded up by */
    int64_t quiet_milli, quiet_since_ns;    /* of its GPUs, those without work, since then */
    int128_t quiet_milli_ns;      /* before that */
    double read_s;                /* the least that its reading takes at its present share; 0: does not bind */
    double input_s;               /* of its CPUs for the input of an iteration; 0: does not bind */
    int64_t stalled_since_ns;
};

/* checkpoints.c: what is safe of a job's work, and what it is writing. */
enum writing_stage { WRITING_NOTHING, WRITING_BLOCKED, WRITING_BACKGROUND,
                     WRITING_TO_LEAVE, WRITING_IN_VAIN, WRITING_AT_RISK };    /* at a stop; at risk: writes of others may slow it too much */
struct writing {
    int64_t safe_left_ns;         /* work left at the last durable checkpoint */
    int64_t safe_wall_ns;         /* pace_useful_ns() then */
    int64_t from_left_ns;         /* the interval to the next one counts from here */
    int64_t shot_left_ns, shot_wall_ns;              /* the same of the snapshot that is being written */
    int64_t part_ns[2];           /* blocking, in the background */
    double part_bytes[2];         /* after that, through the flow; 0: none */
    int64_t end_ns;               /* of part_ns of the present part */
    int64_t left_wall_ns;         /* pace_useful_ns() when it was halted */
    int64_t lost_ns, lost_wall_ns;                   /* if it does not get to save */
    event_id event;               /* the end of the part */
    uint32_t flow;                /* flow_id, while there is one: flows */
    uint8_t stage, cause;         /* cause: enum preemption_cause of a stop at risk */
    bool flows;
    bool on;                      /* it writes periodic checkpoints that take time */
};

/* The part of a job that verbs of a pass change: copied whole when it is first touched, logged and restored whole. Verbs stage it
 * (stage_state()); between passes the truth is written by what a job does (jobs.c, intervals.c, tasks.c, leaving.c, ...). */
struct staged {
    struct placement *held;       /* it runs on or claims it; NULL: it holds nothing */
    struct placement *saving;     /* tasks stopped in this pass that are going to save; NULL: none */
    job_id stopped_for;           /* the policy stops it for that job; ID_NONE: for none that it names */
    uint8_t state;                /* enum job_state, of a copy; of the job itself job_run.state is the one */
    uint8_t stop_mode;            /* enum stop_mode of the last stop */
    bool stopping;                /* its stop is staged */
    bool broken;                  /* in this pass it fell below its minimum while it ran */
    bool dropped;                 /* in this pass it fell from suspension to its last checkpoint */
    bool anew;                    /* in this pass it was stopped to be placed anew: a move, though it starts later */
};

/* What is kept of a job while it waits, runs or leaves. What every start and end looks at lies together: when a job ends, tens of
 * thousands of others have been looked at since its start, and each cache line of it has to be fetched again. Its size is no
 * multiple of a large power of two: else a member of all jobs would share few sets of the cache. */
struct live {
    job_id job;
    bool touched, claimed;        /* touched: staged in this pass; claimed: in the list of claims */
    bool cancelled;               /* stopped for good */
    bool withdrawn;               /* on_demand.c: it is over as soon as it holds nothing */
    uint8_t withdrawn_as;         /* enum job_fate */
    bool given_up;                /* stopped, failed, once too often: it is over when it has left; leaving.c, interruption.c */
    uint8_t flavor;               /* 1 + the one that it counts in; 0: none */
    bool counting;                /* waits now */
    uint8_t own_why;              /* enum wait_reason */
    uint16_t waited;              /* reasons of `wait`, bit by bit; the others are 0, whatever it holds */
    const struct placement *on;   /* makes progress there in truth, whatever is staged; NULL: it does not run */
    struct staged now;
    struct progress progress;
    event_id event, progress_event;
    int64_t held_since_ns, start_cost_ns;
    int64_t last_start_ns, begin_left_ns;      /* work left at the last start */
    int64_t least_left_ns;        /* ever, as far as settled */
    double work_ns;               /* rate x time, less what was rolled back: what the books of progress are checked against */
    int64_t own_since_ns;
    int128_t contending_before;   /* the integral at its arrival */
    uint32_t size;                /* of its last start or resize; 0: none yet */
    uint32_t entry;               /* first line entry; ID_NONE: in no line */
    uint32_t wait_sub;            /* the group it counts with; ID_NONE: its own reason */
    uint32_t tentative_out;       /* times that tasks of it are given back tentatively in this pass */
    struct staged was;            /* before this pass, of a touched job */
    uint32_t hold[HOLD_PLAN];     /* on the timeline, but for its plan; ORDERED_NONE: none */
    int64_t estimate_ns;          /* of the whole run, as of its arrival; TIME_NEVER: none */
    struct placement *suspended;  /* its memory there is taken, and it can go on there; until it does or is dropped */
    struct placement *leaving;    /* still occupies it after a stop */
    struct part *part;            /* those of earlier passes, in the order of their ends */
    int64_t stood_ns;             /* time since its last start in which it made progress before it was suspended or its gang
                                     broke, on the same pieces */
    int64_t requeues;             /* times that it went back to its queue after a stop; leaving.c */
    int64_t split[ACCOUNTS];      /* of the interval that is being left */

    struct pace pace;

    /* While no model is on, all 0 from here to the end, and not even cleared for the next job: nor is what pace says models change. */
    int64_t stall_ns[HELD_ACCOUNTS];    /* of the interval it holds: time held without progress that is over */
    struct writing writing;       /* checkpoints.c writes it; .cause: leaving.c */
    int64_t pull_ns;              /* of its start-up, the first part; overhead.c sets it, images.c takes off what is over */
    int64_t unsaved_ns, unsaved_wall_ns;    /* of a job that is leaving, or a part of it, and saves: lost if a fault comes; leaving.c */

    /* Of what is not plain: never read before it was written, and not cleared for the next job. */
    int64_t wait[WAIT_REASONS];   /* those of `waited`; of a group member: minus the group's totals at the joining */
    int64_t *wait_before;         /* [WAIT_REASONS] its parts when this wait began, for the log; NULL: there is none */
    int64_t leaving_since_ns;
    int64_t stop_done_ns;         /* progress since the last start when the stop was staged */
    const char *leave_why;
    event_id release_event;
    int64_t hold_end_ns;          /* of the run hold that a stop of this pass has dropped */
};

/* The first bytes of it: all that is cleared for the next job while no model is on, and with models. */
#define LIVE_PLAIN  (offsetof(struct live, pace) + offsetof(struct pace, compute_s))
#define LIVE_MODELS offsetof(struct live, wait)
_Static_assert(sizeof(struct live) % 128 != 0, "a job's members are in all sets of the cache");

/* Of a job that may hold less than all of it: milli-GPU ns. */
struct gpu_time { int128_t held, lost, overhead; };

/* A policy of the run with its parameters and state. */
struct policy_instance {
    const struct policy *policy;
    void *params, *state;
    unsigned needs;               /* what it may do */
    int64_t period_ns;            /* of its passes; 0: whenever something changed */
    int64_t time_ns;              /* when it takes over; TIME_NEVER: not, or it has */
};

/* Jobs that have gone, added up for the identities. */
struct gone {
    int128_t in_system, waiting;  /* ns */
    int128_t held;                /* milli-GPU ns */
    job_id broken;                /* the first whose wait and run are not the time that it was there; ID_NONE: none */
};

/* Levels and accounts of the cluster, written by sim/accounting alone: ledger.h says how they change. */
struct ledger {
    int64_t busy_milli, held_milli, waiting_milli;    /* GPUs making progress; occupied; asked for by waiting jobs */
    int64_t up_milli;             /* GPUs that are there and not down */
    uint32_t running, waiting, in_system, contending;    /* jobs; the last: queues that have a job in the system */
    int64_t settled_ns;           /* integrals are those of this time */
    int128_t *node_account[ACCOUNTS];                 /* [n_nodes] milli-GPU ns; a plain run writes one of them, which so lies near */
    int128_t *interruption_lost;  /* [INTERRUPTION_CAUSES] work rolled back by interruptions, milli-GPU ns */
    struct gone gone;
};

/* What happened since the loop looked last; set through the functions below it. */
struct happened {
    bool changed;                 /* something that a policy may act on */
    bool shown;                   /* something that only observers want to see */
    uint64_t series_changes;      /* times that a model's columns of timeseries.csv changed while nothing else need have */
    uint64_t open;                /* jobs on demand of models that may still come */
    uint64_t background_events;   /* in the queue: no wait can end by them alone */
};

struct sched {
    struct run_setup setup;
    const struct cluster *cluster;
    struct workload *workload;    /* the setup's; with jobs on demand, a copy with facts of its own */
    uint32_t n_jobs;              /* with those on demand, which are from workload->n_jobs on */
    struct overhead *overhead;          /* [prices of the workload + 1], the first the cluster's */
    const struct policy_instance *force;      /* the policy in force; written by switch.c */
    struct policies *policies;    /* switch.c */
    unsigned all_needs;           /* of every policy that the run may have: what there is */
    size_t own_size;              /* the largest policy.job_size of them */
    struct arena *memory, *scratch;

    int64_t now_ns;
    struct event_queue *events;
    uint64_t n_submitted;         /* jobs so far, each time that one was; written by jobs.c */
    struct happened happened;
    uint32_t next_arrival;        /* of the trace; written by engine.c */
    struct loop *loop;            /* engine.c */
    struct livelock *livelock;    /* livelock.c */
    struct wakes *wakes;          /* wakes.c */
    struct checks *checks;        /* checks.c */
    bool in_pass;

    struct job_run *job;          /* bulk [n_jobs] */
    struct stable costs;          /* struct job_cost, by job_run.cost; written through job_cost_add() */
    struct live *live;            /* [n_live] slots of jobs that have arrived and not gone, and free ones; written by jobs.c */
    void **own;                   /* [n_live] by slot: the policy's bytes; NULL: it has none */
    size_t n_live;
    struct jobs *jobs;            /* jobs.c */
    struct waits *waits;          /* waiting.c */
    struct gpu_time *gpu_time;    /* [n_jobs]; NULL: all of a job or nothing */

    struct view *idle;            /* what is free now */
    struct view *releasing;       /* idle or releasing; NULL without SEES_RELEASING */
    struct timeline *timeline;    /* NULL without SEES_TIMELINE */
    struct predictor *predictor;  /* NULL: estimates are as submitted */
    uint64_t freed_version;       /* grows when something becomes free: view_freed() */
    struct placing *placing;      /* placing.c */
    struct reserved *reserved;    /* scheduler/closed/reserved.c; NULL: no reservations */
    struct random policy_random;  /* seeded by switch.c, drawn by queries.c */
    struct dependencies *dependencies;         /* NULL: none */
    struct on_demand *on_demand;  /* [n_on_demand] on_demand.c; NULL: none */
    struct placements *placements;    /* placements.c */
    struct leavers *leavers;      /* running.c; NULL: no job was leaving when it was submitted */

    struct lines *lines;          /* lines.c */

    const struct queue_facts *queue;           /* [n_queues] as they hold now: accounting/quota_windows.c */
    struct queue_facts *queue_changes;         /* the same, of this run; NULL: no queue has windows */
    uint64_t quota_version;       /* grows when they change; 0: they never do */
    struct books *books;          /* sim/accounting */

    struct stage *stage;          /* stage.c, pass.c */
    struct tasks *tasks;          /* tasks.c */
    struct claims *claims;        /* claims.c */
    struct tentative *tentative;  /* tentative.c */
    struct notices *notices;      /* notices.c */

    struct ledger ledger;         /* sim/accounting */
    struct run_totals totals;
    int64_t *model_bytes;         /* [models of the workload] of a checkpoint; -1: not known */
    const struct run_model *model[MODELS_MOST];       /* those that are on */
    size_t n_models;
    hook_walk hooked[MODEL_WORDS_MOST];               /* for each word of struct run_model: those of model[] that have it */
    void *model_state[MODELS_MOST];                   /* by run_model.place: model_state() */
    struct placement_rates *predicted_rates;          /* for views; rates.c makes it; NULL: placements do not matter */
    struct nodes *nodes;          /* nodes.c; NULL: all are up for ever */
};

_Noreturn void engine_bug(const struct sched *s, const char *file, int line, const char *format, ...)
    __attribute__((cold, format(printf, 4, 5)));

static inline void run_changed(struct sched *s) { s->happened.changed = true; }
static inline void run_shown(struct sched *s) { s->happened.shown = true; }
static inline void run_series_changed(struct sched *s) { s->happened.series_changes++; }
static inline void run_open(struct sched *s, int jobs) { s->happened.open += (uint64_t)(int64_t)jobs; }
static inline void run_background(struct sched *s, int events) { s->happened.background_events += (uint64_t)(int64_t)events; }

/* The state of a model; NULL: it is off, or keeps none. */
static inline void *model_state(const struct sched *s, const struct run_model *m)
{
    return s->model_state[m->place];
}

/* Every model of the run that has a hook, in order:
 *     for (hook_walk i = HOOKED(s, settle); i; hook_next(&i))
 *         hooked(s, i)->settle(s, to_ns); */
#define HOOKED(s, hook) ((hook_walk)__builtin_expect((s)->hooked[offsetof(struct run_model, hook) / sizeof(void *)], 0))
static inline const struct run_model *hooked(const struct sched *s, hook_walk i) { return s->model[__builtin_ctz(i)]; }
static inline void hook_next(hook_walk *i) { *i &= *i - 1; }

/* In s->live; ID_NONE: it has not arrived, or has gone. */
static inline uint32_t job_slot(const struct sched *s, job_id j)
{
    return ~s->job[j].not_slot;
}
static inline struct live *live_of(const struct sched *s, job_id j)
{
    uint32_t slot = job_slot(s, j);
    return slot == ID_NONE ? NULL : &s->live[slot];
}
/* Once; not if it has not arrived, when its row says nothing. */
static inline bool has_started(const struct sched *s, job_id j)
{
    return s->job[j].state != JOB_ABSENT && s->job[j].start_ns >= 0;
}
static inline const struct request *ask_of(const struct sched *s, job_id j)
{
    return s->workload->facts[j].ask;
}
static inline const struct overhead *job_overhead(const struct sched *s, job_id j)
{
    return &s->overhead[workload_extra(s->workload, j)->overhead];
}

static inline void view_freed(struct sched *s)
{
    s->freed_version++;
}

/* The idle-or-releasing index, if the policy in force sees it: the run may keep it for another policy. */
static inline struct view *releasing_seen(const struct sched *s)
{
    return s->force->needs & SEES_RELEASING ? s->releasing : NULL;
}

/* ---- state.c ---- */

void state_set(struct sched *s, job_id j, enum job_state to);             /* a legal change (life.h), or a bug */
/* A row of events.csv, if it is wanted. j ID_NONE: of no job. */
void decision_row(const struct sched *s, job_id j, const char *kind, const char *decision, const char *reason)
    __attribute__((cold));
static inline void decision_log(const struct sched *s, job_id j, const char *kind, const char *decision, const char *reason)
{
    if (s->setup.observer.decision)
        decision_row(s, j, kind, decision, reason);
}
void stop_log(const struct sched *s, const struct live *l, const char *how);
struct job_cost job_cost(const struct sched *s, job_id j);
void job_cost_add(struct sched *s, job_id j, struct job_cost more);
int64_t job_done_ns(const struct sched *s, const struct live *l);         /* progress since the last start */
int64_t job_left_ns(const struct sched *s, const struct live *l);         /* work left, as of now */
