/* event_queue.c - see event_queue.h.
 *
 * Of all events only the next few are sorted (`near`). The others lie in buckets, in no order: an event comes later than `bound`, and the
 * first digit in which its key differs from that of `bound`, with the value that it has there, is its bucket. So all events of a bucket
 * come before those of the buckets behind it, whatever order they have among themselves, and to add one costs the same however many
 * there are. When few are sorted, those of the first bucket are, and bound rises to the end of that bucket; where it holds many they go to
 * the buckets before it, by how they differ from the least of them. That is the radix heap of Ahuja, Mehlhorn, Orlin and Tarjan (Faster
 * algorithms for the shortest path problem, J. ACM 37, 1990), with two differences: events may come before those that were taken, and
 * whole buckets are sorted once they are small. Where too many come before bound, it falls, and the later half of them goes back. */
#include "sim/base/event_queue.h"

#include "sim/base/fetch.h"
#include "sim/base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    KIND_BITS = 5,
    SLOT_BITS = 32 - KIND_BITS,
    DIGIT_BITS = 4,
    DIGIT_MOST = (1 << DIGIT_BITS) - 1,
    LOW_DIGITS = (32 + KIND_BITS + DIGIT_BITS - 1) / DIGIT_BITS, /* of a key, below the time */
    DIGITS = LOW_DIGITS + 64 / DIGIT_BITS,
    BUCKETS = DIGITS << DIGIT_BITS,
    NEAR_LEAST = EVENTS_AHEAD + 1, /* so many events are sorted, if there are so many */
    NEAR_MOST = 96,                /* more than these only if their keys are equal */
    SORTED_TOGETHER = 48,          /* a bucket of no more is not divided */
    SLOTS_FETCHED = 3              /* the slot of that event behind the next is fetched ahead */
};
#define SLOTS_MOST ((1u << SLOT_BITS) - 1)
#define NO_SLOT    UINT32_MAX
#define LOW_MOST   ((UINT64_C(1) << LOW_DIGITS * DIGIT_BITS) - 1)
static_assert(EVENT_CARBON >> KIND_BITS == 0, "every kind");
static_assert(DIGITS <= 32 && DIGIT_MOST < 16, "a word has a bit for each");

struct entry {
    int64_t time_ns;
    uint32_t subject;
    uint32_t kind_slot; /* the kind, below it the slot */
};
/* The order of events but for insertion, as a number of DIGITS digits. */
struct key {
    uint64_t time, low;
};
/* What an event_id points to. The generation tells an id from those that had the slot before; together they are the id. */
struct slot {
    struct entry event;
    uint64_t inserted;   /* when, as a number; kept when the event moves */
    uint32_t position;   /* in its bucket; while free: the next free slot, or NO_SLOT */
    uint32_t generation;
};
struct bucket {
    struct entry *entry;
    size_t n, capacity;
};
struct event_queue {
    struct entry *near; /* [first, end) in order */
    size_t first, end, near_capacity;
    struct key bound;   /* no event of a bucket has this key or an earlier one; all others are near */
    struct bucket far[BUCKETS];
    uint16_t filled[DIGITS];  /* buckets with events: of each digit, by its values */
    uint32_t digits;          /* those with such a bucket */
    size_t n_far;
    struct slot *slots;
    size_t n_slots, slots_capacity;
    uint32_t free_slot;
    uint64_t sequence;
};

struct event_queue *event_queue_new(void)
{
    struct event_queue *q = mem_new(1, sizeof *q);
    q->free_slot = NO_SLOT;
    return q;
}

void event_queue_free(struct event_queue *q)
{
    if (!q)
        return;
    for (unsigned b = 0; b < BUCKETS; b++)
        free(q->far[b].entry);
    free(q->near);
    free(q->slots);
    free(q);
}

size_t event_queue_length(const struct event_queue *q)
{
    return q->end - q->first + q->n_far;
}

/* ---- order ---- */

static inline uint32_t slot_in(struct entry e)
{
    return e.kind_slot & SLOTS_MOST;
}

static struct event event_of(const struct entry *e)
{
    return (struct event){ .time_ns = e->time_ns, .kind = (enum event_kind)(e->kind_slot >> SLOT_BITS), .subject = e->subject };
}

static inline struct key key_of(struct entry e)
{
    return (struct key){ (uint64_t)e.time_ns ^ UINT64_C(1) << 63, (uint64_t)(e.kind_slot >> SLOT_BITS) << 32 | e.subject };
}

static inline bool key_before(struct key a, struct key b)
{
    return a.time != b.time ? a.time < b.time : a.low < b.low;
}

static __attribute__((noinline)) bool tie_before(const struct event_queue *q, const struct entry *a, const struct entry *b)
{
    struct key x = key_of(*a), y = key_of(*b);
    if (x.low != y.low)
        return x.low < y.low;
    return q->slots[slot_in(*a)].inserted < q->slots[slot_in(*b)].inserted;
}

static inline bool before(const struct event_queue *q, const struct entry *a, const struct entry *b)
{
    if (__builtin_expect(a->time_ns == b->time_ns, 0))
        return tie_before(q, a, b);
    return a->time_ns < b->time_ns;
}

/* ---- buckets ---- */

static unsigned highest_bit(uint64_t x)
{
    return 63 - (unsigned)__builtin_clzll(x);
}

/* The first digit in which they differ; they do. The last digit of a key is digit 0. */
static inline unsigned differ_at(struct key a, struct key b)
{
    return a.time != b.time ? LOW_DIGITS + highest_bit(a.time ^ b.time) / DIGIT_BITS : highest_bit(a.low ^ b.low) / DIGIT_BITS;
}

static inline unsigned digit_of(struct key k, unsigned digit)
{
    uint64_t word = digit < LOW_DIGITS ? k.low : k.time;
    return word >> DIGIT_BITS * (digit < LOW_DIGITS ? digit : digit - LOW_DIGITS) & DIGIT_MOST;
}

/* The last key with that value of this digit, and k's digits before it. */
static struct key last_with(struct key k, unsigned digit, unsigned value)
{
    uint64_t *word = digit < LOW_DIGITS ? &k.low : &k.time;
    unsigned shift = DIGIT_BITS * (digit < LOW_DIGITS ? digit : digit - LOW_DIGITS);
    uint64_t below = UINT64_C(1) << shift;
    *word = (*word & ~(DIGIT_MOST * below)) | value * below | (below - 1);
    k.low = digit < LOW_DIGITS ? k.low : LOW_MOST;
    return k;
}

static inline unsigned bucket_of(const struct event_queue *q, struct key k)
{
    unsigned digit = differ_at(k, q->bound);
    return digit << DIGIT_BITS | digit_of(k, digit);
}

static inline void bucket_put(struct event_queue *q, unsigned b, struct entry e)
{
    struct bucket *to = &q->far[b];
    mem_grow(&to->entry, &to->capacity, to->n, sizeof *to->entry);
    q->slots[slot_in(e)].position = (uint32_t)to->n;
    to->entry[to->n++] = e;
    q->filled[b >> DIGIT_BITS] |= (uint16_t)(1u << (b & DIGIT_MOST));
    q->digits |= 1u << (b >> DIGIT_BITS);
}

static void bucket_is_empty(struct event_queue *q, unsigned b)
{
    unsigned digit = b >> DIGIT_BITS;
    q->filled[digit] &= (uint16_t) ~(1u << (b & DIGIT_MOST));
    if (!q->filled[digit])
        q->digits &= ~(1u << digit);
}

/* All of them, which nobody else holds: until the next bucket_put() there. */
static const struct entry *bucket_empty(struct event_queue *q, unsigned b, size_t *n)
{
    *n = q->far[b].n;
    q->far[b].n = 0;
    bucket_is_empty(q, b);
    return q->far[b].entry;
}

static unsigned first_bucket(const struct event_queue *q)
{
    unsigned digit = (unsigned)__builtin_ctz(q->digits);
    return digit << DIGIT_BITS | (unsigned)__builtin_ctz(q->filled[digit]);
}

static inline void put_far(struct event_queue *q, struct entry e)
{
    bucket_put(q, bucket_of(q, key_of(e)), e);
    q->n_far++;
}

static void take_far(struct event_queue *q, const struct slot *s)
{
    unsigned b = bucket_of(q, key_of(s->event));
    struct bucket *from = &q->far[b];
    const struct entry last = from->entry[--from->n];
    from->entry[s->position] = last;
    q->slots[slot_in(last)].position = s->position;
    if (!from->n)
        bucket_is_empty(q, b);
    q->n_far--;
}

/* ---- those that are near ---- */

static struct entry *near_room(struct event_queue *q)
{
    mem_grow(&q->near, &q->near_capacity, q->end, sizeof *q->near);
    return &q->near[q->end];
}

/* Those from there on: by insertion, of many first over long ways (Shell 1959). */
static void near_sort(struct event_queue *q, size_t from)
{
    static const size_t ways[] = { 701, 301, 132, 57, 23, 10, 4, 1 };
    struct entry *e = q->near + from;
    size_t n = q->end - from;
    for (size_t w = n > SORTED_TOGETHER ? 0 : sizeof ways / sizeof *ways - 1; w < sizeof ways / sizeof *ways; w++)
        for (size_t i = ways[w]; i < n; i++) {
            const struct entry x = e[i];
            size_t at = i;
            for (; at >= ways[w] && before(q, &x, &e[at - ways[w]]); at -= ways[w])
                e[at] = e[at - ways[w]];
            e[at] = x;
        }
}

/* The first bucket holds many: the least of them come near, the others go to the buckets before it. */
static void divide(struct event_queue *q, unsigned b)
{
    size_t n;
    const struct entry *e = bucket_empty(q, b, &n);
    struct key least = key_of(e[0]);
    for (size_t i = 1; i < n; i++) {
        struct key k = key_of(e[i]);
        least = key_before(k, least) ? k : least;
    }
    q->bound = least;
    for (size_t i = 0; i < n; i++) {
        struct key k = key_of(e[i]);
        if (k.time != least.time || k.low != least.low) {
            bucket_put(q, bucket_of(q, k), e[i]);
            continue;
        }
        *near_room(q) = e[i];
        q->end++;
        q->n_far--;
    }
}

static void take_all(struct event_queue *q, unsigned b)
{
    size_t n;
    const struct entry *e = bucket_empty(q, b, &n);
    for (size_t i = 0; i < n; i++) {
        *near_room(q) = e[i];
        q->end++;
    }
    q->n_far -= n;
    q->bound = last_with(q->bound, b >> DIGIT_BITS, b & DIGIT_MOST);
}

/* Enough are near, if there are enough: after each removal. */
static void refill(struct event_queue *q)
{
    while (q->end - q->first < NEAR_LEAST && q->n_far) {
        memmove(q->near, q->near + q->first, (q->end - q->first) * sizeof *q->near);
        q->end -= q->first;
        q->first = 0;
        size_t sorted = q->end;
        unsigned b = first_bucket(q);
        if (q->far[b].n > SORTED_TOGETHER)
            divide(q, b);
        else
            take_all(q, b);
        near_sort(q, sorted);
    }
}

/* The first that does not come before it. */
static size_t near_place(const struct event_queue *q, const struct entry *e)
{
    size_t low = q->first, high = q->end;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (before(q, &q->near[middle], e))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Bound falls. Events that agreed with it up to where the new one differs are now of one bucket. */
static void lower_bound(struct event_queue *q, struct key to)
{
    unsigned digit = differ_at(q->bound, to), both = digit << DIGIT_BITS | digit_of(q->bound, digit);
    q->bound = to;
    for (unsigned b; q->n_far && (b = first_bucket(q)) >> DIGIT_BITS < digit;) {
        size_t n;
        const struct entry *e = bucket_empty(q, b, &n);
        for (size_t i = 0; i < n; i++)
            bucket_put(q, both, e[i]);
    }
}

/* Too many are near: the later half goes to the buckets. Of equal keys all stay. */
static __attribute__((noinline)) void spill(struct event_queue *q)
{
    size_t half = q->first + NEAR_MOST / 2;
    struct key last = key_of(q->near[half - 1]), next = last;
    while (half < q->end && !key_before(last, next = key_of(q->near[half])))
        half++;
    if (half == q->end)
        return;
    unsigned digit = differ_at(last, next);
    lower_bound(q, last_with(last, digit, digit_of(last, digit)));
    for (size_t i = half; i < q->end; i++)
        put_far(q, q->near[i]);
    q->end = half;
}

static void put_near(struct event_queue *q, struct entry e)
{
    (void)near_room(q);
    size_t at = near_place(q, &e);
    memmove(&q->near[at + 1], &q->near[at], (q->end - at) * sizeof *q->near);
    q->near[at] = e;
    if (++q->end - q->first > NEAR_MOST)
        spill(q);
}

static void take_near(struct event_queue *q, const struct entry *e)
{
    size_t at = near_place(q, e);
    memmove(&q->near[at], &q->near[at + 1], (q->end - at - 1) * sizeof *q->near);
    q->end--;
}

/* ---- slots ---- */

static uint32_t slot_take(struct event_queue *q)
{
    uint32_t s = q->free_slot;
    if (s != NO_SLOT) {
        q->free_slot = q->slots[s].position;
        return s;
    }
    mem_grow(&q->slots, &q->slots_capacity, q->n_slots, sizeof *q->slots);
    s = (uint32_t)q->n_slots++;
    if (s > SLOTS_MOST)
        mem_exhausted();
    q->slots[s].generation = 1; /* so that no id is 0 */
    return s;
}

static void slot_release(struct event_queue *q, uint32_t s)
{
    if (++q->slots[s].generation == 0)
        return; /* all its ids are issued: never used again */
    q->slots[s].position = q->free_slot;
    q->free_slot = s;
}

/* The slot of an event that is still queued, or NO_SLOT. */
static uint32_t slot_of(const struct event_queue *q, event_id id)
{
    uint32_t s = (uint32_t)id;
    return s < q->n_slots && id >> 32 && q->slots[s].generation == id >> 32 ? s : NO_SLOT;
}

/* ---- what callers do ---- */

/* By value: what was just written to a slot field by field is not read from there as a whole, which waits for the stores. */
static inline void put(struct event_queue *q, struct entry e)
{
    if (key_before(q->bound, key_of(e)))
        put_far(q, e);
    else
        put_near(q, e);
    refill(q);
}

static void take(struct event_queue *q, const struct slot *s)
{
    if (key_before(q->bound, key_of(s->event)))
        take_far(q, s);
    else
        take_near(q, &s->event);
}

event_id event_queue_push(struct event_queue *q, struct event e)
{
    uint32_t number = slot_take(q);
    struct slot *s = &q->slots[number];
    const struct entry new = { e.time_ns, e.subject, (uint32_t)e.kind << SLOT_BITS | number };
    s->event = new;
    s->inserted = q->sequence++;
    put(q, new);
    return (event_id)s->generation << 32 | number;
}

size_t event_queue_ahead(const struct event_queue *q, struct event ahead[EVENTS_AHEAD])
{
    size_t n = 0;
    for (size_t i = q->first; n < EVENTS_AHEAD && i < q->end; i++)
        ahead[n++] = event_of(&q->near[i]);
    return n;
}

int64_t event_queue_next_ns(const struct event_queue *q)
{
    return q->first < q->end ? q->near[q->first].time_ns : INT64_MAX;
}

bool event_queue_peek(const struct event_queue *q, struct event *next)
{
    if (q->first == q->end)
        return false;
    *next = event_of(&q->near[q->first]);
    return true;
}

bool event_queue_pop(struct event_queue *q, struct event *next)
{
    if (!event_queue_peek(q, next))
        return false;
    if (q->end - q->first > SLOTS_FETCHED)
        fetch(&q->slots[slot_in(q->near[q->first + SLOTS_FETCHED])]);
    slot_release(q, slot_in(q->near[q->first++]));
    refill(q);
    return true;
}

bool event_queue_cancel(struct event_queue *q, event_id id)
{
    uint32_t s = slot_of(q, id);
    if (s == NO_SLOT)
        return false;
    take(q, &q->slots[s]);
    slot_release(q, s);
    refill(q);
    return true;
}

bool event_queue_move(struct event_queue *q, event_id id, int64_t time_ns)
{
    uint32_t s = slot_of(q, id);
    if (s == NO_SLOT)
        return false;
    struct entry moved = q->slots[s].event;
    take(q, &q->slots[s]);
    moved.time_ns = q->slots[s].event.time_ns = time_ns;
    put(q, moved);
    return true;
}

/* ---- what is due ---- */

static void visit_all(const struct entry *e, size_t n, int64_t time_ns, enum event_kind kind,
                      void (*visit)(void *self, uint32_t subject), void *self)
{
    for (size_t i = 0; i < n; i++)
        if (e[i].time_ns == time_ns && e[i].kind_slot >> SLOT_BITS == kind)
            visit(self, e[i].subject);
}

void event_queue_visit(const struct event_queue *q, int64_t time_ns, enum event_kind kind,
                       void (*visit)(void *self, uint32_t subject), void *self)
{
    const struct entry latest = { time_ns, UINT32_MAX, (uint32_t)kind << SLOT_BITS };
    visit_all(q->near + q->first, q->end - q->first, time_ns, kind, visit, self);
    if (!q->n_far || !key_before(q->bound, key_of(latest)))
        return;
    for (unsigned b = 0; b <= bucket_of(q, key_of(latest)); b++)
        visit_all(q->far[b].entry, q->far[b].n, time_ns, kind, visit, self);
}
