/* philly_csv.c - the Philly log as a table (petuum/adaptdl, siasosp23/artifacts): one line a job, in no order.
 *
 * timestamp is a wall clock without a zone, read as UTC; the earliest becomes time 0. gpu_time is duration x num_gpus
 * and not read. Jobs have no names: they are numbered by their row. */
#include "traces/columns.h"

enum { TIMESTAMP, DURATION, NUM_GPUS, GPU_TIME, CLUSTER };
static const char *const names[] = { "timestamp", "duration", "num_gpus", "gpu_time?", "cluster", NULL };

/* Days from 1970-01-01 in the Gregorian calendar. The year is taken to begin in March, so that a leap day is its last;
 * 153 days are any five months from March on (Howard Hinnant, "chrono-compatible low-level date algorithms"). */
static int64_t days_from_civil(int64_t year, int64_t month, int64_t day)
{
    year -= month <= 2;
    int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return year * 365 + year / 4 - year / 100 + year / 400 + day_of_year - 719468;
}

static int64_t days_of(int64_t year, int64_t month)
{
    return days_from_civil(year + month / 12, month % 12 + 1, 1) - days_from_civil(year, month, 1);
}

#define DATE "0000-00-00 00:00:00" /* a digit for each 0 */

static int64_t digits(const char *text, size_t from, size_t to)
{
    int64_t value = 0;
    for (size_t i = from; i < to; i++)
        value = value * 10 + (text[i] - '0');
    return value;
}

static bool parse_timestamp(const struct cell *c, int64_t *ns)
{
    const char *text = c->text;
    if (c->length != sizeof DATE - 1)
        return false;
    for (size_t i = 0; i < c->length; i++)
        if (DATE[i] == '0' ? text[i] < '0' || text[i] > '9' : text[i] != DATE[i])
            return false;
    int64_t year = digits(text, 0, 4), month = digits(text, 5, 7), day = digits(text, 8, 10);
    int64_t hour = digits(text, 11, 13), minute = digits(text, 14, 16), second = digits(text, 17, 19);
    if (year < 1970 || year > 2069 || month < 1 || month > 12 || day < 1 || day > days_of(year, month))
        return false;
    if (hour > 23 || minute > 59 || second > 59)
        return false;
    *ns = (((days_from_civil(year, month, day) * 24 + hour) * 60 + minute) * 60 + second) * NS_PER_S;
    return true;
}

static void philly_job(const struct columns *c, struct job_row *job)
{
    size_t at = c->at[TIMESTAMP];
    if (!parse_timestamp(&c->row->cell[at], &job->submit_ns))
        (void)cell_error(c->row, at, "a time from 1970 to 2069 like 2017-10-09 07:01:55", c->err);
    take_time(c, DURATION, &job->duration_ns);
    take_gpus(c, NUM_GPUS, job);
    take_text(c, CLUSTER, &job->queue, &job->queue_length);
}

static int philly_recognise(const char *head, size_t length)
{
    return columns_recognise(names, head, length);
}

static int philly_read(struct input *in, struct workload *w, struct error *err)
{
    if (columns_read(names, philly_job, in, w, err) != 0)
        return -1;
    workload_rebase(w);
    return 0;
}

const struct trace_format philly_csv_format = {
    .name = "philly-csv",
    .summary = "Philly as a table: timestamp,duration,num_gpus,gpu_time,cluster",
    .recognise = philly_recognise,
    .read = philly_read,
};
