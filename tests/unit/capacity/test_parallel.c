/* test_parallel.c - training with tensor, pipeline, data and expert parallelism: worked values of models.md 2.8, published
 * throughputs, and what must hold on every placement. The worked values come from a script of their own. */
#include "sim/capacity/placement_rate.h"
#include "sim/capacity/rank_layout.h"
#include "tests/support/from_yaml.h"
#include "tests/unit/test_core.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define A100(nodes, nics) "nodes: [ { group: n, type: dgx-a100-80, count: " nodes ", nics: " nics ", nodes_per_rack: 4, racks_per_pod: 2 } ]\n"
#define ON "progress: { parallel: 3d }\n"

static struct cluster *good(const char *text)
{
    struct error err = { "" };
    struct cluster *c = cluster_of_text(text, &err);
    assert_string_equal(err.text, "");
    return c;
}

/* `gpus` on each of n nodes, the lowest. */
static struct placement *spread_over(uint32_t n, uint32_t gpus)
{
    struct placement *p = calloc(1, sizeof *p + n * sizeof *p->piece);
    p->n = n;
    for (uint32_t i = 0; i < n; i++)
        p->piece[i] = (struct piece){ .node = i, .task = i, .gpu_mask = (UINT64_C(1) << gpus) - 1, .gpus = gpus, .milli = MILLI_ALL };
    return p;
}

static struct placement_rate rate_of(const struct cluster *c, const char *model, uint32_t nodes, uint32_t gpus)
{
    struct intern *names = intern_new();
    uint32_t number = intern_add(names, model, strlen(model));
    struct placement_rates *r = placement_rates_new(c, c->rates, names);
    struct placement *p = spread_over(nodes, gpus);
    struct placement_rate at = placement_rate_on(r, number, nodes * gpus, p);
    free(p);
    placement_rates_free(r);
    intern_free(names);
    return at;
}

/* ---- GPT-3-13B on 8 GPUs: micro-batches of 4 sequences, 4e6 tokens in all ---- */

static const struct job_b_row {
    const char *name, *cluster;
    uint32_t nodes, gpus;
    double all_reduce_ms, tensor_ms, both_ms;
} job_b[] = {
    { "8 in one island", A100("1", "8") ON, 1, 8, .708447, 170.027, 809.544 },
    { "2 nodes x 4", A100("2", "8") ON, 2, 4, 1.664617, 399.508, 1039.024 },
    { "8 nodes x 1, a NIC of 25 GB/s each", "nodes: [ { group: n, type: dgx-a100-80, count: 8, nics: 1 } ]\n" ON, 8, 1, 7.544432, 1810.664, 2450.180 },
    { "the same, uplinks 4 : 1", A100("8", "1") ON "fabric: { leaf_oversubscription: 4 }\n", 8, 1, 29.564528, 7095.487, 7735.003 },
};

static void tensor_traffic(void **state)
{
    const struct job_b_row *row = *state;
    struct cluster *c = good(row->cluster);
    struct placement_rate at = rate_of(c, "GPT-3-13B", row->nodes, row->gpus);
    double m = ceil(4e6 / 2048 / 4);
    assert_int_equal(at.by, RATE_PARALLEL);
    assert_near(at.parallel.compute_s / m * 1e3, 639.516, 1e-6);
    assert_near(at.parallel.tensor_s / m / 240 * 1e3, row->all_reduce_ms, 1e-6);       /* 6 x 40 layers */
    assert_near(at.parallel.tensor_s / m * 1e3, row->tensor_ms, 3e-6);
    assert_near((at.parallel.compute_s + at.parallel.tensor_s) / m * 1e3, row->both_ms, 1e-6);
    assert_true(at.parallel.data_s == 0 && at.parallel.bubble_s == 0 && at.parallel.pipeline_s == 0);
    assert_true(row->nodes > 1 ? at.network_s == at.parallel.tensor_s : at.network_s == 0);
    cluster_free(c);
}

/* ---- Narayanan et al., SC'21, table 1: T_iter by the formulas of 2.8 in a script of its own, and TFLOP/s as published ---- */

static const struct sc21_row {
    const char *name;
    double hidden;
    uint32_t layers, tp, pp, gpus;
    double batch, iteration_s, published;
} sc21[] = {
    { "SC'21, 1.7e9 parameters", 2304, 24, 1, 1, 32, 512, 3.469179, 137 },
    { "SC'21, 3.6e9", 3072, 30, 2, 1, 64, 512, 3.645397, 138 },
    { "SC'21, 7.5e9", 4096, 36, 4, 1, 128, 512, 3.953295, 142 },
    { "SC'21, 39.1e9", 8192, 48, 8, 2, 512, 1536, 14.198086, 138 },
    { "SC'21, 145.6e9", 12288, 80, 8, 8, 1536, 2304, 24.163821, 148 },
    { "SC'21, 529.6e9", 20480, 105, 8, 35, 2520, 2520, 54.695314, 163 },
};

static void published(void **state)
{
    const struct sc21_row *row = *state;
    char text[600];
    snprintf(text, sizeof text,
             "nodes: [ { group: n, type: dgx-a100-80, count: %u } ]\nmodels: [ { name: x, parallelism: { tp: %u, pp: %u, dp: rest, layers: %u, "
             "hidden: %g, vocab: 51200, seq: 2048, batch_sequences: %g, micro_batch: %d, recompute: full, style: plain } } ]\n" ON,
             row->gpus / 8, row->tp, row->pp, row->layers, row->hidden, row->batch, row->pp == 1 ? 4 : 1);
    struct cluster *c = good(text);
    struct placement_rate at = rate_of(c, "x", row->gpus / 8, 8);
    double h = row->hidden, s = 2048,      /* FLOPs of SC'21, section 5.1 */
           flops = 96 * row->batch * s * row->layers * h * h * (1 + s / (6 * h) + 51200 / (16 * row->layers * h));
    assert_near(at.parallel.iteration_s, row->iteration_s, 1e-6);
    assert_near(flops / at.parallel.iteration_s / row->gpus / 1e12, row->published, 0.08);
    assert_true(placement_slowdown(&at) >= 1 && placement_slowdown(&at) < 1.01);     /* half of each of more nodes has more NICs */
    cluster_free(c);
}

/* ---- Published throughputs to which nothing is fitted. SC'21, tables 1 and 2 (PTD-P), TFLOP/s;
 * Korthikanti et al., MLSys 2023, table 5, seconds, of which `none` is its selective recomputation; Llama 3 report, table 4, and
 * MegaScale, NSDI 2024, table 2, percent of the dense FLOPS. All [K]. ---- */

enum measure { TFLOPS, ITERATION, PERCENT };
#define GPT_OF "layers: %u, hidden: %u, vocab: 51200, seq: 2048, style: plain, tp: 8, pp: %u, micro_batch: %u, interleave: %u, recompute: %s"
#define GPT(is, n, sequences, l, h, stages, micro, v, full)                                                                                     \
    { .published = is, .gpus = n, .batch = sequences, .layers = l, .hidden = h, .pp = stages, .micro_batch = micro, .interleave = v, .recompute = full }
#define LIKE(is, n, sequences, s, c) { .published = is, .gpus = n, .batch = sequences, .seq = s, .cp = c }
static const struct unfitted {
    const char *name;
    enum measure measure;
    double most;                                 /* error of any */
    const char *node, *like;                     /* NULL: a GPT of its own */
    struct unfitted_run {
        double published;
        uint32_t gpus, batch, layers, hidden, pp, micro_batch, interleave, seq, cp;
        bool recompute;                          /* all of it */
    } run[9];
} unfitted[] = {
    { "SC'21, table 1, not fitted: 18.4, 76.1, 310.1, 1008e9 parameters", TFLOPS, .04, "dgx-a100-80", NULL,
      { GPT(135, 256, 1024, 40, 6144, 1, 4, 1, true), GPT(140, 1024, 1792, 60, 10240, 4, 1, 1, true),
        GPT(155, 1920, 2160, 96, 16384, 16, 1, 1, true), GPT(163, 3072, 3072, 128, 25600, 64, 1, 1, true) } },
    { "SC'21, table 2, 174.6e9 and 529.6e9", TFLOPS, .08, "dgx-a100-80", NULL,
      { GPT(153, 384, 1536, 96, 12288, 12, 1, 1, true), GPT(149, 768, 1536, 96, 12288, 12, 1, 1, true),
        GPT(141, 1536, 1536, 96, 12288, 12, 1, 1, true), GPT(171, 560, 2240, 105, 20480, 35, 1, 1, true),
        GPT(167, 1120, 2240, 105, 20480, 35, 1, 1, true), GPT(159, 2240, 2240, 105, 20480, 35, 1, 1, true) } },
    { "Korthikanti, table 5, 22e9 to 1e12", ITERATION, .10, "dgx-a100-80", NULL,
      { GPT(1.42, 8, 4, 48, 6144, 1, 4, 1, true), GPT(1.10, 8, 4, 48, 6144, 1, 4, 1, false),
        GPT(18.13, 64, 64, 96, 12288, 8, 1, 3, true), GPT(13.75, 64, 64, 96, 12288, 8, 1, 3, false),
        GPT(49.05, 280, 280, 105, 20480, 35, 1, 3, true), GPT(37.83, 280, 280, 105, 20480, 35, 1, 3, false),
        GPT(94.42, 512, 512, 128, 25600, 64, 1, 1, true), GPT(71.49, 512, 512, 128, 25600, 64, 1, 1, false) } },
    { "Llama 3 405B on 16,384, short and long sequences", PERCENT, .06, "hgx-h100", "Llama-3-405B",
      { LIKE(41, 16384, 2048, 8192, 1), LIKE(38, 16384, 128, 131072, 16) } },
    { "MegaScale 175B on 256 to 8,192", PERCENT, .12, "dgx-a100-80", "GPT-3-175B",
      { LIKE(65.3, 256, 768, 0, 0), LIKE(63.5, 512, 768, 0, 0), LIKE(61.3, 768, 768, 0, 0), LIKE(59.0, 1024, 768, 0, 0),
        LIKE(59.1, 3072, 6144, 0, 0), LIKE(57.3, 6144, 6144, 0, 0), LIKE(54.9, 8192, 6144, 0, 0) } },
};

/* The value in the measure of the row. */
static double value_of(const struct unfitted *row, const struct unfitted_run *r)
{
    char text[600], parallelism[300];
    double h = r->hidden, seq = r->seq;
    if (!row->like)
        snprintf(parallelism, sizeof parallelism, GPT_OF, r->layers, r->hidden, r->pp, r->micro_batch, r->interleave, r->recompute ? "full" : "none");
    else if (r->seq)
        snprintf(parallelism, sizeof parallelism, "seq: %u, cp: %u", r->seq, r->cp);
    else
        snprintf(parallelism, sizeof parallelism, "interleave: 6, recompute: none, style: overlapped, tp_overlap: true");
    snprintf(text, sizeof text, "nodes: [ { group: n, type: %s, count: %u } ]\nmodels: [ { name: x, %s%s%s parallelism: { batch_sequences: %u, %s } } ]\n" ON,
             row->node, r->gpus / 8, row->like ? "like: " : "", row->like ? row->like : "", row->like ? "," : "", r->batch, parallelism);
    struct cluster *c = good(text);
    double s = rate_of(c, "x", r->gpus / 8, 8).parallel.iteration_s;
    cluster_free(c);
    if (row->measure == ITERATION)
        return s;
    if (row->measure == TFLOPS)          /* FLOPs of SC'21, section 5.1 */
        return 96 * r->batch * 2048.0 * r->layers * h * h * (1 + 2048 / (6 * h) + 51200 / (16 * r->layers * h)) / s / r->gpus / 1e12;
    double flops = r->seq ? (6 * 405e9 + 6.0 * 126 * seq * 16384) * r->batch * seq : (6 * 175e9 + 6.0 * 96 * 2048 * 12288) * r->batch * 2048;
    return 100 * flops / s / r->gpus / (r->seq ? 989e12 : 312e12);
}

static void not_fitted(void **state)
{
    const struct unfitted *row = *state;
    double sum = 0, worst = 0;
    size_t n = 0;
    for (; n < COUNT(row->run) && row->run[n].published > 0; n++) {
        double off = fabs(value_of(row, &row->run[n]) / row->run[n].published - 1);
        sum += off;
        worst = fmax(worst, off);
    }
    print_message("%s: mean error %.1f %%, most %.1f %%\n", row->name, 100 * sum / (double)n, 100 * worst);
    assert_true(worst < row->most);
}

/* Llama 3 405B on 8,192 H100: 43 % of the dense FLOPS [P Llama 3 report, table 4]; of the model's FLOPs, 6 N and causal attention. */
static void llama(void **state)
{
    (void)state;
    struct cluster *c = good("nodes: [ { group: n, type: hgx-h100, count: 1024 } ]\n" ON);
    struct placement_rate at = rate_of(c, "Llama-3-405B", 1024, 8);
    double flops = (6 * 405e9 + 6.0 * 126 * 8192 * 16384) * 2048 * 8192;
    assert_near(flops / at.parallel.iteration_s / 8192 / 989e12, .43, .02);
    cluster_free(c);
}

/* MegaScale 175B on 12,288 A100: 55.2 % [P Jiang et al., NSDI 2024]; six stages a GPU, tensor traffic hidden in part. */
static void megascale(void **state)
{
    (void)state;
    struct cluster *c = good("nodes: [ { group: n, type: dgx-a100-80, count: 1536 } ]\nmodels: [ { name: x, like: GPT-3-175B, parallelism: { batch_sequences: 6144, "
                             "interleave: 6, recompute: none, style: overlapped, tp_overlap: true } } ]\n" ON);
    struct placement_rate at = rate_of(c, "x", 1536, 8);
    double flops = (6 * 175e9 + 6.0 * 96 * 2048 * 12288) * 6144 * 2048;
    assert_near(flops / at.parallel.iteration_s / 12288 / 312e12, .552, .03);
    cluster_free(c);
}

/* ---- Collectives, bubble, limits ---- */

static const struct parallel_means h100 = { .costs = &collective_costs_default, .flops_per_s = 989e12, .mem_bps = 3350e9, .chi = .87,
                                            .efficiency = (const double[]){ .75, .8, .8 }, .leaf_oversubscription = 1, .spine_oversubscription = 1 };

static void all_to_all(void **state)
{
    (void)state;
    struct rank_group island = { .ranks = 8, .units = 1, .least = 8, .most = 8, .inside = LINK_NVLINK, .inside_bps = 450e9 },
                      apart = { .ranks = 8, .units = 8, .least = 1, .most = 1, .inside_bps = INFINITY, .rail_bps = 50e9, .node_bps = 50e9, .sharing = 1 },
                      two = { .ranks = 8, .units = 2, .least = 4, .most = 4, .inside = LINK_NVLINK, .inside_bps = 450e9, .rail_bps = 50e9,
                              .node_bps = 50e9, .sharing = 4 };
    double bytes = 2.0 * 4096 * 2 * 4096;                  /* 2 X k H */
    assert_near(group_all_to_all_s(&island, &h100, bytes), .197786e-3, 2e-6);
    assert_near(group_all_to_all_s(&apart, &h100, bytes), 1.566006e-3, 1e-6);
    /* 3 of 8 parts inside, 4 to the other node */
    assert_near(group_all_to_all_s(&two, &h100, bytes), 3 * 3.4e-6 + 3.0 / 8 * bytes / 337.5e9 + 4 * 14e-6 + 4.0 / 8 * bytes / 40e9, 1e-12);
}

static struct parallelism gpt(uint32_t pp, uint32_t interleave, double micro_batches)
{
    struct parallelism p = parallelism_plain;
    p.pp = pp;
    p.interleave = interleave;
    p.layers = pp;
    p.hidden = p.vocab = p.seq = 1024;
    p.batch_sequences = micro_batches;
    return p;
}

/* (pp - 1) / (interleave m) of the work; SC'21, section 2.2. All links infinitely fast, no step takes time: nothing else. */
static void bubble(void **state)
{
    (void)state;
    static const struct { uint32_t pp, interleave; double m, share; } rows[] = { { 8, 1, 32, .21875 }, { 8, 4, 32, .0546875 }, { 16, 8, 16, .1171875 } };
    struct parallel_means free_of_charge = h100;
    struct collective_costs none = { 0 };
    free_of_charge.costs = &none;
    free_of_charge.mem_bps = INFINITY;
    for (unsigned i = 0; i < COUNT(rows); i++) {
        struct parallelism p = gpt(rows[i].pp, rows[i].interleave, rows[i].m);
        struct parallel_split split = parallel_split(&p, rows[i].pp);
        struct rank_groups g = { .n = { 0 } };
        rank_groups_add(&g, GROUP_STAGES, &(struct rank_group){ .ranks = 2, .units = 1, .least = 2, .most = 2, .inside_bps = INFINITY });
        struct parallel_time t = parallel_time(&p, &split, &g, &free_of_charge);
        assert_near(t.bubble_s / t.compute_s, rows[i].share, 1e-12);
        assert_near(t.iteration_s, t.compute_s * (1 + rows[i].share), 1e-12);
    }
}

static void splits(void **state)
{
    (void)state;
    struct parallelism p = parallelism_plain;
    p.tp = 8;
    p.pp = 4;
    p.ep = 6;
    static const struct { uint32_t gpus; struct parallel_split want; } rows[] = {
        { 64, { 8, 1, 4, 2, 2 } }, { 32, { 8, 1, 4, 1, 1 } }, { 16, { 8, 1, 2, 1, 1 } }, { 4, { 4, 1, 1, 1, 1 } }, { 1, { 1, 1, 1, 1, 1 } },
        { 200, { 8, 1, 4, 6, 6 } }, { 256, { 8, 1, 4, 8, 4 } },
    };
    for (unsigned i = 0; i < COUNT(rows); i++) {
        struct parallel_split s = parallel_split(&p, rows[i].gpus);
        assert_memory_equal(&s, &rows[i].want, sizeof s);
    }
}

/* Only data parallelism, plain, NVLink as efficient as in 2.1: what 2.1 has for the same gradients. */
static void as_without(void **state)
{
    (void)state;
    struct cluster *c = good(A100("4", "2") "progress: { parallel: 3d, overlap: 1 }\nfabric: { efficiency: 0.8 }\n"
                             "models: [ { name: x, parallelism: { layers: 24, hidden: 2048, vocab: 50000, seq: 1024, batch_sequences: 64 } } ]\n");
    struct training_model m;
    assert_true(training_model_find(c->models, "x", &m));
    static const struct { uint32_t nodes, gpus; } on[] = { { 1, 8 }, { 2, 4 }, { 4, 1 }, { 3, 5 } };
    for (unsigned i = 0; i < COUNT(on); i++) {
        struct placement_rate at = rate_of(c, "x", on[i].nodes, on[i].gpus), simple;
        struct training_model data = { .gradient_bytes = 4 * m.params, .compute_s = 1, .tensor_parallel = 1, .pipeline_parallel = 1 };
        struct form_scratch scratch = { .node = NULL };
        struct placement *p = spread_over(on[i].nodes, on[i].gpus);
        struct placement_form f = placement_form(c, &(struct form_rules){ .7 }, p, &scratch);
        placement_analytic(c->rates, &data, &f, &simple);
        assert_near(at.parallel.data_s, simple.comm_s, 1e-9);
        assert_near(at.comm_s, simple.comm_s + at.parallel.optimizer_s, 1e-9);
        free(p);
        form_scratch_free(&scratch);
    }
    cluster_free(c);
}

/* ---- Where groups lie: by hand ---- */

static void layouts(void **state)
{
    (void)state;
    struct cluster *c = good("nodes: [ { group: n, gpus: 8, gpu_model: A100-SXM4-80, count: 8, island_gpus: 4, numa_nodes: 2, nics: 4, nic_gbps: 25, "
                             "nodes_per_rack: 2, racks_per_pod: 2 } ]\n" ON);
    const struct link_speeds links = { 300e9, 31.5e9, .7, false };
    struct rank_layout l = { .spot = NULL };
    struct form_scratch scratch = { .node = NULL };
    struct rank_groups g;
    struct placement *p = spread_over(4, 8);
    /* tp 8, dp 4: a tensor group over two islands of a node, across sockets; data groups over 4 nodes in 2 racks */
    rank_layout_on(&l, c, &c->rates->fabric, p, &scratch);
    rank_layout_groups(&l, &(struct parallel_split){ 8, 1, 1, 4, 2 }, &links, &g);
    assert_int_equal(l.ranks, 32);
    assert_true(g.n[GROUP_TENSOR] == 1 && g.of[GROUP_TENSOR][0].units == 1 && g.of[GROUP_TENSOR][0].inside == LINK_PCIE);
    assert_near(g.of[GROUP_TENSOR][0].inside_bps, .7 * 31.5e9, 1e-12);
    assert_true(g.n[GROUP_DATA] == 1 && g.of[GROUP_DATA][0].units == 4 && g.of[GROUP_DATA][0].most == 1);
    assert_int_equal(g.of[GROUP_DATA][0].reach, REACH_POD);
    assert_near(g.of[GROUP_DATA][0].rail_bps, 4 * 25e9 / 8, 1e-12);       /* 4 NICs for 8 GPUs */
    assert_true(g.n[GROUP_EXPERT] == 1 && g.of[GROUP_EXPERT][0].reach == REACH_RACK && g.of[GROUP_EXPERT][0].ranks == 2);
    /* tp 4, pp 8: tensor groups on islands; stages change inside a node, between nodes of a rack, and between racks */
    rank_layout_groups(&l, &(struct parallel_split){ 4, 1, 8, 1, 1 }, &links, &g);
    assert_true(g.n[GROUP_TENSOR] == 1 && g.of[GROUP_TENSOR][0].inside == LINK_NVLINK && g.n[GROUP_DATA] == 0);
    assert_int_equal(g.n[GROUP_STAGES], 3);
    assert_true(g.of[GROUP_STAGES][0].units == 1 && g.of[GROUP_STAGES][1].reach == REACH_RACK && g.of[GROUP_STAGES][2].reach == REACH_POD);
    /* 8 + 8 + 8 + 2 GPUs, tp 1, dp 26: 8 ranks of a group on a node, 2 on the last */
    p->piece[3].gpus = 2;
    p->piece[3].gpu_mask = 3;
    rank_layout_on(&l, c, &c->rates->fabric, p, &scratch);
    rank_layout_groups(&l, &(struct parallel_split){ 1, 1, 1, 26, 1 }, &links, &g);
    assert_true(g.of[GROUP_DATA][0].least == 2 && g.of[GROUP_DATA][0].most == 8 && g.of[GROUP_DATA][0].ranks == 26);
    rank_layout_free(&l);
    form_scratch_free(&scratch);
    free(p);
    cluster_free(c);
}

/* 2 racks of 2 nodes of 8 GPUs and NICs in a pod, uplinks of racks 4 : 1, tp 8: rank i of each node reduces gradients with ranks i of the
 * others. With rails these are on one switch, so the uplinks do not matter. On GPUs 0 to 3 of two nodes and 4 to 7 of the others, tp 4,
 * they are not, even in a rack. An all-to-all of ranks of a node crosses the rails. Beyond the pod, the spine. By hand. */
static void rails(void **state)
{
    (void)state;
    struct cluster *c = good("nodes: [ { group: n, type: dgx-a100-80, count: 6, nodes_per_rack: 2, racks_per_pod: 2 } ]\n" ON
                             "fabric: { leaf_oversubscription: 4, rails: true }\n");
    const struct link_speeds on = { 300e9, 31.5e9, .7, true }, off = { 300e9, 31.5e9, .7, false };
    static const struct row {
        uint32_t nodes, gpus, odd;           /* on odd nodes the GPUs from that number on */
        struct parallel_split split;
        enum group_kind kind;
        enum reach without, with;
    } rows[] = {
        { 4, 8, 0, { 8, 1, 1, 4, 1 }, GROUP_DATA, REACH_POD, REACH_RACK },     { 2, 8, 0, { 8, 1, 1, 2, 1 }, GROUP_DATA, REACH_RACK, REACH_RACK },
        { 2, 4, 0, { 4, 1, 1, 2, 1 }, GROUP_DATA, REACH_RACK, REACH_RACK },    { 2, 4, 4, { 4, 1, 1, 2, 1 }, GROUP_DATA, REACH_RACK, REACH_POD },
        { 4, 4, 4, { 4, 1, 1, 4, 1 }, GROUP_DATA, REACH_POD, REACH_POD },      { 6, 8, 0, { 8, 1, 1, 6, 1 }, GROUP_DATA, REACH_CLUSTER, REACH_CLUSTER },
        { 4, 8, 0, { 16, 1, 1, 2, 1 }, GROUP_TENSOR, REACH_RACK, REACH_RACK }, { 2, 8, 0, { 1, 1, 1, 16, 16 }, GROUP_EXPERT, REACH_RACK, REACH_POD },
        { 2, 1, 0, { 1, 1, 1, 2, 2 }, GROUP_EXPERT, REACH_RACK, REACH_RACK },  { 4, 8, 0, { 8, 1, 2, 2, 1 }, GROUP_STAGES, REACH_POD, REACH_RACK },
    };
    for (unsigned i = 0; i < COUNT(rows); i++) {
        struct rank_layout l = { .spot = NULL };
        struct form_scratch scratch = { .node = NULL };
        struct rank_groups g, h;
        struct placement *p = spread_over(rows[i].nodes, rows[i].gpus);
        for (uint32_t n = 1; n < rows[i].nodes; n += 2)
            p->piece[n].gpu_mask <<= rows[i].odd;
        rank_layout_on(&l, c, &c->rates->fabric, p, &scratch);
        rank_layout_groups(&l, &rows[i].split, &off, &g);
        rank_layout_groups(&l, &rows[i].split, &on, &h);
        if (g.of[rows[i].kind][0].reach != rows[i].without || h.of[rows[i].kind][0].reach != rows[i].with)
            fail_msg("row %u: %d, with rails %d", i, g.of[rows[i].kind][0].reach, h.of[rows[i].kind][0].reach);
        rank_layout_free(&l);
        form_scratch_free(&scratch);
        free(p);
    }
    cluster_free(c);
    /* aligned over racks: as without oversubscription */
    static const char *const fabrics[] = { "{ leaf_oversubscription: 4, rails: true }", "{ leaf_oversubscription: 1 }", "{ leaf_oversubscription: 4 }" };
    double s[3];
    for (unsigned i = 0; i < 3; i++) {
        char text[400];
        snprintf(text, sizeof text, A100("8", "8") ON "fabric: %s\n", fabrics[i]);
        c = good(text);
        s[i] = rate_of(c, "GPT-3-13B", 8, 8).parallel.iteration_s;
        cluster_free(c);
    }
    assert_near(s[0], s[1], 1e-12);
    assert_true(s[2] > s[0]);
}

/* No bandwidth that rises makes an iteration longer. */
static void faster_links(void **state)
{
    (void)state;
    static const char *const links[] = { "", "nics: 8, nic_gbps: 50, ", "nics: 8, nic_gbps: 100, " };
    double before = INFINITY;
    for (unsigned i = 0; i < COUNT(links); i++) {
        char text[400];
        snprintf(text, sizeof text, "nodes: [ { group: n, type: dgx-a100-80, %s count: 16, nodes_per_rack: 4 } ]\n" ON
                 "fabric: { leaf_oversubscription: 2 }\n", links[i]);
        struct cluster *c = good(text);
        double s = rate_of(c, "GPT-3-175B", 16, 8).parallel.iteration_s;
        assert_true(s < before);
        before = s;
        cluster_free(c);
    }
}

/* 12 GPUs for tensor groups of 8: a node and a half, one group whole and 4 GPUs idle; no placement is much better than that. */
static void rest(void **state)
{
    (void)state;
    struct cluster *c = good(A100("2", "8") ON);
    struct intern *names = intern_new();
    uint32_t number = intern_add(names, "GPT-3-13B", 9);
    struct placement_rates *r = placement_rates_new(c, c->rates, names);
    struct placement *p = spread_over(2, 8);
    p->piece[1].gpus = 4;
    p->piece[1].gpu_mask = 15;
    struct placement_rate packed = placement_rate_on(r, number, 12, p);
    p->piece[0].gpus = p->piece[1].gpus = 6;
    p->piece[0].gpu_mask = p->piece[1].gpu_mask = 63;
    struct placement_rate torn = placement_rate_on(r, number, 12, p);
    assert_true(placement_slowdown(&packed) == 1 && placement_slowdown(&torn) > 1.2);
    assert_near(packed.parallel.tensor_s, 489 * .170027, 1e-5);      /* as on one node */
    free(p);
    placement_rates_free(r);
    intern_free(names);
    cluster_free(c);
}

/* Alone in full racks a job has as much with shared links as without, also where some of its groups stay in a rack: 2.4. */
static void alone_on_links(void **state)
{
    (void)state;
    static const char *const fabric[] = { "{ leaf_oversubscription: 4 }", "{ leaf_oversubscription: 4, contention: maxmin }" };
    double s[2], network[2];
    for (unsigned i = 0; i < 2; i++) {
        char text[400];
        snprintf(text, sizeof text, A100("8", "8") ON "fabric: %s\nmodels: [ { name: x, parallelism: { tp: 16, layers: 8, hidden: 4096, seq: 2048, "
                 "batch_sequences: 64 } } ]\n", fabric[i]);
        struct cluster *c = good(text);
        struct placement_rate at = rate_of(c, "x", 8, 8);
        s[i] = at.parallel.iteration_s;
        network[i] = at.network_s;
        /* tensor groups are on two nodes of a rack, which its uplink does not slow: 4 nodes of 8 NICs a rack */
        double one = 2 * (7 * 3.4e-6 + 7.0 / 8 * 2 * 2048 * 4096 / 225e9) + 8.4e-6 + 28e-6 + 2 * 2048 * 4096 / 8 / 20e9;
        assert_near(at.parallel.tensor_s, 16 * 6 * 8 * one, 1e-9);
        cluster_free(c);
    }
    assert_near(s[0], s[1], 1e-9);
    assert_near(network[0], network[1], 1e-9);
}

/* Experts: the same in one island and on eight nodes but for what they send, and the gradients. */
static void experts(void **state)
{
    (void)state;
    struct cluster *c = good("nodes: [ { group: n, type: hgx-h100, count: 8 } ]\n" ON
                             "models: [ { name: moe, parallelism: { ep: 8, layers: 32, hidden: 4096, seq: 4096, vocab: 32000, kv_heads: 8, head_dim: 128, "
                             "batch_sequences: 64, params: 46.7e9, style: overlapped, overlap_dp: 1, moe: { experts: 8, chosen: 2, expert_params: 45.1e9 } } } ]\n");
    struct placement_rate island = rate_of(c, "moe", 1, 8), apart = rate_of(c, "moe", 8, 1);
    /* 8 micro-batches, 4 exchanges in each of 32 layers */
    assert_near(island.parallel.expert_s, 8 * 4 * 32 * .19778594e-3, 1e-6);
    assert_near(apart.parallel.expert_s, 8 * 4 * 32 * 1.5660064e-3, 1e-6);
    assert_near(apart.parallel.iteration_s - island.parallel.iteration_s, apart.parallel.expert_s - island.parallel.expert_s, 1e-9);
    assert_true(placement_slowdown(&apart) > 1 && placement_slowdown(&island) == 1);
    cluster_free(c);
}

/* ---- What files may say ---- */

#define MODEL(what) A100("1", "8") ON "models: [ { name: x, parallelism: { " what " } } ]\n"
static const struct refused_row { const char *name, *text, *error; } errors[] = {
    { "no layers", MODEL("tp: 8"), "c.yaml:3:35: parallelism: want layers, hidden, seq and batch_sequences" },
    { "a zero of no kind", MODEL("layers: 2, hidden: 8, seq: 8, batch_sequences: 8, zero: 2"), "c.yaml:3:93: zero: want 0 or 3, got '2'" },
    { "experts of a dense model", MODEL("ep: 2, layers: 2, hidden: 8, seq: 8, batch_sequences: 8"), "c.yaml:3:35: parallelism: ep wants 'moe'" },
    { "two splits", A100("1", "8") ON "models: [ { name: GPT-3, tensor_parallel: 2 } ]\n",
      "c.yaml:3:43: tensor_parallel: this model has 'parallelism': want tp and pp there" },
    { "GPUs of no known speed", "gpu_models: [ { name: x, like: A100-SXM4-80, mem_gbps: 0 } ]\nnodes: [ { group: n, gpus: 2, count: 1, gpu_model: x } ]\n" ON,
      "c.yaml:3:11: progress: group 'n': parallel '3d' wants dense_tflops and mem_gbps of GPU model 'x'" },
};

static void refused(void **state)
{
    const struct refused_row *row = *state;
    struct error err = { "" };
    assert_null(cluster_of_text(row->text, &err));
    assert_string_equal(err.text, row->error);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, tensor_traffic, job_b);
    ADD_ROWS(tests, n, published, sc21);
    ADD_ROWS(tests, n, not_fitted, unfitted);
    ADD_TEST(tests, n, llama);
    ADD_TEST(tests, n, megascale);
    ADD_TEST(tests, n, all_to_all);
    ADD_TEST(tests, n, bubble);
    ADD_TEST(tests, n, splits);
    ADD_TEST(tests, n, as_without);
    ADD_TEST(tests, n, layouts);
    ADD_TEST(tests, n, rails);
    ADD_TEST(tests, n, faster_links);
    ADD_TEST(tests, n, rest);
    ADD_TEST(tests, n, alone_on_links);
    ADD_TEST(tests, n, experts);
    ADD_ROWS(tests, n, refused, errors);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
