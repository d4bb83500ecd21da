/* throughput_pairs.h - measured speeds of two models that share their GPUs: the pairs of a table of
 * Gavel, which are the other keys of an entry of throughputs.h: "('LM ...', 1)": [ 2.5, 3.1 ] are
 * the steps per second of the entry and of LM.
 *
 * Speeds are relative to the rates alone of the same table. A measured speed may exceed 1; callers
 * limit it where they must. */
#pragma once
#include "sim/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct throughput_pairs;
/* NULL with err */
struct throughput_pairs *throughput_pairs_read(const char *path, struct error *err);
void throughput_pairs_free(struct throughput_pairs *p);      /* NULL: does nothing */
/* As of throughputs.h; INTERN_NONE: the table has none. */
uint32_t throughput_pairs_type(const struct throughput_pairs *p, const char *gpu_model);
uint32_t throughput_pairs_model(const struct throughput_pairs *p, const char *name);

struct trainee { uint32_t model, n_gpus; };
/* Of `a` beside `b`; 0: not measured, or both did not run together. */
double throughput_pairs_speed(const struct throughput_pairs *p, uint32_t type, struct trainee a,
                              struct trainee b);
/* Speeds of the k-th pair of a type, in the order of the table. false: there is no k-th. */
bool throughput_pairs_at(const struct throughput_pairs *p, uint32_t type, size_t k,
                         double speed[2]);
