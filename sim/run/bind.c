/* bind.c - bringing a workload and a cluster together: queues by name, and whose nodes a job may use. */
#include "sim/run/host.h"

#include <stdlib.h>
#include <string.h>

/* A trace's queues, flat and without quotas, in the order of first sight. */
static void queues_from_trace(struct cluster *c, const struct workload *w)
{
    c->n_queues = intern_count(w->queue_names);
    c->queue = arena_alloc(c->memory, (c->n_queues + 1) * sizeof *c->queue);
    for (queue_id q = 0; q < c->n_queues; q++) {
        const char *name = intern_text(w->queue_names, q);
        c->queue[q] = (struct queue_facts){
            .name = arena_text(c->memory, *name ? name : "default", strlen(*name ? name : "default")),
            .parent = ID_NONE, .first_child = ID_NONE, .next_sibling = ID_NONE,
            .quota = { { UNLIMITED, UNLIMITED, UNLIMITED }, { UNLIMITED, UNLIMITED, UNLIMITED } },
            .weight = 1, .cpu_weight = 1, .mem_weight = 1, .preempt_min_runtime_ns = -1, .reclaim_min_runtime_ns = -1,
        };
    }
}

static queue_id queue_named(const struct cluster *c, const char *name)
{
    for (queue_id q = 0; q < c->n_queues; q++)
        if (!strcmp(c->queue[q].name, name))
            return q;
    return ID_NONE;
}

/* Jobs without a queue go to the only one, or to one named "default". */
static int queue_for(const struct cluster *c, const char *name, queue_id *q, struct error *err)
{
    if (!*name && c->n_queues == 1) {
        *q = 0;
        return 0;
    }
    *q = queue_named(c, *name ? name : "default");
    if (*q == ID_NONE && !*name)
        return error_set(err, "cluster %s: jobs of the trace have no queue: want a queue 'default', or only one", c->name);
    if (*q == ID_NONE)
        return error_set(err, "cluster %s: the trace has jobs in queue '%s': want it among the queues of the cluster",
                         c->name, name);
    if (c->queue[*q].first_child != ID_NONE)
        return error_set(err, "cluster %s: the trace has jobs in queue '%s': want a queue without children", c->name,
                         name);
    return 0;
}

/* Jobs of pinned queues become shapes of their own: they ask for the same, but of other nodes. */
static void pin_shapes(const struct cluster *c, struct workload *w)
{
    uint32_t n = w->n_shapes, made = n;
    size_t capacity = n;
    struct shape *shape = mem_new(n, sizeof *shape);
    uint32_t *at = mem_new((size_t)n * c->n_queues, sizeof *at);    /* 0: not made yet */
    memcpy(shape, w->shape, n * sizeof *shape);
    for (job_id j = 0; j < w->n_jobs; j++) {
        queue_id q = w->facts[j].queue;
        shape_id id = w->facts[j].ask->shape;
        if (!c->queue[q].pinned)
            continue;
        uint32_t *slot = &at[(size_t)id * c->n_queues + q];
        if (!*slot) {
            mem_grow(&shape, &capacity, made, sizeof *shape);
            shape[made] = shape[id];
            shape[made].ask.shape = made;
            shape[made].pin = q;
            *slot = made++;
        }
    }
    for (job_id j = 0; j < w->n_jobs; j++) {
        uint32_t pinned = at[(size_t)w->facts[j].ask->shape * c->n_queues + w->facts[j].queue];
        w->facts[j].ask = &shape[pinned ? pinned : w->facts[j].ask->shape].ask;
    }
    free(w->shape);
    w->shape = shape;
    w->n_shapes = made;
    free(at);
}

/* Of those that jobs bring along: do they go together with the cluster's? */
static int check_prices(const struct cluster *c, const struct workload *w, struct error *err)
{
    for (uint32_t i = 1; i <= intern_count(w->prices); i++) {
        struct own_price own = workload_price(w, i);
        struct price p = price_with(&c->price, &own);
        if (p.checkpoint == CHECKPOINT_PERIODIC && p.interval_ns == 0)
            return error_set(err, "%s:%zu: checkpoint: 'periodic' wants an interval_s, here or in the cluster",
                             w->price_at[i - 1].file, w->price_at[i - 1].line);
    }
    return 0;
}

int run_bind(struct cluster *c, struct workload *w, struct error *err)
{
    if (c->queues_from_trace)
        queues_from_trace(c, w);
    uint32_t n = intern_count(w->queue_names);
    queue_id *map = mem_new(n, sizeof *map);
    bool pinned = false;
    for (uint32_t i = 0; i < n; i++) {
        if (c->queues_from_trace)
            map[i] = i;
        else if (queue_for(c, intern_text(w->queue_names, i), &map[i], err)) {
            free(map);
            return -1;
        }
        pinned |= c->queue[map[i]].pinned;
    }
    for (job_id j = 0; j < w->n_jobs; j++)
        w->facts[j].queue = map[w->facts[j].queue];
    if (pinned)
        pin_shapes(c, w);
    free(map);
    return check_prices(c, w, err) ? -1 : running_check(c, w, err);
}
