/* handover.h - replicas of a service that read prompts and others that generate: models.md 4.11.
 *
 * A replica gets its role when it becomes ready: that of which there are fewest for its part, first
 * to read, and keeps it. New requests go to replicas that read. With its first token a request is
 * parked there; it goes to the replica with the fewest requests of those that generate, then the
 * smallest id, as soon as that has blocks for its prompt and one token, in the order of the first
 * tokens. Its KV cache is then sent (llm/transfers.h), and it goes on.
 *
 * The functions change *blocks by what the replicas that they touch hold. */
#pragma once
#include "sim/serving/llm/transfers.h"
#include "sim/serving/replica.h"
#include "sim/serving/tournament.h"

struct handover {
    struct transfers transfers;
    struct request_line read;     /* parked, and not yet on the way */
    struct tournament decoders;   /* by replica: its requests, if it is ready and generates */
};
struct handover handover_of(const struct llm_batching *b);
void handover_free(struct handover *o);
enum replica_role handover_role(const struct llm_batching *b, const struct replica *r, uint32_t n);

/* Parks what replica `id` has read. */
void handover_park(struct handover *o, struct replica *r, uint32_t id, struct requests_present *p);
/* Begins all transfers that can begin. */
void handover_send(struct handover *o, const struct llm_batching *b, struct replica *r,
                struct requests_present *p, int64_t now_ns, uint64_t *blocks);
/* What happens at transfers_next_ns(). true: a request has come from one replica to another. */
bool handover_step(struct handover *o, const struct llm_batching *b, struct replica *r,
                const struct requests_present *p, int64_t now_ns, uint64_t *blocks,
                struct transfer *come);
/* Replica `id` stops, with its requests: of those that it sends or receives the other replica keeps
 * nothing. */
void handover_leave(struct handover *o, const struct llm_batching *b, struct replica *r, uint32_t id,
                 struct requests_present *p, int64_t now_ns, uint64_t *blocks);
/* After a change of the replica. */
void handover_refresh(struct handover *o, const struct replica *r, uint32_t id);
