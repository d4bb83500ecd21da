/* scored.h - the base of placers by score: every task on the best node that has room for it. */
#pragma once
#include "sim/contract/placement.h"

/* Each task on the node that scores highest. A request without tasks (only a total) goes whole onto
 * the best node; if none has room, onto the emptiest nodes, all that is free on each, and what then
 * fits one node onto the best. `take` adds the piece of a task on a node, by default with
 * builder_add_some(). */
struct placing_by_score {
    struct scoring by;
    /* may be NULL */
    bool (*take)(struct builder *b, const struct request *r, uint32_t task, node_id n,
                 const void *state);
};
enum place_result place_best(struct builder *b, const struct request *r,
                             const struct placing_by_score *how, const void *params);

/* The maximum of each resource over all nodes: by what a score divides. */
struct amount largest_node(const struct view *v);
/* Of all its GPUs together. */
int64_t node_milli_left(const struct view *v, node_id n, const struct node_free *f);
/* How well a task of r fits n, 0 to 100: best_fit.c. `most`: of the largest node. */
int32_t fit_points(const struct view *v, const struct request *r, node_id n,
                   const struct amount *most);
