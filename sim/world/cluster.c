/* cluster.c - from groups and queues to numbered nodes, kinds and the queue tree. Checks: cluster_check.c; racks, pods
 * and islands across nodes: domains.c. */
#include "sim/world/cluster.h"
#include "sim/core/memory.h"
#include "sim/world/cluster_parts.h"

#include <stdlib.h>
#include <string.h>

#define KINDS_MAX 65535u
#define MODEL_ANY "gpu" /* of GPUs whose model nobody told */

static char *keep(struct cluster *c, const char *text)
{
    return arena_text(c->memory, text, strlen(text));
}

/* ---- types ---- */

/* GPUs first, first + 1, ... of each run of `size`: one mask for all of a run. */
static uint64_t run_mask(uint32_t first, uint32_t end)
{
    uint64_t below_end = end == 64 ? UINT64_MAX : (UINT64_C(1) << end) - 1;
    return below_end & ~((UINT64_C(1) << first) - 1);
}

static void name_gpus(struct node_type *t, const struct group_spec *g)
{
    uint32_t island = g->island_gpus == 0 ? 1 : g->island_gpus < g->gpus ? g->island_gpus : g->gpus;
    for (uint32_t i = 0; i < g->gpus; i++)
        t->island_of[i] = run_mask(i / island * island, i / island * island + island);
    uint32_t numa = g->numa_nodes ? g->numa_nodes : 1;
    for (uint32_t i = 0; i < g->gpus; i++) /* an uneven rest goes one each to the first */
        for (uint32_t j = 0; j < g->gpus; j++)
            if (i * numa / g->gpus == j * numa / g->gpus)
                t->numa_of[i] |= UINT64_C(1) << j;
}

static void build_types(struct cluster *c, const struct group_spec *groups, size_t n)
{
    c->n_types = (uint32_t)n;
    c->type = arena_alloc(c->memory, n * sizeof *c->type);
    c->gpu_models = intern_new();
    for (size_t i = 0; i < n; i++) {
        const struct group_spec *g = &groups[i];
        const char *model = g->gpu_model ? g->gpu_model : MODEL_ANY;
        struct node_type *t = &c->type[i];
        *t = (struct node_type){
            .name = keep(c, g->name),
            .gpu_model = g->gpus ? intern_add(c->gpu_models, model, strlen(model)) : ID_NONE,
            .gpus = g->gpus,
            .counted = g->counted || g->gpus > NAMED_GPUS_MAX,
            .gpu_mem_mib = g->gpu_mem_mib,
            .cpu_milli = g->cpu_milli,
            .mem_mib = g->mem_mib,
        };
        if (!t->counted)
            name_gpus(t, g);
        c->n_nodes += g->count;
        c->gpus += (int64_t)g->count * g->gpus;
    }
}

/* ---- kinds ---- */

/* The pins of all queues by group; within one in the order of the queues: pin[first[g] .. first[g + 1]). */
struct pinned {
    queue_id owner;
    uint32_t count;
};
struct pins_by_group {
    size_t *first;
    struct pinned *pin;
};

static struct pins_by_group sort_pins(const struct cluster_given *given)
{
    struct pins_by_group by = { .first = mem_new(given->n_groups + 2, sizeof *by.first) };
    size_t *next = by.first + 1; /* counts, then where the next pin of a group goes, then its end */
    for (size_t q = 0; q < given->n_queues; q++)
        for (size_t i = 0; i < given->queue[q].n_pins; i++)
            next[given->queue[q].pins[i].group + 1]++;
    for (size_t g = 0; g < given->n_groups; g++)
        next[g + 1] += next[g];
    by.pin = mem_new(next[given->n_groups] + 1, sizeof *by.pin);
    for (size_t q = 0; q < given->n_queues; q++)
        for (size_t i = 0; i < given->queue[q].n_pins; i++) {
            struct pin_spec p = given->queue[q].pins[i];
            by.pin[next[p.group]++] = (struct pinned){ (queue_id)q, p.count };
        }
    return by;
}

/* The next `count` nodes are of this type and owner. */
static void extend_kind(struct cluster *c, uint32_t type, queue_id owner, uint32_t count)
{
    struct node_kind *last = c->n_kinds ? &c->kind[c->n_kinds - 1] : NULL;
    if (!last || last->type != type || last->owner != owner) {
        last = &c->kind[c->n_kinds++];
        *last = (struct node_kind){ .type = type, .owner = owner };
    }
    last->n_nodes += count;
}

static int build_kinds(struct cluster *c, const struct cluster_given *given, struct error *err)
{
    struct pins_by_group by = sort_pins(given);
    size_t most = given->n_groups + by.first[given->n_groups];
    c->kind = arena_alloc(c->memory, most * sizeof *c->kind);
    for (size_t g = 0; g < given->n_groups; g++) {
        uint32_t left = given->group[g].count;
        for (size_t i = by.first[g]; i < by.first[g + 1]; i++) {
            extend_kind(c, (uint32_t)g, by.pin[i].owner, by.pin[i].count);
            left -= by.pin[i].count;
        }
        if (left)
            extend_kind(c, (uint32_t)g, ID_NONE, left);
    }
    free(by.first);
    free(by.pin);
    if (c->n_kinds <= KINDS_MAX)
        return 0;
    return error_set(err,
                     "cluster '%s': want at most %u kinds of nodes (a group, or what one queue owns of it), got %u",
                     c->name, KINDS_MAX, c->n_kinds);
}

/* ---- nodes ---- */

/* A kind is a range of ids, so all kinds share one list of them. */
static void build_nodes(struct cluster *c)
{
    size_t n = c->n_nodes;
    c->kind_of = arena_alloc(c->memory, n * sizeof *c->kind_of);
    c->local_of = arena_alloc(c->memory, n * sizeof *c->local_of);
    c->gpu_base = arena_alloc(c->memory, (n + 1) * sizeof *c->gpu_base);
    node_id *ids = arena_alloc(c->memory, n * sizeof *ids);
    node_id at = 0;
    for (uint32_t k = 0; k < c->n_kinds; k++) {
        const struct node_type *t = &c->type[c->kind[k].type];
        c->kind[k].node = &ids[at];
        for (uint32_t i = 0; i < c->kind[k].n_nodes; i++, at++) {
            ids[at] = at;
            c->kind_of[at] = (uint16_t)k;
            c->local_of[at] = i;
            c->gpu_base[at + 1] = c->gpu_base[at] + (t->counted ? 0 : t->gpus);
        }
    }
}

/* ---- queues ---- */

static void build_queues(struct cluster *c, const struct queue_spec *queues, size_t n)
{
    c->n_queues = (uint32_t)n;
    c->queues_from_trace = n == 0;
    c->queue = arena_alloc(c->memory, n * sizeof *c->queue);
    for (size_t i = 0; i < n; i++) {
        struct queue_facts *f = &c->queue[i];
        *f = queues[i].facts;
        f->name = keep(c, f->name);
        f->pinned = queues[i].n_pins > 0;
        f->first_child = ID_NONE;
    }
    queue_id first_root = ID_NONE;
    for (queue_id q = (queue_id)n; q-- > 0;) { /* backwards, so that every list of siblings ascends */
        queue_id parent = c->queue[q].parent;
        queue_id *first = parent == ID_NONE ? &first_root : &c->queue[parent].first_child;
        c->queue[q].next_sibling = *first;
        *first = q;
    }
}

/* ---- the whole ---- */

struct cluster *cluster_assemble(const struct cluster_given *given, struct culprit *culprit, struct error *err)
{
    if (cluster_check(given, culprit, err))
        return NULL;
    *culprit = (struct culprit){ FAULT_WHOLE, 0 };
    struct arena *memory = arena_new();
    struct cluster *c = arena_alloc(memory, sizeof *c);
    c->memory = memory;
    c->name = keep(c, given->name);
    build_types(c, given->group, given->n_groups);
    if (build_kinds(c, given, err)) {
        cluster_free(c);
        return NULL;
    }
    build_nodes(c);
    domains_build(c, given->group, given->n_groups);
    build_queues(c, given->queue, given->n_queues);
    return c;
}

struct cluster *cluster_build(const char *name, const struct group_spec *groups, size_t n_groups,
                              const struct queue_spec *queues, size_t n_queues, struct error *err)
{
    struct cluster_given given = { name, groups, n_groups, queues, n_queues };
    struct culprit culprit;
    return cluster_assemble(&given, &culprit, err);
}

void cluster_free(struct cluster *c)
{
    if (!c)
        return;
    intern_free(c->gpu_models);
    arena_free(c->memory); /* c itself lies there */
}

const struct node_type *cluster_node_type(const struct cluster *c, node_id n)
{
    return &c->type[c->kind[c->kind_of[n]].type];
}

uint32_t cluster_node_gpus(const struct cluster *c, node_id n)
{
    return cluster_node_type(c, n)->gpus;
}
