/* cluster_spec.c - see cluster_spec.h. */
#include "sim/cluster/cluster_spec.h"

#include "sim/base/intern.h"
#include "sim/base/memory.h"
#include "sim/cluster/labels.h"
#include "sim/cluster/mig.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sums over CLUSTER_NODES_MAX nodes must fit in 63 bits: a million cores and a PiB a node are 1e9
 * parts each. */
#define NODE_PARTS_MAX  INT64_C(100000000000)
#define QUOTA_PARTS_MAX (INT64_MAX / 4)

/* ---- groups ---- */

uint32_t group_island_nodes(const struct group_spec *g)
{
    return g->gpus && !g->n_mig && g->island_gpus > g->gpus ? g->island_gpus / g->gpus : 0;
}

static int check_island(const struct group_spec *g, struct error *err)
{
    uint32_t island = g->island_gpus;
    if (g->gpus == 0 || island == 0 || (g->counted && island <= g->gpus))
        return 0; /* on a counted node all GPUs are one island anyway */
    if (island <= g->gpus && g->gpus <= NAMED_GPUS_MAX && g->gpus % island)
        return error_set(err, "group '%s': its %u GPUs cannot be cut into islands of %u", g->name,
                         g->gpus, island);
    if (island > g->gpus && island % g->gpus)
        return error_set(err,
                         "group '%s': an island of %u GPUs is no whole number of nodes of %u GPUs",
                         g->name, island, g->gpus);
    uint32_t nodes = group_island_nodes(g);
    if (nodes && g->nodes_per_rack % nodes)
        return error_set(err,
                         "group '%s': a rack of %u nodes cannot be cut into islands of %u nodes",
                         g->name, g->nodes_per_rack, nodes);
    return 0;
}

static int check_racks(const struct group_spec *g, struct error *err)
{
    uint64_t nodes = 0;
    if (g->racks_per_pod && !g->nodes_per_rack && !g->rack_nodes)
        return error_set(err, "group '%s': has pods of %u racks, but no racks", g->name,
                         g->racks_per_pod);
    for (uint32_t r = 0; g->rack_nodes && r < g->n_racks; r++) {
        nodes += g->rack_nodes[r];
        if (g->rack_nodes[r] == 0 ||
            (group_island_nodes(g) && g->rack_nodes[r] % group_island_nodes(g)))
            return error_set(
                err, "group '%s': a rack of %u nodes is empty or cannot be cut into its islands",
                g->name, g->rack_nodes[r]);
    }
    if (g->rack_nodes && nodes != g->count)
        return error_set(err, "group '%s': its racks have %" PRIu64 " nodes, but it has %u",
                         g->name, nodes, g->count);
    return 0;
}

uint32_t group_level_holds(const struct group_spec *g, uint32_t k)
{
    return k == 0 ? g->nodes_per_rack : k == 1 ? g->racks_per_pod : g->further[k - 2];
}

uint32_t group_levels(const struct group_spec *g)
{
    uint32_t n = g->rack_nodes || g->nodes_per_rack;
    while (n > 0 && n < LEVELS_ABOVE_NODE && group_level_holds(g, n))
        n++;
    return n;
}

const struct level_names *given_levels(const struct cluster_given *given)
{
    return given->levels.n ? &given->levels : &level_names_usual;
}

static int check_levels(const struct level_names *levels, const struct group_spec *g,
                        struct error *err)
{
    uint32_t n = group_levels(g);
    return n <= levels->n ? 0
                          : error_set(err,
                                      "group '%s': has %u levels above the node: want a name of "
                                      "each, got %u",
                                      g->name, n, levels->n);
}

/* What it joins is there, and both have the same levels. */
static int check_joins(const struct level_names *levels, const struct group_spec *g,
                       const struct group_spec *before, struct error *err)
{
    uint32_t n = group_levels(g), joined = g->joins ? g->joins - LEVEL_RACK + 1u : 0;
    if (!joined || (before && joined <= n && n == group_levels(before)))
        return 0;
    return error_set(err,
                     "group '%s': cannot join the %s of the group before: want it in both, and the "
                     "same levels above it",
                     g->name, level_text(levels, g->joins));
}

/* Instances of known profiles must have places on the GPUs of the node; otherwise only totals are
 * checked. */
static int check_places(const struct group_spec *g, struct error *err)
{
    struct mig_wish wish[NAMED_GPUS_MAX];
    const struct mig_design *without;
    char name[MIG_NAME_MAX];
    for (uint32_t i = 0; i < g->n_mig; i++) {
        wish[i] =
            (struct mig_wish){ mig_design_find(g->gpu_model, mig_name(g->mig[i].profile, name)),
                               g->mig[i].count };
        if (!wish[i].design)
            return 0;
    }
    if (mig_fit(wish, g->n_mig, g->gpus, &without))
        return 0;
    return error_set(err,
                     "group '%s': mig: the instances do not fit on the %u GPUs of a node: there is "
                     "no place for all of profile %s",
                     g->name, g->gpus, without->profile);
}

static int check_cuts(const struct group_spec *g, struct error *err)
{
    uint32_t compute = 0, memory = 0;
    char name[MIG_NAME_MAX];
    for (uint32_t i = 0; i < g->n_mig; i++) {
        const struct mig_design *d =
            g->gpu_model ? mig_design_find(g->gpu_model, mig_name(g->mig[i].profile, name)) : NULL;
        compute += g->mig[i].count * mig_g(g->mig[i].profile);
        memory += d ? g->mig[i].count * d->memory_slices : 0;
        if (d && g->mig[i].count > d->most * g->gpus)
            return error_set(
                err, "group '%s': mig: want at most %u instances of profile %s on %u GPUs, got %u",
                g->name, d->most * g->gpus, name, g->gpus, g->mig[i].count);
    }
    if (compute > MIG_COMPUTE_SLICES * g->gpus)
        return error_set(
            err, "group '%s': mig: the instances have %u compute slices, the %u GPUs of a node %u",
            g->name, compute, g->gpus, MIG_COMPUTE_SLICES * g->gpus);
    if (memory > MIG_MEMORY_SLICES * g->gpus)
        return error_set(
            err, "group '%s': mig: the instances have %u memory slices, the %u GPUs of a node %u",
            g->name, memory, g->gpus, MIG_MEMORY_SLICES * g->gpus);
    return g->gpu_model ? check_places(g, err) : 0;
}

static int check_mig(const struct group_spec *g, const struct catalogue *known, struct error *err)
{
    const struct gpu_model *model = g->gpu_model ? catalogue_gpu(known, g->gpu_model) : NULL;
    uint32_t instances = 0;
    char name[MIG_NAME_MAX];
    if (g->mig_dynamic && (!g->gpus || g->counted || g->gpus > MIG_DYNAMIC_GPUS || g->n_mig))
        return error_set(
            err, "group '%s': mig_strategy dynamic: want from 1 to %u GPUs with names, got %u%s",
            g->name, MIG_DYNAMIC_GPUS, g->gpus, g->counted ? " counted" : "");
    if (g->mig_dynamic && !(g->gpu_model && mig_design_whole(g->gpu_model)))
        return error_set(
            err, "group '%s': mig_strategy dynamic: the profiles of model '%s' are not known",
            g->name, g->gpu_model ? g->gpu_model : "");
    if (g->mig_single && g->n_mig != 1)
        return error_set(err,
                         "group '%s': mig_strategy single: want instances of one profile, got %u",
                         g->name, g->n_mig);
    if (!g->n_mig)
        return 0;
    if (!g->gpus || g->counted || g->gpus > NAMED_GPUS_MAX)
        return error_set(err, "group '%s': mig: want from 1 to %u GPUs with names, got %u%s",
                         g->name, NAMED_GPUS_MAX, g->gpus, g->counted ? " counted" : "");
    if (model && !model->mig_slices)
        return error_set(err, "group '%s': mig: GPUs of model '%s' cannot be cut", g->name,
                         g->gpu_model);
    for (uint32_t i = 0; i < g->n_mig; i++) {
        for (uint32_t k = 0; k < i; k++)
            if (g->mig[k].profile == g->mig[i].profile)
                return error_set(err, "group '%s': mig: profile %s is given twice", g->name,
                                 mig_name(g->mig[i].profile, name));
        if (!mig_g(g->mig[i].profile) || !g->mig[i].count ||
            g->mig[i].count > NAMED_GPUS_MAX - instances)
            return error_set(err, "group '%s': mig: want from 1 to %u instances a node", g->name,
                             NAMED_GPUS_MAX);
        instances += g->mig[i].count;
    }
    return check_cuts(g, err);
}

static int check_parts(const struct group_spec *g, const char *what, int64_t parts,
                       struct error *err)
{
    if (parts == INT64_MAX || (parts >= 0 && parts <= NODE_PARTS_MAX))
        return 0;
    return error_set(err, "group '%s': want from 0 to %" PRId64 " %s a node, got %" PRId64, g->name,
                     NODE_PARTS_MAX, what, parts);
}

static int check_group(const struct group_spec *g, const struct catalogue *known, struct error *err)
{
    if (!g->name || !*g->name)
        return error_set(err, "a group has no name");
    if (g->count > CLUSTER_NODES_MAX)
        return error_set(err, "group '%s': want at most %u nodes, got %u", g->name,
                         CLUSTER_NODES_MAX, g->count);
    if (g->gpus > CLUSTER_NODE_GPUS_MAX)
        return error_set(err, "group '%s': want at most %u GPUs a node, got %u", g->name,
                         CLUSTER_NODE_GPUS_MAX, g->gpus);
    if (g->gpus == 0 && g->gpu_model)
        return error_set(err, "group '%s': has a GPU model, '%s', but no GPUs", g->name,
                         g->gpu_model);
    if (g->numa_nodes > NAMED_GPUS_MAX)
        return error_set(err, "group '%s': want at most %u NUMA nodes, got %u", g->name,
                         NAMED_GPUS_MAX, g->numa_nodes);
    const char *labels_want = labels_wrong(g->labels ? g->labels : ""),
               *taints_want = taints_wrong(g->taints ? g->taints : "");
    if (labels_want)
        return error_set(err, "group '%s': labels: want %s, got '%.100s'", g->name, labels_want,
                         g->labels);
    if (taints_want)
        return error_set(err, "group '%s': taints: want %s, got '%.100s'", g->name, taints_want,
                         g->taints);
    if (check_racks(g, err) || check_island(g, err) || check_mig(g, known, err) ||
        check_parts(g, "milli-CPUs", g->cpu_milli, err))
        return -1;
    return check_parts(g, "MiB", g->mem_mib, err);
}

/* The name must be new to `names`. */
static int check_name(struct intern *names, const char *what, const char *name, struct error *err)
{
    uint32_t before = intern_count(names);
    if (intern_add(names, name, strlen(name)) == before)
        return 0;
    return error_set(err, "%s '%s': there is another one of this name", what, name);
}

static int check_groups(const struct cluster_given *given, struct culprit *culprit,
                        struct error *err)
{
    uint64_t nodes = 0, gpus = 0;
    struct intern *names = intern_new();
    int failed = 0;
    for (size_t i = 0; i < given->n_groups && !failed; i++) {
        const struct group_spec *g = &given->group[i];
        *culprit = (struct culprit){ FAULT_GROUP, i };
        failed = check_group(g, given->catalogue, err) ||
                 check_levels(given_levels(given), g, err) ||
                 check_joins(given_levels(given), g, i ? g - 1 : NULL, err) ||
                 check_name(names, "group", g->name, err);
        nodes += g->count;
        gpus += (uint64_t)g->count * g->gpus;
        if (!failed && nodes > CLUSTER_NODES_MAX)
            failed = error_set(err, "group '%s': want at most %u nodes in all, got %" PRIu64,
                               g->name, CLUSTER_NODES_MAX, nodes);
        if (!failed && gpus > UINT32_MAX) /* the contract counts free GPUs in 32 bits */
            failed = error_set(err, "group '%s': want at most %u GPUs in all, got %" PRIu64,
                               g->name, UINT32_MAX, gpus);
    }
    intern_free(names);
    if (failed)
        return -1;
    *culprit = (struct culprit){ FAULT_WHOLE, 0 };
    return nodes ? 0 : error_set(err, "cluster '%s' has no nodes", given->name);
}

/* ---- queues ---- */

static int check_amount(const char *queue, const char *what, int64_t deserved, int64_t limit,
                        struct error *err)
{
    if (deserved < UNLIMITED || limit < UNLIMITED || deserved > QUOTA_PARTS_MAX ||
        limit > QUOTA_PARTS_MAX)
        return error_set(err, "queue '%s': its share of %s is negative or too large", queue, what);
    if (limit != UNLIMITED && deserved > limit)
        return error_set(err, "queue '%s': deserves more %s than its limit allows", queue, what);
    return 0;
}

/* Borrowing and lending limits. */
static int check_sharing(const struct queue_facts *f, struct error *err)
{
    const struct amount *all[] = { &f->cohort.borrowing_limit, &f->cohort.lending_limit };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (check_amount(f->name, "GPUs it may borrow or lend", all[i]->gpu_milli, UNLIMITED,
                         err) ||
            check_amount(f->name, "CPUs it may borrow or lend", all[i]->cpu_milli, UNLIMITED,
                         err) ||
            check_amount(f->name, "memory it may borrow or lend", all[i]->mem_mib, UNLIMITED, err))
            return -1;
    return 0;
}

static int check_pins(const struct cluster_given *given, const struct queue_spec *q, uint32_t *left,
                      struct error *err)
{
    for (size_t i = 0; i < q->n_pins; i++) {
        struct pin_spec pin = q->pins[i];
        if (pin.group >= given->n_groups)
            return error_set(err, "queue '%s': wants nodes of group %u, there are %zu groups",
                             q->facts.name, pin.group, given->n_groups);
        if (pin.count == 0)
            return error_set(err, "queue '%s': wants 0 nodes of group '%s'", q->facts.name,
                             given->group[pin.group].name);
        if (pin.count > left[pin.group])
            return error_set(err, "queue '%s': wants %u nodes of group '%s', %u are left",
                             q->facts.name, pin.count, given->group[pin.group].name,
                             left[pin.group]);
        left[pin.group] -= pin.count;
    }
    return 0;
}

static int check_queue(const struct queue_spec *q, size_t index, size_t n_flavors,
                       struct error *err)
{
    const struct queue_facts *f = &q->facts;
    const struct quota *quota = &f->quota;
    if (!f->name || !*f->name)
        return error_set(err, "a queue has no name");
    if (f->parent != ID_NONE && f->parent >= index)
        return error_set(err, "queue '%s': its parent is not an earlier queue", f->name);
    if (!isfinite(f->weight) || f->weight < 0)
        return error_set(err, "queue '%s': want a weight from 0, got %g", f->name, f->weight);
    if (!isfinite(f->cpu_weight) || f->cpu_weight < 0 || !isfinite(f->mem_weight) ||
        f->mem_weight < 0)
        return error_set(err, "queue '%s': want a cpu_weight and a memory_weight from 0", f->name);
    if (check_amount(f->name, "GPUs", quota->deserved.gpu_milli, quota->limit.gpu_milli, err) ||
        check_amount(f->name, "CPUs", quota->deserved.cpu_milli, quota->limit.cpu_milli, err))
        return -1;
    if (check_amount(f->name, "memory", quota->deserved.mem_mib, quota->limit.mem_mib, err))
        return -1;
    for (uint32_t i = 0; i < f->n_flavor_quotas; i++)
        if (f->flavor_quota[i].flavor >= n_flavors)
            return error_set(err, "queue '%s': wants flavor %u, there are %zu flavors", f->name,
                             f->flavor_quota[i].flavor, n_flavors);
    return check_sharing(f, err);
}

/* A local queue has no queues below it, and no nodes of its own. inner: there are queues below it. */
static int check_local(const struct cluster_given *given, size_t i, bool inner, struct error *err)
{
    const struct queue_spec *q = &given->queue[i];
    queue_id parent = q->facts.parent;
    const struct queue_facts *up = parent == ID_NONE ? NULL : &given->queue[parent].facts;
    bool local = up && up->local_queues != LOCAL_QUEUES_NONE;
    if (q->facts.local_queues != LOCAL_QUEUES_NONE && !inner)
        return error_set(err, "queue '%s': want its local queues below it, got none", q->facts.name);
    if (local && q->n_pins)
        return error_set(err, "queue '%s': a local queue has no nodes of its own", q->facts.name);
    if (local && q->facts.local_queues != LOCAL_QUEUES_NONE)
        return error_set(err, "queue '%s': a local queue has no local queues", q->facts.name);
    if (up && up->parent != ID_NONE &&
        given->queue[up->parent].facts.local_queues != LOCAL_QUEUES_NONE)
        return error_set(err, "queue '%s': want no queues below a local queue", q->facts.name);
    return 0;
}

/* Either no queue has quotas of flavors, or every queue with jobs. */
static int check_flavored(const struct cluster_given *given, const bool *inner,
                          struct culprit *culprit, struct error *err)
{
    size_t with = 0;
    int failed = 0;
    while (with < given->n_queues && !given->queue[with].facts.n_flavor_quotas)
        with++;
    for (size_t i = 0; i < given->n_queues && with < given->n_queues && !failed; i++) {
        if (inner[i] || given->queue[i].facts.n_flavor_quotas)
            continue;
        *culprit = (struct culprit){ FAULT_QUEUE, i };
        failed = error_set(err, "queue '%s': want 'flavors', for queue '%s' has some",
                           given->queue[i].facts.name, given->queue[with].facts.name);
    }
    return failed;
}

/* Those with queues below them. A parent that is none of the queues is no matter here: check_queue() refuses it. */
static bool *inner_queues(const struct cluster_given *given)
{
    bool *inner = mem_new(given->n_queues, sizeof *inner);
    for (size_t i = 0; i < given->n_queues; i++)
        if (given->queue[i].facts.parent < given->n_queues)
            inner[given->queue[i].facts.parent] = true;
    return inner;
}

static int check_queues(const struct cluster_given *given, struct culprit *culprit,
                        struct error *err)
{
    struct intern *names = intern_new();
    uint32_t *left = mem_new(given->n_groups, sizeof *left);
    bool *inner = inner_queues(given);
    for (size_t g = 0; g < given->n_groups; g++)
        left[g] = given->group[g].count;
    int failed = 0;
    for (size_t i = 0; i < given->n_queues && !failed; i++) {
        const struct queue_spec *q = &given->queue[i];
        *culprit = (struct culprit){ FAULT_QUEUE, i };
        failed = check_queue(q, i, given->n_flavors, err) || check_name(names, "queue", q->facts.name, err) ||
                 check_pins(given, q, left, err) || check_local(given, i, inner[i], err);
    }
    if (!failed)
        failed = check_flavored(given, inner, culprit, err);
    free(left);
    free(inner);
    intern_free(names);
    return failed ? -1 : 0;
}

int cluster_check(const struct cluster_given *given, struct culprit *culprit, struct error *err)
{
    *culprit = (struct culprit){ FAULT_WHOLE, 0 };
    if (check_groups(given, culprit, err))
        return -1;
    return check_queues(given, culprit, err);
}
