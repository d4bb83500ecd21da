/* ask.c - see site.h: what a pod asks for and where it may run, from its spec and the annotations
 * that schedulers read. */
#include "sim/base/units.h"
#include "sim/cli/import/kube/texts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- affinity ---- */

/* A nodeSelectorTerm; weight 0: required. */
static void put_term(struct kube_site *s, struct kube_reader *r, struct kube_text *t,
                     struct kube_value *term, int64_t weight)
{
    struct kube_value *list = kube_list(r, term, "matchExpressions");
    struct kube_value *fields = kube_list(r, term, "matchFields");
    if (fields) {
        kube_see(fields);
        remark(&s->remarks, "left out: matchFields of node affinity");
    }
    if (!kube_first(list))
        return; /* such a term selects nothing, or only by fields */
    text_between(t, ';');
    if (weight)
        fprintf(t->f, "%" PRId64 ":", weight);
    bool any = false;
    for (struct kube_value *v = kube_first(list); v && !r->err->text[0]; v = kube_next(v)) {
        if (any)
            fputc('&', t->f);
        text_put_need(r, t, v);
        any = true;
    }
}

static const char *read_affinity(struct kube_site *s, struct kube_reader *r,
                                 struct kube_value *affinity)
{
    struct kube_value *node = kube_map(r, affinity, "nodeAffinity"),
                      *must = kube_map(r, node, "requiredDuringSchedulingIgnoredDuringExecution"),
                      *may = kube_list(r, node, "preferredDuringSchedulingIgnoredDuringExecution");
    struct kube_text t;
    text_begin(&t);
    for (struct kube_value *v = kube_first(kube_list(r, must, "nodeSelectorTerms")); v;
         v = kube_next(v))
        put_term(s, r, &t, v, 0);
    for (struct kube_value *v = kube_first(may); v; v = kube_next(v)) {
        int64_t weight = 1;
        kube_integer(r, v, "weight", 1, 100, &weight);
        put_term(s, r, &t, kube_map(r, v, "preference"), weight);
    }
    return text_end(s, &t);
}

/* ---- resources ---- */

struct amounts {
    int64_t cpu_milli, mem_mib, gpus, migs;
    const char *mig;
};

static bool ends_with(const char *text, const char *with)
{
    size_t n = strlen(text), k = strlen(with);
    return n >= k && !strcmp(text + n - k, with);
}

/* One resource of a container; memory in bytes until it is summed. */
static void add_resource(struct kube_site *s, struct kube_reader *r, struct kube_value *pair,
                         struct amounts *to)
{
    static const char mig[] = "nvidia.com/mig-";
    int64_t n = 0;
    if (!strcmp(pair->key, "cpu")) {
        if (kube_cpus(r, pair, &n))
            to->cpu_milli += n;
    } else if (!strcmp(pair->key, "memory")) {
        if (kube_memory(r, pair, &n))
            to->mem_mib += n;
    } else if (ends_with(pair->key, "/gpu")) {
        if (kube_count(r, pair, &n))
            to->gpus += n;
    } else if (!strncmp(pair->key, mig, sizeof mig - 1)) {
        if (!kube_count(r, pair, &n) || !n)
            return;
        const char *profile = text_kept(s, pair->key + sizeof mig - 1);
        if (to->mig && to->mig != profile)
            remark(&s->remarks, "left out: MIG profiles of one pod besides the first");
        else
            to->migs += n;
        to->mig = to->mig ? to->mig : profile;
    } else if (kube_quantity(r, pair, 1, INT64_MAX, &n) && n &&
               strcmp(pair->key, "ephemeral-storage") != 0) {
        remark(&s->remarks, "left out: resource %.60s that pods ask for", pair->key);
    }
}

static struct kube_value *pair_of(struct kube_value *map, const char *key)
{
    for (struct kube_value *v = kube_first(map); v; v = kube_next(v))
        if (!strcmp(v->key, key))
            return v;
    return NULL;
}

/* Requests; a resource that has only a limit requests that. */
static struct amounts read_amounts(struct kube_site *s, struct kube_reader *r, struct kube_value *v)
{
    struct amounts a = { 0 };
    struct kube_value *resources = kube_map(r, v, "resources"),
                      *requests = kube_map(r, resources, "requests"),
                      *limits = kube_map(r, resources, "limits");
    for (struct kube_value *p = kube_first(requests); p && !r->err->text[0]; p = kube_next(p))
        add_resource(s, r, p, &a);
    for (struct kube_value *p = kube_first(limits); p && !r->err->text[0]; p = kube_next(p))
        if (!pair_of(requests, p->key))
            add_resource(s, r, p, &a);
    return a;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void sum(struct amounts *a, const struct amounts *b)
{
    a->cpu_milli += b->cpu_milli;
    a->mem_mib += b->mem_mib;
    a->gpus += b->gpus;
    a->migs += b->migs;
    a->mig = a->mig ? a->mig : b->mig;
}

static void highest(struct amounts *a, const struct amounts *b)
{
    a->cpu_milli = larger(a->cpu_milli, b->cpu_milli);
    a->mem_mib = larger(a->mem_mib, b->mem_mib);
    a->gpus = larger(a->gpus, b->gpus);
    a->migs = larger(a->migs, b->migs);
    a->mig = a->mig ? a->mig : b->mig;
}

/* The larger of all containers together and any init container with the sidecars started before it
 * (kubernetes/kubernetes:staging/src/k8s.io/component-helpers/resource/helpers.go, PodRequests). */
static struct amounts of_containers(struct kube_site *s, struct kube_reader *r,
                                    struct kube_value *spec)
{
    struct amounts all = { 0 }, sidecars = { 0 }, init = { 0 };
    for (struct kube_value *v = kube_first(kube_list(r, spec, "containers")); v; v = kube_next(v)) {
        struct amounts one = read_amounts(s, r, v);
        sum(&all, &one);
    }
    for (struct kube_value *v = kube_first(kube_list(r, spec, "initContainers")); v;
         v = kube_next(v)) {
        struct amounts one = read_amounts(s, r, v);
        const char *restart = kube_text(r, v, "restartPolicy");
        if (restart && !strcmp(restart, "Always"))
            sum(&sidecars, &one);
        struct amounts now = sidecars;
        if (!restart || strcmp(restart, "Always") != 0)
            sum(&now, &one);
        highest(&init, &now);
    }
    sum(&all, &sidecars);
    highest(&all, &init);
    return all;
}

static void read_overhead(struct kube_reader *r, struct kube_value *spec, struct amounts *to)
{
    for (struct kube_value *p = kube_first(kube_map(r, spec, "overhead")); p; p = kube_next(p)) {
        int64_t n = 0;
        if (!strcmp(p->key, "cpu") && kube_cpus(r, p, &n))
            to->cpu_milli += n;
        else if (!strcmp(p->key, "memory") && kube_memory(r, p, &n))
            to->mem_mib += n;
        else
            p->seen = false;
    }
}

/* What the annotations of KAI say: gpu-fraction, or gpu-memory in MiB, of
 * gpu-fraction-num-devices GPUs. */
static void read_share(struct kube_reader *r, struct kube_value *template, struct kube_ask *to)
{
    struct kube_value *notes = kube_map(r, kube_metadata(r, template), "annotations");
    int64_t fraction = 0, memory = 0, devices = 1;
    bool part = kube_decimal(r, notes, "gpu-fraction", 1000, 1, &fraction),
         mib = kube_integer(r, notes, "gpu-memory", 1, INT64_C(1000000000), &memory);
    if (!part && !mib)
        return;
    kube_integer(r, notes, "gpu-fraction-num-devices", 1, 64, &devices);
    to->gpus = devices;
    to->mig = NULL;
    if (part && fraction >= 1000) {
        to->gpus = devices * fraction / 1000;
        if (fraction % 1000)
            kube_error(r, kube_get(r, notes, "gpu-fraction"),
                       "want a number up to 1, or a whole one");
    } else if (part) {
        to->gpu_milli = fraction;
    } else {
        to->share_mem_mib = memory;
    }
}

void kube_layers(struct kube_site *s, struct kube_reader *r, struct kube_value *list,
                 struct kube_ask *to)
{
    size_t n = 0;
    for (struct kube_value *v = kube_first(list); v; v = kube_next(v))
        n++;
    if (!list)
        return;
    to->slice = arena_alloc(s->memory, (n + 1) * sizeof *to->slice);
    to->n_slices = 0;
    for (struct kube_value *v = kube_first(list); v && !r->err->text[0]; v = kube_next(v)) {
        struct kube_slice *layer = &to->slice[to->n_slices++];
        struct kube_value *sizes = kube_list(r, v, "sizes");
        *layer = (struct kube_slice){ kube_text(r, v, "topology"), 0 };
        kube_integer(r, v, "size", 1, INT32_MAX, &layer->size);
        kube_see(sizes);
        if (!layer->level)
            kube_error(r, v, "want a layer of slices, key 'topology' is missing");
    }
}

void kube_layer(struct kube_site *s, const char *level, int64_t size, struct kube_ask *to)
{
    to->slice = arena_alloc(s->memory, sizeof *to->slice);
    to->slice[0] = (struct kube_slice){ level, size };
    to->n_slices = 1;
}

struct layers_into {
    struct kube_site *s;
    struct kube_ask *to;
};
static void take_layers(void *self, struct kube_reader *r, struct kube_value *root)
{
    struct layers_into *into = self;
    if (root->kind == KUBE_LIST)
        kube_layers(into->s, r, root, into->to);
    else
        kube_error(r, root, "want a list");
}

static void read_topology(struct kube_site *s, struct kube_reader *r, struct kube_value *template,
                          struct kube_ask *to)
{
    static const char layers[] = "kueue.x-k8s.io/podset-slice-required-topology-constraints";
    struct kube_value *notes = kube_map(r, kube_metadata(r, template), "annotations");
    const char *level =
        kube_annotation(r, template, "kueue.x-k8s.io/podset-slice-required-topology");
    int64_t size = 0;
    to->required = kube_annotation(r, template, "kueue.x-k8s.io/podset-required-topology");
    to->preferred = kube_annotation(r, template, "kueue.x-k8s.io/podset-preferred-topology");
    (void)kube_annotation(r, template, "kueue.x-k8s.io/podset-unconstrained-topology");
    to->set_group = kube_annotation(r, template, "kueue.x-k8s.io/podset-group-name");
    kube_integer(r, notes, "kueue.x-k8s.io/podset-slice-size", 1, INT32_MAX, &size);
    if (level)
        kube_layer(s, level, size, to);
    kube_read_inner(r, kube_get(r, notes, layers),
                    "a list of layers, each with topology and size, as JSON", take_layers,
                    &(struct layers_into){ s, to });
}

/* Rules of placing that the simulator does not have. */
static void remark_others(struct kube_site *s, struct kube_reader *r, struct kube_value *spec)
{
    static const struct {
        const char *key, *what;
    } others[] = {
        { "schedulingGates", "scheduling gates: their pods wait as others" },
        { "resourceClaims", "resource claims (dynamic resource allocation)" },
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct kube_value *v = kube_get(r, spec, others[i].key);
        if (v && v->child) {
            kube_see(v);
            remark(&s->remarks, "left out: %s", others[i].what);
        }
    }
}

void kube_ask_read(struct kube_site *s, struct kube_reader *r, struct kube_value *template,
                   const char *ns, struct kube_ask *to)
{
    struct kube_value *spec = kube_map(r, template, "spec"),
                      *affinity = kube_map(r, spec, "affinity");
    struct amounts a = of_containers(s, r, spec);
    int64_t seconds = 0, priority = 0;
    read_overhead(r, spec, &a);
    if (a.mig && a.gpus)
        remark(&s->remarks, "left out: whole GPUs of pods that ask for MIG instances, too");
    *to = (struct kube_ask){ .cpu_milli = a.cpu_milli,
                             .mem_mib = a.mem_mib,
                             .gpus = a.mig ? a.migs : a.gpus,
                             .mig = a.mig,
                             .deadline_ns = NO_TIME };
    to->selector = kube_labels(s, r, kube_map(r, spec, "nodeSelector"));
    to->affinity = read_affinity(s, r, affinity);
    to->pod_labels = kube_labels(s, r, kube_map(r, kube_metadata(r, template), "labels"));
    kube_read_pod_terms(s, r, spec, ns, to);
    to->tolerations = kube_tolerations(s, r, kube_list(r, spec, "tolerations"));
    to->priority_class = kube_text(r, spec, "priorityClassName");
    to->has_priority = kube_integer(r, spec, "priority", INT32_MIN, INT32_MAX, &priority);
    to->priority = (int32_t)priority;
    if (kube_integer(r, spec, "activeDeadlineSeconds", 1, INT32_MAX, &seconds))
        to->deadline_ns = seconds * NS_PER_S;
    read_share(r, template, to);
    read_topology(s, r, template, to);
    remark_others(s, r, spec);
}
