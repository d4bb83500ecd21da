/* site.h - partitions, QOS, accounts and weights of nodes of a cluster file: sim/contract/site.h.
 *
 * Sections `partitions`, `qos` and `accounts`, and the key `weight` of a node group. Names are
 * unique within a section; accounts too, wherever they stand in the tree; users within an account. */
#pragma once
#include "sim/base/memory.h"
#include "sim/base/units.h"
#include "sim/contract/site.h"
#include "sim/io/config.h"

struct site_given {
    struct config_value partitions, qos, accounts;
    const struct group_spec *group;
    size_t n_groups;
};
/* NULL in *to: none of the sections is given, and no weight. 0, or -1 with err. */
int site_read(const struct site_given *given, struct arena *memory, const struct site **to,
              struct error *err);
/* Labels partition.NAME of node n, each with a ';' before it. NULL: nothing. */
void site_labels(const struct site *site, node_id n, FILE *f);
bool site_same_partitions(const struct site *site, node_id a, node_id b);
static inline bool partition_has(const struct partition_facts *p, node_id n)
{
    return p->nodes[n / 64] >> n % 64 & 1;
}
