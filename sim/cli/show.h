/* show.h - a run for people: its summary on stdout, what is odd about it on stderr. */
#pragma once
#include "sim/cli/plan.h"
#include "sim/run/run.h"
#include "sim/run/summary.h"

struct shown { const struct plan *plan; const struct sched *run; const struct summary *summary; };
void show_summary(const struct shown *x);
void show_queues(const struct shown *x, size_t width);       /* part of it, if 2 to 20 queues have jobs */
void show_warnings(const struct shown *x);
