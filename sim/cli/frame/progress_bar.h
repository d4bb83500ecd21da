/* progress_bar.h - one line on stderr that says how far a run is; gone when it ends. */
#pragma once
#include "sim/base/units.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sched;

/* What a line says. */
struct progress_facts {
    int64_t now_ns;               /* simulated; below 0: there is none */
    uint64_t done, all;
    double elapsed_s;
    const char *what;             /* is done; NULL: jobs */
};
/* The line, at most width - 1 columns (the last one wraps on some terminals): what does not fit is left out, first the
 * bar, then the rate, the simulated time and the time left. `colour`: the bar is drawn with escape sequences, too. */
#define PROGRESS_MAX 512
const char *progress_bar_line(char to[PROGRESS_MAX], struct progress_facts f, unsigned width, bool colour);

/* Draws a few times a second, from the first half second on. */
struct progress_bar {
    uint64_t all;
    int64_t began_ns, drawn_ns;   /* of the monotonic clock */
    bool on, visible, colour;
};
void progress_bar_begin(struct progress_bar *p, uint64_t jobs, bool quiet);    /* off, too, if stderr is no terminal */
void progress_bar_show(void *self, const struct sched *s);                 /* for run_setup.progress */
void progress_bar_count(struct progress_bar *p, uint64_t done, const char *what);    /* of what has no simulated time */
void progress_bar_end(struct progress_bar *p);                                 /* erases it */
