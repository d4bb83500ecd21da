/* fit_compare.c - two workloads side by side: see fit.h. */
#include "sim/workload/requests.h"
#include "traces/synth/fit.h"

#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

const char *const fit_sample_name[FIT_SAMPLES] = {
    [FIT_RUN_TIMES] = "run time, s", [FIT_GPUS] = "GPUs", [FIT_GAPS] = "between arrivals, s",
};
const double fit_quantile[FIT_QUANTILES] = { .05, .1, .25, .5, .75, .9, .95, .99, .999 };

static int ascending(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double value_of(const struct workload *w, job_id j, enum fit_sample which)
{
    switch (which) {
    case FIT_RUN_TIMES:
        return seconds(w->truth[j].duration_ns);
    case FIT_GPUS:
        return (double)request_gpu_milli(w->facts[j].ask) / MILLI_ALL;
    default:
        return seconds(w->facts[j + 1].submit_ns - w->facts[j].submit_ns);
    }
}

static void side(const struct workload *w, enum fit_sample which, struct fit_side *to)
{
    to->n = w->n_jobs - (which == FIT_GAPS);
    to->sorted = mem_new(to->n, sizeof *to->sorted);
    to->mean = 0;
    for (size_t i = 0; i < to->n; i++) {
        to->sorted[i] = value_of(w, (job_id)i, which);
        to->mean += to->sorted[i] / (double)to->n;
    }
    qsort(to->sorted, to->n, sizeof *to->sorted, ascending);
    for (int k = 0; k < FIT_QUANTILES; k++)
        to->quantile[k] =
            gsl_stats_quantile_from_sorted_data(to->sorted, 1, to->n, fit_quantile[k]);
}

static double distance(const struct fit_side *a, const struct fit_side *b)
{
    double d = 0;
    size_t i = 0, k = 0;
    while (i < a->n && k < b->n) {
        double x = fmin(a->sorted[i], b->sorted[k]);
        while (i < a->n && a->sorted[i] <= x)
            i++;
        while (k < b->n && b->sorted[k] <= x)
            k++;
        d = fmax(d, fabs((double)i / (double)a->n - (double)k / (double)b->n));
    }
    return d;
}

void fit_compare(const struct workload *trace, const struct workload *synthetic,
                 enum fit_sample which, struct fit_comparison *to)
{
    side(trace, which, &to->trace);
    side(synthetic, which, &to->synthetic);
    to->distance = distance(&to->trace, &to->synthetic);
}

void fit_comparison_free(struct fit_comparison *c)
{
    free(c->trace.sorted);
    free(c->synthetic.sorted);
}
