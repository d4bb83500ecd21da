/* fit.h - from the jobs of any trace to the laws of a workload file.
 *
 *   run times     of each class: the candidate with the smallest Kolmogorov-Smirnov distance.
 *                 Candidates: lognormal by mean and median, or by the moments of ln x; Weibull and
 *                 gamma by maximum likelihood; mixes of 2, 3, 4 lognormal laws by expectation
 *                 maximisation. All are cut at the shortest and the longest job. If none has a
 *                 distance of at most 0.1 and a mean within a tenth of that of the trace: slices,
 *                 the means of 200 equal parts of the sorted run times.
 *   frequencies   sizes, types, models, fates and projects are as frequent as in the trace; fates
 *                 have their mean run times, and shares by size where there are enough jobs.
 *   correlation   Spearman's of size and run time, ties have mean ranks.
 *   users         their number, and the exponent of Zipf's law by maximum likelihood.
 *   arrivals      sweeps: jobs of one user and size within 5 s of the first; the profile of the
 *                 day, and from 14 days on of the week; then the squared coefficient of variation
 *                 of the gaps between arrivals, in the integral of the profile.
 *
 * Not fitted: retries, estimates, priorities, CPUs and memory, growth, the order of users. */
#pragma once
#include "sim/models/draws/cut_law.h"
#include "traces/synth/synth.h"

#define FIT_CANDIDATES 8
extern const char *const fit_law_words[]; /* names of the candidates; NULL ends it */
enum { FIT_SLICES = FIT_CANDIDATES - 1 };
struct fit_law {
    struct synth_durations durations;
    bool there;                   /* false: these run times have no such law */
    double distance, mean_s, median_s; /* distance from the trace; mean and median of the cut law */
};
struct fit_class {
    enum job_class class;
    uint32_t n_jobs;
    double mean_s, median_s;
    struct fit_law law[FIT_CANDIDATES];
    int chosen;
};
struct fit {
    struct synth_spec *spec;
    size_t n_classes;
    struct fit_class *class;      /* as in the spec */
};
/* w: finished. law: index of fit_law_words, -1: chosen as above. 0, or -1 with err: too few jobs,
 * or no such law. */
int fit_make(struct fit *to, const struct workload *w, const char *name, int law,
             struct error *err);
void fit_free(struct fit *f);

/* ---- parts ---- */

/* x: [n] ascending, in seconds. */
void fit_laws(const double *x, size_t n, struct arena *memory, struct fit_class *to);
/* Exponent of Zipf's law for counts in descending order. */
double fit_zipf(const uint32_t *count, size_t n);
/* Kolmogorov-Smirnov distance of a cut law from a sample. */
double fit_distance(const double *x, size_t n, const struct cut_law *law);

/* ---- two workloads side by side ---- */

enum fit_sample { FIT_RUN_TIMES, FIT_GPUS, FIT_GAPS, FIT_SAMPLES };
extern const char *const fit_sample_name[FIT_SAMPLES];
#define FIT_QUANTILES 9
extern const double fit_quantile[FIT_QUANTILES];
struct fit_side { size_t n; double *sorted; double mean, quantile[FIT_QUANTILES]; };
struct fit_comparison { struct fit_side trace, synthetic; double distance; };
void fit_compare(const struct workload *trace, const struct workload *synthetic,
                 enum fit_sample which, struct fit_comparison *to);
void fit_comparison_free(struct fit_comparison *c);
