/* placements.c - see placements.h. */
#include "sim/scheduler/placements.h"

#include <string.h>

static unsigned size_class(size_t n)
{
    return n <= 1 ? 0 : 64u - (unsigned)__builtin_clzll(n - 1);
}

struct placements { struct placement *free[64]; };            /* by size class, linked through their first piece */

void placements_begin(struct sched *s)
{
    s->placements = arena_alloc(s->memory, sizeof *s->placements);
}

struct placement *placement_copy(struct sched *s, const struct placement *p)
{
    unsigned class = size_class(p->n);
    struct placement *copy = s->placements->free[class];
    if (copy)
        memcpy(&s->placements->free[class], copy->piece, sizeof copy);
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
    memcpy(p->piece, &s->placements->free[class], sizeof p);
    s->placements->free[class] = p;
}

bool piece_same(const struct piece *a, const struct piece *b)
{
    return a->node == b->node && a->task == b->task && a->gpu_mask == b->gpu_mask && a->gpus == b->gpus && a->milli == b->milli;
}

bool placement_same(const struct placement *a, const struct placement *b)
{
    if (a->n != b->n)
        return false;
    for (size_t i = 0; i < a->n; i++)
        if (!piece_same(&a->piece[i], &b->piece[i]))
            return false;
    return true;
}

const struct piece *placement_task(const struct placement *p, uint32_t task)
{
    size_t low = 0, high = p ? p->n : 0;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (p->piece[middle].task < task)
            low = middle + 1;
        else
            high = middle;
    }
    return p && low < p->n && p->piece[low].task == task ? &p->piece[low] : NULL;
}

const struct placement *placement_with(struct sched *s, const struct placement *a, const struct placement *b)
{
    size_t n = (a ? a->n : 0) + b->n, i = 0, k = 0;
    struct placement *all = arena_alloc(s->scratch, sizeof *all + n * sizeof all->piece[0]);
    for (all->n = 0; all->n < n;) {
        bool from_a = a && i < a->n && (k == b->n || a->piece[i].task < b->piece[k].task);
        all->piece[all->n++] = from_a ? a->piece[i++] : b->piece[k++];
    }
    return all;
}

const struct placement *placement_without(struct sched *s, const struct placement *a, uint32_t task)
{
    struct placement *rest = arena_alloc(s->scratch, sizeof *rest + a->n * sizeof rest->piece[0]);
    rest->n = 0;
    for (size_t i = 0; i < a->n; i++)
        if (a->piece[i].task != task)
            rest->piece[rest->n++] = a->piece[i];
    return rest->n ? rest : NULL;
}

void placement_take(struct view *v, const struct request *ask, const struct placement *p)
{
    for (size_t i = 0; i < p->n; i++) {
        const struct request *r = request_of_piece(ask, &p->piece[i]);
        free_index_take(v, &p->piece[i], piece_share(r, &p->piece[i], r->cpu_milli),
                        piece_share(r, &p->piece[i], r->mem_mib));
    }
}

static void give(struct view *v, const struct request *ask, const struct piece *p)
{
    const struct request *r = request_of_piece(ask, p);
    free_index_give(v, p, piece_share(r, p, r->cpu_milli), piece_share(r, p, r->mem_mib));
}

void placement_give(struct view *v, const struct request *ask, const struct placement *p)
{
    for (size_t i = p->n; i-- > 0;)
        give(v, ask, &p->piece[i]);
}

bool placement_take_if_free(struct view *v, const struct request *ask, const struct placement *p)
{
    for (size_t i = 0; i < p->n; i++) {
        const struct request *r = request_of_piece(ask, &p->piece[i]);
        int64_t cpu = piece_share(r, &p->piece[i], r->cpu_milli), mem = piece_share(r, &p->piece[i], r->mem_mib);
        if (!free_index_has(v, &p->piece[i], cpu, mem)) {
            while (i-- > 0)
                give(v, ask, &p->piece[i]);
            return false;
        }
        free_index_take(v, &p->piece[i], cpu, mem);
    }
    return true;
}

static bool seen_before(const struct placement *p, size_t i)
{
    for (size_t k = i; k-- > 0;)
        if (p->piece[k].node == p->piece[i].node)
            return true;
    return false;
}

/* Mostly they ascend: then there is no need to look back. */
bool placement_next_node(const struct placement *p, struct own_nodes *w)
{
    for (; w->i < p->n; w->i++) {
        node_id n = p->piece[w->i].node;
        if (w->i > 0 && n <= w->most && (n == w->node || seen_before(p, w->i)))
            continue;
        w->most = w->i > 0 && w->most > n ? w->most : n;
        w->node = n;
        w->i++;
        return true;
    }
    return false;
}

uint32_t placement_node_count(const struct placement *p)
{
    uint32_t nodes = 0;
    for (struct own_nodes w = { .i = 0 }; placement_next_node(p, &w);)
        nodes++;
    return nodes;
}

static void memory_change(struct view *v, const struct request *r, const struct placement *p,
                          void (*change)(struct view *, const struct piece *, int64_t, int64_t))
{
    for (size_t i = 0; i < p->n; i++) {
        const struct piece only = { .node = p->piece[i].node, .task = p->piece[i].task };
        change(v, &only, 0, piece_share(r, &p->piece[i], r->mem_mib));
    }
}

void memory_take(struct view *v, const struct request *r, const struct placement *p)
{
    memory_change(v, r, p, free_index_take);
}

void memory_give(struct view *v, const struct request *r, const struct placement *p)
{
    memory_change(v, r, p, free_index_give);
}
