/* least.h - the item with the least key of a few hundred whose keys change all the time: a tournament. Equal keys: the smallest
 * item. Items are numbers from 0; those without a key have LEAST_NONE. */
#pragma once
#include "sim/base/memory.h"

#include <stdint.h>
#include <stdlib.h>

#define LEAST_NONE INT64_MAX

struct least {
    int64_t *key;                 /* [room] */
    uint32_t *winner;             /* [room] of the games 1 .. room - 1; children of g are 2g and 2g + 1 */
    uint32_t room;                /* a power of two, at least 2 */
};

static inline uint32_t least_of_pair(const struct least *l, uint32_t left, uint32_t right)
{
    return l->key[right] < l->key[left] ? right : left;
}

/* Leaf i plays in game (room + i)/2. */
static inline uint32_t least_winner_of(const struct least *l, uint32_t game)
{
    return game < l->room ? l->winner[game] : game - l->room;
}

/* Room for items below n. */
static inline void least_grow(struct least *l, uint32_t n)
{
    uint32_t room = l->room ? l->room : 2;
    while (room < n)
        room *= 2;
    if (room == l->room)
        return;
    l->key = mem_resize(l->key, room, sizeof *l->key);
    l->winner = mem_resize(l->winner, room, sizeof *l->winner);
    for (uint32_t i = l->room; i < room; i++)
        l->key[i] = LEAST_NONE;
    l->room = room;
    for (uint32_t game = room - 1; game > 0; game--)
        l->winner[game] = least_of_pair(l, least_winner_of(l, 2 * game), least_winner_of(l, 2 * game + 1));
}

static inline void least_set(struct least *l, uint32_t item, int64_t key)
{
    if (l->key[item] == key)
        return;
    l->key[item] = key;
    for (uint32_t game = (l->room + item) / 2; game > 0; game /= 2)
        l->winner[game] = least_of_pair(l, least_winner_of(l, 2 * game), least_winner_of(l, 2 * game + 1));
}

/* Of no item at all: 0, without a key. */
static inline uint32_t least_item(const struct least *l)
{
    return l->winner[1];
}

static inline int64_t least_key(const struct least *l)
{
    return l->key[l->winner[1]];
}

static inline void least_free(struct least *l)
{
    free(l->key);
    free(l->winner);
}
