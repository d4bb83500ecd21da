/* run_memory.h - memory that lives as long as a run, for parts of policies that are tested without one. */
#ifndef TESTS_SUPPORT_RUN_MEMORY_H
#define TESTS_SUPPORT_RUN_MEMORY_H

#include "tests/unit/test_core.h"

#include <stdlib.h>

enum { RUN_BLOCKS = 4096 };
static void *run_block[RUN_BLOCKS];
static size_t n_run_blocks;

/* As sched_alloc(): all 0. */
static inline void *take_block(struct sched *s, size_t bytes)
{
    (void)s;
    assert_true(n_run_blocks < RUN_BLOCKS);
    return run_block[n_run_blocks++] = calloc(1, bytes + 1);
}

static inline void free_blocks(void)
{
    while (n_run_blocks)
        free(run_block[--n_run_blocks]);
}

#endif
