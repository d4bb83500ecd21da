/* physics.h - the models of the physical world, each a const table of hooks (sim/engine/models.h).
 *
 * A model is one file that ends in one `const struct run_model` with `.place = PLACE_OF(its name)`, and one line in this list. */
#pragma once
#include "sim/engine/models.h"
#include "sim/results/summary_builder.h"

/* In this order: models that lengthen a start-up, models that set the pace of a job, models that depend on it. */
#define PHYSICS_MODELS(M)                                                                                                \
    M(flows_model)                                                                                                     \
    M(mig_model)                                                                                                       \
    M(rates_model)                                                                                                     \
    M(parallel_model)                                                                                                  \
    M(input_model)                                                                                                     \
    M(elastic_jobs_model)                                                                                              \
    M(sessions_model)                                                                                                  \
    M(sharing_model)                                                                                                   \
    M(slow_model)                                                                                                      \
    M(storage_links_model)                                                                                             \
    M(reading_model)                                                                                                   \
    M(images_model)                                                                                                    \
    M(checkpoints_model)                                                                                               \
    M(clocks_model)                                                                                                    \
    M(power_rows_model)                                                                                                \
    M(energy_model)                                                                                                    \
    M(bill_model)                                                                                                      \
    M(power_caps_model)                                                                                                \
    M(fault_model)                                                                                                     \
    M(spares_model)                                                                                                    \
    M(sleep_model)                                                                                                     \
    M(pools_model)                                                                                                     \
    M(pools_down_model)                                                                                                \
    M(kv_links_model)                                                                                                  \
    M(services_model)                                                                                                  \
    M(deadlines_model)                                                                                                 \
    M(time_limits_model)                                                                                               \
    M(reservations_model)                                                                                              \
    M(quota_times_model)

#define PLACE_OF(name) PLACE_##name,
enum { PLACE_FREE, PHYSICS_MODELS(PLACE_OF) PLACES };     /* PLACE_FREE: of a model that is in no list; one a run */
#undef PLACE_OF
#define PLACE_OF(name) PLACE_##name

#define MODEL_DECLARED(name) extern const struct run_model name;
PHYSICS_MODELS(MODEL_DECLARED)
#undef MODEL_DECLARED

extern const struct run_model *const physics_models[];        /* all there are; ends with NULL. The order of every loop */
