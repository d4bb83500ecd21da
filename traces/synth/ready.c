/* ready.c - see ready.h. */
#include "traces/synth/ready.h"

#include "sim/base/random.h"
#include "traces/synth/synth.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_qrng.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

double size_gpus(const struct synth_size *s)
{
    return (double)s->gpu_milli / MILLI_ALL;
}

/* ---- sizes ---- */

/* Shares of sizes above one GPU times k, the rest to the sizes up to one: the mean is linear in
 * k. */
static int scale_sizes(const struct synth_class *c, double share[], struct error *err)
{
    double sum = 0, low = 0, low_gpus = 0, high_gpus = 0;
    for (size_t i = 0; i < c->n_sizes; i++)
        sum += share[i];
    for (size_t i = 0; i < c->n_sizes; i++) {
        share[i] /= sum;
        *(c->size[i].gpu_milli > MILLI_ALL ? &high_gpus : &low_gpus) += share[i] * size_gpus(&c->size[i]);
        low += c->size[i].gpu_milli > MILLI_ALL ? 0 : share[i];
    }
    if (c->mean_gpus == 0)
        return 0;
    double high = 1 - low, low_mean = low > 0 ? low_gpus / low : 0,
           k = (c->mean_gpus - low_mean) / (high_gpus - high * low_mean);
    if (!(low > 0 && high > 0 && k >= 0 && k * high <= 1))
        return error_set(
            err, "mean_gpus: the shares of sizes above one GPU cannot be scaled to a mean of %g",
            c->mean_gpus);
    for (size_t i = 0; i < c->n_sizes; i++)
        share[i] *= c->size[i].gpu_milli > MILLI_ALL ? k : (1 - k * high) / low;
    return 0;
}

static int make_sizes(struct ready_class *to, struct error *err)
{
    const struct synth_class *c = to->of;
    double *share = mem_new(c->n_sizes, sizeof *share), wanted = c->spearman;
    for (size_t i = 0; i < c->n_sizes; i++)
        share[i] = c->size[i].share;
    int result = scale_sizes(c, share, err);
    if (result == 0)
        to->sizes = shares_of(share, c->n_sizes);
    free(share);
    if (result != 0)
        return -1;
    double most = copula_spearman(&to->sizes, 1);
    if (most == 0 && !c->spearman_given)
        wanted = 0;
    if (most == 0 && wanted != 0)
        return error_set(err, "spearman: one size is correlated with nothing, want 0, got %g",
                         wanted);
    to->r = copula_r(&to->sizes, wanted);
    return isnan(to->r)
               ? error_set(err,
                           "spearman: sizes with so many ties allow from %.3f to %.3f, want %g",
                           -most, most, wanted)
               : 0;
}

/* ---- fates ---- */

static void make_fates(struct ready_class *to)
{
    const struct synth_fates *f = &to->of->fates;
    to->fates = mem_new(to->sizes.n, sizeof *to->fates);
    for (size_t i = 0; i < to->sizes.n; i++) {
        const double *share = f->share;
        for (size_t k = 0; k < f->n_by_gpus && f->by_gpus[k].gpu_milli <= to->of->size[i].gpu_milli;
             k++)
            share = f->by_gpus[k].share;
        to->fates[i] = shares_of(share, SYNTH_FATES);
    }
}

/* Shares of fates of jobs of that size, or of all. */
static void fate_shares(const struct ready_class *to, bool of_all, size_t size,
                        double share[SYNTH_FATES])
{
    for (size_t f = 0; f < SYNTH_FATES; f++) {
        share[f] = of_all ? 0 : shares_of_one(&to->fates[size], f);
        for (size_t i = 0; of_all && i < to->sizes.n; i++)
            share[f] += shares_of_one(&to->sizes, i) * shares_of_one(&to->fates[i], f);
    }
}

/* ---- run times ---- */

struct wanted {                   /* of one size, or of all */
    double share[SYNTH_FATES], mean[SYNTH_FATES];
    double least, most, early;    /* early: of the failed */
    struct law early_law;
    bool scale;                   /* false: all fates have one law */
};

/* Early and late failures as one law: each part has its weight after the cut. */
static struct law both(const struct wanted *w, const struct law *late)
{
    struct law all = { .n = 0 };
    double mass[2] = { law_below(&w->early_law, w->most) - law_below(&w->early_law, w->least),
                       law_below(late, w->most) - law_below(late, w->least) };
    double weight[2] = { w->early / mass[0], (1 - w->early) / mass[1] },
           sum = weight[0] + weight[1];
    if (!law_add(&all, weight[0] / sum, &w->early_law) || !law_add(&all, weight[1] / sum, late))
        all.n = 0;
    return all;
}

/* The law of each fate; a fate without jobs has the law of all. */
static bool laws_of(const struct wanted *w, const struct law *of_all, struct law to[SYNTH_FATES])
{
    for (int f = 0; f < SYNTH_FATES; f++) {
        to[f] = *of_all;
        if (w->scale && w->share[f] > 0 &&
            !law_scale_to_mean(&to[f], w->least, w->most, w->mean[f]))
            return false;
    }
    if (w->early > 0)
        to[FATE_FAILED] = both(w, &to[FATE_FAILED]);
    return to[FATE_FAILED].n > 0;
}

/* Means of the fates in the ratios of the multiples, so that the mean of all is `mean`. */
static bool means_of(struct wanted *w, const struct synth_fates *f, double mean)
{
    double sum = 0, early = w->share[FATE_FAILED] * w->early;
    for (int i = 0; i < SYNTH_FATES; i++)
        sum += w->share[i] * f->multiple[i] * (i == FATE_FAILED ? 1 - w->early : 1);
    double left = early > 0 ? mean - early * law_cut_mean(&w->early_law, w->least, w->most) : mean;
    for (int i = 0; i < SYNTH_FATES; i++)
        w->mean[i] = left / sum * f->multiple[i];
    return left > 0 && sum > 0;
}

/* P(X <= x) of all jobs, minus 0.5; NAN: no such laws. */
static double beyond_median(const struct wanted *w, double sigma, double x)
{
    struct law all = law_lognormal(log(x), sigma), law[SYNTH_FATES];
    double sum = -0.5;
    if (!laws_of(w, &all, law))
        return NAN;
    for (int f = 0; f < SYNTH_FATES; f++) {
        double below = w->least > 0 ? law_below(&law[f], w->least) : 0;
        if (w->share[f] > 0)
            sum += w->share[f] * (law_below(&law[f], x) - below) /
                   (law_below(&law[f], w->most) - below);
    }
    return sum;
}

/* sigma for which all jobs have that median; the means of the fates do not depend on sigma. NAN:
 * none. */
static double sigma_of(const struct wanted *w, double median)
{
    const double step = 1.0 / 16, most = 12;
    double low = 0;
    for (double sigma = step; sigma <= most; sigma += step) {
        double off = beyond_median(w, sigma, median);
        if (!(off > 0)) {
            low = off <= 0 ? sigma : 0;
            continue;
        }
        if (low == 0)
            return NAN;
        for (double high = sigma; high - low > 1e-13;) {
            double middle = (low + high) / 2;
            if (middle <= low || middle >= high)
                break;
            *(beyond_median(w, middle, median) > 0 ? &high : &low) = middle;
        }
        return low;
    }
    return NAN;
}

static struct law law_of_size(const struct synth_class *c, size_t size)
{
    struct law l = c->durations.law;
    double gpus = size_gpus(&c->size[size]);
    if (c->durations.p_per_log2_gpus == 0 || l.n != 2 || gpus <= 0)
        return l;
    l.part[0].weight =
        fmin(fmax(l.part[0].weight + c->durations.p_per_log2_gpus * log2(gpus), 0), 1);
    l.part[1].weight = 1 - l.part[0].weight;
    return l;
}

static int make_laws(struct ready_class *to, size_t v, struct error *err)
{
    const struct synth_class *c = to->of;
    const struct synth_durations *d = &c->durations;
    const struct synth_fates *f = &c->fates;
    struct law all = law_of_size(c, v), law[SYNTH_FATES];
    struct wanted w = { .least = d->least_s, .most = d->most_s, .early = f->early,
                        .early_law = law_lognormal(log(f->early_median_s), f->early_sigma) };
    double mean = d->mean_s > 0 ? d->mean_s : law_cut_mean(&all, d->least_s, d->most_s);
    fate_shares(to, to->n_laws == 1, v, w.share);
    w.early = w.share[FATE_FAILED] > 0 ? f->early : 0;
    w.scale = d->mean_s > 0 || w.early > 0;
    for (int i = 1; i < SYNTH_FATES; i++)
        w.scale = w.scale || f->multiple[i] != f->multiple[0];
    if (!means_of(&w, f, mean))
        return error_set(
            err, "fates: the early failures alone take more than the mean of all, %g s", mean);
    if (d->mean_s > 0) {
        double sigma = sigma_of(&w, d->median_s);
        if (isnan(sigma))
            return error_set(err,
                             "durations: no lognormal law cut to %g..%g s has mean %g s and median "
                             "%g s with these fates",
                             w.least, w.most, d->mean_s, d->median_s);
        all = law_lognormal(log(d->median_s), sigma);
    }
    if (!laws_of(&w, &all, law))
        return error_set(err,
                         "durations: cut to %g..%g s, the law has no such means as the fates want",
                         w.least, w.most);
    for (int i = 0; i < SYNTH_FATES; i++)
        if (!cut_law_make(&to->law[v][i], &law[i], w.least, w.most))
            return error_set(err, "durations: hardly any of the law lies in %g..%g s", w.least,
                             w.most);
    return 0;
}

/* ---- all of it ---- */

int ready_make(struct ready_class *to, const struct synth_class *c, struct error *err)
{
    *to = (struct ready_class){ .of = c };
    if (make_sizes(to, err) != 0)
        return -1;
    make_fates(to);
    to->n_laws = c->durations.p_per_log2_gpus != 0 ? c->n_sizes : 1;
    to->law = mem_new(to->n_laws, sizeof *to->law);
    for (size_t v = 0; v < to->n_laws; v++)
        if (make_laws(to, v, err) != 0)
            return -1;
    if (c->gpu_types.n)
        to->gpu_types = shares_of(c->gpu_types.weight, c->gpu_types.n);
    if (c->models.n)
        to->models = shares_of(c->models.weight, c->models.n);
    return 0;
}

void ready_free(struct ready_class *r)
{
    for (size_t i = 0; r->fates && i < r->sizes.n; i++)
        shares_free(&r->fates[i]);
    for (size_t v = 0; r->law && v < r->n_laws; v++)
        for (int f = 0; f < SYNTH_FATES; f++)
            cut_law_free(&r->law[v][f]);
    free(r->fates);
    free(r->law);
    shares_free(&r->sizes);
    shares_free(&r->gpu_types);
    shares_free(&r->models);
}

int synth_class_check(const struct synth_class *c, struct error *err)
{
    struct ready_class r;
    int result = ready_make(&r, c, err);
    ready_free(&r);
    return result;
}

int synth_class_law(const struct synth_class *c, struct law *to, struct error *err)
{
    struct ready_class r;
    int result = ready_make(&r, c, err);
    if (result == 0)
        *to = r.law[0][FATE_COMPLETED].law;
    ready_free(&r);
    return result;
}

struct drawn ready_draw(const struct ready_class *r, const struct luck *u)
{
    size_t size = shares_choose(&r->sizes, u->size), fate = shares_choose(&r->fates[size], u->fate);
    const struct cut_law *law = &r->law[r->n_laws > 1 ? size : 0][fate];
    return (struct drawn){ size, (enum job_fate)fate,
                           cut_law_quantile(law, copula_join(r->r, u->size, u->duration)) };
}

/* ==== what a job costs on the mean ==== */

enum { LOTS = 16, DRAWS = 1 << 20, DIMENSIONS = 3 };

double ready_attempts(const struct ready_class *r, size_t size, const struct synth_retries *retries)
{
    double again = retries->probability * shares_of_one(&r->fates[size], FATE_FAILED), sum = 1;
    for (uint32_t k = 0; k < retries->most; k++)
        sum = 1 + again * sum;
    return sum;
}

static double exact(const struct ready_class *r, const struct synth_retries *retries)
{
    double sum = 0;
    for (size_t i = 0; i < r->sizes.n; i++) {
        const struct cut_law *law = r->law[r->n_laws > 1 ? i : 0];
        double mean = 0;
        for (size_t f = 0; f < SYNTH_FATES; f++)
            mean += shares_of_one(&r->fates[i], f) * law[f].mean;
        sum += shares_of_one(&r->sizes, i) * size_gpus(&r->of->size[i]) * mean *
               ready_attempts(r, i, retries);
    }
    return sum;
}

static double shifted(double x, double by)
{
    double sum = x + by;
    return fmin(fmax(sum - floor(sum), 0x1p-53), 1 - 0x1p-53);
}

/* Shares of sizes in proportion to the GPUs of all their attempts; *total: GPUs of a job. */
static struct shares by_gpus(const struct ready_class *r, const struct synth_retries *retries,
                             double *total)
{
    double *weight = mem_new(r->sizes.n, sizeof *weight);
    *total = 0;
    for (size_t i = 0; i < r->sizes.n; i++)
        *total += weight[i] = shares_of_one(&r->sizes, i) * size_gpus(&r->of->size[i]) * ready_attempts(r, i, retries);
    struct shares s = shares_of(weight, r->sizes.n);
    free(weight);
    return s;
}

/* From the uniform number of a size drawn by GPUs to the uniform number of the size drawn by
 * jobs. */
static double among_jobs(const struct ready_class *r, const struct shares *gpus, double u)
{
    size_t i = shares_choose(gpus, u);
    double within = (u - (i ? gpus->up_to[i - 1] : 0)) / shares_of_one(gpus, i);
    return (i ? r->sizes.up_to[i - 1] : 0) +
           fmin(fmax(within, 1e-12), 1 - 1e-12) * shares_of_one(&r->sizes, i);
}

/* Mean run time of jobs drawn by GPUs, over Sobol points; each lot is shifted by a vector of its
 * own modulo 1 (Cranley and Patterson, SIAM J. Numer. Anal. 13, 1976). */
static double lot(const struct ready_class *r, const struct shares *gpus, uint64_t number,
                  size_t draws)
{
    struct random shift;
    double by[DIMENSIONS], x[DIMENSIONS], sum = 0;
    gsl_error_handler_t *usual = gsl_set_error_handler_off();
    gsl_qrng *q = gsl_qrng_alloc(gsl_qrng_sobol, DIMENSIONS);
    gsl_set_error_handler(usual);
    if (!q)
        mem_exhausted();
    random_init(&shift, 0, "quasi-random shift", number);
    for (int i = 0; i < DIMENSIONS; i++)
        by[i] = random_uniform(&shift);
    for (size_t k = 0; k < draws; k++) {
        gsl_qrng_get(q, x);
        const struct luck u = { among_jobs(r, gpus, shifted(x[0], by[0])), shifted(x[1], by[1]),
                                shifted(x[2], by[2]) };
        sum += ready_draw(r, &u).duration_s;
    }
    gsl_qrng_free(q);
    return sum / (double)draws;
}

double ready_gpu_s(const struct ready_class *r, const struct synth_retries *retries, uint32_t among,
                   double *relative_error)
{
    double mean = 0, square = 0, total;
    *relative_error = 0;
    if (r->r == 0)
        return exact(r, retries) * r->of->slowdown;
    struct shares gpus = by_gpus(r, retries, &total);
    for (uint64_t k = 0; k < LOTS && total > 0; k++) {
        double x = total * lot(r, &gpus, k, DRAWS / LOTS / among);
        mean += x / LOTS;
        square += x * x / LOTS;
    }
    shares_free(&gpus);
    if (mean > 0)
        *relative_error = sqrt(fmax(square - mean * mean, 0) / (LOTS - 1)) / mean;
    return mean * r->of->slowdown;
}
