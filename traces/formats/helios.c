/* helios.c - cluster_log.csv of Helios (S-Lab-System-Group/HeliosData, SC'21): every job that Slurm
 * saw.
 *
 * start_time, end_time and queue are the past schedule and are not read, but for one thing: a job
 * with an empty start never ran and is left out. */
#include "traces/formats/dates.h"

enum {
    JOB_ID,
    USER,
    VC,
    GPU_NUM,
    CPU_NUM,
    NODE_NUM,
    STATE,
    SUBMIT_TIME,
    START_TIME,
    END_TIME,
    DURATION,
    QUEUE
};
static const char *const names[] = { "job_id",     "user?",     "vc",       "gpu_num",
                                     "cpu_num?",   "node_num?", "state",    "submit_time",
                                     "start_time", "end_time?", "duration", "queue?",
                                     NULL };

static void helios_job(const struct columns *c, struct job_row *job)
{
    int64_t start_ns;
    take_id(c, JOB_ID, job);
    take_text(c, USER, &job->user, &job->user_length);
    take_text(c, VC, &job->queue, &job->queue_length);
    take_slurm_size(c, GPU_NUM, CPU_NUM, NODE_NUM, job);
    take_slurm_state(c, STATE, job);
    take_date(c, SUBMIT_TIME, &job->submit_ns);
    if (take_date_if_any(c, START_TIME, &start_ns)) {
        take_time(c, DURATION, &job->duration_ns);
        take_start(c, start_ns, job);
    } else {
        skip_job(c);
    }
}

const struct trace_format helios_format = {
    .name = "helios",
    .summary =
        "Helios log: job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,...,duration,queue",
    .columns = names,
    .job = helios_job,
    .dated = true,
};
