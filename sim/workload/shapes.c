/* shapes.c - see shapes.h. Open addressing over shape numbers, at most half full. */
#include "sim/workload/shapes.h"

#include "sim/base/memory.h"
#include "sim/base/random.h"
#include "sim/cluster/labels.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST = 1024, GENERATIONS = 32 };    /* shapes in the first array; arrays, each twice as long as the one before */

struct shapes {
    struct shape *shape;
    size_t n, capacity;
    struct shape *old[GENERATIONS];    /* [n_old] earlier arrays, which pointers may still lead to */
    unsigned n_old;
    uint32_t *slot;      /* [mask + 1] a shape's number, or ID_NONE */
    uint32_t mask, last; /* last: what was asked for last is often asked for again */
};

static uint64_t both(uint32_t a, uint32_t b)
{
    return (uint64_t)a << 32 | b;
}

/* A polynomial in an odd number, mixed once: no order of anything depends on it. */
static uint64_t hash_of(const struct shape *s)
{
    const uint64_t word[] = {
        both(s->ask.tasks, s->ask.gpus),      both(s->ask.gpu_milli, s->gpu_type),    (uint64_t)s->ask.cpu_milli,
        (uint64_t)s->ask.mem_mib,             both(s->selector, s->affinity),         both(s->tolerations, s->ask.max_per_node),
        both(s->ask.first_task, s->gpu_mem_mib), both(s->share_mem_mib, s->ask.mig),  both(s->pods, s->used_mem_mib),
        both(s->next, (uint32_t)s->ask.required_level << 8 | s->ask.preferred_level),
    };
    uint64_t h = 0;
    for (size_t i = 0; i < sizeof word / sizeof *word; i++)
        h = (h ^ word[i]) * UINT64_C(0x9e3779b97f4a7c15);    /* 2^64 / the golden ratio */
    return hash_u64(h);
}

static bool same(const struct shape *a, const struct shape *b)
{
    return a->ask.tasks == b->ask.tasks && a->ask.gpus == b->ask.gpus &&
           a->ask.gpu_milli == b->ask.gpu_milli && a->ask.cpu_milli == b->ask.cpu_milli &&
           a->ask.mem_mib == b->ask.mem_mib && a->ask.required_level == b->ask.required_level &&
           a->ask.preferred_level == b->ask.preferred_level && a->gpu_type == b->gpu_type &&
           a->gpu_mem_mib == b->gpu_mem_mib && a->selector == b->selector &&
           a->affinity == b->affinity && a->ask.mig == b->ask.mig &&
           a->share_mem_mib == b->share_mem_mib && a->used_mem_mib == b->used_mem_mib &&
           a->tolerations == b->tolerations && a->pods == b->pods && a->ask.max_per_node == b->ask.max_per_node &&
           a->next == b->next && a->ask.first_task == b->ask.first_task &&
           a->ask.group == b->ask.group && a->group == b->group &&
           a->ask.one_island == b->ask.one_island && a->ask.set == b->ask.set && a->pin == b->pin &&
           a->admits == b->admits;
}

static void set_slots(struct shapes *t, uint32_t slots)
{
    free(t->slot);
    t->slot = mem_new(slots, sizeof *t->slot);
    t->mask = slots - 1;
    for (uint32_t i = 0; i < slots; i++)
        t->slot[i] = ID_NONE;
    for (uint32_t n = 0; n < t->n; n++) {
        uint32_t i = (uint32_t)hash_of(&t->shape[n]) & t->mask;
        while (t->slot[i] != ID_NONE)
            i = (i + 1) & t->mask;
        t->slot[i] = n;
    }
}

struct shapes *shapes_new(void)
{
    struct shapes *t = mem_new(1, sizeof *t);
    set_slots(t, 64);
    return t;
}

void shapes_free(struct shapes *t)
{
    if (!t)
        return;
    for (unsigned i = 0; i < t->n_old; i++)
        free(t->old[i]);
    free(t->shape);
    free(t->slot);
    free(t);
}

static void make_room(struct shapes *t)
{
    if (t->n < t->capacity)
        return;
    if (t->shape)
        t->old[t->n_old++] = t->shape;
    t->capacity = t->capacity ? 2 * t->capacity : FIRST;
    t->shape = mem_resize(NULL, t->capacity, sizeof *t->shape);
    if (t->n)
        memcpy(t->shape, t->old[t->n_old - 1], t->n * sizeof *t->shape);
}

const struct shape *shapes_at(const struct shapes *t, shape_id shape)
{
    return &t->shape[shape];
}

uint32_t shapes_count(const struct shapes *t)
{
    return (uint32_t)t->n;
}

struct shape *shapes_there(const struct shapes *t, uint32_t *n)
{
    *n = (uint32_t)t->n;
    return t->shape;
}

bool shapes_moved(const struct shapes *t)
{
    return t->n_old > 0;
}

shape_id shapes_add(struct shapes *t, const struct shape *s)
{
    if (t->n && same(&t->shape[t->last], s))
        return t->last;
    uint32_t i = (uint32_t)hash_of(s) & t->mask;
    for (; t->slot[i] != ID_NONE; i = (i + 1) & t->mask)
        if (same(&t->shape[t->slot[i]], s))
            return t->last = t->slot[i];
    make_room(t);
    t->last = t->slot[i] = (uint32_t)t->n;
    t->shape[t->n] = *s;
    t->shape[t->n].ask.alike = t->last;
    t->shape[t->n++].ask.shape = t->last;
    if (t->n > t->mask / 2)
        set_slots(t, (t->mask + 1) * 2);
    return t->last;
}

struct shape *shapes_take(struct shapes *t, uint32_t *n)
{
    struct shape *shape = t->shape;
    *n = (uint32_t)t->n;
    t->shape = NULL;
    t->n = t->capacity = 0;
    shapes_link(shape, *n);
    return shape;
}

void shapes_link(struct shape *shape, uint32_t n)
{
    for (shape_id i = 0; i < n; i++)
        shape[i].ask.next = shape[i].next == ID_NONE ? NULL : &shape[shape[i].next].ask;
}

int64_t workload_tolerates_s(const struct workload *w, job_id j, const char *taint)
{
    int64_t least_s = INT64_MAX;
    for (const struct request *run = w->facts[j].ask; run; run = run->next) {
        uint32_t wish = w->shape[run->shape].tolerations;
        int64_t s = taint_tolerated_s(taint, wish == ID_NONE ? "" : intern_text(w->wishes, wish));
        least_s = s < least_s ? s : least_s;
    }
    return least_s;
}

void shapes_liken(struct shape *shape, uint32_t n)
{
    struct shapes *t = shapes_new();
    shape_id *first = mem_new(n, sizeof *first);
    for (shape_id i = 0; i < n; i++) {
        struct shape s = shape[i];
        if (s.next != ID_NONE)
            s.next = shape[s.next].ask.alike;
        size_t before = t->n;
        shape_id k = shapes_add(t, &s);
        if (t->n > before)
            first[k] = i;
        shape[i].ask.alike = first[k];
    }
    free(first);
    shapes_free(t);
}
