/* views.c - the views of what is free that a run keeps. */
#include "sim/scheduler/placing.h"

struct view *placing_view(struct sched *s)
{
    struct view *v = free_index_new(s->cluster, s->placing->kinds, &s->placing->random);
    v->n_shapes = s->workload->n_shapes;
    v->seed = s->setup.seed;
    v->typical = &s->placing->typical;
    v->rates = s->predicted_rates;
    v->facts = s->workload->facts;
    if (s->setup.placer->needs & SEES_TENANTS)
        free_index_count_tenants(v);
    free_index_cap_power(v);
    if (s->placing->gpu_mem_most_mib)
        free_index_count_memory(v, s->placing->gpu_mem_most_mib);
    return v;
}
