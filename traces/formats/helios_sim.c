/* helios_sim.c - the job list of the Helios simulator (S-Lab-System-Group/HeliosArtifact, SC'21):
 * one line a job, times in seconds, a virtual cluster for each. */
#include "traces/formats/columns.h"

enum { JOBNAME, VC, GPU_NUM, SUBMIT_TIME, DURATION };
static const char *const names[] = { "jobname", "vc", "gpu_num", "submit_time", "duration", NULL };

static void helios_job(const struct columns *c, struct job_row *job)
{
    take_id(c, JOBNAME, job);
    take_text(c, VC, &job->queue, &job->queue_length);
    take_gpus(c, GPU_NUM, job);
    take_time(c, SUBMIT_TIME, &job->submit_ns);
    take_time(c, DURATION, &job->duration_ns);
}

const struct trace_format helios_sim_format = {
    .name = "helios-sim",
    .summary = "Helios simulator: jobname,vc,gpu_num,submit_time,duration",
    .columns = names,
    .job = helios_job,
};
