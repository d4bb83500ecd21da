/* kueue_desk.h - a case of Kueue's with flavors, as a desk of the policy `cohort`: the heads, who
 * holds quota, which flavors a queue has and a pod set may use, and why it does not get one.
 *
 * Strings belong to the case. */
#pragma once
#include "tests/conformance/conformance.h"
#include "tests/conformance/kueue_world.h"
#include "policies/kueue/cycle.h"

enum { FLAVORS_MOST = 32, SETS_MOST = 8, GROUPS_MOST = 8, FINDINGS_MOST = 128 };

struct findings { struct cohort_finding of[FINDINGS_MOST]; uint32_t n; };
struct head {                     /* a pending workload */
    const json_t *json;
    struct cohort_entry entry;
    struct cohort_set set[SETS_MOST];
    const char *set_name[SETS_MOST];
    int64_t each[SETS_MOST][RESOURCES_MOST], cells[CELLS_MOST];
    bool allowed[SETS_MOST][FLAVORS_MOST];
    struct findings why;          /* of its last nomination */
    void *memory[2];
};
struct desk {
    struct world *w;
    const json_t *json;
    const char *flavor[FLAVORS_MOST];
    uint32_t n_flavors, cell[FLAVORS_MOST * RESOURCES_MOST];
    struct cohort_flavors flavors[NODES_MOST];
    struct { struct cohort_group group[GROUPS_MOST]; uint32_t flavor[GROUPS_MOST][FLAVORS_MOST]; bool covers[GROUPS_MOST][RESOURCES_MOST]; } of[NODES_MOST];
    struct head head[WORKLOADS_MOST];
    uint32_t n_heads;
    const char *name[2 * WORKLOADS_MOST];    /* of workloads, in order: their ids */
    uint32_t n_names;
    struct cohort_desk desk;
    struct cohort_victim victim[WORKLOADS_MOST], candidate[WORKLOADS_MOST];
    struct cohort_range range[NODES_MOST];
    struct cohort_known known[NODES_MOST];
    struct cohort_source source[NODES_MOST];
    int64_t one[CELLS_MOST];
    int64_t own[CELLS_MOST];
    bool one_contested[CELLS_MOST], sends[NODES_MOST];
    uint32_t full[SETS_MOST], fewer[SETS_MOST];
    struct cohort_seat seat[NODES_MOST];
    enum cohort_no_fit why_of[FLAVORS_MOST];
    void *grown[2 * WORKLOADS_MOST];
    uint32_t n_grown;
};

/* Everything but the heads. NULL: more than this holds, or it cannot be said; why tells. */
struct desk *desk_read(const json_t *c, const json_t *const *workloads, uint32_t n_workloads, struct why why);
void desk_free(struct desk *d);
/* `of`: the workload; false: it cannot be said here. */
bool desk_add_head(struct desk *d, const json_t *of, struct why why);
/* A flavor that the queue lists is not there. */
bool desk_is_inactive(const struct desk *d, const json_t *queue);

/* Did it get that? `want`: {POD_SET: {count, flavors, usage}}. */
int desk_compare_sets(const struct desk *d, const struct head *h, const json_t *want, struct why why);
/* `want`: the list of `why` of a pod set, or of the whole with set ID_NONE. */
int desk_compare_why(const struct desk *d, const struct head *h, uint32_t set, const json_t *want, struct why why);
const char *desk_reason(enum cohort_no_fit why);
