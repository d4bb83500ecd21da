/* test_llm_models.c - several models on one service: the rules of models.md 4.13 by hand, and properties. Whole runs of random requests
 * against a second implementation: tests/e2e/served_models.py. */
#include "sim/base/random.h"
#include "sim/serving/llm/flow.h"
#include "tests/serving/engine.h"

enum { MODELS = 3 };

/* Steps of 10, 20 and 40 ms, nothing else; loads of 1 s from the host, 5 s from storage, of each unit of size; sizes 1, 2, 4. A block is
 * 16, 8, 4 tokens. */
static struct llm_served served_by[MODELS] = {
    { .name = "a", .block = 16, .token_bytes = 1e5, .share = 4 },
    { .name = "b", .block = 8, .token_bytes = 2e5, .share = 2 },
    { .name = "c", .block = 4, .token_bytes = 4e5, .share = 1 },
};
static const double sizes[MODELS] = { 1, 2, 4 };

static struct llm_batching several(uint32_t slots, uint32_t host)
{
    for (int k = 0; k < MODELS; k++)
        served_by[k].law = llm_law_linear(.01 * (1 << k), 0, 0, 0);
    static const uint32_t numbers[MODELS] = { 1, 2, 3 };
    return (struct llm_batching){ .law = served_by[0].law, .sequences = 8, .budget = 2048, .block = 16, .blocks = 1000, .ranks = 1,
                                  .weights = { .n = MODELS, .slots = slots, .host = host, .host_s = 1, .storage_s = 5, .size = sizes, .there = true },
                                  .models = { .n = MODELS, .of = served_by, .recorded = numbers } };
}

struct asked { double at_s; uint32_t output, model; };
static struct request_list asks(const struct asked *a, size_t n)
{
    struct request_list l = { 0 };
    struct error err = { "" };
    for (size_t i = 0; i < n; i++)
        request_list_add(&l, (struct recorded_request){ .time_ns = ns_of_seconds(a[i].at_s), .service_ns = -1, .prompt_tokens = 10,
                                                          .output_tokens = a[i].output, .model = a[i].model });
    assert_int_equal(request_list_finish(&l, "list", &err), 0);
    return l;
}

static struct group_counts counts_of(const struct service *s, uint32_t replicas, struct serving_figures *f)
{
    struct serving *v = serving_with(s, 1, replicas, 1);
    serving_advance(v, ns_of_seconds(1e5));
    *f = serving_total(v);
    struct group_counts c = serving_by_group(v);
    serving_free(v);
    return c;
}

static double mean_end_s(const struct group_counts *c, uint32_t model)
{
    return (double)c->of[model].latency_ns / 1e9 / (double)c->of[model].served;
}

/* Two places: models a and b are there, and their steps alternate, a first. Of a three tokens, of b two: steps a b a b a, ends at
 * 10 + 20 + 10 + 20 + 10 ms and 60 ms; nothing is loaded. */
static void take_turns(void **state)
{
    static const struct asked both[] = { { 0, 3, 1 }, { 0, 2, 2 } };
    struct llm_batching b = several(2, 2);
    struct request_list l = asks(both, COUNT(both));
    struct service s = service_of(&b, &l);
    struct serving_figures f;
    (void)state;
    s.dispatch = DISPATCH_MODEL;
    struct group_counts c = counts_of(&s, 1, &f);
    near(mean_end_s(&c, 1), .07, 1e-9);
    near(mean_end_s(&c, 2), .06, 1e-9);
    near(f.engine.loads, 0, 0);
    group_counts_free(&c);
    request_list_free(&l);
}

/* One place, where a is: the first request runs 30 ms, the second, of b, waits and with it the third, of a, though a is there. b is
 * loaded from storage, 10 s, and runs 40 ms; a was dropped from the host's one place, 5 s, and runs 30 ms. With two places in the host
 * a comes back in 1 s. */
static void none_passes(void **state)
{
    static const struct asked three[] = { { 0, 3, 1 }, { 0, 2, 2 }, { .001, 3, 1 } };
    struct request_list l = asks(three, COUNT(three));
    (void)state;
    for (uint32_t host = 1; host <= 2; host++) {
        struct llm_batching b = several(1, host);
        struct service s = service_of(&b, &l);
        struct serving_figures f;
        s.dispatch = DISPATCH_MODEL;
        struct group_counts c = counts_of(&s, 1, &f);
        double b_ends = .03 + 10 + .04, a_ends = b_ends + (host == 1 ? 5 : 1) + .03;
        near(mean_end_s(&c, 2), b_ends, 1e-9);
        near(mean_end_s(&c, 1), (.03 + a_ends - .001) / 2, 1e-9);
        near(f.engine.loads, 2, 0);
        near(f.engine.loads_from_storage, host == 1 ? 2 : 1, 0);
        near(f.engine.load_s, 10 + (host == 1 ? 5 : 1), 1e-12);
        group_counts_free(&c);
    }
    request_list_free(&l);
}

/* Of two places that of the model used longest ago is taken, not that of one whose requests run: a runs all the time, b and c come
 * apart, so c takes b's place and b takes c's. a, the oldest in the list, never goes. */
static void oldest_idle_goes(void **state)
{
    static const struct asked rows[] = { { 0, 10000, 1 }, { 1, 1, 2 }, { 30, 1, 3 }, { 70, 1, 2 } };
    struct llm_batching b = several(2, 2);
    struct request_list l = asks(rows, COUNT(rows));
    struct service s = service_of(&b, &l);
    struct serving_figures f;
    (void)state;
    b.sequences = 8;
    s.dispatch = DISPATCH_MODEL;
    struct group_counts c = counts_of(&s, 1, &f);
    near(f.engine.loads, 2, 0);                        /* c, then b again; a would be a third */
    near(f.engine.load_s, 4 * 5 + 2 * 5, 1e-12);
    near(mean_end_s(&c, 1), 100 + .02 + 20.04 + 10.02, 1e-9);    /* its steps, and those of others with their loads */
    group_counts_free(&c);
    request_list_free(&l);
}

/* Two replicas with one place each: the second request of b goes where b was brought by the first; by the number of requests it goes
 * to the first replica, as do those for a, and from the fourth request on each is a swap. */
static void goes_where_it_is(void **state)
{
    static const struct asked rows[] = { { 0, 1000, 1 }, { .001, 1, 2 }, { 15, 1, 1 }, { 30, 1, 2 }, { 45, 1, 1 }, { 60, 1, 2 } };
    static const struct row { enum dispatch dispatch; double loads; } ways[] = { { DISPATCH_MODEL, 1 }, { DISPATCH_JSQ, 4 } };
    struct request_list l = asks(rows, COUNT(rows));
    (void)state;
    for (size_t i = 0; i < COUNT(ways); i++) {
        struct llm_batching b = several(1, 3);
        struct service s = service_of(&b, &l);
        struct serving_figures f;
        s.dispatch = ways[i].dispatch;
        struct group_counts c = counts_of(&s, 2, &f);
        near(f.engine.loads, ways[i].loads, 0);
        near(f.served, COUNT(rows), 0);
        group_counts_free(&c);
    }
    request_list_free(&l);
}

/* A replica with as many requests as it runs at once counts as if it lacked the model: of 20 requests of b 8 stay where b is. */
static void spills_over(void **state)
{
    struct asked rows[21] = { { 0, 1, 2 } };
    struct llm_batching b = several(1, 3);
    struct serving_figures f;
    (void)state;
    for (size_t i = 1; i < 21; i++)
        rows[i] = (struct asked){ 50, 100, 2 };
    struct request_list l = asks(rows, COUNT(rows));
    struct service s = service_of(&b, &l);
    s.dispatch = DISPATCH_MODEL;
    struct group_counts c = counts_of(&s, 2, &f);
    near(f.engine.loads, 2, 0);                        /* once on each; without the rule once in all */
    group_counts_free(&c);
    request_list_free(&l);
}

/* 1000 blocks hold 16000 tokens of a and 4000 of c: 4001 of c never fit. */
static void blocks_by_model(void **state)
{
    struct llm_batching b = several(3, 3);
    (void)state;
    assert_true(llm_batching_fits(&b, 15990, 11, 1) && !llm_batching_fits(&b, 15990, 12, 1));
    assert_true(llm_batching_fits(&b, 3990, 11, 3) && !llm_batching_fits(&b, 3990, 12, 3));
}

static struct service drawn(const struct llm_batching *b, double rate)
{
    struct service s = poisson(b, SERVICE_REQUESTS, rate);
    s.dispatch = DISPATCH_MODEL;
    s.demand.prompt_tokens = (struct law)LAW_OF(LAW_FIXED, 100);
    s.demand.output_tokens = (struct law)LAW_OF(LAW_EXPONENTIAL, 10);
    s.demand.end_ns = ns_of_seconds(2000);
    return s;
}

/* Models are drawn by their shares, 4 : 2 : 1: chi-square of 2 degrees of freedom below 13.8 (p .001); of equal shares far off. Which
 * model a request is for changes neither its time nor its size. */
static void drawn_by_share(void **state)
{
    struct llm_batching b = several(3, 3);
    struct serving_figures f, other;
    double weight[2][MODELS] = { { 4. / 7, 2. / 7, 1. / 7 }, { 1. / 3, 1. / 3, 1. / 3 } }, chi2[2] = { 0 };
    (void)state;
    b.models.recorded = NULL;
    struct service s = drawn(&b, 1);
    struct group_counts c = counts_of(&s, 1, &f);
    for (int law = 0; law < 2; law++)
        for (int k = 0; k < MODELS; k++) {
            double want = weight[law][k] * f.arrived, off = (double)c.of[k + 1].arrived - want;
            chi2[law] += off * off / want;
        }
    assert_true(chi2[0] < 13.8 && chi2[1] > 100);
    group_counts_free(&c);
    struct llm_batching one = llm_batching_of_model(&b, 0);
    struct service plain = drawn(&one, 1);
    plain.dispatch = DISPATCH_JSQ;
    c = counts_of(&plain, 1, &other);
    near(other.arrived, f.arrived, 0);
    near(other.output_tokens, f.output_tokens, 0);
    group_counts_free(&c);
}

/* More places, fewer swaps, and first tokens no later; with all there none, and then capacity is that of the mix: a replica loaded to
 * .9 of it serves all, one loaded to 1.3 of it falls behind. */
static void more_places(void **state)
{
    double loads = INFINITY, first_s = INFINITY;
    (void)state;
    for (uint32_t slots = 1; slots <= MODELS; slots++) {
        struct llm_batching b = several(slots, MODELS);
        struct serving_figures f;
        b.models.recorded = NULL;
        struct service s = drawn(&b, .2);
        struct group_counts c = counts_of(&s, 1, &f);
        assert_true(f.engine.loads < loads && f.first_token.mean_s < first_s && f.served == f.arrived);
        loads = f.engine.loads;
        first_s = f.first_token.mean_s;
        group_counts_free(&c);
    }
    near(loads, 0, 0);
    struct llm_batching b = several(MODELS, MODELS);
    b.models.recorded = NULL;
    for (int over = 0; over < 2; over++) {
        struct service s = drawn(&b, 1);
        s.demand.rate = (over ? 1.3 : .9) * service_capacity(&s);
        struct serving_figures f = served(&s, 1, 1, 1, 0, 2000);
        assert_true(over ? f.unfinished > .1 * f.arrived : f.unfinished < .02 * f.arrived);
    }
}

/* Replicas come and go at random, with and without pools, in little memory: every request ends once, and which model it is for is the
 * same whatever happens. */
static void every_request_ends_once(void **state)
{
    enum { IDS = 5 };
    uint64_t hash = 0;
    (void)state;
    for (uint64_t world = 0; world < 24; world++) {
        struct llm_batching b = several(1 + (uint32_t)world % MODELS, MODELS);
        struct random luck;
        bool ready[IDS] = { false };
        b.models.recorded = NULL;
        b.blocks = 60;
        if (world / MODELS % 2)
            b.pools = (struct llm_pools){ .prefill = 1, .decode = 1, .bytes_per_s = 1e8, .setup_s = .01, .kept = 1 };
        struct service s = drawn(&b, 1);
        s.dispatch = world % 4 ? DISPATCH_MODEL : DISPATCH_RANDOM2;
        s.lost = world % 5 ? LOST_REQUEUE : LOST_DROP;
        struct serving *v = serving_new(&s, 1);
        random_init(&luck, world, "replicas", 0);
        for (double at = 0; at < 2500; at += random_uniform(&luck) * 60) {
            uint32_t id = (uint32_t)random_below(&luck, IDS);
            serving_advance(v, ns_of_seconds(at));
            ready[id] ? serving_replica_gone(v, id) : serving_replica_ready(v, id, 1);
            ready[id] = !ready[id];
            struct serving_load now = serving_load(v);
            near(now.served + now.dropped + now.waiting + now.in_service, now.arrived, 0);
        }
        for (uint32_t id = 0; id < IDS; id++)
            if (!ready[id])
                serving_replica_ready(v, id, 1);
        serving_advance(v, ns_of_seconds(1e5));
        struct serving_figures f = serving_total(v);
        struct group_counts c = serving_by_group(v);
        struct group_count all = group_counts_sum(&c, 0, MODELS + 1);
        if (f.arrived != f.served + f.dropped || (s.lost == LOST_REQUEUE && f.dropped > f.engine.rejected))
            fail_msg("world %d: %.9g came, %.9g served, %.9g dropped", (int)world, f.arrived, f.served, f.dropped);
        assert_true((double)all.arrived == f.arrived && (double)all.served == f.served && c.of[0].arrived == 0);
        assert_true(f.engine.loads > 0 || world % MODELS == MODELS - 1);
        assert_true(hash == 0 || serving_drawn(v) == hash);
        hash = serving_drawn(v);
        group_counts_free(&c);
        serving_free(v);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(take_turns),     cmocka_unit_test(none_passes),     cmocka_unit_test(oldest_idle_goes),
        cmocka_unit_test(goes_where_it_is), cmocka_unit_test(spills_over),   cmocka_unit_test(blocks_by_model),
        cmocka_unit_test(drawn_by_share), cmocka_unit_test(more_places),     cmocka_unit_test(every_request_ends_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
