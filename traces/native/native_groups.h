/* native_groups.h - rows of a native trace that are parts of one job: they follow each other, have the same job_id and a group. */
#pragma once
#include "sim/io/table_in.h"
#include "sim/workload/workload.h"

struct native_groups {
    struct workload *w;
    struct arena *memory;         /* texts of the job that is being read */
    struct row first;             /* its first row, kept */
    struct job_row job;
    struct task_row *part;
    size_t n_parts, capacity;
};
void native_groups_begin(struct native_groups *g, struct workload *w);
void native_groups_free(struct native_groups *g);
/* Of the job that is being read? Cell k has the job_id. */
bool native_groups_go_on(const struct native_groups *g, const struct row *row, size_t k);
/* A row of another job has come, or none: adds the job, if there is one. 0, or -1 with err. */
int  native_groups_end(struct native_groups *g, struct error *err);
/* The same row, to be kept while its job is being read. */
struct row native_groups_keep(struct native_groups *g, const struct row *row);
/* Cell k must say what it says in the first row. 0, or -1 with err. */
int  native_groups_same(const struct native_groups *g, const struct row *row, size_t k, struct error *err);
/* `job`, of the row `row` (kept if it is the first), is a part of the group with that path. */
void native_groups_add(struct native_groups *g, const struct row *row, const struct job_row *job, const char *group);
