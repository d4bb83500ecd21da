/* session_nodes.c - the nodes of a case, and its topology: levels coarse to fine become pod,
 * rack and node. Each has its labels, and kai.scheduler/type, by which the tests of KAI tell nodes
 * apart. */
#include "tests/conformance/session.h"

#include <stdlib.h>
#include <string.h>

struct node { const char *name, *value[LEVELS_MOST]; const json_t *json; };

static uint32_t levels;           /* of the nodes that are being sorted */

/* How many levels, from the top, they share. */
static uint32_t shared_levels(const struct node *a, const struct node *b)
{
    uint32_t k = 0;
    while (k < levels && !strcmp(a->value[k], b->value[k]))
        k++;
    return k;
}

static int by_domain(const void *a, const void *b)
{
    const struct node *x = a, *y = b;
    uint32_t k = shared_levels(x, y);
    return k < levels ? strcmp(x->value[k], y->value[k]) : strcmp(x->name, y->name);
}

static bool has_constraint(const json_t *o)
{
    size_t i;
    const json_t *child;
    if (json_object_get(o, "topology_constraint") && !json_is_null(json_object_get(o, "topology_constraint")))
        return true;
    json_array_foreach(json_object_get(o, "children"), i, child) if (has_constraint(child)) return true;
    return false;
}

/* Levels only if a job asks for one. */
static int read_levels(struct session *s, struct why why)
{
    const json_t *topologies = json_object_get(s->json, "topologies"), *job, *level;
    bool asked = false;
    size_t i;
    json_array_foreach(json_object_get(s->json, "jobs"), i, job)
        asked = asked || has_constraint(job) || has_constraint(json_object_get(job, "subgroups"));
    if (!asked)
        return CASE_PASSED;
    const json_t *names = json_object_get(json_array_get(topologies, 0), "levels");
    if (json_array_size(topologies) != 1 || json_array_size(names) > LEVELS_MOST)
        return because(CASE_SKIPPED, why, "%zu topologies of %zu levels", json_array_size(topologies), json_array_size(names));
    json_array_foreach(names, i, level) s->level_name[s->n_levels++] = json_string_value(level);
    return CASE_PASSED;
}

/* The finest level is a node if each of its domains is one; the others are racks, pods and so on. */
static void name_levels(struct session *s, const struct node *node)
{
    bool single = true;
    for (uint32_t n = 1; n < s->n_nodes; n++)
        single = single && shared_levels(&node[n - 1], &node[n]) < s->n_levels;
    uint32_t coarse = s->n_levels - (s->n_levels && single);
    s->n_above = coarse;
    for (uint32_t k = 0; k < s->n_levels; k++)
        s->level[k] = k >= coarse ? LEVEL_NODE : (uint8_t)(LEVEL_RACK + coarse - k - 1);
}

static int mig_of(const json_t *node, struct group_spec *g, struct why why)
{
    static struct mig_spec spec[NODES_MOST][8];
    static size_t next;
    struct mig_spec *to = spec[next++ % NODES_MOST];
    const char *strategy = text_of(node, "mig_strategy"), *profile;
    uint32_t slices = 0;
    json_t *count;
    if (!strategy)
        return CASE_PASSED;
    g->mig_single = !strcmp(strategy, "single");
    json_object_foreach(json_object_get(node, "mig_instances"), profile, count) {
        const char *name = strstr(profile, "mig-");
        uint16_t number = mig_profile(name ? name + 4 : profile);
        if (!number || g->n_mig == 8)
            return because(CASE_SKIPPED, why, "MIG profile %s", profile);
        if (json_integer_value(count) > 0)
            to[g->n_mig++] = (struct mig_spec){ number, (uint32_t)json_integer_value(count) };
        slices += (uint32_t)json_integer_value(count) * mig_g(number);
    }
    if (g->mig_single && !g->n_mig && g->gpus) {    /* profile not given: as many whole ones as there are GPUs */
        to[g->n_mig++] = (struct mig_spec){ mig_profile("7g.80gb"), g->gpus };
        slices = 7 * g->gpus;
    }
    g->mig = g->n_mig ? to : NULL;
    g->gpus = g->n_mig ? (slices + 6) / 7 + g->n_mig : 0;    /* enough of them: only the instances count */
    return CASE_PASSED;
}

static int group_of(const struct node *node, struct group_spec *g, struct why why)
{
    static const char *const known[] = { "gpus", "cpu_milli", "memory_bytes", "gpu_memory_mib", "mig_strategy", "mig_instances",
                                         "whole_gpus_allocatable", "labels", NULL };
    static char label[NODES_MOST][512];
    static size_t next;
    char *text = label[next++ % NODES_MOST];
    const char *key;
    json_t *value;
    size_t n = (size_t)snprintf(text, sizeof label[0], "node=%s;kai.scheduler/type=%s", node->name, node->name);
    json_object_foreach(json_object_get(node->json, "labels"), key, value)
        if (n < sizeof label[0])
            n += (size_t)snprintf(text + n, sizeof label[0] - n, ";%s=%s", key, json_string_value(value));
    if (n >= sizeof label[0])
        return because(CASE_SKIPPED, why, "labels of a node beyond %zu characters", sizeof label[0]);
    *g = (struct group_spec){
        .name = node->name, .count = 1, .gpus = (uint32_t)number_of(node->json, "gpus"), .labels = text,
        .gpu_mem_mib = (uint32_t)number_of(node->json, "gpu_memory_mib"), .cpu_milli = (int64_t)number_of(node->json, "cpu_milli"),
        .mem_mib = (int64_t)number_of(node->json, "memory_bytes"),
    };
    int result = mig_of(node->json, g, why);
    g->gpu_model = g->gpus ? "gpu" : NULL;
    g->gpu_mem_mib = g->gpus ? g->gpu_mem_mib : 0;
    return result != CASE_PASSED ? result : only_known(node->json, "a node's", known, why);
}

/* A cluster without nodes has one that nothing fits on. */
static struct group_spec no_node(void)
{
    return (struct group_spec){ .name = "nothing", .count = 1, .taints = "reserved:NoSchedule" };
}

/* A group for each node, which may differ from the others of its domain: it joins the finest domain
 * of the one before that it is in, too. */
int session_nodes(struct session *s, struct group_spec *group, size_t *n_groups, struct why why)
{
    static struct node node[NODES_MOST];
    const char *name;
    json_t *json;
    if (read_levels(s, why) != CASE_PASSED || json_object_size(json_object_get(s->json, "nodes")) > NODES_MOST)
        return CASE_SKIPPED;
    json_object_foreach(json_object_get(s->json, "nodes"), name, json) {
        struct node *n = &node[s->n_nodes++];
        *n = (struct node){ .name = name, .json = json };
        for (uint32_t k = 0; k < s->n_levels; k++)
            if (!(n->value[k] = text_of(json_object_get(json, "labels"), s->level_name[k])))
                return because(CASE_SKIPPED, why, "node %s is outside the topology", name);
    }
    levels = s->n_levels;
    qsort(node, s->n_nodes, sizeof *node, by_domain);
    name_levels(s, node);
    *n_groups = 0;
    if (s->n_nodes == 0)
        group[(*n_groups)++] = no_node();
    for (uint32_t n = 0; n < s->n_nodes; n++) {
        struct group_spec *g = &group[(*n_groups)++];
        uint32_t shared = n ? shared_levels(&node[n - 1], &node[n]) : 0;
        s->node[n] = node[n].name;
        if (group_of(&node[n], g, why) != CASE_PASSED)
            return CASE_SKIPPED;
        g->nodes_per_rack = s->n_above > 0;
        g->racks_per_pod = s->n_above > 1;
        for (uint32_t k = 2; k < s->n_above; k++)
            g->further[k - 2] = 1;
        shared = shared < s->n_above ? shared : s->n_above;
        g->joins = shared ? s->level[shared - 1] : 0;
    }
    return CASE_PASSED;
}

node_id session_node(const struct session *s, const char *name)
{
    for (node_id n = 0; name && n < s->n_nodes; n++)
        if (!strcmp(s->node[n], name))
            return n;
    return ID_NONE;
}
