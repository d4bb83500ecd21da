/* blocks.h - work cut into blocks that two threads make side by side and hand on in order.
 *
 * A block is made by either thread, into what that thread has of its own, and then handed on: one
 * block after the other, in the order of their numbers, whoever made it. So what comes out does not
 * depend on the number of threads. blocks_begin() starts a second thread, which takes one block
 * after the other as they become ready, and returns: the caller does other things. In blocks_end()
 * all are ready, and the caller makes blocks, too, until none is left. Without a second processor,
 * with few blocks, or where no thread can be started, all is done in blocks_end().
 *
 * From blocks_begin() to blocks_end() the caller may write nothing that hand_on() writes, and nothing
 * that make() reads for blocks that are ready. Signals go to the thread of the caller. */
#pragma once
#include <stddef.h>

enum { BLOCKS_THREADS = 2 };

struct blocks_of {
    void *self;
    size_t n;
    /* thread: below BLOCKS_THREADS; two blocks of one thread are never made at the same time, and
     * one is handed on before the next is made */
    void (*make)(void *self, size_t block, unsigned thread);
    void (*hand_on)(void *self, size_t block, unsigned thread);
};

struct blocks;
struct blocks *blocks_begin(const struct blocks_of *work); /* none is ready */
void blocks_ready(struct blocks *b, size_t end);           /* those below `end` are; never fewer than before */
void blocks_end(struct blocks *b);                         /* all is done; frees it */
void blocks_abandon(struct blocks *b);                     /* no further one is made; frees it */
