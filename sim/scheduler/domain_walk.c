/* domain_walk.c - see domain_walk.h. */
#include "sim/scheduler/domain_walk.h"

/* The domain of that level around n, and where the next begins. */
static domain_id domain_around(const struct view *v, enum level level, node_id n, node_id *next)
{
    const struct cluster *c = v->cluster;
    domain_id d = cluster_domain_at(c, n, level);
    node_id first;
    if (d < c->n_domains && c->domain[d].level > level)
        d = c->n_domains + n;                         /* in no such domain: the node stands for itself */
    view_domain_nodes(v, d, &first, next);
    return d;
}

static uint32_t tasks_wanted(const struct request *r)
{
    return r->tasks == SPLIT_ANY ? r->gpus : r->tasks;
}

bool domain_walk_next(struct domain_walk *w, domain_id *d)
{
    uint32_t best = UINT32_MAX;
    node_id n = w->tightest ? 0 : w->at;
    bool found = false;
    while (n < w->v->cluster->n_nodes) {
        domain_id here = domain_around(w->v, w->level, n, &n);
        if (domain_fits(w->v, here, w->r) < tasks_wanted(w->r))
            continue;
        if (!w->tightest) {
            w->at = n;
            *d = here;
            return true;
        }
        uint32_t free = domain_free_gpus(w->v, here, w->r);
        bool later = !w->begun || free > w->free || (free == w->free && here > w->last);
        if (later && (!found || free < best)) {
            found = true;
            best = free;
            *d = here;
        }
    }
    w->begun = true;
    w->free = best;
    w->last = found ? *d : 0;
    return found;
}
