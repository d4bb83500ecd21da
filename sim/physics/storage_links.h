/* storage_links.h - the storage as links of flows.c, where its contention is max-min.
 *
 * A transfer goes through the storage as a whole, what it gives to readers or takes from writers, and the node, if the job is
 * on one. A job on several is taken to have them for itself: it is only held to the bandwidth of all of them together. */
#pragma once
#include "sim/physics/flows.h"

void storage_links_begin(struct sched *s);                   /* once or more often */
/* Opens a flow of j, which is on p; `nodes` of them take part. bytes 0: until it is closed, and it takes at most `demand`. FLOW_NONE:
 * nothing is limited. */
flow_id storage_write_flow(struct sched *s, job_id j, const struct placement *p, double bytes, const struct flow_kind *kind);
flow_id storage_read_flow(struct sched *s, job_id j, const struct placement *p, uint32_t nodes, double demand, const struct flow_kind *kind);
