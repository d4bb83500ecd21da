/* physics.h - the models of the physical world, each a const table of hooks (sim/engine/models.h).
 *
 * A model is one file that ends in one `const struct run_model`, and one line in the list of physics.c. */
#pragma once
#include "sim/engine/models.h"
#include "sim/results/summary_builder.h"

extern const struct run_model *const physics_models[];        /* all there are; ends with NULL. The order of every loop */
