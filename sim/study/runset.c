/* runset.c - see runset.h. */
#include "sim/study/runset_parts.h"

#include "sim/base/memory.h"
#include "sim/io/table_in.h"
#include "sim/study/sweep_files.h"

#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_LONG = 4096 };

/* ---- summary.csv ---- */

struct reading {
    struct runset *set;
    struct run_record *run;
    size_t metric, scope, value, capacity;
};

static int on_header(void *self, const struct row *header, struct error *err)
{
    struct reading *r = self;
    r->metric = table_column(header, "metric");
    r->scope = table_column(header, "scope");
    r->value = table_column(header, "value");
    if (r->metric == TABLE_NO_COLUMN || r->scope == TABLE_NO_COLUMN || r->value == TABLE_NO_COLUMN)
        return error_set(err, "%s:%zu: want the columns metric, scope and value", header->file, header->line);
    return 0;
}

static int on_row(void *self, const struct row *row, struct error *err)
{
    struct reading *r = self;
    const struct cell *value = &row->cell[r->value];
    char *end;
    double number = value->length ? strtod(value->text, &end) : (double)NAN;
    if (value->length && (*end || !isfinite(number)))
        return cell_error(row, r->value, "a number", err);
    mem_grow(&r->run->metric, &r->capacity, r->run->n, sizeof *r->run->metric);
    r->run->metric[r->run->n++] = (struct run_metric){
        arena_text(r->set->memory, row->cell[r->metric].text, row->cell[r->metric].length),
        arena_text(r->set->memory, row->cell[r->scope].text, row->cell[r->scope].length), number };
    return 0;
}

int runset_read_metrics(struct runset *s, struct run_record *run, struct input *in, struct error *err)
{
    static const struct table_handler handler = { .on_header = on_header, .on_row = on_row };
    struct reading r = { .set = s, .run = run };
    return table_read(in, (struct table_style){ .header = true }, &handler, &r, err);
}

/* ---- manifest.json ---- */

static bool begins_with_one(const char *line, const char *const *list)
{
    for (; *list; list++)
        if (!strncmp(line, *list, strlen(*list)))
            return true;
    return false;
}

/* What is configured from the seed on, but for names of files, the period of the policy, what is written and checked, and what
 * the cluster's hash and its settings of the command line decide: all that is in its file. */
const char *runset_circumstances(struct runset *s, const char *configuration)
{
    static const char *const passed_over[] = { "  file:", "  period_s:", "  settings_sha256:", "outputs:", "check:", "quantiles:", NULL };
    static const char *const with_all_below[] = { "  settings:", "  preemption:", "  storage:", NULL };
    const char *at = strstr(configuration, "\nseed:");
    char *text = arena_alloc(s->memory, strlen(configuration) + 1), *to = text;
    bool below = false;
    for (const char *end; at && *++at; at = end) {
        end = strchr(at, '\n');
        if (!end)
            end = at + strlen(at) - 1;
        below = begins_with_one(at, with_all_below) || (below && !strncmp(at, "    ", 4));
        if (!below && !begins_with_one(at, passed_over)) {
            memcpy(to, at, (size_t)(end - at) + 1);
            to += end - at + 1;
        }
    }
    return text;
}

static const char *member(struct runset *s, const json_t *root, const char *name, const char *path, struct error *err)
{
    const char *text = json_string_value(json_object_get(root, name));
    if (!text)
        error_set(err, "%s: want a text '%s' in it", path, name);
    return text ? arena_text(s->memory, text, strlen(text)) : NULL;
}

static int take_manifest(struct runset *s, struct run_record *run, const json_t *root, const char *path, struct error *err)
{
    const json_t *seed = json_object_get(root, "seed");
    const char *configuration = member(s, root, "configuration", path, err);
    run->policy = configuration ? member(s, root, "policy_text", path, err) : NULL;
    run->placement = run->policy ? member(s, root, "placement_text", path, err) : NULL;
    if (!run->placement)
        return -1;
    if (!json_is_integer(seed))
        return error_set(err, "%s: want a whole number 'seed' in it", path);
    run->seed = json_integer_value(seed);
    run->configuration = configuration;
    run->circumstances = runset_circumstances(s, configuration);
    return 0;
}

static int read_manifest(struct runset *s, struct run_record *run, const char *path, struct error *err)
{
    json_error_t why;
    json_t *root = json_load_file(path, 0, &why);
    if (!root)
        return error_set(err, "%s:%d:%d: %s", path, why.line, why.column, why.text);
    int result = take_manifest(s, run, root, path, err);
    json_decref(root);
    return result;
}

static const char *known_text(struct runset *s, const json_t *root, const char *name)
{
    const char *text = json_string_value(json_object_get(root, name));
    return text && *text ? arena_text(s->memory, text, strlen(text)) : NULL;
}

static void describe(struct runset *s, struct run_record *run)
{
    char path[PATH_LONG];
    snprintf(path, sizeof path, "%s/manifest.json", run->path);
    json_t *root = json_load_file(path, 0, NULL);
    const json_t *seed = json_object_get(root, "seed");
    const char *configuration = json_string_value(json_object_get(root, "configuration"));
    run->policy_name = known_text(s, root, "policy");
    run->policy = known_text(s, root, "policy_text");
    run->policy = run->policy ? run->policy : run->policy_name;
    run->placement_name = known_text(s, root, "placement");
    run->placement = known_text(s, root, "placement_text");
    run->placement = run->placement ? run->placement : run->placement_name;
    run->seed = json_is_integer(seed) ? json_integer_value(seed) : INT64_MIN;
    run->circumstances = configuration ? runset_circumstances(s, configuration) : NULL;
    json_decref(root);
}

struct runset *runset_describe(char *const *directory, size_t n)
{
    struct runset *s = mem_new(1, sizeof *s);
    s->memory = arena_new();
    s->run = mem_new(n, sizeof *s->run);
    s->n = n;
    for (size_t i = 0; i < n; i++) {
        s->run[i].path = arena_text(s->memory, directory[i], strlen(directory[i]));
        describe(s, &s->run[i]);
    }
    return s;
}

/* ---- Directories ---- */

static bool is_there(const char *directory, const char *name, char path[PATH_LONG])
{
    int n = snprintf(path, PATH_LONG, "%s/%s", directory, name);
    FILE *f = n < PATH_LONG ? fopen(path, "r") : NULL;
    if (f)
        fclose(f);
    return f != NULL;
}

static int add_run(struct runset *s, const char *directory, size_t *capacity, struct error *err)
{
    char path[PATH_LONG];
    struct run_record run = { .path = arena_text(s->memory, directory, strlen(directory)) };
    if (!is_there(directory, "manifest.json", path))
        return error_set(err, "%s: cannot read it: %s", path, strerror(errno));
    if (read_manifest(s, &run, path, err))
        return -1;
    snprintf(path, sizeof path, "%s/summary.csv", directory);
    struct input *in = input_open(path, err);
    int result = in ? runset_read_metrics(s, &run, in, err) : -1;
    input_close(in);
    mem_grow(&s->run, capacity, s->n, sizeof *s->run);
    s->run[s->n++] = run;
    return result;
}

static int named(const struct dirent *e)
{
    return e->d_name[0] != '.';
}

size_t run_directories(const char *path, char ***list)
{
    char file[PATH_LONG], directory[PATH_LONG];
    struct dirent **entry;
    size_t n = 0, capacity = 0;
    *list = NULL;
    if (is_there(path, "manifest.json", file)) {
        *list = mem_new(1, sizeof **list);
        (*list)[n++] = mem_text(path, strlen(path));
        return n;
    }
    int entries = scandir(path, &entry, named, alphasort);
    for (int i = 0; i < entries; i++) {
        int length = snprintf(directory, sizeof directory, "%s/%s", path, entry[i]->d_name);
        if (length < PATH_LONG && is_there(directory, "manifest.json", file)) {
            mem_grow(list, &capacity, n, sizeof **list);
            (*list)[n++] = mem_text(directory, strlen(directory));
        }
        free(entry[i]);
    }
    if (entries >= 0)
        free(entry);
    return n;
}

void run_directories_free(char **list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(list[i]);
    free(list);
}

static int add_runs(struct runset *s, const char *path, size_t *capacity, struct error *err)
{
    struct stat about;
    char **directory;
    size_t n = run_directories(path, &directory);
    int result = 0;
    if (n == 0 && stat(path, &about) != 0)
        result = error_set(err, "%s: cannot read it: %s", path, strerror(errno));
    else if (n == 0)
        result = error_set(err, "%s: no result of a run in it: want a manifest.json, here or one directory below", path);
    for (size_t i = 0; i < n && result == 0; i++)
        result = add_run(s, directory[i], capacity, err);
    run_directories_free(directory, n);
    return result;
}

struct runset *runset_read_where(const char *path, const char *const *where, size_t n, struct error *err)
{
    struct runset *s = mem_new(1, sizeof *s);
    size_t capacity = 0;
    int result;
    s->memory = arena_new();
    if (sweep_is_there(path))
        result = runset_add_sweep(s, path, where, n, &capacity, err);
    else if (n)
        result = error_set(err, "%s: want a sweep, of which points can be chosen by %s", path, where[0]);
    else
        result = add_runs(s, path, &capacity, err);
    if (result == 0)
        return s;
    runset_free(s);
    return NULL;
}

struct runset *runset_read(const char *path, struct error *err)
{
    return runset_read_where(path, NULL, 0, err);
}

void runset_free(struct runset *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->n; i++)
        free(s->run[i].metric);
    free(s->run);
    arena_free(s->memory);
    free(s);
}

const struct run_metric *run_metric_find(const struct run_record *r, const char *metric, const char *scope)
{
    for (size_t i = 0; i < r->n; i++)
        if (!strcmp(r->metric[i].metric, metric) && !strcmp(r->metric[i].scope, scope))
            return &r->metric[i];
    return NULL;
}
