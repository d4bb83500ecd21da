/* batch.h - the base of Slurm's orders: usage that is charged and decayed, priorities that are
 * computed at submission and then once a period, and do not change in between (Slurm's decay
 * thread).
 *
 * At each multiple of the period since the first submission, first all usage decays by (1 - 0.693 /
 * half life) a second, then every running job is charged the GPU-seconds since the last one, then
 * accounts are ranked and the priorities of waiting jobs computed. A job that stops is charged at
 * once (SchedMD/slurm:src/plugins/priority/multifactor/priority_multifactor.c). Jobs that differ in
 * their age alone are a group, of which only the first has its priority computed, and of groups of one
 * shape only the best stands in the line by it (groups.h). So a period costs O(running + accounts +
 * groups), and a few pushes for each shape.
 *
 * Accounts are the queues, with their weights as shares. Users are the leaves below the queue of
 * their jobs, one share each, known from their first job on, which ranks all accounts again. A
 * queue with no known user is itself a leaf; beside known users the unknown ones are one user. Of that
 * ranking mostly the factor of the one user is wanted alone, and computed alone (accounts.h).
 *
 * Where the cluster file has accounts (sim/contract/site.h), these are the tree, with its users and
 * their shares; a user that it does not have is known from its first job on, with one share of the
 * account, or beside the accounts if that is unknown. */
#pragma once
#include "policies/slurm/accounts.h"
#include "policies/common/queueing.h"

/* The first member of both. */
struct batch_params { struct queueing_params queueing; double calc_period_s, half_life_s; };
#define BATCH_PARAMS                                                                               \
    QUEUEING_PARAM_SCOPE, QUEUEING_PARAM_BLOCKING(BLOCKING_STRICT),                                \
        { "calc_period_s", "time between computations of usage and priorities", "s", 1, 86400, 300, NULL, \
          offsetof(struct batch_params, calc_period_s) },                                          \
        { "half_life_s", "half-life of usage; 0: it does not decay", "s", 0, 1e9, 604800, NULL,    \
          offsetof(struct batch_params, half_life_s) }

/* The policy's own of a job; at: among the charged. */
struct batch_job {
    double priority;
    uint32_t account, at;         /* at: also among those that wait to join a group */
    uint32_t group;               /* 0: none */
    bool hidden;                  /* behind another of its group */
};
struct batch;
struct groups;
/* What the priority depends on besides age, account and shape. */
struct batch_traits { int64_t priority, estimate_ns; };
/* What it takes from these and the shape, while so many GPUs are up. */
struct batch_fixed { double gpus_milli, term[3]; };
struct batch_order {
    /* the greater first */
    double (*priority)(struct sched *s, const struct batch *b, job_id j, const void *params);
    /* NULL: they have no say in it, and are 0 */
    void (*factors)(struct account *a, uint32_t n, struct account **room);
    /* NULL: the order keeps its jobs beside the line, without groups */
    struct batch_traits (*traits)(struct sched *s, job_id j, const void *params);
    /* The same priority in two steps, as jobs of a group share the first: from the terms, the time of submission and the factor of
     * the user. NULL: in one. */
    void (*fixed)(struct sched *s, const struct batch *b, job_id j, const void *params, struct batch_fixed *to);
    double (*sum)(const struct batch *b, const struct batch_fixed *fixed, int64_t submit_ns, double factor, const void *params);
};
/* A running job; charged until since_s. */
struct charged { job_id job; double gpus, since_s; };
/* queue: or account above it; account NO_ACCOUNT: a free slot */
struct leaf { queue_id queue; uint32_t user, account; };
/* The leaf of unknown users, or NO_ACCOUNT; has any other. */
struct queue_leaves { uint32_t unknown; bool known; };
struct batch {
    struct queueing_state queueing;
    struct batch_order order;
    struct account *account;      /* [0] the root, then the queues, then the users */
    uint32_t n_accounts;
    size_t account_capacity, room_capacity;
    struct account **room;
    struct queue_leaves *leaves;  /* [queues]; NULL: accounts are those of the cluster file */
    struct leaf *slot;            /* open addressing, by (queue, user) */
    uint32_t n_slots, n_leaves;
    struct charged *charged;
    uint32_t n_charged;
    size_t charged_capacity;
    double period_s, decay;       /* decay: factor of a period */
    int64_t period_ns, computed;  /* the last multiple that has been computed */
    int64_t settled;              /* that of which waiting jobs have their priorities */
    /* when the run began: multiples count from there, and so do the seconds of this struct */
    int64_t origin_ns;
    double at_s;                  /* the time of the priority that is being computed */
    double gpus_milli;            /* that were up then */
    double period_gpus_milli;     /* as this period began */
    bool of_period;               /* factors of accounts are those of then */
    struct groups *groups;        /* NULL: none */
    bool unranked;                /* an account has come since accounts were ranked */
    /* Of a fair tree: accounts of which that ranking has to count something anew, [n_changed], or all of them; and it has been
     * counted, but ranks are those of an earlier one */
    uint32_t *changed;
    size_t n_changed, changed_capacity;
    bool all_changed, stale;
    bool unsorted;                /* waiting jobs still have the priorities of an earlier period */
};
/* Of its user, as of the time of the priority that is being computed. */
double batch_factor(const struct batch *b, struct sched *s, job_id j);

void batch_begin(struct sched *s, struct batch *b, struct batch_order order, const void *params);
void batch_arrived(struct sched *s, struct batch *b, job_id j);
void batch_started(struct sched *s, struct batch *b, job_id j);
void batch_stopped(struct sched *s, struct batch *b, job_id j);
void batch_withdrawn(struct sched *s, struct batch *b, job_id j);
void batch_serve(struct sched *s, struct batch *b);
int64_t batch_next_ns(const struct batch *b);                /* the next multiple */
/* In place of it, for an order that keeps its jobs beside the line: usage of the last multiple. true: the
 * priorities of waiting jobs are those of an earlier one, and each wants batch_prioritise. */
bool batch_catches_up(struct sched *s, struct batch *b);
/* By what was known as the period began. false: its priority is what it was. */
bool batch_prioritise(struct sched *s, struct batch *b, job_id j);
/* The same of a job of that account by its fixed terms, which are made anew if need be; it has order.sum. */
double batch_sum(struct sched *s, struct batch *b, job_id j, uint32_t account, int64_t submit_ns, struct batch_fixed *fixed);
struct line_key batch_key(struct sched *s, job_id j, const void *params);    /* by its priority */

/* The callbacks of an order with a struct batch as its state. */
#define BATCH_CALLBACKS(prefix)                                                                    \
    static void prefix##_schedule(struct sched *s, const void *params, void *state)                \
    {                                                                                              \
        (void)params;                                                                              \
        batch_serve(s, state);                                                                     \
    }                                                                                              \
    static void prefix##_arrived(struct sched *s, const void *params, void *state, job_id j)       \
    {                                                                                              \
        (void)params;                                                                              \
        batch_arrived(s, state, j);                                                                \
    }                                                                                              \
    static void prefix##_started(struct sched *s, const void *params, void *state, job_id j)       \
    {                                                                                              \
        (void)params;                                                                              \
        batch_started(s, state, j);                                                                \
    }                                                                                              \
    static void prefix##_stopped(struct sched *s, const void *params, void *state, job_id j, enum stop_cause why) \
    {                                                                                              \
        (void)params;                                                                              \
        (void)why;                                                                                 \
        batch_stopped(s, state, j);                                                                \
    }                                                                                              \
    static void prefix##_withdrawn(struct sched *s, const void *params, void *state, job_id j)     \
    {                                                                                              \
        (void)params;                                                                              \
        batch_withdrawn(s, state, j);                                                              \
    }
#define BATCH_TABLE(prefix)                                                                        \
    .abi = POLICY_ABI, .state_size = sizeof(struct batch), .job_size = sizeof(struct batch_job), .begin = prefix##_begin, \
    .schedule = prefix##_schedule, .job_arrived = prefix##_arrived, .job_started = prefix##_started, \
    .job_stopped = prefix##_stopped, .job_withdrawn = prefix##_withdrawn
