/* runset_parts.h - between runset.c, which reads directories of runs, and runset_sweep.c, which reads that of a sweep. */
#pragma once
#include "sim/io/input.h"
#include "sim/study/runset.h"

/* Each 0, or -1 with err. */
int runset_read_metrics(struct runset *s, struct run_record *run, struct input *in, struct error *err);    /* of summary.csv */
int runset_add_sweep(struct runset *s, const char *directory, const char *const *where, size_t n, size_t *capacity, struct error *err);
/* What is configured, but for what may differ between counterparts. */
const char *runset_circumstances(struct runset *s, const char *configuration);
