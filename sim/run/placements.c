/* placements.c - memory for placements by size class, and pieces to and from an index. */
#include "sim/run/host.h"

#include <string.h>

static unsigned size_class(size_t n)
{
    return n <= 1 ? 0 : 64u - (unsigned)__builtin_clzll(n - 1);
}

struct placement *placement_copy(struct sched *s, const struct placement *p)
{
    unsigned class = size_class(p->n);
    struct placement *copy = s->free_placement[class];
    if (copy)
        memcpy(&s->free_placement[class], copy->piece, sizeof copy);
    else
        copy = arena_alloc(s->memory, sizeof *copy + ((size_t)1 << class) * sizeof copy->piece[0]);
    memcpy(copy, p, sizeof *p + p->n * sizeof p->piece[0]);
    return copy;
}

void placement_drop(struct sched *s, struct placement *p)
{
    if (!p)
        return;
    unsigned class = size_class(p->n);
    memcpy(p->piece, &s->free_placement[class], sizeof p);
    s->free_placement[class] = p;
}

bool placement_same(const struct placement *a, const struct placement *b)
{
    if (a->n != b->n)
        return false;
    for (size_t i = 0; i < a->n; i++) {
        const struct piece *x = &a->piece[i], *y = &b->piece[i];
        if (x->node != y->node || x->task != y->task || x->gpu_mask != y->gpu_mask || x->gpus != y->gpus ||
            x->milli != y->milli)
            return false;
    }
    return true;
}

void placement_take(struct view *v, const struct request *r, const struct placement *p)
{
    for (size_t i = 0; i < p->n; i++)
        free_index_take(v, &p->piece[i], piece_share(r, &p->piece[i], r->cpu_milli),
                        piece_share(r, &p->piece[i], r->mem_mib));
}

void placement_give(struct view *v, const struct request *r, const struct placement *p)
{
    for (size_t i = p->n; i-- > 0;)
        free_index_give(v, &p->piece[i], piece_share(r, &p->piece[i], r->cpu_milli),
                        piece_share(r, &p->piece[i], r->mem_mib));
}

bool placement_take_if_free(struct view *v, const struct request *r, const struct placement *p)
{
    for (size_t i = 0; i < p->n; i++) {
        int64_t cpu = piece_share(r, &p->piece[i], r->cpu_milli), mem = piece_share(r, &p->piece[i], r->mem_mib);
        if (!free_index_has(v, &p->piece[i], cpu, mem)) {
            while (i-- > 0)
                free_index_give(v, &p->piece[i], piece_share(r, &p->piece[i], r->cpu_milli),
                                piece_share(r, &p->piece[i], r->mem_mib));
            return false;
        }
        free_index_take(v, &p->piece[i], cpu, mem);
    }
    return true;
}

struct placement *placement_stage(struct sched *s, job_id j, struct placement *p)
{
    mem_grow(&s->staged, &s->staged_capacity, s->n_staged, sizeof *s->staged);
    s->staged[s->n_staged].p = p;
    s->staged[s->n_staged++].live = s->job[j].live;
    return p;
}

int64_t placement_gpu_milli(const struct placement *p)
{
    int64_t sum = 0;
    for (size_t i = 0; i < p->n; i++)
        sum += (int64_t)p->piece[i].gpus * p->piece[i].milli;
    return sum;
}
