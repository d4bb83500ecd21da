/* result_file.c - see result_file.h. */
#include "sim/cli/frame/result_file.h"

#include "sim/base/memory.h"
#include "sim/io/input.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_LONG = 4096 };

struct reading {
    const struct result_file *file;
    void *self;
    size_t at[RESULT_COLUMNS_MAX];
};

static int on_header(void *self, const struct row *header, struct error *err)
{
    struct reading *r = self;
    for (size_t i = 0; r->file->columns[i]; i++) {
        const char *name = r->file->columns[i];
        bool optional = *name == '?';
        r->at[i] = table_column(header, name + optional);
        if (r->at[i] == TABLE_NO_COLUMN && !optional)
            return error_set(err, "%s:%zu: no column %s", header->file, header->line, name);
    }
    return r->file->header ? r->file->header(r->self, header, err) : 0;
}

static int on_row(void *self, const struct row *row, struct error *err)
{
    struct reading *r = self;
    return r->file->row(r->self, row, r->at, err);
}

int result_file_read(const char *directory, const struct result_file *f, void *self,
                     struct error *err)
{
    char path[PATH_LONG];
    struct reading r = { .file = f, .self = self };
    snprintf(path, sizeof path, "%s/%s", directory, f->name);
    if (access(path, F_OK) != 0 && errno == ENOENT)
        return 1;
    struct input *in = input_open(path, err);
    if (!in)
        return -1;
    int result = table_read(in, (struct table_style){ .header = true },
                            &(struct table_handler){ .on_header = on_header, .on_row = on_row }, &r,
                            err);
    input_close(in);
    return result;
}

int result_file_read_or_fail(const char *directory, const struct result_file *f, void *self,
                             struct error *err)
{
    int result = result_file_read(directory, f, self, err);
    return result > 0 ? error_set(err, "%s/%s: no such file, but it is needed", directory, f->name)
                      : result;
}

json_t *result_manifest(const char *directory)
{
    char path[PATH_LONG];
    snprintf(path, sizeof path, "%s/manifest.json", directory);
    return json_load_file(path, 0, NULL);
}

struct result_places result_places_of(const char *directory)
{
    char path[PATH_LONG];
    json_t *manifest = result_manifest(directory);
    const json_t *members = json_object_get(manifest, "members");
    size_t n = json_array_size(members);
    struct result_places p = { n ? n : 1, mem_new(n ? n : 1, sizeof *p.path),
                               mem_new(n ? n : 1, sizeof *p.member) };
    for (size_t i = 0; i < p.n; i++) {
        const char *name = json_string_value(json_object_get(json_array_get(members, i), "name"));
        snprintf(path, sizeof path, "%s%s%s", directory, name ? "/" : "", name ? name : "");
        p.path[i] = mem_text(path, strlen(path));
        p.member[i] = name ? mem_text(name, strlen(name)) : NULL;
    }
    json_decref(manifest);
    return p;
}

void result_places_free(struct result_places *p)
{
    for (size_t i = 0; i < p->n; i++) {
        free(p->path[i]);
        free(p->member[i]);
    }
    free(p->path);
    free(p->member);
}

int result_number(const struct row *row, size_t column, double *to, struct error *err)
{
    char *end;
    *to = (double)NAN;
    if (column == TABLE_NO_COLUMN || !row->cell[column].length)
        return 0;
    *to = strtod(row->cell[column].text, &end);
    return *end || !isfinite(*to) ? cell_error(row, column, "a number", err) : 0;
}
