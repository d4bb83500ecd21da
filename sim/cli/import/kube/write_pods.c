/* write_pods.c - terms between the pods of a job as columns of a trace: see kubernetes.h. */
#include "sim/cli/import/kube/kubernetes.h"

#include <stdlib.h>
#include <string.h>

/* The trace says them once a job. */
static bool has_one_voice(const struct kube_unit *u, const struct kube_ask *all)
{
    for (size_t g = 0; g < u->n_groups; g++)
        if (!kube_same_terms(u->group[g].ask, all))
            return false;
    return true;
}

/* Those that some term asks for; how many, without the namespace. */
static size_t put_pod_labels(const struct kube_import *im, struct output *o,
                             const struct kube_unit *u, const struct kube_ask *all)
{
    const struct intern *asked = im->pod_keys;
    char *text = NULL;
    size_t length = 0, labels = 0;
    FILE *f = mem_stream(&text, &length);
    for (const char *at = all->pod_labels; *at; at += strspn(at, ";")) {
        int n = (int)strcspn(at, ";");
        if (intern_find(asked, at, strcspn(at, "=")) != INTERN_NONE)
            fprintf(f, "%s%.*s", labels++ ? ";" : "", n, at);
        at += n;
    }
    if (intern_find(asked, KUBE_NAMESPACE, strlen(KUBE_NAMESPACE)) != INTERN_NONE &&
        kube_is_name(u->ns))
        fprintf(f, "%s" KUBE_NAMESPACE "=%s", labels ? ";" : "", u->ns);
    mem_stream_end(f, &text);
    out_csv(o, text);
    free(text);
    return labels;
}

void kube_put_pod_terms(struct kube_import *im, struct output *o, const struct kube_unit *u,
                        const struct kube_ask *all)
{
    bool one = has_one_voice(u, all);
    if (!one)
        remark(&im->s->remarks, "left out: terms between pods of jobs whose pods differ in them");
    size_t labels = put_pod_labels(im, o, u, all);
    if (one && *all->pod_spread && labels > all->spread_least)
        remark(&im->s->remarks, "guessed: a topology spread counts the pods that have all labels "
                                "of the pod that some term asks for, not those of its selector "
                                "alone");
    out_char(o, ',');
    out_csv(o, one ? all->pod_affinity : "");
    out_char(o, ',');
    out_csv(o, one ? all->pod_anti_affinity : "");
    out_char(o, ',');
    out_csv(o, one ? all->pod_spread : "");
}
