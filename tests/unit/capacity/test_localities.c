/* test_localities.c - what it costs to spread a data-parallel job over nodes, against measurements: models.md 2.1.
 *
 * stanford-futuredata/gavel:scheduler/simulation_throughputs.json, type p100: iterations a second of all workers together, on one
 * node and spread. Its nodes had no RDMA and no peer-to-peer; 25 Gbit/s each. All rows but a few are those of
 * $GPUYARD_SHARED/calibration/gavel_localities.csv; without it that test is skipped. */
#include "sim/capacity/placement_rate.h"
#include "tests/support/from_yaml.h"
#include "tests/unit/test_core.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define P100 "nodes: [ { group: n, gpus: 8, gpu_model: P100-SXM2-16, count: 8, nics: 1, nic_gbps: 3.125 } ]\nprogress: {}\n"
#define TCP  P100 "fabric: { transport: tcp }\n"
#define RDMA P100 "fabric: { transport: rdma }\n"

struct measured { char model[32]; unsigned batch, gpus; double together, spread; };
static const struct measured some[] = {
    { "ResNet-18", 128, 1, 11.6755, 11.6755 }, { "ResNet-18", 128, 2, 24.2274, 19.5691 }, { "ResNet-18", 128, 4, 45.3507, 32.9932 },
    { "ResNet-18", 128, 8, 85.0794, 60.4643 }, { "ResNet-50", 64, 1, 2.61947, 2.61947 },  { "ResNet-50", 64, 2, 5.51599, 5.60596 },
    { "ResNet-50", 64, 4, 10.3647, 10.5641 },  { "ResNet-50", 64, 8, 18.2212, 18.9036 },  { "Transformer", 64, 1, 5.09183, 5.09183 },
    { "Transformer", 64, 2, 7.88675, 5.5046 }, { "Transformer", 64, 4, 13.313, 9.00686 }, { "Transformer", 64, 8, 19.943, 15.1778 },
    { "LM", 20, 1, 58.1727, 58.1727 },         { "LM", 20, 2, 62.3321, 32.8604 },         { "LM", 20, 4, 93.8148, 40.9385 },
    { "LM", 20, 8, 116.649, 65.8323 },
};

/* With the computing time of the same model and batch alone on one GPU. */
static double time_on(const struct cluster *c, const struct measured *m, double alone, uint32_t nodes)
{
    struct form_scratch scratch = { .node = NULL };
    struct training_model model;
    struct placement *p = calloc(1, sizeof *p + nodes * sizeof *p->piece);
    uint32_t each = m->gpus / nodes;
    assert_true(training_model_find(NULL, m->model, &model));
    p->n = nodes;
    for (uint32_t i = 0; i < nodes; i++)
        p->piece[i] = (struct piece){ .node = i, .task = i, .gpu_mask = (UINT64_C(1) << each) - 1, .gpus = each, .milli = MILLI_ALL };
    struct placement_form f = placement_form(c, &(struct form_rules){ 1 }, p, &scratch);
    struct placement_rate at;
    model.compute_s = f.kappa / alone;
    placement_analytic(c->rates, &model, &f, &at);
    free(p);
    form_scratch_free(&scratch);
    return iteration_s(at.compute_s, at.comm_s, c->rates->overlap);
}

/* Mean over all rows on several GPUs of max(p / q, q / p), p and q the ratio of consolidated to spread rates here and there. */
static double mean_factor(const char *yaml, const struct measured *row, size_t n)
{
    struct error err = { "" };
    struct cluster *c = cluster_of_text(yaml, &err);
    assert_string_equal(err.text, "");
    double sum = 0, alone = 0;
    size_t ratios = 0;
    for (size_t i = 0; i < n; i++) {
        if (row[i].gpus == 1) {
            alone = row[i].together;
            continue;
        }
        double here = time_on(c, &row[i], alone, row[i].gpus) / time_on(c, &row[i], alone, 1),
               there = row[i].together / row[i].spread;
        sum += fmax(here / there, there / here);
        ratios++;
    }
    cluster_free(c);
    return sum / (double)ratios;
}

static void some_rows(void **state)
{
    (void)state;
    double tcp = mean_factor(TCP, some, COUNT(some));
    assert_true(tcp < 1.3);                                /* what 2.1 claims of all of them */
    assert_true(mean_factor(P100, some, COUNT(some)) == tcp);             /* by their NICs */
    assert_true(mean_factor(RDMA, some, COUNT(some)) > tcp + 0.05);       /* which they had not */
}

/* 57 ratios; the factors of models.md 2.1, from a script of its own. */
static void all_rows(void **state)
{
    (void)state;
    static struct measured row[200];
    const char *shared = getenv("GPUYARD_SHARED");
    char path[1024], line[256];
    size_t n = 0;
    snprintf(path, sizeof path, "%s/calibration/gavel_localities.csv", shared ? shared : "../shared");
    FILE *f = fopen(path, "r");
    if (!f) {
        print_message("%s is not there: say in GPUYARD_SHARED where the shared files are\n", path);
        skip();
    }
    while (fgets(line, sizeof line, f) && n < COUNT(row))
        n += sscanf(line, "P100,%31[^,],%u,%u,%lf,%lf", row[n].model, &row[n].batch, &row[n].gpus, &row[n].together, &row[n].spread) == 5;
    fclose(f);
    assert_int_equal(n, 76);
    assert_near(mean_factor(TCP, row, n), 1.130, 1e-3);
    assert_near(mean_factor(RDMA, row, n), 1.340, 1e-3);
    assert_near(mean_factor(P100, row, n), 1.130, 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(some_rows), cmocka_unit_test(all_rows) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
