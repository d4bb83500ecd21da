/* physics.c - the list of models of the physical world. A new model is a file of this folder and a line here. */
#include "sim/physics/physics.h"
#include "sim/engine/state.h"

/* In this order: models that lengthen a start-up, models that set the pace of a job, models that depend on it. */
#define EACH_MODEL(M)                                                                                                  \
    M(flows_model)                                                                                                     \
    M(mig_model)                                                                                                       \
    M(rates_model)                                                                                                     \
    M(elastic_jobs_model)                                                                                              \
    M(sessions_model)                                                                                                  \
    M(sharing_model)                                                                                                   \
    M(storage_links_model)                                                                                             \
    M(reading_model)                                                                                                   \
    M(images_model)                                                                                                    \
    M(checkpoints_model)                                                                                               \
    M(energy_model)                                                                                                    \
    M(bill_model)                                                                                                      \
    M(power_caps_model)                                                                                                \
    M(fault_model)                                                                                                     \
    M(sleep_model)                                                                                                     \
    M(pools_model)                                                                                                     \
    M(pools_down_model)                                                                                                \
    M(services_model)                                                                                                  \
    M(deadlines_model)
#define DECLARED(name) extern const struct run_model name;
#define LISTED(name)   &name,
EACH_MODEL(DECLARED)
const struct run_model *const physics_models[] = { EACH_MODEL(LISTED) NULL };
_Static_assert(sizeof physics_models / sizeof physics_models[0] <= MODELS_MOST + 1, "struct sched has room for them");
