/* sharing_file.h - the section `sharing` of a cluster file. */
#pragma once
#include "sim/core/config.h"
#include "sim/core/memory.h"
#include "sim/world/sharing.h"

/* Absent: sharing_usual. Keeps texts in `memory`. -1 with err. */
int sharing_read(struct config_value section, struct sharing *to, struct arena *memory, struct error *err);
