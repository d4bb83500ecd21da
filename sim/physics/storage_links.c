/* storage_links.c - see storage_links.h. */
#include "sim/scheduler/placements.h"
#include "sim/physics/storage_links.h"
#include "sim/engine/state.h"

#include <math.h>
#include <stdlib.h>

#define NO_LINK UINT32_MAX

struct storage_links {
    link_id all, read, write;     /* NO_LINK: unlimited */
    link_id *node_read, *node_write;                 /* [n_nodes] NO_LINK: not made yet */
};

static link_id link_of(struct sched *s, int64_t bytes_per_s)
{
    return bytes_per_s == STORAGE_UNLIMITED ? NO_LINK : flows_link(s->flows, (double)bytes_per_s);
}

static link_id *no_links(struct sched *s)
{
    link_id *l = arena_alloc(s->memory, s->cluster->n_nodes * sizeof *l);
    for (node_id n = 0; n < s->cluster->n_nodes; n++)
        l[n] = NO_LINK;
    return l;
}

void storage_links_begin(struct sched *s)
{
    const struct storage *from = &s->cluster->storage;
    if (s->storage_links || from->contention != CONTENTION_MAXMIN)
        return;
    s->storage_links = arena_alloc(s->memory, sizeof *s->storage_links);
    *s->storage_links = (struct storage_links){ link_of(s, from->all_bps), link_of(s, from->read_bps), link_of(s, from->write_bps),
                                                no_links(s), no_links(s) };
}

static flow_id open(struct sched *s, struct flow_spec spec, link_id shared, link_id *node, int64_t node_bps, const struct placement *p)
{
    const link_id tried[] = { s->storage_links->all, shared };
    link_id link[3];
    spec.link = link;
    for (size_t i = 0; i < sizeof tried / sizeof tried[0]; i++)
        if (tried[i] != NO_LINK)
            link[spec.n_links++] = tried[i];
    if (placement_node_count(p) == 1 && node_bps != STORAGE_UNLIMITED) {
        link_id *own = &node[p->piece[0].node];
        if (*own == NO_LINK)
            *own = flows_link(s->flows, (double)node_bps);
        link[spec.n_links++] = *own;
    }
    return isinf(spec.demand) && !spec.n_links ? FLOW_NONE : flow_open(s, &spec);
}

static double of_nodes(int64_t node_bps, uint32_t nodes)
{
    return node_bps == STORAGE_UNLIMITED ? (double)INFINITY : (double)node_bps * nodes;
}

flow_id storage_write_flow(struct sched *s, job_id j, const struct placement *p, double bytes, const struct flow_kind *kind)
{
    int64_t node_bps = s->cluster->storage.node_write_bps;
    struct flow_spec spec = { .kind = kind, .job = j, .demand = of_nodes(node_bps, placement_node_count(p)), .bytes = bytes };
    return open(s, spec, s->storage_links->write, s->storage_links->node_write, node_bps, p);
}

flow_id storage_read_flow(struct sched *s, job_id j, const struct placement *p, uint32_t nodes, double demand, const struct flow_kind *kind)
{
    int64_t node_bps = s->cluster->storage.node_read_bps;
    struct flow_spec spec = { .kind = kind, .job = j, .demand = fmin(demand, of_nodes(node_bps, nodes)) };
    return open(s, spec, s->storage_links->read, s->storage_links->node_read, node_bps, p);
}
