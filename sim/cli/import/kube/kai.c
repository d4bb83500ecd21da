/* kai.c - see site.h: objects of KAI-Scheduler. Fields: NVIDIA/KAI-Scheduler:
 * deployments/kai-scheduler/crds/scheduling.run.ai_queues.yaml and
 * pkg/apis/scheduling/v2alpha2/podgroup_types.go. */
#include "sim/cli/import/kube/site.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A quota or limit that is not said is 0: nothing guaranteed, nothing allowed (docs/queues of KAI).
 */
static void read_resource(struct kube_reader *r, struct kube_value *resources, const char *name,
                          int64_t scale, int amount, struct kube_queue *q)
{
    struct kube_value *v = kube_map(r, resources, name);
    int64_t quota = 0, limit = 0, weight = 0;
    kube_decimal(r, v, "quota", scale, -scale, &quota);
    kube_decimal(r, v, "limit", scale, -scale, &limit);
    kube_decimal(r, v, "overQuotaWeight", 1000000, 0, &weight);
    q->quota[amount] = quota < 0 ? KUBE_UNLIMITED : quota;
    q->limit[amount] = limit < 0 ? KUBE_UNLIMITED : limit;
    q->weight[amount] = weight;
}

void take_queue(struct kube_site *s, struct kube_reader *r, struct kube_value *o, const char *ns,
                const char *name)
{
    struct kube_queue *q = KUBE_ADD(s, queues);
    struct kube_value *spec = kube_map(r, o, "spec"), *resources = kube_map(r, spec, "resources");
    (void)ns;
    *q = (struct kube_queue){ .name = name,
                              .parent = kube_text(r, spec, "parentQueue"),
                              .priority = 100,
                              .preempt_ns = NO_TIME,
                              .reclaim_ns = NO_TIME };
    q->parent = q->parent && *q->parent ? q->parent : NULL;
    read_resource(r, resources, "gpu", 1000, KUBE_GPU, q);
    read_resource(r, resources, "cpu", 1, KUBE_CPU, q);    /* millicores */
    read_resource(r, resources, "memory", 1, KUBE_MEM, q); /* MB */
    kube_integer(r, spec, "priority", INT32_MIN, INT32_MAX, &q->priority);
    kube_span(r, spec, "preemptMinRuntime", &q->preempt_ns);
    kube_span(r, spec, "reclaimMinRuntime", &q->reclaim_ns);
}

/* ---- PodGroup ---- */

/* The subgroup of that name; n: none. */
static size_t subgroup_called(const struct kube_podgroup *g, const char *name)
{
    size_t i = 0;
    while (i < g->n_subgroups && strcmp(g->subgroup[i].name, name) != 0)
        i++;
    return i;
}

/* The name of the subgroup above, which KAI takes in lower case, unlike the names themselves: it
 * does not find a subgroup whose name has a capital. NULL: the PodGroup
 * (NVIDIA/KAI-Scheduler:pkg/scheduler/api/podgroup_info/subgroup_info/factory.go,
 * formatParentName). */
static const char *parent_of(struct kube_site *s, struct kube_reader *r,
                             struct kube_value *subgroup)
{
    const char *said = kube_text(r, subgroup, "parent");
    if (!said || !*said)
        return NULL;
    size_t n = strlen(said);
    char *lower = arena_alloc(s->memory, n + 1);
    for (size_t i = 0; i <= n; i++)
        lower[i] = (char)tolower((unsigned char)said[i]);
    return lower;
}

/* Names from the outermost down; false: a parent is not there, or they are a ring. */
static bool path_of(struct kube_site *s, const struct kube_podgroup *g, const char *const *parent,
                    size_t i, const char **path)
{
    char text[KUBE_PATH_MOST * 4] = "";
    for (size_t steps = 0; i < g->n_subgroups && steps <= g->n_subgroups; steps++) {
        size_t was = strlen(text), own = strlen(g->subgroup[i].name);
        if (was + own + 2 > sizeof text)
            return false;
        memmove(text + own + (was > 0), text, was + 1);
        memcpy(text, g->subgroup[i].name, own);
        if (was)
            text[own] = '/';
        if (!parent[i]) {
            *path = intern_text(s->names, intern_add(s->names, text, strlen(text)));
            return true;
        }
        i = subgroup_called(g, parent[i]);
    }
    return false;
}

/* What is wrong with them; NULL: nothing (NVIDIA/KAI-Scheduler:
 * pkg/scheduler/api/podgroup_info/subgroup_info/factory.go). */
static const char *resolve_subgroups(struct kube_site *s, struct kube_podgroup *g,
                                     const char *const *parent)
{
    for (size_t i = 0; i < g->n_subgroups; i++) {
        struct kube_subgroup *own = &g->subgroup[i];
        if (!*own->name || strchr(own->name, '/') || !strcmp(own->name, "."))
            return "a name is none";
        if (subgroup_called(g, own->name) != i)
            return "two have one name";
        if (!path_of(s, g, parent, i, &own->path))
            return "a parent is not there, or they are a ring";
        if (parent[i])
            g->subgroup[subgroup_called(g, parent[i])].inner = true;
    }
    for (size_t i = 0; i < g->n_subgroups; i++)
        if (!g->subgroup[i].inner && g->subgroup[i].min_member == KUBE_UNSAID)
            return "one has no minMember";
    return NULL;
}

static void read_levels(struct kube_reader *r, struct kube_value *of, const char **required,
                        const char **preferred)
{
    struct kube_value *topology = kube_map(r, of, "topologyConstraint");
    *required = kube_text(r, topology, "requiredTopologyLevel");
    *preferred = kube_text(r, topology, "preferredTopologyLevel");
    (void)kube_text(r, topology, "topology");
}

/* How many subgroups it needs is said of all in the trace: each has its minimum. */
static void remark_min_subgroups(struct kube_site *s, struct kube_reader *r, struct kube_value *v)
{
    int64_t least = -1;
    if (kube_integer(r, v, "minSubGroup", 0, KUBE_COUNT_MOST, &least))
        remark(&s->remarks, "left out: minSubGroup of PodGroups: they need all their subgroups");
}

static void read_subgroups(struct kube_site *s, struct kube_reader *r, struct kube_value *list,
                           struct kube_podgroup *g)
{
    size_t n = 0;
    for (struct kube_value *v = kube_first(list); v; v = kube_next(v))
        n++;
    const char **parent = mem_new(n + 1, sizeof *parent), *wrong;
    g->subgroup = arena_alloc(s->memory, (n + 1) * sizeof *g->subgroup);
    for (struct kube_value *v = kube_first(list); v && !r->err->text[0]; v = kube_next(v)) {
        struct kube_subgroup *own = &g->subgroup[g->n_subgroups];
        *own = (struct kube_subgroup){ .name = kube_text(r, v, "name"), .min_member = KUBE_UNSAID };
        parent[g->n_subgroups++] = parent_of(s, r, v);
        kube_integer(r, v, "minMember", 0, KUBE_COUNT_MOST, &own->min_member);
        read_levels(r, v, &own->required, &own->preferred);
        remark_min_subgroups(s, r, v);
        if (!own->name)
            kube_error(r, v, "want a subgroup, key 'name' is missing");
    }
    wrong = r->err->text[0] ? NULL : resolve_subgroups(s, g, parent);
    if (wrong) {
        remark(&s->remarks, "left out: subgroups of PodGroup %.60s, whose pods are one group: %s",
               g->name, wrong);
        g->n_subgroups = 0;
    }
    free(parent);
}

void take_pod_group(struct kube_site *s, struct kube_reader *r, struct kube_value *o,
                    const char *ns, const char *name)
{
    static const char *const words[] = { "non-preemptible", "preemptible", NULL };
    struct kube_podgroup *g = KUBE_ADD(s, podgroups);
    struct kube_value *spec = kube_map(r, o, "spec"), *sub = kube_list(r, spec, "subGroups"), *how;
    *g = (struct kube_podgroup){ .ns = ns, .name = name, .min_member = 1, .preemptible = -1 };
    g->queue = kube_text(r, spec, "queue");
    g->priority_class = kube_text(r, spec, "priorityClassName");
    kube_integer(r, spec, "minMember", 0, KUBE_COUNT_MOST, &g->min_member);
    how = kube_get(r, spec, "preemptibility");
    if (how && !(how->kind == KUBE_SCALAR && !*how->text))
        kube_word(r, spec, "preemptibility", words, &g->preemptible);
    read_levels(r, spec, &g->required, &g->preferred);
    g->created_ns = kube_moment(s, r, kube_metadata(r, o), "creationTimestamp");
    remark_min_subgroups(s, r, spec);
    if (kube_first(sub))
        read_subgroups(s, r, sub, g);
}

/* The configuration of the scheduler in a snapshot. */
void take_kai_config(struct kube_site *s, struct kube_reader *r, struct kube_value *o,
                     const char *ns, const char *name)
{
    (void)ns;
    (void)name;
    s->actions = kube_text(r, o, "actions");
    for (struct kube_value *t = kube_first(kube_list(r, o, "tiers")); t; t = kube_next(t))
        for (struct kube_value *p = kube_first(kube_list(r, t, "plugins")); p; p = kube_next(p)) {
            const char *plugin = kube_text(r, p, "name"), *gpu;
            if (!plugin || strcmp(plugin, "nodeplacement") != 0)
                continue;
            gpu = kube_text(r, kube_map(r, p, "arguments"), "gpu");
            s->spread = gpu && !strcmp(gpu, "spread");
        }
}
