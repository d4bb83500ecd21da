/* batching.h - the settings of one engine, which serves the requests of a replica step by step:
 * models.md 4.9. */
#pragma once
#include "sim/serving/llm/weights.h"
#include "sim/serving/llm/step_law.h"

#define PREFIX_TOKENS 512         /* of the prompt, for each id of a recorded request */

/* Replicas that read prompts and replicas that generate: models.md 4.11. */
struct llm_pools {
    uint32_t prefill, decode;     /* of every prefill + decode replicas; 0, 0: each does both */
    double bytes_per_s, setup_s;  /* of the KV cache from one to the other: transfers.h */
    bool bytes_per_s_said;        /* else links of a cluster that are known go before it */
    double kept;                  /* share of its bytes that is not sent while the prompt is read */
    double token_bytes;           /* of a token of context, of all GPUs */
};
struct llm_adapters {             /* low-rank adapters of the model: models.md 4.12 */
    uint32_t n;                   /* 0: none */
    double zipf;                  /* popularity: adapter k in proportion to k^-zipf */
    double base_share;            /* of the requests, for no adapter */
    const double *popular;        /* [n] of the requests with one, share of each; for flow.h, which
                                     wants slots >= n; NULL: not known */
};
/* Several models: models.md 4.13. A step is of one of them. */
struct llm_served {
    const char *name;
    struct llm_law law;
    uint32_t block;               /* its tokens in a block of KV cache */
    double token_bytes;           /* as that of llm_pools */
    double share;                 /* of the requests that are drawn: a weight */
};
struct llm_models {
    uint32_t n;                   /* at most SERVED_MODELS; 0: one, that of llm_batching */
    const struct llm_served *of;  /* [n] */
    const uint32_t *recorded;     /* which of them, from 1, a recorded name is; NULL: drawn */
};
enum { SERVED_MODELS = 64 };
struct llm_batching {
    struct llm_law law;
    uint32_t sequences;           /* max_num_seqs: running at once on a rank, at most */
    uint32_t budget;              /* max_num_batched_tokens: of a step of a rank, at most */
    uint32_t block;               /* tokens of a block of KV cache */
    uint32_t blocks;              /* of a rank; 0: the weights do not fit */
    uint32_t ranks;               /* that step together, at most LLM_RANKS_MAX: see ranks.h */
    bool prefix_cache;            /* by the ids of recorded requests */
    double prefix_share;          /* in [0, 1): part of each prompt that need not be computed */
    double weight_bytes;          /* of all GPUs; a start loads them */
    struct llm_pools pools;
    struct weight_places weights; /* of its adapters or its models: one of the two */
    struct llm_adapters adapters;
    struct llm_models models;
};
enum { LLM_RANKS_MAX = 256 };
static inline double llm_batching_blocks(const struct llm_batching *b)     /* of the replica */
{
    return (double)b->blocks * b->ranks;
}
static inline bool llm_batching_splits(const struct llm_batching *b)
{
    return b->pools.prefill > 0;
}
/* Of requests with that set of weights. */
static inline const struct llm_law *llm_batching_law(const struct llm_batching *b, uint32_t set)
{
    return b->models.n ? &b->models.of[set - 1].law : &b->law;
}
static inline uint32_t llm_batching_block(const struct llm_batching *b, uint32_t set)
{
    return b->models.n ? b->models.of[set - 1].block : b->block;
}
static inline double llm_batching_token_bytes(const struct llm_batching *b, uint32_t set)
{
    return b->models.n ? b->models.of[set - 1].token_bytes : b->pools.token_bytes;
}
/* As if a replica had but one of its models, k from 0. */
static inline struct llm_batching llm_batching_of_model(const struct llm_batching *b, uint32_t k)
{
    struct llm_batching one = *b;
    one.law = b->models.of[k].law;
    one.block = b->models.of[k].block;
    one.pools.token_bytes = b->models.of[k].token_bytes;
    one.models = (struct llm_models){ 0 };
    one.weights = (struct weight_places){ 0 };
    return one;
}
/* Tokens that a request may hold, prompt and output, but for the last one, which is only sent. */
static inline bool llm_batching_fits(const struct llm_batching *b, uint32_t prompt, uint32_t output,
                                     uint32_t set)
{
    return (uint64_t)prompt + output - 1 <= (uint64_t)b->blocks * llm_batching_block(b, set);
}
