/* typical.h - the typical requests of a workload: see struct typical in contract/placement.h. */
#pragma once
#include "sim/base/memory.h"
#include "sim/workload/workload.h"

struct typical_list { size_t n; const struct typical *item; };
struct typical_list typical_of(const struct workload *w, struct arena *memory);
