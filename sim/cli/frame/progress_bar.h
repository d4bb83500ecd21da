/* progress_bar.h - one line on stderr that shows the progress of a run or a sweep, and is erased
 * at the end. */
#pragma once
#include "sim/base/units.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sched;

struct progress_facts {
    int64_t now_ns;               /* simulated time; below 0: none is shown */
    uint64_t done, all;
    double elapsed_s;             /* wall time */
    const char *what;             /* the unit of done and all, in the plural; NULL: jobs */
};
/* The line, at most width - 1 columns (some terminals wrap at the last one). If it does not fit,
 * parts are left out in this order: bar, rate, simulated time, remaining time. `colour`: the bar
 * has escape sequences. */
#define PROGRESS_MAX 512
const char *progress_bar_line(char to[PROGRESS_MAX], struct progress_facts f, unsigned width,
                              bool colour);

/* Draws a few times a second, after the first half second. */
struct progress_bar {
    uint64_t all;
    int64_t began_ns, drawn_ns;   /* monotonic clock */
    bool on, visible, colour;
};
/* off if quiet or stderr is no terminal */
void progress_bar_begin(struct progress_bar *p, uint64_t all, bool quiet);
/* for run_setup.progress */
void progress_bar_show(void *self, const struct sched *s);
/* without a simulated time */
void progress_bar_count(struct progress_bar *p, uint64_t done, const char *what);
void progress_bar_end(struct progress_bar *p);                                 /* erases the line */
