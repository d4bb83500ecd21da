/* levels.c - what the levels of a topology are in the cluster file: see kubernetes.h. */
#include "sim/cli/import/kube/kubernetes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct kube_levels {
    uint32_t **domain; /* [levels][nodes of the site] NO_NODE: in none */
    size_t *domains;   /* [levels] how many */
    size_t *labelled;  /* [levels] nodes in some domain */
    bool *same;        /* [levels] its domains are those of the next finer level */
    const char **as;   /* [levels] a level of the cluster file */
    char name[LEVELS_ABOVE_NODE][LEVEL_NAME_MAX + 1];    /* of those above the node */
    bool *asked;       /* [levels] some job asks for it */
    bool *kept;        /* [levels] needs none above the node, or is one */
};

static bool is_host(const char *label)
{
    return !strcmp(label, "kubernetes.io/hostname");
}

static const struct kube_topology *topology_called(const struct kube_site *s, const char *name)
{
    for (size_t i = 0; i < s->n_topologies; i++)
        if (!strcmp(s->topologies[i].name, name))
            return &s->topologies[i];
    return NULL;
}

static const struct kube_topology *topology_of(const struct kube_site *s)
{
    const struct kube_topology *t = NULL;
    for (size_t f = 0; f < s->n_flavors && !t; f++)
        if (s->flavors[f].topology)
            t = topology_called(s, s->flavors[f].topology);
    return t || !s->n_topologies ? t : &s->topologies[0];
}

/* ---- domains ---- */

/* Of one level, from those of the level above it; NULL: it is the coarsest. Returns how many. */
static size_t domains_of(const struct kube_site *s, const char *label, const uint32_t *above,
                         uint32_t *domain)
{
    struct intern *seen = intern_new();
    for (size_t i = 0; i < s->n_nodes; i++) {
        const struct kube_node *n = &s->nodes[i];
        const char *value = is_host(label) ? n->name : kube_node_label(n, label);
        char key[600];
        int length;
        domain[i] = NO_NODE;
        if (!value || n->not_ready || (above && above[i] == NO_NODE))
            continue;
        length = snprintf(key, sizeof key, "%u/%.500s", above ? above[i] : 0, value);
        domain[i] = intern_add(seen, key, (size_t)length);
    }
    size_t n = intern_count(seen);
    intern_free(seen);
    return n;
}

/* ---- which are asked for ---- */

static void ask_level(struct kube_import *im, const char *label)
{
    for (size_t l = 0; label && l < im->topology->n_levels; l++)
        if (!strcmp(im->topology->level[l], label))
            im->levels->asked[l] = true;
}

static void ask_levels(struct kube_import *im)
{
    for (size_t i = 0; i < im->jobs.n; i++) {
        const struct kube_unit *u = &im->jobs.unit[i];
        const struct kube_podgroup *p = u->podgroup;
        for (size_t g = 0; g < u->n_groups && u->state != KUBE_LEFT; g++) {
            const struct kube_ask *wish = kube_wishes(u, &u->group[g]);
            ask_level(im, wish->required);
            ask_level(im, wish->preferred);
            for (size_t k = 0; k < u->group[g].ask->n_slices; k++)
                ask_level(im, u->group[g].ask->slice[k].level);
        }
        for (size_t k = 0; p && u->state != KUBE_LEFT && k <= p->n_subgroups; k++) {
            ask_level(im, k ? p->subgroup[k - 1].required : p->required);
            ask_level(im, k ? p->subgroup[k - 1].preferred : p->preferred);
        }
    }
}

/* ---- which are kept ---- */

/* What a level may be without one of its own: the node, the cluster, or the next finer one. */
static void find_same(struct kube_import *im, size_t l, size_t n_ready)
{
    struct kube_levels *own = im->levels;
    size_t finer = l + 1;
    if (own->domains[l] == own->labelled[l])
        own->as[l] = "node";
    else if (own->domains[l] == 1 && own->labelled[l] == n_ready)
        own->as[l] = "cluster";
    else if (finer < im->topology->n_levels && own->domains[finer] == own->domains[l] &&
             own->labelled[finer] == own->labelled[l])
        own->same[l] = true;
    own->kept[l] = own->as[l] || own->same[l];
}

static bool keep_one(struct kube_import *im, bool asked)
{
    for (size_t l = im->topology->n_levels; l-- > 0;)
        if (!im->levels->kept[l] && im->levels->asked[l] == asked) {
            im->levels->kept[l] = true;
            return true;
        }
    return false;
}

static bool is_taken(const struct kube_import *im, const char *name)
{
    for (uint32_t k = 0; k < im->n_levels; k++)
        if (!strcmp(im->levels->name[k], name))
            return true;
    return level_word(name, strlen(name)) != LEVEL_ANY;
}

/* The first two are rack and pod; one further out has the end of its label as its name, "zone" of
 * topology.kubernetes.io/zone, if it is one and no other has it; else its number, or the next free
 * one. */
static const char *name_next(struct kube_import *im, const char *label)
{
    const char *slash = strrchr(label, '/'), *end = slash ? slash + 1 : label;
    char *name = im->levels->name[im->n_levels];
    if (im->n_levels < level_names_usual.n)
        snprintf(name, LEVEL_NAME_MAX + 1, "%s", level_names_usual.name[im->n_levels]);
    else if (level_is_name(end, strlen(end)) && !is_taken(im, end))
        snprintf(name, LEVEL_NAME_MAX + 1, "%s", end);
    else {
        uint32_t number = im->n_levels;
        do
            snprintf(name, LEVEL_NAME_MAX + 1, "level-%u", ++number);
        while (is_taken(im, name));
    }
    return name;
}

static void name_levels(struct kube_import *im)
{
    struct kube_levels *own = im->levels;
    size_t n = im->topology->n_levels;
    for (size_t l = n; l-- > 0;) {
        if (own->same[l])
            own->as[l] = own->as[l + 1];
        if (own->as[l] || !own->kept[l])
            continue;
        own->as[l] = name_next(im, im->topology->level[l]);
        im->level[im->n_levels++] = l;
    }
    const char *coarser = "cluster";
    for (size_t l = 0; l < n; l++) {
        if (!own->as[l]) {
            remark(&im->s->remarks,
                   "left out: topology level %.60s: the cluster file has %d above the node, and "
                   "what asks for this one may use a whole %s",
                   im->topology->level[l], LEVELS_ABOVE_NODE, coarser);
            own->as[l] = coarser;
        }
        coarser = own->as[l];
    }
}

void kube_levels_choose(struct kube_import *im)
{
    struct kube_site *s = im->s;
    struct kube_levels *own = im->levels = mem_new(1, sizeof *own);
    size_t n_ready = 0, n_above = 0, n, kept = 0;
    im->topology = topology_of(s);
    n = im->topology ? im->topology->n_levels : 0;
    if (im->topology && s->n_topologies > 1)
        remark(&s->remarks, "left out: topologies other than %.60s", im->topology->name);
    own->domain = mem_new(n + 1, sizeof *own->domain);
    own->domains = mem_new(n + 1, sizeof *own->domains);
    own->labelled = mem_new(n + 1, sizeof *own->labelled);
    own->same = mem_new(n + 1, sizeof *own->same);
    own->as = mem_new(n + 1, sizeof *own->as);
    own->asked = mem_new(n + 1, sizeof *own->asked);
    own->kept = mem_new(n + 1, sizeof *own->kept);
    for (size_t i = 0; i < s->n_nodes; i++)
        n_ready += !s->nodes[i].not_ready;
    for (size_t l = 0; l < n; l++) {
        n_above += !is_host(im->topology->level[l]);
        own->domain[l] = mem_new(s->n_nodes + 1, sizeof **own->domain);
        own->domains[l] =
            domains_of(s, im->topology->level[l], l ? own->domain[l - 1] : NULL, own->domain[l]);
        for (size_t i = 0; i < s->n_nodes; i++)
            own->labelled[l] += own->domain[l][i] != NO_NODE;
    }
    if (!im->topology)
        return;
    ask_levels(im);
    for (size_t l = n; l-- > 0;)
        if (is_host(im->topology->level[l]) || n_above > level_names_usual.n)
            find_same(im, l, n_ready);
    for (size_t l = 0; l + 1 < n; l++)
        own->asked[l + 1] |= own->same[l] && own->asked[l];
    while (kept < LEVELS_ABOVE_NODE && (keep_one(im, true) || keep_one(im, false)))
        kept++;
    name_levels(im);
}

void kube_levels_free(struct kube_import *im)
{
    for (size_t l = 0; im->levels && im->topology && l < im->topology->n_levels; l++)
        free(im->levels->domain[l]);
    if (im->levels) {
        free(im->levels->domain);
        free(im->levels->domains);
        free(im->levels->labelled);
        free(im->levels->same);
        free(im->levels->as);
        free(im->levels->asked);
        free(im->levels->kept);
    }
    free(im->levels);
}

/* ---- asking ---- */

bool kube_level_same(const struct kube_import *im, size_t level, uint32_t a, uint32_t b)
{
    const uint32_t *domain = im->levels->domain[level];
    return domain[a] != NO_NODE && domain[a] == domain[b];
}

int kube_level_order(const struct kube_import *im, uint32_t a, uint32_t b)
{
    for (size_t l = 0; im->topology && l < im->topology->n_levels; l++) {
        const char *label = im->topology->level[l], *x = kube_node_label(&im->s->nodes[a], label),
                   *y = kube_node_label(&im->s->nodes[b], label);
        int order = is_host(label) ? 0 : !x || !y ? !x - !y : strcmp(x, y);
        if (order)
            return order;
    }
    return 0;
}

int kube_level_rank(const struct kube_import *im, const char *level)
{
    for (uint32_t k = 0; level && k < im->n_levels; k++)
        if (!strcmp(im->levels->as[im->level[k]], level))
            return LEVELS_ABOVE_NODE - (int)k;
    return !level || !strcmp(level, "cluster") ? 0 : LEVELS_ABOVE_NODE + 1;
}

const char *kube_level(const struct kube_import *im, const char *label)
{
    for (size_t l = 0; im->topology && l < im->topology->n_levels; l++)
        if (!strcmp(im->topology->level[l], label))
            return im->levels->as[l];
    return is_host(label) ? "node" : NULL;
}
