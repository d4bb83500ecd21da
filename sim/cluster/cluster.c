/* cluster.c - see cluster.h: from groups and queues to numbered nodes, kinds, domains and the queue
 * tree. */
#include "sim/cluster/cluster.h"

#include "sim/base/memory.h"
#include "sim/cluster/topology/domains.h"
#include "sim/cluster/labels.h"
#include "sim/cluster/reservations/reservations.h"
#include "sim/cluster/site.h"
#include "sim/models/network/rate_rules.h"
#include "sim/models/power.h"
#include "sim/models/training/throughput_pairs.h"
#include "sim/models/training/training_models.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KINDS_MAX 65535u

static char *keep(struct cluster *c, const char *text)
{
    return arena_text(c->memory, text, strlen(text));
}

/* ---- types ---- */

/* GPUs first, first + 1, ... of each run of `size`: one mask for all of a run. */
static uint64_t run_mask(uint32_t first, uint32_t end)
{
    uint64_t below_end = end == 64 ? UINT64_MAX : (UINT64_C(1) << end) - 1;
    return below_end & ~((UINT64_C(1) << first) - 1);
}

static void name_gpus(struct node_type *t, const struct group_spec *g)
{
    uint32_t island = g->island_gpus == 0 ? 1 : g->island_gpus < g->gpus ? g->island_gpus : g->gpus;
    for (uint32_t i = 0; i < g->gpus; i++)
        t->island_of[i] = run_mask(i / island * island, i / island * island + island);
    uint32_t numa = g->numa_nodes ? g->numa_nodes : 1;
    for (uint32_t i = 0; i < g->gpus; i++) /* an uneven rest goes one each to the first */
        for (uint32_t j = 0; j < g->gpus; j++)
            if (i * numa / g->gpus == j * numa / g->gpus)
                t->numa_of[i] |= UINT64_C(1) << j;
}

/* Each instance is an island; its socket is not known. */
static void name_instances(struct node_type *t, const struct group_spec *g)
{
    t->gpus = 0;
    for (uint32_t m = 0; m < g->n_mig; m++)
        for (uint32_t i = 0; i < g->mig[m].count; i++)
            t->mig[t->gpus++] = g->mig[m].profile;
    for (uint32_t i = 0; i < t->gpus; i++) {
        t->island_of[i] = UINT64_C(1) << i;
        t->numa_of[i] = run_mask(0, t->gpus);
    }
    t->gpu_mem_mib = g->n_mig == 1 ? mig_gb(t->mig[0]) * 1024 : 0;
    t->mig_single = g->mig_single;
}

/* Memory slices; see mig.h. */
static void name_slices(struct node_type *t, const struct group_spec *g)
{
    t->gpus = g->gpus * MIG_MEMORY_SLICES;
    for (uint32_t i = 0; i < t->gpus; i++) {
        t->mig[i] = mig_profile(mig_design_whole(g->gpu_model)->profile);
        t->island_of[i] = UINT64_C(1) << i;
        t->numa_of[i] = run_mask(0, t->gpus);
    }
    t->gpu_mem_mib = 0;
    t->mig_dynamic = true;
}

static uint32_t keep_text(struct cluster *c, const char *text)
{
    return intern_add(c->texts, text ? text : "", text ? strlen(text) : 0);
}

/* The labels of a group, and its GPU model as one more label unless there is one. */
static uint32_t labels_of(struct cluster *c, const struct group_spec *g, const char *model)
{
    const char *own = g->labels ? g->labels : "";
    if (!g->gpus || affinity_holds("gpu_type", own))
        return keep_text(c, own);
    size_t size = strlen(own) + strlen(model) + sizeof "gpu_type=;";
    char *all = mem_new(size, 1);
    snprintf(all, size, "gpu_type=%s%s%s", model, *own ? ";" : "", own);
    uint32_t id = keep_text(c, all);
    free(all);
    return id;
}

static struct node_type type_of(struct cluster *c, const struct group_spec *g)
{
    const char *model = g->gpu_model ? g->gpu_model : GPU_MODEL_UNNAMED;
    struct node_type t;
    memset(&t, 0, sizeof t);      /* padding, too: types are compared byte by byte */
    t.gpu_model = g->gpus ? intern_add(c->gpu_models, model, strlen(model)) : ID_NONE;
    t.gpus = g->gpus;
    t.counted = g->counted || g->gpus > NAMED_GPUS_MAX;
    t.gpu_mem_mib = g->gpu_mem_mib;
    t.labels = labels_of(c, g, model);
    t.taints = keep_text(c, g->taints);
    t.cpu_milli = g->cpu_milli;
    t.mem_mib = g->mem_mib;
    if (g->mig_dynamic)
        name_slices(&t, g);
    else if (g->n_mig)
        name_instances(&t, g);
    else if (!t.counted)
        name_gpus(&t, g);
    return t;
}

static uint32_t type_add(struct cluster *c, const struct node_type *t)
{
    uint32_t k = 0;
    memcpy(&c->type[c->n_types], t, sizeof *t);
    while (memcmp(&c->type[k], t, sizeof *t) != 0)
        k++;
    c->n_types += k == c->n_types;
    return k;
}

/* Groups that differ only in their names are one type. Returns the type of each of the n groups;
 * the caller frees it. more: so many types may follow. */
static uint32_t *build_types(struct cluster *c, const struct group_spec *groups, size_t n,
                             size_t more)
{
    uint32_t *type_of_group = mem_new(n, sizeof *type_of_group);
    c->n_groups = (uint32_t)n;
    c->group_name = arena_alloc(c->memory, n * sizeof *c->group_name);
    c->group_gpus = arena_alloc(c->memory, n * sizeof *c->group_gpus);
    c->type = arena_alloc(c->memory, (n + more) * sizeof *c->type);
    c->gpu_models = intern_new();
    c->texts = intern_new();
    for (size_t i = 0; i < n; i++) {
        struct node_type t = type_of(c, &groups[i]);
        type_of_group[i] = type_add(c, &t);
        c->group_name[i] = keep(c, groups[i].name);
        c->group_gpus[i] = groups[i].gpus;
        c->n_nodes += groups[i].count;
    }
    return type_of_group;
}

static void know_hardware(struct cluster *c, const struct cluster_given *given)
{
    uint32_t n = intern_count(c->gpu_models);
    c->catalogue = given->catalogue;
    c->gpu_known = arena_alloc(c->memory, (n + 1) * sizeof *c->gpu_known);
    c->group_design = arena_alloc(c->memory, given->n_groups * sizeof *c->group_design);
    c->nics_of = arena_alloc(c->memory, given->n_groups * sizeof *c->nics_of);
    for (uint32_t i = 0; i < n; i++)
        c->gpu_known[i] = catalogue_gpu(c->catalogue, intern_text(c->gpu_models, i));
    for (size_t g = 0; g < given->n_groups; g++) {
        c->group_design[g] = given->group[g].design;
        c->nics_of[g] = given->group[g].nics;
    }
}

/* ---- kinds ---- */

/* The pins of all queues by group; within one in the order of the queues: pin[first[g] .. first[g +
 * 1]). */
struct pinned {
    queue_id owner;
    uint32_t count;
};
struct pins_by_group {
    size_t *first;
    struct pinned *pin;
};

static struct pins_by_group sort_pins(const struct cluster_given *given)
{
    struct pins_by_group by = { .first = mem_new(given->n_groups + 2, sizeof *by.first) };
    size_t *next = by.first + 1; /* counts, then where the next pin of a group goes, then its end */
    for (size_t q = 0; q < given->n_queues; q++)
        for (size_t i = 0; i < given->queue[q].n_pins; i++)
            next[given->queue[q].pins[i].group + 1]++;
    for (size_t g = 0; g < given->n_groups; g++)
        next[g + 1] += next[g];
    by.pin = mem_new(next[given->n_groups] + 1, sizeof *by.pin);
    for (size_t q = 0; q < given->n_queues; q++)
        for (size_t i = 0; i < given->queue[q].n_pins; i++) {
            struct pin_spec p = given->queue[q].pins[i];
            by.pin[next[p.group]++] = (struct pinned){ (queue_id)q, p.count };
        }
    return by;
}

/* Nodes in a row that are of one group and kind. */
struct stretch { uint32_t group, kind, count; };
struct stretches {
    struct stretch *at;
    size_t n;
    uint32_t *of_owner, *next;    /* 1 + a kind of that owner, 1 + the next of the same; 0 ends.
                                     Index n_queues: nodes without owner */
};

static void kinds_as_asked(struct cluster *c, uint32_t type, queue_id owner)
{
    const struct node_type *t = &c->type[type];
    const char *model = intern_text(c->gpu_models, t->gpu_model);
    uint32_t gpus = t->gpus / MIG_MEMORY_SLICES, first = c->n_kinds;
    for (const struct mig_design *d = mig_catalogue; d->gpu_model; d++) {
        struct node_kind k = { .type = type,
                               .owner = owner,
                               .first = c->n_kinds == first,
                               .mig = mig_profile(d->profile),
                               .gpus = d->most * gpus,
                               .slices = (uint8_t)d->memory_slices };
        if (strcmp(d->gpu_model, model) != 0)
            continue;
        for (uint32_t g = 0; g < gpus; g++)
            k.slots |= (uint64_t)d->starts << g * MIG_MEMORY_SLICES;
        k.slot_milli = MILLI_ALL * mig_g(k.mig);
        c->kind[c->n_kinds++] = k;
    }
}

static void kinds_as_cut(struct cluster *c, uint32_t type, queue_id owner)
{
    const struct node_type *t = &c->type[type];
    uint32_t at = 0, end;
    do {
        uint16_t mig = at < NAMED_GPUS_MAX ? t->mig[at] : 0;
        for (end = mig ? at : t->gpus; end < t->gpus && t->mig[end] == mig;)
            end++;
        c->kind[c->n_kinds++] = (struct node_kind){
            .type = type, .owner = owner, .first = at == 0, .mig = mig, .gpus = end - at,
            .slots = mig ? run_mask(at, end) : UINT64_MAX, .slices = 1,
            .slot_milli = mig && !t->mig_single ? MILLI_ALL * mig_g(mig) : MILLI_ALL,
        };
        at = end;
    } while (at < t->gpus);
}

/* One kind, or one for each profile. */
static void kinds_of_type(struct cluster *c, uint32_t type, queue_id owner)
{
    uint32_t first = c->n_kinds;
    (c->type[type].mig_dynamic ? kinds_as_asked : kinds_as_cut)(c, type, owner);
    for (uint32_t k = first; k < c->n_kinds; k++)
        c->kind[k].parts = (uint16_t)(c->n_kinds - k);
}

int64_t cluster_kind_milli(const struct cluster *c, const struct node_kind *k)
{
    return c->type[k->type].mig_dynamic && k->parts > 1 ? 0 : (int64_t)k->gpus * k->slot_milli;
}

static int64_t parts_milli(const struct cluster *c, const struct node_kind *k)
{
    int64_t sum = 0;
    for (uint32_t part = 0; part < k->parts; part++)
        sum += cluster_kind_milli(c, &k[part]);
    return sum;
}

/* The next `count` nodes are of this group, type and owner. */
static void stretch_add(struct cluster *c, struct stretches *all, uint32_t group, uint32_t type,
                        queue_id owner, uint32_t *of_owner, uint32_t count)
{
    uint32_t k = *of_owner;
    while (k && c->kind[k - 1].type != type)
        k = all->next[k - 1];
    if (!k) {
        k = c->n_kinds + 1;
        all->next[k - 1] = *of_owner;
        *of_owner = k;
        kinds_of_type(c, type, owner);
    }
    for (uint32_t part = 0; part < c->kind[k - 1].parts; part++)
        c->kind[k - 1 + part].n_nodes += count;
    c->gpus += count * parts_milli(c, &c->kind[k - 1]) / MILLI_ALL;
    all->at[all->n++] = (struct stretch){ group, k - 1, count };
}

/* Nodes are in sets: partitions, reservations. */
static bool has_sets(const struct cluster_given *given)
{
    return (given->site && given->site->n_partitions) || given->reservations;
}

static bool in_same_sets(const struct cluster_given *given, node_id a, node_id b)
{
    return site_same_partitions(given->site, a, b) && reservations_same(given->reservations, a, b);
}

/* The same with a label for each set that node n is in. */
static uint32_t type_in_sets(struct cluster *c, const struct cluster_given *given, uint32_t type,
                             node_id n)
{
    struct node_type t;
    char *more = NULL;
    size_t length;
    FILE *f = mem_stream(&more, &length);
    site_labels(given->site, n, f);
    reservations_labels(given->reservations, n, f);
    mem_stream_end(f, &more);
    const char *labels = intern_text(c->texts, c->type[type].labels);
    size_t size = strlen(labels) + strlen(more) + 1;
    char *all = mem_new(size, 1);
    snprintf(all, size, "%s%s", labels, *labels || !*more ? more : more + 1);
    memcpy(&t, &c->type[type], sizeof t);
    t.labels = keep_text(c, all);
    free(all);
    free(more);
    return type_add(c, &t);
}

/* The most stretches of nodes of one group and owner, in the same sets. */
static size_t stretches_most(const struct cluster_given *given)
{
    size_t most = given->n_groups, n = 0;
    for (size_t g = 0; g < given->n_groups; g++)
        n += given->group[g].count;
    for (size_t q = 0; q < given->n_queues; q++)
        most += given->queue[q].n_pins;
    for (size_t i = 1; has_sets(given) && i < n; i++)
        most += !in_same_sets(given, (node_id)i - 1, (node_id)i);
    return most;
}

/* The same for nodes in several sets: stretches of those that are in the same ones. */
static void stretch_parts(struct cluster *c, const struct cluster_given *given, struct stretches *all,
                          struct stretch of, uint32_t type, queue_id owner, uint32_t *of_owner,
                          node_id first)
{
    if (!has_sets(given)) {
        stretch_add(c, all, of.group, type, owner, of_owner, of.count);
        return;
    }
    for (uint32_t i = 0, n; i < of.count; i += n) {
        for (n = 1; i + n < of.count && in_same_sets(given, first + i, first + i + n);)
            n++;
        stretch_add(c, all, of.group, type_in_sets(c, given, type, first + i), owner, of_owner, n);
    }
}

static int build_kinds(struct cluster *c, const struct cluster_given *given,
                       const uint32_t *type_of_group, struct stretches *all, struct error *err)
{
    struct pins_by_group by = sort_pins(given);
    size_t most = stretches_most(given), parts = 1;
    node_id first = 0;
    for (size_t g = 0; g < given->n_groups; g++) {
        parts = given->group[g].n_mig > parts ? given->group[g].n_mig : parts;
        parts =
            given->group[g].mig_dynamic && parts < MIG_PROFILES_MOST ? MIG_PROFILES_MOST : parts;
    }
    c->kind = arena_alloc(c->memory, most * parts * sizeof *c->kind);
    all->at = mem_new(most, sizeof *all->at);
    all->next = mem_new(most * parts, sizeof *all->next);
    all->of_owner = mem_new(given->n_queues + 1, sizeof *all->of_owner);
    for (uint32_t g = 0; g < given->n_groups; g++) {
        uint32_t left = given->group[g].count;
        for (size_t i = by.first[g]; i < by.first[g + 1]; i++) {
            queue_id owner = by.pin[i].owner;
            stretch_parts(c, given, all, (struct stretch){ g, 0, by.pin[i].count },
                          type_of_group[g], owner, &all->of_owner[owner], first);
            left -= by.pin[i].count;
            first += by.pin[i].count;
        }
        if (left)
            stretch_parts(c, given, all, (struct stretch){ g, 0, left }, type_of_group[g],
                          ID_NONE, &all->of_owner[given->n_queues], first);
        first += left;
    }
    free(by.first);
    free(by.pin);
    free(all->next);
    free(all->of_owner);
    if (c->n_kinds <= KINDS_MAX)
        return 0;
    return error_set(err,
                     "cluster '%s': want at most %u kinds of nodes (a type, or what one queue owns "
                     "of it), got %u",
                     c->name, KINDS_MAX, c->n_kinds);
}

/* ---- nodes ---- */

static void build_nodes(struct cluster *c, const struct stretches *all)
{
    size_t n = c->n_nodes;
    c->kind_of = arena_alloc(c->memory, n * sizeof *c->kind_of);
    c->local_of = arena_alloc(c->memory, n * sizeof *c->local_of);
    c->group_of = arena_alloc(c->memory, n * sizeof *c->group_of);
    c->gpu_base = arena_alloc(c->memory, (n + 1) * sizeof *c->gpu_base);
    uint32_t *filled = mem_new(c->n_kinds, sizeof *filled);
    for (uint32_t k = 0; k < c->n_kinds; k++)
        c->kind[k].node = c->kind[k].first
                              ? arena_alloc(c->memory, c->kind[k].n_nodes * sizeof(node_id))
                              : c->kind[k - 1].node;
    node_id at = 0;
    for (size_t i = 0; i < all->n; i++) {
        struct node_kind *kind = &c->kind[all->at[i].kind];
        const struct node_type *t = &c->type[kind->type];
        for (uint32_t left = all->at[i].count; left > 0; left--, at++) {
            c->kind_of[at] = (uint16_t)all->at[i].kind;
            c->group_of[at] = all->at[i].group;
            c->local_of[at] = filled[all->at[i].kind]++;
            kind->node[c->local_of[at]] = at;
            c->gpu_base[at + 1] = c->gpu_base[at] + (t->counted ? 0 : t->gpus);
        }
    }
    free(filled);
}

/* ---- queues ---- */

static void build_flavors(struct cluster *c, const struct cluster_given *given)
{
    c->n_flavors = (uint32_t)given->n_flavors;
    c->flavor = arena_alloc(c->memory, (given->n_flavors + 1) * sizeof *c->flavor);
    for (size_t i = 0; i < given->n_flavors; i++) {
        const struct flavor *f = &given->flavor[i];
        c->flavor[i] = (struct flavor){ keep(c, f->name), keep(c, f->labels), keep(c, f->taints),
                                        keep(c, f->tolerations) };
    }
}

static const struct quota_window *keep_windows(struct cluster *c, const struct queue_facts *f)
{
    struct quota_window *kept = arena_alloc(c->memory, (f->n_windows + (size_t)1) * sizeof *kept);
    for (uint32_t i = 0; i < f->n_windows; i++)
        kept[i] = f->window[i];
    return kept;
}

static const struct flavor_quota *keep_flavor_quotas(struct cluster *c, const struct queue_facts *f)
{
    size_t size = f->n_flavor_quotas * sizeof *f->flavor_quota;
    struct flavor_quota *kept = arena_alloc(c->memory, size + 1);
    if (size)
        memcpy(kept, f->flavor_quota, size);
    return kept;
}

static void build_queues(struct cluster *c, const struct queue_spec *queues, size_t n)
{
    c->n_queues = (uint32_t)n;
    c->queues_from_trace = n == 0;
    c->queue = arena_alloc(c->memory, n * sizeof *c->queue);
    for (size_t i = 0; i < n; i++) {
        struct queue_facts *f = &c->queue[i];
        *f = queues[i].facts;
        f->name = keep(c, f->name);
        f->pinned = queues[i].n_pins > 0;
        f->flavor_quota = keep_flavor_quotas(c, f);
        f->window = keep_windows(c, f);
        f->first_child = ID_NONE;
    }
    queue_id first_root = ID_NONE;
    for (queue_id q = (queue_id)n; q-- > 0;) { /* backwards, so that every list of siblings
                                                  ascends */
        queue_id parent = c->queue[q].parent;
        queue_id *first = parent == ID_NONE ? &first_root : &c->queue[parent].first_child;
        c->queue[q].next_sibling = *first;
        *first = q;
    }
}

/* ---- the whole ---- */

static void name_levels(struct cluster *c, const struct cluster_given *given)
{
    const struct level_names *levels = given_levels(given);
    for (uint32_t k = 0; k < levels->n; k++)
        c->levels.name[c->levels.n++] = keep(c, levels->name[k]);
}

struct cluster *cluster_assemble(const struct cluster_given *given, struct culprit *culprit,
                                 struct error *err)
{
    if (cluster_check(given, culprit, err))
        return NULL;
    *culprit = (struct culprit){ FAULT_WHOLE, 0 };
    struct arena *memory = arena_new();
    struct cluster *c = arena_alloc(memory, sizeof *c);
    c->overhead = overhead_default();
    c->storage = storage_default();
    c->memory = memory;
    c->name = keep(c, given->name);
    c->sharing = sharing_usual;
    struct stretches all = { .n = 0 };
    uint32_t *type_of_group = build_types(c, given->group, given->n_groups,
                                          has_sets(given) ? stretches_most(given) : 0);
    int result = build_kinds(c, given, type_of_group, &all, err);
    free(type_of_group);
    if (result) {
        free(all.at);
        cluster_free(c);
        return NULL;
    }
    build_nodes(c, &all);
    free(all.at);
    know_hardware(c, given);
    name_levels(c, given);
    cluster_build_domains(c, given->group, given->n_groups);
    build_flavors(c, given);
    build_queues(c, given->queue, given->n_queues);
    c->site = given->site;
    c->reservations = given->reservations;
    c->site_memory = given->site_memory;
    return c;
}

struct cluster *cluster_build(const char *name, const struct group_spec *groups, size_t n_groups,
                              const struct queue_spec *queues, size_t n_queues, struct error *err)
{
    struct cluster_given given = {
        .name = name, .group = groups, .n_groups = n_groups, .queue = queues, .n_queues = n_queues
    };
    struct culprit culprit;
    return cluster_assemble(&given, &culprit, err);
}

void cluster_free(struct cluster *c)
{
    if (!c)
        return;
    intern_free(c->gpu_models);
    intern_free(c->texts);
    throughput_pairs_free(c->sharing.pairs);
    catalogue_free(c->catalogue);
    training_models_free(c->models);
    rate_rules_free(c->rates);
    if (c->power) {
        hourly_free(&c->power->carbon);
        hourly_free(&c->power->pue_by_hour);
        hourly_free(&c->power->carbon_by_hour);
    }
    if (c->site_memory)
        arena_free(c->site_memory);
    arena_free(c->memory); /* c itself is in this arena */
}

uint32_t cluster_node_gpus(const struct cluster *c, node_id n)
{
    return cluster_node_type(c, n)->gpus;
}

int64_t cluster_node_milli(const struct cluster *c, node_id n)
{
    return parts_milli(c, &c->kind[c->kind_of[n]]);
}

uint32_t cluster_piece_kind(const struct cluster *c, const struct piece *p)
{
    uint32_t k = c->kind_of[p->node];
    while (c->kind[k].parts > 1 && p->gpu_mask &&
           (c->kind[k].mig != p->mig || !(c->kind[k].slots & p->gpu_mask)))
        k++;
    return k;
}

uint64_t cluster_slots(const struct cluster *c, node_id n, uint16_t mig)
{
    if (!mig)
        return UINT64_MAX;
    const struct node_kind *k = &c->kind[c->kind_of[n]];
    while (k->parts > 1 && k->mig != mig)
        k++;
    return k->mig == mig ? k->slots : 0;
}

int128_t cluster_full_nw(const struct cluster *c)
{
    int128_t nw = cluster_idle_nw(c, 0, c->n_nodes);
    for (node_id n = 0; n < c->n_nodes; n++) {
        const struct node_power *p = &c->power->of_group[c->group_of[n]];
        bool cpus = cluster_node_type(c, n)->cpu_milli != INT64_MAX;
        nw += (int128_t)(p->most_nw - p->idle_nw) * cluster_node_milli(c, n) +
              (cpus ? p->cpu_nw : 0);
    }
    return nw;
}

int128_t cluster_idle_nw(const struct cluster *c, node_id first, node_id end)
{
    int128_t nw = 0;
    for (node_id n = first; n < end; n++) {
        const struct node_power *p = &c->power->of_group[c->group_of[n]];
        nw += p->base_nw + (int128_t)p->idle_nw * cluster_node_milli(c, n);
    }
    return nw;
}
