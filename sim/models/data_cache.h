/* data_cache.h - cache of a node for data sets or images that it has read; the least recently used
 * is dropped first.
 *
 * Items in use stay; if the rest is too small, the new item is not kept. The order of use is total:
 * two uses at one instant follow each other. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cached { uint32_t id, users; int64_t bytes; };
struct data_cache {  /* {0} is one that keeps nothing; data_cache_free() releases the rest */
    int64_t room;                 /* in the unit of the sizes, e.g. bytes */
    int64_t used;
    struct cached *item;          /* [n] the least recently used first */
    uint32_t n;
    size_t capacity;
};

void data_cache_free(struct data_cache *c);
bool data_cache_has(const struct data_cache *c, uint32_t id);
/* false: it is not there. In use until data_cache_leave() */
bool data_cache_use(struct data_cache *c, uint32_t id);
void data_cache_leave(struct data_cache *c, uint32_t id);    /* one use is over */
/* Adds an item that has been read and is in use once. false: there is no room. An item that is
 * there is used once more. */
bool data_cache_keep(struct data_cache *c, uint32_t id, int64_t bytes);
