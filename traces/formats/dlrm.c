/* dlrm.c - instances of recommendation services (alibaba/clusterdata:cluster-trace-gpu-v2025), times in seconds of the
 * trace, which shows a window of 31 days.
 *
 * An empty creation_time means that the instance was there before the window: it is submitted at 0. An empty
 * deletion_time means that it outlived it: it stays until the window ends. In between its service time is
 * deletion - scheduled. All are inference, of high priority, and no one's to preempt; the application is the user.
 * RDMA, disk, limits and max_instance_per_node are not read. */
#include "traces/formats/columns.h"

/* clang-format off */
enum { INSTANCE_SN, APP_NAME, CPU, GPU, MEMORY, CREATION, SCHEDULED, DELETION };
static const char *const names[] = { "instance_sn", "app_name", "cpu_request", "gpu_request", "memory_request",
                                     "creation_time", "scheduled_time", "deletion_time", NULL };
/* clang-format on */
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
    (void)cell_decimal(c->row, c->at[MEMORY], 1024, 0, INT64_C(1024) * GIB_MAX, &job->mem_mib, c->err);
    take_time_or(c, CREATION, 0, &job->submit_ns);
    take_time_or(c, SCHEDULED, job->submit_ns, &scheduled_ns);
    take_time_or(c, DELETION, WINDOW_NS, &deleted_ns);
    if (deleted_ns < scheduled_ns)
        (void)cell_error(c->row, c->at[DELETION], "at least scheduled_time, within 31 days", c->err);
    job->duration_ns = deleted_ns - scheduled_ns;
    job->tasks = 1;
    job->class = CLASS_INFERENCE;
    job->priority = 1;
    job->preemptible = false;
}

static int dlrm_recognise(const char *head, size_t length)
{
    return columns_recognise(names, head, length) ? 2 : 0; /* no other has an instance_sn and an app_name */
}

static int dlrm_read(struct input *in, struct workload *w, struct error *err)
{
    return columns_read(names, dlrm_job, in, w, err);
}

const struct trace_format dlrm_format = {
    .name = "dlrm",
    .summary = "Alibaba 2025 inference: instance_sn,app_name,cpu_request,gpu_request,memory_request,times,...",
    .recognise = dlrm_recognise,
    .read = dlrm_read,
};
