/* job_inputs.h - private to the workload: the data sets and images that jobs name, each once. */
#pragma once
#include "sim/workload/workload.h"

struct job_inputs *job_inputs_new(void);
void job_inputs_free(struct job_inputs *i);                  /* NULL: does nothing */
/* Whether a row is right: a data set wants a size, the same wherever it is named. 0, or -1 with err. */
int job_inputs_check(const struct job_inputs *i, const struct job_row *row, const char *file, size_t line, struct error *err);
uint32_t job_inputs_add(struct job_inputs *i, const struct job_row *row);     /* of job_truth.input */
