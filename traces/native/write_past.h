/* write_past.h - columns of the native format about what is or was: where a job runs already, and
 * when and where it ran in the log. Each is a pair: whether a row needs the column, and its cell. */
#pragma once
#include "sim/io/output.h"
#include "sim/workload/workload.h"

/* A row that is written. */
struct row_of {
    const struct workload *w;
    const struct job_facts *facts;
    const struct job_truth *truth;
    /* what the row asks for; of an inner group: unused but for its shape */
    const struct request *ask;
    const struct task_group *group; /* NULL: the job has no groups */
    bool inner;                     /* the group has groups below it */
};

bool past_is_running(const struct row_of *j);
void past_put_running_on(struct output *o, const struct row_of *j);
bool past_has_started(const struct row_of *j);
void past_put_started(struct output *o, const struct row_of *j);
bool past_is_leaving(const struct row_of *j);
void past_put_leaving(struct output *o, const struct row_of *j);
bool past_has_wait(const struct row_of *j);
void past_put_wait(struct output *o, const struct row_of *j);
bool past_has_place(const struct row_of *j);
void past_put_place(struct output *o, const struct row_of *j);
