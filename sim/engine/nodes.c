/* nodes.c - see nodes.h. */
#include "sim/engine/nodes.h"
#include "sim/accounting/books.h"
#include "sim/accounting/ledger.h"
#include "sim/engine/models.h"
#include "sim/engine/notices.h"
#include "sim/engine/state.h"
#include "sim/scheduler/timeline.h"

#include <stdlib.h>

struct nodes {
    uint16_t *out;                /* [n_nodes] reasons for which the whole node is out */
    uint16_t *gpu_out;            /* [named GPUs] reasons for which it alone is */
    int64_t *down_milli;          /* [n_nodes] out and not held by a job, since settled_ns */
    int64_t *settled_ns;
    struct amount out_of_capacity;
    uint32_t n_out;               /* nodes with anything out */
    uint64_t changes;
};

void nodes_begin(struct sched *s)
{
    if (s->nodes)
        return;
    const struct cluster *c = s->cluster;
    struct nodes *n = s->nodes = mem_new(1, sizeof *n);
    n->out = mem_new(c->n_nodes, sizeof *n->out);
    n->gpu_out = mem_new(c->gpu_base[c->n_nodes] + 1, sizeof *n->gpu_out);
    n->down_milli = mem_new(c->n_nodes, sizeof *n->down_milli);
    n->settled_ns = mem_new(c->n_nodes, sizeof *n->settled_ns);
}

void nodes_free(struct nodes *n)
{
    if (!n)
        return;
    free(n->out);
    free(n->gpu_out);
    free(n->down_milli);
    free(n->settled_ns);
    free(n);
}

/* ---- What is out, what is down ---- */

static uint64_t all_gpus(const struct sched *s, node_id n)
{
    const struct node_type *t = cluster_node_type(s->cluster, n);
    return t->counted || !t->gpus ? 0 : UINT64_MAX >> (64 - t->gpus);
}

/* Of named GPUs. */
static uint64_t out_gpus(const struct sched *s, node_id n)
{
    uint64_t all = all_gpus(s, n), out = 0;
    const uint16_t *reasons = s->nodes->gpu_out + s->cluster->gpu_base[n];
    if (s->nodes->out[n])
        return all;
    for (uint64_t m = all; m; m &= m - 1)
        if (reasons[__builtin_ctzll(m)])
            out |= m & -m;
    return out;
}

static int64_t gpus_milli(const struct sched *s, node_id n, uint64_t gpus)
{
    int64_t milli = 0;
    uint32_t first = s->cluster->kind_of[n];
    for (uint32_t k = first; k < first + s->cluster->kind[first].parts; k++)
        milli += (int64_t)__builtin_popcountll(gpus & s->cluster->kind[k].slots) * s->cluster->kind[k].slot_milli;
    return milli;
}

/* Beyond what is out, the idle index knows what jobs hold: claims on what is out are given back before. */
static int64_t down_now(const struct sched *s, node_id n, uint64_t out)
{
    const struct node_type *t = cluster_node_type(s->cluster, n);
    if (t->counted)
        return s->nodes->out[n] ? (t->gpus + (int64_t)s->idle->node[n].whole) * MILLI_ALL : 0;
    if (t->mig_dynamic)                               /* as a whole or not at all */
        return s->nodes->out[n] ? cluster_node_milli(s->cluster, n) - models_held_milli(s, n) : 0;
    int64_t down = gpus_milli(s, n, out);
    for (uint64_t m = out; m; m &= m - 1)
        down -= (int64_t)view_used_milli(s->idle, n, (unsigned)__builtin_ctzll(m)) - MILLI_ALL;
    return down;
}

static void account(struct sched *s, node_id n)
{
    struct nodes *of = s->nodes;
    ledger_down(s, n, (int128_t)(s->now_ns - of->settled_ns[n]) * of->down_milli[n]);
    of->settled_ns[n] = s->now_ns;
}

static void recount(struct sched *s, node_id n)
{
    int64_t down = down_now(s, n, out_gpus(s, n));
    account(s, n);
    ledger_up(s, s->nodes->down_milli[n] - down);
    s->nodes->down_milli[n] = down;
}

void nodes_held_changed(struct sched *s, const struct placement *p)
{
    for (size_t i = 0; s->nodes && s->nodes->n_out && i < p->n; i++)
        recount(s, p->piece[i].node);
}

void nodes_end(struct sched *s)
{
    for (node_id n = 0; n < s->cluster->n_nodes; n++)
        account(s, n);
}

/* ---- Going and coming ---- */

/* In every view: `gpus` of it, and the whole node or not. */
static void show(struct sched *s, node_id n, uint64_t gpus, bool whole, int sign)
{
    const struct node_type *t = cluster_node_type(s->cluster, n);
    uint32_t counted = whole && t->counted ? t->gpus : 0;
    struct view *const views[] = { s->idle, s->releasing };
    for (size_t i = 0; i < 2 && views[i]; i++) {
        if (gpus)
            free_index_out_gpus(views[i], n, gpus, sign);
        if (whole)
            free_index_out_node(views[i], n, counted, sign);
    }
    if (s->timeline)
        timeline_node_out(s, n, gpus, whole, sign);
}

static void capacity_change(struct sched *s, node_id n, uint64_t gpus, bool whole, int sign)
{
    const struct node_type *t = cluster_node_type(s->cluster, n);
    struct amount *out = &s->nodes->out_of_capacity;
    int64_t milli = sign * (t->counted ? whole * (int64_t)t->gpus * MILLI_ALL : gpus_milli(s, n, gpus));
    out->gpu_milli += milli;
    books_capacity(s, n, -milli);
    if (whole && t->cpu_milli != INT64_MAX)
        out->cpu_milli += sign * t->cpu_milli;
    if (whole && t->mem_mib != INT64_MAX)
        out->mem_mib += sign * t->mem_mib;
}

static void change(struct sched *s, node_id n, uint16_t *reasons, int sign)
{
    uint64_t was = out_gpus(s, n);
    bool was_whole = s->nodes->out[n] > 0, any = was || was_whole;
    MUST(s, !s->in_pass && (sign > 0 ? *reasons < UINT16_MAX : *reasons > 0));
    s->nodes->changes++;
    *reasons = (uint16_t)(*reasons + sign);
    uint64_t is = out_gpus(s, n);
    bool whole = s->nodes->out[n] > 0;
    s->nodes->n_out = s->nodes->n_out - any + (is || whole);
    if (was == is && was_whole == whole)
        return;
    show(s, n, was ^ is, was_whole != whole, sign);
    capacity_change(s, n, was ^ is, was_whole != whole, sign);
    models_node_power(s, n, whole);
    recount(s, n);
    if (sign < 0)
        view_freed(s);
    run_changed(s);
    notice_add(s, NOTICE_NODE, n, 0);
}

void node_goes(struct sched *s, node_id n)
{
    change(s, n, &s->nodes->out[n], 1);
}

void node_comes(struct sched *s, node_id n)
{
    change(s, n, &s->nodes->out[n], -1);
}

void gpu_goes(struct sched *s, node_id n, unsigned gpu)
{
    change(s, n, &s->nodes->gpu_out[s->cluster->gpu_base[n] + gpu], 1);
}

void gpu_comes(struct sched *s, node_id n, unsigned gpu)
{
    change(s, n, &s->nodes->gpu_out[s->cluster->gpu_base[n] + gpu], -1);
}

bool nodes_imaginable(const struct sched *s, node_id n)
{
    uint64_t gpus = all_gpus(s, n);
    const uint16_t *reasons = s->nodes->gpu_out + s->cluster->gpu_base[n];
    for (; gpus; gpus &= gpus - 1)
        if (reasons[__builtin_ctzll(gpus)])
            return false;
    return s->nodes->out[n] == 1;
}

void nodes_imagine(struct sched *s, node_id n, bool back)
{
    const struct node_type *t = cluster_node_type(s->cluster, n);
    int sign = back ? -1 : 1;
    if (all_gpus(s, n))
        free_index_out_gpus(s->idle, n, all_gpus(s, n), sign);
    free_index_out_node(s->idle, n, t->counted ? t->gpus : 0, sign);
}

/* ---- Asking ---- */

bool nodes_consistent(const struct sched *s)
{
    int64_t up = s->cluster->gpus * MILLI_ALL;
    for (node_id n = 0; s->nodes && n < s->cluster->n_nodes; n++) {
        if (down_now(s, n, out_gpus(s, n)) != s->nodes->down_milli[n])
            return false;
        up -= s->nodes->down_milli[n];
    }
    return !s->nodes || (up == s->ledger.up_milli && s->ledger.held_milli <= up);
}

bool node_is_up(const struct sched *s, node_id n)
{
    return !s->nodes || !s->nodes->out[n];
}

struct amount nodes_out_of_capacity(const struct sched *s)
{
    return s->nodes ? s->nodes->out_of_capacity : (struct amount){ 0, 0, 0 };
}

uint64_t nodes_changes(const struct sched *s)
{
    return s->nodes->changes;
}
