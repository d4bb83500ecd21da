/* typical.c - see typical.h. */
#include "sim/workload/typical.h"

#include <stdlib.h>
#include <string.h>

#define COVERED_PERCENT 95

struct counted {
    const struct shape *shape;
    uint64_t jobs;
};

static int descending(int64_t a, int64_t b)
{
    return a > b ? -1 : a < b;
}

/* Shapes that differ only in memory, level or number of tasks are equal here. */
static int by_request(const void *left, const void *right)
{
    const struct shape *a = ((const struct counted *)left)->shape,
                       *b = ((const struct counted *)right)->shape;
    const int64_t key[][2] = {
        { a->ask.cpu_milli, b->ask.cpu_milli },
        { a->ask.gpus ? a->ask.gpu_milli : 0, b->ask.gpus ? b->ask.gpu_milli : 0 },
        { a->ask.gpus, b->ask.gpus },
        { a->ask.mig, b->ask.mig },
        { a->ask.tasks == SPLIT_ANY, b->ask.tasks == SPLIT_ANY },
        { -(int64_t)a->gpu_type, -(int64_t)b->gpu_type },
        { -(int64_t)a->pin, -(int64_t)b->pin },
    };
    for (size_t i = 0; i < sizeof key / sizeof key[0]; i++)
        if (key[i][0] != key[i][1])
            return descending(key[i][0], key[i][1]);
    return 0;
}

static int by_request_then_number(const void *left, const void *right)
{
    int order = by_request(left, right);
    const struct counted *a = left, *b = right;
    return order ? order : a->shape->ask.shape < b->shape->ask.shape ? -1 : 1;
}

static int by_jobs(const void *left, const void *right)
{
    const struct counted *a = left, *b = right;
    return a->jobs != b->jobs ? descending((int64_t)a->jobs, (int64_t)b->jobs)
                              : by_request_then_number(left, right);
}

static size_t merge(struct counted *shape, size_t n)
{
    size_t kept = 0;
    qsort(shape, n, sizeof *shape, by_request_then_number);
    for (size_t i = 0; i < n; i++) {
        if (kept && by_request(&shape[kept - 1], &shape[i]) == 0)
            shape[kept - 1].jobs += shape[i].jobs;
        else
            shape[kept++] = shape[i];
    }
    return kept;
}

static struct typical typical_request(const struct counted *from, uint64_t covered)
{
    struct typical t = { from->shape->ask, from->jobs, (double)from->jobs / (double)covered };
    if (t.ask.tasks != SPLIT_ANY)
        t.ask.tasks = 1;
    t.ask.mem_mib = 0;
    t.ask.next = NULL;
    t.ask.required_level = t.ask.preferred_level = LEVEL_ANY;
    return t;
}

/* Another run of the same job has this request: it counts once. */
static bool said_before(const struct workload *w, const struct request *ask,
                        const struct request *run)
{
    const struct counted this = { &w->shape[run->shape], 0 };
    for (const struct request *r = ask; r != run; r = r->next)
        if (by_request(&(struct counted){ &w->shape[r->shape], 0 }, &this) == 0)
            return true;
    return false;
}

struct typical_list typical_of(const struct workload *w, struct arena *memory)
{
    struct counted *shape = mem_new(w->n_shapes, sizeof *shape);
    uint64_t all = 0;
    for (shape_id i = 0; i < w->n_shapes; i++)
        shape[i].shape = &w->shape[i];
    for (job_id j = 0; j < workload_all(w); j++)
        for (const struct request *r = w->facts[j].ask; r; r = r->next)
            if (!said_before(w, w->facts[j].ask, r)) {
                shape[r->shape].jobs++;
                all++;
            }
    size_t n = merge(shape, w->n_shapes), used = 0;
    uint64_t covered = 0;
    qsort(shape, n, sizeof *shape, by_jobs);
    while (used < n && covered * 100 < all * COVERED_PERCENT)
        covered += shape[used++].jobs;
    struct typical *item = arena_alloc(memory, (used + 1) * sizeof *item);
    for (size_t i = 0; i < used; i++)
        item[i] = typical_request(&shape[i], covered);
    free(shape);
    return (struct typical_list){ used, item };
}
