/* json_array.h - a file that is one JSON array, or one object a line, taken item by item, so that its size does not matter.
 *
 * An item may have 16 MiB. Duplicate keys, text behind the array and what is no JSON are errors with their line. */
#pragma once
#include "sim/base/error.h"
#include "sim/io/input.h"

#include <jansson.h>

struct json_item {
    const json_t *value;          /* an object; gone when the handler returns */
    const char *file;
    size_t line;                  /* where the item begins, from 1 */
    struct error *err;
};
typedef int json_item_handler(void *self, const struct json_item *item);   /* 0, or -1 with err: stops the reading */
/* 0, or -1 with err. */
int json_lines_read(struct input *in, json_item_handler *handler, void *self, struct error *err);    /* objects one after the other */
int json_array_read(struct input *in, json_item_handler *handler, void *self, struct error *err);
