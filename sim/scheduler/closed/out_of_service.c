/* out_of_service.c - nodes and GPUs go out of service and come back, in profiles and windows. See timeline.h. */
#include "sim/scheduler/timeline.h"

static void profiles_out(struct sched *s, node_id n, uint64_t gpus, uint32_t counted, int sign)
{
    struct timeline *t = s->timeline;
    uint32_t first = s->cluster->kind_of[n];
    for (uint32_t k = first; k < first + s->cluster->kind[first].parts; k++) {
        const struct node_kind *kind = &s->cluster->kind[k];
        int64_t milli = sign * (counted ? (int64_t)counted * MILLI_ALL
                                        : (int64_t)__builtin_popcountll(gpus & kind->slots) * kind->slot_milli);
        profile_add(t->kind_taken[k], INT64_MIN, INT64_MAX, milli);
        if (t->taken[n] && t->taken[n] != t->kind_taken[k])
            profile_add(t->taken[n], INT64_MIN, INT64_MAX, milli);
    }
}

/* In windows counted GPUs go by their profile. */
void timeline_node_out(struct sched *s, node_id n, uint64_t gpus, bool whole, int sign)
{
    const struct node_type *type = cluster_node_type(s->cluster, n);
    struct timeline *t = s->timeline;
    for (unsigned w = 0; w < t->n_windows; w++) {
        blocks_lift(t->window[w].blocks, t->window[w].v, t->out, n);
        if (gpus)
            free_index_out_gpus(t->window[w].v, n, gpus, sign);
        if (whole)
            free_index_out_node(t->window[w].v, n, 0, sign);
    }
    profiles_on(s, n, -1);
    t->out[n].gpus ^= gpus;
    t->out[n].whole ^= whole;
    profiles_on(s, n, 1);
    for (unsigned w = 0; w < t->n_windows; w++)
        blocks_lay(t->window[w].blocks, t->window[w].v, t->out, n);
    profiles_out(s, n, gpus, whole && type->counted ? type->gpus : 0, sign);
    gaps_out_change(s, n, gpus, sign);
    t->version++;
    if (sign < 0)
        timeline_reopened(s);
}
