/* tournament.h - a tournament tree: the item with the smallest key, where keys change often. Equal
 * keys: the smallest item. Items are numbers from 0; an item without a key has TOURNAMENT_NONE. */
#pragma once
#include "sim/base/memory.h"

#include <stdint.h>
#include <stdlib.h>

#define TOURNAMENT_NONE INT64_MAX

struct tournament {
    int64_t *key;                 /* [room] */
    uint32_t *winner; /* [room] of the games 1 .. room - 1; children of g are 2g and 2g + 1 */
    uint32_t room;                /* a power of two, at least 2 */
};

static inline uint32_t tournament_of_pair(const struct tournament *l, uint32_t left, uint32_t right)
{
    return l->key[right] < l->key[left] ? right : left;
}

/* Leaf i plays in game (room + i)/2. */
static inline uint32_t tournament_winner_of(const struct tournament *l, uint32_t game)
{
    return game < l->room ? l->winner[game] : game - l->room;
}

/* Items below n have room; new ones have no key. */
static inline void tournament_grow(struct tournament *l, uint32_t n)
{
    uint32_t room = l->room ? l->room : 2;
    while (room < n)
        room *= 2;
    if (room == l->room)
        return;
    l->key = mem_resize(l->key, room, sizeof *l->key);
    l->winner = mem_resize(l->winner, room, sizeof *l->winner);
    for (uint32_t i = l->room; i < room; i++)
        l->key[i] = TOURNAMENT_NONE;
    l->room = room;
    for (uint32_t game = room - 1; game > 0; game--)
        l->winner[game] = tournament_of_pair(l, tournament_winner_of(l, 2 * game),
                                             tournament_winner_of(l, 2 * game + 1));
}

static inline void tournament_set(struct tournament *l, uint32_t item, int64_t key)
{
    if (l->key[item] == key)
        return;
    l->key[item] = key;
    for (uint32_t game = (l->room + item) / 2; game > 0; game /= 2)
        l->winner[game] = tournament_of_pair(l, tournament_winner_of(l, 2 * game),
                                             tournament_winner_of(l, 2 * game + 1));
}

/* The item with the smallest key; 0 if no item has one. */
static inline uint32_t tournament_item(const struct tournament *l)
{
    return l->winner[1];
}

static inline int64_t tournament_key(const struct tournament *l)
{
    return l->key[l->winner[1]];
}

static inline void tournament_free(struct tournament *l)
{
    free(l->key);
    free(l->winner);
}
