/* test_throughput_tables.c - measured throughputs as rates: rows of the public tables, what lies between them, and clamping. */
#include "sim/capacity/placement_rate.h"
#include "sim/models/training/throughputs.h"
#include "tests/unit/read_shared.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

static struct throughputs *shared_table(const char *path, const char *gpu)
{
    char whole[1024];
    struct error err = { "" };
    struct throughputs *t = throughputs_read_any(shared_path(whole, path), gpu, &err);
    assert_string_equal(err.text, "");
    return t;
}

static void near(double got, double want, double half_a_digit)
{
    if (!(fabs(got - want) <= half_a_digit))
        fail_msg("want %.6f, got %.6f", want, got);
}

/* ---- models.md 2.6: steps per second, consolidated and not; 0: the table there leaves it out ---- */

static const struct excerpt {
    const char *name, *gpu;
    double alone, near[3], far[3];        /* on 1; on 2, 4 and 8 GPUs */
} excerpt[] = {
    { "ResNet-18 (batch size 128)", "V100-SXM2-16", 17.99, { 23.99, 69.95, 162.09 }, { 24.51, 35.36, 61.14 } },
    { "ResNet-50 (batch size 64)", "V100-SXM2-32", 4.39, { 7.92, 9.45, 17.30 }, { 6.87, 11.14, 19.76 } },
    { "Transformer (batch size 64)", "V100-SXM2-16", 8.62, { 15.88, 19.66, 49.65 }, { 7.01, 10.57, 17.01 } },
    { "LM (batch size 20)", "V100-SXM2-16", 64.74, { 132.17, 111.00, 497.30 }, { 30.44, 33.40, 58.89 } },
    { "ResNet-18 (batch size 128)", "P100-SXM2-16", 11.68, { 24.23, 45.35, 85.08 }, { 19.57, 32.99, 60.46 } },
    { "ResNet-50 (batch size 64)", "P100-SXM2-16", 2.62, { 5.52, 10.36, 18.22 }, { 5.61, 10.56, 18.90 } },
    { "Transformer (batch size 64)", "P100-SXM2-16", 5.09, { 7.89, 13.31, 19.94 }, { 5.50, 9.01, 15.18 } },
    { "LM (batch size 20)", "P100-SXM2-16", 58.17, { 62.33, 93.81, 116.65 }, { 32.86, 40.94, 65.83 } },
};

static void gavel_excerpt(void **state)
{
    const struct excerpt *e = *state;
    struct throughputs *t = shared_table("gavel/simulation_throughputs.json.zst", NULL);
    uint32_t model = throughputs_model(t, e->name), close = throughputs_type(t, e->gpu, true), apart = throughputs_type(t, e->gpu, false);
    near(throughputs_near(t, close, model, 1), e->alone, 0.005);
    for (unsigned i = 0; i < 3; i++) {
        near(throughputs_near(t, close, model, 2u << i), e->near[i], 0.005);
        near(throughputs_near(t, apart, model, 2u << i), e->far[i], 0.005);
    }
    throughputs_free(t);
}

/* Raw, the V100 rows are not monotone; clamped, all are, and none is slower than it was. */
static void clamped(void **state)
{
    (void)state;
    static const char *const model[] = { "ResNet-50 (batch size 64)", "LM (batch size 20)", "Transformer (batch size 64)" };
    struct throughputs *raw = shared_table("gavel/simulation_throughputs.json.zst", NULL);
    struct throughputs *t = shared_table("gavel/simulation_throughputs.json.zst", NULL);
    unsigned odd = 0;
    throughputs_make_monotone(t);
    for (unsigned m = 0; m < COUNT(model); m++) {
        uint32_t number = throughputs_model(t, model[m]);
        for (uint32_t n = 1; n <= 8; n++) {
            double close[2], apart[2], less[2];
            for (unsigned k = 0; k < 2; k++) {
                const struct throughputs *of = k ? t : raw;
                close[k] = throughputs_near(of, throughputs_type(of, "V100", true), number, n);
                apart[k] = throughputs_near(of, throughputs_type(of, "V100", false), number, n);
                less[k] = n > 1 ? throughputs_near(of, throughputs_type(of, "V100", true), number, n - 1) : 0;
            }
            odd += close[0] < apart[0] || close[0] < less[0];
            assert_true(close[1] >= apart[1] && close[1] >= less[1] * (1 - 1e-12) && close[1] >= close[0] && apart[1] >= apart[0]);
        }
    }
    assert_true(odd > 0);
    throughputs_free(raw);
    throughputs_free(t);
}

/* Between the neighbours: rate = a (b/a)^(log(n/n_a)/log(n_b/n_a)); beyond the last there is nothing. */
static void between(void **state)
{
    (void)state;
    struct throughputs *t = throughputs_new("t");
    throughputs_add(t, "v100", "net (batch size 8)", 2, 3);
    throughputs_add(t, "v100", "net (batch size 8)", 8, 12);
    throughputs_add(t, "v100", "net (batch size 8)", 4, 0);           /* does not run there: as if it were not there */
    throughputs_add(t, "v100", "net (batch size 16)", 4, 7);
    throughputs_added(t);
    uint32_t gpu = throughputs_type(t, "V100-SXM2-16", true), model = throughputs_model(t, "Net (batch size 8)");
    near(throughputs_near(t, gpu, model, 4), 6, 1e-12);
    near(throughputs_near(t, gpu, model, 3), 3 * pow(4, log(1.5) / log(4)), 1e-12);
    assert_true(throughputs_near(t, gpu, model, 2) == 3 && throughputs_near(t, gpu, model, 8) == 12);
    assert_true(throughputs_near(t, gpu, model, 1) == 0 && throughputs_near(t, gpu, model, 9) == 0);
    assert_int_equal(throughputs_model(t, "net"), throughputs_model(t, "net (batch size 16)"));       /* the first by name */
    assert_int_equal(throughputs_model(t, "nets"), INTERN_NONE);
    assert_int_equal(throughputs_type(t, "V100", false), INTERN_NONE);
    throughputs_free(t);
}

/* ---- Folders; values read off the files ---- */

static void elasticflow(void **state)
{
    (void)state;
    struct throughputs *t = shared_table("elasticflow/throughputs_A100", "A100");
    uint32_t gpu = throughputs_type(t, "A100-SXM4-40", true);
    near(throughputs_near(t, gpu, throughputs_model(t, "resnet50 (batch size 128)"), 4), 11.224201427896464, 1e-12);
    near(throughputs_near(t, gpu, throughputs_model(t, "VGG-16 (batch size 64)"), 1), 5.053019147087227, 1e-12);
    assert_true(throughputs_near(t, gpu, throughputs_model(t, "resnet50_cifar10 (batch size 64)"), 16) == 0);
    throughputs_free(t);
}

static void sia(void **state)
{
    (void)state;
    struct throughputs *t = shared_table("sia/profiles", "T4-16");
    uint32_t close = throughputs_type(t, "T4-16", true), apart = throughputs_type(t, "T4-16", false);
    uint32_t bert = throughputs_model(t, "bert (batch size 12)");
    near(throughputs_near(t, close, bert, 1), 1 / 0.9215156733989716, 1e-12);                  /* placement 1 */
    assert_true(throughputs_near(t, close, bert, 2) > throughputs_near(t, apart, bert, 2));    /* 2 against 11 */
    throughputs_free(t);
}

static void folder_errors(void **state)
{
    (void)state;
    char directory[] = "/tmp/test_tables.XXXXXX", path[64];
    struct error err = { "" };
    assert_non_null(mkdtemp(directory));
    assert_null(throughputs_read_any(directory, NULL, &err));
    assert_non_null(strstr(err.text, ": a folder of throughputs does not tell of which GPUs: want 'table_gpu'"));
    snprintf(path, sizeof path, "%s/net.csv", directory);
    FILE *f = fopen(path, "w");
    fputs("global_batch_size,1,2\n64,1.5,x\n", f);
    fclose(f);
    err.text[0] = '\0';
    assert_null(throughputs_read_any(directory, "a100", &err));
    assert_non_null(strstr(err.text, "net.csv:2: 2: want a number"));
    remove(path);
    remove(directory);
}

/* ---- Rates: 2 GPUs on one node at 3 steps/s, on two at 2: reference 3; beyond the table by analysis, without a model by factor ---- */

static void rates(void **state)
{
    (void)state;
    struct error err = { "" };
    const struct group_spec g = { .name = "n", .gpu_model = "V100-SXM2-16", .count = 4, .gpus = 4, .island_gpus = 4,
                                  .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX, .nics = { 1, 12.5 } };
    struct cluster *c = cluster_build("n", &g, 1, NULL, 0, &err);
    struct intern *names = intern_new();
    const uint32_t vgg = intern_add(names, "VGG-16", 6), other = intern_add(names, "other", 5);
    c->rates = rate_rules_new();
    c->rates->model = RATE_TABLE;
    c->rates->table = throughputs_new("t");
    throughputs_add(c->rates->table, "v100", "vgg16 (batch size 8)", 2, 3);
    throughputs_add(c->rates->table, "v100_unconsolidated", "vgg16 (batch size 8)", 2, 2);
    throughputs_added(c->rates->table);
    struct placement_rates *r = placement_rates_new(c, c->rates, names);
    struct placement *one = calloc(1, sizeof *one + sizeof *one->piece), *two = calloc(1, sizeof *two + 2 * sizeof *two->piece);
    one->n = 1;
    two->n = 2;
    one->piece[0] = (struct piece){ .node = 1, .gpu_mask = 3, .gpus = 2, .milli = MILLI_ALL };
    two->piece[0] = (struct piece){ .node = 1, .gpu_mask = 1, .gpus = 1, .milli = MILLI_ALL };
    two->piece[1] = (struct piece){ .node = 2, .task = 1, .gpu_mask = 1, .gpus = 1, .milli = MILLI_ALL };
    struct placement_rate near_by = placement_rate_on(r, vgg, 2, one), apart = placement_rate_on(r, vgg, 2, two);
    assert_true(near_by.by == RATE_TABLE && placement_slowdown(&near_by) == 1);
    near(placement_slowdown(&apart), 1.5, 1e-12);
    one->piece[0].gpus = 3;
    one->piece[0].gpu_mask = 7;
    assert_int_equal(placement_rate_on(r, vgg, 3, one).by, RATE_ANALYTIC);
    assert_int_equal(placement_rate_on(r, other, 3, one).by, RATE_FACTOR);
    free(one);
    free(two);
    placement_rates_free(r);
    intern_free(names);
    cluster_free(c);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, gavel_excerpt, excerpt);
    ADD_TEST(tests, n, clamped);
    ADD_TEST(tests, n, between);
    ADD_TEST(tests, n, elasticflow);
    ADD_TEST(tests, n, sia);
    ADD_TEST(tests, n, folder_errors);
    ADD_TEST(tests, n, rates);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
