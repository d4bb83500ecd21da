/* gaps.c - see gaps.h. Of each unit a step function of time, the number of its holds; of all their
 * gaps a treap; while one searches, a heap of the gaps that reach past the time it has come to. */
#include "sim/base/gaps.h"

#include "sim/base/memory.h"
#include "sim/base/ordered.h"

#include <stdlib.h>
#include <string.h>

enum {
    CHANGED = 8,                  /* changed gaps that are collected before the tree is told */
    RING = 2 * GAPS_KEPT          /* what is taken back overwrites none of those that are kept */
};
/* Units with a gap [from, until), if it were not for the hold [taken, given): it comes, or goes. */
struct event { int64_t from, until, taken, given; bool goes; };

struct step { int64_t time; uint32_t holds; };    /* from then to the next step */
struct unit { struct step *step; uint32_t n, capacity; };    /* of the first step the time is INT64_MIN; neighbours differ */
struct gap {
    struct ordered_link link;
    int64_t from, until;
    int64_t count;                /* units; 0: the item is free */
    int64_t longest, last;        /* of the subtree: the max length, the max `until` */
};
struct change { int64_t from, until, count; };
struct gaps {
    struct unit *unit;
    size_t n_units;
    struct gap *gap;
    size_t n, capacity;
    uint32_t free;                /* chained through link.up */
    struct ordered tree;
    struct change changed[CHANGED];
    size_t n_changed;
    struct step *anew;            /* scratch */
    size_t anew_capacity;
    struct open { int64_t until, count; } *open;    /* of a search: a heap, the first to end on top */
    size_t n_open, open_capacity;
    struct event kept[RING];      /* the last of them: a ring */
    uint64_t changes, overlaps;
    size_t crowded;               /* steps with several holds, of all units */
};

/* ---- The tree ---- */

static bool gap_before(const void *context, uint32_t a, uint32_t b)
{
    const struct gap *gap = ((const struct gaps *)context)->gap;
    return gap[a].from != gap[b].from ? gap[a].from < gap[b].from : gap[a].until < gap[b].until;
}

/* Of [from, until), where `from` may have no bound: such a gap is met by its end. */
static int64_t length_of(int64_t from, int64_t until)
{
    return from == INT64_MIN || until == INT64_MAX ? INT64_MAX : until - from;
}

static bool sum_up(const void *context, uint32_t item)
{
    struct gap *gap = ((const struct gaps *)context)->gap, *x = &gap[item];
    const struct gap was = *x;
    x->longest = length_of(x->from, x->until);
    x->last = x->until;
    for (unsigned side = 0; side < 2; side++) {
        uint32_t child = side ? x->link.right : x->link.left;
        if (child == ORDERED_NONE)
            continue;
        x->longest = gap[child].longest > x->longest ? gap[child].longest : x->longest;
        x->last = gap[child].last > x->last ? gap[child].last : x->last;
    }
    return x->longest != was.longest || x->last != was.last;
}

static struct ordered_space space_of(const struct gaps *g)
{
    return (struct ordered_space){ g->gap, sizeof *g->gap, gap_before, g, sum_up };
}

static uint32_t find(const struct gaps *g, int64_t from, int64_t until)
{
    uint32_t i = g->tree.root;
    while (i != ORDERED_NONE && (g->gap[i].from != from || g->gap[i].until != until)) {
        bool before = from != g->gap[i].from ? from < g->gap[i].from : until < g->gap[i].until;
        i = before ? g->gap[i].link.left : g->gap[i].link.right;
    }
    return i;
}

static void count_change(struct gaps *g, const struct change *c)
{
    uint32_t i = find(g, c->from, c->until);
    struct ordered_space space = space_of(g);
    if (i != ORDERED_NONE) {
        g->gap[i].count += c->count;
        if (g->gap[i].count)
            return;
        ordered_remove(&g->tree, &space, i);
        g->gap[i].link.up = g->free;
        g->free = i;
        return;
    }
    i = g->free;
    if (i != ORDERED_NONE) {
        g->free = g->gap[i].link.up;
    } else {
        mem_grow(&g->gap, &g->capacity, g->n, sizeof *g->gap);
        i = (uint32_t)g->n++;
        space = space_of(g);
    }
    g->gap[i] = (struct gap){ .from = c->from, .until = c->until, .count = c->count };
    ordered_add(&g->tree, &space, i, (uint64_t)c->from ^ (uint64_t)c->until << 1);
}

/* ---- Changes ---- */

static void tell(struct gaps *g)
{
    for (size_t i = 0; i < g->n_changed; i++) {
        const struct change *c = &g->changed[i];
        if (c->count)
            count_change(g, c);
    }
    g->n_changed = 0;
}

/* Units held alike change alike: their changes are told together. */
static void collect(struct gaps *g, int64_t from, int64_t until, int64_t count)
{
    for (size_t i = 0; i < g->n_changed; i++) {
        if (g->changed[i].from != from || g->changed[i].until != until)
            continue;
        g->changed[i].count += count;
        return;
    }
    if (g->n_changed == CHANGED)
        tell(g);
    g->changed[g->n_changed++] = (struct change){ from, until, count };
}

static void collect_all(struct gaps *g, const struct step *step, size_t n, int64_t end, int64_t count)
{
    for (size_t i = 0; i < n; i++)
        if (!step[i].holds)
            collect(g, step[i].time, i + 1 < n ? step[i + 1].time : end, count);
}

/* The units of one call that are held alike are one event. */
static void keep(struct gaps *g, struct event e, uint64_t since)
{
    const struct event *last = &g->kept[(g->changes - 1) % RING];
    if (g->changes > since && last->from == e.from && last->until == e.until)
        return;
    g->kept[g->changes++ % RING] = e;
}

static size_t crowded(const struct step *step, size_t n)
{
    size_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += step[i].holds > 1;
    return sum;
}

/* The last step at that time or before. */
static uint32_t step_at(const struct unit *u, int64_t time)
{
    uint32_t low = 0, high = u->n;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (u->step[middle].time <= time)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static size_t append(struct step *to, size_t n, int64_t time, uint32_t holds)
{
    if (n && to[n - 1].holds == holds)
        return n;
    to[n] = (struct step){ time, holds };
    return n + 1;
}

/* The steps of [low, high) with one hold more or less on [from, until). Returns how many. */
static size_t change_steps(struct gaps *g, const struct unit *u, uint32_t low, uint32_t high,
                           int64_t from, int64_t until, int sign)
{
    size_t n = 0, most = (size_t)(high - low) + 2;
    while (g->anew_capacity < most)
        mem_grow(&g->anew, &g->anew_capacity, g->anew_capacity, sizeof *g->anew);
    for (uint32_t i = low; i < high; i++) {
        int64_t begins = u->step[i].time, ends = i + 1 < u->n ? u->step[i + 1].time : INT64_MAX;
        uint32_t holds = u->step[i].holds, then = holds + (uint32_t)sign;
        if (ends <= from || begins >= until) {
            n = append(g->anew, n, begins, holds);
            continue;
        }
        g->overlaps += holds && then;
        if (begins < from)
            n = append(g->anew, n, begins, holds);
        n = append(g->anew, n, begins < from ? from : begins, then);
        if (ends > until)
            n = append(g->anew, n, until, holds);
    }
    return n;
}

/* The gap with that hold away. Of no use where holds overlap: that is counted apart. */
static void keep_event(struct gaps *g, const struct step *step, size_t n, int64_t end, struct event e,
                       uint64_t since)
{
    for (size_t i = 0; i < n; i++) {
        e.from = step[i].time;
        e.until = i + 1 < n ? step[i + 1].time : end;
        if (!step[i].holds && e.from <= e.taken && e.until >= e.given)
            keep(g, e, since);
    }
}

/* The steps that change as one hold more or less is on [from, until), and those beside them that may become one with them. */
struct span { uint32_t low, high; int64_t end; };

static struct span span_of(const struct unit *u, int64_t from, int64_t until)
{
    uint32_t low = step_at(u, from), high = step_at(u, until - 1) + 1;
    low -= low > 0 && u->step[low].time == from;
    high += high < u->n && u->step[high].time == until;
    return (struct span){ low, high, high < u->n ? u->step[high].time : INT64_MAX };
}

static void put_steps(struct unit *u, struct span at, const struct step *anew, size_t n)
{
    size_t rest = u->n - at.high, capacity = u->capacity;
    while (capacity < at.low + n + rest)
        mem_grow(&u->step, &capacity, capacity, sizeof *u->step);
    u->capacity = (uint32_t)capacity;
    memmove(u->step + at.low + n, u->step + at.high, rest * sizeof *u->step);
    memcpy(u->step + at.low, anew, n * sizeof *anew);
    u->n = (uint32_t)(at.low + n + rest);
}

static void unit_hold(struct gaps *g, struct unit *u, int64_t from, int64_t until, int sign, uint64_t since)
{
    struct span at = span_of(u, from, until);
    const struct step *was = u->step + at.low;
    size_t n_was = at.high - at.low, n = change_steps(g, u, at.low, at.high, from, until, sign);
    struct event e = { .taken = from, .given = until, .goes = sign < 0 };
    collect_all(g, was, n_was, at.end, -1);
    collect_all(g, g->anew, n, at.end, 1);
    g->crowded += crowded(g->anew, n) - crowded(was, n_was);
    keep_event(g, sign < 0 ? g->anew : was, sign < 0 ? n : n_was, at.end, e, since);
    put_steps(u, at, g->anew, n);
}

void gaps_hold(struct gaps *g, size_t first, uint64_t units, int64_t from, int64_t until, int sign)
{
    uint64_t since = g->changes;
    for (uint64_t m = from < until ? units : 0; m; m &= m - 1)
        unit_hold(g, &g->unit[first + (size_t)__builtin_ctzll(m)], from, until, sign, since);
    tell(g);
}

bool gaps_overlapped(const struct gaps *g)
{
    return g->crowded > 0;
}

struct gaps_mark gaps_mark(const struct gaps *g)
{
    return (struct gaps_mark){ g->changes, g->overlaps };
}

void gaps_unchanged(struct gaps *g, struct gaps_mark m)
{
    bool lost = g->changes - m.changes > GAPS_KEPT;       /* of what was kept before the mark */
    g->overlaps = m.overlaps + lost;
    g->changes = m.changes;
}

/* At some start in [after, latest] a place of that length lies in the gap and meets the hold. */
static bool meets(const struct event *e, int64_t after, int64_t latest, int64_t length)
{
    int64_t first = e->from > after ? e->from : after;
    if (e->taken > first && e->taken - first >= length)
        first = e->taken - length + 1;
    return first <= latest && first < e->given && first < e->until &&
           length_of(first, e->until) >= length;
}

struct gaps_news gaps_news(const struct gaps *g, struct gaps_mark m, int64_t after, int64_t start, int64_t length)
{
    struct gaps_news news = { .unknown = m.overlaps != g->overlaps || g->changes - m.changes > GAPS_KEPT };
    if (news.unknown)
        return news;
    for (uint64_t i = m.changes; i < g->changes && !(news.earlier && news.other_units); i++) {
        const struct event *e = &g->kept[i % RING];
        bool own_grows = e->goes && e->until == start;    /* the gap before the own hold */
        news.earlier |= own_grows || (e->goes && meets(e, after, start - 1, length));
        news.other_units |= meets(e, start, start, length);
    }
    return news;
}

void gaps_own_add(const struct gaps *g, size_t first, uint64_t units, int64_t start, struct gaps_own *own)
{
    for (uint64_t m = units; m; m &= m - 1) {
        const struct unit *u = &g->unit[first + (size_t)__builtin_ctzll(m)];
        const struct step *before = &u->step[step_at(u, start - 1)];
        if (before->holds)
            continue;
        own->n++;
        own->from = before->time < own->from ? before->time : own->from;
    }
}

/* ---- Searching ---- */

struct search { int64_t after, latest, length, n, found; };

static void open_down(struct gaps *g, struct open last)
{
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < g->n_open; i = child) {
        child += child + 1 < g->n_open && g->open[child + 1].until < g->open[child].until;
        if (g->open[child].until >= last.until)
            break;
        g->open[i] = g->open[child];
    }
    g->open[i] = last;
}

static void open_up(struct gaps *g, struct open o)
{
    mem_grow(&g->open, &g->open_capacity, g->n_open, sizeof *g->open);
    size_t i = g->n_open++;
    for (; i > 0 && g->open[(i - 1) / 2].until > o.until; i = (i - 1) / 2)
        g->open[i] = g->open[(i - 1) / 2];
    g->open[i] = o;
}

/* The gap is open from `time` on. true: there are as many as are wanted. */
static bool meet(struct gaps *g, struct search *q, const struct gap *x, int64_t time)
{
    while (g->n_open && length_of(time, g->open[0].until) < q->length) {
        q->n += g->open[0].count;
        if (--g->n_open)
            open_down(g, g->open[g->n_open]);
    }
    q->n -= x->count;
    q->found = time;
    if (q->n > 0)
        open_up(g, (struct open){ x->until, x->count });
    return q->n <= 0;
}

/* Those that begin at `after` or before, and reach far enough. */
static bool open_at_first(struct gaps *g, struct search *q, uint32_t i)
{
    while (i != ORDERED_NONE) {
        const struct gap *x = &g->gap[i];
        if (x->last <= q->after || length_of(q->after, x->last) < q->length)
            return false;
        if (x->from <= q->after) {
            if (x->until > q->after && length_of(q->after, x->until) >= q->length &&
                meet(g, q, x, q->after))
                return true;
            if (open_at_first(g, q, x->link.right))
                return true;
        }
        i = x->link.left;
    }
    return false;
}

/* Those that begin later, by their beginning. */
static bool open_later(struct gaps *g, struct search *q, uint32_t i)
{
    while (i != ORDERED_NONE && g->gap[i].longest >= q->length) {
        const struct gap *x = &g->gap[i];
        if (x->from > q->after) {
            if (open_later(g, q, x->link.left))
                return true;
            if (x->from > q->latest)
                return false;
            if (length_of(x->from, x->until) >= q->length && meet(g, q, x, x->from))
                return true;
        }
        i = x->link.right;
    }
    return false;
}

int64_t gaps_fit(struct gaps *g, int64_t after, int64_t latest, int64_t length, int64_t n)
{
    struct search q = { after, latest, length, n, INT64_MAX };
    g->n_open = 0;
    if (after > latest)
        return INT64_MAX;
    return open_at_first(g, &q, g->tree.root) || open_later(g, &q, g->tree.root) ? q.found
                                                                                : INT64_MAX;
}

bool gaps_sooner(struct gaps *g, int64_t after, int64_t start, int64_t length, int64_t n, struct gaps_own own)
{
    int64_t grown = own.from > after ? own.from : after;
    if (gaps_fit(g, after, grown - 1, length, n) != INT64_MAX)
        return true;
    return grown < start && (own.n >= n || gaps_fit(g, grown, start - 1, length, n - own.n) != INT64_MAX);
}

/* ---- Beginning and end ---- */

struct gaps *gaps_new(size_t n_units)
{
    struct gaps *g = mem_new(1, sizeof *g);
    g->free = ORDERED_NONE;
    g->tree = ORDERED_EMPTY;
    g->n_units = n_units;
    g->unit = mem_new(n_units, sizeof *g->unit);
    for (size_t i = 0; i < n_units; i++) {
        struct unit *u = &g->unit[i];
        size_t capacity = 0;
        mem_grow(&u->step, &capacity, 0, sizeof *u->step);
        u->capacity = (uint32_t)capacity;
        u->step[u->n++] = (struct step){ INT64_MIN, 0 };
        collect(g, INT64_MIN, INT64_MAX, 1);
    }
    tell(g);
    return g;
}

void gaps_free(struct gaps *g)
{
    if (!g)
        return;
    for (size_t i = 0; i < g->n_units; i++)
        free(g->unit[i].step);
    free(g->unit);
    free(g->gap);
    free(g->anew);
    free(g->open);
    free(g);
}
