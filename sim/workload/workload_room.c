/* workload_room.c - see workload.h: where the arrays with an element a job lie, and memory
 * that is given back. */
#include "sim/workload/workload.h"

#include "sim/base/bulk.h"
#include "sim/base/memory.h"
#include "sim/workload/early.h"
#include "sim/workload/workload_builder.h"

#include <string.h>

void workload_drop(const struct workload *w, job_id j)
{
    bulk_pass(w->facts, j, sizeof *w->facts);
    bulk_pass(w->truth, j, sizeof *w->truth);
    bulk_texts_drop(w->names);
}

void workload_edit(const struct workload *w, job_id j)
{
    bulk_edit(w->facts, j, sizeof *w->facts);
    if (j)
        workload_drop(w, j);
}

/* Not beyond what may be in memory as long as the jobs fit there. */
static size_t next_capacity(const struct workload *w)
{
    size_t now = w->builder->capacity, next = bulk_capacity(now), in_memory = w->resident_bytes / sizeof *w->facts;
    return now < in_memory && in_memory < next ? in_memory : next;
}

/* The run that goes on meanwhile reads the rows of the last jobs. They stay memory: a row in the file costs it a page fault. */
static void give_room(struct workload *w)
{
    if (w->n_jobs > WORKLOAD_STILL_USED) {
        bulk_filled_to(w->facts, w->n_jobs - WORKLOAD_STILL_USED, sizeof *w->facts);
        bulk_filled_to(w->truth, w->n_jobs - WORKLOAD_STILL_USED, sizeof *w->truth);
    }
    bulk_ahead(w->facts, w->n_jobs, BULK_BLOCK, sizeof *w->facts);
    bulk_ahead(w->truth, w->n_jobs, BULK_BLOCK, sizeof *w->truth);
}

void workload_make_room(struct workload *w)
{
    struct workload_builder *b = w->builder;
    if (bulk_turns(w->n_jobs) && b->early)
        give_room(w);
    else if (bulk_turns(w->n_jobs)) {
        bulk_fill(w->facts, w->n_jobs, sizeof *w->facts);
        bulk_fill(w->truth, w->n_jobs, sizeof *w->truth);
        bulk_fill(b->tie, w->n_jobs, sizeof *b->tie);
    }
    if (w->n_jobs < b->capacity)
        return;
    if (b->early)
        early_miss(b->early, true);
    b->capacity = next_capacity(w);
    w->facts = bulk_resize(w->facts, b->capacity, sizeof *w->facts, workload_resident(w, sizeof *w->facts));
    w->truth = bulk_resize(w->truth, b->capacity, sizeof *w->truth, workload_resident(w, sizeof *w->truth));
    if (b->tie)
        b->tie = bulk_resize(b->tie, b->capacity, sizeof *b->tie, workload_resident(w, sizeof *b->tie));
}

const char *workload_name(struct workload *w, const char *name, size_t length)
{
    if (!w->resident_bytes || w->n_jobs < w->resident_bytes / sizeof *w->facts)
        return arena_text(w->memory, name, length);
    if (!w->names)
        w->names = bulk_texts_new();
    return bulk_text(w->names, name, length);
}

int64_t *workload_no_ties(const struct workload *w)
{
    int64_t *tie = bulk_resize(NULL, w->builder->capacity, sizeof *tie, workload_resident(w, sizeof *tie));
    return memset(tie, 0, w->n_jobs * sizeof *tie);
}
