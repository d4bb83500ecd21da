/* summary_quantiles.c - quantiles of all jobs and of groups of them: a pass puts the samples of each group side by side, unless all are of
 * one. See summary_builder.h. */
#include "sim/results/summary_builder.h"

#include "sim/base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { P99_LEAST_JOBS = 1000 };    /* models.md 10.5: below that a 99th percentile says nothing */

void summary_sample(const struct samples *x, struct filled *to, const struct run_times *t)
{
    x->jct[to->ended] = t->jct_ns;
    x->wait[to->ended++] = t->wait_ns;
    if (t->fairness_micro >= 0)
        x->fairness[to->had_service++] = t->fairness_micro;
}

static size_t group_of(const struct parts *p, size_t i, job_id j, enum grouping by)
{
    const struct job_facts *facts = &run_setup_of(p->of[i])->workload->facts[j];
    return by == BY_CLASS ? facts->class : by == BY_QUEUE ? parts_queue(p, i, facts->queue) : i;
}

void summary_quantiles(struct tally *t, const struct samples *x)
{
    static const double p[] = { .5, .9, .99 };
    for (unsigned i = 0; i < 3; i++) {
        bool enough = t->ended >= (i == 2 ? P99_LEAST_JOBS : 1);
        t->quantile_s[0][i] = enough ? quantile(x->jct + t->at, t->ended, p[i]) / (double)NS_PER_S : (double)NAN;
        t->quantile_s[1][i] = enough ? quantile(x->wait + t->at, t->ended, p[i]) / (double)NS_PER_S : (double)NAN;
    }
    t->fairness_p95 = t->had_service ? quantile(x->fairness + t->fairness_at, t->had_service, .95) / MILLIONTHS : (double)NAN;
}

static void sort_by_group(const struct parts *p, struct tally *group, size_t n_groups, enum grouping by, const struct samples *x)
{
    struct filled *next = mem_new(n_groups + 1, sizeof *next);
    for (size_t g = 0; g < n_groups; g++) {
        group[g].at = next[g].ended;
        group[g].fairness_at = next[g].had_service;
        next[g + 1] = (struct filled){ next[g].ended + group[g].ended, next[g].had_service + group[g].had_service };
    }
    for (size_t i = 0; i < p->n; i++)
        for (job_id j = 0; j < run_setup_of(p->of[i])->workload->n_jobs; j++) {
            struct run_times t = run_times(p->of[i], j);
            if (t.ended)
                summary_sample(x, &next[group_of(p, i, j, by)], &t);
        }
    free(next);
}

void summary_group_quantiles(const struct parts *p, struct tally *group, size_t n_groups, const struct tally *all,
                             enum grouping by, const struct samples *x)
{
    bool one = false;
    for (size_t g = 0; g < n_groups; g++)
        one |= group[g].ended == all->ended;
    if (!one)
        sort_by_group(p, group, n_groups, by, x);
    for (size_t g = 0; g < n_groups; g++) {
        if (group[g].ended != all->ended) {
            summary_quantiles(&group[g], x);
            continue;
        }
        memcpy(group[g].quantile_s, all->quantile_s, sizeof all->quantile_s);
        group[g].fairness_p95 = all->fairness_p95;
    }
}
