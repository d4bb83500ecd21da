/* load.c - what a job of a class costs on the mean: see ready.h. */
#include "sim/base/random.h"
#include "traces/synth/ready.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_qrng.h>
#include <math.h>
#include <stdlib.h>

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
        sum += shares_of_one(&r->sizes, i) * size_gpus(&r->of->size[i]) * mean * ready_attempts(r, i, retries);
    }
    return sum;
}

static double shifted(double x, double by)
{
    double sum = x + by;
    return fmin(fmax(sum - floor(sum), 0x1p-53), 1 - 0x1p-53);
}

/* Sizes in proportion to the GPUs that jobs of them ask for in all; *total: of all sizes. */
static struct shares by_gpus(const struct ready_class *r, const struct synth_retries *retries, double *total)
{
    double *weight = mem_new(r->sizes.n, sizeof *weight);
    *total = 0;
    for (size_t i = 0; i < r->sizes.n; i++)
        *total += weight[i] = shares_of_one(&r->sizes, i) * size_gpus(&r->of->size[i]) * ready_attempts(r, i, retries);
    struct shares s = shares_of(weight, r->sizes.n);
    free(weight);
    return s;
}

/* The uniform number of a size as a job of any kind has it, from that of one drawn by GPUs. */
static double among_jobs(const struct ready_class *r, const struct shares *gpus, double u)
{
    size_t i = shares_choose(gpus, u);
    double within = (u - (i ? gpus->up_to[i - 1] : 0)) / shares_of_one(gpus, i);
    return (i ? r->sizes.up_to[i - 1] : 0) + fmin(fmax(within, 1e-12), 1 - 1e-12) * shares_of_one(&r->sizes, i);
}

/* The mean run time of jobs drawn by GPUs. Sobol's points, each lot moved by a vector of its own modulo 1 (Cranley and
 * Patterson, SIAM J. Numer. Anal. 13, 1976). */
static double lot(const struct ready_class *r, const struct shares *gpus, uint64_t number, size_t draws)
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
        const struct luck u = { among_jobs(r, gpus, shifted(x[0], by[0])), shifted(x[1], by[1]), shifted(x[2], by[2]) };
        sum += ready_draw(r, &u).duration_s;
    }
    gsl_qrng_free(q);
    return sum / (double)draws;
}

double ready_gpu_s(const struct ready_class *r, const struct synth_retries *retries, uint32_t among, double *relative_error)
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
