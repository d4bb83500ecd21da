/* rows_in.c - see rows_in.h. */
#include "sim/cli/report/rows_in.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { COLUMNS_MOST = 16, PATH_LONG = 4096 };

struct reading { const struct rows_reader *reader; void *self; size_t column[COLUMNS_MOST]; };

static int on_header(void *self, const struct row *header, struct error *err)
{
    struct reading *r = self;
    for (size_t i = 0; i < COLUMNS_MOST && r->reader->wanted[i]; i++) {
        const char *name = r->reader->wanted[i];
        bool may_miss = *name == '?';
        r->column[i] = table_column(header, name + may_miss);
        if (r->column[i] == TABLE_NO_COLUMN && !may_miss)
            return error_set(err, "%s:%zu: want a column %s", header->file, header->line, name);
    }
    return r->reader->on_header ? r->reader->on_header(r->self, header, err) : 0;
}

static int on_row(void *self, const struct row *row, struct error *err)
{
    struct reading *r = self;
    return r->reader->on_row(r->self, row, r->column, err);
}

int rows_read(const char *directory, const char *file, const struct rows_reader *reader, void *self, struct error *err)
{
    static const struct table_handler handler = { .on_header = on_header, .on_row = on_row };
    struct reading r = { .reader = reader, .self = self };
    char path[PATH_LONG];
    snprintf(path, sizeof path, "%s/%s", directory, file);
    if (access(path, F_OK) != 0)
        return 1;
    struct input *in = input_open(path, err);
    int result = in ? table_read(in, (struct table_style){ .header = true }, &handler, &r, err) : -1;
    input_close(in);
    return result;
}

int row_number(const struct row *row, size_t column, double *to, struct error *err)
{
    char *end;
    *to = (double)NAN;
    if (column == TABLE_NO_COLUMN || !row->cell[column].length)
        return 0;
    *to = strtod(row->cell[column].text, &end);
    return *end || !isfinite(*to) ? cell_error(row, column, "a number", err) : 0;
}
