/* test_localities.c - what it costs to spread a data-parallel job over nodes, against measurements: models.md 2.1.
 *
 * stanford-futuredata/gavel:scheduler/simulation_throughputs.json: iterations a second of all workers together, on one node and
 * spread. Its nodes had no RDMA and no peer-to-peer; 25 Gbit/s each. The laws are fitted to type p100, of which some rows are here and
 * all in $GPUYARD_SHARED/calibration/gavel_localities.csv; k80 and v100 are in $GPUYARD_SHARED/traces/gavel. Without these files
 * their tests are skipped. */
#include "sim/capacity/placement_rate.h"
#include "sim/models/training/throughputs.h"
#include "tests/support/from_yaml.h"
#include "tests/unit/test_core.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NODES(model) "nodes: [ { group: n, gpus: 8, gpu_model: " model ", count: 8, nics: 1, nic_gbps: 3.125 } ]\nprogress: {}\n"
#define P100 NODES("P100-SXM2-16")
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

/* Factors by which something is missed, either way. */
struct factors { double sum; size_t n; };

static void add_factor(struct factors *f, double here, double there)
{
    f->sum += fmax(here / there, there / here);
    f->n++;
}

/* Of all rows on several GPUs: the ratio of consolidated to spread rates here and there. */
static struct factors factors_of(const char *yaml, const struct measured *row, size_t n)
{
    struct error err = { "" };
    struct cluster *c = cluster_of_text(yaml, &err);
    assert_string_equal(err.text, "");
    struct factors f = { 0 };
    double alone = 0;
    for (size_t i = 0; i < n; i++) {
        if (row[i].gpus == 1) {
            alone = row[i].together;
            continue;
        }
        add_factor(&f, time_on(c, &row[i], alone, row[i].gpus) / time_on(c, &row[i], alone, 1), row[i].together / row[i].spread);
    }
    cluster_free(c);
    return f;
}

static double mean(struct factors f)
{
    return f.sum / (double)f.n;
}

static double mean_factor(const char *yaml, const struct measured *row, size_t n)
{
    return mean(factors_of(yaml, row, n));
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
    assert_near(mean_factor(TCP, row, n), 1.131, 1e-3);
    assert_near(mean_factor(RDMA, row, n), 1.279, 1e-3);
    assert_near(mean_factor(P100, row, n), 1.131, 1e-3);
}

/* ---- the whole table: GPUs to which nothing is fitted ---- */

static const struct type { const char *name, *yaml; size_t ratios; } types[] = {
    { "p100", P100, 57 },
    { "k80", NODES("K80"), 51 },
    { "v100", NODES("V100-SXM2-16, island_gpus: 8"), 57 },
};
static const struct batches { const char *model; unsigned batch[6]; } trained[] = {       /* the first is that of the catalogue */
    { "ResNet-18", { 128, 16, 32, 64, 256 } },
    { "ResNet-50", { 64, 16, 32, 128 } },
    { "Transformer", { 64, 16, 32, 128, 256 } },
    { "LM", { 20, 5, 10, 40, 80 } },
};

static struct throughputs *whole_table(void)
{
    const char *shared = getenv("GPUYARD_SHARED");
    char path[1024];
    struct error err = { "" };
    snprintf(path, sizeof path, "%s/traces/gavel/simulation_throughputs.json.zst", shared ? shared : "../shared");
    struct throughputs *t = throughputs_read(path, &err);
    if (!t) {
        print_message("%s: say in GPUYARD_SHARED where the shared files are\n", err.text);
        skip();
    }
    return t;
}

/* Rows of a model and batch on a type, alone first; those that are missing on one node or spread are left out. */
static size_t rows_of(const struct throughputs *t, const char *type, const char *model, unsigned batch, struct measured row[4])
{
    struct error err = { "" };
    char apart[40], name[60];
    uint32_t one, spread;
    size_t n = 0;
    snprintf(apart, sizeof apart, "%s_unconsolidated", type);
    snprintf(name, sizeof name, "%s (batch size %u)", model, batch);
    assert_true(!throughputs_gpu(t, type, &one, &err) && !throughputs_gpu(t, apart, &spread, &err));
    for (unsigned gpus = 1; gpus <= 8; gpus *= 2) {
        row[n] = (struct measured){ .batch = batch, .gpus = gpus, .together = throughputs_alone(t, one, name, gpus) };
        row[n].spread = gpus > 1 ? throughputs_alone(t, spread, name, gpus) : row[n].together;
        snprintf(row[n].model, sizeof row[n].model, "%s", model);
        n += row[n].together > 0 && row[n].spread > 0;
    }
    return n;
}

/* Issue: within 1.3 in the mean, over all 165 ratios. V100 by itself is not: 8 of its GPUs are up to 12 times as fast as one. */
static void whole_table_of_ratios(void **state)
{
    (void)state;
    struct throughputs *t = whole_table();
    struct factors all = { 0 };
    for (size_t g = 0; g < COUNT(types); g++) {
        struct factors of_type = { 0 };
        for (size_t m = 0; m < COUNT(trained); m++)
            for (size_t b = 0; trained[m].batch[b]; b++) {
                struct measured row[4];
                size_t n = rows_of(t, types[g].name, trained[m].model, trained[m].batch[b], row);
                struct factors f = factors_of(types[g].yaml, row, n);
                of_type.sum += f.sum;
                of_type.n += f.n;
            }
        print_message("Gavel, %s: %zu ratios, mean factor %.3f\n", types[g].name, of_type.n, mean(of_type));
        assert_int_equal(of_type.n, types[g].ratios);
        all.sum += of_type.sum;
        all.n += of_type.n;
    }
    throughputs_free(t);
    print_message("Gavel, all %zu ratios: mean factor %.3f\n", all.n, mean(all));
    assert_true(mean(all) < 1.3);
}

/* Time of an iteration alone by the batch, to that of the batch of the catalogue. In proportion is the control. */
static void batches(void **state)
{
    (void)state;
    struct throughputs *t = whole_table();
    for (size_t g = 0; g < COUNT(types); g++) {
        struct factors law = { 0 }, proportion = { 0 };
        for (size_t m = 0; m < COUNT(trained); m++) {
            struct measured row[4];
            struct training_model base, other;
            assert_true(training_model_find(NULL, trained[m].model, &base) && base.batch == trained[m].batch[0]);
            assert_true(rows_of(t, types[g].name, trained[m].model, trained[m].batch[0], row) > 0);
            double known = row[0].together;
            for (size_t b = 1; trained[m].batch[b]; b++) {
                char name[60];
                snprintf(name, sizeof name, "%s (batch size %u)", trained[m].model, trained[m].batch[b]);
                assert_true(training_model_find(NULL, name, &other));
                if (rows_of(t, types[g].name, trained[m].model, trained[m].batch[b], row) == 0 || row[0].gpus != 1)
                    continue;
                add_factor(&law, other.compute_s / base.compute_s, known / row[0].together);
                add_factor(&proportion, other.batch / base.batch, known / row[0].together);
            }
        }
        print_message("Gavel, %s: times of %zu batches, mean factor %.3f, in proportion %.3f\n", types[g].name, law.n, mean(law),
                      mean(proportion));
        assert_true(mean(law) < 1.3 && mean(law) < mean(proportion));
    }
    throughputs_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(some_rows), cmocka_unit_test(all_rows), cmocka_unit_test(whole_table_of_ratios),
                                        cmocka_unit_test(batches) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
