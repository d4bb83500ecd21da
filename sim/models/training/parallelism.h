/* parallelism.h - how a transformer is trained on many GPUs: key `parallelism` of a training model.
 *
 * Tensor (tp), context (cp), pipeline (pp), data (the rest, dp) and expert (ep, inside dp)
 * parallelism, as Megatron-LM has it [P SC'21; P Korthikanti et al., MLSys 2023]; models.md 2.8.
 *
 *     models:
 *       - { name: mine, parallelism: { tp: 8, pp: 16, dp: rest, layers: 126, hidden: 16384,
 *           seq: 8192, vocab: 128256, batch_sequences: 2048, interleave: 8, style: overlapped } }
 *
 * Counts are whole numbers, tokens and parameters may be more than fit 32 bits: doubles. */
#pragma once
#include "sim/io/config.h"

#include <stdbool.h>
#include <stdint.h>

struct parallelism {
    uint32_t tp, cp, pp, ep;      /* tp 0: the model has none of this */
    uint32_t layers, interleave;  /* interleave: stages of a pipeline that each of its GPUs holds */
    double hidden, vocab, seq;
    double kv_width;              /* KV heads x their size; 0: hidden */
    double batch_sequences;       /* of the whole job, in an iteration */
    double micro_batch;           /* sequences at a time */
    double params;                /* of the model; 0: by parallelism_params() */
    bool full_recompute;          /* forward again before backward; false: activations are kept */
    bool zero3;                   /* parameters, too, are spread over dp */
    double gradient_bytes;        /* of a parameter, that dp reduces */
    double overlap_tp, overlap_dp, overlap_pp;    /* share of that traffic that computing hides */
    /* experts 0: dense; params: of all experts */
    struct { uint32_t experts, chosen, layers; double params; } moe;
};

/* SC'21: gradients in FP32, nothing of tp and dp is hidden, activations computed again. */
extern const struct parallelism parallelism_plain;
/* 0, or -1 with err; *p has what holds for keys that are absent. tp and pp: given without. */
int parallelism_read(struct config_value v, struct parallelism *p, struct error *err);
/* Of a GPT: L (12 H^2 + 13 H) + (V + s) H. [P SC'21, section 5.1] */
double parallelism_params(const struct parallelism *p);
double parallelism_active_params(const struct parallelism *p);    /* that a token goes through */
