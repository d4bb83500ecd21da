/* bitset.h - a set of small numbers with summaries: the next member is found in a few words at any
 * size.
 *
 * The bits of one level are summed up by those of the next: bit i above says that word i below is
 * not zero. Sets of one size share a shape. The words of a set, bitset_shape.words of them, zero at
 * first, belong to the caller; copying the words copies the set. A walk by bitset_next() goes on
 * while members are added and removed. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BITSET_LEVELS 5                   /* 64^5 members at most */
#define BITSET_END    UINT32_MAX

struct bitset_shape {
    uint32_t size;                        /* members are 0 .. size-1 */
    uint32_t levels;
    uint32_t at[BITSET_LEVELS];           /* first word of each level: 0 of the first */
    uint32_t words;                       /* of one set, all levels */
};

static inline struct bitset_shape bitset_shape(uint32_t size)
{
    struct bitset_shape s = { .size = size };
    uint32_t n = size ? size : 1;
    do {
        n = n / 64 + (n % 64 != 0);
        s.at[s.levels++] = s.words;
        s.words += n;
    } while (n > 1);
    return s;
}

static inline void bitset_add(const struct bitset_shape *s, uint64_t *set, uint32_t i)
{
    uint64_t old = set[i / 64];
    set[i / 64] = old | UINT64_C(1) << (i % 64);
    for (uint32_t level = 1; !old && level < s->levels; level++) {
        i /= 64;
        uint64_t *word = &set[s->at[level] + i / 64];
        old = *word;
        *word = old | UINT64_C(1) << (i % 64);
    }
}

static inline void bitset_remove(const struct bitset_shape *s, uint64_t *set, uint32_t i)
{
    uint64_t left = set[i / 64] &= ~(UINT64_C(1) << (i % 64));
    for (uint32_t level = 1; !left && level < s->levels; level++) {
        i /= 64;
        left = set[s->at[level] + i / 64] &= ~(UINT64_C(1) << (i % 64));
    }
}

static inline bool bitset_has(const uint64_t *set, uint32_t i)
{
    return set[i / 64] >> (i % 64) & 1;
}

static inline void bitset_put(const struct bitset_shape *s, uint64_t *set, uint32_t i, bool in)
{
    if (in != bitset_has(set, i))
        (in ? bitset_add : bitset_remove)(s, set, i);
}

/* The smallest member >= i, or BITSET_END. */
static inline uint32_t bitset_next(const struct bitset_shape *s, const uint64_t *set, uint32_t i)
{
    if (i >= s->size)
        return BITSET_END;
    uint64_t rest = set[i / 64] >> (i % 64);
    if (rest)
        return i + (uint32_t)__builtin_ctzll(rest);
    for (uint32_t level = 0; level < s->levels; level++) {
        rest = set[s->at[level] + i / 64] >> (i % 64);
        if (rest) {
            i += (uint32_t)__builtin_ctzll(rest);
            while (level-- > 0)
                i = i * 64 + (uint32_t)__builtin_ctzll(set[s->at[level] + i]);
            return i;
        }
        i = i / 64 + 1;
        if (level + 1 < s->levels && i >= (s->at[level + 1] - s->at[level]))
            return BITSET_END;
    }
    return BITSET_END;
}

/* The largest member <= i, or BITSET_END. */
static inline uint32_t bitset_previous(const struct bitset_shape *s, const uint64_t *set,
                                       uint32_t i)
{
    for (uint32_t level = 0; level < s->levels; level++) {
        uint64_t rest = set[s->at[level] + i / 64] << (63 - i % 64);
        if (rest) {
            i -= (uint32_t)__builtin_clzll(rest);
            while (level-- > 0)
                i = i * 64 + 63 - (uint32_t)__builtin_clzll(set[s->at[level] + i]);
            return i;
        }
        if (i / 64 == 0)
            return BITSET_END;
        i = i / 64 - 1;
    }
    return BITSET_END;
}

/* The member with `rank` smaller ones; the set must have more than `rank` members. */
static inline uint32_t bitset_select(const uint64_t *set, uint32_t rank)
{
    uint32_t word = 0;
    for (uint32_t n; (n = (uint32_t)__builtin_popcountll(set[word])) <= rank; word++)
        rank -= n;
    uint64_t bits = set[word];
    while (rank-- > 0)
        bits &= bits - 1;
    return word * 64 + (uint32_t)__builtin_ctzll(bits);
}
