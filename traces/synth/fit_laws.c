/* fit_laws.c - laws for a sample of run times: see fit.h. */
#include "traces/synth/fit.h"

#include <gsl/gsl_sf_psi.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DISTANCE_MOST 0.1
#define MEAN_OFF_MOST 0.1
#define SHORTEST_S 0.5            /* a run time of 0 counts as this: traces have whole seconds */

enum { BY_MEAN_AND_MEDIAN, BY_LOGS, WEIBULL, GAMMA, MIX_2, MIX_3, MIX_4, SLICES };
const char *const fit_law_words[] = {
    "lognormal", "lognormal-of-logs", "weibull", "gamma", "mix-2", "mix-3", "mix-4", "slices", NULL
};
_Static_assert((int)SLICES == (int)FIT_SLICES &&
                   sizeof fit_law_words / sizeof *fit_law_words == FIT_CANDIDATES + 1,
               "one word a candidate");

struct sample {
    const double *x;              /* ascending */
    size_t n;
    double mean, mean_log, sd_log, median;
    struct arena *memory;
};

static double log_of(double x)
{
    return log(fmax(x, SHORTEST_S));
}

double fit_distance(const double *x, size_t n, const struct cut_law *law)
{
    double d = 0;
    for (size_t i = 0, next; i < n; i = next) {
        for (next = i + 1; next < n && x[next] == x[i]; next++)
            ;
        double p = cut_law_below(law, x[i]), before = cut_law_below(law, nextafter(x[i], 0));
        d = fmax(d, fmax(before - (double)i / (double)n, (double)next / (double)n - p));
        d = fmax(d, fmax((double)i / (double)n - before, p - (double)next / (double)n));
    }
    return d;
}

/* ---- maximum likelihood ---- */

/* Root of an increasing function by bisection in ln x. */
static double root(double (*f)(double x, const struct sample *s), const struct sample *s,
                   double low, double high)
{
    for (int i = 0; i < 100; i++) {
        double middle = sqrt(low * high);
        *(f(middle, s) < 0 ? &low : &high) = middle;
    }
    return sqrt(low * high);
}

/* sum x^k ln x / sum x^k - 1/k - mean of ln x; x in units of the longest, so that no power
 * overflows. */
static double weibull_slope(double k, const struct sample *s)
{
    double sum = 0, logs = 0, most = log_of(s->x[s->n - 1]);
    for (size_t i = 0; i < s->n; i++) {
        double ln = log_of(s->x[i]) - most, power = exp(k * ln);
        sum += power;
        logs += power * ln;
    }
    return logs / sum + most - 1 / k - s->mean_log;
}

static struct law weibull(const struct sample *s)
{
    double k = root(weibull_slope, s, .05, 50), sum = 0, most = log_of(s->x[s->n - 1]);
    for (size_t i = 0; i < s->n; i++)
        sum += exp(k * (log_of(s->x[i]) - most));
    return (struct law){ 1,
                         { { .kind = LAW_WEIBULL,
                             .weight = 1,
                             .scale = 1,
                             .a = k,
                             .b = exp(most + log(sum / (double)s->n) / k) } } };
}

/* ln k - psi(k) falls from infinity to 0. */
static double gamma_slope(double k, const struct sample *s)
{
    return log(s->mean) - s->mean_log - (log(k) - gsl_sf_psi(k));
}

static struct law gamma_law(const struct sample *s)
{
    double k = root(gamma_slope, s, .01, 1000);
    return (struct law){
        1, { { .kind = LAW_GAMMA, .weight = 1, .scale = 1, .a = k, .b = s->mean / k } }
    };
}

/* ---- mixes: expectation and maximisation on ln x, in bins ---- */

enum { BINS = 4000, ROUNDS = 400 };
#define SIGMA_LEAST 0.05

struct bins { double at[BINS], n[BINS]; size_t used; };

/* A bin is at the mean of its logs. */
static void fill(struct bins *b, const struct sample *s)
{
    double low = log_of(s->x[0]), high = log_of(s->x[s->n - 1]), width = (high - low) / BINS;
    size_t last = SIZE_MAX;
    b->used = 0;
    for (size_t i = 0; i < s->n; i++) {
        double ln = log_of(s->x[i]);
        size_t k = width > 0 ? (size_t)fmin((ln - low) / width, BINS - 1) : 0;
        if (k != last) {
            b->at[b->used] = 0;
            b->n[b->used++] = 0;
        }
        last = k;
        b->at[b->used - 1] += ln;
        b->n[b->used - 1]++;
    }
    for (size_t k = 0; k < b->used; k++)
        b->at[k] /= b->n[k];
}

static double density(const struct law_part *p, double ln)
{
    double z = (ln - p->a) / p->b;
    return p->weight / p->b * exp(-z * z / 2);
}

static void one_round(struct law *l, const struct bins *b, double n)
{
    double weight[LAW_PARTS_MOST] = { 0 }, sum[LAW_PARTS_MOST] = { 0 },
           square[LAW_PARTS_MOST] = { 0 };
    for (size_t k = 0; k < b->used; k++) {
        double d[LAW_PARTS_MOST], all = 0;
        for (size_t i = 0; i < l->n; i++)
            all += d[i] = density(&l->part[i], b->at[k]);
        for (size_t i = 0; i < l->n && all > 0; i++) {
            double mine = b->n[k] * d[i] / all;
            weight[i] += mine;
            sum[i] += mine * b->at[k];
            square[i] += mine * b->at[k] * b->at[k];
        }
    }
    for (size_t i = 0; i < l->n; i++) {
        if (weight[i] < 1e-9 * n)
            continue;
        l->part[i].weight = weight[i] / n;
        l->part[i].a = sum[i] / weight[i];
        l->part[i].b =
            fmax(sqrt(fmax(square[i] / weight[i] - l->part[i].a * l->part[i].a, 0)), SIGMA_LEAST);
    }
}

/* Starts with equal parts around quantiles of the sample. */
static struct law mix(const struct sample *s, size_t parts)
{
    struct bins *b = mem_new(1, sizeof *b);
    struct law l = { .n = parts };
    double sum = 0;
    fill(b, s);
    for (size_t i = 0; i < parts; i++)
        l.part[i] = (struct law_part){ .kind = LAW_LOGNORMAL,
                                       .weight = 1 / (double)parts,
                                       .scale = 1,
                                       .a = log_of(s->x[(2 * i + 1) * s->n / (2 * parts)]),
                                       .b = fmax(s->sd_log / (double)parts, SIGMA_LEAST) };
    for (int k = 0; k < ROUNDS; k++)
        one_round(&l, b, (double)s->n);
    for (size_t i = 0; i < parts; i++)
        sum += l.part[i].weight;
    for (size_t i = 0; i < parts; i++)
        l.part[i].weight /= sum;
    free(b);
    return l;
}

/* ---- slices of the sample ---- */

static struct law slices(const struct sample *s)
{
    enum { MOST = 200 };
    size_t n = s->n < MOST ? s->n : MOST;
    struct law_values *v = arena_alloc(s->memory, sizeof *v);
    *v = (struct law_values){ n, arena_alloc(s->memory, n * sizeof *v->value), arena_alloc(s->memory, (n + 1) * sizeof *v->sum) };
    for (size_t k = 0; k < n; k++) {
        size_t from = k * s->n / n, to = (k + 1) * s->n / n;
        for (size_t i = from; i < to; i++)
            v->value[k] += s->x[i] / (double)(to - from);
        /* rounding must not leave the cut */
        v->value[k] = fmin(fmax(v->value[k], s->x[from]), s->x[to - 1]);
        v->sum[k + 1] = v->sum[k] + v->value[k];
    }
    return (struct law){ 1, { { .kind = LAW_EMPIRICAL, .weight = 1, .scale = 1, .values = v } } };
}

/* ---- all of them ---- */

static struct sample sample_of(const double *x, size_t n, struct arena *memory)
{
    struct sample s = { .x = x, .n = n, .memory = memory };
    for (size_t i = 0; i < n; i++) {
        s.mean += x[i] / (double)n;
        s.mean_log += log_of(x[i]) / (double)n;
    }
    for (size_t i = 0; i < n; i++)
        s.sd_log += (log_of(x[i]) - s.mean_log) * (log_of(x[i]) - s.mean_log) / (double)n;
    s.sd_log = sqrt(s.sd_log);
    s.median = (x[(n - 1) / 2] + x[n / 2]) / 2;
    return s;
}

static struct synth_durations candidate(const struct sample *s, int which)
{
    struct synth_durations d = { .least_s = fmax(s->x[0], 0),
                                 .most_s = fmax(s->x[s->n - 1], SHORTEST_S) };
    if (!(d.least_s < d.most_s))
        d.least_s = 0;
    switch (which) {
    case BY_MEAN_AND_MEDIAN:
        d.mean_s = s->mean;
        d.median_s = s->median;
        if (s->mean > s->median && s->median > 0)
            d.law = law_lognormal_of(s->mean, s->median);
        break;
    case BY_LOGS:
        d.law = law_lognormal(s->mean_log, s->sd_log);
        break;
    case WEIBULL:
        d.law = weibull(s);
        break;
    case GAMMA:
        d.law = gamma_law(s);
        break;
    case SLICES:
        d.law = slices(s);
        break;
    default:
        d.law = mix(s, (size_t)(which - MIX_2 + 2));
    }
    return d;
}

/* A law by mean and median is solved as for a workload file. */
static bool solved(struct synth_durations *d, struct law *to)
{
    *to = d->law;
    if (d->mean_s == 0 || d->law.n == 0)
        return d->law.n > 0;
    struct error none = { "" };
    struct synth_class c = synth_class_default;
    struct synth_size one = { MILLI_ALL, 1 };
    c.n_sizes = 1;
    c.size = &one;
    c.durations = *d;
    return synth_class_law(&c, to, &none) == 0;
}

void fit_laws(const double *x, size_t n, struct arena *memory, struct fit_class *to)
{
    struct sample s = sample_of(x, n, memory);
    to->chosen = SLICES;
    to->mean_s = s.mean;
    to->median_s = s.median;
    for (int k = 0; k < FIT_CANDIDATES; k++) {
        struct fit_law *l = &to->law[k];
        struct cut_law cut = { 0 };
        struct law law;
        bool flat = s.sd_log < 1e-9 && k != SLICES; /* equal run times: only the slices are a law */
        l->there = false;
        if (flat)
            continue;
        l->durations = candidate(&s, k);
        l->there = solved(&l->durations, &law) &&
                   cut_law_make(&cut, &law, l->durations.least_s, l->durations.most_s);
        if (l->there) {
            l->distance = fit_distance(x, n, &cut);
            l->mean_s = cut.mean;
            l->median_s = cut_law_quantile(&cut, .5);
            bool near =
                l->distance <= DISTANCE_MOST && fabs(l->mean_s / s.mean - 1) <= MEAN_OFF_MOST;
            if (k != SLICES && near &&
                (to->chosen == SLICES || l->distance < to->law[to->chosen].distance))
                to->chosen = k;
        }
        cut_law_free(&cut);
    }
}
