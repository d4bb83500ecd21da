/* philly_csv.c - the Philly log as a table (petuum/adaptdl, siasosp23/artifacts): one line a job,
 * in any order.
 *
 * timestamp is without a zone. gpu_time is duration x num_gpus and not read. Jobs have no names and
 * are numbered by their row. */
#include "traces/formats/dates.h"

enum { TIMESTAMP, DURATION, NUM_GPUS, GPU_TIME, CLUSTER };
static const char *const names[] = { "timestamp", "duration", "num_gpus",
                                     "gpu_time?", "cluster",  NULL };

static void philly_job(const struct columns *c, struct job_row *job)
{
    take_date(c, TIMESTAMP, &job->submit_ns);
    take_time(c, DURATION, &job->duration_ns);
    take_gpus(c, NUM_GPUS, job);
    take_text(c, CLUSTER, &job->queue, &job->queue_length);
}

const struct trace_format philly_csv_format = {
    .name = "philly-csv",
    .summary = "Philly as a table: timestamp,duration,num_gpus,gpu_time,cluster",
    .columns = names,
    .job = philly_job,
    .dated = true,
};
