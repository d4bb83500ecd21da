/* resizing.h - what policies that give jobs their size share. */
#pragma once
#include "sim/contract/policy.h"

/* Of a job of several sizes: GPUs of one task, or 1 if it has no tasks: what one more of its size takes. */
uint32_t size_unit_gpus(const struct sched *s, job_id j);
/* May grow and shrink while it runs. */
bool resizable(const struct sched *s, job_id j);

int64_t idle_gpus(struct sched *s);                           /* whole ones, of any node: O(nodes) */
/* j, which the walk of l has given, found no place, as sched_why_not() says. true: the walk goes on. If it has one size only,
 * others of its shape are passed over with it. */
bool skip_over(struct sched *s, struct line *l, struct line_walk *w, job_id j, bool skip);

struct sized_place { uint32_t size; const struct placement *where; };    /* 0, NULL: none */
/* The largest size from least to most at which j finds a place, with what it holds now as if it had left it. By bisection: where a
 * size fits, all smaller ones do. */
struct sized_place largest_place(struct sched *s, job_id j, uint32_t least, uint32_t most);
