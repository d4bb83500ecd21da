/* serving.c - see serving.h: calls go to the model of the mode. */
#include "sim/serving/serving.h"

#include "sim/base/memory.h"
#include "sim/serving/fluid.h"
#include "sim/serving/request_queue.h"

#include <stdlib.h>
#include <string.h>

struct serving {
    struct fluid *fluid;          /* one of the two */
    struct request_queue *queue;
};

struct serving *serving_new(const struct service *s, uint64_t seed)
{
    struct serving *v = mem_new(1, sizeof *v);
    if (s->mode == SERVICE_FLUID)
        v->fluid = fluid_new(s, seed);
    else
        v->queue = request_queue_new(s, seed);
    return v;
}

void serving_free(struct serving *v)
{
    if (!v)
        return;
    fluid_free(v->fluid);
    request_queue_free(v->queue);
    free(v);
}

void serving_advance(struct serving *v, int64_t to_ns)
{
    if (v->fluid)
        fluid_advance(v->fluid, to_ns);
    else
        request_queue_advance(v->queue, to_ns);
}

void serving_replica_ready(struct serving *v, uint32_t id, double speed)
{
    if (v->fluid)
        fluid_replica_ready(v->fluid, id, speed);
    else
        request_queue_replica_ready(v->queue, id, speed);
}

void serving_replica_gone(struct serving *v, uint32_t id)
{
    if (v->fluid)
        fluid_replica_gone(v->fluid, id);
    else
        request_queue_replica_gone(v->queue, id);
}

void serving_replica_speed(struct serving *v, uint32_t id, double speed)
{
    if (v->fluid)
        fluid_replica_speed(v->fluid, id, speed);
    else
        request_queue_replica_speed(v->queue, id, speed);
}

void serving_replica_clock(struct serving *v, uint32_t id, double clock)
{
    if (v->fluid)
        fluid_replica_clock(v->fluid, id, clock);
    else
        request_queue_replica_clock(v->queue, id, clock);
}

struct replica_work serving_replica_work(const struct serving *v, uint32_t id)
{
    return v->fluid ? fluid_replica_work(v->fluid) : request_queue_replica_work(v->queue, id);
}

void serving_paths(struct serving *v, const struct transfer_paths *paths)
{
    if (v->queue)
        request_queue_paths(v->queue, paths);
}

double serving_sent_bytes(const struct serving *v)
{
    return v->queue ? request_queue_sent_bytes(v->queue) : 0;
}

struct serving_load serving_load(const struct serving *v)
{
    return v->fluid ? fluid_load(v->fluid) : request_queue_load(v->queue);
}

struct serving_figures serving_take_figures(struct serving *v)
{
    return v->fluid ? fluid_take_figures(v->fluid) : request_queue_take_figures(v->queue);
}

struct serving_figures serving_total(const struct serving *v)
{
    return v->fluid ? fluid_total(v->fluid) : request_queue_total(v->queue);
}

struct group_counts serving_by_group(const struct serving *v)
{
    if (v->fluid)
        return group_counts_of(0);
    const struct group_counts *from = request_queue_by_group(v->queue);
    struct group_counts c = group_counts_of(from->n);
    if (c.n)
        memcpy(c.of, from->of, (c.n + 1) * sizeof *c.of);
    return c;
}

uint64_t serving_drawn(const struct serving *v)
{
    return v->fluid ? fluid_drawn(v->fluid) : request_queue_drawn(v->queue);
}
