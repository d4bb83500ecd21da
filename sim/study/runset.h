/* runset.h - results of runs, read back: what was run and what came of it.
 *
 * A path is the directory of a run (it holds manifest.json and summary.csv), a directory of such directories, looked at in
 * the order of their names, or the directory of a sweep. */
#pragma once
#include "sim/base/error.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct run_metric { const char *metric, *scope; double value; };   /* NaN: it has no value */
struct run_record {
    const char *path;
    const char *policy, *placement;    /* as given: "easy:depth=2" */
    const char *circumstances;    /* all else that was configured: inputs by their SHA-256, seed, settings; lines of YAML */
    int64_t seed;
    size_t n;
    struct run_metric *metric;    /* in the order of summary.csv */
};
struct runset { size_t n; struct run_record *run; struct arena *memory; };

/* The runs at a path, by name; 0: none. run_directories_free() in any case. */
size_t run_directories(const char *path, char ***list);
void run_directories_free(char **list, size_t n);
struct runset *runset_read(const char *path, struct error *err);   /* NULL with err: no run, or one that is not whole */
/* Only those points of a sweep for which all hold: "policy=fifo", a column of its points.csv and what it says there. */
struct runset *runset_read_where(const char *path, const char *const *where, size_t n, struct error *err);
/* Of a sweep's DIRECTORY, the one point with this key, called `name` in messages. NULL with err: it has no result, or failed. */
struct runset *runset_of_point(const char *directory, const char *name, const char *key, struct error *err);
void runset_free(struct runset *s);                           /* NULL: does nothing */
const struct run_metric *run_metric_find(const struct run_record *r, const char *metric, const char *scope);   /* NULL: none */

/* Who is whose counterpart: runs under the same circumstances, once in each set; where its own set has several, that of the same
 * policy and placement, or of one of them. pair[i] is the run of b for a's i-th. -1 with
 * err: a run without one, or with several; so sets that do not match are never compared. */
int runset_pair(const struct runset *a, const struct runset *b, size_t *pair, struct error *err);
/* They differ in the seed alone, and in how many jobs were drawn with it. */
bool runs_replicate(const struct run_record *a, const struct run_record *b);
