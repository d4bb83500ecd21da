/* test_power_file.c - sections power and prices of a cluster file: defaults, whose word counts, and complaints. */
#include "sim/models/power.h"
#include "tests/support/from_yaml.h"
#include "tests/unit/test_core.h"

#include <stdio.h>

#define DGX "nodes: [ { group: dgx, type: dgx-a100, count: 2 }, { group: x, gpus: 4, count: 1 } ]\n"
#define X   "groups: { x: { node_idle_w: 100, gpu_idle_w: 10, gpu_tdp_w: 50 } }"

static struct cluster *read(const char *text)
{
    struct error err = { "" };
    struct cluster *c = cluster_of_text(text, &err);
    if (!c)
        fail_msg("%s", err.text);
    return c;
}

/* models.md 9 */
static void defaults(void **state)
{
    (void)state;
    struct cluster *c = read(DGX "power: { " X " }\nprices: { groups: { x: { gpu_usd_per_h: 2 } } }\n");
    const struct power *p = c->power;
    assert_true(p->law.exponent == 0.9 && p->law.most_share == 0.9 && p->law.context_w == 15 && p->law.cpu_w == 300);
    assert_true(p->law.cpu_duty == 1 && p->duty == 1 && p->pue == 1.58);
    assert_int_equal(hourly_until(&p->carbon, 0 + 1) - hourly_until(&p->carbon, 0), 400 * HOURLY_SCALE);
    assert_int_equal(p->off_after_ns, TIME_NEVER);
    assert_int_equal(p->wake_ns, 300 * NS_PER_S);
    assert_int_equal(p->off_nw, 0);
    assert_int_equal(p->cap_nw, INT64_MAX);
    assert_int_equal(p->rack_cap_nw, INT64_MAX);
    assert_int_equal(p->of_group[0].base_nw, 1000 * NW_PER_W);
    assert_int_equal(p->of_group[0].idle_nw, 60 * NW_PER_W / MILLI_ALL);
    assert_int_equal(p->of_group[0].most_nw, 360 * NW_PER_W / MILLI_ALL);
    assert_int_equal(p->of_group[1].base_nw, 100 * NW_PER_W);
    assert_int_equal(p->of_group[1].most_nw, 45 * NW_PER_W / MILLI_ALL);
    assert_true(c->tariff->energy_usd_per_kwh == 0.10 && c->tariff->bill == BILL_ALLOCATED);
    assert_true(c->tariff->gpu_usd_per_h[0] == 2.74 && c->tariff->gpu_usd_per_h[1] == 2);
    cluster_free(c);
}

static void absent(void **state)
{
    (void)state;
    struct cluster *c = read(DGX);
    assert_null(c->power);
    assert_null(c->tariff);
    cluster_free(c);
}

/* A group's word comes before the section's, and that before the catalogue's. */
static void whose_word_counts(void **state)
{
    (void)state;
    struct cluster *c = read(DGX "power: { node_idle_w: 700, gpu_idle_w: 20, gpu_tdp_w: 200, groups: { dgx: { gpu_tdp_w: 300 } } }\n"
                                 "prices: { gpu_usd_per_h: 1, groups: { dgx: { gpu_usd_per_h: 3 } } }\n");
    const struct node_power *dgx = &c->power->of_group[0], *x = &c->power->of_group[1];
    assert_true(dgx->base_nw == 700 * NW_PER_W && x->base_nw == 700 * NW_PER_W);
    assert_true(dgx->idle_nw == 20 * NW_PER_W / MILLI_ALL && x->idle_nw == 20 * NW_PER_W / MILLI_ALL);
    assert_true(dgx->most_nw == 270 * NW_PER_W / MILLI_ALL && x->most_nw == 180 * NW_PER_W / MILLI_ALL);
    assert_true(c->tariff->gpu_usd_per_h[0] == 3 && c->tariff->gpu_usd_per_h[1] == 1);
    cluster_free(c);
}

/* What the file itself says of a GPU model comes before the catalogue that is built in: 0.9 x 500 W. */
static void own_gpu_models(void **state)
{
    (void)state;
    struct cluster *c = read("nodes: [ { group: a, gpu_model: mine, gpus: 8, count: 1 }, { group: b, gpu_model: A100-SXM4-40, gpus: 8, count: 1 } ]\n"
                             "gpu_models: [ { name: mine, like: A100-SXM4-40, idle_w: 50, tdp_w: 500, price_usd_per_h: 9 },\n"
                             "              { name: A100-SXM4-40, tdp_w: 300 } ]\n"
                             "power: { node_idle_w: 1 }\nprices: {}\n");
    const struct node_power *a = &c->power->of_group[0], *b = &c->power->of_group[1];
    assert_int_equal(a->idle_nw, 50 * NW_PER_W / MILLI_ALL);
    assert_int_equal(a->most_nw, 450 * NW_PER_W / MILLI_ALL);
    assert_int_equal(b->idle_nw, 60 * NW_PER_W / MILLI_ALL);
    assert_int_equal(b->most_nw, 270 * NW_PER_W / MILLI_ALL);
    assert_true(c->tariff->gpu_usd_per_h[0] == 9 && c->tariff->gpu_usd_per_h[1] == 2.74);
    cluster_free(c);
}

static const struct bad_row { const char *name, *text, *error; } bad_rows[] = {
    { "unknown key", DGX "power: { watts: 3 }\n", "c.yaml:2:10: unknown key 'watts': want one of exponent, " },
    { "nobody knows its nodes", DGX "power: {}\n",
      "c.yaml:2:8: power: group 'x': want a node_idle_w: it is of no model or type of the catalogue" },
    { "nobody knows its GPUs", DGX "power: { node_idle_w: 5 }\n",
      "c.yaml:2:8: power: group 'x': want a gpu_idle_w: it is of no model or type of the catalogue" },
    { "nobody knows its price", DGX "prices: {}\n",
      "c.yaml:2:9: prices: group 'x': want a gpu_usd_per_h: it is of no model or type of the catalogue" },
    { "no such group", DGX "power: { groups: { y: { gpu_idle_w: 1 } } }\n", "c.yaml:2:23: y: there is no group of this name" },
    { "PUE below 1", DGX "power: { pue: 0.9 }\n", "c.yaml:2:15: pue: want a number from 1 to 100 or one of average, new, hyperscale, got '0.9'" },
    { "idle above full", DGX "power: { gpu_tdp_w: 50, " X " }\n",
      "c.yaml:2:8: power: group 'dgx': want most_share x gpu_tdp_w (45 W) of at least gpu_idle_w (60 W)" },
    { "two sources of carbon", DGX "power: { " X ", carbon_file: a.csv, carbon_g_per_kwh: 3 }\n",
      "c.yaml:2:8: power: want a carbon_file or a carbon_g_per_kwh, not both" },
    { "no such file", DGX "power: { " X ", carbon_file: /nowhere.csv }\n", "/nowhere.csv: cannot open: No such file or directory" },
    { "another bill", DGX "prices: { bill: monthly }\n", "c.yaml:2:17: bill: want one of allocated, capacity, got 'monthly'" },
};

static void bad(void **state)
{
    const struct bad_row *row = *state;
    struct error err = { "" };
    assert_null(cluster_of_text(row->text, &err));
    if (strncmp(err.text, row->error, strlen(row->error)) != 0)
        fail_msg("want %s\ngot %s", row->error, err.text);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, bad, bad_rows);
    ADD_TEST(tests, n, defaults);
    ADD_TEST(tests, n, absent);
    ADD_TEST(tests, n, whose_word_counts);
    ADD_TEST(tests, n, own_gpu_models);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
