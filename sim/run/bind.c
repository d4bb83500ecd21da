/* bind.c - brings a workload and a cluster together: queues by name, and the nodes that a job may use. */
#include "sim/base/intern.h"
#include "sim/base/memory.h"
#include "sim/base/suggest.h"
#include "sim/engine/overhead.h"
#include "sim/run/admit.h"
#include "sim/scheduler/named_places.h"
#include "sim/engine/state.h"
#include "sim/models/sharing.h"
#include "sim/models/training/training_models.h"
#include "sim/scheduler/placing.h"
#include "sim/workload/shapes.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A trace's queues, flat and without quotas, in the order of first sight. */
static void queues_from_trace(struct cluster *c, const struct workload *w)
{
    c->n_queues = intern_count(w->queue_names);
    c->queue = arena_alloc(c->memory, (c->n_queues + 1) * sizeof *c->queue);
    for (queue_id q = 0; q < c->n_queues; q++) {
        const char *name = intern_text(w->queue_names, q);
        c->queue[q] = (struct queue_facts){
            .name = arena_text(c->memory, *name ? name : "default", strlen(*name ? name : "default")),
            .parent = ID_NONE, .first_child = ID_NONE, .next_sibling = ID_NONE,
            .quota = { { UNLIMITED, UNLIMITED, UNLIMITED }, { UNLIMITED, UNLIMITED, UNLIMITED } },
            .weight = 1, .cpu_weight = 1, .mem_weight = 1, .preempt_min_runtime_ns = -1, .reclaim_min_runtime_ns = -1,
            .cohort = COHORT_RULES_UNSAID,
        };
    }
}

/* Names of queues are unique, so each has the number of its queue. */
static struct intern *queues_by_name(const struct cluster *c)
{
    struct intern *names = intern_new();
    for (queue_id q = 0; q < c->n_queues; q++)
        intern_add(names, c->queue[q].name, strlen(c->queue[q].name));
    assert(intern_count(names) == c->n_queues);
    return names;
}

static queue_id queue_named(const struct intern *names, const char *name)
{
    return intern_find(names, name, strlen(name));
}
static_assert(INTERN_NONE == ID_NONE, "a name that is not there is no queue");

/* All queues of the trace that the cluster lacks, each with its jobs and the nearest name. */
static int unknown_queues(const struct cluster *c, const struct intern *names, const struct workload *w, struct error *err)
{
    enum { SHOWN = 8 };
    uint32_t n = intern_count(w->queue_names), unknown = 0, *jobs = mem_new(n, sizeof *jobs);
    char *list = NULL;
    size_t length;
    FILE *f = mem_stream(&list, &length);
    for (job_id j = 0; j < workload_all(w); j++)
        jobs[w->facts[j].queue]++;
    for (uint32_t i = 0; i < n; i++) {
        const char *name = intern_text(w->queue_names, i);
        struct suggestion near = { .typed = name };
        if (!*name || queue_named(names, name) != ID_NONE || unknown++ >= SHOWN)
            continue;
        for (queue_id q = 0; q < c->n_queues; q++)
            if (c->queue[q].first_child == ID_NONE)
                suggest_offer(&near, c->queue[q].name);
        fprintf(f, "%s'%.40s' (%u job%s%s%s%s)", unknown == 1 ? "" : ", ", name, jobs[i], jobs[i] == 1 ? "" : "s",
                near.best ? ", did you mean '" : "", near.best ? near.best : "", near.best ? "'?" : "");
    }
    if (unknown > SHOWN)
        fprintf(f, " and %u more", unknown - SHOWN);
    mem_stream_end(f, &list);
    error_set(err, "cluster %s: the trace has jobs in queue%s %s: want %s among the queues of the cluster", c->name,
              unknown == 1 ? "" : "s", list, unknown == 1 ? "it" : "them");
    free(list);
    free(jobs);
    return -1;
}

/* Jobs without a queue go to the only one, or to one named "default". */
static int queue_for(const struct cluster *c, const struct intern *names, const struct workload *w, const char *name, queue_id *q,
                     struct error *err)
{
    if (!*name && c->n_queues == 1) {
        *q = 0;
        return 0;
    }
    *q = queue_named(names, *name ? name : "default");
    if (*q == ID_NONE && !*name)
        return error_set(err, "cluster %s: jobs of the trace have no queue: want a queue 'default', or only one", c->name);
    if (*q == ID_NONE)
        return unknown_queues(c, names, w, err);
    if (c->queue[*q].first_child != ID_NONE)
        return error_set(err, "cluster %s: the trace has jobs in queue '%s': want a queue without children", c->name,
                         name);
    return 0;
}

/* Jobs that ask for the same, but differ in something that the run makes part of the request: shapes of their own. */
struct splitting {
    struct shape *shape;
    uint32_t n;
    size_t capacity;
    uint32_t *at;                 /* [shapes before x keys] the shape made for that key; 0: not made yet */
    uint32_t n_keys;
    void (*change)(struct shape *made, uint32_t key, const void *context);
    const void *context;
};

static shape_id split_shape(struct splitting *p, shape_id id, uint32_t key)
{
    uint32_t *slot = &p->at[(size_t)id * p->n_keys + key];
    if (*slot)
        return *slot;
    struct shape made = p->shape[id];
    if (made.next != ID_NONE)
        made.next = split_shape(p, made.next, key);
    mem_grow(&p->shape, &p->capacity, p->n, sizeof *p->shape);
    made.ask.shape = made.ask.alike = p->n;
    p->change(&made, key, p->context);
    p->shape[p->n] = made;
    return *slot = p->n++;
}

/* key_of: below n_keys; ID_NONE: the job keeps its shape. */
static void split_shapes(struct workload *w, uint32_t n_keys, uint32_t (*key_of)(const struct workload *, job_id, const void *),
                         void (*change)(struct shape *, uint32_t, const void *), const void *context)
{
    uint32_t n = w->n_shapes;
    struct splitting p = { mem_new(n, sizeof *p.shape), n, n, mem_new((size_t)n * n_keys, sizeof *p.at), n_keys, change, context };
    memcpy(p.shape, w->shape, n * sizeof *p.shape);
    for (job_id j = 0; j < workload_all(w); j++) {
        workload_pass(w, j);
        uint32_t key = key_of(w, j, context);
        if (key != ID_NONE)
            split_shape(&p, w->facts[j].ask->shape, key);
    }
    for (job_id j = 0; j < workload_all(w); j++) {
        workload_change(w, j);
        uint32_t key = key_of(w, j, context), was = w->facts[j].ask->shape;
        w->facts[j].ask = &p.shape[key == ID_NONE ? was : p.at[(size_t)was * n_keys + key]].ask;
    }
    bulk_filled(w->facts);
    shapes_link(p.shape, p.n);
    free(w->shape);
    w->shape = p.shape;
    w->n_shapes = p.n;
    free(p.at);
}

static bool amount_bounds(const struct amount *most)
{
    return most->gpu_milli >= 0 || most->cpu_milli >= 0 || most->mem_mib >= 0;
}

/* At some time. */
static bool has_limit(const struct cluster *c, queue_id q)
{
    for (; q != ID_NONE; q = c->queue[q].parent) {
        if (amount_bounds(&c->queue[q].quota.limit))
            return true;
        for (uint32_t i = 0; i < c->queue[q].n_windows; i++)
            if (amount_bounds(&c->queue[q].window[i].quota.limit))
                return true;
    }
    return false;
}

static bool sets_apart(const struct cluster *c, queue_id q)
{
    return c->queue[q].pinned || has_limit(c, q);
}

/* Jobs of pinned queues ask for other nodes; jobs of a queue with a limit find no place where those of others do. */
static uint32_t own_shapes_of(const struct workload *w, job_id j, const void *cluster)
{
    return sets_apart(cluster, w->facts[j].queue) ? w->facts[j].queue : ID_NONE;
}

static void set_apart(struct shape *made, uint32_t queue, const void *cluster)
{
    const struct cluster *c = cluster;
    made->pin = c->queue[queue].pinned ? queue : ID_NONE;
    made->limited = has_limit(c, queue) ? queue : ID_NONE;
}

/* ---- Partitions, QOS, accounts ---- */

static uint32_t partition_named(const struct site *site, const char *name, size_t length)
{
    for (uint32_t p = 0; p < site->n_partitions; p++)
        if (strlen(site->partition[p].name) == length && !memcmp(site->partition[p].name, name, length))
            return p;
    return ID_NONE;
}

static int find_partitions(const struct cluster *c, struct workload *w, job_id j, const char *list, struct job_site *to,
                           struct error *err)
{
    uint32_t *all = arena_alloc(w->memory, (strlen(list) / 2 + 1) * sizeof *all), p;
    to->partition = all;
    for (const char *at = list; to->n_partitions == 0 || *at; at += *at == ';') {
        size_t length = strcspn(at, ";");
        if ((p = partition_named(c->site, at, length)) == ID_NONE)
            return error_set(err, "cluster %s: job '%.100s': want a partition of the cluster, got '%.*s'", c->name,
                             w->truth[j].name, (int)(length < 100 ? length : 100), at);
        for (uint32_t i = 0; i < to->n_partitions; i++)
            if (all[i] == p)
                return error_set(err, "cluster %s: job '%.100s': want each partition once, got '%.*s' twice", c->name,
                                 w->truth[j].name, (int)(length < 100 ? length : 100), at);
        all[to->n_partitions++] = p;
        at += length;
    }
    return 0;
}

static uint32_t association_named(const struct site *site, const char *name, uint32_t account)
{
    bool user = account != ID_NONE;
    for (uint32_t a = 0; a < site->n_associations; a++)
        if (site->association[a].user == user && (!user || site->association[a].parent == account) &&
            !strcmp(site->association[a].name, name))
            return a;
    return ID_NONE;
}

static int find_association(const struct cluster *c, const struct workload *w, job_id j, uint32_t named, struct job_site *to,
                            struct error *err)
{
    const struct job_facts *f = &w->facts[j];
    const char *account = named == ID_NONE ? c->queue[f->queue].name : intern_text(w->wishes, named);
    to->association = association_named(c->site, account, ID_NONE);
    if (to->association == ID_NONE && named != ID_NONE && c->site->n_associations)
        return error_set(err, "cluster %s: job '%.100s': want an account of the cluster, got '%.100s'", c->name, w->truth[j].name,
                         account);
    uint32_t user = to->association == ID_NONE || f->user == ID_NONE
                        ? ID_NONE : association_named(c->site, intern_text(w->users, f->user), to->association);
    to->association = user == ID_NONE ? to->association : user;
    return 0;
}

static int find_qos(const struct cluster *c, const struct workload *w, job_id j, uint32_t named, struct job_site *to,
                    struct error *err)
{
    const char *name = named == ID_NONE ? "" : intern_text(w->wishes, named);
    if (named == ID_NONE || !c->site->n_qos) {
        to->qos = to->association == ID_NONE ? ID_NONE : c->site->association[to->association].qos;
        return 0;
    }
    for (to->qos = 0; to->qos < c->site->n_qos; to->qos++)
        if (!strcmp(c->site->qos[to->qos].name, name))
            return 0;
    return error_set(err, "cluster %s: job '%.100s': want a QOS of the cluster, got '%.100s'", c->name, w->truth[j].name, name);
}

static uint32_t partitions_key(const struct workload *w, job_id j, const void *cluster)
{
    (void)cluster;
    return w->job_site[j].n_partitions ? workload_extra(w, j)->site : ID_NONE;
}

/* Its required terms, each together with each partition: a node of one of them. */
struct partition_terms { struct workload *w; const struct site *site; const struct job_site **of; };
static void keep_to_partitions(struct shape *made, uint32_t key, const void *context)
{
    const struct partition_terms *t = context;
    const struct job_site *j = t->of[key];
    const char *was = made->affinity == ID_NONE ? "" : intern_text(t->w->wishes, made->affinity);
    char *text = NULL;
    size_t length, n_required = 0;
    FILE *f = mem_stream(&text, &length);
    const char *more = "";
    for (const char *at = was; *at; at += strcspn(at, ";"), at += *at == ';') {
        size_t n = strcspn(at, ";");
        bool preferred = strspn(at, "0123456789") && at[strspn(at, "0123456789")] == ':';
        n_required += !preferred;
        for (uint32_t p = 0; p < (preferred ? 1 : j->n_partitions); p++, more = ";")
            if (preferred)
                fprintf(f, "%s%.*s", more, (int)n, at);
            else
                fprintf(f, "%s%.*s&partition.%s", more, (int)n, at, t->site->partition[j->partition[p]].name);
    }
    for (uint32_t p = 0; p < j->n_partitions && !n_required; p++, more = ";")
        fprintf(f, "%spartition.%s", more, t->site->partition[j->partition[p]].name);
    mem_stream_end(f, &text);
    made->affinity = intern_add(t->w->wishes, text, strlen(text));
    free(text);
}

static int bind_site(const struct cluster *c, struct workload *w, struct error *err)
{
    uint32_t usual = 0, n_keys = intern_count(w->sites) + 1;
    if (!c->site)
        return 0;
    w->job_site = arena_alloc(w->memory, workload_all(w) * sizeof *w->job_site);
    while (usual < c->site->n_partitions && !c->site->partition[usual].usual)
        usual++;
    struct partition_terms terms = { w, c->site, arena_alloc(w->memory, n_keys * sizeof *terms.of) };
    for (job_id j = 0; j < workload_all(w); j++) {
        struct own_site own = workload_site(w, workload_extra(w, j)->site);
        struct job_site *to = &w->job_site[j];
        const char *list = own.partition != ID_NONE ? intern_text(w->wishes, own.partition) : c->site->partition[usual].name;
        to->nice = own.nice;
        if ((c->site->n_partitions && find_partitions(c, w, j, list, to, err)) ||
            find_association(c, w, j, own.account, to, err) || find_qos(c, w, j, own.qos, to, err))
            return -1;
        terms.of[workload_extra(w, j)->site] = to;
    }
    if (c->site->n_partitions)
        split_shapes(w, n_keys, partitions_key, keep_to_partitions, &terms);
    return 0;
}

/* ---- Reservations ---- */

static uint32_t admitted_key(const struct workload *w, job_id j, const void *context)
{
    const struct admitted *all = context;
    (void)w;
    return all->of_job[j] ? all->of_job[j] : ID_NONE;
}

static void set_admitted(struct shape *made, uint32_t key, const void *context)
{
    made->admits = ((const struct admitted *)context)->set[key];
}

static void bind_reservations(const struct cluster *c, struct workload *w)
{
    if (!c->reservations)
        return;
    struct admitted all = admit(c, w);
    if (all.n > 1)
        split_shapes(w, all.n, admitted_key, set_admitted, &all);
}

/* ---- GPU memory ---- */

/* The memory of a GPU that the shape may use, the smallest of those that are no smaller than its share; 0: there is none. */
static int smallest_memory(const struct cluster *c, const struct workload *w, const struct shape *shape, uint32_t *mem_mib,
                           struct error *err)
{
    *mem_mib = 0;
    for (uint32_t k = 0; k < c->n_kinds; k++) {
        const struct node_kind *kind = &c->kind[k];
        uint32_t of_kind = c->type[kind->type].gpu_mem_mib;
        if (kind->mig || c->type[kind->type].counted || !placing_has_gpus(c, w, shape, kind))
            continue;
        if (!of_kind)
            return error_set(err, "cluster %s: group '%s': jobs ask for a share of GPUs by memory: want its gpu_memory_gib", c->name,
                             c->group_name[c->group_of[kind->node[0]]]);
        if (of_kind >= shape->share_mem_mib && (!*mem_mib || of_kind < *mem_mib))
            *mem_mib = of_kind;
    }
    return 0;
}

/* A share given as memory is that of the smallest GPU that may give it, on each: rounded up to a thousandth, so never too
 * little. A larger GPU is given away by the same part, which is more memory. */
static int resolve_shares(const struct cluster *c, struct workload *w, struct error *err)
{
    for (shape_id i = 0; i < w->n_shapes; i++) {
        struct shape *shape = &w->shape[i];
        uint32_t mem_mib;
        if (!shape->share_mem_mib)
            continue;
        if (shape->gpu_mem_mib < shape->share_mem_mib)
            shape->gpu_mem_mib = shape->share_mem_mib;
        if (smallest_memory(c, w, shape, &mem_mib, err))
            return -1;
        uint64_t milli = mem_mib ? ((uint64_t)shape->share_mem_mib * MILLI_ALL + mem_mib - 1) / mem_mib : 1;
        shape->ask.gpu_milli = (uint32_t)milli;        /* no such GPU: it will never run, but stays a share */
    }
    return 0;
}

/* What each model fills of a GPU; 0: not known. */
struct footprints { uint32_t *mem_mib; };

static uint32_t footprint_of(const struct workload *w, job_id j, const void *context)
{
    const struct footprints *f = context;
    uint32_t model = w->facts[j].model;
    return model != ID_NONE && f->mem_mib[model] ? model : ID_NONE;
}

static void fill_as_model(struct shape *made, uint32_t model, const void *context)
{
    const struct footprints *f = context;
    if (made->ask.gpus && !made->used_mem_mib && !made->share_mem_mib)
        made->used_mem_mib = f->mem_mib[model];
}

/* Requests say what they fill of each GPU, if it is known: the job, its share, or the catalogue of its model. */
static void resolve_footprints(const struct cluster *c, struct workload *w)
{
    uint32_t n = intern_count(w->models), known = 0;
    struct footprints f = { mem_new(n + (size_t)1, sizeof *f.mem_mib) };
    for (uint32_t i = 0; i < n; i++) {
        const struct model_duty *d = duty_find(&c->sharing, intern_text(w->models, i));
        f.mem_mib[i] = d ? d->mem_mib : 0;
        known += f.mem_mib[i] != 0;
    }
    if (known)
        split_shapes(w, n, footprint_of, fill_as_model, &f);
    free(f.mem_mib);
    for (shape_id i = 0; i < w->n_shapes; i++) {
        struct shape *s = &w->shape[i];
        uint32_t mem_mib = s->used_mem_mib ? s->used_mem_mib : s->share_mem_mib;
        s->ask.gpu_mem_mib = mem_mib ? mem_mib + (uint32_t)c->sharing.context_mib : 0;
    }
}

/* ---- Tensor parallelism ---- */

/* By model, where placements matter: GPUs that hold one copy of a layer; 1: it is not split, or no node could hold it. */
struct tensors { uint32_t *gpus; };

static uint32_t tensor_of(const struct workload *w, job_id j, const void *context)
{
    const struct tensors *t = context;
    const struct job_facts *f = &w->facts[j];
    uint32_t gpus = f->model == ID_NONE ? 1 : t->gpus[f->model];
    if (gpus < 2 || f->sizing || f->ask->next || workload_extra(w, j)->running ||
        f->ask->gpu_milli != MILLI_ALL || f->ask->mig)
        return ID_NONE;
    bool splits = f->ask->tasks == SPLIT_ANY ? f->ask->gpus % gpus == 0 : f->ask->gpus == gpus;
    return f->ask->gpus && splits ? f->model : ID_NONE;
}

/* A total becomes a gang of such groups, each with the CPUs and memory of its GPUs. */
static void tie_tensors(struct shape *made, uint32_t model, const void *context)
{
    uint32_t gpus = ((const struct tensors *)context)->gpus[model];
    made->ask.one_island = true;
    if (made->ask.tasks != SPLIT_ANY)
        return;
    made->ask.tasks = made->ask.gpus / gpus;
    made->ask.gpus = gpus;
    made->ask.cpu_milli *= gpus;
    made->ask.mem_mib *= gpus;
}

/* The groups of a job are tasks if its model says `tensor_parallel`, and each task is on one island: a hard constraint, like any
 * other of a request. A group that no node can hold is not tied. */
static void resolve_tensors(const struct cluster *c, struct workload *w)
{
    uint32_t n = intern_count(w->models), most = 0, tied = 0;
    struct tensors t = { mem_new(n + (size_t)1, sizeof *t.gpus) };
    for (uint32_t k = 0; k < c->n_kinds; k++)
        most = c->kind[k].gpus > most ? c->kind[k].gpus : most;
    for (uint32_t i = 0; i < n; i++) {
        struct training_model m = { .tensor_parallel = 1 };
        training_model_find(c->models, intern_text(w->models, i), &m);
        bool may_span = !c->rates->tensors_on_island && m.parallel.tp;
        t.gpus[i] = m.tensor_parallel <= most && !may_span ? m.tensor_parallel : 1;
        tied += t.gpus[i] > 1;
    }
    for (job_id j = 0; j < workload_all(w) && tied; j++)
        if (w->facts[j].ask->tasks == SPLIT_ANY && tensor_of(w, j, &t) != ID_NONE)
            w->facts[j].min_tasks = w->facts[j].ask->gpus / t.gpus[w->facts[j].model];
    if (tied)
        split_shapes(w, n, tensor_of, tie_tensors, &t);
    free(t.gpus);
}

/* Of those that jobs bring along: do they go together with the cluster's? */
static int check_prices(const struct cluster *c, const struct workload *w, struct error *err)
{
    for (uint32_t i = 1; i <= intern_count(w->overheads); i++) {
        struct own_overhead own = workload_overhead(w, i);
        struct overhead p = overhead_with(&c->overhead, &own);
        if (p.checkpoint == CHECKPOINT_PERIODIC && p.interval_ns == 0)
            return error_set(err, "%s:%zu: checkpoint: 'periodic' wants an interval_s, here or in the cluster",
                             w->overhead_at[i - 1].file, w->overhead_at[i - 1].line);
    }
    return 0;
}

static bool says_checkpoint(const struct workload *w, job_id j)
{
    uint32_t overhead = workload_extra(w, j)->overhead;
    return overhead && workload_overhead(w, overhead).checkpoint_mib >= 0;
}

/* Where checkpoints are as large as the model, there has to be one. */
static int check_models(const struct cluster *c, const struct workload *w, struct error *err)
{
    if (c->overhead.checkpoint_bytes != CHECKPOINT_OF_MODEL)
        return 0;
    const uint32_t n = intern_count(w->models);
    bool *has_size = mem_new(n + (size_t)1, sizeof *has_size);
    job_id j = 0;
    for (uint32_t i = 0; i < n; i++)
        has_size[i] = checkpoint_model_bytes(c, intern_text(w->models, i)) >= 0;
    while (j < workload_all(w) && ((w->facts[j].model != ID_NONE && has_size[w->facts[j].model]) || says_checkpoint(w, j)))
        j++;
    free(has_size);
    if (j == workload_all(w))
        return 0;
    uint32_t model = w->facts[j].model;
    return error_set(err, "cluster %s: checkpoint_gib is 'model': job '%.100s': want a model that is known, got %s%.100s%s",
                     c->name, w->truth[j].name, model == ID_NONE ? "none" : "'",
                     model == ID_NONE ? "" : intern_text(w->models, model), model == ID_NONE ? "" : "'");
}

/* *apart: some jobs are in queues that set them apart. */
static int bind_queues(const struct cluster *c, struct workload *w, bool *apart, struct error *err)
{
    uint32_t n = intern_count(w->queue_names);
    queue_id *map = mem_new(n, sizeof *map);
    struct intern *names = c->queues_from_trace ? NULL : queues_by_name(c);
    bool same = true;
    int failed = 0;
    for (uint32_t i = 0; i < n && !failed; i++) {
        map[i] = i;
        failed = names ? queue_for(c, names, w, intern_text(w->queue_names, i), &map[i], err) : 0;
        *apart = *apart || (!failed && sets_apart(c, map[i]));
        same &= map[i] == i;
    }
    for (job_id j = 0; j < workload_all(w) && !same && !failed; j++) {
        workload_change(w, j);
        w->facts[j].queue = map[w->facts[j].queue];
    }
    if (!same)
        bulk_filled(w->facts);
    intern_free(names);
    free(map);
    return failed;
}

bool run_binds_early(const struct cluster *c)
{
    for (queue_id q = 0; q < c->n_queues && !c->queues_from_trace; q++)
        if (c->queue[q].first_child != ID_NONE || sets_apart(c, q))
            return false;
    return !c->site && !c->reservations && !c->rates && !sharing_counts_memory(&c->sharing) &&
           c->overhead.checkpoint_bytes != CHECKPOINT_OF_MODEL;
}

int run_bind(struct cluster *c, struct workload *w, struct error *err)
{
    bool apart = false;
    if (workload_bind_levels(w, &c->levels, c->name, err))
        return -1;
    if (c->queues_from_trace)
        queues_from_trace(c, w);
    if (bind_queues(c, w, &apart, err))
        return -1;
    if (apart)
        split_shapes(w, c->n_queues, own_shapes_of, set_apart, c);
    if (bind_site(c, w, err))
        return -1;
    bind_reservations(c, w);
    if (sharing_counts_memory(&c->sharing))
        resolve_footprints(c, w);
    if (c->rates)
        resolve_tensors(c, w);
    if (apart)
        shapes_liken(w->shape, w->n_shapes);
    return resolve_shares(c, w, err) || check_prices(c, w, err) || check_models(c, w, err) ? -1 : named_places_check(c, w, err);
}
