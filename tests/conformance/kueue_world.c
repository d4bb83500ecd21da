/* kueue_world.c - see kueue_world.h. */
#include "tests/conformance/kueue_world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double world_number(const json_t *o, const char *key, double otherwise)
{
    const json_t *v = json_object_get(o, key);
    if (json_is_string(v))
        return strtod(json_string_value(v), NULL);
    return v && !json_is_null(v) ? json_number_value(v) : otherwise;
}

uint32_t world_find(const char *const *list, uint32_t n, const char *name)
{
    for (uint32_t i = 0; i < n; i++)
        if (!strcmp(list[i], name))
            return i;
    return ID_NONE;
}

/* ---- The tree: cohorts above, numbered so that parents come first ---- */

const json_t *world_entry(const json_t *c, const char *name)
{
    static const char *const kinds[] = { "cohorts", "queues" };
    size_t i;
    const json_t *e;
    for (size_t k = 0; k < 2; k++)
        json_array_foreach(json_object_get(c, kinds[k]), i, e) if (!strcmp(world_text(e, "name"), name)) return e;
    return NULL;
}

static uint32_t add_node(struct world *w, const json_t *c, const char *name)
{
    uint32_t known = world_find(w->node, w->n, name);
    if (known != ID_NONE)
        return known;
    const json_t *e = world_entry(c, name);
    const char *parent = e ? world_text(e, "parent") : NULL;
    uint32_t up = parent ? add_node(w, c, parent) : ID_NONE;
    w->node[w->n] = name;
    w->parent[w->n] = up;
    return w->n++;
}

static uint32_t word(const json_t *o, const char *key, const char *const *words)
{
    const char *given = world_text(o, key);
    uint32_t i = 0;
    while (given && words[i] && strcmp(words[i], given))
        i++;
    return given && words[i] ? i : 0;
}

static void read_rules(struct cohort_rules *r, const json_t *p)
{
    static const char *const within[] = { "Never", "LowerPriority", "LowerOrNewerEqualPriority", NULL };
    static const char *const reclaim[] = { "Never", "LowerPriority", "Any", NULL };
    static const char *const borrow[] = { "Never", "LowerPriority", NULL };
    const json_t *b = json_object_get(p, "borrow_within_cohort");
    r->within_queue = (int)word(p, "within_cluster_queue", within);
    r->reclaim = (int)word(p, "reclaim_within_cohort", reclaim);
    r->borrow = (int)word(b, "policy", borrow);
    r->borrow_priority_threshold = (int32_t)world_number(b, "max_priority_threshold", INT32_MAX);
}

/* ---- Cells and quota ---- */

uint32_t world_cell(struct world *w, const char *flavour, const char *resource)
{
    for (uint32_t i = 0; i < w->cells; i++)
        if (!strcmp(w->flavour[i], flavour) && !strcmp(w->resource[i], resource))
            return i;
    w->flavour[w->cells] = flavour;
    w->resource[w->cells] = resource;
    return w->cells++;
}

static int by_name(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

void world_resource(struct world *w, const char *resource)
{
    if (world_find(w->name_of, w->resources, resource) == ID_NONE)
        w->name_of[w->resources++] = resource;
}

static void number_resources(struct world *w)
{
    for (uint32_t i = 0; i < w->cells; i++)
        world_resource(w, w->resource[i]);
    qsort(w->name_of, w->resources, sizeof *w->name_of, by_name);
    for (uint32_t i = 0; i < w->cells; i++)
        w->resource_of[i] = world_find(w->name_of, w->resources, w->resource[i]);
}

int64_t world_thousandths(double x)
{
    return x < 0 ? UNLIMITED : llround(x * 1000);
}

/* First with no books yet, to learn of all cells; then the quotas. */
static void read_quotas(struct world *w, const json_t *e, uint32_t node)
{
    size_t i;
    const json_t *q;
    json_array_foreach(json_object_get(e, "quotas"), i, q)
    {
        const char *resource;
        json_t *r;
        json_object_foreach(json_object_get(q, "resources"), resource, r)
        {
            uint32_t cell = world_cell(w, world_text(q, "flavor"), resource);
            for (uint32_t v = node; v != ID_NONE; v = w->parent[v])
                w->has[v][cell] = true;
            if (w->books.quota)
                w->books.quota[cohort_at(&w->books, node, cell)] =
                    (struct cohort_quota){ world_thousandths(world_number(r, "nominal", 0)), world_thousandths(world_number(r, "borrowing_limit", -1)),
                                           world_thousandths(world_number(r, "lending_limit", -1)) };
        }
    }
}

static void read_nodes(struct world *w, const json_t *c)
{
    for (uint32_t v = 0; v < w->n; v++) {
        const json_t *e = world_entry(c, w->node[v]);
        w->weight[v] = (uint64_t)llround(world_number(e, "fair_weight", 1) * (double)COHORT_WEIGHT_ONE);
        read_rules(&w->rules[v], json_object_get(e, "preemption"));
        read_quotas(w, e, v);
    }
}

void world_read_tree(struct world *w, const json_t *c)
{
    size_t i;
    const json_t *e;
    json_array_foreach(json_object_get(c, "cohorts"), i, e) add_node(w, c, world_text(e, "name"));
    json_array_foreach(json_object_get(c, "queues"), i, e) add_node(w, c, world_text(e, "name"));
    read_nodes(w, c);
}

void world_settle(struct world *w, const json_t *c)
{
    number_resources(w);
    w->books = (struct cohort_books){ .n = w->n, .cells = w->cells, .resources = w->resources, .parent = w->parent,
                                      .resource = w->resource_of };
    w->memory = calloc(1, cohort_books_size(w->n, w->cells, w->resources));
    cohort_books_lay(&w->books, w->memory);
    for (size_t k = 0; k < (size_t)w->n * w->cells; k++)
        w->books.quota[k] = (struct cohort_quota){ 0, UNLIMITED, UNLIMITED };
    read_nodes(w, c);
    cohort_books_settle(&w->books);
}

void world_free(struct world *w)
{
    free(w->memory);
    free(w);
}

bool world_holds(const json_t *c)
{
    size_t queues = json_array_size(json_object_get(c, "queues")), cohorts = json_array_size(json_object_get(c, "cohorts"));
    return 2 * queues + cohorts <= NODES_MOST && json_array_size(json_object_get(c, "admitted")) <= WORKLOADS_MOST;
}

/* ---- Usage ---- */

void world_amounts(struct world *w, const json_t *by_flavour, int64_t *need)
{
    const char *flavour, *resource;
    json_t *of, *amount;
    json_object_foreach((json_t *)(uintptr_t)by_flavour, flavour, of)
    {
        json_object_foreach(of, resource, amount)
        {
            uint32_t cell = world_cell(w, flavour, resource);
            need[cell] = world_thousandths(json_number_value(amount));
        }
    }
}

void world_use(struct world *w, const json_t *usage)
{
    const char *queue;
    json_t *of;
    json_object_foreach((json_t *)(uintptr_t)usage, queue, of)
    {
        int64_t need[CELLS_MOST] = { 0 };
        world_amounts(w, of, need);
        if (w->memory)
            cohort_use(&w->books, world_find(w->node, w->n, queue), need, 1);
    }
}
