/* workload.c - see site.h: Workloads of Kueue, and where topology-aware scheduling has put them. */
#include "sim/base/units.h"
#include "sim/cli/import/kube/site.h"

#include <stdio.h>
#include <string.h>

#define COUNT_MOST INT64_C(1000000)

/* ---- where ---- */

static void add_place(struct kube_workload *w, uint32_t podset, const char *host, int64_t pods)
{
    mem_grow(&w->place, &w->places_capacity, w->n_places, sizeof *w->place);
    w->place[w->n_places++] = (struct kube_place){ podset, host, pods };
}

/* v1beta1: { values: [ block, rack, host ], count } for each domain. */
static void read_domains(struct kube_reader *r, struct kube_value *list, struct kube_workload *w,
                         uint32_t podset)
{
    for (struct kube_value *d = kube_first(list); d; d = kube_next(d)) {
        const char *host = NULL;
        int64_t pods = 0;
        for (struct kube_value *v = kube_first(kube_list(r, d, "values")); v; v = kube_next(v))
            host = kube_item_text(r, v);
        kube_integer(r, d, "count", 1, COUNT_MOST, &pods);
        if (host && pods)
            add_place(w, podset, host, pods);
    }
}

static const char *join(struct kube_site *s, const char *prefix, const char *root,
                        const char *suffix)
{
    char text[800];
    snprintf(text, sizeof text, "%.250s%.250s%.250s", prefix ? prefix : "", root ? root : "",
             suffix ? suffix : "");
    return intern_text(s->names, intern_add(s->names, text, strlen(text)));
}

/* v1beta2: for each level one value for all domains of the slice, or one each, with what they have
 * in common before and behind (kubernetes-sigs/kueue:keps/2724-topology-aware-scheduling). */
static void read_slice(struct kube_site *s, struct kube_reader *r, struct kube_value *slice,
                       struct kube_workload *w, uint32_t podset)
{
    int64_t domains = 1, pods = 0;
    struct kube_value *levels = kube_list(r, slice, "valuesPerLevel"), *last = NULL,
                      *counts = kube_map(r, slice, "podCounts");
    kube_integer(r, slice, "domainCount", 1, COUNT_MOST, &domains);
    for (struct kube_value *v = kube_first(levels); v; v = kube_next(v)) {
        kube_see(last);
        last = v;
    }
    struct kube_value *each = kube_map(r, last, "individual"),
                      *root = kube_first(kube_list(r, each, "roots")),
                      *count = kube_first(kube_list(r, counts, "individual"));
    const char *all = kube_text(r, last, "universal"), *prefix = kube_text(r, each, "prefix"),
               *suffix = kube_text(r, each, "suffix");
    bool alike = kube_integer(r, counts, "universal", 1, COUNT_MOST, &pods);
    if (alike && all) {
        add_place(w, podset, all, pods * domains);
        return;
    }
    for (int64_t i = 0; i < domains && !r->err->text[0]; i++) {
        const char *host = all ? all : join(s, prefix, kube_item_text(r, root), suffix);
        const char *text = alike ? NULL : kube_item_text(r, count);
        if (!alike &&
            (!text || !integer_parse(text, strlen(text), &pods) || pods < 1 || pods > COUNT_MOST))
            kube_error(r, count ? count : slice, "want a number of pods for each domain");
        else if (!all && !root)
            kube_error(r, slice, "want a value for each domain");
        else
            add_place(w, podset, host, pods);
        root = kube_next(root);
        count = kube_next(count);
    }
}

static void read_topology(struct kube_site *s, struct kube_reader *r, struct kube_value *v,
                          struct kube_workload *w, uint32_t podset)
{
    struct kube_value *levels = kube_list(r, v, "levels"), *slices = kube_list(r, v, "slices"),
                      *domains = kube_list(r, v, "domains");
    const char *lowest = NULL;
    for (struct kube_value *l = kube_first(levels); l; l = kube_next(l))
        lowest = kube_item_text(r, l);
    if (!lowest || strcmp(lowest, "kubernetes.io/hostname") != 0) {
        kube_see(v);
        return;
    }
    read_domains(r, domains, w, podset);
    for (struct kube_value *l = kube_first(slices); l && !r->err->text[0]; l = kube_next(l))
        read_slice(s, r, l, w, podset);
}

static void read_admission(struct kube_site *s, struct kube_reader *r, struct kube_value *v,
                           struct kube_workload *w)
{
    w->queue = kube_text(r, v, "clusterQueue");
    for (struct kube_value *a = kube_first(kube_list(r, v, "podSetAssignments"));
         a && !r->err->text[0]; a = kube_next(a)) {
        const char *name = kube_text(r, a, "name");
        uint32_t k = 0;
        while (k < w->n_podsets && (!name || w->podset[k].name != name))
            k++;
        if (k == w->n_podsets) {
            kube_error(r, a, "want one of the pod sets of the workload, got '%.60s'",
                       name ? name : "");
            return;
        }
        kube_integer(r, a, "count", 0, COUNT_MOST, &w->podset[k].count);
        read_topology(s, r, kube_map(r, a, "topologyAssignment"), w, k);
    }
}

/* ---- what ---- */

static void read_podsets(struct kube_site *s, struct kube_reader *r, struct kube_value *list,
                         struct kube_workload *w)
{
    size_t n = 0;
    for (struct kube_value *v = kube_first(list); v; v = kube_next(v))
        n++;
    w->podset = arena_alloc(s->memory, (n + 1) * sizeof *w->podset);
    for (struct kube_value *v = kube_first(list); v && !r->err->text[0]; v = kube_next(v)) {
        struct kube_podset *p = &w->podset[w->n_podsets++];
        struct kube_value *topology = kube_map(r, v, "topologyRequest");
        const char *required, *preferred, *slices, *group;
        *p = (struct kube_podset){ .name = kube_text(r, v, "name"), .count = 1 };
        p->name = p->name ? p->name : intern_text(s->names, intern_add(s->names, "main", 4));
        kube_integer(r, v, "count", 0, COUNT_MOST, &p->count);
        kube_integer(r, v, "minCount", 1, COUNT_MOST, &p->min_count);
        kube_ask_read(s, r, kube_map(r, v, "template"), w->ns, &p->ask);
        required = kube_text(r, topology, "required");
        preferred = kube_text(r, topology, "preferred");
        p->ask.required = required ? required : p->ask.required;
        p->ask.preferred = preferred ? preferred : p->ask.preferred;
        slices = kube_text(r, topology, "podSetSliceRequiredTopology");
        int64_t size = p->ask.n_slices == 1 ? p->ask.slice[0].size : 0;
        bool sized = kube_integer(r, topology, "podSetSliceSize", 1, COUNT_MOST, &size);
        if (slices || (sized && p->ask.n_slices == 1))
            kube_layer(s, slices ? slices : p->ask.slice[0].level, size, &p->ask);
        kube_layers(s, r, kube_list(r, topology, "podsetSliceRequiredTopologyConstraints"),
                    &p->ask);
        group = kube_text(r, topology, "podSetGroupName");
        p->ask.set_group = group ? group : p->ask.set_group;
        (void)kube_get(r, topology, "unconstrained");
    }
}

static bool ended_badly(struct kube_reader *r, struct kube_value *o)
{
    struct kube_value *list = kube_list(r, kube_map(r, o, "status"), "conditions");
    for (struct kube_value *c = kube_first(list); c; c = kube_next(c)) {
        const char *type = kube_text(r, c, "type"), *reason = kube_text(r, c, "reason");
        if (type && reason && !strcmp(type, "Finished") && strstr(reason, "Fail"))
            return true;
    }
    return false;
}

void take_workload(struct kube_site *s, struct kube_reader *r, struct kube_value *o, const char *ns,
                   const char *name)
{
    struct kube_workload *w = KUBE_ADD(s, workloads);
    struct kube_value *spec = kube_map(r, o, "spec"), *status = kube_map(r, o, "status");
    int64_t priority = 0, seconds = 0;
    bool active = true;
    *w = (struct kube_workload){ .ns = ns,
                                 .name = name,
                                 .admitted_ns = NO_TIME,
                                 .finished_ns = NO_TIME,
                                 .deadline_ns = NO_TIME };
    w->owner = kube_owner_read(r, o);
    w->local_queue = kube_text(r, spec, "queueName");
    w->priority_class = kube_text(r, spec, "priorityClassName");
    if (!w->priority_class)
        w->priority_class = kube_text(r, kube_map(r, spec, "priorityClassRef"), "name");
    w->has_priority = kube_integer(r, spec, "priority", INT32_MIN, INT32_MAX, &priority);
    w->priority = (int32_t)priority;
    kube_flag(r, spec, "active", &active);
    w->inactive = !active;
    if (kube_integer(r, spec, "maximumExecutionTimeSeconds", 1, INT32_MAX, &seconds))
        w->deadline_ns = seconds * NS_PER_S;
    read_podsets(s, r, kube_list(r, spec, "podSets"), w);
    w->created_ns = kube_moment(s, r, kube_metadata(r, o), "creationTimestamp");
    struct kube_value *admission = kube_map(r, status, "admission");
    w->admitted = admission != NULL;
    if (!r->err->text[0])
        read_admission(s, r, admission, w);
    if (kube_condition(s, r, o, "QuotaReserved", &w->admitted_ns) != 1)
        w->admitted_ns = NO_TIME;
    int64_t since = NO_TIME;
    if (kube_condition(s, r, o, "Admitted", &since) == 1)
        w->admitted_ns = since;
    if (kube_condition(s, r, o, "Finished", &w->finished_ns) == 1)
        w->failed = ended_badly(r, o);
    else
        w->finished_ns = NO_TIME;
}
