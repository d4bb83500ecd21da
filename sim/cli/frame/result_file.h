/* result_file.h - the files of a run's results, row by row, by the names of columns.
 *
 * They are read as streams: what is kept is up to who reads. */
#pragma once
#include "sim/base/error.h"
#include "sim/io/table_in.h"

#include <jansson.h>

struct result_file {
    const char *name;             /* "jobs.csv" */
    const char *const *columns;   /* ends with NULL; "?NAME" may be missing: then its place is TABLE_NO_COLUMN */
    int (*row)(void *self, const struct row *r, const size_t *at, struct error *err);    /* at: the places of the columns */
    int (*header)(void *self, const struct row *header, struct error *err);    /* NULL: not wanted */
};
enum { RESULT_COLUMNS_MAX = 20 };
/* 0; -1 with err; 1: there is no such file. */
int result_file_read(const char *directory, const struct result_file *f, void *self, struct error *err);
int result_file_read_or_fail(const char *directory, const struct result_file *f, void *self, struct error *err);    /* 1 is an error, too */
int result_number(const struct row *row, size_t column, double *to, struct error *err);    /* an empty cell, or none, is NaN */

/* manifest.json; NULL: there is none that can be read. The caller owns it. */
json_t *result_manifest(const char *directory);
