/* models.h - models of the physical world that a run may have on: each is one const table of hooks, listed in sim/physics/physics.h.
 *
 * A model is on if the cluster file has its section, or the trace what it needs. Off, it costs nothing and leaves no trace:
 * no column, metric or file. Its state is its own: made by begin() or prepare(), kept with model_state_set(), read with
 * model_state() of state.h. docs/plugins.md tells how to write one, with every hook in a table. */
#pragma once
#include "sim/base/event_queue.h"
#include "sim/engine/run.h"
#include "sim/io/output.h"
#include "sim/models/overhead.h"

#include <stdio.h>

struct live;
struct summary_builder;
struct metric_kind;
struct run_model {                /* what is NULL or 0 is not wanted */
    unsigned place;               /* of its state in a run: below MODELS_MOST, no other model's (sim/physics/physics.h) */
    const char *name, *summary;
    const char *unsaved;          /* what a snapshot does not say of it; NULL: nothing */
    const char *(*unsaved_of)(const struct sched *s);         /* the same, of a run at that time */
    void (*saved)(const struct sched *s, FILE *text);         /* options of a run that goes on from now: " --set 'KEY=VALUE'" */
    bool (*wanted)(const struct sched *s);
    void (*prepare)(struct sched *s);                         /* before the views of what is free are made */
    void (*begin)(struct sched *s);                           /* before the first instant */
    void (*free)(struct sched *s);

    /* A job begins to run on l->now.held: l->pace is neutral, the models fill it in one after the other. The same after it has
     * grown or shrunk: then left() was called before, for what it held until now. */
    void (*placed)(struct sched *s, struct live *l);
    /* Of a job on demand: the time for which it holds its GPUs before it does what it is for; on NULL: as expected, wherever. -1:
     * it is none of this model's. */
    int64_t (*start_up)(const struct sched *s, job_id j, const struct placement *on, bool first);
    /* Starts, stops and resizes. Time is in ns that the GPUs are held without progress. */
    int64_t (*pull_ns)(const struct sched *s, job_id j, const struct placement *on);    /* pulling the image, before all else */
    unsigned (*keeps)(const struct sched *s, job_id j, node_id n);          /* of what j wants there: KEEPS_IMAGE, KEEPS_DATA */
    int64_t (*wake_ns)(const struct sched *s, const struct placement *p);   /* until every node of p has power; the longest counts */
    void (*ran_before)(struct sched *s, struct live *l, int64_t done_ns);   /* l ran before the trace begins, and made that progress */
    void (*resized)(struct sched *s, job_id j);               /* as a whole, once more */
    int64_t (*resize_cost_ns)(const struct sched *s, job_id j);    /* -1: as a start */
    void (*suspended)(struct sched *s, const struct placement *p, int sign);    /* a suspended job keeps its memory on p (1), or no
                                                               more (-1) */
    void (*interrupted)(struct sched *s, const struct live *l, unsigned cause);    /* enum fault_cause, or CAUSE_ of interruption.h */
    bool (*gives_up)(struct sched *s, struct live *l);        /* that fault is one more than l may survive */
    void (*node_power)(struct sched *s, node_id n, bool out); /* n is out of service as a whole, or back */
    int64_t (*held_milli)(const struct sched *s, node_id n);  /* GPUs of a mig_dynamic node that jobs hold in truth */

    /* Saving at a stop (models.md 3.3); of the one model that writes checkpoints. */
    int64_t (*save_ns)(const struct sched *s, const struct live *l);    /* of a stop now: until its work is saved */
    bool (*save_at_risk)(struct sched *s, struct live *l);    /* whether the grace is long enough depends on others' writes */
    void (*save_begins)(struct sched *s, struct live *l, const struct stop_overhead *overhead, bool at_risk);
    bool (*save_ends)(struct sched *s, struct live *l);       /* true: at risk, and too late: l->writing.lost_ns, .lost_wall_ns */
    void (*save_fails)(struct sched *s, struct live *l);      /* a fault hits the nodes that l is leaving */
    void (*stalls)(struct sched *s, struct live *l, enum account on);   /* l is about to stall for another reason */
    void (*gone)(struct sched *s, job_id j);                  /* of a job on demand: it is over, or refused */
    /* Of a job on demand: what it depends on has come about; or it never will, and why. */
    void (*due)(struct sched *s, job_id j, const char *never);
    void (*left)(struct sched *s, struct live *l, const struct placement *from);     /* it makes no progress there any more */
    void (*held)(struct sched *s, job_id j, const struct placement *p, int sign);    /* p is held from now on (1), or no more (-1),
                                                               whether progress is made there or not */
    void (*paced)(struct sched *s, struct live *l);           /* its progress on l->now.held has begun, changed or stalled */

    unsigned events;              /* 1 << enum event_kind: those that are its own */
    void (*happens)(struct sched *s, const struct event *e);
    void (*settle)(struct sched *s, int64_t to_ns);           /* integrals; levels are those of s->ledger.settled_ns until then */
    int64_t (*level_ns)(const struct sched *s);               /* asked: when its levels next change by the clock alone; TIME_NEVER: not */
    void (*round)(struct sched *s);                           /* after the pass of a round, before observers see the instant */
    void (*instant)(struct sched *s, bool changed);           /* after that */

    /* The trace is played, s->now_ns is the end, and jobs are where they are: what is to be known of a job that runs
     * then is settled here. After that all of them leave, by left() and held(), as no policy or fault makes them. */
    void (*last)(struct sched *s);
    void (*end)(struct sched *s);                             /* no job is there any more: sums of what jobs held */
    int  (*check)(struct sched *s, struct error *err);        /* its identities, release builds too */

    const char *remark_name;      /* of its note in sim/results/notes.h */
    bool (*remark)(const struct sched *s, FILE *text);        /* what a user should know of the run, in a line; false: nothing */

    const char *const *job_columns, *const *node_columns, *const *series_columns;    /* end with NULL; appended to the file */
    void (*job_row)(struct output *o, const struct sched *s, job_id j);     /* a comma before each field */
    void (*node_row)(struct output *o, const struct sched *s, node_id n);
    void (*series_row)(struct output *o, const struct sched *s);

    const char *file;             /* a result file of its own, by its name in output_name[]; NULL: none */
    const char *const *file_columns;                          /* end with NULL */
    void (*file_row)(struct output *o, const void *row);      /* a line of it, of what run_observer.row brings; or */
    void (*file_rows)(struct output *o, const struct sched *s);    /* all of its lines, at the end of the run */
    const char *drawn_name;       /* in the manifest, beside the trace: a hash of what the run has drawn from laws of the workload */
    uint64_t (*drawn)(const struct sched *s);                 /* 0: nothing */

    const struct metric_kind *metrics;                        /* end with a NULL name; appended to the summary */
    void (*summarise)(struct summary_builder *b);                       /* summary_put_kind() */
};
/* `all` ends with NULL; its order is that of every loop. Finds those that are wanted: s->model[0 .. n_models). */
void models_choose(struct sched *s, const struct run_model *const *all);
void models_drop(struct sched *s);                            /* none, as the run will not be: before they are prepared */
void models_prepare(struct sched *s);
void models_add(struct sched *s, const struct run_model *m);  /* it is on; in prepare's stead, for a test of one model */
void models_begin(struct sched *s);
/* The state of a model, its own from its begin() or prepare() on: model_state(s, m) of state.h. */
void  model_state_set(struct sched *s, const struct run_model *m, void *state);    /* of a model that is on */
void models_free(struct sched *s);
void models_held(struct sched *s, job_id j, const struct placement *p, int sign);
void models_paced(struct sched *s, struct live *l);
void models_gone(struct sched *s, job_id j);
void models_due(struct sched *s, job_id j, const char *never);
int64_t models_start_up(const struct sched *s, job_id j, const struct placement *on, bool first);
int64_t models_pull_ns(const struct sched *s, job_id j, const struct placement *on);    /* 0: no model */
unsigned models_keep(const struct sched *s, job_id j, node_id n);       /* of all models: view_keeps() */
int64_t models_wake_ns(const struct sched *s, const struct placement *p);
int64_t models_level_ns(const struct sched *s);                         /* of all models the first */
void models_ran_before(struct sched *s, struct live *l, int64_t done_ns);
void models_resized(struct sched *s, job_id j);
int64_t models_resize_cost_ns(const struct sched *s, job_id j);    /* -1: as a start */
void models_suspended(struct sched *s, const struct placement *p, int sign);
void models_interrupted(struct sched *s, const struct live *l, unsigned cause);
bool models_give_up(struct sched *s, struct live *l);
void models_node_power(struct sched *s, node_id n, bool out);
int64_t models_held_milli(const struct sched *s, node_id n);
int64_t models_save_ns(const struct sched *s, const struct live *l);    /* of a job that saves: some model is on */
bool models_save_at_risk(struct sched *s, struct live *l);
void models_save_begins(struct sched *s, struct live *l, const struct stop_overhead *overhead, bool at_risk);
bool models_save_ends(struct sched *s, struct live *l);
void models_save_fails(struct sched *s, struct live *l);
void models_stall(struct sched *s, struct live *l, enum account on);
void models_round(struct sched *s);
void models_instant(struct sched *s, bool changed);
void models_settle(struct sched *s, int64_t to_ns);
bool models_happens(struct sched *s, const struct event *e);  /* false: no model has that kind of event */
enum model_file { MODEL_JOBS, MODEL_NODES, MODEL_SERIES };
const char *const *model_columns(const struct run_model *m, enum model_file file);    /* NULL: it has none there */
bool models_have_columns(const struct sched *s, enum model_file file);    /* one that is on has some */
/* What those that are on append to a line of a file; s NULL: nothing. */
void models_header(struct output *o, const struct sched *s, enum model_file file);
void models_row(struct output *o, const struct sched *s, enum model_file file, uint32_t subject);
void models_file_rows(struct output *o, const struct sched *s, const char *file);    /* of the model that has this file, if one is on */
void models_last(struct sched *s);
void models_end(struct sched *s);
int  models_check(struct sched *s, struct error *err);
