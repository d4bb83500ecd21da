/* explain_read.c - rows of result files by the names of their columns, and the parts that
 * stories are made of. See explain.h. */
#include "sim/cli/explain/explain.h"

#include "sim/cli/frame/result_file.h"
#include "sim/engine/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ==== Parts of a story ==== */

void put_text(json_t *o, const char *key, const char *text)
{
    json_t *value = text && *text ? json_string(text) : json_null();
    json_object_set_new(o, key, value ? value : json_string("?"));
}

void put_number(json_t *o, const char *key, double value)
{
    json_object_set_new(o, key, isnan(value) ? json_null() : json_real(value));
}

void put_count(json_t *o, const char *key, uint64_t value)
{
    json_object_set_new(o, key, json_integer((json_int_t)value));
}

void put_seconds(json_t *o, const char *key, int64_t ns)
{
    put_number(o, key, ns < 0 ? (double)NAN : (double)ns / (double)NS_PER_S);
}

void put_gpus(json_t *o, const char *key, int64_t milli)
{
    put_number(o, key, (double)milli / 1000);
}

void put_gpu_hours(json_t *o, const char *key, int128_t milli_ns)
{
    put_number(o, key, (double)milli_ns / 1000 / (double)NS_PER_S / 3600);
}

json_t *put_list(json_t *o, const char *key)
{
    json_t *list = json_array();
    json_object_set_new(o, key, list);
    return list;
}

json_t *add_entry(json_t *list)
{
    json_t *o = json_object();
    json_array_append_new(list, o);
    return o;
}

const char *const explain_wait_meaning[WAIT_REASONS] = {
    [WAIT_ORDER] = "other jobs were ahead of it in the queue",
    [WAIT_LIMIT] = "its queue was at its limit, or had spent its budget of the month",
    [WAIT_QUOTA] =
        "with it, its queue or one above would have been over quota, and could not borrow",
    [WAIT_PROTECTED] =
        "its queue was below its quota, but the jobs that held GPUs could not be preempted",
    [WAIT_GPUS] = "too few GPUs were free",
    [WAIT_FRAGMENTED] = "enough GPUs were free, but not together",
    [WAIT_TOPOLOGY] = "no domain of its required topology level had enough free GPUs",
    [WAIT_TYPE] = "none of its GPU models was free",
    [WAIT_GANG] = "some tasks of its gang had GPUs and the others had none",
    [WAIT_RESERVED] = "it would have fit, but would have delayed a job with a reservation",
    [WAIT_RELEASING] = "it had claimed GPUs that other jobs were still releasing",
    [WAIT_PASS] = "the next scheduling pass, or the end of a back-off, was not due yet",
    [WAIT_DEPENDENCY] = "jobs on which it depends had not ended",
    [WAIT_OTHER] = "the policy gave no other reason",
    [WAIT_POWER] = "it would have fit, but would have exceeded the power cap",
    [WAIT_RESERVATION] = "it would have fit, but for nodes that were reserved for others, or about to be",
};

bool explain_wait_is_rare(enum wait_reason why)
{
    return why == WAIT_POWER || why == WAIT_RESERVATION;
}

void put_waits(json_t *story, const int64_t waits_ns[WAIT_REASONS])
{
    json_t *list = put_list(story, "waits");
    bool listed[WAIT_REASONS] = { false };
    for (;;) {                                 /* the longest first */
        unsigned most = WAIT_REASONS;
        for (unsigned i = 0; i < WAIT_REASONS; i++)
            if (!listed[i] && waits_ns[i] > 0 &&
                (most == WAIT_REASONS || waits_ns[i] > waits_ns[most]))
                most = i;
        if (most == WAIT_REASONS)
            return;
        listed[most] = true;
        json_t *part = add_entry(list);
        put_text(part, "reason", wait_reason_name[most]);
        put_seconds(part, "s", waits_ns[most]);
        put_text(part, "because", explain_wait_meaning[most]);
    }
}

void put_origin(json_t *story, const char *directory)
{
    json_t *manifest = result_manifest(directory);
    put_number(story, "origin_unix_s", manifest_origin_s(manifest));
    json_decref(manifest);
}

const char *explain_cause(const char *why, const char *own_queue, const char *for_queue)
{
    enum preemption_cause cause = PREEMPTED_POLICY;
    if (!strcmp(why, "moved"))
        cause = PREEMPTED_MOVE;
    else if (strcmp(why, "preempted") && strcmp(why, "broken"))
        return NULL;
    else if (for_queue)
        cause = strcmp(for_queue, own_queue) ? PREEMPTED_RECLAIM : PREEMPTED_PRIORITY;
    else if (!strcmp(why, "broken"))
        cause = PREEMPTED_BROKEN;
    return preemption_cause_name[cause];
}

/* ==== Rows of result files ==== */

enum {
    ID,
    QUEUE,
    USER,
    CLASS,
    GPU_TYPE,
    GPUS,
    TASKS,
    SUBMIT,
    START,
    END,
    WAIT,
    RUN,
    SLOWDOWN,
    PREEMPTIONS,
    RESTARTS,
    LOST,
    OVERHEAD,
    FAIRNESS,
    STATE,
    MIN_TASKS
};
static const struct { const char *column; int64_t scale;
} parts[JOB_PARTS] = {
    [PART_CHECKPOINTS] = { "checkpoints", 1 },
    [PART_CHECKPOINT_NS] = { "checkpoint_gpu_s", NS_PER_S },
    [PART_PULL_NS] = { "pull_gpu_s", NS_PER_S },
    [PART_READ] = { "read_gib", 1000000 },
    [PART_CACHED] = { "cached_gib", 1000000 },
};
static const char *const job_columns[] = {
    "job_id", "queue", "user", "class", "gpu_type", "gpus", "tasks", "submit_s", "start_s", "end_s", "wait_s", "run_s", "slowdown",
    "preemptions", "restarts", "lost_gpu_s", "overhead_gpu_s", "finish_time_fairness", "state", "min_tasks", NULL,
};
static const char *const interval_columns[] = { "job_id",      "node",    "gpus",  "gpu_ids",
                                                "gpu_milli",   "start_s", "end_s", "end_reason",
                                                "stopped_for", NULL };
static const char *const level_columns[] = {
    "time_s", "queue", "gpus_allocated", "gpus_deserved", "gpus_demand", "gpus_fair_share", NULL
};
static const char *const session_columns[] = {
    "session",         "group",        "outcome",    "slo_met",   "forgotten", "usable_s",
    "time_to_start_s", "end_s",        "patience_s", "delayed_s", "releases",  "preemptions",
    "starting_gpu_s",  "active_gpu_s", "idle_gpu_s", NULL
};
static const char *const event_columns[] = {
    "time_s", "kind", "job_id", "decision", "reason", NULL
};

struct reading {
    const struct row_reader *to;
    const size_t *at;
    /* columns of jobs.csv that depend on the run; TABLE_NO_COLUMN: it has none */
    size_t wait[WAIT_REASONS], part[JOB_PARTS];
};

static const char *text(const struct reading *r, const struct row *row, size_t i)
{
    return row->cell[r->at[i]].text;
}

static int number(const struct reading *r, const struct row *row, size_t i, int64_t *out,
                  struct error *err)
{
    return cell_integer(row, r->at[i], 0, INT64_MAX, out, err);
}

static int milli(const struct reading *r, const struct row *row, size_t i, int64_t *out,
                 struct error *err)
{
    return cell_decimal(row, r->at[i], 1000, 0, INT64_MAX, out, err);
}

static int time_of(const struct reading *r, const struct row *row, size_t i, int64_t *ns,
                   struct error *err)
{
    return cell_time(row, r->at[i], INT64_MIN, ns, err);
}

/* ---- One row of each file ---- */

static int take_job(void *self, const struct row *row, const size_t *at, struct error *err)
{
    struct reading *r = self;
    r->at = at;
    struct csv_job j = {
        .name = text(r, row, ID), .queue = text(r, row, QUEUE), .user = text(r, row, USER),
        .class = text(r, row, CLASS),
        .gpu_type = text(r, row, GPU_TYPE), .tasks = text(r, row, TASKS), .min_tasks = text(r, row,
            MIN_TASKS),
        .state = text(r, row, STATE), .slowdown = text(r, row, SLOWDOWN), .fairness = text(r, row,
            FAIRNESS),
        .start_ns = -1, .end_ns = -1,
    };
    const struct { size_t column; int64_t *ns;
    } times[] = {
        { SUBMIT, &j.submit_ns },
        { START, &j.start_ns },
        { END, &j.end_ns },
        { WAIT, &j.wait_ns },
        { RUN, &j.run_ns },
        { LOST, &j.lost_gpu_ns },
        { OVERHEAD, &j.overhead_gpu_ns },
    };
    if (milli(r, row, GPUS, &j.gpu_milli, err) ||
        number(r, row, PREEMPTIONS, &j.preemptions, err) ||
        number(r, row, RESTARTS, &j.restarts, err))
        return -1;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        if (time_of(r, row, times[i].column, times[i].ns, err))
            return -1;
    for (unsigned i = 0; i < WAIT_REASONS; i++)
        if (cell_time(row, r->wait[i], INT64_MIN, &j.waits_ns[i], err))
            return -1;
    for (unsigned i = 0; i < JOB_PARTS; i++) {
        j.part[i] = -1;
        if (r->part[i] != TABLE_NO_COLUMN &&
            cell_decimal(row, r->part[i], parts[i].scale, 0, INT64_MAX, &j.part[i], err))
            return -1;
    }
    return r->to->job(r->to->self, &j, err);
}

static int take_interval(void *self, const struct row *row, const size_t *at, struct error *err)
{
    struct reading *r = self;
    r->at = at;
    struct csv_interval i = { .job = text(r, row, 0), .node = text(r, row, 1), .gpu_ids = text(r,
        row, 3), .why = text(r, row, 7),
                               .stopped_for = text(r, row, 8) };
    if (number(r, row, 2, &i.gpus, err) || number(r, row, 4, &i.gpu_milli, err) ||
        time_of(r, row, 5, &i.start_ns, err) || time_of(r, row, 6, &i.end_ns, err))
        return -1;
    return r->to->interval(r->to->self, &i, err);
}

static int take_level(void *self, const struct row *row, const size_t *at, struct error *err)
{
    struct reading *r = self;
    r->at = at;
    struct csv_level l = { .queue = text(r, row, 1), .deserved_milli = -1, .fair_milli = -1 };
    if (time_of(r, row, 0, &l.time_ns, err) || milli(r, row, 2, &l.held_milli, err) ||
        milli(r, row, 3, &l.deserved_milli, err) || milli(r, row, 4, &l.demand_milli, err) ||
        milli(r, row, 5, &l.fair_milli, err))
        return -1;
    return r->to->level(r->to->self, &l, err);
}

static int take_event(void *self, const struct row *row, const size_t *at, struct error *err)
{
    struct reading *r = self;
    r->at = at;
    struct csv_event e = { .kind = text(r, row, 1), .job = text(r, row, 2), .decision = text(r, row,
        3),
                            .reason = text(r, row, 4) };
    return time_of(r, row, 0, &e.time_ns, err) ? -1 : r->to->event(r->to->self, &e, err);
}

static int take_session(void *self, const struct row *row, const size_t *at, struct error *err)
{
    struct reading *r = self;
    r->at = at;
    struct csv_session x = { .name = text(r, row, 0), .group = text(r, row, 1), .outcome = text(r,
        row, 2), .slo_met = text(r, row, 3),
                              .forgotten = text(r, row, 4), .usable_ns = -1, .time_to_start_ns = -1,
                              .end_ns = -1 };
    int64_t *const times[] = { &x.usable_ns, &x.time_to_start_ns, &x.end_ns, &x.patience_ns,
                               &x.delayed_ns };
    int64_t *const gpu_times[] = { &x.starting_gpu_ns, &x.active_gpu_ns, &x.idle_gpu_ns };
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        if (time_of(r, row, 5 + i, times[i], err))
            return -1;
    if (number(r, row, 10, &x.releases, err) || number(r, row, 11, &x.preemptions, err))
        return -1;
    for (size_t i = 0; i < sizeof gpu_times / sizeof *gpu_times; i++)
        if (time_of(r, row, 12 + i, gpu_times[i], err))
            return -1;
    return r->to->session(r->to->self, &x, err);
}

static const char *const service_columns[] = {
    "time_s",          "service",         "rate_per_s",     "arrived",        "served", "dropped",
    "replicas_wanted", "replicas_placed", "replicas_ready", "slo_attainment", NULL
};

static int take_service(void *self, const struct row *row, const size_t *at, struct error *err)
{
    struct reading *r = self;
    r->at = at;
    struct csv_service x = { .name = text(r, row, 1) };
    double *const numbers[] = { &x.rate_per_s, &x.arrived, &x.served, &x.dropped,
                                &x.wanted,     &x.placed,  &x.ready,  &x.slo_attainment };
    if (time_of(r, row, 0, &x.time_ns, err))
        return -1;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (result_number(row, at[2 + i], numbers[i], err))
            return -1;
    return r->to->service(r->to->self, &x, err);
}

static const char *const metric_columns[] = { "metric", "scope", "value", NULL };

static int take_metric(void *self, const struct row *row, const size_t *at, struct error *err)
{
    struct reading *r = self;
    r->at = at;
    struct csv_metric m = { .name = text(r, row, 0), .scope = text(r, row, 1) };
    if (result_number(row, at[2], &m.value, err))
        return -1;
    return isnan(m.value) ? 0 : r->to->metric(r->to->self, &m, err);
}

/* ---- A file ---- */

static int find_job_columns(void *self, const struct row *header, struct error *err)
{
    struct reading *r = self;
    for (unsigned i = 0; i < WAIT_REASONS; i++) {
        char name[40];
        snprintf(name, sizeof name, "wait_%s_s", wait_reason_name[i]);
        r->wait[i] = table_column(header, name);
        if (r->wait[i] == TABLE_NO_COLUMN && !explain_wait_is_rare(i))
            return error_set(err, "%s:%zu: no column %s", header->file, header->line, name);
    }
    for (unsigned i = 0; i < JOB_PARTS; i++)
        r->part[i] = table_column(header, parts[i].column);
    return 0;
}

static const struct result_file jobs = { "jobs.csv", job_columns, take_job, find_job_columns };
static const struct result_file intervals = { "intervals.csv", interval_columns, take_interval,
                                              NULL };
static const struct result_file levels = { "queues.csv", level_columns, take_level, NULL };
static const struct result_file events = { "events.csv", event_columns, take_event, NULL };
static const struct result_file sessions = { "sessions.csv", session_columns, take_session, NULL };
static const struct result_file services = { "services.csv", service_columns, take_service, NULL };
static const struct result_file metrics = { "summary.csv", metric_columns, take_metric, NULL };

int explain_read(const char *directory, const struct row_reader *l, struct error *err)
{
    struct reading r = { .to = l };
    const struct result_file *file = l->job        ? &jobs
                                     : l->interval ? &intervals
                                     : l->level    ? &levels
                                     : l->event    ? &events
                                     : l->session  ? &sessions
                                     : l->service  ? &services
                                                   : &metrics;
    return result_file_read(directory, file, &r, err);
}
