/* cluster_file.c - see cluster_file.h. */
#include "sim/cluster/cluster_reader.h"

#include "sim/base/memory.h"
#include "sim/cluster/failures_file.h"
#include "sim/cluster/node_list.h"
#include "sim/cluster/pools.h"
#include "sim/cluster/power_file.h"
#include "sim/cluster/rates_file.h"
#include "sim/cluster/reservations/reservations.h"
#include "sim/cluster/site.h"
#include "sim/models/overhead.h"
#include "sim/models/sharing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>


/* ---- the whole file ---- */

struct file_whole {
    const char *name;
    struct config_value nodes, flavors, queues, preemption, failures, storage, gpu_models, node_types, power,
        prices, elastic, sharing;
    struct config_value models, progress, fabric, root, partitions, qos, accounts, reservations, time_limits;
    int64_t period_ns;
    int invalid_dependency, cohort, passes, placement_order;
};

/* all: the queues at the top are below one more, of this name. */
static const char *const cohort_words[] = { "none", "all", NULL };

/* What becomes of a job with a dependency that can never be met: sim/engine/dependencies.h. */
static const char *const invalid_dependency_words[] = { "cancel", "wait", NULL };

/* After all that happens at an instant, or after each event of it: sim/engine/engine.h. */
static const char *const passes_words[] = { "instant", "event", NULL };
static const char *const order_words[] = { "id", "numa", NULL };

/* clang-format off */
#define WHOLE(field) offsetof(struct file_whole, field)
#define SECTION(key) { .name = #key, .type = CONFIG_MAPPING, .at = WHOLE(key) }
#define SECTION_KEYS                                                                                                   \
    { .name = "period_s",   CONFIG_SECONDS,         .at = WHOLE(period_ns) },                                          \
    { .name = "passes",     .type = CONFIG_CHOICE,  .at = WHOLE(passes), .words = passes_words },                      \
    { .name = "placement_order", .type = CONFIG_CHOICE, .at = WHOLE(placement_order), .words = order_words },          \
    { .name = "invalid_dependency", .type = CONFIG_CHOICE, .at = WHOLE(invalid_dependency),                            \
      .words = invalid_dependency_words },                                                                             \
    { .name = "models",     .type = CONFIG_LIST,    .at = WHOLE(models) },                                             \
    SECTION(preemption), SECTION(failures), SECTION(storage), SECTION(progress), SECTION(fabric), SECTION(power),      \
    SECTION(prices), SECTION(elastic), SECTION(sharing), SECTION(time_limits)
static const struct config_key section_keys[] = { SECTION_KEYS, { 0 } };
static const struct config_key whole_keys[] = {
    { .name = "name",       .type = CONFIG_TEXT,    .at = WHOLE(name) },
    { .name = "nodes",      .type = CONFIG_LIST,    .at = WHOLE(nodes), .required = true },
    { .name = "flavors",    .type = CONFIG_LIST,    .at = WHOLE(flavors) },
    { .name = "queues",     .type = CONFIG_LIST,    .at = WHOLE(queues) },
    { .name = "partitions", .type = CONFIG_LIST,    .at = WHOLE(partitions) },
    { .name = "qos",        .type = CONFIG_LIST,    .at = WHOLE(qos) },
    { .name = "accounts",   .type = CONFIG_LIST,    .at = WHOLE(accounts) },
    { .name = "reservations", .type = CONFIG_LIST,  .at = WHOLE(reservations) },
    { .name = "cohort",     .type = CONFIG_CHOICE,  .at = WHOLE(cohort), .words = cohort_words },
    { .name = "gpu_models", .type = CONFIG_LIST,    .at = WHOLE(gpu_models) },
    { .name = "node_types", .type = CONFIG_LIST,    .at = WHOLE(node_types) },
    SECTION_KEYS,
    { 0 },
};
/* clang-format on */

#define TIMED(field) offsetof(struct time_limits, field)
static const struct config_key time_limit_keys[] = {
    { .name = "enforce", .type = CONFIG_FLAG, .at = TIMED(enforce) },
    { .name = "over_s",  CONFIG_SECONDS, .at = TIMED(over_ns) },
    { .name = "check_s", CONFIG_SECONDS, .at = TIMED(check_ns) },
    { .name = "grace_s", CONFIG_SECONDS, .at = TIMED(grace_ns) },
    { 0 },
};

static struct cluster *assemble(struct cluster_reader *r, const struct file_whole *whole,
                                const char *name)
{
    struct cluster_given given = {
        .name = name, .group = r->group, .n_groups = r->n_groups, .queue = r->queue,
        .n_queues = r->n_queues, .catalogue = r->catalogue, .flavor = r->flavor,
        .n_flavors = r->n_flavors, .levels = r->levels, .site_memory = arena_new(),
    };
    struct site_given said = { whole->partitions, whole->qos, whole->accounts, r->group,
                               r->n_groups };
    struct reservations_given kept = { whole->reservations, r->group, r->n_groups, r->queue,
                                       r->n_queues, NULL };
    int result = site_read(&said, given.site_memory, &given.site, r->err);
    kept.site = given.site;
    if (result || reservations_read(&kept, given.site_memory, &given.reservations, r->err)) {
        arena_free(given.site_memory);
        return NULL;
    }
    struct culprit culprit;
    struct error why = { "" };
    struct cluster *c = cluster_assemble(&given, &culprit, &why);
    if (c) {
        r->catalogue = NULL;       /* the cluster owns it now */
        return c;
    }
    arena_free(given.site_memory);
    struct config_value at = whole->nodes;
    if (culprit.part != FAULT_WHOLE)
        at = culprit.part == FAULT_GROUP ? r->group_at[culprit.index] : r->queue_at[culprit.index];
    config_error(at, r->err, "%s", why.text);
    return NULL;
}

/* Sections of models, each optional. Files that they name lie beside `file`. */
static int read_sections(const struct file_whole *whole, const char *file, struct cluster *c,
                         struct error *err)
{
    const char *slash = strrchr(file, '/'),
               *folder = arena_text(c->memory, file, slash ? (size_t)(slash - file) : 0);
    if (overhead_read(whole->preemption, whole->root, &c->overhead, err))
        return -1;
    if (config_given(whole->storage) && storage_read(whole->storage, &c->storage, err))
        return -1;
    c->time_limits.enforce = config_given(whole->time_limits);
    if (config_given(whole->time_limits) &&
        config_fields(whole->time_limits, time_limit_keys, &c->time_limits, err))
        return -1;
    c->pass_per_event = whole->passes > 0;
    c->numa_order = whole->placement_order > 0;
    c->unmet_waits = whole->invalid_dependency > 0;
    c->period_said = whole->period_ns >= 0;
    c->period_ns = c->period_said ? whole->period_ns : 0;
    if (sharing_read(whole->sharing, folder, &c->sharing, c->memory, err))
        return -1;
    if (config_given(whole->failures) && failures_read(whole->failures, c, err))
        return -1;
    if (c->overhead.interval_ns == INTERVAL_AUTO && !c->overhead.node_mtbf_ns &&
        !(c->failures && failures_job_rate(c->failures, 8) > 0))
        return config_error(
            whole->preemption, err,
            "interval_s 'auto' wants a 'node_mtbf_s', or a section 'failures' with some");
    if (power_read(whole->power, c, err) || tariff_read(whole->prices, c, err))
        return -1;
    if (config_given(whole->elastic) && elastic_read(whole->elastic, &c->elastic, c->memory, err))
        return -1;
    return rates_read(whole->progress, whole->fabric, whole->models, folder, c, err);
}

/* What holds, for people and for another run. */
static void keep_settings(struct cluster *c, struct config_value root)
{
    char *text = NULL;
    size_t length;
    FILE *f = mem_stream(&text, &length);
    config_put(root, f, 0);
    mem_stream_end(f, &text);
    c->settings = arena_text(c->memory, text, strlen(text));
    free(text);
    c->section = arena_alloc(c->memory, (config_count(root) + 1) * sizeof *c->section);
    struct config_walk w = { .of = root };
    for (struct config_value v; config_next(&w, &v);) {
        struct error ignored = { "" };
        const char *key = "";
        config_key_text(v, &key, &ignored);
        if (!strcmp(key, "nodes") || !strcmp(key, "queues") || !strcmp(key, "name"))
            continue;
        f = mem_stream(&text, &length);
        config_put_line(v, f);
        mem_stream_end(f, &text);
        c->section[c->n_sections++] = (struct cluster_section){
            arena_text(c->memory, key, strlen(key)), arena_text(c->memory, text, strlen(text))
        };
        free(text);
    }
}

static struct cluster *read_cluster(struct cluster_reader *r, struct config_value root,
                                    const char *file_name)
{
    struct file_whole whole = { .period_ns = -1, .root = root };
    if (config_fields(root, whole_keys, &whole, r->err) ||
        catalogue_read_gpus(r->catalogue, whole.gpu_models, r->err) ||
        catalogue_read_nodes(r->catalogue, whole.node_types, r->err))
        return NULL;
    if (nodes_read(r, whole.nodes))
        return NULL;
    if (config_given(whole.queues) && config_count(whole.queues) == 0) {
        config_error(whole.queues, r->err,
                     "want at least one; without this key they are taken from the trace");
        return NULL;
    }
    if (whole.cohort && !config_given(whole.queues)) {
        config_error(root, r->err, "'cohort: all' wants queues");
        return NULL;
    }
    if (flavors_read(r, whole.flavors) ||
        queues_read(r, whole.queues, whole.cohort ? cohort_words[whole.cohort] : NULL))
        return NULL;
    struct cluster *c = assemble(r, &whole, whole.name ? whole.name : file_name);
    if (c && (read_sections(&whole, r->file, c, r->err) || pools_read(r->group_at, c, r->err))) {
        cluster_free(c);
        return NULL;
    }
    if (c)
        keep_settings(c, root);
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

/* Sections that are added to a list of nodes. */
static int add_sections(struct cluster *c, const char *path, struct config_value root,
                        struct error *err)
{
    struct file_whole whole = { .period_ns = -1, .root = root };
    if (config_fields(root, section_keys, &whole, err) || read_sections(&whole, path, c, err))
        return -1;
    keep_settings(c, root);
    return 0;
}

int cluster_add_sections(struct cluster *c, const char *path, const struct cluster_settings *set,
                         struct error *err)
{
    struct config *config = config_empty(path, err);
    int result = !config || set_all(config, set, err) ||
                         add_sections(c, path, config_root(config), err)
                     ? -1
                     : 0;
    config_free(config);
    return result;
}

static struct cluster *from_values(struct config_value root, const char *file, const char *name,
                                   struct error *err)
{
    struct cluster_reader r = { .group_names = intern_new(),
                                .memory = arena_new(),
                                .catalogue = catalogue_new(),
                                .file = file,
                                .err = err };
    struct cluster *c = read_cluster(&r, root, name);
    catalogue_free(r.catalogue);
    free(r.group);
    free(r.group_at);
    free(r.pinned_by);
    free(r.queue);
    free(r.queue_at);
    intern_free(r.group_names);
    arena_free(r.memory);
    return c;
}

struct cluster *cluster_from_yaml(struct input *in, const char *name,
                                  const struct cluster_settings *set, struct error *err)
{
    struct config *config = config_read(in, err);
    struct cluster *c = config && set_all(config, set, err) == 0
                            ? from_values(config_root(config), input_name(in), name, err)
                            : NULL;
    config_free(config);
    return c;
}

/* ---- opening a file ---- */

/* "a/b/two-teams.yaml.gz" -> "two-teams". The caller frees it. */
static char *name_of_file(const char *path)
{
    static const char *const endings[] = { ".gz", ".zst", ".yaml", ".yml", ".json", ".csv" };
    if (strcmp(path, "-") == 0)
        return mem_text("stdin", strlen("stdin"));
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t n = strlen(endings[i]);
        if (length > n && memcmp(name + length - n, endings[i], n) == 0)
            length -= n;
    }
    return mem_text(name, length);
}

static struct cluster *with(const struct cluster_settings *set, struct cluster *c, const char *path,
                            struct error *err)
{
    if (!c || !set || !set->n || cluster_add_sections(c, path, set, err) == 0)
        return c;
    cluster_free(c);
    return NULL;
}

static struct cluster *read_either(struct input *in, const char *name,
                                   const struct cluster_settings *set, struct error *err)
{
    size_t length;
    const char *head = input_peek(in, &length, err);
    if (!head)
        return NULL;
    if (node_topology_recognise(head, length))
        return with(set, cluster_from_topology(in, name, err), input_name(in), err);
    if (node_list_recognise(head, length))
        return with(set, cluster_from_nodes(in, name, err), input_name(in), err);
    return node_list_refuses(head, length, input_name(in), err)
               ? NULL
               : cluster_from_yaml(in, name, set, err);
}

struct cluster *cluster_read(const char *path, const struct cluster_settings *set, char sha256[65],
                             struct error *err)
{
    struct input *in = input_open(path, err);
    if (!in)
        return NULL;
    char *name = name_of_file(path);
    struct cluster *c = read_either(in, name, set, err);
    if (c && input_sha256(in, sha256, err) != 0) {
        cluster_free(c);
        c = NULL;
    }
    free(name);
    input_close(in);
    return c;
}

struct cluster *cluster_read_settings(struct config_value settings, const char *file,
                                      const char *name, char sha256[65], struct error *err)
{
    if (config_given(config_look(settings, "nodes")))
        return from_values(settings, file, name, err);
    struct cluster *c = cluster_read(file, NULL, sha256, err);
    if (!c || !config_given(settings) || add_sections(c, file, settings, err) == 0)
        return c;
    cluster_free(c);
    return NULL;
}
