/* contrast.h - runs and their counterparts, and what is said of a metric over all of them.
 *
 * `gpuyard compare` and the columns of a report take their numbers from here. */
#pragma once
#include "sim/study/runset.h"
#include "sim/study/verdict.h"

struct contrast {
    size_t n, clusters;
    const struct run_record **base, **new;    /* [n] each, pair by pair */
    size_t *cluster;                          /* [n], of runs_cluster() */
};
/* Of two sets, by runset_pair(). NULL with err: they do not match. */
struct contrast *contrast_of_sets(const struct runset *base, const struct runset *new,
                                  struct error *err);
/* Of two lists of runs. NULL: they are not the same number, or one has not a single counterpart. */
struct contrast *contrast_of_runs(const struct run_record *const *base, size_t n,
                                  const struct run_record *const *new, size_t n_new);
void contrast_free(struct contrast *c);                       /* NULL: does nothing */

/* 0: *to is filled. -1: *lacks, the path of a run, has no such value. */
struct measure {
    const char *metric, *scope;
    enum better better;
    double margin, level;
    unsigned resamples;
};
int contrast_measure(const struct contrast *c, const struct measure *m, struct comparison *to,
                     const char **lacks);
