/* line_walk.c - visiting a line in order, leaving shapes out, whatever is pushed or removed meanwhile.
 *
 * The line keeps its sub-lines sorted by their first entry. A walk takes sub-lines from there one after the other as it
 * reaches them, and keeps the next entry of each sub-line that it has begun in a heap: it costs what it visits. When the
 * line changes under it, it finds its place again by the key that it had reached. */
#include "sim/run/host.h"

#include <string.h>

struct walk {
    const struct line *l;
    uint64_t version;
    struct line_entry reached;    /* a copy: the entry itself may be gone */
    bool begun;
    uint32_t current;             /* sub-line of the last answer, still to be continued; ID_NONE: none */
    uint32_t current_entry;
    uint32_t next_sub;            /* the first sub-line not begun; ORDERED_NONE: all are */
    uint32_t *heap;               /* entries */
    size_t n, capacity;
    uint64_t *skipped;            /* bits by sub-line number; NULL: none */
    size_t skipped_size;
};

static uint32_t sub_next(const struct sched *s, uint32_t sub)
{
    struct ordered_space subs = line_subs(s);
    return ordered_next(&subs, sub);
}

static void heap_push(struct walk *w, uint32_t e)
{
    const struct sched *s = w->l->s;
    if (w->n == w->capacity) {
        size_t capacity = w->capacity ? 2 * w->capacity : 16;
        uint32_t *heap = sched_scratch(w->l->s, capacity * sizeof *heap);
        if (w->n)
            memcpy(heap, w->heap, w->n * sizeof *heap);
        w->heap = heap;
        w->capacity = capacity;
    }
    size_t i = w->n++;
    for (; i > 0 && line_entry_before(s, e, w->heap[(i - 1) / 2]); i = (i - 1) / 2)
        w->heap[i] = w->heap[(i - 1) / 2];
    w->heap[i] = e;
}

static void heap_pop(struct walk *w)
{
    const struct sched *s = w->l->s;
    uint32_t e = w->heap[--w->n];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < w->n; i = child) {
        if (child + 1 < w->n && line_entry_before(s, w->heap[child + 1], w->heap[child]))
            child++;
        if (!line_entry_before(s, w->heap[child], e))
            break;
        w->heap[i] = w->heap[child];
    }
    w->heap[i] = e;
}

static bool is_skipped(const struct walk *w, uint32_t sub)
{
    return sub / 64 < w->skipped_size && w->skipped[sub / 64] >> (sub % 64) & 1;
}

static bool at_or_before(const void *key, const void *context, uint32_t e)
{
    const struct sched *s = context;
    return !entry_key_before(key, &s->entry[e]);
}

/* The line has changed: every sub-line goes on behind the key that was reached. */
static void find_place(struct walk *w)
{
    const struct line *l = w->l;
    const struct sched *s = l->s;
    struct ordered_space entries = line_entries(s);
    w->version = l->version;
    w->n = 0;
    w->current = ID_NONE;
    uint32_t sub = l->subs.first;
    for (; sub != ORDERED_NONE && w->begun; sub = sub_next(s, sub)) {
        if (entry_key_before(&w->reached, &s->entry[s->sub[sub].entries.first]))
            break;
        uint32_t e = ordered_search(&s->sub[sub].entries, &entries, at_or_before, &w->reached);
        if (e != ORDERED_NONE && !is_skipped(w, sub))
            heap_push(w, e);
    }
    w->next_sub = sub;
}

static struct walk *walk_of(struct line_walk *lw)
{
    struct walk *w;
    if (!lw->at[0]) {
        w = sched_scratch(lw->l->s, sizeof *w);
        w->l = lw->l;
        w->version = lw->l->version;
        w->current = ID_NONE;
        w->next_sub = lw->l->subs.first;
        lw->at[0] = (uint64_t)(uintptr_t)w;
    }
    w = (struct walk *)(uintptr_t)lw->at[0];
    if (w->version != lw->l->version)
        find_place(w);
    return w;
}

bool line_next(struct line_walk *lw, job_id *j)
{
    struct walk *w = walk_of(lw);
    const struct sched *s = w->l->s;
    if (w->current != ID_NONE) {
        struct ordered_space entries = line_entries(s);
        uint32_t e = ordered_next(&entries, w->current_entry);
        if (e != ORDERED_NONE)
            heap_push(w, e);
        w->current = ID_NONE;
    }
    while (w->n && is_skipped(w, s->entry[w->heap[0]].sub))
        heap_pop(w);
    while (w->next_sub != ORDERED_NONE && is_skipped(w, w->next_sub))
        w->next_sub = sub_next(s, w->next_sub);
    uint32_t e = w->next_sub == ORDERED_NONE ? ORDERED_NONE : s->sub[w->next_sub].entries.first;
    if (w->n && (e == ORDERED_NONE || line_entry_before(s, w->heap[0], e))) {
        e = w->heap[0];
        heap_pop(w);
    } else if (e != ORDERED_NONE) {
        w->next_sub = sub_next(s, w->next_sub);
    } else {
        return false;
    }
    w->current = s->entry[e].sub;
    w->current_entry = e;
    w->reached = s->entry[e];
    w->begun = true;
    *j = s->entry[e].job;
    return true;
}

struct line_key line_walk_key(const struct line_walk *lw)
{
    return ((const struct walk *)(uintptr_t)lw->at[0])->reached.key;
}

void line_skip_shape(struct line_walk *lw, shape_id shape)
{
    struct walk *w = walk_of(lw);
    uint32_t sub = sub_line_of(w->l, shape);
    if (sub == ID_NONE)
        return;
    if (sub / 64 >= w->skipped_size) {
        size_t size = w->l->s->n_subs / 64 + 1;
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
