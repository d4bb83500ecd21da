/* perfetto_counters.c - see perfetto_counters.h. */
#include "sim/cli/export/perfetto_counters.h"

#include "sim/base/intern.h"
#include "sim/base/memory.h"
#include "sim/base/units.h"
#include "sim/cli/frame/result_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCALE = 1000000, VALUES = 4, NAME_LONG = 256 };
#define NO_VALUE (-1)

struct counter {
    int64_t now[VALUES];          /* in millionths; NO_VALUE: an empty cell */
    int64_t since_ns;             /* of `now`; of a thinned one, or the beginning of its step */
    int128_t sum[VALUES];         /* of the step so far: millionths x ns */
    bool any;
};
struct counters {
    struct trace_writer *to;
    int64_t pid;
    size_t rows;
    int64_t first_ns, last_ns, step_ns;           /* step_ns 0: each change */
    struct intern *names;
    struct counter *counter;      /* by the number of its name */
    size_t capacity;
};
/* The columns from..to of a file are the values of one counter. */
struct counter_kind { const char *name; size_t from, to; const char *const *keys; };

/* ---- Writing ---- */

static void put_values(struct counters *c, const char *name, const char *const *keys,
                       int64_t time_ns, const int64_t value[VALUES])
{
    struct output *o = c->to->o;
    bool any = false;
    for (size_t i = 0; i < VALUES; i++) {
        if (value[i] == NO_VALUE)
            continue;
        if (!any) {
            trace_event_begins(c->to, "C", name, c->pid, 0);
            trace_put_us(o, "ts", time_ns);
        }
        out_text(o, any ? "," : ",\"args\":{");
        trace_put_string(o, keys[i]);
        out_char(o, ':');
        out_decimal(o, value[i], SCALE);
        any = true;
    }
    if (any) {
        out_char(o, '}');
        trace_event_ends(c->to);
    }
}

/* The mean of the step that ends at end_ns. */
static void put_mean(struct counters *c, struct counter *x, const char *name,
                     const char *const *keys, int64_t start_ns, int64_t end_ns)
{
    int64_t mean[VALUES], length_ns = end_ns - start_ns;
    for (size_t i = 0; i < VALUES; i++) {
        mean[i] = x->now[i] == NO_VALUE ? NO_VALUE
                                        : (int64_t)((x->sum[i] + length_ns / 2) / length_ns);
        x->sum[i] = 0;
    }
    put_values(c, name, keys, start_ns, mean);
}

static int64_t step_start(const struct counters *c, int64_t time_ns)
{
    return c->first_ns + (time_ns - c->first_ns) / c->step_ns * c->step_ns;
}

/* What the counter says now holds until then. */
static void hold(struct counters *c, struct counter *x, const char *name, const char *const *keys,
                 int64_t until_ns)
{
    while (x->since_ns < until_ns) {
        int64_t start_ns = step_start(c, x->since_ns), end_ns = start_ns + c->step_ns;
        int64_t to_ns = end_ns < until_ns ? end_ns : until_ns;
        for (size_t i = 0; i < VALUES; i++)
            if (x->now[i] != NO_VALUE)
                x->sum[i] += (int128_t)x->now[i] * (to_ns - x->since_ns);
        x->since_ns = to_ns;
        if (to_ns == end_ns)
            put_mean(c, x, name, keys, start_ns, end_ns);
    }
}

static struct counter *counter_of(struct counters *c, const char *name)
{
    uint32_t known = intern_count(c->names), n = intern_add(c->names, name, strlen(name));
    mem_grow(&c->counter, &c->capacity, n, sizeof *c->counter);
    if (n == known)
        c->counter[n] = (struct counter){ .any = false };
    return &c->counter[n];
}

static int take_counter(struct counters *c, const struct row *r, const size_t *at,
                        const struct counter_kind *k, struct error *err)
{
    struct counter *x = counter_of(c, k->name);
    int64_t time_ns, value[VALUES];
    if (cell_time(r, at[0], INT64_MIN, &time_ns, err))
        return -1;
    for (size_t i = 0; i < VALUES; i++) {
        value[i] = NO_VALUE;
        size_t column = k->from + i < k->to ? at[k->from + i] : TABLE_NO_COLUMN;
        if (column != TABLE_NO_COLUMN && r->cell[column].length &&
            cell_decimal(r, column, SCALE, 0, INT64_MAX, &value[i], err))
            return -1;
    }
    if (c->step_ns && x->any)
        hold(c, x, k->name, k->keys, time_ns);
    else if (!c->step_ns && (!x->any || memcmp(value, x->now, sizeof value) != 0))
        put_values(c, k->name, k->keys, time_ns, value);
    memcpy(x->now, value, sizeof value);
    x->since_ns = time_ns;
    x->any = true;
    return 0;
}

/* ---- The files ---- */

static const char *const time_column[] = { "time_s", NULL };
static const char *const series_columns[] = { "time_s",       "gpus_up",      "gpus_allocated",
                                              "gpus_busy",    "gpus_waiting", "jobs_running",
                                              "jobs_waiting", "?power_w",     NULL };
static const char *const gpu_keys[] = { "up", "allocated", "busy", "asked for" };
static const char *const job_keys[] = { "running", "waiting" };
static const char *const power_keys[] = { "W" };
static const struct counter_kind series[] = {
    { "GPUs", 1, 5, gpu_keys }, { "jobs", 5, 7, job_keys }, { "power", 7, 8, power_keys }
};
static const char *const queue_columns[] = { "time_s",      "queue",           "gpus_allocated",
                                             "gpus_demand", "gpus_fair_share", NULL };
static const char *const queue_keys[] = { "allocated", "demand", "fair share" };

static int take_time(void *self, const struct row *r, const size_t *at, struct error *err)
{
    struct counters *c = self;
    int64_t time_ns;
    if (cell_time(r, at[0], INT64_MIN, &time_ns, err))
        return -1;
    c->first_ns = c->rows++ ? c->first_ns : time_ns;
    c->last_ns = time_ns;
    return 0;
}

static int take_totals(void *self, const struct row *r, const size_t *at, struct error *err)
{
    for (size_t i = 0; i < sizeof series / sizeof *series; i++)
        if (take_counter(self, r, at, &series[i], err))
            return -1;
    return 0;
}

static int take_queue(void *self, const struct row *r, const size_t *at, struct error *err)
{
    char name[NAME_LONG];
    snprintf(name, sizeof name, "queue %s", r->cell[at[1]].text);
    return take_counter(self, r, at, &(struct counter_kind){ name, 2, 5, queue_keys }, err);
}

/* The last step, which the file may end within. */
static void finish(struct counters *c)
{
    for (uint32_t n = 0; c->step_ns && n < intern_count(c->names); n++) {
        const char *name = intern_text(c->names, n);
        const char *const *keys = queue_keys;
        for (size_t i = 0; i < sizeof series / sizeof *series; i++)
            keys = strcmp(name, series[i].name) ? keys : series[i].keys;
        struct counter *x = &c->counter[n];
        hold(c, x, name, keys, c->last_ns);
        if (x->since_ns > step_start(c, x->since_ns))
            put_mean(c, x, name, keys, step_start(c, x->since_ns), x->since_ns);
        put_values(c, name, keys, x->since_ns, x->now);
    }
}

static int put_file(struct trace_writer *to, const char *directory, int64_t pid,
                    const struct result_file *file, double *step_s, struct error *err)
{
    const struct result_file times = { file->name, time_column, take_time, NULL };
    struct counters c = { .to = to, .pid = pid, .names = intern_new() };
    int result = result_file_read(directory, &times, &c, err);
    if (result == 0 && c.rows > COUNTER_ROWS && c.last_ns > c.first_ns)
        c.step_ns = (c.last_ns - c.first_ns + COUNTER_STEPS - 1) / COUNTER_STEPS;
    *step_s = (double)c.step_ns / (double)NS_PER_S;
    if (result == 0)
        result = result_file_read(directory, file, &c, err);
    if (result == 0)
        finish(&c);
    free(c.counter);
    intern_free(c.names);
    return result < 0 ? -1 : 0;
}

int perfetto_totals(struct trace_writer *to, const char *directory, int64_t pid, double *step_s,
                    struct error *err)
{
    static const struct result_file file = { "timeseries.csv", series_columns, take_totals, NULL };
    return put_file(to, directory, pid, &file, step_s, err);
}

int perfetto_queues(struct trace_writer *to, const char *directory, int64_t pid, double *step_s,
                    struct error *err)
{
    static const struct result_file file = { "queues.csv", queue_columns, take_queue, NULL };
    return put_file(to, directory, pid, &file, step_s, err);
}
