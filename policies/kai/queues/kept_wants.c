/* kept_wants.c - see kept_wants.h. */
#include "policies/kai/queues/kept_wants.h"

#include <assert.h>

/* Neighbours with so many together become one. So any two hold more, which bounds their number. */
enum { JOINED = WANTS_BLOCK / 2 };

struct kept_wants wants_new(array_alloc *alloc, struct sched *s, size_t most)
{
    size_t blocks = 2 * (most / JOINED) + 3;    /* one more while a block is cut */
    struct kept_wants w = { .block = alloc(s, blocks * sizeof *w.block) };
    struct wants_block *all = alloc(s, blocks * sizeof *all);
    for (size_t i = 0; i < blocks; i++)
        w.block[i] = &all[i];
    return w;
}

static bool is_before(const struct wanting *a, int64_t wants, queue_id i)
{
    return a->wants < wants || (a->wants == wants && a->queue < i);
}

/* The first block that does not lie wholly before it; n_blocks: all do. */
static size_t block_of(const struct kept_wants *w, int64_t wants, queue_id i)
{
    size_t low = 0, high = w->n_blocks;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct wants_block *b = w->block[middle];
        if (is_before(&b->at[b->n - 1], wants, i))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static size_t place_in(const struct wants_block *b, int64_t wants, queue_id i)
{
    size_t low = 0, high = b->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (is_before(&b->at[middle], wants, i))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The block behind that one, empty, comes into use; or it goes out of use. */
static struct wants_block *take_block(struct kept_wants *w, size_t behind)
{
    struct wants_block *spare = w->block[w->n_blocks];
    array_open(w->block, w->n_blocks++, behind, sizeof *w->block);
    return w->block[behind] = spare;
}

static void give_block(struct kept_wants *w, size_t at)
{
    struct wants_block *spare = w->block[at];
    array_close(w->block, w->n_blocks--, at, sizeof *w->block);
    *spare = (struct wants_block){ 0 };
    w->block[w->n_blocks] = spare;
}

static void move_all(struct wants_block *to, const struct wants_block *from, size_t first)
{
    for (size_t i = first; i < from->n; i++) {
        to->at[to->n++] = from->at[i];
        to->sum += from->at[i].wants;
    }
}

static void cut(struct kept_wants *w, size_t at)
{
    struct wants_block *b = w->block[at], *rest = take_block(w, at + 1);
    move_all(rest, b, WANTS_BLOCK / 2);
    b->n = WANTS_BLOCK / 2;
    b->sum -= rest->sum;
}

static void join(struct kept_wants *w, size_t at)
{
    if (at + 1 >= w->n_blocks || w->block[at]->n + w->block[at + 1]->n > JOINED)
        return;
    move_all(w->block[at], w->block[at + 1], 0);
    give_block(w, at + 1);
}

void wants_add(struct kept_wants *w, int64_t wants, queue_id i)
{
    if (w->n_blocks == 0)
        (void)take_block(w, 0);
    size_t at = w->n ? block_of(w, wants, i) : 0;
    at -= at == w->n_blocks;
    struct wants_block *b = w->block[at];
    size_t place = place_in(b, wants, i);
    array_open(b->at, b->n++, place, sizeof *b->at);
    b->at[place] = (struct wanting){ wants, i };
    b->sum += wants;
    w->n++;
    if (b->n == WANTS_BLOCK)
        cut(w, at);
}

void wants_remove(struct kept_wants *w, int64_t wants, queue_id i)
{
    size_t at = block_of(w, wants, i);
    struct wants_block *b = w->block[at];
    size_t place = place_in(b, wants, i);
    assert(place < b->n);
    array_close(b->at, b->n--, place, sizeof *b->at);
    b->sum -= wants;
    w->n--;
    if (b->n == 0) {
        give_block(w, at);
    } else {
        join(w, at);
        if (at > 0)
            join(w, at - 1);
    }
}

size_t wants_rank(const struct kept_wants *w, int64_t wants, queue_id i)
{
    size_t at = block_of(w, wants, i), rank = 0;
    for (size_t b = 0; b < at; b++)
        rank += w->block[b]->n;
    return at < w->n_blocks ? rank + place_in(w->block[at], wants, i) : rank;
}

struct wants_walk wants_from(const struct kept_wants *w, size_t rank)
{
    struct wants_walk walk = { .of = w, .at = rank };
    while (walk.block < w->n_blocks && walk.at >= w->block[walk.block]->n)
        walk.at -= w->block[walk.block++]->n;
    return walk;
}

const struct wanting *wants_at(const struct kept_wants *w, size_t rank)
{
    struct wants_walk walk = wants_from(w, rank);
    return wants_next(&walk);
}

int64_t wants_sum(const struct kept_wants *w, size_t n)
{
    struct wants_walk end = wants_from(w, n);
    int64_t sum = 0;
    for (size_t b = 0; b < end.block; b++)
        sum += w->block[b]->sum;
    for (size_t i = 0; i < end.at; i++)
        sum += w->block[end.block]->at[i].wants;
    return sum;
}
