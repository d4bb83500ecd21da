/* rows_ahead.c - see rows_ahead.h. The batches are a ring: the reader fills one, those before it wait to be added. */
#include "sim/workload/rows_ahead.h"

#include "sim/base/fetch.h"
#include "sim/base/relay.h"
#include "sim/base/memory.h"
#include "sim/base/second.h"
#include "sim/workload/row_check.h"

#include <stdlib.h>
#include <string.h>

/* A batch fits into a cache that is near; longer texts are of rows that this is not for. */
enum { BATCH_ROWS = 256, BATCH_TEXT = BATCH_ROWS * 64, BATCHES = 16, TEXTS_MOST = 1024 };
enum { ROWS_FETCHED = 3 };        /* so many ahead: they lie in the caches of another processor */

struct batch {
    size_t n, text_used;
    struct place { const char *file; size_t line; } place[BATCH_ROWS];
    char row[BATCH_ROWS][JOB_ROW_USUAL];                     /* the first part of struct job_row */
    char text[BATCH_TEXT + TEXTS_MOST];                      /* that the rows point into */
};

struct rows_ahead {
    struct workload *w;
    add_row *add;
    struct batch *ring;           /* [BATCHES] */
    size_t filled;                /* batches so far; the reader writes into the next one */
    struct relay *batches;
    pthread_t second;
    bool has_second;
    pthread_mutex_t lock;         /* of what follows */
    bool failed;                  /* nothing more is added, see err */
    struct error err;
};

/* Behind a row that failed nothing is added. */
static void add_batch(struct rows_ahead *a, const struct batch *b)
{
    struct job_row row = job_row_default;
    struct error err = { "" };
    int result = 0;
    for (size_t i = 0; i < b->n && result == 0; i++) {
        fetch_lines(b->row[i + ROWS_FETCHED < b->n ? i + ROWS_FETCHED : i], JOB_ROW_USUAL);
        memcpy(&row, b->row[i], JOB_ROW_USUAL);
        result = a->add(a->w, &row, b->place[i].file, b->place[i].line, &err);
    }
    if (result == 0)
        return;
    pthread_mutex_lock(&a->lock);
    a->err = err;
    a->failed = true;
    pthread_mutex_unlock(&a->lock);
}

static bool has_failed(struct rows_ahead *a)
{
    pthread_mutex_lock(&a->lock);
    bool failed = a->failed;
    pthread_mutex_unlock(&a->lock);
    return failed;
}

static void *add_all(void *self)
{
    struct rows_ahead *a = self;
    for (size_t added = 0; relay_wait_filled(a->batches); added++) {
        if (!has_failed(a))
            add_batch(a, &a->ring[added % BATCHES]);
        relay_taken(a->batches);
    }
    return NULL;
}

struct rows_ahead *rows_ahead_begin(struct workload *w, add_row *add)
{
    struct rows_ahead *a = mem_new(1, sizeof *a);
    a->w = w;
    a->add = add;
    a->ring = mem_resize(NULL, BATCHES, sizeof *a->ring);
    a->ring[0].n = a->ring[0].text_used = 0;
    a->batches = relay_new(BATCHES);
    pthread_mutex_init(&a->lock, NULL);
    return a;
}

static int failure(struct rows_ahead *a, struct error *err)
{
    pthread_mutex_lock(&a->lock);
    bool failed = a->failed;
    if (failed)
        *err = a->err;
    pthread_mutex_unlock(&a->lock);
    return failed ? -1 : 0;
}

static int batch_full(struct rows_ahead *a, struct error *err)
{
    a->has_second = a->has_second || second_start(&a->second, add_all, a);
    if (a->has_second) {
        a->filled++;
        relay_filled(a->batches);
        relay_wait_free(a->batches);
    } else {
        add_batch(a, &a->ring[0]);
    }
    struct batch *next = &a->ring[a->filled % BATCHES];
    next->n = next->text_used = 0;
    return failure(a, err);
}

static size_t text_bytes(const struct job_row *row)
{
    return row->job_id_length + row->queue_length + row->user_length + row->gpu_type_length + row->model_length + 5;
}

bool rows_ahead_takes(const struct job_row *row)
{
    return row_is_plain(row) && text_bytes(row) <= TEXTS_MOST;
}

static void keep(struct batch *b, const char **text, size_t length)
{
    if (!*text)
        return;
    char *to = memcpy(b->text + b->text_used, *text, length);
    to[length] = '\0';
    b->text_used += length + 1;
    *text = to;
}

int rows_ahead_put(struct rows_ahead *a, const struct job_row *row, const char *file, size_t line, struct error *err)
{
    struct batch *b = &a->ring[a->filled % BATCHES];
    struct job_row kept;          /* its first part alone */
    memcpy(&kept, row, JOB_ROW_USUAL);
    keep(b, &kept.job_id, row->job_id_length);
    keep(b, &kept.queue, row->queue_length);
    keep(b, &kept.user, row->user_length);
    keep(b, &kept.gpu_type, row->gpu_type_length);
    keep(b, &kept.model, row->model_length);
    b->place[b->n] = (struct place){ file, line };
    memcpy(b->row[b->n++], &kept, JOB_ROW_USUAL);
    return b->n == BATCH_ROWS || b->text_used >= BATCH_TEXT ? batch_full(a, err) : 0;
}

static void end_second(struct rows_ahead *a)
{
    if (!a->has_second)
        return;
    relay_end(a->batches);
    pthread_join(a->second, NULL);
}

static void free_rows(struct rows_ahead *a)
{
    relay_free(a->batches);
    pthread_mutex_destroy(&a->lock);
    free(a->ring);
    free(a);
}

int rows_ahead_end(struct rows_ahead *a, struct error *err)
{
    end_second(a);
    if (!a->failed)
        add_batch(a, &a->ring[a->filled % BATCHES]);
    int result = failure(a, err);
    free_rows(a);
    return result;
}

void rows_ahead_abandon(struct rows_ahead *a)
{
    if (!a)
        return;
    pthread_mutex_lock(&a->lock);
    a->failed = true;
    pthread_mutex_unlock(&a->lock);
    end_second(a);
    free_rows(a);
}
