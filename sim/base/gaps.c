/* gaps.c - see gaps.h. Of each group its units that are held over time (held.h); of those of their gaps that begin soon a list; while
 * one searches, a heap of the gaps that reach past the time it has come to. */
#include "sim/base/gaps.h"

#include "sim/base/gaps/gap_list.h"
#include "sim/base/gaps/held.h"
#include "sim/base/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
    NEWS_READ = 64,               /* a search costs less than to read more changes */
    UNTIL_BITS = 13,              /* 64 KiB: a few per cent of all questions meet a time that is none of theirs */
    RING = 2 * GAPS_KEPT          /* what is taken back overwrites none of those that are kept */
};

/* Units with a gap [from, until), if it were not for the hold [taken, given): it comes, or goes. */
struct event { int64_t from, until, taken, given; bool goes; };

struct run { int64_t from; uint64_t units; };                /* units that are free from then on */
struct gaps {
    struct held *held;            /* [n_groups] */
    size_t n_groups;
    struct gap_list list;         /* those that begin before `known` */
    int64_t known, span;          /* span: so far ahead has been asked */
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
    struct quiet { uint64_t since, until; int64_t after; bool ends; } quiet;    /* no change of these numbers frees anything later than
                                                                                   `after`; ends: the one before them does */
    uint64_t freed_until[1u << UNTIL_BITS];  /* of times by untils_of(): the number of the last change after which a unit is free until then */
    size_t crowded;               /* rows with several holds of a unit, of all groups */
};

/* ---- Gaps ahead ---- */

/* Into the list: those of the group that begin in [from, until). */
static void list_group(struct gaps *g, uint32_t group, int64_t from, int64_t until)
{
    const struct held *h = &g->held[group];
    for (uint32_t i = held_at(h, from - 1) + 1; i < h->n && held_time(h, i) < until; i++) {
        uint64_t open = held_units(h, i - 1) & ~held_units(h, i);
        for (uint32_t k = i + 1; open; k++) {
            uint64_t ends = k < h->n ? open & held_units(h, k) : open;
            if (ends)
                gap_list_change(&g->list, (struct gap){ held_time(h, i), k < h->n ? held_time(h, k) : INT64_MAX, group }, ends, 0);
            open &= ~ends;
        }
    }
}

static int64_t plus(int64_t time, int64_t more)
{
    return more > INT64_MAX - time ? INT64_MAX : time + more;
}

static void list_until(struct gaps *g, int64_t until)
{
    for (uint32_t i = 0; i < g->n_groups && until > g->known; i++)
        list_group(g, i, g->known, until);
    g->known = until > g->known ? until : g->known;
}

/* Those that begin at `latest` or before are in the list from now on. */
static void list_reaches(struct gaps *g, int64_t latest)
{
    if (latest >= g->known)
        list_until(g, plus(plus(latest, g->span / 4), 1));
}

/* More of them are than before: as far ahead as was asked so far, or twice as far. */
static void list_grows(struct gaps *g, int64_t after)
{
    if (g->known >= plus(after, g->span))
        g->span = plus(plus(g->span, g->span), 1);
    list_until(g, plus(after, g->span));
}

static void list_change(struct gaps *g, struct gap gap, uint64_t come, uint64_t go)
{
    if (gap.from < g->known)
        gap_list_change(&g->list, gap, come, go);
}

/* ---- Changes ---- */

/* Units that are held alike are one event. Of no use where holds overlap: that is counted apart. */
static void keep(struct gaps *g, struct event e)
{
    g->kept[g->changes++ % RING] = e;
}

/* Times that are alike share one: they are said to be freed more often than they are. */
static size_t untils_of(int64_t time)
{
    return (size_t)((uint64_t)time * UINT64_C(0x9e3779b97f4a7c15) >> (64 - UNTIL_BITS));
}

/* A hold that comes or goes, while it is not there. */
struct held_now { uint32_t group; uint64_t units; int64_t from, until; bool goes; };

/* These units are free from `from` until `until`, but for the hold: its beginning and its end part what it takes. */
static void gap_parts(struct gaps *g, const struct held_now *now, struct run run, int64_t until)
{
    struct gap whole = { run.from, until, now->group }, before = { run.from, now->from, now->group };
    uint64_t come = now->goes ? run.units : 0, go = now->goes ? 0 : run.units;
    if (until > now->until)
        list_change(g, (struct gap){ now->until, until, now->group }, go, come);
    if (run.from >= now->from || run.from >= g->known)
        list_change(g, whole, come, go);
    else if (now->goes)
        gap_list_end(&g->list, before, run.units, until);
    else
        gap_list_end(&g->list, whole, run.units, now->from);
    if (run.from <= now->from && until >= now->until)
        keep(g, (struct event){ run.from, until, now->from, now->until, now->goes });
    if (now->goes)
        g->freed_until[untils_of(until)] = g->changes;
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
            gap_parts(g, now, ends, until);
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

/* All gaps of the units that the hold meets. i: the row of its beginning. */
static void part_gaps(struct gaps *g, const struct held_now *now, uint32_t i)
{
    const struct held *h = &g->held[now->group];
    uint64_t open = now->units & ~held_units(h, i);
    runs_into(g, h, i, now->units);
    for (i++; i < h->n && (open || held_time(h, i) < now->until); i++) {
        uint64_t then = now->units & ~held_units(h, i);
        int64_t time = held_time(h, i);
        if (open & ~then)
            runs_end(g, now, open & ~then, time);
        if (time >= now->until)
            then &= open;
        runs_begin(g, time, then & ~open);
        open = then;
    }
    runs_end(g, now, open, INT64_MAX);
}

void gaps_hold(struct gaps *g, size_t group, uint64_t units, int64_t from, int64_t until, int sign)
{
    struct held *h = &g->held[group];
    struct held_now now = { (uint32_t)group, units, from, until, sign < 0 };
    if (from >= until || !units)
        return;
    uint32_t row = held_at(h, from);
    if (sign > 0)
        part_gaps(g, &now, row);
    g->crowded -= held_crowded(h);
    g->overlaps += held_change(h, &row, units, from, until, sign);
    g->crowded += held_crowded(h);
    if (sign < 0)
        part_gaps(g, &now, row);
}

bool gaps_overlapped(const struct gaps *g)
{
    return g->crowded > 0;
}

struct gaps_mark gaps_mark(const struct gaps *g)
{
    return (struct gaps_mark){ g->changes, g->overlaps };
}

static void quiet_begin(struct gaps *g, int64_t after)
{
    g->quiet = (struct quiet){ g->changes, g->changes, after, false };
}

void gaps_unchanged(struct gaps *g, struct gaps_mark m)
{
    bool lost = g->changes - m.changes > GAPS_KEPT;       /* of what was kept before the mark */
    g->overlaps = m.overlaps + lost;
    g->changes = m.changes;
    quiet_begin(g, INT64_MIN);
}

/* At some start in [after, latest] a place of that length lies in the gap and meets the hold. */
static bool meets(const struct event *e, int64_t after, int64_t latest, int64_t length)
{
    int64_t first = e->from > after ? e->from : after;
    if (e->taken > first && e->taken - first >= length)
        first = e->taken - length + 1;
    return first <= latest && first < e->given && first < e->until &&
           gap_length(first, e->until) >= length;
}

bool gaps_unknown(const struct gaps *g, struct gaps_mark m)
{
    return m.overlaps != g->overlaps || g->changes - m.changes > GAPS_KEPT;
}

bool gaps_freed_until(const struct gaps *g, struct gaps_mark m, int64_t start)
{
    return g->freed_until[untils_of(start)] > m.changes;
}

bool gaps_other_units(const struct gaps *g, struct gaps_mark m, int64_t start, int64_t length)
{
    for (uint64_t i = m.changes; i < g->changes; i++)
        if (meets(&g->kept[i % RING], start, start, length))
            return true;
    return false;
}

bool gaps_news(const struct gaps *g, struct gaps_mark m, int64_t after, int64_t start, int64_t length)
{
    if (g->changes - m.changes > NEWS_READ)
        return true;
    for (uint64_t i = m.changes; i < g->changes; i++) {
        const struct event *e = &g->kept[i % RING];
        if (meets(e, e->goes ? after : start, start, length))
            return true;
    }
    return false;
}

/* From the last change back, as far as they are asked for. */
bool gaps_quiet(struct gaps *g, struct gaps_mark m, int64_t after)
{
    struct quiet *q = &g->quiet;
    if (gaps_overlapped(g) || gaps_unknown(g, m))
        return false;
    if (q->until != g->changes || q->after != after)
        quiet_begin(g, after);
    for (; q->since > m.changes && !q->ends; q->since -= !q->ends) {
        const struct event *e = &g->kept[(q->since - 1) % RING];
        q->ends = e->goes && e->given > after && e->until > after;
    }
    return q->since <= m.changes;
}

int64_t gaps_first(struct gaps *g, int64_t after, int64_t latest, int64_t length)
{
    list_reaches(g, latest);
    return gap_list_first(&g->list, after, length);
}

bool gaps_still(struct gaps *g, struct gaps_mark m, int64_t after, int64_t start, int64_t length)
{
    return !gaps_overlapped(g) && !gaps_unknown(g, m) && !gaps_freed_until(g, m, start) &&
           gaps_first(g, after, start, length) > start;
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
    while (g->n_open && gap_length(time, g->open[0].until) < q->length) {
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
static bool open_at_first(struct gaps *g, struct search *q)
{
    struct gap_walk w = gap_walk_all(&g->list);
    int64_t until = q->length > INT64_MAX - q->after ? INT64_MAX : q->after + q->length;
    const struct gap_items *items;
    for (uint32_t i; (items = gap_walk_covering(&w, q->after, until, &i));)
        if (meet(g, q, __builtin_popcountll(items->units[i]), q->after, items->until[i]))
            return true;
    return false;
}

/* Those that begin later, by their beginning. */
static bool open_later(struct gaps *g, struct search *q)
{
    struct gap_walk w = gap_walk_after(&g->list, q->after);
    const struct gap_items *items;
    for (uint32_t i; (items = gap_walk_longer(&w, q->latest, q->length, &i));)
        if (away_until(g, q, items->from[i]) || meet(g, q, __builtin_popcountll(items->units[i]), items->from[i], items->until[i]))
            return true;
    return false;
}

static int64_t search_list(struct gaps *g, struct search q)
{
    g->n_open = 0;
    if (q.after > q.latest)
        return INT64_MAX;
    bool found = open_at_first(g, &q) || open_later(g, &q) || away_until(g, &q, q.latest);
    return found ? q.found : INT64_MAX;
}

static int64_t search(struct gaps *g, struct search q)
{
    for (;; list_grows(g, q.after)) {
        struct search near = q;
        near.latest = q.latest < g->known ? q.latest : g->known - 1;
        int64_t found = search_list(g, near);
        if (found != INT64_MAX || near.latest == q.latest || g->known == INT64_MAX)
            return found;
    }
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
    const struct held *h = &g->held[group];
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
    const struct held *h = &g->held[group];
    for (uint32_t i = held_at(h, from); i < h->n && units && (held_time(h, i) < until); i++)
        units &= ~held_units(h, i);
    return units;
}

/* ---- Units with a gap over all of a time ---- */

const struct gaps_units *gaps_covering(struct gaps *g, int64_t from, int64_t until, size_t *n)
{
    struct gap_walk w = gap_walk_all(&g->list);
    const struct gap_items *items;
    list_reaches(g, from);
    g->n_covering = 0;
    for (uint32_t i; (items = gap_walk_covering(&w, from, until, &i));) {
        mem_grow(&g->covering, &g->covering_capacity, g->n_covering, sizeof *g->covering);
        g->covering[g->n_covering++] = (struct gaps_units){ items->group[i], items->units[i] };
    }
    *n = g->n_covering;
    return g->covering;
}

bool gaps_cover(struct gaps *g, int64_t from, int64_t until)
{
    list_reaches(g, from);
    struct gap_walk w = gap_walk_all(&g->list);
    uint32_t i;
    return gap_walk_covering(&w, from, until, &i) != NULL;
}

/* ---- Beginning and end ---- */

struct gaps *gaps_new(size_t n_groups, unsigned units_each)
{
    struct gaps *g = mem_new(1, sizeof *g);
    uint64_t all = units_each < 64 ? (UINT64_C(1) << units_each) - 1 : UINT64_MAX;
    g->known = INT64_MIN + 1;
    g->n_groups = n_groups;
    g->held = mem_new(n_groups, sizeof *g->held);
    for (size_t i = 0; i < n_groups; i++) {
        held_begin(&g->held[i]);
        gap_list_change(&g->list, (struct gap){ INT64_MIN, INT64_MAX, (uint32_t)i }, all, 0);
    }
    return g;
}

void gaps_free(struct gaps *g)
{
    if (!g)
        return;
    for (size_t i = 0; i < g->n_groups; i++)
        held_end(&g->held[i]);
    free(g->held);
    gap_list_free(&g->list);
    free(g->covering);
    free(g->open);
    free(g->away);
    free(g);
}
