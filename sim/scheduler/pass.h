/* pass.h - a pass of the policy: it is run, rolled back to a mark, and carried out.
 *
 * A pass is carried out as the difference between before and after, so a job that is stopped and started on the same pieces never
 * stopped. */
#pragma once
#include "sim/scheduler/stage.h"

bool pass_run(struct sched *s);                                           /* true: something changed */
