/* service_time.h - how long a replica takes for requests that it serves together: models.md 4.2.
 *
 * Batches: k requests begin and end together, after t0 + t1 k seconds. A batch begins when the
 * replica is free and as many requests wait as a batch may have, or the oldest has waited for
 * window_s.
 *
 * LLM: continuous batching. A prompt is read (prefill) in prompt x a seconds, a = 2 N/(FLOPS x
 * efficiency): it uses all arithmetic, so a replica reads one prompt at a time. Then `output`
 * tokens are generated (decode), beside those of the other sequences and beside the next prefill.
 * With k sequences in decode and weights = N x bytes, one token of each takes
 *   d(k) = max(weights/bandwidth, 2 N k/(FLOPS x efficiency)) + k kv_bytes context/bandwidth
 * so remaining times change with k. A sequence holds its part of the memory from the start of its
 * prefill: at most floor((memory x usable - weights)/(kv_bytes x context)) sequences at once. */
#pragma once
#include "sim/serving/llm/batching.h"

struct batch_model { double t0_s, t1_s, window_s; uint32_t max; }; /* max: requests of a batch */
extern const struct batch_model batch_cnn_v100;              /* 4 ms + 1 ms k, at most 32, 5 ms */

double batch_s(const struct batch_model *b, double k);
/* requests per second of one replica: max / s(max) */
double batch_capacity(const struct batch_model *b);

struct llm_model {
    double parameters, parameter_bytes;      /* N; 2 for fp16 */
    double flops, efficiency;                /* dense, per second; the share that is reached: 0.5 */
    double memory_bytes, usable; /* of all GPUs of the replica; the share that may be filled: 0.9 */
    double bandwidth;                        /* of the memory, bytes per second */
    double kv_bytes;                         /* per token of context */
    double context;                          /* tokens for which a sequence holds memory */
};
extern const struct llm_model llm_7b_a100;   /* 7e9 parameters in fp16 on an A100-SXM4-80 */

double   llm_prefill_s(const struct llm_model *m, double prompt_tokens);
double   llm_token_s(const struct llm_model *m, double k);   /* d(k), k >= 1 */
uint32_t llm_sequences(const struct llm_model *m); /* at most, at once; 0: the weights do not fit */
