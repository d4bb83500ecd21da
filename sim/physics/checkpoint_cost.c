/* checkpoint_cost.c - what a checkpoint is: how large, how long to write, how often. models.md 3.3, 3.4. */
#include "sim/physics/checkpoint_parts.h"
#include "sim/engine/pace.h"
#include "sim/models/checkpoint_laws.h"
#include "sim/models/failures.h"
#include "sim/models/training/training_models.h"

static int64_t model_bytes(const struct cluster *c, const char *name)
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

void checkpoint_sizes_begin(struct sched *s)
{
    const struct intern *models = s->workload->models;
    s->model_bytes = arena_alloc(s->memory, (intern_count(models) + (size_t)1) * sizeof *s->model_bytes);
    for (uint32_t i = 0; i < intern_count(models); i++)
        s->model_bytes[i] = model_bytes(s->cluster, intern_text(models, i));
}

int64_t checkpoint_model_bytes(const struct cluster *c, const struct workload *w, job_id j)
{
    uint32_t model = w->facts[j].model;
    return model == ID_NONE ? -1 : model_bytes(c, intern_text(w->models, model));
}

int64_t checkpoint_write_ns(const struct sched *s, job_id j, const struct placement *on, uint32_t writers)
{
    return job_overhead(s, j)->write_ns + storage_write_ns(&s->cluster->storage, checkpoint_bytes(s, j), placement_node_count(on), writers);
}

/* As the price says of its nodes, or else as the failures do that it may meet. */
static double mtbf_of(const struct sched *s, const struct live *l)
{
    const struct overhead *p = job_overhead(s, l->job);
    if (p->node_mtbf_ns)
        return seconds(p->node_mtbf_ns) / placement_node_count(l->held);
    return 1 / failures_job_rate(s->cluster->failures, (double)placement_gpu_milli(l->held) / MILLI_ALL);
}

/* Of progress, in reference nanoseconds: the laws speak of wall time. */
int64_t checkpoint_interval_ns(const struct sched *s, const struct live *l)
{
    const struct overhead *p = job_overhead(s, l->job);
    if (p->interval_ns != INTERVAL_AUTO)
        return p->interval_ns;
    double write_s = p->blocking * seconds(checkpoint_write_ns(s, l->job, l->held, 1));
    double mtbf_s = mtbf_of(s, l);
    double law_s = p->interval_law == LAW_YOUNG ? young_interval_s(write_s, mtbf_s) : daly_interval_s(write_s, mtbf_s);
    double rate = l->pace.tasks * (l->pace.reference_s / pace_iteration_s(&l->pace));
    return ns_of_seconds(auto_interval_s(law_s) * rate);
}

bool checkpoint_shares(const struct sched *s, const struct live *l)
{
    return s->storage_links && checkpoint_bytes(s, l->job) > 0 && storage_write_ns(&s->cluster->storage, checkpoint_bytes(s, l->job), 1, 1) > 0;
}
