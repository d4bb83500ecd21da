/* kueue.c - see site.h: queues, cohorts, flavors and topologies of Kueue, v1beta1 and v1beta2.
 * Fields: kubernetes-sigs/kueue:apis/kueue/v1beta2. Workloads are in workload.c. */
#include "sim/cli/import/kube/site.h"

#include <stdio.h>
#include <string.h>

static const char *const policies[] = { "Never", "LowerPriority", "LowerOrNewerEqualPriority",
                                        "Any", NULL };

/* "" is as if it were not there. */
static void word_if_any(struct kube_reader *r, struct kube_value *v, const char *key,
                        const char *const *words, int *to)
{
    struct kube_value *c = kube_get(r, v, key);
    if (c && !(c->kind == KUBE_SCALAR && !*c->text))
        kube_word(r, v, key, words, to);
}

static const char *text_if_any(struct kube_reader *r, struct kube_value *v, const char *key)
{
    const char *text = kube_text(r, v, key);
    return text && *text ? text : NULL;
}

static int amount_of(const char *resource)
{
    size_t n = strlen(resource);
    if (!strcmp(resource, "cpu"))
        return KUBE_CPU;
    if (!strcmp(resource, "memory"))
        return KUBE_MEM;
    return n > 4 && !strcmp(resource + n - 4, "/gpu") ? KUBE_GPU : KUBE_AMOUNTS;
}

/* In thousandths, memory in MiB. */
static int64_t read_amount(struct kube_reader *r, struct kube_value *v, const char *key, int amount)
{
    int64_t n;
    struct kube_value *c = kube_get(r, v, key);
    if (!c || (c->kind == KUBE_SCALAR && !*c->text) ||
        !kube_quantity(r, c, amount == KUBE_MEM ? 1 : 1000, INT64_MAX, &n))
        return KUBE_UNSAID;
    return amount == KUBE_MEM ? n >> 20 : n;
}

static void read_flavor_quota(struct kube_site *s, struct kube_reader *r, struct kube_value *v,
                              uint32_t group, struct kube_cluster_queue *q)
{
    mem_grow(&q->quota, &q->capacity, q->n_quotas, sizeof *q->quota);
    struct kube_flavor_quota *f = &q->quota[q->n_quotas++];
    *f = (struct kube_flavor_quota){ .flavor = kube_text(r, v, "name"), .group = group };
    for (int a = 0; a < KUBE_AMOUNTS; a++)
        f->nominal[a] = f->borrow[a] = f->lend[a] = KUBE_UNSAID;
    if (!f->flavor)
        kube_error(r, v, "want a flavor, key 'name' is missing");
    for (struct kube_value *p = kube_first(kube_list(r, v, "resources")); p; p = kube_next(p)) {
        const char *name = kube_text(r, p, "name");
        int amount = name ? amount_of(name) : KUBE_AMOUNTS;
        if (!name)
            kube_error(r, p, "want a resource, key 'name' is missing");
        if (r->err->text[0])
            return;
        if (amount == KUBE_AMOUNTS) {
            kube_see(p);
            remark(&s->remarks, "left out: quotas of resource %.60s", name);
            continue;
        }
        if (f->nominal[amount] != KUBE_UNSAID)
            remark(&s->remarks, "left out: quotas of a second GPU resource of one flavor");
        f->nominal[amount] = read_amount(r, p, "nominalQuota", amount);
        f->borrow[amount] = read_amount(r, p, "borrowingLimit", amount);
        f->lend[amount] = read_amount(r, p, "lendingLimit", amount);
        if (f->nominal[amount] == KUBE_UNSAID)
            f->nominal[amount] = 0;
    }
}

/* What a ClusterQueue and a Cohort have in common. */
static struct kube_cluster_queue *queue_new(struct kube_site *s, struct kube_reader *r,
                                            struct kube_value *spec, const char *name)
{
    struct kube_cluster_queue *q = KUBE_ADD(s, cluster_queues);
    struct kube_value *fair = kube_map(r, spec, "fairSharing"),
                      *weight = kube_get(r, fair, "weight");
    *q = (struct kube_cluster_queue){ .name = name,
                                      .weight = 1000000,
                                      .strategy = -1,
                                      .within = -1,
                                      .reclaim = -1,
                                      .borrow = -1,
                                      .can_borrow = -1,
                                      .can_preempt = -1,
                                      .preference = -1,
                                      .threshold = INT64_MIN };
    if (weight && !(weight->kind == KUBE_SCALAR && !*weight->text))
        q->weighted =
            kube_quantity(r, weight, 1000000, INT64_C(1000000) * KUBE_COUNT_MOST, &q->weight);
    for (struct kube_value *g = kube_first(kube_list(r, spec, "resourceGroups")); g;
         g = kube_next(g)) {
        kube_see(kube_list(r, g, "coveredResources"));
        for (struct kube_value *f = kube_first(kube_list(r, g, "flavors")); f && !r->err->text[0];
             f = kube_next(f))
            read_flavor_quota(s, r, f, q->n_groups, q);
        q->n_groups++;
    }
    return q;
}

static void read_preemption(struct kube_reader *r, struct kube_value *v,
                            struct kube_cluster_queue *q)
{
    struct kube_value *borrow = kube_map(r, v, "borrowWithinCohort");
    word_if_any(r, v, "withinClusterQueue", policies, &q->within);
    word_if_any(r, v, "reclaimWithinCohort", policies, &q->reclaim);
    word_if_any(r, borrow, "policy", policies, &q->borrow);
    kube_integer(r, borrow, "maxPriorityThreshold", INT32_MIN, INT32_MAX, &q->threshold);
}

static void read_fungibility(struct kube_reader *r, struct kube_value *v,
                             struct kube_cluster_queue *q)
{
    /* Borrow and Preempt: the names of v1beta1 for MayStopSearch */
    static const char *const words[] = { "MayStopSearch", "TryNextFlavor", "Borrow", "Preempt",
                                         NULL };
    static const char *const preferences[] = { "BorrowingOverPreemption", "PreemptionOverBorrowing",
                                               NULL };
    word_if_any(r, v, "whenCanBorrow", words, &q->can_borrow);
    word_if_any(r, v, "whenCanPreempt", words, &q->can_preempt);
    word_if_any(r, v, "preference", preferences, &q->preference);
}

static void remark_spec(struct kube_site *s, struct kube_reader *r, struct kube_value *spec,
                        const char *name)
{
    struct kube_value *selector = kube_map(r, spec, "namespaceSelector"),
                      *checks = kube_get(r, spec, "admissionChecks"),
                      *strategy = kube_get(r, spec, "admissionChecksStrategy");
    const char *stop = text_if_any(r, spec, "stopPolicy");
    if (selector && selector->child)
        remark(&s->remarks, "left out: namespaceSelector of ClusterQueues: any LocalQueue may "
                            "submit to them");
    kube_see(selector);
    if ((checks && checks->child) || (strategy && strategy->child))
        remark(&s->remarks, "left out: admission checks of ClusterQueues");
    kube_see(checks);
    kube_see(strategy);
    if (stop && strcmp(stop, "None") != 0)
        remark(&s->remarks, "left out: stopPolicy %.40s of ClusterQueue %.60s: it starts jobs here",
               stop, name);
}

void take_cluster_queue(struct kube_site *s, struct kube_reader *r, struct kube_value *o,
                        const char *ns, const char *name)
{
    static const char *const strategies[] = { "BestEffortFIFO", "StrictFIFO", NULL };
    struct kube_value *spec = kube_map(r, o, "spec");
    struct kube_cluster_queue *q = queue_new(s, r, spec, name);
    (void)ns;
    q->parent = text_if_any(r, spec, "cohortName");
    if (!q->parent)
        q->parent = text_if_any(r, spec, "cohort");
    word_if_any(r, spec, "queueingStrategy", strategies, &q->strategy);
    read_preemption(r, kube_map(r, spec, "preemption"), q);
    read_fungibility(r, kube_map(r, spec, "flavorFungibility"), q);
    struct kube_value *shown = kube_map(r, kube_map(r, o, "status"), "fairSharing");
    q->fair = shown != NULL;
    kube_see(shown);
    remark_spec(s, r, spec, name);
}

void take_cohort(struct kube_site *s, struct kube_reader *r, struct kube_value *o, const char *ns,
                 const char *name)
{
    struct kube_value *spec = kube_map(r, o, "spec");
    struct kube_cluster_queue *q = queue_new(s, r, spec, name);
    (void)ns;
    q->is_cohort = true;
    q->parent = text_if_any(r, spec, "parentName");
    if (!q->parent)
        q->parent = text_if_any(r, spec, "parent");
}

void take_local_queue(struct kube_site *s, struct kube_reader *r, struct kube_value *o,
                      const char *ns, const char *name)
{
    struct kube_local_queue *q = KUBE_ADD(s, local_queues);
    struct kube_value *spec = kube_map(r, o, "spec");
    *q = (struct kube_local_queue){ ns, name, kube_text(r, spec, "clusterQueue") };
    if (!q->queue)
        kube_error(r, spec ? spec : o, "want a ClusterQueue, key 'clusterQueue' is missing");
}

void take_flavor(struct kube_site *s, struct kube_reader *r, struct kube_value *o, const char *ns,
                 const char *name)
{
    struct kube_flavor *f = KUBE_ADD(s, flavors);
    struct kube_value *spec = kube_map(r, o, "spec");
    (void)ns;
    f->name = name;
    f->labels = kube_labels(s, r, kube_map(r, spec, "nodeLabels"));
    f->taints = kube_taints(s, r, kube_list(r, spec, "nodeTaints"));
    f->tolerations = kube_tolerations(s, r, kube_list(r, spec, "tolerations"));
    f->topology = text_if_any(r, spec, "topologyName");
}

void take_topology(struct kube_site *s, struct kube_reader *r, struct kube_value *o, const char *ns,
                   const char *name)
{
    struct kube_topology *t = KUBE_ADD(s, topologies);
    struct kube_value *levels = kube_list(r, kube_map(r, o, "spec"), "levels");
    size_t n = 0;
    (void)ns;
    t->name = name;
    for (struct kube_value *v = kube_first(levels); v; v = kube_next(v))
        n++;
    t->level = arena_alloc(s->memory, (n + 1) * sizeof *t->level);
    for (struct kube_value *v = kube_first(levels); v && !r->err->text[0]; v = kube_next(v)) {
        const char *label = kube_text(r, v, "nodeLabel");
        if (!label)
            kube_error(r, v, "want a level, key 'nodeLabel' is missing");
        else
            t->level[t->n_levels++] = label;
    }
}

void take_workload_priority_class(struct kube_site *s, struct kube_reader *r, struct kube_value *o,
                                  const char *ns, const char *name)
{
    int64_t value = 0;
    (void)ns;
    kube_integer(r, o, "value", INT32_MIN, INT32_MAX, &value);
    *KUBE_ADD(s, workload_classes) = (struct kube_class){ name, (int32_t)value, false };
}

void take_kueue_config(struct kube_site *s, struct kube_reader *r, struct kube_value *o,
                       const char *ns, const char *name)
{
    struct kube_value *fair = kube_map(r, o, "fairSharing");
    bool on = fair && !kube_get(r, fair, "enable");
    (void)ns;
    (void)name;
    kube_flag(r, fair, "enable", &on);
    s->fair_sharing |= on;
    remark(&s->remarks, "left out: all of Kueue's Configuration but fairSharing");
}
