/* slurm.h - the model of policy `slurm`: the main scheduler and the backfill scheduler of Slurm
 * 22.05, with partitions, QOS and limits of associations.
 *
 * A waiting job has an entry for each of its partitions that takes it: that is up, has no shorter
 * time limit, and could hold it on its nodes, no more of them than max_nodes; a job without any
 * waits for a limit. Entries go by the tier of the partition, then priority, then submit time, then
 * id (src/slurmctld/job_scheduler.c, build_job_queue, sort_job_queue2).
 *
 * The main scheduler starts entries in order. One that finds no room blocks its partition, and all
 * nodes of the partition leave the pass, for other partitions too (_schedule), unless it is too
 * young or has too low a priority to reserve anything. Backfill plans each
 * entry in order: its start by the limits of running jobs, and a reservation of whole nodes for
 * that time; what can start at once without touching a reservation starts. Reservations live for
 * one cycle (src/plugins/sched/backfill/backfill.c, _attempt_backfill). A job that a limit holds
 * blocks nothing and reserves nothing. It counts in partition_job_depth: behind as many of them,
 * others wait for the same limits.
 *
 * Times are whole seconds, counted from time 0 of the trace; a pass at a fraction of a second is
 * made at the next whole one. The time limit of a job is its estimate in whole minutes, rounded up;
 * else the default time of its first partition, else the longest of its partition, else a year.
 *
 * Nodes are chosen by weight and by CPUs that the job could use, never by GPUs (_eval_nodes of
 * src/plugins/select/cons_tres). A task without CPUs takes part as one CPU there. GPUs are whole:
 * jobs that share GPUs, ask for MIG instances or require a level of topology are refused. The placer
 * has no say.
 *
 * Tasks of several kinds are the components of a heterogeneous job. Backfill plans them one after
 * the other, each no earlier than those before it and on nodes of its own, and if all could start now
 * starts them together when the cycle ends (_het_job_start_set, _het_job_start_test). The main
 * scheduler never starts such a job, which blocks its partition; without backfill it is refused. It
 * stops no others. Its priority is that of its first component.
 *
 * The nodes of jobs that were told to stop are `completing` for the rest of that second: nothing
 * starts there (src/slurmctld/node_scheduler.c). A job that was requeued has a new submit time, and
 * is not eligible before requeue_delay_s.
 *
 * Entries stay from pass to pass, in order: a job that comes or goes costs its own, and all are put
 * in order anew only when priorities are computed. Entries of one shape in one partition are of one
 * kind, and share the answer whether what is free now might do (kinds.c): a main pass looks at what it
 * has told already no more, and once all partitions are blocked only for what it has not told; a cycle
 * of backfill plans no further than to the last entry that might start. What is free stays, too, and
 * only nodes that have changed are looked at again (room.c).
 *
 * What a cycle of backfill reserves, and when running jobs make room for a plan: space.h, ends.h.
 *
 * All arrays here live as long as the run or are scratch of a pass. */
#pragma once
#include "policies/slurm/batch.h"
#include "sim/contract/site.h"

#define SECONDS_NEVER INT64_MAX
enum { SCHEDULER_BACKFILL, SCHEDULER_BUILTIN };
enum { PRIORITY_BASIC, PRIORITY_MULTIFACTOR };
enum { PREEMPT_NONE, PREEMPT_PARTITION, PREEMPT_QOS };
enum { MODE_OFF, MODE_REQUEUE, MODE_CANCEL, MODE_SUSPEND };

struct slurm_params {
    struct batch_params batch;
    double scheduler, batch_sched_delay, sched_interval, default_queue_depth, partition_job_depth,
        sched_max_job_start, assoc_limit_stop;
    double bf_interval, bf_window, bf_resolution, bf_max_job_test, bf_max_job_part, bf_max_job_user,
        bf_max_job_start, bf_node_space_size, bf_window_linear, bf_one_resv_per_job,
        bf_min_age_reserve, bf_min_prio_reserve;
    double priority, w_age, w_assoc, w_fairshare, w_jobsize, w_partition, w_qos, w_tres_gpu,
        max_age_s, favor_small;
    double preempt, preempt_mode, exempt_s, preempt_reorder_count, preempt_strict_order,
        preempt_youngest_first, requeue_delay_s, kill_wait_s, clock_s;
};

/* The policy's own of a job. */
struct slurm_job {
    struct batch_job batch;       /* priority: without the parts that depend on the partition */
    int64_t submit_ns;            /* of the last submission: a requeue is one */
    int64_t eligible_ns;
    int64_t spare_s;              /* no further victims for it before */
    int64_t told_s;               /* the pass that told others to stop for it */
    uint32_t told_in;             /* as an entry of this partition */
    int64_t killed_ns;            /* told to stop, with a grace, that ends then; 0: not told */
    int64_t start_ns, limit_s;    /* of the run that began last, in this pass too */
    uint32_t partition;           /* in which that began */
    bool known, planned;          /* submitted before; a cycle has reserved nodes for it */
    bool judged;                  /* `never` is computed */
    bool listed;                  /* it has entries */
    uint64_t *never;              /* partitions that, empty, could not hold it; NULL: none */
};

struct entry {
    job_id job;
    uint32_t partition;
    double tier, priority;
    int64_t submit_ns;
    uint32_t kind;
    bool alone;                   /* its job has no other */
    uint8_t told;                 /* enum wait_reason, the last that was told; WAIT_REASONS: none, or not alone */
    size_t odd_at;                /* among the odd, unless WAIT_ORDER was told last */
    struct entry *next_free;      /* of one that is none now */
};

/* What of each node is free: [nodes]; of all GPUs (room.c). */
struct room {
    int64_t *gpus, *cpu_milli, *mem_mib, all_gpus;
    uint64_t *at_least;           /* [words][levels] nodes with 1, 2, ... levels GPUs or more */
    uint32_t levels, n_beyond;    /* n_beyond: nodes with more GPUs than levels */
    bool counts_cpus, counts_memory;             /* of some node they are known */
};
static inline uint64_t room_at_least(const struct room *room, uint32_t word, uint64_t gpus)
{
    return gpus > room->levels ? 0 : room->at_least[(size_t)word * room->levels + gpus - 1];
}
/* So many tasks of a component on a node. */
struct seat { node_id node; uint32_t tasks; const struct need *of; };
struct seats { struct seat *at; uint32_t n; };

/* What a job, or a component of it, asks for, task by task; without tasks, GPU by GPU. */
struct need {
    const struct need *next;      /* the next component; NULL: none */
    const struct request *ask;    /* of this one alone */
    uint32_t tasks, gpus;         /* gpus of each task */
    uint32_t per_node;            /* most tasks of a node */
    uint32_t nodes;               /* the least that it needs */
    uint32_t most_nodes;          /* of the partition */
    int64_t cpu_milli, mem_mib, cpus;    /* of a task; cpus: whole, at least 1 */
};

/* What entries of one shape in one partition have in common. */
struct kind {
    struct need need;             /* of one component */
    uint32_t partition;
    size_t n, n_front;            /* entries; those among the first `front` of the queue */
    bool several;                 /* components: `need` says nothing */
    /* as of this version of the room: it might do */
    bool may_fit;
    uint64_t version;
    /* it was hopeless in the cycle of that second, as of that version of the room; 0: never */
    int64_t hopeless_s;
    uint64_t hopeless_version;
    /* in that cycle none that lasts as long may start any more */
    uint64_t kept_out_cycle;
    int64_t kept_out_length;
};
/* 1 + number of a kind, [n] by shape; 0: none. */
struct kinds_of { uint32_t *number; size_t n; };

struct slurm {
    struct batch batch;           /* first: policies/slurm/batch.h */
    const struct slurm_params *params;
    const struct site *site;      /* NULL: the cluster says nothing */
    uint32_t n_partitions, n_nodes, words;       /* words of a set of nodes */
    const struct partition_facts *partition;     /* those of the site, or one of all nodes */
    double top_factor, top_qos, top_association; /* the largest of each */
    int64_t *partition_gpus;      /* [partitions] */
    double all_cpus;
    uint64_t *up, *completing;    /* sets of nodes; completing: in this second */
    int64_t completing_s;
    /* since the last pass of each kind: something has happened; submit: nothing but submissions */
    bool main_due, full_due, backfill_due, only_submits;
    bool node_came;               /* or went, since the last pass at a whole second */
    int64_t main_s, full_s, backfill_s;          /* the last passes */
    int64_t eligible_ns;          /* the next job to become eligible */
    uint64_t room_seen;           /* sched_room_version() of the last pass */
    struct entry **queue;         /* [n_queue] in order, but for preemption by QOS; they stay where they are */
    size_t n_queue, queue_capacity, front;
    struct entry **odd;           /* [n_odd] those that were not told WAIT_ORDER last, in any order */
    size_t n_odd, odd_capacity;
    size_t *waiting;              /* [partitions] entries */
    struct entry *free_entry;     /* for the next that comes; NULL: none */
    job_id *came;                 /* [n_came] without entries, for which it is too early, or for want of a pass */
    size_t n_came, came_capacity;
    struct kind *kind;            /* [n_kinds] */
    size_t n_kinds, kinds_capacity;
    struct kinds_of *kinds_of;    /* [partitions] */
    struct room room;             /* as of the last pass that looked at nodes */
    struct room *empty;           /* the same if nothing ran; NULL until it is wanted */
    uint64_t *stale;              /* set of nodes of which `room` may be wrong */
    uint64_t room_version, room_grew;            /* at each change of `room`; at the last that was no start */
    uint64_t *breaks;             /* set of nodes with another weight than the one before; NULL: all have one */
    struct suits *suits;          /* room.c */
    uint64_t cycles;              /* of backfill so far */
    bool limits_gpus;             /* a limit on GPUs may hold a job, now or earlier */
    /* of the pass */
    int64_t now_s;
    struct entry **entry;         /* [n_entries] those of the queue */
    size_t n_entries;
    job_id *started;              /* [n_started] in this pass; in front of them run those that are charged */
    size_t n_started, started_capacity;
};

/* Jobs that run, those started in this pass behind the others. */
static inline size_t running_count(const struct slurm *m) { return m->batch.n_charged + m->n_started; }
static inline job_id running_job(const struct slurm *m, size_t i)
{
    return i < m->batch.n_charged ? m->batch.charged[i].job : m->started[i - m->batch.n_charged];
}

static inline bool set_has(const uint64_t *set, node_id n) { return set[n / 64] >> n % 64 & 1; }
static inline void set_add(uint64_t *set, node_id n) { set[n / 64] |= UINT64_C(1) << n % 64; }
static inline void set_remove(uint64_t *set, node_id n) { set[n / 64] &= ~(UINT64_C(1) << n % 64); }

/* ---- entries.c: the next job ---- */

double slurm_priority(struct sched *s, const struct batch *b, job_id j, const void *params);
/* A job that waits from now on; one that does no more. */
void slurm_comes(struct sched *s, struct slurm *m, job_id j);
void slurm_goes(struct sched *s, struct slurm *m, job_id j);
/* m->entry, for the pass: those that may be considered now, in order. Jobs that cannot be planned are refused. anew: the
 * priorities of a new period. */
void slurm_entries(struct sched *s, struct slurm *m, bool anew);
size_t slurm_place(const struct slurm *m, const struct entry *e);        /* in m->queue, where it stands, or would */
/* Why its job waits. */
void slurm_tell(struct sched *s, struct slurm *m, struct entry *e, enum wait_reason why);
/* In seconds. */
int64_t slurm_limit_s(const struct sched *s, const struct slurm *m, job_id j, uint32_t partition);
/* The end of a running job by its limit. */
int64_t slurm_end_s(struct sched *s, job_id j);
/* Too young, or of too low a priority, to keep nodes from others. */
bool slurm_reserves_nothing(struct sched *s, const struct slurm *m, const struct entry *e);

/* ---- kinds.c: what entries have in common ---- */

uint32_t slurm_kind(struct sched *s, struct slurm *m, job_id j, uint32_t partition);
/* false: what is free now would not do for any of the kind, with all nodes of its partition. */
bool slurm_may_fit(struct sched *s, struct slurm *m, uint32_t kind);
/* The same of all kinds that have entries, or that have some in front; true, too, if these have several components. */
bool slurm_something_may_fit(struct sched *s, struct slurm *m, bool in_front);
/* m->queue[at] has come, or is about to go; all are in another order. */
void slurm_kinds_come(struct slurm *m, size_t at);
void slurm_kinds_go(struct slurm *m, size_t at);
void slurm_kinds_count(struct slurm *m);

/* ---- nodes.c: where ---- */

bool slurm_can_plan(const struct slurm *m, const struct job_facts *f);
struct need slurm_need(struct sched *s, job_id j);           /* in any partition */
struct need slurm_need_in(struct sched *s, const struct slurm *m, job_id j, uint32_t partition);
/* All nodes of the partition, empty and up, could hold j, each component on nodes of its own, as
 * backfill plans them. */
bool slurm_could_hold(struct sched *s, struct slurm *m, job_id j, uint32_t partition);
/* Nodes of `among` for all components, each on nodes of its own, from what is free in `room`; scratch. false:
 * they do not suffice. */
bool slurm_select(struct sched *s, struct slurm *m, const struct need *need, const uint64_t *among, struct room *room,
                  struct seats *to);
/* Starts all components of the entry on what slurm_select() has found among these nodes; a node that the world refuses is
 * left out, and others are looked for. false: nowhere. */
bool slurm_start(struct sched *s, struct slurm *m, const struct entry *e, const uint64_t *among, const struct seats *found);
/* Nodes of `among` have room for so many tasks, whatever else has a say: without it slurm_select() finds none, though
 * it had fewer nodes or less room. */
bool slurm_might_select(struct sched *s, struct slurm *m, const struct need *need, const uint64_t *among,
                        const struct room *room);
/* GPUs alone say that slurm_select() finds none. */
bool slurm_too_few_gpus(const struct slurm *m, const struct need *need, const uint64_t *among, const struct room *room);
uint64_t *slurm_set(struct sched *s, const struct slurm *m, const uint64_t *copy_of);    /* scratch */
uint64_t *slurm_set_of(struct sched *s, const struct slurm *m, const struct seats *on);   /* scratch */
uint32_t slurm_set_count(const struct slurm *m, const uint64_t *set);
bool slurm_on(struct sched *s, job_id j, const uint64_t *set);           /* j holds a node of it */
/* Takes out of a set the nodes that announced maintenance and reservations deny to j, of that length,
 * from start on; asks for a pass when the first is over, and returns that time. 0: none is. In seconds. */
int64_t slurm_outages(struct sched *s, job_id j, int64_t start, int64_t length, uint64_t *set);

/* ---- room.c: what is free ---- */

void slurm_room_begin(struct sched *s, struct slurm *m);
void slurm_room(struct sched *s, struct slurm *m);           /* m->room, m->up: what is free now */
struct room *slurm_empty_room(struct sched *s, struct slurm *m);
/* As if j had ended; sign -1 takes that back. */
void slurm_room_give(struct sched *s, struct room *room, job_id j, int sign);
/* So many more are free; of GPUs alone. */
void slurm_room_gpus_add(struct room *room, node_id n, int64_t gpus);
/* Those that are free on these nodes. */
int64_t slurm_room_gpus(const struct slurm *m, const struct room *room, const uint64_t *nodes);
void slurm_seat(struct room *room, const struct seat *at, int sign);     /* takes what it takes; -1: gives it back */
/* In m->room: a job has started there in this pass; j is about to be stopped in it. */
void slurm_room_started(struct slurm *m, const struct seats *on);
void slurm_room_stopped(struct sched *s, struct slurm *m, job_id j);
/* The nodes that suit it, up or not. O(kinds). */
const uint64_t *slurm_suits(struct sched *s, struct slurm *m, const struct request *ask);

/* ---- limits.c: how much ---- */

/* Limits on jobs and times, tested before nodes are looked for. */
bool slurm_limits_before(struct sched *s, const struct slurm *m, const struct entry *e);
/* Limits on GPUs, tested once nodes are found. */
bool slurm_limits_after(struct sched *s, const struct slurm *m, const struct entry *e);
uint32_t slurm_qos(const struct sched *s, job_id j);         /* ID_NONE: none */
/* Some QOS, association or queue has a limit on GPUs. */
bool slurm_limits_gpus(struct sched *s, const struct site *site);

/* ---- victims.c: at the cost of which jobs ---- */

/* Running jobs that may be stopped for the entry, in their order; scratch. Those of mode suspend are
 * behind the first *n_removed, which leave their nodes when they are stopped. */
size_t slurm_candidates(struct sched *s, struct slurm *m, const struct entry *e, job_id **to,
                        size_t *n_removed);
/* Tells jobs to stop so that the entry fits; it starts in a later pass. false: none are enough. */
bool slurm_preempt(struct sched *s, struct slurm *m, const struct entry *e, const uint64_t *among);
/* In this pass jobs were told to stop for another entry of its job: this one is passed over. */
bool slurm_preempts_elsewhere(struct sched *s, const struct slurm *m, const struct entry *e);
/* Stops the jobs with their grace over. */
void slurm_kill(struct sched *s, struct slurm *m);

/* ---- passes ---- */

void slurm_main(struct sched *s, struct slurm *m, bool full);
void slurm_backfill(struct sched *s, struct slurm *m);
