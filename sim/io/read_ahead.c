/* read_ahead.c - see read_ahead.h. The blocks are a ring. */
#include "sim/io/read_ahead.h"

#include "sim/base/relay.h"
#include "sim/base/memory.h"
#include "sim/base/second.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 64 * 1024, BLOCKS = 8 };                /* all of them fit into a cache that is near */

struct block {
    size_t bytes;
    long last;                    /* 1: blocks follow; else what ends the bytes: 0, or -1 with err */
    char data[BLOCK_BYTES];
};

struct read_ahead {
    read_some *read;
    void *self;
    struct block *ring;           /* [BLOCKS] */
    struct relay *blocks;
    size_t taken;                 /* blocks given back so far */
    size_t used;                  /* bytes of the block that is being taken */
    struct error err;             /* the thread's until the last block is filled */
    pthread_t thread;
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
    bool more = true;
    for (size_t filled = 0; more && relay_wait_free(a->blocks); filled++) {
        struct block *b = &a->ring[filled % BLOCKS];
        fill(a, b);
        more = b->last > 0;
        relay_filled(a->blocks);
    }
    relay_end(a->blocks);
    return NULL;
}

static void free_all(struct read_ahead *a)
{
    relay_free(a->blocks);
    free(a->ring);
    free(a);
}

struct read_ahead *read_ahead_begin(read_some *read, void *self)
{
    struct read_ahead *a = mem_new(1, sizeof *a);
    a->read = read;
    a->self = self;
    a->ring = mem_resize(NULL, BLOCKS, sizeof *a->ring);
    a->blocks = relay_new(BLOCKS);
    if (second_start(&a->thread, fill_all, a))
        return a;
    free_all(a);
    return NULL;
}

/* The one to take from, once it is filled: the last of all is never given back. */
static const struct block *next_block(struct read_ahead *a)
{
    relay_wait_filled(a->blocks);
    return &a->ring[a->taken % BLOCKS];
}

static void give_back(struct read_ahead *a)
{
    relay_taken(a->blocks);
    a->taken++;
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
    relay_stop(a->blocks);
    pthread_join(a->thread, NULL);
    free_all(a);
}
