/* pai_sim.c - the job list of the PAI-2020 simulator
 * (alibaba/clusterdata:cluster-trace-gpu-v2020/simulator).
 *
 * num_gpu and num_cpu are those of one of num_inst equal instances. gpu_type MISC is "some other
 * model" of the traced cluster; as a request it is any type, like an empty cell. wait_time is the
 * past schedule, and user_dur, group_dur and group_gpu_dur are its predictions from other jobs:
 * they are not read. Jobs of one submit time go by job_id where it is a whole number, as that
 * simulator sorts them (simulator.py, set_job_list_arrival_time()). */
#include "traces/formats/columns.h"

#include <stdlib.h>
#include <string.h>

enum { JOB_ID, USER, GPU_TYPE, NUM_INST, NUM_GPU, NUM_CPU, SUBMIT_TIME, DURATION };
static const char *const names[] = { "job_id",     "user?",     "gpu_type?",   "num_inst",
                                     "num_gpu",    "num_cpu?",  "submit_time", "duration",
                                     "wait_time?", "user_dur?", "group_dur?",  "group_gpu_dur?",
                                     NULL };

#define INSTANCES_MAX 1000000

/* One instance: only its total is known, so the placer may split it. Several: tasks. */
static void pai_size(const struct columns *c, struct job_row *job)
{
    int64_t instances = 1;
    if (cell_required(c->row, c->at[NUM_INST], c->err) != 0 ||
        cell_integer(c->row, c->at[NUM_INST], 1, INSTANCES_MAX, &instances, c->err) != 0)
        return;
    take_gpus(c, NUM_GPU, job);
    take_cpus(c, NUM_CPU, &job->cpu_milli);
    if (instances == 1)
        return;
    if (job->gpus * instances > GPUS_MAX)
        (void)cell_error(c->row, c->at[NUM_INST], "num_inst x num_gpu of at most 1000000", c->err);
    job->tasks = (uint32_t)instances;
    job->gpus *= job->tasks;
}

/* 0: not a whole number of up to 18 digits */
static int64_t number_of(const char *text, size_t length)
{
    bool is_number = length > 0 && length <= 18 && strspn(text, "0123456789") >= length;
    return is_number ? strtoll(text, NULL, 10) : 0;
}

static void pai_job(const struct columns *c, struct job_row *job)
{
    take_id(c, JOB_ID, job);
    if (job->job_id)
        job->tie = number_of(job->job_id, job->job_id_length);
    take_text(c, USER, &job->user, &job->user_length);
    take_text(c, GPU_TYPE, &job->gpu_type, &job->gpu_type_length);
    if (job->gpu_type && strcmp(job->gpu_type, "MISC") == 0)
        job->gpu_type_length = 0;
    pai_size(c, job);
    take_time(c, SUBMIT_TIME, &job->submit_ns);
    take_time(c, DURATION, &job->duration_ns);
}

const struct trace_format pai_sim_format = {
    .name = "pai-sim",
    .summary = "PAI-2020 simulator: "
               "job_id,user,gpu_type,num_inst,num_gpu,num_cpu,submit_time,duration,...",
    .columns = names,
    .job = pai_job,
};
