/* checkpoint_cost.c - what a checkpoint is: how large, how long to write, how often. models.md 3.3, 3.4. */
#include "sim/scheduler/placements.h"
#include "sim/physics/checkpoint_parts.h"
#include "sim/engine/pace.h"
#include "sim/models/checkpoint_laws.h"
#include "sim/models/failures.h"

int64_t checkpoint_write_ns(const struct sched *s, job_id j, const struct placement *on, uint32_t writers)
{
    return job_overhead(s, j)->write_ns + storage_write_ns(&s->cluster->storage, checkpoint_bytes(s, j), placement_node_count(on), writers);
}

/* As the price says of its nodes, or else as the failures do that it may meet. */
static double mtbf_of(const struct sched *s, const struct live *l)
{
    const struct overhead *p = job_overhead(s, l->job);
    if (p->node_mtbf_ns)
        return seconds(p->node_mtbf_ns) / placement_node_count(l->now.held);
    return 1 / failures_job_rate(s->cluster->failures, (double)placement_gpu_milli(l->now.held) / MILLI_ALL);
}

/* Of progress, in reference nanoseconds: the laws speak of wall time. */
int64_t checkpoint_interval_ns(const struct sched *s, const struct live *l)
{
    const struct overhead *p = job_overhead(s, l->job);
    if (p->interval_ns != INTERVAL_AUTO)
        return p->interval_ns;
    double write_s = p->blocking * seconds(checkpoint_write_ns(s, l->job, l->now.held, 1));
    double mtbf_s = mtbf_of(s, l);
    double law_s = p->interval_law == LAW_YOUNG ? young_interval_s(write_s, mtbf_s) : daly_interval_s(write_s, mtbf_s);
    double rate = l->pace.tasks * (l->pace.reference_s / pace_iteration_s(&l->pace));
    return ns_of_seconds(auto_interval_s(law_s) * rate);
}

bool checkpoint_shares(const struct sched *s, const struct live *l)
{
    return s->storage_links && checkpoint_bytes(s, l->job) > 0 && storage_write_ns(&s->cluster->storage, checkpoint_bytes(s, l->job), 1, 1) > 0;
}
