/* figures.h - what came of the requests of a service in a stretch of time. */
#pragma once
#include <stdint.h>

struct delays { double mean_s, p50_s, p95_s, p99_s; };       /* NAN: of nothing */
struct serving_figures {
    int64_t from_ns, to_ns;
    double arrived, served, dropped;         /* whole numbers, but in fluid mode */
    double unfinished;            /* at to_ns: waiting or being served; in fluid mode those waiting in overload */
    double kept;                  /* of those served: within every target of the SLO */
    struct delays latency;        /* arrival to end, of those served; by the time of their end */
    struct delays first_token, per_token;    /* of an LLM */
    double replica_s, busy_s;     /* of replicas that were ready; while they served at all */
    double concurrency_s;         /* integral of the number of requests being served */
    double windows, windows_kept; /* whole minutes in which a request ended; those in which the share of the SLO kept it */
    double prompt_tokens, output_tokens;     /* of those served */
};
double figures_attainment(const struct serving_figures *f);  /* kept/(served + dropped); NAN: of none */
double figures_duty(const struct serving_figures *f);        /* busy_s/replica_s; 0 without replicas */
