/* scores.h - the best node for a request, by numbers that a placer gives: a tournament of all nodes for each shape.
 *
 * Changes of nodes are written down in order; a shape that is asked for takes in those since it was last asked for, each
 * node once. A score is a node's own, so what nobody asks about is never computed, and rollbacks are changes like others. */
#pragma once
#include "sim/capacity/free_index.h"

struct scores {
    uint64_t n_changes;
    uint64_t *changed_at;         /* [n_nodes] the last change of it, from 1 */
    node_id *log;                 /* [leaves] the last so many changes; change k at k % leaves */
    uint32_t leaves;              /* a power of two, at least n_nodes */
    struct score_table *table;
    size_t n_tables, capacity, most;
    uint32_t *table_of;           /* by shape; ID_NONE: none */
    shape_id n_shapes;
    const struct scoring *by;     /* what the state below was made for */
    const void *params, *state;
};

static inline void scores_changed(struct scores *s, node_id n)
{
    if (!s)
        return;
    s->changed_at[n] = ++s->n_changes;
    s->log[s->n_changes & (s->leaves - 1)] = n;
}
void scores_free(struct scores *s);          /* NULL: does nothing */
