/* check_demand.c - what a trace asks of a cluster: GPU time by GPU type and queue, jobs that can
 * never run, known training models. See check.h. */
#include "sim/cli/check/check.h"

#include "policies/registry.h"
#include "sim/base/memory.h"
#include "sim/engine/run.h"
#include "sim/models/network/rate_rules.h"
#include "sim/models/training/throughputs.h"
#include "sim/models/training/training_models.h"
#include "sim/workload/requests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MILLI_NS_PER_H (3600.0 * (double)NS_PER_S * MILLI_ALL)

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

static json_t *put_demand(const char *key, const char *name, const struct demand *d, int64_t gpus,
                          int64_t span_ns)
{
    return json_pack("{s:o, s:I, s:o, s:I, s:o, s:o}", key, check_name(name), "jobs", d->jobs,
                     "gpu_h", check_real((double)d->milli_ns / MILLI_NS_PER_H), "gpus",
                     (json_int_t)gpus, "offered_load", load(d, gpus, span_ns), "largest_job_gpus",
                     check_real(d->gpus_most));
}

static int64_t span_of(const struct workload *w)
{
    return w->facts[w->n_jobs - 1].submit_ns - w->facts[0].submit_ns;
}

static int64_t may_use(const struct sched *s, const struct workload *w, job_id j)
{
    int64_t gpus = 0;
    for (const struct request *r = w->facts[j].ask; r; r = r->next) {
        bool was = false;
        for (const struct request *q = w->facts[j].ask; q != r; q = q->next)
            was |= w->shape[q->shape].gpu_type == w->shape[r->shape].gpu_type;
        gpus += was ? 0 : run_shape_gpus(s, r->shape);
    }
    return gpus;
}

/* Number of its bucket: 0, any; 1 + its type; the last one of all, several. */
static uint32_t bucket_of(const struct workload *w, job_id j)
{
    uint32_t type = w->shape[w->facts[j].ask->shape].gpu_type;
    for (const struct request *r = w->facts[j].ask; r; r = r->next)
        if (w->shape[r->shape].gpu_type != type)
            return intern_count(w->gpu_types) + 1;
    return type == ID_NONE ? 0 : type + 1;
}

/* By the GPU type that jobs ask for; jobs that ask for none come first, those with tasks that
 * ask for different ones last. GPUs: the most that any of these jobs may use. */
static json_t *by_type(const struct workload *w, const struct sched *s)
{
    uint32_t n = intern_count(w->gpu_types) + 2;
    struct demand *of = mem_new(n, sizeof *of), none = { 0 };
    int64_t *gpus = mem_new(n, sizeof *gpus);
    for (job_id j = 0; j < w->n_jobs; j++) {
        uint32_t type = bucket_of(w, j);
        int64_t most = may_use(s, w, j);
        add_job(request_gpus(w->facts[j].ask) ? &of[type] : &none, w, j);
        gpus[type] = most > gpus[type] ? most : gpus[type];
    }
    json_t *list = json_array();
    for (uint32_t t = 0; t < n; t++)
        if (of[t].jobs)
            json_array_append_new(list, put_demand("gpu_type",
                                                   !t          ? "any"
                                                   : t + 1 < n ? intern_text(w->gpu_types, t - 1)
                                                               : "several",
                                                   &of[t], gpus[t], span_of(w)));
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

/* The nodes of a queue with nodes of its own, else all nodes that belong to no queue. */
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

/* ---- jobs that can never run ---- */

/* The first queue, from the job's own upwards, with a lower limit than the job asks for;
 * ID_NONE: none. */
static queue_id too_small(const struct cluster *c, const struct job_facts *f)
{
    double milli = check_job_gpus(f) * MILLI_ALL;
    for (queue_id q = f->queue; q != ID_NONE; q = c->queue[q].parent)
        if (c->queue[q].quota.limit.gpu_milli != UNLIMITED &&
            milli > (double)c->queue[q].quota.limit.gpu_milli)
            return q;
    return ID_NONE;
}

struct reason {
    char why[256];
    json_int_t jobs;
    job_id first;
};

static void count_reason(struct reason **list, size_t *n, size_t *capacity, const char *why,
                         job_id j)
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

static void never_run(const struct cluster *c, const struct workload *w, const struct sched *s,
                      json_t *report)
{
    struct reason *list = NULL;
    size_t n = 0, capacity = 0;
    json_t *never = json_array();
    for (job_id j = 0; j < w->n_jobs; j++) {
        const char *why = run_never(s, w->facts[j].ask->shape);
        queue_id q = why ? ID_NONE : too_small(c, &w->facts[j]);
        char limit[256];
        snprintf(limit, sizeof limit, "asks for more than the limit of queue '%.100s'",
                 q == ID_NONE ? "" : c->queue[q].name);
        if (why || q != ID_NONE)
            count_reason(&list, &n, &capacity, why ? why : limit, j);
    }
    for (size_t i = 0; i < n; i++) {
        json_array_append_new(never, json_pack("{s:o, s:I, s:o}", "reason", check_name(list[i].why),
                                               "jobs", list[i].jobs, "first",
                                               check_name(w->truth[list[i].first].name)));
        check_warn(report, "%" JSON_INTEGER_FORMAT " job%s can never run; %s '%.100s': %s",
                   list[i].jobs, list[i].jobs == 1 ? "" : "s",
                   list[i].jobs == 1 ? "it is" : "the first is", w->truth[list[i].first].name,
                   list[i].why);
    }
    json_object_set_new(report, "never", never);
    free(list);
}

/* ---- Training models ---- */

static void put_rates(const struct cluster *c, const struct workload *w, json_t *report)
{
    const struct rate_rules *r = c->rates;
    if (!r) {
        json_object_set_new(report, "progress", json_null());
        return;
    }
    uint32_t n = intern_count(w->models), unknown = ID_NONE;
    bool *known = mem_new(n + (size_t)1, sizeof *known);
    json_int_t jobs = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct training_model m;
        const char *name = intern_text(w->models, i);
        known[i] = training_model_find(c->models, name, &m) ||
                   (r->table && throughputs_model(r->table, name) != INTERN_NONE);
        unknown = known[i] || unknown != ID_NONE ? unknown : i;
    }
    for (job_id j = 0; j < w->n_jobs; j++)
        jobs += w->facts[j].model != ID_NONE && known[w->facts[j].model];
    free(known);
    json_object_set_new(report, "progress",
                        json_pack("{s:s, s:s, s:I, s:I}", "model", rate_model_name[r->model],
                                  "unknown", rate_model_name[r->unknown], "known_jobs", jobs,
                                  "jobs", (json_int_t)w->n_jobs));
    if (unknown != ID_NONE)
        check_warn(
            report,
            "training model '%.100s' is unknown: want it in 'models' of the cluster, or in `gpuyard list "
            "models` or as an alias there",
            intern_text(w->models, unknown));
}

/* ---- the report ---- */

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
    struct run_setup setup = { .cluster = c, .workload = w, .policy = builtin_policies[0],
                               .placer = placer_named("pack"),
                               .seed = 1 };
    struct sched *s = run_new(&setup);
    struct demand all = { 0 };
    for (job_id j = 0; j < w->n_jobs; j++)
        add_job(&all, w, j);
    json_t *report = json_pack("{s:o, s:I, s:I, s:o, s:o, s:o, s:[]}", "cluster",
                               check_name(c->name), "nodes", (json_int_t)c->n_nodes, "gpus",
                               (json_int_t)c->gpus, "offered_load", load(&all, c->gpus, span_of(w)),
                               "gpu_types", by_type(w, s), "queues", by_queue(c, w), "warnings");
    largest(c, w, report);
    never_run(c, w, s, report);
    put_rates(c, w, report);
    check_notes(report, c, w);
    double offered = json_real_value(json_object_get(report, "offered_load"));
    if (offered > 1)
        check_warn(report, "the offered load is %.1f%%: the queue grows as long as jobs arrive",
                   100 * offered);
    run_free(s);
    return report;
}
