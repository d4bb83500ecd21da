/* prefix_cache.h - the prefixes of prompts that a replica has the KV blocks of: models.md 4.9.
 *
 * A prompt begins with ids, each of PREFIX_TOKENS tokens and of all before it, so two prompts share
 * a prefix as far as their leading ids are equal, and the adapters that they are for: an adapter
 * changes the KV cache of a prompt. An id is held by the running requests that use it; one that none
 * holds stays until its blocks are needed, the one used longest ago first. A request releases the
 * last id first, so an id goes before the one that it continues. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct prefix_entry { uint64_t id; uint32_t holders, next, newer, older; };
struct prompt_ids { const uint64_t *id; uint32_t adapter; };       /* 0: of the base model */
struct prefix_cache {
    struct prefix_entry *at;      /* [room]; unused ones are listed by `next` */
    size_t room;
    uint32_t *bucket;             /* [n_buckets] first entry of each; a power of two */
    uint32_t n_buckets, unused;
    uint32_t n, idle;             /* ids that are there; of these, without a holder */
    uint32_t oldest, newest;      /* of the idle ones */
};
struct prefix_cache prefix_cache_none(void);
void prefix_cache_free(struct prefix_cache *c);
/* How many of the leading ids are there. */
uint32_t prefix_cache_leading(const struct prefix_cache *c, struct prompt_ids p, uint32_t n);
void prefix_cache_hold(struct prefix_cache *c, struct prompt_ids p, uint32_t n);   /* all there */
void prefix_cache_release(struct prefix_cache *c, struct prompt_ids p, uint32_t n);
/* Id k, and holds it; it may be there. */
void prefix_cache_add(struct prefix_cache *c, struct prompt_ids p, uint32_t k);
void prefix_cache_drop_oldest(struct prefix_cache *c);       /* idle > 0 */
