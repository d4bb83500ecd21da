/* sweep_files.h - the directory of a sweep, or of a shard of one.
 *
 *   sweep.json     what is swept: version, experiment, inputs, shard
 *   points.csv     every point of the experiment, with the key of its result
 *   points/KEY     what came of a point (point_file.h)
 *   runs/NAME/     its full results, if they were to be kept
 *   sweep.csv      at the end: a metric of a point a row, in the order of points
 *   failures.csv   at the end: a point that failed a row, and why */
#pragma once
#include "sim/study/grid.h"

#include <jansson.h>

/* points.csv, with one line of CSV a point: number, name, and its values as they are called. */
struct sweep_row {
    uint32_t number;
    const char *name, *key;
    const char *fields;           /* as in the file, without the key */
};
struct sweep_list {
    const char *columns;          /* likewise */
    size_t n;
    struct sweep_row *row;
    struct arena *memory;
};
struct sweep_list *sweep_list_new(const struct experiment *e, const struct grid *g, char *const *key);    /* key NULL: none yet */
struct sweep_list *sweep_list_read(const char *directory, struct error *err);    /* NULL with err */
int  sweep_list_write(const struct sweep_list *l, const char *directory, struct error *err);
void sweep_list_free(struct sweep_list *l);                  /* NULL: does nothing */
void sweep_list_print(const struct sweep_list *l, size_t first, size_t end);    /* on stdout, without the keys */

/* What must be equal for two shards to be parts of one sweep. */
struct sweep_input { const char *kind, *label, *path, *sha256; };    /* kind: "cluster", "trace", "policy", "placement" */
struct sweep_about {
    const char *experiment, *path, *sha256;                  /* its name, where it lies, of its bytes */
    const char *version, *commit;
    struct shard shard;
    size_t points, n_inputs;
    struct sweep_input *input;
    json_t *read;                 /* what it was read from; NULL: made */
};
int  sweep_about_write(const struct sweep_about *a, const char *directory, struct error *err);
int  sweep_about_read(struct sweep_about *to, const char *directory, struct error *err);
void sweep_about_free(struct sweep_about *a);                /* of one that was read */

bool sweep_is_there(const char *directory);                  /* a directory with a points.csv */
int  sweep_lock(const char *directory, struct error *err);   /* a descriptor to close at the end; -1 with err: another has it */

/* sweep.csv and failures.csv of rows first to end - 1, whose results lie in DIRECTORY/points; both or none. *failed: how many did.
 * 0, or -1 with err: a result that is missing or not whole, or a disk that is full. */
int sweep_tables_write(const struct sweep_list *l, size_t first, size_t end, const char *directory, size_t *failed, struct error *err);
