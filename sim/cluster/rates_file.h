/* rates_file.h - sections `progress` and `fabric` and the list `models` of a cluster file: training
 * models, and their rates on placements of this cluster. Their keys are those of the models
 * (rate_rules.h, training_models.h); what is checked here is that the cluster has what the rates
 * need to know: the links of every group, and nodes of the reference GPU model. */
#pragma once
#include "sim/cluster/cluster.h"
#include "sim/io/config.h"

/* Each may be absent. Files that they name lie in `folder`. 0, or -1 with err. */
int rates_read(struct config_value progress, struct config_value fabric,
               struct config_value models, const char *folder, struct cluster *c,
               struct error *err);
