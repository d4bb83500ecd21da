/* flavors.c - which nodes are of a flavor, and what a queue has of it: see cluster.h. */
#include "sim/base/intern.h"
#include "sim/cluster/cluster.h"
#include "sim/cluster/labels.h"

static const struct amount nothing_counted = { UNLIMITED, UNLIMITED, UNLIMITED };

bool cluster_node_has_flavor(const struct cluster *c, node_id n, uint32_t flavor)
{
    return selector_holds(c->flavor[flavor].labels,
                          intern_text(c->texts, cluster_node_type(c, n)->labels));
}

int64_t cluster_flavor_milli(const struct cluster *c, uint32_t flavor)
{
    int64_t milli = 0;
    for (uint32_t k = 0; k < c->n_kinds; k++) {
        const struct node_type *t = &c->type[c->kind[k].type];
        const char *labels = intern_text(c->texts, t->labels);
        if (selector_holds(c->flavor[flavor].labels, labels))
            milli += c->kind[k].n_nodes * cluster_kind_milli(c, &c->kind[k]);
    }
    return milli;
}

/* The sum, or that it is not bounded. */
static void add(int64_t *to, int64_t more)
{
    *to = *to == UNLIMITED || more == UNLIMITED ? UNLIMITED : *to + more;
}

static void add_amount(struct amount *to, const struct amount *more)
{
    add(&to->gpu_milli, more->gpu_milli);
    add(&to->cpu_milli, more->cpu_milli);
    add(&to->mem_mib, more->mem_mib);
}

/* Of one resource, from the entry that counts it. */
static void count(int64_t nominal, int64_t borrowing, int64_t *deserved, int64_t *limit)
{
    if (nominal == UNLIMITED)
        return;
    *deserved = nominal;
    *limit = borrowing == UNLIMITED ? UNLIMITED : nominal + borrowing;
}

bool cluster_flavor_quota(const struct cluster *c, queue_id q, uint32_t flavor, struct quota *to)
{
    const struct queue_facts *f = &c->queue[q];
    bool some = false;
    *to = (struct quota){ nothing_counted, nothing_counted };
    for (uint32_t i = 0; i < f->n_flavor_quotas; i++) {
        const struct flavor_quota *of = &f->flavor_quota[i];
        if (of->flavor != flavor)
            continue;
        some = true;
        count(of->nominal.gpu_milli, of->borrowing.gpu_milli, &to->deserved.gpu_milli,
              &to->limit.gpu_milli);
        count(of->nominal.cpu_milli, of->borrowing.cpu_milli, &to->deserved.cpu_milli,
              &to->limit.cpu_milli);
        count(of->nominal.mem_mib, of->borrowing.mem_mib, &to->deserved.mem_mib,
              &to->limit.mem_mib);
    }
    struct quota below;
    for (queue_id i = f->first_child; i != ID_NONE && f->n_flavor_quotas == 0;
         i = c->queue[i].next_sibling) {
        if (!cluster_flavor_quota(c, i, flavor, &below))
            continue;
        if (!some)
            to->deserved = (struct amount){ 0, 0, 0 };
        add_amount(&to->deserved, &below.deserved);
        some = true;
    }
    if (!some)
        to->deserved = (struct amount){ 0, 0, 0 };
    return some;
}
