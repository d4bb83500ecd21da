/* by_gaps.c - windows that show the gaps of their time. See timeline.h. */
#include "sim/base/memory.h"
#include "sim/contract/util/minmax.h"
#include "sim/scheduler/timeline.h"

#include <stdlib.h>

/* What a window shows: of each node the units that it gives as free. */
struct lit {
    uint64_t *is, *wanted;        /* [n_nodes] */
    node_id *node, *next;         /* [n_nodes] those that show something, and will */
    size_t n;
};

/* Wherever as many GPUs are free as a job wants, they do: so where gaps leave enough the placer is asked once, mostly when little
 * is free. Where it is asked in vain, at one time after the other and with much that is free in parts, windows that are moved cost
 * less. */
static bool any_gpus_do(const struct sched *s)
{
    for (shape_id i = 0; i < s->workload->n_shapes; i++)
        for (const struct request *r = &s->workload->shape[i].ask; r; r = r->next)
            if (r->gpus && ((r->tasks != SPLIT_ANY && r->gpus > 1) || r->required_level < LEVEL_CLUSTER || r->max_per_node ||
                            r->next))
                return false;
    return true;
}

/* And of every node gaps say what it has, or it has nothing, or is counted. */
bool windows_may_show_gaps(const struct sched *s)
{
    const struct timeline *t = s->timeline;
    for (uint32_t k = 0; k < s->cluster->n_kinds; k++) {
        const struct node_kind *kind = &s->cluster->kind[k];
        if (!t->gaps[k] && kind->gpus && !s->cluster->type[kind->type].counted)
            return false;
    }
    return t->gaps_say_all && any_gpus_do(s);
}

static struct piece whole_gpus(node_id n, uint64_t gpus)
{
    return (struct piece){ .node = n, .gpu_mask = gpus, .gpus = (uint32_t)__builtin_popcountll(gpus), .milli = MILLI_ALL };
}

static void show(struct window *w, node_id n, uint64_t wanted)
{
    uint64_t come = wanted & ~w->lit->is[n], go = w->lit->is[n] & ~wanted;
    if (!(come | go))
        return;
    struct piece p = whole_gpus(n, come);
    if (come)
        free_index_give(w->v, &p, 0, 0);
    p = whole_gpus(n, go);
    if (go)
        free_index_take(w->v, &p, 0, 0);
    w->lit->is[n] = wanted;
}

/* Of a kind: adds what its gaps leave free to what is wanted. */
static size_t want(const struct sched *s, struct lit *lit, uint32_t kind, int64_t from_ns, int64_t until_ns, size_t n_next)
{
    size_t n;
    const struct gaps_units *some = gaps_covering(s->timeline->gaps[kind], from_ns, until_ns, &n);
    for (size_t i = 0; i < n; i++) {
        node_id node = s->cluster->kind[kind].node[some[i].group];
        if (!lit->wanted[node])
            lit->next[n_next++] = node;
        lit->wanted[node] |= some[i].units;
    }
    return n_next;
}

void window_show_gaps(struct sched *s, struct window *w, int64_t from_ns, int64_t until_ns)
{
    struct lit *lit = w->lit;
    size_t n_next = 0;
    for (uint32_t k = 0; k < s->cluster->n_kinds; k++)
        if (s->timeline->gaps[k])
            n_next = want(s, lit, k, from_ns, until_ns, n_next);
    for (size_t i = 0; i < lit->n; i++)
        show(w, lit->node[i], lit->wanted[lit->node[i]]);
    for (size_t i = 0; i < n_next; i++) {
        show(w, lit->next[i], lit->wanted[lit->next[i]]);
        lit->wanted[lit->next[i]] = 0;
    }
    node_id *last = lit->node;
    lit->node = lit->next;
    lit->next = last;
    lit->n = n_next;
    w->from_ns = from_ns;
    w->until_ns = until_ns;
}

/* All GPUs with names are taken, once, beside those that are out of service. */
void window_by_gaps(struct sched *s, struct window *w)
{
    const struct cluster *c = s->cluster;
    struct lit *lit = w->lit = mem_new(1, sizeof *lit);
    lit->is = mem_new(c->n_nodes, sizeof *lit->is);
    lit->wanted = mem_new(c->n_nodes, sizeof *lit->wanted);
    lit->node = mem_new(c->n_nodes, sizeof *lit->node);
    lit->next = mem_new(c->n_nodes, sizeof *lit->next);
    for (node_id n = 0; n < c->n_nodes; n++) {
        uint32_t gpus = s->timeline->gaps[c->kind_of[n]] ? c->kind[c->kind_of[n]].gpus : 0;
        struct piece p = whole_gpus(n, gpus ? UINT64_MAX >> (64 - gpus) : 0);
        if (gpus)
            free_index_take(w->v, &p, 0, 0);
    }
    window_show_gaps(s, w, w->from_ns, max_i64(w->until_ns, w->from_ns + 1));
}

void window_lit_free(struct window *w)
{
    if (!w->lit)
        return;
    free(w->lit->is);
    free(w->lit->wanted);
    free(w->lit->node);
    free(w->lit->next);
    free(w->lit);
}
