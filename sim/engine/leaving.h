/* leaving.h - jobs that are stopped and leave their GPUs, and who claims these until then. */
#pragma once
#include "sim/engine/host.h"

void job_leave(struct sched *s, struct live *l, bool moves);              /* the stop of this pass is carried out */
/* After job_halt(): it leaves p at this price. cause: of what it loses, an enum preemption_cause or LOST_BY() of a strike. */
void job_departs(struct sched *s, struct live *l, struct placement *p, const struct stop_overhead *overhead, bool at_risk, unsigned cause,
                 bool moves);
void job_released(struct sched *s, job_id j);                             /* it has left its GPUs */

/* claims.c - claims on GPUs that others are still leaving */
void claim_give_back(struct sched *s, struct live *l);                    /* now pending, or releasing if it was moving; nobody is told */
void claims_settle(struct sched *s);                                      /* starts those whose GPUs are free now */
