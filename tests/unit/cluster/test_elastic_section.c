/* test_elastic_section.c - section `elastic` of a cluster file: what it says, and what it may not say. */
#include "tests/support/from_yaml.h"
#include "tests/unit/test_core.h"

#include <math.h>

#define NODES "nodes: [{ group: a, count: 1, gpus: 8, gpu_model: A100 }]\n"

static void nothing_said(void **state)
{
    (void)state;
    struct error err = { "" };
    struct cluster *c = cluster_of_text(NODES, &err);
    assert_false(c->elastic.given);
    cluster_free(c);
    c = cluster_of_text(NODES "elastic: {}\n", &err);
    assert_true(c->elastic.given && c->elastic.scaling == SCALING_GOODPUT && c->elastic.restart_ns == -1 && c->elastic.noise_steps == 20);
    assert_ptr_equal(elastic_fit(&c->elastic, "bert", "A100"), goodput_fit("bert", "A100"));
    assert_ptr_equal(elastic_model(&c->elastic, NULL, "bert"), goodput_model("bert"));
    assert_null(elastic_model(&c->elastic, NULL, "gpt"));
    cluster_free(c);
}

static void all_said(void **state)
{
    (void)state;
    struct error err = { "" };
    struct cluster *c = cluster_of_text(NODES "elastic: { scaling: linear, restart_s: 2.5, noise_steps: 7, reference_gpu: T4, models: {\n"
                                        "  bert: { restart_s: 9, gpus: { A100: { overlap: 3 } } },\n"
                                        "  gpt: { batch: 8, max_batch: 64, first_noise: 10, last_noise: 20, gpus: { H100: {\n"
                                        "    grad_s: 0.5, grad_s_per_sample: 0.25, min_local: 1, max_local: 4 } } } } }\n", &err);
    if (!c)
        fail_msg("%s", err.text);
    const struct elastic *e = &c->elastic;
    assert_true(e->scaling == SCALING_LINEAR && e->restart_ns == 2500000000 && e->noise_steps == 7 && !strcmp(e->reference_gpu, "T4"));
    /* What is not said of bert is as the table has it */
    assert_true(elastic_model(e, NULL, "bert")->restart_s == 9 && elastic_model(e, NULL, "bert")->first_batch == 12);
    assert_true(elastic_fit(e, "bert", "A100")->overlap == 3 && elastic_fit(e, "bert", "A100")->grad_s == goodput_fit("bert", "A100")->grad_s);
    assert_true(elastic_fit(e, "bert", "T4")->overlap == goodput_fit("bert", "T4")->overlap);
    assert_true(elastic_model(e, NULL, "gpt")->restart_s < 0);    /* the cluster's */
    /* One replica, b 4: 0.5 + 0.25 x 4 */
    assert_true(fabs(goodput_step_s(elastic_fit(e, "GPT", "h100"), (struct replicas){ 1, 1 }, 4, 0) - 1.5) < 1e-15);
    assert_null(elastic_fit(e, "gpt", "A100"));
    /* A variant, by the file before the table; names end where their words end */
    assert_ptr_equal(elastic_fit(e, "bert", "A100-SXM4-80"), elastic_fit(e, "bert", "A100"));
    assert_ptr_equal(elastic_fit(e, "ncf", "t4-16"), goodput_fit("ncf", "T4"));
    assert_null(elastic_fit(e, "ncf", "A1000"));
    assert_null(elastic_fit(e, "ncf", "A10-24"));
    /* Aliases of the catalogue of training models, and of its ResNet-18 (cifar10) and BERT-base (bert) */
    assert_ptr_equal(elastic_model(e, NULL, "ResNet-50"), goodput_model("imagenet"));
    assert_ptr_equal(elastic_model(e, NULL, "resnet18"), goodput_model("cifar10"));
    assert_ptr_equal(elastic_model(e, NULL, "bert-BASE"), elastic_model(e, NULL, "bert"));
    assert_null(elastic_model(e, NULL, "BERT-large"));
    cluster_free(c);
}

static const struct wrong { const char *name, *text, *error; } wrongs[] = {
    { "an unknown key", "elastic: { speed: 1 }", "c.yaml:2:12: unknown key 'speed': want one of scaling, restart_s, noise_steps, reference_gpu, models" },
    { "a scaling", "elastic: { scaling: fast }", "c.yaml:2:21: scaling: want one of goodput, linear, got 'fast'" },
    { "no steps", "elastic: { noise_steps: 0 }", "c.yaml:2:25: noise_steps: want a whole number from 1 to 10000, got '0'" },
    { "a model without batches", "elastic: { models: { gpt: { restart_s: 1 } } }",
      "c.yaml:2:27: gpt: want batch, max_batch, first_noise and last_noise, for no such model is known" },
    { "less at most", "elastic: { models: { bert: { max_batch: 2 } } }", "c.yaml:2:28: bert: want max_batch to be at least batch" },
    { "a fit without times", "elastic: { models: { bert: { gpus: { B200: { grad_s: 1 } } } } }",
      "c.yaml:2:44: B200: want grad_s_per_sample, min_local and max_local, for no such fit is known" },
    { "no room between the local batches", "elastic: { models: { bert: { gpus: { T4: { max_local: 7 } } } } }",
      "c.yaml:2:42: T4: want max_local at least twice min_local" },
};

static void says_what_is_wrong(void **state)
{
    const struct wrong *row = *state;
    struct error err = { "" };
    char text[512];
    snprintf(text, sizeof text, "%s%s\n", NODES, row->text);
    assert_null(cluster_of_text(text, &err));
    assert_string_equal(err.text, row->error);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_TEST(tests, n, nothing_said);
    ADD_TEST(tests, n, all_said);
    ADD_ROWS(tests, n, says_what_is_wrong, wrongs);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
