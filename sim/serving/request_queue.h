/* request_queue.h - a service request by request: models.md 4.4. The same calls as serving.h.
 *
 * Quantiles are those of tally.h, within 0.1 %. Memory is proportional to the requests in the
 * service at one time. */
#pragma once
#include "sim/serving/llm/group_counts.h"
#include "sim/serving/serving.h"

struct request_queue;
struct request_queue *request_queue_new(const struct service *s, uint64_t seed);
void request_queue_free(struct request_queue *q);
void request_queue_advance(struct request_queue *q, int64_t to_ns);
void request_queue_replica_ready(struct request_queue *q, uint32_t id, double speed);
void request_queue_replica_gone(struct request_queue *q, uint32_t id);
void request_queue_replica_speed(struct request_queue *q, uint32_t id, double speed);
void request_queue_replica_clock(struct request_queue *q, uint32_t id, double clock);
struct replica_work request_queue_replica_work(const struct request_queue *q, uint32_t id);
struct serving_load request_queue_load(const struct request_queue *q);
struct serving_figures request_queue_take_figures(struct request_queue *q);
struct serving_figures request_queue_total(const struct request_queue *q);
const struct group_counts *request_queue_by_group(const struct request_queue *q);
void request_queue_paths(struct request_queue *q, const struct transfer_paths *paths);
double request_queue_sent_bytes(const struct request_queue *q);
uint64_t request_queue_drawn(const struct request_queue *q);
