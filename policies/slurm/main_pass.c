/* main_pass.c - the main scheduler of policy `slurm`: SchedMD/slurm:src/slurmctld/job_scheduler.c,
 * _schedule. */
#include "policies/slurm/slurm.h"

struct main_pass {
    bool *blocked, *limited;      /* [partitions] by a job that a limit holds */
    uint32_t *tried, *held;       /* [partitions] entries of it, and those that a limit holds */
    uint64_t *avail;
    uint64_t *kept;               /* nodes that left the pass for a job that a limit holds */
    bool any_kept;
    double started;
};

static void block(struct slurm *m, struct main_pass *x, uint32_t partition, bool limited)
{
    x->blocked[partition] = true;
    x->limited[partition] = limited;
    x->any_kept |= limited;
    for (uint32_t w = 0; w < m->words; w++) {
        x->kept[w] |= limited ? x->avail[w] & m->partition[partition].nodes[w] : 0;
        x->avail[w] &= ~m->partition[partition].nodes[w];
    }
}

static uint64_t *nodes_for(struct sched *s, const struct slurm *m, const uint64_t *avail, uint32_t partition)
{
    uint64_t *among = slurm_set(s, m, avail);
    for (uint32_t w = 0; w < m->words; w++)
        among[w] &= m->partition[partition].nodes[w] & ~m->completing[w];
    return among;
}

/* Nodes for the entry, of those in `avail`. false: they do not suffice. */
static bool finds_room(struct sched *s, const struct slurm *m, const uint64_t *avail,
                       const struct entry *e, uint64_t **among)
{
    struct need need = slurm_need_in(s, m, e->job, e->partition);
    struct seats where;
    *among = nodes_for(s, m, avail, e->partition);
    slurm_outages(s, e->job, m->now_s, slurm_limit_s(s, m, e->job, e->partition), *among);
    return slurm_set_count(m, *among) >= need.nodes &&
           slurm_select(s, m, &need, *among, &m->room, &where);
}

/* It would find room with the nodes that left the pass for a job that a limit holds. */
static bool behind_held(struct sched *s, const struct slurm *m, const struct main_pass *x,
                        const struct entry *e)
{
    uint64_t *all = slurm_set(s, m, x->avail), *among;
    for (uint32_t w = 0; w < m->words; w++)
        all[w] |= x->kept[w];
    return x->any_kept && finds_room(s, m, all, e, &among);
}

/* TRIED_HELD: over a limit, with room or without, or behind a job over a limit, and it blocks its
 * partition for that. */
enum tried { TRIED_STARTED, TRIED_NO_ROOM, TRIED_OVER_LIMIT, TRIED_HELD };

static enum tried try_entry(struct sched *s, struct slurm *m, struct main_pass *x, const struct entry *e)
{
    uint64_t *among;
    if (!finds_room(s, m, x->avail, e, &among)) {
        bool over = !slurm_limits_after(s, m, e);
        if (!over && slurm_set_count(m, among) >= slurm_need(s, e->job).nodes)
            slurm_preempt(s, m, e, among);
        return over || behind_held(s, m, x, e) ? TRIED_HELD : TRIED_NO_ROOM;
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
    if (job_facts(s, e->job)->ask->next) {
        uint64_t *among;
        bool held = !slurm_limits_before(s, m, e) || !slurm_limits_after(s, m, e);
        sched_blocked(s, e->job,
                      held                                    ? WAIT_LIMIT
                      : finds_room(s, m, x->avail, e, &among) ? WAIT_ORDER
                                                              : WAIT_GPUS);
        if (!slurm_reserves_nothing(s, m, e))
            block(m, x, e->partition, false);
        return;
    }
    enum tried tried = slurm_limits_before(s, m, e) ? try_entry(s, m, x, e) : TRIED_OVER_LIMIT;
    if (tried == TRIED_STARTED)
        return;
    sched_blocked(s, e->job, tried == TRIED_NO_ROOM ? WAIT_GPUS : WAIT_LIMIT);
    x->held[e->partition] += tried != TRIED_NO_ROOM;
    if (tried != TRIED_OVER_LIMIT && !slurm_reserves_nothing(s, m, e))
        block(m, x, e->partition, tried == TRIED_HELD);
}

/* As many entries of its partition were tried as may be. Behind nothing but jobs that limits hold
 * it waits for these. */
static bool too_deep(struct sched *s, const struct slurm *m, struct main_pass *x,
                     const struct entry *e)
{
    double most = m->params->partition_job_depth;
    if (most <= 0 || x->tried[e->partition]++ < most)
        return false;
    sched_blocked(s, e->job, x->held[e->partition] == most ? WAIT_LIMIT : WAIT_ORDER);
    return true;
}

void slurm_main(struct sched *s, struct slurm *m, bool full)
{
    struct main_pass x = {
        .blocked = sched_scratch(s, m->n_partitions * sizeof *x.blocked),
        .limited = sched_scratch(s, m->n_partitions * sizeof *x.limited),
        .tried = sched_scratch(s, m->n_partitions * sizeof *x.tried),
        .held = sched_scratch(s, m->n_partitions * sizeof *x.held),
        .avail = slurm_set(s, m, m->up),
        .kept = slurm_set(s, m, NULL),
    };
    double depth = 0, most = m->params->sched_max_job_start;
    bool left = false;            /* entries that were not looked at */
    for (size_t i = 0; i < m->n_entries; i++) {
        const struct entry *e = &m->entry[i];
        if (job_state(s, e->job) != JOB_PENDING || slurm_preempts_elsewhere(s, m, e))
            continue;
        if (most > 0 && x.started >= most) {
            left = true;
            break;
        }
        if (too_deep(s, m, &x, e)) {
            left = true;
            continue;
        }
        if (!full && depth++ > m->params->default_queue_depth)
            break;
        serve(s, m, &x, e);
    }
    m->full_due |= left && x.started > 0;        /* the next full pass goes on */
}
