/* pai_tasks.c - see pai_tasks.h. */
#include "traces/formats/pai_tasks.h"

#include "sim/base/memory.h"
#include "traces/formats/columns.h"

#include <stdlib.h>
#include <string.h>

/* clang-format off */
enum { JOB_NAME, TASK_NAME, INST_NUM, STATUS, START_TIME, END_TIME, PLAN_CPU, PLAN_MEM, PLAN_GPU, GPU_TYPE, COLUMNS };
static const char *const names[COLUMNS] = { "job_name", "task_name", "inst_num", "status", "start_time", "end_time",
                                            "plan_cpu", "plan_mem", "plan_gpu", "gpu_type" };
/* clang-format on */

struct role {
    int64_t instances, gpu_milli, cpu_milli, mem_mib; /* of each instance; gpu_milli as the table says */
    int64_t launch_ns;                                /* the earliest of the job; -1: none */
    uint32_t gpu_type;                                /* INTERN_NONE: none, or MISC */
};
struct pai_tasks {
    struct intern *jobs, *gpu_types;
    struct role *role; /* by number of the job */
    size_t capacity;
};

static int take(const struct row *row, struct role *r, struct error *err)
{
    if (cell_required(row, JOB_NAME, err) != 0 || cell_required(row, INST_NUM, err) != 0 ||
        cell_decimal(row, INST_NUM, 1, 1, TASKS_MAX, &r->instances, err) != 0 ||
        cell_time(row, START_TIME, 0, &r->launch_ns, err) != 0 ||
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
    return gpus_a != gpus_b ? gpus_a > gpus_b : a->cpu_milli * a->instances > b->cpu_milli * b->instances;
}

static int on_row(void *self, const struct row *given, struct error *err)
{
    struct pai_tasks *t = self;
    struct role r = { .launch_ns = -1, .gpu_type = INTERN_NONE };
    struct row row = *given;
    if (row.n != COLUMNS)
        return error_set(err, "%s:%zu: want 10 cells, got %zu", row.file, row.line, row.n);
    if (strcmp(row.cell[JOB_NAME].text, names[JOB_NAME]) == 0)
        return 0; /* somebody put the header on top */
    row.column = names;
    row.n_columns = COLUMNS;
    if (take(&row, &r, err) != 0)
        return -1;
    struct cell type = row.cell[GPU_TYPE], job = row.cell[JOB_NAME];
    if (r.gpu_milli && type.length && strcmp(type.text, "MISC") != 0)
        r.gpu_type = intern_add(t->gpu_types, type.text, type.length);
    uint32_t before = intern_count(t->jobs), number = intern_add(t->jobs, job.text, job.length);
    if (number == before) {
        mem_grow(&t->role, &t->capacity, number, sizeof *t->role);
        t->role[number] = r;
        return 0;
    }
    struct role *was = &t->role[number];
    int64_t launch_ns = was->launch_ns < 0 || (r.launch_ns >= 0 && r.launch_ns < was->launch_ns) ? r.launch_ns : was->launch_ns;
    if (is_larger(&r, was))
        *was = r;
    was->launch_ns = launch_ns;
    return 0;
}

struct pai_tasks *pai_tasks_read(const char *path, struct error *err)
{
    static const struct table_handler handler = { .on_row = on_row };
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

void pai_tasks_free(struct pai_tasks *t)
{
    if (!t)
        return;
    intern_free(t->jobs);
    intern_free(t->gpu_types);
    free(t->role);
    free(t);
}

bool pai_tasks_of(const struct pai_tasks *t, const char *job_name, size_t length, struct job_row *job, int64_t *launch_ns)
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
