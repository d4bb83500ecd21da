/* conf.h - Slurm's files of Key=Value pairs, and what `scontrol show ... -o` prints, as records.
 *
 * A record is a line. In a configuration file a line that ends in '\' goes on, '#' begins a comment
 * unless a '\' stands before it, blanks may surround '=', a value may stand in double quotes, and
 * `Include FILE` (beside this file; %c is the name of the cluster) reads another file in place. Of
 * scontrol a word without '=' belongs to the value before it ("OS=Linux 6.1"). Keys match without
 * case. Every pair knows its place. After SchedMD/slurm:src/common/parse_config.c. */
#pragma once
#include "sim/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum conf_style { CONF_FILE, CONF_SHOWN };
struct conf_pair {
    const char *key, *value, *file;
    size_t line, column;          /* of the key */
};
struct conf_record { size_t first, n; };         /* pairs */
struct conf {
    struct conf_pair *pair; size_t n_pairs, pairs_capacity;
    struct conf_record *record; size_t n_records, records_capacity;
    struct arena *memory;
};
/* Adds the records of a file. 0, or -1 with err. conf_free() in every case. */
int  conf_read(struct conf *to, const char *path, enum conf_style style, struct error *err);
void conf_free(struct conf *c);
bool conf_is(const struct conf_pair *p, const char *key);
/* NULL: the record has no such key; of several the last. */
const struct conf_pair *conf_find(const struct conf *c, const struct conf_record *r,
                                  const char *key);
/* The last single pair of that key in all records. NULL: none. */
const struct conf_pair *conf_global(const struct conf *c, const char *key);
/* "FILE:LINE:COLUMN: KEY: want WANT, got 'VALUE'". Returns -1. */
int conf_error(const struct conf_pair *p, const char *want, struct error *err);
/* A whole number from least to most, a length of time. 0, or -1 with err. */
int conf_integer(const struct conf_pair *p, int64_t least, int64_t most, int64_t *to,
                 struct error *err);
int conf_span(const struct conf_pair *p, int64_t unit_s, int64_t *seconds, struct error *err);
/* (null), N/A, NONE, UNLIMITED, n/a or empty: nothing is said. */
bool conf_is_nothing(const char *value);
