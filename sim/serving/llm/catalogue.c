/* catalogue.c - models and GPUs of step_law.h: models.md 4.8 has the tables and the sources. */
#include "sim/serving/llm/step_law.h"

#include <string.h>

/* config.json of each model [V]. read: without the input embedding, but a tied one counts. */
/* clang-format off */
const struct llm_shape llm_shapes[] = {
    /* name            L    H      Q      kv   d    read       all        E    k  in experts */
    { "llama-3.1-8b",  32,  4096,  4096,  8,   128, 7.505e9,   8.03e9,    0,   0, 0,       "[V] config.json" },
    { "llama2-70b",    80,  8192,  8192,  8,   128, 68.71e9,   68.98e9,   0,   0, 0,       "[V] config.json" },
    { "llama-3.1-70b", 80,  8192,  8192,  8,   128, 69.50e9,   70.55e9,   0,   0, 0,       "[V] config.json" },
    { "qwen3-32b",     64,  5120,  8192,  8,   128, 31.98e9,   32.76e9,   0,   0, 0,       "[V] config.json" },
    { "qwen3-30b-a3b", 48,  2048,  4096,  4,   128, 30.22e9,   30.53e9,   128, 8, 28.99e9, "[V] config.json" },
    { "opt-13b",       40,  5120,  5120,  40,  128, 12.85e9,   12.85e9,   0,   0, 0,       "[V] config.json" },
    { "opt-66b",       64,  9216,  9216,  72,  128, 65.72e9,   65.72e9,   0,   0, 0,       "[V] config.json" },
    { "bloom-176b",    70,  14336, 14336, 112, 128, 176.25e9,  176.25e9,  0,   0, 0,       "[V] config.json" },
    { 0 },
};

/* FLOPS, bandwidths: models.md 1.1. eta_w and eta_c of A100 and H100 [D microsoft/vidur:data/profiling/compute], of the
 * two RTX [D casys-kaist/LLMServingSim:profiler/perf], of others the defaults of 4.8 [A]. alpha over NVLink [A] between
 * engines' own all-reduce (about 10e-6 s) and NCCL's (37e-6 to 62e-6 s, microsoft/vidur:data/profiling/network); eta_l of
 * A100 and H100 [D the same], of other NVLinks as of an A100 [A]; over PCIe both [D fit to a public vLLM run]. */
#define NVLINK(rate, eta) (rate), .alpha_s = 20e-6, .eta_l = (eta)
#define PCIE(rate)        (rate), .alpha_s = 163e-6, .eta_l = .67
#define GIB 0x1p30
const struct llm_gpu llm_gpus[] = {
    { "V100-SXM2-16", 125e12, 900e9, 16 * GIB, NVLINK(150e9, .64), .eta_w = .80, .eta_c = .70, .host_factor = 1, .source = "[A]" },
    { "V100-SXM2-32", 125e12, 900e9, 32 * GIB, NVLINK(150e9, .64), .eta_w = .80, .eta_c = .70, .host_factor = 1, .source = "[A]" },
    { "A100-SXM4-80", 312e12, 2039e9, 80 * GIB, NVLINK(300e9, .64), .eta_w = .75, .eta_c = .73, .host_factor = 1, .source = "[D vidur]" },
    { "A100-SXM4-40", 312e12, 1555e9, 40 * GIB, NVLINK(300e9, .64), .eta_w = .75, .eta_c = .73, .host_factor = 1, .source = "[D vidur, of the 80 GB model]" },
    { "H100-SXM5-80", 989e12, 3350e9, 80 * GIB, NVLINK(450e9, .90), .eta_w = .82, .eta_c = .665, .host_factor = .65, .source = "[D vidur]" },
    { "H200-SXM-141", 989e12, 4800e9, 141 * GIB, NVLINK(450e9, .90), .eta_w = .82, .eta_c = .665, .host_factor = .65, .source = "[A] as an H100" },
    { "B200-SXM-180", 2250e12, 7700e9, 180 * GIB, NVLINK(900e9, .90), .eta_w = .80, .eta_c = .70, .host_factor = .65, .source = "[A]" },
    { "RTX-PRO-6000", 503.8e12, 1597e9, 97.9e9, PCIE(63e9), .eta_w = .85, .eta_c = .74, .host_factor = 1, .source = "[D LLMServingSim]" },
    { "RTX-4090", 165.2e12, 1008e9, 25250627584.0, PCIE(31.5e9), .eta_w = .905, .eta_c = .95, .host_factor = 1, .source = "[D LLMServingSim]" },
    { "L40S-48", 362e12, 864e9, 48 * GIB, PCIE(31.5e9), .eta_w = .80, .eta_c = .70, .host_factor = 1, .source = "[A]" },
    { "L4-24", 121e12, 300e9, 24 * GIB, PCIE(31.5e9), .eta_w = .80, .eta_c = .70, .host_factor = 1, .source = "[A]" },
    { "T4-16", 65e12, 320e9, 16 * GIB, PCIE(15.75e9), .eta_w = .80, .eta_c = .70, .host_factor = 1, .source = "[A]" },
    { "A10-24", 125e12, 600e9, 24 * GIB, PCIE(31.5e9), .eta_w = .80, .eta_c = .70, .host_factor = 1, .source = "[A]" },
    { 0 },
};
/* clang-format on */

const struct llm_shape *llm_shape_find(const char *name)
{
    for (const struct llm_shape *m = llm_shapes; m->name; m++)
        if (!strcmp(m->name, name))
            return m;
    return NULL;
}

const struct llm_gpu *llm_gpu_find(const char *name)
{
    for (const struct llm_gpu *g = llm_gpus; g->name; g++)
        if (!strcmp(g->name, name))
            return g;
    return NULL;
}
