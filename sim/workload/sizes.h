/* sizes.h - the sizes that an elastic or a moldable job may have: what a row says of them, and where it is kept. */
#pragma once
#include "sim/workload/workload.h"

/* As max_tasks, or min_gpus and max_gpus, and moldable say. -1 with err: they contradict the rest of the row. */
int sizes_of_row(const struct job_row *row, struct job_sizes *sizes, const char *file, size_t line, struct error *err);
static inline bool sizes_vary(const struct job_sizes *z)
{
    return z->min < z->max;
}
/* The number of these in job_facts.sizing; 0 if there is only one size. */
uint32_t sizes_add(struct workload *w, const struct job_sizes *sizes);
