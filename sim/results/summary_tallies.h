/* summary_builder.h - between summary.c, which adds up the jobs of runs, summary_quantiles.c and summary_federated.c, which does so for
 * several. */
#pragma once
#include "sim/results/statistics.h"
#include "sim/results/summary_builder.h"

/* Runs beside one another that have shared the jobs of one trace, or only one. */
struct parts {
    size_t n;
    const struct sched *const *of;
    uint32_t *const *queue;       /* queue[i][q]: what run i calls q; NULL: there is one run, and q is called so */
};

static inline uint32_t parts_queue(const struct parts *p, size_t i, queue_id q)
{
    return p->queue ? p->queue[i][q] : q;
}

enum { MILLIONTHS = 1000000 };    /* of fairness */

/* What is added up over the jobs of one scope. */
struct tally {
    const char *scope;
    uint64_t jobs, ended, waited, had_service, fairness_kept, censored_jobs, count[METRICS];
    int128_t jct_ns, wait_ns, first_wait_ns, censored_ns, held, lost, overhead;    /* the last three in milli-GPU ns */
    struct exact_sum slowdown, bounded;
    int64_t first_ns, last_ns, worst_fairness;
    double quantile_s[2][3];      /* of JCT and wait: p50, p90, p99 */
    double fairness_p95;
    size_t at, fairness_at;       /* its part of the samples: of the ended; of those that had service time */
};

struct tallies {
    struct tally all, class[CLASSES], *queue, *run;           /* [n_queues], [parts.n] */
    uint32_t n_queues;
};
void summary_add_up(const struct parts *p, struct tallies *t);        /* t: n_queues is set, all else 0 */
void summary_tallies_free(struct tallies *t);
void summary_put_scope(struct summary_builder *k, const struct tally *t, bool all);    /* by k->totals; all: with what is of no part of the jobs */
void summary_put_classes(struct summary_builder *k, struct tally *class);

/* summary_quantiles.c: from samples of the jobs that ended, and of those of them that had service time. */
struct samples { int64_t *jct, *wait, *fairness; };
struct filled { size_t ended, had_service; };
enum grouping { BY_CLASS, BY_QUEUE, BY_RUN };
void summary_sample(const struct samples *x, struct filled *to, const struct run_times *t);
void summary_quantiles(struct tally *t, const struct samples *x);     /* of its part, which it reorders */
/* Of each group; x has been filled with all, whose quantiles are known. */
void summary_group_quantiles(const struct parts *p, struct tally *group, size_t n_groups, const struct tally *all, enum grouping by,
                             const struct samples *x);
