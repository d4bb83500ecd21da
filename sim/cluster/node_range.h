/* node_range.h - nodes as an entry of a list names them: a group and positions in it, or numbers of
 * all nodes. */
#pragma once
#include "sim/cluster/cluster.h"
#include "sim/io/config.h"

struct node_range {
    const char *group;            /* NULL: all nodes */
    uint32_t first, count;        /* count 0: all from the first on */
};
/* [*first, *end); -1 with err. */
int node_range_find(struct config_value entry, const struct cluster *c, const struct node_range *r,
                    uint32_t *first, uint32_t *end, struct error *err);
/* The number of a group; ID_NONE with err. */
uint32_t node_group_find(struct config_value entry, const struct cluster *c, const char *name,
                         struct error *err);
