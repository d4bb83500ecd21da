/* manifest.h - what was run, on what, where and when: the only file with wall time and host. */
#pragma once
#include "sim/io/output.h"
#include "sim/results/results.h"

void manifest_write(struct output *o, const struct results_setup *setup, const struct sched *s);
/* The summary as one JSON object: {"schema_version": 1, "metrics": [{"metric": ..., "scope": ..., ...}]}. */
void manifest_summary_json(struct output *o, const struct summary *m);
