/* export_batsim.c - jobs in the columns of Batsim's PREFIX_jobs.csv
 * (oar-team/batsim:docs/output-jobs.rst), which evalys reads (oar-team/evalys:evalys/jobset.py).
 * Batsim's identities hold: execution = finish - start, turnaround = finish - submission,
 * stretch = turnaround / execution, and waiting = start - submission.
 *
 * Batsim does not preempt: a job that is stopped is killed and submitted again, as JOB#1, JOB#2, ...
 * by pybatsim (jankopanski/pybatsim:batsim/batsim.py). So a job that held GPUs several times has
 * a row for each time: its submission is the end of the time before, or that of the job where none
 * had ended; it is killed, but the last time ends as the job did. Tasks that come and go one by one
 * have rows that overlap. A job that waits at the end, its own or that of the run, has a last row
 * without a start. The energy of all its rows is in the last one.
 *
 * Members of a federation follow each other, their GPUs numbered on through all of them. */
#include "sim/base/utf8.h"
#include "sim/cli/export/export.h"
#include "sim/base/intern.h"
#include "sim/base/memory.h"
#include "sim/base/units.h"
#include "traces/native/running_on.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODES_MAX = 10000000 };
#define KWH_SCALE INT64_C(1000000000)
#define J_PER_KWH 3.6e6

struct part { uint32_t node; uint64_t mask; };
/* GPUs that a job held together */
struct stay { struct part *part; size_t n, capacity; int64_t start_ns, end_ns; };
struct held { struct stay *stay; size_t n, capacity; };   /* of one job, in the order of ends */
/* first: the number of its GPU 0 in the whole cluster */
struct node { uint32_t gpus, first; };
struct writing {
    struct output *o;
    const char *workload;
    uint32_t first_gpu;           /* of this run, in the whole file */
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
    for (size_t n = 0; n < t->n_nodes; n++) {
        t->node[n].first = t->first_gpu;
        t->first_gpu += t->node[n].gpus;
    }
}

/* ---- GPUs that each job held ---- */

static const char *const interval_columns[] = { "job_id",  "node",  "gpu_ids",
                                                "start_s", "end_s", NULL };

static struct held *held_of(struct writing *t, const struct cell *name)
{
    uint32_t j = intern_add(t->jobs, name->text, name->length);
    while (t->n_held <= j) {
        mem_grow(&t->held, &t->held_capacity, t->n_held, sizeof *t->held);
        t->held[t->n_held++] = (struct held){ .n = 0 };
    }
    return &t->held[j];
}

/* Rows come in the order of ends. */
static struct stay *stay_of(struct held *h, int64_t start_ns, int64_t end_ns)
{
    for (size_t i = h->n; i-- > 0 && h->stay[i].end_ns == end_ns;)
        if (h->stay[i].start_ns == start_ns)
            return &h->stay[i];
    mem_grow(&h->stay, &h->capacity, h->n, sizeof *h->stay);
    h->stay[h->n] = (struct stay){ .start_ns = start_ns, .end_ns = end_ns };
    return &h->stay[h->n++];
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
    struct stay *h = stay_of(held_of(t, &r->cell[at[0]]), start_ns, end_ns);
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

static void put_resources(const struct writing *t, const struct stay *h)
{
    int64_t from = -1, to = -2;
    bool any = false;
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

/* One row of the file: a job, or one of several times that it held GPUs. */
struct line {
    unsigned attempt;             /* 0: the first time */
    int64_t submit_ns, start_ns, end_ns;          /* -1: none */
    const char *state;
    const struct stay *stay;      /* NULL: it held nothing */
    bool last;                    /* of the job: it has the energy of all */
};

static void put_job_name(struct output *o, const char *job, unsigned attempt)
{
    size_t n = strlen(job) + 16;
    char *name = mem_new(n, 1);
    snprintf(name, n, attempt ? "%s#%u" : "%s", job, attempt);
    put_name(o, name);
    free(name);
}

static int put_line(struct writing *t, const struct row *r, const size_t *at, const struct line *l,
                    struct error *err)
{
    struct output *o = t->o;
    int64_t gpu_milli = 0;
    bool started = l->start_ns >= 0, ended = started && l->end_ns >= 0;
    int64_t execution_ns = l->end_ns - l->start_ns, turnaround_ns = l->end_ns - l->submit_ns;
    if (cell_decimal(r, at[GPUS], 1000, 0, INT64_MAX, &gpu_milli, err))
        return -1;
    put_job_name(o, r->cell[at[JOB]].text, l->attempt);
    out_char(o, ',');
    put_name(o, t->workload);
    out_char(o, ',');
    put_name(o, r->cell[at[CLASS]].text);
    comma_seconds(o, true, l->submit_ns);
    out_char(o, ',');
    out_integer(o, (gpu_milli + 999) / 1000);
    out_text(o, l->state == states[0].batsim ? ",-1,1," : ",-1,0,");
    out_text(o, l->state);
    comma_seconds(o, started, l->start_ns);
    comma_seconds(o, ended, execution_ns);
    comma_seconds(o, ended, l->end_ns);
    comma_seconds(o, started, l->start_ns - l->submit_ns);
    comma_seconds(o, ended, turnaround_ns);
    out_char(o, ',');
    if (ended)
        out_ratio(o, turnaround_ns, execution_ns);
    out_char(o, ',');
    if (l->stay)
        put_resources(t, l->stay);
    if (!l->last)
        out_text(o, ",-1");
    else if (put_energy(o, r, at, err))
        return -1;
    put_metadata(o, r, at);
    out_char(o, '\n');
    return 0;
}

/* When the stay was asked for: when the last that ended before it did, else with the job. */
static int64_t asked_ns(const struct held *h, size_t stay, int64_t submit_ns)
{
    for (size_t i = stay; i-- > 0;)
        if (h->stay[i].end_ns <= h->stay[stay].start_ns)
            return h->stay[i].end_ns;
    return submit_ns;
}

/* whole: the job's own row */
static int put_stays(struct writing *t, const struct row *r, const size_t *at,
                     const struct held *h, const struct line *whole, bool ended, struct error *err)
{
    const struct stay *last = &h->stay[h->n - 1];
    /* it has ended, or waits, after its last stay */
    bool waits = !ended ? strcmp(whole->state, "RUNNING") != 0 : whole->end_ns > last->end_ns;
    for (size_t i = 0; i < h->n; i++) {
        bool at_end = i + 1 == h->n && !waits;
        struct line l = { (unsigned)i, asked_ns(h, i, whole->submit_ns), h->stay[i].start_ns,
                          at_end && !ended ? -1 : h->stay[i].end_ns,
                          at_end ? whole->state : "COMPLETED_KILLED", &h->stay[i], at_end };
        if (put_line(t, r, at, &l, err))
            return -1;
    }
    struct line l = { (unsigned)h->n, last->end_ns, -1, -1, whole->state, NULL, true };
    return waits ? put_line(t, r, at, &l, err) : 0;
}

static int take_job(void *self, const struct row *r, const size_t *at, struct error *err)
{
    struct writing *t = self;
    struct line l = { .start_ns = -1, .end_ns = -1, .last = true };
    size_t state = 0;
    if (cell_time(r, at[SUBMIT], INT64_MIN, &l.submit_ns, err) ||
        cell_time(r, at[START], l.submit_ns, &l.start_ns, err) ||
        cell_time(r, at[END], l.submit_ns, &l.end_ns, err))
        return -1;
    while (state < sizeof states / sizeof *states &&
           strcmp(states[state].state, r->cell[at[STATE]].text) != 0)
        state++;
    if (state == sizeof states / sizeof *states)
        return cell_error(r, at[STATE], "a state of a job", err);
    const struct held *h = held_of(t, &r->cell[at[JOB]]);
    bool ended = states[state].ended && l.start_ns >= 0;
    l.state = states[state].batsim;
    if (h->n > 1)
        return put_stays(t, r, at, h, &l, ended, err);
    l.stay = h->n ? &h->stay[0] : NULL;
    l.end_ns = ended ? l.end_ns : -1;
    return put_line(t, r, at, &l, err);
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

static void stays_free(struct writing *t)
{
    for (size_t i = 0; i < t->n_held; i++) {
        for (size_t k = 0; k < t->held[i].n; k++)
            free(t->held[i].stay[k].part);
        free(t->held[i].stay);
    }
    free(t->held);
}

/* Numbers GPUs from *first_gpu on, and sets it behind the last. */
static int put_run(const char *directory, struct output *o, uint32_t *first_gpu, struct error *err)
{
    static const struct result_file nodes = { "nodes.csv", node_columns, take_node, NULL },
                                    intervals = { "intervals.csv", interval_columns, take_interval,
                                                  NULL },
                                    jobs = { "jobs.csv", job_columns, take_job, NULL };
    char *workload = workload_name(directory);
    struct writing t = { .o = o, .workload = workload, .jobs = intern_new(),
                         .first_gpu = *first_gpu };
    int result = result_file_read_or_fail(directory, &nodes, &t, err);
    if (result == 0)
        result = result_file_read_or_fail(directory, &intervals, &t, err);
    number_gpus(&t);
    *first_gpu = t.first_gpu;
    if (result == 0)
        result = result_file_read_or_fail(directory, &jobs, &t, err);
    stays_free(&t);
    free(t.node);
    intern_free(t.jobs);
    free(workload);
    return result;
}

int export_batsim(const char *directory, struct output *o, struct error *err)
{
    struct result_places p = result_places_of(directory);
    uint32_t first_gpu = 0;
    int result = 0;
    out_text(o, header);
    for (size_t i = 0; i < p.n && result == 0; i++)
        result = put_run(p.path[i], o, &first_gpu, err);
    result_places_free(&p);
    return result;
}
