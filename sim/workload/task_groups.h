/* task_groups.h - private to the workload: jobs of unequal tasks (job_row.part), and their trees
 * of groups.
 *
 * A group is named by its path from the root, "replica1/encoder"; "." is the root itself. A path
 * with others below it is an inner group: it has no tasks, and a row of it only sets its level. */
#pragma once
#include "sim/workload/workload.h"

#define GROUPS_MAX 1000    /* of a job, and rows of it */

struct group_trees;
struct group_trees *group_trees_new(void);
void group_trees_free(struct group_trees *t);    /* NULL: does nothing */
/* The level that replaces each one. */
typedef uint8_t level_map[UINT8_MAX + 1];
void group_trees_map_levels(struct group_trees *t, const level_map map);
/* The shape of a job of parts, by group and then as given, and its minimum of tasks. `common`: the
 * part that all its tasks share. 0, or -1 with err. */
int task_groups_shape(struct workload *w, const struct job_row *row, struct shape common,
                      const char *file, shape_id *shape, uint32_t *min_tasks, struct error *err);
