/* ranking.c - blocks of entries in order. See ranking.h. */
#include "policies/common/ranking.h"
#include "sim/contract/util/array.h"

/* ---- The order ---- */

/* Of a sign and a size: those below 0 the other way round. */
static uint64_t word_of_number(double x)
{
    uint64_t w, sign = UINT64_C(1) << 63;
    x += 0.;                      /* -0 is 0 */
    memcpy(&w, &x, sizeof w);
    return w & sign ? ~w : w | sign;
}

static inline bool stands_before(const struct ranked *a, const struct ranked *b)
{
    if (a->word[0] != b->word[0])
        return a->word[0] < b->word[0];
    if (a->word[1] != b->word[1])
        return a->word[1] < b->word[1];
    return a->word[2] != b->word[2] ? a->word[2] < b->word[2] : a->job < b->job;
}

/* The first place in the block that is not before x. */
static uint32_t place_in(const struct ranking *r, const struct ranking_block *b,
                         const struct ranked *x)
{
    uint32_t from = 0, to = b->n;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (stands_before(&r->ranked[b->entry[middle]], x))
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* The first block of which the last entry is not before x; the last block if there is none. */
static size_t block_of(const struct ranking *r, const struct ranked *x)
{
    size_t low = 0, high = r->n_blocks - 1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct ranking_block *b = r->block[middle];
        if (stands_before(&r->ranked[b->entry[b->n - 1]], x))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void number_blocks(struct ranking *r, size_t from)
{
    for (; from < r->n_blocks; from++)
        r->block[from]->number = (uint32_t)from;
}

/* An empty block in front of `at`. */
static struct ranking_block *block_open(struct sched *s, struct ranking *r, size_t at)
{
    struct ranking_block *b =
        r->n_spare ? r->spare[--r->n_spare] : sched_alloc(s, sizeof(struct ranking_block));
    r->block = array_grown(sched_alloc, s, r->block, &r->blocks_capacity, r->n_blocks,
                           sizeof *r->block);
    array_open(r->block, r->n_blocks++, at, sizeof *r->block);
    r->block[at] = b;
    b->n = 0;
    number_blocks(r, at);
    return b;
}

static void block_close(struct sched *s, struct ranking *r, size_t at)
{
    r->spare =
        array_grown(sched_alloc, s, r->spare, &r->spare_capacity, r->n_spare, sizeof *r->spare);
    r->spare[r->n_spare++] = r->block[at];
    array_close(r->block, r->n_blocks--, at, sizeof *r->block);
    number_blocks(r, at);
}

/* The last n entries of `from` become the last of `to`. */
static void entries_pass(struct ranking *r, struct ranking_block *from, struct ranking_block *to,
                         uint32_t n)
{
    from->n -= n;
    memcpy(to->entry + to->n, from->entry + from->n, n * sizeof *to->entry);
    for (uint32_t i = 0; i < n; i++)
        r->ranked[to->entry[to->n++]].block = to;
}

static void join(struct sched *s, struct ranking *r, uint32_t e)
{
    if (!r->n_blocks)
        block_open(s, r, 0);
    struct ranking_block *b = r->block[block_of(r, &r->ranked[e])];
    uint32_t at = place_in(r, b, &r->ranked[e]);
    if (b->n == RANKING_BLOCK) {
        struct ranking_block *second = block_open(s, r, b->number + 1);
        entries_pass(r, b, second, RANKING_BLOCK / 2);
        if (at > b->n) {
            at -= b->n;
            b = second;
        }
    }
    array_open(b->entry, b->n++, at, sizeof *b->entry);
    b->entry[at] = e;
    r->ranked[e].block = b;
}

/* Blocks that are a quarter full together become one. */
static void leave(struct sched *s, struct ranking *r, uint32_t e)
{
    struct ranking_block *b = r->ranked[e].block;
    uint32_t at = b->entry[0] == e ? 0 : place_in(r, b, &r->ranked[e]);
    array_close(b->entry, b->n--, at, sizeof *b->entry);
    struct ranking_block *next = b->number + 1 < r->n_blocks ? r->block[b->number + 1] : NULL;
    if (next && b->n + next->n <= RANKING_BLOCK / 4) {
        entries_pass(r, next, b, next->n);
        block_close(s, r, next->number);
    } else if (!b->n) {
        block_close(s, r, b->number);
    }
}

uint32_t ranking_set(struct sched *s, struct ranking *r, job_id j, struct line_key k)
{
    bool is_new;
    uint32_t e = entries_join(s, &r->jobs, j, &is_new);
    if (is_new) {
        r->ranked = array_covering(sched_alloc, s, r->ranked, &r->n_ranked, e, sizeof *r->ranked);
        r->ranked[e].job = j;
    } else {
        leave(s, r, e);
    }
    r->ranked[e].key = k;
    r->ranked[e].word[0] = word_of_number(k.major);
    r->ranked[e].word[1] = word_of_number(k.minor);
    r->ranked[e].word[2] = (uint64_t)k.time_ns ^ UINT64_C(1) << 63;
    join(s, r, e);
    return e;
}

bool ranking_drop(struct sched *s, struct ranking *r, job_id j)
{
    uint32_t e = entries_leave(s, &r->jobs, j);
    if (e == ID_NONE)
        return false;
    leave(s, r, e);
    return true;
}

/* ---- Walks ---- */

bool ranking_first(const struct ranking *r, struct ranking_place *p)
{
    *p = (struct ranking_place){ 0, 0 };
    return r->n_blocks > 0;
}

bool ranking_last(const struct ranking *r, struct ranking_place *p)
{
    if (!r->n_blocks)
        return false;
    *p = (struct ranking_place){ r->n_blocks - 1, r->block[r->n_blocks - 1]->n - 1 };
    return true;
}

bool ranking_next(const struct ranking *r, struct ranking_place *p)
{
    if (++p->at < r->block[p->block]->n)
        return true;
    p->at = 0;
    return ++p->block < r->n_blocks;
}

bool ranking_previous(const struct ranking *r, struct ranking_place *p)
{
    if (p->at-- > 0)
        return true;
    if (p->block-- == 0)
        return false;
    p->at = r->block[p->block]->n - 1;
    return true;
}
