/* running.h - the running jobs that may be preempted, in groups that keep their order while they run:
 * one, or one of each shape. What is kept of a group and of a job is told in queueing.h. */
#pragma once
#include "policies/common/queueing.h"

enum { PUSHED_KEPT = 256 };       /* a try that has missed more is made again */

/* Joins, or gets a new key. */
void running_push(struct sched *s, const struct queueing_state *o, struct running *r, job_id j,
                  struct line_key k);
/* It has got a later key, which the discipline tells. */
void running_fell(struct sched *s, const struct queueing_state *o, struct running *r, job_id j, struct line_key k);
void running_remove(struct sched *s, const struct queueing_state *o, struct running *r, job_id j);
size_t running_count(const struct running *r);
/* Writes them to **to and moves it behind them. */
void running_list(const struct running *r, job_id **to);
/* The group of jobs like j; NULL: there is none yet. */
struct running_group *running_group_of(struct sched *s, const struct queueing_state *o, const struct running *r, job_id j);
/* GPUs that v frees, all of its size. */
int64_t running_frees_milli(struct sched *s, job_id v);
