/* pod_sets.h - private to the workload: pod sets of topology-aware scheduling (struct pod_set in
 * sim/contract/placement.h), from the texts of a trace.
 *
 * Slices are "LEVEL:TASKS;...", the outermost first: so many tasks of the set within one such
 * domain, LEVEL being a node, an island across nodes or a level above. Each layer is finer than the
 * one before, its size divides that, and the tasks are whole slices. A job of one run has the
 * levels of the job; of a job of several runs each is a pod set if each is a group of its own just
 * below the job, and the job itself asks for no level. Two runs with one podset_group are workers
 * and leader: one of them, the leader, is a single task without slices; both ask for the same
 * level. */
#pragma once
#include "sim/workload/task_groups.h"

struct pod_sets;
struct pod_sets *pod_sets_new(void);
void pod_sets_free(struct pod_sets *t);    /* NULL: does nothing */

/* false: slices are not from coarse to fine, the first at the level of the topology or below it. */
bool pod_sets_map_levels(struct pod_sets *t, const level_map map);
/* The set of a job of one run; *set NULL: it says nothing. 0, or -1 with err. */
int pod_set_of_job(struct workload *w, const struct job_row *row, const char *file, size_t line,
                   const struct pod_set **set, struct error *err);
/* Those of run[n], rows of a job: set[i], NULL unless `alone`, each is a group of its own. */
int pod_sets_of_runs(struct workload *w, const struct task_row *const *run, size_t n, bool alone,
                     const char *file, const struct pod_set **set, struct error *err);
