/* test_llm_pools.c - replicas that read prompts and others that generate: worked values of models.md 4.11, made by a script
 * of its own from the equations of 4.8, and properties. */
#include "sim/serving/llm/flow.h"
#include "sim/serving/llm/transfers.h"
#include "tests/serving/engine.h"

static struct llm_batching split(const char *model, const char *gpu, uint32_t tensor)
{
    struct llm_batching b = batching_of(model, gpu, tensor, 0);
    b.pools = (struct llm_pools){ .prefill = 1, .decode = 1, .bytes_per_s = 20e9, .setup_s = .002, .kept = 1,
                                  .token_bytes = llm_kv_bytes(llm_shape_find(model)) };
    return b;
}

/* ---- transfers ---- */

static int64_t next_end(struct transfers *t, uint32_t *request)
{
    struct transfer x;
    for (;;) {
        int64_t now_ns = transfers_next_ns(t);
        assert_true(now_ns != TIME_NEVER);
        if (transfers_step(t, now_ns, &x)) {
            *request = x.request;
            return now_ns;
        }
    }
}

/* 378.4704 MB at 20 GB/s: 18.924 ms, at 40 GB/s 9.462; behind a set-up of 2 ms. */
static void one_transfer(void **state)
{
    uint32_t request;
    (void)state;
    for (int twice = 1; twice <= 2; twice++) {
        struct transfers t = { .bytes_per_s = twice * 20e9, .setup_s = .002 };
        transfers_begin(&t, 7, 0, 1, 1155 * 327680.0, 0);
        near(seconds(next_end(&t, &request)), .002 + .01892352 / twice, 1e-8);
        assert_int_equal(request, 7);
        assert_true(transfers_next_ns(&t) == TIME_NEVER);
        transfers_free(&t);
    }
}

/* By hand, 1 byte/s each way, no set-up. From 0: 4 bytes of a to x. From 2: 4 bytes of a to y: both at 1/2, a to x ends at
 * 6, then a to y, with 2 left, at 8. From 6.5 on 1 byte of b to y, which shares y: at 1/2 both, b ends at 8.5; of a to y
 * 1.5 were left, .5 then: 9. */
static void shared_ends(void **state)
{
    struct transfers t = { .bytes_per_s = 1 };
    struct transfer x;
    uint32_t request;
    (void)state;
    transfers_begin(&t, 1, 0, 10, 4, 0);
    assert_false(transfers_step(&t, 0, &x));
    transfers_begin(&t, 2, 0, 11, 4, 2 * NS_PER_S);
    assert_true(next_end(&t, &request) == 6 * NS_PER_S && request == 1);
    transfers_begin(&t, 3, 1, 11, 1, 6500000000);
    assert_true(next_end(&t, &request) == 8500000000 && request == 3);
    assert_true(next_end(&t, &request) == 9 * NS_PER_S && request == 2);
    transfers_free(&t);
}

/* ---- requests ---- */

/* One of 1155 + 4 on 8 + 8 A100: read in 123.284 ms, on its way for 20.924, and three steps. */
static void one_request(void **state)
{
    const struct timed ask = { 0, 0, 1155, 4 };
    struct llm_batching b = split("llama2-70b", "A100-SXM4-80", 8);
    struct request_list l = listed(&ask, 1);
    struct service s = service_of(&b, &l);
    (void)state;
    struct serving_figures f = all_of(&s, 2);
    near(f.first_token.mean_s, .123284, 1e-5);
    near(f.latency.mean_s, .196978, 1e-5);
    near(f.per_token.mean_s, (.196978 - .123284) / 3, 1e-4);
    near(f.busy_s, .196978 - .002 - .01892352, 1e-5);         /* no replica serves while it is on its way */
    request_list_free(&l);
}

/* Half of the bytes are sent while the prompt is read. */
static void overlap(void **state)
{
    const struct timed ask = { 0, 0, 1155, 4 };
    struct llm_batching b = split("llama2-70b", "A100-SXM4-80", 8);
    struct request_list l = listed(&ask, 1);
    (void)state;
    b.pools.kept = .5;
    struct service s = service_of(&b, &l);
    near(all_of(&s, 2).latency.mean_s, .196978 - .01892352 / 2, 1e-5);
    request_list_free(&l);
}

/* Steady arrivals of 3 a second wait as in M/D/1: 36.180 ms, here in chunks of a budget that one prompt fills. */
static void waits_to_be_read(void **state)
{
    struct llm_batching b = split("llama2-70b", "A100-SXM4-80", 8);
    (void)state;
    b.budget = 1155;
    struct service s = poisson(&b, SERVICE_REQUESTS, 3);
    s.demand.output_tokens = (struct law)LAW_OF(LAW_FIXED, 20);
    struct serving_figures f = served(&s, 3, 2, 1, 100, 20100);
    near(f.first_token.mean_s, .123284 + .036180, .01);
}

/* The same replicas, half of them for each: no prompt lengthens a step of those that generate; and a prompt that finds no
 * sequences is read sooner. */
static void prompts_do_not_disturb(void **state)
{
    struct llm_batching b = split(MODEL, "RTX-PRO-6000", 1), both = b;
    (void)state;
    both.pools = (struct llm_pools){ 0 };
    struct service s = poisson(&b, SERVICE_REQUESTS, 8), mixed = poisson(&both, SERVICE_REQUESTS, 8);
    struct serving_figures x = served(&s, 1, 2, 1, 100, 1100), y = served(&mixed, 1, 2, 1, 100, 1100);
    assert_true(x.engine.gap.p99_s < y.engine.gap.p99_s);
    assert_true(x.arrived == y.arrived);
}

/* models.md 4.11 against the loop: token within 5 %, first token within 10 %, up to .75 of the largest rate. */
static void in_equilibrium(void **state)
{
    struct llm_batching b = split(MODEL, "RTX-PRO-6000", 1);
    (void)state;
    for (double share = .25; share < .8; share += .25) {
        double each = share * llm_flow_most(&b, 1155, 211, 1);
        struct service s = poisson(&b, SERVICE_REQUESTS, 2 * each), flow = s;
        flow.mode = SERVICE_FLUID;
        struct serving_figures x = served(&s, 1, 2, 1, 100, 2100), y = served(&flow, 1, 2, 1, 100, 2100);
        near(y.per_token.mean_s, x.per_token.mean_s, .05);
        near(y.first_token.mean_s, x.first_token.mean_s, .1);
        near(y.busy_s, x.busy_s, .05);
        near(y.concurrency_s, x.concurrency_s, .1);
    }
}

/* The same far from these lengths: prompts of which many fit in a step, as many as the budget, many times as long. Before, each was in
 * a step of its own: of 16 tokens the largest rate was 38 a second, and the first token twice as long. */
static void in_equilibrium_elsewhere(void **state)
{
    static const struct { double prompt, output, most; } of[] = { { 16, 4, 300 }, { 100, 20, 100 }, { 1155, 1, 9.5 }, { 2048, 28, 5.2 }, { 8000, 200, 1.2 }, { 30000, 100, .21 } };
    struct llm_batching b = split(MODEL, "RTX-PRO-6000", 1);
    (void)state;
    for (unsigned i = 0; i < COUNT(of); i++)
        for (double share = .25; share < .8; share += .25) {
            double most = llm_flow_most(&b, of[i].prompt, of[i].output, 1), rate = share * most, time_s = fmax(200, 3000 / rate);
            assert_true(most > of[i].most);
            struct service s = poisson(&b, SERVICE_REQUESTS, 2 * rate);
            s.demand.prompt_tokens = (struct law)LAW_OF(LAW_FIXED, of[i].prompt);
            s.demand.output_tokens = (struct law)LAW_OF(LAW_FIXED, of[i].output);
            struct serving_figures x = served(&s, 1, 2, 1, .1 * time_s, time_s);
            struct llm_flow f = llm_flow_of(&b, of[i].prompt, of[i].output, x.arrived / (.9 * time_s) / 2, 1);
            near(f.first_s, x.first_token.mean_s, .16);
            near(f.end_s, x.latency.mean_s, .1);
            if (of[i].output > 1)
                near(f.token_s, x.per_token.mean_s, .12);
        }
}

/* A cache of two requests: what is read waits where it is until there is room, and nothing is lost. */
static void no_room(void **state)
{
    const struct timed asks[] = { { 0, 0, 1000, 50 }, { 0, 0, 1000, 50 }, { 0, 0, 1000, 50 }, { 0, 0, 1000, 50 }, { 0, 0, 1000, 50 } };
    struct llm_batching b = split(MODEL, "RTX-PRO-6000", 1);
    (void)state;
    b.blocks = 2 * 1050 / 16 + 2;
    struct request_list l = listed(asks, 5);
    struct service s = service_of(&b, &l);
    struct serving_figures f = all_of(&s, 2);
    assert_true(f.served == 5 && f.unfinished == 0 && f.engine.kv_peak <= 1);
    request_list_free(&l);
}

/* ---- replicas come and go ---- */

/* One of each pool stops and comes back, under load. Each request is counted once, and however the time is cut the figures
 * are the same. */
static void replicas_stop(void **state)
{
    struct llm_batching b = split(MODEL, "RTX-PRO-6000", 1);
    struct serving_figures of[2];
    (void)state;
    b.blocks = 1500;
    struct service s = poisson(&b, SERVICE_REQUESTS, 12);
    for (int cut = 0; cut < 2; cut++) {
        struct serving *v = serving_with(&s, 5, 4, 1);
        for (uint32_t id = 0; id < 4; id++) {
            for (int i = 1; cut && i < 1000; i++)
                serving_advance(v, id * 40 * NS_PER_S + i * INT64_C(20007001));
            serving_advance(v, (id * 40 + 21) * NS_PER_S + 12345);
            serving_replica_gone(v, id);
            serving_advance(v, (id * 40 + 40) * NS_PER_S);
            serving_replica_ready(v, id, 1);
        }
        serving_advance(v, 200 * NS_PER_S);
        of[cut] = serving_total(v);
        serving_free(v);
    }
    assert_true(of[0].arrived == of[0].served + of[0].dropped + of[0].unfinished);
    assert_true(of[0].served > 1000);
    assert_memory_equal(&of[0], &of[1], sizeof of[0]);
}

/* Without a replica that generates nothing gets a second token; with one, all do. */
static void one_pool_is_empty(void **state)
{
    const struct timed asks[] = { { 0, 0, 1000, 5 }, { 0, 0, 1000, 1 } };
    struct llm_batching b = split(MODEL, "RTX-PRO-6000", 1);
    struct request_list l = listed(asks, 2);
    struct service s = service_of(&b, &l);
    (void)state;
    struct serving *v = serving_with(&s, 1, 1, 1);
    serving_advance(v, 10 * NS_PER_S);
    struct serving_figures f = serving_total(v);
    assert_true(f.served == 1 && f.unfinished == 1);
    serving_replica_ready(v, 1, 1);
    serving_advance(v, 20 * NS_PER_S);
    assert_true(serving_total(v).served == 2);
    serving_free(v);
    request_list_free(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_transfer),      cmocka_unit_test(shared_ends),
        cmocka_unit_test(one_request),       cmocka_unit_test(overlap),
        cmocka_unit_test(waits_to_be_read),  cmocka_unit_test(prompts_do_not_disturb),
        cmocka_unit_test(in_equilibrium), cmocka_unit_test(in_equilibrium_elsewhere),    cmocka_unit_test(no_room),
        cmocka_unit_test(replicas_stop),     cmocka_unit_test(one_pool_is_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
