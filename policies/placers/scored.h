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

/* The first member of the parameters of each of these placers. */
enum { ORDER_BY_ID, ORDER_RANDOM };
struct scored_params { double node_order; };
extern const char *const node_orders[];
#define SCORED_PARAM_NODE_ORDER                                                                    \
    { "node_order", "of nodes that score alike the first, by-id or in a random order drawn once a run", "", \
      0, 0, ORDER_BY_ID, node_orders, offsetof(struct scored_params, node_order) }
bool scored_draws_ties(const void *params);
/* Those of a placer that has no others. */
extern const struct param scored_param_list[];

/* By what a score divides: of one node so much is the most. */
struct norm_params { struct scored_params scored; double norm_cpus, norm_gpus; };
#define NORM_PARAMS                                                                                \
    SCORED_PARAM_NODE_ORDER,                                                                       \
    { "norm_cpus", "CPUs count as parts of so many; 0: of the most that a node has", "CPUs", 0, 1e6, 0, NULL, \
      offsetof(struct norm_params, norm_cpus) },                                                   \
    { "norm_gpus", "GPUs count as parts of so many; 0: of the most that a node has", "GPUs", 0, 1e6, 0, NULL, \
      offsetof(struct norm_params, norm_gpus) }
/* The maximum of each resource over all nodes. */
struct amount largest_node(const struct view *v);
/* The same, or what the parameters say. */
struct amount norm_of(const struct view *v, const struct norm_params *params);
/* Of all its GPUs together. */
int64_t node_milli_left(const struct view *v, node_id n, const struct node_free *f);
/* How well a task of r fits n, 0 to 100, less beyond `most`: best_fit.c. `most`: norm_of(). */
int32_t fit_points(const struct view *v, const struct request *r, node_id n,
                   const struct amount *most);
