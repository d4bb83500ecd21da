/* workload_builder.h - private to this folder: the state of a workload until workload_finish(). */
#pragma once
#include "sim/workload/job_ids.h"
#include "sim/cluster/mig.h"
#include "sim/workload/pods.h"

/* All times of a trace are below, so that the sum of any two fits in int64_t. A year is 365.25
 * days. */
#define WORKLOAD_END_NS (INT64_C(36525) * 86400 * NS_PER_S)

struct workload_builder {
    size_t capacity;     /* of the bulk arrays with one element a job: tie, facts and truth */
    int64_t *tie;        /* NULL while all ties are 0 */
    struct shapes *shapes;       /* that rows ask for */
    struct pods *pods;           /* what totals among these become at once; NULL: they stay */
    struct job_ids *ids;
    struct job_waits {
        const char *name, *waits_for;   /* in the memory of the workload; name is that of struct
                                           job_truth */
        size_t line;
    } *wait;             /* of each job that depends on others, in the order of the file */
    size_t n_waits, waits_capacity;
    size_t first_line;
    bool a_job_a_line;   /* job k is on line first_line + k */
    bool sorted;         /* so far by (submit, tie) */
    uint32_t n_on_demand;
    struct rows_ahead *ahead;    /* NULL: workload_add() adds at once */
    struct early *early;         /* of a run that goes on meanwhile; NULL: there is none, or it has been missed */
    bool *queue_seen;            /* [n_queues_named] that have a job; NULL: none was named before */
    uint32_t n_queues_named, n_queues_seen;
    bool wants_ahead;            /* workload_add_ahead() once that is missed */
};

/* Milli-GPUs of each of so many GPUs or instances; gpu_milli if the row has no profile. */
static inline uint32_t job_row_milli(const struct job_row *row, uint32_t gpus, uint32_t gpu_milli)
{
    return !gpus ? MILLI_ALL : row->mig ? MILLI_ALL * mig_g(row->mig) : gpu_milli;
}

/* Those that jobs have. */
static inline struct shapes *workload_shapes(const struct workload_builder *b)
{
    return b->pods ? pods_shapes(b->pods) : b->shapes;
}

/* workload_room.c */
void workload_make_room(struct workload *w);                   /* for one more job */
/* a copy, of the job that is added next */
const char *workload_name(struct workload *w, const char *name, size_t length);
int64_t *workload_no_ties(const struct workload *w);           /* for builder.tie */

/* dependencies.c */
/* of the job added last */
void dependencies_note(struct workload *w, const char *list, size_t length, size_t line);
int  dependencies_resolve(struct workload *w, const char *file, struct error *err);
void dependencies_keep(struct workload *w, const bool *keep);  /* before the jobs move */

uint32_t workload_wish(struct workload *w, const char *text);    /* ID_NONE for NULL and "" */
void workload_sort(struct workload *w);      /* facts and truth; facts[].ask goes along */
