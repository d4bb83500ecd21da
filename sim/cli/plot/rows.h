/* rows.h - rows of a result file as numbers and texts, and how many lines it has. */
#pragma once
#include "sim/base/error.h"

#include <stddef.h>
#include <stdint.h>

enum { ROW_COLUMNS = 20 };
struct fields {
    double number[ROW_COLUMNS];   /* NaN: an empty cell, or no such column */
    const char
        *text[ROW_COLUMNS]; /* of columns of text; as long as the row; NULL: no such column */
};
/* columns: "time_s", "$queue": a text, "?power_w": may be missing; ends with NULL. 0; -1 with err:
 * no such file or column, a row that is none. */
int rows_read(const char *directory, const char *file, const char *const *columns,
              void (*row)(void *self, const struct fields *f), void *self, struct error *err);
size_t rows_lines(const char *directory,
                  const char *file); /* ended lines, the header included; 0: unreadable */
