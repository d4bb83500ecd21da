/* pai_tasks.h - pai_task_table of PAI-2020 (alibaba/clusterdata:cluster-trace-gpu-v2020, README.md), CSV without a header,
 * plain, gzip or zstd: of each job, its largest role and when the first of its roles was launched.
 *
 *     job_name,task_name,inst_num,status,start_time,end_time,plan_cpu,plan_mem,plan_gpu,gpu_type
 *
 * plan_cpu and plan_gpu are percent of a core and of a GPU, for each of inst_num instances; above one GPU what is no whole
 * number is rounded up. The largest role is the one with the most GPUs in all, then the most CPUs, then the first of the
 * file: the others (parameter servers beside workers) are left out, for a job here is tasks that are alike. */
#pragma once
#include "sim/base/error.h"
#include "sim/workload/workload.h"

struct pai_tasks;
struct pai_tasks *pai_tasks_read(const char *path, struct error *err);   /* NULL with err */
void pai_tasks_free(struct pai_tasks *t);                    /* NULL: does nothing */
/* Sets gpus, gpu_milli, tasks, cpu_milli, mem_mib and gpu_type, and when it was launched: -1, never. false: it has no role. */
bool pai_tasks_of(const struct pai_tasks *t, const char *job_name, size_t length, struct job_row *job, int64_t *launch_ns);
