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
    return r.nodes > 1 ? f->across_s + f->across_s_per_replica * others : f->within_s + f->within_s_per_replica * others;
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

static struct goodput at_batch(const struct goodput_model *m, const struct goodput_fit *f, double noise, struct replicas r, double batch)
{
    double each = batch / r.n, times = ceil(each / f->most_local * (1.0 - 1e-12));    /* a rounding error is no accumulation */
    struct goodput g = { .batch = batch, .more = times > 1.0 ? (uint32_t)times - 1 : 0 };
    g.local = each / (g.more + 1);
    g.throughput = batch / goodput_step_s(f, r, g.local, g.more);
    g.efficiency = goodput_efficiency(m, noise, batch);
    g.goodput = g.throughput * g.efficiency;
    return g;
}

struct goodput goodput_best(const struct goodput_model *m, const struct goodput_fit *f, double noise, struct replicas r)
{
    double busy = floor(m->most_batch / f->least_local);
    if (r.n > busy)
        r.n = busy > 1.0 ? (uint32_t)busy : 1;
    double least = fmax(m->first_batch, r.n * f->least_local), ratio = m->most_batch / least;
    struct goodput best = { .goodput = -1.0 };
    for (int i = 0; i < GOODPUT_POINTS; i++) {
        struct goodput g = at_batch(m, f, noise, r, least * pow(ratio, (double)i / (GOODPUT_POINTS - 1)));
        if (g.goodput > best.goodput)
            best = g;
    }
    return best;
}

double goodput_speedup(const struct goodput_model *m, const struct goodput_fit *f, double noise, struct replicas r)
{
    return goodput_best(m, f, noise, r).goodput / goodput_best(m, f, noise, (struct replicas){ 1, 1 }).goodput;
}
