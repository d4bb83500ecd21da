/* clocks.h - the clocks of nodes, for models that want them lower: clocks.c says what they do. */
#pragma once
#include "sim/engine/state.h"

/* What the clock of each node [n_nodes] is to be. The model that keeps caps fills in all of it, none
 * above that of the node's group, and lets it take effect. There is one such model in a run. */
double *clocks_next(struct sched *s);
void    clocks_take_effect(struct sched *s);
