/* workload_pods.c - totals of GPUs as tasks: see workload_make_pods(). */
#include "sim/base/memory.h"
#include "sim/workload/requests.h"
#include "sim/workload/shapes.h"

#include <stdlib.h>

/* 20 GPUs as pods of 8: two of 8 and one of 4; 5 GPUs: one of 5. */
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

/* The runs that follow have a lower number: they were added first. */
void workload_make_pods(struct workload *w, uint32_t gpus)
{
    struct shapes *t = shapes_new();
    shape_id *now = mem_new(w->n_shapes, sizeof *now);
    for (shape_id i = 0; i < w->n_shapes; i++) {
        struct shape s = w->shape[i];
        if (s.next != ID_NONE)
            s.next = now[s.next];                         /* added before it, so it has a lower number */
        now[i] = s.ask.tasks == SPLIT_ANY ? pods_of(t, s, gpus) : shapes_add(t, &s);
    }
    uint32_t n;
    struct shape *shape = shapes_take(t, &n);
    for (job_id j = 0; j < workload_all(w); j++) {
        struct job_facts *f = &w->facts[j];
        bool total = f->ask->tasks == SPLIT_ANY;
        f->ask = &shape[now[f->ask->shape]].ask;
        if (total) {
            f->min_tasks = request_tasks(f->ask);
            f->sizing = gpus == 1 ? f->sizing : 0;        /* then tasks are what GPUs were */
            if (f->sizing && !workload_sizes(w, j).moldable)
                f->min_tasks = workload_sizes(w, j).min;
        }
    }
    free(w->shape);
    w->shape = shape;
    w->n_shapes = n;
    free(now);
    shapes_free(t);
}
