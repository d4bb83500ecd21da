/* serving.h - a service in a run, in either mode: fluid.h or request_queue.h.
 *
 * The caller advances the time; nothing happens between calls. At one instant: ends, then changes
 * by the caller, then arrivals. */
#pragma once
#include "sim/serving/figures.h"
#include "sim/serving/llm/group_counts.h"
#include "sim/serving/llm/transfers.h"
#include "sim/serving/service.h"

struct serving;
struct serving *serving_new(const struct service *s, uint64_t seed); /* at time 0; s is borrowed */
void serving_free(struct serving *v);

/* up to to_ns, with the ends at to_ns, without its arrivals */
void serving_advance(struct serving *v, int64_t to_ns);
/* At the present time. An id may be used again after it is gone; memory is proportional to the
 * largest id. speed > 0. */
void serving_replica_ready(struct serving *v, uint32_t id, double speed);
void serving_replica_gone(struct serving *v, uint32_t id);
/* Of a ready replica, from now on: services and steps that have begun keep their ends, but for the
 * decode of an LLM that does not run step by step. */
void serving_replica_speed(struct serving *v, uint32_t id, double speed);
/* Of the GPUs of a ready replica that runs step by step, a part of the full one: 1 until it is said;
 * of others nothing changes. */
void serving_replica_clock(struct serving *v, uint32_t id, double clock);
/* Of a ready replica since any time before it was ready; in fluid mode the mean of all replicas.
 * Differences count. */
struct replica_work serving_replica_work(const struct serving *v, uint32_t id);

/* Where KV caches go from replica to replica (llm/handover.h), how fast: from now on, and again as
 * this is called anew. Bytes that set out since time 0. In fluid mode neither. */
void   serving_paths(struct serving *v, const struct transfer_paths *paths);
double serving_sent_bytes(const struct serving *v);

/* The input of an autoscaler; the difference of two gives means of the time between. */
struct serving_load {
    int64_t at_ns;
    uint32_t ready;               /* replicas now */
    double waiting, in_service;   /* requests now */
    double arrived, served, dropped;         /* since time 0 */
    double replica_s, concurrency_s;         /* since time 0, as in figures.h */
    double busy_s;                /* likewise; step by step: in which GPUs had work */
    /* since time 0, of replicas that run step by step; sums over served requests */
    double kv_s, tokens, first_token_s, per_token_s;
};
struct serving_load serving_load(const struct serving *v);

struct serving_figures serving_take_figures(struct serving *v); /* since the last call, or time 0 */
struct serving_figures serving_total(const struct serving *v);         /* since time 0 */
/* By set of weights, since time 0; none in fluid mode. Those of the caller: group_counts_free(). */
struct group_counts serving_by_group(const struct serving *v);
/* hash of the requests since time 0: the same for every policy */
uint64_t serving_drawn(const struct serving *v);
