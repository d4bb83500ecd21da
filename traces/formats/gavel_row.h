/* gavel_row.h - what the traces of Gavel and Shockwave have in common: one job a line, cells separated by tabs, no header.
 *
 * Of the columns, the command, its directory and argument, and whether it needs data say how to run the job in truth, and
 * are not read; nor is the priority, a weight for fairness. The model is of the name that throughput tables know. SLO is
 * the deadline counted from the arrival in durations (scheduler.py: SLO x duration + arrival); -1: none. */
#pragma once
#include "traces/formats/columns.h"

enum gavel_column { GAVEL_MODEL, GAVEL_STEPS, GAVEL_GPUS, GAVEL_SLO, GAVEL_DURATION, GAVEL_ARRIVAL };
extern const char *const gavel_names[];       /* as columns.h wants them, in this order */
extern const char *const gavel_layout_7[], *const gavel_layout_10[], *const gavel_layout_12[];

/* Whether the first line has that layout: as many cells, and numbers where it has numbers. */
bool gavel_row_like(const char *const *layout, const char *head, size_t length);
/* All but the duration. */
void take_gavel_row(const struct columns *c, struct job_row *job);
void take_gavel_slo(const struct columns *c, struct job_row *job);   /* once it has its duration */
