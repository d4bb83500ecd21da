/* lines.c - ordered sets of jobs with a sub-line per shape, and walks that can leave shapes out. */
#include "sim/scheduler/lines.h"
#include "sim/engine/state.h"
#include "sim/scheduler/placing.h"
#include "sim/scheduler/stage.h"
#include "sim/scheduler/waiting.h"

#include <stdlib.h>
#include <string.h>

/* ---- Order ---- */

bool line_entry_before(const void *sched, uint32_t a, uint32_t b)
{
    const struct sched *s = sched;
    return line_place_before(&s->lines->entry[a].at, &s->lines->entry[b].at);
}

static bool sub_before(const void *sched, uint32_t a, uint32_t b)
{
    const struct sched *s = sched;
    return line_place_before(&s->lines->sub[a].first, &s->lines->sub[b].first);
}

static bool sum_up(const void *sched, uint32_t e)
{
    struct line_entry *entry = ((const struct sched *)sched)->lines->entry, *x = &entry[e];
    uint32_t child[] = { x->link.left, x->link.right };
    const int64_t was_ns = x->least_reserved_ns;
    const uint8_t was_common = x->common_marks;
    int64_t least_ns = x->reserved_ns;
    x->common_marks = x->marks;
    for (unsigned i = 0; i < 2; i++) {
        if (child[i] == ORDERED_NONE)
            continue;
        if (entry[child[i]].least_reserved_ns < least_ns)
            least_ns = entry[child[i]].least_reserved_ns;
        x->common_marks &= entry[child[i]].common_marks;
    }
    x->least_reserved_ns = least_ns;
    return least_ns != was_ns || x->common_marks != was_common;
}

struct ordered_space line_entries(const struct sched *s)
{
    return (struct ordered_space){ s->lines->entry, sizeof *s->lines->entry, line_entry_before, s,
                                   s->timeline || s->lines->marks ? sum_up : NULL };
}

struct ordered_space line_subs(const struct sched *s)
{
    return (struct ordered_space){ s->lines->sub, sizeof *s->lines->sub, sub_before, s, NULL };
}

/* ---- Sub-lines ---- */

static struct sub_slot *sub_slot(const struct line *l, shape_id shape)
{
    uint32_t i = (uint32_t)hash_u64(shape) & (l->sub_capacity - 1);
    while (l->sub_of_shape[i].number != ID_NONE && l->sub_of_shape[i].shape != shape)
        i = (i + 1) & (l->sub_capacity - 1);
    return &l->sub_of_shape[i];
}

uint32_t sub_line_of(const struct line *l, shape_id shape)
{
    return sub_slot(l, shape)->number;
}

static void sub_table_free(const struct line *l, struct sub_slot *table)
{
    if (table != l->few)
        free(table);
}

static void sub_table_grow(struct line *l)
{
    struct sub_slot *old = l->sub_of_shape;
    uint32_t n = l->sub_capacity;
    l->sub_capacity = n * 2;
    l->sub_of_shape = mem_new(l->sub_capacity, sizeof *old);
    memset(l->sub_of_shape, 0xff, l->sub_capacity * sizeof *old);
    for (uint32_t i = 0; i < n; i++)
        if (old[i].number != ID_NONE)
            *sub_slot(l, old[i].shape) = old[i];
    sub_table_free(l, old);
}

/* With one more; one slot stays free, in a table that is not the first one half of them. */
static bool sub_table_is_full(const struct line *l)
{
    return l->sub_of_shape == l->few ? l->sub_count + 1 == FEW_SUBS : 2 * (l->sub_count + 1) > l->sub_capacity;
}

static uint32_t sub_line_make(struct line *l, shape_id shape)
{
    struct sched *s = l->s;
    struct sub_slot *slot = sub_slot(l, shape);
    if (slot->number != ID_NONE)
        return slot->number;
    if (sub_table_is_full(l)) {
        sub_table_grow(l);
        slot = sub_slot(l, shape);
    }
    mem_grow(&s->lines->sub, &s->lines->sub_capacity, s->lines->n_subs, sizeof *s->lines->sub);
    uint32_t number = (uint32_t)s->lines->n_subs++;
    *slot = (struct sub_slot){ shape, number };
    l->sub_count++;
    struct sub_line *sub = &s->lines->sub[number];
    const struct shape *of = &s->workload->shape[shape];
    *sub = (struct sub_line){ .entries = ORDERED_EMPTY, .shape = shape, .line = l->number, .kind = ID_NONE };
    if (of->limited == ID_NONE && placing_by_totals(s, &of->ask)) {
        sub->kind = s->placing->kinds[shape].kind[0];
        sub->need_milli = request_gpu_milli(&of->ask);
    }
    sub->clock = (struct wait_clock){ .since_ns = s->now_ns, .why = WAIT_GROUP };
    wait_clock_set(&l->clock, s->now_ns, l->clock.why);
    memcpy(sub->line_at_handover, l->clock.total, sizeof l->clock.total);
    return number;
}

/* ---- Lines ---- */

struct line *line_new(struct sched *s)
{
    struct line *l = arena_alloc(s->memory, sizeof *l);
    mem_grow(&s->lines->line, &s->lines->line_capacity, s->lines->n_lines, sizeof(struct line *));
    l->number = (uint32_t)s->lines->n_lines;
    s->lines->line[s->lines->n_lines++] = l;
    l->s = s;
    l->subs = ORDERED_EMPTY;
    l->sub_of_shape = l->few;
    l->sub_capacity = FEW_SUBS;
    memset(l->few, 0xff, sizeof l->few);
    l->clock = (struct wait_clock){ .since_ns = s->now_ns, .why = WAIT_ORDER };
    return l;
}

void lines_begin(struct sched *s)
{
    s->lines = arena_alloc(s->memory, sizeof *s->lines);
    s->lines->free_entry = ID_NONE;
}

void lines_end(struct sched *s)
{
    for (size_t i = 0; i < s->lines->n_lines; i++)
        sub_table_free(s->lines->line[i], s->lines->line[i]->sub_of_shape);
    free(s->lines->line);
    free(s->lines->entry);
    free(s->lines->sub);
}

/* The link that points to j's entry in this line; *it is ID_NONE if there is none. */
static uint32_t *entry_link(struct sched *s, struct live *live, const struct line *l)
{
    uint32_t *link = &live->entry;
    while (*link != ID_NONE && s->lines->sub[s->lines->entry[*link].sub].line != l->number)
        link = &s->lines->entry[*link].next_of_job;
    return link;
}

void sub_line_tell(const struct sched *s, struct sub_line *sub)
{
    uint32_t first = sub->entries.first;
    sub->told_full = s->timeline && first != ORDERED_NONE && s->lines->entry[first].own_why == WAIT_GROUP && sub->clock.why == WAIT_GPUS;
}

/* The sub-line comes to the place of its first entry. */
static void sub_line_enters(struct line *l, uint32_t number)
{
    struct sub_line *all = l->s->lines->sub, *sub = &all[number];
    struct ordered_space subs = line_subs(l->s);
    sub->first = l->s->lines->entry[sub->entries.first].at;
    sub_line_tell(l->s, sub);
    uint32_t first = l->subs.first;
    ordered_add(&l->subs, &subs, number, sub->shape);
    sub->previous = l->subs.first == number ? ORDERED_NONE : ordered_previous(&subs, number);
    sub->next = sub->previous == ORDERED_NONE ? first : all[sub->previous].next;
    if (sub->previous != ORDERED_NONE)
        all[sub->previous].next = number;
    if (sub->next != ORDERED_NONE)
        all[sub->next].previous = number;
}

static void sub_line_leaves(struct line *l, uint32_t number)
{
    struct sub_line *all = l->s->lines->sub, *sub = &all[number];
    struct ordered_space subs = line_subs(l->s);
    ordered_remove(&l->subs, &subs, number);
    if (sub->previous != ORDERED_NONE)
        all[sub->previous].next = sub->next;
    if (sub->next != ORDERED_NONE)
        all[sub->next].previous = sub->previous;
}

static int64_t reserved_ns(const struct sched *s, const struct live *l)
{
    return s->timeline && l->own_why == WAIT_RESERVED ? job_estimate_ns(s, l->job) : INT64_MIN;
}

void line_entries_reserve(struct sched *s, const struct live *l)
{
    if (l->entry == ID_NONE)
        return;
    struct ordered_space entries = line_entries(s);
    int64_t now_ns = reserved_ns(s, l);
    for (uint32_t e = l->entry; e != ID_NONE; e = s->lines->entry[e].next_of_job) {
        s->lines->entry[e].own_why = l->own_why;
        sub_line_tell(s, &s->lines->sub[s->lines->entry[e].sub]);
        if (s->lines->entry[e].reserved_ns == now_ns)
            continue;
        s->lines->entry[e].reserved_ns = now_ns;
        s->lines->n_reserved++;
        ordered_changed(&entries, e);
    }
}

/* `place`: how many of the job's other entries stand before this one. The first says with which line it waits. */
static void entry_insert(struct line *l, struct live *live, struct line_key key, unsigned place)
{
    struct sched *s = l->s;
    uint32_t e = s->lines->free_entry;
    if (e != ID_NONE) {
        s->lines->free_entry = s->lines->entry[e].next_of_job;
    } else {
        mem_grow(&s->lines->entry, &s->lines->entry_capacity, s->lines->n_entries, sizeof *s->lines->entry);
        e = (uint32_t)s->lines->n_entries++;
    }
    uint32_t number = sub_line_make(l, ask_of(s, live->job)->shape);
    struct sub_line *sub = &s->lines->sub[number];
    uint32_t *link = &live->entry;
    for (unsigned i = 0; i < place && *link != ID_NONE; i++)
        link = &s->lines->entry[*link].next_of_job;
    s->lines->entry[e] = (struct line_entry){ .at = { key, live->job }, .sub = number, .next_of_job = *link,
                                       .own_why = live->own_why, .reserved_ns = reserved_ns(s, live), .least_reserved_ns = INT64_MIN };
    *link = e;
    struct ordered_space entries = line_entries(s);
    bool was_empty = sub->entries.root == ORDERED_NONE;
    if (!was_empty && line_entry_before(s, e, sub->entries.first)) {     /* a new head moves the sub-line */
        sub_line_leaves(l, number);
        was_empty = true;
    }
    ordered_add(&sub->entries, &entries, e, live->job);
    if (was_empty)
        sub_line_enters(l, number);
    l->length++;
    l->version++;
    if (live->entry == e)
        wait_joined(s, live, number);
}

static void entry_remove(struct line *l, struct live *live, uint32_t *link)
{
    struct sched *s = l->s;
    uint32_t e = *link, number = s->lines->entry[e].sub;
    struct sub_line *sub = &s->lines->sub[number];
    bool alone = ordered_is_alone(&sub->entries);
    if (alone && ordered_is_alone(&l->subs)) {           /* the only job of the line */
        sub->entries = l->subs = ORDERED_EMPTY;
    } else {
        struct ordered_space entries = line_entries(s);
        bool head = sub->entries.first == e;
        if (head)
            sub_line_leaves(l, number);
        ordered_remove(&sub->entries, &entries, e);
        if (head && !alone)
            sub_line_enters(l, number);
    }
    *link = s->lines->entry[e].next_of_job;
    s->lines->entry[e].next_of_job = s->lines->free_entry;
    s->lines->free_entry = e;
    l->length--;
    l->version++;
    wait_left(s, live, number);
}

bool line_remove(struct line *l, job_id j)
{
    struct sched *s = l->s;
    struct live *live = live_of(s, j);
    if (!live)
        return false;
    uint32_t *link = entry_link(s, live, l);
    if (*link == ID_NONE)
        return false;
    struct undo *u = undo_add(s, UNDO_REMOVE, j);
    if (u) {
        u->number = l->number;
        u->u.key = s->lines->entry[*link].at.key;
        u->why = s->lines->entry[*link].marks;
        for (uint32_t e = live->entry; e != *link; e = s->lines->entry[e].next_of_job)
            u->mode++;
    }
    entry_remove(l, live, link);
    return true;
}

void line_fetch(const struct line *l, shape_id shape)
{
    uint32_t number = sub_line_of(l, shape);
    if (number != ID_NONE)
        fetch_lines(&l->s->lines->sub[number], offsetof(struct sub_line, clock.total));
}

void line_push(struct line *l, job_id j, struct line_key k)
{
    fetch_lines(l->few, sizeof l->few);
    struct live *live = live_of(l->s, j);
    if (!live)
        return;
    if (k.major != k.major || k.minor != k.minor)
        ENGINE_BUG(l->s, "the policy gave job %u a key that is not a number", j);
    if (live->entry != ID_NONE)
        line_remove(l, j);
    struct undo *u = undo_add(l->s, UNDO_PUSH, j);
    if (u)
        u->number = l->number;
    entry_insert(l, live, k, 0);
}

void line_mark(struct line *l, job_id j, uint8_t marks)
{
    struct sched *s = l->s;
    struct live *live = live_of(s, j);
    uint32_t e = live ? *entry_link(s, live, l) : ID_NONE;
    if (e == ID_NONE || s->lines->entry[e].marks == marks)
        return;
    struct undo *u = undo_add(s, UNDO_MARK, j);
    if (u) {
        u->number = l->number;
        u->why = s->lines->entry[e].marks;
    }
    s->lines->marks = true;        /* until now there was none: all sums are right */
    s->lines->entry[e].marks = marks;
    struct ordered_space entries = line_entries(s);
    ordered_changed(&entries, e);
}

void line_restore(struct line *l, job_id j, struct line_key k, unsigned place)
{
    entry_insert(l, live_of(l->s, j), k, place);
}

void lines_forget(struct sched *s, job_id j)
{
    struct live *live = live_of(s, j);
    while (live->entry != ID_NONE)
        entry_remove(s->lines->line[s->lines->sub[s->lines->entry[live->entry].sub].line], live, &live->entry);
}

size_t line_length(const struct line *l)
{
    return l->length;
}

bool line_first(const struct line *l, job_id *j, struct line_key *k)
{
    if (l->subs.root == ORDERED_NONE)
        return false;
    const struct line_entry *e = &l->s->lines->entry[l->s->lines->sub[l->subs.first].entries.first];
    *j = e->at.job;
    if (k)
        *k = e->at.key;
    return true;
}

static bool entry_view(const struct sched *s, uint32_t e, job_id *j, struct line_key *k)
{
    if (e == ORDERED_NONE)
        return false;
    *j = s->lines->entry[e].at.job;
    if (k)
        *k = s->lines->entry[e].at.key;
    return true;
}

bool line_first_of(const struct line *l, shape_id shape, job_id *j, struct line_key *k)
{
    uint32_t sub = sub_line_of(l, shape);
    return sub != ID_NONE && entry_view(l->s, l->s->lines->sub[sub].entries.first, j, k);
}

static bool before_bound(const void *key, const void *context, uint32_t e)
{
    return line_entry_before(context, e, *(const uint32_t *)key);
}

/* The last entry before `bound` (ID_NONE: of all). O(sub-lines x log n). */
static uint32_t last_before(const struct line *l, uint32_t bound)
{
    const struct sched *s = l->s;
    struct ordered_space entries = line_entries(s);
    uint32_t last = ORDERED_NONE;
    for (uint32_t i = l->subs.first; i != ORDERED_NONE; i = s->lines->sub[i].next) {
        uint32_t e = s->lines->sub[i].entries.last;
        if (bound != ID_NONE) {
            if (!line_place_before(&s->lines->sub[i].first, &s->lines->entry[bound].at))
                break;             /* this sub-line and all later ones begin behind it */
            uint32_t beyond = ordered_search(&s->lines->sub[i].entries, &entries, before_bound, &bound);
            e = beyond == ORDERED_NONE ? e : ordered_previous(&entries, beyond);
        }
        if (last == ORDERED_NONE || line_entry_before(s, last, e))
            last = e;
    }
    return last;
}

bool line_last(const struct line *l, job_id *j, struct line_key *k)
{
    return entry_view(l->s, last_before(l, ID_NONE), j, k);
}

bool line_before(const struct line *l, job_id *j, struct line_key *k)
{
    struct live *live = live_of(l->s, *j);
    uint32_t e = live ? *entry_link(l->s, live, l) : ID_NONE;
    return e != ID_NONE && entry_view(l->s, last_before(l, e), j, k);
}
