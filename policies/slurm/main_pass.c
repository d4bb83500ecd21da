/* main_pass.c - the main scheduler of policy `slurm`: SchedMD/slurm:src/slurmctld/job_scheduler.c,
 * _schedule. */
#include "policies/slurm/slurm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ODD_COST 16               /* entries that are passed over in the time that finding one takes */

enum { NOT_BLOCKED = WAIT_REASONS + 1 };     /* told of no entry */

struct main_pass {
    bool *blocked;                /* [partitions] */
    uint8_t *behind;              /* [partitions] for which those behind the one that blocks it wait; NOT_BLOCKED */
    uint32_t *tried, *held;       /* [partitions] entries of it, and those that a limit holds */
    uint64_t *avail;
    /* nodes that left the pass for a job that a limit holds, and for those or one that waits for
     * backfill with room for it; NULL: none did */
    uint64_t *kept_by_limit, *kept_idle;
    double started;
    bool closed;                  /* all partitions with entries are blocked, and those behind told WAIT_ORDER */
};

static void keep(struct sched *s, const struct slurm *m, const struct main_pass *x,
                 uint32_t partition, uint64_t **kept)
{
    if (!*kept)
        *kept = slurm_set(s, m, NULL);
    for (uint32_t w = 0; w < m->words; w++)
        (*kept)[w] |= x->avail[w] & m->partition[partition].nodes[w];
}

/* For an entry that waits for `why`. */
static void block(struct sched *s, const struct slurm *m, struct main_pass *x, uint32_t partition,
                  enum wait_reason why)
{
    x->blocked[partition] = true;
    x->behind[partition] = why == WAIT_LIMIT ? WAIT_LIMIT : WAIT_ORDER;
    x->closed = true;
    for (uint32_t p = 0; p < m->n_partitions; p++)
        x->closed &= !m->waiting[p] || x->behind[p] == WAIT_ORDER;
    if (why == WAIT_LIMIT)
        keep(s, m, x, partition, &x->kept_by_limit);
    if (why != WAIT_GPUS)
        keep(s, m, x, partition, &x->kept_idle);
    for (uint32_t w = 0; w < m->words; w++)
        x->avail[w] &= ~m->partition[partition].nodes[w];
}

/* Nodes of `avail` that the entry may take now, for as long as it may run. */
static uint64_t *free_nodes(struct sched *s, const struct slurm *m, const uint64_t *avail,
                            const struct entry *e)
{
    uint64_t *among = slurm_set(s, m, avail);
    for (uint32_t w = 0; w < m->words; w++)
        among[w] &= m->partition[e->partition].nodes[w] & ~m->completing[w];
    slurm_outages(s, e->job, m->now_s, slurm_limit_s(s, m, e->job, e->partition), among);
    return among;
}

/* Nodes for the entry, of those in `avail`. false: they do not suffice. */
static bool finds_room(struct sched *s, struct slurm *m, const uint64_t *avail, const struct entry *e,
                       const struct need *need, uint64_t **among, struct seats *where)
{
    *among = free_nodes(s, m, avail, e);
    return slurm_set_count(m, *among) >= need->nodes && slurm_select(s, m, need, *among, &m->room, where);
}

/* It would find room with these nodes that left the pass, too; NULL: none did. */
static bool behind(struct sched *s, struct slurm *m, const struct main_pass *x, const struct entry *e,
                   const struct need *need, const uint64_t *kept)
{
    struct seats where;
    if (!kept)
        return false;
    uint64_t *all = slurm_set(s, m, x->avail), *among;
    for (uint32_t w = 0; w < m->words; w++)
        all[w] |= kept[w];
    return finds_room(s, m, all, e, need, &among, &where);
}

/* TRIED_HELD: over a limit, with room or without, or behind a job over a limit, and it blocks its
 * partition for that. TRIED_BEHIND: behind jobs that leave room idle, not for limits alone. */
enum tried { TRIED_STARTED, TRIED_NO_ROOM, TRIED_OVER_LIMIT, TRIED_HELD, TRIED_BEHIND };

static enum tried try_entry(struct sched *s, struct slurm *m, struct main_pass *x, const struct entry *e)
{
    struct need need = slurm_need_in(s, m, e->job, e->partition);
    struct seats where;
    uint64_t *among;
    if (!finds_room(s, m, x->avail, e, &need, &among, &where)) {
        bool over = !slurm_limits_after(s, m, e);
        if (!over && slurm_set_count(m, among) >= need.nodes)
            slurm_preempt(s, m, e, among);
        return over || behind(s, m, x, e, &need, x->kept_by_limit) ? TRIED_HELD
               : behind(s, m, x, e, &need, x->kept_idle)           ? TRIED_BEHIND
                                                                   : TRIED_NO_ROOM;
    }
    if (!slurm_limits_after(s, m, e))
        return m->params->assoc_limit_stop <= 0 || job_over_limit(s, e->job) ? TRIED_OVER_LIMIT : TRIED_HELD;
    if (!slurm_start(s, m, e, among, &where))
        return TRIED_NO_ROOM;
    x->started++;
    return TRIED_STARTED;
}

/* Why a job of components waits, which backfill alone starts: with room for it, until backfill
 * comes to it. No node has left backfill's cycle for what has blocked a partition here. */
static enum wait_reason why_components_wait(struct sched *s, struct slurm *m, const struct entry *e)
{
    struct need need = slurm_need_in(s, m, e->job, e->partition);
    struct seats where;
    uint64_t *among;
    if (!slurm_limits_before(s, m, e) || !slurm_limits_after(s, m, e))
        return WAIT_LIMIT;
    return finds_room(s, m, m->up, e, &need, &among, &where) ? WAIT_ORDER : WAIT_GPUS;
}

/* All behind a job that a limit holds wait for that limit. */
static void serve(struct sched *s, struct slurm *m, struct main_pass *x, struct entry *e)
{
    enum wait_reason why;
    if (x->blocked[e->partition]) {
        slurm_tell(s, m, e, x->behind[e->partition]);
        return;
    }
    if (job_facts(s, e->job)->ask->next) {
        why = why_components_wait(s, m, e);
        slurm_tell(s, m, e, why);
        if (!slurm_reserves_nothing(s, m, e))
            block(s, m, x, e->partition, why);
        return;
    }
    enum tried tried = slurm_limits_before(s, m, e) ? try_entry(s, m, x, e) : TRIED_OVER_LIMIT;
    if (tried == TRIED_STARTED)
        return;
    why = tried == TRIED_NO_ROOM ? WAIT_GPUS : tried == TRIED_BEHIND ? WAIT_ORDER : WAIT_LIMIT;
    slurm_tell(s, m, e, why);
    x->held[e->partition] += why == WAIT_LIMIT;
    if (tried != TRIED_OVER_LIMIT && !slurm_reserves_nothing(s, m, e))
        block(s, m, x, e->partition, why);
}

/* As many entries of its partition were tried as may be. Behind nothing but jobs that limits hold
 * it waits for these. */
static bool too_deep(struct sched *s, struct slurm *m, struct main_pass *x, struct entry *e)
{
    double most = m->params->partition_job_depth;
    if (most <= 0 || x->tried[e->partition]++ < most)
        return false;
    slurm_tell(s, m, e, x->held[e->partition] == most ? WAIT_LIMIT : WAIT_ORDER);
    return true;
}

/* Its partition is blocked, as in an earlier pass, for the same reason. It has no other, so it still waits. */
static bool is_told(const struct main_pass *x, const struct entry *e)
{
    return e->told == x->behind[e->partition];
}

struct placed { size_t at; struct entry *entry; };

static int by_place(const void *left, const void *right)
{
    const struct placed *a = left, *b = right;
    return a->at < b->at ? -1 : a->at > b->at;
}

/* All are blocked behind entry i, and `depth` entries were looked at: serves the odd ones among those that are left to be
 * looked at, the only ones that are not told yet. false: they are too many, a walk is cheaper. */
static bool serve_odd(struct sched *s, struct slurm *m, struct main_pass *x, size_t i, bool full, double depth)
{
    double most = m->params->default_queue_depth, left = (double)(m->n_entries - i);
    size_t n = 0, skipped = 0;
    if (m->entry != m->queue || (double)m->n_odd * ODD_COST > (full ? left : fmin(left, most - depth + 1)))
        return false;
    struct placed *odd = sched_scratch(s, m->n_odd * sizeof *odd);
    for (size_t k = 0; k < m->n_odd; k++) {
        odd[n] = (struct placed){ slurm_place(m, m->odd[k]), m->odd[k] };
        n += odd[n].at > i;
    }
    if (n > 1)
        qsort(odd, n, sizeof *odd, by_place);
    for (size_t k = 0; k < n; k++) {
        struct entry *e = odd[k].entry;
        if (job_state(s, e->job) != JOB_PENDING || slurm_preempts_elsewhere(s, m, e))
            skipped++;
        else if (!full && depth + (double)(odd[k].at - i - 1 - skipped) > most)
            break;
        else
            serve(s, m, x, e);
    }
    return true;
}

void slurm_main(struct sched *s, struct slurm *m, bool full)
{
    struct main_pass x = {
        .blocked = sched_scratch(s, m->n_partitions * sizeof *x.blocked),
        .behind = sched_scratch(s, m->n_partitions * sizeof *x.behind),
        .tried = sched_scratch(s, m->n_partitions * sizeof *x.tried),
        .held = sched_scratch(s, m->n_partitions * sizeof *x.held),
        .avail = slurm_set(s, m, m->up),
    };
    double depth = 0, most = m->params->sched_max_job_start;
    bool left = false;            /* entries that were not looked at */
    bool walks = false;           /* though all partitions are blocked */
    memset(x.behind, NOT_BLOCKED, m->n_partitions * sizeof *x.behind);
    bool counts = most > 0 || m->params->partition_job_depth > 0;
    for (size_t i = 0; i < m->n_entries; i++) {
        struct entry *e = m->entry[i];
        if (!counts && is_told(&x, e)) {
            if (!full && depth++ > m->params->default_queue_depth)
                break;
            continue;
        }
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
        if (x.closed && !counts && !walks && serve_odd(s, m, &x, i, full, depth))
            break;
        walks = x.closed;
    }
    m->full_due |= left && x.started > 0;        /* the next full pass goes on */
}
