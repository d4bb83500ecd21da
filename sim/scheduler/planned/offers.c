/* offers.c - where a placer that says so of a list of nodes (placer.choose) puts a plan: no window is made for that. See timeline.h. */
#include "sim/base/memory.h"
#include "sim/scheduler/placing.h"
#include "sim/scheduler/timeline.h"

#include <stdlib.h>

enum { PARTS_MOST = 64 };         /* where more is free, a window costs less */

static void offer_add(struct timeline *t, node_id n, uint64_t units)
{
    struct offers *all = &t->offers;
    if (!units)
        return;
    if (!t->units[n]) {
        mem_grow(&all->offer, &all->capacity, all->n, sizeof *all->offer);
        all->offer[all->n++].node = n;
    }
    t->units[n] |= units;
}

/* What is free for the plan if it begins then: its own units as far as nothing else holds them, and those that gaps leave. false: that
 * is much. */
static bool offers_gather(struct sched *s, const struct hold *plan, int64_t from_ns)
{
    struct timeline *t = s->timeline;
    int64_t until_ns = from_ns + (plan->end_ns - plan->start_ns);
    size_t n;
    const struct gaps_units *part = gaps_covering(t->gaps[plan->kind_of_all], from_ns, until_ns, &n);
    if (n > PARTS_MOST)
        return false;
    for (size_t i = 0; i < plan->p->n && until_ns > plan->start_ns; i++) {
        const struct piece *p = &plan->p->piece[i];
        uint64_t units = p->gpu_mask;
        if (from_ns < plan->start_ns)
            units = gaps_free_units(t->gaps[plan->kind_of_all], s->cluster->local_of[p->node], units, from_ns, plan->start_ns);
        offer_add(t, p->node, units);
    }
    for (size_t i = 0; i < n; i++)
        offer_add(t, s->cluster->kind[plan->kind_of_all].node[part[i].group], part[i].units);
    return true;
}

/* All of the first `n` offers are those units of the plan, in its order. */
static bool are_its_own(const struct sched *s, const struct hold *plan, size_t n)
{
    const struct node_offer *offer = s->timeline->offers.offer;
    if (n != plan->p->n)
        return false;
    for (size_t i = 0; i < n; i++)
        if (offer[i].node != plan->p->piece[i].node || s->timeline->units[offer[i].node] != plan->p->piece[i].gpu_mask)
            return false;
    return true;
}

/* All of the first `n` offers. NULL: the last has more than is left, or nothing; or GPUs are out of service there. */
static const struct placement *whole_offers(struct sched *s, const struct request *r, size_t n)
{
    const struct offers *all = &s->timeline->offers;
    struct placement *p = arena_room(s->scratch, sizeof *p + n * sizeof p->piece[0]);
    uint32_t left = r->gpus;
    for (p->n = 0; p->n < n; p->n++) {
        struct node_offer offer = all->offer[p->n];
        const struct node_out *out = &s->timeline->out[offer.node];
        if (out->whole || out->gpus)
            return NULL;
        p->piece[p->n] = (struct piece){
            .node = offer.node,
            .task = r->tasks == SPLIT_ANY ? (uint32_t)p->n : request_task(r, 0),
            .gpu_mask = s->timeline->units[offer.node],
            .gpus = offer.gpus,
            .milli = r->gpu_milli,
            .gpu_mem_mib = r->gpu_mem_mib,
            .mig = r->mig,
        };
        left -= offer.gpus;
    }
    return n && !left ? p : NULL;
}

const struct placement *plan_by_offers(struct sched *s, const struct hold *plan, int64_t from_ns)
{
    struct offers *all = &s->timeline->offers;
    uint64_t *units = s->timeline->units;
    if (!offers_gather(s, plan, from_ns))
        return NULL;
    for (size_t i = 0; i < all->n; i++)
        all->offer[i].gpus = (uint32_t)__builtin_popcountll(units[all->offer[i].node]);
    const struct request *r = ask_of(s, plan->job);
    size_t taken = s->setup.placer->choose(r, all->offer, all->n, s->placing->params);
    const struct placement *p = are_its_own(s, plan, taken) ? plan->p : whole_offers(s, r, taken);
    if (p)
        s->placing->why_not = PLACED;
    while (all->n)
        units[all->offer[--all->n].node] = 0;
    return p;
}
