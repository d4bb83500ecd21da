/* workload.h - the jobs of a trace as they were submitted, sorted by submit time.
 *
 * A reader fills one struct job_row per job and calls workload_add(); workload_finish() sorts by (submit time, tie,
 * order in the file) and numbers the jobs. What a policy may see (struct job_facts) and what only the world knows
 * (struct job_truth) are two arrays. Jobs that ask for the same share one shape. */
#pragma once
#include "sim/contract/policy.h"
#include "sim/core/error.h"
#include "sim/core/intern.h"
#include "sim/core/units.h"

enum job_fate { FATE_COMPLETED, FATE_FAILED, FATE_CANCELLED };   /* how it ends, once it has had its service time */

struct job_truth {
    int64_t duration_ns;          /* service time on the reference placement */
    int64_t estimate_ns;          /* TIME_NEVER: none submitted */
    const char *name;             /* job_id of the trace */
    uint8_t fate;
};
/* What jobs of one shape have in common besides the request itself. */
struct shape {
    struct request ask;
    uint32_t gpu_type;            /* interned list "A|B" of allowed models; ID_NONE: any */
    queue_id pin;                 /* set by run: the queue whose own nodes it is confined to; ID_NONE: none */
};

/* One job as a trace format tells it. Start from job_row_default, set what the format knows. */
struct job_row {
    const char *job_id;   size_t job_id_length;   /* NULL: numbered by the reader's row, from 1 */
    const char *queue;    size_t queue_length;    /* NULL or "": no queue */
    const char *user;     size_t user_length;     /* NULL or "": unknown */
    const char *gpu_type; size_t gpu_type_length; /* NULL or "": any; "A|B": one of them */
    int64_t submit_ns, duration_ns;
    int64_t estimate_ns, deadline_ns;             /* TIME_NEVER: none */
    uint32_t gpus;                /* total of whole GPUs, or of shared ones */
    uint32_t gpu_milli;           /* of each; MILLI_ALL by default */
    uint32_t tasks;               /* 0: only the total is known (SPLIT_ANY; several shares: as many tasks of one share
                                     each); else gpus is a multiple of it */
    uint32_t min_tasks;           /* 0: all of them (a gang) */
    int64_t cpu_milli, mem_mib;   /* per task; without tasks: of the whole job */
    int32_t priority;
    enum job_class class;
    enum job_fate fate;
    bool preemptible;
    uint8_t required_level, preferred_level;      /* enum level; LEVEL_ANY: none */
    int64_t tie;                  /* goes before the order in the file at equal submit times; 0 by default */
};
extern const struct job_row job_row_default;

struct workload {
    uint32_t n_jobs;
    uint32_t n_skipped;           /* rows that say they are no job that ran (SWF: cancelled before its start), as the
                                     reader counts them, so that a report can state it */
    struct job_facts *facts;      /* [n_jobs]; .queue is an index into queue_names until a run binds it to a cluster */
    struct job_truth *truth;      /* [n_jobs] */
    uint32_t n_shapes;
    struct shape *shape;
    struct intern *queue_names;   /* of the trace, in the order of first sight; "" if a job has none */
    struct intern *users;
    struct intern *gpu_types;
    struct workload_builder *builder;   /* private, until workload_finish() */
    struct arena *memory;
};

struct workload *workload_new(void);
void workload_free(struct workload *w);                      /* NULL: does nothing */
/* `where` is "FILE:LINE", for the messages: a job_id seen before, a time that overflows (submit + duration must stay
 * below 100 years), gpus no multiple of tasks. 0, or -1 with err. */
int  workload_add(struct workload *w, const struct job_row *row, const char *file, size_t line, struct error *err);
/* The earliest submit time becomes 0: for a trace that tells dates. Deadlines move along. Before workload_finish(). */
void workload_rebase(struct workload *w);
int  workload_finish(struct workload *w, const char *file, struct error *err);   /* an error if there is no job */

/* Both keep the order of the jobs, each job's time from submit to deadline, and submit times below 100 years. After
 * workload_finish().
 * Re-timing: job k of the order (submit, position) arrives at every_ns x floor(k / batch). */
void workload_retime_batches(struct workload *w, uint32_t batch, int64_t every_ns);
/* Submit times divided by `load` (> 0): 2 means twice the load. Rounded to nearest ns. */
void workload_scale_load(struct workload *w, double load);
