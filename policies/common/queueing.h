/* queueing.h - the base of queueing disciplines: jobs in an order, served strictly or skipping,
 * with or without preemption.
 *
 * A discipline is a key, and perhaps an admission check and preemption; fifo.c is the smallest.
 * Waiting jobs stand in a line by key, ties by id: one line for the pool (scope=pool) or one per
 * queue (scope=queue). A pass merges the lines by key and starts what fits. The first job that does
 * not fit ends its line for the pass (blocking=strict), or only jobs of its shape are left out of
 * the rest of the pass (blocking=skip). A job held by the limit of its queue is always passed over:
 * Slurm's scheduler, too, goes on behind a job that its association's limit holds
 * (SchedMD/slurm:src/slurmctld/job_scheduler.c, acct_policy_job_runnable_state).
 *
 * Preemption: a waiting job that does not fit may stop running jobs behind it in the order, within
 * its queue or the pool. Victims are taken from the end of the order. A lower bound of their number
 * comes from totals of GPUs, the number itself from doubling and bisection: where fewer suffice,
 * more do too. At least one job is stopped: GPUs that others are leaving anyway are not claimed,
 * since a claim is not taken back for a job that comes ahead of it later. A stopped job that still
 * fits beside the new one is reinstated, in order. The cost of preemption is the simulator's.
 *
 * All arrays live as long as the run, but those of a pass, which are scratch. */
#pragma once
#include "policies/common/lacking.h"
#include "policies/common/queue_heads.h"
#include "policies/common/ranking.h"
#include "sim/contract/policy.h"

#include <stddef.h>

enum { SCOPE_POOL, SCOPE_QUEUE };
enum { BLOCKING_STRICT, BLOCKING_SKIP };
/* The first member of every discipline's parameters. */
struct queueing_params { double scope, blocking; };
extern const char *const queueing_scopes[], *const queueing_blockings[], *const param_no_yes[];
#define QUEUEING_PARAM_SCOPE                                                                       \
    { "scope", "pool: one line for all; queue: a line for each queue", "", 0, 0, SCOPE_POOL, queueing_scopes, \
      offsetof(struct queueing_params, scope) }
#define QUEUEING_PARAM_BLOCKING(default_value)                                                     \
    { "blocking", "strict: the first that does not fit blocks its line; skip: it is passed over", "", 0, 0, \
      default_value, queueing_blockings, offsetof(struct queueing_params, blocking) }
#define QUEUEING_PARAM_PREEMPT(which, at)                                                          \
    { "preempt", "yes: running jobs are preempted if their " which, "", 0, 0, 0, param_no_yes, at }

struct queueing_state;
struct discipline {
    struct line_key (*key)(struct sched *s, job_id j, const void *params);    /* of a waiting job */
    bool preempts;                /* a job may stop running jobs behind it in the order */
    bool tells_running;           /* key() also says by which key a running job stands */
    /* the key is the remaining run time (key_remaining): it falls while the job runs */
    bool shrinks;
    bool by_gpus;                 /* the key is remaining run time x GPUs (key_service) */
    bool reads_lines;             /* it looks at the lines itself: each job is there from its arrival on */
    /* The present key of a running job, if it has improved since the job started or was moved.
     * NULL: as when it started. */
    struct line_key (*present)(struct sched *s, const struct queueing_state *o, job_id j);
    /* With `present`: no later than the first time, from now on and while the job keeps its bound,
     * at which running job v may be behind job j with this key. TIME_NEVER: it will not be. */
    int64_t (*behind_ns)(struct sched *s, const struct queueing_state *o, job_id v, job_id j,
                         struct line_key key);
    /* With behind_ns: up to when `present` of running job v is sure to agree with it, but for its last
     * digits. Now: rounding may say anything. */
    int64_t (*sure_ns)(struct sched *s, const struct queueing_state *o, job_id v);
    /* Admission check of j against its queue. false: *why says why not. The answer is a matter of j
     * and of the GPUs that its queue holds. NULL: every job is admitted. */
    bool (*admits)(struct sched *s, job_id j, enum wait_reason *why);
    /* Starts j, which does not fit or is suspended, by preemption. false: nothing has changed, and
     * *why may say why not. NULL: as `preempts` says, and no job is ever suspended. */
    bool (*preempt_for)(struct sched *s, struct queueing_state *o, job_id j, enum wait_reason *why);
    /* The pass has started j. The keys of others may change now, not to before that of j. NULL: nothing to do. */
    void (*starting)(struct sched *s, struct queueing_state *o, job_id j);
};

/* The last job of a shape that failed for want of victims: what all running jobs that stood behind
 * it by their bounds free, of the first `seen` that were pushed (0: no such job, or too much to
 * keep). By their present keys only those in `maybe` may be behind it before until_ns. Where `of` is
 * a queue, of its jobs alone (hopeless.h). */
enum { MAYBE_KEPT = 16 };
struct pushed { job_id job; struct line_key key; };
struct hopeless {
    job_id job;
    struct line_key key;
    uint64_t seen;
    int64_t until_ns, frees_milli;
    queue_id of;                  /* whose limit held it; ID_NONE: none did */
    unsigned n_maybe;
    struct pushed maybe[MAYBE_KEPT];    /* with their bounds */
};

/* What is kept of a running job while it keeps its place. */
struct running_job {
    int64_t frees_milli;          /* an upper bound: a job that shares a GPU may be alone on it */
    /* with `behind_ns`: it is ahead of all jobs with such a `major` or a later one until then, and
     * `present` says so until sure_until_ns */
    double ahead_of;
    int64_t ahead_until_ns, sure_until_ns;
};
/* The order of running jobs by key, within which it holds as time goes by. */
struct running_group {
    shape_id shape;
    struct ranking order;
    struct running_job *job;      /* [n_jobs] by entry */
    size_t n_jobs;
    struct ranking_place next;    /* the next victim */
};
/* The running jobs of a queue or of the pool that may be preempted: one group, or with `by_gpus`
 * one for each shape, since they overtake each other. */
struct running {
    struct running_group *group;  /* [n_groups] by shape, ascending */
    size_t n_groups, capacity;
    uint64_t pass;                /* of the victims and the heap below */
    uint64_t touched;             /* the last pass in which all behind a job were touched, or are once something changes */
    /* [n_victims] from the end of the order, as many as the pass has asked for */
    struct victim *victim;
    size_t n_victims, victims_capacity;
    struct queue_head *heap;      /* [n_heap] the next victim of each group; scratch */
    size_t n_heap;
    /* [n_pushed modulo PUSHED_KEPT] the last that joined, or got a new key here */
    struct pushed *pushed;
    uint64_t n_pushed;            /* ever */
    struct hopeless *hopeless;    /* [n_hopeless] by shape */
    size_t n_hopeless;
};

struct queueing_line {
    struct line *waiting;
    /* The only job, which has come since the last pass and is not put in line before it fails: most start at once. ID_NONE: the
     * jobs stand in line. Not where jobs are preempted, or the discipline looks at the line itself. */
    job_id fresh;
    struct line_key fresh_key;
    bool listed;
    job_id blocked;               /* the last head that did not fit; ID_NONE */
    /* It is passed over: `blocked`, of the request `ask`, would fail again while it is the head and
     * GPUs are too few for the shape, or its queue holds as much. Only where each queue
     * has a line, its head blocks it, nothing is preempted, and no limit binds it. */
    enum { NOT_PARKED, PARKED_BY_SHAPE, PARKED_BY_QUEUE } parked;
    const struct request *ask;
    int64_t held_milli;
};
/* What the last pass tried in vain: standstill.h. */
struct standstill {
    bool possible, known;
    uint64_t room;                /* version of the room */
    struct stuck {
        job_id job;
        struct line_key key;
        struct line *waiting;
        struct running *r;        /* that it may preempt */
        int64_t lacks_milli;
        int64_t until_ns;         /* it fails until then, if none moves behind it */
        enum wait_reason why;
    } *stuck;                     /* [n] in the order of the tries, and of their keys */
    size_t n, capacity;
    /* Once all were looked at, after so many pushes: that all of them may preempt (NULL: not looked at yet, or
     * they differ), the first time of any, and how many pushes are known to be behind none. */
    struct running *r;
    uint64_t looked, seen;
    int64_t until_ns;
};
/* The first member of a discipline's state, if it has more. */
struct queueing_state {
    const struct discipline *discipline;
    const void *params;
    struct queueing_line *queue;  /* one, or one per queue */
    bool per_queue;
    queue_id *busy;               /* [n_busy] queues in which jobs may wait */
    size_t n_busy;
    struct lacking lacking;
    struct running *running;      /* [queues + 1] the last of the pool; NULL: no preemption */
    bool one_pool;                /* all are in the last: no line of its own, no nodes of its own for any queue */
    uint64_t pass;
    /* [n_evicted] scratch: stopped in this pass, not reinstated */
    struct evicted { job_id job; struct line_key key; } *evicted;
    size_t n_evicted, evicted_capacity;
    bool moved;                   /* one of these has been started anew elsewhere */
    /* Scratch, of this pass (preemption.h): tries not made yet; those that have failed, and would have
     * stopped and kept running jobs */
    struct tries {
        struct try { struct running *r; job_id job; struct line_key key; } *try;
        size_t n, capacity;
    } skipped, untouched;
    struct standstill still;
};

void queueing_begin(struct sched *s, struct queueing_state *o, const struct discipline *d,
                    const void *params);
void queueing_arrived(struct sched *s, struct queueing_state *o, job_id j);
void queueing_started(struct sched *s, struct queueing_state *o, job_id j);
void queueing_stopped(struct sched *s, struct queueing_state *o, job_id j);
/* The key of j, waiting or running, has changed. */
void queueing_moved(struct sched *s, struct queueing_state *o, job_id j);
/* That of j, which runs, has become later; with tells_running. */
void queueing_fell(struct sched *s, struct queueing_state *o, job_id j);
/* Serves all lines: a pass. true: jobs still wait. */
bool queueing_serve(struct sched *s, struct queueing_state *o);
/* The running jobs that j may preempt: those on nodes that it may use. A queue with nodes of its own
 * preempts only its own. */
struct running *queueing_victims_of(const struct sched *s, const struct queueing_state *o, job_id j);
/* All jobs that wait or run; scratch. */
const job_id *queueing_jobs(struct sched *s, const struct queueing_state *o, size_t *n);

/* Keys that more than one discipline uses. */
struct line_key key_submit(struct sched *s, job_id j, const void *params);
/* Needs SEES_RUN_TIME */
struct line_key key_remaining(struct sched *s, job_id j, const void *params);
/* Remaining run time x GPUs; needs SEES_RUN_TIME */
struct line_key key_service(struct sched *s, job_id j, const void *params);
/* Higher first, then by submit time. */
struct line_key key_priority(struct sched *s, job_id j, const void *params);

/* The callbacks of a discipline with a struct queueing_state as its state. */
#define QUEUEING_CALLBACKS(prefix, discipline)                                                     \
    static void prefix##_begin(struct sched *s, const void *params, void *state)                   \
    {                                                                                              \
        queueing_begin(s, state, discipline, params);                                              \
    }                                                                                              \
    static void prefix##_schedule(struct sched *s, const void *params, void *state)                \
    {                                                                                              \
        (void)params;                                                                              \
        queueing_serve(s, state);                                                                  \
    }                                                                                              \
    static void prefix##_arrived(struct sched *s, const void *params, void *state, job_id j)       \
    {                                                                                              \
        (void)params;                                                                              \
        queueing_arrived(s, state, j);                                                             \
    }                                                                                              \
    static void prefix##_started(struct sched *s, const void *params, void *state, job_id j)       \
    {                                                                                              \
        (void)params;                                                                              \
        queueing_started(s, state, j);                                                             \
    }                                                                                              \
    static void prefix##_stopped(struct sched *s, const void *params, void *state, job_id j, enum stop_cause why) \
    {                                                                                              \
        (void)params;                                                                              \
        (void)why;                                                                                 \
        queueing_stopped(s, state, j);                                                             \
    }
#define QUEUEING_TABLE(prefix)                                                                     \
    .abi = POLICY_ABI, .state_size = sizeof(struct queueing_state), .begin = prefix##_begin,       \
    .schedule = prefix##_schedule, .job_arrived = prefix##_arrived,                                \
    .job_started = prefix##_started, .job_stopped = prefix##_stopped
