/* leaving.h - jobs that are stopped and leave their GPUs, at once or when they have saved; and claims on GPUs that others are
 * still leaving. */
#pragma once
#include "sim/engine/intervals.h"
#include "sim/engine/state.h"

bool job_requeues(struct sched *s, struct live *l);                       /* stopped: it goes back to its queue; else it has failed */
void job_leave(struct sched *s, struct live *l, bool moves);              /* the stop of this pass is carried out */
/* After job_halt(): it leaves p with this overhead. cause: of what it loses, an enum preemption_cause, or LOST_BY() an interruption. */
void job_departs(struct sched *s, struct live *l, struct placement *p, const struct stop_overhead *overhead, bool at_risk, unsigned cause,
                 bool moves);
/* After job_halt(): what a fault would cost while it saves with this overhead. */
void job_note_unsaved(struct sched *s, struct live *l, const struct stop_overhead *overhead);
void job_released(struct sched *s, job_id j);                             /* it has left its GPUs */
/* It is leaving them, and would for longer. */
void job_leaves_now(struct sched *s, struct live *l);

void claims_begin(struct sched *s);
void claims_end(struct sched *s);
void claim_begin(struct sched *s, struct live *l);                        /* l->now.held is claimed from now on */
void claim_give_back(struct sched *s, struct live *l);                    /* now pending, or releasing if it was moving; no notice is given */
void claims_settle(struct sched *s);                                      /* claims on GPUs that are free now become starts */

/* The end of the run: what still runs or waits is counted up to now, and stays what it is. */
void jobs_enter_held(struct sched *s);                                    /* jobs that wait for others are pending */
void jobs_cut_off(struct sched *s);
