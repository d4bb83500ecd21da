/* test_conservation.c - replicas come and go at random: every request ends exactly once, or is there at the end; and nothing that
 * happens to requests changes which there are. */
#include "sim/base/random.h"
#include "tests/serving/served.h"

enum { IDS = 6 };

static const struct kind_row { const char *name; enum time_kind time; double rate; } kinds[] = {
    { "one at a time", TIME_LAW, 3 },
    { "batches", TIME_BATCH, 1500 },
    { "LLM", TIME_LLM, 8 },
};

static struct service service_of(enum time_kind time, double rate)
{
    struct service s = served_by_law("conserved", SERVICE_REQUESTS, rate, law_lognormal_of(1, .6));
    s.time.kind = time;
    s.demand.prompt_tokens = law_lognormal_of(1155, 1020);
    s.demand.output_tokens = law_lognormal_of(211, 129);
    s.demand.end_ns = 400 * NS_PER_S;
    s.slo.latency_s = 5;
    return s;
}

static bool same(double a, double b, bool flow)
{
    return flow ? fabs(a - b) <= 1e-9 * fmax(1, fmax(a, b)) : a == b;
}

/* A replica comes or goes some 0 to 4 s after the last change, until 600 s; then five stay, until everybody who waits is served. */
static uint64_t play(const struct service *s, uint64_t luck_of_replicas, double *lost)
{
    struct random luck;
    bool ready[IDS] = { false }, flow = s->mode == SERVICE_FLUID;
    struct serving *v = serving_new(s, 1);
    struct serving_figures sum = { 0 };
    double before = 0, ready_s = 0;
    random_init(&luck, luck_of_replicas, "replicas", 0);
    for (double at = 0; at < 600; at += random_uniform(&luck) * 4) {
        uint32_t id = (uint32_t)random_below(&luck, IDS), up = 0;
        for (uint32_t i = 0; i < IDS; i++)
            up += ready[i];
        serving_advance(v, ns_of_seconds(at));
        ready_s += up * (seconds(ns_of_seconds(at)) - before);
        before = seconds(ns_of_seconds(at));
        struct serving_load l = serving_load(v);
        assert_true(same(l.arrived, l.served + l.dropped + l.waiting + (flow ? 0 : l.in_service), flow));
        assert_int_equal(l.ready, up);
        assert_true(flow || l.in_service <= (double)up * service_slots(s));
        assert_near(l.replica_s, ready_s, 1e-9);
        assert_true(l.busy_s <= l.replica_s * (1 + 1e-12) && l.concurrency_s <= l.replica_s * service_slots(s) * (1 + 1e-12));
        if (random_uniform(&luck) < .3) {
            struct serving_figures f = serving_take_figures(v);
            assert_true(same(f.arrived + sum.unfinished, f.served + f.dropped + f.unfinished, flow));
            sum = (struct serving_figures){ .arrived = sum.arrived + f.arrived, .served = sum.served + f.served, .dropped = sum.dropped + f.dropped,
                                            .kept = sum.kept + f.kept, .unfinished = f.unfinished, .windows = sum.windows + f.windows };
        }
        if (ready[id])
            serving_replica_gone(v, id);
        else
            serving_replica_ready(v, id, id % 2 ? 1 : .5);
        ready[id] = !ready[id];
    }
    for (uint32_t id = 0; id < IDS; id++)
        if (!ready[id])
            serving_replica_ready(v, id, 1);
    serving_advance(v, 100000 * NS_PER_S);
    struct serving_figures last = serving_take_figures(v), all = serving_total(v);
    assert_true(same(all.arrived, sum.arrived + last.arrived, flow) && same(all.served, sum.served + last.served, flow));
    assert_true(same(all.dropped, sum.dropped + last.dropped, flow) && same(all.kept, sum.kept + last.kept, flow));
    assert_true(same(all.arrived, all.served + all.dropped, flow) && all.unfinished == 0);
    assert_true(same(sum.windows + last.windows, all.windows, false));
    *lost = all.dropped;
    uint64_t drawn = serving_drawn(v);
    serving_free(v);
    return drawn;
}

static void every_request_ends_once(void **state)
{
    const struct kind_row *k = *state;
    struct service s = service_of(k->time, k->rate);
    uint64_t drawn = 0;
    double lost, dropped_with_replicas = 0;
    for (int d = DISPATCH_CENTRAL; d <= DISPATCH_RANDOM2; d++)
        for (int drop = 0; drop < 2; drop++)
            for (int patient = 0; patient < 2; patient++)
                for (uint64_t luck = 1; luck <= 5; luck++) {
                    s.dispatch = (enum dispatch)d;
                    s.lost = drop ? LOST_DROP : LOST_REQUEUE;
                    s.timeout_s = patient ? INFINITY : 2;
                    uint64_t now = play(&s, luck, &lost);
                    assert_true(drawn == 0 || now == drawn);       /* whatever became of them, they are the same */
                    drawn = now;
                    assert_true(drop || !patient || lost == 0);
                    dropped_with_replicas += drop && patient ? lost : 0;
                }
    assert_true(dropped_with_replicas > 0);
    s.mode = SERVICE_FLUID;
    for (int patient = 0; patient < 2; patient++)
        for (uint64_t luck = 1; luck <= 5; luck++) {
            s.timeout_s = patient ? INFINITY : 2;
            play(&s, luck, &lost);
            assert_true(patient ? lost == 0 : lost > 0);
        }
    double other;
    struct service control = service_of(k->time, k->rate);
    control.name = "another";
    assert_true(play(&control, 1, &other) != drawn);
}

static void assert_same_figures(const struct serving_figures *want, const struct serving_figures *got)
{
    assert_near(got->arrived, want->arrived, 0);
    assert_near(got->served, want->served, 0);
    assert_near(got->dropped, want->dropped, 0);
    assert_near(got->unfinished, want->unfinished, 0);
    assert_near(got->kept, want->kept, 0);
    assert_near(got->busy_s, want->busy_s, 0);
    assert_near(got->concurrency_s, want->concurrency_s, 0);
    assert_memory_equal(want, got, sizeof *want);    /* and all others */
}

/* With one replica there is nothing to choose: all three ways to dispatch are the same, to the last bit. */
static void one_replica_no_choice(void **state)
{
    const struct kind_row *k = *state;
    struct serving_figures f[3];
    for (int d = DISPATCH_CENTRAL; d <= DISPATCH_RANDOM2; d++) {
        struct service s = service_of(k->time, k->rate / 6);
        s.dispatch = (enum dispatch)d;
        s.timeout_s = 3;
        f[d] = served(&s, 1, 1, 1, 0, 1000);
    }
    assert_true(f[0].served > 0);
    assert_same_figures(&f[0], &f[1]);
    assert_same_figures(&f[0], &f[2]);
}

/* When the caller looks does not matter: every second, or once. */
static void looking_changes_nothing(void **state)
{
    const struct kind_row *k = *state;
    struct service s = service_of(k->time, k->rate);
    for (int d = DISPATCH_CENTRAL; d <= DISPATCH_RANDOM2; d++) {
        s.dispatch = (enum dispatch)d;
        struct serving *often = serving_with(&s, 1, 4, 1), *once = serving_with(&s, 1, 4, 1);
        for (int i = 1; i <= 500; i++)
            serving_advance(often, i * NS_PER_S);
        serving_advance(once, 500 * NS_PER_S);
        struct serving_figures a = serving_total(often), b = serving_total(once);
        assert_same_figures(&b, &a);
        assert_true(serving_drawn(often) == serving_drawn(once));
        serving_free(often);
        serving_free(once);
    }
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, every_request_ends_once, kinds);
    ADD_ROWS(tests, n, one_replica_no_choice, kinds);
    ADD_ROWS(tests, n, looking_changes_nothing, kinds);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
