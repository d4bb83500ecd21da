/* cluster_file.c - see cluster_file.h. */
#include "sim/cluster/cluster_file.h"

#include "sim/base/memory.h"
#include "sim/base/suggest.h"
#include "sim/cluster/catalogue.h"
#include "sim/cluster/failures_file.h"
#include "sim/cluster/labels.h"
#include "sim/cluster/node_list.h"
#include "sim/cluster/pools.h"
#include "sim/cluster/power_file.h"
#include "sim/cluster/rates_file.h"
#include "sim/models/overhead.h"
#include "sim/models/sharing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIME_MOST_S INT64_C(3153600000)    /* 100 years of 365 days, as in workload.h */
#define SECONDS     .type = CONFIG_PARTS, .scale = NS_PER_S, .most = TIME_MOST_S

struct cluster_reader {
    struct group_spec *group;
    struct config_value *group_at, *queue_at;    /* their places, for messages */
    struct queue_spec *queue;
    size_t n_groups, n_queues, queue_room, queue_at_room;
    struct intern *group_names;   /* number of each group */
    queue_id *pinned_by;          /* [groups] the last queue with it, plus 1: a duplicate key */
    struct catalogue *catalogue;
    const char *file;             /* other files are named beside it */
    struct arena *memory;
    struct error *err;
};

/* ---- nodes ---- */

#define GIB_MOST  1000000         /* a PiB, of a node or a GPU */
#define CPUS_MOST 1000000

struct file_group { /* one entry of `nodes` */
    struct group_spec spec;
    const char *type;
    int64_t gpu_mem_mib; /* -1: not given */
    struct config_value pool;
    struct config_value labels, taints, mig;
    int mig_strategy; /* -1: not given */
    int joins;
};

/* clang-format off */
#define GROUP(field) offsetof(struct file_group, field)
#define COUNT        .type = CONFIG_COUNT
#define PARTS        .type = CONFIG_PARTS
#define UNMODELLED   .word = "unlimited", .word_value = INT64_MAX
enum { MIG_MIXED, MIG_SINGLE, MIG_DYNAMIC };
static const char *const mig_words[] = { [MIG_MIXED] = "mixed", [MIG_SINGLE] = "single", [MIG_DYNAMIC] = "dynamic", NULL };
static const char *const joins_words[] = { "none", "rack", "pod", NULL };
static const uint8_t joins_level[] = { 0, LEVEL_RACK, LEVEL_POD };
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
    { .name = "labels",         .type = CONFIG_MAPPING, .at = GROUP(labels) },
    { .name = "taints",         .type = CONFIG_LIST, .at = GROUP(taints) },
    { .name = "mig",            .type = CONFIG_MAPPING, .at = GROUP(mig) },
    { .name = "mig_strategy",   .type = CONFIG_CHOICE, .at = GROUP(mig_strategy), .words = mig_words },
    { .name = "pool",           .type = CONFIG_MAPPING, .at = GROUP(pool) },
    { .name = "racks_per_pod",  COUNT, .at = GROUP(spec.racks_per_pod), .least = 1, .most = CLUSTER_NODES_MAX },
    { .name = "joins",          .type = CONFIG_CHOICE, .at = GROUP(joins), .words = joins_words },
    { .name = "nics",           COUNT, .at = GROUP(spec.nics.nics), .least = 1, .most = NAMED_GPUS_MAX },
    { .name = "nic_gbps",       .type = CONFIG_REAL, .at = GROUP(spec.nics.gbps), .above_least = true, .most = 1000000 },
    { 0 },
};
static const struct config_key instances_key = { COUNT, .least = 1, .most = NAMED_GPUS_MAX };
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

/* A mapping of labels, or a list of taints, as a text of labels.h. */
static int read_texts(struct cluster_reader *r, struct config_value from, bool keys,
                      const char **to)
{
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
        const char *wrong = keys ? labels_wrong(text) : taints_wrong(text);
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

static int read_group(struct cluster_reader *r, struct config_value entry)
{
    struct file_group g = {
        .gpu_mem_mib = -1,
        .mig_strategy = -1,
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
    if (read_texts(r, g.labels, true, &g.spec.labels) ||
        read_texts(r, g.taints, false, &g.spec.taints) || read_mig(r, &g, entry, &g.spec))
        return -1;
    intern_add(r->group_names, g.spec.name, strlen(g.spec.name));
    r->group_at[r->n_groups] = entry;
    g.spec.joins = joins_level[g.joins];
    r->group[r->n_groups++] = g.spec;
    return 0;
}

static int nodes_read(struct cluster_reader *r, struct config_value list)
{
    size_t n = config_count(list);
    r->pinned_by = mem_new(n, sizeof *r->pinned_by);
    r->group = mem_new(n, sizeof *r->group);
    r->group_at = mem_new(n, sizeof *r->group_at);
    struct config_walk w = { .of = list };
    for (struct config_value entry; config_next(&w, &entry);)
        if (read_group(r, entry))
            return -1;
    return 0;
}

/* ---- queues ---- */

#define QUOTA_MOST     INT64_C(1000000000000)
#define DESERVED_UNSAID (UNLIMITED - 1)
#define QUEUE_PRIORITY 100                 /* schedulers.md b: the default of run:ai's queues */

struct file_queue { /* one entry of `queues` */
    struct queue_facts facts;
    struct config_value pins, preemption, children;
};

/* clang-format off */
#define QUEUE(field) offsetof(struct file_queue, facts.field)
#define RULE(field)  offsetof(struct cohort_rules, field)
#define QUOTA        .type = CONFIG_PARTS, .most = QUOTA_MOST, .word = "unlimited", .word_value = UNLIMITED
static const char *const queueing_words[] = {
    [BEST_EFFORT_FIFO] = "best-effort-fifo", [STRICT_FIFO] = "strict-fifo", NULL,
};
static const char *const within_queue_words[] = {
    [WITHIN_NEVER] = "never", [WITHIN_LOWER_PRIORITY] = "lower-priority",
    [WITHIN_LOWER_OR_NEWER_EQUAL] = "lower-or-newer-equal", NULL,
};
static const char *const reclaim_words[] = {
    [RECLAIM_NEVER] = "never", [RECLAIM_LOWER_PRIORITY] = "lower-priority", [RECLAIM_ANY] = "any", NULL,
};
static const char *const borrow_words[] = {
    [BORROW_NEVER] = "never", [BORROW_LOWER_PRIORITY] = "lower-priority", NULL,
};
static const struct config_key queue_preemption_keys[] = {
    { .name = "within_queue",          .type = CONFIG_CHOICE, .at = RULE(within_queue), .words = within_queue_words },
    { .name = "reclaim_within_cohort", .type = CONFIG_CHOICE, .at = RULE(reclaim), .words = reclaim_words },
    { .name = "borrow_within_cohort",  .type = CONFIG_CHOICE, .at = RULE(borrow), .words = borrow_words },
    { .name = "borrow_priority_threshold", .type = CONFIG_INTEGER, .at = RULE(borrow_priority_threshold),
      .least = INT32_MIN, .most = INT32_MAX },
    { 0 },
};
static const struct config_key queue_keys[] = {
    { .name = "name",                .type = CONFIG_TEXT, .at = QUEUE(name), .required = true },
    { .name = "deserved_gpus",       QUOTA, .at = QUEUE(quota.deserved.gpu_milli), .scale = 1000 },
    { .name = "deserved_cpus",       QUOTA, .at = QUEUE(quota.deserved.cpu_milli), .scale = 1000 },
    { .name = "deserved_memory_gib", QUOTA, .at = QUEUE(quota.deserved.mem_mib), .scale = 1024 },
    { .name = "limit_gpus",          QUOTA, .at = QUEUE(quota.limit.gpu_milli), .scale = 1000 },
    { .name = "limit_cpus",          QUOTA, .at = QUEUE(quota.limit.cpu_milli), .scale = 1000 },
    { .name = "limit_memory_gib",    QUOTA, .at = QUEUE(quota.limit.mem_mib), .scale = 1024 },
    { .name = "budget_gpu_h_per_month", .type = CONFIG_PARTS, .at = QUEUE(budget_gpu_milli_s), .scale = 3600000,
      .above_least = true, .most = QUOTA_MOST },
    { .name = "weight",              .type = CONFIG_REAL, .at = QUEUE(weight), .most = 1000000 },
    { .name = "cpu_weight",          .type = CONFIG_REAL, .at = QUEUE(cpu_weight), .most = 1000000 },
    { .name = "memory_weight",       .type = CONFIG_REAL, .at = QUEUE(mem_weight), .most = 1000000 },
    { .name = "preempt_min_runtime_s", SECONDS,           .at = QUEUE(preempt_min_runtime_ns) },
    { .name = "reclaim_min_runtime_s", SECONDS,           .at = QUEUE(reclaim_min_runtime_ns) },
    { .name = "priority",            .type = CONFIG_INTEGER, .at = QUEUE(priority), .least = INT32_MIN, .most = INT32_MAX },
    { .name = "borrowing_limit_gpus",       QUOTA, .at = QUEUE(cohort.borrowing_limit.gpu_milli), .scale = 1000 },
    { .name = "borrowing_limit_cpus",       QUOTA, .at = QUEUE(cohort.borrowing_limit.cpu_milli), .scale = 1000 },
    { .name = "borrowing_limit_memory_gib", QUOTA, .at = QUEUE(cohort.borrowing_limit.mem_mib), .scale = 1024 },
    { .name = "lending_limit_gpus",         QUOTA, .at = QUEUE(cohort.lending_limit.gpu_milli), .scale = 1000 },
    { .name = "lending_limit_cpus",         QUOTA, .at = QUEUE(cohort.lending_limit.cpu_milli), .scale = 1000 },
    { .name = "lending_limit_memory_gib",   QUOTA, .at = QUEUE(cohort.lending_limit.mem_mib), .scale = 1024 },
    { .name = "queueing",            .type = CONFIG_CHOICE, .at = QUEUE(cohort.queueing), .words = queueing_words },
    { .name = "preemption",          .type = CONFIG_MAPPING, .at = offsetof(struct file_queue, preemption) },
    { .name = "nodes",               .type = CONFIG_MAPPING, .at = offsetof(struct file_queue, pins) },
    { .name = "queues",              .type = CONFIG_LIST, .at = offsetof(struct file_queue, children) },
    { 0 },
};
static const struct config_key pin_key = { .type = CONFIG_COUNT, .least = 1, .most = CLUSTER_NODES_MAX };
/* clang-format on */

static int read_pins(struct cluster_reader *r, struct config_value pins, struct queue_spec *q)
{
    struct pin_spec *pin = arena_alloc(r->memory, config_count(pins) * sizeof *pin);
    q->pins = pin;
    struct config_walk w = { .of = pins };
    for (struct config_value v; config_next(&w, &v); q->n_pins++) {
        const char *name = NULL;
        if (config_key_text(v, &name, r->err) ||
            config_scalar(v, &pin_key, &pin[q->n_pins].count, r->err))
            return -1;
        pin[q->n_pins].group = intern_find(r->group_names, name, strlen(name));
        if (pin[q->n_pins].group == INTERN_NONE)
            return config_error(v, r->err, "there is no group of this name");
        queue_id *last = &r->pinned_by[pin[q->n_pins].group];
        if (*last == r->n_queues)
            return config_error(v, r->err, "this key is given twice");
        *last = (queue_id)r->n_queues;
    }
    return 0;
}

/* An inner queue without a quota of its own has that of its children. */
static int64_t deserved_of_children(const struct cluster_reader *r, queue_id parent, int64_t limit)
{
    int64_t sum = 0;
    for (size_t q = parent + (size_t)1; q < r->n_queues; q++) {
        int64_t deserved = r->queue[q].facts.quota.deserved.gpu_milli;
        if (r->queue[q].facts.parent == parent)
            sum = sum == UNLIMITED || deserved == UNLIMITED ? UNLIMITED : sum + deserved;
    }
    return limit != UNLIMITED && (sum == UNLIMITED || sum > limit) ? limit : sum;
}

static void settle_deserved(struct cluster_reader *r, queue_id id)
{
    struct queue_facts *f = &r->queue[id].facts;
    f->sums = f->quota.deserved.gpu_milli == DESERVED_UNSAID && r->n_queues > id + (size_t)1;
    if (f->quota.deserved.gpu_milli == DESERVED_UNSAID)
        f->quota.deserved.gpu_milli = deserved_of_children(r, id, f->quota.limit.gpu_milli);
}

static struct queue_facts usual_queue(queue_id parent)
{
    return (struct queue_facts){
        .parent = parent, .weight = 1, .cpu_weight = 1, .mem_weight = 1, .priority = QUEUE_PRIORITY,
        .preempt_min_runtime_ns = -1, .reclaim_min_runtime_ns = -1,
        .quota = { { DESERVED_UNSAID, UNLIMITED, UNLIMITED }, { UNLIMITED, UNLIMITED, UNLIMITED } },
        .cohort = COHORT_RULES_UNSAID,
    };
}

static queue_id add_queue(struct cluster_reader *r, const struct queue_facts *f,
                          struct config_value at)
{
    mem_grow(&r->queue, &r->queue_room, r->n_queues, sizeof *r->queue);
    mem_grow(&r->queue_at, &r->queue_at_room, r->n_queues, sizeof *r->queue_at);
    r->queue_at[r->n_queues] = at;
    r->queue[r->n_queues] = (struct queue_spec){ .facts = *f };
    return (queue_id)r->n_queues++;
}

/* Parents before children; the nesting of a document is at most 64 deep (config.c). */
static int queues_read(struct cluster_reader *r, struct config_value list, queue_id parent)
{
    struct config_walk w = { .of = list };
    for (struct config_value entry; config_next(&w, &entry);) {
        struct file_queue f = { .facts = usual_queue(parent) };
        if (config_fields(entry, queue_keys, &f, r->err) ||
            (config_given(f.preemption) &&
             config_fields(f.preemption, queue_preemption_keys, &f.facts.cohort, r->err)))
            return -1;
        queue_id id = add_queue(r, &f.facts, entry);
        if (read_pins(r, f.pins, &r->queue[id]) || queues_read(r, f.children, id))
            return -1;
        settle_deserved(r, id);
    }
    return 0;
}

/* ---- the whole file ---- */

struct file_whole {
    const char *name;
    struct config_value nodes, queues, preemption, failures, storage, gpu_models, node_types, power,
        prices, elastic, sharing;
    struct config_value models, progress, fabric, root;
    int64_t period_ns;
    int invalid_dependency, cohort, passes;
};

/* all: the queues at the top are below one more, of this name. */
static const char *const cohort_words[] = { "none", "all", NULL };

/* What becomes of a job whose dependency can never be met: sim/engine/dependencies.h. */
static const char *const invalid_dependency_words[] = { "cancel", "wait", NULL };

/* After all that happens at an instant, or after each event of it: sim/engine/engine.h. */
static const char *const passes_words[] = { "instant", "event", NULL };

/* clang-format off */
#define WHOLE(field) offsetof(struct file_whole, field)
#define SECTION(key) { .name = #key, .type = CONFIG_MAPPING, .at = WHOLE(key) }
#define SECTION_KEYS                                                                                                   \
    { .name = "period_s",   SECONDS,                .at = WHOLE(period_ns) },                                          \
    { .name = "passes",     .type = CONFIG_CHOICE,  .at = WHOLE(passes), .words = passes_words },                      \
    { .name = "invalid_dependency", .type = CONFIG_CHOICE, .at = WHOLE(invalid_dependency),                            \
      .words = invalid_dependency_words },                                                                             \
    { .name = "models",     .type = CONFIG_LIST,    .at = WHOLE(models) },                                             \
    SECTION(preemption), SECTION(failures), SECTION(storage), SECTION(progress), SECTION(fabric), SECTION(power),      \
    SECTION(prices), SECTION(elastic), SECTION(sharing)
static const struct config_key section_keys[] = { SECTION_KEYS, { 0 } };
static const struct config_key whole_keys[] = {
    { .name = "name",       .type = CONFIG_TEXT,    .at = WHOLE(name) },
    { .name = "nodes",      .type = CONFIG_LIST,    .at = WHOLE(nodes), .required = true },
    { .name = "queues",     .type = CONFIG_LIST,    .at = WHOLE(queues) },
    { .name = "cohort",     .type = CONFIG_CHOICE,  .at = WHOLE(cohort), .words = cohort_words },
    { .name = "gpu_models", .type = CONFIG_LIST,    .at = WHOLE(gpu_models) },
    { .name = "node_types", .type = CONFIG_LIST,    .at = WHOLE(node_types) },
    SECTION_KEYS,
    { 0 },
};
/* clang-format on */

static struct cluster *assemble(struct cluster_reader *r, const struct file_whole *whole,
                                const char *name)
{
    struct cluster_given given = {
        name, r->group, r->n_groups, r->queue, r->n_queues, r->catalogue
    };
    struct culprit culprit;
    struct error why = { "" };
    struct cluster *c = cluster_assemble(&given, &culprit, &why);
    if (c) {
        r->catalogue = NULL;       /* the cluster owns it now */
        return c;
    }
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
    c->pass_per_event = whole->passes > 0;
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
    if (whole.cohort) {
        struct queue_facts all = usual_queue(ID_NONE);
        all.name = cohort_words[whole.cohort];
        add_queue(r, &all, whole.queues);
    }
    if (queues_read(r, whole.queues, whole.cohort ? 0 : ID_NONE))
        return NULL;
    if (whole.cohort)
        settle_deserved(r, 0);
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
