/* collectives.c - see collectives.h. */
#include "sim/models/network/collectives.h"

#include <math.h>

const struct collective_costs collective_costs_default = {
    .base_s = 8.4e-6,
    .ring_step_s = { [LINK_NVLINK] = 3.4e-6, [LINK_PCIE] = 5.7e-6, [LINK_NETWORK] = 14.0e-6 },
    .tree_step_s = { [LINK_NVLINK] = 4.0e-6, [LINK_PCIE] = 4.0e-6, [LINK_NETWORK] = 14.0e-6 },
};

double collective_ring_s(const struct collective_costs *c, enum link_class l, uint32_t n,
                         double bytes, double bytes_per_s)
{
    return n < 2 ? 0 : c->base_s + 2 * collective_scatter_s(c, l, n, bytes, bytes_per_s);
}

double collective_tree_s(const struct collective_costs *c, enum link_class l, uint32_t n,
                         double bytes, double bytes_per_s)
{
    unsigned depth = 0;
    while (depth < 32 && UINT64_C(1) << depth < n)
        depth++;
    return n < 2 ? 0 : c->base_s + 2 * depth * c->tree_step_s[l] + 2 * bytes / bytes_per_s;
}

double collective_scatter_s(const struct collective_costs *c, enum link_class l, uint32_t n,
                            double bytes, double bytes_per_s)
{
    return n < 2 ? 0 : (n - 1) * c->ring_step_s[l] + (double)(n - 1) / n * bytes / bytes_per_s;
}

double collective_all_reduce_s(const struct collective_costs *c, enum link_class l, uint32_t n,
                               double bytes, double bytes_per_s)
{
    double ring = collective_ring_s(c, l, n, bytes, bytes_per_s);
    return l == LINK_NETWORK ? fmin(ring, collective_tree_s(c, l, n, bytes, bytes_per_s)) : ring;
}

/* Each rank sends to each other in turn, so its steps are those of half a ring. */
double collective_all_to_all_s(const struct collective_costs *c, enum link_class l, uint32_t n,
                               double bytes, double bytes_per_s)
{
    return collective_scatter_s(c, l, n, bytes, bytes_per_s);
}

double iteration_s(double compute_s, double comm_s, double overlap)
{
    double longer = fmax(compute_s, comm_s), shorter = fmin(compute_s, comm_s);
    if (shorter <= 0)
        return longer;
    if (overlap == 2)
        return sqrt(longer * longer + shorter * shorter);
    return longer * pow(1 + pow(shorter / longer, overlap), 1 / overlap);
}
