/* data_cache.c - see data_cache.h. A node keeps few items: a list in the order of use is
 * fastest. */
#include "sim/models/data_cache.h"
#include "sim/base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void data_cache_free(struct data_cache *c)
{
    free(c->item);
    *c = (struct data_cache){ .room = 0 };
}

static uint32_t place_of(const struct data_cache *c, uint32_t id)
{
    uint32_t i = 0;
    while (i < c->n && c->item[i].id != id)
        i++;
    return i;
}

static struct cached take_out(struct data_cache *c, uint32_t i)
{
    struct cached x = c->item[i];
    memmove(&c->item[i], &c->item[i + 1], (--c->n - i) * sizeof *c->item);
    return x;
}

bool data_cache_has(const struct data_cache *c, uint32_t id)
{
    return place_of(c, id) < c->n;
}

bool data_cache_use(struct data_cache *c, uint32_t id)
{
    uint32_t i = place_of(c, id);
    if (i == c->n)
        return false;
    struct cached x = take_out(c, i);
    x.users++;
    c->item[c->n++] = x;
    return true;
}

void data_cache_leave(struct data_cache *c, uint32_t id)
{
    uint32_t i = place_of(c, id);
    assert(i < c->n && c->item[i].users);
    c->item[i].users--;
}

static int64_t room_at_most(const struct data_cache *c)
{
    int64_t room = c->room;
    for (uint32_t i = 0; i < c->n; i++)
        room -= c->item[i].users ? c->item[i].bytes : 0;
    return room;
}

bool data_cache_keep(struct data_cache *c, uint32_t id, int64_t bytes)
{
    if (data_cache_use(c, id))
        return true;
    if (bytes > room_at_most(c))
        return false;
    for (uint32_t i = 0; c->used + bytes > c->room;)
        if (c->item[i].users)
            i++;
        else
            c->used -= take_out(c, i).bytes;
    mem_grow(&c->item, &c->capacity, c->n, sizeof *c->item);
    c->item[c->n++] = (struct cached){ id, 1, bytes };
    c->used += bytes;
    return true;
}
