/* read_ahead.c - see read_ahead.h. The blocks are a ring. */
#include "sim/io/read_ahead.h"

#include "sim/base/memory.h"
#include "sim/base/second.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 64 * 1024, BLOCKS = 4 };                /* all of them fit into a cache that is near */

struct block {
    size_t bytes;
    long last;                    /* 1: blocks follow; else what ends the bytes: 0, or -1 with err */
    char data[BLOCK_BYTES];
};

struct read_ahead {
    read_some *read;
    void *self;
    struct block *ring;           /* [BLOCKS] */
    size_t used;                  /* bytes of the block that is being taken */
    struct error err;             /* the thread's until the last block is filled */
    pthread_t thread;
    pthread_mutex_t lock;         /* of what follows */
    pthread_cond_t moved;
    size_t filled, taken;         /* blocks */
    bool told_to_end;
};

static void fill(struct read_ahead *a, struct block *b)
{
    b->bytes = 0;
    b->last = 1;
    while (b->last > 0 && b->bytes < BLOCK_BYTES) {
        long n = a->read(a->self, b->data + b->bytes, BLOCK_BYTES - b->bytes, &a->err);
        b->bytes += n > 0 ? (size_t)n : 0;
        b->last = n > 0 ? 1 : n;
    }
}

static void *fill_all(void *self)
{
    struct read_ahead *a = self;
    pthread_mutex_lock(&a->lock);
    for (bool more = true; more;) {
        while (a->filled - a->taken == BLOCKS && !a->told_to_end)
            pthread_cond_wait(&a->moved, &a->lock);
        if (a->told_to_end)
            break;
        struct block *b = &a->ring[a->filled % BLOCKS];
        pthread_mutex_unlock(&a->lock);
        fill(a, b);
        more = b->last > 0;
        pthread_mutex_lock(&a->lock);
        a->filled++;
        pthread_cond_signal(&a->moved);
    }
    pthread_mutex_unlock(&a->lock);
    return NULL;
}

static void free_all(struct read_ahead *a)
{
    pthread_cond_destroy(&a->moved);
    pthread_mutex_destroy(&a->lock);
    free(a->ring);
    free(a);
}

struct read_ahead *read_ahead_begin(read_some *read, void *self)
{
    struct read_ahead *a = mem_new(1, sizeof *a);
    a->read = read;
    a->self = self;
    a->ring = mem_resize(NULL, BLOCKS, sizeof *a->ring);
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->moved, NULL);
    if (second_start(&a->thread, fill_all, a))
        return a;
    free_all(a);
    return NULL;
}

/* The one to take from, once it is filled. */
static const struct block *next_block(struct read_ahead *a)
{
    pthread_mutex_lock(&a->lock);
    while (a->filled == a->taken)
        pthread_cond_wait(&a->moved, &a->lock);
    pthread_mutex_unlock(&a->lock);
    return &a->ring[a->taken % BLOCKS];
}

static void give_back(struct read_ahead *a)
{
    pthread_mutex_lock(&a->lock);
    a->taken++;
    pthread_cond_signal(&a->moved);
    pthread_mutex_unlock(&a->lock);
    a->used = 0;
}

long read_ahead_take(struct read_ahead *a, void *to, size_t capacity, struct error *err)
{
    const struct block *b = next_block(a);
    while (a->used == b->bytes && b->last > 0) {
        give_back(a);
        b = next_block(a);
    }
    size_t left = b->bytes - a->used, n = left < capacity ? left : capacity;
    if (n == 0)
        return b->last < 0 ? error_set(err, "%s", a->err.text) : 0;
    memcpy(to, b->data + a->used, n);
    a->used += n;
    return (long)n;
}

void read_ahead_end(struct read_ahead *a)
{
    if (!a)
        return;
    pthread_mutex_lock(&a->lock);
    a->told_to_end = true;
    pthread_cond_signal(&a->moved);
    pthread_mutex_unlock(&a->lock);
    pthread_join(a->thread, NULL);
    free_all(a);
}
