/* tasks.h - single tasks of a gang. */
#pragma once
#include "sim/engine/host.h"

enum sched_result start_more(struct sched *s, struct live *l, const struct placement *p);
bool tasks_enough(const struct sched *s, job_id j, const struct placement *p);    /* the minimum, of every group. p NULL: none */
enum job_state tasks_state(const struct sched *s, const struct live *l, const struct placement *p);
double tasks_rate(const struct sched *s, const struct live *l);
void run_ends(struct sched *s, struct live *l, const char *why);          /* the time since it began, or was last resized, goes into
                                                                             the accounts; l->split is set */
bool tasks_concern(const struct sched *s, const struct live *l);          /* the pass changed single tasks of it */
void tasks_carry_out(struct sched *s, struct live *l);
void tasks_gather(struct sched *s, struct live *l);                       /* from now on it holds l->held for nothing */
void tasks_scatter(struct sched *s, struct live *l);                      /* a gathering job gives up all tasks, between two passes; nobody
                                                                             is told */
void part_released(struct sched *s, struct live *l);
void tasks_cut_off(struct sched *s, struct live *l);
