/* swf.c - the Standard Workload Format 2.2 of the Parallel Workloads Archive: 18 numbers a line,
 * ';' before comments.
 *
 * A processor is read as a GPU, of which only the total is known; CPU and memory are not read, nor
 * are fields behind the 18th, which some logs have. Jobs of equal submit time are ordered by job
 * number, wherever they are in the file.
 *
 * These rows are no jobs that ran; they are left out and counted in workload.n_skipped:
 * - run time or processors of 0 or less (unknown, or cancelled before the start);
 * - status 2, 3 or 4: a part of a job that was swapped out; the whole job has a line of its own. */
#include "traces/formats/format.h"

#include <string.h>

enum {
    JOB, SUBMIT, WAIT, RUN, PROCS, CPU, MEMORY, PROCS_ASKED, TIME_ASKED, MEMORY_ASKED, STATUS, USER,
    GROUP, PROGRAM, QUEUE, PARTITION, PRECEDING, THINK, FIELDS
};
static const char *const names[FIELDS] = {
    "job number",     "submit time",      "wait time", "run time",
    "processors",     "CPU time",         "memory",    "processors requested",
    "time requested", "memory requested", "status",    "user",
    "group",          "program",          "queue",     "partition",
    "preceding job",  "think time",
};
enum { STATUS_FAILED = 0, STATUS_PART = 2, STATUS_LAST_PART = 4, STATUS_CANCELLED = 5 };
#define PROCS_MAX 100000000

/* A cell that is no number is an error, even in a row that is left out. */
struct record {
    int64_t job, submit_ns, wait_ns, run_ns, procs, procs_asked, asked_ns, status;
};

static int read_record(const struct row *row, struct record *r, struct error *err)
{
    if (cell_integer(row, JOB, INT64_MIN, INT64_MAX, &r->job, err) != 0 ||
        cell_time(row, SUBMIT, INT64_MIN, &r->submit_ns, err) != 0 ||
        cell_time(row, WAIT, INT64_MIN, &r->wait_ns, err) != 0 ||
        cell_time(row, RUN, INT64_MIN, &r->run_ns, err) != 0 ||
        cell_integer(row, PROCS, -1, PROCS_MAX, &r->procs, err) != 0 ||
        cell_integer(row, PROCS_ASKED, -1, PROCS_MAX, &r->procs_asked, err) != 0 ||
        cell_time(row, TIME_ASKED, INT64_MIN, &r->asked_ns, err) != 0)
        return -1;
    return cell_integer(row, STATUS, -1, STATUS_CANCELLED, &r->status, err);
}

static enum job_fate fate(int64_t status)
{
    return status == STATUS_FAILED      ? FATE_FAILED
           : status == STATUS_CANCELLED ? FATE_CANCELLED
                                        : FATE_COMPLETED;
}

static void take_name(const struct row *row, size_t field, const char **text, size_t *length)
{
    if (strcmp(row->cell[field].text, "-1") == 0)
        return;
    *text = row->cell[field].text;
    *length = row->cell[field].length;
}

static int add_job(struct workload *w, const struct row *row, const struct record *r,
                   struct error *err)
{
    struct job_row job = job_row_default;
    job.job_id = row->cell[JOB].text;
    job.job_id_length = row->cell[JOB].length;
    job.tie = r->job;
    job.submit_ns = r->submit_ns;
    job.duration_ns = r->run_ns;
    job.gpus = (uint32_t)(r->procs_asked > 0 ? r->procs_asked : r->procs);
    job.recorded_wait_ns = r->wait_ns >= 0 ? r->wait_ns : -1;
    if (r->asked_ns > 0)
        job.estimate_ns = r->asked_ns;
    job.fate = fate(r->status);
    take_name(row, USER, &job.user, &job.user_length);
    take_name(row, QUEUE, &job.queue, &job.queue_length);
    return workload_add(w, &job, row->file, row->line, err);
}

static int on_row(void *self, const struct row *full, struct error *err)
{
    struct workload *w = self;
    struct record r = { 0 };
    struct row row = *full;
    if (row.n < FIELDS)
        return error_set(err, "%s:%zu: want 18 fields, got %zu", row.file, row.line, row.n);
    row.n = row.n_columns = FIELDS;
    row.column = names;
    if (read_record(&row, &r, err) != 0)
        return -1;
    bool part = r.status >= STATUS_PART && r.status <= STATUS_LAST_PART;
    if (r.run_ns <= 0 || (r.procs_asked <= 0 && r.procs <= 0) || part) {
        w->n_skipped++;
        return 0;
    }
    return add_job(w, &row, &r, err);
}

/* The first byte that is not in `set`. */
static const char *past(const char *at, const char *end, const char *set)
{
    while (at < end && *at && strchr(set, *at))
        at++;
    return at;
}

/* Certain: the first line that is no comment begins with 18 numbers. Perhaps: there are only
 * comments. */
static int swf_recognise(const char *head, size_t length)
{
    const char *end = head + length, *at = past(head, end, " \t\r\n");
    bool comment = at < end && *at == ';';
    while (at < end && *at == ';') {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        at = newline ? past(newline, end, " \t\r\n") : end;
    }
    if (at == end)
        return comment;
    for (int n = 0; n < FIELDS; n++) {
        const char *number = past(at, end, "0123456789.+-eE");
        if (number == at)
            return 0;
        at = past(number, end, " \t");
    }
    return 2;
}

static int swf_read(struct input *in, const char *const *value, struct workload *w,
                    struct error *err)
{
    (void)value;
    static const struct table_handler handler = { .on_row = on_row };
    workload_add_ahead(w);
    return table_read(in, (struct table_style){ .blanks = true, .comment = ';' }, &handler, w, err);
}

const struct trace_format swf_format = {
    .name = "swf",
    .summary = "Standard Workload Format 2.2 (one processor is one GPU)",
    .recognise = swf_recognise,
    .read = swf_read,
};
