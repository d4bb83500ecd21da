/* metrics.h - metrics as plots show them: "METRIC" is of the scope all, "METRIC@SCOPE" of
 * another. */
#pragma once
#include "sim/base/memory.h"

#include <stdbool.h>

struct shown_metric {
    const char *metric, *scope, *title;
    bool share;                   /* shown in per cent */
};
struct shown_metric shown_metric(struct arena *memory, const char *name);

/* How an axis that goes up to `most` shows values of a unit of summary.csv: its own unit, and how
 * much of the value it is. */
struct metric_axis { const char *unit; double scale; };
struct metric_axis metric_axis(const struct shown_metric *m, const char *unit, double most);
/* "3 ± 2 s": a value and half the width of its interval, 0: none. */
const char *metric_text(struct arena *memory, const struct shown_metric *m, const char *unit,
                        double mean, double half);
