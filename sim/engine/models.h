/* models.h - parts of the physical world that a run may have on: each is one file with one const table, listed in models.c.
 *
 * A model is on if the cluster file has its section, or the trace what it needs. Off, it costs nothing and leaves no trace:
 * no column, metric or file. Its state is its own, made by begin() and kept in struct sched under its name. */
#pragma once
#include "sim/base/event_queue.h"
#include "sim/io/output.h"
#include "sim/results/summary_parts.h"

struct live;
struct run_model {                /* what is NULL or 0 is not wanted */
    const char *name, *summary;
    const char *unsaved;          /* what a snapshot does not say of it; NULL: nothing */
    bool (*wanted)(const struct sched *s);
    void (*begin)(struct sched *s);                           /* before the first instant */
    void (*free)(struct sched *s);

    /* A job begins to run on l->held: l->pace is neutral, the models fill it in one after the other. Likewise after it has
     * grown or shrunk: then left() has come before, for what it held until now. */
    void (*placed)(struct sched *s, struct live *l);
    /* Of a job on demand: the time for which it holds its GPUs before it does what it is for; on NULL: as expected, wherever. -1:
     * it is none of this model's. */
    int64_t (*start_up)(const struct sched *s, job_id j, const struct placement *on, bool first);
    void (*gone)(struct sched *s, job_id j);                  /* of a job on demand: it is over, or refused */
    void (*left)(struct sched *s, struct live *l, const struct placement *from);     /* it makes no progress there any more */
    void (*held)(struct sched *s, job_id j, const struct placement *p, int sign);    /* p is held from now on (1), or no more (-1),
                                                               whether progress is made there or not */
    void (*paced)(struct sched *s, struct live *l);           /* its progress on l->held has begun, changed or stalled */

    unsigned events;              /* 1 << enum event_kind: those that are its own */
    void (*happens)(struct sched *s, const struct event *e);
    void (*settle)(struct sched *s, int64_t to_ns);           /* integrals; levels are those of s->settled_ns until then */

    void (*end)(struct sched *s);                             /* the trace is played; s->now_ns is the end */
    int  (*check)(struct sched *s, struct error *err);        /* its identities, release builds too */

    const char *const *job_columns, *const *node_columns, *const *series_columns;    /* end with NULL; appended to the file */
    void (*job_row)(struct output *o, const struct sched *s, job_id j);     /* a comma before each field */
    void (*node_row)(struct output *o, const struct sched *s, node_id n);
    void (*series_row)(struct output *o, const struct sched *s);

    const struct metric_kind *metrics;                        /* end with a NULL name; appended to the summary */
    void (*summarise)(struct maker *k);                       /* summary_put_kind() */
};
extern const struct run_model *const run_models[];            /* all there are; ends with NULL. The order of every loop */

void models_begin(struct sched *s);                           /* finds those that are wanted: s->model[0 .. n_models) */
void models_free(struct sched *s);
void models_held(struct sched *s, job_id j, const struct placement *p, int sign);
void models_paced(struct sched *s, struct live *l);
void models_gone(struct sched *s, job_id j);
int64_t models_start_up(const struct sched *s, job_id j, const struct placement *on, bool first);
void models_settle(struct sched *s, int64_t to_ns);
bool models_happens(struct sched *s, const struct event *e);  /* false: nobody's */
enum model_file { MODEL_JOBS, MODEL_NODES, MODEL_SERIES };
const char *const *model_columns(const struct run_model *m, enum model_file file);    /* NULL: it has none there */
/* What those that are on append to a line of a file; s NULL: nothing. */
void models_header(struct output *o, const struct sched *s, enum model_file file);
void models_row(struct output *o, const struct sched *s, enum model_file file, uint32_t subject);
void models_summarise(struct maker *k);
void models_end(struct sched *s);
int  models_check(struct sched *s, struct error *err);
