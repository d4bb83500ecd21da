/* pairs.h - the jobs of a recorded and of a simulated run of one log, side by side.
 *
 * A pair is a job that has started in both runs, by job_id; its waits are those until the first
 * start. Utilisation is the mean share of the GPUs that are allocated, hour by hour, over the hours
 * that both runs have. */
#pragma once
#include "sim/base/error.h"
#include "sim/base/intern.h"
#include "sim/study/agreement.h"

struct pair_facts { uint32_t gpus, queue; };    /* queue: number in `queues` */
struct hour { double was, is; };                /* 0 to 1 */
struct pairs {
    struct wait_pair *wait;       /* [n], in the order of the recorded run */
    struct pair_facts *facts;     /* [n] */
    size_t n, capacity, facts_capacity;
    size_t only_recorded, only_simulated;       /* jobs that started in one of both */
    struct intern *queues;
    struct hour *hour;            /* [hours] */
    size_t hours;
    int64_t origin_s;             /* date of time 0, since 1970; -1: the trace has no dates */
};
/* 0; -1 with err: a directory that is none, a first run that is not by policy `recorded`, runs of
 * different traces, no pair. */
int  pairs_read(struct pairs *p, const char *recorded, const char *simulated, struct error *err);
void pairs_free(struct pairs *p);
