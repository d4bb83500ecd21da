/* explain.h - the story of one job, queue or inference service, from the result files of a run: as
 * JSON, and as text that is made from it.
 *
 * Files are read as streams; memory grows with the number of jobs, not with the number of rows.
 * In the JSON times are seconds of the trace's clock and GPU time is hours; a missing value is
 * null or left out. The caller owns the objects.
 *
 * explain_read.c      rows of result files; parts of a story
 * explain_job.c       the story of a job: request, waits and the jobs that started meanwhile,
 *                     places, stops by other jobs and of other jobs for it, costs, outcome,
 *                     fairness; for the job of an interactive session also `session`
 * explain_queue.c     the story of a queue: quota, demand, GPUs held, borrowers, times short of
 *                     quota, preemptions, waits
 * explain_service.c   the story of a service: requests, latency, replicas wanted and placed, what
 *                     its replicas waited for, its worst intervals; also as text
 * explain_*_text.c    the others as text (paragraph.h) */
#pragma once
#include "sim/contract/queues.h"
#include "sim/base/error.h"
#include "sim/base/units.h"

#include <jansson.h>

/* Columns of jobs.csv that only some runs have. GPU time in ns, data in millionths of a GiB. */
enum job_part { PART_CHECKPOINTS, PART_CHECKPOINT_NS, PART_PULL_NS, PART_READ, PART_CACHED,
                JOB_PARTS };

/* ---- Rows of result files. Texts are valid until the callback returns; "" is an empty cell.
 * ---- */
struct csv_job {
    const char *name, *queue, *user, *class, *gpu_type, *tasks, *min_tasks, *state, *slowdown,
    *fairness;
    /* start, end -1: none */
    int64_t gpu_milli, submit_ns, start_ns, end_ns, wait_ns, run_ns, lost_gpu_ns, overhead_gpu_ns;
    int64_t preemptions, restarts;
    int64_t waits_ns[WAIT_REASONS];
    int64_t part[JOB_PARTS];                   /* -1: the run has no such column */
};
/* GPUs of one node; several rows may belong to one stay of a job */
struct csv_interval {
    const char *job, *node, *gpu_ids, *why, *stopped_for;
    int64_t gpus, gpu_milli, start_ns, end_ns;
};
struct csv_level {                             /* a queue from time_ns on */
    const char *queue;
    /* deserved, fair -1: none */
    int64_t time_ns, held_milli, deserved_milli, demand_milli, fair_milli;
};
struct csv_session {
    /* slo_met "": not known at the end */
    const char *name, *group, *outcome, *slo_met, *forgotten;
    /* the first three -1: not reached */
    int64_t usable_ns, time_to_start_ns, end_ns, patience_ns, delayed_ns;
    int64_t releases, preemptions, starting_gpu_ns, active_gpu_ns, idle_gpu_ns;
};
/* An interval of a service that ends at time_ns. Numbers are NaN where the cell is empty. */
struct csv_service {
    const char *name;
    int64_t time_ns;
    double rate_per_s, arrived, served, dropped, wanted, placed, ready, slo_attainment;
};
/* A metric of summary.csv that has a value */
struct csv_metric { const char *name, *scope; double value; };
struct csv_event { const char *job, *kind, *decision, *reason; int64_t time_ns; };
/* one callback is set, the others are NULL. -1 with err ends the reading */
struct row_reader {
    void *self;
    int (*job)(void *self, const struct csv_job *j, struct error *err);
    int (*interval)(void *self, const struct csv_interval *i, struct error *err);
    int (*level)(void *self, const struct csv_level *l, struct error *err);
    int (*event)(void *self, const struct csv_event *e, struct error *err);
    int (*session)(void *self, const struct csv_session *x, struct error *err);
    int (*service)(void *self, const struct csv_service *x, struct error *err);
    int (*metric)(void *self, const struct csv_metric *m, struct error *err);
};
/* Reads the file of the callback: jobs.csv, intervals.csv, queues.csv, events.csv, sessions.csv,
 * services.csv or summary.csv. 0; -1 with err; 1: there is no such file. */
int explain_read(const char *directory, const struct row_reader *l, struct error *err);

/* What each reason to wait means: "too few GPUs were free". */
extern const char *const explain_wait_meaning[WAIT_REASONS];
/* Only runs that have what it needs have its column: a power cap, reservations. */
bool explain_wait_is_rare(enum wait_reason why);

/* ---- Stories. NULL with err. The job, queue or service exists; for a queue, queues.csv exists.
 * ---- */
json_t *explain_job(const char *directory, const char *name, struct error *err);
json_t *explain_queue(const char *directory, const char *name, struct error *err);
json_t *explain_service(const char *directory, const char *name, struct error *err);
/* on stdout, as wide as the terminal */
void    explain_job_text(const json_t *story);
void    explain_queue_text(const json_t *story);
void    explain_service_text(const json_t *story);

/* ---- Parts of a story ---- */
/* "" or NULL: null; no UTF-8: "?" */
void put_text(json_t *o, const char *key, const char *text);
void put_number(json_t *o, const char *key, double value);           /* NaN: null */
void put_count(json_t *o, const char *key, uint64_t value);
void put_seconds(json_t *o, const char *key, int64_t ns);            /* below 0: null */
void put_gpus(json_t *o, const char *key, int64_t milli);
void put_gpu_hours(json_t *o, const char *key, int128_t milli_ns);
json_t *put_list(json_t *o, const char *key);                        /* an empty list, owned by o */
/* "waits": each reason with "s" and "because", the longest first */
void put_waits(json_t *story, const int64_t waits_ns[WAIT_REASONS]);
/* "origin_unix_s": the date of time 0, in seconds since 1970, of a trace with dates; else null */
void put_origin(json_t *story, const char *directory);
/* an empty object, owned by the list */
json_t *add_entry(json_t *list);
/* The cause of a stop as in preemption_cause_name; NULL: the stop was no preemption. for_queue
 * NULL: the policy named no job. */
const char *explain_cause(const char *why, const char *own_queue, const char *for_queue);
