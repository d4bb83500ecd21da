/* served.h - services for tests, and a run of one with replicas that stay. */
#pragma once
#include "sim/base/units.h"
#include "sim/serving/serving.h"
#include "tests/unit/test_core.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics.h>
#include <stdbool.h>

#define LAW_OF(kind_, a_) { 1, { { .kind = (kind_), .weight = 1, .scale = 1, .a = (a_) } } }
/* Two exponentials of balanced means, mean 1, c^2 = 4: p = (1 + sqrt(3/5))/2 and means 1/(2p), 1/(2(1-p)). */
#define HYPER_P 0.88729833462074168852
#define HYPER_LAW                                                                                                      \
    { 2,                                                                                                               \
      { { .kind = LAW_EXPONENTIAL, .weight = HYPER_P, .scale = 1, .a = .5 / HYPER_P },                                 \
        { .kind = LAW_EXPONENTIAL, .weight = 1 - HYPER_P, .scale = 1, .a = .5 / (1 - HYPER_P) } } }

__attribute__((unused)) static struct service served_by_law(const char *name, enum service_mode mode, double rate, struct law law)
{
    struct service s = service_default();
    s.name = name;
    s.mode = mode;
    s.demand.rate = rate;
    s.time.law = law;
    s.timeout_s = INFINITY;
    return s;
}

__attribute__((unused)) static struct serving *serving_with(const struct service *s, uint64_t seed, uint32_t replicas, double speed)
{
    struct serving *v = serving_new(s, seed);
    for (uint32_t i = 0; i < replicas; i++)
        serving_replica_ready(v, i, speed);
    return v;
}

/* Figures of [warm_s, until_s). */
__attribute__((unused)) static struct serving_figures served(const struct service *s, uint64_t seed, uint32_t replicas, double speed,
                                                             double warm_s, double until_s)
{
    struct serving *v = serving_with(s, seed, replicas, speed);
    serving_advance(v, ns_of_seconds(warm_s));
    serving_take_figures(v);
    serving_advance(v, ns_of_seconds(until_s));
    struct serving_figures f = serving_take_figures(v);
    serving_free(v);
    return f;
}

/* Mean and 99.9 % t-interval over replications, each with a seed of its own. */
struct estimate { double mean, half_width; };
__attribute__((unused)) static struct estimate estimate_of(const double *x, size_t n)
{
    double t = gsl_cdf_tdist_Pinv(1 - 0.001 / 2, (double)n - 1);
    return (struct estimate){ gsl_stats_mean(x, 1, n), t * gsl_stats_sd(x, 1, n) / sqrt((double)n) };
}

/* A list of (time, service) in seconds. */
struct timed { double at_s, service_s; uint32_t prompt, output; };
__attribute__((unused)) static struct request_list listed(const struct timed *t, size_t n)
{
    struct error err = { "" };
    struct request_list l = { 0 };
    for (size_t i = 0; i < n; i++)
        request_list_add(&l, (struct recorded_request){ .time_ns = ns_of_seconds(t[i].at_s),
                                                          .service_ns = ns_of_seconds(t[i].service_s),
                                                          .prompt_tokens = t[i].prompt,
                                                          .output_tokens = t[i].output });
    assert_int_equal(request_list_finish(&l, "list", &err), 0);
    return l;
}
