/* elasticflow.c - job lists of ElasticFlow (pkusys/ElasticFlow, ASPLOS'23), times in seconds, with
 * deadlines.
 *
 * ddl is a time of the trace and may be before submit + duration: an elastic job meets it on more
 * GPUs than num_gpu. The batch size and the iterations describe the same work as the duration. */
#include "traces/formats/columns.h"

enum { JOB_ID, SUBMIT_TIME, DDL, NUM_GPU, DURATION, MODEL_NAME };
static const char *const names[] = { "job_id",   "submit_time", "ddl", "num_gpu",
                                     "duration", "model_name?", NULL };

static void elasticflow_job(const struct columns *c, struct job_row *job)
{
    take_id(c, JOB_ID, job);
    take_time(c, SUBMIT_TIME, &job->submit_ns);
    take_time(c, DDL, &job->deadline_ns);
    take_gpus(c, NUM_GPU, job);
    take_time(c, DURATION, &job->duration_ns);
    take_text(c, MODEL_NAME, &job->model, &job->model_length);
}

const struct trace_format elasticflow_format = {
    .name = "elasticflow",
    .summary = "ElasticFlow simulator: job_id,submit_time,ddl,num_gpu,duration,...",
    .columns = names,
    .job = elasticflow_job,
    .distinct = true, /* no other has ddl; its lists differ in columns */
};
