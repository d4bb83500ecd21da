/* built.h - a cluster and a workload of rows, bound to each other, for tests that
 * draw them as plain data. Header only. */
#pragma once
#include "sim/engine/run.h"
#include "tests/unit/test_core.h"

/* A pass a second. */
static inline struct cluster *built_cluster_of(const struct cluster_given *given, struct overhead overhead)
{
    struct error err = { "" };
    struct culprit culprit;
    struct cluster *c = cluster_assemble(given, &culprit, &err);
    if (!c)
        fail_msg("%s", err.text);
    c->overhead = overhead;
    c->period_ns = NS_PER_S;
    return c;
}

/* Of one group. */
static inline struct cluster *built_cluster(const struct group_spec *group, const struct queue_spec *queue, uint32_t n_queues, struct overhead overhead)
{
    return built_cluster_of(&(struct cluster_given){ .name = "w", .group = group, .n_groups = 1, .queue = queue, .n_queues = n_queues },
                            overhead);
}

static inline struct workload *built_workload(struct cluster *c, const struct job_row *job, size_t n)
{
    struct error err = { "" };
    struct workload *load = workload_new();
    for (size_t j = 0; j < n; j++)
        if (workload_add(load, &job[j], "rows", j + 1, &err))
            fail_msg("%s", err.text);
    if (workload_finish(load, "rows", &err) || run_bind(c, load, &err))
        fail_msg("%s", err.text);
    return load;
}
