/* rows_in.h - the rows of a result file, by the names of columns. */
#pragma once
#include "sim/core/table_in.h"

/* wanted ends with NULL; a name that begins with '?' may be missing. Row by row: column[i] is that of wanted[i], or
 * TABLE_NO_COLUMN. */
struct rows_reader {
    const char *const *wanted;
    int (*on_header)(void *self, const struct row *header, struct error *err);     /* NULL: not wanted */
    int (*on_row)(void *self, const struct row *row, const size_t *column, struct error *err);
};
/* 1: there is no such file; 0; -1 with err. */
int rows_read(const char *directory, const char *file, const struct rows_reader *reader, void *self, struct error *err);
/* An empty cell, or none, is NaN. */
int row_number(const struct row *row, size_t column, double *to, struct error *err);
