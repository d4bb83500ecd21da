/* test_placement_rate.c - how fast placements train: the worked examples of models.md 2.5, and what must hold besides. */
#include "sim/capacity/placement_form.h"
#include "sim/capacity/placement_rate.h"
#include "tests/unit/test_core.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MS(x) ((x) * 1e-3)

/* Two groups: "fast", NVLink nodes, and "slow", PCIe nodes of one NUMA node. */
struct machine { uint32_t nodes, per_rack, per_pod; const char *gpu; struct node_nics nics; double leaf, spine; };

static struct cluster *site_of(const struct machine *s)
{
    struct error err = { "" };
    const struct group_spec groups[] = {
        { .name = "fast", .gpu_model = s->gpu, .count = s->nodes, .gpus = 8, .island_gpus = 8, .cpu_milli = INT64_MAX,
          .mem_mib = INT64_MAX, .nodes_per_rack = s->per_rack, .racks_per_pod = s->per_pod, .nics = s->nics },
        { .name = "slow", .gpu_model = "V100-SXM2-16", .count = 1, .gpus = 8, .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX,
          .nics = s->nics },
    };
    struct cluster *c = cluster_build("site", groups, 2, NULL, 0, &err);
    assert_string_equal(err.text, "");
    c->rates = rate_rules_new();
    c->rates->fabric.leaf_oversubscription = s->leaf > 0 ? s->leaf : 1;
    c->rates->fabric.spine_oversubscription = s->spine > 0 ? s->spine : 1;
    return c;
}

/* g GPUs on each of n nodes, every step-th from `first`. The caller frees. */
static struct placement *on(const struct cluster *c, node_id first, uint32_t step, uint32_t n, uint32_t g)
{
    struct placement *p = calloc(1, sizeof *p + n * sizeof *p->piece);
    p->n = n;
    for (uint32_t i = 0; i < n; i++) {
        node_id at = first + i * step;
        bool counted = cluster_node_type(c, at)->counted;
        p->piece[i] = (struct piece){ .node = at, .task = i, .gpu_mask = counted ? 0 : (UINT64_C(1) << g) - 1, .gpus = g,
                                      .milli = MILLI_ALL };
    }
    return p;
}

/* ---- models.md 2.5: milliseconds for ResNet-50, VGG-16 and BERT-large on 8 GPUs, printed with four digits ---- */

static const struct { const char *name; double bytes, compute_ms; } trains[3] = {
    { "ResNet-50", 102228128, 82 }, { "VGG-16", 553430176, 180 }, { "BERT-large", 672000000, 250 },
};
static const struct worked {
    const char *name;
    struct machine site;
    node_id first;
    uint32_t step, nodes, gpus;
    double comm_ms[3], iteration_ms[3], slowdown[3];
} worked[] = {
#define V100(n, rack, leaf_over) { n, rack, 100, "V100-SXM2-16", { 1, 12.5 }, leaf_over, 1 }
    { "a: one NVLink2 node", V100(8, 8, 1), 0, 1, 1, 8, { 1.5468, 8.1269, 9.8560 }, { 82.0146, 180.1834, 250.1942 }, { 1, 1, 1 } },
    { "b: one PCIe3 node", V100(8, 8, 1), 8, 1, 1, 8, { 14.2866, 76.9535, 93.4215 }, { 83.2352, 195.7597, 266.8850 },
      { 1.0149, 1.0864, 1.0667 } },
    { "c: 2 x 4 in a rack", V100(8, 8, 1), 0, 1, 2, 4, { 11.5575, 62.3177, 75.6568 }, { 82.8105, 190.4823, 261.1972 },
      { 1.0097, 1.0572, 1.0440 } },
    { "d: 2 x 4 in two racks, 4 to 1", V100(8, 1, 4), 0, 1, 2, 4, { 42.2259, 228.3467, 277.2568 }, { 92.2335, 290.7615, 373.3247 },
      { 1.1246, 1.6137, 1.4921 } },
    { "e: 8 x 1 in a rack", V100(8, 8, 1), 0, 1, 8, 1, { 18.0943, 97.0547, 117.8044 }, { 83.9726, 204.4984, 276.3655 },
      { 1.0239, 1.1349, 1.1046 } },
    { "f: 2 x 4, NVLink4 and 400 GB/s", { 8, 8, 100, "H100-SXM5-80", { 8, 50 }, 1, 1 }, 0, 1, 2, 4, { 0.8022, 4.0922, 4.9568 },
      { 82.0039, 180.0465, 250.0491 }, { 0, 0, 0 } },
};

static void same(double got, double want, double half_a_digit)
{
    if (!(fabs(got - want) <= half_a_digit))
        fail_msg("want %.6f, got %.6f", want, got);
}

static void worked_example(void **state)
{
    const struct worked *w = *state;
    struct cluster *c = site_of(&w->site);
    c->rates->fabric.nic_affinity = NIC_SHARED;
    struct intern *names = intern_new();
    for (unsigned i = 0; i < 3; i++)
        intern_add(names, trains[i].name, strlen(trains[i].name));
    struct placement_rates *r = placement_rates_new(c, c->rates, names);
    struct placement *p = on(c, w->first, w->step, w->nodes, w->gpus);
    for (unsigned i = 0; i < 3; i++) {
        struct training_model m;
        assert_true(training_model_find(c->models, trains[i].name, &m));
        assert_true(m.gradient_bytes == trains[i].bytes && m.compute_s == MS(trains[i].compute_ms));
        struct placement_rate at = placement_rate_on(r, i, 8, p);
        assert_int_equal(at.by, RATE_ANALYTIC);
        same(at.comm_s * 1e3, w->comm_ms[i], 0.5e-4);
        /* case f takes the V100's computing time on the H100's links */
        same(iteration_s(MS(trains[i].compute_ms), at.comm_s, 2) * 1e3, w->iteration_ms[i], 0.5e-4);
        if (w->slowdown[i] > 0)
            same(placement_slowdown(&at), w->slowdown[i], 0.5e-4);
    }
    free(p);
    placement_rates_free(r);
    intern_free(names);
    cluster_free(c);
}

/* ---- 2.1 and 2.2: each formula by hand, with alpha0 = 1 s, steps of 0.1 s (tree: 0.2 s), 60 bytes at 10 bytes a second ---- */

static void formulas(void **state)
{
    (void)state;
    const struct collective_costs c = { .base_s = 1, .ring_step_s = { 0.1, 0.1, 0.1 }, .tree_step_s = { 0.2, 0.2, 0.2 } };
    same(collective_ring_s(&c, LINK_PCIE, 4, 60, 10), 1 + 6 * 0.1 + 2 * 0.75 * 6, 1e-12);
    same(collective_scatter_s(&c, LINK_PCIE, 4, 60, 10), 3 * 0.1 + 0.75 * 6, 1e-12);
    same(collective_tree_s(&c, LINK_NETWORK, 5, 60, 10), 1 + 2 * 3 * 0.2 + 2 * 6, 1e-12);
    same(collective_all_to_all_s(&c, LINK_NETWORK, 4, 60, 10), 3 * 0.1 + 0.75 * 6, 1e-12);
    /* over the network the better of both: many ranks with little to say make a tree */
    same(collective_all_reduce_s(&c, LINK_NETWORK, 64, 0.1, 10), 1 + 2 * 6 * 0.2 + 0.02, 1e-12);
    same(collective_all_reduce_s(&c, LINK_NVLINK, 64, 0.1, 10), 1 + 126 * 0.1 + 2 * 63.0 / 64 * 0.01, 1e-12);
    assert_true(collective_ring_s(&c, LINK_PCIE, 1, 60, 10) == 0 && collective_tree_s(&c, LINK_PCIE, 1, 60, 10) == 0 &&
                collective_scatter_s(&c, LINK_PCIE, 0, 60, 10) == 0);
    assert_true(iteration_s(3, 4, 2) == 5 && iteration_s(3, 0, 7) == 3 && iteration_s(0, 4, 2) == 4);
    same(iteration_s(3, 4, 1), 7, 1e-12);
    same(iteration_s(3, 4, 10), pow(pow(3, 10) + pow(4, 10), 0.1), 1e-12);
}

/* ---- Forms: what of a placement counts ---- */

static const struct group_spec tray = { .name = "tray", .gpu_model = "B200-SXM-180", .count = 36, .gpus = 4, .island_gpus = 72,
                                        .numa_nodes = 2, .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX, .nodes_per_rack = 18,
                                        .nics = { 4, 50 } };
static const struct group_spec sockets = { .name = "sockets", .gpu_model = "L40S-48", .count = 4, .gpus = 8, .numa_nodes = 2,
                                           .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX, .nics = { 1, 12.5 } };

static struct cluster *only(const struct group_spec *g)
{
    struct error err = { "" };
    struct cluster *c = cluster_build("one", g, 1, NULL, 0, &err);
    assert_string_equal(err.text, "");
    c->rates = rate_rules_new();
    return c;
}

static const struct form_row {
    const char *name;
    const struct group_spec *group;
    node_id first;
    uint32_t step, nodes, gpus;
    uint32_t units;
    unsigned distance;
    enum link_class inside;
    double inside_gbps;
    bool consolidated;
} forms[] = {
    { "an island across trays is one unit", &tray, 0, 1, 3, 4, 1, 1, LINK_NVLINK, 900, true },
    { "two such islands are two", &tray, 0, 18, 2, 4, 2, 5, LINK_NVLINK, 900, true },
    { "PCIe within a NUMA node", &sockets, 1, 1, 1, 4, 1, 2, LINK_PCIE, 31.5, true },
    { "PCIe across NUMA nodes: x 0.7", &sockets, 1, 1, 1, 6, 1, 3, LINK_PCIE, 31.5 * 0.7, true },
    { "nodes without racks are as of one", &sockets, 0, 1, 2, 8, 2, 4, LINK_PCIE, 31.5 * 0.7, true },
    { "two nodes where one would do", &sockets, 0, 3, 2, 4, 2, 4, LINK_PCIE, 31.5, false },
};

static void form(void **state)
{
    const struct form_row *row = *state;
    struct cluster *c = only(row->group);
    struct form_scratch scratch = { .node = NULL };
    struct form_rules rules = { 0.7 };
    struct placement *p = on(c, row->first, row->step, row->nodes, row->gpus);
    struct placement_form f = placement_form(c, &rules, p, &scratch);
    assert_int_equal(f.gpus, row->nodes * row->gpus);
    assert_int_equal(f.units, row->units);
    assert_int_equal(f.distance, row->distance);
    assert_int_equal(f.inside, row->inside);
    same(f.inside_bps / 1e9, row->inside_gbps, 1e-9);
    assert_int_equal(f.consolidated, row->consolidated);
    free(p);
    form_scratch_free(&scratch);
    cluster_free(c);
}

/* Pieces on one node, in any order, are as one piece. */
static void pieces_of_one_node(void **state)
{
    (void)state;
    struct cluster *c = only(&sockets);
    struct placement *apart = calloc(1, sizeof *apart + 4 * sizeof *apart->piece), *whole = on(c, 0, 1, 2, 2);
    static const struct { node_id node; uint64_t mask; } at[] = { { 1, 2 }, { 0, 1 }, { 1, 1 }, { 0, 2 } };
    apart->n = 4;
    for (uint32_t i = 0; i < 4; i++)
        apart->piece[i] = (struct piece){ .node = at[i].node, .task = i, .gpu_mask = at[i].mask, .gpus = 1, .milli = MILLI_ALL };
    struct form_scratch scratch = { .node = NULL };
    struct form_rules rules = { 0.7 };
    struct placement_form a = placement_form(c, &rules, apart, &scratch), b = placement_form(c, &rules, whole, &scratch);
    assert_true(a.units == b.units && a.least == b.least && a.most == b.most && a.inside_bps == b.inside_bps &&
                a.distance == b.distance && a.gpus == b.gpus);
    form_scratch_free(&scratch);
    free(apart);
    free(whole);
    cluster_free(c);
}

/* ---- The analytic model, by hand ---- */

/* Uneven splits (2.1, 4): 2 + 6 as 2 x 2 over the network, after 6 inside; 1 + 7 as a flat ring of 8. One NIC of 12.5 GB/s, 80 %. */
static void uneven(void **state)
{
    (void)state;
    struct cluster *c = site_of(&(struct machine){ 4, 4, 10, "V100-SXM2-16", { 1, 12.5 }, 1, 1 });
    struct training_model m = { .gradient_bytes = 1e9, .compute_s = 0.1, .tensor_parallel = 1, .pipeline_parallel = 1 };
    struct form_scratch scratch = { .node = NULL };
    struct form_rules rules = { 0.7 };
    struct placement *p = on(c, 0, 1, 2, 2);
    struct placement_rate at;
    p->piece[1].gpus = 6;
    p->piece[1].gpu_mask = 63;
    struct placement_form f = placement_form(c, &rules, p, &scratch);
    placement_analytic(c->rates, &m, &f, &at);
    /* 2 x reduce-scatter of 6 over NVLink at 120 GB/s: 17 us + 5/6/120 s each; a ring of 2 at 10 GB/s: 8.4 us + 28 us + 0.1 s */
    same(at.comm_s, 2 * (17e-6 + 5.0 / 6 / 120) + 8.4e-6 + 28e-6 + 0.1, 1e-12);
    assert_true(at.network_s == at.comm_s);                /* nothing inside a unit of one GPU */
    p->piece[0].gpus = 1;
    p->piece[0].gpu_mask = 1;
    p->piece[1].gpus = 7;
    p->piece[1].gpu_mask = 127;
    f = placement_form(c, &rules, p, &scratch);
    placement_analytic(c->rates, &m, &f, &at);
    same(at.comm_s, 8.4e-6 + 14 * 14e-6 + 2 * 7.0 / 8 / 10, 1e-12);
    form_scratch_free(&scratch);
    free(p);
    cluster_free(c);
}

/* 4 of 8 GPUs of two nodes with 8 NICs of 50 GB/s: by rails half of the NICs are used, shared all. */
static void rails(void **state)
{
    (void)state;
    struct cluster *c = site_of(&(struct machine){ 4, 4, 10, "H100-SXM5-80", { 8, 50 }, 1, 1 });
    struct training_model m = { .gradient_bytes = 320e9, .compute_s = 0.1, .tensor_parallel = 1, .pipeline_parallel = 1 };
    struct form_scratch scratch = { .node = NULL };
    struct form_rules rules = { 0.7 };
    struct placement *p = on(c, 0, 1, 2, 4);
    struct placement_form f = placement_form(c, &rules, p, &scratch);
    struct placement_rate shared, rail, usual;
    c->rates->fabric.nic_affinity = NIC_SHARED;
    placement_analytic(c->rates, &m, &f, &shared);
    c->rates->fabric.nic_affinity = NIC_RAIL;
    placement_analytic(c->rates, &m, &f, &rail);
    c->rates->fabric.nic_affinity = NIC_AUTO;
    placement_analytic(c->rates, &m, &f, &usual);
    same(rail.comm_s - shared.comm_s, 1, 1e-9);            /* 320 GB at 160 instead of 320 GB/s */
    assert_true(usual.comm_s == rail.comm_s);              /* a NIC for each GPU */
    form_scratch_free(&scratch);
    free(p);
    cluster_free(c);
}

/* A copy of the model on 8 GPUs of a node: what is reduced are 8 eighths between the nodes, and nothing inside. */
static void tensor_parallel(void **state)
{
    (void)state;
    struct cluster *c = site_of(&(struct machine){ 4, 4, 10, "V100-SXM2-16", { 1, 12.5 }, 1, 1 });
    struct training_model m = { .gradient_bytes = 1e9, .compute_s = 0.1, .tensor_parallel = 8, .pipeline_parallel = 1 };
    struct form_scratch scratch = { .node = NULL };
    struct form_rules rules = { 0.7 };
    struct placement *one = on(c, 0, 1, 1, 8), *two = on(c, 0, 1, 2, 8);
    struct placement_form f = placement_form(c, &rules, one, &scratch), g = placement_form(c, &rules, two, &scratch);
    struct placement_rate at;
    placement_analytic(c->rates, &m, &f, &at);
    assert_true(at.comm_s == 0);
    placement_analytic(c->rates, &m, &g, &at);
    same(at.comm_s, 8.4e-6 + 28e-6 + 0.1, 1e-12);
    m.pipeline_parallel = 2;                               /* one copy on 16: nothing to reduce */
    placement_analytic(c->rates, &m, &g, &at);
    assert_true(at.comm_s == 0 && at.network_s == 0);
    form_scratch_free(&scratch);
    free(one);
    free(two);
    cluster_free(c);
}

/* 2.1: (n - 1) alpha + (n - 1)/n V/B, B the share of a GPU: two nodes of 4 at 10 GB/s, 2.5 GB/s each. */
static void all_to_all(void **state)
{
    (void)state;
    struct cluster *c = site_of(&(struct machine){ 4, 4, 10, "V100-SXM2-16", { 1, 12.5 }, 1, 1 });
    struct training_model m = { .all_to_all_bytes = 1e8, .compute_s = 0.01, .tensor_parallel = 1, .pipeline_parallel = 1 };
    struct form_scratch scratch = { .node = NULL };
    struct form_rules rules = { 0.7 };
    struct placement *p = on(c, 0, 1, 2, 4);
    struct placement_form f = placement_form(c, &rules, p, &scratch);
    struct placement_rate at;
    placement_analytic(c->rates, &m, &f, &at);
    same(at.comm_s, 7 * 14e-6 + 7.0 / 8 * 1e8 / 2.5e9, 1e-12);
    form_scratch_free(&scratch);
    free(p);
    cluster_free(c);
}

/* ---- Jobs whose model nobody knows, and GPUs that are not the reference ---- */

static void factors(void **state)
{
    (void)state;
    static const struct { uint32_t step, nodes, gpus; double slowdown; } rows[] = {
        { 1, 1, 8, 1 }, { 1, 2, 4, 1 / 0.85 }, { 2, 2, 4, 1 / 0.7 }, { 4, 2, 4, 1 / 0.6 },      /* models.md 2.7 */
    };
    struct cluster *c = site_of(&(struct machine){ 8, 2, 2, "V100-SXM2-16", { 1, 12.5 }, 4, 1 });
    struct placement_rates *r = placement_rates_new(c, c->rates, NULL);
    for (unsigned i = 0; i < COUNT(rows); i++) {
        struct placement *p = on(c, 0, rows[i].step, rows[i].nodes, rows[i].gpus);
        struct placement_rate at = placement_rate_on(r, ID_NONE, 8, p);
        assert_int_equal(at.by, RATE_FACTOR);
        same(placement_slowdown(&at), rows[i].slowdown, 1e-12);
        free(p);
    }
    c->rates->unknown = RATE_OFF;
    struct placement *p = on(c, 0, 4, 2, 4);
    struct placement_rate at = placement_rate_on(r, ID_NONE, 8, p);
    assert_true(placement_slowdown(&at) == 1);
    free(p);
    placement_rates_free(r);
    cluster_free(c);
}

/* On GPUs twice as fast an iteration takes half the computing: 2.3. */
static void faster_gpus(void **state)
{
    (void)state;
    struct cluster *c = site_of(&(struct machine){ 1, 0, 0, "A100-SXM4-40", { 1, 12.5 }, 1, 1 });
    struct intern *names = intern_new();
    intern_add(names, "CycleGAN", 8);
    c->rates->reference = strdup("V100-SXM2-16");
    struct placement_rates *r = placement_rates_new(c, c->rates, names);
    struct placement *fast = on(c, 0, 1, 1, 1), *slow = on(c, 1, 1, 1, 1);
    struct placement_rate a = placement_rate_on(r, 0, 1, fast), b = placement_rate_on(r, 0, 1, slow);
    assert_true(placement_slowdown(&a) == 0.5 && placement_slowdown(&b) == 1);
    free(fast);
    free(slow);
    placement_rates_free(r);
    intern_free(names);
    cluster_free(c);
}

/* Infinite bandwidth and no latency: every placement of the reference GPUs trains at exactly the pace of the trace. */
static void no_cost_no_difference(void **state)
{
    (void)state;
    struct cluster *c = site_of(&(struct machine){ 8, 2, 2, "V100-SXM2-16", { 1, INFINITY }, 8, 8 });
    struct gpu_model links = *c->gpu_known[0];
    links.nvlink_gbps = links.pcie_gbps = INFINITY;
    c->gpu_known[0] = &links;
    c->rates->fabric.costs = (struct collective_costs){ 0 };
    struct intern *names = intern_new();
    intern_add(names, "VGG-16", 6);
    struct placement_rates *r = placement_rates_new(c, c->rates, names);
    for (uint32_t nodes = 1; nodes <= 8; nodes *= 2) {
        struct placement *p = on(c, 0, 8 / nodes, nodes, 8 / nodes);
        struct placement_rate at = placement_rate_on(r, 0, 8, p);
        assert_true(placement_slowdown(&at) == 1);
        free(p);
    }
    placement_rates_free(r);
    intern_free(names);
    cluster_free(c);
}

/* ---- Links: NICs, then uplinks if it leaves them; capacities by hand ---- */

static void links(void **state)
{
    (void)state;
    struct cluster *c = site_of(&(struct machine){ 8, 2, 2, "V100-SXM2-16", { 1, 12.5 }, 4, 2 });
    struct form_scratch scratch = { .node = NULL };
    struct crossing x[16];
    double *bps = calloc(placement_links(c), sizeof *bps), alone[REACHES];
    placement_link_rates(c, &c->rates->fabric, bps);
    same(bps[0], 10e9, 1);                                 /* 80 % of a NIC */
    struct placement *rack = on(c, 0, 1, 2, 4), *pod = on(c, 0, 2, 2, 4), *far = on(c, 0, 4, 2, 4), *node = on(c, 0, 1, 1, 8);
    struct placement *half = on(c, 0, 1, 4, 2);            /* two nodes in each of two racks */
    assert_int_equal(placement_crossings(c, node, &scratch, x), 0);
    assert_int_equal(placement_crossings(c, rack, &scratch, x), 2);
    assert_true(x[0].link == 0 && x[1].link == 1 && x[1].flows == 1 && x[1].reach == REACH_RACK);
    assert_int_equal(placement_crossings(c, pod, &scratch, x), 4);
    assert_true(x[0].link == 0 && x[1].link == 2 && x[2].reach == REACH_POD);
    same(bps[x[2].link], 0.8 * 2 * 12.5e9 / 4, 1);         /* two NICs, 4 to 1 */
    assert_int_equal(placement_crossings(c, far, &scratch, x), 6);
    same(bps[x[2].link], 0.8 * 2 * (2 * 12.5e9 / 4) / 2, 1);    /* of a pod: two racks, 2 to 1 */
    same(bps[x[4].link], 0.8 * 2 * 12.5e9 / 4, 1);
    assert_true(x[2].reach == REACH_CLUSTER && x[4].reach == REACH_POD);
    assert_int_equal(placement_crossings(c, half, &scratch, x), 6);
    assert_true(x[4].flows == 2 && x[5].flows == 2);
    placement_alone_bps(c, half, &scratch, bps, alone);
    same(alone[REACH_RACK], 10e9, 1);
    same(alone[REACH_POD], 2.5e9, 1);                      /* 5 GB/s of an uplink for two nodes */
    same(alone[REACH_CLUSTER], 2.5e9, 1);
    free(rack);
    free(pod);
    free(far);
    free(node);
    free(half);
    free(bps);
    form_scratch_free(&scratch);
    cluster_free(c);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, worked_example, worked);
    ADD_TEST(tests, n, formulas);
    ADD_ROWS(tests, n, form, forms);
    ADD_TEST(tests, n, pieces_of_one_node);
    ADD_TEST(tests, n, uneven);
    ADD_TEST(tests, n, rails);
    ADD_TEST(tests, n, tensor_parallel);
    ADD_TEST(tests, n, all_to_all);
    ADD_TEST(tests, n, factors);
    ADD_TEST(tests, n, faster_gpus);
    ADD_TEST(tests, n, no_cost_no_difference);
    ADD_TEST(tests, n, links);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
