/* sizes.c - see sizes.h. */
#include "sim/workload/sizes.h"

#include <string.h>

static int wrong(const char *file, size_t line, const char *column, const char *want, uint32_t got, struct error *err)
{
    return error_set(err, "%s:%zu: %s: want %s, got %u", file, line, column, want, got);
}

static int of_total(const struct job_row *row, struct job_sizes *z, const char *file, size_t line, struct error *err)
{
    if (row->tasks || row->n_parts || row->gpu_milli != MILLI_ALL || row->share_mem_mib || !row->gpus)
        return error_set(err, "%s:%zu: min_gpus, max_gpus: want whole GPUs without tasks; with tasks min_tasks and max_tasks", file, line);
    *z = (struct job_sizes){ row->min_gpus ? row->min_gpus : row->gpus, row->gpus, row->max_gpus ? row->max_gpus : row->gpus, row->moldable };
    if (z->min > z->usual)
        return wrong(file, line, "min_gpus", "at most gpus", z->min, err);
    return z->max < z->usual ? wrong(file, line, "max_gpus", "at least gpus", z->max, err) : 0;
}

int sizes_of_row(const struct job_row *row, struct job_sizes *z, const char *file, size_t line, struct error *err)
{
    *z = (struct job_sizes){ 1, 1, 1, false };
    if (row->min_gpus || row->max_gpus) {
        if (of_total(row, z, file, line, err))
            return -1;
    } else if (row->tasks && !row->n_parts) {
        *z = (struct job_sizes){ row->min_tasks ? row->min_tasks : row->tasks, row->tasks,
                                 row->max_tasks ? row->max_tasks : row->tasks, row->moldable };
        if (z->max < z->usual)
            return wrong(file, line, "max_tasks", "at least tasks", z->max, err);
    } else if (row->max_tasks) {
        return error_set(err, "%s:%zu: max_tasks: want tasks, too, and no groups", file, line);
    }
    if (row->moldable && !sizes_vary(z))
        return error_set(err, "%s:%zu: moldable: want more than one size: min_tasks or max_tasks, or min_gpus or max_gpus", file, line);
    return 0;
}

uint32_t sizes_add(struct workload *w, const struct job_sizes *sizes)
{
    struct job_sizes key;
    if (!sizes_vary(sizes))
        return 0;
    memset(&key, 0, sizeof key);                      /* the bytes between, too */
    key.min = sizes->min;
    key.usual = sizes->usual;
    key.max = sizes->max;
    key.moldable = sizes->moldable;
    return intern_add(w->sizes, (const char *)&key, sizeof key) + 1;
}

struct job_sizes workload_sizes(const struct workload *w, job_id j)
{
    const struct job_facts *f = &w->facts[j];
    struct job_sizes z;
    if (!f->sizing) {
        uint32_t all = f->ask->tasks == SPLIT_ANY ? f->ask->gpus : request_tasks(f->ask);
        return (struct job_sizes){ all, all, all, false };
    }
    memcpy(&z, intern_text(w->sizes, f->sizing - 1), sizeof z);
    return z;
}
