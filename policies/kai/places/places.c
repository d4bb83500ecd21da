/* places.c - what the run's placer says of places, and for which jobs; and what stops of this pass
 * have set free. See places.h. */
#include "policies/kai/places/places.h"

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

/* ---- What stops of this pass have set free at once ---- */

/* A task that need not save leaves in no time, so that its room is idle. In KAI an evicted pod is
 * Releasing until its session ends (NVIDIA/KAI-Scheduler:pkg/scheduler/framework/statement.go,
 * api/node_info/node_info.go), however fast it is: no node is preferred for it. */

/* Grows when the piece becomes idle. */
static int64_t idle_there(const struct view *idle, const struct piece *p)
{
    if (p->gpus && p->milli < MILLI_ALL)
        return view_gpu_milli(idle, p->node, (unsigned)__builtin_ctzll(p->gpu_mask));
    struct node_free f = view_node(idle, p->node);
    return p->gpus ? f.whole : f.cpu_milli;
}

int64_t *quota_idle_before(struct sched *s, job_id j, const struct piece *piece, uint32_t n)
{
    if (job_facts(s, j)->ask->tasks == SPLIT_ANY)
        return NULL;
    int64_t *before = sched_scratch(s, n * sizeof *before);
    for (uint32_t i = 0; i < n; i++)
        before[i] = idle_there(sched_view(s, FREE_IDLE), &piece[i]);
    return before;
}

static void add_freed(struct sched *s, struct places *how, const struct piece *p,
                      const struct request *run)
{
    struct freed_on_node *on = &how->freed_on[p->node];
    how->freed = array_grown(sched_alloc, s, how->freed, &how->freed_capacity, how->n_freed,
                             sizeof *how->freed);
    if (on->pass != how->pass)
        *on = (struct freed_on_node){ how->pass, ID_NONE };
    how->freed[how->n_freed] = (struct freed_piece){ *p, run->cpu_milli, run->mem_mib, on->first };
    on->first = (uint32_t)how->n_freed++;
}

void quota_note_freed(struct sched *s, struct quota_state *q, job_id j, const struct piece *piece,
                      uint32_t n, const int64_t *before)
{
    const struct request *ask = job_facts(s, j)->ask;
    struct places *how = places_of(s, q);
    for (uint32_t i = 0; i < n && ask->tasks != SPLIT_ANY; i++)
        if (idle_there(sched_view(s, FREE_IDLE), &piece[i]) > before[i])
            add_freed(s, how, &piece[i], request_of_task(ask, piece[i].task));
}

/* Mostly nothing was set free, and nothing of the node is read. */
static uint32_t first_on(const struct places *how, node_id n)
{
    return how->n_freed > 0 && how->freed_on[n].pass == how->pass ? how->freed_on[n].first : ID_NONE;
}

struct node_free freed_without(const struct places *how, node_id n, struct node_free idle)
{
    bool counted = idle.whole > 0 && !idle.whole_mask;
    for (uint32_t i = first_on(how, n); i != ID_NONE; i = how->freed[i].next) {
        const struct freed_piece *f = &how->freed[i];
        uint64_t mine = idle.whole_mask & f->at.gpu_mask;
        idle.whole -= counted ? min_u32(f->at.gpus, idle.whole)
                              : (uint32_t)__builtin_popcountll(mine);
        idle.whole_mask &= ~mine;
        idle.cpu_milli -= idle.cpu_milli == INT64_MAX ? 0 : f->cpu_milli;
        idle.mem_mib -= idle.mem_mib == INT64_MAX ? 0 : f->mem_mib;
    }
    return idle;
}

uint32_t freed_milli(const struct places *how, node_id n, unsigned gpu)
{
    uint32_t milli = 0;
    for (uint32_t i = first_on(how, n); i != ID_NONE; i = how->freed[i].next)
        if (how->freed[i].at.gpu_mask >> gpu & 1)
            milli += how->freed[i].at.milli;
    return milli;
}
