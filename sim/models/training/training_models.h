/* training_models.h - facts about models that jobs train: computation and communication of an
 * iteration.
 *
 * models.md 2.3. Defaults, not limits: section `models` of a cluster file adds to them; an entry
 * starts from the model it is `like`, or from the one of the same name, which it then replaces:
 *
 *     models:
 *       - { name: my-net, like: VGG-16, batch: 64, compute_s: 0.3, gradient_mb: 600,
 *           aliases: [mine, my-net-v2] }
 *       - { name: LM, progress: table } */
#pragma once
#include "sim/io/config.h"
#include "sim/models/training/parallelism.h"

#include <stdbool.h>
#include <stdint.h>

/* How the progress rate of a job on its placement is found; models.md 2. */
enum rate_model {
    RATE_OFF,                    /* the rate of the trace: 1 */
    RATE_ANALYTIC,  /* computing and collectives, 2.1 to 2.5; wants the training model */
    RATE_TABLE,                   /* measured throughputs, 2.6; analytic where the table has none */
    RATE_FACTOR,                  /* speed of the GPU x a factor for the distance, 2.7 */
    RATE_PARALLEL,                /* tensor, pipeline, ... traffic each on its links, 2.8; in place of
                                     analytic where the cluster asks for it and the model says how */
    RATE_MODELS
};
extern const char *const rate_model_name[RATE_MODELS + 1];   /* ends with NULL */
extern const char *const rate_model_choice[];     /* those that a file may ask for; ends with NULL */

struct training_model {
    const char *name;
    const char *aliases;          /* other names, with '|' between; NULL: none */
    double params;                /* number of them */
    double gradient_bytes;        /* that data-parallel workers reduce in an iteration: of the whole
                                     model */
    double batch;                 /* samples (of language models: tokens) of a GPU in an iteration;
                                     of the whole job with global_batch. 0: not given */
    double compute_s;             /* of an iteration on a V100, without communication; with
                                     global_batch on a single one that does it all */
    double fixed_share;           /* of compute_s, which any batch takes; the rest grows with the batch */
    double input_cpu_s;           /* of CPUs, for the input of an iteration of a GPU; of the whole
                                     job with global_batch. 0: CPUs do not matter */
    bool   global_batch;  /* the batch is the whole job's: more GPUs, less to compute for each */
    double all_to_all_bytes;      /* that each GPU sends to all others in an iteration; 0: none */
    uint32_t tensor_parallel, pipeline_parallel;     /* GPUs that share one copy of the model; 1:
                                                        none do */
    struct parallelism parallel;  /* tp 0: none is known */
    double memory_gib;  /* of each GPU, measured; 0: by the rule of training_model_memory_gib() */
    uint8_t progress;  /* 1 + the enum rate_model of jobs that train it; 0: that of the cluster */
    const char *communication;    /* class, in a word */
    const char *source;           /* where the numbers are from, as in catalogue.c */
};
extern const struct training_model training_catalogue[];     /* ends with a NULL name */

/* The models of a file, then the catalogue. NULL: the catalogue alone. */
struct training_models;
struct training_models *training_models_new(void);
void training_models_free(struct training_models *t);        /* NULL: does nothing */
/* A list of mappings. 0, or -1 with err. */
int training_models_read(struct training_models *t, struct config_value list, struct error *err);
/* By name or alias; case, '-', '_' and ' ' do not count, and a part in brackets at its end does
 * not, unless that is in the name: "resnet50" is ResNet-50. "(batch size 32)", as Gavel writes it,
 * says the batch, with which all of compute_s but its fixed share grows. false: not known. */
bool training_model_find(const struct training_models *t, const char *name,
                         struct training_model *found);
/* but for case, '-', '_' and ' ' */
bool training_names_same(const char *a, size_t a_length, const char *b);

/* Measured, or 16 bytes for each parameter that the GPU holds: weight and gradient in FP16 (4),
 * weight and two moments of Adam in FP32 (12); activations are not included, as they are
 * unknown. */
double training_model_memory_gib(const struct training_model *m);
