/* begun.h - a workload of which not all jobs are there yet, for a run that begins meanwhile (early.h).
 *
 * It counts all jobs. It has the facts and truth of another workload, the whole, which has room for all of them from the start, and
 * does not move them; its requests; and copies of the names that have been said so far. Nothing else: it is for jobs that say
 * nothing unusual. */
#pragma once
#include "sim/workload/workload.h"

/* Before the first row is added: room for so many. */
void workload_reserve(struct workload *whole, uint32_t jobs);
/* The same: names of queues, each once, that get the numbers 0 to n - 1, whether jobs have them or not. */
void workload_name_queues(struct workload *whole, const char *const *name, uint32_t n);
/* The same: totals become pods as they are added, as workload_make_pods() would make them. */
void workload_read_pods(struct workload *whole, uint32_t gpus);
/* `whole` is not finished, and is there until workload_begun_free(). */
struct workload *workload_begun(const struct workload *whole, uint32_t jobs);
void workload_begun_free(struct workload *w);                /* NULL: does nothing */
