/* final_watch.h - what a run tells of a job that it calls final is what it tells of it at its end. As an observer; header only. */
#pragma once
#include "sim/base/memory.h"
#include "sim/engine/run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct final_watch {
    const struct sched *s;        /* set before the run is executed */
    struct job_result *told;      /* [n] */
    size_t n, capacity;
};

static inline void final_watch_see(void *self, job_id end)
{
    struct final_watch *x = self;
    assert_true(end > x->n);
    for (; x->n < end; x->n++) {
        mem_grow(&x->told, &x->capacity, x->n, sizeof *x->told);
        memset(&x->told[x->n], 0, sizeof *x->told);
        run_job_read(x->s, (job_id)x->n, &x->told[x->n]);
    }
}

/* Is told of each job, as soon as all before it are final, too. */
static inline struct run_observer final_watch_observer(struct final_watch *x)
{
    return (struct run_observer){ .self = x, .final_block = 1, .final = final_watch_see };
}

/* Where two results differ first. */
static inline size_t final_watch_differ(const struct job_result *a, const struct job_result *b)
{
    size_t i = 0;
    while (i < sizeof *a && ((const unsigned char *)a)[i] == ((const unsigned char *)b)[i])
        i++;
    return i;
}

/* After the run. Frees what was kept; returns how many jobs were final. */
static inline size_t final_watch_end(struct final_watch *x, const char *name)
{
    for (size_t j = 0; j < x->n; j++) {
        struct job_result now;
        memset(&now, 0, sizeof now);
        run_job_read(x->s, (job_id)j, &now);
        if (memcmp(&now, &x->told[j], sizeof now))
            fail_msg("%s: job %zu was final, and changed, first at byte %zu of its result", name, j, final_watch_differ(&now, &x->told[j]));
    }
    free(x->told);
    return x->n;
}
