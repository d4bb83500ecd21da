/* write_queues.c - flavors and queues of a Kubernetes cluster in a cluster file: see kubernetes.h.
 *
 * A queue is written as a line with its keys, and the queues below it, indented, under `queues`. */
#include "sim/base/units.h"
#include "sim/cli/import/kube/claims.h"
#include "sim/cli/import/kube/kubernetes.h"
#include "sim/io/config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MOST 32
static const char *const amounts[] = { "gpus", "cpus", "memory_gib" };

/* Queues of any system, by position in its array. */
struct tree {
    struct kube_import *im;
    size_t n;
    const char *(*name)(const struct kube_site *s, size_t i);
    size_t (*parent)(struct kube_site *s, size_t i); /* SIZE_MAX: none */
    void (*put)(struct kube_import *im, FILE *f, size_t i);
    void (*put_outside)(struct kube_import *im, FILE *f);
    size_t *up; /* [n] */
};

static void find_parents(struct tree *t)
{
    struct kube_site *s = t->im->s;
    for (size_t i = 0; i < t->n; i++)
        t->up[i] = t->parent(s, i);
    for (size_t i = 0; i < t->n; i++) {
        size_t steps = 0;
        for (size_t k = i; t->up[k] != SIZE_MAX && steps < DEPTH_MOST; steps++)
            k = t->up[k];
        if (steps < DEPTH_MOST)
            continue;
        t->up[i] = SIZE_MAX;
        remark(&s->remarks,
               "queue %.60s is at the top: the queues above it are a ring, or more than "
               "31",
               t->name(s, i));
    }
}

static void put_queue(const struct tree *t, FILE *f, size_t i, int indent)
{
    bool any = false;
    fputs("{ name: ", f);
    config_put_quoted(f, t->name(t->im->s, i));
    t->put(t->im, f, i);
    for (size_t k = 0; k < t->n; k++) {
        if (t->up[k] != i)
            continue;
        fprintf(f, "%s\n%*s", any ? "," : ", queues: [", indent, "");
        put_queue(t, f, k, indent + 4);
        any = true;
    }
    fputs(any ? " ] }" : " }", f);
}

static void put_all(struct tree *t, FILE *f)
{
    t->up = mem_new(t->n + 1, sizeof *t->up);
    find_parents(t);
    fputs("queues:\n", f);
    for (size_t i = 0; i < t->n; i++) {
        if (t->up[i] != SIZE_MAX)
            continue;
        fputs("  - ", f);
        put_queue(t, f, i, 6);
        fputc('\n', f);
    }
    if (t->im->jobs.outside) {
        fputs("  - { name: " OUTSIDE, f);
        t->put_outside(t->im, f);
        fputs(" }\n", f);
    }
    free(t->up);
}

static void put_parts(FILE *f, int64_t value, int64_t scale)
{
    if (value == KUBE_UNLIMITED)
        fputs("unlimited", f);
    else
        fprintf(f, "%.16g", (double)value / (double)scale);
}

/* ---- KAI ---- */

static const char *kai_name(const struct kube_site *s, size_t i)
{
    return s->queues[i].name;
}

static size_t kai_parent(struct kube_site *s, size_t i)
{
    const char *parent = s->queues[i].parent;
    for (size_t k = 0; parent && k < s->n_queues; k++)
        if (!strcmp(s->queues[k].name, parent))
            return k;
    if (parent)
        remark(&s->remarks, "queue %.60s is at the top: %.60s above it was not read",
               s->queues[i].name, parent);
    return SIZE_MAX;
}

static double gib_of(int64_t megabytes)
{
    return (double)megabytes * 1e6 / (1 << 30);
}

/* A quota above the limit is worth the limit, up to which KAI gives what is asked for
 * (NVIDIA/KAI-Scheduler:pkg/scheduler/plugins/proportion/resource_division/
 * resource_division.go). */
static int64_t deserved_of(struct kube_site *s, const struct kube_queue *q, int amount)
{
    int64_t quota = q->quota[amount], limit = q->limit[amount];
    if (limit == KUBE_UNLIMITED || (quota != KUBE_UNLIMITED && quota <= limit))
        return quota;
    remark(&s->remarks, "queue %.60s of KAI deserves no more %s than its limit", q->name,
           amount == KUBE_MEM ? "memory" : amounts[amount]);
    return limit;
}

static void put_kai(struct kube_import *im, FILE *f, size_t i)
{
    static const char *const weights[] = { "weight", "cpu_weight", "memory_weight" };
    const struct kube_queue *q = &im->s->queues[i];
    for (int a = 0; a < KUBE_AMOUNTS; a++) {
        const int64_t value[] = { deserved_of(im->s, q, a), q->limit[a] };
        for (int k = 0; k < 2; k++) {
            fprintf(f, ", %s_%s: ", k ? "limit" : "deserved", amounts[a]);
            if (a == KUBE_MEM && value[k] != KUBE_UNLIMITED)
                fprintf(f, "%.6f", gib_of(value[k]));
            else
                put_parts(f, value[k], 1000);
        }
        fprintf(f, ", %s: %.10g", weights[a], (double)q->weight[a] / 1e6);
        if (!q->limit[a])
            remark(&im->s->remarks, "queue %.60s of KAI may hold no %s: its limit is 0 or not said",
                   q->name, a == KUBE_MEM ? "memory" : amounts[a]);
    }
    fprintf(f, ", priority: %" PRId64, q->priority);
    if (q->preempt_ns != NO_TIME)
        fprintf(f, ", preempt_min_runtime_s: %.10g", seconds(q->preempt_ns));
    if (q->reclaim_ns != NO_TIME)
        fprintf(f, ", reclaim_min_runtime_s: %.10g", seconds(q->reclaim_ns));
}

static int64_t held_outside(const struct kube_import *im)
{
    int64_t gpus = 0;
    for (size_t i = 0; i < im->jobs.n; i++) {
        const struct kube_unit *u = &im->jobs.unit[i];
        for (size_t g = 0; g < u->n_groups && !strcmp(u->queue, OUTSIDE); g++)
            gpus += u->group[g].running * u->group[g].ask->gpus;
    }
    return gpus;
}

/* KAI takes what pods of others hold off what it divides. */
static void put_outside_kai(struct kube_import *im, FILE *f)
{
    fprintf(f, ", deserved_gpus: %" PRId64 ", weight: 0", held_outside(im));
    remark(&im->s->remarks,
           "jobs without a queue of KAI are in queue " OUTSIDE ", which deserves the "
           "GPUs that they hold, and are not preemptible");
}

/* ---- Kueue ---- */

static const char *kueue_name(const struct kube_site *s, size_t i)
{
    const struct kube_cluster_queue *q = &s->cluster_queues[i];
    char text[300];
    if (!q->is_cohort || !kube_cluster_queue_find(s, q->name))
        return q->name;
    snprintf(text, sizeof text, "cohort %.250s", q->name);
    return intern_text(s->names, intern_add(s->names, text, strlen(text)));
}

static size_t kueue_parent(struct kube_site *s, size_t i)
{
    const char *parent = s->cluster_queues[i].parent;
    for (size_t k = 0; parent && k < s->n_cluster_queues; k++)
        if (s->cluster_queues[k].is_cohort && !strcmp(s->cluster_queues[k].name, parent))
            return k;
    return SIZE_MAX;
}

static void put_amounts(FILE *f, const char *key, const int64_t amount[KUBE_AMOUNTS])
{
    for (int a = 0; a < KUBE_AMOUNTS; a++)
        if (amount[a] != KUBE_UNSAID) {
            fprintf(f, ", %s_%s: ", key, amounts[a]);
            put_parts(f, amount[a], a == KUBE_MEM ? 1024 : 1000);
        }
}

/* The group that GPUs are in is 0 in a cluster file. */
static uint32_t group_number(const struct kube_cluster_queue *q, uint32_t group)
{
    uint32_t first = 0;
    for (size_t i = 0; i < q->n_quotas; i++)
        if (q->quota[i].nominal[KUBE_GPU] != KUBE_UNSAID) {
            first = q->quota[i].group;
            break;
        }
    return group == first ? 0 : group < first ? group + 1 : group;
}

static void put_flavor_quotas(const struct kube_import *im, FILE *f,
                              const struct kube_cluster_queue *q)
{
    fputs(", flavors: [", f);
    for (size_t i = 0; i < q->n_quotas; i++) {
        const struct kube_flavor_quota *x = &q->quota[i];
        fputs(i ? ", { flavor: " : " { flavor: ", f);
        config_put_quoted(f, x->flavor);
        if (group_number(q, x->group))
            fprintf(f, ", group: %" PRIu32, group_number(q, x->group));
        put_amounts(f, "deserved", x->nominal);
        put_amounts(f, "borrowing_limit", x->borrow);
        put_amounts(f, "lending_limit", x->lend);
        fputs(" }", f);
    }
    if (!q->n_quotas) {
        fputs(" { flavor: ", f);
        config_put_quoted(f, im->s->flavors[0].name);
        fputs(", deserved_gpus: 0, deserved_cpus: 0 }", f);
    }
    fputs(" ]", f);
}

static void put_rules(FILE *f, const struct kube_cluster_queue *q)
{
    static const char *const policies[] = { "never", "lower-priority", "lower-or-newer-equal",
                                            "any" };
    static const char *const searches[] = { "may-stop-search", "try-next-flavor", "may-stop-search",
                                            "may-stop-search" };
    static const char *const preferences[] = { "borrowing-over-preemption",
                                               "preemption-over-borrowing" };
    if (q->strategy == 1)
        fputs(", queueing: strict-fifo", f);
    if (!q->is_cohort) {
        fprintf(f,
                ", preemption: { within_queue: %s, reclaim_within_cohort: %s, "
                "borrow_within_cohort: %s",
                policies[q->within > 0 ? q->within : 0], policies[q->reclaim > 0 ? q->reclaim : 0],
                policies[q->borrow > 0 ? q->borrow : 0]);
        if (q->threshold != INT64_MIN)
            fprintf(f, ", borrow_priority_threshold: %" PRId64, q->threshold);
        fputs(" }", f);
    }
    if (q->can_borrow < 0 && q->can_preempt < 0 && q->preference < 0)
        return;
    fprintf(f, ", fungibility: { when_can_borrow: %s, when_can_preempt: %s",
            searches[q->can_borrow < 0 ? 0 : q->can_borrow],
            searches[q->can_preempt < 0 ? 1 : q->can_preempt]);
    if (q->preference >= 0)
        fprintf(f, ", preference: %s", preferences[q->preference]);
    fputs(" }", f);
}

static void put_kueue(struct kube_import *im, FILE *f, size_t i)
{
    const struct kube_cluster_queue *q = &im->s->cluster_queues[i];
    if (q->weighted)
        fprintf(f, ", weight: %.10g", (double)q->weight / 1e6);
    put_rules(f, q);
    if (im->flavored && (!q->is_cohort || q->n_quotas))
        put_flavor_quotas(im, f, q);
}

/* Pods that Kueue does not manage: no quota holds them. */
static void put_outside_kueue(struct kube_import *im, FILE *f)
{
    for (size_t i = 0; im->flavored && i < im->s->n_flavors; i++) {
        fputs(i ? ", { flavor: " : ", flavors: [ { flavor: ", f);
        config_put_quoted(f, im->s->flavors[i].name);
        fputs(", deserved_gpus: unlimited }", f);
    }
    fputs(im->flavored ? " ]" : "", f);
    remark(&im->s->remarks,
           "jobs that Kueue does not manage are in queue " OUTSIDE ", without quota");
}

/* Cohorts that only ClusterQueues name, and flavors that only these name. */
static void add_implied(struct kube_import *im)
{
    struct kube_site *s = im->s;
    for (size_t i = 0; i < s->n_cluster_queues; i++) {
        const char *parent = s->cluster_queues[i].parent;
        if (parent && kueue_parent(s, i) == SIZE_MAX)
            *KUBE_ADD(s, cluster_queues) = (struct kube_cluster_queue){
                .name = parent,
                .is_cohort = true,
                .within = -1,
                .reclaim = -1,
                .borrow = -1,
                .strategy = -1,
                .can_borrow = -1,
                .can_preempt = -1,
                .preference = -1,
            };
        for (size_t k = 0; k < s->cluster_queues[i].n_quotas; k++) {
            const char *name = s->cluster_queues[i].quota[k].flavor;
            size_t f = 0;
            while (f < s->n_flavors && strcmp(s->flavors[f].name, name) != 0)
                f++;
            if (f < s->n_flavors)
                continue;
            *KUBE_ADD(s, flavors) = (struct kube_flavor){ name, "", "", "", NULL };
            remark(&s->remarks, "ResourceFlavor %.60s was not read: guessed: all nodes are of it",
                   name);
        }
    }
}

void kube_put_flavors(struct kube_import *im, FILE *f)
{
    if (im->jobs.queues == QUEUES_KUEUE)
        add_implied(im);
    if (!im->flavored)
        return;
    fputs("flavors:\n", f);
    for (size_t i = 0; i < im->s->n_flavors; i++) {
        const struct kube_flavor *x = &im->s->flavors[i];
        fputs("  - { name: ", f);
        config_put_quoted(f, x->name);
        kube_put_labels(f, ", node_labels: { ", x->labels);
        kube_put_texts(f, ", taints: [ ", x->taints);
        kube_put_texts(f, ", tolerations: [ ", x->tolerations);
        fputs(" }\n", f);
    }
}

/* ---- namespaces ---- */

struct space {
    const char *name;
    int64_t quota;
}; /* quota -1: none said */

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct space *)a)->name, ((const struct space *)b)->name);
}

static size_t spaces_of(const struct kube_import *im, struct space *all)
{
    struct intern *seen = intern_new();
    size_t n = 0;
    for (size_t i = 0; i < im->jobs.n; i++) {
        const struct kube_unit *u = &im->jobs.unit[i];
        uint32_t before = intern_count(seen);
        if (u->state == KUBE_LEFT || intern_add(seen, u->queue, strlen(u->queue)) < before)
            continue;
        all[n] = (struct space){ u->queue, -1 };
        for (size_t q = 0; q < im->s->n_resource_quotas; q++)
            if (!strcmp(im->s->resource_quotas[q].ns, u->queue))
                all[n].quota = im->s->resource_quotas[q].gpus;
        n++;
    }
    intern_free(seen);
    if (n)
        qsort(all, n, sizeof *all, by_name);
    return n;
}

/* Teams are namespaces: what a ResourceQuota grants, and of the rest an equal part. */
static void put_namespaces(struct kube_import *im, FILE *f)
{
    struct space *all = mem_new(im->jobs.n + 1, sizeof *all);
    size_t n = spaces_of(im, all), others = 0;
    int64_t rest = im->gpus;
    for (size_t i = 0; i < n; i++) {
        others += all[i].quota < 0;
        rest -= all[i].quota > 0 ? all[i].quota : 0;
    }
    for (size_t i = 0; i < n; i++) {
        fputs(i ? "  - { name: " : "queues:\n  - { name: ", f);
        config_put_quoted(f, all[i].name);
        if (all[i].quota >= 0)
            fprintf(f, ", deserved_gpus: %" PRId64 ", limit_gpus: %" PRId64 " }\n", all[i].quota,
                    all[i].quota);
        else
            fprintf(f, ", deserved_gpus: %" PRId64 " }\n", rest > 0 ? rest / (int64_t)others : 0);
    }
    if (others)
        remark(&im->s->remarks, "guessed: a namespace is a team, and each without a ResourceQuota "
                                "deserves an equal part of the other GPUs, rounded down");
    free(all);
}

void kube_put_queues(struct kube_import *im, FILE *f)
{
    struct tree kai = { .im = im,
                        .n = im->s->n_queues,
                        .name = kai_name,
                        .parent = kai_parent,
                        .put = put_kai,
                        .put_outside = put_outside_kai },
                kueue = { .im = im,
                          .n = im->s->n_cluster_queues,
                          .name = kueue_name,
                          .parent = kueue_parent,
                          .put = put_kueue,
                          .put_outside = put_outside_kueue };
    if (im->jobs.queues == QUEUES_KUEUE)
        put_all(&kueue, f);
    else if (im->jobs.queues == QUEUES_KAI)
        put_all(&kai, f);
    else
        put_namespaces(im, f);
}

/* ---- the policy that comes closest ---- */

static bool is_fair(struct kube_site *s)
{
    bool fair = s->fair_sharing, weighted = false;
    for (size_t i = 0; i < s->n_cluster_queues; i++) {
        fair |= s->cluster_queues[i].fair;
        weighted |= s->cluster_queues[i].weighted;
    }
    if (weighted && !fair)
        remark(&s->remarks, "guessed: fair sharing is on, as queues have weights of it");
    return fair || weighted;
}

static void policy_of_kueue(const struct kube_import *im, FILE *f)
{
    bool placed = false;
    for (size_t i = 0; i < im->s->n_flavors; i++)
        placed |= im->s->flavors[i].topology != NULL;
    bool fair = is_fair(im->s);
    fprintf(f, "cohort%s%s%s%s", fair || placed ? ":" : "", fair ? "sharing=fair" : "",
            fair && placed ? "," : "", placed ? "placement=wait --placement kueue-tas" : "");
}

static void policy_of_kai(const struct kube_import *im, FILE *f)
{
    static const char *const actions[][2] = { { "consolidation", "consolidation=no" },
                                              { "reclaim", "reclaim=no" },
                                              { "preempt", "preempt=no" },
                                              { "stalegangeviction", "stale=no" } };
    bool any = false;
    fputs("quota", f);
    for (size_t i = 0; im->s->actions && i < sizeof actions / sizeof *actions; i++)
        if (!strstr(im->s->actions, actions[i][0])) {
            fprintf(f, "%s%s", any ? "," : ":", actions[i][1]);
            any = true;
        }
    fputs(im->s->spread ? " --placement spread" : "", f);
}

char *kube_closest(const struct kube_import *im)
{
    char *text = NULL;
    size_t length = 0;
    FILE *f = mem_stream(&text, &length);
    if (im->jobs.queues == QUEUES_KUEUE)
        policy_of_kueue(im, f);
    else if (im->jobs.queues == QUEUES_KAI)
        policy_of_kai(im, f);
    else
        fputs("kube", f);
    mem_stream_end(f, &text);
    return text;
}
