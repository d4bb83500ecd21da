/* kueue_nodes.c - see kueue_nodes.h. */
#include "tests/conformance/kueue_nodes.h"
#include "sim/cluster/labels.h"
#include "sim/contract/util/minmax.h"
#include "tests/conformance/conformance.h"
#include "tests/conformance/kueue_labels.h"

#include <stdlib.h>
#include <string.h>

/* ---- The tree ---- */

static bool add_resource(struct topo *t, const char *name)
{
    uint32_t i = 0;
    while (i < t->resources && strcmp(t->resource[i], name) < 0)
        i++;
    if (i < t->resources && !strcmp(t->resource[i], name))
        return true;
    if (t->resources == TOPO_RESOURCES)
        return false;
    array_open(t->resource, t->resources++, i, sizeof *t->resource);
    t->resource[i] = name;
    return true;
}

static bool counts(const struct topo *t, const json_t *node, const json_t *labels)
{
    const json_t *has = json_object_get(node, "labels");
    const char *key;
    json_t *want;
    if (json_is_false(json_object_get(node, "ready")) ||
        json_is_true(json_object_get(node, "unschedulable")))
        return false;
    for (uint32_t l = 0; l < t->levels; l++)
        if (!text_of(has, t->level[l]))
            return false;
    json_object_foreach((json_t *)(uintptr_t)labels, key,
                        want) if (!json_equal(json_object_get(has, key), want)) return false;
    return true;
}

/* In which level two leaves part; `levels`: in none. */
static uint32_t parting(const struct topo_leaf *a, const struct topo_leaf *b, uint32_t levels)
{
    uint32_t l = 0;
    while (l < levels && !strcmp(a->value[l], b->value[l]))
        l++;
    return l;
}

static int by_values(const void *x, const void *y)
{
    const struct topo_leaf *a = x, *b = y;
    for (uint32_t l = 0; l < TOPO_LEVELS && a->value[l]; l++)
        if (strcmp(a->value[l], b->value[l]))
            return strcmp(a->value[l], b->value[l]);
    return 0;
}

static void gain(const struct topo *t, struct topo_leaf *leaf, const json_t *amounts, int64_t times)
{
    for (uint32_t r = 0; r < t->resources; r++)
        leaf->free[r] += times * json_integer_value(json_object_get(amounts, t->resource[r]));
}

static void read_leaves(struct topo *t, const json_t *nodes, const json_t *labels)
{
    size_t i;
    const json_t *node;
    uint32_t n = 0, kept = 0;
    t->leaf = calloc(json_array_size(nodes) + 1, sizeof *t->leaf);
    json_array_foreach(nodes, i, node)
    {
        if (!counts(t, node, labels))
            continue;
        struct topo_leaf *leaf = &t->leaf[n++];
        for (uint32_t l = 0; l < t->levels; l++)
            leaf->value[l] = text_of(json_object_get(node, "labels"), t->level[l]);
        leaf->node = node;
        gain(t, leaf, json_object_get(node, "allocatable"), 1);
    }
    qsort(t->leaf, n, sizeof *t->leaf, by_values);
    for (uint32_t k = 0; k < n; k++) {
        bool same = kept && parting(&t->leaf[kept - 1], &t->leaf[k], t->levels) == t->levels;
        for (uint32_t r = 0; same && r < t->resources; r++)
            t->leaf[kept - 1].free[r] += t->leaf[k].free[r];
        if (!same)
            t->leaf[kept++] = t->leaf[k];
    }
    t->n = kept;
}

/* Of the table: the old one is not needed any more. */
static void *zeroed(void *owner, size_t bytes)
{
    free(((struct tas_work *)owner)->table);
    return calloc(1, bytes);
}

static void grow_tree(struct topo *t)
{
    uint32_t *parts = calloc(t->n + (size_t)1, sizeof *parts);
    for (uint32_t i = 1; i < t->n; i++)
        parts[i] = parting(&t->leaf[i - 1], &t->leaf[i], t->levels);
    t->memory[0] = calloc(1, tas_tree_size(t->levels, t->n));
    tas_tree_lay(&t->tree, t->levels, t->n, parts, t->memory[0]);
    t->memory[1] = calloc(1, tas_work_size(&t->tree) + 1);
    tas_work_lay(&t->work, &t->tree, t->memory[1]);
    t->work.alloc = zeroed;
    t->work.owner = &t->work;
    free(parts);
}

bool topo_begin(struct topo *t, const json_t *levels, const json_t *nodes, const json_t *labels,
                const json_t *other_pods, const json_t *pod_sets)
{
    size_t i;
    const json_t *e;
    const char *key;
    json_t *amount;
    bool holds = add_resource(t, "pods") && json_array_size(levels) <= TOPO_LEVELS;
    json_array_foreach(pod_sets, i, e)
        json_object_foreach(json_object_get(e, "requests"), key, amount) holds =
            holds && add_resource(t, key);
    if (!holds)
        return false;
    json_array_foreach(levels, i, e) t->level[t->levels++] = json_string_value(e);
    t->of_hosts = t->levels && !strcmp(t->level[t->levels - 1], "host");
    read_leaves(t, nodes, labels);
    grow_tree(t);
    json_array_foreach(other_pods, i, e)
    {
        const char *phase = text_of(e, "phase"), *on = text_of(e, "node");
        const json_t *node;
        size_t k;
        bool ended = phase && (!strcmp(phase, "Succeeded") || !strcmp(phase, "Failed"));
        json_array_foreach(nodes, k, node)
        {
            if (ended || !on || strcmp(on, text_of(node, "name")) || !counts(t, node, labels))
                continue;
            json_t *where =
                t->of_hosts ? json_incref(json_object_get(json_object_get(node, "labels"), "host"))
                            : json_array();
            for (uint32_t l = 0; !t->of_hosts && l < t->levels; l++)
                json_array_append(where,
                                  json_object_get(json_object_get(node, "labels"), t->level[l]));
            topo_use(t, where, json_object_get(e, "requests"), 1, 1);
            json_decref(where);
        }
    }
    return true;
}

void topo_end(struct topo *t)
{
    free(t->leaf);
    free(t->work.table);
    free(t->memory[0]);
    free(t->memory[1]);
}

/* ---- Domains by name ---- */

uint32_t topo_find(const struct topo *t, const json_t *domain)
{
    for (uint32_t i = 0; i < t->n; i++) {
        bool same = true;
        if (json_is_string(domain))
            same = !strcmp(t->leaf[i].value[t->levels - 1], json_string_value(domain));
        for (uint32_t l = 0; json_is_array(domain) && l < t->levels; l++)
            same =
                same && !strcmp(t->leaf[i].value[l], json_string_value(json_array_get(domain, l)));
        if (same)
            return tas_first_leaf(&t->tree) + i;
    }
    return ID_NONE;
}

json_t *topo_name(const struct topo *t, uint32_t domain)
{
    const struct topo_leaf *leaf = &t->leaf[domain - tas_first_leaf(&t->tree)];
    if (t->of_hosts || t->levels == 1)
        return json_string(leaf->value[t->levels - 1]);
    json_t *list = json_array();
    for (uint32_t l = 0; l < t->levels; l++)
        json_array_append_new(list, json_string(leaf->value[l]));
    return list;
}

void topo_use(struct topo *t, const json_t *domain, const json_t *requests, int64_t pods, int sign)
{
    uint32_t d = topo_find(t, domain);
    if (d == ID_NONE)
        return;
    struct topo_leaf *leaf = &t->leaf[d - tas_first_leaf(&t->tree)];
    gain(t, leaf, requests, -sign * pods);
    for (uint32_t r = 0; r < t->resources; r++)
        leaf->free[r] -= strcmp(t->resource[r], "pods") ? 0 : sign * pods;
}

/* ---- A pod set ---- */

static uint32_t level_named(const struct topo *t, const char *name)
{
    for (uint32_t l = 0; l < t->levels; l++)
        if (name && !strcmp(t->level[l], name))
            return l;
    return ID_NONE;
}

struct tas_ask topo_ask(const struct topo *t, const json_t *pod_set, struct tas_layer *layer,
                        struct topo_setting set)
{
    const json_t *topology = json_object_get(pod_set, "topology"),
                 *slices = json_object_get(topology, "slices"), *e;
    const char *mode = text_of(topology, "mode");
    enum tas_mode as = !mode                        ? TAS_UNCONSTRAINED
                       : !strcmp(mode, "required")  ? TAS_REQUIRED
                       : !strcmp(mode, "preferred") ? TAS_PREFERRED
                                                    : TAS_UNCONSTRAINED;
    uint32_t layers = 0;
    size_t i;
    json_array_foreach(slices, i, e) if (layers < TOPO_LEVELS) layer[layers++] =
        (struct tas_layer){ level_named(t, text_of(e, "level")), (int64_t)number_of(e, "pods") };
    struct tas_ask ask = tas_ask_for(&t->tree, as, level_named(t, text_of(topology, "level")),
                                     layer, layers,
                                     json_integer_value(json_object_get(pod_set, "count")));
    ask.balanced = set.balanced;
    return ask;
}

/* ---- Which leaves a pod set may use ---- */

struct wishes {
    struct text selector, affinity, tolerations;
};

static void wish(struct wishes *w, const json_t *pod_set, struct topo_setting set)
{
    *w = (struct wishes){ .selector.n = 0 };
    say_pairs(&w->selector, json_object_get(pod_set, "node_selector"));
    say_affinity(&w->affinity, json_object_get(pod_set, "node_affinity"), true);
    say_taints(&w->tolerations, json_object_get(pod_set, "tolerations"));
    say_taints(&w->tolerations, set.tolerations);
}

static void one_more(json_t *excluded, const char *reason, const char *of)
{
    json_t *in = excluded;
    if (of) {
        in = json_object_get(excluded, reason);
        if (!in)
            json_object_set_new(excluded, reason, in = json_object());
        reason = of;
    }
    json_object_set_new(in, reason,
                        json_integer(json_integer_value(json_object_get(in, reason)) + 1));
}

/* false: the reason is noted, if there is a list for it. */
static bool may_use(const json_t *node, const struct wishes *w, json_t *excluded)
{
    struct text labels = { .n = 0 };
    size_t i;
    const json_t *e;
    say_pairs(&labels, json_object_get(node, "labels"));
    json_array_foreach(json_object_get(node, "taints"), i, e)
    {
        struct text taint = { .n = 0 };
        json_t *alone = json_pack("[O]", e);
        say_taints(&taint, alone);
        json_decref(alone);
        if (taints_tolerated(taint.of, w->tolerations.of))
            continue;
        if (excluded)
            one_more(excluded, "taint", taint.of);
        return false;
    }
    const char *reason = !selector_holds(w->selector.of, labels.of)   ? "node_selector"
                         : !affinity_holds(w->affinity.of, labels.of) ? "affinity"
                                                                      : NULL;
    if (reason && excluded)
        one_more(excluded, reason, NULL);
    return !reason;
}

/* How many pods fit, and the resource that binds. */
static int64_t fitting(const struct topo *t, const json_t *requests, const int64_t *free,
                       uint32_t *binds)
{
    int64_t most = INT32_MAX;
    *binds = 0;
    for (uint32_t r = 0; r < t->resources; r++) {
        int64_t ask = strcmp(t->resource[r], "pods")
                          ? json_integer_value(json_object_get(requests, t->resource[r]))
                          : 1;
        if (ask && max_i64(0, free[r] / ask) < most) {
            most = max_i64(0, free[r] / ask);
            *binds = r;
        }
    }
    return most;
}

static struct tas_room room_in(const struct topo *t, const struct topo_leaf *leaf,
                               const json_t *pod_set, const json_t *leader, json_t *excluded)
{
    const json_t *requests = json_object_get(pod_set, "requests");
    struct topo_leaf rest = *leaf;
    uint32_t binds;
    struct tas_room room = { .pods = fitting(t, requests, leaf->free, &binds) };
    if (!room.pods)
        one_more(excluded, "resource", t->resource[binds]);
    room.leader = leader && fitting(t, json_object_get(leader, "requests"), leaf->free, &binds) > 0;
    if (!room.leader)
        return room;
    gain(t, &rest, json_object_get(leader, "requests"), -1);
    for (uint32_t r = 0; r < t->resources; r++)
        rest.free[r] -= !strcmp(t->resource[r], "pods");
    room.beside = fitting(t, requests, rest.free, &binds);
    return room;
}

json_t *topo_rooms(struct topo *t, const json_t *pod_set, const json_t *leader, uint32_t within,
                   struct topo_setting set)
{
    json_t *excluded = json_object();
    uint32_t first = 0, end = t->n, base = tas_first_leaf(&t->tree);
    static struct wishes own, of_leader;
    wish(&own, pod_set, set);
    wish(&of_leader, leader, set);
    if (within != ID_NONE) {
        tas_inside(&t->tree, within, t->levels - 1, &first, &end);
        first -= base;
        end -= base;
    }
    for (uint32_t i = 0; i < t->n; i++) {
        const struct topo_leaf *leaf = &t->leaf[i];
        t->work.room[i] = (struct tas_room){ 0 };
        if (t->of_hosts && !may_use(leaf->node, &own, excluded))
            continue;
        if (i < first || i >= end) {
            one_more(excluded, "outside_domain", NULL);
            continue;
        }
        bool leads = leader && (!t->of_hosts || may_use(leaf->node, &of_leader, NULL));
        t->work.room[i] = room_in(t, leaf, pod_set, leads ? leader : NULL, excluded);
        if (t->of_hosts && set.preferred_affinity) {
            struct text labels = { .n = 0 };
            say_pairs(&labels, json_object_get(leaf->node, "labels"));
            t->work.room[i].score = affinity_weight(own.affinity.of, labels.of);
        }
    }
    return excluded;
}
