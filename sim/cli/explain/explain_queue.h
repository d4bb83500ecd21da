/* explain_queue.h - what the result files tell of a queue: shared by explain_queue.c and explain_queue_hear.c alone. */
#pragma once
#include "sim/cli/explain/explain.h"
#include "sim/base/intern.h"
#include "sim/engine/run.h"

#include <stdbool.h>

enum { WORST = 5, LONGEST = 3 };

/* Of one of all the queues, by number in `names`. */
struct other {
    struct told_level now;        /* its name is not kept there */
    bool has_jobs;
    int128_t over_unused, over_short;          /* milli-GPU ns over its own quota while ours was not used; while we were short */
    uint64_t stopped_ours, ours_stopped;       /* preemptions of our jobs for its; of its jobs for ours */
};
struct waiter { char *job; int64_t wait_ns, submit_ns, gpu_milli; bool started; };
struct span { int64_t start_ns, ns; bool open; };

struct queue_told {
    const char *name;
    struct intern *names, *jobs;
    struct other *other;
    size_t capacity;
    uint32_t own, *queue_of_job;
    size_t jobs_capacity;

    int64_t now_ns, first_ns;
    bool any_level, any_fair, no_intervals;
    int128_t held, demand, fair, owed, satisfied, borrowed, unused;
    bool is_short;
    int64_t short_since_ns;
    struct span longest[LONGEST];
    uint64_t shorts;
    int128_t short_ns;

    uint64_t n_jobs, completed, had_service, kept, causes[PREEMPTION_CAUSES];
    int128_t waits_ns[WAIT_REASONS];
    struct waiter worst[WORST];
    double worst_fairness;
    char *worst_off;
    char *last_job;               /* of the interval read last, to take its pieces for one */
    int64_t last_start_ns;
};

/* t->name is set, all else zero. 0, or -1 with err; t->no_intervals: intervals.csv is not there. */
int  queue_hear(struct queue_told *t, const char *directory, struct error *err);
void queue_forget(struct queue_told *t);
