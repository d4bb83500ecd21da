/* kueue_local.c - several local queues of a queue, put to policies/kueue/usage.h and cycle.h: which
 * workloads are admitted in as many cycles as there are workloads, without time passing.
 *
 * Use is in cores, GPUs, bytes and counts, as Kueue adds them up (CalculateUsage); who is admitted
 * stays so, and who is not is parked, unless the cycle has left it in its queue. */
#include "tests/conformance/kueue_desk.h"
#include "policies/kueue/usage.h"

#include <stdlib.h>
#include <string.h>

enum { LANES_MOST = 16 };

enum { IN_QUEUE, IS_ADMITTED, IS_PARKED };
struct local {
    json_t *json;                 /* the case, as a desk reads it */
    const json_t *lane[LANES_MOST], *workload[WORKLOADS_MOST];
    struct cohort_usage usage[LANES_MOST];
    uint32_t n_lanes, n, lane_of[WORKLOADS_MOST];
    int state[WORKLOADS_MOST];
    double half_life_s, alpha;
    struct desk *d;
};

/* ---- Reading ---- */

/* Of cores and GPUs in thousandths, of memory in bytes. */
static double in_units(const char *resource, double amount)
{
    const char *unit = strrchr(resource, '_');
    if (unit && !strcmp(unit, "_milli"))
        return amount / 1000;
    return unit && !strcmp(unit, "_mib") ? amount * 1048576 : amount;
}

static double sum_of(const json_t *amounts, double times)
{
    const char *resource;
    json_t *amount;
    double sum = 0;
    json_object_foreach((json_t *)(uintptr_t)amounts, resource, amount)
        sum += times * in_units(resource, json_number_value(amount));
    return sum;
}

static double request_of(const json_t *workload)
{
    size_t i;
    const json_t *set;
    double sum = 0;
    json_array_foreach(json_object_get(workload, "pod_sets"), i, set)
        sum += sum_of(json_object_get(set, "requests"), number_of(set, "count"));
    return sum;
}

/* The flavors are there, without labels. */
static void say_flavors(json_t *c)
{
    json_t *flavors = json_object(), *queue, *quota;
    size_t i, k;
    json_array_foreach(json_object_get(c, "queues"), i, queue)
        json_array_foreach(json_object_get(queue, "quotas"), k, quota)
            json_object_set_new(flavors, text_of(quota, "flavor"), json_object());
    json_object_set_new(c, "flavors", flavors);
}

static bool read_lanes(struct local *l)
{
    size_t i;
    const json_t *e;
    json_array_foreach(json_object_get(l->json, "local_queues"), i, e)
    {
        if (l->n_lanes == LANES_MOST)
            return false;
        l->usage[l->n_lanes] = (struct cohort_usage){ .weight = world_number(e, "weight", 1),
                                                      .consumed = sum_of(json_object_get(e, "usage"), 1) };
        l->lane[l->n_lanes++] = e;
    }
    l->half_life_s = number_of(l->json, "half_life_s");
    l->alpha = cohort_usage_alpha(number_of(l->json, "sampling_s"), l->half_life_s);
    return true;
}

static bool read_workloads(struct local *l)
{
    size_t i;
    json_t *w;
    json_array_foreach(json_object_get(l->json, "pending"), i, w)
    {
        uint32_t lane = 0;
        while (lane < l->n_lanes && strcmp(text_of(l->lane[lane], "name"), text_of(w, "local_queue")) != 0)
            lane++;
        if (lane == l->n_lanes || l->n == WORKLOADS_MOST)
            return false;
        json_object_set(w, "queue", json_object_get(l->lane[lane], "queue"));
        l->lane_of[l->n] = lane;
        l->workload[l->n++] = w;
    }
    return true;
}

/* ---- Cycles ---- */

static bool goes_before(const struct local *l, uint32_t a, uint32_t b)
{
    const struct cohort_usage *x = &l->usage[l->lane_of[a]], *y = &l->usage[l->lane_of[b]];
    int by_usage = cohort_usage_compare(x, y, 0, l->half_life_s);
    return by_usage ? by_usage < 0 : cohort_compare_by_age(&l->d->head[a].entry.head.as, &l->d->head[b].entry.head.as) < 0;
}

static bool is_head(const struct local *l, uint32_t i)
{
    for (uint32_t k = 0; k < l->n; k++)
        if (k != i && l->state[k] == IN_QUEUE && !strcmp(text_of(l->workload[k], "queue"), text_of(l->workload[i], "queue")) &&
            goes_before(l, k, i))
            return false;
    return l->state[i] == IN_QUEUE;
}

static void conclude(struct local *l, uint32_t i)
{
    const struct cohort_entry *e = &l->d->head[i].entry;
    double request = request_of(l->workload[i]);
    const char *strategy = text_of(world_entry(l->json, text_of(l->workload[i], "queue")), "strategy");
    bool strict = strategy && !strcmp(strategy, "StrictFIFO");
    if (e->outcome != OUTCOME_ADMITTED) {
        l->state[i] = strict || cohort_tries_again(&l->d->desk, e) ? IN_QUEUE : IS_PARKED;
        return;
    }
    l->state[i] = IS_ADMITTED;
    cohort_use(&l->d->w->books, e->head.as.queue, e->a.use, 1);
    cohort_usage_change(&l->usage[l->lane_of[i]], 0, l->half_life_s, request, l->alpha * request);
}

static void run_cycle(struct local *l)
{
    struct cohort_entry *entry[WORKLOADS_MOST];
    uint32_t head[WORKLOADS_MOST], n = 0;
    for (uint32_t i = 0; i < l->n; i++)
        if (is_head(l, i)) {
            head[n] = i;
            entry[n++] = &l->d->head[i].entry;
        }
    cohort_cycle(&l->d->desk, entry, n);
    for (uint32_t i = 0; i < n; i++)
        conclude(l, head[i]);
}

static int compare(const struct local *l, const char *list, bool admitted, struct why why)
{
    const json_t *want = json_object_get(json_object_get(l->json, "expect"), list), *name;
    size_t i, n = 0;
    for (uint32_t k = 0; k < l->n; k++)
        n += (l->state[k] == IS_ADMITTED) == admitted;
    json_array_foreach(want, i, name)
    {
        uint32_t k = 0;
        while (k < l->n && strcmp(text_of(l->workload[k], "name"), json_string_value(name)) != 0)
            k++;
        if (k == l->n || (l->state[k] == IS_ADMITTED) != admitted)
            return because(CASE_FAILED, why, "%s is not %s", json_string_value(name), list);
    }
    return n == json_array_size(want) ? CASE_PASSED : because(CASE_FAILED, why, "%zu %s", n, list);
}

static int run(struct local *l, struct why why)
{
    l->d = desk_read(l->json, l->workload, l->n, why);
    if (!l->d)
        return CASE_SKIPPED;
    for (uint32_t i = 0; i < l->n; i++)
        if (!desk_add_head(l->d, l->workload[i], why))
            return CASE_SKIPPED;
    for (uint32_t i = 0; i < l->n; i++)
        run_cycle(l);
    int result = compare(l, "admitted", true, why);
    return result == CASE_PASSED ? compare(l, "waiting", false, why) : result;
}

int kueue_local_case(const json_t *c, struct why why)
{
    struct local *l = calloc(1, sizeof *l);
    l->json = json_deep_copy(c);
    say_flavors(l->json);
    int result = read_lanes(l) && read_workloads(l)
                     ? run(l, why)
                     : because(CASE_SKIPPED, why, "more local queues or workloads than this runner holds");
    if (l->d)
        desk_free(l->d);
    json_decref(l->json);
    free(l);
    return result;
}
