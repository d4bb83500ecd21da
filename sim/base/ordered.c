/* ordered.c - a treap with parent links: a search tree by order, a heap by rank. */
#include "sim/base/ordered.h"

#include "sim/base/random.h"

static struct ordered_link *at(const struct ordered_space *s, uint32_t item)
{
    return (struct ordered_link *)(void *)((char *)s->items + (size_t)item * s->size);
}

static void hang(struct ordered *t, const struct ordered_space *s, uint32_t up, uint32_t old,
                 uint32_t new)
{
    if (up == ORDERED_NONE)
        t->root = new;
    else if (at(s, up)->left == old)
        at(s, up)->left = new;
    else
        at(s, up)->right = new;
    if (new != ORDERED_NONE)
        at(s, new)->up = up;
}

static void rotate_up(struct ordered *t, const struct ordered_space *s, uint32_t item)
{
    struct ordered_link *x = at(s, item);
    uint32_t parent = x->up;
    struct ordered_link *p = at(s, parent);
    hang(t, s, p->up, parent, item);
    if (p->left == item) {
        p->left = x->right;
        if (x->right != ORDERED_NONE)
            at(s, x->right)->up = parent;
        x->right = parent;
    } else {
        p->right = x->left;
        if (x->left != ORDERED_NONE)
            at(s, x->left)->up = parent;
        x->left = parent;
    }
    p->up = item;
    if (s->sum_up) {
        s->sum_up(s->context, parent);
        s->sum_up(s->context, item);
    }
}

void ordered_changed(const struct ordered_space *s, uint32_t item)
{
    while (s->sum_up && item != ORDERED_NONE && s->sum_up(s->context, item))
        item = at(s, item)->up;
}

void ordered_add_below(struct ordered *t, const struct ordered_space *s, uint32_t item, uint64_t salt, uint32_t up, bool left)
{
    struct ordered_link *x = at(s, item);
    *x = (struct ordered_link){ up, ORDERED_NONE, ORDERED_NONE, (uint32_t)(hash_u64(salt) >> 32) };
    if (up == ORDERED_NONE)
        t->root = t->first = t->last = item;
    else
        *(left ? &at(s, up)->left : &at(s, up)->right) = item;
    if (left && up == t->first)
        t->first = item;
    if (!left && up == t->last)
        t->last = item;
    if (s->sum_up)
        s->sum_up(s->context, item);
    while (x->up != ORDERED_NONE && at(s, x->up)->rank < x->rank)
        rotate_up(t, s, item);
    ordered_changed(s, x->up);
}

/* Where a search for it ends: the item above it; *left: on that side. */
static uint32_t leaf_for(const struct ordered *t, const struct ordered_space *s, uint32_t item, bool *left)
{
    *left = false;
    if (t->last == ORDERED_NONE || s->before(s->context, t->last, item))
        return t->last;
    for (uint32_t up = t->root;;) {
        *left = s->before(s->context, item, up);
        uint32_t child = *left ? at(s, up)->left : at(s, up)->right;
        if (child == ORDERED_NONE)
            return up;
        up = child;
    }
}

void ordered_add(struct ordered *t, const struct ordered_space *s, uint32_t item, uint64_t salt)
{
    bool left;
    uint32_t up = leaf_for(t, s, item, &left);
    ordered_add_below(t, s, item, salt, up, left);
}

void ordered_remove(struct ordered *t, const struct ordered_space *s, uint32_t item)
{
    struct ordered_link *x = at(s, item);
    if (t->first == t->last) {                          /* it is alone */
        *t = ORDERED_EMPTY;
        return;
    }
    if (t->first == item)
        t->first = ordered_next(s, item);
    if (t->last == item)
        t->last = ordered_previous(s, item);
    while (x->left != ORDERED_NONE && x->right != ORDERED_NONE)
        rotate_up(t, s, at(s, x->left)->rank > at(s, x->right)->rank ? x->left : x->right);
    hang(t, s, x->up, item, x->left != ORDERED_NONE ? x->left : x->right);
    ordered_changed(s, x->up);
}

uint32_t ordered_next(const struct ordered_space *s, uint32_t item)
{
    return ordered_after(s->items, s->size, item);
}

uint32_t ordered_previous(const struct ordered_space *s, uint32_t item)
{
    uint32_t i = at(s, item)->left;
    if (i != ORDERED_NONE) {
        while (at(s, i)->right != ORDERED_NONE)
            i = at(s, i)->right;
        return i;
    }
    for (i = at(s, item)->up; i != ORDERED_NONE && at(s, i)->left == item; i = at(s, i)->up)
        item = i;
    return i;
}

uint32_t ordered_search(const struct ordered *t, const struct ordered_space *s,
                        bool (*reached)(const void *key, const void *context, uint32_t item),
                        const void *key)
{
    uint32_t found = ORDERED_NONE;
    for (uint32_t i = t->root; i != ORDERED_NONE;) {
        if (reached(key, s->context, i)) {
            i = at(s, i)->right;
        } else {
            found = i;
            i = at(s, i)->left;
        }
    }
    return found;
}
