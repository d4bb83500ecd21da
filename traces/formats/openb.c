/* openb.c - pod lists of alibaba/clusterdata:cluster-trace-gpu-v2023 (ATC'23), times in seconds of
 * the trace.
 *
 * A pod is one task. num_gpu above one is whole GPUs; of one GPU the pod has gpu_milli. gpu_spec
 * "A|B" lists the types that it may have. Its service time is deletion - scheduled; a pod without a
 * scheduled_time never ran and is left out, unless only sizes matter. A pod in phase Running ran
 * when the trace ended and is taken for completed. qos[] is our reading of the classes:
 * latency-sensitive pods are services of high priority, best-effort pods are preempted first.
 *
 * The variants multigpu* end with gpu_milli: packing lists without times, which are accepted if
 * only sizes matter. */
#include "traces/formats/columns.h"

enum {
    NAME,
    CPU_MILLI,
    MEMORY_MIB,
    NUM_GPU,
    GPU_MILLI,
    GPU_SPEC,
    QOS,
    POD_PHASE,
    CREATION,
    DELETION,
    SCHEDULED
};
static const char *const names[] = {
    "name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli", "gpu_spec?", "qos?", "pod_phase?",
    "creation_time", "deletion_time", "scheduled_time", NULL
};
static const char *const names_without_times[] = {
    "name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli", "gpu_spec?", "qos?", "pod_phase?",
    "creation_time?", "deletion_time?", "scheduled_time?", NULL
};

static const char *const qos_words[] = { "LS", "BE", "Burstable", "Guaranteed", NULL };
static const struct { enum job_class class; int32_t priority; bool preemptible; } qos[] = {
    { CLASS_INFERENCE, 1, false }, { CLASS_BATCH, 0, true },
    { CLASS_TRAINING, 0, true }, { CLASS_TRAINING, 0, false },
};
static const char *const phase_words[] = { "Pending", "Running", "Succeeded",
                                           "Failed",  "Unknown", NULL };
enum { PHASE_FAILED = 3 };
#define CPU_MILLI_MAX (INT64_C(1000) * CPUS_MAX)
#define MEMORY_MAX    (INT64_C(1024) * GIB_MAX) /* MiB */

static void take_size(const struct columns *c, struct job_row *job)
{
    int64_t gpus = 0, milli = 0;
    if (cell_integer(c->row, c->at[CPU_MILLI], 0, CPU_MILLI_MAX, &job->cpu_milli, c->err) != 0 ||
        cell_integer(c->row, c->at[MEMORY_MIB], 0, MEMORY_MAX, &job->mem_mib, c->err) != 0 ||
        cell_required(c->row, c->at[NUM_GPU], c->err) != 0 ||
        cell_integer(c->row, c->at[NUM_GPU], 0, GPUS_MAX, &gpus, c->err) != 0)
        return;
    if (gpus == 1) {
        if (cell_required(c->row, c->at[GPU_MILLI], c->err) != 0 ||
            cell_integer(c->row, c->at[GPU_MILLI], 1, MILLI_ALL, &milli, c->err) != 0)
            return;
        job->gpu_milli = (uint32_t)milli;
    }
    job->gpus = (uint32_t)gpus;
    job->tasks = 1;
}

static void take_kind(const struct columns *c, struct job_row *job)
{
    size_t q, phase;
    if (has_value(c, QOS) && cell_word(c->row, c->at[QOS], qos_words, &q, c->err) == 0) {
        job->class = qos[q].class;
        job->priority = qos[q].priority;
        job->preemptible = qos[q].preemptible;
    }
    if (has_value(c, POD_PHASE) &&
        cell_word(c->row, c->at[POD_PHASE], phase_words, &phase, c->err) == 0 &&
        phase == PHASE_FAILED)
        job->fate = FATE_FAILED;
}

static void openb_job(const struct columns *c, struct job_row *job)
{
    int64_t scheduled_ns = 0, deleted_ns = 0;
    take_id(c, NAME, job);
    take_size(c, job);
    take_kind(c, job);
    take_text(c, GPU_SPEC, &job->gpu_type, &job->gpu_type_length);
    if (c->sizes_only)
        return;
    take_time(c, CREATION, &job->submit_ns);
    if (!has_value(c, SCHEDULED)) {
        skip_job(c);
        return;
    }
    take_time(c, SCHEDULED, &scheduled_ns);
    take_time(c, DELETION, &deleted_ns);
    if (deleted_ns < scheduled_ns)
        (void)cell_error(c->row, c->at[DELETION], "at least scheduled_time", c->err);
    job->duration_ns = deleted_ns - scheduled_ns;
}

static int openb_recognise(const char *head, size_t length)
{
    int sure = columns_recognise(names, head, length);
    return sure ? sure : columns_recognise(names_without_times, head, length);
}

static int openb_read(struct input *in, const char *const *value, struct workload *w,
                      struct error *err)
{
    (void)value;
    return columns_read(w->sizes_only ? names_without_times : names, openb_job, in, w, err);
}

const struct trace_format openb_format = {
    .name = "openb",
    .summary = "Alibaba 2023 pods: "
               "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,times",
    .recognise = openb_recognise,
    .read = openb_read,
};
