/* kueue.h - cases of Kueue's preemption: which workloads does one incoming workload evict? */
#pragma once
#include <jansson.h>
#include <stddef.h>

/* 0: the victims and the reasons that are named are those expected. 1: they differ. 2: skipped.
 * Of the last two `why` tells. */
int kueue_case(const json_t *c, char *why, size_t size);
