/* pass.h - a pass of the policy: it is run, rolled back to a mark, and carried out as the difference. */
#pragma once
#include "sim/scheduler/stage.h"

bool pass_run(struct sched *s);                                           /* true: something changed */

/* pencil.c - what a pass only thinks of */
void pencil_undo(struct sched *s);
void pencils_erase(struct sched *s);                                      /* at the end of a pass: as if they had not been */
