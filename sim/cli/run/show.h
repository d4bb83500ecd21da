/* show.h - a run for people: its summary on stdout, what is odd about it on stderr. */
#pragma once
#include "sim/cli/run/plan.h"
#include "sim/engine/run.h"
#include "sim/results/summary.h"

struct snapshot;
struct shown { const struct plan *plan; const struct sched *run; const struct summary *summary; const struct snapshot *snapshot; };
void show_summary(const struct shown *x);
void show_queues(const struct shown *x, size_t width);       /* part of it, if 2 to 20 queues have jobs */
void show_world(const struct shown *x, size_t width);        /* likewise, of the models that were on */
void show_warnings(const struct shown *x);

/* For those parts. */
#define SHOW_NUMBER 40
double show_value(const struct shown *x, const char *metric);    /* in scope all; NaN: none */
const char *show_percent(char to[SHOW_NUMBER], double share);    /* NaN: "-" */
/* "  label    text", the text wrapped. */
void show_line(size_t width, const char *label, const char *format, ...) __attribute__((format(printf, 3, 4)));
