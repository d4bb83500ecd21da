/* rows.c - see rows.h. What each column means: docs/outputs.md. */
#include "sim/results/rows.h"
#include "sim/base/memory.h"
#include "sim/engine/models.h"
#include "sim/workload/requests.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const jobs_columns[] = {
    "job_id", "queue", "user", "class", "gpu_type", "gpus", "tasks", "submit_s", "start_s", "end_s", "first_wait_s",
    "wait_s", "run_s", "jct_s", "slowdown", "bounded_slowdown", "preemptions", "restarts", "lost_gpu_s",
    "overhead_gpu_s", "finish_time_fairness", "state", "level",
    "wait_order_s", "wait_limit_s", "wait_quota_s", "wait_protected_s", "wait_gpus_s", "wait_fragmented_s",
    "wait_topology_s", "wait_type_s", "wait_gang_s", "wait_reserved_s", "wait_releasing_s", "wait_pass_s",
    "wait_dependency_s", "wait_other_s", "min_tasks", NULL,
};
static const char *const intervals_columns[] = { "job_id", "task", "node", "gpus", "gpu_ids", "gpu_milli", "start_s", "end_s",
                                                 "end_reason", "stopped_for", NULL };
static const char *const timeseries_columns[] = { "time_s", "gpus_total", "gpus_up", "gpus_allocated", "gpus_busy",
                                                  "jobs_running", "jobs_waiting", "gpus_waiting", NULL };
static const char *const queues_columns[] = { "time_s", "queue", "gpus_allocated", "gpus_deserved", "gpus_demand",
                                              "gpus_fair_share", NULL };
static const char *const nodes_columns[] = { "node", "group", "gpu_model", "gpus", "counted", "rack", "pod", "owner",
                                             "cpus", "memory_gib", "free_gpu_s", "start_gpu_s", "useful_gpu_s",
                                             "lost_gpu_s", "save_gpu_s", "gang_gpu_s", NULL };
static const char *const summary_columns[] = { "metric", "scope", "value", "unit", "n", NULL };
static const char *const events_columns[] = { "time_s", "seq", "kind", "job_id", "decision", "reason", NULL };

static const char *const *const own_columns[OUTPUT_FILES] = {
    [OUTPUT_JOBS] = jobs_columns,     [OUTPUT_INTERVALS] = intervals_columns, [OUTPUT_TIMESERIES] = timeseries_columns,
    [OUTPUT_QUEUES] = queues_columns, [OUTPUT_NODES] = nodes_columns,         [OUTPUT_SUMMARY] = summary_columns,
    [OUTPUT_EVENTS] = events_columns,
};

const char *const output_name[OUTPUT_FILES] = { "jobs",  "intervals", "timeseries", "queues",   "nodes",
                                                "summary",   "manifest",   "services", "sessions", "events" };

bool rows_are_of(const struct run_model *m, enum output_file file)
{
    return m->file && !strcmp(m->file, output_name[file]);
}

const char *const *rows_columns(enum output_file file, const struct run_model *const *models)
{
    for (; !own_columns[file] && models && *models; models++)
        if (rows_are_of(*models, file))
            return (*models)->file_columns;
    return own_columns[file];
}

static const struct { enum output_file file; enum model_file of_models; } longer[] = {
    { OUTPUT_JOBS, MODEL_JOBS }, { OUTPUT_NODES, MODEL_NODES }, { OUTPUT_TIMESERIES, MODEL_SERIES },
};

const char *const *rows_model_columns(const struct run_model *m, enum output_file file)
{
    for (size_t i = 0; i < sizeof longer / sizeof longer[0]; i++)
        if (longer[i].file == file)
            return model_columns(m, longer[i].of_models);
    return NULL;
}

static void put_columns(struct output *o, const char *const *columns)
{
    for (size_t i = 0; columns[i]; i++) {
        if (i)
            out_char(o, ',');
        out_text(o, columns[i]);
    }
}

void rows_header(struct output *o, const char *const *columns)
{
    put_columns(o, columns);
    out_char(o, '\n');
}

void rows_header_with(struct output *o, enum output_file file, const struct sched *s)
{
    const struct level_names *levels = &run_setup_of(s)->cluster->levels;
    put_columns(o, own_columns[file]);
    for (uint32_t k = level_names_usual.n; k < levels->n && file == OUTPUT_NODES; k++) {
        out_text(o, ",level_");
        out_text(o, levels->name[k]);
    }
    for (size_t i = 0; i < sizeof longer / sizeof longer[0]; i++)
        if (longer[i].file == file)
            models_header(o, s, longer[i].of_models);
    out_char(o, '\n');
}

const char *rows_class(enum job_class class)
{
    static const char *const name[CLASSES] = { "training", "inference", "interactive", "batch" };
    return name[class];
}

/* ---- jobs.csv ---- */

/* Pieces of a row that are written in one go, each after a comma: from `to` on; they return where they end. */

static char *put_text(char *to, const char *text)
{
    size_t length = strlen(text);
    *to++ = ',';
    memcpy(to, text, length);
    return to + length;
}

static char *put_integer(char *to, int64_t value)
{
    *to++ = ',';
    return to + decimal_format(to, value, 1);
}

static char *put_seconds(char *to, int64_t ns)      /* below 0, and never: an empty field */
{
    *to++ = ',';
    return ns >= 0 && ns != TIME_NEVER ? to + decimal_format(to, ns, NS_PER_S) : to;
}

static char *put_gpu_seconds(char *to, int128_t milli_ns)
{
    *to++ = ',';
    if (!milli_ns) {
        *to++ = '0';
        return to;
    }
    return to + wide_seconds_format(to, milli_ns / MILLI_ALL);
}

/* A field with digits that may be needed again. */
struct field {
    int64_t ns;
    const char *text;
    size_t length;
};

static char *put_seconds_like(char *to, int64_t ns, const struct field *f)
{
    if (ns != f->ns)
        return put_seconds(to, ns);
    memcpy(to, f->text, f->length);
    return to + f->length;
}

/* The same; *f is this field from now on. */
static char *put_seconds_again(char *to, int64_t ns, struct field *f)
{
    char *end = put_seconds_like(to, ns, f);
    *f = (struct field){ ns, to, (size_t)(end - to) };
    return end;
}

static const char *state_name(const struct job_result *r)
{
    if (r->state == JOB_GONE)
        return life_outcome_name(r->outcome);
    return r->state == JOB_RUNNING ? "running" : "pending";
}

struct type_list { const struct workload *w; FILE *text; uint32_t n; bool typed; };

static void put_gpu_type(void *self, uint32_t type)
{
    struct type_list *list = self;
    fprintf(list->text, "%s%s", list->n++ ? "+" : "",
            type == ID_NONE ? "any" : intern_text(list->w->gpu_types, type));
    list->typed |= type != ID_NONE;
}

/* "A100+V100+any" of a job with tasks that ask for different ones. */
static void put_gpu_types(struct output *o, const struct workload *w, job_id j)
{
    uint32_t one = w->shape[w->facts[j].ask->shape].gpu_type;
    if (!w->facts[j].ask->next) {
        if (one != ID_NONE)
            out_csv(o, intern_text(w->gpu_types, one));
        return;
    }
    char *text = NULL;
    size_t length;
    struct type_list list = { .w = w, .text = mem_stream(&text, &length) };
    workload_each_gpu_type(w, j, put_gpu_type, &list);
    mem_stream_end(list.text, &text);
    if (list.typed)
        out_csv(o, text);
    free(text);
}

static void job_facts_columns(struct output *o, const struct cluster *c, const struct workload *w, job_id j,
                              int64_t gpu_milli)
{
    const struct job_facts *f = &w->facts[j];
    out_csv(o, w->truth[j].name);
    out_char(o, ',');
    out_csv(o, c->queue[f->queue].name);
    out_char(o, ',');
    if (f->user != ID_NONE)
        out_csv(o, intern_text(w->users, f->user));
    out_char(o, ',');
    out_text(o, rows_class(f->class));
    out_char(o, ',');
    put_gpu_types(o, w, j);
    out_char(o, ',');
    out_decimal(o, gpu_milli, MILLI_ALL);
    out_char(o, ',');
    if (f->ask->tasks != SPLIT_ANY)
        out_integer(o, request_tasks(f->ask));
}

/* models.md 10.1: slowdown = JCT / E, bounded = max(1, JCT / max(E, 10 s)); E is the service time. */
static char *put_slowdowns(char *to, int64_t jct_ns, int64_t service_ns)
{
    int64_t bound_ns = service_ns > 10 * NS_PER_S ? service_ns : 10 * NS_PER_S;
    const char *first = to;
    *to++ = ',';
    to += ratio_format(to, jct_ns, service_ns);
    if (bound_ns == service_ns && jct_ns >= bound_ns) {
        size_t length = (size_t)(to - first);
        memcpy(to, first, length);
        return to + length;
    }
    *to++ = ',';
    return to + ratio_format(to, jct_ns > bound_ns ? jct_ns : bound_ns, bound_ns);
}

static char *put_times(char *to, const struct job_result *r, bool ended, struct field *wait)
{
    int64_t first_wait_ns = r->start_ns < 0 ? -1 : r->start_ns - r->submit_ns;
    struct field begin = { .ns = INT64_MIN }, run = begin;
    *wait = begin;
    to = put_seconds_again(to, r->submit_ns, &begin);
    to = put_seconds_again(to, r->start_ns, &begin);
    to = put_seconds(to, ended ? r->end_ns : -1);
    to = put_seconds_again(to, first_wait_ns, wait);
    to = put_seconds_again(to, r->wait_ns, wait);
    to = put_seconds_again(to, r->run_ns, &run);
    return put_seconds_like(to, ended ? r->wait_ns + r->run_ns : -1, &run);
}

static char *put_waits(char *to, const struct job_result *r, const struct field *wait)
{
    for (unsigned i = 0; i <= WAIT_OTHER; i++) {
        if (r->waits[i]) {
            to = put_seconds_like(to, r->waits[i], wait);
        } else {
            *to++ = ',';
            *to++ = '0';
        }
    }
    return to;
}

void rows_job(struct output *o, const struct cluster *c, const struct workload *w, job_id j, const struct job_result *r)
{
    enum { FIELDS_MOST = 48 };    /* more than the columns that follow */
    const struct request *ask = w->facts[j].ask;
    bool ended = r->state == JOB_GONE && outcome_was_served(r->outcome);
    struct field wait;
    job_facts_columns(o, c, w, j, request_gpu_milli(ask));
    char *at = put_times(out_room(o, FIELDS_MOST * DECIMAL_MAX), r, ended, &wait);
    if (ended && !w->truth[j].on_demand)
        at = put_slowdowns(at, r->wait_ns + r->run_ns, w->truth[j].duration_ns);
    else
        at = put_text(put_text(at, ""), "");
    at = put_integer(put_integer(at, r->preemptions), r->restarts);
    at = put_gpu_seconds(put_gpu_seconds(at, r->lost), r->overhead);
    *at++ = ',';
    if (r->fairness_micro >= 0)
        at += decimal_format(at, r->fairness_micro, 1000000);
    at = put_text(at, state_name(r));
    at = put_text(at, r->distance != UINT8_MAX ? cluster_distance_name(c, r->distance) : "");
    at = put_waits(at, r, &wait);
    *at++ = ',';
    if (ask->tasks != SPLIT_ANY)
        at += decimal_format(at, w->facts[j].min_tasks, 1);
    out_took(o, at);
}

/* ---- intervals.csv ---- */

void rows_interval(struct output *o, const struct workload *w, const struct interval *i)
{
    char times[4 * DECIMAL_MAX];                         /* of all pieces */
    size_t length = (size_t)(put_seconds(put_seconds(times, i->start_ns), i->end_ns) - times);
    for (size_t k = 0; k < i->pieces->n; k++) {
        const struct piece *p = &i->pieces->piece[k];
        out_csv(o, w->truth[i->job].name);
        char *at = out_room(o, 4 * DECIMAL_MAX);
        at = put_integer(put_integer(put_integer(at, p->task), p->node), p->gpus);
        *at++ = ',';
        out_took(o, at);
        out_bits(o, p->gpu_mask);
        out_took(o, put_integer(out_room(o, DECIMAL_MAX), p->milli));
        out_bytes(o, times, length);
        out_char(o, ',');
        out_text(o, i->why);
        out_char(o, ',');
        if (i->for_job != ID_NONE)
            out_csv(o, w->truth[i->for_job].name);
        out_char(o, '\n');
    }
}

/* ---- nodes.csv ---- */

/* The number of the domain of that level among its equals; nothing if the node is in none. */
static void domain_number(struct output *o, const struct cluster *c, node_id n, enum level level)
{
    domain_id d = cluster_domain_at(c, n, level), number = 0;
    if (!cluster_has_domain(c, n, level))
        return;
    for (domain_id e = d; e-- > 0 && c->domain[e].level == level;)
        number++;
    out_integer(o, number);
}

static void node_facts_columns(struct output *o, const struct cluster *c, node_id n)
{
    const struct node_type *t = cluster_node_type(c, n);
    queue_id owner = c->kind[c->kind_of[n]].owner;
    out_integer(o, n);
    out_char(o, ',');
    out_csv(o, c->group_name[c->group_of[n]]);
    out_char(o, ',');
    if (t->gpu_model != ID_NONE)
        out_csv(o, intern_text(c->gpu_models, t->gpu_model));
    out_char(o, ',');
    out_integer(o, cluster_node_milli(c, n) / MILLI_ALL);
    out_text(o, t->counted ? ",1," : ",0,");
    domain_number(o, c, n, LEVEL_RACK);
    out_char(o, ',');
    domain_number(o, c, n, LEVEL_POD);
    out_char(o, ',');
    if (owner != ID_NONE)
        out_csv(o, c->queue[owner].name);
    out_char(o, ',');
    if (t->cpu_milli != INT64_MAX)
        out_decimal(o, t->cpu_milli, 1000);
    out_char(o, ',');
    if (t->mem_mib != INT64_MAX)
        out_double(o, (double)t->mem_mib / 1024);
}

void rows_nodes(struct output *o, const struct sched *s)
{
    const struct cluster *c = run_setup_of(s)->cluster;
    const struct run_totals *t = run_totals(s);
    rows_header_with(o, OUTPUT_NODES, s);
    for (node_id n = 0; n < c->n_nodes; n++) {
        int128_t free = (int128_t)(t->last_ns - t->first_ns) * cluster_node_milli(c, n);
        node_facts_columns(o, c, n);
        for (unsigned a = 0; a < ACCOUNTS; a++)
            free -= run_node_account(s, n, a);
        out_char(o, ',');
        out_wide_seconds(o, free / MILLI_ALL);
        for (unsigned a = ACCOUNT_START; a <= ACCOUNT_GANG; a++) {
            out_char(o, ',');
            out_wide_seconds(o, run_node_account(s, n, a) / MILLI_ALL);
        }
        for (uint32_t k = level_names_usual.n; k < c->levels.n; k++) {
            out_char(o, ',');
            domain_number(o, c, n, LEVEL_RACK + k);
        }
        models_row(o, s, MODEL_NODES, n);
        out_char(o, '\n');
    }
}

void rows_summary_csv(struct output *o, const struct summary *m)
{
    rows_header(o, summary_columns);
    for (size_t i = 0; i < m->n; i++) {
        out_text(o, m->metric[i].kind->name);
        out_char(o, ',');
        out_csv(o, m->metric[i].scope);
        out_char(o, ',');
        out_double(o, m->metric[i].value);
        out_char(o, ',');
        out_text(o, m->metric[i].kind->unit);
        out_char(o, ',');
        out_integer(o, (int64_t)m->metric[i].n);
        out_char(o, '\n');
    }
}
