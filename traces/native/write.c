/* write.c - writing the native format: see native.h. The first four columns are always written;
 * each other column is a pair of functions, whether a row needs it and how its cell is written. */
#include "sim/base/memory.h"
#include "sim/workload/requests.h"
#include "traces/formats/columns.h"
#include "traces/native/native.h"
#include "traces/native/write_row.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIB_PER_GIB 1024

void row_put_gib(struct output *o, int64_t mib)
{
    enum { DIGITS = 10 };
    char text[DIGITS + 1] = ".";
    int64_t rest = mib % MIB_PER_GIB * 9765625;
    size_t n = 1 + DIGITS;
    out_integer(o, mib / MIB_PER_GIB);
    if (!rest)
        return;
    for (size_t i = DIGITS; i > 0; i--, rest /= 10)
        text[i] = (char)('0' + rest % 10);
    while (text[n - 1] == '0')
        n--;
    out_bytes(o, text, n);
}

static const struct shape *shape_of(const struct row_of *j)
{
    return &j->w->shape[j->ask->shape];
}
static uint8_t required_level(const struct row_of *j)
{
    return j->group ? j->group->required_level : j->ask->required_level;
}
static uint8_t preferred_level(const struct row_of *j)
{
    return j->group ? j->group->preferred_level : j->ask->preferred_level;
}
static bool has_level(const struct row_of *j)
{
    return required_level(j) != LEVEL_ANY || preferred_level(j) != LEVEL_ANY;
}

/* ---- columns: size ---- */

static bool has_group(const struct row_of *j)
{
    return j->group || j->facts->ask->next;
}
static void put_group(struct output *o, const struct row_of *j)
{
    out_csv(o, j->group ? j->group->name : ".");
}
static bool has_tasks(const struct row_of *j)
{
    return !j->inner && j->ask->tasks != SPLIT_ANY &&
           (j->ask->tasks > 1 || j->ask->gpus > 1 || j->facts->sizing);
}
static void put_tasks(struct output *o, const struct row_of *j)
{
    out_integer(o, j->ask->tasks);
}
static struct job_sizes sizes(const struct row_of *j)
{
    return workload_sizes(j->w, (job_id)(j->facts - j->w->facts));
}
/* The minimum of this row: the first rows of a group take as much of its minimum as they can, but
 * one task stays for each row after them. */
static int64_t min_tasks(const struct row_of *j)
{
    int64_t left = j->facts->min_tasks, after = 0;
    if (j->group)
        left = j->group->min_tasks;
    else if (j->facts->sizing)
        left = sizes(j).min;
    for (const struct request *r = j->ask->next; r && r->group == j->ask->group; r = r->next)
        after++;
    for (const struct request *r = j->facts->ask; r != j->ask; r = r->next)
        if (r->group == j->ask->group)
            left -= r->tasks;
    left = left - after > 1 ? left - after : 1;
    return left < j->ask->tasks ? left : j->ask->tasks;
}
static bool has_min_tasks(const struct row_of *j)
{
    return !j->inner && j->ask->tasks != SPLIT_ANY && min_tasks(j) != j->ask->tasks;
}
static void put_min_tasks(struct output *o, const struct row_of *j)
{
    out_integer(o, min_tasks(j));
}
static bool has_max_tasks(const struct row_of *j)
{
    return j->facts->sizing && has_tasks(j) && sizes(j).max != sizes(j).usual;
}
static void put_max_size(struct output *o, const struct row_of *j)
{
    out_integer(o, sizes(j).max);
}
static bool has_gpu_bounds(const struct row_of *j)
{
    return j->facts->sizing && !has_tasks(j);
}
static void put_min_size(struct output *o, const struct row_of *j)
{
    out_integer(o, sizes(j).min);
}
static bool is_moldable(const struct row_of *j)
{
    return j->facts->sizing && sizes(j).moldable;
}
static void put_moldable(struct output *o, const struct row_of *j)
{
    (void)j;
    out_text(o, "true");
}

/* Without tasks the cell is that of the whole job. The reader rounds up when it divides it by the
 * GPUs, so the cap at the largest legal cell keeps the share of each GPU. */
static int64_t whole(const struct request *r, int64_t each, int64_t most)
{
    int128_t all = r->tasks == SPLIT_ANY ? (int128_t)each * r->gpus : each;
    return r->tasks == SPLIT_ANY && all > most ? most : (int64_t)all;
}
static bool has_cpus(const struct row_of *j)
{
    return !j->inner && j->ask->cpu_milli != 0;
}
static void put_cpus(struct output *o, const struct row_of *j)
{
    out_decimal(o, whole(j->ask, j->ask->cpu_milli, INT64_C(1000) * CPUS_MAX), 1000);
}
static bool has_memory(const struct row_of *j)
{
    return !j->inner && j->ask->mem_mib != 0;
}
static void put_memory(struct output *o, const struct row_of *j)
{
    row_put_gib(o, whole(j->ask, j->ask->mem_mib, (int64_t)MIB_PER_GIB * GIB_MAX));
}
static bool has_share(const struct row_of *j)
{
    return !j->inner && j->ask->gpu_milli < MILLI_ALL && !shape_of(j)->share_mem_mib;
}
static void put_share(struct output *o, const struct row_of *j)
{
    out_integer(o, j->ask->gpu_milli);
}
static bool has_gpu_type(const struct row_of *j)
{
    return !j->inner && shape_of(j)->gpu_type != ID_NONE;
}
static void put_gpu_type(struct output *o, const struct row_of *j)
{
    out_csv(o, intern_text(j->w->gpu_types, shape_of(j)->gpu_type));
}

/* ---- columns: owner, priority, deadline, end ---- */

static bool has_user(const struct row_of *j)
{
    return j->facts->user != ID_NONE;
}
static void put_user(struct output *o, const struct row_of *j)
{
    out_csv(o, intern_text(j->w->users, j->facts->user));
}
static bool has_queue(const struct row_of *j)
{
    return *intern_text(j->w->queue_names, j->facts->queue);
}
static void put_queue(struct output *o, const struct row_of *j)
{
    out_csv(o, intern_text(j->w->queue_names, j->facts->queue));
}
static bool has_class(const struct row_of *j)
{
    return j->facts->class != CLASS_TRAINING;
}
static void put_class(struct output *o, const struct row_of *j)
{
    out_text(o, native_classes[j->facts->class]);
}
static bool has_priority(const struct row_of *j)
{
    return j->facts->priority != 0;
}
static void put_priority(struct output *o, const struct row_of *j)
{
    out_integer(o, j->facts->priority);
}
static bool is_fixed(const struct row_of *j)
{
    return !j->facts->preemptible;
}
static void put_fixed(struct output *o, const struct row_of *j)
{
    (void)j;
    out_text(o, "false");
}
static bool has_budget(const struct row_of *j)
{
    return j->facts->max_down > 0;
}
static void put_budget(struct output *o, const struct row_of *j)
{
    out_integer(o, j->facts->max_down - INT64_C(1));
}
static bool has_estimate(const struct row_of *j)
{
    return j->truth->estimate_ns != TIME_NEVER;
}
static void put_estimate(struct output *o, const struct row_of *j)
{
    out_seconds(o, j->truth->estimate_ns);
}
static bool has_deadline(const struct row_of *j)
{
    return j->facts->deadline_ns != TIME_NEVER;
}
static void put_deadline(struct output *o, const struct row_of *j)
{
    out_seconds(o, j->facts->deadline_ns);
}
static bool has_fate(const struct row_of *j)
{
    return j->truth->fate != FATE_COMPLETED;
}
static void put_fate(struct output *o, const struct row_of *j)
{
    out_text(o, native_fates[j->truth->fate]);
}

/* ---- columns: where a job may run, and what it uses of its GPUs ---- */

static void put_topology(struct output *o, const struct row_of *j)
{
    bool required = required_level(j) != LEVEL_ANY;
    out_text(o, required ? "required:" : "preferred:");
    out_text(o, workload_level_text(j->w, required ? required_level(j) : preferred_level(j)));
}
static bool has_selector(const struct row_of *j)
{
    return !j->inner && shape_of(j)->selector != ID_NONE;
}
static void put_selector(struct output *o, const struct row_of *j)
{
    out_csv(o, intern_text(j->w->wishes, shape_of(j)->selector));
}
static bool has_affinity(const struct row_of *j)
{
    return !j->inner && shape_of(j)->affinity != ID_NONE;
}
static void put_affinity(struct output *o, const struct row_of *j)
{
    out_csv(o, intern_text(j->w->wishes, shape_of(j)->affinity));
}
static bool has_tolerations(const struct row_of *j)
{
    return !j->inner && shape_of(j)->tolerations != ID_NONE;
}
static void put_tolerations(struct output *o, const struct row_of *j)
{
    out_csv(o, intern_text(j->w->wishes, shape_of(j)->tolerations));
}
/* Part `which` of what its pods say: a line each. */
static const char *pod_part(const struct row_of *j, int which, size_t *length)
{
    const char *at = shape_of(j)->pods == ID_NONE ? "" : intern_text(j->w->wishes, shape_of(j)->pods);
    for (; which > 0; which--)
        at += strcspn(at, "\n") + (at[strcspn(at, "\n")] == '\n');
    *length = strcspn(at, "\n");
    return at;
}
static bool has_pod_part(const struct row_of *j, int which)
{
    size_t length;
    (void)pod_part(j, which, &length);
    return length > 0;
}
static void put_pod_part(struct output *o, const struct row_of *j, int which)
{
    size_t length;
    const char *at = pod_part(j, which, &length);
    char *text = mem_new(length + 1, 1);
    memcpy(text, at, length);
    out_csv(o, text);
    free(text);
}
#define POD_PART(name, which)                                                                      \
    static bool has_##name(const struct row_of *j)                                                 \
    {                                                                                              \
        return has_pod_part(j, which);                                                             \
    }                                                                                              \
    static void put_##name(struct output *o, const struct row_of *j)                               \
    {                                                                                              \
        put_pod_part(o, j, which);                                                                 \
    }
POD_PART(pod_labels, 0)
POD_PART(pod_affinity, 1)
POD_PART(pod_anti_affinity, 2)
POD_PART(pod_spread, 3)
static bool has_max_per_node(const struct row_of *j)
{
    return j->ask->max_per_node != 0;
}
static void put_max_per_node(struct output *o, const struct row_of *j)
{
    out_integer(o, j->ask->max_per_node);
}
/* Of the first part of the job that has one: parts without GPUs have none. */
static uint32_t gpu_memory(const struct row_of *j)
{
    uint32_t mib = 0;
    for (const struct request *r = j->facts->ask; r && !mib; r = r->next)
        mib = j->w->shape[r->shape].gpu_mem_mib;
    return mib;
}
static bool has_gpu_memory(const struct row_of *j)
{
    return gpu_memory(j) != 0;
}
static void put_gpu_memory(struct output *o, const struct row_of *j)
{
    row_put_gib(o, gpu_memory(j));
}
static bool has_share_memory(const struct row_of *j)
{
    return shape_of(j)->share_mem_mib != 0;
}
static void put_share_memory(struct output *o, const struct row_of *j)
{
    row_put_gib(o, shape_of(j)->share_mem_mib);
}
static uint32_t used_memory(const struct row_of *j)
{
    uint32_t mib = 0;
    for (const struct request *r = j->facts->ask; r && !mib; r = r->next)
        mib = j->w->shape[r->shape].used_mem_mib;
    return mib;
}
static bool has_used_memory(const struct row_of *j)
{
    return used_memory(j) != 0;
}
static void put_used_memory(struct output *o, const struct row_of *j)
{
    row_put_gib(o, used_memory(j));
}
static bool has_duty(const struct row_of *j)
{
    return j->extra->duty.compute != DUTY_UNSAID;
}
static void put_duty(struct output *o, const struct row_of *j)
{
    out_decimal(o, j->extra->duty.compute, DUTY_ALL);
}
static bool has_bandwidth(const struct row_of *j)
{
    return j->extra->duty.bandwidth != DUTY_UNSAID;
}
static void put_bandwidth(struct output *o, const struct row_of *j)
{
    out_decimal(o, j->extra->duty.bandwidth, DUTY_ALL);
}
static bool has_mig(const struct row_of *j)
{
    return j->ask->mig != 0;
}
static void put_mig(struct output *o, const struct row_of *j)
{
    char name[MIG_NAME_MAX];
    out_text(o, mig_name(j->ask->mig, name));
}

/* ---- columns: input ---- */

static bool has_model(const struct row_of *j)
{
    return j->facts->model != ID_NONE;
}
static void put_model(struct output *o, const struct row_of *j)
{
    out_csv(o, intern_text(j->w->models, j->facts->model));
}
static bool has_data(const struct row_of *j)
{
    return j->extra->data_mib != 0;
}
static void put_data(struct output *o, const struct row_of *j)
{
    row_put_gib(o, j->extra->data_mib);
}

/* ---- the columns, in the order in which they are written ---- */

static const struct column {
    const char *name;
    bool (*has)(const struct row_of *j);                     /* whether the row needs it */
    void (*put)(struct output *o, const struct row_of *j);   /* the cell, if it does */
} columns[] = {
    { "group", has_group, put_group },
    { "tasks", has_tasks, put_tasks },
    { "min_tasks", has_min_tasks, put_min_tasks },
    { "max_tasks", has_max_tasks, put_max_size },
    { "min_gpus", has_gpu_bounds, put_min_size },
    { "max_gpus", has_gpu_bounds, put_max_size },
    { "moldable", is_moldable, put_moldable },
    { "cpus_per_task", has_cpus, put_cpus },
    { "mem_gib_per_task", has_memory, put_memory },
    { "gpu_milli", has_share, put_share },
    { "gpu_type", has_gpu_type, put_gpu_type },
    { "user", has_user, put_user },
    { "queue", has_queue, put_queue },
    { "class", has_class, put_class },
    { "priority", has_priority, put_priority },
    { "preemptible", is_fixed, put_fixed },
    { "max_unavailable", has_budget, put_budget },
    { "estimate_s", has_estimate, put_estimate },
    { "deadline_s", has_deadline, put_deadline },
    { "status", has_fate, put_fate },
    { "topology", has_level, put_topology },
    { "slices", sets_have_slices, sets_put_slices },
    { "podset_group", sets_have_group, sets_put_group },
    { "node_selector", has_selector, put_selector },
    { "affinity", has_affinity, put_affinity },
    { "tolerations", has_tolerations, put_tolerations },
    { "pod_labels", has_pod_labels, put_pod_labels },
    { "pod_affinity", has_pod_affinity, put_pod_affinity },
    { "pod_anti_affinity", has_pod_anti_affinity, put_pod_anti_affinity },
    { "pod_spread", has_pod_spread, put_pod_spread },
    { "max_per_node", has_max_per_node, put_max_per_node },
    { "gpu_mem_gib", has_gpu_memory, put_gpu_memory },
    { "gpu_share_mem_gib", has_share_memory, put_share_memory },
    { "gpu_mem_used_gib", has_used_memory, put_used_memory },
    { "duty", has_duty, put_duty },
    { "mem_bw_duty", has_bandwidth, put_bandwidth },
    { "mig", has_mig, put_mig },
    { "model", has_model, put_model },
    { "data_gib", has_data, put_data },
    { "depends_on", depends_has, depends_put },
    { "running_on", past_is_running, past_put_running_on },
    { "started_s", past_has_started, past_put_started },
    { "leaving_s", past_is_leaving, past_put_leaving },
    { "recorded_wait_s", past_has_wait, past_put_wait },
    { "recorded_on", past_has_place, past_put_place },
    { "promised_on", past_has_promise, past_put_promise },
    { "checkpoint", overhead_has_checkpoint, overhead_put_checkpoint },
    { "interval_s", overhead_has_interval, overhead_put_interval },
    { "save_s", overhead_has_save, overhead_put_save },
    { "grace_s", overhead_has_grace, overhead_put_grace },
    { "restart_s", overhead_has_restart, overhead_put_restart },
    { "max_requeues", overhead_has_requeues, overhead_put_requeues },
    { "checkpoint_gib", overhead_has_checkpoint_size, overhead_put_checkpoint_size },
    { "data_set", input_has_data_set, input_put_data_set },
    { "epochs", input_has_epochs, input_put_epochs },
    { "image", input_has_image, input_put_image },
    { "partition", site_has_partition, site_put_partition },
    { "qos", site_has_qos, site_put_qos },
    { "account", site_has_account, site_put_account },
    { "nice", site_has_nice, site_put_nice },
};
enum { COLUMNS = sizeof columns / sizeof *columns };

/* ---- rows ---- */

static uint32_t times(const struct request *r)
{
    return r->tasks == SPLIT_ANY ? r->gpus : r->tasks;
}

static bool is_inner(const struct job_facts *f, uint32_t g)
{
    for (uint32_t i = g + 1; i < f->n_groups; i++)
        if (f->group[i].parent == g)
            return true;
    return false;
}

/* Calls `row` for each row of the job: one for each part, groups in their order; an inner group has
 * a row if it has a topology. Stops when `row` returns -1. */
static int each_row(const struct workload *w, job_id j,
                    int (*row)(void *self, const struct row_of *job), void *self)
{
    const struct job_facts *f = &w->facts[j];
    const struct request *r = f->ask;
    struct row_of job = { w, f, &w->truth[j], workload_extra(w, j), r, NULL, false };
    for (uint32_t g = 0; g < f->n_groups; g++) {
        job.group = &f->group[g];
        job.inner = is_inner(f, g);
        if (job.inner && has_level(&job) && row(self, &job) != 0)
            return -1;
        for (; !job.inner && r && r->group == g; r = r->next) {
            job.ask = r;
            if (row(self, &job) != 0)
                return -1;
        }
    }
    for (; !f->n_groups && r; r = r->next) {
        job.ask = r;
        if (row(self, &job) != 0)
            return -1;
    }
    return 0;
}

struct writing {
    struct output *o;
    struct error *err;
    bool used[COLUMNS];           /* some row needs it */
    const struct native_more *more;              /* NULL: nothing */
};

static int note_row(void *self, const struct row_of *j)
{
    struct writing *t = self;
    for (size_t k = 0; k < COLUMNS; k++)
        t->used[k] = t->used[k] || columns[k].has(j);
    if (run_gpus(j->ask) <= GPUS_MAX && times(j->ask) <= TASKS_MAX)
        return 0;
    return error_set(t->err, "job '%.100s': want at most %d GPUs and %d tasks in a native trace",
                     j->truth->name, GPUS_MAX, TASKS_MAX);
}

static int put_row(void *self, const struct row_of *j)
{
    const struct writing *t = self;
    struct output *o = t->o;
    out_csv(o, j->truth->name);
    out_char(o, ',');
    out_seconds(o, j->facts->submit_ns);
    out_char(o, ',');
    out_seconds(o, j->truth->duration_ns);
    out_char(o, ',');
    out_integer(o, j->inner ? 0 : run_gpus(j->ask));
    for (size_t k = 0; k < COLUMNS; k++) {
        if (!t->used[k])
            continue;
        out_char(o, ',');
        if (columns[k].has(j))
            columns[k].put(o, j);
    }
    if (t->more) {
        out_char(o, ',');
        t->more->put(t->more->self, o, (job_id)(j->facts - j->w->facts));
    }
    out_char(o, '\n');
    return 0;
}

int native_write(struct output *o, const struct workload *w, struct error *err)
{
    return native_write_more(o, w, NULL, err);
}

int native_write_more(struct output *o, const struct workload *w, const struct native_more *more,
                      struct error *err)
{
    struct writing t = { .o = o, .err = err, .more = more };
    if (w->n_on_demand)
        return error_set(err, "a trace has no jobs that the run itself submits, such as sessions: "
                              "want the workload file itself, with 'gpuyard run -t'");
    for (job_id j = 0; j < w->n_jobs; j++)
        if (each_row(w, j, note_row, &t) != 0)
            return -1;
    out_text(o, "job_id,submit_s,duration_s,gpus");
    for (size_t k = 0; k < COLUMNS; k++) {
        if (!t.used[k])
            continue;
        out_char(o, ',');
        out_text(o, columns[k].name);
    }
    if (more) {
        out_char(o, ',');
        out_text(o, more->names);
    }
    out_char(o, '\n');
    for (job_id j = 0; j < w->n_jobs; j++)
        each_row(w, j, put_row, &t);
    return 0;
}
