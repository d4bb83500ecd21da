/* asked_levels.h - private to the workload: levels of a topology that jobs ask for by names of a
 * cluster.
 *
 * A trace is read without a cluster. A word of every cluster is its enum level at once; any other
 * name is LEVEL_NAMED + its number, with the place where it was first used, until
 * workload_bind_levels() puts the level of the cluster there. At most LEVEL_NAMES_MOST of them. */
#pragma once
#include "sim/workload/workload.h"

enum { LEVEL_NAMED = LEVEL_ANY + 1, LEVEL_NAMES_MOST = 200 };

struct asked_levels;
struct asked_levels *asked_levels_new(void);
void asked_levels_free(struct asked_levels *a);    /* NULL: does nothing */
