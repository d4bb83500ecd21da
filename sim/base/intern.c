/* intern.c - see intern.h: open addressing over texts in an arena. */
#include "sim/base/intern.h"

#include "sim/base/memory.h"
#include "sim/base/random.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct place {
    uint32_t tag;    /* the upper half of the hash: most different texts differ here already */
    uint32_t number; /* INTERN_NONE: empty */
};
struct known {
    const char *text;
    size_t length;
    uint64_t hash;
};
struct intern {
    struct arena *texts;
    struct known *known;
    size_t count, known_capacity;
    struct place *places;
    size_t n_places; /* a power of two, at least twice the count */
    size_t last;     /* what was asked for last is often asked for again */
};

static void places_new(struct intern *t, size_t n)
{
    t->n_places = n;
    t->places = mem_resize(t->places, n, sizeof *t->places);
    memset(t->places, 0xff, n * sizeof *t->places); /* INTERN_NONE in each */
}

struct intern *intern_new(void)
{
    struct intern *t = mem_new(1, sizeof *t);
    t->texts = arena_new();
    places_new(t, 64);
    return t;
}

void intern_free(struct intern *t)
{
    if (!t)
        return;
    arena_free(t->texts);
    free(t->known);
    free(t->places);
    free(t);
}

/* Where the text is, or the empty place where it belongs. */
static struct place *find_place(const struct intern *t, uint64_t hash, const char *text,
                                size_t length)
{
    for (size_t i = hash & (t->n_places - 1);; i = (i + 1) & (t->n_places - 1)) {
        struct place *p = &t->places[i];
        if (p->number == INTERN_NONE)
            return p;
        if (p->tag != (uint32_t)(hash >> 32))
            continue;
        const struct known *k = &t->known[p->number];
        if (k->length == length && (!length || memcmp(k->text, text, length) == 0))
            return p;
    }
}

static void grow(struct intern *t)
{
    places_new(t, t->n_places * 2);
    for (size_t number = 0; number < t->count; number++) {
        uint64_t hash = t->known[number].hash;
        size_t i = hash & (t->n_places - 1);
        while (t->places[i].number != INTERN_NONE)
            i = (i + 1) & (t->n_places - 1);
        t->places[i] = (struct place){ .tag = (uint32_t)(hash >> 32), .number = (uint32_t)number };
    }
}

static bool is_text(const struct known *k, const char *text, size_t length)
{
    return k->length == length && (!length || memcmp(k->text, text, length) == 0);
}

uint32_t intern_add(struct intern *t, const char *text, size_t length)
{
    if (t->last < t->count && is_text(&t->known[t->last], text, length))
        return (uint32_t)t->last;
    uint64_t hash = hash_bytes(text, length, 0);
    struct place *p = find_place(t, hash, text, length);
    if (p->number != INTERN_NONE) {
        t->last = p->number;
        return p->number;
    }
    assert(t->count < INTERN_NONE);
    uint32_t number = (uint32_t)t->count;
    t->last = t->count;
    *p = (struct place){ .tag = (uint32_t)(hash >> 32), .number = number };
    mem_grow(&t->known, &t->known_capacity, t->count, sizeof *t->known);
    t->known[t->count++] = (struct known){ arena_text(t->texts, text, length), length, hash };
    if (t->count * 2 > t->n_places)
        grow(t);
    return number;
}

uint32_t intern_find(const struct intern *t, const char *text, size_t length)
{
    return find_place(t, hash_bytes(text, length, 0), text, length)->number;
}

const char *intern_text(const struct intern *t, uint32_t number)
{
    assert(number < t->count);
    return t->known[number].text;
}

uint32_t intern_count(const struct intern *t)
{
    return (uint32_t)t->count;
}
