/* kinds.c - what entries of policy `slurm` have in common, by shape and partition: what they ask for,
 * and whether what is free might do.
 *
 * An answer holds until the room changes, and a no as long as jobs do nothing but start. */
#include "policies/slurm/slurm.h"
#include "sim/contract/util/array.h"

uint32_t slurm_kind(struct sched *s, struct slurm *m, job_id j, uint32_t partition)
{
    const struct request *ask = job_facts(s, j)->ask;
    struct kinds_of *of = &m->kinds_of[partition];
    of->number = array_covering(sched_alloc, s, of->number, &of->n, ask->shape, sizeof *of->number);
    uint32_t *number = &of->number[ask->shape];
    if (*number)
        return *number - 1;
    m->kind = array_grown(sched_alloc, s, m->kind, &m->kinds_capacity, m->n_kinds, sizeof *m->kind);
    struct kind *k = &m->kind[m->n_kinds++];
    *k = (struct kind){ .partition = partition, .several = ask->next != NULL };
    if (!k->several)
        k->need = slurm_need_in(s, m, j, partition);
    *number = (uint32_t)m->n_kinds;
    return *number - 1;
}

bool slurm_may_fit(struct sched *s, struct slurm *m, uint32_t kind)
{
    struct kind *k = &m->kind[kind];
    if (k->several)
        return true;
    if (k->version == m->room_version || (!k->may_fit && k->version >= m->room_grew))
        return k->may_fit;
    k->version = m->room_version;
    k->may_fit = slurm_might_select(s, m, &k->need, m->partition[k->partition].nodes, &m->room);
    return k->may_fit;
}

bool slurm_something_may_fit(struct sched *s, struct slurm *m, bool in_front)
{
    for (uint32_t k = 0; k < m->n_kinds; k++)
        if ((in_front ? m->kind[k].n_front : m->kind[k].n) && slurm_may_fit(s, m, k))
            return true;
    return false;
}

/* ---- How many there are ---- */

void slurm_kinds_come(struct slurm *m, size_t at)
{
    m->kind[m->queue[at]->kind].n++;
    if (at >= m->front)
        return;
    m->kind[m->queue[at]->kind].n_front++;
    if (m->n_queue > m->front)
        m->kind[m->queue[m->front]->kind].n_front--;
}

void slurm_kinds_go(struct slurm *m, size_t at)
{
    m->kind[m->queue[at]->kind].n--;
    if (at >= m->front)
        return;
    m->kind[m->queue[at]->kind].n_front--;
    if (m->n_queue > m->front)
        m->kind[m->queue[m->front]->kind].n_front++;
}

void slurm_kinds_count(struct slurm *m)
{
    for (size_t k = 0; k < m->n_kinds; k++)
        m->kind[k].n_front = 0;
    for (size_t i = 0; i < m->n_queue && i < m->front; i++)
        m->kind[m->queue[i]->kind].n_front++;
}
