/* placing.h - asking the placer: which nodes a shape may use, where it never fits, chains of runs and domains within domains. */
#pragma once
#include "sim/engine/state.h"

/* A placement of which the pieces are taken from the view as they are added. One at a time: open until builder_take(). Most requests
 * that a placer is asked for end with one piece: it is not taken, so that nothing has to be given back. */
struct builder {
    struct sched *s;
    struct view *v;
    const struct request *r;      /* for CPU and memory of its pieces */
    size_t n, capacity;
    struct piece *piece;
    struct placement *tried;      /* for builder_rate(); room for `tried_room` pieces */
    size_t tried_room;
    enum device_order devices;
    bool open;
    bool asked;                   /* r is all that is placed, and nothing looks at the view after that */
    bool untaken;                 /* the only piece is all of r, and not taken from the view */
};

/* Written by placing.c when the run begins; then why_not and random by each question, and builder by builder.c. */
struct placing {
    void *params;                 /* of the placer */
    struct shape_kinds *kinds;    /* [(1 + flavors) * shapes] kinds of nodes that each shape may use, at all and by flavor */
    struct typical_list typical;  /* what the jobs ask for */
    uint32_t *gpu_mem_most_mib;   /* [types] of free_index_count_memory(); NULL: placements do not heed it */
    bool *by_totals;              /* [shapes] for placing_by_totals(): what follows from the shape alone */
    uint8_t *never;               /* [(1 + flavors) * shapes] enum place_result: why it can never be placed; PLACED: it can */
    bool *may;                    /* likewise: if it cannot, a policy with PLACES_GROUPS might */
    uint32_t *least;              /* [(1 + flavors) * shapes] STARTS_PARTIAL: if it cannot, so many tasks of it as a minimum can; 0: none */
    bool wants_all_jobs;          /* of a run that begins early: how small jobs may become matters, which each says for itself */
    struct pod_rules **pods;      /* [shapes] what their pods say of others; NULL: nothing */
    struct pod_key { const char *key; const node_id *domain; } *pod_key;    /* [n_pod_keys] while these are read */
    size_t n_pod_keys, pod_keys_capacity;
    struct random random;         /* of the placer */
    enum place_result why_not;    /* the answer to the last question */
    struct fits { uint64_t pass, version; uint8_t why_not; } *fits;    /* [shapes] the answer of sched_fits() in that pass, at that
                                                                version of what is idle, if it drew nothing; pass 0: none */
    struct builder builder;
};
/* What questions change: kept before what-if questions, put back after. */
struct placing_answer { struct random random; enum place_result why_not; };
struct placing_answer placing_keep(const struct sched *s);
void placing_put_back(struct sched *s, struct placing_answer kept);

/* A preferred level is tried before the required one if it lies in it: of what lies in a node nothing is sure to lie in a NUMA node. */
static inline bool level_lies_in(enum level preferred, enum level required)
{
    return preferred < LEVEL_CLUSTER && preferred < required && required != LEVEL_NUMA;
}

/* Instances of a mixed node are for jobs that name their profile, those of a single one for whole GPUs. */
bool placing_has_slots(const struct request *ask, const struct node_kind *kind, const struct node_type *t);
/* Of those kinds it may use, as far as owner, slots, GPU model and memory say. */
bool placing_has_gpus(const struct cluster *c, const struct workload *w, const struct shape *shape, const struct node_kind *kind);
void placing_begin(struct sched *s);                                      /* which kinds each shape may use; which never fit */
void placing_end(struct sched *s);
struct view *placing_view(struct sched *s);                               /* a new index of all that there is */
bool request_over_limit(const struct sched *s, const struct request *r);  /* on top of what the queue of its shape holds */
bool placing_limit_binds(struct sched *s, shape_id shape, struct amount more);    /* true: that is the answer to the question */
/* As sched_place(), whatever the limit of the queue. */
const struct placement *placing_whatever_limit(struct sched *s, const struct view *v, const struct request *r);
const char *placing_never(const struct sched *s, shape_id shape);         /* NULL: it can be placed */
const char *placing_never_job(const struct sched *s, job_id j);           /* NULL: it can be, or its minimum */

/* planned/by_totals.c */
bool placing_only_totals_count(const struct sched *s, shape_id shape);    /* all that follows from the shape alone */
bool placing_by_totals(const struct sched *s, const struct request *r);   /* it fits where the total suffices: one counted
                                                                             node, and nothing else is scarce */
/* Nor could a placer say anything but that node: *where is the answer in v, NULL where the total is too little. false: it has to be
 * asked. */
bool placing_has_one_answer(struct sched *s, const struct view *v, const struct request *r, const struct placement **where);

void pods_begin(struct sched *s);                                         /* pods.c */
const struct pod_rules *pods_of_shape(const struct sched *s, shape_id i);    /* NULL: none */

/* builder.c */
struct builder *builder_begin(struct sched *s, struct view *v, const struct request *r);

/* The placer is asked where the view is confined to; PLACED: its answer is in the builder, which is open. */
enum place_result placing_here(struct sched *s, struct view *v, const struct request *r);

/* group_places.c - chains of runs, and domains within domains */
bool group_places_wanted(const struct sched *s, const struct request *r);
/* All of a job, if its runs are pod sets, for a placer that places them. */
bool group_places_are_sets(const struct sched *s, const struct request *r);
/* Of the runs of the chain that want whole GPUs of the kinds that the first run may use. */
int64_t group_places_whole(const struct view *v, const struct request *r);
bool group_places_lack(const struct view *v, const struct request *r);
bool group_places_type(const struct sched *s, const struct request *r);   /* every run has nodes that it may use */
enum place_result group_places(struct sched *s, struct view *v, const struct request *r);
/* A chain of pod sets, by that placer. */
enum place_result group_places_sets(struct sched *s, struct view *v, const struct request *r);
/* Of a job of several groups for which the placer has just found no place on the empty cluster.
 * That is no proof, as the placer gives one answer a run: a policy with PLACES_GROUPS might find a
 * place if for each group by itself there is a domain of the level that it requires, within that of
 * its parent, with enough GPUs. Sets of GPUs inside a node are left to the placer. */
bool group_places_may(struct sched *s, const struct request *r);
/* Whole GPUs, even by totals. */
static inline bool placing_lacks(const struct view *v, const struct request *r)
{
    if (r->next)
        return group_places_lack(v, r);
    return r->gpu_milli >= MILLI_ALL && free_index_whole(v, r) < run_gpus(r);
}
