/* ranks.h - one LLM replica as its ranks: models.md 4.9.
 *
 * A rank is an engine loop with requests, a queue and a KV cache of its own. A replica of a dense
 * model has one. Of a mixture of experts with data-parallel attention it has several, on GPUs of
 * their own, that share the experts: they step together, each as long as the slowest of them takes,
 * and a rank without requests takes part. A request goes to the rank with the fewest, waiting and
 * running, then the smallest number, and stays with it.
 *
 * Replicas with several models (loop.h) have one rank.
 *
 * A step begins when a request is there and ends step_s later, whatever happens meanwhile. */
#pragma once
#include "sim/serving/figures.h"
#include "sim/serving/llm/loop.h"

struct llm_rank { struct llm_loop loop; struct request_lines own; };
struct llm_ranks {
    struct llm_rank *rank;        /* [n]; n 0: not yet, or no engine */
    uint32_t n;
    int64_t begin_ns, end_ns;     /* of the present step; end TIME_NEVER: none */
    double gpu_share, power;      /* of it, in which there is work for the GPU; llm_step_power():
                                     means of the ranks */
    struct replica_work ended;    /* of the steps that ended */
};
struct llm_ranks llm_ranks_none(void);
struct llm_ranks llm_ranks_of(const struct llm_batching *b);
void llm_ranks_free(struct llm_ranks *r);

uint32_t llm_ranks_running(const struct llm_ranks *r);       /* without those that are parked */
uint32_t llm_ranks_parked(const struct llm_ranks *r);
uint32_t llm_ranks_waiting(const struct llm_ranks *r);
/* Blocks that running requests hold; idle ids count as free. */
uint32_t llm_ranks_used(const struct llm_ranks *r, const struct llm_batching *b);
/* Until now_ns. */
struct replica_work llm_ranks_work(const struct llm_ranks *r, int64_t now_ns);
/* Leading ids of the prompt that the rank has which has most. */
uint32_t llm_ranks_leading(const struct llm_ranks *r, const struct service_request *ask);
/* weights_near() of the rank that has it nearest. */
unsigned llm_ranks_near(const struct llm_ranks *r, const struct llm_batching *b, uint32_t set);

void llm_ranks_insert(struct llm_ranks *r, struct requests_present *p, uint32_t request);
/* Begins a step; nothing if there are no requests. Counts into *t. clock, speed: of its GPUs, and of
 * the replica on them. */
void llm_ranks_begin(struct llm_ranks *r, const struct llm_batching *b, double clock,
                     double speed, struct requests_present *p, int64_t now_ns, struct tally *t);
/* The step ends: tokens are sent, and counted into *t. */
void llm_ranks_end(struct llm_ranks *r, const struct llm_batching *b, struct requests_present *p,
                   struct tally *t);
/* Removes a request that has sent all; NO_REQUEST: no other. */
uint32_t llm_ranks_pop(struct llm_ranks *r, struct requests_present *p);
/* As those of loop.h, of whichever rank it is; a request is received by the rank with the fewest. */
uint32_t llm_ranks_park(struct llm_ranks *r, const struct requests_present *p);
bool llm_ranks_receive(struct llm_ranks *r, const struct llm_batching *b,
                       const struct requests_present *p, uint32_t request);
void llm_ranks_resume(struct llm_ranks *r, uint32_t request);
void llm_ranks_forget(struct llm_ranks *r, const struct requests_present *p, uint32_t request);
/* The replica stops: removes any request that runs or is parked; NO_REQUEST: none is left. */
uint32_t llm_ranks_take_away(struct llm_ranks *r, struct requests_present *p);
