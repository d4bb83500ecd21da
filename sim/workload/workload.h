/* workload.h - the jobs of a trace as they were submitted, sorted by submit time.
 *
 * A reader fills one struct job_row for each job and calls workload_add(); workload_finish() sorts
 * by (submit time, tie, order in the file) and numbers the jobs. What a policy may see (struct
 * job_facts) and what only the simulator knows (struct job_truth) are two arrays. Jobs that ask for
 * the same share one shape.
 *
 * Jobs on demand are replicas of inference services and jobs of interactive sessions: the run
 * submits and withdraws them. They stand behind the jobs that arrive by time. The services and
 * sessions themselves are opaque here: the trace that describes them gives their jobs too, so both
 * live as long as the workload; sim/serving and sim/sessions define them. */
#pragma once
#include "sim/contract/policy.h"
#include "sim/contract/site.h"
#include "sim/base/bulk.h"
#include "sim/base/error.h"
#include "sim/base/intern.h"
#include "sim/base/units.h"
#include "sim/cluster/topology/levels.h"
#include "sim/cluster/mig.h"
#include "sim/models/overhead.h"
#include "sim/models/sharing.h"

#define ENDLESS_NS                                                                                 \
    (INT64_C(50 * 36525 * 864) * NS_PER_S) /* fifty years: the work of a job that stays for ever */

/* how a job ends after its service time */
enum job_fate { FATE_COMPLETED, FATE_FAILED, FATE_CANCELLED };

struct job_truth {
    int64_t duration_ns;          /* service time on the reference placement */
    int64_t estimate_ns;          /* TIME_NEVER: none submitted */
    const char *name;             /* job_id of the trace */
    uint8_t fate;
    bool on_demand;               /* the run submits it */
    uint32_t extra;               /* what few traces say: number in workload.extra; 0: nothing */
};
/* What few traces say of a job; jobs that say the same one after the other share it. */
struct job_extra {
    uint32_t data_mib;            /* input data; 0: not given */
    uint32_t overhead;  /* its own: number in workload.overheads, from 1; 0: the cluster's */
    uint32_t input;               /* number for workload_input(); 0: none */
    uint32_t running;             /* from 1: it runs at its submit time, see
                                     workload.running[running - 1]; 0: it does not */
    uint32_t site;                /* what it says of partition, QOS, account: number for
                                     workload_site(), from 1; 0: nothing */
    struct duty duty;             /* of each of its GPUs without other tenants; DUTY_UNSAID: that of
                                     its model */
    uint32_t record;              /* number in workload.record, from 1; 0: the trace does not say
                                     when it started */
    uint32_t promised;            /* number in workload.record_place, from 1, of where it is
                                     promised room at its submit time; 0: nowhere */
};
/* Numbers in workload.wishes; ID_NONE: not given. partition: a list "a;b". */
struct own_site { uint32_t partition, qos, account; int32_t nice; };
#define OWN_SITE_NONE { ID_NONE, ID_NONE, ID_NONE, 0 }
/* Names of what a job reads, by number; ID_NONE: no name. A data set without a name is the job's
 * own, an image without a name is that of the job's model. */
struct own_input { uint32_t data_set, image, epochs; };      /* epochs 0: not given, one */
/* Part of what a job holds when it is submitted. */
struct held_at {
    node_id node;
    uint32_t gpus;                /* 0: all that the task asks for */
    uint64_t gpu_mask;            /* bit i: GPU i of the node; 0: any free ones */
};
/* A job that runs at its submit time. Task i is on[i]; n below the number of tasks: only the first
 * tasks run. Without tasks (SPLIT_ANY) these are the parts of its total, each on a node of its
 * own. */
struct job_running {
    struct held_at *on;
    uint32_t n;
    int64_t ran_ns;               /* time that it has run at its submit time; -1: not given, but its
                                     start-up is over */
    int64_t leaving_ns;           /* it is being stopped and releases all so long after its submit
                                     time; -1: it stays */
    const char *file;             /* place in the trace, for messages */
    size_t line;
};
/* What became of the job in the system that wrote the log. */
struct job_record {
    int64_t wait_ns;              /* from its submit time to its start, 0 or more */
    uint32_t place;               /* number in workload.record_place, from 1; 0: not said */
};
/* Task i ran on on[i]. Without tasks (SPLIT_ANY) these are the parts of its total. */
struct record_place {
    struct held_at *on;
    uint32_t n;
    const char *file;             /* place in the trace, for messages */
    size_t line;
};
/* The request that jobs of one shape share, and what goes with it. Every run of a chain of runs is
 * a shape of its own: that of the rest of the chain from there on. */
struct shape {
    struct request ask;
    shape_id next;                /* shape of ask.next; ID_NONE: none */
    uint32_t n_groups;            /* of the job */
    const struct task_group *group;    /* each distinct tree once, in the memory of the workload;
                                          NULL: none */
    uint32_t gpu_type;            /* interned list "A|B" of allowed models; ID_NONE: any */
    uint32_t selector, affinity, tolerations;    /* texts of labels.h, in workload.wishes; ID_NONE:
                                                    none */
    uint32_t pods;                /* texts of pod_terms.h, a line each: pod_labels, pod_affinity,
                                     pod_anti_affinity, pod_spread; ID_NONE: all empty */
    uint32_t gpu_mem_mib;  /* that each of its GPUs must have; 0: any. GPUs of unknown memory fit */
    uint32_t share_mem_mib;       /* share of each GPU, given as memory: run_bind() turns it into
                                     ask.gpu_milli; 0: not given */
    uint32_t used_mem_mib;        /* used on each of its GPUs; 0: not given, then its share, or that
                                     of its model */
    queue_id pin;                 /* set by run_bind(): it may use the nodes of this queue;
                                     ID_NONE: not confined */
    queue_id limited;             /* set by run_bind(): its jobs are of this queue, which, or one above
                                     it, has a limit; ID_NONE: of queues without one */
    const uint64_t *admits;       /* set by run_bind(): bits of the reservations that it may use;
                                     NULL: none */
};

/* Equal tasks of a job of unequal tasks; or an inner group: it has levels and no tasks, and its GPU
 * type is ignored. */
struct task_row {
    const char *group;            /* path, "replica1/encoder"; "." is the root */
    uint32_t gpus, gpu_milli, tasks;    /* gpus: of each task */
    uint32_t min_tasks;           /* 0: all of them */
    int64_t cpu_milli, mem_mib;   /* per task */
    uint8_t required_level, preferred_level;    /* of the group */
    const char *slices, *podset_group;    /* as in struct job_row; of two rows of a job: together */
    /* which nodes its tasks may use, as in struct job_row; NULL: as the job says, "": any */
    const char *selector, *affinity, *tolerations;
    const char *gpu_type; size_t gpu_type_length;    /* NULL or "": that of the job */
    size_t line;                  /* for messages */
};

/* What must have become of the other job; see sim/engine/dependencies.h. */
enum depends_how { AFTER_ANY, AFTER_OK, AFTER_NOT_OK, AFTER_START, DEPENDS_HOWS };
#define DEPENDS_OR UINT8_C(0x80)  /* on all dependencies of a job or on none: one that is met is enough */
static inline enum depends_how depends_how(uint8_t how) { return how & ~DEPENDS_OR; }
extern const char *const depends_how_name[DEPENDS_HOWS];

/* Of jobs with one name so many are there at a time, in the order of the jobs. */
struct own_turn {
    uint32_t name;                /* index into wishes; ID_NONE: the job has no turn */
    uint32_t most;                /* so many of all jobs with the name; 0: one of those of its user */
};

/* One job as a trace format gives it. Start from job_row_default, set what the format knows. */
struct job_row {
    const char *job_id;   size_t job_id_length;   /* NULL: numbered by the reader's row, from 1 */
    const char *queue;    size_t queue_length;    /* NULL or "": no queue */
    const char *user;     size_t user_length;     /* NULL or "": unknown */
    const char *gpu_type; size_t gpu_type_length; /* NULL or "": any; "A|B": one of them */
    const char *model;    size_t model_length;    /* NULL or "": unknown */
    int64_t submit_ns, duration_ns;
    int64_t estimate_ns, deadline_ns;             /* TIME_NEVER: none */
    int64_t recorded_wait_ns;     /* from its submit time to its start in the log; -1: not said */
    int64_t tie;  /* at equal submit times, before the order in the file; 0 by default */
    int64_t cpu_milli, mem_mib;   /* per task; without tasks: of the whole job */
    uint32_t gpus;                /* total of whole GPUs, or of shared ones */
    uint32_t gpu_milli;           /* of each; MILLI_ALL by default */
    uint32_t tasks;               /* 0: only the total is known (SPLIT_ANY; several shares: a task
                                     for each share); else gpus is a multiple of it */
    uint32_t min_tasks;           /* 0: all of them (a gang) */
    int32_t priority;
    enum job_class class;
    enum job_fate fate;
    bool preemptible;
    bool on_demand;               /* submitted by the run, not before submit_ns; duration_ns: the
                                     run time that a clairvoyant policy sees */

    /* What few rows say: from here to the end. Of a row with the defaults in all of it nothing here
     * is looked at; so a format leaves alone what it does not know. */
    const char *depends_on; size_t depends_on_length;   /* as in dependencies.c, of jobs anywhere in
                                                           the trace; NULL or "": none */
    uint32_t max_tasks;           /* 0: tasks. See sizes.h */
    uint32_t min_gpus, max_gpus;  /* the same without tasks; 0: gpus */
    bool moldable;                /* it keeps the size that it starts with */
    uint16_t mig;                 /* gpus are instances of this profile; 0: GPUs */
    uint32_t share_mem_mib;       /* a share of each GPU, given as memory; 0: gpu_milli has it */
    uint32_t gpu_mem_mib, data_mib;               /* 0: not given */
    uint32_t used_mem_mib;        /* used on each GPU; 0: not given */
    struct duty duty;             /* DUTY_UNSAID by default */
    const char *data_set; size_t data_set_length; /* jobs of one data set share node caches; NULL or
                                                     "": none */
    const char *image;    size_t image_length;    /* container image; NULL or "": none */
    uint32_t epochs;              /* times that it reads its data; 0: not given */
    int32_t nice;
    const char *partition, *qos, *account;        /* see sim/contract/site.h; NULL or "": none */
    uint32_t max_down;            /* as in struct job_facts */
    uint8_t required_level, preferred_level;      /* of workload_level(); LEVEL_ANY: none */
    const char *selector, *affinity, *tolerations;    /* as in labels.h; NULL: none. Of parts that do
                                     not say */
    const char *pod_labels, *pod_affinity, *pod_anti_affinity, *pod_spread;    /* as in pod_terms.h;
                                     NULL: none */
    const char *slices;           /* as in pod_sets.h; NULL or "": none. Wants tasks */
    uint32_t max_per_node;        /* max tasks on one node; 0: no limit. Wants tasks */
    const struct task_row *part;  /* [n_parts] replaces gpus, gpu_milli, tasks, min_tasks,
                                     cpu_milli, mem_mib, levels and slices if n_parts is not 0; see
                                     task_groups.h */
    size_t n_parts;
    struct own_overhead overhead;       /* OWN_OVERHEAD_NONE by default */
    const struct held_at *running_on;             /* [n_running_on] what it holds at its submit
                                                     time; see struct job_running */
    uint32_t n_running_on;        /* 0: it does not run */
    int64_t ran_ns, leaving_ns;   /* as in struct job_running; -1 by default */
    const struct held_at *recorded_on;            /* [n_recorded_on] where it ran in the log */
    uint32_t n_recorded_on;       /* 0: not said */
    const struct held_at *promised_on;            /* [n_promised_on] where room is kept for it */
    uint32_t n_promised_on;       /* 0: nowhere */
};
enum { JOB_ROW_USUAL = offsetof(struct job_row, depends_on) };    /* bytes before what few rows say */
extern const struct job_row job_row_default;

struct workload {
    uint32_t n_jobs;              /* jobs that arrive by time */
    uint32_t n_on_demand;         /* jobs on demand behind them, by submit_ns */
    bool sizes_only;              /* set before reading: times do not matter, so jobs that never ran
                                     count as well */
    uint64_t seed;                /* set before reading: of synthetic jobs */
    double cluster_gpus;          /* set before reading: that a load refers to; 0: unknown */
    size_t resident_bytes;        /* set before reading: of more jobs than fit with their facts into so
                                     much, the arrays with an element a job, here or in a run of it,
                                     lie in files: workload_resident(); 0: none does. Walks over the
                                     jobs call workload_pass() */
    bool one_thread;              /* set before reading: workload_add_ahead() does nothing */
    bool load_of_cluster;         /* its load refers to the GPUs of the cluster */
    uint64_t drawn;               /* hash of all draws; 0: the trace is not synthetic */
    struct session_groups *sessions;    /* opaque here, in `memory`: sessions of jobs on demand, by
                                           submit time, then by group; NULL: none */
    uint32_t n_skipped;           /* rows that are no job that ran (SWF: cancelled before its
                                     start), counted by the reader for reports */
    const char *remark;           /* how the reader understood the file, on one line, in `memory`;
                                     NULL: nothing to say */
    uint32_t n_unsorted;          /* rows submitted before the row above them */
    uint32_t pods;                /* totals have become pods of so many GPUs; 0: they are totals */
    bool may_have_deadlines;      /* a job that was added has one */
    bool numbered;                /* the trace has no job_ids: the names are row numbers */
    int64_t origin_ns;  /* date of time 0, since 1970; TIME_NEVER: the trace has no dates */
    struct job_facts *facts;      /* bulk [n_jobs + n_on_demand]; .queue is an index into queue_names
                                     until a run binds it to a cluster */
    struct job_truth *truth;      /* bulk [n_jobs + n_on_demand] */
    struct job_extra *extra;      /* the first: nothing; see workload_extra() */
    uint32_t n_extras;
    size_t extra_capacity;
    uint32_t n_shapes;
    struct shape *shape;
    struct intern *queue_names;   /* of the trace, in the order of first appearance; "": jobs
                                     without one */
    struct intern *users;
    struct intern *gpu_types, *wishes, *models;
    struct intern *sizes;         /* the bytes of struct job_sizes: workload_sizes() */
    struct asked_levels *levels;  /* private: see asked_levels.h */
    struct group_trees *trees;    /* private: see task_groups.h */
    struct pod_sets *pod_sets;    /* private: see pod_sets.h */
    uint32_t *depends_first;      /* job j, also one on demand, waits for
                                     depends_on[depends_first[j] .. depends_first[j + 1]); NULL: no
                                     job does */
    job_id *depends_on;
    uint8_t *depends_how;         /* [of depends_on] enum depends_how, and DEPENDS_OR */
    struct own_turn *turn;        /* [n_jobs] NULL: no job has one. Together with depends_first */
    struct intern *overheads;        /* the bytes of struct own_overhead: workload_overhead() */
    struct intern *sites;         /* the bytes of struct own_site: workload_site() */
    struct job_site *job_site;    /* [jobs] set by run_bind(); NULL: the cluster has no site */
    /* first place of each overhead, for messages */
    struct overhead_at { const char *file; size_t line; } *overhead_at;
    size_t overhead_capacity;
    struct job_inputs *inputs;    /* private: workload_input() */
    struct job_running *running;  /* in the order of the file */
    struct job_record *record;    /* in the order of the file; see record.h */
    uint32_t n_records;
    struct record_place *record_place;
    uint32_t n_record_places;
    size_t record_capacity, record_place_capacity;
    uint32_t n_running;
    size_t running_capacity;
    struct deployments *services; /* opaque here: services of replicas on demand; NULL: none */
    void (*services_free)(struct deployments *d);    /* called by workload_free() */
    struct workload_builder *builder;   /* private, until workload_finish() */
    struct bulk_texts *names;     /* private: names of jobs whose facts are in a file; NULL: none */
    struct arena *memory;
};

/* The bytes that an array with so large an element for each job may take in memory (bulk.h): all that have one go to files at the
 * same number of jobs. */
static inline size_t workload_resident(const struct workload *w, size_t size)
{
    size_t jobs = w->resident_bytes / sizeof(struct job_facts);
    return jobs || !w->resident_bytes ? jobs * size : 1;
}
static inline uint32_t workload_all(const struct workload *w)
{
    return w->n_jobs + w->n_on_demand;
}
static inline const struct job_extra *workload_extra(const struct workload *w, job_id j)
{
    return &w->extra[w->truth[j].extra];
}
/* Few jobs still wait or run when so many others have arrived after them. Where tables lie in files, the rows of these last arrivals are
 * memory. */
enum { WORKLOAD_STILL_USED = 4 * BULK_BLOCK };
void workload_drop(const struct workload *w, job_id j) __attribute__((cold));
/* A walk over the jobs, in their order, comes to j: memory behind it is given back now and then. */
static inline void workload_pass(const struct workload *w, job_id j)
{
    if (bulk_turns(j))
        workload_drop(w, j);
}
void workload_edit(const struct workload *w, job_id j) __attribute__((cold));
/* The same of a walk that changes facts; bulk_filled(w->facts) ends it. */
static inline void workload_change(const struct workload *w, job_id j)
{
    if (bulk_begins(j))
        workload_edit(w, j);
}
/* Nothing is said yet; what was there is not freed. */
void workload_extras_begin(struct workload *w);
/* Number for job_truth.extra. */
uint32_t workload_extra_add(struct workload *w, const struct job_extra *x);
struct workload *workload_new(void);
void workload_free(struct workload *w);                      /* NULL: does nothing */
/* file and line are for messages: a job_id that is not new, a time that overflows (submit +
 * duration must stay below 100 years), gpus that are no multiple of tasks. 0, or -1 with err. */
int workload_add(struct workload *w, const struct job_row *row, const char *file, size_t line,
                 struct error *err);
/* From now on a second thread adds the rows that say nothing unusual, as many as come until one that says more. So the reader
 * neither reads nor changes anything of the workload but n_skipped before it has called workload_added(). The workload becomes
 * the same; an error of a row is returned by that call or a later one. For readers of many rows. */
void workload_add_ahead(struct workload *w);
/* All rows are added: 0, or -1 with err, which is that of the first row that cannot be a job. */
int workload_added(struct workload *w, struct error *err);
/* The level of that name: enum level, or a number of the workload's own for a name that only a
 * cluster knows; workload_bind_levels() replaces these in all requests. LEVEL_ANY: no name of a
 * level. file and line are for messages. */
uint8_t workload_level(struct workload *w, const char *text, size_t length, const char *file,
                       size_t line);
/* What to ask for where that was LEVEL_ANY: another word than `usual` if it is the name of a level,
 * and one too many. */
const char *workload_level_want(const struct workload *w, const char *text, size_t length,
                                const char *usual);
/* Its name; not of LEVEL_ANY. */
const char *workload_level_text(const struct workload *w, unsigned level);
/* By the levels of the cluster of that name, after workload_finish(). Refuses a name that it does
 * not have, slices that are not from coarse to fine, and another cluster's levels after that. */
int workload_bind_levels(struct workload *w, const struct level_names *of, const char *cluster,
                         struct error *err);
/* Makes the earliest submit time 0, for a trace with dates, and sets origin_ns. Deadlines move
 * along. */
void workload_rebase(struct workload *w);
/* Refuses a workload without jobs, and a job that depends on an unknown job or, directly or not, on
 * itself. */
int  workload_finish(struct workload *w, const char *file, struct error *err);
/* job_extra.overhead, not 0 */
struct own_overhead workload_overhead(const struct workload *w, uint32_t overhead);
struct own_site workload_site(const struct workload *w, uint32_t site);     /* 0: nothing said */
struct own_input workload_input(const struct workload *w, job_id j);
const char *workload_data_set(const struct workload *w, uint32_t data_set);
const char *workload_image(const struct workload *w, uint32_t image);
uint32_t workload_data_sets(const struct workload *w);       /* number of them */
/* Calls `type` for each GPU type that tasks of j with GPUs ask for, in their order, each once: an
 * index into gpu_types, or ID_NONE for any. */
void workload_each_gpu_type(const struct workload *w, job_id j,
                            void (*type)(void *self, uint32_t gpu_type), void *self);
struct job_sizes workload_sizes(const struct workload *w, job_id j);
/* For how long it may run beside that taint, as taint_tolerated_s(): the least of its tasks. */
int64_t workload_tolerates_s(const struct workload *w, job_id j, const char *taint);
/* The jobs that have a turn, [n]: those of one line behind each other, first those that run when the
 * trace begins, then in the order of the jobs. The caller frees it. NULL: no job has one. */
struct turn { uint32_t user, name, most; bool runs; job_id job; };
struct turn *workload_turns(const struct workload *w, uint32_t *n);
static inline bool turn_same_line(const struct turn *a, const struct turn *b)
{
    return a->user == b->user && a->name == b->name;
}
/* [n_jobs] the job before it in a line in which one is there at a time; ID_NONE: none. The caller
 * frees it. NULL: there is no such line. */
job_id *workload_before(const struct workload *w);
/* Keeps the jobs j with keep[j], at least one, in their order. After workload_finish(); shapes and
 * names stay. Dependencies on removed jobs are removed. */
void workload_keep(struct workload *w, const bool *keep);

/* Turns every total (SPLIT_ANY) into a gang of tasks of `gpus` GPUs each and one with the rest,
 * each with its part of CPUs and memory, unless they are such already. After workload_finish(),
 * before a run binds it. pods.c */
void workload_make_pods(struct workload *w, uint32_t gpus);

/* Both keep the order of the jobs, each job's time from submit to deadline, and submit times below
 * 100 years. After workload_finish(). Re-timing: job k of the order (submit, position) arrives at
 * every_ns x floor(k / batch). */
void workload_retime_batches(struct workload *w, uint32_t batch, int64_t every_ns);
/* Submit times divided by `load` (> 0): 2 means twice the load. Rounded to nearest ns. */
void workload_scale_load(struct workload *w, double load);
/* Makes the workload of a packing study: all jobs once in random order, then draws from all of them
 * with replacement, until the sum of what they ask for would exceed gpu_milli. Job k arrives at k
 * seconds, from 1, runs for fifty years and has no dependencies; a job that is repeated is called
 * NAME+2, NAME+3, ... Streams "stream order" and "stream draws" of the seed. After
 * workload_finish(); -1 with err: no job asks for GPUs, or some are on demand. */
int workload_stream(struct workload *w, int64_t gpu_milli, uint64_t seed, struct error *err);
