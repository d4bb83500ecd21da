/* json_array.h - a file that is one JSON array, or one object a line, read item by item in bounded
 * memory.
 *
 * An item has at most 16 MiB. Duplicate keys, text behind the array and malformed JSON are errors
 * with their line. */
#pragma once
#include "sim/base/error.h"
#include "sim/io/input.h"

#include <jansson.h>

struct json_item {
    const json_t *value;          /* an object, valid until the handler returns */
    const char *file;
    size_t line;                  /* where the item begins, from 1 */
    struct error *err;
};
/* 0, or -1 with err, which ends the reading */
typedef int json_item_handler(void *self, const struct json_item *item);
/* Both: 0, or -1 with err. */
int json_lines_read(struct input *in, json_item_handler *handler, void *self, struct error *err);
int json_array_read(struct input *in, json_item_handler *handler, void *self, struct error *err);
