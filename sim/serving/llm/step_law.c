/* step_law.c - see step_law.h. */
#include "sim/serving/llm/step_law.h"

#include <math.h>

const char *const llm_engine_name[LLM_ENGINES + 1] = {
    [LLM_GRAPHS] = "graphs", [LLM_EAGER] = "eager"
};

/* models.md 4.8: graphs takes the efficiencies of kernels and links from the GPU. */
struct engine_facts {
    double eta_w, eta_c, eta_kv, eta_a; /* eta_w, eta_c 0: of the GPU */
    double alpha_s, eta_l;              /* alpha 0: of the GPU */
    double step_s, layer_s, sequence_s, norm;
    bool host_factor; /* hosts differ */
};
static const struct engine_facts facts[LLM_ENGINES] = {
    [LLM_GRAPHS] = { .eta_kv = .85,
                     .eta_a = .45,
                     .step_s = 1.5e-3,
                     .layer_s = 20e-6,
                     .sequence_s = 6e-6,
                     .norm = 1 },
    [LLM_EAGER] = { .8, .66, .5, .4, 20e-6, .18, 2e-3, 490e-6, 420e-6, 2.5, true },
};

/* Two products for the queries, keys and values and two for the output, 5e-6 s each [A]. */
#define ADAPTER_CALLS_S 20e-6     /* of a layer */

double llm_kv_bytes(const struct llm_shape *m)
{
    return 2 * m->layers * m->kv_heads * m->head * 2;
}

/* Among t GPUs two all-reduces a layer; among n ranks a dispatch and a combine. */
static void exchange(struct llm_law *l, const struct llm_shape *m, const struct llm_gpu *g,
                     const struct engine_facts *f, uint32_t tensor, uint32_t ranks)
{
    double alpha_s = f->alpha_s > 0 ? f->alpha_s : g->alpha_s,
           eta_l = f->alpha_s > 0 ? f->eta_l : g->eta_l, t = ranks > 1 ? ranks : tensor,
           times = ranks > 1 ? 1 : 2;
    if (t == 1)
        return;
    l->exchange_s = times * m->layers * alpha_s;
    l->exchanged_token_s = times * m->layers * 2 * (t - 1) / t * 2 * m->hidden / (g->link * eta_l);
}

struct llm_law llm_law_of(const struct llm_shape *m, const struct llm_gpu *g, enum llm_engine e,
                          uint32_t tensor, uint32_t ranks, double weight_bytes)
{
    const struct engine_facts *f = &facts[e];
    double t = tensor, chosen = m->experts > 0 ? m->chosen / m->experts : 0,
           eta_w = f->eta_w > 0 ? f->eta_w : g->eta_w, eta_c = f->eta_c > 0 ? f->eta_c : g->eta_c,
           hosts = f->host_factor ? g->host_factor : 1;
    double read_s = weight_bytes / (t * g->bandwidth * eta_w), flops = t * g->flops * eta_c,
           used = m->read - m->in_experts * (1 - chosen),
           shared = ranks > 1 ? chosen * m->in_experts : 0;
    struct llm_law l = {
        .dense_s = (m->read - m->in_experts) * read_s,
        .experts_s = m->in_experts * read_s / ranks,
        .missed = 1 - chosen,
        .cmp_s = 2 * (used - shared) / flops,
        .experts_cmp_s = 2 * shared / (flops * ranks),
        .kv_s = llm_kv_bytes(m) / (fmin(t, m->kv_heads) * g->bandwidth * f->eta_kv),
        .attention_s = 4 * m->query * m->layers / (t * g->flops * f->eta_a),
        .host_s = f->step_s + hosts * f->layer_s * m->layers,
        .host_sequence_s = hosts * f->sequence_s,
        .norm = f->norm,
    };
    exchange(&l, m, g, f, tensor, ranks);
    return l;
}

void llm_law_pipeline(struct llm_law *l, const struct llm_shape *m, const struct llm_gpu *g,
                      enum llm_engine e, uint32_t stages, double bytes_per_s)
{
    const struct engine_facts *f = &facts[e];
    double alpha_s = f->alpha_s > 0 ? f->alpha_s : g->alpha_s,
           eta_l = f->alpha_s > 0 ? f->eta_l : g->eta_l;
    if (stages == 1)
        return;
    l->stages = stages;
    l->hop_s = stages * alpha_s;
    l->hop_token_s = stages * 2 * m->hidden / (bytes_per_s > 0 ? bytes_per_s : g->link * eta_l);
    l->host_s += (stages - 1) * f->step_s;
}

struct llm_adapter_size llm_adapter_size_of(const struct llm_shape *m, uint32_t rank,
                                            uint32_t tensor)
{
    double of_layers = m->layers * rank, keys = m->kv_heads * m->head;
    double whole = 4 * m->hidden, shared = 2 * m->query / tensor;
    return (struct llm_adapter_size){
        .parameters = of_layers * (whole + 2 * m->query + 2 * keys),
        .per_gpu = of_layers * (whole + shared + 2 * keys / fmin(tensor, m->kv_heads)),
    };
}

void llm_law_adapters(struct llm_law *l, const struct llm_shape *m, const struct llm_gpu *g,
                      enum llm_engine e, const struct llm_adapter_size *a)
{
    const struct engine_facts *f = &facts[e];
    double eta_w = f->eta_w > 0 ? f->eta_w : g->eta_w, eta_c = f->eta_c > 0 ? f->eta_c : g->eta_c;
    l->adapter_s = 2 * a->per_gpu / (g->bandwidth * eta_w);
    l->adapter_cmp_s = 2 * a->per_gpu / (g->flops * eta_c);
    l->adapter_calls_s = m->layers * ADAPTER_CALLS_S;
}

struct llm_law llm_law_linear(double a_s, double b_s, double c_s, double d_s)
{
    return (struct llm_law){
        .linear = true, .dense_s = a_s, .prompt_s = b_s, .sequence_s = c_s, .kv_s = d_s, .norm = 1
    };
}

struct llm_law llm_law_at_clock(const struct llm_law *l, double clock)
{
    struct llm_law slow = *l;
    slow.cmp_s /= clock;
    slow.experts_cmp_s /= clock;
    slow.attention_s /= clock;
    slow.prompt_s /= clock;
    slow.adapter_cmp_s /= clock;
    return slow;
}

/* Share of the experts that no token of the step chooses. */
static double missed_share(const struct llm_law *l, const struct llm_step *x)
{
    double decoding = x->decoding + x->others;
    if (!x->drawn)
        return pow(l->missed, x->prompt + decoding);
    double own = fmin(1, x->decoding);
    return pow(l->missed, x->prompt + own) * exp(-(decoding - own) * (1 - l->missed));
}

/* Parts of the requests that are in different stages at a time. */
static double parts_of(const struct llm_law *l, const struct llm_step *x)
{
    return l->stages > 1 ? fmin(l->stages, fmax(1, x->requests)) : 1;
}

static struct llm_step part_of(const struct llm_step *x, double parts)
{
    struct llm_step part = *x;
    part.prompt /= parts;
    part.decoding /= parts;
    part.context /= parts;
    part.pairs /= parts;
    part.others /= parts;
    part.adapter_tokens /= parts;
    return part;
}

/* read_s and work_s, without a pipeline. */
static struct llm_time at_full_speed(const struct llm_law *l, const struct llm_step *x)
{
    double tokens = x->prompt + x->decoding, all = tokens + x->others, weights_s = l->dense_s;
    struct llm_time t = { .prompt = x->prompt > 0 };
    if (l->experts_s > 0)
        weights_s += l->experts_s * (1 - missed_share(l, x));
    t.read_s = weights_s + l->kv_s * x->context + l->adapter_s * x->adapters;
    if (l->linear)
        t.work_s = weights_s + l->prompt_s * x->prompt + l->sequence_s * x->decoding +
                   l->kv_s * x->context;
    else
        t.work_s = hypot(weights_s, l->cmp_s * tokens + l->experts_cmp_s * all) +
                   l->kv_s * x->context + l->attention_s * x->pairs + l->exchange_s +
                   l->exchanged_token_s * all;
    if (x->adapters > 0)
        t.work_s += l->adapter_calls_s * fmin(1, x->adapters) +
                    hypot(l->adapter_s * x->adapters, l->adapter_cmp_s * x->adapter_tokens);
    return t;
}

struct llm_time llm_time_of(const struct llm_law *l, const struct llm_step *step, double speed)
{
    double parts = parts_of(l, step), stages = fmax(1, l->stages);
    struct llm_step part = part_of(step, parts);
    struct llm_time t = at_full_speed(l, &part);
    double tokens = part.prompt + part.decoding, turns = parts / stages,
           work_s = t.work_s + l->hop_s + l->hop_token_s * tokens,
           host = l->host_s + l->host_sequence_s * part.decoding * stages;
    t.gpu_s = work_s / speed;
    t.step_s = l->norm == 1 ? t.gpu_s + host
                            : pow(pow(t.gpu_s, l->norm) + pow(host, l->norm), 1 / l->norm);
    t.step_s += step->load_s;
    t.gpu_s *= turns;
    t.work_s = work_s * turns;
    t.read_s *= turns;
    return t;
}

double llm_step_power(const struct llm_time *t, double step_s)
{
    double least = .30, reads = least + .57 * t->read_s / step_s,
           works = least + .70 * fmin(1, t->work_s / step_s);
    return fmin(1, t->prompt ? fmax(reads, works) : reads);
}

double llm_kv_tokens(const struct llm_shape *m, const struct llm_gpu *g, uint32_t tensor,
                     uint32_t stages, uint32_t ranks, double weight_bytes, double utilisation, double reserve_bytes,
                     uint32_t block)
{
    double held = m->all - m->in_experts * (1 - 1.0 / ranks);
    double left = utilisation * g->memory_bytes - weight_bytes * held / tensor / stages - reserve_bytes;
    double blocks = floor(left / (llm_kv_bytes(m) / fmin(tensor, m->kv_heads) / stages) / block);
    return fmax(0, blocks) * block;
}
