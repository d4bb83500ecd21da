/* kueue.c - a case becomes books, members and rules of the policy cohort; its search answers.
 * See kueue.h.
 *
 * Workloads are numbered by name: that is the UID by which the source's tests break ties. */
#include "tests/conformance/kueue.h"
#include "tests/conformance/kueue_world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Workloads ---- */

static void read_workload(struct world *w, uint32_t at, const json_t *e, uint32_t queue, uint32_t id)
{
    w->workload[at] = (struct cohort_workload){
        .id = id, .queue = queue, .priority = (int32_t)world_number(e, "priority", 0),
        .queued_ns = llround(world_number(e, "created_at_s", 0) * 1e9),
        .admitted_ns = llround(world_number(e, "quota_reserved_at_s", 0) * 1e9),
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
        const char *flavour = json_is_object(f) ? world_text(f, "flavor") : json_string_value(f);
        uint32_t cell = world_cell(w, flavour, resource);
        w->need[at][cell] = world_thousandths(json_number_value(amount));
        w->contested[cell] |= json_is_object(f) && !strcmp(world_text(f, "mode"), "preempt");
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
        w->name[i] = world_text(e, "name");
    }
    need_from(w, WORKLOADS_MOST, json_object_get(in, "requests"), json_object_get(c, "incoming_assignment"));
    if (needs_only)
        return;
    qsort(w->name, w->n_workloads, sizeof *w->name, by_name);
    json_array_foreach(admitted, i, e)
    {
        uint32_t q = world_find(w->node, w->n, world_text(e, "queue"));
        read_workload(w, (uint32_t)i, e, q, world_find(w->name, w->n_workloads, world_text(e, "name")));
        w->members[q].of = w->member[q];
        cohort_members_add(w->members, &w->books, &w->workload[i]);
        cohort_use(&w->books, q, w->need[i], 1);
    }
    read_workload(w, WORKLOADS_MOST, in, world_find(w->node, w->n, world_text(c, "incoming_queue")), ID_NONE);
}

/* ---- The answer ---- */

static bool search(struct world *w, const json_t *c, struct cohort_search *s)
{
    static const char *const rules[] = { "LessThanOrEqualToFinalShare", "LessThanInitialShare" };
    const json_t *given = json_object_get(c, "preemption_strategies"), *e;
    bool use[] = { !json_array_size(given), !json_array_size(given) };
    size_t i;
    json_array_foreach(given, i, e) for (size_t k = 0; k < 2; k++) use[k] |= !strcmp(json_string_value(e), rules[k]);
    if (!strcmp(world_text(c, "policy"), "fair_sharing"))
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
        const char *reason = world_text(e, "reason");
        matched += !strcmp(w->name[s->victim[k].workload->id], world_text(e, "workload")) &&
                   (!reason || !strcmp(reason, reasons[s->victim[k].reason]));
    }
    if (matched == s->n_victims && matched == json_array_size(want))
        return 0;
    used += (size_t)snprintf(why, size, "want");
    json_array_foreach(want, i, e) if (used < size) used += (size_t)snprintf(
        why + used, size - used, " %s (%s)", world_text(e, "workload"), world_text(e, "reason") ? world_text(e, "reason") : "any reason");
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
    world_read_tree(w, c);
    read_workloads(w, c, true);
    world_settle(w, c);
    read_workloads(w, c, false);
    struct cohort_victim victim[WORKLOADS_MOST], candidate[WORKLOADS_MOST];
    struct cohort_range range[NODES_MOST] = { 0 };
    int64_t own[CELLS_MOST];
    struct cohort_known known[NODES_MOST] = { 0 };
    struct cohort_source source[NODES_MOST];
    struct cohort_search s = { .books = &w->books, .rules = w->rules, .members = w->members, .weight = w->weight,
                               .victim = victim, .candidate = candidate, .own = own, .range = range, .known = known,
                               .source = source };
    search(w, c, &s);
    return compare(w, c, &s, why, size);
}

int kueue_case(const json_t *c, char *why, size_t size)
{
    if (!world_text(c, "policy") || !json_object_get(c, "incoming_assignment")) {
        snprintf(why, size, "neither 'policy' nor 'incoming_assignment': no preemption case");
        return 2;
    }
    if (!world_holds(c)) {
        snprintf(why, size, "more queues or workloads than this runner holds");
        return 2;
    }
    struct world *w = calloc(1, sizeof *w);
    int result = run(w, c, why, size);
    world_free(w);
    return result;
}
