/* dependencies.c - see workload_builder.h. The names "A;B" of a trace become job numbers once all
 * jobs are read and sorted. */
#include "sim/base/memory.h"
#include "sim/workload/workload_builder.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void dependencies_note(struct workload *w, const char *list, size_t length, size_t line)
{
    struct workload_builder *b = w->builder;
    mem_grow(&b->wait, &b->waits_capacity, b->n_waits, sizeof *b->wait);
    b->wait[b->n_waits++] = (struct job_waits){ w->truth[w->n_jobs - 1].name,
                                                arena_text(w->memory, list, length), line };
}

/* ---- names ---- */

struct named {
    const char *name;
    job_id job;
};

static int by_name(const void *left, const void *right)
{
    const struct named *a = left, *b = right;
    return strcmp(a->name, b->name);
}

static struct named *all_names(const struct workload *w)
{
    struct named *all = mem_new(w->n_jobs, sizeof *all);
    for (job_id j = 0; j < w->n_jobs; j++)
        all[j] = (struct named){ w->truth[j].name, j };
    qsort(all, w->n_jobs, sizeof *all, by_name);
    return all;
}

static job_id job_named(const struct workload *w, const struct named *all, const char *name)
{
    const struct named key = { name, 0 },
                       *found = bsearch(&key, all, w->n_jobs, sizeof *all, by_name);
    return found ? found->job : ID_NONE;
}

/* ---- the lists ---- */

/* Cuts a list in place: its names, each ended with NUL. The number of them. */
static uint32_t cut(char *list)
{
    uint32_t n = 1;
    for (; (list = strchr(list, ';')); n++)
        *list++ = '\0';
    return n;
}

struct line_of {
    job_id job;
    const struct job_waits *wait;
    char *names;
    uint32_t n;
};

static int by_job(const void *left, const void *right)
{
    const struct line_of *a = left, *b = right;
    return (a->job > b->job) - (a->job < b->job);
}

static int look_up(struct workload *w, const struct named *all, const struct line_of *line,
                   uint32_t *at, const char *file, struct error *err)
{
    const char *name = line->names;
    for (uint32_t i = 0; i < line->n; i++, name += strlen(name) + 1) {
        job_id on = job_named(w, all, name);
        if (on == ID_NONE)
            return error_set(err, "%s:%zu: depends_on: no job has the job_id '%.100s'", file,
                             line->wait->line, name);
        w->depends_on[(*at)++] = on;
    }
    return 0;
}

/* ---- circles ---- */

/* Kahn, Communications of the ACM 5(11), 1962: removes jobs without remaining dependencies, again
 * and again. The jobs that remain wait for a cycle; following dependencies from one of them, for as
 * many steps as there are jobs, ends in a cycle. */
static job_id in_a_circle(const struct workload *w)
{
    uint32_t n_edges = w->depends_first[w->n_jobs];
    uint32_t *left = mem_new(w->n_jobs, sizeof *left),
             *first = mem_new((size_t)w->n_jobs + 2, sizeof *first);
    job_id *waits = mem_new(n_edges, sizeof *waits), *free_of = mem_new(w->n_jobs, sizeof *free_of);
    uint32_t taken = 0, found = 0;
    for (uint32_t i = 0; i < n_edges; i++)
        first[w->depends_on[i] + 2]++;
    for (job_id j = 0; j < w->n_jobs; j++)
        first[j + 2] += first[j + 1];
    for (job_id j = 0; j < w->n_jobs; j++) {
        left[j] = w->depends_first[j + 1] - w->depends_first[j];
        for (uint32_t i = w->depends_first[j]; i < w->depends_first[j + 1]; i++)
            waits[first[w->depends_on[i] + 1]++] = j;
        if (!left[j])
            free_of[found++] = j;
    }
    for (; taken < found; taken++)
        for (uint32_t i = first[free_of[taken]]; i < first[free_of[taken] + 1]; i++)
            if (--left[waits[i]] == 0)
                free_of[found++] = waits[i];
    job_id at = ID_NONE;
    for (job_id j = 0; j < w->n_jobs && at == ID_NONE; j++)
        at = left[j] ? j : ID_NONE;
    for (job_id step = 0; at != ID_NONE && step < w->n_jobs; step++) {
        uint32_t i = w->depends_first[at];
        while (!left[w->depends_on[i]])
            i++;
        at = w->depends_on[i];
    }
    free(left);
    free(first);
    free(waits);
    free(free_of);
    return at;
}

static int check_circles(const struct workload *w, const struct line_of *line, const char *file,
                         struct error *err)
{
    job_id j = in_a_circle(w);
    if (j == ID_NONE)
        return 0;
    while (line->job != j)
        line++;
    return error_set(err, "%s:%zu: depends_on: job '%.100s' would wait for itself", file,
                     line->wait->line, w->truth[j].name);
}

int dependencies_resolve(struct workload *w, const char *file, struct error *err)
{
    struct workload_builder *b = w->builder;
    if (!b->n_waits)
        return 0;
    struct named *all = all_names(w);
    struct line_of *line = mem_new(b->n_waits, sizeof *line);
    uint64_t n = 0;
    for (size_t i = 0; i < b->n_waits; i++) {
        char *names = arena_text(w->memory, b->wait[i].waits_for, strlen(b->wait[i].waits_for));
        line[i] =
            (struct line_of){ job_named(w, all, b->wait[i].name), &b->wait[i], names, cut(names) };
        n += line[i].n;
    }
    qsort(line, b->n_waits, sizeof *line, by_job);
    int result =
        n < UINT32_MAX ? 0 : error_set(err, "%s: want less than 4294967295 dependencies", file);
    if (result == 0) {
        uint32_t at = 0;
        size_t k = 0;
        w->depends_first = mem_new((size_t)w->n_jobs + 1, sizeof *w->depends_first);
        w->depends_on = mem_new(n, sizeof *w->depends_on);
        for (job_id j = 0; j < w->n_jobs; j++) {
            w->depends_first[j] = at;
            if (k < b->n_waits && line[k].job == j && result == 0)
                result = look_up(w, all, &line[k++], &at, file, err);
        }
        w->depends_first[w->n_jobs] = at;
    }
    if (result == 0)
        result = check_circles(w, line, file, err);
    free(all);
    free(line);
    return result;
}

/* ---- a part of the jobs ---- */

void dependencies_keep(struct workload *w, const bool *keep)
{
    if (!w->depends_first)
        return;
    job_id *now = mem_new(w->n_jobs, sizeof *now), kept = 0;
    for (job_id j = 0; j < w->n_jobs; j++)
        now[j] = keep[j] ? kept++ : ID_NONE;
    uint32_t at = 0, begin = 0;
    for (job_id j = 0; j < w->n_jobs; j++) {
        uint32_t end = w->depends_first[j + 1];
        if (keep[j])
            w->depends_first[now[j]] = at;
        for (uint32_t i = begin; keep[j] && i < end; i++)
            if (now[w->depends_on[i]] != ID_NONE)
                w->depends_on[at++] = now[w->depends_on[i]];
        begin = end;
    }
    w->depends_first[kept] = at;
    free(now);
}
