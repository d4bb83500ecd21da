/* test_step_law.c - the time of a step of an LLM replica, against the worked values of models.md 4.8 (made by an
 * independent script in Python) and, where the shared files are there, against published measurements. */
#include "sim/serving/llm/step_law.h"
#include "tests/unit/read_calibration.h"

#include <math.h>
#include <string.h>

static struct llm_law law_of(const char *model, const char *gpu, enum llm_engine e, uint32_t tensor)
{
    const struct llm_shape *m = llm_shape_find(model);
    const struct llm_gpu *g = llm_gpu_find(gpu);
    assert_non_null(m);
    assert_non_null(g);
    return llm_law_of(m, g, e, tensor, 1, 2);
}

static double ms_of(const struct llm_law *l, double p, double b, double s, double a, double speed)
{
    return 1e3 * llm_time_of(l, &(struct llm_step){ .prompt = p, .decoding = b, .context = s, .pairs = a }, speed).step_s;
}

static void near(double got, double want, double tolerance)
{
    if (!(fabs(got - want) <= tolerance))
        fail_msg("want %.9g within %.3g, got %.9g", want, tolerance, got);
}

/* Four steps each: decode of 1 and of 64, a prompt of 2048, 1024 of a prompt beside 64. Printed to 4 digits. */
static const struct worked { const char *model, *gpu; enum llm_engine engine; uint32_t tensor; double ms[4]; } worked[] = {
    { "llama-3.1-8b", "RTX-PRO-6000", LLM_GRAPHS, 1, { 13.2530, 20.2058, 90.1837, 55.2431 } },
    { "llama2-70b", "A100-SXM4-80", LLM_EAGER, 8, { 42.6613, 69.8663, 354.5111, 196.6756 } },
    { "llama2-70b", "H100-SXM5-80", LLM_GRAPHS, 4, { 18.8369, 22.1363, 136.9807, 78.0977 } },
};

static void steps(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof worked / sizeof *worked; i++) {
        const struct worked *w = &worked[i];
        struct llm_law l = law_of(w->model, w->gpu, w->engine, w->tensor);
        near(ms_of(&l, 0, 1, 512, 0, 1), w->ms[0], 6e-5);
        near(ms_of(&l, 0, 64, 65536, 0, 1), w->ms[1], 6e-5);
        near(ms_of(&l, 2048, 0, 0, 2048 * 1024.0, 1), w->ms[2], 6e-5);
        near(ms_of(&l, 1024, 64, 65536, 1024 * 512.0, 1), w->ms[3], 6e-5);
    }
}

/* models.md 4.8: a mixture of experts on ranks that step together, each with the same work; by a script of its own from
 * the equations. Printed to 4 digits. */
static const struct { uint32_t ranks; double ms[4]; } together[] = {
    { 1, { 6.9849, 51.4405, 65.4068, 57.3427 } },
    { 2, { 14.7348, 39.1967, 77.3031, 56.5573 } },
    { 4, { 14.5968, 29.7365, 110.4726, 69.3471 } },
};

static void ranks(void **state)
{
    const struct llm_shape *m = llm_shape_find("qwen3-30b-a3b");
    const struct llm_gpu *g = llm_gpu_find("RTX-PRO-6000");
    (void)state;
    for (size_t i = 0; i < sizeof together / sizeof *together; i++) {
        struct llm_law l = llm_law_of(m, g, LLM_GRAPHS, 1, together[i].ranks, 2);
        double others = together[i].ranks - 1;
        const struct llm_step step[] = { { .decoding = 1, .context = 512, .others = others },
                                         { .decoding = 64, .context = 65536, .others = 64 * others },
                                         { .prompt = 2048, .pairs = 2048 * 1024.0, .others = 2048 * others },
                                         { 1024, 64, 65536, 1024 * 512.0, 1088 * others, false, 0, 0, 0, 0 } };
        for (int k = 0; k < 4; k++)
            near(1e3 * llm_time_of(&l, &step[k], 1).step_s, together[i].ms[k], 6e-5);
    }
}

/* A rank without requests beside one with a prompt of 2048: it computes its experts for it, and is the quicker one. */
static void a_rank_without_work(void **state)
{
    struct llm_law l = llm_law_of(llm_shape_find("qwen3-30b-a3b"), llm_gpu_find("RTX-PRO-6000"), LLM_GRAPHS, 1, 2, 2);
    (void)state;
    near(1e3 * llm_time_of(&l, &(struct llm_step){ .others = 2048 }, 1).step_s, 45.0393, 6e-5);
    near(1e3 * llm_time_of(&l, &(struct llm_step){ .prompt = 2048, .pairs = 2048 * 1024.0 }, 1).step_s, 60.0750, 6e-5);
}

/* Decode of one sequence with a context of 576, eager and graphs: printed to 2 digits. */
static const struct token { const char *gpu; uint32_t tensor; double eager_ms, graphs_ms; } tokens[] = {
    { "A100-SXM4-80", 2, 57.54, 51.31 }, { "A100-SXM4-80", 4, 45.69, 28.82 }, { "A100-SXM4-80", 8, 42.66, 17.58 },
    { "H100-SXM5-80", 2, 37.41, 31.36 }, { "H100-SXM5-80", 4, 30.40, 18.84 }, { "H100-SXM5-80", 8, 28.53, 12.58 },
};

static void tokens_of_70b(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++) {
        struct llm_law eager = law_of("llama2-70b", tokens[i].gpu, LLM_EAGER, tokens[i].tensor),
                       graphs = law_of("llama2-70b", tokens[i].gpu, LLM_GRAPHS, tokens[i].tensor);
        near(ms_of(&eager, 0, 1, 576, 0, 1), tokens[i].eager_ms, 6e-3);
        near(ms_of(&graphs, 0, 1, 576, 0, 1), tokens[i].graphs_ms, 6e-3);
    }
}

/* models.md 4.8: three quarters of a GPU; the host's part stays. By hand for the linear law: 10 + 2 x 3 + 1 x 4 + 0.5 x 8. */
static void slowed_and_linear(void **state)
{
    (void)state;
    struct llm_law l = law_of("llama-3.1-8b", "RTX-PRO-6000", LLM_GRAPHS, 1), linear = llm_law_linear(.010, .002, .001, .0005);
    near(ms_of(&l, 0, 64, 65536, 0, .75), 26.0997, 6e-5);
    near(ms_of(&linear, 3, 4, 8, 1e9, 1), 24, 1e-9);
    near(ms_of(&linear, 3, 4, 8, 0, .5), 48, 1e-9);
}

/* By hand, of the table of 4.8: llama2-70b on two stages of four A100. One sequence passes one stage after the other: as on one of four,
 * and two hops of 20 us and 16384 bytes over 300 GB/s x .64, and the host once more for 1.506 ms; each stage works for half of that. Of 64
 * sequences two parts of 32 are under way, so a round is as long as one of 32 on four GPUs, and the hops of 32 tokens. */
static void pipeline(void **state)
{
    (void)state;
    const struct llm_shape *m = llm_shape_find("llama2-70b");
    const struct llm_gpu *g = llm_gpu_find("A100-SXM4-80");
    struct llm_law four = llm_law_of(m, g, LLM_GRAPHS, 4, 1, 2), staged = four, same = four, slow = four;
    llm_law_pipeline(&staged, m, g, LLM_GRAPHS, 2, 0);
    llm_law_pipeline(&same, m, g, LLM_GRAPHS, 1, 0);
    llm_law_pipeline(&slow, m, g, LLM_GRAPHS, 2, 1e9);
    double hop_s = 16384 / (300e9 * .64);
    struct llm_step one = { .decoding = 1, .context = 576, .requests = 1 },
                    many = { .decoding = 64, .context = 64 * 576, .requests = 64 }, half = { .decoding = 32, .context = 32 * 576 };
    struct llm_time alone = llm_time_of(&four, &one, 1), t = llm_time_of(&staged, &one, 1);
    assert_true(llm_time_of(&same, &one, 1).step_s == alone.step_s);
    near(t.step_s, alone.step_s + 2 * (20e-6 + hop_s) + 1.5e-3 + 6e-6, 1e-12);
    near(t.work_s, (alone.work_s + 2 * (20e-6 + hop_s)) / 2, 1e-12);
    near(t.read_s, alone.read_s / 2, 1e-12);
    near(llm_time_of(&slow, &one, 1).step_s, t.step_s + 2 * (16384 / 1e9 - hop_s), 1e-12);
    struct llm_time part = llm_time_of(&four, &half, 1), round = llm_time_of(&staged, &many, 1);
    near(round.step_s, part.step_s + 2 * (20e-6 + 32 * hop_s) + 1.5e-3 + 32 * 6e-6, 1e-12);
    near(round.work_s, part.work_s + 2 * (20e-6 + 32 * hop_s), 1e-12);
    /* models.md 4.8; faster than on one stage, but not twice as fast */
    near(1e3 * t.step_s, 30.3656, 6e-5);
    near(1e3 * round.step_s, 32.7340, 6e-5);
    double gain = llm_time_of(&four, &many, 1).step_s / round.step_s;
    assert_true(gain > 1 && gain < 2);
    /* each GPU has half of the layers: (.9 x 80 GiB - 68.98e9 x 2/2 - 1.238e9) / (327680/2) in blocks of 16, as with two that share layers */
    near(llm_kv_tokens(m, g, 1, 2, 1, 2, .9, 1.238e9, 16), 2705 * 16, 0);
}

/* By hand, of the table of 4.8: llama-3.1-8b on an A100 at half its clock. Computing takes twice as long, reading and the host as long
 * as ever: a prompt of 2048 tokens slows by 1.9, a token of one sequence by less than 3 % (models.md 9). */
static void at_half_the_clock(void **state)
{
    (void)state;
    struct llm_law l = law_of("llama-3.1-8b", "A100-SXM4-80", LLM_GRAPHS, 1), half = llm_law_at_clock(&l, .5);
    double read_ms = 1e3 * 15.01e9 / (2039e9 * .75), token_ms = 1e3 * 2 * 7.505e9 / (312e12 * .73), host_ms = 1.5 + 32 * .02,
           pairs_ms = 1e3 * 4 * 4096 * 32 / (312e12 * .45), context_ms = 1e3 * 131072 / (2039e9 * .85);
    near(ms_of(&half, 2048, 0, 0, 2048 * 1024.0, 1), hypot(read_ms, 2 * 2048 * token_ms) + 2 * 2048 * 1024 * pairs_ms + host_ms, 1e-6);
    near(ms_of(&half, 0, 1, 1100, 0, 1), hypot(read_ms, 2 * token_ms) + 1100 * context_ms + host_ms + .006, 1e-6);
    double prompt = ms_of(&half, 2048, 0, 0, 2048 * 1024.0, 1) / ms_of(&l, 2048, 0, 0, 2048 * 1024.0, 1);
    assert_true(prompt > 1.9 && prompt < 2);
    assert_true(ms_of(&half, 0, 1, 1100, 0, 1) / ms_of(&l, 0, 1, 1100, 0, 1) < 1.03);
    struct llm_law linear = llm_law_linear(.010, .002, .001, .0005), slow = llm_law_at_clock(&linear, .5);
    near(ms_of(&slow, 3, 4, 8, 1e9, 1), 10 + 2 * 6 + 4 + 4, 1e-9);
}

/* By hand, of the table of 4.8: qwen3-30b-a3b on an H100. One token reads 1.23e9 + 28.99e9 x 8/128 parameters, at
 * 2 bytes over 3350e9 x .82; a very large batch reads all, and computes 2 x 3.041875e9 a token. */
static void experts(void **state)
{
    (void)state;
    struct llm_law l = law_of("qwen3-30b-a3b", "H100-SXM5-80", LLM_GRAPHS, 1);
    double used = 30.22e9 - 28.99e9 + 28.99e9 * 8 / 128, read_s = 2 / (3350e9 * .82), flop_s = 2 * used / (989e12 * .665);
    double host_s = 1.5e-3 + 48 * 20e-6;
    near(ms_of(&l, 0, 1, 0, 0, 1), 1e3 * (hypot(used * read_s, flop_s) + host_s + 6e-6), 1e-9);
    near(ms_of(&l, 4096, 0, 0, 0, 1), 1e3 * (hypot(30.22e9 * read_s, 4096 * flop_s) + host_s), 1e-6);
}

/* vLLM's log for this model and GPU says 41 408 tokens (models.md 4.8). By hand for two GPUs: .9 x 80 GiB - 68.98e9
 * - 1.238e9 = 7 091 411 302 bytes, over 16 x 163 840: 2705 blocks. */
static void room_for_context(void **state)
{
    (void)state;
    near(llm_kv_tokens(llm_shape_find("llama-3.1-8b"), llm_gpu_find("RTX-4090"), 1, 1, 1, 2, .9, 1.238e9, 16), 41408, 0);
    near(llm_kv_tokens(llm_shape_find("llama2-70b"), llm_gpu_find("A100-SXM4-80"), 2, 1, 1, 2, .9, 1.238e9, 16), 2705 * 16, 0);
    near(llm_kv_tokens(llm_shape_find("llama2-70b"), llm_gpu_find("A100-SXM4-80"), 1, 1, 1, 2, .9, 1.238e9, 16), 0, 0);
    /* of two ranks each has half of the experts: (.9 x 97.9e9 - 2 (30.53e9 - 28.99e9/2) - 1.238e9) / 98304 */
    near(llm_kv_tokens(llm_shape_find("qwen3-30b-a3b"), llm_gpu_find("RTX-PRO-6000"), 1, 1, 2, 2, .9, 1.238e9, 16), 557472, 0);
}

/* ---- measurements ---- */

struct errors { double first, token, end, n; };

/* A batch of prompts of one length at once, whole: the first tokens in one step, then 127 steps of decode. */
static void compare_splitwise(void *self, char *const *cell, size_t n)
{
    struct errors *e = self;
    double tensor = atof(cell[2]), p = atof(cell[3]), b = atof(cell[4]), o = atof(cell[5]);
    assert_true(n >= 10);
    struct llm_law l = law_of(cell[0], cell[1], LLM_EAGER, (uint32_t)tensor);
    double first_s = ms_of(&l, b * p, 0, 0, b * p * p / 2, 1) / 1e3,
           token_s = ms_of(&l, 0, b, b * (p + o / 2), 0, 1) / 1e3;
    e->first += fabs(first_s / atof(cell[7]) - 1);
    e->token += fabs(token_s / atof(cell[8]) - 1);
    e->end += fabs((first_s + (o - 1) * token_s) / atof(cell[9]) - 1);
    e->n++;
}

/* Gates of models.md 4.8: 20 %, 15 %, 15 % in the mean. The negative control: the other engine is outside. */
static void splitwise(void **state)
{
    (void)state;
    struct errors e = { 0 };
    calibration_rows("splitwise_llama2_70b.csv", compare_splitwise, &e);
    assert_true(e.n == 63);
    print_message("Splitwise, llama2-70b: first token %.1f %%, token %.1f %%, end %.1f %%\n", 100 * e.first / e.n,
                  100 * e.token / e.n, 100 * e.end / e.n);
    assert_true(e.first / e.n < .20 && e.token / e.n < .15 && e.end / e.n < .15);
}

/* models.md 9, by hand: .3 + .57 x the shares of read times in the measured times per token of 2, 4, 8 GPUs; prompts that keep the
 * GPU busy for half of the step, or all of it; a decode that reads all the time draws .87. */
static void power_of_steps(void **state)
{
    (void)state;
    static const struct { struct llm_time t; double power; } rows[] = {
        { { .read_s = .768, .work_s = .9 }, .73776 }, { { .read_s = .468, .work_s = .9 }, .56676 }, { { .read_s = .235, .work_s = .9 }, .43395 },
        { { .read_s = .1, .work_s = .5, .prompt = true }, .65 }, { { .read_s = 1, .work_s = .5, .prompt = true }, .87 },
        { { .read_s = .1, .work_s = 2, .prompt = true }, 1 }, { { .read_s = 1, .work_s = 1 }, .87 }, { { .read_s = 0, .work_s = 1 }, .3 },
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        near(llm_step_power(&rows[i].t, 1), rows[i].power, 1e-12);
    near(llm_step_power(&rows[0].t, 2), .3 + .57 * .384, 1e-12);
}

/* The same batches on A100 (of H100 no power is recorded): power of the run against its average, and that of its prefill
 * against the peak. Prompts beyond 2048 tokens have averages down to .17, less than decode alone: their runs stood idle. */
struct watts { double average, peak, worst_peak, n, n_peak; };
static void compare_power(void *self, char *const *cell, size_t n)
{
    struct watts *w = self;
    double p = atof(cell[3]), b = atof(cell[4]), o = atof(cell[5]);
    if (n < 12 || !*cell[10])
        return;
    struct llm_law l = law_of(cell[0], cell[1], LLM_EAGER, (uint32_t)atof(cell[2]));
    struct llm_time first = llm_time_of(&l, &(struct llm_step){ .prompt = b * p, .pairs = b * p * p / 2 }, 1),
                    token = llm_time_of(&l, &(struct llm_step){ .decoding = b, .context = b * (p + o / 2) }, 1);
    double first_power = llm_step_power(&first, first.step_s), first_s = first.step_s, decode_s = (o - 1) * token.step_s;
    double average = (first_power * first_s + llm_step_power(&token, token.step_s) * decode_s) / (first_s + decode_s);
    if (p <= 2048) {
        w->average += fabs(average / atof(cell[10]) - 1);
        w->n++;
    }
    if (b > 1)
        return;
    double off = first_power - fmin(1, atof(cell[11]));
    w->peak += fabs(off);
    w->worst_peak = fmax(w->worst_peak, fabs(off));
    w->n_peak++;
}

/* models.md 9: published peaks of 21 prompts are missed by .08 of the TDP in the mean, by .27 at most. */
static void splitwise_power(void **state)
{
    (void)state;
    struct watts w = { 0 };
    calibration_rows("splitwise_llama2_70b.csv", compare_power, &w);
    print_message("Splitwise, power of %g runs: %.1f %%; peaks of prefill %.3f of the TDP, at most %.2f\n", w.n, 100 * w.average / w.n,
                  w.peak / w.n_peak, w.worst_peak);
    assert_true(w.n == 27 && w.n_peak == 21);
    assert_true(w.average / w.n < .08 && w.peak / w.n_peak < .09 && w.worst_peak < .28);
}

/* Linear fits of DistServe's authors to another engine of 2023, by which nothing here is fitted: prefill of 1024 tokens, decode
 * of 1, 8 and 32 sequences with 512 tokens each. models.md 4.8 says how far off the law is; here it may be no more. */
struct profile { double prefill, one, many, n; };
static void compare_distserve(void *self, char *const *cell, size_t n)
{
    struct profile *e = self;
    assert_true(n >= 10);
    struct llm_law l = law_of(cell[0], cell[1], LLM_EAGER, (uint32_t)atof(cell[2]));
    double prefill_ms = atof(cell[4]) + 1024 * atof(cell[5]) + 1024. * 1024 * atof(cell[6]);
    e->prefill += ms_of(&l, 1024, 0, 0, 1024 * 512.0, 1) / prefill_ms - 1;
    for (double b = 1; b <= 32; b *= b < 8 ? 8 : 4) {
        double decode_ms = atof(cell[7]) + b * 512 * atof(cell[8]) + b * atof(cell[9]);
        *(b < 32 ? &e->one : &e->many) += fabs(ms_of(&l, 0, b, b * 512, 0, 1) / decode_ms - 1) / (b < 32 ? 2 : 1);
    }
    e->n++;
}

static void distserve(void **state)
{
    (void)state;
    struct profile e = { 0 };
    calibration_rows("distserve_opt-13b.csv", compare_distserve, &e);
    assert_true(e.n == 3);
    print_message("DistServe, opt-13b: prefill %+.1f %%, decode of 1 and 8 %.1f %%, of 32 %.1f %%\n", 100 * e.prefill / e.n,
                  100 * e.one / e.n, 100 * e.many / e.n);
    assert_true(fabs(e.prefill / e.n) < .3 && e.one / e.n < .15 && e.many / e.n < .3);
}

/* Kernels of a dense layer without attention: weights and arithmetic alone, on GPUs with a profile. */
struct kernels { double off, n; };
static void compare_kernels(void *self, char *const *cell, size_t n)
{
    struct kernels *k = self;
    const char *model = !strcmp(cell[1], "Llama-2-70b-hf") ? "llama2-70b" : !strcmp(cell[1], "Llama-3.1-8B") ? "llama-3.1-8b" : NULL;
    assert_true(n >= 5);
    if (!model || !llm_gpu_find(cell[0]))
        return;
    struct llm_law l = law_of(model, cell[0], LLM_GRAPHS, (uint32_t)atof(cell[2]));
    double us = 1e6 * hypot(l.dense_s, l.cmp_s * atof(cell[3])) / llm_shape_find(model)->layers;
    k->off += fabs(us / atof(cell[4]) - 1);
    k->n++;
}

static void kernels_of_a_layer(void **state)
{
    (void)state;
    struct kernels k = { 0 };
    calibration_rows("kernels_dense_layer.csv", compare_kernels, &k);
    assert_true(k.n > 0);
    print_message("kernels of a layer: %.0f rows, mean error %.1f %%\n", k.n, 100 * k.off / k.n);
    assert_true(k.off / k.n < .15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps),
        cmocka_unit_test(ranks),
        cmocka_unit_test(a_rank_without_work), cmocka_unit_test(tokens_of_70b), cmocka_unit_test(slowed_and_linear),
        cmocka_unit_test(experts), cmocka_unit_test(room_for_context), cmocka_unit_test(splitwise), cmocka_unit_test(at_half_the_clock), cmocka_unit_test(pipeline), cmocka_unit_test(power_of_steps), cmocka_unit_test(splitwise_power), cmocka_unit_test(distserve),
        cmocka_unit_test(kernels_of_a_layer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
