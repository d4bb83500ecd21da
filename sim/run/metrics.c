/* metrics.c - every metric there is: those of each run, those of the models, quantiles that a run is asked for. */
#include "sim/physics/physics.h"
#include "sim/results/quantiles.h"

#include <string.h>

const struct metric_kind *metric_find(const char *name)
{
    for (const struct metric_kind *m = metric_kinds; m->name; m++)
        if (!strcmp(m->name, name))
            return m;
    for (const struct run_model *const *of = physics_models; *of; of++)
        for (const struct metric_kind *m = (*of)->metrics; m && m->name; m++)
            if (!strcmp(m->name, name))
                return m;
    return quantile_find(name);
}
