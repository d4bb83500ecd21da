/* demand.h - the requests of a service: one by one, or as a rate.
 *
 * Streams are named by (seed, service, number of the request), so two runs with one seed have equal
 * requests, whatever happens to them; bursts of an MMPP are at the same times in fluid mode. */
#pragma once
#include "sim/models/draws/cut_law.h"
#include "sim/serving/service.h"

struct service_request {
    int64_t time_ns;
    uint32_t prompt_tokens, output_tokens;   /* 0: no LLM */
    const uint64_t *prefix_id;    /* [n_prefix_ids] of the recorded prompt; borrowed */
    uint32_t n_prefix_ids;
    uint32_t set;                 /* of weights (llm/weights.h): adapter or model, from 1; 0: no */
    double service_s;             /* alone on a replica of speed 1; 0 of a batch or LLM */
};

#define SERVICE_S_LEAST 1e-9      /* bounds of what is drawn */
#define SERVICE_S_MOST  1e7
#define TOKENS_MOST     1e7

struct demand;
/* s is borrowed. Free with demand_free() */
struct demand *demand_new(const struct service *s, uint64_t seed);
void   demand_free(struct demand *d);

/* One by one. The next request, not taken yet; NULL: none before the end. */
const struct service_request *demand_next(struct demand *d);
void   demand_take(struct demand *d);
/* Number and hash of the requests taken. */
uint64_t demand_taken(const struct demand *d);
uint64_t demand_drawn(const struct demand *d);

/* As a rate; one struct demand gives either requests or rates. Requests per second, constant from
 * from_ns until *until_ns <= to_ns. Times ascend. A replay has in each interval of the service its
 * mean rate. */
double demand_rate(struct demand *d, int64_t from_ns, int64_t to_ns, int64_t *until_ns);
double demand_gap_c2(const struct demand *d);                /* of gaps; for fluid mode */
