/* requests.h - recorded requests of an inference service: one file in traces/requests/ a layout, each ending in one table;
 * traces/requests/requests.c lists them. */
#pragma once
#include "sim/io/input.h"
#include "sim/serving/request_list.h"

struct request_format {
    const char *name, *summary;
    int (*recognise)(const char *head, size_t length);       /* as in format.h: 0 no, 1 perhaps, 2 certain */
    int (*read)(struct input *in, struct request_list *l, struct error *err);    /* adds them all; 0, or -1 with err */
};
extern const struct request_format *const request_formats[]; /* ends with NULL */

const struct request_format *request_format_find(const char *name);    /* NULL: no such layout */
/* Reads PATH (plain, gzip or zstd) as that layout, NULL: told by its first bytes, and finishes the list. -1 with err. sha256: of
 * the bytes as stored. Free with request_list_free(), also after an error. */
int requests_read(const char *path, const struct request_format *format, struct request_list *l, char sha256[65],
                  struct error *err);
