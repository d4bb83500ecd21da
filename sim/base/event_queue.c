/* event_queue.c - see event_queue.h. */
#include "sim/base/event_queue.h"

#include "sim/base/memory.h"
#include "sim/base/units.h"

#include <assert.h>
#include <stdlib.h>

#define CHILDREN 4 /* half the depth of a binary heap; four children of 32 bytes lie side by side */
#define NO_SLOT  UINT32_MAX

/* An event in the heap. Time, kind and subject are one number, so that most comparisons need no
 * branch. */
struct entry {
    int128_t order;
    uint64_t sequence; /* of the insertion; kept when the event moves */
    uint32_t slot;
};
/* What an event_id points to: where the event is in the heap now. The generation tells an id from
 * those that had the slot before; together they are the id. */
struct slot {
    uint32_t position; /* while free: the next free slot, or NO_SLOT */
    uint32_t generation;
};
struct event_queue {
    struct entry *heap;
    size_t length, heap_capacity;
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
    free(q->heap);
    free(q->slots);
    free(q);
}

size_t event_queue_length(const struct event_queue *q)
{
    return q->length;
}

/* ---- order ---- */

static int128_t order_of(struct event e)
{
    /* a product, since to shift a negative time is undefined */
    return (int128_t)e.time_ns * ((int128_t)1 << 64) +
           (int128_t)((uint64_t)e.kind << 32 | e.subject);
}

static struct event event_of(const struct entry *e)
{
    uint64_t low = (uint64_t)e->order;
    return (struct event){ .time_ns = (int64_t)(e->order >> 64),
                           .kind = (enum event_kind)(low >> 32),
                           .subject = (uint32_t)low };
}

static bool before(const struct entry *a, const struct entry *b)
{
    if (a->order == b->order)
        return a->sequence < b->sequence;
    return a->order < b->order;
}

/* ---- heap ---- */

static void put(struct event_queue *q, size_t at, const struct entry *e)
{
    q->heap[at] = *e;
    q->slots[e->slot].position = (uint32_t)at;
}

/* Puts `e` into the hole at `at`, or as far above it as it belongs. */
static void sift_up(struct event_queue *q, size_t at, const struct entry *e)
{
    while (at > 0) {
        size_t parent = (at - 1) / CHILDREN;
        if (!before(e, &q->heap[parent]))
            break;
        put(q, at, &q->heap[parent]);
        at = parent;
    }
    put(q, at, e);
}

/* Moves the hole at `at` down to a leaf and returns it. What is to fill the hole comes from the end
 * of the heap and mostly belongs near a leaf: comparing it on the way down would be useless. */
static size_t hole_to_leaf(struct event_queue *q, size_t at)
{
    for (size_t first; (first = at * CHILDREN + 1) < q->length;) {
        size_t end = first + CHILDREN < q->length ? first + CHILDREN : q->length;
        size_t best = first;
        for (size_t child = first + 1; child < end; child++)
            best = before(&q->heap[child], &q->heap[best]) ? child : best;
        put(q, at, &q->heap[best]);
        at = best;
    }
    return at;
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
    assert(s != NO_SLOT);
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
    mem_grow(&q->heap, &q->heap_capacity, q->length, sizeof *q->heap);
    struct entry entry = { .order = order_of(e), .sequence = q->sequence++, .slot = slot_take(q) };
    sift_up(q, q->length++, &entry);
    return (event_id)q->slots[entry.slot].generation << 32 | entry.slot;
}

static void remove_at(struct event_queue *q, size_t at)
{
    slot_release(q, q->heap[at].slot);
    struct entry last = q->heap[--q->length];
    if (at < q->length)
        sift_up(q, hole_to_leaf(q, at), &last);
}

/* The children of the root: the event after the next is one of them. */
bool event_queue_hint(const struct event_queue *q, size_t i, struct event *e)
{
    static_assert(EVENT_HINTS == CHILDREN, "the children of the root");
    if (i >= EVENT_HINTS || i + 1 >= q->length)
        return false;
    *e = event_of(&q->heap[i + 1]);
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
    struct event e = event_of(&moved);
    e.time_ns = time_ns;
    moved.order = order_of(e);
    bool later = moved.order > q->heap[at].order;
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
    if (at >= q->length)
        return;
    struct event e = event_of(&q->heap[at]);
    if (e.time_ns > d->time_ns)
        return;
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
