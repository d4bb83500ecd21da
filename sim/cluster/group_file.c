/* group_file.c - groups of nodes of a cluster file: see cluster_reader.h. */
#include "sim/cluster/cluster_reader.h"

#include "sim/base/memory.h"
#include "sim/base/suggest.h"
#include "sim/cluster/labels.h"
#include "sim/cluster/pools.h"

#include <stdio.h>
#include <string.h>

#define GIB_MOST  1000000         /* a PiB, of a node or a GPU */
#define CPUS_MOST 1000000

struct file_group { /* one entry of `nodes` */
    struct group_spec spec;
    const char *type;
    int64_t gpu_mem_mib; /* -1: not given */
    struct config_value pool;
    struct config_value labels, taints, mig;
    int mig_strategy; /* -1: not given */
    struct config_value levels;
    const char *joins;
};

/* clang-format off */
#define GROUP(field) offsetof(struct file_group, field)
#define COUNT        .type = CONFIG_COUNT
#define PARTS        .type = CONFIG_PARTS
#define UNMODELLED   .word = "unlimited", .word_value = INT64_MAX
enum { MIG_MIXED, MIG_SINGLE, MIG_DYNAMIC };
static const char *const mig_words[] = { [MIG_MIXED] = "mixed", [MIG_SINGLE] = "single", [MIG_DYNAMIC] = "dynamic", NULL };
static const struct config_key group_keys[] = {
    { .name = "group",          .type = CONFIG_TEXT, .at = GROUP(spec.name), .required = true },
    { .name = "count",          COUNT, .at = GROUP(spec.count), .least = 1, .most = CLUSTER_NODES_MAX, .required = true },
    { .name = "type",           .type = CONFIG_TEXT, .at = GROUP(type) },
    { .name = "gpu_model",      .type = CONFIG_TEXT, .at = GROUP(spec.gpu_model) },
    { .name = "gpus",           COUNT, .at = GROUP(spec.gpus), .most = CLUSTER_NODE_GPUS_MAX },
    { .name = "counted",        .type = CONFIG_FLAG, .at = GROUP(spec.counted) },
    { .name = "island_gpus",    COUNT, .at = GROUP(spec.island_gpus), .most = CLUSTER_NODE_GPUS_MAX },
    { .name = "numa_nodes",     COUNT, .at = GROUP(spec.numa_nodes), .least = 1, .most = NAMED_GPUS_MAX },
    { .name = "gpu_memory_gib", PARTS, .at = GROUP(gpu_mem_mib), .scale = 1024, .above_least = true, .most = GIB_MOST },
    { .name = "cpus",           PARTS, .at = GROUP(spec.cpu_milli), .scale = 1000, .most = CPUS_MOST, UNMODELLED },
    { .name = "memory_gib",     PARTS, .at = GROUP(spec.mem_mib), .scale = 1024, .most = GIB_MOST, UNMODELLED },
    { .name = "nodes_per_rack", COUNT, .at = GROUP(spec.nodes_per_rack), .least = 1, .most = CLUSTER_NODES_MAX },
    { .name = "levels",         .type = CONFIG_MAPPING, .at = GROUP(levels) },
    { .name = "labels",         .type = CONFIG_MAPPING, .at = GROUP(labels) },
    { .name = "taints",         .type = CONFIG_LIST, .at = GROUP(taints) },
    { .name = "mig",            .type = CONFIG_MAPPING, .at = GROUP(mig) },
    { .name = "mig_strategy",   .type = CONFIG_CHOICE, .at = GROUP(mig_strategy), .words = mig_words },
    { .name = "pool",           .type = CONFIG_MAPPING, .at = GROUP(pool) },
    { .name = "racks_per_pod",  COUNT, .at = GROUP(spec.racks_per_pod), .least = 1, .most = CLUSTER_NODES_MAX },
    { .name = "weight",         COUNT, .at = GROUP(spec.weight), .least = 1, .most = 1000000000 },
    { .name = "joins",          .type = CONFIG_TEXT, .at = GROUP(joins) },
    { .name = "nics",           COUNT, .at = GROUP(spec.nics.nics), .least = 1, .most = NAMED_GPUS_MAX },
    { .name = "nic_gbps",       .type = CONFIG_REAL, .at = GROUP(spec.nics.gbps), .above_least = true, .most = 1000000 },
    { 0 },
};
static const struct config_key instances_key = { COUNT, .least = 1, .most = NAMED_GPUS_MAX };
static const struct config_key level_key = { COUNT, .least = 1, .most = CLUSTER_NODES_MAX };
/* clang-format on */

/* Defaults from the catalogue entry of the type; the other keys of the group then override them. */
static int group_from_type(struct file_group *g, const struct catalogue *known,
                           struct config_value type, struct error *err)
{
    const struct config_key as_text = { .type = CONFIG_TEXT };
    const char *name = NULL;
    if (config_scalar(type, &as_text, &name, err))
        return -1;
    const struct node_design *d = catalogue_node(known, name), *other;
    if (!d) {
        struct suggestion near = { .typed = name };
        for (uint32_t i = 0; (other = catalogue_node_at(known, i)); i++)
            suggest_offer(&near, other->name);
        return config_error(type, err, "no node type '%s' in the catalogue%s%s%s", name,
                            near.best ? ", did you mean '" : "", near.best ? near.best : "",
                            near.best ? "'?" : "");
    }
    g->spec = (struct group_spec){
        .gpu_model = d->gpu_model,
        .gpus = d->gpus,
        .island_gpus = d->island_gpus,
        .numa_nodes = d->numa_nodes,
        .cpu_milli = d->cpus * INT64_C(1000),
        .mem_mib = d->memory_gib * INT64_C(1024),
        .nodes_per_rack = d->nodes_per_rack,
        .design = d,
        .nics = { d->nics, d->nic_gbps },
    };
    return 0;
}

int texts_read(struct cluster_reader *r, struct config_value from, enum texts what, const char **to)
{
    static const char *(*const wrong_of[])(const char *) = { labels_wrong, taints_wrong,
                                                             tolerations_wrong };
    bool keys = what == TEXT_LABELS;
    const struct config_key as_text = { .type = CONFIG_TEXT };
    struct config_walk w = { .of = from };
    for (struct config_value v; config_next(&w, &v);) {
        const char *key = "", *value = NULL, *before = *to ? *to : "";
        if ((keys && config_key_text(v, &key, r->err)) ||
            config_scalar(v, &as_text, &value, r->err))
            return -1;
        size_t size = strlen(before) + strlen(key) + strlen(value) + 3;
        char *text = arena_alloc(r->memory, size);
        snprintf(text, size, "%s%s%s%s%s", before, *before ? ";" : "", key, keys ? "=" : "", value);
        const char *wrong = wrong_of[what](text);
        if (wrong)
            return config_error(v, r->err, "want %s, got '%s'",
                                keys ? "a name without = ! < > & | ; : * , and spaces" : wrong,
                                value);
        *to = text;
    }
    return 0;
}

/* Profiles and the number of instances of each on a node. */
static int read_mig(struct cluster_reader *r, const struct file_group *from,
                    struct config_value entry, struct group_spec *to)
{
    struct mig_spec *mig = arena_alloc(r->memory, (config_count(from->mig) + 1) * sizeof *mig);
    struct config_walk w = { .of = from->mig };
    to->mig_dynamic = from->mig_strategy == MIG_DYNAMIC;
    if (to->mig_dynamic && config_given(from->mig))
        return config_error(
            from->mig, r->err,
            "want no instances beside mig_strategy dynamic: they are made as jobs ask");
    if (config_given(from->mig) ? config_count(from->mig) == 0
                                : from->mig_strategy >= 0 && !to->mig_dynamic)
        return config_error(config_given(from->mig) ? from->mig : entry, r->err,
                            "want MIG instances: mig: { 1g.10gb: 7 }");
    for (struct config_value v; config_next(&w, &v); to->n_mig++) {
        const char *name = NULL;
        if (config_key_text(v, &name, r->err) ||
            config_scalar(v, &instances_key, &mig[to->n_mig].count, r->err))
            return -1;
        mig[to->n_mig].profile = mig_profile(name);
        if (!mig[to->n_mig].profile)
            return config_error(v, r->err, "want " MIG_WANTED ", got '%.100s'", name);
    }
    to->mig = to->n_mig ? mig : NULL;
    to->mig_single = from->mig_strategy == MIG_SINGLE;
    return 0;
}

/* ---- levels above the node ---- */

/* The k-th of a group has this name: as in the groups before, if one of them has as many. */
static int name_level(struct cluster_reader *r, uint32_t k, const char *name,
                      struct config_value at)
{
    enum level word = level_word(name, strlen(name));
    if (!level_is_name(name, strlen(name)))
        return config_error(at, r->err,
                            "want the name of a level: a letter, then letters, digits, '-', '_' "
                            "and '.', at most %d in all; got '%.100s'",
                            LEVEL_NAME_MAX, name);
    if (word != LEVEL_ANY && (word != LEVEL_RACK + k || word > LEVEL_POD))
        return config_error(at, r->err,
                            "want another name for level %u above the node: 'rack' is the first, "
                            "'pod' the second, and island, numa, node and cluster are others",
                            k + 1);
    if (k < r->levels.n && strcmp(r->levels.name[k], name) != 0)
        return config_error(at, r->err,
                            "want '%s' as level %u above the node, as in a group before",
                            r->levels.name[k], k + 1);
    if (k == r->levels.n)
        r->levels.name[r->levels.n++] = name;
    return 0;
}

/* The innermost first: how many of the one before it each holds, of the first how many nodes. */
static int read_levels(struct cluster_reader *r, struct file_group *g, struct config_value entry)
{
    struct config_walk w = { .of = g->levels };
    size_t n = config_count(g->levels);
    uint32_t k = 0;
    if (!config_given(g->levels))
        return 0;
    if (config_given(config_look(entry, "nodes_per_rack")) ||
        config_given(config_look(entry, "racks_per_pod")))
        return config_error(g->levels, r->err,
                            "want either 'levels' or 'nodes_per_rack' and 'racks_per_pod'");
    if (n < 1 || n > LEVELS_ABOVE_NODE)
        return config_error(g->levels, r->err,
                            "want from 1 to %d levels above the node, the innermost first: { rack: "
                            "8, pod: 4, zone: 2 }; got %zu",
                            LEVELS_ABOVE_NODE, n);
    for (struct config_value v; config_next(&w, &v); k++) {
        const char *name = NULL;
        uint32_t *to = k == 0   ? &g->spec.nodes_per_rack
                       : k == 1 ? &g->spec.racks_per_pod
                                : &g->spec.further[k - 2];
        if (config_key_text(v, &name, r->err) || name_level(r, k, name, v) ||
            config_scalar(v, &level_key, to, r->err))
            return -1;
    }
    return 0;
}

/* The level of the group before that it goes on with. */
static int read_joins(struct cluster_reader *r, struct file_group *g, struct config_value entry)
{
    const struct level_names *names = r->levels.n ? &r->levels : &level_names_usual;
    enum level l = level_find(names, g->joins, strlen(g->joins));
    char list[LEVEL_LIST_MAX];
    bool none = !strcmp(g->joins, "none");
    if (!none && (l < LEVEL_RACK || l >= LEVEL_CLUSTER))
        return config_error(config_look(entry, "joins"), r->err,
                            "want none, or a level above the node of %s; got '%.100s'",
                            level_list(names, list), g->joins);
    g->spec.joins = none ? 0 : (uint8_t)l;
    return 0;
}

static int read_group(struct cluster_reader *r, struct config_value entry)
{
    struct file_group g = {
        .gpu_mem_mib = -1,
        .mig_strategy = -1,
        .joins = "none",
        .spec = { .gpus = UINT32_MAX, .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX },
    };
    struct config_value type = config_look(entry, "type");
    if (config_given(type) && group_from_type(&g, r->catalogue, type, r->err))
        return -1;
    if (config_fields(entry, group_keys, &g, r->err))
        return -1;
    if (g.spec.gpus == UINT32_MAX)
        return config_error(entry, r->err, "group '%s': want a 'type' or the number of 'gpus'",
                            g.spec.name);
    if (g.spec.island_gpus == ISLAND_IS_NODE)
        g.spec.island_gpus = g.spec.gpus;
    const struct gpu_model *known =
        g.spec.gpu_model ? catalogue_gpu(r->catalogue, g.spec.gpu_model) : NULL;
    if (g.gpu_mem_mib >= 0)
        g.spec.gpu_mem_mib = (uint32_t)g.gpu_mem_mib;
    else if (known)
        g.spec.gpu_mem_mib = known->mem_gib * 1024;
    if (texts_read(r, g.labels, TEXT_LABELS, &g.spec.labels) ||
        texts_read(r, g.taints, TEXT_TAINTS, &g.spec.taints) || read_mig(r, &g, entry, &g.spec) ||
        read_levels(r, &g, entry) || read_joins(r, &g, entry))
        return -1;
    intern_add(r->group_names, g.spec.name, strlen(g.spec.name));
    r->group_at[r->n_groups] = entry;
    r->group[r->n_groups++] = g.spec;
    return 0;
}

int nodes_read(struct cluster_reader *r, struct config_value list)
{
    size_t n = config_count(list);
    r->pinned_by = mem_new(n, sizeof *r->pinned_by);
    r->group = mem_new(n, sizeof *r->group);
    r->group_at = mem_new(n, sizeof *r->group_at);
    struct config_walk w = { .of = list };
    for (struct config_value entry; config_next(&w, &entry);)
        if (read_group(r, entry))
            return -1;
    for (; r->levels.n && r->levels.n < level_names_usual.n; r->levels.n++)
        r->levels.name[r->levels.n] = level_names_usual.name[r->levels.n];
    return 0;
}
