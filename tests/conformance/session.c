/* session.c - see session.h. */
#include "tests/conformance/session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int only_known(const json_t *o, const char *what, const char *const *known, struct why why)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)o, key, value) {
        size_t i = 0;
        while (known[i] && strcmp(known[i], key) != 0)
            i++;
        if (!known[i] && !json_is_null(value))
            return because(CASE_SKIPPED, why, "%s %s has no equivalent here", what, key);
    }
    return CASE_PASSED;
}

/* ---- Queues ---- */

static int64_t share_of(const json_t *o, const char *key, double unit)
{
    double x = number_of(o, key);
    return x < 0 ? UNLIMITED : (int64_t)llround(x * unit);
}

/* More deserved than the limit allows is as much as the limit: nothing is held above it, or
 * asked for. */
static void take_share(const json_t *o, double unit, int64_t *deserved, int64_t *limit, double *weight)
{
    *deserved = share_of(o, "quota", unit);
    *limit = share_of(o, "limit", unit);
    if (*limit != UNLIMITED && (*deserved == UNLIMITED || *deserved > *limit) && *deserved != UNLIMITED)
        *deserved = *limit;
    *weight = number_of(o, "over_quota_weight");
}

static int by_age(const void *a, const void *b)
{
    const json_t *x = *(const json_t *const *)a, *y = *(const json_t *const *)b;
    double t = number_of(x, "created_seq") - number_of(y, "created_seq");
    return t != 0 ? (t > 0) - (t < 0) : strcmp(text_of(x, "name"), text_of(y, "name"));
}

static queue_id queue_named(const struct queue_spec *q, size_t n, const char *name)
{
    for (size_t i = 0; name && i < n; i++)
        if (!strcmp(q[i].facts.name, name))
            return (queue_id)i;
    return ID_NONE;
}

/* Departments, then queues: all that are in a list, the oldest first. */
static int add_queues(const json_t *list, struct queue_spec *to, size_t *n, struct why why)
{
    static const char *const known[] = { "name", "parent", "created_seq", "priority", "gpu", "cpu_milli", "memory_mb", NULL };
    static const json_t *queue[QUEUES_MOST];
    size_t count = json_array_size(list);
    if (*n + count > QUEUES_MOST)
        return because(CASE_SKIPPED, why, "more than %d queues", QUEUES_MOST);
    for (size_t i = 0; i < count; i++)
        queue[i] = json_array_get(list, i);
    qsort(queue, count, sizeof *queue, by_age);
    for (size_t i = 0; i < count; i++) {
        struct queue_facts f = { .name = text_of(queue[i], "name"), .priority = (int32_t)number_of(queue[i], "priority"),
                                 .parent = queue_named(to, *n, text_of(queue[i], "parent")), .preempt_min_runtime_ns = -1,
                                 .reclaim_min_runtime_ns = -1 };
        struct amount *deserved = &f.quota.deserved, *limit = &f.quota.limit;
        take_share(json_object_get(queue[i], "gpu"), MILLI_ALL, &deserved->gpu_milli, &limit->gpu_milli, &f.weight);
        take_share(json_object_get(queue[i], "cpu_milli"), 1, &deserved->cpu_milli, &limit->cpu_milli, &f.cpu_weight);
        take_share(json_object_get(queue[i], "memory_mb"), 1e6, &deserved->mem_mib, &limit->mem_mib, &f.mem_weight);
        if (f.weight < 0 && deserved->gpu_milli != UNLIMITED)
            return because(CASE_SKIPPED, why, "a negative weight");
        f.weight = f.weight < 0 ? 1 : f.weight;    /* all it asks for is deserved: it never takes by weight */
        if (only_known(queue[i], "a queue's", known, why) != CASE_PASSED)
            return CASE_SKIPPED;
        to[(*n)++].facts = f;
    }
    return CASE_PASSED;
}

/* Queues that name borrowing and the like to other policies are as if they did not. */
int session_build(struct session *s, const json_t *c, struct why why)
{
    static const char *const known[] = { "id", "source", "transcribed", "mode", "actions", "nodes", "departments", "queues", "jobs",
                                         "expect", "config", "topologies", "rounds_until_match", "rounds_after_match", NULL };
    static struct group_spec group[NODES_MOST];
    struct queue_spec queue[QUEUES_MOST] = { 0 };
    size_t n_groups = 0, n_queues = 0;
    struct error err = { "" };
    *s = (struct session){ .json = c, .workload = workload_new() };
    if (only_known(c, "a case's", known, why) != CASE_PASSED || session_nodes(s, group, &n_groups, why) != CASE_PASSED ||
        add_queues(json_object_get(c, "departments"), queue, &n_queues, why) != CASE_PASSED ||
        add_queues(json_object_get(c, "queues"), queue, &n_queues, why) != CASE_PASSED)
        return CASE_SKIPPED;
    struct cluster_given given = {
        .name = "case", .group = group, .n_groups = n_groups, .queue = queue, .n_queues = n_queues,
        .levels = { LEVELS_MOST, { "rack", "pod", "zone", "region" } },
    };
    struct culprit culprit;
    s->cluster = cluster_assemble(&given, &culprit, &err);
    if (!s->cluster)
        return because(CASE_SKIPPED, why, "%s", err.text);
    s->cluster->overhead = (struct overhead){ .checkpoint = CHECKPOINT_PERFECT, .save_ns = LEAVING_NS };
    s->cluster->period_ns = PERIOD_NS;
    s->cluster->period_said = true;
    if (session_jobs(s, why) != CASE_PASSED)
        return CASE_SKIPPED;
    if (workload_finish(s->workload, "case", &err) != 0 || run_bind(s->cluster, s->workload, &err) != 0)
        return because(CASE_SKIPPED, why, "%s", err.text);
    return CASE_PASSED;
}

void session_end(struct session *s)
{
    workload_free(s->workload);
    cluster_free(s->cluster);
}
