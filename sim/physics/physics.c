/* physics.c - see physics.h. */
#include "sim/physics/physics.h"
#include "sim/engine/state.h"

#define LISTED(name) &name,
const struct run_model *const physics_models[] = { PHYSICS_MODELS(LISTED) NULL };
_Static_assert((int)PLACES <= (int)MODELS_MOST, "struct sched has room for them");
