/* node_range.c - see node_range.h. */
#include "sim/cluster/node_range.h"

#include <string.h>

uint32_t node_group_find(struct config_value entry, const struct cluster *c, const char *name,
                         struct error *err)
{
    for (uint32_t g = 0; g < c->n_groups; g++)
        if (strcmp(c->group_name[g], name) == 0)
            return g;
    config_error(entry, err, "there is no group '%s'", name);
    return ID_NONE;
}

int node_range_find(struct config_value entry, const struct cluster *c, const struct node_range *r,
                    uint32_t *first, uint32_t *end, struct error *err)
{
    uint32_t group = 0, from = 0, n = c->n_nodes;
    if (r->group) {
        group = node_group_find(entry, c, r->group, err);
        if (group == ID_NONE)
            return -1;
        while (c->group_of[from] != group)
            from++;
        for (n = 0; from + n < c->n_nodes && c->group_of[from + n] == group;)
            n++;
    }
    if (r->first >= n || r->count > n - r->first)
        return config_error(entry, err, "want nodes from 0 to %u%s%s, got %u to %u", n - 1,
                            r->group ? " of group " : "", r->group ? r->group : "", r->first,
                            r->first + (r->count ? r->count - 1 : 0));
    *first = from + r->first;
    *end = r->count ? *first + r->count : from + n;
    return 0;
}
