/* core.c - see site.h: objects of Kubernetes itself. Fields: k8s.io/api core/v1, batch/v1,
 * scheduling.k8s.io/v1. */
#include "sim/base/units.h"
#include "sim/cli/import/kube/site.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_MOST INT64_C(1000000)

/* ---- what all objects have ---- */

struct kube_value *kube_metadata(struct kube_reader *r, struct kube_value *o)
{
    return kube_map(r, o, "metadata");
}

const char *kube_label(struct kube_reader *r, struct kube_value *o, const char *key)
{
    return kube_text(r, kube_map(r, kube_metadata(r, o), "labels"), key);
}

const char *kube_annotation(struct kube_reader *r, struct kube_value *o, const char *key)
{
    return kube_text(r, kube_map(r, kube_metadata(r, o), "annotations"), key);
}

int64_t kube_moment(struct kube_site *s, struct kube_reader *r, struct kube_value *v,
                    const char *key)
{
    int64_t ns;
    if (!kube_time(r, v, key, &ns))
        return NO_TIME;
    if (ns > s->latest_ns)
        s->latest_ns = ns;
    return ns;
}

int kube_condition(struct kube_site *s, struct kube_reader *r, struct kube_value *o,
                   const char *type, int64_t *since_ns)
{
    struct kube_value *list = kube_list(r, kube_map(r, o, "status"), "conditions");
    int result = -1;
    for (struct kube_value *c = kube_first(list); c && !r->err->text[0]; c = kube_next(c)) {
        const char *is = kube_text(r, c, "type"), *status = kube_text(r, c, "status");
        int64_t since = kube_moment(s, r, c, "lastTransitionTime");
        (void)kube_moment(s, r, c, "lastHeartbeatTime");
        if (!is || strcmp(is, type) != 0 || !status)
            continue;
        result = !strcmp(status, "True");
        if (since_ns)
            *since_ns = since;
    }
    return result;
}

struct kube_owner kube_owner_read(struct kube_reader *r, struct kube_value *o)
{
    struct kube_value *list = kube_list(r, kube_metadata(r, o), "ownerReferences");
    struct kube_owner owner = { NULL, NULL };
    for (struct kube_value *v = kube_first(list); v; v = kube_next(v)) {
        bool controls = false;
        const char *kind = kube_text(r, v, "kind"), *name = kube_text(r, v, "name");
        kube_flag(r, v, "controller", &controls);
        if (controls || !owner.kind)
            owner = (struct kube_owner){ kind, name };
    }
    if (!owner.kind || !owner.name)
        owner = (struct kube_owner){ NULL, NULL };
    return owner;
}

/* ---- Node ---- */

static bool ends_with(const char *text, const char *with)
{
    size_t n = strlen(text), k = strlen(with);
    return n >= k && !strcmp(text + n - k, with);
}

static void add_allocatable(struct kube_site *s, struct kube_reader *r, struct kube_value *pair,
                            struct kube_node *to)
{
    static const char mig[] = "nvidia.com/mig-";
    int64_t n = 0;
    if (!strcmp(pair->key, "cpu")) {
        kube_cpus(r, pair, &to->cpu_milli);
    } else if (!strcmp(pair->key, "memory")) {
        kube_memory(r, pair, &to->mem_mib);
    } else if (ends_with(pair->key, "/gpu")) {
        if (kube_count(r, pair, &n))
            to->gpus += n;
    } else if (!strncmp(pair->key, mig, sizeof mig - 1)) {
        char text[200];
        if (!kube_count(r, pair, &n) || !n)
            return;
        snprintf(text, sizeof text, "%.120s%s%.20s=%" PRId64, to->mig, *to->mig ? ";" : "",
                 pair->key + sizeof mig - 1, n);
        to->mig = intern_text(s->names, intern_add(s->names, text, strlen(text)));
    } else {
        pair->seen = false;
    }
}

static int by_key(const void *a, const void *b)
{
    return strcmp(((const struct kube_pair *)a)->key, ((const struct kube_pair *)b)->key);
}

static void read_labels(struct kube_site *s, struct kube_reader *r, struct kube_value *labels,
                        struct kube_node *to)
{
    uint32_t n = 0;
    for (struct kube_value *v = kube_first(labels); v; v = kube_next(v))
        n++;
    to->label = arena_alloc(s->memory, (n + 1) * sizeof *to->label);
    for (struct kube_value *v = kube_first(labels); v && !r->err->text[0]; v = kube_next(v)) {
        const char *value = kube_item_text(r, v);
        to->label[to->n_labels++] = (struct kube_pair){
            intern_text(s->names, intern_add(s->names, v->key, strlen(v->key))),
            value && *value ? value : KUBE_EMPTY,
        };
    }
    if (to->n_labels)
        qsort(to->label, to->n_labels, sizeof *to->label, by_key);
}

void take_node(struct kube_site *s, struct kube_reader *r, struct kube_value *o, const char *ns,
               const char *name)
{
    struct kube_node *n = KUBE_ADD(s, nodes);
    struct kube_value *spec = kube_map(r, o, "spec"), *status = kube_map(r, o, "status"),
                      *amounts = kube_map(r, status, "allocatable");
    static const char cordoned[] = "node.kubernetes.io/unschedulable";
    bool cordon = false;
    (void)ns;
    n->name = name;
    n->mig = "";
    if (!amounts) {
        amounts = kube_map(r, status, "capacity");
        if (amounts)
            remark(&s->remarks,
                   "guessed: all of the capacity of nodes without allocatable is free");
    }
    for (struct kube_value *p = kube_first(amounts); p && !r->err->text[0]; p = kube_next(p))
        add_allocatable(s, r, p, n);
    read_labels(s, r, kube_map(r, kube_metadata(r, o), "labels"), n);
    n->taints = kube_taints(s, r, kube_list(r, spec, "taints"));
    kube_flag(r, spec, "unschedulable", &cordon);
    if (cordon && !strstr(n->taints, cordoned)) {
        char text[1024];
        snprintf(text, sizeof text, "%.900s%s%s:NoSchedule", n->taints, *n->taints ? ";" : "",
                 cordoned);
        n->taints = intern_text(s->names, intern_add(s->names, text, strlen(text)));
    }
    n->not_ready = kube_condition(s, r, o, "Ready", NULL) == 0;
}

/* ---- Pod ---- */

/* The GPUs that a pod of KAI shares, by the groups of those that share them. */
static void read_devices(struct kube_site *s, struct kube_reader *r, struct kube_value *o,
                         struct kube_pod *to)
{
    static const char one[] = "runai-gpu-group", several[] = "runai-gpu-group/";
    struct kube_value *labels = kube_map(r, kube_metadata(r, o), "labels");
    uint32_t n = 0;
    for (struct kube_value *v = labels ? labels->child : NULL; v; v = v->next)
        n++;
    to->device = arena_alloc(s->memory, (n + 1) * sizeof *to->device);
    for (struct kube_value *v = labels ? labels->child : NULL; v; v = v->next)
        if (!strncmp(v->key, several, sizeof several - 1) || !strcmp(v->key, one)) {
            v->seen = true;
            to->device[to->n_devices++] = kube_item_text(r, v);
        }
    const char *app = kube_text(r, labels, "app");
    to->reservation =
        to->n_devices && app &&
        (!strcmp(app, "runai-reservation") || !strcmp(app, "kai-resource-reservation"));
}

static int64_t finished_of(struct kube_site *s, struct kube_reader *r, struct kube_value *status)
{
    struct kube_value *list = kube_list(r, status, "containerStatuses");
    int64_t latest = NO_TIME;
    for (struct kube_value *c = kube_first(list); c; c = kube_next(c)) {
        struct kube_value *ended = kube_map(r, kube_map(r, c, "state"), "terminated");
        int64_t at = kube_moment(s, r, ended, "finishedAt");
        latest = at > latest ? at : latest;
    }
    return latest;
}

static const char *queue_label(struct kube_reader *r, struct kube_value *o)
{
    const char *queue = kube_label(r, o, "kai.scheduler/queue");
    return queue ? queue : kube_label(r, o, "runai/queue");
}

void take_pod(struct kube_site *s, struct kube_reader *r, struct kube_value *o, const char *ns,
              const char *name)
{
    static const char *const phases[] = { "Pending", "Running", "Succeeded",
                                          "Failed",  "Unknown", NULL };
    struct kube_pod *p = KUBE_ADD(s, pods);
    struct kube_value *status = kube_map(r, o, "status");
    int phase = POD_PENDING;
    p->ns = ns;
    p->name = name;
    p->node = kube_text(r, kube_map(r, o, "spec"), "nodeName");
    p->node = p->node && *p->node ? p->node : NULL;
    kube_word(r, status, "phase", phases, &phase);
    p->phase = (enum kube_phase)phase;
    p->owner = kube_owner_read(r, o);
    p->podgroup = kube_annotation(r, o, "pod-group-name");
    p->subgroup = kube_label(r, o, "kai.scheduler/subgroup-name");
    p->workload = kube_annotation(r, o, "kueue.x-k8s.io/workload");
    if (!p->workload)
        p->workload = kube_label(r, o, "kueue.x-k8s.io/pod-group-name");
    p->podset = kube_label(r, o, "kueue.x-k8s.io/podset");
    p->queue = queue_label(r, o);
    p->local_queue = kube_label(r, o, "kueue.x-k8s.io/queue-name");
    p->workload_class = kube_label(r, o, "kueue.x-k8s.io/priority-class");
    read_devices(s, r, o, p);
    kube_ask_read(s, r, o, ns, &p->ask);
    p->created_ns = kube_moment(s, r, kube_metadata(r, o), "creationTimestamp");
    p->started_ns = kube_moment(s, r, status, "startTime");
    p->finished_ns = finished_of(s, r, status);
    p->leaving = kube_moment(s, r, kube_metadata(r, o), "deletionTimestamp") != NO_TIME;
    (void)kube_condition(s, r, o, "Ready", NULL);
}

/* ---- Job ---- */

static int64_t count_of(struct kube_reader *r, struct kube_value *v, const char *key,
                        int64_t otherwise)
{
    kube_integer(r, v, key, 0, COUNT_MOST, &otherwise);
    return otherwise;
}

void take_job(struct kube_site *s, struct kube_reader *r, struct kube_value *o, const char *ns,
              const char *name)
{
    struct kube_job *j = KUBE_ADD(s, jobs);
    struct kube_value *spec = kube_map(r, o, "spec"), *status = kube_map(r, o, "status");
    int64_t seconds = 0, failed_ns = NO_TIME, complete_ns = NO_TIME;
    const char *least = kube_annotation(r, o, "kueue.x-k8s.io/job-min-parallelism");
    j->ns = ns;
    j->name = name;
    j->owner = kube_owner_read(r, o);
    j->queue = queue_label(r, o);
    j->local_queue = kube_label(r, o, "kueue.x-k8s.io/queue-name");
    j->workload_class = kube_label(r, o, "kueue.x-k8s.io/priority-class");
    if (least && (!integer_parse(least, strlen(least), &j->min_parallelism) ||
                  j->min_parallelism < 1 || j->min_parallelism > COUNT_MOST))
        kube_error(r, o, "kueue.x-k8s.io/job-min-parallelism: want a whole number from 1 on");
    kube_ask_read(s, r, kube_map(r, spec, "template"), ns, &j->ask);
    j->parallelism = count_of(r, spec, "parallelism", 1);
    j->completions = count_of(r, spec, "completions", 0);
    j->succeeded = count_of(r, status, "succeeded", 0);
    kube_flag(r, spec, "suspend", &j->suspended);
    j->deadline_ns = j->ask.deadline_ns;
    if (kube_integer(r, spec, "activeDeadlineSeconds", 1, INT32_MAX, &seconds))
        j->deadline_ns = seconds * NS_PER_S;
    j->created_ns = kube_moment(s, r, kube_metadata(r, o), "creationTimestamp");
    j->started_ns = kube_moment(s, r, status, "startTime");
    j->finished_ns = kube_moment(s, r, status, "completionTime");
    j->failed = kube_condition(s, r, o, "Failed", &failed_ns) == 1;
    if (j->failed)
        j->finished_ns = failed_ns;
    else if (kube_condition(s, r, o, "Complete", &complete_ns) == 1 && j->finished_ns == NO_TIME)
        j->finished_ns = complete_ns;
}

/* ---- PriorityClass, ResourceQuota ---- */

void take_priority_class(struct kube_site *s, struct kube_reader *r, struct kube_value *o,
                         const char *ns, const char *name)
{
    struct kube_class *c = KUBE_ADD(s, classes);
    int64_t value = 0;
    const char *policy = kube_text(r, o, "preemptionPolicy");
    (void)ns;
    kube_integer(r, o, "value", INT32_MIN, INT32_MAX, &value);
    *c = (struct kube_class){ name, (int32_t)value, false };
    kube_flag(r, o, "globalDefault", &c->is_default);
    if (policy && !strcmp(policy, "Never"))
        remark(&s->remarks, "left out: preemptionPolicy Never of PriorityClass %.60s", name);
}

void take_resource_quota(struct kube_site *s, struct kube_reader *r, struct kube_value *o,
                         const char *ns, const char *name)
{
    struct kube_value *hard = kube_map(r, kube_map(r, o, "spec"), "hard");
    (void)name;
    for (struct kube_value *p = hard ? hard->child : NULL; p; p = p->next) {
        int64_t gpus = 0;
        if (strncmp(p->key, "requests.", 9) != 0 || !ends_with(p->key, "/gpu"))
            continue;
        p->seen = true;
        kube_count(r, p, &gpus);
        *KUBE_ADD(s, resource_quotas) = (struct kube_resource_quota){ ns, gpus };
    }
}
