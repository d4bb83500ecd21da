/* tiresias.c - the job list of the Tiresias simulator (SymbioticLab/Tiresias, NSDI'19), times in
 * seconds. iterations describe the same work as the duration; interval is the step of submit
 * times. */
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

const struct trace_format tiresias_format = {
    .name = "tiresias",
    .summary =
        "Tiresias simulator: job_id,num_gpu,submit_time,iterations,model_name,duration,interval",
    .columns = names,
    .job = tiresias_job,
};
