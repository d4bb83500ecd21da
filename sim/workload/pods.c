/* pods.c - see pods.h. */
#include "sim/workload/pods.h"

#include "sim/base/memory.h"
#include "sim/workload/workload_builder.h"

#include <stdlib.h>

struct pods {
    uint32_t gpus;
    struct shapes *shapes;
    shape_id *now;                /* [n] of each that was seen: what it has become */
    size_t n, capacity;
};

struct pods *pods_new(uint32_t gpus)
{
    struct pods *p = mem_new(1, sizeof *p);
    p->gpus = gpus;
    p->shapes = shapes_new();
    return p;
}

void pods_free(struct pods *p)
{
    if (!p)
        return;
    shapes_free(p->shapes);
    free(p->now);
    free(p);
}

struct shapes *pods_shapes(const struct pods *p)
{
    return p->shapes;
}

/* The runs that follow have a lower number: they are added first. */
static shape_id pods_of(struct shapes *t, struct shape s, uint32_t gpus)
{
    uint32_t total = s.ask.gpus, pods = total / gpus, rest = total % gpus;
    int64_t cpu_milli = s.ask.cpu_milli, mem_mib = s.ask.mem_mib;
    if (rest) {
        s.ask.first_task = pods;
        s.ask.tasks = 1;
        s.ask.gpus = rest;
        s.ask.cpu_milli = cpu_milli * rest;
        s.ask.mem_mib = mem_mib * rest;
        s.next = shapes_add(t, &s);
    }
    if (!pods)
        return s.next;
    s.ask.first_task = 0;
    s.ask.tasks = pods;
    s.ask.gpus = gpus;
    s.ask.cpu_milli = cpu_milli * gpus;
    s.ask.mem_mib = mem_mib * gpus;
    return shapes_add(t, &s);
}

void pods_see(struct pods *p, const struct shape *shape, uint32_t n)
{
    while (p->n < n) {
        struct shape s = shape[p->n];
        if (s.next != ID_NONE)
            s.next = p->now[s.next];    /* added before it, so it has a lower number */
        mem_grow(&p->now, &p->capacity, p->n, sizeof *p->now);
        p->now[p->n++] = s.ask.tasks == SPLIT_ANY ? pods_of(p->shapes, s, p->gpus) : shapes_add(p->shapes, &s);
    }
}

/* They are not linked yet. */
static uint32_t tasks_of(const struct shapes *t, shape_id shape)
{
    uint32_t n = 0;
    for (; shape != ID_NONE; shape = shapes_at(t, shape)->next)
        n += shapes_at(t, shape)->ask.tasks;
    return n;
}

void pods_of_job(const struct pods *p, struct workload *w, job_id j)
{
    struct job_facts *f = &w->facts[j];
    bool total = f->ask->tasks == SPLIT_ANY;
    shape_id now = p->now[f->ask->shape];
    f->ask = &shapes_at(p->shapes, now)->ask;
    if (!total)
        return;
    f->min_tasks = tasks_of(p->shapes, now);
    f->sizing = p->gpus == 1 ? f->sizing : 0;    /* then tasks are what GPUs were */
    if (f->sizing && !workload_sizes(w, j).moldable)
        f->min_tasks = workload_sizes(w, j).min;
}

void workload_make_pods(struct workload *w, uint32_t gpus)
{
    if (w->pods == gpus)
        return;
    struct pods *p = pods_new(gpus);
    pods_see(p, w->shape, w->n_shapes);
    for (job_id j = 0; j < workload_all(w); j++) {
        workload_pass(w, j);
        pods_of_job(p, w, j);
    }
    free(w->shape);
    w->shape = shapes_take(p->shapes, &w->n_shapes);
    w->pods = gpus;
    pods_free(p);
}
