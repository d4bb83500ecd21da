/* prefix_cache.c - see prefix_cache.h: a hash table of entries, and a list of the idle ones. */
#include "sim/serving/llm/prefix_cache.h"

#include "sim/base/memory.h"
#include "sim/base/random.h"

#include <assert.h>
#include <stdlib.h>

#define NONE UINT32_MAX

struct prefix_cache prefix_cache_none(void)
{
    return (struct prefix_cache){ .unused = NONE, .oldest = NONE, .newest = NONE };
}

void prefix_cache_free(struct prefix_cache *c)
{
    free(c->at);
    free(c->bucket);
    *c = prefix_cache_none();
}

/* Ids of different adapters do not meet. */
static uint64_t id_of(struct prompt_ids p, uint32_t k)
{
    return p.adapter ? p.id[k] ^ hash_u64(p.adapter) : p.id[k];
}

static uint32_t *bucket_of(const struct prefix_cache *c, uint64_t id)
{
    return &c->bucket[hash_u64(id) & (c->n_buckets - 1)];
}

static uint32_t find(const struct prefix_cache *c, uint64_t id)
{
    uint32_t e = c->n_buckets ? *bucket_of(c, id) : NONE;
    while (e != NONE && c->at[e].id != id)
        e = c->at[e].next;
    return e;
}

uint32_t prefix_cache_leading(const struct prefix_cache *c, struct prompt_ids p, uint32_t n)
{
    uint32_t k = 0;
    while (k < n && find(c, id_of(p, k)) != NONE)
        k++;
    return k;
}

static void becomes_idle(struct prefix_cache *c, uint32_t e)
{
    c->at[e].newer = NONE;
    c->at[e].older = c->newest;
    *(c->newest == NONE ? &c->oldest : &c->at[c->newest].newer) = e;
    c->newest = e;
    c->idle++;
}

static void is_used(struct prefix_cache *c, uint32_t e)
{
    const struct prefix_entry *x = &c->at[e];
    *(x->older == NONE ? &c->oldest : &c->at[x->older].newer) = x->newer;
    *(x->newer == NONE ? &c->newest : &c->at[x->newer].older) = x->older;
    c->idle--;
}

static void hold(struct prefix_cache *c, uint32_t e)
{
    if (c->at[e].holders++ == 0)
        is_used(c, e);
}

void prefix_cache_hold(struct prefix_cache *c, struct prompt_ids p, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        hold(c, find(c, id_of(p, k)));
}

void prefix_cache_release(struct prefix_cache *c, struct prompt_ids p, uint32_t n)
{
    while (n-- > 0) {
        uint32_t e = find(c, id_of(p, n));
        assert(c->at[e].holders > 0);
        if (--c->at[e].holders == 0)
            becomes_idle(c, e);
    }
}

/* Twice as many entries as before. */
static void grow(struct prefix_cache *c)
{
    size_t before = c->room;
    c->room = before ? 2 * before : 64;
    c->at = mem_resize(c->at, c->room, sizeof *c->at);
    for (size_t e = c->room; e-- > before;) {
        c->at[e].next = c->unused;
        c->unused = (uint32_t)e;
    }
    c->n_buckets = (uint32_t)c->room;
    c->bucket = mem_resize(c->bucket, c->n_buckets, sizeof *c->bucket);
    for (uint32_t i = 0; i < c->n_buckets; i++)
        c->bucket[i] = NONE;
    for (size_t e = 0; e < before; e++) {
        uint32_t *first = bucket_of(c, c->at[e].id);
        c->at[e].next = *first;
        *first = (uint32_t)e;
    }
}

void prefix_cache_add(struct prefix_cache *c, struct prompt_ids p, uint32_t k)
{
    uint64_t id = id_of(p, k);
    uint32_t e = find(c, id);
    if (e != NONE) {
        hold(c, e);
        return;
    }
    if (c->unused == NONE)
        grow(c);
    e = c->unused;
    c->unused = c->at[e].next;
    uint32_t *first = bucket_of(c, id);
    c->at[e] = (struct prefix_entry){ id, 1, *first, NONE, NONE };
    *first = e;
    c->n++;
}

void prefix_cache_drop_oldest(struct prefix_cache *c)
{
    uint32_t e = c->oldest, *to = bucket_of(c, c->at[e].id);
    is_used(c, e);
    while (*to != e)
        to = &c->at[*to].next;
    *to = c->at[e].next;
    c->at[e].next = c->unused;
    c->unused = e;
    c->n--;
}
