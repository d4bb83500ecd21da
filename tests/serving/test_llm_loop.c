/* test_llm_loop.c - replicas that run step by step: worked values of models.md 4.9 and 4.10 (made by an independent
 * script in Python), measured runs of vLLM where the shared files are there, and properties. */
#include "sim/serving/llm/flow.h"
#include "tests/serving/engine.h"
#include "tests/unit/read_calibration.h"

/* ---- single requests ---- */

/* models.md 4.9: one of 1155 + 211 tokens, one of 5000 + 16 in three chunks. */
static void one_request(void **state)
{
    const struct row { struct timed is; double first_s, last_s; } rows[] = {
        { { 0, 0, 1155, 211 }, .051481, 2.849790 }, { { 0, 0, 5000, 16 }, .239754, .445061 },
    };
    struct llm_batching b = batching_of(MODEL, "RTX-PRO-6000", 1, 0);
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct request_list l = listed(&rows[i].is, 1);
        struct service s = service_of(&b, &l);
        struct serving_figures f = all_of(&s, 1);
        near(f.first_token.mean_s, rows[i].first_s, 1e-5);
        near(f.latency.mean_s, rows[i].last_s, 1e-6);
        near(f.busy_s, rows[i].last_s, 1e-6);
        request_list_free(&l);
    }
}

/* models.md 4.9: 3120 tokens of KV cache; the third is read in two steps, is preempted once and sends its rest late. */
static void three_at_once(void **state)
{
    (void)state;
    const struct timed asks[] = { { 0, 0, 1000, 50 }, { 0, 0, 1000, 50 }, { 0, 0, 1000, 50 } };
    struct llm_batching b = batching_of(MODEL, "RTX-PRO-6000", 1, 3120 / 16);
    struct request_list l = listed(asks, 3);
    struct service s = service_of(&b, &l);
    struct serving_figures f = all_of(&s, 1);
    near(f.first_token.mean_s, (.087649 + .087649 + .131118) / 3, 1e-5);
    near(f.latency.mean_s, (.778783 + .778783 + .945221) / 3, 1e-6);
    assert_true(f.engine.preempted == 1);
    request_list_free(&l);
}

/* Three requests on two ranks that step together; the third goes to the first rank. By a loop of its own in another
 * language, from models.md 4.8 and 4.9. With both ranks' requests on one, the longer prompt delays all first tokens. */
static void two_ranks(void **state)
{
    const struct timed asks[] = { { 0, 0, 1155, 211 }, { 0, 0, 5000, 16 }, { 0, 0, 300, 40 } };
    struct llm_batching b = batching_of("qwen3-30b-a3b", "RTX-PRO-6000", 1, 0);
    (void)state;
    b.ranks = 2;
    b.law = llm_law_of(llm_shape_find("qwen3-30b-a3b"), llm_gpu_find("RTX-PRO-6000"), LLM_GRAPHS, 1, 2, 2);
    struct request_list l = listed(asks, 3);
    struct service s = service_of(&b, &l);
    struct serving_figures f = all_of(&s, 1);
    near(f.first_token.mean_s, (.072208 + .200997 + .072208) / 3, 1e-5);
    near(f.latency.mean_s, (3.084835 + .444569 + .770460) / 3, 1e-6);
    near(f.busy_s, 3.084835, 1e-6);
    /* the cache is that of both ranks: at most what each request holds at last for as long as it is there, and more than half
     * of it, so counting the blocks of one rank alone would show twice as much */
    double most = 86 * 3.084835 + 314 * .444569 + 22 * .770460;      /* blocks of 16: 1365, 5015, 339 tokens */
    assert_true(f.engine.kv_s <= most / (2. * b.blocks) && f.engine.kv_s > .5 * most / (2. * b.blocks));
    request_list_free(&l);
}

/* The time of all steps is the busy time, to the nanosecond; and that of the GPU is part of it. */
static void steps_are_busy(void **state)
{
    (void)state;
    struct llm_batching b = batching_of(MODEL, "RTX-PRO-6000", 1, 3120 / 16);
    struct requests_present p = requests_none();
    struct llm_ranks ranks = llm_ranks_of(&b);
    struct tally t = { 0 };
    int64_t now_ns = 0, sum_ns = 0;
    for (size_t i = 0; i < 3; i++)
        llm_ranks_insert(&ranks, &p, requests_enter(&p, &(struct service_request){ .prompt_tokens = 1000, .output_tokens = 50 }, i));
    for (uint64_t steps = 0; steps < 1000; steps++) {
        llm_ranks_begin(&ranks, &b, 1, 1, &p, now_ns, &t);
        if (ranks.end_ns == TIME_NEVER)
            break;
        sum_ns += ranks.end_ns - ranks.begin_ns;
        now_ns = ranks.end_ns;
        llm_ranks_end(&ranks, &b, &p, &t);
        while (llm_ranks_pop(&ranks, &p) != NO_REQUEST)
            continue;
    }
    assert_true(t.steps == 60);          /* models.md 4.9 */
    assert_true(sum_ns == now_ns);
    assert_true(llm_ranks_used(&ranks, &b) == 0);
    assert_true(ranks.ended.busy_s > 0 && ranks.ended.busy_s < seconds(sum_ns));
    llm_ranks_free(&ranks);
    tally_free(&t);
    free(p.at);
}

/* ---- measured runs ---- */

static void take_request(void *self, char *const *cell, size_t n)
{
    assert_true(n == 5);
    request_list_add(self, (struct recorded_request){ .time_ns = ns_of_seconds(atof(cell[0])), .service_ns = -1,
                                                      .prompt_tokens = (uint32_t)atol(cell[1]), .output_tokens = (uint32_t)atol(cell[2]) });
}

/* The means of the model (models.md 4.9, within 1 %) and of the measurement (within 15 %: 4.9). */
static const struct vllm_run { const char *file, *model; uint32_t tensor; double first_s, token_s, end_s, of[3]; } runs[] = {
    { "vllm_RTXPRO6000_Llama-3.1-8B.csv", MODEL, 1, 6.90606, .03241, 27.97146, { 7.11997, .032458, 28.2236 } },
    { "vllm_RTXPRO6000_Qwen3-32B.csv", "qwen3-32b", 2, 33.85156, .08074, 87.57427, { 37.0387, .0803111, 90.5415 } },
};

static void vllm(void **state)
{
    const struct vllm_run *r = *state;
    struct error err = { "" };
    struct request_list l = { 0 };
    struct llm_batching b = batching_of(r->model, "RTX-PRO-6000", r->tensor, 0);
    calibration_rows(r->file, take_request, &l);
    assert_int_equal(request_list_finish(&l, r->file, &err), 0);
    struct service s = service_of(&b, &l);
    struct serving_figures f = all_of(&s, 1);
    const double got[] = { f.first_token.mean_s, f.per_token.mean_s, f.latency.mean_s }, want[] = { r->first_s, r->token_s, r->end_s };
    for (int i = 0; i < 3; i++) {
        near(got[i], want[i], .01);
        near(got[i], r->of[i], .15);
    }
    print_message("%s: %.5f %.5f %.5f s; of the measured %+.1f %+.1f %+.1f %%\n", r->file, got[0], got[1], got[2],
                  100 * (got[0] / r->of[0] - 1), 100 * (got[1] / r->of[1] - 1), 100 * (got[2] / r->of[2] - 1));
    request_list_free(&l);
}

/* ---- equilibrium ---- */

struct token_counts { uint32_t prompt, output; };

/* models.md 4.10: p 1155, o 211, rates 1, 3, 5, 8; by a script of its own, which finds the same point by iteration. */
static void flow_worked(void **state)
{
    static const struct row { double rate, token_ms, running, first_ms; } rows[] = {
        { 1, 14.26552, 2.99576, 60.40928 }, { 3, 16.64806, 10.48828, 68.08415 }, { 5, 20.09201, 21.09661, 78.64994 },
        { 8, 29.92104, 50.26735, 108.73648 },
    };
    struct llm_batching b = batching_of(MODEL, "RTX-PRO-6000", 1, 0);
    b.sequences = 256;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct llm_flow f = llm_flow_of(&b, 1155, 211, rows[i].rate, 1);
        near(f.token_s * 1e3, rows[i].token_ms, 1e-6);
        near(f.running, rows[i].running, 2e-6);
        near(f.first_s * 1e3, rows[i].first_ms, 1e-6);
    }
    b.sequences = 128;
    near(llm_flow_most(&b, 1155, 211, 1), 10.79968, 1e-6);
    struct llm_batching small = batching_of(MODEL, "RTX-4090", 1, 0);
    near(llm_flow_most(&small, 1155, 211, 1), 3.76273, 1e-4);      /* with the cache in whole blocks */
}

/* A mixture of experts, on one rank and on several: time per token within 5 % of the loop, from few sequences to many. If
 * the experts were those that the mean number of tokens chooses, one rank were 37 % too quick at the smallest rate. */
static void experts_in_equilibrium(void **state)
{
    const struct llm_shape *m = llm_shape_find("qwen3-30b-a3b");
    const struct llm_gpu *g = llm_gpu_find("RTX-PRO-6000");
    (void)state;
    for (uint32_t ranks = 1; ranks <= 4; ranks *= 2) {
        struct llm_batching b = batching_of("qwen3-30b-a3b", "RTX-PRO-6000", 1, 0);
        b.ranks = ranks;
        b.law = llm_law_of(m, g, LLM_GRAPHS, 1, ranks, 2);
        for (double rate = .5; rate < 5 * ranks; rate *= 2) {
            struct service s = poisson(&b, SERVICE_REQUESTS, rate);
            struct serving_figures f = served(&s, 1, 1, 1, 200, 4200);
            near(llm_flow_of(&b, 1155, 211, rate, 1).token_s, f.per_token.mean_s, .05);
        }
    }
}

/* models.md 4.10: the flow is within 8 % of the loop in the time per token, up to three quarters of the largest rate, and at 3
 * requests a second within 3 % in the time that GPUs compute. */
static void flow_and_loop(void **state)
{
    struct llm_batching b = batching_of(MODEL, "RTX-PRO-6000", 1, 0);
    b.sequences = 256;
    (void)state;
    static const struct { double rate, gpu_off; } at[] = { { 1, .05 }, { 3, .03 }, { 4.5, .05 }, { 8, .05 } };
    for (unsigned i = 0; i < COUNT(at); i++) {
        struct service by_one = poisson(&b, SERVICE_REQUESTS, at[i].rate), flow = poisson(&b, SERVICE_FLUID, at[i].rate);
        struct serving_figures x = served(&by_one, 7, 1, 1, 100, 1600), y = served(&flow, 7, 1, 1, 100, 1600);
        near(y.per_token.mean_s, x.per_token.mean_s, .08);
        near(y.first_token.mean_s, x.first_token.mean_s, .2);
        near(y.latency.mean_s, x.latency.mean_s, .1);
        near(y.busy_s, x.busy_s, .03);
        near(y.engine.gpu_s, x.engine.gpu_s, at[i].gpu_off);
        near(y.engine.kv_s, x.engine.kv_s, .12);
        near(y.engine.computed_tokens, x.engine.computed_tokens, .1);
    }
}

/* All of n requests at once: how many a second are served. */
static double most_of_loop(const struct llm_batching *b, struct token_counts of, uint32_t n)
{
    struct error err = { "" };
    struct request_list l = { 0 };
    for (uint32_t i = 0; i < n; i++)
        request_list_add(&l, (struct recorded_request){ .service_ns = -1, .prompt_tokens = of.prompt, .output_tokens = of.output });
    assert_int_equal(request_list_finish(&l, "at once", &err), 0);
    struct service s = service_of(b, &l);
    double rate = n / all_of(&s, 1).busy_s;
    request_list_free(&l);
    return rate;
}

/* Far from the worked values, at a quarter, half and three quarters of what the loop serves: single tokens, prompts
 * beside which no token is generated, prompts as long as the budget of a step and many times as long, few tokens after long
 * prompts. The flow gets the rate that came. */
static void flow_and_loop_elsewhere(void **state)
{
    static const struct { const char *model, *gpu; uint32_t tensor; } on[] = {
        { MODEL, "RTX-PRO-6000", 1 }, { "llama2-70b", "H100-SXM5-80", 8 }, { MODEL, "L4-24", 2 },
    };
    static const struct token_counts of[] = { { 1, 1 }, { 16, 4 }, { 100, 20 }, { 1155, 1 }, { 2048, 28 }, { 8000, 1 }, { 8000, 200 }, { 30000, 100 } };
    (void)state;
    for (unsigned i = 0; i < COUNT(on) * COUNT(of); i++) {
        struct token_counts k = of[i % COUNT(of)];
        struct llm_batching b = batching_of(on[i / COUNT(of)].model, on[i / COUNT(of)].gpu, on[i / COUNT(of)].tensor, 0);
        double most = most_of_loop(&b, k, 2000);
        near(llm_flow_most(&b, k.prompt, k.output, 1), most, .12);
        for (double share = .25; share < .8; share += .25) {
            double rate = share * most, time_s = fmax(200, 4000 / rate);
            struct service s = poisson(&b, SERVICE_REQUESTS, rate);
            s.demand.prompt_tokens = (struct law)LAW_OF(LAW_FIXED, k.prompt);
            s.demand.output_tokens = (struct law)LAW_OF(LAW_FIXED, k.output);
            struct serving_figures x = served(&s, 1, 1, 1, .1 * time_s, time_s);
            struct llm_flow f = llm_flow_of(&b, k.prompt, k.output, x.arrived / (.9 * time_s), 1);
            near(f.first_s, x.first_token.mean_s, .2);
            near(f.end_s, x.latency.mean_s, .1);
            near(f.busy, x.busy_s / (.9 * time_s), .05);
            if (k.output > 1)
                near(f.token_s, x.per_token.mean_s, .14);
        }
    }
}

/* Times rise with the rate, and fall with nothing else; a larger budget lengthens the longest gaps. */
static void more_requests_are_slower(void **state)
{
    struct llm_batching b = batching_of(MODEL, "RTX-PRO-6000", 1, 0), wide = b;
    struct serving_figures last = { 0 };
    (void)state;
    for (double rate = 1; rate <= 9; rate += 2) {
        struct service s = poisson(&b, SERVICE_REQUESTS, rate);
        struct serving_figures f = served(&s, 3, 1, 1, 100, 700);
        assert_true(rate == 1 || f.per_token.mean_s > last.per_token.mean_s);
        assert_true(rate == 1 || f.first_token.mean_s > last.first_token.mean_s);
        last = f;
    }
    b.budget = 512;
    wide.budget = 1024;
    struct service s = poisson(&b, SERVICE_REQUESTS, 5), w = poisson(&wide, SERVICE_REQUESTS, 5);
    struct serving_figures f = served(&s, 3, 1, 1, 100, 700), g = served(&w, 3, 1, 1, 100, 700);
    assert_true(g.engine.gap.p99_s > f.engine.gap.p99_s);
    assert_true(g.first_token.mean_s <= f.first_token.mean_s);
}

/* Half the speed of the GPU: each step longer, but by less than two, as the host is as fast as before. */
static void a_slower_replica(void **state)
{
    struct llm_batching b = batching_of(MODEL, "RTX-PRO-6000", 1, 0);
    (void)state;
    for (int mode = 0; mode < 2; mode++) {
        struct service s = poisson(&b, mode ? SERVICE_REQUESTS : SERVICE_FLUID, 2);
        struct serving_figures f = served(&s, 3, 1, 1, 100, 700), g = served(&s, 3, 1, .5, 100, 700);
        assert_true(g.per_token.p50_s > 1.5 * f.per_token.p50_s);
        assert_true(g.latency.p50_s > 1.5 * f.latency.p50_s);
        assert_true(g.engine.gpu_s <= g.busy_s);
    }
}

/* A cache of 2048 tokens takes no prompt of 4096: dropped as it comes, and counted; the other is served. */
static void too_large(void **state)
{
    const struct timed asks[] = { { 0, 0, 4096, 10 }, { 0, 0, 1000, 10 }, { 1, 0, 2040, 9 }, { 1, 0, 2040, 10 } };
    struct llm_batching b = batching_of(MODEL, "RTX-PRO-6000", 1, 2048 / 16);
    struct request_list l = listed(asks, 4);
    struct service s = service_of(&b, &l);
    struct serving_figures f = all_of(&s, 1);
    (void)state;
    assert_true(f.arrived == 4 && f.served == 2 && f.dropped == 2 && f.engine.rejected == 2);
    request_list_free(&l);
}

/* ---- prefixes ---- */

/* Half of each prompt is known: half the tokens to compute, no less of the KV cache at its peak. */
static void shared_half(void **state)
{
    const struct timed asks[] = { { 0, 0, 1000, 50 }, { 0, 0, 600, 50 } };
    struct llm_batching b = batching_of(MODEL, "RTX-PRO-6000", 1, 0), half = b;
    struct request_list l = listed(asks, 2);
    (void)state;
    half.prefix_share = .5;
    struct service s = service_of(&b, &l), h = service_of(&half, &l);
    struct serving_figures f = all_of(&s, 1), g = all_of(&h, 1);
    assert_true(f.engine.computed_tokens == 1600 && g.engine.computed_tokens == 800 && g.engine.skipped_tokens == 800);
    assert_true(g.engine.kv_peak == f.engine.kv_peak);
    assert_true(g.first_token.mean_s < f.first_token.mean_s);
    near(g.per_token.mean_s, f.per_token.mean_s, 1e-3);
    request_list_free(&l);
}

/* Requests one after the other, with ids by hand. Prompts of 1200 tokens have two whole ids. */
static struct request_list with_ids(const uint64_t id[][2], size_t n)
{
    struct error err = { "" };
    struct request_list l = { 0 };
    for (size_t i = 0; i < n; i++) {
        request_list_add(&l, (struct recorded_request){ .time_ns = (int64_t)i * 10 * NS_PER_S, .service_ns = -1, .prompt_tokens = 1200,
                                                        .output_tokens = 10 });
        request_list_add_id(&l, id[i][0]);
        request_list_add_id(&l, id[i][1]);
    }
    assert_int_equal(request_list_finish(&l, "ids", &err), 0);
    return l;
}

/* 1: nothing known; 2: both ids, 1024; 3: one, 512; 4: both of the third, 1024. 176 known of each are of no whole id. With a
 * cache of 1280 tokens, 80 blocks, one request (76 blocks) leaves no room for ids of others: the third drops the second
 * id of the first, whose first id it holds, so the fourth, which has other ids, drops all, and the fifth knows nothing. */
static void ids_of_prompts(void **state)
{
    static const uint64_t plenty[][2] = { { 1, 2 }, { 1, 2 }, { 1, 3 }, { 1, 3 } },
                          tight[][2] = { { 1, 2 }, { 1, 2 }, { 1, 3 }, { 4, 5 }, { 1, 2 } };
    struct llm_batching b = batching_of(MODEL, "RTX-PRO-6000", 1, 0);
    (void)state;
    b.prefix_cache = true;
    struct request_list l = with_ids(plenty, 4), m = with_ids(tight, 5);
    struct service s = service_of(&b, &l);
    assert_true(all_of(&s, 1).engine.skipped_tokens == 1024 + 512 + 1024);
    b.blocks = 80;
    s = service_of(&b, &m);
    assert_true(all_of(&s, 1).engine.skipped_tokens == 1024 + 512);
    request_list_free(&l);
    request_list_free(&m);
}

/* Two replicas, two prefixes in turn, requests far apart. By prefix each goes where it was before. In turn, likewise, by
 * chance of the order; shifted by one request with a third prefix, each goes to the other replica. By load all go to
 * the first. */
static void routes(void **state)
{
    static const uint64_t id[][2] = { { 1, 2 }, { 3, 4 }, { 5, 6 }, { 1, 2 }, { 3, 4 } };
    struct llm_batching b = batching_of(MODEL, "RTX-PRO-6000", 1, 0);
    (void)state;
    b.prefix_cache = true;
    struct request_list l = with_ids(id, 5);
    struct service s = service_of(&b, &l);
    s.dispatch = DISPATCH_PREFIX;
    assert_true(all_of(&s, 2).engine.skipped_tokens == 2 * 1024);
    s.dispatch = DISPATCH_JSQ;
    assert_true(all_of(&s, 2).engine.skipped_tokens == 2 * 1024);
    s.dispatch = DISPATCH_ROUND_ROBIN;
    assert_true(all_of(&s, 2).engine.skipped_tokens == 0);
    request_list_free(&l);
}

/* ---- replicas come and go ---- */

/* Its requests begin anew on the other one; each is counted once. However the time is cut, the figures are the same. */
static void a_replica_stops(void **state)
{
    struct llm_batching b = batching_of(MODEL, "RTX-PRO-6000", 1, 400);
    struct service s = poisson(&b, SERVICE_REQUESTS, 4);
    struct serving_figures of[2];
    (void)state;
    for (int cut = 0; cut < 2; cut++) {
        struct serving *v = serving_with(&s, 5, 2, 1);
        for (int i = 1; cut && i < 3000; i++)
            serving_advance(v, i * INT64_C(10007001));
        serving_advance(v, 50 * NS_PER_S);
        serving_replica_gone(v, 0);
        serving_advance(v, 60 * NS_PER_S);
        serving_replica_ready(v, 0, 1);
        serving_advance(v, 200 * NS_PER_S);
        of[cut] = serving_total(v);
        serving_free(v);
    }
    assert_true(of[0].arrived == of[0].served + of[0].dropped + of[0].unfinished);
    assert_true(of[0].engine.preempted > 0);
    assert_true(of[0].served == of[1].served && of[0].latency.mean_s == of[1].latency.mean_s &&
                of[0].engine.gap.mean_s == of[1].engine.gap.mean_s && of[0].engine.kv_s == of[1].engine.kv_s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_request), cmocka_unit_test(three_at_once),
        cmocka_unit_test(two_ranks),
        cmocka_unit_test(experts_in_equilibrium), cmocka_unit_test(steps_are_busy),
        { "vLLM, 8B", vllm, NULL, NULL, (void *)(size_t)&runs[0] }, { "vLLM, 32B on two", vllm, NULL, NULL, (void *)(size_t)&runs[1] },
        cmocka_unit_test(flow_worked), cmocka_unit_test(flow_and_loop), cmocka_unit_test(flow_and_loop_elsewhere), cmocka_unit_test(more_requests_are_slower),
        cmocka_unit_test(a_slower_replica), cmocka_unit_test(too_large), cmocka_unit_test(shared_half),
        cmocka_unit_test(ids_of_prompts), cmocka_unit_test(routes), cmocka_unit_test(a_replica_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
