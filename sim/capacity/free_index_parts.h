/* free_index_parts.h - between the files that keep a free index; the rest of the program includes free_index.h alone. */
#pragma once
#include "sim/capacity/free_index.h"

static inline uint64_t *whole_set(const struct kind_index *k, uint32_t whole)
{
    return k->by_whole + (size_t)whole * k->nodes.words;
}

static inline uint64_t *share_set(const struct kind_index *k, uint32_t class)
{
    return k->by_share + (size_t)class * k->nodes.words;
}

/* Of node_state.whole. */
static inline uint32_t shown(int32_t whole)
{
    return whole > 0 ? (uint32_t)whole : 0;
}

static inline void bucket_enter(struct kind_index *k, uint32_t whole, uint32_t local)
{
    bitset_add(&k->nodes, whole_set(k, whole), local);
    if (k->count[whole]++ == 0)
        bitset_add(&k->buckets, k->some, whole);
}

uint32_t best_share_class(const struct view *v, node_id n);  /* as node_state.share_class should be, from what is used */
