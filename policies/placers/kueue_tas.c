/* kueue_tas.c - Kueue's topology-aware scheduling: policies/kueue/topology.h.
 *
 * Levels are pods, racks, islands that span nodes, and nodes, as far as the cluster has them; a
 * node outside all domains of a level is in none wider than its own of the next finer one, and a
 * level that nothing has is the next finer one. A task is Kueue's pod; of a job without tasks, one
 * GPU is. A job that asks for no level is unconstrained: the smallest node that holds all of it,
 * else the fullest nodes first. A job with a required level does not go beyond it; its preferred
 * level, if it has both, does not count, as Kueue knows one.
 *
 * Where a node turns out to have less room than its free amounts tell (islands, GPU memory, power,
 * tasks per node), the question is put again with what it has.
 *
 * affinity=preferred is Kueue's feature gate TASRespectNodeAffinityPreferred. */
#include "policies/common/copies.h"
#include "policies/kueue/topology.h"
#include "policies/placers/filling.h"

#include <string.h>

struct tas_params {
    double affinity;
};
enum { AFFINITY_IGNORED, AFFINITY_PREFERRED };

/* Of a view. */
struct tas_site {
    struct tas_tree tree;
    struct tas_work work;
    node_id first;                /* of the first leaf */
    uint32_t level_of[LEVEL_ANY]; /* the level in the tree; of LEVEL_CLUSTER: none */
};

/* ---- The tree ---- */

static const enum level inwards[] = { LEVEL_POD, LEVEL_RACK, LEVEL_ISLAND, LEVEL_NODE };
enum { LEVELS = sizeof inwards / sizeof *inwards };

/* The first node of the domain around n; *own: there is one of that level. */
static node_id domain_begin(const struct view *v, node_id n, unsigned level, bool *own)
{
    node_id begin = n, end;
    domain_id d = view_domain(v, n, inwards[level]);
    *own =
        level == LEVELS - 1 || (d && (level == 0 || d != view_domain(v, n, inwards[level - 1])) &&
                                d != view_domain(v, n, inwards[level + 1]));
    if (*own)
        view_domain_nodes(v, d, &begin, &end);
    return *own || level == LEVELS - 1 ? begin : domain_begin(v, n, level + 1, &(bool){ false });
}

/* Which levels some node has a domain of; sets level_of. */
static uint32_t find_levels(const struct view *v, node_id first, node_id end, struct tas_site *site,
                            unsigned *level)
{
    uint32_t n = 0;
    for (unsigned i = 0; i < LEVELS; i++) {
        bool any = false;
        for (node_id at = first; at < end && !any; at++)
            domain_begin(v, at, i, &any);
        site->level_of[inwards[i]] = n;
        if (any)
            level[n++] = i;
    }
    site->level_of[LEVEL_NUMA] = site->level_of[LEVEL_NODE];
    return n;
}

static const void *begin_site(const struct view *v, const void *params)
{
    struct tas_site *site = view_alloc(v, sizeof *site);
    unsigned level[LEVELS];
    node_id first, end;
    bool own;
    (void)params;
    view_domain_nodes(v, 0, &first, &end);
    uint32_t levels = find_levels(v, first, end, site, level), leaves = end - first;
    uint32_t *parts = view_alloc(v, (leaves + (size_t)1) * sizeof *parts);
    for (node_id n = first; n < end; n++)
        while (parts[n - first] < levels - 1 &&
               domain_begin(v, n, level[parts[n - first]], &own) < n)
            parts[n - first]++;
    site->first = first;
    tas_tree_lay(&site->tree, levels, leaves, parts, view_alloc(v, tas_tree_size(levels, leaves)));
    tas_work_lay(&site->work, &site->tree, view_alloc(v, tas_work_size(&site->tree)));
    return site;
}

/* ---- A request ---- */

/* As if it asked for tasks of one GPU. */
static struct request in_tasks(const struct request *r)
{
    struct request one = *r;
    if (r->tasks == SPLIT_ANY) {
        one.tasks = r->gpus;
        one.gpus = 1;
    }
    return one;
}

static int64_t on_islands(const struct view *v, const struct request *r, node_id n, uint64_t free)
{
    int64_t tasks = 0;
    for (uint64_t island; free; free &= ~island) {
        island = view_islands(v, n, (unsigned)__builtin_ctzll(free));
        tasks += __builtin_popcountll(free & island) / (int)r->gpus;
    }
    return tasks;
}

/* Of tasks as in_tasks() has them. */
static int64_t room_on(const struct view *v, const struct request *asked, const struct request *r,
                       node_id n)
{
    struct node_free f = view_node_for(v, asked, n);
    int64_t room = min_i64(copies_on(v, r, n, &f), INT32_MAX);
    if (r->one_island && f.whole_mask)
        room = min_i64(room, on_islands(v, r, n, f.whole_mask));
    if (r->max_per_node)
        room = min_i64(room, r->max_per_node);
    return asked->tasks == SPLIT_ANY ? min_i64(room, view_power_gpus(v, asked, n)) : room;
}

/* Fills the rooms. In all. */
static int64_t find_room(struct tas_site *site, const struct view *v, const struct request *r,
                         bool affinity)
{
    struct request one = in_tasks(r);
    struct node_walk walk = {
        .v = v, .r = r, .order = BY_ID, .min_whole = one.gpu_milli < MILLI_ALL ? 0 : one.gpus
    };
    int64_t all = 0;
    memset(site->work.room, 0, tas_leaves(&site->tree) * sizeof *site->work.room);
    for (node_id n; node_walk_next(&walk, &n);) {
        struct tas_room *room = &site->work.room[n - site->first];
        room->pods = room_on(v, r, &one, n);
        room->score = affinity ? view_affinity(v, r, n).preferred : 0;
        all += room->pods;
    }
    return all;
}

static struct tas_ask ask_of(const struct tas_site *site, const struct request *r)
{
    struct tas_ask ask = { .mode = TAS_UNCONSTRAINED,
                           .level = site->tree.levels - 1,
                           .pods = in_tasks(r).tasks };
    if (r->required_level < LEVEL_CLUSTER) {
        ask.mode = TAS_REQUIRED;
        ask.level = site->level_of[r->required_level];
    } else if (r->preferred_level < LEVEL_CLUSTER) {
        ask.mode = TAS_PREFERRED;
        ask.level = site->level_of[r->preferred_level];
    }
    return ask;
}

/* ---- Placing ---- */

/* All tasks; else `room` becomes what a node that has less than it seemed took. */
static bool add_all(struct builder *b, const struct request *r, const struct tas_site *site,
                    const struct tas_answer *a)
{
    size_t mark = builder_mark(b);
    for (uint32_t i = 0, k = 0; i < a->n; i++) {
        uint32_t leaf = a->share[i].leaf - tas_first_leaf(&site->tree);
        uint32_t pods = (uint32_t)a->share[i].pods, took = 0;
        node_id n = site->first + leaf;
        if (r->tasks == SPLIT_ANY)
            took = builder_add_some(b, r, i, n, pods) ? pods : pods - 1;
        else
            while (took < pods && builder_add_some(b, r, request_task(r, k + took), n, r->gpus))
                took++;
        k += took;
        if (took == pods)
            continue;
        site->work.room[leaf].pods = took;
        builder_rollback(b, mark);
        return false;
    }
    return true;
}

static enum place_result kueue_tas_place(struct builder *b, const struct request *r,
                                         const void *params)
{
    static const struct scoring by = { .begin = begin_site };
    const struct tas_params *p = params;
    const struct view *v = builder_view(b);
    struct tas_site *site = (struct tas_site *)(uintptr_t)view_scoring(v, &by, params);
    struct tas_ask ask = ask_of(site, r);
    int64_t all = find_room(site, v, r, p->affinity > AFFINITY_IGNORED);
    for (struct tas_answer a; (a = tas_place(&site->work, &ask)).result == TAS_PLACED;)
        if (add_all(b, r, site, &a))
            return PLACED;
    return ask.mode == TAS_REQUIRED && all >= ask.pods ? NO_TOPOLOGY : fill_failed(r);
}

static const char *const affinities[] = { "ignored", "preferred", NULL };
static const struct param tas_list[] = {
    { "affinity", "preferred node affinity; ignored by default, as in Kueue", "", 0, 0,
      AFFINITY_IGNORED, affinities, offsetof(struct tas_params, affinity) },
    { 0 },
};

const struct placer kueue_tas_placer = {
    .abi = PLACEMENT_ABI,
    .name = "kueue-tas",
    .summary =
        "topology-aware scheduling as in Kueue: the smallest domain that holds it, level by level",
    .needs = CHOOSES_DOMAINS,
    .params = tas_list,
    .params_size = sizeof(struct tas_params),
    .place = kueue_tas_place,
};
