/* profile.c - see profile.h. A treap of steps by time; each knows the sum of its subtree and its
 * greatest prefix sum. */
#include "sim/base/profile.h"

#include "sim/base/memory.h"
#include "sim/base/ordered.h"

#include <stdlib.h>

struct step {
    struct ordered_link link;
    uint32_t holds;               /* that begin or end here; 0: the item is free */
    int64_t time, delta;          /* the value changes by delta at time */
    int64_t sum, most;  /* of the subtree; most: the greatest prefix sum, of at least one step */
};
struct profile {
    struct step *step;
    size_t n, capacity;
    uint32_t free;                /* chained through link.up */
    struct ordered steps;
    int64_t base;                 /* the value before the first step */
};

static bool before(const void *context, uint32_t a, uint32_t b)
{
    const struct profile *p = context;
    return p->step[a].time < p->step[b].time;
}

/* The left subtree, this step, the right subtree. */
static void sum_up(const void *context, uint32_t item)
{
    const struct profile *p = context;
    struct step *s = &p->step[item];
    const struct step *left = s->link.left == ORDERED_NONE ? NULL : &p->step[s->link.left];
    const struct step *right = s->link.right == ORDERED_NONE ? NULL : &p->step[s->link.right];
    int64_t here = (left ? left->sum : 0) + s->delta;
    s->most = left && left->most > here ? left->most : here;
    if (right && here + right->most > s->most)
        s->most = here + right->most;
    s->sum = here + (right ? right->sum : 0);
}

static struct ordered_space steps_of(const struct profile *p)
{
    return (struct ordered_space){ p->step, sizeof *p->step, before, p, sum_up };
}

struct profile *profile_new(void)
{
    struct profile *p = mem_new(1, sizeof *p);
    p->free = ORDERED_NONE;
    p->steps = ORDERED_EMPTY;
    return p;
}

void profile_free(struct profile *p)
{
    if (!p)
        return;
    free(p->step);
    free(p);
}

/* The first step at that time or later; ORDERED_NONE: there is none. */
static uint32_t step_from(const struct profile *p, int64_t time)
{
    uint32_t found = ORDERED_NONE;
    for (uint32_t i = p->steps.root; i != ORDERED_NONE;) {
        bool before_it = p->step[i].time < time;
        found = before_it ? found : i;
        i = before_it ? p->step[i].link.right : p->step[i].link.left;
    }
    return found;
}

static void change(struct profile *p, int64_t time, int64_t delta, int holds)
{
    struct ordered_space space = steps_of(p);
    uint32_t at = step_from(p, time);
    if (at != ORDERED_NONE && p->step[at].time == time) {
        p->step[at].delta += delta;
        p->step[at].holds += (uint32_t)holds;
        if (p->step[at].holds) {
            ordered_changed(&space, at);
            return;
        }
        ordered_remove(&p->steps, &space, at);
        p->step[at].link.up = p->free;
        p->free = at;
        return;
    }
    at = p->free;
    if (at != ORDERED_NONE) {
        p->free = p->step[at].link.up;
    } else {
        mem_grow(&p->step, &p->capacity, p->n, sizeof *p->step);
        at = (uint32_t)p->n++;
    }
    space = steps_of(p);
    p->step[at] = (struct step){ .holds = (uint32_t)holds, .time = time, .delta = delta };
    ordered_add(&p->steps, &space, at, (uint64_t)time);
}

void profile_add(struct profile *p, int64_t from, int64_t until, int64_t amount)
{
    if (from >= until || amount == 0)
        return;
    int holds = amount > 0 ? 1 : -1;
    if (from == INT64_MIN)
        p->base += amount;
    else
        change(p, from, amount, holds);
    if (until != INT64_MAX)
        change(p, until, -amount, holds);
}

int64_t profile_at(const struct profile *p, int64_t time)
{
    int64_t value = p->base;
    for (uint32_t i = p->steps.root; i != ORDERED_NONE;) {
        const struct step *s = &p->step[i];
        if (s->time > time) {
            i = s->link.left;
            continue;
        }
        value += s->delta + (s->link.left == ORDERED_NONE ? 0 : p->step[s->link.left].sum);
        i = s->link.right;
    }
    return value;
}

/* The last step in (after, until) of the subtree at which the value is above `most`, where `base`
 * is the value before the subtree's first step; ORDERED_NONE: there is none. Subtrees with a
 * small enough greatest prefix are not entered. */
static uint32_t last_above(const struct profile *p, uint32_t i, int64_t base, int64_t after,
                           int64_t until, int64_t most)
{
    while (i != ORDERED_NONE && base + p->step[i].most > most) {
        const struct step *s = &p->step[i];
        int64_t here =
            base + s->delta + (s->link.left == ORDERED_NONE ? 0 : p->step[s->link.left].sum);
        if (s->time < until) {
            uint32_t found = last_above(p, s->link.right, here, after, until, most);
            if (found != ORDERED_NONE)
                return found;
            if (s->time > after && here > most)
                return i;
        }
        if (s->time <= after)
            return ORDERED_NONE;
        i = s->link.left;
    }
    return ORDERED_NONE;
}

/* The root of the steps in (after, until): all of them lie below it, or it is ORDERED_NONE. *base:
 * the value before the first step of its subtree. */
static uint32_t root_within(const struct profile *p, int64_t after, int64_t until, int64_t *base)
{
    uint32_t i = p->steps.root;
    while (i != ORDERED_NONE) {
        const struct step *s = &p->step[i];
        if (s->time > after && s->time < until)
            break;
        if (s->time <= after)
            *base += s->delta + (s->link.left == ORDERED_NONE ? 0 : p->step[s->link.left].sum);
        i = s->time <= after ? s->link.right : s->link.left;
    }
    return i;
}

int64_t profile_max(const struct profile *p, int64_t from, int64_t until)
{
    int64_t first = p->base, most = INT64_MIN;
    uint32_t root = root_within(p, from, until, &first);
    if (root == ORDERED_NONE)
        return first;
    int64_t here = first;
    /* down to the first of them: `first` is the value before it */
    for (uint32_t i = root; i != ORDERED_NONE;) {
        const struct step *s = &p->step[i],
                          *right = s->link.right == ORDERED_NONE ? NULL : &p->step[s->link.right];
        int64_t value =
            first + s->delta + (s->link.left == ORDERED_NONE ? 0 : p->step[s->link.left].sum);
        if (i == root)
            here = value;
        if (s->time > from) {
            most = value > most ? value : most;
            if (i != root && right && value + right->most > most)
                most = value + right->most;
            i = s->link.left;
        } else {
            first = value;
            i = s->link.right;
        }
    }
    /* down to the last: `here` is the value before i's */
    for (uint32_t i = p->step[root].link.right; i != ORDERED_NONE;) {
        const struct step *s = &p->step[i],
                          *left = s->link.left == ORDERED_NONE ? NULL : &p->step[s->link.left];
        if (s->time < until) {
            if (left && here + left->most > most)
                most = here + left->most;
            here += s->delta + (left ? left->sum : 0);
            most = here > most ? here : most;
            i = s->link.right;
        } else {
            i = s->link.left;
        }
    }
    return most > first ? most : first;
}

int64_t profile_peak(const struct profile *p)
{
    uint32_t root = p->steps.root;
    int64_t most = root == ORDERED_NONE ? 0 : p->step[root].most;
    return p->base + (most > 0 ? most : 0);
}

int64_t profile_fit(const struct profile *p, int64_t after, int64_t latest, int64_t before,
                    int64_t length, int64_t most)
{
    struct ordered_space space = steps_of(p);
    for (int64_t t = after; t < latest;) {
        int64_t until = length > before - t ? before : t + length;
        uint32_t next = last_above(p, p->steps.root, p->base, t, until, most);
        if (next != ORDERED_NONE) {
            next = ordered_next(&space, next);
        } else {
            if (profile_at(p, t) <= most)
                return t;
            next = step_from(p, t + 1);  /* too much at t itself: go on from the next step */
        }
        t = next == ORDERED_NONE ? latest : p->step[next].time;
    }
    return latest;
}
