/* parallel_time.c - see parallel_time.h. */
#include "sim/models/training/parallel_time.h"

#include <math.h>
#include <string.h>

/* A matrix product of hidden size H reaches MOST / (1 + HALF / H) of the dense FLOPS of an A100,
 * attention ATTENTION of that [D fit, six rows of SC'21, table 1]. */
#define MOST          0.666
#define HALF          1070.0
#define ATTENTION     0.75
/* Adam in mixed precision reads and writes that many bytes for each parameter that a GPU holds. */
#define ADAM_BYTES    30
#define FP16          2

struct parallel_split parallel_split(const struct parallelism *p, uint32_t gpus)
{
    struct parallel_split s = { .tp = p->tp, .cp = p->cp, .pp = p->pp };
    s.tp = s.tp < gpus ? s.tp : gpus;
    s.cp = s.cp < gpus / s.tp ? s.cp : gpus / s.tp;
    s.pp = s.pp < gpus / (s.tp * s.cp) ? s.pp : gpus / (s.tp * s.cp);
    s.dp = gpus / (s.tp * s.cp * s.pp);
    s.ep = p->ep < s.dp ? p->ep : s.dp;
    while (s.dp % s.ep)
        s.ep--;
    return s;
}

/* ---- Groups ---- */

static void merge(struct rank_group *into, const struct rank_group *g)
{
    into->ranks = g->ranks > into->ranks ? g->ranks : into->ranks;
    into->units = g->units > into->units ? g->units : into->units;
    into->least = g->least < into->least ? g->least : into->least;
    into->most = g->most > into->most ? g->most : into->most;
    into->sharing = g->sharing > into->sharing ? g->sharing : into->sharing;
    into->reach = g->reach > into->reach ? g->reach : into->reach;
    into->inside = g->inside > into->inside ? g->inside : into->inside;
    into->inside_bps = fmin(into->inside_bps, g->inside_bps);
    into->rail_bps = fmin(into->rail_bps, g->rail_bps);
    into->node_bps = fmin(into->node_bps, g->node_bps);
}

static bool same_form(const struct rank_group *a, const struct rank_group *b)
{
    return a->ranks == b->ranks && a->units == b->units && a->least == b->least &&
           a->most == b->most && a->sharing == b->sharing && a->reach == b->reach &&
           a->inside == b->inside && a->inside_bps == b->inside_bps &&
           a->rail_bps == b->rail_bps && a->node_bps == b->node_bps;
}

void rank_groups_add(struct rank_groups *g, enum group_kind kind, const struct rank_group *group)
{
    for (unsigned i = 0; i < g->n[kind]; i++)
        if (same_form(&g->of[kind][i], group))
            return;
    if (g->n[kind] < GROUP_FORMS)
        g->of[kind][g->n[kind]++] = *group;
    else
        merge(&g->of[kind][GROUP_FORMS - 1], group);
}

/* ---- Collectives ---- */

static double inside_bps(const struct rank_group *g, const struct parallel_means *w)
{
    return w->efficiency[g->inside] * g->inside_bps;
}

/* Of one GPU, to other units. */
static double network_bps(const struct rank_group *g, const struct parallel_means *w)
{
    double eta = w->efficiency[LINK_NETWORK], over = 1;
    if (w->link_bps)
        return fmin(eta * g->rail_bps, w->link_bps[g->reach] / g->sharing);
    over *= g->reach > REACH_RACK ? w->leaf_oversubscription : 1;
    over *= g->reach > REACH_POD ? w->spine_oversubscription : 1;
    return eta * fmin(g->rail_bps, g->node_bps / over);
}

double group_all_reduce_s(const struct rank_group *g, const struct parallel_means *w, double bytes)
{
    if (g->units == 1)
        return collective_all_reduce_s(w->costs, g->inside, g->ranks, bytes, inside_bps(g, w));
    double network = network_bps(g, w);
    if (g->least == 1 && g->most > 1)
        return collective_ring_s(w->costs, LINK_NETWORK, g->ranks, bytes, network);
    double inside =
        2 * collective_scatter_s(w->costs, g->inside, g->most, bytes, inside_bps(g, w));
    return inside + collective_all_reduce_s(w->costs, LINK_NETWORK, g->units, bytes / g->least,
                                            network);
}

double group_gather_s(const struct rank_group *g, const struct parallel_means *w, double bytes)
{
    if (g->units == 1)
        return collective_scatter_s(w->costs, g->inside, g->ranks, bytes, inside_bps(g, w));
    double network = network_bps(g, w);
    if (g->least == 1 && g->most > 1)
        return collective_scatter_s(w->costs, LINK_NETWORK, g->ranks, bytes, network);
    return collective_scatter_s(w->costs, g->inside, g->most, bytes, inside_bps(g, w)) +
           collective_scatter_s(w->costs, LINK_NETWORK, g->units, bytes / g->least, network);
}

/* What a rank sends to those of its unit goes inside, the rest over its part of the NICs; one after
 * the other. The unit with most ranks sends most inside, that with fewest over the network. */
double group_all_to_all_s(const struct rank_group *g, const struct parallel_means *w, double bytes)
{
    if (g->units == 1)
        return collective_all_to_all_s(w->costs, g->inside, g->ranks, bytes, inside_bps(g, w));
    double n = g->ranks, away = n - g->least;
    double inside = collective_all_to_all_s(w->costs, g->inside, g->most, bytes * g->most / n,
                                            inside_bps(g, w));
    return inside + away * w->costs->ring_step_s[LINK_NETWORK] +
           away / n * bytes / network_bps(g, w);
}

static double neighbour_s(const struct rank_group *g, const struct parallel_means *w, double bytes)
{
    bool apart = g->units > 1;
    double bps = apart ? network_bps(g, w) : inside_bps(g, w);
    return w->costs->ring_step_s[apart ? LINK_NETWORK : g->inside] + bytes / bps;
}

/* ---- The iteration ---- */

typedef double collective(const struct rank_group *g, const struct parallel_means *w, double bytes);

struct slowest { double s; bool network; };

static struct slowest slowest(const struct rank_groups *groups, enum group_kind kind,
                              collective *takes, const struct parallel_means *w, double bytes)
{
    struct slowest most = { 0, false };
    for (unsigned i = 0; i < groups->n[kind]; i++) {
        double s = takes(&groups->of[kind][i], w, bytes);
        if (s > most.s)
            most = (struct slowest){ s, groups->of[kind][i].units > 1 };
    }
    return most;
}

/* Adds `times` of what the slowest group takes, as far as it is not hidden. */
static double exposed_s(struct slowest of, double times, double hidden, double *network_s)
{
    double s = times * of.s * (1 - hidden);
    *network_s += of.network ? s : 0;
    return s;
}

static double compute_s(const struct parallelism *p, const struct parallel_split *split,
                        const struct parallel_means *w, double tokens)
{
    double passes = p->full_recompute ? 4 : 3, ranks = (double)split->tp * split->pp;
    double linear = 2 * parallelism_active_params(p) * tokens * passes / ranks,
           attention = 2 * p->layers * tokens * p->seq * p->hidden * passes / ranks;
    double reached = w->flops_per_s * w->chi * MOST / (1 + HALF / p->hidden);
    return linear / reached + attention / (reached * ATTENTION);
}

/* Parameters that a GPU holds: experts are spread over ep. */
static double held_params(const struct parallelism *p, const struct parallel_split *split)
{
    double all = parallelism_params(p), experts = p->moe.experts ? p->moe.params : 0;
    return (all - experts + experts / split->ep) / split->tp / split->pp;
}

static double data_s(const struct parallelism *p, const struct parallel_split *split,
                     const struct rank_groups *groups, const struct parallel_means *w,
                     double *network_s)
{
    double held = held_params(p, split);
    if (p->zero3) {
        struct slowest gather =
            slowest(groups, GROUP_DATA, group_gather_s, w, FP16 * held);
        return exposed_s(gather, 3, p->overlap_dp, network_s);
    }
    struct slowest reduce =
        slowest(groups, GROUP_DATA, group_all_reduce_s, w, p->gradient_bytes * held);
    return exposed_s(reduce, 1, p->overlap_dp, network_s);
}

struct parallel_time parallel_time(const struct parallelism *p, const struct parallel_split *split,
                                   const struct rank_groups *groups,
                                   const struct parallel_means *w)
{
    double m = ceil(p->batch_sequences / (split->dp * p->micro_batch)),
           tokens = p->micro_batch * p->seq / split->cp, layers = (double)p->layers / split->pp,
           activation = FP16 * tokens * p->hidden,
           kv = 2 * FP16 * (p->kv_width > 0 ? p->kv_width : p->hidden);
    struct parallel_time t = { .compute_s = m * compute_s(p, split, w, tokens) };
    double network = 0;
    t.tensor_s = exposed_s(slowest(groups, GROUP_TENSOR, group_all_reduce_s, w, activation),
                           m * layers * (p->full_recompute ? 6 : 4), p->overlap_tp, &network);
    t.context_s = exposed_s(slowest(groups, GROUP_CONTEXT, group_gather_s, w,
                                    kv * p->seq * p->micro_batch / split->tp),
                            m * layers * 3, 0, &network);
    t.expert_s = exposed_s(slowest(groups, GROUP_EXPERT, group_all_to_all_s, w,
                                   activation * p->moe.chosen / split->tp),
                           m * 4 * p->moe.layers / split->pp, 0, &network);
    t.pipeline_s = exposed_s(slowest(groups, GROUP_STAGES, neighbour_s, w, activation / split->tp),
                             m * 2 * p->interleave, p->overlap_pp, &network);
    double bubble = (split->pp - 1) / (p->interleave * m);
    t.bubble_s = bubble * (t.compute_s + t.tensor_s + t.context_s + t.expert_s + t.pipeline_s);
    network *= 1 + bubble;
    t.data_s = data_s(p, split, groups, w, &network);
    t.optimizer_s =
        ADAM_BYTES * held_params(p, split) / (p->zero3 ? split->dp : 1) / w->mem_bps;
    t.iteration_s = t.compute_s + t.tensor_s + t.context_s + t.expert_s + t.pipeline_s +
                    t.bubble_s + t.data_s + t.optimizer_s;
    t.network_s = network;
    return t;
}
