/* begun.c - see begun.h. */
#include "sim/workload/begun.h"

#include "sim/base/memory.h"
#include "sim/workload/workload_builder.h"

#include <string.h>

void workload_reserve(struct workload *whole, uint32_t jobs)
{
    whole->builder->capacity = jobs;
    whole->facts = bulk_resize(whole->facts, jobs, sizeof *whole->facts, workload_resident(whole, sizeof *whole->facts));
    whole->truth = bulk_resize(whole->truth, jobs, sizeof *whole->truth, workload_resident(whole, sizeof *whole->truth));
}

void workload_name_queues(struct workload *whole, const char *const *name, uint32_t n)
{
    struct workload_builder *b = whole->builder;
    for (uint32_t q = 0; q < n; q++)
        intern_add(whole->queue_names, name[q], strlen(name[q]));
    b->queue_seen = mem_new(n, sizeof *b->queue_seen);
    b->n_queues_named = n;
}

void workload_read_pods(struct workload *whole, uint32_t gpus)
{
    whole->builder->pods = pods_new(gpus);
    whole->pods = gpus;
}

/* size: of each; 0: they are texts. */
static void copy_interned(struct intern *to, const struct intern *from, size_t size)
{
    for (uint32_t i = 0; i < intern_count(from); i++)
        intern_add(to, intern_text(from, i), size ? size : strlen(intern_text(from, i)));
}

struct workload *workload_begun(const struct workload *whole, uint32_t jobs)
{
    struct workload *w = workload_new();
    copy_interned(w->queue_names, whole->queue_names, 0);
    copy_interned(w->users, whole->users, 0);
    copy_interned(w->gpu_types, whole->gpu_types, 0);
    copy_interned(w->wishes, whole->wishes, 0);
    copy_interned(w->models, whole->models, 0);
    copy_interned(w->sizes, whole->sizes, sizeof(struct job_sizes));
    w->n_jobs = jobs;
    w->seed = whole->seed;
    w->cluster_gpus = whole->cluster_gpus;
    w->resident_bytes = whole->resident_bytes;
    w->may_have_deadlines = whole->may_have_deadlines;
    w->numbered = whole->numbered;
    w->facts = whole->facts;
    w->truth = whole->truth;
    w->pods = whole->pods;
    w->shape = shapes_there(workload_shapes(whole->builder), &w->n_shapes);
    shapes_link(w->shape, w->n_shapes);
    return w;
}

void workload_begun_free(struct workload *w)
{
    if (!w)
        return;
    w->facts = NULL;
    w->truth = NULL;
    w->shape = NULL;
    workload_free(w);
}
