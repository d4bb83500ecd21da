/* views.c - the views of what is free that a run keeps. */
#include "sim/scheduler/placing.h"
#include "sim/scheduler/timeline.h"

struct view *placing_view(struct sched *s)
{
    struct view *v = free_index_new(s->cluster, s->placing->kinds, &s->placing->random);
    v->n_shapes = s->workload->n_shapes;
    v->seed = s->setup.seed;
    v->typical = &s->placing->typical;
    v->rates = s->predicted_rates;
    v->facts = s->workload->facts;
    v->keeps = models_keep;
    v->run = s;
    if (s->setup.placer->needs & SEES_TENANTS)
        free_index_count_tenants(v);
    free_index_cap_power(v);
    if (s->placing->gpu_mem_most_mib)
        free_index_count_memory(v, s->placing->gpu_mem_most_mib);
    return v;
}

struct view *timeline_own_view(const struct sched *s, const struct view *v)
{
    for (unsigned w = 0; s->timeline && w < s->timeline->n_windows; w++)
        if (s->timeline->window[w].v == v)
            return s->timeline->window[w].v;
    return NULL;
}

struct view *view_of(const struct sched *s, const struct view *v)
{
    if (v == s->idle)
        return s->idle;
    struct view *own = v && v == s->releasing ? s->releasing : timeline_own_view(s, v);
    return own ? own : s->idle;
}
