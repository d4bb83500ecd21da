/* sooner.c - see sooner.h. */
#include "sim/base/sooner.h"

#include "sim/base/memory.h"

#include <stdlib.h>

enum { ROOMS = SOONER_ROOMS, BOUNDS_LEAST = 64, BOUNDS_MOST = 1 << 16 };
enum { FEW = 1 };                 /* so few times at which some begin are not worth the upkeep */
enum { WITNESSES = 8, FOLLOWED = 16 };       /* after more rooms than these a bound is forgotten: witnesses cost less */

/* No start from `after` to before `from` has the whole length free, says what came free before the
 * first `seen` rooms. */
struct bound {
    int64_t need, length, after, from;
    uint64_t seen;
    uint32_t witness[WITNESSES];  /* places found last, by their starts: just before each `need` was lacking; 0: none */
};
struct room {
    int64_t from, until;
    bool known;                   /* the following */
    /* what is free, or was since it came free: at some time of it; just before it, and as it ends */
    int64_t most, before, behind;
};
/* Those that begin at one time. */
struct beginners {
    int64_t start, taken;         /* taken just before it, at the least */
    uint32_t n;                   /* 0: the place is free */
    uint32_t next_free;
};
struct sooner {
    struct bound *bound;          /* by hash, one to a place; need 0: none */
    size_t n, capacity;           /* a power of two */
    struct room room[ROOMS];      /* the last; in a ring */
    uint64_t count;               /* of all rooms */
    struct beginners *beginners;  /* by place */
    size_t n_places, places_capacity;
    uint32_t free_place;          /* chained; 0: none is free */
    uint32_t n_used;              /* places that are not */
    uint64_t seen;                /* of rooms: beginners know of them */
};

struct sooner *sooner_new(void)
{
    struct sooner *s = mem_new(1, sizeof *s);
    s->capacity = BOUNDS_LEAST;
    s->bound = mem_new(s->capacity, sizeof *s->bound);
    mem_grow(&s->beginners, &s->places_capacity, s->n_places, sizeof *s->beginners);
    s->beginners[s->n_places++] = (struct beginners){ .n = 0 };       /* 0 is no place */
    return s;
}

void sooner_free(struct sooner *s)
{
    if (!s)
        return;
    free(s->bound);
    free(s->beginners);
    free(s);
}

void sooner_freed(struct sooner *s, int64_t from, int64_t until)
{
    s->room[s->count++ % ROOMS] = (struct room){ .from = from, .until = until };
}

/* ---- Bounds ---- */

static struct bound *place_of(const struct sooner *s, int64_t need, int64_t length)
{
    uint64_t hash = ((uint64_t)need * 0x9e3779b97f4a7c15u + (uint64_t)length) * 0xbf58476d1ce4e5b9u;
    return &s->bound[(hash >> 32) & (s->capacity - 1)];
}

static void grow(struct sooner *s)
{
    struct bound *old = s->bound;
    size_t n = s->capacity;
    s->capacity *= 2;
    s->bound = mem_new(s->capacity, sizeof *s->bound);
    for (size_t i = 0; i < n; i++)
        if (old[i].need)
            *place_of(s, old[i].need, old[i].length) = old[i];
    free(old);
}

static struct bound *bound_of(struct sooner *s, int64_t need, int64_t length)
{
    struct bound *b = place_of(s, need, length);
    if (b->need == need && b->length == length)
        return b;
    s->n += !b->need;
    if (s->n > s->capacity / 2 && s->capacity < BOUNDS_MOST) {
        grow(s);
        b = place_of(s, need, length);
    }
    *b = (struct bound){ .need = need, .length = length, .after = INT64_MAX, .from = INT64_MIN, .seen = s->count };
    return b;
}

/* Looked up when it is asked first: whoever has room for all of its time since it came free has it then. */
static const struct room *room_known(struct room *r, const struct profile *p, int64_t all)
{
    if (r->known)
        return r;
    struct profile_span span = profile_span(p, r->from, r->until);
    r->most = all - span.least;
    r->before = r->from == INT64_MIN ? INT64_MIN : all - span.before;
    r->behind = r->until == INT64_MAX ? INT64_MAX : all - span.behind;
    r->known = true;
    return r;
}

/* The first start that a room may have given to those; INT64_MAX: none. */
static int64_t start_in(const struct room *r, const struct bound *b)
{
    if (r->most < b->need)
        return INT64_MAX;
    int64_t first = r->before < b->need ? r->from : r->from - b->length + 1;
    return r->behind < b->need && r->until - b->length < first ? INT64_MAX : first;
}

static void bring_up(struct sooner *s, const struct profile *p, int64_t all, struct bound *b, int64_t after)
{
    if (after < b->after || s->count - b->seen > FOLLOWED)
        b->from = INT64_MIN;
    for (; b->seen < s->count && b->from > after; b->seen++) {
        int64_t start = start_in(room_known(&s->room[b->seen % ROOMS], p, all), b);
        b->from = start < b->from ? start : b->from;
    }
    b->seen = s->count;
}

/* ---- Beginners ---- */

static uint32_t place_new(struct sooner *s)
{
    uint32_t place = s->free_place;
    if (place) {
        s->free_place = s->beginners[place].next_free;
        return place;
    }
    mem_grow(&s->beginners, &s->places_capacity, s->n_places, sizeof *s->beginners);
    return (uint32_t)s->n_places++;
}

static uint32_t enter(struct sooner *s, struct profile_mark m, int64_t start)
{
    if (!*m.mark) {
        *m.mark = place_new(s);
        s->beginners[*m.mark].n = 0;
        s->beginners[*m.mark].start = start;
        s->n_used++;
    }
    struct beginners *b = &s->beginners[*m.mark];
    b->taken = m.before;
    b->n++;
    return *m.mark;
}

uint32_t sooner_enter(struct sooner *s, struct profile *p, int64_t start)
{
    return enter(s, profile_mark(p, start), start);
}

/* Nothing begins there any more. */
static void place_goes(struct sooner *s, uint32_t place)
{
    s->n_used--;
    s->beginners[place].next_free = s->free_place;
    s->free_place = place;
}

void sooner_leave(struct sooner *s, struct profile *p, int64_t start, uint32_t place)
{
    if (--s->beginners[place].n > 0)
        return;
    profile_unmark(p, start);
    place_goes(s, place);
}

uint32_t sooner_advance(struct sooner *s, struct profile *p, const struct profile_hold *h, uint32_t place, int64_t to)
{
    int64_t end = to + (h->until - h->from);
    bool last = --s->beginners[place].n == 0;
    sooner_freed(s, end < h->from ? h->from : end, h->until);
    struct profile_mark mark = profile_advance(p, h, to, last);
    if (last)
        place_goes(s, place);
    return enter(s, mark, to);
}

/* ---- Rooms ---- */

static void see_beginners(void *context, uint32_t place, int64_t taken)
{
    struct sooner *s = context;
    s->beginners[place].taken = taken;
}

/* At those that begin where something has come free since this looked last. */
static __attribute__((noinline)) void look_at_rooms(struct sooner *s, const struct profile *p)
{
    if (s->count - s->seen > ROOMS) {
        profile_marks(p, INT64_MIN, INT64_MAX, see_beginners, s);
        s->seen = s->count;
    }
    for (; s->seen < s->count; s->seen++) {
        const struct room *r = &s->room[s->seen % ROOMS];
        profile_marks(p, r->from, r->until, see_beginners, s);
    }
}

/* From when on `need` is free until its start; its start: not just before. */
static int64_t room_before(struct sooner *s, const struct profile *p, int64_t all,
                           const struct sooner_ask *ask, int64_t after)
{
    struct beginners *b = ask->place ? &s->beginners[ask->place] : NULL;
    if (b && b->taken > all - ask->need)
        return ask->start;
    int64_t taken, since = profile_since(p, ask->start, after, all - ask->need, &taken);
    if (b)
        b->taken = taken;
    return since;
}

/* Its start is in (from, from + length], and just before that more than `max` is taken. */
static bool bears_witness(const struct beginners *w, int64_t max, int64_t from, int64_t length)
{
    return w->n > 0 && w->taken > max && w->start > from && w->start - length <= from;
}

/* Each start from `after` to before that time meets a lack just before others begin. If it is before `latest`, no such lack is
 * known of the next. */
static int64_t lacks_until(struct sooner *s, const struct profile *p, struct bound *b, int64_t max, int64_t after, int64_t latest)
{
    int64_t from = after;
    for (unsigned k = 0; from < latest; k++) {
        uint32_t place = k < WITNESSES ? b->witness[k] : 0;
        if (!bears_witness(&s->beginners[place], max, from, b->length)) {
            int64_t taken;
            place = profile_last_mark(p, from, from + b->length, max, &taken);
            if (!place)
                break;
            s->beginners[place].taken = taken;
            if (k < WITNESSES)
                b->witness[k] = place;
        }
        from = s->beginners[place].start;
    }
    return from;
}

/* The first start before `latest` with all of its length before its own start; `latest` if there is
 * none. */
static int64_t whole_before(struct sooner *s, const struct profile *p, int64_t all,
                            const struct sooner_ask *ask, int64_t after, int64_t latest)
{
    int64_t max = all - ask->need;
    struct bound *b = bound_of(s, ask->need, ask->length);
    bring_up(s, p, all, b, after);
    if (b->from >= latest)
        return latest;
    if (b->from <= after) {
        b->from = after;
        b->after = after;
    }
    b->from = lacks_until(s, p, b, max, b->from, latest);
    if (b->from < latest)
        b->from = profile_fit(p, b->from, latest, INT64_MAX, ask->length, max);
    return b->from;
}

/* ---- The question ---- */

static __attribute__((noinline)) int64_t searched(struct sooner *s, const struct profile *p,
                                                  int64_t all, const struct sooner_ask *ask,
                                                  int64_t after)
{
    int64_t since = room_before(s, p, all, ask, after), last = ask->start - ask->length;
    if (last < after)
        return since;
    int64_t latest = since <= last ? since : last + 1;
    int64_t start = whole_before(s, p, all, ask, after, latest);
    return start < latest ? start : since;
}

/* The same with nothing that is kept. */
static int64_t searched_anew(const struct profile *p, int64_t all, const struct sooner_ask *ask,
                             int64_t after)
{
    int64_t taken, max = all - ask->need, last = ask->start - ask->length;
    int64_t since = profile_since(p, ask->start, after, max, &taken);
    if (last < after)
        return since;
    int64_t latest = since <= last ? since : last + 1;
    int64_t start = profile_fit(p, after, latest, INT64_MAX, ask->length, max);
    return start < latest ? start : since;
}

int64_t sooner_start(struct sooner *s, const struct profile *p, int64_t all,
                     const struct sooner_ask *ask, int64_t after)
{
    if (s->n_used <= FEW && s->seen < s->count)
        return searched_anew(p, all, ask, after);
    if (s->seen < s->count)
        look_at_rooms(s, p);
    /* most find out here */
    if (ask->start - ask->length < after && ask->place && s->beginners[ask->place].taken > all - ask->need)
        return ask->start;
    return searched(s, p, all, ask, after);
}
