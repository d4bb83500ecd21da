/* rows.c - see rows.h. */
#include "sim/cli/plot/rows.h"

#include "sim/cli/frame/result_file.h"

#include <stdio.h>
#include <string.h>

enum { PATH_LONG = 4096 };
struct reading {
    const char *const *columns;
    void (*row)(void *self, const struct fields *f);
    void *self;
};

static bool is_text(const char *column)
{
    return column[*column == '?'] == '$';
}

static int on_row(void *self, const struct row *row, const size_t *at, struct error *err)
{
    const struct reading *r = self;
    struct fields f = { 0 };
    for (size_t i = 0; r->columns[i]; i++)
        if (is_text(r->columns[i]))
            f.text[i] = at[i] == TABLE_NO_COLUMN ? NULL : row->cell[at[i]].text;
        else if (result_number(row, at[i], &f.number[i], err))
            return -1;
    r->row(r->self, &f);
    return 0;
}

int rows_read(const char *directory, const char *file, const char *const *columns,
              void (*row)(void *self, const struct fields *f), void *self, struct error *err)
{
    const char *plain[ROW_COLUMNS + 1] = { NULL };
    char optional[ROW_COLUMNS][64];
    for (size_t i = 0; columns[i]; i++) {
        plain[i] = columns[i] + (columns[i][0] == '$');
        if (columns[i][0] == '?' && is_text(columns[i])) {
            snprintf(optional[i], sizeof optional[i], "?%s", columns[i] + 2);
            plain[i] = optional[i];
        }
    }
    struct reading r = { columns, row, self };
    return result_file_read_or_fail(directory, &(struct result_file){ file, plain, on_row, NULL },
                                    &r, err);
}

size_t rows_lines(const char *directory, const char *file)
{
    char path[PATH_LONG], block[1 << 16];
    size_t lines = 0, n;
    snprintf(path, sizeof path, "%s/%s", directory, file);
    FILE *f = fopen(path, "r");
    while (f && (n = fread(block, 1, sizeof block, f)) > 0)
        for (const char *at = block; (at = memchr(at, '\n', n - (size_t)(at - block))); at++)
            lines++;
    if (f)
        fclose(f);
    return lines;
}
