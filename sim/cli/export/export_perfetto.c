/* export_perfetto.c - intervals as a trace in the Trace Event Format: JSON that ui.perfetto.dev
 * and chrome://tracing open.
 *
 * A node is a process, a GPU a thread, a job's hold on a GPU a complete event ("X") there. Times
 * are microseconds with fractions, to the nanosecond. Slices of a thread may overlap only by nesting
 * (google/perfetto:docs/getting-started/other-formats.md), so jobs that hold a GPU at the same
 * time lie in lanes of it, each a thread of its own: a slice goes to the lane that has been
 * empty for the shortest time. Counters ("C") are of the process "cluster" (perfetto_counters.h),
 * waits of the process "waiting" (perfetto_waits.h).
 *
 * Where a slice ends because the job was stopped stands an instant ("i"). From a slice that another
 * job ended (preempted, suspended, moved, broken) an arrow ("s" to "f") goes to the next slice of
 * another job on that GPU: the job that took it. An arrow begins within its slice, a nanosecond
 * before the end, as arrows belong to the slice around them. GPUs that a node only counts have no
 * arrows: which of them a job took is not known. Faults of nodes are instants of their processes.
 *
 * Members of a federation follow each other: their processes have the member's name in front. */
#include "sim/cli/export/export.h"
#include "sim/cli/export/perfetto_counters.h"
#include "sim/cli/export/perfetto_waits.h"
#include "sim/cli/export/trace_event.h"
#include "sim/cli/explain/explain.h"
#include "sim/cli/frame/cli.h"
#include "sim/base/intern.h"
#include "sim/base/memory.h"
#include "sim/base/units.h"
#include "traces/native/running_on.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of processes; those of a member are PIDS_OF_MEMBER further on than of the one before. */
enum { CLUSTER_PID = 1, WAITING_PID, FIRST_NODE_PID, NODES_MAX = 10000000,
       PIDS_OF_MEMBER = NODES_MAX + FIRST_NODE_PID };
/* GPU 0 to 63; GPUs of a node that only counts them; tasks without any */
enum { TRACK_UNNAMED = 64, TRACK_CPUS, TRACKS };
enum { LANES_SORTED = 10000, NAME_LONG = 256 };

/* The end of a slice that another job ended: an arrow may begin there. */
struct stop { int64_t end_ns, tid; char *job; };
struct lanes {
    int64_t *end_ns;
    size_t n, capacity;
    struct stop *stop;
    size_t n_stops, stops_capacity;
};
struct facts { uint32_t queue, user, class; };        /* numbers of texts */
struct writing {
    struct trace_writer to;
    int64_t base_pid;
    const char *member;           /* NULL: no federation */
    int64_t flows;                /* arrows so far */
    struct intern *jobs, *texts;
    struct facts *of_job;
    size_t n_jobs, jobs_capacity;
    struct waits *waits;
    struct lanes **of_node;       /* [TRACKS] each; NULL: nothing has run there yet */
    size_t n_nodes, nodes_capacity;
};

/* ---- Names of processes and threads ---- */

static void name_process(struct writing *t, int64_t pid, const char *name, int64_t number)
{
    char text[NAME_LONG], digits[24] = "";
    if (number >= 0)
        snprintf(digits, sizeof digits, " %" PRId64, number);
    snprintf(text, sizeof text, "%s%s%s%s", t->member ? t->member : "", t->member ? " " : "", name,
             digits);
    trace_put_name(&t->to, "process_name", pid, 0, text);
    trace_put_order(&t->to, "process_sort_index", pid, 0, pid);
}

static int64_t tid_of(unsigned track, size_t lane)
{
    return 1 + track + (int64_t)lane * TRACKS;        /* 0 would be an idle thread */
}

static int64_t node_pid(const struct writing *t, int64_t node)
{
    return t->base_pid + FIRST_NODE_PID + node;
}

static void name_lane(struct writing *t, int64_t pid, unsigned track, size_t lane)
{
    int64_t tid = tid_of(track, lane);
    char text[24];
    if (track < TRACK_UNNAMED)
        snprintf(text, sizeof text, "GPU %u", track);
    else
        snprintf(text, sizeof text, "%s", track == TRACK_CPUS ? "CPUs" : "GPUs");
    trace_put_name(&t->to, "thread_name", pid, tid, text);
    trace_put_order(&t->to, "thread_sort_index", pid, tid,
                    (int64_t)track * LANES_SORTED + (int64_t)lane);
}

static struct lanes *tracks_of(struct writing *t, size_t node)
{
    while (t->n_nodes <= node) {
        mem_grow(&t->of_node, &t->nodes_capacity, t->n_nodes, sizeof *t->of_node);
        t->of_node[t->n_nodes++] = NULL;
    }
    if (!t->of_node[node]) {
        t->of_node[node] = mem_new(TRACKS, sizeof **t->of_node);
        name_process(t, node_pid(t, (int64_t)node), "node", (int64_t)node);
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
        name_lane(t, node_pid(t, (int64_t)node), track, l->n++);
    }
    l->end_ns[best] = end_ns;
    return best;
}

/* ---- jobs.csv: queue, user, class and waits of jobs ---- */

static uint32_t text_number(struct writing *t, const char *text)
{
    return intern_add(t->texts, text, strlen(text));
}

static int take_job(void *self, const struct csv_job *j, struct error *err)
{
    struct writing *t = self;
    (void)err;
    uint32_t n = intern_add(t->jobs, j->name, strlen(j->name));
    if (n < t->n_jobs)
        /* of two jobs with one name the first counts */
        return 0;
    mem_grow(&t->of_job, &t->jobs_capacity, t->n_jobs, sizeof *t->of_job);
    t->of_job[t->n_jobs++] = (struct facts){ text_number(t, j->queue), text_number(t, j->user),
                                             text_number(t, j->class) };
    waits_add_job(t->waits, n, t->of_job[n].queue, j);
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
    uint32_t job;                 /* INTERN_NONE: unknown */
    const struct facts *facts;    /* NULL: unknown */
    int64_t task, node, gpus, milli, start_ns, end_ns;
};

static const char *cell_of(const struct slice *s, size_t column)
{
    return s->row->cell[s->at[column]].text;
}

/* ---- Stops and arrows ---- */

static bool is_one_of(const char *text, const char *const *words)
{
    while (*words && strcmp(*words, text))
        words++;
    return *words != NULL;
}

static bool by_another(const struct slice *s)
{
    static const char *const ends[] = { "preempted", "suspended", "moved", "broken", NULL };
    return is_one_of(cell_of(s, REASON), ends);
}

static bool by_failure(const struct slice *s)
{
    static const char *const ends[] = { "fault", "maintenance", "reclaimed", "reservation", NULL };
    return is_one_of(cell_of(s, REASON), ends);
}

static void put_stop(struct writing *t, const struct slice *s, int64_t tid)
{
    struct output *o = t->to.o;
    trace_event_begins(&t->to, "i", cell_of(s, REASON), node_pid(t, s->node), tid);
    trace_put_text(o, "cat", by_failure(s) ? "fault" : "preemption");
    trace_put_us(o, "ts", s->end_ns);
    out_text(o, ",\"s\":\"t\",\"args\":{\"job\":");
    trace_put_string(o, cell_of(s, JOB));
    trace_put_text(o, "stopped_for", cell_of(s, STOPPED_FOR));
    out_char(o, '}');
    trace_event_ends(&t->to);
}

static void put_arrow_end(struct writing *t, const char *phase, int64_t pid, int64_t tid,
                          int64_t ns)
{
    trace_event_begins(&t->to, phase, "takes its GPU", pid, tid);
    trace_put_text(t->to.o, "cat", "preemption");
    trace_put_pair(t->to.o, "id", t->flows);
    trace_put_us(t->to.o, "ts", ns);
    if (*phase == 'f')
        trace_put_text(t->to.o, "bp", "e");
    trace_event_ends(&t->to);
}

/* From the jobs that were stopped on this GPU to the slice that begins there; a job that has its
 * GPU back has taken it from no other. */
static void put_arrows(struct writing *t, struct lanes *l, const struct slice *s, int64_t tid)
{
    int64_t pid = node_pid(t, s->node);
    size_t kept = 0;
    for (size_t i = 0; i < l->n_stops; i++) {
        struct stop *x = &l->stop[i];
        if (x->end_ns > s->start_ns) {
            l->stop[kept++] = *x;
            continue;
        }
        if (strcmp(x->job, cell_of(s, JOB)) != 0) {
            t->flows++;
            put_arrow_end(t, "s", pid, x->tid, x->end_ns - 1);
            put_arrow_end(t, "f", pid, tid, s->start_ns);
        }
        free(x->job);
    }
    l->n_stops = kept;
}

static void remember_stop(struct lanes *l, const struct slice *s, int64_t tid)
{
    const char *job = cell_of(s, JOB);
    mem_grow(&l->stop, &l->stops_capacity, l->n_stops, sizeof *l->stop);
    l->stop[l->n_stops++] = (struct stop){ s->end_ns, tid, mem_text(job, strlen(job)) };
}

/* A hold of no length has no arrows: nothing is within it. */
static void put_ends(struct writing *t, const struct slice *s, unsigned track, int64_t tid)
{
    struct lanes *l = &t->of_node[s->node][track];
    bool arrows = track < TRACK_UNNAMED && s->end_ns > s->start_ns;
    if (arrows)
        put_arrows(t, l, s, tid);
    if (by_another(s) || by_failure(s))
        put_stop(t, s, tid);
    if (arrows && by_another(s))
        remember_stop(l, s, tid);
}

static void put_slice(struct writing *t, const struct slice *s, unsigned track)
{
    struct output *o = t->to.o;
    int64_t tid = tid_of(track, lane_for(t, (size_t)s->node, track, s->start_ns, s->end_ns));
    trace_event_begins(&t->to, "X", cell_of(s, JOB), node_pid(t, s->node), tid);
    trace_put_text(o, "cat", s->facts ? intern_text(t->texts, s->facts->queue) : "");
    trace_put_us(o, "ts", s->start_ns);
    trace_put_us(o, "dur", s->end_ns - s->start_ns);
    out_text(o, ",\"args\":{\"task\":");
    out_integer(o, s->task);
    trace_put_pair(o, "gpus", s->gpus);
    if (s->milli != 1000 && s->gpus)
        trace_put_pair(o, "gpu_milli", s->milli);
    if (s->facts) {
        trace_put_text(o, "queue", intern_text(t->texts, s->facts->queue));
        trace_put_text(o, "user", intern_text(t->texts, s->facts->user));
        trace_put_text(o, "class", intern_text(t->texts, s->facts->class));
    }
    trace_put_text(o, "end_reason", cell_of(s, REASON));
    trace_put_text(o, "stopped_for", cell_of(s, STOPPED_FOR));
    out_char(o, '}');
    trace_event_ends(&t->to);
    put_ends(t, s, track, tid);
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
    s.job = intern_find(t->jobs, cell_of(&s, JOB), r->cell[at[JOB]].length);
    s.facts = s.job == INTERN_NONE ? NULL : &t->of_job[s.job];
    if (s.facts)
        waits_add_stay(t->waits, s.job, s.start_ns, s.end_ns, cell_of(&s, REASON));
    for (uint64_t left = mask; left; left &= left - 1)
        put_slice(t, &s, (unsigned)__builtin_ctzll(left));
    if (!mask)
        put_slice(t, &s, s.gpus ? TRACK_UNNAMED : TRACK_CPUS);
    return 0;
}

/* ---- events.csv: what happens to nodes ---- */

static int take_event(void *self, const struct csv_event *e, struct error *err)
{
    static const char *const kinds[] = { "fault",   "repair",    "cordon", "maintenance", "drain",
                                         "reclaim", "provision", "ready",  "remove",      "reserved",
                                         "released", NULL };
    struct writing *t = self;
    char *end;
    (void)err;
    if (*e->job || strncmp(e->decision, "node ", strlen("node ")) != 0 ||
        !is_one_of(e->kind, kinds))
        return 0;
    long long node = strtoll(e->decision + strlen("node "), &end, 10);
    if (node < 0 || node > NODES_MAX)
        return 0;
    tracks_of(t, (size_t)node);
    trace_event_begins(&t->to, "i", e->kind, node_pid(t, node), 0);
    trace_put_text(t->to.o, "cat", "node");
    trace_put_us(t->to.o, "ts", e->time_ns);
    out_text(t->to.o, ",\"s\":\"p\",\"args\":{\"what\":");
    trace_put_string(t->to.o, e->decision);
    trace_put_text(t->to.o, "cause", e->reason);
    out_char(t->to.o, '}');
    trace_event_ends(&t->to);
    return 0;
}

/* ---- The file ---- */

static void tell_of_means(const char *directory, const char *file, double step_s)
{
    if (step_s > 0)
        warn("%s/%s: more than %d rows: its counters are means over %.6g s", directory, file,
             COUNTER_ROWS, step_s);
}

static int put_counters(struct writing *t, const char *directory, struct error *err)
{
    int64_t pid = t->base_pid + CLUSTER_PID;
    double totals_s = 0, queues_s = 0;
    name_process(t, pid, "cluster", -1);
    if (perfetto_totals(&t->to, directory, pid, &totals_s, err) ||
        perfetto_queues(&t->to, directory, pid, &queues_s, err))
        return -1;
    tell_of_means(directory, "timeseries.csv", totals_s);
    tell_of_means(directory, "queues.csv", queues_s);
    return 0;
}

static int write_run(struct writing *t, const char *directory, struct error *err)
{
    static const struct result_file intervals = { "intervals.csv", interval_columns, take_interval,
                                                  NULL };
    if (explain_read(directory, &(struct row_reader){ .self = t, .job = take_job }, err) < 0 ||
        put_counters(t, directory, err) ||
        result_file_read_or_fail(directory, &intervals, t, err) != 0 ||
        explain_read(directory, &(struct row_reader){ .self = t, .event = take_event }, err) < 0)
        return -1;
    if (waits_any(t->waits))
        name_process(t, t->base_pid + WAITING_PID, "waiting", -1);
    size_t left_out = waits_put(t->waits, &t->to, t->base_pid + WAITING_PID, t->jobs, t->texts);
    if (left_out)
        warn("%s: %zu waits are left out: more than %d jobs of a queue wait at once", directory,
             left_out, WAIT_LANES);
    return 0;
}

static void nodes_free(struct writing *t)
{
    for (size_t n = 0; n < t->n_nodes; n++) {
        for (unsigned i = 0; t->of_node[n] && i < TRACKS; i++) {
            struct lanes *l = &t->of_node[n][i];
            for (size_t k = 0; k < l->n_stops; k++)
                free(l->stop[k].job);
            free(l->stop);
            free(l->end_ns);
        }
        free(t->of_node[n]);
    }
    free(t->of_node);
}

/* Arrows are numbered through all runs of the file. */
static int put_run(struct writing *t, const char *directory, struct error *err)
{
    t->jobs = intern_new();
    t->texts = intern_new();
    t->waits = waits_new();
    int result = write_run(t, directory, err);
    nodes_free(t);
    free(t->of_job);
    waits_free(t->waits);
    intern_free(t->jobs);
    intern_free(t->texts);
    return result;
}

int export_perfetto(const char *directory, struct output *o, struct error *err)
{
    struct result_places p = result_places_of(directory);
    struct trace_writer to = { .o = o };
    int64_t flows = 0;
    int result = 0;
    out_text(o, "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[");
    for (size_t i = 0; i < p.n && result == 0; i++) {
        struct writing t = { .to = to, .base_pid = (int64_t)i * PIDS_OF_MEMBER,
                             .member = p.member[i], .flows = flows };
        result = put_run(&t, p.path[i], err);
        to = t.to;
        flows = t.flows;
    }
    out_text(o, "\n]}\n");
    result_places_free(&p);
    return result;
}
