/* sizes.h - sizes of elastic jobs: which can change, and the largest that finds a place. */
#pragma once
#include "sim/contract/policy.h"

/* GPUs that one more of the size of j takes: those of one task, or 1 for a job that gives only a
 * total. */
uint32_t size_unit_gpus(const struct sched *s, job_id j);
/* j may grow and shrink while it runs. */
bool resizable(const struct sched *s, job_id j);

/* The limit of its queue holds it, at its smallest size. */
bool least_over_limit(struct sched *s, job_id j);
/* j, given by the walk w of line l, found no place, as sched_why_not() says: its reason is
 * reported. Returns skip: the walk goes on. If j has one size only, the other jobs of its shape are
 * passed over with it. */
bool skip_over(struct sched *s, struct line *l, struct line_walk *w, job_id j, bool skip);

struct sized_place { uint32_t size; const struct placement *where; };    /* 0, NULL: none */
/* The largest size from min to max at which j finds a place, as if it had left what it holds. By
 * bisection: where a size fits, all smaller ones do. */
struct sized_place largest_place(struct sched *s, job_id j, uint32_t min, uint32_t max);
