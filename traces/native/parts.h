/* parts.h - a job that several rows of a native trace describe, one a group of its tasks: what belongs to the job is the same in
 * all of them, and the job is added once a row of another job, or the end, has come. */
#pragma once
#include "sim/base/memory.h"
#include "sim/io/table_in.h"
#include "sim/workload/workload.h"

/* The rows of the job that is being read, if they have a group. */
struct parts {
    struct workload *w;
    struct arena *memory;         /* texts of the job that is being read */
    struct row first;             /* its first row, a copy in memory */
    struct job_row job;           /* what all its rows say */
    struct task_row *part;        /* [n_parts], growing; 0 parts: no such job is being read */
    size_t n_parts, capacity;
};
/* Cells that belong to a row, not to the job, and are texts. */
struct part_cells { struct cell group, slices, podset_group; };

void parts_begin(struct parts *g, struct workload *w);
void parts_free(struct parts *g);
/* Whether the row has the job_id (cell k) of the job that is being read. */
bool parts_continue(const struct parts *g, const struct row *row, size_t k);
/* Adds the job that is being read, if there is one. 0, or -1 with err. */
int parts_end(struct parts *g, struct error *err);
/* A copy of the row that lasts until the job is added. */
struct row parts_keep(struct parts *g, const struct row *row);
/* Cell k is equal in all rows of the job. 0, or -1 with err. */
int parts_same(const struct parts *g, const struct row *row, size_t k, struct error *err);
/* One more row of the job. Of the first of them (parts_keep()) `job` says what belongs to the job. */
void parts_add(struct parts *g, const struct row *row, const struct job_row *job, const struct part_cells *own);
