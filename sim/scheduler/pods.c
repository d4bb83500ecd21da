/* pods.c - what pods say of other pods, read once per shape; and the domains of their keys. */
#include "sim/cluster/labels.h"
#include "sim/cluster/pod_terms.h"
#include "sim/engine/state.h"
#include "sim/scheduler/placing.h"

#include <string.h>

static node_id first_in_level(const struct cluster *c, node_id n, enum level level)
{
    domain_id in = cluster_domain_at(c, n, level);
    if (!cluster_has_domain(c, n, level))
        return ID_NONE;
    while (n > 0 && cluster_domain_at(c, n - 1, level) == in)
        n--;
    return n;
}

/* The first node of the domain that n is in; ID_NONE: in none. */
static node_id first_in_domain(const struct sched *s, const char *key, enum level level, node_id n)
{
    const struct cluster *c = s->cluster;
    if (level == LEVEL_NODE)
        return n;
    if (level >= LEVEL_RACK && level < LEVEL_CLUSTER)
        return first_in_level(c, n, level);
    if (!labels_have(intern_text(c->texts, cluster_node_type(c, n)->labels), key))
        return ID_NONE;
    for (node_id first = 0; first < n; first++)
        if (labels_agree(intern_text(c->texts, cluster_node_type(c, first)->labels),
                         intern_text(c->texts, cluster_node_type(c, n)->labels), key))
            return first;
    return n;
}

/* A word of every cluster, a label that some node has, or a name of the cluster; LEVEL_ANY: the
 * label. */
static enum level level_of_key(const struct cluster *c, const char *key)
{
    enum level word = level_word(key, strlen(key));
    if (word != LEVEL_ANY)
        return word;
    for (node_id n = 0; n < c->n_nodes; n++)
        if (labels_have(intern_text(c->texts, cluster_node_type(c, n)->labels), key))
            return LEVEL_ANY;
    return level_find(&c->levels, key, strlen(key));
}

static const node_id *domains_of(struct sched *s, const char *key)
{
    struct placing *p = s->placing;
    for (size_t i = 0; i < p->n_pod_keys; i++)
        if (!strcmp(p->pod_key[i].key, key))
            return p->pod_key[i].domain;
    mem_grow(&p->pod_key, &p->pod_keys_capacity, p->n_pod_keys, sizeof *p->pod_key);
    node_id *domain = arena_alloc(s->memory, s->cluster->n_nodes * sizeof *domain);
    enum level level = level_of_key(s->cluster, key);
    for (node_id n = 0; n < s->cluster->n_nodes; n++)
        domain[n] = first_in_domain(s, key, level, n);
    p->pod_key[p->n_pod_keys++] = (struct pod_key){ key, domain };
    return domain;
}

/* Its labels as needs: all of them. */
static const char *own_needs(struct sched *s, const char *labels)
{
    char *needs = arena_text(s->memory, labels, strlen(labels));
    for (char *c = needs; *c; c++)
        if (*c == ';')
            *c = '&';
    return needs;
}

static void read_terms(struct sched *s, const char *text, enum pod_terms kind, struct pod_rules *to)
{
    struct pod_term_text t;
    size_t n = 1;
    for (const char *c = text; *c; c++)
        n += *c == ';';
    struct pod_term *list = arena_alloc(s->memory, n * sizeof *list);
    to->term[kind] = list;
    while (pod_term_next(&text, kind == POD_SPREAD, &t))
        list[to->n[kind]++] =
            (struct pod_term){ kind == POD_SPREAD ? own_needs(s, to->labels)
                                                  : arena_text(s->memory, t.needs, t.needs_n),
                               domains_of(s, arena_text(s->memory, t.key, t.key_n)), t.weight,
                               t.skew };
}

/* The parts of the wish: labels, then the terms of each kind. */
static struct pod_rules *rules_of(struct sched *s, const char *wish)
{
    struct pod_rules *r = arena_alloc(s->memory, sizeof *r);
    *r = (struct pod_rules){ .labels = "" };
    for (int part = 0; part <= POD_TERMS; part++) {
        size_t n = strcspn(wish, "\n");
        const char *text = arena_text(s->memory, wish, n);
        if (part == 0)
            r->labels = text;
        else
            read_terms(s, text, (enum pod_terms)(part - 1), r);
        wish += n + (wish[n] == '\n');
    }
    return r;
}

void pods_begin(struct sched *s)
{
    const struct workload *w = s->workload;
    s->placing->pods = arena_alloc(s->memory, (w->n_shapes + (size_t)1) * sizeof *s->placing->pods);
    for (shape_id i = 0; i < w->n_shapes; i++)
        s->placing->pods[i] = w->shape[i].pods == ID_NONE
                                  ? NULL
                                  : rules_of(s, intern_text(w->wishes, w->shape[i].pods));
    free(s->placing->pod_key);
    s->placing->pod_key = NULL;
}

const struct pod_rules *pods_of_shape(const struct sched *s, shape_id i)
{
    return s->placing->pods[i];
}

const struct pod_rules *job_pods(const struct sched *s, job_id j)
{
    return pods_of_shape(s, ask_of(s, j)->shape);
}

bool pod_matches(const char *needs, const char *labels)
{
    return affinity_holds(needs, labels);
}
