/* service_time.c - see service_time.h. */
#include "sim/serving/service_time.h"

#include <math.h>

/* ---- batches ---- */

const struct batch_model batch_cnn_v100 = {
    .t0_s = .004, .t1_s = .001, .window_s = .005, .max = 32
};

double batch_s(const struct batch_model *b, double k)
{
    return b->t0_s + b->t1_s * k;
}

double batch_capacity(const struct batch_model *b)
{
    return b->max / batch_s(b, b->max);
}

/* ---- LLM ---- */

/* A100-SXM4-80: models.md 1.1, 80 GiB. A cache of 2 x 32 layers x 4096 x 2 bytes a token, as in
 * Llama 2 7B (Touvron et al., 2023). */
const struct llm_model llm_7b_a100 = {
    .parameters = 7e9,
    .parameter_bytes = 2,
    .flops = 312e12,
    .efficiency = .5,
    .memory_bytes = 80 * 0x1p30,
    .usable = .9,
    .bandwidth = 2039e9,
    .kv_bytes = 524288,
    .context = 4096,
};

double llm_prefill_s(const struct llm_model *m, double prompt_tokens)
{
    return prompt_tokens * 2 * m->parameters / (m->flops * m->efficiency);
}

double llm_token_s(const struct llm_model *m, double k)
{
    double weights_s = m->parameters * m->parameter_bytes / m->bandwidth,
           arithmetic_s = llm_prefill_s(m, k);
    return fmax(weights_s, arithmetic_s) + k * m->kv_bytes * m->context / m->bandwidth;
}

uint32_t llm_sequences(const struct llm_model *m)
{
    double left = m->memory_bytes * m->usable - m->parameters * m->parameter_bytes;
    double max = floor(left / (m->kv_bytes * m->context));
    return max < 1 ? 0 : max > 1e6 ? 1000000 : (uint32_t)max;
}
