/* metric_label.h - metrics in words, for sentences and tables that people read: "mean completion
 * time" for jct_mean_s. A metric that has no words is told by its name.
 *
 * A name is a whole ("makespan_s") or a subject and a statistic of it ("jct" and "p90"); so every
 * quantile of a known subject has words. */
#pragma once
#include <stddef.h>

enum { METRIC_LABEL_MAX = 160 };
const char *metric_label(char to[METRIC_LABEL_MAX], const char *name);
