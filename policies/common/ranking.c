/* ranking.c - blocks of jobs, in order where they are walked. See ranking.h. */
#include "policies/common/ranking.h"
#include "sim/contract/util/array.h"

enum { FAR_SAMPLE = 16 };

/* ---- The order ---- */

static inline bool stands_before(const struct ranked *a, const struct ranked *b)
{
    return line_key_before(a->key, a->job, b->key, b->job);
}

/* The first place among the first n of the block that is not before x. */
static uint32_t place_in(const struct ranking_block *b, uint32_t n, const struct ranked *x)
{
    uint32_t from = 0, to = n;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (stands_before(&b->ranked[middle], x))
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static void put_in_order(struct ranking_block *b)
{
    for (; b->ordered < b->n; b->ordered++) {
        const struct ranked x = b->ranked[b->ordered];
        uint32_t at = place_in(b, b->ordered, &x);
        array_open(b->ranked, b->ordered, at, sizeof *b->ranked);
        b->ranked[at] = x;
    }
}

static uint32_t place_of(const struct ranking_block *b, uint32_t e)
{
    uint32_t at = 0;
    while (b->ranked[at].entry != e)
        at++;
    return at;
}

/* Of the part to which x belongs. */
static struct ranking_block *block_of(const struct ranking *r, const struct ranked *x)
{
    size_t low = 0, high = r->n_parts;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (stands_before(x, &r->part[middle].floor))
            high = middle;
        else
            low = middle;
    }
    return r->part[low].block;
}

static void number_blocks(struct ranking *r, size_t from)
{
    for (; from < r->n_parts; from++)
        r->part[from].block->number = (uint32_t)from;
}

/* An empty block in front of `at`. */
static struct ranking_block *part_open(struct sched *s, struct ranking *r, size_t at,
                                       struct ranked floor)
{
    struct ranking_block *b =
        r->n_spare ? r->spare[--r->n_spare] : sched_alloc(s, sizeof(struct ranking_block));
    r->part =
        array_grown(sched_alloc, s, r->part, &r->parts_capacity, r->n_parts, sizeof *r->part);
    array_open(r->part, r->n_parts++, at, sizeof *r->part);
    r->part[at] = (struct ranking_part){ floor, b };
    b->n = b->ordered = 0;
    number_blocks(r, at);
    return b;
}

static void part_close(struct sched *s, struct ranking *r, size_t at)
{
    r->spare =
        array_grown(sched_alloc, s, r->spare, &r->spare_capacity, r->n_spare, sizeof *r->spare);
    r->spare[r->n_spare++] = r->part[at].block;
    array_close(r->part, r->n_parts--, at, sizeof *r->part);
    number_blocks(r, at);
}

/* Those of `from` from the place `at` on become the last of `to`. */
static void entries_pass(struct ranking *r, struct ranking_block *from, struct ranking_block *to,
                         uint32_t at)
{
    uint32_t n = from->n - at;
    memcpy(to->ranked + to->n, from->ranked + at, n * sizeof *to->ranked);
    for (uint32_t i = 0; i < n; i++)
        r->stand[to->ranked[to->n++].entry].in = to;
    from->n = at;
}

static struct ranking_block *split(struct sched *s, struct ranking *r, struct ranking_block *b)
{
    const uint32_t half = RANKING_BLOCK / 2;
    put_in_order(b);
    struct ranking_block *second = part_open(s, r, b->number + 1, b->ranked[half]);
    entries_pass(r, b, second, half);
    b->ordered = second->ordered = half;
    return second;
}

static void join(struct sched *s, struct ranking *r, const struct ranked *x)
{
    struct ranking_block *b = r->n_parts ? block_of(r, x) : part_open(s, r, 0, *x);
    if (b->n == RANKING_BLOCK) {
        struct ranking_block *second = split(s, r, b);
        if (!stands_before(x, &second->ranked[0]))
            b = second;
    }
    b->ranked[b->n++] = *x;
    r->stand[x->entry].in = b;
}

/* Blocks that are a quarter full together become one. */
static void block_leave(struct sched *s, struct ranking *r, uint32_t e)
{
    struct ranking_block *b = r->stand[e].in;
    uint32_t at = place_of(b, e);
    array_close(b->ranked, b->n--, at, sizeof *b->ranked);
    b->ordered -= at < b->ordered;
    struct ranking_block *next =
        b->number + 1 < r->n_parts ? r->part[b->number + 1].block : NULL;
    if (next && b->n + next->n <= RANKING_BLOCK / 4) {
        entries_pass(r, next, b, 0);
        part_close(s, r, next->number);
    } else if (!b->n) {
        part_close(s, r, b->number);
    }
}

/* ---- Far from the end ---- */

static bool stands_far(const struct ranking *r, const struct ranked *x)
{
    return r->from_end && (!r->n_parts || stands_before(x, &r->part[0].floor));
}

static void far_put(struct ranking *r, uint32_t at, const struct ranked *x)
{
    r->far[at] = *x;
    r->stand[x->entry] = (struct ranking_stand){ NULL, at };
}

static void far_join(struct sched *s, struct ranking *r, const struct ranked *x)
{
    r->far = array_grown(sched_alloc, s, r->far, &r->far_capacity, r->n_far, sizeof *r->far);
    far_put(r, (uint32_t)r->n_far++, x);
}

static void far_leave(struct ranking *r, uint32_t at)
{
    if (at < --r->n_far)
        far_put(r, at, &r->far[r->n_far]);
}

/* Some of the last are from here on: the first if there are few, else the last of a sample. */
static struct ranked far_floor(const struct ranking *r)
{
    bool few = r->n_far <= RANKING_BLOCK;
    size_t step = few ? 1 : r->n_far / FAR_SAMPLE;
    const struct ranked *floor = &r->far[0];
    for (size_t i = step; i < r->n_far; i += step)
        if (stands_before(&r->far[i], floor) == few)
            floor = &r->far[i];
    return *floor;
}

/* The last of them come into blocks, in front of all others. */
static void far_come(struct sched *s, struct ranking *r)
{
    for (size_t i = 0; r->key && i < r->n_far; i++)
        r->far[i].key = r->key(s, r->far[i].job, r->params);
    const struct ranked floor = far_floor(r);
    part_open(s, r, 0, floor);
    for (size_t i = r->n_far; i-- > 0;) {
        const struct ranked x = r->far[i];
        if (stands_before(&x, &floor))
            continue;
        far_leave(r, (uint32_t)i);
        join(s, r, &x);
    }
}

/* ---- Changes ---- */

static void leave(struct sched *s, struct ranking *r, uint32_t e)
{
    if (r->stand[e].in)
        block_leave(s, r, e);
    else
        far_leave(r, r->stand[e].far);
}

uint32_t ranking_set(struct sched *s, struct ranking *r, job_id j, struct line_key k)
{
    bool is_new;
    uint32_t e = entries_join(s, &r->jobs, j, &is_new);
    const struct ranked x = { k, j, e };
    if (is_new)
        r->stand = array_covering(sched_alloc, s, r->stand, &r->n_stand, e, sizeof *r->stand);
    else
        leave(s, r, e);
    if (stands_far(r, &x))
        far_join(s, r, &x);
    else
        join(s, r, &x);
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

/* A walk comes to this part. */
static const struct ranking_block *enter(const struct ranking *r, size_t part)
{
    struct ranking_block *b = r->part[part].block;
    put_in_order(b);
    return b;
}

bool ranking_first(const struct ranking *r, struct ranking_place *p)
{
    *p = (struct ranking_place){ 0, 0 };
    if (!r->n_parts)
        return false;
    enter(r, 0);
    return true;
}

bool ranking_last(struct sched *s, struct ranking *r, struct ranking_place *p)
{
    if (!r->n_parts && r->n_far)
        far_come(s, r);
    if (!r->n_parts)
        return false;
    *p = (struct ranking_place){ r->n_parts - 1, enter(r, r->n_parts - 1)->n - 1 };
    return true;
}

bool ranking_next(const struct ranking *r, struct ranking_place *p)
{
    if (++p->at < r->part[p->part].block->n)
        return true;
    p->at = 0;
    if (++p->part == r->n_parts)
        return false;
    enter(r, p->part);
    return true;
}

bool ranking_previous(struct sched *s, struct ranking *r, struct ranking_place *p)
{
    if (p->at-- > 0)
        return true;
    if (p->part == 0 && r->n_far) {
        size_t before = r->n_parts;
        far_come(s, r);
        p->part = r->n_parts - before;
    }
    if (p->part-- == 0)
        return false;
    p->at = enter(r, p->part)->n - 1;
    return true;
}

job_id *ranking_list(const struct ranking *r, job_id *to)
{
    for (size_t i = 0; i < r->n_far; i++)
        *to++ = r->far[i].job;
    for (size_t i = 0; i < r->n_parts; i++)
        for (uint32_t k = 0; k < r->part[i].block->n; k++)
            *to++ = r->part[i].block->ranked[k].job;
    return to;
}
