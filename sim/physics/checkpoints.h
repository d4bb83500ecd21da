/* checkpoints.h - see checkpoint_parts.h. */
#pragma once
#include "sim/engine/overhead.h"
