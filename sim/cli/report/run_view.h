/* run_view.h - what a page shows of one run, read from its result files. A missing file leaves
 * its part empty.
 *
 * Levels are means over equal steps of time (series.h). A percentile of a service over a step is
 * the mean over time of the percentiles of its intervals; without requests the last one
 * continues. With more than HEAT_ROWS nodes, neighbouring nodes share a row of the heat map. */
#pragma once
#include "sim/study/series.h"
#include "sim/base/error.h"
#include "sim/base/intern.h"
#include "sim/study/runset.h"

#include <jansson.h>

enum cluster_level { LEVEL_TOTAL, LEVEL_UP, LEVEL_ALLOCATED, LEVEL_BUSY, LEVEL_JOBS_WAITING,
                     LEVEL_GPUS_WAITING, LEVEL_POWER, LEVEL_CARBON, LEVEL_COST_GPUS,
                     LEVEL_COST_POOLS, LEVEL_COST_ENERGY,
                     LEVEL_SESSIONS, LEVELS_OF_SESSIONS = 5,
                     CLUSTER_LEVELS = LEVEL_SESSIONS + LEVELS_OF_SESSIONS };
enum queue_level { QUEUE_HELD, QUEUE_DESERVED, QUEUE_DEMAND, QUEUE_FAIR, QUEUE_LEVELS };
enum service_level { SERVICE_RATE, SERVICE_P50, SERVICE_P99, SERVICE_KEPT, SERVICE_READY,
                     SERVICE_LEVELS };
enum distribution { DISTRIBUTION_JCT, DISTRIBUTION_WAIT, DISTRIBUTION_SLOWDOWN,
                    DISTRIBUTION_FAIRNESS, DISTRIBUTIONS };

enum { WAIT_REASONS_MAX = 24, ACCOUNTS_MAX = 16, HEAT_STEPS = 480, HEAT_ROWS = 64, WORST_MAX = 20 };

struct queue_view {               /* numbered as run_view.queue_names */
    struct series level[QUEUE_LEVELS];
    double held_gpu_s;
    double jobs, wait_s[WAIT_REASONS_MAX];    /* wait_s: sums over its jobs, by reason */
};
struct service_view {             /* numbered as run_view.service_names */
    struct series level[SERVICE_LEVELS];
    double last_s;                /* end of its last interval, from the start of the run */
};
struct values { size_t n, capacity; double *value; };    /* sorted once read */
struct heat_row { double gpus, share[HEAT_STEPS]; char *name; };    /* name: of its first node */

/* One of the jobs that waited longest. */
struct worst_job {
    char *name, *queue;
    double gpus, submit_s, wait_s, jct_s, slowdown, preemptions;    /* NaN: none */
    size_t reason;                /* of its longest wait; SIZE_MAX: it did not wait */
};

struct run_view {
    const char *path, *label;     /* borrowed */
    const struct run_record *record;
    json_t *manifest;
    double start_s, end_s;        /* span of timeseries.csv; equal: no rows */
    struct series level[CLUSTER_LEVELS];
    struct intern *queue_names;
    struct queue_view *queue;     /* [intern_count(queue_names)] */
    size_t queue_capacity;
    struct intern *service_names;
    struct service_view *service; /* [intern_count(service_names)] */
    struct values sorted[DISTRIBUTIONS];
    size_t reasons;
    char *reason[WAIT_REASONS_MAX];
    size_t accounts;
    struct { char *name; double gpu_s; } account[ACCOUNTS_MAX];
    size_t jobs, n_worst;
    struct worst_job worst[WORST_MAX];    /* the longest wait first, then by name */
    size_t heat_rows, nodes_per_row;
    struct heat_row *heat;
    struct intern *node_names;
    double *node_gpus;            /* [node_names]; owned */
    bool no_jobs, no_queues, no_nodes, no_intervals;      /* that file is missing */
};

/* run_view_open() reads the span of time, run_view_read() the rest, with steps that fit all runs.
 * 0, or -1 with err. run_view_free() in every case. */
int  run_view_open(struct run_view *v, const struct run_record *record, const char *directory,
                   struct error *err);
int  run_view_read(struct run_view *v, const struct steps *steps, struct error *err);
void run_view_free(struct run_view *v);
