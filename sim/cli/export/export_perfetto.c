/* export_perfetto.c - intervals as a trace in the Trace Event Format: JSON that ui.perfetto.dev
 * and chrome://tracing open.
 *
 * A node is a process, a GPU a thread, a job's hold on a GPU a complete event ("X") there;
 * counters ("C") are of the process "cluster". Times are microseconds with fractions, to the
 * nanosecond. Slices of a thread may overlap only by nesting
 * (google/perfetto:docs/getting-started/other-formats.md), so jobs that hold a GPU at the same
 * time lie in lanes of it, each a thread of its own: a slice goes to the lane that has been
 * empty for the shortest time. */
#include "sim/cli/export/export.h"
#include "sim/base/intern.h"
#include "sim/base/memory.h"
#include "sim/base/units.h"
#include "traces/native/running_on.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { CLUSTER_PID = 1, FIRST_NODE_PID = 2, NODES_MAX = 10000000 };
/* GPU 0 to 63; GPUs of a node that only counts them; tasks without any */
enum { TRACK_UNNAMED = 64, TRACK_CPUS, TRACKS };
enum { LANES_SORTED = 10000 };
#define NS_PER_US 1000

struct lanes { int64_t *end_ns; size_t n, capacity; };
struct facts { uint32_t queue, user, class; };        /* numbers of texts */
struct writing {
    struct output *o;
    bool any;                     /* an event was written */
    struct intern *jobs, *texts;
    struct facts *of_job;
    size_t n_jobs, jobs_capacity;
    struct lanes **of_node;       /* [TRACKS] each; NULL: nothing has run there yet */
    size_t n_nodes, nodes_capacity;
};

/* ---- JSON ---- */

static int put_bytes(const char *bytes, size_t length, void *o)
{
    out_bytes(o, bytes, length);
    return 0;
}

static void put_string(struct output *o, const char *text)   /* what is no UTF-8: "?" */
{
    json_t *s = json_string(text);
    if (!s)
        s = json_string("?");
    json_dump_callback(s, put_bytes, o, JSON_ENCODE_ANY);
    json_decref(s);
}

static void put_key(struct output *o, const char *key)
{
    out_char(o, ',');
    put_string(o, key);
    out_char(o, ':');
}

static void put_pair(struct output *o, const char *key, int64_t number)
{
    put_key(o, key);
    out_integer(o, number);
}

static void put_us(struct output *o, const char *key, int64_t ns)
{
    put_key(o, key);
    out_decimal(o, ns, NS_PER_US);
}

static void event_begins(struct writing *t, const char *phase, const char *name, int64_t pid,
                         int64_t tid)
{
    struct output *o = t->o;
    out_text(o, t->any ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
    t->any = true;
    out_text(o, phase);
    out_char(o, '"');
    put_key(o, "name");
    put_string(o, name);
    put_pair(o, "pid", pid);
    put_pair(o, "tid", tid);
}

/* ---- Names of processes and threads ---- */

static void put_name(struct writing *t, const char *what, int64_t pid, int64_t tid,
                     const char *name, int64_t number)
{
    char text[64];
    if (number >= 0)
        snprintf(text, sizeof text, "%s %" PRId64, name, number);
    else
        snprintf(text, sizeof text, "%s", name);
    event_begins(t, "M", what, pid, tid);
    out_text(t->o, ",\"args\":{\"name\":");
    put_string(t->o, text);
    out_text(t->o, "}}");
}

static void put_order(struct writing *t, const char *what, int64_t pid, int64_t tid, int64_t place)
{
    event_begins(t, "M", what, pid, tid);
    out_text(t->o, ",\"args\":{\"sort_index\":");
    out_integer(t->o, place);
    out_text(t->o, "}}");
}

static int64_t tid_of(unsigned track, size_t lane)
{
    return 1 + track + (int64_t)lane * TRACKS;        /* 0 would be an idle thread */
}

static void name_lane(struct writing *t, int64_t pid, unsigned track, size_t lane)
{
    int64_t tid = tid_of(track, lane);
    if (track < TRACK_UNNAMED)
        put_name(t, "thread_name", pid, tid, "GPU", track);
    else
        put_name(t, "thread_name", pid, tid, track == TRACK_CPUS ? "CPUs" : "GPUs", -1);
    put_order(t, "thread_sort_index", pid, tid, (int64_t)track * LANES_SORTED + (int64_t)lane);
}

static struct lanes *tracks_of(struct writing *t, size_t node)
{
    int64_t pid = FIRST_NODE_PID + (int64_t)node;
    while (t->n_nodes <= node) {
        mem_grow(&t->of_node, &t->nodes_capacity, t->n_nodes, sizeof *t->of_node);
        t->of_node[t->n_nodes++] = NULL;
    }
    if (!t->of_node[node]) {
        t->of_node[node] = mem_new(TRACKS, sizeof **t->of_node);
        put_name(t, "process_name", pid, 0, "node", (int64_t)node);
        put_order(t, "process_sort_index", pid, 0, pid);
    }
    return t->of_node[node];
}

/* Rows come in the order of their ends, so a lane is free from the end of its last slice on. */
static size_t lane_for(struct writing *t, size_t node, unsigned track, int64_t start_ns,
                       int64_t end_ns)
{
    struct lanes *l = &tracks_of(t, node)[track];
    size_t best = l->n;
    for (size_t i = 0; i < l->n; i++)
        if (l->end_ns[i] <= start_ns && (best == l->n || l->end_ns[i] > l->end_ns[best]))
            best = i;
    if (best == l->n) {
        mem_grow(&l->end_ns, &l->capacity, l->n, sizeof *l->end_ns);
        name_lane(t, FIRST_NODE_PID + (int64_t)node, track, l->n++);
    }
    l->end_ns[best] = end_ns;
    return best;
}

/* ---- jobs.csv: queue, user and class of jobs ---- */

static const char *const job_columns[] = { "job_id", "queue", "user", "class", NULL };

static uint32_t text_number(struct writing *t, const struct cell *c)
{
    return intern_add(t->texts, c->text, c->length);
}

static int take_job(void *self, const struct row *r, const size_t *at, struct error *err)
{
    struct writing *t = self;
    (void)err;
    uint32_t j = intern_add(t->jobs, r->cell[at[0]].text, r->cell[at[0]].length);
    if (j < t->n_jobs)
        /* of two jobs with one name the first counts */
        return 0;
    mem_grow(&t->of_job, &t->jobs_capacity, t->n_jobs, sizeof *t->of_job);
    t->of_job[t->n_jobs++] = (struct facts){ text_number(t, &r->cell[at[1]]),
                                             text_number(t, &r->cell[at[2]]),
                                             text_number(t, &r->cell[at[3]]) };
    return 0;
}

/* ---- intervals.csv: the slices ---- */

enum { JOB, TASK, NODE, GPUS, GPU_IDS, MILLI, START, END, REASON, STOPPED_FOR };
static const char *const interval_columns[] = { "job_id",     "task",        "node",    "gpus",
                                                "gpu_ids",    "gpu_milli",   "start_s", "end_s",
                                                "end_reason", "stopped_for", NULL };
struct slice {
    const struct row *row;
    const size_t *at;
    const struct facts *facts;    /* NULL: unknown */
    int64_t task, node, gpus, milli, start_ns, end_ns;
};

/* nothing if it is empty */
static void put_text_of(struct output *o, const char *key, const char *text)
{
    if (!*text)
        return;
    put_key(o, key);
    put_string(o, text);
}

static const char *cell_of(const struct slice *s, size_t column)
{
    return s->row->cell[s->at[column]].text;
}

static void put_slice(struct writing *t, const struct slice *s, unsigned track)
{
    struct output *o = t->o;
    size_t lane = lane_for(t, (size_t)s->node, track, s->start_ns, s->end_ns);
    event_begins(t, "X", cell_of(s, JOB), FIRST_NODE_PID + s->node, tid_of(track, lane));
    put_text_of(o, "cat", s->facts ? intern_text(t->texts, s->facts->queue) : "");
    put_us(o, "ts", s->start_ns);
    put_us(o, "dur", s->end_ns - s->start_ns);
    out_text(o, ",\"args\":{\"task\":");
    out_integer(o, s->task);
    put_pair(o, "gpus", s->gpus);
    if (s->milli != 1000 && s->gpus)
        put_pair(o, "gpu_milli", s->milli);
    if (s->facts) {
        put_text_of(o, "queue", intern_text(t->texts, s->facts->queue));
        put_text_of(o, "user", intern_text(t->texts, s->facts->user));
        put_text_of(o, "class", intern_text(t->texts, s->facts->class));
    }
    put_text_of(o, "end_reason", cell_of(s, REASON));
    put_text_of(o, "stopped_for", cell_of(s, STOPPED_FOR));
    out_text(o, "}}");
}

static int take_interval(void *self, const struct row *r, const size_t *at, struct error *err)
{
    struct writing *t = self;
    struct slice s = { .row = r, .at = at };
    if (cell_integer(r, at[TASK], 0, UINT32_MAX, &s.task, err) ||
        cell_integer(r, at[NODE], 0, NODES_MAX, &s.node, err) ||
        cell_integer(r, at[GPUS], 0, UINT32_MAX, &s.gpus, err) ||
        cell_integer(r, at[MILLI], 0, UINT32_MAX, &s.milli, err) ||
        cell_time(r, at[START], INT64_MIN, &s.start_ns, err) ||
        cell_time(r, at[END], s.start_ns, &s.end_ns, err))
        return -1;
    uint64_t mask = 0;
    const char *ids = cell_of(&s, GPU_IDS);
    if (*ids && !gpu_names_parse(ids, &mask))
        return cell_error(r, at[GPU_IDS], "numbers of GPUs as in '0-3 6'", err);
    uint32_t j = intern_find(t->jobs, cell_of(&s, JOB), r->cell[at[JOB]].length);
    s.facts = j == INTERN_NONE ? NULL : &t->of_job[j];
    for (uint64_t left = mask; left; left &= left - 1)
        put_slice(t, &s, (unsigned)__builtin_ctzll(left));
    if (!mask)
        put_slice(t, &s, s.gpus ? TRACK_UNNAMED : TRACK_CPUS);
    return 0;
}

/* ---- timeseries.csv and queues.csv: counters ---- */

enum { COUNTER_SCALE = 1000000 };

/* The columns from..to of the row as the values of one counter; those that are empty or missing
 * are left out. */
static int put_counter(struct writing *t, const struct row *r, const size_t *at, const char *name,
                       size_t from, size_t to, const char *const *keys, struct error *err)
{
    int64_t time_ns, value;
    bool any = false;
    if (cell_time(r, at[0], INT64_MIN, &time_ns, err))
        return -1;
    for (size_t i = from; i < to; i++) {
        if (at[i] == TABLE_NO_COLUMN || !r->cell[at[i]].length)
            continue;
        if (cell_decimal(r, at[i], COUNTER_SCALE, 0, INT64_MAX, &value, err))
            return -1;
        if (!any) {
            event_begins(t, "C", name, CLUSTER_PID, 0);
            put_us(t->o, "ts", time_ns);
        }
        out_text(t->o, any ? "," : ",\"args\":{");
        put_string(t->o, keys[i]);
        out_char(t->o, ':');
        out_decimal(t->o, value, COUNTER_SCALE);
        any = true;
    }
    if (any)
        out_text(t->o, "}}");
    return 0;
}

static const char *const series_columns[] = { "time_s",       "gpus_up",      "gpus_allocated",
                                              "gpus_busy",    "gpus_waiting", "jobs_running",
                                              "jobs_waiting", "?power_w",     NULL };
static const char *const series_keys[] = { "",          "up",      "allocated", "busy",
                                           "asked for", "running", "waiting",   "W" };

static int take_totals(void *self, const struct row *r, const size_t *at, struct error *err)
{
    return put_counter(self, r, at, "GPUs", 1, 5, series_keys, err) ||
                   put_counter(self, r, at, "jobs", 5, 7, series_keys, err) ||
                   put_counter(self, r, at, "power", 7, 8, series_keys, err)
               ? -1
               : 0;
}

static const char *const queue_columns[] = { "time_s",      "queue",           "gpus_allocated",
                                             "gpus_demand", "gpus_fair_share", NULL };
static const char *const queue_keys[] = { "", "", "allocated", "demand", "fair share" };

static int take_queue(void *self, const struct row *r, const size_t *at, struct error *err)
{
    char name[256];
    snprintf(name, sizeof name, "queue %s", r->cell[at[1]].text);
    return put_counter(self, r, at, name, 2, 5, queue_keys, err);
}

/* ---- The file ---- */

static int write_all(struct writing *t, const char *directory, struct error *err)
{
    static const struct result_file jobs = { "jobs.csv", job_columns, take_job, NULL },
                                    totals = { "timeseries.csv", series_columns, take_totals,
                                               NULL },
                                    queues = { "queues.csv", queue_columns, take_queue, NULL },
                                    intervals = { "intervals.csv", interval_columns, take_interval,
                                                  NULL };
    if (result_file_read(directory, &jobs, t, err) < 0)
        return -1;
    out_text(t->o, "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[");
    put_name(t, "process_name", CLUSTER_PID, 0, "cluster", -1);
    put_order(t, "process_sort_index", CLUSTER_PID, 0, CLUSTER_PID);
    if (result_file_read(directory, &totals, t, err) < 0 ||
        result_file_read(directory, &queues, t, err) < 0 ||
        result_file_read_or_fail(directory, &intervals, t, err) != 0)
        return -1;
    out_text(t->o, "\n]}\n");
    return 0;
}

int export_perfetto(const char *directory, struct output *o, struct error *err)
{
    struct writing t = { .o = o, .jobs = intern_new(), .texts = intern_new() };
    int result = write_all(&t, directory, err);
    for (size_t n = 0; n < t.n_nodes; n++) {
        for (unsigned i = 0; t.of_node[n] && i < TRACKS; i++)
            free(t.of_node[n][i].end_ns);
        free(t.of_node[n]);
    }
    free(t.of_node);
    free(t.of_job);
    intern_free(t.jobs);
    intern_free(t.texts);
    return result;
}
