/* kueue_tas.c - Kueue's topology-aware scheduling: policies/kueue/topology.h.
 *
 * Levels are pods, racks, islands that span nodes, and nodes, as far as the cluster has them; a
 * node outside all domains of a level is in none wider than its own of the next finer one, and a
 * level that nothing has is the next finer one. A task is Kueue's pod; of a job without tasks, one
 * GPU is. A job that asks for no level is unconstrained: the smallest node that holds all of it,
 * else the fullest nodes first. A job with a required level does not go beyond it; its preferred
 * level, if it has both, does not count, as Kueue knows one.
 *
 * The runs of a job that are pod sets (struct pod_set) are asked for one after the other, each at
 * its own level and in its slices, workers together with their leader. A slice of a level that
 * nothing has is one of the next finer; an island within a node is the node.
 *
 * Where a node turns out to have less room than its free amounts tell (islands, GPU memory, power,
 * tasks per node), the question is put again with what it has.
 *
 * Tasks that a job has lost, while others stay (request.held), are placed as Kueue replaces a failed
 * node: inside the domain of a required level, and of a slice that would be broken.
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
    uint32_t level_of[LEVEL_CLUSTER];    /* the level in the tree */
    struct tas_share *held;       /* [leaves + 1] scratch of a replacement */
    struct tas_set *set;          /* [sets] of the chain that is placed */
    uint32_t sets;
};

/* ---- The tree ---- */

/* The next finer one: of sets of nodes alone. */
static enum level inwards(enum level l)
{
    return l == LEVEL_RACK ? LEVEL_ISLAND : l == LEVEL_ISLAND ? LEVEL_NODE : l - 1;
}

/* The first node of the domain around n; where there is none of that level, of the next finer. */
static node_id domain_begin(const struct view *v, node_id n, enum level l)
{
    node_id begin, end;
    domain_id d = view_domain(v, n, l);
    for (; view_domain_level(v, d) != l; d = view_domain(v, n, l))
        l = inwards(l);
    view_domain_nodes(v, d, &begin, &end);
    return begin;
}

/* Which levels some node has a domain of; sets level_of. */
static uint32_t find_levels(const struct view *v, node_id first, node_id end, struct tas_site *site,
                            enum level *level)
{
    uint32_t n = 0;
    for (enum level l = LEVEL_CLUSTER; l != LEVEL_NODE;) {
        bool any = false;
        l = inwards(l);
        for (node_id at = first; at < end && !any; at++)
            any = view_domain_level(v, view_domain(v, at, l)) == l;
        site->level_of[l] = n;
        if (any)
            level[n++] = l;
    }
    site->level_of[LEVEL_NUMA] = site->level_of[LEVEL_NODE];
    return n;
}

static const void *begin_site(const struct view *v, const void *params)
{
    struct tas_site *site = view_alloc(v, sizeof *site);
    enum level level[LEVELS_ABOVE_NODE + 2];
    node_id first, end;
    (void)params;
    view_domain_nodes(v, 0, &first, &end);
    uint32_t levels = find_levels(v, first, end, site, level), leaves = end - first;
    uint32_t *parts = view_alloc(v, (leaves + (size_t)1) * sizeof *parts);
    for (node_id n = first; n < end; n++)
        while (parts[n - first] < levels - 1 &&
               domain_begin(v, n, level[parts[n - first]]) < n)
            parts[n - first]++;
    site->first = first;
    tas_tree_lay(&site->tree, levels, leaves, parts, view_alloc(v, tas_tree_size(levels, leaves)));
    tas_work_lay(&site->work, &site->tree, view_alloc(v, tas_work_size(&site->tree)));
    site->held = view_alloc(v, (leaves + (size_t)1) * sizeof *site->held);
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

/* Of tasks as in_tasks() has them, where f is free. */
static int64_t room_where(const struct view *v, const struct request *asked,
                          const struct request *r, node_id n, const struct node_free *f)
{
    int64_t room = min_i64(copies_on(v, r, n, f), INT32_MAX);
    if (r->one_island && f->whole_mask)
        room = min_i64(room, on_islands(v, r, n, f->whole_mask));
    if (r->max_per_node)
        room = min_i64(room, r->max_per_node);
    return asked->tasks == SPLIT_ANY ? min_i64(room, view_power_gpus(v, asked, n)) : room;
}

/* Beside a task of the leader. */
static int64_t room_beside(const struct view *v, const struct request *r,
                           const struct request *leader, node_id n)
{
    struct node_free f = view_node_for(v, r, n);
    if (leader->gpu_milli >= MILLI_ALL)
        f.whole -= min_u32(f.whole, leader->gpus);
    if (f.cpu_milli != INT64_MAX)
        f.cpu_milli = max_i64(0, f.cpu_milli - leader->cpu_milli);
    if (f.mem_mib != INT64_MAX)
        f.mem_mib = max_i64(0, f.mem_mib - leader->mem_mib);
    return min_i64(room_where(v, r, r, n, &f), r->max_per_node ? r->max_per_node - 1 : INT32_MAX);
}

/* In the order that costs least: all of them are met. */
static struct node_walk walk_of(const struct view *v, const struct request *r, uint32_t whole)
{
    uint32_t least = r->gpu_milli < MILLI_ALL ? 0 : whole;
    return (struct node_walk){ .v = v, .r = r, .order = FULLEST_FIRST, .min_whole = least };
}

/* Fills the rooms. In all. */
static int64_t find_room(struct tas_site *site, const struct view *v, const struct request *r,
                         const struct request *leader, bool affinity)
{
    struct request one = in_tasks(r);
    struct node_walk walk = walk_of(v, r, one.gpus);
    int64_t all = 0;
    node_id n;
    memset(site->work.room, 0, tas_leaves(&site->tree) * sizeof *site->work.room);
    while (node_walk_next(&walk, &n)) {
        struct tas_room *room = &site->work.room[n - site->first];
        struct node_free f = view_node_for(v, r, n);
        room->pods = room_where(v, r, &one, n, &f);
        room->score = affinity ? view_affinity(v, r, n).preferred : 0;
        all += room->pods;
    }
    if (!leader)
        return all;
    for (walk = walk_of(v, leader, leader->gpus); node_walk_next(&walk, &n);) {
        struct tas_room *room = &site->work.room[n - site->first];
        room->leader = view_allows_leader(v, r, n) && view_fits(v, leader, n);
        room->beside = room->leader && view_allows(v, r, n) ? room_beside(v, r, leader, n) : 0;
    }
    return all;
}

/* Slices at one level of the tree are those of the outermost. */
static uint32_t layers_of(const struct tas_site *site, const struct pod_set *set,
                          struct tas_layer *layer)
{
    uint32_t n = 0;
    for (uint32_t i = 0; set && i < set->n_slices; i++) {
        uint32_t level = site->level_of[set->slice[i].level];
        if (!n || layer[n - 1].level != level)
            layer[n++] = (struct tas_layer){ level, set->slice[i].tasks };
    }
    return n;
}

static struct tas_ask ask_of(const struct tas_site *site, const struct request *r,
                             struct tas_layer *layer)
{
    unsigned required = r->set ? r->set->required_level : r->required_level;
    unsigned preferred = r->set ? r->set->preferred_level : r->preferred_level;
    enum tas_mode mode = required < LEVEL_CLUSTER    ? TAS_REQUIRED
                         : preferred < LEVEL_CLUSTER ? TAS_PREFERRED
                                                     : TAS_UNCONSTRAINED;
    unsigned level = mode == TAS_REQUIRED ? required : preferred;
    return tas_ask_for(&site->tree, mode, level < LEVEL_CLUSTER ? site->level_of[level] : 0, layer,
                       layers_of(site, r->set, layer), in_tasks(r).tasks);
}

/* ---- Placing ---- */

static bool add_leader(struct builder *b, const struct request *leader, const struct tas_site *site,
                       const struct tas_answer *a)
{
    uint32_t leaf = a->leader - tas_first_leaf(&site->tree);
    if (!leader ||
        builder_add_some(b, leader, request_task(leader, 0), site->first + leaf, leader->gpus))
        return true;
    site->work.room[leaf].leader = false;
    return false;
}

/* All tasks; else the room of a node that has less than it seemed becomes what it took. */
static bool add_all(struct builder *b, const struct request *r, const struct request *leader,
                    const struct tas_site *site, const struct tas_answer *a)
{
    size_t mark = builder_mark(b);
    if (!add_leader(b, leader, site, a))
        return false;
    for (uint32_t i = 0, k = 0; i < a->n; i++) {
        uint32_t leaf = a->share[i].leaf - tas_first_leaf(&site->tree);
        uint32_t pods = (uint32_t)a->share[i].pods, took = 0;
        struct tas_room *room = &site->work.room[leaf];
        node_id n = site->first + leaf;
        if (r->tasks == SPLIT_ANY)
            took = builder_add_some(b, r, i, n, pods) ? pods : pods - 1;
        else
            while (took < pods && builder_add_some(b, r, request_task(r, k + took), n, r->gpus))
                took++;
        k += took;
        if (took == pods)
            continue;
        room->beside = min_i64(room->beside, took);
        room->pods = a->leader == a->share[i].leaf ? room->pods : took;
        builder_rollback(b, mark);
        return false;
    }
    return true;
}

/* What stays of the job by leaf, behind it what is lost. How many in all. */
static uint32_t shares_of(struct tas_site *site, const struct request *r)
{
    uint32_t leaves = tas_leaves(&site->tree), n = 0;
    for (uint32_t i = 0; i < leaves; i++)
        site->held[i] = (struct tas_share){ tas_first_leaf(&site->tree) + i, 0 };
    for (size_t i = 0; i < r->held->n; i++)
        site->held[r->held->piece[i].node - site->first].pods++;
    for (uint32_t i = 0; i < leaves; i++)
        if (site->held[i].pods)
            site->held[n++] = site->held[i];
    site->held[n++] = (struct tas_share){ ID_NONE, r->tasks };
    return n;
}

/* The question for tasks that are lost; there is room only where they must lie. */
static struct tas_ask ask_for_lost(struct tas_site *site, const struct request *r,
                                   const struct tas_ask *ask)
{
    uint32_t within, first, end, n = shares_of(site, r);
    enum tas_result result;
    struct tas_ask lost = tas_lost(&site->tree, ask, site->held, n, n - 1, &within, &result);
    if (within == ID_NONE)
        return lost;
    tas_inside(&site->tree, within, site->tree.levels - 1, &first, &end);
    for (uint32_t i = 0; i < tas_leaves(&site->tree); i++)
        if (i + tas_first_leaf(&site->tree) < first || i + tas_first_leaf(&site->tree) >= end)
            site->work.room[i] = (struct tas_room){ 0 };
    return lost;
}

/* The pods of a set, with those of its leader or without. */
static enum place_result place_sets(struct builder *b, const struct request *r,
                                    const struct request *leader, struct tas_site *site,
                                    const void *params)
{
    const struct tas_params *p = params;
    const struct view *v = builder_view(b);
    struct tas_layer layer[SLICES_MOST];
    struct tas_ask ask = ask_of(site, r, layer);
    int64_t all = find_room(site, v, r, leader, p->affinity > AFFINITY_IGNORED);
    ask.leader = leader != NULL;
    if (r->held)
        ask = ask_for_lost(site, r, &ask);
    if (ask.layers && ask.pods % ask.layer->pods)            /* of a job that is not whole */
        return NO_TOPOLOGY;
    for (struct tas_answer a; (a = tas_place(&site->work, &ask)).result == TAS_PLACED;)
        if (add_all(b, r, leader, site, &a))
            return PLACED;
    bool bound = ask.mode == TAS_REQUIRED || ask.layers;
    return bound && all >= ask.pods ? NO_TOPOLOGY : fill_failed(r);
}

/* ---- A chain of pod sets ---- */

static struct request alone(const struct request *chain, uint32_t number)
{
    const struct request *run = chain;
    while (number--)
        run = run->next;
    struct request one = *run;
    one.next = NULL;
    one.job = chain->job;
    one.try_first = chain->try_first;
    return one;
}

static struct tas_site *site_of(const struct view *v, const void *params)
{
    static const struct scoring by = { .begin = begin_site };
    return (struct tas_site *)(uintptr_t)view_scoring(v, &by, params);
}

static const struct tas_set *sets_of(const struct view *v, const struct request *r, uint32_t n,
                                     struct tas_site *site)
{
    if (n > site->sets) {
        site->set = view_alloc(v, n * sizeof *site->set);
        site->sets = n;
    }
    for (uint32_t i = 0; r; r = r->next)
        site->set[i++] = (struct tas_set){ r->set->together, r->tasks };
    return site->set;
}

static enum place_result place_chain(struct builder *b, const struct request *r, uint32_t n,
                                     const void *params)
{
    const struct view *v = builder_view(b);
    struct tas_site *site = site_of(v, params);
    const struct tas_set *set = sets_of(v, r, n, site);
    enum place_result result = PLACED;
    uint32_t workers, leader;
    for (uint32_t i = 0; i < n && result == PLACED; i++) {
        if (!tas_question(set, n, i, &workers, &leader))
            continue;
        struct request of_workers = alone(r, workers);
        struct request of_leader = leader == ID_NONE ? of_workers : alone(r, leader);
        result = place_sets(b, &of_workers, leader == ID_NONE ? NULL : &of_leader, site, params);
    }
    return result;
}

static enum place_result kueue_tas_place(struct builder *b, const struct request *r,
                                         const void *params)
{
    uint32_t n = 1;
    for (const struct request *run = r->next; run; run = run->next)
        n++;
    return n > 1 ? place_chain(b, r, n, params)
                 : place_sets(b, r, NULL, site_of(builder_view(b), params), params);
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
    .needs = CHOOSES_DOMAINS | PLACES_SETS,
    .params = tas_list,
    .params_size = sizeof(struct tas_params),
    .place = kueue_tas_place,
};
