/* export_batsim.c - jobs in the columns of Batsim's PREFIX_jobs.csv
 * (oar-team/batsim:docs/output-jobs.rst), which evalys reads (oar-team/evalys:evalys/jobset.py).
 * Batsim's identities hold: execution = finish - start, turnaround = finish - submission,
 * stretch = turnaround / execution, and waiting = start - submission; so the time in queue after
 * a preemption is in execution_time here, and run_s of the metadata is the time with GPUs alone. */
#include "sim/base/utf8.h"
#include "sim/cli/export/export.h"
#include "sim/base/intern.h"
#include "sim/base/memory.h"
#include "sim/base/units.h"
#include "traces/native/running_on.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { NODES_MAX = 10000000 };
#define KWH_SCALE INT64_C(1000000000)
#define J_PER_KWH 3.6e6

struct part { uint32_t node; uint64_t mask; };
/* GPUs that a job held last */
struct held { struct part *part; size_t n, capacity; int64_t start_ns, end_ns; };
/* first: the number of its GPU 0 in the whole cluster */
struct node { uint32_t gpus, first; };
struct writing {
    struct output *o;
    const char *workload;
    struct intern *jobs;
    struct held *held;
    size_t n_held, held_capacity;
    struct node *node;
    size_t n_nodes, nodes_capacity;
};

/* ---- Numbers of GPUs through the cluster ---- */

static struct node *node_at(struct writing *t, size_t n)
{
    while (t->n_nodes <= n) {
        mem_grow(&t->node, &t->nodes_capacity, t->n_nodes, sizeof *t->node);
        t->node[t->n_nodes++] = (struct node){ 0, 0 };
    }
    return &t->node[n];
}

static const char *const node_columns[] = { "node", "gpus", NULL };

static int take_node(void *self, const struct row *r, const size_t *at, struct error *err)
{
    int64_t number = 0, gpus = 0;
    if (cell_integer(r, at[0], 0, NODES_MAX, &number, err) ||
        cell_integer(r, at[1], 0, INT_MAX, &gpus, err))
        return -1;
    node_at(self, (size_t)number)->gpus = (uint32_t)gpus;
    return 0;
}

static void number_gpus(struct writing *t)
{
    uint32_t first = 0;
    for (size_t n = 0; n < t->n_nodes; n++) {
        t->node[n].first = first;
        first += t->node[n].gpus;
    }
}

/* ---- GPUs that each job held last ---- */

static const char *const interval_columns[] = { "job_id",  "node",  "gpu_ids",
                                                "start_s", "end_s", NULL };

static struct held *held_of(struct writing *t, const struct cell *name)
{
    uint32_t j = intern_add(t->jobs, name->text, name->length);
    while (t->n_held <= j) {
        mem_grow(&t->held, &t->held_capacity, t->n_held, sizeof *t->held);
        t->held[t->n_held++] = (struct held){ .start_ns = INT64_MIN };
    }
    return &t->held[j];
}

static int take_interval(void *self, const struct row *r, const size_t *at, struct error *err)
{
    struct writing *t = self;
    int64_t number = 0, start_ns = 0, end_ns = 0;
    uint64_t mask = 0;
    if (cell_integer(r, at[1], 0, NODES_MAX, &number, err) ||
        cell_time(r, at[3], INT64_MIN, &start_ns, err) ||
        cell_time(r, at[4], start_ns, &end_ns, err))
        return -1;
    if (r->cell[at[2]].length && !gpu_names_parse(r->cell[at[2]].text, &mask))
        return cell_error(r, at[2], "numbers of GPUs as in '0-3 6'", err);
    struct held *h = held_of(t, &r->cell[at[0]]);
    if (h->start_ns != start_ns || h->end_ns != end_ns)
        *h = (struct held){ h->part, 0, h->capacity, start_ns, end_ns };
    mem_grow(&h->part, &h->capacity, h->n, sizeof *h->part);
    h->part[h->n++] = (struct part){ (uint32_t)number, mask };
    struct node *n = node_at(t, (size_t)number);
    uint32_t most = mask ? 64 - (uint32_t)__builtin_clzll(mask) : 0;
    n->gpus = n->gpus > most ? n->gpus : most;       /* MIG instances may be more than GPUs */
    return 0;
}

static int part_compare(const void *a, const void *b)
{
    const struct part *p = a, *q = b;
    return (p->node > q->node) - (p->node < q->node);
}

/* "0-3 8": ranges that touch are one, also from node to node. */
static void put_range(struct output *o, int64_t from, int64_t to, bool *any)
{
    if (*any)
        out_char(o, ' ');
    *any = true;
    out_integer(o, from);
    if (to == from)
        return;
    out_char(o, '-');
    out_integer(o, to);
}

static void put_resources(const struct writing *t, struct held *h)
{
    int64_t from = -1, to = -2;
    bool any = false;
    if (h->n)
        qsort(h->part, h->n, sizeof *h->part, part_compare);
    for (size_t i = 0; i < h->n;) {
        uint32_t node = h->part[i].node;
        uint64_t mask = 0;
        for (; i < h->n && h->part[i].node == node; i++)
            mask |= h->part[i].mask;
        for (; mask; mask &= mask - 1) {
            int64_t gpu = (int64_t)t->node[node].first + __builtin_ctzll(mask);
            if (gpu != to + 1) {
                if (from >= 0)
                    put_range(t->o, from, to, &any);
                from = gpu;
            }
            to = gpu;
        }
    }
    if (from >= 0)
        put_range(t->o, from, to, &any);
}

/* ---- Rows ---- */

enum {
    JOB,
    QUEUE,
    USER,
    CLASS,
    GPUS,
    SUBMIT,
    START,
    END,
    RUN,
    PREEMPTIONS,
    RESTARTS,
    STATE,
    GPU_KWH,
    NODE_KWH
};
static const char *const job_columns[] = {
    "job_id", "queue", "user",        "class",    "gpus",  "submit_s",        "start_s",
    "end_s",  "run_s", "preemptions", "restarts", "state", "?gpu_energy_kwh", "?node_energy_kwh",
    NULL
};
static const struct { const char *state, *batsim; bool ended; } states[] = {
    { "completed", "COMPLETED_SUCCESSFULLY", true }, { "failed", "COMPLETED_FAILED", true },
    { "cancelled", "COMPLETED_KILLED", true },       { "rejected", "REJECTED", false },
    { "running", "RUNNING", false },                 { "pending", "SUBMITTED", false },
};
static const char header[] =
    "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,"
    "final_state,starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,"
    "allocated_resources,consumed_energy,metadata\n";

static void comma_seconds(struct output *o, bool there, int64_t ns)
{
    out_char(o, ',');
    if (there)
        out_seconds(o, ns);
}

static int put_energy(struct output *o, const struct row *r, const size_t *at, struct error *err)
{
    int64_t kwh[2] = { -1, -1 };
    out_char(o, ',');
    for (unsigned i = 0; i < 2; i++)
        if (at[GPU_KWH + i] != TABLE_NO_COLUMN &&
            cell_decimal(r, at[GPU_KWH + i], KWH_SCALE, 0, INT64_MAX, &kwh[i], err))
            return -1;
    if (kwh[0] < 0 || kwh[1] < 0)
        out_text(o, "-1");
    else
        out_double(o, (double)(kwh[0] + kwh[1]) / (double)KWH_SCALE * J_PER_KWH);
    return 0;
}

/* Readers of the table take it for UTF-8. */
static void put_name(struct output *o, const char *name)
{
    char *line = utf8_line(name);
    out_csv(o, line);
    free(line);
}

/* key=value, with ';' between. */
static void put_metadata(struct output *o, const struct row *r, const size_t *at)
{
    static const struct { const char *key; unsigned column; } fields[] = {
        { "queue", QUEUE }, { "user", USER }, { "run_s", RUN }, { "preemptions", PREEMPTIONS },
        { "restarts", RESTARTS },
    };
    char *text;
    size_t length;
    FILE *f = mem_stream(&text, &length);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        fprintf(f, "%s%s=%s", i ? ";" : "", fields[i].key, r->cell[at[fields[i].column]].text);
    mem_stream_end(f, &text);
    out_char(o, ',');
    put_name(o, text);
    free(text);
}

static int take_job(void *self, const struct row *r, const size_t *at, struct error *err)
{
    struct writing *t = self;
    struct output *o = t->o;
    int64_t gpu_milli = 0, submit_ns = 0, start_ns = -1, end_ns = -1;
    size_t state = 0;
    if (cell_decimal(r, at[GPUS], 1000, 0, INT64_MAX, &gpu_milli, err) ||
        cell_time(r, at[SUBMIT], INT64_MIN, &submit_ns, err) ||
        cell_time(r, at[START], submit_ns, &start_ns, err) ||
        cell_time(r, at[END], submit_ns, &end_ns, err))
        return -1;
    while (state < sizeof states / sizeof *states &&
           strcmp(states[state].state, r->cell[at[STATE]].text) != 0)
        state++;
    if (state == sizeof states / sizeof *states)
        return cell_error(r, at[STATE], "a state of a job", err);
    bool started = r->cell[at[START]].length, ended = states[state].ended && started;
    int64_t execution_ns = end_ns - start_ns, turnaround_ns = end_ns - submit_ns;
    put_name(o, r->cell[at[JOB]].text);
    out_char(o, ',');
    put_name(o, t->workload);
    out_char(o, ',');
    put_name(o, r->cell[at[CLASS]].text);
    comma_seconds(o, true, submit_ns);
    out_char(o, ',');
    out_integer(o, (gpu_milli + 999) / 1000);
    out_text(o, state == 0 ? ",-1,1," : ",-1,0,");
    out_text(o, states[state].batsim);
    comma_seconds(o, started, start_ns);
    comma_seconds(o, ended, execution_ns);
    comma_seconds(o, ended, end_ns);
    comma_seconds(o, started, start_ns - submit_ns);
    comma_seconds(o, ended, turnaround_ns);
    out_char(o, ',');
    if (ended)
        out_ratio(o, turnaround_ns, execution_ns);
    out_char(o, ',');
    put_resources(t, held_of(t, &r->cell[at[JOB]]));
    if (put_energy(o, r, at, err))
        return -1;
    put_metadata(o, r, at);
    out_char(o, '\n');
    return 0;
}

/* The name of the trace's file. */
static char *workload_name(const char *directory)
{
    json_t *manifest = result_manifest(directory);
    const char *path = json_string_value(
        json_object_get(json_object_get(manifest, "trace"), "path"));
    const char *slash = path ? strrchr(path, '/') : NULL, *name = slash ? slash + 1 : path;
    char *copy = mem_text(name ? name : "trace", strlen(name ? name : "trace"));
    json_decref(manifest);
    return copy;
}

int export_batsim(const char *directory, struct output *o, struct error *err)
{
    static const struct result_file nodes = { "nodes.csv", node_columns, take_node, NULL },
                                    intervals = { "intervals.csv", interval_columns, take_interval,
                                                  NULL },
                                    jobs = { "jobs.csv", job_columns, take_job, NULL };
    char *workload = workload_name(directory);
    struct writing t = { .o = o, .workload = workload, .jobs = intern_new() };
    int result = result_file_read_or_fail(directory, &nodes, &t, err);
    if (result == 0)
        result = result_file_read_or_fail(directory, &intervals, &t, err);
    number_gpus(&t);
    out_text(o, header);
    if (result == 0)
        result = result_file_read_or_fail(directory, &jobs, &t, err);
    for (size_t i = 0; i < t.n_held; i++)
        free(t.held[i].part);
    free(t.held);
    free(t.node);
    intern_free(t.jobs);
    free(workload);
    return result;
}
