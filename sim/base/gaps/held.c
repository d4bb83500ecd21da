/* held.c - see held.h. */
#include "sim/base/gaps/held.h"

#include "sim/base/memory.h"

#include <stdlib.h>
#include <string.h>

void held_begin(struct held *h)
{
    size_t capacity = 0;
    *h = (struct held){ .planes = 1, .n = 1 };
    mem_grow(&h->word, &capacity, 0, sizeof *h->word);
    while (capacity < 2)
        mem_grow(&h->word, &capacity, capacity, sizeof *h->word);
    h->capacity = (uint32_t)capacity;
    h->word[0] = (uint64_t)INT64_MIN;
    h->word[1] = 0;
}

void held_end(struct held *h)
{
    free(h->word);
}

static void make_room(struct held *h, size_t words)
{
    size_t capacity = h->capacity;
    while (capacity < words)
        mem_grow(&h->word, &capacity, capacity, sizeof *h->word);
    h->capacity = (uint32_t)capacity;
}

/* From the last row on, so that each moves to where nothing is to be read any more. */
static __attribute__((noinline)) void add_plane(struct held *h)
{
    size_t was = 1 + h->planes, is = was + 1;
    make_room(h, h->n * is);
    for (size_t i = h->n; i-- > 0;) {
        memmove(h->word + i * is, h->word + i * was, was * sizeof *h->word);
        h->word[i * is + was] = 0;
    }
    h->planes++;
}

/* The row that begins at that time; there is one from now on. INT64_MAX: behind the last. */
static uint32_t row_from(struct held *h, int64_t time)
{
    uint32_t i = held_at(h, time);
    if (time == INT64_MAX)
        return h->n;
    if (held_time(h, i) == time)
        return i;
    size_t words = 1 + h->planes;
    make_room(h, (h->n + 1) * words);
    memmove(held_row(h, i + 1), held_row(h, i), (h->n - i) * words * sizeof *h->word);
    h->n++;
    *held_row(h, i + 1) = (uint64_t)time;
    return i + 1;
}

/* The row begins with a change no more. */
static void join(struct held *h, uint32_t i)
{
    size_t words = 1 + h->planes;
    if (i == 0 || i >= h->n || memcmp(held_row(h, i - 1) + 1, held_row(h, i) + 1, h->planes * sizeof *h->word) != 0)
        return;
    memmove(held_row(h, i), held_row(h, i + 1), (h->n - i - 1) * words * sizeof *h->word);
    h->n--;
}

/* Units that have as many holds as the planes can count. */
static uint64_t full(const struct held *h, uint32_t i)
{
    uint64_t units = UINT64_MAX;
    for (uint32_t k = 0; k < h->planes; k++)
        units &= held_row(h, i)[1 + k];
    return units;
}

static void count(uint64_t *plane, uint64_t units, int sign)
{
    for (uint64_t carry = units, was; carry; plane++) {
        was = *plane;
        *plane ^= carry;
        carry &= sign > 0 ? was : ~was;
    }
}

/* held_change() with any number of planes. */
static __attribute__((noinline)) bool change_planes(struct held *h, uint64_t units, int64_t from, int64_t until, int sign)
{
    bool several = false;
    uint32_t low = row_from(h, from), high = row_from(h, until);
    for (uint32_t i = low; i < high; i++) {
        while (sign > 0 && full(h, i) & units)
            add_plane(h);
        if (sign > 0)
            several |= (held_units(h, i) & units) != 0;
        count(held_row(h, i) + 1, units, sign);
        if (sign < 0)
            several |= (held_units(h, i) & units) != 0;
    }
    join(h, high);
    join(h, low);
    return several;
}

/* Rows from `first` up to `end` go by so many, with one plane. */
static void rows_move(struct held *h, uint32_t first, uint32_t end, int by)
{
    if (by && first < end)
        memmove(h->word + 2 * ((int64_t)first + by), h->word + 2 * (int64_t)first, 2 * (end - first) * sizeof *h->word);
}

/* Rows low to high - 1, of which the first is cut at `from`, change; a row at each edge begins that did not, or begins with a change no
 * more. Returns the row of `from` now. */
static uint32_t change_between(struct held *h, uint32_t low, uint32_t high, uint64_t units, int64_t from, int64_t until)
{
    uint64_t first = held_row(h, low)[1], last = held_row(h, high - 1)[1];
    bool begins = held_time(h, low) < from, is_row = high < h->n && held_time(h, high) == until;
    bool low_goes = !begins && low > 0 && held_row(h, low - 1)[1] == (first ^ units);
    bool high_goes = is_row && held_row(h, high)[1] == (last ^ units), ends = !is_row && until != INT64_MAX;
    int between = begins - low_goes, behind = between + ends - high_goes;
    make_room(h, 2 * (size_t)(h->n + 2));
    for (uint32_t i = low + begins; i < high; i++)
        held_row(h, i)[1] ^= units;
    if (behind > 0)
        rows_move(h, high + high_goes, h->n, behind);
    rows_move(h, low + 1, high, between);
    if (behind < 0)
        rows_move(h, high + high_goes, h->n, behind);
    h->n = (uint32_t)((int)h->n + behind);
    if (begins)
        memcpy(held_row(h, low + 1), (uint64_t[]){ (uint64_t)from, first ^ units }, 2 * sizeof *h->word);
    if (ends)
        memcpy(held_row(h, (uint32_t)((int)high + between)), (uint64_t[]){ (uint64_t)until, last }, 2 * sizeof *h->word);
    return low + begins - low_goes;
}

bool held_change(struct held *h, uint32_t *row, uint64_t units, int64_t from, int64_t until, int sign)
{
    uint32_t high = *row;
    bool one = h->planes == 1;
    for (; one && high < h->n && (high == *row || held_time(h, high) < until); high++)
        one = sign < 0 || !(held_row(h, high)[1] & units);
    if (one) {
        *row = change_between(h, *row, high, units, from, until);
        return false;
    }
    bool several = change_planes(h, units, from, until, sign);
    *row = held_at(h, from);
    return several;
}

size_t held_crowded(const struct held *h)
{
    size_t rows = 0;
    for (uint32_t i = 0; h->planes > 1 && i < h->n; i++) {
        uint64_t units = 0;
        for (uint32_t k = 1; k < h->planes; k++)
            units |= held_row(h, i)[1 + k];
        rows += units != 0;
    }
    return rows;
}
