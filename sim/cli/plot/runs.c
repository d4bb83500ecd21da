/* runs.c - see runs.h. */
#include "sim/cli/plot/runs.h"

#include "sim/cli/plot/compare/design.h"
#include "sim/cli/plot/rows.h"
#include "sim/cli/plot/words.h"
#include "sim/study/runset.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL_WIDE = 60 };

/* ---- Labels ---- */

/* The last part of a path. Of "." and the like that of the path which it stands for. */
static const char *directory_name(struct arena *memory, const char *path)
{
    char *real = NULL;
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/')
        n--;
    size_t from = n;
    while (from > 0 && path[from - 1] != '/')
        from--;
    bool dots = n - from == strspn(path + from, ".") && n - from <= 2;
    if ((dots || n == from) && (real = realpath(path, NULL))) {
        const char *slash = strrchr(real, '/');
        path = slash && slash[1] ? slash + 1 : real;
        from = 0;
        n = strlen(path);
    }
    const char *name = arena_text(memory, path + from, n - from);
    free(real);
    return name_clean(memory, name, NAME_WIDE);
}

static const char *parent_name(struct arena *memory, const char *path)
{
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/')
        n--;
    while (n > 0 && path[n - 1] != '/')
        n--;
    return directory_name(memory, n ? arena_text(memory, path, n) : ".");
}

/* The policy with its parameters; a plugin goes by its name, not by its path. */
static const char *label_of(struct arena *memory, const struct run_record *run, const char *name)
{
    const char *policy = run->policy && strchr(run->policy, '/') ? run->policy_name : run->policy;
    if (!policy)
        return name;
    return name_clean(memory,
                      words(memory, "%s%s%s", policy, run->placement_name ? ", " : "",
                            run->placement_name ? run->placement_name : ""),
                      LABEL_WIDE);
}

static size_t times(const char *const *text, size_t n, const char *one)
{
    size_t found = 0;
    for (size_t i = 0; i < n; i++)
        found += !strcmp(text[i], one);
    return found;
}

struct group_head {
    const char *label;
    const struct plot_run *first;
    size_t runs;
};

/* Another group of this label, and one that stands in the same directory. */
static void find_namesakes(struct arena *memory, const struct group_head *head, size_t groups,
                           size_t g, bool *any, bool *beside)
{
    *any = *beside = false;
    for (size_t k = 0; k < groups; k++) {
        bool same = k != g && !strcmp(head[k].label, head[g].label);
        *any = *any || same;
        *beside = *beside || (same && !strcmp(parent_name(memory, head[k].first->path),
                                              parent_name(memory, head[g].first->path)));
    }
}

/* Groups of one label are told apart by the directory that they stand in; single runs, and groups
 * in the same, by their first run. */
static const char *const *label_groups(struct arena *memory, const struct plot_run *run,
                                       const char *const *label, size_t n, size_t groups)
{
    const char **text = arena_alloc(memory, groups * sizeof *text);
    struct group_head *head = arena_alloc(memory, groups * sizeof *head);
    for (size_t i = n; i-- > 0;) {
        struct group_head *h = &head[run[i].group];
        *h = (struct group_head){ label[i], &run[i], h->runs + 1 };
    }
    for (size_t g = 0; g < groups; g++) {
        bool any, beside;
        find_namesakes(memory, head, groups, g, &any, &beside);
        const char *where = head[g].runs > 1 && !beside ? parent_name(memory, head[g].first->path)
                                                        : head[g].first->name;
        any = any && strcmp(where, head[g].label) != 0;
        text[g] = any ? words(memory, "%s (%s)", head[g].label, where) : head[g].label;
    }
    return text;
}

/* ---- Runs that a sweep kept, in its folder runs ---- */

/* The directory of the sweep, with its slash; NULL: no such place. */
static const char *sweep_of(struct arena *memory, const char *path)
{
    const char *parent = arena_text(memory, path, run_parent_length(path));
    if (strcmp(parent_name(memory, path), "runs") != 0)
        return NULL;
    size_t n = run_parent_length(parent);
    return n ? arena_text(memory, parent, n) : "./";
}

/* All runs are points of one sweep: point[i] is that of run i. NULL: they are not. */
static struct design *design_of(struct arena *memory, char *const *directory, size_t n,
                                const struct design_point **point)
{
    struct error err = { "" };
    const char *sweep = n ? sweep_of(memory, directory[0]) : NULL;
    struct design *d = sweep ? design_read(sweep, &err) : NULL;
    for (size_t i = 0; d && i < n; i++) {
        const char *same = sweep_of(memory, directory[i]);
        size_t from = run_parent_length(directory[i]), length = strlen(directory[i] + from);
        while (length > 1 && directory[i][from + length - 1] == '/')
            length--;
        point[i] = design_named(d, arena_text(memory, directory[i] + from, length));
        if (!same || strcmp(same, sweep) != 0 || !point[i]) {
            design_free(d);
            return NULL;
        }
    }
    return d;
}

void plot_runs_order(char **directory, size_t n)
{
    struct arena *memory = arena_new();
    const struct design_point **point = arena_alloc(memory, (n + 1) * sizeof *point);
    struct design *d = design_of(memory, directory, n, point);
    for (size_t i = 1; d && i < n; i++) {
        const struct design_point *p = point[i];
        char *path = directory[i];
        size_t at = i;
        for (; at > 0 && design_compare(d, point[at - 1], p) > 0; at--) {
            point[at] = point[at - 1];
            directory[at] = directory[at - 1];
        }
        point[at] = p;
        directory[at] = path;
    }
    design_free(d);
    arena_free(memory);
}

static size_t group_points(const struct design *d, const struct design_point *const *point,
                           struct plot_run *run, size_t n)
{
    size_t groups = 0;
    for (size_t i = 0; i < n; i++) {
        size_t like = 0;
        while (like < i && memcmp(point[like]->value, point[i]->value,
                                  d->parameters * sizeof *point[i]->value) != 0)
            like++;
        run[i].group = like < i ? run[like].group : groups++;
    }
    return groups;
}

/* Labels are the parameters that differ. false: none does, or these are no points of a sweep. */
static bool label_points(struct arena *memory, char *const *directory, size_t n,
                         struct plot_run *run, size_t *groups, const char *const **group_label)
{
    const struct design_point **point = arena_alloc(memory, (n + 1) * sizeof *point);
    struct design *d = design_of(memory, directory, n, point);
    bool named = d != NULL;
    for (size_t i = 0; i < n && named; i++) {
        const char *label = design_label(d, point, n, point[i], true, memory);
        run[i].label = name_clean(memory, label, LABEL_WIDE);
        named = *label != '\0';
    }
    if (named) {
        const char **text = arena_alloc(memory, n * sizeof *text);
        *groups = group_points(d, point, run, n);
        for (size_t i = n; i-- > 0;) {
            const char *label = design_label(d, point, n, point[i], false, memory);
            text[run[i].group] = *label ? name_clean(memory, label, LABEL_WIDE) : "all seeds";
        }
        *group_label = text;
    }
    design_free(d);
    return named;
}

const struct plot_run *plot_runs(struct arena *memory, char *const *directory, size_t n,
                                 size_t *groups, const char *const **group_label)
{
    struct runset *set = runset_describe(directory, n);
    struct plot_run *run = arena_alloc(memory, n * sizeof *run);
    const char **label = arena_alloc(memory, n * sizeof *label);
    const struct run_record **record = arena_alloc(memory, n * sizeof *record);
    size_t *group = arena_alloc(memory, n * sizeof *group);
    for (size_t i = 0; i < n; i++) {
        record[i] = &set->run[i];
        run[i].path = directory[i];
        run[i].name = directory_name(memory, directory[i]);
        label[i] = label_of(memory, record[i], run[i].name);
        run[i].seed = record[i]->seed;
    }
    if (label_points(memory, directory, n, run, groups, group_label)) {
        runset_free(set);
        return run;
    }
    *groups = runs_group(record, n, group);
    for (size_t i = 0; i < n; i++) {
        run[i].group = group[i];
        bool twice = times(label, n, label[i]) > 1 && strcmp(label[i], run[i].name) != 0;
        run[i].label = twice ? words(memory, "%s (%s)", label[i], run[i].name) : label[i];
    }
    *group_label = label_groups(memory, run, label, n, *groups);
    runset_free(set);
    return run;
}

struct plot_request plot_groups(const struct plot_request *r, struct arena *memory)
{
    struct plot_request grouped = *r;
    struct plot_run *run = arena_alloc(memory, r->groups * sizeof *run);
    for (size_t i = r->n; i-- > 0;) {
        struct plot_run *of = &run[r->run[i].group];
        bool alone = !of->path;
        *of = r->run[i];
        if (!alone)
            of->label = r->group_label[of->group];
    }
    grouped.n = r->groups;
    grouped.run = run;
    return grouped;
}

/* Runs of a group, and how many of them are shown. */
struct group_runs { size_t all, shown; };

/* "seed 1 alone, of 3" where that is so of all groups of which one run stands for others. */
static const char *which_seeds(const struct plot_request *r, const struct group_runs *group,
                               struct arena *memory)
{
    const struct plot_run *first = NULL;
    bool alike = true;
    for (size_t i = 0; i < r->n; i++) {
        const struct plot_run *run = &r->run[i];
        if (group[run->group].shown == group[run->group].all)
            continue;
        first = first ? first : run;
        alike = alike && run->seed == first->seed && run->seed != INT64_MIN &&
                group[run->group].shown == 1 &&
                group[run->group].all == group[first->group].all;
    }
    if (!first)
        return NULL;
    return alike ? words(memory, "seed %lld alone, of %zu", (long long)first->seed,
                         group[first->group].all)
                 : "not all seeds";
}

struct plot_request plot_one_seed(const struct plot_request *r, const bool *named,
                                  struct arena *memory)
{
    struct plot_request one = *r;
    struct plot_run *run = arena_alloc(memory, r->n * sizeof *run);
    struct group_runs *group = arena_alloc(memory, r->groups * sizeof *group);
    one.n = 0;
    for (size_t i = 0; i < r->n; i++) {
        struct group_runs *of = &group[r->run[i].group];
        if (of->all++ == 0 || named[i]) {
            of->shown++;
            run[one.n++] = r->run[i];
        }
    }
    for (size_t i = 0; i < one.n; i++)
        if (group[run[i].group].all > 1 && group[run[i].group].shown == 1)
            run[i].label = r->group_label[run[i].group];
    one.run = run;
    one.one_seed = which_seeds(&one, group, memory);
    return one;
}

/* ---- Time ---- */

struct edges {
    double first_s, last_s;
    size_t rows;
};

static void on_time(void *self, const struct fields *f)
{
    struct edges *e = self;
    if (e->rows++ == 0)
        e->first_s = f->number[0];
    e->last_s = f->number[0];
}

static bool has_changes(const char *file)
{
    return strcmp(file, "jobs.csv") != 0 && strcmp(file, "nodes.csv") != 0 &&
           strcmp(file, "summary.csv") != 0;
}

static size_t lines_of(const struct kind *k, const char *directory)
{
    size_t lines = 0;
    for (size_t i = 0; i < KIND_FILES && k->file[i]; i++) {
        char file[64];
        snprintf(file, sizeof file, "%.*s", (int)strcspn(k->file[i], ":"), k->file[i]);
        lines += has_changes(file) ? rows_lines(directory, file) : 0;
    }
    return lines;
}

int time_axis_read(struct time_axis *axis, const struct kind *k, const struct plot_request *r,
                   struct error *err)
{
    static const char *const columns[] = { "time_s", NULL };
    double end_s = 0;
    *axis = (struct time_axis){ .begin_s = mem_new(r->n, sizeof *axis->begin_s),
                                .end_s = mem_new(r->n, sizeof *axis->end_s) };
    for (size_t i = 0; i < r->n; i++) {
        struct edges e = { 0 };
        if (rows_read(r->run[i].path, "timeseries.csv", columns, on_time, &e, err))
            return -1;
        if (!e.rows)
            return error_set(err, "%s/timeseries.csv: no rows", r->run[i].path);
        size_t lines = lines_of(k, r->run[i].path);
        axis->lines = lines > axis->lines ? lines : axis->lines;
        axis->start_s = i ? fmin(axis->start_s, e.first_s) : e.first_s;
        end_s = i ? fmax(end_s, e.last_s) : e.last_s;
        axis->begin_s[i] = e.first_s;
        axis->end_s[i] = e.last_s;
    }
    if (window_cut(&r->window, &axis->start_s, &end_s, err))
        return -1;
    for (size_t i = 0; i < r->n; i++) {
        axis->begin_s[i] = fmax(0, axis->begin_s[i] - axis->start_s);
        double last_s = fmin(axis->end_s[i], end_s);
        axis->end_s[i] = last_s <= axis->start_s ? 1 : last_s - axis->start_s;
    }
    axis->length_s = end_s <= axis->start_s ? 1 : end_s - axis->start_s;
    axis->span = window_span(&r->window, axis->start_s, axis->length_s);
    return 0;
}

void time_axis_steps(struct time_axis *axis, const struct plot_request *r, size_t lines_most,
                     size_t steps)
{
    axis->steps.length_s = axis->length_s;
    size_t room = (size_t)canvas_layout(&r->canvas) / STEP_PX;
    if (r->canvas.format == PLOT_TERM)
        axis->steps.n = (size_t)(r->canvas.columns - AXIS_MARGIN);
    else
        axis->steps.n = axis->lines <= lines_most ? 0 : room && room < steps ? room : steps;
}

double time_axis_at(const struct time_axis *axis, double clock_s)
{
    return fmax(0, clock_s - axis->start_s);
}

void time_axis_facts(const struct time_axis *axis, const struct plot_request *r, struct figure *f)
{
    double width = axis->steps.n ? axis->steps.length_s / (double)axis->steps.n : 0;
    span_facts(&axis->span, &r->canvas, f);
    if (width > 0 && r->canvas.paper.untitled)
        fprintf(stderr, "gpuyard: plot: over time each step is the mean over %s\n",
                human(figure_memory(f), width));
    fact_text(f, width > 0 ? human(figure_memory(f), width) : "", "mean_over");
}

void time_axis_free(struct time_axis *axis)
{
    free(axis->begin_s);
    free(axis->end_s);
}

void series_table(struct table *t, const struct series *l, const struct time_axis *axis, size_t i)
{
    for (size_t k = 0; k < l->n_changes; k++) {
        table_number(t, l->change[k].at_s);
        table_number(t, l->change[k].value);
    }
    table_number(t, axis->end_s[i]);
    table_number(t, l->n_changes ? l->change[l->n_changes - 1].value : 0);
}

double series_most(const struct series *l, double least)
{
    for (size_t k = 0; k < l->n_changes; k++)
        least = fmax(least, l->change[k].value);
    return least;
}
