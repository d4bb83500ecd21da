/* write_row.h - columns of the native format that are not written in write.c. Each is a pair:
 * whether a row needs the column, and its cell.
 *
 * write_past.c: where a job runs already, and when and where it ran in the log. write_site.c: its
 * partition, QOS and account, and what it reads. write_depends.c: what it waits for.
 * write_overhead.c: what a stop of it costs. write_sets.c: its slices, leader and workers. */
#pragma once
#include "sim/io/output.h"
#include "sim/workload/workload.h"

/* A row that is written. */
struct row_of {
    const struct workload *w;
    const struct job_facts *facts;
    const struct job_truth *truth;
    const struct job_extra *extra;
    /* what the row asks for; of an inner group: unused but for its shape */
    const struct request *ask;
    const struct task_group *group; /* NULL: the job has no groups */
    bool inner;                     /* the group has groups below it */
};

/* Exactly: 1/1024 has ten decimals. */
void row_put_gib(struct output *o, int64_t mib);

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
bool past_has_promise(const struct row_of *j);
void past_put_promise(struct output *o, const struct row_of *j);

bool depends_has(const struct row_of *j);
void depends_put(struct output *o, const struct row_of *j);

bool site_has_partition(const struct row_of *j);
void site_put_partition(struct output *o, const struct row_of *j);
bool site_has_qos(const struct row_of *j);
void site_put_qos(struct output *o, const struct row_of *j);
bool site_has_account(const struct row_of *j);
void site_put_account(struct output *o, const struct row_of *j);
bool site_has_nice(const struct row_of *j);
void site_put_nice(struct output *o, const struct row_of *j);
bool input_has_data_set(const struct row_of *j);
void input_put_data_set(struct output *o, const struct row_of *j);
bool input_has_epochs(const struct row_of *j);
void input_put_epochs(struct output *o, const struct row_of *j);
bool input_has_image(const struct row_of *j);
void input_put_image(struct output *o, const struct row_of *j);

bool sets_have_slices(const struct row_of *j);
void sets_put_slices(struct output *o, const struct row_of *j);
bool sets_have_group(const struct row_of *j);
void sets_put_group(struct output *o, const struct row_of *j);

bool overhead_has_checkpoint(const struct row_of *j);
void overhead_put_checkpoint(struct output *o, const struct row_of *j);
bool overhead_has_interval(const struct row_of *j);
void overhead_put_interval(struct output *o, const struct row_of *j);
bool overhead_has_save(const struct row_of *j);
void overhead_put_save(struct output *o, const struct row_of *j);
bool overhead_has_grace(const struct row_of *j);
void overhead_put_grace(struct output *o, const struct row_of *j);
bool overhead_has_restart(const struct row_of *j);
void overhead_put_restart(struct output *o, const struct row_of *j);
bool overhead_has_checkpoint_size(const struct row_of *j);
void overhead_put_checkpoint_size(struct output *o, const struct row_of *j);
bool overhead_has_requeues(const struct row_of *j);
void overhead_put_requeues(struct output *o, const struct row_of *j);
