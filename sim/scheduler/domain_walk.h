/* domain_walk.h - domains of one level in which a request has room by totals: in the order of ids, or the tightest first. */
#pragma once
#include "sim/capacity/free_index.h"

struct domain_walk {
    struct view *v;
    const struct request *r;
    enum level level;
    bool tightest;                /* by free GPUs, and then by id */
    bool begun;
    node_id at;                   /* by ids: the next begins here */
    uint32_t free;                /* by free GPUs: of the last */
    domain_id last;
};
bool domain_walk_next(struct domain_walk *w, domain_id *d);  /* false: no more */
