/* run.h - one run: a workload on a cluster under a policy and a placer, and what came of it.
 *
 *   struct run_setup setup = { .cluster = c, .workload = w, .policy = &fifo_policy, .placer = &pack_placer, ... };
 *   struct sched *s = run_new(&setup, &err);
 *   run_execute(s, &err);  ... run_job(s, j), run_totals(s) ...
 *   run_free(s);
 *
 * One thread, no globals: any number of runs may share a cluster and a bound workload. */
#pragma once
#include "sim/base/error.h"
#include "sim/base/units.h"
#include "sim/cluster/cluster.h"
#include "sim/contract/policy.h"
#include "sim/engine/life.h"
#include "sim/workload/estimates.h"
#include "sim/workload/workload.h"

#include <stdatomic.h>

struct interval;
struct run_model;
/* Called for what happens, in the order in which it happens. Any may be NULL. */
struct run_observer {
    void *self;
    void (*interval)(void *self, const struct interval *i);       /* an allocation ended */
    void (*decision)(void *self, job_id j, int64_t now_ns, const char *kind, const char *decision, const char *reason);
    void (*tentative)(void *self, job_id j, const struct placement *p);    /* at the end of a pass: it was allocated tentatively */
    void (*row)(void *self, const struct run_model *m, const void *row);   /* a line of the model's own file (models.h) */
    void (*instant)(void *self, const struct sched *s);           /* after the last pass of an instant that changed something */
    /* Jobs below `end` have gone, or the run was cut off: nothing changes any more of what run_job_read() tells of them, and another
     * thread may ask for it from now on, while the run goes on. `end` is a multiple of final_block, or all; it rises from call to call. */
    void (*final)(void *self, job_id end);
    job_id final_block;           /* 1 to 65,535; of `final` alone */
};
struct interval {                 /* a job's hold on its pieces, from start to release */
    job_id job;
    const struct placement *pieces;
    int64_t start_ns, end_ns;
    job_id for_job;               /* preempted, moved or broken: for this job, if the policy named one; else ID_NONE */
    const char *why;              /* done failed cancelled preempted moved cutoff; resized; broken: a task of the gang was
                                     stopped; gang: held until now without its minimum; saved: a task of a broken gang has left;
                                     left: was leaving when it was submitted; suspended */
};

/* At that time, after all that happens then and before the pass, this policy takes over from the one in force. See switch.h. */
struct policy_switch {
    int64_t time_ns;              /* TIME_NEVER: not by itself, see run_switch_at() */
    const struct policy *policy;
    const void *params;           /* NULL: defaults */
    int64_t period_ns;            /* of its passes; 0: whenever something changed */
};
/* Of a trace that several runs share (router.h). All NULL: this run has every job. */
struct run_part {
    void *self;
    bool (*takes)(void *self, job_id j);    /* asked when it arrives; false: it stays JOB_ABSENT and is in no row */
    void (*ended)(void *self, job_id j, int64_t run_ns);      /* completed, failed or cancelled, after that time with GPUs */
};
/* Quantiles of jobs that the summary has beside its own: of[.][NN] is NN percent (sim/results/quantiles.h). */
enum { QUANTILE_JCT, QUANTILE_WAIT, QUANTILE_SLOWDOWN, QUANTILE_BOUNDED, QUANTILES_OF, QUANTILE_PERCENTS = 100 };
struct quantiles_wanted { bool of[QUANTILES_OF][QUANTILE_PERCENTS]; };
struct run_setup {
    const struct cluster *cluster;
    struct workload *workload;
    const struct policy *policy;
    const void *policy_params;    /* of policy->params_size; NULL: defaults */
    const struct placer *placer;
    const void *placer_params;
    const struct policy_switch *switches;    /* no two at one time; borrowed */
    size_t n_switches;
    uint64_t seed;
    int64_t until_ns;             /* cut-off; 0: run to the end */
    uint32_t warmup_jobs;         /* so many, the first that come, are in no mean or quantile of jobs (models.md 10.6) */
    struct early *early;          /* of a workload that is `begun` (sim/workload/early.h); NULL: all of it is there */
    struct quantiles_wanted quantiles;
    struct estimates estimates;   /* how those of the workload were made, or the rule that predicts them in the run; {0}:
                                     as submitted */
    uint64_t fruitless_most;      /* passes after which a run may be in a livelock (livelock.c); 0: 20,000 */
    bool check;                   /* recompute the indexes at every instant: slow, for tests */
    const struct run_model *const *models;    /* of the physical world, ends with NULL; NULL: all there are (sim/physics/physics.h) */
    struct run_observer observer;
    struct run_part part;
    const atomic_bool *interrupted;    /* NULL: never; set: run_execute() returns -1 with "interrupted" */
    void (*progress)(void *self, const struct sched *s);          /* called now and then; NULL: not wanted */
    void *progress_self;
};

/* Maps queue names of the workload to queues of the cluster: once, before the first run. A cluster that takes its
 * queues from the trace gets them here. -1 with err: a queue of the trace that the cluster does not have. */
int run_bind(struct cluster *c, struct workload *w, struct error *err);
/* To that cluster a workload may be bound of which not all jobs are there (sim/workload/early.h), if its queues are numbered as those
 * of the cluster: what its names and requests become does not depend on jobs. */
bool run_binds_early(const struct cluster *c);

/* Can its policies be in one run? -1 with err: what one of them needs excludes what another does. */
int run_check_policies(const struct run_setup *setup, struct error *err);
struct sched *run_new(const struct run_setup *setup);        /* of policies that passed that check; NULL: setup->early, and the
                                                                 run would look at jobs before they arrive */
/* Of a shape, before or after the run: why its jobs can never run, NULL if they can; and how many GPUs there are on nodes
 * that they may use. */
const char *run_never(const struct sched *s, shape_id shape);
int64_t     run_shape_gpus(const struct sched *s, shape_id shape);
/* 0: the trace was played to its end (or to the cut-off). -1 with err: the policy stalled or is in a livelock (the rule:
 * livelock.c), an identity was broken, or it was interrupted. RUN_BAD_INPUT with err: a job cannot run where the trace says
 * that it does. */
#define RUN_BAD_INPUT (-2)
/* And, of a workload that is begun early, without err: the run cannot be of this workload, and is of no use. */
#define RUN_MISSED (-3)
int  run_execute(struct sched *s, struct error *err);
/* Plays what happens before that time, and stops there; run_execute() goes on, and all comes out as without the stop. So a process
 * that forks there has several futures of one past. TIME_NEVER: all of it, and only run_end() is left. 0, or as run_execute(). */
int  run_until(struct sched *s, int64_t time_ns, struct error *err);
/* What run_execute() does once all is played: the end, at end_ns, or now if that is past. Until then whatever goes on without jobs
 * does (faults, pools, wake-ups). After run_until(TIME_NEVER). */
int  run_end(struct sched *s, int64_t end_ns, struct error *err);
/* Switch i of the setup comes at that time, or now if that is past; TIME_NEVER: not at all. */
void run_switch_at(struct sched *s, size_t i, int64_t time_ns);
bool run_pass_is_due(const struct sched *s);                    /* something has changed that no pass has met */
void run_free(struct sched *s);

/* ---- What came of it ---- */
struct job_result {
    enum job_state state;
    enum job_outcome outcome;
    int64_t submit_ns;            /* of a job on demand: the first time; JOB_ABSENT: it never was */
    int64_t start_ns, end_ns;     /* -1: not (yet) */
    int64_t wait_ns, run_ns;      /* all time in queue; all time with GPUs. jct = wait + run */
    int64_t lost_ns, overhead_ns; /* parts of run_ns: progress that was rolled back; starting and saving */
    int128_t held;                /* milli-GPU ns, and parts of it: */
    int128_t lost, overhead;      /* progress that was rolled back; starting, saving, and waiting for the rest of a gang */
    int64_t waits[WAIT_REASONS];  /* parts of wait_ns, exactly */
    int64_t fairness_micro;       /* finish-time fairness in millionths; -1: not ended, or no service time */
    uint32_t preemptions, restarts;
    uint8_t distance;             /* class of the last placement; 255: never placed */
    const char *refusal;          /* NULL: not refused */
};
struct job_result run_job(const struct sched *s, job_id j);
/* The same, without a copy. */
void run_job_read(const struct sched *s, job_id j, struct job_result *to);
bool run_takes(const struct sched *s, job_id j);              /* false: it is another part's */

/* The same, at little cost. */
/* Jobs on demand have none: the cluster does not decide when they end. */
struct run_times { bool ended; int64_t jct_ns, wait_ns, fairness_micro; };    /* ended: completed, failed or cancelled, and no warm-up */
struct run_times run_times(const struct sched *s, job_id j);

/* Of GPU time, each instant of each GPU exactly one; the rest is free. */
enum account {
    ACCOUNT_START, ACCOUNT_USEFUL, ACCOUNT_LOST, ACCOUNT_SAVE, ACCOUNT_GANG,
    ACCOUNT_CHECKPOINT,           /* stalled by writing a checkpoint */
    ACCOUNT_FAULT,                /* held after a fault, before it was found */
    ACCOUNT_IDLE,                 /* held by a session that runs nothing */
    ACCOUNT_QUIET,                /* held by a replica that serves nothing */
    HELD_ACCOUNTS,                /* until here a job holds it */
    ACCOUNT_DOWN = HELD_ACCOUNTS, /* broken, in maintenance, off or not there */
    ACCOUNTS
};
/* Requests of the policy that the world refused, by verb and reason. */
enum run_verb { VERB_START, VERB_STOP, VERB_KEEP, VERB_RESIZE, VERB_REFUSE, VERB_PENCIL, VERB_WAKE, VERBS };
extern const char *const run_verb_name[VERBS];
struct run_refusals { uint64_t n; job_id first; int64_t first_ns; };    /* first: ID_NONE: it was about no job; of n > 0 */
struct run_totals {
    int64_t first_ns, last_ns;    /* first submit, last end (or the cut-off): the interval of all averages */
    uint32_t completed, failed, cancelled, rejected, running, pending;    /* cancelled: `unmet`, too */
    uint32_t unmet;               /* before they arrived, as a dependency can never be met */
    uint32_t not_requeued;        /* failed at a stop, as they may not be requeued again */
    uint64_t starts, preemptions, moves, resizes, passes, events;
    struct run_refusals refused[VERBS][SCHED_RESULTS];
    uint64_t sight_refused;       /* questions for the true run time without SEES_RUN_TIME */
    int128_t capacity;            /* milli-GPU ns that were up */
    int128_t installed;           /* milli-GPU ns, up or not */
    int128_t held;                /* milli-GPU ns occupied, summed up over time */
    int128_t account[ACCOUNTS];   /* milli-GPU ns */
    int128_t in_system, waiting;  /* integrals of the number of jobs, ns */
    int128_t contending;          /* integral of the number of queues that have a job in the system, ns */
    int128_t gpus_waiting;        /* milli-GPU ns */
    int128_t free_while_waiting;  /* free milli-GPU ns while at least one job waited */
    uint32_t without_estimate;    /* jobs of the trace that had none as they arrived, where a policy planned; else 0 */
    uint32_t scattered;           /* jobs of the trace with a total of GPUs that a node has, spread over several when they last ran */
    job_id first_scattered;       /* of these, the first in the trace */
    uint32_t never_started;       /* pending at the end for quota, limit or a dependency, or behind a deadlock */
    uint32_t deadlocked;          /* hold part of a gang at the end, and nothing will ever be free again */
    bool clairvoyant, cut_off;
};
const struct run_totals *run_totals(const struct sched *s);
uint64_t run_refused(const struct run_totals *t, unsigned why);    /* all verbs; why: enum sched_result */
int128_t run_node_account(const struct sched *s, node_id n, enum account a);               /* milli-GPU ns */

/* Why the policy stopped a job, as far as the world can tell: by where it went, and the job that the policy named. */
enum preemption_cause {
    PREEMPTED_RECLAIM,            /* for a job of another queue */
    PREEMPTED_PRIORITY,           /* for a job of its own queue */
    PREEMPTED_MOVE,               /* started elsewhere in the same pass, for whomever */
    PREEMPTED_BROKEN,             /* it fell below its minimum: one of its tasks was stopped, for no named job */
    PREEMPTED_POLICY,             /* for no named job */
    PREEMPTION_CAUSES
};
extern const char *const preemption_cause_name[PREEMPTION_CAUSES];    /* reclaim preempt move broken policy */
struct run_preemptions { uint64_t n; int128_t lost; };        /* lost: milli-GPU ns of work rolled back */
const struct run_preemptions *run_queue_preemptions(const struct sched *s, queue_id q);    /* [PREEMPTION_CAUSES] of jobs of q
                                                                 itself, which has no queues below it */

/* What a queue was owed and what it got, in milli-GPU ns; quotas.c says what each is. */
struct run_quota {
    bool used;                    /* it, or a queue below it, has jobs in the trace */
    bool deserves;                /* it has a deserved quota; without one deserved_milli is the cluster */
    int64_t deserved_milli, fair_milli;
    int64_t reported_milli;           /* the last fair share that the policy reported; -1: none */
    int128_t held, owed, satisfied, fair, borrowed, unused;
};
const struct run_quota *run_queue_quota(const struct sched *s, queue_id q);
/* The times in which a queue with a deserved quota held less than it was owed, one after the other. */
struct run_reclaim { int64_t start_ns, end_ns; bool open; };  /* open: at the end of the run, still */
size_t run_queue_reclaims(const struct sched *s, queue_id q, const struct run_reclaim **list);

/* As of now, for observers. */
struct run_level { int64_t now_ns; int64_t gpus_milli, busy_milli, waiting_milli, up_milli; uint32_t running, waiting, done;
                   uint64_t of_models; };    /* counts changes that only models report */
struct run_level run_level(const struct sched *s);
struct run_queue_level {
    int64_t gpus_milli, demand_milli;
    int64_t fair_milli;           /* as the policy reported it; -1: it has not */
    int64_t deserved_milli;       /* in force; UNLIMITED: it has no deserved quota */
};
struct run_queue_level run_queue_level(const struct sched *s, queue_id q);
size_t run_changed_queues(const struct sched *s, const queue_id **queues);    /* since the last instant */
extern const char *const sched_result_name[SCHED_RESULTS];
extern const char *const wait_reason_name[WAIT_REASONS];     /* "order", "limit", ... */
const struct run_setup *run_setup_of(const struct sched *s);
/* Jobs below `end` are final (run_observer.final), and were asked for: of many jobs, what became of these goes to a file. By the thread
 * that asked. */
void run_read_to(const struct sched *s, job_id end);
void run_drop(const struct sched *s, job_id j) __attribute__((cold));
/* workload_pass() of a walk that reads what became of the jobs, too. */
static inline void run_pass(const struct sched *s, job_id j)
{
    if (bulk_turns(j))
        run_drop(s, j);
}
const void *run_policy_params(const struct sched *s);         /* of the first; with the defaults filled in */
const void *run_switch_params(const struct sched *s, size_t i);
const void *run_placer_params(const struct sched *s);
