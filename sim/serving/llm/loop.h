/* loop.h - the requests of one rank of an LLM replica, step after step: models.md 4.9, as vLLM 1
 * does it. When steps begin and end says ranks.h.
 *
 * A running request has computed `done` tokens of its context and computes up to `need`: its prompt
 * and what it has sent; then each step sends a token. Its KV cache is in blocks. At the begin of a
 * step, with a budget of tokens:
 *   1 running requests, in the order of admission, get a chunk each, as much as is left. Where the
 *     blocks for it are not free the one admitted last is preempted: its blocks are freed, it is
 *     the first of those that wait, and all that it had computed is computed again.
 *   2 if none was preempted, those that wait are admitted in order, while tokens, sequences and the
 *     blocks of their first chunk are left.
 * At its end all chunks are done, and a request with nothing left sends a token. Nothing changes
 * within a step, and a step that has begun keeps its end.
 *
 * A parked request keeps its blocks, and nothing else happens to it: its prompt has been read and
 * its KV cache is on the way to a replica that generates, or comes from one that has read it.
 *
 * Of adapters (weights.h) a request that waits is left where it is, and later ones are admitted,
 * while those that run leave no place for its own. Loads come before the step: llm_step.load_s.
 *
 * Of several models a step is of one, and they take turns: next is the one whose last step began
 * longest ago, of those that have something to do. Its requests alone have chunks; blocks and
 * sequences are those of all. A request whose model finds no place waits, and all behind it do, so
 * the requests of the models that are there come to an end, and one of them goes.
 *
 * With a prefix cache the tokens of ids that are there are not computed; ids that two requests have
 * are held once. Requests that can never fit must not come here (llm_batching_fits()). */
#pragma once
#include "sim/serving/llm/batching.h"
#include "sim/serving/llm/prefix_cache.h"
#include "sim/serving/request_lines.h"
#include "sim/serving/tally.h"

struct llm_running {
    uint32_t request, need, done, chunk;     /* chunk: of the present step; 0: not in it */
    uint32_t blocks;              /* of its own */
    uint32_t shared;              /* leading ids with the blocks of the cache */
    uint32_t set;                 /* of weights: its adapter or its model; 0: none */
    bool parked, handed;          /* handed: its next step is elsewhere */
};
struct llm_loop {
    struct llm_running *running;  /* [n] in the order of admission */
    size_t n, room;
    size_t parked;                /* of them */
    uint32_t own_blocks;          /* of all running */
    struct prefix_cache cache;
    struct weight_store weights;
    uint32_t set;                 /* the model of the present step; 0: of all requests */
    uint32_t *turns;              /* [models] the one whose step began longest ago first */
};
struct llm_loop llm_loop_of(const struct llm_batching *b);
void llm_loop_free(struct llm_loop *l);
/* Blocks that running requests hold; idle ids count as free. */
uint32_t llm_loop_used(const struct llm_loop *l, const struct llm_batching *b);
/* Chooses the chunks of a step, of those that run and of requests of `from`; n 0: none is there.
 * Counts what it preempts and leaves out into *t. */
struct llm_step llm_loop_begin(struct llm_loop *l, const struct llm_batching *b,
                               struct requests_present *p, struct request_lines *from,
                               struct tally *t);
/* The step ends at end_ns: tokens are sent, and counted into *t. */
void llm_loop_end(struct llm_loop *l, const struct llm_batching *b, struct requests_present *p,
                  int64_t end_ns, struct tally *t);
/* Removes a request that has sent all; NO_REQUEST: no other. */
uint32_t llm_loop_pop(struct llm_loop *l, struct requests_present *p);
/* Parks a request that has sent its first token and not all; NO_REQUEST: no other. */
uint32_t llm_loop_park(struct llm_loop *l, const struct requests_present *p);
/* Takes a request with a prompt that was read elsewhere, parked; false: no room for it. */
bool llm_loop_receive(struct llm_loop *l, const struct llm_batching *b,
                      const struct requests_present *p, uint32_t request);
/* A parked request is there, or its KV cache is elsewhere; false: it is not parked here. */
bool llm_loop_resume(struct llm_loop *l, uint32_t request);
bool llm_loop_forget(struct llm_loop *l, const struct requests_present *p, uint32_t request);
/* The replica stops: removes any request; NO_REQUEST: none is left. */
uint32_t llm_loop_take_away(struct llm_loop *l, struct requests_present *p);
