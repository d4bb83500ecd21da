/* places.h - which node, which GPUs and which domain a job of `quota` gets: KAI's rules.
 *
 * Sources: NVIDIA/KAI-Scheduler:pkg/scheduler/{plugins/{nodeplacement,nodeavailability,resourcetype,
 * gpusharingorder,gpupack,gpuspread,topology},gpu_sharing,actions/common/allocate.go};
 * docs/schedulers.md b.5, g.1 and h have the table of the rules.
 *
 * They apply under placer `pack` (KAI: binpack) and placer `spread` to jobs that have tasks.
 * Another placer chooses by itself, and so does any placer for a job that gives only a total of
 * GPUs or asks for islands inside a node, neither of which KAI knows, or under power caps.
 *
 * Terms. Idle: free now; what a stop of this pass has set free at once is being left until the pass
 * ends. Later: idle, or being left by others (releasing), without what this pass has promised
 * (tentative). A node is a candidate for a task that fits there later; the task is
 * `now` if it also fits what is idle, of which tentative tasks take nothing. An attempt places all
 * tasks that a job wants next, one after the other, each on its best node; if one finds none, all
 * are undone. The job starts if all its tasks are now; otherwise all of it is tentative.
 *
 * A node where rules of pods bar the task is none (pods.c). Rank of a node for a task, the first
 * difference decides:
 *   0 pod_affinity=yes: the score of the pods beside it
 *   1 the points of its sub-domain, 0 to 10 (see below)
 *   2 a share: a shared GPU fits (devices=pack only: KAI's gpusharingorder)
 *   3 the task is now
 *   4 a task without GPUs: the node has none
 *   5 binpack: fewer free GPUs later; spread: larger free part of the node. A GPU is free if
 *     all of it is. For a task without GPUs the same of CPUs
 *   6 lower id
 * Devices of a share: shared ones, the fullest first, then whole ones; with devices=spread whole
 * ones first, then the emptiest. Full: what is in use, by those that are leaving as well. Equal:
 * lower number. Whole GPUs: those of builder_add_some(), idle ones if the task is now, else as
 * many as can be of those that others leave.
 *
 * Domains, for a group of tasks with a required or a preferred level, inside the place of its
 * parent. Requested / free of a domain: the largest over GPUs, CPUs and memory that are asked for,
 * of all its nodes that the job may use; free as of later. Domains of one parent are sorted by it,
 * the fullest first, then by id; of a level, by those of their parents. Candidates: from the
 * preferred (or required) level outwards to the required one, or to the place of the parent; of
 * each level in that order. Left out: where fewer copies of the task fit, node by node, than are
 * wanted (tasks that differ: where requested / free is above 1); and, if a level is required and
 * the job holds tasks of the group already, where none of these is. The first candidate in which
 * all its groups, then tasks, find a place wins. A group with a place wider than the level that
 * it prefers gives points to the n domains of that level there: floor(10 (i + 1) / n) for the i-th
 * in the order above, i from 0, so that the emptiest fills first. They are for its tasks, and for
 * those of groups below that prefer no level. */
#pragma once
#include "policies/kai/quota.h"

/* What of the idle part of a node the attempt has taken. */
struct places_taken {
    uint64_t attempt;
    uint32_t gpus;
    int64_t cpu_milli, mem_mib;
};
/* A task that a stop of this pass took from its node, and whose room is idle at once. */
struct freed_piece {
    struct piece at;
    int64_t cpu_milli, mem_mib;
    uint32_t next; /* of the node; ID_NONE ends */
};
struct freed_on_node {
    uint64_t pass;
    uint32_t first;
};
/* Over the first nodes of a range: free parts later, nodes where they are not modelled, copies of
 * the task that fit. CPUs and memory are whole numbers below 2^53. */
struct places_sum {
    double gpu, cpu, mem;
    uint32_t unlimited_cpu, unlimited_mem;
    int64_t copies;
};
struct places { /* of the run */
    bool apply; /* the placer is `pack` or `spread` */
    bool spread;
    bool gathers, apart;        /* devices=pack; devices=spread */
    bool by_pods;               /* pod_affinity=yes */
    bool alike;                 /* nodes have equally many GPUs */
    bool level[LEVEL_ANY];      /* some node is in such a domain */
    uint64_t attempt;           /* number of the last */
    struct places_taken *taken; /* [nodes] */
    uint64_t pass;              /* the present one */
    struct freed_on_node *freed_on; /* [nodes] */
    struct freed_piece *freed;      /* [n_freed] of this pass */
    size_t n_freed, freed_capacity;
    struct places_sum *sum;     /* [n_sums] a stack: of the group that is placed, those around it */
    size_t n_sums, sums_capacity;
};

/* One task that the attempt has placed: its piece is that of the builder with the same index, but
 * for the mask of whole GPUs, which nothing asks for. */
struct placed_task {
    const struct request *run;
    struct piece at;
    uint32_t whole; /* GPUs that nothing shared before */
    bool now;
};
struct attempt {
    struct sched *s;
    struct places *how;
    job_id job;
    const struct request *ask;
    const uint32_t *task; /* [n_tasks] */
    uint32_t n_tasks;
    bool tentative;               /* of a search: no task is placed now */
    const struct placement *held; /* tasks that stay; NULL: none */
    const struct view *idle, *later;
    struct builder *b;          /* of `later` */
    struct placed_task *placed; /* [n] */
    uint32_t n;
    /* of node i, from points_first on: of the group that has its tasks placed now; NULL: all 0 */
    const uint8_t *points;
    node_id points_first;
    struct quota_pods *pods; /* NULL: no rule concerns the job */
    /* [nodes] of the task that has its place looked for; NULL: no node is barred; all 0 */
    const uint8_t *barred;
    const int64_t *beside;
    uint32_t filtered;            /* they count so many of `placed` */
    bool adds_up;                 /* and those since are added to them */
};

/* places.c: q->places, made when first asked for, as of this pass. */
struct places *places_of(struct sched *s, struct quota_state *q);
/* What is idle on n, without what stops of this pass have set free; their milli-GPUs. */
struct node_free freed_without(const struct places *how, node_id n, struct node_free idle);
uint32_t freed_milli(const struct places *how, node_id n, unsigned gpu);
/* pods.c: where the task is barred, and how pods there score for it. */
void attempt_filter(struct attempt *a, uint32_t task);
/* nodes.c: the best node for one task within a domain; false: none. */
bool attempt_task(struct attempt *a, uint32_t task, domain_id within);
/* What a task of it has taken is not looked up in the view. */
static inline bool attempt_takes_unseen(const struct request *r)
{
    return !r->mig && (r->gpus == 0 || r->gpu_milli >= MILLI_ALL);
}
void attempt_rollback(struct attempt *a, uint32_t n);
/* Of an attempt that is not now: its tasks take as much as can be of what others leave. false: the
 * builder holds less than all of it. */
bool attempt_make_tentative(struct attempt *a);
/* domains.c: all tasks of the attempt. */
bool attempt_all(struct attempt *a);
