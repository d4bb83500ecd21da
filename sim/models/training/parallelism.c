/* parallelism.c - see parallelism.h. */
#include "sim/models/training/parallelism.h"

#include <stddef.h>

#define FP32           4
#define FP16           2
#define HIDDEN_PP      0.5    /* [A] */
#define HIDDEN_DP      0.9    /* [A] style overlapped */
#define HIDDEN_TP      0.8    /* [A] tp_overlap */

const struct parallelism parallelism_plain = {
    .tp = 1,
    .cp = 1,
    .pp = 1,
    .ep = 1,
    .interleave = 1,
    .micro_batch = 1,
    .full_recompute = true,
    .gradient_bytes = FP32,
    .overlap_pp = HIDDEN_PP,
};

enum { STYLE_PLAIN, STYLE_OVERLAPPED };
struct file_parallelism {
    struct parallelism p;
    int style, recompute, dp;
    bool tp_overlap;
    double zero, kv_heads, head_dim, overlap_tp, overlap_dp, overlap_pp;
    struct config_value moe;
};
/* clang-format off */
#define FIELD(field)    offsetof(struct file_parallelism, field)
#define GPUS            .type = CONFIG_COUNT, .least = 1, .most = 1000000
#define MANY            .type = CONFIG_REAL, .above_least = true, .most = INT64_C(1000000000000000)
#define HIDDEN          .type = CONFIG_REAL, .most = 1
static const char *const style_words[] = {
    [STYLE_PLAIN] = "plain", [STYLE_OVERLAPPED] = "overlapped", NULL
};
static const char *const recompute_words[] = { "none", "full", NULL };
static const char *const rest_words[] = { "rest", NULL };
static const struct config_key keys[] = {
    { .name = "tp",              GPUS, .at = FIELD(p.tp) },
    { .name = "pp",              GPUS, .at = FIELD(p.pp) },
    { .name = "cp",              GPUS, .at = FIELD(p.cp) },
    { .name = "ep",              GPUS, .at = FIELD(p.ep) },
    { .name = "dp",              .type = CONFIG_CHOICE, .at = FIELD(dp), .words = rest_words },
    { .name = "layers",          GPUS, .at = FIELD(p.layers) },
    { .name = "hidden",          MANY, .at = FIELD(p.hidden) },
    { .name = "vocab",           MANY, .at = FIELD(p.vocab) },
    { .name = "seq",             MANY, .at = FIELD(p.seq) },
    { .name = "kv_heads",        MANY, .at = FIELD(kv_heads) },
    { .name = "head_dim",        MANY, .at = FIELD(head_dim) },
    { .name = "batch_sequences", MANY, .at = FIELD(p.batch_sequences) },
    { .name = "micro_batch",     MANY, .at = FIELD(p.micro_batch) },
    { .name = "interleave",      GPUS, .at = FIELD(p.interleave) },
    { .name = "recompute",       .type = CONFIG_CHOICE, .at = FIELD(recompute),
      .words = recompute_words },
    { .name = "zero",            .type = CONFIG_REAL, .at = FIELD(zero), .most = 3 },
    { .name = "params",          MANY, .at = FIELD(p.params) },
    { .name = "style",           .type = CONFIG_CHOICE, .at = FIELD(style), .words = style_words },
    { .name = "tp_overlap",      .type = CONFIG_FLAG, .at = FIELD(tp_overlap) },
    { .name = "overlap_tp",      HIDDEN, .at = FIELD(overlap_tp) },
    { .name = "overlap_dp",      HIDDEN, .at = FIELD(overlap_dp) },
    { .name = "overlap_pp",      HIDDEN, .at = FIELD(overlap_pp) },
    { .name = "moe",             .type = CONFIG_MAPPING, .at = FIELD(moe) },
    { 0 },
};
static const struct config_key moe_keys[] = {
    { .name = "experts",         GPUS, .at = FIELD(p.moe.experts), .required = true },
    { .name = "chosen",          GPUS, .at = FIELD(p.moe.chosen), .required = true },
    { .name = "layers",          GPUS, .at = FIELD(p.moe.layers) },
    { .name = "expert_params",   MANY, .at = FIELD(p.moe.params), .required = true },
    { 0 },
};
/* clang-format on */

static int check(struct config_value v, const struct file_parallelism *f, struct error *err)
{
    const struct parallelism *p = &f->p;
    if (!p->layers || p->hidden <= 0 || p->seq <= 0 || p->batch_sequences <= 0)
        return config_error(v, err, "want layers, hidden, seq and batch_sequences");
    if (f->zero != 0 && f->zero != 3)
        return config_error(config_look(v, "zero"), err, "want 0 or 3, got '%g'", f->zero);
    if ((f->kv_heads > 0) != (f->head_dim > 0))
        return config_error(v, err, "want both of kv_heads and head_dim, or none");
    if (p->pp > p->layers)
        return config_error(v, err, "want at most one stage a layer, got pp %u of %u layers", p->pp,
                            p->layers);
    if (p->ep > 1 && !p->moe.experts)
        return config_error(v, err, "ep wants 'moe'");
    return 0;
}

/* A style is the values of others where these are not given. */
static void take_style(struct file_parallelism *f)
{
    struct parallelism *p = &f->p;
    if (f->style == STYLE_PLAIN || f->style == STYLE_OVERLAPPED) {
        p->gradient_bytes = f->style == STYLE_PLAIN ? FP32 : FP16;
        p->overlap_dp = f->style == STYLE_PLAIN ? 0 : HIDDEN_DP;
    }
    if (f->tp_overlap)
        p->overlap_tp = HIDDEN_TP;
    p->overlap_tp = f->overlap_tp >= 0 ? f->overlap_tp : p->overlap_tp;
    p->overlap_dp = f->overlap_dp >= 0 ? f->overlap_dp : p->overlap_dp;
    p->overlap_pp = f->overlap_pp >= 0 ? f->overlap_pp : p->overlap_pp;
}

int parallelism_read(struct config_value v, struct parallelism *p, struct error *err)
{
    struct file_parallelism f = { .p = *p,
                                  .style = -1,
                                  .recompute = p->full_recompute,
                                  .zero = p->zero3 ? 3 : 0,
                                  .overlap_tp = -1,
                                  .overlap_dp = -1,
                                  .overlap_pp = -1 };
    if (config_fields(v, keys, &f, err) ||
        (config_given(f.moe) && config_fields(f.moe, moe_keys, &f, err)) || check(v, &f, err))
        return -1;
    take_style(&f);
    f.p.full_recompute = f.recompute == 1;
    f.p.zero3 = f.zero == 3;
    f.p.kv_width = f.kv_heads > 0 ? f.kv_heads * f.head_dim : f.p.kv_width;
    f.p.moe.layers = f.p.moe.layers ? f.p.moe.layers : f.p.layers;
    *p = f.p;
    return 0;
}

double parallelism_params(const struct parallelism *p)
{
    double h = p->hidden;
    return p->params > 0 ? p->params
                         : p->layers * (12 * h * h + 13 * h) + (p->vocab + p->seq) * h;
}

double parallelism_active_params(const struct parallelism *p)
{
    double all = parallelism_params(p);
    return p->moe.experts
               ? all - p->moe.params * (1 - (double)p->moe.chosen / p->moe.experts)
               : all;
}
