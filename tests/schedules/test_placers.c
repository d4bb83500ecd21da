/* test_placers.c - which nodes and GPUs each placer takes. Nodes have 4 GPUs, all jobs run side
 * by side from 0 unless a row has other times. By hand: "fullest" and "emptiest" go by free
 * whole GPUs, equal ones by number. */
#include "tests/support/schedule.h"

#define THREE                                                                                                          \
    {                                                                                                                  \
        NODES(3, 4)                                                                                                    \
    }

#define RACKS(n)                                                                                                       \
    {                                                                                                                  \
        .name = "racked", .gpu_model = "A100", .count = (n), .gpus = 4, .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX,  \
        .nodes_per_rack = 2                                                                                            \
    }
#define WITH_CPUS(name_, n, g, cpus, rack)                                                                             \
    {                                                                                                                  \
        .name = (name_), .gpu_model = "A100", .count = (n), .gpus = (g), .cpu_milli = 1000 * (cpus),                   \
        .mem_mib = INT64_MAX, .nodes_per_rack = (rack)                                                                 \
    }
#define OF(model, g)                                                                                                   \
    {                                                                                                                  \
        .name = model, .gpu_model = model, .count = 1, .gpus = (g), .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX       \
    }
#define OF_MODEL(name_, model, n, rack)                                                                                \
    {                                                                                                                  \
        .name = (name_), .gpu_model = (model), .count = (n), .gpus = 4, .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX,  \
        .nodes_per_rack = (rack)                                                                                       \
    }
/* Nodes 0 and 2 are of one kind, node 1 of another. */
#define TWO_KINDS                                                                                                      \
    {                                                                                                                  \
        OF_MODEL("first", "T4-16", 1, 0), OF_MODEL("second", "V100-SXM2-16", 1, 0), OF_MODEL("third", "T4-16", 1, 0)   \
    }
#define OF_MODELS                                                                                                      \
    {                                                                                                                  \
        OF("T4-16", 2), OF("V100-SXM2-16", 2), OF("A100-SXM4-40", 2)                                                   \
    }

/* clang-format off */
static const struct schedule rows[] = {
    /* ---- pack ---- */
    { "pack: best fit", "fifo", THREE, .placer = "pack", .jobs = {
        { 0, 10, 1, 0, .took = "0:0" }, { 0, 10, 3, 0, .tasks = 1, .took = "0:123" }, { 0, 10, 2, 0, .took = "1:01" },
        { 0, 10, 1, 0, .took = "1:2" }, { 0, 10, 3, 0, .took = "2:012" } } },
    /* free 0, 2, 4: the emptiest first, the rest on the fullest with room */
    { "pack: as few nodes as can be", "fifo", THREE, .placer = "pack", .jobs = {
        { 0, 10, 4, 0, .took = "0:0123" }, { 0, 10, 2, 0, .took = "1:01" }, { 0, 10, 5, 0, .took = "2:0123 1:2" } } },
    { "pack: the rest goes where it fits best", "fifo", THREE, .placer = "pack", .jobs = {
        { 0, 10, 3, 0, .took = "0:012" }, { 0, 10, 5, 0, .took = "1:0123 0:3" } } },
    { "pack: tasks", "fifo", THREE, .placer = "pack", .jobs = { { 0, 10, 8, 0, .tasks = 4, .took = "0:01 0:23 1:01 1:23" } } },
    { "pack: shares onto shared GPUs", "fifo", { NODES(2, 1) }, .placer = "pack", .jobs = {
        { 0, 10, 1, 0, .shares = .5, .took = "0:0" }, { 0, 10, 1, 0, .shares = .5, .took = "0:0" } } },

    /* ---- first-fit ---- */
    { "first-fit: the lowest number with room", "fifo", THREE, .placer = "first-fit", .jobs = {
        { 0, 5, 1, 0, .took = "0:0" }, { 0, 10, 4, 0, .tasks = 1, .took = "1:0123" }, { 0, 10, 3, 0, .took = "0:123" },
        { 5, 10, 1, 5, .took = "0:0" }, { 5, 10, 1, 5, .took = "2:0" } } },
    { "first-fit: not the fullest", "fifo", THREE, .placer = "first-fit", .jobs = {
        { 0, 1, 4, 0, .took = "0:0123" }, { 0, 10, 3, 0, .took = "1:012" }, { 1, 10, 1, 1, .took = "0:0" } } },
    { "first-fit: a split", "fifo", THREE, .placer = "first-fit", .jobs = {
        { 0, 10, 1, 0, .took = "0:0" }, { 0, 10, 2, 0, .took = "0:12" }, { 0, 10, 7, 0, .took = "0:3 1:0123 2:01" } } },

    /* ---- spread ---- */
    { "spread: the emptiest", "fifo", THREE, .placer = "spread", .jobs = {
        { 0, 10, 1, 0, .took = "0:0" }, { 0, 10, 3, 0, .took = "1:012" }, { 0, 10, 2, 0, .took = "2:01" },
        { 0, 10, 3, 0, .took = "0:123" }, { 0, 10, 3, 0, .took = "2:23 1:3" } } },
    { "spread: tasks", "fifo", THREE, .placer = "spread", .jobs = { { 0, 10, 8, 0, .tasks = 4, .took = "0:01 1:01 2:01 0:23" } } },
    { "spread: shares onto empty GPUs", "fifo", { NODES(2, 1) }, .placer = "spread", .jobs = {
        { 0, 10, 1, 0, .shares = .5, .took = "0:0" }, { 0, 10, 1, 0, .shares = .5, .took = "1:0" } } },

    /* ---- consolidate: a total of one node's size or less is never split ---- */
    { "consolidate: best fit on one node", "fifo", THREE, .placer = "consolidate", .jobs = {
        { 0, 10, 1, 0, .took = "0:0" }, { 0, 10, 4, 0, .took = "1:0123" }, { 0, 10, 2, 0, .took = "0:12" } } },
    { "consolidate: whole nodes, the rest on the emptiest", "fifo", THREE, .placer = "consolidate", .jobs = {
        { 0, 10, 2, 0, .took = "0:01" }, { 0, 10, 6, 0, .took = "1:0123 2:01" } } },
    { "consolidate: the rest on what is most free then", "fifo", THREE, .placer = "consolidate", .jobs = {
        { 0, 10, 1, 0, .took = "0:0" }, { 0, 10, 4, 0, .took = "1:0123" }, { 0, 10, 6, 0, .took = "2:0123 0:12" } } },
    { "consolidate: waits where pack would split", "fifo", { NODES(2, 4) }, .placer = "consolidate", .jobs = {
        { 0, 10, 3, 0, .took = "0:012" }, { 0, 20, 3, 0, .took = "1:012" },
        { 0, 5, 2, 10, .took = "0:01", .waits = { [WAIT_FRAGMENTED] = 10 } } } },
    { "consolidate: pack splits", "fifo", { NODES(2, 4) }, .placer = "pack", .jobs = {
        { 0, 10, 3, 0, .took = "0:012" }, { 0, 20, 3, 0, .took = "1:012" }, { 0, 5, 2, 0, .took = "0:3 1:3" } } },
    { "consolidate: waits for a node that is wholly free", "fifo", { NODES(2, 4) }, .placer = "consolidate", .jobs = {
        { 0, 10, 1, 0, .took = "0:0" }, { 0, 20, 4, 0, .took = "1:0123" },
        { 1, 5, 5, 20, .took = "0:0123 1:0" } } },

    /* ---- count ---- */
    { "count: by number, over nodes", "fifo", THREE, .placer = "count", .jobs = {
        { 0, 10, 2, 0, .took = "0:01" }, { 0, 10, 3, 0, .took = "0:23 1:0" }, { 0, 10, 3, 0, .tasks = 1, .took = "1:123" } } },
    { "count: one pool", "fifo", { { .name = "pool", .count = 1, .gpus = 100, .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX } },
      .placer = "count", .jobs = {
        { 0, 10, 70, 0, .took = "0:x70" }, { 0, 5, 31, 10, .took = "0:x31" }, { 0, 5, 30, 10, .took = "0:x30" } } },

    /* ---- rack: racks of two nodes ---- */
    { "rack: the tightest that holds it, then best fit", "fifo", { RACKS(4) }, .placer = "rack", .jobs = {
        { 0, 10, 3, 0, .took = "0:012" }, { 0, 10, 4, 0, .took = "1:0123" }, { 0, 10, 3, 0, .took = "2:012" },
        { 0, 10, 1, 0, .took = "0:3" }, { 0, 10, 4, 0, .took = "3:0123" } } },
    /* 4 of 8, 6 of 8 free: the rack of 4 is tighter, though the other has a node that fits as well */
    { "rack: split within the tightest", "fifo", { RACKS(4) }, .placer = "rack", .jobs = {
        { 0, 10, 2, 0, .took = "0:01" }, { 0, 10, 4, 0, .tasks = 2, .took = "0:23 1:01" },
        { 0, 10, 2, 0, .tasks = 1, .took = "1:23" }, { 0, 10, 6, 0, .took = "2:0123 3:01" } } },
    /* 5, 8, 8 free: eleven go to two racks, the roomiest with the lowest number and the rest to the tightest that holds it */
    { "rack: as few as can be", "fifo", { RACKS(6) }, .placer = "rack", .jobs = {
        { 0, 10, 3, 0, .took = "0:012" }, { 0, 10, 11, 0, .took = "2:0123 3:0123 1:012" } } },
    { "rack: tasks over racks", "fifo", { RACKS(4) }, .placer = "rack", .jobs = {
        { 0, 10, 3, 0, .took = "0:012" },
        { 0, 10, 12, 0, .tasks = 6, .took = "2:01 2:23 3:01 3:23 1:01 1:23" } } },
    { "rack: a node without a rack is one of its own", "fifo", { RACKS(2), NODES(1, 4) }, .placer = "rack", .jobs = {
        { 0, 10, 3, 0, .took = "2:012" }, { 0, 10, 5, 0, .took = "0:0123 1:0" } } },
    /* the tightest rack, 0, has two GPUs left on each node, but only 3 CPUs; of the other, node 2 has only 3 as well */
    { "rack: where CPUs bind, the next", "fifo", { WITH_CPUS("node", 4, 4, 8, 2) }, .placer = "rack", .jobs = {
        { 0, 10, 2, 0, .tasks = 1, .cpus = 5, .took = "0:01" }, { 0, 10, 2, 0, .tasks = 1, .cpus = 5, .took = "1:01" },
        { 0, 10, 2, 0, .tasks = 1, .cpus = 5, .took = "2:01" }, { 0, 10, 2, 0, .tasks = 2, .cpus = 4, .took = "3:0 3:1" } } },
    { "rack: shares", "fifo", { RACKS(4) }, .placer = "rack", .jobs = {
        { 0, 10, 1, 0, .shares = .5, .took = "0:0" }, { 0, 10, 4, 0, .took = "1:0123" },
        { 0, 10, 1, 0, .shares = .5, .took = "0:0" } } },

    /* ---- ties: equal nodes go by number whatever their kinds, equal domains by number, equal ways by their order ---- */
    { "tie: equally free nodes of two kinds", "fifo", TWO_KINDS, .placer = "pack", .jobs = {
        { 0, 10, 4, 0, .tasks = 1, .took = "0:0123" }, { 0, 10, 4, 0, .tasks = 1, .took = "1:0123" },
        { 0, 10, 4, 0, .tasks = 1, .took = "2:0123" } } },
    { "tie: emptiest first, nodes of two kinds", "fifo", TWO_KINDS, .placer = "spread", .jobs = {
        { 0, 10, 1, 0, .took = "0:0" }, { 0, 10, 1, 0, .took = "1:0" }, { 0, 10, 1, 0, .took = "2:0" } } },
    { "tie: shared GPUs with as much left, of two kinds", "fifo", TWO_KINDS, .placer = "pack", .jobs = {
        { 0, 10, 4, 0, .tasks = 1, .took = "0:0123" }, { 0, 10, 1, 0, .shares = .5, .gpu_type = "V100-SXM2-16", .took = "1:0" },
        { 0, 10, 1, 0, .shares = .5, .gpu_type = "T4-16", .took = "2:0" }, { 0, 10, 1, 0, .shares = .3, .took = "1:0" } } },
    { "tie: shared GPUs of one node, the lowest", "fifo", { NODES(1, 4) }, .placer = "pack", .jobs = {
        { 0, 10, 1, 0, .shares = .7, .took = "0:0" }, { 0, 10, 1, 0, .shares = .7, .took = "0:1" },
        { 0, 10, 1, 0, .shares = .2, .took = "0:0" } } },
    /* free 8, 8, 8; 5, 8, 8; 2, 8, 8: the third job finds two racks that are as tight */
    { "tie: equally tight racks of a required level", "fifo", { RACKS(6) }, .placer = "tightest", .jobs = {
        { 0, 10, 3, 0, .required = "rack", .took = "0:012" }, { 0, 10, 3, 0, .required = "rack", .took = "1:012" },
        { 0, 10, 3, 0, .required = "rack", .took = "2:012" } } },
    { "tie: equally tight racks, placer rack", "fifo", { RACKS(6) }, .placer = "rack", .jobs = {
        { 0, 10, 3, 0, .took = "0:012" }, { 0, 10, 6, 0, .tasks = 3, .took = "2:01 2:23 3:01" } } },
    /* Without rates each way is as good. The first, of as few racks as can be, takes the tightest rack: 1, with 5 GPUs free.
     * The last, anywhere, would take the fullest node with two: 0, in rack 0, with 6 free. */
    { "tie: ways that are as good, the first", "fifo",
      { OF_MODEL("slow", "T4-16", 2, 2), OF_MODEL("fast", "V100-SXM2-16", 2, 2) }, .placer = "rate", .jobs = {
        { 0, 10, 2, 0, .tasks = 1, .gpu_type = "T4-16", .took = "0:01" }, { 0, 10, 3, 0, .tasks = 1, .gpu_type = "V100-SXM2-16", .took = "2:012" },
        { 0, 10, 2, 0, .tasks = 1, .took = "3:01" } } },

    /* ---- best-fit: of 8 CPUs and 4 GPUs; the less is left of both together, the better ---- */
    /* the third: on node 0 (1/8 + 3/4)/2 = 7/16 is left over, on node 1, which has fewer GPUs free, (4/8 + 2/4)/2 = 8/16 */
    { "best-fit: CPUs count", "fifo", { WITH_CPUS("node", 2, 4, 8, 0) }, .placer = "best-fit", .jobs = {
        { 0, 10, 0, 0, .cpus = 6, .took = "0:" }, { 0, 10, 1, 0, .cpus = 3, .took = "1:0" }, { 0, 10, 1, 0, .cpus = 1, .took = "0:0" } } },
    { "best-fit: shares onto the fullest GPU", "fifo", { NODES(2, 2) }, .placer = "best-fit", .jobs = {
        { 0, 10, 1, 0, .shares = .3, .took = "0:0" }, { 0, 10, 1, 0, .shares = .6, .took = "0:0" },
        { 0, 10, 1, 0, .shares = .5, .took = "0:1" }, { 0, 10, 1, 0, .shares = .4, .took = "0:1" } } },
    { "best-fit: a total goes whole where it fits best", "fifo", THREE, .placer = "best-fit", .jobs = {
        { 0, 10, 1, 0, .took = "0:0" }, { 0, 10, 2, 0, .took = "0:12" }, { 0, 10, 3, 0, .took = "1:012" },
        { 0, 10, 6, 0, .took = "2:0123 0:3 1:3" } } },

    /* ---- dot-product ---- */
    /* demand 1 GPU, free 3 and 4 of 4: products .5 x 1/4 x 3/4 and .5 x 1/4 x 1: scores 90 and 87, or 9 and 12 */
    { "dot-product: where it is fullest", "fifo", { NODES(2, 4) }, .placer = "dot-product", .jobs = {
        { 0, 10, 1, 0, .took = "0:0" }, { 0, 10, 1, 0, .took = "0:1" } } },
    { "dot-product: aligned", "fifo", { NODES(2, 4) }, .placer = "dot-product:prefer=largest", .jobs = {
        { 0, 10, 1, 0, .took = "0:0" }, { 0, 10, 1, 0, .took = "1:0" } } },

    /* ---- gpu-packing ---- */
    { "gpu-packing: shared, then in use, then idle", "fifo", THREE, .placer = "gpu-packing", .jobs = {
        { 0, 10, 1, 0, .shares = .5, .took = "0:0" }, { 0, 10, 4, 0, .tasks = 1, .took = "1:0123" },
        { 0, 10, 1, 0, .shares = .5, .took = "0:0" }, { 0, 10, 1, 0, .shares = .7, .took = "0:1" },
        { 0, 10, 2, 0, .tasks = 1, .took = "0:23" }, { 0, 10, 1, 0, .shares = .4, .took = "2:0" } } },
    { "gpu-packing: of idle nodes the smallest", "fifo", { OF("large", 8), OF("small", 2) }, .placer = "gpu-packing", .jobs = {
        { 0, 10, 2, 0, .tasks = 1, .took = "1:01" } } },

    /* ---- gpu-clustering ---- */
    { "gpu-clustering: each with its like", "fifo", THREE, .placer = "gpu-clustering", .jobs = {
        { 0, 10, 1, 0, .shares = .5, .took = "0:0" }, { 0, 10, 1, 0, .took = "1:0" }, { 0, 10, 2, 0, .tasks = 1, .took = "2:01" },
        { 0, 10, 1, 0, .shares = .7, .took = "0:1" }, { 0, 10, 1, 0, .took = "1:1" }, { 0, 10, 2, 0, .tasks = 1, .took = "2:23" },
        { 0, 10, 4, 0, .tasks = 2, .took = "1:23 0:23" } } },
    { "gpu-clustering: no tenant is counted when all have left", "fifo", { NODES(2, 4) }, .placer = "gpu-clustering", .jobs = {
        { 0, 10, 1, 0, .took = "0:0" }, { 0, 5, 1, 0, .shares = .5, .took = "1:0" }, { 5, 9, 2, 5, .tasks = 1, .took = "1:01" } } },

    /* ---- fastest: T4 .42 at .40 USD/h, V100 1 at .90, A100 2 at 2.74 ---- */
    { "fastest: the fastest with room", "fifo", OF_MODELS, .placer = "fastest", .jobs = {
        { 0, 10, 1, 0, .took = "2:0" }, { 0, 10, 2, 0, .tasks = 1, .took = "1:01" }, { 0, 10, 1, 0, .took = "2:1" },
        { 0, 10, 1, 0, .took = "0:0" } } },
    { "fastest: the cheapest", "fifo", OF_MODELS, .placer = "fastest:by=price", .jobs = {
        { 0, 10, 1, 0, .took = "0:0" }, { 0, 10, 2, 0, .tasks = 1, .took = "1:01" }, { 0, 10, 1, 0, .took = "0:1" },
        { 0, 10, 1, 0, .took = "2:0" } } },
    { "fastest: models that are not known come last", "fifo", { OF("mystery", 2), OF("T4-16", 2) }, .placer = "fastest", .jobs = {
        { 0, 10, 1, 0, .took = "1:0" }, { 0, 10, 1, 0, .took = "1:1" }, { 0, 10, 1, 0, .took = "0:0" } } },
    { "fastest: nor are they cheap", "fifo", { OF("mystery", 2), OF("T4-16", 2) }, .placer = "fastest:by=price", .jobs = {
        { 0, 10, 1, 0, .took = "1:0" } } },

    /* ---- fgd: what a .6 leaves of a GPU is of no use to another .6, so a .4 goes there ---- */
    { "fgd: fills what is of no use to others", "fifo", { NODES(2, 2) }, .placer = "fgd", .jobs = {
        { 0, 10, 1, 0, .shares = .6 }, { 0, 10, 1, 0, .shares = .4, .took = "0:0" },
        { 0, 10, 1, 0, .shares = .6 }, { 0, 10, 1, 0, .shares = .4, .took = "0:1" } } },
    /* 7 of 8 CPUs: on the large node 3 GPUs lose their use, F = 3; on the small one 1 */
    { "fgd: CPU short is GPU lost", "fifo", { WITH_CPUS("large", 1, 4, 8, 0), WITH_CPUS("small", 1, 2, 8, 0) }, .placer = "fgd", .jobs = {
        { 0, 10, 1, 0, .cpus = 7, .took = "1:0" }, { 0, 10, 1, 0, .cpus = 2, .took = "0:0" } } },

    /* ---- random: only where there is room ---- */
    { "random: the only node with room", "fifo", { NODES(2, 4) }, .placer = "random", .jobs = {
        { 0, 10, 8, 0 }, { 10, 10, 7, 10 }, { 10, 10, 1, 10 }, { 20, 10, 4, 20, .tasks = 1 }, { 20, 10, 4, 20, .tasks = 1 } } },
};
/* clang-format on */

/* ---- random: each node, and each GPU, equally likely. Pearson's chi^2 with 3 degrees of freedom is above 16.27 once in a thousand.
 * ---- */

enum { SEEDS = 400, FOUR = 4 };

static void note_piece(void *self, const struct interval *i)
{
    *(struct piece *)self = i->pieces->piece[0];
}

static struct piece taken(struct cluster *c, struct workload *w, const char *named, uint64_t seed)
{
    struct piece piece = { .node = ID_NONE };
    struct error err = { "" };
    struct named_policy fifo = policy_named("fifo");
    struct named_placer placer = placer_with(named);
    struct sched *s = run_new(&(struct run_setup){ .cluster = c,
                                                   .workload = w,
                                                   .policy = fifo.policy,
                                                   .policy_params = fifo.params,
                                                   .placer = placer.placer,
                                                   .placer_params = placer.params,
                                                   .seed = seed,
                                                   .observer = { .self = &piece, .interval = note_piece } });
    assert_int_equal(run_execute(s, &err), 0);
    run_free(s);
    return piece;
}

static const struct fair_row {
    const char *name, *placer;
    bool fair, by_gpu;
} fair_rows[] = {
    { "random: fair", "random", true, false },
    { "random: control, first-fit is not", "first-fit", false, false },
    { "random: any GPU, fair to nodes", "random:gpus=any", true, false },
    { "random: any GPU, fair to GPUs", "random:gpus=any", true, true },
    { "random: control, the fullest GPU is not any", "random", false, true },
};

static unsigned drawn(const struct fair_row *row, struct cluster *c, struct workload *w, uint64_t seed)
{
    struct piece p = taken(c, w, row->placer, seed);
    return row->by_gpu ? (unsigned)__builtin_ctzll(p.gpu_mask) : p.node;
}

static void fair(void **state)
{
    const struct fair_row *row = *state;
    static const struct group_spec groups[GROUPS_AT_MOST] = { NODES(FOUR, 4) };
    static const struct job one = { 0, 10, 1, 0, .shares = .5 };
    struct error err = { "" };
    unsigned count[FOUR] = { 0 };
    struct cluster *c = cluster_of(groups, NULL);
    struct workload *w = workload_of(&one, 1);
    assert_int_equal(run_bind(c, w, &err), 0);
    for (uint64_t seed = 0; seed < SEEDS; seed++)
        count[drawn(row, c, w, seed)]++;
    for (uint64_t seed = 0; seed < 10; seed++) /* a seed says it all */
        assert_int_equal(drawn(row, c, w, seed), drawn(row, c, w, seed));
    double chi2 = 0, expected = (double)SEEDS / FOUR;
    for (unsigned n = 0; n < FOUR; n++)
        chi2 += (count[n] - expected) * (count[n] - expected) / expected;
    assert_int_equal(chi2 < 16.27, row->fair);
    workload_free(w);
    cluster_free(c);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, plays_as_written, rows);
    ADD_ROWS(tests, n, fair, fair_rows);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
