/* test_power.c - what GPUs and nodes draw: every number of models.md 9 that can be computed, and by hand. */
#include "sim/cluster/cluster.h"
#include "sim/models/hourly.h"
#include "sim/models/power.h"
#include "tests/unit/test_core.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HOUR_NS (3600 * NS_PER_S)

static struct node_power of_type(const char *type)
{
    const struct node_design *d = node_design_find(type);
    const struct gpu_model *g = gpu_model_find(d->gpu_model);
    struct node_watts w = { d->idle_w, g->idle_w, g->tdp_w };
    return node_power_of(&power_law_usual, &w, d->gpus, (int64_t)d->gpus * MILLI_ALL);
}

/* ---- an A100 in steps of an LLM, by hand: 60 W idle, 75 W held, TDP 400 W ---- */
static void steps_of_an_llm(void **state)
{
    static const struct { double steps, tdp, clock, w; } rows[] = {
        { 1, .87, 1, 348 },
        { .5, .25, 1, 37.5 + 100 },                  /* half of the time held, half at 200 W */
        { 1, .5, .5, 60 + 140. / 4 },                /* above idle 140 W, x .5^2 */
        { .5, .25, .5, 37.5 + 30 + 70. / 4 },        /* likewise for half of the time */
        { 1, .15, 1, 75 },                           /* no less than held */
    };
    struct power_law law = power_law_usual;
    const struct node_watts a100 = { 1000, 60, 400 };
    struct node_power duties = node_power_of(&law, &a100, 1, MILLI_ALL);
    law.llm = true;
    struct node_power n = node_power_of(&law, &a100, 1, MILLI_ALL);
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_near((double)power_of_steps_nw(&law, &n, rows[i].steps, rows[i].tdp, rows[i].clock) * MILLI_ALL / NW_PER_W, rows[i].w, 1e-6);
    /* the most that it draws: the TDP, and without such replicas .9 of it */
    assert_near((double)n.most_nw * MILLI_ALL / NW_PER_W, 400, 1e-6);
    assert_near((double)duties.most_nw * MILLI_ALL / NW_PER_W, 360, 1e-6);
}

/* ---- one GPU: P_idle + (0.9 TDP - P_idle) u^0.9 ---- */
static const struct gpu_row { const char *name, *type; double duty, w; } gpu_rows[] = {
    /* A100: 60 W idle, TDP 400 W (models.md 1.1), so 0.9 x 400 = 360 W at full duty */
    { "A100, full duty", "dgx-a100", 1, 360 },
    { "A100, half duty: 60 + 300 x 0.5^0.9", "dgx-a100", 0.5, 220.76602 },           /* 0.5^0.9 = exp(-0.9 ln 2) = 0.5358867 */
    { "A100, a tenth: 60 + 300 x 0.1^0.9", "dgx-a100", 0.1, 97.767762 },             /* 0.1^0.9 = 0.1258925 */
    { "A100, nothing done: its context, 60 + 15", "dgx-a100", 0, 75 },
    { "A100, hardly anything: no less than its context", "dgx-a100", 0.01, 75 },     /* 300 x 0.01^0.9 = 4.75 W < 15 W */
    { "V100, full duty: 0.9 x 300", "dgx1-v100", 1, 270 },
    { "H100, full duty: 0.9 x 700", "hgx-h100", 1, 630 },
    { "H100, three quarters: 70 + 560 x 0.75^0.9", "hgx-h100", 0.75, 502.25812 },    /* 0.75^0.9 = exp(0.9 ln 0.75) = 0.7718895 */
    { "B200, full duty: 0.9 x 1000", "hgx-b200", 1, 900 },
    { "T4, full duty: 0.9 x 70", "pcie-2xT4", 1, 63 },
};

static void gpu(void **state)
{
    const struct gpu_row *row = *state;
    struct node_power n = of_type(row->type);
    double w = (double)power_at_duty_nw(&power_law_usual, &n, row->duty) * MILLI_ALL / (double)NW_PER_W;
    assert_true(fabs(w - row->w) < 2e-6 * row->w);
}

/* ---- a node: P_base + 300 W x share of its CPUs + its GPUs ---- */
static const struct node_row { const char *name, *type; double cpus; uint32_t busy; double w; } node_rows[] = {
    { "dgx-a100, idle: 1000 + 8 x 60", "dgx-a100", 0, 0, 1480 },
    { "dgx-a100, all busy: 1000 + 300 + 8 x 360", "dgx-a100", 1, 8, 4180 },
    { "dgx-a100, half: 1000 + 150 + 4 x 360 + 4 x 60", "dgx-a100", 0.5, 4, 2830 },
    { "hgx-h100, all busy: 1500 + 300 + 8 x 630", "hgx-h100", 1, 8, 6840 },
    { "hgx-b200, all busy: 2000 + 300 + 8 x 900", "hgx-b200", 1, 8, 9500 },
    { "dgx1-v100, idle: 500 + 8 x 40", "dgx1-v100", 0, 0, 820 },
};

static void node(void **state)
{
    const struct node_row *row = *state;
    const struct node_design *d = node_design_find(row->type);
    struct node_power n = of_type(row->type);
    int64_t cpus = d->cpus * INT64_C(1000), held = (int64_t)(row->cpus * (double)cpus);
    int64_t nw = n.base_nw + power_of_cpus_nw(&n, held, cpus) + row->busy * MILLI_ALL * n.most_nw +
                 (d->gpus - row->busy) * MILLI_ALL * n.idle_nw;
    assert_true(fabs((double)nw / (double)NW_PER_W - row->w) < 1e-6);
    assert_true((double)nw / (double)NW_PER_W <= d->most_w);     /* models.md 1.3: no node draws more than its sheet says */
}

static void cpus_not_modelled_draw_nothing(void **state)
{
    (void)state;
    struct node_power n = of_type("dgx-a100");
    assert_int_equal(power_of_cpus_nw(&n, 1000, INT64_MAX), 0);
    assert_int_equal(power_of_cpus_nw(&n, 1000, 0), 0);
}

/* models.md 9, checks: an A100 fleet drew 66, 97 and 291 W at its quartiles (InternLM/AcmeTrace). Each is a duty that a GPU can
 * have, ascending; by the inverse of the law, u = ((P - 60) / 300)^(1 / 0.9). And 8-GPU servers drew 1696, 2520 and 4284 W
 * (models.md 1.3): between idle and 2.5 % above full by this law. */
static void an_a100_fleet_is_within_the_law(void **state)
{
    (void)state;
    static const double quartile_w[] = { 66, 97, 291 }, duty[] = { 0.0129496, 0.0977438, 0.7479604 };
    struct node_power n = of_type("dgx-a100");
    for (size_t i = 0; i < 3; i++) {
        assert_true(fabs(pow((quartile_w[i] - 60) / 300, 1 / 0.9) - duty[i]) < 1e-6);
        double w = (double)power_at_duty_nw(&power_law_usual, &n, duty[i]) * MILLI_ALL / (double)NW_PER_W;
        assert_true(fabs(w - fmax(quartile_w[i], 75)) < 1e-3);
    }
    assert_true(1480 < 1696 && 4284 < 1.025 * 4180);
}

/* Of an instance: as much of its GPU as it counts. 8 GPUs cut into 7 slices count 56: a slice at full duty is 360 / 7 W. */
static void slices_draw_their_part(void **state)
{
    (void)state;
    struct node_watts w = { 1000, 60, 400 };
    struct node_power n = node_power_of(&power_law_usual, &w, 8, 56 * MILLI_ALL);
    double slice_w = (double)n.most_nw * MILLI_ALL / (double)NW_PER_W, all_w = (double)n.idle_nw * 56 * MILLI_ALL / (double)NW_PER_W;
    assert_true(fabs(slice_w - 360.0 / 7) < 1e-5);
    assert_true(fabs(all_w - 480) < 1e-4);
}

static void power_grows_with_duty(void **state)
{
    (void)state;
    for (const struct node_design *d = node_catalogue; d->name; d++) {
        struct node_power n = of_type(d->name);
        int64_t last = n.idle_nw;
        for (int i = 0; i <= 100; i++) {
            int64_t nw = power_at_duty_nw(&power_law_usual, &n, i / 100.0);
            assert_true(nw >= last && nw >= n.held_nw);
            last = nw;
        }
        assert_int_equal(last, n.most_nw);
    }
}

/* ---- energy, carbon ---- */

/* By hand: 75 W for 30 s of start-up, 360 W for 3,570 s, 60 W for an hour = 2250 + 1285200 + 216000 J. */
static void a_meter_adds_up_piece_by_piece(void **state)
{
    (void)state;
    struct meter m = { .since_ns = 5 };
    meter_add(&m, 5, 75 * NW_PER_W);
    meter_add(&m, 5 + 30 * NS_PER_S, 285 * NW_PER_W);
    meter_add(&m, 5 + HOUR_NS, -300 * NW_PER_W);
    meter_run(&m, 5 + 2 * HOUR_NS);
    assert_true(m.aj == (int128_t)1503450 * NS_PER_S * NS_PER_S);
    assert_true(fabs(power_kwh(m.aj) - 1503450 / 3.6e6) < 1e-15);
}

/* Parts are exact: a million uneven steps of three meters, and one of their sum. */
static void parts_are_the_whole(void **state)
{
    (void)state;
    struct meter part[3] = { { .nw = 0 } }, whole = { .nw = 0 };
    int64_t now = 0;
    for (int64_t i = 0; i < 1000000; i++) {
        int64_t nw = (i * 7919 % 100003 - 50000) * 1234567;
        now += i * 104729 % 999983;
        meter_add(&part[i % 3], now, nw);
        meter_add(&whole, now, nw);
    }
    int128_t sum = 0;
    for (size_t i = 0; i < 3; i++) {
        meter_run(&part[i], now);
        sum += part[i].aj;
    }
    assert_true(sum == whole.aj);
}

/* models.md 9: 400 g a kWh, PUE 1.58. 1 kW for an hour: 1 kWh, 1.58 kWh of the facility, 632 g. */
static void carbon_of_a_constant(void **state)
{
    (void)state;
    struct hourly h = hourly_constant(400 * HOURLY_SCALE);
    assert_true(fabs(power_carbon_g(1000 * NW_PER_W, hourly_until(&h, HOUR_NS) - hourly_until(&h, 0), 1.58) - 632) < 1e-9);
    hourly_free(&h);
}

/* Half an hour at 100, an hour at 300, a quarter of an hour at 100 again, for the series begins anew: 50 + 300 + 25 g a kW. */
static void a_series_is_split_at_its_hours(void **state)
{
    (void)state;
    char path[] = "/tmp/test_power.XXXXXX";
    FILE *f = fdopen(mkstemp(path), "w");
    fputs("# a grid of two hours\nhour,wind,carbon_g_per_kwh\n0,yes,100\n1,no,300\n", f);
    fclose(f);
    struct hourly h;
    struct error err = { "" };
    assert_int_equal(hourly_read(path, "carbon_g_per_kwh", 10000, &h, &err), 0);
    unlink(path);
    int128_t part = hourly_until(&h, 2 * HOUR_NS + HOUR_NS / 4) - hourly_until(&h, HOUR_NS / 2);
    assert_true(fabs(power_carbon_g(1000 * NW_PER_W, part, 1) - 375) < 1e-9);
    assert_int_equal(hourly_until(&h, HOUR_NS - 1 + 1) - hourly_until(&h, HOUR_NS - 1), 100000);
    assert_int_equal(hourly_until(&h, HOUR_NS + 1) - hourly_until(&h, HOUR_NS), 300000);
    assert_int_equal(hourly_until(&h, 2 * HOUR_NS + 1) - hourly_until(&h, 2 * HOUR_NS), 100000);
    hourly_free(&h);
}

static struct hourly hours_of(size_t n, const int64_t *milli)
{
    return (struct hourly){ n, (int64_t *)(uintptr_t)milli, NULL };
}

/* 100, 100, 300 g, and again from the start: it changes at 2, 3, 5, 6 h. */
static void when_a_series_changes(void **state)
{
    (void)state;
    const int64_t three[] = { 100000, 100000, 300000 }, same[] = { 5, 5 };
    const struct hourly h = hours_of(3, three), constant = hours_of(2, same);
    const struct { int64_t at_ns, milli, next_ns; } want[] = {
        { 0, 100000, 2 * HOUR_NS },
        { 2 * HOUR_NS - 1, 100000, 2 * HOUR_NS },
        { 2 * HOUR_NS, 300000, 3 * HOUR_NS },
        { 3 * HOUR_NS, 100000, 5 * HOUR_NS },
        { 5 * HOUR_NS + 1, 300000, 6 * HOUR_NS },
    };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        assert_int_equal(hourly_milli(&h, want[i].at_ns), want[i].milli);
        assert_int_equal(hourly_change_ns(&h, want[i].at_ns), want[i].next_ns);
    }
    assert_int_equal(hourly_change_ns(&constant, 7), TIME_NEVER);
}

static const struct bad_row { const char *name, *text, *error; } bad_rows[] = {
    { "no such column", "hour,co2\n0,1\n", ":1: want a column 'carbon_g_per_kwh'" },
    { "an hour left out", "hour,carbon_g_per_kwh\n0,1\n2,1\n", ":3: hour: want 1: every hour, from 0 on, got '2'" },
    { "no value", "hour,carbon_g_per_kwh\n0,\n", ":2: carbon_g_per_kwh: want a value, got ''" },
    { "below zero", "carbon_g_per_kwh\n-1\n", ":2: carbon_g_per_kwh: want a number from 0 to 10000, got '-1'" },
    { "no hours", "carbon_g_per_kwh\n", ": want at least one hour" },
};

static void bad_series(void **state)
{
    const struct bad_row *row = *state;
    char path[] = "/tmp/test_power.XXXXXX";
    FILE *f = fdopen(mkstemp(path), "w");
    fputs(row->text, f);
    fclose(f);
    struct hourly h;
    struct error err = { "" };
    assert_int_equal(hourly_read(path, "carbon_g_per_kwh", 10000, &h, &err), -1);
    unlink(path);
    assert_string_equal(err.text + strlen(path), row->error);
    assert_null(h.milli);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, gpu, gpu_rows);
    ADD_ROWS(tests, n, node, node_rows);
    ADD_ROWS(tests, n, bad_series, bad_rows);
    ADD_TEST(tests, n, cpus_not_modelled_draw_nothing);
    ADD_TEST(tests, n, an_a100_fleet_is_within_the_law);
    ADD_TEST(tests, n, slices_draw_their_part);
    ADD_TEST(tests, n, power_grows_with_duty);
    ADD_TEST(tests, n, a_meter_adds_up_piece_by_piece);
    ADD_TEST(tests, n, parts_are_the_whole);
    ADD_TEST(tests, n, carbon_of_a_constant);
    ADD_TEST(tests, n, a_series_is_split_at_its_hours);
    ADD_TEST(tests, n, when_a_series_changes);
    ADD_TEST(tests, n, steps_of_an_llm);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
