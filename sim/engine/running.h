/* running.h - jobs that run already when they are submitted. */
#pragma once
#include "sim/engine/state.h"

int running_arrive(struct sched *s, job_id j, struct error *err);         /* 0, or RUN_BAD_INPUT with err */
