/* sharing_file.h - the section `sharing` of a cluster file. */
#pragma once
#include "sim/io/config.h"
#include "sim/base/memory.h"
#include "sim/models/sharing.h"

/* Absent: sharing_usual. Files that it names lie beside those of `folder`. Keeps texts in `memory`; to->pairs
 * is the caller's. -1 with err. */
int sharing_read(struct config_value section, const char *folder, struct sharing *to, struct arena *memory, struct error *err);
