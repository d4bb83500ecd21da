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
    const char *configuration;    /* all that was configured, names of files too; NULL: not known, of runset_describe() alone */
    const char *policy_name, *placement_name;    /* of runset_describe() alone: without parameters; NULL: not known */
    int64_t seed;                 /* INT64_MIN: not known, of runset_describe() alone */
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
/* What is known of the runs at these directories, for pictures: without metrics, and what no manifest.json says is NULL. */
struct runset *runset_describe(char *const *directory, size_t n);
void runset_free(struct runset *s);                           /* NULL: does nothing */
const struct run_metric *run_metric_find(const struct run_record *r, const char *metric, const char *scope);   /* NULL: none */

/* Which run is the counterpart of which: runs under the same circumstances, once in each set; where its own set has several, that of the same
 * policy and placement, or of one of them. pair[i] is the run of b for a's i-th. -1 with
 * err: a run without one, or with several; so sets that do not match are never compared. */
int runset_pair(const struct runset *a, const struct runset *b, size_t *pair, struct error *err);
bool runs_are_counterparts(const struct run_record *a, const struct run_record *b);    /* the same circumstances */

/* Which runs share their draw of jobs, so that they vary together: those of one seed. If all have one seed, those that replay
 * the same part of the same trace; workload files draw from the same streams then, and are one. cluster[i]: that of run i, numbered from 0 in
 * the order of their first runs. Returns how many there are. */
size_t runs_cluster(const struct run_record *const *run, size_t n, size_t *cluster);

/* ---- Replications ----
 *
 * Runs are alike if policy, placement and all else that was configured are the same, but for the seed and how many jobs were
 * drawn with it. runs_replicate() asks that alone: what is learned of such runs may be averaged.
 *
 * runs_group() is for tables and pictures that show a mean with an interval. It wants runs side by side in one directory, of
 * one policy and placement, with different seeds; what else differs is then taken to be drawn with the seed, such as a trace
 * of each seed. Where two runs of one policy and placement stand there with the same seed, they differ in something else: then
 * only runs that are alike are a group, and one that repeats a seed is none of it. */
bool runs_replicate(const struct run_record *a, const struct run_record *b);
/* group[i]: the group of run i, numbered from 0 in the order of their first runs. Returns how many groups there are. */
size_t runs_group(const struct run_record *const *run, size_t n, size_t *group);
/* Of a path, up to and with the slash before its last name; 0: it has one name. */
size_t run_parent_length(const char *path);
