/* cluster_file.c - a cluster from a YAML file: its keys, and one section after the other. */
#include "sim/cluster/cluster_file.h"
#include "sim/base/memory.h"
#include "sim/cluster/catalogue.h"
#include "sim/cluster/cluster_file_parts.h"
#include "sim/cluster/cluster_parts.h"
#include "sim/cluster/failures_file.h"
#include "sim/models/network/rate_rules.h"
#include "sim/models/training/training_models.h"
#include "sim/models/overhead.h"
#include "sim/cluster/pools.h"
#include "sim/cluster/power_file.h"
#include "sim/models/sharing_file.h"

#include <stdlib.h>
#include <string.h>

struct file_whole {
    const char *name;
    struct config_value nodes, queues, preemption, failures, storage, gpu_models, node_types, power, prices, elastic, sharing;
    struct config_value models, progress, fabric;
    int64_t period_ns;
};

/* clang-format off */
#define WHOLE(field) offsetof(struct file_whole, field)
#define SECTION(key) { .name = #key, .type = CONFIG_MAPPING, .at = WHOLE(key) }
#define SECTION_KEYS                                                                                                   \
    { .name = "period_s",   SECONDS,                .at = WHOLE(period_ns) },                                          \
    { .name = "models",     .type = CONFIG_LIST,    .at = WHOLE(models) },                                             \
    SECTION(preemption), SECTION(failures), SECTION(storage), SECTION(progress), SECTION(fabric), SECTION(power),      \
    SECTION(prices), SECTION(elastic), SECTION(sharing)
static const struct config_key section_keys[] = { SECTION_KEYS, { 0 } };
static const struct config_key whole_keys[] = {
    { .name = "name",       .type = CONFIG_TEXT,    .at = WHOLE(name) },
    { .name = "nodes",      .type = CONFIG_LIST,    .at = WHOLE(nodes), .required = true },
    { .name = "queues",     .type = CONFIG_LIST,    .at = WHOLE(queues) },
    { .name = "gpu_models", .type = CONFIG_LIST,    .at = WHOLE(gpu_models) },
    { .name = "node_types", .type = CONFIG_LIST,    .at = WHOLE(node_types) },
    SECTION_KEYS,
    { 0 },
};
/* clang-format on */

static struct cluster *assemble(struct cluster_reader *r, const struct file_whole *whole, const char *name)
{
    struct cluster_given given = { name, r->group, r->n_groups, r->queue, r->n_queues, r->catalogue };
    struct culprit culprit;
    struct error why = { "" };
    struct cluster *c = cluster_assemble(&given, &culprit, &why);
    if (c) {
        r->catalogue = NULL;       /* it is the cluster's now */
        return c;
    }
    struct config_value at = whole->nodes;
    if (culprit.part != FAULT_WHOLE)
        at = culprit.part == FAULT_GROUP ? r->group_at[culprit.index] : r->queue_at[culprit.index];
    config_error(at, r->err, "%s", why.text);
    return NULL;
}

/* Training models, and how placements make them fast or slow. */
static int read_rates(const struct file_whole *whole, const char *folder, struct cluster *c, struct error *err)
{
    struct rate_rules *rules = rate_rules_read(whole->progress, whole->fabric, folder, err);
    struct error why = { "" };
    c->models = training_models_new();
    if (config_given(whole->progress))
        c->rates = rules;
    else
        rate_rules_free(rules);
    if (!rules || training_models_read(c->models, whole->models, err))
        return -1;
    return c->rates && rate_rules_check(c->rates, c, &why) ? config_error(whole->progress, err, "%s", why.text) : 0;
}

/* Parts of the physical world: each absent or read by a file of its own. Files that they name lie beside `file`. */
static int read_sections(const struct file_whole *whole, const char *file, struct cluster *c, struct error *err)
{
    const char *slash = strrchr(file, '/'), *folder = arena_text(c->memory, file, slash ? (size_t)(slash - file) : 0);
    if (overhead_read(whole->preemption, &c->overhead, err))
        return -1;
    if (config_given(whole->storage) && storage_read(whole->storage, &c->storage, err))
        return -1;
    c->period_said = whole->period_ns >= 0;
    c->period_ns = c->period_said ? whole->period_ns : 0;
    if (sharing_read(whole->sharing, folder, &c->sharing, c->memory, err))
        return -1;
    if (config_given(whole->failures) && failures_read(whole->failures, c, err))
        return -1;
    if (c->overhead.interval_ns == INTERVAL_AUTO && !c->overhead.node_mtbf_ns && !(c->failures && failures_job_rate(c->failures, 8) > 0))
        return config_error(whole->preemption, err, "interval_s 'auto' wants a 'node_mtbf_s', or a section 'failures' with some");
    if (power_read(whole->power, c, err) || tariff_read(whole->prices, c, err))
        return -1;
    if (config_given(whole->elastic) && elastic_read(whole->elastic, &c->elastic, c->memory, err))
        return -1;
    return read_rates(whole, folder, c, err);
}

static struct cluster *read_cluster(struct cluster_reader *r, struct config *config, const char *file_name)
{
    struct file_whole whole = { .period_ns = -1 };
    if (config_fields(config_root(config), whole_keys, &whole, r->err) ||
        catalogue_read_gpus(r->catalogue, whole.gpu_models, r->err) ||
        catalogue_read_nodes(r->catalogue, whole.node_types, r->err))
        return NULL;
    if (nodes_read(r, whole.nodes))
        return NULL;
    if (config_given(whole.queues) && config_count(whole.queues) == 0) {
        config_error(whole.queues, r->err, "want at least one; without this key they are taken from the trace");
        return NULL;
    }
    if (queues_read(r, whole.queues, ID_NONE))
        return NULL;
    struct cluster *c = assemble(r, &whole, whole.name ? whole.name : file_name);
    if (c && (read_sections(&whole, input_name(r->in), c, r->err) || pools_read(r->group_at, c, r->err))) {
        cluster_free(c);
        c = NULL;
    }
    return c;
}

static int set_all(struct config *config, const struct cluster_settings *set, struct error *err)
{
    int result = 0;
    for (size_t i = 0; set && i < set->n && result == 0; i++) {
        const char *text = set->text[i], *equals = strchr(text, '=');
        if (!equals || equals == text)
            return error_set(err, "--set: want KEY=VALUE, got '%.100s'", text);
        char *key = mem_text(text, (size_t)(equals - text));
        result = config_set(config, key, equals + 1, err);
        free(key);
    }
    return result;
}

int cluster_add_sections(struct cluster *c, const char *path, const struct cluster_settings *set, struct error *err)
{
    struct file_whole whole = { .period_ns = -1 };
    struct config *config = config_empty(path, err);
    int result = !config || set_all(config, set, err) || config_fields(config_root(config), section_keys, &whole, err) ||
                 read_sections(&whole, path, c, err) ? -1 : 0;
    config_free(config);
    return result;
}

struct cluster *cluster_from_yaml(struct input *in, const char *name, const struct cluster_settings *set, struct error *err)
{
    struct config *config = config_read(in, err);
    if (config && set_all(config, set, err)) {
        config_free(config);
        return NULL;
    }
    if (!config)
        return NULL;
    struct cluster_reader r = { .group_names = intern_new(), .memory = arena_new(), .catalogue = catalogue_new(), .in = in, .err = err };
    struct cluster *c = read_cluster(&r, config, name);
    catalogue_free(r.catalogue);
    free(r.group);
    free(r.group_at);
    free(r.pinned_by);
    free(r.queue);
    free(r.queue_at);
    intern_free(r.group_names);
    arena_free(r.memory);
    config_free(config);
    return c;
}
