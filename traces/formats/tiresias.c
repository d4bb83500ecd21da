/* tiresias.c - the job list of the Tiresias simulator (SymbioticLab/Tiresias, NSDI'19), times in seconds. Iterations
 * describe the same work as the duration; the interval is the submit time's step. */
#include "traces/formats/columns.h"

enum { JOB_ID, NUM_GPU, SUBMIT_TIME, ITERATIONS, MODEL_NAME, DURATION, INTERVAL };
static const char *const names[] = { "job_id",      "num_gpu",  "submit_time", "iterations?",
                                     "model_name?", "duration", "interval?",   NULL };

static void tiresias_job(const struct columns *c, struct job_row *job)
{
    take_id(c, JOB_ID, job);
    take_gpus(c, NUM_GPU, job);
    take_time(c, SUBMIT_TIME, &job->submit_ns);
    take_time(c, DURATION, &job->duration_ns);
    take_text(c, MODEL_NAME, &job->model, &job->model_length);
}

static int tiresias_recognise(const char *head, size_t length)
{
    return columns_recognise(names, head, length);
}

static int tiresias_read(struct input *in, struct workload *w, struct error *err)
{
    return columns_read(names, tiresias_job, in, w, err);
}

const struct trace_format tiresias_format = {
    .name = "tiresias",
    .summary = "Tiresias simulator: job_id,num_gpu,submit_time,iterations,model_name,duration,interval",
    .recognise = tiresias_recognise,
    .read = tiresias_read,
};
