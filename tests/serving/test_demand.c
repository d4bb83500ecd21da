/* test_demand.c - the requests of a service: laws of their arrival, streams that nobody else touches, replays. */
#include "sim/serving/demand.h"
#include "tests/serving/served.h"
#include "tests/synth/statistics.h"

#include <string.h>

static const double flat_week[7] = { 1, 1, 1, 1, 1, 1, 1 };

static struct service one_second(double rate)
{
    return served_by_law("demand", SERVICE_REQUESTS, rate, (struct law)LAW_OF(LAW_EXPONENTIAL, 1));
}

/* models.md 4.1: lambda_1 = 3, lambda_2 = .5 of the mean, q21 = 1/240, q12 = 1/60: mean rate as asked, IDC(inf) = 1 + 96 lambda. IDC of
 * 3-hour windows, 250 correlation times (1/(q12 + q21) = 48 s), is 1 - 48/10800 of the excess. A Poisson process is the control. */
static void bursts_as_the_formula(void **state)
{
    (void)state;
    enum { WINDOWS = 4000 };
    const double rate = .2, window_s = 10800;
    for (size_t poisson = 0; poisson < 2; poisson++) {
        struct service s = one_second(rate);
        s.demand.arrivals.kind = poisson ? ARRIVE_POISSON : ARRIVE_MMPP;
        struct demand *d = demand_new(&s, 1);
        static double count[WINDOWS];
        memset(count, 0, sizeof count);
        for (const struct service_request *r; seconds((r = demand_next(d))->time_ns) < WINDOWS * window_s; demand_take(d))
            count[(size_t)(seconds(r->time_ns) / window_s)]++;
        double mean = 0, square = 0, idc = 1 + 96 * rate, kept = 1 - 48 / window_s;
        for (size_t i = 0; i < WINDOWS; i++)
            mean += count[i] / WINDOWS;
        for (size_t i = 0; i < WINDOWS; i++)
            square += (count[i] - mean) * (count[i] - mean) / WINDOWS;
        double want = 1 + (idc - 1) * kept, error = want * sqrt(2.0 / WINDOWS);      /* counts are near normal */
        print_message("IDC: want %.1f +- %.1f, %.1f; mean %.4f\n", want, error, square / mean, mean / window_s);
        assert_int_equal(fabs(square / mean - want) < 4 * error, !poisson);
        assert_true(fabs(mean / window_s - rate) < 4 * sqrt(idc * rate / (WINDOWS * window_s)));
        demand_free(d);
    }
}

/* models.md 11.1: hourly counts by chi-square, level 0.1 %; of a flat calendar they do not fit. */
static void thinning_by_the_hour(void **state)
{
    (void)state;
    for (size_t flat = 0; flat < 2; flat++) {
        double hours[24] = { 0 };
        struct service s = one_second(.2);
        if (!flat)
            s.demand.calendar = calendar_of(calendar_helios_daily, flat_week, 0, TIME_NEVER);
        struct demand *d = demand_new(&s, 3);
        for (const struct service_request *r; seconds((r = demand_next(d))->time_ns) < 70 * 86400; demand_take(d))
            hours[(size_t)(seconds(r->time_ns) / 3600) % 24]++;
        assert_int_equal(chi_square_agrees(hours, calendar_helios_daily, 24), !flat);
        demand_free(d);
    }
}

/* The flow of a service is the mean of its requests: of each hour of a day of the calendar, of a service that starts and ends in the
 * middle; and of MMPP that of the very bursts in which the requests come. */
static void flow_is_the_mean_of_requests(void **state)
{
    (void)state;
    for (int kind = ARRIVE_POISSON; kind <= ARRIVE_MMPP; kind++) {
        if (kind == ARRIVE_HYPER)
            continue;
        struct service s = one_second(20);
        s.demand.arrivals.kind = (enum arrival_kind)kind;
        s.demand.calendar = calendar_of(calendar_helios_daily, flat_week, .1, TIME_NEVER);
        s.demand.start_ns = ns_of_seconds(1234.5);
        s.demand.end_ns = ns_of_seconds(100000.25);
        struct demand *one = demand_new(&s, 1), *flow = demand_new(&s, 1), *other = demand_new(&s, 2);
        double chi = 0, chi_other = 0;
        int hours = 0;
        for (int64_t at = 0, until; at < 110000 * NS_PER_S; hours++) {
            double amount = 0, amount_other = 0, count = 0;
            int64_t hour = at + 3600 * NS_PER_S;
            for (int64_t t = at; t < hour; t = until)
                amount += demand_rate(flow, t, hour, &until) * seconds(until - t);
            for (int64_t t = at; t < hour; t = until)
                amount_other += demand_rate(other, t, hour, &until) * seconds(until - t);
            for (const struct service_request *r; (r = demand_next(one)) && r->time_ns < hour; demand_take(one)) {
                assert_true(r->time_ns >= s.demand.start_ns && r->time_ns < s.demand.end_ns);
                count++;
            }
            chi += amount > 0 ? (count - amount) * (count - amount) / amount : count;
            chi_other += amount_other > 0 ? (count - amount_other) * (count - amount_other) / amount_other : count;
            at = hour;
        }
        print_message("chi-square %.1f of about %d, %.1f of other bursts\n", chi, hours, chi_other);
        assert_true(chi < gsl_cdf_chisq_Qinv(1e-3, hours));
        assert_int_equal(chi_other > 10 * hours, kind == ARRIVE_MMPP);
        assert_null(demand_next(one));
        demand_free(one);
        demand_free(flow);
        demand_free(other);
    }
}

/* Asked in short or in long steps, the flow is the same and so is its hash. */
static void steps_do_not_matter(void **state)
{
    (void)state;
    struct service s = one_second(3);
    s.demand.arrivals.kind = ARRIVE_MMPP;
    s.demand.calendar = calendar_of(calendar_helios_daily, flat_week, 0, TIME_NEVER);
    struct demand *a = demand_new(&s, 1), *b = demand_new(&s, 1);
    double short_sum = 0, long_sum = 0;
    int64_t until;
    for (int64_t t = 0; t < 86400 * NS_PER_S; t = until)
        long_sum += demand_rate(a, t, 86400 * NS_PER_S, &until) * seconds(until - t);
    for (int64_t step = 0; step < 86400; step += 15)
        for (int64_t t = step * NS_PER_S; t < (step + 15) * NS_PER_S; t = until)
            short_sum += demand_rate(b, t, (step + 15) * NS_PER_S, &until) * seconds(until - t);
    assert_near(short_sum, long_sum, 1e-9);
    assert_true(demand_drawn(a) == demand_drawn(b) && demand_drawn(a) != 0);
    demand_free(a);
    demand_free(b);
}

/* Two of one name and seed are identical; of another name or seed no request is. */
static void named_streams(void **state)
{
    (void)state;
    struct service s = one_second(1), named = one_second(1);
    named.name = "other";
    struct demand *a = demand_new(&s, 1), *b = demand_new(&s, 1), *seed = demand_new(&s, 2), *name = demand_new(&named, 1);
    for (int i = 0; i < 1000; i++) {
        const struct service_request *x = demand_next(a), *y = demand_next(b), *u = demand_next(seed), *v = demand_next(name);
        assert_true(x->time_ns == y->time_ns && x->service_s == y->service_s);
        assert_true(x->time_ns != u->time_ns && x->service_s != u->service_s && x->time_ns != v->time_ns && x->service_s != v->service_s);
        demand_take(a);
        demand_take(b);
        demand_take(seed);
        demand_take(name);
    }
    assert_true(demand_drawn(a) == demand_drawn(b));
    assert_true(demand_drawn(a) != demand_drawn(seed) && demand_drawn(a) != demand_drawn(name));
    demand_free(a);
    demand_free(b);
    demand_free(seed);
    demand_free(name);
}

static double below(double x, const void *law)
{
    return cut_law_below(law, x);
}

/* Service times by their law (KS, level 0.1 %), tokens by theirs: means within 4 standard errors. */
static void sizes_by_their_laws(void **state)
{
    (void)state;
    enum { DRAWS = 100000 };
    static double x[DRAWS];
    struct service s = one_second(1), llm = one_second(1);
    s.time.law = law_lognormal(-1, 1);
    llm.time.kind = TIME_LLM;
    llm.demand.prompt_tokens = law_lognormal_of(1155, 1020);
    llm.demand.output_tokens = (struct law)LAW_OF(LAW_EXPONENTIAL, 211);
    struct cut_law law, control_law;
    struct law off = law_lognormal(-1, 1.02);
    assert_true(cut_law_make(&law, &s.time.law, 0, 1e9) && cut_law_make(&control_law, &off, 0, 1e9));
    struct demand *d = demand_new(&s, 1), *tokens = demand_new(&llm, 1);
    double prompt = 0, output = 0;
    for (size_t i = 0; i < DRAWS; i++) {
        const struct service_request *r = demand_next(tokens);
        x[i] = demand_next(d)->service_s;
        prompt += (double)r->prompt_tokens / DRAWS;
        output += (double)r->output_tokens / DRAWS;
        demand_take(d);
        demand_take(tokens);
    }
    assert_true(ks_distance(x, DRAWS, below, &law) < ks_critical(DRAWS));
    assert_true(ks_distance(x, DRAWS, below, &control_law) > ks_critical(DRAWS));
    /* sd of the lognormal: 1155 sqrt((1155/1020)^2 - 1); of the exponential its mean, which rounding up to 1 moves by 1/(8 x 211) */
    assert_true(fabs(prompt - 1155) < 4 * 1155 * sqrt(pow(1155.0 / 1020, 2) - 1) / sqrt(DRAWS));
    assert_true(fabs(output - 211) < 4 * 211 / sqrt(DRAWS) + .01);
    demand_free(d);
    demand_free(tokens);
    cut_law_free(&law);
    cut_law_free(&control_law);
}

/* A replay: times scaled, from the start on, to the end; tokens and service as told; sorted, equal times as they stand. */
static void replayed(void **state)
{
    (void)state;
    const struct timed told[] = { { 12, 3, 30, 3 }, { 10, 1, 10, 1 }, { 11, 2, 20, 2 }, { 11, 4, 40, 4 }, { 100, 5, 50, 5 } };
    const double at[] = { 7, 7.5, 7.5, 8 }, took[] = { 1, 2, 4, 3 };
    struct request_list l = listed(told, 5);
    struct service s = one_second(1);
    s.demand.replay = &l;
    s.demand.time_scale = .5;
    s.demand.start_ns = 7 * NS_PER_S;
    s.demand.end_ns = 20 * NS_PER_S;
    s.time.kind = TIME_RECORDED;
    struct error err = { "" };
    assert_int_equal(service_check(&s, &err), 0);
    struct demand *d = demand_new(&s, 1);
    for (size_t i = 0; i < 4; i++, demand_take(d)) {
        assert_near(seconds(demand_next(d)->time_ns), at[i], 0);
        assert_near(demand_next(d)->service_s, took[i], 0);
        assert_int_equal(demand_next(d)->output_tokens, 0);
    }
    assert_null(demand_next(d));
    assert_int_equal(demand_taken(d), 4);
    demand_free(d);
    s.time.kind = TIME_LLM;
    d = demand_new(&s, 1);
    assert_int_equal(demand_next(d)->prompt_tokens, 10);
    demand_take(d);
    assert_int_equal(demand_next(d)->prompt_tokens, 20);
    assert_int_equal(demand_next(d)->output_tokens, 2);
    demand_free(d);
    request_list_free(&l);
}

/* As a flow: in each interval as many as came in it. 60 s: 3 in the first, none in the second, 1 in the third. */
static void replayed_as_a_flow(void **state)
{
    (void)state;
    const struct timed told[] = { { 0, 1, 0, 0 }, { 1, 1, 0, 0 }, { 59, 1, 0, 0 }, { 130, 1, 0, 0 } };
    const double rates[] = { 3 / 60.0, 0, 1 / 60.0, 0 };
    struct request_list l = listed(told, 4);
    struct service s = one_second(1);
    s.demand.replay = &l;
    struct demand *d = demand_new(&s, 1);
    int64_t until;
    for (int64_t i = 0; i < 4; i++) {
        assert_near(demand_rate(d, i * 60 * NS_PER_S, 1000 * NS_PER_S, &until), rates[i], 1e-12);
        assert_int_equal(until, (i + 1) * 60 * NS_PER_S);
    }
    demand_free(d);
    request_list_free(&l);
}

/* Gaps 1, 1, 4: mean 2, squares of (1/2 - 1), (1/2 - 1), (2 - 1): 1.5/3. Counts in windows of 2: 2, 1, 0 -> mean 1, variance 2/3. */
static void statistics_by_hand(void **state)
{
    (void)state;
    const struct timed told[] = { { 0, 1, 0, 0 }, { 1, 1, 0, 0 }, { 2, 1, 0, 0 }, { 6, 1, 0, 0 } };
    struct request_list l = listed(told, 4);
    assert_near(request_list_gap_c2(&l), .5, 1e-12);
    assert_near(request_list_dispersion(&l, 2), 2 / 3.0, 1e-12);
    assert_true(isnan(request_list_dispersion(&l, 4)));
    request_list_free(&l);
    struct error err = { "" };
    assert_int_equal(request_list_finish(&l, "none.csv", &err), -1);
    assert_string_equal(err.text, "none.csv: want at least one request that was served, got none");
}

/* What does not fit together is said. */
static void checked(void **state)
{
    (void)state;
    struct error recorded = { "" }, tokens = { "" }, memory = { "" }, rate = { "" }, fine = { "" };
    struct service s = one_second(1);
    assert_int_equal(service_check(&s, &fine), 0);
    s.time.kind = TIME_RECORDED;
    assert_int_equal(service_check(&s, &recorded), -1);
    assert_string_equal(recorded.text, "service demand: want requests with a service time each, for a recorded service time");
    s.time.kind = TIME_LLM;
    assert_int_equal(service_check(&s, &tokens), -1);
    assert_string_equal(tokens.text, "service demand: want laws of prompt and output tokens, or requests that have both");
    s.time.llm.memory_bytes = 15e9;
    assert_int_equal(service_check(&s, &memory), -1);
    assert_string_equal(memory.text, "service demand: want memory for the weights and one sequence, 1.615e+10 bytes, got 1.35e+10 usable");
    s = one_second(0);
    assert_int_equal(service_check(&s, &rate), -1);
    assert_string_equal(rate.text, "service demand: want a rate of requests above 0, got 0 per second");
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_TEST(tests, n, bursts_as_the_formula);
    ADD_TEST(tests, n, thinning_by_the_hour);
    ADD_TEST(tests, n, flow_is_the_mean_of_requests);
    ADD_TEST(tests, n, steps_do_not_matter);
    ADD_TEST(tests, n, named_streams);
    ADD_TEST(tests, n, sizes_by_their_laws);
    ADD_TEST(tests, n, replayed);
    ADD_TEST(tests, n, replayed_as_a_flow);
    ADD_TEST(tests, n, statistics_by_hand);
    ADD_TEST(tests, n, checked);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
