/* fit_report.h - what `gpuyard fit` says: JSON of a fit, text of that JSON, and a plot. */
#pragma once
#include "sim/base/error.h"
#include "traces/synth/fit.h"

#include <jansson.h>
#include <stdio.h>

json_t *fit_report(const struct fit *f, const struct workload *trace, const struct workload *like);
void fit_report_text(const json_t *report, FILE *to);

/* like NULL: the trace alone. An exit status; what is wrong is said. */
int fit_plot(const struct workload *trace, const struct workload *like, const char *path);
