/* engine.h - LLM services for tests, on engines that run step by step. */
#pragma once
#include "sim/serving/llm/ranks.h"
#include "tests/serving/served.h"

#define MODEL "llama-3.1-8b"

__attribute__((unused)) static struct llm_batching batching_of(const char *model, const char *gpu, uint32_t tensor, uint32_t blocks)
{
    const struct llm_shape *m = llm_shape_find(model);
    const struct llm_gpu *g = llm_gpu_find(gpu);
    return (struct llm_batching){ .law = llm_law_of(m, g, LLM_GRAPHS, tensor, 1, 2),
                                  .ranks = 1, .sequences = 128,
                                  .budget = 2048,
                                  .block = 16,
                                  .blocks = blocks ? blocks : (uint32_t)(llm_kv_tokens(m, g, tensor, 1, 1, 2, .9, 1.238e9, 16) / 16),
                                  .weight_bytes = 2 * m->all };
}

__attribute__((unused)) static struct service service_of(const struct llm_batching *b, const struct request_list *l)
{
    struct service s = service_default();
    s.name = "llm";
    s.mode = SERVICE_REQUESTS;
    s.dispatch = DISPATCH_JSQ;
    s.timeout_s = INFINITY;
    s.time.kind = TIME_ENGINE;
    s.time.engine = *b;
    s.demand.replay = l;
    s.slo.latency_s = INFINITY;
    return s;
}

__attribute__((unused)) static void near(double got, double want, double relative)
{
    if (!(fabs(got - want) <= relative * fabs(want)))
        fail_msg("want %.9g within %.3g of itself, got %.9g", want, relative, got);
}

/* All of a list, on so many replicas. */
__attribute__((unused)) static struct serving_figures all_of(const struct service *s, uint32_t replicas)
{
    return served(s, 1, replicas, 1, 0, 1e6);
}

__attribute__((unused)) static struct service poisson(const struct llm_batching *b, enum service_mode mode, double rate)
{
    struct service s = service_of(b, NULL);
    s.mode = mode;
    s.demand.rate = rate;
    s.demand.prompt_tokens = (struct law)LAW_OF(LAW_FIXED, 1155);
    s.demand.output_tokens = (struct law)LAW_OF(LAW_FIXED, 211);
    return s;
}
