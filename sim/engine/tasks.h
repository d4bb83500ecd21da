/* tasks.h - jobs that grow, shrink and gather.
 *
 * A job that holds fewer tasks than its minimum is gathering: it holds their GPUs, makes no progress and waits for the
 * rest (WAIT_GANG; account "gang"). Falling below the minimum while it runs breaks the gang: progress stops at the price of a stop,
 * the task that was stopped stays while it saves, the other tasks keep their GPUs. Growing or shrinking above the minimum loses nothing and
 * counts as a durable checkpoint.
 *
 * A resize replaces the whole placement with one overhead: the job saves what it has done, holds its new GPUs for
 * job_resize_cost_ns() without progress, or for what is left of its start-up if that is longer, and resumes. Nothing is
 * lost, and it counts as a durable checkpoint. models.md 3.3, 3.6. */
#pragma once
#include "sim/engine/state.h"

void tasks_begin(struct sched *s);
bool resize_concerns(const struct sched *s, const struct live *l);        /* the pass has resized it as a whole */
void resize_carry_out(struct sched *s, struct live *l);
bool tasks_concern(const struct sched *s, const struct live *l);          /* the pass changed single tasks of it */
void tasks_carry_out(struct sched *s, struct live *l);
void tasks_gather(struct sched *s, struct live *l);                       /* from now on it holds l->now.held for nothing */
void tasks_scatter(struct sched *s, struct live *l);                      /* a gathering job gives up all tasks, between two passes;
                                                                             no notice is given */
void part_released(struct sched *s, struct live *l);
/* What the part saves is lost: the gang is back at its last durable checkpoint. cause as for job_departs(). */
void part_save_fails(struct sched *s, struct live *l, struct part *part, unsigned cause);
/* One of l that saves, and would for longer. */
void part_leaves_now(struct sched *s, struct live *l, struct part *part);
void tasks_cut_off(struct sched *s, struct live *l);
