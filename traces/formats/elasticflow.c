/* elasticflow.c - job lists of ElasticFlow (pkusys/ElasticFlow, ASPLOS'23), times in seconds, with deadlines.
 *
 * ddl is a time of the trace, and may lie before submit + duration: an elastic job would have met it on more GPUs than
 * num_gpu. The batch size and the iterations describe the same work as the duration. */
#include "traces/formats/columns.h"

enum { JOB_ID, SUBMIT_TIME, DDL, NUM_GPU, DURATION, MODEL_NAME };
static const char *const names[] = { "job_id", "submit_time", "ddl", "num_gpu", "duration", "model_name?", NULL };

static void elasticflow_job(const struct columns *c, struct job_row *job)
{
    take_id(c, JOB_ID, job);
    take_time(c, SUBMIT_TIME, &job->submit_ns);
    take_time(c, DDL, &job->deadline_ns);
    take_gpus(c, NUM_GPU, job);
    take_time(c, DURATION, &job->duration_ns);
    take_text(c, MODEL_NAME, &job->model, &job->model_length);
}

static int elasticflow_recognise(const char *head, size_t length)
{
    return columns_recognise(names, head, length) ? 2 : 0; /* the lists differ in columns, but all have a ddl */
}

static int elasticflow_read(struct input *in, struct workload *w, struct error *err)
{
    return columns_read(names, elasticflow_job, in, w, err);
}

const struct trace_format elasticflow_format = {
    .name = "elasticflow",
    .summary = "ElasticFlow simulator: job_id,submit_time,ddl,num_gpu,duration,...",
    .recognise = elasticflow_recognise,
    .read = elasticflow_read,
};
