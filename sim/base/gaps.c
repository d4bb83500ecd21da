/* gaps.c - see gaps.h. Of each group its units that are held over time (held.h); of all their gaps a
 * treap, in which each knows its units; while one searches, a heap of the gaps that reach past the
 * time it has come to. */
#include "sim/base/gaps.h"

#include "sim/base/held.h"
#include "sim/base/memory.h"
#include "sim/base/ordered.h"

#include <stdlib.h>
#include <string.h>

enum {
    CHANGED = 16,                 /* changed gaps that are collected before the tree is told */
    RING = 2 * GAPS_KEPT          /* what is taken back overwrites none of those that are kept */
};
/* Units with a gap [from, until), if it were not for the hold [taken, given): it comes, or goes. */
struct event { int64_t from, until, taken, given; bool goes; };

struct gap {
    struct ordered_link link;
    int64_t from, until;
    int64_t count;                /* units; 0: the item is free */
    int64_t longest, last;        /* of the subtree: the max length, the max `until` */
    uint32_t first;               /* of its members, chained through `next` */
};
/* The units of a group that have a gap. */
struct member {
    uint64_t units;
    uint32_t gap, group;
    uint32_t next, previous;      /* of the gap; next of one that is free: the next such */
};
/* Its gaps are few: they are looked through. */
struct group {
    struct held held;
    struct key { int64_t from, until; uint32_t member; } *key;
    size_t n_keys, capacity;
};
struct change { int64_t from, until; uint64_t was, is; };    /* units with that gap before and after */
struct run { int64_t from; uint64_t units; };                /* units that are free from then on */
struct gaps {
    struct group *group;
    size_t n_groups;
    struct gap *gap;
    size_t n, capacity;
    uint32_t free;                /* chained through link.up */
    struct member *member;
    size_t n_members, member_capacity;
    uint32_t free_member;         /* chained through `next` */
    struct ordered tree;
    struct change changed[CHANGED];
    size_t n_changed;
    struct run run[64];           /* scratch */
    size_t n_runs;
    struct gaps_units *covering;
    size_t n_covering, covering_capacity;
    struct open { int64_t until, count; } *open;    /* of a search: a heap, the first to end on top */
    size_t n_open, open_capacity;
    struct away { int64_t from, count; } *away;    /* by `from`: units of a hold that is taken to be away, free from then on */
    size_t n_away, away_capacity;
    struct event kept[RING];      /* the last of them: a ring */
    uint64_t changes, overlaps;
    size_t crowded;               /* rows with several holds of a unit, of all groups */
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

/* That of these two times; a new one without units if there is none. */
static uint32_t gap_of(struct gaps *g, int64_t from, int64_t until)
{
    uint32_t i = g->tree.root, up = ORDERED_NONE;
    bool left = false;
    while (i != ORDERED_NONE && (g->gap[i].from != from || g->gap[i].until != until)) {
        up = i;
        left = from != g->gap[i].from ? from < g->gap[i].from : until < g->gap[i].until;
        i = left ? g->gap[i].link.left : g->gap[i].link.right;
    }
    if (i != ORDERED_NONE)
        return i;
    i = g->free;
    if (i != ORDERED_NONE) {
        g->free = g->gap[i].link.up;
    } else {
        mem_grow(&g->gap, &g->capacity, g->n, sizeof *g->gap);
        i = (uint32_t)g->n++;
    }
    struct ordered_space space = space_of(g);
    g->gap[i] = (struct gap){ .from = from, .until = until, .first = ORDERED_NONE };
    ordered_add_below(&g->tree, &space, i, (uint64_t)from ^ (uint64_t)until << 1, up, left);
    return i;
}

static void gap_goes(struct gaps *g, uint32_t i)
{
    struct ordered_space space = space_of(g);
    ordered_remove(&g->tree, &space, i);
    g->gap[i].link.up = g->free;
    g->free = i;
}

/* ---- The units of a gap ---- */

static uint32_t member_enters(struct gaps *g, uint32_t gap, uint32_t group, uint64_t units)
{
    uint32_t i = g->free_member;
    if (i != ORDERED_NONE) {
        g->free_member = g->member[i].next;
    } else {
        mem_grow(&g->member, &g->member_capacity, g->n_members, sizeof *g->member);
        i = (uint32_t)g->n_members++;
    }
    struct gap *x = &g->gap[gap];
    g->member[i] = (struct member){ units, gap, group, x->first, ORDERED_NONE };
    if (x->first != ORDERED_NONE)
        g->member[x->first].previous = i;
    x->first = i;
    return i;
}

static void member_leaves(struct gaps *g, uint32_t i)
{
    struct member *m = &g->member[i];
    if (m->previous == ORDERED_NONE)
        g->gap[m->gap].first = m->next;
    else
        g->member[m->previous].next = m->next;
    if (m->next != ORDERED_NONE)
        g->member[m->next].previous = m->previous;
    m->next = g->free_member;
    g->free_member = i;
}

static size_t key_of(const struct group *own, int64_t from, int64_t until)
{
    size_t k = 0;
    while (k < own->n_keys && (own->key[k].from != from || own->key[k].until != until))
        k++;
    return k;
}

/* Units of the group get that gap, and others have it no more. */
static void members_change(struct gaps *g, uint32_t group, const struct change *c)
{
    uint64_t come = c->is & ~c->was, go = c->was & ~c->is;
    struct group *own = &g->group[group];
    size_t k = key_of(own, c->from, c->until);
    struct member *m = k < own->n_keys ? &g->member[own->key[k].member] : NULL;
    uint32_t gap = m ? m->gap : gap_of(g, c->from, c->until);
    g->gap[gap].count += __builtin_popcountll(come) - __builtin_popcountll(go);
    if (!m) {
        mem_grow(&own->key, &own->capacity, own->n_keys, sizeof *own->key);
        own->key[own->n_keys++] = (struct key){ c->from, c->until, member_enters(g, gap, group, come) };
    } else if (!(m->units = (m->units & ~go) | come)) {
        member_leaves(g, own->key[k].member);
        own->key[k] = own->key[--own->n_keys];
    }
    if (!g->gap[gap].count)
        gap_goes(g, gap);
}

/* ---- Changes ---- */

static void tell(struct gaps *g, uint32_t group)
{
    for (size_t i = 0; i < g->n_changed; i++)
        if (g->changed[i].was != g->changed[i].is)
            members_change(g, group, &g->changed[i]);
    g->n_changed = 0;
}

static void collect(struct gaps *g, uint32_t group, struct change c)
{
    for (size_t i = 0; i < g->n_changed; i++) {
        struct change *known = &g->changed[i];
        if (known->from != c.from || known->until != c.until)
            continue;
        known->was |= c.was;
        known->is |= c.is;
        return;
    }
    if (g->n_changed == CHANGED)
        tell(g, group);
    g->changed[g->n_changed++] = c;
}

/* Units that are held alike are one event. Of no use where holds overlap: that is counted apart. */
static void keep(struct gaps *g, struct event e)
{
    g->kept[g->changes++ % RING] = e;
}

/* The hold whose gaps are collected, as it comes or goes. */
struct held_now { uint32_t group; uint64_t units; int64_t from, until; bool goes, after; };

static void gap_ends(struct gaps *g, const struct held_now *now, struct run run, int64_t until)
{
    uint64_t was = now->after ? 0 : run.units, is = now->after ? run.units : 0;
    collect(g, now->group, (struct change){ run.from, until, was, is });
    if (now->goes == now->after && run.from <= now->from && until >= now->until)
        keep(g, (struct event){ run.from, until, now->from, now->until, now->goes });
}

static void runs_begin(struct gaps *g, int64_t from, uint64_t units)
{
    if (units)
        g->run[g->n_runs++] = (struct run){ from, units };
}

/* Those of the units end. */
static void runs_end(struct gaps *g, const struct held_now *now, uint64_t units, int64_t until)
{
    size_t kept = 0;
    for (size_t i = 0; i < g->n_runs; i++) {
        struct run ends = { g->run[i].from, g->run[i].units & units };
        uint64_t rest = g->run[i].units & ~units;
        if (ends.units)
            gap_ends(g, now, ends, until);
        if (rest)
            g->run[kept++] = (struct run){ g->run[i].from, rest };
    }
    g->n_runs = kept;
}

/* Begins the runs of those that are free in row i where they begin, which may be long before. */
static void runs_into(struct gaps *g, const struct held *h, uint32_t i, uint64_t units)
{
    uint64_t open = units & ~held_units(h, i);
    g->n_runs = 0;
    for (; i > 0 && open; i--) {
        uint64_t before = open & ~held_units(h, i - 1);
        runs_begin(g, held_time(h, i), open & ~before);
        open = before;
    }
    runs_begin(g, held_time(h, 0), open);
}

/* Collects all gaps of the units that meet or touch the hold. */
static void collect_gaps(struct gaps *g, const struct held_now *now)
{
    const struct held *h = &g->group[now->group].held;
    uint32_t i = held_at(h, now->from > INT64_MIN ? now->from - 1 : INT64_MIN);
    uint64_t open = now->units & ~held_units(h, i);
    runs_into(g, h, i, now->units);
    for (i++; i < h->n && (open || held_time(h, i) <= now->until); i++) {
        uint64_t then = now->units & ~held_units(h, i);
        int64_t time = held_time(h, i);
        runs_end(g, now, open & ~then, time);
        if (time > now->until)
            then &= open;
        runs_begin(g, time, then & ~open);
        open = then;
    }
    runs_end(g, now, open, INT64_MAX);
}

void gaps_hold(struct gaps *g, size_t group, uint64_t units, int64_t from, int64_t until, int sign)
{
    struct held *h = &g->group[group].held;
    struct held_now now = { (uint32_t)group, units, from, until, sign < 0, false };
    if (from >= until || !units)
        return;
    collect_gaps(g, &now);
    g->crowded -= held_crowded(h);
    g->overlaps += held_change(h, units, from, until, sign);
    g->crowded += held_crowded(h);
    now.after = true;
    collect_gaps(g, &now);
    tell(g, now.group);
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

bool gaps_unknown(const struct gaps *g, struct gaps_mark m)
{
    return m.overlaps != g->overlaps || g->changes - m.changes > GAPS_KEPT;
}

bool gaps_may_be_earlier(const struct gaps *g, struct gaps_mark m, int64_t after, int64_t start, int64_t length)
{
    for (uint64_t i = m.changes; i < g->changes; i++) {
        const struct event *e = &g->kept[i % RING];
        if (e->goes && (e->until == start || meets(e, after, start - 1, length)))    /* the gap before the own hold; another */
            return true;
    }
    return false;
}

bool gaps_other_units(const struct gaps *g, struct gaps_mark m, int64_t start, int64_t length)
{
    for (uint64_t i = m.changes; i < g->changes; i++)
        if (meets(&g->kept[i % RING], start, start, length))
            return true;
    return false;
}

/* ---- Searching ---- */

struct search { int64_t after, latest, length, n, found; size_t away; };    /* away: the next of them */

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

/* So many units are free from `time` to `until`. true: there are as many as are wanted. */
static bool meet(struct gaps *g, struct search *q, int64_t count, int64_t time, int64_t until)
{
    while (g->n_open && length_of(time, g->open[0].until) < q->length) {
        q->n += g->open[0].count;
        if (--g->n_open)
            open_down(g, g->open[g->n_open]);
    }
    q->n -= count;
    q->found = time;
    if (q->n > 0)
        open_up(g, (struct open){ until, count });
    return q->n <= 0;
}

/* Units that are away begin, up to `time`. */
static bool away_until(struct gaps *g, struct search *q, int64_t time)
{
    for (; q->away < g->n_away && g->away[q->away].from <= time; q->away++) {
        const struct away *a = &g->away[q->away];
        if (meet(g, q, a->count, a->from > q->after ? a->from : q->after, INT64_MAX))
            return true;
    }
    return false;
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
                meet(g, q, x->count, q->after, x->until))
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
            if (length_of(x->from, x->until) >= q->length &&
                (away_until(g, q, x->from) || meet(g, q, x->count, x->from, x->until)))
                return true;
        }
        i = x->link.right;
    }
    return false;
}

static int64_t search(struct gaps *g, struct search q)
{
    g->n_open = 0;
    if (q.after > q.latest)
        return INT64_MAX;
    bool found = open_at_first(g, &q, g->tree.root) || open_later(g, &q, g->tree.root) || away_until(g, &q, q.latest);
    return found ? q.found : INT64_MAX;
}

int64_t gaps_fit(struct gaps *g, int64_t after, int64_t latest, int64_t length, int64_t n)
{
    return search(g, (struct search){ after, latest, length, n, INT64_MAX, g->n_away });
}

void gaps_away_begin(struct gaps *g)
{
    g->n_away = 0;
}

/* Before that the gap that it ends would hold all of it. */
static int64_t begins_to_count(struct gaps_away hold, int64_t gap_from)
{
    int64_t last = hold.length == INT64_MAX ? INT64_MIN : hold.start - hold.length;
    return gap_from > last ? gap_from : last + 1;
}

static void away_from(struct gaps *g, int64_t from, uint64_t units)
{
    if (!units)
        return;
    mem_grow(&g->away, &g->away_capacity, g->n_away, sizeof *g->away);
    size_t i = g->n_away;
    for (; i > 0 && g->away[i - 1].from > from; i--)
        g->away[i] = g->away[i - 1];
    g->away[i] = (struct away){ from, __builtin_popcountll(units) };
    g->n_away++;
}

/* Units that have a gap just before the hold. */
void gaps_away_add(struct gaps *g, size_t group, uint64_t units, struct gaps_away hold)
{
    const struct held *h = &g->group[group].held;
    uint32_t i = held_at(h, hold.start - 1);
    uint64_t open = units & ~held_units(h, i);
    for (; i > 0 && open; i--) {
        uint64_t before = open & ~held_units(h, i - 1);
        away_from(g, begins_to_count(hold, held_time(h, i)), open & ~before);
        open = before;
    }
    away_from(g, begins_to_count(hold, INT64_MIN), open);
}

int64_t gaps_sooner(struct gaps *g, int64_t after, struct gaps_away hold, int64_t n)
{
    return search(g, (struct search){ after, hold.start - 1, hold.length, n, INT64_MAX, 0 });
}

uint64_t gaps_free_units(const struct gaps *g, size_t group, uint64_t units, int64_t from, int64_t until)
{
    const struct held *h = &g->group[group].held;
    for (uint32_t i = held_at(h, from); i < h->n && units && (held_time(h, i) < until); i++)
        units &= ~held_units(h, i);
    return units;
}

/* ---- Units with a gap over all of a time ---- */

static void cover(struct gaps *g, uint32_t i, int64_t from, int64_t until)
{
    while (i != ORDERED_NONE && g->gap[i].last >= until) {
        const struct gap *x = &g->gap[i];
        if (x->from <= from) {
            for (uint32_t m = x->until >= until ? x->first : ORDERED_NONE; m != ORDERED_NONE; m = g->member[m].next) {
                mem_grow(&g->covering, &g->covering_capacity, g->n_covering, sizeof *g->covering);
                g->covering[g->n_covering++] = (struct gaps_units){ g->member[m].group, g->member[m].units };
            }
            cover(g, x->link.right, from, until);
        }
        i = x->link.left;
    }
}

const struct gaps_units *gaps_covering(struct gaps *g, int64_t from, int64_t until, size_t *n)
{
    g->n_covering = 0;
    cover(g, g->tree.root, from, until);
    *n = g->n_covering;
    return g->covering;
}

static bool covers(const struct gaps *g, uint32_t i, int64_t from, int64_t until)
{
    while (i != ORDERED_NONE && g->gap[i].last >= until) {
        const struct gap *x = &g->gap[i];
        if (x->from <= from && (x->until >= until || covers(g, x->link.right, from, until)))
            return true;
        i = x->link.left;
    }
    return false;
}

bool gaps_cover(const struct gaps *g, int64_t from, int64_t until)
{
    return covers(g, g->tree.root, from, until);
}

/* ---- Beginning and end ---- */

struct gaps *gaps_new(size_t n_groups, unsigned units_each)
{
    struct gaps *g = mem_new(1, sizeof *g);
    uint64_t all = units_each < 64 ? (UINT64_C(1) << units_each) - 1 : UINT64_MAX;
    g->free = g->free_member = ORDERED_NONE;
    g->tree = ORDERED_EMPTY;
    g->n_groups = n_groups;
    g->group = mem_new(n_groups, sizeof *g->group);
    for (size_t i = n_groups; i-- > 0;) {
        held_begin(&g->group[i].held);
        members_change(g, (uint32_t)i, &(struct change){ INT64_MIN, INT64_MAX, 0, all });
    }
    return g;
}

void gaps_free(struct gaps *g)
{
    if (!g)
        return;
    for (size_t i = 0; i < g->n_groups; i++) {
        held_end(&g->group[i].held);
        free(g->group[i].key);
    }
    free(g->group);
    free(g->gap);
    free(g->member);
    free(g->covering);
    free(g->open);
    free(g->away);
    free(g);
}
