/* rows.h - the columns of every result file, and the rows of those that are written at the end. */
#pragma once
#include "sim/io/output.h"
#include "sim/results/results.h"

/* Its columns, which end with NULL, of `models` if the file is one of theirs; NULL: not a CSV file. */
const char *const *rows_columns(enum output_file file, const struct run_model *const *models);
bool rows_are_of(const struct run_model *m, enum output_file file);    /* it is the model's own file */
const char *const *rows_model_columns(const struct run_model *m, enum output_file file);    /* that it adds; NULL: none */
void rows_header(struct output *o, const char *const *columns);
void rows_header_with(struct output *o, enum output_file file, const struct sched *s);    /* and what models that are on append */
/* One line of jobs.csv, without its end: from the trace and what came of the job. */
void rows_job(struct output *o, const struct cluster *c, const struct workload *w, job_id j,
              const struct job_result *r);
void rows_nodes(struct output *o, const struct sched *s);
void rows_interval(struct output *o, const struct workload *w, const struct interval *i);
void rows_summary_csv(struct output *o, const struct summary *m);
const char *rows_class(enum job_class class);
