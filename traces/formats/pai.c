/* pai.c - PAI-2020 (alibaba/clusterdata:cluster-trace-gpu-v2020, NSDI'22): the job table, CSV
 * without a header, with the task table (option tasks) as a second input.
 *
 *     pai_job_table    job_name,inst_id,user,status,start_time,end_time
 *     pai_task_table   job_name,task_name,inst_num,status,start_time,end_time,plan_cpu,
 *                      plan_mem,plan_gpu,gpu_type
 *
 * start_time of a job is its submission, that of a task its launch (README.md there): the service
 * time is the end_time of the job less its first launch. Left out are jobs that never ran to an
 * end: those that wait or run when the trace ends, and those without an end, a role or a launch. A
 * failed job is a failure, every other job that ended is completed. inst_id repeats job_name.
 *
 * A job is its largest role, inst_num tasks that are alike; the other roles (parameter servers
 * beside workers) are left out. The largest role has the most GPUs in all, then the most CPUs, then
 * is the first of the file. plan_cpu and plan_gpu are percent of a core and of a GPU, for each
 * instance; more than one GPU is rounded up to whole GPUs. gpu_type MISC is any type. */
#include "sim/base/memory.h"
#include "traces/formats/columns.h"

#include <stdlib.h>
#include <string.h>

/* ---- the task table ---- */

enum {
    TASK_JOB, TASK_NAME, INST_NUM, TASK_STATUS, TASK_START, TASK_END, PLAN_CPU, PLAN_MEM, PLAN_GPU,
    GPU_TYPE, COLUMNS
};
static const char *const task_names[COLUMNS] = {
    "job_name", "task_name", "inst_num", "status", "start_time", "end_time", "plan_cpu", "plan_mem",
    "plan_gpu", "gpu_type"
};

struct role {
    int64_t instances, gpu_milli, cpu_milli, mem_mib; /* of one instance */
    int64_t launch_ns;                                /* earliest of the job; -1: never */
    uint32_t gpu_type;                                /* INTERN_NONE: any */
};
struct pai_tasks {
    struct intern *jobs, *gpu_types;
    struct role *role; /* [capacity] by number of the job */
    size_t capacity;
};

static int take_role(const struct row *row, struct role *r, struct error *err)
{
    if (cell_required(row, TASK_JOB, err) != 0 || cell_required(row, INST_NUM, err) != 0 ||
        cell_decimal(row, INST_NUM, 1, 1, TASKS_MAX, &r->instances, err) != 0 ||
        cell_time(row, TASK_START, 0, &r->launch_ns, err) != 0 ||
        cell_decimal(row, PLAN_CPU, 10, 0, INT64_C(1000) * CPUS_MAX, &r->cpu_milli, err) != 0 ||
        cell_decimal(row, PLAN_MEM, 1024, 0, INT64_C(1024) * GIB_MAX, &r->mem_mib, err) != 0 ||
        cell_decimal(row, PLAN_GPU, 10, 0, INT64_C(1000) * GPUS_MAX, &r->gpu_milli, err) != 0)
        return -1;
    if (r->gpu_milli > MILLI_ALL)
        r->gpu_milli = (r->gpu_milli + MILLI_ALL - 1) / MILLI_ALL * MILLI_ALL;
    if ((int128_t)r->gpu_milli * r->instances > (int128_t)MILLI_ALL * GPUS_MAX)
        return cell_error(row, PLAN_GPU, "inst_num x plan_gpu of at most 1000000 GPUs", err);
    return 0;
}

static bool is_larger(const struct role *a, const struct role *b)
{
    int64_t gpus_a = a->gpu_milli * a->instances, gpus_b = b->gpu_milli * b->instances;
    return gpus_a != gpus_b ? gpus_a > gpus_b
                            : a->cpu_milli * a->instances > b->cpu_milli * b->instances;
}

static int on_task(void *self, const struct row *given, struct error *err)
{
    struct pai_tasks *t = self;
    struct role r = { .launch_ns = -1, .gpu_type = INTERN_NONE };
    struct row row = *given;
    if (row.n != COLUMNS)
        return error_set(err, "%s:%zu: want 10 cells, got %zu", row.file, row.line, row.n);
    if (strcmp(row.cell[TASK_JOB].text, task_names[TASK_JOB]) == 0)
        return 0; /* a header line is allowed */
    row.column = task_names;
    row.n_columns = COLUMNS;
    if (take_role(&row, &r, err) != 0)
        return -1;
    struct cell type = row.cell[GPU_TYPE], job = row.cell[TASK_JOB];
    if (r.gpu_milli && type.length && strcmp(type.text, "MISC") != 0)
        r.gpu_type = intern_add(t->gpu_types, type.text, type.length);
    uint32_t before = intern_count(t->jobs), number = intern_add(t->jobs, job.text, job.length);
    if (number == before) {
        mem_grow(&t->role, &t->capacity, number, sizeof *t->role);
        t->role[number] = r;
        return 0;
    }
    struct role *was = &t->role[number];
    int64_t launch_ns = was->launch_ns < 0 || (r.launch_ns >= 0 && r.launch_ns < was->launch_ns)
                            ? r.launch_ns
                            : was->launch_ns;
    if (is_larger(&r, was))
        *was = r;
    was->launch_ns = launch_ns;
    return 0;
}

static void pai_tasks_free(struct pai_tasks *t)
{
    if (!t)
        return;
    intern_free(t->jobs);
    intern_free(t->gpu_types);
    free(t->role);
    free(t);
}

static struct pai_tasks *pai_tasks_read(const char *path, struct error *err)
{
    static const struct table_handler handler = { .on_row = on_task };
    struct input *in = input_open(path, err);
    if (!in)
        return NULL;
    struct pai_tasks *t = mem_new(1, sizeof *t);
    t->jobs = intern_new();
    t->gpu_types = intern_new();
    int result = table_read(in, (struct table_style){ 0 }, &handler, t, err);
    input_close(in);
    if (result == 0)
        return t;
    pai_tasks_free(t);
    return NULL;
}

/* Sets gpus, gpu_milli, tasks, cpu_milli, mem_mib and gpu_type; *launch_ns -1: never launched.
 * false: no role. */
static bool pai_tasks_of(const struct pai_tasks *t, const char *job_name, size_t length,
                         struct job_row *job, int64_t *launch_ns)
{
    uint32_t number = intern_find(t->jobs, job_name, length);
    if (number == INTERN_NONE)
        return false;
    const struct role *r = &t->role[number];
    job_gpus(job, r->gpu_milli);
    job->gpus *= (uint32_t)r->instances;
    job->tasks = (uint32_t)r->instances;
    job->cpu_milli = r->cpu_milli;
    job->mem_mib = r->mem_mib;
    *launch_ns = r->launch_ns;
    if (r->gpu_type == INTERN_NONE)
        return true;
    job->gpu_type = intern_text(t->gpu_types, r->gpu_type);
    job->gpu_type_length = strlen(job->gpu_type);
    return true;
}

/* ---- the job table ---- */

enum { JOB_NAME, USER, STATUS, START_TIME, END_TIME };
static const char *const names[] = { "job_name", "user", "status", "start_time", "end_time", NULL };
static const char *const layout[] = { "job_name",   "inst_id",  "user", "status",
                                      "start_time", "end_time", NULL };
static const char *const states[] = { "Terminated", "Failed", "Running", "Waiting", NULL };
enum { STATE_FAILED = 1, STATE_RUNNING = 2 };
enum { AT_STATUS = 3 };

enum { TASKS };
static const struct trace_option options[] = {
    { "tasks", "the table of the tasks, pai_task_table.csv; needed" }, { NULL, NULL }
};

static void pai_job(const struct columns *c, struct job_row *job)
{
    size_t state = 0;
    int64_t launch_ns = -1, end_ns = 0;
    take_id(c, JOB_NAME, job);
    take_text(c, USER, &job->user, &job->user_length);
    if (c->err->text[0] || cell_word(c->row, c->at[STATUS], states, &state, c->err) != 0)
        return;
    bool has_role = pai_tasks_of(c->self, job->job_id, job->job_id_length, job, &launch_ns);
    if (state >= STATE_RUNNING || !has_role || launch_ns < 0 || !has_value(c, END_TIME) ||
        !has_value(c, START_TIME)) {
        skip_job(c);
        return;
    }
    job->fate = state == STATE_FAILED ? FATE_FAILED : FATE_COMPLETED;
    take_time(c, START_TIME, &job->submit_ns);
    take_time(c, END_TIME, &end_ns);
    if (end_ns < launch_ns)
        (void)cell_error(c->row, c->at[END_TIME], "at least the start_time of its first task",
                         c->err);
    job->duration_ns = end_ns - launch_ns;
}

/* Six cells; the fourth is a status. */
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

static int pai_read(struct input *in, const char *const *value, struct workload *w,
                    struct error *err)
{
    static const char *const *const layouts[] = { layout, NULL };
    static const struct bare_table table = { names, layouts, { 0 }, pai_job };
    if (!value[TASKS])
        return error_set(
            err, "%s: a pai job table has no sizes of jobs: want FILE:pai:tasks=pai_task_table.csv",
            input_name(in));
    struct pai_tasks *tasks = pai_tasks_read(value[TASKS], err);
    if (!tasks)
        return -1;
    int result = columns_read_bare(&table, tasks, in, w, err);
    pai_tasks_free(tasks);
    return result;
}

const struct trace_format pai_format = {
    .name = "pai",
    .summary = "PAI-2020 tables: job_name,inst_id,user,status,start_time,end_time, and the tasks "
               "in a second file",
    .recognise = pai_recognise,
    .read = pai_read,
    .options = options,
};
