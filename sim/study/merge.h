/* merge.h - the shards of one sweep joined into the files of the unsharded sweep.
 *
 * Refused are directories of another experiment, other inputs or another version, points without
 * a result, and points with two different results. If a point failed in one shard and succeeded
 * in another, the successful result counts. */
#pragma once
#include "sim/base/error.h"

#include <stdbool.h>
#include <stddef.h>

struct merged { size_t points, failed; };
/* Writes points and tables to the directory `to`, which is made if needed. Unless `force` it may
 * have no results of another experiment and no such files of another program. 0, or -1 with
 * err. */
int merge_shards(const char *const *directory, size_t n, const char *to, bool force,
                 struct merged *count, struct error *err);
/* The name of the experiment of a sweep directory, for a default output; the caller frees it.
 * NULL with err. */
char *merge_name(const char *directory, struct error *err);
