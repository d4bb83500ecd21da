/* list.h - the catalogues of the program as JSON: policies, placers, formats, GPUs, metrics,
 * columns, ...
 *
 * `gpuyard list` shows a list as JSON or as text that is made from that JSON. */
#pragma once
#include <jansson.h>

/* make() gives a new array of objects. Objects with "summary" or "columns" are shown as entries,
 * others as a table. */
struct listing {
    const char *name;             /* NULL ends the list */
    json_t *(*make)(void);
};
extern const struct listing listings[];
