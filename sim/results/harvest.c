/* harvest.c - see harvest.h. */
#include "sim/results/harvest.h"

#include "sim/base/blocks.h"
#include "sim/base/memory.h"
#include "sim/engine/models.h"
#include "sim/results/rows.h"
#include "sim/results/summary_builder.h"

#include <stdlib.h>

struct harvest {
    const struct sched *s;
    struct output *file;          /* of rows; NULL: none are wanted */
    struct part { struct output *rows; struct job_result *job; } part[BLOCKS_THREADS];    /* of a block; NULL without rows */
    struct tally_walk *tallies;
    struct blocks *blocks;
    bool early;                   /* a row is final with its job */
};

static job_id block_end(const struct harvest *h, size_t block)
{
    job_id first = (job_id)(block * HARVEST_BLOCK), all = workload_all(run_setup_of(h->s)->workload);
    return all - first < HARVEST_BLOCK ? all : first + HARVEST_BLOCK;
}

static void make_rows(void *self, size_t block, unsigned thread)
{
    const struct harvest *h = self;
    const struct run_setup *setup = run_setup_of(h->s);
    struct output *o = h->part[thread].rows;
    struct job_result *of = h->part[thread].job;
    for (job_id j = (job_id)(block * HARVEST_BLOCK); h->file && j < block_end(h, block); j++, of++) {
        run_job_read(h->s, j, of);
        if (of->state == JOB_ABSENT && (j >= setup->workload->n_jobs || !run_takes(h->s, j)))
            continue;
        rows_job(o, setup->cluster, setup->workload, j, of);
        models_row(o, h->s, MODEL_JOBS, j);
        out_char(o, '\n');
    }
}

static void hand_on(void *self, size_t block, unsigned thread)
{
    const struct harvest *h = self;
    if (h->file)
        output_move(h->file, h->part[thread].rows);
    tally_walk_to(h->tallies, block_end(h, block), h->part[thread].job);
    run_read_to(h->s, block_end(h, block));
}

struct harvest *harvest_begin(const struct sched *s, struct output *rows)
{
    struct harvest *h = mem_new(1, sizeof *h);
    const size_t jobs = workload_all(run_setup_of(s)->workload);
    *h = (struct harvest){ .s = s, .file = rows, .tallies = tally_walk_new(s), .early = !models_have_columns(s, MODEL_JOBS) };
    for (unsigned i = 0; i < BLOCKS_THREADS && rows; i++)
        h->part[i] = (struct part){ output_memory(), mem_resize(NULL, HARVEST_BLOCK, sizeof(struct job_result)) };
    if (rows)
        rows_header_with(rows, OUTPUT_JOBS, s);
    h->blocks = blocks_begin(&(struct blocks_of){ h, (jobs + HARVEST_BLOCK - 1) / HARVEST_BLOCK, make_rows, hand_on });
    return h;
}

void harvest_final(struct harvest *h, job_id end)
{
    if (h->early)
        blocks_ready(h->blocks, end / HARVEST_BLOCK);
}

void harvest_run_ended(struct harvest *h)
{
    blocks_ready(h->blocks, SIZE_MAX);
}

static void free_harvest(struct harvest *h)
{
    for (unsigned i = 0; i < BLOCKS_THREADS; i++) {
        output_discard(h->part[i].rows);
        free(h->part[i].job);
    }
    free(h);
}

struct tally_walk *harvest_end(struct harvest *h)
{
    struct tally_walk *tallies = h->tallies;
    blocks_end(h->blocks);
    free_harvest(h);
    return tallies;
}

void harvest_abandon(struct harvest *h)
{
    blocks_abandon(h->blocks);
    tally_walk_free(h->tallies);
    free_harvest(h);
}
