/* service_run.h - a workload file with services, from a string, played on a cluster from a
 * string. */
#pragma once
#include "sim/engine/run.h"
#include "sim/physics/services/services.h"
#include "sim/results/summary.h"
#include "tests/support/from_yaml.h"
#include "tests/support/named.h"
#include "tests/unit/test_core.h"
#include "traces/formats/format.h"

#include <stdlib.h>
#include <string.h>

enum { SERVICE_ROWS_MOST = 20000 };
struct service_sample { char service[16]; int64_t to_ns; uint32_t wanted, placed, ready; double arrived, served, dropped, backlog, attainment; };
struct played {
    struct cluster *cluster;
    struct workload *workload;
    struct sched *sched;
    struct summary *summary;
    struct service_sample *row;
    size_t n_rows;
};

static inline void note_service(void *self, const struct run_model *m, const void *of)
{
    const struct service_row *row = of;
    (void)m;
    struct played *p = self;
    struct service_sample *to = &p->row[p->n_rows++];
    assert_true(p->n_rows < SERVICE_ROWS_MOST && strlen(row->name) < sizeof to->service);
    *to = (struct service_sample){ .to_ns = row->figures->to_ns, .wanted = row->wanted, .placed = row->placed, .ready = row->ready,
                         .arrived = row->figures->arrived, .served = row->figures->served, .dropped = row->figures->dropped,
                         .backlog = row->figures->unfinished, .attainment = figures_attainment(row->figures) };
    strcpy(to->service, row->name);
}

static inline struct workload *workload_of_text(const char *text, uint64_t seed, double gpus, struct error *err)
{
    const struct trace_format *used = NULL;
    char sha256[65];
    struct input *in = input_from_bytes(text, strlen(text), "w.yaml", err);
    struct workload *w = in ? trace_from_input(in, &(struct trace_source){ .path = "w.yaml", .seed = seed, .cluster_gpus = gpus }, &used,
                                               sha256, err)
                            : NULL;
    input_close(in);
    return w;
}

/* With its checks: they hold, or the test fails. until_s 0: to the end. */
static inline struct played play_services(const char *cluster, const char *workload, const char *policy, const char *placer, uint64_t seed,
                                          double until_s)
{
    struct error err = { "" };
    struct played p = { .cluster = cluster_of_text(cluster, &err), .row = mem_new(SERVICE_ROWS_MOST, sizeof *p.row) };
    if (p.cluster)
        p.workload = workload_of_text(workload, seed, (double)p.cluster->gpus, &err);
    if (!p.workload || run_bind(p.cluster, p.workload, &err))
        fail_msg("%s", err.text);
    struct named_policy named = policy_named(policy);
    struct run_setup setup = { .cluster = p.cluster, .workload = p.workload, .policy = named.policy, .policy_params = named.params,
                               .placer = placer_named(placer), .seed = seed, .until_ns = (int64_t)(until_s * (double)NS_PER_S), .check = true,
                               .observer = { .self = &p, .row = note_service } };
    p.sched = run_new(&setup);
    if (run_execute(p.sched, &err))
        fail_msg("%s", err.text);
    p.summary = summary_make(p.sched);
    return p;
}

static inline void played_free(struct played *p)
{
    summary_free(p->summary);
    run_free(p->sched);
    workload_free(p->workload);
    cluster_free(p->cluster);
    free(p->row);
}

static inline struct job_result played_job(const struct played *p, const char *name)
{
    for (job_id j = 0; j < workload_all(p->workload); j++)
        if (!strcmp(p->workload->truth[j].name, name))
            return run_job(p->sched, j);
    fail_msg("no job %s", name);
    return (struct job_result){ .start_ns = -1 };
}

static inline double played_value(const struct played *p, const char *metric, const char *scope)
{
    return summary_value(p->summary, metric, scope);
}

/* When the first interval ended with at least so many replicas of the service ready, in seconds;
 * below 0: never. */
static inline double ready_at(const struct played *p, const char *service, uint32_t replicas)
{
    for (size_t i = 0; i < p->n_rows; i++)
        if (!strcmp(p->row[i].service, service) && p->row[i].ready >= replicas)
            return seconds(p->row[i].to_ns);
    return -1;
}
