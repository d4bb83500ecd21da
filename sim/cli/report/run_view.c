/* run_view.c - see run_view.h. */
#include "sim/cli/report/run_view.h"

#include "sim/base/memory.h"
#include "sim/cli/frame/result_file.h"
#include "sim/io/json_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ==== timeseries.csv and queues.csv: levels of the cluster and of each queue ==== */

static struct queue_view *queue_of(struct run_view *v, const char *name, size_t length)
{
    uint32_t known = intern_count(v->queue_names),
             number = intern_add(v->queue_names, name, length);
    if (number == known) {
        mem_grow(&v->queue, &v->queue_capacity, number, sizeof *v->queue);
        v->queue[number] = (struct queue_view){ 0 };
    }
    return &v->queue[number];
}

struct levels { struct run_view *view; const struct steps *steps; };

static const char *const totals[] = { "time_s",
                                      "gpus_total",
                                      "gpus_up",
                                      "gpus_allocated",
                                      "gpus_busy",
                                      "jobs_waiting",
                                      "gpus_waiting",
                                      "?power_w",
                                      "?carbon_g_per_h",
                                      "?cost_gpus_usd_per_h",
                                      "?cost_pools_usd_per_h",
                                      "?cost_energy_usd_per_h",
                                      "?sessions_active",
                                      "?sessions_idle",
                                      "?sessions_starting",
                                      "?sessions_queued",
                                      "?sessions_released",
                                      NULL };
static const char *const queues[] = {
    "time_s", "queue", "gpus_allocated", "gpus_deserved", "gpus_demand", "gpus_fair_share", NULL
};

static int on_series(void *self, const struct row *row, const size_t *column, struct error *err)
{
    struct levels *l = self;
    double at_s, value;
    if (result_number(row, column[0], &at_s, err))
        return -1;
    for (size_t i = 0; i < CLUSTER_LEVELS; i++) {
        if (result_number(row, column[1 + i], &value, err))
            return -1;
        if (!isnan(value))
            series_set(&l->view->level[i], l->steps, at_s - l->view->start_s, value);
    }
    return 0;
}

static int on_queue(void *self, const struct row *row, const size_t *column, struct error *err)
{
    struct levels *l = self;
    struct queue_view *q = queue_of(l->view, row->cell[column[1]].text,
                                    row->cell[column[1]].length);
    double at_s, value;
    if (result_number(row, column[0], &at_s, err))
        return -1;
    for (size_t i = 0; i < QUEUE_LEVELS; i++) {
        struct series *level = &q->level[i];
        if (result_number(row, column[2 + i], &value, err))
            return -1;
        if (i == QUEUE_HELD)
            q->held_gpu_s += level->value * fmax(0, at_s - l->view->start_s - level->at_s);
        /* A quota holds from the start of the run, though the first row of its queue is later. */
        bool quota = i == QUEUE_DESERVED && !level->any;
        if (!isnan(value))
            series_set(level, l->steps, quota ? 0 : at_s - l->view->start_s, value);
    }
    return 0;
}

static int read_levels(struct run_view *v, const struct steps *steps, struct error *err)
{
    static const struct result_file of_series = { "timeseries.csv", totals, on_series, NULL },
                                    of_queues = { "queues.csv", queues, on_queue, NULL };
    struct levels levels = { v, steps };
    double end_s = v->end_s - v->start_s;
    if (!(end_s > 0))
        return 0;
    if (result_file_read(v->path, &of_series, &levels, err) < 0)
        return -1;
    int result = result_file_read(v->path, &of_queues, &levels, err);
    v->no_queues = result == 1;
    for (size_t i = 0; i < CLUSTER_LEVELS; i++)
        series_end(&v->level[i], steps, end_s);
    for (uint32_t k = 0; k < intern_count(v->queue_names); k++) {
        struct series *held = &v->queue[k].level[QUEUE_HELD];
        v->queue[k].held_gpu_s += held->value * fmax(0, end_s - held->at_s);
        for (size_t i = 0; i < QUEUE_LEVELS; i++)
            series_end(&v->queue[k].level[i], steps, end_s);
    }
    return result < 0 ? -1 : 0;
}

/* ==== jobs.csv: distributions over the jobs that ended, and waits by queue and reason ==== */

enum { C_QUEUE, C_STATE, C_VALUES, C_NAME = C_VALUES + DISTRIBUTIONS, C_GPUS, C_SUBMIT,
       C_PREEMPTIONS };
static const char *const job_columns[] = {
    "queue",  "state", "jct_s",    "wait_s",      "bounded_slowdown", "finish_time_fairness",
    "job_id", "gpus",  "submit_s", "preemptions", NULL
};

struct jobs { struct run_view *view; size_t reason_column[WAIT_REASONS_MAX]; };

/* The columns "wait_REASON_s". */
static int on_jobs_header(void *self, const struct row *header, struct error *err)
{
    struct jobs *j = self;
    (void)err;
    for (size_t i = 0; i < header->n && j->view->reasons < WAIT_REASONS_MAX; i++) {
        const char *name = header->cell[i].text, *reason = name + strlen("wait_");
        size_t length = header->cell[i].length;
        if (length <= strlen("wait__s") || strncmp(name, "wait_", strlen("wait_")) != 0 ||
            strcmp(name + length - 2, "_s") != 0)
            continue;
        j->reason_column[j->view->reasons] = i;
        j->view->reason[j->view->reasons++] = mem_text(reason, length - strlen("wait__s"));
    }
    return 0;
}

static void add_value(struct values *v, double value)
{
    if (isnan(value))
        return;
    mem_grow(&v->value, &v->capacity, v->n, sizeof *v->value);
    v->value[v->n++] = value;
}

/* Keeps the job if it is one of the worst. The reason with the longest part of its wait. */
static int keep_worst(struct jobs *j, const struct row *row, const size_t *column, struct error *err)
{
    struct run_view *v = j->view;
    const char *name = row->cell[column[C_NAME]].text, *queue = row->cell[column[C_QUEUE]].text;
    struct worst_job w = { .reason = SIZE_MAX };
    double most = 0, part;
    if (result_number(row, column[C_VALUES + DISTRIBUTION_WAIT], &w.wait_s, err))
        return -1;
    size_t at = v->n_worst;
    while (at > 0 && (v->worst[at - 1].wait_s < w.wait_s ||
                      (v->worst[at - 1].wait_s == w.wait_s && strcmp(v->worst[at - 1].name, name) > 0)))
        at--;
    if (!(w.wait_s > 0) || at == WORST_MAX)
        return 0;
    if (result_number(row, column[C_GPUS], &w.gpus, err) ||
        result_number(row, column[C_SUBMIT], &w.submit_s, err) ||
        result_number(row, column[C_PREEMPTIONS], &w.preemptions, err) ||
        result_number(row, column[C_VALUES + DISTRIBUTION_JCT], &w.jct_s, err) ||
        result_number(row, column[C_VALUES + DISTRIBUTION_SLOWDOWN], &w.slowdown, err))
        return -1;
    for (size_t i = 0; i < v->reasons; i++) {
        if (result_number(row, j->reason_column[i], &part, err))
            return -1;
        if (part > most) {
            most = part;
            w.reason = i;
        }
    }
    w.name = mem_text(name, strlen(name));
    w.queue = mem_text(queue, strlen(queue));
    if (v->n_worst == WORST_MAX) {
        free(v->worst[--v->n_worst].name);
        free(v->worst[v->n_worst].queue);
    }
    memmove(&v->worst[at + 1], &v->worst[at], (v->n_worst++ - at) * sizeof w);
    v->worst[at] = w;
    return 0;
}

static int on_job(void *self, const struct row *row, const size_t *column, struct error *err)
{
    struct jobs *j = self;
    const char *state = row->cell[column[C_STATE]].text;
    double slowdown;
    if (result_number(row, column[C_VALUES + DISTRIBUTION_SLOWDOWN], &slowdown, err))
        return -1;
    /* Replicas of services and sessions have no service time, so no slowdown: the means of the
     * summary leave them out, too. */
    bool ended = !isnan(slowdown) && (!strcmp(state, "completed") || !strcmp(state, "failed") ||
                                      !strcmp(state, "cancelled"));
    struct queue_view *q = queue_of(j->view, row->cell[column[C_QUEUE]].text,
                                    row->cell[column[C_QUEUE]].length);
    q->jobs++;
    j->view->jobs++;
    for (size_t i = 0; i < j->view->reasons; i++) {
        double waited;
        if (result_number(row, j->reason_column[i], &waited, err))
            return -1;
        q->wait_s[i] += isnan(waited) ? 0 : waited;
    }
    for (size_t d = 0; d < DISTRIBUTIONS && ended; d++) {
        double value;
        if (result_number(row, column[C_VALUES + d], &value, err))
            return -1;
        add_value(&j->view->sorted[d], value);
    }
    return keep_worst(j, row, column, err);
}

static int read_jobs(struct run_view *v, struct error *err)
{
    static const struct result_file file = { "jobs.csv", job_columns, on_job, on_jobs_header };
    struct jobs jobs = { .view = v };
    int result = result_file_read(v->path, &file, &jobs, err);
    v->no_jobs = result == 1;
    return result < 0 ? -1 : 0;
}

/* ==== nodes.csv and intervals.csv: GPU time by account, and the share of each node that was
 * held over time ==== */

struct nodes {
    struct run_view *view;
    size_t account_column[ACCOUNTS_MAX];
    size_t capacity;
    double *gpus;                 /* of each node */
    double scale;                 /* steps of the heat map in a second */
};

/* The columns "ACCOUNT_gpu_s". */
static int on_nodes_header(void *self, const struct row *header, struct error *err)
{
    static const char ending[] = "_gpu_s";
    struct nodes *n = self;
    (void)err;
    for (size_t i = 0; i < header->n && n->view->accounts < ACCOUNTS_MAX; i++) {
        size_t length = header->cell[i].length, name = length - (sizeof ending - 1);
        if (length < sizeof ending || strcmp(header->cell[i].text + name, ending) != 0)
            continue;
        n->account_column[n->view->accounts] = i;
        n->view->account[n->view->accounts++].name = mem_text(header->cell[i].text, name);
    }
    return 0;
}

static int on_node(void *self, const struct row *row, const size_t *column, struct error *err)
{
    struct nodes *n = self;
    struct run_view *v = n->view;
    double value;
    for (size_t i = 0; i < v->accounts; i++) {
        if (result_number(row, n->account_column[i], &value, err))
            return -1;
        v->account[i].gpu_s += isnan(value) ? 0 : value;
    }
    if (result_number(row, column[1], &value, err))
        return -1;
    if (!(value > 0))
        return 0;
    uint32_t number = intern_add(v->node_names, row->cell[column[0]].text,
                                 row->cell[column[0]].length);
    mem_grow(&n->gpus, &n->capacity, number, sizeof *n->gpus);
    n->gpus[number] = value;
    return 0;
}

static void make_rows(struct nodes *n)
{
    struct run_view *v = n->view;
    size_t nodes = intern_count(v->node_names);
    v->nodes_per_row = (nodes + HEAT_ROWS - 1) / HEAT_ROWS;
    v->heat_rows = nodes ? (nodes + v->nodes_per_row - 1) / v->nodes_per_row : 0;
    v->heat = mem_new(v->heat_rows + 1, sizeof *v->heat);
    for (uint32_t k = 0; k < nodes; k++) {
        struct heat_row *row = &v->heat[k / v->nodes_per_row];
        row->gpus += n->gpus[k];
        if (!row->name)
            row->name = mem_text(intern_text(v->node_names, k),
                                 strlen(intern_text(v->node_names, k)));
    }
    v->node_gpus = n->gpus;
}

static int on_interval(void *self, const struct row *row, const size_t *column, struct error *err)
{
    struct nodes *n = self;
    struct run_view *v = n->view;
    double value[4];              /* gpus, gpu_milli, start_s, end_s */
    uint32_t number = intern_find(v->node_names, row->cell[column[0]].text,
                                  row->cell[column[0]].length);
    for (size_t i = 0; i < 4; i++)
        if (result_number(row, column[1 + i], &value[i], err))
            return -1;
    if (number == INTERN_NONE || !(value[3] > value[2]))
        return 0;
    struct heat_row *r = &v->heat[number / v->nodes_per_row];
    double from = (value[2] - v->start_s) * n->scale,
           to = fmin((value[3] - v->start_s) * n->scale, HEAT_STEPS);
    for (size_t k = from > 0 ? (size_t)from : 0; (double)k < to; k++)
        r->share[k] += value[0] * value[1] / 1000 / r->gpus *
                       (fmin(to, (double)k + 1) - fmax(from, (double)k));
    return 0;
}

static int read_nodes(struct run_view *v, struct error *err)
{
    static const char *const of_nodes[] = { "node", "gpus", NULL };
    static const char *const of_intervals[] = { "node",    "gpus",  "gpu_milli",
                                                "start_s", "end_s", NULL };
    static const struct result_file nodes = { "nodes.csv", of_nodes, on_node, on_nodes_header },
                                    intervals = { "intervals.csv", of_intervals, on_interval,
                                                  NULL };
    struct nodes n = { .view = v };
    v->node_names = intern_new();
    int result = result_file_read(v->path, &nodes, &n, err);
    v->no_nodes = result == 1;
    make_rows(&n);
    if (result || !(v->end_s > v->start_s))
        return result < 0 ? -1 : 0;
    n.scale = HEAT_STEPS / (v->end_s - v->start_s);
    result = result_file_read(v->path, &intervals, &n, err);
    v->no_intervals = result == 1;
    return result < 0 ? -1 : 0;
}

/* ==== services.csv: levels of each inference service ==== */

struct services { struct run_view *view; const struct steps *steps; size_t capacity; };

static struct service_view *service_of(struct services *s, const struct cell *name)
{
    struct run_view *v = s->view;
    uint32_t known = intern_count(v->service_names),
             number = intern_add(v->service_names, name->text, name->length);
    if (number == known) {
        mem_grow(&v->service, &s->capacity, number, sizeof *v->service);
        v->service[number] = (struct service_view){ 0 };
    }
    return &v->service[number];
}

/* A row describes the interval that ends at its time and begins at the time of the row before. */
static int on_service(void *self, const struct row *row, const size_t *at, struct error *err)
{
    struct services *s = self;
    struct service_view *x = service_of(s, &row->cell[at[1]]);
    double at_s, value;
    if (result_number(row, at[0], &at_s, err))
        return -1;
    for (size_t i = 0; i < SERVICE_LEVELS; i++) {
        if (result_number(row, at[2 + i], &value, err))
            return -1;
        if (!isnan(value))
            series_set(&x->level[i], s->steps, x->last_s, i == SERVICE_KEPT ? 100 * value : value);
    }
    x->last_s = at_s - s->view->start_s;
    return 0;
}

static int read_services(struct run_view *v, const struct steps *steps, struct error *err)
{
    static const char *const columns[] = { "time_s",         "service",
                                           "rate_per_s",     "latency_p50_s",
                                           "latency_p99_s",  "slo_attainment",
                                           "replicas_ready", NULL };
    static const struct result_file file = { "services.csv", columns, on_service, NULL };
    struct services s = { .view = v, .steps = steps };
    v->service_names = intern_new();
    if (!(v->end_s > v->start_s))
        return 0;
    int result = result_file_read(v->path, &file, &s, err);
    for (uint32_t k = 0; k < intern_count(v->service_names); k++)
        for (size_t i = 0; i < SERVICE_LEVELS; i++)
            series_end(&v->service[k].level[i], steps,
                       fmin(v->service[k].last_s, v->end_s - v->start_s));
    return result < 0 ? -1 : 0;
}

/* ==== The whole run ==== */

enum { PATH_LONG = 4096 };

static int on_time(void *self, const struct row *row, const size_t *column, struct error *err)
{
    struct run_view *v = self;
    double at_s;
    if (result_number(row, column[0], &at_s, err))
        return -1;
    if (isnan(v->start_s))
        v->start_s = at_s;
    v->end_s = at_s;
    return 0;
}

int run_view_open(struct run_view *v, const struct run_record *record, const char *directory,
                  struct error *err)
{
    static const char *const wanted[] = { "time_s", NULL };
    static const struct result_file file = { "timeseries.csv", wanted, on_time, NULL };
    char path[PATH_LONG];
    *v = (struct run_view){ .path = directory, .record = record, .start_s = (double)NAN,
                            .queue_names = intern_new() };
    snprintf(path, sizeof path, "%s/manifest.json", v->path);
    v->manifest = json_file_read(path, err);
    if (!v->manifest || result_file_read(v->path, &file, v, err) < 0)
        return -1;
    if (isnan(v->start_s))
        v->start_s = v->end_s = 0;
    return 0;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int run_view_read(struct run_view *v, const struct steps *steps, struct error *err)
{
    if (read_levels(v, steps, err) || read_jobs(v, err) || read_nodes(v, err) ||
        read_services(v, steps, err))
        return -1;
    for (size_t d = 0; d < DISTRIBUTIONS; d++)
        if (v->sorted[d].n)
            qsort(v->sorted[d].value, v->sorted[d].n, sizeof *v->sorted[d].value, ascending);
    return 0;
}

void run_view_free(struct run_view *v)
{
    json_decref(v->manifest);
    for (size_t i = 0; i < CLUSTER_LEVELS; i++)
        series_free(&v->level[i]);
    for (uint32_t k = 0; v->queue_names && k < intern_count(v->queue_names); k++)
        for (size_t i = 0; i < QUEUE_LEVELS; i++)
            series_free(&v->queue[k].level[i]);
    for (uint32_t k = 0; v->service_names && k < intern_count(v->service_names); k++)
        for (size_t i = 0; i < SERVICE_LEVELS; i++)
            series_free(&v->service[k].level[i]);
    for (size_t d = 0; d < DISTRIBUTIONS; d++)
        free(v->sorted[d].value);
    for (size_t i = 0; i < v->n_worst; i++) {
        free(v->worst[i].name);
        free(v->worst[i].queue);
    }
    for (size_t i = 0; i < v->reasons; i++)
        free(v->reason[i]);
    for (size_t i = 0; i < v->accounts; i++)
        free(v->account[i].name);
    for (size_t i = 0; i < v->heat_rows; i++)
        free(v->heat[i].name);
    free(v->heat);
    free(v->node_gpus);
    free(v->queue);
    intern_free(v->queue_names);
    intern_free(v->node_names);
    intern_free(v->service_names);
    free(v->service);
}
