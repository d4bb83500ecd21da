/* step_law.h - how long one forward pass of an LLM replica takes: models.md 4.8.
 *
 * A *step* handles P new prompt tokens (all chunks in it) and B sequences in decode, with contexts
 * of S tokens together. A is the sum over the chunks of chunk x (tokens already there + chunk/2):
 * the pairs that attention has to compute. T = P + B. t GPUs share each layer (tensor parallelism).
 *
 *   mem  = bytes of the weights that the step reads / (t W eta_w)
 *   cmp  = 2 N_a T / (t F eta_c)
 *   gpu  = sqrt(mem^2 + cmp^2) + kv S/(min(t, KV heads) W eta_kv) + 4 Q L A/(t F eta_a)
 *          + [t > 1] 2 L (alpha + 2 (t-1)/t x 2 H T/(K eta_l))
 *   host = o_step + s (o_layer L + o_seq B)
 *   step = ((gpu/speed)^h + host^h)^(1/h)
 *
 * With data-parallel attention on n > 1 ranks of t GPUs (a mixture of experts; one rank: as above)
 * every rank has its own P, B, S, A and all weights but those of the experts, of which it has 1/n
 * for the T' tokens of all ranks:
 *   mem = bytes read of (N_r - N_e) / (t W eta_w) + of the experts / (t n W eta_w)
 *   cmp = 2 ((N_r - N_e) T + N_e k/E T'/n) / (t F eta_c)
 *   L (alpha + 2 (n-1)/n x 2 H T'/(K eta_l))  in place of the all-reduces of t: dispatch, combine
 *
 * The 2-norm is a smooth roofline. h = 1: the host works after the GPU; larger: beside it. Of a
 * mixture of experts (E of them, k chosen by a token, N_e parameters in all of them) a step of T
 * tokens reads the experts with the probability 1 - (1 - k/E)^T each, and a token uses k/E.
 *
 * In a pipeline of n stages of t GPUs, each with L/n layers, a step is a round in which every request
 * passes every stage once. The requests of the step are in m = min(n, requests) equal parts at a
 * time, so a stage works for m of n turns and a round takes as long as one part on all stages:
 *   gpu  = gpu of a part (P/m, B/m, S/m, A/m) + n (alpha + 2 H T/m / link)
 *   host = n o_step + s (o_layer L + o_seq B n/m)
 *
 * A linear law, a + b P + c B + d S, may be given instead; all of it is time of the GPU.
 *
 * With low-rank adapters (weights.h), of which D different ones serve T_a of the tokens, the
 * matrices of each are read once a step, and gpu has in addition
 *   min(1, D) calls + sqrt((adapter D)^2 + (adapter_cmp T_a)^2)
 * D may be a mean, below 1 where a step has one at times.
 * What is loaded before the step lengthens it and is time of neither the GPU nor the host.
 *
 * Seconds, bytes, FLOP; F, W and K of one GPU and per second. Laws have no zero: mem is above 0. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct llm_shape {                /* of a model */
    const char *name;
    double layers, hidden;        /* L, H */
    double query;                 /* Q: heads x head size */
    double kv_heads, head;
    double read, all;             /* parameters: read in a step (all but the input embedding); all */
    double experts, chosen, in_experts;      /* E, k, N_e; 0: dense */
    const char *source;
};
struct llm_gpu {
    const char *name;
    double flops, bandwidth, memory_bytes;   /* F, W; what the driver reports */
    double link;                  /* K, per direction, inside the replica */
    double eta_w, eta_c;          /* of engine graphs */
    double alpha_s, eta_l;        /* likewise */
    double host_factor;           /* s of engine eager: of hosts that come with this GPU */
    const char *source;
};
enum llm_engine { LLM_GRAPHS, LLM_EAGER, LLM_ENGINES };
extern const char *const llm_engine_name[LLM_ENGINES + 1];     /* ends with NULL */
extern const struct llm_shape llm_shapes[];                  /* both end with a NULL name */
extern const struct llm_gpu llm_gpus[];
const struct llm_shape *llm_shape_find(const char *name);    /* NULL: not known */
const struct llm_gpu *llm_gpu_find(const char *name);
double llm_kv_bytes(const struct llm_shape *m);              /* of a token of context, in 16 bits */

struct llm_law {                  /* the coefficients of the equations above */
    double dense_s, experts_s, missed;       /* mem = dense + experts (1 - missed^T') */
    double cmp_s, experts_cmp_s;             /* cmp = cmp T + experts_cmp T' */
    double kv_s, attention_s;
    double exchange_s, exchanged_token_s;    /* between GPUs, of T' tokens */
    double host_s, host_sequence_s, norm;
    bool linear;                  /* dense a, prompt b, sequence c, kv d */
    double prompt_s, sequence_s;
    double stages;                /* n of a pipeline; 0: none */
    double hop_s, hop_token_s;    /* of a round, from stage to stage */
    double adapter_s, adapter_cmp_s, adapter_calls_s;
};
/* P, B, S, A; others: T' - T. drawn: a step as one sequence finds it, beside B + others, which are
 * means of Poisson numbers: the experts read are their mean, 1 - (1 - k/E)^(P+1) e^(-(B+others) k/E) */
/* requests: that have a part in it; for a pipeline alone */
/* adapters, adapter_tokens, load_s: D, T_a; what is loaded before */
struct llm_step {
    double prompt, decoding, context, pairs, others;
    bool drawn;
    double requests, adapters, adapter_tokens, load_s;
};
/* gpu_s: gpu/speed. read_s, work_s: reading weights and KV cache, and all of gpu, at full speed. */
struct llm_time { double gpu_s, step_s, read_s, work_s; bool prompt; };

/* weight_bytes: of a parameter, 2 or 1. tensor: t >= 1. ranks: n >= 1, of a dense model 1. */
struct llm_law llm_law_of(const struct llm_shape *m, const struct llm_gpu *g, enum llm_engine e,
                          uint32_t tensor, uint32_t ranks, double weight_bytes);
/* On GPUs at a clock, a part of the full one: computing takes 1/clock as long (cmp, attention; of a
 * linear law b), memory, links and the host as long as ever. */
struct llm_law llm_law_at_clock(const struct llm_law *l, double clock);
/* The same on so many stages, with that bandwidth from one to the next; 0: of the links of the GPU.
 * n 1: nothing changes. A law of one rank. */
void llm_law_pipeline(struct llm_law *l, const struct llm_shape *m, const struct llm_gpu *g,
                      enum llm_engine e, uint32_t stages, double bytes_per_s);
/* parameters: of an adapter, as they are stored. per_gpu: of them, on each GPU that shares a layer,
 * of all layers: more than its part where a matrix is on each GPU. */
struct llm_adapter_size { double parameters, per_gpu; };
/* Of that rank, on the four projections of attention: query, key, value, output. Of the two
 * matrices of each the dimension that the projection shares among GPUs is shared, the other is whole. */
struct llm_adapter_size llm_adapter_size_of(const struct llm_shape *m, uint32_t rank,
                                            uint32_t tensor);
/* Adds their cost to a law of as many GPUs; 16 bits a parameter. */
void llm_law_adapters(struct llm_law *l, const struct llm_shape *m, const struct llm_gpu *g,
                      enum llm_engine e, const struct llm_adapter_size *a);
struct llm_law llm_law_linear(double a_s, double b_s, double c_s, double d_s);
struct llm_time llm_time_of(const struct llm_law *l, const struct llm_step *step, double speed);
/* What each GPU draws in a step that takes step_s, as a part of its TDP: models.md 9.
 *   .30 + .57 read/step; with new prompt tokens no less than .30 + .70 work/step; at most 1 */
double llm_step_power(const struct llm_time *t, double step_s);
/* Tokens of context that fit, on a rank, beside the weights and `reserve_bytes` of each GPU, in
 * whole blocks; 0: none. */
double llm_kv_tokens(const struct llm_shape *m, const struct llm_gpu *g, uint32_t tensor,
                     uint32_t stages, uint32_t ranks, double weight_bytes, double utilisation,
                     double reserve_bytes, uint32_t block);
