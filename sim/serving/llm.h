/* llm.h - a replica that generates text, with continuous batching: models.md 4.2.
 *
 * A prompt is read (prefill) in prompt x a seconds, a = 2 N/(FLOPS x efficiency): the whole of the arithmetic is at work, so
 * a replica reads one prompt at a time. Then `output` tokens are made (decode), beside those of the other sequences and
 * beside the next prefill. With k sequences in decode one token of each takes
 *   d(k) = max(weights/bandwidth, 2 N k/(FLOPS x efficiency)) + k kv_bytes context/bandwidth,   weights = N x bytes
 * and all are re-timed when k changes. A sequence holds its part of the memory from the beginning of its prefill: at most
 * floor((memory x usable - weights)/(kv_bytes x context)) do. */
#pragma once
#include <stdint.h>

struct llm_model {
    double parameters, parameter_bytes;      /* N; 2 of fp16 */
    double flops, efficiency;                /* dense, per second; the part of it that is reached: 0.5 */
    double memory_bytes, usable;             /* of the replica's GPUs together; the part that may be filled: 0.9 */
    double bandwidth;                        /* of the memory, bytes per second */
    double kv_bytes;                         /* per token of context */
    double context;                          /* tokens that a sequence is counted with */
};
extern const struct llm_model llm_7b_a100;   /* 7e9 parameters in fp16 on an A100-SXM4-80 */

double   llm_prefill_s(const struct llm_model *m, double prompt_tokens);
double   llm_token_s(const struct llm_model *m, double k);   /* d(k), k >= 1 */
uint32_t llm_sequences(const struct llm_model *m);           /* at once; 0: the weights do not even fit */
