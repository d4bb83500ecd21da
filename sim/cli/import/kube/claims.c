/* claims.c - see claims.h. */
#include "sim/cli/import/kube/claims.h"

#include <stdio.h>
#include <string.h>

#define NON_PREEMPTIBLE 100

const struct kube_cluster_queue *kube_cluster_queue_find(const struct kube_site *s,
                                                         const char *name)
{
    for (size_t i = 0; name && i < s->n_cluster_queues; i++)
        if (!s->cluster_queues[i].is_cohort && !strcmp(s->cluster_queues[i].name, name))
            return &s->cluster_queues[i];
    return NULL;
}

bool kube_queue_is_inner(const struct kube_site *s, const char *name)
{
    for (size_t i = 0; i < s->n_queues; i++)
        if (s->queues[i].parent && !strcmp(s->queues[i].parent, name))
            return true;
    return false;
}

static const struct kube_pod *first_pod(const struct kube_site *s, const struct kube_unit *u)
{
    for (size_t g = 0; g < u->n_groups; g++)
        if (u->group[g].pod != NO_NODE)
            return &s->pods[u->group[g].pod];
    return NULL;
}

static const char *of_kueue(struct kube_site *s, const struct kube_unit *u,
                            const struct kube_pod *pod)
{
    const char *local = u->workload ? u->workload->local_queue : NULL;
    const struct kube_cluster_queue *q =
        kube_cluster_queue_find(s, u->workload ? u->workload->queue : NULL);
    if (!local && u->job)
        local = u->job->local_queue;
    if (!local && pod)
        local = pod->local_queue;
    if (q || !local)
        return q ? q->name : NULL;
    for (size_t i = 0; i < s->n_local_queues; i++)
        if (!strcmp(s->local_queues[i].ns, u->ns) && !strcmp(s->local_queues[i].name, local))
            q = kube_cluster_queue_find(s, s->local_queues[i].queue);
    if (!q)
        remark(&s->remarks,
               "LocalQueue %.60s/%.60s or its ClusterQueue was not read: its jobs are in "
               "queue " OUTSIDE,
               u->ns, local);
    return q ? q->name : NULL;
}

static const char *of_kai(struct kube_site *s, const struct kube_unit *u,
                          const struct kube_pod *pod)
{
    const char *name = u->podgroup ? u->podgroup->queue : NULL;
    if (!name && pod)
        name = pod->queue;
    if (!name && u->job)
        name = u->job->queue;
    if (!name)
        return NULL;
    for (size_t i = 0; i < s->n_queues; i++)
        if (!strcmp(s->queues[i].name, name)) {
            if (!kube_queue_is_inner(s, name))
                return s->queues[i].name;
            remark(&s->remarks, "queue %.60s has queues below it: its jobs are in queue " OUTSIDE,
                   name);
            return NULL;
        }
    remark(&s->remarks, "queue %.60s was not read: its jobs are in queue " OUTSIDE, name);
    return NULL;
}

/* ---- priority ---- */

static bool class_value(const struct kube_class *list, size_t n, const char *name, int32_t *to)
{
    for (size_t i = 0; name && i < n; i++)
        if (!strcmp(list[i].name, name)) {
            *to = list[i].value;
            return true;
        }
    return false;
}

/* A class of the cluster; names that Kubernetes and KAI always have (KAI:
 * deployments/kai-scheduler/templates/priorityclasses). */
static bool named_value(struct kube_site *s, const char *name, int32_t *to)
{
    static const struct kube_class always[] = {
        { "system-node-critical", 2000001000, false },
        { "system-cluster-critical", 2000000000, false },
        { "train", 50, false },
        { "build-preemptible", 75, false },
        { "interactive-preemptible", 75, false },
        { "build", 100, false },
        { "inference", 125, false },
    };
    if (!name || !*name)
        return false;
    if (class_value(s->classes, s->n_classes, name, to) ||
        class_value(always, sizeof always / sizeof *always, name, to))
        return true;
    remark(&s->remarks, "PriorityClass %.60s was not read: guessed: priority 0", name);
    *to = 0;
    return true;
}

static int32_t default_priority(const struct kube_site *s)
{
    for (size_t i = 0; i < s->n_classes; i++)
        if (s->classes[i].is_default)
            return s->classes[i].value;
    return 0;
}

static bool of_workload(struct kube_site *s, const struct kube_unit *u, const struct kube_pod *pod,
                        int32_t *to)
{
    const char *name = u->job ? u->job->workload_class : pod ? pod->workload_class : NULL;
    if (u->workload && u->workload->has_priority) {
        *to = u->workload->priority;
        return true;
    }
    if (u->workload &&
        class_value(s->workload_classes, s->n_workload_classes, u->workload->priority_class, to))
        return true;
    if (name && !class_value(s->workload_classes, s->n_workload_classes, name, to)) {
        remark(&s->remarks, "WorkloadPriorityClass %.60s was not read: guessed: priority 0", name);
        *to = 0;
    }
    return name != NULL;
}

static int32_t priority_of(struct kube_site *s, const struct kube_unit *u,
                           const struct kube_pod *pod)
{
    const struct kube_ask *ask = u->n_groups ? u->group[0].ask : NULL;
    int32_t value = 0;
    if (of_workload(s, u, pod, &value) ||
        (u->podgroup && named_value(s, u->podgroup->priority_class, &value)))
        return value;
    if (ask && ask->has_priority)
        return ask->priority;
    return ask && named_value(s, ask->priority_class, &value) ? value : default_priority(s);
}

void kube_claim(struct kube_site *s, struct kube_jobs *j, struct kube_unit *u)
{
    const struct kube_pod *pod = first_pod(s, u);
    u->queue = j->queues == QUEUES_KUEUE ? of_kueue(s, u, pod)
               : j->queues == QUEUES_KAI ? of_kai(s, u, pod)
                                         : u->ns;
    u->priority = priority_of(s, u, pod);
    u->preemptible = true;
    if (u->podgroup && u->podgroup->preemptible >= 0)
        u->preemptible = u->podgroup->preemptible;
    else if (j->queues == QUEUES_KAI)
        u->preemptible = u->queue && u->priority < NON_PREEMPTIBLE;
    if (!u->queue) {
        u->queue = OUTSIDE;
        j->outside = true;
    }
}
