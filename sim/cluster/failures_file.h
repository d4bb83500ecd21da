/* failures_file.h - the `failures` section of a cluster file, and faults as they were recorded.
 *
 *   failures:
 *     rate: rsc-1              # or none rsc-2 llama-3 infinite-hbd; faults_per_node_day: 0.0042
 *     maintenance:
 *       - { group: a100, first: 0, count: 8, from_s: 86400, until_s: 100800, drain_s: 3600 }
 *     faults: [{ group: a100, node: 3, at_s: 40, repair_s: 600 }]
 *     trace: fault_trace.json
 *
 * The section alone turns every law of failures.h on with its defaults. With a rate of zero, or
 * with faults that are given and no rate, switches and software fail only if their keys are given.
 * A rate that counts all interruptions (rsc-1, rsc-2, llama-3) says each part of them; a key beside
 * it takes the place of its own part.
 *
 * Key `trace` names recorded faults, JSON as stepfun-ai/InfiniteHBD-Trace:fault_trace.json, also
 * gzip or zstd, as from the working directory: a list by time of { node_id, event_time (days),
 * event_type fault_start|fault_end, fault_type: { Class } }. Its k-th server, in the order of their
 * first faults, is node k. A fault without an end lasts until the last event. */
#pragma once
#include "sim/io/config.h"
#include "sim/cluster/cluster.h"
#include "sim/models/failures.h"

/* Sets c->failures, in the cluster's memory; NULL if nothing can fail. 0, or -1 with err. */
int failures_read(struct config_value section, struct cluster *c, struct error *err);
