/* bands.h - levels over time, stacked: GPUs by queue, by class or by what becomes of them, sessions
 * by what they do.
 *
 * Bands are either fixed, or the queues or classes with the most GPU time over all runs: nine have
 * a colour each, the others are one band. Beside bands of GPUs stand the lines of all GPUs, of
 * those that are up where any is not, and, by queue and class, of those that make progress where
 * that is less than 98 % of what is held. On a terminal each band is a letter. */
#pragma once
#include "sim/cli/plot/runs.h"

struct banding;
extern const struct banding bands_of_sessions;

/* Tables bandI_K "time_s,value,top" from the bottom, lineI_L "time_s,value", on a terminal cellsI;
 * facts of them, but for the axis of time. over_s, if not NULL: when the last of the bands ends, of
 * all runs. 0, or -1 with err. */
int bands_draw(const struct kind *k, const struct plot_request *r, const struct banding *by,
               struct figure *f, double *over_s, struct error *err);
