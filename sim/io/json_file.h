/* json_file.h - a JSON file, also as gzip or zstd, in jansson's memory. */
#pragma once
#include "sim/base/error.h"

#include <jansson.h>

#define JSON_FILE_MOST ((size_t)64 << 20) /* bytes of plain text: jansson holds all of it */

/* json_decref() it. NULL with err ("FILE:LINE: what") */
json_t *json_file_read(const char *path, struct error *err);
