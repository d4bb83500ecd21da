/* test_spread.c - distributions as polygons: convolutions against closed forms and brute force, quantiles of counts. */
#include "sim/base/random.h"
#include "sim/serving/spread.h"
#include "sim/serving/tally.h"
#include "tests/serving/served.h"
#include "tests/synth/statistics.h"

static struct spread spread_by(struct law law)
{
    struct cut_law cut;
    assert_true(cut_law_make(&cut, &law, 0, 1e9));
    struct spread s = spread_of_law(&cut);
    cut_law_free(&cut);
    return s;
}

static const double ps[] = { .01, .1, .5, .9, .95, .99, .999, .9999 };

static const struct law_of_one { const char *name; struct law law; double c2; } laws[] = {
    { "fixed, microseconds", LAW_OF(LAW_FIXED, 3e-6), 0 },
    { "exponential, milliseconds", LAW_OF(LAW_EXPONENTIAL, .004), 1 },
    { "exponential, minutes", LAW_OF(LAW_EXPONENTIAL, 600), 1 },
    { "two exponentials", HYPER_LAW, 4 },
    { "lognormal", { 1, { { .kind = LAW_LOGNORMAL, .weight = 1, .scale = 1, .a = -2, .b = 1 } } }, 1.718281828 },
};

/* The polygon of a law is the law: quantiles, mean, second moment. */
static void polygon_of_a_law(void **state)
{
    const struct law_of_one *r = *state;
    struct spread s = spread_by(r->law);
    assert_near(s.mean, law_mean_below(&r->law, INFINITY), 1e-9);
    assert_near(spread_c2(&s), r->c2, r->c2 > 0 ? 5e-3 : 1e-9);
    for (size_t i = 0; i < COUNT(ps); i++) {
        double x = spread_quantile(&s, ps[i]);
        if (r->c2 > 0)
            assert_near(1 - law_below(&r->law, x), 1 - ps[i], 2e-3);
        else
            assert_near(x, r->law.part[0].a, 1e-12);
        assert_near(spread_below(&s, x), r->c2 > 0 ? ps[i] : 1, 1e-9);
    }
    spread_free(&s);
}

/* M/M/1: the response time is exponential of rate mu - lambda. M/M/c: a mixture, P(R > t) = (1 + C/(1 - (c - a)) ...) of mu and
 * c mu - lambda, here by its convolution written out. In microseconds and in minutes. */
static const struct mmc { const char *name; uint32_t servers; double offered, mean_s; } queues[] = {
    { "M/M/1 at .8 in microseconds", 1, .8, 2e-6 },
    { "M/M/1 at .5 in minutes", 1, .5, 120 },
    { "M/M/1 at .99", 1, .99, 1 },
    { "M/M/4 at .8", 4, 3.2, 1 },
    { "M/M/64 at .95", 64, 60.8, .01 },
};

static void response_of_m_m_c(void **state)
{
    const struct mmc *q = *state;
    double mu = 1 / q->mean_s, slack = (q->servers - q->offered) * mu, c = erlang_c(q->servers, q->offered);
    struct spread service = spread_by((struct law)LAW_OF(LAW_EXPONENTIAL, q->mean_s));
    struct wait_law w = wait_in_queue(q->servers, q->offered, q->mean_s, 1, INFINITY);
    struct spread r = spread_after_wait(&service, &w);
    assert_near(r.mean, q->mean_s + c / slack, 1e-9);
    for (size_t i = 0; i < COUNT(ps); i++) {
        double t = spread_quantile(&r, ps[i]);
        double above = (1 - c) * exp(-mu * t) + c * (slack * exp(-mu * t) - mu * exp(-slack * t)) / (slack - mu);
        if (q->servers == 1)
            assert_near(t, -log(1 - ps[i]) / slack, 3e-3);
        assert_near(above, 1 - ps[i], 2e-3);
    }
    spread_free(&r);
    spread_free(&service);
}

/* Fixed service: the wait moved by it, with its atom; and cut by a timeout. */
static void response_of_m_d_c(void **state)
{
    (void)state;
    for (size_t timed = 0; timed < 2; timed++) {
        struct spread service = spread_by((struct law)LAW_OF(LAW_FIXED, 1));
        struct wait_law w = wait_in_queue(4, 3.2, 1, .5, timed ? 1 : INFINITY);
        struct spread r = spread_after_wait(&service, &w);
        for (double t = 0; t < 2; t += .05)
            assert_true(fabs(1 - spread_below(&r, 1 + t) - wait_above(&w, t)) <= 1e-3 * w.waits);   /* the polygon: (1/16)^2/8, over 1 - e^-1.6 with the timeout */
        assert_near(spread_below(&r, 1 - 1e-9), 0, 0);
        assert_near(spread_below(&r, 1), 1 - w.waits, 1e-9);
        assert_near(spread_quantile(&r, .99), 1 + wait_quantile(&w, .99), 2e-3);
        assert_near(r.mean, 1 + wait_mean(&w), 1e-12);
        spread_free(&r);
        spread_free(&service);
    }
}

/* A million drawn waits and services, sorted: within 4 standard errors of the quantile's rank, plus the polygon's 0.1 % of the tail. A
 * control of another rate is not. */
static const struct brute { const char *name; struct law law; double offered, timeout; } brutes[] = {
    { "lognormal service", { 1, { { .kind = LAW_LOGNORMAL, .weight = 1, .scale = 1, .a = -2, .b = 1 } } }, 3.2, INFINITY },
    { "two exponentials, timeout", HYPER_LAW, 3.8, 2 },
    { "two values", { 2, { { .kind = LAW_FIXED, .weight = .7, .scale = 1, .a = .2 }, { .kind = LAW_FIXED, .weight = .3, .scale = 1, .a = 3 } } },
      3.4, INFINITY },
};

static void response_by_brute_force(void **state)
{
    enum { DRAWS = 1000000 };
    const struct brute *b = *state;
    static double x[DRAWS];
    struct cut_law cut;
    struct random luck;
    assert_true(cut_law_make(&cut, &b->law, 1e-9, 1e9));
    struct spread service = spread_of_law(&cut);
    struct wait_law w = wait_in_queue(4, b->offered, service.mean, (1 + spread_c2(&service)) / 2, b->timeout);
    struct spread r = spread_after_wait(&service, &w);
    random_init(&luck, 1, "brute force", 0);
    for (size_t i = 0; i < DRAWS; i++) {
        x[i] = wait_quantile(&w, random_uniform(&luck)) + cut_law_quantile(&cut, random_uniform(&luck));
    }
    qsort(x, DRAWS, sizeof *x, ascending);
    size_t off = 0;
    for (size_t i = 0; i < COUNT(ps) - 1; i++) {
        double error = 4 * sqrt(ps[i] * (1 - ps[i]) / DRAWS) + .002 * (1 - ps[i]) + 1e-12;
        double sure = x[(size_t)(ps[i] * DRAWS)], half = x[(size_t)(ps[i] * DRAWS * .98)];
        double below = spread_below(&r, sure * (1 - 1e-9)), up_to = spread_below(&r, sure * (1 + 1e-9));
        if (!(below - error <= ps[i] && ps[i] <= up_to + error))
            fail_msg("%g: %g to %g at %g", ps[i], below, up_to, sure);
        off += spread_below(&r, half * (1 + 1e-9)) + error < ps[i];
    }
    assert_true(off >= 4);               /* control: 2 % off in rank is seen, but where there is an atom */
    cut_law_free(&cut);
    spread_free(&r);
    spread_free(&service);
}

/* Two exponentials of one mean: Erlang's law of two, P(X > t) = (1 + t) e^-t; unequal ones: the closed form of M/M/1 above. */
static void sum_of_two(void **state)
{
    (void)state;
    struct spread one = spread_by((struct law)LAW_OF(LAW_EXPONENTIAL, 1)), ten = spread_scaled(&one, 10), two = spread_sum(&one, &one);
    struct spread eleven = spread_sum(&one, &ten), same = spread_sum(&ten, &one);
    for (size_t i = 1; i < COUNT(ps); i++) {
        double t = spread_quantile(&two, ps[i]), u = spread_quantile(&eleven, ps[i]), v = spread_quantile(&same, ps[i]);
        assert_near((1 + t) * exp(-t), 1 - ps[i], 1e-2);
        assert_near((10 * exp(-u / 10) - exp(-u)) / 9, 1 - ps[i], 1e-2);
        assert_near(v, u, 1e-2);
    }
    assert_near(two.mean, 2, 1e-9);
    assert_near(spread_c2(&two), .5, 2e-3);
    spread_free(&one);
    spread_free(&two);
    spread_free(&ten);
    spread_free(&eleven);
    spread_free(&same);
}

/* One bin of y after the other, each point by spread_below(): the definition of spread.h. */
static double summed(const struct spread *x, const struct spread *y, double at)
{
    double p = 0;
    for (size_t j = 0, next; j + 1 < y->n; j = next) {
        next = y->n > 100 && j + 2 < y->n ? j + 2 : j + 1;
        double mass = y->p[next] - y->p[j];
        if (mass > 0)
            p += mass * spread_below(x, at - (y->x[j] + y->x[next]) / 2);
    }
    return p;
}

static bool has_atom(const struct spread *s)
{
    for (size_t i = 1; i < s->n; i++)
        if (s->x[i] == s->x[i - 1])
            return true;
    return false;
}

static struct spread drawn_polygon(struct random *luck)
{
    double at[9], mass[9], scale = exp(20 * random_uniform(luck) - 10), all = 0;
    size_t n = 1 + (size_t)(8 * random_uniform(luck));
    struct law law = random_uniform(luck) < .5 ? laws[3].law : laws[4].law;
    struct spread s, moved = spread_uniform(0, 0);
    switch ((int)(4 * random_uniform(luck))) {
    case 0:
        s = spread_uniform(scale, scale * (1 + random_uniform(luck)));
        break;
    case 1:
        for (size_t i = 0; i < n; i++)
            all += mass[i] = random_uniform(luck);
        for (size_t i = 0; i < n; i++) {
            at[i] = (double)i * scale;
            mass[i] /= all;
        }
        s = spread_of_atoms(at, mass, n);
        break;
    case 2:
        s = spread_last_of(0, scale, 1 + (double)n);
        break;
    default:
        spread_free(&moved);
        moved = spread_by(law);
        s = spread_scaled(&moved, scale);
    }
    spread_free(&moved);
    return s;
}

/* To the last bit, at all points: bins that are added in twos are those added one after the other. */
static void sum_in_twos(void **state)
{
    (void)state;
    struct random luck;
    random_init(&luck, 1, "polygons", 0);
    size_t odd = 0, even = 0;
    for (int round = 0; round < 400; round++) {
        struct spread x = drawn_polygon(&luck), y = drawn_polygon(&luck), s;
        y.uniform = false;                         /* in bins all the same */
        s = spread_sum(&x, &y);
        const struct spread *finer = x.n > y.n ? &x : &y, *other = x.n > y.n ? &y : &x;
        size_t bins = 0;
        for (size_t i = 0; i + 1 < s.n; i++)
            if (!(s.p[i] == summed(&x, &y, s.x[i])))
                fail_msg("round %d, point %zu of %zu: %a, wanted %a", round, i, s.n, s.p[i], summed(&x, &y, s.x[i]));
        for (size_t i = 0; i < finer->n && !has_atom(&x) && !has_atom(&y); i++)
            assert_true(s.x[i] == finer->x[i] + spread_quantile(other, finer->p[i]));
        for (size_t j = 0; j + 1 < y.n && y.n <= 100; j++)
            bins += y.p[j + 1] > y.p[j];
        odd += bins % 2;
        even += bins % 2 == 0;
        assert_true(s.p[s.n - 1] == 1);
        spread_free(&x);
        spread_free(&y);
        spread_free(&s);
    }
    assert_true(odd > 20 && even > 20);
}

/* P(X + Y <= at), Y uniform: between the places where X has a point P(X <= .) is linear, so its mean is that of its
 * values beside them. */
static double summed_exactly(const struct spread *x, double least, double most, double at)
{
    double area = 0, from = at - most, before = spread_below(x, from), end = at - least;
    for (size_t i = 0; i < x->n; i++) {
        if (!(x->x[i] > from) || x->x[i] >= end)
            continue;
        bool atom = i + 1 < x->n && x->x[i + 1] == x->x[i];
        double here = i || atom ? x->p[i] : 0;
        area += (x->x[i] - from) * (before + here) / 2;
        from = x->x[i];
        before = spread_below(x, from);
    }
    bool jumps = false;                            /* at the end itself */
    double last = spread_below(x, end);
    for (size_t i = 0; i < x->n && !jumps; i++)
        if (x->x[i] == end) {
            jumps = true;
            last = i ? x->p[i] : 0;
        }
    return (area + (end - from) * (before + last) / 2) / (most - least);
}

/* The sum with a uniform law, from as wide as X down to a millionth of that; in 32 bins it is another. */
static void sum_with_uniform(void **state)
{
    (void)state;
    struct random luck;
    random_init(&luck, 3, "polygons", 0);
    double in_bins = 0;
    for (int round = 0; round < 400; round++) {
        struct spread x = drawn_polygon(&luck), s;
        double wide = (x.x[x.n - 1] - x.x[0]) * exp(13 * random_uniform(&luck) - 12), least = random_uniform(&luck) * wide;
        struct spread y = spread_uniform(least, least + wide);
        s = spread_sum(&x, &y);
        for (size_t i = 0; i < s.n && wide > 0; i++) {
            double want = summed_exactly(&x, least, least + wide, s.x[i]);
            if (!(fabs(s.p[i] - want) <= 1e-9) || (i && s.p[i] < s.p[i - 1]))
                fail_msg("round %d, point %zu of %zu: %.17g, wanted %.17g", round, i, s.n, s.p[i], want);
            in_bins = fmax(in_bins, fabs(summed(&x, &y, s.x[i]) - want));
        }
        assert_true(s.p[s.n - 1] == 1);
        spread_free(&x);
        spread_free(&y);
        spread_free(&s);
    }
    assert_true(in_bins > 1e-3);
}

/* The quantiles of one pass are those found one by one; no amount is lost in classes. */
static void quantiles_in_one_pass(void **state)
{
    (void)state;
    struct random luck;
    random_init(&luck, 2, "polygons", 0);
    for (int round = 0; round < 400; round++) {
        struct flow_counts c = { 0 }, twice = { 0 };
        for (int i = 0; i < 3; i++) {
            struct spread s = drawn_polygon(&luck);
            flow_counts_add(&c, &s, 1 + random_uniform(&luck));
            spread_free(&s);
        }
        flow_counts_merge(&twice, &c);
        flow_counts_merge(&twice, &c);
        double all = 0;
        for (uint32_t k = c.first; k <= c.last; k++) {
            assert_true(twice.amount[k] == 2 * c.amount[k] && c.amount[k] >= 0);
            all += c.amount[k];
        }
        assert_near(all, c.n, 1e-9);
        struct delays d = flow_counts_delays(&c);
        assert_true(d.p50_s == flow_counts_quantile_s(&c, .5) && d.p90_s == flow_counts_quantile_s(&c, .9));
        assert_true(d.p95_s == flow_counts_quantile_s(&c, .95) && d.p99_s == flow_counts_quantile_s(&c, .99));
        flow_counts_free(&c);
        flow_counts_free(&twice);
    }
}

/* Durations over nine powers of ten: the quantile of counts is within 1/1024 of that of rank ceil(p n), and the sum exact. */
static void counts_against_sorting(void **state)
{
    (void)state;
    enum { DRAWS = 100000 };
    static double x[DRAWS];
    struct response_counts c = { 0 }, half = { 0 }, merged = { 0 };
    struct random luck;
    double sum = 0;
    random_init(&luck, 1, "durations", 0);
    for (size_t i = 0; i < DRAWS; i++) {
        x[i] = floor(exp(random_uniform(&luck) * 9 * M_LN10));
        sum += x[i];
        response_counts_add(&c, (int64_t)x[i]);
        response_counts_add(i % 3 ? &half : &merged, (int64_t)x[i]);
    }
    response_counts_merge(&merged, &half);
    qsort(x, DRAWS, sizeof *x, ascending);
    assert_true((double)c.sum_ns == sum && merged.sum_ns == c.sum_ns && merged.n == DRAWS);
    const double more[] = { 1e-9, 1e-5, .25, .75, 1 };
    for (size_t i = 0; i < COUNT(ps) + COUNT(more); i++) {
        double p = i < COUNT(ps) ? ps[i] : more[i - COUNT(ps)], got = response_counts_quantile_s(&c, p) * 1e9;
        double want = x[(size_t)fmax(ceil(p * DRAWS), 1) - 1];
        assert_near(got, want, want < 1024 ? 1e-12 : 1 / 1024.0);
        assert_near(response_counts_quantile_s(&merged, p) * 1e9, got, 0);
    }
    response_counts_clear(&c);
    assert_true(isnan(response_counts_quantile_s(&c, .5)) && c.n == 0);
    response_counts_add(&c, INT64_MAX - 1);                /* the largest has a class, too */
    response_counts_add(&c, 0);
    assert_near(response_counts_quantile_s(&c, 1), (double)INT64_MAX / 1e9, 1e-3);
    assert_near(response_counts_quantile_s(&c, .5), 0, 0);
    response_counts_free(&c);
    response_counts_free(&half);
    response_counts_free(&merged);
}

/* The same of a flow: two exponentials, one twice as much as the other, quantiles by halving of the exact mixture. */
static void flow_against_its_mixture(void **state)
{
    (void)state;
    struct spread one = spread_by((struct law)LAW_OF(LAW_EXPONENTIAL, 1)), atom = spread_uniform(.3, .3);
    struct flow_counts c = { 0 }, more = { 0 };
    flow_counts_add(&c, &one, 20);
    flow_counts_add(&more, &atom, 10);
    flow_counts_merge(&c, &more);
    for (size_t i = 0; i < COUNT(ps); i++) {
        double low = 0, high = 100;
        for (int k = 0; k < 100; k++) {
            double t = (low + high) / 2;
            *(20 * (1 - exp(-t)) + 10 * (t >= .3) < ps[i] * 30 ? &low : &high) = t;
        }
        assert_near(flow_counts_quantile_s(&c, ps[i]), high, 4e-3);
    }
    assert_near(flow_counts_delays(&c).mean_s, (20 * 1 + 10 * .3) / 30, 1e-9);
    flow_counts_free(&c);
    flow_counts_free(&more);
    spread_free(&one);
    spread_free(&atom);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, polygon_of_a_law, laws);
    ADD_ROWS(tests, n, response_of_m_m_c, queues);
    ADD_TEST(tests, n, response_of_m_d_c);
    ADD_ROWS(tests, n, response_by_brute_force, brutes);
    ADD_TEST(tests, n, sum_of_two);
    ADD_TEST(tests, n, sum_in_twos);
    ADD_TEST(tests, n, sum_with_uniform);
    ADD_TEST(tests, n, quantiles_in_one_pass);
    ADD_TEST(tests, n, counts_against_sorting);
    ADD_TEST(tests, n, flow_against_its_mixture);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
