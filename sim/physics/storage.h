/* storage.h - the shared storage in a run: its links, and jobs that read data sets from it.
 *
 * Links (section `storage`, contention: maxmin; models.md 3.7). A transfer goes through the storage as a whole, through its read or
 * write side, and through the node, if the job is on one. A job on several nodes has their links for itself: only their
 * bandwidths together bound it. Without contention each transfer has the storage for itself, and there are no flows.
 *
 * Reading. A job reads its data set `epochs` times while it does its work, evenly and ahead of what it computes, each node an
 * equal part: T_iter = max(T_iter, bytes / bandwidth). A job that has read it all once since it was placed leaves a copy on each
 * of its nodes that has room; from then on that node reads it for nothing, for every job. Reads begin with the job, and the
 * bandwidth that a job asks for is what it could use alone. */
#pragma once
#include "sim/physics/flows.h"

bool storage_is_shared(const struct sched *s);               /* transfers are flows */
/* Opens a flow of job j on p, of which `nodes` nodes take part. FLOW_NONE: nothing bounds it. */
flow_id storage_write_flow(struct sched *s, job_id j, const struct placement *p, double bytes, const struct flow_kind *kind);
flow_id storage_read_flow(struct sched *s, job_id j, const struct placement *p, uint32_t nodes, double demand,
                          const struct flow_kind *kind);      /* until it is closed; at most `demand` bytes a second */
