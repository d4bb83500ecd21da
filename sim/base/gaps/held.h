/* held.h - which units of a group, up to 64, are held over time, and how often.
 *
 * A step function of time: a row says from when on which units have how many holds; neighbours differ.
 * Counts lie in planes: bit u of plane k is bit k of the number of holds of unit u. Most groups have
 * one plane, as a unit mostly has one hold at a time; they get more where they need them. A change
 * costs the rows that it meets, whatever the number of units. The first row begins at INT64_MIN. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct held {
    uint64_t *word;               /* [n rows] of 1 + planes words: the time, the planes */
    uint32_t n, capacity;         /* rows; words */
    uint32_t planes;
};
void held_begin(struct held *h);                             /* nothing is held */
void held_end(struct held *h);
/* One more hold (sign 1) of these units on [from, until), which is not empty, or one less (-1): there
 * is such a hold. true: on a part of it a unit had another hold, or has one left. *row: held_at(from),
 * before and after. */
bool held_change(struct held *h, uint32_t *row, uint64_t units, int64_t from, int64_t until, int sign);
/* Rows in which some unit has several holds. */
size_t held_crowded(const struct held *h);

static inline uint64_t *held_row(const struct held *h, uint32_t i)
{
    return h->word + (size_t)i * (1 + h->planes);
}
static inline int64_t held_time(const struct held *h, uint32_t i)
{
    return (int64_t)*held_row(h, i);
}
/* The units that are held from row i on. */
static inline uint64_t held_units(const struct held *h, uint32_t i)
{
    const uint64_t *plane = held_row(h, i) + 1;
    uint64_t units = plane[0];
    for (uint32_t k = 1; k < h->planes; k++)
        units |= plane[k];
    return units;
}
/* The last row at that time or before. */
static inline uint32_t held_at(const struct held *h, int64_t time)
{
    enum { COUNTED = 12 };        /* so few are counted, not halved: a count needs no branch that depends on times */
    uint32_t low = 0, n = h->n, before = 0;
    for (uint32_t half; n > COUNTED; n -= half) {
        half = n / 2;
        low += held_time(h, low + half) <= time ? half : 0;
    }
    for (uint32_t i = 1; i < n; i++)
        before += held_time(h, low + i) <= time;
    return low + before;
}
