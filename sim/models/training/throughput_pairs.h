/* throughput_pairs.h - how fast two models train that share their GPUs, as somebody measured it: the pairs of a table of Gavel,
 * which are the other keys of an entry of throughputs.h: "('LM ...', 1)": [ 2.5, 3.1 ] are the steps per second of the entry and of LM.
 *
 * Speeds are relative to the rates alone of the same table, which are not always above: they are as measured here, and whoever
 * wants one that is at most 1 cuts it off. */
#pragma once
#include "sim/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct throughput_pairs;
struct throughput_pairs *throughput_pairs_read(const char *path, struct error *err);   /* NULL with err */
void throughput_pairs_free(struct throughput_pairs *p);      /* NULL: does nothing */
/* As of throughputs.h; INTERN_NONE: the table has none. */
uint32_t throughput_pairs_type(const struct throughput_pairs *p, const char *gpu_model);
uint32_t throughput_pairs_model(const struct throughput_pairs *p, const char *name);

struct trainee { uint32_t model, n_gpus; };
/* Of `a` beside `b`; 0: nobody measured that, or both did not run there together. */
double throughput_pairs_speed(const struct throughput_pairs *p, uint32_t type, struct trainee a, struct trainee b);
/* All of a type, each as often as the table has it: speeds of both. false: there is no k-th. */
bool throughput_pairs_at(const struct throughput_pairs *p, uint32_t type, size_t k, double speed[2]);
