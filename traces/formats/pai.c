/* pai.c - the job table of PAI-2020 (alibaba/clusterdata:cluster-trace-gpu-v2020, NSDI'22), CSV without a header, with its
 * task table as a second input: what a job asks for is in pai_task_table (pai_tasks.h).
 *
 * start_time of a job is its submission, that of a task its launch (README.md there), so the service time is end_time less
 * the first launch. Left out are jobs that never ran to an end: those that wait or run when the trace ends, and those
 * without an end, a role, or a launch. Failed jobs are failures, everything else that ended is completed. inst_id repeats
 * job_name. */
#include "traces/formats/pai_tasks.h"
#include "traces/formats/columns.h"

#include <string.h>

enum { JOB_NAME, USER, STATUS, START_TIME, END_TIME };
static const char *const names[] = { "job_name", "user", "status", "start_time", "end_time", NULL };
static const char *const layout[] = { "job_name", "inst_id", "user", "status", "start_time", "end_time", NULL };
static const char *const states[] = { "Terminated", "Failed", "Running", "Waiting", NULL };
enum { STATE_FAILED = 1, STATE_RUNNING = 2 };
enum { AT_STATUS = 3 };

enum { TASKS };
static const struct trace_option options[] = { { "tasks", "the table of the tasks, pai_task_table.csv; needed" },
                                               { NULL, NULL } };

static void pai_job(const struct columns *c, struct job_row *job)
{
    size_t state = 0;
    int64_t launch_ns = -1, end_ns = 0;
    take_id(c, JOB_NAME, job);
    take_text(c, USER, &job->user, &job->user_length);
    if (c->err->text[0] || cell_word(c->row, c->at[STATUS], states, &state, c->err) != 0)
        return;
    bool has_role = pai_tasks_of(c->self, job->job_id, job->job_id_length, job, &launch_ns);
    if (state >= STATE_RUNNING || !has_role || launch_ns < 0 || !has_value(c, END_TIME) || !has_value(c, START_TIME)) {
        skip_job(c);
        return;
    }
    job->fate = state == STATE_FAILED ? FATE_FAILED : FATE_COMPLETED;
    take_time(c, START_TIME, &job->submit_ns);
    take_time(c, END_TIME, &end_ns);
    if (end_ns < launch_ns)
        (void)cell_error(c->row, c->at[END_TIME], "at least the start_time of its first task", c->err);
    job->duration_ns = end_ns - launch_ns;
}

/* Six cells, the fourth of which is a status. */
static int pai_recognise(const char *head, size_t length)
{
    const char *end = memchr(head, '\n', length);
    size_t commas = 0;
    int sure = 0;
    end = end ? end : head + length;
    for (const char *at = head; at; commas++) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        size_t cell = (size_t)((comma ? comma : end) - at);
        for (size_t i = 0; commas == AT_STATUS && states[i]; i++)
            if (strlen(states[i]) == cell && memcmp(states[i], at, cell) == 0)
                sure = 2;
        at = comma ? comma + 1 : NULL;
    }
    return commas == sizeof layout / sizeof *layout - 1 ? sure : 0;
}

static int pai_read_with(struct input *in, const char *const *value, struct workload *w, struct error *err)
{
    static const char *const *const layouts[] = { layout, NULL };
    static const struct bare_table table = { names, layouts, { 0 }, pai_job };
    if (!value[TASKS])
        return error_set(err, "%s: a pai job table does not tell what jobs ask for: want FILE:pai:tasks=pai_task_table.csv",
                         input_name(in));
    struct pai_tasks *tasks = pai_tasks_read(value[TASKS], err);
    if (!tasks)
        return -1;
    int result = columns_read_bare(&table, tasks, in, w, err);
    pai_tasks_free(tasks);
    return result;
}

static int pai_read(struct input *in, struct workload *w, struct error *err)
{
    static const char *const nothing[TRACE_OPTIONS_MAX] = { NULL };
    return pai_read_with(in, nothing, w, err);
}

const struct trace_format pai_format = {
    .name = "pai",
    .summary = "PAI-2020 tables: job_name,inst_id,user,status,start_time,end_time, and the tasks in a second file",
    .recognise = pai_recognise,
    .read = pai_read,
    .options = options,
    .read_with = pai_read_with,
};
