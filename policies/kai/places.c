/* places.c - what the run's placer says of places, and for which jobs. See places.h. */
#include "policies/kai/places.h"

#include <string.h>

static const char *choice_of(const struct placer *placer, const void *params, const char *name)
{
    const struct param *p = placer->params;
    while (p && p->name && strcmp(p->name, name) != 0)
        p++;
    return p && p->name && p->options
               ? p->options[(size_t) * (const double *)((const char *)params + p->at)]
               : "";
}

static void find_levels(struct places *how, const struct view *v, node_id end)
{
    uint32_t gpus = 0;
    how->alike = true;
    for (node_id n = 0; n < end; n++) {
        uint32_t here = view_node(v, n).capacity;
        how->alike = how->alike && (here == 0 || gpus == 0 || here == gpus);
        gpus = here ? here : gpus;
        how->level[LEVEL_NODE] = true;
        how->level[view_domain_level(v, view_domain(v, n, LEVEL_ISLAND))] = true;
        for (enum level l = LEVEL_NODE; l < LEVEL_CLUSTER; l = view_level_outwards(v, l))
            how->level[view_domain_level(v, view_domain(v, n, l))] = true;
    }
}

struct places *places_of(struct sched *s, struct quota_state *q)
{
    if (q->places && q->places->pass != q->pass) {
        q->places->pass = q->pass;
        q->places->n_freed = 0;
    }
    if (q->places)
        return q->places;
    struct places *how = q->places = sched_alloc(s, sizeof *how);
    const void *params;
    const struct placer *placer = sched_placer(s, &params);
    const char *devices = choice_of(placer, params, "devices");
    node_id first, end;
    how->pass = q->pass;
    how->spread = !strcmp(placer->name, "spread");
    how->apply = how->spread || !strcmp(placer->name, "pack");
    how->gathers = !strcmp(devices, "pack");
    how->by_pods = q->params->pod_affinity > 0;
    how->apart = !strcmp(devices, "spread");
    view_domain_nodes(sched_view(s, FREE_IDLE), 0, &first, &end);
    how->taken = sched_alloc(s, end * sizeof *how->taken);
    how->freed_on = sched_alloc(s, end * sizeof *how->freed_on);
    find_levels(how, sched_view(s, FREE_IDLE), end);
    return how;
}

static bool inside_nodes(const struct places *how, uint8_t level)
{
    return level == LEVEL_NUMA || (level == LEVEL_ISLAND && !how->level[LEVEL_ISLAND]);
}

bool quota_fills(struct sched *s, struct quota_state *q, job_id j)
{
    const struct job_facts *f = job_facts(s, j);
    const struct places *how = places_of(s, q);
    bool islands =
        inside_nodes(how, f->ask->required_level) || inside_nodes(how, f->ask->preferred_level);
    for (uint32_t g = 0; g < f->n_groups; g++)
        islands = islands || inside_nodes(how, f->group[g].required_level) ||
                  inside_nodes(how, f->group[g].preferred_level);
    return how->apply && !islands &&
           view_power_gpus(sched_view(s, FREE_IDLE), f->ask, 0) == UINT32_MAX;
}

bool quota_chooses(struct sched *s, struct quota_state *q, job_id j)
{
    return job_facts(s, j)->ask->tasks != SPLIT_ANY && quota_fills(s, q, j);
}
