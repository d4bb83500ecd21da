/* dlrm.c - instances of recommendation services (alibaba/clusterdata:cluster-trace-gpu-v2025),
 * times in seconds of the trace, which shows a window of 31 days.
 *
 * An empty creation_time: the instance is older than the window and is submitted at 0. An empty
 * deletion_time: it outlives the window and ends with it. The service time is deletion - scheduled.
 * All instances are inference of high priority that is not preempted; the application is the user.
 * RDMA, disk, limits and max_instance_per_node are not read. */
#include "traces/formats/columns.h"

enum { INSTANCE_SN, APP_NAME, CPU, GPU, MEMORY, CREATION, SCHEDULED, DELETION };
static const char *const names[] = {
    "instance_sn", "app_name", "cpu_request", "gpu_request", "memory_request", "creation_time",
    "scheduled_time", "deletion_time", NULL
};
#define WINDOW_NS (INT64_C(31) * 86400 * NS_PER_S)

static void take_time_or(const struct columns *c, unsigned column, int64_t otherwise, int64_t *ns)
{
    *ns = otherwise;
    (void)cell_time(c->row, c->at[column], 0, ns, c->err);
}

static void dlrm_job(const struct columns *c, struct job_row *job)
{
    int64_t scheduled_ns, deleted_ns;
    take_id(c, INSTANCE_SN, job);
    take_text(c, APP_NAME, &job->user, &job->user_length);
    take_gpus(c, GPU, job);
    take_cpus(c, CPU, &job->cpu_milli);
    (void)cell_decimal(c->row, c->at[MEMORY], 1024, 0, INT64_C(1024) * GIB_MAX, &job->mem_mib,
                       c->err);
    take_time_or(c, CREATION, 0, &job->submit_ns);
    take_time_or(c, SCHEDULED, job->submit_ns, &scheduled_ns);
    take_time_or(c, DELETION, WINDOW_NS, &deleted_ns);
    if (deleted_ns < scheduled_ns)
        (void)cell_error(c->row, c->at[DELETION], "at least scheduled_time, within 31 days",
                         c->err);
    job->duration_ns = deleted_ns - scheduled_ns;
    job->tasks = 1;
    job->class = CLASS_INFERENCE;
    job->priority = 1;
    job->preemptible = false;
}

const struct trace_format dlrm_format = {
    .name = "dlrm",
    .summary = "Alibaba 2025 inference: "
               "instance_sn,app_name,cpu_request,gpu_request,memory_request,times,...",
    .columns = names,
    .job = dlrm_job,
    .distinct = true, /* no other has instance_sn and app_name */
};
