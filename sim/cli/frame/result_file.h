/* result_file.h - the CSV files of a run's results, row by row, by names of columns. Nothing of
 * a file is kept. */
#pragma once
#include "sim/base/error.h"
#include "sim/io/table_in.h"

#include <jansson.h>

struct result_file {
    const char *name;             /* "jobs.csv" */
    /* ends with NULL; "?NAME" is optional: if it is missing, its place is TABLE_NO_COLUMN */
    const char *const *columns;
    /* at: the places of the columns */
    int (*row)(void *self, const struct row *r, const size_t *at, struct error *err);
    /* NULL: not called */
    int (*header)(void *self, const struct row *header, struct error *err);
};
enum { RESULT_COLUMNS_MAX = 20 };
/* 0; -1 with err; 1: there is no such file, which for result_file_read_or_fail() is an error. */
int result_file_read(const char *directory, const struct result_file *f, void *self,
                     struct error *err);
int result_file_read_or_fail(const char *directory, const struct result_file *f, void *self,
                             struct error *err);
/* NaN: empty or no column */
int result_number(const struct row *row, size_t column, double *to, struct error *err);

/* The runs at a directory of results: of a federation those of its members, else itself alone. */
struct result_places {
    size_t n;
    char **path;
    char **member;                /* of a federation the member's name, else NULL */
};
struct result_places result_places_of(const char *directory);
void result_places_free(struct result_places *p);

/* manifest.json, owned by the caller; NULL: there is none that can be read. */
json_t *result_manifest(const char *directory);
