/* runset_sweep.c - the points of a sweep as results of runs. See runset.h. */
#include "sim/study/runset_parts.h"

#include "sim/base/memory.h"
#include "sim/io/table_in.h"
#include "sim/study/point_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_LONG = 4096 };

struct reading {
    struct runset *set;
    size_t *capacity;
    const char *directory;
    const char *const *where;
    size_t n_where, *where_column, point, name, key;
};

/* ---- One point ---- */

/* What stands behind `before`, up to `end`, which is not part of it. NULL: nothing does. */
static const char *between(struct runset *s, const char *text, const char *before, const char *end)
{
    const char *at = strstr(text, before);
    at = at ? at + strlen(before) : NULL;
    return at ? arena_text(s->memory, at, strcspn(at, end)) : NULL;
}

/* The effective configuration begins with the policy and goes on with the placement. */
static int take_configuration(struct runset *s, struct run_record *run, const char *configuration, struct error *err)
{
    const char *placement = strstr(configuration, "\nplacement:"), *seed = between(s, configuration, "\nseed: ", "\n");
    run->policy = between(s, configuration, "  given: \"", "\"\n");
    run->placement = placement ? between(s, placement, "  given: \"", "\"\n") : NULL;
    if (!run->policy || !run->placement || !seed)
        return error_set(err, "%s: its configuration lacks the policy, the placement or the seed", run->path);
    run->seed = strtoll(seed, NULL, 10);
    run->configuration = arena_text(s->memory, configuration, strlen(configuration));
    run->circumstances = runset_circumstances(s, configuration);
    return 0;
}

static int take_result(struct runset *s, struct run_record *run, const struct point_result *result, struct error *err)
{
    if (result->failed)
        return error_set(err, "%s: it failed: %s", run->path, result->why);
    struct input *in = input_from_bytes(result->rows, strlen(result->rows), run->path, err);
    int read = in ? runset_read_metrics(s, run, in, err) : -1;
    input_close(in);
    return read ? -1 : take_configuration(s, run, result->configuration, err);
}

static int add_point(struct runset *s, size_t *capacity, const char *directory, const char *name, const char *key, struct error *err)
{
    char path[PATH_LONG];
    int length = snprintf(path, sizeof path, "%s: point %s", directory, name);
    struct run_record run = { .path = arena_text(s->memory, path, (size_t)(length < PATH_LONG ? length : PATH_LONG - 1)) };
    struct point_result result;
    snprintf(path, sizeof path, "%s/points", directory);
    int there = point_file_read(path, key, &result, err);
    if (there > 0)
        return error_set(err, "%s: it has no result", run.path);
    int taken = there == 0 ? take_result(s, &run, &result, err) : -1;
    if (there == 0)
        point_result_free(&result);
    mem_grow(&s->run, capacity, s->n, sizeof *s->run);
    s->run[s->n++] = run;
    return taken;
}

struct runset *runset_of_point(const char *directory, const char *name, const char *key, struct error *err)
{
    struct runset *s = mem_new(1, sizeof *s);
    size_t capacity = 0;
    s->memory = arena_new();
    if (add_point(s, &capacity, directory, name, key, err) == 0)
        return s;
    runset_free(s);
    return NULL;
}

/* ---- points.csv ---- */

static int on_header(void *self, const struct row *header, struct error *err)
{
    struct reading *r = self;
    r->point = table_column(header, "point");
    r->name = table_column(header, "name");
    r->key = table_column(header, "key");
    if (r->point == TABLE_NO_COLUMN || r->name == TABLE_NO_COLUMN || r->key == TABLE_NO_COLUMN)
        return error_set(err, "%s:%zu: want the columns point, name and key", header->file, header->line);
    for (size_t i = 0; i < r->n_where; i++) {
        char name[256];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(r->where[i], "="), r->where[i]);
        r->where_column[i] = table_column(header, name);
        if (r->where_column[i] == TABLE_NO_COLUMN || !strchr(r->where[i], '='))
            return error_set(err, "%s:%zu: there is no column '%s'", header->file, header->line, name);
    }
    return 0;
}

static int on_row(void *self, const struct row *row, struct error *err)
{
    struct reading *r = self;
    for (size_t i = 0; i < r->n_where; i++)
        if (strcmp(row->cell[r->where_column[i]].text, strchr(r->where[i], '=') + 1) != 0)
            return 0;
    char name[PATH_LONG];
    snprintf(name, sizeof name, "%s (%s)", row->cell[r->point].text, row->cell[r->name].text);
    return add_point(r->set, r->capacity, r->directory, name, row->cell[r->key].text, err);
}

int runset_add_sweep(struct runset *s, const char *directory, const char *const *where, size_t n, size_t *capacity, struct error *err)
{
    static const struct table_handler handler = { .on_header = on_header, .on_row = on_row };
    struct reading r = { .set = s, .capacity = capacity, .directory = directory, .where = where, .n_where = n,
                         .where_column = mem_new(n, sizeof *r.where_column) };
    char path[PATH_LONG];
    snprintf(path, sizeof path, "%s/points.csv", directory);
    struct input *in = input_open(path, err);
    int result = in ? table_read(in, (struct table_style){ .header = true }, &handler, &r, err) : -1;
    input_close(in);
    free(r.where_column);
    if (result == 0 && s->n == 0)
        return error_set(err, "%s: no point is as wanted: %s", directory, n ? where[0] : "there is none");
    return result;
}
