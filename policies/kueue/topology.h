/* topology.h - topology-aware scheduling as in Kueue: which domains get how many pods.
 *
 * A topology is a tree of domains in levels, 0 the coarsest; a leaf is a domain of the last level.
 * Domains are numbered level by level, in each by the names from the coarsest level on: children of
 * a domain are neighbours, and all ties that the source breaks by name end on the number.
 *
 * Room. Of each leaf the caller says how many pods it has room for, whether the leader fits there,
 * and how many pods fit beside it. A domain above has the sum of its children; with a leader, less
 * the smallest loss of a child that can host it. Slices are groups of pods that share a domain of a
 * level: at that level pods / size, whole; above, sums. Inner layers cut slices into smaller ones:
 * there the pods of each child are first rounded down to the size of the layer.
 *
 * Level. Domains of the level asked for are sorted: those with a place for the leader first, then
 * by higher score, most slices (beside the leader), fewest pods, number. If the first holds all,
 * the best fit is taken: the first with the smallest number of slices that suffices. Else a
 * required level fails (with scores a later domain may still hold all); a preferred one goes up a
 * level, and at the top several domains are taken, the largest first, the last by best fit.
 * Unconstrained is the other way round: fewest slices first, the first that holds all; if none
 * does, from the smallest on, at that level, without best fit.
 *
 * Down. Above the level of the slices, children of all chosen domains are one pool, filled in the
 * same way. From there on each domain's share is divided among its own children, by pods or by the
 * size of an inner layer; no slices are counted there, so the order is fewest pods. The leader goes
 * to the first domain in order with a loss that leaves enough. A choice is not taken back: a part
 * that has no place further down is TAS_NO_FIT with a fit of 0.
 *
 * A score (preferred node affinity) of a domain is the sum of its leaves'; zero everywhere: none.
 * With `balanced`, an ask with a preferred level is first tried in equal parts
 * (topology_balanced.c).
 *
 * Everything is exact and depends on the arguments alone. The rooms of all leaves add up to less
 * than 2^62; a workload of 0 pods is placed, on no leaf. After
 * kubernetes-sigs/kueue:pkg/cache/scheduler/tas_flavor_snapshot.go, tas_balanced_placement.go. */
#pragma once
#include "sim/contract/placement.h"
#include "sim/contract/util/array.h"

struct tas_tree {
    uint32_t levels, n;           /* domains */
    const uint32_t *level_first;  /* [levels + 1] */
    const uint32_t *child_first;  /* [n + 1] they end where those of the next begin; of a leaf: n */
    const uint32_t *parent;       /* [n] ID_NONE at level 0 */
};

/* Lays a tree over leaves that are in order: parts[i] is the coarsest level at which leaf i differs
 * from the one before, at most levels - 1; parts[0] does not matter. In zeroed memory of that size,
 * aligned as malloc() does. */
size_t tas_tree_size(uint32_t levels, uint32_t leaves);
void   tas_tree_lay(struct tas_tree *t, uint32_t levels, uint32_t leaves, const uint32_t *parts,
                    void *memory);

enum tas_mode { TAS_REQUIRED, TAS_PREFERRED, TAS_UNCONSTRAINED };
struct tas_layer { uint32_t level; int64_t pods; };    /* of a slice; 0: not given */
struct tas_ask {
    enum tas_mode mode;
    uint32_t level;               /* ID_NONE: there is no such level */
    const struct tas_layer *layer;    /* the outermost first; none: a slice is a pod */
    uint32_t layers;
    /* beside the leader; whole slices of the outermost layer: a rest is not placed */
    int64_t pods;
    bool leader, balanced;
};

/* Of a pod set: unconstrained is the lowest level, with slices the coarsest, whatever `level` says. */
struct tas_ask tas_ask_for(const struct tas_tree *t, enum tas_mode mode, uint32_t level,
                           const struct tas_layer *layer, uint32_t layers, int64_t pods);

/* The pod sets of a workload are asked for one after the other, each with what those before it got
 * taken; two of one group at once: the set with more pods, the first of equals, as workers, the
 * other as their leader. A set that finds no place ends it. */
struct tas_set { uint32_t group; int64_t pods; };    /* group 0: none */
/* The question that set i begins; leader ID_NONE: none. false: one before it has asked for it. */
bool tas_question(const struct tas_set *set, uint32_t n, uint32_t i, uint32_t *workers,
                  uint32_t *leader);

/* Of a leaf. `beside` counts where the leader fits only. */
struct tas_room { int64_t pods, beside, score; bool leader; };

enum tas_result {
    TAS_PLACED,
    TAS_NO_FIT,                   /* `fit` of `of` slices, or pods if a slice is one, have room */
    TAS_NO_DOMAINS,               /* the level has none */
    TAS_NO_LEVEL,                 /* the level, or that of a layer, does not exist */
    TAS_NO_SIZE,                  /* a layer without size */
    TAS_LAYER_ABOVE,              /* slices at a level above that of the pods */
    TAS_LAYER_NOT_FINER,          /* an inner layer that is not below the one before */
    TAS_LAYER_NOT_PART,           /* its size does not divide the one before */
    TAS_LOST                      /* a replacement: other domains of the workload are gone, too */
};
struct tas_share { uint32_t leaf; int64_t pods; };    /* leaf: its domain */
struct tas_answer {
    enum tas_result result;
    uint32_t n, leader;           /* leader: its leaf; ID_NONE: there is none */
    struct tas_share *share;      /* [n] of the pods beside the leader, ascending */
    int64_t fit, of;              /* of TAS_NO_FIT */
    bool slices;                  /* these are slices */
};

/* What is left of a domain, then its part of the workload. */
struct tas_state { int64_t pods, slices, pods_beside, slices_beside, score, leaders; };
struct tas_order { int64_t leaders, score, slices, pods; uint32_t domain, kind; };
struct tas_work {
    const struct tas_tree *tree;
    struct tas_room *room;        /* [leaves] of the caller, before each question */
    struct tas_share *share;      /* [leaves] */
    struct tas_state *state, *kept, *best;    /* [n] */
    struct tas_order *order;      /* [n] */
    uint32_t *chosen, *pool, *list;    /* [n] */
    /* for balanced placement only */
    struct tas_even { int64_t leaders, slices; double entropy; uint32_t domain; } *even; /* [n] */
    uint32_t *table;
    size_t table_size;
    void *(*alloc)(void *owner, size_t bytes);    /* of a larger table; the old one stays */
    void *owner;
};

/* Bytes of the arrays, and their layout in zeroed memory of that size; table is empty, and alloc of
 * the caller. */
size_t tas_work_size(const struct tas_tree *tree);
void   tas_work_lay(struct tas_work *w, const struct tas_tree *tree, void *memory);

static inline uint32_t tas_first_leaf(const struct tas_tree *t)
{
    return t->level_first[t->levels - 1];
}
static inline uint32_t tas_leaves(const struct tas_tree *t)
{
    return t->n - tas_first_leaf(t);
}

/* Where, by the rooms in w. The share is valid until the next question. */
struct tas_answer tas_place(struct tas_work *w, const struct tas_ask *ask);
/* After TAS_NO_FIT with several layers: how many slices of `layer` fit in the domain of the last
 * level tried that holds the most slices. */
int64_t tas_layer_fit(const struct tas_work *w, const struct tas_ask *ask, uint32_t layer);

/* The domain of that level around d, which is not above it. */
uint32_t tas_around(const struct tas_tree *t, uint32_t d, uint32_t level);
/* The domains of that level in d. */
void     tas_inside(const struct tas_tree *t, uint32_t d, uint32_t level, uint32_t *first,
                    uint32_t *end);

/* ---- Replacing what a failed leaf held (topology_replace.c) ---- */

/* The workload holds held[n], ascending, of which held[failed] is lost; a leaf of ID_NONE is not in
 * the tree any more. The rest stays. Another that is gone: TAS_LOST. What is lost goes into the
 * same domain of a required level, if anything is left; if it breaks a slice, into the domain of
 * that slice, and then by pods, or by the innermost layer of a size that divides it. The level
 * stays. The source takes the first such slice in the order of a hash map, this the one with the
 * lowest number.
 *
 * What to ask for the lost pods, and the domain that they must lie in (ID_NONE: any): the caller
 * has no room elsewhere. */
struct tas_ask tas_lost(const struct tas_tree *t, const struct tas_ask *ask,
                        const struct tas_share *held, uint32_t n, uint32_t failed, uint32_t *within,
                        enum tas_result *result);
/* Adds what stays to the answer, which is valid until the next question. */
void tas_rejoin(struct tas_answer *a, const struct tas_share *held, uint32_t n, uint32_t failed);
