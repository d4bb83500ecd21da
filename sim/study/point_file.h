/* point_file.h - what came of one point, kept until all are done: one small file, called by the hash of whatever decides it.
 *
 * Renamed to its name when it is whole. A point that is defined otherwise, or has other inputs, has another name: a stale result is
 * never taken for a new one. */
#pragma once
#include "sim/results/summary.h"

struct point_result {
    bool failed;
    char *why;                    /* failed: one line */
    char *configuration;          /* not failed: the effective configuration, lines of YAML; */
    char *rows;                   /* and the lines of its summary.csv */
    char *memory;                 /* what why and rows point into */
};
/* Each 0, or -1 with err. key: 64 hexadecimal digits. */
int point_file_write(const char *directory, const char *key, const char *configuration, const struct summary *m, struct error *err);
int point_file_write_failure(const char *directory, const char *key, const char *why, struct error *err);
/* 0: *to is filled; 1: there is none; -1 with err: there is one that is not whole. */
int point_file_read(const char *directory, const char *key, struct point_result *to, struct error *err);
void point_result_free(struct point_result *r);
