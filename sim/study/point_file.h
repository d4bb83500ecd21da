/* point_file.h - the result of one point of a sweep: a small file named by the SHA-256 of
 * everything that decides the result.
 *
 *   gpuyard point 1 KEY done|failed BYTES
 *   BYTES bytes: the effective configuration, or the reason of the failure
 *   summary.csv, if it did not fail
 *   end
 *
 * The file gets its name when it is complete; one without its last line is refused. A point with
 * another definition or other inputs has another name, so a stale result is never used. */
#pragma once
#include "sim/results/summary.h"

struct point_result {
    bool failed;
    char *why;                    /* if failed: one line; points into memory */
    char *configuration;          /* else: lines of YAML; owned */
    char *rows;                   /* else: lines of summary.csv; points into memory */
    char *memory;
};
/* Each 0, or -1 with err. key: 64 hexadecimal digits. */
int point_file_write(const char *directory, const char *key, const char *configuration,
                     const struct summary *m, struct error *err);
int point_file_write_failure(const char *directory, const char *key, const char *why,
                             struct error *err);
/* 0: *to is filled; 1: there is no file; -1 with err: the file is not complete. */
int point_file_read(const char *directory, const char *key, struct point_result *to,
                    struct error *err);
void point_result_free(struct point_result *r);
