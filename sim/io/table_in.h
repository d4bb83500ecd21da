/* table_in.h - rows of a CSV or blank-separated file, each cell with its place for messages.
 *
 * CSV is read with libcsv, strictly: RFC 4180 quotes, LF or CRLF, a BOM before the header is
 * dropped, blank lines are skipped and counted, an unterminated quote is an error at the line where
 * it opened, a NUL byte is an error. */
#pragma once
#include "sim/base/error.h"
#include "sim/io/input.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cell { const char *text; size_t length; };    /* ended with NUL; valid until the handler
                                                        returns */
struct row {
    const char *file;
    size_t line;                  /* of the row's first byte, from 1 */
    size_t n;                     /* cells */
    const struct cell *cell;
    const char *const *column;    /* header names, NULL without header; for messages */
    size_t n_columns;
};
struct table_style {
    bool header;  /* the first row names the columns, and every row has as many cells */
    bool blanks;                  /* cells are separated by runs of blanks, no quotes (SWF) */
    char separator;  /* cells are separated by single such bytes, no quotes; any of them may be
                        empty; 0: CSV */
    char comment;  /* lines that begin with it (after blanks) go to `on_comment`; 0: none */
};
struct table_handler {
    /* NULL: not wanted */
    int (*on_header)(void *self, const struct row *header, struct error *err);
    /* NULL: dropped */
    int (*on_comment)(void *self, const char *line, size_t length, struct error *err);
    int (*on_row)(void *self, const struct row *row, struct error *err);
};
/* Reads all of `in`. 0, or -1 with err: the first error, of the file or of a handler (which stops
 * the reading). */
int table_read(struct input *in, struct table_style style, const struct table_handler *h,
               void *self, struct error *err);

/* "file:line:column-name: " checks. Each returns 0, or -1 with "FILE:LINE: COLUMN: want WANT, got
 * 'TEXT'". With an index of TABLE_NO_COLUMN or an empty cell *out stays unchanged, at the caller's
 * default, and the result is 0. */
#define TABLE_NO_COLUMN SIZE_MAX
/* A number may be as pandas writes it where a column has gaps: "1.0" is a whole number, "NaN" or
 * "nan" an empty cell. cell_time(): decimal seconds. */
int cell_time(const struct row *r, size_t i, int64_t least_ns, int64_t *ns, struct error *err);
int cell_integer(const struct row *r, size_t i, int64_t least, int64_t most, int64_t *out,
                 struct error *err);
int cell_decimal(const struct row *r, size_t i, int64_t scale, int64_t least, int64_t most,
                 int64_t *out, struct error *err);
/* An error about cell i with the same place and ending. Returns -1. */
int cell_error(const struct row *r, size_t i, const char *want, struct error *err);
/* Index of a column in a header, TABLE_NO_COLUMN if absent. */
size_t table_column(const struct row *header, const char *name);
/* An empty cell or a missing column is an error here: "FILE:LINE: COLUMN: want a value, got ''". */
int cell_required(const struct row *r, size_t i, struct error *err);
