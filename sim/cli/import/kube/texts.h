/* texts.h - labels, taints, needs and terms between pods of the API as texts of
 * sim/cluster/labels.h and sim/cluster/pod_terms.h, and the text that grows by items, by which
 * they are written. */
#pragma once
#include "sim/cli/import/kube/site.h"

#include <stdio.h>

struct kube_text {
    FILE *f;
    char *text;
    size_t length;
    bool any;
};
void text_begin(struct kube_text *t);
void text_between(struct kube_text *t, char mark); /* before each item; the mark between two */
const char *text_end(struct kube_site *s, struct kube_text *t); /* kept by the site */
const char *text_kept(struct kube_site *s, const char *text);

/* NULL and "" are KUBE_EMPTY. */
const char *label_value(const char *text);
/* "a|b" of a list, and "key=a|b", "!key", "key>5", ... of a requirement of a selector. */
void text_put_values(struct kube_reader *r, struct kube_text *t, struct kube_value *values);
void text_put_need(struct kube_reader *r, struct kube_text *t, struct kube_value *v);

/* The terms between pods of the spec of a pod in that namespace, whose labels are read. */
void kube_read_pod_terms(struct kube_site *s, struct kube_reader *r, struct kube_value *spec,
                         const char *ns, struct kube_ask *to);
