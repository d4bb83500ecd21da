/* mig.c - GPUs that are cut into MIG instances as jobs ask for them: what is cut, and what it costs to cut it anew.
 *
 * An instance that is there is used again for nothing. Otherwise the idle ones that overlap are destroyed and it is made, which
 * takes mig_reconfigure_s before the job starts up, once for all instances that it needs. Instances in use are never touched: a
 * placement takes only memory slices that no job has (free_index.c). */
#include "sim/engine/state.h"
#include "sim/physics/physics.h"
#include "sim/scheduler/placements.h"

#include <stdlib.h>

struct mig_run {
    uint64_t (*cut)[MIG_PROFILES_MOST];    /* [n_nodes] where an instance of each kind of the node begins */
    int64_t *held_milli;          /* [n_nodes] */
    uint64_t reconfigurations;
    int128_t cost;                /* milli-GPU ns */
};

extern const struct run_model mig_model;

static struct mig_run *mig_of(const struct sched *s)
{
    return model_state(s, &mig_model);
}

static bool is_wanted(const struct sched *s)
{
    for (uint32_t t = 0; t < s->cluster->n_types; t++)
        if (s->cluster->type[t].mig_dynamic)
            return true;
    return false;
}

static void begin(struct sched *s)
{
    struct mig_run *m = mem_new(1, sizeof *m);
    m->cut = mem_new(s->cluster->n_nodes, sizeof *m->cut);
    m->held_milli = mem_new(s->cluster->n_nodes, sizeof *m->held_milli);
    model_state_set(s, &mig_model, m);
}

static void end_of_run(struct sched *s)
{
    struct mig_run *m = mig_of(s);
    free(m->cut);
    free(m->held_milli);
    free(m);
}

static void held(struct sched *s, job_id j, const struct placement *p, int sign)
{
    (void)j;
    int64_t *milli = mig_of(s)->held_milli;
    for (size_t i = 0; i < p->n; i++)
        milli[p->piece[i].node] += sign * (int64_t)p->piece[i].gpus * p->piece[i].milli;
}

static int64_t held_milli(const struct sched *s, node_id n)
{
    return mig_of(s)->held_milli[n];
}

/* False: all of them are there. */
static bool reconfigure(struct sched *s, const struct piece *p)
{
    const struct cluster *c = s->cluster;
    uint32_t first = c->kind_of[p->node], own = cluster_piece_kind(c, p);
    uint64_t *cut = mig_of(s)->cut[p->node], made = p->gpu_mask & ~cut[own - first];
    uint64_t taken = kind_takes(&c->kind[own], made);
    for (uint32_t k = first; made && k < first + c->kind[first].parts; k++)
        for (uint64_t m = cut[k - first]; m; m &= m - 1)
            if (kind_takes(&c->kind[k], m & -m) & taken)
                cut[k - first] &= ~(m & -m);
    cut[own - first] |= made;
    mig_of(s)->reconfigurations += (uint64_t)__builtin_popcountll(made);
    return made != 0;
}

static void placed(struct sched *s, struct live *l)
{
    bool any = false;
    for (size_t i = 0; i < l->now.held->n; i++)
        if (l->now.held->piece[i].gpu_mask && cluster_node_type(s->cluster, l->now.held->piece[i].node)->mig_dynamic)
            any |= reconfigure(s, &l->now.held->piece[i]);
    if (!any || (workload_extra(s->workload, l->job)->running && job_cost(s, l->job).restarts == 0))
        return;                   /* it ran when the trace began, so they were there */
    int64_t cost_ns = s->cluster->sharing.mig_reconfigure_ns;
    l->start_cost_ns += cost_ns;
    l->pace.mark_ns += cost_ns;
    mig_of(s)->cost += (int128_t)cost_ns * placement_gpu_milli(l->now.held);
}

enum { RECONFIGURATIONS, GPU_HOURS };
static const struct metric_kind metrics[] = {
    [RECONFIGURATIONS] = { "mig_reconfigurations", "", "MIG instances that were made as jobs asked for them", BETTER_NEITHER },
    [GPU_HOURS] = { "mig_reconfigure_gpu_hours", "GPU h", "GPU time that jobs would wait for that, unless stopped meanwhile",
                    BETTER_LOWER },
    { 0 },
};

static void summarise(struct summary_builder *b)
{
    summary_put_kind(b, &metrics[RECONFIGURATIONS], "all", (double)mig_of(b->s)->reconfigurations, 1);
    summary_put_kind(b, &metrics[GPU_HOURS], "all", gpu_hours(mig_of(b->s)->cost), 1);
}

const struct run_model mig_model = {
    .place = PLACE_OF(mig_model),
    .unsaved = "how GPUs are cut",
    .name = "mig", .summary = "GPUs that are cut into MIG instances as jobs ask for them",
    .wanted = is_wanted, .begin = begin, .held_milli = held_milli, .free = end_of_run,
    .placed = placed, .held = held, .metrics = metrics, .summarise = summarise,
};
