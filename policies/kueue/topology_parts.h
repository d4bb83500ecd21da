/* topology_parts.h - what the parts of topology.h share. */
#pragma once
#include "policies/kueue/topology.h"

/* How a level is divided. */
struct tas_way {
    int64_t size;                 /* of a slice */
    bool by_pods;                 /* pods are counted, not slices: below the level of the slices */
    bool unconstrained;           /* least room first, no best fit */
};

static inline bool tas_holds(const struct tas_state *d, int64_t slices, int64_t leaders)
{
    return (leaders ? d->slices_beside : d->slices) >= slices && d->leaders >= leaders;
}

static inline int64_t tas_slice_size(const struct tas_ask *ask)
{
    return ask->layers ? ask->layer[0].pods : 1;
}

/* The level at which slices are counted. */
static inline uint32_t tas_slice_level(const struct tas_tree *t, const struct tas_ask *ask)
{
    return ask->layers ? ask->layer[0].level : t->levels - 1;
}

/* Counts of d, above the leaves, from those of its children at `level` + 1. */
void tas_count_domain(struct tas_work *w, const struct tas_ask *ask, uint32_t d, uint32_t level);
int  tas_by_number(const void *x, const void *y);    /* of uint32_t, for qsort */
/* Sorts by room: beside a leader, or without one. */
void tas_sort(struct tas_work *w, uint32_t *list, uint32_t n, bool with_leader, bool unconstrained);
/* Divides `pods` over list[n], which it may reorder; the state of those that are visited becomes
 * their part, and they come out in `out`. ID_NONE: it does not fit. */
uint32_t tas_divide(struct tas_work *w, uint32_t *list, uint32_t n, int64_t pods, int64_t leaders,
                    struct tas_way way, uint32_t *out);

/* topology_balanced.c: the domains of *level with equal parts, in w->chosen; 0: there are none, and
 * the state is as before. */
uint32_t tas_balance(struct tas_work *w, const struct tas_ask *ask, uint32_t *level);
