/* explain.h - the story of one job or one queue, told from the result files of a run, as JSON, and as text made of that.
 * Files are read as streams; what is kept grows with the number of jobs, not of rows.
 *
 * In JSON times are seconds of the trace's clock, GPU time is hours; what has no value is null or left out. The caller
 * owns the objects. */
#pragma once
#include "sim/contract/queues.h"
#include "sim/base/error.h"
#include "sim/base/units.h"

#include <jansson.h>

/* Columns that only some runs have. GPU time in ns, data in millionths of a GiB. */
enum job_part { PART_CHECKPOINTS, PART_CHECKPOINT_NS, PART_PULL_NS, PART_READ, PART_CACHED, JOB_PARTS };

/* ---- Rows of result files, told as they are read. Texts are valid until the function returns. ---- */
struct told_job {
    const char *name, *queue, *user, *class, *gpu_type, *tasks, *min_tasks, *state, *slowdown, *fairness;    /* "": none */
    int64_t gpu_milli, submit_ns, start_ns, end_ns, wait_ns, run_ns, lost_gpu_ns, overhead_gpu_ns;    /* start, end -1: not */
    int64_t preemptions, restarts;
    int64_t waits_ns[WAIT_REASONS];
    int64_t part[JOB_PARTS];                   /* -1: the run has no such column */
};
struct told_interval {                         /* one piece of it */
    const char *job, *node, *gpu_ids, *why, *stopped_for;
    int64_t gpus, gpu_milli, start_ns, end_ns;
};
struct told_level {                            /* of a queue from now on */
    const char *queue;
    int64_t time_ns, held_milli, deserved_milli, demand_milli, fair_milli;    /* deserved, fair -1: none */
};
struct told_session {
    const char *name, *group, *outcome, *slo_met, *forgotten;                 /* slo_met "": not known yet */
    int64_t usable_ns, time_to_start_ns, end_ns, patience_ns, delayed_ns;     /* the first three -1: not yet */
    int64_t releases, taken, starting_gpu_ns, active_gpu_ns, idle_gpu_ns;
};
struct told_event { const char *job, *kind, *decision, *reason; int64_t time_ns; };
struct listener {                              /* what is NULL is not wanted. -1 with err ends the reading */
    void *self;
    int (*job)(void *self, const struct told_job *j, struct error *err);
    int (*interval)(void *self, const struct told_interval *i, struct error *err);
    int (*level)(void *self, const struct told_level *l, struct error *err);
    int (*event)(void *self, const struct told_event *e, struct error *err);
    int (*session)(void *self, const struct told_session *x, struct error *err);
};
/* Reads the one file that l wants: jobs.csv, intervals.csv, queues.csv, events.csv or sessions.csv of the directory. 0; -1 with
 * err; 1: it is not there. */
int explain_read(const char *directory, const struct listener *l, struct error *err);

/* ---- Stories. NULL with err. The name is known to be there; queues.csv must be for a queue. ---- */
json_t *explain_job(const char *directory, const char *name, struct error *err);
json_t *explain_queue(const char *directory, const char *name, struct error *err);
void    explain_job_text(const json_t *story);               /* on stdout, as wide as the terminal */
void    explain_queue_text(const json_t *story);
/* The parts of a story. */
void put_text(json_t *o, const char *key, const char *text);         /* "" or NULL: null; what is no UTF-8: "?" */
void put_number(json_t *o, const char *key, double value);           /* NaN: null */
void put_count(json_t *o, const char *key, uint64_t value);
void put_seconds(json_t *o, const char *key, int64_t ns);            /* below 0: null */
void put_gpus(json_t *o, const char *key, int64_t milli);
void put_gpu_hours(json_t *o, const char *key, int128_t milli_ns);
json_t *put_list(json_t *o, const char *key);                        /* an empty one; owned by o */
json_t *add_entry(json_t *list);                                     /* an empty object; owned by the list */
/* Why a job was stopped, as preemption_cause_name; NULL: it was not. for_queue NULL: the policy has not said for whom. */
const char *explain_cause(const char *why, const char *own_queue, const char *for_queue);
