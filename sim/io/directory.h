/* directory.h - directories that results go to. */
#pragma once
#include "sim/base/error.h"

#include <stddef.h>

/* Makes it, with those above it if need be. *made, unless NULL: the length of the outermost one on its path that is new; 0: none, it was there. 0, or
 * -1 with err. */
int directory_make(const char *path, size_t *made, struct error *err);
