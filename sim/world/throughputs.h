/* throughputs.h - how fast models train, by type and number of GPUs: a table of Gavel (stanford-futuredata/gavel, OSDI'20,
 * scheduler/..._throughputs.json), also as gzip or zstd:
 *
 *     { "v100": { "('ResNet-18 (batch size 16)', 1)": { "null": 32.35, "('LM ...', 1)": [ 2.5, 3.1 ], ... }, ... }, ... }
 *
 * "null" is the rate alone, in steps per second of the whole job on as many GPUs as the key says; 0: it does not run
 * there. The rates of two jobs on one GPU, which are the other keys, are not kept. */
#pragma once
#include "sim/core/error.h"

#include <stdint.h>

struct throughputs;
struct throughputs *throughputs_read(const char *path, struct error *err);   /* NULL with err */
void throughputs_free(struct throughputs *t);                /* NULL: does nothing */
/* -1 with err ("FILE: no GPU type 'x': want one of k80, p100, ..."). */
int throughputs_gpu(const struct throughputs *t, const char *name, uint32_t *gpu, struct error *err);
/* Steps per second; 0: there is no entry, or it says 0. */
double throughputs_alone(const struct throughputs *t, uint32_t gpu, const char *model, uint32_t n_gpus);
