/* runs.h - what the runs of a plot are called, which of them are replications, and the time that
 * they share. */
#pragma once
#include "sim/cli/plot/kind.h"
#include "sim/study/series.h"

/* Labels and groups of the runs at these directories. Runs that one sweep kept are called by the
 * parameters that differ (design.h), and are a group if they differ in the seed alone; others by
 * policy and placement, and runs_group() finds their groups. What is returned lives in the arena;
 * *groups and *group_label are filled. */
const struct plot_run *plot_runs(struct arena *memory, char *const *directory, size_t n,
                                 size_t *groups, const char *const **group_label);

/* Runs that one sweep kept, in the order of their parameters; others stay as they are. */
void plot_runs_order(char **directory, size_t n);

/* The same request with one run for each group, called as the group, but as itself where it is the
 * only one: for figures that put the jobs of replications together. In the arena. */
struct plot_request plot_groups(const struct plot_request *r, struct arena *memory);

/* The same request without runs of groups that one run stands for: the first of a group, called as
 * the group, and all that are `named`, [r->n]. Fills one_seed. For figures that can show no more
 * than one run of a group. In the arena. */
struct plot_request plot_one_seed(const struct plot_request *r, const bool *named,
                                  struct arena *memory);

/* Runs on one axis of time: it begins with the first row of timeseries.csv of any of them and ends
 * with the last, or with the window that was asked for. Levels over time are drawn change by
 * change, or, where the files have so many rows that no picture could show them, as means over equal
 * steps; on a terminal always, each step a character wide. A run of no length is a second long. */
struct time_axis {
    double start_s, length_s;
    double *begin_s, *end_s; /* [n] first and last row of each run, since start_s, as far as they
                                are shown; owned */
    struct time_span span;
    size_t lines; /* of the longest run: the lines of its files of changes */
    struct steps steps;
};
enum { AXIS_MARGIN = 10, STEP_PX = 2 }; /* columns of a terminal beside the steps; on paper */
/* Files of changes are those of the kind but for jobs.csv, nodes.csv and summary.csv. 0, or -1 with
 * err. */
int time_axis_read(struct time_axis *axis, const struct kind *k, const struct plot_request *r,
                   struct error *err);
/* From so many lines on in `steps` steps, on paper in no more than can be told apart. */
void time_axis_steps(struct time_axis *axis, const struct plot_request *r, size_t lines_most,
                     size_t steps);
void time_axis_facts(const struct time_axis *axis,
                     const struct plot_request *r, struct figure *f); /* span_facts(), mean_over */
void time_axis_free(struct time_axis *axis);
/* A time of the clock on the axis: what was before its begin began there. */
double time_axis_at(const struct time_axis *axis, double clock_s);
/* A level of run i, ended, as rows "time_s,value" of a table: its changes, and once more at the
 * end. */
void series_table(struct table *t, const struct series *l, const struct time_axis *axis, size_t i);
double series_most(const struct series *l,
                   double least); /* the highest of its values that are shown, or `least` */
