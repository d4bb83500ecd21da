/* blocks.c - see blocks.h. */
#include "sim/base/blocks.h"

#include "sim/base/memory.h"
#include "sim/base/second.h"

#include <stdbool.h>
#include <stdlib.h>

/* Fewer are made before a second thread has begun. */
enum { WORTH_A_THREAD = 8 };

struct blocks {
    struct blocks_of work;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t moved;           /* one was handed on, more are ready, or no more will be made */
    size_t next, next_handed, ready; /* block to be made, to be handed on; those below it may be made */
    bool abandoned;
    pthread_t second;
    bool has_second;
};

/* The lock is held. false: there is none left. */
static bool wait_for_block(struct blocks *b)
{
    while (!b->abandoned && b->next < b->work.n && b->next >= b->ready)
        pthread_cond_wait(&b->moved, &b->lock);
    return !b->abandoned && b->next < b->work.n;
}

/* Each thread waits for its turn, so the other cannot get ahead by more than a block. */
static void take_blocks(struct blocks *b, unsigned thread)
{
    pthread_mutex_lock(&b->lock);
    while (wait_for_block(b)) {
        size_t block = b->next++;
        pthread_mutex_unlock(&b->lock);
        b->work.make(b->work.self, block, thread);
        pthread_mutex_lock(&b->lock);
        while (b->next_handed != block)
            pthread_cond_wait(&b->moved, &b->lock);
        pthread_mutex_unlock(&b->lock);
        b->work.hand_on(b->work.self, block, thread);
        pthread_mutex_lock(&b->lock);
        b->next_handed++;
        pthread_cond_broadcast(&b->moved);
    }
    pthread_mutex_unlock(&b->lock);
}

static void *second_thread(void *blocks)
{
    take_blocks(blocks, 1);
    return NULL;
}

struct blocks *blocks_begin(const struct blocks_of *work)
{
    struct blocks *b = mem_new(1, sizeof *b);
    b->work = *work;
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->moved, NULL);
    b->has_second = work->n >= WORTH_A_THREAD && second_start(&b->second, second_thread, b);
    return b;
}

static void move(struct blocks *b, size_t ready, bool abandoned)
{
    pthread_mutex_lock(&b->lock);
    b->ready = ready;
    b->abandoned = abandoned;
    pthread_cond_broadcast(&b->moved);
    pthread_mutex_unlock(&b->lock);
}

void blocks_ready(struct blocks *b, size_t end)
{
    move(b, end, false);
}

static void free_blocks(struct blocks *b)
{
    if (b->has_second)
        pthread_join(b->second, NULL);
    pthread_cond_destroy(&b->moved);
    pthread_mutex_destroy(&b->lock);
    free(b);
}

void blocks_end(struct blocks *b)
{
    blocks_ready(b, b->work.n);
    take_blocks(b, 0);
    free_blocks(b);
}

void blocks_abandon(struct blocks *b)
{
    move(b, b->ready, true);
    free_blocks(b);
}
