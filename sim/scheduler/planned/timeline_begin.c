/* timeline_begin.c - a timeline is made as a run begins, and freed as it ends. See timeline.h. */
#include "sim/engine/state.h"
#include "sim/scheduler/placing.h"
#include "sim/scheduler/timeline.h"

#include <stdlib.h>
#include <string.h>

static bool hold_stands(const void *timeline, struct end e)
{
    const struct hold *h = &((const struct timeline *)timeline)->hold[e.hold];
    return h->p && h->end_ns == e.end_ns && h->kind != HOLD_PLAN && !h->summed;
}

void timeline_begin(struct sched *s)
{
    const struct cluster *c = s->cluster;
    struct timeline *t = s->timeline = mem_new(1, sizeof *t);
    t->free = ORDERED_NONE;
    t->by_start = t->by_end[0] = t->by_end[1] = ORDERED_EMPTY;
    t->ends = (struct ends_ahead){ .stands = hold_stands, .context = t };
    t->taken = mem_new(c->n_nodes, sizeof *t->taken);
    t->counted = mem_new(c->n_nodes, sizeof *t->counted);
    t->out = mem_new(c->n_nodes, sizeof *t->out);
    t->kind_taken = mem_new(c->n_kinds, sizeof *t->kind_taken);
    t->instant = mem_new(c->n_kinds, sizeof *t->instant);
    t->sooner = mem_new(c->n_kinds, sizeof *t->sooner);
    t->units = mem_new(c->n_nodes, sizeof *t->units);
    t->plan_at = mem_resize(NULL, s->n_jobs + 1, sizeof *t->plan_at);
    memset(t->plan_at, 0xff, s->n_jobs * sizeof *t->plan_at);     /* ORDERED_NONE */
    for (uint32_t k = 0; k < c->n_kinds; k++)
        t->kind_taken[k] = profile_new();
    for (node_id n = 0; n < c->n_nodes; n++) {
        if (!cluster_node_type(c, n)->counted)
            continue;
        const struct node_kind *kind = &c->kind[c->kind_of[n]];
        t->taken[n] = kind->n_nodes == 1 ? t->kind_taken[c->kind_of[n]] : profile_new();
        t->counted[t->n_counted++] = n;
    }
    for (t->n_windows = 0; t->n_windows < 2; t->n_windows++)
        t->window[t->n_windows] = (struct window){ placing_view(s), s->now_ns, s->now_ns, 0, blocks_new(c), NULL };
}

void timeline_end(struct sched *s)
{
    struct timeline *t = s->timeline;
    if (!t)
        return;
    for (size_t i = 0; i < t->n_counted; i++)
        if (t->taken[t->counted[i]] != t->kind_taken[s->cluster->kind_of[t->counted[i]]])
            profile_free(t->taken[t->counted[i]]);
    for (uint32_t k = 0; k < s->cluster->n_kinds; k++) {
        profile_free(t->kind_taken[k]);
        sooner_free(t->sooner[k]);
    }
    for (unsigned w = 0; w < t->n_windows; w++) {
        free_index_free(t->window[w].v);
        window_lit_free(&t->window[w]);
        blocks_free(t->window[w].blocks);
    }
    free(t->out);
    free(t->hold);
    free(t->end);
    free(t->unordered);
    ends_free(&t->ends);
    free(t->taken);
    free(t->counted);
    gaps_end(s);
    free(t->kind_taken);
    free(t->instant);
    free(t->sooner);
    free(t->plan);
    free(t->plan_at);
    free(t->units);
    free(t->offers.offer);
    free(t);
}
