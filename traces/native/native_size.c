/* native_size.c - columns of a native trace: how much a job asks for. A size is always written as gpus and, where the placer
 * may not choose the split, tasks; a share of a GPU as gpu_milli. */
#include "traces/formats/columns.h"
#include "traces/native/native_columns.h"

static bool has_group(const struct native_row *j)
{
    return j->group || j->facts->ask->next;
}
static void put_group(struct output *o, const struct native_row *j)
{
    out_csv(o, j->group ? j->group->name : ".");
}
static bool has_tasks(const struct native_row *j)
{
    return !j->inner && j->ask->tasks != SPLIT_ANY && (j->ask->tasks > 1 || j->ask->gpus > 1 || j->facts->sizing);
}
static void put_tasks(struct output *o, const struct native_row *j)
{
    out_integer(o, j->ask->tasks);
}
static struct job_sizes sizes(const struct native_row *j)
{
    return workload_sizes(j->w, (job_id)(j->facts - j->w->facts));
}
/* Of this row: the first rows of a group have as much of its minimum as they can, but one is left for each of the others. */
static int64_t min_tasks(const struct native_row *j)
{
    int64_t left = j->group ? j->group->min_tasks : j->facts->sizing ? sizes(j).min : j->facts->min_tasks, after = 0;
    for (const struct request *r = j->ask->next; r && r->group == j->ask->group; r = r->next)
        after++;
    for (const struct request *r = j->facts->ask; r != j->ask; r = r->next)
        if (r->group == j->ask->group)
            left -= r->tasks;
    left = left - after > 1 ? left - after : 1;
    return left < j->ask->tasks ? left : j->ask->tasks;
}
static bool has_min_tasks(const struct native_row *j)
{
    return !j->inner && j->ask->tasks != SPLIT_ANY && min_tasks(j) != j->ask->tasks;
}
static void put_min_tasks(struct output *o, const struct native_row *j)
{
    out_integer(o, min_tasks(j));
}
static bool has_max_tasks(const struct native_row *j)
{
    return j->facts->sizing && has_tasks(j) && sizes(j).max != sizes(j).usual;
}
static void put_most(struct output *o, const struct native_row *j)
{
    out_integer(o, sizes(j).max);
}
static bool has_gpu_bounds(const struct native_row *j)
{
    return j->facts->sizing && !has_tasks(j);
}
static void put_least(struct output *o, const struct native_row *j)
{
    out_integer(o, sizes(j).min);
}
static bool is_moldable(const struct native_row *j)
{
    return j->facts->sizing && sizes(j).moldable;
}
static void put_moldable(struct output *o, const struct native_row *j)
{
    (void)j;
    out_text(o, "true");
}

/* Without tasks the column is the whole job's; the reader rounds up when it shares it out, so a cap does no harm. */
static int64_t whole(const struct request *r, int64_t each, int64_t most)
{
    int128_t all = r->tasks == SPLIT_ANY ? (int128_t)each * r->gpus : each;
    return r->tasks == SPLIT_ANY && all > most ? most : (int64_t)all;
}
static bool has_cpus(const struct native_row *j)
{
    return !j->inner && j->ask->cpu_milli != 0;
}
static void put_cpus(struct output *o, const struct native_row *j)
{
    out_decimal(o, whole(j->ask, j->ask->cpu_milli, INT64_C(1000) * CPUS_MAX), 1000);
}
static bool has_memory(const struct native_row *j)
{
    return !j->inner && j->ask->mem_mib != 0;
}
static void put_memory(struct output *o, const struct native_row *j)
{
    native_put_gib(o, whole(j->ask, j->ask->mem_mib, (int64_t)MIB_PER_GIB * GIB_MAX));
}
static bool has_share(const struct native_row *j)
{
    return !j->inner && j->ask->gpu_milli < MILLI_ALL && !native_shape_of(j)->share_mem_mib;
}
static void put_share(struct output *o, const struct native_row *j)
{
    out_integer(o, j->ask->gpu_milli);
}
static bool has_gpu_type(const struct native_row *j)
{
    return native_shape_of(j)->gpu_type != ID_NONE;
}
static void put_gpu_type(struct output *o, const struct native_row *j)
{
    out_csv(o, intern_text(j->w->gpu_types, native_shape_of(j)->gpu_type));
}

const struct native_column native_size[NATIVE_LIST_MOST] = {
    { "group", has_group, put_group },
    { "tasks", has_tasks, put_tasks },          { "min_tasks", has_min_tasks, put_min_tasks },
    { "max_tasks", has_max_tasks, put_most },   { "min_gpus", has_gpu_bounds, put_least },
    { "max_gpus", has_gpu_bounds, put_most },   { "moldable", is_moldable, put_moldable },
    { "cpus_per_task", has_cpus, put_cpus },    { "mem_gib_per_task", has_memory, put_memory },
    { "gpu_milli", has_share, put_share },      { "gpu_type", has_gpu_type, put_gpu_type },
};
