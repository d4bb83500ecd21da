/* drawn.h - runs on random clusters and jobs, for tests that compare a part of the program with a second, plain implementation
 * while a policy of the test starts and stops jobs. The test says what a group of nodes and a job may be. */
#ifndef TESTS_SUPPORT_DRAWN_H
#define TESTS_SUPPORT_DRAWN_H

#include "sim/base/random.h"
#include "sim/engine/run.h"
#include "tests/unit/test_core.h"

#include <string.h>

struct drawn {
    const char *stream;                                /* name of the draws */
    uint32_t groups, jobs;                             /* at most 8 groups */
    void (*group)(struct group_spec *g, uint32_t i);   /* its name, and what it has */
    void (*job)(struct job_row *row);                  /* but times: submitted within 30 s, and as long */
    bool (*stops_at_once)(void);                       /* whether a stop takes no time: what is stopped holds nothing */
};

static struct random draws;

/* Below n. */
static uint32_t draw(uint32_t n)
{
    return (uint32_t)random_below(&draws, n);
}

static inline bool always(void)
{
    return true;
}

static inline struct cluster *drawn_cluster(const struct drawn *d)
{
    struct error err = { "" };
    struct group_spec g[8];
    for (uint32_t i = 0; i < d->groups; i++) {
        g[i] = (struct group_spec){ .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX };
        d->group(&g[i], i);
    }
    struct cluster *c = cluster_build("any", g, d->groups, NULL, 0, &err);
    if (!c)
        fail_msg("%s", err.text);
    if (d->stops_at_once())
        c->overhead.checkpoint = CHECKPOINT_PERFECT;
    return c;
}

static inline struct workload *drawn_jobs(const struct drawn *d, struct cluster *c)
{
    struct error err = { "" };
    struct workload *w = workload_new();
    for (uint32_t j = 0; j < d->jobs; j++) {
        struct job_row row = job_row_default;
        row.submit_ns = (int64_t)draw(30) * NS_PER_S;
        row.duration_ns = row.estimate_ns = (int64_t)(1 + draw(30)) * NS_PER_S;
        d->job(&row);
        assert_int_equal(workload_add(w, &row, "any", j + 1, &err), 0);
    }
    assert_int_equal(workload_finish(w, "any", &err), 0);
    assert_int_equal(run_bind(c, w, &err), 0);
    return w;
}

static inline void drawn_types(struct job_row *row, const char *types)
{
    row->gpu_type = types;
    row->gpu_type_length = strlen(types);
}

/* A whole run on the cluster and jobs of a seed. */
static inline void drawn_run(const struct drawn *d, uint64_t seed, const struct run_setup *how)
{
    struct error err = { "" };
    struct run_setup setup = *how;
    random_init(&draws, seed, d->stream, 0);
    struct cluster *c = drawn_cluster(d);
    struct workload *w = drawn_jobs(d, c);
    setup.cluster = c;
    setup.workload = w;
    setup.seed = seed;
    struct sched *s = run_new(&setup);
    if (run_execute(s, &err))
        fail_msg("seed %u: %s", (unsigned)seed, err.text);
    run_free(s);
    workload_free(w);
    cluster_free(c);
}

#endif
