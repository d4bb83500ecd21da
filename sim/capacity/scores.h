/* scores.h - the best node for a request by the scores of a placer: a tournament tree over all
 * nodes for each shape.
 *
 * Changes of nodes are logged in order; a query for a shape first applies the changes since its
 * last query, each node once. A score depends on its node alone, so scores of shapes without
 * queries are never computed, and a rollback is a change like any other. */
#pragma once
#include "sim/capacity/free_index.h"

struct scores {
    uint64_t n_changes;
    uint64_t *changed_at;         /* [n_nodes] the last change of it, from 1 */
    node_id *log;                 /* [leaves] the last changes; change k at k % leaves */
    uint32_t leaves;              /* a power of two, at least n_nodes */
    struct score_table *table;
    size_t n_tables, capacity, most;
    uint32_t *table_of;           /* by shape; ID_NONE: none */
    shape_id n_shapes;
    const struct scoring *by;     /* the scoring, parameters and state that the tables are for */
    const void *params, *state;
    /* [n_nodes] leaf of a node, and node of a leaf; NULL: by id, or not drawn yet */
    uint32_t *rank;
    node_id *ranked;
    bool by_rank;                 /* ties end on the rank: leaves are in its order */
};

static inline void scores_changed(struct scores *s, node_id n)
{
    if (!s)
        return;
    s->changed_at[n] = ++s->n_changes;
    s->log[s->n_changes & (s->leaves - 1)] = n;
}
void scores_free(struct scores *s);          /* NULL: does nothing */
void scores_forget(struct scores *s);        /* of all nodes; likewise */
