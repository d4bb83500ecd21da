/* test_draw_sessions.c - what is drawn against its laws, computed here by other means, each with a control that the same sample must fail;
 * the same sessions whatever else is drawn. Laws and defaults: models.md 5. */
#include "sim/base/memory.h"
#include "sim/base/units.h"
#include "sim/models/draws/arrivals.h"
#include "sim/sessions/draw_sessions.h"
#include "tests/synth/statistics.h"

#include <string.h>

static struct arena *memory;      /* of all that is drawn */

enum { DRAWS = 20000, WEEKS = 8, HOUR_BINS = 168 };
#define WEEK_S 604800.0

static struct session_spec lab(void)
{
    struct session_spec s = session_spec_default();
    s.name = "lab";
    s.users = 100;
    return s;
}

static void draw(struct sessions *to, const struct session_spec *s, uint64_t seed, double until_s)
{
    struct error why = { "" };
    assert_int_equal(session_spec_check(s, &why), 0);
    assert_true(sessions_draw(to, s, seed, TIME_NEVER, until_s, 1000000, memory));
}

/* ---- laws ---- */

static double length_below(double x, const void *sigma)      /* lognormal of median 2 h, cut at 12 h */
{
    double s = *(const double *)sigma, mu = log(7200);
    return fmin(1, gsl_cdf_lognormal_P(x, mu, s) / gsl_cdf_lognormal_P(43200, mu, s));
}
static double think_below(double x, const void *sigma)
{
    return gsl_cdf_lognormal_P(x, log(240), *(const double *)sigma);
}
static double run_below(double x, const void *weight)
{
    double w = *(const double *)weight;
    return w * gsl_cdf_lognormal_P(x, log(20), 1.2) + (1 - w) * gsl_cdf_lognormal_P(x, log(600), 1);
}
static double patience_below(double x, const void *mean)
{
    return gsl_cdf_exponential_P(x, *(const double *)mean);
}
static double uniform_below(double x, const void *most)
{
    return gsl_cdf_flat_P(x, 45, *(const double *)most);
}

static double length_s(const struct session *x) { return seconds(x->length_ns); }
static double think_s(const struct session *x) { return seconds(x->phase_ns[0]); }
static double run_s(const struct session *x) { return x->n_phases > 1 ? seconds(x->phase_ns[1]) : NAN; }
static double patience_s(const struct session *x) { return seconds(x->patience_ns); }
static double start_up_s(const struct session *x) { return seconds(x->start_up_ns); }

static const struct drawn_row {
    const char *name;
    double (*of)(const struct session *x);
    double (*below)(double x, const void *law);
    double is, is_not;
} drawn_rows[] = {
    { "length", length_s, length_below, .9, 1 },
    { "think", think_s, think_below, 1.2, 1.3 },
    { "run", run_s, run_below, .85, .82 },
    { "patience", patience_s, patience_below, 900, 940 },
    { "start-up", start_up_s, uniform_below, 60, 60.5 },
};

/* So long that every session has a first run. */
static void as_its_law(void **state)
{
    static double x[DRAWS];
    const struct drawn_row *row = *state;
    struct session_spec s = lab();
    struct sessions all;
    size_t n = 0;
    if (row->of == run_s)
        s.length.law = (struct law){ 1, { { .kind = LAW_FIXED, .weight = 1, .scale = 1, .a = 1e5 } } }, s.length.most_s = 1e6, s.cap_s = 1e6;
    s.rate_per_h = 1000;
    draw(&all, &s, 7, 24 * 3600);
    for (size_t i = 0; i < all.n && n < DRAWS; i++)
        if (row->of(&all.session[i]) > 0)
            x[n++] = row->of(&all.session[i]);
    assert_int_equal(n, DRAWS);
    assert_true(ks_distance(x, n, row->below, &row->is) < ks_critical(n));
    assert_true(ks_distance(x, n, row->below, &row->is_not) > ks_critical(n));
}

/* Later phases are of the same laws: the 8th thought, the 8th run. */
static void later_phases(void **state)
{
    (void)state;
    static double think[DRAWS], run[DRAWS];
    struct session_spec s = lab();
    struct sessions all;
    double is = 1.2, is_not = 1.3, weight = .85, other = .82;
    size_t n = 0;
    s.length.law = (struct law){ 1, { { .kind = LAW_FIXED, .weight = 1, .scale = 1, .a = 1e5 } } };
    s.length.most_s = s.cap_s = 1e6;
    s.rate_per_h = 1000;
    draw(&all, &s, 8, 24 * 3600);
    for (size_t i = 0; i < all.n && n < DRAWS; i++, n++) {
        assert_true(all.session[i].n_phases > 15);
        think[n] = seconds(all.session[i].phase_ns[14]);
        run[n] = seconds(all.session[i].phase_ns[15]);
    }
    assert_int_equal(n, DRAWS);
    assert_true(ks_distance(think, n, think_below, &is) < ks_critical(n));
    assert_true(ks_distance(think, n, think_below, &is_not) > ks_critical(n));
    assert_true(ks_distance(run, n, run_below, &weight) < ks_critical(n));
    assert_true(ks_distance(run, n, run_below, &other) > ks_critical(n));
}

static void shares_as_said(void **state)
{
    (void)state;
    static const double sizes[] = { .10, .85, .05 }, others[] = { .12, .83, .05 }, forgotten[] = { .8, .2 }, more[] = { .78, .22 };
    double size[3] = { 0 }, forgot[2] = { 0 }, user[100] = { 0 }, each[100], none[100];
    struct session_spec s = lab();
    struct sessions all;
    s.rate_per_h = 1000;
    draw(&all, &s, 9, 24 * 3600);
    for (size_t i = 0; i < all.n; i++) {
        size[all.session[i].size]++;
        forgot[all.session[i].forgotten]++;
        user[all.session[i].user]++;
    }
    for (int u = 0; u < 100; u++) {
        each[u] = 1;
        none[u] = u ? 1 : 2;
    }
    assert_int_equal(s.size[1].gpu_milli, 1000);
    assert_true(chi_square_agrees(size, sizes, 3) && !chi_square_agrees(size, others, 3));
    assert_true(chi_square_agrees(forgot, forgotten, 2) && !chi_square_agrees(forgot, more, 2));
    assert_true(chi_square_agrees(user, each, 100) && !chi_square_agrees(user, none, 100));
}

/* ---- arrivals ---- */

/* models.md 5, normalised to mean 1 there: the sum of the 24 weights is 22.3. */
static double of_hour(int h)
{
    return h < 8 ? .1 : h == 8 ? .6 : h < 13 ? 1.6 : h == 13 ? 1.2 : h < 19 ? 1.7 : h < 22 ? 1 : .5;
}

/* 100 users, 1.5 sessions each from Monday to Friday, a quarter of that at weekends: 825 a week. */
static void a_week(void **state)
{
    (void)state;
    double count[HOUR_BINS] = { 0 }, expected[HOUR_BINS], flat[HOUR_BINS], weekdays = 0;
    struct session_spec s = lab();
    struct sessions all;
    draw(&all, &s, 10, 4 * WEEKS * WEEK_S);
    for (size_t i = 0; i < all.n; i++) {
        int hour = (int)(all.session[i].submit_ns / (3600 * NS_PER_S) % HOUR_BINS);
        count[hour]++;
        weekdays += hour < 120;
    }
    for (int h = 0; h < HOUR_BINS; h++) {
        flat[h] = h < 120 ? 1 : .25;
        expected[h] = flat[h] * of_hour(h % 24);
    }
    assert_near(session_rate_per_h(&s) * 168, 825, 1e-12);
    double want = 4 * WEEKS * 750;    /* a Poisson number */
    assert_true(fabs(weekdays - want) < 4 * sqrt(want));
    assert_true(fabs(weekdays - 1.05 * want) > 4 * sqrt(want));
    assert_true(chi_square_agrees(count, expected, HOUR_BINS));
    assert_false(chi_square_agrees(count, flat, HOUR_BINS));
}

/* ---- the same ---- */

static bool same(const struct session *a, const struct session *b)
{
    return a->submit_ns == b->submit_ns && a->length_ns == b->length_ns && a->patience_ns == b->patience_ns && a->start_up_ns == b->start_up_ns &&
           a->user == b->user && a->size == b->size && a->forgotten == b->forgotten && a->n_phases == b->n_phases &&
           !memcmp(a->phase_ns, b->phase_ns, a->n_phases * sizeof *a->phase_ns);
}

static void the_same_again(void **state)
{
    (void)state;
    struct session_spec s = lab();
    struct sessions a, b, longer, seed, group, laxer;
    draw(&a, &s, 1, WEEK_S);
    draw(&b, &s, 1, WEEK_S);
    draw(&longer, &s, 1, 2 * WEEK_S);
    draw(&seed, &s, 2, WEEK_S);
    struct session_spec other = s;
    other.name = "class";
    draw(&group, &other, 1, WEEK_S);
    struct session_spec lax = s;
    lax.culling.how = CULL_OFF;   /* a rule of the cluster's, drawn from nothing */
    draw(&laxer, &lax, 1, WEEK_S);
    assert_true(a.drawn == b.drawn && a.drawn == laxer.drawn);
    assert_true(a.drawn != longer.drawn && a.drawn != seed.drawn && a.drawn != group.drawn && seed.drawn != group.drawn);
    assert_true(longer.n > a.n);
    for (size_t i = 0; i < a.n; i++)
        assert_true(same(&a.session[i], &longer.session[i]));
}

/* One value changed: another hash. The phases reach beyond the length, and none is there for nothing. */
static void phases_reach(void **state)
{
    (void)state;
    struct session_spec s = lab();
    struct sessions all;
    draw(&all, &s, 3, WEEK_S);
    for (size_t i = 0; i < all.n; i++) {
        const struct session *x = &all.session[i];
        int64_t sum_ns = 0;
        for (uint32_t k = 0; k < x->n_phases; k++)
            sum_ns += x->phase_ns[k];
        assert_true(sum_ns > x->length_ns && sum_ns - x->phase_ns[x->n_phases - 1] <= x->length_ns);
    }
    assert_false(sessions_draw(&all, &s, 3, TIME_NEVER, WEEK_S, 10, memory));
}

/* ---- what a spec cannot be ---- */

static void too_short(struct session_spec *s)
{
    s->think.law = s->run.law = (struct law){ 1, { { .kind = LAW_FIXED, .weight = 1, .scale = 1, .a = .1 } } };
}
static void no_weekday(struct session_spec *s)
{
    for (int d = 0; d < 5; d++)
        s->weekly[d] = 0;
}
static void backwards(struct session_spec *s)
{
    s->start_least_s = 61;
}
static void late_release(struct session_spec *s)
{
    s->culling.release_ns = s->culling.delete_ns + 1;
}
static void nothing_left(struct session_spec *s)
{
    s->patience.least_s = 1e5;
}

static const struct refused { const char *name; void (*spoil)(struct session_spec *s); const char *why; } refused[] = {
    { "phases of no length", too_short, "think, run: want means of at least 1 s, together" },
    { "no weekday", no_weekday, "weekly: want a weekday with sessions, or a 'rate_per_h'" },
    { "start-up backwards", backwards, "start_up: want least_s up to most_s" },
    { "released after it is deleted", late_release, "culling: want release_s up to delete_s" },
    { "a law cut away", nothing_left, "patience: hardly anything of this law lies between 100000 s and 5.184e+06 s" },
};

static void says_no(void **state)
{
    const struct refused *row = *state;
    struct session_spec s = lab();
    struct error why = { "" };
    row->spoil(&s);
    assert_int_equal(session_spec_check(&s, &why), -1);
    assert_string_equal(why.text, row->why);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, says_no, refused);
    ADD_ROWS(tests, n, as_its_law, drawn_rows);
    ADD_TEST(tests, n, later_phases);
    ADD_TEST(tests, n, shares_as_said);
    ADD_TEST(tests, n, a_week);
    ADD_TEST(tests, n, the_same_again);
    ADD_TEST(tests, n, phases_reach);
    memory = arena_new();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(memory);
    return failed;
}
