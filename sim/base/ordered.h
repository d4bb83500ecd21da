/* ordered.h - an ordered set of items that live in an array of the caller: a treap with links by
 * index.
 *
 * Adding at the end and removing at either end cost O(1) expected, everything else O(log n). The
 * shape of the tree depends on the items alone (priorities are hashes of a number that the caller
 * gives), never on addresses. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ORDERED_NONE UINT32_MAX

struct ordered_link { uint32_t up, left, right, rank; };     /* the first member of every item */
struct ordered { uint32_t root, first, last; };
#define ORDERED_EMPTY ((struct ordered){ ORDERED_NONE, ORDERED_NONE, ORDERED_NONE })

/* Where the items are, and their strict total order. `items` may move between calls. */
struct ordered_space {
    void *items;
    size_t size;
    bool (*before)(const void *context, uint32_t a, uint32_t b);
    const void *context;
    /* recomputes the sums of an item over its subtree from its own part and those of its children, from which they follow, and says
       whether they have changed; NULL: there are none */
    bool (*sum_up)(const void *context, uint32_t item);
};

static inline bool ordered_is_alone(const struct ordered *t)        /* one item */
{
    return t->first == t->last && t->root != ORDERED_NONE;
}
/* salt: a number of the item that is equal in two runs; salts may repeat */
void     ordered_add(struct ordered *t, const struct ordered_space *s, uint32_t item, uint64_t salt);
/* The same where a search for it has ended: below `up`, which has nothing on that side. ORDERED_NONE: there are no items. */
void     ordered_add_below(struct ordered *t, const struct ordered_space *s, uint32_t item, uint64_t salt, uint32_t up, bool left);
void     ordered_remove(struct ordered *t, const struct ordered_space *s, uint32_t item);
/* its own part of the sums has changed */
void     ordered_changed(const struct ordered_space *s, uint32_t item);
static inline const struct ordered_link *ordered_link_of(const void *items, size_t size, uint32_t item)
{
    return (const struct ordered_link *)(const void *)((const char *)items + (size_t)item * size);
}
/* ORDERED_NONE: it was the last. For loops over items of a size that is known. */
static inline uint32_t ordered_after(const void *items, size_t size, uint32_t item)
{
    uint32_t i = ordered_link_of(items, size, item)->right;
    if (i != ORDERED_NONE) {
        while (ordered_link_of(items, size, i)->left != ORDERED_NONE)
            i = ordered_link_of(items, size, i)->left;
        return i;
    }
    for (i = ordered_link_of(items, size, item)->up; i != ORDERED_NONE && ordered_link_of(items, size, i)->right == item;
         i = ordered_link_of(items, size, i)->up)
        item = i;
    return i;
}
uint32_t ordered_next(const struct ordered_space *s, uint32_t item);
uint32_t ordered_previous(const struct ordered_space *s, uint32_t item);
/* The first item for which `reached` is false. Items for which it is true must come before all
 * others. */
uint32_t ordered_search(const struct ordered *t, const struct ordered_space *s,
                        bool (*reached)(const void *key, const void *context, uint32_t item),
                        const void *key);
