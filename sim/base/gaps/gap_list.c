/* gap_list.c - see gap_list.h. */
#include "sim/base/gaps/gap_list.h"

#include "sim/base/inlined.h"
#include "sim/base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = GAP_BLOCK };

void gap_list_free(struct gap_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        free(l->block[i].items);
    free(l->block);
    free(l->first);
}

/* ---- Places ---- */

/* Gap i of the block comes before that one. */
static inline bool comes_before(const struct gap_items *items, uint32_t i, const struct gap *gap)
{
    if (items->from[i] != gap->from)
        return items->from[i] < gap->from;
    return items->group[i] != gap->group ? items->group[i] < gap->group : items->until[i] < gap->until;
}

/* The last block of which the first gap comes before that one; the first block if there is none. Those that begin at the same time
 * are few, but for those without a beginning. */
static size_t block_of(struct gap_list *l, const struct gap *gap)
{
    size_t low = l->last;
    if (low + 1 < l->n && l->first[low] < gap->from && l->first[low + 1] > gap->from)
        return low;
    low = 0;
    for (size_t n = l->n, half; n > 1; n -= half) {
        half = n / 2;
        low += l->first[low + half] < gap->from ? half : 0;
    }
    size_t n = low + 1 < l->n && l->first[low + 1] == gap->from ? l->n - low : 1;
    for (size_t half; n > 1; n -= half) {
        half = n / 2;
        low += comes_before(l->block[low + half].items, 0, gap) ? half : 0;
    }
    l->last = low;
    return low;
}

/* The first of the block that does not come before that gap. */
static uint32_t item_of(const struct gap_block *b, const struct gap *gap)
{
    const int64_t *from = b->items->from;
    uint32_t i = 0;
    for (uint32_t n = b->n, half; n > 1; n -= half) {
        half = n / 2;
        i += from[i + half - 1] < gap->from ? half : 0;
    }
    while (i < b->n && comes_before(b->items, i, gap))
        i++;
    return i;
}

/* ---- Changes ---- */

static void sum_up(struct gap_block *b)
{
    const struct gap_items *items = b->items;
    int64_t longest = items->length[0], last = items->until[0];
    for (uint32_t i = 1; i < b->n && (longest < INT64_MAX || last < INT64_MAX); i++) {
        longest = items->length[i] > longest ? items->length[i] : longest;
        last = items->until[i] > last ? items->until[i] : last;
    }
    b->longest = longest;
    b->last = last;
}

static void items_move(struct gap_items *to, uint32_t at, const struct gap_items *from, uint32_t first, uint32_t n)
{
    memmove(to->from + at, from->from + first, n * sizeof *to->from);
    memmove(to->until + at, from->until + first, n * sizeof *to->until);
    memmove(to->length + at, from->length + first, n * sizeof *to->length);
    memmove(to->units + at, from->units + first, n * sizeof *to->units);
    memmove(to->group + at, from->group + first, n * sizeof *to->group);
}

static void block_made(struct gap_list *l, size_t i)
{
    mem_grow(&l->block, &l->capacity, l->n, sizeof *l->block);
    mem_grow(&l->first, &l->first_capacity, l->n, sizeof *l->first);
    memmove(l->block + i + 1, l->block + i, (l->n - i) * sizeof *l->block);
    memmove(l->first + i + 1, l->first + i, (l->n - i) * sizeof *l->first);
    l->n++;
    l->block[i] = (struct gap_block){ .items = mem_new(1, sizeof(struct gap_items)) };
    l->first[i] = INT64_MIN;
}

static void block_goes(struct gap_list *l, size_t i)
{
    free(l->block[i].items);
    l->n--;
    memmove(l->block + i, l->block + i + 1, (l->n - i) * sizeof *l->block);
    memmove(l->first + i, l->first + i + 1, (l->n - i) * sizeof *l->first);
}

static void split(struct gap_list *l, size_t i)
{
    block_made(l, i + 1);
    struct gap_block *b = &l->block[i];
    b[1].n = b->n / 2;
    b->n -= b[1].n;
    items_move(b[1].items, 0, b->items, b->n, b[1].n);
    l->first[i + 1] = b[1].items->from[0];
    sum_up(b);
    sum_up(b + 1);
}

/* The block and the one behind it fill less than a half. */
static void join(struct gap_list *l, size_t i)
{
    if (i + 1 >= l->n || l->block[i].n + l->block[i + 1].n > BLOCK / 2)
        return;
    struct gap_block *b = &l->block[i];
    items_move(b->items, b->n, b[1].items, 0, b[1].n);
    b->n += b[1].n;
    sum_up(b);
    block_goes(l, i + 1);
}

static void enter(struct gap_list *l, size_t block, uint32_t i, const struct gap *gap, uint64_t units)
{
    if (l->block[block].n == BLOCK) {
        split(l, block);
        if (i > l->block[block].n)
            i -= l->block[block++].n;
    }
    struct gap_block *b = &l->block[block];
    struct gap_items *items = b->items;
    items_move(items, i + 1, items, i, b->n - i);
    items->from[i] = gap->from;
    items->until[i] = gap->until;
    items->length[i] = gap_length(gap->from, gap->until);
    items->units[i] = units;
    items->group[i] = gap->group;
    l->first[block] = items->from[0];
    b->longest = b->n == 0 || items->length[i] > b->longest ? items->length[i] : b->longest;
    b->last = b->n == 0 || items->until[i] > b->last ? items->until[i] : b->last;
    b->n++;
}

static void leave(struct gap_list *l, size_t block, uint32_t i)
{
    struct gap_block *b = &l->block[block];
    b->n--;
    bool most = b->items->length[i] == b->longest || b->items->until[i] == b->last;
    items_move(b->items, i, b->items, i + 1, b->n - i);
    if (b->n == 0) {
        block_goes(l, block);
        return;
    }
    if (most)
        sum_up(b);
    l->first[block] = b->items->from[0];
    join(l, block);
}

/* Where a gap begins and how long it is for one who asks from `after` on. It has not ended by then. */
struct step { int64_t from, length; };

static struct step step_of(int64_t after, int64_t from, int64_t until)
{
    from = from > after ? from : after;
    return (struct step){ from, until == INT64_MAX ? INT64_MAX : until - from };
}

/* As step i. Where there is no room for all of them, the first are kept. */
static void step_add(struct gap_steps *s, uint32_t i, struct step x)
{
    if (s->n == GAP_STEPS) {
        s->known = i == s->n;
        s->all = false;
        return;
    }
    memmove(s->from + i + 1, s->from + i, (s->n - i) * sizeof *s->from);
    memmove(s->length + i + 1, s->length + i, (s->n - i) * sizeof *s->length);
    s->n++;
    s->from[i] = x.from;
    s->length[i] = x.length;
}

static void step_remove(struct gap_steps *s, uint32_t i)
{
    s->n--;
    memmove(s->from + i, s->from + i + 1, (s->n - i) * sizeof *s->from);
    memmove(s->length + i, s->length + i + 1, (s->n - i) * sizeof *s->length);
}

/* A gap comes: a step, if none before it is as long. It takes the place of those behind it that are no longer. */
static void step_comes(struct gap_steps *s, const struct gap *gap)
{
    if (!s->known || gap->until <= s->after)
        return;
    struct step x = step_of(s->after, gap->from, gap->until);
    uint32_t i = gap_step_for(s, x.length), low = i;
    if (i < s->n ? s->from[i] <= x.from : !s->all && x.from > s->from[s->n - 1])
        return;
    i += i < s->n && s->length[i] == x.length;
    while (low > 0 && s->from[low - 1] >= x.from)
        low--;
    if (low == i && s->n == GAP_STEPS) {
        s->known = false;
        return;
    }
    while (i > low + 1)
        step_remove(s, --i);
    if (i == low)
        step_add(s, low, x);
    s->from[low] = x.from;
    s->length[low] = x.length;
}

/* Adds, as step i and those behind it, gaps longer than the step before: from that at which the walk stands up to those that begin by
 * `latest`, of which none is longer than `longest`. */
static void steps_between(struct gap_list *l, struct gap_walk w, uint32_t i, int64_t latest, int64_t longest)
{
    struct gap_steps *s = &l->steps;
    int64_t last = i > 0 ? s->length[i - 1] : 0;
    uint32_t item, first = i;
    const struct gap_items *items;
    for (bool all = s->all; s->known && s->all == all && last < longest;) {
        items = gap_walk_longer(&w, latest, last + 1, &item);
        if (!items)
            break;
        if (items->until[item] <= s->after)
            continue;
        struct step x = step_of(s->after, items->from[item], items->until[item]);
        if (x.length <= last)
            continue;
        if (i > first && s->from[i - 1] == x.from)
            s->length[i - 1] = x.length;
        else
            step_add(s, i++, x);
        last = x.length;
    }
}

/* Mostly another gap is as long and begins then; else what it hid may become steps, up to the next. */
static void step_goes(struct gap_list *l, const struct gap *gap)
{
    struct gap_steps *s = &l->steps;
    if (!s->known || gap->until <= s->after)
        return;
    struct step x = step_of(s->after, gap->from, gap->until);
    uint32_t i = gap_step_for(s, x.length);
    if (i == s->n || s->from[i] != x.from || s->length[i] != x.length)
        return;
    step_remove(s, i);
    if (i == s->n && !s->all) {
        s->known = i > 0;
        return;
    }
    struct gap_walk w = x.from == s->after ? gap_walk_all(l) : gap_walk_after(l, x.from - 1);
    steps_between(l, w, i, i < s->n ? s->from[i] - 1 : INT64_MAX, x.length);
}

static bool is_there(const struct gap_block *b, uint32_t i, const struct gap *gap)
{
    const struct gap_items *items = b->items;
    return i < b->n && items->from[i] == gap->from && items->until[i] == gap->until && items->group[i] == gap->group;
}

/* Where that gap is, or belongs. */
struct place { size_t block; uint32_t item; bool there; };

static struct place place_of(struct gap_list *l, const struct gap *gap)
{
    if (l->n == 0)
        block_made(l, 0);
    size_t block = block_of(l, gap);
    uint32_t i = item_of(&l->block[block], gap);
    if (i == l->block[block].n && block + 1 < l->n && is_there(&l->block[block + 1], 0, gap))
        return (struct place){ block + 1, 0, true };
    return (struct place){ block, i, is_there(&l->block[block], i, gap) };
}

void gap_list_change(struct gap_list *l, struct gap gap, uint64_t come, uint64_t go)
{
    struct place at = place_of(l, &gap);
    uint64_t *units = &l->block[at.block].items->units[at.item];
    if (!at.there) {
        enter(l, at.block, at.item, &gap, come);
        step_comes(&l->steps, &gap);
    } else if (!(*units = (*units & ~go) | come)) {
        leave(l, at.block, at.item);
        step_goes(l, &gap);
    }
}

/* Gap i of the block has neighbours of other beginnings or groups there, so it keeps its place whatever its end. */
static bool is_alone(const struct gap_block *b, uint32_t i)
{
    const struct gap_items *items = b->items;
    return i > 0 && i + 1 < b->n && (items->from[i - 1] != items->from[i] || items->group[i - 1] != items->group[i]) &&
           (items->from[i + 1] != items->from[i] || items->group[i + 1] != items->group[i]);
}

void gap_list_end(struct gap_list *l, struct gap gap, uint64_t units, int64_t until)
{
    struct place at = place_of(l, &gap);
    struct gap_block *b = &l->block[at.block];
    struct gap_items *items = b->items;
    struct gap now = { gap.from, until, gap.group };
    if (!is_alone(b, at.item) || items->units[at.item] != units) {
        gap_list_change(l, gap, 0, units);
        gap_list_change(l, now, units, 0);
        return;
    }
    bool most = until < gap.until && (items->length[at.item] == b->longest || gap.until == b->last);
    items->until[at.item] = until;
    items->length[at.item] = gap_length(gap.from, until);
    b->longest = items->length[at.item] > b->longest ? items->length[at.item] : b->longest;
    b->last = until > b->last ? until : b->last;
    if (most)
        sum_up(b);
    step_comes(&l->steps, &now);          /* first: what goes looks at what there is */
    step_goes(l, &gap);
}

/* ---- The first that is long enough ---- */

int64_t gap_list_first_anew(struct gap_list *l, int64_t after, int64_t length)
{
    struct gap_steps *s = &l->steps;
    if (!s->known || s->after != after) {
        *s = (struct gap_steps){ .known = true, .all = true, .after = after };
        steps_between(l, gap_walk_all(l), 0, INT64_MAX, INT64_MAX);
    }
    uint32_t i = gap_step_for(s, length);
    if (i < s->n || s->all)
        return i < s->n ? s->from[i] : INT64_MAX;
    struct gap_walk w = gap_walk_after(l, s->from[s->n - 1]);
    uint32_t item;
    const struct gap_items *items = gap_walk_longer(&w, INT64_MAX, length, &item);
    return items ? items->from[item] : INT64_MAX;
}

/* ---- Walks ---- */

struct gap_walk gap_walk_all(const struct gap_list *l)
{
    return (struct gap_walk){ l, 0, 0 };
}

struct gap_walk gap_walk_after(struct gap_list *l, int64_t time)
{
    if (time == INT64_MAX || l->n == 0)
        return (struct gap_walk){ l, l->n, 0 };
    struct gap first = { time + 1, INT64_MIN, 0 };
    size_t block = block_of(l, &first);
    return (struct gap_walk){ l, block, item_of(&l->block[block], &first) };
}

/* The next that begins at `latest` or before, is as long, and ends at `until` or later, if that is asked: all such are as long. */
INLINED const struct gap_items *walk_on(struct gap_walk *w, int64_t latest, int64_t length, bool ends, int64_t until, uint32_t *item)
{
    for (; w->block < w->l->n; w->block++, w->item = 0) {
        const struct gap_block *b = &w->l->block[w->block];
        if (w->l->first[w->block] > latest)
            return NULL;
        if (b->longest < length || (ends && b->last < until))
            continue;
        const struct gap_items *items = b->items;
        for (uint32_t i = w->item; i < b->n; i++)
            if (ends ? items->until[i] >= until : items->length[i] >= length) {
                *item = i;
                w->item = i + 1;
                return items->from[i] <= latest ? items : NULL;
            }
    }
    return NULL;
}

const struct gap_items *gap_walk_longer(struct gap_walk *w, int64_t latest, int64_t length, uint32_t *item)
{
    return walk_on(w, latest, length, false, 0, item);
}

const struct gap_items *gap_walk_covering(struct gap_walk *w, int64_t from, int64_t until, uint32_t *item)
{
    return walk_on(w, from, until == INT64_MAX ? INT64_MAX : until - from, true, until, item);
}
