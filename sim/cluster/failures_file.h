/* failures_file.h - the `failures` section of a cluster file, and faults as they were recorded.
 *
 *   failures:
 *     rate: rsc-1                        # or none rsc-2 llama-3 infinite-hbd; or faults_per_node_day: 0.0042
 *     maintenance: [{ group: a100, first: 0, count: 8, from_s: 86400, until_s: 100800, drain_s: 3600 }]
 *     faults: [{ group: a100, node: 3, at_s: 40, repair_s: 600 }]
 *     trace: fault_trace.json
 *
 * The section alone turns every law of failures.h on with its defaults. With a rate of zero, or with faults that are given and no
 * rate, switches and software fail only if their keys say so. */
#pragma once
#include "sim/io/config.h"
#include "sim/cluster/cluster.h"
#include "sim/models/failures.h"

/* Sets c->failures, in the cluster's memory; NULL where nothing can happen. 0, or -1 with err. */
int failures_read(struct config_value section, struct cluster *c, struct error *err);

/* Faults of a trace like stepfun-ai/InfiniteHBD-Trace:fault_trace.json, a list by time of { node_id, event_time (days),
 * event_type fault_start|fault_end, fault_type: { Class } }; also as gzip or zstd, the path as from the working directory. Its k-th server, in
 * the order of their first faults, is node k. What never ends lasts until the last event of the trace. Appends to f->given. */
int fault_trace_read(const char *path, struct cluster *c, struct failures *f, struct error *err);
