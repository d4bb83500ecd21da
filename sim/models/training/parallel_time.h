/* parallel_time.h - the time of an iteration of training with tensor, context, pipeline, data and
 * expert parallelism (parallelism.h): models.md 2.8.
 *
 * Ranks are in Megatron's order, tensor fastest, then context, data, pipeline slowest. A group of
 * ranks that exchange something lies on islands, nodes and racks as the placement has it; groups
 * that lie alike are one `rank_group` here, and of all groups of a kind the slowest counts.
 * Seconds, bytes, bytes a second per direction. */
#pragma once
#include "sim/models/network/collectives.h"
#include "sim/models/network/phases.h"
#include "sim/models/training/parallelism.h"

struct parallel_split { uint32_t tp, cp, pp, dp, ep; };
/* Of so many GPUs (> 0). A model that does not fit on them is split less: first pp is as small as
 * it must be, then cp, then tp; ep is the largest divisor of dp up to the model's. GPUs beyond
 * tp x cp x pp x dp are idle. */
struct parallel_split parallel_split(const struct parallelism *p, uint32_t gpus);

enum group_kind {
    GROUP_TENSOR, GROUP_CONTEXT, GROUP_EXPERT, GROUP_DATA, GROUP_STAGES, GROUP_KINDS
};

/* How a group lies. Units are nodes, and islands across nodes. */
struct rank_group {
    uint32_t ranks, units;
    uint32_t least, most;         /* ranks of the unit with fewest, with most */
    enum link_class inside;       /* slowest link between two of its ranks in a unit, raw; none,
                                     infinitely fast, for ranks that are alone in theirs */
    double inside_bps;
    enum reach reach;             /* of units > 1: in a rack, in a pod, beyond */
    /* of units > 1: the least over its nodes of what NICs leave each GPU of the job there, raw: of
     * those that the GPUs use, of all; and the most GPUs of the job on one */
    double rail_bps, node_bps;
    uint32_t sharing;
};
enum { GROUP_FORMS = 12 };        /* ways to lie that are kept apart; of further ones the worse of
                                     each count goes into the last */
struct rank_groups {
    struct rank_group of[GROUP_KINDS][GROUP_FORMS];
    unsigned n[GROUP_KINDS];
};
void rank_groups_add(struct rank_groups *g, enum group_kind kind, const struct rank_group *group);

/* What a rank computes with, and what it sends over. */
struct parallel_means {
    const struct collective_costs *costs;
    double flops_per_s;           /* dense, in 16 bits */
    double mem_bps;
    double chi;                   /* share of the A100's that its kernels reach: 1 */
    const double *efficiency;     /* [LINK_CLASSES] */
    double leaf_oversubscription, spine_oversubscription;
    const double *link_bps;       /* [REACHES] that links leave each node, after losses; NULL: as if
                                     all nodes sent */
};

struct parallel_time {
    double compute_s;             /* of all micro-batches; so are the next four, what is exposed */
    double tensor_s, context_s, expert_s, pipeline_s;
    double bubble_s, data_s, optimizer_s;
    double iteration_s;           /* their sum */
    double network_s;             /* of it, the time in which something goes over the network */
};
struct parallel_time parallel_time(const struct parallelism *p, const struct parallel_split *split,
                                   const struct rank_groups *groups,
                                   const struct parallel_means *with);

/* ---- Collectives of one group, for tests ---- */
double group_all_reduce_s(const struct rank_group *g, const struct parallel_means *with,
                          double bytes);
double group_gather_s(const struct rank_group *g, const struct parallel_means *with, double bytes);
double group_all_to_all_s(const struct rank_group *g, const struct parallel_means *with,
                          double bytes);
