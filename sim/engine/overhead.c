/* overhead.c - see overhead.h. */
#include "sim/engine/overhead.h"
#include "sim/engine/models.h"
#include "sim/engine/on_demand.h"
#include "sim/models/checkpoint_laws.h"
#include "sim/models/training/training_models.h"
#include "sim/scheduler/placements.h"

/* ---- Checkpoints ---- */

int64_t checkpoint_model_bytes(const struct cluster *c, const char *name)
{
    struct training_model m;
    return training_model_find(c->models, name, &m) ? (int64_t)(CHECKPOINT_BYTES_PER_PARAMETER * m.params + 0.5) : -1;
}

int64_t checkpoint_bytes(const struct sched *s, job_id j)
{
    const struct overhead *p = job_overhead(s, j);
    if (p->checkpoint_bytes != CHECKPOINT_OF_MODEL)
        return p->checkpoint_bytes;
    uint32_t model = s->workload->facts[j].model;
    return model == ID_NONE ? -1 : s->model_bytes[model];
}

static void checkpoint_sizes_begin(struct sched *s)
{
    const struct intern *models = s->workload->models;
    s->model_bytes = arena_alloc(s->memory, (intern_count(models) + (size_t)1) * sizeof *s->model_bytes);
    for (uint32_t i = 0; i < intern_count(models); i++)
        s->model_bytes[i] = checkpoint_model_bytes(s->cluster, intern_text(models, i));
}

/* ---- Starts ---- */

static int64_t other_parts_ns(const struct sched *s, job_id j, int64_t gpu_milli, uint32_t nodes)
{
    const struct overhead *p = job_overhead(s, j);
    double init = init_s(seconds(p->init_ns), seconds(p->init_doubling_ns), (double)gpu_milli / MILLI_ALL);
    return ns_of_seconds(init) + storage_load_ns(&s->cluster->storage, checkpoint_bytes(s, j), nodes);
}

int64_t start_cost_ns(const struct sched *s, struct live *l, const struct placement *on, bool first)
{
    if (on_demand(s, l->job))
        return models_start_up(s, l->job, on, on_demand_first(s, l));
    int64_t ns = overhead_of_start(job_overhead(s, l->job), first);
    l->pull_ns = 0;
    if (ns != START_BY_PARTS)
        return ns;
    l->pull_ns = models_pull_ns(s, l->job, on);
    return l->pull_ns + other_parts_ns(s, l->job, placement_gpu_milli(on), placement_node_count(on));
}

int64_t start_expected_ns(const struct sched *s, job_id j, bool first)
{
    if (on_demand(s, j))
        return models_start_up(s, j, NULL, first);
    int64_t ns = overhead_of_start(job_overhead(s, j), first);
    if (ns != START_BY_PARTS)
        return ns;
    return s->cluster->storage.pull_cached_ns + other_parts_ns(s, j, request_gpu_milli(ask_of(s, j)), 1);
}

static void prices_begin(struct sched *s)
{
    uint32_t own = intern_count(s->workload->overheads);
    s->overhead = arena_alloc(s->memory, (own + (size_t)1) * sizeof *s->overhead);
    s->overhead[0] = s->cluster->overhead;
    for (uint32_t i = 1; i <= own; i++) {
        struct own_overhead said = workload_overhead(s->workload, i);
        s->overhead[i] = overhead_with(&s->cluster->overhead, &said);
    }
    for (uint32_t i = 0; i <= own; i++)
        overhead_settle(&s->overhead[i]);
}

void overheads_begin(struct sched *s)
{
    prices_begin(s);
    checkpoint_sizes_begin(s);
}
