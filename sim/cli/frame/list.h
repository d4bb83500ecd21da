/* list.h - the catalogues of the program as JSON: policies, placers, formats, GPUs, metrics,
 * columns, kinds of plots, ...
 *
 * `gpuyard list` shows a list as JSON or as text that is made from that JSON. */
#pragma once
#include <jansson.h>
#include <stddef.h>

/* make() gives a new array of objects. Objects with "summary" or "columns" are shown as entries,
 * others as a table. */
struct listing {
    const char *name;             /* NULL ends the list */
    json_t *(*make)(void);
};
extern const struct listing listings[];

/* A list without "summary" and "columns" as a table on stdout, in at most `width` columns if a
 * name and a column fit. */
void list_table(const json_t *list, size_t width);
