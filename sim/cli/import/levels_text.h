/* levels_text.h - where a group of nodes lies in a topology, as keys of the cluster file.
 *
 * Nodes are numbered so that those of a domain are neighbours, and a group lies in one domain of
 * each level. Its size in the file is that of its own domain: nodes of the first level, and of each
 * further one how many domains of the level before. A group that begins in the middle of a domain
 * joins the group before. */
#pragma once
#include "sim/cluster/topology/levels.h"

struct level_places {
    struct level_names levels;    /* above the node, n 0: none; "rack" and "pod" are written as the
                                     keys of two levels where there are no more */
    uint32_t n_nodes;
    /* Node a is in the same domain of the k-th level as b. One that is in none: not with itself. */
    bool (*same)(const void *self, uint32_t a, uint32_t b, uint32_t k);
    const void *self;
};
/* Domain of each level that was counted last, nodes from .. end, for the groups that follow. {0}: none. */
struct level_counts {
    struct { uint32_t from, end, n; } of[LEVELS_ABOVE_NODE];
};
/* Of the group that begins with node i: ", nodes_per_rack: 2, joins: rack"; the caller frees it.
 * counted: the same for all groups of p. */
char *level_place_text(const struct level_places *p, uint32_t i, struct level_counts *counted);
