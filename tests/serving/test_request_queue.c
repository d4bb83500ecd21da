/* test_request_queue.c - requests one by one, by hand: who is served when, what a lost replica does, batches, LLM. */
#include "tests/serving/served.h"

struct step { double at_s; int ready, gone; };     /* a replica that comes or goes; -1: none */
enum { ENDS_MOST = 8, STEPS_MOST = 6 };

/* What has come of them at `look_s`: mean latency of those served, how many were dropped, when the last of them ended. */
static const struct by_hand {
    const char *name;
    enum dispatch dispatch;
    enum lost_requests lost;
    double timeout_s;
    struct timed request[ENDS_MOST];
    struct step step[STEPS_MOST];
    double served, dropped, unfinished, latency_sum_s, busy_s;
} rows[] = {
    /* One replica: ends at 10, 15, 17; latencies 10, 14, 14. */
    { "first come, first served", DISPATCH_CENTRAL, LOST_REQUEUE, INFINITY, { { 0, 10, 0, 0 }, { 1, 5, 0, 0 }, { 3, 2, 0, 0 } },
      { { 0, 0, -1 } }, 3, 0, 0, 38, 17 },
    /* Two: the first on 0 until 10, the second on 1 from 1 to 6, the third then there from 6 to 8: 10 + 5 + 5. */
    { "the one that is free", DISPATCH_CENTRAL, LOST_REQUEUE, INFINITY, { { 0, 10, 0, 0 }, { 1, 5, 0, 0 }, { 3, 2, 0, 0 } },
      { { 0, 0, -1 }, { 0, 1, -1 } }, 3, 0, 0, 20, 17 },
    /* Shortest queue: the first on 0, the second on 1, the third, tied at one each, behind the first on 0: 10 to 12. */
    { "shortest queue, tie to the smaller id", DISPATCH_JSQ, LOST_REQUEUE, INFINITY, { { 0, 10, 0, 0 }, { 1, 5, 0, 0 }, { 3, 2, 0, 0 } },
      { { 0, 0, -1 }, { 0, 1, -1 } }, 3, 0, 0, 10 + 5 + 9, 17 },
    /* The second has waited 4 s at 5, and leaves; at exactly 4 s it would have been served. */
    { "timeout", DISPATCH_CENTRAL, LOST_REQUEUE, 4, { { 0, 5.5, 0, 0 }, { 1, 5, 0, 0 }, { 3, 2, 0, 0 } }, { { 0, 0, -1 } }, 2, 1, 0, 5.5 + 4.5, 7.5 },
    { "exactly the timeout is not too long", DISPATCH_CENTRAL, LOST_REQUEUE, 4, { { 0, 5, 0, 0 }, { 1, 1, 0, 0 } }, { { 0, 0, -1 } }, 2, 0, 0, 5 + 5, 6 },
    { "timeout in a queue of one's own", DISPATCH_JSQ, LOST_REQUEUE, 4, { { 0, 5.5, 0, 0 }, { 1, 5, 0, 0 }, { 3, 2, 0, 0 } }, { { 0, 0, -1 } }, 2, 1, 0,
      5.5 + 4.5, 7.5 },
    /* Nobody is there before 7: the first waits 7, ends at 17. */
    { "before there is a replica", DISPATCH_JSQ, LOST_REQUEUE, INFINITY, { { 0, 10, 0, 0 }, { 1, 5, 0, 0 } }, { { 7, 0, -1 } }, 2, 0, 0, 17 + 21, 15 },
    /* Replica 0 goes at 4; the first, begun, is first again: on 1 at 6, when the second ends there, until 16, then the third. */
    { "requeued at the head", DISPATCH_CENTRAL, LOST_REQUEUE, INFINITY, { { 0, 10, 0, 0 }, { 1, 5, 0, 0 }, { 3, 2, 0, 0 } },
      { { 0, 0, -1 }, { 0, 1, -1 }, { 4, -1, 0 } }, 3, 0, 0, 16 + 5 + 15, 4 + 5 + 10 + 2 },
    /* It is not dropped for its wait, for it had begun; the third is: at 3 + 4 nobody is free. */
    { "what began does not time out", DISPATCH_CENTRAL, LOST_REQUEUE, 4, { { 0, 10, 0, 0 }, { 1, 5, 0, 0 }, { 3, 2, 0, 0 } },
      { { 0, 0, -1 }, { 0, 1, -1 }, { 4, -1, 0 } }, 2, 1, 0, 16 + 5, 4 + 5 + 10 },
    { "dropped with its replica", DISPATCH_CENTRAL, LOST_DROP, INFINITY, { { 0, 10, 0, 0 }, { 1, 5, 0, 0 }, { 3, 2, 0, 0 } },
      { { 0, 0, -1 }, { 0, 1, -1 }, { 4, -1, 0 } }, 2, 1, 0, 5 + 5, 4 + 5 + 2 },
    /* Shortest queue: 0 has the first and the third. Both go to 1 at 4, the one that began first: 6 to 16, 16 to 18. */
    { "the queue of a lost replica", DISPATCH_JSQ, LOST_REQUEUE, INFINITY, { { 0, 10, 0, 0 }, { 1, 5, 0, 0 }, { 3, 2, 0, 0 } },
      { { 0, 0, -1 }, { 0, 1, -1 }, { 4, -1, 0 } }, 3, 0, 0, 16 + 5 + 15, 4 + 5 + 10 + 2 },
    { "the queue of a lost replica, dropped", DISPATCH_JSQ, LOST_DROP, INFINITY, { { 0, 10, 0, 0 }, { 1, 5, 0, 0 }, { 3, 2, 0, 0 } },
      { { 0, 0, -1 }, { 0, 1, -1 }, { 4, -1, 0 } }, 1, 2, 0, 5, 4 + 5 },
    /* All go: what was begun waits for ever. */
    { "nobody is left", DISPATCH_CENTRAL, LOST_REQUEUE, INFINITY, { { 0, 10, 0, 0 }, { 1, 5, 0, 0 } }, { { 0, 0, -1 }, { 4, -1, 0 } }, 0, 0, 2, 0, 4 },
    /* What ends when the replica goes has ended. */
    { "ends as its replica goes", DISPATCH_CENTRAL, LOST_DROP, INFINITY, { { 0, 10, 0, 0 } }, { { 0, 0, -1 }, { 10, -1, 0 } }, 1, 0, 0, 10, 10 },
    /* An id comes back: a new replica. */
    { "an id again", DISPATCH_RANDOM2, LOST_REQUEUE, INFINITY, { { 0, 10, 0, 0 }, { 1, 5, 0, 0 } }, { { 0, 0, -1 }, { 4, -1, 0 }, { 8, 0, -1 } }, 2, 0, 0,
      18 + 22, 4 + 15 },
};

static struct serving *played(const struct service *s, const struct step *step, double look_s)
{
    struct serving *v = serving_new(s, 1);
    for (size_t i = 0; i < STEPS_MOST && (i == 0 || step[i].at_s > 0 || step[i].ready > 0); i++) {
        serving_advance(v, ns_of_seconds(step[i].at_s));
        if (step[i].ready >= 0)
            serving_replica_ready(v, (uint32_t)step[i].ready, 1);
        else
            serving_replica_gone(v, (uint32_t)step[i].gone);
    }
    serving_advance(v, ns_of_seconds(look_s));
    return v;
}

static void by_hand(void **state)
{
    const struct by_hand *r = *state;
    size_t n = 1;
    while (n < ENDS_MOST && r->request[n].service_s > 0)
        n++;
    struct request_list l = listed(r->request, n);
    struct service s = service_default();
    s.name = "by hand";
    s.mode = SERVICE_REQUESTS;
    s.dispatch = r->dispatch;
    s.lost = r->lost;
    s.timeout_s = r->timeout_s;
    s.demand.replay = &l;
    s.time.kind = TIME_RECORDED;
    struct serving *v = played(&s, r->step, 100);
    struct serving_figures f = serving_total(v);
    assert_near(f.arrived, (double)n, 0);
    assert_near(f.served, r->served, 0);
    assert_near(f.dropped, r->dropped, 0);
    assert_near(f.unfinished, r->unfinished, 0);
    if (r->served > 0)
        assert_near(f.latency.mean_s * f.served, r->latency_sum_s, 1e-12);
    assert_near(f.busy_s, r->busy_s, 1e-12);
    serving_free(v);
    request_list_free(&l);
}

/* ---- batches: 4 ms + 1 ms k, at most 3, window 5 ms ---- */

static const struct batch_row {
    const char *name;
    enum dispatch dispatch;
    struct timed request[ENDS_MOST];
    double latency_sum_ms, busy_ms;
} batches[] = {
    /* Alone: begins when it has waited 5 ms, and takes 5. */
    { "the oldest has waited", DISPATCH_CENTRAL, { { 0, 1, 0, 0 } }, 10, 5 },
    /* Two: at 5 ms, 6 ms for both: end at 11. */
    { "two in the window", DISPATCH_CENTRAL, { { 0, 1, 0, 0 }, { .003, 1, 0, 0 } }, 11 + 8, 6 },
    /* The third fills it at 2 ms: 7 ms, until 9. */
    { "full", DISPATCH_CENTRAL, { { 0, 1, 0, 0 }, { .001, 1, 0, 0 }, { .002, 1, 0, 0 } }, 9 + 8 + 7, 7 },
    { "full, in a queue of its own", DISPATCH_JSQ, { { 0, 1, 0, 0 }, { .001, 1, 0, 0 }, { .002, 1, 0, 0 } }, 9 + 8 + 7, 7 },
    /* The fourth, at 3 ms, waits until 9, when it is older than 5 ms: alone until 14. */
    { "behind a full one", DISPATCH_CENTRAL, { { 0, 1, 0, 0 }, { .001, 1, 0, 0 }, { .002, 1, 0, 0 }, { .003, 1, 0, 0 } }, 24 + 11, 12 },
    /* The fourth at 8 ms is not old enough at 9: it begins at 13, until 18. */
    { "free, but not old enough", DISPATCH_CENTRAL, { { 0, 1, 0, 0 }, { .001, 1, 0, 0 }, { .002, 1, 0, 0 }, { .008, 1, 0, 0 } }, 24 + 10, 12 },
};

static void batch_by_hand(void **state)
{
    const struct batch_row *r = *state;
    size_t n = 1;
    while (n < ENDS_MOST && r->request[n].service_s > 0)
        n++;
    struct request_list l = listed(r->request, n);
    struct service s = service_default();
    s.name = "batches";
    s.mode = SERVICE_REQUESTS;
    s.dispatch = r->dispatch;
    s.demand.replay = &l;
    s.time.kind = TIME_BATCH;
    s.time.batch.max = 3;
    struct serving *v = played(&s, (const struct step[STEPS_MOST]){ { 0, 0, -1 } }, 1);
    struct serving_figures f = serving_total(v);
    assert_near(f.served, (double)n, 0);
    assert_near(f.latency.mean_s * f.served * 1000, r->latency_sum_ms, 1e-9);
    assert_near(f.busy_s * 1000, r->busy_ms, 1e-9);
    serving_free(v);
    request_list_free(&l);
}

/* ---- LLM ---- */

/* models.md 4.2: 14 GB over 2039 GB/s = 6.87 ms a token for one sequence without context; and its parts by hand. */
static void llm_numbers(void **state)
{
    (void)state;
    struct llm_model m = llm_7b_a100;
    assert_near(m.parameters * m.parameter_bytes / m.bandwidth, .00687, 1e-3);
    m.context = 0;
    assert_near(llm_token_s(&m, 1), 14e9 / 2039e9, 1e-12);
    m.context = 4096;
    assert_near(llm_token_s(&m, 1), 14e9 / 2039e9 + 4096 * 524288.0 / 2039e9, 1e-12);
    /* arithmetic is more than the weights from k = (14e9/2039e9)/(14e9/156e12) = 76.5 on */
    assert_near(llm_token_s(&m, 100) - 100 * 4096 * 524288.0 / 2039e9, 100 * 14e9 / 156e12, 1e-12);
    assert_near(llm_prefill_s(&m, 1000), 1000 * 14e9 / 156e12, 1e-12);
    /* floor((80 GiB x .9 - 14e9)/(2^31)): (77309411328 - 14e9)/2147483648 = 29.48 */
    assert_int_equal(llm_sequences(&m), 29);
    m.memory_bytes = 15e9;
    assert_int_equal(llm_sequences(&m), 0);
}

/* A model with round numbers: 1 ms a prompt token; d(k) = 10 ms + 2 ms k. */
static struct service simple_llm(const struct request_list *l)
{
    struct service s = service_default();
    s.name = "llm";
    s.mode = SERVICE_REQUESTS;
    s.demand.replay = l;
    s.time.kind = TIME_LLM;
    /* weights 1e9 bytes over 1e11 bytes/s: 10 ms; 2 x 5e8/(2e12 x .5) = 1 ms; 1 x 2e8/1e11 = 2 ms; (1.8e9 - 1e9)/2e8 = 4 slots */
    s.time.llm = (struct llm_model){ .parameters = 5e8, .parameter_bytes = 2, .flops = 2e12, .efficiency = .5, .memory_bytes = 2e9, .usable = .9,
                                     .bandwidth = 1e11, .kv_bytes = 1e5, .context = 2000 };
    assert_int_equal(llm_sequences(&s.time.llm), 4);
    assert_near(llm_token_s(&s.time.llm, 2), .014, 1e-12);
    return s;
}

static const struct llm_row {
    const char *name;
    struct timed request[ENDS_MOST];
    double replicas;
    double latency_sum_ms, first_token_sum_ms, per_token_sum_ms, concurrency_ms;
} llms[] = {
    /* 100 ms, then 50 x 12 ms. */
    { "alone", { { 0, 0, 100, 50 } }, 1, 700, 100, 12, 700 },
    /* The second reads its prompt from 100 to 200 while the first decodes alone: by then 100/12 = 8.33 tokens. Then 14 ms a token each:
     * the first has 41.667 left, until 200 + 583.333; the second 41.667 then, 8.333 left, at 12 ms: 883.333. */
    { "re-timed when another joins", { { 0, 0, 100, 50 }, { 0, 0, 100, 50 } }, 1, 783.333333 + 883.333333, 300, 683.333333 / 50 * 2,
      783.333333 + 883.333333 - 100 },
    /* On two replicas each is alone. */
    { "the replica with fewer", { { 0, 0, 100, 50 }, { 0, 0, 100, 50 } }, 2, 1400, 200, 24, 1400 },
    /* Five prompts of 10 ms and 100 tokens; four slots: the fifth begins when the first ends. Tokens of the first: 10 ms alone at 12, 10 at
     * 14, 10 at 16, then 18 a token: .8333 + .7143 + .625 = 2.1726 at 40 ms, 97.8274 x 18 = 1760.893: 1800.893. At 1800.893 the second
     * has 97.8274 + 1.3393 = 99.1667, the third 98.4524 and the fourth 97.8274; the fifth reads until 1810.893. Three at 16 ms: the second
     * ends .83333 x 16 = 13.333 later: 1814.226, but at 1810.893, when .625 more are done, the fifth joins, so .208333 at 18: 1814.643.
     * The third: 98.4524 + .83333 = 99.2857, .714286 at 16: 1826.071. The fourth: 97.8274 + .83333 + .714286 = 99.375, .625 at 14: 1834.821.
     * The fifth has .208333 + .714286 + .625 = 1.547619 then, 98.452381 at 12: 3016.250. Held: 1800.893, 1804.643 from 10 on,
     * 1806.071 from 20, 1804.821 from 30, and 1215.357. */
    { "no more than there are slots", { { 0, 0, 10, 100 }, { 0, 0, 10, 100 }, { 0, 0, 10, 100 }, { 0, 0, 10, 100 }, { 0, 0, 10, 100 } }, 1,
      1800.892857 + 1814.642857 + 1826.071429 + 1834.821429 + 3016.250, 10 + 20 + 30 + 40 + 1810.892857,
      17.90892857 + 17.94642857 + 17.96071429 + 17.94821429 + 12.05357143, 1800.892857 + 1804.642857 + 1806.071429 + 1804.821429 + 1215.357143 },
};

static void llm_by_hand(void **state)
{
    const struct llm_row *r = *state;
    size_t n = 1;
    while (n < ENDS_MOST && r->request[n].output > 0)
        n++;
    struct request_list l = listed(r->request, n);
    struct service s = simple_llm(&l);
    struct serving *v = serving_with(&s, 1, (uint32_t)r->replicas, 1);
    serving_advance(v, 100 * NS_PER_S);
    struct serving_figures f = serving_total(v);
    double count = (double)n * 1e-3;
    assert_near(f.served, (double)n, 0);
    assert_near(f.latency.mean_s * count * 1e6, r->latency_sum_ms, 1e-6);
    assert_near(f.first_token.mean_s * count * 1e6, r->first_token_sum_ms, 1e-6);
    assert_near(f.per_token.mean_s * count * 1e6, r->per_token_sum_ms, 1e-6);
    assert_near(f.concurrency_s * 1e3, r->concurrency_ms, 1e-6);
    serving_free(v);
    request_list_free(&l);
}

/* Speed 2 is half of every time. */
static void speed_divides_times(void **state)
{
    (void)state;
    const struct timed two[] = { { 0, 0, 100, 50 }, { 0, 0, 100, 50 } };
    struct request_list l = listed(two, 2);
    struct service s = simple_llm(&l);
    struct serving *v = serving_with(&s, 1, 1, 2);
    serving_advance(v, 100 * NS_PER_S);
    assert_near(serving_total(v).latency.mean_s * 2000, (783.333333 + 883.333333) / 2, 1e-6);
    serving_free(v);
    request_list_free(&l);
}

/* At .5 from 4 s on: the first, 10 s long, keeps its end; the second takes 5 / .5, from 10 to 20. At full speed again from 25 on:
 * the third comes at 30 and takes 2. */
static void another_speed(void **state)
{
    (void)state;
    const struct timed three[] = { { 0, 10, 0, 0 }, { 1, 5, 0, 0 }, { 30, 2, 0, 0 } };
    struct request_list l = listed(three, 3);
    struct service s = service_default();
    s.name = "speeds";
    s.mode = SERVICE_REQUESTS;
    s.timeout_s = INFINITY;
    s.demand.replay = &l;
    s.time.kind = TIME_RECORDED;
    struct serving *v = serving_with(&s, 1, 1, 1);
    const double busy_s[] = { 4, 15, 20, 22 }, look_s[] = { 4, 15, 25, 100 }, speed[] = { .5, .5, 1, 1 };
    for (size_t i = 0; i < 4; i++) {
        serving_advance(v, ns_of_seconds(look_s[i]));
        assert_near(serving_replica_work(v, 0).busy_s, busy_s[i], 1e-12);
        serving_replica_speed(v, 0, speed[i]);
    }
    assert_near(serving_total(v).latency.mean_s * 3, 10 + 19 + 2, 1e-9);
    serving_free(v);
    request_list_free(&l);
}

/* Half the speed from 50 ms on: the prompt keeps its end, 100 ms; 10 of 50 tokens are there at 100 + 10 x 24 ms. Full speed from then
 * on: 40 x 12 ms more. */
static void another_speed_of_an_llm(void **state)
{
    (void)state;
    const struct timed one[] = { { 0, 0, 100, 50 } };
    struct request_list l = listed(one, 1);
    struct service s = simple_llm(&l);
    struct serving *v = serving_with(&s, 1, 1, 1);
    serving_advance(v, ns_of_seconds(.05));
    serving_replica_speed(v, 0, .5);
    serving_advance(v, ns_of_seconds(.34));
    serving_replica_speed(v, 0, 1);
    serving_advance(v, 100 * NS_PER_S);
    assert_near(serving_total(v).latency.mean_s * 1000, 100 + 10 * 24 + 40 * 12, 1e-5);
    assert_near(serving_replica_work(v, 0).busy_s * 1000, 820, 1e-5);
    serving_free(v);
    request_list_free(&l);
}

/* M/M/1 at .5, then at .5/.625 = .8: a flow has the utilisation of its equilibrium at once. */
static void speed_of_a_flow(void **state)
{
    (void)state;
    struct service s = served_by_law("flow", SERVICE_FLUID, .5, (struct law)LAW_OF(LAW_EXPONENTIAL, 1));
    struct serving *v = serving_with(&s, 1, 1, 1);
    serving_advance(v, 100 * NS_PER_S);
    assert_near(serving_replica_work(v, 0).busy_s, 50, 1e-6);      /* 1e-9 of it: polygons */
    serving_replica_speed(v, 0, .625);
    serving_advance(v, 200 * NS_PER_S);
    assert_near(serving_replica_work(v, 0).busy_s, 50 + 80, 1e-6);
    serving_free(v);
}

/* ---- SLO ---- */

/* Latencies 1, 2, 3, 4 of requests at 0, 10, 70, 75 in windows of a minute: at most 2 s in half of them. First minute: all, second: none. */
static void slo_by_hand(void **state)
{
    (void)state;
    const struct timed four[] = { { 0, 1, 0, 0 }, { 10, 2, 0, 0 }, { 70, 3, 0, 0 }, { 75, 4, 0, 0 }, { 200, 2.5, 0, 0 }, { 210, 1, 0, 0 } };
    struct request_list l = listed(four, 6);
    struct service s = service_default();
    s.name = "slo";
    s.mode = SERVICE_REQUESTS;
    s.demand.replay = &l;
    s.time.kind = TIME_RECORDED;
    s.slo.share = .5;
    s.slo.latency_s = 2;
    struct serving *v = serving_with(&s, 1, 1, 1);
    const double windows[] = { 1, 1, 0, 1 }, kept[] = { 1, 0, 0, 1 };        /* 200 s is in the fourth: half of two is enough */
    for (int i = 0; i < 4; i++) {
        serving_advance(v, (i + 1) * SLO_WINDOW_NS);
        struct serving_figures f = serving_take_figures(v);
        assert_near(f.windows, windows[i], 0);
        assert_near(f.windows_kept, kept[i], 0);
        assert_near(seconds(f.from_ns), i * 60, 0);
    }
    struct serving_figures f = serving_total(v);
    assert_near(figures_attainment(&f), 3 / 6.0, 1e-12);
    assert_near(f.windows, 3, 0);
    assert_near(f.windows_kept, 2, 0);
    assert_near(f.latency.p50_s, 2, 1 / 1024.0);     /* rank 3 of 1, 1, 2, 2.5, 3, 4 */
    assert_near(f.latency.p99_s, 4, 1 / 1024.0);
    serving_free(v);
    request_list_free(&l);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, by_hand, rows);
    ADD_ROWS(tests, n, batch_by_hand, batches);
    ADD_TEST(tests, n, llm_numbers);
    ADD_ROWS(tests, n, llm_by_hand, llms);
    ADD_TEST(tests, n, speed_divides_times);
    ADD_TEST(tests, n, another_speed);
    ADD_TEST(tests, n, another_speed_of_an_llm);
    ADD_TEST(tests, n, speed_of_a_flow);
    ADD_TEST(tests, n, slo_by_hand);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
