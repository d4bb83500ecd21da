/* test_active_share.c - how much of the time that it could be used a session is active: played, against closed forms and against a
 * renewal equation solved here. Sessions have GPUs at once, and nothing is culled. */
#include "sim/base/memory.h"
#include "sim/base/units.h"
#include "sim/sessions/session_life.h"
#include "tests/unit/test_core.h"

#include <gsl/gsl_cdf.h>
#include <stdlib.h>

static struct arena *memory;      /* of all that is drawn */

/* ---- Played ---- */

struct played { double share, error; size_t n; };    /* error: standard, of a ratio of means */

static struct session_life play(const struct session *of, const struct session_spec *spec)
{
    struct session_life l = session_begin(of, &spec->culling, ns_of_seconds(spec->cap_s));
    session_granted(&l, of->submit_ns);
    session_usable(&l, of->submit_ns + of->start_up_ns);
    for (struct session_step step; session_next(&l, &step);)
        session_acts(&l, &step);
    return l;
}

static struct played play_all(struct session_spec *spec, double until_s)
{
    struct sessions all;
    struct error why = { "" };
    double active = 0, usable = 0, square = 0;
    spec->name = "test";
    spec->rate_per_h = 1000;
    spec->culling.how = CULL_OFF;
    spec->forgotten = 0;
    assert_int_equal(session_spec_check(spec, &why), 0);
    assert_true(sessions_draw(&all, spec, 1, TIME_NEVER, until_s, 1000000, memory));
    double (*one)[2] = mem_new(all.n, sizeof *one);
    for (size_t i = 0; i < all.n; i++) {
        struct session_life l = play(&all.session[i], spec);
        one[i][0] = seconds(l.spent_ns[SPENT_ACTIVE]);
        one[i][1] = one[i][0] + seconds(l.spent_ns[SPENT_IDLE]);
        assert_int_equal(l.end, SESSION_CLOSED);
        active += one[i][0];
        usable += one[i][1];
    }
    struct played p = { .share = active / usable, .n = all.n };
    for (size_t i = 0; i < all.n; i++) {
        double off = one[i][0] - p.share * one[i][1];
        square += off * off;
    }
    p.error = sqrt(square) / usable;
    free(one);
    return p;
}

static void set_law(struct session_law *to, enum law_kind kind, double value_s)
{
    to->law = (struct law){ 1, { { .kind = kind, .weight = 1, .scale = 1, .a = value_s } } };
    to->most_s = 1e8;
}

/* ---- In the long run ---- */

/* E of the laws of models.md 5: a lognormal law of median m and sigma s has the mean m exp(s^2/2). */
static double usual_share(double think_median)
{
    double think = think_median * exp(.72), run = .85 * 20 * exp(.72) + .15 * 600 * exp(.5);
    return run / (think + run);
}

/* Over 2,000,000 s of each of some 1,900 sessions, 3,000 cycles: the start, always with a thought, is worth less than a tenth of a
 * standard error there. */
static void in_the_long_run(void **state)
{
    (void)state;
    struct session_spec s = session_spec_default();
    assert_near(session_active_share(&s), usual_share(240), 1e-4);    /* cut at 60 days; .2709 */
    set_law(&s.length, LAW_FIXED, 2e6);
    s.cap_s = 1e8;
    struct played p = play_all(&s, 3600 * 9);
    assert_true(p.error < .0005);
    assert_true(fabs(p.share - usual_share(240)) < 4 * p.error);
    assert_true(fabs(p.share - usual_share(245)) > 4 * p.error);
}

/* ---- Within a session: it begins with a thought ---- */

/* Exponential phases of rates a (to run) and b: P(active at t) = a/(a+b) (1 - e^-(a+b)t), integrated. */
static double exponential_share(double think, double run, double length)
{
    double rate = 1 / think + 1 / run, share = run / (run + think);
    return share * (1 - (1 - exp(-rate * length)) / (rate * length));
}

static void exponential_phases(void **state)
{
    (void)state;
    struct session_spec s = session_spec_default();
    set_law(&s.length, LAW_FIXED, 1200);
    set_law(&s.think, LAW_EXPONENTIAL, 300);
    set_law(&s.run, LAW_EXPONENTIAL, 100);
    struct played p = play_all(&s, 3600 * 40);
    assert_near(session_active_share(&s), .25, 1e-9);
    assert_true(p.error < .001);
    assert_true(fabs(p.share - exponential_share(300, 100, 1200)) < 4 * p.error);
    assert_true(fabs(p.share - .25) > 4 * p.error);    /* what the long run has is not it */
}

/* The usual laws: H(t) = P(active at t) = int S_run(t - u) dF_think(u) + int H(t - u) dF_cycle(u), on a grid, by the trapezoid rule. */
enum { STEP_S = 6, STEPS = 43200 / STEP_S };

static double think_below(double x) { return x > 0 ? gsl_cdf_lognormal_P(x, log(240), 1.2) : 0; }
static double run_below(double x)
{
    return x > 0 ? .85 * gsl_cdf_lognormal_P(x, log(20), 1.2) + .15 * gsl_cdf_lognormal_P(x, log(600), 1) : 0;
}
static double longer(double x)    /* P(length > x): median 2 h, cut at 12 h */
{
    return x > 0 ? 1 - fmin(1, gsl_cdf_lognormal_P(x, log(7200), .9) / gsl_cdf_lognormal_P(43200, log(7200), .9)) : 1;
}

/* sum over i < k of dF[i] (y(k - i) + y(k - i - 1)) / 2 */
static double convolved(const double *df, const double *y, int k)
{
    double sum = 0;
    for (int i = 0; i < k; i++)
        sum += df[i] * (y[k - i] + y[k - i - 1]) / 2;
    return sum;
}

static double renewal_share(void)
{
    static double think[STEPS + 1], cycle[STEPS + 1], run[STEPS + 1], stays[STEPS + 1], active[STEPS + 1];
    double up = 0, length = 0;
    for (int k = 0; k <= STEPS; k++) {
        think[k] = think_below((k + 1) * STEP_S) - think_below(k * STEP_S);
        run[k] = run_below(k * STEP_S);
        stays[k] = 1 - run[k];
    }
    double before = 0;
    for (int k = 0; k < STEPS; k++) {
        double now = convolved(think, run, k + 1);
        cycle[k] = now - before;
        before = now;
    }
    for (int k = 1; k <= STEPS; k++) {    /* the part of H(k) itself on the right is brought to the left */
        active[k] = 0;
        active[k] = (convolved(think, stays, k) + convolved(cycle, active, k)) / (1 - cycle[0] / 2);
    }
    for (int k = 0; k < STEPS; k++) {
        double from = longer(k * STEP_S), to = longer((k + 1) * STEP_S);
        up += (active[k] * from + active[k + 1] * to) / 2;
        length += (from + to) / 2;
    }
    return up / length;
}

static void usual_sessions(void **state)
{
    (void)state;
    struct session_spec s = session_spec_default();
    struct played p = play_all(&s, 3600 * 40);
    double want = renewal_share();
    assert_true(p.error < .001);
    assert_true(fabs(p.share - want) < 4 * p.error);
    assert_true(fabs(p.share - usual_share(240)) > 4 * p.error);
    assert_true(fabs(p.share - 1.03 * want) > 4 * p.error);
    print_message("active share of usual sessions: played %.4f +- %.4f, renewal equation %.4f, long run %.4f\n", p.share, p.error, want,
                  usual_share(240));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(in_the_long_run), cmocka_unit_test(exponential_phases), cmocka_unit_test(usual_sessions) };
    memory = arena_new();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(memory);
    return failed;
}
