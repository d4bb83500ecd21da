/* node_set.c - see node_set.h. */
#include "sim/cluster/reservations/node_set.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const struct config_key as_text = { .type = CONFIG_TEXT };

/* [first, end) of a group. */
static bool nodes_of_group(const struct group_spec *group, size_t n_groups, const char *name,
                           node_id *first, node_id *end)
{
    *first = 0;
    for (size_t g = 0; g < n_groups; *first += group[g++].count)
        if (!strcmp(group[g].name, name)) {
            *end = *first + group[g].count;
            return true;
        }
    return false;
}

static bool a_number(const char **at, uint32_t *n)
{
    char *end;
    if (!isdigit((unsigned char)**at))
        return false;
    unsigned long long x = strtoull(*at, &end, 10);
    *n = x > CLUSTER_NODES_MAX ? CLUSTER_NODES_MAX : (uint32_t)x;
    *at = end;
    return true;
}

/* "all", or "0-3,8": positions within [first, end). */
static bool add_nodes(uint64_t *nodes, const char *text, node_id first, node_id end)
{
    if (!strcmp(text, "all")) {
        for (node_id n = first; n < end; n++)
            nodes[n / 64] |= UINT64_C(1) << n % 64;
        return true;
    }
    for (;; text++) {
        uint32_t from, to;
        if (!a_number(&text, &from))
            return false;
        to = from;
        if (*text == '-' && (text++, !a_number(&text, &to)))
            return false;
        if (to < from || to >= end - first)
            return false;
        for (node_id n = first + from; n <= first + to; n++)
            nodes[n / 64] |= UINT64_C(1) << n % 64;
        if (*text != ',')
            return !*text;
    }
}

#define NODES_WANTED "want 'all', or positions of nodes in the group as 0-3,8"
int node_set_read(struct config_value v, const struct group_spec *group, size_t n_groups,
                  uint64_t *nodes, struct error *err)
{
    struct config_walk w = { .of = v };
    const char *text = NULL, *name = NULL;
    node_id all = 0;
    for (size_t g = 0; g < n_groups; g++)
        all += group[g].count;
    if (!config_is_mapping(v)) {
        if (config_scalar(v, &as_text, &text, err))
            return -1;
        return !strcmp(text, "all") && add_nodes(nodes, text, 0, all)
                   ? 0
                   : config_error(v, err, "want 'all', or a mapping of groups, got '%s'", text);
    }
    for (struct config_value pair; config_next(&w, &pair);) {
        node_id first, end;
        if (config_key_text(pair, &name, err) || config_scalar(pair, &as_text, &text, err))
            return -1;
        if (!nodes_of_group(group, n_groups, name, &first, &end))
            return config_error(pair, err, "there is no group of this name");
        if (!add_nodes(nodes, text, first, end))
            return config_error(pair, err, NODES_WANTED " below %u, got '%s'", end - first, text);
    }
    return 0;
}
