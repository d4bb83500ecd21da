/* job_inputs.h - private to this folder: what jobs read, by name. Jobs with the same data set or
 * image name the same bytes, so a data set has one size; workload_input() gives a job's own. */
#pragma once
#include "sim/workload/workload.h"

struct job_inputs *job_inputs_new(void);
void job_inputs_free(struct job_inputs *i);  /* NULL: does nothing */
/* 0; -1 with err "FILE:LINE: ..." */
int job_inputs_check(const struct job_inputs *i, const struct job_row *row, const char *file,
                     size_t line, struct error *err);
/* Number for job_extra.input; 0: the row names nothing. */
uint32_t job_inputs_add(struct job_inputs *i, const struct job_row *row);
