/* philly_csv.c - the Philly log as a table (petuum/adaptdl, siasosp23/artifacts): one line a job, in no order.
 *
 * timestamp is a wall clock without a zone, read as UTC; the earliest becomes time 0. gpu_time is duration x num_gpus
 * and not read. Jobs have no names: they are numbered by their row. */
#include "traces/formats/dates.h"

enum { TIMESTAMP, DURATION, NUM_GPUS, GPU_TIME, CLUSTER };
static const char *const names[] = { "timestamp", "duration", "num_gpus", "gpu_time?", "cluster", NULL };

static void philly_job(const struct columns *c, struct job_row *job)
{
    take_date(c, TIMESTAMP, &job->submit_ns);
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
