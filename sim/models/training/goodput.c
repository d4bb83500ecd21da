/* goodput.c - see goodput.h. */
#include "sim/models/training/goodput.h"

#include <math.h>
#include <stddef.h>
#include <strings.h>

const struct goodput_fit *goodput_fit(const char *model, const char *gpu)
{
    for (const struct goodput_fit *f = goodput_fits; f->model; f++)
        if (!strcasecmp(f->model, model) && !strcasecmp(f->gpu, gpu))
            return f;
    return NULL;
}

const struct goodput_model *goodput_model(const char *name)
{
    for (const struct goodput_model *m = goodput_models; m->name; m++)
        if (!strcasecmp(m->name, name))
            return m;
    return NULL;
}

double goodput_grad_s(const struct goodput_fit *f, double local)
{
    return f->grad_s + f->grad_s_per_sample * local;
}

double goodput_sync_s(const struct goodput_fit *f, struct replicas r)
{
    if (r.n <= 1)
        return 0.0;
    double others = (double)(r.n - 2);
    return r.nodes > 1 ? f->across_s + f->across_s_per_replica * others
                       : f->within_s + f->within_s_per_replica * others;
}

double goodput_step_s(const struct goodput_fit *f, struct replicas r, double local, uint32_t more)
{
    double grad_s = goodput_grad_s(f, local), sync_s = goodput_sync_s(f, r);
    double last_s = pow(pow(grad_s, f->overlap) + pow(sync_s, f->overlap), 1.0 / f->overlap);
    return more * grad_s + last_s;
}

double goodput_efficiency(const struct goodput_model *m, double noise, double batch)
{
    return (noise + m->first_batch) / (noise + batch);
}

double goodput_noise(const struct goodput_model *m, double done)
{
    return m->first_noise * pow(m->last_noise / m->first_noise, done);
}

static struct goodput at_batch(const struct goodput_model *m, const struct goodput_fit *f,
                               double noise, struct replicas r, double batch)
{
    /* a rounding error is no accumulation */
    double each = batch / r.n, times = ceil(each / f->most_local * (1.0 - 1e-12));
    struct goodput g = { .batch = batch, .more = times > 1.0 ? (uint32_t)times - 1 : 0 };
    g.local = each / (g.more + 1);
    g.throughput = batch / goodput_step_s(f, r, g.local, g.more);
    g.efficiency = goodput_efficiency(m, noise, batch);
    g.goodput = g.throughput * g.efficiency;
    return g;
}

struct goodput goodput_best(const struct goodput_model *m, const struct goodput_fit *f,
                            double noise, struct replicas r)
{
    double busy = floor(m->most_batch / f->least_local);
    if (r.n > busy)
        r.n = busy > 1.0 ? (uint32_t)busy : 1;
    double least = fmax(m->first_batch, r.n * f->least_local), ratio = m->most_batch / least;
    struct goodput best = { .goodput = -1.0 };
    for (int i = 0; i < GOODPUT_POINTS; i++) {
        struct goodput g =
            at_batch(m, f, noise, r, least * pow(ratio, (double)i / (GOODPUT_POINTS - 1)));
        if (g.goodput > best.goodput)
            best = g;
    }
    return best;
}

double goodput_speedup(const struct goodput_model *m, const struct goodput_fit *f, double noise,
                       struct replicas r)
{
    return goodput_best(m, f, noise, r).goodput /
           goodput_best(m, f, noise, (struct replicas){ 1, 1 }).goodput;
}

/* ---- the fits ---- */

/* Fits: least squares on the log of the step time, with AdaptDL's regulariser, to the measurements
 *     of Sia (Jayaram Subramanya et al., SOSP'23), siasosp23/artifacts:adaptdl/sched/traces/MODEL/
 *     {placements,scalability}-{aws,rtx,dgx-ext}.csv: T4 in nodes of 4, 2080Ti and A100 in nodes of
 *     8. models.md 3.6 [D]. No fit of yolov3 for the A100.
 * Restart times: siasosp23/artifacts:adaptdl/sched/adaptdl_sched/policy/mip.py, models.md 3.3 [R].
 * Batches and noise scales: assumed, models.md 3.6 [A]. */
const struct goodput_fit goodput_fits[] = {
    /*                          T_grad              T_sync, across       within             gamma   b              RMSLE */
    { "bert", "T4", .2812, .0492, 1.335, .00954, .1733, 1e-7, 1.77, 4, 12, .107 },
    { "bert", "2080Ti", .2535, .01096, .3291, .02165, .1613, .05183, 1.00, 4, 12, .092 },
    { "bert", "A100", .1021, .004848, .04428, .004408, .03867, .007462, 2.143, 4, 48, .029 },
    { "cifar10", "T4", .006737, 7.755e-4, .1288, .002632, .04466, .00165, 2.50, 32, 1024, .098 },
    { "cifar10", "2080Ti", .03368, 2.715e-4, .09005, .001509, .06676, .004409, 3.26, 32, 1024,
      .056 },
    { "cifar10", "A100", .02292, 9.098e-5, .01932, 6.805e-4, .01843, .001311, 2.96, 32, 4096,
      .041 },
    { "deepspeech2", "T4", 1e-7, .0325, .8637, .009266, .4957, .04328, 2.57, 10, 80, .089 },
    { "deepspeech2", "2080Ti", .06376, .01797, .4892, .01731, .4282, .0435, 2.21, 10, 80, .083 },
    { "deepspeech2", "A100", .2571, .01515, .4567, .008611, .4052, .01516, 1.92, 10, 320, .076 },
    { "imagenet", "T4", .04665, .004476, .3009, .006518, .1096, .00173, 2.27, 20, 200, .103 },
    { "imagenet", "2080Ti", .1300, .001821, .1752, .00651, .09359, .02168, 2.16, 20, 200, .079 },
    { "imagenet", "A100", .08537, 9.894e-4, .04431, .002598, .05032, .003993, 2.026, 20, 800,
      .079 },
    { "ncf", "T4", .006925, 8.3e-7, .01439, 5.5e-4, .0040, 0, 1, 32, 32768, .13 },
    { "ncf", "2080Ti", .01618, 1.7e-7, .00755, 4.9e-4, .0041, 8.1e-4, 1, 32, 32768, .08 },
    { "ncf", "A100", .008156, 2.1e-7, .00141, 2.2e-4, .0016, 4.1e-4, 1.34, 32, 32768, .10 },
    { "yolov3", "T4", .1931, .0253, .7429, .01072, .1230, .0163, 1.11, 4, 16, .12 },
    { "yolov3", "2080Ti", .4107, .02305, .2427, .00805, .1196, .0151, 1.02, 4, 8, .12 },
    { .model = NULL },
};

const struct goodput_model goodput_models[] = {
    /*              M0    M_max   phi0   phi1    restart */
    { "bert",        12,    384,   200,   800,   120 },
    { "cifar10",    128,   4096,   500,  5000,    20 },
    { "deepspeech2", 20,    640,   100,   400,    25 },
    { "imagenet",   200,  12800,  1500, 15000,   250 },
    { "ncf",        256,  32768,  5000,  5000,    30 },
    { "yolov3",       8,    512,    50,   400,    80 },
    { .name = NULL },
};
