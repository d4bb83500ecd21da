/* maxmin.h - max-min fair shares of links among fluid flows, each with a demand as upper bound.
 *
 * Progressive filling (Bertsekas and Gallager, Data Networks, 6.5.2; models.md 2.4): all flows grow
 * equally, until one reaches its demand or a link is full; then that flow, or those on that link,
 * stop growing. So no share can grow without making a smaller one on a full link smaller, and the
 * order of flows and links does not matter. */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct maxmin_flow {
    double demand;                /* > 0; INFINITY: no bound */
    double share;                 /* the answer */
    const uint32_t *link;  /* [n_links] each once; none: it gets its demand, which is finite */
    uint32_t n_links;
    const double *takes;   /* [n_links] of a link, >= 0, for each unit of its share; NULL: 1 of each */
};
struct maxmin {
    struct maxmin_flow **flow;
    size_t n_flows;
    const double *capacity;       /* by link, >= 0 */
    double *left, *rising;        /* scratch, by link */
};
/* Fills every share and reorders the flows. O(links of all flows x distinct bottlenecks),
 * independent of other links. */
void maxmin_share(const struct maxmin *m);
