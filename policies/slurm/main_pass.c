/* main_pass.c - the main scheduler of policy `slurm`: SchedMD/slurm:src/slurmctld/job_scheduler.c,
 * _schedule. */
#include "policies/slurm/slurm.h"

struct main_pass {
    bool *blocked, *limited;      /* [partitions] by a job that a limit holds */
    uint32_t *tried;              /* [partitions] entries of it */
    uint64_t *avail;
    double started;
};

static void block(struct slurm *m, struct main_pass *x, uint32_t partition, bool limited)
{
    x->blocked[partition] = true;
    x->limited[partition] = limited;
    for (uint32_t w = 0; w < m->words; w++)
        x->avail[w] &= ~m->partition[partition].nodes[w];
}

static uint64_t *nodes_for(struct sched *s, const struct slurm *m, const uint64_t *avail, uint32_t partition)
{
    uint64_t *among = slurm_set(s, m, avail);
    for (uint32_t w = 0; w < m->words; w++)
        among[w] &= m->partition[partition].nodes[w] & ~m->completing[w];
    return among;
}

/* TRIED_HELD: over a limit, and it blocks its partition for that. */
enum tried { TRIED_STARTED, TRIED_NO_ROOM, TRIED_OVER_LIMIT, TRIED_HELD };

static enum tried try_entry(struct sched *s, struct slurm *m, struct main_pass *x, const struct entry *e)
{
    struct need need = slurm_need(s, e->job);
    uint64_t *among = nodes_for(s, m, x->avail, e->partition);
    slurm_outages(s, e->job, m->now_s, slurm_limit_s(s, m, e->job, e->partition), among);
    struct seats where;
    bool held = slurm_set_count(m, among) >= need.nodes &&
                slurm_select(s, m, &need, among, &m->room, &where);
    if (!held) {
        if (slurm_limits_after(s, m, e) && slurm_set_count(m, among) >= need.nodes)
            slurm_preempt(s, m, e, among);
        return TRIED_NO_ROOM;
    }
    if (!slurm_limits_after(s, m, e))
        return m->params->assoc_limit_stop <= 0 || job_over_limit(s, e->job) ? TRIED_OVER_LIMIT : TRIED_HELD;
    if (!slurm_start(s, m, e, among))
        return TRIED_NO_ROOM;
    x->started++;
    return TRIED_STARTED;
}

/* All behind a job that a limit holds wait for that limit. */
static void serve(struct sched *s, struct slurm *m, struct main_pass *x, const struct entry *e)
{
    if (x->blocked[e->partition]) {
        sched_blocked(s, e->job, x->limited[e->partition] ? WAIT_LIMIT : WAIT_ORDER);
        return;
    }
    bool takes = slurm_partition_takes(s, m, e) && slurm_limits_before(s, m, e);
    enum tried tried = takes ? try_entry(s, m, x, e) : TRIED_OVER_LIMIT;
    if (tried == TRIED_STARTED)
        return;
    sched_blocked(s, e->job, tried == TRIED_NO_ROOM ? WAIT_GPUS : WAIT_LIMIT);
    if (tried != TRIED_OVER_LIMIT)
        block(m, x, e->partition, tried == TRIED_HELD);
}

void slurm_main(struct sched *s, struct slurm *m, bool full)
{
    struct main_pass x = {
        .blocked = sched_scratch(s, m->n_partitions * sizeof *x.blocked),
        .limited = sched_scratch(s, m->n_partitions * sizeof *x.limited),
        .tried = sched_scratch(s, m->n_partitions * sizeof *x.tried),
        .avail = slurm_set(s, m, m->up),
    };
    double depth = 0, most = m->params->sched_max_job_start;
    for (size_t i = 0; i < m->n_entries && (most <= 0 || x.started < most); i++) {
        const struct entry *e = &m->entry[i];
        if (!full && depth++ > m->params->default_queue_depth)
            break;
        if (job_state(s, e->job) != JOB_PENDING || slurm_preempts_elsewhere(s, m, e))
            continue;
        if (m->params->partition_job_depth > 0 && x.tried[e->partition]++ >= m->params->partition_job_depth)
            continue;
        serve(s, m, &x, e);
    }
}
