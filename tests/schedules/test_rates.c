/* test_rates.c - small schedules in which placements make jobs fast or slow, by hand.
 *
 * Two racks of two nodes with one V100 and 10 GB/s each; no latencies, all of the bandwidth,
 * nothing overlaps. "net" computes for a second and reduces 10 GB: on two nodes of a rack a ring
 * of two takes a second (2 x 1/2 x 10 GB at 10 GB/s), an iteration 2 s. Across racks at 3 : 1 it
 * takes 3 s, an iteration 4 s: half as fast. A tree would send twice as much. models.md 2.1 to
 * 2.4. */
#include "sim/results/summary.h"
#include "tests/support/from_yaml.h"
#include "tests/support/schedule.h"

#include <math.h>

#define ANY (-2.0)                /* of an end: not looked at */
#define RACKS                                                                                                          \
    "nodes: [ { group: n, count: 4, gpus: 1, gpu_model: V100-SXM2-16, nics: 1, nic_gbps: 10, nodes_per_rack: 2, racks_per_pod: 2 } ]\n" \
    "models: [ { name: net, compute_s: 1, gradient_mb: 10000 }, { name: mute, compute_s: 1 } ]\n"
#define FREE_STEPS "base_us: 0, ring_step_us: { network: 0 }, tree_step_us: { network: 0 }, efficiency: 1"
#define STATIC     RACKS "progress: { overlap: 1 }\nfabric: { leaf_oversubscription: 3, " FREE_STEPS " }\n"
#define SHARED(o)  RACKS "progress: { overlap: 1 }\nfabric: { leaf_oversubscription: " #o ", contention: maxmin, " FREE_STEPS " }\n"
#define TOGETHER(o) RACKS "progress: { overlap: 1 }\nfabric: { leaf_oversubscription: " #o ", contention: maxmin, phases: all, " FREE_STEPS " }\n"
#define FULL(contention) "nodes: [ { group: n, count: 4, gpus: 2, gpu_model: V100-SXM2-16, nics: 1, nic_gbps: 10, nodes_per_rack: 2, racks_per_pod: 2 } ]\n" \
    "models: [ { name: net, compute_s: 1, gradient_mb: 10000 } ]\nprogress: { overlap: 1 }\n"                         \
    "fabric: { leaf_oversubscription: 3, contention: " contention ", " FREE_STEPS " }\n"
#define WORKED(contention) "nodes: [ { group: n, count: 8, gpus: 1, gpu_model: V100-SXM2-16, nics: 1, nic_gbps: 25, nodes_per_rack: 4, racks_per_pod: 2 } ]\n" \
    "models: [ { name: a, compute_s: 0.25, gradient_mb: 672 }, { name: b, compute_s: 0.18, gradient_mb: 553.43 },\n"  \
    "          { name: mute, compute_s: 1 } ]\nprogress: {}\nfabric: { leaf_oversubscription: 4, contention: " contention " }\n"

static const struct rates_row {
    const char *name, *yaml, *placer;
    struct job jobs[JOBS_AT_MOST];
    double placement_slowdown, link_slowdown;         /* 0: not looked at */
} rows[] = {
    { "in a rack: as at the reference placement", STATIC, "pack", { { 0, 10, 2, 0, .ends = 10, .took = "0:0 1:0", .model = "net" } }, 1, 1 },
    { "across racks", STATIC, "pack",
      { { 0, 10, 1, 0, .ends = 10, .took = "0:0", .model = "mute" }, { 0, 10, 2, 0, .ends = 20, .took = "1:0 2:0", .model = "net" } },
      30.0 / 20, 1 },
    { "placer rack finds a rack", STATIC, "rack",
      { { 0, 10, 1, 0, .ends = 10, .took = "0:0", .model = "mute" }, { 0, 10, 2, 0, .ends = 10, .took = "2:0 3:0", .model = "net" } }, 1, 1 },
    { "placer tightest, too", STATIC, "tightest",
      { { 0, 10, 1, 0, .ends = 10, .took = "0:0", .model = "mute" }, { 0, 10, 2, 0, .ends = 10, .took = "2:0 3:0", .model = "net" } }, 1, 1 },
    { "placer rate, too", STATIC, "rate",
      { { 0, 10, 1, 0, .ends = 10, .took = "0:0", .model = "mute" }, { 0, 10, 2, 0, .ends = 10, .took = "2:0 3:0", .model = "net" } }, 1, 1 },
    /* nothing is known of the second: 0.85 at its best, a rack; 0.7 in two */
    { "of a job without a model: the factor", STATIC, "pack",
      { { 0, 10, 1, 0, .ends = 10, .model = "mute" }, { 0, 7, 2, 0, .ends = 8.5 } }, 18.5 / 17, 1 },
    { "without a model, and no factor", RACKS "progress: { overlap: 1, unknown: none }\n", "pack",
      { { 0, 10, 1, 0, .ends = 10, .model = "mute" }, { 0, 7, 2, 0, .ends = 7 } }, 1, 1 },
    /* its best counts 0.01, here 0.7: 70 times as fast; 1 s / 70 rounded up by 0.7 ns is 50 ns of work more than there is */
    { "an end rounded up, at a high rate", RACKS "progress: { factors: { rack: 0.01 } }\n", "pack",
      { { 0, 1, 1, 0, .ends = 1, .model = "mute" }, { 0, 1, 2, 0, .ends = 0.014285715, .took = "1:0 2:0" } }, 0, 0 },
    { "progress off", RACKS "fabric: { leaf_oversubscription: 3 }\n", "pack",
      { { 0, 10, 1, 0, .ends = 10, .model = "mute" }, { 0, 10, 2, 0, .ends = 10, .model = "net" } }, 0, 0 },
    /* ---- max-min: an uplink carries 20 / o GB/s; alone a job has all of it, 10 GB in 2 s at 4 : 1, an iteration 3 s ---- */
    { "one job alone at 4 : 1: 5 of 10 GB/s", SHARED(4), "pack",
      { { 0, 1, 1, 0, .ends = 1, .model = "mute" }, { 0, 10, 2, 0, .ends = 15, .took = "1:0 2:0", .model = "net" } }, 16.0 / 11, 1 },
    { "and at 8 : 1: 2.5 of 10 GB/s", SHARED(8), "pack",
      { { 0, 10, 1, 0, .ends = 10, .model = "mute" }, { 0, 10, 2, 0, .ends = 25, .took = "1:0 2:0", .model = "net" } }, 35.0 / 20, 1 },
    /* From 1 s on both cross both uplinks, 5 GB/s, and send in a part c of their time: while one sends it has 5 / (1 + c) GB/s,
     * 10 GB in 2 (1 + c) s, T = 3 + 2 c, so c = 2 (1 + c) / (3 + 2 c) = (sqrt 17 - 1) / 4. The third ends at 1 + 4 T / 2; the second
     * has done 2/3 and 4 by then; 16/3 at 3 s for 2. Slowdowns: alone 3 s for 2, and 1 + 15 + 6 s alone */
#define BOTH 4.56155281280883027
    { "two share the uplinks at 4 : 1", SHARED(4), "pack",
      { { 0, 1, 1, 0, .ends = 1, .took = "0:0", .model = "mute" }, { 0, 10, 2, 0, .ends = 9 + 2 * BOTH, .took = "1:0 2:0", .model = "net" },
        { 1, 4, 2, 1, .ends = 1 + 2 * BOTH, .took = "0:0 3:0", .model = "net" } }, 22.0 / 15, (10 + 4 * BOTH) / 22 },
    /* all at once: 2.5 GB/s each, T = 1 + 4 s: the third ends at 11 */
    { "two that always send at once", TOGETHER(4), "pack",
      { { 0, 1, 1, 0, .ends = 1, .took = "0:0", .model = "mute" }, { 0, 10, 2, 0, .ends = 19, .took = "1:0 2:0", .model = "net" },
        { 1, 4, 2, 1, .ends = 11, .took = "0:0 3:0", .model = "net" } }, 22.0 / 15, 30.0 / 22 },
    /* an uplink of 10 GB/s: alone a NIC is no faster; 10 / (1 + c) GB/s, T = 2 + c, c = (sqrt 5 - 1) / 2; then 5 are left at pace 1. Ends are rounded up to whole ns */
    { "two on uplinks as wide as one needs", SHARED(2), "pack",
      { { 0, 1, 1, 0, .ends = 1, .model = "mute" }, { 0, 10, 2, 0, .ends = 11.236067978, .took = "1:0 2:0", .model = "net" },
        { 1, 4, 2, 1, .ends = 6.236067978, .took = "0:0 3:0", .model = "net" } }, 1, (7 + 4 * 2.61803398874989485) / 15 },
    { "two that need no more than there is", SHARED(1), "pack",
      { { 0, 1, 1, 0, .ends = 1, .model = "mute" }, { 0, 10, 2, 0, .ends = 10, .took = "1:0 2:0", .model = "net" },
        { 1, 4, 2, 1, .ends = 5, .took = "0:0 3:0", .model = "net" } }, 1, 1 },
    { "a job that stays in its rack changes nothing", WORKED("maxmin"), "rack",
      { { 0, 1, 2, 0, .model = "mute" }, { 0, 3, 2, 0, .ends = 3, .took = "2:0 3:0", .model = "b" },
        { 1, 4, 4, 1, .ends = 5, .took = "4:0 5:0 6:0 7:0", .model = "a" } }, 1, 1 },
    /* ---- a job that fills its racks has 1/o of its NICs, shared or not: a ring of 4 takes 4.5 s at 10/3 GB/s, an iteration 5.5 s;
     * at best, two nodes of a rack: 2 x (5.7 us + 1/2 x 10 GB at 15.75 GB/s, PCIe3) inside each and 1 s between them, 2.634932 s ---- */
    { "alone in full racks, not shared", FULL("none"), "spread",
      { { 0, 10, 4, 0, .tasks = 4, .ends = 55 / 2.63493203492063492, .took = "0:0 1:0 2:0 3:0", .model = "net" } }, 5.5 / 2.63493203492063492, 1 },
    { "alone in full racks, shared", FULL("maxmin"), "spread",
      { { 0, 10, 4, 0, .tasks = 4, .ends = 55 / 2.63493203492063492, .took = "0:0 1:0 2:0 3:0", .model = "net" } }, 5.5 / 2.63493203492063492, 1 },
    /* ---- models.md 2.4, worked: 2 + 2 of 4 + 4 nodes, 25 GB/s each, 4 : 1: T .2695909 of .2550480 s, and .1982593 of .1847445; with
     * more digits by sqrt(T_c^2 + (8.4 us + 6 x 14 us + 1.5 S / B)^2), B 10 and 20 GB/s ---- */
    { "BERT-large alone across racks", WORKED("maxmin"), "pack",
      { { 0, 1, 2, 0, .model = "mute" }, { 0, 10, 4, 0, .ends = 10.5702041328, .took = "2:0 3:0 4:0 5:0", .model = "a" } }, 0, 1 },
    { "VGG-16 alone across racks", WORKED("maxmin"), "pack",
      { { 0, 1, 2, 0, .model = "mute" }, { 0, 10, 4, 0, .ends = 10.7315408786, .took = "2:0 3:0 4:0 5:0", .model = "b" } }, 0, 1 },
    { "the same not shared, its own part of the uplinks", WORKED("none, uplink_share: placement"), "pack",
      { { 0, 1, 2, 0, .model = "mute" }, { 0, 10, 4, 0, .ends = 10.5702041328, .took = "2:0 3:0 4:0 5:0", .model = "a" } }, 0, 1 },
    { "the same not shared, as if all nodes sent", WORKED("none"), "pack",
      { { 0, 1, 2, 0, .model = "mute" }, { 0, 10, 4, 0, .ends = 12.5943416116, .took = "2:0 3:0 4:0 5:0", .model = "a" } }, 0, 1 },
    /* Both from 1 s on, shares of the same table: T .2963954 and .2206976. The second ends at 1 + 5 x 1.1946100; until 1 s the first
     * has done 1 / 1.0570204, until then 1 / 1.1621161 of each second, and the rest it does at 1 / 1.0570204 again */
    { "BERT-large and VGG-16 across the same racks", WORKED("maxmin"), "pack",
      { { 0, 1, 2, 0, .model = "mute" }, { 0, 10, 4, 0, .ends = 11.110375416, .took = "2:0 3:0 4:0 5:0", .model = "a" },
        { 1, 5, 4, 1, .ends = 6.973049853, .took = "0:0 1:0 6:0 7:0", .model = "b" } }, 0, 0 },
    { "and if they always send at once", WORKED("maxmin, phases: all"), "pack",
      { { 0, 1, 2, 0, .model = "mute" }, { 0, 10, 4, 0, .ends = 11.635635123, .took = "2:0 3:0 4:0 5:0", .model = "a" },
        { 1, 5, 4, 1, .ends = 7.629194897, .took = "0:0 1:0 6:0 7:0", .model = "b" } }, 0, 0 },
};

/* One node, two islands of 4; "split" holds a copy on 4 GPUs of one island. */
#define ISLANDS "nodes: [ { group: n, count: 1, gpus: 8, island_gpus: 4, gpu_model: V100-SXM2-16 } ]\n" \
                "models: [ { name: split, compute_s: 1, tensor_parallel: 4 } ]\n"
#define TIED    ISLANDS "progress: {}\n"
#define PAIR(parallel) "nodes: [ { group: n, count: 1, gpus: 8, island_gpus: 4, gpu_model: V100-SXM2-16 } ]\n" \
    "models: [ { name: pair, parallelism: { tp: 2, layers: 2, hidden: 1024, seq: 1024, batch_sequences: 4 } } ]\n" \
    "progress: { parallel: " parallel " }\n"
/* models.md 2.8: GPT-3-13B on 8 of the A100 of a node; on two nodes; on eight. 489 micro-batches of 809.544, 1039.024, 2450.180 ms,
 * and 23.6 ms for the optimiser, which is the same. */
#define SPANNING "nodes: [ { group: n, type: dgx-a100-80, count: 8 } ]\nprogress: { parallel: 3d }\n"
static const struct rates_row spanning[] = {
    { "a tensor-parallel group over nodes is slow", SPANNING, "spread",
      { { 0, 10, 8, 0, .tasks = 1, .ends = 10, .took = "0:01234567", .model = "GPT-3-13B" },
        { 20, 10, 8, 20, .tasks = 2, .ends = 20 + 12.834521764, .model = "GPT-3-13B" },
        { 40, 10, 8, 40, .tasks = 8, .ends = 40 + 30.264976679, .model = "GPT-3-13B" } } },
    { "rate: a tensor-parallel group on one node", SPANNING, "rate",
      { { 0, 100, 1, 0, .took = "0:0" }, { 0, 10, 8, 0, .ends = 10, .took = "1:01234567", .model = "GPT-3-13B" } } },
};

static const struct rates_row tensors[] = {
    { "a tensor-parallel group waits for an island", TIED, "pack",
      { { 0, 10, 2, 0, .took = "0:01" }, { 0, 10, 4, 0, .took = "0:4567", .model = "split" },
        { 0, 10, 4, 10, .took = "0:0123", .model = "split" } } },
    { "progress off: any GPUs will do", ISLANDS, "pack",
      { { 0, 10, 6, 0, .took = "0:012345" }, { 0, 10, 2, 0 }, { 1, 10, 4, 10, .took = "0:0123", .model = "split" } } },
    { "3d: a group may span islands", PAIR("3d"), "pack",
      { { 0, 20, 3, 0, .took = "0:012" }, { 0, 40, 3, 0, .took = "0:456" }, { 0, 1, 2, 0, .ends = ANY, .took = "0:37", .model = "pair" } } },
    { "3d: it waits for an island", PAIR("3d, tp_span: island"), "pack",
      { { 0, 20, 3, 0, .took = "0:012" }, { 0, 40, 3, 0, .took = "0:456" }, { 0, 1, 2, 20, .took = "0:01", .model = "pair" } } },
    { "two groups, an island each", TIED, "spread", { { 0, 10, 8, 0, .took = "0:0123 0:4567", .model = "split" } } },
    { "2 GPUs are no group of 4: not tied", TIED, "pack",
      { { 0, 10, 3, 0, .took = "0:012" }, { 0, 10, 3, 0, .took = "0:456" }, { 0, 10, 2, 0, .took = "0:37", .model = "split" } } },
    { "tasks as large as a group, too", TIED, "pack",
      { { 0, 10, 3, 0, .took = "0:012" }, { 0, 10, 4, 0, .tasks = 1, .took = "0:4567", .model = "split" } } },
};

/* Four nodes of 4 GPUs with NVLink, two racks; "net" has much to exchange. */
#define FOUR "nodes: [ { group: n, type: dgx1-v100, count: 4, gpus: 4, nics: 1, nodes_per_rack: 2, racks_per_pod: 2 } ]\n" \
             "models: [ { name: net, like: VGG-16 } ]\nprogress: {}\nfabric: { leaf_oversubscription: 4 }\n"
static const struct rates_row ways[] = {
    /* 3 and three times 4 GPUs are free: 3 and 3 in the fuller rack is as at the reference placement; 4 and 2 is slower */
    { "rate: equal pieces", FOUR, "rate",
      { { 0, 100, 1, 0, .took = "0:0" }, { 0, 10, 6, 0, .took = "0:123 1:012", .model = "net" } } },
    { "pack: as they come", FOUR, "pack", { { 0, 100, 1, 0, .took = "0:0" }, { 0, 10, 6, 0, .took = "1:0123 0:12", .ends = ANY, .model = "net" } } },
    /* a GPU on each of nodes 0 and 2 is taken: 4 fit whole on 1 or 3 */
    { "rate: one node", FOUR, "rate",
      { { 0, 100, 1, 0, .took = "0:0" }, { 0, 10, 4, 0, .took = "1:0123", .model = "net" } } },
    /* what fits no rack is on two, whichever the way */
    { "rate: all of it", FOUR, "rate", { { 0, 10, 16, 0, .model = "net", .took = "0:0123 1:0123 2:0123 3:0123" } } },
    { "rate: tasks as they are", FOUR, "rate",
      { { 0, 100, 3, 0, .took = "0:012" }, { 0, 10, 4, 0, .tasks = 2, .took = "1:01 1:23", .model = "net" } } },
    { "rate: CPU only", FOUR, "rate", { { 0, 10, 0, 0, .tasks = 1, .cpus = 3, .took = "0:" } } },
    { "rate: shares by best fit", FOUR, "rate", { { 0, 10, 1, 0, .shares = .5, .took = "0:0" }, { 0, 10, 1, 0, .shares = .5, .took = "0:0" } } },
    { "rate without rates: the first way", "nodes: [ { group: n, count: 2, gpus: 4 } ]\n", "rate",
      { { 0, 10, 3, 0, .took = "0:012" }, { 0, 10, 5, 0, .took = "1:0123 0:3" } } },
    /* a V100 is twice as fast as a T4 and half as fast as an A100 */
    { "rate: the fastest GPUs", "nodes: [ { group: t, type: pcie-2xT4, count: 1 }, { group: a, type: dgx-a100, count: 1, gpus: 2 }, "
      "{ group: v, type: dgx1-v100, count: 1 } ]\nprogress: { reference: V100-SXM2-16 }\n", "rate",
      { { 0, 8, 1, 0, .ends = 4, .took = "1:0", .model = "A3C" }, { 0, 8, 2, 0, .ends = 8, .took = "2:01", .model = "A3C" } } },
    { "tightest: the fuller rack", FOUR, "tightest",
      { { 0, 100, 1, 0, .took = "0:0" }, { 0, 10, 6, 0, .took = "1:0123 0:12", .ends = ANY, .model = "net" } } },
    /* from 1 s on the first rack is empty, of the second a GPU is taken */
#define FILLED                                                                                                         \
    { 0, 1, 4, 0, .took = "0:0123", .model = "net" }, { 0, 1, 4, 0, .took = "1:0123", .model = "net" }, { 0, 9, 1, 0, .took = "2:0" }
    { "tightest: a rack is required", FOUR, "tightest", { FILLED, { 2, 5, 4, 2, .required = "rack", .took = "3:0123", .model = "net" } } },
    { "pack: the first rack will do", FOUR, "pack", { FILLED, { 2, 5, 4, 2, .required = "rack", .took = "0:0123", .model = "net" } } },
    { "tightest: the tightest is too small", FOUR, "tightest",
      { FILLED, { 2, 5, 8, 2, .required = "rack", .took = "0:0123 1:0123", .model = "net" } } },
    { "tightest: a rack preferred, and none has room", FOUR, "tightest",
      { FILLED, { 2, 5, 10, 2, .preferred = "rack", .took = "0:0123 1:0123 2:12", .ends = ANY, .model = "net" } } },
    { "tightest: a node before a rack", FOUR, "tightest",
      { { 0, 100, 1, 0, .took = "0:0" }, { 0, 10, 3, 0, .took = "0:123", .model = "net" } } },
};

static struct sched *played(const struct rates_row *row)
{
    struct error err = { "" };
    struct cluster *c = cluster_of_text(row->yaml, &err);
    if (!c)
        fail_msg("%s", err.text);
    struct workload *w = workload_new();
    for (size_t i = 0; row->jobs[i].lasts > 0; i++)
        job_add(w, &row->jobs[i]);
    if (workload_finish(w, "schedule", &err) || run_bind(c, w, &err))
        fail_msg("%s", err.text);
    struct named_policy fifo = policy_named("fifo");
    struct taken *taken = calloc(1, sizeof *taken);
    struct sched *s = run_new(&(struct run_setup){ .cluster = c, .workload = w, .policy = fifo.policy, .policy_params = fifo.params,
                                                   .placer = placer_named(row->placer), .check = true,
                                                   .observer = { .self = taken, .interval = note_interval } });
    if (run_execute(s, &err))
        fail_msg("%s", err.text);
    for (job_id j = 0; j < w->n_jobs; j++) {
        struct job_result got = run_job(s, j);
        struct job want = row->jobs[j];
        want.ends = want.ends == ANY ? seconds(got.end_ns) : want.ends;
        same_job(&err, &want, j, &got, taken->text[j]);
    }
    free(taken);
    if (*err.text)
        fail_msg("%s", err.text);
    return s;
}

static double metric_of(const struct sched *s, const char *name)
{
    struct summary *m = summary_make(s);
    double value = (double)NAN;
    for (size_t i = 0; i < m->n; i++)
        if (!strcmp(m->metric[i].kind->name, name))
            value = m->metric[i].value;
    summary_free(m);
    return value;
}

static void by_hand(void **state)
{
    const struct rates_row *row = *state;
    struct sched *s = played(row);
    if (row->placement_slowdown > 0) {
        assert_true(fabs(metric_of(s, "placement_slowdown") - row->placement_slowdown) < 1e-9);
        assert_true(fabs(metric_of(s, "link_slowdown") - row->link_slowdown) < 1e-9);
    } else if (!strstr(row->yaml, "progress")) {
        assert_true(isnan(metric_of(s, "placement_slowdown")));
    }
    struct run_setup setup = *run_setup_of(s);
    run_free(s);
    workload_free(setup.workload);
    cluster_free((struct cluster *)(uintptr_t)setup.cluster);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, by_hand, rows);
    ADD_ROWS(tests, n, by_hand, spanning);
    ADD_ROWS(tests, n, by_hand, tensors);
    ADD_ROWS(tests, n, by_hand, ways);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
