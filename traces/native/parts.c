/* parts.c - see parts.h. */
#include "traces/native/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void parts_begin(struct parts *g, struct workload *w)
{
    *g = (struct parts){ .w = w, .memory = arena_new() };
}

void parts_free(struct parts *g)
{
    arena_free(g->memory);
    free(g->part);
}

static bool same_text(const struct cell *a, const struct cell *b)
{
    return a->length == b->length && !memcmp(a->text, b->text, a->length);
}

bool parts_continue(const struct parts *g, const struct row *row, size_t k)
{
    return g->n_parts && same_text(&g->first.cell[k], &row->cell[k]);
}

int parts_end(struct parts *g, struct error *err)
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

struct row parts_keep(struct parts *g, const struct row *row)
{
    struct cell *cell = arena_alloc(g->memory, row->n * sizeof *cell);
    for (size_t i = 0; i < row->n; i++)
        cell[i] = (struct cell){ arena_text(g->memory, row->cell[i].text, row->cell[i].length),
                                 row->cell[i].length };
    struct row kept = *row;
    kept.cell = cell;
    return kept;
}

int parts_same(const struct parts *g, const struct row *row, size_t k, struct error *err)
{
    char want[200];
    if (same_text(&g->first.cell[k], &row->cell[k]))
        return 0;
    snprintf(want, sizeof want, "'%.60s' as on line %zu, which is of the same job",
             g->first.cell[k].text, g->first.line);
    return cell_error(row, k, want, err);
}

static const char *parts_text(struct parts *g, const char *text)
{
    return text ? arena_text(g->memory, text, strlen(text)) : "";
}

static const char *parts_cell(struct parts *g, const struct cell *c)
{
    return arena_text(g->memory, c->text ? c->text : "", c->length);
}

void parts_add(struct parts *g, const struct row *row, const struct job_row *job, const struct part_cells *own)
{
    if (!g->n_parts) {
        g->first = *row;
        g->job = *job;
        g->job.gpu_type_length = 0;              /* each row has its own */
    }
    mem_grow(&g->part, &g->capacity, g->n_parts, sizeof *g->part);
    g->part[g->n_parts++] = (struct task_row){
        .group = parts_cell(g, &own->group),
        .slices = parts_cell(g, &own->slices),
        .podset_group = parts_cell(g, &own->podset_group),
        .gpus = job->tasks ? job->gpus / job->tasks : job->gpus,
        .gpu_milli = job->gpu_milli,
        .tasks = job->tasks,
        .min_tasks = job->min_tasks,
        .cpu_milli = job->cpu_milli,
        .mem_mib = job->mem_mib,
        .required_level = job->required_level,
        .preferred_level = job->preferred_level,
        .selector = parts_text(g, job->selector),
        .affinity = parts_text(g, job->affinity),
        .tolerations = parts_text(g, job->tolerations),
        .gpu_type = job->gpu_type_length
                        ? arena_text(g->memory, job->gpu_type, job->gpu_type_length)
                        : NULL,
        .gpu_type_length = job->gpu_type_length,
        .line = row->line,
    };
}
