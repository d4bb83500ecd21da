/* spec_read_llm.c - of a workload file: the engine of a service with a service time that names a
 * model (sim/serving/llm). */
#include "sim/serving/deployment.h"
#include "traces/synth/spec_reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct file_llm {
    const char *model, *gpu;
    uint32_t tensor, stages, ranks, sequences, budget, block, places, host;
    int engine, weights;
    double utilisation, reserve_bytes, kv_tokens, prefix_share, stage_gb_per_s, host_gb_per_s;
    bool prefix_cache;
    struct config_value step_law, pools, adapters, models;
};
enum { WEIGHTS_BF16, WEIGHTS_FP8 };

/* clang-format off */
static const char *const weight_words[] = { [WEIGHTS_BF16] = "bf16", [WEIGHTS_FP8] = "fp8", NULL };
#define AT(field) .at = offsetof(struct file_llm, field)
#define COUNT(high) .type = CONFIG_COUNT, .least = 1, .most = high
#define BYTES REAL, .most = INT64_C(1000000000000000)
static const struct config_key llm_keys[] = {
    { .name = "model",                  .type = CONFIG_TEXT, AT(model) },
    { .name = "models",                 .type = CONFIG_LIST, AT(models) },
    { .name = "max_models",             COUNT(SERVED_MODELS), AT(places) },
    { .name = "max_cpu_models",         COUNT(SERVED_MODELS), AT(host) },
    { .name = "host_gb_per_s",          REAL, AT(host_gb_per_s), .most = 1000000,
      .above_least = true },
    { .name = "gpu",                    .type = CONFIG_TEXT, AT(gpu) },
    { .name = "engine",                 .type = CONFIG_CHOICE, AT(engine), .words = llm_engine_name },
    { .name = "weights",                .type = CONFIG_CHOICE, AT(weights), .words = weight_words },
    { .name = "tensor_parallel",        COUNT(1024), AT(tensor) },
    { .name = "pipeline_parallel",      COUNT(64), AT(stages) },
    { .name = "stage_gb_per_s",         REAL, AT(stage_gb_per_s), .most = 1000000, .above_least = true },
    { .name = "data_parallel",          COUNT(LLM_RANKS_MAX), AT(ranks) },
    { .name = "max_num_seqs",           COUNT(1000000), AT(sequences) },
    { .name = "max_num_batched_tokens", COUNT(100000000), AT(budget) },
    { .name = "block",                  COUNT(65536), AT(block) },
    { .name = "gpu_memory_utilization", REAL, AT(utilisation), .most = 1, .above_least = true },
    { .name = "reserve_bytes",          BYTES, AT(reserve_bytes) },
    { .name = "kv_tokens",              REAL, AT(kv_tokens), .most = 1000000000, .least = 1 },
    { .name = "prefix_cache",           .type = CONFIG_FLAG, AT(prefix_cache) },
    { .name = "prefix_share",           REAL, AT(prefix_share), .most = 1 },
    { .name = "step_law",               .type = CONFIG_MAPPING, AT(step_law) },
    { .name = "pools",                  .type = CONFIG_MAPPING, AT(pools) },
    { .name = "adapters",               .type = CONFIG_MAPPING, AT(adapters) },
    { 0 },
};
struct file_model { const char *model, *name; int weights; double share; };
#define MODEL(field) .at = offsetof(struct file_model, field)
static const struct config_key model_keys[] = {
    { .name = "model",   .type = CONFIG_TEXT, MODEL(model), .required = true },
    { .name = "name",    .type = CONFIG_TEXT, MODEL(name) },
    { .name = "weights", .type = CONFIG_CHOICE, MODEL(weights), .words = weight_words },
    { .name = "share",   REAL, MODEL(share), .most = 1000000000, .above_least = true },
    { 0 },
};
struct file_linear { double a_s, b_s, c_s, d_s; };
#define LINEAR(field) REAL, .at = offsetof(struct file_linear, field), .most = 1000
static const struct config_key linear_keys[] = {
    { .name = "a_s", LINEAR(a_s), .required = true, .above_least = true },
    { .name = "b_s", LINEAR(b_s), .required = true },
    { .name = "c_s", LINEAR(c_s), .required = true },
    { .name = "d_s", LINEAR(d_s), .required = true },
    { 0 },
};
struct file_pools { uint32_t prefill, decode; double gb_per_s, setup_s, overlap; };
#define POOLS(field) .at = offsetof(struct file_pools, field)
static const struct config_key pools_keys[] = {
    { .name = "prefill",     COUNT(1000), POOLS(prefill), .required = true },
    { .name = "decode",      COUNT(1000), POOLS(decode), .required = true },
    { .name = "kv_gb_per_s", REAL, POOLS(gb_per_s), .most = 1000000, .above_least = true },
    { .name = "setup_s",     REAL, POOLS(setup_s), .most = 1000 },
    { .name = "overlap",     REAL, POOLS(overlap), .most = 1 },
    { 0 },
};
struct file_adapters {
    uint32_t count, rank, slots, host;
    double parameters, zipf, base_share, host_gb_per_s, storage_gb_per_s;
};
#define ADAPTERS(field) .at = offsetof(struct file_adapters, field)
#define GB_PER_S(field) REAL, ADAPTERS(field), .most = 1000000, .above_least = true
static const struct config_key adapter_keys[] = {
    { .name = "count",            COUNT(ADAPTERS_MOST), ADAPTERS(count) },
    { .name = "rank",             COUNT(65536), ADAPTERS(rank) },
    { .name = "parameters",       REAL, ADAPTERS(parameters), .most = INT64_C(1000000000000), .above_least = true },
    { .name = "max_loras",        COUNT(ADAPTERS_MOST), ADAPTERS(slots) },
    { .name = "max_cpu_loras",    COUNT(ADAPTERS_MOST), ADAPTERS(host) },
    { .name = "zipf",             REAL, ADAPTERS(zipf), .most = 100 },
    { .name = "base_share",       REAL, ADAPTERS(base_share), .most = 1 },
    { .name = "host_gb_per_s",    GB_PER_S(host_gb_per_s) },
    { .name = "storage_gb_per_s", GB_PER_S(storage_gb_per_s) },
    { 0 },
};
/* clang-format on */

static int model_unknown(const struct spec_reader *r, struct config_value at, const char *got)
{
    char known[512] = "";
    size_t n = 0;
    for (const struct llm_shape *m = llm_shapes; m->name && n < sizeof known; m++)
        n += (size_t)snprintf(known + n, sizeof known - n, "%s%s", n ? ", " : "", m->name);
    return config_error(at, r->err, "want a model, one of %s, got '%.60s'", known, got);
}

static int gpu_unknown(const struct spec_reader *r, struct config_value at, const char *got)
{
    char known[512] = "";
    size_t n = 0;
    for (const struct llm_gpu *g = llm_gpus; g->name && n < sizeof known; g++)
        n += (size_t)snprintf(known + n, sizeof known - n, "%s%s", n ? ", " : "", g->name);
    return config_error(at, r->err, "want a gpu, one of %s, got '%.60s'", known, got);
}

/* That of the file, on which alone replicas then run unless it says more; or the only type on which
 * they may run. NULL: an error. */
static const struct llm_gpu *gpu_of(const struct spec_reader *r, struct config_value v,
                                    const struct file_llm *f, struct job_row *row)
{
    char only[128] = "";
    if (row->gpu_type_length && row->gpu_type_length < sizeof only)
        memcpy(only, row->gpu_type, row->gpu_type_length);
    const char *name = f->gpu ? f->gpu : only;
    const struct llm_gpu *g = llm_gpu_find(name);
    if (!g)
        gpu_unknown(r, f->gpu ? config_look(v, "gpu") : v, name);
    if (g && row->gpu_type_length == 0) {
        row->gpu_type = g->name;
        row->gpu_type_length = strlen(g->name);
    }
    return g;
}

static int read_linear(const struct spec_reader *r, struct config_value v, struct llm_law *to)
{
    struct file_linear f = { 0 };
    if (config_fields(v, linear_keys, &f, r->err))
        return -1;
    *to = llm_law_linear(f.a_s, f.b_s, f.c_s, f.d_s);
    return 0;
}

static int check_prefixes(const struct spec_reader *r, struct config_value v,
                          const struct file_llm *f, const struct service *s)
{
    struct config_value share = config_look(v, "prefix_share"),
                        cache = config_look(v, "prefix_cache");
    if (f->prefix_share >= 1)
        return config_error(share, r->err, "want a share below 1");
    if (f->prefix_cache && f->prefix_share > 0)
        return config_error(share, r->err, "want either this or 'prefix_cache'");
    if (f->prefix_cache && s->mode == SERVICE_FLUID)
        return config_error(cache, r->err,
                            "want it with mode requests only; of mode fluid "
                            "'prefix_share'");
    if (f->prefix_cache && !(s->demand.replay && s->demand.replay->n_ids))
        return config_error(cache, r->err,
                            "want requests of a trace with ids of prompts (mooncake)");
    if (f->prefix_cache && PREFIX_TOKENS % f->block)
        return config_error(cache, r->err, "want a block that divides %d tokens, got %u",
                            PREFIX_TOKENS, f->block);
    return 0;
}

/* ---- adapters: models.md 4.12 ---- */

static int check_adapters(const struct spec_reader *r, struct config_value v,
                          const struct file_adapters *f, const struct service *s)
{
    const struct request_list *l = s->demand.replay;
    bool recorded = l && l->adapters > 0;
    struct config_value count = config_look(v, "count"), host = config_look(v, "max_cpu_loras");
    if (config_given(config_look(v, "rank")) && f->parameters > 0)
        return config_error(config_look(v, "rank"), r->err, "want either this or 'parameters'");
    if (!recorded && f->count == 0)
        return config_error(v, r->err, "want a 'count', as the requests have no adapter");
    if (recorded && f->count > 0 && f->count < l->adapters)
        return config_error(count, r->err, "want at least the largest adapter of the trace, %u, "
                            "got %u", l->adapters, f->count);
    if (recorded && (config_given(config_look(v, "zipf")) || f->base_share > 0))
        return config_error(config_look(v, f->base_share > 0 ? "base_share" : "zipf"), r->err,
                            "want it only where the requests of the trace have no adapter");
    if (f->host > 0 && f->host < f->slots)
        return config_error(host, r->err, "want at least max_loras, %u, got %u", f->slots, f->host);
    uint32_t n = f->count ? f->count : recorded ? l->adapters : 0;
    if (s->mode == SERVICE_FLUID && n > f->slots)
        return config_error(v, r->err,
                            "want max_loras of at least the %u adapters, or mode requests: in mode "
                            "fluid none waits for a place",
                            n);
    return 0;
}

/* For flows: as they are drawn, or as they were recorded. */
static void find_popular(const struct spec_reader *r, const struct request_list *l,
                         struct llm_adapters *to)
{
    double *share = arena_alloc(r->to->services->memory, to->n * sizeof *share);
    bool recorded = l && l->adapters > 0;
    double all = 0;
    for (size_t i = 0; recorded && i < l->n; i++)
        if (l->request[i].adapter) {
            share[l->request[i].adapter - 1]++;
            all++;
        }
    if (recorded)
        to->base_share = 1 - all / (double)l->n;
    for (uint32_t k = 0; !recorded && k < to->n; k++) {
        share[k] = pow(k + 1, -to->zipf);
        all += share[k];
    }
    for (uint32_t k = 0; k < to->n; k++)
        share[k] /= all;
    to->popular = share;
}

/* Fills in what an engine has of adapters, and *size: of one. */
static int read_adapters(const struct spec_reader *r, struct config_value v,
                         const struct file_llm *of, const struct llm_shape *m,
                         const struct service *s,
                         struct llm_adapter_size *size, struct llm_batching *to)
{
    struct file_adapters f = { .rank = 16, .slots = 1, .zipf = 1, .host_gb_per_s = 20,
                               .storage_gb_per_s = 2 };
    if (!config_given(v))
        return 0;
    if (config_fields(v, adapter_keys, &f, r->err) || check_adapters(r, v, &f, s))
        return -1;
    if (config_given(of->step_law))
        return config_error(v, r->err, "want either this or 'step_law'");
    *size = llm_adapter_size_of(m, f.rank, of->tensor);
    if (f.parameters > 0)
        *size = (struct llm_adapter_size){ f.parameters, f.parameters / of->tensor };
    const struct request_list *l = s->demand.replay;
    double host_s = 2 * size->per_gpu / of->stages / (f.host_gb_per_s * 1e9);
    to->adapters = (struct llm_adapters){ .n = f.count ? f.count : l->adapters,
                                          .zipf = f.zipf,
                                          .base_share = f.base_share };
    to->weights = (struct weight_places){
        .n = to->adapters.n,
        .slots = f.slots,
        .host = f.host ? f.host : f.slots,
        .host_s = host_s,
        .storage_s = host_s + 2 * size->parameters / (f.storage_gb_per_s * 1e9),
    };
    if (s->mode == SERVICE_FLUID)
        find_popular(r, l, &to->adapters);
    return 0;
}

/* others_bytes: of each GPU, for other weights. An instance has the memory that its profile says, a
 * share of a GPU that share of it. */
static double kv_tokens(const struct file_llm *f, const struct llm_shape *m,
                        const struct llm_gpu *g, double weight, double others_bytes,
                        const struct job_row *row)
{
    if (f->kv_tokens > 0)
        return f->kv_tokens;
    struct llm_gpu part = *g;
    part.memory_bytes = row->mig ? fmin(g->memory_bytes, mig_gb(row->mig) * 1e9)
                                 : g->memory_bytes * row->gpu_milli / MILLI_ALL;
    return llm_kv_tokens(m, &part, f->tensor, f->stages, f->ranks, weight, f->utilisation,
                         f->reserve_bytes + others_bytes, f->block);
}

/* Parameters on all GPUs of a replica: every rank has what is not in experts. */
static double weights_held(const struct llm_shape *m, uint32_t ranks)
{
    return m->all + (m->all - m->in_experts) * (ranks - 1);
}

static int read_stages(const struct spec_reader *r, struct config_value v, const struct file_llm *f)
{
    struct config_value stages = config_look(v, "pipeline_parallel"),
                        link = config_look(v, "stage_gb_per_s");
    if (f->stages > 1 && f->ranks > 1)
        return config_error(stages, r->err, "want either this or 'data_parallel'");
    if (f->stages > 1 && config_given(f->step_law))
        return config_error(stages, r->err, "want either this or 'step_law'");
    if (f->stages == 1 && config_given(link))
        return config_error(link, r->err, "want it with 'pipeline_parallel' only");
    return 0;
}

/* Of the GPUs of a replica each rank has the same number; instances do not share layers. */
static int read_parallel(const struct spec_reader *r, struct config_value v, struct file_llm *f,
                         const struct llm_shape *m, uint32_t gpus)
{
    struct config_value tensor = config_look(v, "tensor_parallel"),
                        ranks = config_look(v, "data_parallel");
    if (f->ranks > 1 && m->experts == 0)
        return config_error(ranks, r->err,
                            "want 1 of a model without experts: its replicas share nothing");
    if (f->ranks > 1 && config_given(f->step_law))
        return config_error(ranks, r->err, "want either this or 'step_law'");
    if (read_stages(r, v, f))
        return -1;
    uint32_t parts = f->ranks * f->stages;
    if (gpus % parts)
        return config_error(f->ranks > 1 ? ranks : config_look(v, "pipeline_parallel"), r->err,
                            "want a divisor of the gpus of a replica, %u, got %u", gpus, parts);
    if (f->tensor && f->tensor * parts != gpus)
        return config_error(tensor, r->err, "want it equal to the gpus of a %s, %u, got %u",
                            f->ranks > 1    ? "rank"
                            : f->stages > 1 ? "stage"
                                            : "replica",
                            gpus / parts, f->tensor);
    f->tensor = gpus / parts;
    return 0;
}

/* models.md 4.11: the defaults are one NIC of 25 GB/s at .8 of it, and no overlap. */
static int read_pools(const struct spec_reader *r, struct config_value v,
                      const struct llm_shape *m, struct llm_batching *b)
{
    struct file_pools f = { .gb_per_s = 20, .setup_s = .002 };
    if (!config_given(v))
        return 0;
    if (config_fields(v, pools_keys, &f, r->err))
        return -1;
    b->pools = (struct llm_pools){ .prefill = f.prefill,
                                   .decode = f.decode,
                                   .bytes_per_s = f.gb_per_s * 1e9,
                                   .bytes_per_s_said = config_given(config_look(v, "kv_gb_per_s")),
                                   .setup_s = f.setup_s,
                                   .kept = 1 - f.overlap,
                                   .token_bytes = llm_kv_bytes(m) };
    return 0;
}

static double weight_bytes(int weights)
{
    return weights == WEIGHTS_FP8 ? 1 : 2;
}

/* ---- several models: models.md 4.13 ---- */

struct several {                  /* in the order of the file */
    uint32_t n;
    const struct llm_shape *shape[SERVED_MODELS];
    double weight[SERVED_MODELS], *bytes;      /* of a parameter; of all of them, on all GPUs */
    uint32_t widest;              /* that with the most KV cache a token on a GPU */
};

static int check_models(const struct spec_reader *r, struct config_value v,
                        const struct file_llm *f, const struct service *s)
{
    static const char *const not_beside[] = { "model", "adapters", "step_law", "prefix_cache" };
    size_t n = config_count(f->models);
    for (size_t i = 0; i < sizeof not_beside / sizeof *not_beside; i++)
        if (config_given(config_look(v, not_beside[i])))
            return config_error(f->models, r->err, "want either this or '%s'", not_beside[i]);
    if (f->ranks > 1)
        return config_error(f->models, r->err, "want either this or 'data_parallel'");
    if (s->mode == SERVICE_FLUID)
        return config_error(f->models, r->err, "want it with mode requests only: in mode fluid a "
                            "service has one model");
    if (n < 1 || n > SERVED_MODELS)
        return config_error(f->models, r->err, "want from 1 to %d, got %zu", SERVED_MODELS, n);
    if (f->places > n)
        return config_error(config_look(v, "max_models"), r->err, "want at most as many as "
                            "'models', %zu, got %u", n, f->places);
    return 0;
}

static double kv_of_gpu(const struct llm_shape *m, uint32_t tensor)
{
    return llm_kv_bytes(m) / fmin(tensor, m->kv_heads);
}

static int read_model(const struct spec_reader *r, struct config_value v, const struct file_llm *f,
                      struct several *x, struct llm_served *to)
{
    struct file_model m = { .weights = f->weights, .share = 1 };
    uint32_t k = x->n;
    if (config_fields(v, model_keys, &m, r->err))
        return -1;
    if (!(x->shape[k] = llm_shape_find(m.model)))
        return model_unknown(r, config_look(v, "model"), m.model);
    const char *name = m.name ? m.name : m.model;
    to[k] = (struct llm_served){
        .name = arena_text(r->to->services->memory, name, strlen(name)),
        .token_bytes = llm_kv_bytes(x->shape[k]),
        .share = m.share,
    };
    for (uint32_t i = 0; i < k; i++)
        if (!strcmp(to[i].name, to[k].name))
            return config_error(v, r->err, "'%s' is there twice: want a 'name' of its own",
                                to[k].name);
    x->weight[k] = weight_bytes(m.weights);
    x->bytes[k] = x->weight[k] * x->shape[k]->all;
    if (kv_of_gpu(x->shape[k], f->tensor) > kv_of_gpu(x->shape[x->widest], f->tensor))
        x->widest = k;
    x->n++;
    return 0;
}

/* Which of them each recorded request is for, and shares by that; drawn where none says it. */
static int find_recorded(const struct spec_reader *r, struct config_value at,
                         const struct request_list *l, struct llm_served *of, struct llm_models *to)
{
    struct config_walk w = { .of = at };
    uint32_t names = l && l->models ? intern_count(l->models) : 0;
    uint32_t *set = arena_alloc(r->to->services->memory, (names + 1) * sizeof *set);
    if (names == 0)
        return 0;
    if (!l->has_models)
        return config_error(at, r->err, "want a model of each request of the trace, or of none");
    for (struct config_value entry; config_next(&w, &entry);)
        if (config_given(config_look(entry, "share")))
            return config_error(config_look(entry, "share"), r->err,
                                "want it only where the requests of the trace have no model");
    for (uint32_t i = 0; i < names; i++) {
        while (set[i] < to->n && strcmp(of[set[i]].name, intern_text(l->models, i)))
            set[i]++;
        if (set[i]++ == to->n)
            return config_error(at, r->err, "want all models of the trace, among them '%.60s'",
                                intern_text(l->models, i));
    }
    for (uint32_t k = 0; k < to->n; k++)
        of[k].share = 0;
    for (size_t i = 0; i < l->n; i++)
        of[set[l->request[i].model - 1] - 1].share++;
    to->recorded = set;
    return 0;
}

static int larger_first(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a < b) - (a > b);
}

/* Tokens of the widest beside the largest weights that may be there together. */
static double tokens_beside(const struct several *x, const struct file_llm *f,
                            const struct llm_gpu *g, const struct job_row *row, uint32_t places)
{
    double bytes[SERVED_MODELS], others = -x->bytes[x->widest];
    memcpy(bytes, x->bytes, x->n * sizeof *bytes);
    qsort(bytes, x->n, sizeof *bytes, larger_first);
    for (uint32_t k = 0; k < places; k++)
        others += bytes[k];
    return kv_tokens(f, x->shape[x->widest], g, x->weight[x->widest],
                     others / f->tensor / f->stages, row);
}

/* As many as leave KV cache for a step of prompts. */
static uint32_t places_that_fit(const struct several *x, const struct file_llm *f,
                                const struct llm_gpu *g, const struct job_row *row)
{
    uint32_t places = x->n;
    while (places > 1 && f->kv_tokens == 0 && tokens_beside(x, f, g, row, places) < f->budget)
        places--;
    return places;
}

/* What a rank has of them, and their laws. */
static void place_models(const struct several *x, const struct file_llm *f,
                         const struct llm_gpu *g, struct llm_served *of, struct llm_batching *b)
{
    double widest = kv_of_gpu(x->shape[x->widest], f->tensor);
    b->weight_bytes = 0;
    for (uint32_t k = 0; k < x->n; k++) {
        of[k].law = llm_law_of(x->shape[k], g, (enum llm_engine)f->engine, f->tensor, 1,
                               x->weight[k]);
        llm_law_pipeline(&of[k].law, x->shape[k], g, (enum llm_engine)f->engine, f->stages,
                         f->stage_gb_per_s * 1e9);
        of[k].block = (uint32_t)(f->block * (widest / kv_of_gpu(x->shape[k], f->tensor)));
        b->weight_bytes += k < b->weights.slots ? x->bytes[k] : 0;
    }
}

/* Its storage_s follows from the start-up. */
static int read_models(const struct spec_reader *r, struct config_value v, const struct file_llm *f,
                       const struct llm_gpu *g, struct job_row *row, const struct service *s,
                       struct llm_batching *b)
{
    struct several x = { 0 };
    struct config_walk w = { .of = f->models };
    size_t n = config_count(f->models);
    struct llm_served *of = arena_alloc(r->to->services->memory, n * sizeof *of);
    x.bytes = arena_alloc(r->to->services->memory, n * sizeof *x.bytes);
    for (struct config_value entry; config_next(&w, &entry);)
        if (read_model(r, entry, f, &x, of))
            return -1;
    b->models = (struct llm_models){ .n = x.n, .of = of };
    if (find_recorded(r, f->models, s->demand.replay, of, &b->models))
        return -1;
    uint32_t places = f->places ? f->places : places_that_fit(&x, f, g, row);
    if (f->host > 0 && f->host < places)
        return config_error(config_look(v, "max_cpu_models"), r->err,
                            "want at least max_models, %u, got %u", places, f->host);
    b->weights = (struct weight_places){
        .n = x.n,
        .slots = places,
        .host = f->host ? f->host : places,
        .host_s = 1 / (f->host_gb_per_s * 1e9 * f->tensor * f->stages),
        .size = x.bytes,
        .there = true,
    };
    b->blocks = (uint32_t)(tokens_beside(&x, f, g, row, places) / f->block);
    if (b->blocks == 0)
        return config_error(f->models, r->err, "want memory for the largest of them, %u at once, "
                            "and one block of KV cache", places);
    place_models(&x, f, g, of, b);
    b->law = of[0].law;
    return read_pools(r, f->pools, x.shape[0], b);
}

/* Keys of several models. */
static int check_one(const struct spec_reader *r, struct config_value v)
{
    static const char *const keys[] = { "max_models", "max_cpu_models", "host_gb_per_s" };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (config_given(config_look(v, keys[i])))
            return config_error(config_look(v, keys[i]), r->err, "want it with 'models' only");
    return 0;
}

static int read_only_model(const struct spec_reader *r, struct config_value v, struct file_llm *f,
                           struct job_row *row, const struct service *s, struct llm_batching *b)
{
    const struct llm_shape *m = llm_shape_find(f->model);
    if (!m)
        return model_unknown(r, config_look(v, "model"), f->model);
    if (read_parallel(r, v, f, m, row->mig ? 1 : row->gpus))
        return -1;
    bool linear = config_given(f->step_law);
    const struct llm_gpu *g = linear && f->kv_tokens > 0 ? NULL : gpu_of(r, v, f, row);
    if (!g && !(linear && f->kv_tokens > 0))
        return -1;
    double weight = weight_bytes(f->weights);
    b->weight_bytes = weight * weights_held(m, f->ranks);
    struct llm_adapter_size one = { 0 };
    if (read_adapters(r, f->adapters, f, m, s, &one, b))
        return -1;
    double places = 2 * one.per_gpu * b->weights.slots / f->stages;     /* bytes of a GPU */
    b->blocks = (uint32_t)(kv_tokens(f, m, g, weight, places, row) / f->block);
    if (read_pools(r, f->pools, m, b))
        return -1;
    if (linear)
        return read_linear(r, f->step_law, &b->law);
    b->law = llm_law_of(m, g, (enum llm_engine)f->engine, f->tensor, f->ranks, weight);
    llm_law_pipeline(&b->law, m, g, (enum llm_engine)f->engine, f->stages, f->stage_gb_per_s * 1e9);
    if (b->adapters.n)
        llm_law_adapters(&b->law, m, g, (enum llm_engine)f->engine, &one);
    return 0;
}

int spec_read_llm(const struct spec_reader *r, struct config_value v, struct job_row *row,
                  struct service *s)
{
    struct file_llm f = { .ranks = 1,
                          .stages = 1,
                          .sequences = 256,
                          .budget = 2048,
                          .block = 16,
                          .utilisation = .9,
                          .reserve_bytes = 1.238e9,
                          .host_gb_per_s = 20 };
    if (config_fields(v, llm_keys, &f, r->err) ||
        (config_given(f.models) ? check_models(r, v, &f, s) : check_one(r, v)) ||
        check_prefixes(r, v, &f, s))
        return -1;
    struct llm_batching *b = &s->time.engine;
    *b = (struct llm_batching){ .sequences = f.sequences,
                                .budget = f.budget,
                                .block = f.block,
                                .ranks = f.ranks,
                                .prefix_cache = f.prefix_cache,
                                .prefix_share = f.prefix_share };
    if (!config_given(f.models))
        return read_only_model(r, v, &f, row, s, b);
    /* without ranks it is the same for any shape */
    if (read_parallel(r, v, &f, llm_shapes, row->mig ? 1 : row->gpus))
        return -1;
    const struct llm_gpu *g = gpu_of(r, v, &f, row);
    return g ? read_models(r, v, &f, g, row, s, b) : -1;
}
