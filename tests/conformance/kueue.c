/* kueue.c - a case becomes books, members and rules of the policy cohort; its search answers.
 * See kueue.h.
 *
 * Amounts are taken in thousandths, so that half a CPU is a whole number. Workloads are numbered
 * by name: that is the UID by which the source's tests break ties. */
#include "tests/conformance/kueue.h"
#include "policies/kueue/search.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODES_MOST = 64, CELLS_MOST = 32, WORKLOADS_MOST = 64 };

struct world {
    const char *node[NODES_MOST];
    uint32_t parent[NODES_MOST], n;
    const char *flavour[CELLS_MOST], *resource[CELLS_MOST];
    uint32_t resource_of[CELLS_MOST], cells, resources;
    struct cohort_rules rules[NODES_MOST];
    uint64_t weight[NODES_MOST];
    struct cohort_members members[NODES_MOST];
    struct cohort_workload *member[NODES_MOST][WORKLOADS_MOST], workload[WORKLOADS_MOST + 1];
    const char *name[WORKLOADS_MOST];
    int64_t need[WORKLOADS_MOST + 1][CELLS_MOST];
    bool contested[CELLS_MOST];
    uint32_t n_workloads;
    struct cohort_books books;
};

static const char *text(const json_t *o, const char *key)
{
    return json_string_value(json_object_get(o, key));
}

static double number(const json_t *o, const char *key, double otherwise)
{
    const json_t *v = json_object_get(o, key);
    if (json_is_string(v))
        return strtod(json_string_value(v), NULL);
    return v && !json_is_null(v) ? json_number_value(v) : otherwise;
}

static uint32_t find(const char *const *list, uint32_t n, const char *name)
{
    for (uint32_t i = 0; i < n; i++)
        if (!strcmp(list[i], name))
            return i;
    return ID_NONE;
}

/* ---- The tree: cohorts above, numbered so that parents come first ---- */

static const json_t *entry_of(const json_t *c, const char *name)
{
    static const char *const kinds[] = { "cohorts", "queues" };
    size_t i;
    const json_t *e;
    for (size_t k = 0; k < 2; k++)
        json_array_foreach(json_object_get(c, kinds[k]), i, e) if (!strcmp(text(e, "name"), name)) return e;
    return NULL;
}

static uint32_t add_node(struct world *w, const json_t *c, const char *name)
{
    uint32_t known = find(w->node, w->n, name);
    if (known != ID_NONE)
        return known;
    const json_t *e = entry_of(c, name);
    const char *parent = e ? text(e, "parent") : NULL;
    uint32_t up = parent ? add_node(w, c, parent) : ID_NONE;
    w->node[w->n] = name;
    w->parent[w->n] = up;
    return w->n++;
}

static uint32_t word(const json_t *o, const char *key, const char *const *words)
{
    const char *given = text(o, key);
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
    r->borrow_priority_threshold = (int32_t)number(b, "max_priority_threshold", INT32_MAX);
}

/* ---- Cells and quota ---- */

static uint32_t cell_of(struct world *w, const char *flavour, const char *resource)
{
    for (uint32_t i = 0; i < w->cells; i++)
        if (!strcmp(w->flavour[i], flavour) && !strcmp(w->resource[i], resource))
            return i;
    w->resource_of[w->cells] = w->resources;
    for (uint32_t i = 0; i < w->cells; i++)
        if (!strcmp(w->resource[i], resource))
            w->resource_of[w->cells] = w->resource_of[i];
    w->resources += w->resource_of[w->cells] == w->resources;
    w->flavour[w->cells] = flavour;
    w->resource[w->cells] = resource;
    return w->cells++;
}

static int64_t thousandths(double x)
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
            uint32_t cell = cell_of(w, text(q, "flavor"), resource);
            if (w->books.quota)
                w->books.quota[cohort_at(&w->books, node, cell)] =
                    (struct cohort_quota){ thousandths(number(r, "nominal", 0)), thousandths(number(r, "borrowing_limit", -1)),
                                           thousandths(number(r, "lending_limit", -1)) };
        }
    }
}

static void read_nodes(struct world *w, const json_t *c)
{
    for (uint32_t v = 0; v < w->n; v++) {
        const json_t *e = entry_of(c, w->node[v]);
        w->weight[v] = (uint64_t)llround(number(e, "fair_weight", 1) * (double)COHORT_WEIGHT_ONE);
        read_rules(&w->rules[v], json_object_get(e, "preemption"));
        read_quotas(w, e, v);
    }
}

/* ---- Workloads ---- */

static void read_workload(struct world *w, uint32_t at, const json_t *e, uint32_t queue, uint32_t id)
{
    w->workload[at] = (struct cohort_workload){
        .id = id, .queue = queue, .priority = (int32_t)number(e, "priority", 0),
        .queued_ns = llround(number(e, "created_at_s", 0) * 1e9),
        .admitted_ns = llround(number(e, "quota_reserved_at_s", 0) * 1e9),
        .leaving = json_is_true(json_object_get(e, "evicted")), .need = w->need[at],
    };
}

static void need_from(struct world *w, uint32_t at, const json_t *requests, const json_t *flavours)
{
    const char *resource;
    json_t *amount;
    json_object_foreach((json_t *)(uintptr_t)requests, resource, amount)
    {
        const json_t *f = json_object_get(flavours, resource);
        const char *flavour = json_is_object(f) ? text(f, "flavor") : json_string_value(f);
        uint32_t cell = cell_of(w, flavour, resource);
        w->need[at][cell] = thousandths(json_number_value(amount));
        w->contested[cell] |= json_is_object(f) && !strcmp(text(f, "mode"), "preempt");
    }
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void read_workloads(struct world *w, const json_t *c, bool needs_only)
{
    const json_t *admitted = json_object_get(c, "admitted"), *e, *in = json_object_get(c, "incoming");
    size_t i;
    w->n_workloads = (uint32_t)json_array_size(admitted);
    json_array_foreach(admitted, i, e)
    {
        need_from(w, (uint32_t)i, json_object_get(e, "requests"), json_object_get(e, "flavors"));
        w->name[i] = text(e, "name");
    }
    need_from(w, WORKLOADS_MOST, json_object_get(in, "requests"), json_object_get(c, "incoming_assignment"));
    if (needs_only)
        return;
    qsort(w->name, w->n_workloads, sizeof *w->name, by_name);
    json_array_foreach(admitted, i, e)
    {
        uint32_t q = find(w->node, w->n, text(e, "queue"));
        read_workload(w, (uint32_t)i, e, q, find(w->name, w->n_workloads, text(e, "name")));
        w->members[q].of = w->member[q];
        w->member[q][w->members[q].n++] = &w->workload[i];
        cohort_use(&w->books, q, w->need[i], 1);
    }
    read_workload(w, WORKLOADS_MOST, in, find(w->node, w->n, text(c, "incoming_queue")), ID_NONE);
}

/* ---- The answer ---- */

static bool search(struct world *w, const json_t *c, struct cohort_search *s)
{
    static const char *const rules[] = { "LessThanOrEqualToFinalShare", "LessThanInitialShare" };
    const json_t *given = json_object_get(c, "preemption_strategies"), *e;
    bool use[] = { !json_array_size(given), !json_array_size(given) };
    size_t i;
    json_array_foreach(given, i, e) for (size_t k = 0; k < 2; k++) use[k] |= !strcmp(json_string_value(e), rules[k]);
    if (!strcmp(text(c, "policy"), "fair_sharing"))
        return cohort_search_fair(s, &w->workload[WORKLOADS_MOST], w->contested, use[0], use[1]);
    return cohort_search_classical(s, &w->workload[WORKLOADS_MOST], w->contested);
}

static int compare(const struct world *w, const json_t *c, const struct cohort_search *s, char *why, size_t size)
{
    static const char *const reasons[] = {
        [EVICT_IN_QUEUE] = "InClusterQueue", [EVICT_RECLAIM] = "InCohortReclamation",
        [EVICT_RECLAIM_WHILE_BORROWING] = "InCohortReclaimWhileBorrowing", [EVICT_FAIR_SHARE] = "InCohortFairSharing",
    };
    const json_t *want = json_object_get(json_object_get(c, "expect"), "preempted"), *e;
    size_t i, matched = 0, used = 0;
    json_array_foreach(want, i, e) for (uint32_t k = 0; k < s->n_victims; k++)
    {
        const char *reason = text(e, "reason");
        matched += !strcmp(w->name[s->victim[k].workload->id], text(e, "workload")) &&
                   (!reason || !strcmp(reason, reasons[s->victim[k].reason]));
    }
    if (matched == s->n_victims && matched == json_array_size(want))
        return 0;
    used += (size_t)snprintf(why, size, "want");
    json_array_foreach(want, i, e) if (used < size) used += (size_t)snprintf(
        why + used, size - used, " %s (%s)", text(e, "workload"), text(e, "reason") ? text(e, "reason") : "any reason");
    if (used < size)
        used += (size_t)snprintf(why + used, size - used, "%s; got", json_array_size(want) ? "" : " none");
    for (uint32_t k = 0; k < s->n_victims && used < size; k++)
        used += (size_t)snprintf(why + used, size - used, " %s (%s)", w->name[s->victim[k].workload->id],
                                 reasons[s->victim[k].reason]);
    if (!s->n_victims && used < size)
        snprintf(why + used, size - used, " none");
    return 1;
}

static int run(struct world *w, const json_t *c, char *why, size_t size)
{
    size_t i;
    const json_t *e;
    json_array_foreach(json_object_get(c, "cohorts"), i, e) add_node(w, c, text(e, "name"));
    json_array_foreach(json_object_get(c, "queues"), i, e) add_node(w, c, text(e, "name"));
    read_nodes(w, c);
    read_workloads(w, c, true);
    w->books = (struct cohort_books){ .n = w->n, .cells = w->cells, .resources = w->resources, .parent = w->parent,
                                      .resource = w->resource_of };
    void *memory = calloc(1, cohort_books_size(w->n, w->cells, w->resources));
    cohort_books_lay(&w->books, memory);
    for (size_t k = 0; k < (size_t)w->n * w->cells; k++)
        w->books.quota[k] = (struct cohort_quota){ 0, UNLIMITED, UNLIMITED };
    read_nodes(w, c);
    cohort_books_settle(&w->books);
    read_workloads(w, c, false);
    struct cohort_victim victim[WORKLOADS_MOST], candidate[WORKLOADS_MOST];
    struct cohort_range range[NODES_MOST];
    struct cohort_search s = { .books = &w->books, .rules = w->rules, .members = w->members, .weight = w->weight,
                               .victim = victim, .candidate = candidate, .range = range };
    search(w, c, &s);
    int result = compare(w, c, &s, why, size);
    free(memory);
    return result;
}

int kueue_case(const json_t *c, char *why, size_t size)
{
    size_t queues = json_array_size(json_object_get(c, "queues")), cohorts = json_array_size(json_object_get(c, "cohorts"));
    if (!text(c, "policy") || !json_object_get(c, "incoming_assignment")) {
        snprintf(why, size, "neither 'policy' nor 'incoming_assignment': no preemption case");
        return 2;
    }
    if (2 * queues + cohorts > NODES_MOST || json_array_size(json_object_get(c, "admitted")) > WORKLOADS_MOST) {
        snprintf(why, size, "more queues or workloads than this runner holds");
        return 2;
    }
    struct world *w = calloc(1, sizeof *w);
    int result = run(w, c, why, size);
    free(w);
    return result;
}
