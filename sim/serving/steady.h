/* steady.h - a service in equilibrium, at a rate of requests and with some replicas: models.md 4.2
 * and 4.3.
 *
 *   one at a time   G/G/c with timeouts (queueing.h); c_s^2 of the law
 *   batches         a request waits for its batch to be full or old enough, and the batch as one
 *                   customer of M/D/c. Batches grow with that wait, k = 1 + rate x wait, up to the
 *                   maximum; their gaps have c_a^2/k.
 *   LLM             prefill is G/G/c. Decode is processor sharing with a speed that depends on the
 *                   number n of sequences, spread evenly over the replicas: pi_n = pi_0 prod_{j <=
 *                   n} a d(j/c)/j, a the requested tokens per second, for any law of their number
 *                   (Kelly, Reversibility and Stochastic Networks, 1979, 3.3); beyond the N = c
 *                   k_max slots sequences wait, and pi_n falls as in M/M/N. An arrival finds n with
 *                   pi_n, and a token then takes d((n + 1)/c). Of the waits for prefill and for a
 *                   slot the one with the longer mean counts.
 *   step by step    llm/flow.h, each replica with its part of the rate; first tokens are uniform
 *                   over the step that an arrival finds, tokens all of the mean.
 * Replicas of several speeds count as of their mean. */
#pragma once
#include "sim/serving/demand.h"
#include "sim/serving/spread.h"

/* The laws, which do not depend on the rate. */
struct steady_laws {
    const struct service *s;
    struct spread time;           /* one at a time: of the service; LLM: of the prefill */
    struct spread output;         /* LLM: tokens */
    double prompt_tokens;         /* LLM: mean */
    double gap_c2;
    double capacity;              /* requests per second of a replica of speed 1 */
};
struct steady_laws steady_laws_of(const struct service *s, double gap_c2);     /* s is borrowed */
void steady_laws_free(struct steady_laws *l);
/* Requests per second of all replicas; speed: of all together. */
double steady_capacity(const struct steady_laws *l, uint32_t replicas, double speed);

struct steady {
    struct wait_law wait;
    struct spread latency, first_token;      /* first_token: of an LLM */
    struct spread per_token;      /* of an LLM */
    double kept;                  /* share of served requests within every target of the SLO */
    double busy, in_service;      /* of a replica: share of the time, number of requests */
    double duty;                  /* likewise: of its GPU; busy, if it does not run step by step */
    double steps, tdp;            /* as in struct replica_work, of the time; 0, if it does not */
    double kv;                    /* share of its KV cache in use, if it does */
};
/* rate < steady_capacity(); speed: of all replicas together. */
struct steady steady_state(const struct steady_laws *l, double rate, uint32_t replicas,
                           double speed);
/* All slots serve, nothing waits: without distributions, of an LLM with the means of first_token
 * and per_token. */
struct steady steady_full(const struct steady_laws *l, uint32_t replicas, double speed);
/* full, with distributions and `kept` after a wait uniform in from .. to, which latency and
 * first_token contain; speed: of one replica. */
struct steady steady_behind_wait(const struct steady_laws *l, const struct steady *full,
                                 double speed, double from_wait_s, double to_wait_s);
void steady_free(struct steady *s);
