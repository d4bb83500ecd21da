/* placements.h - memory for placements by size class, and their pieces to and from an index. */
#pragma once
#include "sim/engine/state.h"

void placements_begin(struct sched *s);
struct placement *placement_copy(struct sched *s, const struct placement *p);
void placement_drop(struct sched *s, struct placement *p);                /* NULL: does nothing */
bool piece_same(const struct piece *a, const struct piece *b);
bool placement_same(const struct placement *a, const struct placement *b);
/* In the scratch memory of the pass. a may be NULL; the tasks of b are not in a. */
const struct placement *placement_with(struct sched *s, const struct placement *a, const struct placement *b);
const struct placement *placement_without(struct sched *s, const struct placement *a, uint32_t task);   /* NULL: nothing is left */
bool placement_take_if_free(struct view *v, const struct request *ask, const struct placement *p);
void placement_take(struct view *v, const struct request *ask, const struct placement *p);
void placement_give(struct view *v, const struct request *ask, const struct placement *p);
static inline int64_t placement_gpu_milli(const struct placement *p)
{
    int64_t sum = 0;
    for (size_t i = 0; i < p->n; i++)
        sum += (int64_t)p->piece[i].gpus * p->piece[i].milli;
    return sum;
}
struct own_nodes { size_t i; node_id node, most; };                       /* { .i = 0 } */
bool placement_next_node(const struct placement *p, struct own_nodes *w); /* w->node: each of its nodes once; false: no more */
uint32_t placement_node_count(const struct placement *p);
/* The memory of its nodes alone, which a suspended job keeps. */
void memory_take(struct view *v, const struct request *r, const struct placement *p);
void memory_give(struct view *v, const struct request *r, const struct placement *p);
