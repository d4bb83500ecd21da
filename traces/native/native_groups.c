/* native_groups.c - see native_groups.h. */
#include "traces/native/native_groups.h"

#include "sim/base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void native_groups_begin(struct native_groups *g, struct workload *w)
{
    *g = (struct native_groups){ .w = w, .memory = arena_new() };
}

void native_groups_free(struct native_groups *g)
{
    arena_free(g->memory);
    free(g->part);
}

static bool same_text(const struct cell *a, const struct cell *b)
{
    return a->length == b->length && !memcmp(a->text, b->text, a->length);
}

bool native_groups_go_on(const struct native_groups *g, const struct row *row, size_t k)
{
    return g->n_parts && same_text(&g->first.cell[k], &row->cell[k]);
}

int native_groups_end(struct native_groups *g, struct error *err)
{
    if (!g->n_parts)
        return 0;
    g->job.part = g->part;
    g->job.n_parts = g->n_parts;
    int result = workload_add(g->w, &g->job, g->first.file, g->first.line, err);
    g->n_parts = 0;
    arena_reset(g->memory);
    return result;
}

struct row native_groups_keep(struct native_groups *g, const struct row *row)
{
    struct cell *cell = arena_alloc(g->memory, row->n * sizeof *cell);
    for (size_t i = 0; i < row->n; i++)
        cell[i] = (struct cell){ arena_text(g->memory, row->cell[i].text, row->cell[i].length), row->cell[i].length };
    struct row kept = *row;
    kept.cell = cell;
    return kept;
}

int native_groups_same(const struct native_groups *g, const struct row *row, size_t k, struct error *err)
{
    char want[200];
    if (same_text(&g->first.cell[k], &row->cell[k]))
        return 0;
    snprintf(want, sizeof want, "'%.60s' as on line %zu, which is of the same job", g->first.cell[k].text, g->first.line);
    return cell_error(row, k, want, err);
}

void native_groups_add(struct native_groups *g, const struct row *row, const struct job_row *job, const char *group)
{
    if (!g->n_parts) {
        g->first = *row;
        g->job = *job;
    }
    mem_grow(&g->part, &g->capacity, g->n_parts, sizeof *g->part);
    g->part[g->n_parts++] = (struct task_row){
        .group = arena_text(g->memory, group, strlen(group)),
        .gpus = job->tasks ? job->gpus / job->tasks : job->gpus,
        .gpu_milli = job->gpu_milli,
        .tasks = job->tasks,
        .min_tasks = job->min_tasks,
        .cpu_milli = job->cpu_milli,
        .mem_mib = job->mem_mib,
        .required_level = job->required_level,
        .preferred_level = job->preferred_level,
        .line = row->line,
    };
}
