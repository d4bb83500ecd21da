/* merge.h - shards of one sweep, joined: the same files as of a sweep that was never parted.
 *
 * Directories of another experiment, other inputs or another version are refused, and so are points without a result and points
 * with two results that differ. Where one shard failed at a point that another has done, the result counts. */
#pragma once
#include "sim/base/error.h"

#include <stddef.h>

struct merged { size_t points, failed; };
/* to: made if need be; its points and tables are written. 0, or -1 with err. */
int merge_shards(const char *const *directory, size_t n, const char *to, struct merged *came, struct error *err);
/* The name of the experiment in a directory of a sweep, for a place to merge to; free() it. NULL with err. */
char *merge_name(const char *directory, struct error *err);
