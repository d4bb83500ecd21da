/* test_parallel_properties.c - what an iteration of training must be like on any GPUs, splits and links, measured or not:
 * models.md 2.1, 2.8.
 *
 * No iteration computes faster than the dense FLOPS, or reads and writes its optimizer's state faster than the memory; no link that is
 * better makes one longer; a batch twice as large takes longer, but at most twice as long. */
#include "sim/capacity/placement_rate.h"
#include "tests/support/from_yaml.h"
#include "tests/unit/test_core.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct job {                      /* on so many nodes, with so many GPUs on each */
    const char *gpu;
    double tflops, mem_gbps, nvlink, pcie;
    unsigned nics;
    double nic, oversubscription;
    unsigned nodes, gpus, tp, pp, layers, hidden, batch;
    const char *style;            /* further keys of `parallelism` */
    const char *affinity;         /* of NICs; by default it follows from their number */
};

static struct placement_rate rate_of(const struct job *j)
{
    char text[900];
    snprintf(text, sizeof text,
             "gpu_models: [ { name: g, like: %s, dense_tflops: %g, mem_gbps: %g, nvlink_gbps: %g, pcie_gbps: %g } ]\n"
             "nodes: [ { group: n, gpus: 8, gpu_model: g, %s numa_nodes: 2, cpus: 64, memory_gib: 512, count: %u, nics: %u, nic_gbps: %g, nodes_per_rack: 2, "
             "racks_per_pod: 2 } ]\nmodels: [ { name: x, parallelism: { tp: %u, pp: %u, dp: rest, layers: %u, hidden: %u, vocab: 32000, seq: 2048, "
             "batch_sequences: %u%s } } ]\nprogress: { parallel: 3d }\nfabric: { leaf_oversubscription: %g, transport: rdma, nic_affinity: %s }\n",
             j->gpu, j->tflops, j->mem_gbps, j->nvlink, j->pcie, j->nvlink > 0 ? "island_gpus: 8," : "", j->nodes, j->nics, j->nic, j->tp, j->pp, j->layers,
             j->hidden, j->batch, j->style, j->oversubscription, j->affinity);
    struct error err = { "" };
    struct cluster *c = cluster_of_text(text, &err);
    assert_string_equal(err.text, "");
    struct intern *names = intern_new();
    uint32_t number = intern_add(names, "x", 1);
    struct placement_rates *r = placement_rates_new(c, c->rates, names);
    struct placement *p = calloc(1, sizeof *p + j->nodes * sizeof *p->piece);
    p->n = j->nodes;
    for (uint32_t i = 0; i < j->nodes; i++)
        p->piece[i] = (struct piece){ .node = i, .task = i, .gpu_mask = (UINT64_C(1) << j->gpus) - 1, .gpus = j->gpus, .milli = MILLI_ALL };
    struct placement_rate at = placement_rate_on(r, number, j->nodes * j->gpus, p);
    free(p);
    placement_rates_free(r);
    intern_free(names);
    cluster_free(c);
    return at;
}

static double iteration_of(const struct job *j)
{
    return rate_of(j).parallel.iteration_s;
}

static const struct job gpus[] = {
    { "V100-SXM2-32", 125, 900, 150, 15.75, 4, 12.5, 1, 0, 0, 0, 0, 0, 0, 0, "", "" },
    { "A100-SXM4-80", 312, 2039, 300, 31.5, 8, 25, 1, 0, 0, 0, 0, 0, 0, 0, "", "" },
    { "H100-SXM5-80", 989, 3350, 450, 63, 8, 50, 1, 0, 0, 0, 0, 0, 0, 0, "", "" },
    { "B200-SXM-180", 2250, 7700, 900, 63, 8, 50, 4, 0, 0, 0, 0, 0, 0, 0, "", "" },
    { "L4-24", 121, 300, 0, 31.5, 1, 12.5, 2, 0, 0, 0, 0, 0, 0, 0, "", "" },
};
static const struct { unsigned tp, pp, layers, hidden; } models[] = {
    { 1, 1, 12, 768 }, { 2, 1, 24, 2048 }, { 4, 2, 32, 4096 }, { 8, 1, 40, 5120 }, { 8, 4, 80, 8192 }, { 1, 8, 32, 4096 }, { 16, 2, 96, 12288 },
};
static const struct { unsigned nodes, gpus; } placements[] = { { 1, 8 }, { 2, 4 }, { 4, 8 }, { 8, 1 }, { 8, 8 } };
static const char *const styles[] = { "", ", style: overlapped, interleave: 2", ", zero: 3, recompute: full", ", cp: 2, micro_batch: 2" };

typedef void property(const struct job *j);

static void everywhere(property *holds)
{
    for (unsigned g = 0; g < COUNT(gpus); g++)
        for (unsigned m = 0; m < COUNT(models); m++)
            for (unsigned p = 0; p < COUNT(placements); p++) {
                struct job j = gpus[g];
                j.nodes = placements[p].nodes;
                j.gpus = placements[p].gpus;
                j.tp = models[m].tp;
                j.pp = models[m].pp;
                j.layers = models[m].layers;
                j.hidden = models[m].hidden;
                j.batch = 512;
                j.style = styles[(g + m + p) % COUNT(styles)];
                j.affinity = m % 2 ? "rail" : "shared";
                holds(&j);
            }
}

#define must(j, condition)                                                                                                                 \
    do {                                                                                                                                   \
        if (!(condition))                                                                                                                  \
            fail_msg("%s, %u x %u, tp %u pp %u, hidden %u%s: %s", (j)->gpu, (j)->nodes, (j)->gpus, (j)->tp, (j)->pp, (j)->hidden, (j)->style, #condition); \
    } while (0)

static void above_floors(const struct job *j)
{
    struct placement_rate at = rate_of(j);
    const struct parallel_time *t = &at.parallel;
    double h = j->hidden, params = j->layers * (12 * h * h + 13 * h) + (32000 + 2048) * h, n = j->nodes * j->gpus;
    /* 6 N a token, and causal attention: 6 L s H */
    double flops = (6 * params + 6.0 * j->layers * 2048 * h) * j->batch * 2048;
    must(j, t->iteration_s > flops / (n * j->tflops * 1e12));
    must(j, t->compute_s < t->iteration_s && t->compute_s > flops / (n * j->tflops * 1e12));
    must(j, t->optimizer_s * n * j->mem_gbps * 1e9 >= 30 * params * (1 - 1e-9));       /* all GPUs together hold at least one copy */
    must(j, at.network_s >= 0 && at.network_s <= t->iteration_s);
    must(j, j->nodes > 1 || at.network_s == 0);
    must(j, placement_slowdown(&at) > .9);       /* no placement is much better than the reference */
}

static void floors(void **state)
{
    (void)state;
    everywhere(above_floors);
}

static void better_links(const struct job *j)
{
    double here = iteration_of(j);
    struct job better[] = { *j, *j, *j, *j, *j, *j, *j };
    better[0].nvlink *= 2;
    better[1].pcie *= 2;
    better[2].nic *= 2;
    better[3].nics *= 2;
    better[4].oversubscription = 1;
    better[5].mem_gbps *= 2;
    better[6].tflops *= 2;
    for (unsigned i = 0; i < COUNT(better); i++) {
        double there = iteration_of(&better[i]);
        must(j, there <= here * (1 + 1e-12));
        must(j, there >= here / (i == 4 ? j->oversubscription : 2) * (1 - 1e-12));
    }
    must(j, iteration_of(&better[5]) < here && iteration_of(&better[6]) < here);
}

static void links(void **state)
{
    (void)state;
    everywhere(better_links);
}

static void larger_takes_longer(const struct job *j)
{
    double here = iteration_of(j);
    struct job batch = *j, layers = *j, hidden = *j;
    batch.batch *= 2;
    layers.layers *= 2;
    hidden.hidden *= 2;
    must(j, iteration_of(&batch) > here && iteration_of(&batch) <= 2 * here);
    must(j, iteration_of(&layers) > here && iteration_of(&layers) <= 2 * here * (1 + 1e-9));
    must(j, iteration_of(&hidden) > here);
}

static void larger(void **state)
{
    (void)state;
    everywhere(larger_takes_longer);
}

/* The same GPUs on more nodes: no faster where each node has a NIC for each GPU used, and the links of a node are no slower. */
static void spread_is_slower(const struct job *j)
{
    struct job spread = *j;
    if (j->gpus < 8 || j->nodes > 1)
        return;
    spread.nodes = 8;
    spread.gpus = 1;
    must(j, iteration_of(&spread) >= iteration_of(j) * (1 - 1e-12) || j->nics * j->nic > j->pcie);
}

static void spread(void **state)
{
    (void)state;
    everywhere(spread_is_slower);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(floors), cmocka_unit_test(links), cmocka_unit_test(larger), cmocka_unit_test(spread) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
