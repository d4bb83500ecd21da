/* depends.h - the dependencies of jobs of a log, which only SubmitLine has (--dependency).
 *
 * An entry names jobs by number: 12 is the job 12 or all tasks of the array 12, 12_3 a task. A
 * number that the log does not have counts as met, as for Slurm once it has forgotten the job;
 * after, afterany, afterok, afternotok and aftercorr (the task of the same index) are kept; `after`
 * with minutes and `singleton` (the log has no names of jobs) are left out and counted. A limit of
 * the tasks of an array is `limit:N:12`. A retry depends on the job that it retries, and on nothing
 * else any more. After
 * SchedMD/slurm:src/slurmctld/job_scheduler.c (update_job_dependency). */
#pragma once
#include "traces/slurm/log.h"

struct log_depends;
struct log_depends *log_depends_new(const struct slurm_log *log);
void log_depends_free(struct log_depends *d);    /* NULL: does nothing */
/* Of job k, in the words of the native format; valid until the next call. "": none. */
const char *log_depends_of(struct log_depends *d, struct slurm_log *log, uint32_t k);
