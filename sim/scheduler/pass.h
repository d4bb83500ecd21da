/* pass.h - a pass of the policy: it is run, rolled back to a mark, and carried out as the difference. */
#pragma once
#include "sim/scheduler/stage.h"

bool pass_run(struct sched *s);                                           /* true: something changed */
