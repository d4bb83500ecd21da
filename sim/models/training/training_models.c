/* training_models.c - see training_models.h. */
#include "sim/models/training/training_models.h"

#include "sim/base/memory.h"

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

const char *const rate_model_name[RATE_MODELS + 1] = { "none", "analytic", "table", "factor",
                                                       "3d", NULL };
const char *const rate_model_choice[] = { "none", "analytic", "table", "factor", NULL };

struct training_models {
    struct training_model *own;
    size_t n_own, capacity;
    struct arena *texts;
};

struct training_models *training_models_new(void)
{
    struct training_models *t = mem_new(1, sizeof *t);
    t->texts = arena_new();
    return t;
}

void training_models_free(struct training_models *t)
{
    if (!t)
        return;
    arena_free(t->texts);
    free(t->own);
    free(t);
}

static const struct training_model *training_model_at(const struct training_models *t, uint32_t i)
{
    size_t own = t ? t->n_own : 0;
    if (i < own)
        return &t->own[i];
    const struct training_model *m = training_catalogue;
    for (size_t left = i - own; m->name && left > 0; left--)
        m++;
    return m->name ? m : NULL;
}

/* ---- by name ---- */

static const char *next_letter(const char *at, const char *end)
{
    while (at < end && (*at == '-' || *at == '_' || *at == ' '))
        at++;
    return at;
}

static bool same_name(const char *a, const char *a_end, const char *b, const char *b_end)
{
    for (;; a++, b++) {
        a = next_letter(a, a_end);
        b = next_letter(b, b_end);
        if (a == a_end || b == b_end)
            return a == a_end && b == b_end;
        if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
            return false;
    }
}

bool training_names_same(const char *a, size_t a_length, const char *b)
{
    return same_name(a, a + a_length, b, b + strlen(b));
}

static bool is_called(const struct training_model *m, const char *name, const char *end)
{
    if (same_name(m->name, m->name + strlen(m->name), name, end))
        return true;
    for (const char *alias = m->aliases; alias;
         alias = strchr(alias, '|') ? strchr(alias, '|') + 1 : NULL)
        if (same_name(alias, alias + strcspn(alias, "|"), name, end))
            return true;
    return false;
}

static const struct training_model *called(const struct training_models *t, const char *name,
                                           const char *end)
{
    const struct training_model *m;
    for (uint32_t i = 0; (m = training_model_at(t, i)); i++)
        if (is_called(m, name, end))
            return m;
    return NULL;
}

bool training_model_find(const struct training_models *t, const char *name,
                         struct training_model *found)
{
    static const char batch_is[] = "(batch size ";
    const char *end = name + strlen(name),
               *bracket = end > name && end[-1] == ')' ? strrchr(name, '(') : NULL;
    const struct training_model *m = called(t, name, end);
    if (!m && bracket)
        m = called(t, name, bracket);
    if (!m)
        return false;
    *found = *m;
    double batch = bracket && !strncmp(bracket, batch_is, sizeof batch_is - 1)
                       ? strtod(bracket + sizeof batch_is - 1, NULL)
                       : 0;
    if (batch > 0 && m->batch > 0) {
        found->compute_s *= m->fixed_share + (1 - m->fixed_share) * batch / m->batch;
        found->input_cpu_s *= batch / m->batch;
        found->parallel.batch_sequences *= batch / m->batch;
        found->batch = batch;
        found->memory_gib = batch == m->batch ? m->memory_gib : 0;
    }
    return true;
}

double training_model_memory_gib(const struct training_model *m)
{
    return m->memory_gib > 0 ? m->memory_gib
                             : 16 * m->params / m->tensor_parallel / m->pipeline_parallel / 0x1p30;
}

/* ---- section `models` ---- */

#define V100_FLOPS             125e12
#define DECODER_MFU            0.40
#define DECODER_S(n, tokens)   (6 * (n) * (tokens) / (V100_FLOPS * DECODER_MFU))
/* a + b n, and a as a part of it */
#define FIT_S(a, b, n)          .batch = (n), .compute_s = (a) + (b) * (n), .fixed_share = (a) / ((a) + (b) * (n))
#define FP32                   4
#define FP16                   2

struct file_model {
    struct training_model m;
    double params_m, gradient_mb, all_to_all_mb;
    struct config_value like, aliases, parallelism;
    int progress;
};
/* clang-format off */
#define MODEL(field) offsetof(struct file_model, field)
static const struct config_key keys[] = {
    { .name = "name",              .type = CONFIG_TEXT,  .at = MODEL(m.name), .required = true },
    { .name = "like",              .type = CONFIG_TEXT,  .at = MODEL(m.source) },    /* see defaults_from() */
    { .name = "aliases",           .type = CONFIG_LIST,  .at = MODEL(aliases) },
    { .name = "params_m",          .type = CONFIG_REAL,  .at = MODEL(params_m), .most = 1000000000 },
    { .name = "gradient_mb",       .type = CONFIG_REAL,  .at = MODEL(gradient_mb), .most = 1000000000 },
    { .name = "all_to_all_mb",     .type = CONFIG_REAL,  .at = MODEL(all_to_all_mb), .most = 1000000000 },
    { .name = "batch",             .type = CONFIG_REAL,  .at = MODEL(m.batch), .most = 1000000000 },
    { .name = "global_batch",      .type = CONFIG_FLAG,  .at = MODEL(m.global_batch) },
    { .name = "compute_s",         .type = CONFIG_REAL,  .at = MODEL(m.compute_s), .above_least = true, .most = 1000000000 },
    { .name = "fixed_share",       .type = CONFIG_REAL,  .at = MODEL(m.fixed_share), .most = 1 },
    { .name = "input_cpu_s",       .type = CONFIG_REAL,  .at = MODEL(m.input_cpu_s), .most = 1000000000 },
    { .name = "tensor_parallel",   .type = CONFIG_COUNT, .at = MODEL(m.tensor_parallel), .least = 1, .most = 64 },
    { .name = "pipeline_parallel", .type = CONFIG_COUNT, .at = MODEL(m.pipeline_parallel), .least = 1, .most = 10000 },
    { .name = "parallelism",       .type = CONFIG_MAPPING, .at = MODEL(parallelism) },
    { .name = "memory_gib",        .type = CONFIG_REAL,  .at = MODEL(m.memory_gib), .most = 1000000 },
    { .name = "progress",          .type = CONFIG_CHOICE, .at = MODEL(progress), .words = rate_model_choice },
    { .name = "communication",     .type = CONFIG_TEXT,  .at = MODEL(m.communication) },
    { 0 },
};
/* clang-format on */

static const struct config_key as_text = { .type = CONFIG_TEXT };

static int defaults_from(const struct training_models *t, struct config_value entry,
                         struct file_model *f, struct error *err)
{
    struct config_value like = config_look(entry, "like"),
                        from = config_given(like) ? like : config_look(entry, "name");
    const char *name = NULL;
    f->m = (struct training_model){ .tensor_parallel = 1,
                                    .pipeline_parallel = 1,
                                    .communication = "not said" };
    if (!config_given(from))
        return 0;
    if (config_scalar(from, &as_text, &name, err))
        return -1;
    if (!training_model_find(t, name, &f->m))
        return config_given(like)
                   ? config_error(like, err, "no training model '%s' is known here", name)
                   : 0;
    f->params_m = f->m.params / 1e6;
    f->gradient_mb = f->m.gradient_bytes / 1e6;
    f->all_to_all_mb = f->m.all_to_all_bytes / 1e6;
    f->m.aliases = config_given(like) ? NULL : f->m.aliases;
    return 0;
}

static int read_aliases(struct training_models *t, struct config_value list,
                        struct training_model *m, struct error *err)
{
    struct config_walk w = { .of = list };
    for (struct config_value v; config_next(&w, &v);) {
        const char *alias = NULL, *before = m->aliases ? m->aliases : "";
        if (config_scalar(v, &as_text, &alias, err))
            return -1;
        if (strchr(alias, '|'))
            return config_error(v, err, "want a name without '|', got '%s'", alias);
        size_t size = strlen(before) + strlen(alias) + 2;
        char *all = arena_alloc(t->texts, size);
        strcat(strcat(strcpy(all, before), *before ? "|" : ""), alias);
        m->aliases = all;
    }
    return 0;
}

/* What 2.2 and memory want of a model follows from its parallelism, where the entry does not say it:
 * as of the GPT rows of the catalogue. */
static void follow_parallelism(struct config_value entry, struct file_model *f)
{
    const struct parallelism *p = &f->m.parallel;
    double params = parallelism_params(p), tokens = p->batch_sequences * p->seq;
    f->m.tensor_parallel = p->tp;
    f->m.pipeline_parallel = p->pp;
    if (!config_given(config_look(entry, "params_m")))
        f->params_m = params / 1e6;
    if (!config_given(config_look(entry, "gradient_mb")))
        f->gradient_mb = params * FP16 / 1e6;
    if (!config_given(config_look(entry, "batch"))) {
        f->m.batch = tokens;
        f->m.global_batch = true;
    }
    if (!config_given(config_look(entry, "compute_s")))
        f->m.compute_s = DECODER_S(params, tokens);
}

static int read_parallelism(struct config_value entry, struct file_model *f, struct error *err)
{
    struct config_value split[] = { config_look(entry, "tensor_parallel"),
                                    config_look(entry, "pipeline_parallel") };
    if (!config_given(f->parallelism)) {
        for (unsigned i = 0; i < 2 && f->m.parallel.tp; i++)
            if (config_given(split[i]))
                return config_error(split[i], err, "this model has 'parallelism': want tp and pp there");
        return 0;
    }
    for (unsigned i = 0; i < 2; i++)
        if (config_given(split[i]))
            return config_error(split[i], err, "want tp and pp of 'parallelism' alone");
    if (!f->m.parallel.tp)
        f->m.parallel = parallelism_plain;
    if (parallelism_read(f->parallelism, &f->m.parallel, err))
        return -1;
    follow_parallelism(entry, f);
    return 0;
}

static int read_model(struct training_models *t, struct config_value entry, struct error *err)
{
    struct file_model f = { .m = { .name = NULL }, .progress = -1 };
    if (defaults_from(t, entry, &f, err) || config_fields(entry, keys, &f, err) ||
        read_parallelism(entry, &f, err))
        return -1;
    if (f.progress >= 0)
        f.m.progress = (uint8_t)(f.progress + 1);
    if (f.m.compute_s <= 0)
        return config_error(
            entry, err,
            "model '%s': want 'compute_s', of an iteration on a V100, 'parallelism', or a model it is 'like'",
            f.m.name);
    if (read_aliases(t, f.aliases, &f.m, err))
        return -1;
    f.m.params = f.params_m * 1e6;
    f.m.gradient_bytes = f.gradient_mb * 1e6;
    f.m.all_to_all_bytes = f.all_to_all_mb * 1e6;
    f.m.name = arena_text(t->texts, f.m.name, strlen(f.m.name));
    f.m.communication = arena_text(t->texts, f.m.communication, strlen(f.m.communication));
    f.m.source = "cluster file";
    mem_grow(&t->own, &t->capacity, t->n_own, sizeof *t->own);
    t->own[t->n_own++] = f.m;
    return 0;
}

int training_models_read(struct training_models *t, struct config_value list, struct error *err)
{
    struct config_walk w = { .of = list };
    for (struct config_value entry; config_next(&w, &entry);)
        if (read_model(t, entry, err))
            return -1;
    return 0;
}

/* ---- the catalogue ---- */

/* models.md 2.3. Tags as in cluster/catalogue.c; [K]: general knowledge of the source named, not
 * looked up again.
 *
 * compute_s: measured rows [R stanford-futuredata/gavel:scheduler/simulation_throughputs.json, one
 *     V100]; transformers by 6 x parameters x tokens over 125 TFLOPS at 40 % (decoders) [A; 41 %
 *     at 16K H100 is reported in P: Llama 3 report]; the three of adaptdl from fits of their step
 *     times on a 2080Ti, which trains as fast as a V100 [D: least squares, R
 *     siasosp23/artifacts:adaptdl/sched/traces].
 * fixed_share: [D: least squares of log time over batches, one P100, the same table; of adaptdl's
 *     fits their constant], else 0 [A].
 * params of LM and Transformer: [D: sizes in stanford-futuredata/gavel:workloads/pytorch, 200 wide
 *     and 33,278 words; 512 wide, 6 + 6 layers, about 3,000 words of each language [K]].
 * memory_gib: [R S-Lab-System-Group/Lucid:simulation/analyzer/single_data.csv], where the batch is
 *     that of the row.
 * GPT-3-like: split over GPUs as in Narayanan et al., SC'21, table 1, nearest size [K]; the batch
 *     of 4M tokens is that of the whole job.
 * DLRM: 26 tables (Criteo) of vectors of 64 numbers in FP32 [A]; the tables themselves are not
 *     reduced. */
#define ONE_GPU_A_COPY         .tensor_parallel = 1, .pipeline_parallel = 1
#define SPLIT(tensor, stages)  .tensor_parallel = (tensor), .pipeline_parallel = (stages)
/* As SC'21 trained them: vocabulary 51,200, sequences of 2,048, micro-batches of 4 without stages, 1
 * with. */
#define GPT(tensor, stages, of_layers, of_hidden)                                                \
    SPLIT(tensor, stages),                                                                       \
    .parallel = { .tp = (tensor), .cp = 1, .pp = (stages), .ep = 1, .layers = (of_layers), .interleave = 1, \
                  .hidden = (of_hidden), .vocab = 51200, .seq = 2048, .batch_sequences = 4e6 / 2048, \
                  .micro_batch = (stages) > 1 ? 1 : 4, .full_recompute = true, .gradient_bytes = FP32, .overlap_pp = 0.5 }
#define GAVEL                  "compute [R gavel]; else [A]"
#define GAVEL_SIZES            "compute, parameters [R gavel]; else [A]"
#define ASSUMED                "[A]"
#define ADAPTDL                "compute [D fits of siasosp23/artifacts, 2080Ti]; else [A]"
#define FORMULA                "compute [D 6 N tokens, MFU 0.40]; else [A]"

/* clang-format off */
const struct training_model training_catalogue[] = {
    { .name = "ResNet-18", .aliases = "ResNet-18 (CIFAR)|cifar10|resnet18_cifar10", .params = 11.2e6, .gradient_bytes = 45e6,
      .batch = 128, .compute_s = 0.056, .fixed_share = 0.235, .communication = "low", .source = GAVEL, ONE_GPU_A_COPY },
    { .name = "ResNet-50", .aliases = "ResNet-50 (ImageNet)|imagenet", .params = 25.557032e6, .gradient_bytes = 25557032.0 * FP32,
      .batch = 64, .compute_s = 0.082, .fixed_share = 0.093, .memory_gib = 8.6, .communication = "low",
      .source = "compute [A: 800 images/s]; memory [R Lucid]", ONE_GPU_A_COPY },
    { .name = "VGG-16", .params = 138.357544e6, .gradient_bytes = 138357544.0 * FP32, .batch = 32, .compute_s = 0.180,
      .communication = "high", .source = ASSUMED, ONE_GPU_A_COPY },
    { .name = "Inception-v3", .aliases = "inception3", .params = 23.8e6, .gradient_bytes = 95e6, .batch = 64, .compute_s = 0.16,
      .communication = "low", .source = ASSUMED, ONE_GPU_A_COPY },
    { .name = "MobileNetV2", .aliases = "mobilenet", .params = 3.5e6, .gradient_bytes = 14e6, .batch = 64, .compute_s = 0.05,
      .memory_gib = 3.0, .communication = "very low", .source = "[A]; memory [R Lucid]", ONE_GPU_A_COPY },
    { .name = "EfficientNet-B0", .params = 5.3e6, .gradient_bytes = 21e6, .batch = 64, .compute_s = 0.05,
      .communication = "very low", .source = ASSUMED, ONE_GPU_A_COPY },
    { .name = "Transformer", .aliases = "Transformer (Multi30k)", .params = 47.2e6, .gradient_bytes = 47.2e6 * FP32, .batch = 64,
      .compute_s = 0.116, .fixed_share = 0.348, .communication = "medium", .source = GAVEL_SIZES, ONE_GPU_A_COPY },
    { .name = "LM", .aliases = "LM (Wikitext-2)|LSTM", .params = 14e6, .gradient_bytes = 14e6 * FP32, .batch = 20, .compute_s = 0.0154,
      .fixed_share = 0.465, .communication = "very high", .source = GAVEL_SIZES, ONE_GPU_A_COPY },
    { .name = "CycleGAN", .params = 28e6, .batch = 1, .compute_s = 0.226, .communication = "none", .source = GAVEL,
      ONE_GPU_A_COPY },
    { .name = "A3C", .params = 1e6, .compute_s = 0.139, .communication = "none", .source = GAVEL, ONE_GPU_A_COPY },
    { .name = "BERT-base", .aliases = "bert", .params = 110e6, .gradient_bytes = 110e6 * FP16, .batch = 32, .compute_s = 0.17,
      .memory_gib = 20.2, .communication = "medium-high", .source = "[A]; memory [R Lucid]", ONE_GPU_A_COPY },
    { .name = "BERT-large", .params = 336e6, .gradient_bytes = 336e6 * FP16, .batch = 8, .compute_s = 0.250,
      .communication = "medium-high", .source = ASSUMED, ONE_GPU_A_COPY },
    { .name = "DeepSpeech2", .params = 35e6, .gradient_bytes = 140e6, FIT_S(0.06376, 0.01797, 20),
      .communication = "medium", .source = ADAPTDL, ONE_GPU_A_COPY },
    { .name = "YOLOv3", .params = 62e6, .gradient_bytes = 248e6, FIT_S(0.4107, 0.02305, 8),
      .communication = "medium", .source = ADAPTDL, ONE_GPU_A_COPY },
    { .name = "NCF", .aliases = "NeuMF", .params = 32e6, .gradient_bytes = 128e6,
      FIT_S(0.01618, 1.7e-7, 32768), .communication = "high", .source = ADAPTDL, ONE_GPU_A_COPY },
    { .name = "GPT-2-small", .aliases = "GPT-2", .params = 124e6, .gradient_bytes = 124e6 * FP16, .batch = 8 * 1024,
      .compute_s = DECODER_S(124e6, 8 * 1024), .communication = "medium", .source = FORMULA, ONE_GPU_A_COPY },
    { .name = "GPT-2-medium", .params = 355e6, .gradient_bytes = 355e6 * FP16, .batch = 8 * 1024,
      .compute_s = DECODER_S(355e6, 8 * 1024), .communication = "high", .source = FORMULA, ONE_GPU_A_COPY },
    { .name = "GPT-2-XL", .params = 1558e6, .gradient_bytes = 1558e6 * FP16, .batch = 8 * 1024,
      .compute_s = DECODER_S(1558e6, 8 * 1024), .communication = "high", .source = FORMULA, ONE_GPU_A_COPY },
    { .name = "GPT-3-6.7B", .params = 6.7e9, .gradient_bytes = 6.7e9 * FP16, .batch = 4e6, .global_batch = true,
      .compute_s = DECODER_S(6.7e9, 4e6), .communication = "high", .source = FORMULA "; split [K SC'21]", GPT(4, 1, 32, 4096) },
    { .name = "GPT-3-13B", .params = 13e9, .gradient_bytes = 13e9 * FP16, .batch = 4e6, .global_batch = true,
      .compute_s = DECODER_S(13e9, 4e6), .communication = "high", .source = FORMULA "; split [K SC'21]", GPT(8, 1, 40, 5120) },
    { .name = "GPT-3-175B", .aliases = "GPT-3", .params = 175e9, .gradient_bytes = 175e9 * FP16, .batch = 4e6, .global_batch = true,
      .compute_s = DECODER_S(175e9, 4e6), .communication = "high", .source = FORMULA "; split [K SC'21]", GPT(8, 8, 96, 12288) },
    { .name = "Llama-3-405B", .aliases = "llama3-405b", .params = 405e9, .gradient_bytes = 405e9 * FP16, .batch = 2048.0 * 8192, .global_batch = true,
      .compute_s = DECODER_S(405e9, 2048.0 * 8192), .communication = "high", .source = FORMULA "; split [K Llama 3]; interleave [A]", SPLIT(8, 16),
      .parallel = { .tp = 8, .cp = 1, .pp = 16, .ep = 1, .layers = 126, .interleave = 8, .hidden = 16384, .vocab = 128256, .seq = 8192,
                    .kv_width = 8 * 128, .batch_sequences = 2048, .micro_batch = 1, .params = 405e9, .gradient_bytes = FP16,
                    .overlap_dp = 0.9, .overlap_pp = 0.5 } },
    { .name = "DLRM", .params = 10e6, .gradient_bytes = 40e6, .batch = 2048, .compute_s = 0.010,
      .all_to_all_bytes = 4.0 * 2048 * 26 * 64, .communication = "all-to-all", .source = ASSUMED, ONE_GPU_A_COPY },
    { .name = "ViT-B/16", .aliases = "vit", .params = 86e6, .gradient_bytes = 86e6 * FP16, .batch = 64, .compute_s = 0.25,
      .communication = "medium", .source = ASSUMED, ONE_GPU_A_COPY },
    { 0 },
};
/* clang-format on */
