/* flow.h - one LLM replica in equilibrium: models.md 4.10.
 *
 * Poisson arrivals of `rate` a second, prompts of p tokens, of which prefix_share need not be
 * computed, and o tokens of output. t0 is the step with B sequences in decode of S tokens together,
 * t1 that with B + 1, as a sequence sees it; Delta what a prompt adds to steps, with 1 + rate step
 * prompts in each, as far as they fit in the budget:
 *   step  = t1 + rate step Delta
 *   B     = rate (o - 1) token,  S = B (p + o/2)
 *   token = step, and what prompts that wait when its own is read add
 *   first = what is left of the step that it finds, others before it, t0 + Delta
 *   end   = first + (o - 1) token
 * Of n ranks (ranks.h) each has B = rate/n (o - 1) token, and a prompt on any of them lengthens the
 * step of all.
 * In pools (handover.h) `rate` is that of a replica in the mean of both. One that reads prompts has
 * o = 1; one that generates has steps without prompts, and a request waits for half of one, and for
 * its KV cache, before its second token:
 *   token = t1 + (move + t1/2)/(o - 1)
 * A request takes steps for itself: its tokens over the budget, its slots over max_num_seqs, its KV
 * cache over that of the rank, whichever is most; the largest rate is 1/(Delta + that t0).
 * busy: not idle, where no prompt is read (M/G/1) and no sequence runs (M/G/infinity); gpu = busy x
 * the share of the steps that is time of the GPU; tdp = what llm_step_power() says of steps with a
 * chunk and of those without, for as long as there are such. Means alone: quantiles of the first
 * token need the loop. */
#pragma once
#include "sim/serving/llm/batching.h"

struct llm_flow {
    double token_s, first_s, end_s;
    double found_s;               /* L of models.md 4.10: the step that an arrival finds */
    double running, context;      /* B, S */
    double busy, gpu;             /* shares of the time */
    double tdp;                   /* of the power of its steps over the TDP, mean of the time */
};
/* rate: below llm_flow_most(); speed as in step_law.h */
struct llm_flow llm_flow_of(const struct llm_batching *b, double prompt, double output, double rate,
                            double speed);
/* All sequences run: at the largest rate, without a wait. */
struct llm_flow llm_flow_full(const struct llm_batching *b, double prompt, double output,
                              double speed);
/* Requests per second, at most. Of several models (loop.h), which only this knows, with all of them
 * there: in rounds of a step of each. */
double llm_flow_most(const struct llm_batching *b, double prompt, double output, double speed);
