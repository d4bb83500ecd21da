/* early.c - see early.h. */
#include "sim/workload/early.h"

#include "sim/base/memory.h"
#include "sim/workload/workload_builder.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* What a row may add to, beside the jobs. */
struct said { uint32_t name[6], n_queues_seen, n_shapes, n_extras, n_waits, n_skipped; bool unsorted, ties, deadlines, numbered; };

struct early {
    const struct workload *whole;
    struct said said;             /* by the rows before the run began */
    uint32_t jobs;                /* that were counted */
    pthread_mutex_t lock;         /* of what follows */
    pthread_cond_t moved;
    uint32_t added, come;         /* jobs that are there; to which the run has come */
    const void *table;            /* of the run; NULL: none */
    size_t table_size;            /* of an element */
    uint32_t table_ahead;         /* its memory is there up to this job */
    bool ready, bound, missed, over, left, stopped, ended;
};

static const struct said *said_by(const struct workload *w, struct said *to)
{
    const struct workload_builder *b = w->builder;
    const struct intern *const names[] = { w->queue_names, w->users, w->gpu_types, w->wishes, w->models, w->sizes };
    memset(to, 0, sizeof *to);    /* it is compared as bytes */
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        to->name[i] = intern_count(names[i]);
    to->n_queues_seen = b->n_queues_seen;
    to->n_shapes = shapes_count(b->shapes);
    to->n_extras = w->n_extras;
    to->n_waits = (uint32_t)b->n_waits;
    to->n_skipped = w->n_skipped;
    to->unsorted = !b->sorted;
    to->ties = b->tie != NULL;
    to->deadlines = w->may_have_deadlines;
    to->numbered = w->numbered;
    return to;
}

struct early *early_new(const struct workload *whole, uint32_t jobs)
{
    struct early *e = mem_new(1, sizeof *e);
    e->whole = whole;
    e->jobs = jobs;
    pthread_mutex_init(&e->lock, NULL);
    pthread_cond_init(&e->moved, NULL);
    whole->builder->early = e;
    return e;
}

void early_free(struct early *e)
{
    if (!e)
        return;
    e->whole->builder->early = NULL;
    pthread_mutex_destroy(&e->lock);
    pthread_cond_destroy(&e->moved);
    free(e);
}

/* ---- The reader ---- */

/* All that rows have said so far is what a begun workload has. */
static bool is_plain(const struct early *e)
{
    const struct workload *w = e->whole;
    return !e->said.unsorted && !e->said.ties && !e->said.n_waits && !e->said.n_skipped && e->said.n_extras == 1 && !w->n_running &&
           !w->n_records && !w->builder->n_on_demand;
}

/* What follows up to the next line is called with the lock. */
static void now_missed(struct early *e)
{
    e->missed = true;
    pthread_cond_broadcast(&e->moved);
}

static void wait_for(struct early *e, const bool *flag)
{
    while (!*flag && !e->missed)
        pthread_cond_wait(&e->moved, &e->lock);
}

static bool says_more(const struct early *e)
{
    struct said now;
    said_by(e->whole, &now);
    return memcmp(&now, &e->said, sizeof now) != 0;
}

static void begin(struct early *e)
{
    said_by(e->whole, &e->said);
    if (!is_plain(e)) {
        now_missed(e);
        return;
    }
    e->added = e->whole->n_jobs;
    e->ready = true;
    pthread_cond_broadcast(&e->moved);
    wait_for(e, &e->bound);
}

static void make_memory(struct early *e)
{
    if (e->table && e->table_ahead < e->jobs && e->added >= e->table_ahead) {
        bulk_ahead(e->table, e->table_ahead, EARLY_FIRST, e->table_size);
        e->table_ahead += EARLY_FIRST;
    }
}

static void tell(struct early *e)
{
    if (says_more(e)) {
        now_missed(e);
        return;
    }
    e->added = e->whole->n_jobs;
    pthread_cond_broadcast(&e->moved);
    make_memory(e);
    while (!e->missed && !e->over && !e->left && e->added - e->come > EARLY_AHEAD)
        pthread_cond_wait(&e->moved, &e->lock);
}

/* ---- */

enum early_goes early_block(struct early *e)
{
    pthread_mutex_lock(&e->lock);
    if (!e->missed && e->ready)
        tell(e);
    else if (!e->missed && e->whole->n_jobs >= EARLY_FIRST)
        begin(e);
    enum early_goes how = e->stopped ? EARLY_STOPPED : e->missed ? EARLY_MISSED : EARLY_GOES_ON;
    pthread_mutex_unlock(&e->lock);
    return how;
}

void early_miss(struct early *e, bool moves)
{
    pthread_mutex_lock(&e->lock);
    now_missed(e);
    while (moves && e->ready && !e->left)
        pthread_cond_wait(&e->moved, &e->lock);
    pthread_mutex_unlock(&e->lock);
}

void early_read_all(struct early *e, bool well)
{
    pthread_mutex_lock(&e->lock);
    if (!well || !e->ready || e->whole->n_jobs != e->jobs || says_more(e))
        now_missed(e);
    e->added = e->whole->n_jobs;
    e->ended = true;
    pthread_cond_broadcast(&e->moved);
    pthread_mutex_unlock(&e->lock);
}

/* ---- The run ---- */

bool early_ready(struct early *e)
{
    pthread_mutex_lock(&e->lock);
    wait_for(e, &e->ready);
    bool ready = !e->missed;
    pthread_mutex_unlock(&e->lock);
    return ready;
}

void early_bound(struct early *e)
{
    pthread_mutex_lock(&e->lock);
    e->bound = true;
    pthread_cond_broadcast(&e->moved);
    pthread_mutex_unlock(&e->lock);
}

uint32_t early_known(struct early *e, job_id j)
{
    enum { STEP = EARLY_AHEAD / 8 };    /* the reader hears at least so often how far the run is */
    pthread_mutex_lock(&e->lock);
    bool too_far = e->added - e->come > EARLY_AHEAD;
    e->come = j;
    if (too_far)
        pthread_cond_broadcast(&e->moved);
    while (!e->missed && e->added <= j)
        pthread_cond_wait(&e->moved, &e->lock);
    uint32_t known = e->missed ? 0 : e->added - j > STEP ? j + STEP : e->added;
    pthread_mutex_unlock(&e->lock);
    return known;
}

void early_table(struct early *e, const void *table, size_t size)
{
    pthread_mutex_lock(&e->lock);
    e->table = table;
    e->table_size = size;
    pthread_mutex_unlock(&e->lock);
}

bool early_over(struct early *e)
{
    pthread_mutex_lock(&e->lock);
    e->over = true;
    pthread_cond_broadcast(&e->moved);
    wait_for(e, &e->ended);
    bool whole = !e->missed;
    pthread_mutex_unlock(&e->lock);
    return whole;
}

static void leave(struct early *e, bool stopped)
{
    pthread_mutex_lock(&e->lock);
    e->left = e->bound = true;
    e->stopped = stopped;
    pthread_cond_broadcast(&e->moved);
    pthread_mutex_unlock(&e->lock);
}

void early_left(struct early *e)
{
    leave(e, false);
}

void early_stop(struct early *e)
{
    leave(e, true);
}
