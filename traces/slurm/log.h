/* log.h - Slurm's accounting log as `sacct -P` prints it: rows, runs, jobs.
 *
 * A row is what one line says: one run of one job, of one task of an array, or of one component of
 * a heterogeneous job. Lines of steps (JobID with a '.') are no rows; they are counted. The first
 * line names the columns, in any order; any subset will do that has an id, State, a size, and the
 * times of a run. Names of sacct that are not read are ignored, others are an error unless they
 * begin with x_.
 *
 * Runs of one job have one Cluster and one JobIDRaw. A row with the State of a run that was broken
 * off (REQUEUED, PREEMPTED, NODE_FAIL, ...) and the next row, in the order of Start, are runs of
 * one job if the next one was submitted no earlier than a second before that end: a requeue sets
 * Submit anew. Otherwise the number was given to another job: its id gets "#2". Pieces of a job
 * that changed its size (RESIZING) are one run; the size is that of the longest piece. A row that
 * is there twice, or in an older state (as where two logs overlap), counts once.
 *
 * With runs=each every run that its job or the machine broke off (REQUEUED, NODE_FAIL, ...) is a job
 * of its own, failed, and the next one is a retry of it: "12.r1" behind "12", then "12.r2". It arrives
 * when it did in the log, but not before the one before it has ended. Runs that the scheduler broke
 * off (PREEMPTED) are none of these: a run of the trace preempts as its own policy does.
 *
 * The components of a heterogeneous job, "12+0", "12+1", become one job "12" of groups.
 *
 * Times are seconds since 1970, UTC. Columns: SchedMD/slurm:doc/man/man1/sacct.1 and
 * src/sacct/print.c of 22.05; states: src/common/slurm_protocol_defs.c (job_state_string). */
#pragma once
#include "sim/slurm/span.h"
#include "sim/slurm/tres.h"
#include "traces/formats/format.h"

#define NO_TIME         INT64_MIN
#define LIMIT_UNSAID    (-2)      /* no column, or an empty cell */
#define LIMIT_PARTITION (-3)      /* Partition_Limit: none was asked for */

enum slurm_queue_of { QUEUE_ACCOUNT, QUEUE_PARTITION, QUEUE_QOS, QUEUE_USER };
struct slurm_log_options {
    enum slurm_queue_of queue;
    bool queue_said;              /* else the first of account, partition, qos that is a column */
    int arrive;                   /* ARRIVE_... */
    bool asked_size;              /* sizes from ReqTRES though AllocTRES is there */
    bool cpu_jobs;                /* jobs without GPUs are taken, too */
    int runs;                     /* RUNS_...: of a job that was requeued */
    bool waiting, running;        /* jobs that wait or run at the end of the log are taken, too */
    bool unfinished_only;         /* of jobs that ended none is there to depend on */
    bool recorded_priority;
    bool no_requeue;              /* jobs that do not say it are not requeued: JobRequeue=0 */
    bool details;                 /* keep what only slurm_log_write() needs */
    int64_t zone_s;               /* how far local times are ahead of UTC */
    bool zone_said;
    int64_t shards_per_gpu;       /* 0: unknown */
    const char *cluster;          /* NULL: the only one */
};
enum { RUNS_LAST, RUNS_SUM, RUNS_EACH };
enum { ARRIVE_AUTO, ARRIVE_SUBMIT, ARRIVE_ELIGIBLE };
extern const struct trace_option slurm_options[];
/* value: [of slurm_options] as given, NULL: not given. 0, or -1 with err. */
int slurm_options_read(const char *file, const char *const *value, struct slurm_log_options *to,
                       struct error *err);

/* what a State says of the run */
enum log_state {
    LOG_COMPLETED, LOG_FAILED, LOG_TIMEOUT, LOG_CANCELLED, LOG_NODE_FAIL, LOG_PREEMPTED,
    LOG_BROKEN_OFF, LOG_RUNNING, LOG_WAITING, LOG_RESIZED, LOG_STATES
};
/* what SubmitLine says: --requeue, --no-requeue */
enum log_requeue { REQUEUE_UNSAID, REQUEUE_YES, REQUEUE_NO };
/* A size as AllocTRES or ReqTRES (or the columns beside them) say it; -1: unsaid. */
struct log_size { int64_t gpus, cpus, nodes, mem_mib, shards; };
struct log_row {
    const char *id;               /* JobID as it stands */
    uint64_t raw;                 /* JobIDRaw, else the number in JobID */
    int64_t submit_s, eligible_s, start_s, end_s;             /* NO_TIME: none */
    int64_t elapsed_s;            /* -1: unsaid */
    int64_t suspended_s;          /* 0: none, or unsaid */
    int64_t limit_s;              /* or SPAN_UNLIMITED, LIMIT_... */
    struct log_size alloc, asked;
    uint32_t asked_type, alloc_type; /* GPU type in names; INTERN_NONE: any */
    uint32_t cluster, user, account, partition, qos;          /* in names; INTERN_NONE: none */
    uint32_t constraints, nodes, reason, reservation, scheduler;
    uint32_t dependency;          /* of SubmitLine, in names */
    uint32_t line;
    int64_t priority;             /* -1: unsaid */
    int32_t exit_code, exit_signal;
    uint32_t component;           /* of a heterogeneous job, from 1; 0: it is none */
    uint8_t state, requeue;       /* enum log_state, enum log_requeue */
    bool several_types;
    bool tasks_waiting;           /* "12_[4-9]": tasks of an array of which none has begun */
    uint32_t tasks_at_once;       /* of such a task, and one that runs: "12_[4-9%2]"; 0: any number */
};

/* A job: its rows are run[0 .. n_runs) of log.run. */
struct log_job {
    uint32_t first, n_runs;       /* in log.run, which has numbers of rows, by Start */
    uint32_t repeated;            /* the k-th job of this number, from 1 */
    uint32_t retry;               /* the k-th retry of the job before it in log.job; 0: it is none */
    bool retried;                 /* the next in log.job is a retry of it */
    uint32_t component_of, next_component;       /* jobs that are the components before and behind
                                                    it of one heterogeneous job; ID_NONE: none */
    uint8_t state;                /* of the last run; pieces count as one */
    uint32_t sized_by;            /* row with the size */
    int64_t last_s, sum_s;        /* work of the last run, and of all */
};

struct slurm_log_counts {
    uint32_t rows, steps, twice, older, broken_off, joined, retries, resized, other_cluster;
    uint32_t cancelled_waiting, waiting, running, without_gpus, without_limit, sizes_differ,
        several_types, times_corrected, summer_time, no_submit, shares, requeued_last, uneven,
        starts_differ, local_times, unknown_dependencies, other_dependencies, counted_features,
        partition_limit, guessed_end, resources_unread;
    double gpuless_node_h, node_h;
};

struct slurm_log {
    const char *file;
    struct slurm_log_options how;
    struct log_row *row; size_t n_rows, rows_capacity;
    uint32_t *run, n_run;         /* rows in the order of jobs */
    struct log_job *job; size_t n_jobs, jobs_capacity;
    int64_t latest_s;             /* the latest time in the file; NO_TIME: it has none */
    struct intern *names;
    struct arena *memory;
    bool has[40];                 /* columns that the header has, by enum log_column */
    bool memory_counts;           /* some AllocTRES has mem */
    struct slurm_log_counts n;
};

/* columns.c: what is read, in this order in its list of names. */
enum log_column {
    C_JOBID, C_RAW, C_CLUSTER, C_USER, C_ACCOUNT, C_PARTITION, C_QOS, C_SUBMIT, C_ELIGIBLE,
    C_START, C_END, C_ELAPSED, C_ELAPSED_RAW, C_SUSPENDED, C_LIMIT, C_LIMIT_RAW, C_STATE, C_EXIT,
    C_REQ_TRES, C_ALLOC_TRES, C_ALLOC_GRES, C_REQ_GRES, C_NNODES, C_ALLOC_NODES, C_REQ_NODES,
    C_NCPUS, C_ALLOC_CPUS, C_REQ_CPUS, C_REQ_MEM, C_NODE_LIST, C_PRIORITY, C_FLAGS, C_REASON,
    C_RESERVATION, C_CONSTRAINTS, C_SUBMIT_LINE, C_READ
};
struct log_columns {
    size_t at[C_READ];            /* index in a line; TABLE_NO_COLUMN: not there */
    const char *const *name;      /* as the header has them, for messages */
    size_t n;
    bool open_end;                /* a separator stands at the end of each line */
};
/* The first byte of the header that is in no name; 0: there is none. */
char log_separator(const char *head, size_t length);
int log_recognise(const char *head, size_t length);
int log_header(const struct row *header, struct log_columns *to, struct error *err);

/* row.c: adds the row of a line, or counts the line. 0, or -1 with err. */
int log_row_add(struct slurm_log *log, const struct log_columns *c, const struct row *line,
                struct error *err);

/* NULL with err. The file name is borrowed from the input. */
struct slurm_log *slurm_log_read(struct input *in, const struct slurm_log_options *how,
                                 struct error *err);
void slurm_log_free(struct slurm_log *log);      /* NULL: does nothing */
/* runs.c: makes jobs of the rows. Called by slurm_log_read(). */
void log_join(struct slurm_log *log);
/* arrays.c: a row and a job for each task that waits in a row of several. Called by log_join() where
 * such jobs may be taken. */
void log_expand_arrays(struct slurm_log *log);

/* ---- jobs.c: what a job of the log asks of a run ---- */

static inline const struct log_row *log_first(const struct slurm_log *log, const struct log_job *j)
{
    return &log->row[log->run[j->first]];
}
static inline const struct log_row *log_last(const struct slurm_log *log, const struct log_job *j)
{
    return &log->row[log->run[j->first + j->n_runs - 1]];
}
static inline const char *log_name(const struct slurm_log *log, uint32_t name)
{
    return name == INTERN_NONE ? "" : intern_text(log->names, name);
}
/* What the run calls it: "12", "12_3", "12#2", "12.r1"; the number alone for a heterogeneous job.
 * Its length; as snprintf(). */
int log_job_id(const struct slurm_log *log, const struct log_job *j, char *to, size_t size);
bool log_has_run(enum log_state s);              /* it ended */
bool log_is_taken(const struct slurm_log *log, const struct log_job *j);
/* Fills a row of the workload from job k of the log, its further components as parts; texts live
 * as long as the log, or until the next call. false: the job is not taken, and is counted, or it is
 * a further component. */
struct log_request;
struct log_request *log_request_new(void);
void log_request_free(struct log_request *r);
bool log_job_row(struct slurm_log *log, uint32_t k, struct log_request *memory, struct job_row *to);
/* Adds every job that is taken. 0, or -1 with err. */
int slurm_log_jobs(struct slurm_log *log, struct workload *w, struct error *err);
/* What was read and what was left out, on one line, into the memory of the workload. */
char *slurm_log_remark(const struct slurm_log *log, uint32_t jobs);
