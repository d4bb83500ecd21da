/* host.h - the inside of a run, shared by the files of this folder and by nobody else: its state, placements, and the truth of its
 * jobs. What else a file has for the others is in a header of its own name.
 *
 * Truth and stage are one: a verb of a pass changes job_run.state, live.held, the indexes and the books at once; what
 * was before is kept in live.was (for the commit) and, once a mark was set, in the undo log (for a rollback). */
#pragma once
#include "sim/base/event_queue.h"
#include "sim/base/memory.h"
#include "sim/base/ordered.h"
#include "sim/base/random.h"
#include "sim/scheduler/predict.h"
#include "sim/engine/run.h"
#include "sim/scheduler/timeline.h"
#include "sim/models/failures.h"
#include "sim/capacity/free_index.h"
#include "sim/models/price.h"
#include "sim/capacity/placement_rate.h"
#include "sim/models/progress.h"
#include "sim/workload/requests.h"

enum { MODELS_MOST = 24, MODEL_PLACES = 256 };
struct run_model;

#define HOST_BUG(s, ...) host_bug((s), __FILE__, __LINE__, __VA_ARGS__)
#define MUST(s, condition)                                                                                             \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            host_bug((s), __FILE__, __LINE__, "%s", #condition);                                                       \
    } while (0)

/* What is kept of every job to the end: small. */
struct job_run {
    int64_t start_ns, end_ns;     /* -1: not yet */
    int64_t run_ns, lost_ns, overhead_ns;
    int64_t fairness_micro;       /* -1: none */
    uint32_t live;                /* ID_NONE: not arrived, or gone */
    uint32_t preemptions, restarts;
    uint32_t waits_at;            /* in s->wait_part, once gone */
    uint8_t waits, state, outcome, distance;
};

/* Tasks that have left a gang and are still saving. */
struct part {
    struct part *next;
    struct placement *p;
    int64_t since_ns, until_ns;
};

/* How a running job gets on: see pace.c. Times are of one iteration; without a training model that is a reference second. */
struct pace {
    int64_t mark_ns, mark_done_ns;    /* the last change of its rate (or when progress begins), progress until then since the start */
    bool stalled;
    uint8_t stalled_on;           /* enum account */
    double tasks;                 /* share of its tasks that run */
    double compute_s, comm_s, reference_s;     /* here, alone; together at the reference placement */
    double gamma;                 /* how far computing and communicating overlap */
    double interference;          /* speed that other tenants of its GPUs leave it, in (0, 1] */
    double link_s, read_s;        /* the least that its links and its reading take at their present shares; 0: do not bind */
    int64_t useful_ns;            /* time in which it made progress, until mark_ns */
    int64_t at_risk_ns;           /* time in which it had made progress that was not safe then */
    int64_t stalled_since_ns;
};

/* checkpoints.c: what is safe of a job's work, and what it is writing. */
enum writing_stage { WRITING_NOTHING, WRITING_BLOCKED, WRITING_BACKGROUND,
                     WRITING_TO_LEAVE, WRITING_IN_VAIN, WRITING_AT_RISK };    /* told to leave; at risk: others may slow it too much */
struct writing {
    int64_t safe_left_ns;         /* work left at the last durable checkpoint */
    int64_t safe_wall_ns;         /* pace_useful_ns() then */
    int64_t from_left_ns;         /* the interval to the next one counts from here */
    int64_t shot_left_ns, shot_wall_ns;              /* likewise of the snapshot that is being written */
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

/* What is kept of a job while it waits, runs or leaves. What every start and end looks at lies together: when a job ends, tens of
 * thousands of others have been looked at since its start, and each cache line of it has to be fetched again. */
struct live {
    job_id job;
    bool touched, stopping, claimed;   /* touched in this pass; stopping: stop staged; claimed: in s->claims */
    bool cancelled;               /* told to leave for good */
    bool anew;                    /* in this pass it was stopped to be placed anew: a move, though it starts later */
    bool dropped;                 /* in this pass it fell from suspension to its last checkpoint */
    bool broken;                  /* in this pass it fell below its minimum while it ran */
    bool withdrawn;               /* on_demand.c: it is over as soon as it holds nothing */
    uint8_t withdrawn_as;         /* enum job_fate */
    uint8_t stop_mode;
    job_id stopped_for;
    struct placement *held;       /* runs on or claims it */
    const struct placement *on;   /* makes progress there in truth, whatever is staged; NULL: it does not run */
    struct progress progress;
    event_id event, progress_event;
    int64_t held_since_ns, start_cost_ns;
    int64_t last_start_ns, begin_left_ns;      /* work left at the last start */
    int64_t least_left_ns;        /* ever, as far as settled */
    double work_ns;               /* rate x time, less what was rolled back: what the books of progress are checked against */
    struct pace pace;
    int128_t contending_before;   /* the integral at its arrival */
    uint32_t size;                /* of its last start or resize; 0: none yet */
    uint32_t entry;               /* first line entry; ID_NONE: in no line */
    uint32_t wait_sub;            /* the group it counts with; ID_NONE: its own reason */
    uint8_t own_why;
    bool counting;                /* waits now */
    uint16_t waited;              /* of wait: those that are not 0, bit by bit, when it last ceased to wait */
    int64_t own_since_ns;
    int64_t wait[WAIT_REASONS];   /* of a group member: minus the group's totals at the joining */
    int64_t split[ACCOUNTS];      /* of the interval that is being left */
    struct { uint8_t state; struct placement *held; } was;    /* before this pass */
    uint32_t hold[HOLD_KINDS];    /* on the timeline; ORDERED_NONE: none */
    int64_t estimate_ns;          /* of the whole run, as of its arrival; TIME_NEVER: none */
    void *own;                    /* the policy's bytes */
    int64_t *wait_before;         /* [WAIT_REASONS] its parts when this wait began, for the log; NULL: there is none */

    /* Of those that are stopped, leave, stand still or run in part. */
    struct placement *suspended;  /* its memory there is taken, and it can go on there; until it does or is dropped */
    struct placement *leaving;    /* still occupies it after a stop */
    struct placement *late;       /* tasks stopped in this pass that are going to save; staged */
    struct part *part;            /* those of earlier passes, in the order of their ends */
    int64_t leaving_since_ns;
    int64_t stood_ns;             /* time since its last start in which it made progress before it was suspended, on the same pieces */
    int64_t stop_done_ns;         /* progress since the last start when the stop was staged */
    int64_t stall_ns[HELD_ACCOUNTS];    /* of the interval it holds: time held without progress that is over */
    const char *leave_why;
    event_id release_event;
    uint32_t pencilled_out;       /* how often, in this pass */
    int64_t hold_end_ns;          /* of the run hold that a stop of this pass has dropped */

    /* While no model is on, all 0 from here to the end, and not even cleared for the next job. */
    struct writing writing;       /* checkpoints.c writes it; .cause: leaving.c */
    int64_t pull_ns;              /* of its start-up, the first part; overhead.c sets it, images.c takes off what is over */
    bool given_up;                /* one fault too many: it is over when it has left; struck.c */
    int64_t unsaved_ns, unsaved_wall_ns;    /* of a job that is leaving and saves: lost if a fault comes; leaving.c */
};

/* Of a job that may hold less than all of it: milli-GPU ns. */
struct gpu_time { int128_t held, lost, overhead; };

struct undo;
struct builder {
    struct sched *s;
    struct view *v;
    const struct request *r;      /* for CPU and memory of its pieces */
    size_t n, capacity;
    struct piece *piece;
    struct placement *tried;      /* for builder_rate(); room for `tried_room` pieces */
    size_t tried_room;
    enum device_order devices;
    bool open;
};

struct sched {
    struct run_setup setup;
    const struct cluster *cluster;
    struct workload *workload;    /* the setup's; with jobs on demand, a copy with facts of its own */
    uint32_t n_jobs;              /* with those on demand, which are from workload->n_jobs on */
    struct price *price;          /* [prices of the workload + 1], the first the cluster's */
    const struct policy *policy;  /* in force, with its state; see switch.c */
    void *policy_state, *policy_params, *placer_params;
    unsigned needs;               /* of the policy in force: what it may do */
    unsigned all_needs;           /* of every policy that the run may have: what there is */
    size_t own_size;              /* the largest policy.job_size of them */
    int64_t period_ns;            /* of the passes of the policy in force */
    struct policy_seat *seat;     /* [1 + setup.n_switches] */
    uint64_t n_switched;          /* times that another took over */
    struct arena *memory, *scratch;

    int64_t now_ns;
    struct event_queue *events;
    uint32_t next_arrival;
    uint64_t n_submitted;         /* so far, each time that it was */
    bool idles;                   /* its own jobs have ended, and time goes on beside other runs */
    size_t n_open;                /* models whose jobs on demand may still come */
    int64_t pass_due_ns;          /* TIME_NEVER: nothing changed */
    job_id *fresh;                /* pending since the last pass of a periodic scheduler */
    size_t n_fresh, fresh_capacity;
    int64_t *wake;                /* descending */
    size_t n_wakes, wake_capacity;
    uint64_t *node_seen, node_stamp;   /* [n_nodes] the last placement that was checked and has a piece there */
    bool in_pass;
    bool changed;                 /* something that a policy may act on */
    bool shown;                   /* something that only observers want to see */
    uint64_t series_changes;      /* times that a model's columns of timeseries.csv changed while nothing else need have */

    struct job_run *job;
    struct live *live;
    size_t n_live, live_capacity;
    uint32_t *live_free;
    size_t n_live_free, live_free_capacity;
    int64_t *wait_part;
    uint8_t *wait_why;
    size_t n_wait_parts, wait_part_capacity, wait_why_capacity;
    const char **refusal;         /* by job, made with the first refusal */
    struct gpu_time *gpu_time;    /* [n_jobs]; NULL: all of a job or nothing */
    struct part *free_part;

    struct shape_kinds *shape_kinds;
    struct typical_list typical;  /* what the jobs ask for */
    uint32_t *gpu_mem_most_mib;   /* [types] of free_index_count_memory(); NULL: placements do not heed it */
    bool *shape_by_totals;        /* for placing_by_totals(): what the shape alone tells */
    uint8_t *shape_never;         /* why the shape can never be placed; 0: it can */
    uint32_t *shape_least;        /* STARTS_PARTIAL: if it cannot, so many tasks of it as a minimum can; 0: none */
    struct view *idle, *room;     /* room NULL without SEES_RELEASING */
    struct timeline *timeline;    /* NULL without SEES_TIMELINE */
    struct predictor *predictor;  /* NULL: estimates are as submitted */
    uint64_t room_version;
    struct random placer_random, policy_random;
    enum place_result why_not;
    struct builder builder;
    struct dependencies *dependencies;         /* NULL: none */
    struct on_demand *on_demand;  /* [n_on_demand] on_demand.c; NULL: none */
    struct placement *free_placement[32];      /* by size class, linked */

    struct line **line;
    size_t n_lines, line_capacity;
    struct line_entry *entry;
    size_t n_entries, entry_capacity;
    uint32_t free_entry;
    struct sub_line *sub;
    size_t n_subs, sub_capacity;

    struct queue_books *books;
    bool budgets;                 /* some queue has one */
    queue_id *changed_queue, *unseen_queue;
    size_t n_changed_queues, n_unseen_queues;

    struct undo *undo;
    size_t n_undo, undo_capacity;
    bool marked;
    uint32_t *touched;            /* live slots, in the order of first touch */
    size_t n_touched, touched_capacity;
    struct { struct placement *p; uint32_t live; } *staged;   /* copies made in this pass, and for whom */
    size_t n_staged, staged_capacity;
    uint32_t *claim;              /* live slots, in the order of claiming */
    size_t n_claims, claim_capacity;
    struct { const struct placement *p; job_id job; int8_t sign; } *pencil;    /* -1: out */
    size_t n_pencils, pencil_capacity, pencilled_out;                         /* the last: how many are */
    struct { uint8_t kind, why; job_id job; } *notice;
    size_t n_notices, notice_capacity;

    int64_t busy_milli, held_milli, waiting_milli;    /* GPUs making progress; occupied; asked for by waiting jobs */
    int64_t up_milli;             /* GPUs that are there and not down */
    uint32_t running, waiting, in_system, contending;
    int128_t (*node_account)[ACCOUNTS];
    int128_t *interruption_lost;  /* [STRIKE_CAUSES] work rolled back by interruptions, milli-GPU ns */
    struct run_totals totals;
    int64_t *model_bytes;         /* [models of the workload] of a checkpoint; -1: not known */
    const struct run_model *model[MODELS_MOST];       /* those that are on */
    struct { const struct run_model *of; void *is; } model_state[MODEL_PLACES];    /* each of its model: model_state() */
    size_t n_models;
    struct placement_rates *predicted_rates;          /* for views; rates.c makes it; NULL: placements do not matter */
    struct nodes *nodes;          /* nodes.c; NULL: all are up for ever */
    size_t background_events;     /* in the queue: nobody's wait can end by them alone */
    int64_t settled_ns;
    int64_t got_on_ns;            /* when a job last did; see livelock.c */
    bool begun;                   /* engine.c: the first policy has */
    uint64_t rounds, rounds_here; /* in all, at this instant */
    unsigned fruitless_wakes;     /* passes that changed nothing, and nothing else could happen any more */
    uint64_t fruitless_passes;    /* since then, of those that started or stopped something */
};

_Noreturn void host_bug(const struct sched *s, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The state of a model; NULL: it is off, or keeps none. A table by address: tables of models do not overlap, so few share a place. */
static inline size_t model_place(const struct sched *s, const struct run_model *m)
{
    size_t i = (uintptr_t)m >> 6 & (MODEL_PLACES - 1);
    while (s->model_state[i].of && s->model_state[i].of != m)
        i = (i + 1) & (MODEL_PLACES - 1);
    return i;
}
static inline void *model_state(const struct sched *s, const struct run_model *m)
{
    return s->model_state[model_place(s, m)].is;
}

static inline struct live *live_of(const struct sched *s, job_id j)
{
    uint32_t l = s->job[j].live;
    return l == ID_NONE ? NULL : &s->live[l];
}
static inline const struct request *ask_of(const struct sched *s, job_id j)
{
    return s->workload->facts[j].ask;
}
static inline const struct price *price_of(const struct sched *s, job_id j)
{
    return &s->price[s->workload->truth[j].price];
}

/* The index without those who are leaving, for a policy that sees it: the run may have it for another. */
static inline struct view *room_seen(const struct sched *s)
{
    return s->needs & SEES_RELEASING ? s->room : NULL;
}

/* placements.c - memory for placements, and pieces to and from an index */
struct placement *placement_copy(struct sched *s, const struct placement *p);
void placement_drop(struct sched *s, struct placement *p);              /* NULL: does nothing */
bool piece_same(const struct piece *a, const struct piece *b);
bool placement_same(const struct placement *a, const struct placement *b);
/* Scratch. a may be NULL; the tasks of b are not in a. */
const struct placement *placement_with(struct sched *s, const struct placement *a, const struct placement *b);
const struct placement *placement_without(struct sched *s, const struct placement *a, uint32_t task);   /* NULL: nothing is left */
bool placement_take_if_free(struct view *v, const struct request *ask, const struct placement *p);
void placement_take(struct view *v, const struct request *ask, const struct placement *p);
void placement_give(struct view *v, const struct request *ask, const struct placement *p);
int64_t placement_gpu_milli(const struct placement *p);
struct own_nodes { size_t i; node_id node, most; };                        /* { .i = 0 } */
bool placement_next_node(const struct placement *p, struct own_nodes *w); /* w->node: each of its nodes once; false: no more */
uint32_t placement_node_count(const struct placement *p);                      /* how many there are in it */
/* Of a suspended job: the memory of its nodes alone. */
void memory_take(struct view *v, const struct request *r, const struct placement *p);
void memory_give(struct view *v, const struct request *r, const struct placement *p);
/* Kept until the pass ends, and dropped then unless j holds it or plans it. Returns p. */
struct placement *placement_stage(struct sched *s, job_id j, struct placement *p);
struct view *view_of(const struct sched *s, const struct view *v);        /* see.c: the same, to be changed; idle if it is not ours */

/* jobs.c - the truth: jobs arrive, end and go */
struct live *job_enter(struct sched *s, job_id j);                        /* pending, without counting its wait */
void job_arrive(struct sched *s, job_id j);
void job_rejected(struct sched *s, job_id j, const char *reason);         /* the state has changed already */
void job_retire(struct sched *s, job_id j);                               /* gone, and everyone has been told */
void job_end(struct sched *s, job_id j);
void job_fails(struct sched *s, job_id j, const char *why);               /* now, while it runs, and before its work is done */
void job_is_over(struct sched *s, struct live *l, unsigned fate);         /* it runs no more; its state so far allows that */
void job_finishes(struct sched *s, job_id j, unsigned fate, const char *why);        /* now, while it runs, whatever of its work is done */
const char *job_ending(const struct sched *s, job_id j);                   /* why its last interval will have ended */
/* leaving.c */
void jobs_enter_held(struct sched *s);                                    /* jobs that wait for others are pending, at the end */
void jobs_cut_off(struct sched *s);


void state_set(struct sched *s, job_id j, enum job_state to);
void decision_log(const struct sched *s, job_id j, const char *kind, const char *decision, const char *reason);
void stop_log(const struct sched *s, const struct live *l, const char *how);

/* intervals.c - a job on its pieces, from a start to a stop */
void run_ends(struct sched *s, struct live *l, const char *why);          /* the time since it began, or was last resized, goes into
                                                                             the accounts; l->split is set */
void job_begin(struct sched *s, struct live *l);                          /* on l->held, now */
void job_runs(struct sched *s, struct live *l, int64_t start_cost_ns);    /* likewise, and nobody is told */
void job_progressing(struct sched *s, job_id j);
int64_t job_done_ns(const struct sched *s, const struct live *l);         /* progress since the last start */
int64_t job_left_ns(const struct sched *s, const struct live *l);         /* work left, as of now */
void job_halt(struct sched *s, struct live *l, const struct placement *on);   /* progress stops, l->split tells the time since the start */
/* After job_halt(): of the done_ns since its start it must do lost_ns again. Of l->split; what was done before the trace
 * began is not in it. */
void job_loses(struct sched *s, struct live *l, int64_t done_ns, int64_t lost_ns);
void job_loses_wall(struct live *l, int64_t lost_ns, int64_t wall_ns);    /* likewise, and the time that it took is known */
/* It leaves these pieces: l->split goes into the accounts, a row into the intervals. */
void hold_end(struct sched *s, struct live *l, const struct placement *p, int64_t since_ns, const char *why);
void interval_close(struct sched *s, struct live *l, struct placement *p, int64_t since_ns, const char *why);   /* likewise, for good:
                                                                             p is dropped */

/* verbs.c */
enum sched_result verb_refused(struct sched *s, job_id j, const char *verb, enum sched_result why);
bool placement_matches(struct sched *s, job_id j, const struct placement *p, bool partial);

/* notices.c */
enum notice { NOTICE_ARRIVED, NOTICE_STARTED, NOTICE_STOPPED, NOTICE_WITHDRAWN, NOTICE_NODE };    /* the last: j is a node */
void notice_add(struct sched *s, enum notice kind, job_id j, enum stop_cause why);
void notices_give(struct sched *s);
