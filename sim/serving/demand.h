/* demand.h - the requests of a service: one by one, or as a rate.
 *
 * Everything is drawn from streams named by (seed, "requests of NAME", number of the request), so whatever happens to requests,
 * those of two runs with one seed are identical; and bursts of an MMPP come at the same times in fluid mode. */
#pragma once
#include "sim/models/draws/cut_law.h"
#include "sim/serving/service.h"

struct service_request {
    int64_t time_ns;
    uint32_t prompt_tokens, output_tokens;   /* 0 of what is no LLM */
    double service_s;             /* alone on a replica of speed 1; of a batch or LLM: 0 */
};

#define SERVICE_S_LEAST 1e-9      /* what is drawn lies between */
#define SERVICE_S_MOST  1e7
#define TOKENS_MOST     1e7

struct demand;
struct demand *demand_new(const struct service *s, uint64_t seed);     /* s is borrowed. Free with demand_free() */
void   demand_free(struct demand *d);

/* One by one. The next, still to be taken; NULL: there is none before the end. */
const struct service_request *demand_next(struct demand *d);
void   demand_take(struct demand *d);
/* Number and hash of those taken. */
uint64_t demand_taken(const struct demand *d);
uint64_t demand_drawn(const struct demand *d);

/* As a rate, of another struct demand than one that gives requests one by one. Requests per second, constant from from_ns until
 * *until_ns <= to_ns. Times must not go back. A replay has in each interval of the service the rate that it had on average. */
double demand_rate(struct demand *d, int64_t from_ns, int64_t to_ns, int64_t *until_ns);
int64_t demand_flows_ns(const struct demand *d, int64_t from_ns);      /* when the rate is above 0 from then on; TIME_NEVER */
double demand_gap_c2(const struct demand *d);                /* for fluid mode */
