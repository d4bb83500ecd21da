/* rates.h - how their placements let jobs get on. */
#pragma once
#include "sim/engine/state.h"

uint32_t rates_gpus(const struct request *ask);                           /* of all runs */
