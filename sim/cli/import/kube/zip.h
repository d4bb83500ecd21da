/* zip.h - the first file of a zip archive, in memory: stored or deflated, whole, not encrypted.
 *
 * Its sizes are not trusted: a deflated file ends where its stream ends, and archives that were
 * written to a pipe say 0 there. The checksum is compared if the header has one. The format:
 * PKWARE's APPNOTE.TXT, 4.3.7. */
#pragma once
#include "sim/base/error.h"

#include <stdbool.h>
#include <stddef.h>

bool zip_is(const char *bytes, size_t length);
/* At most `most` bytes, which the caller frees. -1 with err: "name: what". */
int zip_first(const char *name, const char *bytes, size_t length, size_t most, char **to,
              size_t *to_length, struct error *err);
