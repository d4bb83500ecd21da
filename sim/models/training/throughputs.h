/* throughputs.h - measured training rates of models by type and number of GPUs.
 *
 * A table of Gavel (stanford-futuredata/gavel, OSDI'20, scheduler/..._throughputs.json), also as
 * gzip or zstd:
 *
 *     { "v100": { "('ResNet-18 (batch size 16)', 1)": { "null": 32.35,
 *                                                       "('LM ...', 1)": [ 2.5, 3.1 ], ... },
 *                 ... }, ... }
 *
 * "null" is the rate alone, in steps per second of the whole job on as many GPUs as in the key;
 * 0: it does not run there. The other keys are rates of two jobs on one GPU: throughput_pairs.h.
 * Type "v100_unconsolidated": on more nodes than needed.
 *
 * Or a folder of CSV files, which do not name the type of their GPUs.
 * ElasticFlow (pkusys/ElasticFlow:throughputs_A100): a file for each model, steps of the global
 * batch per second.
 *
 *     global_batch_size,1,2,4,...          numbers of GPUs; 0: it does not run there
 *     64,6.03,8.64,...
 *
 * Sia and Pollux (siasosp23/artifacts, petuum/adaptdl): a folder for each model, seconds of a step.
 *
 *     placements.csv    placement,local_bsz,step_time,...
 *                       112,...            one, one and two GPUs on three nodes
 *     scalability.csv   num_nodes,num_replicas,local_bsz,step_time,...
 *
 * A step of n replicas counts as n, as in the tables of Gavel. A row on more nodes than its GPUs
 * need, where the largest node of any row is the size of a node, is unconsolidated; of several such
 * rows those on the fewest nodes count, then the first. A model is called "NAME (batch size N)", N
 * as in the file. */
#pragma once
#include "sim/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct throughputs;
struct throughputs *throughputs_read(const char *path, struct error *err);   /* NULL with err */
void throughputs_free(struct throughputs *t);                /* NULL: does nothing */
/* -1 with err ("FILE: no GPU type 'x': want one of k80, p100, ..."). */
int throughputs_gpu(const struct throughputs *t, const char *name, uint32_t *gpu,
                    struct error *err);
/* Steps per second; 0: there is no entry, or it says 0. */
double throughputs_alone(const struct throughputs *t, uint32_t gpu, const char *model,
                         uint32_t n_gpus);

/* A file of Gavel, or a folder of rates on GPUs of type `gpu`, which must then be given. NULL with
 * err. */
struct throughputs *throughputs_read_any(const char *path, const char *gpu, struct error *err);
/* Makes a table monotone: on fewer nodes never slower than on more, and on more GPUs never slower
 * than on fewer. */
void throughputs_make_monotone(struct throughputs *t);

/* Numbers of types and models, for frequent queries; INTERN_NONE: not in the table. A type is a GPU
 * model of the catalogue up to its first '-', in lower case: "V100-SXM2-16" is v100. A model is
 * found like one of training_models.h; without a batch in its name, the first of its batches by
 * name. */
uint32_t throughputs_type(const struct throughputs *t, const char *gpu_model, bool consolidated);
uint32_t throughputs_model(const struct throughputs *t, const char *name);
/* as throughputs_alone() */
double throughputs_alone_at(const struct throughputs *t, uint32_t gpu, uint32_t model,
                            uint32_t n_gpus);
/* Steps per second on n_gpus; between two numbers of GPUs of the table a geometric interpolation;
 * beyond, or if it does not run there: 0. */
double throughputs_near(const struct throughputs *t, uint32_t gpu, uint32_t model, uint32_t n_gpus);

/* ---- For readers ---- */
/* "('LM (batch size 5)', 2)": a key as Python writes it; the model begins at key[2]. false: it is
 * none. */
bool throughputs_key(const char *key, size_t *model_length, int64_t *n_gpus);
struct throughputs *throughputs_new(const char *path);
void throughputs_add(struct throughputs *t, const char *gpu, const char *model, uint32_t n_gpus,
                     double steps_per_s);
/* ends the adding; of two equal keys the first counts */
void throughputs_added(struct throughputs *t);
