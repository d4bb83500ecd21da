/* outages.c - see outages.h. */
#include "sim/scheduler/closed/outages.h"
#include "sim/models/failures.h"

#include <stdlib.h>

struct blocks {
    const struct cluster *cluster;
    bool *by;                     /* [planned] it denies its nodes */
    uint16_t *n;                  /* [n_nodes] outages that deny the node */
};

struct blocks *blocks_new(const struct cluster *c)
{
    if (!c->failures || !c->failures->n_planned)
        return NULL;
    struct blocks *b = mem_new(1, sizeof *b);
    b->cluster = c;
    b->by = mem_new(c->failures->n_planned, sizeof *b->by);
    b->n = mem_new(c->n_nodes, sizeof *b->n);
    return b;
}

void blocks_free(struct blocks *b)
{
    if (!b)
        return;
    free(b->by);
    free(b->n);
    free(b);
}

/* What is not out in truth. */
static void show(const struct blocks *b, struct view *v, const struct node_out *out, node_id n, int sign)
{
    const struct node_type *t = cluster_node_type(b->cluster, n);
    uint64_t all = t->counted || !t->gpus ? 0 : UINT64_MAX >> (64 - t->gpus);
    if (out[n].whole)
        return;
    if (all & ~out[n].gpus)
        free_index_out_gpus(v, n, all & ~out[n].gpus, sign);
    free_index_out_node(v, n, 0, sign);
}

void blocks_move(struct blocks *b, struct view *v, const struct node_out *out, int64_t from_ns, int64_t until_ns)
{
    for (uint32_t k = 0; b && k < b->cluster->failures->n_planned; k++) {
        const struct planned_outage *o = &b->cluster->failures->planned[k];
        bool by = closure_denies(&o->when, from_ns, until_ns);
        for (node_id n = o->first; by != b->by[k] && n < o->end; n++) {
            uint16_t was = b->n[n];
            b->n[n] = (uint16_t)(was + (by ? 1 : -1));
            if (!was || !b->n[n])
                show(b, v, out, n, by ? 1 : -1);
        }
        b->by[k] = by;
    }
}

bool blocks_has(const struct blocks *b, node_id n)
{
    return b && b->n[n];
}

void blocks_lift(struct blocks *b, struct view *v, const struct node_out *out, node_id n)
{
    if (blocks_has(b, n))
        show(b, v, out, n, -1);
}

void blocks_lay(struct blocks *b, struct view *v, const struct node_out *out, node_id n)
{
    if (blocks_has(b, n))
        show(b, v, out, n, 1);
}

int64_t outages_take(const struct cluster *c, int64_t from_ns, int64_t until_ns, uint64_t *nodes)
{
    int64_t first_ns = TIME_NEVER;
    for (uint32_t k = 0; c->failures && k < c->failures->n_planned; k++) {
        const struct planned_outage *o = &c->failures->planned[k];
        int64_t end_ns = closure_end_ns(&o->when, from_ns);
        if (!closure_denies(&o->when, from_ns, until_ns))
            continue;
        for (node_id n = o->first; n < o->end; n++) {
            uint64_t bit = UINT64_C(1) << n % 64;
            first_ns = nodes[n / 64] & bit && end_ns < first_ns ? end_ns : first_ns;
            nodes[n / 64] &= ~bit;
        }
    }
    return first_ns;
}

int64_t outages_next_end_ns(const struct cluster *c, int64_t now_ns, int64_t after_ns)
{
    int64_t next_ns = TIME_NEVER;
    for (uint32_t k = 0; c->failures && k < c->failures->n_planned; k++) {
        int64_t until_ns = closure_end_ns(&c->failures->planned[k].when, now_ns);
        if (until_ns > after_ns && until_ns < next_ns)
            next_ns = until_ns;
    }
    return next_ns;
}
