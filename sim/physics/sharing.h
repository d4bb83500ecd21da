/* sharing.h - GPUs that several jobs share: the speed that remains for each, and their memory. Section `sharing`; models.md 7; the
 * laws: sim/models/sharing.h.
 *
 * A tenant is a task with a share of a GPU, from the instant at which its job holds it until the job makes no progress there any
 * more. A job that is leaving keeps its memory and is no tenant, nor is a session while its user thinks. When a tenant comes or
 * goes, or a replica has another duty, all tenants of that GPU progress at a new speed, and each job at that of its slowest task. Costs O(tenants of the GPUs
 * concerned).
 *
 * With oom: fail, a job that comes to a GPU without enough memory fails when its start-up is over. */
#pragma once
#include "sim/contract/policy.h"

struct live;
/* l is stalled: others on its GPUs progress as if it were not there, until it goes on, at the pace that it has then. */
void sharing_rests(struct sched *s, struct live *l);
void sharing_goes_on(struct sched *s, struct live *l);
