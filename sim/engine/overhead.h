/* overhead.h - what starting, stopping and saving a job take. models.md 3.2, 3.3.
 *
 * The cluster's section `preemption` sets it (sim/models/overhead.h); a job may bring values of its own. A start by parts is
 * t_start = t_pull + t_init + t_load: pulling the image is a model's (models_pull_ns()), initialising and loading the checkpoint
 * are computed here. All are ns during which a job holds its GPUs without progress. */
#pragma once
#include "sim/engine/state.h"

void overheads_begin(struct sched *s);                        /* once, before the models */
int64_t checkpoint_model_bytes(const struct cluster *c, const char *name);    /* of a model; -1: it is not known */
int64_t checkpoint_bytes(const struct sched *s, job_id j);    /* of a checkpoint of j; -1: of its model, which has none */

int64_t start_cost_ns(const struct sched *s, struct live *l, const struct placement *on, bool first);
int64_t start_expected_ns(const struct sched *s, job_id j, bool first);   /* on one node that has its image */
