/* queueing.h - queues with a closed form, played by the engine: a job with one GPU is a
 * customer, a GPU is a server.
 *
 * How tight (models.md 11.1): R replications; the exact value must lie inside the 99.9 %
 * t-interval, and half that interval must be at most 5 % of it. Replications grow until that is
 * so. A row with a `speed` is the negative control: the same test on servers that are so much
 * faster, where the exact value must lie outside.
 *
 * GPUYARD_NIGHTLY in the environment: more and longer replications, 1.5 %. */
#pragma once
#include "sim/base/memory.h"
#include "sim/base/random.h"
#include "sim/engine/run.h"
#include "tests/support/named.h"
#include "tests/unit/test_core.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdlib.h>

#define assert_within(got, want, tolerance) assert_true(fabs((got) - (want)) <= (tolerance))

enum law { EXPONENTIAL, FIXED, HYPER }; /* HYPER: one of two exponentials of balanced means, c^2 = 4 */
struct customers {
    double rate, mean_s;
    enum law law;
};
struct queue_system {
    unsigned servers;
    const char *policy;
    struct customers class[2]; /* rate 0: none. Under a policy that goes by priority the first go first */
};
enum figure { WAIT, SHARE_THAT_WAITS, SHARE_LOST, SOJOURN, LENGTH }; /* LENGTH: mean number waiting, over time */
struct wanted {
    enum figure figure;
    unsigned class;
    double exact;
};
enum { WANTED_MOST = 3, REPLICATIONS_MOST = 100 };
struct law_row {
    const char *name;
    struct queue_system system;
    struct wanted want[WANTED_MOST]; /* up to the first with exact 0 */
    double speed;                    /* of the servers; 0: 1, as the closed form has it; else: a negative control */
    bool nightly;                    /* takes too long for every day */
    double jobs;                     /* of the first replications; 0: the usual 50000 */
};

static inline bool nightly(void)
{
    return getenv("GPUYARD_NIGHTLY") != NULL;
}

/* ---- One replication ---- */

struct source {
    struct random arrivals, sizes, branches;
    double next_s;
}; /* a stream for each purpose */

static inline double draw_exponential(struct random *r, double mean_s)
{
    return gsl_cdf_exponential_Pinv(random_uniform(r), mean_s);
}

/* H2 of balanced means: p/mu_1 = (1-p)/mu_2 = mean/2, and p = (1 + sqrt((c^2-1)/(c^2+1)))/2. */
static inline double draw_size(struct source *s, const struct customers *c)
{
    if (c->law == FIXED)
        return c->mean_s;
    if (c->law == EXPONENTIAL)
        return draw_exponential(&s->sizes, c->mean_s);
    double p = (1 + sqrt(3.0 / 5.0)) / 2;
    double branch = random_uniform(&s->branches) < p ? p : 1 - p;
    return draw_exponential(&s->sizes, c->mean_s / (2 * branch));
}

static inline struct workload *queue_workload(const struct queue_system *q, double speed, uint32_t jobs, uint64_t which)
{
    struct source source[2];
    for (unsigned k = 0; k < 2; k++) {
        uint64_t entity = 2 * which + k;
        random_init(&source[k].arrivals, 1, "arrivals", entity);
        random_init(&source[k].sizes, 1, "sizes", entity);
        random_init(&source[k].branches, 1, "branches", entity);
        source[k].next_s =
            q->class[k].rate > 0 ? draw_exponential(&source[k].arrivals, 1 / q->class[k].rate) : INFINITY;
    }
    struct workload *w = workload_new();
    struct error err = { "" };
    for (uint32_t i = 0; i < jobs; i++) {
        unsigned k = source[1].next_s < source[0].next_s;
        struct job_row row = job_row_default;
        row.submit_ns = ns_of_seconds(source[k].next_s);
        row.duration_ns = ns_of_seconds(draw_size(&source[k], &q->class[k]) / speed);
        row.priority = k == 0;
        assert_int_equal(workload_add(w, &row, "queue", i + 1, &err), 0);
        source[k].next_s += draw_exponential(&source[k].arrivals, 1 / q->class[k].rate);
    }
    assert_int_equal(workload_finish(w, "queue", &err), 0);
    return w;
}

/* Giving way costs nothing. Free with queue_free(). */
static inline struct sched *queue_play(const struct queue_system *q, double speed, uint32_t jobs, uint64_t which)
{
    struct error err = { "" };
    const struct group_spec group = {
        .name = "servers", .count = 1, .gpus = q->servers, .counted = true, .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX
    };
    struct cluster *c = cluster_build("queue", &group, 1, NULL, 0, &err);
    assert_non_null(c);
    c->overhead.checkpoint = CHECKPOINT_PERFECT;
    struct workload *w = queue_workload(q, speed, jobs, which);
    assert_int_equal(run_bind(c, w, &err), 0);
    struct named_policy named = policy_named(q->policy);
    struct sched *s = run_new(&(struct run_setup){ .cluster = c,
                                                   .workload = w,
                                                   .policy = named.policy,
                                                   .policy_params = named.params,
                                                   .placer = placer_named("first-fit") });
    if (run_execute(s, &err))
        fail_msg("%s", err.text);
    assert_int_equal(run_totals(s)->completed + run_totals(s)->rejected, jobs);
    return s;
}

static inline void queue_free(struct sched *s)
{
    struct run_setup setup = *run_setup_of(s);
    run_free(s);
    workload_free(setup.workload);
    cluster_free((struct cluster *)(uintptr_t)setup.cluster);
}

/* Of those after the warm-up. */
static inline double queue_figure(const struct sched *s, const struct wanted *want, job_id warm_up)
{
    const struct run_totals *t = run_totals(s);
    if (want->figure == LENGTH)
        return (double)t->waiting / (double)(t->last_ns - t->first_ns);
    const struct workload *w = run_setup_of(s)->workload;
    double sum = 0, n = 0;
    for (job_id j = warm_up; j < w->n_jobs; j++) {
        if (w->facts[j].priority != (want->class == 0))
            continue;
        struct job_result r = run_job(s, j);
        n++;
        sum += want->figure == SHARE_THAT_WAITS ? (double)(r.wait_ns > 0)
               : want->figure == SHARE_LOST     ? (double)(r.outcome == OUTCOME_REJECTED)
                                                : seconds(want->figure == WAIT ? r.wait_ns : r.wait_ns + r.run_ns);
    }
    return sum / n;
}

/* ---- Replications ---- */

struct estimate {
    double mean, half_width;
};

static inline void replicate(const struct law_row *row, uint32_t jobs, size_t replications, struct estimate *estimate)
{
    static double sample[WANTED_MOST][REPLICATIONS_MOST];
    for (size_t i = 0; i < replications; i++) {
        struct sched *s = queue_play(&row->system, row->speed > 0 ? row->speed : 1, jobs, i);
        for (size_t k = 0; k < WANTED_MOST && row->want[k].exact > 0; k++)
            sample[k][i] = queue_figure(s, &row->want[k], jobs / 10);
        queue_free(s);
    }
    double t = gsl_cdf_tdist_Pinv(1 - 0.001 / 2, (double)replications - 1);
    for (size_t k = 0; k < WANTED_MOST; k++)
        estimate[k] = (struct estimate){ gsl_stats_mean(sample[k], 1, replications),
                                         t * gsl_stats_sd(sample[k], 1, replications) / sqrt((double)replications) };
}

/* Half of the widest interval as a part of what is allowed. */
static inline double looseness(const struct law_row *row, const struct estimate *e)
{
    double most = 0;
    for (size_t k = 0; k < WANTED_MOST && row->want[k].exact > 0; k++)
        most = fmax(most, e[k].half_width / ((nightly() ? 0.015 : 0.05) * row->want[k].exact));
    return most;
}

/* The test of every table of struct law_row. */
static inline void law_holds(void **state)
{
    const struct law_row *row = *state;
    if (row->nightly && !nightly())
        skip();
    struct estimate e[WANTED_MOST];
    double jobs = nightly() ? 100000 : row->jobs > 0 ? row->jobs : 50000, most = nightly() ? 4000000 : 2000000;
    for (;;) {
        replicate(row, (uint32_t)jobs, nightly() ? REPLICATIONS_MOST : 30, e);
        double longer = pow(looseness(row, e), 2); /* the width goes with 1/sqrt(jobs) */
        if (row->speed > 0 || longer <= 1 || jobs >= most)
            break;
        jobs = fmin(1.2 * longer * jobs, most);
    }
    for (size_t k = 0; k < WANTED_MOST && row->want[k].exact > 0; k++) {
        print_message("%s: want %.6g, estimate %.6g +- %.2g %%, %.0f jobs each\n", row->name, row->want[k].exact,
                      e[k].mean, 100 * e[k].half_width / row->want[k].exact, floor(jobs));
        bool inside = fabs(e[k].mean - row->want[k].exact) <= e[k].half_width;
        assert_int_equal(inside, row->speed <= 0);
    }
    if (row->speed <= 0)
        assert_true(looseness(row, e) <= 1);
}
