/* profile.c - see profile.h. */
#include "sim/base/profile.h"

#include "sim/base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = PROFILE_BLOCK, COUNTED = 8, PART = 8 };
/* What is looked for, and mostly near the last of its sort. */
enum sort { BEGINNING, END, FREE, N_SORTS };

/* time INT64_MAX: there is none; mark 0: none */
struct steps { int64_t time[BLOCK], value[BLOCK]; uint32_t mark[BLOCK]; };
/* The amount from a step on: its value in `steps`, and `lift`. */
struct block {
    int64_t lift;
    int64_t least, most;          /* of its values, without `lift` */
    uint32_t n;                   /* > 0 */
    uint32_t marks;               /* so many of its steps bear one */
    struct steps *steps;
};
struct profile {
    struct block *block;          /* in order; the first step of all is at INT64_MIN */
    int64_t *first;               /* the times of their first steps, and COUNTED times INT64_MAX */
    size_t n, capacity, first_capacity;
    size_t *near;                 /* by sort, the blocks found last, which are tried first; some may not be there any more */
    int64_t peak;                 /* the value is no more at any time */
    bool peaked;                  /* and is that at some time */
};
struct place { size_t block; uint32_t step; };

static struct steps *steps_new(void)
{
    struct steps *s = mem_new(1, sizeof *s);
    for (size_t i = 0; i < BLOCK; i++)
        s->time[i] = INT64_MAX;
    return s;
}

struct profile *profile_new(void)
{
    struct profile *p = mem_new(1, sizeof *p);
    mem_grow(&p->block, &p->capacity, 0, sizeof *p->block);
    struct steps *steps = steps_new();
    p->near = mem_new(N_SORTS, sizeof *p->near);
    p->block[p->n++] = (struct block){ .n = 1, .steps = steps };
    p->block[0].steps->time[0] = INT64_MIN;
    p->first_capacity = 2 * COUNTED;
    p->first = mem_new(p->first_capacity, sizeof *p->first);
    p->first[0] = INT64_MIN;
    for (size_t i = 1; i <= COUNTED; i++)
        p->first[i] = INT64_MAX;
    return p;
}

void profile_free(struct profile *p)
{
    for (size_t i = 0; p && i < p->n; i++)
        free(p->block[i].steps);
    if (p) {
        free(p->block);
        free(p->first);
        free(p->near);
    }
    free(p);
}

/* ---- Places ---- */

/* The last step at that time or before, in a block of which the first step is one. Few are counted,
 * not halved: a count needs no branch that depends on the times. */
static struct place place_in(const struct profile *p, size_t block, int64_t time)
{
    const int64_t *times = p->block[block].steps->time;
    uint32_t part = 0, step = 0;
#pragma GCC unroll 4
    for (uint32_t i = PART; i < BLOCK; i += PART)         /* those without a step are at no time */
        part += times[i] <= time;
#pragma GCC unroll 8
    for (uint32_t i = 1; i < PART; i++)
        step += times[part * PART + i] <= time;
    return (struct place){ block, part * PART + step };
}

static bool is_in(const struct profile *p, size_t block, int64_t time)
{
    return block < p->n && p->first[block] <= time && time < p->first[block + 1];
}

static __attribute__((noinline)) size_t block_at(const struct profile *p, int64_t time)
{
    const int64_t *first = p->first;
    size_t before = 0, n = p->n;
    for (size_t half; n > COUNTED; n -= half) {
        half = n / 2;
        first += first[half] <= time ? half : 0;
    }
#pragma GCC unroll 8
    for (size_t i = 1; i < COUNTED; i++)                  /* those behind the n-th are later */
        before += first[i] <= time;
    size_t block = (size_t)(first - p->first) + before;
    return block < p->n ? block : p->n - 1;               /* INT64_MAX */
}

/* Most ask from now on, or near a time that was asked for before: a hold moves by little at both of its ends. */
static struct place place_at(const struct profile *p, enum sort sort, int64_t time)
{
    if (is_in(p, 0, time))
        return place_in(p, 0, time);
    if (!is_in(p, p->near[sort], time))
        p->near[sort] = block_at(p, time);
    return place_in(p, p->near[sort], time);
}

/* Of a time that is not before that step: mostly it is near. */
static struct place place_behind(const struct profile *p, struct place at, int64_t time)
{
    if (time < p->first[at.block + 1])
        return place_in(p, at.block, time);
    return is_in(p, at.block + 1, time) ? place_in(p, at.block + 1, time) : place_at(p, END, time);
}

static int64_t time_of(const struct profile *p, struct place at)
{
    return p->block[at.block].steps->time[at.step];
}

static int64_t value_of(const struct profile *p, struct place at)
{
    return p->block[at.block].lift + p->block[at.block].steps->value[at.step];
}

/* false: it was the last. */
static bool go_on(const struct profile *p, struct place *at)
{
    if (++at->step < p->block[at->block].n)
        return true;
    *at = (struct place){ at->block + 1, 0 };
    return at->block < p->n;
}

/* Of any step but the first. */
static struct place before(const struct profile *p, struct place at)
{
    return at.step > 0 ? (struct place){ at.block, at.step - 1 }
                       : (struct place){ at.block - 1, p->block[at.block - 1].n - 1 };
}

/* ---- Changes ---- */

static void sum_up(struct block *b)
{
    const int64_t *value = b->steps->value;
    int64_t least = value[0], most = value[0];
    for (uint32_t i = 1; i < b->n; i++) {
        least = value[i] < least ? value[i] : least;
        most = value[i] > most ? value[i] : most;
    }
    b->least = least;
    b->most = most;
}

/* Adds to the values of the steps [low, high), which mostly are few. All are looked at only if the least was among those that grow, or
 * the greatest among those that fall. */
static void raise(struct block *b, uint32_t low, uint32_t high, int64_t amount)
{
    int64_t *value = b->steps->value, least = INT64_MAX, most = INT64_MIN;
    for (uint32_t i = low; i < high; i++) {
        value[i] += amount;
        least = value[i] < least ? value[i] : least;
        most = value[i] > most ? value[i] : most;
    }
    if (low < high && (amount > 0 ? least - amount == b->least : most - amount == b->most)) {
        sum_up(b);
        return;
    }
    b->least = least < b->least ? least : b->least;
    b->most = most > b->most ? most : b->most;
}

static void move_steps(struct steps *to, uint32_t at, const struct steps *from, uint32_t first,
                       uint32_t n)
{
    memmove(to->time + at, from->time + first, n * sizeof *to->time);
    memmove(to->value + at, from->value + first, n * sizeof *to->value);
    memmove(to->mark + at, from->mark + first, n * sizeof *to->mark);
}

static void split(struct profile *p, size_t i)
{
    mem_grow(&p->block, &p->capacity, p->n, sizeof *p->block);
    mem_grow(&p->first, &p->first_capacity, p->n + COUNTED, sizeof *p->first);
    memmove(p->first + i + 2, p->first + i + 1, (p->n + COUNTED - i - 1) * sizeof *p->first);
    struct block *b = &p->block[i];
    memmove(b + 2, b + 1, (p->n++ - i - 1) * sizeof *b);
    struct steps *steps = steps_new();
    b[1] = (struct block){ .lift = b->lift, .n = b->n / 2, .steps = steps };
    b->n -= b[1].n;
    move_steps(b[1].steps, 0, b->steps, b->n, b[1].n);
    for (uint32_t k = b->n; k < BLOCK; k++)
        b->steps->time[k] = INT64_MAX;
    p->first[i + 1] = b[1].steps->time[0];
    for (uint32_t k = 0; k < b[1].n; k++)
        b[1].marks += b[1].steps->mark[k] > 0;
    b->marks -= b[1].marks;
    sum_up(b);
    sum_up(b + 1);
}

/* The step at exactly that time, made behind the last before it if there is none. */
static struct place step_made(struct profile *p, struct place at, int64_t time)
{
    if (time_of(p, at) == time)
        return at;
    if (p->block[at.block].n == BLOCK) {
        split(p, at.block);
        at = place_at(p, BEGINNING, time);
    }
    struct block *b = &p->block[at.block];
    at.step++;
    move_steps(b->steps, at.step + 1, b->steps, at.step, b->n++ - at.step);
    b->steps->time[at.step] = time;
    b->steps->value[at.step] = b->steps->value[at.step - 1];
    b->steps->mark[at.step] = 0;
    return at;
}

static void drop_block(struct profile *p, size_t i)
{
    free(p->block[i].steps);
    memmove(&p->block[i], &p->block[i + 1], (--p->n - i) * sizeof *p->block);
    memmove(&p->first[i], &p->first[i + 1], (p->n + COUNTED - i) * sizeof *p->first);
}

/* They fill less than half of one. */
static bool may_join(const struct profile *p, size_t i)
{
    return i + 1 < p->n && p->block[i].n + p->block[i + 1].n <= BLOCK / 2;
}

/* Block i and the next become one. */
static void join(struct profile *p, size_t i)
{
    struct block *b = &p->block[i];
    for (uint32_t k = 0; k < b[1].n; k++)
        b[1].steps->value[k] += b[1].lift - b->lift;
    move_steps(b->steps, b->n, b[1].steps, 0, b[1].n);
    b->n += b[1].n;
    b->marks += b[1].marks;
    sum_up(b);
    drop_block(p, i + 1);
}

/* The step is no more if nothing changes at it and it has no mark: true, and steps behind it have
 * other places, all if a block is no more. */
static bool drop_idle(struct profile *p, struct place at)
{
    struct block *b = &p->block[at.block];
    if (b->steps->mark[at.step] || time_of(p, at) == INT64_MIN ||
        value_of(p, at) != value_of(p, before(p, at)))
        return false;
    move_steps(b->steps, at.step, b->steps, at.step + 1, --b->n - at.step);
    b->steps->time[b->n] = INT64_MAX;
    if (b->n == 0) {
        drop_block(p, at.block);
        return true;
    }
    if (at.step == 0) {           /* else a step before it has its value */
        p->first[at.block] = b->steps->time[0];
        sum_up(b);
    }
    if (may_join(p, at.block))
        join(p, at.block);
    if (at.block > 0 && may_join(p, at.block - 1))
        join(p, at.block - 1);
    return true;
}

/* Adds to those of the steps before `high` of a block: to all, and what is too much is taken back, if that is less work. */
static void raise_first(struct block *b, uint32_t high, int64_t amount)
{
    if (high <= b->n / 2) {
        raise(b, 0, high, amount);
    } else {
        b->lift += amount;
        raise(b, high, b->n, -amount);
    }
}

/* Adds to the values of the steps from `low` to before `high`. The max value in their blocks. */
static int64_t raise_all(struct profile *p, struct place low, struct place high, int64_t amount)
{
    int64_t most = INT64_MIN;
    for (size_t i = low.block; i < high.block; i++) {
        struct block *b = &p->block[i];
        if (i == low.block && low.step > 0)
            raise(b, low.step, b->n, amount);
        else
            b->lift += amount;
        most = b->most + b->lift > most ? b->most + b->lift : most;
    }
    if (high.step == 0)
        return most;
    struct block *last = &p->block[high.block];
    if (high.block == low.block && low.step > 0)
        raise(last, low.step, high.step, amount);
    else
        raise_first(last, high.step, amount);
    return last->most + last->lift > most ? last->most + last->lift : most;
}

/* Where the step of that time is after some change: mostly where it was. */
static struct place place_still(const struct profile *p, struct place was, int64_t time)
{
    return was.block < p->n && time_of(p, was) == time ? was : place_at(p, BEGINNING, time);
}

/* Adds on [from, until), of which *low is the first step. The step at `until`, if that has one; both may be idle now. */
static struct place raise_from(struct profile *p, struct place *low, int64_t from, int64_t until, int64_t amount)
{
    struct place high = { p->n, 0 };
    if (until != INT64_MAX) {
        high = step_made(p, place_behind(p, *low, until), until);
        *low = place_still(p, *low, from);            /* a block may have become two */
    }
    int64_t most = raise_all(p, *low, high, amount);
    p->peaked = (p->peaked && amount > 0) || most >= p->peak;
    p->peak = most > p->peak ? most : p->peak;
    return high;
}

void profile_add(struct profile *p, int64_t from, int64_t until, int64_t amount)
{
    if (from >= until || amount == 0)
        return;
    struct place low = { 0, 0 };
    if (from > INT64_MIN)
        low = step_made(p, place_at(p, BEGINNING, from), from);
    struct place high = raise_from(p, &low, from, until, amount);
    if (until != INT64_MAX && drop_idle(p, high))
        low = place_still(p, low, from);
    if (from > INT64_MIN)
        drop_idle(p, low);
}

static void unmark(struct profile *p, struct place at)
{
    p->block[at.block].steps->mark[at.step] = 0;
    p->block[at.block].marks--;
}

static struct profile_mark mark_of(struct profile *p, struct place at)
{
    uint32_t *mark = &p->block[at.block].steps->mark[at.step];
    p->block[at.block].marks += !*mark;
    return (struct profile_mark){ mark, value_of(p, before(p, at)) };
}

struct profile_mark profile_mark(struct profile *p, int64_t time)
{
    return mark_of(p, step_made(p, place_at(p, BEGINNING, time), time));
}

void profile_unmark(struct profile *p, int64_t time)
{
    struct place at = place_at(p, BEGINNING, time);
    unmark(p, at);
    drop_idle(p, at);
}

struct profile_mark profile_advance(struct profile *p, const struct profile_hold *h, int64_t to, bool last)
{
    int64_t end = to + (h->until - h->from);
    int64_t taken = end < h->from ? end : h->from, freed = end < h->from ? h->from : end;
    struct place first = step_made(p, place_at(p, BEGINNING, to), to);
    struct place high = raise_from(p, &first, to, taken, h->amount);
    if (last && taken == h->from)
        unmark(p, high);
    drop_idle(p, high);
    struct place low = step_made(p, place_behind(p, place_still(p, first, to), freed), freed);
    if (last && taken != h->from)
        unmark(p, low);
    high = raise_from(p, &low, freed, h->until, -h->amount);
    if (drop_idle(p, high))
        low = place_still(p, low, freed);
    drop_idle(p, low);
    return mark_of(p, place_still(p, first, to));
}

/* ---- Questions ---- */

struct profile_span profile_span(const struct profile *p, int64_t from, int64_t until)
{
    struct place at = place_at(p, END, from > INT64_MIN ? from - 1 : from);
    struct profile_span span = { .before = value_of(p, at), .least = INT64_MAX };
    span.behind = span.before;
    bool ends = false;            /* with a step */
    for (int64_t time; go_on(p, &at) && (time = time_of(p, at)) <= until; ends = time == until) {
        const struct block *b = &p->block[at.block];
        if (time > from && span.behind < span.least)
            span.least = span.behind;
        if (at.step == 0 && at.block + 1 < p->n && p->first[at.block + 1] <= until) {
            span.least = b->least + b->lift < span.least ? b->least + b->lift : span.least;
            at.step = b->n - 1;
        }
        span.behind = value_of(p, at);
    }
    if (!ends && span.behind < span.least)
        span.least = span.behind;
    return span;
}

void profile_marks(const struct profile *p, int64_t from, int64_t until, void (*see)(void *context, uint32_t mark, int64_t before),
                   void *context)
{
    struct place at = place_at(p, END, from);
    for (size_t i = at.block; i < p->n && p->first[i] <= until; i++) {
        const struct block *b = &p->block[i];
        for (uint32_t k = i == at.block ? at.step : 0; b->marks && k < b->n && b->steps->time[k] <= until; k++)
            if (b->steps->mark[k] && b->steps->time[k] >= from)
                see(context, b->steps->mark[k], value_of(p, before(p, (struct place){ i, k })));
    }
}

uint32_t profile_last_mark(const struct profile *p, int64_t after, int64_t until, int64_t max, int64_t *value)
{
    struct place end = place_at(p, FREE, until);
    for (size_t i = end.block + 1; i-- > 0 && p->first[i + 1] > after;) {
        const struct block *b = &p->block[i];
        for (uint32_t k = i == end.block ? end.step + 1 : b->n; b->marks && k-- > 0 && b->steps->time[k] > after;) {
            if (!b->steps->mark[k])
                continue;
            *value = value_of(p, before(p, (struct place){ i, k }));
            if (*value > max)
                return b->steps->mark[k];
        }
    }
    return 0;
}

int64_t profile_at(const struct profile *p, int64_t time)
{
    return value_of(p, place_at(p, FREE, time));
}

int64_t profile_max(const struct profile *p, int64_t from, int64_t until)
{
    struct place at = place_at(p, FREE, from), end = place_at(p, END, until > from ? until - 1 : from);
    int64_t most = INT64_MIN;
    for (size_t i = at.block; i <= end.block; i++) {
        const struct block *b = &p->block[i];
        uint32_t low = i == at.block ? at.step : 0, high = i == end.block ? end.step + 1 : b->n;
        int64_t here = b->most;
        if (low > 0 || high < b->n) {
            here = INT64_MIN;
            for (uint32_t k = low; k < high; k++)
                here = b->steps->value[k] > here ? b->steps->value[k] : here;
        }
        most = here + b->lift > most ? here + b->lift : most;
    }
    return most;
}

bool profile_within(struct profile *p, int64_t max)
{
    if (p->peak > max && !p->peaked) {
        p->peak = profile_max(p, INT64_MIN, INT64_MAX);
        p->peaked = true;
    }
    return p->peak <= max;
}

/* From that step on the first with at most `max`; false: there is none. */
static bool first_within(const struct profile *p, struct place *at, int64_t max)
{
    for (; at->block < p->n; *at = (struct place){ at->block + 1, 0 }) {
        const struct block *b = &p->block[at->block];
        for (; b->least + b->lift <= max && at->step < b->n; at->step++)
            if (b->steps->value[at->step] <= max - b->lift)
                return true;
    }
    return false;
}

/* From `at` to `end` the last step with more than `max`; false: there is none. */
static bool last_above(const struct profile *p, struct place *at, struct place end, int64_t max)
{
    for (size_t i = end.block + 1; i-- > at->block;) {
        const struct block *b = &p->block[i];
        uint32_t low = i == at->block ? at->step : 0;
        uint32_t k = i == end.block ? end.step + 1 : b->n;
        while (b->most + b->lift > max && k-- > low)
            if (b->steps->value[k] > max - b->lift) {
                *at = (struct place){ i, k };
                return true;
            }
    }
    return false;
}

int64_t profile_since(const struct profile *p, int64_t until, int64_t after, int64_t max,
                      int64_t *before)
{
    struct place end = place_at(p, BEGINNING, until - 1), at = { 0, 0 };
    *before = value_of(p, end);
    if (*before > max)
        return until;
    if (!last_above(p, &at, end, max) || !go_on(p, &at) || time_of(p, at) < after)
        return after;
    return time_of(p, at);
}

int64_t profile_fit(const struct profile *p, int64_t after, int64_t latest, int64_t before,
                    int64_t length, int64_t max)
{
    if (after >= latest)
        return latest;                                    /* INT64_MAX too */
    struct place at = place_at(p, FREE, after);
    for (int64_t t = after; t < latest;) {
        if (value_of(p, at) > max) {
            if (!first_within(p, &at, max))
                return latest;
            t = time_of(p, at);
            continue;
        }
        int64_t until = length > before - t ? before : t + length;
        if (!last_above(p, &at, place_at(p, FREE, until - 1), max))
            return t;
        if (!go_on(p, &at))
            return latest;
        t = time_of(p, at);
    }
    return latest;
}
