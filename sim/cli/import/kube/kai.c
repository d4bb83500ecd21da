/* kai.c - see site.h: objects of KAI-Scheduler. Fields: NVIDIA/KAI-Scheduler:
 * deployments/kai-scheduler/crds/scheduling.run.ai_queues.yaml and
 * pkg/apis/scheduling/v2alpha2/podgroup_types.go. */
#include "sim/cli/import/kube/site.h"

#include <stdio.h>
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

void take_pod_group(struct kube_site *s, struct kube_reader *r, struct kube_value *o,
                    const char *ns, const char *name)
{
    static const char *const words[] = { "non-preemptible", "preemptible", NULL };
    struct kube_podgroup *g = KUBE_ADD(s, podgroups);
    struct kube_value *spec = kube_map(r, o, "spec"),
                      *topology = kube_map(r, spec, "topologyConstraint"),
                      *sub = kube_list(r, spec, "subGroups"), *how;
    *g = (struct kube_podgroup){ .ns = ns, .name = name, .min_member = 1, .preemptible = -1 };
    g->queue = kube_text(r, spec, "queue");
    g->priority_class = kube_text(r, spec, "priorityClassName");
    kube_integer(r, spec, "minMember", 0, 1000000, &g->min_member);
    how = kube_get(r, spec, "preemptibility");
    if (how && !(how->kind == KUBE_SCALAR && !*how->text))
        kube_word(r, spec, "preemptibility", words, &g->preemptible);
    g->required = kube_text(r, topology, "requiredTopologyLevel");
    g->preferred = kube_text(r, topology, "preferredTopologyLevel");
    (void)kube_text(r, topology, "topology");
    g->created_ns = kube_moment(s, r, kube_metadata(r, o), "creationTimestamp");
    if (kube_first(sub)) {
        kube_see(sub);
        remark(&s->remarks, "left out: subgroups of PodGroups: their pods are groups by what they "
                            "ask for");
    }
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
