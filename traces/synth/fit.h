/* fit.h - from the jobs of any trace to the laws of a workload file.
 *
 *   run times     of each class, the candidate with the least Kolmogorov-Smirnov distance: lognormal by mean and median, or by the
 *                 moments of ln x; Weibull and gamma by maximum likelihood; mixes of 2, 3, 4 lognormal laws by expectation and
 *                 maximisation. All are cut at the shortest and the longest job. Where none has a distance of at most 0.1 and a mean
 *                 within a tenth of the trace's: slices, the means of 200 equal parts of the sorted run times.
 *   sizes, types, models, fates, projects: as often as in the trace; fates with their mean run times, and by size where there are enough
 *   correlation   Spearman's, ties having mean ranks
 *   users         how many, and the exponent of Zipf's law by maximum likelihood
 *   arrivals      sweeps: jobs of one user and size within 5 s of the first; the hours of the day, and from a fortnight on the days of
 *                 the week; then the squared coefficient of variation of the gaps between arrivals, in the integral of the rate
 *
 * Not fitted: retries, estimates, priorities, CPUs and memory, growth, the order in which anybody submits. */
#pragma once
#include "sim/models/draws/cut_law.h"
#include "traces/synth/synth.h"

#define FIT_CANDIDATES 8
extern const char *const fit_law_words[];                    /* names of the candidates; ends with NULL */
enum { FIT_SLICES = FIT_CANDIDATES - 1 };
struct fit_law {
    struct synth_durations durations;
    bool there;                   /* false: there is no such law of these run times */
    double distance, mean_s, median_s;    /* from the trace, of the cut law */
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
/* w: finished. law: index of fit_law_words, -1: chosen as said above. -1 with err: too few jobs, or no such law. */
int  fit_make(struct fit *to, const struct workload *w, const char *name, int law, struct error *err);
void fit_free(struct fit *f);

/* ---- its parts ---- */

/* x: [n] ascending, in seconds. */
void fit_laws(const double *x, size_t n, struct arena *memory, struct fit_class *to);
void fit_arrivals(const struct workload *w, struct synth_spec *to);
void fit_people(const struct workload *w, struct synth_spec *to);
/* Exponent of Zipf's law for counts in descending order. */
double fit_zipf(const uint32_t *count, size_t n);
/* Kolmogorov and Smirnov's distance of a cut law from a sample. */
double fit_distance(const double *x, size_t n, const struct cut_law *law);

/* ---- two workloads side by side ---- */

enum fit_sample { FIT_RUN_TIMES, FIT_GPUS, FIT_GAPS, FIT_SAMPLES };
extern const char *const fit_sample_name[FIT_SAMPLES];
#define FIT_QUANTILES 9
extern const double fit_quantile[FIT_QUANTILES];
struct fit_side { size_t n; double *sorted; double mean, quantile[FIT_QUANTILES]; };
struct fit_comparison { struct fit_side trace, synthetic; double distance; };
void fit_compare(const struct workload *trace, const struct workload *synthetic, enum fit_sample which, struct fit_comparison *to);
void fit_comparison_free(struct fit_comparison *c);
