/* task_groups.h - private to the workload: jobs whose tasks differ (job_row.part), and their trees of groups.
 *
 * A group is named by its path from the root, "replica1/encoder"; "." is the root itself. A path with others below it is
 * an inner group: it has no tasks, and a row for it only to give it a level. */
#pragma once
#include "sim/world/workload.h"

#define GROUPS_MAX 1000    /* of a job, and rows of it */

struct group_trees;
struct group_trees *group_trees_new(void);
void group_trees_free(struct group_trees *t);    /* NULL: does nothing */
/* The tree (the same pointer for equal trees) and the parts that have tasks, in the order of tasks: by group, then as given. */
struct job_groups {
    size_t n_runs;
    const struct task_row **run;  /* [n_runs] */
    uint32_t *group_of;           /* [n_runs] */
    uint32_t min_tasks;           /* of all leaves */
    uint32_t n_groups;            /* 0: only the root */
    const struct task_group *group;
    uint8_t required_level, preferred_level;    /* of the root */
};
/* -1 with err. job_groups_free() in any case. */
int  job_groups_make(struct workload *w, const struct job_row *row, const char *file, struct job_groups *to, struct error *err);
void job_groups_free(struct job_groups *g);
