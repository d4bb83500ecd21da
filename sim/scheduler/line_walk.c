/* line_walk.c - visiting a line in order, leaving out jobs that cannot start, whatever is pushed or removed meanwhile.
 *
 * The line keeps its sub-lines sorted by their first entry. A walk takes sub-lines from there one after the other as it
 * reaches them, and keeps the next entry of each sub-line that it has begun in a heap: it costs what it visits. When the
 * line changes under it, it finds its place again by the key that it had reached. */
#include "sim/contract/util/minmax.h"
#include "sim/engine/state.h"
#include "sim/scheduler/lines.h"
#include "sim/scheduler/placing.h"
#include "sim/scheduler/timeline.h"

#include <string.h>

struct pending {
    uint32_t entry;
    uint8_t mark;                 /* go on with those without it; 0: with all */
    int64_t most_ns;              /* go on with those reserved for no longer; TIME_NEVER: with all */
};

struct walk {
    const struct line *l;
    uint64_t number;              /* of all walks, from 1 on */
    const struct view *room;      /* jobs that ask for more are left out; NULL: none is */
    int64_t lacking_ns;           /* jobs that are reserved beyond this instant are left out if it has too little for them;
                                     TIME_NEVER: none is */
    uint64_t version;
    bool marked;                  /* it leaves out marked jobs */
    struct line_place reached;    /* a copy: the entry itself may be gone */
    bool begun;
    uint32_t current;             /* sub-line of the last answer, still to be continued; ID_NONE: none */
    struct pending at;            /* where it was, and how to go on */
    uint32_t next_sub;            /* the first sub-line not begun; ORDERED_NONE: all are */
    struct pending *heap;
    size_t n, capacity;
    uint64_t *skipped;            /* bits by sub-line number; NULL: none */
    size_t skipped_size;
    /* Sub-lines that it has left as long as nothing starts, and what would tell that something has */
    struct { uint32_t *sub; size_t n, capacity; uint64_t timeline, told; } left;
    /* What is free of a kind at `lacking_ns`, at that version of the timeline; kind ID_NONE: not asked yet */
    struct { uint64_t version; int64_t milli; uint32_t kind; } free_then;
};

static const struct line_entry *entries_of(const struct walk *w)
{
    return w->l->s->lines->entry;
}

static void heap_push(struct walk *w, struct pending p)
{
    const struct line_entry *entry = entries_of(w);
    if (w->n == w->capacity) {
        size_t capacity = w->capacity ? 2 * w->capacity : 16;
        struct pending *heap = sched_scratch(w->l->s, capacity * sizeof *heap);
        if (w->n)
            memcpy(heap, w->heap, w->n * sizeof *heap);
        w->heap = heap;
        w->capacity = capacity;
    }
    size_t i = w->n++;
    for (; i > 0 && line_place_before(&entry[p.entry].at, &entry[w->heap[(i - 1) / 2].entry].at); i = (i - 1) / 2)
        w->heap[i] = w->heap[(i - 1) / 2];
    w->heap[i] = p;
}

/* In place of the top. */
static void heap_replace(struct walk *w, struct pending p)
{
    const struct line_entry *entry = entries_of(w);
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < w->n; i = child) {
        if (child + 1 < w->n && line_place_before(&entry[w->heap[child + 1].entry].at, &entry[w->heap[child].entry].at))
            child++;
        if (!line_place_before(&entry[w->heap[child].entry].at, &entry[p.entry].at))
            break;
        w->heap[i] = w->heap[child];
    }
    w->heap[i] = p;
}

static void heap_pop(struct walk *w)
{
    struct pending last = w->heap[--w->n];
    if (w->n)
        heap_replace(w, last);
}

static bool is_skipped(const struct walk *w, uint32_t sub)
{
    return sub / 64 < w->skipped_size && w->skipped[sub / 64] >> (sub % 64) & 1;
}

static bool at_or_before(const void *key, const void *context, uint32_t e)
{
    const struct sched *s = context;
    return !line_place_before(key, &s->lines->entry[e].at);
}

/* The line has changed: every sub-line goes on behind the key that was reached. */
static __attribute__((noinline)) void find_place(struct walk *w)
{
    const struct line *l = w->l;
    const struct sched *s = l->s;
    struct ordered_space entries = line_entries(s);
    w->version = l->version;
    w->n = w->left.n = 0;
    w->current = ID_NONE;
    uint32_t sub = l->subs.first;
    for (; sub != ORDERED_NONE && w->begun; sub = s->lines->sub[sub].next) {
        if (line_place_before(&w->reached, &s->lines->sub[sub].first))
            break;
        uint32_t e = ordered_search(&s->lines->sub[sub].entries, &entries, at_or_before, &w->reached);
        if (e != ORDERED_NONE && !is_skipped(w, sub))
            heap_push(w, (struct pending){ e, 0, TIME_NEVER });
    }
    w->next_sub = sub;
}

static __attribute__((noinline)) struct walk *walk_begun(struct line_walk *lw)
{
    struct walk *w = sched_scratch(lw->l->s, sizeof *w);
    w->l = lw->l;
    w->number = ++lw->l->s->lines->n_walks;
    w->version = lw->l->version;
    w->lacking_ns = TIME_NEVER;
    w->free_then.kind = ID_NONE;
    w->current = ID_NONE;
    w->next_sub = lw->l->subs.first;
    lw->at[0] = (uint64_t)(uintptr_t)w;
    return w;
}

static inline struct walk *walk_of(struct line_walk *lw)
{
    struct walk *w = lw->at[0] ? (struct walk *)(uintptr_t)lw->at[0] : walk_begun(lw);
    if (w->version != lw->l->version)
        find_place(w);
    return w;
}

/* Of those that go on so, one filter at most: in the subtree, and the entry itself. */
static inline bool some_go_on(const struct line_entry *e, const struct pending *how)
{
    return e->least_reserved_ns <= how->most_ns && !(e->common_marks & how->mark);
}

static inline bool goes_on(const struct line_entry *e, const struct pending *how)
{
    return e->reserved_ns <= how->most_ns && !(e->marks & how->mark);
}

static uint32_t first_going_on(const struct line_entry *entry, uint32_t e, const struct pending *how)
{
    while (e != ORDERED_NONE && some_go_on(&entry[e], how)) {
        uint32_t left = entry[e].link.left;
        if (left != ORDERED_NONE && some_go_on(&entry[left], how))
            e = left;
        else if (goes_on(&entry[e], how))
            return e;
        else
            e = entry[e].link.right;
    }
    return ORDERED_NONE;
}

/* The next entry of the sub-line that goes on so. */
static uint32_t next_going_on(const struct line_entry *entry, uint32_t e, const struct pending *how)
{
    for (;;) {
        uint32_t found = first_going_on(entry, entry[e].link.right, how), up = entry[e].link.up;
        if (found != ORDERED_NONE)
            return found;
        for (; up != ORDERED_NONE && entry[up].link.right == e; up = entry[up].link.up)
            e = up;
        if (up == ORDERED_NONE || goes_on(&entry[up], how))
            return up;
        e = up;
    }
}

/* How the sub-line of the last answer goes on; its entry is ORDERED_NONE where it does not. */
static struct pending go_on(struct walk *w)
{
    struct pending p = { ORDERED_NONE, 0, TIME_NEVER };
    if (w->current == ID_NONE)
        return p;
    const struct line_entry *entry = entries_of(w);
    p = w->at;
    p.entry = p.most_ns == TIME_NEVER && !p.mark ? ordered_after(entry, sizeof *entry, p.entry) : next_going_on(entry, p.entry, &p);
    w->current = ID_NONE;
    return p;
}

/* It has been told that it waits with its group. */
static bool goes_by_group(const struct sched *s, const struct line_entry *e)
{
    return s->timeline ? e->own_why == WAIT_GROUP : live_of(s, e->at.job)->own_why == WAIT_GROUP;
}

/* It asks for more than there is. */
static inline bool lacks_room(const struct walk *w, const struct sub_line *sub)
{
    return sub->kind == ID_NONE ? placing_lacks(w->room, &w->l->s->workload->shape[sub->shape].ask)
                                : w->room->kind[sub->kind].whole * MILLI_ALL < sub->need_milli;
}

static __attribute__((noinline)) void tell_anew(struct sched *s, uint32_t number, const struct line_entry *e)
{
    if (!goes_by_group(s, e))
        sched_blocked(s, e->at.job, WAIT_GROUP);
    sub_line_blocked(s, number, WAIT_GPUS);
}

/* As if that job, the next of the sub-line, had been given, and had no room. Mostly both know. */
static inline void tell_full(struct sched *s, uint32_t number, uint32_t next)
{
    const struct line_entry *e = &s->lines->entry[next];
    if (!goes_by_group(s, e) || s->lines->sub[number].clock.why != WAIT_GPUS)
        tell_anew(s, number, e);
}

/* What is free at `lacking_ns`, which is not past, is too little for it: a sub-line of which totals say all. */
static bool lacks_then(struct walk *w, const struct sub_line *sub)
{
    const struct sched *s = w->l->s;
    if (w->free_then.kind != sub->kind || w->free_then.version != s->timeline->version) {
        w->free_then.kind = sub->kind;
        w->free_then.version = s->timeline->version;
        w->free_then.milli = timeline_free_milli(s, sub->kind, w->lacking_ns);
    }
    return sub->need_milli > w->free_then.milli;
}

/* Jobs of the sub-line that are reserved for no less are left out; TIME_NEVER: none is. */
static int64_t too_long_ns(const struct walk *w, const struct sub_line *sub)
{
    return sub->too_long.walk == w->number ? sub->too_long.ns : TIME_NEVER;
}

static void too_long_from(const struct walk *w, struct sub_line *sub, int64_t estimate_ns)
{
    sub->too_long.ns = min_i64(too_long_ns(w, sub), estimate_ns);
    sub->too_long.walk = w->number;
}

enum { FEW_PLANS = 4 };

/* Also where there are many plans. */
static bool may_have_plan(const struct sched *s, shape_id shape)
{
    const struct timeline *t = s->timeline;
    bool may = t->n_plans > FEW_PLANS;
    for (size_t i = 0; i < t->n_plans && !may; i++)
        may = ask_of(s, t->hold[t->plan[i].hold].job)->shape == shape;
    return may;
}

static void leave_for_now(struct walk *w, uint32_t number)
{
    const struct sched *s = w->l->s;
    if (w->left.n == w->left.capacity) {
        size_t capacity = w->left.capacity ? 2 * w->left.capacity : 16;
        uint32_t *sub = sched_scratch(w->l->s, capacity * sizeof *sub);
        if (w->left.n)
            memcpy(sub, w->left.sub, w->left.n * sizeof *sub);
        w->left.sub = sub;
        w->left.capacity = capacity;
    }
    w->left.sub[w->left.n++] = number;
    w->left.timeline = s->timeline->version;
    w->left.told = s->lines->n_reserved;
}

/* A sub-line not full, of which nothing has been given: each of its jobs would be told once more that it is reserved, as
 * stays_reserved() says. If none is reserved for less than the first, the first would end that; else it is so as long as nothing
 * starts. */
static bool all_stay_reserved(struct walk *w, uint32_t number, const struct sub_line *sub)
{
    const struct sched *s = w->l->s;
    const struct line_entry *entry = entries_of(w), *first = &entry[sub->entries.first];
    int64_t ahead_ns = w->lacking_ns - s->now_ns, least_ns = entry[sub->entries.root].least_reserved_ns;
    if (sub->kind == ID_NONE || ahead_ns < 0 || first->reserved_ns == TIME_NEVER || least_ns <= ahead_ns || !lacks_then(w, sub))
        return false;
    if (least_ns >= first->reserved_ns)
        return !plan_of(s, first->at.job);
    if (may_have_plan(s, sub->shape))
        return false;
    leave_for_now(w, number);
    return true;
}

/* The first entry of the sub-lines not begun, if it comes before the entry `before`, unless that is ORDERED_NONE. */
static uint32_t first_not_begun(struct walk *w, uint32_t before)
{
    struct sched *s = w->l->s;
    const struct line_place *last = before != ORDERED_NONE ? &entries_of(w)[before].at : NULL;
    const struct sub_line *all = s->lines->sub;
    uint32_t number = w->next_sub, found = ORDERED_NONE;
    for (; number != ORDERED_NONE; number = all[number].next) {
        const struct sub_line *sub = &all[number];
        if (last && line_place_before(last, &sub->first))
            break;
        if (is_skipped(w, number))
            continue;
        if (w->room && lacks_room(w, sub)) {
            if (!sub->told_full)
                tell_full(s, number, sub->entries.first);
            continue;
        }
        if (w->room && w->lacking_ns != TIME_NEVER && all_stay_reserved(w, number, sub))
            continue;
        found = sub->entries.first;
        break;
    }
    w->next_sub = number;
    return found;
}

/* The next of three: the sub-line of the last answer goes on, another that has begun does, or one begins. */
static bool go_to_next(struct walk *w)
{
    const struct sched *s = w->l->s;
    const struct line_entry *entry = entries_of(w);
    struct pending on = go_on(w);
    while (w->n && is_skipped(w, entry[w->heap[0].entry].sub))
        heap_pop(w);
    bool in_heap = w->n && (on.entry == ORDERED_NONE || line_place_before(&entry[w->heap[0].entry].at, &entry[on.entry].at));
    struct pending next = in_heap ? w->heap[0] : on;
    uint32_t begins = first_not_begun(w, next.entry);
    if (begins != ORDERED_NONE) {
        if (on.entry != ORDERED_NONE)
            heap_push(w, on);
        next = (struct pending){ begins, 0, TIME_NEVER };
        w->next_sub = s->lines->sub[w->next_sub].next;
    } else if (next.entry == ORDERED_NONE) {
        return false;
    } else if (in_heap) {
        if (on.entry != ORDERED_NONE)
            heap_replace(w, on);
        else
            heap_pop(w);
    }
    w->at = next;
    w->current = entry[next.entry].sub;
    w->reached = entry[next.entry].at;
    w->begun = true;
    return true;
}

static void leave_out_longer(struct walk *w, struct sub_line *sub, int64_t estimate_ns)
{
    too_long_from(w, sub, estimate_ns);
    w->at.most_ns = min_i64(w->at.most_ns, estimate_ns - 1);
    w->at.mark = 0;
}

/* Where the walk is stands a job that would be told once more that it is reserved. */
static bool stays_reserved(struct walk *w)
{
    struct sched *s = w->l->s;
    const struct line_entry *e = &entries_of(w)[w->at.entry];
    if (e->reserved_ns == TIME_NEVER || e->reserved_ns <= w->lacking_ns - s->now_ns || plan_of(s, e->at.job))
        return false;
    struct sub_line *sub = &s->lines->sub[e->sub];
    int64_t known_ns = too_long_ns(w, sub);
    if (sub->kind == ID_NONE || (known_ns > e->reserved_ns && (w->lacking_ns < s->now_ns || lacks_room(w, sub) || !lacks_then(w, sub))))
        return false;
    leave_out_longer(w, sub, min_i64(known_ns, e->reserved_ns));
    return true;
}

/* Jobs of its sub-line have been given, and what they took leaves too little: it is left here. */
static bool is_full_by_now(struct walk *w)
{
    struct sched *s = w->l->s;
    const struct line_entry *e = &entries_of(w)[w->at.entry];
    const struct sub_line *sub = &s->lines->sub[e->sub];
    if (sub->kind == ID_NONE || !lacks_room(w, sub) || too_long_ns(w, sub) != TIME_NEVER || plan_of(s, e->at.job))
        return false;
    tell_full(s, w->current, w->at.entry);
    w->current = ID_NONE;
    return true;
}

/* Something has started since sub-lines were left. Their jobs up to the place that was reached were left out before that, as each
 * would have been; the next goes on. */
static __attribute__((noinline)) void look_again(struct walk *w)
{
    const struct line_entry *entry = entries_of(w);
    for (size_t i = 0; i < w->left.n; i++) {
        struct sub_line *sub = &w->l->s->lines->sub[w->left.sub[i]];
        struct pending p = { sub->entries.first, 0, TIME_NEVER };
        do {
            p.most_ns = entry[p.entry].reserved_ns - 1;
            p.entry = next_going_on(entry, p.entry, &p);
        } while (p.entry != ORDERED_NONE && !line_place_before(&w->reached, &entry[p.entry].at));
        too_long_from(w, sub, p.most_ns + 1);
        if (p.entry != ORDERED_NONE)
            heap_push(w, p);
    }
    w->left.n = 0;
}

static inline bool has_left_too_much(const struct walk *w)
{
    const struct sched *s = w->l->s;
    return w->left.n && (w->left.timeline != s->timeline->version || w->left.told != s->lines->n_reserved);
}

bool line_next(struct line_walk *lw, job_id *j)
{
    struct walk *w = walk_of(lw);
    if (has_left_too_much(w))
        look_again(w);
    do
        if (!go_to_next(w))
            return false;
    while (w->room && (is_full_by_now(w) || (w->lacking_ns != TIME_NEVER && stays_reserved(w))));
    *j = w->reached.job;
    return true;
}

struct line_key line_walk_key(const struct line_walk *lw)
{
    return ((const struct walk *)(uintptr_t)lw->at[0])->reached.key;
}

shape_id line_walk_shape(const struct line_walk *lw)
{
    const struct walk *w = (const struct walk *)(uintptr_t)lw->at[0];
    return w->l->s->lines->sub[w->current].shape;
}

void line_skip_longer(struct line_walk *lw, int64_t estimate_ns)
{
    struct walk *w = walk_of(lw);
    if (w->current != ID_NONE)
        leave_out_longer(w, &w->l->s->lines->sub[w->current], estimate_ns);
}

int64_t line_skipped_longer(const struct line_walk *lw)
{
    const struct walk *w = (const struct walk *)(uintptr_t)lw->at[0];
    return w->current == ID_NONE ? TIME_NEVER : too_long_ns(w, &w->l->s->lines->sub[w->current]);
}

void line_skip_reserved(struct line_walk *lw, int64_t at_ns)
{
    walk_of(lw)->lacking_ns = at_ns;
}

void line_skip_full(struct line_walk *lw, const struct view *room)
{
    walk_of(lw)->room = room;
}

void line_skip_marked(struct line_walk *lw, uint8_t mark)
{
    struct walk *w = walk_of(lw);
    if (w->current == ID_NONE)
        return;
    w->at.most_ns = TIME_NEVER;
    w->at.mark = mark;
    w->marked = true;
}

/* As if the line had changed. */
void line_give_marked(struct line_walk *lw)
{
    struct walk *w = (struct walk *)(uintptr_t)lw->at[0];
    if (!w || !w->marked)
        return;
    if (w->version == w->l->version)
        look_again(w);             /* which is to remember what it has left out */
    find_place(w);
    w->marked = false;
}

void line_skip_shape(struct line_walk *lw, shape_id shape)
{
    struct walk *w = walk_of(lw);
    uint32_t sub = sub_line_of(w->l, shape);
    if (sub == ID_NONE)
        return;
    if (sub / 64 >= w->skipped_size) {
        size_t size = w->l->s->lines->n_subs / 64 + 1;
        uint64_t *skipped = sched_scratch(w->l->s, size * sizeof *skipped);
        if (w->skipped_size)
            memcpy(skipped, w->skipped, w->skipped_size * sizeof *skipped);
        w->skipped = skipped;
        w->skipped_size = size;
    }
    w->skipped[sub / 64] |= UINT64_C(1) << (sub % 64);
    if (w->current == sub)
        w->current = ID_NONE;
}
