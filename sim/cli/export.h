/* export.h - results of a run in the formats of other tools. A format is one file export_NAME.c and one line in cmd_export.c.
 *
 * Files are read as streams: what is kept grows with the jobs and the nodes, not with the rows. */
#pragma once
#include "sim/core/error.h"
#include "sim/core/output.h"
#include "sim/core/table_in.h"

#include <jansson.h>

/* Each writes what the results in the directory say. 0, or -1 with err. */
typedef int exporter(const char *directory, struct output *o, struct error *err);
exporter export_perfetto, export_batsim, export_openmetrics;

/* One result file, row by row. */
struct result_file {
    const char *name;             /* "jobs.csv" */
    const char *const *columns;   /* ends with NULL; "?NAME" may be missing: then its place is TABLE_NO_COLUMN */
    int (*row)(void *self, const struct row *r, const size_t *at, struct error *err);    /* at: the places of the columns */
};
enum { RESULT_COLUMNS_MOST = 16 };
/* 0; -1 with err; 1: there is no such file. */
int export_read(const char *directory, const struct result_file *f, void *self, struct error *err);
int export_read_or_fail(const char *directory, const struct result_file *f, void *self, struct error *err);    /* 1 is an error, too */

/* manifest.json; NULL: there is none that can be read. The caller owns it. */
json_t *export_manifest(const char *directory);
