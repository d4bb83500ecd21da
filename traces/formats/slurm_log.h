/* slurm_log.h - what the job logs of Helios and Acme have in common: both are Slurm's accounting, as one site published
 * it.
 *
 * Of GPUs the total is read, so that the placer may split a job; node_num says on how many nodes it was, not what it
 * asked for. Only for a job without GPUs it is taken at its word, as many tasks with equal parts of the CPUs, because
 * otherwise all of them would have to fit one node. */
#pragma once
#include "traces/formats/columns.h"

/* COMPLETED, CANCELLED or FAILED; TIMEOUT and NODE_FAIL, very rare, are failures too, as the publishers count them. */
void take_state(const struct columns *c, unsigned column, struct job_row *job);
/* Sets gpus, tasks and cpu_milli. */
void take_slurm_size(const struct columns *c, unsigned gpu_num, unsigned cpu_num, unsigned node_num,
                     struct job_row *job);
