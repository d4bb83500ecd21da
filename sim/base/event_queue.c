/* event_queue.c - see event_queue.h. */
#include "sim/base/event_queue.h"

#include "sim/base/fetch.h"
#include "sim/base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define CHILDREN   4 /* half the depth of a binary heap */
#define KIND_BITS  5
#define SLOTS_MOST ((1u << (32 - KIND_BITS)) - 1)
#define NO_SLOT    UINT32_MAX

/* An event in the heap. Four of them fill a cache line, and the children of a parent lie in one: to
 * go down a level of a large heap takes one miss. Most comparisons need the time alone. */
struct entry {
    int64_t time_ns;
    uint32_t subject;
    uint32_t kind_slot; /* the kind, below it the slot */
};
/* What an event_id points to: where the event is in the heap now. The generation tells an id from
 * those that had the slot before; together they are the id. */
struct slot {
    uint32_t position; /* while free: the next free slot, or NO_SLOT */
    uint32_t generation;
};
struct event_queue {
    struct entry *heap; /* heap[1], the first child of the root, begins a cache line */
    void *memory;       /* what is allocated for it */
    size_t length, heap_capacity;
    struct slot *slots;
    uint64_t *inserted; /* of the event in each slot: when, as a number; kept when the event moves */
    size_t n_slots, slots_capacity, inserted_capacity;
    uint32_t free_slot;
    uint64_t sequence;
};
static_assert(sizeof(struct entry) * CHILDREN == CACHE_LINE, "the children of a parent");
static_assert(EVENT_CARBON >> KIND_BITS == 0, "every kind");

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
    free(q->memory);
    free(q->slots);
    free(q->inserted);
    free(q);
}

size_t event_queue_length(const struct event_queue *q)
{
    return q->length;
}

/* ---- order ---- */

static inline uint32_t slot_in(const struct entry *e)
{
    return e->kind_slot & SLOTS_MOST;
}

static struct event event_of(const struct entry *e)
{
    return (struct event){ .time_ns = e->time_ns,
                           .kind = (enum event_kind)(e->kind_slot / (SLOTS_MOST + 1)),
                           .subject = e->subject };
}

static __attribute__((noinline)) bool tie_before(const struct event_queue *q, const struct entry *a,
                                                 const struct entry *b)
{
    struct event x = event_of(a), y = event_of(b);
    if (x.kind != y.kind)
        return x.kind < y.kind;
    if (x.subject != y.subject)
        return x.subject < y.subject;
    return q->inserted[slot_in(a)] < q->inserted[slot_in(b)];
}

static inline bool before(const struct event_queue *q, const struct entry *a, const struct entry *b)
{
    if (__builtin_expect(a->time_ns == b->time_ns, 0))
        return tie_before(q, a, b);
    return a->time_ns < b->time_ns;
}

/* ---- heap ---- */

static void put(struct event_queue *q, size_t at, const struct entry *e)
{
    q->heap[at] = *e;
    q->slots[slot_in(e)].position = (uint32_t)at;
}

/* Puts `e` into the hole at `at`, or as far above it as it belongs. */
static void sift_up(struct event_queue *q, size_t at, const struct entry *e)
{
    while (at > 0) {
        size_t parent = (at - 1) / CHILDREN;
        if (!before(q, e, &q->heap[parent]))
            break;
        put(q, at, &q->heap[parent]);
        at = parent;
    }
    put(q, at, e);
}

static size_t first_of(const struct event_queue *q, size_t a, size_t b)
{
    return before(q, &q->heap[b], &q->heap[a]) ? b : a;
}

/* Of the four from `child` on. No branch depends on which is earlier: half of the guesses would be
 * wrong. */
static inline size_t first_of_four(const struct event_queue *q, size_t child)
{
    const struct entry *e = &q->heap[child];
    const int64_t a = e[0].time_ns, b = e[1].time_ns, c = e[2].time_ns, d = e[3].time_ns;
    const int64_t ab = b < a ? b : a, cd = d < c ? d : c;
    if (__builtin_expect((a == b) | (c == d) | (ab == cd), 0))
        return first_of(q, first_of(q, child, child + 1), first_of(q, child + 2, child + 3));
    size_t of_ab = b < a, of_cd = 2 + (size_t)(d < c);
    return child + of_ab + ((of_cd - of_ab) & -(size_t)(cd < ab));
}

/* Of the children of one parent, of which `child` is the first. */
static inline size_t first_child(const struct event_queue *q, size_t child)
{
    if (child + CHILDREN <= q->length)
        return first_of_four(q, child);
    size_t best = child;
    while (++child < q->length)
        best = first_of(q, best, child);
    return best;
}

/* Moves the hole at `at` down to a leaf and returns it. What is to fill the hole comes from the end
 * of the heap and mostly belongs near a leaf: comparing it on the way down would be useless. */
static size_t hole_to_leaf(struct event_queue *q, size_t at)
{
    for (size_t child; (child = at * CHILDREN + 1) < q->length;) {
        size_t best, below = child * CHILDREN + 1;
        if (below + CHILDREN * CHILDREN <= q->length) {
            /* the children of these four, in four lines: one is looked at next */
            fetch(&q->heap[below]);
            fetch(&q->heap[below + CHILDREN]);
            fetch(&q->heap[below + CHILDREN * 2]);
            fetch(&q->heap[below + CHILDREN * 3]);
        }
        best = first_child(q, child);
        put(q, at, &q->heap[best]);
        at = best;
    }
    return at;
}

/* For one more entry. */
static void heap_reserve(struct event_queue *q)
{
    if (q->length < q->heap_capacity)
        return;
    size_t capacity = q->heap_capacity ? 2 * q->heap_capacity : 16;
    void *memory = mem_new(capacity + CHILDREN, sizeof *q->heap);
    uintptr_t line = ((uintptr_t)memory / CACHE_LINE + 1) * CACHE_LINE;
    struct entry *heap = (struct entry *)line - 1;
    if (q->length)
        memcpy(heap, q->heap, q->length * sizeof *heap);
    free(q->memory);
    q->memory = memory;
    q->heap = heap;
    q->heap_capacity = capacity;
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
    mem_grow(&q->inserted, &q->inserted_capacity, q->n_slots, sizeof *q->inserted);
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

event_id event_queue_push(struct event_queue *q, struct event e)
{
    heap_reserve(q);
    uint32_t slot = slot_take(q);
    struct entry entry = { e.time_ns, e.subject, (uint32_t)e.kind * (SLOTS_MOST + 1) + slot };
    q->inserted[slot] = q->sequence++;
    sift_up(q, q->length++, &entry);
    return (event_id)q->slots[slot].generation << 32 | slot;
}

static void remove_at(struct event_queue *q, size_t at)
{
    slot_release(q, slot_in(&q->heap[at]));
    struct entry last = q->heap[--q->length];
    if (at < q->length)
        sift_up(q, hole_to_leaf(q, at), &last);
}

/* The children of the second: when the next has gone, and the second stands there, one of them comes beside those that may follow. */
bool event_queue_hint(const struct event_queue *q, size_t i, struct event *e)
{
    static_assert(EVENT_HINTS == CHILDREN, "the children of the second");
    size_t at = q->length < 2 ? q->length : first_child(q, 1) * CHILDREN + 1 + i;
    if (i >= EVENT_HINTS || at >= q->length)
        return false;
    *e = event_of(&q->heap[at]);
    return true;
}

bool event_queue_second(const struct event_queue *q, struct event *e)
{
    if (q->length < 2)
        return false;
    *e = event_of(&q->heap[first_child(q, 1)]);
    return true;
}

bool event_queue_peek(const struct event_queue *q, struct event *next)
{
    if (q->length == 0)
        return false;
    *next = event_of(&q->heap[0]);
    return true;
}

bool event_queue_pop(struct event_queue *q, struct event *next)
{
    if (!event_queue_peek(q, next))
        return false;
    remove_at(q, 0);
    return true;
}

bool event_queue_cancel(struct event_queue *q, event_id id)
{
    uint32_t s = slot_of(q, id);
    if (s == NO_SLOT)
        return false;
    remove_at(q, q->slots[s].position);
    return true;
}

bool event_queue_move(struct event_queue *q, event_id id, int64_t time_ns)
{
    uint32_t s = slot_of(q, id);
    if (s == NO_SLOT)
        return false;
    size_t at = q->slots[s].position;
    struct entry moved = q->heap[at];
    bool later = time_ns > moved.time_ns;
    moved.time_ns = time_ns;
    sift_up(q, later ? hole_to_leaf(q, at) : at, &moved);
    return true;
}

/* ---- what is due ---- */

struct due {
    int64_t time_ns;
    enum event_kind kind;
    void (*visit)(void *self, uint32_t subject);
    void *self;
};

/* What lies below a later event is later still. */
static void visit_below(const struct event_queue *q, size_t at, const struct due *d)
{
    if (at >= q->length || q->heap[at].time_ns > d->time_ns)
        return;
    struct event e = event_of(&q->heap[at]);
    if (e.time_ns == d->time_ns && e.kind == d->kind)
        d->visit(d->self, e.subject);
    for (size_t child = at * CHILDREN + 1; child <= at * CHILDREN + CHILDREN; child++)
        visit_below(q, child, d);
}

void event_queue_visit(const struct event_queue *q, int64_t time_ns, enum event_kind kind,
                       void (*visit)(void *self, uint32_t subject), void *self)
{
    visit_below(q, 0, &(struct due){ time_ns, kind, visit, self });
}
