/* slurm_log.c - see slurm_log.h. */
#include "traces/formats/slurm_log.h"

#define NODES_MAX 1000000

void take_state(const struct columns *c, unsigned column, struct job_row *job)
{
    static const char *const states[] = { "COMPLETED", "CANCELLED", "FAILED", "TIMEOUT", "NODE_FAIL", NULL };
    static const enum job_fate fates[] = { FATE_COMPLETED, FATE_CANCELLED, FATE_FAILED, FATE_FAILED, FATE_FAILED };
    size_t state;
    if (cell_word(c->row, c->at[column], states, &state, c->err) == 0)
        job->fate = fates[state];
}

void take_slurm_size(const struct columns *c, unsigned gpu_num, unsigned cpu_num, unsigned node_num,
                     struct job_row *job)
{
    int64_t nodes = 1; /* as a decimal: pandas writes 8.0 where a column has gaps */
    take_gpus(c, gpu_num, job);
    take_cpus(c, cpu_num, &job->cpu_milli);
    if (c->at[node_num] == TABLE_NO_COLUMN ||
        cell_decimal(c->row, c->at[node_num], 1, 1, NODES_MAX, &nodes, c->err) != 0 || job->gpus || nodes == 1)
        return;
    job->tasks = (uint32_t)nodes;
    job->cpu_milli = (job->cpu_milli + nodes - 1) / nodes;
}
