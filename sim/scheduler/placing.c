/* placing.c - what each shape may use, and whether it fits into the empty cluster at all. See placing.h. */
#include "sim/scheduler/placing.h"
#include "sim/cluster/labels.h"
#include "sim/engine/params.h"
#include "sim/scheduler/closed/reserved.h"
#include "sim/scheduler/timeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- What each shape may use, and whether it fits into the empty cluster at all ---- */

static bool model_matches(const char *list, const char *model)
{
    size_t length = strlen(model);
    for (const char *p = list; p; p = strchr(p, '|')) {
        p += *p == '|';
        size_t n = strcspn(p, "|");
        if (n == length && memcmp(p, model, n) == 0)
            return true;
    }
    return false;
}

static const char *wish(const struct sched *s, uint32_t id)
{
    return id == ID_NONE ? "" : intern_text(s->workload->wishes, id);
}

static struct node_affinity kind_affinity(const struct sched *s, const struct shape *shape, const struct node_kind *kind)
{
    const struct node_type *t = &s->cluster->type[kind->type];
    return (struct node_affinity){
        affinity_weight(wish(s, shape->affinity), intern_text(s->cluster->texts, t->labels)),
        taints_avoided(intern_text(s->cluster->texts, t->taints), wish(s, shape->tolerations)),
    };
}

bool placing_has_slots(const struct request *ask, const struct node_kind *kind, const struct node_type *t)
{
    if (!ask->gpus)
        return kind->first;
    if (!kind->mig || t->mig_single)
        return !ask->mig && (!kind->mig || ask->gpu_milli == MILLI_ALL);
    return ask->mig == kind->mig;
}

static bool is_model(const struct cluster *c, const struct workload *w, const struct shape *shape, const struct node_kind *kind)
{
    const struct node_type *t = &c->type[kind->type];
    return shape->gpu_type == ID_NONE || (t->gpu_model != ID_NONE && model_matches(intern_text(w->gpu_types, shape->gpu_type),
                                                                                    intern_text(c->gpu_models, t->gpu_model)));
}

/* An instance has its memory for itself. */
static bool fills_no_more(const struct cluster *c, const struct shape *shape, const struct node_kind *kind, uint32_t mem_mib)
{
    if (!shape->ask.gpu_mem_mib || c->sharing.oom != OOM_REJECT)
        return true;
    if (kind->mig)
        return shape->ask.gpu_mem_mib - c->sharing.context_mib <= mem_mib;
    return shape->ask.gpu_mem_mib <= sharing_usable_mib(&c->sharing, mem_mib);
}

bool placing_has_gpus(const struct cluster *c, const struct workload *w, const struct shape *shape, const struct node_kind *kind)
{
    const struct node_type *t = &c->type[kind->type];
    uint32_t mem_mib = kind->mig ? mig_gb(kind->mig) * 1024 : t->gpu_mem_mib;
    if (kind->owner != shape->pin || (shape->ask.gpus && !t->gpus) || !placing_has_slots(&shape->ask, kind, t))
        return false;
    if (mem_mib && (mem_mib < shape->gpu_mem_mib || !fills_no_more(c, shape, kind, mem_mib)))
        return false;
    return is_model(c, w, shape, kind);
}

/* flavor NULL: of no flavor. A flavor tolerates taints for the jobs that use it. */
static bool has_labels(const struct sched *s, const struct shape *shape, const struct node_kind *kind, const struct flavor *flavor)
{
    const struct node_type *t = &s->cluster->type[kind->type];
    const char *labels = intern_text(s->cluster->texts, t->labels), *taints = intern_text(s->cluster->texts, t->taints);
    return selector_holds(wish(s, shape->selector), labels) && affinity_holds(wish(s, shape->affinity), labels) &&
           taints_tolerated_by(taints, wish(s, shape->tolerations), flavor ? flavor->tolerations : "") &&
           (!flavor || selector_holds(flavor->labels, labels));
}

static bool is_selected(const struct sched *s, const struct shape *shape, const struct flavor *f)
{
    return flavor_selected(f->labels, wish(s, shape->selector), wish(s, shape->affinity)) &&
           taints_tolerated_by(f->taints, wish(s, shape->tolerations), f->tolerations);
}

/* A node of that kind, with nothing else on it, has room for a task, or for some of a total. */
static bool holds_any(const struct sched *s, const struct request *ask, const struct node_kind *kind)
{
    const struct node_type *t = &s->cluster->type[kind->type];
    bool total = ask->tasks == SPLIT_ANY, share = ask->gpus && ask->gpu_milli < MILLI_ALL;
    return (total || ask->gpus <= kind->gpus) && !(share && t->counted) && ask->cpu_milli <= t->cpu_milli &&
           ask->mem_mib <= t->mem_mib;
}

static bool hold_total(const struct sched *s, const struct request *ask, const uint16_t *kinds, uint32_t n)
{
    uint64_t gpus = 0;
    for (uint32_t k = 0; k < n; k++)
        gpus += (uint64_t)s->cluster->kind[kinds[k]].gpus * s->cluster->kind[kinds[k]].n_nodes;
    return ask->tasks != SPLIT_ANY || gpus >= ask->gpus;
}

/* Where the leader of these workers may be though they may not: nodes without GPUs. Workers that name a model select by it. */
static void bare_kinds(struct sched *s, const struct shape *shape, const struct flavor *flavor, uint16_t *scratch,
                       struct shape_kinds *to)
{
    bool leads = shape->ask.set && shape->ask.set->together && shape->ask.gpus && shape->gpu_type == ID_NONE;
    for (uint32_t k = 0; k < s->cluster->n_kinds && leads; k++) {
        const struct node_kind *kind = &s->cluster->kind[k];
        if (!s->cluster->type[kind->type].gpus && kind->owner == shape->pin && has_labels(s, shape, kind, flavor))
            scratch[to->n_bare++] = (uint16_t)k;
    }
    to->bare = memcpy(arena_alloc(s->memory, (to->n_bare + 1) * sizeof *scratch), scratch, to->n_bare * sizeof *scratch);
}

/* allowed [kinds]: scratch. Of a flavor only if they can hold the job. */
static struct shape_kinds kinds_of(struct sched *s, shape_id i, const struct flavor *flavor, uint16_t *allowed)
{
    const struct shape *shape = &s->workload->shape[i];
    uint32_t count = 0;
    for (uint32_t k = 0; k < s->cluster->n_kinds && (!flavor || is_selected(s, shape, flavor)); k++)
        if (placing_has_gpus(s->cluster, s->workload, shape, &s->cluster->kind[k]) &&
            has_labels(s, shape, &s->cluster->kind[k], flavor) &&
            (!flavor || holds_any(s, &shape->ask, &s->cluster->kind[k])))
            allowed[count++] = (uint16_t)k;
    if (flavor && !hold_total(s, &shape->ask, allowed, count))
        count = 0;
    uint16_t *kept = arena_alloc(s->memory, (count + 1) * sizeof *kept);
    memcpy(kept, allowed, count * sizeof *kept);
    struct node_affinity *affinity = arena_alloc(s->memory, (count + 1) * sizeof *affinity);
    for (uint32_t k = 0; k < count; k++)
        affinity[k] = kind_affinity(s, shape, &s->cluster->kind[kept[k]]);
    struct shape_kinds kinds = { .n = count, .kind = kept, .affinity = affinity };
    bare_kinds(s, shape, flavor, allowed, &kinds);
    return kinds;
}

bool flavor_allows(const struct sched *s, uint32_t flavor, const struct request *run)
{
    return s->placing->kinds[run->shape + s->workload->n_shapes * (flavor + 1)].n > 0;
}

/* Nodes in reserve (models.md 8.6) are no room: shown as out of service, or back again. */
static void show_reserve(struct sched *s, int sign)
{
    const struct cluster *c = s->cluster;
    const uint32_t *spares = c->failures ? c->failures->spares : NULL;
    for (node_id n = c->n_nodes, in_group = 0; spares && n-- > 0; in_group++) {
        if (n + 1 == c->n_nodes || c->group_of[n] != c->group_of[n + 1])
            in_group = 0;
        if (in_group >= spares[c->group_of[n]])
            continue;
        const struct node_type *t = cluster_node_type(c, n);
        if (!t->counted && t->gpus)
            free_index_out_gpus(s->idle, n, UINT64_MAX >> (64 - t->gpus), sign);
        free_index_out_node(s->idle, n, t->counted ? t->gpus : 0, sign);
    }
}

/* The chain on nodes of the flavor, in scratch. flavor: as in a request. */
static const struct request *in_flavor(struct sched *s, const struct request *ask, uint16_t flavor)
{
    struct request *first = NULL, **end = &first;
    if (!flavor)
        return ask;
    for (const struct request *run = ask; run; run = run->next) {
        *end = arena_alloc(s->scratch, sizeof **end);
        **end = *run;
        (*end)->flavor = flavor;
        (*end)->next = NULL;
        end = (struct request **)(uintptr_t)&(*end)->next;
    }
    return first;
}

static uint8_t never_fits(struct sched *s, shape_id i, uint16_t flavor)
{
    const struct request *r = in_flavor(s, &s->workload->shape[i].ask, flavor);
    if (!group_places_type(s, r))
        return NO_TYPE;
    bool fits = placing_whatever_limit(s, s->idle, r);
    s->placing->may[i + s->workload->n_shapes * flavor] = !fits && group_places_may(s, r);
    return fits ? PLACED : (uint8_t)s->placing->why_not;
}

/* Its minimum, of every group; the first tasks of each. */
static struct request *least_of(struct sched *s, const struct job_facts *f)
{
    struct request *first = NULL, **end = &first;
    uint32_t group = ID_NONE, left = 0;
    for (const struct request *run = f->ask; run; run = run->next) {
        if (run->group != group)
            left = f->n_groups ? f->group[run->group].min_tasks : group == ID_NONE ? f->min_tasks : left;
        group = run->group;
        if (left == 0)
            continue;
        *end = arena_alloc(s->scratch, sizeof **end);
        **end = *run;
        (*end)->tasks = run->tasks < left ? run->tasks : left;
        (*end)->next = NULL;
        left -= (*end)->tasks;
        end = (struct request **)(uintptr_t)&(*end)->next;
    }
    return first;
}

const struct request *job_request_least(struct sched *s, job_id j)
{
    struct request *least = arena_alloc(s->scratch, sizeof *least);
    *least = job_request(s, j);
    if (least->tasks != SPLIT_ANY)
        least = least_of(s, &s->workload->facts[j]);
    least->job = j;
    return least;
}

/* With how many tasks, or GPUs, a job may run at least; 0: with all of them only. */
static uint32_t least_size(const struct sched *s, const struct job_facts *f)
{
    if (s->all_needs & RESIZES)
        return f->sizing ? workload_sizes(s->workload, (job_id)(f - s->workload->facts)).min : 0;
    bool parts = s->all_needs & STARTS_PARTIAL && f->ask->tasks != SPLIT_ANY && f->min_tasks < request_tasks(f->ask);
    return parts ? f->min_tasks : 0;
}

static const struct placement *place_least(struct sched *s, const struct job_facts *f, uint32_t least, uint16_t flavor)
{
    struct request sized = job_request_sized(s, (job_id)(f - s->workload->facts), least);
    return placing_whatever_limit(s, s->idle, in_flavor(s, s->all_needs & RESIZES ? &sized : least_of(s, f), flavor));
}

/* It fits nowhere as it is, and may with fewer tasks or GPUs. */
static bool may_fit_smaller(const struct sched *s, const uint8_t *never, shape_id shape)
{
    return never[shape] != PLACED && (never[shape] != NO_TYPE || s->workload->shape[shape].ask.next);
}

/* Elastic jobs too large for the cluster: does their minimum fit? Known by the largest minimum of the shape that fits. */
static void find_least(struct sched *s, uint16_t flavor)
{
    const struct workload *w = s->workload;
    const uint8_t *never = &s->placing->never[(size_t)w->n_shapes * flavor];
    uint32_t *known = &s->placing->least[(size_t)w->n_shapes * flavor];
    bool any = false;
    for (shape_id i = 0; i < w->n_shapes && s->all_needs & (STARTS_PARTIAL | RESIZES); i++)
        any |= may_fit_smaller(s, never, i);
    if (any && s->setup.early) {
        s->placing->wants_all_jobs = true;
        return;
    }
    for (job_id j = 0; j < s->n_jobs && any; j++) {
        const struct job_facts *f = &w->facts[j];
        if (!may_fit_smaller(s, never, f->ask->shape))
            continue;
        uint32_t least = least_size(s, f);
        if (least > known[f->ask->shape] && place_least(s, f, least, flavor))
            known[f->ask->shape] = least;
    }
}

/* What tenants can have of the memory of GPUs of each type: enforced if a job that finds too little is not placed. */
static void memory_begin(struct sched *s)
{
    const struct cluster *c = s->cluster;
    if (!sharing_counts_memory(&c->sharing) || c->sharing.oom != OOM_REJECT)
        return;
    s->placing->gpu_mem_most_mib = arena_alloc(s->memory, c->n_types * sizeof *s->placing->gpu_mem_most_mib);
    for (uint32_t t = 0; t < c->n_types; t++)
        s->placing->gpu_mem_most_mib[t] = c->type[t].mig[0] ? 0 : (uint32_t)sharing_usable_mib(&c->sharing, c->type[t].gpu_mem_mib);
}

/* A policy that gives jobs flavors may start one where only a flavor lets it: a flavor may tolerate what the job does not. */
static void fits_in_any(struct sched *s, shape_id i)
{
    uint8_t *never = s->placing->never;
    uint32_t n = s->workload->n_shapes, *least = s->placing->least;
    for (uint32_t f = 1; f <= s->cluster->n_flavors; f++) {
        size_t at = i + (size_t)n * f;
        if (never[at] == PLACED || never[i] == NO_TYPE)
            never[i] = never[i] == PLACED ? PLACED : never[at];
        least[i] = least[at] > least[i] ? least[at] : least[i];
    }
}

void placing_begin(struct sched *s)
{
    const struct placer *placer = s->setup.placer;
    s->placing = arena_alloc(s->memory, sizeof *s->placing);
    s->placing->params = params_complete(s->memory, placer->params, placer->params_size, s->setup.placer_params);
    random_init(&s->placing->random, s->setup.seed, "placement", 0);
    memory_begin(s);
    size_t n = s->workload->n_shapes, n_all = n * (1 + s->cluster->n_flavors) + 1;
    s->placing->kinds = arena_alloc(s->memory, n_all * sizeof *s->placing->kinds);
    s->placing->never = arena_alloc(s->memory, n_all);
    s->placing->may = arena_alloc(s->memory, n_all * sizeof *s->placing->may);
    s->placing->least = arena_alloc(s->memory, n_all * sizeof *s->placing->least);
    reserved_begin(s);
    s->placing->fits = arena_alloc(s->memory, (n + 1) * sizeof *s->placing->fits);
    s->placing->by_totals = arena_alloc(s->memory, (n + 1) * sizeof *s->placing->by_totals);
    uint16_t *allowed = mem_new(s->cluster->n_kinds, sizeof *allowed);
    for (shape_id i = 0; i < n; i++) {
        s->placing->kinds[i] = kinds_of(s, i, NULL, allowed);
        for (uint32_t f = 0; f < s->cluster->n_flavors; f++)
            s->placing->kinds[i + n * (f + 1)] = kinds_of(s, i, &s->cluster->flavor[f], allowed);
        s->placing->by_totals[i] = placing_only_totals_count(s, i);
    }
    free(allowed);
    pods_begin(s);
    if (s->setup.placer->needs & SEES_TYPICAL)
        s->placing->typical = typical_of(s->workload, s->memory);
    s->idle = placing_view(s);
    struct random before = s->placing->random;
    show_reserve(s, 1);
    for (uint32_t f = 0; f <= s->cluster->n_flavors; f++) {
        for (shape_id i = 0; i < n; i++)
            s->placing->never[i + n * f] = never_fits(s, i, (uint16_t)f);
        find_least(s, (uint16_t)f);
        arena_reset(s->scratch);
    }
    for (shape_id i = 0; i < n && s->setup.policy->reads & READS_COHORTS; i++)
        fits_in_any(s, i);
    show_reserve(s, -1);
    s->placing->random = before;
    if (s->all_needs & SEES_RELEASING)
        s->releasing = placing_view(s);
}

void placing_end(struct sched *s)
{
    if (!s->placing)
        return;
    free_index_free(s->idle);
    free_index_free(s->releasing);
    reserved_end(s);
    free(s->placing->builder.piece);
    free(s->placing->builder.tried);
}

static const char *never_for_mig(const struct sched *s, uint16_t profile)
{
    char name[MIG_NAME_MAX], text[64];
    int length = snprintf(text, sizeof text, "no node has MIG instances of profile %s", mig_name(profile, name));
    return arena_text(s->memory, text, (size_t)length);
}

/* Would whole GPUs of its model do, if they were not cut? */
static bool lacks_uncut(const struct sched *s, const struct shape *shape)
{
    for (uint32_t k = 0; shape->ask.gpus && k < s->cluster->n_kinds; k++)
        if (s->cluster->kind[k].mig && s->cluster->kind[k].owner == shape->pin &&
            is_model(s->cluster, s->workload, shape, &s->cluster->kind[k]))
            return true;
    return false;
}

const char *placing_never(const struct sched *s, shape_id shape)
{
    static const char *const why[] = {
        [PLACED] = NULL,
        [NO_ROOM] = "asks for more than the cluster has",
        [NO_ROOM_FRAGMENTED] = "does not fit the nodes, even when all are empty",
        [NO_TOPOLOGY] = "no domain of the required level is large enough",
        [NO_TYPE] = "no node has its GPU model",
        [NO_POWER] = "would pass the power cap, even alone",
    };
    if (s->placing->never[shape] == NO_TYPE)
        for (uint32_t k = 0; k < s->cluster->n_kinds; k++)
            if (placing_has_gpus(s->cluster, s->workload, &s->workload->shape[shape], &s->cluster->kind[k]))
                return "no node has the labels that it wants, and no taints that it does not tolerate";
    if (s->placing->never[shape] == NO_TYPE && s->workload->shape[shape].ask.mig)
        return never_for_mig(s, s->workload->shape[shape].ask.mig);
    if (s->placing->never[shape] == NO_TYPE && lacks_uncut(s, &s->workload->shape[shape]))
        return "no node has GPUs of its model that are not cut into MIG instances";
    if (s->placing->never[shape] == NO_TYPE && s->placing->gpu_mem_most_mib && s->workload->shape[shape].ask.gpu_mem_mib)
        return "fills more memory than a GPU of its model has";
    if (s->placing->never[shape] == NO_TYPE && s->workload->shape[shape].gpu_mem_mib)
        return "no node has GPUs of its model with as much memory";
    return why[s->placing->never[shape]];
}

static bool ever_fits(const struct sched *s, job_id j, uint32_t flavor)
{
    size_t at = ask_of(s, j)->shape + (size_t)s->workload->n_shapes * flavor;
    bool sized = s->force->needs & (STARTS_PARTIAL | RESIZES) && s->placing->least[at];
    uint32_t least = sized ? least_size(s, &s->workload->facts[j]) : 0;
    return s->placing->never[at] == PLACED ||
           (s->force->needs & PLACES_GROUPS && s->placing->may[at]) || (least && least <= s->placing->least[at]);
}

const char *placing_never_job(const struct sched *s, job_id j)
{
    return ever_fits(s, j, 0) ? NULL : placing_never(s, ask_of(s, j)->shape);
}

bool flavor_holds(const struct sched *s, uint32_t flavor, job_id j)
{
    return ever_fits(s, j, flavor + 1);
}

/* ---- For those that set a run up ---- */

const char *run_never(const struct sched *s, shape_id shape)
{
    return placing_never(s, shape);
}

int64_t run_shape_gpus(const struct sched *s, shape_id shape)
{
    int64_t gpus = 0;
    for (uint32_t i = 0; i < s->placing->kinds[shape].n; i++) {
        const struct node_kind *kind = &s->cluster->kind[s->placing->kinds[shape].kind[i]];
        gpus += (int64_t)kind->n_nodes * kind->gpus * kind->slot_milli / MILLI_ALL;
    }
    return gpus;
}

const void *run_placer_params(const struct sched *s)
{
    return s->placing->params;
}
