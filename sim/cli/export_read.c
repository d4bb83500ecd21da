/* export_read.c - result files by the names of their columns. See export.h. */
#include "sim/cli/export.h"
#include "sim/core/input.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

enum { PATH_LONG = 4096 };

struct reading {
    const struct result_file *file;
    void *self;
    size_t at[RESULT_COLUMNS_MOST];
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
    return 0;
}

static int on_row(void *self, const struct row *row, struct error *err)
{
    struct reading *r = self;
    return r->file->row(r->self, row, r->at, err);
}

int export_read(const char *directory, const struct result_file *f, void *self, struct error *err)
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
                            &(struct table_handler){ .on_header = on_header, .on_row = on_row }, &r, err);
    input_close(in);
    return result;
}

int export_read_or_fail(const char *directory, const struct result_file *f, void *self, struct error *err)
{
    int result = export_read(directory, f, self, err);
    return result > 0 ? error_set(err, "%s/%s: is not there, and is wanted for this format", directory, f->name) : result;
}

json_t *export_manifest(const char *directory)
{
    char path[PATH_LONG];
    snprintf(path, sizeof path, "%s/manifest.json", directory);
    return json_load_file(path, 0, NULL);
}
