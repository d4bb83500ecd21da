/* workload.h - the jobs of a trace as they were submitted, sorted by submit time.
 *
 * A reader fills one struct job_row per job and calls workload_add(); workload_finish() sorts by (submit time, tie,
 * order in the file) and numbers the jobs. What a policy may see (struct job_facts) and what only the world knows
 * (struct job_truth) are two arrays. Jobs that ask for the same share one shape. */
#pragma once
#include "sim/contract/policy.h"
#include "sim/base/error.h"
#include "sim/base/intern.h"
#include "sim/base/units.h"
#include "sim/cluster/mig.h"
#include "sim/models/overhead.h"
#include "sim/models/sharing.h"

#define ENDLESS_NS (INT64_C(50 * 36525 * 864) * NS_PER_S)    /* fifty years: the work of what stays for ever */

enum job_fate { FATE_COMPLETED, FATE_FAILED, FATE_CANCELLED };   /* how it ends, once it has had its service time */

struct job_truth {
    int64_t duration_ns;          /* service time on the reference placement */
    int64_t estimate_ns;          /* TIME_NEVER: none submitted */
    const char *name;             /* job_id of the trace */
    uint8_t fate;
    bool on_demand;               /* see struct workload */
    uint32_t data_mib;            /* input data; 0: not said */
    uint32_t overhead;               /* of its own: number in workload.overheads, from 1; 0: the cluster's */
    uint32_t input;               /* workload_input(); 0: says nothing of it */
    uint32_t running;             /* runs already when it is submitted: workload.running[running - 1]; 0: it does not */
    struct duty duty;             /* of each of its GPUs, were it alone there; DUTY_UNSAID: as its model has it */
};
/* What it reads besides job_truth.data_mib, by number; ID_NONE: has no name. A data set without a name is its own, an image
 * without one is that of its model. */
struct own_input { uint32_t data_set, image, epochs; };      /* epochs 0: not said, one */
/* Part of what a job holds when it is submitted. */
struct held_at {
    node_id node;
    uint32_t gpus;                /* 0: as many as the task asks for */
    uint64_t gpu_mask;            /* bit i: GPU i of the node; 0: whichever are free */
};
/* A job that runs already when it is submitted: task i on[i], fewer than its tasks if it has the first of them only;
 * without tasks (SPLIT_ANY) the parts of its total, each on a node of its own. */
struct job_running {
    struct held_at *on;
    uint32_t n;
    int64_t ran_ns;               /* it has run for that long at its submit time; -1: not said, but its start-up is over */
    int64_t leaving_ns;           /* it was told to leave, and gives all up so long after its submit time; -1: it stays */
    const char *file;             /* where the trace says so */
    size_t line;
};
/* What jobs of one shape have in common besides the request itself. Every run of a chain is a shape of its own: that of
 * the chain from there on. */
struct shape {
    struct request ask;
    shape_id next;                /* that of ask.next; ID_NONE: none */
    uint32_t n_groups;            /* of the job */
    const struct task_group *group;    /* each distinct tree once, in the memory of the workload; NULL: none */
    uint32_t gpu_type;            /* interned list "A|B" of allowed models; ID_NONE: any */
    uint32_t selector, affinity, tolerations;    /* texts of labels.h, in workload.wishes; ID_NONE: none */
    uint32_t gpu_mem_mib;         /* that each of its GPUs must have; 0: any. GPUs of unknown memory will do */
    uint32_t share_mem_mib;       /* of each of its GPUs, which are shared; run_bind() makes it ask.gpu_milli; 0: not so */
    uint32_t used_mem_mib;        /* that it fills of each of its GPUs; 0: not said, then what it has a share of, or as its model */
    queue_id pin;                 /* set by run: the queue whose own nodes it is confined to; ID_NONE: none */
};

/* Tasks alike of a job whose tasks differ, or an inner group: that has no tasks, only levels. */
struct task_row {
    const char *group;            /* its path, "replica1/encoder"; "." is the root */
    uint32_t gpus, gpu_milli, tasks;    /* gpus: of each task */
    uint32_t min_tasks;           /* 0: all of them */
    int64_t cpu_milli, mem_mib;   /* per task */
    uint8_t required_level, preferred_level;    /* of the group */
    size_t line;                  /* for messages */
};

/* One job as a trace format tells it. Start from job_row_default, set what the format knows. */
struct job_row {
    const char *job_id;   size_t job_id_length;   /* NULL: numbered by the reader's row, from 1 */
    const char *queue;    size_t queue_length;    /* NULL or "": no queue */
    const char *user;     size_t user_length;     /* NULL or "": unknown */
    const char *gpu_type; size_t gpu_type_length; /* NULL or "": any; "A|B": one of them */
    const char *model;    size_t model_length;    /* NULL or "": unknown */
    const char *depends_on; size_t depends_on_length;   /* job_ids "A;B", anywhere in the trace; NULL or "": none */
    int64_t submit_ns, duration_ns;
    int64_t estimate_ns, deadline_ns;             /* TIME_NEVER: none */
    uint32_t gpus;                /* total of whole GPUs, or of shared ones */
    uint32_t gpu_milli;           /* of each; MILLI_ALL by default */
    uint32_t share_mem_mib;       /* a share of each, said as its memory; 0: gpu_milli says it */
    uint16_t mig;                 /* gpus are instances of this profile; 0: GPUs */
    uint32_t tasks;               /* 0: only the total is known (SPLIT_ANY; several shares: as many tasks of one share
                                     each); else gpus is a multiple of it */
    uint32_t min_tasks;           /* 0: all of them (a gang) */
    uint32_t max_tasks;           /* 0: no more than tasks. See sizes.h */
    uint32_t min_gpus, max_gpus;  /* likewise without tasks, 0: as many as gpus */
    bool moldable;                /* keeps the size that it starts with */
    int64_t cpu_milli, mem_mib;   /* per task; without tasks: of the whole job */
    uint32_t gpu_mem_mib, data_mib;               /* 0: not said */
    uint32_t used_mem_mib;        /* that it fills of each GPU; 0: not said */
    struct duty duty;             /* DUTY_UNSAID by default */
    const char *data_set; size_t data_set_length; /* who name the same share what a node has cached; NULL or "": none */
    const char *image;    size_t image_length;    /* container image; NULL or "": none */
    uint32_t epochs;              /* how often it reads its data; 0: not said */
    int32_t priority;
    enum job_class class;
    enum job_fate fate;
    bool preemptible;
    bool on_demand;               /* comes when the run says so, not before submit_ns; duration_ns: what a policy that sees run times
                                     is told */
    uint8_t required_level, preferred_level;      /* enum level; LEVEL_ANY: none */
    const char *selector, *affinity, *tolerations;    /* as in labels.h; NULL: none */
    uint32_t max_per_node;        /* tasks of it on one node; 0: any number. Wants tasks */
    const struct task_row *part;  /* [n_parts] when there are any: instead of gpus, gpu_milli, tasks, min_tasks, cpu_milli, mem_mib
                                     and levels. See task_groups.h */
    size_t n_parts;
    struct own_overhead overhead;       /* OWN_OVERHEAD_NONE by default */
    const struct held_at *running_on;             /* [n_running_on] what it holds already; see struct job_running */
    uint32_t n_running_on;        /* 0: it does not run yet */
    int64_t ran_ns, leaving_ns;   /* -1 by default */
    int64_t tie;                  /* goes before the order in the file at equal submit times; 0 by default */
};
extern const struct job_row job_row_default;

struct workload {
    uint32_t n_jobs;              /* which arrive by time */
    uint32_t n_on_demand;         /* behind them, in the order of their submit_ns: jobs that the run itself submits and withdraws */
    bool sizes_only;              /* set before reading: times do not matter, so what never ran is a job, too */
    uint64_t seed;                /* likewise: of what is drawn where the trace is laws */
    double cluster_gpus;          /* likewise: that a load may be of; 0: unknown */
    uint64_t drawn;               /* hash of all that was drawn; 0: the trace is no laws */
    struct session_groups *sessions;    /* of sim/sessions, which this folder does not know: those whose jobs are on demand, in the order of
                                     their submit times, then of their groups. In `memory`. NULL: none */
    uint32_t n_skipped;           /* rows that say they are no job that ran (SWF: cancelled before its start), as the
                                     reader counts them, so that a report can state it */
    uint32_t n_unsorted;          /* rows submitted before the job that is above them in the file */
    bool numbered;                /* the trace has no job_ids: jobs are called after their rows */
    int64_t origin_ns;            /* the date of time 0, since 1970; TIME_NEVER: the trace tells no dates */
    struct job_facts *facts;      /* [n_jobs + n_on_demand]; .queue is an index into queue_names until a run binds it to a cluster */
    struct job_truth *truth;      /* likewise */
    uint32_t n_shapes;
    struct shape *shape;
    struct intern *queue_names;   /* of the trace, in the order of first sight; "" if a job has none */
    struct intern *users;
    struct intern *gpu_types, *wishes, *models;
    struct intern *sizes;         /* the bytes of struct job_sizes: workload_sizes() */
    struct group_trees *trees;    /* private: see task_groups.h */
    uint32_t *depends_first;      /* job j waits for depends_on[depends_first[j] .. depends_first[j + 1]); NULL: no job does */
    job_id *depends_on;
    struct intern *overheads;        /* the bytes of struct own_overhead: workload_overhead() */
    struct overhead_at { const char *file; size_t line; } *overhead_at;    /* where each was seen first */
    size_t overhead_capacity;
    struct job_inputs *inputs;    /* private: workload_input() */
    struct job_running *running;  /* in the order of the file */
    uint32_t n_running;
    size_t running_capacity;
    struct deployments *services; /* whose replicas are jobs on demand: sim/serving/deployment.h; NULL: none */
    void (*services_free)(struct deployments *d);
    struct workload_builder *builder;   /* private, until workload_finish() */
    struct arena *memory;
};

static inline uint32_t workload_all(const struct workload *w)
{
    return w->n_jobs + w->n_on_demand;
}
struct workload *workload_new(void);
void workload_free(struct workload *w);                      /* NULL: does nothing */
/* `where` is "FILE:LINE", for the messages: a job_id seen before, a time that overflows (submit + duration must stay
 * below 100 years), gpus no multiple of tasks. 0, or -1 with err. */
int  workload_add(struct workload *w, const struct job_row *row, const char *file, size_t line, struct error *err);
/* The earliest submit time becomes 0: for a trace that tells dates, whose origin_ns it sets. Deadlines move along. */
void workload_rebase(struct workload *w);
/* An error if there is no job, or if a job depends on one that is not there or on itself, by way of others or not. */
int  workload_finish(struct workload *w, const char *file, struct error *err);
struct own_overhead workload_overhead(const struct workload *w, uint32_t overhead);    /* of job_truth.price, not 0 */
struct own_input workload_input(const struct workload *w, job_id j);
const char *workload_data_set(const struct workload *w, uint32_t data_set);
const char *workload_image(const struct workload *w, uint32_t image);
uint32_t workload_data_sets(const struct workload *w);       /* how many there are */
struct job_sizes workload_sizes(const struct workload *w, job_id j);
/* Leaves the jobs j with keep[j], at least one, in their order. After workload_finish(); shapes and names stay. Nobody
 * depends on a job that is gone. */
void workload_keep(struct workload *w, const bool *keep);

/* Every total (SPLIT_ANY) becomes a gang of tasks of `gpus` GPUs each and one with the rest, each with the CPUs and memory that
 * belong to its GPUs. After workload_finish(), before a run binds it. */
void workload_make_pods(struct workload *w, uint32_t gpus);

/* Both keep the order of the jobs, each job's time from submit to deadline, and submit times below 100 years. After
 * workload_finish().
 * Re-timing: job k of the order (submit, position) arrives at every_ns x floor(k / batch). */
void workload_retime_batches(struct workload *w, uint32_t batch, int64_t every_ns);
/* Submit times divided by `load` (> 0): 2 means twice the load. Rounded to nearest ns. */
void workload_scale_load(struct workload *w, double load);
/* A packing study: the jobs by name, put in random order, then drawn from all of them again and again, as long as what they
 * ask for in all is at most gpu_milli (the first that would pass it ends the stream). Job k comes at k seconds, from 1, and
 * none leaves within fifty years, or runs already, or comes on demand. A job that came before gets the name NAME+2, NAME+3, ...; nobody depends on anybody. Streams "stream order" and
 * "stream draws" of the seed. After workload_finish(); -1 with err: none asks for GPUs, or some are on demand. */
int workload_stream(struct workload *w, int64_t gpu_milli, uint64_t seed, struct error *err);
