/* summary_builder.h - making a summary: rows of metrics, for models, and what the summaries of one run and of a federation share.
 *
 * A model's hook summarise() appends its metrics:
 *   summary_put_kind(b, &metrics[0], "all", gpu_hours(x->milli_ns), 1);
 * Jobs are samples that are added to the tallies of all scopes that they are in; quantiles come from arrays of all samples, in
 * which each group's lie side by side, unless all samples are of one group. */
#pragma once
#include "sim/results/metric_kinds.h"
#include "sim/results/statistics.h"

struct parts;
struct summary_builder {
    struct summary *summary;
    size_t capacity;
    const struct sched *s;
    const struct run_totals *totals;
    const struct parts *parts;
};
void   summary_put_kind(struct summary_builder *b, const struct metric_kind *kind, const char *scope, double value, uint64_t n);
void   summary_put(struct summary_builder *b, unsigned metric, const char *scope, double value, uint64_t n);    /* n 0: no value */
/* Of all waits, those for one reason: kind[0] in hours, kind[1] the jobs that had one. */
void   summary_put_waits(struct summary_builder *b, enum wait_reason reason, const struct metric_kind kind[2]);
const char *summary_scope(struct summary_builder *b, const char *kind, const char *name);    /* "queue=Q", in the summary's memory */
double gpu_hours(int128_t milli_ns);

/* ---- Tallies of jobs, of runs that have shared the jobs of one trace, or of one run ---- */

struct parts {
    size_t n;
    const struct sched *const *of;
    uint32_t *const *queue;       /* queue[i][q]: number of queue q of run i in the whole; NULL: one run, the same numbers */
};
enum { MILLIONTHS = 1000000 };    /* of fairness */

enum grouping { BY_ALL, BY_CLASS, BY_QUEUE, BY_RUN };
struct tally {                    /* of the jobs of one scope */
    const char *scope;
    enum grouping by;             /* which jobs: those for which tally_of_job() is number; BY_ALL: all */
    size_t number;
    uint64_t jobs, ended, waited, had_service, fairness_kept, censored_jobs, count[METRICS];
    int128_t jct_ns, wait_ns, first_wait_ns, censored_ns, held, lost, overhead;    /* the last three in milli-GPU ns */
    struct exact_sum slowdown, bounded;
    int64_t first_ns, last_ns, worst_fairness;
    double quantile_s[2][3];      /* of JCT and wait: p50, p90, p99 */
    double fairness_p95;
    size_t at, fairness_at;       /* its part of the samples: of jobs that ended; of those that had service time */
};
struct tallies {
    struct tally all, class[CLASSES], *queue, *run;           /* [n_queues], [parts.n] */
    uint32_t n_queues;
};
/* A walk over the jobs that adds them up, also bit by bit while the run goes on: of jobs that are final. */
struct tally_walk;
struct tally_walk *tally_walk_new(const struct sched *s);                                    /* of one run */
struct tally_walk *tally_walk_of_parts(const struct parts *p, uint32_t n_queues);            /* borrows what p points to */
/* Of one run: jobs below `end` are in it. known: run_job_read() of those that were not; NULL: it is asked. */
void tally_walk_to(struct tally_walk *w, job_id end, const struct job_result *known);
struct tallies *tally_walk_end(struct tally_walk *w);                                        /* all are, and quantiles; belongs to w */
void tally_walk_free(struct tally_walk *w);                                                  /* NULL: does nothing */
size_t tally_of_job(const struct parts *p, size_t i, job_id j, enum grouping by);     /* job j of run i; not BY_ALL */
double job_slowdown(int64_t jct_ns, int64_t service_ns, bool bounded);    /* bounded, or service_ns > 0 */
void summary_put_scope(struct summary_builder *b, const struct tally *t, bool all);    /* all: with metrics of whole runs */
void summary_put_classes(struct summary_builder *b, struct tally *class);
