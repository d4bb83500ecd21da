/* collectives.h - time of a collective by steps and bytes (the alpha-beta model), and of an
 * iteration of training.
 *
 * n ranks, `bytes` that each of them holds (of all_to_all: that each sends), over links of
 * `bytes_per_s` after losses. Fewer than 2 ranks take no time. models.md 2.1, 2.2; ring and tree as
 * in Thakur, Rabenseifner, Gropp, "Optimization of collective communication operations in MPICH",
 * IJHPCA 2005. */
#pragma once
#include <stdint.h>

enum link_class { LINK_NVLINK, LINK_PCIE, LINK_NETWORK, LINK_CLASSES };

struct collective_costs {
    double base_s;                     /* of a whole all-reduce, before its first step */
    double ring_step_s[LINK_CLASSES];  /* latency of one step */
    double tree_step_s[LINK_CLASSES];
};
/* [R NVIDIA/nccl:src/graph/tuning.cc: the "Simple" column of hwLatencies and baseLatencies] */
extern const struct collective_costs collective_costs_default;

double collective_ring_s(const struct collective_costs *c, enum link_class l, uint32_t n,
                         double bytes, double bytes_per_s);
double collective_tree_s(const struct collective_costs *c, enum link_class l, uint32_t n,
                         double bytes, double bytes_per_s);
/* Half of a ring: reduce-scatter, or all-gather. */
double collective_scatter_s(const struct collective_costs *c, enum link_class l, uint32_t n,
                            double bytes, double bytes_per_s);
/* All-reduce: a ring inside a node, the better of ring and tree over the network. */
double collective_all_reduce_s(const struct collective_costs *c, enum link_class l, uint32_t n,
                               double bytes, double bytes_per_s);
double collective_all_to_all_s(const struct collective_costs *c, enum link_class l, uint32_t n,
                               double bytes, double bytes_per_s);

/* The p-norm (compute^overlap + communication^overlap)^(1/overlap): 1 is one after the other,
 * infinity is hidden wholly. [R petuum/adaptdl:adaptdl/adaptdl/goodput.py] */
double iteration_s(double compute_s, double comm_s, double overlap);
