/* test_llm_adapters.c - adapters of a service: worked values of models.md 4.12, made by a script of its own from the equations of
 * 4.8 and 4.12, the rules of vLLM's batches by hand, and properties. llama-3.1-8b on an A100, adapters of rank 16. */
#include "sim/serving/llm/flow.h"
#include "tests/serving/engine.h"

#define GPU "A100-SXM4-80"

static struct llm_batching with_adapters(uint32_t n, uint32_t slots, uint32_t host)
{
    struct llm_batching b = batching_of(MODEL, GPU, 1, 0);
    struct llm_adapter_size one = llm_adapter_size_of(llm_shape_find(MODEL), 16, 1);
    llm_law_adapters(&b.law, llm_shape_find(MODEL), llm_gpu_find(GPU), LLM_GRAPHS, &one);
    b.adapters = (struct llm_adapters){ .n = n, .zipf = 1 };
    b.weights = (struct weight_places){ .n = n, .slots = slots, .host = host, .host_s = 2 * one.per_gpu / 20e9,
                                        .storage_s = 2 * one.per_gpu / 20e9 + 2 * one.parameters / 2e9 };
    return b;
}

/* 32 layers x 16 x (4 x 4096 + 2 x 4096 + 2 x 1024); on two GPUs queries, keys and values have their outputs, and the output its
 * input, halved. */
static void sizes(void **state)
{
    (void)state;
    near(llm_adapter_size_of(llm_shape_find(MODEL), 16, 1).parameters, 13631488, 0);
    near(llm_adapter_size_of(llm_shape_find(MODEL), 16, 1).per_gpu, 13631488, 0);
    near(llm_adapter_size_of(llm_shape_find(MODEL), 16, 2).parameters, 13631488, 0);
    near(llm_adapter_size_of(llm_shape_find(MODEL), 16, 2).per_gpu, 11010048, 0);
}

static void steps(void **state)
{
    struct llm_batching b = with_adapters(3, 3, 3);
    struct llm_step decode = { .decoding = 4, .context = 2048 }, prompt = { .prompt = 2048, .pairs = 2048.0 * 1024 };
    (void)state;
    near(llm_time_of(&b.law, &decode, 1).step_s, .012137691, 1e-6);
    decode.adapters = 3;
    decode.adapter_tokens = 4;
    near(llm_time_of(&b.law, &decode, 1).step_s, .012831176, 1e-6);
    double without = llm_time_of(&b.law, &prompt, 1).step_s;
    prompt.adapters = 1;
    prompt.adapter_tokens = 2048;
    near(llm_time_of(&b.law, &prompt, 1).step_s - without, .000885794, 1e-5);
    prompt.load_s = .5;
    near(llm_time_of(&b.law, &prompt, 1).step_s - without, .500885794, 1e-7);
}

/* Punica (Chen et al., MLSys 2024), abstract: 2 ms a token more, of Llama-2-7B on an A100 with a batch of 32. All seven projections of
 * rank 16: 32 x 16 x (4 x 8192 + 3 x 15104) parameters. An adapter each: 2.31 ms. */
static void punica(void **state)
{
    struct llm_shape m = *llm_shape_find(MODEL);
    struct llm_adapter_size one = { 39976960, 39976960 };
    struct llm_law l = llm_law_of(&m, llm_gpu_find(GPU), LLM_GRAPHS, 1, 1, 2);
    llm_law_adapters(&l, &m, llm_gpu_find(GPU), LLM_GRAPHS, &one);
    struct llm_step x = { .decoding = 32, .context = 32 * 512 };
    double without = llm_time_of(&l, &x, 1).step_s;
    (void)state;
    x.adapters = x.adapter_tokens = 32;
    near(llm_time_of(&l, &x, 1).step_s - without, .002, .2);
}

/* ---- where adapters are ---- */

static struct weight_loads step_with(struct weight_store *s, const struct weight_places *a, const uint32_t *of, size_t n)
{
    weights_begin(s);
    for (size_t i = 0; i < n; i++)
        weights_want(s, of[i]);
    return weights_load(s, a);
}

/* Two on the GPU, three in the host, by hand: 1 and 2 come from storage; 3 too, for 1; then 1 is in the host, and 3 stays. Then 4
 * from storage: the host has 4, 1, 3, and 2 has to come again. Loading costs 1 s, from storage 11 s. */
static void least_recent(void **state)
{
    const struct weight_places a = { .n = 5, .slots = 2, .host = 3, .host_s = 1, .storage_s = 11 };
    const struct row { uint32_t of[2]; size_t n; uint64_t loads, from_storage; } rows[] = {
        { { 1, 2 }, 2, 2, 2 }, { { 2, 1 }, 2, 0, 0 }, { { 2 }, 1, 0, 0 }, { { 3, 3 }, 2, 1, 1 }, { { 1, 3 }, 2, 1, 0 },
        { { 4 }, 1, 1, 1 }, { { 2 }, 1, 1, 1 },
    };
    struct weight_store s = weight_store_of(&a);
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct weight_loads got = step_with(&s, &a, rows[i].of, rows[i].n);
        assert_int_equal(got.n, rows[i].loads);
        assert_int_equal(got.from_storage, rows[i].from_storage);
        near(got.time_s, (double)got.n + 10 * (double)got.from_storage, 0);
    }
    assert_int_equal(weights_near(&s, &a, 2), 2);
    assert_int_equal(weights_near(&s, &a, 4), 2);
    assert_int_equal(weights_near(&s, &a, 1), 1);     /* in its step loaded, and so used after 3 */
    assert_int_equal(weights_near(&s, &a, 3), 0);
    assert_int_equal(weights_near(&s, &a, 5), 0);
    weight_store_free(&s);
}

/* ---- the loop ---- */

static struct request_list three(void)
{
    const struct timed asks[] = { { 0, 0, 100, 3 }, { 0, 0, 100, 3 }, { 0, 0, 100, 3 } };
    const uint32_t adapter[] = { 1, 2, 1 };
    struct request_list l = listed(asks, 3);
    for (size_t i = 0; i < 3; i++)
        l.request[i].adapter = adapter[i];
    l.adapters = 2;
    return l;
}

/* One place: the third request passes the second, which begins when both others are over. */
static void one_place(void **state)
{
    struct llm_batching b = with_adapters(2, 1, 1);
    struct request_list l = three();
    struct service s = service_of(&b, &l);
    (void)state;
    struct serving *v = serving_with(&s, 1, 1, 1);
    serving_advance(v, ns_of_seconds(10));
    struct serving_figures f = serving_total(v);
    struct group_counts c = serving_by_group(v);
    near((double)c.of[1].first_token_ns / 2e9, .034275518, 1e-6);
    near((double)c.of[1].latency_ns / 2e9, .059558189, 1e-6);
    near((double)c.of[2].first_token_ns / 1e9, .089195456, 1e-6);
    near((double)c.of[2].latency_ns / 1e9, .114449444, 1e-6);
    assert_true(c.of[0].arrived == 0 && c.of[1].served == 2 && c.of[2].served == 1);
    near(f.engine.loads, 2, 0);
    near(f.engine.load_s, 2 * (2 * 13631488 / 20e9 + 2 * 13631488 / 2e9), 1e-9);
    group_counts_free(&c);
    serving_free(v);
    request_list_free(&l);
}

/* With two places all three begin at once. */
static void two_places(void **state)
{
    struct llm_batching b = with_adapters(2, 2, 2);
    struct request_list l = three();
    struct service s = service_of(&b, &l);
    (void)state;
    struct serving_figures f = all_of(&s, 1);
    near(f.first_token.p99_s, f.first_token.p50_s, 0);
    assert_true(f.first_token.mean_s < .089195456);
    request_list_free(&l);
}

/* The same prompt for another adapter is not known: of four requests with one id, the second of each adapter skips it. */
static void prefixes(void **state)
{
    struct llm_batching b = with_adapters(2, 2, 2);
    struct request_list l = { 0 };
    struct error err = { "" };
    (void)state;
    b.prefix_cache = true;
    for (uint32_t i = 0; i < 4; i++) {
        request_list_add(&l, (struct recorded_request){ .time_ns = i * NS_PER_S, .service_ns = -1, .prompt_tokens = 600,
                                                          .output_tokens = 2, .adapter = 1 + i % 2 });
        request_list_add_id(&l, 7);
    }
    assert_int_equal(request_list_finish(&l, "list", &err), 0);
    struct service s = service_of(&b, &l);
    near(all_of(&s, 1).engine.skipped_tokens, 2 * 512, 0);
    for (uint32_t i = 0; i < 4; i++)
        l.request[i].adapter = 1;
    near(all_of(&s, 1).engine.skipped_tokens, 3 * 512, 0);
    request_list_free(&l);
}

/* ---- properties ---- */

static struct service popular(const struct llm_batching *b)
{
    struct service s = poisson(b, SERVICE_REQUESTS, 4);
    s.demand.prompt_tokens = (struct law)LAW_OF(LAW_FIXED, 300);
    s.demand.output_tokens = (struct law)LAW_OF(LAW_FIXED, 40);
    s.demand.end_ns = ns_of_seconds(1000);
    return s;
}

/* Counts of Zipf's law with exponent 1 over 5 adapters, a quarter of the requests without: chi-square of 5 degrees of freedom below
 * 20.5 (p .001); those of a law with exponent 0 are far off. */
static void popularity(void **state)
{
    struct llm_batching b = with_adapters(5, 5, 5);
    b.adapters.base_share = .25;
    struct service s = popular(&b);
    double weight[2][6] = { { .25 }, { .25 } }, sum = 1 + .5 + 1. / 3 + .25 + .2, chi2[2] = { 0 };
    (void)state;
    for (int k = 1; k <= 5; k++) {
        weight[0][k] = .75 / k / sum;
        weight[1][k] = .75 / 5;
    }
    struct serving *v = serving_with(&s, 1, 2, 1);
    serving_advance(v, ns_of_seconds(1100));
    struct serving_figures f = serving_total(v);
    struct group_counts c = serving_by_group(v);
    for (int law = 0; law < 2; law++)
        for (int k = 0; k <= 5; k++) {
            double want = weight[law][k] * f.arrived;
            chi2[law] += ((double)c.of[k].arrived - want) * ((double)c.of[k].arrived - want) / want;
        }
    assert_true(chi2[0] < 20.5);
    assert_true(chi2[1] > 100);
    struct group_count all = group_counts_sum(&c, 0, 6);
    assert_true((double)all.arrived == f.arrived && (double)all.served == f.served && f.served == f.arrived);
    near(f.engine.loads, 10, 0);               /* each once on each of two replicas: there is room for all */
    group_counts_free(&c);
    serving_free(v);
}

/* More places, fewer loads, and no later first tokens; routing by adapter loads least. Another adapter of a request changes no time
 * of arrival and no size. */
static void more_places(void **state)
{
    double loads = INFINITY, first_s = INFINITY;
    (void)state;
    for (uint32_t slots = 1; slots <= 16; slots *= 2) {
        struct llm_batching b = with_adapters(16, slots, 16);
        struct service s = popular(&b);
        struct serving_figures f = served(&s, 1, 2, 1, 0, 1100);
        assert_true(f.engine.loads < loads && f.first_token.mean_s < first_s);
        loads = f.engine.loads;
        first_s = f.first_token.mean_s;
    }
    struct llm_batching b = with_adapters(16, 4, 8), none = batching_of(MODEL, GPU, 1, 0);
    struct service s = popular(&b), plain = popular(&none);
    struct serving_figures by_load = served(&s, 1, 2, 1, 0, 1100);
    s.dispatch = DISPATCH_ADAPTER;
    struct serving_figures by_adapter = served(&s, 1, 2, 1, 0, 1100), without = served(&plain, 1, 2, 1, 0, 1100);
    assert_true(by_adapter.engine.loads < .8 * by_load.engine.loads);
    near(by_load.arrived, without.arrived, 0);
    assert_true(by_load.per_token.mean_s > without.per_token.mean_s);
    near(without.engine.loads, 0, 0);
}

/* In mode fluid, with a place for each of eight adapters, a fifth of the requests without: within 5 % of the loop in the time per
 * token, 10 % in the first token, and slower than without adapters by more than that. */
static void in_equilibrium(void **state)
{
    struct llm_batching b = with_adapters(8, 8, 8), none = batching_of(MODEL, GPU, 1, 0);
    double share[8], all = 0;
    (void)state;
    for (int k = 0; k < 8; k++)
        all += share[k] = 1. / (k + 1);
    for (int k = 0; k < 8; k++)
        share[k] /= all;
    b.adapters.base_share = .2;
    b.adapters.popular = share;
    for (double part = .1; part < .8; part += .2) {
        double rate = part * llm_flow_most(&b, 1155, 211, 1);
        struct service s = poisson(&b, SERVICE_REQUESTS, rate);
        struct serving_figures x = served(&s, 1, 1, 1, 200, 200 + 2000 / rate);
        struct llm_flow f = llm_flow_of(&b, 1155, 211, x.arrived / (2000 / rate), 1),
                        without = llm_flow_of(&none, 1155, 211, x.arrived / (2000 / rate), 1);
        near(f.token_s, x.per_token.mean_s, .05);
        near(f.first_s, x.first_token.mean_s, .1);
        assert_true(f.token_s > 1.055 * without.token_s);
    }
}

/* Prompts read by one replica and continued by another: each of the two loads the adapter, and all are served. */
static void in_pools(void **state)
{
    struct llm_batching b = with_adapters(8, 1, 8);
    (void)state;
    b.pools = (struct llm_pools){ .prefill = 1, .decode = 1, .bytes_per_s = 20e9, .setup_s = .002, .kept = 1,
                                  .token_bytes = llm_kv_bytes(llm_shape_find(MODEL)) };
    struct service s = popular(&b);
    s.demand.rate = 1;
    struct serving *v = serving_with(&s, 1, 2, 1);
    serving_advance(v, ns_of_seconds(2000));
    struct serving_figures f = serving_total(v);
    assert_true(f.arrived > 900 && f.served == f.arrived);
    assert_true(f.engine.loads_from_storage == 16);
    serving_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes),      cmocka_unit_test(steps),      cmocka_unit_test(punica),   cmocka_unit_test(least_recent),
        cmocka_unit_test(one_place),  cmocka_unit_test(two_places), cmocka_unit_test(prefixes), cmocka_unit_test(popularity),
        cmocka_unit_test(more_places), cmocka_unit_test(in_equilibrium), cmocka_unit_test(in_pools),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
