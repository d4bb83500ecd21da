/* report_columns.c - see report_columns.h. */
#include "sim/cli/report/report_columns.h"

#include "sim/base/intern.h"
#include "sim/base/memory.h"
#include "sim/cli/frame/result_file.h"
#include "sim/results/results.h"
#include "sim/study/sweep_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINES_MAX = 3 };

static char *joined(const char *a, const char *between, const char *b)
{
    char *text;
    size_t length;
    FILE *f = mem_stream(&text, &length);
    fprintf(f, "%s%s%s", a, between, b);
    mem_stream_end(f, &text);
    return text;
}

static struct page_group *add_group(struct report_columns *c)
{
    mem_grow(&c->group, &c->capacity, c->n, sizeof *c->group);
    c->group[c->n] = (struct page_group){ 0 };
    return &c->group[c->n++];
}

static void add_run(struct report_columns *c, struct page_group *g, const struct run_record *run)
{
    g->run = mem_resize(g->run, g->n + 1, sizeof *g->run);
    g->run[g->n++] = run;
    c->n_runs++;
}

static void keep_set(struct report_columns *c, struct runset *set)
{
    mem_grow(&c->set, &c->sets_capacity, c->n_sets, sizeof *c->set);
    c->set[c->n_sets++] = set;
}

/* ==== Directories of runs ==== */

static bool alike(const struct page_group *a, const struct page_group *b)
{
    return !strcmp(a->run[0]->policy, b->run[0]->policy) &&
           !strcmp(a->run[0]->placement, b->run[0]->placement);
}

/* A line that tells what was configured: no seed, and no hash or number of jobs, which follow from
 * other lines. */
static bool tells(const char *line)
{
    const char *text = line + strspn(line, " ");
    return strncmp(line, "seed:", 5) != 0 && strncmp(text, "jobs:", 5) != 0 &&
           strncmp(text, "sha256:", 7) != 0 &&
           strncmp(text, "settings_sha256:", 16) != 0;
}

static bool has_line(const char *text, const char *line, size_t length)
{
    for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
        if (strcspn(text, "\n") == length && !strncmp(text, line, length))
            return true;
    return false;
}

/* The first lines of a group's configuration that a group called the same does not have. */
static size_t write_differing(FILE *f, const struct report_columns *c, size_t first, size_t i)
{
    const char *line = c->group[i].run[0]->circumstances;
    size_t n = 0, length;
    for (; *line; line += length + (line[length] == '\n')) {
        bool differs = false;
        length = strcspn(line, "\n");
        for (size_t k = first; k < c->n && tells(line); k++)
            differs = differs || (k != i && alike(&c->group[i], &c->group[k]) &&
                                  !has_line(c->group[k].run[0]->circumstances, line, length));
        if (!differs || n == LINES_MAX)
            continue;
        size_t blanks = strspn(line, " ");
        fprintf(f, "%s%.*s", n++ ? ", " : " (", (int)(length - blanks), line + blanks);
    }
    fputs(n ? ")" : "", f);
    return n;
}

static bool same_parent(const struct page_group *a, const struct page_group *b)
{
    size_t n = run_parent_length(a->run[0]->path);
    return n == run_parent_length(b->run[0]->path) &&
           !strncmp(a->run[0]->path, b->run[0]->path, n);
}

static void label_group(struct report_columns *c, size_t first, size_t i)
{
    struct page_group *g = &c->group[i];
    const char *path = g->run[0]->path;
    bool twice = false, here = false;
    size_t length;
    for (size_t k = first; k < c->n; k++)
        if (k != i && alike(g, &c->group[k])) {
            twice = true;
            here = here || same_parent(g, &c->group[k]);
        }
    FILE *f = mem_stream(&g->label, &length);
    fprintf(f, "%s, %s", g->run[0]->policy, g->run[0]->placement);
    if (!twice || write_differing(f, c, first, i))
        ;
    else if (here)
        fprintf(f, " (%s)", path + run_parent_length(path));
    else if (g->n == 1)
        fprintf(f, " (%s)", path);
    else
        fprintf(f, " (%.*s)", (int)run_parent_length(path), path);
    mem_stream_end(f, &g->label);
}

/* Runs of all directories are grouped together: they may be named one by one. */
static void group_runs(struct report_columns *c, const struct run_record *const *run, size_t n)
{
    size_t *group = mem_new(n, sizeof *group), first = c->n, groups = runs_group(run, n, group);
    for (size_t k = 0; k < groups; k++)
        add_group(c);
    for (size_t i = 0; i < n; i++)
        add_run(c, &c->group[first + group[i]], run[i]);
    for (size_t k = first; k < c->n; k++) {
        label_group(c, first, k);
        c->group[k].directory = joined(c->group[k].run[0]->path, "", "");
    }
    free(group);
}

/* ==== A sweep ==== */

struct parameter { char *name; size_t column; struct intern *values; bool words; };
struct sweep {
    struct report_columns *to;
    const char *directory;
    bool alone;                   /* nothing else is on the page */
    struct parameter *parameter;
    size_t n, capacity, first;    /* first: group of this sweep */
    struct intern *points;        /* all values but the seed's: a group each */
};

static int on_header(void *self, const struct row *header, struct error *err)
{
    struct sweep *s = self;
    size_t first = table_column(header, "name"), end = table_column(header, "key");
    (void)err;
    for (size_t k = first + 1; k < end; k++) {
        const struct cell *c = &header->cell[k];
        if (!strcmp(c->text, "seed"))
            continue;
        mem_grow(&s->parameter, &s->capacity, s->n, sizeof *s->parameter);
        s->parameter[s->n++] =
            (struct parameter){ mem_text(c->text, c->length), k, intern_new(), false };
    }
    return 0;
}

static bool is_number(const char *text)
{
    char *end;
    strtod(text, &end);
    return *text && !*end;
}

/* The values of a point, each ended by a character that none holds. */
static char *values_of(struct sweep *s, const struct row *row)
{
    char *text;
    size_t length;
    FILE *f = mem_stream(&text, &length);
    for (size_t k = 0; k < s->n; k++) {
        const struct cell *c = &row->cell[s->parameter[k].column];
        intern_add(s->parameter[k].values, c->text, c->length);
        s->parameter[k].words = s->parameter[k].words || (*c->text && !is_number(c->text));
        fprintf(f, "%s\n", c->text);
    }
    mem_stream_end(f, &text);
    return text;
}

static struct page_group *point_group(struct sweep *s, const struct row *row)
{
    char *values = values_of(s, row);
    uint32_t known = intern_count(s->points),
             number = intern_add(s->points, values, strlen(values));
    free(values);
    if (number < known)
        return &s->to->group[s->first + number];
    struct page_group *g = add_group(s->to);
    g->value = mem_new(s->n, sizeof *g->value);
    for (size_t k = 0; k < s->n; k++) {
        const struct cell *c = &row->cell[s->parameter[k].column];
        g->value[k] = mem_text(c->text, c->length);
    }
    return g;
}

static int on_point(void *self, const struct row *row, const size_t *at, struct error *err)
{
    struct sweep *s = self;
    struct report_columns *c = s->to;
    struct error why = { "" };
    const char *name = row->cell[at[0]].text, *key = row->cell[at[1]].text;
    struct page_group *g = point_group(s, row);
    struct runset *set = runset_of_point(s->directory, name, key, &why);
    (void)err;
    if (!set) {
        mem_grow(&c->failed, &c->failed_capacity, c->n_failed, sizeof *c->failed);
        c->failed[c->n_failed++] = mem_text(why.text, strlen(why.text));
        return 0;
    }
    keep_set(c, set);
    add_run(c, g, &set->run[0]);
    if (g->directory)
        return 0;
    char *runs = joined(s->directory, "/runs/", name), *manifest = joined(runs, "/", "manifest.json");
    if (access(manifest, R_OK) == 0) {
        results_hold(runs);
        g->directory = runs;
    } else {
        free(runs);
    }
    free(manifest);
    return 0;
}

static void label_point(const struct sweep *s, struct page_group *g)
{
    size_t length, n = 0;
    FILE *f = mem_stream(&g->label, &length);
    for (size_t k = 0; k < s->n; k++) {
        const struct parameter *p = &s->parameter[k];
        if (intern_count(p->values) < 2 || !*g->value[k])
            continue;
        fprintf(f, "%s%s%s%s", n++ ? ", " : "", p->words ? "" : p->name, p->words ? "" : " = ",
                g->value[k]);
    }
    if (n == 0)
        fprintf(f, "%s, %s", g->run[0]->policy, g->run[0]->placement);
    if (!s->alone)
        fprintf(f, " (%s)", s->directory);
    mem_stream_end(f, &g->label);
}

static void group_free(struct page_group *g, size_t values)
{
    for (size_t k = 0; g->value && k < values; k++)
        free(g->value[k]);
    free(g->value);
    free(g->label);
    free(g->run);
    free(g->directory);
}

/* Labels, and of the values only those of the parameters that differ. */
static void finish_groups(struct sweep *s)
{
    struct report_columns *c = s->to;
    size_t kept = s->first;
    for (size_t i = s->first; i < c->n; i++) {
        if (c->group[i].n == 0) {
            group_free(&c->group[i], s->n);
            continue;
        }
        c->group[kept] = c->group[i];
        label_point(s, &c->group[kept++]);
    }
    c->n = kept;
    if (s->alone)
        c->parameter = mem_new(s->n + 1, sizeof *c->parameter);
    for (size_t k = 0; k < s->n; k++) {
        bool differs = s->alone && intern_count(s->parameter[k].values) > 1;
        for (size_t i = s->first; i < c->n; i++) {
            char **value = c->group[i].value;
            if (differs)
                value[c->n_parameters] = value[k];
            else
                free(value[k]);
        }
        if (differs)
            c->parameter[c->n_parameters++] = s->parameter[k].name;
        else
            free(s->parameter[k].name);
        intern_free(s->parameter[k].values);
    }
}

static int read_sweep(struct report_columns *c, const char *directory, bool alone, struct error *err)
{
    static const char *const columns[] = { "name", "key", NULL };
    static const struct result_file file = { "points.csv", columns, on_point, on_header };
    struct sweep s = { .to = c, .directory = directory, .alone = alone, .first = c->n,
                       .points = intern_new() };
    int result = result_file_read_or_fail(directory, &file, &s, err);
    finish_groups(&s);
    intern_free(s.points);
    free(s.parameter);
    if (result == 0 && c->n == s.first)
        return error_set(err, "%s: no point of this sweep has a result", directory);
    return result;
}

/* ==== All of them ==== */

static int read_directory(struct report_columns *c, const char *path, const struct run_record ***run,
                          size_t *n, struct error *err)
{
    struct runset *set = runset_read(path, err);
    if (!set)
        return -1;
    keep_set(c, set);
    *run = mem_resize(*run, *n + set->n, sizeof **run);
    for (size_t k = 0; k < set->n; k++) {
        results_hold(set->run[k].path);
        (*run)[(*n)++] = &set->run[k];
    }
    return 0;
}

int report_columns_read(struct report_columns *c, const char *const *path, size_t n,
                  struct error *err)
{
    const struct run_record **run = NULL;
    size_t runs = 0;
    int result = 0;
    for (size_t i = 0; i < n && result == 0; i++)
        result = sweep_is_there(path[i]) ? read_sweep(c, path[i], n == 1, err)
                                         : read_directory(c, path[i], &run, &runs, err);
    if (result == 0 && runs)
        group_runs(c, run, runs);
    free(run);
    return result;
}

void report_columns_free(struct report_columns *c)
{
    for (size_t i = 0; i < c->n; i++)
        group_free(&c->group[i], c->n_parameters);
    for (size_t k = 0; k < c->n_parameters; k++)
        free(c->parameter[k]);
    for (size_t i = 0; i < c->n_failed; i++)
        free(c->failed[i]);
    for (size_t i = 0; i < c->n_sets; i++)
        runset_free(c->set[i]);
    free(c->group);
    free(c->parameter);
    free(c->failed);
    free(c->set);
}
