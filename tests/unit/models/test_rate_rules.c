/* test_rate_rules.c - sections models, progress, fabric, gpu_models and node_types of a cluster file; models found by name. */
#include "sim/capacity/placement_rate.h"
#include "tests/support/from_yaml.h"
#include "tests/unit/test_core.h"

#include <math.h>

#define NODES "nodes: [ { group: g, type: dgx1-v100, count: 2 } ]\n"
#define BARE  "nodes: [ { group: g, gpus: 8, count: 2 } ]\n"

static const struct row { const char *name, *text, *error; } errors[] = {
    { "a model without a time", NODES "models: [ { name: x, params_m: 3 } ]\n",
      "c.yaml:2:11: model 'x': want 'compute_s', of an iteration on a V100, 'parallelism', or a model it is 'like'" },
    { "like nothing", NODES "models: [ { name: x, like: y } ]\n", "c.yaml:2:28: like: no training model 'y' is known here" },
    { "no time at all", NODES "models: [ { name: x, compute_s: 0 } ]\n",
      "c.yaml:2:33: compute_s: want a number above 0 up to 1000000000, got '0'" },
    { "split over nothing", NODES "models: [ { name: x, like: VGG-16, tensor_parallel: 0 } ]\n",
      "c.yaml:2:53: tensor_parallel: want a whole number from 1 to 64, got '0'" },
    { "an alias with a bar", NODES "models: [ { name: x, like: VGG-16, aliases: [ 'a|b' ] } ]\n",
      "c.yaml:2:48: want a name without '|', got 'a|b'" },
    { "a model of no kind", NODES "progress: { model: magic }\n",
      "c.yaml:2:20: model: want one of none, analytic, table, factor, got 'magic'" },
    { "table without a table", NODES "progress: { model: table }\n",
      "c.yaml:2:11: progress: model 'table' wants a 'table', a file or a folder of throughputs" },
    { "more than everything hidden", NODES "progress: { overlap: 11 }\n", "c.yaml:2:22: overlap: want a number from 1 to 10, got '11'" },
    { "a factor above one", NODES "progress: { factors: { rack: 1.5 } }\n", "c.yaml:2:30: rack: want a number above 0 up to 1, got '1.5'" },
    { "reference that is not there", NODES "progress: { reference: K80 }\n",
      "c.yaml:2:11: progress: no node has GPUs of the reference model 'K80'" },
    { "links nobody knows", BARE "progress: {}\n",
      "c.yaml:2:11: progress: group 'g': the links of GPU model 'gpu' are not known: want it in 'gpu_models' with pcie_gbps, or one "
      "that `gpuyard list gpus` has" },
    { "a network nobody knows", "nodes: [ { group: g, gpus: 8, count: 2, gpu_model: T4-16 } ]\nprogress: {}\n",
      "c.yaml:2:11: progress: group 'g': its network is not known: want 'nics' and 'nic_gbps', or a 'type'" },
    { "more uplink than nodes", NODES "fabric: { leaf_oversubscription: 0.5 }\n",
      "c.yaml:2:34: leaf_oversubscription: want a number from 1 to 1000000, got '0.5'" },
    { "an affinity of no kind", NODES "fabric: { nic_affinity: all }\n", "c.yaml:2:25: nic_affinity: want one of auto, rail, shared, got 'all'" },
    { "phases of jobs that share no link", NODES "fabric: { phases: all }\n", "c.yaml:2:19: phases: wants 'contention: maxmin' beside it" },
    { "a transport of no kind", NODES "fabric: { transport: pigeon }\n", "c.yaml:2:22: transport: want one of rdma, tcp, got 'pigeon'" },
    { "a share above one", NODES "fabric: { efficiency: 2 }\n", "c.yaml:2:23: efficiency: want a number above 0 up to 1, got '2'" },
    { "a share of no link", NODES "fabric: { efficiency: { wifi: 1 } }\n", "c.yaml:2:25: unknown key 'wifi': want one of nvlink, pcie, network" },
    { "parallel of no kind", NODES "progress: { parallel: 4d }\n", "c.yaml:2:23: parallel: want one of none, 3d, got '4d'" },
    { "rails without traffic by ranks", NODES "progress: {}\nfabric: { rails: true }\n", "c.yaml:3:18: rails: wants 'progress: { parallel: 3d }'" },
    { "rails with shared links", NODES "progress: { parallel: 3d }\nfabric: { rails: true, contention: maxmin }\n", "c.yaml:3:18: rails: wants 'contention: none' beside it" },
    { "a step of no link", NODES "fabric: { ring_step_us: { wifi: 1 } }\n",
      "c.yaml:2:27: unknown key 'wifi': want one of nvlink, pcie, network" },
    { "a GPU like nothing", NODES "gpu_models: [ { name: x, like: y } ]\n", "c.yaml:2:32: like: no GPU model 'y' in the catalogue" },
    { "a node type like nothing", NODES "node_types: [ { name: x, like: y } ]\n", "c.yaml:2:32: like: no node type 'y' in the catalogue" },
};

static void refused(void **state)
{
    const struct row *row = *state;
    struct error err = { "" };
    assert_null(cluster_of_text(row->text, &err));
    assert_string_equal(err.text, row->error);
}

static struct cluster *good(const char *text)
{
    struct error err = { "" };
    struct cluster *c = cluster_of_text(text, &err);
    assert_string_equal(err.text, "");
    return c;
}

static void absent(void **state)
{
    (void)state;
    struct cluster *c = good(BARE "fabric: { leaf_oversubscription: 4 }\nmodels: [ { name: x, compute_s: 1 } ]\n");
    assert_null(c->rates);
    cluster_free(c);
}

static void all_said(void **state)
{
    (void)state;
    struct cluster *c = good(NODES "progress: { model: factor, unknown: none, overlap: 3, reference: V100-SXM2-16, factors: { rack: 0.5 } }\n"
                             "fabric: { efficiency: 0.9, numa_factor: 0.5, nic_affinity: rail, leaf_oversubscription: 4, spine_oversubscription: 2, "
                             "contention: maxmin, phases: all, uplink_share: placement, base_us: 1, ring_step_us: { pcie: 2 }, tree_step_us: { network: 3.5 } }\n");
    const struct rate_rules *r = c->rates;
    assert_true(r->model == RATE_FACTOR && r->unknown == RATE_OFF && r->overlap == 3 && r->factor[4] == 0.5 && r->factor[5] == 0.7);
    assert_true(r->fabric.efficiency[LINK_PCIE] == 0.9 && r->fabric.efficiency[LINK_NVLINK] == 0.9 && r->fabric.numa_factor == 0.5 && r->fabric.nic_affinity == NIC_RAIL);
    assert_true(r->fabric.leaf_oversubscription == 4 && r->fabric.spine_oversubscription == 2 && r->fabric.maxmin);
    assert_true(r->fabric.together && r->fabric.own_uplinks);
    assert_true(fabs(r->fabric.costs.base_s - 1e-6) < 1e-18 && fabs(r->fabric.costs.ring_step_s[LINK_PCIE] - 2e-6) < 1e-18);
    assert_true(fabs(r->fabric.costs.tree_step_s[LINK_NETWORK] - 3.5e-6) < 1e-18);
    assert_true(fabs(r->fabric.costs.ring_step_s[LINK_NVLINK] - 3.4e-6) < 1e-18);          /* as it was */
    assert_true(!r->parallel && r->tensors_on_island);
    cluster_free(c);
    c = good(NODES "progress: { parallel: 3d }\nfabric: { efficiency: { network: 0.5 } }\n");
    assert_true(c->rates->parallel && !c->rates->tensors_on_island && c->rates->fabric.efficiency[LINK_NVLINK] == 0.75);
    assert_true(c->rates->fabric.efficiency[LINK_NETWORK] == 0.5 && c->rates->fabric.efficiency[LINK_PCIE] == 0.8);
    cluster_free(c);
    c = good(NODES "progress: {}\nfabric: { transport: tcp, efficiency: { network: 0.5 } }\n");
    assert_true(c->rates->overlap == 1.14 && c->rates->fabric.efficiency[LINK_PCIE] == 0.18);
    assert_true(c->rates->fabric.efficiency[LINK_NETWORK] == 0.5 && c->rates->fabric.efficiency[LINK_NVLINK] == 0.8);
    cluster_free(c);
    c = good(NODES "progress: { parallel: 3d, tp_span: island }\nfabric: { efficiency: { nvlink: 0.5 } }\n");
    assert_true(c->rates->tensors_on_island && c->rates->fabric.efficiency[LINK_NVLINK] == 0.5 && c->rates->fabric.efficiency[LINK_PCIE] == 0.8);
    cluster_free(c);
}

/* Entries start from the one they are like, or replace the one of their name; groups are made of them. */
static void catalogue(void **state)
{
    (void)state;
    struct cluster *c = good("gpu_models: [ { name: V100-SXM2-16, kappa: 1.5 }, { name: mine, like: H100-SXM5-80, mem_gib: 96 } ]\n"
                             "node_types: [ { name: box, like: hgx-h100, gpu_model: mine, gpus: 4, nics: 4 } ]\n"
                             "nodes: [ { group: a, type: dgx1-v100, count: 1 }, { group: b, type: box, count: 1, nic_gbps: 25 } ]\n");
    const struct gpu_model *v100 = c->gpu_known[c->type[0].gpu_model], *mine = c->gpu_known[c->type[1].gpu_model];
    assert_true(v100->kappa == 1.5 && v100->nvlink_gbps == 150);
    assert_true(mine->mem_gib == 96 && mine->nvlink_gbps == 450 && c->type[1].gpu_mem_mib == 96 * 1024 && c->type[1].gpus == 4);
    assert_true(c->nics_of[0].nics == 4 && c->nics_of[0].gbps == 12.5 && c->nics_of[1].nics == 4 && c->nics_of[1].gbps == 25);
    assert_string_equal(c->group_design[1]->name, "box");
    assert_true(gpu_model_find("V100-SXM2-16")->kappa == 1.0);
    cluster_free(c);
}

/* As the traces that have models write them; NULL: nobody knows it. */
static const struct name_row { const char *name, *text, *model; double batch, compute_s; } names[] = {
    { "Gavel: another batch, .093 of T_c does not grow", "ResNet-50 (batch size 128)", "ResNet-50", 128, 0.082 * (.093 + .907 * 2) },
    { "Gavel: the same batch", "ResNet-50 (batch size 64)", "ResNet-50", 64, 0.082 },
    { "Gavel: CIFAR", "ResNet-18 (batch size 16)", "ResNet-18", 16, 0.056 * (.235 + .765 / 8) },
    { "a law with a constant", "DeepSpeech2 (batch size 40)", "DeepSpeech2", 40, 0.06376 + 40 * 0.01797 },
    { "in proportion, where nothing else is known", "VGG-16 (batch size 64)", "VGG-16", 64, 0.36 },
    { "the table's own name", "LM (Wikitext-2)", "LM", 20, 0.0154 },
    { "ElasticFlow", "resnet50", "ResNet-50", 64, 0.082 },
    { "ElasticFlow, with its data", "resnet18_cifar10", "ResNet-18", 128, 0.056 },
    { "Sia", "imagenet", "ResNet-50", 64, 0.082 },
    { "Sia: bert", "bert", "BERT-base", 32, 0.17 },
    { "no such model", "ResNet-51", NULL, 0, 0 },
    { "part of a name", "ResNet", NULL, 0, 0 },
    { "nothing", "", NULL, 0, 0 },
};

static void by_name(void **state)
{
    const struct name_row *row = *state;
    struct training_model m;
    assert_int_equal(training_model_find(NULL, row->text, &m), row->model != NULL);
    if (!row->model)
        return;
    assert_string_equal(m.name, row->model);
    assert_true(m.batch == row->batch && fabs(m.compute_s - row->compute_s) < 1e-12);
}

static void own_models(void **state)
{
    (void)state;
    struct cluster *c = good(NODES "models:\n- { name: VGG-16, batch: 64 }\n- { name: x, like: vgg16, gradient_mb: 2, aliases: [ y, z ], fixed_share: .5 }\n");
    struct training_model vgg, z;
    assert_true(training_model_find(c->models, "vgg16", &vgg) && training_model_find(c->models, "Z", &z));
    assert_true(vgg.batch == 64 && vgg.compute_s == 0.18 && z.gradient_bytes == 2e6 && z.batch == 64);
    assert_string_equal(z.name, "x");
    assert_true(training_model_find(c->models, "x (batch size 128)", &z) && fabs(z.compute_s - 0.18 * 1.5) < 1e-12);
    cluster_free(c);
}

/* 2.3: 6 N tokens at 40 % of 125 TFLOPS; 16 bytes a parameter, over 8 x 8 GPUs; each model is whole. */
static void built_in(void **state)
{
    (void)state;
    struct training_model m;
    assert_true(training_model_find(NULL, "GPT-2-XL", &m) && fabs(m.compute_s - 6 * 1558e6 * 8192 / 50e12) < 1e-12);
    assert_true(training_model_find(NULL, "GPT-3", &m) && fabs(training_model_memory_gib(&m) - 16 * 175e9 / 64 / 0x1p30) < 1e-9);
    assert_true(training_model_find(NULL, "GPT-3-13B (batch size 2000000)", &m) && m.parallel.batch_sequences == 2e6 / 2048);
    assert_true(training_model_find(NULL, "DeepSpeech2", &m) && fabs(m.compute_s - (0.06376 + 20 * 0.01797)) < 1e-12);
    for (const struct training_model *k = training_catalogue; k->name; k++) {
        assert_true(k->compute_s > 0 && k->params > 0 && k->tensor_parallel && k->pipeline_parallel && *k->source && *k->communication);
        assert_true(training_model_find(NULL, k->name, &m) && !strcmp(m.name, k->name));
        assert_true(!k->parallel.tp || (k->parallel.tp == k->tensor_parallel && k->parallel.pp == k->pipeline_parallel && k->parallel.layers));
    }
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, refused, errors);
    ADD_ROWS(tests, n, by_name, names);
    ADD_TEST(tests, n, absent);
    ADD_TEST(tests, n, all_said);
    ADD_TEST(tests, n, catalogue);
    ADD_TEST(tests, n, own_models);
    ADD_TEST(tests, n, built_in);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
