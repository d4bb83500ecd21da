/* admit.h - which reservations (sim/cluster/reservations/reservations.h) each job may use: those that name its
 * queue or one above, its user, its account or one above, or one of its partitions; and those whose
 * taint it tolerates, all its tasks alike, for more than 0 s. */
#pragma once
#include "sim/cluster/cluster.h"
#include "sim/workload/workload.h"

/* Sets of reservations, bit k % 64 of word k / 64, each once; set 0 is empty. In the memory of the
 * workload. of_job[j]: its number. */
struct admitted { uint32_t n; const uint64_t **set; uint32_t *of_job; };
struct admitted admit(const struct cluster *c, const struct workload *w);
