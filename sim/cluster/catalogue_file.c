/* catalogue_file.c - sections `gpu_models` and `node_types` of a cluster file: what they add to the catalogue. */
#include "sim/base/memory.h"
#include "sim/cluster/catalogue.h"

#include <stdlib.h>
#include <string.h>

#define ADDED_SOURCE "cluster file"

struct catalogue {
    struct gpu_model **gpu;       /* each where it stays */
    struct node_design **node;
    size_t n_gpus, n_nodes, gpus_room, nodes_room;
    struct arena *memory;
};

struct catalogue *catalogue_new(void)
{
    struct catalogue *c = mem_new(1, sizeof *c);
    c->memory = arena_new();
    return c;
}

void catalogue_free(struct catalogue *c)
{
    if (!c)
        return;
    arena_free(c->memory);
    free(c->gpu);
    free(c->node);
    free(c);
}

const struct gpu_model *catalogue_gpu(const struct catalogue *c, const char *name)
{
    for (size_t i = c ? c->n_gpus : 0; i-- > 0;)
        if (strcmp(c->gpu[i]->name, name) == 0)
            return c->gpu[i];
    return gpu_model_find(name);
}

const struct node_design *catalogue_node(const struct catalogue *c, const char *name)
{
    for (size_t i = c ? c->n_nodes : 0; i-- > 0;)
        if (strcmp(c->node[i]->name, name) == 0)
            return c->node[i];
    return node_design_find(name);
}

const struct node_design *catalogue_node_at(const struct catalogue *c, uint32_t i)
{
    size_t own = c ? c->n_nodes : 0;
    if (i < own)
        return c->node[i];
    const struct node_design *d = node_catalogue;
    for (size_t left = i - own; d->name && left > 0; left--)
        d++;
    return d->name ? d : NULL;
}

/* ---- reading ---- */

struct file_gpu {
    struct gpu_model m;
    const char *like;
};
struct file_node {
    struct node_design d;
    const char *like;
};
/* clang-format off */
#define GPU(field)  offsetof(struct file_gpu, field)
#define NODE(field) offsetof(struct file_node, field)
#define AMOUNT      .type = CONFIG_REAL, .most = 1000000
#define COUNT       .type = CONFIG_COUNT
static const struct config_key gpu_keys[] = {
    { .name = "name",              .type = CONFIG_TEXT, .at = GPU(m.name), .required = true },
    { .name = "like",              .type = CONFIG_TEXT, .at = GPU(like) },
    { .name = "mem_gib",           COUNT,  .at = GPU(m.mem_gib), .least = 1, .most = 1000000 },
    { .name = "mem_gbps",          AMOUNT, .at = GPU(m.mem_gbps) },
    { .name = "nvlink_generation", COUNT,  .at = GPU(m.nvlink_generation), .most = 100 },
    { .name = "nvlink_gbps",       AMOUNT, .at = GPU(m.nvlink_gbps) },
    { .name = "pcie_gbps",         AMOUNT, .at = GPU(m.pcie_gbps) },
    { .name = "tdp_w",             AMOUNT, .at = GPU(m.tdp_w) },
    { .name = "idle_w",            AMOUNT, .at = GPU(m.idle_w) },
    { .name = "dense_tflops",      AMOUNT, .at = GPU(m.dense_tflops) },
    { .name = "kappa",             AMOUNT, .at = GPU(m.kappa), .above_least = true },
    { .name = "mig_slices",        COUNT,  .at = GPU(m.mig_slices), .most = 64 },
    { .name = "price_usd_per_h",   AMOUNT, .at = GPU(m.price_usd_per_h) },
    { 0 },
};
static const struct config_key node_keys[] = {
    { .name = "name",           .type = CONFIG_TEXT, .at = NODE(d.name), .required = true },
    { .name = "like",           .type = CONFIG_TEXT, .at = NODE(like) },
    { .name = "gpu_model",      .type = CONFIG_TEXT, .at = NODE(d.gpu_model) },
    { .name = "gpus",           COUNT,  .at = NODE(d.gpus), .most = 1000000 },
    { .name = "island_gpus",    COUNT,  .at = NODE(d.island_gpus), .most = 1000000 },
    { .name = "numa_nodes",     COUNT,  .at = NODE(d.numa_nodes), .least = 1, .most = 64 },
    { .name = "cpus",           COUNT,  .at = NODE(d.cpus), .most = 1000000 },
    { .name = "memory_gib",     COUNT,  .at = NODE(d.memory_gib), .most = 1000000 },
    { .name = "nodes_per_rack", COUNT,  .at = NODE(d.nodes_per_rack), .most = 10000000 },
    { .name = "nics",           COUNT,  .at = NODE(d.nics), .most = 1000 },
    { .name = "nic_gbps",       AMOUNT, .at = NODE(d.nic_gbps) },
    { .name = "idle_w",         AMOUNT, .at = NODE(d.idle_w) },
    { .name = "most_w",         AMOUNT, .at = NODE(d.most_w) },
    { 0 },
};
/* clang-format on */

/* The name that an entry starts from: what it is like, or itself. *asked: it says so, and it has to be known. */
static int starts_from(struct config_value entry, const char **name, struct config_value *asked, struct error *err)
{
    const struct config_key as_text = { .type = CONFIG_TEXT };
    *asked = config_look(entry, "like");
    struct config_value v = config_given(*asked) ? *asked : config_look(entry, "name");
    return config_given(v) ? config_scalar(v, &as_text, name, err) : 0;
}

static const char *keep(struct catalogue *c, const char *text)
{
    return text ? arena_text(c->memory, text, strlen(text)) : NULL;
}

static int read_gpu(struct catalogue *c, struct config_value entry, struct error *err)
{
    struct file_gpu f = { .m = { .kappa = 1 } };
    struct config_value asked;
    const char *name = NULL;
    if (starts_from(entry, &name, &asked, err))
        return -1;
    const struct gpu_model *from = name ? catalogue_gpu(c, name) : NULL;
    if (config_given(asked) && !from)
        return config_error(asked, err, "no GPU model '%s' in the catalogue", name);
    if (from)
        f.m = *from;
    if (config_fields(entry, gpu_keys, &f, err))
        return -1;
    f.m.name = keep(c, f.m.name);
    f.m.source = ADDED_SOURCE;
    mem_grow(&c->gpu, &c->gpus_room, c->n_gpus, sizeof(struct gpu_model *));
    c->gpu[c->n_gpus] = arena_alloc(c->memory, sizeof f.m);
    *c->gpu[c->n_gpus++] = f.m;
    return 0;
}

static int read_node(struct catalogue *c, struct config_value entry, struct error *err)
{
    struct file_node f = { .d = { .numa_nodes = 1 } };
    struct config_value asked;
    const char *name = NULL;
    if (starts_from(entry, &name, &asked, err))
        return -1;
    const struct node_design *from = name ? catalogue_node(c, name) : NULL;
    if (config_given(asked) && !from)
        return config_error(asked, err, "no node type '%s' in the catalogue", name);
    if (from)
        f.d = *from;
    if (config_fields(entry, node_keys, &f, err))
        return -1;
    f.d.name = keep(c, f.d.name);
    f.d.gpu_model = keep(c, f.d.gpu_model);
    f.d.source = ADDED_SOURCE;
    mem_grow(&c->node, &c->nodes_room, c->n_nodes, sizeof(struct node_design *));
    c->node[c->n_nodes] = arena_alloc(c->memory, sizeof f.d);
    *c->node[c->n_nodes++] = f.d;
    return 0;
}

int catalogue_read_gpus(struct catalogue *c, struct config_value list, struct error *err)
{
    struct config_walk w = { .of = list };
    for (struct config_value entry; config_next(&w, &entry);)
        if (read_gpu(c, entry, err))
            return -1;
    return 0;
}

int catalogue_read_nodes(struct catalogue *c, struct config_value list, struct error *err)
{
    struct config_walk w = { .of = list };
    for (struct config_value entry; config_next(&w, &entry);)
        if (read_node(c, entry, err))
            return -1;
    return 0;
}
