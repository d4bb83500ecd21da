/* topology_replace.c - a new place for what a failed leaf held. See topology.h. */
#include "policies/kueue/topology_parts.h"

#include <stdlib.h>

/* The innermost layer with a size that the lost pods break: what is lost belongs to slices of it.
 * ID_NONE: whole slices are lost. */
static uint32_t broken_layer(const struct tas_ask *ask, int64_t lost)
{
    for (uint32_t i = ask->layers; i-- > 0 && lost % ask->layer[0].pods;)
        if (lost % ask->layer[i].pods)
            return i;
    return ID_NONE;
}

/* The domain where slices of that layer are complete with the lost pods. */
static uint32_t broken_domain(const struct tas_tree *t, const struct tas_layer *layer,
                              const struct tas_share *held, uint32_t n, uint32_t failed)
{
    for (uint32_t i = 0; i < n; i++) {
        if (i == failed)
            continue;
        uint32_t d = tas_around(t, held[i].leaf, layer->level);
        int64_t pods = held[failed].pods;
        for (uint32_t k = 0; k < n; k++)
            pods +=
                k != failed && tas_around(t, held[k].leaf, layer->level) == d ? held[k].pods : 0;
        if (pods % layer->pods == 0)
            return d;
    }
    return ID_NONE;
}

/* The domain for what is lost; others stay in the tree. */
static uint32_t confine(const struct tas_tree *t, const struct tas_ask *ask,
                        const struct tas_share *held, uint32_t n, uint32_t failed)
{
    uint32_t layer = broken_layer(ask, held[failed].pods);
    if (ask->level >= t->levels || n < 2)
        return ID_NONE;
    if (layer != ID_NONE)
        return broken_domain(t, &ask->layer[layer], held, n, failed);
    return ask->mode == TAS_REQUIRED ? tas_around(t, held[failed ? 0 : 1].leaf, ask->level)
                                     : ID_NONE;
}

struct tas_ask tas_lost(const struct tas_tree *t, const struct tas_ask *ask,
                        const struct tas_share *held, uint32_t n, uint32_t failed, uint32_t *within,
                        enum tas_result *result)
{
    struct tas_ask lost = *ask;
    lost.pods = held[failed].pods;
    lost.leader = false;
    *within = ID_NONE;
    *result = TAS_LOST;
    for (uint32_t i = 0; i < n; i++)
        if (i != failed && held[i].leaf == ID_NONE)
            return lost;
    *result = TAS_PLACED;
    *within = confine(t, ask, held, n, failed);
    if (*within == ID_NONE || broken_layer(ask, lost.pods) == ID_NONE)
        return lost;
    uint32_t inner = ask->layers;
    while (inner > 0 && lost.pods % ask->layer[inner - 1].pods)
        inner--;
    lost.layers = inner > 0;
    lost.layer = inner ? &ask->layer[inner - 1] : NULL;
    return lost;
}

static int by_leaf(const void *x, const void *y)
{
    const struct tas_share *a = x, *b = y;
    return a->leaf < b->leaf ? -1 : a->leaf > b->leaf;
}

void tas_rejoin(struct tas_answer *a, const struct tas_share *held, uint32_t n, uint32_t failed)
{
    uint32_t placed = a->n;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = 0;
        if (i == failed)
            continue;
        while (k < placed && a->share[k].leaf != held[i].leaf)
            k++;
        if (k < placed)
            a->share[k].pods += held[i].pods;
        else
            a->share[a->n++] = held[i];
    }
    qsort(a->share, a->n, sizeof *a->share, by_leaf);
}
