/* pod_terms.c - see texts.h: what a pod says of other pods, as texts of sim/cluster/pod_terms.h. */
#include "sim/cli/import/kube/texts.h"
#include "sim/cluster/labels.h"

#include <inttypes.h>
#include <string.h>

#define TERM_MOST   900 /* characters: sim/cluster/pod_terms.c takes no more */
#define WEIGHT_MOST 100

static void put_match_labels(struct kube_reader *r, struct kube_text *t, struct kube_value *map)
{
    for (struct kube_value *v = kube_first(map); v && !r->err->text[0]; v = kube_next(v)) {
        const char *value = label_value(kube_item_text(r, v));
        if (!kube_is_name(v->key) || !kube_is_name(value))
            kube_error(r, v, "want a label, got '%.60s' = '%.60s'", v->key, value);
        text_between(t, '&');
        fprintf(t->f, "%s=%s", v->key, value);
    }
}

/* The namespaces of the other pods: those that it names, all by an empty selector, or its own.
 * false: which ones is not known. */
static bool put_namespaces(struct kube_reader *r, struct kube_text *t, struct kube_value *term,
                           const char *ns)
{
    struct kube_value *list = kube_list(r, term, "namespaces"),
                      *selector = kube_map(r, term, "namespaceSelector");
    if (selector && !selector->child)
        return true;
    text_between(t, '&');
    fputs(KUBE_NAMESPACE "=", t->f);
    if (kube_first(list))
        text_put_values(r, t, list);
    else
        fputs(ns, t->f);
    return !selector && kube_is_name(ns);
}

/* The label of the host is the level of nodes. */
static const char *domain_key(const char *topology_key)
{
    return strcmp(topology_key, "kubernetes.io/hostname") != 0 ? topology_key : "node";
}

/* "NEED&NEED@KEY" of a PodAffinityTerm; NULL: it cannot be said. */
static const char *pod_term(struct kube_site *s, struct kube_reader *r, struct kube_value *term,
                            const char *ns)
{
    struct kube_value *selector = kube_map(r, term, "labelSelector"),
                      *labels = kube_map(r, selector, "matchLabels"),
                      *needs = kube_list(r, selector, "matchExpressions");
    const char *key = kube_text(r, term, "topologyKey");
    struct kube_text t;
    if (!key || !kube_is_name(key) || !(kube_first(labels) || kube_first(needs)) ||
        kube_get(r, term, "matchLabelKeys") || kube_get(r, term, "mismatchLabelKeys"))
        return NULL;
    text_begin(&t);
    put_match_labels(r, &t, labels);
    for (struct kube_value *v = kube_first(needs); v && !r->err->text[0]; v = kube_next(v)) {
        text_between(&t, '&');
        text_put_need(r, &t, v);
    }
    bool known = put_namespaces(r, &t, term, ns);
    fprintf(t.f, "@%s", domain_key(key));
    const char *text = text_end(s, &t);
    return known && strlen(text) <= TERM_MOST ? text : NULL;
}

/* Terms of one list, behind those that are there; a `weight` for those that have none, 0: required.
 */
static void put_pod_terms(struct kube_site *s, struct kube_reader *r, struct kube_text *t,
                          struct kube_value *list, const char *ns, int64_t usual)
{
    for (struct kube_value *v = kube_first(list); v && !r->err->text[0]; v = kube_next(v)) {
        struct kube_value *inner = kube_map(r, v, "podAffinityTerm");
        int64_t weight = usual;
        kube_integer(r, v, "weight", 1, WEIGHT_MOST, &weight);
        const char *term = pod_term(s, r, inner ? inner : v, ns);
        if (!term) {
            kube_see(v);
            remark(&s->remarks, "left out: terms of affinity between pods without a selector of "
                                "labels, or with one of namespaces by label");
            continue;
        }
        text_between(t, ';');
        if (weight)
            fprintf(t->f, "%" PRId64 ":", weight);
        fputs(term, t->f);
    }
}

/* What a pod requires to be beside may end, or be no job of the trace, and it would wait for ever:
 * that is preferred, by the largest weight. What it must not be beside is no such danger. */
static const char *read_pod_terms(struct kube_site *s, struct kube_reader *r,
                                  struct kube_value *kind, bool beside, const char *ns)
{
    struct kube_value *must = kube_list(r, kind, "requiredDuringSchedulingIgnoredDuringExecution"),
                      *may = kube_list(r, kind, "preferredDuringSchedulingIgnoredDuringExecution");
    struct kube_text t;
    if (beside && kube_first(must))
        remark(&s->remarks, "guessed: pods that must be beside others prefer it, by the largest "
                            "weight: these may end");
    text_begin(&t);
    put_pod_terms(s, r, &t, must, ns, beside ? WEIGHT_MOST : 0);
    put_pod_terms(s, r, &t, may, ns, 1);
    return text_end(s, &t);
}

/* ---- topology spread ---- */

#define SKEW_MOST 1000000 /* sim/cluster/pod_terms.c takes no more */

struct spread {
    struct kube_text terms, labels;
    size_t least; /* labels of the selector that names fewest */
};

/* The item of `own` with that key and its mark, and how long it is; 0: none. */
static size_t own_label(const char *own, const char *key, const char **item)
{
    size_t n = strlen(key), length = 0;
    for (const char *at = own; *at && !length; at += strspn(at, ";")) {
        size_t own_length = strcspn(at, ";");
        if (!strncmp(at, key, n) && at[n] == '=') {
            *item = at;
            length = own_length;
        }
        at += own_length;
    }
    return length;
}

static void put_pair(struct kube_text *t, size_t *n, const char *key, const char *value)
{
    text_between(t, ';');
    fprintf(t->f, "%s=%s", key, value);
    *n += 1;
}

/* "k=v;..." that pods need to count, how many, and whether it says so whole: a requirement other
 * than of one value cannot be said. matchLabelKeys are labels with the value of the pod itself; one
 * that it does not have is none. */
static bool put_selector(struct kube_reader *r, struct kube_text *t, struct kube_value *constraint,
                         const char *own, size_t *n)
{
    struct kube_value *selector = kube_map(r, constraint, "labelSelector");
    bool whole = selector != NULL;
    struct kube_value *v = kube_first(kube_map(r, selector, "matchLabels"));
    for (; v && !r->err->text[0]; v = kube_next(v))
        put_pair(t, n, v->key, label_value(kube_item_text(r, v)));
    v = kube_first(kube_list(r, selector, "matchExpressions"));
    for (; v && !r->err->text[0]; v = kube_next(v)) {
        struct kube_value *values = kube_list(r, v, "values"), *value = kube_first(values);
        const char *key = kube_text(r, v, "key"), *op = kube_text(r, v, "operator");
        bool one = key && op && !strcmp(op, "In") && value && !kube_next(value);
        whole &= one;
        if (one)
            put_pair(t, n, key, label_value(kube_item_text(r, value)));
    }
    v = kube_first(kube_list(r, constraint, "matchLabelKeys"));
    for (; v && !r->err->text[0]; v = kube_next(v)) {
        const char *key = kube_item_text(r, v), *item = NULL;
        size_t length = key ? own_label(own, key, &item) : 0;
        if (!length)
            continue;
        text_between(t, ';');
        fprintf(t->f, "%.*s", (int)length, item);
        *n += 1;
    }
    return whole;
}

/* The trace counts the pods that have all labels of the pod itself: a selector of other labels
 * cannot be said. */
static void put_constraint(struct kube_site *s, struct kube_reader *r, struct spread *to,
                           struct kube_value *v, const char *own)
{
    static const char *const whens[] = { "DoNotSchedule", "ScheduleAnyway", NULL },
                             *const policies[] = { "Honor", "Ignore", NULL };
    const char *key = kube_text(r, v, "topologyKey"), *labels;
    int64_t skew = 0, domains = 1;
    int soft = -1, affinity = 0, taints = 0;
    size_t n = 0;
    struct kube_text t;
    kube_integer(r, v, "maxSkew", 1, INT32_MAX, &skew);
    kube_integer(r, v, "minDomains", 1, INT32_MAX, &domains);
    kube_word(r, v, "whenUnsatisfiable", whens, &soft);
    kube_word(r, v, "nodeAffinityPolicy", policies, &affinity);
    kube_word(r, v, "nodeTaintsPolicy", policies, &taints);
    text_begin(&t);
    bool whole = put_selector(r, &t, v, own, &n);
    labels = text_end(s, &t);
    if (r->err->text[0])
        return;
    if (!key || !kube_is_name(key) || !skew || soft < 0) {
        kube_error(r, v, "want a spread with maxSkew, topologyKey and whenUnsatisfiable");
        return;
    }
    if (!whole || selector_wrong(labels) || !selector_holds(labels, own)) {
        remark(&s->remarks, "left out: topology spread of pods by other labels than their own");
        return;
    }
    if (domains > 1 || affinity)
        remark(&s->remarks, "left out: minDomains and nodeAffinityPolicy of topology spread");
    to->least = to->terms.any && to->least < n ? to->least : n;
    text_between(&to->terms, ';');
    fprintf(to->terms.f, "%s%" PRId64 "@%s", soft ? "soft:" : "",
            skew < SKEW_MOST ? skew : SKEW_MOST, domain_key(key));
    if (n) {
        text_between(&to->labels, ';');
        fputs(labels, to->labels.f);
    }
}

static void read_spread(struct kube_site *s, struct kube_reader *r, struct kube_value *list,
                        struct kube_ask *to)
{
    struct spread x = { .least = 0 };
    text_begin(&x.terms);
    text_begin(&x.labels);
    for (struct kube_value *v = kube_first(list); v && !r->err->text[0]; v = kube_next(v))
        put_constraint(s, r, &x, v, to->pod_labels);
    to->pod_spread = text_end(s, &x.terms);
    to->spread_labels = text_end(s, &x.labels);
    to->spread_least = x.least;
}

void kube_read_pod_terms(struct kube_site *s, struct kube_reader *r, struct kube_value *spec,
                         const char *ns, struct kube_ask *to)
{
    struct kube_value *affinity = kube_map(r, spec, "affinity");
    to->pod_affinity = read_pod_terms(s, r, kube_map(r, affinity, "podAffinity"), true, ns);
    to->pod_anti_affinity =
        read_pod_terms(s, r, kube_map(r, affinity, "podAntiAffinity"), false, ns);
    read_spread(s, r, kube_list(r, spec, "topologySpreadConstraints"), to);
}

bool kube_same_terms(const struct kube_ask *a, const struct kube_ask *b)
{
    return !strcmp(a->pod_affinity, b->pod_affinity) &&
           !strcmp(a->pod_anti_affinity, b->pod_anti_affinity) &&
           !strcmp(a->pod_spread, b->pod_spread);
}
