/* services.c - the services of a workload file become part of a workload: each replica a job on demand. */
#include "sim/serving/deployment.h"
#include "traces/synth/synth.h"

#include <stdio.h>

enum { PERFECT = 1 };             /* of native_checkpoints[] */
const struct own_overhead synth_on_demand_overhead = { .checkpoint = PERFECT, .interval_ns = -1, .restart_ns = -1 };

static int add_replicas(const struct deployment *d, const struct job_row *replica, const char *file, size_t number, struct workload *w,
                        struct error *err)
{
    struct job_row row = *replica;
    int64_t start_ns = d->service.demand.start_ns, end_ns = d->service.demand.end_ns;
    row.duration_ns = end_ns == TIME_NEVER ? ENDLESS_NS : end_ns - start_ns;
    for (uint32_t k = 0; k < d->scaler.most; k++) {
        char name[256];
        int length = snprintf(name, sizeof name, "%s/%u", d->service.name, k);
        if (length >= (int)sizeof name)
            return error_set(err, "%s: service %.60s...: want a shorter name", file, d->service.name);
        row.job_id = name;
        row.job_id_length = (size_t)length;
        if (workload_add(w, &row, file, number + 1, err))
            return -1;
    }
    return 0;
}

int synth_services_add(struct synth_spec *s, uint64_t seed, const char *file, struct workload *w, struct error *err)
{
    struct deployments *all = s->services;
    if (!all)
        return 0;
    for (size_t i = 0; i < all->n; i++)
        if (all->of[i].service.demand.end_ns == TIME_NEVER && w->n_jobs == 0)
            return error_set(err, "%s: service %s: want its end_s, or a span_s, where there are no jobs", file, all->of[i].service.name);
    for (size_t i = 0; i < all->n; i++)
        if (add_replicas(&all->of[i], &s->replica[i], file, i, w, err))
            return -1;
    all->seed = seed;
    w->services = all;
    w->services_free = deployments_free;
    s->services = NULL;
    return 0;
}
