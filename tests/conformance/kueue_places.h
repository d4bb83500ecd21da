/* kueue_places.h - a cycle of Kueue's with topologies: what admitted workloads hold of the nodes,
 * and the places of heads, for the desk of the policy `cohort`.
 *
 * A flavor with a topology has a tree of its own nodes. If hosts are the lowest level, what is used
 * of a host counts in all such flavors. Workloads with failed nodes get new places first, beside
 * what they hold; without one they are evicted. */
#pragma once
#include "tests/conformance/kueue_desk.h"
#include "tests/conformance/kueue_tas.h"

struct places {
    struct desk *d;
    struct topo topo[FLAVORS_MOST];
    bool has[FLAVORS_MOST];
    struct topo_leaf *empty[FLAVORS_MOST];       /* without any workload */
    const json_t *workload[2 * WORKLOADS_MOST];
    uint32_t n_workloads;
    /* {POD_SET: as a case of assignment expects it} of each head, and its flavors */
    json_t *of_head[WORKLOADS_MOST];
    json_t *reassigned, *kept, *evicted;         /* by workload */
    struct cohort_places hooks;
};

/* Sets the places of the desk. NULL: more than this holds. */
struct places *places_begin(struct desk *d, const json_t *const *workloads, uint32_t n,
                            struct why why);
void places_end(struct places *p);

/* `want`: {POD_SET: {domains}}, those of pod sets with a topology. */
int places_compare_domains(const json_t *got, const json_t *want, struct why why);
/* reassigned, kept, evicted */
int places_compare_moved(const struct places *p, const json_t *expect, struct why why);
/* why the head has no place */
int places_compare_why(const struct places *p, uint32_t head, const json_t *want, struct why why);
