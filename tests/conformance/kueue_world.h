/* kueue_world.h - the queues, cohorts and usage of a case of Kueue's, as books of the policy `cohort`.
 *
 * Amounts are taken in thousandths, so that half a CPU is a whole number. Cohorts are numbered so
 * that parents come first; resources by name, which decides between equal dominant resources. Strings belong to
 * the case. */
#pragma once
#include "policies/kueue/search.h"

#include <jansson.h>

enum { NODES_MOST = 64, CELLS_MOST = 64, WORKLOADS_MOST = 64, RESOURCES_MOST = 16 };

struct world {
    const char *node[NODES_MOST];
    uint32_t parent[NODES_MOST], n;
    const char *flavour[CELLS_MOST], *resource[CELLS_MOST];
    uint32_t resource_of[CELLS_MOST], cells, resources;
    const char *name_of[RESOURCES_MOST];    /* [resources] */
    bool has[NODES_MOST][CELLS_MOST];    /* the node, or one below it, has a quota there, be it 0 */
    struct cohort_rules rules[NODES_MOST];
    uint64_t weight[NODES_MOST];
    struct cohort_members members[NODES_MOST];
    struct cohort_workload *member[NODES_MOST][WORKLOADS_MOST], workload[WORKLOADS_MOST + 1];
    const char *name[WORKLOADS_MOST];
    int64_t need[WORKLOADS_MOST + 1][CELLS_MOST];
    bool contested[CELLS_MOST];
    uint32_t n_workloads;
    struct cohort_books books;
    void *memory;                 /* of the books */
};

/* false: more than this holds. */
bool world_holds(const json_t *c);
/* The tree, its rules and weights, and every cell that has a quota; then the quotas, once other cells are known. */
void world_read_tree(struct world *w, const json_t *c);
void world_settle(struct world *w, const json_t *c);
void world_free(struct world *w);
/* A resource that may have no cell. */
void world_resource(struct world *w, const char *resource);
/* The cell, a new one if need be before world_settle(). */
uint32_t world_cell(struct world *w, const char *flavour, const char *resource);
/* {flavor: {resource: amount}} into [cells], which are new if need be before world_settle(). */
void world_amounts(struct world *w, const json_t *by_flavour, int64_t *need);
/* The queues' `usage`. */
void world_use(struct world *w, const json_t *usage);

const json_t *world_entry(const json_t *c, const char *name);    /* of a queue or cohort; NULL: it is only named */
double world_number(const json_t *o, const char *key, double otherwise);
uint32_t world_find(const char *const *list, uint32_t n, const char *name);
int64_t world_thousandths(double x);
static inline const char *world_text(const json_t *o, const char *key) { return json_string_value(json_object_get(o, key)); }
