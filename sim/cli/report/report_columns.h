/* report_columns.h - which runs stand in one column of a page, and how the column is called.
 *
 * Directories of runs: runs side by side that differ in nothing but the seed (runs_group()). A
 * column is called by policy and placement; where several would be called the same, also by the
 * lines of their configuration that differ, else by their directory.
 *
 * A sweep: the points that differ in nothing but the seed, called by the parameters that differ
 * between columns, in the order of points.csv. Values that are all numbers are called "load = 0.8",
 * others by themselves; beside other columns also by the directory. A point that failed or has no result is left out, and a warning. */
#pragma once
#include "sim/base/error.h"
#include "sim/study/runset.h"

struct page_group {
    char *label;                  /* owned, as are run and directory */
    size_t n;
    const struct run_record **run;
    char *directory;              /* with the results of run[0]; NULL: a sweep that did not keep them */
    char **value;                 /* of a sweep: [columns.n_parameters], "" is none; else NULL */
};
struct report_columns {
    size_t n, capacity;
    struct page_group *group;
    size_t n_runs;
    size_t n_parameters;          /* of the sweep: those that differ between its columns */
    char **parameter;             /* NULL: the page is not about one sweep alone */
    size_t n_failed, failed_capacity;
    char **failed;                /* why a point is left out */
    size_t n_sets, sets_capacity;
    struct runset **set;          /* owners of the runs */
};

int  report_columns_read(struct report_columns *c, const char *const *path, size_t n,
                  struct error *err);
void report_columns_free(struct report_columns *c);
