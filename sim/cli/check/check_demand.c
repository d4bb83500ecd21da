/* check_demand.c - see check.h: clusters, and what a trace asks of one. */
#include "sim/cli/check/check.h"

#include "policies/registry.h"
#include "sim/base/memory.h"
#include "sim/engine/run.h"
#include "sim/models/failures.h"
#include "sim/workload/requests.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MILLI_NS_PER_H (3600.0 * (double)NS_PER_S * MILLI_ALL)

static json_t *text(const char *s)
{
    json_t *t = json_string(s);
    return t ? t : json_string("?");
}

/* ---- the cluster alone ---- */

static json_t *gpu_types(const struct cluster *c)
{
    json_t *list = json_array();
    for (uint32_t m = 0; m < intern_count(c->gpu_models); m++) {
        json_int_t nodes = 0, gpus = 0, largest = 0;
        for (node_id n = 0; n < c->n_nodes; n++) {
            const struct node_type *t = cluster_node_type(c, n);
            if (t->gpu_model != m)
                continue;
            nodes++;
            gpus += cluster_node_milli(c, n) / MILLI_ALL;
            largest = t->gpus > largest ? t->gpus : largest;
        }
        json_array_append_new(list, json_pack("{s:o, s:I, s:I, s:I}", "gpu_type", text(intern_text(c->gpu_models, m)),
                                              "nodes", nodes, "gpus", gpus, "largest_node", largest));
    }
    return list;
}

static json_t *row_named(json_t *list, const char *key, const char *name)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        if (strcmp(json_string_value(json_object_get(json_array_get(list, i), key)), name) == 0)
            return json_array_get(list, i);
    json_t *row = json_pack("{s:o}", key, text(name));
    json_array_append_new(list, row);
    return row;
}

static void add_to(json_t *row, const char *key, int64_t n)
{
    json_object_set_new(row, key, json_integer(json_integer_value(json_object_get(row, key)) + n));
}

/* Instances by profile, in the order of the file; those of single nodes, which are asked for as GPUs, apart. */
static json_t *instances(const struct cluster *c)
{
    json_t *list = json_array();
    for (uint32_t k = 0; k < c->n_kinds; k++) {
        const struct node_kind *kind = &c->kind[k];
        char name[MIG_NAME_MAX], label[2 * MIG_NAME_MAX];
        if (!kind->mig)
            continue;
        snprintf(label, sizeof label, "%s %s", mig_name(kind->mig, name), c->type[kind->type].mig_single ? "single" : c->type[kind->type].mig_dynamic ? "dynamic" : "mixed");
        json_t *row = row_named(list, "profile", label);
        add_to(row, "nodes", kind->n_nodes);
        add_to(row, "instances", (int64_t)kind->n_nodes * kind->gpus);
        add_to(row, "gpus", (int64_t)kind->n_nodes * kind->gpus * kind->slot_milli / MILLI_ALL);
    }
    return list;
}

static json_int_t domains_of(const struct cluster *c, enum level l)
{
    json_int_t n = 0;
    for (domain_id d = 0; d < c->n_domains; d++)
        n += c->domain[d].level == l;
    return n;
}

static json_t *hours_between(double per_s)
{
    return per_s > 0 ? json_real(1 / per_s / 3600) : json_null();
}

static json_t *failures_of(const struct cluster *c)
{
    const struct failures *f = c->failures;
    return json_pack("{s:o, s:o, s:I, s:I}", "node_mttf_h", hours_between(failures_node_rate(f, 8)), "job_mttf_h",
                     hours_between(failures_job_rate(f, (double)c->gpus)), "given", (json_int_t)f->n_given, "planned",
                     (json_int_t)f->n_planned);
}

json_t *check_cluster(const struct cluster *c)
{
    json_int_t cpu_only = 0;
    for (node_id n = 0; n < c->n_nodes; n++)
        cpu_only += cluster_node_gpus(c, n) == 0;
    json_t *report = json_pack("{s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:[]}", "name", text(c->name), "nodes",
                     (json_int_t)c->n_nodes, "gpus", (json_int_t)c->gpus, "nodes_without_gpus", cpu_only, "racks",
                     domains_of(c, LEVEL_RACK), "pods", domains_of(c, LEVEL_POD), "queues",
                     (json_int_t)(c->queues_from_trace ? 0 : c->n_queues), "gpu_types", gpu_types(c), "warnings");
    json_t *mig = instances(c);
    if (json_array_size(mig))
        json_object_set(report, "mig", mig);
    json_decref(mig);
    check_put_storage(report, c);
    check_put_power(report, c);
    if (c->failures)
        json_object_set_new(report, "failures", failures_of(c));
    return report;
}

/* ---- demand ---- */

struct demand {
    json_int_t jobs;
    int128_t milli_ns;
    double gpus_most;
};

static void add_job(struct demand *d, const struct workload *w, job_id j)
{
    double gpus = check_job_gpus(&w->facts[j]);
    d->jobs++;
    d->milli_ns += check_job_milli_ns(w, j);
    d->gpus_most = gpus > d->gpus_most ? gpus : d->gpus_most;
}

static json_t *load(const struct demand *d, int64_t gpus, int64_t span_ns)
{
    return check_real((double)d->milli_ns / MILLI_ALL / ((double)gpus * (double)span_ns));
}

static json_t *put_demand(const char *key, const char *name, const struct demand *d, int64_t gpus, int64_t span_ns)
{
    return json_pack("{s:o, s:I, s:o, s:I, s:o, s:o}", key, text(name), "jobs", d->jobs, "gpu_h",
                     check_real((double)d->milli_ns / MILLI_NS_PER_H), "gpus", (json_int_t)gpus, "offered_load",
                     load(d, gpus, span_ns), "largest_job_gpus", check_real(d->gpus_most));
}

static int64_t span_of(const struct workload *w)
{
    return w->facts[w->n_jobs - 1].submit_ns - w->facts[0].submit_ns;
}

/* By what jobs say they want; the row of those that say nothing comes first. GPUs: those that any of them may use. */
static json_t *by_type(const struct workload *w, const struct sched *s)
{
    uint32_t n = intern_count(w->gpu_types) + 1;
    struct demand *of = mem_new(n, sizeof *of), none = { 0 };
    int64_t *gpus = mem_new(n, sizeof *gpus);
    for (job_id j = 0; j < w->n_jobs; j++) {
        const struct shape *shape = &w->shape[w->facts[j].ask->shape];
        uint32_t type = shape->gpu_type == ID_NONE ? 0 : shape->gpu_type + 1;
        int64_t may_use = run_shape_gpus(s, w->facts[j].ask->shape);
        add_job(request_gpus(&shape->ask) ? &of[type] : &none, w, j);
        gpus[type] = may_use > gpus[type] ? may_use : gpus[type];
    }
    json_t *list = json_array();
    for (uint32_t t = 0; t < n; t++)
        if (of[t].jobs)
            json_array_append_new(list, put_demand("gpu_type", t ? intern_text(w->gpu_types, t - 1) : "any", &of[t],
                                                   gpus[t], span_of(w)));
    if (none.jobs)
        json_array_append_new(list, put_demand("gpu_type", "without GPUs", &none, 0, span_of(w)));
    free(of);
    free(gpus);
    return list;
}

static json_t *amount_gpus(int64_t milli)
{
    return milli == UNLIMITED ? json_null() : json_real((double)milli / MILLI_ALL);
}

/* Its own nodes, or all that nobody else owns. */
static int64_t queue_gpus(const struct cluster *c, queue_id q)
{
    int64_t gpus = 0;
    for (uint32_t k = 0; k < c->n_kinds; k++)
        if (c->kind[k].owner == (c->queue[q].pinned ? q : ID_NONE))
            gpus += c->kind[k].n_nodes * cluster_kind_milli(c, &c->kind[k]) / MILLI_ALL;
    return gpus;
}

static json_t *by_queue(const struct cluster *c, const struct workload *w)
{
    struct demand *of = mem_new(c->n_queues, sizeof *of);
    json_t *list = json_array();
    for (job_id j = 0; j < w->n_jobs; j++)
        add_job(&of[w->facts[j].queue], w, j);
    for (queue_id q = 0; q < c->n_queues; q++) {
        const struct quota *quota = &c->queue[q].quota;
        if (c->queue[q].first_child != ID_NONE)
            continue;
        json_t *o = put_demand("queue", c->queue[q].name, &of[q], queue_gpus(c, q), span_of(w));
        json_object_set_new(o, "deserved_gpus", amount_gpus(quota->deserved.gpu_milli));
        json_object_set_new(o, "limit_gpus", amount_gpus(quota->limit.gpu_milli));
        json_array_append_new(list, o);
    }
    free(of);
    return list;
}

/* ---- who can never run ---- */

/* The first queue, from its own up, that must never hold that much; ID_NONE: none. */
static queue_id too_small(const struct cluster *c, const struct job_facts *f)
{
    double milli = check_job_gpus(f) * MILLI_ALL;
    for (queue_id q = f->queue; q != ID_NONE; q = c->queue[q].parent)
        if (c->queue[q].quota.limit.gpu_milli != UNLIMITED && milli > (double)c->queue[q].quota.limit.gpu_milli)
            return q;
    return ID_NONE;
}

struct reason {
    char why[256];
    json_int_t jobs;
    job_id first;
};

static void count_reason(struct reason **list, size_t *n, size_t *capacity, const char *why, job_id j)
{
    size_t i = 0;
    while (i < *n && strcmp((*list)[i].why, why) != 0)
        i++;
    if (i == *n) {
        mem_grow(list, capacity, *n, sizeof **list);
        (*list)[i] = (struct reason){ .first = j };
        snprintf((*list)[i].why, sizeof (*list)[i].why, "%s", why);
        ++*n;
    }
    (*list)[i].jobs++;
}

static void never_run(const struct cluster *c, const struct workload *w, const struct sched *s, json_t *report)
{
    struct reason *list = NULL;
    size_t n = 0, capacity = 0;
    json_t *never = json_array();
    for (job_id j = 0; j < w->n_jobs; j++) {
        const char *why = run_never(s, w->facts[j].ask->shape);
        queue_id q = why ? ID_NONE : too_small(c, &w->facts[j]);
        char limit[256];
        snprintf(limit, sizeof limit, "asks for more than the limit of queue '%.100s'", q == ID_NONE ? "" : c->queue[q].name);
        if (why || q != ID_NONE)
            count_reason(&list, &n, &capacity, why ? why : limit, j);
    }
    for (size_t i = 0; i < n; i++) {
        json_array_append_new(never, json_pack("{s:o, s:I, s:o}", "reason", text(list[i].why), "jobs", list[i].jobs,
                                               "first", text(w->truth[list[i].first].name)));
        check_warn(report, "%" JSON_INTEGER_FORMAT " job%s can never run; %s '%.100s': %s", list[i].jobs,
                   list[i].jobs == 1 ? "" : "s", list[i].jobs == 1 ? "it is" : "the first is",
                   w->truth[list[i].first].name, list[i].why);
    }
    json_object_set_new(report, "never", never);
    free(list);
}

/* ---- all of it ---- */

static void largest(const struct cluster *c, const struct workload *w, json_t *report)
{
    double job = 0;
    json_int_t task = 0, node = 0;
    for (job_id j = 0; j < w->n_jobs; j++) {
        double gpus = check_job_gpus(&w->facts[j]);
        job = gpus > job ? gpus : job;
        for (const struct request *r = w->facts[j].ask; r; r = r->next)
            task = r->tasks != SPLIT_ANY && r->gpus > task ? r->gpus : task;
    }
    for (node_id n = 0; n < c->n_nodes; n++)
        node = cluster_node_gpus(c, n) > node ? cluster_node_gpus(c, n) : node;
    json_object_set_new(report, "largest_job_gpus", check_real(job));
    json_object_set_new(report, "largest_task_gpus", json_integer(task));
    json_object_set_new(report, "largest_node_gpus", json_integer(node));
}

static const struct placer *placer_named(const char *name)
{
    size_t i = 0;
    while (strcmp(builtin_placers[i]->name, name) != 0)
        i++;
    return builtin_placers[i];
}

json_t *check_demand(struct cluster *c, struct workload *w, struct error *err)
{
    if (run_bind(c, w, err) != 0)
        return NULL;
    struct run_setup setup = { .cluster = c, .workload = w, .policy = builtin_policies[0], .placer = placer_named("pack"),
                               .seed = 1 };
    struct sched *s = run_new(&setup);
    struct demand all = { 0 };
    for (job_id j = 0; j < w->n_jobs; j++)
        add_job(&all, w, j);
    json_t *report = json_pack("{s:o, s:I, s:I, s:o, s:o, s:o, s:[]}", "cluster", text(c->name), "nodes",
                               (json_int_t)c->n_nodes, "gpus", (json_int_t)c->gpus, "offered_load",
                               load(&all, c->gpus, span_of(w)), "gpu_types", by_type(w, s), "queues", by_queue(c, w),
                               "warnings");
    largest(c, w, report);
    never_run(c, w, s, report);
    check_rates(c, w, report);
    double offered = json_real_value(json_object_get(report, "offered_load"));
    if (offered > 1)
        check_warn(report, "the offered load is %.1f%%: the queue grows as long as jobs arrive", 100 * offered);
    run_free(s);
    return report;
}
