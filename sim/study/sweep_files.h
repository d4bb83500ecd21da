/* sweep_files.h - the directory of a sweep, or of a shard of one.
 *
 *   sweep.json     version, experiment, inputs, shard
 *   points.csv     every point of the experiment, with the key of its result
 *   points/KEY     the result of a point (point_file.h)
 *   runs/NAME/     the full results of a point, if runs are kept
 *   sweep.csv      at the end: a row for each metric of each point, in the order of points
 *   failures.csv   at the end: a row for each point that failed, with the reason
 *   .lock          held by the process that writes there */
#pragma once
#include "sim/study/grid.h"

#include <jansson.h>

/* points.csv, a line for each point: number, name, labels of its values, key. */
struct sweep_row {
    uint32_t number;
    const char *name, *key;
    const char *fields;           /* the line without the key */
};
struct sweep_list {
    const char *columns;          /* the header without the key */
    size_t n;
    struct sweep_row *row;        /* ascending numbers */
    struct arena *memory;
};
/* key NULL: none */
struct sweep_list *sweep_list_new(const struct experiment *e, const struct grid *g,
                                  char *const *key);
struct sweep_list *sweep_list_read(const char *directory, struct error *err);    /* NULL with err */
int  sweep_list_write(const struct sweep_list *l, const char *directory, struct error *err);
void sweep_list_free(struct sweep_list *l);                  /* NULL: does nothing */
/* on stdout, without the keys */
void sweep_list_print(const struct sweep_list *l, size_t first, size_t end);

/* sweep.json: two shards belong to one sweep if all but path and shard are equal. */
/* kind: "cluster", "trace", "policy", "placement" */
struct sweep_input { const char *kind, *label, *path, *sha256; };
struct sweep_about {
    /* name, path and hash of the experiment file */
    const char *experiment, *path, *sha256;
    const char *version, *commit;
    struct shard shard;
    size_t points, n_inputs;
    struct sweep_input *input;
    json_t *read;                 /* owns the texts if it was read; NULL: texts are borrowed */
};
int  sweep_about_write(const struct sweep_about *a, const char *directory, struct error *err);
int  sweep_about_read(struct sweep_about *to, const char *directory, struct error *err);
void sweep_about_free(struct sweep_about *a);                /* of one that was read */

bool sweep_is_there(const char *directory);                  /* a directory with a points.csv */
/* Whether a sweep may be put there: no file of it is an input of this process, nor unless `force`
 * is there while the directory has no sweep.json of gpuyard. 0, or -1 with err. */
int  sweep_check(const char *directory, bool force, struct error *err);
/* a descriptor to close at the end; -1 with err: locked */
int  sweep_lock(const char *directory, struct error *err);

/* sweep.csv and failures.csv of rows first to end - 1, both or none, from the results in
 * DIRECTORY/points. *failed: the number of failed points. 0, or -1 with err. */
int sweep_tables_write(const struct sweep_list *l, size_t first, size_t end, const char *directory,
                       size_t *failed, struct error *err);
