/* generate.c - what is drawn becomes rows of a workload: jobs, replicas of services. See synth.h;
 * session_rows.c does so with sessions. */
#include "sim/base/bulk.h"
#include "sim/base/random.h"
#include "sim/models/draws/shares.h"
#include "sim/serving/deployment.h"
#include "traces/synth/synth.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ==== users and projects ==== */

uint32_t *synth_project_of(const struct synth_spec *s)
{
    struct shares users = shares_zipf(s->users, s->users_zipf),
                  projects = shares_of(s->projects.weight, s->projects.n);
    uint32_t *project_of = mem_new(s->users, sizeof *project_of);
    double *lacks = mem_new(s->projects.n, sizeof *lacks);
    for (size_t p = 0; p < s->projects.n; p++)
        lacks[p] = shares_of_one(&projects, p);
    for (uint32_t u = 0; u < s->users; u++) {
        uint32_t most = 0;
        for (uint32_t p = 1; p < s->projects.n; p++)
            if (lacks[p] > lacks[most])
                most = p;
        project_of[u] = most;
        lacks[most] -= shares_of_one(&users, u);
    }
    free(lacks);
    shares_free(&users);
    shares_free(&projects);
    return project_of;
}

/* ==== jobs ==== */

struct naming { char job[48], user[32], first[48]; };

bool synth_is_default_name(const char *name)
{
    return !strcmp(name, "any") || !strcmp(name, "none");
}

static void name_of(const struct synth_names *names, uint16_t which, const char **to,
                    size_t *length)
{
    if (!names->n || synth_is_default_name(names->name[which]))
        return;
    *to = names->name[which];
    *length = strlen(*to);
}

void synth_row_size(struct job_row *row, const struct synth_class *c, int64_t milli)
{
    uint32_t gpus = (uint32_t)((milli + MILLI_ALL - 1) / MILLI_ALL);
    int64_t of = gpus;
    row->gpus = gpus;
    if (milli > 0 && milli < MILLI_ALL)
        row->gpu_milli = (uint32_t)milli;
    if (c->by_node || gpus <= 1) {
        row->tasks = gpus > c->node_gpus ? gpus / c->node_gpus : 1;
        of = gpus / row->tasks;
    }
    row->cpu_milli = c->cpu_milli * (of ? of : 1);
    row->mem_mib = c->mem_mib * (of ? of : 1);
}

/* "17" and its retries "17.r1", "17.r2", each of which depends on the one before it. */
static void set_names(struct job_row *row, const struct synth_job *j, struct naming *n)
{
    size_t length = (size_t)snprintf(n->job, sizeof n->job, "%" PRIu64, j->number + 1);
    memcpy(n->first, n->job, length + 1);
    if (j->attempt) {
        row->depends_on_length = length;
        if (j->attempt > 1)
            row->depends_on_length += (size_t)snprintf(n->first + length, sizeof n->first - length,
                                                       ".r%d", j->attempt - 1);
        row->depends_on = n->first;
        length += (size_t)snprintf(n->job + length, sizeof n->job - length, ".r%d", j->attempt);
    }
    row->job_id = n->job;
    row->job_id_length = length;
    row->user = n->user;
    row->user_length = (size_t)snprintf(n->user, sizeof n->user, "user%" PRIu32, j->user + 1);
}

static struct job_row row_of(const struct synth_spec *s, const struct synth_job *j,
                             uint32_t project, struct naming *n)
{
    const struct synth_class *c = &s->class[j->class];
    struct job_row row = job_row_default;
    set_names(&row, j, n);
    synth_row_size(&row, c, c->size[j->size].gpu_milli);
    row.queue = s->projects.name[project];
    row.queue_length = strlen(row.queue);
    name_of(&c->gpu_types, j->type, &row.gpu_type, &row.gpu_type_length);
    name_of(&c->models, j->model, &row.model, &row.model_length);
    row.submit_ns = j->submit_ns;
    row.duration_ns = j->duration_ns;
    row.class = c->class;
    row.fate = (enum job_fate)j->fate;
    row.priority = c->priority;
    row.preemptible = c->preemptible;
    return row;
}

int synth_generate(const struct synth_spec *s, const struct synth_wish *wish, const char *file,
                   struct workload *w, struct synth_report *report, struct error *err)
{
    struct synth_jobs jobs;
    struct error why = { "" };
    if (synth_draw(s, wish, &jobs, &why) != 0)
        return error_set(err, "%s: %s", file, why.text);
    uint32_t *project_of = synth_project_of(s);
    int result = 0;
    for (size_t i = 0; i < jobs.n && result == 0; i++) {
        struct naming names;
        if (bulk_turns(i))
            bulk_pass(jobs.job, i, sizeof *jobs.job);
        struct job_row row = row_of(s, &jobs.job[i], project_of[jobs.job[i].user], &names);
        if (estimates_know_truth(&s->estimates))
            row.estimate_ns = estimate_draw(&s->estimates, row.duration_ns, wish->seed, i);
        result = workload_add(w, &row, file, i + 1, err);
    }
    if (s->start_ns != TIME_NEVER)
        w->origin_ns = s->start_ns;
    w->drawn = jobs.report.drawn;
    *report = jobs.report;
    free(project_of);
    synth_jobs_free(&jobs);
    return result;
}

/* ==== services ==== */

enum { PERFECT = 1 };             /* index of native_checkpoints[] */
const struct own_overhead synth_on_demand_overhead = { .checkpoint = PERFECT,
                                                 .interval_ns = -1,
                                                 .restart_ns = -1,
                                                 .most_stops = REQUEUES_ALL };

static int add_replicas(const struct deployment *d, const struct job_row *replica, const char *file,
                        struct workload *w, struct error *err)
{
    struct job_row row = *replica;
    int64_t start_ns = d->service.demand.start_ns, end_ns = d->service.demand.end_ns;
    row.duration_ns = end_ns == TIME_NEVER ? ENDLESS_NS : end_ns - start_ns;
    for (uint32_t k = 0; k < d->scaler.most; k++) {
        char name[256];
        int length = snprintf(name, sizeof name, "%s/%u", d->service.name, k);
        if (length >= (int)sizeof name)
            return error_set(err, "%s: service %.60s...: want a shorter name", file,
                             d->service.name);
        row.job_id = name;
        row.job_id_length = (size_t)length;
        if (workload_add(w, &row, file, d->line, err))
            return -1;
    }
    return 0;
}

int synth_services_add(struct synth_spec *s, uint64_t seed, const char *file, struct workload *w,
                       struct error *err)
{
    struct deployments *all = s->services;
    if (!all)
        return 0;
    for (size_t i = 0; i < all->n; i++)
        if (all->of[i].service.demand.end_ns == TIME_NEVER && w->n_jobs == 0)
            return error_set(err,
                             "%s: service %s: want its end_s, or a span_s, where there are no jobs",
                             file, all->of[i].service.name);
    for (size_t i = 0; i < all->n; i++)
        if (add_replicas(&all->of[i], &s->replica[i], file, w, err))
            return -1;
    all->seed = seed;
    w->services = all;
    w->services_free = deployments_free;
    s->services = NULL;
    return 0;
}
