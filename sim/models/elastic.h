/* elastic.h - section `elastic` of a cluster file: the progress rates of jobs that may have several
 * sizes.
 *
 *     elastic:
 *       scaling: goodput        # or linear: in proportion to the GPUs
 *       restart_s: 30           # overhead of a resize; default: that of the job's model, else
 *                               # restart_s of preemption
 *       noise_steps: 20
 *       reference_gpu: A100     # of trace times; default: the first GPU model of the cluster that
 *                               # has a fit
 *       models:                 # added to those of goodput.c, or changes of them
 *         bert:
 *           { batch: 12, max_batch: 384, first_noise: 200, last_noise: 800, restart_s: 120,
 *             gpus: { H100: { grad_s: .05, grad_s_per_sample: .002, across_s: .04,
 *                             across_s_per_replica: .004, within_s: .03,
 *                             within_s_per_replica: .007, overlap: 2, min_local: 4,
 *                             max_local: 48 } } }
 *
 * A job without a model, or without a fit for its GPUs, or with shares of GPUs, scales linearly, and
 * a run says how many did. */
#pragma once
#include "sim/base/memory.h"
#include "sim/io/config.h"
#include "sim/models/training/goodput.h"
#include "sim/models/training/training_models.h"

enum { SCALING_GOODPUT, SCALING_LINEAR };
struct elastic {
    bool given;
    int scaling;
    int64_t restart_ns;           /* -1: not given */
    uint32_t noise_steps;         /* the work of a job has so many equal steps; its noise is that of
                                     the middle of the step [A]. With 20 and a noise that grows
                                     tenfold, a rate is off by at most 6 % for a moment, and a run
                                     time by less than 0.1 % */
    const char *reference_gpu;    /* NULL: not given */
    const struct goodput_model *model;    /* of the file; a NULL name ends both */
    const struct goodput_fit *fit;
};
#define ELASTIC_DEFAULT { .restart_ns = -1, .noise_steps = 20 }
/* Allocates in `memory`. -1 with err. */
int elastic_read(struct config_value section, struct elastic *to, struct arena *memory,
                 struct error *err);
/* NULL: none. By its name, or by another name of the same training model: "ResNet-50" is imagenet. */
const struct goodput_model *elastic_model(const struct elastic *e,
                                          const struct training_models *known, const char *name);
/* Whether a GPU model is called so, or is a variant: an A100-SXM4-80 is an A100. Case does not
 * count. */
bool elastic_gpu_is(const char *gpu_model, const char *called);
/* NULL: none. A fit of that very name before one of which the GPU model is a variant. */
const struct goodput_fit *elastic_fit(const struct elastic *e, const char *model, const char *gpu);
