/* slow_file.c - see slow_file.h. */
#include "sim/cluster/slow_file.h"

#include "sim/base/memory.h"
#include "sim/cluster/node_range.h"
#include "sim/cluster/site.h"

#include <string.h>

#define RATE_MOST 1000000

struct file_slow {
    struct slow_law law;
    struct config_value paces;
};
struct file_given {
    struct node_range nodes;
    struct slow_fault fault;
    int kind, scope, then;        /* scope -1: not given */
};

/* clang-format off */
#define LAW(field)   offsetof(struct file_slow, law.field)
#define GIVEN(field) offsetof(struct file_given, field)
#define REAL         .type = CONFIG_REAL
#define CHOICE       .type = CONFIG_CHOICE

static const char *const scope_words[] = {
    [SLOW_NODE] = "node", [SLOW_GPU] = "gpu", [SLOW_LINK] = "link", NULL,
};
static const char *const then_words[] = { [SLOW_DRAIN] = "drain", [SLOW_HEALS] = "none", NULL };
static const char *const kind_words[] = { "fault", "slow", NULL };
static const struct config_key slow_keys[] = {
    { .name = "per_node_day",    REAL, .at = LAW(per_node_day), .most = RATE_MOST },
    { .name = "paces",           .type = CONFIG_LIST, .at = offsetof(struct file_slow, paces) },
    { .name = "scope",           CHOICE, .at = LAW(scope), .words = scope_words },
    { .name = "detect_median_s", CONFIG_SECONDS, .at = LAW(detect_median_ns), .above_least = true },
    { .name = "detect_sigma",    REAL, .at = LAW(detect_sigma), .most = 10 },
    { .name = "then",            CHOICE, .at = LAW(then), .words = then_words },
    { .name = "share_at_start",  REAL, .at = LAW(share_at_start), .most = 1 },
    { 0 },
};
static const struct config_key given_keys[] = {
    { .name = "kind",     CHOICE, .at = GIVEN(kind), .words = kind_words },
    { .name = "group",    .type = CONFIG_TEXT, .at = GIVEN(nodes.group) },
    { .name = "node",     .type = CONFIG_COUNT, .at = GIVEN(nodes.first), .most = CLUSTER_NODES_MAX },
    { .name = "gpu",      .type = CONFIG_COUNT, .at = GIVEN(fault.gpu), .most = NAMED_GPUS_MAX - 1 },
    { .name = "scope",    CHOICE, .at = GIVEN(scope), .words = scope_words },
    { .name = "phi",      REAL, .at = GIVEN(fault.pace), .most = 1, .above_least = true, .required = true },
    { .name = "at_s",     CONFIG_SECONDS, .at = GIVEN(fault.at_ns), .required = true },
    { .name = "detect_s", CONFIG_SECONDS, .at = GIVEN(fault.detect_ns), .above_least = true, .required = true },
    { .name = "then",     CHOICE, .at = GIVEN(then), .words = then_words },
    { .name = "repair_s", CONFIG_SECONDS, .at = GIVEN(fault.repair_ns), .above_least = true },
    { 0 },
};
/* clang-format on */
static const struct config_key past_keys[] = {
    { .name = "s",            CONFIG_SECONDS, .at = offsetof(struct slow_law, past_ns), .required = true },
    { .name = "drawn_from_s", CONFIG_SECONDS, .at = offsetof(struct slow_law, drawn_from_ns) },
    { 0 },
};
static const struct config_key pace_key = { REAL, .most = 1, .above_least = true };
static const struct config_key share_key = { REAL, .most = RATE_MOST, .above_least = true };

static int read_pace(struct config_value pair, struct slow_law *to, struct error *err)
{
    double *const into[] = { &to->pace[to->n_paces].pace, &to->pace[to->n_paces].share };
    const struct config_key *const key[] = { &pace_key, &share_key };
    struct config_walk w = { .of = pair };
    struct config_value item;
    if (!config_is_list(pair) || config_count(pair) != 2)
        return config_error(pair, err, "want [pace, share]");
    for (size_t i = 0; config_next(&w, &item); i++)
        if (config_scalar(item, key[i], into[i], err))
            return -1;
    to->n_paces++;
    return 0;
}

int slow_read(struct config_value section, struct slow_law *to, struct error *err)
{
    struct file_slow f = { .law = slow_law_usual };
    if (config_fields(section, slow_keys, &f, err))
        return -1;
    if (config_given(f.paces)) {
        struct config_walk w = { .of = f.paces };
        f.law.n_paces = 0;
        if (config_count(f.paces) == 0 || config_count(f.paces) > SLOW_PACES_MOST)
            return config_error(f.paces, err, "want 1 to %d paces, got %zu", SLOW_PACES_MOST,
                                config_count(f.paces));
        for (struct config_value pair; config_next(&w, &pair);)
            if (read_pace(pair, &f.law, err))
                return -1;
    }
    f.law.given = to->given;
    f.law.n_given = to->n_given;
    *to = f.law;
    return 0;
}

bool slow_given_is(struct config_value entry)
{
    struct error none;
    int kind = 0;
    struct config_value v = config_look(entry, "kind");
    const struct config_key key = { CHOICE, .words = kind_words };
    return config_given(v) && !config_scalar(v, &key, &kind, &none) && kind == 1;
}

int slow_given_read(struct config_value entry, struct cluster *c, struct slow_law *to,
                    struct error *err)
{
    struct file_given g = { .nodes = { .count = 1 },
                            .scope = -1,
                            .fault = { .gpu = UINT32_MAX, .repair_ns = -1 } };
    uint32_t end;
    if (config_fields(entry, given_keys, &g, err) ||
        node_range_find(entry, c, &g.nodes, &g.fault.node, &end, err))
        return -1;
    const struct node_type *t = cluster_node_type(c, g.fault.node);
    bool of_gpu = g.fault.gpu != UINT32_MAX;
    if (of_gpu && (t->counted || t->mig_dynamic || g.fault.gpu >= t->gpus))
        return config_error(entry, err, "that node has no GPU %u", g.fault.gpu);
    if (g.scope >= 0 && (g.scope == SLOW_GPU) != of_gpu)
        return config_error(entry, err, "'scope: gpu' and 'gpu' want each other");
    g.fault.scope = (uint8_t)(g.scope >= 0 ? g.scope : of_gpu ? SLOW_GPU : SLOW_NODE);
    g.fault.then = (uint8_t)g.then;
    to->given[to->n_given++] = g.fault;
    return 0;
}

/* Which nodes are in reserve changes: a partition has all of them or none. */
static bool some_in_a_partition(const struct cluster *c, uint32_t g, uint32_t nodes)
{
    for (uint32_t p = 0; c->site && p < c->site->n_partitions; p++) {
        uint32_t n_of_it = 0;
        for (node_id n = 0; n < c->n_nodes; n++)
            n_of_it += c->group_of[n] == g && partition_has(&c->site->partition[p], n);
        if (n_of_it && n_of_it < nodes)
            return true;
    }
    return false;
}

int spares_read(struct config_value section, struct cluster *c, struct failures *f,
                struct error *err)
{
    struct config_walk w = { .of = section };
    const struct config_key key = { .type = CONFIG_COUNT, .most = CLUSTER_NODES_MAX };
    if (!config_given(section))
        return 0;
    f->spares = arena_alloc(c->memory, c->n_groups * sizeof *f->spares);
    for (struct config_value entry; config_next(&w, &entry);) {
        const char *name = NULL;
        if (config_key_text(entry, &name, err))
            return -1;
        uint32_t g = node_group_find(entry, c, name, err), nodes = 0, owned = 0;
        if (g == ID_NONE || config_scalar(entry, &key, &f->spares[g], err))
            return -1;
        for (node_id n = 0; n < c->n_nodes; n++) {
            nodes += c->group_of[n] == g;
            owned += c->group_of[n] == g && c->kind[c->kind_of[n]].owner != ID_NONE;
        }
        if (owned)
            return config_error(entry, err,
                                "want a group of which no queue owns nodes: those in reserve change");
        if (some_in_a_partition(c, g, nodes))
            return config_error(entry, err,
                                "want a group of which partitions have all nodes or none: those in reserve change");
        if (f->spares[g] >= nodes)
            return config_error(entry, err, "want fewer than the %u nodes of the group", nodes);
    }
    return 0;
}

int slow_past_read(struct config_value section, struct slow_law *to, struct error *err)
{
    if (!config_given(section))
        return 0;
    if (config_fields(section, past_keys, to, err))
        return -1;
    if (!slow_happens(to))
        return config_error(section, err,
                            "want 'slow', or faults of 'kind: slow', whose past it is");
    if (to->drawn_from_ns > to->past_ns)
        return config_error(section, err, "want 'drawn_from_s' of at most 's'");
    return 0;
}

int in_reserve_read(struct config_value list, struct cluster *c, struct failures *f,
                    struct error *err)
{
    struct config_walk w = { .of = list };
    const struct config_key key = { .type = CONFIG_COUNT, .most = CLUSTER_NODES_MAX };
    if (!config_given(list))
        return 0;
    f->in_reserve = arena_alloc(c->memory, (config_count(list) + 1) * sizeof *f->in_reserve);
    for (struct config_value entry; config_next(&w, &entry);) {
        uint32_t n, i = 0;
        if (config_scalar(entry, &key, &n, err))
            return -1;
        if (n >= c->n_nodes || !f->spares || !f->spares[c->group_of[n]])
            return config_error(entry, err, "want a node of a group with 'spares', got %u", n);
        while (i < f->n_in_reserve && f->in_reserve[i] != n)
            i++;
        if (i < f->n_in_reserve)
            return config_error(entry, err, "want each node once, got %u twice", n);
        f->in_reserve[f->n_in_reserve++] = n;
    }
    return 0;
}
