/* attained.h - disciplines by attained service: an account per job, and a wake-up at the moment
 * when its place in the order changes.
 *
 * Service is seconds of running (start-up and work that is lost later included), or GPU-seconds. It
 * passes through stages 0, 1, ...; within a stage the key of a job stays as it is. */
#pragma once
#include "policies/common/queueing.h"
#include "policies/common/timers.h"

struct account {                  /* of a job: what the policy's table has as job_size; what a move reads comes first */
    struct line_key key;
    int64_t entered_ns;           /* when it entered its stage */
    int64_t since_ns;             /* start of the present stretch; -1: not running */
    /* running time since it arrived or was promoted, without the present stretch */
    int64_t had_ns;
    double rate;                  /* service that comes with one second of running; 0: not looked up yet, or none */
    uint32_t stage;
    uint32_t near;                /* of the rule: about where its service lies */
    bool known;                   /* it has arrived before */
    int64_t last_ran_ns;
    int64_t waited_ns;            /* since it has service, without the present wait */
};

struct attained;
struct attained_rule {
    /* its key is attained_key */
    struct discipline discipline;
    /* service; INFINITY: it is the last */
    double (*stage_end)(const struct attained *a, uint32_t stage);
    struct line_key (*key)(struct sched *s, const struct attained *a, job_id j,
                           const struct account *of);
};
struct attained {                 /* the first member of the policy's state */
    struct queueing_state queueing;
    const struct attained_rule *rule;
    struct timers timers;
    bool by_gpus;
    bool waits;                   /* jobs wait: it matters when a job leaves its stage */
    /* back to stage 0 with no service after waiting that many times its service; 0: never */
    double promote;
    /* The policy keeps lists: it asks for its passes by itself, and for promotion all waiting
     * counts since a job has service, not that since it ran last. */
    bool by_lists;
};

void attained_begin(struct sched *s, struct attained *a, const struct attained_rule *rule,
                    const void *params);
void attained_arrived(struct sched *s, struct attained *a, job_id j);
void attained_started(struct sched *s, struct attained *a, job_id j);
void attained_stopped(struct sched *s, struct attained *a, job_id j);
void attained_schedule(struct sched *s, struct attained *a);

double attained_service(struct sched *s, const struct attained *a, job_id j);            /* now */
/* When j, running, will have that much more, to about a nanosecond; TIME_NEVER: not in a century. */
int64_t attained_after_ns(struct sched *s, const struct attained *a, job_id j, double more);
/* When j, running, leaves its stage or, waiting, is promoted; TIME_NEVER: it is not. */
int64_t attained_moment_ns(struct sched *s, const struct attained *a, job_id j);
/* Moves j to that stage. */
void attained_place(struct sched *s, struct attained *a, job_id j, uint32_t stage);
struct line_key attained_key(struct sched *s, job_id j, const void *params);

/* The callbacks of a policy with a struct attained as the first member of its state; begin and
 * state_size are its own. */
#define ATTAINED_CALLBACKS(prefix)                                                                 \
    static void prefix##_schedule(struct sched *s, const void *params, void *state)                \
    {                                                                                              \
        (void)params;                                                                              \
        attained_schedule(s, state);                                                               \
    }                                                                                              \
    static void prefix##_arrived(struct sched *s, const void *params, void *state, job_id j)       \
    {                                                                                              \
        (void)params;                                                                              \
        attained_arrived(s, state, j);                                                             \
    }                                                                                              \
    static void prefix##_started(struct sched *s, const void *params, void *state, job_id j)       \
    {                                                                                              \
        (void)params;                                                                              \
        attained_started(s, state, j);                                                             \
    }                                                                                              \
    static void prefix##_stopped(struct sched *s, const void *params, void *state, job_id j, enum stop_cause why) \
    {                                                                                              \
        (void)params;                                                                              \
        (void)why;                                                                                 \
        attained_stopped(s, state, j);                                                             \
    }
#define ATTAINED_TABLE(prefix)                                                                     \
    .abi = POLICY_ABI, .job_size = sizeof(struct account), .schedule = prefix##_schedule,          \
    .job_arrived = prefix##_arrived, .job_started = prefix##_started,                              \
    .job_stopped = prefix##_stopped
