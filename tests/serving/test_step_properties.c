/* test_step_properties.c - what a step of an LLM replica and its equilibrium must be like on every model, GPU, engine and
 * number of GPUs of the catalogue, measured or not: models.md 4.8, 4.10.
 *
 * Bounds are those of the hardware: no step reads weights and KV cache faster than the memory, none computes faster than
 * the dense FLOPS. Efficiencies are below 1, so a law that misses a factor or a term crosses a bound, or is not monotone. */
#include "sim/serving/llm/flow.h"
#include "tests/serving/engine.h"

struct machine {
    const struct llm_shape *m;
    const struct llm_gpu *g;
    enum llm_engine e;
    uint32_t tensor;
    struct llm_law law;
};
typedef void property(const struct machine *x);

static const double batches[] = { 1, 2, 8, 32, 128, 512 }, prompts[] = { 1, 16, 256, 2048, 8192, 32768 };

static void everywhere(property *holds)
{
    for (const struct llm_shape *m = llm_shapes; m->name; m++)
        for (const struct llm_gpu *g = llm_gpus; g->name; g++)
            for (int e = 0; e < LLM_ENGINES; e++)
                for (uint32_t tensor = 1; tensor <= 8; tensor *= 2) {
                    struct machine x = { m, g, (enum llm_engine)e, tensor, llm_law_of(m, g, (enum llm_engine)e, tensor, 1, 2) };
                    holds(&x);
                }
}

static struct llm_time whole_prompt(const struct llm_law *l, double prompt)
{
    return llm_time_of(l, &(struct llm_step){ .prompt = prompt, .pairs = prompt * prompt / 2, .requests = 1 }, 1);
}

static struct llm_time decode(const struct llm_law *l, double batch, double context)
{
    return llm_time_of(l, &(struct llm_step){ .decoding = batch, .context = batch * context, .requests = batch }, 1);
}

#define must(x, condition)                                                                                                                 \
    do {                                                                                                                                   \
        if (!(condition))                                                                                                                  \
            fail_msg("%s on %u %s, %s: %s", (x)->m->name, (x)->tensor, (x)->g->name, llm_engine_name[(x)->e], #condition);                 \
    } while (0)

static double used_params(const struct llm_shape *m)
{
    return m->read - (m->experts > 0 ? m->in_experts * (1 - m->chosen / m->experts) : 0);
}

/* ---- floors of the hardware ---- */

static void above_floors(const struct machine *x)
{
    double t = x->tensor, memory = t * x->g->bandwidth, flops = t * x->g->flops;
    for (unsigned i = 0; i < COUNT(batches); i++)
        for (double context = 16; context <= 32768; context *= 8) {
            struct llm_time d = decode(&x->law, batches[i], context);
            must(x, d.step_s > (2 * used_params(x->m) + batches[i] * context * llm_kv_bytes(x->m)) / memory);
            must(x, d.step_s > 2 * used_params(x->m) * batches[i] / flops);
            must(x, d.gpu_s <= d.step_s && d.read_s <= d.work_s);
        }
    for (unsigned i = 0; i < COUNT(prompts); i++) {
        double p = prompts[i], flop = 2 * used_params(x->m) * p + 4 * x->m->query * x->m->layers * p * p / 2;
        must(x, whole_prompt(&x->law, p).step_s > flop / flops);
        must(x, whole_prompt(&x->law, p).step_s > 2 * used_params(x->m) / memory);
    }
}

static void floors(void **state)
{
    (void)state;
    everywhere(above_floors);
}

/* ---- more work takes longer, and together no longer than apart ---- */

static void more_takes_longer(const struct machine *x)
{
    struct llm_step s = { .prompt = 100, .decoding = 8, .context = 8000, .pairs = 5000, .requests = 9 };
    double here = llm_time_of(&x->law, &s, 1).step_s;
    struct llm_step more[] = { s, s, s, s };
    more[0].prompt *= 2;
    more[1].decoding *= 2;
    more[2].context *= 2;
    more[3].pairs *= 2;
    for (unsigned i = 0; i < COUNT(more); i++)
        must(x, llm_time_of(&x->law, &more[i], 1).step_s > here);
    must(x, llm_time_of(&x->law, &s, .5).step_s > here && llm_time_of(&x->law, &s, .5).step_s <= 2 * here);
    for (unsigned i = 1; i < COUNT(batches); i++) {
        double few = decode(&x->law, batches[i - 1], 512).step_s, many = decode(&x->law, batches[i], 512).step_s;
        must(x, many > few);
        must(x, many / batches[i] < few / batches[i - 1]);       /* weights are read once for all */
    }
    for (unsigned i = 1; i < COUNT(prompts); i++) {
        double of_short = whole_prompt(&x->law, prompts[i - 1]).step_s, of_long = whole_prompt(&x->law, prompts[i]).step_s;
        must(x, of_long > of_short);
        must(x, of_long < of_short * pow(prompts[i] / prompts[i - 1], 2));
    }
    struct llm_step prompt = { .prompt = 512, .pairs = 512 * 256, .requests = 1 },
                    both = { .prompt = 512, .pairs = 512 * 256, .decoding = 8, .context = 8000, .requests = 9 };
    double apart = llm_time_of(&x->law, &prompt, 1).step_s + decode(&x->law, 8, 1000).step_s, together = llm_time_of(&x->law, &both, 1).step_s;
    must(x, together < apart && together > llm_time_of(&x->law, &prompt, 1).step_s);
}

static void monotone(void **state)
{
    (void)state;
    everywhere(more_takes_longer);
}

/* ---- better hardware is no slower; n times as much of it no more than n times as fast ---- */

static double with_gpu(const struct machine *x, const struct llm_gpu *g, const struct llm_step *s)
{
    struct llm_law l = llm_law_of(x->m, g, x->e, x->tensor, 1, 2);
    return llm_time_of(&l, s, 1).step_s;
}

static void better_is_faster(const struct machine *x)
{
    struct llm_step s = { .prompt = 500, .decoding = 32, .context = 32000, .pairs = 125000, .requests = 33 };
    double here = llm_time_of(&x->law, &s, 1).step_s;
    struct llm_gpu better[] = { *x->g, *x->g, *x->g };
    better[0].flops *= 2;
    better[1].bandwidth *= 2;
    better[2].link *= 2;
    for (unsigned i = 0; i < COUNT(better); i++) {
        double there = with_gpu(x, &better[i], &s);
        must(x, x->tensor == 1 && i == 2 ? there == here : there < here);
        must(x, there >= here / 2);
    }
    if (x->tensor == 1)
        return;
    struct llm_law half = llm_law_of(x->m, x->g, x->e, x->tensor / 2, 1, 2);
    struct llm_law one = llm_law_of(x->m, x->g, x->e, 1, 1, 2);
    must(x, here > llm_time_of(&half, &s, 1).step_s / 2);
    must(x, here > llm_time_of(&one, &s, 1).step_s / x->tensor);
    bool fills_it = x->m->all > 6e10 && x->g->alpha_s < 1e-4 && x->e == LLM_GRAPHS;
    if (fills_it)        /* a large model over NVLink is worth its GPUs */
        must(x, here < llm_time_of(&half, &s, 1).step_s);
}

static void hardware(void **state)
{
    (void)state;
    everywhere(better_is_faster);
}

/* ---- memory and power ---- */

static void room(const struct machine *x)
{
    double utilisation[] = { .5, .7, .9 }, before = 0;
    for (unsigned i = 0; i < COUNT(utilisation); i++) {
        double tokens = llm_kv_tokens(x->m, x->g, x->tensor, 1, 1, 2, utilisation[i], 1.238e9, 16);
        double left = x->tensor * utilisation[i] * x->g->memory_bytes - 2 * x->m->all;
        must(x, tokens >= before && fmod(tokens, 16) == 0);
        must(x, tokens * llm_kv_bytes(x->m) <= fmax(0, left));
        before = tokens;
    }
    if (x->tensor > 1)
        must(x, before >= llm_kv_tokens(x->m, x->g, x->tensor / 2, 1, 1, 2, .9, 1.238e9, 16));
    for (unsigned i = 0; i < COUNT(batches); i++) {
        struct llm_time d = decode(&x->law, batches[i], 1000);
        double draws = llm_step_power(&d, d.step_s);
        must(x, draws >= .3 && draws <= 1);
    }
}

static void memory_and_power(void **state)
{
    (void)state;
    everywhere(room);
}

/* ---- equilibrium ---- */

static struct llm_batching engine_on(const struct machine *x)
{
    struct llm_batching b = { .law = x->law, .ranks = 1, .sequences = 128, .budget = 2048, .block = 16, .weight_bytes = 2 * x->m->all };
    b.blocks = (uint32_t)(llm_kv_tokens(x->m, x->g, x->tensor, 1, 1, 2, .9, 1.238e9, 16) / 16);
    return b;
}

/* Times ascend with the rate and with the tokens; the largest rate descends with them, and is no more than computing allows. */
static void in_equilibrium(const struct machine *x)
{
    static const struct { double prompt, output; } of[] = { { 1, 1 }, { 1, 500 }, { 1155, 211 }, { 8000, 1 }, { 8000, 500 } };
    struct llm_batching b = engine_on(x);
    for (unsigned i = 0; i < COUNT(of); i++) {
        double p = of[i].prompt, o = of[i].output;
        if ((double)b.blocks * 16 < p + o)
            continue;
        double most = llm_flow_most(&b, p, o, 1), before[3] = { 0, 0, 0 };
        must(x, most > 0 && most * 2 * used_params(x->m) * (p + o - 1) < x->tensor * x->g->flops);
        must(x, llm_flow_most(&b, 2 * p, o, 1) < most && llm_flow_most(&b, p, o + 10, 1) < most);
        for (double share = .02; share < 1; share += .12) {
            struct llm_flow f = llm_flow_of(&b, p, o, share * most, 1);
            must(x, f.first_s > before[0] && f.end_s >= f.first_s && f.end_s > before[2]);
            must(x, o == 1 || f.token_s > before[1]);
            must(x, f.busy > 0 && f.busy <= 1 && f.gpu > 0 && f.gpu <= f.busy && f.tdp > 0 && f.tdp <= 1);
            must(x, f.running <= 128 && f.context <= (double)b.blocks * 16 * (1 + 1e-9));
            before[0] = f.first_s;
            before[1] = f.token_s;
            before[2] = f.end_s;
        }
        must(x, fabs(llm_flow_of(&b, p, o, 1e-9 * most, 1).first_s / whole_prompt(&b.law, p).step_s - 1) < (p > b.budget ? 1 : .6));
    }
}

static void equilibrium(void **state)
{
    (void)state;
    everywhere(in_equilibrium);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(floors), cmocka_unit_test(monotone), cmocka_unit_test(hardware),
                                        cmocka_unit_test(memory_and_power), cmocka_unit_test(equilibrium) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
